/* damage.c - what is wrong with a dump: its first damage, the hash of a block
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "decode.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

void dump_damage(struct dump *d, const char *fmt, ...)
{
	va_list ap;

	if (d->damage)
		return;
	va_start(ap, fmt);
	d->damage = hd__xvprintf(fmt, ap);
	va_end(ap);
}

bool dump_payload_whole(const struct dump *d, const struct dump_block *b)
{
	return DUMP_FUZZING
	       || XXH64(d->bytes + b->offset, b->head.bytes, 0) == b->head.payload_hash;
}
