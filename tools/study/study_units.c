/* study_units.c - units and meanings of the values of a run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_units.h"
#include "base/xalloc.h"

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

const json_t *study_meaning(const json_t *meanings, const json_t *statistics, const char *kind, const char *path)
{
	const char *dot = strrchr(path, '.'), *name;
	const json_t *found;

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
	if (strcmp(kind, "run") == 0 && strncmp(path, "reasons.", 8) == 0)
		return "scheduler cycles"; /* of one unit */
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
