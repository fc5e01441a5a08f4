/* log.h - what the kernel records itself: puts, takes, marks and ends of records, and events
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * These are most of a dump.  The steps of a record are collected in a block, which the log gets as it is when the
 * record is released; the record gets another one.  Each function returns false, and has done nothing, if the
 * recorder has to be called: for another piece of the log, or for room for a step.
 */
#ifndef KERNEL_LOG_H
#define KERNEL_LOG_H

#include "hooks.h"
#include "base/step.h"

#include <stddef.h>
#include <stdint.h>

#define HD_LOG_BITS 3        /* of an entry's first word that are its kind; a handle above them */

/* The steps of a record that are not in the log yet: a few lines of the cache.  Blocks are aligned, so that the lowest
 * byte of the address where the next step goes, which is kept by handle, tells how much of one is used, with its head:
 * 0: all, or the record has none yet. */
#define HD_STEPS_MOST 15u
struct hd_steps {
	uint64_t used, over; /* in the log: bytes, of which the lowest byte counts; the cycle in which they end */
	struct hd_step step[HD_STEPS_MOST];
};
#define HD_STEPS_BYTES 256u
#define HD_STEPS_HEAD offsetof(struct hd_steps, step)
_Static_assert(sizeof(struct hd_steps) == HD_STEPS_BYTES, "the lowest byte of an address counts in it");

/* The block in which the next step goes there, if it has any. */
static inline struct hd_steps *hd__steps_of(const unsigned char *next)
{
	return (struct hd_steps *)((uintptr_t)(next - 1) & ~(uintptr_t)(HD_STEPS_BYTES - 1));
}

static inline bool hd__steps_empty(const unsigned char *next)
{
	return next == NULL || next == (const unsigned char *)hd__steps_of(next)->step;
}

static inline uint32_t hd__steps_used(uint64_t used)
{
	return ((uint32_t)used - 1) % HD_STEPS_BYTES + 1;
}

/* Where a log goes on. */
struct hd_log_end {
	uint32_t *at;        /* the next free word */
	const uint32_t *last; /* up to here an entry may begin */
	const uint64_t *now; /* its cycle */
	struct hd_steps **steps; /* the next empty one */
};

/* A channel that is recorded. */
struct hd_log_chan {
	struct hd_watch watch; /* first */
	unsigned char **next;  /* by handle of its records: where the next step goes */
	const uint64_t *now;
	uint64_t put;          /* the word of a step */
	uint64_t taken[64];    /* the same, by slot of the receiver */
};

/* A pool that is recorded. */
struct hd_log_pool {
	struct hd_watch watch; /* first; its log is NULL while nothing is recorded */
	unsigned char **next;
	const uint64_t *now;
	uint32_t over;
	uint32_t begin, words; /* the bytes that are logged; HD_LOG_FEW at least, */
	bool few;              /* and no more */
};
#define HD_LOG_FEW 64u
#define HD_LOG_RECORD_WORDS (1 + HD_LOG_FEW / 4) /* of the shortest entry of a record */

/* An event of a module: the first word of its entry, and how many follow the fourth. */
struct hd_log_event {
	uint32_t head, words;
};

static inline bool hd__log_has_room(const struct hd_log_end *l)
{
	return HD_LIKELY(l->at <= l->last);
}

/* What the place and the argument of a step are together.  Little-endian, like dumps. */
static inline uint64_t hd__log_word(uint32_t place, uint32_t arg)
{
	return place | (uint64_t)arg << 32;
}

static inline bool hd__log_step(unsigned char **next, uint64_t now, uint64_t word)
{
	unsigned char *at = *next;

	if (HD_UNLIKELY((unsigned char)(uintptr_t)at == 0))
		return false;
	*next = at + sizeof(struct hd_step);
	memcpy(at, &now, sizeof now);
	memcpy(at + sizeof now, &word, sizeof word);
	return true;
}

/* Gives the log the block of the record, which has one, in exchange for an empty one. */
static inline void hd__log_steps(struct hd_log_end *l, unsigned char **next)
{
	struct hd_steps *block = hd__steps_of(*next), *other = *l->steps;

	block->used = (uintptr_t)*next;
	block->over = *l->now;
	*l->steps++ = block;
	*next = (unsigned char *)other->step;
}

static inline uint32_t hd__handle_at(const struct hd_chan *c, uint32_t at)
{
	uint32_t handle;

	memcpy(&handle, c->data + (size_t)at * sizeof handle, sizeof handle);
	return handle;
}

static inline bool hd__log_put(const struct hd_chan *c, uint32_t at)
{
	const struct hd_log_chan *w = (const struct hd_log_chan *)c->watch;

	return hd__log_step(&w->next[hd__handle_at(c, at)], *w->now, w->put);
}

static inline bool hd__log_take(const struct hd_chan *c, uint32_t at, uint32_t slot)
{
	const struct hd_log_chan *w = (const struct hd_log_chan *)c->watch;

	return hd__log_step(&w->next[hd__handle_at(c, at)], *w->now, w->taken[slot]);
}

static inline bool hd__log_mark(const struct hd_log_pool *w, uint32_t handle, uint32_t place, uint32_t arg)
{
	return hd__log_step(&w->next[handle], *w->now, hd__log_word(place, arg));
}

/* A step so many cycles ago, only of a record whose block is empty.  Returns false if it has a step, or no block yet,
 * or if that is this cycle or one before the first. */
static inline bool hd__log_mark_before(const struct hd_log_pool *w, uint32_t handle, uint32_t place, uint32_t cycles)
{
	unsigned char **next = &w->next[handle];

	if ((unsigned char)(uintptr_t)*next != HD_STEPS_HEAD || (uint64_t)cycles - 1 >= *w->now)
		return false;
	return hd__log_step(next, *w->now - cycles, hd__log_word(place, 0));
}

/* v: HD_EVENT_FIELDS numbers, of which the first ones count. */
static inline bool hd__log_event(struct hd_log_end *l, const struct hd_log_event *e, uint32_t instance,
                                 const int64_t *v)
{
	uint32_t *p = l->at;

	if (!hd__log_has_room(l))
		return false;
	l->at = p + 4 + e->words;
	p[0] = e->head;
	p[1] = instance;
	memcpy(p + 2, l->now, sizeof *l->now);
	memcpy(p + 4, v, HD_EVENT_FIELDS * sizeof *v); /* the same */
	return true;
}

/* The entry: a word, the bytes with fields; and the block. */
static inline bool hd__log_over(const struct hd_log_pool *w, const unsigned char *record, uint32_t handle)
{
	struct hd_log_end *l = w->watch.log;
	unsigned char **next;
	uint32_t *p;

	if (!l || !w->few) /* not NULL: it is a recorder's; few: of a size that is known, without a call */
		return false;
	next = &w->next[handle];
	if ((unsigned char)(uintptr_t)*next <= HD_STEPS_HEAD || !hd__log_has_room(l))
		return false;
	p = l->at;
	l->at = p + 1 + HD_LOG_FEW / sizeof *p;
	p[0] = w->over | handle << HD_LOG_BITS;
	memcpy(p + 1, record + w->begin, HD_LOG_FEW);
	hd__log_steps(l, next);
	return true;
}

#endif
