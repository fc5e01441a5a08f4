/* synthesis_graph.c - the graph of a program for the synthesis of control words
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Its edges are those along which any policy can lead lanes, and the steps from line to line that the
 * warps of the trace make.  A function is in it once: that it returns to where it was not called from is
 * possible in the graph, and does no harm.
 */
#include "synthesis.h"

#include <stdlib.h>

#define NONE UINT32_MAX

/* ---- points --------------------------------------------------------------------------------- */

struct key {
	uint32_t pc, index;
	const char *text;
	size_t len;
};

static int same(const struct key *x, const struct key *y)
{
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->text, y->text, x->len);
}

static int by_text(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int c = same(x, y);

	return c ? c : (x->index > y->index) - (x->index < y->index);
}

/* Instructions that differ in the immediate are one point. */
static int make_points(struct synth *s)
{
	uint32_t n = s->code->n;
	struct key *key = calloc(n + 1, sizeof *key);

	s->of = calloc(n + 1, sizeof *s->of);
	s->point = calloc(n + 1, sizeof *s->point);
	if (!key || !s->of || !s->point) {
		free(key);
		return -1;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_static *v = &s->code->v[i];

		key[i] = (struct key){ v->pc, i, v->text + v->rest, v->key - v->rest };
	}
	qsort(key, n, sizeof *key, by_text);
	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || same(&key[i], &key[i - 1]) != 0)
			s->point[s->n++].index = key[i].index;
		s->of[key[i].index] = s->n - 1;
	}
	free(key);
	return 0;
}

/* ---- edges ---------------------------------------------------------------------------------- */

/* Puts edges in the order of one of their ends, and leaves those with the same one in theirs.  count: n + 1 numbers. */
static void order_by(const struct trace_way *v, size_t edges, bool from, uint32_t *count, uint32_t n,
                     struct trace_way *to)
{
	memset(count, 0, ((size_t)n + 1) * sizeof *count);
	for (size_t i = 0; i < edges; i++)
		count[(from ? v[i].from : v[i].to) + 1]++;
	for (uint32_t i = 0; i < n; i++)
		count[i + 1] += count[i];
	for (size_t i = 0; i < edges; i++)
		to[count[from ? v[i].from : v[i].to]++] = v[i];
}

/* Sorts edges between n points, by their begins and then their ends.  Returns -1 without memory. */
static int sort_edges(struct trace_way *v, size_t edges, uint32_t n)
{
	uint32_t *count = malloc(((size_t)n + 1) * sizeof *count);
	struct trace_way *half = malloc((edges + 1) * sizeof *half);
	int bad = count && half ? 0 : -1;

	if (!bad) {
		order_by(v, edges, false, count, n, half);
		order_by(half, edges, true, count, n, v);
	}
	free(count);
	free(half);
	return bad;
}

/* All edges, each once; *n: how many. */
static struct trace_way *collect(struct synth *s, const struct trace_program *p,
                                 const struct trace_ways *ways, size_t *n)
{
	struct trace_way *v = malloc((ways->n + 2 * (size_t)p->n + 1) * sizeof *v);
	size_t m = 0;

	if (!v)
		return NULL;
	for (size_t i = 0; i < ways->n; i++)
		v[m++] = (struct trace_way){ s->of[ways->v[i].from], s->of[ways->v[i].to] };
	for (uint32_t i = 0; i < p->n; i++) {
		const struct hd_path_node *node = &p->node[i];
		uint32_t from = s->of[p->place[i].index];

		s->point[from].guarded |= p->place[i].passed;
		s->point[from].parts |= node->next != HD_PATH_NONE && node->target != HD_PATH_NONE;
		if (node->next != HD_PATH_NONE)
			v[m++] = (struct trace_way){ from, s->of[p->place[node->next].index] };
		if (node->target != HD_PATH_NONE)
			v[m++] = (struct trace_way){ from, s->of[p->place[node->target].index] };
	}
	if (sort_edges(v, m, s->n)) {
		free(v);
		return NULL;
	}
	*n = 0;
	for (size_t i = 0; i < m; i++)
		if (*n == 0 || v[i].from != v[*n - 1].from || v[i].to != v[*n - 1].to)
			v[(*n)++] = v[i];
	return v;
}

/* Sorted edges as two arrays.  Returns -1 without memory. */
static int split(const struct trace_way *v, size_t edges, uint32_t n, uint32_t **at, uint32_t **to)
{
	*at = calloc((size_t)n + 2, sizeof **at);
	*to = malloc((edges + 1) * sizeof **to);
	if (!*at || !*to)
		return -1;
	for (size_t i = 0; i < edges; i++) {
		(*at)[v[i].from + 1]++;
		(*to)[i] = v[i].to;
	}
	for (uint32_t i = 0; i < n; i++)
		(*at)[i + 1] += (*at)[i];
	return 0;
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Numbers the points that are reached from `root` and have no number from *left - 1 down. */
static void number_from(const struct synth *s, uint32_t root, uint32_t *number, uint32_t *left,
                        uint32_t *stack, uint32_t *next)
{
	uint32_t depth = 0;

	if (number[root] != NONE)
		return;
	stack[depth++] = root;
	number[root] = 0;
	next[root] = s->after[root];
	while (depth > 0) {
		uint32_t at = stack[depth - 1];

		if (next[at] == s->after[at + 1]) {
			number[at] = --*left;
			depth--;
			continue;
		}
		at = s->to[next[at]++];
		if (number[at] == NONE) {
			number[at] = 0;
			next[at] = s->after[at];
			stack[depth++] = at;
		}
	}
}

/* The place of each point in reverse postorder: behind all that lead to it, but for the ends of loops. */
static int number_points(const struct synth *s, const struct trace_way *v, size_t edges,
                         uint32_t *number)
{
	uint32_t *stack = malloc((s->n + 1) * sizeof *stack), left = s->n;
	uint32_t *next = malloc((s->n + 1) * sizeof *next);
	bool *led = calloc(s->n + 1, sizeof *led);
	int full = stack && next && led ? 0 : -1;

	for (uint32_t i = 0; i < s->n; i++)
		number[i] = NONE;
	for (size_t i = 0; i < edges && !full; i++)
		led[v[i].to] = true;
	/* Numbers go down, so the first beginning comes last. */
	for (uint32_t i = s->n; i-- > 0 && !full;)
		if (!led[i])
			number_from(s, i, number, &left, stack, next);
	for (uint32_t i = 0; i < s->n && !full; i++)
		number_from(s, i, number, &left, stack, next);
	free(stack);
	free(next);
	free(led);
	return full;
}

static int renumber(struct synth *s, struct trace_way *v, size_t edges)
{
	uint32_t *number = malloc((s->n + 1) * sizeof *number);
	struct synth_point *sorted = malloc((s->n + 1) * sizeof *sorted);
	int bad = number && sorted ? number_points(s, v, edges, number) : -1;

	if (bad) {
		free(number);
		free(sorted);
		return -1;
	}
	for (uint32_t i = 0; i < s->n; i++)
		sorted[number[i]] = s->point[i];
	free(s->point);
	s->point = sorted;
	for (uint32_t i = 0; i < s->code->n; i++)
		s->of[i] = number[s->of[i]];
	for (size_t i = 0; i < edges; i++)
		v[i] = (struct trace_way){ number[v[i].from], number[v[i].to] };
	free(number);
	return 0;
}

/* The edges of the numbered points, in both directions. */
static int link(struct synth *s, struct trace_way *v, size_t edges)
{
	free(s->after);
	free(s->to);
	s->after = s->to = NULL;
	if (sort_edges(v, edges, s->n) || split(v, edges, s->n, &s->after, &s->to))
		return -1;
	for (size_t i = 0; i < edges; i++)
		v[i] = (struct trace_way){ v[i].to, v[i].from };
	return sort_edges(v, edges, s->n) ? -1 : split(v, edges, s->n, &s->before, &s->from);
}

/* A block ends where there are two ways on, or another way comes in. */
static int make_blocks(struct synth *s)
{
	s->block = malloc((s->n + 1) * sizeof *s->block);
	s->in_block = malloc((s->n + 1) * sizeof *s->in_block);
	s->due = malloc((s->n + 1) * sizeof *s->due);
	if (!s->block || !s->in_block || !s->due)
		return -1;
	for (uint32_t i = 0; i < s->n; i++) {
		bool goes_on = i > 0 && s->after[i] - s->after[i - 1] == 1 && s->to[s->after[i - 1]] == i
		               && s->before[i + 1] - s->before[i] == 1;

		if (!goes_on)
			s->block[s->blocks++] = i;
		s->in_block[i] = s->blocks - 1;
	}
	s->block[s->blocks] = s->n;
	return 0;
}

int hd__trace_synth_graph(struct synth *s, const struct trace_program *p,
                          const struct trace_ways *ways)
{
	struct trace_way *v;
	size_t edges;
	int bad;

	if (make_points(s) || !(v = collect(s, p, ways, &edges)))
		return -1;
	bad = split(v, edges, s->n, &s->after, &s->to) || renumber(s, v, edges) || link(s, v, edges)
	      || make_blocks(s);
	free(v);
	return bad ? -1 : 0;
}

void hd__trace_synth_forward(struct synth *s, bool (*pass)(void *arg, uint32_t block), void *arg)
{
	bool more = true;

	memset(s->due, 1, s->blocks * sizeof *s->due);
	while (more) {
		more = false;
		for (uint32_t b = 0; b < s->blocks; b++) {
			uint32_t last = s->block[b + 1] - 1;
			bool grows = s->due[b];

			s->due[b] = false;
			grows = grows && pass(arg, b);
			more |= grows;
			for (uint32_t k = s->after[last]; grows && k < s->after[last + 1]; k++)
				s->due[s->in_block[s->to[k]]] = true;
		}
	}
}

void hd__trace_synth_free(struct synth *s)
{
	free(s->point);
	free(s->of);
	free(s->after);
	free(s->to);
	free(s->before);
	free(s->from);
	free(s->block);
	free(s->in_block);
	free(s->due);
	*s = (struct synth){ 0 };
}
