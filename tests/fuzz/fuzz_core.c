/* fuzz_core.c - cores with other numbers, modules and links, which are run in every way
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  The bytes of
 * the input choose a core of netlists/, changes to it, and a bundled trace or a program (program.h).  A core that is
 * accepted runs for CYCLES cycles, with a program for more, and without a deadlock: asleep, awake, in other orders,
 * halted, under the checks of --check-modules, which must find no mistake, and from a saved state; all must give the
 * same events, statistics and messages.
 * Needs the folder of the source in the environment: srcdir=.. tests/fuzz/fuzz_core; with FUZZ_VERBOSE
 * it prints each netlist.
 */
#include "program.h"

#define CYCLES 2000
#define MOST_CHANGES 24u

enum { TUTORIAL = 1, VOLTA = 2, LECTURE = 4, ISLANDS = 8, CONTROL = 16, ALL = 31, CACHED = ALL - TUTORIAL,
	SCORED = ALL - CONTROL, PAIR = 32 };

static const char *const cores[] = { "tutorial.json", "volta_sm.json", "lecture_sm.json", "southern_islands_cu.json",
	"a100_sm.json", "../examples/shared_l1.json" };

/* Changes by --set: a path, and what it may be. */
struct knob {
	unsigned cores; /* that have it */
	const char *path;
	const char *values[10];
};

static const struct knob knobs[] = {
	{ ALL, "ibuffer.entries", { "1", "2", "3", "4", "7" } },
	{ ALL, "ibuffer.refill", { "empty", "room" } },
	{ ALL, "decode.width", { "1", "2", "3", "4" } },
	{ SCORED, "issue.width", { "1", "2" } },
	{ SCORED - ISLANDS, "issue.different_units", { "true", "false" } },
	{ ISLANDS, "issue.in_turn", { "true", "false" } },
	{ SCORED - TUTORIAL, "fetch.follow", { "trace", "sequential" } },
	{ ALL, "load_store.shared_latency", { "1", "2", "20", "33" } },
	{ ALL, "load_store.l1d_latency", { "1", "2", "20", "33" } },
	{ ALL, "load_store.l1d_banks", { "1", "2", "4", "8" } },
	{ ALL, "load_store.in_turn", { "true", "false" } },
	{ ALL, "load_store.interval", { "1", "2", "5" } },
	{ ALL, "load_store.cycles_per_edge", { "1", "2" } },
	{ ALL, "load_store.bypass_global", { "true", "false" } },
	{ VOLTA | CONTROL, "sub_cores", { "1", "2", "4", "8" } },
	{ VOLTA | CONTROL, "warps", { "8", "16", "48", "64" } },
	{ TUTORIAL | LECTURE, "warps.slots", { "8", "9", "48", "128" } },
	{ ISLANDS, "simds", { "1", "2", "4" } },
	{ ISLANDS, "waves", { "4", "8", "16" } },
	{ ISLANDS, "passes", { "1", "4" } },
	{ VOLTA, "banks", { "1", "8", "16", "32" } },
	{ LECTURE, "regfile.banks", { "1", "2", "32" } },
	{ CACHED, "l1d.mshr_entries", { "1", "2", "16", "512" } },
	{ CACHED, "l1d.mshr_merge", { "1", "2", "8" } },
	{ CACHED, "l1d.miss_queue", { "1", "2", "16" } },
	{ CACHED, "l1d.ways", { "1", "2", "64" } },
	{ CACHED, "l1d.sets", { "1", "4", "32" } },
	{ CACHED, "l1d.write_policy", { "write_through", "write_back", "write_evict",
	                                  "local_write_back_global_write_evict" } },
	{ CACHED, "l1d.allocate", { "on_miss", "on_fill" } },
	{ VOLTA | LECTURE, "collector.steps", { "1", "2", "3" } },
	{ LECTURE, "collector.sets[0].units", { "1", "2", "12" } },
	{ LECTURE, "collector.sets[0].dispatch", { "1", "2" } },
	{ ISLANDS, "addresses.sets[0].units", { "1", "2", "3" } },
	{ VOLTA, "frontend.times", { "1", "2", "4", "7" } },
	{ VOLTA | LECTURE, "sp.timing[0].latency", { "1", "2", "9", "30" } },
	{ VOLTA | LECTURE, "sp.timing[0].initiation", { "1", "2", "9" } },
	{ TUTORIAL, "alu.timing[0].latency", { "1", "3", "17" } },
	{ TUTORIAL, "alu.timing[1].initiation", { "1", "8", "16" } },
	{ ISLANDS, "vector_alu.timing[0].latency", { "2", "9", "30" } },
	{ CONTROL, "fma.timing[0].latency", { "1", "3", "9" } },
	{ CONTROL, "sfu.timing[0].initiation", { "1", "3" } },
	{ VOLTA, "result_bus.width", { "1", "2", "8" } },
	{ CACHED - CONTROL, "scheduler.module", { "scheduler_gto", "scheduler_lrr", "scheduler_oldest", "scheduler_rrr",
	                        "scheduler_two_level", "scheduler_limited" } },
	{ TUTORIAL, "policy.module", { "scheduler_gto", "scheduler_lrr", "scheduler_oldest", "scheduler_rrr",
	                     "scheduler_two_level", "scheduler_limited" } },
	{ CACHED, "divergence.module", { "as_traced", "simt_stack", "min_pc", "lanes_apart" } },
	{ ALL, "memory.module", { "memory_perfect", "memory_fixed" } },
	{ ALL, "memory.latency", { "0", "1", "7", "200" } },
	{ ALL, "memory.bytes", { "0", "1", "32" } },
	{ ALL, "memory.outstanding", { "0", "1", "4" } },
	{ SCORED, "scoreboard.entries", { "0", "1", "6" } },
	{ CONTROL, "to_l1i", { "1", "2", "39" } },
	{ CONTROL, "icache.warm", { "true", "false" } },
	{ CONTROL, "constants.warm", { "true", "false" } },
	{ CONTROL, "issue.yield_zero", { "1", "5", "63" } },
	{ CONTROL, "issue.depbar_hold", { "1", "9" } },
	{ CONTROL, "issue.constant_wait", { "0", "1", "100" } },
	{ CONTROL, "memory_queue.slots", { "1", "2", "64" } },
	{ CONTROL, "memory_queue.shared", { "1", "4", "9" } },
	{ CONTROL, "counters.most", { "1", "2", "255" } },
	{ CONTROL, "counters.write_delay", { "0", "1", "63" } },
	{ CONTROL, "results.entries", { "1", "2", "128" } },
	{ CONTROL, "trace.control", { "none", "available" } },
	{ CONTROL, "fetch.follow", { "trace", "sequential" } },
	{ CONTROL, "barrier.hold_after", { "1", "2", "7", "100" } },
	{ CONTROL, "barrier.open_after", { "1", "23", "100" } },
	{ CONTROL, "barrier.open_distance", { "0", "1", "64" } },
	{ PAIR, "sm.sub_cores", { "1", "2", "4" } },
	{ PAIR, "sm.warps", { "8", "16", "64" } },
	{ ALL | PAIR, "dispatcher.concurrent", { "true", "false" } },
	{ ALL | PAIR, "dispatcher.max_ctas", { "1", "2", "3", "32" } },
};

/* Ports whose channel may be another one. */
static const struct knob links[] = { { ALL, "decode.fetched", { 0 } }, { ALL, "memory.request", { 0 } },
	{ ALL, "load_store.response", { 0 } }, { ALL, "writeback.in", { 0 } }, { CONTROL, "results.in", { 0 } },
	{ CONTROL, "icache.response", { 0 } }, { CONTROL, "constants.response", { 0 } },
	{ PAIR, "memory[*].request", { 0 } } };

static const char *const traces[] = { "tiny", "vecadd", "hist", "gather", "reduce", "matmul" };

/* One of those that the core has. */
static const struct knob *choose(struct fuzz_input *in, const struct knob *v, unsigned n, unsigned core)
{
	unsigned i = fuzz_take(in, n);

	while (!(v[i].cores & core))
		i = (i + 1) % n;
	return &v[i];
}

static void change_link(struct fuzz_input *in, unsigned core, json_t *rewire)
{
	const struct knob *link = choose(in, links, sizeof links / sizeof *links, core);
	json_t *entry = json_pack("{s:{s:s}}", "link", "to", link->path);
	unsigned how = fuzz_take(in, 8), staged = how >> 2;

	if (how & 1)
		json_object_set_new(entry, "capacity", json_integer(1 + fuzz_take(in, 40)));
	if (how & 2)
		json_object_set_new(entry, "latency", json_integer(staged + fuzz_take(in, 20)));
	else if (staged)
		json_object_set_new(entry, "latency", json_integer(1));
	if (staged)
		json_object_set_new(entry, "staged", json_true());
	json_array_append_new(rewire, entry);
}

static void change_value(struct fuzz_input *in, unsigned core, json_t *set)
{
	const struct knob *k = choose(in, knobs, sizeof knobs / sizeof *knobs, core);
	unsigned n = 0;
	const char *value;
	json_t *v;

	while (n < sizeof k->values / sizeof *k->values && k->values[n])
		n++;
	value = k->values[fuzz_take(in, n)];
	v = json_loads(value, JSON_DECODE_ANY, NULL);
	json_object_set_new(set, k->path, v ? v : json_string(value));
	if (strncmp(k->path, "memory.", 7) == 0 && strcmp(k->path, "memory.module") != 0)
		json_object_set_new(set, "memory.module", json_string("memory_fixed"));
}

/* The netlist as text; the caller frees it. */
static char *netlist_of(struct fuzz_input *in)
{
	unsigned which = fuzz_take(in, sizeof cores / sizeof *cores), core = 1u << which;
	char *base = fuzz_source("netlists", cores[which]), *text;
	json_t *set = json_object(), *rewire = json_array(), *root;

	for (unsigned i = 0; i < MOST_CHANGES && in->left > 1; i++) {
		if (fuzz_take(in, 5) == 0)
			change_link(in, core, rewire);
		else
			change_value(in, core, set);
	}
	root = json_pack("{s:i, s:s, s:o, s:o}", "heddle", 1, "extends", base, "set", set, "rewire", rewire);
	text = json_dumps(root, JSON_INDENT(1));
	json_decref(root);
	free(base);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hd_registry r;
	struct fuzz_input in = { data, size };
	unsigned which = fuzz_take(&in, 2 * sizeof traces / sizeof *traces);
	char *program = which % 2 ? fuzz_program(&in) : NULL;
	char *folder = program ? hd__xstrdup(program) : fuzz_source("traces/samples", traces[which / 2]);
	char *input = hd__format("%s/kernelslist.g", folder), *text = netlist_of(&in), *file;
	struct hd_options o = { .input = input, .last = UINT64_MAX, .max_cycles = program ? 3 * CYCLES : CYCLES };
	struct hd_diags d = { 0 };
	int fd;

	if (r.n == 0)
		hd__registry_init(&r, &d);
	file = fuzz_file(text, strlen(text), &fd);
	fuzz_every_way(&(struct fuzz_run){ .registry = &r, .netlist = file, .o = o, .ends = program != NULL },
	               fuzz_seed(data, size), text);
	free(file);
	close(fd);
	free(text);
	free(input);
	free(folder);
	if (program)
		fuzz_program_over(program);
	return 0;
}

#include "files.h"
