/* grid.h - private to the dispatchers of a whole GPU: its SMs, clusters and caches
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_MODULES_DISPATCHER_GRID_H
#define HEDDLE_MODULES_DISPATCHER_GRID_H

#include <heddle/gpu/cache.h>
#include <heddle/gpu/cluster.h>
#include <heddle/gpu/map.h>
#include <heddle/gpu/sync.h>
#include <heddle/gpu/trace.h>
#include <heddle/gpu/warps.h>

/* How far the end of the present kernel has been foreseen.  Whatever is found holds until then. */
struct grid_watch {
	uint64_t until;    /* the kernel ends in this edge at the earliest */
	uint32_t sm, warp; /* where a store was left, or a CTA came last; */
	bool none;         /* and since then no store has been left anywhere */
};

/* The first member of a dispatcher's state, as the tables below have its offsets. */
struct grid {
	struct hd_ctx *ctx;
	const struct hd_trace_if *trace;
	struct hd_ifs warps, barrier, l1d, l2, work;
	const struct hd_map_if *map;
	uint32_t shared_bytes, registers, max_ctas, kernel_latency, cta_latency, cores, warp_rate, sm_rate,
	         store_latency;
	bool flush_l1d, flush_l2, copies;

	uint32_t sms, clusters;
	uint32_t last_cluster;
	uint32_t *last_core; /* by cluster */
	const uint64_t **cycle; /* by SM: the present one; NULL: it has no clock */
	bool *works;         /* by cluster: its clock runs */
	bool *flushed;       /* by cluster: nothing was placed since its L1Ds were dropped */
	struct grid_watch *watch; /* one */
	uint64_t began;      /* first cycle that counts for the kernel that ends next, in edges */
	uint64_t uid;        /* instructions issued before it */
	uint64_t cycles, kernels, copied;
};

extern const struct hd_port hd__grid_ports[];
extern const struct hd_stat hd__grid_stats[];
extern const struct hd_event hd__grid_events[];

/* Parameters that all have; `grid` is the member of state `s`. */
#define GRID_PARAMS(s) \
	{ .name = "cores", .unit = "SMs", .doc = "SMs in a cluster: each cluster takes one CTA a cycle", \
	  .type = HD_U32, .offset = offsetof(s, grid.cores), .def = "1", .min = 1, .max = 64 }, \
	{ .name = "shared_bytes", .unit = "bytes", .doc = "shared memory of an SM", .type = HD_U32, \
	  .offset = offsetof(s, grid.shared_bytes), .def = "98304", .min = 0, .max = UINT32_MAX }, \
	{ .name = "registers", .unit = "registers", .doc = "32-bit registers of an SM", \
	  .type = HD_U32, .offset = offsetof(s, grid.registers), .def = "65536", .min = 1, \
	  .max = UINT32_MAX }, \
	{ .name = "max_ctas", .unit = "CTAs", .doc = "CTAs that may be on an SM at once", \
	  .type = HD_U32, .offset = offsetof(s, grid.max_ctas), .def = "32", .min = 1, \
	  .max = HD_MAX_WARPS }, \
	{ .name = "kernel_latency", .unit = "cycles", .doc = "from the launch of a kernel to its " \
	  "first CTA", .type = HD_U32, .offset = offsetof(s, grid.kernel_latency), .def = "0", \
	  .min = 0, .max = UINT32_MAX }, \
	{ .name = "cta_latency", .unit = "cycles", .doc = "added to that for every CTA of the grid", \
	  .type = HD_U32, .offset = offsetof(s, grid.cta_latency), .def = "0", .min = 0, \
	  .max = UINT32_MAX }, \
	{ .name = "warp_rate", .unit = "instructions", .doc = "that a warp takes from the trace in a cycle, at " \
	  "most: what is foreseen where partitions run ahead", .type = HD_U32, .offset = offsetof(s, grid.warp_rate), \
	  .def = "2", .min = 1, .max = 64 }, \
	{ .name = "sm_rate", .unit = "instructions", .doc = "the same of all warps of an SM together", \
	  .type = HD_U32, .offset = offsetof(s, grid.sm_rate), .def = "64", .min = 1, .max = 8192 }, \
	{ .name = "store_latency", .unit = "cycles", .doc = "from where a store to global memory is sent until its " \
	  "warp may end, at least: what is foreseen", .type = HD_U32, \
	  .offset = offsetof(s, grid.store_latency), .def = "0", .min = 0, .max = UINT32_MAX }, \
	{ .name = "flush_l1d", .unit = "", .doc = "drop the L1Ds of a cluster whenever it is empty", \
	  .type = HD_BOOL, .offset = offsetof(s, grid.flush_l1d), .def = "true" }, \
	{ .name = "flush_l2", .unit = "", .doc = "drop modified lines of the second-level cache whenever " \
	  "the GPU is empty, in as many slices as there are channels", .type = HD_BOOL, \
	  .offset = offsetof(s, grid.flush_l2), .def = "false" }, \
	{ .name = "copies", .unit = "", .doc = "copies to the device come into the second-level cache", \
	  .type = HD_BOOL, .offset = offsetof(s, grid.copies), .def = "true" }

static inline struct hd_warps *grid_sm(const struct grid *g, uint32_t i)
{
	return (struct hd_warps *)g->warps.v[i];
}

static inline const struct hd_cache_if *grid_l1d(const struct grid *g, uint32_t i)
{
	return g->l1d.v[i];
}

/* CTAs on SM i, if it is over with none but those of which the present cycle tells; else UINT32_MAX.  Where partitions
 * run ahead the SM may have run on to the next end, or does so at the same time, and then waits for the dispatcher. */
static inline uint32_t grid_resident(const struct grid *g, uint32_t i)
{
	uint64_t ended;
	uint32_t n = hd_warps_resident(grid_sm(g, i), &ended);

	return g->cycle[i] && ended > *g->cycle[i] ? UINT32_MAX : n;
}

/* From start: checks the ports, claims SMs and trace.  Returns 0, or -1 after a message. */
int hd__grid_start(struct grid *g);
void hd__grid_fini(struct grid *g);
/* A sector of a kernel that is not simulated, by an SM: it comes into the caches that outlive a
 * kernel. */
void hd__grid_use(struct grid *g, uint64_t addr, uint32_t i);
/* Saves or loads what changes. */
void hd__grid_saved(struct hd_checkpoint *k, struct grid *g);
/* Instructions that all SMs have issued. */
uint64_t hd__grid_issued(const struct grid *g);
/* The copies to the device before kernel `item` of the list, from 0, take effect, `ahead` cycles
 * from now. */
void hd__grid_copy(struct grid *g, uint32_t item, uint32_t ahead);
/* Edge from which CTAs of a kernel may be placed that is launched at `first`.  Returns 0, or -1 after
 * a message. */
int hd__grid_opens(const struct grid *g, const struct hd_launch *k, uint64_t first, uint64_t *opens);
/* Warp slots of the SM that has most. */
uint32_t hd__grid_slots(const struct grid *g);
/* Reports that not one CTA fits on an SM.  Returns -1. */
int hd__grid_too_large(const struct grid *g, const struct hd_launch *k);
/* Loads the next CTA, of which `placed` came before it, onto warps first .. of SM i.  Returns 1; 0 if
 * the trace has no more, with a warning, and k->ctas is then `placed`; -1 after a message. */
int hd__grid_load(const struct grid *g, struct hd_launch *k, uint64_t placed, uint32_t i,
                  uint32_t first);
/* Starts the CTA that was loaded, on CTA slot `slot` of the SM. */
void hd__grid_start_cta(struct grid *g, const struct hd_launch *k, uint32_t i, uint32_t slot,
                        uint32_t first);
/* Cycles in which not all CTAs end, from the instructions that their warps have still to take; `warps` of those
 * are still to be placed.  For a time between two edges, at which all SMs are as far. */
uint64_t hd__grid_lasts(const struct grid *g, uint64_t warps);
/* Clusters have cycles as long as there are CTAs to place (`left`) or one of their own has not
 * ended. */
void hd__grid_run(struct grid *g, bool left);
/* Drops the caches of empty SMs and clusters.  Returns true if the whole GPU is empty. */
bool hd__grid_flush(struct grid *g);
/* A kernel has ended with cycle `now`; the next one counts from there. */
void hd__grid_end_kernel(struct grid *g, const struct hd_launch *k, uint64_t placed, uint64_t now);

#endif
