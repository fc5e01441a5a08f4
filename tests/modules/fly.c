/* fly.c - rules of the network of one router
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Three inputs, three outputs, of two places each; a packet goes to the output of its `core`, and
 * its warp is its number.
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'fly', 'params': {'route': 'cluster', @}}, "
	"'a': {'module': 'put_mem'}, 'b': {'module': 'put_mem'}, 'c': {'module': 'put_mem'}, "
	"'w': {'module': 'take_mem'}, 'x': {'module': 'take_mem'}, 'y': {'module': 'take_mem'}}, "
	"'links': [{'from': 'a.out', 'to': 'it.in', 'capacity': 8}, "
	"{'from': 'b.out', 'to': 'it.in', 'capacity': 8}, "
	"{'from': 'c.out', 'to': 'it.in', 'capacity': 8}, "
	"{'from': 'it.out', 'to': 'w.in', 'capacity': 2}, "
	"{'from': 'it.out', 'to': 'x.in', 'capacity': 2}, "
	"{'from': 'it.out', 'to': 'y.in', 'capacity': 2}]";

static const struct rule rules[] = {
	{
		"a packet takes five cycles through an empty network",
		.shows = "FY1 FY2",
		.params = "'depth': 8",
		.script = "0 a put 0x20 w1 core=0; 9 b put 0x40 w2 core=2; 20 end",
		.log = "7 w took 0x20 w1; 16 y took 0x40 w2 core=2;"
		       "end it packets=2 cycles=21",
	},
	{
		"one packet of an input in a cycle, in order, whatever their outputs",
		.shows = "FY2 FY4",
		.params = "'depth': 8",
		.script = "0 a put 0x20 w1 core=0; 0 a put 0x40 w2 core=1;"
		          "0 a put 0x60 w3 core=1; 0 a put 0x80 w4 core=2;"
		          "0 a put 0xa0 w5 core=0; 24 end",
		.log = "7 w took 0x20 w1; 8 x took 0x40 w2 core=1; 9 x took 0x60 w3 core=1;"
		       "10 y took 0x80 w4 core=2; 11 w took 0xa0 w5;"
		       "end it packets=5 cycles=25",
	},
	{
		"an output serves the inputs in a ring, from the one after the last that it served",
		.shows = "FY3",
		.params = "'depth': 8",
		.script = "0 a put 0x20 w1 core=0; 0 b put 0x80 w4 core=0;"
		          "0 c put 0xe0 w7 core=0; 0 a put 0x40 w2 core=0;"
		          "0 b put 0xa0 w5 core=0; 0 c put 0x100 w8 core=0;"
		          "0 a put 0x60 w3 core=0; 0 b put 0xc0 w6 core=0;"
		          "0 c put 0x120 w9 core=0; 20 b put 0x280 w20 core=1;"
		          "20 a put 0x2a0 w21 core=1; 30 a put 0x3e0 w31 core=1;"
		          "30 c put 0x400 w32 core=1; 30 b put 0x420 w33 core=1; 50 end",
		.log = "7 w took 0x20 w1; 8 w took 0x80 w4; 9 w took 0xe0 w7;"
		       "10 w took 0x40 w2; 11 w took 0xa0 w5; 12 w took 0x100 w8;"
		       "13 w took 0x60 w3; 14 w took 0xc0 w6; 15 w took 0x120 w9;"
		       "27 x took 0x2a0 w21 core=1; 28 x took 0x280 w20 core=1;"
		       "37 x took 0x400 w32 core=1; 38 x took 0x3e0 w31 core=1;"
		       "39 x took 0x420 w33 core=1; end it packets=14 cycles=51",
	},
	{
		"the ring goes over all nodes, of which the outputs come first",
		.shows = "FY3",
		.params = "'depth': 8",
		.script = "0 c put 0x20 w1 core=0; 10 a put 0x40 w2 core=0;"
		          "10 b put 0x60 w3 core=0; 10 c put 0x80 w4 core=0; 30 end",
		.log = "7 w took 0x20 w1; 17 w took 0x40 w2; 18 w took 0x60 w3;"
		       "19 w took 0x80 w4; end it packets=4 cycles=31",
	},
	{
		"a head that waits for its output blocks later packets",
		.shows = "FY4",
		.params = "'depth': 8",
		.script = "0 a put 0x20 w1 core=0; 0 b put 0x40 w2 core=0;"
		          "0 b put 0x60 w3 core=2; 0 c put 0x80 w4 core=0;"
		          "0 c put 0xa0 w5 core=1; 24 end",
		.log = "7 w took 0x20 w1; 8 w took 0x40 w2; 9 w took 0x80 w4;"
		       "9 y took 0x60 w3 core=2; 10 x took 0xa0 w5 core=1;"
		       "end it packets=5 cycles=25",
	},
	{
		"with buffers of one packet a place is filled again when the credit for it is back",
		.shows = "FY5",
		.params = "'depth': 1",
		.script = "0 a put 0x20 w1 core=0; 0 a put 0x40 w2 core=0;"
		          "0 a put 0x60 w3 core=0; 0 a put 0x80 w4 core=0;"
		          "0 a put 0xa0 w5 core=0; 0 b put 0xc0 w6 core=1;"
		          "0 b put 0xe0 w7 core=1; 0 b put 0x100 w8 core=1; 60 end",
		.log = "7 w took 0x20 w1; 7 x took 0xc0 w6 core=1; 11 w took 0x40 w2;"
		       "11 x took 0xe0 w7 core=1; 16 w took 0x60 w3;"
		       "16 x took 0x100 w8 core=1; 20 w took 0x80 w4; 25 w took 0xa0 w5;"
		       "end it packets=8 cycles=61",
	},
	{
		"a full node stops the router, which stops its inputs, and all continue",
		.shows = "FY5 FY6",
		.params = "'depth': 2",
		.script = "0 w stop; 0 a put 0x20 w1 core=0; 0 a put 0x40 w2 core=0;"
		          "0 a put 0x60 w3 core=0; 0 a put 0x80 w4 core=0;"
		          "0 a put 0xa0 w5 core=0; 0 a put 0xc0 w6 core=0;"
		          "0 a put 0xe0 w7 core=0; 0 a put 0x100 w8 core=0;"
		          "0 b put 0x120 w9 core=0; 0 b put 0x140 w10 core=0;"
		          "0 b put 0x160 w11 core=0; 0 c put 0x280 w20 core=1;"
		          "0 c put 0x2a0 w21 core=0; 0 c put 0x2c0 w22 core=2; 30 w go;"
		          "90 end",
		.log = "7 x took 0x280 w20 core=1; 12 y took 0x2c0 w22 core=2;"
		       "30 w took 0x20 w1; 30 w took 0x120 w9; 31 w took 0x2a0 w21;"
		       "32 w took 0x40 w2; 35 w took 0x140 w10; 36 w took 0x60 w3;"
		       "39 w took 0x160 w11; 40 w took 0x80 w4; 43 w took 0xa0 w5;"
		       "45 w took 0xc0 w6; 48 w took 0xe0 w7; 49 w took 0x100 w8;"
		       "end it packets=14 cycles=91",
	},

};

SUITE(fly, .netlist = netlist, RULES(rules));
