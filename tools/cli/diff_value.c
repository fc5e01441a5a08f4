/* diff_value.c - the lines of a difference, and how two values differ
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "diff.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <stdlib.h>

enum { MAX_SHOWN = 100 }; /* bytes of a value that are shown */

/* Bytes of a path up to the first element that it names, "sm[3].x": 5; 0: it names none. */
static size_t up_to_element(const char *path)
{
	size_t n = strcspn(path, "[.\" ");
	size_t digits = path[n] == '[' ? strspn(path + n + 1, "0123456789") : 0;

	return digits > 0 && path[n + 1 + digits] == ']' ? n + digits + 2 : 0;
}

/* "unit sm[3].x[1]: rows[0].y" as "unit sm[*].x[*]: rows[0].y".  In a value that differs only what the name begins
 * with as well: "clock sm[3].x is new, {"of": "sm[3].y"}". */
static char *open_elements(const char *kind, const char *line)
{
	const char *name = line + strlen(kind) + 1;
	char *out = hd__xcalloc(strlen(line) + 1, 1), *o = out;
	bool inside = false, quoted = false; /* of the value that differs, of a text in it */

	while (*line != '\0') {
		size_t n = *line == '[' ? strspn(line + 1, "0123456789") : 0;

		if (*line == '"') { /* a path begins, or ends */
			size_t own = quoted ? 0 : up_to_element(line + 1);

			quoted = !quoted;
			*o++ = *line++;
			if (own == 0 || strncmp(line, name, own) != 0)
				continue;
			n = strcspn(line, "[");
			memcpy(o, line, n);
			memcpy(o + n, "[*]", 3);
			o += n + 3;
			line += own;
			continue;
		}
		inside = inside || *line == ':' || *line == '{';
		if (!inside && n > 0 && line[n + 1] == ']' && (line[n + 2] == '.' || line[n + 2] == ':')) {
			memcpy(o, "[*]", 3);
			o += 3;
			line += n + 2;
		} else {
			*o++ = *line++;
		}
	}
	return out;
}

/* Is the end b behind a in one element only: "sm[3].x", "sm[4].x"?  At *at the '[' of it. */
static bool follows(const char *a, const char *b, size_t *at)
{
	char *end_a, *end_b;
	unsigned long x, y;
	size_t n = 0;

	while (a[n] != '\0' && a[n] == b[n])
		n++;
	while (n > 0 && isdigit((unsigned char)a[n - 1]))
		n--;
	if (n == 0 || a[n - 1] != '[' || !isdigit((unsigned char)a[n]) || !isdigit((unsigned char)b[n]))
		return false;
	x = strtoul(a + n, &end_a, 10);
	y = strtoul(b + n, &end_b, 10);
	*at = n - 1;
	return y == x + 1 && strcmp(end_a, end_b) == 0;
}

/* "[0..79]" in place of the element at `at` of the first. */
static void put_range(FILE *out, const char *first, const char *last, size_t at)
{
	fprintf(out, "%.*s%s%.*s..%s", (int)at, first, "[", (int)strspn(first + at + 1, "0123456789"),
	        first + at + 1, last + at + 1);
}

char *hd__diff_ends(const struct hd_diff_lines *d, const char *ends)
{
	char *copy, *text = NULL, *rest, *first, *last, *end;
	size_t size, at = 0, here;
	FILE *out;

	if (d->all || strchr(ends, ',') == NULL)
		return hd__xstrdup(ends);
	copy = hd__xstrdup(ends);
	out = hd__xcheck(open_memstream(&text, &size));
	first = last = strtok_r(copy, ", ", &rest);
	while (first != NULL) {
		end = strtok_r(NULL, ", ", &rest);
		if (end != NULL && follows(last, end, &here) && (first == last || here == at)) {
			at = here;
			last = end;
			continue;
		}
		if (first == last)
			fputs(first, out);
		else
			put_range(out, first, last, at);
		if (end != NULL)
			fputs(", ", out);
		first = last = end;
	}
	fclose(out);
	free(copy);
	return text;
}

void hd__diff_line(struct hd_diff_lines *d, const char *kind, const char *name, const char *fmt, ...)
{
	char *text, *all, *key;
	const json_t *before;
	va_list ap;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	all = hd__format("%s %s%s", kind, name, text);
	free(text);
	key = open_elements(kind, all);
	before = d->all ? NULL : json_object_get(d->by_key, key);
	if (before != NULL) {
		d->v[json_integer_value(before)].more++;
		free(all);
	} else {
		json_object_set_new(d->by_key, key, json_integer((json_int_t)d->n));
		d->v = hd__xgrow(d->v, d->n, &d->cap, sizeof *d->v);
		d->v[d->n++] = (struct hd_diff_line){ all, 0 };
	}
	free(key);
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
