/* call.c - toy: calls what its ports are linked to
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Coalescer and banks of shared memory:
 *   coalesce #N wN...        "= HOW MANY: ADDRESS/BYTES/LANES ...", hexadecimal
 *   count #N wN...           the same, without the list
 *   conflicts #N wN...       "= cycles"
 * Divergence policy:
 *   next wN...      "next #N class=NAME" for the next instruction of each warp, or "next wN = none"
 *   pc wN           "pc wN = 0xN"
 * Hazards:
 *   issue INSTRUCTION [time=N] [stall=N] [yield] [wait=N] [write=N] [read=N] [ndst=N] [slots=RN*N,RN*N]
 *       [depbar=N] [list=N] [reads_p=N] [writes_p=N] [guard=N]
 *                       the instruction is issued, at the edge or at another time; wait, list, reads_p and
 *                       writes_p are sets; slots: the operands are those of a listing
 *   written wN RN       the register has been written
 *   sources wN uid=N    the sources have been read
 *   completed wN uid=N  the instruction has completed
 * Instruction buffers:
 *   push #N wN...     appends an instruction
 *   pop wN            takes the head: "= #N"
 *   filled            "= " warps with an instruction
 *   entries           "= " how many a warp may have
 * Register file and result bus:
 *   write wN RN             takes the write port: "= yes" or "= no"
 *   read unit=N wN RN...    queues reads for a collector unit
 *   step [first]            serves the banks: "= units that wait for nothing now"
 *   many                    queues all operands that all units can have, of w0 R0
 *   drain                   steps until nothing waits: "= steps"
 *   bus ahead=N             reserves a result bus
 *   horizon                 largest number of cycles ahead for a bus
 * Scoreboard:
 *   reserve wN RN [long]          the register will be written; long: by a global or local load
 *   release wN RN [load]          it was; load: by a load that returns its data
 *   check #N wN dst=RN src=RN...  may the instruction be issued: "= waits" or "= passes"
 *   busy                          "= " warps with pending registers
 *   long wN RN                    is the register marked as that of a load: "= yes" or "= no"
 * Barrier, fence, asynchronous copies:
 *   join wN [id=N] [threads=N] [goes], leave wN   the barrier
 *   fence wN                     a fence is issued
 *   look wN                      polls the end of a fence: "= held" or "= free"
 *   add wN..., commit wN, wait wN stay=N   asynchronous copies; add takes an instruction
 *   accepted n=N #N wN...        the load/store unit has it: "= id"
 *   answered wN id=N             "= last" if it was the last request
 * Time base:
 *   now             "= N", cycles of that clock that are over
 *   until n=N       after how many edges of its own clock that one may have come to cycle N
 */
#include "actor.h"

#include <heddle/gpu/access.h>
#include <heddle/gpu/control.h>
#include <heddle/gpu/divergence.h>
#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/sync.h>
#include <heddle/gpu/time.h>

#include <stdlib.h>

struct state {
	struct actor actor;
	const void *after;
	const struct hd_coalescer_if *coalescer;
	const struct hd_banks_if *banks;
	const struct hd_divergence_if *groups;
	const struct hd_hazards_if *hazards;
	struct hd_ibuffer *ibuffer;
	struct hd_pool *pool;
	const struct hd_regfile_if *regfile;
	const struct hd_result_bus_if *bus;
	struct hd_scoreboard *scoreboard;
	const struct hd_barrier_if *barrier;
	const struct hd_fence_if *fence;
	const struct hd_copy_if *copy;
	const struct hd_time *time;
};

/* ---- coalescer and banks of shared memory ---------------------------------------------------- */

static uint32_t call(struct state *st, struct args *a, struct hd_access *v, uint32_t *number)
{
	struct hd_inst inst;

	arg_inst(a, &inst);
	*number = inst.code;
	return st->coalescer->coalesce(st->coalescer->self, 0, &inst, v);
}

static void coalesce(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_access v[HD_MAX_ACCESSES];
	char text[2000] = "";
	uint32_t number, count = call(st, a, v, &number);
	size_t n = 0;

	for (uint32_t i = 0; i < count && n < sizeof text; i++) {
		n += (size_t)snprintf(text + n, sizeof text - n, " %llx/%x/%x",
		                      (unsigned long long)v[i].addr, v[i].bytes, v[i].lanes);
		if (v[i].beyond && n < sizeof text)
			n += (size_t)snprintf(text + n, sizeof text - n, "+%u", (unsigned)v[i].beyond);
	}
	toy_log(st->actor.ctx, "#%u = %u:%s", number, count, text);
}

static void count(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_access v[HD_MAX_ACCESSES];
	uint32_t number, n = call(st, a, v, &number);

	toy_log(st->actor.ctx, "#%u = %u", number, n);
}

static void conflicts(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_inst inst;

	arg_inst(a, &inst);
	toy_log(st->actor.ctx, "#%u = %u", inst.code, st->banks->conflicts(st->banks->self, 0, &inst));
}

/* ---- divergence policy ----------------------------------------------------------------------- */

static void next(void *state, struct args *a)
{
	struct state *st = state;
	const struct hd_ctx *c = st->actor.ctx;

	while (arg_more(a, 'w')) {
		struct hd_inst inst;
		uint32_t warp = arg_warp(a);

		if (st->groups->next(st->groups->self, warp, &inst))
			toy_log(c, "next #%u class=%s", inst.code,
			        hd_symbol_name(c, "class", inst.cls));
		else
			toy_log(c, "next w%u = none", warp);
	}
}

static void pc(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	toy_log(st->actor.ctx, "pc w%u = 0x%x", warp, st->groups->pc(st->groups->self, warp));
}

/* ---- hazards --------------------------------------------------------------------------------- */

/* Operands as "R2*2,R4". */
static void give_slots(struct hd_control *c, const char *text)
{
	c->flags |= HD_CONTROL_OPERANDS;
	for (uint32_t i = 0; i < HD_OPERAND_SLOTS && *text; i++) {
		char *end;

		c->slot[i] = (uint16_t)(strtoul(text + 1, &end, 10) + 1);
		c->nslot[i] = 1;
		if (*end == '*')
			c->nslot[i] = (uint8_t)strtoul(end + 1, &end, 10);
		text = end + (*end == ',');
	}
}

static void issue(void *state, struct args *a)
{
	struct state *st = state;
	const char *slots = arg_text(a, "slots");
	uint64_t time = arg_number(a, "time", hd_now(st->actor.ctx));
	struct hd_control c = {
		.flags = HD_CONTROL_GIVEN,
		.stall = (uint8_t)arg_number(a, "stall", 1),
		.wait = (uint8_t)arg_number(a, "wait", 0),
		.write = (uint8_t)arg_number(a, "write", HD_NO_COUNTER),
		.read = (uint8_t)arg_number(a, "read", HD_NO_COUNTER),
		.depbar = (uint8_t)arg_number(a, "depbar", HD_NO_COUNTER),
		.list = (uint8_t)arg_number(a, "list", 0),
		.ndst = (uint8_t)arg_number(a, "ndst", 0),
		.reads_p = (uint16_t)arg_number(a, "reads_p", 0),
		.writes_p = (uint16_t)arg_number(a, "writes_p", 0),
		.guard = (uint8_t)arg_number(a, "guard", 0),
	};
	struct hd_inst inst;

	if (arg_flag(a, "yield"))
		c.flags |= HD_CONTROL_YIELD;
	if (c.depbar != HD_NO_COUNTER)
		c.flags |= HD_CONTROL_DEPBAR;
	if (slots)
		give_slots(&c, slots);
	arg_inst(a, &inst);
	inst.control = c;
	st->hazards->issued(st->hazards->self, &inst, time);
}

static void written(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	st->hazards->written(st->hazards->self, warp, arg_reg(a));
}

static void have_read(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	st->hazards->read(st->hazards->self, warp, arg_number(a, "uid", 0));
}

static void completed(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	st->hazards->completed(st->hazards->self, warp, arg_number(a, "uid", 0));
}

/* ---- instruction buffers --------------------------------------------------------------------- */

static void push(void *state, struct args *a)
{
	struct state *st = state;
	hd_inst_ref ref = hd_alloc(st->actor.ctx, st->pool);
	struct hd_inst *inst = hd_inst(st->pool, ref);

	arg_inst(a, inst);
	hd_ibuffer_push(st->ibuffer, inst->warp, ref);
}

static void pop(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);
	hd_inst_ref ref;

	if (!hd_warp_in(st->ibuffer->filled, warp)) {
		toy_log(st->actor.ctx, "pop w%u = none", warp);
		return;
	}
	ref = hd_ibuffer_head(st->ibuffer, warp);
	toy_log(st->actor.ctx, "pop w%u = #%u", warp, hd_inst(st->pool, ref)->code);
	hd_ibuffer_pop(st->ibuffer, warp);
	hd_release(st->pool, ref);
}

static void filled(void *state, struct args *a)
{
	struct state *st = state;
	char text[SET_TEXT];

	(void)a;
	toy_log(st->actor.ctx, "filled = %s", warps_text(st->ibuffer->filled, text));
}

static void entries(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "entries = %u", st->ibuffer->entries);
}

/* ---- register file and result bus ------------------------------------------------------------ */

static void write_port(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a), reg = arg_reg(a);
	bool ok = st->regfile->write(st->regfile->self, warp, reg);

	toy_log(st->actor.ctx, "write w%u R%u = %s", warp, reg - 1, ok ? "yes" : "no");
}

static void read_port(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t unit = (uint32_t)arg_number(a, "unit", 0), warp = arg_warp(a), n;
	uint16_t reg[HD_MAX_SRC];

	n = arg_regs(a, reg, HD_MAX_SRC);
	st->regfile->read(st->regfile->self, unit, warp, reg, n);
}

static void step(void *state, struct args *a)
{
	struct state *st = state;
	bool first = arg_flag(a, "first");
	uint64_t done = st->regfile->step(st->regfile->self, first);
	char text[SET_TEXT] = "";
	size_t n = 0;

	for (; done; done &= done - 1)
		n += (size_t)snprintf(text + n, sizeof text - n, " %d", __builtin_ctzll(done));
	toy_log(st->actor.ctx, "step%s =%s", first ? " first" : "", n ? text : " none");
}

static void many(void *state, struct args *a)
{
	static const uint16_t reg[HD_MAX_SRC] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct state *st = state;

	(void)a;
	for (uint32_t unit = 0; unit < 64; unit++)
		st->regfile->read(st->regfile->self, unit, 0, reg, HD_MAX_SRC);
}

/* In the order of the units, as they were queued. */
static void drain(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t done = 0;
	uint32_t n = 0;

	(void)a;
	for (; done != UINT64_MAX && n < 1000; n++) {
		done |= st->regfile->step(st->regfile->self, false);
		if (done & (done + 1))
			wrong(st->actor.ctx, "units are not served in order");
	}
	toy_log(st->actor.ctx, "drain = %u", n);
}

static void bus(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t ahead = (uint32_t)arg_number(a, "ahead", 0);
	bool ok = st->bus->reserve(st->bus->self, 0, ahead);

	toy_log(st->actor.ctx, "bus %u = %s", ahead, ok ? "yes" : "no");
}

static void horizon(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "horizon = %u", st->bus->max_ahead);
}

/* ---- scoreboard ------------------------------------------------------------------------------ */

static void reserve(void *state, struct args *a)
{
	struct state *st = state;
	bool load = arg_flag(a, "long");
	uint32_t warp = arg_warp(a);

	hd_scoreboard_reserve(st->scoreboard, warp, arg_reg(a), 0, load);
}

static void release(void *state, struct args *a)
{
	struct state *st = state;
	bool load = arg_flag(a, "load");
	uint32_t warp = arg_warp(a);

	hd_scoreboard_release(st->scoreboard, warp, arg_reg(a), 0, !load);
}

static void check(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_inst inst;

	arg_inst(a, &inst);
	toy_log(st->actor.ctx, "check #%u = %s", inst.code,
	        hd_scoreboard_collides(st->scoreboard, &inst) ? "waits" : "passes");
}

static void busy(void *state, struct args *a)
{
	struct state *st = state;
	char text[SET_TEXT];

	(void)a;
	toy_log(st->actor.ctx, "busy = %s", warps_text(st->scoreboard->busy, text));
}

static void marked(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a), reg = arg_reg(a);

	toy_log(st->actor.ctx, "long w%u R%u = %s", warp, reg - 1,
	        hd_scoreboard_loads(st->scoreboard, warp, reg) ? "yes" : "no");
}

/* ---- barrier, fence, asynchronous copies ----------------------------------------------------- */

static void join(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_inst inst = { .warp = (uint8_t)arg_warp(a) };

	inst.async = (struct hd_async){ .n = (uint16_t)arg_number(a, "id", 0),
		                        .more = (uint32_t)arg_number(a, "threads", 0),
		                        .how = arg_flag(a, "goes") ? HD_NAMED_ARRIVE : 0 };
	st->barrier->join(st->barrier->self, 0, &inst);
}

static void leave(void *state, struct args *a)
{
	struct state *st = state;

	st->barrier->leave(st->barrier->self, arg_warp(a));
}

static void fence(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_inst inst = { .warp = (uint8_t)arg_warp(a) };

	st->fence->set(st->fence->self, 0, &inst);
}

static void look(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);
	bool held = st->fence->holds(st->fence->self, warp);

	toy_log(st->actor.ctx, "look w%u = %s", warp, held ? "held" : "free");
}

static void add(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_inst inst;

	arg_inst(a, &inst);
	st->copy->add(st->copy->self, 0, &inst);
}

static void commit(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_inst inst = { .warp = (uint8_t)arg_warp(a) };

	st->copy->commit(st->copy->self, 0, &inst);
}

static void wait_copies(void *state, struct args *a)
{
	struct state *st = state;
	int32_t stay = (int32_t)arg_number(a, "stay", 0);
	struct hd_inst inst = { .warp = (uint8_t)arg_warp(a), .imm = stay };

	st->copy->wait(st->copy->self, 0, &inst);
}

static void accepted(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t n = (uint32_t)arg_number(a, "n", 1), id;
	struct hd_inst inst;

	arg_inst(a, &inst);
	id = st->copy->accepted(st->copy->self, 0, &inst, n);
	toy_log(st->actor.ctx, "accepted #%u = %u", inst.code, id);
}

static void answered(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t id = (uint32_t)arg_number(a, "id", 0), warp = arg_warp(a);
	bool last = st->copy->answered(st->copy->self, warp, id);

	toy_log(st->actor.ctx, "answered w%u %u = %s", warp, id, last ? "last" : "more");
}

/* ---- time base ------------------------------------------------------------------------------- */

static void now(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "now = %llu", (unsigned long long)*st->time->now);
}

static void until(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t n = arg_number(a, "n", 0);

	toy_log(st->actor.ctx, "until %llu = %llu", (unsigned long long)n,
	        (unsigned long long)hd_edges_until(st->actor.ctx, st->time, n));
}

/* ---- toy ---------------------------------------------------------------------------------------- */

static const struct verb verbs[] = {
	{ "coalesce", coalesce }, { "count", count }, { "conflicts", conflicts },
	{ "next", next }, { "pc", pc },
	{ "issue", issue }, { "written", written }, { "sources", have_read },
	{ "completed", completed },
	{ "push", push }, { "pop", pop }, { "filled", filled }, { "entries", entries },
	{ "write", write_port }, { "read", read_port }, { "step", step }, { "many", many },
	{ "drain", drain }, { "bus", bus }, { "horizon", horizon },
	{ "reserve", reserve }, { "release", release }, { "check", check }, { "busy", busy },
	{ "long", marked },
	{ "join", join }, { "leave", leave }, { "fence", fence }, { "look", look },
	{ "add", add }, { "commit", commit }, { "wait", wait_copies },
	{ "accepted", accepted }, { "answered", answered },
	{ "now", now }, { "until", until },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	CALL_AFTER(struct state),
	USES("coalescer", hd_type_coalescer_if, coalescer),
	USES("banks", hd_type_banks_if, banks),
	USES("groups", hd_type_divergence_if, groups),
	USES("hazards", hd_type_hazards_if, hazards),
	USES("ibuffer", hd_type_ibuffer, ibuffer),
	USES("regfile", hd_type_regfile_if, regfile),
	USES("bus", hd_type_result_bus_if, bus),
	USES("scoreboard", hd_type_scoreboard, scoreboard),
	USES("barrier", hd_type_barrier_if, barrier),
	USES("fence", hd_type_fence_if, fence),
	USES("copy", hd_type_copy_if, copy),
	USES("time", hd_type_time, time),
	{ .name = NULL },
};

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->pool = hd_pool(ctx, &hd_type_inst);
	return actor_init(state, ctx);
}

TOY(call, "calls what it is linked to", verbs, ports, .init = init, .eval = actor_eval);
