/* load_store.c - load/store unit: shared memory, L1D and bypassing accesses of one SM
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Load/store unit, has the rules LS1 to LS18.  One dispatch latch; a pipeline of
 * constant length for shared memory; per L1D bank a queue of constant length in front of the
 * cache; one writeback latch that five clients fill in turn.  Shifting stages are kept as FIFOs:
 * an entry that nothing holds up reaches the last stage a fixed number of cycles after it came,
 * and those behind a held entry close up.
 */
#include <heddle/interface/access.h>
#include <heddle/interface/cache.h>
#include <heddle/interface/regfile.h>
#include <heddle/interface/scoreboard.h>
#include <heddle/interface/sync.h>

#include <stdlib.h>

#define MAX_BANKS 64u
#define REGS (HD_REG_WORDS * 64u)

enum { BANK_LINEAR, BANK_XOR };

/* Clients of the writeback latch, in the order of their numbers. */
enum client { SHARED, TEXTURE, CONSTANT, GLOBAL, L1D, CLIENTS };

struct entry {
	struct hd_mem_req req;
	uint64_t due; /* tick from which it may leave */
};

struct queue {
	struct entry *v; /* ring */
	uint32_t head, count, mask, length;
	uint64_t last;   /* tick + 1 of the last insertion: the first stage is taken in that tick */
};

struct state {
	struct hd_ctx *ctx;
	struct hd_end in, request, response;
	struct hd_warps *warps;
	struct hd_scoreboard *scoreboard;
	const struct hd_regfile_if *regfile;
	const struct hd_cache_if *l1d;
	const struct hd_coalescer_if *coalescer;
	const struct hd_banks_if *banks;
	const struct hd_copy_if *copy;
	struct hd_pool *pool;
	uint32_t cycles_per_edge, shared_latency, l1d_latency, l1d_banks, l1d_interleave;
	uint32_t l1d_bank_index, bank_shift, bank_hash_shift;
	uint64_t bank_mix; /* address bits that are mixed in */
	bool bypass_global;

	uint64_t tick;            /* index of the present cycle() */
	hd_inst_ref latch;        /* 0: free */
	uint32_t conflict_cycles; /* left for the shared-memory banks of the latched instruction */
	struct hd_mem_req proto;  /* what all its requests have in common */
	uint32_t naccesses;       /* left; taken from the back, the highest address first */
	bool writing;             /* wb holds something */
	struct hd_mem_req wb;
	bool has_global;
	struct hd_mem_req global; /* reply of a bypassing load that waits for wb */
	uint32_t turn;            /* client that is asked first */
	struct queue shared, bank[MAX_BANKS];
	uint32_t queued;          /* in all bank queues */

	uint64_t accepted, busy, bank_conflicts, l1d_accesses, bypassed;
	uint32_t *kept; /* by warp and register: lives of loads, for dumps; or NULL */
	uint16_t pending[HD_MAX_WARPS][REGS]; /* accesses that a load's register waits for */
	struct hd_access access[HD_MAX_ACCESSES];
};

enum { PORT_IN, PORT_REQUEST, PORT_RESPONSE, PORT_WARPS, PORT_SCOREBOARD, PORT_REGFILE, PORT_L1D,
	PORT_COALESCER, PORT_BANKS, PORT_COPY };

/* ---- queues of constant length ---- */

static bool has_room(const struct state *st, const struct queue *q)
{
	return q->count < q->length && q->last != st->tick + 1;
}

static void insert(struct state *st, struct queue *q, const struct hd_mem_req *r)
{
	struct entry *e = &q->v[(q->head + q->count++) & q->mask];

	e->req = *r;
	e->due = st->tick + q->length;
	q->last = st->tick + 1;
}

/* The entry in the last stage, or NULL. */
static struct hd_mem_req *last_stage(const struct state *st, const struct queue *q)
{
	struct entry *e = &q->v[q->head];

	return q->count && e->due <= st->tick ? &e->req : NULL;
}

static void leave(struct queue *q)
{
	q->head = (q->head + 1) & q->mask;
	q->count--;
}

/* ---- what dumps are told ---- */

enum { MARK_SHARED, MARK_MEMORY };
enum { REASON_LATCH, REASON_CONFLICT, REASON_SHARED, REASON_ACCESSES, REASON_BANK };

/* The latched load leaves its record behind and waits for its register on its own. */
static void follow(struct state *st, const struct hd_inst *inst, unsigned mark)
{
	uint32_t transaction;

	if (!inst->dst)
		return;
	transaction = hd_transaction_keep(st->pool, st->latch);
	st->kept[inst->warp * REGS + inst->dst] = transaction;
	hd_transaction_mark(st->ctx, st->pool, transaction, mark, 0);
}

static void followed(struct state *st, uint32_t warp, uint32_t reg)
{
	uint32_t *transaction = &st->kept[warp * REGS + reg];

	hd_transaction_end(st->pool, *transaction);
	*transaction = 0;
}

/* ---- completion ---- */

/* One access of a load is back.  `release_last`: the last one also ends the load. */
static void access_back(struct state *st, const struct hd_mem_req *r)
{
	if (!r->dst || --st->pending[r->warp][r->dst] > 0)
		return;
	hd_scoreboard_release(st->scoreboard, r->warp, r->dst, false);
	hd_warps_complete(st->warps, r->inst_lanes);
	if (HD_UNLIKELY(st->kept != NULL))
		followed(st, r->warp, r->dst);
}

/* LS15: the writeback latch, if its bank has a write port left. */
static void write_back(struct state *st)
{
	const struct hd_mem_req *r = &st->wb;

	if (r->dst && !st->regfile->write(st->regfile->self, r->warp, r->dst))
		return;
	if (!(r->flags & HD_MEM_SHARED)) {
		access_back(st, r);
	} else if (r->dst) {
		hd_scoreboard_release(st->scoreboard, r->warp, r->dst, false);
		hd_warps_complete(st->warps, r->inst_lanes);
		if (HD_UNLIKELY(st->kept != NULL))
			followed(st, r->warp, r->dst);
	}
	if ((r->flags & HD_MEM_COPY) && st->copy
	    && st->copy->answered(st->copy->self, r->warp, r->inst_id))
		hd_warps_complete(st->warps, r->inst_lanes); /* a second time: docs/sm.md, X5 */
	st->writing = false;
}

/* Takes what a client has, into the latch as a rule. */
static inline void serve(struct state *st, uint32_t client, const struct hd_mem_req *l1d)
{
	struct hd_mem_req *wb = &st->wb;

	st->writing = true;
	if (client == SHARED) {
		*wb = *last_stage(st, &st->shared);
		leave(&st->shared);
		if (wb->flags & HD_MEM_ATOMIC)
			hd_warp_atomics_done(st->warps, wb->warp, wb->inst_lanes);
		hd_warp_left_pipeline(st->warps, wb->warp);
	} else if (client == GLOBAL) {
		*wb = st->global;
		st->has_global = false;
		if (wb->flags & HD_MEM_ATOMIC)
			hd_warp_atomics_done(st->warps, wb->warp, wb->lanes);
	} else {
		*wb = *l1d;
		st->l1d->taken(st->l1d->self);
		/* A read that only a store miss wanted has nobody to write back for: it takes the
		 * client's turn and leaves the latch to the others. */
		if (wb->flags & HD_MEM_ALLOC) {
			st->writing = false;
			if (wb->flags & HD_MEM_WRITE)
				hd_warp_store_done(st->warps, wb->warp);
		}
	}
}

/* LS16: the first client that has something, starting behind the last one served.  Textures
 * and constants have nothing here. */
static void fill_writeback(struct state *st)
{
	const struct hd_mem_req *l1d = NULL;
	uint64_t have = 0, now, then;

	if (last_stage(st, &st->shared))
		have |= hd_bit(SHARED);
	if (st->has_global)
		have |= hd_bit(GLOBAL);
	if (st->l1d && (l1d = st->l1d->ready(st->l1d->self)) != NULL)
		have |= hd_bit(L1D);
	now = have & ~hd_bits_below(st->turn);
	then = have & ~now;
	while (!st->writing && (now | then)) {
		uint32_t client;

		if (!now) {
			now = then;
			then = 0;
		}
		client = hd_bits_pop(&now);
		serve(st, client, l1d);
		st->turn = client + 1 == CLIENTS ? 0 : client + 1;
	}
}

/* LS14 */
static void take_response(struct state *st)
{
	const struct hd_mem_req *r = hd_front(&st->response);

	if (!r)
		return;
	if (r->flags & HD_MEM_WRITE) {
		if (!(r->flags & HD_MEM_SILENT))
			hd_warp_store_done(st->warps, r->warp);
	} else if (r->flags & HD_MEM_BYPASS) {
		if (st->has_global)
			return;
		st->global = *r;
		st->has_global = true;
	} else if (HD_LIKELY(st->l1d != NULL)) {
		st->l1d->fill(st->l1d->self, r);
	} else {
		hd_fail(st->ctx, "a response came that nobody has asked for");
	}
	hd_take(&st->response);
}

/* LS1, step 3 */
static void send_miss(struct state *st)
{
	const struct hd_mem_req *r = st->l1d->outgoing(st->l1d->self);

	if (r && hd_room(&st->request)) {
		hd_put(&st->request, r, sizeof *r);
		st->l1d->sent(st->l1d->self);
	}
}

/* A store that the cache has in hand and that nobody will answer any more is done now. */
static void answer_store(struct state *st, const struct hd_mem_req *r, unsigned events)
{
	if (!(events & (HD_CACHE_WRITE_SENT | HD_CACHE_ALLOC_SENT)))
		hd_warp_store_done(st->warps, r->warp);
}

/* LS11, LS12 */
static void access_l1d(struct state *st)
{
	for (uint32_t b = 0; st->queued && b < st->l1d_banks; b++) {
		struct queue *q = &st->bank[b];
		const struct hd_mem_req *r = last_stage(st, q);
		unsigned events = 0;
		enum hd_cache_status status;

		if (!r)
			continue;
		st->l1d_accesses++;
		status = st->l1d->access(st->l1d->self, r, &events);
		if (status == HD_CACHE_FAIL)
			continue;
		if (r->flags & HD_MEM_WRITE) {
			answer_store(st, r, events);
		} else if (status == HD_CACHE_HIT) {
			access_back(st, r); /* needs no write port */
			if ((r->flags & HD_MEM_COPY) && st->copy)
				st->copy->answered(st->copy->self, r->warp, r->inst_id);
		}
		leave(q);
		st->queued--;
	}
}

/* ---- the dispatch latch ---- */

/* What all requests of an instruction have in common. */
static struct hd_mem_req request_of(const struct hd_inst *inst)
{
	uint32_t flags = 0;

	if (inst->flags & HD_INST_LOAD)
		flags |= HD_MEM_LOAD;
	else
		flags |= HD_MEM_WRITE;
	if (inst->flags & HD_INST_ATOMIC)
		flags |= HD_MEM_ATOMIC;
	if (inst->flags & HD_INST_COPY)
		flags |= HD_MEM_COPY;
	if (inst->space == HD_SPACE_LOCAL)
		flags |= HD_MEM_LOCAL;
	if (inst->space == HD_SPACE_SHARED)
		flags |= HD_MEM_SHARED;
	return (struct hd_mem_req){ .flags = (uint16_t)flags, .dst = inst->dst, .warp = inst->warp,
		                    .inst_lanes = inst->nlanes };
}

static struct hd_mem_req next_request(const struct state *st)
{
	const struct hd_access *a = &st->access[st->naccesses - 1];
	struct hd_mem_req r = st->proto;

	r.addr = a->addr;
	r.bytes = a->bytes;
	if (r.flags & HD_MEM_ATOMIC)
		r.lanes = (uint8_t)hd_bits_count(a->lanes);
	return r;
}

static void count_store(struct state *st, const struct hd_mem_req *r)
{
	if (r->flags & HD_MEM_WRITE)
		hd_warp_store_sent(st->warps, r->warp);
}

/* One access around the L1D. */
static void send_around(struct state *st)
{
	struct hd_mem_req r;

	if (!hd_room(&st->request))
		return;
	r = next_request(st);
	r.flags |= HD_MEM_BYPASS;
	hd_put(&st->request, &r, sizeof r);
	count_store(st, &r);
	st->naccesses--;
	st->bypassed++;
}

static uint32_t bank_of(const struct state *st, uint64_t addr)
{
	return (uint32_t)(addr >> st->bank_shift ^ (addr >> st->bank_hash_shift & st->bank_mix))
	       & (st->l1d_banks - 1);
}

/* Accesses into the L1D banks' queues, until one finds its bank taken. */
static void send_to_l1d(struct state *st)
{
	for (uint32_t i = 0; i < st->l1d_banks && st->naccesses; i++) {
		uint64_t addr = st->access[st->naccesses - 1].addr;
		struct queue *q = &st->bank[bank_of(st, addr)];
		struct hd_mem_req r;

		if (!has_room(st, q)) {
			st->bank_conflicts++;
			return;
		}
		r = next_request(st);
		insert(st, q, &r);
		st->queued++;
		count_store(st, &r);
		st->naccesses--;
	}
}

/* The latched instruction has nothing left to do here. */
static void clear_latch(struct state *st, bool left)
{
	struct hd_inst *inst = hd_inst(st->pool, st->latch);

	if (left) {
		hd_warp_left_pipeline(st->warps, inst->warp);
	}
	hd_release(st->pool, st->latch);
	st->latch = 0;
}

static void finish_load(struct state *st, const struct hd_inst *inst)
{
	if (inst->space == HD_SPACE_SHARED) {
		if (has_room(st, &st->shared)) {
			insert(st, &st->shared, &st->proto);
			if (HD_UNLIKELY(st->kept != NULL))
				follow(st, inst, MARK_SHARED);
			clear_latch(st, false); /* it leaves the pipeline at its end */
		}
		return;
	}
	if (!inst->dst || st->pending[inst->warp][inst->dst] == 0) {
		hd_warps_complete(st->warps, inst->nlanes);
		if (inst->dst)
			hd_scoreboard_release(st->scoreboard, inst->warp, inst->dst, true);
	} else if (HD_UNLIKELY(st->kept != NULL)) {
		follow(st, inst, MARK_MEMORY);
	}
	clear_latch(st, true);
}

static bool around(const struct state *st, const struct hd_inst *inst)
{
	return !st->l1d || (inst->flags & HD_INST_BYPASS)
	       || (st->bypass_global && inst->space == HD_SPACE_GLOBAL);
}

/* LS5, LS9 */
static void work_on_latch(struct state *st)
{
	const struct hd_inst *inst = hd_inst(st->pool, st->latch);

	if (st->conflict_cycles && --st->conflict_cycles)
		return;
	if (st->naccesses) {
		if (around(st, inst))
			send_around(st);
		else
			send_to_l1d(st);
		if (st->naccesses)
			return;
	}
	if (inst->flags & HD_INST_LOAD) {
		finish_load(st, inst);
	} else { /* stores and fences; a trace may claim that they write a register */
		hd_warps_complete(st->warps, inst->nlanes);
		if (inst->dst)
			hd_scoreboard_release(st->scoreboard, inst->warp, inst->dst, true);
		clear_latch(st, true);
	}
}

/* Lanes of an atomic that access nothing, as those at address 0, get no answer that could end the
 * warp's waiting for them. */
static void answer_idle_lanes(struct state *st, const struct hd_inst *inst)
{
	uint32_t idle = inst->mask;

	for (uint32_t i = 0; i < st->naccesses; i++)
		idle &= ~st->access[i].lanes;
	if (idle)
		hd_warp_atomics_done(st->warps, inst->warp, hd_bits_count(idle));
}

/* LS3, LS4.  The reference makes the accesses at issue; until here that makes no difference. */
static void accept(struct state *st, uint64_t slots)
{
	unsigned slot = hd_inst_oldest(st->pool, &st->in, slots);
	struct hd_inst *inst;

	st->latch = hd_inst_in(&st->in, slot);
	inst = hd_inst(st->pool, st->latch);
	hd_slot_take(&st->in, slot);
	st->accepted++;
	st->conflict_cycles = 0;
	st->naccesses = 0;
	st->proto = request_of(inst);
	st->proto.size = 32;
	if (inst->mask && (inst->flags & (HD_INST_LOAD | HD_INST_STORE))) {
		if (inst->space == HD_SPACE_SHARED)
			st->conflict_cycles = st->banks->conflicts(st->banks->self, inst);
		else if (inst->space == HD_SPACE_GLOBAL || inst->space == HD_SPACE_LOCAL)
			st->naccesses = st->coalescer->coalesce(st->coalescer->self, inst,
			                                        st->access);
	}
	if (HD_UNLIKELY(inst->flags & HD_INST_ATOMIC) && inst->space != HD_SPACE_SHARED)
		answer_idle_lanes(st, inst);
	if ((inst->flags & HD_INST_LOAD) && inst->space != HD_SPACE_SHARED && inst->dst)
		st->pending[inst->warp][inst->dst] =
			(uint16_t)(st->pending[inst->warp][inst->dst] + st->naccesses);
	if ((inst->flags & HD_INST_COPY) && st->copy)
		st->proto.inst_id = st->copy->accepted(st->copy->self, inst, st->naccesses);
}

/* LS1 */
static void cycle(struct state *st)
{
	if (st->writing)
		write_back(st);
	if (!st->writing)
		fill_writeback(st);
	take_response(st);
	if (st->l1d) {
		send_miss(st);
		if (st->queued)
			access_l1d(st);
	}
	if (st->latch)
		work_on_latch(st);
	st->tick++;
}

/* Cycles until a queue's front is due, if that is all there is to wait for. */
static uint64_t rest(const struct state *st)
{
	uint64_t due = UINT64_MAX;

	if (st->latch || st->writing || st->has_global || hd_front(&st->response)
	    || (st->l1d && (st->l1d->outgoing(st->l1d->self) || st->l1d->ready(st->l1d->self))))
		return HD_NEXT;
	if (st->shared.count)
		due = st->shared.v[st->shared.head].due;
	for (uint32_t b = 0; st->queued && b < st->l1d_banks; b++)
		if (st->bank[b].count && st->bank[b].v[st->bank[b].head].due < due)
			due = st->bank[b].v[st->bank[b].head].due;
	if (due == UINT64_MAX)
		return HD_SLEEP;
	return due <= st->tick ? HD_NEXT : (due - st->tick) / st->cycles_per_edge + 1;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t slots;

	st->tick = hd_now(st->ctx) * st->cycles_per_edge;
	for (uint32_t i = 0; i < st->cycles_per_edge; i++)
		cycle(st);
	if (!st->latch && (slots = hd_slots_full(&st->in)) != 0)
		accept(st, slots);
	st->busy += st->latch != 0;
	return rest(st);
}

static int make_queue(struct queue *q, uint32_t length)
{
	uint32_t n = 1;

	while (n < length)
		n *= 2;
	q->length = length;
	q->mask = n - 1;
	q->v = calloc(n, sizeof *q->v);
	return q->v ? 0 : -1;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	int bad;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	if (!hd_is_power_of_two(st->l1d_banks))
		return hd_error(ctx, "'l1d_banks' is %u; expected a power of two", st->l1d_banks);
	if (!hd_is_power_of_two(st->l1d_interleave))
		return hd_error(ctx, "'l1d_interleave' is %u; expected a power of two",
		                st->l1d_interleave);
	st->bank_shift = hd_bits_first(st->l1d_interleave);
	st->bank_hash_shift = st->bank_shift + hd_bits_first(st->l1d_banks);
	st->bank_mix = st->l1d_bank_index == BANK_XOR ? UINT64_MAX : 0;
	bad = make_queue(&st->shared, st->shared_latency);
	for (uint32_t i = 0; i < st->l1d_banks; i++)
		bad |= make_queue(&st->bank[i], st->l1d_latency);
	if (ctx->observable) {
		st->kept = calloc(HD_MAX_WARPS * REGS, sizeof *st->kept);
		bad |= !st->kept;
	}
	return bad ? hd_error(ctx, "out of memory") : 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->latch)
		hd_report_pending(h, "an instruction of warp %u in the dispatch latch, %u accesses left",
		         hd_inst(st->pool, st->latch)->warp, st->naccesses);
	if (st->shared.count)
		hd_report_pending(h, "%u instructions in the shared-memory pipeline", st->shared.count);
	if (st->queued)
		hd_report_pending(h, "%u accesses on their way to the L1D", st->queued);
	if (st->l1d && st->l1d->pending(st->l1d->self))
		hd_report_pending(h, "%u requests in the L1D", st->l1d->pending(st->l1d->self));
}

static void fini(void *state)
{
	struct state *st = state;

	free(st->shared.v);
	free(st->kept);
	for (uint32_t i = 0; i < MAX_BANKS; i++)
		free(st->bank[i].v);
}

#define P(f) offsetof(struct state, f)

/* In the order of BANK_LINEAR, BANK_XOR. */
static const char *const bank_indices[] = { "linear", "xor", NULL };

static const struct hd_param params[] = {
	{ .name = "shared_latency", .unit = "cycles", .doc = "stages of the shared-memory pipeline",
	  .type = HD_U32, .offset = P(shared_latency), .def = "20", .min = 1, .max = 4096 },
	{ .name = "l1d_latency", .unit = "cycles", .doc = "stages in front of the L1D",
	  .type = HD_U32, .offset = P(l1d_latency), .def = "20", .min = 1, .max = 4096 },
	{ .name = "l1d_interleave", .unit = "bytes", .doc = "neighbouring bytes that lie in one bank of "
	  "the L1D, a power of two", .type = HD_U32, .offset = P(l1d_interleave), .def = "32",
	  .min = 32, .max = 65536 },
	{ .name = "l1d_bank_index", .unit = "", .doc = "how the address gives the bank; xor mixes in "
	  "the bits above", .type = HD_CHOICE, .offset = P(l1d_bank_index), .def = "\"linear\"",
	  .choices = bank_indices },
	{ .name = "l1d_banks", .unit = "banks", .doc = "banks of the L1D, a power of two; as many "
	  "accesses leave the latch per cycle", .type = HD_U32, .offset = P(l1d_banks),
	  .def = "4", .min = 1, .max = MAX_BANKS },
	{ .name = "bypass_global", .unit = "", .doc = "all global accesses go around the L1D",
	  .type = HD_BOOL, .offset = P(bypass_global), .def = "false" },
	{ .name = "cycles_per_edge", .unit = "cycles", .doc = "cycles that the unit works per edge of "
	  "its clock", .type = HD_U32, .offset = P(cycles_per_edge), .def = "1", .min = 1,
	  .max = 32 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_IN] = { .name = "in", .doc = "register set in front of the unit; the oldest is taken",
	              .kind = HD_IN, .flags = HD_SLOTS, .type = &hd_type_inst, .offset = P(in) },
	[PORT_REQUEST] = { .name = "request", .doc = "to memory", .kind = HD_OUT,
	                   .type = &hd_type_mem, .offset = P(request) },
	[PORT_RESPONSE] = { .name = "response", .doc = "from memory", .kind = HD_IN,
	                    .type = &hd_type_mem, .offset = P(response) },
	[PORT_WARPS] = { .name = "warps", .doc = "counts stores, atomics and what is in the pipeline",
	                 .kind = HD_USES, .type = &hd_type_warps, .offset = P(warps) },
	[PORT_SCOREBOARD] = { .name = "scoreboard", .doc = "registers of loads are released here",
	                      .kind = HD_USES, .type = &hd_type_scoreboard,
	                      .offset = P(scoreboard) },
	[PORT_REGFILE] = { .name = "regfile", .doc = "loaded data are written here", .kind = HD_USES,
	                   .type = &hd_type_regfile_if, .offset = P(regfile) },
	[PORT_L1D] = { .name = "l1d", .doc = "data cache; open: everything goes to memory",
	               .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_cache_if,
	               .offset = P(l1d) },
	[PORT_COALESCER] = { .name = "coalescer", .doc = "splits global and local accesses",
	                     .kind = HD_USES, .type = &hd_type_coalescer_if,
	                     .offset = P(coalescer) },
	[PORT_BANKS] = { .name = "banks", .doc = "tells shared-memory conflicts", .kind = HD_USES,
	                 .type = &hd_type_banks_if, .offset = P(banks) },
	[PORT_COPY] = { .name = "copy", .doc = "told of asynchronous copies; open: nobody waits",
	                .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_copy_if,
	                .offset = P(copy) },
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
	{ .name = "bypassed", .unit = "accesses", .doc = "accesses around the L1D",
	  .offset = P(bypassed) },
	{ .name = NULL },
};

static const struct hd_mark marks[] = {
	[MARK_SHARED] = { "shared", "in the shared-memory pipeline, until its register is written",
	                  NULL, NULL },
	[MARK_MEMORY] = { "memory", "its accesses are under way, until its register is written",
	                  NULL, NULL },
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

/* An instruction that leaves in the next cycle is no reason of its own: the unit takes one a cycle. */
static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	const struct state *st = state;
	uint32_t reason = REASON_LATCH, cycles = st->cycles_per_edge;

	(void)port; /* there is one that others wait at */
	(void)link;
	if (st->latch && st->conflict_cycles) {
		if (st->conflict_cycles > cycles)
			reason = REASON_CONFLICT;
	} else if (st->latch && st->naccesses && around(st, hd_inst(st->pool, st->latch))) {
		if (!hd_room(&st->request))
			return (struct hd_answer){ .behind = &st->request };
		if (st->naccesses > cycles)
			reason = REASON_ACCESSES;
	} else if (st->latch && st->naccesses) {
		const struct queue *q = &st->bank[bank_of(st, st->access[st->naccesses - 1].addr)];

		if (q->count == q->length)
			reason = REASON_BANK;
		else if (st->naccesses > cycles * st->l1d_banks)
			reason = REASON_ACCESSES;
	} else if (st->latch) {
		reason = REASON_SHARED;
	}
	return (struct hd_answer){ .reason = reason };
}

const struct hd_module hd_module_load_store = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "load_store",
	.doc = "load/store unit: shared memory, L1D and accesses around it",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.fini = fini,
	.marks = marks,
	.reasons = reasons,
	.stall_cause = stall_cause,
};
