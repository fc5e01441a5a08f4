/* dram_schedule.c - which request of which bank is served next
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dram_parts.h"

/* No room for one more request of this kind. */
bool hd__dram_full(const struct dram *d, bool write)
{
	if (d->scheduler != SCHEDULER_FRFCFS)
		return d->input.count >= 2;
	if (d->queue == 0)
		return false; /* stores neither */
	if (d->separate_writes && write)
		return d->write_queue && d->pending_writes >= d->write_queue;
	return d->pending_reads >= d->queue;
}

static void assign(struct dram *d, uint32_t j, hd_mem_ref ref)
{
	struct bank *b = &d->bank[j];

	b->current = ref;
	b->issued = 0;
	hd_mem_at(d->ctx, d->pool, ref, MARK_BANK, *d->base.now, HD_MEM_AT_DRAM);
	dram_add(b->open && b->row == hd_mem(d->pool, ref)->row ? &d->hits : &d->misses, j);
	dram_drop(&d->waits[0], j);
	dram_drop(&d->waits[1], j);
	d->current++;
	d->assigned++;
}

static void sort_input(struct dram *d)
{
	while (d->input.count) {
		hd_mem_ref ref = dram_remove(d, &d->input);
		uint32_t j = hd_mem(d->pool, ref)->bank;
		struct bank *b = &d->bank[j];
		bool write = d->separate_writes && dram_is_write(d, ref);

		dram_append(d, write ? &b->write.all : &b->read.all, ref);
		if (write)
			d->pending_writes++;
		else
			d->pending_reads++;
		if (!b->current)
			dram_add(&d->waits[write], j);
	}
}

/* Takes the oldest request for the row, 0: there is none; *more: others are left. */
static hd_mem_ref take_row(const struct dram *d, struct list *l, uint32_t row, bool *more)
{
	hd_mem_ref before = 0, found = 0, found_before = 0;

	*more = false;
	for (hd_mem_ref r = l->head; r; before = r, r = hd_mem(d->pool, r)->next) {
		if (hd_mem(d->pool, r)->row != row)
			continue;
		if (found) { /* the next one to be found, and it is looked for behind that */
			hd_mem_fetch(d->pool, hd_mem(d->pool, r)->next);
			*more = true;
			break;
		}
		found = r;
		found_before = before;
	}
	if (!found)
		return 0;
	if (found_before)
		hd_mem(d->pool, found_before)->next = hd_mem(d->pool, found)->next;
	else
		l->head = hd_mem(d->pool, found)->next;
	if (l->tail == found)
		l->tail = found_before;
	l->count--;
	return found;
}

/* Requests to the row that was chosen last go first, as long as there are any; then those to the row
 * that the bank has or had open, row 0 at the start; then those to the row of the oldest one. */
static hd_mem_ref select_from(struct dram *d, const struct bank *b, struct waiting *w)
{
	hd_mem_ref ref;
	bool more;

	if (w->selected) {
		d->row_hits++;
	} else {
		w->row = b->row;
		ref = take_row(d, &w->all, w->row, &more);
		if (ref) {
			w->selected = more;
			d->row_hits++;
			return ref;
		}
		w->row = hd_mem(d->pool, w->all.head)->row;
	}
	ref = take_row(d, &w->all, w->row, &more);
	w->selected = more;
	return ref;
}

/* Are stores served? */
static bool find_mode(struct dram *d)
{
	if (d->separate_writes) {
		if (!d->write_mode && d->pending_writes >= d->write_high)
			d->write_mode = true;
		else if (d->write_mode && d->pending_writes < d->write_low)
			d->write_mode = false;
	}
	return d->write_mode;
}

/* One bank gets a request in a tick. */
static void schedule_frfcfs(struct dram *d)
{
	uint32_t n = d->nbanks, j;
	struct bank *b;
	bool write;

	sort_input(d);
	if (d->current == n || (d->pending_reads + d->pending_writes == 0 && !d->separate_writes))
		return;
	write = find_mode(d);
	j = dram_next(&d->waits[write], d->prio, n);
	if (j == n && (j = dram_next(&d->waits[write], 0, d->prio)) == d->prio)
		return;
	b = &d->bank[j];
	assign(d, j, select_from(d, b, write ? &b->write : &b->read));
	if (write)
		d->pending_writes--;
	else
		d->pending_reads--;
	d->prio = (d->prio + 1) & (n - 1);
}

static void schedule_fifo(struct dram *d)
{
	uint32_t j;

	if (d->input.count == 0)
		return;
	j = hd_mem(d->pool, d->input.head)->bank;
	if (!d->bank[j].current)
		assign(d, j, dram_remove(d, &d->input));
}

void hd__dram_schedule(struct dram *d)
{
	if (d->scheduler == SCHEDULER_FIFO)
		schedule_fifo(d);
	else
		schedule_frfcfs(d);
}
