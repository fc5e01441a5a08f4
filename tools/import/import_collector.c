/* import_collector.c - operand collector and register file of an imported core
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Operand collector and Register file.
 */
#include "import_units.h"

#include <string.h>

/* Sets of collector units for one kind each, in the order in which the reference creates them. */
static const char *const set_order[][2] = { { "SP", "sp" }, { "DP", "dp" },
	{ "TENSOR_CORE", "tensor_core" }, { "SFU", "sfu" }, { "MEM", "mem" }, { "INT", "int" } };
/* Their input ports.  No instruction uses TENSOR_CORE, so it needs none. */
static const char *const port_order[][2] = { { "SP", "sp" }, { "DP", "dp" }, { "SFU", "sfu" },
	{ "MEM", "mem" }, { "INT", "int" } };

#define COUNT(a) (sizeof(a) / sizeof *(a))

static uint32_t number(struct hd_import *im, const char *what, const char *set)
{
	char option[80];

	snprintf(option, sizeof option, "gpgpu_operand_collector_num_%s_%s", what, set);
	return hd__import_number(im, option, 0, 64);
}

static void add_set(struct hd_import *im, json_t *sets, const char *name, const char *set)
{
	uint32_t units = number(im, "units", set), out = number(im, "out_ports", set);
	struct hd_import_shape s = hd__import_shape(im);
	char option[80];

	snprintf(option, sizeof option, "gpgpu_operand_collector_num_units_%s", set);
	if (im->errors)
		return;
	if (units && s.sub_cores && units % s.schedulers)
		hd__import_error(im, option, "is %u; with '-gpgpu_sub_core_model 1' expected a multiple "
		                 "of the %u schedulers", units, s.schedulers);
	if (units && !out)
		hd__import_error(im, option, "is %u and the set has no out ports; expected at least one",
		                 units);
	if (units)
		json_array_append_new(sets, json_pack("{s:s, s:I, s:I}", "name", name, "units",
			(json_int_t)units, "dispatch", (json_int_t)out));
}

static bool has_set(const json_t *sets, const char *name)
{
	const json_t *set;
	size_t i;

	json_array_foreach(sets, i, set)
		if (strcmp(json_string_value(json_object_get(set, "name")), name) == 0)
			return true;
	return false;
}

static bool has_kind(const struct units *u, const char *unit)
{
	for (unsigned i = 0; i < u->n; i++)
		if (strcmp(u->kind[i].unit, unit) == 0)
			return u->kind[i].count > 0;
	return false;
}

/* Ports of one kind of unit: units of its own set first, then general ones. */
static void add_port(struct hd_import *im, const struct units *u, const json_t *sets,
                     json_t *ports, const char *name, const char *set)
{
	uint32_t n = number(im, "in_ports", set);
	bool own = has_set(sets, name), general = has_set(sets, "GEN");
	json_t *port;

	if (!n || !has_kind(u, name) || (!own && !general))
		return;
	port = json_pack("{s:I, s:[s]}", "count", (json_int_t)n, "takes", name);
	if (own && general) {
		json_object_set_new(port, "units", json_pack("[s, s]", name, "GEN"));
		json_object_set_new(port, "first", json_pack("[s]", name));
	} else {
		json_object_set_new(port, "units", json_pack("[s]", own ? name : "GEN"));
	}
	json_array_append_new(ports, port);
}

static void collector(struct hd_import *im, const struct units *u)
{
	struct hd_import_shape s = hd__import_shape(im);
	bool special = hd__import_flag(im, "gpgpu_enable_specialized_operand_collector");
	json_t *sets = json_array(), *ports = json_array(), *params = json_object();
	uint32_t steps = hd__import_number(im, "gpgpu_reg_file_port_throughput", 1, 64), in;

	add_set(im, sets, "GEN", "gen");
	in = number(im, "in_ports", "gen");
	if (json_array_size(sets) && in && special)
		json_array_append_new(ports, json_pack("{s:I, s:[s]}", "count", (json_int_t)in,
		                                       "units", "GEN"));
	else if (json_array_size(sets) && in)
		json_array_append_new(ports, json_pack("{s:I}", "count", (json_int_t)in));
	for (size_t i = 0; special && i < COUNT(set_order); i++)
		add_set(im, sets, set_order[i][0], set_order[i][1]);
	for (size_t i = 0; special && i < COUNT(port_order); i++)
		add_port(im, u, sets, ports, port_order[i][0], port_order[i][1]);
	if (!im->errors && (json_array_size(sets) == 0 || json_array_size(ports) == 0))
		hd__import_error(im, "gpgpu_operand_collector_num_units_gen", "and similar options "
		                 "give the operand collector no units or no in ports; expected at least "
		                 "one of each");
	if (s.sub_cores)
		json_object_set_new(params, "sub_cores", json_string(s.count));
	json_object_set_new(params, "steps", json_integer(steps));
	json_object_set_new(params, "sets", sets);
	json_object_set_new(params, "ports", ports);
	hd__import_instance(im, "collector", json_pack("{s:s, s:s, s:o}", "module", "collector",
	                                               "clock", "sm", "params", params));
}

void hd__import_collector(struct hd_import *im, const struct units *u)
{
	struct hd_import_shape s = hd__import_shape(im);
	uint32_t banks = hd__import_number(im, "gpgpu_num_reg_banks", 1, 64);
	json_t *params = json_pack("{s:I}", "banks", (json_int_t)banks);

	collector(im, u);
	if (s.sub_cores) {
		json_object_set_new(params, "sub_cores", json_string(s.count));
		if (!im->errors && banks % s.schedulers)
			hd__import_error(im, "gpgpu_num_reg_banks", "is %u; with '-gpgpu_sub_core_model "
			                 "1' expected a multiple of the %u schedulers", banks,
			                 s.schedulers);
	}
	hd__import_instance(im, "regfile", json_pack("{s:s, s:s, s:o}", "module", "regfile", "clock",
	                                             "sm", "params", params));
	hd__import_wire(im, json_pack("[s, s]", "writeback.regfile", "load_store.regfile"),
	                "regfile.write");
	hd__import_wire(im, json_string("collector.regfile"), "regfile.read");
}
