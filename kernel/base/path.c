/* path.c - paths of instances without the numbers in them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "path.h"
#include "xalloc.h"

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
