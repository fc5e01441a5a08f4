/* warpgroup_mma.c - products of matrices of four warps each (HGMMA, QGMMA, IGMMA, BGMMA)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hopper.md, WG1 to WG12.  Four warps of a CTA that follow one another are a warpgroup.  Each of them issues the
 * instruction when it may; the operation begins when all four have, the tensor units are free, and its operands can be
 * read.  It has at most one operation at a time; how long that takes follows from the shape.
 */
#include <heddle/gpu/matrix.h>
#include <heddle/gpu/warps.h>
#include <heddle/gpu/control.h>

#include <inttypes.h>
#include <stdio.h>

#define MEMBERS 4u   /* warps of a group */
#define QUEUE 32u    /* instructions of a warp that have been issued and whose operation has not begun */
#define FLIGHT 64u   /* operations that have begun and are not complete */
#define ROWS 64u     /* of a product; a tall one has twice as many */

enum { SHARED, REGISTERS, SOURCES }; /* where the first matrix is */

struct member {
	hd_inst_ref queue[QUEUE];
	uint32_t head, count;
	uint32_t closed; /* groups that it has closed at issue */
	uint32_t fences; /* meeting points that it has come to */
	uint32_t most;   /* groups that may be open when it goes on */
	uint32_t issued; /* products issued whose operation has not begun */
	uint64_t age;    /* 1 + that of the warp */
};

/* By the slot of its first warp. */
struct group {
	uint64_t age;      /* 1 + that of its first warp */
	uint32_t done;     /* groups of operations that are complete */
	uint32_t met;      /* meeting points that are over */
	uint64_t open_at;  /* when the next one is; 0: it has not been reached */
	uint32_t flight;   /* operations that have begun and are not complete */
	uint32_t queued;   /* it stands in the list of those whose fourth warp has issued */
};

/* An operation that is being calculated, or whose result is on its way. */
struct flight {
	uint64_t leaves; /* when its instructions are complete; */
	uint64_t at;     /* its result is there for those who wait */
	hd_inst_ref ref[MEMBERS];
	uint32_t lead, closes;
	uint32_t compute, port; /* cycles of the tensor units, and of the port of shared memory */
};

struct state {
	struct hd_async_if face;
	struct hd_users credits;
	struct hd_ctx *ctx;
	struct hd_end in, out;
	struct hd_warps *warps;
	struct hd_counters *counters;
	const struct hd_smem_port_if *port;
	const struct hd_products_if *array;
	struct hd_pool *pool;
	uint64_t classes;
	struct hd_list start, tail, queue;
	uint32_t issue_registers, fence, in_flight, rows, columns, port_width;
	struct member member[HD_MAX_WARPS];
	struct group group[HD_MAX_WARPS];
	uint32_t ready[HD_MAX_WARPS * QUEUE / MEMBERS]; /* first warps of groups, in the order of their fourth warps */
	uint32_t ready_head, nready;
	struct flight flight[FLIGHT]; /* in the order in which they began */
	uint32_t flight_head, nflight;
	uint64_t free_at;         /* edge from which the tensor units are free */
	uint64_t last_end;        /* and when they were last */
	hd_warp_set waiting, meeting;
	hd_warp_set pausing;      /* they still read registers of an instruction */
	uint64_t pause_until[HD_MAX_WARPS];
	uint32_t waits_in_queue;  /* operations that have not begun, with A in registers */
	uint64_t operations, busy, starved, idle, flops, waits, wait_cycles, fences;
	uint64_t since[HD_MAX_WARPS];
};

enum { EVENT_START, EVENT_END, EVENT_COMMIT, EVENT_OPERATION };
enum { REASON_QUEUE };
enum { MARK_MULTIPLIES, MARK_RESULT };

/* ---- warps and their groups ---- */

static uint32_t lead_of(const struct state *st, uint32_t warp)
{
	return warp - hd_warp_in_cta(st->warps, warp) % MEMBERS;
}

/* Another warp may have had the slot. */
static struct member *member(struct state *st, uint32_t warp)
{
	struct member *m = &st->member[warp];
	uint64_t age = st->warps->age[warp] + 1;

	if (m->age != age)
		*m = (struct member){ .age = age };
	return m;
}

static struct group *group(struct state *st, uint32_t lead)
{
	struct group *g = &st->group[lead];
	uint64_t age = st->warps->age[lead] + 1;

	if (g->age != age)
		*g = (struct group){ .age = age };
	return g;
}

/* Reports a mistake of the program. */
static void wrong(const struct state *st, const struct hd_inst *inst, const char *what)
{
	const struct hd_warps *w = st->warps;

	hd_error(st->ctx, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 ", pc 0x%" PRIx32 ": %s", inst->kernel,
	         w->block[w->cta[inst->warp]], hd_warp_in_cta(w, inst->warp), inst->pc, what);
}

static bool is_whole(const struct state *st, uint32_t lead)
{
	const struct hd_warps *w = st->warps;

	for (uint32_t i = 0; i < MEMBERS; i++)
		if (lead + i >= w->count || !hd_warp_in(w->cta_warps[w->cta[lead]], lead + i))
			return false;
	return true;
}

/* ---- at issue ---- */

static void hold(struct state *st, uint32_t warp, hd_warp_set *set)
{
	*set |= hd_warp_bit(warp);
	st->since[warp] = hd_now(st->ctx);
	hd_warp_block(st->warps, warp, HD_BLOCK_MMA);
	hd_wake(st->ctx->self);
}

/* WG10: a meeting point of the four warps. */
static void meet(struct state *st, uint32_t warp)
{
	uint32_t lead = lead_of(st, warp), n = ++member(st, warp)->fences;
	struct group *g = group(st, lead);

	st->fences++;
	hold(st, warp, &st->meeting);
	for (uint32_t i = 0; i < MEMBERS; i++)
		if (member(st, lead + i)->fences < n)
			return;
	g->open_at = hd_now(st->ctx) + st->fence;
}

static void issued(void *self, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t warp = inst->warp;
	struct member *m;

	if (!inst->mask || hd_warp_in(st->warps->exited, warp))
		return;
	m = member(st, warp);
	if (!is_whole(st, lead_of(st, warp))) {
		wrong(st, inst, "the CTA has no four warps for this warpgroup; expected a multiple of 128 threads");
		return;
	}
	switch (inst->async.op) {
	case HD_ASYNC_MMA:
		if (inst->nlanes != HD_LANES) {
			wrong(st, inst, "a product of some lanes of the warp; expected all");
			return;
		}
		m->issued++;
		m->closed += (inst->async.how & HD_MMA_LAST) != 0;
		if (!(inst->async.how & HD_MMA_SHARED) && st->issue_registers > 1) {
			st->pause_until[warp] = hd_now(st->ctx) + st->issue_registers;
			hold(st, warp, &st->pausing);
		}
		break;
	case HD_ASYNC_MMA_FENCE:
		meet(st, warp);
		break;
	default:
		m->most = inst->async.n;
		if (m->closed - group(st, lead_of(st, warp))->done > m->most) {
			st->waits++;
			hold(st, warp, &st->waiting);
		}
	}
}

/* ---- operations ---- */

static const struct hd_inst *front(const struct state *st, uint32_t warp)
{
	const struct member *m = &st->member[warp];

	return hd_inst(st->pool, m->queue[m->head]);
}

/* How many instructions a sub-core may have here whose operation has not begun: fewer if one has A in registers.  A
 * warp that has none is let in with its first: another group's, which wait for warps elsewhere, may have all places. */
static void set_credits(struct state *st)
{
	uint32_t most = st->queue.v[st->waits_in_queue ? REGISTERS : SHARED];

	for (uint32_t s = 0; s < st->credits.n; s++) {
		struct hd_credits *c = (struct hd_credits *)st->credits.v + s;
		hd_warp_set spared = 0;
		uint32_t n = 0;

		for (uint32_t w = s; w < st->warps->count; w += st->credits.n) {
			n += st->member[w].issued;
			spared |= st->member[w].issued ? 0 : hd_warp_bit(w);
		}
		hd_credits_set(c, n < most ? most - n : 0);
		if ((spared & ~c->spared) && c->free == 0)
			hd_wake(c->issue);
		c->spared = spared;
	}
}

static uint32_t rows_of(const struct hd_inst *inst)
{
	return inst->async.how & HD_MMA_TALL ? 2 * ROWS : ROWS;
}

/* Cycles of what calculates, whatever the rows, and of the port of shared memory. */
static void times(const struct state *st, const struct hd_inst *inst, struct flight *f)
{
	bool sparse = inst->async.how & HD_MMA_SPARSE;
	uint32_t a = inst->async.how & HD_MMA_SHARED ? rows_of(inst) * 32 : 0, b = inst->async.n * (sparse ? 64u : 32u);

	f->compute = st->array ? st->array->cycles(st->array->self, inst)
			       : (inst->async.n + st->columns - 1) / st->columns;
	f->port = (a + b + st->port_width - 1) / st->port_width;
}

/* The instruction has come to the unit. */
static void accept(struct state *st, unsigned slot)
{
	hd_inst_ref ref = hd_inst_in(&st->in, slot);
	const struct hd_inst *inst = hd_inst(st->pool, ref);
	uint32_t warp = inst->warp, lead = lead_of(st, warp), least = UINT32_MAX;
	struct member *m = member(st, warp);

	hd_slot_take(&st->in, slot);
	if (inst->async.op != HD_ASYNC_MMA || !inst->mask || !is_whole(st, lead)) {
		hd_put(&st->out, &ref, sizeof ref);
		return;
	}
	if (inst->async.n == 0 || inst->async.n > 256 || inst->async.n % 8 || rows_of(inst) > st->rows
	    || m->count == QUEUE) {
		wrong(st, inst, "a product of no known shape; expected 64xNxK with N = 8, 16 ... 256");
		return;
	}
	if (st->counters)
		st->counters->read(st->counters->self, warp, inst->uid, inst->control.read, 1);
	m->queue[(m->head + m->count++) % QUEUE] = ref;
	for (uint32_t i = 0; i < MEMBERS; i++)
		if (member(st, lead + i)->count < least)
			least = st->member[lead + i].count;
	while (group(st, lead)->queued < least) {
		st->group[lead].queued++;
		st->waits_in_queue += !(inst->async.how & HD_MMA_SHARED);
		st->ready[(st->ready_head + st->nready++) % (sizeof st->ready / sizeof *st->ready)] = lead;
	}
}

/* The next operation begins. */
static void begin(struct state *st, uint64_t now)
{
	uint32_t lead = st->ready[st->ready_head], interval;
	const struct hd_inst *inst = front(st, lead);
	unsigned source = inst->async.how & HD_MMA_SHARED ? SHARED : REGISTERS;
	struct flight *f = &st->flight[(st->flight_head + st->nflight++) % FLIGHT];

	st->ready_head = (st->ready_head + 1) % (sizeof st->ready / sizeof *st->ready);
	st->nready--;
	*f = (struct flight){ .lead = lead, .closes = (inst->async.how & HD_MMA_LAST) != 0 };
	times(st, inst, f);
	interval = f->compute > f->port ? f->compute : f->port;
	f->leaves = now + interval;
	f->at = f->leaves + st->tail.v[source];
	for (uint32_t i = 0; i < MEMBERS; i++) {
		struct member *m = &st->member[lead + i];
		const struct hd_inst *other = hd_inst(st->pool, m->queue[m->head]);

		if (other->async.n != inst->async.n || other->async.more != inst->async.more
		    || other->async.how != inst->async.how)
			wrong(st, other, "another warp of the warpgroup has another product in its place");
		f->ref[i] = m->queue[m->head];
		hd_mark(st->ctx, st->pool, f->ref[i], MARK_MULTIPLIES, 0);
		m->head = (m->head + 1) % QUEUE;
		m->count--;
		m->issued--;
	}
	if (st->port)
		st->port->stream(st->port->self, f->port, interval);
	st->group[lead].queued--;
	st->group[lead].flight++;
	st->waits_in_queue -= source == REGISTERS;
	st->idle += st->operations ? now - st->last_end : 0;
	st->free_at = st->last_end = now + interval;
	st->operations++;
	st->busy += f->compute;
	st->starved += interval - f->compute;
	st->flops += (uint64_t)2 * rows_of(inst) * inst->async.n * inst->async.more;
	hd_emit(st->ctx, EVENT_START, lead, inst->async.n, interval);
}

/* For dumps: the tensor units are free now, if they have calculated the operation that began last. */
static void tell(const struct state *st, uint64_t now)
{
	const struct flight *f = &st->flight[(st->flight_head + st->nflight - 1) % FLIGHT];
	const struct hd_inst *inst;

	if (!st->nflight || f->leaves != now)
		return;
	inst = hd_inst(st->pool, f->ref[0]);
	for (uint32_t i = 0; i < MEMBERS; i++)
		hd_mark(st->ctx, st->pool, f->ref[i], MARK_RESULT, 0);
	hd_emit(st->ctx, EVENT_OPERATION, f->lead, inst->code, inst->pc, inst->async.n, inst->async.more,
	        f->port > f->compute ? f->port - f->compute : 0, f->port > f->compute ? f->port : f->compute);
}

/* When the next operation may begin; UINT64_MAX: there is none, or its group has enough in flight. */
static uint64_t begins_at(const struct state *st)
{
	uint32_t lead = st->ready[st->ready_head];
	const struct hd_inst *inst;
	uint64_t at = 0;

	if (!st->nready || st->nflight == FLIGHT || st->group[lead].flight >= st->in_flight)
		return UINT64_MAX;
	for (uint32_t i = 0; i < MEMBERS; i++) { /* .value is when each may: see eval() */
		inst = front(st, lead + i);
		if (inst->value > at)
			at = inst->value;
	}
	return at > st->free_at ? at : st->free_at;
}

/* Operations that are complete: their instructions leave, and groups end. */
static void complete(struct state *st, uint64_t now)
{
	while (st->nflight) {
		struct flight *f = &st->flight[st->flight_head];
		struct group *g = &st->group[f->lead];

		if (f->at > now)
			break;
		if (hd_room(&st->out) < MEMBERS)
			return;
		for (uint32_t i = 0; i < MEMBERS; i++)
			hd_put(&st->out, &f->ref[i], sizeof f->ref[i]);
		g->flight--;
		g->done += f->closes;
		hd_emit(st->ctx, EVENT_END, f->lead, g->done);
		if (f->closes)
			hd_emit(st->ctx, EVENT_COMMIT, f->lead, g->done);
		st->flight_head = (st->flight_head + 1) % FLIGHT;
		st->nflight--;
	}
}

/* ---- warps that are held ---- */

static void let_go(struct state *st, uint32_t warp, hd_warp_set *set)
{
	*set &= ~hd_warp_bit(warp);
	st->wait_cycles += hd_now(st->ctx) - st->since[warp];
	if (!hd_warp_in(st->waiting | st->meeting | st->pausing, warp))
		hd_warp_unblock(st->warps, warp, HD_BLOCK_MMA);
}

static void let_all_go(struct state *st, uint64_t now, uint64_t *next)
{
	for (hd_warp_set set = st->waiting; set;) {
		uint32_t warp = hd_warp_pop(&set);

		if (st->member[warp].closed - st->group[lead_of(st, warp)].done <= st->member[warp].most)
			let_go(st, warp, &st->waiting);
	}
	for (hd_warp_set set = st->meeting; set;) {
		uint32_t warp = hd_warp_pop(&set), lead = lead_of(st, warp);
		struct group *g = &st->group[lead];

		if (!g->open_at)
			continue;
		if (g->open_at > now) {
			*next = g->open_at < *next ? g->open_at : *next;
			continue;
		}
		g->open_at = 0;
		for (uint32_t i = 0; i < MEMBERS; i++)
			if (hd_warp_in(st->meeting, lead + i))
				let_go(st, lead + i, &st->meeting);
		set &= st->meeting;
	}
	for (hd_warp_set set = st->pausing; set;) {
		uint32_t warp = hd_warp_pop(&set);

		if (st->pause_until[warp] <= now)
			let_go(st, warp, &st->pausing);
		else if (st->pause_until[warp] < *next)
			*next = st->pause_until[warp];
	}
}

/* ---- an edge ---- */

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), next = UINT64_MAX, at;

	if (HD_UNLIKELY(st->ctx->observed))
		tell(st, now);
	complete(st, now);
	for (uint64_t slots = hd_slots_full(&st->in); slots && hd_room(&st->out);) {
		unsigned slot = hd_inst_oldest(st->pool, &st->in, slots);
		struct hd_inst *inst = hd_inst(st->pool, hd_inst_in(&st->in, slot));

		slots &= ~hd_bit(slot);
		inst->value = now + st->start.v[inst->async.how & HD_MMA_SHARED ? SHARED : REGISTERS];
		accept(st, slot);
	}
	while ((at = begins_at(st)) <= now)
		begin(st, now);
	set_credits(st);
	let_all_go(st, now, &next);
	if (at < next)
		next = at;
	if (st->nflight && st->flight[st->flight_head].at < next)
		next = st->flight[st->flight_head].at;
	if (st->free_at > now && st->free_at < next) /* for tell(), which may be looked at from any edge on */
		next = st->free_at;
	if (hd_slots_full(&st->in))
		return HD_NEXT;
	return next == UINT64_MAX ? HD_SLEEP : next > now ? next - now : HD_NEXT;
}

/* ---- callbacks ---- */

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	st->face = (struct hd_async_if){ .self = st, .ops = HD_ASYNC_MMA_OPS, .issued = issued };
	if (st->start.n != SOURCES || st->tail.n != SOURCES || st->queue.n != SOURCES)
		return hd_error(ctx, "'start', 'tail' and 'queue' have %u, %u and %u numbers; expected two each: with "
			"the first matrix in shared memory, and in registers", st->start.n, st->tail.n,
		  st->queue.n);
	for (uint32_t s = 0; s < st->credits.n; s++)
		((struct hd_credits *)st->credits.v)[s] = (struct hd_credits){ .classes = st->classes,
			.free = st->queue.v[SHARED], .taken = true, .products = true };
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (st->port)
		st->port_width = st->port->width;
	return hd_expect_capacity(st->ctx, &st->out, MEMBERS, "out", "the warps of a product");
}

static void report(const struct state *st, struct hd_pending *h, uint32_t warp, const char *what)
{
	const struct hd_warps *w = st->warps;

	hd_report_pending(h, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 " %s", w->kernel[warp],
	                  w->block[w->cta[warp]], hd_warp_in_cta(w, warp), what);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	for (uint32_t i = 0; i < st->warps->count; i++)
		if (st->member[i].count) {
			hd_inst_ref first = st->member[i].queue[st->member[i].head % QUEUE];
			char what[120];

			snprintf(what, sizeof what, "has a product at pc 0x%" PRIx32 " that waits for the other warps "
			         "of its warpgroup, or for the tensor units", hd_inst(st->pool, first)->pc);
			report(st, h, i, what);
		}
	if (st->nflight)
		hd_report_pending(h, "%u operations in the tensor units", st->nflight);
	for (hd_warp_set set = st->waiting; set;)
		report(st, h, hd_warp_pop(&set), "waits until fewer groups of products are open");
	for (hd_warp_set set = st->meeting; set;)
		report(st, h, hd_warp_pop(&set), "waits for the other warps of its warpgroup");
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, member, last_end);
	HD_SAVED_FROM(k, st, waiting, pause_until);
	HD_SAVED(k, st->waits_in_queue);
	HD_SAVED(k, st->since);
	for (uint32_t s = 0; s < st->credits.n; s++) {
		HD_SAVED(k, ((struct hd_credits *)st->credits.v)[s].free);
		HD_SAVED(k, ((struct hd_credits *)st->credits.v)[s].spared);
	}
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "products", .unit = "", .doc = "classes of the products, for the places that the issue stages count",
	  .type = HD_SYMBOLS, .kind = "class", .offset = P(classes), .def = "[]", .max = 64 },
	{ .name = "rows", .unit = "rows", .doc = "of the largest product, 64 or 128; one of 64 takes as long",
	  .type = HD_U32, .offset = P(rows), .def = "64", .min = ROWS, .max = 2 * ROWS },
	{ .name = "columns", .unit = "columns", .doc = "of a product that the tensor units of an SM finish in a cycle, "
	  "for 256 bits of each row of the first matrix", .type = HD_U32, .offset = P(columns), .def = "2", .min = 1,
	  .max = 256 },
	{ .name = "port_width", .unit = "bytes", .doc = "of operands read in a cycle, if port 'port' is open",
	  .type = HD_U32,
	  .offset = P(port_width), .def = "128", .min = 1, .max = 4096 },
	{ .name = "start", .unit = "cycles", .doc = "from here until the operation of the fourth warp may begin: with "
	  "the first matrix in shared memory, and in registers", .type = HD_U32S, .offset = P(start), .def = "[2, 8]",
	  .max = 1024 },
	{ .name = "tail", .unit = "cycles", .doc = "from the last cycle of an operation until those who wait for it go "
	  "on; the same", .type = HD_U32S, .offset = P(tail), .def = "[43, 33]", .min = 1, .max = 4096 },
	{ .name = "queue", .unit = "instructions", .doc = "of a sub-core, issued and not begun; the same",
	  .type = HD_U32S,
	  .offset = P(queue), .def = "[6, 5]", .min = 1, .max = QUEUE },
	{ .name = "in_flight", .unit = "operations", .doc = "of a warpgroup that have begun and are not complete",
	  .type = HD_U32, .offset = P(in_flight), .def = "8", .min = 1, .max = FLIGHT },
	{ .name = "issue_registers", .unit = "cycles", .doc = "for which a warp issues nothing behind a product whose "
	  "first matrix is in registers", .type = HD_U32, .offset = P(issue_registers), .def = "9", .max = 64 },
	{ .name = "fence", .unit = "cycles", .doc = "from the fourth warp at a meeting point until all go on",
	  .type = HD_U32,
	  .offset = P(fence), .def = "19", .min = 1, .max = 1024 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "async", .doc = "for the issue stages", .kind = HD_PROVIDES,
	  .flags = HD_PROVIDER_FIRST | HD_ORDERED, .type = &hd_type_async_if,
	  .offset = P(face) },
	{ .name = "credits", .doc = "places, for the issue stages: as many as there are links share the warps",
	  .kind = HD_PROVIDES, .flags = HD_ARRAY | HD_PROVIDER_FIRST | HD_ORDERED | HD_OPTIONAL,
	  .type = &hd_type_credits,
	  .offset = P(credits) },
	{ .name = "in", .doc = "products, meeting points, waits", .kind = HD_IN, .flags = HD_SLOTS,
	  .type = &hd_type_inst,
	  .offset = P(in) },
	{ .name = "out", .doc = "to writeback, when they are complete", .kind = HD_OUT, .type = &hd_type_inst,
	  .offset = P(out) },
	{ .name = "warps", .doc = "their CTAs, and warps that wait", .kind = HD_USES, .type = &hd_type_warps,
	  .offset = P(warps) },
	{ .name = "counters", .doc = "read counters fall; open: there are none", .kind = HD_USES,
	  .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_counters, .offset = P(counters) },
	{ .name = "port", .doc = "port of shared memory; open: operands are not in the way of others", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_smem_port_if, .offset = P(port) },
	{ .name = "array", .doc = "what calculates them; open: units that finish `columns` in a cycle", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_products_if, .offset = P(array) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "operations", .unit = "operations", .doc = "products of warpgroups", .offset = P(operations) },
	{ .name = "flops", .unit = "operations", .doc = "multiplications and additions in them, as if all elements "
	  "counted",
	  .offset = P(flops) },
	{ .name = "busy", .unit = "cycles", .doc = "in which the tensor units calculated", .offset = P(busy),
	  .rate = "tensor utilisation" },
	{ .name = "starved", .unit = "cycles", .doc = "in which they waited for operands from shared memory",
	  .offset = P(starved) },
	{ .name = "idle", .unit = "cycles", .doc = "between operations, in which they had no instruction",
	  .offset = P(idle) },
	{ .name = "fences", .unit = "warp instructions", .doc = "meeting points", .offset = P(fences) },
	{ .name = "waits", .unit = "warp instructions", .doc = "waits for groups that held their warp",
	  .offset = P(waits) },
	{ .name = "wait_cycles", .unit = "cycles", .doc = "for which warps were held, all together",
	  .offset = P(wait_cycles) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_START] = { .name = "start", .doc = "an operation begins", .fields = {
		{ "warp", "", "the first of its warpgroup", NULL, HD_FIELD_KEY }, { "n", "columns", "of the product" },
		{ "cycles", "cycles", "until the next may begin" } } },
	[EVENT_END] = { .name = "end", .doc = "it is complete", .fields = {
		{ "warp", "", "the first of its warpgroup", NULL, HD_FIELD_KEY },
		{ "groups", "groups", "of the warpgroup that are complete" } } },
	[EVENT_COMMIT] = { .name = "commit", .doc = "a group of operations is complete", .fields = {
		{ "warp", "", "the first of its warpgroup", NULL, HD_FIELD_KEY },
		{ "groups", "groups", "of the warpgroup that are complete" } } },
	[EVENT_OPERATION] = { .name = "operation", .doc = "the tensor units have worked on one", .fields = {
		{ "warp", "", "the first of its warpgroup", NULL, HD_FIELD_KEY | HD_FIELD_APART },
		{ "code", "", "its instruction", "code" }, { "pc", "bytes", "its address", NULL, HD_FIELD_HIDDEN },
		{ "n", "columns", "of the product" }, { "k", "elements", "of a row of the first matrix" },
		{ "starved", "cycles", "of them in which operands were missing" },
		{ "cycles", "cycles", "from its begin until the next may begin", NULL, HD_FIELD_SPAN } } },
	{ .name = NULL },
};

static const struct hd_mark marks[] = {
	[MARK_MULTIPLIES] = { .name = "multiplies", .doc = "the tensor units work on its operation" },
	[MARK_RESULT] = { .name = "accumulates", .doc = "its operation is calculated, and its result on the way" },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "waiting", .offset = P(waiting), .size = sizeof(hd_warp_set) },
	{ .name = "meeting", .offset = P(meeting), .size = sizeof(hd_warp_set) },
	{ .name = "pausing", .offset = P(pausing), .size = sizeof(hd_warp_set) },
	{ .name = NULL },
};

static const struct hd_reason reasons[] = {
	[REASON_QUEUE] = { "queue", "the unit has no room for the instruction" },
	{ 0 },
};

static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	(void)state;
	(void)port;
	(void)link;
	return (struct hd_answer){ .reason = REASON_QUEUE };
}

const struct hd_module hd_module_warpgroup_mma = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "warpgroup_mma",
	.doc = "products of matrices of four warps each, with operands in shared memory: one for the SM",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.marks = marks,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.report_pending = report_pending,
	.reasons = reasons,
	.stall_cause = stall_cause,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};
