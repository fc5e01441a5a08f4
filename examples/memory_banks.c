/* memory_banks.c - memory of several banks, each of which is busy with a request for some cycles
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o memory_banks.so memory_banks.c
 *
 * Takes one request a cycle if the bank of its address is free, and answers one a cycle.
 */
#include <heddle/gpu/mem.h>

#include <stdlib.h>

#define IN_A_BANK 256u /* bytes, then comes the next bank */

struct state {
	struct hd_ctx *ctx;
	struct hd_pool *pool;
	struct hd_end request, response;
	uint32_t latency, banks, busy;
	uint64_t *free;      /* by bank: edge from which it is free */
	hd_mem_ref *ring;    /* of `latency` requests, oldest at head; hd_mem.due says when */
	uint32_t head, count;
	uint64_t taken, conflicts;
};

static void answer(struct state *st, uint64_t now)
{
	hd_mem_ref ref = st->ring[st->head];
	const struct hd_mem *m = hd_mem(st->pool, ref);

	if (st->count == 0 || m->due > now)
		return;
	if (m->line.req.flags & HD_MEM_SILENT) { /* gets no reply */
		hd_release(st->pool, ref);
	} else {
		if (hd_room(&st->response) == 0)
			return;
		hd_put(&st->response, &ref, sizeof ref);
	}
	st->head = (st->head + 1) % st->latency;
	st->count--;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), *bank;
	hd_mem_ref ref = hd_mem_front(&st->request);

	answer(st, now);
	if (!ref)
		return st->count ? HD_NEXT : HD_SLEEP;
	bank = &st->free[hd_mem(st->pool, ref)->line.req.addr / IN_A_BANK % st->banks];
	if (*bank > now) {
		st->conflicts++;
	} else if (st->count < st->latency) {
		*bank = now + st->busy;
		hd_mem(st->pool, ref)->due = now + st->latency;
		st->ring[(st->head + st->count++) % st->latency] = ref;
		hd_take(&st->request);
		st->taken++;
	}
	return HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	st->free = calloc(st->banks, sizeof *st->free);
	st->ring = calloc(st->latency, sizeof *st->ring);
	return st->free && st->ring ? 0 : hd_error(ctx, "out of memory");
}

static void report_pending(const void *state, struct hd_pending *h)
{
	if (((const struct state *)state)->count)
		hd_report_pending(h, "%u requests outstanding", ((const struct state *)state)->count);
}

static void fini(void *state)
{
	free(((struct state *)state)->free);
	free(((struct state *)state)->ring);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	hd_saved(k, st->free, st->banks * sizeof *st->free);
	hd_saved(k, st->ring, st->latency * sizeof *st->ring);
	HD_SAVED_FROM(k, st, head, count);
}

#define AT(member) .offset = offsetof(struct state, member)

const struct hd_module hd_module_memory_banks = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "memory_banks",
	.doc = "memory of several banks, each of which is busy with a request for some cycles",
	.params = (const struct hd_param[]){
		{ .name = "latency", .unit = "cycles", .doc = "from taking a request to its answer",
		  .type = HD_U32, AT(latency), .def = "200", .min = 1, .max = 100000 },
		{ .name = "banks", .unit = "banks", .doc = "of 256 neighbouring bytes in turn",
		  .type = HD_U32, AT(banks), .def = "8", .min = 1, .max = 65536 },
		{ .name = "busy", .unit = "cycles", .doc = "that a bank needs for a request",
		  .type = HD_U32, AT(busy), .def = "4", .min = 1, .max = 100000 },
		{ 0 } },
	.ports = (const struct hd_port[]){
		{ .name = "request", .doc = "loads and stores", .kind = HD_IN, .type = &hd_type_mem,
		  AT(request) },
		{ .name = "response", .doc = "the same requests, as replies", .kind = HD_OUT,
		  .type = &hd_type_mem, AT(response) },
		{ 0 } },
	.stats = (const struct hd_stat[]){
		{ .name = "taken", .unit = "requests", .doc = "requests taken", AT(taken) },
		{ .name = "conflicts", .unit = "cycles", .doc = "cycles in which a request found its "
		  "bank busy", AT(conflicts) },
		{ 0 } },
	.state_size = sizeof(struct state), .init = init, .eval = eval, .report_pending = report_pending, .fini = fini,
	.checkpoint = checkpoint, .confined = true,
};
