/* dumped.c - rows of a dump do not depend on the order in which transactions come; how the log becomes rows
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel.h"
#include "kernel/record/dump_table.h"
#include "kernel/record/observe.h"

#include <stdlib.h>

static struct hd_dump_table *new_table(void)
{
	struct hd_dump_table *t = hd__xcalloc(1, sizeof *t);

	t->kind = HD_TABLE_TRANSACTIONS;
	t->fields = 1;
	t->span = t->key = -1;
	hd__rows_open(t);
	return t;
}

/* Row i as "BEGIN FIELD: PLACE PLACE ...", to be freed. */
static char *row_text(const struct hd_dump_table *t, size_t i)
{
	const struct hd_rows *r = &t->rows;
	char *text = strdup(""), *longer;

	for (uint32_t n = (uint32_t)r->cols[HD_COL_FIELDS + t->fields][i]; n != 0; n = r->nodes[n].parent) {
		longer = hd__format(" %u%s", r->nodes[n].place, text);
		free(text);
		text = longer;
	}
	longer = hd__format("%d %d:%s", (int)r->cols[HD_COL_CYCLE][i], (int)r->cols[HD_COL_FIELDS][i], text);
	free(text);
	return longer;
}

static void check_rows(struct hd_dump_table *t, const char *const *expected, size_t n, int line)
{
	hd__table_settle(t);
	check_number(t->rows.n, n, "rows", __FILE__, line);
	for (size_t i = 0; i < n && i < t->rows.n; i++) {
		char *text = row_text(t, i);

		check_text(text, expected[i], __FILE__, line);
		free(text);
	}
	hd__table_free(t);
}
#define ROWS(t, ...) check_rows((t), (const char *const[]){ __VA_ARGS__ }, \
	sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), __LINE__)

/* Transactions of one cycle, each unlike the others in one thing only, in the order of `which`. */
static void add(struct hd_dump_table *t, const unsigned *which)
{
	static const struct { uint64_t begin; int64_t field; uint32_t n; struct hd_step steps[3]; } all[] = {
		{ 5, 1, 2, { { 0, 3, 0 }, { 2, 4, 0 } } },
		{ 5, 1, 3, { { 0, 3, 0 }, { 2, 4, 0 }, { 3, 1, 0 } } },
		{ 5, 1, 3, { { 0, 3, 0 }, { 2, 4, 0 }, { 3, 2, 0 } } },
		{ 5, 1, 2, { { 0, 3, 0 }, { 2, 6, 0 } } },
		{ 6, 1, 2, { { 0, 3, 0 }, { 2, 4, 0 } } },
		{ 5, 2, 2, { { 0, 3, 0 }, { 2, 4, 0 } } },
	};

	for (int i = 0; i < 6; i++) {
		unsigned k = which[i];

		*hd__dump_transaction(t, all[k].begin, 20, false, all[k].steps, all[k].n) = all[k].field;
	}
}

static void test_any_order(void)
{
	static const unsigned orders[][6] = { { 0, 1, 2, 3, 4, 5 }, { 5, 4, 3, 2, 1, 0 }, { 3, 0, 5, 2, 4, 1 },
		{ 4, 3, 1, 5, 0, 2 }, { 2, 5, 0, 1, 3, 4 } };

	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		struct hd_dump_table *t = new_table();

		add(t, orders[i]);
		ROWS(t, "5 1: 3 4", "5 1: 3 4 1", "5 1: 3 4 2", "5 1: 3 6", "6 1: 3 4", "5 2: 3 4");
	}
}

/* The first place of all is a place like any other. */
static void test_first_place(void)
{
	static const struct hd_step steps[] = { { 0, 0, 0 }, { 1, 7, 0 }, { 2, 0, 0 }, { 4, 0, 0 } };
	struct hd_dump_table *t = new_table();

	*hd__dump_transaction(t, 1, 9, false, steps, 4) = 1;
	*hd__dump_transaction(t, 2, 9, false, steps, 1) = 1;
	ROWS(t, "1 1: 0 7 0 0", "2 1: 0");
}

/* A record that was somewhere before its first step. */
static void test_before(void)
{
	static const struct hd_field fields[] = { { .name = "a", .size = 4 } };
	struct hd_field_set set = { .v = fields, .n = 1, .nstored = 1, .span = -1, .key = -1 };
	struct hd_observer o = { .npools = 1 };
	struct hd_transactions l = { .observer = &o, .table = new_table(), .log.words = 1, .fields = &set,
		.assembler = hd__assembler_new() };
	const uint32_t words[] = {
		HD_LOG_CYCLE, 30, 0,
		hd__log_head(HD_LOG_STEP, &l, 1), 8,
		HD_LOG_OTHER | HD_LOG_BEFORE << HD_LOG_BITS, 1, 5, 4, /* handle; place, cycles */
		hd__log_head(HD_LOG_STEP, &l, 2), 9,
		HD_LOG_CYCLE, 33, 0,
		hd__log_head(HD_LOG_OVER, &l, 1), 77,
		hd__log_head(HD_LOG_OVER, &l, 2), 78,
	};

	o.transactions = &l;
	hd__replay(&o, words, sizeof words / sizeof *words);
	hd__assembler_free(l.assembler);
	ROWS(l.table, "26 77: 5 8", "30 78: 9");
}

void test_dumped(void)
{
	test_any_order();
	test_first_place();
	test_before();
}
