/* prologue_text.c - reads the text of a prologue value by value, so that it is never in memory as a tree
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A GPU has tens of thousands of places, causes and counters.  As JSON values they would take five
 * times as much memory as the text, and all of it at a time.
 */
#include "decode.h"

struct text {
	const char *p, *end;
};

static void skip_blanks(struct text *t)
{
	while (t->p < t->end && strchr(" \t\r\n", *t->p) && *t->p)
		t->p++;
}

static bool comes(struct text *t, char c)
{
	skip_blanks(t);
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	return true;
}

/* The next value, which the caller owns; NULL: there is none. */
static json_t *value(struct text *t)
{
	json_error_t e;
	json_t *v = json_loadb(t->p, (size_t)(t->end - t->p),
	                       JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &e);

	if (v)
		t->p += e.position;
	return v;
}

/* An array whose elements become numbered items.  Returns false if it is not JSON, or an element is
 * not as it should be. */
static bool read_items(struct dump *d, struct text *t, const char *name)
{
	size_t i = 0;

	if (comes(t, ']'))
		return true;
	do {
		json_t *o = value(t);
		bool ok = o && dump_check_item(d, name, i, o);

		if (ok)
			dump_add_item(d, name, i++, o);
		json_decref(o);
		if (!ok)
			return false;
	} while (comes(t, ','));
	return comes(t, ']');
}

static bool read_array(struct dump *d, struct text *t, const char *name)
{
	const char *begin;
	bool ok;

	skip_blanks(t);
	begin = t->p;
	if (!comes(t, '[')) {
		dump_damage(d, "prologue: expected '%s', an array", name);
		return false;
	}
	ok = dump_begin_items(d, name) && read_items(d, t, name);
	if (ok)
		dump_keep_part(d, name, begin, (size_t)(t->p - begin));
	return ok;
}

static bool read_member(struct dump *d, struct text *t)
{
	json_t *key = value(t), *v;
	const char *name = json_string_value(key), *begin;
	bool ok = name && comes(t, ':');

	if (ok && dump_has_items(name)) {
		ok = read_array(d, t, name);
	} else if (ok) {
		skip_blanks(t);
		begin = t->p;
		v = value(t);
		ok = v != NULL;
		if (ok && !dump_keep_part(d, name, begin, (size_t)(t->p - begin)))
			json_object_set(d->meta, name, v);
		json_decref(v);
	}
	json_decref(key);
	return ok;
}

bool dump_read_prologue(struct dump *d, const char *text, size_t n)
{
	struct text t = { text, text + n };

	if (!comes(&t, '{'))
		return false;
	d->meta = json_object();
	if (!comes(&t, '}')) {
		do
			if (!read_member(d, &t))
				return false;
		while (comes(&t, ','));
		if (!comes(&t, '}'))
			return false;
	}
	skip_blanks(&t);
	return t.p == t.end;
}
