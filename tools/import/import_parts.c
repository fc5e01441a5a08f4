/* import_parts.c - adds instances, links and dependencies to the netlist under construction
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "import.h"

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
