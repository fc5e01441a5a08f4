/* mem.h - one memory request, and the same on its way back as the reply
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_PAYLOAD_MEM_H
#define HEDDLE_PAYLOAD_MEM_H

#include <heddle/module.h>

enum hd_mem_flag {
	HD_MEM_WRITE = 1 << 0,
	HD_MEM_BYPASS = 1 << 1,  /* does not belong to the L1D */
	HD_MEM_ATOMIC = 1 << 2,
	HD_MEM_COPY = 1 << 3,    /* part of an asynchronous copy */
	HD_MEM_LOCAL = 1 << 4,   /* local memory, else global */
	HD_MEM_SILENT = 1 << 5,  /* wants no reply (write-back of a line) */
	HD_MEM_ALLOC = 1 << 6,   /* read that a store miss sent (write allocate) */
	HD_MEM_INST = 1 << 7,    /* instruction fetch */
	HD_MEM_SHARED = 1 << 8,  /* shared memory, never leaves the SM */
	HD_MEM_LOAD = 1 << 9,    /* a load waits for it (also atomics) */
};

/* Requester's view of a request: who is to be told.  The memory carries it back untouched. */
struct hd_mem_req {
	uint64_t addr;    /* of the sector (32 bytes), or of the line */
	uint32_t bytes;   /* written bytes of the sector, bit i = byte i; for loads the read ones */
	uint32_t size;    /* bytes asked for */
	uint32_t inst_id; /* asynchronous copy it belongs to, see interface/copy.h */
	uint16_t flags;   /* enum hd_mem_flag */
	uint16_t dst;     /* destination register, 0: none */
	uint8_t warp;
	uint8_t lanes;    /* active lanes that this request serves */
	uint8_t inst_lanes; /* active lanes of the instruction */
	uint8_t port;     /* requester behind a shared port */
	uint32_t line;    /* line index that the cache remembered */
};

static const struct hd_type hd_type_mem = {
	.name = "mem", .size = sizeof(struct hd_mem_req), .version = 1,
};

#endif
