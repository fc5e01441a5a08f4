/* import_parts.c - adds to the netlist under construction, changes one that is there already
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "import_gpu.h"

#include "base/xalloc.h"

void hd__import_instance(struct hd_import *im, const char *name, json_t *entry)
{
	json_object_set_new(im->instances, name, entry);
}

void hd__import_link(struct hd_import *im, json_t *entry)
{
	json_array_append_new(im->links, entry);
}

void hd__import_wire(struct hd_import *im, json_t *from, const char *to)
{
	hd__import_link(im, json_pack("{s:o, s:s}", "from", from, "to", to));
}

struct hd_import_shape hd__import_shape(struct hd_import *im)
{
	struct hd_import_shape s = { .sub_cores = hd__import_flag(im, "gpgpu_sub_core_model") };

	s.schedulers = hd__import_number(im, "gpgpu_num_sched_per_core", 1, 64);
	s.count = s.sub_cores ? "$sub_cores" : "$schedulers";
	return s;
}

/* ---- a netlist that is there ---- */

/* The object that holds the member that `path` names, and the member's name at *name. */
static json_t *find(json_t *netlist, const char *path, const char **name)
{
	bool clock = strncmp(path, "clocks.", 7) == 0;
	const char *rest = clock ? path + 7 : path, *dot = strchr(rest, '.');
	char *first = hd__xstrndup(rest, dot ? (size_t)(dot - rest) : strlen(rest));
	json_t *params, *o = json_object_get(json_object_get(netlist, clock ? "clocks" : dot
		? "instances" : "params"), first);

	*name = dot ? dot + 1 : "value";
	if (clock)
		;
	else if (dot && json_object_get(o, "netlist"))
		o = find(json_object_get(o, "netlist"), *name, name);
	else if (dot && strcmp(*name, "module") != 0) {
		params = json_object_get(o, "params");
		if (!params)
			json_object_set_new(o, "params", params = json_object());
		o = params;
	}
	if (!o) { /* the paths come from this program: it does not go with the shipped netlists */
		fprintf(stderr, "heddle: internal error: no '%s' in gpu.json\n", path);
		abort();
	}
	free(first);
	return o;
}

void hd__import_put(json_t *netlist, const char *path, json_t *value)
{
	const char *name;
	json_t *o = find(netlist, path, &name);

	json_object_set_new(o, name, value);
}

json_t *hd__import_link_from(json_t *netlist, const char *from, bool remove)
{
	json_t *links = json_object_get(netlist, "links"), *link;
	size_t i;

	json_array_foreach(links, i, link) {
		const char *text = json_string_value(json_object_get(link, "from"));

		if (!text || strcmp(text, from) != 0)
			continue;
		if (remove)
			json_array_remove(links, i);
		return remove ? NULL : link;
	}
	fprintf(stderr, "heddle: internal error: no link from '%s' in gpu.json\n", from);
	abort();
}
