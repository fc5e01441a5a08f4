/* front_icache.c - rules of the instruction cache of a sub-core
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

/* Lines of 32 bytes: line 8 is the pcs from 0x100 on, if `base` is 0. */
#define INSTANCES(base, stream) "'instances': {'it': {'module': 'front_icache', " \
	"'params': {'line': 32, 'base': " base ", 'stream': " stream "@}}, 'sm': {'module': 'sm'}, " \
	"'a': {'module': 'call_icache'}, 'req': {'module': 'take_mem'}, 'mem': {'module': 'put_mem'}}, " \
	"'links': [{'from': 'a.icache', 'to': 'it.icache'}, {'from': 'it.warps', 'to': 'sm.warps'}, " \
	"{'from': 'mem.after', 'to': 'sm.warps'}, {'from': 'it.request', 'to': 'req.in', 'capacity': 4}, " \
	"{'from': 'mem.out', 'to': 'it.response', 'capacity': 8}]"

static const char netlist[] = INSTANCES("0", "2");
static const char elsewhere[] = INSTANCES("4096", "2");
static const char without_stream[] = INSTANCES("0", "0");

static const struct rule rules[] = {
	{
		"a line that is missed is requested, then those behind it, one a cycle; fetch is woken when it comes",
		.shows = "FE2 FE3",
		.netlist = elsewhere,
		.script = "0 a watch; 0 a fetch w1 pc=0x104; 1 a ready; 6 mem put 0x1100 w0;"
		          "7 a woken; 8 a woken; 8 a ready;"
		          "8 a ready; 8 a fetch w1 pc=0x104; 8 a rest pc=0x104",
		.log = "0 a fetch w1 = miss; 1 a ready = none; 2 req took 0x1100 w0 inst;"
		       "3 req took 0x1120 w0 inst; 4 req took 0x1140 w0 inst; 7 a woken = yes; 8 a woken = no;"
		       "8 a ready = w1 pc=0x104; 8 a ready = none; 8 a fetch w1 = hit; 8 a rest = 28;"
		       "end it hits=1 misses=1 requests=3 read_ahead=2",
	},
	{
		"lines that are missed in one cycle are requested in two, without a stream buffer too",
		.shows = "FE2",
		.netlist = without_stream,
		.script = "0 a fetch w1 pc=0x100; 0 a fetch w2 pc=0x200; 0 a fetch w3 pc=0x210; 6 mem put 0x200 w0;"
		          "6 mem put 0x100 w0; 8 a ready; 8 a ready; 8 a ready; 8 a ready",
		.log = "0 a fetch w1 = miss; 0 a fetch w2 = miss; 0 a fetch w3 = miss;"
		       "2 req took 0x100 w0 inst; 3 req took 0x200 w0 inst; 8 a ready = w1 pc=0x100;"
		       "8 a ready = w2 pc=0x200; 8 a ready = w3 pc=0x210; 8 a ready = none;"
		       "end it misses=3 requests=2",
	},
	{
		"the stream ends at a line that is on its way, or here",
		.shows = "FE3",
		.script = "0 a fetch w1 pc=0x120; 0 a fetch w2 pc=0x100; 6 mem put 0x120 w0; 6 mem put 0x100 w0;"
		          "9 a fetch w1 pc=0xe0",
		.log = "0 a fetch w1 = miss; 0 a fetch w2 = miss; 2 req took 0x120 w0 inst;"
		       "3 req took 0x100 w0 inst; 9 a fetch w1 = miss; 11 req took 0xe0 w0 inst;"
		       "end it misses=3 requests=3; held it: 1 lines that fetches wait for have not come",
	},
	{
		"a line that came and was replaced is read ahead again",
		.shows = "FE3",
		.params = ", 'sets': 1, 'ways': 1",
		.script = "0 a fetch w1 pc=0x100; 0 a fetch w2 pc=0x200; 6 mem put 0x100 w0; 6 mem put 0x200 w0;"
		          "9 a fetch w1 pc=0x800; 12 mem put 0x800 w0; 15 a fetch w1 pc=0x1e0",
		.log = "0 a fetch w1 = miss; 0 a fetch w2 = miss; 2 req took 0x100 w0 inst;"
		       "3 req took 0x200 w0 inst; 4 req took 0x220 w0 inst; 5 req took 0x240 w0 inst;"
		       "9 a fetch w1 = miss; 11 req took 0x800 w0 inst; 12 req took 0x820 w0 inst;"
		       "13 req took 0x840 w0 inst; 15 a fetch w1 = miss; 17 req took 0x1e0 w0 inst;"
		       "18 req took 0x200 w0 inst; 19 req took 0x220 w0 inst;"
		       "end it misses=4 requests=10 read_ahead=6;"
		       "held it: 1 lines that fetches wait for have not come",
	},
	{
		"a fetch takes the head of the stream buffer, if it has come; what is read ahead may come first",
		.shows = "FE3",
		.script = "0 a fetch w1 pc=0x100; 6 mem put 0x120 w0; 8 a fetch w2 pc=0x104;"
		          "8 a ready; 9 mem put 0x100 w0;"
		          "11 a ready; 11 a ready; 11 a fetch w1 pc=0x120; 12 a fetch w1 pc=0x140;"
		          "15 mem put 0x140 w0; 17 a ready",
		.log = "0 a fetch w1 = miss; 2 req took 0x100 w0 inst; 3 req took 0x120 w0 inst;"
		       "4 req took 0x140 w0 inst; 8 a fetch w2 = miss; 8 a ready = none;"
		       "11 a ready = w1 pc=0x100; 11 a ready = w2 pc=0x104; 11 a fetch w1 = hit;"
		       "12 a fetch w1 = miss; 13 req took 0x160 w0 inst; 17 a ready = w1 pc=0x140;"
		       "17 req took 0x180 w0 inst;"
		       "end it hits=1 stream_hits=2 misses=3 requests=5 read_ahead=4",
	},
	{
		"only the head is looked at: the stream begins again behind another line",
		.shows = "FE2 FE3",
		.script = "0 a fetch w1 pc=0x100; 6 mem put 0x100 w0; 6 mem put 0x120 w0; 6 mem put 0x140 w0;"
		          "8 a fetch w1 pc=0x140; 12 mem put 0x140 w0; 14 a ready",
		.log = "0 a fetch w1 = miss; 2 req took 0x100 w0 inst; 3 req took 0x120 w0 inst;"
		       "4 req took 0x140 w0 inst; 8 a fetch w1 = miss; 10 req took 0x140 w0 inst;"
		       "11 req took 0x160 w0 inst; 12 req took 0x180 w0 inst; 14 a ready = w1 pc=0x140;"
		       "end it misses=2 requests=6 read_ahead=4",
	},
	{
		"sixteen lines may be missing; another one is refused",
		.netlist = without_stream,
		.script = "0 req stop; 0 a fetch w1 pc=0x000; 0 a fetch w2 pc=0x020;"
		          "0 a fetch w3 pc=0x040; 0 a fetch w4 pc=0x060;"
		          "0 a fetch w5 pc=0x080; 0 a fetch w6 pc=0x0a0; 0 a fetch w7 pc=0x0c0; 0 a fetch w8 pc=0x0e0;"
		          "0 a fetch w9 pc=0x100; 0 a fetch w10 pc=0x120; 0 a fetch w11 pc=0x140;"
		          "0 a fetch w12 pc=0x160;"
		          "0 a fetch w13 pc=0x180; 0 a fetch w14 pc=0x1a0; 0 a fetch w15 pc=0x1c0;"
		          "0 a fetch w16 pc=0x1e0;"
		          "0 a fetch w17 pc=0x200; 0 a fetch w18 pc=0x1e4",
		.log = "0 a fetch w1 = miss; 0 a fetch w2 = miss; 0 a fetch w3 = miss; 0 a fetch w4 = miss;"
		       "0 a fetch w5 = miss; 0 a fetch w6 = miss; 0 a fetch w7 = miss; 0 a fetch w8 = miss;"
		       "0 a fetch w9 = miss; 0 a fetch w10 = miss; 0 a fetch w11 = miss; 0 a fetch w12 = miss;"
		       "0 a fetch w13 = miss; 0 a fetch w14 = miss; 0 a fetch w15 = miss;"
		       "0 a fetch w16 = miss; 0 a fetch w17 = fail; 0 a fetch w18 = miss;"
		       "end it misses=17 refusals=1 requests=4;"
		       "held it: 16 lines that fetches wait for have not come; end 4 records",
	},
};

SUITE(front_icache, .netlist = netlist, RULES(rules));
