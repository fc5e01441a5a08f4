/* @NAME@.c - a memory unit: sends the requests of loads and stores, and ends them when answered
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instructions end in this unit, so it settles what writeback would: "What a unit owes the SM" in
 * docs/modules.md.  Loads are kept in a table, by whose index a reply finds its load.  Shared memory
 * and atomics are left to the load/store unit: the netlist gives global loads and stores a class
 * of their own, which it sends here.
 */
#include <heddle/gpu/access.h>
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/mem.h>

#include <stdlib.h>

/* A load whose replies are outstanding. */
struct load {
	hd_inst_ref inst; /* 0: the entry is free */
	uint32_t replies; /* that are still to come */
};

/* State of an instance.  The kernel zeroes it, stores the parameters, the ends of the channels and
 * the interfaces at their offsets, and calls init. */
struct state {
	struct hd_ctx *ctx;
	struct hd_end in, request, response;
	struct hd_warps *warps;
	struct hd_scoreboard *scoreboard;
	const struct hd_regfile_if *regfile;
	const struct hd_coalescer_if *coalescer;
	struct hd_pool *pool, *requests; /* hold the instructions, the requests; channels carry handles */
	uint32_t entries;                /* parameter: size of the table */
	struct load *loads;
	uint32_t nloads;
	hd_inst_ref inst;                /* whose requests are being sent; 0: none */
	uint32_t entry;                  /* of it, if it is a load */
	uint32_t left;                   /* requests that it has not sent, */
	struct hd_access access[HD_MAX_ACCESSES]; /* of these */
	uint64_t loaded, stored, sent, write_waits;      /* statistics */
};

/* The instruction is over.  Its record is gone after that. */
static void settle(struct state *st, hd_inst_ref ref)
{
	const struct hd_inst *inst = hd_inst(st->pool, ref);

	if (inst->dst)
		hd_scoreboard_complete(st->scoreboard, inst);
	hd_warps_complete(st->warps, inst->warp, inst->nlanes);
	hd_warp_left_pipeline(st->warps, inst->warp);
	hd_release(st->pool, ref);
}

/* The replies of a load are there.  Returns false if its register cannot be written at this edge. */
static bool finish_load(struct state *st, struct load *load)
{
	const struct hd_inst *inst = hd_inst(st->pool, load->inst);

	if (inst->dst && !st->regfile->write(st->regfile->self, inst->warp, inst->dst))
		return false; /* the bank's port is taken */
	settle(st, load->inst);
	load->inst = 0;
	st->nloads--;
	return true;
}

/* Takes a reply.  Returns false if it has to stay in the channel until the next edge. */
static bool take_reply(struct state *st, hd_mem_ref ref)
{
	const struct hd_mem_req *r = &hd_mem(st->requests, ref)->line.req;

	if (r->flags & HD_MEM_WRITE) {
		hd_warp_store_done(st->warps, r->warp);
	} else if (r->inst_id >= st->entries || st->loads[r->inst_id].inst == 0) {
		hd_error(st->ctx, "a reply to no load; expected the requests that this unit has sent");
	} else {
		struct load *load = &st->loads[r->inst_id];

		if (load->replies == 1 && !finish_load(st, load))
			return false;
		load->replies--;
	}
	hd_take(&st->response);
	hd_release(st->requests, ref); /* the sender of a request releases it */
	return true;
}

/* Sends one request of the present instruction, if there is room, and ends its sending. */
static void send(struct state *st)
{
	const struct hd_inst *inst = hd_inst(st->pool, st->inst);
	bool is_load = inst->flags & HD_INST_LOAD;

	if (st->left) {
		const struct hd_access *a = &st->access[st->left - 1];
		struct hd_mem_req r = { .addr = a->addr, .bytes = a->bytes, .size = 32,
			                .flags = is_load ? HD_MEM_LOAD : HD_MEM_WRITE, .inst_id = st->entry,
			                .uid = (uint32_t)inst->uid, .dst = inst->dst, .warp = inst->warp,
			                .inst_lanes = inst->nlanes, .core = (uint16_t)st->warps->sm,
			                .kernel = inst->kernel, .pc = inst->pc };

		if (hd_room(&st->request) == 0)
			return;
		hd_mem_send(st->ctx, st->requests, &st->request, &r);
		if (!is_load)
			hd_warp_store_sent(st->warps, inst->warp); /* the warp does not end before the reply */
		st->left--;
		st->sent++;
	}
	if (st->left)
		return;
	if (!is_load)
		settle(st, st->inst); /* a store is over when it is sent, a load when it is answered */
	st->inst = 0;
}

/* Into an entry of the table that is free.  An instruction without accesses gets no reply. */
static void begin_load(struct state *st)
{
	st->loaded++;
	if (st->left == 0) {
		settle(st, st->inst);
		st->inst = 0;
		return;
	}
	st->entry = 0;
	while (st->loads[st->entry].inst)
		st->entry++;
	st->loads[st->entry] = (struct load){ st->inst, st->left };
	st->nloads++;
}

static void accept(struct state *st, uint64_t slots)
{
	unsigned slot = hd_inst_oldest(st->pool, &st->in, slots);
	const struct hd_inst *inst;

	st->inst = hd_inst_in(&st->in, slot);
	hd_slot_take(&st->in, slot);
	inst = hd_inst(st->pool, st->inst);
	if (inst->flags & HD_INST_ATOMIC) { /* its warp would wait for answers to its lanes */
		hd_error(st->ctx, "unexpected atomic; expected loads and stores");
		return;
	}
	st->left = inst->mask ? st->coalescer->coalesce(st->coalescer->self, st->inst, inst, st->access) : 0;
	if (inst->flags & HD_INST_LOAD)
		begin_load(st);
	else
		st->stored++;
}

/* Called at an edge of the clock.  Returns the number of edges until the next call. */
static uint64_t eval(void *state)
{
	struct state *st = state;
	hd_mem_ref reply = hd_mem_front(&st->response);
	uint64_t slots = hd_slots_full(&st->in);

	if (reply && !take_reply(st, reply))
		st->write_waits++;
	if (st->inst)
		send(st);
	else if (slots && st->nloads < st->entries)
		accept(st, slots);
	/* Nothing here is due at an edge that is known: what is not under way waits for a put into
	 * `in` or `response`, or for a take from `request`. */
	if (hd_mem_front(&st->response))
		return HD_NEXT;
	if (st->inst)
		return st->left && hd_room(&st->request) == 0 ? HD_SLEEP : HD_NEXT;
	return hd_slots_full(&st->in) && st->nloads < st->entries ? HD_NEXT : HD_SLEEP;
}

/* Checks parameters against each other (errors by hd_error()) and allocates. */
static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	st->requests = hd_pool(ctx, &hd_type_mem);
	st->loads = calloc(st->entries, sizeof *st->loads);
	return st->loads ? 0 : hd_error(ctx, "out of memory");
}

static void fini(void *state)
{
	free(((struct state *)state)->loads);
}

/* Called when a run is deadlocked: reports what waits in this instance. */
static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->inst)
		hd_report_pending(h, "an instruction that has %u requests to send", st->left);
	if (st->nloads)
		hd_report_pending(h, "%u loads that wait for replies", st->nloads);
}

/* Saves or loads what changes in a run, for `heddle run --save-at` and --load; counters are saved by
 * the kernel. */
static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	hd_saved(k, st->loads, st->entries * sizeof *st->loads);
	HD_SAVED(k, st->nloads);
	HD_SAVED_FROM(k, st, inst, access);
}

#define AT(member) .offset = offsetof(struct state, member)

static const struct hd_param params[] = {
	{ .name = "entries", .unit = "loads", .doc = "loads that may wait for replies", .type = HD_U32,
	  AT(entries), .def = "32", .min = 1, .max = 10000 },
	{ 0 },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "register set in front of the unit", .kind = HD_IN, .flags = HD_SLOTS,
	  .type = &hd_type_inst, AT(in) },
	{ .name = "request", .doc = "to memory", .kind = HD_OUT, .type = &hd_type_mem, AT(request) },
	{ .name = "response", .doc = "the same requests, as replies", .kind = HD_IN, .type = &hd_type_mem,
	  AT(response), .users = 1 },
	{ .name = "warps", .doc = "counts instructions and stores in flight", .kind = HD_USES,
	  .type = &hd_type_warps, AT(warps) },
	{ .name = "scoreboard", .doc = "registers are released here", .kind = HD_USES,
	  .type = &hd_type_scoreboard, AT(scoreboard) },
	{ .name = "regfile", .doc = "loaded data are written here", .kind = HD_USES,
	  .type = &hd_type_regfile_if, AT(regfile) },
	{ .name = "coalescer", .doc = "makes accesses of the addresses of the lanes", .kind = HD_USES,
	  .type = &hd_type_coalescer_if, AT(coalescer) },
	{ 0 },
};

static const struct hd_stat stats[] = {
	{ .name = "loads", .unit = "warp instructions", .doc = "loads accepted", AT(loaded) },
	{ .name = "stores", .unit = "warp instructions", .doc = "stores accepted", AT(stored) },
	{ .name = "sent", .unit = "requests", .doc = "requests sent", AT(sent) },
	{ .name = "write_waits", .unit = "cycles", .doc = "cycles in which a reply waited for a port of the "
	  "register file", AT(write_waits) },
	{ 0 },
};

/* The descriptor; `heddle modules @NAME@` prints it. */
const struct hd_module hd_module_@NAME@ = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "@NAME@",
	.doc = "memory unit",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.fini = fini,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
};
