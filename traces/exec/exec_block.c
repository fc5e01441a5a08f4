/* exec_block.c - thread blocks of a cluster: turns of their warps, barriers
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_check.h"

#define MOST_GIVEN_UP 1024u /* in struct exec_cluster */

/* Instructions of a warp until the next one has its turn.  On a device no warp is far ahead of others when it waits for
 * what it loads, and programs whose warps race depend on that. */
#define TURN 16u
#define YIELDS 64u   /* rounds in which all warps may have waited for another block, or cluster */
#define SOME 1024u   /* instructions of a block until the next one of its cluster has its turn */

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

/* Have all lanes of the cluster come to its barrier that have not exited? */
static bool all_joined(const struct exec_cluster *c)
{
	for (uint32_t b = 0; b < c->n; b++)
		for (uint32_t i = 0; i < c->block[b]->warps; i++)
			if (c->block[b]->warp[i].live & ~c->block[b]->warp[i].joined)
				return false;
	return true;
}

static void open_cluster(struct exec_cluster *c)
{
	if (!c->joined || !all_joined(c))
		return;
	c->joined = false;
	for (uint32_t b = 0; b < c->n; b++)
		for (uint32_t i = 0; i < c->block[b]->warps; i++) {
			struct exec_warp *w = &c->block[b]->warp[i];

			w->joined = 0;
			for (unsigned g = 0; g < w->groups; g++)
				if (w->group[g].state == EXEC_AT_CLUSTER)
					w->group[g].state = EXEC_READY;
		}
}

/* Something has happened: those that wait for a phase look again. */
static void look_again(struct exec_block *k)
{
	k->cluster->given_up = 0;
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

/* A wait that nothing ends. */
static void deadlock(struct exec_warp *w, const struct exec_group *g)
{
	static const char *const at[] = { "ready", "at BSYNC", "at WARPSYNC", "at barrier" };
	const char *of = w->block->cluster->n > 1 ? "cluster" : "block";
	bool behind = g->state == EXEC_AT_BARRIER || g->state == EXEC_AT_CLUSTER;
	char about[EXEC_WHY], where[EXEC_WHY + 80];

	if (w->block->check)
		hd__check_deadlock(w->block);
	if (g->state == EXEC_AT_PHASE)
		snprintf(where, sizeof where, "for the barrier at 0x%x of shared memory%s", g->need,
			 hd__exec_why_it_waits(w, g->need, about));
	else if (g->state == EXEC_AT_CLUSTER)
		snprintf(where, sizeof where, "at the barrier of the cluster");
	else
		snprintf(where, sizeof where, "%s %u", at[g->state], g->barrier);
	hd__exec_fail(w, g->pc - behind, g->mask, HD_EXEC_DEADLOCK, 0,
		      "a deadlock: no warp of the %s can go on; lanes 0x%08x of warp %u wait %s", of, g->mask,
		      w->number, where);
}

/* Names one that waits for a phase rather than one that waits for it elsewhere. */
static void deadlock_of(struct exec_cluster *c)
{
	struct exec_warp *first = NULL;

	for (uint32_t b = 0; b < c->n; b++)
		for (uint32_t i = 0; i < c->block[b]->warps && !c->block[b]->ended; i++) {
			struct exec_warp *w = &c->block[b]->warp[i];

			for (unsigned k = 0; k < w->groups; k++)
				if (w->group[k].state == EXEC_AT_PHASE) {
					deadlock(w, &w->group[k]);
					return;
				}
			if (!first && w->groups)
				first = w;
		}
	if (first)
		deadlock(first, &first->group[0]);
}

/* Lanes have arrived or exited, or a barrier in memory has changed. */
static void follow_changes(struct exec_block *k)
{
	look_again(k);
	open_barriers(k, false);
	open_cluster(k->cluster);
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
		if (k->changed)
			follow_changes(k);
	}
	return n;
}

static bool lives(const struct exec_block *k)
{
	for (uint32_t i = 0; i < k->warps; i++)
		if (k->warp[i].groups != 0)
			return true;
	return false;
}

/* What became of a block in its turn. */
enum end { GOES_ON, IDLE, STUCK, OVER };

/* Executes a block for about `most` instructions, until it ends, or until its warps may have waited for others for
 * `yields` rounds. */
static enum end block_turn(struct exec_block *k, uint64_t most, uint32_t yields, uint64_t *n)
{
	bool waits;

	if (k->changed)
		follow_changes(k);
	for (uint64_t done = 0; done < most;) {
		uint64_t now = round_of_turns(k, &waits);

		done += now;
		*n += now;
		if (!lives(k) || k->run->failed)
			return OVER;
		if (now == 0 && !can_go_on(k))
			return STUCK;
		k->idle = waits ? k->idle + 1 : 0;
		if (k->idle >= yields) {
			k->idle = 0;
			return IDLE;
		}
		if (*n > k->run->left)
			return GOES_ON;
	}
	return GOES_ON;
}

/* Tests of a phase have a time limit, after which they fail.  What repeats them for ever is a deadlock. */
static bool give_up(struct exec_cluster *c)
{
	bool any = false;

	if (c->given_up++ == MOST_GIVEN_UP)
		return false;
	for (uint32_t b = 0; b < c->n; b++)
		for (uint32_t i = 0; i < c->block[b]->warps && !c->block[b]->ended; i++)
			for (unsigned k = 0; k < c->block[b]->warp[i].groups; k++) {
				struct exec_group *g = &c->block[b]->warp[i].group[k];

				if (g->state != EXEC_AT_PHASE)
					continue;
				g->state = EXEC_READY;
				g->gives_up = any = true;
			}
	return any;
}

/* No warp can go on by itself.  Returns whether one can with what a GPU does then. */
static bool nothing_else(struct exec_cluster *c)
{
	bool any = false;

	for (uint32_t i = 0; i < c->n; i++)
		any |= !c->block[i]->ended && go_without(c->block[i]);
	any = any || give_up(c);
	if (!any)
		deadlock_of(c);
	return any;
}

bool hd__exec_cluster(struct exec_cluster *c, uint64_t most)
{
	bool alone = c->n == 1, failed = false;

	for (uint64_t n = 0; n < most && c->left && !failed;) {
		bool goes_on = false, idle = false;

		for (uint32_t i = 0; i < c->n && !failed; i++) {
			struct exec_block *k = c->block[i];
			enum end end;

			if (k->ended)
				continue;
			end = block_turn(k, alone ? most : SOME, alone ? YIELDS : 1, &n);
			failed = k->run->failed;
			k->ended = end == OVER;
			c->left -= k->ended;
			goes_on |= end == GOES_ON || end == OVER;
			idle |= end == IDLE;
			if (n > k->run->left)
				return false;
		}
		for (uint32_t i = 0; i < c->n; i++)
			goes_on |= !c->block[i]->ended && (c->block[i]->changed || can_go_on(c->block[i])) && !idle;
		c->idle = goes_on ? 0 : c->idle + 1;
		if (failed || goes_on)
			continue;
		if (!idle)
			failed = !nothing_else(c);
		else if (c->idle >= (alone ? 1 : YIELDS)) {
			c->idle = 0;
			return false;
		}
	}
	return failed || !c->left;
}
