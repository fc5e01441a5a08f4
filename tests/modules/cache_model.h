/* cache_model.h - a plain model of a cache, to be compared with the module
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It scans arrays from end to end, as in rules CA1 to CA20 of docs/memory.md, and shares no code
 * with the module.
 */
#ifndef TESTS_MODULES_CACHE_MODEL_H
#define TESTS_MODULES_CACHE_MODEL_H

#include <heddle/gpu/cache.h>

#define MAXL 256
#define MAXE 64
#define MAXM 16
#define MAXQ 64

enum sector_state { INVALID, RESERVED, VALID, MODIFIED };
enum outcome { HIT, RESERVED_HIT, SECTOR_MISS, MISS, FAIL };

struct line {
	uint64_t tag;
	enum sector_state state[4];
	bool readable[4], mod_on_fill[4], read_on_fill[4], bytes_on_fill;
	bool dirty[128];
	uint32_t last, born;
};

struct miss_entry {
	uint64_t key;
	struct hd_mem_req req[MAXM];
	unsigned n;
	uint32_t line; /* of the first */
	bool atomic;
};

struct model {
	/* As configured.  Policies by letter: write policy Through, Back, Evict, Local back and
	 * global evict, Read-only; on a write miss None, Write allocate, Fetch on write, Lazy
	 * fetch; set index Linear, Xor, iPoly. */
	bool sectored, fifo, on_fill;
	unsigned sets, linesize, ways, merge, entries, qsize, ratio, nsec;
	char wp, wa, si;
	struct line line[MAXL];
	struct miss_entry e[MAXE];
	unsigned ne, nready, nq;
	uint64_t readykey[MAXE];
	struct hd_mem_req q[MAXQ];
	uint32_t dirty;
	bool used;
	uint32_t now;
	uint64_t outcomes[2][5];
};

/* As the functions of struct hd_cache_if. */
enum hd_cache_status model_access(struct model *m, const struct hd_mem_req *r, unsigned *events);
void model_fill(struct model *m, uint64_t addr);
const struct hd_mem_req *model_ready(struct model *m); /* NULL: nothing is answered */
void model_taken(struct model *m);
void model_invalidate(struct model *m);

#endif
