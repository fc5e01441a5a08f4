/* beyond.c - what is around the SMs of an imported GPU: clusters, networks, second-level cache
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An option of the first table goes as it is to the paths that import_options.c names: its numbers one by
 * one, or its only number to all of them.
 */
#include "import_gpu.h"

#include "base/xalloc.h"

struct rule {
	const char *option;
	uint32_t min, max;         /* of each number */
	const char *const *words;  /* what numbers mean, or NULL */
};

static const char *const flags[] = { "", NULL };
static const char *const arbiters[] = { "round_robin", "islip", NULL };
static const char *const indexings[] = { "bank", "xor", "ipoly", "bank", "random", "hashed", "hashed", NULL };
static const char *const bank_indexings[] = { "linear", "xor", "ipoly", NULL };
static const char *const groupings[] = { "high_bits", "low_bits", NULL };
static const char *const schedulers[] = { "fifo", "frfcfs", NULL };

#define MOST 65536u /* of what queues hold */

static const struct rule rules[] = {
	{ "gpgpu_n_clusters", 1, 4096 },
	{ "gpgpu_n_cores_per_cluster", 1, 64 },
	{ "gpgpu_n_ldst_response_buffer_size", 1, MOST },
	{ "gpgpu_n_cluster_ejection_buffer_size", 1, MOST },
	{ "gpgpu_n_mem", 1, 1024 },
	{ "gpgpu_n_sub_partition_per_mchannel", 1, 64 },
	{ "gpgpu_memory_partition_indexing", 0, 6, indexings },
	{ "gpgpu_l2_rop_latency", 0, 100000 },
	{ "gpgpu_dram_partition_queues", 1, MOST },
	{ "gpgpu_flush_l2_cache", 0, 1, flags },
	{ "gpgpu_perf_sim_memcpy", 0, 1, flags },
	{ "dram_latency", 0, 100000 },
	{ "gpgpu_dram_scheduler", 0, 1, schedulers },
	{ "gpgpu_frfcfs_dram_sched_queue_size", 0, MOST },
	{ "gpgpu_dram_return_queue_size", 0, MOST },
	{ "dram_dual_bus_interface", 0, 1, flags },
	{ "dram_elimnate_rw_turnaround", 0, 1, flags },
	{ "dram_seperate_write_queue_enable", 0, 1, flags },
	{ "dram_write_queue_size", 0, MOST },
	{ "dram_bnk_indexing_policy", 0, 2, bank_indexings },
	{ "dram_bnkgrp_indexing_policy", 0, 1, groupings },
	{ NULL },
};

/* Options of the crossbar alone. */
static const struct rule crossbar_rules[] = {
	{ "icnt_in_buffer_limit", 1, MOST },
	{ "icnt_out_buffer_limit", 1, MOST },
	{ "icnt_arbiter_algo", 0, 1, arbiters },
	{ "icnt_grant_cycles", 1, MOST },
	{ NULL },
};

/* Options of which one value is modelled; what Accel-Sim 2.0 has for Hopper is taken as that value. */
static const struct only {
	const char *option;
	uint32_t value;
	const char *why;
	bool taken;
} only[] = {
	{ "l2_ideal", 0, "a second-level cache that always hits is not modelled" },
	{ "gpgpu_cache:dl2_texture_only", 0, "a second-level cache for textures alone is not modelled" },
	{ "gpgpu_simple_dram_clock_multiplier", 1, "a channel takes one request a cycle" },
	{ "gpgpu_n_chiplet_partition", 1, "the second-level cache is one; h100_sxm.json has halves", true },
};

static void put_one(json_t *gpu, const char *path, const struct rule *r, uint32_t v)
{
	json_t *value = r->words == flags ? json_boolean(v)
	                : r->words ? json_string(r->words[v]) : json_integer(v);

	hd__import_put(gpu, path, value);
}

static void apply(struct hd_import *im, json_t *gpu, const struct rule *r)
{
	char *paths = hd__xstrdup(hd__import_option(r->option)->text), *rest = paths, *path;
	unsigned n = 1, i = 0;
	uint32_t v[4];
	bool list = strchr(hd__import_option(r->option)->def, ':') != NULL;

	for (const char *c = strchr(paths, ','); c; c = strchr(c + 1, ','))
		n++;
	if (!list)
		v[0] = hd__import_number(im, r->option, r->min, r->max);
	else if (hd__import_numbers(im, r->option, ":", v, n, n) < n)
		rest = NULL;
	for (; (path = strsep(&rest, ",")) != NULL; i++) {
		uint32_t x = v[list ? i : 0];

		if (x < r->min || x > r->max)
			hd__import_error(im, r->option, "has %u for '%s'; expected %u to %u", x,
			                 path + strspn(path, " "), r->min, r->max);
		else
			put_one(gpu, path + strspn(path, " "), r, x);
	}
	free(paths);
}

static void apply_all(struct hd_import *im, json_t *gpu, const struct rule *r)
{
	for (; r->option; r++)
		apply(im, gpu, r);
}

static void check_only(struct hd_import *im, const struct only *o)
{
	uint32_t v = hd__import_number(im, o->option, 0, UINT32_MAX);

	if (v != o->value && o->taken)
		hd__import_warn(im, o->option, "is %u and taken as %u: %s", v, o->value, o->why);
	else if (v != o->value)
		hd__import_error(im, o->option, "is %u; expected %u: %s", v, o->value, o->why);
}

/* ---- clocks, network ---- */

static void clocks(struct hd_import *im, json_t *gpu)
{
	static const char *const paths[] = { "clocks.core.mhz", "clocks.network.mhz",
		"clocks.l2.mhz", "clocks.dram.mhz" };

	for (unsigned i = 0; i < 4; i++)
		hd__import_put(gpu, paths[i], hd__import_mhz(im, i));
}

/* SMs of a cluster take turns in being first; or they do not: then neither links nor the use of
 * addresses rotate. */
static void order(struct hd_import *im, json_t *gpu)
{
	json_t *cluster = json_object_get(json_object_get(json_object_get(gpu, "instances"), "cluster"),
		"netlist");

	if (hd__import_flag(im, "gpgpu_simt_core_sim_order"))
		return;
	json_object_del(hd__import_link_from(gpu, "cluster[$n].request", false), "rotate");
	hd__import_link_from(cluster, "sm[$k].touch", true);
	json_object_del(json_object_get(cluster, "instances"), "turn");
	json_object_set_new(json_object_get(cluster, "exports"), "touch", json_string("sm[*].touch"));
}

static void network(struct hd_import *im, json_t *gpu)
{
	unsigned errors = im->errors;
	uint32_t mode = hd__import_number(im, "network_mode", 1, 2);

	if (im->errors > errors)
		return;
	if (mode == 1) {
		hd__import_router(im, gpu);
	} else {
		apply_all(im, gpu, crossbar_rules);
		check_only(im, &(struct only){ "icnt_subnets", 2, "requests and replies have a network each" });
	}
}

/* ---- second-level cache ---- */

static void link_end(json_t *gpu, const char *from, const char *to, const char *capacity)
{
	json_t *link = hd__import_link_from(gpu, from, false);

	json_object_set_new(link, "to", json_string(to));
	json_object_set_new(link, "latency", json_integer(0));
	json_object_set_new(link, "capacity", json_string(capacity));
}

/* A coalescer on the way of each slice's requests and replies, at the clock of the network. */
static void coalescers(struct hd_import *im, json_t *gpu)
{
	json_t *links = json_object_get(gpu, "links");

	if (!hd__import_flag(im, "gpgpu_lrc_enabled"))
		return;
	json_object_set_new(json_object_get(gpu, "instances"), "lrc",
		json_pack("{s:s, s:s, s:s, s:{s:i, s:i}}", "module", "request_coalescer",
		          "count", "$channels * $slices", "clock", "network", "params",
		          "entries", (int)hd__import_number(im, "gpgpu_lrc_max_entries", 1, 1 << 20),
		          "merges", (int)hd__import_number(im, "gpgpu_lrc_max_merged", 1, 65536)));
	link_end(gpu, "requests.out", "lrc[$m].in", "$out_buffer");
	link_end(gpu, "reply_port[$m].out", "lrc[$m].reply", "$in_buffer");
	json_array_append_new(links, json_pack("{s:s, s:s, s:s}", "from", "lrc[*].out", "to", "intake[*].request",
	                                       "capacity", "$out_buffer"));
	json_array_append_new(links, json_pack("{s:{s:s}, s:s, s:s, s:i, s:s}",
	                                       "for", "m", "0..$channels * $slices - 1", "from", "lrc[$m].response",
	                                       "to", "replies.in", "latency", 0, "capacity", "$in_buffer"));
	json_array_append_new(links, json_pack("{s:s, s:s}", "from", "lrc[*].time", "to", "cycles.time"));
}

static void second_level(struct hd_import *im, json_t *gpu)
{
	const char *name = "gpgpu_cache:dl2", *policy;
	struct hd_import_cache c = hd__import_cache(im, name);
	uint32_t queue[4], width;

	if (c.none) {
		if (!im->errors)
			hd__import_error(im, name, "is 'none'; expected a cache: a GPU without a second "
			                 "level is not modelled");
		return;
	}
	policy = json_string_value(json_object_get(c.params, "write_policy"));
	if (!json_is_true(json_object_get(c.params, "sectored")))
		hd__import_error(im, name, "begins with N; expected S: a second-level cache without "
		                 "sectors is not modelled");
	if (strcmp(policy, "read_only") == 0)
		hd__import_error(im, name, "has write policy R; expected one that takes stores, such as "
		                 "B");
	width = hd__import_port_width(im, name);
	if (width < 1 || width > 4096)
		hd__import_error(im, name, "ends without the width of the data port; expected "
		                 "'...,QUEUE:FIFO,WIDTH' with 1 to 4096 bytes");
	json_object_set(json_object_get(json_object_get(gpu, "instances"), "l2"), "params", c.params);
	json_decref(c.params);
	hd__import_put(gpu, "slice.port_width", json_integer(width));
	if (hd__import_numbers(im, "gpgpu_dram_partition_queues", ":", queue, 4, 4) == 4
	    && queue[0] < 4)
		hd__import_error(im, "gpgpu_dram_partition_queues", "begins with %u; expected at least 4: "
		                 "a slice takes a request from the network when there is room for four",
		                 queue[0]);
}

void hd__import_beyond(struct hd_import *im, json_t *gpu)
{
	apply_all(im, gpu, rules);
	for (size_t i = 0; i < sizeof only / sizeof *only; i++)
		check_only(im, &only[i]);
	clocks(im, gpu);
	order(im, gpu);
	network(im, gpu);
	coalescers(im, gpu);
	second_level(im, gpu);
	/* checks of several options together would repeat what is wrong with one */
	if (im->errors)
		return;
	hd__import_map(im, gpu);
	if (!im->errors)
		hd__import_dram(im, gpu);
}
