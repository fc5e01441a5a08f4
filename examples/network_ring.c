/* network_ring.c - a ring in the place of a GPU's network
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o network_ring.so network_ring.c
 *
 * Stops of inputs and outputs alternate as evenly as they can.  In each cycle all packets move
 * on by one stop; one that is at its output leaves, or goes around once more if that has no
 * room; an input puts its next packet into the ring if the place at its stop is free.
 */
#include <heddle/gpu/map.h>

#include <stdlib.h>

enum { ROUTE_SLICE, ROUTE_CLUSTER };

struct place {
	hd_mem_ref ref;  /* 0: free */
	uint32_t output;
};

struct state {
	struct hd_ctx *ctx;
	struct hd_ends in, out;
	const struct hd_map_if *map;
	struct hd_pool *pool;
	uint32_t route, cores;

	uint32_t stops, turned, inside; /* turned: stops by which all have moved, modulo stops */
	struct place *ring;
	uint64_t packets, hops, missed, waited;
};

/* The stop of the i-th of n inputs or outputs. */
static uint32_t stop_of(const struct state *st, uint32_t i, const struct hd_ends *e)
{
	uint32_t even = (uint32_t)((uint64_t)i * (st->stops / 2) / e->n);

	return 2 * even + (e == &st->out);
}

static struct place *at_stop(struct state *st, uint32_t stop)
{
	return &st->ring[(stop + st->stops - st->turned) % st->stops];
}

static uint32_t output_of(const struct state *st, hd_mem_ref ref)
{
	return hd_map_output(st->map, hd_mem(st->pool, ref), st->route == ROUTE_CLUSTER ? st->cores : 0);
}

static void leave(struct state *st, uint32_t o)
{
	struct place *p = at_stop(st, stop_of(st, o, &st->out));

	if (p->ref == 0 || p->output != o)
		return;
	if (hd_room(&st->out.v[o]) == 0) {
		st->missed++;
		return;
	}
	hd_put(&st->out.v[o], &p->ref, sizeof p->ref);
	p->ref = 0;
	st->inside--;
}

static void enter(struct state *st, uint32_t i)
{
	struct place *p = at_stop(st, stop_of(st, i, &st->in));
	hd_mem_ref ref = hd_mem_front(&st->in.v[i]);
	uint32_t o;

	if (!ref)
		return;
	if (p->ref) {
		st->waited++;
		return;
	}
	o = output_of(st, ref);
	if (o >= st->out.n) {
		hd_fail(st->ctx, "a packet for output %u; expected less than %u", o, st->out.n);
		return;
	}
	*p = (struct place){ ref, o };
	hd_take(&st->in.v[i]);
	st->inside++;
	st->packets++;
}

static uint64_t eval(void *state)
{
	struct state *st = state;

	st->turned = st->turned + 1 == st->stops ? 0 : st->turned + 1;
	st->hops += st->inside;
	for (uint32_t o = 0; o < st->out.n && st->inside; o++)
		leave(st, o);
	for (uint32_t i = 0; i < st->in.n; i++)
		enter(st, i);
	return st->inside ? HD_NEXT : HD_SLEEP; /* the position of an empty ring does not matter */
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;
	uint32_t most = st->in.n > st->out.n ? st->in.n : st->out.n;

	if (st->route == ROUTE_SLICE && !st->map)
		return hd_error(st->ctx, "'route' \"slice\" expects an address map at port 'map'");
	st->stops = 2 * most;
	st->ring = calloc(st->stops + 1, sizeof *st->ring);
	return st->ring ? 0 : hd_error(st->ctx, "out of memory for %u stops", st->stops);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->inside)
		hd_report_pending(h, "%u packets in the ring", st->inside);
}

static void fini(void *state)
{
	free(((struct state *)state)->ring);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, turned, inside);
	hd_saved(k, st->ring, st->stops * sizeof *st->ring);
}

#define P(f) offsetof(struct state, f)

static const char *const routes[] = { "slice", "cluster", NULL };

/* A ring has these parameters of the crossbar. */
static const struct hd_param params[] = {
	{ .name = "route", .unit = "", .doc = "which output a packet takes: that of the slice that its "
	  "address belongs to, or that of the cluster that it came from", .type = HD_CHOICE,
	  .offset = P(route), .def = "\"cluster\"", .choices = routes },
	{ .name = "cores", .unit = "SMs", .doc = "SMs behind one output, if outputs are clusters",
	  .type = HD_U32, .offset = P(cores), .def = "1", .min = 1, .max = 65535 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "packets, by input", .kind = HD_IN, .flags = HD_ARRAY,
	  .type = &hd_type_mem, .offset = P(in) },
	{ .name = "out", .doc = "the same, by output", .kind = HD_OUT, .flags = HD_ARRAY,
	  .type = &hd_type_mem, .offset = P(out) },
	{ .name = "map", .doc = "gives the slice of an address; open: unused", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_map_if, .offset = P(map) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "packets", .unit = "packets", .doc = "packets that entered", .offset = P(packets) },
	{ .name = "hops", .unit = "stops", .doc = "stops that they moved on, together",
	  .offset = P(hops) },
	{ .name = "missed", .unit = "times", .doc = "an output had no room for a packet, which "
	  "went around once more", .offset = P(missed) },
	{ .name = "waited", .unit = "cycles", .doc = "in which an input found its place taken",
	  .offset = P(waited) },
	{ .name = NULL },
};

const struct hd_module hd_module_network_ring = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "network_ring",
	.doc = "a ring in the place of a GPU's network",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.report_pending = report_pending,
	.fini = fini,
	.checkpoint = checkpoint, .confined = true,
};
