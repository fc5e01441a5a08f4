/* study_collect.c - writes the results in a folder as an SQLite database, a table, or JSON
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The database is one transaction without a journal: the file has another name until it is complete.  Rows of
 * `value` come in the order of its primary key, so that they are only appended.
 */
#include "study_collect.h"
#include "base/xalloc.h"
#include "study_result.h"
#include "study_table.h"

#include <stdint.h>
#include <unistd.h>

static const char schema[] =
	"PRAGMA page_size=16384; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA "
	"locking_mode=EXCLUSIVE;BEGIN;CREATE TABLE study(name TEXT PRIMARY KEY, value) WITHOUT ROWID;CREATE TABLE "
	"point(point INTEGER PRIMARY KEY, netlist TEXT, design TEXT, trace TEXT, status TEXT, message TEXT, cycles "
	"INTEGER, key TEXT, joules REAL, joule_seconds REAL);CREATE TABLE parameter(point INTEGER, name TEXT, value, "
	"varied INTEGER, PRIMARY KEY(point, name)) WITHOUT ROWID;CREATE TABLE kernel(point INTEGER, kernel INTEGER, "
	"instance TEXT, id INTEGER, name TEXT, cycles INTEGER, joules REAL, joule_seconds REAL, PRIMARY KEY(point, "
	"kernel)) WITHOUT ROWID;CREATE TABLE statistic(statistic INTEGER PRIMARY KEY, kind TEXT, path TEXT, unit TEXT, "
	"doc TEXT, UNIQUE(kind, path));CREATE TABLE value(point INTEGER, kernel INTEGER, statistic INTEGER, value, "
	"PRIMARY KEY(point, kernel, statistic)) WITHOUT ROWID;CREATE VIEW result AS SELECT point, netlist, design, "
	"trace, kernel, kind, path, unit, value FROM value JOIN point USING (point) JOIN statistic USING (statistic);";

#define ROWS 32u /* of `value` in one statement: a statement for each would take half as long again */

enum { STUDY, POINT, PARAMETER, KERNEL, STATISTIC, VALUE, VALUES, STATEMENTS };

static const char *const inserts[STATEMENTS] = {
	[STUDY] = "INSERT INTO study VALUES(?,?)",
	[POINT] = "INSERT INTO point VALUES(?,?,?,?,?,?,?,?,?,?)",
	[PARAMETER] = "INSERT INTO parameter VALUES(?,?,?,?)",
	[KERNEL] = "INSERT INTO kernel VALUES(?,?,?,?,?,?,?,?)",
	[STATISTIC] = "INSERT INTO statistic VALUES(?,?,?,?,?)",
	[VALUE] = "INSERT INTO value VALUES(?1,?2,?3,?4)",
};

/* A value of one kernel of a point. */
struct entry {
	uint32_t statistic;
	const json_t *value;
};

struct collector {
	sqlite3 *db;
	sqlite3_stmt *insert[STATEMENTS];
	const char *path;
	bool bad;               /* an error was printed */
	json_t *meanings;       /* statistics.json */
	json_t *numbers;        /* kind -> path -> number of the statistic */
	uint32_t nstatistics;
	/* the present point */
	sqlite3_int64 point;
	json_t *statistics;     /* but rows of kernels */
	struct entry *v;
	size_t n, cap;
};

/* ---- rows ---------------------------------------------------------------------------------- */

static void complain(struct collector *c)
{
	if (!c->bad)
		fprintf(stderr, "heddle: %s: %s\n", c->path, c->db != NULL ? sqlite3_errmsg(c->db) : "out of memory");
	c->bad = true;
}

static void step(struct collector *c, int which)
{
	if (!c->bad && sqlite3_step(c->insert[which]) != SQLITE_DONE)
		complain(c);
	sqlite3_reset(c->insert[which]);
}

/* NULL becomes an SQL NULL. */
static void bind_text(struct collector *c, int which, int column, const char *text)
{
	sqlite3_bind_text(c->insert[which], column, text, -1, SQLITE_STATIC);
}

/* Numbers and texts as they are, everything else as JSON. */
static void bind_json(struct collector *c, int which, int column, const json_t *v)
{
	sqlite3_stmt *s = c->insert[which];
	char *text;

	if (json_is_integer(v)) {
		sqlite3_bind_int64(s, column, json_integer_value(v));
	} else if (json_is_real(v)) {
		sqlite3_bind_double(s, column, json_real_value(v));
	} else if (json_is_string(v)) {
		bind_text(c, which, column, json_string_value(v));
	} else if (v == NULL) {
		sqlite3_bind_null(s, column);
	} else {
		text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
		sqlite3_bind_text(s, column, text, -1, SQLITE_TRANSIENT);
		free(text);
	}
}

/* ---- statistics ---------------------------------------------------------------------------- */

static uint32_t number_of(struct collector *c, const char *kind, const char *path)
{
	json_t *of_kind = json_object_get(c->numbers, kind), *known = json_object_get(of_kind, path);
	const json_t *meaning;

	if (known != NULL)
		return (uint32_t)json_integer_value(known);
	if (of_kind == NULL)
		json_object_set_new(c->numbers, kind, of_kind = json_object());
	json_object_set_new_nocheck(of_kind, path, json_integer(++c->nstatistics));
	meaning = study_meaning(c->meanings, c->statistics, kind, path);
	sqlite3_bind_int64(c->insert[STATISTIC], 1, c->nstatistics);
	bind_text(c, STATISTIC, 2, kind);
	bind_text(c, STATISTIC, 3, path);
	bind_text(c, STATISTIC, 4, study_unit(c->meanings, c->statistics, kind, path));
	bind_text(c, STATISTIC, 5, json_string_value(json_object_get(meaning, "doc")));
	step(c, STATISTIC);
	return c->nstatistics;
}

/* ---- values -------------------------------------------------------------------------------- */

static int by_statistic(const void *a, const void *b)
{
	uint32_t x = ((const struct entry *)a)->statistic, y = ((const struct entry *)b)->statistic;

	return x < y ? -1 : x > y;
}

/* Writes the values of one kernel; 0: of the run. */
static void flush(struct collector *c, unsigned kernel)
{
	bool sorted = true;
	size_t n = 0;

	for (size_t i = 1; i < c->n; i++)
		sorted = sorted && c->v[i - 1].statistic < c->v[i].statistic;
	if (!sorted)
		qsort(c->v, c->n, sizeof *c->v, by_statistic);
	for (size_t i = 0; i < c->n; i++) /* a figure may be in two members of a kernel */
		if (i == 0 || c->v[i].statistic != c->v[i - 1].statistic)
			c->v[n++] = c->v[i];
	for (size_t i = 0, rows; i < n; i += rows) {
		int which = n - i >= ROWS ? VALUES : VALUE;

		rows = which == VALUES ? ROWS : 1;
		sqlite3_bind_int64(c->insert[which], 1, c->point);
		sqlite3_bind_int64(c->insert[which], 2, kernel);
		for (size_t k = 0; k < rows; k++) {
			sqlite3_bind_int64(c->insert[which], 3 + 2 * (int)k, c->v[i + k].statistic);
			bind_json(c, which, 4 + 2 * (int)k, c->v[i + k].value);
		}
		step(c, which);
	}
	c->n = 0;
}

static void take(void *arg, unsigned kernel, const char *kind, const char *path, const json_t *value)
{
	struct collector *c = arg;

	(void)kernel;
	c->v = hd__xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	c->v[c->n++] = (struct entry){ number_of(c, kind, path), value };
}

/* Of a run or kernel whose energy was counted: joules, and energy x delay. */
static void bind_energy(struct collector *c, int table, int column, const json_t *of)
{
	const json_t *energy = json_object_get(of, "energy");

	bind_json(c, table, column, json_object_get(energy, "joules"));
	bind_json(c, table, column + 1, json_object_get(energy, "joule_seconds"));
}

static void add_kernel(void *arg, unsigned kernel, json_t *row)
{
	struct collector *c = arg;

	sqlite3_bind_int64(c->insert[KERNEL], 1, c->point);
	sqlite3_bind_int64(c->insert[KERNEL], 2, kernel);
	bind_json(c, KERNEL, 3, json_object_get(row, "instance"));
	bind_json(c, KERNEL, 4, json_object_get(row, "id"));
	bind_json(c, KERNEL, 5, json_object_get(row, "name"));
	bind_json(c, KERNEL, 6, json_object_get(row, "cycles"));
	bind_energy(c, KERNEL, 7, row);
	step(c, KERNEL);
	study_walk_kernel(row, kernel, take, c);
	flush(c, kernel);
}

/* ---- points -------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In the order of the primary key. */
static void add_parameters(struct collector *c, const json_t *set, const json_t *varied)
{
	const char **names = hd__xcalloc(json_object_size(set), sizeof *names), *name;
	size_t n = 0;
	json_t *v;

	json_object_foreach((json_t *)set, name, v)
		names[n++] = name;
	qsort(names, n, sizeof *names, by_name);
	for (size_t i = 0; i < n; i++) {
		sqlite3_bind_int64(c->insert[PARAMETER], 1, c->point);
		bind_text(c, PARAMETER, 2, names[i]);
		bind_json(c, PARAMETER, 3, json_object_get(set, names[i]));
		sqlite3_bind_int64(c->insert[PARAMETER], 4, json_object_get(varied, names[i]) != NULL);
		step(c, PARAMETER);
	}
	free(names);
}

static void add_point(struct collector *c, const json_t *one, const struct study_result *r, const json_t *varied)
{
	static const char *const columns[] = { "netlist", "design", "trace" };

	sqlite3_bind_int64(c->insert[POINT], 1, c->point);
	for (int i = 0; i < 3; i++)
		bind_json(c, POINT, 2 + i, json_object_get(one, columns[i]));
	bind_json(c, POINT, 5, json_object_get(r->point, "status"));
	bind_json(c, POINT, 6, json_object_get(r->point, "message"));
	bind_json(c, POINT, 7, json_object_get(c->statistics, "cycles"));
	bind_json(c, POINT, 8, json_object_get(one, "key"));
	bind_energy(c, POINT, 9, c->statistics);
	step(c, POINT);
	add_parameters(c, json_object_get(one, "set"), varied);
	study_walk(c->statistics, take, c);
	flush(c, 0);
	json_decref(study_statistics_read(&r->statistics, add_kernel, c));
}

static void add_study(struct collector *c, const json_t *plan, size_t n)
{
	static const char *const names[] = { "name", "doc", "heddle" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		bind_text(c, STUDY, 1, names[i]);
		bind_json(c, STUDY, 2, json_object_get(plan, names[i]));
		step(c, STUDY);
	}
	bind_text(c, STUDY, 1, "schema");
	sqlite3_bind_int64(c->insert[STUDY], 2, 1);
	step(c, STUDY);
	bind_text(c, STUDY, 1, "points");
	sqlite3_bind_int64(c->insert[STUDY], 2, (sqlite3_int64)n);
	step(c, STUDY);
}

static void add_points(struct collector *c, const struct study_folder *f, const json_t *plan, size_t *n)
{
	const json_t *points = json_object_get(plan, "points"), *varied = json_object_get(plan, "varied");

	*n = 0;
	for (size_t i = 0; i < json_array_size(points) && !c->bad; i++) {
		const json_t *one = json_array_get(points, i);
		const char *key = json_string_value(json_object_get(one, "key"));
		char *path = study_folder_point(f, key != NULL ? key : "");
		struct study_result r;

		c->point = (sqlite3_int64)i + 1;
		if (study_result_open(&r, path)) {
			c->statistics = study_statistics_read(&r.statistics, NULL, NULL);
			add_point(c, one, &r, varied);
			json_decref(c->statistics);
			c->statistics = NULL;
			study_result_close(&r);
			++*n;
		} else if (access(path, F_OK) == 0) {
			fprintf(stderr, "heddle: %s: not a whole result, so point %zu is left out; heddle sweep runs "
			        "it again\n",
			        path, i + 1);
		}
		free(path);
	}
}

static void run(struct collector *c, const char *sql)
{
	if (!c->bad && sqlite3_exec(c->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		complain(c);
}

static void prepare(struct collector *c)
{
	sqlite3_str *many = sqlite3_str_new(c->db);
	char *sql;

	for (unsigned i = 0; i < ROWS; i++)
		sqlite3_str_appendf(many, "%s(?1,?2,?%u,?%u)", i > 0 ? "," : "INSERT INTO value VALUES", 3 + 2 * i,
		                    4 + 2 * i);
	sql = sqlite3_str_finish(many);
	for (int i = 0; i < STATEMENTS && !c->bad; i++)
		if (sqlite3_prepare_v3(c->db, i == VALUES ? sql : inserts[i], -1, SQLITE_PREPARE_PERSISTENT,
		                       &c->insert[i], NULL) != SQLITE_OK)
			complain(c);
	sqlite3_free(sql);
}

bool study_write_sqlite(const struct study_folder *f, const json_t *plan, const char *path, size_t *n)
{
	struct collector c = { .path = path, .numbers = json_object(),
		.meanings = study_folder_read(f, "statistics.json") };

	*n = 0;
	if (sqlite3_open_v2(path, &c.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
	                    | SQLITE_OPEN_NOFOLLOW, NULL)
	    != SQLITE_OK)
		complain(&c);
	run(&c, schema);
	if (!c.bad)
		prepare(&c);
	if (!c.bad) {
		add_points(&c, f, plan, n);
		add_study(&c, plan, json_array_size(json_object_get(plan, "points")));
	}
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(c.insert[i]);
	run(&c, "COMMIT");
	if (sqlite3_close(c.db) != SQLITE_OK)
		complain(&c);
	json_decref(c.numbers);
	json_decref(c.meanings);
	free(c.v);
	return !c.bad;
}

/* ---- a table ------------------------------------------------------------------------------- */

struct table {
	sqlite3 *db;
	const char *path;
	FILE *out;
	bool bad;
};

static sqlite3_stmt *query(struct table *t, const char *sql)
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
	sqlite3_stmt *names = query(t, "SELECT DISTINCT name FROM parameter ORDER BY name");
	sqlite3_stmt *statistics = query(t, "SELECT kind,"
	                                    " CASE WHEN unit <> '' THEN path || ' [' || unit || ']' ELSE path END,"
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
	point = query(&t, "SELECT point, netlist, design, trace, status FROM point ORDER BY point");
	parameter = query(&t, "SELECT value FROM parameter WHERE point = ? AND name = ?");
	value = query(&t, "SELECT point, kernel, statistic, value FROM value ORDER BY point, kernel, statistic");
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
	json_t *meanings = study_folder_read(f, "statistics.json");
	bool any = false;

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
