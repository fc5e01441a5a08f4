/* memory_queue.c - memory instructions of a sub-core, and the unit that calculates their addresses
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Memory queue.  When an instruction comes, it is known when it enters the address
 * unit and leaves it, unless what is behind has no room.
 */
#include <heddle/gpu/control.h>

#define MAX_SLOTS 64u

struct entry {
	hd_inst_ref ref;
	uint64_t ready; /* edge from which the address unit may take it */
};

struct state {
	struct hd_credits credits;
	struct hd_ctx *ctx;
	struct hd_end in, out;
	struct hd_counters *counters;
	struct hd_pool *pool;
	uint64_t classes;
	uint32_t slots, front, credit;
	uint32_t shared, shared_early, global, uniform, uniform_early;
	uint32_t read_load, read_store, read_store_uniform, read_wide;
	uint64_t unit_free; /* edge from which the address unit is free; if it is `active`, */
	uint64_t leaves;    /* the first at which its instruction may leave it */
	uint32_t early;     /* edges by which that is before the unit is free */
	uint32_t unread;    /* and of these those that come before its sources are read */
	bool active, sent;  /* sent: and what is behind may take it */
	unsigned slot;      /* in which it is then */
	struct entry queue[MAX_SLOTS];
	uint32_t head, count;
	uint64_t back[MAX_SLOTS]; /* edges from which places may be used again, in their order */
	uint32_t back_head, nback;
	uint64_t accepted, busy, waits;
};

enum { REASON_ADDRESS };

static uint32_t address_cycles(const struct state *st, const struct hd_inst *inst)
{
	if (inst->space == HD_SPACE_SHARED)
		return st->shared;
	return inst->control.flags & HD_CONTROL_UNIFORM ? st->uniform : st->global;
}

/* Edges from the address unit until the sources have been read. */
static uint32_t read_cycles(const struct state *st, const struct hd_inst *inst)
{
	uint32_t more = inst->width > 4 ? (inst->width / 4u - 1) * st->read_wide : 0;

	if (!(inst->flags & HD_INST_STORE))
		return st->read_load;
	return more + (inst->control.flags & HD_CONTROL_UNIFORM ? st->read_store_uniform : st->read_store);
}

static void accept(struct state *st, uint64_t now)
{
	unsigned slot = hd_bits_first(hd_slots_full(&st->in));

	st->queue[(st->head + st->count++) % MAX_SLOTS] =
		(struct entry){ hd_inst_in(&st->in, slot), now + st->front };
	hd_slot_take(&st->in, slot);
	st->accepted++;
}

/* The first instruction enters the address unit, now or later. */
static void enter(struct state *st)
{
	const struct entry *e = &st->queue[st->head];
	uint64_t enters = e->ready > st->unit_free ? e->ready : st->unit_free;
	const struct hd_inst *inst = hd_inst(st->pool, e->ref);
	uint32_t cycles = address_cycles(st, inst);

	st->unread = inst->control.flags & HD_CONTROL_UNIFORM ? st->uniform_early : 0;
	st->early = st->unread + (inst->space == HD_SPACE_SHARED ? st->shared_early : 0);
	if (st->early > cycles)
		st->early = cycles;
	st->leaves = enters + cycles - st->early;
	st->busy += cycles;
	st->active = true;
}

/* Offers it to what is behind, which can take it in the next cycle.  It stays in the unit until then. */
static void send(struct state *st)
{
	hd_inst_ref ref = st->queue[st->head].ref;
	uint64_t room = hd_slots_free(&st->out);

	if (!room)
		return;
	st->slot = hd_bits_first(room);
	st->sent = true;
	if (st->counters) {
		const struct hd_inst *inst = hd_inst(st->pool, ref);
		uint32_t edges = read_cycles(st, inst) + st->unread + 1;

		st->counters->read(st->counters->self, inst->warp, inst->uid, inst->control.read, edges);
		if (!inst->dst)
			st->counters->stored(st->counters->self, inst, edges);
	}
	hd_slot_put(&st->out, st->slot, &ref, sizeof ref);
}

static void left(struct state *st, uint64_t now)
{
	st->waits += now - st->leaves;
	st->active = st->sent = false;
	st->unit_free = now + st->early;
	st->head = (st->head + 1) % MAX_SLOTS;
	st->count--;
	st->back[(st->back_head + st->nback++) % MAX_SLOTS] = now + st->early - st->unread + st->credit;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), next = UINT64_MAX;

	if (st->sent && (hd_slots_free(&st->out) & hd_bit(st->slot)))
		left(st, now);
	while (st->nback && st->back[st->back_head] <= now) {
		st->back_head = (st->back_head + 1) % MAX_SLOTS;
		st->nback--;
		hd_credits_set(&st->credits, st->credits.free + 1);
	}
	if (hd_slots_full(&st->in) && st->count < MAX_SLOTS)
		accept(st, now);
	if (st->count && !st->active)
		enter(st);
	if (st->active && !st->sent && st->leaves <= now + 1)
		send(st);
	if (st->active && !st->sent)
		next = st->leaves - 1;
	if (st->sent)
		hd_want_slots(&st->out, hd_bit(st->slot));
	if (st->nback && st->back[st->back_head] < next)
		next = st->back[st->back_head];
	return next == UINT64_MAX ? HD_SLEEP : next > now ? next - now : HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	st->credits.classes = st->classes;
	st->credits.free = st->slots;
	st->credits.taken = true;
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->count)
		hd_report_pending(h, "%u instructions in the memory queue", st->count);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->credits.free);
	HD_SAVED_FROM(k, st, unit_free, nback);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "classes", .unit = "", .doc = "classes of the instructions that come here",
	  .type = HD_SYMBOLS, .kind = "class", .offset = P(classes), .min = 1, .max = 64 },
	{ .name = "slots", .unit = "instructions", .doc = "places, one of which an instruction takes when it "
	  "is issued", .type = HD_U32, .offset = P(slots), .def = "5", .min = 1, .max = MAX_SLOTS },
	{ .name = "front", .unit = "cycles", .doc = "from the control stage to the address unit",
	  .type = HD_U32, .offset = P(front), .def = "3", .min = 0, .max = 63 },
	{ .name = "credit", .unit = "cycles", .doc = "from leaving the address unit until the place can be "
	  "used by an issue", .type = HD_U32, .offset = P(credit), .def = "1", .min = 0, .max = 63 },
	{ .name = "shared", .unit = "cycles", .doc = "in the address unit, shared memory",
	  .type = HD_U32, .offset = P(shared), .def = "2", .min = 1, .max = 63 },
	{ .name = "shared_early", .unit = "cycles", .doc = "by which an access to shared memory leaves before the "
	  "unit is free", .type = HD_U32, .offset = P(shared_early), .def = "0", .min = 0, .max = 62 },
	{ .name = "global", .unit = "cycles", .doc = "in the address unit, other memory",
	  .type = HD_U32, .offset = P(global), .def = "4", .min = 1, .max = 63 },
	{ .name = "uniform", .unit = "cycles", .doc = "the same, if a uniform register has the address",
	  .type = HD_U32, .offset = P(uniform), .def = "2", .min = 1, .max = 63 },
	{ .name = "uniform_early", .unit = "cycles", .doc = "by which such an instruction leaves before the unit is "
	  "free", .type = HD_U32, .offset = P(uniform_early), .def = "1", .min = 0, .max = 1 },
	{ .name = "read_load", .unit = "cycles", .doc = "from the address unit until the registers of a load "
	  "have been read", .type = HD_U32, .offset = P(read_load), .def = "2", .min = 0, .max = 40 },
	{ .name = "read_store", .unit = "cycles", .doc = "those of a store", .type = HD_U32,
	  .offset = P(read_store), .def = "5", .min = 0, .max = 40 },
	{ .name = "read_store_uniform", .unit = "cycles", .doc = "those of a store with a uniform address",
	  .type = HD_U32, .offset = P(read_store_uniform), .def = "3", .min = 0, .max = 40 },
	{ .name = "read_wide", .unit = "cycles", .doc = "more for each further register of a store's data",
	  .type = HD_U32, .offset = P(read_wide), .def = "2", .min = 0, .max = 4 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "credits", .doc = "places, for the issue stage", .kind = HD_PROVIDES,
	  .flags = HD_PROVIDER_FIRST | HD_ORDERED, .type = &hd_type_credits, .offset = P(credits) },
	{ .name = "in", .doc = "memory instructions", .kind = HD_IN, .flags = HD_SLOTS,
	  .type = &hd_type_inst, .offset = P(in) },
	{ .name = "out", .doc = "to the load/store unit", .kind = HD_OUT, .flags = HD_SLOTS,
	  .type = &hd_type_inst, .offset = P(out) },
	{ .name = "counters", .doc = "read counters fall; open: there are none", .kind = HD_USES,
	  .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_counters, .offset = P(counters) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "accepted", .unit = "warp instructions", .doc = "instructions accepted",
	  .offset = P(accepted) },
	{ .name = "busy", .unit = "cycles", .doc = "cycles of the address unit", .offset = P(busy),
	  .rate = "unit utilisation" },
	{ .name = "waits", .unit = "cycles", .doc = "cycles in which the load/store unit had no room",
	  .offset = P(waits) },
	{ .name = NULL },
};

static const struct hd_reason reasons[] = {
	[REASON_ADDRESS] = { "address_unit", "the address unit works on earlier instructions" },
	{ 0 },
};

static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	const struct state *st = state;

	(void)port;
	(void)link;
	if (st->sent)
		return (struct hd_answer){ .behind = &st->out };
	return (struct hd_answer){ .reason = REASON_ADDRESS };
}

const struct hd_module hd_module_memory_queue = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "memory_queue",
	.doc = "memory instructions of a sub-core, and the unit that calculates their addresses",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.reasons = reasons,
	.stall_cause = stall_cause,
	.checkpoint = checkpoint,
};
