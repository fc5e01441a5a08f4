/* memory_perfect.c - rules of the memory that answers at once
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

#define INSTANCES "'instances': {'it': {'module': 'memory_perfect'}, 'a': {'module': 'put_mem'}, " \
	"'d': {'module': 'take_mem'}, 'i': {'module': 'take_mem'}}, "
#define LINKS "{'from': 'a.out', 'to': 'it.request', 'capacity': 8}, " \
	"{'from': 'it.response', 'to': 'd.in', 'capacity': 2}"

static const char netlist[] = INSTANCES
	"'links': [" LINKS ", {'from': 'it.inst_response', 'to': 'i.in', 'capacity': 1}]";
static const char one_channel[] =
	"'instances': {'it': {'module': 'memory_perfect'}, 'a': {'module': 'put_mem'}, "
	"'d': {'module': 'take_mem'}}, 'links': [" LINKS "]";

static const struct rule rules[] = {
	{
		"one request in a cycle, in order; the reply is the request",
		.shows = "PM1 Q2",
		.script = "0 a put 0x100 w1 dst=R5 flags=load lanes=3 of=7 id=2 uid=9;"
		          "0 a put 0x120 w2 flags=write bytes=15;"
		          "0 a put 0x140 w3 flags=load,bypass size=128;"
		          "5 a put 0x160 w4 flags=load",
		.log = "2 d took 0x100 w1 R5 load lanes=3 of=7 id=2 uid=9;"
		       "3 d took 0x120/f w2 write; 4 d took 0x140 w3 bypass,load size=128;"
		       "7 d took 0x160 w4 load; end it reads=3 writes=1",
	},
	{
		"only while the response channel has room",
		.shows = "PM1",
		.script = "0 d stop; 0 a put 0x100 w1; 0 a put 0x120 w1 flags=write;"
		          "0 a put 0x140 w1; 0 a put 0x160 w1; 6 a room; 6 d take n=1; 8 a room;"
		          "10 d go; 12 end",
		.log = "6 a room = 7; 6 d took 0x100 w1; 8 a room = 7; 10 d took 0x120 w1 write;"
		       "10 d took 0x140 w1; 11 d took 0x160 w1; end it reads=3 writes=1",
	},
	{
		"instruction fetches have a channel of their own, if one is linked",
		.shows = "PM1",
		.script = "0 a put 0x100 w1 flags=inst; 0 a put 0x120 w1;"
		          "0 a put 0x140 w2 flags=inst",
		.log = "2 i took 0x100 w1 inst; 3 d took 0x120 w1; 4 i took 0x140 w2 inst;"
		       "end it reads=3",
	},
	{
		"a fetch that finds no room there blocks later requests",
		.shows = "PM1",
		.script = "0 i stop; 0 a put 0x100 w1 flags=inst; 0 a put 0x120 w1 flags=inst;"
		          "0 a put 0x140 w2; 6 i go",
		.log = "6 i took 0x100 w1 inst; 7 i took 0x120 w1 inst; 8 d took 0x140 w2;"
		       "end it reads=3",
	},
	{
		"without it they use that of the data",
		.shows = "PM1",
		.netlist = one_channel,
		.script = "0 a put 0x100 w1 flags=inst; 0 a put 0x120 w1",
		.log = "2 d took 0x100 w1 inst; 3 d took 0x120 w1; end it reads=2",
	},
};

SUITE(memory_perfect, .netlist = netlist, RULES(rules));
