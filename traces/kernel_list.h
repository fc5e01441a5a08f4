/* kernel_list.h - the list of kernels, and the head of the file of each
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_KERNEL_LIST_H
#define TRACES_KERNEL_LIST_H

#include "trace_text.h"

#include <heddle/gpu/launch.h>

#define TRACE_WARPS 64u /* most of a thread block */

/* ---- kernel_list.c ---- */

/* The kernels to replay, in order. */
struct trace_list {
	struct trace_item {
		char *path;
		uint64_t line; /* in the list; 0: the input is the kernel's file itself */
		size_t copies;  /* so many elements of `copy` stand before it */
		/* of a trace that comes in parts (trace_parts.h): */
		struct trace_part *part; /* those that have come, in order, without */
		uint32_t gone;           /* so many first ones */
		bool whole, failed;      /* no further ones come; since the kernel has failed */
		bool dropped;            /* they are not kept */
	} *v;
	size_t n, cap;
	struct hd_trace_copy *copy;
	size_t ncopy, capcopy;
	uint64_t copies, copied; /* host-to-device copies that the list has, and their bytes */
	uint64_t others;         /* lines that are neither a copy nor a kernel */
	bool late;               /* set before reading: a missing file of a kernel is reported when it is opened */
	struct trace_text pipe;  /* the input, if it is a pipe and the kernel's file itself: at its beginning */
};

/* first, last: the kernels to replay, counted from 1.  Others are removed from the list. */
int hd__trace_list_read(struct trace_list *l, const struct trace_host *host, const char *input,
                        uint64_t first, uint64_t last, uint64_t xz_memory);
/* Reports that none of the kernels is requested.  Returns -1. */
int hd__trace_list_none(const struct trace_host *host, const char *input, uint64_t kernels, uint64_t first,
                        uint64_t last);
/* Warns if only some of those that are requested by number are there. */
void hd__trace_list_some(const struct trace_host *host, const char *input, uint64_t kernels, uint64_t first,
                         uint64_t last);
void hd__trace_list_free(struct trace_list *l);

#define TRACE_MOST_COPIED (UINT64_C(1) << 38) /* bytes; each sector of a copy is simulated */

/* ---- kernel_header.c ---- */

struct trace_header {
	struct hd_launch launch; /* .name belongs to the header */
	uint32_t version;        /* of the tracer, whole part */
	bool lineinfo;           /* a source line number precedes each instruction */
	uint64_t unknown;        /* unknown keys */
};

/* Lanes of a warp that are threads of the block. */
static inline uint32_t trace_threads(const struct hd_launch *l, uint32_t warp)
{
	uint32_t left = l->threads - warp * HD_LANES;

	return left >= HD_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
}

int hd__trace_header_read(struct trace_header *h, struct trace_text *t);
/* Sets what follows from the other members, and checks that an SM can hold a block. */
int hd__trace_header_derive(struct trace_header *h, struct trace_text *t);
/* Finds how large the clusters are where the header does not say: t is the same file, from its beginning on, which is
 * read up to the end of the first cluster.  Tracers write with each thread block where it is in its cluster. */
int hd__trace_header_clusters(struct trace_header *h, struct trace_text *t);
#define TRACE_CLUSTERS_FROM 6u /* tracer version */
#define TRACE_CLUSTERS_SM 90u  /* the first GPU that has them */
void hd__trace_header_free(struct trace_header *h);

#endif
