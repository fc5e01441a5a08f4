/* dump_table.h - rows of a table while they wait to be written
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef DUMP_DUMP_TABLE_H
#define DUMP_DUMP_TABLE_H

#include "dump_file.h"

#include <heddle/module.h>

/* Numbers as they are written: plain ones of variable length. */
struct hd_packed {
	unsigned char *v, *next, *full; /* next: where the next one goes; from `full` on more room is needed */
	size_t n;                       /* known when the block is written */
};

/* Steps at one place, or at several that share their columns. */
struct hd_stay {
	struct hd_packed cycles, args;
};

/* A place on the paths of records; its ancestors are the places before it. */
#define HD_NODE_NEAR 8u
struct hd_node {
	uint32_t place;                      /* as in steps */
	uint32_t number, parent;             /* parent: its number */
	uint32_t rows;                       /* whose paths end here */
	struct hd_node *child, *next;        /* all children */
	struct hd_stay *stay;                /* its stays */
	struct hd_node *near[HD_NODE_NEAR];  /* the child whose place has this remainder; or the root */
};

/* The content of a block. */
struct hd_rows {
	int64_t **cols;          /* HD_COL_CYCLE, HD_COL_WHO, fields; transactions: and the node */
	int64_t *whole;          /* rows as they came, until the block is written in columns; not of transactions */
	size_t n, cap;           /* rows */
	uint64_t opened;         /* cycle in which the first row came */
	uint64_t first;          /* cycle that a row covers; of transactions alone known before the block is written, */
	uint64_t last, keys;     /* and these of none */
	/* transactions */
	struct hd_node **nodes;  /* by number; the root is first */
	size_t nnodes, madenodes, capnodes; /* made: from nnodes on they are not in use */
	struct hd_stay **stays;  /* by place; or NULL */
	size_t nplaces;
	const uint32_t *shared;  /* by place: the one where its stays are */
};

struct hd_staged {
	int64_t first;      /* field, which mostly tells the order */
	uint64_t begin;
	const unsigned char *record, *steps;
	size_t owned;       /* of those that do not last: where the copy of both begins */
	uint32_t n;         /* steps */
	bool unfinished, lasts;
};

struct hd_dump_table {
	struct hd_dump *dump;
	void (*full)(struct hd_dump_table *t); /* writes the rows as a block */
	uint32_t number;
	enum hd_table_kind kind;
	unsigned fields;
	int span, key;
	const struct hd_dump_record *record; /* of transactions */
	const struct hd_rotation *turns; /* by instance, or NULL */
	struct hd_rows rows;

	/* transactions of the present cycle, whose order is not yet known */
	uint64_t cycle;
	struct hd_staged *staged;
	size_t nstaged, capstaged;
	struct hd_bytes owned;  /* copies of records, each followed by its steps */
};

/* Columns of a row. */
static inline unsigned hd__table_columns(const struct hd_dump_table *t)
{
	return t->fields + HD_COL_FIELDS + (t->kind == HD_TABLE_TRANSACTIONS);
}

/* Adds the transactions of the present cycle. */
void hd__table_settle(struct hd_dump_table *t);
/* Begins another cycle. */
void hd__table_cycle(struct hd_dump_table *t, uint64_t cycle);
void hd__table_more_staged(struct hd_dump_table *t);
void hd__table_more_rows(struct hd_dump_table *t);
/* Copies record and steps, which are not in what may move. */
void hd__table_own(struct hd_dump_table *t, struct hd_staged *s);
/* How many of the steps of a transaction are not older than a step counts. */
uint32_t hd__table_steps(const void *steps, uint32_t n);

/* Adds a transaction of a record that ends in cycle `end`.  Its n steps, at least one, need not be aligned.  Of those
 * in one cycle the last counts; one that is like that before it does not.  `lasts`: record and steps stay where they
 * are until hd__dump_hold() or a row of a later cycle. */
static inline void hd__dump_transaction(struct hd_dump_table *t, uint64_t end, bool unfinished, const void *record,
                                        const void *steps, uint32_t n, bool lasts)
{
	uint64_t begin;
	struct hd_staged *s;

	memcpy(&begin, steps, sizeof begin);
	if (HD_UNLIKELY(end - begin > UINT32_MAX))
		n = hd__table_steps(steps, n);
	if (end != t->cycle)
		hd__table_cycle(t, end);
	if (HD_UNLIKELY(t->nstaged == t->capstaged))
		hd__table_more_staged(t);
	s = &t->staged[t->nstaged++];
	*s = (struct hd_staged){ t->fields ? hd__dump_field(&t->record->field[0], record) : 0, begin, record, steps, 0,
		n, unfinished, lasts };
	if (!lasts)
		hd__table_own(t, s);
}

/* Adds another row with these fields: HD_EVENT_FIELDS numbers, of which the first ones count, aligned or not. */
static inline void hd__dump_row(struct hd_dump_table *t, uint64_t cycle, int64_t who, const void *v)
{
	struct hd_rows *r = &t->rows;
	int64_t *row;

	if (cycle != t->cycle)
		hd__table_cycle(t, cycle);
	if (HD_UNLIKELY(r->n == r->cap))
		hd__table_more_rows(t);
	row = r->whole + r->n++ * hd__table_columns(t);
	row[HD_COL_CYCLE] = (int64_t)cycle;
	row[HD_COL_WHO] = who;
	memcpy(row + HD_COL_FIELDS, v, HD_EVENT_FIELDS * sizeof *row); /* of a size that is known, without a call */
}

void hd__dump_hold(struct hd_dump_table *t);
void hd__table_free(struct hd_dump_table *t);
void hd__rows_open(struct hd_dump_table *t);
/* Empties it, keeping its memory. */
void hd__rows_clear(struct hd_dump_table *t);
/* dump_block.c: the payload of its block. */
void hd__rows_encode(struct hd_dump_table *t, struct hd_coder *c, struct hd_bytes *out);

#endif
