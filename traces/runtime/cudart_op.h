/* cudart_op.h - operations, which streams do, and graphs of them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_RUNTIME_CUDART_OP_H
#define TRACES_RUNTIME_CUDART_OP_H

#include "cudart.h"

struct cuda_node {
	struct cuda_graph *graph;
	struct cuda_op op;
	const struct cuda_node *like; /* the node that it is a copy of, for those who know that one */
	bool off;                     /* left out when it is launched */
	size_t place;                 /* in the graph, */
	bool done;                    /* and while an order is looked for */
	struct cuda_node **after;     /* that it depends on */
	size_t nafter;
};

struct cuda_graph {
	struct cuda_node **v;
	size_t n;
};

/* ---- cudart_async.c ---- */

/* Operations that allocate memory of a graph, and free it. */
int hd__cuda_allocate_op(struct cuda_op *op, size_t bytes);
int hd__cuda_free_op(struct cuda_op *op, const void *p);

/* ---- cudart_op.c ---- */

void hd__cuda_op_free(struct cuda_op *op);
/* The operation, which it takes over, at the end of the graph. */
struct cuda_node *hd__cuda_node(struct cuda_graph *g, struct cuda_op *op);
void hd__cuda_depend(struct cuda_node *n, struct cuda_node *on);
void hd__cuda_node_free(struct cuda_node *n);
/* What is put into a captured stream; takes over the operation. */
void hd__cuda_graph_append(struct cuda_graph *g, struct cuda_op *op);
struct cuda_graph *hd__cuda_graph_new(void);
struct cuda_graph *hd__cuda_graph_copy(const struct cuda_graph *g);
void hd__cuda_graph_free(struct cuda_graph *g);
/* Puts the nodes into an order in which they can be done.  False: they depend on each other in a circle. */
bool hd__cuda_graph_order(struct cuda_graph *g);
int hd__cuda_graph_do(const struct cuda_graph *g, const struct cuda_stream *stream);

#endif
