/* proto.h - writes protocol buffers: fields one after another, messages in messages
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_PROTO_H
#define TOOLS_DUMP_PROTO_H

#include "kernel/base/xalloc.h"

#include <stdint.h>

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2 };

struct proto {
	unsigned char *v;
	size_t n, cap;
};

/* At least n more bytes. */
static inline unsigned char *proto_room(struct proto *p, size_t n)
{
	if (p->cap - p->n < n) {
		p->cap = 2 * p->cap + n + 256;
		p->v = hd__xrealloc(p->v, p->cap);
	}
	return p->v + p->n;
}

static inline void proto_varint(struct proto *p, uint64_t v)
{
	unsigned char *to = proto_room(p, 10), *begin = to;

	for (; v >= 0x80; v >>= 7)
		*to++ = (unsigned char)(v | 0x80);
	*to++ = (unsigned char)v;
	p->n += (size_t)(to - begin);
}

static inline void proto_tag(struct proto *p, uint32_t field, enum proto_wire wire)
{
	proto_varint(p, (uint64_t)field << 3 | wire);
}

/* uint64, int64, enum, bool. */
static inline void proto_number(struct proto *p, uint32_t field, uint64_t v)
{
	proto_tag(p, field, PROTO_VARINT);
	proto_varint(p, v);
}

static inline void proto_fixed64(struct proto *p, uint32_t field, uint64_t v)
{
	unsigned char *to;

	proto_tag(p, field, PROTO_FIXED64);
	to = proto_room(p, 8);
	for (int i = 0; i < 8; i++)
		to[i] = (unsigned char)(v >> 8 * i);
	p->n += 8;
}

/* n bytes as they are; v may be NULL if there are none. */
static inline void proto_append(struct proto *p, const void *v, size_t n)
{
	if (n == 0)
		return;
	memcpy(proto_room(p, n), v, n);
	p->n += n;
}

static inline void proto_string(struct proto *p, uint32_t field, const char *s)
{
	size_t n = strlen(s);

	proto_tag(p, field, PROTO_BYTES);
	proto_varint(p, n);
	proto_append(p, s, n);
}

/* A message as a field: what is written from here on, until proto_end() with the result. */
static inline size_t proto_begin(struct proto *p, uint32_t field)
{
	proto_tag(p, field, PROTO_BYTES);
	proto_room(p, 1);
	return ++p->n;
}

/* Short ones get their length where room was left for it, others move. */
static inline void proto_end(struct proto *p, size_t begin)
{
	size_t n = p->n - begin, more = 0;

	for (size_t k = n >> 7; k; k >>= 7)
		more++;
	if (more) {
		proto_room(p, more);
		memmove(p->v + begin + more, p->v + begin, n);
	}
	p->n = begin - 1;
	proto_varint(p, n);
	p->n += n;
}

#endif
