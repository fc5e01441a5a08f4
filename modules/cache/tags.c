/* tags.c - tag array of the cache: victims, allocation, fills, order of replacement
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <heddle/bits.h>

#include <stdlib.h>

#include "set.h"

/* ---- buckets and rings --------------------------------------------------------------------- */

static void chain(struct cache *c, uint32_t i)
{
	uint32_t *at = &c->bucket[cache_hash(c->line[i].tag, c->shift)];

	while (*at < i) /* CACHE_NONE is above every index */
		at = &c->line[*at].chain;
	c->line[i].chain = *at;
	*at = i;
}

/* A line whose tag does not belong to its present set is in no chain, which is harmless here. */
static void unchain(struct cache *c, uint32_t i)
{
	uint32_t *at = &c->bucket[cache_hash(c->line[i].tag, c->shift)];

	while (*at < i)
		at = &c->line[*at].chain;
	if (*at == i)
		*at = c->line[i].chain;
}

/* The order of replacement, ties included: CA6 takes the lowest way of several. */
static bool earlier(const struct cache *c, uint32_t a, uint32_t b)
{
	uint32_t t = c->line[a].stamp, u = c->line[b].stamp;

	return t < u || (t == u && a < b);
}

/* Puts a line into its ring.  Time advances, so the place is near the newest. */
static void enter(struct cache *c, uint32_t i)
{
	struct line *l = &c->line[i];
	uint32_t before = c->line[l->anchor].older;

	while (before != l->anchor && earlier(c, i, before))
		before = c->line[before].older;
	l->older = before;
	l->newer = c->line[before].newer;
	c->line[l->newer].older = i;
	c->line[before].newer = i;
}

static void leave(struct cache *c, uint32_t i)
{
	const struct line *l = &c->line[i];

	c->line[l->older].newer = l->newer;
	c->line[l->newer].older = l->older;
}

/* A line that has this stamp already stays: among those of one cycle the order is by index. */
void hd__cache_restamp(struct cache *c, uint32_t i, uint32_t stamp)
{
	struct line *l = &c->line[i];

	if (l->stamp == stamp)
		return;
	l->stamp = stamp;
	leave(c, i);
	enter(c, i);
}

/* A line was accessed again, in a cache that is not LRU. */
void hd__cache_reused(struct cache *c, uint32_t i)
{
	if (c->replacement == REPLACE_OTHER && i < c->sets * c->ways)
		c->policy->used(c->policy->self, i / c->ways, i % c->ways);
}

/* Enters the lines of a set, whose rings are empty and begin at `ring`.  Most come in order. */
static void enter_all(struct cache *c, uint32_t first, uint32_t ways, uint32_t ring)
{
	struct line *anchor = &c->line[ring], *newest = anchor;

	for (uint32_t i = first; i < first + ways; i++) {
		struct line *l = &c->line[i];

		l->anchor = ring + line_modified(l->state);
		if (l->anchor != ring || (newest != anchor && l->stamp < newest->stamp)) {
			enter(c, i);
			newest = &c->line[anchor->older];
			continue;
		}
		l->older = anchor->older;
		l->newer = ring;
		newest->newer = i;
		anchor->older = i;
		newest = l;
	}
}

/* Gives every set its lines, sets * ways of them: at the start and when the number of ways
 * changes.  Lines beyond keep their content and belong to no set (UN2). */
void hd__cache_arrange(struct cache *c, uint32_t ways)
{
	uint32_t total = c->sets * ways;
	uint32_t i, low = 0, high = total;

	c->ways = ways;
	memset(c->bucket, 0xff, sizeof *c->bucket << (64 - c->shift)); /* CACHE_NONE */
	memset(c->stuck, 0xff, c->sets * sizeof *c->stuck);
	for (i = c->lines; i < c->lines + 2 * c->sets; i++)
		c->line[i].older = c->line[i].newer = i;
	for (i = 0; i < c->sets; i++)
		enter_all(c, i * ways, ways, c->lines + 2 * i);
	for (i = total; i < c->lines; i++)
		c->line[i].anchor = CACHE_NONE;
	for (i = total; i-- > 0;) /* downwards: each becomes the first of its chain */
		if (c->line[i].tag != CACHE_NO_TAG &&
		    set_of(c, c->line[i].tag) == i / ways)
			chain(c, i);

	/* CA6 compares single-precision numbers at each probe.  The quotient grows with the
	 * count, so the same comparison, made here, gives a count to compare with. */
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if ((float)mid / (float)total * 100 >= (float)c->write_ratio)
			high = mid;
		else
			low = mid + 1;
	}
	c->dirty_enough = low;
}

int hd__cache_tags_init(struct cache *c)
{
	static const struct line invalid = { .tag = CACHE_NO_TAG, .flags = LINE_ALL_READABLE }, ring = { .tag = 0 };
	uint32_t buckets = 2, i;

	for (c->shift = 63; buckets < c->lines; c->shift--)
		buckets *= 2;
	c->bucket = malloc(buckets * sizeof *c->bucket);
	c->line = malloc(((size_t)c->lines + 2 * c->sets) * sizeof *c->line);
	c->invalid = malloc(((size_t)c->lines / 64 + 1) * sizeof *c->invalid);
	c->stuck = malloc(c->sets * sizeof *c->stuck);
	if (!c->bucket || !c->line || !c->invalid || !c->stuck)
		return -1;
	memset(c->invalid, 0xff, ((size_t)c->lines / 64 + 1) * sizeof *c->invalid);
	for (i = 0; i < c->lines; i++)
		memcpy(&c->line[i], &invalid, sizeof invalid); /* with its padding, which is in states that are saved */
	for (; i < c->lines + 2 * c->sets; i++)
		memcpy(&c->line[i], &ring, sizeof ring);
	hd__cache_arrange(c, c->ways_at_start);
	return 0;
}

void hd__cache_tags_fini(struct cache *c)
{
	free(c->bucket);
	free(c->line);
	free(c->invalid);
	free(c->stuck);
}

/* ---- states -------------------------------------------------------------------------------- */

static void change_ring(struct cache *c, uint32_t i, bool modified)
{
	struct line *l = &c->line[i];

	if (l->anchor == CACHE_NONE)
		return;
	leave(c, i);
	l->anchor += modified ? 1u : -1u;
	enter(c, i);
}

/* A line that becomes modified or ceases to be so changes the ring.  It should have its new stamp
 * by then, if it gets one, as its new place is searched from the newest on. */
static void set_state(struct cache *c, uint32_t i, unsigned state)
{
	struct line *l = &c->line[i];
	bool was = line_modified(l->state), is = line_modified(state);

	if ((l->state == 0) != (state == 0))
		c->invalid[i / 64] ^= UINT64_C(1) << i % 64;
	l->state = (uint8_t)state;
	c->changes++;
	if (HD_UNLIKELY(was != is))
		change_ring(c, i, is);
}

void hd__cache_state(struct cache *c, uint32_t i, unsigned sector, enum sector_state s)
{
	set_state(c, i, (c->line[i].state & ~(3u << 2 * sector)) | (unsigned)s << 2 * sector);
}

/* The sector becomes MODIFIED; a line that was not modified is counted. */
void hd__cache_modify(struct cache *c, uint32_t i, unsigned sector)
{
	if (!line_modified(c->line[i].state))
		c->dirty++;
	hd__cache_state(c, i, sector, SECTOR_MODIFIED);
}

/* Highest invalid line of [first, end), or CACHE_NONE. */
static uint32_t last_invalid(const struct cache *c, uint32_t first, uint32_t end)
{
	while (end > first) {
		uint32_t word = (end - 1) / 64, i = end - 1;
		uint64_t set = c->invalid[word] << (63 - i % 64);

		if (set != 0) {
			i -= 63 - hd_bits_last(set);
			return i >= first ? i : CACHE_NONE;
		}
		end = word * 64;
	}
	return CACHE_NONE;
}

/* First line of a ring that is not reserved, or CACHE_NONE. */
static uint32_t oldest(const struct cache *c, uint32_t anchor)
{
	uint32_t i = c->line[anchor].newer;

	while (i != anchor && line_reserved(c->line[i].state))
		i = c->line[i].newer;
	return i != anchor ? i : CACHE_NONE;
}

/* The policy's choice among the lines of a full set, or CACHE_NONE. */
static __attribute__((noinline)) uint32_t chosen(const struct cache *c, uint32_t set)
{
	bool modified_too = c->dirty >= c->dirty_enough;
	uint32_t n = 0, k;

	for (uint32_t way = 0; way < c->ways; way++) {
		unsigned state = c->line[set * c->ways + way].state;

		if (!line_reserved(state) && (modified_too || !line_modified(state)))
			c->candidates[n++] = way;
	}
	if (n == 0)
		return CACHE_NONE;
	k = c->policy->victim(c->policy->self, set, c->candidates, n);
	if (k >= n) {
		hd_fail(c->ctx, "the policy chose line %u of %u that may be replaced", k, n);
		k = 0;
	}
	return set * c->ways + c->candidates[k];
}

/* CA6: the line that an address without a match would get, or CACHE_NONE. */
uint32_t hd__cache_victim(const struct cache *c, uint64_t tag)
{
	uint32_t set = set_of(c, tag), anchor = c->lines + 2 * set;
	uint32_t i, m;

	if (c->stuck[set] == c->changes) /* a request that is retried every cycle */
		return CACHE_NONE;
	i = last_invalid(c, set * c->ways, (set + 1) * c->ways);
	if (i != CACHE_NONE)
		return i;
	if (HD_UNLIKELY(c->replacement == REPLACE_OTHER))
		return chosen(c, set);
	i = oldest(c, anchor);
	m = c->dirty >= c->dirty_enough ? oldest(c, anchor + 1) : CACHE_NONE;
	if (i == CACHE_NONE || (m != CACHE_NONE && earlier(c, m, i)))
		i = m;
	if (i == CACHE_NONE)
		c->stuck[set] = c->changes;
	else if (c->line[i].stamp == UINT32_MAX) /* not less than where the search begins */
		i = CACHE_NONE;
	return i;
}

static void allocate(struct cache *c, const struct probe *p)
{
	struct line *l = &c->line[p->line];

	if (l->state != 0)
		c->evictions++;
	if (l->tag != CACHE_NO_TAG)
		unchain(c, p->line);
	l->tag = p->tag;
	chain(c, p->line);
	l->flags = LINE_ALL_READABLE;
	memset(l->dirty, 0, sizeof l->dirty);
	hd__cache_restamp(c, p->line, cache_now(c));
	set_state(c, p->line, (unsigned)SECTOR_RESERVED << 2 * p->sector);
}

static void allocate_sector(struct cache *c, const struct probe *p)
{
	struct line *l = &c->line[p->line];
	unsigned flags = l->flags;

	flags &= ~((unsigned)(LINE_MODIFIED_ON_FILL | LINE_READABLE_ON_FILL) << p->sector);
	if (line_sector(l, p->sector) == SECTOR_MODIFIED)
		flags |= LINE_MODIFIED_ON_FILL << p->sector;
	l->flags = (uint16_t)(flags | LINE_READABLE << p->sector);
	if (c->replacement == REPLACE_LRU)
		hd__cache_restamp(c, p->line, cache_now(c));
	hd__cache_state(c, p->line, p->sector, SECTOR_RESERVED);
}

/* Tells the policy, if there is one, what becomes of the line of a miss. */
static void tell_policy(struct cache *c, const struct probe *p)
{
	if (p->outcome == CACHE_MISS && c->replacement == REPLACE_OTHER)
		c->policy->allocated(c->policy->self, p->line / c->ways, p->line % c->ways);
	else if (p->outcome == CACHE_SECTOR_MISS)
		hd__cache_reused(c, p->line);
}

/* The part of CA8 that a miss is, in a cache that allocates on it. */
static inline __attribute__((always_inline)) bool reserve(struct cache *c, const struct probe *p,
                                                          struct evicted *e)
{
	struct line *l = &c->line[p->line];
	bool modified = line_modified(l->state);
	uint32_t sector;

	if (p->outcome == CACHE_SECTOR_MISS) {
		allocate_sector(c, p);
		if (modified && !line_modified(l->state))
			c->dirty--;
		return false;
	}
	if (modified) {
		c->dirty--;
		*e = (struct evicted){ .addr = l->tag };
		memcpy(e->dirty, l->dirty, sizeof e->dirty);
		for (sector = 0; sector < CACHE_SECTORS; sector++)
			if (line_sector(l, sector) == SECTOR_MODIFIED) {
				e->sectors |= 1u << sector;
				e->size += c->atom;
			}
		hd_emit(c->ctx, EMIT_EVICT, (int64_t)e->addr, e->sectors);
	}
	allocate(c, p);
	return modified;
}

/* A function of its own, so that other caches do not pay for it. */
static __attribute__((noinline)) bool reserve_unusual(struct cache *c, const struct probe *p,
                                                      struct evicted *e)
{
	if (c->allocate == ALLOCATE_ON_FILL)
		return false;
	tell_policy(c, p);
	return reserve(c, p, e);
}

/* CA8.  The probe is still valid: nothing has changed since.  Returns true if *e was evicted. */
bool hd__cache_tag_access(struct cache *c, const struct probe *p, struct evicted *e)
{
	c->used = true;
	if (p->outcome == CACHE_HIT || p->outcome == CACHE_HIT_RESERVED) {
		cache_touch(c, p->line);
		return false;
	}
	if (HD_UNLIKELY(c->unusual))
		return reserve_unusual(c, p, e);
	return reserve(c, p, e);
}

/* CA17 on the line of the request's index, whatever address it has by now. */
void hd__cache_fill_line(struct cache *c, const struct probe *p, uint32_t bytes, const uint32_t *line)
{
	struct line *l = &c->line[p->line];
	bool modified = line_modified(l->state);

	hd__cache_state(c, p->line, p->sector, l->flags & LINE_MODIFIED_ON_FILL << p->sector ?
	                SECTOR_MODIFIED : SECTOR_VALID);
	if (l->flags & LINE_READABLE_ON_FILL << p->sector) {
		l->flags |= (uint16_t)(LINE_READABLE << p->sector);
		l->flags &= (uint16_t)~(LINE_READABLE_ON_FILL << p->sector);
	}
	if (l->flags & LINE_BYTES_ON_FILL)
		line_add(l, p->word, bytes, line);
	if (!modified && line_modified(l->state))
		c->dirty++;
}

/* CA17, on fill.  Returns the line, or CACHE_NONE if there was no way.  Modified data of a line
 * that is replaced here vanish, and a hit on a MODIFIED sector leaks a count (CA18). */
uint32_t hd__cache_forced_fill(struct cache *c, uint64_t addr, uint32_t bytes, const uint32_t *line,
                               bool write)
{
	struct probe p;
	bool modified;

	cache_probe(c, addr, write, true, &p);
	if (p.outcome == CACHE_NO_WAY)
		return CACHE_NONE;
	modified = line_modified(c->line[p.line].state);
	tell_policy(c, &p);
	if (p.outcome == CACHE_MISS)
		allocate(c, &p);
	else if (p.outcome == CACHE_SECTOR_MISS)
		allocate_sector(c, &p);
	if (modified && !line_modified(c->line[p.line].state))
		c->dirty--;
	hd__cache_fill_line(c, &p, bytes, line);
	return p.line;
}

void hd__cache_preset(void *self, uint64_t addr, uint32_t ahead, uint32_t later)
{
	struct cache *c = self;

	c->later += ahead;
	hd__cache_forced_fill(c, addr, 0, NULL, true);
	c->later += later - ahead;
}

/* CA20, modified lines only. */
void hd__cache_flush(void *self)
{
	struct cache *c = self;
	uint32_t i;

	if (!c->used)
		return;
	for (i = 0; i < c->sets * c->ways; i++)
		if (line_modified(c->line[i].state))
			set_state(c, i, 0);
	c->dirty = 0;
	c->used = false;
}

/* CA20: the lines of the present sets only, their tags and flags stay. */
void hd__cache_invalidate(void *self)
{
	struct cache *c = self;
	uint32_t n = c->sets * c->ways;

	if (!c->used)
		return;
	for (uint32_t first = 0; first < n; first += 64) {
		uint64_t valid = ~c->invalid[first / 64] & hd_bits_below(n - first);

		while (valid)
			set_state(c, first + hd_bits_pop(&valid), 0);
	}
	c->dirty = 0;
	c->used = false;
}

void hd__cache_tags_saved(struct hd_checkpoint *k, struct cache *c)
{
	hd_saved(k, c->bucket, sizeof *c->bucket << (64 - c->shift));
	hd_saved(k, c->line, ((size_t)c->lines + 2 * c->sets) * sizeof *c->line);
	hd_saved(k, c->invalid, ((size_t)c->lines / 64 + 1) * sizeof *c->invalid);
	hd_saved(k, c->stuck, c->sets * sizeof *c->stuck);
	HD_SAVED_FROM(k, c, dirty, used);
	HD_SAVED(k, c->changes);
	c->ways = (uint32_t)hd_saved_number(k, c->ways, c->max_ways);
	HD_SAVED(k, c->later);
	HD_SAVED(k, c->written_back);
}
