/* report_run.c - the data of the page about one run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "report.h"
#include "tools/graph/picture.h"
#include "base/path.h"
#include "base/xalloc.h"

#define MOST_PICTURE (1u << 20) /* bytes; a netlist of one's own may have any number of boxes */

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

static void add_row(void *arg, const char *table, json_t *row)
{
	report_counted(arg, table, row);
}

/* Netlist and statistics of a whole GPU take as much memory as all else, so they are not in memory while
 * rows are read. */
static void load(struct report *r)
{
	if (!r->netlist)
		r->netlist = dump_part(r->d, "netlist");
	if (!r->statistics)
		r->statistics = dump_statistics(r->d, r->counted ? NULL : add_row, r);
}

static void unload(struct report *r)
{
	json_decref(r->netlist);
	json_decref(r->statistics);
	r->netlist = r->statistics = NULL;
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
	r->array_of_place = hd__xcalloc(d->nplaces, sizeof *r->array_of_place);
	for (uint32_t i = 0; i < d->nplaces; i++)
		r->array_of_place[i] = report_array_name(&r->arrays, d->places[i].name);
	r->narrays = (uint32_t)r->arrays.n;
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
	hd__int_map_free(&r->slots);
	report_kinds_free(r);
	report_names_free(&r->arrays);
	free(r->array_of_place);
	unload(r);
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

/* Of a run of a plan, what it says about all kernels; the figures of the page are those of the simulated ones. */
static void add_estimate(struct report *r)
{
	static const char *const parts[] = { "kernels", "cycles", "figures" };
	const json_t *estimate = json_object_get(r->statistics, "estimate");
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		json_object_set(o, parts[i], json_object_get(estimate, parts[i]));
	if (json_object_size(o))
		json_object_set(r->out, "estimate", o);
	json_decref(o);
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
	add_estimate(r);
	json_array_foreach((json_t *)clocks, i, clock) {
		const char *name = json_string_value(json_object_get(clock, "name"));

		if (name && cycle && strcmp(name, cycle) == 0)
			json_object_set(r->out, "mhz", json_object_get(clock, "mhz"));
	}
}

struct reading {
	struct report *r;
	struct dump_producers *producers;
	struct report_instructions *instructions; /* NULL: none */
	struct report_slots *slots;               /* NULL: none */
};

static bool take(void *arg, const struct dump_item *item)
{
	struct reading *in = arg;

	if (item->transaction)
		report_instruction(in->instructions, item, in->producers);
	else if ((int)item->table == in->r->known.slot)
		report_slot(in->slots, item, in->producers);
	else
		report_timeline_lane(in->r->timeline, item, dump_find_apart(item->rows->table));
	return true;
}

/* Passes every instruction and every slot once to its parts, in the order of time. */
static void read_rows(struct report *r)
{
	struct reading in = { .r = r };
	struct dump_query q = { .head = 0 };

	r->program = dump_program_new(r->d);
	r->codes = hd__xcalloc(r->program->n, sizeof *r->codes);
	r->begin = hd__xcalloc(r->d->nkernels, sizeof *r->begin);
	r->end = hd__xcalloc(r->d->nkernels, sizeof *r->end);
	memset(r->begin, 0xff, r->d->nkernels * sizeof *r->begin);
	if (r->known.inst < 0 && r->known.slot < 0)
		return;
	in.producers = dump_producers_new(&r->known);
	if (r->known.inst >= 0) {
		in.instructions = report_instructions_open(r);
		r->timeline = report_timeline_open(r);
		r->paths = report_paths_open(r, report_timeline_from(r->timeline));
		r->stages = report_stages_open(r);
		dump_query_event(&q, r->d, r->known.inst);
		for (uint32_t i = 0; i < r->d->ntables; i++)
			if (dump_find_apart(&r->d->tables[i]) >= 0 && (int)i != r->known.slot)
				dump_query_event(&q, r->d, (int)i);
	}
	if (r->known.slot >= 0) {
		in.slots = report_slots_open(r);
		dump_query_event(&q, r->d, r->known.slot);
	}
	if (dump_query_bind(&q, r->d))
		dump_in_order(r->d, &q, take, &in);
	dump_query_free(&q, r->d);
	load(r);
	report_instructions_close(in.instructions);
	report_slots_close(in.slots);
	dump_producers_free(in.producers);
}

/* The table of energies with what is published about its error, and joules by array, if the run counted any. */
static void add_energy(struct report *r)
{
	const json_t *energy = json_object_get(r->statistics, "energy"), *one, *pj;
	json_t *parts = json_object(), *o;
	const char *path, *component;

	json_object_foreach(json_object_get(energy, "instances"), path, one) {
		char *array = hd__path_without_indices(path);
		double sum = json_number_value(json_object_get(parts, array));

		json_object_foreach((json_t *)one, component, pj)
			sum += 1e-12 * json_number_value(pj);
		json_object_set_new(parts, array, json_real(sum));
		free(array);
	}
	o = json_pack("{s:o, s:o, s:o}", "table", report_text(report_member(energy, "table")), "error",
	              report_text(report_member(energy, "error")), "parts", parts);
	if (energy)
		json_object_set(r->out, "energy", o);
	json_decref(o);
}

/* The picture of the core, which the page colours. */
static void draw(struct report *r)
{
	json_t *core = dump_core(r->d);
	struct hd_picture *p = hd__picture_of_dump(core);
	char *text = NULL;
	size_t n = 0;
	FILE *f = p ? open_memstream(&text, &n) : NULL;

	if (f) {
		hd__picture_svg(p, &(struct hd_picture_options){ .bare = true }, f);
		if (fclose(f) == 0 && n <= MOST_PICTURE)
			json_object_set_new(r->out, "picture", report_text(text));
	}
	free(text);
	if (p)
		hd__picture_free(p);
	json_decref(core);
}

json_t *report_run(struct report *r, const struct report_options *o)
{
	r->opt = o;
	r->out = json_object();
	load(r);
	describe(r);
	add_energy(r);
	unload(r);
	report_events(r);
	read_rows(r);
	load(r);
	report_counters(r);
	report_timeline_close(r->timeline);
	report_paths_close(r->paths);
	report_stages_close(r->stages);
	report_pcs(r);
	report_launches(r);
	report_memory(r);
	report_limit(r);
	draw(r);
	unload(r);
	json_object_set_new(r->out, "damage", r->d->damage ? report_text(r->d->damage) : json_null());
	return r->out;
}
