/* fetched.h - what fetch hands to decode: the warp whose next instructions arrived
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_PAYLOAD_FETCHED_H
#define HEDDLE_PAYLOAD_FETCHED_H

#include <heddle/module.h>

struct hd_fetched {
	uint32_t warp; /* hardware warp slot */
};

static const struct hd_type hd_type_fetched = {
	.name = "fetched", .size = sizeof(struct hd_fetched), .version = 1,
};

#endif
