/* collector.c - operand collector: gathers the sources of issued instructions from the banks
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Operand collector.  Collector units stand in sets; an input port serves some
 * register sets and fills units of some sets; a dispatch unit empties the units of one set,
 * starting behind the one that it emptied last.  Each step of an edge is dispatch, read, allocate.
 */
#include <heddle/interface/regfile.h>
#include <heddle/payload/inst.h>

#include <stdlib.h>

#define MAX_UNITS 64u
#define MAX_ROUTES 32u

struct set_row {
	uint32_t name, units, dispatch;
};

struct port_row {
	uint64_t takes, units, first;
	uint32_t count;
};

struct route_attr {
	uint32_t unit;
};

struct unit {
	hd_inst_ref inst;
	uint32_t route;
};

struct dispatch {
	uint64_t units; /* of its set */
	uint64_t ahead; /* of them: behind the last one emptied, or those of the next sub-cores */
};

struct port {
	uint32_t count;           /* of this kind */
	uint64_t routes;          /* register sets that it serves, by index into in */
	uint32_t sets[16], nsets; /* collector sets that it fills, in order */
};

struct state {
	struct hd_ctx *ctx;
	struct hd_ends in, out;
	const struct hd_regfile_if *regfile;
	struct hd_pool *pool;
	uint32_t sub_cores, steps;
	struct hd_table sets, ports;
	uint32_t nunits, ndispatch;
	uint32_t per_slice;       /* units of one sub-core */
	uint64_t occupied, ready; /* units */
	uint64_t room[MAX_ROUTES]; /* by route: free places behind, in this edge; if in `seen` */
	uint64_t seen;
	uint64_t place_mask[MAX_UNITS]; /* by unit: places that it may fill */
	const uint64_t *front[MAX_ROUTES]; /* by route: the slots in front that are filled, */
	uint64_t mine[MAX_ROUTES]; /* and of them: those that this collector takes from */
	bool delays;              /* payloads may lie there that are not to be taken yet */
	uint64_t filled;          /* during an edge: register sets that hold something */
	uint64_t slots[MAX_ROUTES]; /* and by route the slots that do; if in `filled` */
	uint64_t movable, stuck;  /* in this edge: ready, and there is room behind, or is not */
	uint64_t holds[MAX_ROUTES]; /* by route: units that hold an instruction of it */
	uint64_t needs[MAX_ROUTES]; /* by route: units that its oldest instruction waits for, 0 */
	const struct port *needs_at[MAX_ROUTES]; /* if it does not, and the port that it asked */
	uint64_t set_mask[16];
	uint64_t share[16][64];   /* by set and scheduler: the units that it may use */
	uint64_t slice[64];       /* by sub-core: its units, which share places behind */
	uint64_t ahead[MAX_UNITS]; /* by unit: struct dispatch.ahead once it is emptied */
	struct dispatch *dispatch;
	struct port *port;
	uint8_t out_of[MAX_ROUTES]; /* by input: the output of the same unit kind */
	bool refused;             /* in the last edge an instruction found no free unit */
	uint64_t collected, full;
	struct unit unit[MAX_UNITS];
	uint8_t waiting[MAX_UNITS]; /* by unit: operands not yet read */
	/* for dumps */
	uint64_t told;             /* units whose instruction is known to wait */
	uint64_t were_ready;       /* when the turn began */
	struct unit were[MAX_UNITS];
};

enum { PORT_IN, PORT_OUT, PORT_REGFILE };
enum { MARK_READY };
enum { REASON_OPERANDS, REASON_PORTS };

/* Those of the units that stand in front of free places. */
static inline uint64_t in_front(const struct state *st, uint64_t units, uint64_t room,
                                const struct hd_end *out)
{
	uint64_t set = 0;

	if (!room)
		return 0;
	if (room == out->slots || !st->sub_cores)
		return units;
	while (room) /* place k is that of slice k */
		set |= st->slice[hd_bits_pop(&room)];
	return set & units;
}

/* Which ready units could go; asks to be woken where there is no room. */
static inline void find_movable(struct state *st)
{
	uint64_t todo = st->ready & ~(st->movable | st->stuck);

	while (todo) {
		uint32_t route = st->unit[hd_bits_first(todo)].route;
		const struct hd_end *out = &st->out.v[st->out_of[route]];
		uint64_t same = st->holds[route] & todo, go;

		todo ^= same;
		if (!hd_bits_has(st->seen, route)) {
			st->room[route] = hd_slots_free(out);
			st->seen |= hd_bit(route);
		}
		go = in_front(st, same, st->room[route], out);
		st->movable |= go;
		if (go != same) {
			st->stuck |= same & ~go; /* nobody makes room in this edge any more */
			hd_want_slots(out, ~st->room[route]);
		}
	}
}

static inline void dispatch_unit(struct state *st, uint32_t u)
{
	const struct unit *unit = &st->unit[u];
	uint32_t route = unit->route;
	const struct hd_end *out = &st->out.v[st->out_of[route]];
	uint64_t bit = hd_bit(u), mask = st->place_mask[u], room = st->room[route];
	unsigned place = hd_bits_first(room & mask);
	uint64_t beside = st->holds[route] ^ bit, movable = st->movable ^ bit;

	hd_slot_put(out, place, &unit->inst, sizeof(hd_inst_ref));
	room &= ~hd_bit(place);
	st->room[route] = room;
	st->occupied ^= bit;
	st->ready ^= bit;
	st->holds[route] = beside;
	if (!(room & mask) && beside) { /* nor is there room for those beside it */
		if (st->sub_cores)
			beside &= st->slice[u / st->per_slice];
		movable &= ~beside;
		beside &= st->ready;
		st->stuck |= beside;
		if (beside)
			hd_want_slots(out, mask);
	}
	st->movable = movable;
}

static inline void dispatch(struct state *st, struct dispatch *d)
{
	uint64_t todo = st->movable & d->units, ahead = todo & d->ahead;
	uint32_t u;

	if (!todo)
		return;
	u = hd_bits_first(ahead ? ahead : todo);
	d->ahead = st->ahead[u];
	dispatch_unit(st, u);
}

/* First free unit that the port may fill for this scheduler, or MAX_UNITS; then *needs is what it
 * could use. */
static uint32_t free_unit(const struct state *st, const struct port *p, uint32_t sched,
                          uint64_t *needs)
{
	for (uint32_t i = 0; i < p->nsets; i++) {
		uint64_t share = st->share[p->sets[i]][sched];
		uint64_t room = share & ~st->occupied;

		if (room)
			return hd_bits_first(room);
		*needs |= share;
	}
	return MAX_UNITS;
}

/* Moves the oldest instruction of a register set, whose filled slots are *slots, into a unit.  It
 * stays the oldest until it goes, so what it waits for is kept. */
static inline bool allocate(struct state *st, const struct port *p, uint32_t route, uint64_t *slots)
{
	const struct hd_end *in = &st->in.v[route];
	unsigned slot = hd_inst_oldest(st->pool, in, *slots);
	hd_inst_ref ref = hd_inst_in(in, slot);
	const struct hd_inst *inst = hd_inst(st->pool, ref);
	uint64_t needs = 0, bit;
	uint32_t u = free_unit(st, p, inst->sched, &needs), nsrc = inst->nsrc;

	if (u == MAX_UNITS) {
		st->needs[route] = needs;
		st->needs_at[route] = p;
		return false;
	}
	bit = hd_bit(u);
	*slots ^= hd_bit(slot);
	hd_slot_take(in, slot);
	st->needs[route] = 0;
	st->unit[u] = (struct unit){ ref, route };
	st->occupied |= bit;
	st->holds[route] |= bit;
	st->collected++;
	if (nsrc == 0) {
		st->ready |= bit;
	} else {
		st->waiting[u] = (uint8_t)nsrc;
		st->regfile->read(st->regfile->self, u, inst->warp, inst->src, nsrc);
	}
	return true;
}

/* What stands in front; in this edge nobody else changes it any more.  Most of it is empty. */
static inline void look_ahead(struct state *st)
{
	uint32_t n = st->in.n;
	uint64_t filled = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t full = *st->front[i] & st->mine[i];

		if (full) {
			st->slots[i] = full;
			filled |= hd_bit(i);
		}
	}
	for (uint64_t m = filled; HD_UNLIKELY(st->delays) && m;) {
		uint32_t i = hd_bits_pop(&m);

		st->slots[i] = hd_slots_full(&st->in.v[i]);
		if (!st->slots[i])
			filled &= ~hd_bit(i);
	}
	st->filled = filled;
}

/* A register set whose oldest instruction finds no unit stays as it is until the next step, so the
 * other ports of the kind need not look at it again. */
static inline bool allocate_all(struct state *st)
{
	const struct port *p = st->port, *end = p + st->ports.n;
	uint64_t filled = st->filled;
	bool any = false;

	for (; filled && p < end; p++) {
		uint64_t look = filled & p->routes, bit;

		for (uint32_t i = p->count; look && i > 0; i--) {
			for (uint64_t m = look; m; m ^= bit) {
				uint32_t route = hd_bits_first(m);
				uint64_t needs = st->needs[route];

				bit = hd_bits_lowest(m);
				if ((needs && !(needs & ~st->occupied) && st->needs_at[route] == p)
				    || !allocate(st, p, route, &st->slots[route])) {
					st->refused = true;
					look ^= bit;
					continue;
				}
				any = true;
				if (!st->slots[route]) { /* that was the last one */
					filled ^= bit;
					look ^= bit;
				}
			}
		}
	}
	st->filled = filled;
	return any;
}

/* For dumps: who is ready when a turn begins, and still there when it ends. */
static void note_ready(struct state *st)
{
	st->were_ready = st->ready;
	memcpy(st->were, st->unit, st->nunits * sizeof *st->were);
}

static void tell_stuck(struct state *st)
{
	uint64_t left = 0;

	for (uint64_t m = st->were_ready & st->occupied; m;) {
		unsigned u = hd_bits_pop(&m);

		if (st->unit[u].inst != st->were[u].inst)
			continue;
		left |= hd_bit(u);
		if (!hd_bits_has(st->told, u))
			hd_mark(st->ctx, st->pool, st->unit[u].inst, MARK_READY, 0);
	}
	st->told = left;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	bool moved = false, reading = false;

	if (HD_UNLIKELY(st->ctx->observed))
		note_ready(st);
	st->refused = false;
	look_ahead(st);
	st->seen = st->movable = st->stuck = 0;
	for (uint32_t s = 0; s < st->steps; s++) {
		if (st->ready) {
			find_movable(st);
			moved = moved || st->movable;
			for (uint32_t i = 0; st->movable && i < st->ndispatch; i++)
				dispatch(st, &st->dispatch[i]);
		}
		if (st->occupied & ~st->ready) {
			reading = true;
			st->ready |= st->regfile->step(st->regfile->self, s == 0, st->waiting);
		}
		if (st->filled)
			moved = allocate_all(st) || moved;
	}
	st->full += st->refused;
	if (HD_UNLIKELY(st->ctx->observed))
		tell_stuck(st);
	/* nothing moved and nothing is being read: only a port can change that */
	return moved || reading ? HD_NEXT : HD_SLEEP;
}

static void skipped(void *state, uint64_t n)
{
	struct state *st = state;

	if (st->refused)
		st->full += n;
}

static const struct route_attr *attr(const struct hd_end *e)
{
	return e->attr;
}

static int match_routes(struct state *st)
{
	if (st->in.n > MAX_ROUTES)
		return hd_error(st->ctx, "%u register sets are linked to port 'in'; expected at most %u",
		                st->in.n, MAX_ROUTES);
	for (uint32_t i = 0; i < st->in.n; i++) {
		uint32_t unit = attr(&st->in.v[i])->unit, k = 0;
		const char *name = hd_symbol_name(st->ctx, "unit", unit);

		while (k < st->out.n && attr(&st->out.v[k])->unit != unit)
			k++;
		if (k == st->out.n)
			return hd_error(st->ctx, "port 'in' has a link for unit '%s' and port 'out' has "
			                "none; expected one of each", name);
		st->out_of[i] = (uint8_t)k;
		st->front[i] = hd_slots_word(&st->in.v[i]);
		st->mine[i] = st->in.v[i].slots;
		st->delays = st->delays || hd_delays(&st->in.v[i]);
		for (uint32_t j = 0; j < i; j++)
			if (attr(&st->in.v[j])->unit == unit)
				return hd_error(st->ctx, "two links of port 'in' are for unit '%s'; "
				                "expected one", name);
	}
	return 0;
}

/* Who may use which units, and which units stand in front of the same places. */
static void divide_units(struct state *st)
{
	const struct set_row *row = st->sets.rows;
	uint32_t s = st->sub_cores ? st->sub_cores : 1, base = 0;

	st->per_slice = st->nunits / s;
	for (uint32_t u = 0; u < st->nunits; u++)
		st->place_mask[u] = st->sub_cores ? hd_bit(u / st->per_slice) : UINT64_MAX;
	for (uint32_t i = 0; i < st->sets.n; base += row[i].units, i++) {
		uint32_t step = st->sub_cores ? row[i].units / s : 1; /* units of one sub-core */

		for (uint32_t u = 0; u < row[i].units; u++)
			st->ahead[base + u] = st->set_mask[i] & ~hd_bits_below(base + (u / step + 1) * step);
	}
	base = 0;
	for (uint32_t k = 0; k < s; k++)
		st->slice[k] = hd_bits_below((k + 1) * st->per_slice) & ~hd_bits_below(k * st->per_slice);
	for (uint32_t i = 0; i < st->sets.n; base += row[i].units, i++)
		for (uint32_t k = 0; k < 64; k++)
			st->share[i][k] = !st->sub_cores ? st->set_mask[i]
			                : k >= s ? 0
			                : hd_bits_below(base + (k + 1) * row[i].units / s)
			                  & ~hd_bits_below(base + k * row[i].units / s);
}

static int make_sets(struct state *st)
{
	const struct set_row *row = st->sets.rows;

	if (st->sets.n > 16)
		return hd_error(st->ctx, "%u sets; expected at most 16", st->sets.n);
	for (uint32_t i = 0; i < st->sets.n; i++) {
		if (st->nunits + row[i].units > MAX_UNITS)
			return hd_error(st->ctx, "more than %u collector units", MAX_UNITS);
		if (st->sub_cores && row[i].units % st->sub_cores)
			return hd_error(st->ctx, "%u units of set '%s' cannot be divided among %u "
			                "sub-cores; expected a multiple of %u", row[i].units,
			                hd_symbol_name(st->ctx, "collector set", row[i].name),
			                st->sub_cores, st->sub_cores);
		st->set_mask[i] = hd_bits_below(st->nunits + row[i].units) & ~hd_bits_below(st->nunits);
		st->nunits += row[i].units;
		st->ndispatch += row[i].dispatch;
	}
	st->dispatch = calloc(st->ndispatch, sizeof *st->dispatch);
	if (!st->dispatch)
		return hd_error(st->ctx, "out of memory");
	divide_units(st);
	for (uint32_t i = 0, d = 0; i < st->sets.n; i++) {
		for (uint32_t k = 0; k < row[i].dispatch; k++, d++)
			st->dispatch[d] = (struct dispatch){ st->set_mask[i],
				st->ahead[hd_bits_first(st->set_mask[i])] };
	}
	return 0;
}

static int make_ports(struct state *st)
{
	const struct set_row *set = st->sets.rows;
	const struct port_row *row = st->ports.rows;

	st->port = calloc(st->ports.n, sizeof *st->port);
	if (!st->port)
		return hd_error(st->ctx, "out of memory");
	for (uint32_t i = 0; i < st->ports.n; i++) {
		struct port *p = &st->port[i];

		p->count = row[i].count;
		for (uint32_t k = 0; k < st->in.n; k++)
			if (row[i].takes == 0 || hd_bits_has(row[i].takes, attr(&st->in.v[k])->unit))
				p->routes |= hd_bit(k);
		for (int later = 0; later < 2; later++)
			for (uint32_t k = 0; k < st->sets.n; k++)
				if ((row[i].units == 0 || hd_bits_has(row[i].units, set[k].name))
				    && later == !hd_bits_has(row[i].first, set[k].name))
					p->sets[p->nsets++] = k;
	}
	return 0;
}

/* A scheduler without a sub-core, or a sub-core without a place behind, would wait for ever. */
static int check_sub_cores(const struct state *st)
{
	for (uint32_t i = 0; st->sub_cores && i < st->in.n; i++) {
		uint32_t n = hd_writers(&st->in.v[i]), places = hd_capacity(&st->out.v[st->out_of[i]]);
		const char *name = hd_symbol_name(st->ctx, "unit", attr(&st->in.v[i])->unit);

		if (n > st->sub_cores)
			return hd_error(st->ctx, "%u instances are linked to port 'in' for unit '%s', and "
			                "'sub_cores' is %u; expected one for each, or 0", n, name,
			                st->sub_cores);
		if (n > places)
			return hd_error(st->ctx, "port 'out' has %u slots for unit '%s'; expected one "
			                "for each of %u sub-cores", places, name, n);
	}
	return 0;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	if (match_routes(st) || make_sets(st) || check_sub_cores(st))
		return -1;
	return make_ports(st);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	for (uint64_t m = st->occupied; m;) {
		uint32_t u = hd_bits_pop(&m);

		hd_report_pending(h, "unit %u: an instruction of warp %u that %s", u,
		         hd_inst(st->pool, st->unit[u].inst)->warp,
		         hd_bits_has(st->ready, u) ? "waits for its function unit" : "waits for operands");
	}
}

/* The oldest of the units that the set could use has not moved on. */
static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	const struct state *st = state;
	uint64_t m = st->needs[link] & st->occupied;
	uint32_t u;

	(void)port; /* there is one */
	if (!m)
		return (struct hd_answer){ .reason = REASON_PORTS };
	u = hd_bits_pop(&m);
	while (m) {
		uint32_t k = hd_bits_pop(&m);

		if (hd_inst(st->pool, st->unit[k].inst)->uid < hd_inst(st->pool, st->unit[u].inst)->uid)
			u = k;
	}
	if (!hd_bits_has(st->ready, u))
		return (struct hd_answer){ .reason = REASON_OPERANDS };
	return (struct hd_answer){ .behind = &st->out.v[st->out_of[st->unit[u].route]],
		                   .slot = hd_bits_first(st->place_mask[u]) };
}

static void fini(void *state)
{
	free(((struct state *)state)->dispatch);
	free(((struct state *)state)->port);
}

#define P(f) offsetof(struct state, f)

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
	{ .name = "count", .unit = "ports", .doc = "how many ports there are of this kind",
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
	{ .name = "sub_cores", .unit = "", .doc = "sub-cores among which units are divided; 0: every "
	  "unit serves every scheduler", .type = HD_U32, .offset = P(sub_cores), .def = "0",
	  .min = 0, .max = 64 },
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
	[PORT_IN] = { .name = "in", .doc = "register sets behind the issue stages", .kind = HD_IN,
	              .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst, .offset = P(in),
	              .attrs = route_params, .attr_size = sizeof(struct route_attr) },
	[PORT_OUT] = { .name = "out", .doc = "register sets in front of the function units",
	               .kind = HD_OUT, .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst,
	               .offset = P(out), .attrs = route_params,
	               .attr_size = sizeof(struct route_attr) },
	[PORT_REGFILE] = { .name = "regfile", .doc = "where operands are read", .kind = HD_USES,
	                   .type = &hd_type_regfile_if, .offset = P(regfile) },
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
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.skipped = skipped,
	.report_pending = report_pending,
	.fini = fini,
	.marks = marks,
	.reasons = reasons,
	.stall_cause = stall_cause,
};
