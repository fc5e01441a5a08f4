/* run_plan.c - heddle run --plan: some launches of a list are simulated, and the others estimated
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "run_plan.h"

#include "base/path.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "kernel/netlist/netlist.h"

#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

static const char *const warms[] = { "none", "last", "all" };

/* ---- before the run ---- */

static bool fits(const struct hd_run_plan *p, const char *trace)
{
	struct trace_command c = { .trace = trace };
	char *tables = hd__data_path(NULL, "opcodes");
	struct trace_input *t;
	struct stat st;
	bool good;

	c.tables = tables;
	if (stat(trace, &st) == 0 && !S_ISREG(st.st_mode)) { /* it is read before the run and in it */
		fprintf(stderr, "heddle: --plan: '%s' is not a file; expected a list or a trace that can be read "
		        "twice\n", trace);
		free(tables);
		return false;
	}
	t = hd__trace_input_open(&c);
	good = t && hd__sample_fits(&p->plan, p->file, t);
	if (good)
		hd__diags_free(&t->d); /* the run says it again */
	if (t)
		hd__trace_input_close(t, 0);
	free(tables);
	return good;
}

/* With --warm last a kernel warms caches if the one behind it is simulated. */
static enum hd_fate fate(const struct hd_run_plan *p, size_t i)
{
	const struct sample_launch *k = &p->plan.v[i];

	if (k->simulate)
		return HD_RUNS;
	return p->warm == HD_WARM_ALL || (p->warm == HD_WARM_LAST && i + 1 < p->plan.n && k[1].simulate) ? HD_WARMS
	       : HD_PASSES;
}

bool hd__run_plan_open(struct hd_run_plan *p, const char *trace, struct hd_options *o)
{
	struct hd_diags d = { .n = 0 };
	bool good = hd__sample_load(&p->plan, p->file, &d);

	hd__diags_print(&d, stderr);
	hd__diags_free(&d);
	if (!good || !fits(p, trace))
		return false;
	p->fates = hd__xcalloc(p->plan.n, 1);
	for (size_t i = 0; i < p->plan.n; i++)
		p->fates[i] = (unsigned char)fate(p, i);
	o->fates = p->fates;
	o->nfates = p->plan.n;
	o->most_items = p->plan.n; /* all have to be known */
	o->stable = p->stable;
	return true;
}

/* ---- after it ---- */

/* A counter of the simulated kernels. */
struct counter {
	double *v, *left; /* by kernel: of the whole of it; the part of that which was not simulated */
	double measured;  /* sum of what was simulated of them */
	bool real;        /* not a number of events */
};

struct table {
	const struct hd_run_plan *p;
	struct sample_estimate *e;
	size_t kernels;    /* that are simulated, */
	bool *part;        /* of which blocks were left out, */
	size_t parts;      /* so many */
	struct counter *v; /* the first one is the cycles */
	size_t n;
	json_t *places;    /* the tree in which counters are, with their numbers */
	char *reader;      /* the instance that reads the trace: it counts what it read, not what was simulated */
};

static struct counter *add_counter(struct table *t, bool real)
{
	t->v = hd__xappend(t->v, t->n, sizeof *t->v);
	t->v[t->n] = (struct counter){ .v = hd__xcalloc(t->kernels, sizeof(double)),
		                       .left = hd__xcalloc(t->kernels, sizeof(double)), .real = real };
	return &t->v[t->n++];
}

static void set(struct counter *c, size_t kernel, double measured, double left)
{
	c->v[kernel] = measured + left;
	c->left[kernel] = left;
	c->measured += measured;
}

/* Adds the integers of the object, and of those in it, and others if they are `real`; other values, such as shares,
 * cannot be added up.  more: what was not simulated of the kernel, for each unit of what was. */
static void add_values(struct table *t, json_t *places, const json_t *from, size_t kernel, double more, bool real)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)from, name, v) {
		json_t *place = json_object_get(places, name);

		if (!json_is_object(v) && !json_is_integer(v) && !(real && json_is_real(v)))
			continue;
		if (t->reader && strcmp(name, t->reader) == 0)
			continue;
		if (!place) {
			place = json_is_object(v) ? json_object() : json_integer((json_int_t)t->n);
			json_object_set_new_nocheck(places, name, place);
			if (!json_is_object(v))
				add_counter(t, real);
		}
		if (json_is_object(v)) {
			add_values(t, place, v, kernel, more, real);
			continue;
		}
		set(&t->v[json_integer_value(place)], kernel, json_number_value(v), more * json_number_value(v));
	}
}

static double member(const json_t *o, const char *name)
{
	return json_number_value(json_object_get(o, name));
}

/* Energy that is measured grows with the cycles. */
static void add_energy(struct table *t, const json_t *row, size_t kernel)
{
	const json_t *energy = json_object_get(row, "energy");
	double cycles = member(row, "cycles"), more = cycles > 0 ? member(row, "cycles_left") / cycles : 0;
	json_t *joules = json_pack("{s:O*, s:{}}", "joules", json_object_get(energy, "joules"), "components"), *v;
	const char *name;

	json_object_foreach(json_object_get(energy, "components"), name, v)
		json_object_set(json_object_get(joules, "components"), name, json_object_get(v, "joules"));
	if (energy && !json_object_get(t->places, "energy"))
		json_object_set_new(t->places, "energy", json_object());
	if (energy)
		add_values(t, json_object_get(t->places, "energy"), joules, kernel, more, true);
	json_decref(joules);
}

/* Where blocks were left out, cycles are those at the stable rate, and counters grow with the blocks. */
static void add_row(struct table *t, const json_t *row, size_t kernel)
{
	double placed = member(row, "thread_blocks"), left = member(row, "thread_blocks_left");
	double more = placed > 0 ? left / placed : 0;
	static const char *const groups[] = { "figures", "statistics" };

	set(&t->v[0], kernel, member(row, "cycles"), member(row, "cycles_left"));
	t->part[kernel] = left > 0;
	t->parts += left > 0;
	for (size_t i = 0; i < 2; i++) {
		json_t *place = json_object_get(t->places, groups[i]);

		add_values(t, place, json_object_get(row, groups[i]), kernel, more, false);
	}
	add_energy(t, row, kernel);
}

static bool same_name(const json_t *row, const struct sample_launch *k)
{
	const char *name = json_string_value(json_object_get(row, "name"));

	return name && strcmp(name, k->name) == 0;
}

/* Are its instructions those that the plan tells?  Estimates weigh with them.  Else after a message. */
static bool same_instructions(const struct table *t, const json_t *row, size_t launch)
{
	const json_t *n = json_object_get(row, "warp_instructions");
	uint64_t planned = t->p->plan.v[launch].instructions;

	if (!n || t->p->stable > 0 || (uint64_t)json_integer_value(n) == planned) /* stable: maybe a part of it */
		return true;
	fprintf(stderr, "heddle: --plan: kernel %zu executes %" JSON_INTEGER_FORMAT " warp instructions, and the plan "
	        "says %" PRIu64 "; expected a plan of this list: 'heddle sample' makes one\n", launch + 1,
	        json_integer_value(n), planned);
	return false;
}

static bool read_rows(struct table *t, const struct hd_json_rows *rows)
{
	size_t n = rows->count(rows->arg, "kernels"), launch = 0;

	for (size_t i = 0; i < n && n == t->kernels; i++, launch++) {
		json_t *row = rows->row(rows->arg, "kernels", i);
		bool same;

		while (!t->p->plan.v[launch].simulate)
			launch++;
		same = same_name(row, &t->p->plan.v[launch]);
		if (same && !same_instructions(t, row, launch)) {
			json_decref(row);
			return false;
		}
		add_row(t, row, i);
		json_decref(row);
		if (!same)
			n = 0;
	}
	if (n != t->kernels)
		fputs("heddle: --plan: there is not one row for each simulated kernel; expected a netlist with one "
		      "dispatcher\n", stderr);
	return n == t->kernels;
}

/* Rates that differ by a share from wave to wave may do so by twice that from the rest of the kernel. */
static struct sample_value with_left(const struct table *t, struct sample_value x, double left)
{
	x.margin += x.margin < 0 ? 0 : 2 * t->p->stable * left;
	return x;
}

/* Of all launches, or those of a group. */
static struct sample_value sum_of(const struct table *t, const struct counter *c, uint32_t group)
{
	struct sample_value x = hd__estimate_sum(t->e, c->v, group);

	return t->parts ? with_left(t, x, hd__estimate_sum(t->e, c->left, group).estimate) : x;
}

static json_int_t whole_number(double v)
{
	return v < 9e18 ? llround(v) : INT64_MAX;
}

static json_t *number(double v, bool real)
{
	return real ? json_real(v) : json_integer(whole_number(v));
}

static json_t *value_json(const struct sample_value *x, double measured, bool real)
{
	json_t *o = json_object();

	if (measured >= 0)
		json_object_set_new(o, "measured", number(measured, real));
	json_object_set_new(o, "estimate", number(x->estimate, real));
	if (x->margin < 0)
		return o;
	json_object_set_new(o, "low", number(fmax(fmax(measured, 0), x->estimate - x->margin), real));
	json_object_set_new(o, "high", number(x->estimate + x->margin, real));
	return o;
}

/* The tree with what each counter is estimated at. */
static json_t *values_json(const struct table *t, json_t *places)
{
	json_t *o = json_object(), *v;
	const char *name;

	json_object_foreach(places, name, v) {
		const struct counter *c = json_is_integer(v) ? &t->v[json_integer_value(v)] : NULL;
		struct sample_value x = c ? sum_of(t, c, 0) : (struct sample_value){ 0, 0 };

		json_object_set_new_nocheck(o, name, c ? value_json(&x, c->measured, c->real)
		                           : values_json(t, v));
	}
	return o;
}

static json_t *groups_json(const struct table *t)
{
	const struct sample_plan *p = &t->p->plan;
	json_t *groups = json_array();
	size_t *n = hd__xcalloc(p->groups, 2 * sizeof *n);

	for (size_t i = 0; i < p->n; i++) {
		n[2 * (p->v[i].group - 1)]++;
		n[2 * (p->v[i].group - 1) + 1] += p->v[i].simulate;
	}
	for (uint32_t g = 0; g < p->groups; g++) {
		struct sample_value x = sum_of(t, &t->v[0], g + 1);

		json_array_append_new(groups, json_pack("{s:i, s:{s:I, s:I}, s:o}", "group", (int)g + 1, "kernels",
		                      "all", (json_int_t)n[2 * g], "simulated", (json_int_t)n[2 * g + 1], "cycles",
		                      value_json(&x, -1, false)));
	}
	free(n);
	return groups;
}

static json_t *launches_json(const struct table *t)
{
	const struct sample_plan *p = &t->p->plan;
	struct sample_value *v = hd__xcalloc(p->n, sizeof *v), *left = hd__xcalloc(p->n, sizeof *left);
	json_t *launches = json_array();
	size_t kernel = 0;

	hd__estimate_each(t->e, t->v[0].v, v);
	hd__estimate_each(t->e, t->v[0].left, left);
	for (size_t i = 0; i < p->n; i++) {
		struct sample_value x = with_left(t, v[i], left[i].estimate);
		bool part = p->v[i].simulate && t->part[kernel++];
		json_t *o = json_pack("{s:I, s:i, s:b, s:I}", "kernel", (json_int_t)i + 1, "group", (int)p->v[i].group,
		                      "simulated", p->v[i].simulate, "cycles", whole_number(x.estimate));

		if (part)
			json_object_set_new(o, "in_part", json_true());
		if ((part || !p->v[i].simulate) && x.margin >= 0)
			json_object_update_new(o, json_pack("{s:I, s:I}", "low",
			                       whole_number(fmax(0, x.estimate - x.margin)), "high",
			                       whole_number(x.estimate + x.margin)));
		json_array_append_new(launches, o);
	}
	free(left);
	free(v);
	return launches;
}

static json_t *estimate_json(const struct table *t)
{
	const struct sample_plan *p = &t->p->plan;
	uint64_t all, simulated;
	size_t n = hd__sample_count(p, &all, &simulated);
	struct sample_value cycles = sum_of(t, &t->v[0], 0);
	json_t *o = json_pack("{s:s, s:f, s:{s:I, s:I, s:I}, s:{s:I, s:I}, s:o}", "warm", warms[t->p->warm],
	                      "confidence", 0.95, "kernels", "all", (json_int_t)p->n, "simulated", (json_int_t)n,
	                      "in_part", (json_int_t)t->parts, "warp_instructions", "all", (json_int_t)all, "simulated",
	                      (json_int_t)simulated, "cycles", value_json(&cycles, t->v[0].measured, false));

	json_object_update_new(o, values_json(t, t->places));
	json_object_set_new(o, "groups", groups_json(t));
	json_object_set_new(o, "launches", launches_json(t));
	return o;
}

json_t *hd__run_plan_estimate(const struct hd_run_plan *p, const struct hd_json_rows *rows, const char *reader)
{
	uint64_t all, simulated;
	struct table t = { .p = p, .kernels = hd__sample_count(&p->plan, &all, &simulated) };
	json_t *o = NULL;

	t.places = json_pack("{s:{}, s:{}}", "figures", "statistics");
	t.reader = reader ? hd__path_any_index(reader) : NULL;
	t.part = hd__xcalloc(t.kernels, sizeof *t.part);
	add_counter(&t, false);
	if (read_rows(&t, rows)) {
		t.e = hd__estimate_make(&p->plan);
		o = estimate_json(&t);
		hd__estimate_free(t.e);
	}
	for (size_t i = 0; i < t.n; i++) {
		free(t.v[i].v);
		free(t.v[i].left);
	}
	free(t.v);
	free(t.part);
	free(t.reader);
	json_decref(t.places);
	return o;
}

/* ---- while it runs ---- */

static double cycles_of(const struct hd_json_rows *rows, size_t i)
{
	json_t *row = rows->row(rows->arg, "kernels", i);
	double cycles = member(row, "cycles") + member(row, "cycles_left");

	json_decref(row);
	return cycles;
}

/* Groups of which nothing has been simulated yet are taken to have the rate of the others. */
void hd__run_plan_progress(const struct hd_run_plan *p, const struct hd_json_rows *rows, double seconds, FILE *out)
{
	struct sample_plan now = p->plan; /* of which fewer kernels are simulated */
	size_t ended = rows->count(rows->arg, "kernels"), n = 0, of = 0;
	double *cycles = hd__xcalloc(ended + 1, sizeof *cycles), all = 0, known = 0, spent = 0, wanted = 0;
	bool *has = hd__xcalloc(p->plan.groups, sizeof *has);
	struct sample_estimate *e;
	struct sample_value x;
	char total[32];

	now.v = hd__xcalloc(now.n, sizeof *now.v);
	for (size_t i = 0; i < now.n; i++) {
		now.v[i] = p->plan.v[i];
		of += now.v[i].simulate;
		wanted += now.v[i].simulate ? (double)now.v[i].instructions : 0;
		now.v[i].simulate = now.v[i].simulate && n < ended;
		if (!now.v[i].simulate)
			continue;
		cycles[n] = cycles_of(rows, n);
		n++;
		has[now.v[i].group - 1] = true;
		spent += (double)now.v[i].instructions;
	}
	for (size_t i = 0; i < now.n; i++) {
		all += (double)now.v[i].instructions;
		known += has[now.v[i].group - 1] ? (double)now.v[i].instructions : 0;
	}
	fprintf(out, ", %zu of %zu kernels", n, of);
	if (spent > 0 && known > 0) {
		e = hd__estimate_make(&now);
		x = hd__estimate_sum(e, cycles, 0);
		fprintf(out, ", estimate %s cycles", hd__grouped((uint64_t)(x.estimate * all / known), total));
		if (x.margin >= 0 && known == all)
			fprintf(out, " +- %.1f %%", x.estimate > 0 ? 100 * x.margin / x.estimate : 0.0);
		fprintf(out, ", about %.0f s in all", seconds * wanted / spent);
		hd__estimate_free(e);
	}
	free(now.v);
	free(cycles);
	free(has);
}

/* ---- printing ---- */

#define WIDTH 36 /* characters of names */

static void print_number(const json_t *o, const char *name, FILE *out)
{
	const json_t *v = json_object_get(o, name);
	char text[32];

	if (json_is_real(v))
		fprintf(out, "  %18.6g", json_real_value(v));
	else
		fprintf(out, "  %18s", v ? hd__grouped((uint64_t)json_integer_value(v), text) : "unknown");
}

static void print_value(const char *name, const char *part, const json_t *o, FILE *out)
{
	int width = WIDTH - (int)strlen(name);

	if (member(o, "estimate") == 0)
		return;
	fprintf(out, "%s%-*s", name, width > 0 ? width : 0, part);
	print_number(o, "measured", out);
	print_number(o, "estimate", out);
	print_number(o, "low", out);
	print_number(o, "high", out);
	fputc('\n', out);
}

void hd__run_plan_print(const json_t *estimate, FILE *out)
{
	const json_t *kernels = json_object_get(estimate, "kernels");
	const json_t *of = json_object_get(estimate, "warp_instructions");
	double all = member(of, "all"), simulated = member(of, "simulated");
	const char *name, *part;
	json_t *v, *w;

	fprintf(out, "\nestimate of all %.0f kernels, of which %.0f were simulated, with %.1f%% of the instructions\n"
	        "\n", member(kernels, "all"), member(kernels, "simulated"), all > 0 ? 100 * simulated / all : 100.0);
	fprintf(out, "%-*s  %18s  %18s  %18s  %18s\n", WIDTH, "", "measured", "estimate", "95% from", "to");
	print_value("cycles", "", json_object_get(estimate, "cycles"), out);
	print_value("joules", "", json_object_get(json_object_get(estimate, "energy"), "joules"), out);
	json_object_foreach(json_object_get(estimate, "figures"), name, v) {
		if (json_object_get(v, "estimate")) {
			print_value(name, "", v, out);
			continue;
		}
		json_object_foreach(v, part, w) {
			char *dotted = hd__join(name, ".", "");

			print_value(dotted, part, w, out);
			free(dotted);
		}
	}
	if (member(kernels, "in_part") > 0)
		fprintf(out, "of %.0f kernels only thread blocks until the rate was stable were simulated\n",
		        member(kernels, "in_part"));
	if (!json_object_get(json_object_get(estimate, "cycles"), "low"))
		fputs("no interval: in no group two kernels were simulated\n", out);
}
