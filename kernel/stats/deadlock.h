/* deadlock.h - what each buffer holds, and which instances wait for room in one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Of a simulation between two cycles, or at its end.  Nothing is counted for it while the simulation runs.
 */
#ifndef KERNEL_STATS_DEADLOCK_H
#define KERNEL_STATS_DEADLOCK_H

#include "kernel/sim.h"

/* All buffers of a simulation, by name and index: channels, and queues inside of instances. */
struct hd_buffers;
struct hd_buffers *hd__buffers_new(const struct hd_sim *s);
void hd__buffers_free(struct hd_buffers *b); /* NULL: nothing happens */
size_t hd__buffers_count(const struct hd_buffers *b);

/* [ { name, unit, n, capacity, from, to, passed } ] of those whose name fits the pattern, or one of whose
 * ends does; NULL: all.  `from` and `to`, the ports, and `passed`, the payloads put so far modulo 2^32,
 * are of channels only.  At most `most` are taken, and *n is how many there are. */
json_t *hd__buffers_json(const struct hd_buffers *b, const char *pattern, size_t most, size_t *n);
/* The changing numbers of all of them alone, in their order: payloads inside, and payloads put so far, -1
 * for the queues inside of instances. */
json_t *hd__buffers_inside(const struct hd_buffers *b);
json_t *hd__buffers_passed(const struct hd_buffers *b);

/* [ { from, to, buffer, n, reason, why, behind } ]: the output port `from` has no room, for the receiver `to`
 * takes nothing.  `reason` and `why` are the receiver's, if it has any; `behind` is the port of its own for
 * which it waits in turn.  At most `most` are taken, and *n is how many there are. */
json_t *hd__buffers_full(const struct hd_buffers *b, size_t most, size_t *n);

/* deadlock_report.c: struct hd_stats_hooks.deadlock */
void hd__explain_deadlock(struct hd_sim *s);
/* What is pending in the instances whose path fits the pattern, as in hd_sim.deadlock: lines "  PATH: TEXT".
 * To be freed; NULL: none fits. */
char *hd__pending_text(const struct hd_sim *s, const char *pattern);

/* Is there no place for another payload, or no slot of this end? */
bool hd__end_is_full(const struct hd_channel *c, const struct hd_link_end *e);
/* Is there anything in it that this end may take, now or when it becomes visible? */
bool hd__end_has_some(const struct hd_channel *c, const struct hd_link_end *e);
/* Payloads inside. */
uint32_t hd__channel_fill(const struct hd_channel *c);

#endif
