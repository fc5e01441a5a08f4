/* from_dump.c - the picture of the core that a dump was made of, from the prologue
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Nothing in a dump is trusted: a link that names no instance is left out.
 */
#include "picture.h"

#include <heddle/module.h>

static const char *text(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s ? s : "";
}

static uint32_t number(const json_t *o, const char *name)
{
	return (uint32_t)json_integer_value(json_object_get(o, name));
}

static void add_links(struct hd_picture *p, const json_t *entry, uint32_t ninstances)
{
	const json_t *ends = json_object_get(entry, "ends");
	const char *work = text(entry, "work");
	struct hd_picture_link l = {
		.from_port = text(entry, "from"), .to_port = text(entry, "to"), .type = text(entry, "type"),
		.call = strcmp(text(entry, "kind"), "calls") == 0,
		.work = strcmp(work, "in") == 0 ? HD_WORK_IN : strcmp(work, "out") == 0 ? HD_WORK_OUT : 0,
		.returns = json_is_true(json_object_get(entry, "returns")),
		.capacity = number(entry, "capacity"), .latency = number(entry, "latency"),
		.slots = json_is_true(json_object_get(entry, "slots")), .idle = strcmp(work, "none") == 0,
	};

	for (size_t i = 0; i + 1 < json_array_size(ends); i += 2) {
		json_int_t from = json_integer_value(json_array_get(ends, i));
		json_int_t to = json_integer_value(json_array_get(ends, i + 1));

		if (from < 0 || to < 0 || from >= ninstances || to >= ninstances)
			continue;
		l.from = (uint32_t)from;
		l.to = (uint32_t)to;
		hd__picture_link(p, &l);
	}
}

struct hd_picture *hd__picture_of_dump(const json_t *meta)
{
	const json_t *instances = json_object_get(meta, "instances"), *links = json_object_get(meta, "links");
	const json_t *doc = json_object_get(json_object_get(meta, "netlist"), "doc");
	struct hd_picture *p;
	json_t *v;
	size_t i;

	if (!json_is_array(links) || json_array_size(instances) > UINT32_MAX)
		return NULL;
	p = hd__picture_new(text(meta, "core"), json_string_value(doc));
	json_array_foreach(instances, i, v)
		hd__picture_instance(p, text(v, "path"), text(v, "module"),
		                     json_string_value(json_object_get(v, "clock")),
		                     json_is_true(json_object_get(v, "called")));
	json_array_foreach(links, i, v)
		add_links(p, v, (uint32_t)json_array_size(instances));
	return p;
}
