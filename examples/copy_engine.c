/* copy_engine.c - a unit that copies rows of global memory into shared memory, many lines for one instruction
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o copy_engine.so copy_engine.c
 *
 * Each active lane of its instruction has the address of a row.  The engine sends the requests itself, around the L1D,
 * and writes what comes back through the port of shared memory.  Its instruction is an asynchronous copy, whose
 * outstanding answers `copy` counts; so warps wait for it as they do for LDGSTS, by groups.  The instruction goes on to
 * writeback when all its requests are sent.
 */
#include <heddle/gpu/inst.h>
#include <heddle/gpu/matrix.h>
#include <heddle/gpu/mem.h>
#include <heddle/gpu/sync.h>

#define SECTOR 32u
#define LINE 128u

struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out, request, response;
	const struct hd_warps *warps;
	const struct hd_copy_if *copy;
	const struct hd_smem_port_if *port; /* or NULL: writes are free */
	struct hd_pool *insts, *requests;
	uint32_t row, size, most;
	hd_inst_ref inst;      /* whose requests are sent, 0: none; */
	uint32_t id;           /* what `copy` calls it, */
	uint32_t lanes;        /* lanes whose rows are not all sent, */
	uint32_t sent;         /* and bytes of the first of these rows that are */
	uint32_t open;         /* requests without an answer, of this one and those before it */
	uint32_t written;      /* bytes of the oldest answer that are in shared memory */
	uint64_t copies, rows, reads, waits;
};

/* Sectors in which so many bytes are. */
static uint32_t sectors(uint64_t addr, uint32_t bytes)
{
	return (uint32_t)((addr % SECTOR + bytes + SECTOR - 1) / SECTOR);
}

/* The oldest answer, as soon as the port has taken all of it.  Sectors of a request may come one by one. */
static bool write(struct state *st)
{
	hd_mem_ref ref = hd_mem_front(&st->response);
	const struct hd_mem_req *r;

	if (!ref)
		return false;
	r = &hd_mem(st->requests, ref)->line.req;
	if (st->port && !st->port->take(st->port->self, HD_SMEM_BULK)) {
		st->waits++;
		return true;
	}
	st->written += st->port ? st->port->width : r->size;
	if (st->written < r->size)
		return true;
	st->written = 0;
	for (uint32_t n = hd_mem_sectors(r); n > 0; n--, st->open--)
		st->copy->answered(st->copy->self, r->warp, r->inst_id);
	hd_take(&st->response);
	hd_release(st->requests, ref);
	return true;
}

static void begin(struct state *st)
{
	uint64_t slots = hd_slots_full(&st->in);
	const struct hd_inst *inst;
	uint32_t n = 0;
	unsigned slot;

	if (!slots)
		return;
	slot = hd_inst_oldest(st->insts, &st->in, slots);
	st->inst = hd_inst_in(&st->in, slot);
	inst = hd_inst(st->insts, st->inst);
	hd_slot_take(&st->in, slot);
	if (!(inst->flags & HD_INST_COPY)) {
		hd_fail(st->ctx, "the instruction at pc 0x%x is not an asynchronous copy", inst->pc);
		return;
	}
	for (uint64_t m = inst->mask; m;)
		n += sectors(hd_inst_addr(inst, hd_bits_pop(&m)), st->row);
	st->id = st->copy->accepted(st->copy->self, st->inst, inst, n);
	st->lanes = inst->mask;
	st->copies++;
	st->rows += inst->nlanes;
}

/* The next part of a row, up to where the next request begins. */
static void read(struct state *st)
{
	const struct hd_inst *inst = hd_inst(st->insts, st->inst);
	uint64_t row = hd_inst_addr(inst, hd_bits_first(st->lanes)), end = row + st->row, addr = row + st->sent;
	uint64_t next = (addr / st->size + 1) * st->size;
	struct hd_mem_req r = { .core = (uint16_t)st->warps->sm, .warp = inst->warp, .inst_id = st->id,
		.uid = (uint32_t)inst->uid, .kernel = inst->kernel, .pc = inst->pc, .inst_lanes = inst->nlanes,
		.bytes = UINT32_MAX, .flags = HD_MEM_LOAD | HD_MEM_COPY | HD_MEM_BYPASS | HD_MEM_PARTS };

	next = next < end ? next : end;
	r.addr = addr - addr % SECTOR;
	r.size = (uint16_t)(SECTOR * sectors(addr, (uint32_t)(next - addr)));
	hd_mem_send(st->ctx, st->requests, &st->request, &r);
	st->open += hd_mem_sectors(&r);
	st->reads++;
	st->sent = (uint32_t)(next - row);
	if (next == end) {
		st->lanes &= st->lanes - 1;
		st->sent = 0;
	}
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	bool more = write(st);

	if (!st->inst)
		begin(st);
	if (st->lanes && st->open < st->most && hd_room(&st->request))
		read(st);
	if (st->inst && !st->lanes && hd_room(&st->out)) {
		hd_put(&st->out, &st->inst, sizeof st->inst);
		st->inst = 0;
	}
	more |= st->lanes && st->open < st->most && hd_room(&st->request);
	return more || (!st->inst && hd_slots_full(&st->in)) ? HD_NEXT : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->insts = hd_pool(ctx, &hd_type_inst);
	st->requests = hd_pool(ctx, &hd_type_mem);
	if (st->size % SECTOR || LINE % st->size)
		return hd_error(ctx, "'size' is %u; expected 32, 64 or 128", st->size);
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->open)
		hd_report_pending(h, "%u sectors that are copied are not answered", st->open);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, inst, written);
}

#define AT(member) .offset = offsetof(struct state, member)

const struct hd_module hd_module_copy_engine = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "copy_engine", .doc = "copies rows of global memory into shared memory, many lines for one instruction",
	.init = init, .eval = eval, .report_pending = report_pending, .checkpoint = checkpoint, .confined = true,
	.params = (const struct hd_param[]){
		{ .name = "row", .unit = "bytes", .doc = "that are copied from the address of each active lane on",
		  AT(row), .def = "128", .min = 1, .max = 4096 },
		{ .name = "size", .unit = "bytes", .doc = "of a request, 32, 64 or 128: rows are divided at multiples "
		  "of it", AT(size), .def = "128", .min = 32, .max = 128 },
		{ .name = "outstanding", .unit = "sectors", .doc = "without an answer: no more are asked for then",
		  AT(most), .def = "1024", .min = 1, .max = 65536 },
		{ .name = NULL } },
	.ports = (const struct hd_port[]){
		{ .name = "in", .doc = "copies; the oldest is taken", .kind = HD_IN, .flags = HD_SLOTS,
		  .type = &hd_type_inst, AT(in) },
		{ .name = "out", .doc = "copies whose requests are all sent", .kind = HD_OUT, .type = &hd_type_inst,
		  AT(out), .most = 1 },
		{ .name = "request", .doc = "reads", .kind = HD_OUT, .type = &hd_type_mem, AT(request), .most = 1 },
		{ .name = "response", .doc = "to them", .kind = HD_IN, .type = &hd_type_mem, AT(response) },
		{ .name = "warps", .doc = "of which SM it is", .kind = HD_USES, .type = &hd_type_warps, AT(warps) },
		{ .name = "copy", .doc = "which is notified of each answer", .kind = HD_USES,
		  .type = &hd_type_copy_if, AT(copy) },
		{ .name = "port", .doc = "of shared memory; open: writes are free", .kind = HD_USES,
		  .flags = HD_OPTIONAL, .type = &hd_type_smem_port_if, AT(port) },
		{ .name = NULL } },
	.stats = (const struct hd_stat[]){
		{ .name = "copies", .unit = "instructions", .doc = "that it has begun", AT(copies) },
		{ .name = "rows", .unit = "rows", .doc = "of these", AT(rows) },
		{ .name = "reads", .unit = "requests", .doc = "sent for them", AT(reads) },
		{ .name = "waits", .unit = "cycles", .doc = "without the port of shared memory", AT(waits) },
		{ .name = NULL } },
};
