/* queue.h - private to load_store: pipelines of constant length
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shifting stages are kept as a FIFO: an entry that nothing holds up reaches the last stage a fixed
 * number of cycles after it came, and later entries close up to a held one.
 */
#ifndef HEDDLE_MODULES_LOAD_STORE_QUEUE_H
#define HEDDLE_MODULES_LOAD_STORE_QUEUE_H

#include <heddle/gpu/mem.h>

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
 * that order says which are next. */
struct bank {
	struct hd_mem_req *v; /* ring: */
	uint32_t head, tail;  /* its first entry, and the place of the next one to come */
	uint32_t behind;      /* those that have closed up behind a first one that is held in the last stage */
};

struct coming {
	uint64_t due;   /* tick from which they may leave: */
	uint64_t banks; /* set of those that got an entry */
};

struct banks {
	struct bank v[MAX_BANKS];
	uint64_t next;         /* tick at which the next entries reach a last stage, UINT64_MAX: there are none */
	uint64_t due;          /* set of those with an entry in the last stage, */
	uint64_t behind;       /* with one behind that, */
	uint64_t full;         /* and without room, or with a full ring */
	uint32_t length, ring; /* of each; of its ring by now */
	uint32_t head, tail;   /* of the list, a ring: those that are not in a last stage yet */
	uint32_t coming_mask;
	struct coming *coming;
};

/* Longer rings, as a bank that is full has more stages than that: they are as long as was needed so far, so that
 * few places are touched.  There is memory for all stages of the n banks. */
static __attribute__((noinline)) void banks_lengthen(struct banks *b, uint32_t n)
{
	uint32_t old = b->ring, more = b->length - old < old ? b->length - old : old;

	b->ring += more;
	for (uint32_t i = 0; i < n; i++) {
		struct bank *q = &b->v[i];

		if (q->head < q->tail || (q->head == q->tail && !hd_bits_has(b->full, i)))
			continue;
		memmove(&q->v[q->head + more], &q->v[q->head], (old - q->head) * sizeof *q->v);
		q->head += more;
	}
	b->full = 0;
}

/* Has the bank, whose ring is full, room for one more?  There is with a longer ring. */
static inline bool banks_make_room(struct banks *b, uint32_t n)
{
	if (b->ring == b->length)
		return false;
	banks_lengthen(b, n);
	return true;
}

static inline uint32_t bank_after(const struct banks *b, uint32_t place)
{
	return place + 1 == b->ring ? 0 : place + 1;
}

/* Place for a new last entry of a bank with room, which the caller fills. */
static inline struct hd_mem_req *bank_insert(struct banks *b, uint32_t bank)
{
	struct bank *q = &b->v[bank];
	struct hd_mem_req *place = &q->v[q->tail];

	q->tail = bank_after(b, q->tail);
	if (HD_UNLIKELY(q->tail == q->head))
		b->full |= hd_bit(bank);
	return place;
}

/* The banks that got an entry in this tick. */
static inline void banks_inserted(struct banks *b, uint64_t banks, uint64_t tick)
{
	if (b->head == b->tail)
		b->next = tick + b->length;
	b->coming[b->tail++ & b->coming_mask] = (struct coming){ tick + b->length, banks };
}

static inline uint32_t bank_count(const struct banks *b, uint32_t bank)
{
	const struct bank *q = &b->v[bank];

	if (q->head == q->tail)
		return hd_bits_has(b->full, bank) ? b->ring : 0;
	return q->tail - q->head + (q->tail < q->head ? b->ring : 0);
}

/* Entries that reach the last stage of their banks by this tick. */
static inline void banks_arrive(struct banks *b, uint64_t tick)
{
	while (b->next <= tick) {
		uint64_t banks = b->coming[b->head++ & b->coming_mask].banks, held = banks & b->due;

		b->next = b->head != b->tail ? b->coming[b->head & b->coming_mask].due : UINT64_MAX;
		b->due |= banks;
		b->behind |= held;
		while (HD_UNLIKELY(held))
			b->v[hd_bits_pop(&held)].behind++;
	}
}

/* The first entry of a bank, which is due. */
static inline const struct hd_mem_req *bank_first(const struct banks *b, uint32_t bank)
{
	const struct bank *q = &b->v[bank];

	return &q->v[q->head];
}

/* The first entries of these banks, which are due, have left. */
static inline void banks_left(struct banks *b, uint64_t banks)
{
	uint64_t behind = banks & b->behind;

	b->full &= ~banks;
	b->due &= ~banks | behind;
	while (HD_UNLIKELY(behind)) {
		uint32_t bank = hd_bits_pop(&behind);

		if (--b->v[bank].behind == 0)
			b->behind &= ~hd_bit(bank);
	}
}

#endif
