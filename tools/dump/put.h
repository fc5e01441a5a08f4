/* put.h - fast output of numbers and words
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A dump has millions of numbers, and printf() would take most of the time.
 */
#ifndef TOOLS_DUMP_PUT_H
#define TOOLS_DUMP_PUT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DUMP_PUT_ROOM 32u /* bytes that any number needs at most */

struct dump_out {
	FILE *f; /* errors are kept by the stream */
	size_t n;
	char v[1u << 16];
};

static inline void dump_flush(struct dump_out *o)
{
	fwrite(o->v, 1, o->n, o->f);
	o->n = 0;
}

static inline void dump_put_bytes(struct dump_out *o, const char *s, size_t n)
{
	if (n > sizeof o->v - o->n) {
		dump_flush(o);
		if (n > sizeof o->v) {
			fwrite(s, 1, n, o->f);
			return;
		}
	}
	memcpy(o->v + o->n, s, n);
	o->n += n;
}

static inline void dump_put(struct dump_out *o, const char *s)
{
	dump_put_bytes(o, s, strlen(s));
}

static inline void dump_put_char(struct dump_out *o, char c)
{
	if (o->n == sizeof o->v)
		dump_flush(o);
	o->v[o->n++] = c;
}

static inline void dump_put_number(struct dump_out *o, uint64_t v)
{
	char digits[DUMP_PUT_ROOM], *p = digits + sizeof digits;

	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	dump_put_bytes(o, p, (size_t)(digits + sizeof digits - p));
}

static inline void dump_put_signed(struct dump_out *o, int64_t v)
{
	if (v < 0)
		dump_put_char(o, '-');
	dump_put_number(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

/* With the prefix 0x. */
static inline void dump_put_hex(struct dump_out *o, uint64_t v)
{
	char digits[DUMP_PUT_ROOM], *p = digits + sizeof digits;

	do
		*--p = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	*--p = 'x';
	*--p = '0';
	dump_put_bytes(o, p, (size_t)(digits + sizeof digits - p));
}

#endif
