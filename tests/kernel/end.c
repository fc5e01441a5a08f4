/* end.c - how runs end, and services of the kernel for modules: failures, names, records
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel.h"

#include <stdlib.h>

/* No process is awake and work is pending: the report of a deadlock. */
static void test_deadlock(void)
{
	static const char *const body =
		"'instances': {'s': {'module': 'source', 'params': {'count': 9}}, "
		"'t': {'module': 'source', 'count': 2, 'params': {'count': 1}}, "
		"'h': {'module': 'holder', 'params': {'text': 'a lock'}}, "
		"'i': {'module': 'holder', 'count': 2}}, "
		"'links': [{'from': 's.out', 'to': 'h.in', 'capacity': 3}, "
		"{'from': ['t[1].out', 't[0].out'], 'to': 'i[1].in', 'capacity': 2}]";
	struct run r = run(body, NULL);

	CHECK(r.status == HD_RUN_DEADLOCK);
	TEXT(r.deadlock,
	     "  s: 6 tokens not put\n  h: a lock\n"
	     "  h: 3 of 'token' wait at port 'in', sent by 's'\n"
	     "  i[1]: 2 of 'token' wait at port 'in', sent by 't[1]' or another producer\n");
	NUMBER(r.cycles, 5);
	done(&r);
	/* no process awake and nothing pending is an end */
	r = run("'instances': {'s': {'module': 'source'}, 'k': {'module': 'sink'}}, "
	        "'links': [{'from': 's.out', 'to': 'k.in'}]", NULL);
	CHECK(r.status == HD_RUN_FINISHED && !r.deadlock);
	done(&r);
	/* a timer in the past does not end the run while work is pending */
	r = run("'instances': {'z': {'module': 'sleeper', 'params': {'naps': [0, 0, 0]}}, "
	        "'h': {'module': 'holder', 'params': {'text': 'x'}}}", NULL);
	CHECK(r.status == HD_RUN_DEADLOCK);
	TEXT(r.log, "0 z woke 0\n1 z woke 1\n2 z woke 2\n");
	done(&r);
}

/* No instance is expected to finish: the run ends when no work is left, and where it ends does not depend
 * on sleep. */
static void test_no_work_left(void)
{
	static const char *const body =
		"'instances': {'s': {'module': 'source', 'params': {'count': 5, 'every': 100}}, 'k': {'module': "
		"'sink'}}, "
		"'links': [{'from': 's.out', 'to': 'k.in', 'latency': 7}]";
	struct run r = run(body, NULL);

	CHECK(r.status == HD_RUN_FINISHED);
	CHECK(r.cycles > 400 && r.cycles < 420);
	done(&r);
	ALIKE(body, 0);
}

/* A process is awake and nothing moves: the watchdog reports it like a deadlock. */
static void test_watchdog(void)
{
	static const char *const body =
		"'watchdog': 3000, 'instances': {'s': {'module': 'source', 'params': {'count': 2}}, "
		"'h': {'module': 'holder', 'params': {'spin': true, 'text': 'a spin'}}}, "
		"'links': [{'from': 's.out', 'to': 'h.in'}]";
	struct hd_options awake = { .no_sleep = true };
	struct run r = run(body, NULL);

	CHECK(r.status == HD_RUN_DEADLOCK);
	TEXT(r.deadlock, "  s: 1 tokens not put\n  h: a spin\n"
	     "  h: 1 of 'token' wait at port 'in', sent by 's'\n");
	CHECK(r.cycles > 3000 && r.cycles < 3000 + 2 * 1024);
	done(&r);
	r = run(body, &awake);
	CHECK(r.status == HD_RUN_DEADLOCK);
	done(&r);
	/* it does not report a wait for a known edge, however long */
	r = run("'watchdog': 100, 'instances': {'z': {'module': 'sleeper', "
	        "'params': {'naps': [60000, 1]}}, 'h': {'module': 'holder', 'params': {'spin': true}}, "
	        "'f': {'module': 'fault', 'params': {'where': 'finish', 'at': 60001}}}", NULL);
	CHECK(r.status == HD_RUN_FINISHED);
	NUMBER(r.cycles, 60002);
	done(&r);
}

/* Payloads without room are noticed while the run goes on, even if there is room for all at its end. */
static void test_without_room(void)
{
	struct hd_options awake = { .no_sleep = true };
	struct run r = run("'instances': {'s': {'module': 'source', 'params': {'count': 4, 'batch': 4, 'blind': "
	                   "true}}, "
	                   "'k': {'module': 'sink', 'params': {'every': 1000}}}, "
	                   "'links': [{'from': 's.out', 'to': 'k.in', 'capacity': 2}]", &awake);

	CHECK(r.status == HD_RUN_FAILED);
		NUMBER(r.cycles, 1);
	CHECK(strstr(r.messages, ": module 'source' has put payloads into port 'out' without room: 4 in 2 places; "
	             "expected hd_room() before hd_put()"));
	done(&r);
}

static struct run fault(const char *where)
{
	char *text = hd__format("'instances': {'f': {'module': 'fault', 'params': {'where': '%s', "
	                        "'at': 7}}, 'z': {'module': 'sleeper', 'params': {'naps': [1], "
	                        "'repeat': 1}}}", where);
	struct hd_options o = { .max_cycles = 20 };
	struct run r = run(text, &o);

	free(text);
	return r;
}

static void test_faults(void)
{
	struct run r = fault("error");

	CHECK(r.status == HD_RUN_BAD_INPUT);
	TEXT(r.messages, "heddle: error: f: cycle 8: bad input\n");
	NUMBER(r.cycles, 8);
	NUMBER(stat_of(&r, "z", "edges"), 8); /* the edge is completed */
	done(&r);
	r = fault("fail");
	CHECK(r.status == HD_RUN_FAILED);
	TEXT(r.messages, "heddle: error: f: cycle 8: broken\n");
	done(&r);
	r = fault("finish");
	CHECK(r.status == HD_RUN_FINISHED);
	TEXT(r.messages, "");
	NUMBER(r.cycles, 8);
	done(&r);
	r = fault("warn");
	CHECK(r.status == HD_RUN_LIMIT);
	TEXT(r.messages, "heddle: warning: f: cycle 8: odd\n");
	NUMBER(r.cycles, 20);
	done(&r);
	/* no instance starts if one does not, and all are freed */
	REFUSED("'instances': {'f': {'module': 'fault', 'params': {'where': 'init'}}, "
	        "'g': {'module': 'fault', 'params': {'where': 'fail'}}}",
	        "instance 'f': does not start\n");
	REFUSED("'instances': {'g': {'module': 'fault', 'count': 2, 'params': {'where': 'fail'}}, "
	        "'f': {'module': 'fault', 'count': 2, 'params': {'where': 'start'}}}",
	        "instance 'f[0]': does not begin\n");
	/* providers start before their users, one of a circle before the others */
	REFUSED("'instances': {'u': {'module': 'fault', 'params': {'where': 'start'}}, "
	        "'m': {'module': 'fault', 'params': {'where': 'fail'}}, "
	        "'p': {'module': 'fault', 'params': {'where': 'start'}}}, "
	        "'links': [{'from': 'u.boards', 'to': 'm.board'}, {'from': 'm.boards', 'to': 'p.board'}]",
	        "instance 'p': does not begin\n");
	REFUSED("'instances': {'u': {'module': 'fault', 'params': {'where': 'start'}}, "
	        "'p': {'module': 'fault', 'params': {'where': 'start'}}}, "
	        "'links': [{'from': 'u.boards', 'to': 'p.board'}, {'from': 'p.boards', 'to': 'u.board'}]",
	        "instance 'p': does not begin\n");
}

/* Two simulations in turns: neither affects the other. */
static void test_two(void)
{
	static const char *const one =
		"'instances': {'s': {'module': 'source', 'params': {'count': 500}}, "
		"'p': {'module': 'stage'}, 'k': {'module': 'sink', 'params': {'every': 3}}}, "
		"'links': [{'from': 's.out', 'to': 'p.in', 'staged': true}, "
		"{'from': 'p.out', 'to': 'k.in', 'latency': 4}]";
	static const char *const two =
		"'instances': {'s': {'module': 'source', 'params': {'count': 300, 'every': 2}}, "
		"'p': {'module': 'stage'}, 'k': {'module': 'sink'}}, "
		"'links': [{'from': 's.out', 'to': 'p.in'}, {'from': 'p.out', 'to': 'k.in', 'latency': 0}]";
	struct run alone[2] = { run(one, NULL), run(two, NULL) }, r[2];
	struct hd_sim *s[2] = { open_sim(one, NULL, &r[0]), open_sim(two, NULL, &r[1]) };
	bool more = true;

	while (s[0] && s[1] && more) {
		more = false;
		for (int i = 0; i < 2; i++) {
			if (r[i].status == HD_RUN_MORE)
				r[i].status = hd__sim_run(s[i], 1 + (uint64_t)i * 2);
			more = more || r[i].status == HD_RUN_MORE;
		}
	}
	for (int i = 0; i < 2; i++) {
		if (s[i])
			close_sim(s[i], &r[i]);
		TEXT(r[i].stats, alone[i].stats);
		TEXT(r[i].log, alone[i].log);
		NUMBER(r[i].cycles, alone[i].cycles);
		done(&alone[i]);
		done(&r[i]);
	}
}

/* At most 64 names of a kind, from all instances. */
static void test_names(void)
{
	char *list = hd__format("'t0'"), *body;
	struct run r;

	for (int i = 1; i < 64; i++) {
		char *longer = hd__format("%s, 't%d'", list, i);

		free(list);
		list = longer;
	}
	body = hd__format("'instances': {'n': {'module': 'names', 'params': {'set': [%s]}}, "
	                  "'m': {'module': 'names', 'params': {'more': ['t7', 't63']}}}", list);
	r = run(body, NULL);
	CHECK(r.built);
	done(&r);
	free(body);
	body = hd__format("'instances': {'n': {'module': 'names', 'params': {'set': [%s], "
	                  "'more': ['t64']}}}", list);
	REFUSED(body, "too many names of kind 'thing'; expected at most 64, and 't64' is one more\n");
	free(body);
	body = hd__format("'instances': {'n': {'module': 'names', 'params': {'set': [%s], 'own': 1}}}",
	                  list);
	REFUSED(body, "instance 'n': too many things\n");
	free(body);
	free(list);
}

static void test_pool(void)
{
	struct run r = run("'instances': {'p': {'module': 'pooler', 'params': {'count': 10000}}, "
	                   "'q': {'module': 'sleeper'}}", NULL);

	CHECK(r.status == HD_RUN_FINISHED);
	NUMBER(stat_of(&r, "p", "wrong"), 0);
	done(&r);
	/* more than the maximum: the run fails, but not before the edge is over */
	r = run("'instances': {'p': {'module': 'pooler', 'params': {'count': 262146}}, "
	        "'q': {'module': 'sleeper'}}", NULL);
	CHECK(r.status == HD_RUN_FAILED);
	TEXT(r.messages, "heddle: error: p: cycle 1: more than 262142 records of type 'record' are in use; "
	     "expected that each is released in the end\n");
	NUMBER(r.cycles, 1);
	done(&r);
}

/* A netlist without clocks, without instances, without work. */
static void test_empty(void)
{
	struct run r = run("'instances': {}", NULL);

	CHECK(r.status == HD_RUN_FINISHED);
	done(&r);
	r = run("'instances': {'b': {'module': 'board'}}", NULL);
	CHECK(r.status == HD_RUN_FINISHED);
	done(&r);
}

void test_end(void)
{
	test_deadlock();
	test_no_work_left();
	test_watchdog();
	test_without_room();
	test_faults();
	test_two();
	test_names();
	test_pool();
	test_empty();
}
