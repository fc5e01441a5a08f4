/* saved.h - members of states as bytes: for instances <heddle/checkpoint.h>, here for the kernel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One sequence of calls saves and loads, so that the bytes have no tags: what is missing or left over
 * shows at the end of each instance.
 */
#ifndef KERNEL_SAVED_H
#define KERNEL_SAVED_H

#include "base/bytes.h"
#include "sim.h"

struct hd_checkpoint {
	struct hd_sim *sim;
	bool loading;
	struct hd_bytes out;        /* saving */
	const unsigned char *at, *end; /* loading: what is left */
	const struct hd_instance *instance; /* whose part it is; NULL: the kernel's */
	char *why;                  /* the first thing that is wrong; NULL: nothing */
};

/* A value as text, to be freed. */
char *hd__json_text(const json_t *j, size_t flags);
/* Saves a text and returns NULL, or loads one, to be freed. */
char *hd__saved_string(struct hd_checkpoint *k, const char *text);

#endif
