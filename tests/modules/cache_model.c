/* cache_model.c - a plain model of a cache
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cache_model.h"

static unsigned set_of(const struct model *m, uint64_t addr)
{
	static const int taps[3][6][11] = {
		{ { 11, 10, 9, 8, 6, 4, 3, 0, -1 }, { 12, 8, 7, 6, 5, 3, 1, 0, -1 },
		  { 9, 8, 7, 6, 4, 2, 1, -1 }, { 10, 9, 8, 7, 5, 3, 2, -1 } },
		{ { 13, 12, 11, 10, 9, 6, 5, 3, 0, -1 }, { 14, 13, 12, 11, 10, 7, 6, 4, 1, -1 },
		  { 14, 10, 9, 8, 7, 6, 3, 2, 0, -1 }, { 11, 10, 9, 8, 7, 4, 3, 1, -1 },
		  { 12, 11, 10, 9, 8, 5, 4, 2, -1 } },
		{ { 18, 17, 16, 15, 12, 10, 6, 5, 0, -1 }, { 15, 13, 12, 11, 10, 7, 5, 1, 0, -1 },
		  { 16, 14, 13, 12, 11, 8, 6, 2, 1, -1 }, { 17, 15, 14, 13, 12, 9, 7, 3, 2, -1 },
		  { 18, 16, 15, 14, 13, 10, 8, 4, 3, -1 }, { 17, 16, 15, 14, 11, 9, 5, 4, -1 } },
	};
	uint64_t block = addr / m->linesize, h = block / m->sets;
	unsigned ix = (unsigned)(block % m->sets), i, k, which;

	if (m->si == 'L')
		return ix;
	if (m->si == 'X')
		return ix ^ (unsigned)(h % m->sets);
	which = m->sets == 16 ? 0 : m->sets == 32 ? 1 : 2;
	for (i = 0; i < which + 4; i++)
		for (k = 0; taps[which][i][k] >= 0; k++)
			ix ^= (unsigned)(h >> taps[which][i][k] & 1) << i;
	return ix;
}

static bool any_sector(const struct model *m, const struct line *l, enum sector_state s)
{
	for (unsigned i = 0; i < m->nsec; i++)
		if (l->state[i] == s)
			return true;
	return false;
}

static bool is_invalid(const struct model *m, const struct line *l)
{
	return !any_sector(m, l, RESERVED) && !any_sector(m, l, VALID)
	       && !any_sector(m, l, MODIFIED);
}

static enum outcome probe(const struct model *m, uint64_t addr, unsigned sec, bool write, int *idx)
{
	uint64_t tag = addr - addr % m->linesize;
	unsigned first = set_of(m, addr) * m->ways;
	int inv = -1, old = -1;
	uint32_t best = UINT32_MAX;

	for (unsigned i = first; i < first + m->ways; i++) {
		const struct line *l = &m->line[i];

		*idx = (int)i;
		if (l->tag == tag) {
			if (l->state[sec] == RESERVED)
				return RESERVED_HIT;
			if (l->state[sec] == VALID)
				return HIT;
			if (l->state[sec] == MODIFIED)
				return write || l->readable[sec] ? HIT : SECTOR_MISS;
			if (!is_invalid(m, l))
				return SECTOR_MISS;
		}
		if (any_sector(m, l, RESERVED))
			continue;
		if (any_sector(m, l, MODIFIED) &&
		    !((float)m->dirty / (m->sets * m->ways) * 100 >= m->ratio))
			continue;
		if (is_invalid(m, l)) {
			inv = (int)i;
		} else if ((m->fifo ? l->born : l->last) < best) {
			best = m->fifo ? l->born : l->last;
			old = (int)i;
		}
	}
	*idx = inv >= 0 ? inv : old;
	return *idx < 0 ? FAIL : MISS;
}

static void init_line(struct model *m, struct line *l, uint64_t addr, unsigned sec)
{
	memset(l, 0, sizeof *l);
	l->tag = addr - addr % m->linesize;
	for (unsigned i = 0; i < 4; i++)
		l->readable[i] = true;
	l->state[sec] = RESERVED;
	l->last = l->born = m->now;
}

static void init_sector(struct model *m, struct line *l, unsigned sec)
{
	l->mod_on_fill[sec] = l->state[sec] == MODIFIED;
	l->read_on_fill[sec] = false;
	l->state[sec] = RESERVED;
	l->readable[sec] = true;
	l->last = m->now;
}

struct evicted {
	bool any;
	uint64_t addr;
	uint32_t size, sectors;
};

static enum outcome tag_access(struct model *m, uint64_t addr, unsigned sec, bool write, int *idx,
                               struct evicted *gone)
{
	enum outcome o = probe(m, addr, sec, write, idx);
	struct line *l = &m->line[*idx];

	gone->any = false;
	m->used = true;
	if (o == HIT || o == RESERVED_HIT) {
		l->last = m->now;
	} else if (!m->on_fill && o == MISS) {
		if (any_sector(m, l, MODIFIED)) {
			*gone = (struct evicted){ .any = true, .addr = l->tag };
			for (unsigned i = 0; i < m->nsec; i++)
				if (l->state[i] == MODIFIED) {
					gone->sectors |= 1u << i;
					gone->size += m->sectored ? 32 : m->linesize;
				}
			m->dirty--;
		}
		init_line(m, l, addr, sec);
	} else if (!m->on_fill && o == SECTOR_MISS) {
		bool was = any_sector(m, l, MODIFIED);

		init_sector(m, l, sec);
		if (was && !any_sector(m, l, MODIFIED))
			m->dirty--;
	}
	return o;
}

static void modify(struct model *m, struct line *l, unsigned sec)
{
	if (!any_sector(m, l, MODIFIED))
		m->dirty++;
	l->state[sec] = MODIFIED;
}

static void note_bytes(struct line *l, uint64_t addr, uint32_t bytes, unsigned linesize)
{
	for (unsigned i = 0; i < 32; i++)
		if (bytes >> i & 1)
			l->dirty[addr % linesize / 32 * 32 + i] = true;
}

static void note_readable(struct model *m, struct line *l, uint64_t addr, unsigned sec)
{
	for (unsigned i = 0; i < 32; i++)
		if (!l->dirty[addr % m->linesize / 32 * 32 + i])
			return;
	l->readable[sec] = true;
}

static struct miss_entry *entry_of(struct model *m, uint64_t key)
{
	for (unsigned i = 0; i < m->ne; i++)
		if (m->e[i].key == key)
			return &m->e[i];
	return NULL;
}

static bool entry_has_room(struct model *m, uint64_t key)
{
	struct miss_entry *e = entry_of(m, key);

	return e ? e->n < m->merge : m->ne < m->entries;
}

static bool is_full(const struct model *m, unsigned n)
{
	return m->nq + n >= m->qsize;
}

static void write_back(struct model *m, const struct evicted *gone)
{
	if (gone->any && m->wp != 'T')
		m->q[m->nq++] = (struct hd_mem_req){
			.addr = gone->addr, .size = (uint16_t)gone->size, .bytes = gone->sectors,
			.flags = HD_MEM_WRITE | HD_MEM_SILENT | HD_MEM_LINE,
		};
}

/* A read that misses, or the read that a store makes; `waits` is the request that ready()
 * returns later. */
static void read_miss(struct model *m, const struct hd_mem_req *waits, unsigned sec, int *idx)
{
	uint64_t key = waits->addr - waits->addr % (m->sectored ? 32 : m->linesize);
	struct miss_entry *e = entry_of(m, key);
	struct evicted gone;

	tag_access(m, waits->addr, sec, false, idx, &gone);
	if (!e) {
		struct hd_mem_req packet = *waits;

		e = &m->e[m->ne++];
		memset(e, 0, sizeof *e);
		e->key = key;
		packet.addr = key;
		packet.size = (uint16_t)(m->sectored ? 32 : m->linesize);
		packet.flags &= (uint16_t)~HD_MEM_WRITE;
		m->q[m->nq++] = packet;
	}
	if (e->n == 0)
		e->line = (uint32_t)*idx;
	e->req[e->n++] = *waits;
	e->atomic |= (waits->flags & HD_MEM_ATOMIC) != 0;
	write_back(m, &gone);
}

static bool store_hit(struct model *m, const struct hd_mem_req *r, unsigned sec, int idx,
                      unsigned *ev)
{
	struct line *l = &m->line[idx];
	char how = m->wp;
	struct evicted gone;

	if (how == 'L')
		how = r->flags & HD_MEM_LOCAL ? 'B' : 'E';
	if (how != 'B') {
		if (is_full(m, 0))
			return false;
		m->q[m->nq++] = *r;
		*ev |= HD_CACHE_WRITE_SENT;
	}
	if (how == 'E') {
		l->state[sec] = INVALID;
		return true;
	}
	tag_access(m, r->addr, sec, true, &idx, &gone);
	modify(m, l, sec);
	note_bytes(l, r->addr, r->bytes, m->linesize);
	note_readable(m, l, r->addr, sec);
	return true;
}

static bool store_miss(struct model *m, const struct hd_mem_req *r, unsigned sec, int idx,
                       enum outcome o, unsigned *ev)
{
	unsigned unit = m->sectored ? 32 : m->linesize;
	uint64_t key = r->addr - r->addr % unit;
	bool all = unit == 32 && r->bytes == UINT32_MAX;
	struct hd_mem_req waits = *r;
	struct evicted gone;
	struct line *l;

	if (m->wa == 'N') {
		if (is_full(m, 0))
			return false;
		m->q[m->nq++] = *r;
		*ev |= HD_CACHE_WRITE_SENT;
		return true;
	}
	if (o == FAIL)
		return false;
	if (m->wa == 'L' || (m->wa == 'F' && all)) {
		if (is_full(m, 0))
			return false;
		if (m->wa == 'L' && m->wp == 'T') {
			m->q[m->nq++] = *r;
			*ev |= HD_CACHE_WRITE_SENT;
		}
		o = tag_access(m, r->addr, sec, true, &idx, &gone);
		l = &m->line[idx];
		modify(m, l, sec);
		note_bytes(l, r->addr, r->bytes, m->linesize);
		if (m->wa == 'L') {
			l->readable[sec] = all;
			if (o == RESERVED_HIT) {
				l->mod_on_fill[sec] = l->bytes_on_fill = true;
				if (!all)
					l->read_on_fill[sec] = true;
			}
			note_readable(m, l, r->addr, sec);
		}
		write_back(m, &gone);
		return true;
	}
	if (is_full(m, m->wa == 'F' ? 1 : 2) || !entry_has_room(m, key))
		return false;
	waits.flags |= HD_MEM_ALLOC;
	if (m->wa == 'W') {
		m->q[m->nq++] = *r;
		*ev |= HD_CACHE_WRITE_SENT;
		waits.flags &= (uint16_t)~HD_MEM_WRITE;
	}
	read_miss(m, &waits, sec, &idx);
	if (m->wa == 'F')
		m->line[idx].mod_on_fill[sec] = m->line[idx].bytes_on_fill = true;
	*ev |= HD_CACHE_ALLOC_SENT;
	return true;
}

static bool load(struct model *m, const struct hd_mem_req *r, unsigned sec, int idx, enum outcome o)
{
	uint64_t key = r->addr - r->addr % (m->sectored ? 32 : m->linesize);
	struct evicted gone;

	if (o == HIT) {
		tag_access(m, r->addr, sec, false, &idx, &gone);
		if (r->flags & HD_MEM_ATOMIC) {
			modify(m, &m->line[idx], sec);
			note_bytes(&m->line[idx], r->addr, r->bytes, m->linesize);
		}
		return true;
	}
	if (o == FAIL || is_full(m, m->wp == 'R' ? 0 : 1) || !entry_has_room(m, key))
		return false;
	read_miss(m, r, sec, &idx);
	return true;
}

static unsigned sector_of(const struct model *m, uint64_t addr)
{
	return m->sectored ? (unsigned)(addr % m->linesize / 32) : 0;
}

enum hd_cache_status model_access(struct model *m, const struct hd_mem_req *r, unsigned *ev)
{
	bool write = (r->flags & HD_MEM_WRITE) != 0, ok;
	unsigned sec = sector_of(m, r->addr);
	int idx;
	enum outcome o = probe(m, r->addr, sec, write, &idx);

	*ev = 0;
	ok = !write ? load(m, r, sec, idx, o) :
	     o == HIT ? store_hit(m, r, sec, idx, ev) : store_miss(m, r, sec, idx, o, ev);
	if (ok && o == FAIL) /* a store without allocation */
		o = MISS;
	m->outcomes[write][ok ? o : FAIL]++;
	return !ok ? HD_CACHE_FAIL : o == HIT ? HD_CACHE_HIT : HD_CACHE_MISS;
}

void model_fill(struct model *m, uint64_t key)
{
	struct miss_entry *e = entry_of(m, key);
	const struct hd_mem_req *r = &e->req[0];
	unsigned sec = sector_of(m, r->addr);
	int idx = (int)e->line;
	struct line *l;
	bool was;

	if (m->on_fill) {
		enum outcome o = probe(m, r->addr, sec, false, &idx);

		if (o != FAIL) {
			was = any_sector(m, &m->line[idx], MODIFIED);
			if (o == MISS)
				init_line(m, &m->line[idx], r->addr, sec);
			else if (o == SECTOR_MISS)
				init_sector(m, &m->line[idx], sec);
			if (was && !any_sector(m, &m->line[idx], MODIFIED))
				m->dirty--;
		}
	}
	if (idx >= 0) {
		l = &m->line[idx];
		was = any_sector(m, l, MODIFIED);
		l->state[sec] = l->mod_on_fill[sec] ? MODIFIED : VALID;
		if (l->read_on_fill[sec]) {
			l->readable[sec] = true;
			l->read_on_fill[sec] = false;
		}
		if (l->bytes_on_fill)
			note_bytes(l, r->addr, r->bytes, m->linesize);
		if (!was && any_sector(m, l, MODIFIED))
			m->dirty++;
		if (e->atomic) {
			modify(m, l, sec);
			note_bytes(l, r->addr, r->bytes, m->linesize);
		}
	}
	m->readykey[m->nready++] = key;
}

const struct hd_mem_req *model_ready(struct model *m)
{
	return m->nready ? &entry_of(m, m->readykey[0])->req[0] : NULL;
}

void model_taken(struct model *m)
{
	struct miss_entry *e = entry_of(m, m->readykey[0]);

	e->n--;
	memmove(&e->req[0], &e->req[1], e->n * sizeof e->req[0]);
	if (e->n == 0) {
		*e = m->e[--m->ne];
		m->nready--;
		memmove(&m->readykey[0], &m->readykey[1], m->nready * sizeof m->readykey[0]);
	}
}

void model_invalidate(struct model *m)
{
	if (!m->used)
		return;
	for (unsigned i = 0; i < m->sets * m->ways; i++)
		for (unsigned k = 0; k < 4; k++)
			m->line[i].state[k] = INVALID;
	m->dirty = 0;
	m->used = false;
}
