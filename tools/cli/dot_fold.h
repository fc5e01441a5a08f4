/* dot_fold.h - which instances of a drawing are written into the box of another
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_DOT_FOLD_H
#define TOOLS_CLI_DOT_FOLD_H

#include "kernel/sim.h"

#define HD_GRAPH_SHARED UINT32_MAX

/* By array: itself, if it has a box; the array in whose box it is written; or SHARED, if more than
 * half of the processes call it, so that a box would be in the middle of everything.  What is only
 * called has a box if its ports have several phases, since payloads are handed over there: a buffer,
 * a register file.  Else it is written where it is called first, in the order of the links.  The
 * caller frees the result. */
uint32_t *hd__graph_homes(const struct hd_sim *s);

/* Highest phase of a provider's ports: instances that are called last within an edge. */
int hd__graph_last_phase(const struct hd_module *m);

#endif
