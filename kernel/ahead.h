/* ahead.h - partitions run many periods each in turn, with the results of the lock step
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_AHEAD_H
#define KERNEL_AHEAD_H

#include "sim.h"

/* Plans it for a simulation that has started.  NULL: all of it runs in lock step, for the reason in
 * *why, to be freed. */
struct hd_ahead *hd__ahead_new(struct hd_sim *s, char **why);
void hd__ahead_free(struct hd_ahead *a);
/* Between two periods of the first root: runs the next ones, if they may be run partition by partition.
 * Returns how many it were, 0: none; *busy: a process ran in the last of them. */
uint64_t hd__ahead_run(struct hd_sim *s, bool *busy);
/* The most periods of a window; and how often it was shorter, and why: lines of text, to be freed. */
char *hd__ahead_text(const struct hd_ahead *a);

/* Ends of channels may be evaluated at different times, if what is put has
 * the edge with it from which it may be taken. */
bool hd__may_divide(const struct hd_channel *c);

#endif
