/* several.c - several instances that work side by side: the end, rows, figures, queues and progress of a run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel.h"
#include "kernel/stats/stats.h"

#include <stdlib.h>

/* Members `name` of the statistics, in one line. */
static void check_member(const struct run *r, const char *name, const char *expected, int line)
{
	json_t *j = json_loads(r->stats ? r->stats : "{}", 0, NULL);
	json_t *v = json_object_get(j, name);
	char *text = v ? json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY
	                                  | JSON_REAL_PRECISION(15)) : strdup("(none)");

	check_text(text, expected, __FILE__, line);
	free(text);
	json_decref(j);
}
#define MEMBER(r, name, expected) check_member((r), (name), (expected), __LINE__)

/* The run ends with the last of those that are expected to finish, and its cycles are its time. */
static void test_last_one(void)
{
	static const char *const both =
		"'instances': {'w': {'module': 'worker', 'count': 2, 'params': {'parts': [4, 9]}}, "
		"'v': {'module': 'worker', 'params': {'parts': [20]}}}";
	struct run r = run(both, NULL);

	CHECK(r.status == HD_RUN_FINISHED);
	NUMBER(r.cycles, 21);
	MEMBER(&r, "cycles", "21");
	MEMBER(&r, "busy", "41"); /* a sum: 10 + 10 + 21 */
	done(&r);
	ALIKE(both, 0);
	/* an instance that is not expected ends the run at once, but not while others are */
	r = run("'instances': {'w': {'module': 'worker', 'params': {'parts': [20]}}, 'v': {'module': "
	        "'worker', 'params': {'parts': [3], 'expected': false}}}", NULL);
	NUMBER(r.cycles, 21);
	done(&r);
	r = run("'instances': {'w': {'module': 'worker', 'params': {'parts': [20], 'expected': false}}, "
	        "'v': {'module': 'worker', 'params': {'parts': [3], 'expected': false}}}", NULL);
	NUMBER(r.cycles, 4);
	done(&r);
	/* one that never finishes does not keep a run alive in which nothing happens any more */
	r = run("'instances': {'w': {'module': 'worker', 'clock': 'core', 'params': {'parts': [3]}}, "
	        "'g': {'module': 'holder', 'clock': 'core', 'params': {'text': 'a lock'}}, "
	        "'v': {'module': 'worker', 'clock': 'shut', 'params': {'parts': [5]}}}, 'clocks': {'core': {'mhz': "
	        "1000}, "
	        "'shut': {'of': 'core', 'gate': 'g'}}", NULL);
	CHECK(r.status == HD_RUN_DEADLOCK);
	done(&r);
}

/* Rows name their instance as soon as there are several, and those of a cycle have an order. */
static void test_rows(void)
{
	static const char *const three =
		"'instances': {'w': {'module': 'worker', 'count': 2, 'params': {'parts': [4, 9]}}, "
		"'a': {'module': 'worker', 'params': {'parts': [9, 12]}}}";
	struct run r = run("'instances': {'w': {'module': 'worker', 'params': {'parts': [4, 9]}}}", NULL);

	MEMBER(&r, "parts", "[{\"part\":0,\"edge\":4},{\"part\":1,\"edge\":9}]");
	done(&r);
	r = run(three, NULL);
	MEMBER(&r, "parts",
	       "[{\"part\":0,\"edge\":4,\"instance\":\"w[0]\"},{\"part\":0,\"edge\":4,\"instance\":\"w[1]\"},"
	       "{\"part\":0,\"edge\":9,\"instance\":\"a\"},{\"part\":1,\"edge\":9,\"instance\":\"w[0]\"},"
	       "{\"part\":1,\"edge\":9,\"instance\":\"w[1]\"},{\"part\":1,\"edge\":12,\"instance\":\"a\"}]");
	done(&r);
	ALIKE(three, 0);
}

/* What the statistics grow by has no row if other instances have rows in the same table, whichever is
 * evaluated first. */
static void test_rows_of_others(void)
{
	ALIKE("'instances': {'v': {'module': 'worker', 'params': {'parts': [4], 'expected': false}}, "
	      "'w': {'module': 'worker', 'params': {'parts': [4], 'apart': true}}}", 0);
	ALIKE("'instances': {'v': {'module': 'worker', 'params': {'parts': [9], 'expected': false}}, "
	      "'w': {'module': 'worker', 'params': {'parts': [4, 9], 'apart': true}}}", 0);
}

/* Figures of a part, and the shares of its edges. */
#define FIGURES(sent, got, idle, busy, work)                                                       \
	"\"figures\":{\"sent\":" sent ",\"sum\":{\"got\":" got ",\"idle\":" idle "},\"busy\":" busy "}," \
	"\"rates\":{\"work\":{\"w\":" work "}}"

/* What the statistics grow by from one row to the next.  The queue in front of the sink holds 3 from
 * edge 0 on, 2 from 5, 4 from 10, 3 from 15, 2 from 20, 1 from 25, none from 30; the present edge is not
 * counted yet. */
static void test_parts(void)
{
	static const char *const body =
		"'instances': {'s': {'module': 'source', 'params': {'count': 6, 'every': 10, 'batch': 3}}, "
		"'t': {'module': 'sink', 'params': {'every': 5}}, "
		"'w': {'module': 'worker', 'params': {'parts': [9, 12, 22, 30], 'apart': true}}}, "
		"'links': [{'from': 's.out', 'to': 't.in', 'capacity': 8}]";
	struct run r = run(body, NULL);

	MEMBER(&r, "queues", "{\"t.in\":{\"mean\":2.5,\"most\":4,\"unit\":\"payloads\",\"capacity\":8}}");
	MEMBER(&r, "parts", "["
	       "{\"part\":0,\"edge\":9,\"statistics\":{\"s\":{\"sent\":3},\"t\":{\"got\":1,\"idle\":9},"
	       "\"w\":{\"busy\":10}},\"queues\":{\"t.in\":{\"mean\":2.555556,\"most\":3}},"
	       FIGURES("3", "1", "9", "10", "1.0") "},"
	       "{\"part\":1,\"edge\":12,\"statistics\":{\"s\":{\"sent\":3},\"t\":{\"got\":1,\"idle\":2},"
	       "\"w\":{\"busy\":3}},\"queues\":{\"t.in\":{\"mean\":3.333333,\"most\":4}},"
	       FIGURES("3", "1", "2", "3", "1.0") "},"
	       "{\"part\":2,\"edge\":22,\"statistics\":{\"t\":{\"got\":2,\"idle\":8},"
	       "\"w\":{\"busy\":10}},\"queues\":{\"t.in\":{\"mean\":3.1,\"most\":4}},"
	       FIGURES("0", "2", "8", "10", "1.0") "},"
	       "{\"part\":3,\"edge\":30,\"statistics\":{\"t\":{\"got\":2,\"idle\":6},"
	       "\"w\":{\"busy\":8}},\"queues\":{\"t.in\":{\"mean\":1.375,\"most\":2}},"
	       FIGURES("0", "2", "6", "8", "1.0") "}]");
	done(&r);
	ALIKE(body, 0);
	/* parts of several instances overlap */
	r = run("'instances': {'w': {'module': 'worker', 'count': 2, 'params': {'parts': [4], 'apart': "
	        "true}}}", NULL);
	MEMBER(&r, "parts", "[{\"part\":0,\"edge\":4,\"instance\":\"w[0]\"},"
	       "{\"part\":0,\"edge\":4,\"instance\":\"w[1]\"}]");
	done(&r);
}

/* Arrays of arrays are one line, and each instance counts with the edges of its own clock. */
static void test_rates(void)
{
	static const char *const body =
		"'clocks': {'core': {'mhz': 1000}, 'fast': {'of': 'core', 'times': 4}}, 'instances': "
		"{'w': {'module': 'worker', 'count': 2, 'clock': 'core', 'params': {'parts': [9]}}, "
		"'v': {'module': 'worker', 'clock': 'fast', 'params': {'parts': [9]}}}";
	struct run r;
	struct hd_sim *s = open_sim(body, NULL, &r);
	json_t *rates;
	char *text;

	if (!s)
		return;
	while ((r.status = hd__sim_run(s, 1000)) == HD_RUN_MORE)
		;
	rates = hd__stats_rates(s);
	text = json_dumps(rates, JSON_COMPACT);
	TEXT(text, "{\"work\":{\"v\":{\"count\":1,\"sum\":10,\"edges\":37},"
	     "\"w\":{\"count\":2,\"sum\":20,\"edges\":20}}}");
	free(text);
	json_decref(rates);
	close_sim(s, &r);
	done(&r);
}

/* How far a run is, all of its instances together. */
static void test_progress(void)
{
	struct run r;
	struct hd_sim *s = open_sim("'instances': {'w': {'module': 'worker', 'params': {'parts': "
	                            "[4, 9, 12]}}, 'v': {'module': 'worker', 'params': {'parts': "
	                            "[5, 30]}}}", NULL, &r);

	if (!s)
		return;
	hd__sim_halt(s, 10);
	while ((r.status = hd__sim_run(s, 1000)) == HD_RUN_MORE)
		;
	CHECK(s->done == 3 && s->total == 5);
	hd__sim_halt(s, UINT64_MAX);
	r.status = HD_RUN_MORE;
	close_sim(s, &r);
	done(&r);
}

void test_several(void)
{
	test_last_one();
	test_rows();
	test_rows_of_others();
	test_parts();
	test_rates();
	test_progress();
}
