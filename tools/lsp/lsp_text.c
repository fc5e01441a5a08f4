/* lsp_text.c - reads JSON while it is typed: what is there counts, what is missing is left out
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "lsp.h"
#include "base/pointer.h"
#include "base/xalloc.h"

#define DEEPEST 100u

/* An object or array that is open; `v` is the value that contains it. */
struct level {
	json_t *v;
	char *key;  /* the last that was read of an object, or NULL */
	bool colon; /* its value is next */
};

struct reader {
	struct lsp_cursor *c;
	json_t *root;
	struct level up[DEEPEST];
	size_t depth;
};

static struct level *top(struct reader *r)
{
	return r->depth > 0 ? &r->up[r->depth - 1] : NULL;
}

/* Is a member's name next? */
static bool at_key(const struct reader *r)
{
	const struct level *l = r->depth > 0 ? &r->up[r->depth - 1] : NULL;

	return l && json_is_object(l->v) && !l->colon;
}

/* If the cursor is in these bytes, it is in the key or value that is next. */
static void note(struct reader *r, size_t begin, size_t end)
{
	struct lsp_cursor *c = r->c;

	if (c->at < begin || c->at > end)
		return;
	free(c->pointer);
	c->pointer = hd__xstrdup("");
	c->key = at_key(r);
	c->begin = begin, c->end = end;
	for (size_t i = 0; i < r->depth - c->key; i++) {
		const struct level *l = &r->up[i];
		char digits[HD_DIGITS], *up = c->pointer;

		c->pointer = hd__pointer_add(up, json_is_object(l->v) ? l->key
		             : hd__digits(digits, json_array_size(l->v) - (i + 1 < r->depth)));
		free(up);
	}
}

/* Takes over the value.  Returns false if it has no place. */
static bool put(struct reader *r, json_t *v)
{
	struct level *l = top(r);

	if (!l && !r->root) {
		r->root = v;
	} else if (l && json_is_array(l->v)) {
		json_array_append_new(l->v, v);
	} else if (l && l->colon) {
		json_object_set_new(l->v, l->key, v);
		l->colon = false;
	} else {
		json_decref(v);
		return false;
	}
	return true;
}

/* Closes the innermost object or array, and what is open inside of it. */
static void close_level(struct reader *r, bool object)
{
	size_t depth = r->depth;

	while (depth > 0 && (bool)json_is_object(r->up[depth - 1].v) != object)
		depth--;
	while (depth > 0 && r->depth >= depth)
		free(r->up[--r->depth].key);
}

/* The end of a string or word that begins there.  A quote that ends a string is not in it: *closed.  One behind
 * which JSON could not go on begins the next string, so this one ends where a value would. */
static size_t read_token(const struct reader *r, const char *text, size_t begin, bool *closed)
{
	size_t end = lsp_token_end(text, begin), cursor = r->c->at;

	*closed = end > begin + 1 && text[end - 1] == '"' && strchr(",:}] \t\r\n", text[end]);
	if (text[begin] != '"')
		return end;
	if (*closed)
		return end - 1;
	end = cursor > begin && cursor <= end ? cursor : begin + 1;
	return end + strcspn(text + end, ",}]\n\"");
}

static size_t read_scalar(struct reader *r, const char *text, size_t at)
{
	bool quoted = text[at] == '"', closed;
	size_t begin = at + quoted, end = read_token(r, text, at, &closed), n = end - begin;
	char *literal = hd__format(quoted ? "\"%.*s\"" : "%.*s", (int)n, text + begin);
	json_t *v = json_loads(literal, JSON_DECODE_ANY, NULL);
	struct level *l = top(r);

	free(literal);
	if (!v)
		v = json_stringn(text + begin, n);
	if (r->c->at >= begin && r->c->at <= end)
		r->c->quoted = quoted;
	if (quoted || !at_key(r))
		note(r, begin, end);
	if (!at_key(r)) {
		put(r, v);
	} else if (quoted && json_is_string(v) && strlen(json_string_value(v)) == json_string_length(v)) {
		free(l->key);
		l->key = hd__xstrdup(json_string_value(v));
		json_object_set_new(l->v, l->key, json_null());
		json_decref(v);
	} else {
		json_decref(v);
	}
	return end + (quoted && closed);
}

json_t *lsp_read(const char *text, struct lsp_cursor *c)
{
	struct reader r = { .c = c };

	for (size_t i = 0;;) {
		size_t begin = i;
		char ch;

		i += strspn(text + i, " \t\r\n");
		if (!c->pointer && c->at >= begin && c->at <= i) {
			note(&r, begin, i);
			c->begin = c->end = c->at;
		}
		ch = text[i];
		if (!ch || r.depth == DEEPEST) /* no netlist goes as deep: the rest is left out */
			break;
		if (ch == '{' || ch == '[') {
			json_t *v = hd__xcheck(ch == '{' ? json_object() : json_array());

			if (put(&r, v))
				r.up[r.depth++] = (struct level){ .v = v };
		} else if (ch == '}' || ch == ']') {
			close_level(&r, ch == '}');
		} else if (ch == ':' || ch == ',') {
			if (r.depth > 0)
				top(&r)->colon = ch == ':' && top(&r)->key;
		} else {
			i = read_scalar(&r, text, i) - 1;
		}
		i++;
	}
	while (r.depth > 0)
		free(r.up[--r.depth].key);
	return r.root ? r.root : json_null();
}

/* ---- places -------------------------------------------------------------------------------- */

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

size_t lsp_byte(const char *text, json_int_t line, json_int_t column, bool utf16)
{
	const char *p = text;

	for (; line > 0 && *p; line -= *p++ == '\n')
		;
	for (; column > 0 && *p && *p != '\n'; p += character(p))
		column -= utf16 ? units(p) : 1;
	return (size_t)(p - text);
}

static json_t *position(const char *text, size_t byte)
{
	json_int_t line = 0, column = 0;

	for (const char *p = text; p < text + byte && *p; p += character(p)) {
		column = *p == '\n' ? 0 : column + units(p);
		line += *p == '\n';
	}
	return json_pack("{s:I, s:I}", "line", line, "character", column);
}

json_t *lsp_range(const char *text, size_t begin, size_t end)
{
	return json_pack("{s:o, s:o}", "start", position(text, begin), "end", position(text, end));
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
