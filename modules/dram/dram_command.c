/* dram_command.c - activates, precharges, column commands, and the data that they move
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dram_parts.h"

/* ---- data on their way: slots, one of which leaves in a tick ---- */

static hd_mem_ref *slot(const struct dram *d, uint32_t i)
{
	return &d->pipe[(d->pipe_head + i) & d->pipe_mask];
}

static void push(struct dram *d, hd_mem_ref ref)
{
	uint32_t n = d->pipe_length;

	if (n >= d->pipe_least && n > 0 && *slot(d, n - 1) == 0)
		*slot(d, n - 1) = ref;
	else
		*slot(d, d->pipe_length++) = ref;
	d->pipe_used++;
}

static hd_mem_ref pop(struct dram *d)
{
	hd_mem_ref ref;

	if (d->pipe_length == 0)
		return 0;
	ref = *slot(d, 0);
	d->pipe_head++;
	d->pipe_length--;
	if (d->pipe_length < d->pipe_least)
		*slot(d, d->pipe_length++) = 0;
	d->pipe_used -= ref != 0;
	return ref;
}

static void set_least(struct dram *d, uint32_t least)
{
	d->pipe_least = least;
	while (d->pipe_length < least)
		*slot(d, d->pipe_length++) = 0;
	while (d->pipe_length > least && *slot(d, d->pipe_length - 1) == 0)
		d->pipe_length--;
}

/* Data that leave the pipeline have been moved. */
void hd__dram_transfer(struct dram *d)
{
	struct hd_mem *m;
	hd_mem_ref ref;

	if (d->pipe_used == 0 || d->returned.count >= d->return_size)
		return; /* without data the slots that leave and those that enter are the same */
	ref = pop(d);
	if (!ref)
		return;
	m = hd_mem(d->pool, ref);
	m->moved += d->atom;
	if (m->moved < m->line.req.size)
		return;
	if (m->line.req.flags & HD_MEM_SILENT) {
		hd__dram_give_credit(d, ref);
		d->written_back++;
		hd_release(d->pool, ref);
	} else {
		dram_append(d, &d->returned, ref);
		hd_mem_at(d->ctx, d->pool, ref, MARK_RETURNED, *d->base.now, HD_MEM_AT_REPLY);
	}
}

/* ---- commands ---- */

/* A column command: a bank whose request has had all of them is free. */
static void move_data(struct dram *d, uint32_t j)
{
	struct bank *b = &d->bank[j];

	push(d, b->current);
	dram_moved(d, b->current, d->atom);
	d->ccd = d->tick + d->t_ccd;
	d->group[b->group].ccdl = d->tick + d->t_ccdl;
	b->issued += d->atom;
	if (b->issued >= hd_mem(d->pool, b->current)->line.req.size) {
		b->current = 0;
		d->current--;
		dram_drop(&d->hits, j);
		if (b->read.all.count)
			dram_add(&d->waits[0], j);
		if (b->write.all.count)
			dram_add(&d->waits[1], j);
	}
}

/* May any bank have a column command in this tick? */
static bool column_fits(const struct dram *d)
{
	return d->ccd <= d->tick && d->pipe_length <= d->cl;
}

/* For a bank whose request is to its open row, if any may have one. */
static bool column(struct dram *d, uint32_t j)
{
	struct bank *b = &d->bank[j];
	struct group *g = &d->group[b->group];

	if (g->ccdl > d->tick)
		return false;
	if (dram_is_write(d, b->current)) {
		if (b->rcdwr > d->tick || d->rtw > d->tick)
			return false;
		if (!d->writing) {
			d->writing = true;
			set_least(d, d->wl);
		}
		d->wtr = d->tick + d->t_wtr;
		b->wtp = d->tick + d->t_wtp;
		d->writes++;
	} else {
		if (b->rcd > d->tick || d->wtr > d->tick)
			return false;
		if (d->writing) {
			d->writing = false;
			set_least(d, d->cl);
		}
		d->rtw = d->tick + d->t_rtw;
		b->rtp = d->tick + d->burst_cycles;
		g->rtpl = d->tick + d->t_rtpl;
		d->reads++;
		d->allocate_reads += (hd_mem(d->pool, b->current)->line.req.flags & HD_MEM_ALLOC) != 0;
	}
	move_data(d, j);
	return true;
}

/* For a bank whose request is to another row than the open one. */
static bool row(struct dram *d, uint32_t j)
{
	struct bank *b = &d->bank[j];

	if (!b->open) {
		if (d->rrd > d->tick || b->rp > d->tick || b->rc > d->tick)
			return false;
		b->row = hd_mem(d->pool, b->current)->row;
		b->open = true;
		dram_drop(&d->misses, j);
		dram_add(&d->hits, j);
		d->rrd = d->tick + d->t_rrd;
		b->rcd = d->tick + d->t_rcd;
		b->rcdwr = d->tick + d->t_rcdwr;
		b->ras = d->tick + d->t_ras;
		b->rc = d->tick + d->t_rc;
		d->activates++;
	} else {
		if (b->ras > d->tick || b->wtp > d->tick || b->rtp > d->tick
		    || d->group[b->group].rtpl > d->tick)
			return false;
		b->open = false;
		b->rp = d->tick + d->t_rp;
		d->precharges++;
	}
	d->prio = (j + 1) & (d->nbanks - 1);
	return true;
}

/* The first of some banks for which there can be a command gets it. */
static bool first_column(struct dram *d, uint32_t from, uint32_t to)
{
	for (uint32_t j = from; (j = dram_next(&d->hits, j, to)) < to; j++)
		if (column(d, j))
			return true;
	return false;
}

static bool first_row(struct dram *d, uint32_t from, uint32_t to)
{
	for (uint32_t j = from; (j = dram_next(&d->misses, j, to)) < to; j++)
		if (row(d, j))
			return true;
	return false;
}

/* One command of each kind in a tick. */
static bool command_dual(struct dram *d)
{
	uint32_t first = d->prio, n = d->nbanks;
	bool col = column_fits(d) && (first_column(d, first, n) || first_column(d, 0, first));

	return first_row(d, first, n) || first_row(d, 0, first) || col;
}

/* One bus for both kinds.  The reference continues after a row command, from the bank that it
 * made the first one, and may issue a column command in the same tick. */
static bool command_single(struct dram *d)
{
	bool fits = column_fits(d), col = false, any = false;

	for (uint32_t i = 0; i < d->nbanks && !col; i++) {
		uint32_t j = (i + d->prio) & (d->nbanks - 1);

		if (dram_has(&d->hits, j))
			col = fits && column(d, j);
		else if (!any && dram_has(&d->misses, j))
			any = row(d, j);
	}
	return col || any;
}

void hd__dram_command(struct dram *d)
{
	if (d->current)
		d->active += d->dual_bus ? command_dual(d) : command_single(d);
}
