/* dump_encode.c - encodes columns of numbers
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_file.h"
#include "base/xalloc.h"

#include <heddle/module.h>
#define ZSTD_STATIC_LINKING_ONLY /* for LITERALS below */
#include <zstd.h>

/* Levels of zstd; higher ones cost much and gain little.  In a column matches are few and long: of shorter ones each
 * costs more time than it saves bytes, and so does looking for one at every byte, which a negative level does not.  By
 * itself such a level would leave the other bytes as they are. */
#define LEVEL_TEXT 3
#define LEVEL_COLUMN (-20)
#define LITERALS 1     /* compressed all the same: ZSTD_ps_enable, in libzstd before 1.5.1 ZSTD_lcm_huffman */
#define MATCH 7        /* bytes of a column's shortest match */
#define SMALL 48u      /* bytes; below, a frame's head costs more than it saves */

struct hd_coder {
	ZSTD_CCtx *zstd;
	struct hd_bytes plain, packed;
};

struct hd_coder *hd__coder_new(void)
{
	struct hd_coder *c = hd__xcalloc(1, sizeof *c);

	c->zstd = hd__xcheck(ZSTD_createCCtx());
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel, LEVEL_COLUMN);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_minMatch, MATCH);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_literalCompressionMode, LITERALS);
	return c;
}

void hd__coder_free(struct hd_coder *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->zstd);
	free(c->plain.v);
	free(c->packed.v);
	free(c);
}

/* Differences wrap around, like the reader's sums. */
static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static size_t bits(uint64_t v)
{
	return (size_t)(64 - __builtin_clzll(v | 1));
}

static size_t length(uint64_t v)
{
	return (bits(v) + 6) / 7;
}

#define SAMPLE 16u /* consecutive numbers that are examined, */
#define STRIDE 512u /* out of so many */

/* Chooses plain numbers or differences, whichever is shorter for a sample. */
static enum hd_encoding choose(const int64_t *v, size_t n)
{
	size_t plain = 0, delta = 0;
	int64_t all = 0;

	if (memcmp(v, v + 1, (n - 1) * sizeof *v) == 0) /* each equals the next; usually it ends at the first ones */
		return HD_ENC_CONST;
	for (size_t i = 0; i < n / 4 * 4; i += 4)
		all |= (v[i] | v[i + 1]) | (v[i + 2] | v[i + 3]);
	for (size_t i = n / 4 * 4; i < n; i++)
		all |= v[i];
	for (size_t i = 0; i < n; i += STRIDE)
		for (size_t end = i + SAMPLE; i < end && i < n; i++) {
			plain += length(all < 0 ? hd__zigzag(v[i]) : (uint64_t)v[i]);
			delta += length(hd__zigzag(minus(v[i], i ? v[i - 1] : 0)));
		}
	/* differences must be much shorter: repeated plain numbers compress well */
	if (delta + delta / 4 < plain)
		return HD_ENC_DELTA;
	return all < 0 ? HD_ENC_ZIGZAG : HD_ENC_PLAIN;
}

/* Writes as hd__put_varint() does, where most numbers are small. */
static inline unsigned char *put_number(unsigned char *p, uint64_t v)
{
	if (HD_UNLIKELY(v >= 1u << 14))
		return hd__put_varint(p, v);
	p[0] = (unsigned char)(v | (uint64_t)(v >= 0x80) << 7);
	p[1] = (unsigned char)(v >> 7);
	return p + 1 + (v >= 0x80);
}

#define CHUNK 16u /* numbers that are looked at together */

/* A number as it is encoded.  before: the one before; beside: that of the column beside it; last: by key. */
static inline uint64_t encoded(enum hd_encoding e, int64_t v, int64_t before, int64_t beside, int64_t *last)
{
	switch (e) {
	case HD_ENC_PLAIN: return (uint64_t)v;
	case HD_ENC_ZIGZAG: return hd__zigzag(v);
	case HD_ENC_DELTA: return hd__zigzag(minus(v, before));
	case HD_ENC_SPAN: return hd__zigzag(minus(minus(v, before), beside));
	default: /* HD_ENC_KEYED */
		last += (uint64_t)beside % HD_KEYS;
		before = *last;
		*last = v;
		return hd__zigzag(minus(v, before));
	}
}

/* Most chunks have only small numbers, of a byte each, which are written as such before it is known; what is by key is
 * found once only. */
static inline __attribute__((always_inline)) unsigned char *put_numbers(unsigned char *p, enum hd_encoding e,
	const int64_t *v, size_t n, const int64_t *beside)
{
	int64_t last[HD_KEYS] = { 0 };
	uint64_t chunk[CHUNK], all;
	size_t i = 1;

	p = put_number(p, encoded(e, v[0], 0, beside[0], last));
	for (; i + CHUNK <= n; i += CHUNK) {
		all = 0;
#pragma GCC unroll 16
		for (size_t k = 0; k < CHUNK; k++) {
			uint64_t number = encoded(e, v[i + k], v[i + k - 1], beside[i + k], last);

			if (e == HD_ENC_KEYED)
				chunk[k] = number;
			p[k] = (unsigned char)number;
			all |= number;
		}
		if (HD_LIKELY(all < 0x80)) {
			p += CHUNK;
			continue;
		}
		for (size_t k = 0; k < CHUNK; k++)
			p = put_number(p, e == HD_ENC_KEYED ? chunk[k]
			                  : encoded(e, v[i + k], v[i + k - 1], beside[i + k], last));
	}
	for (; i < n; i++)
		p = put_number(p, encoded(e, v[i], v[i - 1], beside[i], last));
	return p;
}

#define TRIED 256u /* rows in which it is tried */

/* Do they take a fifth fewer bits than the numbers in that other encoding?  Rows that are the first with their key do
 * not count. */
static bool resemble_by_key(const int64_t *v, size_t n, const int64_t *key, enum hd_encoding e)
{
	int64_t last[HD_KEYS] = { 0 };
	size_t keyed = 0, other = 0;

	for (size_t i = 0; i < n && i < TRIED; i++) {
		int64_t *before = &last[(uint64_t)key[i] % HD_KEYS];

		if (*before) {
			keyed += bits(hd__zigzag(minus(v[i], *before)));
			other += bits(encoded(e, v[i], v[i - 1], 0, NULL));
		}
		*before = v[i];
	}
	return keyed + keyed / 4 < other;
}

/* beside: of an encoding that refers to another column. */
static void write_numbers(struct hd_bytes *b, enum hd_encoding e, const int64_t *v, size_t n, const int64_t *beside)
{
	unsigned char *p = hd__bytes_room(b, n * HD_VARINT_MAX);

	switch (e) {
	case HD_ENC_PLAIN: p = put_numbers(p, HD_ENC_PLAIN, v, n, v); break;
	case HD_ENC_ZIGZAG: p = put_numbers(p, HD_ENC_ZIGZAG, v, n, v); break;
	case HD_ENC_DELTA: p = put_numbers(p, HD_ENC_DELTA, v, n, v); break;
	case HD_ENC_SPAN: p = put_numbers(p, HD_ENC_SPAN, v, n, beside); break;
	default: p = put_numbers(p, HD_ENC_KEYED, v, n, beside);
	}
	b->n = (size_t)(p - b->v);
}

void hd__compress(struct hd_coder *c, struct hd_bytes *out, const void *data, size_t n)
{
	size_t most = ZSTD_compressBound(n);
	size_t got = ZSTD_compressCCtx(c->zstd, hd__bytes_room(out, most), most, data, n, LEVEL_TEXT);

	hd__xcheck(ZSTD_isError(got) ? NULL : out);
	out->n += got;
}

/* Packs numbers; returns false if that would not be shorter. */
static bool compress_column(struct hd_coder *c, struct hd_bytes *out, const void *data, size_t n)
{
	size_t most = ZSTD_compressBound(n);
	size_t got = ZSTD_compress2(c->zstd, hd__bytes_room(out, most), most, data, n);

	hd__xcheck(ZSTD_isError(got) ? NULL : out);
	if (got >= n)
		return false;
	out->n += got;
	return true;
}

/* Appends a column whose n numbers are these bytes. */
static void put_column(struct hd_coder *c, struct hd_bytes *out, uint32_t column, enum hd_encoding e, size_t n,
                       const unsigned char *v, size_t bytes)
{
	unsigned char *p = hd__put_varint(hd__bytes_room(out, 5 * HD_VARINT_MAX), column);
	size_t at;

	*p++ = (unsigned char)e;
	at = (size_t)(p - 1 - out->v);
	p = hd__put_varint(p, n);
	out->n = (size_t)(p - out->v);
	c->packed.n = 0;
	if (bytes >= SMALL && compress_column(c, &c->packed, v, bytes)) {
		out->v[at] |= HD_ENC_ZSTD;
		out->n = (size_t)(hd__put_varint(hd__bytes_room(out, HD_VARINT_MAX), bytes) - out->v);
		v = c->packed.v;
		bytes = c->packed.n;
	}
	out->n = (size_t)(hd__put_varint(hd__bytes_room(out, HD_VARINT_MAX), bytes) - out->v);
	hd__bytes_append(out, v, bytes);
}

static void put_constant(struct hd_coder *c, struct hd_bytes *out, uint32_t column, size_t n, int64_t v)
{
	unsigned char bytes[HD_VARINT_MAX];

	put_column(c, out, column, HD_ENC_CONST, n, bytes, (size_t)(hd__put_varint(bytes, hd__zigzag(v)) - bytes));
}

void hd__encode(struct hd_coder *c, struct hd_bytes *out, uint32_t column, const int64_t *v, size_t n,
                const struct hd_beside *beside)
{
	enum hd_encoding e;
	struct hd_bytes *b = &c->plain;

	if (n == 0)
		return;
	e = beside->span ? HD_ENC_SPAN : choose(v, n);
	if (e == HD_ENC_CONST) {
		put_constant(c, out, column, n, v[0]);
		return;
	}
	if (e != HD_ENC_SPAN && beside->key && resemble_by_key(v, n, beside->key, e))
		e = HD_ENC_KEYED;
	b->n = 0;
	if (e == HD_ENC_SPAN || e == HD_ENC_KEYED)
		b->n = (size_t)(hd__put_varint(hd__bytes_room(b, HD_VARINT_MAX),
			(uint64_t)(e == HD_ENC_SPAN ? beside->span_field : beside->key_field)) - b->v);
	write_numbers(b, e, v, n, e == HD_ENC_SPAN ? beside->span : beside->key);
	put_column(c, out, column, e, n, b->v, b->n);
}

void hd__encode_packed(struct hd_coder *c, struct hd_bytes *out, uint32_t column, const unsigned char *v, size_t bytes,
                       size_t n)
{
	const unsigned char *end = v;
	size_t first;

	if (n == 0)
		return;
	hd__get_varint(&end);
	first = (size_t)(end - v);
	if (bytes == n * first && memcmp(v, v + first, bytes - first) == 0) { /* each equals the next */
		end = v;
		put_constant(c, out, column, n, (int64_t)hd__get_varint(&end));
	} else {
		put_column(c, out, column, HD_ENC_PLAIN, n, v, bytes);
	}
}
