/* queue.h - private to load_store: a pipeline of constant length
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shifting stages are kept as a FIFO: an entry that nothing holds up reaches the last stage a fixed
 * number of cycles after it came, and later entries close up to a held one.
 */
#ifndef HEDDLE_MODULES_LOAD_STORE_QUEUE_H
#define HEDDLE_MODULES_LOAD_STORE_QUEUE_H

#include <heddle/payload/mem.h>

struct entry {
	struct hd_mem_req req;
	uint64_t due; /* tick from which it may leave */
};

struct queue {
	struct entry *v; /* ring */
	uint32_t head, count, mask, length;
	uint64_t last;   /* tick + 1 of the last insertion: the first stage is taken in that tick */
};

static inline bool queue_has_room(const struct queue *q, uint64_t tick)
{
	return q->count < q->length && q->last != tick + 1;
}

/* Returns a new last entry for the caller to fill. */
static inline struct hd_mem_req *queue_insert(struct queue *q, uint64_t tick)
{
	struct entry *e = &q->v[(q->head + q->count++) & q->mask];

	e->due = tick + q->length;
	q->last = tick + 1;
	return &e->req;
}

/* The entry in the last stage, or NULL. */
static inline struct hd_mem_req *queue_last_stage(const struct queue *q, uint64_t tick)
{
	struct entry *e = &q->v[q->head];

	return q->count && e->due <= tick ? &e->req : NULL;
}

static inline void queue_leave(struct queue *q)
{
	q->head = (q->head + 1) & q->mask;
	q->count--;
}

/* Tick at which the first entry reaches the last stage; the queue is not empty. */
static inline uint64_t queue_due(const struct queue *q)
{
	return q->v[q->head].due;
}

#endif
