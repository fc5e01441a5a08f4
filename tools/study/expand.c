/* expand.c - the designs of a study: each netlist with one choice of each of its factors
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study.h"
#include "base/xalloc.h"

/* The product of the numbers of choices, at most STUDY_MOST_POINTS + 1. */
static uint64_t product(const struct study_factors *f, uint64_t n)
{
	for (size_t i = 0; i < f->n; i++) {
		n *= f->v[i].n;
		if (n > STUDY_MOST_POINTS)
			return STUDY_MOST_POINTS + 1;
	}
	return n;
}

static size_t values_in(const struct study_factors *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		size_t most = 0;

		for (size_t k = 0; k < f->v[i].n; k++)
			most = f->v[i].v[k].n > most ? f->v[i].v[k].n : most;
		n += most;
	}
	return n;
}

/* A later value of the same path takes the place of an earlier one. */
static void put(struct study_design *d, struct study_value *v)
{
	size_t i = 0;

	while (i < d->n && strcmp(d->v[i]->path, v->path) != 0)
		i++;
	if (i < d->n) {
		memmove(&d->v[i], &d->v[i + 1], (d->n - i - 1) * sizeof *d->v);
		d->n--;
	}
	d->v[d->n++] = v;
}

/* The choices that make number `rest`; the last factor changes fastest.  Returns what is left of it. */
static uint64_t choose(const struct study_factors *f, uint64_t rest, const struct study_choice **out)
{
	for (size_t i = f->n; i-- > 0;) {
		out[i] = &f->v[i].v[rest % f->v[i].n];
		rest /= f->v[i].n;
	}
	return rest;
}

static void make(struct study *s, size_t netlist, uint64_t number, struct study_design *d)
{
	const struct study_factors *own = &s->netlists[netlist].factors;
	const struct study_choice **c = hd__xcalloc(own->n + s->factors.n, sizeof *c);

	*d = (struct study_design){ .netlist = netlist, .label = "" };
	d->v = hd__xcalloc(values_in(own) + values_in(&s->factors), sizeof *d->v);
	choose(own, choose(&s->factors, number, c + own->n), c);
	for (size_t i = 0; i < own->n + s->factors.n; i++) {
		if (c[i]->label != NULL)
			d->label = c[i]->label;
		for (size_t k = 0; k < c[i]->n; k++)
			put(d, &c[i]->v[k]);
	}
	free(c);
}

bool study_expand(struct study *s, struct hd_diags *d)
{
	uint64_t n = 0, of_one;

	for (size_t i = 0; i < s->nnetlists; i++) {
		n += product(&s->netlists[i].factors, product(&s->factors, 1));
		if (n * s->ntraces * (1 + s->pieces) > STUDY_MOST_POINTS) {
			hd__diag(d, HD_DIAG_ERROR, s->file, 0, 0, "more than %u points; expected fewer: netlists, "
			         "lists of values, traces and pieces multiply", STUDY_MOST_POINTS);
			return false;
		}
	}
	s->designs = hd__xcalloc(n, sizeof *s->designs);
	for (size_t i = 0; i < s->nnetlists; i++) {
		of_one = product(&s->netlists[i].factors, product(&s->factors, 1));
		for (uint64_t k = 0; k < of_one; k++)
			make(s, i, k, &s->designs[s->ndesigns++]);
	}
	return true;
}
