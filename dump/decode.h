/* decode.h - what read.c and decode.c share
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef DUMP_DECODE_H
#define DUMP_DECODE_H

#include "../kernel/xalloc.h"
#include "read.h"

/* Notes the first damage that is met. */
__attribute__((format(printf, 2, 3))) void dump_damage(struct dump *d, const char *fmt, ...);
/* Do the bytes have the hash that the head says? */
bool dump_payload_whole(const struct dump *d, const struct dump_block *b);
/* A zstd frame of at most 2 GiB; NULL: it is none.  The caller frees the result. */
char *dump_unpack(const unsigned char *p, size_t size, size_t *n);

#endif
