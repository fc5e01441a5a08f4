/* memory_fixed.c - memory with a fixed latency and a limit on outstanding requests
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o memory_fixed.so memory_fixed.c
 *
 * Takes one request a cycle unless `outstanding` are in flight, and answers one a cycle.
 */
#include <heddle/payload/mem.h>

#include <stdlib.h>

struct waiting {
	hd_mem_ref req;
	uint64_t due; /* edge from which it may be answered */
};

struct state {
	struct hd_ctx *ctx;
	struct hd_pool *pool;
	struct hd_end request, response;
	uint32_t latency, outstanding;
	struct waiting *ring; /* of `outstanding`, oldest at head */
	uint32_t head, count;
	uint64_t taken, refused;
};

static void answer(struct state *st, uint64_t now)
{
	const struct waiting *w = &st->ring[st->head];

	if (st->count == 0 || w->due > now)
		return;
	if (hd_mem(st->pool, w->req)->line.req.flags & HD_MEM_SILENT) { /* gets no reply */
		hd_release(st->pool, w->req);
	} else {
		if (hd_room(&st->response) == 0)
			return;
		hd_put(&st->response, &w->req, sizeof w->req);
	}
	st->head = (st->head + 1) % st->outstanding;
	st->count--;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx);
	hd_mem_ref r;

	answer(st, now);
	r = hd_mem_front(&st->request);
	if (r && st->count < st->outstanding) {
		st->ring[(st->head + st->count++) % st->outstanding] =
			(struct waiting){ r, now + st->latency };
		hd_take(&st->request);
		st->taken++;
		return HD_NEXT; /* there may be more */
	}
	st->refused += r != 0;
	if (r)
		return HD_NEXT; /* counts every cycle of the wait */
	if (st->count == 0)
		return HD_SLEEP;
	return st->ring[st->head].due > now ? st->ring[st->head].due - now : HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	st->ring = calloc(st->outstanding, sizeof *st->ring);
	return st->ring ? 0 : hd_error(ctx, "out of memory");
}

static void report_pending(const void *state, struct hd_pending *h)
{
	if (((const struct state *)state)->count)
		hd_report_pending(h, "%u requests outstanding", ((const struct state *)state)->count);
}

static void fini(void *state)
{
	free(((struct state *)state)->ring);
}

#define AT(member) .offset = offsetof(struct state, member)

const struct hd_module hd_module_memory_fixed = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "memory_fixed",
	.doc = "memory with a fixed latency and a limited number of outstanding requests",
	.params = (const struct hd_param[]){
		{ .name = "latency", .unit = "cycles", .doc = "from taking a request to its answer",
		  .type = HD_U32, AT(latency), .def = "200", .min = 1, .max = 100000 },
		{ .name = "outstanding", .unit = "requests", .doc = "most requests in flight",
		  .type = HD_U32, AT(outstanding), .def = "64", .min = 1, .max = 65536 },
		{ 0 } },
	.ports = (const struct hd_port[]){
		{ .name = "request", .doc = "loads and stores", .kind = HD_IN, .type = &hd_type_mem,
		  AT(request) },
		{ .name = "response", .doc = "the same requests, as replies", .kind = HD_OUT,
		  .type = &hd_type_mem, AT(response) },
		{ 0 } },
	.stats = (const struct hd_stat[]){
		{ .name = "taken", .unit = "requests", .doc = "requests taken", AT(taken) },
		{ .name = "refused", .unit = "cycles", .doc = "cycles in which a request found the "
		  "limit reached", AT(refused) },
		{ 0 } },
	.state_size = sizeof(struct state), .init = init, .eval = eval, .report_pending = report_pending, .fini = fini,
};
