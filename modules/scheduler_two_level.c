/* scheduler_two_level.c - scheduling policy: round robin among a few active warps, others wait
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, P5.  At the start of each cycle active warps that are held, or
 * whose next instruction reads a register that a global or local load writes, go to the end of the
 * pending queue; those at its front take their places and take part at once.
 */
#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/sync.h>

#include <endian.h>

struct state {
	struct hd_sched_policy_if policy;
	struct hd_ctx *ctx;
	const struct hd_warps *warps;
	const struct hd_ibuffer *ibuffer;
	const struct hd_scoreboard *scoreboard;
	const struct hd_fence_if *fence;
	struct hd_pool *pool;
	uint32_t active_most;
	uint32_t nactive, head, npending;
	uint32_t place;                  /* of the warp that issues, at the start of the walk */
	hd_warp_set mine, taking_part;   /* all warps of the scheduler; the active ones */
	hd_warp_set loading;             /* those whose next instruction waits for a load */
	hd_warp_set passing;             /* of them: the scoreboard would let it pass all the same */
	hd_warp_set out;                 /* at the last begin(): warps that do not stay active */
	bool rotating;                    /* no other warp becomes active, so these only rotate */
	uint8_t active[HD_MAX_WARPS];    /* in round-robin order */
	uint8_t pending[HD_MAX_WARPS];   /* ring */
	uint64_t demotions;
};

static void append(struct state *st, uint8_t warp)
{
	st->pending[(st->head + st->npending++) % HD_MAX_WARPS] = warp;
}

static void bind(void *self, hd_warp_set mine)
{
	struct state *st = self;

	st->mine = mine;
	while (mine) {
		uint8_t warp = (uint8_t)hd_warp_pop(&mine);

		if (st->nactive < st->active_most)
			st->active[st->nactive++] = warp;
		else
			append(st, warp);
	}
}

/* The warp's next instruction waits for a load.  A separate function: most do not. */
static __attribute__((noinline)) void note_load(struct state *st, const struct hd_inst *inst,
                                                hd_warp_set bit)
{
	st->loading |= bit;
	if (!hd_scoreboard_collides(st->scoreboard, inst))
		st->passing |= bit;
}

/* The warp's next instruction has changed, or registers were written. */
static void look_at(struct state *st, uint32_t warp)
{
	hd_warp_set bit = hd_warp_bit(warp);
	const struct hd_inst *inst;

	st->loading &= ~bit;
	if (!(st->ibuffer->filled & bit))
		return;
	inst = hd_inst(st->pool, hd_ibuffer_head(st->ibuffer, warp));
	st->passing &= ~bit;
	for (unsigned i = 0; i < inst->nsrc; i++)
		if (hd_scoreboard_loads(st->scoreboard, warp, inst->src[i])) {
			note_load(st, inst, bit);
			return;
		}
}

static void changed(void *self, hd_warp_set set)
{
	while (set)
		look_at(self, hd_warp_pop(&set));
}

/* Replaces the active warps in `out` by the first pending ones. */
static void exchange(struct state *st, hd_warp_set out)
{
	hd_warp_set stay = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < st->nactive; i++) {
		uint8_t warp = st->active[i];

		if (hd_warp_in(out, warp)) {
			append(st, warp);
			st->demotions++;
		} else {
			st->active[kept++] = warp;
			stay |= hd_warp_bit(warp);
		}
	}
	while (kept < st->active_most && st->npending) {
		uint8_t warp = st->pending[st->head];

		st->active[kept++] = warp;
		stay |= hd_warp_bit(warp);
		st->head = (st->head + 1) % HD_MAX_WARPS;
		st->npending--;
	}
	st->nactive = kept;
	st->taking_part = stay;
}

/* Fences of active warps, and only of those, may end when they are polled. */
static hd_warp_set out_with_fences(const struct state *st, hd_warp_set out)
{
	for (uint32_t i = 0; i < st->nactive; i++) {
		hd_warp_set bit = hd_warp_bit(st->active[i]);

		if (!hd_warp_held(st->warps, st->fence, st->active[i]) && !(st->loading & bit))
			out &= ~bit;
	}
	return out;
}

/* True if all pending warps would have to leave at once again, and the walk finds the same
 * whichever of them is active: then every edge is like this one until a warp changes. */
static bool only_rotates(const struct state *st, hd_warp_set held_back)
{
	hd_warp_set loading = st->mine & st->loading & ~held_back; /* "wait for a register" */

	if ((st->mine & ~st->taking_part & ~st->out) || (loading & st->passing))
		return false;
	return loading == 0 || loading == (st->mine & st->out)
	       || (st->taking_part & ~st->out & st->ibuffer->filled);
}

/* Begins an edge in which fences are pending, or some active warp does not stay one. */
static __attribute__((noinline)) hd_warp_set begin_anew(struct state *st, hd_warp_set out,
                                                        hd_warp_set held_back, bool fences)
{
	st->out = fences ? out_with_fences(st, out) : out;
	if ((st->out & st->taking_part) || !st->taking_part)
		exchange(st, st->out);
	/* a dump records the active warps of each cycle */
	st->rotating = !fences && !st->ctx->observed && (st->out & st->taking_part)
	              && only_rotates(st, held_back);
	st->policy.needs_every_edge = fences || ((st->out & st->taking_part) && !st->rotating);
	return st->taking_part;
}

static hd_warp_set begin(void *self, hd_warp_set live)
{
	struct state *st = self;
	const struct hd_warps *w = st->warps;
	hd_warp_set held_back = w->exited | w->blocked, out = (held_back | st->loading) & st->mine;
	bool fences = (w->blocked_by[HD_BLOCK_FENCE] & st->mine) != 0;

	(void)live;
	if (fences || (out & st->taking_part) || !st->taking_part)
		return begin_anew(st, out, held_back, fences);
	st->out = out;
	st->rotating = st->policy.needs_every_edge = false; /* all stay as they are */
	return st->taking_part;
}

/* The effect of n calls of begin(). */
static void skipped(void *self, uint64_t n)
{
	struct state *st = self;
	uint8_t ring[HD_MAX_WARPS];
	uint32_t stay = 0, go, all = 0, at;

	if (!st->rotating)
		return;
	exchange(st, st->out);
	while (stay < st->nactive && !hd_warp_in(st->out, st->active[stay]))
		stay++;
	go = st->nactive - stay;
	for (uint32_t i = stay; i < st->nactive; i++)
		ring[all++] = st->active[i];
	for (uint32_t i = 0; i < st->npending; i++)
		ring[all++] = st->pending[(st->head + i) % HD_MAX_WARPS];
	at = (uint32_t)((n - 1) % all * go % all);
	st->demotions += (n - 1) * go;
	st->taking_part = 0;
	for (uint32_t i = 0; i < all; i++, at = at + 1 == all ? 0 : at + 1) {
		if (i < go)
			st->active[stay + i] = ring[at];
		else
			st->pending[(st->head + i - go) % HD_MAX_WARPS] = ring[at];
	}
	for (uint32_t i = 0; i < st->nactive; i++)
		st->taking_part |= hd_warp_bit(st->active[i]);
}

static uint32_t first(void *self, hd_warp_set set)
{
	const struct state *st = self;
	uint32_t i = 0;

	while (!hd_warp_in(set, st->active[i]))
		i++;
	return st->active[i];
}

/* Rotates the n bytes so that the first `at` of them are last; bytes after them may change. */
static void rotate(uint8_t *v, uint32_t n, uint32_t at)
{
	uint8_t first[HD_MAX_WARPS];
	uint64_t word;

	if (HD_LIKELY(n <= sizeof word)) { /* all at once */
		memcpy(&word, v, sizeof word);
		word = le64toh(word) & UINT64_MAX >> (64 - 8 * n);
		word = htole64(word >> 8 * at | word << 8 * (n - at));
		memcpy(v, &word, sizeof word);
		return;
	}
	memcpy(first, v, at);
	memmove(v, v + at, n - at);
	memcpy(v + n - at, first, at);
}

/* The active warps rotate until the one that issued comes last.  A second instruction rotates by
 * as much again: the reference remembers the place, not the warp. */
static void issued(void *self, uint32_t warp, uint32_t nth)
{
	struct state *st = self;
	uint32_t at;

	if (nth == 0)
		for (st->place = 0; st->active[st->place] != warp;)
			st->place++;
	at = (st->place + 1) % st->nactive;
	if (at > 0)
		rotate(st->active, st->nactive, at);
	look_at(st, warp);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	st->policy = (struct hd_sched_policy_if){ .self = st, .bind = bind, .changed = changed,
		                              .begin = begin, .first = first, .issued = issued,
		                              .skipped = skipped };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, nactive, pending);
	HD_SAVED(k, st->policy.needs_every_edge);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "active", .unit = "warps", .doc = "active warps", .type = HD_U32,
	  .offset = P(active_most), .def = "8", .min = 1, .max = HD_MAX_WARPS },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES, .flags = HD_ORDERED,
	  .type = &hd_type_sched_policy_if, .offset = P(policy) },
	{ .name = "warps", .doc = "blocked warps", .kind = HD_USES, .type = &hd_type_warps,
	  .offset = P(warps), .like = "policy" },
	{ .name = "ibuffer", .doc = "next instructions of warps", .kind = HD_USES,
	  .flags = HD_NO_WORK, .type = &hd_type_ibuffer, .offset = P(ibuffer), .like = "policy" },
	{ .name = "scoreboard", .doc = "registers that loads write", .kind = HD_USES,
	  .flags = HD_NO_WORK, .type = &hd_type_scoreboard, .offset = P(scoreboard),
	  .like = "policy" },
	{ .name = "fence", .doc = "polled for the end of fences", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_fence_if, .offset = P(fence), .like = "policy" },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "demotions", .unit = "warps", .doc = "moves of a warp to the pending queue",
	  .offset = P(demotions) },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "loading", .offset = P(loading), .size = sizeof(hd_warp_set) },
	{ .name = NULL },
};

const struct hd_module hd_module_scheduler_two_level = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scheduler_two_level",
	.doc = "scheduling policy: round robin among a few active warps, the others wait",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};
