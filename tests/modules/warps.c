/* warps.c - rules of the warp slots
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * 'sm' is a clock that the module gates.
 */
#include "harness.h"

static const char netlist[] =
	"'clocks': {'core': {'mhz': 1000}, 'sm': {'of': 'core', 'gate': 'it'}}, "
	"'instances': {'it': {'module': 'warps', 'clock': 'core', 'params': {@}}, "
	"'a': {'module': 'call_warps', 'clock': 'core'}, "
	"'sm': {'module': 'ticks', 'clock': 'sm'}}, "
	"'links': [{'from': 'a.warps', 'to': 'it.launch'}]";

static const struct rule rules[] = {
	{
		"warps of a block get their ages in order; lanes beyond its threads have ended",
		.shows = "K4",
		.script = "0 a kernel warps=3 threads=70; 1 a launch slot=0 first=0;"
		          "1 a show w0 w1 w2 w3; 2 a kernel warps=1 threads=32;"
		          "2 a launch slot=5 first=63; 2 a show w63;"
		          "3 a kernel warps=2 threads=33; 3 a launch slot=1 first=8;"
		          "3 a show w8 w9; 4 a ctas slot=0; 4 a ctas slot=5; 4 a ctas slot=2",
		.log = "1 a w0 cta=0 age=0 lanes=0xffffffff; 1 a w1 cta=0 age=1 lanes=0xffffffff;"
		       "1 a w2 cta=0 age=2 lanes=0x3f; 1 a w3 empty;"
		       "1 it event cta slot=0 first=0 warps=3 kernel=1 number=0;"
		       "2 a w63 cta=5 age=3 lanes=0xffffffff;"
		       "2 it event cta slot=5 first=63 warps=1 kernel=1 number=1;"
		       "3 a w8 cta=1 age=4 lanes=0xffffffff; 3 a w9 cta=1 age=5 lanes=0x1;"
		       "3 it event cta slot=1 first=8 warps=2 kernel=1 number=2;"
		       "4 a ctas = 3, w0 w1 w2; 4 a ctas = 3, w63; 4 a ctas = 3, none;"
		       "end it warps_launched=6 ctas_launched=3"
		       " warp_cycles=7 slot_cycles=128 occupancy=7; end sm edges=8;"
		       "held it: warp 0 has 32 lanes left and 0 instructions in the pipeline;"
		       "held it: warp 1 has 32 lanes left and 0 instructions in the pipeline;"
		       "held it: warp 2 has 6 lanes left and 0 instructions in the pipeline;"
		       "held it: warp 8 has 32 lanes left and 0 instructions in the pipeline;"
		       "held it: warp 9 has 1 lanes left and 0 instructions in the pipeline;"
		       "held it: warp 63 has 32 lanes left and 0 instructions in the pipeline",
	},
	{
		"a block's warps are woken when it comes, fetch as well; all are with the first of a kernel",
		.params = "'slots': 8",
		.script = "0 a woken; 0 a kernel warps=2; 1 a launch slot=0 first=4; 1 a woken;"
		          "1 a changed; 2 a woken; 2 a changed",
		.log = "0 a woken none; 1 a woken w0 w1 w2 w3 w4 w5 w6 w7 fetch; 1 a changed w4 w5;"
		       "1 it event cta slot=0 first=4 warps=2 kernel=1 number=0; 2 a woken none;"
		       "2 a changed none; end it warps_launched=2 ctas_launched=1; end sm edges=6;"
		       "held it: warp 4 has 32 lanes left and 0 instructions in the pipeline;"
		       "held it: warp 5 has 32 lanes left and 0 instructions in the pipeline",
	},
	{
		"the slots are free with the last warp, and the dispatcher is woken",
		.params = "'slots': 8",
		.shows = "E2",
		.script = "0 a kernel warps=2; 0 a launch slot=0 first=0;"
		          "0 a launch slot=3 first=2; 1 a woken; 2 a exit w0; 2 a retire w0;"
		          "2 a show w0 w1; 2 a ctas slot=0; 2 a dispatcher; 3 a exit w1;"
		          "3 a retire w1; 3 a ctas slot=0; 3 a dispatcher; 4 a show w0 w1;"
		          "5 a exit w2; 5 a exit w3; 5 a retire w2 w3; 6 a ctas slot=3",
		.log = "0 it event cta slot=0 first=0 warps=2 kernel=1 number=0;"
		       "0 it event cta slot=3 first=2 warps=2 kernel=1 number=1;"
		       "1 a woken w0 w1 w2 w3 w4 w5 w6 w7 fetch; 2 a w0 empty;"
		       "2 a w1 cta=0 age=1 lanes=0xffffffff; 2 a ctas = 2, w0 w1;"
		       "2 a dispatcher not woken; 3 a ctas = 1, none; 3 a dispatcher woken;"
		       "3 it event cta_end slot=0; 4 a w0 empty; 4 a w1 empty;"
		       "5 it event cta_end slot=3; 6 a ctas = 0, none;"
		       "end it warps_launched=4 ctas_launched=2"
		       " warp_cycles=11 slot_cycles=32 occupancy=11; end sm edges=5",
	},
	{
		"the clock of the SM stands while there is no block",
		.shows = "Y4",
		.script = "4 a kernel warps=1; 4 a launch slot=0 first=0;"
		          "6 a launch slot=1 first=1; 9 a exit w0; 9 a retire w0; 11 a exit w1;"
		          "11 a retire w1; 20 a launch slot=0 first=0; 23 end",
		.log = "4 it event cta slot=0 first=0 warps=1 kernel=1 number=0;"
		       "6 it event cta slot=1 first=1 warps=1 kernel=1 number=1;"
		       "9 it event cta_end slot=0; 11 it event cta_end slot=1;"
		       "20 it event cta slot=0 first=0 warps=1 kernel=1 number=2;"
		       "end it warps_launched=3 ctas_launched=3"
		       " warp_cycles=8 slot_cycles=384 occupancy=8; end sm edges=10;"
		       "held it: warp 0 has 32 lanes left and 0 instructions in the pipeline",
	},
	{
		"what warps wait for is reported at the end",
		.script = "0 a kernel warps=4 threads=100; 0 a launch slot=0 first=0;"
		          "0 a block barrier w0; 0 a block other w0; 0 a flight w0 n=2;"
		          "0 a block fence w1; 0 a exit w2; 0 a flight w2 n=1; 0 a stores w2 n=3;"
		          "0 a block copy w3; 0 a block atomic w3",
		.log = "0 it event cta slot=0 first=0 warps=4 kernel=1 number=0;"
		       "end it warps_launched=4 ctas_launched=1; end sm edges=5;"
		       "held it: warp 0 waits for the CTA barrier;"
		       "held it: warp 0 waits for a unit;"
		       "held it: warp 0 has 32 lanes left and 2 instructions in the pipeline;"
		       "held it: warp 1 waits for a memory fence;"
		       "held it: warp 1 has 32 lanes left and 0 instructions in the pipeline;"
		       "held it: warp 2 has ended and waits for 1 instructions and 3 stores;"
		       "held it: warp 3 waits for responses to atomics;"
		       "held it: warp 3 waits for asynchronous copies; held it: and 1 more",
	},
	{
		"the number of an SM is below their count",
		.params = "'sm': 2, 'sms': 2",
		.script = "0 end",
		.log = "refused instance 'it': 'sm' is 2; expected less than 'sms', which is 2",
	},
	{
		"as 1 of 2 is",
		.params = "'sm': 1, 'sms': 2",
		.script = "0 a woken; 1 end",
		.log = "0 a woken none",
	},
};

SUITE(warps, .netlist = netlist, RULES(rules));
