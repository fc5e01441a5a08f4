/* bench_sm.c - whole runs of the program on traces: instructions, time, memory
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "measure.h"
#include "bench_trace.h"

#include <glob.h>
#include <jansson.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REFERENCE_RATE 84000.0 /* warp instructions per second of processor time of the reference */
#define SHORTEST 1000.0        /* warp instructions: below, loading is all that is measured */
#define INSTRUCTIONS 4000.0    /* limit per warp instruction */
#define CONTROL 1.3            /* limit of a core that follows control words, against one with a scoreboard */

struct run {
	const char *name;
	double reference;    /* instructions per warp instruction of the reference; 0: not known */
	double memory;       /* limit, MiB; 0: none */
	bool count;          /* under callgrind too */
};

static const struct run oracle[] = {
	{ "vecadd-fp32-ampere", 139500, 0, true },
	{ "matmul-shared-pascal", 94900, 0, true },
	{ "vecadd-fp32-turing-big", 0, 32, false },
};

static const char *const control[] = { "vecadd-fp32-ampere", "matmul-shared-pascal", "bfs-volta" };

static double warp_instructions(const char *text)
{
	json_t *root = json_loads(text, 0, NULL);
	double n = json_number_value(json_object_get(root, "warp_instructions"));

	json_decref(root);
	return n;
}

static void count(struct bench *b, const struct run *t, const char *list, double work)
{
	char title[80];
	double n;

	snprintf(title, sizeof title, "%s: instructions", t->name);
	n = measure_instructions(b, title, &(struct command){ { "run", "-q", b->netlist, list, NULL } }, MEASURE_ALL);
	if (n > 0)
		table_row(b, &(struct row){ .figure = title, .unit = "/warp inst.",
		                            .value = n / work,
		                            .limit = t->reference > 0 ? INSTRUCTIONS : 0,
		                            .peer = t->reference, .peer_name = "reference" });
}

/* The core that follows control words, beside the one of the benchmark. */
static void compare_control(struct bench *b, const char *name)
{
	char list[4096], netlist[4096];
	double n, peer;

	snprintf(list, sizeof list, "%s/real/%s/kernelslist.g", b->oracle ? b->oracle : "", name);
	if (!b->oracle || access(list, R_OK) != 0) {
		table_missing(name, "the trace is not here");
		return;
	}
	trace_netlist(b, "a100_sm.json", netlist);
	n = measure_instructions(b, name, &(struct command){ { "run", "-q", netlist, list, NULL } }, MEASURE_ALL);
	peer = n <= 0 ? 0 : measure_instructions(b, name, &(struct command){ { "run", "-q", b->netlist, list, NULL } },
	                                         MEASURE_ALL);
	if (peer > 0)
		table_row(b, &(struct row){ .figure = name, .unit = "x instructions", .value = n / peer,
		                            .limit = CONTROL });
}

static void measure(struct bench *b, const struct run *t, const char *list)
{
	double ms[BENCH_ROUNDS], cpu[BENCH_ROUNDS], memory = 0, work = 0;
	char title[80];

	for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
		struct child c = child_run((const char *[]){ b->heddle, "run", "-q", "--stats", "-",
		                                             b->netlist, list, NULL }, false);

		ms[i] = c.ms;
		cpu[i] = c.cpu_ms;
		if (c.mbyte > memory)
			memory = c.mbyte;
		if (c.ok)
			work = warp_instructions(c.out);
		if (!c.ok)
			table_failed(b, t->name, &c);
		free(c.out);
		if (!c.ok || work < SHORTEST)
			return;
	}
	if (t->count)
		count(b, t, list, work);
	snprintf(title, sizeof title, "%s: speed", t->name);
	table_row(b, &(struct row){ .figure = title, .unit = "warp i./CPU s",
	                            .value = work / median(cpu, BENCH_ROUNDS) * 1e3, .peer = REFERENCE_RATE,
	                            .peer_name = "reference", .more_is_better = true });
	if (t->reference <= 0 && t->memory <= 0)
		return;
	snprintf(title, sizeof title, "%s: wall time", t->name);
	table_row(b, &(struct row){ .figure = title, .unit = "ms", .value = median(ms, BENCH_ROUNDS) });
	snprintf(title, sizeof title, "%s: peak memory", t->name);
	table_row(b, &(struct row){ .figure = title, .unit = "MiB", .value = memory,
	                            .limit = t->memory });
}

static void bundled(struct bench *b)
{
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof pattern, "%s/*/kernelslist.g", b->traces);
	if (glob(pattern, 0, NULL, &found) != 0) {
		table_missing(pattern, "there is no such file");
		return;
	}
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *folder = strdup(found.gl_pathv[i]);
		struct run t = { .count = true };

		if (!folder)
			break;
		t.name = basename(dirname(folder));
		measure(b, &t, found.gl_pathv[i]);
		free(folder);
	}
	globfree(&found);
}

void bench_sm(struct bench *b)
{
	char list[4096];

	table_head("ONE SM on bundled traces");
	bundled(b);
	table_head("ONE SM on recorded traces");
	for (size_t i = 0; i < sizeof oracle / sizeof *oracle; i++) {
		snprintf(list, sizeof list, "%s/real/%s/kernelslist.g", b->oracle ? b->oracle : "",
		         oracle[i].name);
		if (b->oracle && access(list, R_OK) == 0)
			measure(b, &oracle[i], list);
		else
			table_missing(oracle[i].name, "the trace is not here");
	}
}

void bench_control(struct bench *b)
{
	table_head("CONTROL WORDS, beside a scoreboard");
	for (size_t i = 0; i < sizeof control / sizeof *control; i++)
		compare_control(b, control[i]);
}
