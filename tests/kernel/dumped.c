/* dumped.c - rows of a dump do not depend on the order in which transactions come; how the log becomes rows
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel.h"
#include "dump/dump_table.h"
#include "kernel/record/recorder.h"

#include <stdlib.h>

static struct hd_dump_table *new_table(void)
{
	static const uint32_t own[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }; /* no place shares its columns */
	static const struct hd_dump_bits field = { 0, UINT64_MAX };
	static const struct hd_dump_record record = { sizeof(int64_t), &field, own };
	struct hd_dump_table *t = hd__xcalloc(1, sizeof *t);

	t->record = &record;
	t->kind = HD_TABLE_TRANSACTIONS;
	t->fields = 1;
	t->span = t->key = -1;
	t->rows.shared = own;
	hd__rows_open(t);
	return t;
}

/* Row i as "END FIELD: PLACE PLACE ...", to be freed. */
static char *row_text(const struct hd_dump_table *t, size_t i)
{
	const struct hd_rows *r = &t->rows;
	char *text = strdup(""), *longer;

	for (uint32_t n = (uint32_t)r->cols[HD_COL_FIELDS + t->fields][i]; n != 0; n = r->nodes[n]->parent) {
		longer = hd__format(" %u%s", r->nodes[n]->place, text);
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
	static const struct { int64_t field; uint32_t n; struct hd_step steps[3]; } all[] = {
		{ 1, 2, { { 5, 3, 0 }, { 7, 4, 0 } } },
		{ 1, 3, { { 5, 3, 0 }, { 7, 4, 0 }, { 8, 1, 0 } } },
		{ 1, 3, { { 5, 3, 0 }, { 7, 4, 0 }, { 8, 2, 0 } } },
		{ 1, 2, { { 5, 3, 0 }, { 7, 6, 0 } } },
		{ 1, 2, { { 6, 3, 0 }, { 8, 4, 0 } } },
		{ 2, 2, { { 5, 3, 0 }, { 7, 4, 0 } } },
	};

	for (int i = 0; i < 6; i++) {
		unsigned k = which[i];

		hd__dump_transaction(t, 20, false, &all[k].field, all[k].steps, all[k].n, k % 2);
		if (k == 3)
			hd__dump_hold(t);
	}
}

static void test_any_order(void)
{
	static const unsigned orders[][6] = { { 0, 1, 2, 3, 4, 5 }, { 5, 4, 3, 2, 1, 0 }, { 3, 0, 5, 2, 4, 1 },
		{ 4, 3, 1, 5, 0, 2 }, { 2, 5, 0, 1, 3, 4 } };

	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		struct hd_dump_table *t = new_table();

		add(t, orders[i]);
		ROWS(t, "20 1: 3 4", "20 1: 3 4 1", "20 1: 3 4 2", "20 1: 3 6", "20 1: 3 4", "20 2: 3 4");
	}
}

/* The first place of all is a place like any other. */
static void test_first_place(void)
{
	static const int64_t field = 1;
	static const struct hd_step steps[] = { { 1, 0, 0 }, { 2, 7, 0 }, { 3, 0, 0 }, { 5, 0, 4 } };
	struct hd_dump_table *t = new_table();

	hd__dump_transaction(t, 9, false, &field, steps, 4, true);
	hd__dump_transaction(t, 9, false, &field, &steps[1], 1, true);
	ROWS(t, "9 1: 0 7 0 0", "9 1: 7");
}

/* Of the steps in one cycle the last counts, and none that is like that before it. */
static void test_one_cycle(void)
{
	static const int64_t field = 1;
	static const struct hd_step steps[] = { { 1, 4, 0 }, { 1, 5, 0 }, { 2, 5, 0 }, { 3, 6, 0 }, { 3, 5, 0 },
		{ 4, 5, 0 }, { 4, 6, 0 },
		{ UINT64_C(1) << 32, 8, 0 }, { UINT64_C(2) << 32, 9, 0 } }; /* the last one is too late */
	struct hd_dump_table *t = new_table();

	hd__dump_transaction(t, (UINT64_C(3) << 32) + 1, false, &field, steps, 9, true);
	ROWS(t, "1 1: 5 5 6 8");
}

/* An entry of a record whose field is `a`, and its block. */
static void put_record(struct hd_log *log, uint32_t head, uint32_t a, uint64_t over, const struct hd_step *steps,
                       uint32_t n)
{
	static size_t nblocks; /* of the log */
	struct hd_steps *block = log->steps[nblocks++];

	block->used = HD_STEPS_HEAD + n * sizeof *steps;
	block->over = over;
	memcpy(block->step, steps, n * sizeof *steps);
	log->words[log->n] = head;
	log->words[log->n + 1] = a;
	log->n += HD_LOG_RECORD_WORDS;
}

/* A record with many steps, of which the log has the beginning in an entry of its own, and another record in
 * between. */
static void test_many_steps(void)
{
	static const struct hd_field fields[] = { { .name = "a", .size = 4 } };
	static struct hd_log log;
	struct hd_field_set set = { .v = fields, .n = 1, .nstored = 1, .span = -1, .key = -1 };
	struct hd_observer o = { .npools = 1 };
	struct hd_transactions l = { .observer = &o, .table = new_table(), .log.words = HD_LOG_RECORD_WORDS - 1,
		.fields = &set, .assembler = hd__assembler_new() };
	static const struct hd_dump_bits field = { 0, UINT32_MAX };
	struct hd_dump_record record = *l.table->record;
	struct hd_step steps[HD_STEPS_MOST + 1];

	for (uint32_t i = 0; i <= HD_STEPS_MOST; i++)
		steps[i] = (struct hd_step){ 30 + i, 1 + i % 2, 0 };
	for (uint32_t i = 0; i < 3; i++)
		log.steps[i] = &log.blocks[i];
	put_record(&log, hd__log_head(HD_LOG_STEPS, &l, 1), 0, 0, steps, HD_STEPS_MOST);
	put_record(&log, hd__log_head(HD_LOG_OVER, &l, 2), 78, 60, steps, 2);
	put_record(&log, hd__log_head(HD_LOG_OVER, &l, 1), 77, 61, &steps[HD_STEPS_MOST], 1);
	record.field = &field;
	l.table->record = &record;
	o.transactions = &l;
	hd__replay(&o, &log);
	hd__assembler_free(l.assembler);
	ROWS(l.table, "60 78: 1 2", "61 77: 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2");
}

void test_dumped(void)
{
	test_any_order();
	test_first_place();
	test_one_cycle();
	test_many_steps();
}
