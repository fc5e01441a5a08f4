/* cluster.c - rules of a cluster of SMs
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SMs 4 and 5: data to `d0` and `d1`, instructions to `i0` and `i1`.
 */
#include "harness.h"

#define INSTANCES(more) "'instances': {'it': {'module': 'cluster', 'clock': 'core', 'params': {@}}, " \
	"'u': {'module': 'call_cluster', 'clock': 'core'}, 't': {'module': 'ticks', 'clock': 'work'}, " \
	"'a': {'module': 'put_mem', 'clock': 'core'}, 'd0': {'module': 'take_mem', 'clock': 'core'}, " \
	"'d1': {'module': 'take_mem', 'clock': 'core'}" more "}, " \
	"'clocks': {'core': {'mhz': 1000}, 'work': {'of': 'core', 'gate': 'it'}}, "
#define LINKS "{'from': 'a.out', 'to': 'it.in', 'capacity': 8}, {'from': 'u.work', 'to': 'it.work'}, " \
	"{'from': 'it.response', 'to': 'd0.in', 'latency': 0, 'capacity': 1}, " \
	"{'from': 'it.response', 'to': 'd1.in', 'latency': 0, 'capacity': 1}"

static const char netlist[] = INSTANCES(
	", 'i0': {'module': 'take_mem', 'clock': 'core'}, 'i1': {'module': 'take_mem', 'clock': "
	"'core'}") "'links': [" LINKS
	", {'from': 'it.inst_response', 'to': 'i0.in', 'latency': 0, 'capacity': 1}"
	", {'from': 'it.inst_response', 'to': 'i1.in', 'latency': 0, 'capacity': 1}]";
static const char data_only[] = INSTANCES("") "'links': [" LINKS "]";

static const struct rule rules[] = {
	{
		"a reply is taken in one cycle and reaches its SM in the next; one of each a cycle",
		.shows = "CL1",
		.script = "0 u place n=4; 0 u work; 0 a put 0x100 w1 core=4; 0 a put 0x120 w2 core=5;"
		          "0 a put 0x140 w3 core=4; 6 a put 0x160 w4 core=5",
		.log = "2 d0 took 0x100 w1 core=4; 3 d1 took 0x120 w2 core=5;"
		       "4 d0 took 0x140 w3 core=4; 8 d1 took 0x160 w4 core=5;"
		       "end it replies=4; end t edges=11",
	},
	{
		"the answer to a bulk copy takes the time of its sectors",
		.shows = "SL13",
		.script = "0 u place n=4; 0 u work; 0 a put 0x100 w1 core=4 flags=load,parts,reply size=96;"
		          "0 a put 0x120 w2 core=5; 0 a put 0x140 w3 core=4; 12 end",
		.log = "2 d0 took 0x100 w1 load,reply,parts size=96 core=4; 5 d1 took 0x120 w2 core=5;"
		       "6 d0 took 0x140 w3 core=4; end it replies=3; end t edges=12",
	},
	{
		"one queue for all: the first waits for its SM, and blocks the others",
		.shows = "CL2",
		.params = "'size': 2",
		.script = "0 u place n=4; 0 u work; 0 d0 stop; 0 a put 0x100 w1 core=4 n=2;"
		          "0 a put 0x200 w2 core=5 n=3; 8 a room; 10 d0 go; 20 end",
		.log = "8 a room = 6; 10 d0 took 0x100 w1 core=4; 11 d0 took 0x120 w1 core=4;"
		       "12 d1 took 0x200 w2 core=5; 13 d1 took 0x220 w2 core=5;"
		       "14 d1 took 0x240 w2 core=5; end it replies=5 blocked=8;"
		       "end t edges=20",
	},
	{
		"instructions have a channel of their own",
		.shows = "CL3",
		.script = "0 u place n=4; 0 u work; 0 a put 0x100 w1 core=4 flags=inst;"
		          "0 a put 0x120 w2 core=5 flags=inst; 0 a put 0x140 w2 core=5",
		.log = "2 i0 took 0x100 w1 inst core=4; 3 i1 took 0x120 w2 inst core=5;"
		       "4 d1 took 0x140 w2 core=5; end it replies=3; end t edges=5",
	},
	{
		"or use that of the data",
		.shows = "CL3",
		.netlist = data_only,
		.script = "0 u place n=4; 0 u work; 0 a put 0x100 w1 core=4 flags=inst",
		.log = "2 d0 took 0x100 w1 inst core=4; end it replies=1; end t edges=5",
	},
	{
		"its SMs have cycles while there is work",
		.shows = "CL4",
		.script = "0 u place n=4; 0 u rest; 3 u work; 6 u rest; 9 end",
		.log = "end t edges=3",
	},
	{
		"a reply for another SM is an error",
		.script = "0 u place n=4; 0 u work; 0 a put 0x100 w1 core=6",
		.log = "end t edges=2; held it: 1 replies on their way to the SMs;"
		       "end 1 records; error it: cycle 3: a reply for SM 6; expected 4 to 5: "
		       "the network has its outputs, and the dispatcher the clusters, in the same order, "
		       "and both the same 'cores'",
	},
	{
		"a reply for an SM below its first one is an error",
		.script = "0 u place n=4; 0 u work; 0 a put 0x100 w1 core=3",
		.log = "end t edges=2; held it: 1 replies on their way to the SMs;"
		       "end 1 records; error it: cycle 3: a reply for SM 3; expected 4 to 5: "
		       "the network has its outputs, and the dispatcher the clusters, in the same order, "
		       "and both the same 'cores'",
	},
	{
		"replies that have not arrived are reported",
		.script = "0 u place n=4; 0 u work; 0 d0 stop; 0 a put 0x100 w1 core=4 n=4; 6 end",
		.log = "end it replies=1 blocked=4; end t edges=6;"
		       "held it: 3 replies on their way to the SMs; end 4 records",
	},
	{
		"a second dispatcher is refused",
		.shows = "CL4",
		.script = "0 u place n=4; 1 u place n=6; 3 end",
		.log = "error it: cycle 2: another dispatcher numbers the SMs of this "
		       "cluster; expected one",
	},
};

SUITE(cluster, .netlist = netlist, RULES(rules));
