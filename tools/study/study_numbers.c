/* study_numbers.c - numbers that statistics must have for a comparison
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_numbers.h"
#include "base/xalloc.h"

#include <stdlib.h>

#define MOST_SHOWN 40 /* characters of a value in a message */

static char *bad(const char *path, const json_t *v)
{
	char *text = hd__xcheck(json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT));
	char *message = hd__format("%s is %.*s; expected a number from 0 on", path, MOST_SHOWN, text);

	free(text);
	return message;
}

/* A number, or an object of numbers, in any depth. */
static char *look(const char *path, const json_t *v)
{
	const char *name;
	char *message = NULL;
	json_t *one;

	if (json_is_number(v))
		return json_number_value(v) >= 0 ? NULL : bad(path, v);
	if (!json_is_object(v))
		return bad(path, v);
	json_object_foreach((json_t *)v, name, one) {
		char *below = hd__format("%s.%s", path, name);

		message = look(below, one);
		free(below);
		if (message != NULL)
			break;
	}
	return message;
}

char *study_bad_number(const json_t *statistics)
{
	enum { TREES = 4 }; /* those from here on are objects */
	static const char *const counts[] = { "cycles", "warp_instructions", "thread_blocks", "thread_instructions",
		[TREES] = "issue", "reasons", "causes" };
	const json_t *figures = json_object_get(statistics, "figures");
	char *message = NULL;

	for (size_t i = 0; i < sizeof counts / sizeof *counts && message == NULL; i++) {
		const json_t *v = json_object_get(statistics, counts[i]);

		if (v != NULL)
			message = i < TREES && !json_is_number(v) ? bad(counts[i], v) : look(counts[i], v);
	}
	return message != NULL || figures == NULL ? message : study_bad_number(figures);
}
