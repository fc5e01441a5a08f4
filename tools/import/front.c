/* front.c - the front of an imported core: trace, CTAs, fetch, decode, issue
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Kernels and thread blocks to Issue.
 */
#include "import.h"
#include "base/xalloc.h"

#include <stdlib.h>

/* One per warp slot: a CTA has at least one warp. */
static uint32_t most_ctas(struct hd_import *im)
{
	uint32_t threads[2];

	hd__import_numbers(im, "gpgpu_shader_core_pipeline", ":", threads, 2, 2);
	return threads[0] / 32 > 64 ? threads[0] / 32 : 64;
}

static void icache(struct hd_import *im)
{
	struct hd_import_cache c;

	if (hd__import_flag(im, "gpgpu_perfect_inst_const_cache")) {
		hd__import_instance(im, "icache", json_pack("{s:s}", "module", "icache_perfect"));
		return;
	}
	c = hd__import_cache(im, "gpgpu_cache:il1");
	if (c.none) {
		hd__import_error(im, "gpgpu_cache:il1", "is 'none'; expected a cache, or "
		                 "'-gpgpu_perfect_inst_const_cache 1'");
		return;
	}
	hd__import_instance(im, "icache", json_pack("{s:s, s:s}", "module", "icache", "clock", "sm"));
	hd__import_instance(im, "l1i", json_pack("{s:s, s:s, s:o}", "module", "cache", "clock", "sm",
	                                         "params", c.params));
	hd__import_wire(im, json_string("icache.cache"), "l1i.cache");
	if (!im->one_sm) /* replies find their SM by the number that requests carry */
		hd__import_wire(im, json_string("icache.warps"), "warps.state");
}

/* Sizes that shared memory may occupy of the unified memory. */
static void split(struct hd_import *im, json_t *params)
{
	uint32_t option[16], unified;
	unsigned n;
	json_t *list;

	if (!hd__import_flag(im, "gpgpu_adaptive_cache_config"))
		return;
	n = hd__import_numbers(im, "gpgpu_shmem_option", ",", option, 1, 16);
	unified = hd__import_number(im, "gpgpu_unified_l1d_size", 1, 65536);
	list = json_array();
	for (unsigned i = 0; i < n; i++) {
		if (option[i] <= unified)
			json_array_append_new(list, json_integer(option[i]));
		else /* the reference aborts at a kernel that needs it */
			hd__import_warn(im, "gpgpu_shmem_option", "has %u KB and the unified memory %u; it is "
			                "left out, as no kernel can have that", option[i], unified);
	}
	if (n > 0 && json_array_size(list) == 0)
		hd__import_error(im, "gpgpu_shmem_option", "has no size up to the %u KB of the unified memory; "
		                 "expected one", unified);
	json_object_set_new(params, "shared_options", list);
	json_object_set_new(params, "unified", json_integer(unified));
}

/* Kernels of several streams at the same time. */
static bool concurrent(struct hd_import *im, json_t *params)
{
	if (!hd__import_flag(im, "gpgpu_concurrent_kernel_sm"))
		return false;
	if (hd__import_flag(im, "gpgpu_adaptive_cache_config"))
		hd__import_error(im, "gpgpu_adaptive_cache_config", "is 1; with "
		                 "'-gpgpu_concurrent_kernel_sm 1' expected 0, as there is no single "
		                 "kernel to divide the memory for");
	json_object_set_new(params, "concurrent", json_true());
	json_object_set_new(params, "window", json_integer(
		hd__import_number(im, "gpgpu_max_concurrent_kernel", 1, 1024)));
	return true;
}

/* A GPU whose generation is given executes code up to that one. */
static json_t *trace_params(struct hd_import *im)
{
	json_t *params = hd__xcheck(json_pack("{s:s}", "opcodes", "opcodes"));

	if (hd__import_is_set(im, "gpgpu_compute_capability_major"))
		json_object_set_new(params, "newest", json_integer(
			10 * (json_int_t)hd__import_number(im, "gpgpu_compute_capability_major", 1, 99)
			+ hd__import_number(im, "gpgpu_compute_capability_minor", 0, 9)));
	return params;
}

static void dispatcher(struct hd_import *im)
{
	uint32_t ctas = hd__import_number(im, "gpgpu_shader_cta", 1, UINT32_MAX);
	uint32_t most = most_ctas(im);
	json_t *params = json_pack("{s:I, s:I, s:I}",
		"shared_bytes", (json_int_t)hd__import_number(im, "gpgpu_shmem_size", 0, UINT32_MAX),
		"registers", (json_int_t)hd__import_number(im, "gpgpu_shader_registers", 1, UINT32_MAX),
		"max_ctas", (json_int_t)(ctas < most ? ctas : most));
	uint32_t kernel = hd__import_number(im, "gpgpu_kernel_launch_latency", 0, UINT32_MAX);
	uint32_t cta = hd__import_number(im, "gpgpu_TB_launch_latency", 0, UINT32_MAX);
	bool many = concurrent(im, params);

	if (!many)
		split(im, params);
	if (kernel)
		json_object_set_new(params, "kernel_latency", json_integer(kernel));
	if (cta)
		json_object_set_new(params, "cta_latency", json_integer(cta));
	if (hd__import_flag(im, "gpgpu_ignore_resources_limitation") && !many)
		json_object_set_new(params, "ignore_limits", json_true());
	json_object_set_new(params, "flush_l1d",
	                    json_boolean(hd__import_flag(im, "gpgpu_flush_l1_cache")));
	hd__import_instance(im, "trace", json_pack("{s:s, s:o}", "module", "trace_source", "params",
	                                           trace_params(im)));
	hd__import_instance(im, "dispatcher", json_pack("{s:s, s:s, s:o}", "module", "dispatcher", "clock",
	                                                "dispatch", "params", params));
	hd__import_instance(im, "warps", json_pack("{s:s, s:s, s:{s:s}}", "module", "warps", "clock",
	                                           "sm", "params", "slots", "$warps"));
	hd__import_wire(im, json_pack("[s, s]", "dispatcher.trace", "divergence.trace"),
	                "trace.trace");
	hd__import_wire(im, json_string("dispatcher.warps"), "warps.launch");
}

static void issue(struct hd_import *im)
{
	struct hd_import_shape s = hd__import_shape(im);
	uint32_t width = hd__import_number(im, "gpgpu_max_insn_issue_per_warp", 1, 2);
	json_t *params = json_pack("{s:I}", "width", (json_int_t)width);

	if (width > 1)
		json_object_set_new(params, "different_units", json_boolean(
			hd__import_flag(im, "gpgpu_dual_issue_diff_exec_units")));
	hd__import_instance(im, "issue", json_pack("{s:s, s:s, s:s, s:o}", "module", "issue", "count",
	                                           s.count, "clock", "sm", "params", params));
	hd__import_wire(im, json_string("issue[*].policy"), "scheduler[*].policy");
}

void hd__import_front(struct hd_import *im)
{
	dispatcher(im);
	icache(im);
	hd__import_instance(im, "fetch", json_pack("{s:s, s:s}", "module", "fetch", "clock",
	                                           "frontend"));
	hd__import_instance(im, "decode", json_pack("{s:s, s:s, s:{s:i}}", "module", "decode",
	                                            "clock", "frontend", "params", "width", 2));
	hd__import_instance(im, "divergence", json_pack("{s:s}", "module", "as_traced"));
	hd__import_wire(im, json_pack("[s, s]", "decode.divergence", "fetch.divergence"),
	                "divergence.divergence");
	hd__import_instance(im, "ibuffer", json_pack("{s:s, s:{s:i}}", "module", "ibuffer",
	                                             "params", "entries", 2));
	issue(im);
	hd__import_instance(im, "scoreboard", json_pack("{s:s, s:s}", "module", "scoreboard", "clock",
	                                                "sm"));
	hd__import_instance(im, "barrier", json_pack("{s:s}", "module", "barrier"));
	hd__import_instance(im, "fence", json_pack("{s:s}", "module", "fence"));
	hd__import_instance(im, "copy", json_pack("{s:s}", "module", "copy"));

	hd__import_wire(im, json_string("fetch.fetched"), "decode.fetched");
	hd__import_wire(im, json_string("fetch.icache"), "icache.icache");
	hd__import_wire(im, json_pack("[s, s, s, s, s, s, s, s, s, s, s]", "writeback.warps",
		"load_store.warps", "issue[*].warps", "decode.warps", "fetch.warps",
		"scoreboard.warps", "barrier.warps", "fence.warps", "copy.warps",
		"coalescer.warps", "divergence.warps"), "warps.state");
	hd__import_wire(im, json_pack("[s, s]", "writeback.scoreboard", "load_store.scoreboard"),
	                "scoreboard.release");
	hd__import_wire(im, json_pack("[s, s, s]", "issue[*].scoreboard", "fetch.scoreboard",
	                              "fence.scoreboard"), "scoreboard.check");
	hd__import_wire(im, json_string("issue[*].ibuffer"), "ibuffer.issue");
	hd__import_wire(im, json_pack("[s, s]", "decode.ibuffer", "fetch.ibuffer"), "ibuffer.fill");
	hd__import_wire(im, json_pack("[s, s]", "issue[*].barrier", "dispatcher.barrier"),
	                "barrier.barrier");
	hd__import_wire(im, json_string("issue[*].fence"), "fence.fence");
	hd__import_wire(im, json_pack("[s, s]", "issue[*].copy", "load_store.copy"), "copy.copy");
}
