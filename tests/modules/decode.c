/* decode.c - rules of decode
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'decode', 'params': {@}}, 'sm': {'module': 'sm', "
	"'params': {'entries': 4}}, "
	"'trace': {'module': 'give_divergence'}, 'fetch': {'module': 'put_fetched'}}, "
	"'links': [{'from': 'fetch.out', 'to': 'it.fetched', 'capacity': 4}, "
	"{'from': 'it.warps', 'to': 'sm.warps'}, "
	"{'from': 'it.ibuffer', 'to': 'sm.ibuffer'}, {'from': 'it.trace', 'to': 'trace.trace'}]";

#define OTHER(sm) "'instances': {'it': {'module': 'decode', 'params': {@}}, 'sm': {'module': 'sm', " \
	"'params': {'entries': 4" sm "}}, 'path': {'module': 'give_divergence'}, " \
	"'fetch': {'module': 'put_fetched'}}, " \
	"'links': [{'from': 'fetch.out', 'to': 'it.fetched', 'capacity': 4}, " \
	"{'from': 'it.warps', 'to': 'sm.warps'}, {'from': 'it.ibuffer', 'to': 'sm.ibuffer'}, " \
	"{'from': 'it.divergence', 'to': 'path.divergence'}]"
static const char path[] = OTHER("");
static const char room[] = OTHER(", 'room': true");

static const struct rule rules[] = {
	{
		"a fetched warp gets its next two instructions of the trace, which count as in "
		"flight",
		.shows = "D1 D2",
		.script = "0 sm cta w1; 0 trace line #1 w1 pc=0x10; 0 trace line #2 w0;"
		          "0 trace line #3 w1 pc=0x200; 0 trace line #4 w1; 0 fetch fetched w1;"
		          "1 sm woken; 2 sm show w0 w1; 2 sm woken",
		.log = "1 it mark buffered #1; 1 it mark buffered #3; 1 sm woken w1 fetch;"
		       "2 sm w0 retired; 2 sm w1 flight=2 #1 #3; 2 sm woken w1; end it decoded=2;"
		       "end 2 records",
	},
	{
		"or as many as the width",
		.shows = "D1",
		.params = "'width': 3",
		.script = "0 sm cta w1; 0 trace line #1 w1; 0 trace line #2 w1;"
		          "0 trace line #3 w1; 0 trace line #4 w1; 0 fetch fetched w1;"
		          "2 sm show w1",
		.log = "1 it mark buffered #1; 1 it mark buffered #2; 1 it mark buffered #3;"
		       "2 sm w1 flight=3 #1 #2 #3; end it decoded=3; end 3 records",
	},
	{
		"one if the trace has no more, none after its end",
		.shows = "D1",
		.script = "0 sm cta w1; 0 trace line #1 w1; 0 fetch fetched w1; 2 sm show w1;"
		          "2 sm woken; 3 fetch fetched w1; 5 sm show w1; 5 sm woken",
		.log = "1 it mark buffered #1; 2 sm w1 flight=1 #1; 2 sm woken w1 fetch;"
		       "5 sm w1 flight=1 #1; 5 sm woken w1; end it decoded=1; end 1 records",
	},
	{
		"all warps that were fetched are decoded in the same cycle",
		.params = "'width': 1",
		.script = "0 sm cta w0 w1 w2; 0 trace line #1 w0; 0 trace line #2 w1;"
		          "0 trace line #3 w2; 0 fetch fetched w2; 0 fetch fetched w0;"
		          "0 fetch fetched w1; 0 fetch room; 1 fetch room; 2 sm show w0 w1 w2",
		.log = "0 fetch room = 1; 1 fetch room = 4; 1 it mark buffered #3;"
		       "1 it mark buffered #1; 1 it mark buffered #2; 2 sm w0 flight=1 #1;"
		       "2 sm w1 flight=1 #2; 2 sm w2 flight=1 #3; end it decoded=3; end 3 records",
	},
	{
		"with refill 'room' a buffer gets more before it is empty, and fetch can go on while there "
		"is room",
		.shows = "D4",
		.netlist = room,
		.params = "'width': 1",
		.script = "0 sm cta w1; 0 path line #1 w1; 0 path line #2 w1; 0 path line #3 w1;"
		          "0 path line #4 w1; 0 path line #5 w1; 0 fetch fetched w1; 1 sm woken;"
		          "2 sm woken; 2 fetch fetched w1; 3 fetch fetched w1; 4 fetch fetched w1;"
		          "5 sm woken; 6 sm show w1; 6 sm woken; 7 sm issue w1; 8 sm issue w1;"
		          "8 sm woken; 8 fetch fetched w1; 10 sm show w1; 10 sm woken",
		.log = "1 it mark buffered #1; 1 sm woken w1 fetch; 2 sm woken w1 fetch;"
		       "3 it mark buffered #2; 4 it mark buffered #3; 5 it mark buffered #4;"
		       "5 sm woken w1 fetch; 6 sm w1 flight=4 #1 #2 #3 #4; 6 sm woken w1;"
		       "8 sm woken none fetch; 9 it mark buffered #5;"
		       "10 sm w1 flight=5 #3 #4 #5; 10 sm woken w1 fetch; end it decoded=5;"
		       "end 3 records",
	},
	{
		"of a fetch at an address, what the warp executes next is in the pipeline",
		.shows = "CH3",
		.netlist = path,
		.script = "0 sm cta w1; 0 path line #1 w1 pc=0x100; 0 path line #2 w1 pc=0x110;"
		          "0 fetch fetched w1 pc=0x100 n=2; 2 sm show w1; 2 sm woken",
		.log = "1 it mark buffered #1; 1 it mark buffered #2; 2 sm w1 flight=2 #1 #2;"
		       "2 sm woken w1 fetch; end it decoded=2; end 2 records",
	},
	{
		"fewer than the width, if fetch has brought fewer",
		.shows = "CH2",
		.netlist = path,
		.script = "0 sm cta w1; 0 path line #1 w1 pc=0x100; 0 path line #2 w1 pc=0x110;"
		          "0 fetch fetched w1 pc=0x100 n=1; 2 sm show w1",
		.log = "1 it mark buffered #1; 2 sm w1 flight=1 #1; end it decoded=1;"
		       "end 1 records",
	},
	{
		"what else is there is of a wrong path: an instruction of the program, or an empty entry",
		.shows = "CH3",
		.netlist = path,
		.params = "'width': 4",
		.script = "0 sm cta w1; 0 path line #1 w1 pc=0x100; 0 path line #2 w1 pc=0x200;"
		          "0 path code #7 w0 pc=0x110 dst=R1 src=R2 exits=1 flags=exit;"
		          "0 fetch fetched w1 pc=0x100 n=3; 2 sm show w1",
		.log = "1 it mark buffered #1; 1 it mark buffered #7; 1 it mark buffered #0;"
		       "2 sm w1 flight=1 #1 wrong#7 wrong#0; end it decoded=1 wrong_path=2;"
		       "end 3 records",
	},
	{
		"behind it everything is, even where the warp goes on",
		.shows = "CH3",
		.netlist = path,
		.params = "'width': 4",
		.script = "0 sm cta w1; 0 path line #1 w1 pc=0x110; 0 path code #7 w0 pc=0x100;"
		          "0 path code #8 w0 pc=0x110; 0 fetch fetched w1 pc=0x100 n=2;"
		          "1 fetch fetched w1 pc=0x110 n=2; 3 sm show w1; 3 sm flush w1; 3 sm show w1",
		.log = "1 it mark buffered #7; 1 it mark buffered #8; 2 it mark buffered #8;"
		       "2 it mark buffered #0; 3 sm w1 wrong#7 wrong#8 wrong#8 wrong#0;"
		       "3 sm w1 flushed; end it wrong_path=4",
	},
	{
		"behind the last instruction of a warp, too, also at address 0",
		.shows = "CH3",
		.netlist = path,
		.script = "0 sm cta w1; 0 path line #1 w1 pc=0xfffffff0; 0 path code #8 w0 pc=0;"
		          "0 fetch fetched w1 pc=0xfffffff0 n=2; 2 sm show w1",
		.log = "1 it mark buffered #1; 1 it mark buffered #8;"
		       "2 sm w1 flight=1 #1 wrong#8; end it decoded=1 wrong_path=1;"
		       "end 2 records",
	},
	{
		"what comes for a warp that was flushed or has ended is dropped, and fetch goes on",
		.shows = "CH4 CH6",
		.netlist = path,
		.script = "0 sm cta w1 w2; 0 path line #1 w1 pc=0x100; 0 path line #2 w2 pc=0x100;"
		          "1 sm flush w1; 1 sm exit w2; 2 sm woken; 2 fetch fetched w1 pc=0x100 n=2;"
		          "3 sm woken; 4 sm woken; 4 fetch fetched w2 pc=0x100 n=2; 5 sm woken;"
		          "6 sm woken; 6 sm show w1 w2",
		.log = "2 sm woken w1 w2 fetch; 3 sm woken none; 4 sm woken w1 fetch;"
		       "5 sm woken none; 6 sm woken w2 fetch; 6 sm w1 flushed; 6 sm w2 ended",
	},
	{
		"without programs of kernels there is nothing at an address",
		.script = "0 sm cta w1; 0 trace line #1 w1 pc=0x100; 0 fetch fetched w1 pc=0x100 n=2",
		.log = "error it: cycle 2: the fetch stage does not follow the trace, whose source "
		       "has no programs of kernels;"
		       "expected a link of port 'divergence' to the policy that fetch has",
	},
	{
		"the width must not exceed the buffer",
		.params = "'width': 5",
		.script = "",
		.log = "refused instance 'it': 'width' is 5 and the instruction buffer has 4 "
		       "entries per warp;"
		       "expected at most as many",
	},
	{
		"a width equal to the buffer is accepted",
		.params = "'width': 4",
		.script = "0 sm cta w1; 0 trace line #1 w1; 0 trace line #2 w1;"
		          "0 trace line #3 w1; 0 trace line #4 w1; 0 trace line #5 w1;"
		          "0 fetch fetched w1; 2 sm show w1",
		.log = "1 it mark buffered #1; 1 it mark buffered #2; 1 it mark buffered #3;"
		       "1 it mark buffered #4; 2 sm w1 flight=4 #1 #2 #3 #4; end it decoded=4;"
		       "end 4 records",
	},
};

SUITE(decode, .netlist = netlist, RULES(rules));
