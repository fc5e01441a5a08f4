/* fuzz_netlist.c - feeds bytes to the netlist reader, and the result to a module
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * With libFuzzer:
 *	clang -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iinclude ... -o fuzz_netlist
 *	./fuzz_netlist corpus/netlist tests/netlist/cases
 * Without -DHD_LIBFUZZER a program that runs the files named on its command line once.
 */
#include "kernel/param.h"

#include <stdlib.h>

const struct hd_module *const hd__builtin_modules[] = { NULL };
const struct hd_module *const hd__builtin_wide[] = { NULL };

struct row {
	uint32_t op, latency;
	struct hd_list ports;
};

struct state {
	uint32_t depth, policy, unit;
	bool fast;
	const char *label, *file;
	struct hd_list sizes;
	uint64_t classes;
	struct hd_table ops;
};

static const char *const policies[] = { "lrr", "gto", NULL };

static const struct hd_param columns[] = {
	{ .name = "op", .type = HD_SYMBOL, .kind = "op", .offset = offsetof(struct row, op) },
	{ .name = "latency", .type = HD_U32, .def = "4", .offset = offsetof(struct row, latency) },
	{ .name = "ports", .type = HD_U32S, .def = "[]", .offset = offsetof(struct row, ports) },
	{ .name = NULL },
};

/* One of each type. */
static const struct hd_param params[] = {
	{ .name = "depth", .type = HD_U32, .min = 1, .max = 64,
	  .offset = offsetof(struct state, depth) },
	{ .name = "policy", .type = HD_CHOICE, .def = "\"gto\"", .choices = policies,
	  .offset = offsetof(struct state, policy) },
	{ .name = "unit", .type = HD_SYMBOL, .kind = "unit", .def = "\"x\"",
	  .offset = offsetof(struct state, unit) },
	{ .name = "fast", .type = HD_BOOL, .def = "true", .offset = offsetof(struct state, fast) },
	{ .name = "label", .type = HD_STRING, .def = "\"\"",
	  .offset = offsetof(struct state, label) },
	{ .name = "file", .type = HD_PATH, .def = "\"f\"", .offset = offsetof(struct state, file) },
	{ .name = "sizes", .type = HD_U32S, .def = "[]", .min = 2, .max = 8,
	  .offset = offsetof(struct state, sizes) },
	{ .name = "classes", .type = HD_SYMBOLS, .def = "[]", .kind = "unit",
	  .offset = offsetof(struct state, classes) },
	{ .name = "ops", .type = HD_TABLE, .def = "[]", .columns = columns,
	  .row_size = sizeof(struct row), .offset = offsetof(struct state, ops) },
	{ .name = NULL },
};

static uint32_t symbol(void *arg, const char *kind, const char *name)
{
	(void)arg;
	return (uint32_t)(strlen(kind) + strlen(name)) % 70;
}

/* Every clock has a frequency or a parent, every link both ends, and so on. */
static void check_promises(const struct hd_netlist *n)
{
	for (size_t i = 0; i < n->nclocks; i++) {
		const struct hd_clock_decl *c = &n->clocks[i];

		if (c->name == NULL || (c->of == NULL) == (c->millihertz == 0) || c->times == 0
		    || c->phase_num >= c->phase_den)
			abort();
	}
	for (size_t i = 0; i < n->ninstances; i++)
		if (n->instances[i].name == NULL || n->instances[i].count == 0)
			abort();
	for (size_t i = 0; i < n->nlinks; i++) {
		const struct hd_link_decl *l = &n->links[i];

		if (l->from.port == NULL || l->to.port == NULL || l->slots > 64 || l->entry == NULL)
			abort();
	}
}

static void store_all(const struct hd_netlist *n, struct hd_diags *d)
{
	struct hd_param_store store = { .symbol = symbol, .netlist = n, .diags = d };

	for (size_t i = 0; i < n->ninstances; i++) {
		struct state state = { 0 };

		hd__params_store(&store, params, &state, n->instances[i].params, n->instances[i].at,
		                 (const char *const[]){ "x", NULL }, NULL, NULL);
	}
	for (size_t i = 0; i < n->nlinks; i++) {
		struct row row = { 0 };

		hd__params_store(&store, columns, &row, n->links[i].attrs, n->links[i].entry,
		                 (const char *const[]){ "y", NULL },
		                 (const char *const[]){ "z", NULL }, NULL);
	}
	hd__params_free(&store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_diags d = { 0 };
	struct hd_netlist *n = hd__netlist_parse("dir/n.json", (const char *)data, size, &d);
	static FILE *null;

	if (n != NULL) {
		check_promises(n);
		store_all(n, &d);
	} else if (d.errors == 0) {
		abort(); /* refused without a message */
	}
	if (null == NULL)
		null = fopen("/dev/null", "w");
	hd__diags_print(&d, null);
	hd__diags_free(&d);
	hd__netlist_free(n);
	return 0;
}

#include "files.h"
