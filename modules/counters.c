/* counters.c - dependence counters: six for each warp, that loads and their like raise and lower
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Dependence counters.  Units release registers as at a scoreboard, which is how a
 * counter learns that a result is written: for each register that is pending, how often each counter
 * was raised for it is kept.
 */
#include <heddle/gpu/control.h>
#include <heddle/gpu/scoreboard.h>

#include <stdlib.h>

#define REGS (HD_REG_WORDS * 64u)
#define OWED 8u    /* HD_COUNTERS, and as many as make one word */
#define WHEEL 64u  /* edges ahead at which a counter may fall; a power of two */
#define FALLS 256u /* at most in one edge */

struct fall {
	uint64_t uid; /* of an instruction that reads its sources, else 0 */
	uint32_t age; /* of the warp, its lower bits: another warp may have the slot by then */
	uint8_t warp, counter, n; /* counter: or HD_NO_COUNTER */
	uint8_t zero; /* no byte of a checkpoint is undefined */
};

struct state {
	struct hd_counters c;
	struct hd_scoreboard board; /* registers of pending results */
	struct hd_ctx *ctx;
	struct hd_ifs listeners;
	struct hd_registers_if all; /* of them */
	struct hd_warps *warps;
	const struct hd_hazards_if *hazards;
	uint32_t most, write_delay;
	uint8_t owed[HD_MAX_WARPS][REGS][OWED]; /* by counter */
	struct fall fall[WHEEL][FALLS];
	uint16_t falls[WHEEL];
	uint64_t due; /* buckets with falls */
	uint32_t age[HD_MAX_WARPS]; /* of the warps that have raised a counter last */
	uint64_t raised, overflows;
};

/* A new warp begins with counters at 0: what the last one left falls no more. */
static void renew(void *self, uint32_t warp)
{
	struct state *st = self;

	if (st->age[warp] == (uint32_t)st->warps->age[warp])
		return;
	st->age[warp] = (uint32_t)st->warps->age[warp];
	memset(st->c.value[warp], 0, sizeof st->c.value[warp]);
	if (st->c.busy[warp])
		hd_warp_touch(st->warps, warp);
	st->c.busy[warp] = 0;
}

static void lower(struct state *st, uint32_t warp, uint32_t counter, uint32_t n)
{
	uint8_t *v = &st->c.value[warp][counter];

	*v = (uint8_t)(*v > n ? *v - n : 0);
	if (*v == 0) {
		st->c.busy[warp] &= (uint8_t)~(1u << counter);
		hd_warp_touch(st->warps, warp);
	} else {
		hd_warp_hold_back(st->warps, warp, hd_now(st->ctx));
	}
}

static void fall(struct state *st, const struct fall *f)
{
	if (f->uid && st->hazards)
		st->hazards->read(st->hazards->self, f->warp, f->uid);
	if (f->counter != HD_NO_COUNTER && f->age == st->age[f->warp])
		lower(st, f->warp, f->counter, f->n);
}

/* Edges from that one until the first of these buckets is due; there is one. */
static inline uint32_t first_due(uint64_t due, uint64_t edge)
{
	uint32_t b = (uint32_t)(edge % WHEEL);

	return hd_bits_first(b ? due >> b | due << (WHEEL - b) : due);
}

/* Lowers the counter so many edges from now. */
static inline void lower_later(struct state *st, const struct fall *f, uint32_t edges)
{
	uint32_t b = (uint32_t)((hd_now(st->ctx) + edges) % WHEEL);
	struct fall *to = &st->fall[b][st->falls[b]];
	uint64_t due = st->due;

	if (HD_UNLIKELY(edges == 0 || st->falls[b] == FALLS)) {
		struct fall now = *f;

		now.age = st->age[f->warp];
		fall(st, &now);
		return;
	}
	*to = *f;
	to->age = st->age[f->warp];
	st->falls[b]++;
	st->due = due | hd_bit(b);
	if (!due || first_due(due, hd_now(st->ctx)) > edges) /* else it is evaluated before that, and looks again */
		hd_wake(st->ctx->self);
}

static void rise(struct state *st, uint32_t warp, uint32_t counter)
{
	uint8_t *v = &st->c.value[warp][counter];

	if (*v == st->most)
		st->overflows++;
	else
		++*v;
	if (HD_UNLIKELY(st->ctx->observed) && !(st->c.busy[warp] & 1u << counter))
		hd_wake(st->warps->scheduler[warp]); /* to report another counter, perhaps */
	st->c.busy[warp] |= (uint8_t)(1u << counter);
	st->raised++;
}

static void raise(void *self, const struct hd_raise *r)
{
	struct state *st = self;
	uint32_t warp = r->warp;

	renew(st, warp);
	if (r->read != HD_NO_COUNTER)
		rise(st, warp, r->read);
	if (r->write != HD_NO_COUNTER)
		rise(st, warp, r->write);
	if (r->variable && r->dst) {
		hd_scoreboard_reserve(&st->board, warp, r->dst, r->uid, false);
		if (r->write != HD_NO_COUNTER)
			st->owed[warp][r->dst][r->write]++;
	}
	if (r->read != HD_NO_COUNTER || r->write != HD_NO_COUNTER)
		hd_warp_hold_back(st->warps, warp, hd_now(st->ctx));
}

/* Whenever a register is released, what was raised for it, and has not fallen yet, falls. */
static void released(void *self, uint32_t warp, uint32_t reg)
{
	struct state *st = self;
	uint8_t was[OWED];
	uint64_t any;

	hd_warp_hold_back(st->warps, warp, hd_now(st->ctx));
	if (st->hazards)
		st->hazards->written(st->hazards->self, warp, reg);
	memcpy(was, st->owed[warp][reg], sizeof was);
	memcpy(&any, was, sizeof any);
	if (!any)
		return;
	memset(st->owed[warp][reg], 0, OWED);
	for (uint32_t i = 0; i < HD_COUNTERS; i++)
		if (was[i])
			lower_later(st, &(struct fall){ .warp = (uint8_t)warp, .counter = (uint8_t)i,
			                                .n = was[i] }, st->write_delay);
}

static void read_sources(void *self, uint32_t warp, uint64_t uid, uint32_t counter, uint32_t edges)
{
	struct state *st = self;

	if (counter != HD_NO_COUNTER || st->hazards)
		lower_later(st, &(struct fall){ .warp = (uint8_t)warp, .counter = (uint8_t)counter, .n = 1,
		                                .uid = uid }, edges);
}

static struct fall one_write(const struct hd_inst *inst)
{
	return (struct fall){ .warp = inst->warp, .counter = inst->control.write, .n = 1 };
}

static bool completed(void *self, const struct hd_inst *inst)
{
	const struct fall one = one_write(inst);
	struct state *st = self;
	uint8_t *owed;
	uint64_t any;

	if (!inst->dst && st->hazards)
		st->hazards->completed(st->hazards->self, inst->warp, inst->uid);
	if (one.counter == HD_NO_COUNTER)
		return true;
	if (!inst->dst || !(inst->flags & HD_INST_VARIABLE)) {
		lower_later(st, &one, st->write_delay);
		return true;
	}
	owed = st->owed[inst->warp][inst->dst];
	if (owed[one.counter] != 0) { /* else it fell with that of another one */
		owed[one.counter]--;
		lower_later(st, &one, st->write_delay);
	}
	memcpy(&any, owed, sizeof any);
	return !any;
}

static void stored(void *self, const struct hd_inst *inst, uint32_t edges)
{
	const struct fall one = one_write(inst);

	if (one.counter != HD_NO_COUNTER)
		lower_later(self, &one, edges);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx);
	uint32_t b = (uint32_t)(now % WHEEL);

	for (uint32_t i = 0; i < st->falls[b]; i++)
		fall(st, &st->fall[b][i]);
	st->falls[b] = 0;
	st->due &= ~hd_bit(b);
	return st->due ? first_due(st->due, now) : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->c.self = st;
	st->c.raise = raise;
	st->c.renew = renew;
	st->c.read = read_sources;
	st->c.completed = completed;
	st->c.stored = stored;
	hd_warps_on_clock(st->warps, ctx);
	st->board.self = st;
	st->board.warps = st->warps;
	st->board.report = released;
	st->board.loud = true;
	hd_scoreboard_hear(&st->board, &st->listeners, &st->all);
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	for (uint32_t i = 0; i < HD_COUNTERS; i++)
		for (uint32_t warp = 0; warp < HD_MAX_WARPS; warp++)
			if (st->c.busy[warp] >> i & 1)
				hd_report_pending(h, "counter SB%u of warp %u is %u", i, warp,
				                  st->c.value[warp][i]);
}

static int compare_falls(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct fall));
}

/* What falls in one edge may be in any order, and the rest of a bucket has been: a checkpoint does not
 * have the order of evaluation. */
static void put_in_order(struct state *st)
{
	for (uint32_t b = 0; b < WHEEL; b++) {
		qsort(st->fall[b], st->falls[b], sizeof st->fall[b][0], compare_falls);
		memset(st->fall[b] + st->falls[b], 0, (FALLS - st->falls[b]) * sizeof st->fall[b][0]);
	}
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	if (!hd_loads(k))
		put_in_order(st);
	HD_SAVED_FROM(k, &st->c, busy, value);
	HD_SAVED(k, st->board.busy);
	HD_SAVED_FROM(k, &st->board, any, longop);
	HD_SAVED_FROM(k, st, owed, age);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "most", .unit = "", .doc = "largest value of a counter", .type = HD_U32, .offset = P(most),
	  .def = "63", .min = 1, .max = 255 },
	{ .name = "write_delay", .unit = "cycles", .doc = "from the write of a register until its counter "
	  "falls", .type = HD_U32, .offset = P(write_delay), .def = "3", .min = 0, .max = WHEEL - 1 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "counters", .doc = "for those that read sources and complete instructions", .kind = HD_PROVIDES,
	  .flags = HD_PROVIDER_FIRST, .type = &hd_type_counters, .offset = P(c), .phase = 0 },
	{ .name = "raise", .doc = "for control and issue stages: what they raise for a register is not released in the "
	  "same cycle", .kind = HD_PROVIDES, .flags = HD_PROVIDER_FIRST, .type = &hd_type_counters, .offset = P(c),
	  .phase = 1 },
	{ .name = "release", .doc = "registers that are written, as at a scoreboard",
	  .kind = HD_PROVIDES, .flags = HD_WORK_IN, .type = &hd_type_scoreboard, .offset = P(board),
	  .phase = 0 },
	{ .name = "check", .doc = "registers of pending results", .kind = HD_PROVIDES,
	  .type = &hd_type_scoreboard, .offset = P(board), .phase = 1 },
	{ .name = "warps", .doc = "their schedulers are woken", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = "hazards", .doc = "gets writes and reads of registers; open: they are not "
	  "checked", .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_hazards_if,
	  .offset = P(hazards) },
	{ .name = "registers", .doc = "are notified of registers that are reserved, written, released; open: there "
	                              "are none",
	  .kind = HD_USES, .flags = HD_OPTIONAL | HD_ARRAY, .type = &hd_type_registers_if,
	  .offset = P(listeners) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "raised", .unit = "", .doc = "times that a counter was raised", .offset = P(raised) },
	{ .name = "overflows", .unit = "", .doc = "of these, on a counter at its largest value",
	  .offset = P(overflows) },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "busy", .offset = P(board.busy), .size = sizeof(hd_warp_set) },
	{ .name = NULL },
};

const struct hd_module hd_module_counters = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "counters",
	.doc = "dependence counters: six for each warp, that results and reads of sources lower",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};
