/* sections.c - what several threads would take: runs a trace in one thread, and replays the times of its sections
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The linker puts __wrap_ functions in the place of those of the kernel.  A domain runs a window in pieces, whose times
 * are noted.  Behind the window threads take them that cost nothing; all else takes as long as before.
 */
#include "library/handle.h"
#include "kernel/parallel/ahead_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEPS 8u /* pieces in a window, as in threads.c */

/* What a domain does up to a moment, behind an evaluation of the instance that others wait for. */
struct piece {
	uint32_t domain;
	size_t end, turn, before; /* pieces + 1; .before: of the domain; 0: none */
	uint64_t ns, over;        /* it takes; and its end when it is replayed */
};

static struct piece *pieces;      /* of the present window */
static size_t npieces, *turn, *last; /* by domain: the latest ones, + 1 */
static const unsigned threads[] = { 2, 4, 8, 16 };
enum { WAYS = sizeof threads / sizeof *threads };
static uint64_t inside, outside, replayed[WAYS]; /* ns; .outside: nothing was simulated */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void __real_hd__domain_run(const struct hd_ahead *a, struct hd_domain *d, size_t end);
void __wrap_hd__domain_run(const struct hd_ahead *a, struct hd_domain *d, size_t end)
{
	size_t step = a->nmoments / STEPS + 1;
	uint32_t domain = (uint32_t)(d - a->domains);
	bool awaited = a->awaited.instance && domain == a->awaited.domain;

	turn = turn ? turn : hd__xcalloc(a->ndomains, sizeof *turn);
	do {
		uint64_t began = now();

		__real_hd__domain_run(a, d, end - d->at > step ? d->at + step : end);
		pieces = hd__xappend(pieces, npieces, sizeof *pieces);
		pieces[npieces++] = (struct piece){ domain, d->at, turn[domain], 0, now() - began, 0 };
		inside += pieces[npieces - 1].ns;
	} while (d->at < end && d->at < d->goal);
	for (uint32_t i = 0; i < a->ndomains && awaited; i++)
		if (a->domains[i].at == end) /* it has waited for that, or may have */
			turn[i] = npieces;
}

/* Raises *time to that at which the domain has come to the moment. */
static void follow(uint64_t *time, uint32_t domain, size_t end)
{
	size_t i = last[domain];

	while (i > 0 && pieces[i - 1].before > 0 && pieces[pieces[i - 1].before - 1].end >= end)
		i = pieces[i - 1].before;
	if (i > 0 && pieces[i - 1].over > *time)
		*time = pieces[i - 1].over;
}

/* Each piece is taken by the thread that has become free last when it may begin, or by the next one. */
static uint64_t replay(const struct hd_ahead *a, unsigned n)
{
	uint64_t thread[16] = { 0 }, all = 0;

	memset(last, 0, a->ndomains * sizeof *last);
	for (struct piece *p = pieces; p < pieces + npieces; p++) {
		const struct hd_domain *d = &a->domains[p->domain];
		bool awaited = a->awaited.instance && p->domain == a->awaited.domain;
		uint64_t from = p->turn ? pieces[p->turn - 1].over : 0, *by = thread;

		p->before = last[p->domain];
		follow(&from, p->domain, SIZE_MAX);
		for (uint32_t i = 0; i < d->nbefore; i++)
			follow(&from, d->before[i], p->end);
		for (uint32_t i = 0; i < a->ndomains && awaited; i++)
			if (a->domains[i].wakes)
				follow(&from, i, p->end);
		for (uint64_t *t = thread; t < thread + n; t++)
			if (*t <= from ? *by > from || *t > *by : *t < *by)
				by = t;
		*by = p->over = (*by > from ? *by : from) + p->ns;
		all = *by > all ? *by : all;
		last[p->domain] = (size_t)(p - pieces) + 1;
	}
	return all;
}

void __real_hd__ahead_end(const struct hd_ahead *a);
void __wrap_hd__ahead_end(const struct hd_ahead *a)
{
	uint64_t began = now();

	last = last ? last : hd__xcalloc(a->ndomains, sizeof *last);
	for (size_t t = 0; t < WAYS; t++)
		replayed[t] += replay(a, threads[t]);
	memset(turn, 0, a->ndomains * sizeof *turn);
	npieces = 0;
	outside += now() - began;
	__real_hd__ahead_end(a);
}

int main(int argc, char **argv) /* NETLIST TRACE */
{
	struct heddle *h = heddle_new();
	uint64_t began = now(), all;

	h->opt.ahead = UINT64_MAX;
	if (argc != 3 || heddle_input(h, argv[2]) != HEDDLE_OK || heddle_load(h, argv[1]) != HEDDLE_OK
	    || heddle_run(h, HEDDLE_TO_THE_END) != HEDDLE_FINISHED)
		return fputs(heddle_messages(h), stderr), 1;
	all = now() - began - outside;
	for (size_t t = 0; t < WAYS; t++)
		printf("threads_%u %.4f\n", threads[t], (double)(all - inside + replayed[t]) / (double)all);
	heddle_free(h);
	return 0;
}
