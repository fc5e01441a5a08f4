/* result_bus.c - rules of the result buses
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'result_bus', 'params': {@}}, "
	"'a': {'module': 'call'}, 'b': {'module': 'call'}}, "
	"'links': [{'from': ['b.bus', 'a.bus'], 'to': 'it.bus'}]";

static const struct rule rules[] = {
	{
		"as many results may finish in one cycle as there are buses, first come, first "
		"served",
		.shows = "U1 U5",
		.params = "'width': 2",
		.script = "0 a bus ahead=4; 0 a bus ahead=4; 0 b bus ahead=4; 1 a bus ahead=3;"
		          "2 a bus ahead=3; 4 a bus ahead=0; 4 b bus ahead=1",
		.log = "0 b bus 4 = yes; 0 a bus 4 = yes; 0 a bus 4 = no; 1 a bus 3 = no;"
		       "2 a bus 3 = yes; 4 a bus 0 = no; 4 b bus 1 = yes;"
		       "end it reserved=4 refused=3",
	},
	{
		"reservations for other cycles do not matter",
		.shows = "U1",
		.params = "'width': 1",
		.script = "0 a bus ahead=1; 0 a bus ahead=2; 0 a bus ahead=3; 0 a bus ahead=5;"
		          "1 a bus ahead=1; 1 a bus ahead=2; 1 a bus ahead=3; 1 a bus ahead=4",
		.log = "0 a bus 1 = yes; 0 a bus 2 = yes; 0 a bus 3 = yes; 0 a bus 5 = yes;"
		       "1 a bus 1 = no; 1 a bus 2 = no; 1 a bus 3 = yes; 1 a bus 4 = no;"
		       "end it reserved=5 refused=3",
	},
	{
		"up to 'horizon' cycles ahead all cycles are distinguished",
		.params = "'width': 1, 'horizon': 4",
		.script = "0 a horizon; 0 a bus ahead=0; 0 a bus ahead=1; 0 a bus ahead=2;"
		          "0 a bus ahead=3; 0 a bus ahead=4; 0 a bus ahead=0; 1 a bus ahead=4;"
		          "1 a bus ahead=3; 8 a bus ahead=0; 8 a bus ahead=4; 12 a bus ahead=0",
		.log = "0 a horizon = 4; 0 a bus 0 = yes; 0 a bus 1 = yes; 0 a bus 2 = yes;"
		       "0 a bus 3 = yes; 0 a bus 4 = yes; 0 a bus 0 = no; 1 a bus 4 = yes;"
		       "1 a bus 3 = no; 8 a bus 0 = yes; 8 a bus 4 = yes; 12 a bus 0 = no;"
		       "end it reserved=8 refused=3",
	},
	{
		"reservations are kept when a time ahead is longer than all before",
		.params = "'width': 1",
		.script = "40 a bus ahead=24; 40 a bus ahead=40; 41 a bus ahead=23; 42 a bus ahead=38",
		.log = "40 a bus 24 = yes; 40 a bus 40 = yes; 41 a bus 23 = no; 42 a bus 38 = no;"
		       "end it reserved=2 refused=2",
	},
	{
		"and when another one is longer still",
		.params = "'width': 2",
		.script = "10 a bus ahead=30; 11 a bus ahead=40; 12 a bus ahead=28; 13 a bus ahead=100;"
		          "14 a bus ahead=26; 14 a bus ahead=37; 14 a bus ahead=37",
		.log = "10 a bus 30 = yes; 11 a bus 40 = yes; 12 a bus 28 = yes; 13 a bus 100 = yes;"
		       "14 a bus 26 = no; 14 a bus 37 = yes; 14 a bus 37 = no;"
		       "end it reserved=5 refused=2",
	},
	{
		"also if 'horizon' is one less than a power of two",
		.params = "'width': 1, 'horizon': 3",
		.script = "0 a horizon; 0 a bus ahead=0; 0 a bus ahead=1; 0 a bus ahead=2;"
		          "0 a bus ahead=3; 2 a bus ahead=0; 3 a bus ahead=3; 6 a bus ahead=0",
		.log = "0 a horizon = 3; 0 a bus 0 = yes; 0 a bus 1 = yes; 0 a bus 2 = yes;"
		       "0 a bus 3 = yes; 2 a bus 0 = no; 3 a bus 3 = yes; 6 a bus 0 = no;"
		       "end it reserved=5 refused=2",
	},
};

SUITE(result_bus, .netlist = netlist, RULES(rules));
