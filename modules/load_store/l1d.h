/* l1d.h - private to load_store: accesses of the cache, its misses, responses of memory
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_MODULES_LOAD_STORE_L1D_H
#define HEDDLE_MODULES_LOAD_STORE_L1D_H

#include "answer.h"

/* LS14 */
static inline void take_response(struct unit *u, hd_mem_ref ref)
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
			held_back(u->held, r, ref);
	} else if (HD_LIKELY(u->l1d != NULL)) {
		u->l1d->fill(u->l1d->self, r);
	} else {
		hd_fail(u->ctx, "a response arrived for an L1D, but none is linked");
	}
	hd_take(&u->response);
	hd_release(u->requests, ref);
}

/* LS1, step 3 */
static inline void send_miss(struct unit *u)
{
	if (!hd_room(&u->request))
		return;
	hd_mem_send_on(u->ctx, u->requests, &u->request, u->l1d->sent(u->l1d->self));
	if (HD_UNLIKELY(u->held != NULL))
		held_sent(u->held);
}

/* A store that the cache has completed, and that neither memory nor a fill will answer, is done
 * now. */
static inline void answer_store(struct unit *u, const struct hd_mem_req *r, unsigned events)
{
	if (!(events & (HD_CACHE_WRITE_SENT | HD_CACHE_ALLOC_SENT)))
		hd_warp_store_done(u->warps, r->warp);
}

/* LS12, but for the access itself: what the cache has taken. */
static inline void accessed(struct unit *u, const struct hd_mem_req *r, enum hd_cache_status status, unsigned events)
{
	if (r->flags & HD_MEM_WRITE) {
		answer_store(u, r, events);
	} else if (status == HD_CACHE_HIT) {
		access_back(u, r); /* needs no write port */
		if ((r->flags & HD_MEM_COPY) && u->copy)
			u->copy->answered(u->copy->self, r->warp, r->inst_id);
	}
}

/* For an address map that depends on what is used: a line that the access has written back is. */
static inline void touch_written_back(struct unit *u, const struct hd_mem_req *r, uint64_t before)
{
	if (*u->l1d->write_backs != before)
		hd_touch(u->touch, *u->l1d->written_back, r->core, *u->ctx->cycle);
}

/* LS11: the last stage of each bank's queue.  What is refused has to be tried again. */
static inline __attribute__((always_inline)) void access_due(struct unit *u, bool touches)
{
	const struct hd_cache_if *l1d = u->l1d;
	struct banks *b = &u->l1d_queue;
	uint64_t left = 0, write_backs = 0;

	for (uint64_t m = b->due; m;) {
		uint32_t bank = hd_bits_pop(&m);
		const struct hd_mem_req *r = bank_first(b, bank);
		enum hd_cache_status status;
		unsigned events;

		u->l1d_accesses++;
		if (touches)
			write_backs = *l1d->write_backs;
		status = l1d->access(l1d->self, r, &events);
		if (status == HD_CACHE_FAIL)
			continue;
		if (touches)
			touch_written_back(u, r, write_backs);
		accessed(u, r, status, events);
		b->v[bank].head = bank_after(b, b->v[bank].head);
		left |= hd_bit(bank);
	}
	banks_left(b, left);
}

static __attribute__((noinline)) void access_and_touch(struct unit *u)
{
	access_due(u, true);
}

static inline void access_l1d(struct unit *u)
{
	if (HD_UNLIKELY(u->touch != NULL))
		access_and_touch(u);
	else
		access_due(u, false);
}

#endif
