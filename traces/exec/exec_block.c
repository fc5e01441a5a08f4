/* exec_block.c - a thread block: turns of its warps, barriers
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_check.h"

/* Instructions of a warp until the next one has its turn.  On a device no warp is far ahead of others when it waits for
 * what it loads, and programs whose warps race depend on that. */
#define TURN 16u
#define YIELDS 64u   /* rounds in which all warps may have waited for another block */

/* Threads that have come, and that are still to come: of a warp all of whose lanes have come 32 count.  `without`:
 * of a warp that has come, lanes at convergence barriers are not waited for. */
static bool is_complete(const struct exec_block *k, const struct exec_barrier *b, bool without)
{
	uint32_t threads = 0;

	for (uint32_t i = 0; i < k->warps; i++) {
		uint32_t live = k->warp[i].live;

		if (without && b->lanes[i])
			live &= ~hd__exec_at_bsync(&k->warp[i]);
		if (b->expected == 0 && live & ~b->lanes[i])
			return false;
		if (b->lanes[i])
			threads += live & ~b->lanes[i] ? (uint32_t)__builtin_popcount(b->lanes[i]) : EXEC_LANES;
	}
	return threads > 0 && threads >= b->expected;
}

/* Lets the warps go on that wait at a complete barrier. */
static void open_barriers(struct exec_block *k, bool without)
{
	k->changed = false;
	for (uint8_t n = 0; n < EXEC_BARRIERS; n++) {
		struct exec_barrier *b = &k->barrier[n];

		if (!is_complete(k, b, without))
			continue;
		if (k->check)
			hd__check_open(k, n);
		for (uint32_t i = 0; i < k->warps; i++) {
			struct exec_warp *w = &k->warp[i];

			for (unsigned g = 0; g < w->groups; g++)
				if (w->group[g].state == EXEC_AT_BARRIER && w->group[g].barrier == n) {
					w->group[g].state = EXEC_READY;
					if (b->any)
						w->reduced = b->result;
				}
		}
		*b = (struct exec_barrier){ 0 };
	}
}

/* Something has happened: those that wait for a phase look again. */
static void look_again(struct exec_block *k)
{
	for (uint32_t i = 0; i < k->warps; i++)
		for (unsigned g = 0; g < k->warp[i].groups; g++)
			if (k->warp[i].group[g].state == EXEC_AT_PHASE)
				k->warp[i].group[g].state = EXEC_READY;
}

static bool can_go_on(const struct exec_block *k)
{
	for (uint32_t i = 0; i < k->warps; i++)
		for (unsigned g = 0; g < k->warp[i].groups; g++)
			if (k->warp[i].group[g].state == EXEC_READY)
				return true;
	return false;
}

/* What a GPU does about a barrier in a branch that some lanes of a warp did not take: they wait where the branch ends,
 * and the others pass the barrier without them.  Returns whether a warp can go on. */
static bool go_without(struct exec_block *k)
{
	bool any = false;

	for (uint32_t i = 0; i < k->warps; i++)
		any |= hd__exec_go_without(&k->warp[i]);
	if (!any)
		open_barriers(k, true);
	return can_go_on(k);
}

static void deadlock(struct exec_block *k)
{
	static const char *const at[] = { "ready", "BSYNC", "WARPSYNC", "barrier" };

	if (k->check)
		hd__check_deadlock(k);
	for (uint32_t i = 0; i < k->warps; i++) {
		struct exec_warp *w = &k->warp[i];
		const struct exec_group *g = &w->group[0];

		if (w->groups == 0)
			continue;
		if (g->state == EXEC_AT_PHASE) {
			hd__exec_fail(w, g->pc, g->mask, HD_EXEC_DEADLOCK, 0,
				      "a deadlock: no warp of the block can go on; lanes 0x%08x of "
				      "warp %u wait for the barrier at 0x%x of shared memory",
				      g->mask, w->number, g->need);
			return;
		}
		hd__exec_fail(w, g->state == EXEC_AT_BARRIER ? g->pc - 1 : g->pc, g->mask, HD_EXEC_DEADLOCK, 0,
			      "a deadlock: no warp of the block can go on; lanes 0x%08x of warp %u wait at %s %u",
			      g->mask, w->number, at[g->state], g->barrier);
		return;
	}
}

/* One turn of each warp.  Returns the instructions that were executed; *waits: all of them may wait for other
 * blocks. */
static uint64_t round_of_turns(struct exec_block *k, bool *waits)
{
	uint64_t before, n = 0;

	*waits = true;
	for (uint32_t i = 0; i < k->warps && !k->run->failed; i++) {
		struct exec_warp *w = &k->warp[i];
		enum exec_stop stop;

		if (w->groups == 0)
			continue;
		before = w->instructions;
		stop = hd__exec_warp(w, TURN);
		n += w->instructions - before;
		if (stop == EXEC_TURN || k->changed)
			*waits = false;
		if (k->changed) {
			look_again(k);
			open_barriers(k, false);
		}
	}
	return n;
}

bool hd__exec_block(struct exec_block *k, uint64_t most)
{
	uint64_t n = 0;
	bool waits;

	while (n < most) {
		uint64_t now = round_of_turns(k, &waits);
		bool lives = false;

		n += now;
		for (uint32_t i = 0; i < k->warps; i++)
			lives |= k->warp[i].groups != 0;
		if (!lives || k->run->failed)
			return true;
		if (now == 0 && !can_go_on(k) && !go_without(k)) {
			deadlock(k);
			return true;
		}
		k->idle = waits ? k->idle + 1 : 0;
		if (k->idle >= YIELDS) {
			k->idle = 0;
			return false;
		}
		if (now > k->run->left)
			return false;
	}
	return false;
}
