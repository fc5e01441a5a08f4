/* exec_races.c - accesses of two threads to a word that nothing puts in an order
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Two accesses are a race if one of them writes another value, not both are atomic or strong, and none of these
 * puts one before the other: barriers of the block; that both lanes were active in an instruction from the earlier
 * access on; a fence and then an atomic operation or strong store, which an atomic operation or strong load of the
 * later warp, or of a warp that barriers put before it, has seen. What one warp has released counts as released by
 * all: some races are not found, so that few findings are none.
 */
#include "exec_check.h"

/* ---- lanes ---- */

void hd__check_together(struct exec_warp *w, uint32_t active)
{
	struct exec_warp_check *s = w->check;
	uint64_t now = w->run->x->check->time;

	if (s->mask != active) {
		for (uint32_t i = 0; i < EXEC_LANES; i++)
			for (uint32_t j = 0; s->mask >> i & 1 && j < EXEC_LANES; j++)
				if (s->mask >> j & 1)
					s->together[i][j] = s->now;
		s->mask = active;
	}
	s->now = now;
}

/* ---- order ---- */

static bool is_before(const struct exec_warp *w, unsigned lane, enum exec_space space, const struct exec_access *p)
{
	const struct exec_warp_check *s = w->check;

	if (space == EXEC_SHARED && p->time <= w->block->check->begun) /* of a block before, in memory of its own */
		return true;
	if (p->time <= w->run->x->check->begun || p->time <= s->acquired)
		return true;
	if (p->block != w->block->number)
		return false;
	if (p->time <= s->known[p->warp])
		return true;
	return p->warp == w->number && (p->lane == lane || s->together[p->lane][lane] >= p->time
	                                || (s->mask >> p->lane & 1 && p->time != w->run->x->check->time));
}

/* ---- values ---- */

/* Are these bytes there already?  One lane of the same instruction has not yet written. */
static bool is_there(const struct exec_warp *w, enum exec_space space, uint64_t address, uint32_t bytes,
		     const void *value)
{
	const unsigned char *p =
		space == EXEC_SHARED ? w->block->shared + address : (const unsigned char *)(uintptr_t)address;

	return value && memcmp(p, value, bytes) == 0;
}

struct access {
	struct exec_warp *w;
	uint32_t pc;
	unsigned lane;
	enum exec_space space;
	enum exec_how how;
	enum exec_order_of order;
	uint64_t address; /* of the word */
	uint32_t bytes;   /* a mask of those in the word */
	const uint32_t *value;
	bool same;        /* its bytes are there already */
};

/* Values that lanes of one instruction write: theirs are in a row, as those of this lane. */
static bool same_instruction(const struct access *a, const struct exec_access *p)
{
	return p->time == a->w->run->x->check->time && p->block == a->w->block->number && a->value
	       && a->value[0] == a->value[(int)p->lane - (int)a->lane];
}

/* Do both say that others may access the word at the same time?  A loop with CAS may begin with any read, and so does
 * waiting at a barrier in memory. */
static bool by_intent(const struct access *a, const struct exec_access *p, bool was_read)
{
	if (a->order != EXEC_WEAK && p->order != EXEC_WEAK)
		return true;
	return (a->how == EXEC_READS && p->order >= EXEC_ARRIVES) || (was_read && a->order >= EXEC_ARRIVES);
}

static void compare(const struct access *a, const struct exec_access *p, bool reads)
{
	struct exec_other other;

	if (!p->time || !(p->bytes & a->bytes) || by_intent(a, p, reads) || is_before(a->w, a->lane, a->space, p)
	    || (a->how != EXEC_READS && a->same && !(p->time == a->w->run->x->check->time))
	    || same_instruction(a, p))
		return;
	other = hd__check_other(a->w, p->pc, p->block, p->warp, p->lane);
	hd__check_find(
		a->w, a->pc, a->lane, HD_EXEC_RACE, a->address, &other,
		"%s %s memory at 0x%llx, which thread (%u,%u,%u) of block (%u,%u,%u) %s%s; nothing orders the two",
		a->how == EXEC_READS    ? "reads"
		: a->how == EXEC_WRITES ? "writes"
					: "changes",
		hd__check_space(a->space), (unsigned long long)a->address, other.thread[0], other.thread[1],
		other.thread[2], other.block[0], other.block[1], other.block[2],
		reads                                  ? "has read"
		: p->time == a->w->run->x->check->time ? "writes in the same instruction"
						       : "wrote",
		p->order && !reads ? " atomically" : "");
}

/* ---- words ---- */

static struct exec_cell *cell_of(struct exec_warp *w, enum exec_space space, uint64_t address)
{
	struct exec_page *p;

	if (space == EXEC_SHARED)
		return &w->block->check->cell[address / 4];
	p = hd__check_page(w->run->x->check, address);
	if (!p->cell)
		p->cell = hd__xcalloc(EXEC_PAGE / 4, sizeof *p->cell);
	return &p->cell[address % EXEC_PAGE / 4];
}

static void word(struct access *a)
{
	struct exec_warp *w = a->w;
	struct exec_cell *c = cell_of(w, a->space, a->address);
	struct exec_access now = { .time = w->run->x->check->time, .warp = w->number & 31, .lane = a->lane & 31,
		.bytes = a->bytes & 15, .order = a->order & 3,
		.block = w->block->number & ((UINT64_C(1) << 42) - 1), .pc = a->pc & ((1u << 22) - 1) };

	if ((a->order != EXEC_WEAK || c->writer.order == EXEC_ARRIVES) && c->released > w->check->acquired)
		w->check->acquired = c->released;
	compare(a, &c->writer, false);
	if (a->how == EXEC_READS) {
		if (c->reader[0].block != now.block || c->reader[0].warp != now.warp)
			c->reader[1] = c->reader[0];
		c->reader[0] = now;
		return;
	}
	compare(a, &c->reader[0], true);
	compare(a, &c->reader[1], true);
	c->writer = now;
	if (a->order == EXEC_ARRIVES) /* it is a fence as well */
		w->check->fenced = now.time;
	if (a->order != EXEC_WEAK && w->check->fenced > c->released)
		c->released = w->check->fenced;
}

void hd__check_race(struct exec_warp *w, uint32_t pc, unsigned lane, enum exec_space space, uint64_t address,
                    uint32_t bytes, enum exec_how how, enum exec_order_of order, const uint32_t *value)
{
	while (bytes) {
		uint32_t from = address % 4, n = 4 - from < bytes ? 4 - from : bytes;
		struct access a = { .w = w, .pc = pc, .lane = lane, .space = space, .how = how, .value = value,
			.address = address - from, .bytes = ((1u << n) - 1) << from, .order = order };

		a.same = value && is_there(w, space, address, n, value);
		word(&a);
		address += n;
		bytes -= n;
		value = value ? value + EXEC_LANES : NULL;
	}
}
