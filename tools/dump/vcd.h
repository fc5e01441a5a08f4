/* vcd.h - shared by the files of the VCD format: the signals
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_VCD_H
#define TOOLS_DUMP_VCD_H

#include "stages.h"
#include "put.h"
#include "dump/row_query.h"

struct vcd_signal {
	uint32_t instance;    /* of its scope; UINT32_MAX: at the top */
	char *name;
	char id[8];           /* in the file */
	unsigned bits;        /* 0: a word */
	uint64_t value, written;
	const char *word, *word_written;
	bool changed;         /* it is in the list of changes */
};

struct vcd_signals {
	struct vcd_signal *v; /* in the order of instances */
	size_t n, cap;
	/* number of the signal, or SIZE_MAX */
	size_t cycle;
	size_t *places;       /* by place */
	size_t **states;      /* by table, then instance; NULL: the table has no reasons */
	size_t *counters;     /* by counter */
	int *reasons;         /* by table: the field; -1: none */
};

/* Finds all signals that occur in the selection. */
struct vcd_signals *vcd_signals_new(struct dump *d, const struct dump_query *q,
                                    const struct dump_stage_view *p);
void vcd_signals_free(struct vcd_signals *s, const struct dump *d);
/* Writes everything before the values.  unit: of the times. */
void vcd_head(struct dump_out *o, const struct dump *d, const struct vcd_signals *s,
              const char *unit);

#endif
