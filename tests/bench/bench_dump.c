/* bench_dump.c - what a dump adds to a run: instructions of the simulating thread, wall time, time of all threads
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "measure.h"
#include "bench_trace.h"

#include <stdio.h>

#define INSTRUCTIONS 450.0 /* limit per warp instruction, in the simulating thread */
#define WALL 1.3           /* limits against a run without a dump */
#define CPU 1.8

static const char *const counted[] = { "vecadd-fp32-ampere", "matmul-shared-pascal", "bfs-volta", NULL };
static const char *const timed[] = { "bfs-volta", "vecadd-fp32-turing-big", NULL };

static void commands(struct bench *b, const struct trace *t, const char *file, struct command c[2])
{
	c[0] = (struct command){ { "run", "-q", b->netlist, t->packed, NULL } };
	c[1] = (struct command){ { "run", "-q", "--dump", file, b->netlist, t->packed, NULL } };
}

static void count(struct bench *b, const struct trace *t)
{
	char file[sizeof b->folder + 16], title[80];
	struct command c[2];
	struct work work;
	double without, with;

	snprintf(file, sizeof file, "%s/run.hdump", b->folder);
	snprintf(title, sizeof title, "%s: simulating thread", t->name);
	commands(b, t, file, c);
	if (!trace_work(b, t, b->netlist, NULL, &work))
		return;
	without = measure_instructions(b, title, &c[0], MEASURE_FIRST_THREAD);
	with = without > 0 ? measure_instructions(b, title, &c[1], MEASURE_FIRST_THREAD) : 0;
	if (with > 0)
		table_row(b, &(struct row){ .figure = title, .unit = "/warp inst.",
		                            .value = (with - without) / work.warp_instructions,
		                            .limit = t->recorded ? INSTRUCTIONS : 0 });
}

static void time_both(struct bench *b, const struct trace *t)
{
	char file[sizeof b->folder + 16], title[80];
	struct way ways[2] = { { .ms = 0 } };
	struct command c[2];

	snprintf(file, sizeof file, "%s/run.hdump", b->folder);
	commands(b, t, file, c);
	for (size_t i = 0; i < 2; i++)
		ways[i].command = c[i];
	if (!measure_in_turns(b, t->name, ways, 2, BENCH_ROUNDS))
		return;
	snprintf(title, sizeof title, "%s: wall time", t->name);
	table_row(b, &(struct row){ .figure = title, .unit = "x", .value = ways[1].ms / ways[0].ms,
	                            .limit = t->recorded ? WALL : 0 });
	snprintf(title, sizeof title, "%s: CPU time", t->name);
	table_row(b, &(struct row){ .figure = title, .unit = "x", .value = ways[1].cpu_ms / ways[0].cpu_ms,
	                            .limit = t->recorded ? CPU : 0 });
}

void bench_dump(struct bench *b)
{
	table_head("A DUMP, against a run without");
	trace_each(b, counted, count);
	trace_each(b, timed, time_both);
}
