/* report_launches.c - launches of kernels and their CTAs: time, dispatcher, and their figures in the statistics
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A kernel that several instances launch, each for itself, is several launches.  Their times are in
 * events that any module may report: "kernel" with the fields kernel and cycles, "cta" and "cta_end" with the field
 * slot.  Data that is not in events is taken from the statistics, or derived from the instructions.
 */
#include "report.h"
#include "base/xalloc.h"

/* ---- events ---- */

/* CTAs that are resident, by instance << 32 | slot: the cycle of their placement, + 1. */
struct residents {
	struct report *r;
	struct hd_int_map now, next; /* next: placed in a slot that is freed in the same cycle */
};

static uint64_t slot_of(const struct dump_item *i)
{
	int slot = dump_find_field(i->rows->table, "slot");

	return (uint64_t)i->rows->who[i->row] << 32
	       | ((uint64_t)i->rows->field[slot][i->row] & UINT32_MAX);
}

static void resided(struct report *r, uint64_t begin, uint64_t end)
{
	if (begin && end > begin - 1)
		report_spread(&r->ctas, &r->bins, begin - 1, end, 1000);
}

/* A CTA is placed, or ends. */
static bool take_cta(void *arg, const struct dump_item *i)
{
	struct residents *in = arg;
	uint64_t slot = slot_of(i), *now = hd__int_map_at(&in->now, slot);
	uint64_t *next = hd__int_map_at(&in->next, slot);

	if (dump_is_event(i->rows->table, "cta_end")) {
		resided(in->r, *now, i->begin);
		*now = *next;
		*next = 0;
		return true;
	}
	if (*next) { /* the end of an earlier one is missing */
		resided(in->r, *now, in->r->cycles);
		*now = *next;
	}
	*(*now ? next : now) = i->begin + 1;
	return true;
}

static void read_ctas(struct report *r)
{
	struct residents in = { .r = r };
	struct dump_query q = { .head = 0 };
	uint64_t slot, begin;
	bool any = false;

	for (uint32_t i = 0; i < r->d->ntables; i++) {
		const struct dump_table *t = &r->d->tables[i];

		if ((!dump_is_event(t, "cta") && !dump_is_event(t, "cta_end")) || dump_find_field(t, "slot") < 0)
			continue;
		dump_query_event(&q, r->d, (int)i);
		any = true;
	}
	if (any && dump_query_bind(&q, r->d))
		dump_in_order(r->d, &q, take_cta, &in);
	dump_query_free(&q, r->d);
	for (size_t at = 0; hd__int_map_next(&in.now, &at, &slot, &begin);)
		resided(r, begin, r->cycles);
	for (size_t at = 0; hd__int_map_next(&in.next, &at, &slot, &begin);)
		resided(r, begin, r->cycles);
	hd__int_map_free(&in.now);
	hd__int_map_free(&in.next);
}

void report_events(struct report *r)
{
	r->launches = dump_launches(r->d);
	read_ctas(r);
}

/* ---- statistics ---- */

static uint32_t instance_of(const struct dump *d, const json_t *row)
{
	const char *path = json_string_value(json_object_get(row, "instance"));

	for (uint32_t i = 0; path && i < d->ninstances; i++)
		if (strcmp(d->instances[i].path, path) == 0)
			return i;
	return REPORT_NEVER; /* a single one has statistics */
}

/* The figures of each instance and queue are left out: the page does not show them. */
void report_counted(struct report *r, const char *table, const json_t *row)
{
	json_t *kept, *v;
	const char *name;

	if (strcmp(table, "kernels") != 0 || r->ncounted == REPORT_LAUNCHES)
		return;
	kept = hd__xcheck(json_object());
	json_object_foreach((json_t *)row, name, v)
		if (!json_is_object(v) && !json_is_array(v))
			json_object_set(kept, name, v);
	r->counted = hd__xgrow(r->counted, r->ncounted, &r->capcounted, sizeof *r->counted);
	r->counted[r->ncounted++] = (struct report_counted){
		(uint64_t)json_integer_value(json_object_get(row, "id")), instance_of(r->d, row), kept };
}

/* Statistics have the number of a launch in the trace, dumps its position in the list. */
static bool is_row_of(const struct report *r, const struct report_counted *c, const struct dump_launch *l)
{
	return c->launch == r->d->kernels[l->kernel].launch
	       && (c->who == l->who || c->who == REPORT_NEVER);
}

static bool is_known(const struct report *r, const struct report_counted *c)
{
	for (size_t i = 0; i < r->launches.n; i++)
		if (is_row_of(r, c, &r->launches.v[i]))
			return true;
	return false;
}

static void add(struct report *r, uint32_t kernel, uint32_t who, uint64_t begin, uint64_t end)
{
	struct dump_launches *l = &r->launches;

	l->v = hd__xgrow(l->v, l->n, &l->cap, sizeof *l->v);
	l->v[l->n++] = (struct dump_launch){ kernel, who, begin, end };
}

/* Launches without an event. */
static void add_counted(struct report *r)
{
	for (size_t i = 0; i < r->ncounted; i++) {
		const struct report_counted *c = &r->counted[i];
		bool known = is_known(r, c);

		for (uint32_t k = 0; k < r->d->nkernels && !known; k++)
			if (r->d->kernels[k].name && c->launch == r->d->kernels[k].launch) {
				add(r, k, c->who, UINT64_MAX, 0);
				known = is_known(r, c);
			}
	}
}

static void add_others(struct report *r)
{
	bool *seen = hd__xcalloc(r->d->nkernels, sizeof *seen);

	for (size_t i = 0; i < r->launches.n; i++)
		seen[r->launches.v[i].kernel] = true;
	for (uint32_t k = 0; k < r->d->nkernels; k++)
		if (r->d->kernels[k].name && !seen[k])
			add(r, k, REPORT_NEVER, UINT64_MAX, 0);
	free(seen);
}

/* A launch without times lasted as long as its instructions, if it was the only one. */
static void add_times(struct report *r)
{
	for (size_t i = 0; i < r->launches.n; i++) {
		struct dump_launch *l = &r->launches.v[i];

		if (l->begin < l->end || (i > 0 && l[-1].kernel == l->kernel)
		    || (i + 1 < r->launches.n && l[1].kernel == l->kernel))
			continue;
		l->begin = r->begin[l->kernel];
		l->end = r->end[l->kernel];
	}
}

static int by_kernel(const void *a, const void *b)
{
	const struct dump_launch *x = a, *y = b;

	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	return x->who < y->who ? -1 : x->who > y->who;
}

static bool one_launches_all(const struct report *r)
{
	for (size_t i = 1; i < r->launches.n; i++)
		if (r->launches.v[i].who != r->launches.v[0].who)
			return false;
	return true;
}

static json_t *launch(const struct report *r, const struct dump_launch *l, bool named)
{
	const struct dump_kernel *k = &r->d->kernels[l->kernel];
	json_t *o = dump_kernel_cells(r->d, l->kernel);

	json_object_del(o, "of");
	json_object_set_new(o, "name", report_text(k->name));
	json_object_set_new(o, "id", json_integer(l->kernel));
	json_object_set_new(o, "by", report_text(named && l->who < r->d->ninstances
	                                         ? r->d->instances[l->who].path : ""));
	if (l->begin < l->end) {
		json_object_set_new(o, "begin", json_integer((json_int_t)l->begin));
		json_object_set_new(o, "end", json_integer((json_int_t)l->end));
	}
	for (size_t i = 0; i < r->ncounted; i++)
		if (is_row_of(r, &r->counted[i], l))
			json_object_set(o, "counted", r->counted[i].row);
	return o;
}

void report_launches(struct report *r)
{
	json_t *a = json_array();
	size_t left_out = 0;
	bool named;

	add_counted(r);
	add_others(r);
	if (r->launches.n)
		qsort(r->launches.v, r->launches.n, sizeof *r->launches.v, by_kernel);
	add_times(r);
	named = !one_launches_all(r);
	for (size_t i = 0; i < r->launches.n; i++) {
		if (!r->d->kernels[r->launches.v[i].kernel].name)
			continue;
		if (json_array_size(a) < REPORT_LAUNCHES)
			json_array_append_new(a, launch(r, &r->launches.v[i], named));
		else
			left_out++;
	}
	json_object_set_new(r->out, "launches", a);
	if (left_out > 0)
		json_object_set_new(r->out, "launches_left_out", json_integer((json_int_t)left_out));
}
