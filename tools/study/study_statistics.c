/* study_statistics.c - reads the statistics of a run in a file, rows of kernels one by one
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_statistics.h"

#include <string.h>

struct reader {
	void (*row)(void *arg, unsigned kernel, json_t *row);
	void *arg;
	unsigned n;     /* rows so far */
	bool rows;      /* are those of this object asked for? */
	bool outermost;
	const struct study_statistics *s;
	json_t *to;
};

static void take(void *arg, const char *name, json_t *row)
{
	struct reader *r = arg;

	(void)name;
	r->row(r->arg, ++r->n, row);
}

static bool read_member(void *arg, const char *name, struct hd_json_text *t)
{
	struct reader *r = arg;

	if (strcmp(name, "kernels") == 0 && hd__json_comes(t, '['))
		return hd__json_rows(t, r->row != NULL && r->rows && r->n == 0 ? take : NULL, r, name);
	if (r->outermost && strcmp(name, "statistics") == 0 && hd__json_next(t) == '{') {
		struct reader inner = { r->row, r->arg, 0, r->s->inner, false, r->s, json_object() };

		json_object_set_new(r->to, name, inner.to);
		return hd__json_members(t, read_member, &inner);
	}
	return json_object_set_new(r->to, name, hd__json_value(t)) == 0;
}

bool study_statistics_open(const struct study_statistics *s, struct hd_json_file *file, struct hd_json_text *t)
{
	hd__json_file_open(file, t, s->f, s->bytes);
	return fseek(s->f, s->at, SEEK_SET) == 0;
}

json_t *study_statistics_read(const struct study_statistics *s, void (*row)(void *arg, unsigned kernel, json_t *row),
                              void *arg)
{
	struct reader r = { row, arg, 0, !s->inner, true, s, json_object() };
	struct hd_json_file file;
	struct hd_json_text t;
	bool ok = study_statistics_open(s, &file, &t) && hd__json_members(&t, read_member, &r) && hd__json_over(&t);

	hd__json_file_close(&file);
	if (ok)
		return r.to;
	json_decref(r.to);
	return NULL;
}

/* ---- one by one ---- */

/* Ends at the first row. */
static bool find_rows(void *arg, const char *name, struct hd_json_text *t)
{
	struct study_rows *r = arg;

	if (strcmp(name, "kernels") == 0 && hd__json_comes(t, '[')) {
		if (r->inner)
			return hd__json_rows(t, NULL, NULL, name);
		r->more = !hd__json_comes(t, ']');
		return !r->more;
	}
	if (r->inner && strcmp(name, "statistics") == 0 && hd__json_next(t) == '{') {
		r->inner = false;
		return hd__json_members(t, find_rows, r) && !r->more;
	}
	json_decref(hd__json_value(t));
	return true;
}

void study_rows_open(struct study_rows *r, const struct study_statistics *s)
{
	*r = (struct study_rows){ .inner = s->inner };
	if (study_statistics_open(s, &r->file, &r->text))
		hd__json_members(&r->text, find_rows, r);
}

json_t *study_rows_next(struct study_rows *r)
{
	json_t *row = r->more ? hd__json_value(&r->text) : NULL;

	r->more = row != NULL && hd__json_comes(&r->text, ',');
	return row;
}

void study_rows_close(struct study_rows *r)
{
	hd__json_file_close(&r->file);
}
