/* row_order_block.h - the rows of one block in the order of time
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef DUMP_ROW_ORDER_BLOCK_H
#define DUMP_ROW_ORDER_BLOCK_H

#include "base/bytes.h"
#include "row_order.h"

struct dump_entry {
	uint64_t begin;
	uint32_t row;         /* in .rows */
	uint32_t transaction; /* index into the transactions */
};

/* The selected rows of a block, from the present one on.  When they are packed the arrays have room
 * for the present one only. */
struct dump_block_rows {
	uint32_t table, block;
	uint64_t numbers;        /* in the block */
	struct dump_entry now; /* if next < n */
	size_t n, next;
	struct dump_rows rows;
	struct dump_transaction *transactions; /* NULL: of another kind */
	struct dump_step *steps; /* of all of them */
	struct dump_entry *v;    /* by begin; NULL: packed */
	struct hd_bytes packed;
	const unsigned char *at; /* of the row after the present one */
};

/* NULL: the block is damaged.  There may be no rows. */
struct dump_block_rows *dump_block_load(struct dump *d, const struct dump_query *q, uint32_t block);
void dump_block_unload(struct dump_block_rows *l);
/* Before the first row is passed on: from now on memory is a tenth, and each row takes longer. */
void dump_block_pack(struct dump_block_rows *l);
/* Goes to the next row. */
void dump_block_next(struct dump_block_rows *l);

#endif
