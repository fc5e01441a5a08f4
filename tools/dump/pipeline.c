/* pipeline.c - collects the rows and columns of a picture of cycles and stages
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory is needed for the rows drawn.  Columns are the cycles around changes: where nothing
 * changes in any row for some time, one column stands for all of these cycles, so that there are
 * never many more columns than changes.
 */
#include "pipeline.h"
#include "base/xalloc.h"
#include "dump_print.h"

#include <inttypes.h>

#define MOST_ROWS 200u /* unless the number is given */
#define MOST_STAYS (UINT64_C(1) << 20)
#define FOLDED 8u      /* as many cycles without a change are drawn one by one */

/* ---- rows ---- */

/* Labels are one line of visible characters. */
static char *one_line(char *s)
{
	for (char *c = s; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return s;
}

/* "mem addr=0x7f00 warp=3": the fields of a transaction that is not an instruction. */
static char *fields_text(const struct dump *d, const struct dump_item *item)
{
	const struct dump_table *t = item->rows->table;
	char *text = hd__xstrdup(t->name), *more;

	for (unsigned i = 0; i < t->n; i++) {
		const struct dump_field *f = &t->fields[i];
		int64_t v = item->rows->field[i][item->row];
		const char *name = dump_name(d, f->names, NULL, v);

		more = name ? hd__format("%s %s=%s", text, f->name, name)
		     : f->hex ? hd__format("%s %s=0x%" PRIx64, text, f->name, (uint64_t)v)
		     : hd__format("%s %s=%" PRId64, text, f->name, v);
		free(text);
		text = more;
	}
	return text;
}

static void describe(const struct pipeline *p, const struct dump_item *item, struct pipeline_row *r)
{
	const struct dump_known *k = &p->known;
	struct dump_code code;
	int64_t number;

	r->core = dump_core_of_item(k, item);
	r->warp = -1;
	if ((int)item->table != k->inst) {
		r->text = one_line(fields_text(p->d, item));
		return;
	}
	number = item->rows->field[k->code][item->row];
	r->known = dump_code(p->d, number, &code);
	r->warp = item->rows->field[k->warp][item->row];
	r->mask = (uint32_t)dump_value(item->rows, k->mask, item->row, UINT32_MAX);
	r->issued = item->rows->field[k->uid][item->row] != 0;
	r->kernel = code.kernel;
	r->pc = code.pc;
	r->text = one_line(hd__xstrdup(r->known ? code.text : "(unknown instruction)"));
}

/* The instruction leaves where its last stay of no cycles is: writeback, as a rule. */
static void find_ending(const struct pipeline *p, const struct dump_item *item,
                        struct pipeline_row *r)
{
	const struct dump_transaction *t = item->transaction;
	const struct dump_step *last = t->n ? &t->steps[t->n - 1] : NULL;

	r->last = UINT32_MAX;
	if (t->unfinished) {
		r->ending = PIPELINE_GOES_ON;
	} else if ((int)item->table == p->known.inst
	           && item->rows->field[p->known.uid][item->row] == 0) {
		r->ending = PIPELINE_FLUSHED;
	} else if (last && last->cycles == 0) {
		r->ending = p->letters->at[last->place];
		r->last = last->place;
	}
}

static void add_stays(struct pipeline *p, const struct dump_transaction *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct dump_step *s = &t->steps[i];

		if (s->cycles == 0)
			continue;
		p->stays = hd__xgrow(p->stays, p->nstays, &p->capstays, sizeof *p->stays);
		p->stays[p->nstays++] = (struct pipeline_stay){ s->cycle, s->cycles, s->place };
	}
}

static bool take(void *arg, const struct dump_item *item)
{
	struct pipeline *p = arg;
	const struct dump_transaction *t = item->transaction;
	struct pipeline_row *r;

	if (!t)
		return true;
	if (p->nrows == p->most || p->nstays + t->n > MOST_STAYS) {
		p->more = true;
		return false;
	}
	p->rows = hd__xgrow(p->rows, p->nrows, &p->caprows, sizeof *p->rows);
	r = &p->rows[p->nrows++];
	*r = (struct pipeline_row){ .begin = t->begin, .end = t->end, .first = p->nstays };
	add_stays(p, t);
	r->n = p->nstays - r->first;
	find_ending(p, item, r);
	describe(p, item, r);
	return true;
}

/* What is the same in all rows is not in their labels: the kernel, a full mask (of those that
 * are issued), the core, which the ruler has. */
static void find_differences(const struct pipeline *p, bool *kernels, bool *masks, bool *cores)
{
	uint32_t kernel = 0; /* 0: of none so far */

	*kernels = *masks = *cores = false;
	for (size_t i = 0; i < p->nrows; i++) {
		const struct pipeline_row *r = &p->rows[i];

		*kernels = *kernels || (kernel && r->known && r->kernel != kernel);
		kernel = r->known ? r->kernel : kernel;
		*masks = *masks || (r->issued && r->mask != UINT32_MAX);
		*cores = *cores || r->core != p->rows[0].core;
	}
}

static char *label_of(const struct pipeline *p, const struct pipeline_row *r, bool kernels, bool masks)
{
	const char *core = *p->core ? "" : p->known.cores->paths[r->core];
	char kernel[32] = "", mask[32] = "", pc[32] = "";

	if (r->warp < 0)
		return hd__format("%s%s%s", core, *core ? " " : "", r->text);
	if (kernels && r->known)
		snprintf(kernel, sizeof kernel, "k%" PRIu32 " ", r->kernel);
	if (r->known)
		snprintf(pc, sizeof pc, "0x%04" PRIx32 " ", r->pc);
	if (masks)
		snprintf(mask, sizeof mask, "%08" PRIx32 " ", r->mask);
	return hd__format("%s%sw%" PRId64 " %s%s%s%s", core, *core ? " " : "", r->warp, kernel, pc, mask,
	                  r->text);
}

static void make_labels(struct pipeline *p)
{
	bool kernels, masks, cores;

	find_differences(p, &kernels, &masks, &cores);
	p->core = cores ? "" : p->known.cores->paths[p->rows[0].core];
	for (size_t i = 0; i < p->nrows; i++)
		p->rows[i].label = label_of(p, &p->rows[i], kernels, masks);
}

/* Of instructions decoded together, those that are never issued come last: they are of a wrong
 * path. */
static int by_begin(const void *pa, const void *pb)
{
	const struct pipeline_row *a = pa, *b = pb;
	bool lost = a->ending == PIPELINE_FLUSHED, other = b->ending == PIPELINE_FLUSHED;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (lost != other)
		return lost ? 1 : -1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* ---- columns ---- */

struct changes {
	uint64_t *v, first, last; /* of the cycles drawn */
	size_t n, cap;
};

static void add_change(struct changes *c, uint64_t cycle)
{
	if (cycle < c->first || cycle > c->last)
		return;
	c->v = hd__xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	c->v[c->n++] = cycle;
}

static int by_cycle(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

static void find_changes(const struct pipeline *p, struct changes *c)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = 0; i < p->nrows; i++) {
		const struct pipeline_row *r = &p->rows[i];

		begin = r->begin < begin ? r->begin : begin;
		end = r->end > end ? r->end : end;
		add_change(c, r->begin + 1);
		for (size_t k = 0; k < r->n; k++)
			add_change(c, p->stays[r->first + k].cycle);
		add_change(c, r->end);
		if (r->ending)
			add_change(c, r->end + 1);
	}
	add_change(c, begin > c->first ? begin : c->first);
	if (c->last < UINT64_MAX && end > c->last)
		add_change(c, c->last);
	qsort(c->v, c->n, sizeof *c->v, by_cycle);
}

static void add_column(struct pipeline *p, uint64_t cycle, uint64_t n)
{
	p->columns = hd__xgrow(p->columns, p->ncolumns, &p->capcolumns, sizeof *p->columns);
	p->columns[p->ncolumns++] = (struct pipeline_column){ cycle, n };
}

/* The last change is where everything drawn has ended, or the last cycle drawn. */
static void make_columns(struct pipeline *p)
{
	const struct hd_range_list *cycles = &p->q->filter.cycles;
	struct changes c = { .first = 0, .last = UINT64_MAX - 1 };

	if (cycles->n) {
		c.first = cycles->v[0].first;
		c.last = cycles->v[cycles->n - 1].last;
		c.last = c.last < UINT64_MAX - 1 ? c.last + 1 : c.last;
	}
	find_changes(p, &c);
	for (size_t i = 0; i + 1 < c.n; i++) {
		uint64_t n = c.v[i + 1] - c.v[i];

		if (n == 0)
			continue;
		add_column(p, c.v[i], 1);
		if (n - 1 > FOLDED)
			add_column(p, c.v[i] + 1, n - 1);
		else
			for (uint64_t k = 1; k < n; k++)
				add_column(p, c.v[i] + k, 1);
	}
	free(c.v);
}

/* ---- the picture ---- */

bool dump_pipeline(struct dump *d, const struct dump_query *q, FILE *out)
{
	struct pipeline p = { .d = d, .q = q, .most = q->head ? q->head : MOST_ROWS };
	struct dump_query wanted = *q;
	bool any;

	dump_know(&p.known, d);
	wanted.table_wanted = dump_query_transactions(q, d, p.known.inst);
	p.letters = dump_letters_new(d, &wanted);
	dump_in_order(d, &wanted, take, &p);
	any = p.nrows > 0;
	if (any) {
		qsort(p.rows, p.nrows, sizeof *p.rows, by_begin);
		make_labels(&p);
		make_columns(&p);
		dump_draw_pipeline(&p, q->columns, out);
	} else {
		fprintf(stderr, "heddle: %s: no instructions in this selection; 'heddle dump --info' lists "
		        "what is in the dump\n", d->path);
	}
	for (size_t i = 0; i < p.nrows; i++) {
		free(p.rows[i].label);
		free(p.rows[i].text);
	}
	free(p.rows);
	free(p.stays);
	free(p.columns);
	free(wanted.table_wanted);
	dump_letters_free(p.letters);
	dump_known_free(&p.known);
	return any;
}
