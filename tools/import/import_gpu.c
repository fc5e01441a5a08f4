/* import_gpu.c - the netlist of an imported GPU: clusters of the imported SM, and what is around them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The frame is that of the shipped netlists gpu.json and cluster.json, which the program carries
 * with it; cluster and SM stand inside, so that the result is one file.
 */
#include "import_gpu.h"

#include "base/embedded.h"
#include "base/xalloc.h"

/* ---- the SM as a part ---- */

/* An end of an instance that the SM as a part does not have? */
static bool is_around(const char *end)
{
	static const char *const around[] = { "dispatcher.", "trace.", "memory." };

	for (size_t i = 0; i < 3; i++)
		if (strncmp(end, around[i], strlen(around[i])) == 0)
			return true;
	return false;
}

/* The side of a link without the ends of what is around; NULL if nothing is left. */
static json_t *inner_side(json_t *side)
{
	json_t *left = json_array(), *end, *one;
	size_t i;

	if (json_is_string(side)) {
		json_decref(left);
		return is_around(json_string_value(side)) ? NULL : json_incref(side);
	}
	json_array_foreach(side, i, end)
		if (!is_around(json_string_value(end)))
			json_array_append(left, end);
	if (json_array_size(left) > 1)
		return left;
	one = json_incref(json_array_get(left, 0));
	json_decref(left);
	return one;
}

static json_t *inner_links(json_t *links)
{
	json_t *left = json_array(), *link, *from, *to;
	size_t i;

	json_array_foreach(links, i, link) {
		from = inner_side(json_object_get(link, "from"));
		to = inner_side(json_object_get(link, "to"));
		if (from && to) {
			json_object_set(link, "from", from);
			json_array_append(left, link);
		}
		json_decref(from);
		json_decref(to);
	}
	return left;
}

static void put_exports(json_t *sm)
{
	json_t *instances = json_object_get(sm, "instances");
	json_t *exports = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}",
		"launch", "warps.launch", "barrier", "barrier.barrier", "trace", "divergence.trace",
		"request", "load_store.request", "response", "load_store.response", "touch",
		"load_store.touch, fetch.touch");

	if (json_object_get(instances, "l1d"))
		json_object_set_new(exports, "l1d", json_string("l1d.cache"));
	if (json_object_get(instances, "l1i")) {
		json_object_set_new(exports, "request",
		                    json_string("load_store.request, icache.request"));
		json_object_set_new(exports, "inst_response", json_string("icache.response"));
	}
	json_object_set_new(sm, "exports", exports);
}

/* Makes a part of an SM that is complete by itself; returns its dispatcher. */
static json_t *separate(json_t *sm)
{
	json_t *instances = json_object_get(sm, "instances"), *clocks = json_object_get(sm, "clocks");
	json_t *dispatcher = json_incref(json_object_get(instances, "dispatcher"));

	json_object_del(sm, "heddle");
	json_object_set_new(sm, "name", json_string("sm"));
	json_object_del(instances, "trace");
	json_object_del(instances, "dispatcher");
	json_object_del(instances, "memory");
	json_object_del(clocks, "dispatch");
	json_object_set_new(json_object_get(clocks, "core"), "extern", json_true());
	json_object_set_new(sm, "links", inner_links(json_object_get(sm, "links")));
	put_exports(sm);
	return dispatcher;
}

/* ---- the GPU ---- */

static json_t *shipped(const char *name)
{
	const struct hd_embedded *f = hd__embedded_find(name);

	return hd__xcheck(f ? json_loadb(f->text, f->size, 0, NULL) : NULL);
}

static double mhz_of(struct hd_import *im, unsigned domain)
{
	json_t *mhz = hd__import_mhz(im, domain);
	double v = json_number_value(mhz);

	json_decref(mhz);
	return v;
}

/* Core cycles that a store waits in front of the second-level cache; 0: it may be done in the L1D. */
static json_int_t store_latency(struct hd_import *im, const json_t *sm)
{
	const json_t *l1d = json_object_get(json_object_get(json_object_get(sm, "instances"), "l1d"), "params");
	const char *policy = json_string_value(json_object_get(l1d, "write_policy"));

	if (policy && strcmp(policy, "write_back") == 0)
		return 0;
	return (json_int_t)(hd__import_number(im, "gpgpu_l2_rop_latency", 0, 100000) * mhz_of(im, 0) / mhz_of(im, 2));
}

/* The dispatcher of a GPU with the parameters of that of one SM. */
static void put_dispatcher(struct hd_import *im, json_t *gpu, const json_t *sm, const json_t *of_sm)
{
	json_t *params = json_pack("{s:s}", "cores", "$cores");

	json_object_update(params, json_object_get(of_sm, "params"));
	if (!hd__import_flag(im, "gpgpu_concurrent_kernel_sm")) {
		/* decode takes two at a time, as often in a cycle as there are fetches */
		json_object_set_new(params, "sm_rate", json_integer(
			2 * (json_int_t)hd__import_number(im, "gpgpu_inst_fetch_throughput", 1, 32)));
		json_object_set_new(params, "store_latency", json_integer(store_latency(im, sm)));
	}
	json_object_set_new(json_object_get(json_object_get(gpu, "instances"), "dispatcher"), "params",
	                    params);
}

/* Links instruction caches to the network.  Replies always find room: there is one for each sector
 * of each line that the cache may wait for. */
static void link_l1i(struct hd_import *im, json_t *gpu, json_t *cluster, const json_t *l1i)
{
	uint32_t cores = hd__import_number(im, "gpgpu_n_cores_per_cluster", 1, 64);
	const json_t *params = json_object_get(l1i, "params");
	json_int_t room = json_integer_value(json_object_get(params, "mshr_entries"))
	                  * json_integer_value(json_object_get(params, "line")) / 32;

	if (cores > 1)
		hd__import_error(im, "gpgpu_perfect_inst_const_cache", "is 0, and "
		                 "'-gpgpu_n_cores_per_cluster' %u; expected 1 SM in a cluster: the "
		                 "order of fetches of several SMs is not modelled", cores);
	json_array_append_new(json_object_get(cluster, "links"),
		json_pack("{s:{s:s}, s:s, s:s, s:i, s:I}", "for", "k", "0..$cores - 1", "from",
		          "node.inst_response", "to", "sm[$k].inst_response", "latency", 0, "capacity",
		          room > 65536 ? (json_int_t)65536 : room));
	/* fetches come behind the load/store unit in every cycle */
	json_object_del(hd__import_link_from(gpu, "cluster[$n].request", false), "rotate");
}

static json_t *import_gpu(struct hd_import *im)
{
	json_t *gpu = shipped("gpu.json"), *cluster = shipped("cluster.json");
	json_t *sm = hd__import_core(im), *dispatcher;
	const json_t *l1i = json_object_get(json_object_get(sm, "instances"), "l1i");

	json_object_set(json_object_get(json_object_get(gpu, "instances"), "trace"), "params",
	                json_object_get(json_object_get(json_object_get(sm, "instances"), "trace"), "params"));
	dispatcher = separate(sm);
	if (l1i)
		link_l1i(im, gpu, cluster, l1i);
	if (!json_object_get(json_object_get(sm, "exports"), "l1d")) {
		json_object_del(json_object_get(cluster, "exports"), "l1d");
		hd__import_link_from(gpu, "dispatcher.l1d", true);
	}
	json_object_set_new(json_object_get(json_object_get(cluster, "instances"), "sm"), "netlist",
	                    sm);
	json_object_del(cluster, "heddle");
	json_object_set_new(json_object_get(json_object_get(gpu, "instances"), "cluster"), "netlist",
	                    cluster);
	put_dispatcher(im, gpu, sm, dispatcher);
	json_decref(dispatcher);
	json_object_set_new(gpu, "doc", json_string("A GPU, imported from an Accel-Sim configuration"));
	hd__import_beyond(im, gpu);
	return gpu;
}

json_t *hd__import_netlist(struct hd_import *im, const char *name)
{
	uint32_t clusters, cores;
	bool perfect = hd__import_flag(im, "gpgpu_perfect_mem");
	json_t *root;

	if (!im->one_sm && perfect) {
		clusters = hd__import_number(im, "gpgpu_n_clusters", 1, UINT32_MAX);
		cores = hd__import_number(im, "gpgpu_n_cores_per_cluster", 1, UINT32_MAX);
		im->one_sm = true;
		if (hd__import_is_set(im, "gpgpu_n_clusters") && (clusters > 1 || cores > 1))
			hd__import_warn(im, "gpgpu_n_clusters", "is %u; with '-gpgpu_perfect_mem 1' one SM "
			                "is imported", clusters);
	}
	root = im->one_sm ? hd__import_core(im) : import_gpu(im);
	json_object_set_new(root, "name", json_string(name ? name : im->one_sm ? "imported_sm"
	                                                                        : "imported_gpu"));
	return root;
}
