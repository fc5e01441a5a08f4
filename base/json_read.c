/* json_read.c - reads JSON: syntax errors, members at their places, value by value
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "json_read.h"
#include "output.h"
#include "pointer.h"
#include "words.h"
#include "xalloc.h"

#include <errno.h>

/* jansson gives the place after the offending text, and mostly quotes that text. */
static size_t error_place(const char *text, size_t length, const json_error_t *e)
{
	size_t place = e->position > 0 ? (size_t)e->position : 0, n;
	const char *near = strstr(e->text, " near '");

	if (place > length)
		place = length;
	if (near != NULL) {
		near += strlen(" near '");
		n = strlen(near);
		n -= n > 0; /* the closing quote */
		if (n <= place && memcmp(text + place - n, near, n) == 0)
			place -= n;
	} else if (json_error_code(e) == json_error_duplicate_key && place > 0) {
		do
			place--;
		while (place > 0
		       && (text[place - 1] != '"' || (place > 1 && text[place - 2] == '\\')));
		place -= place > 0;
	}
	return place;
}

/* A message where jansson's own would not help; else NULL. */
static const char *plain_words(const char *place, size_t left, const json_error_t *e)
{
	if (json_error_code(e) == json_error_null_character
	    || json_error_code(e) == json_error_null_byte_in_key)
		return "\\u0000 in a string; expected text";
	if (left > 0 && (*place == '/' || *place == '#'))
		return "comments are not JSON; expected a member \"doc\" instead";
	if (left > 3 && memcmp(place, "\xEF\xBB\xBF", 3) == 0)
		return "byte order mark; expected '{'";
	return NULL;
}

static void syntax_error(const char *file, const char *text, size_t length, json_error_t *e,
                         struct hd_diags *d)
{
	size_t place = error_place(text, length, e);
	size_t behind = e->position > 0 ? (size_t)e->position : 0;
	const char *plain = plain_words(text + place, length - place, e);
	int line, column;

	hd__line_column(text, text + place, &(struct hd_found){ NULL }, &line, &column);
	if (json_error_code(e) == json_error_duplicate_key && behind >= place + 2)
		hd__diag(d, HD_DIAG_ERROR, file, line, column,
		         "member '%.*s' appears twice in one object; expected different names",
		         (int)(behind - place - 2), text + place + 1);
	else
		hd__diag(d, HD_DIAG_ERROR, file, line, column, "bad JSON: %s",
		         plain != NULL ? plain : e->text);
}

json_t *hd__json_parse(const char *file, const char *text, size_t length, struct hd_diags *d)
{
	json_error_t e;
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);

	if (root == NULL && json_error_code(&e) == json_error_out_of_memory)
		hd__out_of_memory();
	if (root == NULL)
		syntax_error(file, text, length, &e, d);
	return root;
}

/* ---- objects of a file ---- */

void hd__from_diagv(const struct hd_json_from *f, enum hd_severity s, const char *at, bool key, const char *fmt,
                    va_list ap)
{
	int line = 0, column = 0;

	hd__locate(f->text, at, key, &line, &column);
	hd__diagv(f->d, s, f->file, line, column, fmt, ap);
}

void hd__from_diag(const struct hd_json_from *f, enum hd_severity s, const char *at, bool key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	hd__from_diagv(f, s, at, key, fmt, ap);
	va_end(ap);
}

void hd__from_known(const struct hd_json_from *f, const json_t *o, const char *at, const char *what,
                    const char *const *known)
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
		hd__from_diag(f, HD_DIAG_ERROR, place, true, "unknown member '%s' of %s%s", name, what,
		              hd__suggest(name, known, n, "expected one of", buf, sizeof buf));
		free(place);
	}
}

json_t *hd__from_member(const struct hd_json_from *f, const json_t *o, const char *at, const char *name, json_type type,
                        const char *expected)
{
	json_t *v = json_object_get(o, name);
	char buf[80], *place;

	if (v == NULL || json_typeof(v) == type || (type == JSON_TRUE && json_is_boolean(v)))
		return v;
	place = hd__pointer_add(at, name);
	hd__from_diag(f, HD_DIAG_ERROR, place, false, "'%s': expected %s, found %s", name, expected,
	              hd__found(v, buf, sizeof buf));
	free(place);
	return NULL;
}

/* ---- JSON value by value, from text of which only a part need be in memory ---- */

/* What is wrong with a value that is cut off shows at most so many bytes before the cut: "tru", an
 * incomplete character.  A cut inside of a string shows at the cut itself. */
#define NEAR 16

#define PIECE ((size_t)64 << 10) /* least bytes that are read from a file at a time */

static bool more(struct hd_json_text *t)
{
	return t->more && t->more(t);
}

static void skip_blanks(struct hd_json_text *t)
{
	do
		while (t->p < t->end && strchr(" \t\r\n", *t->p) && *t->p)
			t->p++;
	while (t->p == t->end && more(t));
}

char hd__json_next(struct hd_json_text *t)
{
	skip_blanks(t);
	return t->p == t->end ? '\0' : *t->p;
}

bool hd__json_comes(struct hd_json_text *t, char c)
{
	skip_blanks(t);
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	return true;
}

bool hd__json_over(struct hd_json_text *t)
{
	skip_blanks(t);
	return t->p == t->end;
}

/* The text with '?' for each control character but ends of lines and tabs, and its length; NULL if there is none. */
static char *tame_text(const char *text, size_t n, size_t *length)
{
	char *to = NULL;
	size_t m = 0;

	for (size_t i = 0, bytes; i < n; i += bytes ? bytes : 1) {
		bytes = text[i] == '\n' || text[i] == '\t' ? 0 : hd__control(text + i);
		if (bytes && !to) {
			to = hd__xcheck(malloc(n + 1));
			memcpy(to, text, m = i);
		}
		if (to)
			to[m++] = bytes ? '?' : text[i];
	}
	if (to)
		to[m] = '\0';
	*length = m;
	return to;
}

static void tame(json_t *v)
{
	const char *name;
	char *text = NULL;
	void *next;
	json_t *e;
	size_t i, n;

	json_array_foreach(v, i, e)
		tame(e);
	json_object_foreach_safe(v, next, name, e) {
		tame(e);
		text = tame_text(name, strlen(name), &n);
		if (text) {
			json_object_set_nocheck(v, text, e);
			json_object_del(v, name);
		}
		free(text);
	}
	text = json_is_string(v) ? tame_text(json_string_value(v), json_string_length(v), &n) : NULL;
	if (text)
		json_string_setn_nocheck(v, text, n);
	free(text);
}

json_t *hd__json_value(struct hd_json_text *t)
{
	for (;;) {
		size_t n = (size_t)(t->end - t->p);
		json_error_t e;
		json_t *v = json_loadb(t->p, n, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &e);
		/* a number that ends here may go on */
		size_t margin = v ? 0 : NEAR;

		if ((size_t)e.position + margin < n || !more(t)) {
			t->p += v ? e.position : 0;
			tame(v);
			return v;
		}
		json_decref(v);
	}
}

bool hd__json_members(struct hd_json_text *t, bool (*member)(void *arg, const char *name, struct hd_json_text *t),
                      void *arg)
{
	if (!hd__json_comes(t, '{'))
		return false;
	if (hd__json_comes(t, '}'))
		return true;
	do {
		json_t *key = hd__json_value(t);
		const char *name = json_string_value(key);
		bool ok = name && hd__json_comes(t, ':') && member(arg, name, t);

		json_decref(key);
		if (!ok)
			return false;
	} while (hd__json_comes(t, ','));
	return hd__json_comes(t, '}');
}

bool hd__json_rows(struct hd_json_text *t, void (*row)(void *arg, const char *name, json_t *row), void *arg,
                   const char *name)
{
	if (hd__json_comes(t, ']'))
		return true;
	do {
		json_t *one = hd__json_value(t);

		if (!one)
			return false;
		if (row)
			row(arg, name, one);
		json_decref(one);
	} while (hd__json_comes(t, ','));
	return hd__json_comes(t, ']');
}

/* ---- files ---- */

static bool read_more(struct hd_json_text *t)
{
	struct hd_json_file *file = t->source;
	size_t unread = (size_t)(t->end - t->p), piece = unread > PIECE ? unread : PIECE, n;

	piece = piece < file->left ? piece : file->left;
	if (unread)
		memmove(file->v, t->p, unread);
	file->v = hd__xreserve(file->v, unread + piece, &file->room, 1);
	n = fread(file->v + unread, 1, piece, file->f);
	file->left = n < piece ? 0 : file->left - n;
	t->p = file->v;
	t->end = file->v + unread + n;
	return n > 0;
}

void hd__json_file_open(struct hd_json_file *file, struct hd_json_text *t, FILE *f, size_t most)
{
	*file = (struct hd_json_file){ .f = f, .left = most };
	*t = (struct hd_json_text){ .more = read_more, .source = file };
}

void hd__json_file_close(struct hd_json_file *file)
{
	free(file->v);
}
