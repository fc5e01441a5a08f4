/* param.c - parameters of modules are stored, and checked; descriptors are checked
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON is written with ' for ", so that it can be read.  The messages must be those of param/CASE.error.
 */
#include "kernel/param.h"
#include "kernel/check/module_check.h"

#include <heddle/ahead.h>

#include <stdlib.h>

struct row {
	uint32_t op;
	uint32_t latency;
	struct hd_list ports;
};

struct state {
	uint32_t depth, any, policy, unit;
	bool fast;
	const char *label, *file;
	struct hd_list sizes;
	uint64_t classes;
	struct hd_table ops;
	struct hd_end in;
	uint64_t count;
};

static const char *const policies[] = { "lrr", "gto", "two_level", NULL };

static const struct hd_param columns[] = {
	{ .name = "op", .unit = "", .doc = "d", .type = HD_SYMBOL, .kind = "op",
	  .offset = offsetof(struct row, op) },
	{ .name = "latency", .unit = "cycles", .doc = "d", .type = HD_U32, .def = "4", .min = 1,
	  .max = 99, .offset = offsetof(struct row, latency) },
	{ .name = "ports", .unit = "", .doc = "d", .type = HD_U32S, .def = "[1, 2]",
	  .offset = offsetof(struct row, ports) },
	{ .name = NULL },
};

static const struct hd_param params[] = {
	{ .name = "depth", .unit = "cycles", .doc = "d", .type = HD_U32, .min = 1, .max = 64,
	  .offset = offsetof(struct state, depth) },
	{ .name = "any", .unit = "", .doc = "d", .type = HD_U32, .def = "4294967295",
	  .offset = offsetof(struct state, any) },
	{ .name = "policy", .unit = "", .doc = "d", .type = HD_CHOICE, .def = "'gto'",
	  .choices = policies, .offset = offsetof(struct state, policy) },
	{ .name = "unit", .unit = "", .doc = "d", .type = HD_SYMBOL, .def = "'SP'", .kind = "unit",
	  .offset = offsetof(struct state, unit) },
	{ .name = "fast", .unit = "", .doc = "d", .type = HD_BOOL, .def = "true",
	  .offset = offsetof(struct state, fast) },
	{ .name = "label", .unit = "", .doc = "d", .type = HD_STRING, .def = "''",
	  .offset = offsetof(struct state, label) },
	{ .name = "file", .unit = "", .doc = "d", .type = HD_PATH, .def = "'ops.json'",
	  .offset = offsetof(struct state, file) },
	{ .name = "sizes", .unit = "bytes", .doc = "d", .type = HD_U32S, .def = "[]", .min = 2,
	  .max = 8, .offset = offsetof(struct state, sizes) },
	{ .name = "classes", .unit = "", .doc = "d", .type = HD_SYMBOLS, .def = "['SP']",
	  .kind = "unit", .min = 1, .max = 3, .offset = offsetof(struct state, classes) },
	{ .name = "ops", .unit = "", .doc = "d", .type = HD_TABLE, .def = "[]", .columns = columns,
	  .row_size = sizeof(struct row), .min = 0, .max = 3,
	  .offset = offsetof(struct state, ops) },
	{ .name = NULL },
};

static const struct hd_type token = { .name = "token", .size = 4, .version = 1 };

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "d", .kind = HD_IN, .type = &token,
	  .offset = offsetof(struct state, in) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "count", .unit = "", .doc = "d", .offset = offsetof(struct state, count) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	{ .name = "seen", .doc = "d", .fields = { { "a" }, { "b" } } },
	{ .name = NULL },
};

static uint64_t eval(void *state)
{
	(void)state;
	return HD_SLEEP;
}

static const struct hd_type huge_payload = { .name = "huge", .size = UINT32_MAX };
static const struct hd_type huge_record = { .name = "huge", .size = 4, .record = UINT32_MAX };
static const struct hd_type small_record = { .name = "small", .size = 4, .record = 2,
                                            .fields = (const struct hd_field[]){
	{ .name = "f", .unit = "", .doc = "d", .offset = 1, .size = 2 }, { .name = NULL } } };

static const struct hd_module good = {
	.abi = HD_ABI, .size = sizeof good, .name = "good", .doc = "d", .params = params,
	.ports = ports, .stats = stats, .events = events, .state_size = sizeof(struct state),
	.eval = eval,
};

const struct hd_module *const hd__builtin_wide[] = { NULL };
const struct hd_module *const hd__builtin_modules[] = { &good, &good, NULL };

static unsigned failures;

#define CHECK(x) check((x), #x, __LINE__)

static void check(bool ok, const char *what, int line)
{
	if (ok)
		return;
	fprintf(stderr, "test_param.c:%d: not so: %s\n", line, what);
	failures++;
}

/* Compares the messages with the file param/CASE.error; "": nothing.  Frees the messages. */
static void messages(struct hd_diags *d, const char *name, int line)
{
	const char *srcdir = getenv("srcdir"); /* of automake */
	char path[4096], expected[8192];
	size_t size, n = 0;
	char *text;
	FILE *f, *out = open_memstream(&text, &size);

	hd__diags_print(d, out);
	fclose(out);
	snprintf(path, sizeof path, "%s/tests/kernel/params/%s.error", srcdir != NULL ? srcdir : ".", name);
	f = name[0] != '\0' ? fopen(path, "r") : NULL;
	if (f != NULL) {
		n = fread(expected, 1, sizeof expected - 1, f);
		fclose(f);
	}
	expected[n] = '\0';
	if (strcmp(text, expected) != 0) {
		fprintf(stderr, "test_param.c:%d: %s: expected:\n%sgot:\n%s\n", line, name,
		        expected, text);
		failures++;
	}
	free(text);
	hd__diags_free(d);
}

#define MESSAGES(d, expected) messages(d, expected, __LINE__)

/* ---- storing ------------------------------------------------------------------------------- */

struct kinds {
	char *name[64];
	uint32_t n, most;
};

static uint32_t symbol(void *arg, const char *kind, const char *name)
{
	struct kinds *k = arg;
	char buf[100];

	snprintf(buf, sizeof buf, "%s/%s", kind, name);
	for (uint32_t i = 0; i < k->n; i++)
		if (strcmp(k->name[i], buf) == 0)
			return i;
	if (k->n == k->most)
		return UINT32_MAX;
	k->name[k->n] = strdup(buf);
	return k->n++;
}

struct run {
	struct kinds kinds;
	struct hd_diags d;
	struct hd_netlist *n;
	struct hd_param_store store;
	struct state state;
	size_t errors;
};

/* The parameters `json` of an instance, stored with defaults that have ' for ". */
static void run(struct run *r, const char *json)
{
	static struct hd_param p[sizeof params / sizeof *params];
	static char def[sizeof params / sizeof *params][64];
	char *text;

	memset(r, 0, sizeof *r);
	memcpy(p, params, sizeof p);
	for (size_t i = 0; p[i].name != NULL; i++) {
		for (size_t k = 0; p[i].def != NULL && p[i].def[k] != '\0'; k++)
			def[i][k] = p[i].def[k] == '\'' ? '"' : p[i].def[k];
		p[i].def = p[i].def != NULL ? def[i] : NULL;
	}
	if (asprintf(&text,
	             "{'heddle': 1, 'params': {'p': 65},\n'instances': {'i': {'module': 'm', "
	             "'params':\n%s}}, 'watchdog': '$p'}", json) < 0)
		exit(1);
	for (char *c = text; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	r->n = hd__netlist_parse("dir/n.json", text, strlen(text), &r->d);
	free(text);
	r->kinds.most = 64;
	r->store = (struct hd_param_store){ .symbol = symbol, .arg = &r->kinds, .netlist = r->n,
		                            .diags = &r->d };
	r->errors = hd__params_store(&r->store, p, &r->state, r->n->instances[0].params,
	                             "/instances/i/params",
	                             (const char *const[]){ "instance '", "i", "' (module 'm')", NULL }, NULL, NULL);
}

static void end(struct run *r)
{
	hd__params_free(&r->store);
	hd__netlist_free(r->n);
	for (uint32_t i = 0; i < r->kinds.n; i++)
		free(r->kinds.name[i]);
}

static void test_defaults(void)
{
	struct run r;

	run(&r, "{'depth': 3, 'doc': 'ignored'}");
	CHECK(r.errors == 0 && r.state.depth == 3 && r.state.any == UINT32_MAX);
	CHECK(r.state.policy == 1 && r.state.fast && strcmp(r.state.label, "") == 0);
	CHECK(strcmp(r.state.file, "dir/ops.json") == 0 && r.state.sizes.n == 0);
	CHECK(r.state.classes == UINT64_C(1) << r.state.unit && r.state.ops.n == 0);
	MESSAGES(&r.d, "");
	end(&r);
}

static void test_values(void)
{
	const struct row *rows;
	struct run r;

	run(&r, "{'depth': 64, 'any': 0, 'policy': 'two_level', 'unit': 'DP', 'fast': false,\n"
	        "'label': 'l', 'file': '/abs', 'sizes': [2, 8], 'classes': ['DP', 'SP'],\n"
	        "'ops': [{'op': 'x', 'latency': 99}, {'op': 'y', 'ports': []}]}");
	CHECK(r.errors == 0 && r.state.policy == 2 && !r.state.fast);
	CHECK(strcmp(r.state.label, "l") == 0 && strcmp(r.state.file, "/abs") == 0);
	CHECK(r.state.sizes.n == 2 && r.state.sizes.v[1] == 8);
	CHECK(r.state.unit == 0 && r.state.classes == 3 && r.state.ops.n == 2);
	rows = r.state.ops.rows;
	CHECK(rows[0].op == 2 && rows[0].latency == 99 && rows[0].ports.n == 2);
	CHECK(rows[1].op == 3 && rows[1].latency == 4 && rows[1].ports.n == 0);
	MESSAGES(&r.d, "");
	end(&r);
}

static void test_wrong(void)
{
	struct run r;

	run(&r, "{'dept': 3,\n'policy': 'gtp', 'fast': 1,\n'sizes': [1, 'x', 3], 'label': 5,\n"
	        "'classes': ['A', 'B', 'A', 'C'],\n'unit': '', 'file': [],\n"
	        "'ops': [{'latency': 0, 'op': 'z'}, 7, {'lat': 3, 'op': 3, 'ports': '$p'}]}");
	CHECK(r.errors == 15);
	MESSAGES(&r.d, "wrong");
	end(&r);
	run(&r, "{'depth': '$p', 'classes': ['A', 'B', 'A'],\n'any': '$q', 'policy': {}, "
	        "'ops': [{'op': '$q'}],\n'sizes': {}}");
	MESSAGES(&r.d, "wrong_again");
	end(&r);
	run(&r, "{'depth': -1, 'classes': [], 'any': 4294967296,\n'ops': [{}, {}, {}, {}]}");
	MESSAGES(&r.d, "wrong_ranges");
	end(&r);
	run(&r, "5");
	MESSAGES(&r.d, "wrong_params");
	end(&r);
}

static void test_symbols(void)
{
	static const char *const skip[] = { "others", NULL }, *const who[] = { "x", NULL };
	json_t *values = json_pack("{s:s, s:[i, n], s:i}", "op", "new", "ports", 1, "others", 1);
	struct row row = { 0 };
	struct run r;

	run(&r, "{'depth': 3}");
	r.kinds.most = r.kinds.n;
	/* One error is reported here, one was when the netlist was read. */
	CHECK(hd__params_store(&r.store, columns, &row, values, "/instances/i", who, skip, NULL) == 2);
	MESSAGES(&r.d, "symbols");
	CHECK(hd__params_store(&r.store, columns, &row, NULL, "/instances/i", who, NULL, NULL) == 1);
	MESSAGES(&r.d, "missing");
	json_decref(values);
	end(&r);
}

static void test_form(void)
{
	char buf[200];
	const char *form;

	CHECK(strcmp(hd__param_form(&params[0], buf, sizeof buf), "integer 1..64") == 0);
	CHECK(strcmp(hd__param_form(&params[1], buf, sizeof buf), "integer") == 0);
	form = hd__param_form(&params[2], buf, sizeof buf);
	CHECK(strcmp(form, "one of lrr, gto, two_level") == 0);
	form = hd__param_form(&params[8], buf, sizeof buf);
	CHECK(strcmp(form, "list of 1..3 names (unit)") == 0);
	CHECK(strcmp(hd__param_form(&params[9], buf, sizeof buf),
	             "list of 0..3 objects with op, latency, ports") == 0);
}

/* ---- descriptors --------------------------------------------------------------------------- */

static const struct hd_param bad_columns[] = {
	{ .name = "a", .unit = "", .doc = "d", .type = HD_U32, .def = "1", .min = 2, .max = 3 },
	{ .name = "b", .unit = "", .doc = "d", .type = HD_U32, .offset = 8 },
	{ .name = NULL },
};

static const struct hd_param bad_params[] = {
	{ .name = "a-b", .type = HD_U32, .min = 2, .max = 1 },
	{ .name = "doc", .unit = "", .doc = "d", .type = HD_CHOICE },
	{ .name = "t", .unit = "", .doc = "d", .type = HD_TABLE, .offset = 8,
	  .columns = bad_columns, .row_size = 8 },
	{ .name = "t", .unit = "", .doc = "d", .type = HD_SYMBOL, .offset = SIZE_MAX },
	{ .name = "u", .unit = "", .doc = "d", .type = 99, .offset = 4 },
	{ .name = NULL },
};

static const struct hd_param bad_defaults[] = {
	{ .name = "a", .unit = "", .doc = "d", .type = HD_U32, .def = "1", .min = 2, .max = 3 },
	{ .name = "b", .unit = "", .doc = "d", .type = HD_CHOICE, .def = "\"lr\"", .offset = 4,
	  .choices = policies },
	{ .name = "c", .unit = "", .doc = "d", .type = HD_BOOL, .def = "yes", .offset = 8 },
	{ .name = "d", .unit = "", .doc = "d", .type = HD_U32, .def = "null", .offset = 12 },
	{ .name = "e", .unit = "", .doc = "d", .type = HD_TABLE, .def = "[{}]", .offset = 16,
	  .columns = columns, .row_size = sizeof(struct row) },
	{ .name = NULL },
};

static const struct hd_port bad_ports[] = {
	{ .name = "p", .doc = "d", .kind = HD_PROVIDES, .flags = HD_SLOTS | HD_REG | HD_RARE,
	  .type = &token, .offset = 38 },
	{ .name = "q", .doc = "", .kind = HD_IN, .flags = HD_ORDERED | HD_GOES_ON | HD_APART | HD_WAKES, .offset = 40 },
	{ .name = "q", .doc = "d", .kind = HD_USES, .type = &token, .offset = 40, .most = 1,
	  .attrs = bad_defaults, .attr_size = 4 },
	{ .name = "r", .doc = "d", .kind = 9 },
	{ .name = NULL },
};

static void test_descriptors(void)
{
	struct hd_diags d = { 0 };
	struct hd_module m = good;

	m.params = NULL; /* its defaults have ' for " */
	CHECK(hd__module_check(&m, "built in", &d));
	MESSAGES(&d, "");
	m.abi++;
	CHECK(!hd__module_check(&m, "x.so", &d));
	CHECK(d.errors == 1);
	hd__diags_free(&d);
	m = (struct hd_module){ .abi = HD_ABI, .size = sizeof m, .name = "m", .state_size = 16,
		                .params = bad_params };
	CHECK(!hd__module_check(&m, "x.so", &d));
	MESSAGES(&d, "bad_params");
	m = (struct hd_module){ .abi = HD_ABI, .size = sizeof m, .name = "m", .doc = "d",
		                .state_size = sizeof(struct state), .params = bad_defaults,
		                .eval = eval };
	CHECK(!hd__module_check(&m, "x.so", &d));
	MESSAGES(&d, "bad_defaults");
	m.params = NULL;
	m.state_size = 40;
	m.ports = bad_ports;
	m.stats = (struct hd_stat[]){ { .name = "s", .unit = "", .doc = "d", .offset = 36, .total = "cycles" },
		                      { .name = "s", .doc = "d" },
		                      { .name = NULL } };
	m.events = (struct hd_event[]){ { .name = "e", .fields = { { "a" }, { "b" }, { "a" } } },
		                        { .name = "e", .doc = "d", .fields = { { "" } } },
		                        { .name = NULL } };
	CHECK(!hd__module_check(&m, "x.so", &d));
	MESSAGES(&d, "bad_ports");
	/* names of marks and reasons, each once */
	m = good;
	m.params = NULL;
	m.marks = (struct hd_mark[]){ { .name = "a", .doc = "d" }, { .name = "b", .doc = "d" }, { .name = NULL } };
	m.reasons = (struct hd_reason[]){ { .name = "r", .doc = "d" }, { .name = "s", .doc = "d" },
		                          { .name = "t", .doc = "d" }, { .name = NULL } };
	CHECK(hd__module_check(&m, "x.so", &d));
	MESSAGES(&d, "");
	m.marks = (struct hd_mark[]){ { .name = "a", .doc = "d" }, { .name = "b", .doc = "d" },
		                      { .name = "a", .doc = "d" }, { .name = NULL } };
	m.reasons = (struct hd_reason[]){ { .name = "r", .doc = "d" }, { .name = "s", .doc = "" },
		                          { .name = "r", .doc = "d" }, { .name = NULL } };
	CHECK(!hd__module_check(&m, "x.so", &d));
	MESSAGES(&d, "twice");
	/* sizes that no memory has, before any is taken */
	m = (struct hd_module){ .abi = HD_ABI, .size = sizeof m, .name = "m", .doc = "d", .eval = eval,
		                .params = params, .state_size = SIZE_MAX };
	CHECK(!hd__module_check(&m, "x.so", &d));
	m.state_size = 0;
	m.params = (struct hd_param[]){ { .name = "p", .unit = "", .doc = "d", .type = HD_U32, .def = "1" },
		                        { .name = "t", .unit = "", .doc = "d", .type = HD_TABLE, .def = "[]",
		                          .columns = params, .row_size = SIZE_MAX },
		                        { .name = NULL } };
	m.ports = (struct hd_port[]){ { .name = "q", .doc = "d", .kind = HD_IN, .type = &huge_payload },
		                      { .name = "r", .doc = "d", .kind = HD_OUT, .type = &huge_record,
		                        .attrs = params, .attr_size = SIZE_MAX },
		                      { .name = "s", .doc = "d", .kind = HD_IN, .type = &small_record },
		                      { .name = NULL } };
	CHECK(!hd__module_check(&m, "x.so", &d));
	MESSAGES(&d, "bad_sizes");
}

/* ---- the registry -------------------------------------------------------------------------- */

static void test_registry(void)
{
	struct hd_diags d = { 0 };
	struct hd_registry r;

	unsetenv("HEDDLE_MODULE_PATH");
	hd__registry_init(&r, &d);
	CHECK(d.errors == 1); /* it is there twice */
	hd__diags_free(&d);
	CHECK(hd__registry_find(&r, "good") == &good);
	CHECK(hd__registry_find(&r, "nosuch") == NULL && hd__registry_find(&r, NULL) == NULL);
	CHECK(!hd__registry_load(&r, "/nowhere/x.so", &d));
	CHECK(!hd__registry_load(&r, "x", &d));
	CHECK(!hd__registry_load(&r, "a-b.so", &d));
	MESSAGES(&d, "plugins");
	hd__registry_free(&r);
	setenv("HEDDLE_MODULE_PATH", "/nowhere::", 1);
	hd__registry_init(&r, &d);
	CHECK(d.warnings == 1);
	hd__diags_free(&d);
	hd__registry_free(&r);
}

int main(void)
{
	test_defaults();
	test_values();
	test_wrong();
	test_symbols();
	test_form();
	test_descriptors();
	test_registry();
	if (failures > 0)
		fprintf(stderr, "%u failures\n", failures);
	return failures > 0;
}
