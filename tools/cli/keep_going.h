/* keep_going.h - kernels of a list that cannot run, and what becomes of them (heddle run --keep-going)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_KEEP_GOING_H
#define TOOLS_CLI_KEEP_GOING_H

#include "kernel/sim.h"

/* A run has ended.  If it failed in a kernel, prints a warning and adds the kernel to those that are
 * left out; the run is to be repeated then. */
bool hd__leave_out(struct hd_options *o, const struct hd_sim *s, enum hd_run_status status,
                   const struct hd_diags *d);
/* Adds a row for each of them to the table "kernels". */
void hd__left_out_rows(const struct hd_options *o, json_t *statistics);

#endif
