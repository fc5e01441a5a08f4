/* end.c - how a run ended: its statistics, of which rows of tables are read one after another
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each launch of a kernel has a row, which for a whole GPU is long.
 */
#include "json_text.h"

struct reader {
	struct dump_text text;
	void (*row)(void *arg, const char *table, json_t *row); /* NULL: rows are passed over */
	void *arg;
};

/* Behind the '['.  Returns false if it is not JSON. */
static bool read_rows(struct reader *r, const char *table)
{
	if (dump_text_comes(&r->text, ']'))
		return true;
	do {
		json_t *row = dump_text_value(&r->text);

		if (!row)
			return false;
		if (r->row)
			r->row(r->arg, table, row);
		json_decref(row);
	} while (dump_text_comes(&r->text, ','));
	return dump_text_comes(&r->text, ']');
}

static bool read_member(struct reader *r, json_t *to)
{
	json_t *key = dump_text_value(&r->text), *v;
	const char *name = json_string_value(key);
	bool ok = name && dump_text_comes(&r->text, ':');

	if (ok && dump_text_comes(&r->text, '[')) {
		ok = read_rows(r, name);
	} else if (ok) {
		v = dump_text_value(&r->text);
		ok = v && json_object_set_new(to, name, v) == 0;
	}
	json_decref(key);
	return ok;
}

static bool read_members(struct reader *r, json_t *to)
{
	if (!dump_text_comes(&r->text, '{'))
		return false;
	if (dump_text_comes(&r->text, '}'))
		return dump_text_over(&r->text);
	do
		if (!read_member(r, to))
			return false;
	while (dump_text_comes(&r->text, ','));
	return dump_text_comes(&r->text, '}') && dump_text_over(&r->text);
}

json_t *dump_read_end(const struct dump *d, const struct dump_block *b,
                      void (*row)(void *arg, const char *table, json_t *row), void *arg)
{
	struct reader r = { .row = row, .arg = arg };
	struct dump_source *source = dump_source_open(d, b, &r.text);
	json_t *end = json_object();
	bool ok = read_members(&r, end);

	if (dump_source_close(source) && ok)
		return end;
	json_decref(end);
	return NULL;
}

json_t *dump_statistics(const struct dump *d,
                        void (*row)(void *arg, const char *table, json_t *row), void *arg)
{
	return d->statistics ? dump_read_end(d, d->statistics, row, arg) : NULL;
}
