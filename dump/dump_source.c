/* dump_source.c - the bytes of a dump: its first damage, payloads of blocks, their text
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_decode.h"

#include <errno.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#define PACKED (64u << 10) /* bytes of the file that are read at a time */
#define PIECE (256u << 10) /* least text that is added at a time */

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
	unsigned char *p;

	if (b->head.bytes > d->size) /* as much memory need not be there */
		return NULL;
	p = hd__xcheck(malloc(b->head.bytes + 1));
	if (dump_read_at(d, b->offset, p, b->head.bytes)
	    && (DUMP_FUZZING || XXH64(p, b->head.bytes, 0) == b->head.payload_hash))
		return p;
	free(p);
	return NULL;
}

/* ---- text in one piece ---- */

static char *copy(const unsigned char *p, size_t size, size_t *n)
{
	*n = size;
	return memcpy(hd__xcheck(malloc(size + 1)), p, size);
}

/* Most compresses to a tenth or a thirtieth; statistics of a kernel that is launched thousands of times
 * to much less. */
uint64_t dump_most_text(const struct dump_block *b)
{
	return b->head.bytes * 256 + (64u << 20);
}

/* Is the result of zstd an error?  Lack of memory ends the program: the dump is not damaged. */
static bool failed(size_t result)
{
	if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		hd__out_of_memory();
	return ZSTD_isError(result);
}

char *dump_unpack(const unsigned char *p, size_t size, size_t most, size_t *n)
{
	unsigned long long plain = ZSTD_getFrameContentSize(p, size);
	char *out;

	if (DUMP_FUZZING && (plain == ZSTD_CONTENTSIZE_ERROR || plain == ZSTD_CONTENTSIZE_UNKNOWN))
		return copy(p, size, n);
	if (plain == ZSTD_CONTENTSIZE_ERROR || plain == ZSTD_CONTENTSIZE_UNKNOWN || plain > most)
		return NULL;
	out = hd__xcheck(malloc((size_t)plain + 1));
	*n = ZSTD_decompress(out, (size_t)plain, p, size);
	if (failed(*n)) {
		free(out);
		return NULL;
	}
	return out;
}

/* ---- text piece by piece ---- */

struct dump_source {
	const struct dump *d;
	uint64_t at, left;     /* what is not read of the payload */
	ZSTD_DStream *zstd;    /* NULL: bytes are used as they are */
	unsigned char packed[PACKED];
	ZSTD_inBuffer in;
	char *text;
	size_t room;
	uint64_t n, most;      /* bytes of text so far, and at most */
	bool between;          /* frames */
	bool bad;
};

/* Reads the next bytes of the payload.  Returns false at its end. */
static bool read_packed(struct dump_source *s)
{
	size_t n = s->left < PACKED ? (size_t)s->left : PACKED;

	if (n == 0 || !dump_read_at(s->d, s->at, s->packed, n)) {
		s->bad = s->bad || n > 0;
		return false;
	}
	s->at += n;
	s->left -= n;
	s->in = (ZSTD_inBuffer){ s->packed, n, 0 };
	return true;
}

static void start(struct dump_source *s, const struct dump_block *b)
{
	s->at = b->offset;
	s->left = b->head.bytes;
}

/* Nothing is used of a payload that does not have its hash. */
static bool has_hash(struct dump_source *s, const struct dump_block *b)
{
	XXH64_state_t *hash = hd__xcheck(XXH64_createState());
	bool same;

	XXH64_reset(hash, 0);
	start(s, b);
	while (read_packed(s))
		XXH64_update(hash, s->packed, s->in.size);
	same = s->left == 0 && (DUMP_FUZZING || XXH64_digest(hash) == b->head.payload_hash);
	XXH64_freeState(hash);
	return same;
}

static bool is_frame(const struct dump_source *s)
{
	return ZSTD_getFrameContentSize(s->packed, s->in.size) != ZSTD_CONTENTSIZE_ERROR;
}

static void unpack(struct dump_source *s, ZSTD_outBuffer *out)
{
	size_t left, n;

	if (s->zstd) {
		left = ZSTD_decompressStream(s->zstd, out, &s->in);
		s->bad = failed(left);
		s->between = left == 0;
		return;
	}
	n = s->in.size - s->in.pos < out->size - out->pos ? s->in.size - s->in.pos : out->size - out->pos;
	memcpy((char *)out->dst + out->pos, s->packed + s->in.pos, n);
	out->pos += n;
	s->in.pos += n;
}

static bool more(struct hd_json_text *t)
{
	struct dump_source *s = t->source;
	size_t unread = (size_t)(t->end - t->p), piece = unread > PIECE ? unread : PIECE;
	ZSTD_outBuffer out;

	if (unread)
		memmove(s->text, t->p, unread);
	s->text = hd__xreserve(s->text, unread + piece, &s->room, 1);
	out = (ZSTD_outBuffer){ s->text, unread + piece, unread };
	while (!s->bad && out.pos < out.size) {
		size_t before = out.pos;

		/* the end of a frame is not asked for more */
		if (s->between && s->in.pos == s->in.size && !read_packed(s))
			break;
		unpack(s, &out);
		if (out.pos == before && s->in.pos == s->in.size && !read_packed(s))
			break;
	}
	s->n += out.pos - unread;
	if (s->n > s->most) {
		s->bad = true;
		out.pos = unread;
	}
	t->p = s->text;
	t->end = s->text + out.pos;
	return out.pos > unread;
}

struct dump_source *dump_source_open(const struct dump *d, const struct dump_block *b,
                                     struct hd_json_text *t)
{
	struct dump_source *s = hd__xcalloc(1, sizeof *s);

	*t = (struct hd_json_text){ .more = more, .source = s };
	s->d = d;
	s->most = dump_most_text(b);
	s->between = true;
	s->bad = !has_hash(s, b);
	start(s, b);
	if (read_packed(s) && (!DUMP_FUZZING || is_frame(s)))
		s->zstd = hd__xcheck(ZSTD_createDStream());
	return s;
}

uint64_t dump_source_text(const struct dump_source *s)
{
	return s->n;
}

bool dump_source_close(struct dump_source *s)
{
	bool ok = !s->bad && s->between && s->in.pos == s->in.size && s->left == 0;

	ZSTD_freeDStream(s->zstd);
	free(s->text);
	free(s);
	return ok;
}
