/* pointer.c - finds the place of a JSON pointer (RFC 6901) in the text, for messages
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * jansson keeps no positions.  Errors are rare, so the text is walked again for each of them.  It
 * is known to be valid JSON; the walk ends at a member that is not found.
 */
#include "pointer.h"
#include "xalloc.h"

#include <jansson.h>
#include <limits.h>
#include <stdint.h>

/* ---- making pointers ----------------------------------------------------------------------- */

char *hd__pointer_add(const char *at, const char *member)
{
	size_t n = strlen(at);
	char *s = hd__xcalloc(n + 2 * strlen(member) + 2, 1);
	char *out = s + n;

	memcpy(s, at, n);
	*out++ = '/';
	for (; *member != '\0'; member++) {
		if (*member == '~' || *member == '/') {
			*out++ = '~';
			*out++ = *member == '~' ? '0' : '1';
		} else {
			*out++ = *member;
		}
	}
	return s;
}

char *hd__place_pointer(const struct hd_place *p)
{
	char number[24];
	char *up, *s;

	if (p->up == NULL)
		return hd__xstrdup(p->base);
	up = hd__place_pointer(p->up);
	snprintf(number, sizeof number, "%zu", p->index);
	s = hd__pointer_add(up, p->member != NULL ? p->member : number);
	free(up);
	return s;
}

/* ---- walking the text ---------------------------------------------------------------------- */

static const char *skip_space(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

/* From the opening quote to the character after the closing one. */
static const char *skip_string(const char *p)
{
	for (p++;; p += 2) {
		p += strcspn(p, "\"\\");
		if (*p == '"')
			return p + 1;
		if (*p == '\0' || p[1] == '\0')
			return p + strlen(p);
	}
}

/* From the start of a value to its end.  Only brackets and strings count inside of it. */
static const char *skip_value(const char *p)
{
	size_t depth = 0;

	do {
		if (depth > 0)
			p += strcspn(p, "\"{}[]");
		if (*p == '"') {
			p = skip_string(p);
		} else if (*p == '{' || *p == '[') {
			depth++;
			p++;
		} else if (*p == '}' || *p == ']') {
			depth -= depth > 0;
			p++;
		} else {
			p += strcspn(p, " \t\r\n,]}");
		}
	} while (depth > 0 && *p != '\0');
	return p;
}

/* Is the string literal at p, which ends before `end`, equal to the name? */
static bool string_is(const char *p, const char *end, const char *name)
{
	size_t n = (size_t)(end - p);
	json_t *decoded;
	bool same;

	if (n < 2)
		return false;
	if (memchr(p, '\\', n) == NULL)
		return strlen(name) == n - 2 && memcmp(p + 1, name, n - 2) == 0;
	decoded = json_loadb(p, n, JSON_DECODE_ANY, NULL);
	same = json_is_string(decoded) && strcmp(json_string_value(decoded), name) == 0;
	json_decref(decoded);
	return same;
}

/* From the key at p on: the key of the member, and in *value where its value is; or NULL. */
static const char *find_key(const char *p, const char *name, const char **value)
{
	while (*p == '"') {
		const char *start = p, *end = skip_string(p);

		p = skip_space(end);
		if (*p != ':')
			return NULL;
		p = skip_space(p + 1);
		*value = p;
		if (string_is(start, end, name))
			return start;
		p = skip_space(skip_value(p));
		if (*p == ',')
			p = skip_space(p + 1);
	}
	return NULL;
}

/* In the object at p: the member's value, or its key. */
static const char *find_member(const char *p, const char *name, bool key, struct hd_found *f, unsigned level)
{
	const char *value = NULL, *item = NULL;
	bool keep = level < HD_FOUND_LEVELS;

	if (keep && f->level[level].container == p)
		item = find_key(f->level[level].item, name, &value);
	if (item == NULL)
		item = find_key(skip_space(p + 1), name, &value);
	if (keep && item != NULL)
		f->level[level].container = p, f->level[level].item = item;
	return key || item == NULL ? item : value;
}

/* In the list at p. */
static const char *find_element(const char *p, const char *number, struct hd_found *f, unsigned level)
{
	char *end;
	unsigned long index = strtoul(number, &end, 10), at = 0;
	const char *list = p;

	if (*end != '\0' || end == number)
		return NULL;
	p = skip_space(p + 1);
	if (level < HD_FOUND_LEVELS && f->level[level].container == list && f->level[level].index <= index)
		p = f->level[level].item, at = f->level[level].index;
	for (; *p != ']' && *p != '\0'; p = skip_space(p), at++) {
		if (at == index) {
			if (level < HD_FOUND_LEVELS)
				f->level[level].container = list, f->level[level].item = p, f->level[level].index = at;
			return p;
		}
		p = skip_space(skip_value(p));
		if (*p == ',')
			p++;
		else if (*p != ']')
			return NULL;
	}
	return NULL;
}

char *hd__pointer_next(const char **pointer)
{
	size_t n = strcspn(++*pointer, "/");
	char *name = hd__xstrndup(*pointer, n), *out = name;

	*pointer += n;
	for (const char *in = name; *in != '\0'; in++) {
		if (*in == '~' && (in[1] == '0' || in[1] == '1'))
			*out++ = *++in == '0' ? '~' : '/';
		else
			*out++ = *in;
	}
	*out = '\0';
	return name;
}

const char *hd__find(const char *text, const char *pointer, bool key, struct hd_found *f)
{
	const char *p = f->value != NULL ? f->value : skip_space(text);

	f->value = p;
	for (unsigned level = 0; p != NULL && *pointer == '/'; level++) {
		char *name = hd__pointer_next(&pointer);

		if (*p == '{')
			p = find_member(p, name, key && *pointer == '\0', f, level);
		else
			p = *p == '[' ? find_element(p, name, f, level) : NULL;
		free(name);
	}
	return p != NULL && *p != '\0' ? p : NULL;
}

/* Characters that start between two places; eight bytes at once, for a file may be one line. */
static size_t characters(const char *text, const char *end)
{
	size_t n = (size_t)(end - text);
	uint64_t w;

	for (; end - text >= (ptrdiff_t)sizeof w; text += sizeof w) {
		memcpy(&w, text, sizeof w);
		n -= (size_t)__builtin_popcountll(w >> 7 & ~w >> 6 & UINT64_C(0x0101010101010101));
	}
	for (; text < end; text++)
		n -= ((unsigned char)*text & 0xC0) == 0x80;
	return n;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

void hd__line_column(const char *text, const char *byte, struct hd_found *f, int *line, int *column)
{
	const char *newline;

	*line = 1;
	*column = 1;
	if (f->place != NULL && f->place <= byte) {
		text = f->place;
		*line = f->line;
		*column = f->column;
	}
	while ((newline = memchr(text, '\n', (size_t)(byte - text))) != NULL) {
		*line += *line < INT_MAX;
		*column = 1;
		text = newline + 1;
	}
	*column = (int)min_size((size_t)*column + characters(text, byte), INT_MAX);
	f->place = byte;
	f->line = *line;
	f->column = *column;
}

bool hd__locate(const char *text, const char *pointer, bool key, int *line, int *column)
{
	struct hd_found f = { NULL };
	const char *p = hd__find(text, pointer, key, &f);

	if (p == NULL)
		return false;
	hd__line_column(text, p, &f, line, column);
	return true;
}
