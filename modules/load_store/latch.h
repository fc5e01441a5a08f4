/* latch.h - private to load_store: the dispatch latch, whose accesses are sent
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_MODULES_LOAD_STORE_LATCH_H
#define HEDDLE_MODULES_LOAD_STORE_LATCH_H

#include "held.h"

/* Fills the members common to all requests of an instruction, but for those that never change. */
static inline void start_requests(struct hd_mem_req *r, const struct hd_inst *inst)
{
	static const uint16_t of_space[] = { [HD_SPACE_LOCAL] = HD_MEM_LOCAL, [HD_SPACE_SHARED] = HD_MEM_SHARED,
		                             [HD_SPACE_TEXTURE] = 0 };
	static const uint16_t of_kind[] = { HD_MEM_WRITE, HD_MEM_LOAD, HD_MEM_WRITE | HD_MEM_ATOMIC,
		                            HD_MEM_LOAD | HD_MEM_ATOMIC };
	uint32_t kind = (inst->flags & HD_INST_LOAD) + (inst->flags & HD_INST_ATOMIC) / (HD_INST_ATOMIC / 2);

	r->flags = (uint16_t)(of_space[inst->space] | of_kind[kind]
	                      | (inst->flags & HD_INST_COPY) * (HD_MEM_COPY / HD_INST_COPY));
	r->dst = inst->dst;
	r->warp = inst->warp;
	r->inst_lanes = inst->nlanes;
	r->uid = (uint32_t)inst->uid;
	r->inst_id = 0;
}

/* Sends the request of the next access. */
static inline void send(struct unit *u, struct hd_mem_req *r)
{
	const struct hd_access *a = &u->access[--u->naccesses];

	*r = u->proto;
	r->addr = a->addr;
	r->bytes = a->bytes;
	if (r->flags & HD_MEM_ATOMIC)
		r->lanes = (uint8_t)hd_bits_count32(a->lanes);
	if (r->flags & HD_MEM_WRITE)
		hd_warp_store_sent(u->warps, r->warp);
}

/* One access that bypasses the L1D. */
static inline void send_around(struct unit *u)
{
	hd_mem_ref ref = hd_pool_next(u->requests);
	struct hd_mem_req r;

	if (!hd_room(&u->request))
		return;
	send(u, &r);
	r.flags |= HD_MEM_BYPASS;
	hd_touch(u->touch, r.addr, r.core, *u->ctx->cycle);
	hd_mem_send(u->ctx, u->requests, &u->request, &r);
	if (HD_UNLIKELY(u->kept != NULL))
		held_bypass(u->held, &r, ref);
	u->bypassed++;
}

static inline uint32_t bank_of(const struct unit *u, uint64_t addr)
{
	return (uint32_t)(addr >> u->bank_shift ^ (addr >> u->bank_hash_shift & u->bank_mix))
	       & u->bank_mask;
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
		struct hd_mem_req *r;

		hd_touch(u->touch, a->addr, u->proto.core, *u->ctx->cycle);
		if (((sent | b->full) & bit) && ((sent & bit) || !banks_make_room(b, u->l1d_banks))) {
			u->bank_conflicts++;
			if (u->touch == NULL) /* else each attempt counts as use of the address */
				u->taken = bit & ~sent;
			break;
		}
		sent |= bit;
		r = bank_insert(b, bank);
		memcpy(r, &u->proto, sizeof *r);
		r->addr = a->addr;
		r->bytes = a->bytes;
		if (HD_UNLIKELY(r->flags & HD_MEM_ATOMIC))
			r->lanes = (uint8_t)hd_bits_count32(a->lanes);
	} while (--n > least);
	if (HD_LIKELY(sent != 0))
		banks_inserted(b, sent, u->tick);
	if (u->proto.flags & HD_MEM_WRITE)
		hd_warp_stores_sent(u->warps, u->proto.warp, u->naccesses - n);
	u->naccesses = n;
}

/* For dumps: the transaction of the latched load goes on without its record. */
static inline void keep_load(struct unit *u, const struct hd_inst *inst, unsigned mark)
{
	uint32_t transaction;

	if (!inst->dst)
		return;
	transaction = hd_transaction_keep(u->pool, u->latch);
	u->kept[inst->warp * REGS + inst->dst] = transaction;
	hd_transaction_mark(u->ctx, u->pool, transaction, mark, 0);
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
			if (HD_UNLIKELY(u->kept != NULL))
				keep_load(u, inst, MARK_SHARED);
			clear_latch(u, inst, false); /* it leaves the pipeline at its end */
		}
		return;
	}
	if (!inst->dst || u->pending[inst->dst][inst->warp] == 0) {
		hd_warps_complete(u->warps, inst->nlanes);
		if (inst->dst)
			hd_scoreboard_release(u->scoreboard, inst->warp, inst->dst, true);
	} else if (HD_UNLIKELY(u->kept != NULL)) {
		keep_load(u, inst, MARK_MEMORY);
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
	if (u->conflict_cycles && --u->conflict_cycles)
		return;
	if (u->naccesses) {
		if (u->around)
			send_around(u);
		else
			send_to_l1d(u);
		if (u->naccesses)
			return;
	}
	if (inst->flags & HD_INST_LOAD) {
		finish_load(u, inst);
	} else { /* stores and fences; a trace may claim that they write a register */
		hd_warps_complete(u->warps, inst->nlanes);
		if (inst->dst)
			hd_scoreboard_release(u->scoreboard, inst->warp, inst->dst, true);
		if (inst->mask && (inst->flags & HD_INST_STORE) && inst->space == HD_SPACE_GLOBAL)
			hd_warp_stored(u->warps, inst->warp);
		clear_latch(u, inst, true);
	}
}

/* Do its accesses bypass the L1D? */
static inline bool around(const struct unit *u, const struct hd_inst *inst)
{
	return !u->l1d || (inst->flags & HD_INST_BYPASS)
	       || (u->bypass_global && inst->space == HD_SPACE_GLOBAL);
}

/* Lanes of an atomic without an access, such as those at address 0, get no response that could end
 * the wait of the warp for them. */
static inline void answer_idle_lanes(struct unit *u, const struct hd_inst *inst)
{
	uint32_t idle = inst->mask;

	for (uint32_t i = 0; i < u->naccesses; i++)
		idle &= ~u->access[i].lanes;
	if (idle)
		hd_warp_atomics_done(u->warps, inst->warp, hd_bits_count32(idle));
}

/* The slot whose instruction comes next after the last one: of the schedulers that have one, in turn. */
static inline unsigned in_turn(const struct unit *u, uint64_t slots)
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
	return best;
}

/* LS3, LS4.  The reference makes the accesses at issue, which makes no difference until here. */
static inline void latch_accept(struct unit *u, uint64_t slots)
{
	unsigned slot = u->in_turn ? in_turn(u, slots) : hd_inst_oldest(u->pool, &u->in, slots);
	struct hd_inst *inst;

	u->latch = hd_inst_in(&u->in, slot);
	inst = hd_inst(u->pool, u->latch);
	u->turn = (uint8_t)(inst->sched + 1);
	hd_slot_take(&u->in, slot);
	u->accepted++;
	u->conflict_cycles = 0;
	u->naccesses = 0;
	start_requests(&u->proto, inst);
	u->proto.core = (uint16_t)u->warps->sm;
	u->around = around(u, inst);
	if (inst->mask && (inst->flags & (HD_INST_LOAD | HD_INST_STORE))) {
		if (inst->space == HD_SPACE_SHARED)
			u->conflict_cycles = u->banks->conflicts(u->banks->self, inst);
		else if (inst->space == HD_SPACE_GLOBAL || inst->space == HD_SPACE_LOCAL)
			u->naccesses = u->coalescer->coalesce(u->coalescer->self, inst, u->access);
	}
	if (HD_UNLIKELY(inst->flags & HD_INST_ATOMIC) && inst->space != HD_SPACE_SHARED)
		answer_idle_lanes(u, inst);
	if ((inst->flags & HD_INST_LOAD) && inst->space != HD_SPACE_SHARED && inst->dst)
		u->pending[inst->dst][inst->warp] =
			(uint16_t)(u->pending[inst->dst][inst->warp] + u->naccesses);
	if ((inst->flags & HD_INST_COPY) && u->copy)
		u->proto.inst_id = u->copy->accepted(u->copy->self, inst, u->naccesses);
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

#endif
