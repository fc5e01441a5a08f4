/* study_table.c - the statistics of a run as values with paths
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_table.h"
#include "base/bytes.h"

#include <stdbool.h>

struct walk {
	study_visit *visit;
	void *arg;
	unsigned kernel;
	const char *kind;
	struct hd_bytes path; /* terminated; n does not count that */
};

static void put(struct walk *w, const char *text)
{
	size_t n = strlen(text);

	memcpy(hd__bytes_room(&w->path, n + 1), text, n + 1);
	w->path.n += n;
}

/* The value below the path so far, whose name is there already. */
static void value(struct walk *w, const json_t *v)
{
	size_t before = w->path.n, i;
	const char *name;
	char index[24];
	json_t *one;

	if (json_is_number(v))
		w->visit(w->arg, w->kernel, w->kind, (const char *)w->path.v, v);
	json_object_foreach((json_t *)v, name, one) {
		if (!json_is_number(one) && !json_is_object(one) && !json_is_array(one))
			continue;
		if (before > 0)
			put(w, ".");
		put(w, name);
		value(w, one);
		w->path.n = before;
	}
	json_array_foreach((json_t *)v, i, one) {
		snprintf(index, sizeof index, "[%zu]", i);
		put(w, index);
		value(w, one);
		w->path.n = before;
	}
}

static void member(struct walk *w, const char *kind, const char *name, const json_t *v)
{
	w->kind = kind;
	w->path.n = 0;
	put(w, name);
	value(w, v);
}

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static void row(struct walk *w, const json_t *o)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)o, name, v) {
		if (is(name, "statistics"))
			member(w, "instance", "", v);
		else if (is(name, "queues"))
			member(w, "queue", "", v);
		else if (is(name, "rates"))
			member(w, "rate", "", v);
		else if (is(name, "figures"))
			member(w, "run", "", v);
		else if (!is(name, "id") && !is(name, "item"))
			member(w, "run", name, v);
	}
}

void study_walk_kernel(const json_t *o, unsigned kernel, study_visit *visit, void *arg)
{
	struct walk w = { .visit = visit, .arg = arg, .kernel = kernel };

	row(&w, o);
	free(w.path.v);
}

void study_walk(const json_t *statistics, study_visit *visit, void *arg)
{
	struct walk w = { .visit = visit, .arg = arg };
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)statistics, name, v) {
		if (is(name, "instances"))
			member(&w, "instance", "", v);
		else if (is(name, "queues"))
			member(&w, "queue", "", v);
		else if (is(name, "clocks"))
			member(&w, "clock", "", v);
		else if (!is(name, "kernels") && !is(name, "kernels_rest") && !is(name, "modules"))
			member(&w, "run", name, v);
	}
	free(w.path.v);
}
