/* front_fetch.c - fetches for each sub-core the warp that issued last, then the youngest
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Front end.  One instance serves all sub-cores, warp w in sub-core w modulo their
 * number, and retires warps that have ended.
 */
#include <heddle/gpu/divergence.h>
#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/icache.h>
#include <heddle/gpu/scoreboard.h>

#define MAX_CORES 16u

enum { FOLLOW_TRACE, FOLLOW_SEQUENTIAL };

struct state {
	struct hd_ctx *ctx;
	struct hd_end out;
	struct hd_warps *warps;
	const struct hd_ibuffer *ibuffer;
	struct hd_ifs icache; /* by sub-core */
	const struct hd_scoreboard *scoreboard;
	const struct hd_divergence_if *divergence;
	uint32_t sub_cores, follow, launch;
	hd_warp_set mine[MAX_CORES], all;
	const hd_warp_set *no_room; /* of the buffer: warps that are not fetched for */
	uint8_t sent[HD_MAX_WARPS]; /* ring of the warps handed to decode */
	uint32_t nsent;
	hd_warp_set queued;        /* of them: not decoded */
	bool delays;               /* what decode takes may free its place later */
	uint32_t pc[HD_MAX_WARPS]; /* of a warp whose line is missing; sequential: of its next fetch */
	hd_warp_set under_way;     /* warps with a line that has not come, though they may be elsewhere since */
	uint32_t lines;            /* how many */
	hd_warp_set placed;        /* warps that have not been fetched for since they were placed, */
	uint64_t from[HD_MAX_WARPS]; /* and the edge from which they are */
	const struct hd_icache_if *of_core[MAX_CORES];
	bool cycles;               /* some of them have a routine for each edge */
	uint64_t fetches, misses, retries;
};

/* The last n warps that were handed over.  None is there twice, so the ring is long enough. */
static hd_warp_set on_the_way(const struct state *st, uint32_t n)
{
	hd_warp_set set = 0;

	while (n > 0)
		set |= hd_warp_bit(st->sent[(st->nsent - n--) % HD_MAX_WARPS]);
	return set;
}

static hd_warp_set fetchable(const struct state *st)
{
	const struct hd_warps *w = st->warps;

	return ~(w->exited | w->retired | *st->no_room | st->under_way | st->queued);
}

static void retire_drained(struct state *st, hd_warp_set set)
{
	struct hd_warps *w = st->warps;

	while (set) {
		uint32_t warp = hd_warp_pop(&set);

		if (hd_warp_drained(w, warp) && !hd_warp_in(st->scoreboard->busy, warp)
		    && !hd_warp_in(st->under_way | st->queued, warp))
			w->retire(w->self, warp);
	}
}

/* Warps whose lines have come are fetched for again.  Lines for nothing are dropped. */
static void take_lines(struct state *st, const struct hd_icache_if *icache)
{
	struct hd_warps *w = st->warps;
	uint32_t pc;
	int warp;

	while ((warp = icache->ready(icache->self, &pc)) >= 0) {
		st->under_way &= ~hd_warp_bit((uint32_t)warp);
		st->lines--;
		if (!hd_warp_in(w->missing, (uint32_t)warp) || st->pc[warp] != pc)
			continue;
		hd_warp_line_came(w, (uint32_t)warp);
		if (HD_UNLIKELY(st->ctx->observed))
			hd_warp_touch(w, (uint32_t)warp);
	}
}

static void wait_for_line(struct state *st, uint32_t warp, uint32_t pc)
{
	hd_warp_line_missing(st->warps, warp);
	st->pc[warp] = pc;
	st->under_way |= hd_warp_bit(warp);
	st->lines++;
	st->misses++;
	if (HD_UNLIKELY(st->ctx->observed))
		hd_warp_touch(st->warps, warp);
}

static void fetch(struct state *st, const struct hd_icache_if *icache, uint32_t warp)
{
	struct hd_warps *w = st->warps;
	const struct hd_divergence_if *d = st->divergence;
	bool sequential = st->follow == FOLLOW_SEQUENTIAL;
	bool from_path = !sequential || hd_warp_in(w->fresh | w->flushed, warp);
	uint32_t number = w->traced + warp, pc = from_path ? d->pc(d->self, number) : st->pc[warp];
	struct hd_fetched f = { .warp = (uint16_t)warp };

	switch (icache->access(icache->self, warp, pc)) {
	case HD_ICACHE_HIT:
		break;
	case HD_ICACHE_MISS:
		wait_for_line(st, warp, pc);
		return;
	case HD_ICACHE_FAIL:
		st->retries++;
		return;
	}
	if (sequential) {
		if (d->control_hazards)
			*d->control_hazards += hd_warp_in(w->flushed, warp);
		f.pc = pc;
		f.n = 1;
		st->pc[warp] = d->paths->next_pc(d->paths->self, number, pc);
	}
	hd_warp_fetched(w, warp);
	hd_put(&st->out, &f, sizeof f);
	st->sent[st->nsent++ % HD_MAX_WARPS] = (uint8_t)warp;
	st->queued |= hd_warp_bit(warp);
	st->fetches++;
}

static inline uint32_t choose(const struct hd_warps *w, hd_warp_set set)
{
	return set & w->issued_last ? hd_warp_first(set & w->issued_last) : hd_warps_youngest(w, set);
}

/* FE8: warps that were placed less than `launch` edges ago.  *next becomes the edge in which the first of them is
 * fetched for, if that is sooner. */
static hd_warp_set starting(struct state *st, uint64_t *next)
{
	hd_warp_set fresh = st->warps->fresh, waiting = 0;
	uint64_t now = hd_now(st->ctx);

	for (hd_warp_set set = fresh & ~st->placed; set;)
		st->from[hd_warp_pop(&set)] = now + st->launch;
	st->placed = fresh;
	for (hd_warp_set set = fresh; set;) {
		uint32_t warp = hd_warp_pop(&set);

		if (st->from[warp] <= now)
			continue;
		waiting |= hd_warp_bit(warp);
		*next = st->from[warp] < *next ? st->from[warp] : *next;
	}
	return waiting;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint32_t room = hd_room(&st->out);
	bool busy = st->lines || st->cycles; /* caches: lines come, or they have an edge of their own */
	hd_warp_set open, set, late = 0;
	uint64_t next = UINT64_MAX;

	if (room < st->sub_cores)
		return HD_NEXT; /* decode has some left, and wakes this instance only if there was no room */
	st->queued = on_the_way(st, hd_capacity(&st->out) - room);
	if (HD_UNLIKELY(st->launch && st->warps->fresh & st->all))
		late = starting(st, &next);
	open = fetchable(st) & ~late;
	for (uint32_t i = 0; i < st->sub_cores; i++) {
		const struct hd_icache_if *icache = st->of_core[i];

		if (HD_UNLIKELY(busy) && st->lines) {
			take_lines(st, icache);
			open = fetchable(st) & ~late;
		}
		set = open & st->mine[i];
		if (set)
			fetch(st, icache, choose(st->warps, set));
		if (HD_UNLIKELY(busy) && icache->cycle)
			icache->cycle(icache->self);
	}
	st->placed &= st->warps->fresh;
	if (HD_UNLIKELY(st->warps->drained))
		retire_drained(st, st->warps->drained);
	/* decode wakes this instance if there is room behind what is queued, and nothing does if that shows later */
	if ((fetchable(st) & st->all & ~late) || (st->queued && st->delays))
		return HD_NEXT;
	return late ? next - hd_now(st->ctx) : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	if (st->icache.n != 1 && st->icache.n != st->sub_cores)
		return hd_error(ctx, "%u links at port 'icache' and %u sub-cores; expected one link, or one "
		                "for each", st->icache.n, st->sub_cores);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (!hd_warps_claim(st->warps, &st->warps->fetch, st->ctx->self))
		return hd_error(st->ctx, "another instance fetches for the same warps; expected one");
	if (hd_expect_capacity(st->ctx, &st->out, st->sub_cores, "fetched", "one for each sub-core"))
		return -1;
	if (!st->ibuffer->refill_room)
		return hd_error(st->ctx, "the instruction buffer is refilled when it is empty; expected "
		                "'refill' to be \"room\"");
	if (st->follow == FOLLOW_SEQUENTIAL) {
		if (!st->divergence->paths)
			return hd_error(st->ctx, "'follow' is \"sequential\" and the trace source has no "
			                "programs of kernels; expected one that has");
		st->divergence->paths->claim(st->divergence->paths->self);
	}
	for (uint32_t i = 0; i < st->sub_cores; i++) {
		st->of_core[i] = st->icache.v[st->icache.n == 1 ? 0 : i];
		st->cycles |= st->of_core[i]->cycle != NULL;
	}
	st->no_room = &st->ibuffer->full;
	st->delays = hd_delays(&st->out);
	st->all = hd_warp_range(0, st->warps->count);
	for (uint32_t w = 0; w < st->warps->count; w++)
		st->mine[w % st->sub_cores] |= hd_warp_bit(w);
	for (uint32_t i = 0; i < st->icache.n; i++) {
		const struct hd_icache_if *icache = st->icache.v[i];

		if (icache->watch)
			icache->watch(icache->self, st->ctx->self);
	}
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, sent, from);
}

#define P(f) offsetof(struct state, f)

static const char *const follows[] = { [FOLLOW_TRACE] = "trace",
	[FOLLOW_SEQUENTIAL] = "sequential", NULL };

static const struct hd_param params[] = {
	{ .name = "sub_cores", .unit = "", .doc = "sub-cores, for each of which one instruction per cycle is "
	  "fetched", .type = HD_U32, .offset = P(sub_cores), .def = "4", .min = 1, .max = MAX_CORES },
	{ .name = "follow", .unit = "", .doc = "what is fetched: what the warp executes next; or what "
	  "is next in memory, until a control hazard shows that the warp is elsewhere",
	  .type = HD_CHOICE, .offset = P(follow), .def = "\"trace\"", .choices = follows },
	{ .name = "launch", .unit = "cycles", .doc = "from where a warp is placed until it is fetched for",
	  .type = HD_U32, .offset = P(launch), .def = "0", .max = 100000 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "fetched", .doc = "warps whose instructions arrived", .kind = HD_OUT,
	  .type = &hd_type_fetched, .offset = P(out) },
	{ .name = "warps", .doc = "running and ended warps", .kind = HD_USES, .flags = HD_WORK_OUT,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = "ibuffer", .doc = "buffered instructions", .kind = HD_USES, .flags = HD_NO_WORK,
	  .type = &hd_type_ibuffer, .offset = P(ibuffer) },
	{ .name = "icache", .doc = "sources of instructions: one for all sub-cores, or one for "
	  "each, in their order", .kind = HD_USES, .flags = HD_ARRAY, .type = &hd_type_icache_if,
	  .offset = P(icache) },
	{ .name = "scoreboard", .doc = "a warp with pending registers stays", .kind = HD_USES,
	  .flags = HD_NO_WORK, .type = &hd_type_scoreboard, .offset = P(scoreboard) },
	{ .name = "divergence", .doc = "the policy: where warps are, and where instructions lie",
	  .kind = HD_USES, .flags = HD_NO_WORK, .type = &hd_type_divergence_if,
	  .offset = P(divergence) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "fetches", .unit = "fetches", .doc = "instructions handed to decode",
	  .offset = P(fetches) },
	{ .name = "misses", .unit = "fetches", .doc = "fetches that missed in the instruction cache",
	  .offset = P(misses) },
	{ .name = "retries", .unit = "fetches", .doc = "fetches that the instruction cache refused",
	  .offset = P(retries) },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "under_way", .offset = P(under_way), .size = sizeof(hd_warp_set) },
	{ .name = NULL },
};

const struct hd_module hd_module_front_fetch = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "front_fetch",
	.doc = "fetches for each sub-core the warp that issued last, then the youngest",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};
