/* study_place.c - messages about a study at their places in its file, members of its objects, names of files
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/json_read.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "study.h"

void study_bad(const struct study *s, struct hd_diags *d, const char *at, bool key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	hd__from_diagv(&(struct hd_json_from){ s->file, s->text, d }, HD_DIAG_ERROR, at, key, fmt, ap);
	va_end(ap);
}

void study_members(const struct study *s, struct hd_diags *d, const json_t *o, const char *at,
                   const char *what, const char *const *known)
{
	hd__from_known(&(struct hd_json_from){ s->file, s->text, d }, o, at, what, known);
}

json_t *study_member(const struct study *s, struct hd_diags *d, const json_t *o, const char *at,
                     const char *name, json_type type, const char *expected)
{
	return hd__from_member(&(struct hd_json_from){ s->file, s->text, d }, o, at, name, type, expected);
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
