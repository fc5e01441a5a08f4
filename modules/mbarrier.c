/* mbarrier.c - barriers in shared memory that count arrivals and bytes (mbarrier)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hopper.md, MB1 to MB12.  Their state is kept here, by CTA slot and address, not in a memory.  An instruction
 * takes
 * effect some cycles after it came; a test whose phase is not over holds its warp until it is.
 */
#include <heddle/gpu/control.h>
#include <heddle/gpu/remote.h>
#include <heddle/gpu/sync.h>
#include <heddle/gpu/warps.h>

#include <inttypes.h>
#include <stdio.h>

#define MOST_OPS 256u /* instructions in the unit: a warp has few at a time */
#define WINDOW 0xffffffu /* of an address: what is above is the CTA in its cluster */
#define MOST 1048575  /* arrivals, and bytes, of a phase */
#define GONE UINT32_MAX
#define PLACES 64u    /* addresses for which waits are counted */

/* A phase is over when no arrival is pending and as many bytes have come as were expected. */
struct mbarrier {
	uint32_t address;  /* 1 + that of the barrier; 0: none has been initialised here */
	uint32_t expected; /* arrivals of a phase; GONE: it has been invalidated */
	int32_t pending;   /* of this one */
	uint32_t phase;    /* number of the phase, of which the lowest bit is the parity */
	int64_t bytes;     /* expected, and not come yet; negative: come before */
};

/* An instruction, and when it goes on. */
struct op {
	uint64_t at;
	hd_inst_ref ref;
	uint32_t zero;
};

/* Instructions that all take as long. */
struct line {
	struct op v[MOST_OPS];
	uint32_t head, count;
};

/* A test whose phase is not over.  Its warp tests again every 'limit' cycles. */
struct waiter {
	uint64_t since;
	uint64_t free;         /* when it is let go; 0: it waits */
	uint64_t gives_up;     /* when a test fails of which the trace says that it did; 0: it does not */
	hd_inst_ref ref;
	uint32_t number;       /* of the barrier in its CTA */
};

struct place {
	uint32_t address, waits; /* address: 1 + it */
	uint64_t cycles;
};

struct state {
	struct hd_mbarrier_if face;
	struct hd_ctx *ctx;
	struct hd_end in, out, remote;
	struct hd_warps *warps;
	struct hd_counters *counters;
	const struct hd_copy_if *copy;
	struct hd_pool *pool;
	uint32_t interval, arrive, test, wake, answer, limit, retry, most, reserved;
	struct mbarrier *barrier; /* `most` for each CTA slot */
	uint64_t owner[HD_MAX_WARPS]; /* by CTA slot: 1 + the age of its first warp */
	uint32_t begun[HD_MAX_WARPS]; /* by CTA slot: what will report, see struct hd_mbarrier_if */
	uint64_t next_accept;
	struct line arrivals, tests, answers, done; /* done: arrivals on their way out */
	struct waiter waiter[HD_MAX_WARPS];
	hd_warp_set waiting;      /* warps with a waiter */
	struct line held;         /* wait for asynchronous copies of their warp, or for a barrier of its CTA */
	bool checks;              /* something has changed since it was looked whether waits may end */
	struct place place[PLACES];
	uint64_t inits, arrived, completed, phases, tested, waits, wait_cycles, timeouts;
};

enum { EVENT_INIT, EVENT_ARRIVE, EVENT_PHASE, EVENT_WAIT, EVENT_RELEASE };
enum { REASON_INTERVAL };

/* ---- lines ---- */

static void append(struct line *l, hd_inst_ref ref, uint64_t at)
{
	l->v[(l->head + l->count++) % MOST_OPS] = (struct op){ .at = at, .ref = ref };
}

static hd_inst_ref due(struct line *l, uint64_t now)
{
	struct op *o = &l->v[l->head];

	if (!l->count || o->at > now)
		return 0;
	l->head = (l->head + 1) % MOST_OPS;
	l->count--;
	return o->ref;
}

static void sooner(const struct line *l, uint64_t *next)
{
	if (l->count && l->v[l->head].at < *next)
		*next = l->v[l->head].at;
}

static uint32_t inside(const struct state *st)
{
	return st->arrivals.count + st->held.count + st->tests.count + st->answers.count + st->done.count;
}

/* ---- barriers ---- */

/* Reports a mistake of the program at an instruction.  Returns NULL. */
static void *wrong(const struct state *st, const struct hd_inst *inst, uint32_t address, const char *what)
{
	const struct hd_warps *w = st->warps;

	hd_error(st->ctx, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 ", pc 0x%" PRIx32 ": mbarrier "
		"0x%" PRIx32
	         ": %s", inst->kernel, w->block[w->cta[inst->warp]], hd_warp_in_cta(w, inst->warp), inst->pc, address,
	  what);
	return NULL;
}

/* What the present phase still needs, as messages say it. */
static const char *lacks(const struct mbarrier *b, char text[80])
{
	uint64_t bytes = b->bytes < 0 ? 0 - (uint64_t)b->bytes : (uint64_t)b->bytes;

	if (b->expected == 0 && b->pending == 0)
		return "expects no arrival any more";
	snprintf(text, 80, "lacks %" PRId32 " arrival%s and %s%" PRIu64 " bytes%s", b->pending, b->pending == 1 ? ""
	  : "s",
	         b->bytes < 0 ? "has " : "", bytes, b->bytes < 0 ? " too many" : "");
	return text;
}

/* Barriers of a CTA; those of the one before in its slot are forgotten. */
static struct mbarrier *of_cta(struct state *st, uint32_t cta)
{
	struct mbarrier *v = st->barrier + (size_t)cta * st->most;
	hd_warp_set warps = st->warps->cta_warps[cta];
	uint64_t owner = warps ? st->warps->age[hd_warp_first(warps)] + 1 : 0;

	if (HD_UNLIKELY(st->owner[cta] != owner)) {
		memset(v, 0, st->most * sizeof *v);
		st->owner[cta] = owner;
		st->begun[cta] = 0;
	}
	return v;
}

/* The place of the barrier at that address, or the first free one; NULL: there is none. */
static struct mbarrier *place_of(struct state *st, uint32_t cta, uint32_t address)
{
	struct mbarrier *v = of_cta(st, cta);
	uint32_t i = 0;

	while (i < st->most && v[i].address && v[i].address != (address & WINDOW) + 1)
		i++;
	return i < st->most ? &v[i] : NULL;
}

/* The barrier at that address, or NULL. */
static struct mbarrier *at(struct state *st, uint32_t cta, uint32_t address)
{
	struct mbarrier *b = place_of(st, cta, address);

	return b && b->address && b->expected != GONE ? b : NULL;
}

static void initialise(struct state *st, const struct hd_inst *inst, uint32_t address, uint64_t value)
{
	uint32_t n = (1u << 20) - (uint32_t)(value >> 1 & 0xfffff), cta = st->warps->cta[inst->warp];
	struct mbarrier *b = place_of(st, cta, address);

	if (address % 8) {
		wrong(st, inst, address, "is not aligned; expected a multiple of 8");
		return;
	}
	if (st->warps->launch && !st->ctx->parts
	    && (address & WINDOW) + 8 > (uint64_t)st->warps->launch->shmem + st->reserved) {
		wrong(st, inst, address, "is not in the shared memory of its block");
		return;
	}
	if (n >> 20 || (value >> 21 & 0x3fffff)) { /* bytes are left of 0 arrivals, and of too many */
		wrong(st, inst, address, "is initialised with arrivals of which no phase can have so many; expected 1 "
		      "to 1048575");
		return;
	}
	if (!b) {
		wrong(st, inst, address, "is one more than the CTA may have; expected a larger 'barriers'");
		return;
	}
	*b = (struct mbarrier){ .address = (address & WINDOW) + 1, .expected = n, .pending = (int32_t)n,
		.phase = value >> 63 & 1 };
	st->inits++;
	hd_emit(st->ctx, EVENT_INIT, cta, b->address - 1, n);
}

/* MB7: when a warp is let go whose phase ends now: after `wake`, or with its next test if that is near. */
static uint64_t lets_go(const struct state *st, const struct waiter *w, uint64_t now)
{
	uint64_t rounds = (now - w->since + st->limit - 1) / st->limit, test = w->since + (rounds ? rounds
	  : 1) * st->limit;

	return now + st->retry < test ? now + st->wake : test;
}

/* The warps that wait for a phase that is over are let go. */
static void release(struct state *st, uint32_t cta, const struct mbarrier *b)
{
	uint64_t now = hd_now(st->ctx);
	uint32_t number = (uint32_t)(b - st->barrier) - cta * st->most;

	for (hd_warp_set set = st->waiting & st->warps->cta_warps[cta]; set;) {
		struct waiter *w = &st->waiter[hd_warp_pop(&set)];

		if (w->number == number && !w->free)
			w->free = lets_go(st, w, now);
	}
}

/* Ends the phase if it is over. */
static void settle(struct state *st, uint32_t cta, struct mbarrier *b)
{
	st->checks = true;
	hd_wake(st->ctx->self);
	if (b->pending > 0 || b->bytes != 0)
		return;
	b->phase++;
	b->pending = (int32_t)b->expected;
	st->phases++;
	hd_emit(st->ctx, EVENT_PHASE, cta, b->address - 1, b->phase);
	release(st, cta, b);
}

/* MB9: bytes that a phase cannot count. */
static bool is_beyond(const struct mbarrier *b)
{
	return b->bytes > MOST || b->bytes < -MOST;
}

/* MB1: what is wrong with that value of an arrival, or NULL. */
static const char *is_too_much(uint32_t how, uint64_t value)
{
	if ((how & HD_ASYNC_BARE) && (how & (HD_ARRIVE_EXPECT | HD_ARRIVE_COMPLETE | HD_ARRIVE_REGISTER)))
		return "the trace has no value of the register that says how much arrives";
	if ((how & HD_ARRIVE_REGISTER) && value > MOST)
		return "gets more than 1048575 arrivals at once";
	if ((how & (HD_ARRIVE_EXPECT | HD_ARRIVE_COMPLETE)) && value > MOST)
		return "gets more than 1048575 bytes at once";
	return NULL;
}

/* MB3: one lane arrives.  Returns what is wrong with that, or NULL. */
static const char *count_arrival(struct state *st, uint32_t cta, uint32_t address, uint32_t how, uint64_t value)
{
	struct mbarrier *b = at(st, cta, address);
	int32_t n = how & HD_ARRIVE_ONE ? 1 : how & HD_ARRIVE_REGISTER ? (int32_t)value : 0;

	if (!b)
		return "has not been initialised";
	if (n > b->pending)
		return "gets more arrivals than its phase has";
	b->bytes += how & HD_ARRIVE_EXPECT ? (int64_t)value : how & HD_ARRIVE_COMPLETE ? -(int64_t)value : (how
	  & HD_ARRIVE_EXPECT_ONE) != 0;
	if (is_beyond(b))
		return "counts more than 1048575 bytes";
	b->pending -= n;
	if ((how & HD_ARRIVE_DROP) && b->expected)
		b->expected--;
	st->arrived++;
	return NULL;
}

/* At a barrier of its own CTA. */
static void arrive(struct state *st, const struct hd_inst *inst, uint32_t address, uint64_t value)
{
	uint32_t cta = st->warps->cta[inst->warp];
	const char *what = count_arrival(st, cta, address, inst->async.how, value);
	struct mbarrier *b = at(st, cta, address);

	if (what) {
		wrong(st, inst, address, what);
		return;
	}
	hd_emit(st->ctx, EVENT_ARRIVE, inst->warp, b->address - 1, b->pending, b->bytes);
	settle(st, cta, b);
}

/* Is the address in the shared memory of a CTA that the cluster has, and of its own unless it arrives?  Else after a
 * message. */
static bool has_rank(const struct state *st, const struct hd_inst *inst, uint64_t wide)
{
	const struct hd_cta_cluster *c = &st->warps->cluster[st->warps->cta[inst->warp]];
	uint32_t address = (uint32_t)wide, rank = HD_RANK(address);

	if (HD_UNLIKELY(wide > UINT32_MAX)) {
		wrong(st, inst, address, "has an address of more than 32 bits");
		return false;
	}
	if (HD_UNLIKELY(rank >= c->size)) {
		wrong(st, inst, address, "is that of a rank that the cluster does not have");
		return false;
	}
	if (HD_LIKELY(rank == c->rank || inst->async.op == HD_ASYNC_BARRIER_ARRIVE))
		return true;
	wrong(st, inst, address, "is that of another block of the cluster; expected its own, as only arrivals go to "
	      "others");
	return false;
}

/* At one of another CTA of the cluster.  Returns false if the address is of its own. */
static bool arrive_far(struct state *st, const struct hd_inst *inst, uint32_t address, uint64_t value)
{
	uint32_t cta = st->warps->cta[inst->warp];
	const struct hd_cta_cluster *c = &st->warps->cluster[cta];
	struct hd_remote p;

	if (HD_RANK(address) == c->rank)
		return false;
	if (!hd_connected(&st->remote)) {
		wrong(st, inst, address, "is that of another block, and the netlist links no unit that reaches it");
		return true;
	}
	p = hd_remote_to(st->warps, cta, HD_RANK(address), HD_REMOTE_ARRIVE);
	p.address = address & WINDOW;
	p.how = inst->async.how;
	p.id = (uint16_t)inst->warp;
	if (p.how & HD_ARRIVE_REGISTER)
		p.value = (uint32_t)value;
	else
		p.bytes = (uint32_t)value;
	hd_warp_store_sent(st->warps, inst->warp);
	hd_put(&st->remote, &p, sizeof p);
	return true;
}

/* Does it arrive at those of other CTAs? */
static bool goes_far(const struct state *st, const struct hd_inst *inst)
{
	const struct hd_cta_cluster *c = &st->warps->cluster[st->warps->cta[inst->warp]];

	if (c->size == 1 || inst->async.op != HD_ASYNC_BARRIER_ARRIVE)
		return false;
	for (uint64_t m = inst->mask; m;)
		if (HD_RANK((uint32_t)hd_inst_addr(inst, hd_bits_pop(&m))) != c->rank)
			return true;
	return false;
}

/* What the instruction does, lane by lane. */
static void take_effect(struct state *st, const struct hd_inst *inst)
{
	unsigned n = 0;

	for (uint64_t m = inst->mask; m; n++) {
		unsigned lane = hd_bits_pop(&m);
		uint32_t address = (uint32_t)hd_inst_addr(inst, lane);
		uint64_t value = inst->async.how & HD_ASYNC_BY_LANE ? inst->far[n] : inst->value;
		struct mbarrier *b;
		const char *what;

		if (!has_rank(st, inst, hd_inst_addr(inst, lane)))
			return;
		switch (inst->async.op) {
		case HD_ASYNC_BARRIER_INIT:
			if (inst->async.how & HD_ASYNC_BARE)
				wrong(st, inst, address, "the trace has no value of the register that initialises it");
			else
				initialise(st, inst, address, value);
			break;
		case HD_ASYNC_BARRIER_ARRIVE:
			what = is_too_much(inst->async.how, value);
			if (what)
				wrong(st, inst, address, what);
			else if (!arrive_far(st, inst, address, value))
				arrive(st, inst, address, value);
			break;
		case HD_ASYNC_BARRIER_COPIES:
			arrive(st, inst, address, 1);
			break;
		default: /* BARRIER_END */
			b = at(st, st->warps->cta[inst->warp], address);
			if (b)
				b->expected = GONE;
		}
	}
}

/* ---- tests ---- */

/* The first barrier that the instruction tests whose phase is not over; NULL: there is none. */
static struct mbarrier *fails(struct state *st, const struct hd_inst *inst)
{
	unsigned n = 0;

	for (uint64_t m = inst->mask; m; n++) {
		unsigned lane = hd_bits_pop(&m);
		uint32_t address = (uint32_t)hd_inst_addr(inst, lane);
		struct mbarrier *b = at(st, st->warps->cta[inst->warp], address);
		uint64_t value = inst->async.how & HD_ASYNC_BY_LANE ? inst->far[n] : inst->value;

		if (!has_rank(st, inst, hd_inst_addr(inst, lane)))
			return NULL;
		if (!b)
			return wrong(st, inst, address, "has not been initialised");
		if (inst->async.how & HD_ASYNC_BARE)
			return wrong(st, inst, address, "the trace has no value of the register that says which phase "
				"is waited for");
		if ((b->phase & 1) == (value >> 31 & 1))
			return b;
	}
	return NULL;
}

static void count_wait(struct state *st, const struct waiter *w, const struct mbarrier *b)
{
	uint64_t cycles = hd_now(st->ctx) - w->since;
	uint32_t i = 0;

	st->wait_cycles += cycles;
	while (i < PLACES && st->place[i].address && st->place[i].address != b->address)
		i++;
	if (i == PLACES)
		return;
	st->place[i].address = b->address;
	st->place[i].waits++;
	st->place[i].cycles += cycles;
}

/* Does the trace say that the test failed (MB7)?  Bit 32 of a value for all lanes does. */
static bool has_failed(const struct hd_inst *inst)
{
	return !(inst->async.how & HD_ASYNC_BY_LANE) && inst->value >> 32 & 1;
}

static void test(struct state *st, hd_inst_ref ref, uint64_t now)
{
	const struct hd_inst *inst = hd_inst(st->pool, ref);
	struct mbarrier *b = fails(st, inst);
	uint32_t cta = st->warps->cta[inst->warp];

	st->tested++;
	if (!b || !(inst->async.how & HD_TEST_WAIT)) {
		append(&st->answers, ref, now + st->answer);
		return;
	}
	st->waits++;
	st->waiter[inst->warp] = (struct waiter){ .since = now, .ref = ref,
		.number = (uint32_t)(b - st->barrier) - cta * st->most,
		.gives_up = has_failed(inst) ? now + st->limit - st->retry : 0 };
	st->waiting |= hd_warp_bit(inst->warp);
	st->checks = true;
	hd_warp_block(st->warps, inst->warp, HD_BLOCK_MBARRIER);
	hd_warp_touch(st->warps, inst->warp);
	hd_emit(st->ctx, EVENT_WAIT, inst->warp, b->address - 1, b->phase);
}

static void let_go(struct state *st, uint32_t warp, const struct mbarrier *b, uint64_t now)
{
	struct waiter *w = &st->waiter[warp];

	count_wait(st, w, b);
	st->timeouts += (now - w->since) / st->limit;
	st->waiting &= ~hd_warp_bit(warp);
	append(&st->answers, w->ref, now + st->answer);
	hd_warp_unblock(st->warps, warp, HD_BLOCK_MBARRIER);
	hd_emit(st->ctx, EVENT_RELEASE, warp, b->address - 1, (int64_t)(now - w->since));
}

/* The barrier will never be what this warp waits for: all of its CTA wait, or have ended, and nothing is under way. */
static void never(const struct state *st, uint32_t warp)
{
	const struct waiter *w = &st->waiter[warp];
	const struct hd_inst *inst = hd_inst(st->pool, w->ref);
	const struct mbarrier *b = st->barrier + (size_t)st->warps->cta[warp] * st->most + w->number;
	char what[200], text[80];

	snprintf(what, sizeof what, "the wait never ends: its phase %s, and nothing that could bring them is under way",
	         lacks(b, text));
	wrong(st, inst, b->address - 1, what);
}

/* Are instructions of these warps in front of the waiters? */
static bool under_way(const struct state *st, const struct line *l, hd_warp_set warps)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (hd_warp_in(warps, hd_inst(st->pool, l->v[(l->head + i) % MOST_OPS].ref)->warp))
			return true;
	return false;
}

/* Has one of these warps, which have ended, instructions on their way? */
static bool are_busy(struct state *st, hd_warp_set warps)
{
	bool busy = false;

	while (warps)
		busy |= st->warps->in_pipeline[hd_warp_pop(&warps)] != 0;
	st->checks |= busy; /* nothing tells when they have arrived */
	return busy;
}

/* Looks for CTAs of which every warp waits or has ended.  Those of clusters may get arrivals from others. */
static void look_for_ends(struct state *st)
{
	struct hd_warps *all_warps = st->warps;

	st->checks = false;
	for (hd_warp_set left = st->waiting; left;) {
		uint32_t warp = hd_warp_first(left), cta = all_warps->cta[warp];
		hd_warp_set all = all_warps->cta_warps[cta], here = st->waiting & all;
		bool ends = st->begun[cta] || all_warps->cluster[cta].size > 1
		            || are_busy(st, all & all_warps->exited & ~here)
		            || (all & ~all_warps->exited & ~here) || under_way(st, &st->arrivals, all)
		            || under_way(st, &st->held, all) || hd_slots_full(&st->in);

		left &= ~all;
		for (hd_warp_set set = here; set && !ends;) {
			const struct waiter *w = &st->waiter[hd_warp_pop(&set)];

			ends = w->free || w->gives_up || !fails(st, hd_inst(st->pool, w->ref));
		}
		if (!ends)
			never(st, warp);
	}
}

/* Waiters that are let go. */
static void wait_on(struct state *st, uint64_t now, uint64_t *next)
{
	for (hd_warp_set set = st->waiting; set;) {
		uint32_t warp = hd_warp_pop(&set), first = st->warps->cta[warp] * st->most;
		struct waiter *w = &st->waiter[warp];
		uint64_t at = w->free ? w->free : w->gives_up;
		const struct mbarrier *b;

		if (!at)
			continue;
		if (at > now) {
			*next = at < *next ? at : *next;
			continue;
		}
		b = w->free ? fails(st, hd_inst(st->pool, w->ref)) : NULL;
		w->free = 0;
		if (b)
			w->number = (uint32_t)(b - st->barrier) - first; /* another lane tests another barrier */
		else
			let_go(st, warp, st->barrier + first + w->number, now);
	}
}

/* ---- an edge ---- */

/* Takes an instruction, of sub-cores in order of age. */
static void accept(struct state *st, uint64_t slots, uint64_t now)
{
	unsigned slot = hd_inst_oldest(st->pool, &st->in, slots);
	hd_inst_ref ref = hd_inst_in(&st->in, slot);
	const struct hd_inst *inst = hd_inst(st->pool, ref);

	if (inside(st) + hd_bits_count(st->waiting) >= MOST_OPS)
		return;
	hd_slot_take(&st->in, slot);
	st->next_accept = now + st->interval;
	if (st->counters)
		st->counters->read(st->counters->self, inst->warp, inst->uid, inst->control.read, 1);
	if (inst->async.op == HD_ASYNC_BARRIER_TEST) {
		append(&st->tests, ref, now + st->test);
	} else if (inst->async.op == HD_ASYNC_BARRIER_INIT) { /* what follows finds it */
		take_effect(st, inst);
		append(&st->answers, ref, now + st->answer);
	} else {
		if (goes_far(st, inst)) /* as a store, from here until it has sent those of its lanes */
			hd_warp_store_sent(st->warps, inst->warp);
		append(&st->arrivals, ref, now + st->arrive);
	}
}

/* Is there room for what the next arrival may send to other CTAs? */
static bool may_arrive(const struct state *st)
{
	return !hd_connected(&st->remote) || hd_room(&st->remote) >= HD_LANES;
}

/* Does it wait for earlier copies of its warp, or behind a BAR, which it passed before that held the warp (BL1)? */
static bool is_early(const struct state *st, const struct hd_inst *inst)
{
	const struct hd_warps *w = st->warps;

	return (hd_warp_in(hd_warps_at_barriers(w), inst->warp) && inst->uid > w->barrier[inst->warp])
	       || (inst->async.op == HD_ASYNC_BARRIER_COPIES && st->copy && st->copy->busy(st->copy->self, inst->warp));
}

/* An instruction has come that far. */
static void go_on(struct state *st, hd_inst_ref ref, uint64_t now)
{
	const struct hd_inst *inst = hd_inst(st->pool, ref);

	if (is_early(st, inst)) {
		append(&st->held, ref, now);
	} else if (inst->async.op == HD_ASYNC_BARRIER_TEST) {
		test(st, ref, now);
	} else {
		take_effect(st, inst);
		if (goes_far(st, inst))
			hd_warp_store_done(st->warps, inst->warp);
		append(&st->done, ref, now);
	}
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), next = UINT64_MAX, slots;
	hd_inst_ref ref;

	for (uint32_t i = st->held.count; i > 0; i--) { /* those that go on waiting keep their order */
		ref = due(&st->held, now);
		if (may_arrive(st))
			go_on(st, ref, now);
		else
			append(&st->held, ref, now);
	}
	while (may_arrive(st) && (ref = due(&st->arrivals, now)) != 0)
		go_on(st, ref, now);
	while ((ref = due(&st->tests, now)) != 0)
		go_on(st, ref, now);
	slots = hd_slots_full(&st->in);
	if (slots && st->next_accept <= now)
		accept(st, slots, now);
	wait_on(st, now, &next);
	while (hd_room(&st->out) && ((ref = due(&st->done, now)) != 0 || (ref = due(&st->answers, now)) != 0))
		hd_put(&st->out, &ref, sizeof ref);
	if (st->checks && st->waiting)
		look_for_ends(st);
	sooner(&st->arrivals, &next);
	sooner(&st->tests, &next);
	sooner(&st->answers, &next);
	sooner(&st->done, &next);
	if (st->held.count || hd_slots_full(&st->in) || (st->waiting && st->checks))
		return HD_NEXT;
	return next == UINT64_MAX ? HD_SLEEP : next > now ? next - now : HD_NEXT;
}

/* ---- units that report ---- */

static void begun(void *self, uint32_t cta)
{
	struct state *st = self;

	of_cta(st, cta);
	st->begun[cta]++;
}

static void ended(void *self, uint32_t cta)
{
	struct state *st = self;

	of_cta(st, cta);
	st->begun[cta] -= st->begun[cta] > 0;
	st->checks = true;
	hd_wake(st->ctx->self);
}

/* What comes without an instruction of the CTA is wrong. */
static void wrong_at(const struct state *st, uint32_t cta, uint32_t address, const char *who, const char *what)
{
	hd_warp_set warps = st->warps->cta_warps[cta];

	if (warps)
		hd_error(st->ctx, "kernel %" PRIu32 ", block %" PRIu64 ": %s at mbarrier 0x%" PRIx32 ", which %s",
		         st->warps->kernel[hd_warp_first(warps)], st->warps->block[cta], who, address, what);
	else
		hd_error(st->ctx, "%s at mbarrier 0x%" PRIx32 " of a block that has ended; expected its warps to wait "
		         "for that, or a barrier of the cluster", who, address);
}

static void complete(void *self, uint32_t cta, uint32_t address, uint64_t bytes)
{
	struct state *st = self;
	struct mbarrier *b = at(st, cta, address);

	if (!b) {
		wrong_at(st, cta, address, "bytes arrive", "has not been initialised; expected SYNCS.EXCH before the "
		         "copy");
		return;
	}
	b->bytes -= (int64_t)bytes;
	if (is_beyond(b)) {
		wrong_at(st, cta, address, "bytes arrive", "has 1048575 more than it expects, and can count no more");
		return;
	}
	st->completed += bytes;
	hd_emit(st->ctx, EVENT_ARRIVE, 0, b->address - 1, b->pending, b->bytes);
	settle(st, cta, b);
}

static void arrive_here(void *self, uint32_t cta, uint32_t address, uint32_t how, uint64_t value)
{
	struct state *st = self;
	const char *what = count_arrival(st, cta, address, how, value);
	struct mbarrier *b = at(st, cta, address);

	if (what) {
		wrong_at(st, cta, address, "another block of the cluster arrives", what);
		return;
	}
	hd_emit(st->ctx, EVENT_ARRIVE, 0, b->address - 1, b->pending, b->bytes);
	settle(st, cta, b);
}

/* ---- callbacks ---- */

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	st->face = (struct hd_mbarrier_if){ .self = st, .begun = begun, .ended = ended, .complete = complete,
		.arrive = arrive_here };
	if (st->retry >= st->limit)
		return hd_error(ctx, "'retry' is %u; expected less than 'limit', which is %u", st->retry, st->limit);
	st->barrier = hd_memory(ctx, (size_t)HD_MAX_WARPS * st->most, sizeof *st->barrier);
	return st->barrier ? 0 : hd_error(ctx, "out of memory");
}

static int start(void *state)
{
	struct state *st = state;

	return hd_expect_capacity(st->ctx, &st->remote, HD_LANES, "remote", "arrivals of a warp");
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;
	const struct hd_warps *w = st->warps;
	char text[80];

	for (hd_warp_set set = st->waiting; set;) {
		uint32_t warp = hd_warp_pop(&set), cta = w->cta[warp];
		const struct hd_inst *inst = hd_inst(st->pool, st->waiter[warp].ref);
		const struct mbarrier *b = &st->barrier[cta * st->most + st->waiter[warp].number];

		hd_report_pending(h, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 ", pc 0x%" PRIx32
		                  " waits for mbarrier 0x%" PRIx32 ", whose phase %s", inst->kernel, w->block[cta],
		                  hd_warp_in_cta(w, warp), inst->pc, b->address - 1, lacks(b, text));
	}
	if (inside(st))
		hd_report_pending(h, "%u instructions in the unit", inside(st));
}

/* Waits by the address of the barrier. */
static void end(void *state)
{
	const struct state *st = state;

	for (uint32_t i = 0; i < PLACES && st->place[i].address; i++) {
		const struct hd_cell row[] = {
			{ "address", NULL, st->place[i].address - 1 },
			{ "waits", NULL, st->place[i].waits },
			{ "cycles", NULL, st->place[i].cycles },
		};

		hd_row(st->ctx, "mbarrier_waits", row, sizeof row / sizeof *row);
	}
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	hd_saved(k, st->barrier, (size_t)HD_MAX_WARPS * st->most * sizeof *st->barrier);
	HD_SAVED_FROM(k, st, owner, held);
	HD_SAVED(k, st->checks);
	HD_SAVED(k, st->place);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "interval", .unit = "cycles", .doc = "between two instructions of the SM", .type = HD_U32,
	  .offset = P(interval), .def = "2", .min = 1, .max = 64 },
	{ .name = "arrive", .unit = "cycles", .doc = "until an arrival counts", .type = HD_U32, .offset = P(arrive),
	  .def = "26", .min = 1, .max = 1024 },
	{ .name = "test", .unit = "cycles", .doc = "until a test looks at the barrier", .type = HD_U32,
	  .offset = P(test),
	  .def = "18", .min = 1, .max = 1024 },
	{ .name = "wake", .unit = "cycles", .doc = "from the end of a phase until a warp that waits for it is let go",
	  .type = HD_U32, .offset = P(wake), .def = "20", .min = 1, .max = 1024 },
	{ .name = "answer", .unit = "cycles", .doc = "from there, or from the test, until its result is written",
	  .type = HD_U32, .offset = P(answer), .def = "19", .min = 1, .max = 1024 },
	{ .name = "limit", .unit = "cycles", .doc = "after which a warp that waits tests again", .type = HD_U32,
	  .offset = P(limit), .def = "7755", .min = 64, .max = 1000000 },
	{ .name = "retry", .unit = "cycles", .doc = "before that in which it is not let go: its answer is under way, "
	  "and its next test", .type = HD_U32, .offset = P(retry), .def = "43", .min = 0, .max = 1024 },
	{ .name = "reserved", .unit = "bytes", .doc = "of shared memory in front of those that a CTA asks for",
	  .type = HD_U32, .offset = P(reserved), .def = "1024", .max = 65536 },
	{ .name = "barriers", .unit = "barriers", .doc = "that a CTA may have", .type = HD_U32, .offset = P(most),
	  .def = "64", .min = 1, .max = 4096 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "instructions of mbarriers", .kind = HD_IN, .flags = HD_SLOTS, .type = &hd_type_inst,
	  .offset = P(in) },
	{ .name = "out", .doc = "to writeback, with the result of a test", .kind = HD_OUT, .type = &hd_type_inst,
	  .offset = P(out) },
	{ .name = "remote", .doc = "arrivals at barriers of other CTAs of a cluster; open: they are errors",
	  .kind = HD_OUT,
	  .flags = HD_OPTIONAL, .type = &hd_type_remote, .offset = P(remote) },
	{ .name = "mbarrier", .doc = "for units that report bytes", .kind = HD_PROVIDES, .type = &hd_type_mbarrier_if,
	  .offset = P(face) },
	{ .name = "warps", .doc = "their CTAs, and warps that wait", .kind = HD_USES, .type = &hd_type_warps,
	  .offset = P(warps) },
	{ .name = "counters", .doc = "read counters fall; open: there are none", .kind = HD_USES,
	  .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_counters, .offset = P(counters) },
	{ .name = "copy", .doc = "asynchronous copies, for arrivals behind them; open: they are done", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_copy_if, .offset = P(copy) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "inits", .unit = "barriers", .doc = "barriers initialised", .offset = P(inits) },
	{ .name = "arrivals", .unit = "lanes", .doc = "lanes that arrived", .offset = P(arrived) },
	{ .name = "bytes", .unit = "bytes", .doc = "bytes that units reported", .offset = P(completed) },
	{ .name = "phases", .unit = "phases", .doc = "phases that ended", .offset = P(phases) },
	{ .name = "tests", .unit = "warp instructions", .doc = "tests of a phase", .offset = P(tested) },
	{ .name = "waits", .unit = "warp instructions", .doc = "tests that held their warp", .offset = P(waits) },
	{ .name = "wait_cycles", .unit = "cycles", .doc = "for which they did, all together",
	  .offset = P(wait_cycles) },
	{ .name = "timeouts", .unit = "tests", .doc = "times that a warp that waits tested again",
	  .offset = P(timeouts) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_INIT] = { .name = "init", .doc = "a barrier was initialised", .fields = {
		{ "cta", "", "CTA slot" }, { "address", "bytes", "of the barrier", NULL, HD_FIELD_HEX },
		{ "count", "arrivals", "of a phase" } } },
	[EVENT_ARRIVE] = { .name = "arrive", .doc = "a lane arrived, or bytes did", .flags = HD_EVENT_DETAIL,
		.fields = {
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
		{ "address", "bytes", "of the barrier", NULL, HD_FIELD_HEX },
		{ "pending", "arrivals", "that its phase lacks" }, { "bytes", "bytes", "that it lacks" } } },
	[EVENT_PHASE] = { .name = "phase", .doc = "a phase ended", .fields = {
		{ "cta", "", "CTA slot" },
		{ "address", "bytes", "of the barrier", NULL, HD_FIELD_HEX | HD_FIELD_APART },
		{ "phase", "", "number of the next one" } } },
	[EVENT_WAIT] = { .name = "wait", .doc = "a test holds its warp", .fields = {
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
		{ "address", "bytes", "of the barrier", NULL, HD_FIELD_HEX }, { "phase", "", "that is not over" } } },
	[EVENT_RELEASE] = { .name = "release", .doc = "the warp is let go", .fields = {
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
		{ "address", "bytes", "of the barrier", NULL, HD_FIELD_HEX }, { "cycles", "cycles", "that it was "
		  "held" } } },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "waiting", .offset = P(waiting), .size = sizeof(hd_warp_set) },
	{ .name = NULL },
};

static const struct hd_reason reasons[] = {
	[REASON_INTERVAL] = { "interval", "the unit takes one instruction in so many cycles" },
	{ 0 },
};

static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	(void)state;
	(void)port;
	(void)link;
	return (struct hd_answer){ .reason = REASON_INTERVAL };
}

const struct hd_module hd_module_mbarrier = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "mbarrier",
	.doc = "barriers in shared memory that count arrivals and bytes: warps wait until a phase is over",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.report_pending = report_pending,
	.end = end,
	.reasons = reasons,
	.stall_cause = stall_cause,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};
