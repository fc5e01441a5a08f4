/* prologue_text.c - reads the text of a prologue value by value, so that it is never in memory as a tree
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A GPU has tens of thousands of places, causes and counters.  As JSON values they would take five
 * times as much memory as the text, and all of it at a time.
 */
#include "dump_decode.h"
#include "base/json_text.h"

/* An array whose elements become numbered items.  Returns false if it is not JSON, or an element is
 * not as it should be. */
static bool read_items(struct dump *d, struct hd_json_text *t, const char *name)
{
	size_t i = 0;

	if (hd__json_comes(t, ']'))
		return true;
	do {
		json_t *o = hd__json_value(t);
		bool ok = o && dump_check_item(d, name, i, o);

		if (ok)
			dump_add_item(d, name, i++, o);
		json_decref(o);
		if (!ok)
			return false;
	} while (hd__json_comes(t, ','));
	return hd__json_comes(t, ']');
}

static bool read_array(struct dump *d, struct hd_json_text *t, const char *name)
{
	const char *begin;
	bool ok;

	if (!hd__json_comes(t, '[')) {
		dump_damage(d, "prologue: expected '%s', an array", name);
		return false;
	}
	begin = t->p - 1;
	ok = dump_begin_items(d, name) && read_items(d, t, name);
	if (ok)
		dump_keep_part(d, name, begin, (size_t)(t->p - begin));
	return ok;
}

static bool read_member(void *arg, const char *name, struct hd_json_text *t)
{
	struct dump *d = arg;
	const char *begin;
	json_t *v;

	if (dump_has_items(name))
		return read_array(d, t, name);
	begin = t->p;
	v = hd__json_value(t);
	if (v && !dump_keep_part(d, name, begin, (size_t)(t->p - begin)))
		json_object_set(d->meta, name, v);
	json_decref(v);
	return v != NULL;
}

bool dump_read_prologue(struct dump *d, const char *text, size_t n)
{
	struct hd_json_text t = { .p = text, .end = text + n };

	d->meta = json_object();
	return hd__json_members(&t, read_member, d) && hd__json_over(&t);
}
