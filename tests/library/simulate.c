/* simulate.c - <heddle/simulate.h> as a program uses it: values, slices, threads, and what is refused
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: simulate NETLIST-FOLDER TRACE-FOLDER
 * Prints what differs and nothing else: the library prints nothing.
 */
#include <heddle/simulate.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *netlists, *traces;
static unsigned failures;

#define CHECK(x) check(x, #x, __LINE__)

static void check(int good, const char *what, int line)
{
	if (good)
		return;
	printf("simulate.c:%d: not true: %s\n", line, what);
	failures++;
}

static void expect_text(const char *text, const char *part, int line)
{
	if (strstr(text, part))
		return;
	printf("simulate.c:%d: expected '%s' in:\n%s\n", line, part, text);
	failures++;
}

#define TEXT(text, part) expect_text(text, part, __LINE__)

static char *in_folder(char file[4096], const char *folder, const char *name)
{
	snprintf(file, 4096, "%s/%s", folder, name);
	return file;
}

static struct heddle *loaded(const char *netlist, const char *trace, const char *change)
{
	struct heddle *h = heddle_new();
	char file[4096];

	heddle_input(h, in_folder(file, traces, trace));
	if (change)
		heddle_set(h, change);
	if (heddle_load(h, in_folder(file, netlists, netlist)) != HEDDLE_OK) {
		printf("%s", heddle_messages(h));
		exit(1);
	}
	return h;
}

static double number(struct heddle *h, const char *path)
{
	struct heddle_value v = { .size = sizeof v };

	return heddle_value(h, path, &v) == HEDDLE_OK ? v.number : -1;
}

/* ---- a run in slices, and several at once in one thread ---- */

static void slices(void)
{
	struct heddle *whole = loaded("volta_sm.json", "gather/kernelslist.g", NULL);
	struct heddle *parts = loaded("volta_sm.json", "gather/kernelslist.g", NULL);
	struct heddle *other = loaded("volta_sm_gto.json", "hist/kernelslist.g", NULL);
	struct heddle *alone = loaded("volta_sm_gto.json", "hist/kernelslist.g", NULL);
	uint64_t cycle = 0;
	int result = HEDDLE_OK;

	CHECK(heddle_run(whole, HEDDLE_TO_THE_END) == HEDDLE_FINISHED);
	CHECK(heddle_run(whole, HEDDLE_TO_THE_END) == HEDDLE_FINISHED);
	while (result == HEDDLE_OK) {
		CHECK(heddle_cycle(parts) == cycle);
		TEXT(heddle_json(parts), "\"running\"");
		cycle += cycle % 100 + 1;
		result = heddle_run(parts, cycle);
		if (heddle_run(other, cycle) == HEDDLE_OK)
			CHECK(number(other, "cycles") == (double)cycle);
	}
	CHECK(result == HEDDLE_FINISHED);
	CHECK(strcmp(heddle_json(whole), heddle_json(parts)) == 0);
	CHECK(strcmp(heddle_table(whole), heddle_table(parts)) == 0);
	heddle_run(other, HEDDLE_TO_THE_END);
	heddle_run(alone, HEDDLE_TO_THE_END);
	CHECK(strcmp(heddle_json(other), heddle_json(alone)) == 0);
	heddle_free(whole);
	heddle_free(parts);
	heddle_free(other);
	heddle_free(alone);
}

/* ---- values ---- */

static void values(void)
{
	struct heddle *h = loaded("volta_sm.json", "hist/kernelslist.g", "sp.count=4");
	struct heddle_value v = { .size = sizeof v }, w = v;
	size_t n = heddle_values(h);
	double stalls = 0;

	heddle_run(h, HEDDLE_TO_THE_END);
	CHECK(heddle_value(h, "cycles", &v) == HEDDLE_OK);
	CHECK(v.whole && v.count == heddle_cycle(h) && v.number == (double)v.count);
	CHECK(strcmp(v.unit, "cycles") == 0 && strcmp(v.path, "cycles") == 0);
	for (int i = 0; i < 4; i++) {
		char path[64];

		snprintf(path, sizeof path, "issue[%d].stall", i);
		stalls += number(h, path);
	}
	CHECK(stalls > 0 && stalls == number(h, "issue.stall"));
	CHECK(heddle_value(h, "divergence.simd_efficiency", &v) == HEDDLE_OK);
	CHECK(!v.whole && v.count == 0 && v.number > 0 && v.number <= 1 && v.unit[0] == '\0');
	/* each one in the list is what its path gives */
	CHECK(n > 200 && n == heddle_values(h));
	for (size_t i = 0; i < n; i++) {
		CHECK(heddle_value_at(h, i, &v) == HEDDLE_OK);
		CHECK(heddle_value(h, v.path, &w) == HEDDLE_OK);
		CHECK(strcmp(v.path, w.path) == 0 && v.doc[0] && v.unit && v.whole == w.whole);
	}
	/* a caller that was built with a shorter struct, and one with a longer one */
	memset(&v, 0x55, sizeof v);
	v.size = offsetof(struct heddle_value, number);
	CHECK(heddle_value(h, "cycles", &v) == HEDDLE_OK);
	CHECK(strcmp(v.path, "cycles") == 0 && v.count == UINT64_C(0x5555555555555555));
	v.size = sizeof v + 100;
	CHECK(heddle_value(h, "cycles", &v) == HEDDLE_OK && v.count == heddle_cycle(h));
	heddle_free(h);
}

/* ---- what is refused ---- */

static void refused(void)
{
	static const char text[] = "{ \"heddle\": 1,\n \"instances\": { \"a\": { \"module\": \"nothing\" } } }";
	struct heddle *h = heddle_new();
	struct heddle_value v = { .size = 0 };

	CHECK(strcmp(heddle_messages(h), "") == 0);
	CHECK(heddle_run(h, 10) == HEDDLE_BAD_CALL);
	CHECK(strcmp(heddle_json(h), "") == 0 && strcmp(heddle_table(h), "") == 0 && heddle_values(h) == 0);
	CHECK(heddle_value(h, "cycles", &v) == HEDDLE_BAD_CALL);
	CHECK(heddle_value(h, "cycles", NULL) == HEDDLE_BAD_CALL);
	CHECK(heddle_set(h, NULL) == HEDDLE_BAD_CALL && heddle_input(h, NULL) == HEDDLE_BAD_CALL);
	CHECK(heddle_plugin(h, NULL) == HEDDLE_BAD_CALL && heddle_load(h, NULL) == HEDDLE_BAD_CALL);
	CHECK(heddle_input_range(h, 0, 1) == HEDDLE_BAD_CALL && heddle_input_range(h, 2, 1) == HEDDLE_BAD_CALL);
	CHECK(heddle_flags(h, 64) == HEDDLE_BAD_CALL);
	CHECK(heddle_plugin(h, "/nowhere/unit.so") == HEDDLE_BAD_INPUT);
	TEXT(heddle_messages(h), "plug-in '/nowhere/unit.so' cannot be loaded");
	heddle_forget_messages(h);
	CHECK(heddle_load_text(h, "dir/n.json", text, sizeof text - 1) == HEDDLE_BAD_INPUT);
	TEXT(heddle_messages(h), "dir/n.json:2:34: error: unknown module 'nothing'");
	CHECK(heddle_load_text(h, "n.json", text, sizeof text - 1) == HEDDLE_BAD_CALL);
	CHECK(heddle_set(h, "a=1") == HEDDLE_BAD_CALL);
	TEXT(heddle_messages(h), "heddle_set() after a netlist was loaded");
	CHECK(heddle_cycle(h) == 0);
	heddle_free(h);
	h = heddle_new();
	CHECK(heddle_load_text(h, "n.json", NULL, 0) == HEDDLE_BAD_INPUT && *heddle_messages(h));
	heddle_free(h);
	h = loaded("volta_sm.json", "tiny/kernelslist.g", NULL);
	v.size = sizeof v;
	CHECK(heddle_value(h, "issue[0].stal", &v) == HEDDLE_BAD_INPUT);
	TEXT(heddle_messages(h), "did you mean 'issue[0].stall'?");
	CHECK(heddle_value(h, NULL, &v) == HEDDLE_BAD_INPUT);
	CHECK(heddle_value_at(h, SIZE_MAX, &v) == HEDDLE_BAD_CALL);
	heddle_free(h);
	/* a module that reads input has none */
	h = heddle_new();
	heddle_set(h, "extends=1");
	CHECK(heddle_load(h, "/nowhere.json") == HEDDLE_BAD_INPUT);
	heddle_free(h);
	/* no handle */
	CHECK(heddle_load(NULL, "x") == HEDDLE_NO_MEMORY && heddle_run(NULL, 1) == HEDDLE_NO_MEMORY);
	CHECK(heddle_cycle(NULL) == 0 && heddle_values(NULL) == 0 && *heddle_json(NULL) == '\0');
	heddle_forget_messages(NULL);
	heddle_free(NULL);
	for (int i = -9; i < 9; i++)
		CHECK(*heddle_result_name(i));
	CHECK(*heddle_version());
}

/* ---- saved and restored ---- */

static struct heddle *to_save(const char *change)
{
	struct heddle *h = heddle_new();
	char file[4096];

	CHECK(heddle_flags(h, HEDDLE_SAVES) == HEDDLE_OK);
	heddle_input(h, in_folder(file, traces, "hist/kernelslist.g"));
	if (change)
		heddle_set(h, change);
	CHECK(heddle_load(h, in_folder(file, netlists, "volta_sm.json")) == HEDDLE_OK);
	return h;
}

static void cut(const char *file, long size)
{
	CHECK(truncate(file, size) == 0);
}

static void saved(void)
{
	struct heddle *h = heddle_new(), *whole = to_save(NULL), *other;
	char folder[] = "/tmp/heddle-simulate-XXXXXX", file[100], bad[120];

	CHECK(mkdtemp(folder) != NULL);
	snprintf(file, sizeof file, "%s/state", folder);
	snprintf(bad, sizeof bad, "%s/nowhere/state", folder);
	/* out of order */
	CHECK(heddle_save(h, file) == HEDDLE_BAD_CALL && heddle_restore(h, file) == HEDDLE_BAD_CALL);
	heddle_free(h);
	h = loaded("volta_sm.json", "hist/kernelslist.g", NULL);
	CHECK(heddle_run(h, 10) == HEDDLE_OK && heddle_save(h, file) == HEDDLE_BAD_CALL);
	TEXT(heddle_messages(h), "HEDDLE_SAVES");
	CHECK(heddle_restore(h, file) == HEDDLE_BAD_CALL);
	heddle_free(h);
	CHECK(heddle_save(NULL, file) == HEDDLE_NO_MEMORY && heddle_restore(NULL, file) == HEDDLE_NO_MEMORY);
	CHECK(heddle_save(whole, file) == HEDDLE_BAD_CALL && heddle_save(whole, NULL) == HEDDLE_BAD_CALL);
	CHECK(heddle_restore(whole, NULL) == HEDDLE_BAD_CALL && heddle_restore(whole, bad) == HEDDLE_BAD_INPUT);
	/* the run goes on, and another one from there: the same bytes */
	CHECK(heddle_run(whole, 700) == HEDDLE_OK && heddle_save(whole, bad) == HEDDLE_FAILED);
	TEXT(heddle_messages(whole), "No such file");
	/* a link of the name that the unfinished file has is not followed */
	snprintf(bad, sizeof bad, "%s.%ld.part", file, (long)getpid());
	CHECK(symlink("elsewhere", bad) == 0 && heddle_save(whole, file) == HEDDLE_OK);
	snprintf(bad, sizeof bad, "%s/elsewhere", folder);
	CHECK(access(bad, F_OK) != 0);
	CHECK(number(whole, "cycles") == 700 && heddle_save(whole, file) == HEDDLE_OK);
	CHECK(heddle_run(whole, HEDDLE_TO_THE_END) == HEDDLE_FINISHED && heddle_save(whole, file) == HEDDLE_BAD_CALL);
	h = to_save(NULL);
	CHECK(heddle_values(h) > 0 && number(h, "cycles") == 0);
	CHECK(heddle_restore(h, file) == HEDDLE_OK && heddle_cycle(h) == 700 && number(h, "cycles") == 700);
	CHECK(heddle_run(h, 900) == HEDDLE_OK && heddle_save(h, file) == HEDDLE_OK);
	CHECK(heddle_run(h, HEDDLE_TO_THE_END) == HEDDLE_FINISHED);
	CHECK(strcmp(heddle_json(h), heddle_json(whole)) == 0);
	heddle_free(h);
	h = loaded("volta_sm.json", "hist/kernelslist.g", NULL); /* saving is not needed for that */
	CHECK(heddle_restore(h, file) == HEDDLE_OK && heddle_run(h, HEDDLE_TO_THE_END) == HEDDLE_FINISHED);
	CHECK(strcmp(heddle_json(h), heddle_json(whole)) == 0);
	heddle_free(h);
	/* another netlist; a file that is cut: the handle has no netlist then */
	other = to_save("collector.sets[0].units=4");
	CHECK(heddle_values(other) > 0 && heddle_restore(other, file) == HEDDLE_BAD_INPUT);
	TEXT(heddle_messages(other), "other values");
	CHECK(heddle_run(other, 1000) == HEDDLE_BAD_CALL && heddle_cycle(other) == 0 && heddle_values(other) == 0);
	CHECK(*heddle_json(other) == '\0');
	heddle_free(other);
	for (long size = 2000; size >= 0; size -= 400) {
		cut(file, size);
		h = to_save(NULL);
		CHECK(heddle_restore(h, file) == HEDDLE_BAD_INPUT);
		heddle_free(h);
	}
	heddle_free(whole);
	CHECK(remove(file) == 0 && remove(folder) == 0);
}

/* ---- runs that end badly ---- */

static void bad_ends(void)
{
	struct heddle *h = heddle_new();
	char file[4096], text[8192];
	const char *all, *json;
	int n;

	/* the memory's clock is never opened */
	n = snprintf(text, sizeof text, "{ \"heddle\": 1, \"extends\": \"%s\", \"set\": { \"memory.clock\": \"shut\" },"
		     "\"rewire\": [{ \"link\": { \"to\": \"load_store.response\" }, \"latency\": 1 },"
		     " { \"link\": { \"to\": \"memory.request\" }, \"staged\": true }],"
		     "\"add\": { \"clocks\": { \"shut\": { \"of\": \"core\", \"gate\": \"dispatcher\" } } } }",
		     in_folder(file, netlists, "volta_sm.json"));
	heddle_input(h, in_folder(file, traces, "tiny/kernelslist.g"));
	if (heddle_load_text(h, "shut.json", text, (size_t)n) != HEDDLE_OK)
		printf("%s", heddle_messages(h));
	CHECK(heddle_run(h, HEDDLE_TO_THE_END) == HEDDLE_DEADLOCK);
	CHECK(heddle_run(h, HEDDLE_TO_THE_END) == HEDDLE_DEADLOCK);
	all = heddle_messages(h);
	TEXT(all, "deadlock at cycle");
	TEXT(all, "scoreboard: warp 0 waits for register R2");
	TEXT(all, "the others wait for:");
	TEXT(all, "memory: ");
	json = heddle_json(h);
	TEXT(json, "\"status\": \"deadlock\"");
	heddle_free(h);
	/* input that is damaged is found in the run */
	h = heddle_new();
	heddle_input(h, in_folder(file, netlists, "volta_sm.json"));
	n = heddle_load(h, in_folder(file, netlists, "volta_sm.json"));
	if (n == HEDDLE_OK)
		n = heddle_run(h, HEDDLE_TO_THE_END);
	CHECK(n == HEDDLE_BAD_INPUT && *heddle_messages(h));
	heddle_free(h);
}

/* ---- threads ---- */

struct job {
	const char *netlist, *trace, *change;
	char *json;
};

static void *work(void *arg)
{
	struct job *j = arg;
	struct heddle *h = loaded(j->netlist, j->trace, j->change);
	struct heddle_value v = { .size = sizeof v };

	for (uint64_t c = 100; heddle_run(h, c) == HEDDLE_OK; c += 100)
		heddle_value(h, "cycles", &v);
	heddle_value(h, "not there", &v);
	j->json = strdup(heddle_json(h));
	heddle_free(h);
	return NULL;
}

static void threads(void)
{
	static const struct job kinds[] = {
		{ "volta_sm.json", "hist/kernelslist.g", NULL, NULL },
		{ "volta_sm.json", "tiny/kernelslist.g", "divergence.module=simt_stack", NULL },
		{ "volta_sm_gto.json", "gather/kernelslist.g", NULL, NULL },
		{ "tutorial.json", "vecadd/kernelslist.g", NULL, NULL },
	};
	enum { KINDS = sizeof kinds / sizeof *kinds, THREADS = 4 * KINDS };
	struct job first[KINDS], jobs[THREADS];
	pthread_t thread[THREADS];

	for (int i = 0; i < KINDS; i++) {
		first[i] = kinds[i];
		work(&first[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		jobs[i] = kinds[i % KINDS];
		if (pthread_create(&thread[i], NULL, work, &jobs[i]) != 0)
			exit(1);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		CHECK(strcmp(jobs[i].json, first[i % KINDS].json) == 0);
		free(jobs[i].json);
	}
	for (int i = 0; i < KINDS; i++)
		free(first[i].json);
}

/* ---- memory ---- */

/* Bytes that the process has now. */
static rlim_t present(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%lu", &pages) != 1)
		exit(1);
	fclose(f);
	return (rlim_t)pages * 4096;
}

/* A whole GPU does not fit; one SM does afterwards. */
static void no_memory(void)
{
	struct rlimit before, little = { present() + (1 << 20), RLIM_INFINITY };
	struct heddle *h = heddle_new();
	char file[4096];

	getrlimit(RLIMIT_AS, &before);
	little.rlim_max = before.rlim_max;
	heddle_input(h, in_folder(file, traces, "tiny/kernelslist.g"));
	setrlimit(RLIMIT_AS, &little);
	CHECK(heddle_load(h, in_folder(file, netlists, "rtx_2060.json")) == HEDDLE_NO_MEMORY);
	TEXT(heddle_messages(h), "out of memory");
	CHECK(heddle_run(h, 1) == HEDDLE_NO_MEMORY && heddle_values(h) == 0);
	heddle_free(h);
	setrlimit(RLIMIT_AS, &before);
	h = loaded("volta_sm.json", "tiny/kernelslist.g", NULL);
	CHECK(heddle_run(h, HEDDLE_TO_THE_END) == HEDDLE_FINISHED);
	heddle_free(h);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	netlists = argv[1];
	traces = argv[2];
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they take more than there is */
	no_memory();
#endif
	slices();
	values();
	refused();
	saved();
	bad_ends();
	threads();
	return failures > 0;
}
