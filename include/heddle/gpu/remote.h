/* remote.h - what goes from one CTA of a cluster to another, between the SMs of a GPC
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hopper.md, Distributed shared memory.
 */
#ifndef HEDDLE_GPU_REMOTE_H
#define HEDDLE_GPU_REMOTE_H

#include <heddle/gpu/warps.h>

/* With clusters an address of shared memory has the rank of its CTA above these bits. */
#define HD_RANK_SHIFT 24u
#define HD_RANK(address) ((uint32_t)((address) >> HD_RANK_SHIFT) & 0xffu)

enum hd_remote_kind {
	HD_REMOTE_LOAD, HD_REMOTE_ATOMIC, HD_REMOTE_STORE, /* of one warp instruction */
	HD_REMOTE_ANSWER,                 /* to LOAD and ATOMIC, with the data; to STORE, without */
	HD_REMOTE_ARRIVE,                 /* at an mbarrier: .value, and .bytes more that it expects */
	HD_REMOTE_MOVE,                   /* part of a bulk copy to another CTA, */
	HD_REMOTE_COPY,                   /* or to several: the network makes the copies */
	HD_REMOTE_JOIN, HD_REMOTE_OPEN,   /* a CTA has come to the barrier of its cluster; all have */
	HD_REMOTE_GONE,                   /* a CTA has ended, and comes to no barrier any more */
	HD_REMOTE_KINDS,
};

/* The payload of its channels. */
struct hd_remote {
	uint64_t block;          /* number of the CTA that sends it */
	uint32_t serial;         /* hd_cta_cluster.serial */
	uint32_t address;        /* of an mbarrier, without its rank */
	uint32_t bytes;          /* data; of an ARRIVE: expected, or arrived, as .how says */
	uint32_t value;          /* of an ARRIVE: arrivals, as .how says; of a JOIN and GONE: the rank */
	uint16_t id;             /* of the instruction at the sender; of a STORE: of the warp */
	uint16_t cycles;         /* for which it takes the port of shared memory */
	uint8_t kind;            /* enum hd_remote_kind */
	uint8_t to, slot;        /* SM of the GPC, CTA slot there */
	uint8_t from, back;      /* the same of the sender */
	uint8_t how;             /* of an ARRIVE, and a STORE whose bytes arrive: set of enum hd_async_how; of an
	                          * ANSWER: to which kind */
	uint8_t far;             /* of a cluster of more than two CTAs */
	uint8_t own;             /* it does not leave the SM */
	uint32_t zero;
};

static const struct hd_type hd_type_remote = {
	.name = "remote", .size = sizeof(struct hd_remote), .version = 1,
};

/* A packet from this CTA slot to a rank of its cluster. */
static inline struct hd_remote hd_remote_to(const struct hd_warps *w, uint32_t cta, uint32_t rank,
                                            enum hd_remote_kind kind)
{
	const struct hd_cta_cluster *c = &w->cluster[cta];

	struct hd_remote p = { 0 };

	p.kind = (uint8_t)kind;
	p.block = w->block[cta];
	p.serial = c->serial;
	p.to = c->sm[rank];
	p.slot = c->slot[rank];
	p.from = c->sm[c->rank];
	p.back = (uint8_t)cta;
	p.far = c->size > 2;
	return p;
}

/* For what comes to the barrier of a cluster. */
struct hd_remote_if {
	void *self;
	void (*deliver)(void *self, const struct hd_remote *r);
};

static const struct hd_type hd_type_remote_if = {
	.name = "remote_if", .size = sizeof(struct hd_remote_if), .version = 1,
};

#endif
