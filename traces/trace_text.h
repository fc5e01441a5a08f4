/* trace_text.h - lines of files, and what stands in them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Here as in the headers that build on this one, a function that returns int returns -1 after calling
 * hd__trace_error().
 */
#ifndef TRACES_TRACE_TEXT_H
#define TRACES_TRACE_TEXT_H

#include "trace_host.h"

#include <stdlib.h>

/* Room for n elements of `size` bytes in v, which has room for *cap: at least twice as much when it
 * grows.  Returns v, moved or not; NULL without memory, v stays then. */
static inline void *trace_reserve(void *v, size_t n, size_t *cap, size_t size)
{
	size_t more = 2 * *cap > n ? 2 * *cap : n < 16 ? 16 : n;
	void *moved = n > *cap ? realloc(v, more * size) : v;

	if (moved && n > *cap)
		*cap = more;
	return moved;
}

#define TRACE_LINE 64u /* bytes of a cache line */

/* The first cache line in memory of which TRACE_LINE bytes more than needed are there. */
static inline void *trace_first_line(void *memory)
{
	return (char *)memory + (-(uintptr_t)memory & (TRACE_LINE - 1));
}

struct trace_xz;
struct trace_z;

/* A file of lines, plain or xz, or a container (.tracez) of such lines.  The caller that opened it closes it;
 * closing a zeroed one is fine. */
struct trace_text {
	const struct trace_host *host;
	char *name;           /* for messages */
	uint64_t line;        /* number of the last line, from 1 */
	uint64_t done, total; /* bytes of the file, compressed ones if it is */
	uint64_t bytes;       /* of text, as far as decoded */
	char *buf, *pos, *end; /* pos .. end: decoded and not yet read */
	int fd;               /* -1: memory */
	const uint8_t *memory;
	struct trace_xz *xz;  /* one of them or none: plain */
	struct trace_z *z;
	bool eof;             /* nothing is left to decode */
	bool pipe;            /* it cannot be read twice */
};

/* `xz_memory`: bytes that the decoder may take, an absurd dictionary is an error. */
int hd__trace_text_open(struct trace_text *t, const struct trace_host *host, const char *path,
                        uint64_t xz_memory);
/* The caller keeps the bytes, which must outlive the text. */
int hd__trace_text_memory(struct trace_text *t, const struct trace_host *host, const char *name,
                          const void *bytes, size_t n, uint64_t xz_memory);
/* Opens a text that is read once only, from its beginning to its end: it may be a pipe. */
int hd__trace_text_open_once(struct trace_text *t, const struct trace_host *host, const char *path,
                             uint64_t xz_memory);
/* Reports that `path` would have to be read twice, and is a pipe.  Returns -1. */
int hd__trace_text_twice(const struct trace_host *host, const char *path);
void hd__trace_text_close(struct trace_text *t);

/* The end of the next line after reading further, or NULL; trace_text_line() calls it. */
char *hd__trace_text_more(struct trace_text *t, bool *failed);

/* 1: *line is the next line without its end, valid until the next call.  The byte after it is
 * always readable and is '\n' or '\r', so that a scanner of numbers needs no bound.  0: no more. */
static inline int trace_text_line(struct trace_text *t, const char **line, size_t *len)
{
	char *end = memchr(t->pos, '\n', (size_t)(t->end - t->pos));

	if (HD_UNLIKELY(!end)) {
		bool failed;

		end = hd__trace_text_more(t, &failed);
		if (!end)
			return failed ? -1 : 0;
	}
	*line = t->pos;
	*len = (size_t)(end - t->pos);
	t->pos = end + 1;
	t->line++;
	if (*len > 0 && end[-1] == '\r')
		--*len;
	return 1;
}

/* The first line of a file: -1 after an error if it begins with a mark of an editor's encoding, or of a compressed file
 * that is not read. */
int hd__trace_text_plain(const struct trace_text *t, const char *line, size_t len);

/* -1 after an error if what has been read is longer than `most` bytes: a part of a file that has a limit, as a list. */
int hd__trace_text_limit(const struct trace_text *t, uint64_t most, const char *what);

/* ---- what stands in lines ---- */

static inline const char *trace_skip(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* `line` has `len` bytes. */
static inline bool trace_blank(const char *line, size_t len)
{
	return *line <= ' ' && trace_skip(line) >= line + len;
}

/* As trace_text_line(), without blank lines.  Many of them are an error: 200 KB of xz hold more than can be read in a
 * minute. */
#define TRACE_BLANK_LINES (1u << 20)
int hd__trace_text_blank(struct trace_text *t, const char **line, size_t *len);

static inline int trace_text_next(struct trace_text *t, const char **line, size_t *len)
{
	int got = trace_text_line(t, line, len);

	return got > 0 && HD_UNLIKELY(trace_blank(*line, *len)) ? hd__trace_text_blank(t, line, len) : got;
}

/* True at the end of a token. */
static inline bool trace_gap(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The first control character (C0 or C1) of a name, which is printed; or NULL. */
static inline const char *trace_control(const char *p, const char *end)
{
	for (; p < end; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f
		    || (*p == '\xc2' && end - p > 1 && ((unsigned char)p[1] & 0xe0) == 0x80))
			return p;
	return NULL;
}

static inline bool trace_ends(const char *name, const char *tail)
{
	size_t n = strlen(name), m = strlen(tail);

	return n >= m && strcmp(name + n - m, tail) == 0;
}

/* Value of a hexadecimal digit, negative if it is not one. */
static inline int trace_digit(char c)
{
	static const signed char more[256] = { /* by 1 than the value */
		['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9,
		['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
		['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
	};

	return more[(unsigned char)c] - 1;
}

/* Both return the first byte after the number, NULL if there is none or it does not fit. */
const char *hd__trace_dec(const char *p, uint64_t *v);
const char *hd__trace_hex(const char *p, uint64_t *v); /* with or without 0x */

/* "key = value": the value if the line begins with this key, else NULL. */
const char *hd__trace_value(const char *line, const char *key);

/* The word at p, which ends at a comma too, in quotes, shortened and made printable, or "the end of the line". */
#define TRACE_SHOWN 48
const char *hd__trace_show(const char *p, char out[TRACE_SHOWN]);

/* Reports "file:line:column: expected WHAT, found '...'" for the place p in `line`. */
int hd__trace_bad(const struct trace_text *t, const char *line, const char *p, const char *what);

#endif
