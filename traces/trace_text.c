/* trace_text.c - lines of a plain or xz file or a container, as a stream
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The buffer holds whole lines and the beginning of the next one, which moves to the front when
 * more is read.  Memory is the buffer and the decoder's dictionary, however long the file is.
 */
#include "tracez.h"

#include "base/read_file.h"

#include <errno.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define XZ_STEP 4000u /* bytes unpacked at a time: they are read while still in the nearest cache */
#define TEXT_BUFFER (256u << 10) /* small against a cache; a line that does not fit is not one of a trace */
#define TEXT_INPUT (64u << 10)   /* compressed bytes read at once */

struct trace_xz {
	lzma_stream s;
	bool input_ended;
	lzma_ret failed; /* behind what was decoded; or LZMA_OK */
	uint8_t in[TEXT_INPUT];
};

static const uint8_t xz_magic[6] = { 0xfd, '7', 'z', 'X', 'Z', 0 };

static int broken(struct trace_text *t, const char *what)
{
	return hd__trace_error(t->host, "%s:%" PRIu64 ": %s at byte %" PRIu64 " of %" PRIu64, t->name,
	                       t->line + 1, what, t->done, t->total);
}

/* Reads raw bytes of the file.  Returns 0 at the end. */
static ssize_t source(struct trace_text *t, void *to, size_t n)
{
	ssize_t got;

	if (t->fd < 0) {
		got = t->total - t->done < n ? (ssize_t)(t->total - t->done) : (ssize_t)n;
		if (got > 0)
			memcpy(to, t->memory + t->done, (size_t)got);
	} else {
		got = hd__input_read(t->fd, to, n, t->done == 0);
		if (got < 0) {
			hd__trace_error(t->host, "%s:%" PRIu64 ": cannot read: %s", t->name, t->line + 1,
			                hd__input_why(errno));
			return -1;
		}
	}
	t->done += (uint64_t)got;
	return got;
}

static ssize_t bad_xz(struct trace_text *t)
{
	t->done -= t->xz->s.avail_in;
	switch (t->xz->failed) {
	case LZMA_FORMAT_ERROR:
		return broken(t, "this is not xz data");
	case LZMA_BUF_ERROR:
		return broken(t, "the xz data ends too early");
	case LZMA_MEMLIMIT_ERROR:
		return broken(t, "the xz data needs more memory than 'xz_memory' allows");
	case LZMA_MEM_ERROR:
		return broken(t, "out of memory for the xz decoder");
	case LZMA_OPTIONS_ERROR:
		return broken(t, "the xz data uses options that liblzma does not support");
	default:
		return broken(t, "the xz data is corrupt");
	}
}

/* Decodes n bytes, fewer at the end or in front of damage: how much of the text is decoded when a line is
 * read does not depend on how it is compressed.  Returns 0 at the end. */
static ssize_t decode(struct trace_text *t, char *to, size_t n)
{
	struct trace_xz *x = t->xz;
	lzma_ret ret = x->failed;

	x->s.next_out = (uint8_t *)to;
	x->s.avail_out = n;
	while (ret == LZMA_OK && x->s.avail_out > 0) {
		if (x->s.avail_in == 0 && !x->input_ended) {
			ssize_t got = source(t, x->in, sizeof x->in);

			if (got < 0)
				return -1;
			x->s.next_in = x->in;
			x->s.avail_in = (size_t)got;
			x->input_ended = got == 0;
		}
		/* Concatenated streams end only when LZMA_FINISH is passed. */
		ret = lzma_code(&x->s, x->input_ended ? LZMA_FINISH : LZMA_RUN);
	}
	if (ret == LZMA_STREAM_END)
		t->eof = true;
	else
		x->failed = ret;
	if (x->failed != LZMA_OK && x->s.avail_out == n)
		return bad_xz(t);
	return (ssize_t)(n - x->s.avail_out);
}

/* Makes room after the unread text. */
static int make_room(struct trace_text *t)
{
	size_t kept = (size_t)(t->end - t->pos);

	if (kept > 0 && (size_t)(t->buf + TEXT_BUFFER - t->end) >= XZ_STEP)
		return 0;
	if (kept == TEXT_BUFFER)
		return hd__trace_error(t->host, "%s:%" PRIu64 ": the line is longer than %u KiB; expected "
		                       "lines of a trace", t->name, t->line + 1, TEXT_BUFFER >> 10);
	memmove(t->buf, t->pos, kept);
	t->pos = t->buf;
	t->end = t->buf + kept;
	return 0;
}

/* Reads further text.  Returns 0 at the end of the file. */
static int refill(struct trace_text *t)
{
	ssize_t got;
	size_t room;

	if (t->eof)
		return 0;
	if (make_room(t))
		return -1;
	room = (size_t)(t->buf + TEXT_BUFFER - t->end);
	if (t->xz)
		got = decode(t, t->end, room < XZ_STEP ? room : XZ_STEP);
	else if (t->z)
		got = hd__trace_z_read(t, t->end, room < XZ_STEP ? room : XZ_STEP);
	else
		got = source(t, t->end, room);
	if (got < 0) {
		t->eof = true; /* an incomplete line is not returned */
		t->end = t->pos;
		return -1;
	}
	if (got == 0)
		t->eof = true;
	t->end += got;
	t->bytes += (uint64_t)got;
	return got > 0;
}

char *hd__trace_text_more(struct trace_text *t, bool *failed)
{
	char *nl = NULL;

	while (!nl) {
		size_t seen = (size_t)(t->end - t->pos);
		int got = refill(t);

		*failed = got < 0;
		if (got < 0)
			return NULL;
		if (got == 0) {
			if (t->pos == t->end)
				return NULL;
			*t->end = '\n'; /* the buffer has one byte more for this */
			return t->end++;
		}
		nl = memchr(t->pos + seen, '\n', (size_t)(t->end - t->pos) - seen);
	}
	return nl;
}

int hd__trace_text_blank(struct trace_text *t, const char **line, size_t *len)
{
	uint64_t first = t->line;
	int got;

	do {
		if (t->line - first == TRACE_BLANK_LINES)
			return hd__trace_error(t->host, "%s:%" PRIu64 ": %u blank lines stand one after another; "
			                       "expected lines of a trace", t->name, first, TRACE_BLANK_LINES);
		got = trace_text_line(t, line, len);
	} while (got > 0 && trace_blank(*line, *len));
	return got;
}

int hd__trace_text_limit(const struct trace_text *t, uint64_t most, const char *what)
{
	if (t->bytes - (uint64_t)(t->end - t->pos) <= most)
		return 0;
	return hd__trace_error(t->host, "%s:%" PRIu64 ": %s is longer than %" PRIu64 " MiB; expected a shorter one",
	                       t->name, t->line, what, most >> 20);
}

/* fd or memory is set.  The suffix implies a container or xz; without it the magic number decides. */
static int start(struct trace_text *t, const char *name, uint64_t xz_memory)
{
	lzma_ret ret;

	t->name = strdup(name);
	t->buf = malloc(TEXT_BUFFER + 1);
	if (!t->name || !t->buf)
		return hd__trace_error(t->host, "%s: out of memory", name);
	t->pos = t->end = t->buf;
	if (trace_ends(name, ".tracez"))
		return hd__trace_z_open(t);
	if (!trace_ends(name, ".xz")) {
		ssize_t got = source(t, t->buf, sizeof xz_magic);

		if (got < 0)
			return -1;
		while (got > 0 && got < (ssize_t)sizeof xz_magic) { /* of a pipe */
			ssize_t more = source(t, t->buf + got, sizeof xz_magic - (size_t)got);

			if (more < 0)
				return -1;
			if (more == 0)
				break;
			got += more;
		}
		if (got < (ssize_t)sizeof xz_magic || memcmp(t->buf, xz_magic, sizeof xz_magic)) {
			t->end += got;
			t->bytes += (uint64_t)got;
			return 0;
		}
	}
	t->xz = malloc(sizeof *t->xz);
	if (!t->xz)
		return hd__trace_error(t->host, "%s: out of memory", name);
	t->xz->input_ended = false;
	t->xz->failed = LZMA_OK;
	t->xz->s = (lzma_stream)LZMA_STREAM_INIT;
	ret = lzma_stream_decoder(&t->xz->s, xz_memory, LZMA_CONCATENATED);
	if (ret != LZMA_OK)
		return hd__trace_error(t->host, "%s: liblzma cannot make a decoder (error "
		                       "%d)", name, (int)ret);
	memcpy(t->xz->in, t->buf, t->done);
	t->xz->s.next_in = t->xz->in;
	t->xz->s.avail_in = t->done;
	return 0;
}

int hd__trace_text_twice(const struct trace_host *host, const char *path)
{
	return hd__trace_error(host, "%s: is a pipe; expected a file, which can be read twice", path);
}

static int open_text(struct trace_text *t, const struct trace_host *host, const char *path, uint64_t xz_memory,
                     bool once)
{
	struct stat st;

	*t = (struct trace_text){ .host = host, .fd = -1 };
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return hd__trace_error(host, "%s: is a folder; expected a file, such as a 'kernelslist.g' in it",
		                       path);
	t->fd = hd__trace_file(host, path, once ? TRACE_FILE_PIPE : 0);
	if (t->fd < 0 || fstat(t->fd, &st) != 0)
		return -1;
	t->pipe = S_ISFIFO(st.st_mode);
	t->total = (uint64_t)st.st_size;
	return start(t, path, xz_memory);
}

int hd__trace_text_open(struct trace_text *t, const struct trace_host *host, const char *path,
                        uint64_t xz_memory)
{
	return open_text(t, host, path, xz_memory, false);
}

int hd__trace_text_open_once(struct trace_text *t, const struct trace_host *host, const char *path,
                             uint64_t xz_memory)
{
	return open_text(t, host, path, xz_memory, true);
}

int hd__trace_text_memory(struct trace_text *t, const struct trace_host *host, const char *name,
                          const void *bytes, size_t n, uint64_t xz_memory)
{
	*t = (struct trace_text){ .host = host, .fd = -1, .memory = bytes, .total = n };
	return start(t, name, xz_memory);
}

int hd__trace_text_plain(const struct trace_text *t, const char *line, size_t len)
{
	if (len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
		return hd__trace_error(t->host, "%s:1:1: begins with a byte-order mark; expected a file that is "
		                       "saved as UTF-8 without one", t->name);
	if (len >= 2 && (memcmp(line, "\xff\xfe", 2) == 0 || memcmp(line, "\xfe\xff", 2) == 0))
		return hd__trace_error(t->host, "%s:1:1: is UTF-16; expected a file that is saved as UTF-8",
		                       t->name);
	if (len >= 4 && (memcmp(line, "\x1f\x8b\x08", 3) == 0 || memcmp(line, "\x28\xb5\x2f\xfd", 4) == 0))
		return hd__trace_error(t->host, "%s: is compressed by %s; expected plain text, or xz", t->name,
		                       *line == '\x1f' ? "gzip" : "zstd");
	if (len >= 10 && memcmp(line, "BZh", 3) == 0 && memcmp(line + 4, "1AY&SY", 6) == 0)
		return hd__trace_error(t->host, "%s: is compressed by bzip2; expected plain text, or xz", t->name);
	return 0;
}

void hd__trace_text_close(struct trace_text *t)
{
	if (t->host && t->fd >= 0) /* without host it was never opened, and .fd is not a descriptor */
		close(t->fd);
	if (t->xz)
		lzma_end(&t->xz->s);
	free(t->xz);
	hd__trace_z_close(t->z);
	free(t->buf);
	free(t->name);
	*t = (struct trace_text){ .fd = -1 };
}

/* ---- numbers and words of a line, and messages about malformed ones --------------------------- */

#define SHOWN 32 /* bytes of a wrong word that a message shows */

const char *hd__trace_dec(const char *p, uint64_t *v)
{
	uint64_t n = 0;

	if (*p < '0' || *p > '9')
		return NULL;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (unsigned)(*p - '0'), &n))
			return NULL;
	*v = n;
	return p;
}

const char *hd__trace_hex(const char *p, uint64_t *v)
{
	uint64_t n = 0;
	unsigned digits = 0;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	for (;; p++) {
		int d = trace_digit(*p);

		if (d < 0)
			break;
		if (n >> 60)
			return NULL;
		n = n << 4 | (unsigned)d;
		digits++;
	}
	*v = n;
	return digits ? p : NULL;
}

const char *hd__trace_value(const char *line, const char *key)
{
	size_t n = strlen(key);
	const char *p;

	if (strncmp(line, key, n) != 0)
		return NULL;
	p = trace_skip(line + n);
	return *p == '=' ? trace_skip(p + 1) : NULL;
}

/* A carriage return within a line is shown. */
static bool is_gap(const char *p)
{
	return trace_gap(*p) && (*p != '\r' || p[1] == '\n');
}

const char *hd__trace_show(const char *p, char out[TRACE_SHOWN])
{
	size_t n = 0;

	if (*p == '\n' || (*p == '\r' && p[1] == '\n'))
		return strcpy(out, "the end of the line");
	out[n++] = '\'';
	for (; !is_gap(p) && (*p != ',' || n == 1) && n <= SHOWN; p++)
		out[n++] = *p >= 0x20 && *p < 0x7f ? *p : '?';
	if (n > SHOWN && !is_gap(p)) {
		memcpy(out + n, "...", 3);
		n += 3;
	}
	out[n++] = '\'';
	out[n] = '\0';
	return out;
}

int hd__trace_bad(const struct trace_text *t, const char *line, const char *p, const char *what)
{
	char word[TRACE_SHOWN];

	p = trace_skip(p);
	return hd__trace_error(t->host, "%s:%" PRIu64 ":%zu: expected %s, found %s", t->name, t->line,
	                       (size_t)(p - line) + 1, what, hd__trace_show(p, word));
}
