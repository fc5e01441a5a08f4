/* host.c - the loop around a run: a signal ends it after the edge in which it comes, whatever edges cost
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A module raises the signal, so that nothing here depends on time but the end of an edge without end.
 */
#include "base/diag.h"
#include "base/output.h"
#include "tests/kernel/toy/toy.h"
#include "tools/monitor/host.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned failures;

static void check(bool ok, const char *what, int line)
{
	if (ok)
		return;
	fprintf(stderr, "host.c:%d: not so: %s\n", line, what);
	failures++;
}
#define CHECK(x) check((x), #x, __LINE__)

/* ---- a module that raises SIGTERM, and is evaluated in each edge ---- */

struct raiser {
	uint32_t at;
	uint64_t edges;
};

static uint64_t raiser_eval(void *state)
{
	struct raiser *r = state;

	if (r->edges++ == r->at)
		raise(SIGTERM);
	return HD_NEXT;
}

static uint64_t raiser_apart(const void *state)
{
	(void)state;
	return UINT64_MAX;
}

static void raiser_saved(void *state, struct hd_checkpoint *k)
{
	struct raiser *r = state;

	HD_SAVED(k, r->edges);
}

/* Only a signal ends this: the second, but not at once. */
static uint64_t endless_eval(void *state)
{
	const struct raiser *r = state;

	raiser_eval(state);
	while (r->edges > 0) {
		raise(SIGINT);
		usleep(100000);
	}
	return HD_NEXT;
}

static const struct hd_param params[] = {
	{ .name = "at", .unit = "edges", .doc = "edge with the signal", .type = HD_U32, .def = "10",
	  .offset = offsetof(struct raiser, at) },
	{ .name = NULL },
};

static const struct hd_module raiser = {
	TOY_HEAD, .name = "raiser", .doc = "raises a signal", .params = params, .state_size = sizeof(struct raiser),
	.eval = raiser_eval, .checkpoint = raiser_saved, .apart = raiser_apart,
};

static const struct hd_module endless = {
	TOY_HEAD, .name = "endless", .doc = "loops", .params = params, .state_size = sizeof(struct raiser),
	.eval = endless_eval, .checkpoint = raiser_saved, .apart = raiser_apart,
};

const struct hd_module *const hd__builtin_wide[] = { NULL };
const struct hd_module *const hd__builtin_modules[] = {
	&hd_module_sink, &hd_module_sleeper, &hd_module_source, &raiser, &endless, NULL,
};

/* ---- runs ---- */

/* `body` has ' for ". */
static struct hd_sim *build(const char *body, struct hd_registry *r, const struct hd_options *o)
{
	struct hd_diags d = { 0 };
	char *text = hd__format("{\"heddle\": 1, %s}", body);
	struct hd_netlist *n;
	struct hd_sim *s;

	for (char *p = text; *p; p++)
		if (*p == '\'')
			*p = '"';
	n = hd__netlist_parse("n.json", text, strlen(text), &d);
	s = n ? hd__sim_new(n, r, o, false, &d) : NULL;
	free(text);
	if (!s) {
		hd__diags_print(&d, stderr);
		exit(99);
	}
	hd__diags_free(&d);
	return s;
}

/* The clock that ticks in the edge of the signal has had so many. */
static void check_ends(const char *body, const char *clock, uint64_t edges, const struct hd_options *o)
{
	struct hd_registry r = { 0 };
	struct hd_diags d = { 0 };
	struct hd_host h = { .status = HD_RUN_MORE, .quiet = true };
	const struct hd_clock *c;

	hd__registry_init(&r, &d);
	h.sim = build(body, &r, o);
	hd__host_run(&h);
	c = hd__clock_find(h.sim, clock);
	CHECK(h.interrupted && h.status == HD_RUN_MORE);
	CHECK(strcmp(hd__host_word(&h), "interrupted") == 0);
	if (c->now != edges) {
		fprintf(stderr, "host.c: %s: at edge %" PRIu64 " of '%s', expected %" PRIu64 "\n", body, c->now, clock,
		        edges);
		failures++;
	}
	hd__sim_free(h.sim);
	hd__registry_free(&r);
	hd__diags_free(&d);
}

/* The signal comes in the slice after which the run begins again: that ends it, before its first edge. */
static void test_again(void)
{
	struct hd_options o = { .max_cycles = 3000, .ahead = UINT64_MAX };
	static const char body[] =
		"'clocks': {'core': {'mhz': 1}}, "
		"'instances': {'x': {'module': 'raiser'}, "
		"'s': {'module': 'source', 'params': {'count': 5000, 'batch': 3, 'most': 2}}, "
		"'k': {'module': 'sink'}}, 'links': [{'from': 's.out', 'to': 'k.in', 'capacity': 512, 'latency': 9}]";
	struct hd_registry r = { 0 };
	struct hd_diags d = { 0 };
	struct hd_host h = { .status = HD_RUN_MORE, .quiet = true };

	hd__registry_init(&r, &d);
	h.sim = build(body, &r, &o);
	CHECK(h.sim->ahead != NULL);
	hd__host_run(&h);
	CHECK(h.status == HD_RUN_AGAIN && !h.interrupted);
	o.ahead = h.sim->again;
	hd__sim_free(h.sim);
	h = (struct hd_host){ .status = HD_RUN_MORE, .quiet = true };
	h.sim = build(body, &r, &o);
	hd__host_run(&h);
	CHECK(h.interrupted && h.status == HD_RUN_MORE);
	CHECK(hd__sim_cycles(h.sim) == 0);
	hd__sim_free(h.sim);
	hd__registry_free(&r);
	hd__diags_free(&d);
}

/* An edge without end, while an output is written. */
static void be_endless(const struct hd_options *o)
{
	struct hd_output out = { 0 };
	char name[32];

	snprintf(name, sizeof name, "host-%ld", (long)getppid());
	hd__outputs_guard();
	CHECK(hd__output_open(&out, name, NULL) == 0);
	alarm(30);
	check_ends("'clocks': {'core': {'mhz': 1}}, 'instances': {'x': {'module': 'endless'}}", "core", 0, o);
	exit(98);
}

/* The second signal does not end it at once, for most edges end soon; one that comes seconds later does. */
static void test_endless(const char *program)
{
	char *command = hd__format("exec '%s' endless 2>&-", program);
	char *left = hd__format("! ls host-%ld* 2>&-", (long)getpid());
	time_t since = time(NULL);
	int status = system(command);

	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	CHECK(time(NULL) - since >= 2);
	CHECK(system(left) == 0);
	free(command);
	free(left);
}

int main(int argc, char **argv)
{
	struct hd_options plain = { 0 }, checked = { .no_sleep = true };

	/* once a signal has come, no run begins: each of these is a process of its own */
	if (argc > 1 && strcmp(argv[1], "again") == 0) {
		test_again();
		return failures > 0;
	}
#define RAISER(clock, at) "'x': {'module': 'raiser', 'clock': '" clock "', 'params': {'at': " at "}}"
#define NAPS "'z': {'module': 'sleeper', 'clock': 'slow', 'params': {'naps': [1000000], 'repeat': 1}}"
	if (argc > 1 && strcmp(argv[1], "fast") == 0)
		check_ends("'clocks': {'slow': {'hz': 1000}, 'fast': {'mhz': 100}}, "
		           "'instances': {" RAISER("fast", "2500") ", " NAPS "}", "fast", 2500, &plain);
	if (argc > 1 && strcmp(argv[1], "awake") == 0)
		check_ends("'clocks': {'slow': {'hz': 1000}, 'fast': {'mhz': 100}}, "
		           "'instances': {" RAISER("fast", "2500") ", " NAPS "}", "fast", 2500, &checked);
	if (argc > 1 && strcmp(argv[1], "endless") == 0)
		be_endless(&plain);
	if (argc > 1)
		return failures > 0;
	for (int i = 0; i < 3; i++) {
		static const char *const ways[] = { "again", "fast", "awake" };
		char *command = hd__format("'%s' %s", argv[0], ways[i]);
		int status = system(command);

		if (status != 0) {
			fprintf(stderr, "host.c: %s: status %d\n", ways[i], status);
			failures++;
		}
		free(command);
	}
	test_endless(argv[0]);
	return failures > 0;
}
