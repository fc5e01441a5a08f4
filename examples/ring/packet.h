/* packet.h - what the routers of a ring pass on
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef PACKET_H
#define PACKET_H

#include <heddle/module.h>

struct packet {
	uint32_t from, to; /* numbers of terminals */
	uint64_t born;     /* cycle */
};

static const struct hd_type packet_type = { .name = "ring_packet", .size = sizeof(struct packet), .version = 1 };

#endif
