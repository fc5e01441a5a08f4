/* log.h - the entries of a recorder's log that the kernel writes itself: puts and takes, marks and ends of records
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * These are most of a log.  Each function returns false, and has done nothing, if the recorder has to be called: for
 * another piece of the log, or because the entry is the first of a period.
 */
#ifndef KERNEL_LOG_H
#define KERNEL_LOG_H

#include "probe.h"

#include <stdint.h>

#define HD_LOG_BITS 3        /* of an entry's first word that are its kind; a handle above them */
#define HD_LOG_PLACE_BITS 31 /* of the word of a place; the bit above them: an argument follows */

/* Where a log goes on. */
struct hd_log_end {
	uint32_t *at;   /* the next free word */
	uintptr_t full; /* up to here an entry may begin; 0: nothing is logged of this period yet */
};

/* A channel that is recorded: both words of its steps, but for the handle. */
struct hd_log_chan {
	struct hd_watch watch; /* first */
	uint64_t put;
	uint64_t taken[64]; /* by slot of the receiver */
};

/* A pool that is recorded. */
struct hd_log_pool {
	struct hd_watch watch; /* first; its log is NULL while nothing is recorded */
	uint32_t step, over;
	uint32_t begin, words; /* bytes of a record that hold fields, */
	bool few;              /* which are at most HD_LOG_FEW in a record that has as many from there on */
};
#define HD_LOG_FEW 64u

/* An event of a module: the first word of its entry, and how many follow the second. */
struct hd_log_event {
	uint32_t head, words;
};

static inline bool hd__log_has_room(const struct hd_log_end *l)
{
	return HD_LIKELY((uintptr_t)l->at <= l->full);
}

/* The two words of a step: what it is, without the handle; its place.  Little-endian, like dumps. */
static inline uint64_t hd__log_words(uint32_t step, uint32_t place)
{
	return step | (uint64_t)place << 32;
}

static inline bool hd__log_step(const struct hd_chan *c, uint32_t at, uint64_t words)
{
	struct hd_log_end *l = c->watch->log;
	uint32_t *p = l->at, handle;

	if (!hd__log_has_room(l))
		return false;
	memcpy(&handle, c->data + (size_t)at * sizeof handle, sizeof handle);
	l->at = p + 2;
	words |= handle << HD_LOG_BITS;
	memcpy(p, &words, sizeof words);
	return true;
}

static inline bool hd__log_put(const struct hd_chan *c, uint32_t at)
{
	return hd__log_step(c, at, ((const struct hd_log_chan *)c->watch)->put);
}

static inline bool hd__log_take(const struct hd_chan *c, uint32_t at, uint32_t slot)
{
	return hd__log_step(c, at, ((const struct hd_log_chan *)c->watch)->taken[slot]);
}

/* Recording is on. */
static inline bool hd__log_mark(const struct hd_log_pool *w, uint32_t handle, uint32_t place, uint32_t arg)
{
	struct hd_log_end *l = w->watch.log;
	uint64_t words;
	uint32_t *p;

	if (!hd__log_has_room(l))
		return false;
	p = l->at;
	l->at = p + 2 + (place >> HD_LOG_PLACE_BITS);
	words = hd__log_words(w->step, place) | handle << HD_LOG_BITS;
	memcpy(p, &words, sizeof words);
	p[2] = arg; /* the next entry's word, if there is none */
	return true;
}

/* v: HD_EVENT_FIELDS numbers, of which the first ones count. */
static inline bool hd__log_event(struct hd_log_end *l, const struct hd_log_event *e, uint32_t instance,
                                 const int64_t *v)
{
	uint32_t *p = l->at;

	if (!hd__log_has_room(l))
		return false;
	l->at = p + 2 + e->words;
	p[0] = e->head;
	p[1] = instance;
	memcpy(p + 2, v, HD_EVENT_FIELDS * sizeof *v); /* the same */
	return true;
}

static inline bool hd__log_over(const struct hd_log_pool *w, const struct hd_pool *pool, uint32_t handle)
{
	struct hd_log_end *l = w->watch.log;
	uint32_t *p;

	if (!l || !hd__log_has_room(l))
		return false;
	p = l->at;
	l->at = p + 1 + w->words;
	p[0] = w->over | handle << HD_LOG_BITS;
	if (HD_LIKELY(w->few)) /* of a size that is known: without a call */
		memcpy(p + 1, (const unsigned char *)hd_rec(pool, handle) + w->begin, HD_LOG_FEW);
	else
		memcpy(p + 1, (const unsigned char *)hd_rec(pool, handle) + w->begin, w->words * sizeof *p);
	return true;
}

#endif
