/* kernel_program.c - the program of a kernel: its instructions in order, and where lanes go from each
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Divergence.  A tracer does not record targets; they follow from where lanes are seen
 * next.
 */
#include "kernel_program.h"

#include <inttypes.h>
#include <stdlib.h>

static uint32_t pc_of(const struct trace_code *code, uint32_t index)
{
	return code->v[index].pc;
}

struct key {
	uint32_t context, pc, site;
};

static int compare(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

/* Two instructions at one pc of a function: lanes could not execute both together. */
static int differ(const struct trace_code *code, const struct trace_static *a,
                  const struct trace_static *b)
{
	struct hd_inst x, y;

	if (a == b)
		return 0;
	memcpy(&x, a->head, sizeof a->head);
	memcpy(&y, b->head, sizeof b->head);
	if (x.opcode == y.opcode)
		return 0;
	return hd__trace_error(code->text->host, "%s: pc %04" PRIx32 " has '%s' in one line and '%s' in another; "
	                       "expected one instruction at a pc of a function", code->text->name, a->pc,
	                       code->names->v[x.opcode], code->names->v[y.opcode]);
}

/* Numbers the nodes.  Sites of one context with the same pc, which differ in an immediate, are one. */
static int place(struct trace_program *p, struct trace_site *site, struct key *key, uint32_t keys,
                  const struct trace_code *code)
{
	uint32_t n = 0;

	qsort(key, keys, sizeof *key, compare);
	for (uint32_t i = 0; i < keys; i++) {
		struct trace_context *c = &p->context[key[i].context];
		const struct trace_site *s = &site[key[i].site];

		if (i == 0 || key[i].context != key[i - 1].context || key[i].pc != key[i - 1].pc) {
			p->place[n] = (struct trace_place){ .index = s->index,
				                            .context = s->context };
			p->node[n++] = (struct hd_path_node){ .pc = pc_of(code, s->index),
				.depth = c->depth, .next = HD_PATH_NONE, .target = HD_PATH_NONE };
			if (c->end == 0)
				c->first = n - 1;
			c->end = n;
		}
		if (differ(code, &code->v[p->place[n - 1].index], &code->v[s->index]))
			return -1;
		site[key[i].site].node = n - 1;
		c->site[s->index - c->lo] = n;
	}
	p->n = n;
	return 0;
}

static bool jumps(const struct trace_site *s, const struct trace_code *code)
{
	return s->index != TRACE_NOWHERE && code->v[s->index].flow != TRACE_FLOW_ON;
}

/* The target of each branch: the first instruction at which its lanes are seen next. */
static void aim(struct trace_program *p, const struct trace_site *site, size_t n,
                const struct trace_edge *edge, const struct trace_code *code)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t *target;

		if (!jumps(&site[i], code))
			continue;
		target = &p->node[site[i].node].target;
		for (uint32_t e = site[i].edges; e; e = edge[e - 1].next) {
			uint32_t to = site[edge[e - 1].to].node;

			if (to < *target)
				*target = to;
		}
	}
}

/* Branches back that the trace lacks. */
static void aim_back(struct trace_program *p, const struct trace_site *site, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t *target, to;

		if (site[i].back == TRACE_NOWHERE)
			continue;
		target = &p->node[site[i].node].target;
		to = site[site[i].back].node;
		*target = to < *target ? to : *target;
		p->place[site[i].node].back = true;
	}
}

/* Where lanes stand that come from a site and are seen at `to` next; *fallen: as below. */
static uint32_t stand(const struct trace_program *p, const struct trace_site *site, size_t i,
                      uint32_t to, const struct trace_code *code, int32_t *fallen)
{
	uint32_t from = site[site[i].index == TRACE_NOWHERE ? site[i].begin : i].node, at = from;

	if (jumps(&site[i], code))
		return p->node[from].target;
	if (to > from || site[i].index == TRACE_NOWHERE)
		return from;
	/* The first way back that leads before it; the one of the site is among them. */
	while (!p->place[at].back || p->node[at].target > to)
		at++;
	fallen[from]++;
	fallen[at]--;
	return p->node[at].target;
}

/* Lanes that are seen at `to` next have fallen through all from where they stood up to it.  fallen[i]
 * counts the stretches that begin at node i, less those that end there; own[i] those of them whose lanes
 * have executed node i. */
static void fall(struct trace_program *p, const struct trace_site *site, size_t n,
                 const struct trace_edge *edge, const struct trace_code *code, int32_t *fallen,
                 int32_t *own)
{
	int64_t through = 0;

	for (size_t i = 0; i < n; i++)
		for (uint32_t e = site[i].edges; e; e = edge[e - 1].next) {
			uint32_t to = site[edge[e - 1].to].node;

			fallen[stand(p, site, i, to, code, fallen)]++;
			fallen[to]--;
			if (site[i].index != TRACE_NOWHERE && !jumps(&site[i], code))
				own[site[i].node]++;
		}
	for (uint32_t k = 0; k < p->n; k++) {
		through += fallen[k];
		if (through > 0)
			p->node[k].next = k + 1;
		p->place[k].passed = through > own[k];
	}
	for (uint32_t k = 0; k + 1 < p->n; k++)
		if (p->node[k].target == k + 1 && p->place[k].context == p->place[k + 1].context) {
			p->node[k].next = k + 1; /* whether or not a lane branches */
			p->node[k].target = HD_PATH_NONE;
		}
}

int hd__trace_program_make(struct trace_program *p, struct trace_site *site, size_t n,
                           const struct trace_edge *edge, const struct trace_code *code)
{
	struct key *key = malloc((n + 1) * sizeof *key);
	int32_t *fallen = calloc(2 * (n + 1), sizeof *fallen);
	uint32_t keys = 0;
	bool full = false;
	int bad = -1;

	p->node = malloc((n + 1) * sizeof *p->node);
	p->place = malloc((n + 1) * sizeof *p->place);
	if (key && fallen && p->node && p->place) {
		for (size_t i = 0; i < n; i++)
			if (site[i].index != TRACE_NOWHERE)
				key[keys++] = (struct key){ site[i].context,
					pc_of(code, site[i].index), (uint32_t)i };
		bad = place(p, site, key, keys, code);
		if (!bad) {
			aim(p, site, n, edge, code);
			aim_back(p, site, n);
			fall(p, site, n, edge, code, fallen, fallen + n + 1);
			full = hd__trace_meet(p->node, p->n);
		}
	} else {
		full = true;
	}
	free(key);
	free(fallen);
	if (full)
		return hd__trace_error(code->text->host, "%s: out of memory for the program of the kernel",
		                       code->text->name);
	return bad;
}

void hd__trace_program_free(struct trace_program *p)
{
	for (size_t i = 0; i < p->contexts; i++)
		free(p->context[i].site);
	free(p->context);
	free(p->node);
	free(p->place);
	*p = (struct trace_program){ 0 };
}

uint32_t hd__trace_program_find(const struct trace_program *p, uint32_t context, uint32_t pc)
{
	uint32_t lo = p->context[context].first, hi = p->context[context].end;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->node[mid].pc == pc)
			return mid;
		if (p->node[mid].pc < pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return TRACE_NOWHERE;
}

uint32_t hd__trace_program_at(const struct trace_program *p, uint32_t pc, uint32_t near)
{
	uint32_t at;

	if (near + 1 < p->n && p->node[near + 1].pc == pc
	    && p->place[near + 1].context == p->place[near].context)
		return near + 1;
	at = near < p->n ? hd__trace_program_find(p, p->place[near].context, pc) : TRACE_NOWHERE;
	for (uint32_t c = 0; at == TRACE_NOWHERE && c < p->contexts; c++)
		at = hd__trace_program_find(p, c, pc);
	return at;
}
