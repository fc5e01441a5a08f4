/* memory_fixed.c - rules of the memory of fixed latency and bandwidth
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

#define INSTANCES "'instances': {'it': {'module': 'memory_fixed', 'params': {@}}, " \
	"'a': {'module': 'put_mem'}, 'd': {'module': 'take_mem'}, 'i': {'module': 'take_mem'}}, "
#define LINKS "{'from': 'a.out', 'to': 'it.request', 'capacity': 8}, " \
	"{'from': 'it.response', 'to': 'd.in', 'capacity': 2}"

static const char netlist[] = INSTANCES
	"'links': [" LINKS ", {'from': 'it.inst_response', 'to': 'i.in', 'capacity': 1}]";
static const char one_channel[] =
	"'instances': {'it': {'module': 'memory_fixed', 'params': {@}}, 'a': {'module': 'put_mem'}, "
	"'d': {'module': 'take_mem'}}, 'links': [" LINKS "]";

/* No link says which of the memory and the toy that looks at the request is evaluated first. */
static const char staged[] = INSTANCES
	"'links': [{'from': 'a.out', 'to': 'it.request', 'capacity': 8, 'staged': true}, "
	"{'from': 'it.response', 'to': 'd.in', 'capacity': 2}, "
	"{'from': 'it.inst_response', 'to': 'i.in', 'capacity': 1}]";

static const struct rule rules[] = {
	{
		"the reply comes 'latency' cycles after the request was taken, one a cycle",
		.shows = "MF1 MF4",
		.params = "'latency': 5, 'bytes': 0",
		.script = "0 a put 0x100 w1 dst=R5 flags=load lanes=3 of=7 id=2 uid=9;"
		          "0 a put 0x120 w2 flags=write bytes=15; 3 a put 0x140 w3 size=128; 14 end",
		.log = "7 d took 0x100 w1 R5 load lanes=3 of=7 id=2 uid=9;"
		       "8 d took 0x120/f w2 write; 10 d took 0x140 w3 size=128;"
		       "end it reads=2 writes=1 bytes=192",
	},
	{
		"with latency 0 and no other limit it is the perfect memory",
		.shows = "MF1",
		.params = "'latency': 0, 'bytes': 0",
		.script = "0 a put 0x100 w1; 0 a put 0x120 w2 flags=write; 5 a put 0x160 w4",
		.log = "2 d took 0x100 w1; 3 d took 0x120 w2 write; 7 d took 0x160 w4;"
		       "end it reads=2 writes=1 bytes=96",
	},
	{
		"the data path moves one request after another",
		.shows = "MF2",
		.params = "'latency': 5, 'bytes': 32, 'per': 4",
		.script = "0 a put 0x100 w1; 0 a put 0x120 w2 flags=write; 0 a put 0x140 w3 size=64;"
		          "0 a put 0x160 w4; 40 a put 0x180 w5; 50 end",
		.log = "7 d took 0x100 w1; 11 d took 0x120 w2 write; 15 d took 0x140 w3 size=64;"
		       "23 d took 0x160 w4; 47 d took 0x180 w5;"
		       "end it reads=4 writes=1 bytes=192",
	},
	{
		"a part of a cycle is kept for the next request",
		.shows = "MF2",
		.params = "'latency': 5, 'bytes': 10",
		.script = "0 a put 0x100 w1; 0 a put 0x120 w2; 0 a put 0x140 w3; 0 a put 0x160 w4;"
		          "0 a put 0x180 w5; 0 a put 0x1a0 w6; 30 end",
		.log = "7 d took 0x100 w1; 11 d took 0x120 w2; 14 d took 0x140 w3;"
		       "17 d took 0x160 w4; 20 d took 0x180 w5; 23 d took 0x1a0 w6;"
		       "end it reads=6 bytes=192",
	},
	{
		"at most 'outstanding' requests are inside; the place of one is free a cycle later",
		.shows = "MF3",
		.params = "'latency': 5, 'bytes': 0, 'outstanding': 2",
		.script = "0 a put 0x100 w1; 0 a put 0x120 w2; 0 a put 0x140 w3; 0 a put 0x160 w4; 20 end",
		.log = "7 d took 0x100 w1; 8 d took 0x120 w2; 13 d took 0x140 w3;"
		       "14 d took 0x160 w4; end it reads=4 bytes=128 refused=4",
	},
	{
		"a reply without room holds up those behind it; others are taken all the same",
		.shows = "MF4",
		.params = "'latency': 2, 'bytes': 0",
		.script = "0 d stop; 0 a put 0x100 w1; 0 a put 0x120 w2; 0 a put 0x140 w3;"
		          "0 a put 0x160 w4 flags=inst; 10 a room; 10 d go",
		.log = "10 a room = 8; 10 d took 0x100 w1; 10 d took 0x120 w2; 11 d took 0x140 w3;"
		       "12 i took 0x160 w4 inst; end it reads=4 bytes=128 blocked=5",
	},
	{
		"the write-back of a line ends without a reply, in its turn",
		.shows = "MF4 Q2",
		.params = "'latency': 3, 'bytes': 32",
		.script = "0 d stop; 0 a put 0x100 w1 flags=write,silent size=64; 0 a put 0x140 w2;"
		          "9 d go",
		.log = "9 d took 0x140 w2; end it reads=1 writes=1 bytes=96",
	},
	{
		"instruction fetches have a channel of their own, if one is linked",
		.shows = "MF4",
		.params = "'latency': 1, 'bytes': 0",
		.script = "0 a put 0x100 w1 flags=inst; 0 a put 0x120 w1; 0 a put 0x140 w2 flags=inst",
		.log = "3 i took 0x100 w1 inst; 4 d took 0x120 w1; 5 i took 0x140 w2 inst;"
		       "end it reads=3 bytes=96",
	},
	{
		"that a request was taken is seen a cycle later, whichever is evaluated first",
		.netlist = staged,
		.params = "'latency': 5, 'bytes': 0",
		.script = "0 a put 0x100 w1; 0 a seen; 1 a seen; 2 a seen; 4 a seen",
		.log = "0 a seen = 2; 1 a seen = 2; 2 a seen = 6; 4 a seen = 6; 7 d took 0x100 w1;"
		       "end it reads=1 bytes=32",
	},
	{
		"without it they take that of the data",
		.shows = "MF4",
		.netlist = one_channel,
		.params = "'latency': 1, 'bytes': 0",
		.script = "0 a put 0x100 w1 flags=inst; 0 a put 0x120 w1",
		.log = "3 d took 0x100 w1 inst; 4 d took 0x120 w1; end it reads=2 bytes=64",
	},
};

SUITE(memory_fixed, .netlist = netlist, RULES(rules));
