/* load_store.c - load/store unit: shared memory, L1D and bypassing accesses of one SM
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Load/store unit, has the rules LS1 to LS20.  The unit has one
 * dispatch latch; a pipeline of constant length for shared memory, and one for each L1D bank in front
 * of the cache (load_store/queue.h); one writeback latch that five clients fill in turn.
 */
#include "load_store/held.h"
#include "load_store/queue.h"

#include <heddle/ahead.h>
#include <heddle/gpu/access.h>
#include <heddle/gpu/cache.h>
#include <heddle/gpu/map.h>
#include <heddle/gpu/matrix.h>
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/sync.h>

#define MOST_SENT 2u /* requests in a cycle: a miss, and an access that bypasses the L1D */
#define REGS (HD_REG_WORDS * 64u)
#define MAX_TAGS 16u
#define TAG_DIGITS 4u /* of the number of a bank of tags, in bits */
#define LINE_SECTORS 4u

enum { PORT_IN, PORT_REQUEST };

struct unit {
	struct hd_ctx *ctx;
	struct hd_end in, request, response;
	struct hd_warps *warps;
	struct hd_scoreboard *scoreboard;
	struct hd_ifs regfile;
	const struct hd_cache_if *l1d;
	const uint32_t *l1d_queued, *l1d_filled; /* of it, or 0 where it is not linked */
	const struct hd_coalescer_if *coalescer;
	const struct hd_banks_if *banks;
	const struct hd_banks_if *l1d_data; /* of the L1D's data, or NULL: accesses go by bank */
	const struct hd_copy_if *copy;
	const struct hd_touch_if *touch;
	const struct hd_smem_port_if *smem_port; /* or NULL: no other unit uses shared memory, */
	const struct hd_smem_port_if *copy_port; /* the same of what copies write to it, */
	const struct hd_smem_port_if *l1d_port;  /* and of the L1D */
	bool watched;             /* accesses concern .touch, .held, .copy_port or .l1d_port, or several kernels */
	bool ports;               /* several sectors come in a cycle, or copies or fills take a port */
	struct hd_pool *pool, *requests;
	struct banks l1d_queue;   /* in front of the L1D, by bank */
	uint32_t cycles_per_edge, shared_latency, l1d_latency, l1d_banks, l1d_interleave, l1d_port_width;
	uint32_t shared_visible;  /* cycles until others see a store to shared memory */
	uint32_t fill_cycles;     /* for which a fill takes the fill port of the L1D */
	bool fill_waits;          /* that is not 0, or .l1d_port is not NULL */
	uint32_t l1d_bank_index, bank_shift, bank_hash_shift, bank_mask;
	uint64_t bank_mix; /* address bits that are mixed in */
	uint32_t l1d_tags, tag_bits, sectors;
	struct hd_list l1d_tag_hash;
	uint64_t tag_mask[TAG_DIGITS]; /* bits of a line's number whose parity is that bit of the number of its bank */
	bool bypass_global;

	uint32_t interval;
	bool in_turn;
	uint8_t turn;             /* scheduler that is the next to be taken from */
	uint64_t tick;            /* index of the present cycle */
	uint64_t next_accept;     /* first one in which another instruction may be taken, */
	uint64_t fill_from;       /* and in which the fill port of the L1D is free */
	uint64_t accepted, busy, bank_conflicts, l1d_accesses, bypassed, completed_twice, missed;
	uint16_t pending[REGS][HD_MAX_WARPS]; /* accesses of loads to the register, one of shared
	                                          * memory each */
	struct held *held;        /* for dumps: where loads are; or NULL */

	/* The dispatch latch. */
	hd_inst_ref latch;        /* 0: free */
	uint32_t conflict_cycles; /* left for the shared-memory banks of the latched instruction */
	uint32_t naccesses;       /* left; taken from the back, the highest address first */
	uint32_t hold, lookups;   /* LS19: cycles until the first of them goes, and those in which they go; */
	uint32_t nlines;          /* lines that they are in */
	bool around;              /* its accesses bypass the L1D */
	struct hd_mem_req proto;  /* members common to all its requests */
	struct hd_access access[HD_MAX_ACCESSES];
	uint64_t taken;           /* as a set: the bank that the next access found full, with as many entries as it has
	                           * stages; 0: none */

	/* Pipelines of constant length. */
	struct queue shared;

	/* The writeback latch. */
	bool writing;             /* wb is valid */
	uint32_t has_global;      /* 1: global is valid */
	struct hd_mem_req wb;
	struct hd_mem_req global; /* reply of a bypassing load that waits for wb */
	uint32_t next_client;     /* that is served first */
};

/* For dumps: marks of loads and of their requests, and why the unit takes no instruction. */
enum { MARK_SHARED, MARK_MEMORY, MARK_MISS };
enum { REASON_LATCH, REASON_CONFLICT, REASON_SHARED, REASON_ACCESSES, REASON_BANK };

/* ---- completed accesses and the writeback latch ---- */

/* Clients of the writeback latch, in the order of their numbers. */
enum client { SHARED, TEXTURE, CONSTANT, GLOBAL, L1D, CLIENTS };

static __attribute__((noinline)) void watched_done(struct unit *u, const struct hd_mem_req *r)
{
	hd_for_part(u->warps->ctx, u->warps->kernel[r->warp]);
	if (u->held)
		hd__held_done(u->held, u->pool, r->warp, r->dst);
}

static inline __attribute__((always_inline)) void load_done(struct unit *u, const struct hd_mem_req *r)
{
	hd_scoreboard_loaded(u->scoreboard, r->warp, r->dst, r->uid);
	if (HD_UNLIKELY(u->watched))
		watched_done(u, r);
	hd_warps_complete_all(u->warps, r->inst_lanes);
}

/* LS21: takes a cycle of a port that others use as well.  Without one it is free. */
static bool port_taken(const struct hd_smem_port_if *port, enum hd_smem_client client)
{
	return port && !port->take(port->self, client);
}

/* LS15: the writeback latch, if its bank has a write port left.  LS20: where several sectors come in a cycle, a load is
 * written when it has all. */
static inline __attribute__((always_inline)) void write_back(struct unit *u, bool ports)
{
	const struct hd_mem_req *r = &u->wb;
	bool several = ports && u->sectors > 1;

	if (ports && (r->flags & HD_MEM_COPY) && port_taken(u->copy_port, HD_SMEM_BULK))
		return;
	if (r->dst && (!several || (r->flags & HD_MEM_SHARED) || u->pending[r->dst][r->warp] == 1)
	    && !hd_regfile_write(&u->regfile, r->warp, r->dst))
		return;
	if (r->dst && --u->pending[r->dst][r->warp] == 0)
		load_done(u, r);
	else if (r->dst && (r->flags & HD_MEM_SHARED))
		hd_warps_complete(u->warps, r->warp, r->inst_lanes);
	if ((r->flags & HD_MEM_COPY) && u->copy
	    && u->copy->answered(u->copy->self, r->warp, r->inst_id)) {
		hd_warps_complete(u->warps, r->warp, r->inst_lanes); /* a second time: docs/sm.md, X5 */
		hd_for_part(u->ctx, u->warps->kernel[r->warp]);
		u->completed_twice++;
	}
	u->writing = false;
}

/* Takes the request of a client, usually into the latch. */
static inline void serve(struct unit *u, uint32_t client)
{
	struct hd_mem_req *wb = &u->wb;

	u->writing = true;
	if (client == SHARED) {
		*wb = *queue_last_stage(&u->shared, u->tick);
		queue_leave(&u->shared);
		if (wb->flags & HD_MEM_ATOMIC)
			hd_warp_atomics_done(u->warps, wb->warp, wb->inst_lanes);
		hd_warp_left_pipeline(u->warps, wb->warp);
	} else if (client == GLOBAL) {
		*wb = u->global;
		u->has_global = 0;
		if (wb->flags & HD_MEM_ATOMIC)
			hd_warp_atomics_done(u->warps, wb->warp, wb->lanes);
	} else {
		*wb = *u->l1d->taken(u->l1d->self);
		/* A read that a store miss sent is not written to a register: the client counts
		 * as served, and the latch stays free for the others. */
		if (wb->flags & HD_MEM_ALLOC) {
			u->writing = false;
			if (wb->flags & HD_MEM_WRITE)
				hd_warp_store_done(u->warps, wb->warp);
		}
	}
}

static inline void serve_turn(struct unit *u, uint32_t client)
{
	serve(u, client);
	u->next_client = client + 1 == CLIENTS ? 0 : client + 1;
}

/* LS16: the first client with a request, starting after the last one served.  Textures and
 * constants have none. */
static inline __attribute__((always_inline)) void fill_writeback(struct unit *u)
{
	bool shared = queue_last_stage(&u->shared, u->tick) != NULL, l1d = *u->l1d_filled != 0;
	uint64_t have;

	if (HD_LIKELY(!u->has_global && shared != l1d)) { /* one alone is the next in any case */
		if (shared)
			serve_turn(u, SHARED);
		else
			serve_turn(u, L1D);
		return;
	}
	have = (uint64_t)u->has_global << GLOBAL | (uint64_t)shared << SHARED | (uint64_t)l1d << L1D;
	while (have && !u->writing) {
		uint64_t then = have & UINT64_MAX << u->next_client;
		uint32_t client = hd_bits_first(then ? then : have);

		have &= ~hd_bit(client);
		serve_turn(u, client);
	}
}

/* ---- the L1D and responses of memory ---- */

/* Has the L1D no port for a fill in this cycle? */
static bool fill_waits(struct unit *u)
{
	if (u->tick < u->fill_from || port_taken(u->l1d_port, HD_SMEM_LOAD_STORE))
		return true;
	u->fill_from = u->tick + u->fill_cycles;
	return false;
}

/* LS14 */
static inline __attribute__((always_inline)) void take_response(struct unit *u, hd_mem_ref ref, bool ports)
{
	const struct hd_mem_req *r = &hd_mem(u->requests, ref)->line.req;

	if (r->flags & HD_MEM_WRITE) {
		if (!(r->flags & HD_MEM_SILENT))
			hd_warp_store_done(u->warps, r->warp);
	} else if (r->flags & HD_MEM_BYPASS) {
		if (u->has_global)
			return;
		u->global = *r;
		u->has_global = 1;
		if (HD_UNLIKELY(u->held != NULL))
			hd__held_back(u->held, ref);
	} else if (HD_LIKELY(u->l1d != NULL)) {
		if (ports && u->fill_waits && fill_waits(u))
			return;
		if (HD_UNLIKELY(u->held != NULL))
			hd__held_filled(u->held, r->addr);
		u->l1d->fill(u->l1d->self, r);
	} else {
		hd_fail(u->ctx, "a response arrived for an L1D, but none is linked");
	}
	hd_take(&u->response);
	hd_release(u->requests, ref);
}

static __attribute__((noinline)) void send_miss_held(struct unit *u)
{
	hd_mem_ref ref = hd_pool_next(u->requests);

	hd__held_sends(u->held, MARK_MISS);
	hd_mem_send_on(u->ctx, u->requests, &u->request, u->l1d->sent(u->l1d->self));
	hd__held_sent(u->held, ref);
}

/* LS1, step 3 */
static inline void send_miss(struct unit *u)
{
	if (!hd_room(&u->request))
		return;
	u->missed++;
	if (HD_UNLIKELY(u->held != NULL))
		send_miss_held(u);
	else
		hd_mem_send_on(u->ctx, u->requests, &u->request, u->l1d->sent(u->l1d->self));
}

/* A store that the cache has completed, and that neither memory nor a fill will answer, is done
 * now. */
static inline void answer_store(struct unit *u, const struct hd_mem_req *r, unsigned events)
{
	if (!(events & (HD_CACHE_WRITE_SENT | HD_CACHE_ALLOC_SENT)))
		hd_warp_store_done(u->warps, r->warp);
}

/* LS12, but for the access itself: what the cache has taken. */
static inline __attribute__((always_inline)) void accessed(struct unit *u, const struct hd_mem_req *r,
                                                           enum hd_cache_status status, unsigned events)
{
	if (r->flags & HD_MEM_WRITE) {
		answer_store(u, r, events);
	} else if (status == HD_CACHE_HIT) {
		if (r->dst && --u->pending[r->dst][r->warp] == 0) /* needs no write port */
			load_done(u, r);
		if ((r->flags & HD_MEM_COPY) && u->copy)
			u->copy->answered(u->copy->self, r->warp, r->inst_id);
	}
}

/* LS21: what copies find in the L1D in a cycle is written to shared memory together.  The port is asked once, unless it
 * is that of the L1D, of which this cycle is taken. */
enum turn { TURN_UNKNOWN, TURN_HAS, TURN_WAITS };

static bool copy_waits(const struct unit *u, const struct hd_mem_req *r, enum turn *turn)
{
	uint32_t record;

	if (!u->copy_port || !(r->flags & HD_MEM_COPY)
	    || u->l1d->probe(u->l1d->self, r->addr, &record) != HD_CACHE_HAS)
		return false;
	if (*turn == TURN_UNKNOWN)
		*turn = u->copy_port != u->l1d_port && port_taken(u->copy_port, HD_SMEM_BULK) ? TURN_WAITS : TURN_HAS;
	return *turn == TURN_WAITS;
}

/* LS11: the last stage of each bank's queue.  What is refused has to be tried again.  Watched: an address map gets
 * each line that is written back, as it depends on what is used, the unit may be observed, or kernels overlap. */
static inline __attribute__((always_inline)) void access_due(struct unit *u, bool watched)
{
	const struct hd_cache_if *l1d = u->l1d;
	struct banks *b = &u->l1d_queue;
	enum turn turn = TURN_UNKNOWN;
	uint64_t left = 0;

	for (uint64_t m = b->due; m;) {
		uint32_t bank = hd_bits_pop(&m);
		const struct hd_mem_req *r = bank_first(b, bank);
		uint64_t write_backs = watched ? *l1d->write_backs : 0;
		enum hd_cache_status status;
		unsigned events;

		if (watched) {
			hd_for_part(u->ctx, u->warps->kernel[r->warp]);
			hd_for_part(l1d->ctx, u->warps->kernel[r->warp]);
		}
		if (watched && copy_waits(u, r, &turn))
			continue;
		u->l1d_accesses++;
		status = l1d->access(l1d->self, r, &events);
		if (status == HD_CACHE_FAIL)
			continue;
		if (watched && *l1d->write_backs != write_backs)
			hd_touch(u->touch, *l1d->written_back, r->core, *u->ctx->cycle);
		if (watched && u->held)
			hd__held_accessed(u->held, r, status);
		accessed(u, r, status, events);
		b->v[bank].head = bank_after(b, b->v[bank].head);
		left |= hd_bit(bank);
	}
	banks_left(b, left);
}

static __attribute__((noinline)) void access_watched(struct unit *u)
{
	if (!port_taken(u->l1d_port, HD_SMEM_LOAD_STORE))
		access_due(u, true);
}

static inline void access_l1d(struct unit *u)
{
	if (HD_UNLIKELY(u->watched))
		access_watched(u);
	else
		access_due(u, false);
}

/* ---- the dispatch latch ---- */

/* Fills the members common to all requests of an instruction, but for those that never change. */
static inline void start_requests(struct hd_mem_req *r, const struct hd_inst *inst)
{
	static const uint16_t of_space[] = { [HD_SPACE_LOCAL] = HD_MEM_LOCAL, [HD_SPACE_SHARED] = HD_MEM_SHARED,
		                             [HD_SPACE_TEXTURE] = 0 };
	enum { KIND = HD_INST_LOAD | HD_INST_ATOMIC | HD_INST_COPY };
	static const uint16_t of_kind[KIND + 1] = { [0] = HD_MEM_WRITE, [HD_INST_LOAD] = HD_MEM_LOAD,
		[HD_INST_ATOMIC] = HD_MEM_WRITE | HD_MEM_ATOMIC,
		[HD_INST_LOAD | HD_INST_ATOMIC] = HD_MEM_LOAD | HD_MEM_ATOMIC,
		[HD_INST_LOAD | HD_INST_COPY] = HD_MEM_LOAD | HD_MEM_COPY };

	r->flags = of_space[inst->space] | of_kind[inst->flags & KIND];
	r->dst = inst->dst;
	r->warp = inst->warp;
	r->inst_lanes = inst->nlanes;
	r->uid = (uint32_t)inst->uid;
	r->kernel = inst->kernel;
	r->pc = inst->pc;
	r->inst_id = 0;
}

/* The request of an access. */
static inline void fill_request(const struct unit *u, const struct hd_access *a, struct hd_mem_req *r)
{
	memcpy(r, &u->proto, sizeof *r);
	r->addr = a->addr;
	r->bytes = a->bytes;
	r->beyond = (uint8_t)a->beyond;
	if (HD_UNLIKELY(r->flags & HD_MEM_ATOMIC))
		r->lanes = (uint8_t)hd_bits_count32(a->lanes);
}

/* One access that bypasses the L1D. */
static inline void send_around(struct unit *u)
{
	hd_mem_ref ref = hd_pool_next(u->requests);
	struct hd_mem_req r;

	if (!hd_room(&u->request))
		return;
	fill_request(u, &u->access[--u->naccesses], &r);
	if (r.flags & HD_MEM_WRITE)
		hd_warp_store_sent(u->warps, r.warp);
	r.flags |= HD_MEM_BYPASS;
	hd_touch(u->touch, r.addr, r.core, *u->ctx->cycle);
	hd_mem_send(u->ctx, u->requests, &u->request, &r);
	if (HD_UNLIKELY(u->held != NULL))
		hd__held_bypass(u->held, ref);
	hd_for_part(u->ctx, u->warps->kernel[r.warp]);
	u->bypassed++;
}

static inline uint32_t bank_of(const struct unit *u, uint64_t addr)
{
	return (uint32_t)(addr >> u->bank_shift ^ (addr >> u->bank_hash_shift & u->bank_mix))
	       & u->bank_mask;
}

/* Accesses have gone into the queues of these banks; so many are left. */
static inline void sent_to_banks(struct unit *u, uint64_t banks, uint32_t left)
{
	if (HD_LIKELY(banks != 0))
		banks_inserted(&u->l1d_queue, banks, u->tick);
	if (u->proto.flags & HD_MEM_WRITE)
		hd_warp_stores_sent(u->warps, u->proto.warp, u->naccesses - left);
	u->naccesses = left;
}

/* Accesses into the L1D banks' queues, until one finds its bank taken, which counts as use of the
 * address. */
static inline void send_to_l1d(struct unit *u)
{
	struct banks *b = &u->l1d_queue;
	uint32_t n = u->naccesses, least = n > u->l1d_banks ? n - u->l1d_banks : 0;
	uint64_t sent = 0;

	u->taken = 0;
	do {
		const struct hd_access *a = &u->access[n - 1];
		uint32_t bank = bank_of(u, a->addr);
		uint64_t bit = hd_bit(bank);

		hd_touch(u->touch, a->addr, u->proto.core, *u->ctx->cycle);
		if (((sent | b->full) & bit) && ((sent & bit) || !banks_make_room(b, u->l1d_banks))) {
			u->bank_conflicts++;
			if (u->touch == NULL) /* else each attempt counts as use of the address */
				u->taken = bit & ~sent;
			break;
		}
		sent |= bit;
		fill_request(u, a, bank_insert(b, bank));
	} while (--n > least);
	sent_to_banks(u, sent, n);
}

#define LINE_BITS 7u

static inline uint32_t tag_bank(const struct unit *u, uint64_t line)
{
	uint32_t bank = 0;

	for (uint32_t i = 0; i < u->tag_bits; i++)
		bank |= (uint32_t)__builtin_parityll(line & u->tag_mask[i]) << i;
	return bank;
}

/* What each bit of a line's number flips in that of its bank: .l1d_tag_hash, and above it one bit after the other. */
static int set_tag_masks(struct unit *u)
{
	u->tag_bits = hd_bits_first(u->l1d_tags);
	for (uint32_t i = 0; i < 64u - LINE_BITS && u->tag_bits; i++) {
		uint32_t flips = i < u->l1d_tag_hash.n ? u->l1d_tag_hash.v[i] : 1u << i % u->tag_bits;

		if (flips >= u->l1d_tags)
			return hd_error(u->ctx, "'l1d_tag_hash' has %u; expected numbers below 'l1d_tags', which is %u",
			                flips, u->l1d_tags);
		for (; flips; flips &= flips - 1)
			u->tag_mask[hd_bits_first(flips)] |= hd_bit(i);
	}
	return 0;
}

/* LS19: how long the instruction occupies the L1D. */
static inline void plan_lines(struct unit *u, const struct hd_inst *inst)
{
	uint64_t last = UINT64_MAX;
	uint8_t used[MAX_TAGS] = { 0 };
	uint32_t data = 1;

	u->lookups = u->nlines = 0;
	for (uint32_t i = 0; i < u->naccesses; i++) {
		uint64_t line = u->access[i].addr >> LINE_BITS;
		uint32_t n;

		if (line == last)
			continue;
		last = line;
		u->nlines++;
		n = ++used[tag_bank(u, line)];
		if (n > u->lookups)
			u->lookups = n;
	}
	if (inst->space == HD_SPACE_GLOBAL)
		data = u->l1d_data->conflicts(u->l1d_data->self, u->latch, inst);
	else if (inst->width > 4)
		data = inst->width / 4u;
	u->hold = data > u->lookups ? data - u->lookups : 0;
}

/* LS19: the accesses of some lines, so that those left are as many in each cycle to come. */
static inline void send_lines(struct unit *u)
{
	struct banks *b = &u->l1d_queue;
	uint32_t n = u->naccesses, bank = 0, most;
	uint64_t sent = 0, line = u->access[n - 1].addr >> LINE_BITS;

	if (u->hold) {
		u->hold--;
		return;
	}
	most = u->lookups > 1 ? (u->nlines + u->lookups - 1) / u->lookups : u->nlines;
	for (; n; n--) {
		const struct hd_access *a = &u->access[n - 1];

		if (a->addr >> LINE_BITS != line) {
			u->nlines--;
			if (--most == 0)
				break;
			line = a->addr >> LINE_BITS;
		}
		hd_touch(u->touch, a->addr, u->proto.core, *u->ctx->cycle);
		if (bank == u->l1d_banks || (hd_bits_has(b->full, bank) && !banks_make_room(b, u->l1d_banks))) {
			u->bank_conflicts++;
			break;
		}
		sent |= hd_bit(bank);
		fill_request(u, a, bank_insert(b, bank++));
	}
	sent_to_banks(u, sent, n);
	if (u->lookups > 1)
		u->lookups--;
}

/* Releases the latched instruction, which is done here. */
static inline void clear_latch(struct unit *u, const struct hd_inst *inst, bool left)
{
	if (left)
		hd_warp_left_pipeline(u->warps, inst->warp);
	hd_release(u->pool, u->latch);
	u->latch = 0;
}

static inline void finish_load(struct unit *u, const struct hd_inst *inst)
{
	if (inst->space == HD_SPACE_SHARED) {
		if (queue_has_room(&u->shared, u->tick)) {
			*queue_insert(&u->shared, u->tick) = u->proto;
			if (HD_UNLIKELY(u->held != NULL))
				hd__held_keep(u->held, u->pool, u->latch, MARK_SHARED);
			clear_latch(u, inst, false); /* it leaves the pipeline at its end */
		}
		return;
	}
	if (!inst->dst || u->pending[inst->dst][inst->warp] == 0) {
		hd_warps_complete(u->warps, inst->warp, inst->nlanes);
		if (inst->dst)
			hd_scoreboard_complete(u->scoreboard, inst);
	} else if (HD_UNLIKELY(u->held != NULL)) {
		hd__held_keep(u->held, u->pool, u->latch, MARK_MEMORY);
	}
	clear_latch(u, inst, true);
}

/* LS5, LS9 */
static inline void latch_work(struct unit *u)
{
	const struct hd_inst *inst = hd_inst(u->pool, u->latch);

	if (u->taken & u->l1d_queue.full) {
		u->bank_conflicts++;
		return;
	}
	if (HD_UNLIKELY(u->smem_port != NULL) && u->conflict_cycles && port_taken(u->smem_port, HD_SMEM_LOAD_STORE))
		return;
	if (u->conflict_cycles && --u->conflict_cycles)
		return;
	if (u->naccesses) {
		if (u->around)
			send_around(u);
		else if (u->l1d_data)
			send_lines(u);
		else
			send_to_l1d(u);
		if (u->naccesses)
			return;
	}
	if (inst->flags & HD_INST_LOAD) {
		finish_load(u, inst);
	} else { /* stores and fences; a trace may claim that they write a register */
		hd_warps_complete(u->warps, inst->warp, inst->nlanes);
		if (inst->dst)
			hd_scoreboard_complete(u->scoreboard, inst);
		if (inst->flags & HD_INST_FENCE)
			hd_warp_fence_passed(u->warps, inst->warp);
		else if (inst->mask && (inst->flags & HD_INST_STORE) && inst->space == HD_SPACE_GLOBAL)
			hd_warp_stored(u->warps, inst->warp);
		else if (inst->mask && inst->space == HD_SPACE_SHARED)
			hd_warp_shared_stored(u->warps, inst->warp, u->shared_visible);
		clear_latch(u, inst, true);
	}
}

/* Do its accesses bypass the L1D? */
static inline bool around(const struct unit *u, const struct hd_inst *inst)
{
	return !u->l1d || (inst->flags & HD_INST_BYPASS)
	       || (u->bypass_global && inst->space == HD_SPACE_GLOBAL);
}

/* Lanes of an atomic without an access, as the trace has no addresses, get no response that could end the wait of
 * the warp for them. */
static inline void answer_idle_lanes(struct unit *u, const struct hd_inst *inst)
{
	uint32_t idle = inst->mask;

	for (uint32_t i = 0; i < u->naccesses; i++)
		idle &= ~u->access[i].lanes;
	if (idle)
		hd_warp_atomics_done(u->warps, inst->warp, hd_bits_count32(idle));
}

/* The slot whose instruction comes next after the last one: of the schedulers that have one, in turn. */
static inline unsigned in_turn(struct unit *u, uint64_t slots)
{
	unsigned best = 0, least = UINT8_MAX + 1;

	while (slots) {
		unsigned slot = hd_bits_pop(&slots);
		uint8_t after = (uint8_t)(hd_inst(u->pool, hd_inst_in(&u->in, slot))->sched - u->turn);

		if (after < least) {
			least = after;
			best = slot;
		}
	}
	u->turn = (uint8_t)(u->turn + least + 1);
	return best;
}

/* Accesses of a global or local instruction. */
static inline uint32_t coalesced(struct unit *u, const struct hd_inst *inst)
{
	uint32_t n = u->coalescer->coalesce(u->coalescer->self, u->latch, inst, u->access);

	if (HD_LIKELY(n <= HD_MAX_ACCESSES))
		return n;
	hd_wrong(u->ctx, u->coalescer, "returned %u accesses from coalesce(); expected at most %u", n,
	         HD_MAX_ACCESSES);
	return 0;
}

/* LS3, LS4.  The reference makes the accesses at issue, which makes no difference until here. */
static inline void latch_accept(struct unit *u, uint64_t slots)
{
	unsigned slot = u->in_turn ? in_turn(u, slots) : hd_inst_oldest(u->pool, &u->in, slots);
	struct hd_inst *inst;

	u->latch = hd_inst_in(&u->in, slot);
	inst = hd_inst(u->pool, u->latch);
	hd_slot_take(&u->in, slot);
	hd_for_part(u->ctx, inst->kernel);
	u->accepted++; /* .conflict_cycles and .naccesses are 0, as an instruction leaves with neither */
	start_requests(&u->proto, inst);
	u->proto.core = (uint16_t)u->warps->sm;
	u->around = around(u, inst);
	if (inst->mask && (inst->flags & (HD_INST_LOAD | HD_INST_STORE))) {
		if (inst->space == HD_SPACE_SHARED)
			u->conflict_cycles = u->banks->conflicts(u->banks->self, u->latch, inst);
		else if (inst->space == HD_SPACE_GLOBAL || inst->space == HD_SPACE_LOCAL)
			u->naccesses = coalesced(u, inst);
	}
	if (u->l1d_data && u->naccesses && !u->around)
		plan_lines(u, inst);
	if (HD_UNLIKELY(inst->flags & HD_INST_ATOMIC) && inst->space != HD_SPACE_SHARED)
		answer_idle_lanes(u, inst);
	if ((inst->flags & HD_INST_LOAD) && inst->dst)
		u->pending[inst->dst][inst->warp] = (uint16_t)(u->pending[inst->dst][inst->warp]
			+ (inst->space == HD_SPACE_SHARED ? 1 : u->naccesses));
	if ((inst->flags & HD_INST_COPY) && u->copy)
		u->proto.inst_id = u->copy->accepted(u->copy->self, u->latch, inst, u->naccesses);
}

/* An instruction that leaves in the next cycle is not a reason of its own: the unit takes one a
 * cycle. */
static inline struct hd_answer latch_stall_cause(const struct unit *u)
{
	uint32_t reason = REASON_LATCH, cycles = u->cycles_per_edge;
	bool holds = true;

	if (u->latch && u->conflict_cycles) {
		if (u->conflict_cycles > cycles)
			reason = REASON_CONFLICT;
	} else if (u->latch && u->naccesses && u->around) {
		if (!hd_room(&u->request))
			return (struct hd_answer){ .behind = &u->request };
		holds = hd_writers(&u->request) == 1; /* else another may fill the room */
		if (u->naccesses > cycles)
			reason = REASON_ACCESSES;
	} else if (u->latch && u->naccesses && u->l1d_data) {
		if (!u->hold && bank_count(&u->l1d_queue, 0) == u->l1d_queue.length)
			reason = REASON_BANK;
		else if (u->hold + u->lookups > cycles)
			reason = REASON_ACCESSES;
	} else if (u->latch && u->naccesses) {
		const struct banks *b = &u->l1d_queue;

		if (bank_count(b, bank_of(u, u->access[u->naccesses - 1].addr)) == b->length)
			reason = REASON_BANK;
		else if (u->naccesses > cycles * u->l1d_banks)
			reason = REASON_ACCESSES;
	} else if (u->latch && hd_inst(u->pool, u->latch)->space == HD_SPACE_SHARED
	           && u->shared.count == u->shared.length) {
		reason = REASON_SHARED;
	}
	return (struct hd_answer){ .reason = reason, .holds = holds };
}

/* ---- a cycle ---- */

#define SHORTEST 8u /* ring of a bank */

enum { BANK_LINEAR, BANK_XOR };

/* A response, and a result.  ports: as in the state. */
static inline __attribute__((always_inline)) void serve_memory(struct unit *u, bool ports)
{
	hd_mem_ref response;

	if (u->writing)
		write_back(u, ports);
	if (!u->writing && (u->shared.count | u->has_global | *u->l1d_filled))
		fill_writeback(u);
	response = hd_mem_front(&u->response);
	if (response)
		take_response(u, response, ports);
	if (*u->l1d_queued)
		send_miss(u);
}

static __attribute__((noinline)) void serve_ports(struct unit *u)
{
	for (uint32_t i = 0; i < u->sectors; i++)
		serve_memory(u, true);
}

/* LS1 */
static void cycle(struct unit *u)
{
	if (HD_UNLIKELY(u->ports))
		serve_ports(u);
	else
		serve_memory(u, false);
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
	if (!hd_is_power_of_two(u->l1d_tags))
		return hd_error(ctx, "'l1d_tags' is %u; expected a power of two", u->l1d_tags);
	if (u->l1d_data) { /* each access of a cycle has a queue of its own */
		u->l1d_banks = LINE_SECTORS * u->l1d_tags;
		if (set_tag_masks(u))
			return -1;
	}
	if (!hd_is_power_of_two(u->l1d_interleave))
		return hd_error(ctx, "'l1d_interleave' is %u; expected a power of two",
		                u->l1d_interleave);
	hd_puts_at_most(ctx, PORT_REQUEST, (u->sectors + 1) * u->cycles_per_edge);
	u->bank_mask = u->l1d_banks - 1;
	u->bank_shift = hd_bits_first(u->l1d_interleave);
	u->bank_hash_shift = u->bank_shift + hd_bits_first(u->l1d_banks);
	u->bank_mix = u->l1d_bank_index == BANK_XOR ? UINT64_MAX : 0;
	bad = make_queue(ctx, &u->shared, u->shared_latency);
	bad |= make_banks(ctx, &u->l1d_queue, u->l1d_banks, u->l1d_latency);
	return bad ? hd_error(ctx, "out of memory") : 0;
}

static int start(void *state)
{
	static const uint32_t none;
	struct unit *u = state;

	u->proto.size = 32;
	u->l1d_queued = u->l1d ? u->l1d->queued : &none;
	u->l1d_filled = u->l1d ? u->l1d->filled : &none;
	u->fill_cycles = u->l1d ? u->l1d->atom / u->l1d_port_width : 0;
	u->ports = u->sectors > 1 || u->fill_cycles || u->l1d_port || u->copy_port;
	if (u->ctx->observable && !(u->held = hd__held_start(u->ctx, u->l1d, u->scoreboard)))
		return -1;
	u->fill_waits = u->fill_cycles || u->l1d_port;
	u->watched = u->touch || u->held || u->ctx->parts || u->copy_port || u->l1d_port;
	return 0;
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
	hd__held_free(((struct unit *)state)->held);
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
	HD_SAVED(k, u->fill_from);
	HD_SAVED(k, u->pending);
	HD_SAVED_FROM(k, u, latch, access);
	u->taken = 0; /* the next attempt finds it again */
	queue_saved(k, &u->shared);
	banks_saved(k, &u->l1d_queue, u->l1d_banks);
	HD_SAVED_FROM(k, u, writing, next_client);
	hd__held_saved(k, u->held);
}

#define P(f) offsetof(struct unit, f)

/* In the order of BANK_LINEAR, BANK_XOR. */
static const char *const bank_indices[] = { "linear", "xor", NULL };

static const struct hd_param params[] = {
	{ .name = "shared_latency", .unit = "cycles", .doc = "stages of the shared-memory pipeline",
	  .type = HD_U32, .offset = P(shared_latency), .def = "20", .min = 1, .max = 4096 },
	{ .name = "shared_visible", .unit = "cycles", .doc = "from the last cycle of a store to shared memory until "
	  "others see it, for fences that wait for that", .type = HD_U32, .offset = P(shared_visible), .def = "0",
	  .max = 4096 },
	{ .name = "l1d_latency", .unit = "cycles", .doc = "stages in front of the L1D",
	  .type = HD_U32, .offset = P(l1d_latency), .def = "20", .min = 1, .max = 4096 },
	{ .name = "l1d_interleave", .unit = "bytes", .doc = "neighbouring bytes in one bank of "
	  "the L1D, a power of two", .type = HD_U32, .offset = P(l1d_interleave), .def = "32",
	  .min = 32, .max = 65536 },
	{ .name = "l1d_port_width", .unit = "bytes", .doc = "bytes that the fill port of the L1D takes in a cycle",
	  .type = HD_U32, .offset = P(l1d_port_width), .def = "128", .min = 1, .max = 4096 },
	{ .name = "l1d_bank_index", .unit = "", .doc = "bank index from the address; xor mixes in "
	  "the bits above", .type = HD_CHOICE, .offset = P(l1d_bank_index), .def = "\"linear\"",
	  .choices = bank_indices },
	{ .name = "l1d_banks", .unit = "banks", .doc = "banks of the L1D, a power of two; as many "
	  "accesses leave the latch per cycle", .type = HD_U32, .offset = P(l1d_banks),
	  .def = "4", .min = 1, .max = MAX_BANKS },
	{ .name = "l1d_tags", .unit = "lines", .doc = "lines that are looked up in a cycle, one in each bank "
	  "of tags, a power of two; with port 'l1d_data' only, which has no use for the banks above",
	  .type = HD_U32, .offset = P(l1d_tags), .def = "4", .min = 1, .max = MAX_TAGS },
	{ .name = "l1d_tag_hash", .unit = "", .doc = "bank of a line's tag: number i is what bit i of the "
	  "number of the line, if it is 1, flips in that of the bank; bits above the list flip one bit after "
	  "the other, from the lowest on",
	  .type = HD_U32S, .offset = P(l1d_tag_hash), .def = "[]", .max = MAX_TAGS - 1 },
	{ .name = "sectors", .unit = "sectors", .doc = "that go out, come back, and are written to registers in "
	  "a cycle", .type = HD_U32, .offset = P(sectors), .def = "1", .min = 1, .max = 4 },
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
	[PORT_REQUEST] = { .name = "request", .doc = "to memory", .kind = HD_OUT, .type = &hd_type_mem,
	  .most = MOST_SENT, .offset = P(request) },
	{ .name = "response", .doc = "from memory", .kind = HD_IN, .type = &hd_type_mem,
	  .offset = P(response), .users = 1 },
	{ .name = "warps", .doc = "counts stores, atomics, instructions in flight", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = "scoreboard", .doc = "registers of loads are released here", .kind = HD_USES,
	  .type = &hd_type_scoreboard, .offset = P(scoreboard) },
	{ .name = "regfile", .doc = "loaded data are written here, of several in that of the "
	  "warp's sub-core", .kind = HD_USES, .flags = HD_ARRAY, .type = &hd_type_regfile_if,
	  .offset = P(regfile) },
	{ .name = "l1d", .doc = "data cache; open: everything goes to memory", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_cache_if, .offset = P(l1d) },
	{ .name = "coalescer", .doc = "splits global and local accesses", .kind = HD_USES,
	  .type = &hd_type_coalescer_if, .offset = P(coalescer) },
	{ .name = "banks", .doc = "conflicts of shared memory", .kind = HD_USES,
	  .type = &hd_type_banks_if, .offset = P(banks) },
	{ .name = "l1d_data", .doc = "conflicts of the words of the L1D; open: accesses go by the banks of 'l1d_banks'",
	  .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_banks_if, .offset = P(l1d_data) },
	{ .name = "copy", .doc = "gets asynchronous copies; open: no warp waits", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_copy_if, .offset = P(copy) },
	{ .name = "smem_port", .doc = "port of shared memory that others use as well; open: it is free",
	  .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_smem_port_if, .offset = P(smem_port) },
	{ .name = "copy_port", .doc = "port by which asynchronous copies write to shared memory; open: it is free",
	  .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_smem_port_if, .offset = P(copy_port) },
	{ .name = "l1d_port", .doc = "port of the L1D that others use as well; open: it is free", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_smem_port_if, .offset = P(l1d_port) },
	{ .name = "touch", .doc = "an address map that depends on what is used first; open: none "
	  "does", .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_touch,
	  .offset = P(touch) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "accepted", .unit = "warp instructions", .doc = "instructions accepted",
	  .offset = P(accepted), .part = true },
	{ .name = "busy", .unit = "cycles", .doc = "cycles in which the dispatch latch was taken",
	  .offset = P(busy), .rate = "unit utilisation" },
	{ .name = "bank_conflicts", .unit = "cycles", .doc = "cycles in which an access found its "
	  "L1D bank taken", .offset = P(bank_conflicts) },
	{ .name = "l1d_accesses", .unit = "accesses", .doc = "accesses to the L1D, repeated ones "
	  "included", .offset = P(l1d_accesses), .part = true },
	{ .name = "bypassed", .unit = "accesses", .doc = "accesses that bypass the L1D",
	  .offset = P(bypassed), .part = true },
	{ .name = "completed_twice", .unit = "warp instructions", .doc = "asynchronous copies that missed, "
	  "which the figures of completed instructions count twice", .offset = P(completed_twice), .part = true },
	{ .name = NULL },
};

static uint64_t sent(const void *state)
{
	const struct unit *u = state;

	return u->missed + u->bypassed;
}

static uint64_t shared_cycles_left(const void *state)
{
	const struct unit *u = state;

	return u->latch ? u->conflict_cycles : 0;
}

static const struct hd_activity activity[] = {
	{ .name = "sent", .unit = "packets", .doc = "requests that were put into the network", .now = sent },
	{ .name = "shared_cycles_left", .unit = "cycles", .doc = "those of the present instruction that the banks of "
	  "shared memory have counted and that are to come", .now = shared_cycles_left },
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
	.activity = activity,
};

