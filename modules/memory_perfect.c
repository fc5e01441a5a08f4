/* memory_perfect.c - memory that answers every request in the next cycle, one per cycle
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Perfect memory: requests wait in one queue (the capacity of the link to port
 * `request`); one a cycle goes to the requester if that has room (the capacity of the link from
 * `response`).
 */
#include <heddle/gpu/mem.h>

struct state {
	struct hd_end request, response, inst_response;
	struct hd_pool *pool;
	uint64_t reads, writes;
};

static uint64_t eval(void *state)
{
	struct state *st = state;
	hd_mem_ref ref = hd_mem_front(&st->request);
	const struct hd_end *to;
	unsigned flags;

	if (!ref)
		return HD_SLEEP;
	flags = hd_mem(st->pool, ref)->line.req.flags;
	to = (flags & HD_MEM_INST) && hd_connected(&st->inst_response) ? &st->inst_response
	                                                                  : &st->response;
	if (hd_room(to) == 0)
		return HD_SLEEP;
	if (flags & HD_MEM_WRITE)
		st->writes++;
	else
		st->reads++;
	hd_take(&st->request);
	hd_put(to, &ref, sizeof ref);
	return HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->pool = hd_pool(ctx, &hd_type_mem);
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "request", .doc = "loads and stores", .kind = HD_IN, .type = &hd_type_mem,
	  .offset = offsetof(struct state, request) },
	{ .name = "response", .doc = "the same requests, as replies", .kind = HD_OUT,
	  .type = &hd_type_mem, .offset = offsetof(struct state, response) },
	{ .name = "inst_response", .doc = "replies to fetches; open: they go to 'response' "
	  "as well", .kind = HD_OUT, .flags = HD_OPTIONAL, .type = &hd_type_mem,
	  .offset = offsetof(struct state, inst_response) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "reads", .unit = "requests", .doc = "reads answered",
	  .offset = offsetof(struct state, reads) },
	{ .name = "writes", .unit = "requests", .doc = "writes answered",
	  .offset = offsetof(struct state, writes) },
	{ .name = NULL },
};

const struct hd_module hd_module_memory_perfect = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "memory_perfect",
	.doc = "memory that answers one request per cycle, at once",
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.checkpoint = hd_nothing_saved,
};
