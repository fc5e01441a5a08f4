/* liar.c - a module between the users of an interface and its provider, which breaks one rule of it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It calls the provider at port NAME_of for the users at port NAME, and breaks the rule from the 20th call on.  With
 * MEDDLES it is a process as well, which breaks rules of what stages share, from edge 20 on.
 */
#include <heddle/gpu/access.h>
#include <heddle/gpu/cache.h>
#include <heddle/gpu/cluster.h>
#include <heddle/gpu/control.h>
#include <heddle/gpu/divergence.h>
#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/icache.h>
#include <heddle/gpu/map.h>
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/replacement.h>
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/sync.h>
#include <heddle/gpu/time.h>
#include <heddle/gpu/trace.h>

#include <heddle/module.h>

#ifdef MEDDLES
#define LIAR hd_module_meddler
#define NAME "meddler"
#else
#define LIAR hd_module_liar
#define NAME "liar"
#endif

/* The interfaces that it stands before: name, type. */
#define INTERFACES(X) \
	X(banks, hd_banks_if, hd_type_banks_if) X(barrier, hd_barrier_if, hd_type_barrier_if) \
	X(cache, hd_cache_if, hd_type_cache_if) X(cluster, hd_cluster_if, hd_type_cluster_if) \
	X(coalescer, hd_coalescer_if, hd_type_coalescer_if) X(copy, hd_copy_if, hd_type_copy_if) \
	X(divergence, hd_divergence_if, hd_type_divergence_if) X(fence, hd_fence_if, hd_type_fence_if) \
	X(hazards, hd_hazards_if, hd_type_hazards_if) X(icache, hd_icache_if, hd_type_icache_if) \
	X(map, hd_map_if, hd_type_map_if) X(read_ports, hd_read_ports_if, hd_type_read_ports_if) \
	X(regfile, hd_regfile_if, hd_type_regfile_if) \
	X(register_cache, hd_register_cache_if, hd_type_register_cache_if) \
	X(result_bus, hd_result_bus_if, hd_type_result_bus_if) \
	X(sched_policy, hd_sched_policy_if, hd_type_sched_policy_if) X(time, hd_time, hd_type_time) \
	X(touch, hd_touch_if, hd_type_touch) X(trace, hd_trace_if, hd_type_trace_if)

/* What it meddles with. */
#define SHARED(X) \
	X(warps, hd_warps, hd_type_warps) X(scoreboard, hd_scoreboard, hd_type_scoreboard) \
	X(ibuffer, hd_ibuffer, hd_type_ibuffer) X(counters, hd_counters, hd_type_counters) \
	X(credits, hd_credits, hd_type_credits) X(freeze, hd_freeze, hd_type_freeze)

static const char *const rules[] = { "nothing",
	"coalesce_many", "coalesce_lanes", "coalesce_address", "coalesce_changes", "conflicts_none",
	"first_foreign", "first_counts", "first_turns", "begin_turns", "ring", "victim_none", "victim_turns",
	"access_unknown", "access_fails", "probe_lies", "probe_turns", "evicts_asked",
	"sent_other", "ready_none", "taken_twice",
	"step_foreign", "bus_far", "join_fence", "leave_holds", "holds_lies", "answered_early",
	"icache_ready", "icache_rest", "map_slice", "map_local", "map_place", "touch_back", "place_twice", "time_back",
	"trace_lanes", "trace_kernel", "trace_pc", "trace_position", "execute_lanes", "divergence_pc",
	"divergence_lanes",
	"hits_slots", "hits_turns", "ports_edges", "hazards_back", "writes_behind",
	"blocked", "settles", "scoreboard", "released_early", "released_other", "ibuffer", "counters", "credits",
	"freeze",
	"launches", NULL };

enum rule { NOTHING, COALESCE_MANY, COALESCE_LANES, COALESCE_ADDRESS, COALESCE_CHANGES, CONFLICTS_NONE,
	FIRST_FOREIGN, FIRST_COUNTS, FIRST_TURNS, BEGIN_TURNS, RING, VICTIM_NONE, VICTIM_TURNS,
	ACCESS_UNKNOWN, ACCESS_FAILS, PROBE_LIES, PROBE_TURNS, EVICTS_ASKED, SENT_OTHER, READY_NONE, TAKEN_TWICE,
	STEP_FOREIGN, BUS_FAR, JOIN_FENCE, LEAVE_HOLDS, HOLDS_LIES, ANSWERED_EARLY,
	ICACHE_READY, ICACHE_REST, MAP_SLICE, MAP_LOCAL, MAP_PLACE, TOUCH_BACK, PLACE_TWICE, TIME_BACK,
	TRACE_LANES, TRACE_KERNEL, TRACE_PC, TRACE_POSITION, EXECUTE_LANES, DIVERGENCE_PC, DIVERGENCE_LANES,
	HITS_SLOTS, HITS_TURNS, PORTS_EDGES, HAZARDS_BACK, WRITES_BEHIND,
	BLOCKED, SETTLES, SCOREBOARD, RELEASED_EARLY, RELEASED_OTHER, IBUFFER, COUNTERS, CREDITS, FREEZE, LAUNCHES };

#define WHEN 20u

struct state {
	struct hd_ctx *ctx;
	uint32_t breaks;
	uint32_t calls, turns;
	uint32_t *memory; /* 3 numbers */
#define X(name, of, t) struct of name; const struct of *name##_of;
	INTERFACES(X)
#undef X
#define X(name, of, t) struct of *name;
	SHARED(X)
#undef X
	struct hd_replacement_if replacement;
	struct hd_cache_notices notices;        /* of the provider, */
	const struct hd_cache_notices *listens; /* and of the user */
	struct hd_registers_if registers;
	struct hd_paths_if paths;
	struct hd_mem_req other;
	hd_warp_set behind;
	uint32_t warp, reg, uid; /* reserved and not released */
	uint64_t asked;
};

/* Is that the rule, and is it time to break it?  If the call must have no effect, it is another one that counts. */
static bool now(struct state *st, enum rule r)
{
	return st->breaks == r && ++st->calls >= WHEN;
}

static bool later(const struct state *st, enum rule r)
{
	return st->breaks == r && st->calls >= WHEN;
}

static uint32_t coalesce(void *self, hd_inst_ref ref, const struct hd_inst *inst, struct hd_access *out)
{
	struct state *st = self;
	uint32_t n = st->coalescer_of->coalesce(st->coalescer_of->self, ref, inst, out);

	if (now(st, COALESCE_MANY)) {
		for (n = 0; n < 600; n++)
			out[n] = (struct hd_access){ .addr = 32u * n, .lanes = inst->mask, .bytes = 1 };
	}
	if (now(st, COALESCE_LANES))
		out[0].lanes = 0;
	if (now(st, COALESCE_ADDRESS))
		out[0].addr++;
	if (now(st, COALESCE_CHANGES))
		((struct hd_inst *)(uintptr_t)inst)->imm++;
	if (now(st, WRITES_BEHIND))
		st->memory[3 + st->calls % 2] = 1;
	return n;
}

static uint32_t conflicts(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;

	return now(st, CONFLICTS_NONE) ? 0 : st->banks_of->conflicts(st->banks_of->self, ref, inst);
}

/* ---- policies ---- */

static hd_warp_set begin(void *self, hd_warp_set live)
{
	struct state *st = self;

	return live & (++st->turns % 2 ? UINT64_C(0x5555555555555555) : ~UINT64_C(0));
}

static uint32_t first(void *self, hd_warp_set set)
{
	struct state *st = self;

	if (later(st, FIRST_FOREIGN))
		return hd_warp_first(~set);
	if (st->breaks == RING)
		return hd_warp_first(set);
	if (st->breaks == FIRST_COUNTS)
		st->turns++;
	if (st->breaks == FIRST_TURNS)
		for (uint32_t n = st->turns++ % hd_warp_count(set); n; n--)
			set &= ~hd_warp_lowest(set);
	return st->breaks == FIRST_TURNS ? hd_warp_first(set)
	                                 : st->sched_policy_of->first(st->sched_policy_of->self, set);
}

static void issued(void *self, uint32_t warp, uint32_t nth)
{
	struct state *st = self;

	st->behind = hd_warp_above(warp);
	st->calls++;
	st->sched_policy_of->issued(st->sched_policy_of->self, warp, nth);
}

static int resize(void *self, uint32_t sets, uint32_t ways)
{
	(void)self, (void)sets, (void)ways;
	return 0;
}

static void line(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	(void)set, (void)way, (void)req;
	((struct state *)self)->calls++;
}

static uint32_t victim(void *self, uint32_t set, const uint32_t *ways, uint32_t n, const struct hd_mem_req *req)
{
	struct state *st = self;

	(void)set, (void)ways, (void)req;
	if (later(st, VICTIM_NONE))
		return n;
	return later(st, VICTIM_TURNS) ? st->turns++ % n : 0;
}

/* ---- cache ---- */

static enum hd_cache_status access_(void *self, const struct hd_mem_req *req, unsigned *events)
{
	struct state *st = self;
	enum hd_cache_status status = st->cache_of->access(st->cache_of->self, req, events);

	if (now(st, ACCESS_UNKNOWN))
		return (enum hd_cache_status)7;
	if (now(st, ACCESS_FAILS) && *st->cache_of->queued)
		return HD_CACHE_FAIL;
	now(st, PROBE_LIES);
	return status;
}

static enum hd_cache_presence probe(const void *self, uint64_t addr, uint32_t *record)
{
	struct state *st = (struct state *)self;
	enum hd_cache_presence there = st->cache_of->probe(st->cache_of->self, addr, record);

	if (later(st, PROBE_LIES))
		return HD_CACHE_HAS;
	return now(st, PROBE_TURNS) ? (enum hd_cache_presence)(st->turns++ % 2) : there;
}

static void evicted(void *self, uint64_t addr, uint32_t has, uint32_t modified, const struct hd_mem_req *by)
{
	struct state *st = self;

	st->listens->evicted(st->listens->self, now(st, EVICTS_ASKED) ? by->addr : addr, has, modified, by);
}

static void emptied(void *self, bool all)
{
	struct state *st = self;

	st->listens->emptied(st->listens->self, all);
}

static void listen_(void *self, const struct hd_cache_notices *to)
{
	struct state *st = self;

	st->listens = to;
	st->notices = (struct hd_cache_notices){ .self = st, .evicted = evicted, .emptied = emptied };
	st->cache_of->listen(st->cache_of->self, &st->notices);
}

static const struct hd_mem_req *outgoing(void *self)
{
	struct state *st = self;

	return st->cache_of->outgoing(st->cache_of->self);
}

static const struct hd_mem_req *sent(void *self)
{
	struct state *st = self;
	const struct hd_mem_req *r = st->cache_of->sent(st->cache_of->self);

	if (!now(st, SENT_OTHER))
		return r;
	st->other = *r;
	st->other.addr += 128;
	return &st->other;
}

static void fill(void *self, const struct hd_mem_req *reply)
{
	struct state *st = self;

	st->cache_of->fill(st->cache_of->self, reply);
}

static const struct hd_mem_req *taken(void *self)
{
	struct state *st = self;
	const struct hd_mem_req *r = st->cache_of->taken(st->cache_of->self);

	if (now(st, READY_NONE))
		return NULL;
	return now(st, TAKEN_TWICE) && *st->cache_of->filled ? st->cache_of->taken(st->cache_of->self) : r;
}

static void set_ways(void *self, uint32_t ways, bool shared)
{
	struct state *st = self;

	st->cache_of->set_ways(st->cache_of->self, ways, shared);
}

static void invalidate(void *self)
{
	struct state *st = self;

	st->cache_of->invalidate(st->cache_of->self);
}

/* ---- registers ---- */

static bool write_(void *self, uint32_t warp, uint32_t reg)
{
	struct state *st = self;

	return st->regfile_of->write(st->regfile_of->self, warp, reg);
}

static void read_(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n)
{
	struct state *st = self;

	st->asked |= hd_bit(unit);
	st->regfile_of->read(st->regfile_of->self, unit, warp, reg, n);
}

static uint64_t step(void *self, bool first_)
{
	struct state *st = self;
	uint64_t done = st->regfile_of->step(st->regfile_of->self, first_);

	st->asked &= ~done;
	return now(st, STEP_FOREIGN) ? done | hd_bits_lowest(~(st->asked | done)) : done;
}

static bool reserve_bus(void *self, hd_inst_ref inst, uint32_t ahead)
{
	struct state *st = self;

	return st->result_bus_of->reserve(st->result_bus_of->self, inst, now(st, BUS_FAR) ? 70000 : ahead);
}

static void reserved(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	struct state *st = self;

	st->warp = warp;
	st->reg = reg;
	st->uid = uid;
}

static void gone(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	struct state *st = self;

	if (st->warp == warp && st->reg == reg && st->uid == uid)
		st->reg = 0;
}

static void written(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	(void)self, (void)warp, (void)reg, (void)uid;
}

static uint32_t hits(void *self, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t held = st->register_cache_of->hits(st->register_cache_of->self, inst);

	if (later(st, HITS_SLOTS))
		return 8;
	return later(st, HITS_TURNS) ? st->turns++ & 1 : held;
}

static void use(void *self, const struct hd_inst *inst)
{
	struct state *st = self;

	st->calls++;
	st->register_cache_of->use(st->register_cache_of->self, inst);
}

static uint32_t reserve_ports(void *self, uint32_t warp, const uint8_t *reads)
{
	struct state *st = self;
	uint32_t edges = st->read_ports_of->reserve(st->read_ports_of->self, warp, reads);

	return now(st, PORTS_EDGES) ? UINT32_MAX : edges;
}

static void hazard_issued(void *self, const struct hd_inst *inst, uint64_t time)
{
	struct state *st = self;

	st->hazards_of->issued(st->hazards_of->self, inst, now(st, HAZARDS_BACK) ? 0 : time);
}

static void hazard_written(void *self, uint32_t warp, uint32_t reg)
{
	struct state *st = self;

	st->hazards_of->written(st->hazards_of->self, warp, reg);
}

static void hazard_read(void *self, uint32_t warp, uint64_t uid)
{
	struct state *st = self;

	st->hazards_of->read(st->hazards_of->self, warp, uid);
}

static void hazard_completed(void *self, uint32_t warp, uint64_t uid)
{
	struct state *st = self;

	st->hazards_of->completed(st->hazards_of->self, warp, uid);
}

/* ---- barriers, fences, copies ---- */

static void join(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;

	st->barrier_of->join(st->barrier_of->self, ref, inst);
	if (st->breaks == JOIN_FENCE)
		hd_warp_block(st->warps, inst->warp, HD_BLOCK_FENCE);
}

static void leave(void *self, uint32_t warp)
{
	struct state *st = self;

	st->barrier_of->leave(st->barrier_of->self, warp);
	if (st->breaks == LEAVE_HOLDS)
		st->warps->blocked |= st->warps->blocked_by[HD_BLOCK_BARRIER] |= hd_warp_bit(warp);
}

static void set(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;

	st->fence_of->set(st->fence_of->self, ref, inst);
}

static bool holds(void *self, uint32_t warp)
{
	struct state *st = self;

	return st->fence_of->holds(st->fence_of->self, warp) != (st->breaks == HOLDS_LIES);
}

static void add(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;

	st->copy_of->add(st->copy_of->self, ref, inst);
}

static void commit(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;

	st->copy_of->commit(st->copy_of->self, ref, inst);
}

static void wait_(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;

	st->copy_of->wait(st->copy_of->self, ref, inst);
}

static uint32_t accepted(void *self, hd_inst_ref ref, const struct hd_inst *inst, uint32_t n)
{
	struct state *st = self;

	return st->copy_of->accepted(st->copy_of->self, ref, inst, n);
}

static bool answered(void *self, uint32_t warp, uint32_t id)
{
	struct state *st = self;
	bool last = st->copy_of->answered(st->copy_of->self, warp, id);

	return last || now(st, ANSWERED_EARLY);
}

/* ---- fetch and memory ---- */

static enum hd_icache_status look_up(void *self, uint32_t warp, uint32_t pc)
{
	struct state *st = self;

	st->calls += st->breaks == ICACHE_REST;
	return st->icache_of->access(st->icache_of->self, warp, pc);
}

static int line_ready(void *self, uint32_t *pc)
{
	struct state *st = self;

	*pc = 0;
	return now(st, ICACHE_READY) ? 63 : st->icache_of->ready(st->icache_of->self, pc);
}

static void cycle(void *self)
{
	struct state *st = self;

	st->icache_of->cycle(st->icache_of->self);
}

static void watch(void *self, struct hd_waker fetch)
{
	struct state *st = self;

	st->icache_of->watch(st->icache_of->self, fetch);
}

static uint32_t rest(void *self, uint32_t pc)
{
	struct state *st = self;

	return later(st, ICACHE_REST) ? 0 : st->icache_of->rest(st->icache_of->self, pc);
}

static uint32_t slice(void *self, uint64_t addr)
{
	struct state *st = self;

	return now(st, MAP_SLICE) ? 4096 : st->map_of->slice(st->map_of->self, addr);
}

static uint64_t local(void *self, uint64_t addr)
{
	struct state *st = self;

	return st->map_of->local(st->map_of->self, addr) + (now(st, MAP_LOCAL) ? st->turns++ : 0);
}

static void place(void *self, uint64_t addr, uint32_t *bank, uint32_t *row)
{
	struct state *st = self;

	st->map_of->place(st->map_of->self, addr, bank, row);
	if (now(st, MAP_PLACE))
		*bank = 4096;
}

static void touch(void *self, uint64_t addr, uint32_t user, uint64_t at)
{
	struct state *st = self;

	st->touch_of->touch(st->touch_of->self, addr, user, now(st, TOUCH_BACK) ? 0 : at);
}

static void place_cluster(void *self, uint32_t first_)
{
	struct state *st = self;

	st->cluster_of->place(st->cluster_of->self, first_);
	if (st->breaks == PLACE_TWICE)
		st->cluster_of->place(st->cluster_of->self, first_);
}

static void work(void *self, bool works)
{
	struct state *st = self;

	st->cluster_of->work(st->cluster_of->self, works);
}

/* ---- the trace ---- */

static int next_kernel(void *self, struct hd_launch *launch)
{
	struct state *st = self;
	int result = st->trace_of->next_kernel(st->trace_of->self, launch);

	return st->breaks == TRACE_KERNEL ? 5 : result;
}

static bool claim(void *self, uint32_t sms)
{
	struct state *st = self;

	return st->trace_of->claim(st->trace_of->self, sms);
}

static int next_cta(void *self, uint32_t first_)
{
	struct state *st = self;

	return st->trace_of->next_cta(st->trace_of->self, first_);
}

static uint64_t block(void *self)
{
	struct state *st = self;

	return st->trace_of->block(st->trace_of->self);
}

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct state *st = self;
	bool any = st->trace_of->next(st->trace_of->self, warp, inst);

	if (any && now(st, TRACE_LANES))
		inst->nlanes = 0;
	return any;
}

static uint32_t pc(void *self, uint32_t warp)
{
	struct state *st = self;

	return st->trace_of->pc(st->trace_of->self, warp) + (now(st, TRACE_PC) ? 16 * (st->turns++ & 1) : 0);
}

static bool ended(void *self, uint32_t warp)
{
	struct state *st = self;

	return st->trace_of->ended(st->trace_of->self, warp);
}

static const char *opcode_text(void *self, uint32_t opcode)
{
	struct state *st = self;

	return st->trace_of->opcode_text(st->trace_of->self, opcode);
}

static void position(void *self, uint64_t *done, uint64_t *total)
{
	struct state *st = self;

	st->trace_of->position(st->trace_of->self, done, total);
	if (st->breaks == TRACE_POSITION)
		*done = *total + 1;
}

static struct hd_path_step execute(void *self, uint32_t warp, uint32_t node, uint32_t lanes, struct hd_inst *inst)
{
	struct state *st = self;
	const struct hd_paths_if *p = st->trace_of->paths;
	struct hd_path_step s = p->execute(p->self, warp, node, lanes, inst);

	if (now(st, EXECUTE_LANES))
		s.taken = ~lanes | 1;
	return s;
}

static bool begin_path(void *self, uint32_t warp, struct hd_path_warp *w)
{
	const struct hd_paths_if *p = ((struct state *)self)->trace_of->paths;

	return p->begin(p->self, warp, w);
}

static void claim_lanes(void *self)
{
	const struct hd_paths_if *p = ((struct state *)self)->trace_of->paths;

	p->claim_lanes(p->self);
}

static void count(void *self, const uint32_t *base, struct hd_path_counts *counts)
{
	const struct hd_paths_if *p = ((struct state *)self)->trace_of->paths;

	p->count(p->self, base, counts);
}

static bool diverge(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct state *st = self;
	bool any = st->divergence_of->next(st->divergence_of->self, warp, inst);

	if (any && now(st, DIVERGENCE_LANES))
		inst->regs = ~inst->regs;
	return any;
}

static uint32_t divergence_pc(void *self, uint32_t warp)
{
	struct state *st = self;

	return st->divergence_of->pc(st->divergence_of->self, warp) + (now(st, DIVERGENCE_PC) ? 16 : 0);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->memory = hd_memory(ctx, 3, sizeof *st->memory);
	st->replacement = (struct hd_replacement_if){ st, resize, line, line, victim };
	st->registers = (struct hd_registers_if){ st, reserved, written, gone };
	return st->memory ? 0 : hd_error(ctx, "out of memory");
}

/* Everything is passed on as it is, but for some functions. */
static int start(void *state)
{
	struct state *st = state;
	static const uint64_t never = 1;

#define X(name, of, t) if (st->name##_of) st->name = *st->name##_of;
	INTERFACES(X)
#undef X
	st->banks = (struct hd_banks_if){ st, conflicts };
	st->barrier = (struct hd_barrier_if){ st, join, leave };
	st->cluster = (struct hd_cluster_if){ st, place_cluster, work };
	st->coalescer = (struct hd_coalescer_if){ st, coalesce };
	st->copy = (struct hd_copy_if){ st, add, commit, wait_, accepted, answered };
	st->fence = (struct hd_fence_if){ st, set, holds };
	st->hazards = (struct hd_hazards_if){ st, hazard_issued, hazard_written, hazard_read, hazard_completed };
	st->read_ports.self = st->register_cache.self = st->result_bus.self = st->touch.self = st;
	st->read_ports.reserve = reserve_ports;
	st->register_cache.hits = hits;
	st->register_cache.use = use;
	st->result_bus.reserve = reserve_bus;
	st->result_bus.buses = NULL;
	st->touch.touch = st->touch_of && st->touch_of->touch ? touch : NULL;
	st->regfile = (struct hd_regfile_if){ st, write_, read_, step, NULL };
	st->icache.self = st->map.self = st->trace.self = st->divergence.self = st->sched_policy.self =
		st->cache.self = st;
	st->icache.access = look_up;
	st->icache.ready = line_ready;
	st->icache.cycle = cycle;
	st->icache.watch = st->icache_of && st->icache_of->watch ? watch : NULL;
	st->icache.rest = st->icache_of && st->icache_of->rest ? rest : NULL;
	st->map.slice = slice;
	st->map.local = local;
	st->map.place = place;
	st->trace.claim = claim;
	st->trace.next_kernel = next_kernel;
	st->trace.next_cta = next_cta;
	st->trace.block = block;
	st->trace.next = next;
	st->trace.pc = pc;
	st->trace.ended = ended;
	st->trace.ended_at = NULL;
	st->trace.opcode_text = opcode_text;
	st->trace.position = position;
	st->trace.left = st->trace.stores = NULL;
	if (st->trace_of && st->trace_of->paths) {
		st->paths.self = st;
		st->paths.claim_lanes = claim_lanes;
		st->paths.count = count;
		st->paths.begin = begin_path;
		st->paths.execute = execute;
		st->trace.paths = &st->paths;
	}
	st->divergence.next = diverge;
	st->divergence.pc = divergence_pc;
	st->sched_policy.bind = NULL;
	st->sched_policy.begin = st->breaks == BEGIN_TURNS ? begin : NULL;
	st->sched_policy.first = first;
	st->sched_policy.issued = issued;
	st->sched_policy.behind = st->breaks == RING ? &st->behind : NULL;
	st->sched_policy.greedy = NULL;
	st->cache.access = access_;
	st->cache.outgoing = outgoing;
	st->cache.sent = sent;
	st->cache.fill = fill;
	st->cache.taken = taken;
	st->cache.set_ways = set_ways;
	st->cache.invalidate = invalidate;
	st->cache.probe = probe;
	st->cache.listen = listen_;
	if (st->breaks == TIME_BACK)
		st->time = (struct hd_time){ &never, 0 };
	return 0;
}

#ifdef MEDDLES
static void meddle(struct state *st)
{
	switch ((enum rule)st->breaks) {
	case BLOCKED: st->warps->blocked ^= 1; break;
	case SETTLES: st->warps->stores[2]--; break;
	case SCOREBOARD: st->scoreboard->any[1] ^= 4; break;
	case IBUFFER: st->ibuffer->filled ^= 2; break;
	case COUNTERS: st->counters->busy[1] ^= 1; break;
	case CREDITS: st->credits->free -= 1000; break;
	case FREEZE: st->freeze->cycles--; break;
	case LAUNCHES: st->warps->launch_cta(st->warps->self, 0, 0); break;
	default: break;
	}
}

#define EVAL .eval = eval,
static uint64_t eval(void *state)
{
	struct state *st = state;

	if (hd_now(st->ctx) < WHEN)
		return WHEN - hd_now(st->ctx);
	if (st->breaks == RELEASED_EARLY || st->breaks == RELEASED_OTHER) {
		if (st->reg)
			hd_scoreboard_release(st->scoreboard, st->warp, st->reg,
			                      st->breaks == RELEASED_EARLY ? st->uid : st->uid + 1000, true);
		return HD_NEXT;
	}
	meddle(st);
	return HD_SLEEP;
}
#else
#define EVAL
#endif

#define AT(member) .offset = offsetof(struct state, member)
#define X(face, of_, t) \
	{ .name = #face, .doc = "d", .kind = HD_PROVIDES, .flags = HD_ORDERED, .type = &t, AT(face) }, \
	{ .name = #face "_of", .doc = "d", .kind = HD_USES, .flags = HD_OPTIONAL, .type = &t, AT(face##_of) },
#define Y(face, of_, t) { .name = #face, .doc = "d", .kind = HD_USES, .flags = HD_OPTIONAL, .type = &t, AT(face) },

const struct hd_module LIAR = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = NAME, .doc = "breaks a rule of an interface", .init = init, .start = start, EVAL
	.params = (const struct hd_param[]){
		{ .name = "breaks", .unit = "", .doc = "rule", .type = HD_CHOICE, AT(breaks), .choices = rules,
		  .def = "\"nothing\"" },
		{ .name = NULL } },
	.ports = (const struct hd_port[]){
		INTERFACES(X)
		SHARED(Y)
		{ .name = "replacement", .doc = "d", .kind = HD_PROVIDES, .type = &hd_type_replacement_if,
			AT(replacement) },
		{ .name = "registers", .doc = "d", .kind = HD_PROVIDES, .type = &hd_type_registers_if, AT(registers) },
		{ .name = NULL } },
};
