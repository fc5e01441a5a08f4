/* correlate_figures.c - errors of simulated cycles, and the outputs that have them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "correlate.h"
#include "base/words.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <math.h>

/* ---- figures ---- */

/* Simulated cycles against measured ones, of those points that have both. */
struct summary {
	size_t n;
	double mape, median, mean; /* of errors: mean of magnitudes, median of these, mean with signs; shares of 1 */
	double r;                  /* Pearson's, of cycles; not a number if it has no value */
};

/* Cycles by a simulator; 0: there are none. */
static double cycles_by(const struct correlate_point *p, const char *other)
{
	return other == NULL ? p->cycles : json_number_value(json_object_get(p->others, other));
}

static double error_of(const struct correlate_point *p, const char *other)
{
	return cycles_by(p, other) / p->hardware - 1;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Pearson's coefficient of n pairs; two always lie on a line. */
static double pearson(const double *x, const double *y, size_t n)
{
	double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

	for (size_t i = 0; i < n; i++) {
		mx += x[i] / (double)n;
		my += y[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		xx += (x[i] - mx) * (x[i] - mx);
		yy += (y[i] - my) * (y[i] - my);
		xy += (x[i] - mx) * (y[i] - my);
	}
	return n > 2 && xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

/* class: -1: all; other: the name of a simulator, NULL: heddle. */
static struct summary summarise(const struct correlate *c, int class, const char *other)
{
	double *x = hd__xcalloc(c->n, sizeof *x), *y = hd__xcalloc(c->n, sizeof *y), *e = hd__xcalloc(c->n, sizeof *e);
	struct summary s = { .r = NAN };

	for (size_t i = 0; i < c->n; i++) {
		const struct correlate_point *p = &c->v[i];

		if (!correlate_counts(p) || (class >= 0 && p->class != class) || cycles_by(p, other) <= 0)
			continue;
		x[s.n] = p->hardware;
		y[s.n] = cycles_by(p, other);
		e[s.n] = fabs(error_of(p, other));
		s.mape += e[s.n];
		s.mean += error_of(p, other);
		s.n++;
	}
	if (s.n > 0) {
		qsort(e, s.n, sizeof *e, by_value);
		s.mape /= (double)s.n;
		s.mean /= (double)s.n;
		s.median = (e[(s.n - 1) / 2] + e[s.n / 2]) / 2;
		s.r = pearson(x, y, s.n);
	}
	free(x);
	free(y);
	free(e);
	return s;
}

/* ---- the table ---- */

struct widths {
	int name, other;
};

/* "1,234", "-": none */
static const char *cycles_text(double cycles, char buf[32])
{
	if (!(cycles > 0))
		return "-";
	return hd__grouped((uint64_t)llround(cycles), buf);
}

static void print_error(double share, bool known, int width, FILE *out)
{
	char text[32] = "-";

	if (known)
		snprintf(text, sizeof text, "%+.1f %%", 100 * share);
	fprintf(out, "  %*s", width, text);
}

static void print_point(const struct correlate *c, const struct correlate_point *p, int width, FILE *out)
{
	char text[2][32];
	const char *name;
	json_t *column;

	fprintf(out, "%-*s  %-7s  %14s  %14s", width, p->name, p->class >= 0 ? correlate_classes[p->class] : "-",
	        cycles_text(p->hardware, text[0]), cycles_text(p->cycles, text[1]));
	print_error(p->hardware > 0 ? error_of(p, NULL) : 0, p->hardware > 0, 9, out);
	json_object_foreach(c->others, name, column) {
		bool known = p->hardware > 0 && cycles_by(p, name) > 0;

		print_error(known ? error_of(p, name) : 0, known, strlen(name) > 9 ? (int)strlen(name) : 9, out);
	}
	fputc('\n', out);
}

static void print_summary(const char *what, const struct summary *s, FILE *out)
{
	fprintf(out, "%-12s  %6zu  %8.1f %%  %8.1f %%  %+8.1f %%", what, s->n, 100 * s->mape, 100 * s->median,
	        100 * s->mean);
	if (isnan(s->r))
		fprintf(out, "  %7s\n", "-");
	else
		fprintf(out, "  %7.4f\n", s->r);
}

static int width_of_names(const struct correlate *c)
{
	int most = 4;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].why == NULL && (int)strlen(c->v[i].name) > most)
			most = (int)strlen(c->v[i].name);
	return most < 60 ? most : 60;
}

static void print_failures(const struct correlate *c, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->v[i].why != NULL;
	if (n == 0)
		return;
	fprintf(out, "\n%zu of %zu points have no cycles, and do not count:\n", n, c->n);
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].why != NULL)
			fprintf(out, "  %s: %s\n", c->v[i].name, c->v[i].why);
}

static void print_summaries(const struct correlate *c, FILE *out)
{
	struct summary s = summarise(c, -1, NULL);
	const char *name;
	json_t *column;

	if (s.n == 0) {
		fputs("\nno point is both measured and simulated\n", out);
		return;
	}
	fprintf(out, "\n%-12s  %6s  %10s  %10s  %10s  %7s\n", "", "points", "MAPE", "median", "mean", "r");
	print_summary("all", &s, out);
	for (int i = 0; i < CORRELATE_CLASSES; i++) {
		s = summarise(c, i, NULL);
		if (s.n > 0)
			print_summary(correlate_classes[i], &s, out);
	}
	json_object_foreach(c->others, name, column) {
		s = summarise(c, -1, name);
		if (s.n > 0)
			print_summary(name, &s, out);
	}
}

void correlate_print(const struct correlate *c, FILE *out)
{
	int width = width_of_names(c);
	const char *name;
	json_t *column;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->v[i].why == NULL;
	if (n > 0) {
		fprintf(out, "%-*s  %-7s  %14s  %14s  %9s", width, "name", "class", "hardware", "simulated", "error");
		json_object_foreach(c->others, name, column)
			fprintf(out, "  %*s", strlen(name) > 9 ? (int)strlen(name) : 9, name);
		fputc('\n', out);
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].why == NULL)
			print_point(c, &c->v[i], width, out);
	print_summaries(c, out);
	print_failures(c, out);
}

/* As the list or the measurement has it; "": all of the program. */
static const char *kernel_of(const struct correlate_point *p)
{
	return p->declared != NULL ? p->declared : p->kernel != NULL ? p->kernel : "";
}

/* ---- comma-separated values ---- */

static void put_field(const char *text, FILE *out)
{
	if (text[strcspn(text, ",\"\r\n")] == '\0') {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* A value of a point as it is in JSON; nothing: it has none. */
static void put_value(const json_t *v, int digits, FILE *out)
{
	if (json_is_string(v))
		put_field(json_string_value(v), out);
	else if (v != NULL)
		fprintf(out, "%.*g", digits, json_number_value(v));
}

void correlate_csv(const json_t *data, FILE *out)
{
	static const char *const members[] = { "name", "program", "arguments", "kernel", "class", "launches",
		"hardware", "simulated", "error" };
	json_t *simulators = json_object_get(json_object_get(data, "summary"), "others"), *point, *v;
	const char *name;
	size_t i;

	for (i = 0; i < sizeof members / sizeof *members; i++)
		fprintf(out, "%s%s", i > 0 ? "," : "", members[i]);
	json_object_foreach(simulators, name, v) {
		fputc(',', out);
		put_field(name, out);
	}
	fputs(",failed\n", out);
	json_array_foreach(json_object_get(data, "points"), i, point) {
		for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
			if (k > 0)
				fputc(',', out);
			put_value(json_object_get(point, members[k]), strcmp(members[k], "error") == 0 ? 6 : 15, out);
		}
		json_object_foreach(simulators, name, v) {
			fputc(',', out);
			put_value(json_object_get(json_object_get(point, "others"), name), 15, out);
		}
		fputc(',', out);
		put_value(json_object_get(point, "failed"), 15, out);
		fputc('\n', out);
	}
}

/* ---- JSON ---- */

/* What a run printed may be no UTF-8. */
static json_t *text(const char *v)
{
	json_t *t = json_string(v);

	return t != NULL ? t : json_string("?");
}

/* Whole cycles are integers. */
static json_t *cycles_json(double v)
{
	return v == floor(v) && v < 1e15 ? json_integer((json_int_t)v) : json_real(v);
}

static json_t *summary_json(const struct correlate *c, int class, const char *other)
{
	struct summary s = summarise(c, class, other);
	json_t *o = json_pack("{s:I}", "points", (json_int_t)s.n);

	if (s.n > 0) {
		json_object_set_new(o, "mape", json_real(s.mape));
		json_object_set_new(o, "median", json_real(s.median));
		json_object_set_new(o, "mean", json_real(s.mean));
	}
	if (!isnan(s.r))
		json_object_set_new(o, "r", json_real(s.r));
	return o;
}

/* folder: of the page; NULL: it links to nothing. */
static json_t *point_json(const struct correlate *c, const struct correlate_point *p, const char *folder)
{
	size_t n = folder != NULL ? strlen(folder) : 0;
	json_t *o = json_object();

	json_object_set_new(o, "name", text(p->name));
	json_object_set_new(o, "program", text(p->program));
	json_object_set_new(o, "arguments", text(p->arguments));
	if (kernel_of(p)[0] != '\0')
		json_object_set_new(o, "kernel", text(kernel_of(p)));
	if (p->mode == CORRELATE_ONE)
		json_object_set_new(o, "launch", json_integer((json_int_t)p->launch));
	else
		json_object_set_new(o, "launch", json_string(p->mode == CORRELATE_MEAN ? "mean" : "all"));
	if (p->hardware > 0)
		json_object_set_new(o, "hardware", cycles_json(p->hardware));
	json_object_set(o, "others", p->others);
	if (p->why != NULL) {
		json_object_set_new(o, "failed", text(p->why));
		return o;
	}
	json_object_set_new(o, "simulated", cycles_json(p->cycles));
	if (p->hardware > 0)
		json_object_set_new(o, "error", json_real(error_of(p, NULL)));
	json_object_set_new(o, "class", json_string(correlate_classes[p->class]));
	json_object_set_new(o, "class_given", json_boolean(p->class_given));
	json_object_set_new(o, "launches", json_integer((json_int_t)p->sums.launches));
	json_object_set_new(o, "warp_instructions", cycles_json(p->sums.warp_instructions));
	json_object_set_new(o, "thread_blocks", cycles_json(p->sums.thread_blocks));
	json_object_set_new(o, "launch_cycles", cycles_json(p->sums.launch));
	if (p->sums.slots > 0)
		json_object_set_new(o, "issued", json_real(p->sums.issued / p->sums.slots));
	json_object_set(o, "rates", p->sums.rates);
	json_object_set_new(o, "kernels", text(c->traces[p->trace].kernels[p->first]));
	json_object_set_new(o, "result", json_string(p->key));
	if (folder != NULL && p->page != NULL) /* in the folder of the page, as a rule: then both may move */
		json_object_set_new(o, "page", text(strncmp(p->page, folder, n) == 0 && p->page[n] == '/'
		                                    ? p->page + n + 1 : p->page));
	return o;
}

json_t *correlate_json(const struct correlate *c, const char *page)
{
	char *of = study_folder_of(page != NULL ? page : ""), *folder = realpath(of[0] != '\0' ? of : ".", NULL);
	json_t *points = json_array(), *classes = json_object(), *others = json_object(), *column;
	const char *name;

	for (size_t i = 0; i < c->n; i++)
		json_array_append_new(points, point_json(c, &c->v[i], page != NULL ? folder : NULL));
	for (int i = 0; i < CORRELATE_CLASSES; i++)
		if (summarise(c, i, NULL).n > 0)
			json_object_set_new(classes, correlate_classes[i], summary_json(c, i, NULL));
	json_object_foreach(c->others, name, column)
		json_object_set_new(others, name, summary_json(c, -1, name));
	free(of);
	free(folder);
	return json_pack("{s:s, s:o, s:o, s:o, s:O, s:{s:o, s:o, s:o}, s:o}", "heddle", PACKAGE_VERSION, "name",
	                 text(c->list.name), "doc", text(c->list.doc != NULL ? c->list.doc : ""), "netlist",
	                 text(c->machine), "set", c->set, "summary", "all", summary_json(c, -1, NULL), "classes",
	                 classes, "others", others, "points", points);
}
