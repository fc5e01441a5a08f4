/* tags.c - tag array of the cache: victims, allocation, fills, order of replacement
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <heddle/bits.h>

#include "tags.h"

/* ---- the set of an address (docs/memory.md, CA5) ---- */

static inline uint32_t set_at(const struct cache *c, uint64_t addr)
{
	uint32_t low = (uint32_t)(addr >> c->line_log2) & (c->sets - 1);
	uint64_t high = addr >> (c->line_log2 + c->sets_log2);

	switch (c->set_index) {
	case INDEX_XOR:
		return low ^ ((uint32_t)high & (c->sets - 1));
	case INDEX_IPOLY:
		return hd_ipoly(high, low, c->sets);
	default:
		return low;
	}
}

/* A separate function, so that others do not pay for the call. */
static __attribute__((noinline)) uint32_t set_of_mapped(const struct cache *c, uint64_t addr)
{
	return set_at(c, c->map->local(c->map->self, addr & c->line_mask));
}

static inline uint32_t set_of(const struct cache *c, uint64_t addr)
{
	if (HD_UNLIKELY(c->map != NULL))
		return set_of_mapped(c, addr);
	return set_at(c, addr);
}

/* ---- buckets and rings --------------------------------------------------------------------- */

static void chain(struct cache *c, uint32_t i)
{
	uint32_t *at = &c->bucket[cache_hash(c->line[i].tag, c->spread)];

	while (*at < i) /* CACHE_NONE is above every index */
		at = &c->line[*at].chain;
	c->line[i].chain = *at;
	*at = i;
}

/* A line whose tag does not belong to its present set is in no chain, which is harmless here. */
static void unchain(struct cache *c, uint32_t i)
{
	uint32_t *at = &c->bucket[cache_hash(c->line[i].tag, c->spread)];

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

/* Puts a line into its ring.  It is searched from `before` on, behind which all are later.  Returns the one
 * before it. */
static uint32_t enter_before(struct cache *c, uint32_t i, uint32_t before)
{
	struct line *l = &c->line[i];

	while (before != l->anchor && earlier(c, i, before))
		before = c->line[before].older;
	l->older = before;
	l->newer = c->line[before].newer;
	c->line[l->newer].older = i;
	c->line[before].newer = i;
	return before;
}

/* Time advances, so the place is near the newest. */
static void enter(struct cache *c, uint32_t i)
{
	enter_before(c, i, c->line[c->line[i].anchor].older);
}

static void leave(struct cache *c, uint32_t i)
{
	const struct line *l = &c->line[i];

	c->line[l->older].newer = l->newer;
	c->line[l->newer].older = l->older;
}

void hd__cache_restamp(struct cache *c, uint32_t i, uint32_t stamp)
{
	c->line[i].stamp = stamp;
	leave(c, i);
	enter(c, i);
}

/* A line was accessed again, in a cache that is not LRU. */
void hd__cache_reused(struct cache *c, uint32_t i, const struct hd_mem_req *req)
{
	if (c->replacement == REPLACE_OTHER && i < c->sets * c->ways)
		c->policy->used(c->policy->self, i / c->ways, i % c->ways, req);
}

/* Enters the lines of a set, whose rings are empty and begin at `ring`.  Most come in order.  Returns whether any of
 * them holds something. */
static bool enter_all(struct cache *c, uint32_t first, uint32_t ways, uint32_t ring)
{
	struct line *anchor = &c->line[ring], *newest = anchor;
	uint64_t tags = 0;

	for (uint32_t i = first; i < first + ways; i++) {
		struct line *l = &c->line[i];

		tags |= l->tag ^ CACHE_NO_TAG;
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
	return tags != 0;
}

/* Gives every set its lines, sets * ways of them: at the start and when the number of ways
 * changes.  Lines beyond keep their content and belong to no set (UN2). */
void hd__cache_arrange(struct cache *c, uint32_t ways)
{
	uint32_t total = c->sets * ways;
	uint32_t i, low = 0, high = total;
	bool filled = false;

	c->ways = ways;
	memset(c->bucket, 0xff, sizeof *c->bucket << (64 - c->spread.shift)); /* CACHE_NONE */
	memset(c->stuck, 0xff, c->sets * sizeof *c->stuck);
	for (i = c->lines; i < c->lines + 2 * c->sets; i++)
		c->line[i].older = c->line[i].newer = i;
	for (i = 0; i < c->sets; i++)
		filled |= enter_all(c, i * ways, ways, c->lines + 2 * i);
	for (i = total; i < c->lines; i++)
		c->line[i].anchor = CACHE_NONE;
	for (i = total; filled && i-- > 0;) /* downwards: each becomes the first of its chain */
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
	uint32_t buckets = cache_spread(&c->spread, 2 * c->lines, c->line_log2); /* most chains have one line */

	c->bucket = hd_memory(c->ctx, buckets, sizeof *c->bucket);
	c->line = hd_memory(c->ctx, (size_t)c->lines + 2 * c->sets, sizeof *c->line);
	c->written = hd_memory(c->ctx, c->lines, sizeof *c->written);
	c->invalid = hd_memory(c->ctx, (size_t)c->lines / 64 + 1, sizeof *c->invalid);
	c->stuck = hd_memory(c->ctx, c->sets, sizeof *c->stuck);
	if (!c->bucket || !c->line || !c->written || !c->invalid || !c->stuck)
		return -1;
	memset(c->invalid, 0xff, ((size_t)c->lines / 64 + 1) * sizeof *c->invalid);
	for (uint32_t i = 0; i < c->lines; i++) { /* the others are anchors */
		c->line[i].tag = CACHE_NO_TAG;
		c->line[i].flags = LINE_ALL_READABLE;
	}
	c->ways = c->ways_at_start;
	return 0;
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
	set_state(c, i, with_sector(c->line[i].state, sector, s));
}

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

/* A policy chooses among the lines of a full set. */
static __attribute__((noinline)) uint32_t chosen(const struct cache *c, const struct hd_mem_req *req)
{
	uint32_t set = set_of(c, req->addr), n = 0, k;
	bool modified_too = c->dirty >= c->dirty_enough;
	uint32_t i = last_invalid(c, set * c->ways, (set + 1) * c->ways);

	if (i != CACHE_NONE)
		return i;
	for (uint32_t way = 0; way < c->ways; way++) {
		unsigned state = c->line[set * c->ways + way].state;

		if (!line_reserved(state) && (modified_too || !line_modified(state)))
			c->candidates[n++] = way;
	}
	if (n == 0)
		return CACHE_NONE;
	k = c->policy->victim(c->policy->self, set, c->candidates, n, req);
	if (k >= n) {
		hd_wrong(c->ctx, c->policy, "returned %u from victim(), with %u ways to choose from", k, n);
		k = 0;
	}
	return set * c->ways + c->candidates[k];
}

/* CA6: the line that a request without a match would get, or CACHE_NONE. */
static uint32_t oldest_of(const struct cache *c, uint64_t addr)
{
	uint32_t set = set_of(c, addr), anchor = c->lines + 2 * set;
	uint32_t i, m;

	if (c->stuck[set] == c->changes) /* a request that is retried every cycle */
		return CACHE_NONE;
	i = last_invalid(c, set * c->ways, (set + 1) * c->ways);
	if (i != CACHE_NONE)
		return i;
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

uint32_t hd__cache_victim(const struct cache *c, const struct hd_mem_req *req)
{
	if (HD_UNLIKELY(c->replacement == REPLACE_OTHER))
		return chosen(c, req);
	return oldest_of(c, req->addr);
}

/* A line is given to the request.  The policy is notified, and users that listen, if that replaces another one. */
static __attribute__((noinline, cold)) void tell(const struct cache *c, uint32_t i, const struct hd_mem_req *req)
{
	const struct line *l = &c->line[i];
	uint32_t has = 0, modified = 0, whole = (uint32_t)hd_bits_below(c->line_bytes / CACHE_SECTOR);

	if (c->policy)
		c->policy->allocated(c->policy->self, i / c->ways, i % c->ways, req);
	for (unsigned s = 0; s < CACHE_SECTORS; s++) {
		has |= (uint32_t)line_hit(l, 2 * s) << s;
		modified |= (uint32_t)(line_sector(l, s) == SECTOR_MODIFIED) << s;
	}
	for (uint32_t k = 0; l->state != 0 && k < c->users.n; k++) {
		const struct hd_cache_notices *to = c->user[k].notices;

		if (to && to->evicted)
			to->evicted(to->self, l->tag, c->sectored ? has : has * whole,
			            c->sectored ? modified : modified * whole, req);
	}
}

static void tell_lost(const struct cache *c, bool all)
{
	for (uint32_t k = 0; c->heard && k < c->users.n; k++)
		if (c->user[k].notices && c->user[k].notices->emptied)
			c->user[k].notices->emptied(c->user[k].notices->self, all);
}

/* The line gets the address and the state of its sectors, which is not that of an invalid line. */
static inline __attribute__((always_inline)) void allocate(struct cache *c, const struct hd_mem_req *req, uint32_t i,
                                                           unsigned state)
{
	struct line *l = &c->line[i];
	uint64_t tag = req->addr & c->line_mask;
	bool was = line_modified(l->state), is = line_modified(state);

	if (HD_UNLIKELY(c->heard))
		tell(c, i, req);
	if (l->state != 0)
		c->evictions++;
	else
		c->invalid[i / 64] ^= UINT64_C(1) << i % 64;
	if (l->tag != CACHE_NO_TAG)
		unchain(c, i);
	l->tag = tag;
	chain(c, i);
	if (l->flags & LINE_WRITTEN)
		memset(&c->written[i], 0, sizeof *c->written);
	l->flags = LINE_ALL_READABLE;
	l->state = (uint8_t)state;
	c->changes++;
	c->dirty += (uint32_t)is - was;
	if (was == is) {
		cache_restamp(c, i, cache_now(c));
	} else {
		l->stamp = cache_now(c);
		change_ring(c, i, is);
	}
}

/* A sector miss on a modified sector, parts of which cannot be read. */
void hd__cache_reserve_modified(struct cache *c, const struct hd_mem_req *req, uint32_t i, unsigned sector)
{
	struct line *l = &c->line[i];
	unsigned flags = l->flags & ~((unsigned)LINE_READABLE_ON_FILL << sector);

	l->flags = (uint16_t)(flags | (LINE_MODIFIED_ON_FILL | LINE_READABLE) << sector);
	cache_reuse(c, i, req);
	hd__cache_state(c, i, sector, SECTOR_RESERVED);
	if (!line_modified(l->state))
		c->dirty--;
}

/* What a modified line that is replaced takes with it. */
static __attribute__((noinline)) void evict(struct cache *c, uint32_t i, struct evicted *e)
{
	const struct line *l = &c->line[i];

	*e = (struct evicted){ .addr = l->tag, .written = c->written[i] };
	for (unsigned sector = 0; sector < CACHE_SECTORS; sector++)
		if (line_sector(l, sector) == SECTOR_MODIFIED) {
			e->sectors |= 1u << sector;
			e->size += c->atom;
		}
	hd_emit(c->ctx, EMIT_EVICT, (int64_t)e->addr, e->sectors);
}

/* The part of CA8 that a miss is, in a cache that allocates on it: line i, which hd__cache_victim() chose
 * and which has not changed since, gets the address.  Returns true if *e was evicted. */
bool hd__cache_allocate(struct cache *c, const struct hd_mem_req *req, uint32_t i, unsigned state, struct evicted *e)
{
	bool modified = line_modified(c->line[i].state);

	if (modified)
		evict(c, i, e);
	allocate(c, req, i, state);
	return modified;
}

/* CA17 on the line of the request's index, whatever address it has by now. */
void hd__cache_fill_line(struct cache *c, const struct place *at, const struct hd_mem_req *req, const uint32_t *line)
{
	struct line *l = &c->line[at->line];
	bool modified = line_modified(l->state);

	hd__cache_state(c, at->line, at->sector, l->flags & LINE_MODIFIED_ON_FILL << at->sector ?
	                SECTOR_MODIFIED : SECTOR_VALID);
	if (l->flags & LINE_READABLE_ON_FILL << at->sector) {
		l->flags |= (uint16_t)(LINE_READABLE << at->sector);
		l->flags &= (uint16_t)~(LINE_READABLE_ON_FILL << at->sector);
	}
	if (l->flags & LINE_BYTES_ON_FILL)
		cache_add_bytes(c, at, req, line);
	if (!modified && line_modified(l->state))
		c->dirty++;
}

/* CA17, on fill.  Returns the line, or CACHE_NONE if there was no way.  Modified data of a line
 * that is replaced here vanish, and a hit on a MODIFIED sector leaks a count (CA18). */
uint32_t hd__cache_forced_fill(struct cache *c, const struct hd_mem_req *req, const uint32_t *line, bool write)
{
	uint64_t addr = req->addr;
	struct place at = { .sector = cache_sector(c, addr), .word = cache_word(c, addr) };
	uint64_t tag = addr & c->line_mask;

	at.line = cache_find(c, tag);
	if (at.line == CACHE_NONE) {
		at.line = hd__cache_victim(c, req);
		if (at.line == CACHE_NONE)
			return CACHE_NONE;
		allocate(c, req, at.line, with_sector(0, at.sector, SECTOR_RESERVED));
	} else if (line_outcome(&c->line[at.line], at.sector, write) == CACHE_SECTOR_MISS) {
		cache_reserve(c, req, at.line, at.sector, SECTOR_RESERVED);
	}
	hd__cache_fill_line(c, &at, req, line);
	return at.line;
}

void hd__cache_preset(void *self, uint64_t addr, uint32_t ahead, uint32_t later)
{
	struct cache *c = self;

	c->later += ahead;
	hd__cache_forced_fill(c, &(struct hd_mem_req){ .addr = addr }, NULL, true);
	c->later += later - ahead;
}

static void becomes_invalid(struct cache *c, uint32_t i)
{
	c->line[i].state = 0;
	c->changes++;
	c->invalid[i / 64] |= hd_bit(i % 64);
}

/* The modified lines of the set whose rings begin at `ring` become invalid.  Both rings are in order, so the place of
 * each is not behind that of the one after it. */
static void drop_modified(struct cache *c, uint32_t ring)
{
	struct line *anchor = &c->line[ring + 1];
	uint32_t before = c->line[ring].older, next;

	for (uint32_t i = anchor->older; i != ring + 1; i = next) {
		next = c->line[i].older;
		c->line[i].anchor = ring;
		before = enter_before(c, i, before);
		becomes_invalid(c, i);
	}
	anchor->older = anchor->newer = ring + 1;
}

static void drop_all_modified(struct cache *c)
{
	for (uint32_t set = 0; set < c->sets; set++)
		drop_modified(c, c->lines + 2 * set);
	c->dirty = 0;
	c->used = false;
}

/* CA20, modified lines only. */
void hd__cache_flush(void *self)
{
	struct cache *c = self;

	if (!c->used)
		return;
	drop_all_modified(c);
	tell_lost(c, false);
}

/* CA20: the lines of the present sets only, their tags and flags stay. */
void hd__cache_invalidate(void *self)
{
	struct cache *c = self;
	uint32_t n = c->sets * c->ways;

	if (!c->used)
		return;
	drop_all_modified(c);
	for (uint32_t first = 0; first < n; first += 64) {
		uint64_t valid = ~c->invalid[first / 64] & hd_bits_below(n - first);

		while (valid)
			becomes_invalid(c, first + hd_bits_pop(&valid));
	}
	tell_lost(c, true);
}

void hd__cache_tags_saved(struct hd_checkpoint *k, struct cache *c)
{
	hd_saved(k, c->bucket, sizeof *c->bucket << (64 - c->spread.shift));
	hd_saved(k, c->line, ((size_t)c->lines + 2 * c->sets) * sizeof *c->line);
	hd_saved(k, c->written, c->lines * sizeof *c->written);
	hd_saved(k, c->invalid, ((size_t)c->lines / 64 + 1) * sizeof *c->invalid);
	hd_saved(k, c->stuck, c->sets * sizeof *c->stuck);
	HD_SAVED_FROM(k, c, dirty, used);
	HD_SAVED(k, c->changes);
	c->ways = (uint32_t)hd_saved_number(k, c->ways, c->max_ways);
	HD_SAVED(k, c->later);
	HD_SAVED(k, c->written_back);
}
