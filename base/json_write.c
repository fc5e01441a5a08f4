/* json_write.c - writes JSON: an object whose rows are made one at a time, lines as long as they fit, named values
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "json_write.h"
#include "bytes.h"

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

/* ---- rows into files ---- */

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

/* ---- values that fit on a line ---- */

struct page {
	FILE *out;
	size_t column, columns;
	const char *like;
};

static void put_text(struct page *w, const char *text)
{
	fputs(text, w->out);
	w->column += strlen(text);
}

static void start_line(struct page *w, unsigned indent)
{
	fprintf(w->out, "\n%*s", (int)indent, "");
	w->column = indent;
}

static char *flat(const json_t *v)
{
	return json_dumps(v, JSON_ENCODE_ANY);
}

static void value(struct page *w, const json_t *v, unsigned indent, size_t behind, bool open);

static void key(struct page *w, const char *name)
{
	json_t *s = json_string(name);
	char *text = flat(s);

	if (text)
		put_text(w, text);
	put_text(w, ": ");
	free(text);
	json_decref(s);
}

/* Writes members one by one, as many to a line as fit. */
static void spread(struct page *w, const json_t *v, unsigned indent, bool open)
{
	bool object = json_is_object(v);
	size_t i = 0, n = object ? json_object_size(v) : json_array_size(v);
	void *it = json_object_iter((json_t *)v);
	unsigned inner = indent + 2;

	put_text(w, object ? "{" : "[");
	for (; i < n; i++) {
		const json_t *m = object ? json_object_iter_value(it) : json_array_get(v, i);
		char *text = flat(m);
		size_t length = text ? strlen(text) : 0;

		if (object)
			length += strlen(json_object_iter_key(it)) + 4;
		if (open || i == 0 || w->column + length + 2 > w->columns)
			start_line(w, inner);
		else
			put_text(w, " ");
		if (object)
			key(w, json_object_iter_key(it));
		value(w, m, inner, i + 1 < n, false);
		if (i + 1 < n)
			put_text(w, ",");
		if (object)
			it = json_object_iter_next((json_t *)v, it);
		free(text);
	}
	start_line(w, indent);
	put_text(w, object ? "}" : "]");
}

/* The outermost object, and those inside of it that have its form. */
static void outer(struct page *w, const json_t *v, unsigned indent)
{
	size_t i = 0, n = json_object_size(v);
	const char *name;
	json_t *m;

	put_text(w, "{");
	json_object_foreach((json_t *)v, name, m) {
		start_line(w, indent + 2);
		key(w, name);
		value(w, m, indent + 2, 1, json_is_object(m) || json_is_array(m));
		if (++i < n)
			put_text(w, ",");
	}
	start_line(w, indent);
	put_text(w, "}");
}

static void value(struct page *w, const json_t *v, unsigned indent, size_t behind, bool open)
{
	char *text = flat(v);
	bool whole = !json_is_object(v) && !json_is_array(v);

	if (w->like && json_object_get(v, w->like))
		outer(w, v, indent);
	else if (text && !open && (whole || w->column + strlen(text) + behind <= w->columns))
		put_text(w, text);
	else
		spread(w, v, indent, open);
	free(text);
}

bool hd__json_pretty(const json_t *v, size_t columns, const char *like, FILE *out)
{
	struct page w = { .out = out, .columns = columns, .like = like };

	outer(&w, v, 0);
	fputc('\n', out);
	return !ferror(out);
}

/* ---- named values ---- */

void hd__cell_json(json_t *row, const struct hd_cell *cell)
{
	json_t *v = cell->text ? json_string(cell->text) : json_integer((json_int_t)cell->number);

	if (!v) /* not UTF-8 */
		v = json_string("?");
	json_object_set_new(row, cell->name, v);
}

json_t *hd__cells_json(const struct hd_cell *cells, unsigned n)
{
	json_t *row = json_object();

	for (unsigned i = 0; i < n; i++)
		hd__cell_json(row, &cells[i]);
	return row;
}
