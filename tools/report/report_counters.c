/* report_counters.c - the sampled statistics over time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instances of one array are added up.  Counters that never grew are left out, except for those
 * of busy units: an idle unit is worth showing.
 */
#include "report.h"
#include "base/path.h"
#include "base/xalloc.h"

#define MOST_BINS 600u

struct counter {
	uint32_t first; /* of its group */
	uint32_t instances; /* in the group */
	struct report_series s;
};

struct reader {
	struct report *r;
	struct report_bins bins;
	struct report_names names;
	struct counter *v;      /* in the order of names */
	uint32_t *of;           /* by number of the dump */
};

static bool busy(const struct dump_counter *c)
{
	return strcmp(c->name, "busy") == 0 && strcmp(c->unit, "cycles") == 0;
}

static void gather(struct reader *in)
{
	const struct dump *d = in->r->d;

	in->of = hd__xcalloc(d->ncounters, sizeof *in->of);
	in->v = hd__xcalloc(d->ncounters, sizeof *in->v);
	for (uint32_t i = 0; i < d->ncounters; i++) {
		const struct dump_counter *c = &d->counters[i];
		char *group = hd__path_without_indices(c->instance < d->ninstances
		                                       ? d->instances[c->instance].path : "?");
		char *name = hd__format("%s|%s", group, c->name);

		in->of[i] = report_name(&in->names, name);
		if (!in->v[in->of[i]].instances++)
			in->v[in->of[i]].first = i;
		free(name);
		free(group);
	}
}

static void read_rows(struct reader *in, const struct dump_rows *rows, uint64_t sample)
{
	for (uint32_t i = 0; i < rows->n; i++) {
		struct counter *c = &in->v[in->of[rows->who[i]]];
		uint64_t cycle = (uint64_t)rows->cycle[i];
		uint64_t from = sample ? cycle - cycle % sample : cycle;
		uint64_t bin = from / in->bins.width;

		if (!in->bins.n)
			return;
		if (!c->s.v)
			c->s.v = hd__xcalloc(in->bins.n, sizeof *c->s.v);
		c->s.v[bin < in->bins.n ? bin : in->bins.n - 1] += (uint64_t)rows->field[0][i];
		c->s.total += (uint64_t)rows->field[0][i];
	}
}

static json_t *counters(const struct reader *in)
{
	const struct dump *d = in->r->d;
	json_t *a = json_array();

	for (size_t i = 0; i < in->names.n; i++) {
		const struct dump_counter *c = &d->counters[in->v[i].first];
		const char *module = c->instance < d->ninstances ? d->instances[c->instance].module : "";
		char *group;
		json_t *o;

		if (!in->v[i].s.total && !busy(c))
			continue;
		group = hd__xstrndup(in->names.v[i], strcspn(in->names.v[i], "|"));
		o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "of", report_text(group),
			"module", report_text(module), "name", report_text(c->name), "unit",
			report_text(c->unit), "doc", report_text(c->doc), "instances",
			(json_int_t)in->v[i].instances, "total", (json_int_t)in->v[i].s.total, "v",
			report_array(in->v[i].s.v, in->bins.n));
		free(group);
		if (c->total)
			json_object_set_new(o, "adds_to", report_text(c->total));
		json_array_append_new(a, o);
	}
	return a;
}

void report_counters(struct report *r)
{
	struct reader in = { .r = r };
	uint64_t sample = (uint64_t)json_integer_value(json_object_get(r->d->meta, "sample"));
	uint64_t width = sample ? sample : 1;

	width *= report_width((r->cycles + width - 1) / width, MOST_BINS);
	in.bins = report_bins(r->cycles, width);
	gather(&in);
	for (size_t i = 0; i < r->d->nblocks; i++) {
		const struct dump_table *t = &r->d->tables[r->d->blocks[i].head.table];
		struct dump_rows rows;

		if (t->kind != HD_TABLE_SAMPLES || t->n < 1 || !dump_rows(r->d, i, &rows))
			continue;
		read_rows(&in, &rows, sample);
		dump_rows_free(&rows);
	}
	json_object_set_new(r->out, "sample_width", json_integer((json_int_t)width));
	json_object_set_new(r->out, "counters", counters(&in));
	for (size_t i = 0; i < in.names.n; i++)
		free(in.v[i].s.v);
	free(in.v);
	free(in.of);
	report_names_free(&in.names);
}
