/* credit.h - whether the sender of a channel may go on, from its receiver
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For a sender that does not see how full the queues of the receiver are.  Sent when it changes;
 * before the first one the sender may send.
 */
#ifndef HEDDLE_GPU_CREDIT_H
#define HEDDLE_GPU_CREDIT_H

#include <heddle/module.h>

struct hd_credit {
	uint32_t open; /* 1: go on; 0: stop */
};

static const struct hd_type hd_type_credit = {
	.name = "credit", .size = sizeof(struct hd_credit), .version = 1,
};

#endif
