/* core.c - the netlist of an imported core: its parts, clocks and parameters
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "import.h"

#include <stdlib.h>
#include <string.h>

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
	if (threads[0] < 32 || threads[0] > 64 * 32)
		hd__import_error(im, "gpgpu_shader_core_pipeline", "has %u threads; expected 32 to "
		                 "2048: an SM has at most 64 warps", threads[0]);
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

/* The core's clock in MHz, with at most three decimals. */
static json_t *core_mhz(struct hd_import *im)
{
	const char *name = "gpgpu_clock_domains", *text = hd__import_text(im, name);
	char *end;
	double mhz = strtod(text, &end);
	json_int_t khz;

	if (end == text || !(mhz >= 0.001 && mhz <= 1e6) || (*end != ':' && *end != '\0')) {
		hd__import_error(im, name, "is '%.60s'; expected CORE:NETWORK:L2:DRAM in MHz", text);
		return json_integer(1000);
	}
	khz = (json_int_t)(mhz * 1000 + 0.5);
	return khz % 1000 ? json_real((double)khz / 1000) : json_integer(khz / 1000);
}

static json_t *clocks(struct hd_import *im)
{
	uint32_t fetches = hd__import_number(im, "gpgpu_inst_fetch_throughput", 1, 32);

	return json_pack("{s:{s:o}, s:{s:s, s:s, s:s}, s:{s:s, s:I, s:s}, s:{s:s, s:s, s:s}}",
		"core", "mhz", core_mhz(im),
		"sm", "of", "core", "gate", "warps", "doc", "gated off while the SM is empty",
		"frontend", "of", "sm", "times", (json_int_t)fetches,
		"doc", "cycles of fetch and decode per core cycle",
		"dispatch", "of", "core", "phase", "end", "doc", "CTAs are placed last in a cycle");
}

json_t *hd__import_core(struct hd_import *im, const char *name)
{
	json_t *root, *c;

	im->params = json_object();
	im->instances = json_object();
	im->links = json_array();
	shape_params(im);
	c = clocks(im);
	hd__import_front(im);
	hd__import_policy(im);
	hd__import_units(im);
	hd__import_memory(im);
	root = json_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:o}", "heddle", 1, "name", name, "doc",
	                 "One SM, imported from an Accel-Sim configuration; perfect memory", "params",
	                 im->params, "clocks", c, "instances", im->instances, "links", im->links);
	return root;
}
