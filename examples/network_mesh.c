/* network_mesh.c - a mesh of routers in the place of a GPU's network
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clusters and slices take turns along the nodes, row by row.  A packet goes along its row, then along its column, one
 * node in a cycle, and waits in the queue by which it came: no two wait for each other in a circle.  Each way out of a
 * node takes one packet in a cycle, from one queue after the other.
 */
#include <heddle/gpu/map.h>

enum { ROUTE_SLICE, ROUTE_CLUSTER };
enum { WEST, EAST, NORTH, SOUTH, HERE, WAYS }; /* queues of a node, by where packets come from; and ways out of it */
#define MOST 64u /* places of a queue */

struct queue {
	uint32_t head, n;
	struct packet {
		hd_mem_ref ref;
		uint32_t output;
		uint64_t came; /* edge */
	} v[MOST];
};

struct node {
	struct queue from[WAYS];
	uint32_t next[WAYS]; /* by way out: the queue that is asked first */
};

struct state {
	struct hd_ctx *ctx;
	struct hd_ends in, out;
	const struct hd_map_if *map;
	struct hd_pool *pool;
	uint32_t route, cores, columns, rows, depth;
	uint32_t inside;
	struct node *node;
	uint64_t packets, hops, blocked;
};

/* The node of the i-th of n clusters or slices. */
static uint32_t place(const struct state *st, uint32_t i, uint32_t n, bool slice)
{
	return (uint32_t)((2 * (uint64_t)i + slice) * st->columns * st->rows / (2 * (uint64_t)n));
}

static uint32_t output_of(const struct state *st, hd_mem_ref ref)
{
	return hd_map_output(st->map, hd_mem(st->pool, ref), st->route == ROUTE_CLUSTER ? st->cores : 0);
}

/* By which way a packet for the node `to` leaves `at`; *then: the node behind it. */
static unsigned way(const struct state *st, uint32_t at, uint32_t to, uint32_t *then)
{
	uint32_t x = at % st->columns, y = at / st->columns, tx = to % st->columns, ty = to / st->columns;

	*then = x < tx ? at + 1 : x > tx ? at - 1 : y < ty ? at + st->columns : y > ty ? at - st->columns : at;
	return x < tx ? EAST : x > tx ? WEST : y < ty ? SOUTH : y > ty ? NORTH : HERE;
}

static void take(struct queue *q)
{
	q->head = (q->head + 1) % MOST;
	q->n--;
}

static void append(struct queue *q, hd_mem_ref ref, uint32_t output, uint64_t now)
{
	q->v[(q->head + q->n++) % MOST] = (struct packet){ ref, output, now };
}

/* The packet moves on by that way, or leaves.  Returns false if there is no room. */
static bool move(struct state *st, const struct packet *p, unsigned out, uint32_t then)
{
	static const uint8_t opposite[] = { [WEST] = EAST, [EAST] = WEST, [NORTH] = SOUTH, [SOUTH] = NORTH };
	const struct hd_end *end = &st->out.v[p->output];
	struct queue *q;

	if (out != HERE) {
		q = &st->node[then].from[opposite[out]];
		if (q->n == st->depth)
			return false;
		append(q, p->ref, p->output, hd_now(st->ctx));
		st->hops++;
		return true;
	}
	if (!hd_room(end))
		return false;
	hd_put(end, &p->ref, sizeof p->ref);
	st->inside--;
	return true;
}

/* One packet for each way out of the node. */
static void forward(struct state *st, uint32_t at)
{
	struct node *n = &st->node[at];
	bool used[WAYS] = { false };

	for (unsigned out = 0; out < WAYS; out++) {
		for (unsigned i = 0; i < WAYS && !used[out]; i++) {
			unsigned from = (n->next[out] + i) % WAYS;
			struct queue *q = &n->from[from];
			const struct packet *p = &q->v[q->head];
			uint32_t then;

			if (q->n == 0 || p->came == hd_now(st->ctx)
			    || way(st, at, place(st, p->output, st->out.n, st->route == ROUTE_SLICE), &then) != out)
				continue;
			used[out] = move(st, p, out, then);
			st->blocked += !used[out];
			if (used[out]) {
				take(q);
				n->next[out] = (from + 1) % WAYS;
			}
		}
	}
}

static void enter(struct state *st, uint32_t i)
{
	struct queue *q = &st->node[place(st, i, st->in.n, st->route == ROUTE_CLUSTER)].from[HERE];
	hd_mem_ref ref = hd_mem_front(&st->in.v[i]);
	uint32_t o;

	if (!ref || q->n == st->depth)
		return;
	o = output_of(st, ref);
	if (o >= st->out.n) {
		hd_fail(st->ctx, "a packet for output %u; expected less than %u", o, st->out.n);
		return;
	}
	append(q, ref, o, hd_now(st->ctx));
	hd_take(&st->in.v[i]);
	st->inside++;
	st->packets++;
}

static uint64_t eval(void *state)
{
	struct state *st = state;

	for (uint32_t at = 0; at < st->columns * st->rows && st->inside; at++)
		forward(st, at);
	for (uint32_t i = 0; i < st->in.n; i++)
		enter(st, i);
	return st->inside ? HD_NEXT : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	st->node = hd_memory(ctx, (size_t)st->columns * st->rows, sizeof *st->node);
	if (st->route == ROUTE_SLICE && !st->map)
		return hd_error(ctx, "'route' \"slice\" expects an address map at port 'map'");
	return st->node ? 0 : hd_error(ctx, "out of memory for %u nodes", st->columns * st->rows);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->inside)
		hd_report_pending(h, "%u packets in the mesh", st->inside);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->inside);
	hd_saved(k, st->node, (size_t)st->columns * st->rows * sizeof *st->node);
}

#define AT(member) .offset = offsetof(struct state, member)
static const char *const routes[] = { "slice", "cluster", NULL };

const struct hd_module hd_module_network_mesh = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "network_mesh", .doc = "a mesh of routers in the place of a GPU's network", .init = init, .eval = eval,
	.report_pending = report_pending, .checkpoint = checkpoint, .confined = true,
	.params = (const struct hd_param[]){
		{ .name = "route", .unit = "", .doc = "the output of a packet: that of the slice of its address, or of "
		  "the cluster that it came from", .type = HD_CHOICE, AT(route), .def = "\"cluster\"",
		  .choices = routes },
		{ .name = "cores", .unit = "SMs", .doc = "behind one output, if outputs are clusters", .type = HD_U32,
		  AT(cores), .def = "1", .min = 1, .max = 65535 },
		{ .name = "columns", .unit = "nodes", .doc = "of a row", .type = HD_U32, AT(columns),
		  .def = "4", .min = 1, .max = 64 },
		{ .name = "rows", .unit = "nodes", .doc = "of a column", .type = HD_U32, AT(rows),
		  .def = "4", .min = 1, .max = 64 },
		{ .name = "depth", .unit = "packets", .doc = "that a queue holds", .type = HD_U32, AT(depth),
		  .def = "4", .min = 1, .max = MOST },
		{ .name = NULL } },
	.ports = (const struct hd_port[]){
		{ .name = "in", .doc = "packets, by input", .kind = HD_IN, .flags = HD_ARRAY, .type = &hd_type_mem,
		  AT(in) },
		{ .name = "out", .doc = "the same, by output", .kind = HD_OUT, .flags = HD_ARRAY, .type = &hd_type_mem,
		  AT(out), .most = 1 },
		{ .name = "map", .doc = "gives the slice of an address; open: unused", .kind = HD_USES,
		  .flags = HD_OPTIONAL, .type = &hd_type_map_if, AT(map) },
		{ .name = NULL } },
	.stats = (const struct hd_stat[]){
		{ .name = "packets", .unit = "packets", .doc = "that entered", AT(packets) },
		{ .name = "hops", .unit = "hops", .doc = "from node to node, of all of them", AT(hops) },
		{ .name = "blocked", .unit = "times", .doc = "that a packet found no room behind a node", AT(blocked) },
		{ .name = NULL } },
};
