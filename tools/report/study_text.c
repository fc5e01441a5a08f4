/* study_text.c - a study's results in the terminal: a line for each design, with a bar
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A design is everything that points differ in except the trace; its figure is the geometric mean
 * over its traces, or, where some value is 0 and there is none, the mean.
 */
#include "study_page.h"
#include "base/words.h"
#include "base/xalloc.h"

#include <math.h>
#include <stdint.h>

#define LEAST_BAR 10 /* characters */
#define MOST_BAR 40

struct design {
	size_t point;      /* the first one */
	size_t n;          /* points with a value */
	double sum, logarithms; /* sums of these */
};

struct layout {
	json_t **dims;     /* in columns */
	int *width;
	size_t n;
};

static json_t *column_of(const struct report_study *s, const char *path)
{
	json_t *o;
	size_t i;

	json_array_foreach(json_object_get(s->data, "statistics"), i, o)
		if (strcmp(json_string_value(json_object_get(o, "path")), path) == 0)
			return o;
	return NULL;
}

/* Not a number if the point has no value. */
static const json_t *value_at(const struct report_study *s, const json_t *statistic, size_t point)
{
	const json_t *column = json_object_get(statistic, "column"), *all = json_object_get(statistic, "all");

	return all ? all : json_array_get(json_array_get(s->columns, (size_t)json_integer_value(column)), point);
}

static size_t number_at(const json_t *dim, size_t point)
{
	return (size_t)json_integer_value(json_array_get(json_object_get(dim, "v"), point));
}

/* The text of a value; names come from files, and must not control the terminal. */
static char *text_at(const json_t *dim, size_t point)
{
	const json_t *v = json_array_get(json_object_get(dim, "values"), number_at(dim, point));
	char *text = json_is_string(v) ? hd__xstrdup(json_string_value(v))
	             : v ? json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) : hd__xstrdup("-");

	for (char *p = hd__xcheck(text); *p; p++)
		for (size_t bytes = hd__control(p); bytes; bytes--)
			p[bytes - 1] = '?';
	return text;
}

static const char *status_of(const struct report_study *s, size_t point)
{
	const json_t *status = json_object_get(s->data, "status");

	return json_string_value(json_array_get(json_object_get(status, "values"), number_at(status, point)));
}

/* How many points have another status than "finished". */
static void print_ends(const struct report_study *s, size_t points, FILE *out)
{
	json_t *counts = json_object(), *v;
	const char *status;

	for (size_t i = 0; i < points; i++) {
		status = status_of(s, i);
		if (strcmp(status, "finished") != 0)
			json_object_set_new(counts, status,
				json_integer(json_integer_value(json_object_get(counts, status)) + 1));
	}
	json_object_foreach(counts, status, v)
		fprintf(out, "%lld of %zu points: %s\n", (long long)json_integer_value(v), points, status);
	json_decref(counts);
}

static bool differs(const json_t *dim, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (number_at(dim, i) != number_at(dim, 0))
			return true;
	return false;
}

/* Columns for what differs; the trace only if nothing else does. */
static struct layout layout_of(const struct report_study *s, size_t n)
{
	json_t *dims = json_object_get(s->data, "dims"), *d;
	struct layout l = { hd__xcalloc(json_array_size(dims), sizeof(json_t *)),
		hd__xcalloc(json_array_size(dims), sizeof(int)), 0 };
	json_t *trace = NULL;
	size_t i;

	json_array_foreach(dims, i, d) {
		if (strcmp(json_string_value(json_object_get(d, "name")), "trace") == 0)
			trace = d;
		else if (differs(d, n))
			l.dims[l.n++] = d;
	}
	if (l.n == 0 && trace)
		l.dims[l.n++] = trace;
	for (i = 0; i < l.n; i++) {
		l.width[i] = (int)strlen(json_string_value(json_object_get(l.dims[i], "name")));
		for (size_t k = 0; k < n; k++) {
			char *text = text_at(l.dims[i], k);

			l.width[i] = (int)strlen(text) > l.width[i] ? (int)strlen(text) : l.width[i];
			free(text);
		}
		l.width[i] = l.width[i] > 32 ? 32 : l.width[i];
	}
	return l;
}

static char *key_of(const struct layout *l, size_t point)
{
	char *key = hd__xstrdup("");

	for (size_t i = 0; i < l->n; i++) {
		char *more = hd__format("%s|%zu", key, number_at(l->dims[i], point));

		free(key);
		key = more;
	}
	return key;
}

/* Designs in the order of their first points. */
static struct design *designs_of(const struct report_study *s, const struct layout *l,
                                 const json_t *statistic, size_t points, size_t *n)
{
	struct design *v = hd__xcalloc(points, sizeof *v);
	json_t *known = json_object();

	*n = 0;
	for (size_t i = 0; i < points; i++) {
		char *key = key_of(l, i);
		json_t *at = json_object_get(known, key);
		const json_t *value = value_at(s, statistic, i);
		struct design *d = &v[at ? (size_t)json_integer_value(at) : *n];

		if (!at) {
			json_object_set_new(known, key, json_integer((json_int_t)(*n)++));
			d->point = i;
		}
		if (json_is_number(value)) {
			d->sum += json_number_value(value);
			d->logarithms += log(json_number_value(value)); /* of 0 it is not finite */
			d->n++;
		}
		free(key);
	}
	json_decref(known);
	return v;
}

static double figure_of(const struct design *d, bool geometric)
{
	return !d->n ? 0 : geometric ? exp(d->logarithms / (double)d->n) : d->sum / (double)d->n;
}

static void print_design(const struct layout *l, const struct design *d, double v, double most, int bar, FILE *out)
{
	int length = most > 0 ? (int)(v / most * bar + 0.5) : 0;

	for (size_t i = 0; i < l->n; i++) {
		char *text = text_at(l->dims[i], d->point);

		fprintf(out, "%-*.*s  ", l->width[i], l->width[i], text);
		free(text);
	}
	fprintf(out, "%6zu  ", d->n);
	if (d->n)
		fprintf(out, v >= 1000 ? "%14.0f  " : "%14.4g  ", v);
	else
		fprintf(out, "%14s  ", "-");
	for (int i = 0; i < length; i++)
		fputc('#', out);
	fputc('\n', out);
}

/* Is one of the titles in the first line of a table this name?  Adds them to a list; the caller frees them. */
static bool has_title(const char *table, const char *name, char ***titles, size_t *n)
{
	const char *end = table + strcspn(table, "\r\n");
	bool found = false;

	for (const char *p = table; p < end; p++) {
		size_t length = strcspn(p, ",\r\n"), from = strspn(p, " \"");
		char *title = hd__xstrndup(p + (from < length ? from : length), length > from ? length - from : 0);

		for (size_t i = strlen(title); i > 0 && strchr(" \"", title[i - 1]); i--)
			title[i - 1] = '\0';
		found |= strcmp(title, name) == 0;
		*titles = hd__xappend(*titles, *n, sizeof **titles);
		(*titles)[(*n)++] = title;
		p += length;
	}
	return found;
}

static void add_name(char ***names, size_t *n, const char *name)
{
	*names = hd__xappend(*names, *n, sizeof **names);
	(*names)[(*n)++] = hd__xstrdup(name);
}

bool report_study_has_cost(const struct report_study *s, const char *name)
{
	bool found = column_of(s, name) != NULL || strcmp(name, "IPC") == 0; /* the page adds that */
	char **names = NULL, suggestion[200];
	size_t n = 0, i;
	json_t *v;

	json_array_foreach(json_object_get(s->data, "dims"), i, v) {
		add_name(&names, &n, json_string_value(json_object_get(v, "name")));
		found |= strcmp(names[n - 1], name) == 0;
	}
	json_array_foreach(json_object_get(s->data, "csv"), i, v)
		found |= has_title(json_string_value(json_object_get(v, "text")), name, &names, &n);
	json_array_foreach(json_object_get(s->data, "statistics"), i, v)
		add_name(&names, &n, json_string_value(json_object_get(v, "path")));
	if (!found)
		fprintf(stderr, "heddle: --cost: no parameter, figure or column of a table is named '%s'%s\n", name,
		        hd__suggest(name, (const char *const *)names, n, "expected one of", suggestion,
		                    sizeof suggestion));
	for (i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return found;
}

bool report_study_table(const struct report_study *s, const char *figure, unsigned columns, FILE *out)
{
	size_t points = json_array_size(json_object_get(s->data, "point")), n;
	const json_t *statistic = column_of(s, figure);
	struct layout l;
	struct design *v;
	double most = 0;
	bool geometric = true;
	int bar = (int)columns - 24;

	if (!statistic) {
		fprintf(stderr, "heddle: no figure '%s'; expected the path of a statistic, such as cycles or "
		        "issue.stall\n", figure);
		return false;
	}
	l = layout_of(s, points);
	v = designs_of(s, &l, statistic, points, &n);
	for (size_t i = 0; i < l.n; i++) {
		fprintf(out, "%-*.*s  ", l.width[i], l.width[i], json_string_value(json_object_get(l.dims[i], "name")));
		bar -= l.width[i] + 2;
	}
	bar = bar < LEAST_BAR ? LEAST_BAR : bar > MOST_BAR ? MOST_BAR : bar;
	fprintf(out, "%6s  %14s\n", "points", figure);
	for (size_t i = 0; i < n; i++)
		geometric &= isfinite(v[i].logarithms);
	for (size_t i = 0; i < n; i++)
		most = fmax(most, figure_of(&v[i], geometric));
	for (size_t i = 0; i < n; i++)
		print_design(&l, &v[i], figure_of(&v[i], geometric), most, bar, out);
	if (!geometric)
		fputs("means, not geometric ones: some values are 0\n", out);
	print_ends(s, points, out);
	free(l.dims);
	free(l.width);
	free(v);
	return true;
}
