/* lsp_text.c - reads JSON while it is typed: what is there counts, what is missing is left out
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "lsp.h"
#include "base/pointer.h"
#include "base/xalloc.h"

#define DEEPEST 100u

struct reader {
	const char *text;
	size_t n, i;
	struct lsp_cursor *c;
	unsigned depth;
};

static json_t *read_value(struct reader *r, const struct hd_place *place);

static void skip_space(struct reader *r)
{
	while (r->i < r->n && strchr(" \t\r\n", r->text[r->i]) && r->text[r->i])
		r->i++;
}

/* The cursor is somewhere from `begin` to `end`: notes where that is. */
static void note(struct reader *r, const struct hd_place *place, bool key, bool quoted, size_t begin, size_t end)
{
	struct lsp_cursor *c = r->c;

	if (c->at < begin || c->at > end)
		return;
	free(c->pointer);
	c->pointer = hd__place_pointer(place);
	c->key = key;
	c->quoted = quoted;
	c->begin = quoted ? begin : c->at;
	c->end = quoted ? end : c->at;
}

/* A string, to its quote or to the end of the line. */
static json_t *read_string(struct reader *r, const struct hd_place *place, bool key)
{
	size_t begin = ++r->i, end;
	char *literal;
	json_t *v;

	while (r->i < r->n && r->text[r->i] != '"' && r->text[r->i] != '\n')
		r->i += r->text[r->i] == '\\' && r->i + 1 < r->n && r->text[r->i + 1] != '\n' ? 2 : 1;
	end = r->i;
	r->i += r->i < r->n && r->text[r->i] == '"';
	note(r, place, key, true, begin, end);
	literal = hd__format("\"%.*s\"", (int)(end - begin), r->text + begin);
	v = json_loads(literal, JSON_DECODE_ANY, NULL);
	free(literal);
	return v ? v : json_stringn(r->text + begin, end - begin);
}

/* A number, true, a word without quotes. */
static json_t *read_word(struct reader *r, const struct hd_place *place)
{
	size_t begin = r->i;
	json_t *v;

	while (r->i < r->n && !strchr(" \t\r\n,]}:\"", r->text[r->i]))
		r->i++;
	if (r->i == begin)
		return NULL;
	if (r->c->at >= begin && r->c->at <= r->i) {
		note(r, place, false, false, r->c->at, r->c->at);
		r->c->begin = begin, r->c->end = r->i;
	}
	v = json_loadb(r->text + begin, r->i - begin, JSON_DECODE_ANY, NULL);
	return v ? v : json_stringn(r->text + begin, r->i - begin);
}

static json_t *read_array(struct reader *r, const struct hd_place *up)
{
	json_t *list = hd__xcheck(json_array());
	struct hd_place place = { .up = up };

	for (r->i++; r->i < r->n;) {
		size_t before = r->i;

		skip_space(r);
		note(r, &place, false, false, before, r->i);
		if (r->i >= r->n || r->text[r->i] == ']')
			break;
		if (r->text[r->i] == '}') /* of an object around it */
			return list;
		if (r->text[r->i] == ',' || r->text[r->i] == ':') {
			r->i++;
			continue;
		}
		json_array_append_new(list, read_value(r, &place));
		place.index = json_array_size(list);
	}
	r->i += r->i < r->n;
	return list;
}

static json_t *read_object(struct reader *r, const struct hd_place *up)
{
	json_t *object = hd__xcheck(json_object());

	for (r->i++; r->i < r->n;) {
		size_t before = r->i;
		json_t *key, *v = NULL;

		skip_space(r);
		note(r, up, true, false, before, r->i);
		if (r->i >= r->n || r->text[r->i] == '}')
			break;
		if (r->text[r->i] == ']')
			return object;
		if (r->text[r->i] != '"') {
			r->i++;
			continue;
		}
		key = read_string(r, up, true);
		skip_space(r);
		if (r->i < r->n && r->text[r->i] == ':' && json_is_string(key)) {
			struct hd_place place = { .up = up, .member = json_string_value(key) };

			before = ++r->i;
			skip_space(r);
			note(r, &place, false, false, before, r->i);
			v = read_value(r, &place);
		}
		if (json_is_string(key))
			json_object_set_new(object, json_string_value(key), v ? v : json_null());
		json_decref(key);
	}
	r->i += r->i < r->n;
	return object;
}

/* NULL: there is none. */
static json_t *read_value(struct reader *r, const struct hd_place *place)
{
	json_t *v;

	skip_space(r);
	if (r->i >= r->n)
		return NULL;
	if (r->text[r->i] == '"')
		return read_string(r, place, false);
	if (r->text[r->i] != '{' && r->text[r->i] != '[')
		return read_word(r, place);
	if (r->depth == DEEPEST) { /* no netlist goes as deep: the rest is left out */
		r->i = r->n;
		return NULL;
	}
	r->depth++;
	v = r->text[r->i] == '{' ? read_object(r, place) : read_array(r, place);
	r->depth--;
	return v;
}

json_t *lsp_read(const char *text, size_t length, struct lsp_cursor *c)
{
	struct reader r = { .text = text, .n = length, .c = c };
	struct hd_place place = { .base = "" };
	json_t *v = read_value(&r, &place);

	return v ? v : json_null();
}

/* ---- places -------------------------------------------------------------------------------- */

static const char *line_at(const char *text, json_int_t line)
{
	const char *end;

	for (; line > 0 && (end = strchr(text, '\n')); line--)
		text = end + 1;
	return line > 0 ? text + strlen(text) : text;
}

/* Bytes of the character there. */
static size_t character(const char *p)
{
	size_t n = 1;

	while (((unsigned char)p[n] & 0xC0) == 0x80)
		n++;
	return n;
}

/* UTF-16 has two units for what takes four bytes in UTF-8. */
static json_int_t units(const char *p)
{
	return (unsigned char)*p >= 0xF0 ? 2 : 1;
}

size_t lsp_byte(const char *text, const json_t *position)
{
	json_int_t left = json_integer_value(json_object_get(position, "character"));
	const char *p = line_at(text, json_integer_value(json_object_get(position, "line")));

	for (; left > 0 && *p && *p != '\n'; p += character(p))
		left -= units(p);
	return (size_t)(p - text);
}

json_t *lsp_position(const char *text, size_t byte)
{
	const char *p = text, *end;
	json_int_t line = 0, column = 0;

	for (; (end = memchr(p, '\n', byte - (size_t)(p - text))); p = end + 1)
		line++;
	for (; p < text + byte && *p; p += character(p))
		column += units(p);
	return json_pack("{s:I, s:I}", "line", line, "character", column);
}

json_t *lsp_range(const char *text, size_t begin, size_t end)
{
	return json_pack("{s:o, s:o}", "start", lsp_position(text, begin), "end", lsp_position(text, end));
}

size_t lsp_byte_of_column(const char *text, int line, int column)
{
	const char *p = line_at(text, line - 1);

	for (; column > 1 && *p && *p != '\n'; column--)
		p += character(p);
	return (size_t)(p - text);
}

size_t lsp_token_end(const char *text, size_t begin)
{
	const char *p = text + begin;

	if (*p == '"') {
		for (p++; *p && *p != '"' && *p != '\n'; p++)
			p += *p == '\\' && p[1] && p[1] != '\n';
		p += *p == '"';
	} else {
		p += strcspn(p, " \t\r\n,]}:\"");
	}
	return (size_t)(p - text);
}
