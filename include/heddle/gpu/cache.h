/* cache.h - interface of a data cache that the load/store unit calls
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Cache: every function takes effect at once.
 */
#ifndef HEDDLE_GPU_CACHE_H
#define HEDDLE_GPU_CACHE_H

#include <heddle/gpu/mem.h>

enum hd_cache_status {
	HD_CACHE_HIT,
	HD_CACHE_MISS, /* also a hit on a reserved sector; the cache keeps the request */
	HD_CACHE_FAIL, /* reservation failure: nothing changed, try again */
};

enum hd_cache_event {
	HD_CACHE_WRITE_SENT = 1 << 0, /* the store itself goes to memory, which will answer it */
	HD_CACHE_ALLOC_SENT = 1 << 1, /* a write-allocate read was sent; its reply answers the store */
	HD_CACHE_PUSHED_OUT = 1 << 8, /* times the modified sectors that a store pushed out, 0 to 4 */
};
#define HD_CACHE_PUSHED(events) ((events) / HD_CACHE_PUSHED_OUT)

/* What a read of a sector, or line, would meet. */
enum hd_cache_presence {
	HD_CACHE_ABSENT,
	HD_CACHE_COMING, /* a miss that is under way, which it would join */
	HD_CACHE_HAS,    /* a hit */
};

#define HD_CACHE_UNSENT UINT32_MAX

/* Notices of a cache for users, each function or NULL.  They are called within a call of some user, which
 * the order of the links puts before or after the one that listens, and do not call the cache themselves. */
struct hd_cache_notices {
	void *self;
	/* A read goes to memory for this request of another user. */
	void (*missed)(void *self, const struct hd_mem_req *req);
	/* The line at addr gives its place to another one, for the request `by`.  Of its sectors, bit i = 32 bytes at
	 * addr + 32 * i, those in `has` can be read and those in `modified` were written here. */
	void (*evicted)(void *self, uint64_t addr, uint32_t has, uint32_t modified, const struct hd_mem_req *by);
	/* All lines are invalid, or, if not `all`, those that were modified. */
	void (*emptied)(void *self, bool all);
};

struct hd_cache_if {
	void *self;
	struct hd_ctx *ctx; /* of the cache, for hd_for_part() */
	/* Returns the outcome of the request; *events is a set of enum hd_cache_event. */
	enum hd_cache_status (*access)(void *self, const struct hd_mem_req *req, unsigned *events);
	/* Number of requests in the miss queue, and of filled entries: whether outgoing() and
	 * ready() return a request, without a call. */
	const uint32_t *queued, *filled;
	/* Number of lines that replacements have written back, and the address of the last one. */
	const uint64_t *write_backs, *written_back;
	/* Head of the miss queue, or NULL; valid until sent() or access().  With HD_MEM_LINE it is
	 * the first member of a struct hd_mem_line. */
	const struct hd_mem_req *(*outgoing)(void *self);
	/* Takes the head of the miss queue, which is not empty, out and returns it as outgoing() does:
	 * valid until access(). */
	const struct hd_mem_req *(*sent)(void *self);
	void (*fill)(void *self, const struct hd_mem_req *reply);
	/* Next request that a fill answered, in order, or NULL; it stays until taken().  With
	 * HD_MEM_ALLOC and HD_MEM_WRITE it is a store that waited for its fetch and is answered
	 * now; with HD_MEM_ALLOC alone no instruction waits for it. */
	const struct hd_mem_req *(*ready)(void *self);
	/* Takes it out, if there is one, and returns it: valid until access(). */
	const struct hd_mem_req *(*taken)(void *self);
	void (*invalidate)(void *self);
	/* Ways per set from now on, at most the parameter max_ways; adaptive L1/shared split.  shared: some of the
	 * memory is shared memory, so a cache that streams allocates on fill. */
	void (*set_ways)(void *self, uint32_t ways, bool shared);
	/* Requests inside (miss queue, miss entries), for the report at the end. */
	uint32_t (*pending)(const void *self);
	uint32_t max_ways;
	uint32_t atom;       /* bytes that a read fetches: a sector, or a line */
	uint32_t queue_room; /* most requests that the miss queue ever holds */
	/* Puts a sector there, `ahead` cycles from now, as if it had been read.  All that comes
	 * later counts as `later` cycles younger for the order of replacement. */
	void (*preset)(void *self, uint64_t addr, uint32_t ahead, uint32_t later);
	/* Drops modified lines only, without writing them back. */
	void (*flush)(void *self);
	/* Looks without any effect.  If this user sends the read that is under way, *record is the one that sent_as()
	 * has named, or 0: it is in the miss queue; else HD_CACHE_UNSENT. */
	enum hd_cache_presence (*probe)(const void *self, uint64_t addr, uint32_t *record);
	/* The read of this sector, or line, which sent() has returned, is in the record from now on. */
	void (*sent_as)(void *self, uint64_t addr, uint32_t record);
	/* The sector of this read, which another cache has read, is there from now on, and used.  It is a hit if it
	 * was there before.  Nothing happens if there is no line for it, or no room in the miss queue.  NULL: caches
	 * that are not sectored, or do not allocate lines on a miss, cannot. */
	void (*copy)(void *self, const struct hd_mem_req *req);
	/* In start(), once: the user's functions are called from now on.  They are not copied. */
	void (*listen)(void *self, const struct hd_cache_notices *to);
};

static const struct hd_type hd_type_cache_if = {
	.name = "cache", .size = sizeof(struct hd_cache_if), .version = 8,
	.work = HD_WORK_IN,
};

#endif
