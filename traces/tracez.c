/* tracez.c - the text of a .tracez container, whose warps are compressed one by one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	header of a kernel, NUL | length of the dictionary, instructions of a frame | dictionary | warps | index
 *	| its place
 *
 * A warp is a count of instructions and a count of frames, then each frame behind its length: zstd, with the
 * dictionary; its text is lines.  The index has the blocks in order, and for each warp where its data is.  What is
 * returned is the text of the same kernel as a .traceg, in order and piece by piece, so that all that reads one
 * reads the other.  Memory is the dictionary and a frame.
 */
#include "tracez.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>
#include <zstd.h>

#define MOST_HEADER (64u << 10)
#define MOST_DICTIONARY (16u << 20)
#define BLOCK_WORDS 11u /* x, y, z; of its cluster six, and its rank there; warps */
#define MOST_FRAME (16u << 20) /* bytes of its text: some thousand long instructions */
#define MOST_PIECE 256u /* bytes of the lines around warps */

struct trace_z {
	ZSTD_DCtx *decoder;
	ZSTD_DDict *dictionary; /* NULL: frames do without */
	char *text;             /* .pos .. .n are to be returned */
	size_t pos, n, cap;
	unsigned char *packed;  /* a frame */
	size_t packed_cap;
	uint64_t index, index_end; /* what is left of the index */
	uint64_t frame;         /* the next one */
	uint32_t blocks, warps, frames; /* left: in the file, the block, the warp */
	uint32_t warp;          /* number of the next one */
	bool inside;            /* a block, whose end has not been returned */
};

static int damaged(struct trace_text *t, uint64_t at, const char *what)
{
	return hd__trace_error(t->host, "%s: %s at byte %" PRIu64 " of %" PRIu64, t->name, what, at, t->total);
}

/* Reads n bytes at this place of the file. */
static int read_at(struct trace_text *t, uint64_t at, void *to, size_t n)
{
	if (at > t->total || n > t->total - at)
		return damaged(t, t->total, "the container ends too early");
	if (t->fd < 0) {
		memcpy(to, t->memory + at, n);
		return 0;
	}
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(t->fd, (char *)to + done, n - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return hd__trace_error(t->host, "%s: cannot read: %s", t->name, strerror(errno));
		if (got == 0)
			return damaged(t, at + done, "the container ends too early");
		done += (size_t)got;
	}
	return 0;
}

/* Little endian, on any machine. */
static uint64_t number(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes-- > 0)
		v = v << 8 | p[bytes];
	return v;
}

static int no_memory(struct trace_text *t)
{
	return hd__trace_error(t->host, "%s: out of memory for a container of zstd", t->name);
}

/* Room for n bytes of text, of which none are there. */
static int room(struct trace_text *t, size_t n)
{
	struct trace_z *z = t->z;
	char *v = trace_reserve(z->text, n, &z->cap, 1);

	if (!v)
		return no_memory(t);
	z->text = v;
	z->pos = z->n = 0;
	return 0;
}

/* The keys, and the line with '#' behind them if it is missing.  *at: behind the NUL. */
static int take_header(struct trace_text *t, uint64_t *at)
{
	struct trace_z *z = t->z;
	size_t n = t->total < MOST_HEADER ? (size_t)t->total : MOST_HEADER;
	const char *nul;

	if (room(t, n + 4) || read_at(t, 0, z->text, n))
		return -1;
	nul = memchr(z->text, '\0', n);
	if (!nul)
		return damaged(t, n, "the header does not end; expected a NUL");
	n = (size_t)(nul - z->text);
	*at = n + 1;
	if (n > 0 && z->text[n - 1] != '\n')
		z->text[n++] = '\n';
	z->text[n] = '\0';
	if (z->text[0] != '#' && !strstr(z->text, "\n#")) {
		memcpy(z->text + n, "#\n", 2);
		n += 2;
	}
	z->n = n;
	return 0;
}

static int take_dictionary(struct trace_text *t, uint64_t at)
{
	unsigned char head[8];
	uint64_t n;
	void *bytes;

	if (read_at(t, at, head, sizeof head))
		return -1;
	n = number(head, 4);
	if (n == 0)
		return 0;
	if (n > MOST_DICTIONARY)
		return damaged(t, at, "the dictionary is too long");
	bytes = malloc(n);
	if (!bytes)
		return no_memory(t);
	if (read_at(t, at + sizeof head, bytes, n)) {
		free(bytes);
		return -1;
	}
	t->z->dictionary = ZSTD_createDDict(bytes, n);
	free(bytes);
	return t->z->dictionary ? 0 : damaged(t, at, "the dictionary cannot be used");
}

int hd__trace_z_open(struct trace_text *t)
{
	struct trace_z *z = t->z = calloc(1, sizeof *z);
	unsigned char word[8];
	uint64_t at = 0;

	if (!z)
		return no_memory(t);
	z->decoder = ZSTD_createDCtx();
	if (!z->decoder)
		return no_memory(t);
	if (take_header(t, &at) || take_dictionary(t, at))
		return -1;
	if (t->total < at + 8 + sizeof word + 4)
		return damaged(t, t->total, "the container ends too early");
	z->index_end = t->total - sizeof word;
	if (read_at(t, z->index_end, word, sizeof word))
		return -1;
	z->index = number(word, 8);
	if (z->index < at + 8 || z->index > z->index_end - 4)
		return damaged(t, z->index_end, "the index is at a place that the file does not have,");
	if (read_at(t, z->index, word, 4))
		return -1;
	z->blocks = (uint32_t)number(word, 4);
	z->index += 4;
	return 0;
}

/* Takes n bytes of the index, the last `skipped` of them without reading. */
static int from_index(struct trace_text *t, unsigned char *to, uint64_t n, uint64_t skipped)
{
	struct trace_z *z = t->z;

	if (n + skipped > z->index_end - z->index)
		return damaged(t, z->index, "the index is too short");
	if (read_at(t, z->index, to, n))
		return -1;
	z->index += n + skipped;
	return 0;
}

static int begin_block(struct trace_text *t)
{
	struct trace_z *z = t->z;
	unsigned char b[4 * BLOCK_WORDS];

	if (from_index(t, b, sizeof b, 0) || room(t, MOST_PIECE))
		return -1;
	z->blocks--;
	z->warps = (uint32_t)number(b + 40, 4);
	z->warp = 0;
	z->inside = true;
	z->n = (size_t)snprintf(z->text, MOST_PIECE, "#BEGIN_TB\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64
	                        "\ncluster id = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\ncluster cta = %" PRIu64 ",%"
	                        PRIu64 ",%" PRIu64 "\ncluster rank = %" PRIu64 "\n", number(b, 4), number(b + 4, 4),
	                        number(b + 8, 4), number(b + 12, 4), number(b + 16, 4), number(b + 20, 4),
	                        number(b + 24, 4), number(b + 28, 4), number(b + 32, 4), number(b + 36, 4));
	return 0;
}

static int begin_warp(struct trace_text *t)
{
	struct trace_z *z = t->z;
	unsigned char w[16], head[8];
	uint64_t insts, frames, at;

	if (from_index(t, w, sizeof w, 0))
		return -1;
	insts = number(w, 4);
	frames = number(w + 4, 4);
	at = number(w + 8, 8);
	if (from_index(t, w, 0, 4 * frames) || room(t, MOST_PIECE))
		return -1;
	if (frames > 0) {
		if (read_at(t, at, head, sizeof head))
			return -1;
		if (number(head, 4) != insts || number(head + 4, 4) != frames)
			return damaged(t, at, "a warp has other counts than the index");
	}
	z->frame = at + sizeof head;
	z->frames = (uint32_t)frames;
	z->warps--;
	z->n = (size_t)snprintf(z->text, MOST_PIECE, "warp = %" PRIu32 "\ninsts = %" PRIu64 "\n", z->warp++, insts);
	return 0;
}

static int next_frame(struct trace_text *t)
{
	struct trace_z *z = t->z;
	unsigned char word[4], *packed;
	unsigned long long size;
	uint64_t n;

	if (read_at(t, z->frame, word, sizeof word))
		return -1;
	n = number(word, 4);
	if (n > ZSTD_compressBound(MOST_FRAME))
		return damaged(t, z->frame, "a frame is too long");
	packed = trace_reserve(z->packed, n, &z->packed_cap, 1);
	if (!packed)
		return no_memory(t);
	z->packed = packed;
	if (read_at(t, z->frame + sizeof word, packed, n))
		return -1;
	size = ZSTD_getFrameContentSize(packed, n);
	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
		return damaged(t, z->frame, "this is not a frame of zstd with its size");
	if (size > MOST_FRAME)
		return damaged(t, z->frame, "a frame has more than 16 MiB of text");
	if (room(t, size + 1))
		return -1;
	size = ZSTD_decompress_usingDDict(z->decoder, z->text, size, packed, n, z->dictionary);
	if (ZSTD_isError(size))
		return damaged(t, z->frame, "a frame is corrupt");
	if (size > 0 && z->text[size - 1] != '\n')
		z->text[size++] = '\n';
	z->n = size;
	z->frame += sizeof word + n;
	z->frames--;
	t->done = z->frame < t->total ? z->frame : t->total;
	return 0;
}

/* Makes the next piece of the text; none: the container has ended. */
static int next_piece(struct trace_text *t)
{
	struct trace_z *z = t->z;

	z->pos = z->n = 0;
	if (z->frames > 0)
		return next_frame(t);
	if (z->warps > 0)
		return begin_warp(t);
	if (z->inside) {
		z->inside = false;
		if (room(t, MOST_PIECE))
			return -1;
		z->n = (size_t)snprintf(z->text, MOST_PIECE, "#END_TB\n");
		return 0;
	}
	if (z->blocks > 0)
		return begin_block(t);
	t->done = t->total;
	return 0;
}

ssize_t hd__trace_z_read(struct trace_text *t, char *to, size_t n)
{
	struct trace_z *z = t->z;
	size_t left = n;

	for (;;) {
		size_t part = z->n - z->pos < left ? z->n - z->pos : left;

		if (part > 0)
			memcpy(to + n - left, z->text + z->pos, part);
		z->pos += part;
		left -= part;
		if (left == 0)
			return (ssize_t)n;
		if (z->frames == 0 && z->warps == 0 && !z->inside && z->blocks == 0) {
			t->done = t->total;
			return (ssize_t)(n - left);
		}
		if (next_piece(t))
			return -1;
	}
}

void hd__trace_z_close(struct trace_z *z)
{
	if (!z)
		return;
	ZSTD_freeDCtx(z->decoder);
	ZSTD_freeDDict(z->dictionary);
	free(z->text);
	free(z->packed);
	free(z);
}
