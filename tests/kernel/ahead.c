/* ahead.c - windows: partitions that run many periods in turn give the results of the lock step
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel.h"
#include "kernel/parallel/run_ahead.h"

#include <stdlib.h>

/* Tokens that four divides go round between two routers, 40 and 30 edges apart; others end in sinks. */
#define ROUND(clocks, source, sink) clocks \
	"'instances': {'s': {'module': 'source', 'clock': 'core', 'params': {'count': 500, 'every': 3" source "}}, " \
	"'a': {'module': 'router', 'clock': 'core', 'params': {'modulo': 4}}, " \
	"'b': {'module': 'router', 'clock': 'other', 'params': {'modulo': 4}}, " \
	"'c': {'module': 'stage', 'clock': 'other'}, " \
	"'k': {'module': 'sink', 'count': 2, 'clock': 'core'" sink "}}, " \
	"'links': [{'from': 's.out', 'to': 'a.in', 'capacity': 4096, 'latency': 5}, " \
	"{'from': 'a.out', 'to': 'b.in', 'capacity': 1024, 'latency': 40, 'residue': 0}, " \
	"{'from': 'b.out', 'to': 'c.in', 'capacity': 1024, 'latency': 0, 'residue': 0}, " \
	"{'from': 'c.out', 'to': 'a.in', 'capacity': 1024, 'latency': 30}, " \
	"{'from': 'a.out', 'to': 'k[0].in', 'capacity': 512, 'residue': 1}, " \
	"{'from': 'a.out', 'to': 'k[1].in', 'capacity': 512, 'residue': 2}, " \
	"{'from': 'a.out', 'to': 'k[1].in', 'capacity': 512, 'residue': 3}]"

#define CHAIN(places) \
	"'instances': {'s': {'module': 'source', 'params': {'count': 300, 'every': 4}}, " \
	"'p': {'module': 'stage', 'count': 2}, 'k': {'module': 'sink', 'params': {'every': 5}}}, " \
	"'links': [{'from': 's.out', 'to': 'p[0].in', 'capacity': " places "}, " \
	"{'from': 'p[0].out', 'to': 'p[1].in', 'capacity': 63}, " \
	"{'from': 'p[1].out', 'to': 'k.in', 'capacity': " places "}]"

/* Three pairs of a source and a sink. */
#define PAIRS PAIRS_OF("'clocks': {'core': {'mhz': 1000}}, ")
#define PAIRS_OF(clocks) clocks \
	"'instances': {'s': {'module': 'source', 'clock': 'core', 'count': 3, 'params': {'count': 300, 'every': 4}}, " \
	"'k': {'module': 'sink', 'clock': 'core', 'count': 3, 'params': {'every': 5}}}, " \
	"'links': [{'from': 's[0].out', 'to': 'k[0].in', 'capacity': 512}, " \
	"{'from': 's[1].out', 'to': 'k[1].in', 'capacity': 512}, " \
	"{'from': 's[2].out', 'to': 'k[2].in', 'capacity': 512}]"

#define ONE "'clocks': {'core': {'mhz': 1000}, 'other': {'of': 'core'}}, "
#define TWO "'clocks': {'core': {'mhz': 1000}, 'other': {'mhz': 700}}, "
#define SUMS "'clocks': {'core': {'mhz': 1000, 'edges': 'accumulated'}, " \
	"'other': {'mhz': 850, 'edges': 'accumulated'}}, "
#define LATE "'clocks': {'core': {'mhz': 1000}, 'other': {'of': 'core', 'phase': 'end'}}, "
#define TWICE "'clocks': {'core': {'mhz': 1000}, 'other': {'of': 'core', 'times': 2}}, "

/* How the windows were; NULL: there were none.  To be freed. */
static char *windows_of(const char *body, uint64_t max)
{
	struct hd_options o = { .max_cycles = max, .ahead = UINT64_MAX };
	struct run r;
	struct hd_sim *s = open_sim(body, &o, &r);
	char *text;

	if (!s) {
		done(&r);
		return NULL;
	}
	while (hd__sim_run(s, 100) == HD_RUN_MORE)
		;
	text = s->ahead ? hd__ahead_text(s->ahead) : NULL;
	abandon(s, &r);
	done(&r);
	return text;
}

static void check_windows(const char *body, const char *expected, const char *file, int line)
{
	char *text = windows_of(body, 1500);

	check_text(text ? text : "none", expected, file, line);
	free(text);
}
#define WINDOWS(body, expected) check_windows((body), (expected), __FILE__, __LINE__)

/* From where on nothing has moved, and where the watchdog has ended the run. */
static void end_of(const char *body, bool ahead, uint64_t *since, uint64_t *end)
{
	struct hd_options o = { .max_cycles = 20000, .ahead = ahead ? UINT64_MAX : 0 };
	struct run r;
	struct hd_sim *s = open_sim(body, &o, &r);

	*since = *end = 0;
	if (!s) {
		done(&r);
		return;
	}
	while (r.status == HD_RUN_MORE) {
		r.status = hd__sim_run(s, 100);
		if (r.status == HD_RUN_AGAIN)
			s = begin_again(s, &r);
	}
	CHECK(r.status == HD_RUN_FINISHED);
	*since = s->still_since;
	*end = hd__sim_cycles(s);
	abandon(s, &r);
	done(&r);
}

/* A process goes on for long without a payload that moves, after a time in which none was awake: the watchdog
 * counts from there, in the midst of a window as in lock step. */
static void test_watchdog(void)
{
	char *naps = strdup("1020, 1, 1, 1, 1, 1, 1, 1, 1, 80, 25");
	uint64_t since, end, since_ahead, end_ahead;

	for (int i = 0; i < 3000; i++) {
		char *longer = hd__format("%s, 1", naps);

		free(naps);
		naps = longer;
	}
	/* the watchdog looks in the 2048th period, and 1024 later */
	for (unsigned watchdog = 916; watchdog < 920; watchdog++) {
		char *body = hd__format("'watchdog': %u, 'instances': {'s': {'module': 'source', "
		                        "'params': {'count': 3}}, "
		                        "'k': {'module': 'sink'}, 'z': {'module': 'sleeper', "
		                        "'params': {'naps': [%s]}}}, "
		                        "'links': [{'from': 's.out', 'to': 'k.in', 'capacity': 4096, 'latency': 9}]",
		                        watchdog, naps);

		end_of(body, false, &since, &end);
		end_of(body, true, &since_ahead, &end_ahead);
		NUMBER(since_ahead, since);
		NUMBER(end_ahead, end);
		NUMBER(since, 1133);
		NUMBER(end, watchdog < 917 ? 2049 : 3073);
		free(body);
	}
	free(naps);
}

/* A producer declares how much it puts in an edge at most.  One that puts more, which may depend on what its reader
 * takes, is noticed, and the lock step does it again. */
static void test_declared_puts(void)
{
#define PUTS(params) \
	"'instances': {'s': {'module': 'source', 'params': {'count': 5000, 'batch': 3" params "}}, " \
	"'k': {'module': 'sink'}}, 'links': [{'from': 's.out', 'to': 'k.in', 'capacity': 512, 'latency': 9}]"
	struct hd_options o = { .max_cycles = 3000, .ahead = UINT64_MAX };
	struct run r;
	struct hd_sim *s = open_sim(PUTS(", 'most': 2"), &o, &r);

	CHECK(s && s->ahead);
	while (r.status == HD_RUN_MORE)
		r.status = hd__sim_run(s, 100);
	CHECK(r.status == HD_RUN_AGAIN);
	TEXT(s->rollback,
	     "s put 509 payloads into port 'out' in 254 cycles, more than the 2 in an edge that "
	     "module 'source' declares");
	s = begin_again(s, &r);
	close_sim(s, &r);
	CHECK(r.status == HD_RUN_LIMIT);
	done(&r);
	ALIKE(PUTS(", 'most': 2"), 3000);
	ALIKE(PUTS(", 'most': 3"), 3000);
	WINDOWS(PUTS(", 'most': 3"),
	        "2 domains run windows of at most 1024 cycles of 'core': 4 windows, 247 cycles in all\n"
	        "  1249 made shorter by the room behind s.out\n");
	WINDOWS(PUTS(""),
	        "2 domains run windows of at most 1024 cycles of 'core': 24 windows, 126 cycles in all\n"
	        "  1390 made shorter by the room behind s.out\n");
}

/* A caller that has to look at something else gets its turn after as many edges as in lock step, and a window. */
static void test_slices(void)
{
	struct hd_options o = { .max_cycles = 3000, .ahead = UINT64_MAX };
	struct run r;
	struct hd_sim *s = open_sim(ROUND(ONE, "", ""), &o, &r);

	CHECK(s != NULL);
	if (!s) {
		done(&r);
		return;
	}
	CHECK(hd__sim_run(s, 100) == HD_RUN_MORE);
	CHECK(hd__sim_cycles(s) >= 50 && hd__sim_cycles(s) <= 100 + 40);
	abandon(s, &r);
	done(&r);
}

/* Windows are few periods of a slow clock, and none of a very slow one. */
static void test_slow_first(void)
{
#define SLOWER(hz) "'clocks': {'core': {'hz': " hz "}, 'other': {'mhz': 100}}, "
	struct hd_options o = { .max_cycles = 3000, .ahead = UINT64_MAX };
	struct run r;
	struct hd_sim *s = open_sim(ROUND(SLOWER("1000"), "", ""), &o, &r);

	CHECK(s && !s->ahead);
	if (s) {
		TEXT(s->lockstep, "a cycle of 'core' has very many edges of other clocks");
		abandon(s, &r);
	}
	done(&r);
	s = open_sim(PAIRS_OF(SLOWER("100000")), &o, &r);
	CHECK(s && s->ahead);
	if (s) {
		CHECK(hd__sim_run(s, 1) == HD_RUN_MORE);
		CHECK(hd__sim_cycles(s) <= 17);
		abandon(s, &r);
	}
	done(&r);
}

void test_ahead(void)
{
	test_slices();
	test_slow_first();
	ALIKE(ROUND(ONE, "", ""), 3000);
	ALIKE(ROUND(TWO, "", ""), 3000);
	ALIKE(ROUND(SUMS, "", ""), 3000);
	ALIKE(ROUND(LATE, "", ""), 3000);
	ALIKE(ROUND(TWICE, "", ""), 3000);
	ALIKE(ROUND(ONE, ", 'batch': 5", ""), 3000);
	ALIKE(ROUND(ONE, "", ", 'params': {'finish': 60}"), 3000);
	WINDOWS(ROUND(ONE, "", ""), "5 domains run windows of at most 40 cycles of 'core': 38 "
		"windows, 1498 cycles in all\n");
	WINDOWS(ROUND(TWO, "", ""), 
	        "5 domains run windows of at most 52 cycles of 'core': 30 windows, 1496 cycles in all\n");
	WINDOWS(ROUND(LATE, "", ""), 
	        "5 domains run windows of at most 39 cycles of 'core': 40 windows, 1498 cycles in all\n");
	WINDOWS(ROUND(ONE, "", ", 'params': {'finish': 60}"), 
	        "5 domains run windows of at most 40 cycles of 'core': 17 windows, 342 cycles in all\n"
	        "  31 made shorter by 'apart' of k[0]\n  34 made shorter by 'apart' of k[1]\n");
	/* a link without room for a window makes it shorter */
	ALIKE(CHAIN("512"), 3000);
	WINDOWS(CHAIN("512"), 
	        "3 domains run windows of at most 1024 cycles of 'core': 201 windows, 1407 cycles in all\n"
	        "  201 made shorter by the room behind s.out\n");
	/* ends with fewer than 64 places between them run together */
	ALIKE(CHAIN("63"), 3000);
	WINDOWS(CHAIN("63"), "none");
	ALIKE(PAIRS, 3000); /* those of an array are one domain */
	WINDOWS(PAIRS,
	        "2 domains run windows of at most 1024 cycles of 'core': 195 windows, 1365 cycles in all\n"
	        "  194 made shorter by the room behind s[0].out\n");
	/* nothing more happens: the end is that of the lock step */
	ALIKE(CHAIN("4096"), 0);
	ALIKE(ROUND(SUMS, ", 'batch': 3", ", 'params': {'every': 7}"), 2000);
	test_watchdog();
	test_declared_puts();
}
