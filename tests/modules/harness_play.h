/* harness_play.h - shared by the harness and the actors during one run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_MODULES_HARNESS_PLAY_H
#define TESTS_MODULES_HARNESS_PLAY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MOST_WORDS 40u

struct line {
	uint64_t edge;
	char *word[MOST_WORDS]; /* toy, verb, arguments */
	bool used[MOST_WORDS];
	unsigned n;
	bool done;
};

/* The present run; one at a time. */
struct play {
	struct line *lines;
	uint32_t n;
	uint64_t last; /* edge at which the run ends */
	uint64_t foreseen; /* edges, by a module's `apart` */
	FILE *log;     /* "EDGE INSTANCE WHAT" */
	FILE *faults;  /* what is wrong with the test */
};

extern struct play play;

struct hd_options;
struct hd_sim;

/* watch.c: writes events and marks of the modules to the log.  Called before the simulation is
 * built, before it runs, and when it has. */
void watch_options(struct hd_options *o);
void watch_run(struct hd_sim *s);
void watch_end(struct hd_sim *s);
/* Writes what `apart` of the modules returns, after an edge. */
void watch_foreseen(const struct hd_sim *s);

#endif
