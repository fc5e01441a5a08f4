/* hasm_lines.c - instructions as lines of a trace, tracer versions 5 and 6
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "hasm_lines.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>

#define MAX_REGISTER 255u /* that a line may have */

/* Bytes that a lane accesses: the first part of the opcode that is a number of bits, with U or S in
 * front or not; smaller numbers count something else, as the 4 in LDSM.16.M88.4. */
static unsigned width(const char *opcode)
{
	for (const char *p = opcode; (p = strchr(p, '.')) != NULL;) {
		const char *digits = ++p;
		unsigned bits = 0, n = 0;

		digits += *p == 'U' || *p == 'S';
		for (; n < 4 && isdigit((unsigned char)digits[n]); n++)
			bits = bits * 10 + (unsigned)(digits[n] - '0');
		if (n > 0 && (digits[n] == '.' || digits[n] == '\0') && bits >= 8)
			return bits / 8;
	}
	return 4;
}

/* The register of an operand that a line has: -1 for none. */
static int32_t line_register(const struct hasm_operand *o)
{
	int32_t r = o->kind == HASM_REGISTER ? (int32_t)o->number : o->kind == HASM_ADDRESS ? o->base : -1;

	return r <= (int32_t)MAX_REGISTER ? r : -1;
}

unsigned hd__hasm_registers(const struct hasm_inst *i, uint16_t *dst, uint16_t src[HASM_OPERANDS])
{
	unsigned n = 0;

	*dst = 0;
	for (unsigned k = 0; k < i->n; k++) {
		int32_t r = line_register(&i->operand[k]);

		if (r >= 0 && k == 0 && i->operand[k].kind == HASM_REGISTER)
			*dst = (uint16_t)(r + 1);
		else if (r >= 0)
			src[n++] = (uint16_t)(r + 1);
	}
	return n;
}

int32_t hd__hasm_immediate(const struct hasm_inst *i)
{
	int32_t imm = 0;

	for (unsigned k = 0; k < i->n; k++)
		if (i->operand[k].kind == HASM_INTEGER || i->operand[k].kind == HASM_TARGET)
			imm = (int32_t)(uint32_t)i->operand[k].value;
	return imm;
}

bool hd__hasm_accesses(const struct hasm_inst *i)
{
	for (unsigned k = 0; k < i->n; k++)
		if (i->operand[k].kind == HASM_ADDRESS)
			return true;
	return false;
}

bool hd__hasm_never(const struct hasm_inst *i)
{
	return i->guarded && i->guard == HASM_RZ && i->guard_not;
}

bool hd__hasm_beyond(const struct hasm_inst *i)
{
	for (unsigned k = 0; k < i->n; k++) {
		const struct hasm_operand *o = &i->operand[k];

		if ((o->kind == HASM_REGISTER && o->number > MAX_REGISTER)
		    || (o->kind == HASM_ADDRESS && o->base > (int32_t)MAX_REGISTER))
			return true;
	}
	return false;
}

static bool begins(const struct hasm_inst *i, const char *word)
{
	return strncmp(i->opcode, word, strlen(word)) == 0;
}

bool hd__hasm_bulk(const struct hasm_inst *i)
{
	static const char *const names[] = { "UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG", "UBLKCP", "UBLKPF",
		"UBLKRED" };

	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (begins(i, names[k]))
			return true;
	return false;
}

bool hd__hasm_reports(const struct hasm_inst *i)
{
	return begins(i, "UTMALDG") || (begins(i, "UBLKCP") && !strstr(i->opcode, ".G.S"))
	       || (begins(i, "UBLKRED") && strstr(i->opcode, ".S.S"));
}

bool hd__hasm_group(const struct hasm_inst *i)
{
	return i->opcode[0] && strncmp(i->opcode + 1, "GMMA", 4) == 0;
}

bool hd__hasm_names_barrier(const struct hasm_inst *i)
{
	unsigned n = 0;

	for (unsigned k = 0; k < i->n; k++)
		n += i->operand[k].kind == HASM_INTEGER;
	return begins(i, "BAR.") && n > 1;
}

static bool is_last(const struct hasm_inst *i)
{
	return i->n > 0 && i->operand[i->n - 1].kind == HASM_SPECIAL && strcmp(i->operand[i->n - 1].text, "gsb0") == 0;
}

/* The register that a line of version 6 has of an operand, of an address the uniform one if there is one: "UR4 ". */
static unsigned put_source(const struct hasm_operand *o, FILE *f)
{
	int32_t plain = line_register(o);
	int32_t uniform = o->kind == HASM_UNIFORM ? (int32_t)o->number : o->kind == HASM_ADDRESS ? o->uniform : -1;

	if (uniform >= 0)
		fprintf(f, "UR%d ", uniform == (int32_t)HASM_RZ ? 63 : uniform);
	else if (plain >= 0)
		fprintf(f, "R%d ", plain);
	return uniform >= 0 || plain >= 0;
}

/* Destination, opcode and sources of a line of version 6. */
static void put_all(const struct hasm_inst *i, struct hasm_line *l, FILE *f)
{
	bool dst = i->n > 0 && (i->operand[0].kind == HASM_REGISTER || i->operand[0].kind == HASM_UNIFORM);
	unsigned n = 0;
	char *text;
	size_t size;
	FILE *list = hd__xcheck(open_memstream(&text, &size));

	l->dsts = dst;
	for (unsigned k = dst; k < i->n; k++)
		n += put_source(&i->operand[k], list);
	fclose(list);
	fprintf(f, "%d ", dst);
	if (dst)
		put_source(&i->operand[0], f);
	fprintf(f, "%s %u %s", i->opcode, n, text);
	free(text);
	l->values = dst + n;
	if (hd__hasm_group(i))
		fprintf(f, "%d ", is_last(i));
}

/* Number and threads of a barrier. */
static void take_named(const struct hasm_inst *i, struct hasm_line *l)
{
	unsigned n = 0;

	for (unsigned k = 0; k < i->n; k++) {
		if (i->operand[k].kind != HASM_INTEGER)
			continue;
		if (n++ == 0)
			l->imm = (int32_t)i->operand[k].value;
		else
			l->second = (int32_t)i->operand[k].value;
	}
}

struct hasm_line hd__hasm_line(const struct hasm_inst *i, bool all)
{
	struct hasm_line l = { .memory = hd__hasm_accesses(i), .imm = hd__hasm_immediate(i), .all = all };
	uint16_t dst, src[HASM_OPERANDS];
	unsigned n = hd__hasm_registers(i, &dst, src);
	char *text;
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&text, &size));

	if (all) {
		put_all(i, &l, f);
		l.bulk = hd__hasm_bulk(i);
		if (begins(i, "BAR."))
			take_named(i, &l);
	} else {
		if (dst)
			fprintf(f, "1 R%u ", dst - 1u);
		else
			fputs("0 ", f);
		fprintf(f, "%s %u ", i->opcode, n);
		for (unsigned k = 0; k < n; k++)
			fprintf(f, "R%u ", src[k] - 1u);
	}
	if (!l.bulk)
		fprintf(f, "%u ", !l.memory ? 0 : begins(i, "SYNCS") || begins(i, "ARRIVES") ? 8 : width(i->opcode));
	fclose(f);
	l.middle = hd__xcheck(text);
	return l;
}

static bool is_run(uint32_t mask)
{
	uint32_t low = mask & -mask;

	return (mask & (mask + low)) == 0;
}

/* A stride if two or more neighbouring lanes have one, else the differences from active lane to
 * active lane; without active lanes a stride of nothing.  Returns the end. */
static char *put_addresses(char *p, uint32_t mask, const uint64_t *addr)
{
	int n = __builtin_popcount(mask);
	int64_t stride = n > 1 ? (int64_t)(addr[1] - addr[0]) : 0;
	bool strided = n > 1 && is_run(mask) && stride >= INT32_MIN && stride <= INT32_MAX;

	if (n == 0)
		return stpcpy(p, "1 0x0 0 ");
	for (int i = 2; i < n; i++)
		strided = strided && (int64_t)(addr[i] - addr[i - 1]) == stride;
	p += sprintf(p, "%d 0x%" PRIx64 " ", strided ? 1 : 2, addr[0]);
	if (strided)
		return p + sprintf(p, "%" PRId64 " ", stride);
	for (int i = 1; i < n; i++)
		p += sprintf(p, "%" PRId64 " ", (int64_t)(addr[i] - addr[i - 1]));
	return p;
}

static HD_PRINTF(2, 3) void put(struct hd_bytes *b, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	hd__bytes_append(b, text, strlen(text));
}

uint64_t hd__hasm_box_pieces(const struct hasm_box *x)
{
	uint64_t pieces = x->bytes > 0;

	for (uint32_t i = 0; i < x->dimensions; i++)
		pieces *= x->count[i];
	return pieces;
}

/* What a bulk copy moves: bytes of each piece, the barrier, bytes in all, the first address, and from there the way
 * from piece to piece. */
static void put_bulk(struct hd_bytes *b, const struct hasm_more *m, const uint64_t *addr)
{
	struct hasm_box none = { 0 };
	const struct hasm_box *x = m->box ? m->box : &none;
	uint32_t at[HASM_DIMENSIONS] = { 0 };
	uint64_t pieces = hd__hasm_box_pieces(x), bytes;

	bytes = m->tx > pieces * x->bytes ? m->tx : pieces * x->bytes;
	put(b, "%" PRIu32 " %" PRIx64 " %d ", x->bytes, m->bar, m->ctas != 0);
	if (m->ctas)
		put(b, "%" PRIx64 " ", m->ctas);
	put(b, "%" PRIu64 " %" PRIu64 " 4 %" PRIx64 " %" PRIu64, bytes,
	    bytes - pieces * x->bytes, addr ? *addr : 0, pieces);
	for (uint64_t n = 1; n < pieces; n++) {
		int64_t step = 0;

		for (uint32_t i = 0; i < x->dimensions; i++) {
			step += x->stride[i];
			if (++at[i] < x->count[i])
				break;
			step -= (int64_t)x->count[i] * x->stride[i];
			at[i] = 0;
		}
		put(b, " %" PRId64, step);
	}
	hd__bytes_append(b, " ", 1);
}

/* The values of registers, of which only the last is known. */
static void put_values(struct hd_bytes *b, const struct hasm_line *l, const struct hasm_more *m, const uint64_t *addr)
{
	unsigned same = 1;

	while (same < HASM_LANES && m->value[same] == m->value[0])
		same++;
	hd__bytes_append(b, "Val", 3);
	for (unsigned i = 0; i + 1 < l->values; i++)
		put(b, " 1 %" PRIx64, i == l->dsts && addr ? *addr : 0);
	put(b, " %u", same == HASM_LANES ? 1 : HASM_LANES);
	for (unsigned i = 0; i < (same == HASM_LANES ? 1 : HASM_LANES); i++)
		put(b, " %" PRIx64, m->value[i]);
	hd__bytes_append(b, " \n", 2);
}

void hd__hasm_put(struct hd_bytes *b, uint32_t pc, uint32_t mask, const struct hasm_line *l,
                  const uint64_t *addr, const struct hasm_more *more)
{
	size_t middle = strlen(l->middle);
	char *start = (char *)hd__bytes_room(b, middle + 64 + HASM_LANES * 24), *p = start;

	p += sprintf(p, "%04" PRIx32 " %08" PRIx32 " ", pc, mask);
	p = mempcpy(p, l->middle, middle);
	if (l->bulk) {
		b->n += (size_t)(p - start);
		put_bulk(b, more, mask ? addr : NULL);
		start = p = (char *)hd__bytes_room(b, 64);
	} else if (l->memory) {
		p = put_addresses(p, mask, addr);
	}
	p += sprintf(p, "%" PRId32, l->imm);
	p += l->all ? sprintf(p, " %" PRId32, l->second) : 0;
	if (l->all && !l->bulk && more && more->valued && l->values > l->dsts + 1) {
		*p++ = ' ';
		b->n += (size_t)(p - start);
		put_values(b, l, more, mask ? addr : NULL);
		return;
	}
	p += sprintf(p, l->all ? " NoVal \n" : " \n");
	b->n += (size_t)(p - start);
}
