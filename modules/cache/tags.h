/* tags.h - private to cache: the lines as every access and fill uses them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The usual changes of a line are here, so that they are part of the functions that make them; the
 * others are in tags.c.
 */
#ifndef HEDDLE_MODULES_CACHE_TAGS_H
#define HEDDLE_MODULES_CACHE_TAGS_H

#include "cache_parts.h"

/* tags.c */
int hd__cache_tags_init(struct cache *c);
void hd__cache_tags_saved(struct hd_checkpoint *k, struct cache *c);
void hd__cache_arrange(struct cache *c, uint32_t ways);
uint32_t hd__cache_victim(const struct cache *c, const struct hd_mem_req *req);
void hd__cache_state(struct cache *c, uint32_t i, unsigned sector, enum sector_state s);
void hd__cache_modify(struct cache *c, uint32_t i, unsigned sector);
void hd__cache_restamp(struct cache *c, uint32_t i, uint32_t stamp);
void hd__cache_reused(struct cache *c, uint32_t i, const struct hd_mem_req *req);
void hd__cache_reserve_modified(struct cache *c, const struct hd_mem_req *req, uint32_t i, unsigned sector);
bool hd__cache_allocate(struct cache *c, const struct hd_mem_req *req, uint32_t i, unsigned state, struct evicted *e);
void hd__cache_fill_line(struct cache *c, const struct place *at, const struct hd_mem_req *req, const uint32_t *line);
uint32_t hd__cache_forced_fill(struct cache *c, const struct hd_mem_req *req, const uint32_t *line, bool write);
void hd__cache_preset(void *self, uint64_t addr, uint32_t ahead, uint32_t later);
void hd__cache_invalidate(void *self);
void hd__cache_flush(void *self);

/* The state byte with another state of one sector. */
static inline unsigned with_sector(unsigned state, unsigned sector, enum sector_state s)
{
	return (state & ~(3u << 2 * sector)) | (unsigned)s << 2 * sector;
}

/* Gives a line this stamp and the place that goes with it, if it has it already or is the newest then: time
 * has usually advanced since the newest of its ring was accessed.  Those of one cycle are ordered by index. */
static inline __attribute__((always_inline)) bool cache_becomes_newest(struct cache *c, uint32_t i, uint32_t stamp)
{
	struct line *v = c->line, *l = &v[i], *anchor = &v[l->anchor];
	uint32_t older, newer;

	if (l->stamp == stamp)
		return true;
	if (HD_UNLIKELY(v[anchor->older].stamp >= stamp))
		return false;
	l->stamp = stamp;
	older = l->older;
	newer = l->newer;
	v[older].newer = newer;
	v[newer].older = older;
	older = anchor->older;
	l->older = older;
	l->newer = l->anchor;
	v[older].newer = i;
	anchor->older = i;
	return true;
}

static inline void cache_restamp(struct cache *c, uint32_t i, uint32_t stamp)
{
	if (HD_UNLIKELY(!cache_becomes_newest(c, i, stamp)))
		hd__cache_restamp(c, i, stamp);
}

/* The place in the order of replacement of a line that is accessed again. */
static inline void cache_reuse(struct cache *c, uint32_t i, const struct hd_mem_req *req)
{
	if (HD_LIKELY(c->replacement == REPLACE_LRU))
		cache_restamp(c, i, cache_now(c));
	else
		hd__cache_reused(c, i, req);
}

/* The part of CA8 that a hit is. */
static inline void cache_touch(struct cache *c, uint32_t i, const struct hd_mem_req *req)
{
	c->used = true;
	cache_reuse(c, i, req);
}

/* Does the same, if it needs no function to be called. */
static inline bool cache_touches(struct cache *c, uint32_t i)
{
	c->used = true;
	return HD_LIKELY(c->replacement == REPLACE_LRU) && cache_becomes_newest(c, i, cache_now(c));
}

/* The sector becomes MODIFIED; a line that was not modified is counted. */
static inline void cache_modify(struct cache *c, uint32_t i, unsigned sector)
{
	struct line *l = &c->line[i];

	if (line_modified(l->state)) { /* and remains in its ring */
		l->state = (uint8_t)(l->state | (unsigned)SECTOR_MODIFIED << 2 * sector);
		c->changes++;
	} else {
		hd__cache_modify(c, i, sector);
	}
}

/* The sector of a sector miss, in a cache that allocates on a miss, becomes RESERVED or MODIFIED.  One that
 * is modified but cannot be read is noted, to be modified again. */
static inline __attribute__((always_inline)) void cache_reserve(struct cache *c, const struct hd_mem_req *req,
                                                                uint32_t i, unsigned sector, enum sector_state s)
{
	struct line *l = &c->line[i];
	unsigned on_fill = LINE_MODIFIED_ON_FILL | LINE_READABLE_ON_FILL;

	if (HD_UNLIKELY(line_sector(l, sector) != SECTOR_INVALID)) {
		hd__cache_reserve_modified(c, req, i, sector);
		return;
	}
	l->flags = (uint16_t)((l->flags & ~(on_fill << sector)) | LINE_READABLE << sector);
	cache_reuse(c, i, req);
	if (s == SECTOR_MODIFIED) {
		cache_modify(c, i, sector);
	} else {
		l->state = (uint8_t)(l->state | (unsigned)SECTOR_RESERVED << 2 * sector);
		c->changes++;
	}
}

/* Is the sector, whose number is given twice, reserved, and nothing noted for the time when it is filled? */
static inline bool line_awaits_plainly(const struct line *l, unsigned twice)
{
	unsigned noted = (LINE_MODIFIED_ON_FILL | LINE_READABLE_ON_FILL) << twice / 2 | LINE_BYTES_ON_FILL;

	return !(l->flags & noted) && (l->state >> twice & 3) == SECTOR_RESERVED;
}

#endif
