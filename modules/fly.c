/* fly.c - network of one router: buffered inputs, switch in two steps a cycle, credits both ways
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An input-queued router with one virtual channel, as in a butterfly of one stage.  A packet is
 * one flit.  Wires between nodes and router take two cycles each way.  Packets wait to be
 * injected in the link at `in`, and to be fetched in the link at `out`; the capacities of these
 * links are the sizes of the buffers.
 */
#include <heddle/gpu/map.h>

#include <stdlib.h>

#define WIRE 2u /* cycles from one end of a wire to the other */
#define RING 4u /* places of a wire; more than WIRE, a power of two */

enum { ROUTE_SLICE, ROUTE_CLUSTER };
enum phase { IDLE, REQUESTS, ACTIVE }; /* of an input: the output of its head is to be granted, is */

struct flit {
	hd_mem_ref ref;  /* 0: none */
	uint32_t output;
};

/* At most `depth` flits, in the order in which they came. */
struct queue {
	struct flit *v;
	uint32_t head, count;
};

struct input {
	struct flit wire[RING];
	bool credit_wire[RING];
	struct queue queue;
	enum phase phase;
	uint32_t used;   /* places of the queue that the node counts as taken */
	uint32_t owed;   /* free places for which the node has no credit yet */
};

struct output {
	struct flit wire[RING];
	bool credit_wire[RING];
	struct queue sent, arrived; /* at the router, at the node */
	uint32_t used;   /* places of the node that the router counts as taken */
	uint32_t first;  /* node that is considered first */
	bool granted;    /* to an input, until that has sent its head */
	uint32_t winner; /* in this step: input that gets it, or NO_INPUT */
};

#define NO_INPUT UINT32_MAX

struct state {
	struct hd_ctx *ctx;
	struct hd_ends in, out;
	const struct hd_map_if *map;
	struct hd_pool *pool;
	uint32_t route, cores, depth;

	uint32_t nodes, first_in; /* nodes of this network and of the other one; node of input 0 */
	struct input *input;
	struct output *output;
	struct flit *flits;       /* of all queues */
	struct flit *latch;       /* by output: what crosses the switch; at most one per output */
	uint32_t *moving;         /* inputs that send in this step */
	uint32_t inside, credits; /* flits and credits inside the module */
	uint64_t packets, cycles;
};

static void push(const struct state *st, struct queue *q, struct flit f)
{
	uint32_t at = q->head + q->count++;

	q->v[at < st->depth ? at : at - st->depth] = f;
}

static struct flit pop(const struct state *st, struct queue *q)
{
	struct flit f = q->v[q->head];

	q->head = q->head + 1 == st->depth ? 0 : q->head + 1;
	q->count--;
	return f;
}

/* Takes what arrives at the end of a wire now. */
static struct flit arrival(struct flit *wire, uint32_t now)
{
	struct flit f = wire[(now - WIRE) % RING];

	wire[(now - WIRE) % RING].ref = 0;
	return f;
}

static uint32_t credit(struct state *st, bool *wire, uint32_t now)
{
	uint32_t n = wire[(now - WIRE) % RING];

	wire[(now - WIRE) % RING] = false;
	st->credits -= n;
	return n;
}

static uint32_t output_of(const struct state *st, hd_mem_ref ref)
{
	return hd_map_output(st->map, hd_mem(st->pool, ref), st->route == ROUTE_CLUSTER ? st->cores : 0);
}

/* The nodes: packets leave and enter the network. */
static void serve_nodes(struct state *st, uint32_t now)
{
	for (uint32_t o = 0; o < st->out.n; o++) {
		struct output *out = &st->output[o];
		struct flit f = arrival(out->wire, now);

		if (f.ref)
			push(st, &out->arrived, f);
		if (out->arrived.count && hd_room(&st->out.v[o])) {
			f = pop(st, &out->arrived);
			hd_put(&st->out.v[o], &f.ref, sizeof f.ref);
			out->credit_wire[now % RING] = true;
			st->credits++;
			st->inside--;
		}
	}
	for (uint32_t i = 0; i < st->in.n; i++) {
		struct input *in = &st->input[i];
		hd_mem_ref ref = hd_mem_front(&st->in.v[i]);
		uint32_t o;

		in->used -= credit(st, in->credit_wire, now);
		if (!ref || in->used == st->depth)
			continue;
		o = output_of(st, ref);
		if (HD_UNLIKELY(o >= st->out.n)) {
			hd_error(st->ctx, "a packet for output %u, and there are %u; expected one for each %s", o,
			         st->out.n, st->route == ROUTE_SLICE ? "slice" : "cluster");
			continue;
		}
		in->wire[now % RING] = (struct flit){ ref, o };
		in->used++;
		hd_take(&st->in.v[i]);
		st->inside++;
		st->packets++;
	}
}

static void take_arrivals(struct state *st, uint32_t now)
{
	for (uint32_t i = 0; i < st->in.n; i++) {
		struct input *in = &st->input[i];
		struct flit f = arrival(in->wire, now);

		if (!f.ref)
			continue;
		push(st, &in->queue, f);
		if (in->phase == IDLE)
			in->phase = REQUESTS;
	}
	for (uint32_t o = 0; o < st->out.n; o++)
		st->output[o].used -= credit(st, st->output[o].credit_wire, now);
}

/* Nodes from `first` on to the input's, in the ring of all nodes. */
static uint32_t distance(const struct state *st, uint32_t first, uint32_t i)
{
	uint32_t node = st->first_in + i;

	return node >= first ? node - first : node + st->nodes - first;
}

/* Which inputs get an output, and which send: both are chosen before anything moves. */
static uint32_t choose(struct state *st)
{
	uint32_t nmoving = 0;

	for (uint32_t o = 0; o < st->out.n; o++)
		st->output[o].winner = NO_INPUT;
	for (uint32_t i = 0; i < st->in.n; i++) {
		const struct input *in = &st->input[i];
		struct output *out;

		if (in->phase == IDLE)
			continue;
		out = &st->output[in->queue.v[in->queue.head].output];
		if (in->phase == ACTIVE && out->used < st->depth)
			st->moving[nmoving++] = i;
		else if (in->phase == REQUESTS && !out->granted
		         && (out->winner == NO_INPUT || distance(st, out->first, i)
		                                      < distance(st, out->first, out->winner)))
			out->winner = i;
	}
	return nmoving;
}

/* One of the two steps of the router in a cycle. */
static void switch_once(struct state *st)
{
	uint32_t nmoving = choose(st);

	for (uint32_t o = 0; o < st->out.n; o++) {
		struct output *out = &st->output[o];

		if (st->latch[o].ref)
			push(st, &out->sent, st->latch[o]);
		st->latch[o].ref = 0;
		if (out->winner == NO_INPUT)
			continue;
		out->first = (st->first_in + out->winner + 1) % st->nodes;
		out->granted = true;
		st->input[out->winner].phase = ACTIVE;
	}
	for (uint32_t k = 0; k < nmoving; k++) {
		struct input *in = &st->input[st->moving[k]];
		struct flit f = pop(st, &in->queue);

		st->latch[f.output] = f;
		st->output[f.output].used++;
		st->output[f.output].granted = false;
		in->owed++;
		st->credits++;
		in->phase = in->queue.count ? REQUESTS : IDLE;
	}
}

static void send(struct state *st, uint32_t now)
{
	for (uint32_t o = 0; o < st->out.n; o++)
		if (st->output[o].sent.count)
			st->output[o].wire[now % RING] = pop(st, &st->output[o].sent);
	for (uint32_t i = 0; i < st->in.n; i++) {
		struct input *in = &st->input[i];

		if (in->owed == 0)
			continue;
		in->owed--;
		in->credit_wire[now % RING] = true;
	}
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint32_t now = (uint32_t)hd_now(st->ctx);

	st->cycles++;
	serve_nodes(st, now);
	if (st->inside + st->credits == 0)
		return HD_SLEEP;
	take_arrivals(st, now);
	switch_once(st);
	switch_once(st);
	send(st, now);
	return HD_NEXT;
}

static void skipped(void *state, uint64_t n)
{
	((struct state *)state)->cycles += n;
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
	struct flit *at;

	if (st->route == ROUTE_SLICE && !st->map)
		return hd_error(st->ctx, "'route' \"slice\" expects an address map at port 'map'");
	st->nodes = st->in.n + st->out.n;
	st->first_in = st->route == ROUTE_SLICE ? 0 : st->out.n; /* clusters come before slices */
	st->input = calloc(st->in.n + 1, sizeof *st->input);
	st->output = calloc(st->out.n + 1, sizeof *st->output);
	st->flits = calloc(((size_t)st->in.n + 2 * st->out.n) * st->depth + 1, sizeof *st->flits);
	st->latch = calloc(st->out.n + 1, sizeof *st->latch);
	st->moving = calloc(st->in.n + 1, sizeof *st->moving);
	if (!st->input || !st->output || !st->flits || !st->latch || !st->moving)
		return hd_error(st->ctx, "out of memory for %u nodes", st->nodes);
	at = st->flits;
	for (uint32_t i = 0; i < st->in.n; i++, at += st->depth)
		st->input[i].queue.v = at;
	for (uint32_t o = 0; o < st->out.n; o++, at += 2 * (size_t)st->depth) {
		st->output[o].sent.v = at;
		st->output[o].arrived.v = at + st->depth;
	}
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->inside)
		hd_report_pending(h, "%u packets in flight", st->inside);
}

static void fini(void *state)
{
	struct state *st = state;

	free(st->input);
	free(st->output);
	free(st->flits);
	free(st->latch);
	free(st->moving);
}

static void queue_saved(struct hd_checkpoint *k, struct queue *q, uint32_t depth)
{
	hd_saved(k, q->v, depth * sizeof *q->v);
	HD_SAVED_FROM(k, q, head, count);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	for (uint32_t i = 0; i < st->in.n; i++) {
		HD_SAVED_FROM(k, &st->input[i], wire, credit_wire);
		queue_saved(k, &st->input[i].queue, st->depth);
		HD_SAVED_FROM(k, &st->input[i], phase, owed);
	}
	for (uint32_t o = 0; o < st->out.n; o++) {
		HD_SAVED_FROM(k, &st->output[o], wire, credit_wire);
		queue_saved(k, &st->output[o].sent, st->depth);
		queue_saved(k, &st->output[o].arrived, st->depth);
		HD_SAVED_FROM(k, &st->output[o], used, winner);
	}
	hd_saved(k, st->latch, st->out.n * sizeof *st->latch);
	hd_saved(k, st->moving, st->in.n * sizeof *st->moving);
	HD_SAVED_FROM(k, st, inside, credits);
}

#define P(f) offsetof(struct state, f)

static const char *const routes[] = { "slice", "cluster", NULL };

static const struct hd_param params[] = {
	{ .name = "route", .unit = "", .doc = "which output a packet takes: that of the slice that its "
	  "address belongs to, or that of the cluster that it came from", .type = HD_CHOICE,
	  .offset = P(route), .def = "\"cluster\"", .choices = routes },
	{ .name = "cores", .unit = "SMs", .doc = "SMs behind one output, if outputs are clusters",
	  .type = HD_U32, .offset = P(cores), .def = "1", .min = 1, .max = 65535 },
	{ .name = "depth", .unit = "packets", .doc = "buffer of each input of the router, and of each "
	  "output at its node", .type = HD_U32, .offset = P(depth), .def = "64", .min = 1,
	  .max = 65536 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "packets, by input", .kind = HD_IN, .flags = HD_ARRAY | HD_METERED,
	  .type = &hd_type_mem, .offset = P(in) },
	{ .name = "out", .doc = "the same, by output", .kind = HD_OUT, .flags = HD_ARRAY,
	  .type = &hd_type_mem, .offset = P(out) },
	{ .name = "map", .doc = "gives the slice of an address; open: unused", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_map_if, .offset = P(map) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "packets", .unit = "packets", .doc = "packets that entered", .offset = P(packets) },
	{ .name = "cycles", .unit = "cycles", .doc = "cycles of the network", .offset = P(cycles) },
	{ .name = NULL },
};

const struct hd_module hd_module_fly = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "fly",
	.doc = "network of one router with credits between clusters and slices of the memory",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.skipped = skipped,
	.report_pending = report_pending,
	.fini = fini,
	.checkpoint = checkpoint,
};
