/* sqlite.c - writes the rows of a dump into an SQLite database
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Everything is one transaction without a journal: the file has another name until it is complete.
 * Memory holds a few of its pages.
 */
#include "sqlite.h"
#include "base/xalloc.h"
#include "formats.h"

struct sqlite {
	struct dump_db db;
	struct dump *d;
	struct dump_known known;
	struct dump_producers *producers;
	struct dump_batch *rows; /* by table */
	struct dump_batch wait, step;
	int64_t id;              /* of the last transaction of the dump */
	bool steps;
};

static void prepare(struct sqlite *s)
{
	struct dump *d = s->d;

	s->rows = hd__xcalloc(d->ntables, sizeof *s->rows);
	for (uint32_t i = 0; i < d->ntables; i++) {
		char *name = dump_db_table_name(d, &s->known, i);

		dump_batch_open(&s->db, &s->rows[i], name);
		free(name);
	}
	dump_batch_open(&s->db, &s->wait, "wait");
	if (s->steps)
		dump_batch_open(&s->db, &s->step, "step");
}

static void finish(struct sqlite *s)
{
	for (uint32_t i = 0; i < s->d->ntables; i++)
		dump_batch_close(&s->rows[i]);
	dump_batch_close(&s->wait);
	dump_batch_close(&s->step);
	free(s->rows);
	dump_producers_free(s->producers);
}

/* Two columns. */
static void put_producer(int64_t *to, struct dump_producer by)
{
	to[0] = by.uid ? (int64_t)by.uid : DUMP_NULL;
	to[1] = by.uid ? (int64_t)by.code : DUMP_NULL;
}

/* Returns the next column. */
static int64_t *put_fields(int64_t *to, const struct dump_item *item)
{
	for (unsigned i = 0; i < item->rows->table->n; i++)
		*to++ = item->rows->field[i][item->row];
	return to;
}

static void add_wait(struct sqlite *s, const struct dump_item *item, const struct dump_step *step)
{
	const struct dump_known *k = &s->known;
	const struct dump_place *p = &s->d->places[step->place];
	const int64_t *const *field = item->rows->field;
	struct dump_producer by = { .number = 0 };
	int64_t *to = dump_batch_row(&s->wait);

	if (dump_is_register(p))
		by = dump_producer_of_wait(s->producers, item, step->arg, step->cycle);
	*to++ = dump_core_of_item(k, item);
	*to++ = field[k->uid][item->row];
	*to++ = field[k->warp][item->row];
	*to++ = field[k->code][item->row];
	*to++ = step->place;
	*to++ = (int64_t)step->cycle;
	*to++ = (int64_t)step->cycles;
	*to++ = p->arg ? step->arg : DUMP_NULL;
	put_producer(to, by);
}

static void add_step(struct sqlite *s, const struct dump_step *step)
{
	int64_t *to = dump_batch_row(&s->step);

	*to++ = s->id;
	*to++ = step->place;
	*to++ = (int64_t)step->cycle;
	*to++ = (int64_t)step->cycles;
	*to = s->d->places[step->place].arg ? step->arg : DUMP_NULL;
}

static void add_transaction(struct sqlite *s, const struct dump_item *item)
{
	const struct dump_transaction *transaction = item->transaction;
	bool inst = (int)item->table == s->known.inst;
	int64_t *to = dump_batch_row(&s->rows[item->table]);
	uint64_t stages[DUMP_STAGES];

	*to++ = ++s->id;
	if (inst)
		*to++ = dump_core_of_item(&s->known, item);
	to = put_fields(to, item);
	if (!inst)
		*to++ = dump_core_of_item(&s->known, item);
	dump_stages(&s->known, transaction, stages);
	for (int i = 0; i < DUMP_STAGES; i++)
		if (inst || i == DUMP_BEGIN || i == DUMP_END)
			*to++ = stages[i] == DUMP_NEVER ? DUMP_NULL : (int64_t)stages[i];
	for (uint32_t i = 0; i < transaction->n; i++) {
		if (s->steps)
			add_step(s, &transaction->steps[i]);
		if (inst && dump_is_wait(&s->known, transaction, i))
			add_wait(s, item, &transaction->steps[i]);
	}
	if (inst)
		dump_producers_add(s->producers, item);
}

static void add_row(struct sqlite *s, const struct dump_item *item)
{
	const struct dump_known *k = &s->known;
	int64_t *to = dump_batch_row(&s->rows[item->table]);

	*to++ = (int64_t)item->begin;
	*to++ = item->rows->who[item->row];
	if ((int)item->table == k->slot)
		*to++ = dump_core_of_item(k, item);
	to = put_fields(to, item);
	if ((int)item->table == k->slot)
		put_producer(to, dump_producer_of_slot(s->producers, item));
}

static bool take(void *arg, const struct dump_item *item)
{
	struct sqlite *s = arg;

	if (item->transaction)
		add_transaction(s, item);
	else
		add_row(s, item);
	return !s->db.bad;
}

/* Indexes are sorted in files beside the database, which have no name. */
static void sort_beside(const char *path)
{
	const char *slash = strrchr(path, '/');

	sqlite3_temp_directory = slash ? sqlite3_mprintf("%.*s/", (int)(slash - path), path)
	                               : sqlite3_mprintf(".");
}

bool dump_write_sqlite(struct dump *d, const struct dump_query *q, const char *path)
{
	struct sqlite s = { .db.path = q->output ? q->output : path, .d = d, .steps = q->steps };

	if (sqlite3_open_v2(path, &s.db.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
	                    | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
		fprintf(stderr, "heddle: %s: %s\n", s.db.path, s.db.db ? sqlite3_errmsg(s.db.db)
		                                                  : "out of memory");
		sqlite3_close(s.db.db);
		return false;
	}
	sort_beside(path);
	dump_know(&s.known, d);
	s.producers = dump_producers_new(&s.known);
	dump_db_run(&s.db, "PRAGMA page_size=65536; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
	            " PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-8192;"
	            " PRAGMA temp_store=FILE; BEGIN");
	dump_db_tables(&s.db, d, &s.known, q->steps);
	prepare(&s);
	dump_in_order(d, q, take, &s);
	finish(&s);
	dump_db_names(&s.db, d, s.known.cores); /* after the rows, so that their damage is known */
	dump_db_finish(&s.db, &s.known, q->steps);
	dump_known_free(&s.known);
	dump_db_run(&s.db, "COMMIT");
	if (sqlite3_close(s.db.db) != SQLITE_OK && !s.db.bad) {
		fprintf(stderr, "heddle: %s: could not be written\n", s.db.path);
		s.db.bad = true;
	}
	sqlite3_free(sqlite3_temp_directory);
	sqlite3_temp_directory = NULL;
	return !s.db.bad;
}
