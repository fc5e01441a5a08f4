/* sqlite_names.c - tables of names, and the frame of tables and views around the rows
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/xalloc.h"
#include "sqlite.h"

#include <inttypes.h>

static const char names_sql[] =
	"CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE statistics_row(of TEXT, number INTEGER, value TEXT, PRIMARY KEY(of, number));"
	"CREATE TABLE core(id INTEGER PRIMARY KEY, path TEXT);"
	"CREATE TABLE instance(id INTEGER PRIMARY KEY, path TEXT, module TEXT, core INTEGER, turns INTEGER);"
	"CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT, kind TEXT, instance INTEGER,"
	" mark TEXT, port TEXT, doc TEXT);"
	"CREATE TABLE reason(module TEXT, id INTEGER, name TEXT, kind TEXT, doc TEXT,"
	" PRIMARY KEY(module, id)) WITHOUT ROWID;"
	"CREATE TABLE cause(id INTEGER PRIMARY KEY, instance INTEGER, reason TEXT, doc TEXT);"
	"CREATE TABLE counter(id INTEGER PRIMARY KEY, instance INTEGER, name TEXT, unit TEXT,"
	" doc TEXT, total TEXT);"
	"CREATE TABLE symbol(kind TEXT, id INTEGER, name TEXT, PRIMARY KEY(kind, id)) WITHOUT ROWID;"
	"CREATE TABLE kernel(id INTEGER PRIMARY KEY, name TEXT, launch INTEGER, info TEXT);"
	"CREATE TABLE code(id INTEGER PRIMARY KEY, kernel INTEGER, pc INTEGER, opcode TEXT,"
	" text TEXT, class TEXT, space TEXT, dst INTEGER);";

static const char inst_views_sql[] =
	"CREATE VIEW v_inst AS SELECT inst.*, c.kernel, c.pc, c.opcode, c.text, c.class, c.space, c.dst"
	" FROM inst LEFT JOIN code c ON c.id = inst.code;"
	"CREATE VIEW v_wait AS SELECT w.*, p.name AS place_name, p.mark, c.kernel, c.pc, c.text,"
	" pc.pc AS producer_pc, pc.text AS producer_text FROM wait w JOIN place p ON p.id = w.place"
	" LEFT JOIN code c ON c.id = w.code LEFT JOIN code pc ON pc.id = w.producer_code;";

static const char slot_views_sql[] =
	"CREATE VIEW v_slot AS SELECT s.cycle, s.core, s.n, i.path AS stage, r.name AS reason, r.kind,"
	" u.name AS unit, CASE WHEN s.cause > 0 THEN coalesce(ci.path || ':', '') || ca.reason END"
	" AS cause, s.reg, s.warp, s.code, c.kernel, c.pc, c.text, s.producer_uid, s.producer_code,"
	" p.pc AS producer_pc, p.text AS producer_text FROM slot s"
	" JOIN instance i ON i.id = s.instance"
	" LEFT JOIN reason r ON r.module = i.module AND r.id = s.reason"
	" LEFT JOIN symbol u ON u.kind = 'unit' AND u.id = s.unit"
	" LEFT JOIN cause ca ON ca.id = s.cause LEFT JOIN instance ci ON ci.id = ca.instance"
	" LEFT JOIN code c ON c.id = s.code LEFT JOIN code p ON p.id = s.producer_code;";

/* Requests and accesses of caches with the instruction that they belong to.  A cache outside of the
 * SMs has the number of the SM: the position of its core. */
static const char request_views_sql[] =
	"CREATE VIEW v_request AS SELECT m.*, i.id AS inst, i.code, c.kernel, c.pc, c.text"
	" FROM mem m LEFT JOIN inst i ON i.uid = m.uid AND i.core = m.core_id AND m.uid > 0"
	" LEFT JOIN code c ON c.id = i.code;";

static const char access_views_sql[] =
	"CREATE VIEW v_access AS SELECT a.cycle, n.path, a.addr, a.core, a.warp, a.\"write\","
	" CASE a.outcome WHEN 0 THEN 'hit' WHEN 1 THEN 'pending hit' WHEN 2 THEN 'sector miss'"
	" WHEN 3 THEN 'miss' ELSE 'refused' END AS outcome, a.uid, i.code, c.kernel, c.pc, c.text"
	" FROM cache_access a JOIN instance n ON n.id = a.instance LEFT JOIN inst i ON i.uid = a.uid"
	" AND a.uid > 0 AND i.core = CASE WHEN n.core > 0 THEN n.core"
	" WHEN (SELECT count(*) FROM core) > 1 THEN a.core + 1 ELSE 0 END"
	" LEFT JOIN code c ON c.id = i.code;";

static void fail(struct dump_db *db)
{
	if (!db->bad)
		fprintf(stderr, "heddle: %s: could not be written: %s\n", db->path, sqlite3_errmsg(db->db));
	db->bad = true;
}

void dump_db_run(struct dump_db *db, const char *sql)
{
	if (!db->bad && sqlite3_exec(db->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(db);
}

sqlite3_stmt *dump_db_prepare(struct dump_db *db, const char *sql)
{
	sqlite3_stmt *s = NULL;

	if (!db->bad && sqlite3_prepare_v2(db->db, sql, -1, &s, NULL) != SQLITE_OK)
		fail(db);
	return s;
}

void dump_db_insert(struct dump_db *db, sqlite3_stmt *s)
{
	if (db->bad)
		return;
	if (sqlite3_step(s) != SQLITE_DONE)
		fail(db);
	sqlite3_reset(s);
}

/* ---- names ---- */

/* Inserts a row; `kinds` has a letter for each column: s text, i number, n number or -1 for
 * NULL. */
static void row(struct dump_db *db, sqlite3_stmt *s, const char *kinds, ...)
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
	dump_db_insert(db, s);
}

/* NULL for no instance. */
static int64_t instance(uint32_t i)
{
	return i == UINT32_MAX ? -1 : (int64_t)i;
}

static void add_json(struct dump_db *db, sqlite3_stmt *s, const char *name, const json_t *v)
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

struct rows {
	struct dump_db *db;
	sqlite3_stmt *insert;
	char *table;           /* of the last row */
	int64_t n;             /* rows of it so far */
};

static void add_row(void *arg, const char *table, json_t *v)
{
	struct rows *r = arg;
	char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);

	if (!r->table || strcmp(r->table, table) != 0) {
		free(r->table);
		r->table = hd__xstrdup(table);
		r->n = 0;
	}
	row(r->db, r->insert, "sis", table, r->n++, text ? text : "");
	free(text);
}

static void add_statistics(struct dump_db *db, sqlite3_stmt *meta, const struct dump *d)
{
	struct rows r = { db, dump_db_prepare(db, "INSERT OR REPLACE INTO statistics_row VALUES(?,?,?)"),
		          NULL, 0 };
	json_t *statistics = dump_statistics(d, add_row, &r);

	add_json(db, meta, "statistics", statistics);
	json_decref(statistics);
	sqlite3_finalize(r.insert);
	free(r.table);
}

static void add_meta(struct dump_db *db, const struct dump *d)
{
	static const char *const of_meta[] = { "heddle", "core", "input", "cycle", "sample", "filter",
		"clocks", NULL };
	static const char *const of_end[] = { "status", "cycles", "warp_instructions", "synthetic_control",
		NULL };
	sqlite3_stmt *s = dump_db_prepare(db, "INSERT INTO meta VALUES(?,?)");
	json_t *netlist;

	for (const char *const *n = of_meta; *n; n++)
		add_json(db, s, *n, json_object_get(d->meta, *n));
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

static void add_reasons(struct dump_db *db, const struct dump *d)
{
	sqlite3_stmt *s = dump_db_prepare(db, "INSERT INTO reason VALUES(?,?,?,?,?)");
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

static void add_symbols(struct dump_db *db, const struct dump *d)
{
	sqlite3_stmt *s = dump_db_prepare(db, "INSERT INTO symbol VALUES(?,?,?)");
	const char *kind;
	json_t *list, *v;
	size_t i;

	json_object_foreach(d->symbols, kind, list)
		json_array_foreach(list, i, v)
			row(db, s, "sis", kind, (int64_t)i, json_string_value(v));
	sqlite3_finalize(s);
}

static void add_places(struct dump_db *db, const struct dump *d, const struct dump_cores *cores)
{
	static const char *const kinds[] = { [DUMP_AT] = "instance", [DUMP_MARK] = "mark",
		[DUMP_CHANNEL] = "channel" };
	sqlite3_stmt *s = dump_db_prepare(db, "INSERT INTO core VALUES(?,?)");

	for (uint32_t i = 0; i < cores->n; i++)
		row(db, s, "is", (int64_t)i, cores->paths[i]);
	sqlite3_finalize(s);
	s = dump_db_prepare(db, "INSERT INTO instance VALUES(?,?,?,?,?)");
	for (uint32_t i = 0; i < d->ninstances; i++)
		row(db, s, "issii", (int64_t)i, d->instances[i].path, d->instances[i].module,
		    (int64_t)cores->of[i], (int64_t)d->instances[i].turns.turns);
	sqlite3_finalize(s);
	s = dump_db_prepare(db, "INSERT INTO place VALUES(?,?,?,?,?,?,?)");
	for (uint32_t i = 0; i < d->nplaces; i++) {
		const struct dump_place *p = &d->places[i];

		row(db, s, "issnsss", (int64_t)i, p->name, kinds[p->kind], instance(p->instance), p->mark,
		    p->port, p->doc);
	}
	sqlite3_finalize(s);
}

static void add_causes(struct dump_db *db, const struct dump *d)
{
	sqlite3_stmt *s = dump_db_prepare(db, "INSERT INTO cause VALUES(?,?,?,?)");

	for (uint32_t i = 0; i < d->ncauses; i++)
		row(db, s, "inss", (int64_t)i, instance(d->causes[i].instance), d->causes[i].reason,
		    d->causes[i].doc);
	sqlite3_finalize(s);
	s = dump_db_prepare(db, "INSERT INTO counter VALUES(?,?,?,?,?,?)");
	for (uint32_t i = 0; i < d->ncounters; i++) {
		const struct dump_counter *c = &d->counters[i];

		row(db, s, "inssss", (int64_t)i, instance(c->instance), c->name, c->unit, c->doc,
		    c->total);
	}
	sqlite3_finalize(s);
}

static void add_codes(struct dump_db *db, const struct dump *d)
{
	sqlite3_stmt *s = dump_db_prepare(db, "INSERT INTO kernel VALUES(?,?,?,?)");
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
	s = dump_db_prepare(db, "INSERT INTO code VALUES(?,?,?,?,?,?,?,?)");
	for (uint32_t i = 0; i < d->ncodes; i++)
		if (dump_code(d, i, &c))
			row(db, s, "iiissssn", (int64_t)i, (int64_t)c.kernel, (int64_t)c.pc, c.opcode, c.text, c.class,
			    c.space, (int64_t)c.dst);
	sqlite3_finalize(s);
}

void dump_db_names(struct dump_db *db, const struct dump *d, const struct dump_cores *cores)
{
	dump_db_run(db, names_sql);
	add_meta(db, d);
	add_places(db, d, cores);
	add_reasons(db, d);
	add_causes(db, d);
	add_symbols(db, d);
	add_codes(db, d);
}

/* ---- rows ---- */

char *dump_db_table_name(const struct dump *d, const struct dump_known *k, uint32_t table)
{
	char *name = hd__xstrdup((int)table == k->slot ? "slot" : d->tables[table].name);

	for (char *p = name; *p; p++)
		if (*p == '.' || *p == '"')
			*p = '_';
	return name;
}

static void create(struct dump_db *db, const struct dump *d, const struct dump_known *k, uint32_t i)
{
	const struct dump_table *t = &d->tables[i];
	char *name = dump_db_table_name(d, k, i);
	sqlite3_str *s = sqlite3_str_new(db->db);
	char *sql;

	sqlite3_str_appendf(s, "CREATE TABLE \"%w\"(", name);
	sqlite3_str_appendall(s, t->kind == HD_TABLE_TRANSACTIONS ? "id INTEGER PRIMARY KEY"
	                      : t->kind == HD_TABLE_SAMPLES ? "cycle INTEGER, counter INTEGER"
	                                                    : "cycle INTEGER, instance INTEGER");
	if ((int)i == k->inst || (int)i == k->slot)
		sqlite3_str_appendall(s, ", core INTEGER");
	for (unsigned f = 0; f < t->n; f++)
		sqlite3_str_appendf(s, ", \"%w\" INTEGER", t->fields[f].name);
	if (t->kind == HD_TABLE_TRANSACTIONS && (int)i != k->inst)
		sqlite3_str_appendall(s, ", core_id INTEGER");
	for (int f = 0; t->kind == HD_TABLE_TRANSACTIONS && f < DUMP_STAGES; f++)
		if ((int)i == k->inst || f == DUMP_BEGIN || f == DUMP_END)
			sqlite3_str_appendf(s, ", \"%w\" INTEGER", dump_stage_names[f]);
	if ((int)i == k->slot)
		sqlite3_str_appendall(s, ", producer_uid INTEGER, producer_code INTEGER");
	sqlite3_str_appendall(s, ")");
	sql = sqlite3_str_finish(s);
	dump_db_run(db, sql);
	sqlite3_free(sql);
	free(name);
}

void dump_db_tables(struct dump_db *db, const struct dump *d, const struct dump_known *k,
                    bool steps)
{
	for (uint32_t i = 0; i < d->ntables; i++)
		create(db, d, k, i);
	dump_db_run(db, "CREATE TABLE wait(core INTEGER, uid INTEGER, warp INTEGER, code INTEGER,"
	            " place INTEGER, cycle INTEGER, cycles INTEGER, arg INTEGER,"
	            " producer_uid INTEGER, producer_code INTEGER)");
	if (steps)
		dump_db_run(db, "CREATE TABLE step(id INTEGER, place INTEGER, cycle INTEGER,"
		            " cycles INTEGER, arg INTEGER)");
}

static bool has(const struct dump *d, const char *table, const char *field)
{
	int i = dump_find_table(d, table);

	return i >= 0 && dump_find_field(&d->tables[i], field) >= 0;
}

void dump_db_finish(struct dump_db *db, const struct dump_known *k, bool steps)
{
	if (k->inst >= 0) {
		dump_db_run(db, "CREATE INDEX inst_uid ON inst(uid, core)");
		dump_db_run(db, "CREATE INDEX wait_uid ON wait(uid, core)");
		dump_db_run(db, inst_views_sql);
	}
	if (k->slot >= 0)
		dump_db_run(db, slot_views_sql);
	if (k->inst >= 0 && has(k->d, "mem", "uid"))
		dump_db_run(db, request_views_sql);
	if (k->inst >= 0 && has(k->d, "cache.access", "core"))
		dump_db_run(db, access_views_sql);
	if (steps)
		dump_db_run(db, "CREATE INDEX step_id ON step(id)");
}
