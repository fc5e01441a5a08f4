/* hasm_lines.c - instructions as lines of a trace, tracer version 5
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "hasm_lines.h"

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

struct hasm_line hd__hasm_line(const struct hasm_inst *i)
{
	struct hasm_line l = { .memory = hd__hasm_accesses(i), .imm = hd__hasm_immediate(i) };
	uint16_t dst, src[HASM_OPERANDS];
	unsigned n = hd__hasm_registers(i, &dst, src);
	char *text;
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&text, &size));

	if (dst)
		fprintf(f, "1 R%u ", dst - 1u);
	else
		fputs("0 ", f);
	fprintf(f, "%s %u ", i->opcode, n);
	for (unsigned k = 0; k < n; k++)
		fprintf(f, "R%u ", src[k] - 1u);
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
