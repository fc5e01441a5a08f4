/* fetched.h - what fetch hands to decode: the warp whose next instructions arrived
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_GPU_FETCHED_H
#define HEDDLE_GPU_FETCHED_H

#include <heddle/module.h>

struct hd_fetched {
	uint32_t pc;   /* address of the first instruction */
	uint16_t warp; /* hardware warp slot */
	uint16_t n;    /* instructions from pc on; 0: the next ones of the warp, wherever they are */
};

static const struct hd_type hd_type_fetched = {
	.name = "fetched", .size = sizeof(struct hd_fetched), .version = 2,
};

#endif
