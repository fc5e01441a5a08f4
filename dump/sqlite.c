/* sqlite.c - writes the rows of a dump into an SQLite database
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Everything is one transaction without a journal: the file has another name until it is whole.
 */
#include "sqlite.h"
#include "../kernel/xalloc.h"
#include "formats.h"

struct sqlite {
	struct dump_db db;
	struct dump *d;
	struct dump_known known;
	struct dump_producers *producers;
	sqlite3_stmt **insert; /* by table */
	sqlite3_stmt *wait, *step;
	int64_t id;            /* of the last life */
};

/* "INSERT INTO t VALUES(?,?,?)" with as many as the table has columns. */
static sqlite3_stmt *insertion(struct dump_db *db, const char *table)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", table), *more;
	sqlite3_stmt *s = dump_db_prepare(db, sql);
	int n = s ? sqlite3_column_count(s) : 0;

	sqlite3_finalize(s);
	sqlite3_free(sql);
	sql = sqlite3_mprintf("INSERT INTO \"%w\" VALUES(?", table);
	for (int i = 1; i < n; i++) {
		more = sqlite3_mprintf("%s,?", sql);
		sqlite3_free(sql);
		sql = more;
	}
	more = sqlite3_mprintf("%s)", sql);
	s = dump_db_prepare(db, more);
	sqlite3_free(sql);
	sqlite3_free(more);
	return s;
}

static void prepare(struct sqlite *s)
{
	struct dump *d = s->d;

	s->insert = hd__xcalloc(d->ntables, sizeof *s->insert);
	for (uint32_t i = 0; i < d->ntables; i++) {
		char *name = dump_db_table_name(d, &s->known, i);

		s->insert[i] = insertion(&s->db, name);
		free(name);
	}
	s->wait = insertion(&s->db, "wait");
	s->step = NULL;
}

static void finish(struct sqlite *s)
{
	for (uint32_t i = 0; i < s->d->ntables; i++)
		sqlite3_finalize(s->insert[i]);
	sqlite3_finalize(s->wait);
	sqlite3_finalize(s->step);
	free(s->insert);
	dump_producers_free(s->producers);
}

static void bind_producer(sqlite3_stmt *st, int at, struct dump_producer by)
{
	if (by.uid) {
		sqlite3_bind_int64(st, at, (int64_t)by.uid);
		sqlite3_bind_int64(st, at + 1, by.code);
	} else {
		sqlite3_bind_null(st, at);
		sqlite3_bind_null(st, at + 1);
	}
}

/* Binds the fields from column `at` on; returns the column behind them. */
static int bind_fields(sqlite3_stmt *st, int at, const struct dump_item *item)
{
	for (unsigned i = 0; i < item->rows->table->n; i++)
		sqlite3_bind_int64(st, at++, item->rows->field[i][item->row]);
	return at;
}

static void insert_wait(struct sqlite *s, const struct dump_item *item, const struct dump_step *step)
{
	const struct dump_known *k = &s->known;
	const struct dump_place *p = &s->d->places[step->place];
	int64_t warp = item->rows->field[k->warp][item->row];
	struct dump_producer by = { 0, 0 };

	if (p->arg && strcmp(p->arg, "reg") == 0)
		by = dump_produces(s->producers, warp, step->arg);
	sqlite3_bind_int64(s->wait, 1, s->id);
	sqlite3_bind_int64(s->wait, 2, item->rows->field[k->uid][item->row]);
	sqlite3_bind_int64(s->wait, 3, warp);
	sqlite3_bind_int64(s->wait, 4, item->rows->field[k->code][item->row]);
	sqlite3_bind_int64(s->wait, 5, step->place);
	sqlite3_bind_int64(s->wait, 6, (int64_t)step->cycle);
	sqlite3_bind_int64(s->wait, 7, (int64_t)step->cycles);
	if (p->arg)
		sqlite3_bind_int64(s->wait, 8, step->arg);
	else
		sqlite3_bind_null(s->wait, 8);
	bind_producer(s->wait, 9, by);
	dump_db_insert(&s->db, s->wait);
}

static void insert_step(struct sqlite *s, const struct dump_step *step)
{
	sqlite3_bind_int64(s->step, 1, s->id);
	sqlite3_bind_int64(s->step, 2, step->place);
	sqlite3_bind_int64(s->step, 3, (int64_t)step->cycle);
	sqlite3_bind_int64(s->step, 4, (int64_t)step->cycles);
	if (s->d->places[step->place].arg)
		sqlite3_bind_int64(s->step, 5, step->arg);
	else
		sqlite3_bind_null(s->step, 5);
	dump_db_insert(&s->db, s->step);
}

static void insert_life(struct sqlite *s, const struct dump_item *item)
{
	const struct dump_life *life = item->life;
	bool inst = (int)item->table == s->known.inst;
	sqlite3_stmt *st = s->insert[item->table];
	uint64_t stages[DUMP_STAGES];
	int at;

	sqlite3_bind_int64(st, 1, ++s->id);
	at = bind_fields(st, 2, item);
	dump_stages(s->d, life, stages);
	for (int i = 0; i < DUMP_STAGES; i++) {
		if (!inst && i != DUMP_BEGIN && i != DUMP_END)
			continue;
		if (stages[i] == DUMP_NEVER)
			sqlite3_bind_null(st, at++);
		else
			sqlite3_bind_int64(st, at++, (int64_t)stages[i]);
	}
	dump_db_insert(&s->db, st);
	for (uint32_t i = 0; i < life->n; i++) {
		if (s->step)
			insert_step(s, &life->steps[i]);
		if (inst && i > 0 && life->steps[i].cycles
		    && s->d->places[life->steps[i].place].kind == DUMP_MARK)
			insert_wait(s, item, &life->steps[i]);
	}
	if (inst)
		dump_producers_add(s->producers, item);
}

static void insert_row(struct sqlite *s, const struct dump_item *item)
{
	const struct dump_known *k = &s->known;
	sqlite3_stmt *st = s->insert[item->table];
	int at;

	sqlite3_bind_int64(st, 1, (int64_t)item->begin);
	sqlite3_bind_int64(st, 2, item->rows->who[item->row]);
	at = bind_fields(st, 3, item);
	if ((int)item->table == k->slot)
		bind_producer(st, at, dump_produces_at(s->producers,
			item->rows->field[k->slot_warp][item->row],
			item->rows->field[k->reg][item->row], item->begin));
	dump_db_insert(&s->db, st);
}

static bool take(void *arg, const struct dump_item *item)
{
	struct sqlite *s = arg;

	if (item->life)
		insert_life(s, item);
	else
		insert_row(s, item);
	return !s->db.bad;
}

bool dump_write_sqlite(struct dump *d, const struct dump_query *q, const char *path)
{
	struct sqlite s = { .db.path = path, .d = d };

	if (sqlite3_open(path, &s.db.db) != SQLITE_OK) {
		fprintf(stderr, "heddle: %s: %s\n", path, s.db.db ? sqlite3_errmsg(s.db.db)
		                                                  : "out of memory");
		sqlite3_close(s.db.db);
		return false;
	}
	dump_know(&s.known, d);
	s.producers = dump_producers_new(d, &s.known);
	dump_db_run(&s.db, "PRAGMA page_size=65536; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
	            " PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536; BEGIN");
	dump_db_tables(&s.db, d, &s.known, q->steps);
	prepare(&s);
	if (q->steps)
		s.step = insertion(&s.db, "step");
	dump_in_order(d, q, take, &s);
	finish(&s);
	dump_db_names(&s.db, d); /* behind the rows, so that damage that they had is known */
	dump_db_finish(&s.db, &s.known, q->steps);
	dump_db_run(&s.db, "COMMIT");
	if (sqlite3_close(s.db.db) != SQLITE_OK && !s.db.bad) {
		fprintf(stderr, "heddle: %s: could not be written\n", path);
		s.db.bad = true;
	}
	return !s.db.bad;
}
