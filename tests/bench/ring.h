/* ring.h - the parts of the ring benchmark: a simulation made in memory, and the same in plain C
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_BENCH_RING_H
#define TESTS_BENCH_RING_H

#include "ring_work.h"
#include "kernel/sim.h"

/* A netlist as text; the caller frees it. */
char *ring_one_clock(const char *module, uint32_t stages, uint32_t tokens); /* an array, linked by index */
char *ring_named(uint32_t stages);                              /* an entry for each instance */
char *ring_domains(const char *module, uint32_t stages, uint32_t tokens); /* of each domain */
char *ring_sleeper(uint32_t edges);

/* Ends the process if it cannot be built. */
struct hd_sim *ring_load(const char *name, const char *text);
uint32_t ring_checksum(const struct hd_sim *s, uint64_t *works);

/* The same work in plain C.  They return the checksum and set the time it took. */
uint32_t plain_dense(uint32_t stages, uint64_t edges, double *ns);
uint32_t plain_sparse(uint32_t stages, uint32_t tokens, uint64_t edges, double *ns);
uint32_t plain_domains(uint32_t stages, uint32_t tokens, uint64_t steps, double *ns,
                       uint64_t *works);

#endif
