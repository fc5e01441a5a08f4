/* bytes.h - a growing string of bytes, with numbers of variable length
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "xalloc.h"

#include <stdbool.h>
#include <stdint.h>

/* All zero: empty.  The owner frees v. */
struct hd_bytes {
	unsigned char *v;
	size_t n, cap;
};

#define HD_VARINT_MAX 10 /* bytes of a number */

/* Room for n more bytes; where they begin. */
static inline unsigned char *hd__bytes_room(struct hd_bytes *b, size_t n)
{
	b->v = hd__xreserve(b->v, b->n + n, &b->cap, 1);
	return b->v + b->n;
}

/* Appends n bytes; v may be NULL if there are none. */
static inline void hd__bytes_append(struct hd_bytes *b, const void *v, size_t n)
{
	if (n == 0)
		return;
	memcpy(hd__bytes_room(b, n), v, n);
	b->n += n;
}

/* Writes a number, seven bits a byte, the lowest first, the top bit set in all but the last; returns
 * the place after it.  There must be room for HD_VARINT_MAX bytes. */
static inline unsigned char *hd__put_varint(unsigned char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

/* Reads a number that hd__put_varint() has written, and moves *p behind it. */
static inline uint64_t hd__get_varint(const unsigned char **p)
{
	const unsigned char *at = *p;
	uint64_t v = *at++;

	if (v & 0x80) {
		unsigned shift = 7;

		for (v &= 0x7f; *at & 0x80; shift += 7)
			v |= (uint64_t)(*at++ & 0x7f) << shift;
		v |= (uint64_t)*at++ << shift;
	}
	*p = at;
	return v;
}

/* Reads a number from a file that may be damaged.  Returns false if it does not end before `end`. */
static inline bool hd__get_varint_before(const unsigned char **p, const unsigned char *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; *p != end && shift < 7 * HD_VARINT_MAX; shift += 7) {
		*v |= (uint64_t)(**p & 0x7f) << shift;
		if (!(*(*p)++ & 0x80))
			return true;
	}
	return false;
}

/* A signed number as one that is small if it is near 0. */
static inline uint64_t hd__zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t hd__unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static inline void hd__bytes_varint(struct hd_bytes *b, uint64_t v)
{
	unsigned char *p = hd__bytes_room(b, HD_VARINT_MAX);

	b->n = (size_t)(hd__put_varint(p, v) - b->v);
}

#endif
