/* pipeline.h - a picture of cycles and stages: one row a transaction, one column a cycle
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * pipeline.c collects the rows and the columns, pipeline_print.c draws them.
 */
#ifndef TOOLS_DUMP_PIPELINE_H
#define TOOLS_DUMP_PIPELINE_H

#include "known.h"
#include "letters.h"

#define PIPELINE_FLUSHED 'x'   /* it ended and was never issued */
#define PIPELINE_GOES_ON '>'   /* it had not ended when the dump did */

struct pipeline_stay {
	uint64_t cycle, cycles;
	uint32_t place;
};

struct pipeline_row {
	uint64_t begin, end;       /* end: first cycle after it */
	size_t first, n, at;       /* stays; at: that of the column drawn last */
	char ending;               /* what is drawn in cycle `end`; 0: nothing */
	uint32_t last;             /* place of `ending`, if it is one; else UINT32_MAX */
	char *label;
	char *text;                /* what the label ends with, until it is made */
	uint32_t core, kernel;
	bool known, issued;        /* its static instruction is defined; it was issued */
	int64_t warp;              /* -1: none */
	uint32_t pc, mask;
};

/* A cycle, or several in which nothing changes. */
struct pipeline_column {
	uint64_t cycle, n;
};

struct pipeline {
	struct dump *d;
	const struct dump_query *q;
	struct dump_known known;
	struct dump_letters *letters;
	struct pipeline_row *rows;
	size_t nrows, caprows, most;
	struct pipeline_stay *stays;
	size_t nstays, capstays;
	struct pipeline_column *columns;
	size_t ncolumns, capcolumns;
	const char *core;          /* of all rows; "": the only one, or they differ */
	bool more;                 /* rows are left out */
};

/* pipeline_print.c: draws it in panels of at most `width` characters a line. */
void dump_draw_pipeline(const struct pipeline *p, unsigned width, FILE *out);

#endif
