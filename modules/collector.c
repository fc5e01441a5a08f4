/* collector.c - operand collector: gathers the sources of issued instructions from the banks
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Operand collector.  Collector units form sets; an input port serves some
 * register sets and fills units of some sets; a dispatch unit empties the units of one set,
 * starting after the one that it emptied last.  Each step of an edge is dispatch, read, allocate.
 */
#include "collector/collector.h"

#include <stdlib.h>

enum { PORT_IN, PORT_OUT, PORT_REGFILE, PORT_CACHE };
enum { MARK_READY };
enum { REASON_OPERANDS, REASON_PORTS };

/* The units that have a free place in front of them. */
static inline uint64_t in_front(const struct collector *c, uint64_t units, uint64_t room,
                                const struct hd_end *out)
{
	uint64_t set = 0;

	if (!room)
		return 0;
	if (room == out->slots || !c->sub_cores)
		return units;
	while (room) /* place k is that of slice k */
		set |= c->slice[hd_bits_pop(&room)];
	return set & units;
}

/* Finds the ready units that can leave; requests a wake where there is no room. */
static inline void find_movable(struct collector *c)
{
	uint64_t todo = c->ready & ~(c->movable | c->stuck);

	while (todo) {
		uint32_t route = c->unit[hd_bits_first(todo)].route;
		struct route *r = &c->route[route];
		uint64_t same = r->holds & todo, go;

		todo ^= same;
		if (!hd_bits_has(c->seen, route)) {
			c->seen |= hd_bit(route);
			r->room = hd_slots_free(r->out);
		}
		go = in_front(c, same, r->room, r->out);
		c->movable |= go;
		if (go != same) {
			c->stuck |= same & ~go; /* in this edge no room is made any more */
			hd_want_slots(r->out, ~r->room);
		}
	}
}

static inline void dispatch_unit(struct collector *c, uint32_t u)
{
	const struct unit *unit = &c->unit[u];
	struct route *r = &c->route[unit->route];
	uint64_t bit = hd_bit(u), mask = c->place_mask[u], room = r->room & mask;
	unsigned place = hd_bits_first(room);

	hd_slot_put(r->out, place, &unit->inst, sizeof(hd_inst_ref));
	r->room ^= hd_bit(place);
	c->occupied ^= bit;
	c->ready ^= bit;
	c->movable ^= bit;
	r->holds ^= bit;
	if (!(room & (room - 1))) { /* nor is there room for those beside it */
		uint64_t beside = r->holds & c->beside[u] & c->ready;

		c->movable &= ~beside;
		c->stuck |= beside;
		if (beside)
			hd_want_slots(r->out, mask);
	}
}

static inline void dispatch(struct collector *c, struct dispatch *d)
{
	uint64_t todo = c->movable & d->units, ahead = todo & d->ahead;
	uint32_t u;

	if (!todo)
		return;
	u = hd_bits_first(ahead ? ahead : todo);
	d->ahead = c->ahead[u];
	dispatch_unit(c, u);
}

/* First free unit that the port may fill for this scheduler, or MAX_UNITS; then *needs is the set
 * of usable units. */
static uint32_t free_unit(const struct collector *c, const struct port *p, uint32_t sched,
                          uint64_t *needs)
{
	for (uint32_t i = 0; i < p->nsets; i++) {
		uint64_t share = p->share[i][sched];
		uint64_t room = share & ~c->occupied;

		if (room)
			return hd_bits_first(room);
		*needs |= share;
	}
	return MAX_UNITS;
}

/* The sources that the register-file cache does not hold; returns how many.  A register that is named
 * by two operands is read if one of them misses. */
static uint32_t missing(const struct collector *c, const struct hd_inst *inst, uint16_t *reg)
{
	const struct hd_control *w = &inst->control;
	uint32_t held, n = 0;

	if (inst->flags & (HD_INST_LOAD | HD_INST_STORE)) {
		memcpy(reg, inst->src, inst->nsrc * sizeof *reg);
		return inst->nsrc;
	}
	held = c->cache->hits(c->cache->self, inst);
	c->cache->use(c->cache->self, inst);
	for (uint32_t i = 0; i < inst->nsrc; i++) {
		bool hit = false, miss = false;

		for (uint32_t k = 0; k < HD_OPERAND_SLOTS; k++) {
			if (inst->src[i] - (uint32_t)w->slot[k] >= w->nslot[k])
				continue;
			hit |= held >> k & 1;
			miss |= !(held >> k & 1);
		}
		if (!hit || miss)
			reg[n++] = inst->src[i];
	}
	return n;
}

/* Moves the oldest instruction of a register set into a unit.  It stays the oldest until it leaves, so
 * the units that it needs are kept. */
static inline bool allocate(struct collector *c, const struct port *p, uint32_t route)
{
	struct route *r = &c->route[route];
	unsigned slot = hd_inst_oldest(c->pool, r->in, r->slots);
	hd_inst_ref ref = hd_inst_in(r->in, slot);
	const struct hd_inst *inst = hd_inst(c->pool, ref);
	uint64_t needs = 0, bit;
	uint32_t u = free_unit(c, p, inst->sched, &needs), nsrc = inst->nsrc;
	const uint16_t *src = inst->src;
	uint16_t some[HD_MAX_SRC];

	if (u == MAX_UNITS) {
		if (HD_UNLIKELY(c->sub_cores && inst->sched >= c->sub_cores))
			hd_error(c->ctx, "scheduler %u issued an instruction to it, and 'sub_cores' is %u; "
			         "expected at least %u, or 0", inst->sched, c->sub_cores, inst->sched + 1U);
		r->needs = needs;
		r->needs_at = p;
		return false;
	}
	bit = hd_bit(u);
	r->slots ^= hd_bit(slot);
	hd_slot_take(r->in, slot);
	r->needs = 0;
	r->holds |= bit;
	c->unit[u] = (struct unit){ ref, route };
	c->occupied |= bit;
	c->collected++;
	if (HD_UNLIKELY(c->cache != NULL) && nsrc) {
		nsrc = missing(c, inst, some);
		src = some;
	}
	if (nsrc == 0) {
		c->ready |= bit;
	} else {
		c->waiting[u] = (uint8_t)nsrc;
		c->regfile->read(c->regfile->self, u, inst->warp, src, nsrc);
	}
	return true;
}

/* The payloads at the inputs; in this edge nothing else changes them any more.  Most of it is
 * empty. */
static inline void look_ahead(struct collector *c)
{
	uint32_t n = c->in.n;
	uint64_t filled = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct route *r = &c->route[i];
		uint64_t full = *r->front & r->mine;

		if (HD_UNLIKELY(full)) {
			r->slots = full;
			filled |= hd_bit(i);
		}
	}
	for (uint64_t m = filled; HD_UNLIKELY(c->delays) && m;) {
		uint32_t i = hd_bits_pop(&m);

		c->route[i].slots = hd_slots_full(c->route[i].in);
		if (!c->route[i].slots)
			filled &= ~hd_bit(i);
	}
	c->filled = filled;
}

/* A register set whose oldest instruction finds no unit stays as it is until the next step, so the
 * other ports of the kind need not try it again. */
static inline void allocate_all(struct collector *c)
{
	const struct port *p = c->port, *end = p + c->ports.n;

	for (; c->filled && p < end; p++) {
		uint64_t look = c->filled & p->routes;

		for (uint32_t i = p->count; look && i > 0; i--) {
			for (uint64_t m = look; m;) {
				uint32_t route = hd_bits_pop(&m);
				const struct route *r = &c->route[route];

				if ((r->needs && !(r->needs & ~c->occupied) && r->needs_at == p)
				    || !allocate(c, p, route)) {
					c->refused = true;
					look &= ~hd_bit(route);
					continue;
				}
				if (!r->slots) { /* that was the last one */
					c->filled &= ~hd_bit(route);
					look &= ~hd_bit(route);
				}
			}
		}
	}
}

/* For dumps: these units were ready when the edge began, and none of them was emptied. */
static __attribute__((noinline)) void mark_stuck(struct collector *c, uint64_t left)
{
	for (uint64_t m = left & ~c->marked; m;)
		hd_mark(c->ctx, c->pool, c->unit[hd_bits_pop(&m)].inst, MARK_READY, 0);
	c->marked = left;
}

static uint64_t eval(void *state)
{
	struct collector *c = state;
	uint64_t collected = c->collected, left = c->ready;
	bool moved = false, reading = false;

	c->refused = false;
	look_ahead(c);
	c->seen = c->movable = c->stuck = 0;
	for (uint32_t s = 0; s < c->steps; s++) {
		if (c->ready) {
			find_movable(c);
			moved = moved || c->movable;
			for (uint32_t i = 0; c->movable && i < c->ndispatch; i++)
				dispatch(c, &c->dispatch[i]);
		}
		left &= c->ready; /* the next two lines only add to it */
		if (c->occupied & ~c->ready) {
			reading = true;
			c->ready |= c->regfile->step(c->regfile->self, s == 0, c->waiting);
		}
		if (c->filled)
			allocate_all(c);
	}
	c->full += c->refused;
	if (HD_UNLIKELY(c->ctx->observed))
		mark_stuck(c, left);
	/* nothing moved and nothing is being read: only a port can change that */
	return moved || reading || c->collected != collected ? HD_NEXT : HD_SLEEP;
}

static void skipped(void *state, uint64_t n)
{
	struct collector *c = state;

	if (c->refused)
		c->full += n;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct collector *c = state;

	c->ctx = ctx;
	c->pool = hd_pool(ctx, &hd_type_inst);
	return hd__collector_layout(c);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct collector *c = state;

	for (uint64_t m = c->occupied; m;) {
		uint32_t u = hd_bits_pop(&m);

		hd_report_pending(h, "unit %u: an instruction of warp %u that %s", u,
		         hd_inst(c->pool, c->unit[u].inst)->warp,
		         hd_bits_has(c->ready, u) ? "waits for its function unit" : "waits for operands");
	}
}

/* The cause is that of the oldest of the units that the set could use. */
static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	const struct collector *c = state;
	uint64_t m = c->route[link].needs & c->occupied;
	uint32_t u;

	(void)port; /* there is one */
	if (!m)
		return (struct hd_answer){ .reason = REASON_PORTS, .holds = true };
	u = hd_bits_pop(&m);
	while (m) {
		uint32_t k = hd_bits_pop(&m);

		if (hd_inst(c->pool, c->unit[k].inst)->uid < hd_inst(c->pool, c->unit[u].inst)->uid)
			u = k;
	}
	if (!hd_bits_has(c->ready, u))
		return (struct hd_answer){ .reason = REASON_OPERANDS, .holds = true };
	return (struct hd_answer){ .behind = c->route[c->unit[u].route].out,
		                   .slot = (uint16_t)hd_bits_first(c->place_mask[u]), .holds = true };
}

static void fini(void *state)
{
	free(((struct collector *)state)->dispatch);
	free(((struct collector *)state)->port);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct collector *c = state;

	hd_saved(k, c->dispatch, c->ndispatch * sizeof *c->dispatch);
	HD_SAVED_FROM(k, c, occupied, waiting);
	for (uint32_t i = 0; i < c->in.n; i++) {
		struct route *r = &c->route[i];
		uint64_t at = r->needs_at ? (uint64_t)(r->needs_at - c->port) + 1 : 0;

		HD_SAVED_FROM(k, r, holds, needs);
		at = hd_saved_number(k, at, c->ports.n);
		r->needs_at = at ? &c->port[at - 1] : NULL;
	}
	HD_SAVED_FROM(k, c, refused, full);
	HD_SAVED_FROM(k, c, filled, marked);
}

#define P(f) offsetof(struct collector, f)

static const struct hd_param set_columns[] = {
	{ .name = "name", .unit = "", .doc = "name of the set", .type = HD_SYMBOL,
	  .kind = "collector set", .offset = offsetof(struct set_row, name) },
	{ .name = "units", .unit = "units", .doc = "collector units in the set", .type = HD_U32,
	  .offset = offsetof(struct set_row, units), .min = 1, .max = MAX_UNITS },
	{ .name = "dispatch", .unit = "instructions", .doc = "dispatch units: instructions that leave "
	  "the set per step", .type = HD_U32, .offset = offsetof(struct set_row, dispatch), .min = 1,
	  .max = 256 },
	{ .name = NULL },
};

static const struct hd_param port_columns[] = {
	{ .name = "count", .unit = "ports", .doc = "number of ports of this kind",
	  .type = HD_U32, .offset = offsetof(struct port_row, count), .def = "1", .min = 1,
	  .max = 256 },
	{ .name = "takes", .unit = "", .doc = "kinds of unit whose register sets the port serves, in "
	  "the order of the links; none: all", .type = HD_SYMBOLS, .kind = "unit", .def = "[]",
	  .offset = offsetof(struct port_row, takes) },
	{ .name = "units", .unit = "", .doc = "sets whose units the port fills, in the order of "
	  "'sets'; none: all", .type = HD_SYMBOLS, .kind = "collector set", .def = "[]",
	  .offset = offsetof(struct port_row, units) },
	{ .name = "first", .unit = "", .doc = "those of them that are filled before the others",
	  .type = HD_SYMBOLS, .kind = "collector set", .def = "[]",
	  .offset = offsetof(struct port_row, first) },
	{ .name = NULL },
};

static const struct hd_param params[] = {
	{ .name = "sub_cores", .unit = "", .doc = "sub-cores among which units are divided; 0, or 1 in an "
	  "array of collectors: every unit serves every scheduler", .type = HD_U32,
	  .offset = P(sub_cores), .def = "0", .min = 0, .max = 64 },
	{ .name = "steps", .unit = "steps", .doc = "steps per cycle: reads that a bank serves",
	  .type = HD_U32, .offset = P(steps), .def = "1", .min = 1, .max = 64 },
	{ .name = "sets", .unit = "", .doc = "sets of collector units", .type = HD_TABLE,
	  .offset = P(sets), .min = 1, .max = 16, .columns = set_columns,
	  .row_size = sizeof(struct set_row) },
	{ .name = "ports", .unit = "", .doc = "input ports, in the order in which they are served",
	  .type = HD_TABLE, .offset = P(ports), .min = 1, .max = 64, .columns = port_columns,
	  .row_size = sizeof(struct port_row) },
	{ .name = NULL },
};

static const struct hd_param route_params[] = {
	{ .name = "unit", .unit = "", .doc = "kind of unit that the register set is for",
	  .type = HD_SYMBOL, .kind = "unit", .offset = offsetof(struct route_attr, unit) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_IN] = { .name = "in", .doc = "register sets of issued instructions", .kind = HD_IN,
	              .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst, .offset = P(in),
	              .attrs = route_params, .attr_size = sizeof(struct route_attr) },
	[PORT_OUT] = { .name = "out", .doc = "register sets in front of the function units",
	               .kind = HD_OUT, .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst,
	               .offset = P(out), .attrs = route_params,
	               .attr_size = sizeof(struct route_attr) },
	[PORT_REGFILE] = { .name = "regfile", .doc = "operands are read from it", .kind = HD_USES,
	                   .type = &hd_type_regfile_if, .offset = P(regfile) },
	[PORT_CACHE] = { .name = "cache", .doc = "operands that it holds are not read; needs control words; "
	                 "open: there is none", .kind = HD_USES, .flags = HD_OPTIONAL,
	                 .type = &hd_type_register_cache_if, .offset = P(cache) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "collected", .unit = "warp instructions", .doc = "instructions that got a unit",
	  .offset = P(collected) },
	{ .name = "full", .unit = "cycles", .doc = "cycles in which an instruction found no free unit",
	  .offset = P(full) },
	{ .name = NULL },
};

static const struct hd_mark marks[] = {
	[MARK_READY] = { "ready", "it has its operands, and its function unit has no room", NULL, NULL },
	{ 0 },
};

static const struct hd_reason reasons[] = {
	[REASON_OPERANDS] = { "operands", "the collector units wait for reads of the register file, "
	                      "each bank of which serves one in a step" },
	[REASON_PORTS] = { "ports", "the input ports took other instructions" },
	{ 0 },
};

const struct hd_module hd_module_collector = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "collector",
	.doc = "operand collector: units that gather the operands of issued instructions",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct collector),
	.init = init,
	.eval = eval,
	.skipped = skipped,
	.report_pending = report_pending,
	.fini = fini,
	.marks = marks,
	.reasons = reasons,
	.stall_cause = stall_cause,
	.checkpoint = checkpoint,
};
