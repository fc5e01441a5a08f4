/* ring.c - cost of the event kernel alone: rings of stages, beside the same in plain C
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: ring dense|sparse|domains|jump|array|named N [stage|stage_reg]
 * Prints one figure per line, "NAME VALUE"; tests/bench/bench runs it in turns with its peers.
 * Exit status 1: the checksum differs from that of plain C.
 */
#include "ring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	WORKS = 20000000,      /* evaluations of a round, about */
	ACTIVE = 100,          /* sparse: one stage in N holds a token */
	DOMAIN_TOKENS = 21,    /* of each domain */
	DOMAIN_STEPS = 300000, /* instants at which some domain has an edge */
	JUMPS = 1000000,
};

static int compare(uint32_t checksum, uint32_t plain)
{
	printf("checksum %08" PRIx32 "\n", checksum);
	if (checksum == plain)
		return 0;
	printf("expected %08" PRIx32 "\n", plain);
	return 1;
}

static double run_slice(struct hd_sim *s, uint64_t edges)
{
	double start = ring_now();

	if (hd__sim_run(s, edges) != HD_RUN_MORE) {
		fprintf(stderr, "ring: ended before time\n%s", s->deadlock ? s->deadlock : "");
		exit(1);
	}
	return ring_now() - start;
}

static int compare_doubles(const void *va, const void *vb)
{
	double a = *(const double *)va, b = *(const double *)vb;

	return a < b ? -1 : a > b;
}

/* Runs a ring for a number of edges; returns the time.  It is that of the middle one of many slices, so that it is
 * little longer when the machine does something else meanwhile. */
static double run(struct hd_sim *s, uint64_t edges)
{
	double ns[RING_SLICES];

	if (edges < RING_SLICES)
		return run_slice(s, edges);
	for (uint64_t i = 0; i < RING_SLICES; i++)
		ns[i] = run_slice(s, edges * (i + 1) / RING_SLICES - edges * i / RING_SLICES);
	qsort(ns, RING_SLICES, sizeof *ns, compare_doubles);
	return ns[RING_SLICES / 2] * RING_SLICES;
}

static int one_clock(const char *module, uint32_t n, uint32_t tokens)
{
	char *text = ring_one_clock(module, n, tokens);
	struct hd_sim *s = ring_load("ring.json", text);
	uint64_t edges = WORKS / tokens, works, first;
	uint32_t checksum, plain;
	double ns, plain_ns;

	run(s, 1); /* every process is evaluated once */
	first = s->evals;
	ns = run(s, edges - 1);
	checksum = ring_checksum(s, &works);
	plain = tokens == n ? plain_dense(n, edges, &plain_ns)
	                    : plain_sparse(n, tokens, edges, &plain_ns);
	printf("ns %.3f\n", ns / (double)works);
	printf("plain %.3f\n", plain_ns / (double)works);
	printf("evals_per_token %.6f\n", (double)(s->evals - first) / (double)works);
	hd__sim_free(s);
	free(text);
	return compare(checksum, plain);
}

static int domains(const char *module, uint32_t n)
{
	char *text = ring_domains(module, n, DOMAIN_TOKENS);
	struct hd_sim *s = ring_load("domains.json", text);
	uint64_t works, plain_works, edges = 0;
	double plain_ns, ns = run(s, DOMAIN_STEPS), us;
	uint32_t checksum = ring_checksum(s, &works);
	uint32_t plain = plain_domains(n, DOMAIN_TOKENS, DOMAIN_STEPS, &plain_ns, &plain_works);

	for (uint32_t d = 0; d < RING_DOMAINS; d++)
		edges += s->clocks[d].now + 1;
	us = (double)(s->clocks[0].now + 1) / ring_mhz[0];
	printf("us_per_us %.2f\n", ns / 1e3 / us);
	printf("plain %.2f\n", plain_ns / 1e3 / us);
	printf("ns %.3f\n", ns / (double)works);
	printf("busy %.4f\n", (double)works / ((double)edges * n));
	printf("evals_per_token %.6f\n", (double)s->evals / (double)works);
	hd__sim_free(s);
	free(text);
	return compare(checksum, plain);
}

static int jump(uint32_t edges)
{
	char *text = ring_sleeper(edges);
	struct hd_sim *s = ring_load("sleeper.json", text);
	double ns = run(s, JUMPS) / JUMPS;

	printf("ns %.2f\n", ns);
	printf("edges_per_eval %.1f\n", (double)s->clocks[0].now / (double)s->evals);
	hd__sim_free(s);
	free(text);
	return 0;
}

/* From the text to the first edge. */
static int load(const char *name, char *text)
{
	double start = ring_wall();
	struct hd_sim *s = ring_load(name, text);

	run(s, 1);
	printf("ms %.2f\n", (ring_wall() - start) / 1e6);
	printf("bytes %zu\n", strlen(text));
	hd__sim_free(s);
	free(text);
	return 0;
}

int main(int argc, char **argv)
{
	uint32_t n = argc == 3 || argc == 4 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	const char *module = argc == 4 ? argv[3] : "stage";

	if (n >= 2 && strcmp(argv[1], "dense") == 0)
		return one_clock(module, n, n);
	if (n >= 2 && strcmp(argv[1], "sparse") == 0)
		return one_clock(module, n, (n + ACTIVE - 1) / ACTIVE);
	if (n >= 2 && strcmp(argv[1], "domains") == 0)
		return domains(module, n);
	if (n >= 2 && strcmp(argv[1], "jump") == 0)
		return jump(n);
	if (n >= 2 && strcmp(argv[1], "array") == 0)
		return load("array.json", ring_one_clock("stage", n, n));
	if (n >= 2 && strcmp(argv[1], "named") == 0)
		return load("named.json", ring_named(n));
	fputs("usage: ring dense|sparse|domains|jump|array|named N [stage|stage_reg]\n", stderr);
	return 2;
}
