/* path.c - paths of instances: without the numbers in them, their order, patterns
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "path.h"
#include "xalloc.h"

#include <stdlib.h>

/* Copies path with `index` in place of each "[...]"; what is not closed stays. */
static char *copy(const char *path, const char *index)
{
	size_t length = strlen(index), brackets = 0;
	char *out, *to;

	for (const char *p = path; *p; p++)
		brackets += *p == '[';
	out = to = hd__xcalloc(strlen(path) + brackets * length + 1, 1);
	for (const char *p = path; *p; p++) {
		const char *end = *p == '[' ? strchr(p, ']') : NULL;

		if (end) {
			memcpy(to, index, length);
			to += length;
			p = end;
		} else {
			*to++ = *p;
		}
	}
	return out;
}

char *hd__path_without_indices(const char *path)
{
	return copy(path, "");
}

char *hd__path_any_index(const char *path)
{
	return copy(path, "[*]");
}

int hd__path_order(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++) {
		unsigned long i, k;

		if (*a != '[')
			continue;
		i = strtoul(a + 1, NULL, 10);
		k = strtoul(b + 1, NULL, 10);
		if (i != k)
			return i < k ? -1 : 1;
	}
	return *a < *b ? -1 : *a > *b;
}

bool hd__path_fits(const char *pattern, const char *text)
{
	const char *star = NULL, *retry = text;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			retry = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
