/* order.c - order within an edge: listed order, rotation, phases, loops
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel.h"

#include <stdlib.h>

/* Producers of one channel come in the order in which the netlist lists them. */
static void test_producers(void)
{
	LOG("'instances': {'a': {'module': 'source', 'params': {'id': 1, 'count': 1}}, "
	    "'b': {'module': 'source', 'params': {'id': 2, 'count': 1}}, "
	    "'c': {'module': 'source', 'params': {'id': 3, 'count': 1}}, "
	    "'k': {'module': 'sink', 'params': {'batch': 3}}}, "
	    "'links': [{'from': ['c.out', 'a.out'], 'to': 'k.in', 'capacity': 3}, "
	    "{'from': 'b.out', 'to': 'k.in'}]", 0,
	    "0 c put 0\n0 a put 0\n0 b put 0\n1 k got 0 3\n1 k got 0 1\n1 k got 0 2\n");
	/* the first of the list starves the others */
	LOG("'instances': {'s': {'module': 'source', 'count': 3}, 'k': {'module': 'sink'}}, "
	    "'links': [{'from': ['s[2].out', 's[0].out', 's[1].out'], 'to': 'k.in'}]", 3,
	    "0 s[2] put 0\n1 k got 0 0\n1 s[2] put 1\n2 k got 1 0\n2 s[2] put 2\n");
	/* also when one of another clock is listed between them */
	LOG("'clocks': {'core': {'mhz': 1}, 'late': {'of': 'core', 'phase': '1/2'}}, 'instances': "
	    "{'a': {'module': 'source', 'clock': 'core', 'params': {'id': 1, 'count': 1}}, "
	    "'b': {'module': 'source', 'clock': 'late', 'params': {'id': 2, 'count': 1}}, "
	    "'c': {'module': 'source', 'clock': 'core', 'params': {'id': 3, 'count': 1}}, "
	    "'k': {'module': 'sink', 'clock': 'core', 'params': {'batch': 3}}}, "
	    "'links': [{'from': ['c.out', 'b.out', 'a.out'], 'to': 'k.in', 'capacity': 3}]", 0,
	    "0 c put 0\n0 a put 0\n0 b put 0\n1 k got 0 3\n1 k got 0 1\n1 k got 0 2\n");
	/* an array port has a channel for each link, and takes from them as listed */
	LOG_ANY("'instances': {'s': {'module': 'source', 'count': 2, 'params': {'count': 2}}, "
	        "'r': {'module': 'router'}, 'k': {'module': 'holder'}, 'l': {'module': 'holder'}}, "
	        "'links': [{'from': ['s[1].out', 's[0].out'], 'to': 'r.in'}, "
	        "{'from': 'r.out', 'to': 'k.in', 'residue': 1, 'capacity': 2}, "
	        "{'from': 'r.out', 'to': 'l.in', 'residue': 0}]", 4,
	        "0 s[0] put 0\n0 s[1] put 0\n1 r route 0 0 1\n1 s[1] put 1\n2 r route 1 0 0\n");
}

/* Consumers of one channel: the first of the list comes first. */
static void test_consumers(void)
{
	LOG("'instances': {'s': {'module': 'source', 'params': {'batch': 2}}, "
	    "'k': {'module': 'sink', 'count': 2}}, "
	    "'links': [{'from': 's.out', 'to': 'k[1].in', 'capacity': 2}, "
	    "{'from': 's.out', 'to': 'k[0].in'}]", 0,
	    "0 s put 0\n0 s put 1\n1 k[1] got 0 0\n1 k[0] got 1 0\n1 s put 2\n1 s put 3\n"
	    "2 k[1] got 2 0\n2 k[0] got 3 0\n");
}

/* The first place moves on by one each edge, asleep or not. */
static void test_rotate(void)
{
	static const char *const turns =
		"'instances': {'s': {'module': 'source', 'count': 3, 'params': {'count': 20}}, "
		"'k': {'module': 'sink', 'params': {'finish': 60, 'every': 2}}}, "
		"'links': [{'from': 's[*].out', 'to': 'k.in', 'rotate': true}]";
	static const char *const users =
		"'instances': {'b': {'module': 'board'}, 'u': {'module': 'user', 'count': 3, "
		"'params': {'count': 4}}, 'v': {'module': 'user', 'params': {'id': 10}}}, "
		"'links': [{'from': ['u[*].boards', 'v.boards'], 'to': 'b.ordered'%s}]";
	static const char *const gated =
		"'clocks': {'core': {'mhz': 1000}, 'x': {'of': 'core', 'gate': 'g'}, "
		"'y': {'of': 'core'}, 'z': {'of': 'y'}}, "
		"'instances': {'g': {'module': 'gatekeeper', 'clock': 'core', 'params': {'naps': [2, 100]}}, "
		"'b': {'module': 'board', 'clock': 'core'}, "
		"'v': {'module': 'user', 'clock': 'x', 'params': {'count': 4, 'id': 1}}, "
		"'w': {'module': 'user', 'clock': 'z', 'params': {'count': 4, 'id': 2}}}, "
		"'links': [{'from': ['v.boards', 'w.boards'], 'to': 'b.ordered', 'rotate': true}]";
	char *text;

	LOG("'instances': {'s': {'module': 'source', 'count': 3, 'params': {'count': 2}}, "
	    "'k': {'module': 'sink'}}, "
	    "'links': [{'from': 's[*].out', 'to': 'k.in', 'rotate': true}]", 0,
	    "0 s[0] put 0\n1 k got 0 0\n1 s[1] put 0\n2 k got 0 0\n2 s[2] put 0\n3 k got 0 0\n"
	    "3 s[0] put 1\n4 k got 1 0\n4 s[1] put 1\n5 k got 1 0\n5 s[2] put 1\n6 k got 1 0\n");
	text = hd__format(users, ", 'rotate': true");
	LOG(text, 2, "0 b poke 2 0\n0 b poke 2 1\n0 b poke 2 2\n0 b poke 2 10\n"
	    "1 b poke 2 1\n1 b poke 2 2\n1 b poke 2 0\n");
	free(text);
	text = hd__format(users, "");
	LOG(text, 2, "0 b poke 2 0\n0 b poke 2 1\n0 b poke 2 2\n0 b poke 2 10\n"
	    "1 b poke 2 0\n1 b poke 2 1\n1 b poke 2 2\n");
	free(text);
	/* several clocks that step together, one of them with a gate: the common one counts */
	LOG(gated, 5, "0 b poke 2 2\n1 b poke 2 2\n1 b poke 2 1\n2 b poke 2 1\n2 b poke 2 2\n"
	    "3 b poke 2 2\n");
	ALIKE(gated, 9);
	ALIKE(turns, 0);
	/* neighbouring groups, more than fit in a word */
	ALIKE("'instances': {'s': {'module': 'source', 'count': 40, 'params': {'count': 7}}, "
	      "'t': {'module': 'source', 'count': 64, 'params': {'count': 5}}, "
	      "'k': {'module': 'sink', 'params': {'finish': 280, 'batch': 2}}, "
	      "'l': {'module': 'sink', 'params': {'batch': 3}}}, "
	      "'links': [{'from': 's[*].out', 'to': 'k.in', 'rotate': true, 'capacity': 3}, "
	      "{'from': 't[*].out', 'to': 'l.in', 'rotate': true, 'capacity': 2}]", 0);
}

static void test_rotate_refused(void)
{
	REFUSED("'instances': {'s': {'module': 'source', 'count': 65}, 'k': {'module': 'sink'}}, "
	        "'links': [{'from': 's[*].out', 'to': 'k.in', 'rotate': true}]",
	        "at most 64 instances can rotate\n");
	REFUSED("'instances': {'b': {'module': 'board', 'count': 2}, "
	        "'u': {'module': 'user', 'count': 3}}, "
	        "'links': [{'from': 'u[*].boards', 'to': 'b[0].release', 'rotate': true}, "
	        "{'from': ['u[0].boards', 'u[1].boards'], 'to': 'b[1].release', 'rotate': true}]",
	        "the ends of this link already rotate with others; an instance can rotate in one "
	        "group only\n");
	REFUSED("'clocks': {'a': {'mhz': 1}, 'b': {'of': 'a', 'phase': '1/2'}}, 'instances': "
	        "{'s': {'module': 'source', 'clock': 'a'}, 't': {'module': 'source', 'clock': 'b'}, "
	        "'k': {'module': 'sink', 'clock': 'a'}}, "
	        "'links': [{'from': ['s.out', 't.out'], 'to': 'k.in', 'rotate': true}]",
	        "instances that rotate need one clock, or clocks that derive edge for edge from one\n");
}

/* All releases come before all checks, and ordered calls in the order of the links. */
static void test_interfaces(void)
{
	LOG("'instances': {'b': {'module': 'board'}, 'a': {'module': 'user', 'params': {'id': 9}}, "
	    "'z': {'module': 'user', 'count': 2, 'params': {'count': 2}}, "
	    "'y': {'module': 'user', 'count': 2, 'params': {'id': 5, 'count': 2}}}, "
	    "'links': [{'from': ['y[1].boards', 'y[0].boards', 'a.boards'], 'to': 'b.ordered'}, "
	    "{'from': ['z[1].boards'], 'to': 'b.release'}]", 0,
	    "0 b poke 0 1\n0 b poke 2 6\n0 b poke 2 5\n0 b poke 2 9\n1 b poke 0 1\n1 b poke 2 6\n"
	    "1 b poke 2 5\n");
	/* an instance that releases and checks comes where both allow it */
	LOG("'instances': {'b': {'module': 'board'}, 'u': {'module': 'user', 'count': 3}}, "
	    "'links': [{'from': 'u[2].boards', 'to': 'b.check'}, "
	    "{'from': 'u[0].boards', 'to': 'b.release'}, {'from': 'u[2].boards', 'to': 'b.release'}]", 0,
	    "0 b poke 0 0\n0 b poke 1 2\n0 b poke 0 2\n");
	LOG("'clocks': {'core': {'mhz': 1}, 'late': {'of': 'core', 'phase': '1/2'}}, 'instances': "
	    "{'b': {'module': 'board', 'clock': 'core'}, "
	    "'u': {'module': 'user', 'clock': 'core', 'count': 2}, "
	    "'v': {'module': 'user', 'clock': 'late', 'params': {'id': 9}}}, "
	    "'links': [{'from': ['u[1].boards', 'v.boards', 'u[0].boards'], 'to': 'b.ordered'}]", 0,
	    "0 b poke 2 1\n0 b poke 2 0\n0 b poke 2 9\n");
	/* the provider is evaluated first, if its port requires that */
	LOG("'instances': {'a': {'module': 'user', 'params': {'count': 2}}, 'c': {'module': 'clerk'}}, "
	    "'links': [{'from': 'a.boards', 'to': 'c.desk'}]", 3,
	    "0 c turn 0\n0 c asked 0\n1 c turn 1\n1 c asked 0\n2 c turn 2\n");
	/* an array port has its interfaces in the order of the links */
	LOG("'instances': {'b': {'module': 'board', 'count': 2}, 'a': {'module': 'user'}}, "
	    "'links': [{'from': 'a.boards', 'to': 'b[1].check'}, "
	    "{'from': 'a.boards', 'to': 'b[*].release'}]", 0,
	    "0 b[1] poke 1 0\n0 b[0] poke 0 0\n0 b[1] poke 0 0\n");
}

static void test_loops(void)
{
	REFUSED("'instances': {'p': {'module': 'stage', 'count': 3}}, "
	        "'links': [{'from': 'p[0].out', 'to': 'p[1].in', 'latency': 0}, "
	        "{'from': 'p[1].out', 'to': 'p[2].in', 'latency': 0}, "
	        "{'from': 'p[2].out', 'to': 'p[0].in', 'latency': 0}]",
	        "no order of evaluation satisfies these links: p[2] must follow p[1] (link p.out to "
	        "p.in); p[0] must follow p[2] (link p.out to p.in); p[1] must follow p[0] (link p.out "
	        "to p.in); expected \"staged\" on one of them\n");
	/* x releases what y checks, and vice versa */
	REFUSED("'instances': {'b': {'module': 'board'}, 'c': {'module': 'board'}, "
	        "'x': {'module': 'user'}, 'y': {'module': 'user'}}, "
	        "'links': [{'from': 'x.boards', 'to': 'b.release'}, "
	        "{'from': 'y.boards', 'to': 'b.check'}, {'from': 'y.boards', 'to': 'c.release'}, "
	        "{'from': 'x.boards', 'to': 'c.check'}]",
	        "no order of evaluation satisfies these links: x must follow y (link x.boards to "
	        "c.check); y must follow x (link y.boards to b.check); expected one of them removed (all are "
	        "interfaces, which cannot be \"staged\")\n");
	/* of two that rotate, one of x must follow y, and another must come before it */
	REFUSED("'instances': {'b': {'module': 'board'}, 'c': {'module': 'board'}, 'd': {'module': 'board'}, "
	        "'x': {'module': 'user', 'count': 2}, 'y': {'module': 'user'}}, "
	        "'links': [{'from': 'x[*].boards', 'to': 'd.ordered', 'rotate': true}, {'from': 'x[0].boards', "
	        "'to': 'b.release'}, "
	        "{'from': 'y.boards', 'to': 'b.check'}, {'from': 'y.boards', 'to': 'c.release'}, "
	        "{'from': 'x[1].boards', 'to': 'c.check'}]",
	        "no order of evaluation satisfies these links: y must follow x[0] (link y.boards to b.check); x[1] "
	        "must "
	        "follow y (link x.boards to c.check); expected one of them removed (all are interfaces, which "
	        "cannot be "
	        "\"staged\"), or no \"rotate\" on link x.boards to d.ordered\n");
	/* a wire from an instance to itself has no order either */
	REFUSED("'instances': {'p': {'module': 'stage'}}, "
	        "'links': [{'from': 'p.out', 'to': 'p.in', 'latency': 0}]",
	        "no order of evaluation satisfies these links: p must follow p (link p.out to p.in); "
	        "expected \"staged\" on one of them\n");
	/* two whose edges never coincide need none */
	LOG("'clocks': {'a': {'mhz': 1}, 'b': {'of': 'a', 'phase': '1/2'}}, 'instances': "
	    "{'r': {'module': 'router', 'clock': 'a'}, 'p': {'module': 'stage', 'clock': 'b'}, "
	    "'s': {'module': 'source', 'clock': 'b', 'params': {'count': 1}}}, "
	    "'links': [{'from': ['s.out', 'p.out'], 'to': 'r.in', 'capacity': 2}, "
	    "{'from': 'r.out', 'to': 'p.in', 'residue': 0}]", 4,
	    "0 s put 0\n1 r route 0 0 0\n2 r route 0 1 0\n3 r route 0 1 0\n");
}

/* Instances that nothing orders: figures do not depend on which comes first. */
static void test_shuffle(void)
{
	ALIKE("'instances': {'s': {'module': 'source', 'count': 5, 'params': {'count': 300, "
	      "'every': 2}}, 'r': {'module': 'router', 'count': 2, 'params': {'modulo': 3}}, "
	      "'p': {'module': 'stage', 'count': 9}, 'q': {'module': 'stage', 'count': 3}, "
	      "'k': {'module': 'sink', 'params': {'every': 3, 'batch': 4}}, "
	      "'l': {'module': 'sink', 'params': {'finish': 200}}}, "
	      "'links': [{'from': ['s[0].out', 's[3].out'], 'to': 'r[0].in', 'capacity': 2}, "
	      "{'from': 's[1].out', 'to': 'r[1].in', 'latency': 2}, "
	      "{'from': ['s[4].out', 's[2].out'], 'to': 'p[8].in', 'staged': true}, "
	      "{'from': 'r[0].out', 'to': 'p[0].in', 'residue': 0}, "
	      "{'from': 'r[0].out', 'to': 'p[1].in', 'residue': 1, 'latency': 0}, "
	      "{'from': 'r[0].out', 'to': 'p[2].in', 'residue': 2, 'latency': 5}, "
	      "{'from': 'r[1].out', 'to': 'p[3].in', 'residue': 0}, "
	      "{'from': 'r[1].out', 'to': 'p[4].in', 'residue': 1, 'staged': true}, "
	      "{'from': 'r[1].out', 'to': 'p[5].in', 'residue': 2}, "
	      "{'from': ['p[0].out', 'p[3].out'], 'to': 'q[0].in'}, "
	      "{'from': ['p[4].out', 'p[1].out'], 'to': 'q[1].in', 'rotate': true}, "
	      "{'from': 'p[2].out', 'to': 'q[2].in', 'capacity': 4}, "
	      "{'from': 'p[5].out', 'to': 'p[6].in'}, {'from': 'p[6].out', 'to': 'p[7].in'}, "
	      "{'from': ['q[2].out', 'q[0].out', 'q[1].out'], 'to': 'k.in', 'capacity': 5}, "
	      "{'from': ['p[7].out', 'p[8].out'], 'to': 'l.in'}]", 0);
}

void test_order(void)
{
	test_producers();
	test_consumers();
	test_rotate();
	test_rotate_refused();
	test_interfaces();
	test_loops();
	test_shuffle();
}
