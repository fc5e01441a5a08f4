/* dump_format.h - constants of the dump format, for writer and reader
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/dump-format.md explains it, byte by byte.
 */
#ifndef DUMP_DUMP_FORMAT_H
#define DUMP_DUMP_FORMAT_H

#include <stdint.h>

#define HD_DUMP_MAGIC "heddle\r\n" /* a transfer that converts line ends is detected */
#define HD_DUMP_END "hd-index"
#define HD_DUMP_VERSION 6u
#define HD_DUMP_OLDEST 3u /* that can be read: in it nothing is like others, before 6 no places are */
#define HD_DUMP_ENDS 5u   /* from this on transactions have the cycle in which they end */

enum hd_block_kind {
	HD_BLOCK_META = 1,  /* one JSON object: all declarations */
	HD_BLOCK_DEFS = 2,  /* one JSON array: later definitions of numbers */
	HD_BLOCK_ROWS = 3,  /* columns of rows of one table */
	HD_BLOCK_END = 4,   /* one JSON object: how the run ended, its statistics */
	HD_BLOCK_INDEX = 5, /* the heads of all blocks before it, each preceded by its offset */
};

/* Precedes every block; little-endian in the file, without padding. */
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
	HD_ENC_SPAN,  /* HD_ENC_DELTA, less the value of column HD_COL_FIELDS + the number before them */
	HD_ENC_KEYED, /* signed differences from the row before whose column HD_COL_FIELDS + that number has the same
	               * value modulo HD_KEYS */
	HD_ENC_ZSTD = 0x80, /* added: the bytes are a zstd frame */
};

#define HD_KEYS 64u

/* Columns of a block, by number. */
enum hd_column_id {
	HD_COL_CYCLE,  /* transactions: of the end, before HD_DUMP_ENDS of the first step; others: of the row */
	HD_COL_WHO,    /* instance; samples: counter; transactions: 1 if not ended */
	HD_COL_FIELDS, /* and following: the fields that are not hidden */
	/* transactions: the path of the record, as a node of a tree whose root is node 0 */
	HD_COL_NODE = 32,
	HD_COL_PARENT, /* of node 1, 2 ...; */
	HD_COL_PLACE,  /* and its place */
	/* place p, whose columns others may share: 64 + 2 p durations of the stays, 65 + 2 p arguments of the mark */
	HD_COL_STAYS = 64,
};

enum hd_table_kind { HD_TABLE_EVENTS, HD_TABLE_TRANSACTIONS, HD_TABLE_SAMPLES };

/* The cycles that the spans of an instance count: those whose number modulo `turns` is `turn`; turns 0: all. */
struct hd_rotation {
	uint32_t turns, turn;
};

/* The first cycle of a span of n cycles before that cycle, n > 0. */
static inline uint64_t hd__span_begin(struct hd_rotation t, uint64_t cycle, uint64_t n)
{
	uint64_t every = t.turns ? t.turns : 1, last = cycle - 1;

	if (cycle <= t.turn)
		return 0;
	last -= (last - t.turn) % every;
	return n - 1 <= last / every ? last - (n - 1) * every : 0;
}

#endif
