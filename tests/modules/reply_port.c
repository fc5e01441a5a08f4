/* reply_port.c - rules of the port through which replies enter the network
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'reply_port'}, 'a': {'module': 'put_mem'}, "
	"'d': {'module': 'take_mem'}}, 'links': [{'from': 'a.out', 'to': 'it.in', 'capacity': 8}, "
	"{'from': 'it.out', 'to': 'd.in', 'latency': 0, 'capacity': 2}]";

static const struct rule rules[] = {
	{
		"one reply a cycle, in order",
		.shows = "RP1",
		.script = "0 a put 0x100 w1; 0 a put 0x120 w2; 0 a put 0x140 w3; 5 a put 0x160 w4",
		.log = "1 d took 0x100 w1; 2 d took 0x120 w2; 3 d took 0x140 w3;"
		       "6 d took 0x160 w4; end it replies=4",
	},
	{
		"an answer with several sectors takes the time of as many",
		.shows = "SL13",
		.script = "0 a put 0x100 w1 flags=load,parts,reply size=128;"
		          "0 a put 0x190 w2 flags=load,parts,reply size=32;"
		          "0 a put 0x200 w3 flags=write,parts,reply size=128; 0 a put 0x300 w4; 12 end",
		.log = "1 d took 0x100 w1 load,reply,parts size=128; 5 d took 0x190 w2 load,reply,parts;"
		       "7 d took 0x200 w3 write,reply,parts size=128; 8 d took 0x300 w4; end it replies=4",
	},
	{
		"if the network has room; the others wait",
		.shows = "RP1",
		.script = "0 d stop; 0 a put 0x100 w1 n=4; 6 a room; 7 d take n=1; 10 a room; 11 d go; 20 end",
		.log = "6 a room = 6; 7 d took 0x100 w1; 10 a room = 7; 11 d took 0x120 w1;"
		       "11 d took 0x140 w1; 12 d took 0x160 w1; end it replies=4 blocked=8",
	},
};

SUITE(reply_port, .netlist = netlist, RULES(rules));
