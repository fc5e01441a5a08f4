/* sqlite.h - a dump as an SQLite database (docs/dumps.md)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef DUMP_SQLITE_H
#define DUMP_SQLITE_H

#include "producers.h"

#include <sqlite3.h>

struct dump_db {
	sqlite3 *db;
	const char *path;
	bool bad; /* something failed and was said; everything else is left out */
};

/* Runs statements. */
void dump_db_run(struct dump_db *db, const char *sql);
/* A statement that is bound and stepped many times; the caller finalizes it. */
sqlite3_stmt *dump_db_prepare(struct dump_db *db, const char *sql);
/* Inserts what is bound. */
void dump_db_insert(struct dump_db *db, sqlite3_stmt *s);

/* sqlite_names.c: what numbers mean: meta, instance, place, code ... */
void dump_db_names(struct dump_db *db, const struct dump *d);
/* The tables that rows go into.  "issue.slot" is called slot, "cache.access" cache_access; the
 * caller frees the name. */
char *dump_db_table_name(const struct dump *d, const struct dump_known *k, uint32_t table);
void dump_db_tables(struct dump_db *db, const struct dump *d, const struct dump_known *k,
                    bool steps);
/* When all rows are there: indexes and views. */
void dump_db_finish(struct dump_db *db, const struct dump_known *k, bool steps);

#endif
