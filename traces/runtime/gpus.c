/* gpus.c - the GPUs that a program can find, as data
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sizes are those of the tables "Technical Specifications per Compute Capability" in CUDA's programming guide; numbers
 * of SMs, clocks and memories are those of the products' data sheets; of GPCs see docs/hopper.md.
 */
#include "gpus.h"
#include "base/xalloc.h"

/* of all GPUs of a compute capability */
#define CC_86                                                                                                    \
	.sm = 86, .shared_sm = 100, .shared_block = 99, .shared_reserved = 1024, .threads_sm = 1536,             \
	.blocks_sm = 16, .double_ratio = 64
#define CC_90                                                                                                    \
	.sm = 90, .shared_sm = 228, .shared_block = 227, .shared_reserved = 1024, .threads_sm = 2048,            \
	.blocks_sm = 32, .double_ratio = 2

const struct cuda_gpu hd__gpus[] = {
	{ .name = "a100", .full_name = "NVIDIA A100-SXM4-40GB", .sm = 80, .sms = 108, .clock = 1410000,
	  .memory_clock = 1215000, .bus = 5120, .memory = 40 << 10, .l2 = 40 << 10, .shared_sm = 164,
	  .shared_block = 163, .shared_reserved = 1024, .threads_sm = 2048, .blocks_sm = 32,
	  .double_ratio = 2 },
	{ .name = "rtx3080", .full_name = "NVIDIA GeForce RTX 3080", .sms = 68, .clock = 1710000,
	  .memory_clock = 9501000, .bus = 320, .memory = 10 << 10, .l2 = 5 << 10, CC_86 },
	{ .name = "a6000", .full_name = "NVIDIA RTX A6000", .sms = 84, .clock = 1800000,
	  .memory_clock = 8001000, .bus = 384, .memory = 48 << 10, .l2 = 6 << 10, CC_86 },
	{ .name = "rtx3080ti", .full_name = "NVIDIA GeForce RTX 3080 Ti", .sms = 80, .clock = 1665000,
	  .memory_clock = 9501000, .bus = 384, .memory = 12 << 10, .l2 = 6 << 10, CC_86 },
	{ .name = "rtx3090", .full_name = "NVIDIA GeForce RTX 3090", .sms = 82, .clock = 1695000,
	  .memory_clock = 9751000, .bus = 384, .memory = 24 << 10, .l2 = 6 << 10, CC_86 },
	{ .name = "rtx4090", .full_name = "NVIDIA GeForce RTX 4090", .sm = 89, .sms = 128, .clock = 2520000,
	  .memory_clock = 10501000, .bus = 384, .memory = 24 << 10, .l2 = 72 << 10, .shared_sm = 100,
	  .shared_block = 99, .shared_reserved = 1024, .threads_sm = 1536, .blocks_sm = 24,
	  .double_ratio = 64 },
	{ .name = "h100", .full_name = "NVIDIA H100 80GB HBM3", .sms = 132, .clock = 1980000,
	  .memory_clock = 2619000, .bus = 5120, .memory = 80 << 10, .l2 = 50 << 10, CC_90, .gpcs = 8 },
	{ .name = "h100pcie", .full_name = "NVIDIA H100 PCIe", .sms = 114, .clock = 1755000,
	  .memory_clock = 1593000, .bus = 5120, .memory = 80 << 10, .l2 = 50 << 10, CC_90, .gpcs = 7 },
	{ .name = "h200", .full_name = "NVIDIA H200", .sms = 132, .clock = 1980000,
	  .memory_clock = 3201000, .bus = 6016, .memory = 141 << 10, .l2 = 60 << 10, CC_90, .gpcs = 8 },
	{ .name = "gh200", .full_name = "NVIDIA GH200 480GB", .sms = 132, .clock = 1980000,
	  .memory_clock = 2619000, .bus = 6144, .memory = 96 << 10, .l2 = 60 << 10, CC_90, .gpcs = 8 },
	{ .name = "rtx2080ti", .full_name = "NVIDIA GeForce RTX 2080 Ti", .sm = 75, .sms = 68,
	  .clock = 1545000, .memory_clock = 7000000, .bus = 352, .memory = 11 << 10, .l2 = 5632,
	  .shared_sm = 64, .shared_block = 64, .threads_sm = 1024, .blocks_sm = 16, .double_ratio = 32 },
	{ .name = "v100", .full_name = "Tesla V100-PCIE-16GB", .sm = 70, .sms = 80, .clock = 1380000,
	  .memory_clock = 877000, .bus = 4096, .memory = 16 << 10, .l2 = 6 << 10, .shared_sm = 96,
	  .shared_block = 96, .threads_sm = 2048, .blocks_sm = 32, .double_ratio = 2 },
	{ .name = "rtx5090", .full_name = "NVIDIA GeForce RTX 5090", .sm = 120, .sms = 170, .clock = 2407000,
	  .memory_clock = 14001000, .bus = 512, .memory = 32 << 10, .l2 = 96 << 10, .shared_sm = 100,
	  .shared_block = 99, .shared_reserved = 1024, .threads_sm = 1536, .blocks_sm = 24,
	  .double_ratio = 64, .gpcs = 11 },
	{ .name = NULL },
};

const struct cuda_gpu *hd__gpu_by_name(const char *name)
{
	for (const struct cuda_gpu *g = hd__gpus; g->name; g++)
		if (strcmp(g->name, name) == 0)
			return g;
	return NULL;
}

const struct cuda_gpu *hd__gpu_like(uint32_t sm, uint32_t sms, const char *name)
{
	const struct cuda_gpu *like = NULL;
	int most = -1;

	for (const struct cuda_gpu *g = hd__gpus; g->name; g++) {
		int fits = 2 * (g->sms == sms) + (strcmp(g->name, name) == 0);

		if (g->sm != sm || fits <= most)
			continue;
		most = fits;
		like = g;
	}
	return like;
}

char *hd__gpu_names(void)
{
	char *all = hd__xstrdup("");

	for (const struct cuda_gpu *g = hd__gpus; g->name; g++) {
		char *longer = hd__join(all, *all ? ", " : "", g->name);

		free(all);
		all = longer;
	}
	return all;
}
