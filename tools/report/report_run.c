/* report_run.c - everything that the page says of one run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "report.h"
#include "kernel/base/xalloc.h"

char *report_group(const char *path)
{
	char *s = hd__xstrdup(path), *to = s;

	for (const char *p = s; *p; p++) {
		const char *end = *p == '[' ? strchr(p, ']') : NULL;

		if (end)
			p = end;
		else
			*to++ = *p;
	}
	*to = '\0';
	return s;
}

json_t *report_text(const char *s)
{
	json_t *j = json_string(s ? s : "");

	return j ? j : json_string("?"); /* not UTF-8 */
}

/* The first table with reasons that last for spans of cycles. */
static void find_slots(struct report *r)
{
	r->slot = -1;
	for (uint32_t i = 0; i < r->d->ntables && r->slot < 0; i++) {
		const struct dump_table *t = &r->d->tables[i];
		int n = dump_find_field(t, "n"), reason = dump_find_field(t, "reason");

		if (t->kind == HD_TABLE_EVENTS && n >= 0 && reason >= 0 && t->fields[n].span) {
			r->slot = (int)i;
			r->issue_module = t->module;
		}
	}
}

/* Whole cycles of the run; of a run that was killed as many as have left a trace. */
static uint64_t cycles_of(const struct dump *d)
{
	json_int_t counted = json_integer_value(json_object_get(d->end, "cycles"));
	uint64_t last = 0;

	if (counted > 0)
		return (uint64_t)counted;
	for (size_t i = 0; i < d->nblocks; i++)
		if (d->blocks[i].head.last >= last)
			last = d->blocks[i].head.last + 1;
	return last;
}

struct report *report_open(const char *file)
{
	struct dump *d = dump_open(file);
	struct report *r;

	if (!d)
		return NULL;
	r = hd__xcalloc(1, sizeof *r);
	r->d = d;
	r->cycles = cycles_of(d);
	r->inst = dump_find_table(d, "inst");
	if (r->inst >= 0 && d->tables[r->inst].kind != HD_TABLE_TRANSACTIONS)
		r->inst = -1;
	find_slots(r);
	return r;
}

void report_close(struct report *r)
{
	if (!r)
		return;
	dump_close(r->d);
	free(r->transactions);
	free(r->waits);
	free(r->writes);
	free(r->codes);
	free(r->begin);
	free(r->end);
	free(r->ctas.v);
	report_map_free(&r->why);
	json_decref(r->out);
	free(r);
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Warp slots, for the scale of the figure; 0: nothing says so. */
static json_int_t slots(const struct dump *d)
{
	const json_t *all = json_object_get(json_object_get(d->meta, "netlist"), "instances"), *one;
	const char *name;

	json_object_foreach((json_t *)all, name, one) {
		const char *module = json_string_value(json_object_get(one, "module"));

		if (module && strcmp(module, "warps") == 0)
			return json_integer_value(json_object_get(json_object_get(one, "params"), "slots"));
	}
	return 0;
}

static void describe(struct report *r)
{
	static const char *const counted[] = { "warp_instructions", "thread_instructions",
		"thread_blocks", "issue", "status" };
	const struct dump *d = r->d;
	const json_t *clocks = json_object_get(d->meta, "clocks"), *clock;
	const char *cycle = json_string_value(json_object_get(d->meta, "cycle"));
	size_t i;

	json_object_set_new(r->out, "file", report_text(base(d->path)));
	for (i = 0; i < 4; i++) {
		static const char *const same[] = { "core", "input", "filter", "sample" };
		json_t *v = json_object_get(d->meta, same[i]);

		json_object_set(r->out, same[i], v ? v : json_null());
	}
	json_object_set_new(r->out, "cycles", json_integer((json_int_t)r->cycles));
	json_object_set_new(r->out, "width", json_integer((json_int_t)r->bins.width));
	json_object_set_new(r->out, "warp_slots", json_integer(slots(d)));
	for (i = 0; i < sizeof counted / sizeof *counted; i++) {
		json_t *v = json_object_get(d->end, counted[i]);

		if (v)
			json_object_set(r->out, counted[i], v);
	}
	json_array_foreach((json_t *)clocks, i, clock) {
		const char *name = json_string_value(json_object_get(clock, "name"));

		if (name && cycle && strcmp(name, cycle) == 0)
			json_object_set(r->out, "mhz", json_object_get(clock, "mhz"));
	}
}

json_t *report_run(struct report *r, const struct report_options *o)
{
	r->opt = o;
	r->out = json_object();
	describe(r);
	report_transactions(r);
	report_events(r);
	report_slots(r);
	report_counters(r);
	report_timeline(r);
	report_pcs(r);
	json_object_set_new(r->out, "damage", r->d->damage ? report_text(r->d->damage) : json_null());
	return r->out;
}
