/* import_units.c - function units of an imported core, register sets in front of them, operand collector, register file
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Issue, Function units, Operand collector and Register file.  One `kind` is a kind of
 * unit with its two register sets:
 * ID_OC between the issue stages and the collector, OC_EX between the collector and the units.
 */
#include "import.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SPECIALIZED 8u

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct kind {
	char unit[32], instance[32]; /* "SP", "sp" */
	char option[64];             /* of a specialized unit: where it comes from */
	bool sp, memory, special;
	uint32_t id, ex, count;      /* widths of ID_OC and OC_EX, number of units */
	json_t *classes, *timing;
};

struct units {
	struct kind kind[16];
	unsigned n;
	uint32_t ex_wb;
};

/* Positions in gpgpu_pipeline_widths. */
enum { ID_SP, ID_DP, ID_INT, ID_SFU, ID_MEM, EX_SP, EX_DP, EX_INT, EX_SFU, EX_MEM, EX_WB };

/* {"classes": [...], "latency": L, "initiation": II} from a setting "L,II". */
static json_t *timing(struct hd_import *im, const char *option, json_t *classes, const char *depth,
                      uint32_t stages)
{
	uint32_t v[2];

	hd__import_numbers(im, option, ",", v, 2, 2);
	if (v[0] == 1 && v[1] == 0 && strstr(option, "_spec_op_")) {
		hd__import_warn(im, option, "is '1,0' and taken as '1,1': times of products of warpgroups are not "
		                "among the options; h100_sxm.json has a unit for them");
		v[1] = 1;
	}
	if (v[0] < 1 || v[0] > 511 || v[1] < 1 || v[1] > v[0])
		hd__import_error(im, option, "is '%u,%u'; expected a latency from 1 to 511 and an "
		                 "initiation interval from 1 to the latency", v[0], v[1]);
	else if (v[0] - v[1] >= stages)
		hd__import_warn(im, depth, "gives its unit %u stages, too few for '-%s %u,%u'; "
		                "the reference aborts", stages, option, v[0], v[1]);
	return json_pack("{s:o, s:I, s:I}", "classes", classes, "latency", (json_int_t)v[0],
	                 "initiation", (json_int_t)v[1]);
}

/* The nth number of a list of latencies, which is the number of stages of some unit. */
static uint32_t stages(struct hd_import *im, const char *option, unsigned n)
{
	uint32_t v[6];

	hd__import_numbers(im, option, ",", v, n + 1, 6);
	return v[n];
}

static uint32_t int_stages(struct hd_import *im)
{
	uint32_t v[6];
	unsigned n = hd__import_numbers(im, "ptx_opcode_latency_int", ",", v, 2, 6);

	/* with five numbers the reference reads whatever follows them in memory */
	return n < 6 ? 512 : v[1] > v[5] ? v[1] : v[5];
}

static const char *int_classes[] = { "INTP", "ALU", "BRANCH", "CALL", "RET" };
static const char *short_classes[] = { "BARRIER", "EXIT" };

static void add(json_t *list, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_string(names[i]));
}

static json_t *names(const char *const *v, size_t n)
{
	json_t *list = json_array();

	add(list, v, n);
	return list;
}

/* The classes of an INT unit, or of an SP unit where there is none. */
static void integer_work(struct hd_import *im, struct kind *k)
{
	const char *depth = k->sp ? "ptx_opcode_latency_fp" : "ptx_opcode_latency_int";

	add(k->classes, int_classes, COUNT(int_classes));
	add(k->classes, short_classes, COUNT(short_classes));
	json_array_append_new(k->timing, timing(im, "trace_opcode_latency_initiation_int",
		names(int_classes, COUNT(int_classes)), depth,
		k->sp ? stages(im, depth, 1) : int_stages(im)));
	json_array_append_new(k->timing, json_pack("{s:o, s:i, s:i}", "classes",
		names(short_classes, COUNT(short_classes)), "latency", 1, "initiation", 1));
}

static void one_class(struct hd_import *im, struct kind *k, const char *name, const char *option,
                      const char *depth, uint32_t n)
{
	json_array_append_new(k->classes, json_string(name));
	json_array_append_new(k->timing, timing(im, option, json_pack("[s]", name), depth, n));
}

static struct kind *new_kind(struct units *u, const char *unit, const char *instance, uint32_t id,
                             uint32_t ex, uint32_t count)
{
	struct kind *k = &u->kind[u->n++];

	snprintf(k->unit, sizeof k->unit, "%s", unit);
	snprintf(k->instance, sizeof k->instance, "%s", instance);
	k->id = id;
	k->ex = ex;
	k->count = count;
	k->classes = json_array();
	k->timing = json_array();
	return k;
}

static bool taken(const struct units *u, const char *unit, const char *instance)
{
	static const char *const others[] = { "trace", "dispatcher", "warps", "icache", "l1i",
		"fetch", "decode", "ibuffer", "issue", "scheduler", "scoreboard", "barrier", "fence",
		"copy", "collector", "regfile", "result_bus", "load_store", "coalescer",
		"shared_banks", "l1d", "writeback", "memory", "dp", "int" };

	for (unsigned i = 0; i < u->n; i++)
		if (strcmp(u->kind[i].unit, unit) == 0 || strcmp(u->kind[i].instance, instance) == 0)
			return true;
	for (size_t i = 0; i < COUNT(others); i++)
		if (strcmp(others[i], instance) == 0)
			return true;
	return false;
}

/* Names for specialized unit `number`: its own, if they are valid and unused. */
static void name_special(const struct units *u, unsigned number, const char *given, char *unit,
                         char *instance, size_t size)
{
	static const char *const known[][2] = { { "BRA", "branch" }, { "TEX", "texture" },
		{ "UDP", "uniform" }, { "TENSOR", "tensor" } };
	size_t n = 0;

	for (; given[n] && n + 1 < size && isalnum((unsigned char)given[n]); n++) {
		unit[n] = (char)toupper((unsigned char)given[n]);
		instance[n] = (char)tolower((unsigned char)given[n]);
	}
	unit[n] = instance[n] = '\0';
	for (size_t i = 0; i < COUNT(known); i++)
		if (strcmp(unit, known[i][0]) == 0)
			snprintf(instance, size, "%s", known[i][1]);
	if (n == 0 || isdigit((unsigned char)unit[0]) || taken(u, unit, instance)) {
		snprintf(unit, size, "SPECIAL_%u", number);
		snprintf(instance, size, "special_%u", number);
	}
}

/* "enabled,units,max_latency,ID_OC,OC_EX,NAME".  Returns false at the end of the list. */
static bool special(struct hd_import *im, struct units *u, unsigned number)
{
	char option[64], times[64], cls[32], name[32] = "", unit[32], instance[32];
	unsigned enabled = 0, count = 0, depth = 0, id = 0, ex = 0;
	const char *text;
	struct kind *k;

	snprintf(option, sizeof option, "specialized_unit_%u", number);
	snprintf(times, sizeof times, "trace_opcode_latency_initiation_spec_op_%u", number);
	text = hd__import_text(im, option);
	if (sscanf(text, "%9u,%9u,%9u,%9u,%9u,%31s", &enabled, &count, &depth, &id, &ex, name) != 6 || enabled > 1) {
		hd__import_error(im, option, "is '%.60s'; expected "
		                 "ENABLED,UNITS,STAGES,ID_OC,OC_EX,NAME, ENABLED 0 or 1", text);
		return false;
	}
	if (!enabled)
		return false;
	if (count < 1 || count > 64 || depth < 1 || depth > 512)
		hd__import_error(im, option, "is '%.60s'; expected 1 to 64 units of 1 to 512 stages",
		                 text);
	snprintf(cls, sizeof cls, "SPECIALIZED_UNIT_%u", number);
	name_special(u, number, name, unit, instance, sizeof unit);
	k = new_kind(u, unit, instance, id, ex, count);
	k->special = true;
	im->special |= 1u << number;
	snprintf(k->option, sizeof k->option, "%s", option);
	one_class(im, k, cls, times, option, depth);
	return true;
}

/* Kinds in the order in which an input port of the collector scans their register sets. */
static void collect(struct hd_import *im, struct units *u)
{
	static const char *const memory[] = { "LOAD", "STORE", "MEMORY_BARRIER" };
	uint32_t w[13], sp, dp, in, sfu;
	struct kind *k;

	hd__import_numbers(im, "gpgpu_pipeline_widths", ",", w, 11, 13);
	sp = hd__import_number(im, "gpgpu_num_sp_units", 0, 64);
	dp = hd__import_number(im, "gpgpu_num_dp_units", 0, 64);
	in = hd__import_number(im, "gpgpu_num_int_units", 0, 64);
	sfu = hd__import_number(im, "gpgpu_num_sfu_units", 0, 64);
	u->ex_wb = w[EX_WB];
	k = new_kind(u, "SP", "sp", w[ID_SP], w[EX_SP], sp);
	k->sp = true;
	one_class(im, k, "SP", "trace_opcode_latency_initiation_sp", "ptx_opcode_latency_fp",
	          stages(im, "ptx_opcode_latency_fp", 1));
	if (!in)
		integer_work(im, k);
	k = new_kind(u, "SFU", "sfu", w[ID_SFU], w[EX_SFU], sfu);
	{
		uint32_t a = stages(im, "ptx_opcode_latency_dp", 4);
		uint32_t b = hd__import_number(im, "ptx_opcode_latency_sfu", 0, UINT32_MAX);

		one_class(im, k, "SFU", "trace_opcode_latency_initiation_sfu",
		          "ptx_opcode_latency_sfu", a > b ? a : b);
		if (!dp)
			one_class(im, k, "DP", "trace_opcode_latency_initiation_dp",
			          "ptx_opcode_latency_sfu", a > b ? a : b);
	}
	k = new_kind(u, "MEM", "load_store", w[ID_MEM], w[EX_MEM], 1);
	k->memory = true;
	add(k->classes, memory, COUNT(memory));
	if (dp) {
		k = new_kind(u, "DP", "dp", w[ID_DP], w[EX_DP], dp);
		one_class(im, k, "DP", "trace_opcode_latency_initiation_dp", "ptx_opcode_latency_dp",
		          stages(im, "ptx_opcode_latency_dp", 1));
	}
	if (in) {
		k = new_kind(u, "INT", "int", w[ID_INT], w[EX_INT], in);
		integer_work(im, k);
	}
	for (unsigned i = 1; i <= SPECIALIZED && special(im, u, i); i++)
		;
}

/* Sub-cores own one slot of each register set and one unit of each kind. */
static void check(struct hd_import *im, const struct units *u)
{
	struct hd_import_shape s = hd__import_shape(im);

	if (im->errors)
		return; /* follow-up errors of a wrong number would be noise */
	if (u->ex_wb < 1 || u->ex_wb > 1024)
		hd__import_error(im, "gpgpu_pipeline_widths", "gives EX_WB %u slots; expected 1 to "
		                 "1024", u->ex_wb);
	for (unsigned i = 0; i < u->n; i++) {
		const struct kind *k = &u->kind[i];
		const char *name = k->special ? k->option : "gpgpu_pipeline_widths";

		if (k->count == 0)
			continue;
		if (k->id < 1 || k->id > 64 || k->ex < 1 || k->ex > 64)
			hd__import_error(im, name, "gives the register sets of %s %u and %u slots; "
			                 "expected 1 to 64", k->unit, k->id, k->ex);
		else if (s.sub_cores && (k->id != s.schedulers || k->ex != s.schedulers))
			hd__import_error(im, name, "gives the register sets of %s %u and %u slots; with "
			                 "'-gpgpu_sub_core_model 1' expected one for each of the %u "
			                 "schedulers", k->unit, k->id, k->ex, s.schedulers);
		else if (s.sub_cores && !k->memory && k->count != s.schedulers)
			hd__import_error(im, k->special ? name : "gpgpu_sub_core_model", "contradicts "
			                 "%u units of %s; in sub-cores expected one for each of the %u "
			                 "schedulers", k->count, k->unit, s.schedulers);
	}
}

static json_t *slots(const struct hd_import_shape *s, uint32_t n)
{
	return s->sub_cores ? json_string(s->count) : json_integer(n);
}

/* Other specialized units, which count as one kind when two instructions issue together. */
static json_t *same_unit_as(const struct units *u, const struct kind *k)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < u->n; i++)
		if (u->kind[i].special && &u->kind[i] != k)
			json_array_append_new(list, json_string(u->kind[i].unit));
	return list;
}

static void register_sets(struct hd_import *im, const struct units *u)
{
	struct hd_import_shape s = hd__import_shape(im);
	bool dual = hd__import_number(im, "gpgpu_max_insn_issue_per_warp", 1, 2) > 1;
	bool rotates = true;

	for (unsigned i = 0; i < u->n; i++) {
		const struct kind *k = &u->kind[i];
		json_t *link;

		if (k->count == 0)
			continue;
		link = json_pack("{s:s, s:s, s:o, s:s, s:O}", "from", "issue[*].out", "to",
		                 "collector.in", "slots", slots(&s, k->id), "unit", k->unit, "classes",
		                 k->classes);
		if (!s.sub_cores)
			json_object_set_new(link, "index", json_string("any"));
		if (dual && k->special && hd__import_flag(im, "gpgpu_dual_issue_diff_exec_units"))
			json_object_set_new(link, "same_unit_as", same_unit_as(u, k));
		if (rotates)
			json_object_set_new(link, "rotate", json_true());
		rotates = false;
		hd__import_link(im, link);
	}
	for (unsigned i = 0; i < u->n; i++) {
		const struct kind *k = &u->kind[i];
		char to[48];
		json_t *link;

		if (k->count == 0)
			continue;
		snprintf(to, sizeof to, "%s%s.in", k->instance, k->memory ? "" : "[*]");
		link = json_pack("{s:s, s:s, s:o, s:s}", "from", "collector.out", "to", to, "slots",
		                 slots(&s, k->ex), "unit", k->unit);
		if (!s.sub_cores)
			json_object_set_new(link, "index", json_string("any"));
		hd__import_link(im, link);
	}
}

static void place_units(struct hd_import *im, const struct kind *k, json_t *out, json_t *bus)
{
	struct hd_import_shape s = hd__import_shape(im);
	char end[48];

	if (k->count == 0 || k->memory)
		return;
	hd__import_instance(im, k->instance, json_pack("{s:s, s:o, s:s, s:{s:O}}", "module",
		"fu_pipeline", "count", slots(&s, k->count), "clock", "sm", "params", "timing",
		k->timing));
	snprintf(end, sizeof end, "%s[*].out", k->instance);
	json_array_append_new(out, json_string(end));
	snprintf(end, sizeof end, "%s[*].bus", k->instance);
	json_array_append_new(bus, json_string(end));
}

/* In the order in which the reference serves them: SP, DP, INT, SFU, specialized units. */
static void units_and_results(struct hd_import *im, const struct units *u)
{
	static const char *const order[] = { "SP", "DP", "INT", "SFU" };
	json_t *out = json_array(), *bus = json_array();

	hd__import_instance(im, "result_bus", json_pack("{s:s, s:s, s:{s:I}}", "module",
		"result_bus", "clock", "sm", "params", "width", (json_int_t)u->ex_wb));
	for (size_t o = 0; o < COUNT(order); o++)
		for (unsigned i = 0; i < u->n; i++)
			if (!u->kind[i].special && strcmp(u->kind[i].unit, order[o]) == 0)
				place_units(im, &u->kind[i], out, bus);
	for (unsigned i = 0; i < u->n; i++)
		if (u->kind[i].special)
			place_units(im, &u->kind[i], out, bus);
	hd__import_instance(im, "writeback", json_pack("{s:s, s:s}", "module", "writeback", "clock",
	                                               "sm"));
	hd__import_link(im, json_pack("{s:o, s:s, s:I}", "from", out, "to", "writeback.in",
	                              "capacity", (json_int_t)u->ex_wb));
	hd__import_wire(im, bus, "result_bus.bus");
}

/* ---- operand collector and register file ---- */

/* Sets of collector units for one kind each, in the order in which the reference creates them. */
static const char *const set_order[][2] = { { "SP", "sp" }, { "DP", "dp" },
	{ "TENSOR_CORE", "tensor_core" }, { "SFU", "sfu" }, { "MEM", "mem" }, { "INT", "int" } };
/* Their input ports.  No instruction uses TENSOR_CORE, so it needs none. */
static const char *const port_order[][2] = { { "SP", "sp" }, { "DP", "dp" }, { "SFU", "sfu" },
	{ "MEM", "mem" }, { "INT", "int" } };

static uint32_t set_number(struct hd_import *im, const char *what, const char *set)
{
	char option[80];

	snprintf(option, sizeof option, "gpgpu_operand_collector_num_%s_%s", what, set);
	return hd__import_number(im, option, 0, 64);
}

static void add_set(struct hd_import *im, json_t *sets, const char *name, const char *set)
{
	uint32_t units = set_number(im, "units", set), out = set_number(im, "out_ports", set);
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
	uint32_t n = set_number(im, "in_ports", set);
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

static void put_collector(struct hd_import *im, const struct units *u)
{
	struct hd_import_shape s = hd__import_shape(im);
	bool special = hd__import_flag(im, "gpgpu_enable_specialized_operand_collector");
	json_t *sets = json_array(), *ports = json_array(), *params = json_object();
	uint32_t steps = hd__import_number(im, "gpgpu_reg_file_port_throughput", 1, 64), in;

	add_set(im, sets, "GEN", "gen");
	in = set_number(im, "in_ports", "gen");
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

static void collector(struct hd_import *im, const struct units *u)
{
	struct hd_import_shape s = hd__import_shape(im);
	uint32_t banks = hd__import_number(im, "gpgpu_num_reg_banks", 1, 64);
	json_t *params = json_pack("{s:I}", "banks", (json_int_t)banks);

	put_collector(im, u);
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

void hd__import_units(struct hd_import *im)
{
	struct units u = { .n = 0 };

	collect(im, &u);
	check(im, &u);
	collector(im, &u);
	register_sets(im, &u);
	units_and_results(im, &u);
	for (unsigned i = 0; i < u.n; i++) {
		json_decref(u.kind[i].classes);
		json_decref(u.kind[i].timing);
	}
}
