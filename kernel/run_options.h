/* run_options.h - what is asked of a simulation, and how a run of it ends
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_RUN_OPTIONS_H
#define KERNEL_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_checker;
struct hd_instance;
struct hd_probe;
struct hd_rules;

enum hd_run_status { HD_RUN_MORE, HD_RUN_FINISHED, HD_RUN_LIMIT, HD_RUN_DEADLOCK, HD_RUN_FAILED,
	HD_RUN_BAD_INPUT, HD_RUN_HALTED,
	HD_RUN_AGAIN }; /* a window has not been that of the lock step: to be begun again, with .ahead = hd_sim.again */

/* What becomes of an item: it runs; it is read for what it leaves behind, or passed over. */
enum hd_fate { HD_RUNS, HD_WARMS, HD_PASSES };

/* An item of the input that is not replayed. */
struct hd_left_out {
	uint64_t item;
	char *name, *why;
};

struct hd_options {
	const char *input;
	const char *input_name;   /* in outputs; NULL: that of the input */
	const char *no_input;     /* what is expected where an instance reads the input and there is none; or NULL */
	uint64_t first, last;     /* range of the input to replay; last UINT64_MAX: to the end */
	bool keep_going;          /* see hd_keep_going(); in a sim: as long as that can be done */
	const struct hd_left_out *left_out;
	size_t nleft_out;
	uint64_t max_cycles;      /* root periods; 0: no limit */
	unsigned stuck_after;     /* seconds that a part of a run with plug-ins may take; 0: any */
	uint64_t shuffle;         /* seed of the order of evaluation; 0: none */
	uint32_t others;          /* so many other orders are found as well, for a checker */
	bool no_sleep;            /* evaluate all processes at every edge */
	uint32_t threads;         /* that run them, if there may be more than one; 0: as 1 */
	/* partitions may run many periods in turn (kernel/parallel), up to this one of roots[0]; 0: lock step,
	 * UINT64_MAX: to the end */
	uint64_t ahead;
	bool again;               /* the run has begun before, and its netlist's warnings are printed */
	const char *const *sets;  /* changes to the netlist, "path=value" */
	size_t nsets;
	bool part;                /* exported ports may be open: the netlist is only checked */
	void (*event)(void *arg, const struct hd_instance *i, unsigned event, const int64_t *v);
	void *event_arg;
	const struct hd_probe *probe; /* of the recorder that will be attached (hooks.h); or NULL */
	const struct hd_checker *checker; /* of what the modules do (hooks.h); or NULL */
	bool active;              /* modules count their activity (hd_module.activity) */
	const struct hd_rules *const *const *rules; /* for it: tables of rules (heddle/rules.h); or NULL */
	bool strict;              /* see hd_strict() */
	bool per_item;            /* keep what statistics grow by in each item of the input, see hd_row_part() */
	size_t most_items;        /* of so many one by one, if that is more than usual */
	/* Rows of ended items were added, and the statistics are settled.  Or NULL. */
	void (*item_over)(void *arg);
	void *item_arg;
	/* Called between two cycles, for the first time after `sample_at` of them: returns after how many it is called
	 * again.  Or NULL. */
	uint64_t (*sample)(void *arg);
	void *sample_arg;
	uint64_t sample_at;
	bool saves;               /* the run may be saved, see hd_may_save() */
	uint64_t skip;            /* the first items of those to replay that are skipped, see hd_skips() */
	const unsigned char *fates; /* by item, enum hd_fate, instead of .skip; or NULL: */
	size_t nfates;            /* items behind those run */
	double stable;            /* see hd_stable() */
	uint64_t halt_item;       /* halt at the end of the cycle in which this item begins; 0: none */
};

#endif
