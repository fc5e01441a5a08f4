/* sass_parse_operand.c - parses one operand of an instruction, as nvdisasm prints it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sass_inst.h"

#include <ctype.h>

#define MAX_REGISTER 1023u /* more than any GPU has; the tracer's lines hold up to 255 */
#define MAX_TEXT 200u

bool hd__hasm_branches(const char *opcode)
{
	static const char *const first[] = { "BRA", "BRX", "BSSY", "JMP", "JMX", "CALL", "CAL",
	                                     "JCAL", "RET", "SSY", "PBK", "PCNT", "PRET" };

	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		if (strncmp(opcode, first[i], strlen(first[i])) == 0)
			return true;
	return false;
}

static const struct file {
	const char *name;
	enum hasm_kind kind;
	char zero;    /* the letter after the name that stands for zero or true */
	uint32_t last;
} files[] = { /* longer names first */
	{ "UR", HASM_UNIFORM, 'Z', 254 },
	{ "UP", HASM_UNIFORM_PREDICATE, 'T', 6 },
	{ "SB", HASM_COUNTER, '\0', 5 },
	{ "R", HASM_REGISTER, 'Z', MAX_REGISTER },
	{ "P", HASM_PREDICATE, 'T', 6 },
	{ "B", HASM_BARRIER, '\0', 15 },
};

/* A register at p: its file, number and length.  Returns NULL if it is none. */
static const struct file *find_register(const char *p, uint32_t *number, size_t *length)
{
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const struct file *f = &files[i];
		size_t n = strlen(f->name), digits = 0;
		uint32_t v = 0;

		if (strncmp(p, f->name, n) != 0)
			continue;
		if (f->zero && p[n] == f->zero) {
			*number = HASM_RZ;
			*length = n + 1;
		} else {
			for (; isdigit((unsigned char)p[n + digits]) && digits < 6; digits++)
				v = v * 10 + (uint32_t)(p[n + digits] - '0');
			*number = v;
			*length = digits ? n + digits : 0;
		}
		if (*length == 0 || isalnum((unsigned char)p[*length]) || p[*length] == '_')
			continue;
		return f;
	}
	return NULL;
}

static bool check_register(struct hasm_scan *s, const struct file *f, uint32_t number, size_t length)
{
	bool zero = f->zero && number == HASM_RZ && !isdigit((unsigned char)s->p[length - 1]);

	if (zero || number <= f->last)
		return true;
	if (f->zero)
		return hd__hasm_bad(s, s->p, "'%.*s': expected %s0 to %s%u, or %s%c", (int)length, s->p,
		                    f->name, f->name, f->last, f->name, f->zero);
	return hd__hasm_bad(s, s->p, "'%.*s': expected %s0 to %s%u", (int)length, s->p, f->name, f->name,
	                    f->last);
}

/* ".64", ".X4", ".reuse" and so on behind a register. */
static void suffixes(struct hasm_scan *s, bool *wide, bool *reuse)
{
	while (*s->p == '.') {
		size_t n = 1;

		while (isalnum((unsigned char)s->p[n]) || s->p[n] == '_')
			n++;
		*wide |= n == 3 && strncmp(s->p, ".64", n) == 0;
		*reuse |= n == 6 && strncmp(s->p, ".reuse", n) == 0;
		s->p += n;
	}
}

/* Registers and an offset between brackets: "R4.64+UR6+-0x10". */
static bool terms(struct hasm_scan *s, struct hasm_operand *o)
{
	do {
		const struct file *f;
		uint32_t number;
		size_t length;
		uint64_t v;
		bool minus;

		hd__hasm_blanks(s);
		minus = *s->p == '-';
		s->p += minus;
		f = minus ? NULL : find_register(s->p, &number, &length);
		if (f && (f->kind == HASM_REGISTER || f->kind == HASM_UNIFORM)) {
			int32_t *to = f->kind == HASM_REGISTER ? &o->base : &o->uniform;

			if (!check_register(s, f, number, length))
				return false;
			if (*to >= 0)
				return hd__hasm_bad(s, s->p, "a second '%s' register in an address", f->name);
			*to = (int32_t)number;
			s->p += length;
			suffixes(s, &o->wide, &o->reuse);
		} else if (hd__hasm_number(s, &v)) {
			o->value += (int64_t)(minus ? 0 - v : v);
		} else {
			return hd__hasm_expected(s, "a register R or UR, or an offset");
		}
		hd__hasm_blanks(s);
	} while (hd__hasm_take(s, '+') || *s->p == '-');
	return true;
}

static bool brackets(struct hasm_scan *s, struct hasm_operand *o)
{
	if (!hd__hasm_take(s, '['))
		return hd__hasm_expected(s, "'['");
	if (!terms(s, o))
		return false;
	return hd__hasm_take(s, ']') || hd__hasm_expected(s, "'+' or ']'");
}

/* "[...]", "desc[UR4][...]", "c[0x0][0x160]", "cx[UR4][0x10]". */
static bool memory(struct hasm_scan *s, struct hasm_operand *o)
{
	bool descriptor = strncmp(s->p, "desc[", 5) == 0;
	struct hasm_operand front = { .base = -1, .uniform = -1 };

	o->kind = *s->p == 'c' ? HASM_CONSTANT : HASM_ADDRESS;
	while (*s->p >= 'a' && *s->p <= 'z')
		s->p++;
	if (descriptor || o->kind == HASM_CONSTANT) {
		if (!brackets(s, &front))
			return false;
		o->number = (uint32_t)front.value;
		o->descriptor = front.uniform;
	}
	if (!brackets(s, o))
		return false;
	suffixes(s, &o->wide, &o->reuse);
	return true;
}

/* "0x1f", "-0x8", "1", "2.384185791015625e-07". */
static bool number(struct hasm_scan *s, struct hasm_operand *o, bool minus)
{
	uint64_t v;

	o->kind = s->p[0] == '0' && (s->p[1] == 'x' || s->p[1] == 'X') ? HASM_INTEGER : HASM_FLOAT;
	if (o->kind == HASM_INTEGER) {
		if (!hd__hasm_number(s, &v))
			return hd__hasm_expected(s, "a number of at most 64 bits");
		o->value = (int64_t)(minus ? 0 - v : v);
		suffixes(s, &o->wide, &o->reuse);
		return true;
	}
	while (hd__hasm_name(s) > 0) { /* "2D", too, and an exponent with its sign */
		s->p += hd__hasm_name(s);
		if (s->p[-1] == 'e' && (*s->p == '-' || *s->p == '+') && isdigit((unsigned char)s->p[1]))
			s->p++;
	}
	return true;
}

/* Another word: a special register, a target. */
static bool word(struct hasm_scan *s, const char *opcode, struct hasm_operand *o, char **label)
{
	size_t n = hd__hasm_name(s);
	bool lower = false;

	for (size_t i = 0; i < n; i++)
		lower |= islower((unsigned char)s->p[i]);
	if (n == 0 || (!hd__hasm_branches(opcode) && lower))
		return hd__hasm_expected(s, "an operand");
	o->kind = HASM_SPECIAL;
	if (hd__hasm_branches(opcode)) {
		o->kind = HASM_TARGET;
		*label = hd__xstrndup(s->p, n);
	}
	s->p += n;
	return true;
}

static bool target(struct hasm_scan *s, struct hasm_operand *o, char **label)
{
	size_t n;

	s->p++;
	if (!hd__hasm_take(s, '('))
		return hd__hasm_expected(s, "'(' and the name of a label");
	n = hd__hasm_name(s);
	if (n == 0)
		return hd__hasm_expected(s, "the name of a label");
	o->kind = HASM_TARGET;
	*label = hd__xstrndup(s->p, n);
	s->p += n;
	return hd__hasm_take(s, ')') || hd__hasm_expected(s, "')'");
}

static bool list(struct hasm_scan *s, struct hasm_operand *o)
{
	uint64_t v;

	o->kind = HASM_LIST;
	s->p++;
	do {
		hd__hasm_blanks(s);
		if (!hd__hasm_number(s, &v) || v > 63)
			return hd__hasm_expected(s, "a number from 0 to 63");
		o->value |= INT64_C(1) << v;
	} while (hd__hasm_take(s, ','));
	return hd__hasm_take(s, '}') || hd__hasm_expected(s, "',' or '}'");
}

/* Without its signs. */
static bool core(struct hasm_scan *s, const char *opcode, struct hasm_operand *o, bool minus,
                 char **label)
{
	const struct file *f;
	size_t length;

	if (*s->p == '[' || strncmp(s->p, "desc[", 5) == 0 || strncmp(s->p, "c[", 2) == 0
	    || strncmp(s->p, "cx[", 3) == 0)
		return memory(s, o);
	if (*s->p == '{')
		return list(s, o);
	if (*s->p == '`')
		return target(s, o, label);
	if (isdigit((unsigned char)*s->p)) {
		bool good = number(s, o, minus);

		if (o->kind == HASM_INTEGER && hd__hasm_branches(opcode))
			o->kind = HASM_TARGET;
		return good;
	}
	f = find_register(s->p, &o->number, &length);
	if (!f)
		return word(s, opcode, o, label);
	o->kind = f->kind;
	if (!check_register(s, f, o->number, length))
		return false;
	s->p += length;
	suffixes(s, &o->wide, &o->reuse);
	return true;
}

/* As nvdisasm prints it: without blanks. */
static char *compact(const char *from, const char *to)
{
	char *text = hd__xcalloc((size_t)(to - from) + 1, 1), *at = text;

	for (; from < to; from++)
		if (!isspace((unsigned char)*from))
			*at++ = *from;
	return text;
}

bool hd__hasm_operand(struct hasm_scan *s, const char *opcode, struct hasm_operand *o, char **label)
{
	const char *start;
	bool minus = false, bars;

	hd__hasm_blanks(s);
	start = s->p;
	*label = NULL;
	*o = (struct hasm_operand){ .base = -1, .uniform = -1, .descriptor = -1,
	                            .column = hasm_column(s, s->p) };
	for (; *s->p == '-' || *s->p == '~' || *s->p == '!' || *s->p == '+'; s->p++) {
		minus |= *s->p == '-';
		o->negated |= *s->p == '!';
	}
	bars = *s->p == '|';
	s->p += bars;
	if (!core(s, opcode, o, minus, label))
		return false;
	if (bars && *s->p++ != '|') {
		s->p--;
		return hd__hasm_expected(s, "'|'");
	}
	if (bars)
		suffixes(s, &o->wide, &o->reuse);
	if (s->p - start > MAX_TEXT)
		return hd__hasm_bad(s, start, "an operand of more than %u characters", MAX_TEXT);
	o->text = compact(start, s->p);
	return true;
}

void hd__hasm_operand_free(struct hasm_operand *o)
{
	free(o->text);
	o->text = NULL;
}
