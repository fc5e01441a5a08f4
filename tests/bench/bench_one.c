/* bench_one.c - one SM per warp instruction: start-up, simulation alone, reading the trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "measure.h"
#include "bench_trace.h"

#include <stdio.h>
#include <string.h>

#define READING 400.0  /* limit of what reading text adds to them */
#define START 4.0e6    /* limit of host instructions from the start of the program to the first edge */

static const char *const traces[] = { "vecadd-fp32-ampere", "matmul-shared-pascal", "bfs-volta", NULL };

/* Host instructions per warp instruction: the limit of what is simulated alone, nothing read or parsed, and what the
 * reference takes from its start to its end; 0: not known. */
static const struct {
	double alone, reference;
} known[] = { { 2283, 139500 }, { 1800, 94900 }, { 1940, 0 } };

static size_t number_of(const char *name)
{
	size_t i = 0;

	while (strcmp(name, traces[i]) != 0)
		i++;
	return i;
}

/* Reading text may take more than the limit where liblzma alone does. */
static void reading(struct bench *b, const struct trace *t, double packed, double n)
{
	const struct command run = { { "run", "-q", b->netlist, t->text, NULL } };
	char title[80], note[80];
	double text, lzma;

	snprintf(title, sizeof title, "%s: reading its text", t->name);
	text = measure_instructions(b, title, &run, MEASURE_ALL);
	lzma = text > 0 ? measure_instructions(b, title, &run, MEASURE_DECOMPRESSION) / n : 0;
	if (text <= 0)
		return;
	snprintf(note, sizeof note, "of these liblzma %.0f", lzma);
	table_row(b, &(struct row){ .figure = title, .unit = "/warp inst.", .value = (text - packed) / n,
	                            .limit = !t->recorded ? 0 : lzma < READING ? READING : READING + lzma,
	                            .note = note });
}

static void measure(struct bench *b, const struct trace *t)
{
	struct work work;
	char title[80];
	double start, all;

	snprintf(title, sizeof title, "%s: simulation alone", t->name);
	if (!trace_work(b, t, b->netlist, NULL, &work))
		return;
	all = measure_instructions(b, title, &(struct command){ { "run", "-q", b->netlist, t->packed, NULL } },
	                           MEASURE_ALL);
	start = all <= 0 ? 0 : measure_instructions(b, title, &(struct command){
		{ "run", "-q", "--max-cycles=1", b->netlist, t->packed, NULL } }, MEASURE_ALL);
	if (start <= 0)
		return;
	table_row(b, &(struct row){ .figure = title, .unit = "/warp inst.",
	                            .value = (all - start) / work.warp_instructions,
	                            .limit = t->recorded ? known[number_of(t->name)].alone : 0,
	                            .peer = t->recorded ? known[number_of(t->name)].reference : 0,
	                            .peer_name = "reference, all" });
	reading(b, t, all, work.warp_instructions);
}

void bench_one(struct bench *b)
{
	table_head("ONE SM, host instructions");
	trace_each(b, traces, measure);
}

static void start(struct bench *b, const char *name, double limit)
{
	char netlist[4096], trace[4096], title[80];
	struct way way;
	double n;

	snprintf(trace, sizeof trace, "%s/tiny/kernelslist.g", b->traces);
	way = (struct way){ .command = { { "run", "-q", "--max-cycles=1", trace_netlist(b, name, netlist), trace,
	                                   NULL } } };
	n = measure_instructions(b, name, &way.command, MEASURE_ALL);
	if (n > 0)
		table_row(b, &(struct row){ .figure = name, .unit = "10^6 inst.", .value = n / 1e6,
		                            .limit = limit / 1e6 });
	snprintf(title, sizeof title, "%s: wall time", name);
	if (measure_in_turns(b, title, &way, 1, BENCH_ROUNDS))
		table_row(b, &(struct row){ .figure = title, .unit = "ms", .value = way.ms });
}

void bench_start(struct bench *b)
{
	table_head("START, to the first edge");
	start(b, "volta_sm.json", START);
	start(b, "quadro_gv100.json", 0);
}
