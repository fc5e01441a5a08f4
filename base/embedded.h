/* embedded.h - files of the source that are compiled into the program
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_EMBEDDED_H
#define BASE_EMBEDDED_H

#include <stddef.h>
#include <string.h>

struct hd_embedded {
	const char *name; /* of the file, without its folder */
	const char *text; /* not terminated */
	size_t size;
};

extern const struct hd_embedded hd__embedded[]; /* ends with a NULL name; generated */

/* The file of this name, NULL if there is none. */
static inline const struct hd_embedded *hd__embedded_find(const char *name)
{
	for (const struct hd_embedded *f = hd__embedded; f->name != NULL; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

#endif
