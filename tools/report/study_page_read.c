/* study_page_read.c - reads the database of a study for its page
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Everything is by column, so that ten thousand points are small: "dims" are what points differ in,
 * each { name, values, v } with v the number of a point's value; "statistics" name their unit and
 * meaning, and the column that holds their values, or `all` if every point has that value.
 */
#include "study_page.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "report.h"

#include <errno.h>
#include <sqlite3.h>
#include <sys/stat.h>

#define MOST_VALUES 20000000 /* of all statistics: with more of them only figures of the run are taken */
#define MOST_CSV (16 << 20)  /* bytes */

struct reader {
	sqlite3 *db;
	const char *path;
	struct report_study *out;
	size_t n;          /* points */
	json_t *row_of;    /* number of a point, as text -> its place */
	json_t *by_name;   /* dims: name -> { values, numbers, v } */
	json_t **columns;  /* by statistic */
	size_t nstatistics;
	json_t *kernels, *kernel_names;
	bool bad;
};

bool report_is_study(const char *path)
{
	struct stat st;
	size_t n = strlen(path);

	return (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
	       || (n > 7 && strcmp(path + n - 7, ".sqlite") == 0);
}

char *report_study_path(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return hd__format("%s/results.sqlite", path);
	return hd__xstrdup(path);
}

/* ---- queries ---- */

static void complain(struct reader *r)
{
	if (!r->bad)
		fprintf(stderr, "heddle: %s: %s\n", r->path, sqlite3_errmsg(r->db));
	r->bad = true;
}

static void each(struct reader *r, const char *sql, void (*take)(struct reader *r, sqlite3_stmt *row))
{
	sqlite3_stmt *s = NULL;
	int status = SQLITE_OK;

	if (r->bad || sqlite3_prepare_v2(r->db, sql, -1, &s, NULL) != SQLITE_OK) {
		complain(r);
		return;
	}
	while (!r->bad && (status = sqlite3_step(s)) == SQLITE_ROW)
		take(r, s);
	if (!r->bad && status != SQLITE_DONE)
		complain(r);
	sqlite3_finalize(s);
}

/* null: neither an integer nor a finite number. */
static json_t *number_of(sqlite3_stmt *row, int column)
{
	json_t *v = NULL;

	if (sqlite3_column_type(row, column) == SQLITE_INTEGER)
		v = json_integer(sqlite3_column_int64(row, column));
	else if (sqlite3_column_type(row, column) == SQLITE_FLOAT)
		v = json_real(sqlite3_column_double(row, column));
	return v ? v : json_null();
}

static json_t *value_of(sqlite3_stmt *row, int column)
{
	switch (sqlite3_column_type(row, column)) {
	case SQLITE_INTEGER:
	case SQLITE_FLOAT: return number_of(row, column);
	case SQLITE_TEXT: return report_text((const char *)sqlite3_column_text(row, column));
	default: return json_null();
	}
}

/* Texts in messages and keys of objects; "" for NULL. */
static const char *text_of(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? text : "";
}

/* The place of a point; n: it is not one of them. */
static size_t place_of(const struct reader *r, sqlite3_stmt *row)
{
	const json_t *at = json_object_get(r->row_of, text_of(row, 0));

	return at ? (size_t)json_integer_value(at) : r->n;
}

/* ---- what points differ in ---- */

static json_t *dim(struct reader *r, const char *name, bool parameter)
{
	json_t *o = json_object_get(r->by_name, name);

	if (o)
		return o;
	o = json_pack("{s:o, s:b, s:[], s:{}, s:[]}", "name", report_text(name), "parameter", parameter,
	              "values", "numbers", "v");
	json_object_set_new(r->by_name, name, o);
	json_array_append(json_object_get(r->out->data, "dims"), o);
	return o;
}

/* Sets the value of the last point; of those before it that had none, null. */
static void set_dim(json_t *o, size_t place, json_t *value)
{
	json_t *values = json_object_get(o, "values"), *numbers = json_object_get(o, "numbers");
	json_t *v = json_object_get(o, "v"), *number;
	char *text = hd__xcheck(json_dumps(value, JSON_ENCODE_ANY));

	number = json_object_get(numbers, text);
	if (!number) {
		number = json_integer((json_int_t)json_array_size(values));
		json_object_set_new(numbers, text, number);
		json_array_append(values, value);
	}
	while (json_array_size(v) < place)
		json_array_append_new(v, json_integer(-1));
	json_array_append(v, number);
	json_decref(value);
	free(text);
}

static void take_point(struct reader *r, sqlite3_stmt *row)
{
	static const char *const names[] = { "netlist", "design", "trace" };
	json_t *o = r->out->data;

	json_object_set_new(r->row_of, text_of(row, 0), json_integer((json_int_t)r->n));
	json_array_append_new(json_object_get(o, "point"), value_of(row, 0));
	for (int i = 0; i < 3; i++)
		set_dim(dim(r, names[i], false), r->n, value_of(row, 1 + i));
	set_dim(json_object_get(o, "status"), r->n, value_of(row, 4));
	if (text_of(row, 5)[0])
		json_object_set_new(json_object_get(o, "messages"), text_of(row, 0), value_of(row, 5));
	r->n++;
}

static void take_parameter(struct reader *r, sqlite3_stmt *row)
{
	size_t at = place_of(r, row);

	if (at < r->n)
		set_dim(dim(r, text_of(row, 1), true), at, value_of(row, 2));
}

/* The last points may have no value; tables of numbers are not part of the page. */
static void finish_dims(struct reader *r)
{
	const char *name;
	json_t *o;

	json_object_foreach(r->by_name, name, o) {
		json_t *v = json_object_get(o, "v");

		while (json_array_size(v) < r->n)
			json_array_append_new(v, json_integer(-1));
		json_object_del(o, "numbers");
	}
	json_object_del(json_object_get(r->out->data, "status"), "numbers");
}

static void take_study(struct reader *r, sqlite3_stmt *row)
{
	json_object_set_new(json_object_get(r->out->data, "study"), text_of(row, 0), value_of(row, 1));
}

/* ---- statistics ---- */

static void take_statistic(struct reader *r, sqlite3_stmt *row)
{
	json_t *all = json_object_get(r->out->data, "statistics");

	json_array_append_new(all, json_pack("{s:o, s:o, s:o, s:o, s:I}", "kind", value_of(row, 1), "path",
		value_of(row, 2), "unit", value_of(row, 3), "doc", value_of(row, 4), "id",
		(json_int_t)sqlite3_column_int64(row, 0)));
}

static void take_value(struct reader *r, sqlite3_stmt *row)
{
	size_t at = place_of(r, row), number = (size_t)sqlite3_column_int64(row, 1);
	json_t *column;

	if (at >= r->n || number > r->nstatistics || !r->columns[number])
		return;
	column = r->columns[number];
	while (json_array_size(column) < at)
		json_array_append_new(column, json_null());
	if (json_array_size(column) == at)
		json_array_append_new(column, number_of(row, 2));
}

static bool all_equal(const json_t *column)
{
	for (size_t i = 1; i < json_array_size(column); i++)
		if (!json_equal(json_array_get(column, 0), json_array_get(column, i)))
			return false;
	return true;
}

/* Columns of one value become `all`; the others are written one by one. */
static void add_column(struct reader *r, json_t *statistic, json_t *column)
{
	while (json_array_size(column) < r->n)
		json_array_append_new(column, json_null());
	if (all_equal(column)) {
		json_object_set(statistic, "all", json_array_get(column, 0));
		return;
	}
	json_object_set_new(statistic, "column", json_integer((json_int_t)json_array_size(r->out->columns)));
	json_array_append(r->out->columns, column);
}

static void read_statistics(struct reader *r)
{
	json_t *all = json_object_get(r->out->data, "statistics"), *o;
	bool few;
	size_t i;

	each(r, "SELECT statistic, kind, path, unit, doc FROM statistic ORDER BY statistic", take_statistic);
	r->nstatistics = 0;
	json_array_foreach(all, i, o) {
		size_t id = (size_t)json_integer_value(json_object_get(o, "id"));

		r->nstatistics = id > r->nstatistics && id <= 10000000 ? id : r->nstatistics;
	}
	few = json_array_size(all) * r->n > MOST_VALUES;
	r->columns = hd__xcalloc(r->nstatistics + 1, sizeof(json_t *));
	for (i = json_array_size(all); i-- > 0;) {
		size_t id = (size_t)json_integer_value(json_object_get(o = json_array_get(all, i), "id"));
		const char *kind = json_string_value(json_object_get(o, "kind"));

		json_object_del(o, "id");
		if (id > r->nstatistics || (few && kind && strcmp(kind, "run") != 0)) {
			json_array_remove(all, i);
			json_object_set_new(r->out->data, "few", json_true());
			continue;
		}
		r->columns[id] = json_array();
		json_object_set(o, "v", r->columns[id]);
	}
	/* until a deadlock, for instance, there are few cycles, and that is not fast */
	each(r, "SELECT point, statistic, value FROM value JOIN point USING (point) WHERE kernel = 0 AND status IN "
	        "('finished', 'stopped at the cycle limit') ORDER BY point, statistic", take_value);
	json_array_foreach(all, i, o) {
		json_t *column = json_incref(json_object_get(o, "v"));

		json_object_del(o, "v");
		add_column(r, o, column);
		json_decref(column);
	}
	for (i = 0; i <= r->nstatistics; i++)
		json_decref(r->columns[i]);
	free(r->columns);
}

/* ---- kernels ---- */

static void take_kernel(struct reader *r, sqlite3_stmt *row)
{
	static const char *const names[] = { "point", "kernel", "name", "cycles" };
	size_t at = place_of(r, row), known = json_object_size(r->kernel_names);
	const json_t *number = json_object_get(r->kernel_names, text_of(row, 2));
	json_t *v[4];

	if (at >= r->n)
		return;
	if (!number) {
		json_object_set_new(r->kernel_names, text_of(row, 2), json_integer((json_int_t)known));
		json_array_append_new(json_object_get(r->kernels, "names"), value_of(row, 2));
		number = json_object_get(r->kernel_names, text_of(row, 2));
	}
	v[0] = json_integer((json_int_t)at);
	v[1] = value_of(row, 1);
	v[2] = json_copy((json_t *)number);
	v[3] = number_of(row, 3);
	for (int i = 0; i < 4; i++)
		json_array_append_new(json_object_get(r->kernels, names[i]), v[i]);
}

/* ---- all ---- */

static bool check_schema(struct reader *r)
{
	json_t *schema;

	each(r, "SELECT name, value FROM study", take_study);
	schema = json_object_get(json_object_get(r->out->data, "study"), "schema");
	if (!r->bad && json_integer_value(schema) != 1) {
		fprintf(stderr, "heddle: %s: results of schema %" JSON_INTEGER_FORMAT "; expected 1: they are of "
		        "another version of heddle\n", r->path, json_integer_value(schema));
		r->bad = true;
	}
	return !r->bad;
}

static void read_all(struct reader *r)
{
	json_t *o = r->out->data;

	if (!check_schema(r))
		return;
	each(r, "SELECT point, netlist, design, trace, status, message FROM point ORDER BY point", take_point);
	each(r, "SELECT point, name, value FROM parameter ORDER BY point, name", take_parameter);
	finish_dims(r);
	read_statistics(r);
	r->kernels = json_pack("{s:[], s:[], s:[], s:[], s:[]}", "names", "point", "kernel", "name", "cycles");
	r->kernel_names = json_object();
	each(r, "SELECT point, kernel, name, cycles FROM kernel ORDER BY point, kernel", take_kernel);
	json_object_set_new(o, "kernels", r->kernels);
	json_decref(r->kernel_names);
	if (!r->bad && r->n == 0) {
		fprintf(stderr, "heddle: %s: no point has a result\n", r->path);
		r->bad = true;
	}
}

bool report_study_read(const char *path, struct report_study *s)
{
	struct reader r = { .path = path, .out = s, .row_of = json_object(), .by_name = json_object() };

	s->data = json_pack("{s:s, s:{}, s:[], s:[], s:{s:[], s:{}, s:[]}, s:{}, s:[], s:[]}", "heddle",
	                    PACKAGE_VERSION, "study", "point", "dims", "status", "values", "numbers", "v",
	                    "messages", "statistics", "csv");
	s->columns = json_array();
	hd__input_note_name(path);
	if (sqlite3_open_v2(path, &r.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		complain(&r);
	else
		read_all(&r);
	sqlite3_close(r.db);
	json_decref(r.row_of);
	json_decref(r.by_name);
	if (r.bad)
		report_study_free(s);
	return !r.bad;
}

bool report_study_add_csv(struct report_study *s, const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = hd__xcalloc(MOST_CSV + 1, 1);
	size_t n = f ? fread(text, 1, MOST_CSV + 1, f) : 0;
	bool ok = f && !ferror(f) && n <= MOST_CSV;

	if (f)
		hd__input_note(fileno(f));
	if (!ok)
		fprintf(stderr, "heddle: %s: %s\n", path, f && n > MOST_CSV ? "expected at most 16 MiB"
		                                                           : strerror(errno));
	else
		json_array_append_new(json_object_get(s->data, "csv"), json_pack("{s:o, s:o}", "name",
			report_text(path), "text", report_text(text)));
	if (f)
		fclose(f);
	free(text);
	return ok;
}

void report_study_free(struct report_study *s)
{
	json_decref(s->data);
	json_decref(s->columns);
	s->data = s->columns = NULL;
}
