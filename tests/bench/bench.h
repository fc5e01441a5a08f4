/* bench.h - the benchmark: its arguments, its groups, and the table that it prints
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include "child.h"

#include <stddef.h>

#define BENCH_ROUNDS 5u

/* Programs and folders, from the command line; NULL: "-" was given. */
struct bench {
	const char *heddle, *ring, *sections, *systemc, *netlist, *traces, *oracle;
	char folder[4096]; /* an empty one, for what a group writes */
	bool failed;       /* a program ended badly or a checksum is wrong */
	unsigned missed;   /* limits */
};

/* One line of the table.  Only figure, unit and value are required. */
struct row {
	const char *figure, *unit;
	double value;
	double limit;         /* at most this; 0: none */
	bool at_least;        /* at least, rather */
	double peer;          /* the same figure of a peer; 0: none */
	const char *peer_name;
	bool more_is_better;  /* of value and peer */
	const char *note;     /* behind everything */
};

void table_head(const char *title);
void table_row(struct bench *b, const struct row *r);
void table_missing(const char *figure, const char *why);
/* A run that should have worked; prints its output. */
void table_failed(struct bench *b, const char *figure, const struct child *c);

double median(double *v, size_t n); /* sorts v */

void bench_control(struct bench *b);
void bench_dump(struct bench *b);
void bench_gpu(struct bench *b);
void bench_kernel(struct bench *b);
void bench_load(struct bench *b);
void bench_one(struct bench *b);
void bench_sm(struct bench *b);
void bench_start(struct bench *b);
void bench_study(struct bench *b);
void bench_threads(struct bench *b);

#endif
