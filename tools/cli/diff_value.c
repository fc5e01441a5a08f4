/* diff_value.c - the lines of a difference, and how two values differ
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "diff.h"
#include "kernel/base/xalloc.h"

#include <ctype.h>

enum { MAX_SHOWN = 100 }; /* bytes of a value that are shown */

/* "unit sm[3].x: rows[0].y" as "unit sm[*].x: rows[0].y". */
static char *open_elements(const char *name)
{
	char *out = hd__xcalloc(strlen(name) + 1, 1), *o = out;
	bool inside = false; /* of the value that differs */

	while (*name != '\0') {
		size_t n = *name == '[' ? strspn(name + 1, "0123456789") : 0;

		inside = inside || *name == ':';
		if (!inside && n > 0 && name[n + 1] == ']' && name[n + 2] == '.') {
			memcpy(o, "[*]", 3);
			o += 3;
			name += n + 2;
		} else {
			*o++ = *name++;
		}
	}
	return out;
}

void hd__diff_line(struct hd_diff_lines *d, const char *kind, const char *name, const char *fmt, ...)
{
	char *text, *all, *key;
	va_list ap;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	all = hd__format("%s %s%s", kind, name, text);
	key = open_elements(all);
	free(text);
	for (size_t i = 0; i < d->n; i++) {
		if (strcmp(d->v[i].key, key) != 0)
			continue;
		d->v[i].more++;
		free(key);
		free(all);
		return;
	}
	d->v = hd__xgrow(d->v, d->n, &d->cap, sizeof *d->v);
	d->v[d->n++] = (struct hd_diff_line){ all, key, 0 };
}

/* ---- values -------------------------------------------------------------------------------- */

char *hd__diff_shown(const json_t *v)
{
	char *text = json_dumps(v, JSON_ENCODE_ANY);

	if (text == NULL)
		return hd__xstrdup("?");
	if (strlen(text) > MAX_SHOWN) {
		size_t n = MAX_SHOWN;

		while (((unsigned char)text[n] & 0xC0) == 0x80)
			n--;
		strcpy(text + n, "...");
	}
	return text;
}

static void print_values(struct hd_diff_lines *d, const char *kind, const char *name,
                       const char *path, const json_t *a, const json_t *b)
{
	char *was = a != NULL ? hd__diff_shown(a) : NULL, *is = b != NULL ? hd__diff_shown(b) : NULL;

	if (a == NULL)
		hd__diff_line(d, kind, name, ": %s is new, %s", path, is);
	else if (b == NULL)
		hd__diff_line(d, kind, name, ": %s is removed; it was %s", path, was);
	else
		hd__diff_line(d, kind, name, ": %s was %s, is %s", path, was, is);
	free(was);
	free(is);
}

/* The path of a member, "" being the value itself. */
static char *below(const char *path, const char *member)
{
	return *path != '\0' ? hd__format("%s.%s", path, member) : hd__xstrdup(member);
}

void hd__diff_value(struct hd_diff_lines *d, const char *kind, const char *name, const char *path,
                    const json_t *a, const json_t *b)
{
	const char *key;
	char *inner;
	json_t *v;

	if ((a == NULL && b == NULL) || (a != NULL && b != NULL && json_equal(a, b)))
		return;
	if (json_is_object(a) && json_is_object(b)) {
		json_object_foreach((json_t *)a, key, v) {
			inner = below(path, key);
			hd__diff_value(d, kind, name, inner, v, json_object_get(b, key));
			free(inner);
		}
		json_object_foreach((json_t *)b, key, v) {
			if (json_object_get(a, key) != NULL)
				continue;
			inner = below(path, key);
			hd__diff_value(d, kind, name, inner, NULL, v);
			free(inner);
		}
	} else if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)
	           && json_is_object(json_array_get(a, 0))) {
		for (size_t i = 0; i < json_array_size(a); i++) {
			inner = hd__format("%s[%zu]", path, i);
			hd__diff_value(d, kind, name, inner, json_array_get(a, i),
			               json_array_get(b, i));
			free(inner);
		}
	} else {
		print_values(d, kind, name, path, a, b);
	}
}
