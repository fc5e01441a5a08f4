/* pool.h - records that payloads are handles of
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Part of module.h, which is the header to include.  Only the functions below may access struct hd_pool.
 */
#ifndef HEDDLE_POOL_H
#define HEDDLE_POOL_H

#include <heddle/module.h>

HD_BEGIN

/* Records behind handles.  Handle 0 is never used, the last one only when all others are in use.
 * Records do not move: the address space for all is reserved at the start, and only used pages
 * become resident. */
#define HD_POOL_MAX 262144u

struct hd_pool {
	unsigned char *base;
	uint32_t record; /* bytes */
	uint32_t free;   /* head of the free list, 0: empty */
	uint32_t fresh;  /* first handle that was never given out */
	void *transactions;     /* for the recorder of a dump or the check of handles; or NULL */
	struct hd_pool *whole;  /* of a part of the simulation that a thread may run: the pool; else NULL */
	uint32_t end, blocks;   /* the first record that is not of its own, and how often it has got some */
};

/* The pool of the records that the type is a handle of: one for the whole simulation. */
struct hd_pool *hd_pool(const struct hd_ctx *c, const struct hd_type *type);

static inline void *hd_rec(const struct hd_pool *p, uint32_t handle)
{
	return p->base + (size_t)handle * p->record;
}

uint32_t hd__pool_fresh(const struct hd_ctx *c, struct hd_pool *p);
void hd__watched_release(struct hd_pool *p, uint32_t handle);

/* Takes a record; its content is undefined.  The caller owns it until it passes the handle on.  If
 * all are in use the run fails at the end of this edge; what is returned until then may be used,
 * but is shared. */
static inline uint32_t hd_alloc(const struct hd_ctx *c, struct hd_pool *p)
{
	uint32_t h = p->free;

	if (HD_UNLIKELY(h == 0))
		return hd__pool_fresh(c, p);
	memcpy(&p->free, hd_rec(p, h), sizeof p->free);
	return h;
}

/* The record that hd_alloc() takes next. */
static inline uint32_t hd_pool_next(const struct hd_pool *p)
{
	return p->free ? p->free : p->fresh;
}

/* Returns a record to the pool; the handle is invalid afterwards. */
static inline void hd_release(struct hd_pool *p, uint32_t handle)
{
	if (HD_UNLIKELY(p->transactions != NULL)) {
		hd__watched_release(p, handle);
		return;
	}
	memcpy(hd_rec(p, handle), &p->free, sizeof p->free);
	p->free = handle;
}

/* Records in use.  Walks the list of free ones: for reports, not for every cycle. */
uint32_t hd_pool_used(const struct hd_pool *p);

HD_END

#endif
