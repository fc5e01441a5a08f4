/* export.c - the results of a study as a table and as JSON
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_collect.h"
#include "base/xalloc.h"
#include "study_result.h"

#include <stdint.h>

/* ---- a table ------------------------------------------------------------------------------- */

struct table {
	sqlite3 *db;
	const char *path;
	FILE *out;
	bool bad;
};

static sqlite3_stmt *prepare(struct table *t, const char *sql)
{
	sqlite3_stmt *s = NULL;

	if (!t->bad && sqlite3_prepare_v2(t->db, sql, -1, &s, NULL) != SQLITE_OK) {
		fprintf(stderr, "heddle: %s: %s\n", t->path, sqlite3_errmsg(t->db));
		t->bad = true;
	}
	return s;
}

static bool next(struct table *t, sqlite3_stmt *s)
{
	int got = s != NULL ? sqlite3_step(s) : SQLITE_DONE;

	if (got != SQLITE_ROW && got != SQLITE_DONE && !t->bad) {
		fprintf(stderr, "heddle: %s: %s\n", t->path, sqlite3_errmsg(t->db));
		t->bad = true;
	}
	return got == SQLITE_ROW;
}

/* Quoted where it has to be (RFC 4180). */
static void cell(FILE *out, const char *text)
{
	if (text == NULL)
		return;
	if (text[strcspn(text, ",\"\r\n")] == '\0') {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static const char *text(sqlite3_stmt *s, int column)
{
	return (const char *)sqlite3_column_text(s, column);
}

/* The first line; the numbers of statistics go to 1 .. *n. */
static void header(struct table *t, json_t *parameters, size_t *n)
{
	sqlite3_stmt *names = prepare(t, "SELECT DISTINCT name FROM parameter ORDER BY name");
	sqlite3_stmt *statistics = prepare(t, "SELECT kind, CASE WHEN unit <> '' THEN path || ' [' || unit || ']' ELSE path END,"
	                                      " (SELECT count(*) FROM statistic b WHERE b.path = a.path)"
	                                      " FROM statistic a ORDER BY statistic");

	fputs("point,kernel,netlist,design,trace,status", t->out);
	while (next(t, names)) {
		fputc(',', t->out);
		cell(t->out, text(names, 0));
		json_array_append_new(parameters, json_string(text(names, 0)));
	}
	for (*n = 0; next(t, statistics); ++*n) {
		fputc(',', t->out);
		if (sqlite3_column_int(statistics, 2) > 1) /* a figure of the run and one of an instance */
			fprintf(t->out, "%s:", text(statistics, 0));
		cell(t->out, text(statistics, 1));
	}
	fputc('\n', t->out);
	sqlite3_finalize(names);
	sqlite3_finalize(statistics);
}

/* The columns that are the same for all kernels of a point, into a text that the caller frees. */
static char *point_cells(struct table *t, sqlite3_stmt *point, sqlite3_stmt *parameter, const json_t *parameters)
{
	FILE *out;
	char *line = NULL;
	size_t size;
	json_t *name;
	size_t i;

	out = hd__xcheck(open_memstream(&line, &size));
	for (int k = 1; k <= 4; k++) {
		fputc(',', out);
		cell(out, text(point, k));
	}
	json_array_foreach((json_t *)parameters, i, name) {
		sqlite3_bind_int64(parameter, 1, sqlite3_column_int64(point, 0));
		sqlite3_bind_text(parameter, 2, json_string_value(name), -1, SQLITE_STATIC);
		fputc(',', out);
		if (next(t, parameter))
			cell(out, text(parameter, 0));
		sqlite3_reset(parameter);
	}
	fclose(out);
	return hd__xcheck(line);
}

/* The rows of a point: `value` stands at its first value, or behind. */
static void rows(struct table *t, sqlite3_int64 point, const char *cells, sqlite3_stmt *value, bool *more, size_t n)
{
	sqlite3_int64 kernel = 0;

	do {
		size_t column = 0;

		fprintf(t->out, "%lld,%lld%s", (long long)point, (long long)kernel, cells);
		while (*more && sqlite3_column_int64(value, 0) == point && sqlite3_column_int64(value, 1) == kernel) {
			size_t at = (size_t)sqlite3_column_int64(value, 2);

			for (; column < at; column++)
				fputc(',', t->out);
			fputs(text(value, 3), t->out);
			*more = next(t, value);
		}
		for (; column < n; column++)
			fputc(',', t->out);
		fputc('\n', t->out);
		kernel = *more ? sqlite3_column_int64(value, 1) : 0;
	} while (*more && sqlite3_column_int64(value, 0) == point);
}

bool study_write_csv(sqlite3 *db, const char *path, FILE *out)
{
	struct table t = { .db = db, .path = path, .out = out };
	json_t *parameters = json_array();
	sqlite3_stmt *point, *parameter, *value;
	size_t n;
	bool more;

	header(&t, parameters, &n);
	point = prepare(&t, "SELECT point, netlist, design, trace, status FROM point ORDER BY point");
	parameter = prepare(&t, "SELECT value FROM parameter WHERE point = ? AND name = ?");
	value = prepare(&t, "SELECT point, kernel, statistic, value FROM value ORDER BY point, kernel, statistic");
	more = next(&t, value);
	while (next(&t, point)) {
		char *cells = point_cells(&t, point, parameter, parameters);

		rows(&t, sqlite3_column_int64(point, 0), cells, value, &more, n);
		free(cells);
	}
	sqlite3_finalize(point);
	sqlite3_finalize(parameter);
	sqlite3_finalize(value);
	json_decref(parameters);
	return !t.bad;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

struct writer {
	FILE *out;
	bool any; /* is something there to which a comma belongs? */
};

static void comma(struct writer *w)
{
	fputs(w->any ? ", " : "", w->out);
	w->any = true;
}

static void write_value(struct writer *w, const json_t *v)
{
	json_dumpf(v, w->out, JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
}

static void write_name(struct writer *w, const char *name)
{
	json_t *text = json_string(name);

	comma(w);
	write_value(w, text);
	fputs(": ", w->out);
	json_decref(text);
}

static void write_row(void *arg, const char *name, json_t *row)
{
	struct writer *w = arg;

	(void)name;
	comma(w);
	write_value(w, row);
}

/* Elements of an array one by one. */
static bool write_member(void *arg, const char *name, struct hd_json_text *t)
{
	struct writer *w = arg, inner = { w->out, false };
	json_t *v;
	bool ok;

	write_name(w, name);
	if (hd__json_comes(t, '[')) {
		fputc('[', w->out);
		ok = hd__json_rows(t, write_row, &inner, name);
		fputc(']', w->out);
		return ok;
	}
	v = hd__json_value(t);
	if (v != NULL)
		write_value(w, v);
	json_decref(v);
	return v != NULL;
}

/* The members of a point, and its statistics, whose hash is right, so that they are JSON. */
static void write_point(FILE *out, json_t *point, const struct study_statistics *s)
{
	struct writer w = { out, false }, inner = { out, false };
	struct hd_json_file file;
	struct hd_json_text t;
	const char *name;
	json_t *v;

	fputc('{', out);
	json_object_foreach(point, name, v) {
		write_name(&w, name);
		write_value(&w, v);
	}
	write_name(&w, "statistics");
	if (study_statistics_open(s, &file, &t) && hd__json_next(&t) == '{') {
		fputc('{', out);
		hd__json_members(&t, write_member, &inner);
		fputc('}', out);
	} else {
		fputs("null", out);
	}
	hd__json_file_close(&file);
	fputc('}', out);
}

void study_write_json(const struct study_folder *f, const json_t *plan, FILE *out)
{
	const json_t *points = json_object_get(plan, "points");
	char *name = study_folder_name(f, "statistics.json");
	json_t *meanings = json_load_file(name, 0, NULL);
	bool any = false;

	free(name);
	fputs("{\"study\": ", out);
	json_dumpf(json_object_get(plan, "name"), out, JSON_ENCODE_ANY);
	fputs(", \"points\": [", out);
	for (size_t i = 0; i < json_array_size(points); i++) {
		const json_t *one = json_array_get(points, i);
		const char *key = json_string_value(json_object_get(one, "key"));
		char *path = study_folder_point(f, key != NULL ? key : "");
		struct study_result r;

		if (study_result_open(&r, path)) {
			json_t *row = json_copy((json_t *)one);

			json_object_set_new(row, "point", json_integer((json_int_t)i + 1));
			json_object_set(row, "status", json_object_get(r.point, "status"));
			json_object_set(row, "message", json_object_get(r.point, "message"));
			fputs(any ? ",\n" : "\n", out);
			write_point(out, row, &r.statistics);
			json_decref(row);
			study_result_close(&r);
			any = true;
		}
		free(path);
	}
	fputs("\n],\n\"meanings\": ", out);
	json_dumpf(meanings != NULL ? meanings : json_null(), out, JSON_ENCODE_ANY);
	fputs("}\n", out);
	json_decref(meanings);
}
