/* meet.c - immediate post-dominators: where lanes that part meet again at the latest
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The algorithm of Cooper, Harvey and Kennedy ("A simple, fast dominance algorithm") on the reversed
 * graph, whose root is a virtual end behind the instructions from which no lane goes on.  An
 * instruction where some lanes end and others go on has no edge to it (docs/sm.md, DV6): a guarded
 * EXIT does not move the place where the lanes meet that stay.
 */
#include "kernel_program.h"

#include <stdlib.h>

struct graph {
	const struct hd_path_node *node;
	uint32_t n;         /* nodes; n itself is the virtual end */
	uint32_t *from, *more; /* by node: the first that has it as .target; the next one of these */
	uint32_t *order;    /* reverse postorder from the end */
	uint32_t *number;   /* by node: postorder number; NOWHERE: not reached */
	uint32_t *up;       /* immediate post-dominator */
	uint32_t *stack, *state;
	uint32_t reached;
	bool *leaves;       /* has an edge to the end */
};

#define NONE HD_PATH_NONE

/* The predecessors of u one by one: *state is 0 before the first.  NONE: no more. */
static uint32_t before(const struct graph *g, uint32_t u, uint32_t *state)
{
	uint32_t k;

	if (*state == 0) {
		*state = g->from[u] + 2; /* NONE becomes 1: the last */
		if (u > 0 && g->node[u - 1].next == u)
			return u - 1;
	}
	if (*state == 1)
		return NONE;
	k = *state - 2;
	*state = g->more[k] + 2;
	return k;
}

/* Numbers u and the nodes that lead to it in postorder.  Returns u. */
static uint32_t number_from(struct graph *g, uint32_t u, uint32_t mark[])
{
	uint32_t depth = 1;

	if (mark[u] != NONE)
		return u;
	g->stack[0] = u;
	g->state[u] = 0;
	mark[u] = 0;
	while (depth > 0) {
		uint32_t at = g->stack[depth - 1], k = before(g, at, &g->state[at]);

		if (k == NONE) {
			mark[at] = g->reached++;
			depth--;
		} else if (mark[k] == NONE) {
			mark[k] = 0;
			g->state[k] = 0;
			g->stack[depth++] = k;
		}
	}
	return u;
}

/* The node to which u leads that is in the fewest calls, the last of several. */
static uint32_t outermost(struct graph *g, uint32_t u, uint32_t mark[])
{
	uint32_t depth = 1, best = u;

	g->stack[0] = u;
	mark[u] = 0;
	while (depth > 0) {
		uint32_t at = g->stack[--depth];
		const uint32_t to[2] = { g->node[at].next, g->node[at].target };

		if (g->node[at].depth < g->node[best].depth
		    || (g->node[at].depth == g->node[best].depth && at > best))
			best = at;
		for (int i = 0; i < 2; i++)
			if (to[i] != NONE && mark[to[i]] == NONE) {
				mark[to[i]] = 0;
				g->stack[depth++] = to[i];
			}
	}
	return best;
}

/* Loops that lanes leave only by guarded EXITs lead to no end.  Such a loop gets one behind its last
 * instruction, as if the branch back were not taken there.  Returns false without memory. */
static bool number_rest(struct graph *g)
{
	uint32_t *mark = malloc(g->n * sizeof *mark), counted = g->reached;

	if (!mark)
		return false;
	while (counted < g->n) {
		uint32_t root = NONE, best;

		/* The root of the last tree is in a component that leads to no other. */
		memcpy(mark, g->number, g->n * sizeof *mark);
		for (uint32_t u = 0; u < g->n; u++)
			if (mark[u] == NONE)
				root = number_from(g, u, mark);
		memset(mark, 0xff, g->n * sizeof *mark);
		best = outermost(g, root, mark);
		g->leaves[best] = true;
		g->reached = counted;
		number_from(g, best, g->number);
		counted = g->reached;
	}
	free(mark);
	return true;
}

static void number(struct graph *g)
{
	memset(g->number, 0xff, ((size_t)g->n + 1) * sizeof *g->number);
	memset(g->from, 0xff, (size_t)g->n * sizeof *g->from);
	for (uint32_t u = g->n; u-- > 0;) {
		uint32_t t = g->node[u].target;

		g->leaves[u] = g->node[u].next == NONE && t == NONE;
		if (t != NONE) {
			g->more[u] = g->from[t];
			g->from[t] = u;
		}
	}
	g->reached = 0;
	for (uint32_t u = 0; u < g->n; u++)
		if (g->leaves[u])
			number_from(g, u, g->number);
}

static uint32_t common(const struct graph *g, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (g->number[a] < g->number[b])
			a = g->up[a];
		while (g->number[b] < g->number[a])
			b = g->up[b];
	}
	return a;
}

static void climb(struct graph *g)
{
	bool changed = true;

	g->number[g->n] = g->n;
	for (uint32_t u = 0; u < g->n; u++) {
		g->order[g->n - 1 - g->number[u]] = u;
		g->up[u] = NONE;
	}
	g->up[g->n] = g->n;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < g->n; i++) {
			uint32_t u = g->order[i], up = NONE;
			const uint32_t to[3] = { g->leaves[u] ? g->n : NONE, g->node[u].next,
			                         g->node[u].target };

			for (int j = 0; j < 3; j++)
				if (to[j] != NONE && g->up[to[j]] != NONE)
					up = up == NONE ? to[j] : common(g, up, to[j]);
			changed |= up != g->up[u];
			g->up[u] = up;
		}
	}
}

int hd__trace_meet(struct hd_path_node *node, uint32_t n)
{
	size_t row = (size_t)n + 1;
	struct graph g = { .node = node, .n = n };
	uint32_t *all = malloc(row * 7 * sizeof *all);
	bool done;

	g.leaves = calloc(row, sizeof *g.leaves);
	done = all && g.leaves;
	if (done) {
		g.from = all;
		g.more = g.from + row;
		g.order = g.more + row;
		g.number = g.order + row;
		g.up = g.number + row;
		g.stack = g.up + row;
		g.state = g.stack + row;
		number(&g);
		done = number_rest(&g);
	}
	if (done) {
		climb(&g);
		for (uint32_t u = 0; u < n; u++)
			node[u].meet = g.up[u] == n ? NONE : g.up[u];
	}
	free(all);
	free(g.leaves);
	return done ? 0 : -1;
}
