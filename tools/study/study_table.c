/* study_table.c - the statistics of a run as values with paths, units and meanings
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
		else if (!is(name, "kernels") && !is(name, "kernels_rest") && !is(name, "modules")
		         && !is(name, "arrays"))
			member(&w, "run", name, v);
	}
	free(w.path.v);
}

/* ---- units and meanings ---- */

/* What the statistics have for the path without its last member; for all elements of an array, as kernels have
 * them, that of the first. */
static const json_t *owner(const json_t *statistics, const char *section, const char *path, const char *dot)
{
	char *name = hd__xstrndup(path, (size_t)(dot - path));
	const json_t *all = json_object_get(statistics, section), *found = json_object_get(all, name);

	for (char *star = strchr(name, '*'); found == NULL && star != NULL; star = strchr(star, '*'))
		*star = '0';
	if (found == NULL)
		found = json_object_get(all, name);
	free(name);
	return found;
}

/* "causes.REASON.INSTANCE.WHY": of a reason of the instance's module. */
static const json_t *cause_meaning(const json_t *meanings, const json_t *statistics, const char *path)
{
	for (const char *from = strchr(path, '.'); from != NULL; from = strchr(from + 1, '.'))
		for (const char *dot = strchr(from + 1, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
			const json_t *of = owner(statistics, "arrays", from + 1, dot);
			const char *module = json_string_value(json_object_get(of, "module"));
			const json_t *reasons = json_object_get(json_object_get(meanings, "reasons"), module);

			if (json_object_get(reasons, dot + 1) != NULL)
				return json_object_get(reasons, dot + 1);
		}
	return NULL;
}

const json_t *study_meaning(const json_t *meanings, const json_t *statistics, const char *kind, const char *path)
{
	const char *dot = strrchr(path, '.'), *name;
	const json_t *found;

	if (strcmp(kind, "run") == 0 && strncmp(path, "causes.", 7) == 0)
		return cause_meaning(meanings, statistics, path);
	if (strcmp(kind, "run") == 0)
		return json_object_get(json_object_get(meanings, "run"), path);
	if (strcmp(kind, "instance") != 0 || dot == NULL)
		return NULL;
	name = json_string_value(json_object_get(owner(statistics, "instances", path, dot), "module"));
	if (name == NULL)
		return NULL;
	found = json_object_get(json_object_get(json_object_get(meanings, "modules"), name), dot + 1);
	if (found != NULL)
		return found; /* else of a plug-in; heddle run --stats writes meanings, too */
	found = json_object_get(json_object_get(statistics, "modules"), name);
	return json_object_get(json_object_get(found, "statistics"), dot + 1);
}

/* The unit that all statistics of this name have which the modules of the run count, or NULL. */
static const char *common_unit(const json_t *statistics, const char *name)
{
	const char *unit = NULL, *module;
	json_t *v;

	if (strcmp(name, "cycles") == 0)
		return name;
	json_object_foreach(json_object_get(statistics, "modules"), module, v) {
		const char *one = json_string_value(json_object_get(json_object_get(json_object_get(v, "statistics"),
			name), "unit"));

		if (one != NULL && unit != NULL && strcmp(one, unit) != 0)
			return NULL;
		unit = one != NULL ? one : unit;
	}
	return unit;
}

const char *study_unit(const json_t *meanings, const json_t *statistics, const char *kind, const char *path)
{
	const json_t *meaning = study_meaning(meanings, statistics, kind, path);
	const char *dot = strrchr(path, '.');

	if (meaning != NULL)
		return json_string_value(json_object_get(meaning, "unit"));
	if (strcmp(kind, "rate") == 0)
		return ""; /* a share */
	if (strcmp(kind, "run") == 0 && (strncmp(path, "reasons.", 8) == 0 || strncmp(path, "causes.", 7) == 0))
		return "scheduler cycles"; /* of one unit, or without a meaning */
	if (strcmp(kind, "run") == 0)
		return common_unit(statistics, dot != NULL ? dot + 1 : path);
	if (dot == NULL)
		return NULL;
	if (strcmp(kind, "clock") == 0)
		return strcmp(dot, ".mhz") == 0 ? "MHz" : "edges";
	if (strcmp(kind, "queue") != 0)
		return NULL;
	return json_string_value(json_object_get(owner(statistics, "queues", path, dot), "unit"));
}
