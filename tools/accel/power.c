/* power.c - power by AccelWattch's counters and scale factors, and its report
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * accelwattch_counters.json says which statistics a counter is, and what one count needs in a structure of the
 * reference's model.  The factors are those of the XML file.
 */
#include "accel.h"
#include "base/output.h"
#include "base/read_file.h"
#include "kernel/stats/stats.h"

#include <inttypes.h>
#include <math.h>

#define DATA "energy/accelwattch_counters.json"
#define REPORT "accelwattch_power_report.log"

/* ---- the XML file ---- */

/* The text between quotes that follow name= in front of `end`; NULL: there is none.  *n: its length. */
static const char *attribute(const char *tag, const char *end, const char *name, size_t *n)
{
	const char *p = strstr(tag, name), *close;

	if (!p || p >= end)
		return NULL;
	p += strlen(name);
	close = memchr(p, '"', (size_t)(end - p));
	*n = close ? (size_t)(close - p) : 0;
	return close ? p : NULL;
}

/* The XML file. */
struct xml {
	json_t *params; /* name -> text of its value */
	struct hd_import *im;
};

static void read_param(struct xml *x, const char *tag, const char *end)
{
	size_t n = 0, length = 0;
	const char *name = attribute(tag, end, "name=\"", &n), *value = attribute(tag, end, "value=\"", &length);
	char *key;

	if (!name || !value)
		return;
	key = hd__xstrndup(name, n);
	json_object_set_new(x->params, key, json_stringn(value, length));
	free(key);
}

/* Reads the parameters, which are outside of comments. */
static bool read_xml(struct xml *x, const char *text)
{
	for (const char *tag = text, *end; (tag = strchr(tag, '<')) != NULL; tag = end) {
		end = strncmp(tag, "<!--", 4) == 0 ? strstr(tag, "-->") : strchr(tag, '>');
		if (!end) {
			hd__import_error(x->im, "accelwattch_xml_file", "ends within '%.20s'; expected all of the file",
			                 tag);
			return false;
		}
		if (strncmp(tag, "<param ", 7) == 0)
			read_param(x, tag, end);
	}
	if (json_object_size(x->params) == 0)
		hd__import_error(x->im, "accelwattch_xml_file", "has no <param name=\"...\" value=\"...\"/>; expected "
		                 "the file of the configuration");
	return json_object_size(x->params) > 0;
}

static const char *string_of(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name));
}

/* The parameter, or a default. */
static double given(const struct xml *x, const json_t *name, double def)
{
	const char *text = json_is_string(name) ? string_of(x->params, json_string_value(name)) : NULL;
	char *end;
	double v;

	if (!text)
		return def;
	v = strtod(text, &end);
	if (end == text || *end || !isfinite(v) || v < 0)
		hd__import_error(x->im, "accelwattch_xml_file", "'%s' is '%.40s'; expected a number from 0 on",
		                 json_string_value(name), text);
	return v;
}

/* ---- the table ---- */

static json_t *member(const json_t *o, const char *name)
{
	return json_object_get(o, name);
}

static double number(const json_t *o, const char *name)
{
	return json_number_value(member(o, name));
}

/* The events of one module and pattern, made if there are none. */
static json_t *event_of(json_t *events, const json_t *of)
{
	json_t *e, *pj;
	size_t i;

	json_array_foreach(events, i, e)
		if (json_equal(member(e, "module"), member(of, "module"))
		    && (json_equal(member(e, "instances"), member(of, "instances"))
		        || (!member(e, "instances") && !member(of, "instances"))))
			return member(e, "pj");
	e = json_object();
	pj = json_object();
	json_object_set(e, "module", member(of, "module"));
	if (member(of, "instances"))
		json_object_set(e, "instances", member(of, "instances"));
	json_object_set_new(e, "pj", pj);
	json_array_append_new(events, e);
	return pj;
}

/* Adds what a counter needs to the events that it is. */
static void add_counter(json_t *events, const json_t *counter, double scale)
{
	const char *statistic, *component;
	json_t *of, *count, *pj;
	size_t i;

	json_array_foreach(member(counter, "of"), i, of) {
		json_t *all = event_of(events, of);

		json_object_foreach(member(of, "counts"), statistic, count)
			json_object_foreach(member(counter, "pj"), component, pj) {
				json_t *one = member(all, statistic);
				double more = json_number_value(count) * scale * json_number_value(pj);

				if (!one) {
					one = json_object();
					json_object_set_new(all, statistic, one);
				}
				json_object_set_new(one, component, json_real(number(one, component) + more));
			}
	}
}

/* First and further lane of the rows of the static power. */
static json_t *static_power(const json_t *data, const struct xml *xml)
{
	json_t *rows = json_array(), *v;
	size_t i;

	json_array_foreach(member(data, "static"), i, v) {
		json_t *row = json_deep_copy(member(v, "row")), *w = member(row, "w"), *names = member(v, "params");

		for (size_t k = 0; k < 2; k++)
			json_array_set_new(w, k, json_real(given(xml, json_array_get(names, k),
			                                         json_number_value(json_array_get(w, k)))));
		json_array_append_new(rows, row);
	}
	return json_pack("{s:s, s:O, s:o}", "component", "STATICP", "groups", member(data, "groups"), "rows", rows);
}

/* The table of energies of this configuration, as a text. */
static char *make_table(struct hd_accel_power *p, const struct xml *xml, uint32_t interval, uint32_t width)
{
	json_t *root = json_pack("{s:i, s:s, s:I}", "heddle_energy", 1, "name", "the XML file", "interval",
	                         (json_int_t)interval);
	json_t *events = json_array(), *sm = json_deep_copy(member(p->data, "sm")), *c;
	json_t *constant = json_deep_copy(member(p->data, "constant_w")), *of = member(p->data, "pipeline");
	json_t *pipeline = member(sm, "pipeline");
	char *text;
	size_t i;

	p->scale = hd__xcalloc(json_array_size(member(p->data, "counters")), sizeof *p->scale);
	json_array_foreach(member(p->data, "counters"), i, c) {
		p->scale[i] = given(xml, member(c, "param"), number(c, "scale"));
		add_counter(events, c, p->scale[i]);
	}
	json_object_set_new(constant, "CONSTP", json_real(given(xml, member(p->data, "constant"),
	                                                        number(constant, "CONSTP"))));
	json_object_set_new(member(sm, "idle_w"), "IDLE_COREP",
		json_real(given(xml, member(p->data, "idle"), number(member(sm, "idle_w"), "IDLE_COREP"))));
	json_object_set_new(member(pipeline, "pj_per_cycle"), "PIPEP",
		json_real(given(xml, member(of, "param"), number(of, "scale")) * number(of, "pj")));
	json_object_set_new(pipeline, "lanes_per_cycle", json_integer(32 * (json_int_t)width));
	json_object_set_new(root, "events", events);
	json_object_set_new(root, "sm", sm);
	json_object_set_new(root, "constant_w", constant);
	json_object_set_new(root, "static_w", static_power(p->data, xml));
	text = hd__xcheck(json_dumps(root, JSON_COMPACT));
	json_decref(root);
	return text;
}

static json_t *read_data(struct hd_import *im)
{
	char *path = hd__data_path(NULL, DATA);
	json_t *data = json_load_file(path, 0, NULL);

	if (!data)
		hd__import_error(im, "power_simulation_enabled", "needs '%s', which cannot be read", path);
	free(path);
	return data;
}

bool hd__accel_power_open(struct hd_accel_power *p, struct hd_import *im, const struct hd_registry *modules,
                          struct hd_options *o, struct hd_diags *d)
{
	enum { EX_WB = 10, WIDTHS = 13, MORE = 8 };
	uint32_t width[WIDTHS] = { 0 }, stat[MORE] = { 0 }, interval;
	const char *name = hd__import_text(im, "accelwattch_xml_file");
	size_t length;
	char *text = hd__read_file(name, &length);
	struct xml xml = { .im = im };
	bool good = false;

	p->data = read_data(im);
	if (!text)
		hd__import_error(im, "accelwattch_xml_file", "'%.200s' cannot be read; expected the file of the "
		                 "configuration", name);
	hd__import_numbers(im, "gpgpu_pipeline_widths", ",", width, EX_WB + 1, WIDTHS);
	hd__import_numbers(im, "gpgpu_runtime_stat", ":", stat, 1, MORE);
	interval = stat[0];
	if (interval < 2)
		hd__import_error(im, "gpgpu_runtime_stat", "is %u; expected at least 2 cycles", interval);
	if (!text || !p->data || interval < 2) {
		free(text);
		return false;
	}
	xml.params = json_object();
	if (read_xml(&xml, text)) {
		char *table = make_table(p, &xml, interval, width[EX_WB]);

		good = hd__energy_read(&p->table, name, table, modules, d) && im->errors == 0;
		hd__energy_options(&p->energy, &p->table, o);
		p->energy.most = SIZE_MAX;
		p->on = true;
	}
	json_decref(xml.params);
	free(text);
	return good;
}

void hd__accel_power_free(struct hd_accel_power *p)
{
	if (p->on)
		hd__energy_drop(&p->energy);
	hd__energy_free(&p->table);
	json_decref(p->data);
	free(p->scale);
}

/* ---- the report ---- */

/* What a counter was in an interval, or its sum over several, of the numbers of events. */
static double count_of(const struct hd_accel_power *p, const json_t *counter, double scale, const double *v)
{
	const struct hd_energy *e = &p->energy;
	const char *statistic;
	double sum = 0;
	json_t *of, *n;
	size_t i;

	json_array_foreach(member(counter, "of"), i, of)
		json_object_foreach(member(of, "counts"), statistic, n)
			for (size_t k = 0; k < e->table->nevents; k++) {
				const struct hd_energy_event *event = &e->table->events[k];
				const char *in = json_string_value(member(of, "instances"));

				if (strcmp(event->statistic, statistic) == 0
				    && strcmp(event->module, json_string_value(member(of, "module"))) == 0
				    && strcmp(event->instances ? event->instances : "", in ? in : "") == 0)
					sum += json_number_value(n) * v[hd__energy_counts(e) + k];
			}
	return json_is_true(member(counter, "scaled")) ? sum * scale : sum;
}

/* Those behind the counters of events. */
static void print_others(const struct hd_accel_power *p, const char *word, const double *v, double n, double intervals,
                         FILE *out)
{
	const double *more = v + hd__energy_more(&p->energy);
	double constant = 0;

	for (size_t i = 0; i < p->table.constant_w.n; i++)
		if (strcmp(p->table.components[p->table.constant_w.v[i].component], "CONSTP") == 0)
			constant = p->table.constant_w.v[i].v;
	fprintf(out, "gpu_%s_PIPE_A, = %g\n", word, more[HD_ENERGY_DUTY] / n);
	fprintf(out, "gpu_%s_IDLE_CORE_N, = %g\n", word,
	        (p->energy.nsms * intervals - more[HD_ENERGY_ACTIVE] / (double)p->table.interval) / n);
	fprintf(out, "gpu_%s_constant_power = %g\n", word, constant * intervals / n);
}

static void print_counters(const struct hd_accel_power *p, const char *word, const double *v, double n,
                           double intervals, FILE *out)
{
	json_t *c;
	size_t i;

	json_array_foreach(member(p->data, "counters"), i, c)
		fprintf(out, "gpu_%s_%s, = %g\n", word, json_string_value(member(c, "counter")),
		        count_of(p, c, p->scale[i], v) / n);
	print_others(p, word, v, n, intervals, out);
}

static void print_components(const struct hd_accel_power *p, const char *word, const double *v, double n, FILE *out)
{
	json_t *c;
	size_t i;

	json_array_foreach(member(p->data, "components"), i, c) {
		const char *name = json_string_value(c);
		double watts = 0;

		for (size_t k = 0; k < p->table.ncomponents; k++)
			watts = strcmp(p->table.components[k], name) == 0 ? v[k] : watts;
		fprintf(out, "gpu_%s_%s%s = %g\n", word, name,
		        strcmp(name, "CONSTP") == 0 || strcmp(name, "STATICP") == 0 ? "" : ",", watts / n);
	}
}

static void print_extreme(const struct hd_accel_power *p, const char *title, const char *word, const double *v,
                          FILE *out)
{
	fprintf(out, "\nKernel %s Power Data:\nkernel_%s_power = %g\n", title, word,
	        v[hd__energy_more(&p->energy) + HD_ENERGY_TOTAL]);
	print_components(p, word, v, 1, out);
	print_counters(p, word, v, 1, 1, out);
}

struct so_far {
	double n, sum, most, least;
};

static void add(struct so_far *all, const struct hd_energy_mean *m, size_t total)
{
	if (m->n == 0)
		return;
	all->most = all->n == 0 || m->most[total] > all->most ? m->most[total] : all->most;
	all->least = all->n == 0 || m->least[total] < all->least ? m->least[total] : all->least;
	all->sum += m->sum[total];
	all->n += (double)m->n;
}

/* Without an interval an average is 0 ÷ 0, as in the reference. */
static void print_kernel(const struct hd_accel_power *p, const struct hd_energy_mean *m, struct so_far *all, FILE *out)
{
	size_t more = hd__energy_more(&p->energy), total = more + HD_ENERGY_TOTAL;
	double n = (double)m->n;

	add(all, m, total);
	fprintf(out, "Kernel Average Power Data:\nkernel_avg_power = %g\n", m->n ? m->sum[total] / n : 0);
	print_components(p, "avg", m->sum, n, out);
	print_counters(p, "avg", m->sum, n, n, out);
	fprintf(out, "gpu_avg_threads_per_warp = %g\n", m->sum[more + HD_ENERGY_RATIO] / n);
	print_counters(p, "tot", m->sum, 1, n, out);
	print_extreme(p, "Maximum", "max", m->most, out);
	print_extreme(p, "Minimum", "min", m->least, out);
	fprintf(out, "\nAccumulative Power Statistics Over Previous Kernels:\ngpu_tot_avg_power = %g\n"
	        "gpu_tot_max_power = %g\ngpu_tot_min_power = %g\n\n\n", all->sum / all->n, all->most, all->least);
}

bool hd__accel_power_write(struct hd_accel_power *p, bool launch_ids)
{
	struct hd_output out = { .f = NULL };
	struct so_far all = { 0 };
	size_t n = hd__rows(p->energy.sim, "kernels");

	hd__sim_settle(p->energy.sim);
	hd__energy_end(&p->energy);
	if (hd__output_open(&out, REPORT, "the report of power") != HD_EXIT_OK)
		return false;
	for (size_t i = 0; i < n && i < p->energy.nkernels; i++) {
		json_t *row = hd__row(p->energy.sim, "kernels", i);

		fprintf(out.f, "kernel_name = %s \nkernel_launch_uid = %" PRIu64 " \n\n",
		        json_string_value(json_object_get(row, "name")),
		        launch_ids ? (uint64_t)json_integer_value(json_object_get(row, "id")) : (uint64_t)i + 1);
		json_decref(row);
		print_kernel(p, &p->energy.kernels[i].mean, &all, out.f);
	}
	return hd__output_close(&out, true);
}
