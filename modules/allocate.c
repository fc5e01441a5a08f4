/* allocate.c - allocate stage: reserves the register ports of an instruction, or freezes its sub-core
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Allocate stage.  Behind it an instruction needs nothing any more: it reaches its unit
 * when its last register is read.
 */
#include <heddle/gpu/control.h>
#include <heddle/gpu/routes.h>

#include <stdlib.h>

#define MAX_BANKS 8u
#define MAX_WAITING 4u
#define UNKNOWN 0xff /* in place of a number of reads */
#define NOT_CHECKED 0 /* in place of a uid: hazards have the reads of a fixed latency by their issue */

struct route {
	uint64_t classes;
};

/* Registers of each bank that an instruction reads. */
struct reads {
	uint8_t bank[MAX_BANKS];
};

/* An instruction whose reads take more than one window. */
struct waiting {
	hd_inst_ref ref;
	uint64_t put; /* edge */
};

struct state {
	struct hd_freeze freeze;
	struct hd_ctx *ctx;
	struct hd_end in;
	struct hd_ends out;
	const struct hd_read_ports_if *regfile;
	const struct hd_register_cache_if *cache;
	struct hd_counters *counters;
	struct hd_pool *pool;
	uint8_t route[64];
	struct reads *reads;     /* by code, without the register-file cache; UNKNOWN until it is first met */
	uint32_t codes;
	struct waiting waiting[MAX_WAITING];
	uint32_t nwaiting;
	uint64_t allocated;
};

enum { REASON_PORT };
enum { EVENT_FREEZE };
enum { MARK_READ };

/* Registers of each bank that have to be read; one that several operands name is read once. */
static struct reads count_reads(const struct state *st, const struct hd_inst *inst, uint32_t held)
{
	struct reads reads = { 0 };
	const struct hd_control *c = &inst->control;

	for (uint32_t i = 0; i < HD_OPERAND_SLOTS; i++) {
		if (c->nslot[i] == 0 || (held >> i & 1))
			continue;
		for (uint32_t k = 0; k < c->nslot[i]; k++) {
			uint32_t reg = c->slot[i] + k;
			bool before = false;

			for (uint32_t j = 0; j < i && !before; j++)
				before = !(held >> j & 1) && reg >= c->slot[j]
				         && reg < c->slot[j] + (uint32_t)c->nslot[j];
			reads.bank[(reg - 1) % st->regfile->banks] += !before;
		}
	}
	return reads;
}

/* Counts them for an instruction of which the register-file cache has nothing, and keeps that by its code, if
 * it has one and there is memory. */
static __attribute__((noinline)) struct reads first_reads(struct state *st, const struct hd_inst *inst)
{
	struct reads reads = count_reads(st, inst, 0);

	if (inst->code >= st->codes) {
		uint32_t n = 2 * inst->code + 64;
		struct reads *v = realloc(st->reads, n * sizeof *v);

		if (v) {
			memset(v + st->codes, UNKNOWN, (n - st->codes) * sizeof *v);
			st->reads = v;
			st->codes = n;
		}
	}
	if (inst->code && inst->code < st->codes)
		st->reads[inst->code] = reads;
	return reads;
}

static inline struct reads reads_of(struct state *st, const struct hd_inst *inst, uint32_t held)
{
	if (HD_UNLIKELY(held))
		return count_reads(st, inst, held);
	if (HD_LIKELY(inst->code < st->codes && st->reads[inst->code].bank[0] != UNKNOWN))
		return st->reads[inst->code];
	return first_reads(st, inst);
}

static uint64_t freeze(struct state *st, const struct hd_inst *inst)
{
	hd_freeze_now(&st->freeze, hd_now(st->ctx));
	hd_emit(st->ctx, EVENT_FREEZE, st->ctx->index, inst->warp);
	return HD_NEXT;
}

/* Puts what has waited for further windows.  Returns false if it still waits. */
static bool put_waiting(struct state *st, uint64_t now)
{
	while (st->nwaiting && st->waiting[0].put <= now) {
		hd_inst_ref ref = st->waiting[0].ref;
		const struct hd_end *out = &st->out.v[st->route[hd_inst(st->pool, ref)->cls]];
		uint64_t room = hd_slots_free(out);

		if (!room)
			return false;
		hd_slot_put(out, hd_bits_first(room), &ref, sizeof ref);
		st->nwaiting--;
		memmove(st->waiting, st->waiting + 1, st->nwaiting * sizeof *st->waiting);
	}
	return st->nwaiting == 0;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), full, room;
	struct reads reads;
	const struct hd_inst *inst;
	const struct hd_end *out;
	uint32_t held, length;
	hd_inst_ref ref;
	unsigned slot;

	if (HD_UNLIKELY(st->nwaiting != 0))
		put_waiting(st, now);
	full = hd_slots_full(&st->in);
	if (!full)
		return st->nwaiting ? HD_NEXT : HD_SLEEP;
	slot = hd_bits_first(full);
	ref = hd_inst_in(&st->in, slot);
	inst = hd_inst(st->pool, ref);
	if (HD_UNLIKELY(st->route[inst->cls] == HD_NO_ROUTE)) {
		hd_error(st->ctx, "no link of port 'out' takes class '%s'; expected one whose \"classes\" "
		         "name it", hd_symbol_name(st->ctx, "class", inst->cls));
		return HD_SLEEP;
	}
	out = &st->out.v[st->route[inst->cls]];
	room = hd_slots_free(out);
	if (!room || st->nwaiting == MAX_WAITING)
		return freeze(st, inst);
	held = st->cache ? st->cache->hits(st->cache->self, inst) : 0;
	reads = reads_of(st, inst, held);
	length = st->regfile->reserve(st->regfile->self, inst->warp, reads.bank);
	if (!length)
		return freeze(st, inst);
	if (st->cache)
		st->cache->use(st->cache->self, inst);
	if (HD_UNLIKELY(inst->control.read != HD_NO_COUNTER) && st->counters)
		st->counters->read(st->counters->self, inst->warp, NOT_CHECKED, inst->control.read, length);
	hd_slot_take(&st->in, slot);
	st->allocated++;
	if (HD_LIKELY(length == st->regfile->window && !st->nwaiting)) {
		hd_slot_put(out, hd_bits_first(room), &ref, sizeof ref);
		hd_mark(st->ctx, st->pool, ref, MARK_READ, 0);
		return hd_slots_full(&st->in) ? HD_NEXT : HD_SLEEP;
	}
	st->waiting[st->nwaiting++] = (struct waiting){ ref, now + length - st->regfile->window };
	return HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	return hd_routes(ctx, &st->out, st->route);
}

static int start(void *state)
{
	struct state *st = state;

	if (st->regfile->banks > MAX_BANKS)
		return hd_error(st->ctx, "the register file has %u banks; expected at most %u",
		                st->regfile->banks, MAX_BANKS);
	return 0;
}

static void fini(void *state)
{
	free(((struct state *)state)->reads);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;
	uint64_t full = hd_slots_full(&st->in);

	if (full)
		hd_report_pending(h, "an instruction of warp %u waits for register ports",
		                  hd_inst(st->pool, hd_inst_in(&st->in, hd_bits_first(full)))->warp);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, &st->freeze, cycles, at);
	HD_SAVED_FROM(k, st, waiting, nwaiting);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param route_params[] = {
	{ .name = "classes", .unit = "", .doc = "classes of instructions that the unit takes",
	  .type = HD_SYMBOLS, .kind = "class", .offset = offsetof(struct route, classes), .min = 1,
	  .max = 64 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "freeze", .doc = "for the control and issue stages of the sub-core",
	  .kind = HD_PROVIDES, .flags = HD_PROVIDER_FIRST, .type = &hd_type_freeze,
	  .offset = P(freeze) },
	{ .name = "in", .doc = "instructions of fixed latency", .kind = HD_IN, .flags = HD_SLOTS,
	  .type = &hd_type_inst, .offset = P(in) },
	{ .name = "out", .doc = "units; the link's latency is the length of the read window and 1",
	  .kind = HD_OUT, .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst, .offset = P(out),
	  .attrs = route_params, .attr_size = sizeof(struct route) },
	{ .name = "regfile", .doc = "read ports", .kind = HD_USES, .type = &hd_type_read_ports_if,
	  .offset = P(regfile) },
	{ .name = "cache", .doc = "register-file cache; open: there is none", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_register_cache_if, .offset = P(cache) },
	{ .name = "counters", .doc = "read counters fall; open: there are none", .kind = HD_USES,
	  .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_counters, .offset = P(counters) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "allocated", .unit = "warp instructions", .doc = "instructions whose reads were reserved",
	  .offset = P(allocated) },
	{ .name = "frozen", .unit = "cycles", .doc = "cycles in which the sub-core stood still",
	  .offset = P(freeze.cycles) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_FREEZE] = { .name = "freeze", .doc = "the sub-core stands still in this cycle",
	                   .flags = HD_EVENT_DETAIL, .fields = {
		{ "sub_core", "", "its index" },
		{ "warp", "", "hardware warp slot of the instruction that finds no port", NULL, HD_FIELD_KEY },
	} },
	{ .name = NULL },
};

static const struct hd_mark marks[] = {
	[MARK_READ] = { "read", "its registers are read", NULL, NULL },
	{ 0 },
};

static const struct hd_reason reasons[] = {
	[REASON_PORT] = { "register_port", "a read port that it needs is taken" },
	{ 0 },
};

static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	(void)state;
	(void)port;
	(void)link;
	return (struct hd_answer){ .reason = REASON_PORT };
}

const struct hd_module hd_module_allocate = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "allocate",
	.doc = "allocate stage: reserves the register ports of an instruction, or freezes its sub-core",
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
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
