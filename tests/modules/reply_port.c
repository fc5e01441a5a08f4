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
		"if the network has room; the others wait",
		.shows = "RP1",
		.script = "0 d stop; 0 a put 0x100 w1 n=4; 6 a room; 7 d take n=1; 10 a room; 11 d go; 20 end",
		.log = "6 a room = 6; 7 d took 0x100 w1; 10 a room = 7; 11 d took 0x120 w1;"
		       "11 d took 0x140 w1; 12 d took 0x160 w1; end it replies=4 blocked=8",
	},
};

SUITE(reply_port, .netlist = netlist, RULES(rules));
