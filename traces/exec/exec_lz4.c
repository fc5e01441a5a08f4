/* exec_lz4.c - decompresses a block of LZ4, which fatbins of CUDA 12 and earlier have
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A block is sequences: a byte with two lengths, bytes, and how far back what follows them stood already.  The last
 * sequence ends behind its bytes.
 */
#include "exec_machine.h"

#define LONG 15u      /* a length goes on in the next bytes */
#define SHORTEST 4u   /* copy */

/* Adds the bytes in which a length goes on.  Returns false at the end of the block. */
static bool longer(const unsigned char **p, const unsigned char *end, size_t *length)
{
	unsigned char more = 255;

	if (*length < LONG)
		return true;
	while (more == 255 && *p < end)
		*length += more = *(*p)++;
	return more < 255;
}

size_t hd__exec_lz4(unsigned char *to, size_t room, const unsigned char *p, size_t n)
{
	const unsigned char *end = p + n;
	size_t at = 0;

	while (p < end) {
		unsigned lengths = *p++;
		size_t bytes = lengths >> 4, copy = lengths & LONG, back;

		if (!longer(&p, end, &bytes) || bytes > (size_t)(end - p) || bytes > room - at)
			return SIZE_MAX;
		memcpy(to + at, p, bytes);
		at += bytes;
		p += bytes;
		if (p == end)
			return at;
		if (end - p < 2)
			return SIZE_MAX;
		back = p[0] | (size_t)p[1] << 8;
		p += 2;
		if (!longer(&p, end, &copy) || back == 0 || back > at || copy + SHORTEST > room - at)
			return SIZE_MAX;
		for (copy += SHORTEST; copy > 0; copy--, at++)
			to[at] = to[at - back]; /* it may reach into itself */
	}
	return SIZE_MAX; /* there is no last sequence */
}
