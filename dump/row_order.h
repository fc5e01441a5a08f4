/* row_order.h - the rows of all tables in the order of time
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef DUMP_ROW_ORDER_H
#define DUMP_ROW_ORDER_H

#include "row_query.h"

struct dump_item {
	uint64_t begin;              /* cycle */
	uint32_t table;
	uint32_t row;                /* its fields are rows->field[i][row] */
	const struct dump_rows *rows;
	const struct dump_transaction *transaction; /* transactions; else NULL */
};

/* Calls `take` for every selected row, until it returns false: by the cycle in which it begins; of
 * one cycle by table; of one table and cycle, transactions by their first field, others in the
 * order of the file.  Returns false if `take` did. */
bool dump_in_order(struct dump *d, const struct dump_query *q,
                   bool (*take)(void *arg, const struct dump_item *i), void *arg);

#endif
