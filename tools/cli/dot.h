/* dot.h - a simulation as a drawing
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_DOT_H
#define TOOLS_CLI_DOT_H

#include "kernel/sim.h"

struct hd_graph_options {
	bool expand;             /* every element of an array, else one box "x4" */
	bool interfaces;         /* draw calls as well */
	bool fold;               /* what is only called stands in the box of an instance that calls
	                          * it (graph_fold.h); not with .expand */
	const char *only;        /* only calls of these types, "ibuffer,cache"; NULL: all */
	enum { HD_GROUP_PATH, HD_GROUP_CLOCK, HD_GROUP_NONE } group; /* what a frame is around */
};

/* Writes the drawing in graphviz's language. */
void hd__graph_dot(const struct hd_sim *s, const struct hd_graph_options *o, FILE *out);

#endif
