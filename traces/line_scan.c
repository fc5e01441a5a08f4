/* line_scan.c - numbers and words of a line, and messages about malformed ones
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_text.h"

#include <inttypes.h>
#include <stdio.h>

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

const char *hd__trace_show(const char *p, char out[TRACE_SHOWN])
{
	size_t n = 0;

	if (*p == '\n' || (*p == '\r' && p[1] == '\n'))
		return strcpy(out, "the end of the line");
	out[n++] = '\'';
	for (; !trace_gap(*p) && n <= SHOWN; p++)
		out[n++] = *p >= 0x20 && *p < 0x7f ? *p : '?';
	if (!trace_gap(*p)) {
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
