/* decode.c - rules of decode
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'decode', 'params': {@}}, 'sm': {'module': 'sm', "
	"'params': {'entries': 4}}, "
	"'trace': {'module': 'give_trace'}, 'fetch': {'module': 'put_fetched'}}, "
	"'links': [{'from': 'fetch.out', 'to': 'it.fetched', 'capacity': 4}, "
	"{'from': 'it.warps', 'to': 'sm.warps'}, "
	"{'from': 'it.ibuffer', 'to': 'sm.ibuffer'}, {'from': 'it.trace', 'to': 'trace.trace'}]";

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

const struct suite suite_decode = { .name = "decode", .netlist = netlist, RULES(rules) };
