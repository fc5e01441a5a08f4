/* bench_kernel.c - the event kernel beside SystemC and plain C, round by round in turns
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One ring, and the same for the peer. */
struct ring {
	const char *title, *mode, *stages, *module;
	double limit;
	const char *peer_name;
	const char *peer[6]; /* arguments of ring_systemc */
};

/* SystemC has no register with back-pressure; a signal is what comes close.  The peer's edges make as many evaluations
 * as those of ring.c, and must give the same checksum. */
static const struct ring rings[] = {
	{ "ring of 256 FIFOs, all busy", "dense", "256", "stage", 6, "SystemC sc_fifo", { "fifo", "256", "78125" } },
	{ "ring of 256 registers, all busy", "dense", "256", "stage_reg", 3.5, "SystemC sc_signal",
	  { "dense", "256", "78125" } },
	{ "ring of 4096 FIFOs, all busy", "dense", "4096", "stage", 6, "SystemC sc_fifo", { "fifo", "4096", "4882" } },
	{ "ring of 4096 registers, all busy", "dense", "4096", "stage_reg", 3.5, "SystemC sc_signal",
	  { "dense", "4096", "4882" } },
	{ "ring of 4096 FIFOs, 1 % busy", "sparse", "4096", "stage", 9, "SystemC sc_event",
	  { "sparse", "4096", "487804", "41" } },
	{ "ring of 4096 registers, 1 % busy", "sparse", "4096", "stage_reg", 9, "SystemC sc_event",
	  { "sparse", "4096", "487804", "41" } },
	{ "3 clocks, 256 stages each, 8 % busy", "domains", "256", "stage", 450, "SystemC sc_event",
	  { "domains", "256", "300000", "21" } },
};

struct samples {
	double ours[BENCH_ROUNDS], plain[BENCH_ROUNDS], peer[BENCH_ROUNDS];
	double evals;
	char checksum[16], peer_checksum[16];
};

static bool is_domains(const struct ring *r)
{
	return strcmp(r->mode, "domains") == 0;
}

/* The figure of both programs that is compared. */
static const char *figure_of(const struct ring *r)
{
	return is_domains(r) ? "us_per_us" : "ns";
}

static bool run_ours(struct bench *b, const struct ring *r, struct samples *s, unsigned round)
{
	struct child c = child_run((const char *[]){ b->ring, r->mode, r->stages, r->module, NULL }, true);
	bool ok = c.ok && child_figure(c.out, figure_of(r), &s->ours[round])
	          && child_figure(c.out, "plain", &s->plain[round])
	          && child_figure(c.out, "evals_per_token", &s->evals)
	          && child_word(c.out, "checksum", s->checksum, sizeof s->checksum);

	if (!ok)
		table_failed(b, r->title, &c);
	free(c.out);
	return ok;
}

static bool run_peer(struct bench *b, const struct ring *r, struct samples *s, unsigned round)
{
	const char *argv[8] = { b->systemc };
	struct child c;
	bool ok;

	memcpy(argv + 1, r->peer, sizeof r->peer);
	c = child_run(argv, true);
	ok = c.ok && child_figure(c.out, figure_of(r), &s->peer[round])
	     && child_word(c.out, "checksum", s->peer_checksum, sizeof s->peer_checksum);
	if (ok && strcmp(s->checksum, s->peer_checksum) != 0) {
		printf("%s: checksums differ: %s, SystemC %s\n", r->title, s->checksum,
		       s->peer_checksum);
		b->failed = true;
	}
	if (!ok)
		table_failed(b, r->title, &c);
	free(c.out);
	return ok;
}

static void measure(struct bench *b, const struct ring *r)
{
	struct samples s = { .evals = 0 };
	const char *unit = is_domains(r) ? "us/sim. us" : "ns/evaluation";
	struct row row = { .figure = r->title, .unit = unit, .limit = r->limit, .peer_name = r->peer_name };

	for (unsigned i = 0; i < BENCH_ROUNDS; i++)
		if (!run_ours(b, r, &s, i) || (b->systemc && !run_peer(b, r, &s, i)))
			return;
	row.value = median(s.ours, BENCH_ROUNDS);
	if (b->systemc)
		row.peer = median(s.peer, BENCH_ROUNDS);
	table_row(b, &row);
	table_row(b, &(struct row){ .figure = is_domains(r) ? "  plain C, all visited" : "  plain C loop", .unit = unit,
	                            .value = median(s.plain, BENCH_ROUNDS) });
	if (strcmp(r->mode, "sparse") == 0) /* 1: only processes with work are evaluated */
		table_row(b, &(struct row){ .figure = "  evaluations per token and edge",
		                            .unit = "", .value = s.evals, .limit = 1.001 });
}

/* A figure of a mode that has no peer. */
static bool measure_alone(struct bench *b, const char *title, const char *mode, const char *n, double *value)
{
	double v[BENCH_ROUNDS];

	for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
		struct child c = child_run((const char *[]){ b->ring, mode, n, NULL }, true);
		bool ok = c.ok && child_figure(c.out, "ns", &v[i]);

		if (!ok)
			table_failed(b, title, &c);
		free(c.out);
		if (!ok)
			return false;
	}
	*value = median(v, BENCH_ROUNDS);
	return true;
}

void bench_kernel(struct bench *b)
{
	const char *idle = "jump over 10000 idle edges, 1 evaluation";
	double v;

	table_head("EVENT KERNEL");
	for (size_t i = 0; i < sizeof rings / sizeof *rings; i++)
		measure(b, &rings[i]);
	if (measure_alone(b, idle, "jump", "10000", &v))
		table_row(b, &(struct row){ .figure = idle, .unit = "ns", .value = v,
		                            .limit = 30 });
	if (!b->systemc)
		table_missing("SystemC", "configure did not find it");
}

static void load(struct bench *b, const char *title, const char *mode)
{
	double v[BENCH_ROUNDS], memory = 0;
	char text[64];

	for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
		struct child c = child_run((const char *[]){ b->ring, mode, "4096", NULL }, true);
		bool ok = c.ok && child_figure(c.out, "ms", &v[i]);

		if (!ok)
			table_failed(b, title, &c);
		if (c.mbyte > memory)
			memory = c.mbyte;
		free(c.out);
		if (!ok)
			return;
	}
	snprintf(text, sizeof text, "%s: to the first edge", title);
	table_row(b, &(struct row){ .figure = text, .unit = "ms",
	                            .value = median(v, BENCH_ROUNDS), .limit = 60 });
	snprintf(text, sizeof text, "%s: peak memory", title);
	table_row(b, &(struct row){ .figure = text, .unit = "MiB", .value = memory,
	                            .limit = 20 });
}

void bench_load(struct bench *b)
{
	table_head("LOADING 4096 instances and links");
	load(b, "one array", "array");
	load(b, "an entry each", "named");
}
