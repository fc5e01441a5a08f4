/* correlate_results.c - what is simulated for the points, and what came of it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The runs are those of a study, one for each range of launches of a trace: heddle sweep runs them, and keeps results.
 */
#include "correlate.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "kernel_names.h"
#include "study_result.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

#define LAUNCH_SHARE 0.5 /* of the cycles: from here on a kernel is limited by its launch */
#define BUSY_SHARE 0.4   /* of the time: below, nothing is busy, and latencies limit a kernel */

/* ---- the study ---- */

/* Patterns of names have other meanings for some characters. */
static char *literally(const char *name)
{
	char *out = hd__xcalloc(2 * strlen(name) + 1, 1), *to = out;

	for (; *name != '\0'; name++) {
		if (strchr("*?[\\", *name) != NULL)
			*to++ = '\\';
		*to++ = *name;
	}
	return out;
}

/* Adds the run of the point, unless it is one of those that are there: run -> its number. */
static void add_run(struct correlate *c, struct correlate_point *p, json_t *runs, json_t *traces)
{
	char *name = hd__format("%zu:%zu-%zu", p->trace, p->first + 1, p->last + 1), *file, *kernels, real[PATH_MAX];
	const json_t *run = json_object_get(runs, name);

	p->run = run != NULL ? (size_t)json_integer_value(run) : json_array_size(traces);
	if (run == NULL) {
		file = realpath(c->traces[p->trace].file, real) != NULL ? literally(real) : hd__xstrdup("");
		kernels = hd__format("%zu-%zu", p->first + 1, p->last + 1);
		if (json_array_append_new(traces, json_pack("{s:s, s:s, s:s}", "files", file, "kernels", kernels,
		                                            "name", name)) == 0)
			json_object_set_new(runs, name, json_integer((json_int_t)p->run));
		else
			p->why = hd__format("trace %s: the name is not UTF-8", c->traces[p->trace].file);
		free(file);
		free(kernels);
	}
	free(name);
}

json_t *correlate_study(struct correlate *c)
{
	json_t *traces = json_array(), *runs = json_object(), *study = NULL;
	char netlist[PATH_MAX]; /* names in a study are relative to its folder */

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].why == NULL)
			add_run(c, &c->v[i], runs, traces);
	c->nruns = json_array_size(traces);
	if (c->nruns > 0 && realpath(c->netlist, netlist) != NULL)
		study = json_pack("{s:i, s:s, s:[s], s:O, s:O}", "study", 1, "name", c->list.name, "netlists",
		                  netlist, "set", c->set, "traces", traces);
	if (study != NULL)
		json_object_set(study, "limits", json_object_get(c->list.root, "limits"));
	json_decref(runs);
	json_decref(traces);
	return study;
}

/* ---- results ---- */

struct reader {
	const struct correlate_trace *t;
	struct correlate_point *p;
	double kernel_latency, cta_latency;
	size_t rows;
	bool differs;
};

static double member(const json_t *o, const char *name)
{
	return json_number_value(json_object_get(o, name));
}

/* Adds the shares of the row, weighted by its cycles. */
static void add_rates(json_t *to, const json_t *rates, double cycles)
{
	const char *table, *name;
	json_t *of, *v;

	json_object_foreach((json_t *)rates, table, of) {
		json_t *sums = json_object_get(to, table);

		if (sums == NULL)
			json_object_set_new(to, table, sums = json_object());
		json_object_foreach(of, name, v)
			json_object_set_new(sums, name, json_real(member(sums, name) + cycles * json_number_value(v)));
	}
}

static void take_row(void *arg, unsigned number, json_t *row)
{
	struct reader *r = arg;
	struct correlate_sums *s = &r->p->sums;
	size_t launch = r->p->first + number - 1;
	const char *name = json_string_value(json_object_get(row, "name")), *use;
	json_t *slots = json_object_get(json_object_get(row, "figures"), "issue"), *v;
	double cycles = member(row, "cycles"), n;

	r->rows++;
	if (launch > r->p->last || name == NULL || strcmp(name, r->t->kernels[launch]) != 0) {
		r->differs = true;
	} else if (r->p->counts[launch]) {
		s->cycles += cycles;
		s->launches++;
		s->warp_instructions += member(row, "warp_instructions");
		s->thread_blocks += member(row, "thread_blocks");
		n = r->kernel_latency + r->cta_latency * member(row, "thread_blocks");
		s->launch += n < cycles ? n : cycles;
		json_object_foreach(slots, use, v)
			s->slots += json_number_value(v);
		s->issued += member(slots, "single") + member(slots, "dual");
		add_rates(s->rates, json_object_get(row, "rates"), cycles);
	}
}

/* The largest share of instances of a class in one table. */
static double busiest(const struct correlate_sums *s, const char *table, const json_t *modules,
                      enum correlate_class class)
{
	static const struct {
		const char *module; /* begins so */
		enum correlate_class class;
	} kinds[] = { { "fu_", CORRELATE_COMPUTE }, { "load_store", CORRELATE_L1 }, { "memory_queue", CORRELATE_L1 },
		{ "l2_", CORRELATE_L2 }, { "dram", CORRELATE_DRAM } };
	json_t *of = json_object_get(s->rates, table), *v;
	const char *name;
	double most = 0;

	json_object_foreach(of, name, v) {
		const char *module = json_string_value(json_object_get(modules, name));

		for (size_t i = 0; module != NULL && i < sizeof kinds / sizeof *kinds; i++)
			if (kinds[i].class == class && strncmp(module, kinds[i].module, strlen(kinds[i].module)) == 0
			    && json_number_value(v) > most)
				most = json_number_value(v);
	}
	return most;
}

/* docs/hardware.md, Classes. */
static enum correlate_class class_of(const struct correlate_sums *s, const json_t *modules)
{
	/* what waits for a lower level is busy, too, so the lowest one counts */
	static const enum correlate_class levels[] = { CORRELATE_L1, CORRELATE_L2, CORRELATE_DRAM };
	double busy[CORRELATE_LATENCY + 1] = { 0 }, running = s->cycles - s->launch;
	enum correlate_class class = CORRELATE_LATENCY;

	if (s->launch >= LAUNCH_SHARE * s->cycles)
		return CORRELATE_LAUNCH;
	/* of the time in which the SMs had blocks, and of that in which there were some on any */
	busy[CORRELATE_COMPUTE] = busiest(s, "unit utilisation", modules, CORRELATE_COMPUTE);
	busy[CORRELATE_L1] = busiest(s, "unit utilisation", modules, CORRELATE_L1);
	busy[CORRELATE_L2] = busiest(s, "unit utilisation", modules, CORRELATE_L2) * s->cycles / running;
	busy[CORRELATE_DRAM] = busiest(s, "memory bandwidth", modules, CORRELATE_DRAM) * s->cycles / running;
	if (s->slots > 0 && s->issued / s->slots > busy[CORRELATE_COMPUTE])
		busy[CORRELATE_COMPUTE] = s->issued / s->slots;
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (busy[levels[i]] >= BUSY_SHARE)
			class = levels[i];
	if (busy[CORRELATE_COMPUTE] >= BUSY_SHARE && busy[CORRELATE_COMPUTE] >= busy[class])
		class = CORRELATE_COMPUTE;
	return class;
}

static void divide_rates(struct correlate_sums *s)
{
	const char *table, *name;
	json_t *of, *v;

	json_object_foreach(s->rates, table, of)
		json_object_foreach(of, name, v)
			json_real_set(v, json_real_value(v) / s->cycles);
}

static void finish_point(struct correlate_point *p, const struct reader *r, const json_t *modules)
{
	if (r->differs || r->rows != p->last - p->first + 1) {
		p->why = hd__format("the run has other kernels than the trace: %zu of %zu; expected kernels one after "
		                    "another",
		                    r->rows, p->last - p->first + 1);
		return;
	}
	divide_rates(&p->sums);
	p->cycles = p->mode == CORRELATE_MEAN ? p->sums.cycles / (double)p->sums.launches : p->sums.cycles;
	if (!p->class_given)
		p->class = class_of(&p->sums, modules);
}

static void read_point(struct correlate *c, struct correlate_point *p, const char *path, struct reader *r,
                       const json_t *modules)
{
	struct study_result result;
	const char *status, *message;

	r->p = p;
	r->t = &c->traces[p->trace];
	r->rows = 0;
	r->differs = false;
	if (!study_result_open(&result, path)) {
		p->why = hd__xstrdup("was not run");
		return;
	}
	status = json_string_value(json_object_get(result.point, "status"));
	message = json_string_value(json_object_get(result.point, "message"));
	if (status == NULL || strcmp(status, "finished") != 0) {
		p->why = hd__format("%s%s%s", status != NULL ? status : "?",
		                    message != NULL && message[0] != '\0' ? ": " : "", message != NULL ? message : "");
	} else {
		p->sums.rates = json_object();
		json_decref(study_statistics_read(&result.statistics, take_row, r));
		finish_point(p, r, modules);
	}
	study_result_close(&result);
}

bool correlate_results(struct correlate *c, const struct study_folder *f, const json_t *modules, double kernel_latency,
                       double cta_latency)
{
	struct reader r = { .kernel_latency = kernel_latency, .cta_latency = cta_latency };
	json_t *plan = study_points_read(f), *points = json_object_get(plan, "points");

	for (size_t i = 0; plan != NULL && i < c->n; i++) {
		struct correlate_point *p = &c->v[i];
		const char *key;
		char *path;

		if (p->why != NULL)
			continue;
		key = json_string_value(json_object_get(json_array_get(points, p->run), "key"));
		snprintf(p->key, sizeof p->key, "%s", key != NULL ? key : "");
		path = study_folder_point(f, p->key);
		read_point(c, p, path, &r, modules);
		free(path);
	}
	json_decref(plan);
	return plan != NULL;
}
