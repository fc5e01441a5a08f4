/* study_place.c - messages about a study at their places in its file, members of its objects, names of files
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

/* ---- names of files ---- */

char *study_folder_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash != NULL ? hd__xstrndup(file, (size_t)(slash + 1 - file)) : hd__xstrdup("");
}

char *study_below(const char *folder, const char *name)
{
	return name[0] == '/' ? hd__xstrdup(name) : hd__join(folder, name, "");
}

char *study_short_name(const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash != NULL ? slash + 1 : file, *folder;
	size_t n = strlen(base);

	if (slash != NULL && n >= 2 && strcmp(base + n - 2, ".g") == 0) {
		for (folder = slash; folder > file && folder[-1] != '/'; folder--)
			;
		if (slash > folder)
			return hd__xstrndup(folder, (size_t)(slash - folder));
	}
	return hd__xstrndup(base, base[0] == '.' ? n : strcspn(base, "."));
}

bool study_is_range(const char *text)
{
	size_t n = strspn(text, "0123456789"), last = 0;

	if (n == 0 || text[0] == '0')
		return false;
	if (text[n] == '-')
		last = strspn(text + n + 1, "0123456789");
	if (last > 0 && strtoull(text + n + 1, NULL, 10) < strtoull(text, NULL, 10))
		return false;
	return text[n + (text[n] == '-') + last] == '\0';
}
