/* mem.h - one memory request, and the same on its way back as the reply
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Channels carry the handle (hd_mem_ref); the record is in the pool of hd_type_mem.  The sender of
 * a request allocates the record, and releases it when the reply has arrived; a request without a
 * reply is released where it ends.  Records hold no pointers, so that they may be copied from one
 * pool into another.
 */
#ifndef HEDDLE_GPU_MEM_H
#define HEDDLE_GPU_MEM_H

#include <heddle/module.h>

/* The first five are the kind of a request, for counting: see HD_MEM_KIND. */
enum hd_mem_flag {
	HD_MEM_WRITE = 1 << 0,
	HD_MEM_LOCAL = 1 << 1, /* local memory, else global */
	HD_MEM_LINE = 1 << 2, /* write-back of a line: hd_mem_line holds its bytes */
	HD_MEM_ALLOC = 1 << 3, /* read that a store miss sent (write allocate) */
	HD_MEM_INST = 1 << 4, /* instruction fetch */
	HD_MEM_BYPASS = 1 << 5, /* does not belong to the L1D */
	HD_MEM_ATOMIC = 1 << 6,
	HD_MEM_COPY = 1 << 7, /* part of an asynchronous copy */
	HD_MEM_SILENT = 1 << 8, /* gets no reply (write-back of a line) */
	HD_MEM_SHARED = 1 << 9, /* shared memory, never leaves the SM */
	HD_MEM_LOAD = 1 << 10, /* a load waits for it (also atomics) */
	HD_MEM_REPLY = 1 << 11, /* on its way back */
	HD_MEM_HALF = 1 << 12, /* sector of a read of 64 bytes: caches wait for both under the address of the first */
	HD_MEM_PARTS = 1 << 13, /* of any bytes of a line, and answered as a whole */
};
#define HD_MEM_KINDS 32u
#define HD_MEM_KIND(flags) ((flags) & (HD_MEM_KINDS - 1))

/* Where a request is, for warps that wait for it: each module that takes it says so. */
enum hd_mem_place {
	HD_MEM_AT_L1,       /* not sent: the load/store unit has it, or the L1D looks it up */
	HD_MEM_AT_L1_QUEUE, /* in the miss queue of the L1D */
	HD_MEM_AT_NETWORK,
	HD_MEM_AT_ROP,
	HD_MEM_AT_L2,       /* in front of the L2, in it, or behind another request for its sector */
	HD_MEM_AT_DRAM_QUEUE,
	HD_MEM_AT_DRAM,
	HD_MEM_AT_REPLY,    /* answered, on its way back */
	HD_MEM_PLACES,
};

/* The requester's part of a request.  The memory returns it unchanged. */
struct hd_mem_req {
	uint64_t addr;    /* of the sector (32 bytes), or of the line */
	uint32_t bytes;   /* written bytes of the sector, bit i = byte i; for loads the read ones;
	                   * with HD_MEM_LINE the set of modified sectors */
	uint32_t inst_id; /* asynchronous copy it belongs to, see sync.h */
	uint32_t uid;     /* instruction it belongs to: low bits of hd_inst.uid; 0: none */
	uint16_t size;    /* bytes requested */
	uint16_t core;    /* SM that it comes from */
	uint16_t flags;   /* enum hd_mem_flag */
	uint16_t dst;     /* destination register, 0: none */
	uint8_t warp;
	union {
		uint8_t lanes;  /* of an atomic: active lanes that this request serves; */
		uint8_t beyond; /* of others: bytes of the next sector that count as touched, from its first one on */
	};
	uint8_t inst_lanes; /* active lanes of the instruction */
	uint8_t port;     /* requester behind a shared port */
	uint32_t kernel;  /* of the instruction that it is made for, as hd_inst.kernel; 0: none is known, */
	uint32_t pc;      /* else the pc, and .warp is its warp */
};

static inline uint32_t hd_mem_beyond(const struct hd_mem_req *r)
{
	return HD_LIKELY(r->beyond == 0) || (r->flags & HD_MEM_ATOMIC) ? 0 : r->beyond;
}

/* Sectors that its bytes are in. */
static inline uint32_t hd_mem_sectors(const struct hd_mem_req *r)
{
	return (uint32_t)((r->addr + r->size + 31) / 32 - r->addr / 32);
}

/* Packets of a network that it takes the time of: one, but for a sector each where data of several go together. */
static inline uint32_t hd_mem_packets(const struct hd_mem_req *r)
{
	if (HD_LIKELY(!(r->flags & HD_MEM_PARTS)) || !(r->flags & HD_MEM_WRITE) == !(r->flags & HD_MEM_REPLY))
		return 1;
	return hd_mem_sectors(r);
}

/* A request with HD_MEM_LINE is the first member of this. */
struct hd_mem_line {
	struct hd_mem_req req;
	uint32_t bytes[4]; /* written bytes of each sector of the line */
	uint64_t via;      /* address of the access that evicted it, whose route it takes */
};

/* The record.  The members besides `line` belong to the instance that has the request at present.  With
 * `line.req` they are all that most modules need, and in one cache line, but for pc and kernel: the records of a
 * whole GPU are more than caches hold. */
struct hd_mem {
	uint64_t due;      /* cycle from which it may proceed */
	uint64_t at;       /* cycle + 1 in which it moved last; see hd_mem_move() */
	uint32_t next;     /* next request in a list */
	uint32_t row;      /* of the memory bank, */
	uint16_t bank;     /* set when it reaches the memory channel */
	uint16_t slice;    /* of its address, set by the network */
	uint32_t moved : 23; /* bytes that the memory has moved so far */
	uint32_t waits : 1;  /* .waiter is set */
	uint32_t place : 4;  /* enum hd_mem_place */
	uint32_t before : 4; /* the place that it left in cycle `at` - 1; see hd_mem_move() */
	struct hd_mem_line line;
	uint32_t waiter;   /* hd_waker_number() of the instance that is woken when it moves, or was once */
	uint32_t unused[7]; /* so that each record is two cache lines */
};

typedef uint32_t hd_mem_ref;

#define HD_MEM_FIELD(f) .offset = offsetof(struct hd_mem, line.req.f), \
	.size = sizeof(((struct hd_mem *)0)->line.req.f)

/* Fields of a request in dumps. */
static const struct hd_field hd_mem_fields[] = {
	{ .name = "addr", .unit = "bytes", .doc = "of the sector, or of the line",
	  .flags = HD_FIELD_HEX, HD_MEM_FIELD(addr) },
	{ .name = "uid", .unit = "", .doc = "instruction that it belongs to; 0: none",
	  HD_MEM_FIELD(uid) },
	{ .name = "core", .unit = "", .doc = "SM that it comes from", HD_MEM_FIELD(core) },
	{ .name = "warp", .unit = "", .doc = "hardware warp slot", HD_MEM_FIELD(warp) },
	{ .name = "flags", .unit = "", .doc = "set of: 1 write, 2 local, 4 line, 8 read for a "
	  "store miss, 16 instruction fetch, 32 bypasses the L1D, 64 atomic, 128 copy, 256 gets no "
	  "reply, 1024 load, 2048 reply, 4096 half of a read of 64 bytes, 8192 of any bytes of a line",
	  .flags = HD_FIELD_HEX, HD_MEM_FIELD(flags) },
	{ 0 },
};

static const struct hd_type hd_type_mem = {
	.name = "mem", .size = sizeof(hd_mem_ref), .version = 8, .record = sizeof(struct hd_mem),
	.fields = hd_mem_fields,
};

static inline struct hd_mem *hd_mem(const struct hd_pool *p, hd_mem_ref r)
{
	return (struct hd_mem *)p->base + r; /* hd_rec() with a constant size */
}

/* The request moves in this cycle of the requester's clock.  Whether the memory is evaluated before the instances that
 * look at a request depends on the links, so they see the place where it was when the cycle began. */
static inline void hd_mem_move(const struct hd_ctx *c, struct hd_mem *m, uint64_t cycle, enum hd_mem_place place)
{
	if (HD_UNLIKELY(m->waits)) {
		hd_wake_number(c, m->waiter);
		m->waits = 0;
	}
	if (m->at != cycle + 1) {
		m->before = m->place;
		m->at = cycle + 1;
	}
	m->place = place & 15;
}

static inline enum hd_mem_place hd_mem_seen(const struct hd_mem *m, uint64_t cycle)
{
	return (enum hd_mem_place)(m->at == cycle + 1 ? m->before : m->place);
}

/* Wakes the instance in the cycle in which the place that hd_mem_seen() returns may become another one.  Returns false
 * if that is the next cycle, or another instance waits. */
static inline bool hd_mem_wait(const struct hd_ctx *c, struct hd_mem *m, uint64_t cycle, struct hd_waker w)
{
	uint32_t number = hd_waker_number(c, w);

	if (number == 0 || m->at == cycle + 1 || (m->waits && m->waiter != number))
		return false;
	m->waiter = number;
	m->waits = 1;
	return true;
}

/* The request is at the mark from now on, and so are the warps that wait for it. */
static inline void hd_mem_at(const struct hd_ctx *c, const struct hd_pool *p, hd_mem_ref r,
                             unsigned mark, uint64_t cycle, enum hd_mem_place place)
{
	hd_mem_move(c, hd_mem(p, r), cycle, place);
	hd_mark(c, p, r, mark, 0);
}

/* A compiler removes calls of functions that only prefetch. */
#if defined(__GNUC__)
#define HD__MEM_KEPT __attribute__((always_inline))
#else
#define HD__MEM_KEPT
#endif

/* The record of a request that has waited for long is in no cache: it begins to be read here, and is there when the
 * request moves on. */
static inline HD__MEM_KEPT void hd_mem_fetch(const struct hd_pool *p, hd_mem_ref r)
{
#if defined(__GNUC__)
	__builtin_prefetch(hd_mem(p, r), 1);
#endif
}

/* Begins to read the record of the request n places behind the first of a channel, if there is one. */
static inline HD__MEM_KEPT void hd_mem_fetch_behind(const struct hd_pool *p, const struct hd_end *e, uint32_t n)
{
	const hd_mem_ref *r = (const hd_mem_ref *)hd_behind(e, n);

	if (r)
		hd_mem_fetch(p, *r);
}

static inline hd_mem_ref hd_mem_front(const struct hd_end *e)
{
	const hd_mem_ref *r = (const hd_mem_ref *)hd_front(e);

	return r ? *r : 0;
}

/* Sends a request in a record of its own. */
static inline void hd_mem_send(const struct hd_ctx *c, struct hd_pool *p, const struct hd_end *e,
                               const struct hd_mem_req *req)
{
	hd_mem_ref r = hd_alloc(c, p);

	hd_mem(p, r)->line.req = *req;
	hd_mem(p, r)->at = 0;
	hd_put(e, &r, sizeof r);
}

/* Sends a request of a cache, which may be a line.  A read for a store is a read like any other from here: what is
 * behind may have caches that send such reads as well, and drops the replies to its own. */
static inline void hd_mem_send_on(const struct hd_ctx *c, struct hd_pool *p, const struct hd_end *e,
                               const struct hd_mem_req *req)
{
	hd_mem_ref r = hd_alloc(c, p);

	if (HD_UNLIKELY(req->flags & HD_MEM_LINE))
		hd_mem(p, r)->line = *(const struct hd_mem_line *)req;
	else
		hd_mem(p, r)->line.req = *req;
	hd_mem(p, r)->line.req.flags &= (uint16_t)~HD_MEM_ALLOC;
	hd_mem(p, r)->at = 0;
	hd_put(e, &r, sizeof r);
}

/* From the receiver of requests to a sender that does not see how full its queues are: may the sender go on?
 * Sent when it changes; before the first one it may. */
struct hd_credit {
	uint32_t open; /* 1: go on; 0: stop */
};

static const struct hd_type hd_type_credit = {
	.name = "credit", .size = sizeof(struct hd_credit), .version = 1,
};

#endif
