/* report_memory.c - the levels of the memory: caches, channels, and the queues between them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From the statistics at the end of the run.  A cache is what counts hits and accesses, a channel what
 * counts bytes and the ticks of its data bus; what copies between memory and shared memory counts bytes
 * that it loaded and stored, what reaches shared memory of other SMs packets and bytes.  Instances that
 * differ in indices only are one.
 */
#include "base/path.h"
#include "base/xalloc.h"
#include "report.h"

/* The object of that name in all, made with these members the first time. */
static json_t *group_of(json_t *all, const char *path, const json_t *members)
{
	char *name = hd__path_any_index(path);
	json_t *group = json_object_get(all, name);
	const char *key;
	json_t *v;

	if (!group) {
		group = json_object();
		json_object_set_new(group, "name", json_string(name));
		json_object_set_new(group, "count", json_integer(0));
		json_object_foreach((json_t *)members, key, v)
			if (json_is_integer(v))
				json_object_set_new(group, key, json_integer(0));
		json_object_set_new(all, name, group);
	}
	free(name);
	return group;
}

static void add(json_t *group, const char *name, json_int_t n)
{
	json_t *old = json_object_get(group, name);

	if (old)
		json_integer_set(old, json_integer_value(old) + n);
}

static void add_instance(json_t *all, const char *path, const json_t *figures)
{
	json_t *group = group_of(all, path, figures), *v;
	const char *name;

	add(group, "count", 1);
	json_object_foreach((json_t *)figures, name, v)
		if (json_is_integer(v))
			add(group, name, json_integer_value(v));
}

static json_t *values(json_t *all)
{
	json_t *list = json_array(), *v;
	const char *name;

	json_object_foreach(all, name, v)
		json_array_append(list, v);
	json_decref(all);
	return list;
}

/* Is there an SM in whose netlist the instance lies?  Its caches come first. */
static bool in_core(const struct report *r, const char *path)
{
	for (uint32_t i = 0; i < r->d->ninstances; i++)
		if (strcmp(r->d->instances[i].path, path) == 0)
			return r->known.cores->n == 1 || r->known.cores->of[i] > 0;
	return false;
}

static json_t *queues(const struct report *r)
{
	json_t *all = json_object(), *q;
	const char *name;

	json_object_foreach(json_object_get(r->statistics, "queues"), name, q) {
		json_t *group = group_of(all, name, NULL);
		json_int_t most = json_integer_value(json_object_get(q, "most"));
		double mean = json_real_value(json_object_get(group, "mean"));

		add(group, "count", 1);
		json_object_set_new(group, "mean",
		                    json_real(mean + json_number_value(json_object_get(q, "mean"))));
		if (most > json_integer_value(json_object_get(group, "most"))
		    || !json_object_get(group, "most"))
			json_object_set_new(group, "most", json_integer(most));
		if (json_object_get(q, "capacity"))
			json_object_set(group, "capacity", json_object_get(q, "capacity"));
	}
	return values(all);
}

void report_memory(struct report *r)
{
	json_t *inner = json_object(), *outer = json_object(), *channels = json_object(), *figures;
	json_t *copies = json_object(), *remote = json_object();
	json_t *caches, *more;
	const char *path;

	json_object_foreach(json_object_get(r->statistics, "instances"), path, figures) {
		if (json_object_get(figures, "bytes_read") && json_object_get(figures, "bus_busy"))
			add_instance(channels, path, figures);
		else if (json_object_get(figures, "hits") && json_object_get(figures, "reserved_hits"))
			add_instance(in_core(r, path) ? inner : outer,
			             path, figures);
		else if (json_object_get(figures, "loaded") && json_object_get(figures, "stored"))
			add_instance(copies, path, figures);
		else if (json_object_get(figures, "packets") && json_object_get(figures, "bytes"))
			add_instance(remote, path, figures);
	}
	caches = values(inner);
	more = values(outer);
	json_array_extend(caches, more);
	json_decref(more);
	json_object_set_new(r->out, "memory", json_pack("{s:o, s:o, s:o, s:o, s:o, s:O?}", "caches", caches,
		"channels", values(channels), "copies", values(copies), "remote", values(remote), "queues", queues(r),
		"clocks", json_object_get(r->statistics, "clocks")));
}
