/* cudart_graph.c - graphs of operations: made by hand or captured, then launched
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Nodes are done one after the other, each after those that it depends on; of those that may be next the one that was
 * added first.
 */
#include "cudart_op.h"
#include "base/xalloc.h"

/* A graph that can be launched: a copy, whose nodes are in the order in which they are done. */
struct cuda_exec {
	struct cuda_graph *graph;
};

CUDA_API int cudaGraphCreate(void **to, unsigned flags)
{
	int error = hd__cuda_enter();

	(void)flags;
	if (!error)
		*to = hd__cuda_graph_new();
	return hd__cuda_leave(error);
}

CUDA_API int cudaGraphDestroy(void *graph)
{
	int error = hd__cuda_enter();

	if (!hd__cuda_check(graph, CUDA_GRAPH))
		error = CUDA_INVALID_VALUE;
	else
		hd__cuda_graph_free(graph);
	return hd__cuda_leave(error);
}

CUDA_API int cudaGraphClone(void **to, void *graph)
{
	int error = hd__cuda_enter();
	const struct cuda_graph *g = hd__cuda_check(graph, CUDA_GRAPH);

	if (!error && !g)
		error = CUDA_INVALID_VALUE;
	if (!error)
		*to = hd__cuda_graph_copy(g);
	return hd__cuda_leave(error);
}

/* ---- adding nodes ---- */

/* Adds the operation, which it takes over, to the graph.  `error`: that of making it. */
static int add_node(void **to, void *graph, void *const *after, size_t nafter, struct cuda_op *op, int error)
{
	struct cuda_graph *g = hd__cuda_check(graph, CUDA_GRAPH);
	struct cuda_node *n;

	if (!error && !g)
		error = CUDA_INVALID_VALUE;
	for (size_t i = 0; i < nafter && !error; i++)
		if (!hd__cuda_check(after[i], CUDA_NODE))
			error = CUDA_INVALID_VALUE;
	if (error) {
		hd__cuda_op_free(op);
		return hd__cuda_leave(error);
	}
	n = hd__cuda_node(g, op);
	for (size_t i = 0; i < nafter; i++)
		hd__cuda_depend(n, after[i]);
	*to = n;
	return hd__cuda_leave(CUDA_SUCCESS);
}

static int kernel_op(struct cuda_op *op, const struct cuda_kernel_node *p)
{
	*op = (struct cuda_op){ .kind = CUDA_OP_KERNEL };
	if (!p->args && p->extra)
		return hd__cuda_absent("a kernel's node with `extra`");
	return hd__cuda_launch_op(op, p->function, p->grid, p->block, p->shared, p->args);
}

static int set_op(struct cuda_op *op, const struct cuda_memset_node *p)
{
	*op = hd__cuda_set_op((struct cuda_rows){ p->to, p->pitch, 0 }, p->value, p->element,
	                      (struct cuda_extent){ p->width, p->height, 1 });
	return p->element == 1 || p->element == 2 || p->element == 4 ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

static int do_nothing(const struct cuda_op *op, const struct cuda_stream *stream)
{
	(void)op, (void)stream;
	return CUDA_SUCCESS;
}

static int do_graph(const struct cuda_op *op, const struct cuda_stream *stream)
{
	return hd__cuda_graph_do(op->graph, stream);
}

CUDA_API int cudaGraphAddKernelNode(void **to, void *graph, void *const *after, size_t n,
                                    const struct cuda_kernel_node *p)
{
	struct cuda_op op = { .args = NULL };
	int error = hd__cuda_enter();

	return add_node(to, graph, after, n, &op, error ? error : kernel_op(&op, p));
}

CUDA_API int cudaGraphAddMemcpyNode(void **to, void *graph, void *const *after, size_t n, const struct cuda_copy_3d *c)
{
	struct cuda_op op = hd__cuda_copy_3d_op(c);

	if (c->src_array || c->dst_array)
		return hd__cuda_absent("cudaGraphAddMemcpyNode with arrays");
	return add_node(to, graph, after, n, &op, hd__cuda_enter());
}

CUDA_API int cudaGraphAddMemcpyNode1D(void **to, void *graph, void *const *after, size_t n, void *dst, const void *src,
                                      size_t bytes, int direction)
{
	struct cuda_op op = hd__cuda_copy_op(dst, src, bytes, direction);

	return add_node(to, graph, after, n, &op, hd__cuda_enter());
}

CUDA_API int cudaGraphAddMemsetNode(void **to, void *graph, void *const *after, size_t n,
                                    const struct cuda_memset_node *p)
{
	struct cuda_op op;
	int error = hd__cuda_enter(), own = set_op(&op, p);

	return add_node(to, graph, after, n, &op, error ? error : own);
}

CUDA_API int cudaGraphAddHostNode(void **to, void *graph, void *const *after, size_t n, const struct cuda_host_node *p)
{
	struct cuda_op op = hd__cuda_host_op(p->function, p->data);

	return add_node(to, graph, after, n, &op, hd__cuda_enter());
}

CUDA_API int cudaGraphAddEmptyNode(void **to, void *graph, void *const *after, size_t n)
{
	struct cuda_op op = { .kind = CUDA_OP_NOTHING, .run = do_nothing };

	return add_node(to, graph, after, n, &op, hd__cuda_enter());
}

CUDA_API int cudaGraphAddEventRecordNode(void **to, void *graph, void *const *after, size_t n, void *event)
{
	struct cuda_op op = hd__cuda_event_op(event);

	return add_node(to, graph, after, n, &op, hd__cuda_enter());
}

CUDA_API int cudaGraphAddEventWaitNode(void **to, void *graph, void *const *after, size_t n, void *event)
{
	struct cuda_op op = { .kind = CUDA_OP_WAIT, .run = do_nothing, .event = event };

	return add_node(to, graph, after, n, &op, hd__cuda_enter());
}

CUDA_API int cudaGraphAddChildGraphNode(void **to, void *graph, void *const *after, size_t n, void *child)
{
	struct cuda_op op = { .kind = CUDA_OP_GRAPH, .run = do_graph };
	int error = hd__cuda_enter();
	struct cuda_graph *g = hd__cuda_check(child, CUDA_GRAPH);

	if (!error && (!g || child == graph))
		error = CUDA_INVALID_VALUE;
	if (!error)
		op.graph = hd__cuda_graph_copy(g);
	if (!error && !hd__cuda_graph_order(op.graph))
		error = CUDA_INVALID_VALUE;
	return add_node(to, graph, after, n, &op, error);
}

CUDA_API int cudaGraphAddMemAllocNode(void **to, void *graph, void *const *after, size_t n, struct cuda_alloc_node *p)
{
	struct cuda_op op = { .args = NULL };
	int error = hd__cuda_enter();

	if (!error)
		error = hd__cuda_allocate_op(&op, p->bytes);
	if (!error)
		p->at = op.memory->at;
	return add_node(to, graph, after, n, &op, error);
}

CUDA_API int cudaGraphAddMemFreeNode(void **to, void *graph, void *const *after, size_t n, void *p)
{
	struct cuda_op op = { .args = NULL };
	int error = hd__cuda_enter();

	return add_node(to, graph, after, n, &op, error ? error : hd__cuda_free_op(&op, p));
}

CUDA_API int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, const void *edges, size_t n)
{
	int error = hd__cuda_enter();

	(void)edges;
	for (size_t i = 0; i < n && !error; i++) {
		struct cuda_node *a = hd__cuda_check(from[i], CUDA_NODE), *b = hd__cuda_check(to[i], CUDA_NODE);

		if (!a || !b || a->graph != graph || b->graph != graph)
			error = CUDA_INVALID_VALUE;
		else
			hd__cuda_depend(b, a);
	}
	return hd__cuda_leave(error);
}

/* ---- what is in a graph ---- */

CUDA_API int cudaGraphGetNodes(void *graph, void **nodes, size_t *n)
{
	int error = hd__cuda_enter();
	const struct cuda_graph *g = hd__cuda_check(graph, CUDA_GRAPH);

	if (!error && !g)
		error = CUDA_INVALID_VALUE;
	if (error)
		return hd__cuda_leave(error);
	for (size_t i = 0; nodes && i < *n; i++)
		nodes[i] = i < g->n ? g->v[i] : NULL;
	if (!nodes || *n > g->n)
		*n = g->n;
	return hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API int cudaGraphGetRootNodes(void *graph, void **nodes, size_t *n)
{
	int error = hd__cuda_enter();
	const struct cuda_graph *g = hd__cuda_check(graph, CUDA_GRAPH);
	size_t roots = 0;

	if (!error && !g)
		error = CUDA_INVALID_VALUE;
	if (error)
		return hd__cuda_leave(error);
	for (size_t i = 0; i < g->n; i++) {
		if (g->v[i]->nafter)
			continue;
		if (nodes && roots < *n)
			nodes[roots] = g->v[i];
		roots++;
	}
	if (!nodes || *n > roots)
		*n = roots;
	return hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API int cudaGraphNodeGetType(void *node, int *type)
{
	/* as cudaGraphNodeType counts */
	static const int types[] = { [CUDA_OP_KERNEL] = 0, [CUDA_OP_COPY] = 1, [CUDA_OP_SET] = 2, [CUDA_OP_HOST] = 3,
		                     [CUDA_OP_GRAPH] = 4, [CUDA_OP_NOTHING] = 5, [CUDA_OP_WAIT] = 6,
		                     [CUDA_OP_RECORD] = 7, [CUDA_OP_ALLOCATE] = 10, [CUDA_OP_FREE] = 11 };
	int error = hd__cuda_enter();
	const struct cuda_node *n = hd__cuda_check(node, CUDA_NODE);

	if (!error && !n)
		error = CUDA_INVALID_VALUE;
	if (!error)
		*type = types[n->op.kind];
	return hd__cuda_leave(error);
}

/* ---- changing nodes ---- */

/* Another operation of the same kind; the node takes it over. */
static int change(struct cuda_node *n, struct cuda_op *op, int error)
{
	if (!error && (!n || n->op.kind != op->kind))
		error = CUDA_INVALID_VALUE;
	if (error) {
		hd__cuda_op_free(op);
		return hd__cuda_leave(error);
	}
	hd__cuda_op_free(&n->op);
	n->op = *op;
	return hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API int cudaGraphKernelNodeSetParams(void *node, const struct cuda_kernel_node *p)
{
	struct cuda_op op = { .args = NULL };
	int error = hd__cuda_enter();

	return change(hd__cuda_check(node, CUDA_NODE), &op, error ? error : kernel_op(&op, p));
}

CUDA_API int cudaGraphMemcpyNodeSetParams(void *node, const struct cuda_copy_3d *c)
{
	struct cuda_op op = hd__cuda_copy_3d_op(c);
	int error = hd__cuda_enter();

	return change(hd__cuda_check(node, CUDA_NODE), &op, error);
}

CUDA_API int cudaGraphMemcpyNodeSetParams1D(void *node, void *dst, const void *src, size_t bytes, int direction)
{
	struct cuda_op op = hd__cuda_copy_op(dst, src, bytes, direction);
	int error = hd__cuda_enter();

	return change(hd__cuda_check(node, CUDA_NODE), &op, error);
}

CUDA_API int cudaGraphMemsetNodeSetParams(void *node, const struct cuda_memset_node *p)
{
	struct cuda_op op;
	int error = hd__cuda_enter(), own = set_op(&op, p);

	return change(hd__cuda_check(node, CUDA_NODE), &op, error ? error : own);
}

CUDA_API int cudaGraphHostNodeSetParams(void *node, const struct cuda_host_node *p)
{
	struct cuda_op op = hd__cuda_host_op(p->function, p->data);
	int error = hd__cuda_enter();

	return change(hd__cuda_check(node, CUDA_NODE), &op, error);
}

CUDA_API int cudaGraphDestroyNode(void *node)
{
	int error = hd__cuda_enter();
	struct cuda_node *n = hd__cuda_check(node, CUDA_NODE);

	if (!n)
		return hd__cuda_leave(CUDA_INVALID_VALUE);
	for (size_t i = 0; i < n->graph->n; i++) {
		struct cuda_node *other = n->graph->v[i];

		for (size_t j = 0; j < other->nafter; j++)
			if (other->after[j] == n)
				other->after[j--] = other->after[--other->nafter];
	}
	memmove((void *)&n->graph->v[n->place], (void *)&n->graph->v[n->place + 1],
	        (n->graph->n - n->place - 1) * sizeof *n->graph->v);
	n->graph->n--;
	for (size_t i = n->place; i < n->graph->n; i++)
		n->graph->v[i]->place = i;
	hd__cuda_node_free(n);
	return hd__cuda_leave(error);
}

/* ---- graphs that can be launched ---- */

CUDA_API int cudaGraphInstantiate(void **to, void *graph, unsigned long long flags)
{
	int error = hd__cuda_enter();
	const struct cuda_graph *g = hd__cuda_check(graph, CUDA_GRAPH);
	struct cuda_graph *copy;
	struct cuda_exec *x;

	(void)flags;
	if (!error && !g)
		error = CUDA_INVALID_VALUE;
	if (error)
		return hd__cuda_leave(error);
	copy = hd__cuda_graph_copy(g);
	if (!hd__cuda_graph_order(copy)) {
		hd__cuda_graph_free(copy);
		return hd__cuda_leave(CUDA_INVALID_VALUE);
	}
	x = hd__cuda_handle(CUDA_EXEC, sizeof *x);
	x->graph = copy;
	*to = x;
	return hd__cuda_leave(CUDA_SUCCESS);
}
CUDA_ALSO(cudaGraphInstantiate, cudaGraphInstantiateWithFlags);

CUDA_API int cudaGraphExecDestroy(void *exec)
{
	int error = hd__cuda_enter();
	struct cuda_exec *x = hd__cuda_check(exec, CUDA_EXEC);

	if (!x)
		return hd__cuda_leave(CUDA_INVALID_VALUE);
	hd__cuda_graph_free(x->graph);
	hd__cuda_release(x);
	return hd__cuda_leave(error);
}

CUDA_API int cudaGraphLaunch(void *exec, void *stream)
{
	int error = hd__cuda_enter();
	const struct cuda_exec *x = hd__cuda_check(exec, CUDA_EXEC);
	const struct cuda_stream *s = hd__cuda_stream(stream);
	struct cuda_op op = { .kind = CUDA_OP_GRAPH, .run = do_graph };

	if (!error && (!x || !s))
		error = x ? CUDA_INVALID_HANDLE : CUDA_INVALID_VALUE;
	if (!error && s->capture) {
		op.graph = hd__cuda_graph_copy(x->graph);
		error = hd__cuda_put(stream, &op);
	} else if (!error) {
		error = hd__cuda_graph_do(x->graph, s);
	}
	return hd__cuda_leave(error);
}
CUDA_ALSO(cudaGraphLaunch, cudaGraphLaunch_ptsz);

CUDA_API int cudaGraphUpload(void *exec, void *stream)
{
	int error = hd__cuda_enter();

	(void)stream;
	if (!error && !hd__cuda_check(exec, CUDA_EXEC))
		error = CUDA_INVALID_VALUE;
	return hd__cuda_leave(error);
}
CUDA_ALSO(cudaGraphUpload, cudaGraphUpload_ptsz);

/* The node of an exec that came of this one of its graph. */
static struct cuda_node *node_in(void *exec, const void *node)
{
	const struct cuda_exec *x = hd__cuda_check(exec, CUDA_EXEC);

	for (size_t i = 0; x && i < x->graph->n; i++)
		if (x->graph->v[i]->like == node)
			return x->graph->v[i];
	return NULL;
}

CUDA_API int cudaGraphExecKernelNodeSetParams(void *exec, void *node, const struct cuda_kernel_node *p)
{
	struct cuda_op op = { .args = NULL };
	int error = hd__cuda_enter();

	return change(node_in(exec, node), &op, error ? error : kernel_op(&op, p));
}

CUDA_API int cudaGraphExecMemcpyNodeSetParams1D(void *exec, void *node, void *dst, const void *src, size_t bytes,
                                                int direction)
{
	struct cuda_op op = hd__cuda_copy_op(dst, src, bytes, direction);
	int error = hd__cuda_enter();

	return change(node_in(exec, node), &op, error);
}

CUDA_API int cudaGraphExecMemsetNodeSetParams(void *exec, void *node, const struct cuda_memset_node *p)
{
	struct cuda_op op;
	int error = hd__cuda_enter(), own = set_op(&op, p);

	return change(node_in(exec, node), &op, error ? error : own);
}

CUDA_API int cudaGraphExecHostNodeSetParams(void *exec, void *node, const struct cuda_host_node *p)
{
	struct cuda_op op = hd__cuda_host_op(p->function, p->data);
	int error = hd__cuda_enter();

	return change(node_in(exec, node), &op, error);
}

CUDA_API int cudaGraphNodeSetEnabled(void *exec, void *node, unsigned on)
{
	int error = hd__cuda_enter();
	struct cuda_node *n = node_in(exec, node);

	if (!error && !n)
		error = CUDA_INVALID_VALUE;
	if (!error)
		n->off = !on;
	return hd__cuda_leave(error);
}

/* The nodes of another graph of the same shape. */
CUDA_API int cudaGraphExecUpdate(void *exec, void *graph, void *result)
{
	int error = hd__cuda_enter();
	struct cuda_exec *x = hd__cuda_check(exec, CUDA_EXEC);
	struct cuda_graph *g = hd__cuda_check(graph, CUDA_GRAPH), *copy;
	bool same;

	if (!error && (!x || !g))
		error = CUDA_INVALID_VALUE;
	if (error)
		return hd__cuda_leave(error);
	copy = hd__cuda_graph_copy(g);
	same = hd__cuda_graph_order(copy) && copy->n == x->graph->n;
	for (size_t i = 0; i < copy->n && same; i++)
		same = copy->v[i]->op.kind == x->graph->v[i]->op.kind;
	if (result)
		*(int *)result = !same; /* cudaGraphExecUpdateError without further words */
	if (same) {
		hd__cuda_graph_free(x->graph);
		x->graph = copy;
	} else {
		hd__cuda_graph_free(copy);
	}
	return hd__cuda_leave(same ? CUDA_SUCCESS : CUDA_GRAPH_UPDATE_FAILURE);
}
