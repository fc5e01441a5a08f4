/* crossbar.c - rules of the crossbar
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Three inputs, four outputs; bits 8 to 15 of an address are its output.  A packet's warp is its
 * number.
 */
#include "harness.h"

#define IT(route) "'instances': {'it': {'module': 'crossbar', 'params': {'route': '" route "', @}}, "
#define REST "'a': {'module': 'put_mem'}, 'b': {'module': 'put_mem'}, 'c': {'module': 'put_mem'}, " \
	"'w': {'module': 'take_mem'}, 'x': {'module': 'take_mem'}, 'y': {'module': 'take_mem'}, " \
	"'z': {'module': 'take_mem'}, 'm': {'module': 'give_map'}}, "
#define LINKS "{'from': 'a.out', 'to': 'it.in', 'capacity': 8}, " \
	"{'from': 'b.out', 'to': 'it.in', 'capacity': 8}, " \
	"{'from': 'c.out', 'to': 'it.in', 'capacity': 8}, " \
	"{'from': 'it.out', 'to': 'w.in', 'capacity': 2}, " \
	"{'from': 'it.out', 'to': 'x.in', 'capacity': 2}, " \
	"{'from': 'it.out', 'to': 'y.in', 'capacity': 2}, " \
	"{'from': 'it.out', 'to': 'z.in', 'capacity': 2}"

static const char netlist[] = IT("slice") REST "'links': [" LINKS ", {'from': 'it.map', 'to': 'm.map'}]";
static const char to_clusters[] = IT("cluster") REST "'links': [" LINKS "]";
static const char no_map[] = IT("slice") REST "'links': [" LINKS "]";

/* All three inputs have three packets for output 0. */
#define THREE "0 a put 0x0 w10; 0 a put 0x20 w11; 0 a put 0x40 w12; 0 b put 0x0 w20; " \
	"0 b put 0x20 w21; 0 b put 0x40 w22; 0 c put 0x0 w30; 0 c put 0x20 w31; 0 c put 0x40 w32; "

static const struct rule rules[] = {
	{
		"islip: each output takes one packet a cycle, and considers the inputs in a ring",
		.shows = "NT1 NT2 NT3",
		.params = "'arbiter': 'islip'",
		.script = THREE "12 end",
		.log = "2 w took 0 w10; 3 w took 0 w20; 4 w took 0 w30; 5 w took 0x20 w11;"
		       "6 w took 0x20 w21; 7 w took 0x20 w31; 8 w took 0x40 w12;"
		       "9 w took 0x40 w22; 10 w took 0x40 w32;"
		       "end it packets=9 conflicts=15 cycles=13",
	},
	{
		"from the one after the last that it took; each output has its own ring",
		.shows = "NT3",
		.params = "'arbiter': 'islip'",
		.script = "0 b put 0x0 w1; 0 c put 0x100 w2; 4 a put 0x0 w3; 4 b put 0x0 w4; 4 c put 0x0 w5;"
		          "10 a put 0x100 w6; 10 b put 0x100 w7; 10 c put 0x100 w8",
		.log = "2 w took 0 w1; 2 x took 0x100 w2; 6 w took 0 w5; 7 w took 0 w3;"
		       "8 w took 0 w4; 12 x took 0x100 w6; 13 x took 0x100 w7;"
		       "14 x took 0x100 w8; end it packets=8 conflicts=6 cycles=16",
	},
	{
		"which goes around whatever other outputs are wanted",
		.shows = "NT3",
		.params = "'arbiter': 'islip'",
		.script = "0 b put 0x0 w1; 4 a put 0x0 w2; 4 b put 0x100 w3; 4 c put 0x200 w4",
		.log = "2 w took 0 w1; 6 w took 0 w2; 6 x took 0x100 w3; 6 y took 0x200 w4;"
		       "end it packets=4 cycles=10",
	},
	{
		"the second packet of an input may leave in the same cycle, by a later output",
		.shows = "NT4",
		.params = "'arbiter': 'islip'",
		.script = "0 a put 0x0 w1; 0 a put 0x100 w2; 0 a put 0x200 w3; 0 a put 0x100 w4;"
		          "8 b put 0x200 w5; 8 b put 0x0 w6",
		.log = "2 w took 0 w1; 2 x took 0x100 w2; 2 y took 0x200 w3;"
		       "3 x took 0x100 w4; 10 y took 0x200 w5; 11 w took 0 w6;"
		       "end it packets=6 cycles=14",
	},
	{
		"the answer to a bulk load, and a bulk store, take their output for as many steps as they have sectors",
		.shows = "SL13",
		.params = "'arbiter': 'islip'",
		.script = "0 a put 0x10 w1 flags=load,parts,reply size=80; 0 b put 0x20 w2 flags=load,parts size=96;"
		          "0 c put 0x40 w3; 0 a put 0x100 w4; 10 b put 0x180 w5 flags=write,parts size=64;"
		          "10 c put 0x180 w6 flags=write,parts,reply size=64; 10 a put 0x180 w7; 20 end",
		.log = "2 w took 0x10 w1 load,reply,parts size=80; 2 x took 0x100 w4;"
		       "5 w took 0x20 w2 load,parts size=96; 6 w took 0x40 w3;"
		       "12 x took 0x180 w5 write,parts size=64; 14 x took 0x180 w6 write,reply,parts size=64;"
		       "15 x took 0x180 w7; end it packets=7 conflicts=9 cycles=21",
	},
	{
		"a head whose output is full blocks later packets",
		.shows = "NT1",
		.params = "'arbiter': 'islip'",
		.script = "0 w stop; 0 a put 0x0 w1; 0 a put 0x0 w2; 0 a put 0x0 w3; 0 a put 0x100 w4;"
		          "0 b put 0x100 w5; 10 w go",
		.log = "2 x took 0x100 w5; 10 w took 0 w1; 10 w took 0 w2; 11 w took 0 w3;"
		       "11 x took 0x100 w4; end it packets=5 cycles=16",
	},
	{
		"islip: pointers move every 'grant_cycles' cycles in which there are packets",
		.shows = "NT3",
		.params = "'arbiter': 'islip', 'grant_cycles': 3",
		.script = THREE "12 a put 0x60 w13; 20 b put 0x0 w23; 20 a put 0x60 w14; 20 c put 0x60 w33;"
		          "30 end",
		.log = "2 w took 0 w10; 3 w took 0x20 w11; 4 w took 0x40 w12; 5 w took 0 w20;"
		       "6 w took 0x20 w21; 7 w took 0x40 w22; 8 w took 0 w30;"
		       "9 w took 0x20 w31; 10 w took 0x40 w32; 14 w took 0x60 w13;"
		       "22 w took 0x60 w14; 23 w took 0 w23; 24 w took 0x60 w33;"
		       "end it packets=13 conflicts=12 cycles=31",
	},
	{
		"the ring begins at the first input if the nodes of inputs are after the others",
		.shows = "NT2 NT3",
		.netlist = to_clusters,
		.params = "'arbiter': 'islip'",
		.script = THREE "12 end",
		.log = "2 w took 0 w10; 3 w took 0 w20; 4 w took 0 w30; 5 w took 0x20 w11;"
		       "6 w took 0x20 w21; 7 w took 0x20 w31; 8 w took 0x40 w12;"
		       "9 w took 0x40 w22; 10 w took 0x40 w32;"
		       "end it packets=9 conflicts=15 cycles=13",
	},
	{
		"round robin: inputs choose one after another, one packet for each output",
		.shows = "NT5",
		.params = "'arbiter': 'round_robin'",
		.script = THREE "12 end",
		.log = "2 w took 0 w20; 3 w took 0 w30; 4 w took 0 w10; 5 w took 0x20 w11;"
		       "6 w took 0x40 w12; 7 w took 0x20 w21; 8 w took 0x40 w22;"
		       "9 w took 0x20 w31; 10 w took 0x40 w32;"
		       "end it packets=9 conflicts=12 cycles=13",
	},
	{
		"the first to choose moves on in every cycle, over all nodes",
		.shows = "NT5",
		.params = "'arbiter': 'round_robin'",
		.script = "1 a put 0x0 w1; 1 b put 0x0 w2; 3 a put 0x0 w3; 3 c put 0x0 w4;"
		          "7 a put 0x0 w5; 7 b put 0x0 w6; 8 c put 0x0 w7; 9 a put 0x0 w8; 9 b put 0x0 w9;"
		          "9 c put 0x0 w10; 20 end",
		.log = "3 w took 0 w1; 4 w took 0 w2; 5 w took 0 w3; 6 w took 0 w4;"
		       "9 w took 0 w6; 10 w took 0 w7; 11 w took 0 w5; 12 w took 0 w8;"
		       "13 w took 0 w9; 14 w took 0 w10;"
		       "end it packets=10 conflicts=9 cycles=21",
	},
	{
		"an input has one packet a cycle there, and a full output is passed over",
		.shows = "NT5",
		.params = "'arbiter': 'round_robin'",
		.script = "0 w stop; 0 a put 0x100 w1; 0 a put 0x200 w2; 0 b put 0x0 w3; 0 b put 0x0 w4;"
		          "0 b put 0x0 w5; 0 c put 0x100 w6; 10 w go",
		.log = "2 x took 0x100 w6; 3 x took 0x100 w1; 4 y took 0x200 w2;"
		       "10 w took 0 w3; 10 w took 0 w4; 11 w took 0 w5;"
		       "end it packets=6 conflicts=1 cycles=16",
	},
	{
		"replies: nodes with SMs come first",
		.shows = "NT2 NT5",
		.netlist = to_clusters,
		.params = "'arbiter': 'round_robin'",
		.script = "3 a put 0x0 w1; 3 b put 0x0 w2; 4 a put 0x0 w3; 4 c put 0x0 w4; 5 b put 0x0 w5;"
		          "20 end",
		.log = "5 w took 0 w1; 6 w took 0 w2; 7 w took 0 w4; 8 w took 0 w3;"
		       "9 w took 0 w5; end it packets=5 conflicts=6 cycles=21",
	},
	{
		"to the cluster of the SM",
		.shows = "NT2",
		.netlist = to_clusters,
		.params = "'cores': 2",
		.script = "0 a put 0x0 w0 core=0; 0 a put 0x0 w1 core=1; 0 b put 0x0 w2 core=2;"
		          "0 b put 0x0 w7 core=7; 0 c put 0x0 w5 core=5",
		.log = "2 w took 0 w0; 2 x took 0 w2 core=2; 2 y took 0 w5 core=5;"
		       "2 z took 0 w7 core=7; 3 w took 0 w1 core=1; end it packets=5 cycles=6",
	},
	{
		"a line that is written back takes the route of the access that replaced it",
		.shows = "NT2",
		.params = "'cores': 1",
		.script = "0 a put 0x100 w1 flags=write,line size=64 lines=1,2,0,0 via=0x300",
		.log = "2 z took 0x100 w1 write,line size=64 lines=1,2,0,0 via=0x300;"
		       "end it packets=1 cycles=6",
	},
	{
		"there is no such output",
		.params = "'cores': 1",
		.script = "0 a put 0x400 w1; 0 b put 0x300 w2; 8 end",
		.log = "end it packets=1 cycles=2; end 2 records;"
		       "error it: cycle 2: a packet for output 4, and there are 4; "
		       "expected one for each slice",
	},
	{
		"slices: there must be a map",
		.netlist = no_map,
		.params = "'cores': 1",
		.script = "0 end",
		.log = "refused instance 'it': 'route' \"slice\" expects an address map at port 'map'",
	},
};

SUITE(crossbar, .netlist = netlist, RULES(rules));
