/* collector.c - operand collector: gathers the sources of issued instructions from the banks
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SM_SEMANTICS 10.  Collector units stand in sets; an input port serves some register sets and
 * fills units of some sets; a dispatch unit empties the units of one set, starting behind the one
 * that it emptied last.  Each step of an edge is dispatch, read, allocate.
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
	uint64_t takes, units;
	uint32_t count;
};

struct route_attr {
	uint32_t unit;
};

struct unit {
	hd_inst_ref inst;
	uint8_t waiting; /* operands not yet read */
	uint8_t route;
};

struct dispatch {
	uint64_t units; /* of its set */
	uint32_t base, n, last;
};

struct port {
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
	uint32_t nunits, ndispatch, nports;
	uint64_t occupied, ready; /* units */
	uint64_t set_mask[16];
	struct dispatch *dispatch;
	struct port *port;
	uint8_t out_of[MAX_ROUTES]; /* by input: the output of the same unit kind */
	bool refused;             /* in the last edge an instruction found no free unit */
	uint64_t collected, full;
	struct unit unit[MAX_UNITS];
};

enum { PORT_IN, PORT_OUT, PORT_REGFILE };

static uint64_t below(uint32_t n)
{
	return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* The unit's place in the register set behind, or 0 if that is not free. */
static uint64_t place_behind(struct state *st, uint32_t u)
{
	const struct hd_end *out = &st->out.v[st->out_of[st->unit[u].route]];
	uint64_t room = hd_slots_free(out);

	if (st->sub_cores) {
		room &= UINT64_C(1) << (u / (st->nunits / st->sub_cores));
		if (!room)
			hd_want_room(out);
	}
	return room & -room;
}

static bool dispatch_one(struct state *st, struct dispatch *d)
{
	uint64_t todo = st->ready & d->units;
	uint32_t step, start;
	uint64_t ahead;

	if (!todo)
		return false;
	step = st->sub_cores ? d->n / st->sub_cores - d->last % (d->n / st->sub_cores) : 1;
	start = d->base + (d->last + step) % d->n;
	ahead = todo & ~below(start);
	while (todo) {
		uint32_t u = (uint32_t)__builtin_ctzll(ahead ? ahead : todo);
		uint64_t bit = UINT64_C(1) << u, place = place_behind(st, u);

		if (place) {
			const struct hd_end *out = &st->out.v[st->out_of[st->unit[u].route]];

			hd_slot_put(out, (unsigned)__builtin_ctzll(place), &st->unit[u].inst,
			            sizeof(hd_inst_ref));
			st->occupied &= ~bit;
			st->ready &= ~bit;
			d->last = u - d->base;
			return true;
		}
		todo &= ~bit;
		ahead &= ~bit;
	}
	return false;
}

static void served(void *arg, uint32_t u)
{
	struct state *st = arg;

	if (--st->unit[u].waiting == 0)
		st->ready |= UINT64_C(1) << u;
}

/* First free unit that the port may fill for this scheduler, or MAX_UNITS. */
static uint32_t free_unit(const struct state *st, const struct port *p, uint32_t sched)
{
	for (uint32_t i = 0; i < p->nsets; i++) {
		uint64_t set = st->set_mask[p->sets[i]], room;

		if (st->sub_cores) { /* the scheduler's share of the set */
			uint32_t base = (uint32_t)__builtin_ctzll(set);
			uint32_t n = (uint32_t)__builtin_popcountll(set), s = st->sub_cores;

			set = below(base + (sched + 1) * n / s) & ~below(base + sched * n / s);
		}
		room = set & ~st->occupied;
		if (room)
			return (uint32_t)__builtin_ctzll(room);
	}
	return MAX_UNITS;
}

static unsigned oldest(const struct state *st, const struct hd_end *in, uint64_t slots)
{
	unsigned best = (unsigned)__builtin_ctzll(slots);
	uint64_t uid;

	if (!(slots & (slots - 1)))
		return best;
	uid = hd_inst(st->pool, *(const hd_inst_ref *)hd_slot(in, best))->uid;
	for (slots &= slots - 1; slots; slots &= slots - 1) {
		unsigned i = (unsigned)__builtin_ctzll(slots);
		uint64_t other = hd_inst(st->pool, *(const hd_inst_ref *)hd_slot(in, i))->uid;

		if (other < uid) {
			uid = other;
			best = i;
		}
	}
	return best;
}

static bool allocate(struct state *st, const struct port *p, uint32_t route, uint64_t slots)
{
	const struct hd_end *in = &st->in.v[route];
	unsigned slot = oldest(st, in, slots);
	hd_inst_ref ref = *(const hd_inst_ref *)hd_slot(in, slot);
	const struct hd_inst *inst = hd_inst(st->pool, ref);
	uint32_t u = free_unit(st, p, inst->sched);

	if (u == MAX_UNITS) {
		st->refused = true;
		return false;
	}
	hd_slot_take(in, slot);
	st->unit[u] = (struct unit){ ref, inst->nsrc, (uint8_t)route };
	st->occupied |= UINT64_C(1) << u;
	if (inst->nsrc == 0)
		st->ready |= UINT64_C(1) << u;
	for (uint32_t i = 0; i < inst->nsrc; i++)
		st->regfile->read(st->regfile->self, u, inst->warp, inst->src[i]);
	st->collected++;
	return true;
}

/* Register sets that hold something, by index. */
static uint64_t filled_sets(const struct state *st)
{
	uint64_t set = 0;

	for (uint32_t i = 0; i < st->in.n; i++)
		if (hd_slots_full(&st->in.v[i]))
			set |= UINT64_C(1) << i;
	return set;
}

static bool allocate_all(struct state *st)
{
	uint64_t filled = filled_sets(st);
	bool any = false;

	for (uint32_t i = 0; filled && i < st->nports; i++) {
		bool moved = false;

		for (uint64_t m = filled & st->port[i].routes; m; m &= m - 1) {
			uint32_t route = (uint32_t)__builtin_ctzll(m);
			uint64_t slots = hd_slots_full(&st->in.v[route]);

			if (slots && allocate(st, &st->port[i], route, slots))
				moved = true;
			if (!hd_slots_full(&st->in.v[route]))
				filled &= ~(UINT64_C(1) << route);
		}
		any = any || moved;
		/* a port just like the one before would fare the same */
		while (!moved && i + 1 < st->nports
		       && memcmp(&st->port[i], &st->port[i + 1], sizeof *st->port) == 0)
			i++;
	}
	return any;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	bool moved = false, reading = false;

	st->refused = false;
	for (uint32_t s = 0; s < st->steps; s++) {
		for (uint32_t i = 0; st->ready && i < st->ndispatch; i++)
			moved = dispatch_one(st, &st->dispatch[i]) || moved;
		if (st->occupied & ~st->ready) {
			reading = true;
			st->regfile->step(st->regfile->self, s == 0, served, st);
		}
		moved = allocate_all(st) || moved;
	}
	st->full += st->refused;
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
		for (uint32_t j = 0; j < i; j++)
			if (attr(&st->in.v[j])->unit == unit)
				return hd_error(st->ctx, "two links of port 'in' are for unit '%s'; "
				                "expected one", name);
	}
	return 0;
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
		st->set_mask[i] = below(st->nunits + row[i].units) & ~below(st->nunits);
		st->nunits += row[i].units;
		st->ndispatch += row[i].dispatch;
	}
	st->dispatch = calloc(st->ndispatch, sizeof *st->dispatch);
	if (!st->dispatch)
		return hd_error(st->ctx, "out of memory");
	for (uint32_t i = 0, d = 0; i < st->sets.n; i++)
		for (uint32_t k = 0; k < row[i].dispatch; k++, d++)
			st->dispatch[d] = (struct dispatch){ st->set_mask[i],
				(uint32_t)__builtin_ctzll(st->set_mask[i]), row[i].units, 0 };
	return 0;
}

static int make_ports(struct state *st)
{
	const struct set_row *set = st->sets.rows;
	const struct port_row *row = st->ports.rows;
	uint32_t n = 0;

	for (uint32_t i = 0; i < st->ports.n; i++)
		st->nports += row[i].count;
	st->port = calloc(st->nports, sizeof *st->port);
	if (!st->port)
		return hd_error(st->ctx, "out of memory");
	for (uint32_t i = 0; i < st->ports.n; i++) {
		struct port p;

		memset(&p, 0, sizeof p); /* ports are compared bytewise */
		for (uint32_t k = 0; k < st->in.n; k++)
			if (row[i].takes == 0 || (row[i].takes >> attr(&st->in.v[k])->unit & 1))
				p.routes |= UINT64_C(1) << k;
		for (uint32_t k = 0; k < st->sets.n; k++)
			if (row[i].units == 0 || (row[i].units >> set[k].name & 1))
				p.sets[p.nsets++] = k;
		for (uint32_t k = 0; k < row[i].count; k++)
			st->port[n++] = p;
	}
	return 0;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	if (match_routes(st) || make_sets(st))
		return -1;
	return make_ports(st);
}

static void held(const void *state, struct hd_held *h)
{
	const struct state *st = state;

	for (uint64_t m = st->occupied; m; m &= m - 1) {
		uint32_t u = (uint32_t)__builtin_ctzll(m);

		hd_holds(h, "unit %u: an instruction of warp %u that %s", u,
		         hd_inst(st->pool, st->unit[u].inst)->warp,
		         st->ready >> u & 1 ? "waits for its function unit" : "waits for operands");
	}
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
	.held = held,
	.fini = fini,
};
