/* rollback.h - what happens in a window that the lock step has to do again
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A window (hd_sim.in_window) is a part of a run in which partitions are at different edges.
 */
#ifndef KERNEL_ROLLBACK_H
#define KERNEL_ROLLBACK_H

#include "sim.h"

/* Something has happened that other domains would have seen or preceded: `what` the instance, or NULL, does.
 * Nothing outside of windows. */
void hd__roll_back(struct hd_sim *s, const struct hd_instance *in, const char *what);
static inline bool hd__rolled_back(const struct hd_sim *s)
{
	return __atomic_load_n(&s->rollback, __ATOMIC_ACQUIRE) != NULL;
}

/* This thread evaluates the instance that others wait for, as all that comes before in lock step has been evaluated;
 * or it does not any more. */
void hd__take_turn(struct hd_sim *s, bool takes);
bool hd__in_turn(const struct hd_sim *s);
/* hd__roll_back(), but for the instance that others wait for: all that comes before in lock step has been. */
void hd__roll_back_order(struct hd_sim *s, const struct hd_instance *in, const char *what);

#endif
