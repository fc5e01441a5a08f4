/* sqlite_batch.c - inserts many rows with one statement
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Binding and stepping a statement for each row is slow.  So rows are collected, and then
 * "INSERT INTO t SELECT ... FROM batch" reads them: batch is a virtual table.
 */
#include "base/xalloc.h"
#include "sqlite.h"

#define ROWS 2048u
#define COLUMNS (HD_COL_NODE + DUMP_STAGES) /* that any table has at most */

struct cursor {
	sqlite3_vtab_cursor base;
	size_t row;
};

struct virtual_table {
	sqlite3_vtab base;
	struct dump_db *db;
};

static int vt_connect(sqlite3 *sq, void *db, int argc, const char *const *argv, sqlite3_vtab **out,
                      char **error)
{
	sqlite3_str *s = sqlite3_str_new(sq);
	struct virtual_table *t;
	char *sql;
	int got;

	(void)argc;
	(void)argv;
	(void)error;
	for (unsigned i = 0; i < COLUMNS; i++)
		sqlite3_str_appendf(s, "%sc%u", i ? "," : "CREATE TABLE x(", i);
	sqlite3_str_appendall(s, ")");
	sql = sqlite3_str_finish(s);
	got = sqlite3_declare_vtab(sq, sql);
	sqlite3_free(sql);
	t = sqlite3_malloc(sizeof *t);
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct virtual_table){ .db = db };
	*out = &t->base;
	return got;
}

static int vt_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

static int vt_best_index(sqlite3_vtab *t, sqlite3_index_info *info)
{
	(void)t;
	info->estimatedCost = ROWS;
	return SQLITE_OK;
}

static int vt_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct cursor *c = sqlite3_malloc(sizeof *c);

	(void)t;
	if (!c)
		return SQLITE_NOMEM;
	*c = (struct cursor){ .row = 0 };
	*out = &c->base;
	return SQLITE_OK;
}

static int vt_close(sqlite3_vtab_cursor *c)
{
	sqlite3_free(c);
	return SQLITE_OK;
}

static int vt_filter(sqlite3_vtab_cursor *c, int number, const char *text, int argc,
                     sqlite3_value **argv)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	((struct cursor *)c)->row = 0;
	return SQLITE_OK;
}

static int vt_next(sqlite3_vtab_cursor *c)
{
	((struct cursor *)c)->row++;
	return SQLITE_OK;
}

static const struct dump_batch *batch_of(const sqlite3_vtab_cursor *c)
{
	return ((const struct virtual_table *)c->pVtab)->db->batch;
}

static int vt_eof(sqlite3_vtab_cursor *c)
{
	return ((struct cursor *)c)->row >= batch_of(c)->n;
}

static int vt_column(sqlite3_vtab_cursor *c, sqlite3_context *out, int column)
{
	const struct dump_batch *b = batch_of(c);
	int64_t v = b->v[((struct cursor *)c)->row * b->columns + (unsigned)column];

	if (v == DUMP_NULL)
		sqlite3_result_null(out);
	else
		sqlite3_result_int64(out, v);
	return SQLITE_OK;
}

static int vt_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)((struct cursor *)c)->row;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xConnect = vt_connect, .xDisconnect = vt_disconnect, .xDestroy = vt_disconnect,
	.xBestIndex = vt_best_index, .xOpen = vt_open, .xClose = vt_close, .xFilter = vt_filter,
	.xNext = vt_next, .xEof = vt_eof, .xColumn = vt_column, .xRowid = vt_rowid,
};

/* ---- batches ---- */

void dump_batch_open(struct dump_db *db, struct dump_batch *b, const char *table)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", table);
	sqlite3_stmt *s = dump_db_prepare(db, sql);
	sqlite3_str *text;

	b->db = db;
	b->columns = s ? (unsigned)sqlite3_column_count(s) : 1;
	b->v = hd__xcalloc((size_t)b->columns * ROWS, sizeof *b->v);
	sqlite3_finalize(s);
	sqlite3_free(sql);
	if (db->bad)
		return;
	sqlite3_create_module(db->db, "batch", &module, db);
	text = sqlite3_str_new(db->db);
	for (unsigned i = 0; i < b->columns; i++)
		sqlite3_str_appendf(text, "%sc%u", i ? "," : "", i);
	sql = sqlite3_str_finish(text);
	text = sqlite3_str_new(db->db);
	sqlite3_str_appendf(text, "INSERT INTO \"%w\" SELECT %s FROM batch", table, sql);
	sqlite3_free(sql);
	sql = sqlite3_str_finish(text);
	b->insert = dump_db_prepare(db, sql);
	sqlite3_free(sql);
}

static void insert(struct dump_batch *b)
{
	b->db->batch = b;
	if (b->n > 0)
		dump_db_insert(b->db, b->insert);
	b->n = 0;
}

int64_t *dump_batch_row(struct dump_batch *b)
{
	if (b->n == ROWS)
		insert(b);
	return &b->v[b->n++ * b->columns];
}

void dump_batch_close(struct dump_batch *b)
{
	if (!b->v)
		return;
	insert(b);
	sqlite3_finalize(b->insert);
	free(b->v);
}
