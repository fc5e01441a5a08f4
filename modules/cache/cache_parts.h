/* cache_parts.h - private to the cache module: its state and internal functions
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * CA1 to CA20 are rules of docs/memory.md.  Of them CA6 and CA7 read like a scan over all ways.
 * Nothing here scans:
 *   - lines are found by a hash of the line address; each bucket is a chain in ascending line
 *     index, so that the first match is the one that a scan would meet first (two lines may carry
 *     one tag: a late fill revives a line whose address was allocated again, CA17);
 *   - the lines of a set form two rings, modified and other, each in the order (stamp, index), so
 *     that the first eligible one is the one that a scan with strict comparison would keep;
 *   - a bit for each invalid line gives the last invalid way of a set.
 */
#ifndef MODULES_CACHE_CACHE_PARTS_H
#define MODULES_CACHE_CACHE_PARTS_H

#include <heddle/gpu/cache.h>
#include <heddle/gpu/map.h>
#include <heddle/gpu/replacement.h>
#include <heddle/gpu/time.h>

#define CACHE_NONE UINT32_MAX      /* no line, no miss entry, no node */
#define CACHE_NO_TAG UINT64_MAX    /* never allocated: no line address, as it is not aligned */
#define CACHE_SECTOR 32u           /* bytes: the unit of a request and of a mask in hd_mem_req */
#define CACHE_SECTORS 4u           /* of a line, at most: what a state byte and the masks hold */

enum sector_state { SECTOR_INVALID, SECTOR_RESERVED, SECTOR_VALID, SECTOR_MODIFIED };

/* In line.flags: one bit for each sector from here on. */
enum line_flag {
	LINE_READABLE = 1 << 0,
	LINE_MODIFIED_ON_FILL = 1 << 4,
	LINE_READABLE_ON_FILL = 1 << 8,
	LINE_BYTES_ON_FILL = 1 << 12, /* one for the line, */
	LINE_WRITTEN = 1 << 13,       /* and another: bytes of it are noted */
};
#define LINE_ALL_READABLE 0xfu

/* After the last line of the array there are two anchors for each set: of the ring of its modified
 * lines, and before that of the ring of all others. */
struct line {
	uint64_t tag;          /* line address */
	uint32_t stamp;        /* last access (lru) or allocation (fifo), cycles mod 2^32 */
	uint32_t older, newer; /* in the ring; anchor.newer is the oldest */
	uint32_t anchor;       /* of the ring; CACHE_NONE: of no set at present */
	uint32_t chain;        /* next line in the bucket */
	uint16_t flags;
	uint8_t state;         /* enum sector_state, two bits each; 0: invalid line */
};

/* Written bytes of a line, a word for each 32 bytes.  Most lines have none. */
struct written {
	uint32_t bytes[CACHE_SECTORS];
};

/* Buckets of addresses.  The product's high bits depend on all bits of the address, and neighbours have neighbouring
 * buckets: mostly the next one, so that those of a stream share cache lines. */
struct spread {
	uint64_t factor;
	unsigned shift; /* 64 - log2 buckets */
};

/* A request that waits. */
struct mshr_node {
	struct hd_mem_req req;
	uint32_t place; /* index of the line for the request; from NODE_USER on the index of the user whose it is */
	uint32_t next;
};

#define NODE_USER 24u

/* A miss entry begins with the node of the request that opened it, so that most misses touch one cache line.  Its key,
 * mostly the sector address, or the line address if not sectored, follows from that.  Requests that have joined it wait
 * behind that node, also when it has been taken itself. */
struct mshr_entry {
	struct mshr_node node;
	uint32_t chain;  /* next in the bucket, or in the list of free entries */
	uint32_t after;  /* filled: the one that was filled next; before: the record it was sent in, 0: none is known */
	uint32_t last;
	uint32_t count : 26;
	uint32_t taken : 1;  /* .node is, and does not wait any more */
	uint32_t key : 2;    /* enum cache_key: what the key is the address of */
	uint32_t whole : 1;  /* .node is the write-back of a line */
	uint32_t atomic : 1; /* one of them is */
	uint32_t ready : 1;  /* filled */
};

/* Mostly the sector, or the line if not sectored; of a write-back of a single sector its line; of HD_MEM_HALF the half
 * of a line of 128 bytes. */
enum cache_key { KEY_ATOM, KEY_HALF, KEY_LINE, KEYS };

struct mshr {
	uint32_t entries, merge; /* parameters */
	uint32_t used, waiting;  /* entries, nodes */
	uint32_t *bucket;        /* as many as entries were in use, so that few are touched: */
	uint32_t buckets;
	unsigned unit;           /* keys are multiples of 2 ^ unit */
	struct spread spread;
	uint64_t mask[KEYS];     /* the key of an address */
	struct mshr_entry *entry;
	struct mshr_node *more;  /* nodes of requests that join an entry; they are numbered behind those of entries */
	uint32_t (*line_bytes)[CACHE_SECTORS]; /* by node: of a write-back of a line that waits */
	uint32_t free_entry, free_node;   /* free; nodes: of .more */
	uint32_t fresh_entry, fresh_node; /* never used from here on: memory stays untouched */
	uint32_t ready, newest;           /* list of filled entries, in that order */
	uint32_t filled;                  /* how many they are */
};

/* Result of a probe, and outcome of an access in the counters. */
enum cache_outcome { CACHE_HIT, CACHE_HIT_RESERVED, CACHE_SECTOR_MISS, CACHE_MISS, CACHE_NO_WAY,
};

enum cache_fail { FAIL_WAYS, FAIL_QUEUE, FAIL_ENTRIES, FAIL_MERGE, FAIL_REASONS };

/* Order as in the choices of the parameters. */
enum { REPLACE_LRU, REPLACE_FIFO, REPLACE_OTHER }; /* the last: by a policy at a port */
enum { POLICY_THROUGH, POLICY_BACK, POLICY_EVICT, POLICY_LOCAL_BACK, POLICY_READ_ONLY };
enum { ALLOCATE_ON_MISS, ALLOCATE_ON_FILL, ALLOCATE_STREAMING };
enum { WRITE_MISS_NONE, WRITE_MISS_ALLOCATE, WRITE_MISS_FETCH, WRITE_MISS_LAZY };
enum { INDEX_LINEAR, INDEX_XOR, INDEX_IPOLY };

enum cache_emit { EMIT_ACCESS, EMIT_FILL, EMIT_EVICT };

/* An evicted modified line. */
struct evicted {
	uint64_t addr, via;      /* via: of the access that replaced it */
	uint32_t size, sectors;  /* bytes, set of modified sectors */
	struct written written;
};

struct cache;

/* An instance that calls the cache.  Its misses and write-backs leave through a queue of its own, and
 * it gets the answers to its own requests, also when another user brought the reply. */
struct user {
	struct cache *cache;
	uint32_t index;
	uint32_t mark;            /* that at NODE_USER */
	uint32_t filled;          /* its requests in entries that are filled */
	struct hd_mem_req *queue; /* miss queue, a ring; */
	struct evicted *gone;     /* at the same places: content of a write-back */
	struct hd_mem_line out;   /* the head, if it is one */
	uint32_t queue_head, queue_count;
	const struct hd_cache_notices *notices; /* or NULL: it does not listen */
};

struct cache {
	struct hd_ctx *ctx;
	struct user *user, *at; /* all; the one whose request is looked at */
	struct hd_users users;  /* the port: interfaces and wakers */
	bool several;           /* users have sent requests */
	bool heard;             /* a policy, or one of them, is notified of lines that are replaced */
	struct line *line;
	struct written *written; /* by line */
	uint32_t *bucket;
	struct spread spread;  /* over the buckets */
	unsigned line_log2, sets_log2;
	uint64_t line_mask;    /* line address of an address */
	uint32_t atom;         /* bytes that a read fetches: the sector, or the line */
	uint32_t lines;        /* sets * max_ways */
	uint32_t dirty;        /* modified lines as CA18 counts them: may wrap below 0 */
	uint32_t dirty_enough; /* from this count on modified lines may be replaced */
	bool used;             /* a tag access happened since the last invalidation */
	uint64_t *invalid;     /* bit i = line i is invalid */
	uint64_t changes;      /* number of changes of any state */
	uint64_t *stuck;       /* for each set: value of changes when it was found without a way */
	struct mshr mshr;
	uint32_t queue_mask;   /* of every user's queue */
	uint32_t read_limit;   /* with so many requests in it the queue is full for a read, */
	uint32_t store_limit;  /* and with so many for any store that does not hit (CA13) */
	uint64_t atom_mask;    /* key of an address in the miss entries */
	uint64_t twice_mask;   /* twice the sector of an address, from twice its 32 bytes */
	uint32_t ways;         /* present, */
	uint32_t allocate;     /* and present ALLOCATE_ON_MISS or ALLOCATE_ON_FILL */
	const struct hd_map_if *map;  /* of a slice of the memory; or NULL */
	const struct hd_time *base; /* or NULL */
	const struct hd_replacement_if *policy; /* or NULL */
	uint32_t *candidates;  /* with a policy: ways that it may choose from */
	const uint64_t *time;  /* time that orders the lines by age, */
	uint32_t later;        /* plus this */

	/* parameters */
	bool sectored;
	uint32_t sets, line_bytes, ways_at_start, max_ways;
	uint32_t replacement, write_policy, allocation, write_allocate, set_index;
	uint32_t miss_queue, write_ratio;

	/* statistics */
	uint64_t outcome[CACHE_NO_WAY][HD_MEM_KINDS];
	uint64_t fails[FAIL_REASONS][HD_MEM_KINDS];
	uint64_t merged[HD_MEM_KINDS];
	uint64_t evictions, write_backs, fills;
	uint64_t written_back; /* address of the last line written back */
};

/* A sector in the array, and a place where bytes are noted. */
struct place {
	uint32_t line;
	unsigned sector; /* whose state is meant: 0 if not sectored */
	unsigned word;   /* which 32 bytes of the line */
};

/* For at least n buckets: a power of two, which is returned.  Addresses are multiples of 2 ^ unit.  Each is 1 + 1/26
 * buckets behind the one before, more exactly 1 + 0.618/16, so that addresses that are equally far apart have
 * different buckets, too. */
static inline uint32_t cache_spread(struct spread *s, uint32_t n, unsigned unit)
{
	unsigned log2 = n > 1 ? hd_bits_last(n - 1) + 1 : 1;
	uint64_t one;

	s->shift = 64 - log2;
	one = UINT64_C(1) << (s->shift - unit);
	s->factor = one + (uint64_t)((double)one * 0.6180339887 / 16);
	return UINT32_C(1) << log2;
}

static inline uint32_t cache_now(const struct cache *c)
{
	return (uint32_t)*c->time + c->later; /* times have 32 bits */
}

static inline uint32_t cache_hash(uint64_t addr, struct spread s)
{
	return (uint32_t)(addr * s.factor >> s.shift);
}

static inline enum sector_state line_sector(const struct line *l, unsigned sector)
{
	return (enum sector_state)(l->state >> (2 * sector) & 3);
}

static inline bool line_modified(unsigned state)
{
	return (state & state >> 1 & 0x55) != 0;
}

static inline bool line_reserved(unsigned state)
{
	return (state & ~(state >> 1) & 0x55) != 0;
}

/* Is the sector, whose number is given twice, in a line whose tag is equal and that is not invalid? */
static inline bool line_hit(const struct line *l, unsigned twice)
{
	unsigned state = l->state >> twice & 3;

	if (HD_LIKELY(state != SECTOR_MODIFIED))
		return state == SECTOR_VALID;
	return l->flags & LINE_READABLE << twice / 2;
}

/* CA7 for a line whose tag is equal and that is not invalid. */
static inline enum cache_outcome line_outcome(const struct line *l, unsigned sector, bool write)
{
	switch (line_sector(l, sector)) {
	case SECTOR_RESERVED:
		return CACHE_HIT_RESERVED;
	case SECTOR_VALID:
		return CACHE_HIT;
	case SECTOR_MODIFIED:
		return write || l->flags & LINE_READABLE << sector ? CACHE_HIT : CACHE_SECTOR_MISS;
	default:
		return CACHE_SECTOR_MISS;
	}
}

/* First line in way order that carries the tag and is not invalid, or CACHE_NONE. */
static inline uint32_t cache_find(const struct cache *c, uint64_t tag)
{
	uint32_t i = c->bucket[cache_hash(tag, c->spread)];

	while (i != CACHE_NONE) {
		const struct line *l = &c->line[i];

		if (HD_LIKELY(l->tag == tag && l->state != 0))
			break;
		i = l->chain;
	}
	return i;
}

/* CA3: full with n to spare. */
static inline bool cache_full(const struct cache *c, uint32_t n)
{
	return c->at->queue_count + n >= c->miss_queue;
}

/* The word of an address in its line, and its sector state: a plain line has one. */
static inline unsigned cache_word(const struct cache *c, uint64_t addr)
{
	return (unsigned)(addr & ~c->line_mask) / CACHE_SECTOR;
}

static inline unsigned cache_sector(const struct cache *c, uint64_t addr)
{
	return c->sectored ? cache_word(c, addr) : 0;
}

/* Twice cache_sector(): the state of a sector has two bits. */
static inline unsigned cache_sector_twice(const struct cache *c, uint64_t addr)
{
	return (unsigned)(addr * 2 / CACHE_SECTOR & c->twice_mask);
}

/* Adds the bytes that the request writes: of one word and the beginning of the next, or, if `line` is not NULL, of
 * all. */
static inline void cache_add_bytes(struct cache *c, const struct place *at, const struct hd_mem_req *req,
                                   const uint32_t *line)
{
	uint32_t *written = c->written[at->line].bytes, beyond = hd_mem_beyond(req);

	c->line[at->line].flags |= LINE_WRITTEN;
	if (HD_UNLIKELY(line != NULL)) {
		for (unsigned k = 0; k < CACHE_SECTORS; k++)
			written[k] |= line[k];
		return;
	}
	written[at->word] |= req->bytes;
	if (HD_UNLIKELY(beyond) && at->word + 1 < CACHE_SECTORS)
		written[at->word + 1] |= (uint32_t)hd_bits_below(beyond);
}

/* Does a dump or a list of events have it? */
static inline bool cache_emits(const struct cache *c, enum cache_emit event)
{
	return hd_bits_has(c->ctx->events, event);
}

/* The functions of struct hd_cache_if. */
enum hd_cache_status hd__cache_access(void *self, const struct hd_mem_req *req, unsigned *events);
void hd__cache_copy(void *self, const struct hd_mem_req *req);
void hd__cache_fill(void *self, const struct hd_mem_req *reply);

#endif
