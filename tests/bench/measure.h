/* measure.h - host instructions of a run, and times of several ways to run in turns
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_BENCH_MEASURE_H
#define TESTS_BENCH_MEASURE_H

#include "bench.h"

#define MEASURE_ARGS 16

/* The arguments of `heddle` for a run, without the program itself. */
struct command {
	const char *argv[MEASURE_ARGS]; /* the last is NULL */
};

/* One of several ways to run, and what it took: medians. */
struct way {
	struct command command;
	double ms, cpu_ms; /* wall time; processor time of all threads */
	double mbyte;      /* the most of all rounds */
};

/* What is counted of a run. */
enum measured { MEASURE_ALL, MEASURE_DECOMPRESSION, MEASURE_FIRST_THREAD };

bool measure_have(const char *program);

/* Host instructions of `heddle`, from its start to its end; 0 if there is no valgrind, or after a message. */
double measure_instructions(struct bench *b, const char *title, const struct command *c, enum measured what);

/* Runs all ways, then all again, and so on.  Returns false after a message. */
bool measure_in_turns(struct bench *b, const char *title, struct way *ways, size_t n, unsigned rounds);

/* Whether `heddle run` lists an option. */
bool measure_option(struct bench *b, const char *option);

#endif
