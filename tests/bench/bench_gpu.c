/* bench_gpu.c - a whole GPU per SM cycle with work, beside one SM; in lock step, running ahead, with threads
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "measure.h"
#include "bench_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GPU "quadro_gv100.json"
#define HOPPER "h100_sxm.json"
#define HOPPER_RATE 300000.0   /* limit of warp instructions per second of processor time there */
#define AGAINST_ONE 1.3        /* limit of what an SM cycle takes, against one SM alone */
#define REFERENCE_RATE 6360.0  /* warp instructions per second of processor time: bfs-volta in 24.4 s */
#define ADVANTAGE 50.0         /* limit against that */
#define TWO_THREADS 1.7        /* limit against one */
#define COUNTED "9000"         /* cycles of a long run in lock step whose instructions are counted */

static const char *const traces[] = { "bfs-volta", "vecadd-fp32-turing-big", NULL };

static bool is_long(const struct trace *t)
{
	return strcmp(t->name, traces[1]) == 0;
}

static unsigned rounds_of(const struct trace *t)
{
	return is_long(t) ? 3 : BENCH_ROUNDS;
}

static const struct mode {
	const char *title, *option;
} modes[2] = { { "lock step", "--lockstep" }, { "running ahead", "--threads=1" } };

/* Host instructions of a run without its start, per SM cycle; 0 after a message. */
static double count(struct bench *b, const struct trace *t, const char *netlist, const char *option, const char *cycles)
{
	struct command run = { { "run", "-q", option, netlist, t->packed,
	                         cycles ? "--max-cycles" : NULL, cycles, NULL } };
	struct work work;
	double all, start;

	if (!trace_work(b, t, netlist, cycles, &work))
		return 0;
	all = measure_instructions(b, t->name, &run, MEASURE_ALL);
	start = all <= 0 ? 0 : measure_instructions(b, t->name, &(struct command){
		{ "run", "-q", option, "--max-cycles=1", netlist, t->packed, NULL } }, MEASURE_ALL);
	return start > 0 ? (all - start) / work.sm_cycles : 0;
}

static void row(struct bench *b, const struct trace *t, const char *mode, const char *unit, double value, double one,
                const char *note)
{
	char title[80];

	snprintf(title, sizeof title, "%s: %s", t->name, mode);
	table_row(b, &(struct row){ .figure = title, .unit = unit, .value = value,
	                            .limit = t->recorded ? AGAINST_ONE * one : 0, .peer = one, .peer_name = "one SM",
	                            .note = note });
}

static void instructions(struct bench *b, const struct trace *t, const char *gpu)
{
	double one, value;

	if (!measure_have("valgrind")) {
		table_missing("host instructions", "there is no valgrind");
		return;
	}
	one = count(b, t, b->netlist, "-q", NULL);
	for (size_t i = 0; one > 0 && i < 2; i++) {
		bool part = is_long(t) && i == 0; /* a limit of cycles would end running ahead */

		value = count(b, t, gpu, modes[i].option, part ? COUNTED : NULL);
		if (value > 0)
			row(b, t, modes[i].title, "inst./SM cycle", value, one, part ? "(" COUNTED " cycles)" : NULL);
	}
}

/* The reference starts and reads text, too, so this is a whole run as well. */
static void speed(struct bench *b, const struct trace *t, const struct way *way, double warp_instructions)
{
	bool known = t->recorded && !is_long(t);
	char title[80];

	snprintf(title, sizeof title, "%s: speed, of its text", t->name);
	table_row(b, &(struct row){ .figure = title, .unit = "warp i./CPU s",
	                            .value = warp_instructions / way->cpu_ms * 1e3,
	                            .limit = known ? ADVANTAGE * REFERENCE_RATE : 0, .at_least = true,
	                            .peer = known ? REFERENCE_RATE : 0, .peer_name = "reference",
	                            .more_is_better = true });
}

static void times(struct bench *b, const struct trace *t, const char *gpu)
{
	enum { ONE_START, ONE, START, LOCKSTEP, AHEAD, TEXT, WAYS };
	struct way ways[WAYS] = {
		[ONE_START] = { .command = { { "run", "-q", "--max-cycles=1", b->netlist, t->packed, NULL } } },
		[ONE] = { .command = { { "run", "-q", b->netlist, t->packed, NULL } } },
		[START] = { .command = { { "run", "-q", "--max-cycles=1", gpu, t->packed, NULL } } },
		[LOCKSTEP] = { .command = { { "run", "-q", modes[0].option, gpu, t->packed, NULL } } },
		[AHEAD] = { .command = { { "run", "-q", modes[1].option, gpu, t->packed, NULL } } },
		[TEXT] = { .command = { { "run", "-q", gpu, t->text, NULL } } },
	};
	struct work alone, whole;
	double one;

	if (!trace_work(b, t, b->netlist, NULL, &alone) || !trace_work(b, t, gpu, NULL, &whole)
	    || !measure_in_turns(b, t->name, ways, WAYS, rounds_of(t)))
		return;
	one = (ways[ONE].cpu_ms - ways[ONE_START].cpu_ms) * 1e6 / alone.sm_cycles;
	for (size_t i = 0; i < 2; i++)
		row(b, t, modes[i].title, "CPU ns/SM cyc.",
		    (ways[LOCKSTEP + i].cpu_ms - ways[START].cpu_ms) * 1e6 / whole.sm_cycles, one, NULL);
	speed(b, t, &ways[TEXT], whole.warp_instructions);
}

static void measure(struct bench *b, const struct trace *t)
{
	char gpu[4096];

	trace_netlist(b, GPU, gpu);
	instructions(b, t, gpu);
	times(b, t, gpu);
}

/* A product of matrices by bulk copies and warpgroups, a block for each of 132 SMs: traces/samples/cuda/gemm.cu. */
static const char product[] =
	"{ \"cubin\": \"%s/cuda/gemm.cubin\",\n"
	"  \"buffers\": { \"a\": \"11534336\", \"b\": \"25165824\", \"c\": \"17301504\" },\n"
	"  \"maps\": {\n"
	"    \"A\": { \"buffer\": \"a\", \"bytes\": 2, \"size\": [4096, 1408], \"stride\": [8192], \"box\": [64, 128], "
	"\"swizzle\": 128 },\n"
	"    \"B\": { \"buffer\": \"b\", \"bytes\": 2, \"size\": [4096, 3072], \"stride\": [8192], \"box\": [64, 256], "
	"\"swizzle\": 128 } },\n"
	"  \"launches\": [ { \"kernel\": \"gemm\", \"grid\": \"12,11\", \"block\": 384, \"shared\": 197632,\n"
	"    \"args\": \"map:A,map:B,@c,i32:3072,i32:4096,i32:4\" } ] }\n";

static bool record_product(struct bench *b, struct trace *t)
{
	char list[4096];
	struct child c;
	FILE *f;

	snprintf(list, sizeof list, "%.3000s/%s.json", b->folder, t->name);
	snprintf(t->packed, sizeof t->packed, "%.3000s/%s.hpack", b->folder, t->name);
	f = fopen(list, "w");
	if (!f)
		return false;
	fprintf(f, product, b->traces);
	fclose(f);
	c = child_run((const char *[]){ b->heddle, "trace", "record", "--launches", list, "-o", t->packed, NULL },
	              true);
	if (!c.ok)
		table_failed(b, t->name, &c);
	free(c.out);
	return c.ok;
}

static void hopper(struct bench *b)
{
	struct trace t = { .name = "gemm-hopper" };
	struct way run = { .mbyte = 0 };
	struct work work;
	char gpu[4096];

	trace_netlist(b, HOPPER, gpu);
	if (!record_product(b, &t))
		return;
	run.command = (struct command){ { "run", "-q", gpu, t.packed, NULL } };
	if (!trace_work(b, &t, gpu, NULL, &work) || !measure_in_turns(b, t.name, &run, 1, 1))
		return;
	table_row(b, &(struct row){ .figure = "gemm-hopper: speed", .unit = "warp i./CPU s",
	                            .value = work.warp_instructions / run.cpu_ms * 1e3, .limit = HOPPER_RATE,
	                            .at_least = true });
}

void bench_gpu(struct bench *b)
{
	table_head("80 SMs, per SM cycle with work");
	trace_each(b, traces, measure);
	table_head("132 SMs of an H100");
	hopper(b);
}

/* What more threads would take, from times of the sections of a run in one. */
static void replayed(struct bench *b, const struct trace *t, const char *gpu)
{
	static const struct { const char *name; double limit; } of[] = {
		{ "threads_2", .55 }, { "threads_4", .32 }, { "threads_8", .20 }, { "threads_16", .14 } };
	struct child c = child_run((const char *[]){ b->sections, gpu, t->packed, NULL }, false);
	char title[80];
	double value;

	if (!c.ok)
		table_failed(b, t->name, &c);
	for (size_t i = 0; c.ok && i < sizeof of / sizeof *of; i++) {
		snprintf(title, sizeof title, "%s: %s, replayed", t->name, of[i].name);
		if (child_figure(c.out, of[i].name, &value))
			table_row(b, &(struct row){ .figure = title, .unit = "x of one", .value = value,
			                            .limit = t->recorded && is_long(t) ? of[i].limit : 0 });
	}
	free(c.out);
}

static void two_threads(struct bench *b, const struct trace *t)
{
	char gpu[4096], title[80];
	struct way ways[2];

	trace_netlist(b, GPU, gpu);
	replayed(b, t, gpu);
	ways[0] = (struct way){ .command = { { "run", "-q", "--threads=1", gpu, t->packed, NULL } } };
	ways[1] = (struct way){ .command = { { "run", "-q", "--threads=2", gpu, t->packed, NULL } } };
	if (!measure_in_turns(b, t->name, ways, 2, rounds_of(t)))
		return;
	snprintf(title, sizeof title, "%s: two threads against one", t->name);
	table_row(b, &(struct row){ .figure = title, .unit = "x", .value = ways[0].ms / ways[1].ms,
	                            .limit = t->recorded ? TWO_THREADS : 0, .at_least = true });
	snprintf(title, sizeof title, "%s: wall time of two", t->name);
	table_row(b, &(struct row){ .figure = title, .unit = "ms", .value = ways[1].ms, .peer = ways[0].ms,
	                            .peer_name = "one thread" });
	snprintf(title, sizeof title, "%s: CPU time of two", t->name);
	table_row(b, &(struct row){ .figure = title, .unit = "ms", .value = ways[1].cpu_ms, .peer = ways[0].cpu_ms,
	                            .peer_name = "one thread" });
}

void bench_threads(struct bench *b)
{
	if (!measure_option(b, "--threads"))
		return;
	table_head("80 SMs, threads");
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		table_missing("two threads against one", "there is one processor");
	else
		trace_each(b, traces, two_threads);
}
