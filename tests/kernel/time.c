/* time.c - clocks and sleep: timers, idle jumps, derived, gated and unrelated clocks
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel.h"

#include <stdlib.h>

static void test_timers(void)
{
	/* naps around the size of the timer wheel, and two that are in the past already */
	static const char *const naps =
		"'instances': {'z': {'module': 'sleeper', 'params': {'naps': [1, 3, 63, 64, 0, 65, 0, 0, "
		"128, 1000, 1]}}}";
	static const char *const many =
		"'instances': {'a': {'module': 'sleeper', 'params': {'naps': [1, 2, 3, 64, 128], "
		"'repeat': 1}}, 'b': {'module': 'sleeper', 'params': {'naps': [64], 'repeat': 1}}, "
		"'c': {'module': 'sleeper', 'count': 70, 'params': {'naps': [7, 67], 'repeat': 1}}, "
		"'d': {'module': 'sleeper', 'params': {'naps': [5000, 1]}}}";
	struct run r;

	LOG(naps, 0,
	    "0 z woke 0\n1 z woke 1\n4 z woke 2\n67 z woke 3\n131 z woke 4\n132 z woke 5\n197 z woke 6\n"
	    "198 z woke 7\n199 z woke 8\n327 z woke 9\n1327 z woke 10\n");
	ALIKE(many, 12345);
	r = run(naps, NULL);
	CHECK(r.status == HD_RUN_FINISHED);
	NUMBER(r.evals, 12);
	NUMBER(stat_of(&r, "z", "edges"), r.cycles);
	done(&r);
}

/* A timer neither fires early because another instance woke its own, nor is it lost. */
static void test_woken_early(void)
{
	ALIKE("'instances': {'s': {'module': 'source', 'params': {'count': 100, 'every': 7}}, "
	      "'t': {'module': 'source', 'params': {'count': 100, 'every': 5}}, "
	      "'k': {'module': 'sink', 'params': {'every': 6, 'finish': 200}}}, "
	      "'links': [{'from': ['s.out', 't.out'], 'to': 'k.in', 'capacity': 2}]", 0);
}

static void test_idle_jump(void)
{
	struct hd_options o = { .max_cycles = 0 };
	struct run r = run("'instances': {'z': {'module': 'sleeper', "
	                   "'params': {'naps': [1000000000, 2000000000, 5]}}}", NULL);

	CHECK(r.status == HD_RUN_FINISHED);
	TEXT(r.log, "0 z woke 0\n1000000000 z woke 1\n3000000000 z woke 2\n");
	CHECK(r.evals <= 5);
	NUMBER(stat_of(&r, "z", "edges"), r.cycles);
	done(&r);
	/* the limit of cycles is exact, in a jump as well */
	o.max_cycles = 12345;
	r = run("'instances': {'z': {'module': 'sleeper', 'params': {'naps': [1000000000]}}}", &o);
	CHECK(r.status == HD_RUN_LIMIT);
	NUMBER(r.cycles, 12345);
	NUMBER(stat_of(&r, "z", "edges"), 12345);
	done(&r);
	ALIKE("'instances': {'z': {'module': 'sleeper', 'params': {'naps': [3, 50000, 1]}}}", 4321);
	ALIKE("'instances': {'z': {'module': 'sleeper', 'params': {'naps': [3, 50000, 1]}}}", 1);
	ALIKE("'instances': {'z': {'module': 'sleeper', 'params': {'naps': [3, 50000, 1]}}}", 4);
}

/* A limit so late that its tick does not fit does not keep several roots from jumping. */
static void test_late_limit(void)
{
#define LATE "'clocks': {'a': {'mhz': 1000}, 'quick': {'of': 'a', 'times': 4}, 'b': {'mhz': 7}}, " \
	"'instances': {'z': {'module': 'sleeper', 'clock': 'quick', 'params': {'naps': [4000000000]}}, " \
	"'y': {'module': 'sleeper', 'clock': 'b', 'params': {'naps': [3]}}}"
	struct hd_options o = { .max_cycles = UINT64_C(1) << 63 };
	struct run r = run(LATE, &o), without = run(LATE, NULL);

	CHECK(r.status == HD_RUN_FINISHED);
	CHECK(r.cycles > 1000000000);
	NUMBER(r.cycles, without.cycles);
	done(&r);
	done(&without);
#undef LATE
}

/* Sums of doubles are made one by one, also over idle time: the caller gets its turn, and what follows is the same. */
static void test_long_jump(void)
{
#define SLOW_AND_FAST(naps) "'clocks': {'slow': {'hz': 1000, 'edges': 'accumulated'}, " \
	"'fast': {'mhz': 100, 'edges': 'accumulated'}}, 'instances': {'z': {'module': 'sleeper', 'clock': 'slow', " \
	"'params': {'naps': " naps "}}, 'y': {'module': 'sleeper', 'clock': 'fast'}}"
	struct run r;
	struct hd_sim *s = open_sim(SLOW_AND_FAST("[20, 1]"), NULL, &r);

	CHECK(s != NULL);
	for (int i = 1; s && i < 10; i++) {
		CHECK(hd__sim_run(s, 1000) == HD_RUN_MORE);
		CHECK(s->roots[1].period >= (uint64_t)i * 900 && s->roots[1].period <= (uint64_t)i * 1010);
	}
	if (s)
		abandon(s, &r);
	done(&r);
	ALIKE("'clocks': {'slow': {'mhz': 1, 'edges': 'accumulated'}, 'fast': {'mhz': 77, 'edges': 'accumulated'}}, "
	      "'instances': {'z': {'module': 'sleeper', 'clock': 'slow', 'params': {'naps': [3, 50, 1]}}, "
	      "'y': {'module': 'sleeper', 'clock': 'fast', 'params': {'naps': [700, 3, 900]}}}", 60);
}

/* The run ends with the edge in which it is stopped. */
static void test_stop(void)
{
	struct run r;
	struct hd_sim *s = open_sim("'instances': {'z': {'module': 'sleeper', 'params': {'naps': [1], 'repeat': 1}}}",
	                            NULL,
	                            &r);

	CHECK(s != NULL);
	if (s) {
		CHECK(hd__sim_run(s, 10) == HD_RUN_MORE);
		hd__sim_stop(s);
		CHECK(hd__sim_run(s, UINT64_MAX) == HD_RUN_MORE);
		CHECK(hd__sim_cycles(s) <= 11);
		abandon(s, &r);
	}
	done(&r);
}

/* Edges of clocks that come from one root. */
static void test_derived(void)
{
	static const char *const clocks =
		"'clocks': {'core': {'mhz': 1132}, 'front': {'of': 'core', 'times': 4}, "
		"'late': {'of': 'core', 'phase': '1/4'}, 'last': {'of': 'core', 'phase': 'end'}, "
		"'odd': {'of': 'late', 'times': 3}, 'same': {'of': 'last'}}, ";
	static const char *const rows =
		"'instances': {'e': {'module': 'sleeper', 'clock': 'last', 'params': {'naps': [1, 1]}}, "
		"'c': {'module': 'sleeper', 'clock': 'core', 'params': {'naps': [1, 1]}}, "
		"'l': {'module': 'sleeper', 'clock': 'late', 'params': {'naps': [1, 1]}}%s}";
	struct hd_options o = { .max_cycles = 5000 };
	char *few = hd__format(rows, ""), *some = hd__format("%s%s", clocks, few);
	char *more = hd__format(rows, ", 'f': {'module': 'sleeper', 'clock': 'front', "
	                        "'params': {'naps': [1, 5], 'repeat': 1}}, 'o': {'module': 'sleeper', "
	                        "'clock': 'odd', 'params': {'naps': [2], 'repeat': 1}}, "
	                        "'s': {'module': 'sleeper', 'clock': 'same'}");
	char *all = hd__format("%s%s", clocks, more);
	struct run r;

	LOG(some, 3, "0 c woke 0\n0 l woke 0\n0 e woke 0\n1 c woke 1\n1 l woke 1\n1 e woke 1\n");
	r = run(all, &o);
	NUMBER(stat_of(&r, "c", "edges"), 5000);
	NUMBER(stat_of(&r, "e", "edges"), 5000);
	NUMBER(stat_of(&r, "s", "edges"), 5000);
	NUMBER(stat_of(&r, "f", "edges"), 20000);
	NUMBER(stat_of(&r, "o", "edges"), 15000);
	done(&r);
	ALIKE(all, 777);
	free(few);
	free(more);
	free(some);
	free(all);
	/* four edges in a period, the first with the core's: latency 1 counts the consumer's
	 * edges */
	LOG("'clocks': {'core': {'mhz': 1000}, 'front': {'of': 'core', 'times': 4}}, 'instances': "
	    "{'s': {'module': 'source', 'clock': 'core', 'params': {'count': 2}}, "
	    "'k': {'module': 'sink', 'clock': 'front'}}, "
	    "'links': [{'from': 's.out', 'to': 'k.in', 'latency': 3}]", 3,
	    "0 s put 0\n3 k got 0 0\n1 s put 1\n7 k got 1 0\n");
}

/* Edges that never coincide: a wire between them is refused, a register is not. */
static void test_never_together(void)
{
	static const char *const body =
		"'clocks': {'core': {'mhz': 1000}, 'half': {'of': 'core', 'phase': '1/2'}}, 'instances': "
		"{'s': {'module': 'source', 'clock': 'half'}, 'k': {'module': 'sink', 'clock': 'core'}}, "
		"'links': [{'from': 's.out', 'to': 'k.in', 'latency': %u}]";
	char *wire = hd__format(body, 0), *reg = hd__format(body, 1);

	REFUSED(wire, "a link of latency 0 joins clocks that never tick together, 'half' and 'core'; "
	        "expected a latency of at least 1\n");
	LOG(reg, 3, "0 s put 0\n1 k got 0 0\n1 s put 1\n2 k got 1 0\n2 s put 2\n");
	free(wire);
	free(reg);
}

/* A clock that an instance switches: its edges, counters and timers stand still. */
static void test_gates(void)
{
	static const char *const gated =
		"'clocks': {'core': {'mhz': 1000}, 'sm': {'of': 'core', 'gate': 'g'}, "
		"'front': {'of': 'sm', 'times': 2}}, "
		"'instances': {'g': {'module': 'gatekeeper', 'clock': 'core', "
		"'params': {'naps': [3, 4, 2, 100, 10, 1]}}, "
		"'z': {'module': 'sleeper', 'clock': 'sm', 'params': {'naps': [4, 1]}}, "
		"'f': {'module': 'sleeper', 'clock': 'front', 'params': {'naps': [1, 1, 7, 1]}}, "
		"'s': {'module': 'source', 'clock': 'sm', 'params': {'count': 1000}}, "
		"'t': {'module': 'sleeper', 'clock': 'core', 'params': {'naps': [40], 'repeat': 1}}, "
		"'k': {'module': 'sink', 'clock': 'core'}}, "
		"'links': [{'from': 's.out', 'to': 'k.in'}]";
	struct hd_options o = { .max_cycles = 300 };
	struct run r = run(gated, &o);

	/* open from 0 to 3, from 7 to 9, from 109 to 119, each time from the next period on */
	NUMBER(stat_of(&r, "z", "edges"), 3 + 2 + 10);
	NUMBER(stat_of(&r, "f", "edges"), 2 * (3 + 2 + 10));
	NUMBER(stat_of(&r, "s", "sent"), 3 + 2 + 10);
	done(&r);
	ALIKE(gated, 300);
	ALIKE(gated, 118);
	LOG("'clocks': {'core': {'mhz': 1000}, 'sm': {'of': 'core', 'gate': 'g'}, "
	    "'last': {'of': 'core', 'phase': 'end'}}, "
	    "'instances': {'g': {'module': 'gatekeeper', 'clock': 'core', 'params': {'naps': [2, 5]}}, "
	    "'z': {'module': 'sleeper', 'clock': 'sm', 'params': {'naps': [1, 2, 1]}}, "
	    "'c': {'module': 'sleeper', 'clock': 'last', 'params': {'naps': [1, 1, 1, 1]}}}", 4,
	    "0 c woke 0\n0 z woke 0\n1 c woke 1\n1 z woke 1\n2 c woke 2\n3 c woke 3\n");
	/* never opened: no edge at all, and nothing to wait for */
	r = run("'clocks': {'core': {'mhz': 1000}, 'sm': {'of': 'core', 'gate': 'g'}}, "
	        "'instances': {'g': {'module': 'gatekeeper', 'clock': 'core'}, "
	        "'z': {'module': 'sleeper', 'clock': 'sm', 'params': {'naps': [1]}}}", NULL);
	CHECK(r.status == HD_RUN_FINISHED);
	NUMBER(stat_of(&r, "z", "edges"), 0);
	done(&r);
}

/* Edges of the second clock until the n-th of the first, both counted from 0 at time 0. */
static uint64_t edges_until(uint64_t n, uint64_t first, uint64_t second)
{
	return (uint64_t)((unsigned __int128)(n - 1) * second / first) + 1;
}

/* Clocks of unrelated frequencies do not drift, ticking, asleep or jumping. */
static void two_roots(const char *mhz, const char *other, uint64_t a, uint64_t b)
{
	static const uint64_t runs[] = { 1, 2, 100, 1132, 1133, 99999, UINT64_C(40000000000) };
	char *text = hd__format("'clocks': {'a': {'mhz': %s}, 'b': {'mhz': %s}, "
	                        "'c': {'of': 'b', 'times': 2}}, 'instances': "
	                        "{'x': {'module': 'sleeper', 'clock': 'a', 'params': "
	                        "{'naps': [70000000, 3], 'repeat': 1}}, "
	                        "'y': {'module': 'sleeper', 'clock': 'b', 'params': "
	                        "{'naps': [123456789, 1], 'repeat': 1}}, "
	                        "'z': {'module': 'sleeper', 'clock': 'c', 'params': "
	                        "{'naps': [1000000007], 'repeat': 1}}}", mhz, other);

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		struct hd_options o = { .max_cycles = runs[i] };
		struct run r = run(text, &o);

		CHECK(r.status == HD_RUN_LIMIT);
		NUMBER(r.cycles, runs[i]);
		NUMBER(stat_of(&r, "x", "edges"), runs[i]);
		NUMBER(stat_of(&r, "y", "edges"), edges_until(runs[i], a, b));
		NUMBER(stat_of(&r, "z", "edges"), edges_until(runs[i], a, 2 * b));
		done(&r);
	}
	ALIKE(text, 3000);
	free(text);
}

static void test_two_roots(void)
{
	two_roots("1132", "850", 1132, 850);
	two_roots("850", "1132", 850, 1132);
	two_roots("1132", "3500.5", 11320, 35005);
	two_roots("3500.5", "1132", 35005, 11320);
	/* coincident edges are one edge, in the order that the links require; at 2 : 3 every other
	 * of k's coincides with s's */
	LOG("'clocks': {'a': {'mhz': 200}, 'b': {'mhz': 300}}, 'instances': "
	    "{'s': {'module': 'source', 'clock': 'a'}, "
	    "'k': {'module': 'sink', 'clock': 'b', 'params': {'finish': 4}}}, "
	    "'links': [{'from': 's.out', 'to': 'k.in'}]", 0,
	    "0 s put 0\n1 k got 0 0\n1 s put 1\n2 k got 1 0\n2 s put 2\n4 k got 2 0\n3 s put 3\n"
	    "5 k got 3 0\n");
	LOG("'clocks': {'a': {'mhz': 200}, 'b': {'mhz': 300}}, 'instances': "
	    "{'s': {'module': 'source', 'clock': 'a'}, "
	    "'k': {'module': 'sink', 'clock': 'b', 'params': {'finish': 4}}}, "
	    "'links': [{'from': 's.out', 'to': 'k.in', 'latency': 0}]", 0,
	    "0 s put 0\n0 k got 0 0\n1 s put 1\n2 k got 1 0\n2 s put 2\n3 k got 2 0\n3 s put 3\n"
	    "5 k got 3 0\n");
	/* staged between clocks: a take becomes visible at the link's next edge, and no process
	 * sleeps on */
	ALIKE("'clocks': {'a': {'mhz': 1000}, 'b': {'mhz': 300}}, 'instances': "
	      "{'s': {'module': 'source', 'clock': 'a', 'params': {'count': 50}}, "
	      "'k': {'module': 'sink', 'clock': 'b', 'params': {'finish': 50}}}, "
	      "'links': [{'from': 's.out', 'to': 'k.in', 'staged': true, 'capacity': 1}]", 0);
	ALIKE("'clocks': {'a': {'mhz': 300}, 'b': {'mhz': 1000}}, 'instances': "
	      "{'s': {'module': 'source', 'clock': 'a', 'params': {'count': 50}}, "
	      "'k': {'module': 'sink', 'clock': 'b', 'params': {'finish': 50}}}, "
	      "'links': [{'from': 's.out', 'to': 'k.in', 'staged': true, 'capacity': 1}]", 0);
}

/* Edges of the second clock until the n-th of the first, times being sums of rounded periods. */
static uint64_t summed_until(uint64_t n, double first, double second)
{
	double a = 0, b = 0;
	uint64_t na = 0, nb = 0;

	while (na < n) {
		double now = a < b ? a : b;

		if (b <= now) {
			b += 1 / (second * 1000000);
			nb++;
		}
		if (a <= now) {
			a += 1 / (first * 1000000);
			na++;
		}
	}
	return nb;
}

/* What rounding makes of coincident edges is kept, ticking, asleep or jumping. */
static void two_summed(double a, double b)
{
	static const uint64_t runs[] = { 1, 2, 567, 1133, 1276, 1701, 2265, 99999, 3000001 };
	char *text = hd__format("'clocks': {'a': {'mhz': %g, 'edges': 'accumulated'}, "
	                        "'b': {'mhz': %g, 'edges': 'accumulated'}, "
	                        "'c': {'of': 'a', 'times': 3}}, 'instances': "
	                        "{'x': {'module': 'sleeper', 'clock': 'a', 'params': "
	                        "{'naps': [70000, 3], 'repeat': 1}}, "
	                        "'y': {'module': 'sleeper', 'clock': 'b', 'params': "
	                        "{'naps': [123456, 1], 'repeat': 1}}, "
	                        "'z': {'module': 'sleeper', 'clock': 'c', 'params': "
	                        "{'naps': [100003], 'repeat': 1}}}", a, b);
	uint64_t other = 0;

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		struct hd_options o = { .max_cycles = runs[i] };
		struct run r = run(text, &o);
		uint64_t y = stat_of(&r, "y", "edges");

		CHECK(r.status == HD_RUN_LIMIT);
		NUMBER(r.cycles, runs[i]);
		NUMBER(stat_of(&r, "x", "edges"), runs[i]);
		NUMBER(y, summed_until(runs[i], a, b));
		NUMBER(stat_of(&r, "z", "edges"), 3 * runs[i]);
		other += y != edges_until(runs[i], (uint64_t)(a * 10), (uint64_t)(b * 10));
		done(&r);
	}
	CHECK(other > 0); /* than exact ones: else nothing is tested */
	ALIKE(text, 3000);
	ALIKE(text, 567);
	free(text);
}

static void test_accumulated(void)
{
	static const char *const late =
		"'clocks': {'a': {'mhz': 100%s}, 'b': {'mhz': 500%s}, "
		"'l': {'of': 'a', 'phase': '1/2'}, 'e': {'of': 'a', 'phase': 'end'}}, 'instances': "
		"{'x': {'module': 'sleeper', 'clock': 'l', 'params': {'naps': [1, 1]}}, "
		"'y': {'module': 'sleeper', 'clock': 'b', 'params': {'naps': [1, 1, 1, 3, 1]}}, "
		"'z': {'module': 'sleeper', 'clock': 'e', 'params': {'naps': [1, 1]}}}";
	static const char *const edges = ", 'edges': 'accumulated'";
	char *exact = hd__format(late, "", ""), *summed = hd__format(late, edges, edges);
	char *mixed = hd__format(late, "", edges);

	two_summed(1132, 850);
	two_summed(850, 1132);
	two_summed(1132, 3500.5);
	/* all phases of a period lie at its beginning */
	LOG(exact, 2, "0 y woke 0\n1 y woke 1\n2 y woke 2\n0 x woke 0\n3 y woke 3\n0 z woke 0\n"
	    "6 y woke 4\n1 x woke 1\n1 z woke 1\n");
	LOG(summed, 2, "0 y woke 0\n0 x woke 0\n0 z woke 0\n1 y woke 1\n2 y woke 2\n3 y woke 3\n"
	    "1 x woke 1\n1 z woke 1\n");
	REFUSED(mixed, "edges of clock 'a' are exact, those of 'b' accumulated; expected the same "
	        "\"edges\" for all clocks with a frequency of their own\n");
	free(exact);
	free(summed);
	free(mixed);
}

/* After a jump of several clocks the watchdog begins again, and nothing is left to do some day. */
static void test_after_jump(void)
{
	struct hd_options o = { .max_cycles = 150000 };
	char *naps = strdup("100000"), *body;
	struct run r;

	for (int i = 0; i < 1500; i++) { /* awake for longer than the watchdog looks away */
		char *longer = hd__format("%s, 1", naps);

		free(naps);
		naps = longer;
	}
	body = hd__format("'watchdog': 3000, 'clocks': {'a': {'mhz': 1000}, 'b': {'mhz': 100}}, 'instances': {"
	                  "'x': {'module': 'sleeper', 'clock': 'a', 'params': {'naps': [%s]}}, "
	                  "'y': {'module': 'sleeper', 'clock': 'b'}}", naps);
	r = run(body, &o);
	CHECK(r.status == HD_RUN_FINISHED);
		CHECK(strstr(r.log, "\n101499 x woke 1500\n"));
	free(body);
	done(&r);
	body = hd__format("'clocks': {'a': {'mhz': 1000, 'edges': 'accumulated'}, "
	                  "'b': {'mhz': 300, 'edges': 'accumulated'}}, 'instances': {"
	                  "'x': {'module': 'sleeper', 'clock': 'a', 'params': {'naps': [7000, 5]}}, "
	                  "'y': {'module': 'sleeper', 'clock': 'b', 'params': {'naps': [10]}}}");
	r = run(body, &o);
	CHECK(r.status == HD_RUN_FINISHED);
	CHECK(r.cycles > 7000 && r.cycles < 7100);
	free(body);
	free(naps);
	done(&r);
}

static void test_clocks_refused(void)
{
	char *clocks = hd__format("'c0': {'mhz': 1}");
	char *body;

	REFUSED("'clocks': {'a': {'mhz': 1}, 'b': {'of': 'a', 'times': 65}}, 'instances': {}",
	        "clock 'b' ticks too often; at most 64 edges in a period of its root clock\n");
	REFUSED("'clocks': {'a': {'mhz': 1}, 'b': {'of': 'a', 'times': 61}, "
	        "'c': {'of': 'a', 'times': 59}}, 'instances': {}",
	        "clocks derived from 'a' tick at more than 64 different phases of its period\n");
	REFUSED("'clocks': {'a': {'mhz': 1}, 'b': {'of': 'a', 'phase': '1/65521'}, "
	        "'c': {'of': 'a', 'phase': '1/65519'}}, 'instances': {}",
	        "phases of the clocks derived from 'a' have no common divisor that fits; expected simple "
	        "fractions\n");
	for (int i = 1; i < 65; i++) {
		char *longer = hd__format("%s, 'c%d': {'mhz': %d}", clocks, i, i + 1);

		free(clocks);
		clocks = longer;
	}
	body = hd__format("'clocks': {%s}, 'instances': {}", clocks);
	REFUSED(body, "too many clocks with a frequency of their own; expected at most 64, found 65\n");
	free(clocks);
	free(body);
}

void test_time(void)
{
	test_timers();
	test_woken_early();
	test_idle_jump();
	test_late_limit();
	test_long_jump();
	test_stop();
	test_derived();
	test_never_together();
	test_gates();
	test_two_roots();
	test_accumulated();
	test_after_jump();
	test_clocks_refused();
}
