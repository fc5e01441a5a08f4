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
/* The row that each of them has in the table "kernels", behind those of kernels that ran.  The caller owns it. */
json_t *hd__left_out_row(const struct hd_left_out *k);

#endif
