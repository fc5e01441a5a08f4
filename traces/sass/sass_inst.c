/* sass_inst.c - parses one instruction, as nvdisasm prints it, and the control field in front of it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sass_inst.h"


#include <ctype.h>

#define MAX_OPCODE 120u /* characters, as in a trace */
#define COUNTERS 6u
#define MAX_REGISTER 1023u /* more than any GPU has; the tracer's lines hold up to 255 */
#define MAX_TEXT 200u

/* ---- control field ---- */

/* A counter after its letter: "R2", "W-". */
static bool counter(struct hd_scan *s, char letter, uint8_t *to)
{
	char what[40];

	if (s->p[0] == letter && (s->p[1] == '-' || (s->p[1] >= '0' && s->p[1] < '0' + (int)COUNTERS))) {
		*to = s->p[1] == '-' ? HASM_NO_COUNTER : (uint8_t)(s->p[1] - '0');
		s->p += 2;
		return true;
	}
	snprintf(what, sizeof what, "%c0 to %c5, or %c-", letter, letter, letter);
	return hd__scan_expected(s, what);
}

static bool colon(struct hd_scan *s)
{
	return *s->p == ':' ? (s->p++, true) : hd__scan_expected(s, "':'");
}

static bool wait_mask(struct hd_scan *s, uint8_t *wait)
{
	if (*s->p != 'B')
		return hd__scan_expected(s, "B and six places: the counters waited for, as B01----");
	s->p++;
	for (unsigned i = 0; i < COUNTERS; i++, s->p++) {
		if (*s->p == (char)('0' + i))
			*wait |= (uint8_t)(1u << i);
		else if (*s->p != '-')
			return hd__scan_bad(s, s->p, "expected %u or - at place %u of the counters waited for, "
			                    "found '%c'", i, i + 1, isprint((unsigned char)*s->p) ? *s->p : ' ');
	}
	return true;
}

static bool stall(struct hd_scan *s, uint8_t *to)
{
	unsigned v;

	if (s->p[0] != 'S' || !isdigit((unsigned char)s->p[1]) || !isdigit((unsigned char)s->p[2]))
		return hd__scan_expected(s, "S and two digits: the stall, S00 to S15");
	v = (unsigned)(s->p[1] - '0') * 10 + (unsigned)(s->p[2] - '0');
	if (v > 15)
		return hd__scan_bad(s, s->p, "a stall of %u cycles; expected S00 to S15", v);
	*to = (uint8_t)v;
	s->p += 3;
	return true;
}

bool hd__hasm_control(struct hd_scan *s, struct hasm_control *c)
{
	*c = (struct hasm_control){ .read = HASM_NO_COUNTER, .write = HASM_NO_COUNTER };
	if (!hd__scan_take(s, '['))
		return true;
	c->given = true;
	if (!wait_mask(s, &c->wait) || !colon(s) || !counter(s, 'R', &c->read) || !colon(s)
	    || !counter(s, 'W', &c->write) || !colon(s))
		return false;
	c->yield = *s->p == 'Y';
	if (*s->p != 'Y' && *s->p != '-')
		return hd__scan_expected(s, "Y (the warp yields) or -");
	s->p++;
	if (!colon(s) || !stall(s, &c->stall))
		return false;
	return hd__scan_take(s, ']') || hd__scan_expected(s, "']'");
}

/* ---- operands ---- */

static bool branches(const char *opcode)
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

static bool check_register(struct hd_scan *s, const struct file *f, uint32_t number, size_t length)
{
	bool zero = f->zero && number == HASM_RZ && !isdigit((unsigned char)s->p[length - 1]);

	if (zero || number <= f->last)
		return true;
	if (f->zero)
		return hd__scan_bad(s, s->p, "'%.*s': expected %s0 to %s%u, or %s%c", (int)length, s->p,
		                    f->name, f->name, f->last, f->name, f->zero);
	return hd__scan_bad(s, s->p, "'%.*s': expected %s0 to %s%u", (int)length, s->p, f->name, f->name,
	                    f->last);
}

/* ".64", ".X4", ".reuse" and so on behind a register. */
static void suffixes(struct hd_scan *s, bool *wide, bool *reuse)
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
static bool terms(struct hd_scan *s, struct hasm_operand *o)
{
	do {
		const struct file *f;
		uint32_t number;
		size_t length;
		uint64_t v;
		bool minus;

		hd__scan_blanks(s);
		minus = *s->p == '-';
		s->p += minus;
		f = minus ? NULL : find_register(s->p, &number, &length);
		if (f && (f->kind == HASM_REGISTER || f->kind == HASM_UNIFORM)) {
			int32_t *to = f->kind == HASM_REGISTER ? &o->base : &o->uniform;

			if (!check_register(s, f, number, length))
				return false;
			if (*to >= 0)
				return hd__scan_bad(s, s->p, "a second '%s' register in an address", f->name);
			*to = (int32_t)number;
			s->p += length;
			suffixes(s, &o->wide, &o->reuse);
		} else if (hd__scan_number(s, &v)) {
			o->value += (int64_t)(minus ? 0 - v : v);
		} else {
			return hd__scan_expected(s, "a register R or UR, or an offset");
		}
		hd__scan_blanks(s);
	} while (hd__scan_take(s, '+') || *s->p == '-');
	return true;
}

static bool brackets(struct hd_scan *s, struct hasm_operand *o)
{
	if (!hd__scan_take(s, '['))
		return hd__scan_expected(s, "'['");
	if (!terms(s, o))
		return false;
	return hd__scan_take(s, ']') || hd__scan_expected(s, "'+' or ']'");
}

/* "[...]", "desc[UR4][...]", "c[0x0][0x160]", "cx[UR4][0x10]". */
static bool memory(struct hd_scan *s, struct hasm_operand *o)
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
static bool number(struct hd_scan *s, struct hasm_operand *o, bool minus)
{
	uint64_t v;

	o->kind = s->p[0] == '0' && (s->p[1] == 'x' || s->p[1] == 'X') ? HASM_INTEGER : HASM_FLOAT;
	if (o->kind == HASM_INTEGER) {
		if (!hd__scan_number(s, &v))
			return hd__scan_expected(s, "a number of at most 64 bits");
		o->value = (int64_t)(minus ? 0 - v : v);
		suffixes(s, &o->wide, &o->reuse);
		return true;
	}
	while (hd__scan_name(s) > 0) { /* "2D", too, and an exponent with its sign */
		s->p += hd__scan_name(s);
		if (s->p[-1] == 'e' && (*s->p == '-' || *s->p == '+') && isdigit((unsigned char)s->p[1]))
			s->p++;
	}
	return true;
}

/* Another word: a special register, a target. */
static bool word(struct hd_scan *s, const char *opcode, struct hasm_operand *o, char **label)
{
	size_t n = hd__scan_name(s);
	bool lower = false;

	for (size_t i = 0; i < n; i++)
		lower |= islower((unsigned char)s->p[i]);
	if (n == 0 || (!branches(opcode) && lower && (n != 4 || strncmp(s->p, "gsb0", n) != 0)))
		return hd__scan_expected(s, "an operand");
	o->kind = HASM_SPECIAL;
	if (branches(opcode)) {
		o->kind = HASM_TARGET;
		*label = hd__xstrndup(s->p, n);
	}
	s->p += n;
	return true;
}

static bool target(struct hd_scan *s, struct hasm_operand *o, char **label)
{
	size_t n;

	s->p++;
	if (!hd__scan_take(s, '('))
		return hd__scan_expected(s, "'(' and the name of a label");
	n = hd__scan_name(s);
	if (n == 0)
		return hd__scan_expected(s, "the name of a label");
	o->kind = HASM_TARGET;
	*label = hd__xstrndup(s->p, n);
	s->p += n;
	return hd__scan_take(s, ')') || hd__scan_expected(s, "')'");
}

static bool list(struct hd_scan *s, struct hasm_operand *o)
{
	uint64_t v;

	o->kind = HASM_LIST;
	s->p++;
	do {
		hd__scan_blanks(s);
		if (!hd__scan_number_to(s, 63, &v))
			return hd__scan_expected(s, "a number from 0 to 63");
		o->value |= INT64_C(1) << v;
	} while (hd__scan_take(s, ','));
	return hd__scan_take(s, '}') || hd__scan_expected(s, "',' or '}'");
}

/* "gdesc[UR4]": where matrices are in shared memory. */
static bool matrices(struct hd_scan *s, struct hasm_operand *o)
{
	const struct file *f;
	size_t length;

	s->p += 6;
	f = find_register(s->p, &o->number, &length);
	if (!f || f->kind != HASM_UNIFORM)
		return hd__scan_expected(s, "a register UR");
	if (!check_register(s, f, o->number, length))
		return false;
	o->kind = f->kind;
	s->p += length;
	return hd__scan_take(s, ']') || hd__scan_expected(s, "']'");
}

/* Without its signs. */
static bool core(struct hd_scan *s, const char *opcode, struct hasm_operand *o, bool minus,
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

		if (o->kind == HASM_INTEGER && branches(opcode))
			o->kind = HASM_TARGET;
		return good;
	}
	if (strncmp(s->p, "gdesc[", 6) == 0)
		return matrices(s, o);
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

static bool operand(struct hd_scan *s, const char *opcode, struct hasm_operand *o, char **label)
{
	const char *start;
	bool minus = false, bars;

	hd__scan_blanks(s);
	start = s->p;
	*label = NULL;
	*o = (struct hasm_operand){ .base = -1, .uniform = -1, .descriptor = -1,
	                            .column = scan_column(s, s->p) };
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
		return hd__scan_expected(s, "'|'");
	}
	if (bars)
		suffixes(s, &o->wide, &o->reuse);
	if (s->p - start > MAX_TEXT)
		return hd__scan_bad(s, start, "an operand of more than %u characters", MAX_TEXT);
	o->text = compact(start, s->p);
	return true;
}

static void free_operand(struct hasm_operand *o)
{
	free(o->text);
	o->text = NULL;
}

/* ---- the instruction ---- */

bool hd__hasm_guard(struct hd_scan *s, struct hasm_inst *i)
{
	if (!hd__scan_take(s, '@'))
		return true;
	i->guarded = true;
	i->guard_not = hd__scan_take(s, '!');
	i->guard_uniform = *s->p == 'U';
	s->p += i->guard_uniform;
	if (s->p[0] == 'P' && (s->p[1] == 'T' || (s->p[1] >= '0' && s->p[1] <= '6'))
	    && !isalnum((unsigned char)s->p[2])) {
		i->guard = s->p[1] == 'T' ? HASM_RZ : (uint32_t)(s->p[1] - '0');
		s->p += 2;
		return true;
	}
	return hd__scan_expected(s, "a predicate: P0 to P6, PT, UP0 to UP6, UPT");
}

/* Is an attribute next, "mask=..."? */
static bool attribute(const struct hd_scan *s)
{
	size_t n = hd__scan_name(s);

	return n > 0 && s->p[n] == '=';
}

/* Some operands follow a blank only: RET.REL.NODEC R20 0x0. */
static bool follows(struct hd_scan *s)
{
	return isdigit((unsigned char)*s->p) || *s->p == '`'
	       || (*s->p == '-' && isdigit((unsigned char)s->p[1]));
}

static bool operands(struct hd_scan *s, struct hasm_inst *i)
{
	bool comma = false;

	while (comma || !hd__scan_at_end(s)) {
		char *label;
		struct hasm_operand *o = &i->operand[i->n];

		hd__scan_blanks(s);
		if (!comma && (*s->p == ';' || *s->p == '}' || attribute(s)))
			break;
		if (!comma && i->n > 0 && !follows(s))
			return hd__scan_expected(s, "',' and an operand, mask=, addr= or the end of the line");
		if (i->n == HASM_OPERANDS)
			return hd__scan_bad(s, s->p, "more than %u operands", HASM_OPERANDS);
		i->n++;
		if (!operand(s, i->opcode, o, &label)) {
			free(label);
			return false;
		}
		if (label && i->label) {
			free(label);
			return hd__scan_bad(s, s->start + o->column - 1, "a second target");
		}
		if (label)
			i->label = label;
		comma = hd__scan_take(s, ',');
	}
	return true;
}

/* How many operands in front of its sources an instruction has that spells out the registers of its
 * result, or 0: only of these opcodes is the number of sources known. */
static unsigned spelled(const struct hasm_inst *i)
{
	unsigned plain = 0, at = 0;

	for (unsigned k = 0; k < i->n; k++)
		plain += i->operand[k].kind != HASM_PREDICATE;
	if (strncmp(i->opcode, "IMAD.WIDE", 9) == 0)
		return plain > 3 ? plain - 3 : 0;
	if (strncmp(i->opcode, "CS2R", 4) == 0)
		return i->n - 1;
	if (strncmp(i->opcode, "LD", 2) != 0)
		return 0;
	while (at < i->n && i->operand[at].kind == HASM_REGISTER)
		at++;
	return at < i->n && (i->operand[at].kind == HASM_ADDRESS || i->operand[at].kind == HASM_CONSTANT)
	       ? at : 0;
}

/* "IMAD.WIDE R2, R3, R6, R7, R8" is what nvdisasm prints without R3. */
static void fold_result(struct hasm_inst *i)
{
	unsigned n = spelled(i);

	if (n < 2 || n != hd__hasm_role(i, 0).count)
		return;
	for (unsigned k = 0; k < n; k++)
		if (i->operand[k].kind != HASM_REGISTER || i->operand[k].number != i->operand[0].number + k)
			return;
	for (unsigned k = 1; k < n; k++)
		free_operand(&i->operand[k]);
	memmove(&i->operand[1], &i->operand[n], (i->n - n) * sizeof *i->operand);
	i->n -= n - 1;
}

bool hd__hasm_inst(struct hd_scan *s, struct hasm_inst *i)
{
	size_t n;

	if (!hd__hasm_guard(s, i))
		return false;
	hd__scan_blanks(s);
	n = hd__scan_name(s);
	i->line = s->line;
	i->column = scan_column(s, s->p);
	if (n == 0 || !isupper((unsigned char)*s->p))
		return hd__scan_expected(s, "an instruction");
	if (n > MAX_OPCODE)
		return hd__scan_bad(s, s->p, "an opcode of more than %u characters", MAX_OPCODE);
	i->opcode = hd__xstrndup(s->p, n);
	s->p += n;
	if (!operands(s, i))
		return false;
	if (i->n > 0)
		fold_result(i);
	return true;
}

void hd__hasm_inst_free(struct hasm_inst *i)
{
	for (unsigned k = 0; k < i->n; k++)
		free_operand(&i->operand[k]);
	free(i->opcode);
	free(i->label);
	free(i->where);
}
