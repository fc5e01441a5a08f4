/* answer.h - private to load_store: completed accesses and the writeback latch
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_MODULES_LOAD_STORE_ANSWER_H
#define HEDDLE_MODULES_LOAD_STORE_ANSWER_H

#include "held.h"

/* Clients of the writeback latch, in the order of their numbers. */
enum client { SHARED, TEXTURE, CONSTANT, GLOBAL, L1D, CLIENTS };

/* For dumps: ends the transaction of the load. */
static inline void end_load(struct unit *u, uint32_t warp, uint32_t reg)
{
	uint32_t *transaction = &u->kept[warp * REGS + reg];

	hd_transaction_end(u->pool, *transaction);
	*transaction = 0;
	held_done(u->held, warp, reg);
}

static inline void access_back(struct unit *u, const struct hd_mem_req *r)
{
	if (!r->dst || --u->pending[r->dst][r->warp] > 0)
		return;
	hd_scoreboard_release(u->scoreboard, r->warp, r->dst, false);
	hd_warps_complete(u->warps, r->inst_lanes);
	if (HD_UNLIKELY(u->kept != NULL))
		end_load(u, r->warp, r->dst);
}

/* LS15: the writeback latch, if its bank has a write port left. */
static inline void write_back(struct unit *u)
{
	const struct hd_mem_req *r = &u->wb;

	if (r->dst && !hd_regfile_write(&u->regfile, r->warp, r->dst))
		return;
	if (!(r->flags & HD_MEM_SHARED)) {
		access_back(u, r);
	} else if (r->dst) {
		hd_scoreboard_release(u->scoreboard, r->warp, r->dst, false);
		hd_warps_complete(u->warps, r->inst_lanes);
		if (HD_UNLIKELY(u->kept != NULL))
			end_load(u, r->warp, r->dst);
	}
	if ((r->flags & HD_MEM_COPY) && u->copy
	    && u->copy->answered(u->copy->self, r->warp, r->inst_id)) {
		hd_warps_complete(u->warps, r->inst_lanes); /* a second time: docs/sm.md, X5 */
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
static inline void fill_writeback(struct unit *u)
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

#endif
