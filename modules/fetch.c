/* fetch.c - selects the next warp to fetch for, round robin, and retires warps on the way
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Fetch, Sequential fetch and End of a warp.  The scan stops at the first warp that can
 * be fetched, so warps after it are retired later (F5).
 */
#include <heddle/gpu/divergence.h>
#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/icache.h>
#include <heddle/gpu/map.h>
#include <heddle/gpu/scoreboard.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_end out;
	struct hd_warps *warps;
	const struct hd_ibuffer *ibuffer;
	const hd_warp_set *no_room; /* of the buffer: warps that are not fetched for */
	const struct hd_icache_if *icache;
	const struct hd_scoreboard *scoreboard;
	const struct hd_touch_if *touch;
	const struct hd_divergence_if *divergence;
	uint32_t code_base, follow;
	uint8_t sent[HD_MAX_WARPS]; /* ring of the warps handed over */
	uint32_t nsent;
	bool delays;     /* what decode takes may free its place later */
	uint32_t last;    /* last warp fetched */
	uint32_t pc[HD_MAX_WARPS]; /* of a warp whose line is missing; sequential: of its next fetch */
	uint32_t under_way;        /* lines that have not arrived, also those for nothing */
	uint8_t lines[HD_MAX_WARPS]; /* of them, by warp */
	uint64_t fetches, misses, retries;
};

enum { FOLLOW_TRACE, FOLLOW_SEQUENTIAL };

/* Warps that decode has not taken yet.  None is there twice, so the ring is long enough. */
static hd_warp_set on_the_way(const struct state *st, uint32_t n)
{
	hd_warp_set set = 0;

	while (n > 0)
		set |= hd_warp_bit(st->sent[(st->nsent - n--) % HD_MAX_WARPS]);
	return set;
}

static hd_warp_set fetchable(const struct state *st, hd_warp_set queued)
{
	const struct hd_warps *w = st->warps;

	return ~(w->exited | w->retired | *st->no_room | w->missing | queued);
}

/* Retires the drained ones among the warps.  What is fetched for a warp that has ended comes first,
 * so that nothing of it meets the next warp of its slot. */
static inline void retire_drained(struct state *st, hd_warp_set set, hd_warp_set queued)
{
	set &= ~queued;
	while (set) {
		uint32_t warp = hd_warp_pop(&set);

		if (hd_warp_drained(st->warps, warp) && !hd_warp_in(st->scoreboard->busy, warp)
		    && !st->lines[warp])
			st->warps->retire(st->warps->self, warp);
	}
}

/* Hands the warp to decode.  Returns the set of it alone. */
static inline hd_warp_set deliver(struct state *st, struct hd_fetched f)
{
	hd_put(&st->out, &f, sizeof f);
	st->sent[st->nsent++ % HD_MAX_WARPS] = (uint8_t)f.warp;
	st->fetches++;
	return hd_warp_bit(f.warp);
}

static void wait_for_line(struct state *st, uint32_t warp, uint32_t pc)
{
	hd_warp_line_missing(st->warps, warp);
	st->pc[warp] = pc;
	st->lines[warp]++;
	st->under_way++;
	st->misses++;
	if (HD_UNLIKELY(st->ctx->observed))
		hd_warp_touch(st->warps, warp); /* it waits for something else now */
}

/* How many instructions one fetch at pc brings: not more than decode takes, and none of another
 * line.  The next fetch of the warp begins behind them. */
static uint16_t reach(struct state *st, uint32_t warp, uint32_t pc)
{
	const struct hd_paths_if *p = st->divergence->paths;
	uint32_t rest = st->icache->rest ? st->icache->rest(st->icache->self, pc) : UINT32_MAX;
	uint32_t at = pc;
	uint16_t n = 0;

	do
		at = p->next_pc(p->self, st->warps->traced + warp, at);
	while (++n < st->ibuffer->width && at - pc < rest);
	st->pc[warp] = at;
	return n;
}

static hd_warp_set deliver_line(struct state *st, uint32_t warp, uint32_t pc)
{
	struct hd_fetched f = { .pc = pc, .warp = (uint16_t)warp };

	if (st->follow == FOLLOW_SEQUENTIAL)
		f.n = reach(st, warp, pc);
	return deliver(st, f);
}

/* What is next in memory; of a new warp, or behind a control hazard, what is next on its path.  Returns the
 * warps handed over. */
static __attribute__((noinline, cold)) hd_warp_set access_next_line(struct state *st, uint32_t warp)
{
	struct hd_warps *w = st->warps;
	const struct hd_divergence_if *d = st->divergence;
	uint32_t pc = hd_warp_in(w->fresh | w->flushed, warp) ? d->pc(d->self, w->traced + warp)
	                                                      : st->pc[warp];
	enum hd_icache_status status;

	hd_touch(st->touch, (uint64_t)pc + st->code_base, w->sm, *st->ctx->cycle);
	status = st->icache->access(st->icache->self, warp, pc);
	if (status == HD_ICACHE_FAIL) {
		st->retries++;
		return 0;
	}
	if (d->control_hazards)
		*d->control_hazards += hd_warp_in(w->flushed, warp);
	hd_warp_fetched(w, warp);
	if (status == HD_ICACHE_HIT)
		return deliver_line(st, warp, pc);
	wait_for_line(st, warp, pc);
	return 0;
}

static inline hd_warp_set access_line(struct state *st, uint32_t warp)
{
	uint32_t pc = st->warps->npc[warp];
	enum hd_icache_status status;

	st->last = warp;
	if (HD_UNLIKELY(st->follow == FOLLOW_SEQUENTIAL))
		return access_next_line(st, warp);
	hd_touch(st->touch, (uint64_t)pc + st->code_base, st->warps->sm, *st->ctx->cycle);
	status = st->icache->access(st->icache->self, warp, pc);
	if (HD_LIKELY(status == HD_ICACHE_HIT))
		return deliver(st, (struct hd_fetched){ .warp = (uint16_t)warp });
	if (status == HD_ICACHE_MISS)
		wait_for_line(st, warp, pc);
	else
		st->retries++;
	return 0;
}

/* A warp whose line has arrived, -1: none.  Lines for nothing are dropped: their warp has ended or
 * is elsewhere since. */
static int arrived(struct state *st)
{
	struct hd_warps *w = st->warps;
	uint32_t pc;
	int warp;

	while ((warp = st->icache->ready(st->icache->self, &pc)) >= 0) {
		bool awaited = hd_warp_in(w->missing, (uint32_t)warp) && st->pc[warp] == pc;

		st->lines[warp]--;
		st->under_way--;
		if (awaited)
			hd_warp_line_came(w, (uint32_t)warp);
		if (awaited && !hd_warp_in(w->exited, (uint32_t)warp))
			break;
	}
	return warp;
}

/* Retires those that the scan finds on its way: from upper on around the ring to the one that is fetched for. */
static __attribute__((noinline)) void retire_before(struct state *st, hd_warp_set wanted, hd_warp_set upper,
                                                    hd_warp_set queued)
{
	hd_warp_set ended = st->warps->drained;

	if (wanted & upper) {
		retire_drained(st, ended & upper & hd_warp_before(hd_warp_first(wanted & upper)), queued);
	} else if (wanted) {
		retire_drained(st, ended & (upper | hd_warp_before(hd_warp_first(wanted))), queued);
	} else {
		retire_drained(st, ended & upper, queued);
		retire_drained(st, ended & ~upper, queued);
	}
}

/* From last+1 around the ring to the first warp that can be fetched.  Slots that the SM does not
 * have are retired.  Returns the warps handed over. */
static inline hd_warp_set scan(struct state *st, hd_warp_set wanted, hd_warp_set queued)
{
	const struct hd_warps *w = st->warps;
	hd_warp_set upper = hd_warp_above(st->last);

	if (HD_UNLIKELY(w->drained))
		retire_before(st, wanted, upper, queued);
	if (!wanted)
		return 0;
	return access_line(st, hd_warp_first(wanted & upper ? wanted & upper : wanted));
}

/* A warp whose line has arrived is handed over: the set of it, or of none. */
static __attribute__((noinline)) hd_warp_set take_arrived(struct state *st)
{
	int warp = arrived(st);

	if (warp < 0)
		return 0;
	if (HD_UNLIKELY(st->ctx->observed))
		hd_warp_touch(st->warps, (uint32_t)warp); /* now it waits for decode */
	return deliver_line(st, (uint32_t)warp, st->pc[warp]);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint32_t room = hd_room(&st->out);
	hd_warp_set queued, wanted, delivered = 0; /* queued: handed over and not yet decoded */

	if (room == 0)
		return HD_SLEEP; /* decode has not taken the last one; it wakes this instance */
	queued = on_the_way(st, hd_capacity(&st->out) - room);
	if (HD_UNLIKELY(st->under_way))
		delivered = take_arrived(st);
	wanted = fetchable(st, queued | delivered);
	if (HD_LIKELY(!delivered))
		delivered = scan(st, wanted, queued);
	wanted &= ~(delivered | st->warps->missing);
	if (st->icache->cycle)
		st->icache->cycle(st->icache->self);
	/* the scan may have stopped before warps that have drained; decode wakes this instance, but not for a place
	 * that is free later */
	if (wanted || st->under_way || (st->delays && (queued | delivered)) || (delivered && st->warps->drained))
		return HD_NEXT;
	return HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->ctx = ctx;
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (!hd_warps_claim(st->warps, &st->warps->fetch, st->ctx->self))
		return hd_error(st->ctx, "another instance fetches for the same warps; expected one");
	if (st->follow == FOLLOW_SEQUENTIAL) {
		if (!st->divergence)
			return hd_error(st->ctx, "'follow' is \"sequential\" and port 'divergence' is open; "
			                "expected a link to the policy that groups lanes");
		if (!st->divergence->paths)
			return hd_error(st->ctx, "'follow' is \"sequential\" and the trace source has no "
			                "programs of kernels; expected one that has");
		st->divergence->paths->claim(st->divergence->paths->self);
	}
	st->no_room = st->ibuffer->refill_room ? &st->ibuffer->full : &st->ibuffer->filled;
	st->delays = hd_delays(&st->out);
	if (st->icache->watch)
		st->icache->watch(st->icache->self, st->ctx->self);
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, sent, lines);
}

#define P(f) offsetof(struct state, f)

static const char *const follows[] = { [FOLLOW_TRACE] = "trace",
	[FOLLOW_SEQUENTIAL] = "sequential", NULL };

static const struct hd_param params[] = {
	{ .name = "follow", .unit = "", .doc = "what is fetched: what the warp executes next; or what "
	  "is next in memory, until a control hazard shows that the warp is elsewhere",
	  .type = HD_CHOICE, .offset = P(follow), .def = "\"trace\"", .choices = follows },
	{ .name = "code_base", .unit = "bytes", .doc = "address of code, for 'touch': added to every pc",
	  .type = HD_U32, .offset = P(code_base), .def = "4026531840", .min = 0, .max = UINT32_MAX },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "fetched", .doc = "warps whose instructions arrived", .kind = HD_OUT,
	  .type = &hd_type_fetched, .offset = P(out) },
	{ .name = "warps", .doc = "running and ended warps", .kind = HD_USES, .flags = HD_WORK_OUT,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = "ibuffer", .doc = "buffered instructions", .kind = HD_USES, .flags = HD_NO_WORK,
	  .type = &hd_type_ibuffer, .offset = P(ibuffer) },
	{ .name = "icache", .doc = "source of instructions", .kind = HD_USES,
	  .type = &hd_type_icache_if, .offset = P(icache) },
	{ .name = "scoreboard", .doc = "a warp with pending registers stays", .kind = HD_USES,
	  .flags = HD_NO_WORK, .type = &hd_type_scoreboard, .offset = P(scoreboard) },
	{ .name = "touch", .doc = "an address map that depends on what is used first; open: none "
	  "does", .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_touch,
	  .offset = P(touch) },
	{ .name = "divergence", .doc = "the policy, for 'follow' sequential: where warps are, and "
	  "where instructions lie", .kind = HD_USES, .flags = HD_OPTIONAL | HD_NO_WORK,
	  .type = &hd_type_divergence_if, .offset = P(divergence) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "fetches", .unit = "fetches", .doc = "fetches handed to decode",
	  .offset = P(fetches) },
	{ .name = "misses", .unit = "fetches", .doc = "fetches that missed in the instruction cache",
	  .offset = P(misses) },
	{ .name = "retries", .unit = "fetches", .doc = "fetches that the instruction cache refused",
	  .offset = P(retries) },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "lines", .offset = P(lines), .size = sizeof(uint8_t), .array = true },
	{ .name = NULL },
};

const struct hd_module hd_module_fetch = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "fetch",
	.doc = "fetches for one warp per edge, round robin, and retires warps that have ended",
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
