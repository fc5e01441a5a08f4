/* accel.h - private to heddle-accel-sim: its command line, and what it prints
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The command line is Accel-Sim's (args.c).  After every kernel the program prints the figures that
 * scripts collect from Accel-Sim's output, in its format (accel_report.c, caches.c).
 */
#ifndef TOOLS_ACCEL_ACCEL_H
#define TOOLS_ACCEL_ACCEL_H

#include "kernel/sim.h"
#include "base/exit.h"
#include "tools/energy/energy.h"
#include "tools/import/import.h"

/* args.c: the settings go into *im; the rest is for the caller to ask there. */

/* Returns 0, or an exit status + 1: the program has nothing to run, or printed an error. */
int hd__accel_parse(struct hd_import *im, int argc, char **argv);
/* Reports settings that ask for what the program cannot do; they count as errors of *im. */
void hd__accel_refuse(struct hd_import *im);

/* caches.c: instances whose statistics are added up. */

struct hd_accel_group {
	const struct hd_instance **v;
	size_t n;
};

/* The instances of that name in any part of the netlist, or the elements of such arrays.  The caller frees .v. */
struct hd_accel_group hd__accel_find(const struct hd_sim *s, const char *name);
/* The sum of a counter of that name, which their module has; 0 without instances. */
uint64_t hd__accel_sum(const struct hd_accel_group *g, const char *stat);

/* accel_report.c: cumulative figures at the end of a kernel. */
struct hd_accel_point {
	uint64_t cycles, instructions, warp_cycles, slot_cycles, replies;
};

/* power.c */
struct hd_accel_power {
	bool on;
	struct hd_energy_table table;
	struct hd_energy energy;
	json_t *data;  /* accelwattch_counters.json */
	double *scale; /* of its counters, from the XML file */
};

struct hd_accel_report {
	const struct hd_sim *sim;
	struct hd_accel_power power;
	struct hd_accel_group issue, load_store, warps, l1d, l1i, l2, dram, replies;
	bool launch_ids;      /* kernels may end in another order than that of their launches */
	size_t printed;       /* kernels */
	uint64_t thread_blocks;
	struct hd_accel_point last;
	double began;         /* seconds of a clock */
};

void hd__accel_begin(struct hd_accel_report *r, const struct hd_sim *s, bool launch_ids);
void hd__accel_free(struct hd_accel_report *r);
/* Prints the kernels that have ended since it was called last: hd_options.item_over. */
void hd__accel_kernels(void *report);
/* Prints wall time and rates so far. */
void hd__accel_time(const struct hd_accel_report *r);

/* power.c: reads the XML file, and sets the options of the simulation.  False after messages. */
bool hd__accel_power_open(struct hd_accel_power *p, struct hd_import *im, const struct hd_registry *modules,
                          struct hd_options *o, struct hd_diags *d);
/* Writes the report on all kernels.  False after a message. */
bool hd__accel_power_write(struct hd_accel_power *p, bool launch_ids);
void hd__accel_power_free(struct hd_accel_power *p);

/* caches.c: prints totals and breakdowns of the first-level, second-level caches so far. */

void hd__accel_print_core(const struct hd_accel_group *l1d, const struct hd_accel_group *l1i);
void hd__accel_print_l2(const struct hd_accel_group *l2);

#endif
