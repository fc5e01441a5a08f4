/* dump_damage.c - what is wrong with a dump: its first damage, bytes that are missing or have another hash
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_decode.h"

#include <errno.h>
#include <unistd.h>
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

bool dump_read_at(const struct dump *d, uint64_t offset, void *to, size_t n)
{
	unsigned char *p = to;

	while (n > 0) {
		ssize_t got = pread(d->fd, p, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		p += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

unsigned char *dump_payload(const struct dump *d, const struct dump_block *b)
{
	unsigned char *p = malloc(b->head.bytes + 1);

	if (p && dump_read_at(d, b->offset, p, b->head.bytes)
	    && (DUMP_FUZZING || XXH64(p, b->head.bytes, 0) == b->head.payload_hash))
		return p;
	free(p);
	return NULL;
}
