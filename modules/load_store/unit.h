/* unit.h - private to load_store: its state
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * LS1 to LS18 are rules of docs/memory.md.
 */
#ifndef HEDDLE_MODULES_LOAD_STORE_UNIT_H
#define HEDDLE_MODULES_LOAD_STORE_UNIT_H

#include "queue.h"

#include <heddle/gpu/access.h>
#include <heddle/gpu/cache.h>
#include <heddle/gpu/map.h>
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/sync.h>

#define REGS (HD_REG_WORDS * 64u)

struct held;

struct unit {
	struct hd_ctx *ctx;
	struct hd_end in, request, response;
	struct hd_warps *warps;
	struct hd_scoreboard *scoreboard;
	struct hd_ifs regfile;
	const struct hd_cache_if *l1d;
	const uint32_t *l1d_queued, *l1d_filled; /* of it, or 0 where it is not linked */
	const struct hd_coalescer_if *coalescer;
	const struct hd_banks_if *banks;
	const struct hd_copy_if *copy;
	const struct hd_touch_if *touch;
	struct hd_pool *pool, *requests;
	struct banks l1d_queue;   /* in front of the L1D, by bank */
	uint32_t cycles_per_edge, shared_latency, l1d_latency, l1d_banks, l1d_interleave;
	uint32_t l1d_bank_index, bank_shift, bank_hash_shift, bank_mask;
	uint64_t bank_mix; /* address bits that are mixed in */
	bool bypass_global;

	uint32_t interval;
	bool in_turn;
	uint8_t turn;             /* scheduler that is the next to be taken from */
	uint64_t tick;            /* index of the present cycle */
	uint64_t next_accept;     /* first one in which another instruction may be taken */
	uint64_t accepted, busy, bank_conflicts, l1d_accesses, bypassed, completed_twice;
	uint16_t pending[REGS][HD_MAX_WARPS]; /* outstanding accesses of a load's register: warps load into the same ones */
	uint32_t *kept;           /* for dumps, by warp and register: the transaction; or NULL */
	struct held *held;        /* with it: where loads are */

	/* The dispatch latch. */
	hd_inst_ref latch;        /* 0: free */
	uint32_t conflict_cycles; /* left for the shared-memory banks of the latched instruction */
	uint32_t naccesses;       /* left; taken from the back, the highest address first */
	bool around;              /* its accesses bypass the L1D */
	struct hd_mem_req proto;  /* members common to all its requests */
	struct hd_access access[HD_MAX_ACCESSES];
	uint64_t taken;           /* as a set: the bank that the next access found full, with as many entries as it has
	                           * stages; 0: none */

	/* Pipelines of constant length. */
	struct queue shared;

	/* The writeback latch. */
	bool writing;             /* wb is valid */
	uint32_t has_global;      /* 1: global is valid */
	struct hd_mem_req wb;
	struct hd_mem_req global; /* reply of a bypassing load that waits for wb */
	uint32_t next_client;     /* that is served first */
};

/* For dumps: marks of loads and of their requests, and why the unit takes no instruction. */
enum { MARK_SHARED, MARK_MEMORY, MARK_MISS };
enum { REASON_LATCH, REASON_CONFLICT, REASON_SHARED, REASON_ACCESSES, REASON_BANK };

#endif
