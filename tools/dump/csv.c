/* csv.c - a dump as tables of comma-separated values, quoted according to RFC 4180
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/below.h"
#include "base/xalloc.h"
#include "writers.h"
#include "known.h"
#include "put.h"

#include <errno.h>
#include <unistd.h>

struct csv {
	struct dump *d;
	struct dump_known known;
	struct dump_out **out; /* by table; NULL: not written */
	bool *kernels;         /* by table: it has the kernel, not only as that of an instruction */
};

static void put_text(struct dump_out *o, const char *s)
{
	if (!s)
		return;
	if (!strpbrk(s, ",\"\r\n")) {
		dump_put(o, s);
		return;
	}
	dump_put_char(o, '"');
	for (; *s; s++) {
		if (*s == '"')
			dump_put_char(o, '"');
		dump_put_char(o, *s);
	}
	dump_put_char(o, '"');
}

static bool is_code(const struct dump_field *f)
{
	return f->names && strcmp(f->names, "code") == 0;
}

/* Warps are numbered in each core separately; with a single core the column is left out. */
static bool names_core(const struct csv *c, uint32_t table)
{
	return (int)table == c->known.inst && c->known.cores->n > 1;
}

/* ---- the first line ---- */

static const char transactions[] = "begin,cycles,unfinished", records[] = "cycle,instance";

static void put_header(struct csv *c, uint32_t table)
{
	const struct dump_table *t = &c->d->tables[table];
	struct dump_out *o = c->out[table];

	dump_put(o, t->kind == HD_TABLE_TRANSACTIONS ? transactions : records);
	if (t->kind == HD_TABLE_SAMPLES)
		dump_put(o, ",counter");
	if (names_core(c, table))
		dump_put(o, ",core");
	for (unsigned i = 0; i < t->n; i++) {
		dump_put_char(o, ',');
		put_text(o, t->fields[i].name);
		if (is_code(&t->fields[i]))
			dump_put(o, c->kernels[table] ? ",pc,text" : ",kernel,pc,text");
	}
	if ((int)table == c->known.inst)
		for (int i = DUMP_BEGIN + 1; i < DUMP_STAGES; i++) {
			dump_put_char(o, ',');
			dump_put(o, dump_stage_names[i]);
		}
	if (t->kind == HD_TABLE_TRANSACTIONS)
		dump_put(o, ",way");
	dump_put_char(o, '\n');
}

/* ---- rows ---- */

static void put_cause(struct csv *c, struct dump_out *o, int64_t v)
{
	const struct dump_cause *cause = &c->d->causes[v];

	if (cause->instance < c->d->ninstances) {
		put_text(o, c->d->instances[cause->instance].path);
		dump_put_char(o, ':');
	}
	put_text(o, cause->reason);
}

static void put_field(struct csv *c, struct dump_out *o, const struct dump_table *t, unsigned i,
                      int64_t v)
{
	const struct dump_field *f = &t->fields[i];
	bool kernel = !c->kernels[t - c->d->tables];
	struct dump_code code;
	const char *name;

	if (is_code(f)) {
		dump_put_signed(o, v);
		dump_put_char(o, ',');
		if (!dump_code(c->d, v, &code)) {
			dump_put(o, kernel ? ",," : ",");
			return;
		}
		if (kernel) {
			dump_put_number(o, code.kernel);
			dump_put_char(o, ',');
		}
		dump_put_number(o, code.pc);
		dump_put_char(o, ',');
		put_text(o, code.text);
	} else if (f->names && strcmp(f->names, "cause") == 0 && v >= 0 && v < c->d->ncauses) {
		put_cause(c, o, v);
	} else {
		name = dump_name(c->d, f->names, t->module, v);
		if (name)
			put_text(o, name);
		else
			dump_put_signed(o, v);
	}
}

/* "decode:buffered=1 collector=2", as in the format text. */
static void put_way(struct csv *c, struct dump_out *o, const struct dump_transaction *transaction)
{
	dump_put_bytes(o, ",\"", 2);
	for (uint32_t i = 0; i < transaction->n; i++) {
		const struct dump_place *p = &c->d->places[transaction->steps[i].place];

		if (i)
			dump_put_char(o, ' ');
		for (const char *s = p->name; *s; s++) {
			if (*s == '"')
				dump_put_char(o, '"');
			dump_put_char(o, *s);
		}
		if (p->arg) {
			dump_put_char(o, '(');
			dump_put_signed(o, transaction->steps[i].arg);
			dump_put_char(o, ')');
		}
		dump_put_char(o, '=');
		dump_put_number(o, transaction->steps[i].cycles);
	}
	dump_put_char(o, '"');
}

static void put_who(struct csv *c, struct dump_out *o, const struct dump_item *item)
{
	const struct dump *d = c->d;
	int64_t who = item->rows->who[item->row];

	switch (item->rows->table->kind) {
	case HD_TABLE_TRANSACTIONS:
		dump_put_number(o, item->transaction->end - item->begin);
		dump_put(o, who ? ",1" : ",0");
		break;
	case HD_TABLE_SAMPLES:
		if (d->counters[who].instance < d->ninstances)
			put_text(o, d->instances[d->counters[who].instance].path);
		dump_put_char(o, ',');
		put_text(o, d->counters[who].name);
		break;
	default:
		put_text(o, d->instances[who].path);
		break;
	}
}

static bool put_row(void *arg, const struct dump_item *item)
{
	struct csv *c = arg;
	struct dump_out *o = c->out[item->table];
	const struct dump_table *t = item->rows->table;
	uint64_t at[DUMP_STAGES];

	if (!o)
		return true;
	dump_put_number(o, item->begin);
	dump_put_char(o, ',');
	put_who(c, o, item);
	if (names_core(c, item->table)) {
		dump_put_char(o, ',');
		put_text(o, c->known.cores->paths[dump_core_of_item(&c->known, item)]);
	}
	for (unsigned i = 0; i < t->n; i++) {
		dump_put_char(o, ',');
		put_field(c, o, t, i, item->rows->field[i][item->row]);
	}
	if ((int)item->table == c->known.inst) {
		dump_stages(&c->known, item->transaction, at);
		for (int i = DUMP_BEGIN + 1; i < DUMP_STAGES; i++) {
			dump_put_char(o, ',');
			if (at[i] != DUMP_NEVER)
				dump_put_number(o, at[i]);
		}
	}
	if (item->transaction)
		put_way(c, o, item->transaction);
	dump_put_char(o, '\n');
	return !ferror(o->f);
}

/* ---- files ---- */

static void begin(struct csv *c, struct dump *d)
{
	*c = (struct csv){ .d = d };
	dump_know(&c->known, d);
	c->out = hd__xcalloc(d->ntables, sizeof *c->out);
	c->kernels = hd__xcalloc(d->ntables, sizeof *c->kernels);
	for (uint32_t i = 0; i < d->ntables; i++)
		c->kernels[i] = dump_find_field(&d->tables[i], "kernel") >= 0;
}

static void end(struct csv *c)
{
	dump_known_free(&c->known);
	free(c->out);
	free(c->kernels);
}

static void open_table(struct csv *c, uint32_t i, FILE *f)
{
	c->out[i] = hd__xcalloc(1, sizeof *c->out[i]);
	c->out[i]->f = f;
	put_header(c, i);
}

/* One table, to a stream. */
bool dump_write_csv(struct dump *d, const struct dump_query *q, FILE *out)
{
	int table = dump_find_table(d, q->table);
	struct csv c;

	if (table < 0) {
		fprintf(stderr, "heddle: %s: no table '%s'; 'heddle dump --info' lists them\n",
		        d->path, q->table);
		return false;
	}
	begin(&c, d);
	open_table(&c, (uint32_t)table, out);
	dump_in_order(d, q, put_row, &c);
	dump_flush(c.out[table]);
	free(c.out[table]);
	end(&c);
	return true;
}

static bool open_file(struct csv *c, const struct hd_output *folder, uint32_t i)
{
	char *name = hd__join(c->d->tables[i].name, ".csv", "");
	FILE *f;

	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '_';
	f = hd__output_file(folder, name);
	if (f)
		open_table(c, i, f);
	free(name);
	return f != NULL;
}

/* What fails for one file, such as a disk that is full, fails for others: only the first is named. */
static bool close_files(struct csv *c, const char *output)
{
	bool ok = true;

	for (uint32_t i = 0; i < c->d->ntables; i++) {
		if (!c->out[i])
			continue;
		dump_flush(c->out[i]);
		if (fflush(c->out[i]->f) | ferror(c->out[i]->f) | fsync(fileno(c->out[i]->f)) | fclose(c->out[i]->f)) {
			if (ok)
				fprintf(stderr, "heddle: %s/%s.csv: could not be written: %s\n", output,
				        c->d->tables[i].name, strerror(errno));
			ok = false;
		}
		free(c->out[i]);
	}
	end(c);
	return ok;
}

/* Has the file a first line as tables of dumps have? */
static bool is_table(int folder, const char *name)
{
	size_t n = strlen(name);
	FILE *f = n > 4 && strcmp(name + n - 4, ".csv") == 0 ? hd__below_read(folder, name) : NULL;
	char line[32] = "";
	bool table = f && fgets(line, sizeof line, f)
	             && (strncmp(line, transactions, sizeof transactions - 1) == 0
	                 || strncmp(line, records, sizeof records - 1) == 0);

	if (f)
		fclose(f);
	return table;
}

/* A folder, with a file for each table that has rows. */
bool dump_write_csv_folder(struct dump *d, const struct dump_query *q, struct hd_output *folder)
{
	struct csv c;
	bool ok = true;

	folder->owns = is_table;
	if (!hd__output_folder(folder))
		return false;
	begin(&c, d);
	for (uint32_t i = 0; ok && i < d->ntables; i++)
		if (q->table_wanted[i] && d->tables[i].rows)
			ok = open_file(&c, folder, i);
	if (ok)
		dump_in_order(d, q, put_row, &c);
	return close_files(&c, folder->path) && ok;
}
