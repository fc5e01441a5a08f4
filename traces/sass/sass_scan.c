/* sass_scan.c - reads words and numbers of a text, and says where they were
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sass_scan.h"

#include <ctype.h>

#define QUOTED 40 /* characters of a word that a message repeats */

bool hd__scan_bad(struct hd_scan *s, const char *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	hd__diagv(s->d, HD_DIAG_ERROR, s->file, s->line, scan_column(s, at), fmt, ap);
	va_end(ap);
	return false;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

bool hd__scan_expected(struct hd_scan *s, const char *what)
{
	size_t n = 0;

	hd__scan_blanks(s);
	if (s->p == s->end || *s->p == '\n')
		return hd__scan_bad(s, s->p, "expected %s, found the end of the line", what);
	n = s->p[0] == '-' && is_name(s->p[1]);
	while (n < QUOTED && is_name(s->p[n]))
		n++;
	if (n == 0 && !isprint((unsigned char)*s->p))
		return hd__scan_bad(s, s->p, "expected %s, found a byte of %d", what, (unsigned char)*s->p);
	return hd__scan_bad(s, s->p, "expected %s, found '%.*s'", what, n ? (int)n : 1, s->p);
}

static int digit(char c, unsigned radix)
{
	int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
	        : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

	return d < (int)radix ? d : -1;
}

/* The end of a pc at p, or NULL. */
static const char *pc_end(const char *p, uint32_t *pc)
{
	unsigned n = 0;
	uint32_t v = 0;

	if (p[0] != '/' || p[1] != '*')
		return NULL;
	for (int d; n < 8 && (d = digit(p[2 + n], 16)) >= 0; n++)
		v = v << 4 | (unsigned)d;
	if (n < 4 || strncmp(p + 2 + n, "*/", 2) != 0)
		return NULL;
	*pc = v;
	return p + n + 4;
}

bool hd__scan_pc(struct hd_scan *s, uint32_t *pc)
{
	const char *end;

	hd__scan_blanks(s);
	end = pc_end(s->p, pc);
	if (end)
		s->p = end;
	return end != NULL;
}

/* nvdisasm puts encodings and names of targets into such comments. */
static const char *comment_end(const struct hd_scan *s, const char *open, const char *close)
{
	const char *p = s->p;

	if (strncmp(p, open, 2) != 0)
		return NULL;
	for (p += 2; p < s->end && *p != '\n'; p++)
		if (strncmp(p, close, 2) == 0)
			return p + 2;
	return p;
}

void hd__scan_blanks(struct hd_scan *s)
{
	for (;;) {
		uint32_t pc;
		const char *p = pc_end(s->p, &pc) ? NULL : comment_end(s, "/*", "*/");

		if (!p)
			p = comment_end(s, "(*", "*)");
		if (p) {
			s->p = p;
		} else if (*s->p == ' ' || *s->p == '\t' || *s->p == '\r') {
			s->p++;
		} else if (*s->p == '#' || strncmp(s->p, "//", 2) == 0) {
			while (s->p < s->end && *s->p != '\n')
				s->p++;
			return;
		} else {
			return;
		}
	}
}

bool hd__scan_at_end(struct hd_scan *s)
{
	hd__scan_blanks(s);
	return s->p >= s->end || *s->p == '\n';
}

void hd__scan_next_line(struct hd_scan *s)
{
	while (s->p < s->end && *s->p == '\n') {
		s->p++;
		s->line++;
		s->start = s->p;
	}
}

void hd__scan_skip(struct hd_scan *s, const char *from)
{
	unsigned depth = 0;

	for (; from < s->p; from++) {
		depth += *from == '{';
		depth -= depth > 0 && *from == '}';
	}
	while (!hd__scan_at_end(s) && (depth > 0 || *s->p != '}')) {
		depth += *s->p == '{';
		depth -= *s->p == '}';
		s->p++;
	}
}

bool hd__scan_take(struct hd_scan *s, char c)
{
	hd__scan_blanks(s);
	if (s->p >= s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

bool hd__scan_word(struct hd_scan *s, const char *word)
{
	size_t n = strlen(word);

	hd__scan_blanks(s);
	if (strncmp(s->p, word, n) != 0 || is_name(s->p[n]))
		return false;
	s->p += n;
	return true;
}

size_t hd__scan_name(const struct hd_scan *s)
{
	size_t n = 0;

	while (is_name(s->p[n]))
		n++;
	return n;
}

bool hd__scan_number(struct hd_scan *s, uint64_t *v)
{
	bool hex = s->p[0] == '0' && (s->p[1] == 'x' || s->p[1] == 'X');
	unsigned radix = hex ? 16 : 10;
	const char *p = s->p + (hex ? 2 : 0);
	uint64_t n = 0;

	if (digit(*p, radix) < 0)
		return false;
	for (int d; (d = digit(*p, radix)) >= 0; p++)
		if (__builtin_mul_overflow(n, radix, &n) || __builtin_add_overflow(n, (unsigned)d, &n))
			return false;
	*v = n;
	s->p = p;
	return true;
}

bool hd__scan_number_to(struct hd_scan *s, uint64_t most, uint64_t *v)
{
	const char *at = s->p;

	if (hd__scan_number(s, v) && *v <= most && !is_name(*s->p))
		return true;
	s->p = at;
	return false;
}

bool hd__scan_hex(struct hd_scan *s, unsigned digits, uint64_t *v)
{
	const char *p = s->p + (s->p[0] == '0' && s->p[1] == 'x' ? 2 : 0);
	uint64_t n = 0;
	unsigned have = 0;

	for (int d; have <= digits && (d = digit(p[have], 16)) >= 0; have++)
		n = n << 4 | (unsigned)d;
	if (have == 0 || have > digits || is_name(p[have]))
		return false;
	*v = n;
	s->p = p + have;
	return true;
}
