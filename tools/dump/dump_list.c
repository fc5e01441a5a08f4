/* dump_list.c - lists instructions: where each was, and what it waited for
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/xalloc.h"
#include "writers.h"
#include "producers.h"

#include <inttypes.h>

struct list {
	struct dump *d;
	const struct dump_query *q;
	FILE *out;
	struct dump_known known;
	struct dump_producers *producers;
	uint64_t left; /* transactions to print */
};

static void print_place(const struct list *l, const struct dump_step *s)
{
	const struct dump_place *p = &l->d->places[s->place];
	const char *name;

	fputs(p->name, l->out);
	if (p->arg) {
		name = dump_name(l->d, p->names, NULL, s->arg);
		if (name)
			fprintf(l->out, "(%s)", name);
		else
			fprintf(l->out, "(%s %" PRId64 ")", p->arg, s->arg);
	}
	fprintf(l->out, " %" PRIu64, s->cycles);
}

static void print_code(const struct list *l, uint32_t i)
{
	struct dump_code c;

	if (dump_code(l->d, i, &c))
		fprintf(l->out, "0x%04" PRIx32 " %s", c.pc, c.text);
	else
		fprintf(l->out, "code %" PRIu32, i);
}

/* The meaning of a mark, and for a register the instruction that writes it. */
static void print_wait(const struct list *l, const struct dump_item *item, const struct dump_step *s)
{
	const struct dump_place *p = &l->d->places[s->place];
	const char *name = dump_name(l->d, p->names, NULL, s->arg);
	struct dump_producer by;
	char reg[24];

	fprintf(l->out, "        %6" PRIu64 " cycles: %s", s->cycles, p->doc);
	if (dump_is_register(p))
		fprintf(l->out, ", %s", dump_register_name(reg, s->arg));
	else if (name)
		fprintf(l->out, ", %s %s", p->arg, name);
	else if (p->arg)
		fprintf(l->out, ", %s %" PRId64, p->arg, s->arg);
	if (dump_is_register(p) && (int)item->table == l->known.inst) {
		by = dump_producer_of_wait(l->producers, item, s->arg, s->cycle);
		if (by.uid) {
			fprintf(l->out, " of %" PRIu64 " at ", by.uid);
			print_code(l, by.code);
		}
	}
	fputc('\n', l->out);
}

static void print_fields(const struct list *l, const struct dump_item *item)
{
	const struct dump_table *t = item->rows->table;

	for (unsigned i = 0; i < t->n; i++) {
		const struct dump_field *f = &t->fields[i];
		int64_t v = item->rows->field[i][item->row];
		const char *name = dump_name(l->d, f->names, NULL, v);

		if (name)
			fprintf(l->out, "  %s %s", f->name, name);
		else if (f->hex)
			fprintf(l->out, "  %s 0x%" PRIx64, f->name, (uint64_t)v);
		else
			fprintf(l->out, "  %s %" PRId64, f->name, v);
	}
}

static void print_head(const struct list *l, const struct dump_item *item)
{
	const struct dump_known *k = &l->known;
	const struct dump_transaction *transaction = item->transaction;
	const int64_t *const *field = item->rows->field;
	const char *core = k->cores->paths[dump_core_of_item(k, item)];
	struct dump_code c;
	uint32_t code, mask;

	fprintf(l->out, "%8" PRIu64 " +%-5" PRIu64, transaction->begin, transaction->end - transaction->begin);
	if ((int)item->table != k->inst) {
		fprintf(l->out, " %s", item->rows->table->name);
		print_fields(l, item);
	} else {
		code = (uint32_t)field[k->code][item->row];
		fprintf(l->out, " #%-8" PRId64 " %s%swarp %-2" PRId64 "  ", field[k->uid][item->row], core,
		        *core ? " " : "", field[k->warp][item->row]);
		if (dump_code(l->d, code, &c) && c.kernel)
			fprintf(l->out, "kernel %" PRIu32 " ", c.kernel);
		print_code(l, code);
		mask = (uint32_t)dump_value(item->rows, k->mask, item->row, UINT32_MAX);
		if (mask != UINT32_MAX)
			fprintf(l->out, "  [%d lanes]", __builtin_popcount(mask));
	}
	fputs(transaction->unfinished ? "  (unfinished)\n" : "\n", l->out);
}

static void print_transaction(const struct list *l, const struct dump_item *item)
{
	const struct dump_transaction *transaction = item->transaction;

	print_head(l, item);
	fputs("         ", l->out);
	for (uint32_t i = 0; i < transaction->n; i++) {
		if (transaction->steps[i].cycles == 0 && i > 0)
			continue;
		fputs(i ? " > " : " ", l->out);
		print_place(l, &transaction->steps[i]);
	}
	fputc('\n', l->out);
	for (uint32_t i = 0; i < transaction->n; i++)
		if (dump_is_wait(&l->known, transaction, i))
			print_wait(l, item, &transaction->steps[i]);
}

/* All rows are read, so that producers are known; selected ones are printed. */
static bool take(void *arg, const struct dump_item *item)
{
	struct list *l = arg;

	if (!item->transaction)
		return true;
	if (dump_query_transaction(l->q, item->rows, item->transaction)) {
		print_transaction(l, item);
		if (--l->left == 0)
			return false;
	}
	if ((int)item->table == l->known.inst)
		dump_producers_add(l->producers, item);
	return !ferror(l->out);
}

/* ---- how far back to read ---- */

static bool first_begin(void *arg, const struct dump_item *item)
{
	*(uint64_t *)arg = item->begin;
	return !item->transaction; /* they come in order */
}

static void add(struct dump_query *q, char *text)
{
	free(hd__filter_add(&q->filter, text));
	free(text);
}

/* An instruction waits for instructions in flight when it began, so all instructions of its warp
 * from there on are read. */
static void widen(struct dump_query *wide, const struct dump_query *q, struct dump *d)
{
	const struct hd_range_list *cycles = &q->filter.cycles;
	uint64_t begin = UINT64_MAX;

	for (uint32_t i = 0; i < d->ntables; i++)
		if (d->tables[i].kind == HD_TABLE_TRANSACTIONS && q->table_wanted[i])
			add(wide, hd__format("event=%s", d->tables[i].name));
	for (size_t i = 0; i < q->filter.ntext; i++)
		if (strncmp(q->filter.text[i], "warp=", 5) == 0)
			add(wide, hd__xstrdup(q->filter.text[i]));
	if (cycles->n == 0)
		return;
	dump_in_order(d, q, first_begin, &begin);
	begin = begin < cycles->v[0].first ? begin : cycles->v[0].first;
	add(wide, hd__format("cycle=%" PRIu64 "-%" PRIu64, begin, cycles->v[cycles->n - 1].last));
}

static bool transactions_wanted(const struct dump *d, const struct dump_query *q)
{
	for (uint32_t i = 0; i < d->ntables; i++)
		if (q->table_wanted[i] && d->tables[i].kind == HD_TABLE_TRANSACTIONS)
			return true;
	return false;
}

bool dump_list(struct dump *d, const struct dump_query *q, FILE *out)
{
	struct dump_query wanted = *q, wide = { .head = 0 };
	struct list l = { .d = d, .q = &wanted, .out = out, .left = q->head ? q->head : UINT64_MAX };

	if (!transactions_wanted(d, q))
		return dump_write_text(d, q, out);
	dump_know(&l.known, d);
	wanted.table_wanted = dump_query_transactions(q, d, l.known.inst);
	l.producers = dump_producers_new(&l.known);
	widen(&wide, &wanted, d);
	if (dump_query_bind(&wide, d)) {
		fputs("   cycle +cycles\n", out);
		dump_in_order(d, &wide, take, &l);
	}
	dump_query_free(&wide, d);
	free(wanted.table_wanted);
	dump_producers_free(l.producers);
	dump_known_free(&l.known);
	return true;
}
