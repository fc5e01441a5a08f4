/* import_memory.c - load/store unit, shared memory, L1D and memory of an imported core
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Load/store unit to Size of the L1D.
 */
#include "import.h"

#include <string.h>

/* Power of two, so that an address gives the bank. */
static uint32_t l1d_banks(struct hd_import *im)
{
	uint32_t n = hd__import_number(im, "gpgpu_l1_banks", 1, 64);

	if (n & (n - 1))
		hd__import_error(im, "gpgpu_l1_banks", "is %u; expected a power of two", n);
	return n;
}

/* Most ways that the L1D gets when it has the whole unified memory. */
static void adapt(struct hd_import *im, const struct hd_import_cache *c)
{
	uint64_t bytes = (uint64_t)c->sets * c->line * c->ways, unified;

	if (!hd__import_flag(im, "gpgpu_adaptive_cache_config"))
		return;
	if (c->streams)
		json_object_set_new(c->params, "allocate", json_string("streaming"));
	unified = (uint64_t)hd__import_number(im, "gpgpu_unified_l1d_size", 1, 65536) * 1024;
	if (unified < bytes || bytes < 1024)
		hd__import_error(im, "gpgpu_cache:dl1", "has %llu bytes and the unified memory %llu; "
		                 "expected at least 1024 and no more than that",
		                 (unsigned long long)bytes, (unsigned long long)unified);
	else
		json_object_set_new(c->params, "max_ways", json_integer(
			(json_int_t)(c->ways * (unified / 1024 / (bytes / 1024)))));
}

/* A port that a fill takes for more than a cycle. */
static void fill_port(struct hd_import *im, const struct hd_import_cache *c, json_t *load_store)
{
	uint32_t width = hd__import_port_width(im, "gpgpu_cache:dl1");
	uint32_t filled = json_is_true(json_object_get(c->params, "sectored")) ? 32 : c->line;

	if (width > 0 && filled / width > 1)
		json_object_set_new(load_store, "l1d_port_width", json_integer(width));
}

/* Returns true if there is an L1D.  load_store: parameters of the unit in front of it. */
static bool l1d(struct hd_import *im, json_t *load_store)
{
	struct hd_import_cache c = hd__import_cache(im, "gpgpu_cache:dl1");
	bool flush = hd__import_flag(im, "gpgpu_flush_l1_cache");
	uint32_t ratio;
	json_t *users;

	if (c.none) {
		if (hd__import_flag(im, "gpgpu_adaptive_cache_config") && !im->errors)
			hd__import_error(im, "gpgpu_adaptive_cache_config", "is 1 and there is no L1D; "
			                 "expected '-gpgpu_cache:dl1' to configure one");
		return false;
	}
	if (im->errors == 0)
		adapt(im, &c);
	fill_port(im, &c, load_store);
	ratio = hd__import_number(im, "gpgpu_l1_cache_write_ratio", 0, 100);
	if (ratio)
		json_object_set_new(c.params, "write_ratio", json_integer(ratio));
	hd__import_instance(im, "l1d", json_pack("{s:s, s:s, s:o}", "module", "cache", "clock", "sm",
	                                         "params", c.params));
	users = json_pack("[s]", "load_store.l1d");
	if (flush)
		json_array_append_new(users, json_string("fence.l1d"));
	json_array_append_new(users, json_string("dispatcher.l1d"));
	hd__import_wire(im, users, "l1d.cache");
	return true;
}

static void load_store(struct hd_import *im)
{
	uint32_t ports = hd__import_number(im, "gpgpu_mem_unit_ports", 0, 32);
	uint32_t parts = hd__import_number(im, "gpgpu_shmem_warp_parts", 1, 32);
	uint32_t interleave = hd__import_number(im, "gpgpu_l1_banks_byte_interleaving", 32, 65536);
	json_t *params = json_pack("{s:I}", "shared_latency",
		(json_int_t)hd__import_number(im, "gpgpu_smem_latency", 1, 4096));

	if (ports == 0)
		ports = parts;
	if (ports > 1)
		json_object_set_new(params, "cycles_per_edge", json_integer(ports));
	json_object_set_new(params, "l1d_latency",
	                    json_integer(hd__import_number(im, "gpgpu_l1_latency", 1, 4096)));
	json_object_set_new(params, "l1d_banks", json_integer(l1d_banks(im)));
	if (interleave & (interleave - 1))
		hd__import_error(im, "gpgpu_l1_banks_byte_interleaving", "is %u; expected a power of "
		                 "two", interleave);
	if (interleave != 32)
		json_object_set_new(params, "l1d_interleave", json_integer(interleave));
	if (hd__import_number(im, "gpgpu_l1_banks_hashing_function", 0, 1) == 1)
		json_object_set_new(params, "l1d_bank_index", json_string("xor"));
	if (l1d(im, params) && hd__import_flag(im, "gpgpu_gmem_skip_L1D"))
		json_object_set_new(params, "bypass_global", json_true());
	hd__import_instance(im, "load_store", json_pack("{s:s, s:s, s:o}", "module", "load_store",
	                                                "clock", "sm", "params", params));
	hd__import_wire(im, json_string("load_store.coalescer"), "coalescer.coalescer");
	hd__import_wire(im, json_string("load_store.banks"), "shared_banks.banks");
}

static void addresses(struct hd_import *im)
{
	uint32_t arch = hd__import_number(im, "gpgpu_coalesce_arch", 0, 1000);
	uint32_t parts = hd__import_number(im, "gpgpu_shmem_warp_parts", 1, 32);
	json_t *entry = json_pack("{s:s}", "module", "coalescer"), *params = json_object();
	json_t *banks = json_pack("{s:I}", "banks",
		(json_int_t)hd__import_number(im, "gpgpu_shmem_num_banks", 1, 64));

	if (arch < 40)
		hd__import_error(im, "gpgpu_coalesce_arch", "is %u; expected 40 or more: older rules of "
		                 "coalescing are not modelled", arch);
	if (32 % parts)
		hd__import_error(im, "gpgpu_shmem_warp_parts", "is %u; expected a divisor of 32", parts);
	/* with several kernels CTAs have no common size */
	if (!hd__import_flag(im, "gpgpu_local_mem_map")
	    || hd__import_flag(im, "gpgpu_concurrent_kernel_sm"))
		json_object_set_new(params, "local_map", json_string("by_sm"));
	if (parts > 1) {
		json_object_set_new(params, "parts", json_integer(parts));
		json_object_set_new(banks, "parts", json_integer(parts));
	}
	if (json_object_size(params))
		json_object_set(entry, "params", params);
	json_decref(params);
	hd__import_instance(im, "coalescer", entry);
	if (hd__import_flag(im, "gpgpu_shmem_limited_broadcast"))
		json_object_set_new(banks, "limited_broadcast", json_true());
	hd__import_instance(im, "shared_banks", json_pack("{s:s, s:o}", "module", "shared_banks",
	                                                  "params", banks));
}

void hd__import_memory(struct hd_import *im)
{
	uint32_t ejection = hd__import_number(im, "gpgpu_n_cluster_ejection_buffer_size", 1, 65536);
	uint32_t response = hd__import_number(im, "gpgpu_n_ldst_response_buffer_size", 1, 65536);
	bool icache = !hd__import_flag(im, "gpgpu_perfect_inst_const_cache");
	json_t *from = json_pack("[s]", "load_store.request");

	load_store(im);
	addresses(im);
	hd__import_instance(im, "memory", json_pack("{s:s, s:s}", "module", "memory_perfect", "clock",
	                                            "core"));
	if (icache) {
		json_array_append_new(from, json_string("icache.request"));
		hd__import_link(im, json_pack("{s:s, s:s, s:i, s:i}", "from", "memory.inst_response",
		                              "to", "icache.response", "latency", 0, "capacity", 1));
	}
	hd__import_link(im, json_pack("{s:o, s:s, s:I}", "from", from, "to", "memory.request",
	                              "capacity", (json_int_t)ejection));
	hd__import_link(im, json_pack("{s:s, s:s, s:i, s:I}", "from", "memory.response", "to",
	                              "load_store.response", "latency", 0, "capacity",
	                              (json_int_t)response));
}
