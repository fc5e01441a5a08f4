/* dump_text.c - a dump as lines of text, in the order of time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	BEGIN CYCLES TABLE WHO NAME=VALUE... [PLACE[(ARG)]=CYCLES...]
 *
 * The same dump gives the same lines, and two runs can be compared with diff.
 */
#include "base/xalloc.h"
#include "dump/codes.h"
#include "writers.h"
#include "dump/row_order.h"
#include "put.h"

enum how { NUMBER, HEX, CODE, NAME };

/* The text before a field's value, and the form of the value. */
struct field {
	char *front;
	size_t length;
	enum how how;
	const char *names;
	bool span;
	bool kernel; /* of a code: with that of the instruction, as the table has none itself */
};

struct text {
	struct dump_out out;
	struct dump *d;
	struct field **fields;  /* by table */
	char **codes, **causes; /* by dump_code.index and number, as they are written */
	uint64_t left;          /* lines */
};

/* ---- frequent texts ---- */

static void add_quoted(struct dump_out *o, const char *s)
{
	dump_put_char(o, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			dump_put_char(o, '\\');
		dump_put_char(o, (unsigned char)*s < ' ' ? '?' : *s);
	}
	dump_put_char(o, '"');
}

static char *code_text(const struct dump_code *c)
{
	char *s = hd__xcalloc(1, 2 * strlen(c->text) + 64), *p;

	p = s + sprintf(s, " pc=0x%x text=\"", c->pc);
	for (const char *t = c->text; *t; t++) {
		if (*t == '"' || *t == '\\')
			*p++ = '\\';
		*p++ = (unsigned char)*t < ' ' ? '?' : *t;
	}
	*p = '"';
	return s;
}

static char *cause_text(const struct dump *d, const struct dump_cause *c)
{
	if (c->instance == UINT32_MAX)
		return hd__xstrdup(c->reason);
	return hd__format("%s:%s", d->instances[c->instance].path, c->reason);
}

static struct field *make_fields(const struct dump_table *t)
{
	struct field *v = hd__xcalloc(t->n, sizeof *v);

	for (unsigned i = 0; i < t->n; i++) {
		const struct dump_field *f = &t->fields[i];

		v[i].how = f->hex ? HEX : !f->names ? NUMBER : strcmp(f->names, "code") == 0 ? CODE : NAME;
		v[i].front = hd__format(" %s=", f->name);
		v[i].length = strlen(v[i].front);
		v[i].names = f->names;
		v[i].span = f->span;
		v[i].kernel = dump_find_field(t, "kernel") < 0;
	}
	return v;
}

static void prepare(struct text *t)
{
	struct dump *d = t->d;

	t->fields = hd__xcalloc(d->ntables, sizeof *t->fields);
	for (uint32_t i = 0; i < d->ntables; i++)
		t->fields[i] = make_fields(&d->tables[i]);
	t->codes = hd__xcalloc(d->codes->n, sizeof *t->codes);
	for (size_t i = 0; i < d->codes->n; i++)
		t->codes[i] = code_text(&d->codes->v[i]);
	t->causes = hd__xcalloc(d->ncauses, sizeof *t->causes);
	for (uint32_t i = 0; i < d->ncauses; i++)
		t->causes[i] = cause_text(d, &d->causes[i]);
}

static void forget(struct text *t)
{
	const struct dump *d = t->d;

	for (uint32_t i = 0; i < d->ntables; i++) {
		for (unsigned k = 0; k < d->tables[i].n; k++)
			free(t->fields[i][k].front);
		free(t->fields[i]);
	}
	for (size_t i = 0; i < d->codes->n; i++)
		free(t->codes[i]);
	for (uint32_t i = 0; i < d->ncauses; i++)
		free(t->causes[i]);
	free(t->fields);
	free(t->codes);
	free(t->causes);
	free(t);
}

/* ---- lines ---- */

static void put_name(struct text *t, const char *names, const char *module, int64_t v)
{
	const struct dump *d = t->d;
	const char *name;

	if (strcmp(names, "cause") == 0)
		name = v >= 0 && v < d->ncauses ? t->causes[v] : NULL;
	else
		name = dump_name(d, names, module, v);
	if (name && strpbrk(name, " \"\n"))
		add_quoted(&t->out, name);
	else if (name)
		dump_put(&t->out, name);
	else
		dump_put_signed(&t->out, v);
}

static void put_fields(struct text *t, const struct dump_item *item)
{
	const struct dump_table *table = item->rows->table;
	const struct field *f = t->fields[item->table];
	struct dump_out *o = &t->out;
	struct dump_code code;
	bool turns = table->kind == HD_TABLE_EVENTS && dump_row_every(item->rows, item->row) > 1;

	for (unsigned i = 0; i < table->n; i++, f++) {
		int64_t v = item->rows->field[i][item->row];

		if (f->span && !turns)
			continue; /* written first */
		if (f->how == CODE && dump_code(t->d, v, &code)) {
			if (f->kernel) {
				dump_put(o, " kernel=");
				dump_put_number(o, code.kernel);
			}
			dump_put(o, t->codes[code.index]);
			continue;
		}
		dump_put_bytes(o, f->front, f->length);
		switch (f->how) {
		case HEX: dump_put_hex(o, (uint64_t)v); break;
		case NAME: put_name(t, f->names, table->module, v); break;
		default: dump_put_signed(o, v); break;
		}
	}
}

static void put_steps(struct text *t, const struct dump_transaction *transaction)
{
	struct dump_out *o = &t->out;

	for (uint32_t i = 0; i < transaction->n; i++) {
		const struct dump_step *s = &transaction->steps[i];
		const struct dump_place *p = &t->d->places[s->place];

		dump_put_char(o, ' ');
		dump_put(o, p->name);
		if (p->arg) {
			dump_put_char(o, '(');
			if (p->names)
				put_name(t, p->names, NULL, s->arg);
			else
				dump_put_signed(o, s->arg);
			dump_put_char(o, ')');
		}
		dump_put_char(o, '=');
		dump_put_number(o, s->cycles);
	}
}

static void put_who(struct text *t, const struct dump_item *item)
{
	const struct dump *d = t->d;
	int64_t who = item->rows->who[item->row];

	switch (item->rows->table->kind) {
	case HD_TABLE_TRANSACTIONS:
		dump_put(&t->out, who ? "unfinished" : "ended");
		break;
	case HD_TABLE_SAMPLES:
		if (d->counters[who].instance < d->ninstances)
			dump_put(&t->out, d->instances[d->counters[who].instance].path);
		dump_put_char(&t->out, '.');
		dump_put(&t->out, d->counters[who].name);
		break;
	default:
		dump_put(&t->out, d->instances[who].path);
		break;
	}
}

static bool put_line(void *arg, const struct dump_item *item)
{
	struct text *t = arg;
	struct dump_out *o = &t->out;
	uint64_t end = item->transaction ? item->transaction->end : (uint64_t)item->rows->cycle[item->row];

	dump_put_number(o, item->begin);
	dump_put_char(o, ' ');
	dump_put_number(o, end - item->begin);
	dump_put_char(o, ' ');
	dump_put(o, item->rows->table->name);
	dump_put_char(o, ' ');
	put_who(t, item);
	put_fields(t, item);
	if (item->transaction)
		put_steps(t, item->transaction);
	dump_put_char(o, '\n');
	return --t->left > 0 && !ferror(o->f);
}

bool dump_write_text(struct dump *d, const struct dump_query *q, FILE *out)
{
	struct text *t = hd__xcalloc(1, sizeof *t);

	t->d = d;
	t->left = q->head ? q->head : UINT64_MAX;
	t->out.f = out;
	prepare(t);
	dump_in_order(d, q, put_line, t);
	dump_flush(&t->out);
	forget(t);
	return true;
}
