/* measured.c - tables of measured cycles: one with columns of known names, or what Nsight Compute exports
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hardware.md describes the forms.
 */
#include "measured.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "csv_read.h"
#include "kernel_names.h"

#include <math.h>

#define MOST_CYCLES 1e15

const char *const measured_columns[] = { "gpu", "clock_mhz", "program", "arguments", "kernel", "launch", "cycles", "ns",
	"class", "name", "trace", "command", "cwd", "record", NULL };

/* Cycles of a launch first, then times, in the order in which they are taken if there are several. */
static const char *const metrics[] = { "gpc__cycles_elapsed.avg", "gpc__cycles_elapsed.max", "sm__cycles_elapsed.max",
	"sm__cycles_elapsed.avg", "Elapsed Cycles", "gpu__time_duration.sum", "gpu__time_duration.avg", "Duration" };
/* Clocks of a launch, for times. */
static const char *const clocks[] = { "gpc__cycles_elapsed.avg.per_second", "smsp__cycles_elapsed.avg.per_second",
	"sm__cycles_elapsed.avg.per_second", "SM Frequency" };

enum { METRICS = sizeof metrics / sizeof *metrics, CLOCKS = sizeof clocks / sizeof *clocks };

struct reader {
	const struct measured_form *form;
	struct csv_table t;
	const struct csv_row *head; /* NULL: the names are those of the form */
	struct hd_diags *d;
	json_t *out;
	bool no_clock;              /* that was reported, which is once for a file */
};

static void bad(const struct reader *r, int line, const char *fmt, ...) HD_PRINTF(3, 4);

static void bad(const struct reader *r, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	hd__diagv(r->d, HD_DIAG_ERROR, r->form->file, line, 1, fmt, ap);
	va_end(ap);
}

static void need_clock(struct reader *r, int line, const char *time, const char *clock)
{
	if (!r->no_clock)
		bad(r, line, "'%s' is a time; expected its clock: --clock, 'clock_mhz' of the list, or %s", time,
		    clock);
	r->no_clock = true;
}

/* ---- columns ---- */

static size_t width_of(const struct reader *r)
{
	return r->head != NULL ? r->head->n : json_array_size(r->form->columns);
}

/* The first column of that name from number `from` on; SIZE_MAX: there is none. */
static size_t column_from(const struct reader *r, size_t from, const char *name)
{
	for (size_t i = from; i < width_of(r); i++)
		if (strcmp(r->head != NULL ? r->head->v[i]
		           : json_string_value(json_array_get(r->form->columns, i)), name) == 0)
			return i;
	return SIZE_MAX;
}

static size_t column(const struct reader *r, const char *name)
{
	return column_from(r, 0, name);
}

/* Reports a column whose values are read and that is there twice. */
static void check_once(const struct reader *r, const char *name)
{
	size_t i = column(r, name);

	if (i != SIZE_MAX && column_from(r, i + 1, name) != SIZE_MAX)
		hd__diag(r->d, HD_DIAG_ERROR, r->form->file, r->head != NULL ? r->head->line : 1, 1,
		         "two columns are named '%s'; expected one", name);
}

/* The value of the row, or that of the form; NULL: there is none, or it is empty. */
static const char *value(const struct reader *r, const struct csv_row *row, const char *name)
{
	size_t i = column(r, name);
	const char *v = i < row->n ? row->v[i] : NULL;

	if (i == SIZE_MAX)
		v = json_string_value(json_object_get(r->form->values, name));
	return v != NULL && v[0] != '\0' ? v : NULL;
}

/* What a file has may be no UTF-8. */
static json_t *text(const char *v)
{
	json_t *t = json_string(v);
	char *copy;

	if (t != NULL)
		return t;
	copy = hd__xstrdup(v);
	for (char *p = copy; *p != '\0'; p++)
		*p = (unsigned char)*p < 0x80 ? *p : '?';
	t = json_string(copy);
	free(copy);
	return t;
}

/* Is the comma in front of three digits, and no other?  Elsewhere it would be a decimal one. */
static bool divides_thousands(const char *comma)
{
	return strspn(comma + 1, "0123456789") == 3;
}

/* A number above 0, with or without commas between its digits.  Returns false if it is none. */
static bool number(const char *v, double *out)
{
	char plain[64], *end;
	size_t n = 0;

	for (; *v != '\0' && n + 1 < sizeof plain; v++)
		if (*v != ',' || !divides_thousands(v))
			plain[n++] = *v;
	plain[n] = '\0';
	*out = strtod(plain, &end);
	return n > 0 && *end == '\0' && plain[strspn(plain, "0123456789.eE+-")] == '\0' && *out > 0
	       && *out <= MOST_CYCLES;
}

/* 0: there is none, also after reporting that it is not a number. */
static double number_of(const struct reader *r, const struct csv_row *row, const char *name)
{
	const char *v = value(r, row, name);
	double n = 0;

	if (v == NULL || number(v, &n))
		return n;
	bad(r, row->line, "column '%s': '%s' is not a number above 0", name, v);
	return 0;
}

static bool is_left_out(const struct reader *r, const struct csv_row *row)
{
	json_t *wanted;
	const char *name;

	json_object_foreach((json_t *)r->form->where, name, wanted) {
		const char *v = value(r, row, name);

		if (v == NULL || strcmp(v, json_string_value(wanted)) != 0)
			return true;
	}
	return false;
}

static json_t *others_of(const struct reader *r, const struct csv_row *row)
{
	json_t *others = json_object(), *from;
	const char *name;

	json_object_foreach((json_t *)r->form->others, name, from) {
		double cycles = json_is_string(from) ? number_of(r, row, json_string_value(from)) : 0;

		if (cycles > 0)
			json_object_set_new(others, name, json_real(cycles));
	}
	return others;
}

/* ---- a table with columns of known names ---- */

static void take_row(struct reader *r, const struct csv_row *row)
{
	double cycles = number_of(r, row, "cycles"), ns = number_of(r, row, "ns"), mhz = number_of(r, row, "clock_mhz");
	json_t *o = json_object();

	json_object_set_new(o, "line", json_integer(row->line));
	for (const char *const *name = measured_columns; *name != NULL; name++)
		if (value(r, row, *name) != NULL && strcmp(*name, "cycles") != 0 && strcmp(*name, "ns") != 0)
			json_object_set_new(o, *name, text(value(r, row, *name)));
	mhz = mhz > 0 ? mhz : r->form->mhz;
	if (cycles == 0 && ns > 0 && mhz == 0)
		need_clock(r, row->line, "ns", "a column 'clock_mhz'");
	cycles = cycles > 0 ? cycles : ns * mhz / 1e3;
	if (cycles > 0)
		json_object_set_new(o, "cycles", json_real(cycles));
	json_object_set_new(o, "others", others_of(r, row));
	json_array_append_new(r->out, o);
}

static void check_columns(const struct reader *r)
{
	const char *name;
	json_t *v;

	for (const char *const *known = measured_columns; *known != NULL; known++)
		check_once(r, *known);
	json_object_foreach((json_t *)r->form->where, name, v)
		if (!hd__listed(measured_columns, name))
			check_once(r, name);
	json_object_foreach((json_t *)r->form->others, name, v) {
		if (!json_is_string(v) || column(r, json_string_value(v)) == SIZE_MAX)
			continue;
		check_once(r, json_string_value(v));
		json_object_set_new(r->form->found, json_string_value(v), json_true());
	}
}

static void read_table(struct reader *r)
{
	size_t width = width_of(r);

	check_columns(r);
	if (column(r, "program") == SIZE_MAX && column(r, "kernel") == SIZE_MAX && column(r, "trace") == SIZE_MAX
	    && column(r, "command") == SIZE_MAX) {
		bad(r, r->head != NULL ? r->head->line : 1,
		    "no column is named 'program', 'kernel', 'trace' or 'command'; "
		    "expected a header with the names of columns, or an export of Nsight Compute");
		return;
	}
	for (size_t i = r->head != NULL; i < r->t.n; i++) {
		const struct csv_row *row = &r->t.v[i];

		if (row->n > width)
			bad(r, row->line, "%zu values; expected %zu, one for each column", row->n, width);
		else if (!is_left_out(r, row))
			take_row(r, row);
	}
}

/* ---- what Nsight Compute exports ---- */

/* A launch.  Texts are those of the table. */
struct launch {
	const char *id, *kernel;
	const struct csv_row *row; /* its first */
	int line;
	const char *value[METRICS], *unit[METRICS];
	const char *mhz[CLOCKS], *mhz_unit[CLOCKS];
	const char *own, *own_unit; /* the metric that is asked for */
};

struct launches {
	struct launch *v;
	size_t n;
};

enum quantity { CYCLES, TIME, CLOCK };

/* In cycles, nanoseconds or MHz; 0: it is a unit of something else. */
static double unit_of(enum quantity what, const char *unit)
{
	static const struct {
		enum quantity what;
		const char *name;
		double value;
	} units[] = { { CYCLES, "cycle", 1 }, { CYCLES, "", 1 }, { CYCLES, "Kcycle", 1e3 }, { CYCLES, "Mcycle", 1e6 },
		{ CYCLES, "Gcycle", 1e9 }, { TIME, "nsecond", 1 }, { TIME, "ns", 1 }, { TIME, "usecond", 1e3 },
		{ TIME, "us", 1e3 }, { TIME, "msecond", 1e6 }, { TIME, "ms", 1e6 }, { TIME, "second", 1e9 },
		{ TIME, "s", 1e9 }, { CLOCK, "cycle/nsecond", 1e3 }, { CLOCK, "cycle/usecond", 1 },
		{ CLOCK, "cycle/second", 1e-6 }, { CLOCK, "Ghz", 1e3 }, { CLOCK, "GHz", 1e3 }, { CLOCK, "Mhz", 1 },
		{ CLOCK, "MHz", 1 }, { CLOCK, "hz", 1e-6 }, { CLOCK, "Hz", 1e-6 } };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (units[i].what == what && strcmp(units[i].name, unit) == 0)
			return units[i].value;
	return 0;
}

static void note_metric(struct launch *l, const char *own, const char *name, const char *unit, const char *v)
{
	if (v == NULL || v[0] == '\0')
		return;
	for (size_t i = 0; i < METRICS; i++)
		if (strcmp(metrics[i], name) == 0) {
			l->value[i] = v;
			l->unit[i] = unit;
		}
	for (size_t i = 0; i < CLOCKS; i++)
		if (strcmp(clocks[i], name) == 0) {
			l->mhz[i] = v;
			l->mhz_unit[i] = unit;
		}
	if (own != NULL && strcmp(own, name) == 0) {
		l->own = v;
		l->own_unit = unit;
	}
}

static struct launch *add_launch(struct launches *all, const char *id, const char *kernel, const struct csv_row *row)
{
	all->v = hd__xappend(all->v, all->n, sizeof *all->v);
	all->v[all->n] = (struct launch){ .id = id, .kernel = kernel, .row = row, .line = row->line };
	return &all->v[all->n++];
}

static const char *cell(const struct csv_row *row, size_t i)
{
	return i < row->n ? row->v[i] : "";
}

/* A row for each metric of each launch. */
static void read_long(struct reader *r, struct launches *all)
{
	size_t id = column(r, "ID"), kernel = column(r, "Kernel Name"), name = column(r, "Metric Name"),
	       unit = column(r, "Metric Unit"), v = column(r, "Metric Value");

	if (id == SIZE_MAX || v == SIZE_MAX) {
		bad(r, r->head->line, "an export with 'Metric Name' and without '%s'; expected both",
		    id == SIZE_MAX ? "ID" : "Metric Value");
		return;
	}
	for (size_t i = 1; i < r->t.n; i++) {
		const struct csv_row *row = &r->t.v[i];
		struct launch *l = all->n > 0 ? &all->v[all->n - 1] : NULL;

		if (row->n <= v || row->n <= kernel) {
			bad(r, row->line, "%zu values; expected %zu", row->n, r->head->n);
			continue;
		}
		if (l == NULL || strcmp(l->id, row->v[id]) != 0)
			l = add_launch(all, row->v[id], row->v[kernel], row);
		note_metric(l, r->form->metric, cell(row, name), cell(row, unit), row->v[v]);
	}
}

/* A row for each launch, and in front of them one with the units. */
static void read_wide(struct reader *r, struct launches *all)
{
	size_t kernel = column(r, "Kernel Name");
	const struct csv_row *units = r->t.n > 1 ? &r->t.v[1] : NULL;

	if (units == NULL || cell(units, kernel)[0] != '\0') {
		bad(r, r->head->line,
		    "an export with a column for each metric has the units in its second row; expected no "
		    "kernel there");
		return;
	}
	for (size_t i = 2; i < r->t.n; i++) {
		const struct csv_row *row = &r->t.v[i];
		struct launch *l;

		if (row->n != r->head->n) {
			bad(r, row->line, "%zu values; expected %zu", row->n, r->head->n);
			continue;
		}
		l = add_launch(all, "", row->v[kernel], row);
		for (size_t k = 0; k < row->n; k++)
			note_metric(l, r->form->metric, r->head->v[k], cell(units, k), row->v[k]);
	}
}

/* In MHz; 0: there is none. */
static double clock_of(const struct launch *l)
{
	for (size_t i = 0; i < CLOCKS; i++) {
		double v;

		if (l->mhz[i] != NULL && number(l->mhz[i], &v) && unit_of(CLOCK, l->mhz_unit[i]) > 0)
			return v * unit_of(CLOCK, l->mhz_unit[i]);
	}
	return 0;
}

/* "5.911": in some languages that are thousands. */
static bool is_ambiguous(const char *v)
{
	size_t n = strspn(v, "0123456789");

	return n > 0 && n <= 3 && v[n] == '.' && strspn(v + n + 1, "0123456789") == 3;
}

/* 0 after reporting what is wrong. */
static double cycles_of(struct reader *r, const struct launch *l, const char *name, const char *v,
                        const char *unit)
{
	double n, mhz = r->form->mhz > 0 ? r->form->mhz : clock_of(l);

	if (v == NULL)
		bad(r, l->line, "kernel '%s' has no metric '%s', which others have", l->kernel, name);
	else if (unit_of(CYCLES, unit) > 0 && is_ambiguous(v))
		bad(r, l->line, "metric '%s': '%s' may be thousands or a fraction; expected an export with LC_ALL=C",
		    name, v);
	else if (!number(v, &n))
		bad(r, l->line, "metric '%s': '%s' is not a number above 0", name, v);
	else if (unit_of(CYCLES, unit) > 0)
		return n * unit_of(CYCLES, unit);
	else if (unit_of(TIME, unit) == 0)
		bad(r, l->line, "metric '%s': the unit '%s' is neither one of cycles nor of time", name, unit);
	else if (mhz == 0)
		need_clock(r, l->line, name, "a metric with the clock");
	else
		return n * unit_of(TIME, unit) * mhz / 1e3;
	return 0;
}

/* The number of the metric that is in the export; METRICS: none is. */
static size_t best_metric(const struct launches *all)
{
	for (size_t m = 0; m < METRICS; m++)
		for (size_t i = 0; i < all->n; i++)
			if (all->v[i].value[m] != NULL)
				return m;
	return METRICS;
}

/* Names the kernel of the row by its base, which a trace has, too, whatever is known of arguments of templates, and
 * counts launches by that. */
static void put_kernel(json_t *row, json_t *counts, const char *kernel)
{
	char *base = kernel_base(kernel);
	json_int_t n = json_integer_value(json_object_get(counts, base));

	json_object_set_new_nocheck(counts, base, json_integer(n + 1));
	json_object_set_new(row, "kernel", text(base));
	json_object_set_new(row, "declared", text(kernel));
	json_object_set_new(row, "launch", json_integer(n));
	free(base);
}

/* "(16, 1, 1)": three numbers.  An export may lack the column. */
static void put_size(const struct reader *r, json_t *to, const struct launch *l, const char *name, const char *from)
{
	const char *v = value(r, l->row, from);
	unsigned x, y, z;
	int end = 0;

	if (v == NULL)
		return;
	if (strspn(v, "(), 0123456789") == strlen(v) && sscanf(v, " ( %9u , %9u , %9u ) %n", &x, &y, &z, &end) == 3
	    && end > 0 && v[end] == '\0')
		json_object_set_new(to, name, json_pack("[I, I, I]", (json_int_t)x, (json_int_t)y, (json_int_t)z));
	else
		bad(r, l->line, "column '%s': '%s' is not a size; expected one such as (16, 1, 1)", from, v);
}

static void take_launches(struct reader *r, const struct launches *all)
{
	size_t m = best_metric(all);
	json_t *counts = json_object();
	const char *own = r->form->metric;

	if (own == NULL && m == METRICS)
		bad(r, r->head->line,
		    "none of the metrics is one of cycles or time; expected '%s', '%s', '%s' or another one of "
		    "heddle-correlate(1)",
		    metrics[0], metrics[2], metrics[4]);
	for (size_t i = 0; i < all->n && (own != NULL || m < METRICS); i++) {
		const struct launch *l = &all->v[i];
		double cycles = own != NULL ? cycles_of(r, l, own, l->own, l->own_unit)
		                : cycles_of(r, l, metrics[m], l->value[m], l->unit[m]);
		json_t *o = json_object(), *v;
		const char *name;

		json_object_foreach((json_t *)r->form->values, name, v)
			json_object_set(o, name, v);
		json_object_set_new(o, "line", json_integer(l->line));
		put_kernel(o, counts, l->kernel);
		put_size(r, o, l, "grid", "Grid Size");
		put_size(r, o, l, "block", "Block Size");
		json_object_set_new(o, "cycles", json_real(cycles));
		json_object_set_new(o, "others", json_object());
		json_array_append_new(r->out, o);
	}
	json_decref(counts);
}

static void read_export(struct reader *r)
{
	struct launches all = { .n = 0 };
	size_t errors = r->d->errors;

	if (column(r, "Metric Name") != SIZE_MAX)
		read_long(r, &all);
	else
		read_wide(r, &all);
	if (r->d->errors == errors && all.n == 0)
		bad(r, r->head->line, "an export without launches");
	if (r->d->errors == errors)
		take_launches(r, &all);
	free(all.v);
}

json_t *measured_read(const struct measured_form *form, struct hd_diags *d)
{
	struct reader r = { .form = form, .d = d, .out = json_array() };
	size_t errors = d->errors;

	if (csv_read(&r.t, form->file, "Kernel Name", d)) {
		r.head = form->columns == NULL ? &r.t.v[0] : NULL;
		if (r.head != NULL && column(&r, "Kernel Name") != SIZE_MAX)
			read_export(&r);
		else
			read_table(&r);
	}
	csv_free(&r.t);
	if (d->errors == errors)
		return r.out;
	json_decref(r.out);
	return NULL;
}
