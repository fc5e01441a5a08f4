/* study_place.c - messages about a study at their places in its file, and members of its objects
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/pointer.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "study.h"

void study_bad(const struct study *s, struct hd_diags *d, const char *at, bool key, const char *fmt, ...)
{
	int line = 0, column = 0;
	va_list ap;

	hd__locate(s->text, at, key, &line, &column);
	va_start(ap, fmt);
	hd__diagv(d, HD_DIAG_ERROR, s->file, line, column, fmt, ap);
	va_end(ap);
}

void study_members(const struct study *s, struct hd_diags *d, const json_t *o, const char *at,
                   const char *what, const char *const *known)
{
	const char *name;
	char buf[1000], *place;
	json_t *v;
	size_t n = 0;

	while (known[n] != NULL)
		n++;
	json_object_foreach((json_t *)o, name, v) {
		if (hd__listed(known, name))
			continue;
		place = hd__pointer_add(at, name);
		study_bad(s, d, place, true, "unknown member '%s' of %s%s", name, what,
		          hd__suggest(name, known, n, "expected one of", buf, sizeof buf));
		free(place);
	}
}

json_t *study_member(const struct study *s, struct hd_diags *d, const json_t *o, const char *at,
                     const char *name, json_type type, const char *expected)
{
	json_t *v = json_object_get(o, name);
	char buf[80], *place;

	if (v == NULL || json_typeof(v) == type || (type == JSON_TRUE && json_is_boolean(v)))
		return v;
	place = hd__pointer_add(at, name);
	study_bad(s, d, place, false, "'%s': expected %s, found %s", name, expected,
	          hd__found(v, buf, sizeof buf));
	free(place);
	return NULL;
}

bool study_is_texts(const struct study *s, struct hd_diags *d, const json_t *v, const char *at,
                    const char *expected)
{
	bool ok = json_is_string(v) || json_array_size(v) > 0;
	char buf[80];
	json_t *item;
	size_t i;

	json_array_foreach((json_t *)v, i, item)
		ok = ok && json_is_string(item);
	if (!ok)
		study_bad(s, d, at, false, "expected %s, found %s", expected, hd__found(v, buf, sizeof buf));
	return ok;
}
