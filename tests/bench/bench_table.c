/* bench_table.c - the lines that the benchmark prints
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Four significant digits, without an exponent. */
static const char *number(double v, char *buf, size_t size)
{
	int digits = v >= 1000 ? 0 : v >= 100 ? 1 : v >= 10 ? 2 : 3;

	snprintf(buf, size, "%.*f", digits, v);
	return buf;
}

void table_head(const char *title)
{
	printf("\n%-43s %-14s %11s %11s  %-6s %s\n", title, "unit", "value", "limit", "", "peer");
	fflush(stdout);
}

void table_row(struct bench *b, const struct row *r)
{
	char value[32], at[32] = "", limit[40] = "", peer[32];
	bool met = r->at_least ? r->value >= r->limit : r->value <= r->limit;

	if (r->limit > 0)
		snprintf(limit, sizeof limit, "%s %s", r->at_least ? ">=" : "<=", number(r->limit, at, sizeof at));
	printf("%-43s %-14s %11s %11s  %-6s", r->figure, r->unit,
	       number(r->value, value, sizeof value), limit,
	       r->limit <= 0 ? "" : met ? "met" : "MISSED");
	if (r->limit > 0 && !met)
		b->missed++;
	if (r->peer > 0)
		printf(" %s %s, x %.2f", r->peer_name, number(r->peer, peer, sizeof peer),
		       r->more_is_better ? r->value / r->peer : r->peer / r->value);
	if (r->note)
		printf(" %s", r->note);
	putchar('\n');
	fflush(stdout);
}

void table_missing(const char *figure, const char *why)
{
	printf("%-43s not measured: %s\n", figure, why);
}

void table_failed(struct bench *b, const char *figure, const struct child *c)
{
	printf("%-43s FAILED\n%s%s", figure, c->out,
	       c->out[0] && c->out[strlen(c->out) - 1] != '\n' ? "\n" : "");
	b->failed = true;
}

static int compare(const void *va, const void *vb)
{
	double a = *(const double *)va, b = *(const double *)vb;

	return a < b ? -1 : a > b;
}

double median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, compare);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}
