/* json_pretty.c - writes JSON with every value that fits on one line
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "json_pretty.h"

#include <stdlib.h>
#include <string.h>

struct writer {
	FILE *out;
	size_t column, columns;
	const char *like;
};

static void put(struct writer *w, const char *text)
{
	fputs(text, w->out);
	w->column += strlen(text);
}

static void new_line(struct writer *w, unsigned indent)
{
	fprintf(w->out, "\n%*s", (int)indent, "");
	w->column = indent;
}

static char *flat(const json_t *v)
{
	return json_dumps(v, JSON_ENCODE_ANY);
}

static void value(struct writer *w, const json_t *v, unsigned indent, size_t behind, bool open);

static void key(struct writer *w, const char *name)
{
	json_t *s = json_string(name);
	char *text = flat(s);

	if (text)
		put(w, text);
	put(w, ": ");
	free(text);
	json_decref(s);
}

/* Writes members one by one, as many to a line as fit. */
static void spread(struct writer *w, const json_t *v, unsigned indent, bool open)
{
	bool object = json_is_object(v);
	size_t i = 0, n = object ? json_object_size(v) : json_array_size(v);
	void *it = json_object_iter((json_t *)v);
	unsigned inner = indent + 2;

	put(w, object ? "{" : "[");
	for (; i < n; i++) {
		const json_t *m = object ? json_object_iter_value(it) : json_array_get(v, i);
		char *text = flat(m);
		size_t length = text ? strlen(text) : 0;

		if (object)
			length += strlen(json_object_iter_key(it)) + 4;
		if (open || i == 0 || w->column + length + 2 > w->columns)
			new_line(w, inner);
		else
			put(w, " ");
		if (object)
			key(w, json_object_iter_key(it));
		value(w, m, inner, i + 1 < n, false);
		if (i + 1 < n)
			put(w, ",");
		if (object)
			it = json_object_iter_next((json_t *)v, it);
		free(text);
	}
	new_line(w, indent);
	put(w, object ? "}" : "]");
}

/* The outermost object, and those inside of it that have its form. */
static void outer(struct writer *w, const json_t *v, unsigned indent)
{
	size_t i = 0, n = json_object_size(v);
	const char *name;
	json_t *m;

	put(w, "{");
	json_object_foreach((json_t *)v, name, m) {
		new_line(w, indent + 2);
		key(w, name);
		value(w, m, indent + 2, 1, json_is_object(m) || json_is_array(m));
		if (++i < n)
			put(w, ",");
	}
	new_line(w, indent);
	put(w, "}");
}

static void value(struct writer *w, const json_t *v, unsigned indent, size_t behind, bool open)
{
	char *text = flat(v);
	bool whole = !json_is_object(v) && !json_is_array(v);

	if (w->like && json_object_get(v, w->like))
		outer(w, v, indent);
	else if (text && !open && (whole || w->column + strlen(text) + behind <= w->columns))
		put(w, text);
	else
		spread(w, v, indent, open);
	free(text);
}

bool hd__json_pretty(const json_t *v, size_t columns, const char *like, FILE *out)
{
	struct writer w = { .out = out, .columns = columns, .like = like };

	outer(&w, v, 0);
	fputc('\n', out);
	return !ferror(out);
}
