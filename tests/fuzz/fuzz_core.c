/* fuzz_core.c - cores with other numbers, modules and links, which are run in every way
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target; with -DHD_FUZZ_MAIN a program that reads the files it is given.  The bytes of
 * the input choose changes to netlists/tutorial.json or volta_sm.json and a bundled trace.  A core
 * that is accepted runs for CYCLES cycles: asleep, awake, in other orders, and under the checks of
 * --check-modules, which must find no mistake; all must give the same statistics and messages.
 * Needs the folder of the source in the environment: srcdir=.. tests/fuzz/fuzz_core; with FUZZ_VERBOSE
 * it prints each netlist.
 */
#include "kernel/contract.h"
#include "tests/fuzz/make.h"

#define CYCLES 2000
#define MOST_CHANGES 24u

struct input {
	const uint8_t *data;
	size_t left;
};

static unsigned take(struct input *in, unsigned n)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->data++ % n;
}

/* Changes by --set: a path, and what it may be. */
enum { TUTORIAL = 1, VOLTA = 2, BOTH = 3 };

struct knob {
	unsigned cores; /* that have it */
	const char *path;
	const char *values[10];
};

static const struct knob knobs[] = {
	{ BOTH, "ibuffer.entries", { "1", "2", "3", "4", "7" } },
	{ BOTH, "ibuffer.refill", { "empty", "room" } },
	{ BOTH, "decode.width", { "1", "2", "3", "4" } },
	{ BOTH, "issue.width", { "1", "2" } },
	{ BOTH, "issue.different_units", { "true", "false" } },
	{ VOLTA, "fetch.follow", { "trace", "sequential" } },
	{ BOTH, "load_store.shared_latency", { "1", "2", "20", "33" } },
	{ BOTH, "load_store.l1d_latency", { "1", "2", "20", "33" } },
	{ BOTH, "load_store.l1d_banks", { "1", "2", "4", "8" } },
	{ BOTH, "load_store.in_turn", { "true", "false" } },
	{ BOTH, "load_store.interval", { "1", "2", "5" } },
	{ BOTH, "load_store.cycles_per_edge", { "1", "2" } },
	{ BOTH, "load_store.bypass_global", { "true", "false" } },
	{ VOLTA, "sub_cores", { "1", "2", "4", "8" } },
	{ VOLTA, "warps", { "8", "16", "48", "64" } },
	{ VOLTA, "banks", { "1", "8", "16", "32" } },
	{ VOLTA, "l1d.mshr_entries", { "1", "2", "16", "512" } },
	{ VOLTA, "l1d.mshr_merge", { "1", "2", "8" } },
	{ VOLTA, "l1d.miss_queue", { "1", "2", "16" } },
	{ VOLTA, "l1d.ways", { "1", "2", "64" } },
	{ VOLTA, "l1d.sets", { "1", "4", "32" } },
	{ VOLTA, "l1d.write_policy", { "write_through", "write_back", "write_evict",
	                                  "local_write_back_global_write_evict" } },
	{ VOLTA, "l1d.allocate", { "on_miss", "on_fill" } },
	{ VOLTA, "collector.steps", { "1", "2", "3" } },
	{ VOLTA, "frontend.times", { "1", "2", "4", "7" } },
	{ VOLTA, "sp.timing[0].latency", { "1", "2", "9", "30" } },
	{ VOLTA, "sp.timing[0].initiation", { "1", "2", "9" } },
	{ TUTORIAL, "alu.timing[0].latency", { "1", "3", "17" } },
	{ TUTORIAL, "alu.timing[1].initiation", { "1", "8", "16" } },
	{ VOLTA, "result_bus.width", { "1", "2", "8" } },
	{ VOLTA, "scheduler.module", { "scheduler_gto", "scheduler_lrr", "scheduler_oldest", "scheduler_rrr",
	                        "scheduler_two_level", "scheduler_limited" } },
	{ TUTORIAL, "policy.module", { "scheduler_gto", "scheduler_lrr", "scheduler_oldest", "scheduler_rrr",
	                     "scheduler_two_level", "scheduler_limited" } },
	{ VOLTA, "divergence.module", { "as_traced", "simt_stack", "min_pc", "lanes_apart" } },
	{ BOTH, "memory.module", { "memory_perfect", "memory_fixed" } },
	{ BOTH, "memory.latency", { "0", "1", "7", "200" } },
	{ BOTH, "memory.bytes", { "0", "1", "32" } },
	{ BOTH, "memory.outstanding", { "0", "1", "4" } },
	{ BOTH, "scoreboard.entries", { "0", "1", "6" } },
};

/* Links whose channel may be another one. */
static const struct knob links[] = { { BOTH, "fetch.fetched", { 0 } }, { BOTH, "load_store.request", { 0 } },
	{ BOTH, "memory.response", { 0 } }, { TUTORIAL, "alu.out", { 0 } }, { VOLTA, "sp.out", { 0 } },
	{ VOLTA, "int.out", { 0 } }, { VOLTA, "sfu.out", { 0 } }, { VOLTA, "branch.out", { 0 } } };

static const char *const traces[] = { "tiny", "vecadd", "hist", "gather", "reduce", "matmul" };

/* One of those that the core has. */
static const struct knob *choose(struct input *in, const struct knob *v, unsigned n, unsigned core)
{
	unsigned i = take(in, n);

	while (!(v[i].cores & core))
		i = (i + 1) % n;
	return &v[i];
}

static void change_link(struct input *in, unsigned core, json_t *rewire)
{
	const struct knob *link = choose(in, links, sizeof links / sizeof *links, core);
	json_t *entry = json_pack("{s:{s:s}}", "link", "from", link->path);
	unsigned how = take(in, 8);

	if (how & 1)
		json_object_set_new(entry, "capacity", json_integer(1 + take(in, 40)));
	if (how & 2)
		json_object_set_new(entry, "latency", json_integer(take(in, 20)));
	if (how & 4)
		json_object_set_new(entry, "staged", json_true());
	json_array_append_new(rewire, entry);
}

static void change_value(struct input *in, unsigned core, json_t *set)
{
	const struct knob *k = choose(in, knobs, sizeof knobs / sizeof *knobs, core);
	unsigned n = 0;
	const char *value;
	json_t *v;

	while (n < sizeof k->values / sizeof *k->values && k->values[n])
		n++;
	value = k->values[take(in, n)];
	v = json_loads(value, JSON_DECODE_ANY, NULL);
	json_object_set_new(set, k->path, v ? v : json_string(value));
	if (strncmp(k->path, "memory.", 7) == 0 && strcmp(k->path, "memory.module") != 0)
		json_object_set_new(set, "memory.module", json_string("memory_fixed"));
}

/* The netlist as text; the caller frees it. */
static char *netlist_of(struct input *in)
{
	unsigned core = take(in, 2) ? VOLTA : TUTORIAL;
	char *base = fuzz_source("netlists", core == VOLTA ? "volta_sm.json" : "tutorial.json"), *text;
	json_t *set = json_object(), *rewire = json_array(), *root;

	for (unsigned i = 0; i < MOST_CHANGES && in->left > 1; i++) {
		if (take(in, 5) == 0)
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

/* Runs it; messages and statistics, to be compared, or NULL if the netlist is refused.  `netlist` is
 * a file. */
static char *outcome(const struct hd_registry *r, const char *netlist, const struct hd_options *o)
{
	struct hd_diags d = { 0 };
	struct hd_netlist *n = hd__netlist_read_set(netlist, NULL, 0, &d);
	struct hd_sim *s = n ? hd__sim_new(n, r, o, false, &d) : NULL;
	enum hd_run_status status = HD_RUN_MORE;
	char *messages, *stats, *all = NULL;
	size_t size;
	FILE *out = open_memstream(&messages, &size);
	json_t *j;

	if (s && (!o->checker || hd__twins_make(s, netlist, &d))) {
		while (status == HD_RUN_MORE)
			status = hd__sim_run(s, 512);
		hd__sim_settle(s);
		j = hd__stats_json(s, "");
		stats = json_dumps(j, JSON_INDENT(1));
		json_decref(j);
		hd__diags_print(&d, out);
		fflush(out);
		all = hd__format("status %d\n%s%s\n", status, messages, stats);
		free(stats);
	}
	hd__sim_free(s);
	hd__diags_free(&d);
	fclose(out);
	free(messages);
	return all;
}

static void must_be(const char *first, char *other, const char *how, const char *text)
{
	if (!other || strcmp(first, other) != 0) {
		fprintf(stderr, "%s differs:\n%s\n---\n%s\n---\n%s\n", how, text, first, other ? other : "refused");
		abort();
	}
	free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char file[] = "/tmp/heddle-fuzz-XXXXXX.json";
	static struct hd_registry r;
	struct input in = { data, size };
	char *list = hd__format("%s/kernelslist.g", traces[take(&in, sizeof traces / sizeof *traces)]);
	char *input = fuzz_source("traces", list), *text = netlist_of(&in), *first;
	struct hd_options o = { .input = input, .last = UINT64_MAX, .max_cycles = CYCLES };
	struct hd_diags d = { 0 };
	FILE *f;

	if (r.n == 0) {
		int fd = mkstemps(file, 5);

		if (fd < 0)
			abort();
		close(fd);
		hd__registry_init(&r, &d);
	}
	f = fopen(file, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
	first = outcome(&r, file, &o);
	if (getenv("FUZZ_VERBOSE"))
		printf("%s%.400s\n", text, first ? first : "refused\n");
	if (first) {
		o.no_sleep = true;
		must_be(first, outcome(&r, file, &o), "awake", text);
		o.shuffle = 1 + size;
		must_be(first, outcome(&r, file, &o), "awake in another order", text);
		o.no_sleep = false;
		must_be(first, outcome(&r, file, &o), "another order", text);
		o.shuffle = 0;
		o.checker = &hd__contract;
		must_be(first, outcome(&r, file, &o), "with --check-modules", text);
	}
	unlink(file);
	free(first);
	free(text);
	free(input);
	free(list);
	return 0;
}

#include "files.h"
