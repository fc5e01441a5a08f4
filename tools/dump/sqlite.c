/* sqlite.c - a dump as an SQLite database (docs/dumps.md)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Everything is one transaction without a journal: the file has another name until it is complete.
 * Memory holds a few of its pages.
 *
 * Binding and stepping a statement for each row is slow.  So rows are collected, and then
 * "INSERT INTO t SELECT ... FROM batch" reads them: batch is a virtual table.
 */
#include "producers.h"
#include "writers.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <unistd.h>

#define ROWS 2048u       /* of a batch */
#define COLUMNS (HD_COL_NODE + DUMP_STAGES) /* that any table has at most */
#define DUMP_NULL INT64_MIN

struct db {
	sqlite3 *db;
	const char *path;
	bool bad; /* an error was printed; everything else is left out */
	const struct batch *batch; /* that is being inserted */
};

/* Rows of numbers for one table, inserted many at a time. */
struct batch {
	struct db *db;
	sqlite3_stmt *insert;
	unsigned columns;
	size_t n;
	int64_t *v;
};

static void fail(struct db *db)
{
	if (!db->bad)
		fprintf(stderr, "heddle: %s: could not be written: %s\n", db->path, sqlite3_errmsg(db->db));
	db->bad = true;
}

static void run(struct db *db, const char *sql)
{
	if (!db->bad && sqlite3_exec(db->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(db);
}

static sqlite3_stmt *prepare_sql(struct db *db, const char *sql)
{
	sqlite3_stmt *s = NULL;

	if (!db->bad && sqlite3_prepare_v2(db->db, sql, -1, &s, NULL) != SQLITE_OK)
		fail(db);
	return s;
}

static void insert_row(struct db *db, sqlite3_stmt *s)
{
	if (db->bad)
		return;
	if (sqlite3_step(s) != SQLITE_DONE)
		fail(db);
	sqlite3_reset(s);
}

/* ---- batches ---- */

struct cursor {
	sqlite3_vtab_cursor base;
	size_t row;
};

struct virtual_table {
	sqlite3_vtab base;
	struct db *db;
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

static const struct batch *batch_of(const sqlite3_vtab_cursor *c)
{
	return ((const struct virtual_table *)c->pVtab)->db->batch;
}

static int vt_eof(sqlite3_vtab_cursor *c)
{
	return ((struct cursor *)c)->row >= batch_of(c)->n;
}

static int vt_column(sqlite3_vtab_cursor *c, sqlite3_context *out, int column)
{
	const struct batch *b = batch_of(c);
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

static const sqlite3_module batch_module = {
	.xConnect = vt_connect, .xDisconnect = vt_disconnect, .xDestroy = vt_disconnect,
	.xBestIndex = vt_best_index, .xOpen = vt_open, .xClose = vt_close, .xFilter = vt_filter,
	.xNext = vt_next, .xEof = vt_eof, .xColumn = vt_column, .xRowid = vt_rowid,
};

static void batch_open(struct db *db, struct batch *b, const char *table)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", table);
	sqlite3_stmt *s = prepare_sql(db, sql);
	sqlite3_str *text;

	b->db = db;
	b->columns = s ? (unsigned)sqlite3_column_count(s) : 1;
	b->v = hd__xcalloc((size_t)b->columns * ROWS, sizeof *b->v);
	sqlite3_finalize(s);
	sqlite3_free(sql);
	if (db->bad)
		return;
	sqlite3_create_module(db->db, "batch", &batch_module, db);
	text = sqlite3_str_new(db->db);
	for (unsigned i = 0; i < b->columns; i++)
		sqlite3_str_appendf(text, "%sc%u", i ? "," : "", i);
	sql = sqlite3_str_finish(text);
	text = sqlite3_str_new(db->db);
	sqlite3_str_appendf(text, "INSERT INTO \"%w\" SELECT %s FROM batch", table, sql);
	sqlite3_free(sql);
	sql = sqlite3_str_finish(text);
	b->insert = prepare_sql(db, sql);
	sqlite3_free(sql);
}

static void insert(struct batch *b)
{
	b->db->batch = b;
	if (b->n > 0)
		insert_row(b->db, b->insert);
	b->n = 0;
}

static int64_t *batch_row(struct batch *b)
{
	if (b->n == ROWS)
		insert(b);
	return &b->v[b->n++ * b->columns];
}

static void batch_close(struct batch *b)
{
	if (!b->v)
		return;
	insert(b);
	sqlite3_finalize(b->insert);
	free(b->v);
}

static const char names_sql[] =
	"CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;CREATE TABLE statistics_row(of TEXT, number "
	"INTEGER, value TEXT, PRIMARY KEY(of, number));CREATE TABLE core(id INTEGER PRIMARY KEY, path TEXT);CREATE "
	"TABLE instance(id INTEGER PRIMARY KEY, path TEXT, module TEXT, core INTEGER, turns INTEGER);CREATE TABLE "
	"place(id INTEGER PRIMARY KEY, name TEXT, kind TEXT, instance INTEGER, mark TEXT, port TEXT, doc TEXT);CREATE "
	"TABLE reason(module TEXT, id INTEGER, name TEXT, kind TEXT, doc TEXT, PRIMARY KEY(module, id)) WITHOUT "
	"ROWID;CREATE TABLE cause(id INTEGER PRIMARY KEY, instance INTEGER, reason TEXT, doc TEXT);CREATE TABLE "
	"counter(id INTEGER PRIMARY KEY, instance INTEGER, name TEXT, unit TEXT, doc TEXT, total TEXT);CREATE TABLE "
	"symbol(kind TEXT, id INTEGER, name TEXT, PRIMARY KEY(kind, id)) WITHOUT ROWID;CREATE TABLE kernel(id INTEGER "
	"PRIMARY KEY, name TEXT, launch INTEGER, info TEXT);CREATE TABLE code(id INTEGER PRIMARY KEY, kernel INTEGER, "
	"pc INTEGER, opcode TEXT, text TEXT, class TEXT, space TEXT, dst INTEGER, source TEXT);";

static const char inst_views_sql[] =
	"CREATE VIEW v_inst AS SELECT inst.*, c.kernel, c.pc, c.opcode, c.text, c.class, c.space, c.dst"
	" FROM inst LEFT JOIN code c ON c.id = inst.code;"
	"CREATE VIEW v_wait AS SELECT w.*, p.name AS place_name, p.mark, c.kernel, c.pc, c.text,"
	" pc.pc AS producer_pc, pc.text AS producer_text FROM wait w JOIN place p ON p.id = w.place"
	" LEFT JOIN code c ON c.id = w.code LEFT JOIN code pc ON pc.id = w.producer_code;";

static const char slot_views_sql[] =
	"CREATE VIEW v_slot AS SELECT s.cycle, s.core, s.n, i.path AS stage, r.name AS reason, r.kind,"
	" u.name AS unit, CASE WHEN s.cause > 0 THEN coalesce(ci.path || ':', '') || ca.reason END"
	" AS cause, s.reg, s.warp, s.code, %s.kernel, c.pc, c.text, s.producer_uid, s.producer_code,"
	" p.pc AS producer_pc, p.text AS producer_text FROM slot s"
	" JOIN instance i ON i.id = s.instance"
	" LEFT JOIN reason r ON r.module = i.module AND r.id = s.reason"
	" LEFT JOIN symbol u ON u.kind = 'unit' AND u.id = s.unit"
	" LEFT JOIN cause ca ON ca.id = s.cause LEFT JOIN instance ci ON ci.id = ca.instance"
	" LEFT JOIN code c ON c.id = s.code LEFT JOIN code p ON p.id = s.producer_code;";

/* Requests and accesses of caches with the instruction that they belong to. */
static const char request_views_sql[] =
	"CREATE VIEW v_request AS SELECT m.*, i.id AS inst, i.code, c.kernel, c.pc, c.text"
	" FROM mem m LEFT JOIN inst i ON i.uid = m.uid AND i.core = m.core AND m.uid > 0"
	" LEFT JOIN code c ON c.id = i.code;";

static const char access_views_sql[] =
	"CREATE VIEW v_access AS SELECT a.cycle, n.path, a.addr, a.core, a.warp, a.\"write\","
	" CASE a.outcome WHEN 0 THEN 'hit' WHEN 1 THEN 'pending hit' WHEN 2 THEN 'sector miss'"
	" WHEN 3 THEN 'miss' ELSE 'refused' END AS outcome, a.uid, i.code, c.kernel, c.pc, c.text"
	" FROM cache_access a JOIN instance n ON n.id = a.instance LEFT JOIN inst i ON i.uid = a.uid"
	" AND a.uid > 0 AND i.core = a.core LEFT JOIN code c ON c.id = i.code;";

/* ---- names ---- */

/* Inserts a row; `kinds` has a letter for each column: s text, i number, n number or -1 for
 * NULL. */
static void row(struct db *db, sqlite3_stmt *s, const char *kinds, ...)
{
	va_list ap;

	if (db->bad)
		return;
	va_start(ap, kinds);
	for (int i = 1; kinds[i - 1]; i++) {
		if (kinds[i - 1] == 's') {
			const char *text = va_arg(ap, const char *);

			sqlite3_bind_text(s, i, text, -1, SQLITE_STATIC);
		} else {
			int64_t v = va_arg(ap, int64_t);

			if (kinds[i - 1] == 'n' && v < 0)
				sqlite3_bind_null(s, i);
			else
				sqlite3_bind_int64(s, i, v);
		}
	}
	va_end(ap);
	insert_row(db, s);
}

/* NULL for no instance. */
static int64_t instance(uint32_t i)
{
	return i == UINT32_MAX ? -1 : (int64_t)i;
}

static void add_json(struct db *db, sqlite3_stmt *s, const char *name, const json_t *v)
{
	char *text;

	if (!v)
		return;
	if (json_is_string(v)) {
		row(db, s, "ss", name, json_string_value(v));
	} else if (json_is_integer(v)) {
		row(db, s, "si", name, (int64_t)json_integer_value(v));
	} else {
		text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
		row(db, s, "ss", name, text ? text : "");
		free(text);
	}
}

struct statistics_rows {
	struct db *db;
	sqlite3_stmt *insert;
	char *table;           /* of the last row */
	int64_t n;             /* rows of it so far */
};

static void add_statistics_row(void *arg, const char *table, json_t *v)
{
	struct statistics_rows *r = arg;
	char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);

	if (!r->table || strcmp(r->table, table) != 0) {
		free(r->table);
		r->table = hd__xstrdup(table);
		r->n = 0;
	}
	row(r->db, r->insert, "sis", table, r->n++, text ? text : "");
	free(text);
}

static void add_statistics(struct db *db, sqlite3_stmt *meta, const struct dump *d)
{
	struct statistics_rows r = { db, prepare_sql(db, "INSERT OR REPLACE INTO statistics_row VALUES(?,?,?)"),
		          NULL, 0 };
	json_t *statistics = dump_statistics(d, add_statistics_row, &r);

	add_json(db, meta, "statistics", statistics);
	json_decref(statistics);
	sqlite3_finalize(r.insert);
	free(r.table);
}

static void add_meta(struct db *db, const struct dump *d)
{
	static const char *const of_meta[] = { "heddle", "input", "cycle", "sample", "filter",
		"clocks", NULL };
	static const char *const of_end[] = { "status", "cycles", "warp_instructions", "synthetic_control",
		NULL };
	sqlite3_stmt *s = prepare_sql(db, "INSERT INTO meta VALUES(?,?)");
	json_t *netlist;

	for (const char *const *n = of_meta; *n; n++)
		add_json(db, s, *n, json_object_get(d->meta, *n));
	add_json(db, s, "netlist_name", json_object_get(d->meta, "core"));
	netlist = dump_part(d, "netlist");
	add_json(db, s, "netlist", netlist);
	json_decref(netlist);
	for (const char *const *n = of_end; *n; n++)
		add_json(db, s, *n, json_object_get(d->end, *n));
	add_statistics(db, s, d);
	if (d->damage)
		row(db, s, "ss", "damage", d->damage);
	sqlite3_finalize(s);
}

static void add_reasons(struct db *db, const struct dump *d)
{
	sqlite3_stmt *s = prepare_sql(db, "INSERT INTO reason VALUES(?,?,?,?,?)");
	const char *module;
	json_t *m, *r;
	size_t i;

	json_object_foreach(json_object_get(d->meta, "modules"), module, m)
		json_array_foreach(json_object_get(m, "reasons"), i, r) {
			const char *name = json_string_value(json_object_get(r, "name"));
			char *kind = hd__xstrndup(name ? name : "", strcspn(name ? name : "", "."));

			row(db, s, "sisss", module, (int64_t)i, name, kind,
			    json_string_value(json_object_get(r, "doc")));
			free(kind);
		}
	sqlite3_finalize(s);
}

static void add_symbols(struct db *db, const struct dump *d)
{
	sqlite3_stmt *s = prepare_sql(db, "INSERT INTO symbol VALUES(?,?,?)");
	const char *kind;
	json_t *list, *v;
	size_t i;

	json_object_foreach(d->symbols, kind, list)
		json_array_foreach(list, i, v)
			row(db, s, "sis", kind, (int64_t)i, json_string_value(v));
	sqlite3_finalize(s);
}

static void add_places(struct db *db, const struct dump *d, const struct dump_cores *cores)
{
	static const char *const kinds[] = { [DUMP_AT] = "instance", [DUMP_MARK] = "mark",
		[DUMP_CHANNEL] = "channel" };
	sqlite3_stmt *s = prepare_sql(db, "INSERT INTO core VALUES(?,?)");

	for (uint32_t i = 0; i < cores->n; i++)
		row(db, s, "is", (int64_t)i, cores->paths[i]);
	sqlite3_finalize(s);
	s = prepare_sql(db, "INSERT INTO instance VALUES(?,?,?,?,?)");
	for (uint32_t i = 0; i < d->ninstances; i++)
		row(db, s, "issii", (int64_t)i, d->instances[i].path, d->instances[i].module,
		    (int64_t)cores->of[i], (int64_t)d->instances[i].turns.turns);
	sqlite3_finalize(s);
	s = prepare_sql(db, "INSERT INTO place VALUES(?,?,?,?,?,?,?)");
	for (uint32_t i = 0; i < d->nplaces; i++) {
		const struct dump_place *p = &d->places[i];

		row(db, s, "issnsss", (int64_t)i, p->name, kinds[p->kind], instance(p->instance), p->mark,
		    p->port, p->doc);
	}
	sqlite3_finalize(s);
}

static void add_causes(struct db *db, const struct dump *d)
{
	sqlite3_stmt *s = prepare_sql(db, "INSERT INTO cause VALUES(?,?,?,?)");

	for (uint32_t i = 0; i < d->ncauses; i++)
		row(db, s, "inss", (int64_t)i, instance(d->causes[i].instance), d->causes[i].reason,
		    d->causes[i].doc);
	sqlite3_finalize(s);
	s = prepare_sql(db, "INSERT INTO counter VALUES(?,?,?,?,?,?)");
	for (uint32_t i = 0; i < d->ncounters; i++) {
		const struct dump_counter *c = &d->counters[i];

		row(db, s, "inssss", (int64_t)i, instance(c->instance), c->name, c->unit, c->doc,
		    c->total);
	}
	sqlite3_finalize(s);
}

static void add_codes(struct db *db, const struct dump *d)
{
	sqlite3_stmt *s = prepare_sql(db, "INSERT INTO kernel VALUES(?,?,?,?)");
	struct dump_code c;
	json_t *cells;
	char *text;

	for (uint32_t i = 0; i < d->nkernels; i++) {
		if (!d->kernels[i].name)
			continue;
		cells = dump_kernel_cells(d, i);
		text = hd__xcheck(json_dumps(cells, JSON_COMPACT));
		row(db, s, "isis", (int64_t)i, d->kernels[i].name, (int64_t)d->kernels[i].launch, text);
		free(text);
		json_decref(cells);
	}
	sqlite3_finalize(s);
	s = prepare_sql(db, "INSERT INTO code VALUES(?,?,?,?,?,?,?,?,?)");
	for (uint32_t i = 0; i < d->ncodes; i++)
		if (dump_code(d, i, &c))
			row(db, s, "iiissssns", (int64_t)i, (int64_t)c.kernel, (int64_t)c.pc, c.opcode, c.text, c.class,
			    c.space, (int64_t)c.dst, c.source);
	sqlite3_finalize(s);
}

static void add_names(struct db *db, const struct dump *d, const struct dump_cores *cores)
{
	run(db, names_sql);
	add_meta(db, d);
	add_places(db, d, cores);
	add_reasons(db, d);
	add_causes(db, d);
	add_symbols(db, d);
	add_codes(db, d);
}

/* ---- tables and views ---- */

static char *table_name(const struct dump *d, const struct dump_known *k, uint32_t table)
{
	char *name = hd__xstrdup((int)table == k->slot ? "slot" : d->tables[table].name);

	for (char *p = name; *p; p++)
		if (*p == '.' || *p == '"')
			*p = '_';
	return name;
}

/* The field with the number of an SM, or -1.  A module calls it "core", which here is an id of the table core. */
static int number_of_sm(const struct dump_table *t)
{
	return dump_find_field(t, "core");
}

static void create(struct db *db, const struct dump *d, const struct dump_known *k, uint32_t i)
{
	const struct dump_table *t = &d->tables[i];
	char *name = table_name(d, k, i);
	sqlite3_str *s = sqlite3_str_new(db->db);
	char *sql;

	sqlite3_str_appendf(s, "CREATE TABLE \"%w\"(", name);
	sqlite3_str_appendall(s, t->kind == HD_TABLE_TRANSACTIONS ? "id INTEGER PRIMARY KEY"
	                      : t->kind == HD_TABLE_SAMPLES ? "cycle INTEGER, counter INTEGER"
	                                                    : "cycle INTEGER, instance INTEGER");
	if (t->kind != HD_TABLE_SAMPLES)
		sqlite3_str_appendall(s, ", core INTEGER");
	for (unsigned f = 0; f < t->n; f++)
		sqlite3_str_appendf(s, ", \"%w\" INTEGER", (int)f == number_of_sm(t) ? "sm" : t->fields[f].name);
	for (int f = 0; t->kind == HD_TABLE_TRANSACTIONS && f < DUMP_STAGES; f++)
		if ((int)i == k->inst || f == DUMP_BEGIN || f == DUMP_END)
			sqlite3_str_appendf(s, ", \"%w\" INTEGER", dump_stage_names[f]);
	if ((int)i == k->slot)
		sqlite3_str_appendall(s, ", producer_uid INTEGER, producer_code INTEGER");
	sqlite3_str_appendall(s, ")");
	sql = sqlite3_str_finish(s);
	run(db, sql);
	sqlite3_free(sql);
	free(name);
}

static void create_tables(struct db *db, const struct dump *d, const struct dump_known *k,
                    bool steps)
{
	for (uint32_t i = 0; i < d->ntables; i++)
		create(db, d, k, i);
	run(db, "CREATE TABLE wait(core INTEGER, uid INTEGER, warp INTEGER, code INTEGER,"
	            " place INTEGER, cycle INTEGER, cycles INTEGER, arg INTEGER,"
	            " producer_uid INTEGER, producer_code INTEGER)");
	if (steps)
		run(db, "CREATE TABLE step(id INTEGER, place INTEGER, cycle INTEGER,"
		            " cycles INTEGER, arg INTEGER)");
}

static bool has(const struct dump *d, const char *table, const char *field)
{
	int i = dump_find_table(d, table);

	return i >= 0 && dump_find_field(&d->tables[i], field) >= 0;
}

static void create_views(struct db *db, const struct dump_known *k, bool steps)
{
	if (k->inst >= 0) {
		run(db, "CREATE INDEX inst_uid ON inst(uid, core)");
		run(db, "CREATE INDEX wait_uid ON wait(uid, core)");
		run(db, inst_views_sql);
	}
	if (k->slot >= 0) {
		char *sql = hd__format(slot_views_sql, k->slot_kernel >= 0 ? "s" : "c");

		run(db, sql);
		free(sql);
	}
	if (k->inst >= 0 && has(k->d, "mem", "uid"))
		run(db, request_views_sql);
	if (k->inst >= 0 && has(k->d, "cache.access", "core"))
		run(db, access_views_sql);
	if (steps)
		run(db, "CREATE INDEX step_id ON step(id)");
}

/* ---- rows ---- */

struct sqlite {
	struct db db;
	struct dump *d;
	struct dump_known known;
	struct dump_producers *producers;
	struct batch *rows; /* by table */
	struct batch wait, step;
	int64_t id;              /* of the last transaction of the dump */
	bool steps;
};

static void prepare(struct sqlite *s)
{
	struct dump *d = s->d;

	s->rows = hd__xcalloc(d->ntables, sizeof *s->rows);
	for (uint32_t i = 0; i < d->ntables; i++) {
		char *name = table_name(d, &s->known, i);

		batch_open(&s->db, &s->rows[i], name);
		free(name);
	}
	batch_open(&s->db, &s->wait, "wait");
	if (s->steps)
		batch_open(&s->db, &s->step, "step");
}

static void finish(struct sqlite *s)
{
	for (uint32_t i = 0; i < s->d->ntables; i++)
		batch_close(&s->rows[i]);
	batch_close(&s->wait);
	batch_close(&s->step);
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
	int64_t *to = batch_row(&s->wait);

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
	int64_t *to = batch_row(&s->step);

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
	int64_t *to = batch_row(&s->rows[item->table]);
	uint64_t stages[DUMP_STAGES];

	*to++ = ++s->id;
	*to++ = dump_core_of_item(&s->known, item);
	to = put_fields(to, item);
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

/* Where the event was; outside of all SMs the one whose number it has. */
static int64_t core_of_event(const struct dump_known *k, const struct dump_item *item)
{
	int64_t core = dump_core_of_item(k, item);
	int64_t sm = dump_value(item->rows, number_of_sm(item->rows->table), item->row, -1);

	return core == 0 && sm >= 0 && sm < k->cores->n - 1 ? sm + 1 : core;
}

static void add_row(struct sqlite *s, const struct dump_item *item)
{
	const struct dump_known *k = &s->known;
	int64_t *to = batch_row(&s->rows[item->table]);

	*to++ = (int64_t)item->begin;
	*to++ = item->rows->who[item->row];
	if (item->rows->table->kind != HD_TABLE_SAMPLES)
		*to++ = core_of_event(k, item);
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

bool dump_write_sqlite(struct dump *d, const struct dump_query *q, struct hd_output *o)
{
	struct sqlite s = { .db.path = o->path, .d = d, .steps = q->steps };
	int fd = hd__output_is_folder(o) ? -1 : hd__output_fd(o); /* the library takes the empty file */

	if (fd < 0)
		return false;
	close(fd);
	if (sqlite3_open_v2(o->name, &s.db.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
	                    | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL) != SQLITE_OK) {
		fprintf(stderr, "heddle: %s: %s\n", s.db.path, s.db.db ? sqlite3_errmsg(s.db.db)
		                                                  : "out of memory");
		sqlite3_close(s.db.db);
		return false;
	}
	sort_beside(o->name);
	dump_know(&s.known, d);
	s.producers = dump_producers_new(&s.known);
	run(&s.db, "PRAGMA page_size=65536; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
	            " PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-8192;"
	            " PRAGMA temp_store=FILE; BEGIN");
	create_tables(&s.db, d, &s.known, q->steps);
	prepare(&s);
	dump_in_order(d, q, take, &s);
	finish(&s);
	add_names(&s.db, d, s.known.cores); /* after the rows, so that their damage is known */
	create_views(&s.db, &s.known, q->steps);
	dump_known_free(&s.known);
	run(&s.db, "COMMIT");
	if (sqlite3_close(s.db.db) != SQLITE_OK && !s.db.bad) {
		fprintf(stderr, "heddle: %s: could not be written\n", s.db.path);
		s.db.bad = true;
	}
	sqlite3_free(sqlite3_temp_directory);
	sqlite3_temp_directory = NULL;
	return !s.db.bad;
}
