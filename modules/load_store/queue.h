/* queue.h - private to load_store: pipelines of constant length
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shifting stages are kept as a FIFO: an entry that nothing holds up reaches the last stage a fixed
 * number of cycles after it came, and later entries close up to a held one.
 */
#ifndef HEDDLE_MODULES_LOAD_STORE_QUEUE_H
#define HEDDLE_MODULES_LOAD_STORE_QUEUE_H

#include <heddle/payload/mem.h>

#define MAX_BANKS 64u

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

/* ---- several side by side ------------------------------------------------------------------- */

/* All are equally long, so their entries reach the last stages in the order in which they came, and one list of
 * that order says which is next. */
struct bank {
	struct hd_mem_req *v; /* ring */
	uint32_t head, count; /* in its stages, */
	uint32_t due;         /* so many of which have reached the last, or close up behind such a one */
	uint64_t last;        /* as in struct queue */
};

struct coming {
	uint64_t due; /* tick from which it may leave, */
	uint32_t bank;
};

struct banks {
	struct bank v[MAX_BANKS];
	uint64_t due;         /* set of those with an entry in the last stage */
	uint32_t length, mask; /* of each; of its ring */
	uint32_t head, tail;  /* of the list, a ring: entries that are not in a last stage yet */
	uint32_t coming_mask;
	struct coming *coming;
};

static inline bool bank_has_room(const struct banks *b, uint32_t bank, uint64_t tick)
{
	return b->v[bank].count < b->length && b->v[bank].last != tick + 1;
}

/* Returns a new last entry for the caller to fill. */
static inline struct hd_mem_req *bank_insert(struct banks *b, uint32_t bank, uint64_t tick)
{
	struct bank *q = &b->v[bank];

	b->coming[b->tail++ & b->coming_mask] = (struct coming){ tick + b->length, bank };
	q->last = tick + 1;
	return &q->v[(q->head + q->count++) & b->mask];
}

/* Entries that reach the last stage of their banks by this tick. */
static inline void banks_arrive(struct banks *b, uint64_t tick)
{
	uint32_t head = b->head;

	while (head != b->tail) {
		const struct coming *next = &b->coming[head & b->coming_mask];

		if (next->due > tick)
			break;
		b->v[next->bank].due++;
		b->due |= hd_bit(next->bank);
		b->head = ++head;
	}
}

/* The first entry, which is due, leaves. */
static inline void bank_leave(struct banks *b, uint32_t bank)
{
	struct bank *q = &b->v[bank];

	q->head = (q->head + 1) & b->mask;
	q->count--;
	if (--q->due == 0)
		b->due &= ~hd_bit(bank);
}

/* Tick at which the next entry reaches a last stage; there is one. */
static inline uint64_t banks_next(const struct banks *b)
{
	return b->coming[b->head & b->coming_mask].due;
}

#endif
