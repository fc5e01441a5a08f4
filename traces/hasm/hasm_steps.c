/* hasm_steps.c - what the warps of a thread block execute, to be printed as lines of a text
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Most warps and blocks of a kernel execute the same with other addresses, which grow evenly from one to
 * the next.  Such are printed together.
 */
#include "hasm_steps.h"

#include "base/xalloc.h"

#include <inttypes.h>

#define LISTED SIZE_MAX

/* ---- collecting ---- */

void hd__steps_add(struct steps *s, struct step step, const uint64_t addr[STEPS_LANES])
{
	uint32_t left = step.memory ? step.mask : 0;
	unsigned first = left ? (unsigned)__builtin_ctz(left) : 0, second;
	bool even = true;

	step.to = (struct steps_address){ .list = LISTED };
	if (left) {
		step.to.base = addr[first];
		left &= left - 1;
	}
	if (left) {
		second = (unsigned)__builtin_ctz(left);
		step.to.stride = (uint64_t)((int64_t)(addr[second] - addr[first]) / (int64_t)(second - first));
		step.to.base -= step.to.stride * first;
	}
	for (unsigned lane = 0; lane < STEPS_LANES && step.memory; lane++)
		if (step.mask >> lane & 1)
			even = even && addr[lane] == step.to.base + step.to.stride * lane;
	if (!even) {
		step.to = (struct steps_address){ .list = s->nlist };
		s->list = hd__xreserve(s->list, s->nlist + STEPS_LANES, &s->caplist, sizeof *s->list);
		for (unsigned lane = 0; lane < STEPS_LANES; lane++)
			if (step.mask >> lane & 1)
				s->list[s->nlist++] = addr[lane];
	}
	s->v = hd__xgrow(s->v, s->n, &s->cap, sizeof *s->v);
	s->v[s->n++] = step;
}

void hd__steps_clear(struct steps_block *b)
{
	for (uint32_t i = 0; i < STEPS_WARPS; i++)
		b->warp[i].n = b->warp[i].nlist = 0;
	b->n = 0;
}

void hd__steps_free(struct steps_block *b)
{
	for (uint32_t i = 0; i < STEPS_WARPS; i++) {
		free(b->warp[i].v);
		free(b->warp[i].list);
	}
	*b = (struct steps_block){ 0 };
}

/* ---- comparing ---- */

/* Do two steps differ in nothing but the bases of even addresses? */
static bool alike(const struct steps *a, const struct step *x, const struct steps *b,
                  const struct step *y)
{
	if (x->code != y->code || x->all != y->all || x->memory != y->memory
	    || (!x->all && x->mask != y->mask))
		return false;
	if (!x->memory)
		return true;
	if ((x->to.list == LISTED) != (y->to.list == LISTED))
		return false;
	if (x->to.list == LISTED)
		return x->to.stride == y->to.stride;
	return x->mask == y->mask && memcmp(a->list + x->to.list, b->list + y->to.list,
	              (size_t)__builtin_popcount(x->mask) * sizeof *a->list) == 0;
}

/* Are the steps of y those of x but for bases of addresses?  `known`: by_block of x is, and the bases
 * have to follow it for so many blocks. */
static bool continues(const struct steps *x, const struct steps *y, uint64_t blocks, bool known)
{
	if (x->n != y->n)
		return false;
	for (size_t i = 0; i < x->n; i++) {
		const struct step *a = &x->v[i], *b = &y->v[i];

		if (!alike(x, a, y, b))
			return false;
		if (known && b->to.base != a->to.base + blocks * a->to.by_block)
			return false;
	}
	return true;
}

bool hd__steps_join(struct steps_block *run, const struct steps_block *next)
{
	bool known = run->n > 1;

	if (run->warps != next->warps)
		return false;
	for (uint32_t w = 0; w < run->warps; w++)
		if (!continues(&run->warp[w], &next->warp[w], run->n, known))
			return false;
	for (uint32_t w = 0; w < run->warps && !known; w++)
		for (size_t i = 0; i < run->warp[w].n; i++)
			run->warp[w].v[i].to.by_block = next->warp[w].v[i].to.base - run->warp[w].v[i].to.base;
	run->n++;
	return true;
}

/* ---- printing ---- */

/* How much the base grows from warp to warp in a group: from the first and second of its members. */
static uint64_t by_warp(const struct step *a, const struct step *b, uint32_t distance)
{
	return b && distance ? (uint64_t)((int64_t)(b->to.base - a->to.base) / (int64_t)distance) : 0;
}

/* Is warp w one of the group whose first members are `first` and, if that is known, `second`? */
static bool belongs(const struct steps_block *run, uint32_t first, uint32_t second, uint32_t w)
{
	const struct steps *a = &run->warp[first], *b = &run->warp[w];
	const struct steps *s = &run->warp[second];

	if (!continues(a, b, 0, false))
		return false;
	for (size_t i = 0; i < a->n; i++) {
		uint64_t slope = by_warp(&a->v[i], second == first ? &b->v[i] : &s->v[i],
		                         (second == first ? w : second) - first);

		if (a->v[i].to.by_block != b->v[i].to.by_block
		    || b->v[i].to.base != a->v[i].to.base + slope * (w - first))
			return false;
	}
	return true;
}

/* "0-3,5" */
static void put_warps(uint64_t set, FILE *out)
{
	const char *comma = "";

	for (unsigned w = 0; w < 64; w++) {
		unsigned last = w;

		if (!(set >> w & 1))
			continue;
		while (last < 63 && set >> (last + 1) & 1)
			last++;
		fprintf(out, last > w ? "%s%u-%u" : "%s%u", comma, w, last);
		comma = ",";
		w = last;
	}
}

/* "+4*lane", "-4*lane"; nothing for 0. */
static void put_term(uint64_t factor, const char *name, FILE *out)
{
	if ((int64_t)factor > 0)
		fprintf(out, "+%" PRIu64 "*%s", factor, name);
	else if (factor)
		fprintf(out, "-%" PRIu64 "*%s", 0 - factor, name);
}

/* Bases are printed as those of warp 0 and block 0. */
static void put_address(const struct steps *s, const struct step *x, uint64_t per_warp,
                        uint32_t warp, uint64_t block, FILE *out)
{
	const struct steps_address *a = &x->to;

	fputs(" addr=", out);
	if (a->list != LISTED) {
		for (unsigned i = 0; i < (unsigned)__builtin_popcount(x->mask); i++)
			fprintf(out, "%s0x%" PRIx64, i ? "," : "{", s->list[a->list + i]);
		fputc('}', out);
		return;
	}
	fprintf(out, "0x%" PRIx64, a->base - per_warp * warp - a->by_block * block);
	put_term(a->stride, "lane", out);
	put_term(per_warp, "warp", out);
	put_term(a->by_block, "block", out);
}

static void put_group(const struct steps_block *run, uint32_t first, uint32_t second,
                      const char *(*text)(void *arg, uint32_t code), void *arg, FILE *out)
{
	const struct steps *s = &run->warp[first];

	for (size_t i = 0; i < s->n; i++) {
		const struct step *x = &s->v[i];

		fprintf(out, "\t%s", text(arg, x->code));
		if (!x->all)
			fprintf(out, " mask=%08" PRIx32, x->mask);
		if (x->memory && x->mask)
			put_address(s, x, by_warp(x, &run->warp[second].v[i], second - first), first, run->first,
			            out);
		fputc('\n', out);
	}
}

void hd__steps_print(const struct steps_block *run, uint64_t blocks,
                     const char *(*text)(void *arg, uint32_t code), void *arg, FILE *out)
{
	uint64_t left = 0, all;

	for (uint32_t w = 0; w < run->warps; w++)
		left |= (uint64_t)(run->warp[w].n > 0) << w;
	all = UINT64_MAX >> (64 - run->warps);
	if (run->n == blocks)
		; /* "blocks *" is what holds without it */
	else if (run->n > 1)
		fprintf(out, "blocks %" PRIu64 "-%" PRIu64 "\n", run->first, run->first + run->n - 1);
	else
		fprintf(out, "blocks %" PRIu64 "\n", run->first);
	while (left) {
		uint32_t first = (uint32_t)__builtin_ctzll(left), second = first;
		uint64_t group = UINT64_C(1) << first;

		for (uint32_t w = first + 1; w < run->warps; w++) {
			if (!(left >> w & 1) || !belongs(run, first, second, w))
				continue;
			if (second == first)
				second = w;
			group |= UINT64_C(1) << w;
		}
		left &= ~group;
		fputs("warps ", out);
		if (group == all)
			fputc('*', out);
		else
			put_warps(group, out);
		fputc('\n', out);
		put_group(run, first, second, text, arg, out);
	}
}
