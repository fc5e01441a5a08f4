/* run_ahead.h - partitions run many periods each in turn, with the results of the lock step
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_PARALLEL_RUN_AHEAD_H
#define KERNEL_PARALLEL_RUN_AHEAD_H

#include "kernel/sim.h"

/* Plans it for a simulation that has started.  NULL: all of it runs in lock step, for the reason in
 * *why, to be freed. */
struct hd_ahead *hd__ahead_new(struct hd_sim *s, char **why);
void hd__ahead_free(struct hd_ahead *a);
/* Between two periods of the first root: runs the next ones, if they may be run partition by partition.
 * Returns how many moments it were, 0: none; *busy: a process ran in the last of them.  With hd_sim.rollback after it they
 * are not those of the lock step, and the run is to be begun again. */
uint64_t hd__ahead_run(struct hd_sim *s, bool *busy);
/* Have there been windows?  Then processes may have been evaluated that slept in lock step, which shows
 * only in where a run ends in which nothing happens any more. */
bool hd__ahead_has_run(const struct hd_ahead *a);
/* Something has happened that other domains would have seen or preceded: `what` the instance, or NULL, does.
 * Nothing outside of windows. */
void hd__roll_back(struct hd_sim *s, const struct hd_instance *in, const char *what);
static inline bool hd__rolled_back(const struct hd_sim *s)
{
	return __atomic_load_n(&s->rollback, __ATOMIC_ACQUIRE) != NULL;
}

/* The instance that others wait for is evaluated by this thread, as all that comes before in lock step has been; or it is
 * not any more. */
void hd__take_turn(struct hd_sim *s, bool takes);
bool hd__in_turn(const struct hd_sim *s);
/* The same, but for the instance that others wait for: all that comes before in lock step has been. */
void hd__roll_back_order(struct hd_sim *s, const struct hd_instance *in, const char *what);
/* Its windows: how many, how long, how many were shorter or too short, and why: lines of text, to be freed. */
char *hd__ahead_text(const struct hd_ahead *a);

#endif
