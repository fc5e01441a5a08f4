/* dispatcher_apart.c - rules of the dispatcher of a whole GPU: how far it foresees
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For so many cycles the SMs may run apart (kernel/parallel/run_ahead.h), for it starts nothing on them.
 */
#include "dispatcher_grid.h"

static const char netlist[] = NETLIST;

static const struct rule rules[] = {
	{
		"up to the first block; from the last one on as long as the warps must take",
		.foresees = true,
		.params = "'cores': 2, 'kernel_latency': 6, 'warp_rate': 2, 'sm_rate': 4",
		.script = "0 list kernel #1 ctas=2 warps=2; 0 list left warp=0 n=20; 0 list left warp=1 n=40;"
		          "0 list left warp=512 n=50; 0 list left warp=513 n=30; 0 list left warp=2 n=999;"
		          "10 list left warp=512 n=38; 12 list left warp=1 n=10; 12 list left warp=512 n=10;"
		          "12 list left warp=513 n=60; 14 a over slot=0; 16 end",
		.log = "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "0 it foresees 5; 6 a launch slot=0 first=0; 6 c launch slot=0 first=0;"
		       "6 list block of #1 at w0; 6 list block of #1 at w512; 14 g rests;"
		       "6 it foresees 25; 12 it foresees 30;"
		       "end it cycles=17; held it: kernel 1 'k': 2 of 2 CTAs placed, 1 not ended",
	},
	{
		"nothing while there is room for a block, then as long as those that wait must take, too",
		.foresees = true,
		.params = "'cores': 2, 'warp_rate': 2, 'sm_rate': 4",
		.script = "0 list kernel #1 ctas=20 warps=4; 0 list left warp=4 n=30; 0 list left warp=5 n=50;"
		          "5 list left warp=5 n=70; 6 list left warp=4 n=0; 7 list left warp=5 n=0; 9 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 d launch slot=0 first=0;"
		       "1 list block of #1 at w256; 1 list block of #1 at w768;"
		       "2 a launch slot=1 first=4; 2 c launch slot=1 first=4;"
		       "2 list block of #1 at w4; 2 list block of #1 at w516;"
		       "3 b launch slot=1 first=4; 3 d launch slot=1 first=4;"
		       "3 list block of #1 at w260; 3 list block of #1 at w772;"
		       "3 it foresees 25; 5 it foresees 35;"
		       "end it cycles=10;"
		       "held it: kernel 1 'k': 8 of 20 CTAs placed, 8 not ended",
	},
	{
		"a store that is left has to be answered; and what was foreseen once holds",
		.foresees = true,
		.params = "'cores': 2, 'warp_rate': 2, 'sm_rate': 4, 'store_latency': 30",
		.script = "0 list kernel #1 ctas=4 warps=2; 0 list left warp=0 n=8; 0 list left warp=513 n=4 stores=2;"
		          "0 list left warp=257 n=4 stores=1; 6 list left warp=513 n=4; 10 list left warp=257 n=2;"
		          "52 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 d launch slot=0 first=0;"
		       "1 list block of #1 at w256; 1 list block of #1 at w768; 1 it foresees 30;"
		       "end it cycles=53; held it: kernel 1 'k': 4 of 4 CTAs placed, 4 not ended",
	},
	{
		"nothing where the second-level cache may be flushed",
		.foresees = true,
		.params = "'cores': 2, 'kernel_latency': 6, 'flush_l2': true",
		.script = "0 list kernel #1 ctas=1 warps=2; 0 list left warp=0 n=20; 9 end",
		.log = "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "6 a launch slot=0 first=0; 6 h rests; 6 list block of #1 at w0;"
		       "end it cycles=10; held it: kernel 1 'k': 1 of 1 CTAs placed, 1 not ended",
	},
};

const struct suite suite_dispatcher_apart = { .name = "dispatcher_apart", .netlist = netlist,
	                                      .plain = true, RULES(rules) };
