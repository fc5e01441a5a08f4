/* cmd_collect.c - heddle-dump sweep: the results of a study as a database; heddle sweep runs it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "base/below.h"
#include "tools/study/study_collect.h"

#include <stdlib.h>
#include <unistd.h>

struct args {
	const char *folder, *csv, *json;
	bool quiet;
};

enum { KEY_CSV = 256, KEY_JSON };

static const struct argp_option options[] = {
	{ "csv", KEY_CSV, "FILE", 0, "write a table as well", 0 },
	{ "json", KEY_JSON, "FILE", 0, "write JSON as well", 0 },
	{ "quiet", 'q', NULL, 0, "no summary", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case KEY_CSV: a->csv = arg; break;
	case KEY_JSON: a->json = arg; break;
	case 'q': a->quiet = true; break;
	case ARGP_KEY_ARG:
		if (st->arg_num > 0)
			argp_error(st, "unexpected argument '%s'", arg);
		a->folder = arg;
		break;
	case ARGP_KEY_END:
		if (st->arg_num < 1)
			argp_error(st, "expected FOLDER");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = { options, parse, "FOLDER", "Writes the results of a study into one database.",
	NULL, NULL, NULL };

/* Each output is written under another name first.  Returns false after printing an error. */
static bool write_csv(const char *database, const char *csv)
{
	struct hd_output o;
	sqlite3 *db = NULL;
	bool ok;

	if (hd__output_open(&o, csv, "--csv") != HD_EXIT_OK)
		return false;
	ok = sqlite3_open_v2(database, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
	if (!ok)
		fprintf(stderr, "heddle: %s: %s\n", database, sqlite3_errmsg(db));
	ok = ok && study_write_csv(db, database, o.f);
	sqlite3_close(db);
	return hd__output_close(&o, ok);
}

static bool write_json(const struct study_folder *f, const json_t *plan, const char *json)
{
	struct hd_output o;

	if (hd__output_open(&o, json, "--json") != HD_EXIT_OK)
		return false;
	study_write_json(f, plan, o.f); /* if it fails, the stream has an error */
	return hd__output_close(&o, true);
}

/* The point with the least of a column; nothing if no point has any. */
static void print_least(sqlite3 *db, const char *what, const char *column, const char *unit)
{
	char *sql = hd__format("SELECT point, %s FROM point WHERE %s NOTNULL ORDER BY %s, point LIMIT 1", column,
	                       column, column);
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
		printf("; least %s: point %lld, %.4g %s", what, (long long)sqlite3_column_int64(s, 0),
		       sqlite3_column_double(s, 1), unit);
	sqlite3_finalize(s);
	free(sql);
}

static void print_summary(const char *database, size_t n)
{
	sqlite3 *db = NULL;

	printf("%s: %zu point%s", database, n, n == 1 ? "" : "s");
	if (sqlite3_open_v2(database, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) {
		print_least(db, "energy", "joules", "J");
		print_least(db, "energy x delay", "joule_seconds", "J s");
	}
	sqlite3_close(db);
	putchar('\n');
}

int hd__cmd_collect(int argc, char **argv)
{
	struct args a = { 0 };
	struct study_folder f = { .path = NULL };
	struct hd_output o;
	char *database;
	json_t *plan;
	size_t n;
	bool ok;

	hd__parse_args(&argp, argc, argv, &a);
	f.path = a.folder;
	plan = study_points_read(&f);
	if (!plan)
		return HD_EXIT_USAGE;
	database = study_folder_name(&f, "results.sqlite");
	f.at = hd__below_enter(f.path);
	ok = hd__output_below(&o, f.at, f.path, "results.sqlite", NULL) == HD_EXIT_OK;
	ok = ok && hd__output_close(&o, study_write_sqlite(&f, plan, o.name, &n));
	ok = ok && (!a.csv || write_csv(database, a.csv));
	ok = ok && (!a.json || write_json(&f, plan, a.json));
	if (ok && !a.quiet)
		print_summary(database, n);
	free(database);
	if (f.at >= 0)
		close(f.at);
	json_decref(plan);
	return ok ? HD_EXIT_OK : HD_EXIT_FAILED;
}
