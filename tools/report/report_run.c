/* report_run.c - the data of the page about one run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "report.h"
#include "base/xalloc.h"

/* Complete cycles of the run; of a killed run those with rows. */
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
	dump_know(&r->known, d);
	if (r->known.slot >= 0)
		r->issue_module = d->tables[r->known.slot].module;
	return r;
}

void report_close(struct report *r)
{
	if (!r)
		return;
	dump_known_free(&r->known);
	dump_close(r->d);
	dump_program_free(r->program);
	free(r->codes);
	free(r->begin);
	free(r->end);
	free(r->launches.v);
	for (size_t i = 0; i < r->ncounted; i++)
		json_decref(r->counted[i].row);
	free(r->counted);
	free(r->ctas.v);
	hd__int_map_free(&r->why);
	hd__int_map_free(&r->held);
	hd__int_map_free(&r->awaits);
	hd__int_map_free(&r->next);
	report_unload(r);
	json_decref(r->out);
	free(r);
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Warp slots of all cores, for the scale of the figure; 0: unknown. */
static json_int_t slots(const struct report *r)
{
	const json_t *all = json_object_get(r->netlist, "instances"), *one;
	const char *name;
	json_int_t n = 0;

	json_object_foreach((json_t *)all, name, one) {
		const char *module = json_string_value(json_object_get(one, "module"));
		const json_t *count = json_object_get(one, "count");

		if (module && strcmp(module, "warps") == 0)
			n += json_integer_value(json_object_get(json_object_get(one, "params"), "slots"))
			     * (count ? json_integer_value(count) : 1);
	}
	return n;
}

static void describe(struct report *r)
{
	static const char *const counted[] = { "warp_instructions", "thread_instructions",
		"thread_blocks", "synthetic_control", "issue", "status" };
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
	json_object_set_new(r->out, "warp_slots", json_integer(slots(r)));
	for (i = 0; i < sizeof counted / sizeof *counted; i++) {
		json_t *v = json_object_get(r->statistics, counted[i]);

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
	report_load(r);
	describe(r);
	report_unload(r);
	report_events(r);
	report_read(r);
	report_load(r);
	report_counters(r);
	report_timeline_close(r->timeline);
	report_ways_close(r->ways);
	report_stages_close(r->stages);
	report_pcs(r);
	report_launches(r);
	report_memory(r);
	report_limit(r);
	report_picture(r);
	report_unload(r);
	json_object_set_new(r->out, "damage", r->d->damage ? report_text(r->d->damage) : json_null());
	return r->out;
}
