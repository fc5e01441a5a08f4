/* import_core.c - the netlist of an imported core: its parts, clocks and parameters
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "import.h"

#define WARPS_MOST 128u

static void param(struct hd_import *im, const char *name, uint32_t value, const char *doc)
{
	json_object_set_new(im->params, name,
	                    json_pack("{s:I, s:s}", "value", (json_int_t)value, "doc", doc));
}

static void shape_params(struct hd_import *im)
{
	struct hd_import_shape s = hd__import_shape(im);
	uint32_t threads[2];

	hd__import_numbers(im, "gpgpu_shader_core_pipeline", ":", threads, 2, 2);
	if (threads[1] != 32)
		hd__import_error(im, "gpgpu_shader_core_pipeline", "has warps of %u threads; expected "
		                 "32, as in every trace", threads[1]);
	if (threads[0] < 32 || threads[0] > WARPS_MOST * 32)
		hd__import_error(im, "gpgpu_shader_core_pipeline", "has %u threads; expected 32 to "
		                 "%u: an SM has at most %u warps", threads[0], WARPS_MOST * 32,
		                 WARPS_MOST);
	else if (threads[0] % 32 != 0)
		hd__import_error(im, "gpgpu_shader_core_pipeline", "has %u threads; expected a multiple of 32",
		                 threads[0]);
	if (s.schedulers > threads[0] / 32)
		hd__import_error(im, "gpgpu_num_sched_per_core", "is %u and the SM has %u warps; "
		                 "expected at most as many", s.schedulers, threads[0] / 32);
	if (s.sub_cores)
		param(im, "sub_cores", s.schedulers,
		      "schedulers, each with units, collectors and banks of its own");
	else
		param(im, "schedulers", s.schedulers, "schedulers, which share everything else");
	param(im, "warps", threads[0] / 32, "hardware warp slots");
}

static json_t *clocks(struct hd_import *im)
{
	uint32_t fetches = hd__import_number(im, "gpgpu_inst_fetch_throughput", 1, 32);

	return json_pack("{s:{s:o}, s:{s:s, s:s, s:s}, s:{s:s, s:I, s:s}, s:{s:s, s:s, s:s}}",
		"core", "mhz", hd__import_mhz(im, 0),
		"sm", "of", "core", "gate", "warps", "doc", "gated off while the SM is empty",
		"frontend", "of", "sm", "times", (json_int_t)fetches,
		"doc", "cycles of fetch and decode per core cycle",
		"dispatch", "of", "core", "phase", "end", "doc", "CTAs are placed last in a cycle");
}

json_t *hd__import_core(struct hd_import *im)
{
	json_t *c;

	im->params = json_object();
	im->instances = json_object();
	im->links = json_array();
	shape_params(im);
	c = clocks(im);
	hd__import_front(im);
	hd__import_policy(im);
	hd__import_units(im);
	hd__import_memory(im);
	return json_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:o}", "heddle", 1, "name", "sm", "doc", im->one_sm
	                 ? "One SM, imported from an Accel-Sim configuration; perfect memory"
	                 : "An SM, imported from an Accel-Sim configuration", "params", im->params,
	                 "clocks", c, "instances", im->instances, "links", im->links);
}
