/* sqlite.h - a dump as an SQLite database (docs/dumps.md)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_SQLITE_H
#define TOOLS_DUMP_SQLITE_H

#include "producers.h"

#include <sqlite3.h>

struct dump_batch;

struct dump_db {
	sqlite3 *db;
	const char *path;
	bool bad; /* an error was printed; everything else is left out */
	const struct dump_batch *batch; /* that is being inserted */
};

/* Runs statements. */
void dump_db_run(struct dump_db *db, const char *sql);
/* A statement; the caller finalizes it. */
sqlite3_stmt *dump_db_prepare(struct dump_db *db, const char *sql);
/* Runs an INSERT. */
void dump_db_insert(struct dump_db *db, sqlite3_stmt *s);

/* sqlite_batch.c: rows of numbers for one table, inserted many at a time. */
struct dump_batch {
	struct dump_db *db;
	sqlite3_stmt *insert;
	unsigned columns;
	size_t n;
	int64_t *v;
};
#define DUMP_NULL INT64_MIN
void dump_batch_open(struct dump_db *db, struct dump_batch *b, const char *table);
/* The next row, to be filled. */
int64_t *dump_batch_row(struct dump_batch *b);
/* No effect if it was never opened. */
void dump_batch_close(struct dump_batch *b);

/* sqlite_names.c: names of numbers: meta, core, instance, place, code ... */
void dump_db_names(struct dump_db *db, const struct dump *d, const struct dump_cores *cores);
/* The tables for rows.  "issue.slot" is called slot, "cache.access" cache_access; the
 * caller frees the name. */
char *dump_db_table_name(const struct dump *d, const struct dump_known *k, uint32_t table);
void dump_db_tables(struct dump_db *db, const struct dump *d, const struct dump_known *k,
                    bool steps);
/* Called after all rows: indexes and views. */
void dump_db_finish(struct dump_db *db, const struct dump_known *k, bool steps);

#endif
