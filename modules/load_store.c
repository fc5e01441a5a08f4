/* load_store.c - load/store unit: shared memory, L1D and bypassing accesses of one SM
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Load/store unit, has the rules LS1 to LS18.  Its blocks are files of the folder
 * load_store: one dispatch latch (latch.h); a pipeline of constant length for shared memory, and
 * one for each L1D bank in front of the cache (queue.h, l1d.h); one writeback latch that five
 * clients fill in turn (answer.h).  They are headers so that a cycle is one function.
 */
#include "load_store/l1d.h"
#include "load_store/latch.h"


#define SHORTEST 8u /* ring of a bank */

enum { BANK_LINEAR, BANK_XOR };

enum { PORT_IN, PORT_REQUEST, PORT_RESPONSE, PORT_WARPS, PORT_SCOREBOARD, PORT_REGFILE, PORT_L1D,
	PORT_COALESCER, PORT_BANKS, PORT_COPY, PORT_TOUCH };

/* LS1 */
static void cycle(struct unit *u)
{
	hd_mem_ref response;

	if (u->writing)
		write_back(u);
	if (!u->writing && (u->shared.count | u->has_global | *u->l1d_filled))
		fill_writeback(u);
	response = hd_mem_front(&u->response);
	if (response)
		take_response(u, response);
	if (*u->l1d_queued)
		send_miss(u);
	banks_arrive(&u->l1d_queue, u->tick);
	if (u->l1d_queue.due)
		access_l1d(u);
	if (u->latch)
		latch_work(u);
	u->tick++;
}

/* Cycles until a queue's front is due, if that is all there is to wait for: the latch is free. */
static uint64_t rest(const struct unit *u)
{
	const struct banks *b = &u->l1d_queue;
	uint64_t due = u->shared.count ? queue_due(&u->shared) : UINT64_MAX;

	if (u->writing || u->has_global || b->due || hd_front(&u->response)
	    || (*u->l1d_queued | *u->l1d_filled))
		return HD_NEXT;
	if (b->next < due)
		due = b->next;
	if (due == UINT64_MAX)
		return HD_SLEEP;
	return due <= u->tick ? HD_NEXT : (due - u->tick) / u->cycles_per_edge + 1;
}

static uint64_t eval(void *state)
{
	struct unit *u = state;
	uint64_t slots, end;

	u->tick = hd_now(u->ctx) * u->cycles_per_edge;
	end = u->tick + u->cycles_per_edge;
	do
		cycle(u);
	while (u->tick < end);
	if (!u->latch) {
		slots = hd_slots_full(&u->in);
		if (!slots)
			return rest(u);
		if (u->next_accept > u->tick)
			return HD_NEXT;
		latch_accept(u, slots);
		u->next_accept = u->tick + u->interval;
	}
	u->busy++;
	return HD_NEXT;
}

/* The smallest power of two that is not below n. */
static uint32_t ring_of(uint32_t n)
{
	uint32_t room = 1;

	while (room < n)
		room *= 2;
	return room;
}

static int make_queue(const struct hd_ctx *ctx, struct queue *q, uint32_t length)
{
	uint32_t n = ring_of(length);

	q->length = length;
	q->mask = n - 1;
	q->v = hd_memory(ctx, n, sizeof *q->v);
	return q->v ? 0 : -1;
}

static int make_banks(const struct hd_ctx *ctx, struct banks *b, uint32_t n, uint32_t length)
{
	uint32_t room = ring_of(length);

	b->length = length;
	b->next = UINT64_MAX;
	b->ring = length < SHORTEST ? length : SHORTEST;
	b->coming_mask = room - 1;
	b->coming = hd_memory(ctx, room, sizeof *b->coming);
	if (!b->coming)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		b->v[i].v = hd_memory(ctx, length, sizeof *b->v[i].v);
		if (!b->v[i].v)
			return -1;
	}
	return 0;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct unit *u = state;
	int bad;

	u->ctx = ctx;
	u->pool = hd_pool(ctx, &hd_type_inst);
	u->requests = hd_pool(ctx, &hd_type_mem);
	if (u->regfile.n == 0)
		return hd_error(ctx, "port 'regfile' is left open; expected the register files in which "
		                "loads write");
	if (!hd_is_power_of_two(u->l1d_banks))
		return hd_error(ctx, "'l1d_banks' is %u; expected a power of two", u->l1d_banks);
	if (!hd_is_power_of_two(u->l1d_interleave))
		return hd_error(ctx, "'l1d_interleave' is %u; expected a power of two",
		                u->l1d_interleave);
	u->bank_mask = u->l1d_banks - 1;
	u->bank_shift = hd_bits_first(u->l1d_interleave);
	u->bank_hash_shift = u->bank_shift + hd_bits_first(u->l1d_banks);
	u->bank_mix = u->l1d_bank_index == BANK_XOR ? UINT64_MAX : 0;
	bad = make_queue(ctx, &u->shared, u->shared_latency);
	bad |= make_banks(ctx, &u->l1d_queue, u->l1d_banks, u->l1d_latency);
	if (ctx->observable) {
		u->kept = hd_memory(ctx, HD_MAX_WARPS * REGS, sizeof *u->kept);
		bad |= !u->kept;
	}
	return bad ? hd_error(ctx, "out of memory") : 0;
}

static int start(void *state)
{
	static const uint32_t none;
	struct unit *u = state;

	u->proto.size = 32;
	u->l1d_queued = u->l1d ? u->l1d->queued : &none;
	u->l1d_filled = u->l1d ? u->l1d->filled : &none;
	return u->kept ? held_start(u) : 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct unit *u = state;
	uint32_t queued = 0;

	for (uint32_t i = 0; i < u->l1d_banks; i++)
		queued += bank_count(&u->l1d_queue, i);
	if (u->latch)
		hd_report_pending(h, "an instruction of warp %u in the dispatch latch, %u accesses left",
		         hd_inst(u->pool, u->latch)->warp, u->naccesses);
	if (u->shared.count)
		hd_report_pending(h, "%u instructions in the shared-memory pipeline", u->shared.count);
	if (queued)
		hd_report_pending(h, "%u accesses on their way to the L1D", queued);
	if (u->l1d && u->l1d->pending(u->l1d->self))
		hd_report_pending(h, "%u requests in the L1D", u->l1d->pending(u->l1d->self));
}

static void fini(void *state)
{
	held_free(((struct unit *)state)->held);
}

static void queue_saved(struct hd_checkpoint *k, struct queue *q)
{
	hd_saved(k, q->v, (q->mask + (size_t)1) * sizeof *q->v);
	HD_SAVED_FROM(k, q, head, count);
	HD_SAVED(k, q->last);
}

static void banks_saved(struct hd_checkpoint *k, struct banks *b, uint32_t n)
{
	uint32_t room = b->coming_mask + 1;

	b->ring = (uint32_t)hd_saved_number(k, b->ring - UINT64_C(1), b->length - UINT64_C(1)) + 1;
	for (uint32_t i = 0; i < n; i++) {
		struct bank *q = &b->v[i];

		hd_saved(k, q->v, b->length * sizeof *q->v);
		q->head = (uint32_t)hd_saved_number(k, q->head, b->ring - UINT64_C(1));
		q->tail = (uint32_t)hd_saved_number(k, q->tail, b->ring - UINT64_C(1));
		HD_SAVED(k, q->behind);
	}
	HD_SAVED_FROM(k, b, next, full);
	HD_SAVED_FROM(k, b, head, tail);
	hd_saved(k, b->coming, room * sizeof *b->coming);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct unit *u = state;

	HD_SAVED(k, u->turn);
	HD_SAVED(k, u->tick);
	HD_SAVED(k, u->next_accept);
	HD_SAVED(k, u->pending);
	HD_SAVED_FROM(k, u, latch, access);
	u->taken = 0; /* the next attempt finds it again */
	queue_saved(k, &u->shared);
	banks_saved(k, &u->l1d_queue, u->l1d_banks);
	HD_SAVED_FROM(k, u, writing, next_client);
	held_saved(k, u->held);
}

#define P(f) offsetof(struct unit, f)

/* In the order of BANK_LINEAR, BANK_XOR. */
static const char *const bank_indices[] = { "linear", "xor", NULL };

static const struct hd_param params[] = {
	{ .name = "shared_latency", .unit = "cycles", .doc = "stages of the shared-memory pipeline",
	  .type = HD_U32, .offset = P(shared_latency), .def = "20", .min = 1, .max = 4096 },
	{ .name = "l1d_latency", .unit = "cycles", .doc = "stages in front of the L1D",
	  .type = HD_U32, .offset = P(l1d_latency), .def = "20", .min = 1, .max = 4096 },
	{ .name = "l1d_interleave", .unit = "bytes", .doc = "neighbouring bytes in one bank of "
	  "the L1D, a power of two", .type = HD_U32, .offset = P(l1d_interleave), .def = "32",
	  .min = 32, .max = 65536 },
	{ .name = "l1d_bank_index", .unit = "", .doc = "bank index from the address; xor mixes in "
	  "the bits above", .type = HD_CHOICE, .offset = P(l1d_bank_index), .def = "\"linear\"",
	  .choices = bank_indices },
	{ .name = "l1d_banks", .unit = "banks", .doc = "banks of the L1D, a power of two; as many "
	  "accesses leave the latch per cycle", .type = HD_U32, .offset = P(l1d_banks),
	  .def = "4", .min = 1, .max = MAX_BANKS },
	{ .name = "bypass_global", .unit = "", .doc = "all global accesses bypass the L1D",
	  .type = HD_BOOL, .offset = P(bypass_global), .def = "false" },
	{ .name = "in_turn", .unit = "", .doc = "takes instructions of the schedulers in turn, one of each, instead of "
	  "the oldest", .type = HD_BOOL, .offset = P(in_turn), .def = "false" },
	{ .name = "interval", .unit = "cycles", .doc = "least distance between two instructions that it "
	  "takes", .type = HD_U32, .offset = P(interval), .def = "1", .min = 1, .max = 1024 },
	{ .name = "cycles_per_edge", .unit = "cycles", .doc = "cycles that the unit works per edge of "
	  "its clock", .type = HD_U32, .offset = P(cycles_per_edge), .def = "1", .min = 1,
	  .max = 32 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_IN] = { .name = "in", .doc = "register set in front of the unit; the oldest is taken",
	              .kind = HD_IN, .flags = HD_SLOTS, .type = &hd_type_inst, .offset = P(in) },
	[PORT_REQUEST] = { .name = "request", .doc = "to memory", .kind = HD_OUT,
	                   .type = &hd_type_mem, .most = 2, .offset = P(request) },
	[PORT_RESPONSE] = { .name = "response", .doc = "from memory", .kind = HD_IN,
	                    .type = &hd_type_mem, .offset = P(response), .users = 1 },
	[PORT_WARPS] = { .name = "warps", .doc = "counts stores, atomics, instructions in flight",
	                 .kind = HD_USES, .type = &hd_type_warps, .offset = P(warps) },
	[PORT_SCOREBOARD] = { .name = "scoreboard", .doc = "registers of loads are released here",
	                      .kind = HD_USES, .type = &hd_type_scoreboard,
	                      .offset = P(scoreboard) },
	[PORT_REGFILE] = { .name = "regfile", .doc = "loaded data are written here, of several in "
	                   "that of the warp's sub-core", .kind = HD_USES, .flags = HD_ARRAY,
	                   .type = &hd_type_regfile_if, .offset = P(regfile) },
	[PORT_L1D] = { .name = "l1d", .doc = "data cache; open: everything goes to memory",
	               .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_cache_if,
	               .offset = P(l1d) },
	[PORT_COALESCER] = { .name = "coalescer", .doc = "splits global and local accesses",
	                     .kind = HD_USES, .type = &hd_type_coalescer_if,
	                     .offset = P(coalescer) },
	[PORT_BANKS] = { .name = "banks", .doc = "conflicts of shared memory", .kind = HD_USES,
	                 .type = &hd_type_banks_if, .offset = P(banks) },
	[PORT_COPY] = { .name = "copy", .doc = "gets asynchronous copies; open: no warp waits",
	                .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_copy_if,
	                .offset = P(copy) },
	[PORT_TOUCH] = { .name = "touch", .doc = "an address map that depends on what is used first; "
	                 "open: none does", .kind = HD_USES, .flags = HD_OPTIONAL,
	                 .type = &hd_type_touch, .offset = P(touch) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "accepted", .unit = "warp instructions", .doc = "instructions accepted",
	  .offset = P(accepted) },
	{ .name = "busy", .unit = "cycles", .doc = "cycles in which the dispatch latch was taken",
	  .offset = P(busy), .rate = "unit utilisation" },
	{ .name = "bank_conflicts", .unit = "cycles", .doc = "cycles in which an access found its "
	  "L1D bank taken", .offset = P(bank_conflicts) },
	{ .name = "l1d_accesses", .unit = "accesses", .doc = "accesses to the L1D, repeated ones "
	  "included", .offset = P(l1d_accesses) },
	{ .name = "bypassed", .unit = "accesses", .doc = "accesses that bypass the L1D",
	  .offset = P(bypassed) },
	{ .name = "completed_twice", .unit = "warp instructions", .doc = "asynchronous copies that missed, "
	  "which the figures of completed instructions count twice", .offset = P(completed_twice) },
	{ .name = NULL },
};

static const struct hd_mark marks[] = {
	[MARK_SHARED] = { "shared", "in the shared-memory pipeline, until its register is written",
	                  NULL, NULL },
	[MARK_MEMORY] = { "memory", "its accesses are outstanding, until its register is written",
	                  NULL, NULL },
	[MARK_MISS] = { "miss_queue", "a request, in the miss queue of the L1D", NULL, NULL },
	{ 0 },
};

static const struct hd_reason reasons[] = {
	[REASON_LATCH] = { "latch", "it takes one instruction a cycle" },
	[REASON_CONFLICT] = { "shared_conflict", "conflicts of shared-memory banks" },
	[REASON_SHARED] = { "shared_pipeline", "the shared-memory pipeline has no room" },
	[REASON_ACCESSES] = { "accesses", "the instruction in front has more accesses to send" },
	[REASON_BANK] = { "l1d_bank", "the queue of an L1D bank has no room" },
	{ 0 },
};

static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	(void)port; /* only one has waiting producers */
	(void)link;
	return latch_stall_cause(state);
}

const struct hd_module hd_module_load_store = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "load_store",
	.doc = "load/store unit: shared memory, L1D and accesses that bypass it",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct unit),
	.init = init,
	.start = start,
	.eval = eval,
	.report_pending = report_pending,
	.fini = fini,
	.marks = marks,
	.reasons = reasons,
	.stall_cause = stall_cause,
	.checkpoint = checkpoint,
};

