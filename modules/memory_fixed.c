/* memory_fixed.c - memory of fixed latency and bandwidth
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Memory of fixed latency.  For studies of an SM alone: three numbers describe
 * its memory.
 */
#include <heddle/gpu/mem.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_end request, response, inst_response;
	struct hd_pool *pool;
	uint32_t latency, bytes, per, outstanding;

	hd_mem_ref head, tail; /* requests inside, in the order of their answers */
	uint32_t count;
	uint64_t free;         /* cycle from which the data path is free, times `bytes` */
	uint64_t reads, writes, moved, refused, blocked;
};

/* The cycle in which the data path begins to move a request that was taken now. */
static uint64_t begin(struct state *st, uint64_t now, uint32_t size)
{
	uint64_t at = now * st->bytes;

	if (st->bytes == 0)
		return now;
	if (at < st->free)
		at = st->free;
	st->free = at + (uint64_t)size * st->per;
	return (at + st->bytes - 1) / st->bytes;
}

static void take(struct state *st, uint64_t now)
{
	hd_mem_ref ref = hd_mem_front(&st->request);
	struct hd_mem *m;

	if (!ref)
		return;
	if (st->outstanding && st->count == st->outstanding) {
		st->refused++;
		return;
	}
	hd_take(&st->request);
	m = hd_mem(st->pool, ref);
	m->due = begin(st, now, m->line.req.size) + st->latency;
	m->next = 0;
	hd_mem_move(st->ctx, m, *st->ctx->cycle, HD_MEM_AT_DRAM);
	if (st->count++ == 0)
		st->head = ref;
	else
		hd_mem(st->pool, st->tail)->next = ref;
	st->tail = ref;
	st->moved += m->line.req.size;
	if (m->line.req.flags & HD_MEM_WRITE)
		st->writes++;
	else
		st->reads++;
}

static void answer(struct state *st, uint64_t now)
{
	hd_mem_ref ref = st->head;
	const struct hd_mem *m = hd_mem(st->pool, ref);
	const struct hd_end *to = &st->response;

	if (st->count == 0 || m->due > now)
		return;
	if ((m->line.req.flags & HD_MEM_INST) && hd_connected(&st->inst_response))
		to = &st->inst_response;
	if (!(m->line.req.flags & HD_MEM_SILENT) && hd_room(to) == 0) {
		st->blocked++;
		return;
	}
	st->head = m->next;
	st->count--;
	if (m->line.req.flags & HD_MEM_SILENT)
		hd_release(st->pool, ref);
	else
		hd_put(to, &ref, sizeof ref);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), due;

	take(st, now);
	answer(st, now);
	if (hd_mem_front(&st->request))
		return HD_NEXT;
	if (st->count == 0)
		return HD_SLEEP;
	due = hd_mem(st->pool, st->head)->due;
	return due > now ? due - now : HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->count)
		hd_report_pending(h, "%u requests in the memory", st->count);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, head, free);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "latency", .unit = "cycles", .doc = "from taking a request to its reply, if the data "
	  "path is free", .type = HD_U32, .offset = P(latency), .def = "200", .min = 0,
	  .max = 1000000 },
	{ .name = "bytes", .unit = "bytes", .doc = "that the data path moves in 'per' cycles, reads and "
	  "writes together; 0: any number", .type = HD_U32, .offset = P(bytes), .def = "32", .min = 0,
	  .max = 65536 },
	{ .name = "per", .unit = "cycles", .doc = "see 'bytes'", .type = HD_U32, .offset = P(per),
	  .def = "1", .min = 1, .max = 65536 },
	{ .name = "outstanding", .unit = "requests", .doc = "most requests inside; 0: any number",
	  .type = HD_U32, .offset = P(outstanding), .def = "0", .min = 0, .max = 1000000 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "request", .doc = "loads and stores", .kind = HD_IN, .type = &hd_type_mem,
	  .offset = P(request) },
	{ .name = "response", .doc = "the same requests, as replies", .kind = HD_OUT,
	  .type = &hd_type_mem, .offset = P(response) },
	{ .name = "inst_response", .doc = "replies to fetches; open: they go to 'response' as well",
	  .kind = HD_OUT, .flags = HD_OPTIONAL, .type = &hd_type_mem, .offset = P(inst_response) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "reads", .unit = "requests", .doc = "reads taken", .offset = P(reads) },
	{ .name = "writes", .unit = "requests", .doc = "writes taken", .offset = P(writes) },
	{ .name = "bytes", .unit = "bytes", .doc = "bytes requested", .offset = P(moved) },
	{ .name = "refused", .unit = "cycles", .doc = "cycles in which a request found 'outstanding' "
	  "others inside", .offset = P(refused) },
	{ .name = "blocked", .unit = "cycles", .doc = "cycles in which a reply found no room",
	  .offset = P(blocked) },
	{ .name = NULL },
};

const struct hd_module hd_module_memory_fixed = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "memory_fixed",
	.doc = "memory of fixed latency and bandwidth",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
};
