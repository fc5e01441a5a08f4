/* dump_end.c - how a run ended: its statistics, of which rows of tables are read one after another
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each launch of a kernel has a row, which for a whole GPU is long.
 */
#include "dump_unpack.h"

struct reader {
	json_t *to;
	void (*row)(void *arg, const char *table, json_t *row); /* NULL: rows are passed over */
	void *arg;
};

static bool read_member(void *arg, const char *name, struct hd_json_text *t)
{
	const struct reader *r = arg;

	if (hd__json_comes(t, '['))
		return hd__json_rows(t, r->row, r->arg, name);
	return json_object_set_new(r->to, name, hd__json_value(t)) == 0;
}

json_t *dump_read_end(const struct dump *d, const struct dump_block *b,
                      void (*row)(void *arg, const char *table, json_t *row), void *arg)
{
	struct reader r = { json_object(), row, arg };
	struct hd_json_text t;
	struct dump_source *source = dump_source_open(d, b, &t);
	bool ok = hd__json_members(&t, read_member, &r) && hd__json_over(&t);

	if (dump_source_close(source) && ok)
		return r.to;
	json_decref(r.to);
	return NULL;
}

json_t *dump_statistics(const struct dump *d,
                        void (*row)(void *arg, const char *table, json_t *row), void *arg)
{
	return d->statistics ? dump_read_end(d, d->statistics, row, arg) : NULL;
}
