/* coalescer.c - rules of coalescing and of the map of local memory
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An access is logged as ADDRESS/BYTES/LANES, all hexadecimal.
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'coalescer', 'params': {@}}, 'sm': {'module': 'sm', "
	"'params': {'slots': 8}}, 'a': {'module': 'call'}}, "
	"'links': [{'from': 'it.warps', 'to': 'sm.warps'}, {'from': 'a.after', 'to': 'sm.warps'}, "
	"{'from': 'a.coalescer', 'to': 'it.coalescer'}]";

#define G "w0 space=global "
#define L "space=local "

static const struct rule rules[] = {
	{
		"one access for each touched segment, in ascending order",
		.shows = "CO1",
		.script = "0 a coalesce #1 " G "addr=0x1040,0x1000,0x1020,0x1044 mask=0xf;"
		          "0 a coalesce #2 " G "addr=0x1000,0x1004,0x1040,0x1008 mask=0xf;"
		          "0 a coalesce #3 " G "addr=0x1060,0x1040,0x1020,0x1000 mask=0xf;"
		          "0 a coalesce #4 " G "addr=0x1000,0x1020,0x1000,0x1020,0x1000 mask=0x1f",
		.log = "0 a #1 = 3: 1000/f/2 1020/f/4 1040/ff/9; 0 a #2 = 2: 1000/fff/b 1040/f/4;"
		       "0 a #3 = 4: 1000/f/8 1020/f/4 1040/f/2 1060/f/1;"
		       "0 a #4 = 2: 1000/f/15 1020/f/a; end it instructions=4 accesses=11",
	},
	{
		"a warp's row of words, of bytes, of 16 bytes; a row that does not begin at a "
		"segment",
		.shows = "CO1",
		.script = "0 a coalesce #1 " G "addr=0x1000 stride=4;"
		          "0 a coalesce #2 " G "addr=0x1000 stride=1 width=1;"
		          "0 a coalesce #3 " G "addr=0x1000 stride=16 width=16;"
		          "0 a coalesce #4 " G "addr=0x1010 stride=4;"
		          "0 a coalesce #5 " G "addr=0x101c stride=4;"
		          "0 a coalesce #6 " G "addr=0x1008 stride=8 width=8",
		.log = "0 a #1 = 4: 1000/ffffffff/ff 1020/ffffffff/ff00 1040/ffffffff/ff0000 "
		       "1060/ffffffff/ff000000; 0 a #2 = 1: 1000/ffffffff/ffffffff;"
		       "0 a #3 = 16: 1000/ffffffff/3 1020/ffffffff/c 1040/ffffffff/30 "
		       "1060/ffffffff/c0 1080/ffffffff/300 10a0/ffffffff/c00 10c0/ffffffff/3000 "
		       "10e0/ffffffff/c000 1100/ffffffff/30000 1120/ffffffff/c0000 "
		       "1140/ffffffff/300000 1160/ffffffff/c00000 1180/ffffffff/3000000 "
		       "11a0/ffffffff/c000000 11c0/ffffffff/30000000 11e0/ffffffff/c0000000;"
		       "0 a #4 = 5: 1000/ffff0000/f 1020/ffffffff/ff0 1040/ffffffff/ff000 "
		       "1060/ffffffff/ff00000 1080/ffff/f0000000;"
		       "0 a #5 = 5: 1000/f0000000/1 1020/ffffffff/1fe 1040/ffffffff/1fe00 "
		       "1060/ffffffff/1fe0000 1080/fffffff/fe000000;"
		       "0 a #6 = 9: 1000/ffffff00/7 1020/ffffffff/78 1040/ffffffff/780 "
		       "1060/ffffffff/7800 1080/ffffffff/78000 10a0/ffffffff/780000 "
		       "10c0/ffffffff/7800000 10e0/ffffffff/78000000 1100/ff/80000000;"
		       "end it instructions=6 accesses=40",
	},
	{
		"almost a row: a lane is missing, elsewhere, at 0, or the row is not aligned",
		.shows = "CO1",
		.script = "0 a coalesce #1 " G "addr=0x1000 stride=4 mask=0xfffffffe;"
		          "0 a coalesce #2 " G "addr=0x1000 stride=4 mask=0x7fffffff;"
		          "0 a coalesce #3 " G "addr=0x1002 stride=4;"
		          "0 a coalesce #4 " G "addr=0 stride=4;"
		          "0 a coalesce #5 " G "addr=0x1004,0x1000,0x1008 stride=4;"
		          "0 a coalesce #6 " G "addr=0x1000 stride=4 width=8",
		.log = "0 a #1 = 4: 1000/fffffff0/fe 1020/ffffffff/ff00 1040/ffffffff/ff0000 "
		       "1060/ffffffff/ff000000;"
		       "0 a #2 = 4: 1000/ffffffff/ff 1020/ffffffff/ff00 1040/ffffffff/ff0000 "
		       "1060/fffffff/7f000000;"
		       "0 a #3 = 5: 1000/fffffffc/ff+2 1020/fffffffe/ff80+2 1040/fffffffe/ff8000+2 "
		       "1060/fffffffe/ff800000 1080/1e/80000000;"
		       "0 a #4 = 4: 0/fffffff0/fe 20/ffffffff/ff00 40/ffffffff/ff0000 60/ffffffff/ff000000;"
		       "0 a #5 = 4: 1000/ffffffff/ff 1020/ffffffff/ff00 1040/ffffffff/ff0000 "
		       "1060/ffffffff/ff000000;"
		       "0 a #6 = 5: 1000/ffffffff/ff+4 1020/ffffffff/ff80+4 1040/ffffffff/ff8000+4 "
		       "1060/ffffffff/ff800000 1080/7f8/80000000;"
		       "end it instructions=6 accesses=26",
	},
	{
		"lanes at address 0 touch nothing; neighbouring segments are not merged",
		.shows = "CO1",
		.script = "0 a coalesce #1 " G "addr=0,0x1000,0,0x1004 mask=0xf;"
		          "0 a coalesce #2 " G "addr=0,0 mask=0x3;"
		          "0 a coalesce #3 " G "addr=0x10,0x4 mask=0x3;"
		          "0 a coalesce #4 " G "addr=0x1000,0 mask=0x3;"
		          "0 a coalesce #5 " G "addr=0x100000000001000,0x1000 mask=0x3;"
		          "0 a coalesce #6 " G "addr=0x1000 mask=0",
		.log = "0 a #1 = 1: 1000/ff/a; 0 a #2 = 0:; 0 a #3 = 1: 0/f00f0/3;"
		       "0 a #4 = 1: 1000/f/1; 0 a #5 = 2: 1000/f/2 100000000001000/f/1;"
		       "0 a #6 = 0:; end it instructions=6 accesses=5",
	},
	{
		"the segment of the first byte and that of the last, if it is another",
		.shows = "CO1 CO5",
		.script = "0 a coalesce #1 " G "addr=0x101e mask=0x1;"
		          "0 a coalesce #2 " G "addr=0x101c mask=0x1;"
		          "0 a coalesce #3 " G "addr=0x101f width=2 mask=0x1;"
		          "0 a coalesce #4 " G "addr=0x1010 width=32 mask=0x1;"
		          "0 a coalesce #5 " G "addr=0x1008 width=64 mask=0x1;"
		          "0 a coalesce #6 " G "addr=0x1000,0x101e,0x1004 mask=0x7;"
		          "0 a coalesce #7 " G "addr=0x101e,0x1000,0x1022 mask=0x7;"
		          "0 a coalesce #8 " G "addr=0x1000 width=32 mask=0x1",
		.log = "0 a #1 = 2: 1000/c0000000/1+2 1020/1e/1; 0 a #2 = 1: 1000/f0000000/1;"
		       "0 a #3 = 2: 1000/80000000/1+1 1020/3/1;"
		       "0 a #4 = 2: 1000/ffff0000/1+16 1020/ffff8000/1+15;"
		       "0 a #5 = 2: 1000/ffffff00/1+40 1040/ffffff80/1+32;"
		       "0 a #6 = 2: 1000/c00000ff/7+2 1020/1e/2; 0 a #7 = 2: 1000/c000000f/3+2 1020/3e/5;"
		       "0 a #8 = 1: 1000/ffffffff/1; end it instructions=8 accesses=14",
	},
	{
		"each part of the warp has its own list; the lists are concatenated",
		.shows = "CO2",
		.params = "'parts': 2",
		.script = "0 a coalesce #1 " G "addr=0x1000 stride=4;"
		          "0 a coalesce #2 " G "addr=0x1000 stride=2 width=2;"
		          "0 a coalesce #3 " G "addr=0x2000 stride=-4;"
		          "0 a coalesce #4 " G "addr=0x1000 stride=0;"
		          "0 a coalesce #5 " G "addr=0x1000 stride=0 mask=0xffff0000",
		.log = "0 a #1 = 4: 1000/ffffffff/ff 1020/ffffffff/ff00 1040/ffffffff/ff0000 "
		       "1060/ffffffff/ff000000;"
		       "0 a #2 = 2: 1000/ffffffff/ffff 1020/ffffffff/ffff0000;"
		       "0 a #3 = 6: 1fc0/fffffff0/fe00 1fe0/ffffffff/1fe 2000/f/1 "
		       "1f80/fffffff0/fe000000 1fa0/ffffffff/1fe0000 1fc0/f/10000;"
		       "0 a #4 = 2: 1000/f/ffff 1000/f/ffff0000; 0 a #5 = 1: 1000/f/ffff0000;"
		       "end it instructions=5 accesses=15",
	},
	{
		"parts of an atomic do as well",
		.shows = "CO2 CO3",
		.params = "'parts': 16",
		.script = "0 a coalesce #1 " G "flags=load,atomic addr=0x1000 stride=0 mask=0x1f;"
		          "0 a coalesce #2 " G "flags=load,atomic addr=0x1010,0x1000,0x1004,"
		          "0x1000 mask=0xf",
		.log = "0 a #1 = 5: 1000/f/1 1000/f/2 1000/f/4 1000/f/8 1000/f/10;"
		       "0 a #2 = 2: 1000/f000f/3 1000/ff/c; end it instructions=2 accesses=7",
	},
	{
		"a lane of an atomic whose bytes are already in an access gets its own",
		.shows = "CO3",
		.script = "0 a coalesce #1 " G "flags=load,atomic addr=0x1000,0x1004,0x1000,"
		          "0x1000 mask=0xf;"
		          "0 a coalesce #2 " G "flags=load,atomic addr=0x1020,0x1000,0x1020,"
		          "0x1004,0x1024 mask=0x1f;"
		          "0 a coalesce #3 " G "flags=load,atomic addr=0x1000,0x1000,0x1004,"
		          "0x1004,0x1008 mask=0x1f",
		.log = "0 a #1 = 3: 1000/ff/3 1000/f/4 1000/f/8;"
		       "0 a #2 = 3: 1000/ff/a 1020/ff/11 1020/f/4;"
		       "0 a #3 = 2: 1000/fff/15 1000/ff/a; end it instructions=3 accesses=8",
	},
	{
		"bytes that overlap in part; only the first segment; lanes at 0 count",
		.shows = "CO3",
		.script = "0 a coalesce #1 " G "flags=load,atomic width=8 addr=0x1000,0x1004,"
		          "0x1008 mask=0x7;"
		          "0 a coalesce #2 " G "flags=load,atomic width=8 addr=0x101c,0x1020 "
		          "mask=0x3;"
		          "0 a coalesce #3 " G "flags=load,atomic addr=0,0x1000,0 mask=0x7",
		.log = "0 a #1 = 2: 1000/ffff/5 1000/ff0/2; 0 a #2 = 2: 1000/f0000000/1 1020/ff/2;"
		       "0 a #3 = 3: 0/f/1 0/f/4 1000/f/2; end it instructions=3 accesses=7",
	},
	{
		"an instruction without addresses in the trace makes no access",
		.shows = "CO4",
		.script = "0 a coalesce #1 " G "width=0;"
		          "0 a coalesce #2 " G "width=0 flags=load,atomic;"
		          "0 sm kernel warps=1 ctas=1; 0 a coalesce #3 w0 " L "width=0",
		.log = "0 a #1 = 0:; 0 a #2 = 0:; 0 a #3 = 0:",
	},
	{
		"a full warp at one offset touches 4 sectors of each word, side by side",
		.shows = "LM1 LM2",
		.script = "0 sm kernel warps=1 ctas=1; 0 a coalesce #1 w0 " L "addr=0 stride=0;"
		          "0 a coalesce #2 w0 " L "addr=4 stride=0;"
		          "0 a coalesce #3 w0 " L "addr=0 stride=0 width=8",
		.log = "0 a #1 = 4: 1f880000/ffffffff/ff 1f880020/ffffffff/ff00 "
		       "1f880040/ffffffff/ff0000 1f880060/ffffffff/ff000000;"
		       "0 a #2 = 4: 1f880080/ffffffff/ff 1f8800a0/ffffffff/ff00 "
		       "1f8800c0/ffffffff/ff0000 1f8800e0/ffffffff/ff000000;"
		       "0 a #3 = 8: 1f880000/ffffffff/ff 1f880020/ffffffff/ff00 "
		       "1f880040/ffffffff/ff0000 1f880060/ffffffff/ff000000 1f880080/ffffffff/ff "
		       "1f8800a0/ffffffff/ff00 1f8800c0/ffffffff/ff0000 "
		       "1f8800e0/ffffffff/ff000000; end it instructions=3 accesses=16",
	},
	{
		"the words of all threads of a block are adjacent, followed by those of the next "
		"block",
		.shows = "LM1",
		.script = "0 sm kernel warps=2 ctas=3; 0 a coalesce #1 w0 " L "addr=0 mask=0x1;"
		          "0 a coalesce #2 w1 " L "addr=0,0,0 mask=0x4;"
		          "0 a coalesce #3 w2 " L "addr=0 mask=0x1;"
		          "0 a coalesce #4 w5 " L "addr=0 mask=0x1;"
		          "0 a coalesce #5 w0 " L "addr=4 mask=0x1;"
		          "0 a coalesce #6 w3 " L "addr=8 mask=0x1",
		.log = "0 a #1 = 1: 1f880000/f/1; 0 a #2 = 1: 1f880080/f00/4;"
		       "0 a #3 = 1: 1f880100/f/1; 0 a #4 = 1: 1f880280/f/1;"
		       "0 a #5 = 1: 1f880300/f/1; 0 a #6 = 1: 1f880780/f/1;"
		       "end it instructions=6 accesses=6",
	},
	{
		"those of other SMs are between the blocks of this one",
		.shows = "LM1",
		.script = "0 sm kernel warps=2 ctas=3 sm=1 sms=4;"
		          "0 a coalesce #1 w0 " L "addr=0 mask=0x1;"
		          "0 a coalesce #2 w1 " L "addr=0 mask=0x1;"
		          "0 a coalesce #3 w2 " L "addr=0 mask=0x1;"
		          "0 a coalesce #4 w0 " L "addr=4 mask=0x1",
		.log = "0 a #1 = 1: 1f880100/f/1; 0 a #2 = 1: 1f880180/f/1;"
		       "0 a #3 = 1: 1f880500/f/1; 0 a #4 = 1: 1f880d00/f/1;"
		       "end it instructions=4 accesses=4",
	},
	{
		"by SM: all its threads are adjacent, whatever their block",
		.shows = "LM1",
		.params = "'local_map': 'by_sm'",
		.script = "0 sm kernel warps=2 ctas=3 sm=1 sms=4;"
		          "0 a coalesce #1 w0 " L "addr=0 mask=0x1;"
		          "0 a coalesce #2 w7 " L "addr=0 mask=0x1;"
		          "0 a coalesce #3 w0 " L "addr=4 mask=0x1",
		.log = "0 a #1 = 1: 1f880400/f/1; 0 a #2 = 1: 1f880780/f/1;"
		       "0 a #3 = 1: 1f881400/f/1; end it instructions=3 accesses=3",
	},
	{
		"accesses of less than a word stay in it; wider ones are split into words",
		.shows = "LM1",
		.script = "0 sm kernel warps=1 ctas=1;"
		          "0 a coalesce #1 w0 " L "addr=2 width=2 mask=0x1;"
		          "0 a coalesce #2 w0 " L "addr=5 width=1 mask=0x1;"
		          "0 a coalesce #3 w0 " L "addr=3 width=2 mask=0x1;"
		          "0 a coalesce #4 w0 " L "addr=0 width=16 mask=0x1;"
		          "0 a count #5 w0 " L "addr=0 stride=0 width=16;"
		          "0 a coalesce #6 w0 " L "addr=2 width=4 mask=0x1",
		.log = "0 a #1 = 1: 1f880000/c/1; 0 a #2 = 1: 1f880080/2/1;"
		       "0 a #3 = 1: 1f880000/18/1;"
		       "0 a #4 = 4: 1f880000/f/1 1f880080/f/1 1f880100/f/1 1f880180/f/1;"
		       "0 a #5 = 16; 0 a #6 = 1: 1f880000/f/1; end it instructions=6 accesses=24",
	},
	{
		"with 'none' addresses are used unchanged; those at 0 touch nothing",
		.shows = "LM3",
		.params = "'local_map': 'none'",
		.script = "0 a coalesce #1 w0 " L "addr=0x1000,0 mask=0x3;"
		          "0 a coalesce #2 w0 " L "addr=0x1000 stride=4",
		.log = "0 a #1 = 1: 1000/f/1;"
		       "0 a #2 = 4: 1000/ffffffff/ff 1020/ffffffff/ff00 1040/ffffffff/ff0000 "
		       "1060/ffffffff/ff000000; end it instructions=2 accesses=5",
	},
	{
		"atomics go by their addresses, whatever the map of local memory",
		.shows = "CO3",
		.script = "0 sm kernel warps=1 ctas=1;"
		          "0 a coalesce #1 " G "flags=load,atomic addr=0x1000 mask=0x1",
		.log = "0 a #1 = 1: 1000/f/1; end it instructions=1 accesses=1",
	},
	{
		"a warp of 64-byte accesses to local memory, lane by lane, fills the list",
		.script = "0 sm kernel warps=1 ctas=1;"
		          "0 a count #1 w0 " L "addr=0 stride=128 width=64;"
		          "0 a count #2 w0 " L "addr=0 stride=128 width=128;"
		          "0 a count #3 w0 space=global flags=load,atomic addr=0x1000 stride=0",
		.log = "0 a #1 = 512; 0 a #2 = 512; 0 a #3 = 32;"
		       "end it instructions=3 accesses=1056",
	},
	{
		"parts that do not divide a warp are refused",
		.params = "'parts': 3",
		.script = "0 end",
		.log = "refused instance 'it': 'parts' is 3; expected a divisor of 32",
	},
};

SUITE(coalescer, .netlist = netlist, RULES(rules));
