/* sass_inst.c - parses one instruction, as nvdisasm prints it, and the control field in front of it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sass_inst.h"

#include "roles.h"

#include <ctype.h>

#define MAX_OPCODE 120u /* characters, as in a trace */
#define COUNTERS 6u

/* ---- control field ---- */

/* A counter after its letter: "R2", "W-". */
static bool counter(struct hasm_scan *s, char letter, uint8_t *to)
{
	char what[40];

	if (s->p[0] == letter && (s->p[1] == '-' || (s->p[1] >= '0' && s->p[1] < '0' + (int)COUNTERS))) {
		*to = s->p[1] == '-' ? HASM_NO_COUNTER : (uint8_t)(s->p[1] - '0');
		s->p += 2;
		return true;
	}
	snprintf(what, sizeof what, "%c0 to %c5, or %c-", letter, letter, letter);
	return hd__hasm_expected(s, what);
}

static bool colon(struct hasm_scan *s)
{
	return *s->p == ':' ? (s->p++, true) : hd__hasm_expected(s, "':'");
}

static bool wait_mask(struct hasm_scan *s, uint8_t *wait)
{
	if (*s->p != 'B')
		return hd__hasm_expected(s, "B and six places: the counters waited for, as B01----");
	s->p++;
	for (unsigned i = 0; i < COUNTERS; i++, s->p++) {
		if (*s->p == (char)('0' + i))
			*wait |= (uint8_t)(1u << i);
		else if (*s->p != '-')
			return hd__hasm_bad(s, s->p, "expected %u or - at place %u of the counters waited for, "
			                    "found '%c'", i, i + 1, isprint((unsigned char)*s->p) ? *s->p : ' ');
	}
	return true;
}

static bool stall(struct hasm_scan *s, uint8_t *to)
{
	unsigned v;

	if (s->p[0] != 'S' || !isdigit((unsigned char)s->p[1]) || !isdigit((unsigned char)s->p[2]))
		return hd__hasm_expected(s, "S and two digits: the stall, S00 to S15");
	v = (unsigned)(s->p[1] - '0') * 10 + (unsigned)(s->p[2] - '0');
	if (v > 15)
		return hd__hasm_bad(s, s->p, "a stall of %u cycles; expected S00 to S15", v);
	*to = (uint8_t)v;
	s->p += 3;
	return true;
}

bool hd__hasm_control(struct hasm_scan *s, struct hasm_control *c)
{
	*c = (struct hasm_control){ .read = HASM_NO_COUNTER, .write = HASM_NO_COUNTER };
	if (!hd__hasm_take(s, '['))
		return true;
	c->given = true;
	if (!wait_mask(s, &c->wait) || !colon(s) || !counter(s, 'R', &c->read) || !colon(s)
	    || !counter(s, 'W', &c->write) || !colon(s))
		return false;
	c->yield = *s->p == 'Y';
	if (*s->p != 'Y' && *s->p != '-')
		return hd__hasm_expected(s, "Y (the warp yields) or -");
	s->p++;
	if (!colon(s) || !stall(s, &c->stall))
		return false;
	return hd__hasm_take(s, ']') || hd__hasm_expected(s, "']'");
}

/* ---- the instruction ---- */

bool hd__hasm_guard(struct hasm_scan *s, struct hasm_inst *i)
{
	if (!hd__hasm_take(s, '@'))
		return true;
	i->guarded = true;
	i->guard_not = hd__hasm_take(s, '!');
	i->guard_uniform = *s->p == 'U';
	s->p += i->guard_uniform;
	if (s->p[0] == 'P' && (s->p[1] == 'T' || (s->p[1] >= '0' && s->p[1] <= '6'))
	    && !isalnum((unsigned char)s->p[2])) {
		i->guard = s->p[1] == 'T' ? HASM_RZ : (uint32_t)(s->p[1] - '0');
		s->p += 2;
		return true;
	}
	return hd__hasm_expected(s, "a predicate: P0 to P6, PT, UP0 to UP6, UPT");
}

/* Is an attribute next, "mask=..."? */
static bool attribute(const struct hasm_scan *s)
{
	size_t n = hd__hasm_name(s);

	return n > 0 && s->p[n] == '=';
}

/* Some operands follow a blank only: RET.REL.NODEC R20 0x0. */
static bool follows(struct hasm_scan *s)
{
	return isdigit((unsigned char)*s->p) || *s->p == '`'
	       || (*s->p == '-' && isdigit((unsigned char)s->p[1]));
}

static bool operands(struct hasm_scan *s, struct hasm_inst *i)
{
	bool comma = false;

	while (comma || !hd__hasm_at_end(s)) {
		char *label;
		struct hasm_operand *o = &i->operand[i->n];

		hd__hasm_blanks(s);
		if (!comma && (*s->p == ';' || *s->p == '}' || attribute(s)))
			break;
		if (!comma && i->n > 0 && !follows(s))
			return hd__hasm_expected(s, "',' and an operand, mask=, addr= or the end of the line");
		if (i->n == HASM_OPERANDS)
			return hd__hasm_bad(s, s->p, "more than %u operands", HASM_OPERANDS);
		i->n++;
		if (!hd__hasm_operand(s, i->opcode, o, &label)) {
			free(label);
			return false;
		}
		if (label && i->label) {
			free(label);
			return hd__hasm_bad(s, s->start + o->column - 1, "a second target");
		}
		if (label)
			i->label = label;
		comma = hd__hasm_take(s, ',');
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
		hd__hasm_operand_free(&i->operand[k]);
	memmove(&i->operand[1], &i->operand[n], (i->n - n) * sizeof *i->operand);
	i->n -= n - 1;
}

bool hd__hasm_inst(struct hasm_scan *s, struct hasm_inst *i)
{
	size_t n;

	if (!hd__hasm_guard(s, i))
		return false;
	hd__hasm_blanks(s);
	n = hd__hasm_name(s);
	i->line = s->line;
	i->column = hasm_column(s, s->p);
	if (n == 0 || !isupper((unsigned char)*s->p))
		return hd__hasm_expected(s, "an instruction");
	if (n > MAX_OPCODE)
		return hd__hasm_bad(s, s->p, "an opcode of more than %u characters", MAX_OPCODE);
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
		hd__hasm_operand_free(&i->operand[k]);
	free(i->opcode);
	free(i->label);
}
