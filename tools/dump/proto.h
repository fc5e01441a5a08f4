/* proto.h - writes protocol buffers: fields, and nested messages
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_PROTO_H
#define TOOLS_DUMP_PROTO_H

#include "base/bytes.h"

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2 };

static inline void proto_tag(struct hd_bytes *p, uint32_t field, enum proto_wire wire)
{
	hd__bytes_varint(p, (uint64_t)field << 3 | wire);
}

/* uint64, int64, enum, bool. */
static inline void proto_number(struct hd_bytes *p, uint32_t field, uint64_t v)
{
	proto_tag(p, field, PROTO_VARINT);
	hd__bytes_varint(p, v);
}

static inline void proto_fixed64(struct hd_bytes *p, uint32_t field, uint64_t v)
{
	unsigned char *to;

	proto_tag(p, field, PROTO_FIXED64);
	to = hd__bytes_room(p, 8);
	for (int i = 0; i < 8; i++)
		to[i] = (unsigned char)(v >> 8 * i);
	p->n += 8;
}

static inline void proto_string(struct hd_bytes *p, uint32_t field, const char *s)
{
	size_t n = strlen(s);

	proto_tag(p, field, PROTO_BYTES);
	hd__bytes_varint(p, n);
	hd__bytes_append(p, s, n);
}

/* Starts a message as a field; it ends with proto_end() of the result. */
static inline size_t proto_begin(struct hd_bytes *p, uint32_t field)
{
	proto_tag(p, field, PROTO_BYTES);
	hd__bytes_room(p, 1);
	return ++p->n;
}

/* Short messages get their length in the reserved room, others are moved. */
static inline void proto_end(struct hd_bytes *p, size_t begin)
{
	size_t n = p->n - begin, more = 0;

	for (size_t k = n >> 7; k; k >>= 7)
		more++;
	if (more) {
		hd__bytes_room(p, more);
		memmove(p->v + begin + more, p->v + begin, n);
	}
	p->n = begin - 1;
	hd__bytes_varint(p, n);
	p->n += n;
}

#endif
