/* json_rows.c - writes an object in JSON whose rows are made one at a time
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "json_rows.h"
#include "bytes.h"

#include <string.h>

#define PIECE ((size_t)64 << 10) /* bytes that are written to a file at a time */

struct writer {
	json_dump_callback_t put;
	void *arg;
	size_t layout;
	unsigned depth; /* columns by which lines of the value are indented */
	bool bad;
};

static void put(struct writer *w, const char *text, size_t n)
{
	w->bad = w->bad || w->put(text, n, w->arg) != 0;
}

/* Line ends stand between values only: inside of a text they are escaped. */
static int put_indented(const char *text, size_t n, void *arg)
{
	struct writer *w = arg;

	if (w->layout & JSON_COMPACT) {
		put(w, text, n);
		n = 0;
	}
	while (n > 0 && !w->bad) {
		const char *end = memchr(text, '\n', n);
		size_t length = end ? (size_t)(end - text) + 1 : n;

		put(w, text, length);
		for (unsigned i = 0; end && i < w->depth; i++)
			put(w, " ", 1);
		text += length;
		n -= length;
	}
	return w->bad ? -1 : 0;
}

static void put_value(struct writer *w, const json_t *v)
{
	if (json_dump_callback(v, put_indented, w, w->layout | JSON_ENCODE_ANY) != 0)
		w->bad = true;
}

static bool compact(const struct writer *w)
{
	return w->layout & JSON_COMPACT;
}

static void new_line(struct writer *w)
{
	if (!compact(w))
		put_indented("\n", 1, w);
}

static void put_rows(struct writer *w, const struct hd_json_rows *rows, const char *name)
{
	size_t n = rows->count(rows->arg, name);

	put(w, "[", 1);
	w->depth++;
	for (size_t i = 0; i < n && !w->bad; i++) {
		json_t *row = rows->row(rows->arg, name, i);

		put(w, ",", i > 0);
		new_line(w);
		put_value(w, row);
		json_decref(row);
	}
	w->depth--;
	if (n > 0)
		new_line(w);
	put(w, "]", 1);
}

static void put_member(struct writer *w, const struct hd_json_rows *rows, const char *name, const json_t *value)
{
	json_t *key = json_string(name);

	put_value(w, key);
	json_decref(key);
	put(w, ": ", compact(w) ? 1 : 2);
	if (json_is_array(value))
		put_rows(w, rows, name);
	else
		put_value(w, value);
}

bool hd__json_rows_dump(const json_t *object, const struct hd_json_rows *rows, size_t layout,
                        json_dump_callback_t callback, void *arg)
{
	struct writer w = { callback, arg, layout, 0, false };
	const char *name;
	json_t *value;
	bool any = false;

	if (!rows) {
		put_value(&w, object);
		return !w.bad;
	}
	put(&w, "{", 1);
	w.depth++;
	json_object_foreach((json_t *)object, name, value) {
		put(&w, ",", any);
		new_line(&w);
		put_member(&w, rows, name, value);
		any = true;
	}
	w.depth--;
	if (any)
		new_line(&w);
	put(&w, "}", 1);
	return !w.bad;
}

/* ---- files ---- */

/* jansson writes a few bytes at a time, for which a FILE is slow. */
struct file {
	FILE *out;
	struct hd_bytes piece;
};

static bool flush(struct file *f)
{
	bool ok = fwrite(f->piece.v, 1, f->piece.n, f->out) == f->piece.n;

	f->piece.n = 0;
	return ok;
}

static int append(const char *text, size_t n, void *arg)
{
	struct file *f = arg;

	hd__bytes_append(&f->piece, text, n);
	return f->piece.n < PIECE || flush(f) ? 0 : -1;
}

bool hd__json_rows_write(const json_t *object, const struct hd_json_rows *rows, size_t layout, FILE *out)
{
	struct file f = { .out = out };
	bool ok = hd__json_rows_dump(object, rows, layout, append, &f) && append("\n", 1, &f) == 0 && flush(&f);

	free(f.piece.v);
	return ok;
}
