/* crossbar.c - network of one hop: a queue for each input, a queue for each output, an arbiter
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The queues are the links: their capacities are the sizes of the buffers.  Every packet is one
 * unit.  Only the head of an input is considered, but once it has left, the next one may still
 * leave in the same cycle by an output with a higher number: an input may send several.  With `rate` n
 * all this happens n times in a cycle.  A packet with data of several sectors takes its output for as many of these
 * steps.
 */
#include <heddle/ahead.h>
#include <heddle/gpu/map.h>

enum { ROUTE_SLICE, ROUTE_CLUSTER };
enum { ARBITER_ISLIP, ARBITER_ROUND };

enum { PORT_OUT = 1 };

struct state {
	struct hd_ctx *ctx;
	struct hd_ends in, out;
	const struct hd_map_if *map;
	struct hd_pool *pool;
	uint32_t route, arbiter, grant_cycles, cores, rate;

	uint32_t grant;     /* counts down to the cycle in which pointers move */
	uint32_t nodes;     /* inputs of one network are outputs of the other: numbers go over both */
	uint32_t first_in;  /* node of input 0 */
	uint32_t next;      /* node that is served first, round robin */
	uint32_t *pointer;  /* by output: node that is served first, islip */
	uint64_t step;      /* of which a cycle has `rate`, */
	uint64_t *free_from; /* and by output that from which it takes the next packet */
	/* Found when a packet becomes the head of its input, and kept until it leaves: */
	uint32_t *goal;     /* by input: output of its head, or NOWHERE */
	uint32_t *heads;    /* by output: heads that go there, */
	uint64_t *wanting;  /* and the set of their inputs, `words` words for each output */
	uint32_t words;
	uint32_t waiting;   /* heads, */
	uint32_t wanted;    /* outputs that they go to */
	uint64_t packets, conflicts, cycles;
};

#define NOWHERE UINT32_MAX

static uint32_t output_of(const struct state *st, hd_mem_ref ref)
{
	return hd_map_output(st->map, hd_mem(st->pool, ref), st->route == ROUTE_CLUSTER ? st->cores : 0);
}

/* The set of inputs whose head goes to output o. */
static uint64_t *inputs_of(const struct state *st, uint32_t o)
{
	return st->wanting + (size_t)o * st->words;
}

/* The head of input i goes to output o. */
static void add_head(struct state *st, uint32_t i, uint32_t o)
{
	st->goal[i] = o;
	st->waiting++;
	if (st->heads[o]++ == 0)
		st->wanted++;
	inputs_of(st, o)[i / 64] |= hd_bit(i % 64);
}

static void remove_head(struct state *st, uint32_t i)
{
	uint32_t o = st->goal[i];

	st->goal[i] = NOWHERE;
	st->waiting--;
	if (--st->heads[o] == 0)
		st->wanted--;
	inputs_of(st, o)[i / 64] &= ~hd_bit(i % 64);
}

/* Finds the output of a packet that is the head of input i now. */
static void look(struct state *st, uint32_t i, hd_mem_ref ref)
{
	uint32_t o = output_of(st, ref);

	if (HD_UNLIKELY(o >= st->out.n)) {
		hd_error(st->ctx, "a packet for output %u, and there are %u; expected one for each %s", o,
		         st->out.n, st->route == ROUTE_SLICE ? "slice" : "cluster");
		return;
	}
	add_head(st, i, o);
}

static void move(struct state *st, uint32_t i, uint32_t o)
{
	hd_mem_ref ref = hd_mem_front(&st->in.v[i]);

	st->free_from[o] = st->step + hd_mem_packets(&hd_mem(st->pool, ref)->line.req);
	hd_take(&st->in.v[i]);
	hd_put(&st->out.v[o], &ref, sizeof ref);
	remove_head(st, i);
	st->packets++;
	ref = hd_mem_front(&st->in.v[i]);
	if (ref)
		look(st, i, ref);
	hd_mem_fetch_behind(st->pool, &st->in.v[i], 1); /* it is looked at when this one has left */
}

/* First input at or after node `from`, in a ring of all nodes, whose head goes to o: there is one. */
static uint32_t choose(const struct state *st, uint32_t from, uint32_t o)
{
	const uint64_t *set = inputs_of(st, o);
	uint32_t begin = 0, w;
	uint64_t part;

	if (from >= st->first_in && from < st->first_in + st->in.n)
		begin = from - st->first_in;
	w = begin / 64;
	part = set[w] & UINT64_MAX << begin % 64;
	while (!part) {
		w = w + 1 == st->words ? 0 : w + 1;
		part = set[w];
	}
	return w * 64 + hd_bits_first(part);
}

static void arbitrate_islip(struct state *st)
{
	for (uint32_t o = 0; o < st->out.n; o++) {
		uint32_t i, node;

		if (st->heads[o] == 0 || st->free_from[o] > st->step || hd_room(&st->out.v[o]) == 0)
			continue;
		i = choose(st, st->pointer[o], o);
		move(st, i, o);
		node = st->first_in + i + 1;
		if (st->grant == 1)
			st->pointer[o] = node == st->nodes ? 0 : node;
	}
	st->grant = st->grant == 1 ? st->grant_cycles : st->grant - 1;
}

static void arbitrate_round(struct state *st)
{
	uint32_t n = st->in.n, begin = 0;

	if (st->next >= st->first_in && st->next < st->first_in + n)
		begin = st->next - st->first_in;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = begin + k < n ? begin + k : begin + k - n, o = st->goal[i];

		if (o != NOWHERE && st->free_from[o] <= st->step && hd_room(&st->out.v[o]))
			move(st, i, o);
	}
}

static void advance(struct state *st, uint64_t n)
{
	st->next = (uint32_t)((st->next + n) % st->nodes);
	st->cycles += n;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	bool any;

	for (uint32_t i = 0; i < st->in.n; i++) {
		hd_mem_ref ref = st->goal[i] == NOWHERE ? hd_mem_front(&st->in.v[i]) : 0;

		if (ref)
			look(st, i, ref);
	}
	any = st->waiting > 0;
	st->step = hd_now(st->ctx) * st->rate;
	for (uint32_t k = 0; k < st->rate && st->waiting; k++, st->step++) {
		st->conflicts += st->waiting - st->wanted;
		if (st->arbiter == ARBITER_ISLIP)
			arbitrate_islip(st);
		else
			arbitrate_round(st);
	}
	advance(st, 1);
	return any ? HD_NEXT : HD_SLEEP;
}

static void skipped(void *state, uint64_t n)
{
	advance(state, n);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	hd_puts_at_most(ctx, PORT_OUT, st->rate);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (st->route == ROUTE_SLICE && !st->map)
		return hd_error(st->ctx, "'route' \"slice\" expects an address map at port 'map'");
	st->nodes = st->in.n + st->out.n;
	st->first_in = st->route == ROUTE_SLICE ? 0 : st->out.n; /* clusters come before slices */
	st->grant = st->grant_cycles;
	st->pointer = hd_memory(st->ctx, st->out.n + (size_t)1, sizeof *st->pointer);
	st->free_from = hd_memory(st->ctx, st->out.n + (size_t)1, sizeof *st->free_from);
	st->goal = hd_memory(st->ctx, st->in.n + (size_t)1, sizeof *st->goal);
	st->heads = hd_memory(st->ctx, st->out.n + (size_t)1, sizeof *st->heads);
	st->words = st->in.n / 64 + 1;
	st->wanting = hd_memory(st->ctx, (size_t)(st->out.n + 1) * st->words, sizeof *st->wanting);
	if (!st->pointer || !st->free_from || !st->goal || !st->heads || !st->wanting)
		return hd_error(st->ctx, "out of memory for %u nodes", st->nodes);
	for (uint32_t i = 0; i < st->in.n; i++)
		st->goal[i] = NOWHERE;
	return 0;
}

/* Of the heads nothing is saved: they are found again. */
static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->grant);
	HD_SAVED(k, st->next);
	hd_saved(k, st->pointer, st->out.n * sizeof *st->pointer);
	hd_saved(k, st->free_from, st->out.n * sizeof *st->free_from);
}

#define P(f) offsetof(struct state, f)

static const char *const routes[] = { "slice", "cluster", NULL };
static const char *const arbiters[] = { "islip", "round_robin", NULL };

static const struct hd_param params[] = {
	{ .name = "route", .unit = "", .doc = "which output a packet takes: that of the slice that its "
	  "address belongs to, or that of the cluster that it came from", .type = HD_CHOICE,
	  .offset = P(route), .def = "\"cluster\"", .choices = routes },
	{ .name = "cores", .unit = "SMs", .doc = "SMs behind one output, if outputs are clusters",
	  .type = HD_U32, .offset = P(cores), .def = "1", .min = 1, .max = 65535 },
	{ .name = "arbiter", .unit = "", .doc = "which input is served: with islip each output "
	  "considers the inputs in a ring of its own; with round_robin inputs choose, one after "
	  "another",
	  .type = HD_CHOICE, .offset = P(arbiter), .def = "\"islip\"", .choices = arbiters },
	{ .name = "grant_cycles", .unit = "cycles", .doc = "islip: how long an output prefers the "
	  "same input", .type = HD_U32, .offset = P(grant_cycles), .def = "1", .min = 1,
	  .max = 65536 },
	{ .name = "rate", .unit = "packets", .doc = "that an output gets in a cycle: the arbiter works so often",
	  .type = HD_U32, .offset = P(rate), .def = "1", .min = 1, .max = 16 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "packets, by input", .kind = HD_IN, .flags = HD_ARRAY | HD_METERED,
	  .type = &hd_type_mem, .offset = P(in) },
	[PORT_OUT] = { .name = "out", .doc = "the same, by output", .kind = HD_OUT, .flags = HD_ARRAY,
	  .type = &hd_type_mem, .most = 1, .offset = P(out) },
	{ .name = "map", .doc = "gives the slice of an address; open: unused", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_map_if, .offset = P(map) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "packets", .unit = "packets", .doc = "packets that crossed", .offset = P(packets) },
	{ .name = "conflicts", .unit = "packets", .doc = "packets, in each cycle, whose output "
	  "was requested by another as well", .offset = P(conflicts) },
	{ .name = "cycles", .unit = "cycles", .doc = "cycles of the network", .offset = P(cycles) },
	{ .name = NULL },
};

const struct hd_module hd_module_crossbar = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "crossbar",
	.doc = "network of one hop between clusters and slices of the memory",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.skipped = skipped,
	.checkpoint = checkpoint,
};
