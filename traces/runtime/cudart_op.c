/* cudart_op.c - operations, which streams do, and graphs of them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Nodes are done one after the other, each after those that it depends on; of those that may be next the one that was
 * added first.
 */
#include "cudart_op.h"
#include "base/xalloc.h"

/* ---- operations ---- */

void hd__cuda_op_free(struct cuda_op *op)
{
	free(op->args);
	hd__cuda_graph_free(op->graph);
	hd__cuda_graph_memory_drop(op->memory);
	op->args = NULL;
	op->graph = NULL;
	op->memory = NULL;
}

struct cuda_op hd__cuda_op_copy(const struct cuda_op *op)
{
	struct cuda_op copy = *op;

	if (op->args)
		copy.args = memcpy(hd__xcalloc(1, op->function->kernel->args), op->args, op->function->kernel->args);
	if (op->graph)
		copy.graph = hd__cuda_graph_copy(op->graph);
	hd__cuda_graph_memory_hold(op->memory);
	return copy;
}

/* ---- nodes ---- */

struct cuda_node *hd__cuda_node(struct cuda_graph *g, struct cuda_op *op)
{
	struct cuda_node *n = hd__cuda_handle(CUDA_NODE, sizeof *n);

	*n = (struct cuda_node){ .graph = g, .op = *op, .place = g->n, .like = n };
	g->v = hd__xappend((void *)g->v, g->n, sizeof *g->v);
	g->v[g->n++] = n;
	return n;
}

void hd__cuda_depend(struct cuda_node *n, struct cuda_node *on)
{
	n->after = hd__xappend((void *)n->after, n->nafter, sizeof *n->after);
	n->after[n->nafter++] = on;
}

void hd__cuda_node_free(struct cuda_node *n)
{
	hd__cuda_op_free(&n->op);
	free((void *)n->after);
	hd__cuda_release(n);
}

/* What is captured follows what was captured before, whichever stream it was put into: they were put in this order. */
void hd__cuda_graph_append(struct cuda_graph *g, struct cuda_op *op)
{
	struct cuda_node *before = g->n ? g->v[g->n - 1] : NULL, *n = hd__cuda_node(g, op);

	if (before)
		hd__cuda_depend(n, before);
}

/* ---- graphs ---- */

struct cuda_graph *hd__cuda_graph_new(void)
{
	return hd__cuda_handle(CUDA_GRAPH, sizeof(struct cuda_graph));
}

void hd__cuda_graph_free(struct cuda_graph *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		hd__cuda_node_free(g->v[i]);
	free((void *)g->v);
	hd__cuda_release(g);
}

struct cuda_graph *hd__cuda_graph_copy(const struct cuda_graph *g)
{
	struct cuda_graph *copy = hd__cuda_graph_new();

	for (size_t i = 0; i < g->n; i++) {
		struct cuda_op op = hd__cuda_op_copy(&g->v[i]->op);
		struct cuda_node *n = hd__cuda_node(copy, &op);

		n->like = g->v[i];
		n->off = g->v[i]->off;
	}
	for (size_t i = 0; i < g->n; i++)
		for (size_t j = 0; j < g->v[i]->nafter; j++)
			hd__cuda_depend(copy->v[i], copy->v[g->v[i]->after[j]->place]);
	return copy;
}

static bool is_ready(const struct cuda_node *n)
{
	for (size_t i = 0; i < n->nafter; i++)
		if (!n->after[i]->done)
			return false;
	return !n->done;
}

bool hd__cuda_graph_order(struct cuda_graph *g)
{
	struct cuda_node **order = hd__xcalloc(g->n, sizeof *order);
	size_t n = 0, first = 0;

	while (n < g->n) {
		size_t i = first;

		while (i < g->n && !is_ready(g->v[i]))
			i++;
		if (i == g->n)
			break;
		g->v[i]->done = true;
		order[n++] = g->v[i];
		while (first < g->n && g->v[first]->done)
			first++;
	}
	if (n == g->n)
		memcpy((void *)g->v, (const void *)order, n * sizeof *order);
	for (size_t i = 0; i < g->n; i++)
		g->v[i]->place = i;
	free((void *)order);
	return n == g->n;
}

int hd__cuda_graph_do(const struct cuda_graph *g, const struct cuda_stream *stream)
{
	int error = CUDA_SUCCESS;

	for (size_t i = 0; i < g->n && !error; i++)
		if (!g->v[i]->off)
			error = g->v[i]->op.run(&g->v[i]->op, stream);
	return error;
}
