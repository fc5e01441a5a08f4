/* prologue_text.c - reads the text of a prologue value by value, so that it is never in memory as a tree
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A GPU has tens of thousands of places, causes and counters.  As JSON values they would take five
 * times as much memory as the text, and all of it at a time.
 */
#include "json_text.h"

/* An array whose elements become numbered items.  Returns false if it is not JSON, or an element is
 * not as it should be. */
static bool read_items(struct dump *d, struct dump_text *t, const char *name)
{
	size_t i = 0;

	if (dump_text_comes(t, ']'))
		return true;
	do {
		json_t *o = dump_text_value(t);
		bool ok = o && dump_check_item(d, name, i, o);

		if (ok)
			dump_add_item(d, name, i++, o);
		json_decref(o);
		if (!ok)
			return false;
	} while (dump_text_comes(t, ','));
	return dump_text_comes(t, ']');
}

static bool read_array(struct dump *d, struct dump_text *t, const char *name)
{
	const char *begin;
	bool ok;

	if (!dump_text_comes(t, '[')) {
		dump_damage(d, "prologue: expected '%s', an array", name);
		return false;
	}
	begin = t->p - 1;
	ok = dump_begin_items(d, name) && read_items(d, t, name);
	if (ok)
		dump_keep_part(d, name, begin, (size_t)(t->p - begin));
	return ok;
}

static bool read_member(struct dump *d, struct dump_text *t)
{
	json_t *key = dump_text_value(t), *v;
	const char *name = json_string_value(key), *begin;
	bool ok = name && dump_text_comes(t, ':');

	if (ok && dump_has_items(name)) {
		ok = read_array(d, t, name);
	} else if (ok) {
		begin = t->p;
		v = dump_text_value(t);
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
	struct dump_text t = { text, text + n, NULL };

	if (!dump_text_comes(&t, '{'))
		return false;
	d->meta = json_object();
	if (!dump_text_comes(&t, '}')) {
		do
			if (!read_member(d, &t))
				return false;
		while (dump_text_comes(&t, ','));
		if (!dump_text_comes(&t, '}'))
			return false;
	}
	return dump_text_over(&t);
}
