/* links.c - channels: latency, capacity, register sets, staged links, which ends may be joined
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel.h"
#include "kernel/flatten.h"

#include <stdlib.h>

#define PAIR(link) "'instances': {'s': {'module': 'source'}, 'k': {'module': 'sink'}}, " \
	"'links': [{'from': 's.out', 'to': 'k.in'" link "}]"

/* The consumer comes first: a take makes room in the same edge. */
static void test_latency_one(void)
{
	static const char *const log =
		"0 s put 0\n1 k got 0 0\n1 s put 1\n2 k got 1 0\n2 s put 2\n3 k got 2 0\n3 s put 3\n"
		"4 k got 3 0\n";
	struct run r;

	LOG(PAIR(""), 0, log);
	LOG(PAIR(", 'latency': 1, 'capacity': 1"), 0, log);
	LOG(PAIR(", 'capacity': 7"), 0, log);
	/* names that sort the other way change nothing */
	LOG("'instances': {'a': {'module': 'sink'}, 'b': {'module': 'source'}}, "
	    "'links': [{'from': 'b.out', 'to': 'a.in'}]", 3,
	    "0 b put 0\n1 a got 0 0\n1 b put 1\n2 a got 1 0\n2 b put 2\n");
	/* one place, one token per edge */
	r = run("'instances': {'s': {'module': 'source', 'params': {'count': 1000}}, "
	        "'k': {'module': 'sink', 'params': {'finish': 1000}}}, "
	        "'links': [{'from': 's.out', 'to': 'k.in'}]", NULL);
	CHECK(r.status == HD_RUN_FINISHED);
	NUMBER(r.cycles, 1001);
	NUMBER(stat_of(&r, "s", "waits"), 0);
	done(&r);
}

/* A chain of registers, each with one place, moves one token per edge through every stage. */
static void test_chain(void)
{
	static const char *const chain =
		"'instances': {'s': {'module': 'source', 'params': {'count': 100}}, "
		"'p': {'module': 'stage', 'count': 5}, "
		"'k': {'module': 'sink', 'params': {'finish': 100}}}, "
		"'links': [{'from': 's.out', 'to': 'p[3].in'}, {'from': 'p[3].out', 'to': 'p[0].in'}, "
		"{'from': 'p[0].out', 'to': 'p[4].in'}, {'from': 'p[4].out', 'to': 'p[1].in'}, "
		"{'from': 'p[1].out', 'to': 'p[2].in'}, {'from': 'p[2].out', 'to': 'k.in'}]";
	struct run r = run(chain, NULL);

	NUMBER(r.cycles, 106);
	done(&r);
	ALIKE(chain, 0);
}

/* Registers give what FIFOs with one place give, also when one end of a link is a FIFO's. */
static void test_registers(void)
{
	static const char *const chain =
		"'instances': {'s': {'module': 'source', 'params': {'count': 100, 'batch': 2}}, "
		"'p': {'module': '%s', 'count': 4}, 'q': {'module': '%s'}, "
		"'k': {'module': 'sink', 'params': {'every': %u, 'batch': 2, 'finish': 100}}}, "
		"'links': [{'from': 's.out', 'to': 'p[3].in'}, {'from': 'p[3].out', 'to': 'p[0].in'%s}, "
		"{'from': 'p[0].out', 'to': 'q.in', 'staged': true}, {'from': 'q.out', 'to': 'p[1].in'}, "
		"{'from': 'p[1].out', 'to': 'p[2].in'}, {'from': 'p[2].out', 'to': 'k.in'}]";
	static const char *const modules[] = { "stage", "reg_stage" };

	for (unsigned every = 1; every <= 3; every++)
		for (unsigned zero = 0; zero < 2; zero++) {
			struct run fifo = { .built = false };

			for (unsigned i = 0; i < 4; i++) {
				char *text = hd__format(chain, modules[i % 2], modules[i / 2], every,
				                        zero ? ", 'latency': 0" : "");
				struct run r = run(text, NULL);

				CHECK(r.status == HD_RUN_FINISHED);
				NUMBER(stat_of(&r, "q", "passed"), 100);
				if (i == 0) {
					fifo = r;
				} else {
					TEXT(r.log, fifo.log);
					NUMBER(r.cycles, fifo.cycles);
					done(&r);
				}
				ALIKE(text, 0);
				free(text);
			}
			done(&fifo);
		}
}

/* A register has one place, and shows its payload at the next edge. */
static void test_bad_registers(void)
{
#define REG(link) "'instances': {'s': {'module': 'source'}, 'p': {'module': 'reg_stage'}, 'k': {'module': 'sink'}}, " \
	"'links': [{'from': 's.out', 'to': 'p.in'" link "}, {'from': 'p.out', 'to': 'k.in'}]"
#define ONE_OF "one of 's.out' and 'p.in' is a register, which has one place, and the channel has "
	REFUSED(REG(", 'capacity': 2"), ONE_OF "2; expected no \"capacity\", and a latency of at most 1\n");
	REFUSED(REG(", 'latency': 3"), ONE_OF "3; expected no \"capacity\", and a latency of at most 1\n");
	REFUSED(REG(", 'capacity': 3, 'staged': true"), ONE_OF "3; expected no \"capacity\", and a latency of at "
	                                                       "most 1\n");
#undef ONE_OF
#undef REG
}

/* The producer comes first, and the value is there at the same edge. */
static void test_latency_zero(void)
{
	LOG(PAIR(", 'latency': 0"), 0,
	    "0 s put 0\n0 k got 0 0\n1 s put 1\n1 k got 1 0\n2 s put 2\n2 k got 2 0\n3 s put 3\n"
	    "3 k got 3 0\n");
	/* a put is not yet a take: a consumer that refuses leaves no room */
	LOG("'instances': {'s': {'module': 'source', 'params': {'count': 3, 'batch': 4}}, "
	    "'k': {'module': 'sink', 'params': {'every': 2}}}, "
	    "'links': [{'from': 's.out', 'to': 'k.in', 'latency': 0}]", 0,
	    "0 s put 0\n0 k got 0 0\n1 s put 1\n2 k got 1 0\n3 s put 2\n4 k got 2 0\n");
	ALIKE("'instances': {'s': {'module': 'source', 'params': {'count': 30, 'batch': 4}}, "
	      "'k': {'module': 'sink', 'params': {'every': 3, 'finish': 30}}}, "
	      "'links': [{'from': 's.out', 'to': 'k.in', 'latency': 0, 'capacity': 2}]", 0);
}

static void test_latency_three(void)
{
	static const char *const slow =
		"'instances': {'s': {'module': 'source', 'params': {'count': 50, 'batch': 2}}, "
		"'k': {'module': 'sink', 'params': {'every': 4, 'batch': 3, 'finish': 50}}}, "
		"'links': [{'from': 's.out', 'to': 'k.in', 'latency': 3}]";
	struct run r;

	LOG(PAIR(", 'latency': 3"), 5,
	    "0 s put 0\n1 s put 1\n2 s put 2\n3 k got 0 0\n3 s put 3\n4 k got 1 0\n");
	/* three places suffice for one token per edge */
	r = run("'instances': {'s': {'module': 'source', 'params': {'count': 1000}}, "
	        "'k': {'module': 'sink', 'params': {'finish': 1000}}}, "
	        "'links': [{'from': 's.out', 'to': 'k.in', 'latency': 3}]", NULL);
	NUMBER(r.cycles, 1003);
	NUMBER(stat_of(&r, "s", "waits"), 0);
	done(&r);
	ALIKE(slow, 0);
	/* no process is evaluated while the only token is in flight */
	r = run("'instances': {'s': {'module': 'source', 'params': {'count': 1}}, "
	        "'k': {'module': 'sink', 'params': {'finish': 1}}}, "
	        "'links': [{'from': 's.out', 'to': 'k.in', 'latency': 60000}]", NULL);
	NUMBER(r.cycles, 60001);
	CHECK(r.evals <= 4);
	done(&r);
	/* a register set with latency: the slot is seen late and free at once */
	LOG("'instances': {'s': {'module': 'set_source', 'params': {'count': 3}}, "
	    "'k': {'module': 'set_sink'}}, "
	    "'links': [{'from': 's.out', 'to': 'k.in', 'latency': 2, 'slots': 2}]", 0,
	    "0 s slot 0 0 0\n1 s slot 1 1 0\n2 k slot 0 0 0\n2 s slot 0 2 0\n3 k slot 1 1 0\n"
	    "4 k slot 0 2 0\n");
}

/* Neither order is needed: puts and takes become visible at the next edge. */
static void test_staged(void)
{
	/* Two places for one token per edge; with one the producer waits for each to have gone. */
	LOG_ANY(PAIR(", 'staged': true"), 4,
	        "0 s put 0\n1 k got 0 0\n1 s put 1\n2 k got 1 0\n2 s put 2\n3 k got 2 0\n3 s put 3\n");
	LOG_ANY("'instances': {'s': {'module': 'source', 'params': {'count': 3}}, "
	        "'k': {'module': 'sink'}}, "
	        "'links': [{'from': 's.out', 'to': 'k.in', 'staged': true, 'capacity': 1}]", 0,
	        "0 s put 0\n1 k got 0 0\n2 s put 1\n3 k got 1 0\n4 s put 2\n5 k got 2 0\n");
}

/* Both orders of evaluation, forced by a second link, give the same figures and no process sleeps on. */
static void test_staged_orders(void)
{
	static const char *const body =
		"'instances': {'s': {'module': 'source', 'params': {'count': 200, 'batch': 3}}, "
		"'k': {'module': 'sink', 'params': {'every': %u, 'batch': %u, 'finish': 200}}, "
		"'b': {'module': 'board'}, 'early': {'module': 'user'}, 'late': {'module': 'user'}}, "
		"'links': [{'from': 's.out', 'to': 'k.in', 'staged': true, 'capacity': %u}, "
		"{'from': ['early.boards', 'late.boards'], 'to': 'b.ordered'}]";

	for (unsigned every = 1; every <= 3; every++) {
		for (unsigned batch = 1; batch <= 3; batch++) {
			for (unsigned capacity = 1; capacity <= 4; capacity++) {
				char *text = hd__format(body, every, batch, capacity);
				struct run r = run(text, NULL);

				CHECK(r.status == HD_RUN_FINISHED);
				done(&r);
				ALIKE(text, 0);
				free(text);
			}
		}
	}
	/* slots, too */
	ALIKE("'instances': {'s': {'module': 'set_source', 'params': {'count': 99}}, "
	      "'k': {'module': 'set_sink', 'params': {'every': 3, 'finish': 99}}}, "
	      "'links': [{'from': 's.out', 'to': 'k.in', 'staged': true, 'slots': 2}]", 0);
	/* a full register set whose slots are taken in several edges of its producer's: it wakes once for them */
	ALIKE("'clocks': {'core': {'mhz': 1}, 'twice': {'of': 'core', 'times': 2}}, "
	      "'instances': {'s': {'module': 'set_source', 'clock': 'core', 'params': {'count': 400}}, "
	      "'k': {'module': 'set_sink', 'count': 2, 'clock': 'twice', 'params': {'every': 7}}}, "
	      "'links': [{'from': 's.out', 'to': 'k[*].in', 'staged': true, 'slots': 21, 'index': 'any'}]", 0);
}

/* A token that goes around for ever; the netlist is a loop without the staged link. */
static void test_staged_loop(void)
{
	static const char *const ring =
		"'instances': {'s': {'module': 'source', 'params': {'count': 2}}, "
		"'r': {'module': 'router'}, 'p': {'module': 'stage', 'count': 3}}, "
		"'links': [{'from': 's.out', 'to': 'r.in'}, "
		"{'from': 'r.out', 'to': 'p[0].in', 'residue': 0}, "
		"{'from': 'r.out', 'to': 'p[1].in', 'residue': 1}, "
		"{'from': 'p[0].out', 'to': 'r.in'%s}, "
		"{'from': 'p[1].out', 'to': 'p[2].in', 'latency': 0}, "
		"{'from': 'p[2].out', 'to': 'r.in', 'staged': true}]";
	char *text = hd__format(ring, ", 'staged': true");
	struct hd_options o = { .max_cycles = 1000 };
	struct run r = run(text, &o);

	CHECK(r.status == HD_RUN_LIMIT);
	NUMBER(stat_of(&r, "p[0]", "passed"), 499);
	NUMBER(stat_of(&r, "p[2]", "passed"), 499);
	done(&r);
	ALIKE(text, 1000);
	free(text);
	text = hd__format(ring, "");
	REFUSED(text,
	        "no order of evaluation satisfies these links: r must follow p[0] "
	        "(link r.out to p.in); p[0] must follow r (link p.out to r.in); expected \"staged\" on "
	        "one of them\n");
	free(text);
}

/* Slots of an array's elements: each its own, or all of them any. */
static void test_sets(void)
{
	/* two sources share four slots, each fills its own two; one sink empties all */
	LOG_ANY("'instances': {'s': {'module': 'set_source', 'count': 2, 'params': {'count': 2}}, "
	        "'k': {'module': 'set_sink', 'params': {'every': 2}}}, "
	    "'links': [{'from': 's[*].out', 'to': 'k.in', 'slots': 4}]", 0,
	    "0 s[0] slot 0 0 0\n0 s[1] slot 2 0 1\n1 s[0] slot 1 1 0\n1 s[1] slot 3 1 1\n"
	    "2 k slot 0 0 0\n4 k slot 1 1 0\n6 k slot 2 0 1\n8 k slot 3 1 1\n");
	/* any: in the order of the elements, the lowest free one */
	LOG("'instances': {'s': {'module': 'set_source', 'count': 2, 'params': {'count': 2}}, "
	    "'k': {'module': 'set_sink', 'params': {'every': 2}}}, "
	    "'links': [{'from': 's[*].out', 'to': 'k.in', 'slots': 3, 'index': 'any'}]", 0,
	    "0 s[0] slot 0 0 0\n0 s[1] slot 1 0 1\n1 s[0] slot 2 1 0\n2 k slot 0 0 0\n"
	    "2 s[1] slot 0 1 1\n4 k slot 0 1 1\n6 k slot 1 0 1\n8 k slot 2 1 0\n");
	/* one source, two sinks that have a slot each */
	LOG("'instances': {'s': {'module': 'set_source', 'params': {'count': 3}}, "
	    "'k': {'module': 'set_sink', 'count': 2}}, "
	    "'links': [{'from': 's.out', 'to': 'k[*].in', 'slots': 2}]", 0,
	    "0 s slot 0 0 0\n1 k[0] slot 0 0 0\n1 s slot 0 1 0\n2 k[0] slot 0 1 0\n2 s slot 0 2 0\n"
	    "3 k[0] slot 0 2 0\n");
	/* all 64 of them */
	ALIKE("'instances': {'s': {'module': 'set_source', 'count': 4, 'params': {'count': 99}}, "
	      "'k': {'module': 'set_sink', 'params': {'every': 3, 'finish': 396}}}, "
	      "'links': [{'from': 's[*].out', 'to': 'k.in', 'slots': 64}]", 0);
	REFUSED("'instances': {'s': {'module': 'set_source', 'count': 2}, 'k': {'module': 'set_sink'}}, "
	        "'links': [{'from': 's[*].out', 'to': 'k.in', 'slots': 3}]",
	        "3 slots cannot be divided among 2 of 's'; expected a multiple of 2, "
	        "or \"index\": \"any\"\n");
}

/* What is in a FIFO behind the oldest payload, also past the end of the ring and of its counts. */
static void test_behind(void)
{
	uint32_t ring[4];
	struct hd_chan c = { .data = (unsigned char *)ring, .size = sizeof ring[0], .mask = 3, .capacity = 3 };
	const struct hd_end e = { .ch = &c };

	for (c.head = UINT32_MAX - 5; c.head != 5; c.head++) {
		c.tail = c.head + 3;
		for (uint32_t n = 0; n < 3; n++)
			CHECK(hd_behind(&e, n) == &ring[(c.head + n) % 4]);
		CHECK(hd_behind(&e, 0) == hd_front(&e));
		CHECK(hd_behind(&e, 3) == NULL);
		c.tail = c.head;
		CHECK(hd_behind(&e, 0) == NULL);
	}
}

/* Both ways to see which slots have a payload that may be taken. */
static void test_arrived(void)
{
	uint64_t now = 7, visible[64];
	struct hd_chan c = { .flags = HD_CHAN_TIMED, .now = &now, .visible = visible };
	struct hd_end e = { .ch = &c };

	for (unsigned i = 0; i < 64; i++)
		visible[i] = i % 5 + 5;
	for (unsigned i = 0; i < 64; i++) {
		c.full = UINT64_C(0x9e3779b97f4a7c15) * i;
		e.slots = i % 3 == 0 ? UINT64_MAX : UINT64_C(0xffff) << i % 48;
		now = i % 7 + 4;
		CHECK(hd_slots_arrived(&e) == hd_slots_full(&e));
		for (unsigned slot = 0; slot < 64; slot++)
			NUMBER(hd_slots_arrived(&e) >> slot & 1, (c.full & e.slots) >> slot & (visible[slot] <= now));
	}
}

/* Which ends may be joined. */
static void test_types(void)
{
#define MISFIT(port) "'instances': {'s': {'module': 'source'}, 'm': {'module': 'misfit'}}, " \
	"'links': [{'from': 's.out', 'to': 'm." port "'}]"
	REFUSED(MISFIT("other"), "types differ; 's.out' is 'token' and 'm.other' "
	        "is 'other'\n");
	REFUSED(MISFIT("newer"), "type 'token' differs; module 'source' was built "
	        "with version 1 (8 bytes) and module 'misfit' with version 2 (8 bytes); rebuild the "
	        "older one\n");
	REFUSED(MISFIT("larger"), "type 'token' differs; module 'source' was built "
	        "with version 1 (8 bytes) and module 'misfit' with version 1 (64 bytes); rebuild the "
	        "older one\n");
	REFUSED(MISFIT("pooled"), "type 'token' differs; module 'source' was built "
	        "with version 1 (8 bytes) and module 'misfit' with version 1 (40 bytes); rebuild the "
	        "older one\n");
	REFUSED(MISFIT("set"), "ports do not fit; 's.out' is a FIFO and 'm.set' a "
	        "register set\n");
	REFUSED(MISFIT("board"), "ports do not fit; 's.out' puts payloads and "
	        "'m.board' uses an interface\n");
#undef MISFIT
	/* of a list each is compared with what the link begins with, not the link before */
	REFUSED("'instances': {'s': {'module': 'source'}, 't': {'module': 'source', 'count': 2}, "
	        "'k': {'module': 'sink'}, 'm': {'module': 'misfit'}}, "
	        "'links': [{'from': 't[*].out', 'to': 'k.in'}, {'from': 's.out', 'to': 'k.in, m.other'}]",
	        "types differ; 's.out' is 'token' and 'm.other' is 'other'\n");
}

/* Links of a flat netlist: elements of a list are written as one range only if they are neighbours. */
static void test_flat(void)
{
	struct run r;
	struct hd_sim *s = open_sim("'instances': {'s': {'module': 'source', 'count': 3}, "
	                            "'t': {'module': 'source', 'count': 2}, 'k': {'module': 'sink'}, "
	                            "'l': {'module': 'sink'}}, 'links': ["
	                            "{'from': 's[0].out, t[1].out', 'to': 'k.in'}, "
	                            "{'from': 's[1].out, s[2].out, t[0].out', 'to': 'l.in'}]", NULL, &r);
	json_t *flat = s ? hd__flatten(s, NULL) : NULL, *links = json_object_get(flat, "links");

	TEXT(json_string_value(json_object_get(json_array_get(links, 0), "from")), "s[0].out, t[1].out");
	TEXT(json_string_value(json_object_get(json_array_get(links, 1), "from")), "s[1..2].out, t[0].out");
	json_decref(flat);
	if (s) {
		close_sim(s, &r);
		done(&r);
	}
}

void test_links(void)
{
	test_latency_one();
	test_chain();
	test_registers();
	test_bad_registers();
	test_latency_zero();
	test_latency_three();
	test_staged();
	test_staged_orders();
	test_staged_loop();
	test_sets();
	test_behind();
	test_arrived();
	test_types();
	test_flat();
}
