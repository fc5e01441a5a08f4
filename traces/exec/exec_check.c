/* exec_check.c - looks for faults of kernels: what the machine tells of instructions, blocks and barriers
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_check.h"
#include "exec_ops.h"

/* ---- blocks ---- */

void hd__check_block_new(struct exec_block *k)
{
	struct exec_block_check *b = hd__xcalloc(1, sizeof *b);

	k->check = b;
	b->written = hd__xcalloc(k->run->shared / 8, 1);
	b->cell = hd__xcalloc(k->run->shared / 4, sizeof *b->cell);
	for (uint32_t i = 0; i < k->warps; i++) {
		k->warp[i].check = hd__xcalloc(1, sizeof *k->warp->check);
		k->warp[i].check->written = hd__xcalloc((size_t)k->run->local / 4 * EXEC_LANES, 1);
	}
}

void hd__check_block_free(struct exec_block *k)
{
	for (uint32_t i = 0; i < k->warps; i++) {
		free(k->warp[i].check->written);
		free(k->warp[i].check);
	}
	free(k->check->written);
	free(k->check->cell);
	free(k->check);
}

void hd__check_block_begin(struct exec_block *k)
{
	struct exec_block_check *b = k->check;

	memset(b->written, 0, k->run->shared / 8);
	memset(b->joined, 0, sizeof b->joined);
	memset(b->acquired, 0, sizeof b->acquired);
	b->begun = k->run->x->check->time;
	for (uint32_t i = 0; i < k->warps; i++) {
		struct exec_warp_check *w = k->warp[i].check;
		unsigned char *written = w->written;

		memset(written, 0, (size_t)k->run->local / 4 * EXEC_LANES);
		*w = (struct exec_warp_check){ .written = written };
		memset(w->unset, 255, EXEC_NOWHERE * sizeof *w->unset);
		memset(w->unset_p, 255, sizeof w->unset_p);
		w->unset_p[EXEC_PT] = w->unset_p[EXEC_PT + EXEC_UP] = 0;
	}
}

/* ---- barriers ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void hd__check_arrive(struct exec_warp *w, uint32_t number)
{
	struct exec_block_check *b = w->block->check;
	uint64_t *joined = b->joined[number];

	for (uint32_t i = 0; i < w->block->warps; i++)
		joined[i] = later(joined[i], w->check->known[i]);
	joined[w->number] = w->run->x->check->time;
	b->acquired[number] = later(b->acquired[number], w->check->acquired);
}

/* Those who wait go on. */
void hd__check_open(struct exec_block *k, uint32_t number)
{
	struct exec_block_check *b = k->check;

	for (uint32_t i = 0; i < k->warps; i++) {
		struct exec_warp *w = &k->warp[i];
		bool waits = false;

		for (unsigned g = 0; g < w->groups; g++)
			waits |= w->group[g].state == EXEC_AT_BARRIER && w->group[g].barrier == number;
		for (uint32_t j = 0; waits && j < k->warps; j++)
			w->check->known[j] = later(w->check->known[j], b->joined[number][j]);
		if (waits)
			w->check->acquired = later(w->check->acquired, b->acquired[number]);
	}
	memset(b->joined[number], 0, sizeof b->joined[number]);
	b->acquired[number] = 0;
}

/* The instruction at which a group stands. */
static uint32_t stands_at(const struct exec_group *g)
{
	return g->state == EXEC_AT_BARRIER ? g->pc - 1 : g->pc;
}

/* A barrier of the block, or else of lanes, at which some wait, and threads that are elsewhere. */
void hd__check_deadlock(struct exec_block *k)
{
	struct exec_warp *at = NULL;
	const struct exec_group *first = NULL;

	for (uint32_t i = 0; i < k->warps; i++)
		for (unsigned g = 0; g < k->warp[i].groups; g++) {
			const struct exec_group *x = &k->warp[i].group[g];

			if (first && (first->state == EXEC_AT_BARRIER || x->state != EXEC_AT_BARRIER))
				continue;
			first = x;
			at = &k->warp[i];
		}
	for (uint32_t i = 0; first && i < k->warps; i++)
		for (unsigned g = 0; g < k->warp[i].groups; g++) {
			const struct exec_group *x = &k->warp[i].group[g];
			struct exec_other other;

			if (x->state == first->state && x->barrier == first->barrier
			    && (x->state == EXEC_AT_BARRIER || x->pc == first->pc))
				continue;
			other = hd__check_other(&k->warp[i], stands_at(x), k->number, i,
						(unsigned)__builtin_ctz(x->mask));
			hd__check_find(at, stands_at(first), (unsigned)__builtin_ctz(first->mask),
				       HD_EXEC_BARRIER_ERROR, 0, &other,
				       "waits for ever at a barrier that other threads of the block do not reach");
			return;
		}
	if (first)
		hd__check_find(at, stands_at(first), (unsigned)__builtin_ctz(first->mask), HD_EXEC_BARRIER_ERROR, 0,
			       NULL, "waits for ever at a barrier that not enough threads of the block reach");
}

/* A barrier of the block that lanes reach without the others of their warp. */
static void divergent(struct exec_warp *w, uint32_t pc, uint32_t lanes)
{
	uint32_t others = w->live & ~lanes;
	struct exec_other other;

	for (unsigned g = 0; g < w->groups; g++) {
		const struct exec_group *x = &w->group[g];
		uint32_t apart = x->mask & others;

		if (!apart)
			continue;
		other = hd__check_other(w, g == w->current ? pc : stands_at(x), w->block->number, w->number,
		                        (unsigned)__builtin_ctz(apart));
		hd__check_find(w, pc, (unsigned)__builtin_ctz(lanes), HD_EXEC_BARRIER_ERROR, 0, &other,
			       "lanes 0x%08x reach a barrier of the block without lanes 0x%08x of their warp", lanes,
			       others);
		return;
	}
}

/* Lanes that wait for the same lanes are as if they had been active together once all are there. */
static void warpsync(struct exec_warp *w, const struct exec_op *o, uint32_t active)
{
	uint32_t need = row(w, o->b)[__builtin_ctz(active)], here = active;

	need = need ? need : EXEC_ALL;
	for (unsigned g = 0; g < w->groups; g++)
		if (w->group[g].state == EXEC_AT_WARPSYNC && w->group[g].need == need)
			here |= w->group[g].mask;
	if (!(need & w->live & ~here))
		hd__check_together(w, here);
}

static bool is_fence(const struct exec_warp *w, uint32_t pc, const struct exec_op *o)
{
	enum { MEMBAR = 0x192 };
	const struct exec_code *c = &w->run->image->code[o->code];
	const unsigned char *p = c->words + (size_t)(pc - c->first) * SASS_BYTES;

	return (p[0] | (p[1] & 1) << 8) == MEMBAR;
}

void hd__check_instruction(struct exec_warp *w, uint32_t pc, uint32_t active, uint32_t lanes)
{
	enum { ARV = 8 };
	const struct exec_op *o = &w->run->image->op[pc];

	if (o->async && lanes && !w->run->failed) {
		hd__exec_fail(w, pc, lanes, HD_EXEC_UNKNOWN, 0,
			      "an instruction of a unit beside the warps, which is not followed "
			      "when faults are looked for");
		return;
	}
	w->run->x->check->time++;
	hd__check_together(w, active);
	hd__check_registers(w, pc, o, active, lanes);
	if (o->flow == EXEC_NOTHING && is_fence(w, pc, o))
		w->check->fenced = w->run->x->check->time;
	else if (o->flow == EXEC_PLAIN && o->access && lanes)
		hd__check_memory(w, pc, o, lanes);
	else if (o->flow == EXEC_BARRIER && lanes && o->x != ARV && w->live & ~lanes)
		divergent(w, pc, lanes);
	else if (o->flow == EXEC_WARPSYNC && lanes)
		warpsync(w, o, lanes);
}
