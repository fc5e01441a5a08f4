/* reader.c - reading netlists: results of valid ones, messages about bad ones
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Bad ones are files: netlist/CASE.json and, exactly, the messages about it in CASE.error.  JSON
 * in here is written with ' for ", so that it can be read.
 */
#include "base/pointer.h"
#include "kernel/netlist/netlist.h"

#include <dirent.h>
#include <stdlib.h>

const struct hd_module *const hd__builtin_modules[] = { NULL };
const struct hd_module *const hd__builtin_wide[] = { NULL };

static unsigned failures;

#define CHECK(x) check((x), #x, __LINE__)

static void check(bool ok, const char *what, int line)
{
	if (ok)
		return;
	fprintf(stderr, "test_netlist.c:%d: not so: %s\n", line, what);
	failures++;
}

static bool same(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Reads a netlist; *messages is what is printed.  The caller frees both. */
static struct hd_netlist *parse(const char *file, const char *text, char **messages)
{
	struct hd_diags d = { 0 };
	struct hd_netlist *n;
	size_t size;
	FILE *out = open_memstream(messages, &size);

	n = hd__netlist_parse(file, text, strlen(text), &d);
	hd__diags_print(&d, out);
	fclose(out);
	hd__diags_free(&d);
	return n;
}

/* Makes JSON of text with ' for ", in place. */
static char *quoted(char *text)
{
	for (char *p = text; *p != '\0'; p++)
		if (*p == '\'')
			*p = '"';
	return text;
}

/* ---- bad ones ------------------------------------------------------------------------------ */

/* The whole file; "" if there is none.  The caller frees it. */
static char *slurp(const char *folder, const char *file)
{
	char *path, *text;
	size_t size;
	FILE *f, *out = open_memstream(&text, &size);

	if (asprintf(&path, "%s/%s", folder, file) < 0)
		exit(1);
	f = fopen(path, "rb");
	free(path);
	for (int c; f != NULL && (c = getc(f)) != EOF;)
		putc(c, out);
	if (f != NULL)
		fclose(f);
	fclose(out);
	return text;
}

/* One case: CASE.json is read, and the messages are exactly those in CASE.error. */
static void test_case(const char *folder, const char *file)
{
	char *text = slurp(folder, file), *messages, *expected;
	char error[300];
	struct hd_netlist *n;

	snprintf(error, sizeof error, "%.*s.error", (int)(strlen(file) - strlen(".json")), file);
	expected = slurp(folder, error);
	n = parse(file, text, &messages);
	if (strcmp(messages, expected) != 0) {
		fprintf(stderr, "%s: expected:\n%sgot:\n%s\n", file, expected, messages);
		failures++;
	}
	hd__netlist_free(n);
	free(messages);
	free(expected);
	free(text);
}

static int is_case(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot != NULL && strcmp(dot, ".json") == 0;
}

static void test_cases(const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_case, alphasort);

	CHECK(n > 0);
	for (int i = 0; i < n; i++) {
		test_case(folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* Hostile ones end soon, in a message. */
static void test_growth(void)
{
	char *json, *messages;
	size_t size;
	FILE *f = open_memstream(&json, &size);

	fprintf(f, "{'heddle': 1, 'instances': {}, 'params': {'a0': [1, 2]");
	for (int i = 0; i < 60; i++)
		fprintf(f, ", 'a%d': ['$a%d', '$a%d']", i + 1, i, i);
	fprintf(f, "}, 'links': ['$a60']}");
	fclose(f);
	hd__netlist_free(parse("n.json", quoted(json), &messages));
	CHECK(strstr(messages, "takes too long to read") != NULL);
	free(messages);
	free(json);

	f = open_memstream(&json, &size);
	fprintf(f, "{'heddle': 1, 'instances': {}, 'params': {'a999': 1");
	for (int i = 0; i < 999; i++)
		fprintf(f, ", 'a%d': ['$a%d']", i, i + 1);
	fprintf(f, "}, 'links': ['$a0']}");
	fclose(f);
	hd__netlist_free(parse("n.json", quoted(json), &messages));
	CHECK(strstr(messages, "nested too deeply") != NULL);
	free(messages);
	free(json);
}

/* ---- good ones ----------------------------------------------------------------------------- */

static void test_good(void)
{
	char json[] =
		"{'heddle': 1, 'name': 'n', 'doc': 'd', 'watchdog': '$w * 10',\n"
		" 'params': {'doc': 'all', 'w': 100,\n"
		"  'n': {'value': '$max(2, w / 50)', 'doc': 'n'},\n"
		"  'cls': ['SP', '$n', {'k': '$n'}], 'mod': 'fu', 'esc': '$$x', 'mhz': 1417.5,\n"
		"  'neg': '$-(3 - $n) * 2 % 5'},\n"
		" 'clocks': {'doc': 'c', 'core': {'mhz': '$mhz'}, 'slow': {'hz': 0.125},\n"
		"  'front': {'of': 'core', 'times': 4},\n"
		"  'late': {'of': 'core', 'phase': '6/8', 'gate': 'g', 'doc': 'd'},\n"
		"  'end': {'of': 'late', 'phase': 'end'}, 'zero': {'of': 'core', 'phase': 0}},\n"
		" 'instances': {'g': {'module': 'gate'},\n"
		"  'sp': {'module': '$mod', 'clock': 'core', 'count': '$n', 'params':\n"
		"    {'classes': '$cls', 'e': '$esc', 'neg': '$neg', 'plain': [1]}}},\n"
		" 'links': [{'from': 'g.a', 'to': 'sp[*].b', 'latency': 0},\n"
		"  {'from': ['sp[1].a', 'sp[*].c'], 'to': 'g.in', 'staged': true, 'capacity': 3,\n"
		"   'slots': 4, 'index': 'any', 'rotate': true, 'doc': 'd', 'takes': ['$n']}]}";
	char *messages, *text;
	struct hd_netlist *n = parse("n.json", quoted(json), &messages);

	CHECK(n != NULL && messages[0] == '\0');
	fputs(messages, stderr);
	free(messages);
	if (n == NULL)
		return;
	CHECK(same(n->name, "n") && same(n->doc, "d") && n->watchdog == 1000);
	CHECK(json_integer_value(json_object_get(n->params, "n")) == 2);
	CHECK(n->nclocks == 6 && n->ninstances == 2 && n->nlinks == 3);

	CHECK(n->clocks[0].millihertz == UINT64_C(1417500000000) && n->clocks[0].of == NULL);
	CHECK(n->clocks[1].millihertz == 125 && n->clocks[1].times == 1);
	CHECK(same(n->clocks[2].of, "core") && n->clocks[2].times == 4);
	CHECK(n->clocks[2].phase_num == 0 && n->clocks[2].phase_den == 1);
	CHECK(n->clocks[3].phase_num == 3 && n->clocks[3].phase_den == 4);
	CHECK(same(n->clocks[3].gate, "g") && n->clocks[3].millihertz == 0);
	CHECK(n->clocks[4].at_end && !n->clocks[3].at_end && !n->clocks[5].at_end);

	CHECK(same(n->instances[0].name, "g") && n->instances[0].count == 1);
	CHECK(!n->instances[0].array && n->instances[0].params == NULL);
	CHECK(same(n->instances[1].module, "fu") && same(n->instances[1].clock, "core"));
	CHECK(n->instances[1].array && n->instances[1].count == 2);
	CHECK(same(n->instances[1].at, "/instances/sp"));
	text = json_dumps(n->instances[1].params, JSON_COMPACT);
	CHECK(same(text,
	           "{\"classes\":[\"SP\",2,{\"k\":2}],\"e\":\"$x\",\"neg\":-2,\"plain\":[1]}"));
	free(text);

	CHECK(same(n->links[0].from.instance, "g") && same(n->links[0].from.port, "a"));
	CHECK(n->links[0].from.index == -1 && !n->links[0].from.all && n->links[0].to.all);
	CHECK(n->links[0].has_latency && n->links[0].latency == 0 && n->links[0].attrs == NULL);
	CHECK(same(n->links[0].at, "/links/0") && same(n->links[0].entry, "/links/0"));
	CHECK(n->links[1].from.index == 1 && n->links[2].from.index == -1 && n->links[2].from.all);
	CHECK(same(n->links[2].from.port, "c") && same(n->links[2].to.instance, "g"));
	CHECK(n->links[2].latency == 1 && !n->links[2].has_latency && n->links[2].staged);
	CHECK(n->links[2].capacity == 3 && n->links[2].slots == 4 && n->links[2].shared_slots);
	CHECK(n->links[2].rotate && same(n->links[2].at, "/links/1/from/1"));
	CHECK(same(n->links[2].entry, "/links/1"));
	text = json_dumps(n->links[1].attrs, JSON_COMPACT);
	CHECK(same(text, "{\"takes\":[2]}"));
	free(text);
	hd__netlist_free(n);
}

/* ---- places and words ---------------------------------------------------------------------- */

static void test_locate(void)
{
	static const char text[] = "{ \"a\": [1, {\"b/c\": [[], \"]\", 3]}],\n"
	                           "\"\\u00e4~\": {\"x\\\"y\": true},\n"
	                           "  \"\": \"\xC3\xA4\", \"z\": 1 }";
	int line, column;

	CHECK(hd__locate(text, "", false, &line, &column) && line == 1 && column == 1);
	CHECK(hd__locate(text, "/a", true, &line, &column) && line == 1 && column == 3);
	CHECK(hd__locate(text, "/a", false, &line, &column) && line == 1 && column == 8);
	CHECK(hd__locate(text, "/a/1/b~1c/2", false, &line, &column) && line == 1 && column == 30);
	CHECK(hd__locate(text, "/\xC3\xA4~0/x\"y", false, &line, &column) && line == 2
	      && column == 21);
	CHECK(hd__locate(text, "/", false, &line, &column) && line == 3 && column == 7);
	CHECK(hd__locate(text, "/z", true, &line, &column) && line == 3 && column == 12);
	CHECK(!hd__locate(text, "/a/2", false, &line, &column));
	CHECK(!hd__locate(text, "/a/x", false, &line, &column));
	CHECK(!hd__locate(text, "/q", false, &line, &column));
	CHECK(!hd__locate(text, "/z/z", false, &line, &column));
}

static void test_nearest(void)
{
	static const char *const names[] = { "latency", "capacity", "slots", "of",
		                             "scheduler_lrr" };

	CHECK(same(hd__nearest("latancy", names, 5), "latency"));
	CHECK(same(hd__nearest("Slots", names, 5), "slots"));
	CHECK(same(hd__nearest("slost", names, 5), "slots"));
	CHECK(same(hd__nearest("scheduler-lrr", names, 5), "scheduler_lrr"));
	CHECK(same(hd__nearest("sheduler_gtr", names, 5), "scheduler_lrr"));
	CHECK(hd__nearest("width", names, 5) == NULL);
	CHECK(same(hd__nearest("lrr", names, 5), "scheduler_lrr")); /* a part is missing */
	CHECK(hd__nearest("", names, 5) == NULL && hd__nearest("x", names, 0) == NULL);
}

static void test_diags(void)
{
	struct hd_diags d = { 0 };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	hd__diag(&d, HD_DIAG_ERROR, "b", 2, 1, "third");
	hd__diag(&d, HD_DIAG_ERROR, "b", 1, 9, "sec\x1b[31m\xc2\x9b" "3mond");
	hd__diag(&d, HD_DIAG_WARNING, NULL, 0, 0, "first");
	hd__diag(&d, HD_DIAG_WARNING, "\x1b]0;a\n", 0, 0, "first of a");
	hd__diag(&d, HD_DIAG_ERROR, "b", 2, 1, "fourth");
	hd__diag(&d, HD_DIAG_ERROR, "b", 2, 1, "third");
	hd__diags_print(&d, out);
	for (int i = 0; i < 300; i++) {
		hd__diag(&d, HD_DIAG_ERROR, "c", 1, 1, "same");
		hd__diag(&d, HD_DIAG_ERROR, "c", 1, 2, "x[%d].y", i);
	}
	CHECK(d.errors == 604 && d.warnings == 2 && d.n == 10 && d.dropped == 0);
	hd__diags_print(&d, out);
	fclose(out);
#define FIVE \
	"heddle: warning: first\n?]0;a?: warning: first of a\nb:1:9: error: sec?[31m??3mond\nb:2:1: error: third\n" \
	"b:2:1: error: fourth\n"
	CHECK(same(text, FIVE FIVE "c:1:1: error: same\n"
	           "c:1:2: error: x[0].y\nc:1:2: error: x[1].y\nc:1:2: error: x[2].y\n"
	           "c:1:2: error: and 297 more of this kind, the last: x[299].y\n"));
	free(text);
	hd__diags_free(&d);

	/* More are only counted, but one that is like others still is their last. */
	for (int i = 0; i < 300; i++) {
		hd__diag(&d, HD_DIAG_ERROR, "c", 1, i < 200 ? 1 : 2, i < 200 ? "x[%d].y" : "x%d", i);
		hd__diag(&d, HD_DIAG_ERROR, "d", 1, 1, "x%d", i);
	}
	hd__diag(&d, HD_DIAG_ERROR, "c", 1, 1, "x[7].y");
	CHECK(d.errors == 601 && d.n == 200 && d.dropped == 204);
	CHECK(same(d.v[6].text, "x[7].y") && d.v[6].others == 197);
	hd__diags_free(&d);

	/* Long ones are cut, and one that is only just too long is not made longer. */
	for (int n = 1490; n < 1510; n++)
		hd__diag(&d, HD_DIAG_ERROR, NULL, 0, 0, "%*s\xC3\xA4", n, "");
	for (size_t i = 0; i < d.n; i++)
		CHECK(strlen(d.v[i].text) <= 1503);
	CHECK(strcmp(d.v[19].text + 1500, "...") == 0);
	hd__diags_free(&d);
}

static void test_files(void)
{
	struct hd_diags d = { 0 };

	CHECK(hd__netlist_read_set("/nowhere/n.json", NULL, 0, &d) == NULL && d.errors == 1);
	CHECK(same(d.v[0].file, "/nowhere/n.json"));
	CHECK(same(d.v[0].text, "cannot read the netlist: No such file or directory"));
	CHECK(hd__netlist_read_set("/", NULL, 0, &d) == NULL && d.errors == 2);
	hd__diags_free(&d);
}

int main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir"); /* of automake */
	char folder[4096];

	snprintf(folder, sizeof folder, "%s/tests/netlist/cases", srcdir != NULL ? srcdir : ".");
	test_cases(argc > 1 ? argv[1] : folder);
	test_growth();
	test_good();
	test_locate();
	test_nearest();
	test_diags();
	test_files();
	if (failures > 0)
		fprintf(stderr, "%u failures\n", failures);
	return failures > 0;
}
