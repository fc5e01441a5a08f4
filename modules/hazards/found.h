/* found.h - private to hazards: what was found, each static instruction, register and kind once
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_HAZARDS_FOUND_H
#define MODULES_HAZARDS_FOUND_H

#include <heddle/gpu/trace.h>

#include <stdio.h>
#include <stdlib.h>

enum kind { RAW, WAW, WAR };

/* Field of a control word that would have prevented it. */
enum mend { STALL, YIELD, WAIT, WRITE, READ };

#define NOT_A_REGISTER UINT32_MAX

/* Instruction `code` came too early for what `other` does. */
struct found {
	uint32_t code, kernel, pc, opcode;
	uint32_t reg;      /* as in hd_inst, or */
	uint8_t predicate; /* 1 + that in hd_control.reads_p */
	uint8_t kind, mend;
	uint8_t counter;   /* that the field would name, or HD_NO_COUNTER */
	uint32_t other;    /* pc */
	uint32_t at;       /* pc whose control word it is */
	uint64_t cycles;   /* too early, most of them */
	uint64_t count;
	uint32_t next;     /* 1 + the next of the same code */
};

struct findings {
	struct found *v;
	uint32_t n, cap;
	uint32_t *of_code; /* 1 + the first */
	uint32_t codes;
};

static inline struct found found_at(const struct hd_inst *inst, enum kind kind, uint32_t reg, uint32_t other)
{
	return (struct found){ .code = inst->code, .kernel = inst->kernel, .pc = inst->pc,
		.opcode = inst->opcode, .reg = reg, .kind = (uint8_t)kind, .other = other, .at = inst->pc,
		.counter = HD_NO_COUNTER };
}

static bool same(const struct found *a, const struct found *b)
{
	return a->reg == b->reg && a->predicate == b->predicate && a->kind == b->kind
	       && a->other == b->other && a->kernel == b->kernel;
}

/* The room is doubled.  Returns false without memory. */
static bool findings_room(struct findings *f, uint32_t code)
{
	if (code >= f->codes) {
		uint32_t n = code + 256;
		uint32_t *v = realloc(f->of_code, n * sizeof *v);

		if (!v)
			return false;
		memset(v + f->codes, 0, (n - f->codes) * sizeof *v);
		f->of_code = v;
		f->codes = n;
	}
	if (f->n == f->cap) {
		uint32_t cap = f->cap ? 2 * f->cap : 64;
		struct found *v = realloc(f->v, cap * sizeof *v);

		if (!v)
			return false;
		f->v = v;
		f->cap = cap;
	}
	return true;
}

/* Counts it.  Returns 1 + its place; 0 without memory. */
static uint32_t findings_add(struct findings *f, const struct found *like)
{
	uint32_t i;

	if (!findings_room(f, like->code))
		return 0;
	for (i = f->of_code[like->code]; i && !same(&f->v[i - 1], like);)
		i = f->v[i - 1].next;
	if (!i) {
		f->v[f->n] = *like;
		f->v[f->n].next = f->of_code[like->code];
		i = f->of_code[like->code] = ++f->n;
	}
	f->v[i - 1].count++;
	if (f->v[i - 1].cycles < like->cycles)
		f->v[i - 1].cycles = like->cycles;
	return i;
}

static int found_order(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

#define BY(m) if (x->m != y->m) return x->m < y->m ? -1 : 1
	BY(kernel);
	BY(pc);
	BY(code);
	BY(kind);
	BY(reg);
	BY(predicate);
	BY(other);
#undef BY
	return 0;
}

/* ---- as text -------------------------------------------------------------------------------------- */

static const char *kind_text(const struct found *f)
{
	static const char *const text[] = { [RAW] = "raw", [WAW] = "waw", [WAR] = "war" };

	return text[f->kind];
}

static void name_text(const struct found *f, char *to, size_t size)
{
	if (f->predicate)
		snprintf(to, size, "%sP%d", f->predicate > 8 ? "U" : "", (f->predicate - 1) % 8);
	else
		snprintf(to, size, "R%u", f->reg - 1);
}

static void mend_text(const struct found *f, char *to, size_t size)
{
	static const char *const text[] = { [STALL] = "stall", [YIELD] = "yield", [WAIT] = "wait",
		[WRITE] = "write", [READ] = "read" };

	if (f->mend == WAIT && f->counter != HD_NO_COUNTER)
		snprintf(to, size, "wait for SB%u", f->counter);
	else
		snprintf(to, size, "%s", text[f->mend]);
}

static void findings_free(struct findings *f)
{
	free(f->v);
	free(f->of_code);
}

static void findings_saved(struct findings *f, struct hd_checkpoint *k)
{
	uint32_t n = (uint32_t)hd_saved_number(k, f->n, 1u << 24);
	uint32_t codes = (uint32_t)hd_saved_number(k, f->codes, 1u << 28);

	if (hd_loads(k)) {
		findings_free(f);
		*f = (struct findings){ .v = calloc(n + 1, sizeof *f->v),
			                .of_code = calloc(codes + 1, sizeof *f->of_code) };
		if (!f->v || !f->of_code) {
			hd_refuse(k, "out of memory for %u findings", n);
			return;
		}
		f->n = f->cap = n;
		f->codes = codes;
	}
	if (n)
		hd_saved(k, f->v, n * sizeof *f->v);
	if (codes)
		hd_saved(k, f->of_code, codes * sizeof *f->of_code);
}

#endif
