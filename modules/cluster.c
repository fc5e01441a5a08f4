/* cluster.c - replies from the network to the SMs that share one of its nodes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One queue for all SMs: its head waits until its own SM has room, and blocks all others.  In a
 * cycle the head goes on first, then one packet is taken from the network, or `rate` of each.
 */
#include <heddle/ahead.h>
#include <heddle/gpu/cluster.h>
#include <heddle/gpu/mem.h>

enum { PORT_INST = 2 };

struct state {
	struct hd_ctx *ctx;
	struct hd_end in;
	struct hd_ends response, inst_response;
	struct hd_cluster_if face;
	struct hd_pool *pool;
	uint32_t size, rate, first;
	bool placed; /* first is known */

	hd_mem_ref *queue; /* ring */
	uint32_t head, count;
	uint64_t free_from; /* step, of which a cycle has `rate`, from which the next one is delivered */
	struct hd_meter meter;
	uint64_t replies, blocked;
};

static void deliver(struct state *st, uint64_t step)
{
	hd_mem_ref ref = st->queue[st->head];
	const struct hd_mem_req *r = &hd_mem(st->pool, ref)->line.req;
	const struct hd_ends *to = r->flags & HD_MEM_INST && st->inst_response.n
	                           ? &st->inst_response : &st->response;
	uint32_t core = r->core - st->first;

	if (HD_UNLIKELY(core >= to->n)) {
		hd_error(st->ctx, "a reply for SM %u; expected %u to %u: the network has its outputs, and the "
		         "dispatcher the clusters, in the same order, and both the same 'cores'", r->core,
		         st->first, st->first + to->n - 1);
		return;
	}
	if (hd_room(&to->v[core]) == 0) {
		st->blocked++;
		return;
	}
	st->free_from = step + hd_mem_packets(r);
	hd_put(&to->v[core], &ref, sizeof ref);
	st->head = st->head + 1 == st->size ? 0 : st->head + 1;
	st->count--;
	st->replies++;
}

static void take(struct state *st)
{
	hd_mem_ref ref = hd_mem_front(&st->in);
	uint32_t at = st->head + st->count;

	if (!ref)
		return;
	st->queue[at < st->size ? at : at - st->size] = ref;
	st->count++;
	hd_mem_fetch(st->pool, ref);
	hd_take(&st->in);
}

static uint64_t eval(void *state)
{
	struct state *st = state;

	for (uint64_t step = hd_now(st->ctx) * st->rate, end = step + st->rate; step < end && st->count; step++)
		if (step >= st->free_from)
			deliver(st, step);
	for (uint32_t i = st->rate; i && st->count < st->size; i--)
		take(st);
	hd_meter(st->ctx, &st->meter, st->count);
	return st->count ? HD_NEXT : HD_SLEEP;
}

static void place(void *self, uint32_t first)
{
	struct state *st = self;

	if (st->placed)
		hd_error(st->ctx, "another dispatcher numbers the SMs of this cluster; expected one");
	st->first = first;
	st->placed = true;
}

static void work(void *self, bool works)
{
	hd_gate(((struct state *)self)->ctx, works);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	st->face = (struct hd_cluster_if){ .self = st, .place = place, .work = work };
	hd_puts_at_most(ctx, PORT_INST, st->rate);
	st->queue = hd_memory(ctx, st->size, sizeof *st->queue);
	return st->queue ? 0 : hd_error(ctx, "out of memory");
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->count)
		hd_report_pending(h, "%u replies on their way to the SMs", st->count);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->free_from);
	hd_saved(k, st->queue, st->size * sizeof *st->queue);
	st->head = (uint32_t)hd_saved_number(k, st->head, st->size - 1);
	st->count = (uint32_t)hd_saved_number(k, st->count, st->size);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "size", .unit = "packets", .doc = "queue of replies for all SMs of the cluster",
	  .type = HD_U32, .offset = P(size), .def = "32", .min = 1, .max = 65536 },
	{ .name = "rate", .unit = "packets", .doc = "that are taken in a cycle, and delivered", .type = HD_U32,
	  .offset = P(rate), .def = "1", .min = 1, .max = 16 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "replies from the network", .kind = HD_IN, .flags = HD_METERED,
	  .type = &hd_type_mem, .offset = P(in) },
	{ .name = "response", .doc = "by SM: replies to its load/store unit", .kind = HD_OUT,
	  .flags = HD_ARRAY, .type = &hd_type_mem, .offset = P(response) },
	[PORT_INST] = { .name = "inst_response", .doc = "by SM: those of instruction fetches; none: they go to "
	  "'response' as well", .kind = HD_OUT, .flags = HD_ARRAY | HD_OPTIONAL,
	  .type = &hd_type_mem, .most = 1, .offset = P(inst_response) },
	{ .name = "work", .doc = "for the dispatcher: numbers the SMs, and switches the clock that "
	  "this instance gates", .kind = HD_PROVIDES, .type = &hd_type_cluster_if,
	  .offset = P(face) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "replies", .unit = "packets", .doc = "replies that reached an SM",
	  .offset = P(replies) },
	{ .name = "blocked", .unit = "cycles", .doc = "cycles in which the oldest reply found no room "
	  "in its SM", .offset = P(blocked) },
	{ .name = NULL },
};

static uint64_t taken(const void *state)
{
	const struct state *st = state;

	return st->replies + st->count;
}

static const struct hd_activity activity[] = {
	{ .name = "taken", .unit = "packets", .doc = "replies that were taken from the network", .now = taken },
	{ .name = NULL },
};

static const struct hd_queue queues[] = {
	{ .name = "queue", .unit = "packets", .doc = "replies for all SMs of the cluster",
	  .offset = P(meter), .capacity = P(size) },
	{ .name = NULL },
};

const struct hd_module hd_module_cluster = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "cluster",
	.doc = "queue of replies for the SMs that share a node of the network",
	.params = params,
	.ports = ports,
	.stats = stats,
	.queues = queues,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
	.activity = activity,
};
