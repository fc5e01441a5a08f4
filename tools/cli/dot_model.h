/* dot_model.h - the nodes and edges of a drawing
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_DOT_MODEL_H
#define TOOLS_CLI_DOT_MODEL_H

#include "dot.h"
#include "base/int_map.h"

struct hd_graph_node {
	const struct hd_array *array;
	const char *name;         /* path: "sp", "sp[2]" */
	uint32_t count;           /* elements that it represents */
	bool drawn;               /* an edge touches it */
};

struct hd_graph_edge {
	uint32_t from, to;        /* nodes */
	const struct hd_port *from_port, *to_port;
	const struct hd_channel *channel; /* the first one; NULL: calls */
	uint32_t channels;        /* channels that it represents */
	bool round;               /* not drawn, for others lead there */
	bool back;                /* the arrow points to `from` */
	uint32_t next;            /* of the same nodes: index + 1; 0: none */
	char *names;              /* names in attributes of the links, "SP SFU" */
};

struct hd_graph {
	const struct hd_sim *s;
	const struct hd_graph_options *o;
	FILE *out;                /* of the file that draws it */
	struct hd_graph_node *nodes;
	struct hd_graph_edge *edges;
	size_t nnodes, nedges, cap;
	struct hd_int_map between; /* two nodes -> their first edge + 1 */
	uint32_t *home;           /* with --fold, by array: see graph_fold.h */
};

/* Fills .nodes, .edges and .home; .s and .o are set. */
void hd__graph_make(struct hd_graph *g);
void hd__graph_free(struct hd_graph *g);

#endif
