/* dump_read.h - reads a dump (docs/dump-format.md)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A truncated or damaged file is read up to the damage, which dump.damage describes; the rest is
 * missing.  Nothing in a file is trusted.
 */
#ifndef DUMP_DUMP_READ_H
#define DUMP_DUMP_READ_H

#include "dump_format.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct dump_field {
	const char *name, *unit, *doc;
	const char *names; /* see struct hd_field; or NULL */
	bool hex, span, key, apart;
};

struct dump_table {
	const char *name, *doc;
	const char *module; /* events: module that reports them; else NULL */
	enum hd_table_kind kind;
	unsigned n;
	struct dump_field *fields;
	uint64_t rows;      /* in all blocks that can be read */
};

struct dump_instance {
	const char *path, *module;
	struct hd_rotation turns; /* the cycles that its spans count */
};

enum dump_place_kind { DUMP_AT, DUMP_MARK, DUMP_CHANNEL };

struct dump_place {
	const char *name;   /* "collector", "issue[0]:register", "collector.in[2]" */
	enum dump_place_kind kind;
	uint32_t instance;  /* CHANNEL: its reader */
	const char *mark, *port;
	const char *arg, *names; /* of the number that comes with a mark; or NULL */
	const char *doc;
	const char *type;   /* CHANNEL: table of what moves there, or NULL */
	const char *from;   /* CHANNEL: path of its writer, or NULL */
	uint32_t column;    /* the place whose columns have its stays */
};

struct dump_cause {
	uint32_t instance;  /* UINT32_MAX: of no instance */
	const char *reason, *doc;
};

struct dump_counter {
	uint32_t instance;
	const char *name, *unit, *doc, *total;
};

/* A static instruction. */
struct dump_code {
	uint32_t index;     /* among those that differ in more than their kernel, see codes.h */
	uint32_t kernel;
	uint32_t pc;
	const char *opcode, *text, *class, *space; /* space may be NULL */
	const char *source; /* file and line of the program, or NULL */
	int32_t dst;        /* SASS register, -1: none */
	int8_t write, read; /* dependence counters that fall when it has written, and read; -1: none */
};

struct dump_kernel {
	const char *name;   /* NULL: the number is not defined */
	uint64_t launch;
	const char *cells;  /* how it was launched, as JSON, shared by equal ones: see dump_kernel_cells() */
};

struct dump_block {
	struct hd_block_head head;
	uint64_t offset;    /* of the payload in the file */
};

#define DUMP_PARTS 3 /* of the prologue: see dump_part() */

struct dump {
	char *path;
	int fd;
	uint64_t size;
	bool ends;          /* transactions have the cycle in which they end, not that of their first step */
	char *damage;       /* why the rest is missing; NULL: the file is complete */
	json_t *meta;       /* the prologue without instances, places, causes, counters, and parts */
	char *parts[DUMP_PARTS]; /* texts */
	json_t *end;        /* how the run ended: what is one number or word; NULL: it was killed */
	struct dump_block *statistics; /* the block of `end` */
	struct dump_block *blocks; /* ROWS, in the order of the file */
	size_t nblocks;
	struct dump_table *tables;
	uint32_t ntables;
	unsigned items;     /* arrays of the prologue that were read: set of numbers */
	struct dump_instance *instances;
	uint32_t ninstances;
	struct dump_place *places;
	uint32_t nplaces;
	struct dump_cause *causes;
	uint32_t ncauses;
	struct dump_counter *counters;
	uint32_t ncounters;
	struct dump_codes *codes;    /* static instructions; see dump_code() */
	uint32_t ncodes;             /* their numbers are less */
	struct dump_kernel *kernels; /* by number */
	uint32_t nkernels;
	json_t *symbols;    /* kind -> array of names, in the order of their numbers */
	json_t *defs;       /* all other definitions: names -> { "number": cells } */
	json_t *texts;      /* of items and static instructions: by themselves, each once */
	uint64_t json_bytes; /* unpacked so far */
};

/* Returns NULL after printing that it is not a dump or cannot be opened. */
struct dump *dump_open(const char *path);
void dump_close(struct dump *d);

/* The prologue's "instances", "links" or "netlist", which take much memory; NULL: there is none.  The
 * caller owns it. */
json_t *dump_part(const struct dump *d, const char *name);
/* The members of the prologue that a picture of the core is made of: the same. */
json_t *dump_core(const struct dump *d);
/* How the run ended, with all statistics: the same.  Its tables, as "kernels", are left out: their rows
 * go one after another to row(), or nowhere if it is NULL. */
json_t *dump_statistics(const struct dump *d,
                        void (*row)(void *arg, const char *table, json_t *row), void *arg);

/* How the kernel was launched: all members of its definition.  The caller owns it. */
json_t *dump_kernel_cells(const struct dump *d, uint32_t kernel);
/* The static instruction of that number.  Returns false, with an empty one, if it is not defined. */
bool dump_code(const struct dump *d, int64_t number, struct dump_code *code);
/* -1 if there is none. */
int dump_find_table(const struct dump *d, const char *name);
int dump_find_field(const struct dump_table *t, const char *name);
/* The field whose values have timelines of their own; -1: there is none. */
int dump_find_apart(const struct dump_table *t);
/* The name of number v, or NULL.  `module`: of the reasons, for "reason". */
const char *dump_name(const struct dump *d, const char *names, const char *module, int64_t v);
/* The meaning of reason v of a module, or NULL. */
const char *dump_reason_doc(const struct dump *d, const char *module, int64_t v);

/* Rows of one block, by column. */
struct dump_rows {
	const struct dump *dump;
	const struct dump_table *table;
	uint32_t n;
	uint64_t numbers;       /* in all columns */
	const int64_t *cycle;   /* transactions: of the first step; spans: the cycle after them */
	const int64_t *who;     /* instance; samples: counter; transactions: 1 if not ended */
	const int64_t *field[HD_COL_NODE];
	/* transactions: internal */
	const int64_t *node;
	const int64_t *parent, *place;
	uint32_t nnodes;
	struct dump_stay {
		const int64_t *stay, *arg;
		uint32_t n, nargs, at, at_arg;
	} *stays;               /* by place that has columns */
	uint32_t next;          /* next row of dump_transaction() */
};

struct dump_step {
	uint64_t cycle, cycles; /* begin and duration */
	uint32_t place;
	int64_t arg;            /* of a mark with one */
};

struct dump_transaction {
	uint64_t begin, end;    /* end: first cycle after it */
	bool unfinished;
	uint32_t row;           /* its fields are rows->field[i][row] */
	uint32_t n;
	struct dump_step *steps; /* valid until the next call */
	size_t cap;
};

/* Reads block i.  Returns false if it is damaged, which dump->damage describes from then on. */
bool dump_rows(struct dump *d, size_t i, struct dump_rows *out);
void dump_rows_free(struct dump_rows *r);
/* All that dump_transaction() needs, once it has returned the last one. */
void dump_paths_free(struct dump_rows *r);
/* Rows of a table of transactions, one after another.  Returns false at the end.  Zero the
 * transaction before the first call, free its steps after the last. */
bool dump_transaction(struct dump_rows *r, struct dump_transaction *transaction);

#endif
