/* collector.c - operand collector: gathers the sources of issued instructions from the banks
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Operand collector.  Collector units form sets; an input port serves some
 * register sets and fills units of some sets; a dispatch unit empties the units of one set,
 * starting after the one that it emptied last.  Each step of an edge is dispatch, read, allocate.
 */
#include "collector/collector_parts.h"

enum { MARK_READY };
enum { REASON_OPERANDS, REASON_PORTS };

/* ---- instructions leave their units ---- */

/* An instruction leaves its unit if there is room behind it: for `plain`, in a register set that is neither timed nor
 * staged. */
static inline bool leave(const struct collector *c, uint32_t u, bool plain)
{
	const struct hd_end *out = c->behind[u];
	uint64_t places = c->place_mask[u] & out->slots;
	uint64_t room = plain ? places & ~*hd_slots_word(out) : hd_slots_among(out, places);

	if (!room)
		return false;
	hd_slot_put(out, hd_bits_first(room), &c->inst[u], sizeof(hd_inst_ref));
	return true;
}

/* Each dispatch unit of a set empties one unit, if one of those that are ready has room behind it.  Returns
 * the units emptied.  Those without room go into *stuck and stay as they are until the next edge: in this one
 * no more is made. */
static inline __attribute__((always_inline)) uint64_t
dispatch_set(struct collector *c, const struct set *set, uint64_t ready, uint64_t *stuck, bool plain)
{
	struct dispatch *d = set->first;
	uint64_t gone = 0;

	while (ready) {
		uint64_t ahead = ready & d->ahead, from = ahead ? ahead : ready;
		uint64_t bit = hd_bits_lowest(from);
		uint32_t u = hd_bits_first(from);

		ready ^= bit;
		if (!leave(c, u, plain)) {
			*stuck |= bit;
			continue;
		}
		gone |= bit;
		d->ahead = c->ahead[u];
		if (++d == set->end)
			break;
	}
	return gone;
}

static __attribute__((noinline)) uint64_t dispatch_others(struct collector *c, uint64_t ready, uint64_t *stuck)
{
	uint64_t gone = 0;

	for (uint32_t i = 1; i < c->sets.n; i++)
		gone |= dispatch_set(c, &c->set[i], ready & c->set[i].units, stuck, false);
	return gone;
}

static inline __attribute__((always_inline)) uint64_t
dispatch(struct collector *c, uint64_t ready, uint64_t *stuck, bool plain)
{
	uint64_t without = 0, gone = dispatch_set(c, c->set, ready & c->set->units, &without, plain);

	if (HD_UNLIKELY(c->sets.n > 1)) {
		uint64_t more = 0;

		gone |= dispatch_others(c, ready, &more);
		without |= more;
	}
	*stuck |= without;
	c->occupied ^= gone;
	c->ready ^= gone;
	return gone;
}

/* Nothing moves before there is room behind one of the units that are ready. */
static inline uint64_t wait_for_room(const struct collector *c)
{
	for (uint64_t m = c->ready; m;) {
		uint32_t u = hd_bits_pop(&m);

		hd_want_slots(c->behind[u], c->place_mask[u] & c->behind[u]->slots);
	}
	return HD_SLEEP;
}

/* ---- instructions get units ---- */

/* The free units in the first set that has one for this scheduler, of the sets that the port may fill after its
 * first.  *needs gets the set of usable units. */
static __attribute__((noinline)) uint64_t
free_in_others(const struct collector *c, const struct port *p, uint32_t sched, uint64_t *needs)
{
	for (uint32_t i = 1; i < p->nsets; i++) {
		uint64_t share = p->share[i][sched], room = share & ~c->occupied;

		if (room)
			return room;
		*needs |= share;
	}
	return 0;
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

static __attribute__((noinline)) void read_missing(struct collector *c, uint32_t u, const struct hd_inst *inst)
{
	uint16_t reg[HD_MAX_SRC];
	uint32_t n = missing(c, inst, reg);

	if (n)
		hd_regfile_read(c->regfile, u, inst->warp, reg, n);
	else
		c->ready |= hd_bit(u);
}

static __attribute__((noinline)) void misplaced(const struct collector *c, const struct hd_inst *inst)
{
	if (c->sub_cores && inst->sched >= c->sub_cores)
		hd_error(c->ctx, "scheduler %u issued an instruction to it, and 'sub_cores' is %u; "
		         "expected at least %u, or 0", inst->sched, c->sub_cores, inst->sched + 1U);
}

/* The oldest instruction of a register set finds no unit.  It stays the oldest until it leaves, so the units that it
 * needs are kept, and its slot. */
static inline void refuse(struct collector *c, const struct port *p, struct route *r, unsigned slot, uint64_t needs)
{
	r->needs = needs;
	r->needs_at = p;
	r->slot = slot;
	c->refused |= r->bit;
}

/* Moves the oldest instruction of a register set into a unit, unless it is refused.  `share`: the first row
 * of the port.  Returns the route, as a set, if it has more. */
static inline __attribute__((always_inline)) uint64_t
allocate(struct collector *c, const struct port *p, struct route *r, const uint64_t *share)
{
	unsigned slot = HD_LIKELY(!r->needs) ? hd_inst_oldest(c->pool, r->in, r->slots) : r->slot;
	hd_inst_ref ref = hd_inst_in(r->in, slot);
	const struct hd_inst *inst = hd_inst(c->pool, ref);
	uint64_t needs = share[inst->sched], room = needs & ~c->occupied, bit, again;
	uint32_t u;

	if (HD_UNLIKELY(!room) && (p->nsets == 1 || !(room = free_in_others(c, p, inst->sched, &needs)))) {
		if (HD_UNLIKELY(needs == 0))
			misplaced(c, inst);
		refuse(c, p, r, slot, needs);
		return 0;
	}
	hd_slot_take(r->in, slot);
	u = hd_bits_first(room);
	bit = hd_bits_lowest(room);
	c->inst[u] = ref;
	c->behind[u] = r->behind;
	c->occupied |= bit;
	c->collected++;
	r->needs = 0;
	again = r->bit;
	r->slots ^= hd_bit(slot);
	if (!r->slots) {
		c->filled ^= again;
		again = 0;
	}
	if (inst->nsrc == 0)
		c->ready |= bit;
	else if (HD_UNLIKELY(c->cache != NULL))
		read_missing(c, u, inst);
	else
		hd_regfile_read(c->regfile, u, inst->warp, inst->src, inst->nsrc);
	return again;
}

static inline uint64_t look_at(struct route *r)
{
	uint64_t full = *r->full & r->mine;

	if (HD_LIKELY(!full))
		return 0;
	r->slots = full;
	return r->bit;
}

/* The payloads at the inputs; in this edge nothing else changes them any more.  Most of it is
 * empty. */
static inline void look_ahead(struct collector *c)
{
	uint64_t filled = 0;

	for (struct route *r = c->route, *end = r + c->in.n; r < end; r += 3) {
		filled |= look_at(&r[0]);
		filled |= look_at(&r[1]);
		filled |= look_at(&r[2]);
	}
	c->filled = filled;
	for (uint64_t m = filled; HD_UNLIKELY(c->delays) && m;) {
		struct route *r = &c->route[hd_bits_pop(&m)];

		r->slots = hd_slots_full(r->in);
		if (!r->slots)
			c->filled ^= r->bit;
	}
}

/* Some ports of one kind, each of which serves each of these register sets once. */
static inline __attribute__((always_inline)) void
allocate_from(struct collector *c, const struct port *p, uint64_t look)
{
	const uint64_t *share = p->share[0];
	uint64_t again = 0;
	uint32_t n = p->count;

	do {
		again |= allocate(c, p, c->by_bit[hd_bits_pop(&look)], share);
		if (!look && --n > 0) {
			look = again;
			again = 0;
		}
	} while (look);
}

/* The register sets, of these, whose oldest instruction still finds none of the units that it needs at this port. */
static uint64_t still_refused(const struct collector *c, const struct port *p, uint64_t look)
{
	uint64_t set = 0;

	while (look) {
		uint32_t i = hd_bits_pop(&look);
		const struct route *r = &c->route[i];

		if (r->needs && !(r->needs & ~c->occupied) && r->needs_at == p)
			set |= hd_bit(i);
	}
	return set;
}

/* A register set whose oldest instruction finds no unit stays as it is until the next step, so the
 * other ports of the kind need not try it again. */
static void allocate_all(struct collector *c)
{
	c->refused = 0;
	for (const struct port *p = c->port, *end = p + c->ports.n; c->filled && p < end; p++) {
		uint64_t look = c->filled & p->routes, refused = still_refused(c, p, look);

		c->refused |= refused;
		if (look != refused)
			allocate_from(c, p, look ^ refused);
	}
}

/* Does what allocate_all() does for ports that are all of one kind: what was refused stays refused until one of the
 * units that it needs is emptied. */
static inline void allocate_alike(struct collector *c)
{
	uint64_t look = c->filled & ~c->refused; /* they serve all routes */

	if (look)
		allocate_from(c, c->port, look);
}

static inline void emptied(struct collector *c, uint64_t units)
{
	for (uint64_t m = c->refused; m;) {
		uint32_t i = hd_bits_pop(&m);

		if (c->route[i].needs & units)
			c->refused ^= hd_bit(i);
	}
}

/* For dumps: these units were ready when the edge began, and none of them was emptied. */
static __attribute__((noinline)) void mark_stuck(struct collector *c, uint64_t left)
{
	for (uint64_t m = left & ~c->marked; m;)
		hd_mark(c->ctx, c->pool, c->inst[hd_bits_pop(&m)], MARK_READY, 0);
	c->marked = left;
}

static inline __attribute__((always_inline)) uint64_t eval_with(struct collector *c, bool plain)
{
	uint64_t collected = c->collected, ready = c->ready, gone = 0, refused = 0, stuck = 0;
	bool reading = false;

	look_ahead(c);
	for (uint32_t s = 0; s < c->steps; s++) {
		uint64_t todo = c->ready & ~stuck;

		if (todo) {
			uint64_t now = dispatch(c, todo, &stuck, plain);

			gone |= now;
			if (plain && c->refused)
				emptied(c, now);
		}
		if (c->occupied & ~c->ready) {
			reading = true;
			c->ready |= hd_regfile_step(c->ctx, c->regfile, s == 0, c->occupied & ~c->ready);
		}
		if (!plain)
			allocate_all(c);
		else
			allocate_alike(c);
		refused |= c->refused;
	}
	if (refused)
		c->full++;
	if (HD_UNLIKELY(c->ctx->observed))
		mark_stuck(c, ready & ~gone);
	/* nothing moved and nothing is being read: only a port can change that */
	return (gone | reading | (c->collected ^ collected)) != 0 ? HD_NEXT : wait_for_room(c);
}

static __attribute__((noinline)) uint64_t eval_others(struct collector *c)
{
	return eval_with(c, false);
}

static uint64_t eval(void *state)
{
	struct collector *c = state;

	return HD_LIKELY(c->plain) ? eval_with(c, true) : eval_others(c);
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
		         hd_inst(c->pool, c->inst[u])->warp,
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

		if (hd_inst(c->pool, c->inst[k])->uid < hd_inst(c->pool, c->inst[u])->uid)
			u = k;
	}
	if (!hd_bits_has(c->ready, u))
		return (struct hd_answer){ .reason = REASON_OPERANDS, .holds = true };
	return (struct hd_answer){ .behind = c->behind[u],
		                   .slot = (uint16_t)hd_bits_first(c->place_mask[u]), .holds = true };
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct collector *c = state;

	for (uint32_t i = 0; i < c->ndispatch; i++)
		HD_SAVED(k, c->dispatch[i].ahead);
	HD_SAVED_FROM(k, c, occupied, inst);
	for (uint64_t m = c->occupied; m;) {
		uint32_t u = hd_bits_pop(&m);
		uint64_t at = hd_saved_number(k, c->behind[u] ? (uint64_t)(c->behind[u] - c->out.v) : 0, c->out.n - 1);

		c->behind[u] = &c->out.v[at];
	}
	for (uint32_t i = 0; i < c->in.n; i++) {
		struct route *r = &c->route[i];
		uint64_t at = r->needs_at ? (uint64_t)(r->needs_at - c->port) + 1 : 0;

		HD_SAVED(k, r->needs);
		HD_SAVED(k, r->slot);
		at = hd_saved_number(k, at, c->ports.n);
		r->needs_at = at ? &c->port[at - 1] : NULL;
	}
	HD_SAVED(k, c->refused);
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
	{ .name = "in", .doc = "register sets of issued instructions", .kind = HD_IN,
	  .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst, .offset = P(in),
	  .attrs = route_params, .attr_size = sizeof(struct route_attr) },
	{ .name = "out", .doc = "register sets in front of the function units", .kind = HD_OUT,
	  .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst, .offset = P(out),
	  .attrs = route_params, .attr_size = sizeof(struct route_attr) },
	{ .name = "regfile", .doc = "operands are read from it", .kind = HD_USES,
	  .type = &hd_type_regfile_if, .offset = P(regfile) },
	{ .name = "cache", .doc = "operands that it holds are not read; needs control words; open: "
	  "there is none", .kind = HD_USES, .flags = HD_OPTIONAL,
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
	.marks = marks,
	.reasons = reasons,
	.stall_cause = stall_cause,
	.checkpoint = checkpoint,
};
