/* roles.c - which registers an operand of an instruction reads or writes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The destinations are the first operands: a register, and the predicates in front of it and behind
 * it.  Widths follow from the parts of the opcode: 64 and 128 bits are two and four registers.
 */
#include "sass_inst.h"

#include <ctype.h>

/* Does the opcode have this part: in front of its first dot, or between dots? */
static bool part(const char *opcode, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = opcode; p; p = strchr(p, '.')) {
		p += p != opcode;
		if (strncmp(p, word, n) == 0 && (p[n] == '.' || p[n] == '\0'))
			return true;
	}
	return false;
}

static bool begins(const char *opcode, const char *const *words)
{
	for (; *words; words++)
		if (strncmp(opcode, *words, strlen(*words)) == 0)
			return true;
	return false;
}

static bool is(const char *opcode, const char *base)
{
	size_t n = strlen(base);

	return strncmp(opcode, base, n) == 0 && (opcode[n] == '.' || opcode[n] == '\0');
}

/* Opcodes without a destination: stores, jumps, barriers, waits. */
static const char *const silent[] = {
	"ST", "RED", "BAR", "BRA", "BRX", "BSYNC", "BREAK", "BPT", "JMP", "JMX", "EXIT", "RET",
	"CALL", "CAL", "NOP", "NANOSLEEP", "WARPSYNC", "DEPBAR", "MEMBAR", "ERRBAR", "CCTL", "LDGSTS",
	"LDGDEPBAR", "SUST", "SURED", "YIELD", "KILL", "SSY", "SYNC", "PBK", "BRK", "PCNT", "CONT", NULL,
};

/* Comparisons and votes: the predicates in front are what they write, two at most. */
static const char *const setters[] = {
	"ISETP", "FSETP", "DSETP", "HSETP2", "PSETP", "PLOP3", "UISETP", "UPSETP", "UPLOP3", "CSETP",
	"FCHK", NULL,
};

static bool is_predicate(const struct hasm_operand *o)
{
	return o->kind == HASM_PREDICATE || o->kind == HASM_UNIFORM_PREDICATE;
}

static bool is_result(const struct hasm_operand *o)
{
	return o->kind == HASM_REGISTER || o->kind == HASM_UNIFORM;
}

/* Textures: two registers in front, of which the second one gets the first two channels. */
static bool is_texture(const char *opcode)
{
	return is(opcode, "TEX") || is(opcode, "TLD") || is(opcode, "TLD4") || is(opcode, "TXD") || is(opcode, "TXQ")
	       || is(opcode, "TMML");
}

/* How many operands, from the first, are destinations. */
static unsigned destinations(const struct hasm_inst *i)
{
	unsigned most = begins(i->opcode, setters) ? 2 : 1, n = 0, front;

	if (is_texture(i->opcode))
		return i->n > 2 && is_predicate(&i->operand[0]) ? 3 : i->n > 1 && is_result(&i->operand[1]) ? 2 : 1;

	if (begins(i->opcode, silent) && !is(i->opcode, "REDUX"))
		return 0;
	while (n < i->n && n < most && is_predicate(&i->operand[n]) && !i->operand[n].negated)
		n++;
	if (most == 2)
		return n;
	front = n;
	if (n < i->n && (is_result(&i->operand[n]) || i->operand[n].kind == HASM_BARRIER
	                 || (n == 0 && i->operand[n].kind == HASM_SPECIAL)))
		n++;
	if (n == front || is(i->opcode, "P2R") || is(i->opcode, "SEL"))
		return n;
	/* carries and the like: IADD3 R4, P0, P1, ...; VOTE.ANY R0, PT, P0 has one */
	for (unsigned more = is(i->opcode, "VOTE") || is(i->opcode, "VOTEU") ? 1 : 2; more > 0; more--) {
		if (n + 1 >= i->n || !is_predicate(&i->operand[n]) || i->operand[n].negated)
			break;
		n++;
	}
	return n;
}

/* ---- widths ---- */

/* Registers of what a memory instruction moves. */
static unsigned moved(const char *opcode)
{
	if (is(opcode, "LDSM") || is(opcode, "STSM"))
		return part(opcode, "4") ? 4 : part(opcode, "2") ? 2 : 1;
	return part(opcode, "128") ? 4 : part(opcode, "64") || part(opcode, "U64") || part(opcode, "S64")
	       || part(opcode, "F64") ? 2 : 1;
}

/* Matrix instructions: registers of D, A, B, C. */
static const struct shape {
	const char *base, *parts[2];
	uint8_t count[4];
} shapes[] = { /* the first that fits */
	{ "HMMA", { "SP", "F32" }, { 4, 4, 4, 4 } },
	{ "HMMA", { "SP", NULL }, { 2, 4, 4, 2 } },
	{ "HMMA", { "16816", "F32" }, { 4, 4, 2, 4 } },
	{ "HMMA", { "16816", NULL }, { 2, 4, 2, 2 } },
	{ "HMMA", { "1688", "TF32" }, { 4, 4, 2, 4 } },
	{ "HMMA", { "1688", "F32" }, { 4, 2, 1, 4 } },
	{ "HMMA", { "1688", NULL }, { 2, 2, 1, 2 } },
	{ "HMMA", { "1684", NULL }, { 4, 2, 1, 4 } },
	{ "HMMA", { "F32", NULL }, { 4, 2, 2, 4 } },
	{ "HMMA", { NULL, NULL }, { 2, 2, 2, 2 } },
	{ "IMMA", { "SP", NULL }, { 4, 4, 4, 4 } },
	{ "IMMA", { "16816", NULL }, { 4, 2, 1, 4 } },
	{ "IMMA", { "16832", "U4" }, { 4, 2, 1, 4 } },
	{ "IMMA", { "16832", "S4" }, { 4, 2, 1, 4 } },
	{ "IMMA", { "16832", NULL }, { 4, 4, 2, 4 } },
	{ "IMMA", { "16864", NULL }, { 4, 4, 2, 4 } },
	{ "IMMA", { NULL, NULL }, { 2, 1, 1, 2 } },
	{ "BMMA", { "168128", NULL }, { 4, 2, 1, 4 } },
	{ "BMMA", { "168256", NULL }, { 4, 4, 2, 4 } },
	{ "BMMA", { NULL, NULL }, { 2, 1, 1, 2 } },
	{ "DMMA", { NULL, NULL }, { 4, 2, 2, 4 } },
};

static const struct shape *shape_of(const char *opcode)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct shape *s = &shapes[i];

		if (is(opcode, s->base) && (!s->parts[0] || part(opcode, s->parts[0]))
		    && (!s->parts[1] || part(opcode, s->parts[1])))
			return s;
	}
	return NULL;
}

/* Conversions name the type of the result first, if it is wide: F2F.F64.F32, I2F.F64, F2I.S64.F64. */
static unsigned converted(const char *opcode, bool result)
{
	static const char *const wide[] = { "F64", "S64", "U64", NULL };
	const char *types[2] = { NULL, NULL };
	unsigned n = 0;

	for (const char *p = strchr(opcode, '.'); p && n < 2; p = strchr(p + 1, '.'))
		if ((p[1] == 'F' || p[1] == 'S' || p[1] == 'U') && isdigit((unsigned char)p[2]))
			types[n++] = p + 1;
	if (n == 1) { /* the other is 32 bits */
		bool integer = types[0][0] != 'F';
		bool is_result = opcode[0] == 'I' ? !integer : integer || opcode[2] == 'F';

		return is_result == result && begins(types[0], wide) ? 2 : 1;
	}
	return n == 2 && begins(types[result ? 0 : 1], wide) ? 2 : 1;
}

/* Coordinates, and a layer, by the name of the dimensions. */
static unsigned dimensions(const char *name, bool *layers)
{
	*layers = strstr(name, "ARRAY") != NULL;
	return (strstr(name, "2D") ? 2 : strstr(name, "1D") ? 1 : strstr(name, "3D") || strstr(name, "CUBE") ? 3 : 0)
	       + *layers;
}

/* Registers of an operand of a texture: destinations have the channels of the mask behind the dimensions, two of them
 * in the second one; sources are a list, of which the coordinates, or two registers, .SCR, are in the first one. */
static unsigned texture_width(const struct hasm_inst *inst, unsigned i, bool written, unsigned sources_before)
{
	static const char *const others[] = { "LL", "LB", "AOFFI", "DC" };
	const struct hasm_operand *last = &inst->operand[inst->n - 1];
	unsigned masked = last->kind == HASM_INTEGER, at = inst->n > masked + 1 ? inst->n - 1 - masked : 1;
	unsigned channels = masked ? (unsigned)__builtin_popcount((unsigned)last->value & 15) : 4;
	bool layers, handle = inst->operand[at - 1].kind == HASM_REGISTER; /* it is in a register: a source */
	unsigned first = dimensions(inst->operand[at].text, &layers), rest = handle;

	if (written)
		return i + 1 == destinations(inst) ? (channels < 2 ? channels : 2) : channels > 2 ? channels - 2 : 0;
	if (is(inst->opcode, "TXQ") || inst->operand[i].kind == HASM_UNIFORM)
		return 1;
	if (is(inst->opcode, "TXD"))
		return sources_before ? 2 * (first - layers)
		       : first + handle + (!layers && part(inst->opcode, "AOFFI"));
	for (size_t k = 0; k < sizeof others / sizeof *others; k++)
		rest += part(inst->opcode, others[k]);
	if (part(inst->opcode, "SCR"))
		return first + rest <= 2 ? 1 : sources_before ? first + rest - 2 : 2;
	return sources_before ? rest + (rest == 0) : first;
}

static unsigned wide_base(const struct hasm_inst *inst, const struct hasm_operand *o)
{
	static const char *const globals[] = { "LDG", "STG", "LD.", "ST.", "ATOM.", "ATOMG", "RED.", NULL };
	bool layers;

	if (o->base < 0)
		return 0;
	if (is(inst->opcode, "SULD") || is(inst->opcode, "SUST") || is(inst->opcode, "SURED"))
		return dimensions(inst->opcode, &layers);
	if (is(inst->opcode, "LDGSTS") && o == inst->operand)
		return 1; /* shared memory */
	return o->wide || (begins(inst->opcode, globals) && part(inst->opcode, "E")
	                   && !strstr(o->text, ".U32") && o->uniform < 0) ? 2 : 1;
}

static unsigned width(const struct hasm_inst *inst, unsigned i, bool written, unsigned sources_before)
{
	const char *opcode = inst->opcode;
	const struct shape *s = shape_of(opcode);
	bool memory = false;

	if (s)
		return written ? s->count[0] : sources_before < 3 ? s->count[sources_before + 1] : 1;
	if (is_texture(opcode))
		return texture_width(inst, i, written, sources_before);
	for (unsigned k = 0; k < inst->n; k++)
		memory |= inst->operand[k].kind == HASM_ADDRESS;
	if (memory || is(opcode, "LDC") || is(opcode, "ULDC") || is(opcode, "LDCU"))
		return moved(opcode);
	if (inst->operand[i].wide)
		return 2;
	if (is(opcode, "DADD") || is(opcode, "DFMA") || is(opcode, "DMUL") || is(opcode, "DSETP")
	    || is(opcode, "DMNMX"))
		return 2;
	if (part(opcode, "64") && (is(opcode, "MOV") || is(opcode, "UMOV") || is(opcode, "SEL") || is(opcode, "USEL")
	                           || is(opcode, "IADD") || is(opcode, "ISETP") || is(opcode, "UISETP")
	                           || is(opcode, "IMNMX") || is(opcode, "UIMNMX")))
		return 2;
	if (is(opcode, "LEPC") || is(opcode, "UIADD3.64"))
		return 2;
	if (is(opcode, "MATCH"))
		return !written && part(opcode, "U64") ? 2 : 1;
	if (part(opcode, "WIDE"))
		return written || sources_before == 2 ? 2 : 1;
	if (is(opcode, "IMAD.HI"))
		return !written && sources_before == 2 ? 2 : 1;
	if (is(opcode, "CS2R"))
		return written && !part(opcode, "32") ? 2 : 1;
	if (is(opcode, "FRND"))
		return part(opcode, "F64") ? 2 : 1;
	if (is(opcode, "F2F") || is(opcode, "I2F") || is(opcode, "F2I"))
		return converted(opcode, written);
	if (is(opcode, "BRX") || is(opcode, "BRXU") || is(opcode, "RET") || is(opcode, "JMX") || is(opcode, "CALL"))
		return 2;
	return 1;
}

struct hasm_role hd__hasm_role(const struct hasm_inst *inst, unsigned i)
{
	const struct hasm_operand *o = &inst->operand[i];
	unsigned n = destinations(inst), before = 0;
	struct hasm_role r = { .writes = i < n };

	for (unsigned k = n; k < i; k++)
		before += inst->operand[k].kind != HASM_PREDICATE;
	if (is_result(o))
		r.count = o->number == HASM_RZ ? 0 : width(inst, i, r.writes, before);
	else if (o->kind == HASM_ADDRESS || o->kind == HASM_CONSTANT)
		r.count = wide_base(inst, o);
	else if (is_predicate(o))
		r.count = o->number != HASM_RZ;
	return r;
}
