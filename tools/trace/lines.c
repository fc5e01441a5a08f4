/* lines.c - instructions as lines of a trace, tracer version 5
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "lines.h"

#include <ctype.h>
#include <inttypes.h>

#define MAX_REGISTER 255u /* that a line may have */

/* Bytes that a lane accesses: the first part of the opcode that is a number of bits, with U or S in
 * front or not; smaller numbers count something else, as the 4 in LDSM.16.M88.4. */
static unsigned width(const char *opcode)
{
	for (const char *p = opcode; (p = strchr(p, '.')) != NULL;) {
		const char *digits = ++p;
		unsigned bits = 0, n = 0;

		digits += *p == 'U' || *p == 'S';
		for (; isdigit((unsigned char)digits[n]) && n < 4; n++)
			bits = bits * 10 + (unsigned)(digits[n] - '0');
		if (n > 0 && (digits[n] == '.' || digits[n] == '\0') && bits >= 8)
			return bits / 8;
	}
	return 4;
}

/* The register of an operand that a line has: -1 for none. */
static int32_t line_register(const struct hasm_operand *o)
{
	if (o->kind == HASM_REGISTER)
		return (int32_t)o->number;
	return o->kind == HASM_ADDRESS ? o->base : -1;
}

unsigned hd__hasm_sources(const struct hasm_inst *i)
{
	unsigned n = 0;

	for (unsigned k = 0; k < i->n; k++) {
		int32_t r = line_register(&i->operand[k]);

		n += r >= 0 && r <= (int32_t)MAX_REGISTER && (k > 0 || i->operand[k].kind != HASM_REGISTER);
	}
	return n;
}

struct hasm_line hd__hasm_line(const struct hasm_inst *i, bool *beyond)
{
	struct hasm_line l = { 0 };
	bool destination = i->n > 0 && i->operand[0].kind == HASM_REGISTER;
	char *text;
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&text, &size));

	if (destination && i->operand[0].number > MAX_REGISTER)
		destination = false, *beyond = true;
	if (destination)
		fprintf(f, "1 R%" PRIu32 " ", i->operand[0].number);
	else
		fputs("0 ", f);
	fprintf(f, "%s %u ", i->opcode, hd__hasm_sources(i));
	for (unsigned k = 0; k < i->n; k++) {
		const struct hasm_operand *o = &i->operand[k];
		int32_t r = line_register(o);

		l.memory |= o->kind == HASM_ADDRESS;
		if (o->kind == HASM_INTEGER || o->kind == HASM_TARGET)
			l.imm = (int32_t)(uint32_t)o->value;
		*beyond |= r > (int32_t)MAX_REGISTER;
		if (r >= 0 && r <= (int32_t)MAX_REGISTER && (k > 0 || o->kind != HASM_REGISTER))
			fprintf(f, "R%" PRId32 " ", r);
	}
	fprintf(f, "%u ", l.memory ? width(i->opcode) : 0);
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

void hd__hasm_put(struct hd_bytes *b, uint32_t pc, uint32_t mask, const struct hasm_line *l,
                  const uint64_t *addr)
{
	size_t middle = strlen(l->middle);
	char *start = (char *)hd__bytes_room(b, middle + 64 + HASM_LANES * 24), *p = start;

	p += sprintf(p, "%04" PRIx32 " %08" PRIx32 " ", pc, mask);
	p = mempcpy(p, l->middle, middle);
	if (l->memory)
		p = put_addresses(p, mask, addr);
	p += sprintf(p, "%" PRId32 " \n", l->imm);
	b->n += (size_t)(p - start);
}
