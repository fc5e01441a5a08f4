/* format.h - the numbers of the dump format, for those who write it and those who read it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/dump-format.md explains it, byte by byte.
 */
#ifndef KERNEL_RECORD_FORMAT_H
#define KERNEL_RECORD_FORMAT_H

#include <stdint.h>

#define HD_DUMP_MAGIC "heddle\r\n" /* a transfer that mends line ends is noticed */
#define HD_DUMP_END "hd-index"
#define HD_DUMP_VERSION 2u

enum hd_block_kind {
	HD_BLOCK_META = 1,  /* one JSON object: everything that names and numbers mean */
	HD_BLOCK_DEFS = 2,  /* one JSON array: what numbers mean that came up later */
	HD_BLOCK_ROWS = 3,  /* columns of rows of one table */
	HD_BLOCK_END = 4,   /* one JSON object: how the run ended, its statistics */
	HD_BLOCK_INDEX = 5, /* the heads of all blocks before it, each behind its offset */
};

/* In front of every block; little-endian in the file, without gaps. */
struct hd_block_head {
	uint32_t mark; /* HD_BLOCK_MARK */
	uint32_t kind, table, rows;
	uint64_t bytes;        /* of the payload that follows */
	uint64_t first, last;  /* ROWS: cycles that its rows cover */
	uint64_t keys;         /* ROWS: set of the values of the table's key field; all ones: any */
	uint64_t payload_hash; /* XXH64, seed 0 */
	uint64_t head_hash;    /* of the 56 bytes before it */
};
#define HD_BLOCK_MARK 0x6b626468u /* "hdbk" */
#define HD_BLOCK_HEAD 64u

enum hd_encoding {
	HD_ENC_CONST, /* one signed number, for all values */
	HD_ENC_PLAIN, /* unsigned numbers */
	HD_ENC_ZIGZAG,
	HD_ENC_DELTA, /* signed differences, the first from 0 */
	HD_ENC_SPAN,  /* the same, less the value of column HD_COL_FIELDS + the number before them */
	HD_ENC_ZSTD = 0x80, /* added: the bytes are a zstd frame */
};

/* Columns of a block, by number. */
enum hd_column_id {
	HD_COL_CYCLE,  /* lives: of the first step; others: of the row */
	HD_COL_WHO,    /* instance; samples: counter; lives: 1 if it had not ended */
	HD_COL_FIELDS, /* and following: the fields that are not hidden */
	/* lives: the way that a record took, as a node of a tree whose root is node 0 */
	HD_COL_NODE = 32,
	HD_COL_PARENT, /* of node 1, 2 ...; */
	HD_COL_PLACE,  /* and the place that it stands for */
	/* place p: 64 + 2 p how long each stay took, 65 + 2 p the numbers that its mark came with */
	HD_COL_STAYS = 64,
};

enum hd_table_kind { HD_TABLE_EVENTS, HD_TABLE_TRANSACTIONS, HD_TABLE_SAMPLES };

#endif
