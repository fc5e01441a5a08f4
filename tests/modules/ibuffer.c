/* ibuffer.c - rules of the instruction buffers
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'ibuffer', 'params': {@}}, "
	"'issue': {'module': 'call'}, "
	"'fill': {'module': 'call'}}, "
	"'links': [{'from': 'issue.ibuffer', 'to': 'it.issue'}, {'from': 'fill.ibuffer', "
	"'to': 'it.fill'}]";

static const struct rule rules[] = {
	{
		"instructions of a warp leave in the order in which they came",
		.params = "'entries': 3",
		.script = "0 fill push #1 w1; 0 fill push #2 w1; 0 fill push #3 w0;"
		          "0 fill push #4 w1; 0 fill filled; 0 fill entries; 1 issue pop w1;"
		          "2 issue pop w1; 2 fill push #5 w1; 3 issue pop w1; 3 issue filled;"
		          "4 issue pop w1; 4 issue filled; 4 issue pop w1; 5 fill push #6 w1;"
		          "6 issue pop w1; 6 issue pop w0; 6 issue filled",
		.log = "0 fill filled = w0 w1; 0 fill entries = 3; 1 issue pop w1 = #1;"
		       "2 issue pop w1 = #2; 3 issue pop w1 = #4; 3 issue filled = w0 w1;"
		       "4 issue pop w1 = #5; 4 issue filled = w0; 4 issue pop w1 = none;"
		       "6 issue pop w1 = #6; 6 issue pop w0 = #3; 6 issue filled = none",
	},
	{
		"within a cycle issue comes before decode",
		.shows = "Y1",
		.script = "0 fill push #1 w63; 0 issue pop w63; 0 fill filled; 1 issue pop w63;"
		          "2 fill entries",
		.log = "0 fill filled = w63; 0 issue pop w63 = none; 1 issue pop w63 = #1;"
		       "2 fill entries = 2",
	},
	{
		"instructions that were not issued are reported at the end",
		.params = "'entries': 8",
		.script = "0 fill push #1 w0; 0 fill push #2 w63; 0 fill push #3 w63;"
		          "0 fill entries",
		.log = "0 fill entries = 8;"
		       "held it: warp 0 has 1 instructions that were not issued;"
		       "held it: warp 63 has 2 instructions that were not issued; end 3 records",
	},
};

SUITE(ibuffer, .netlist = netlist, RULES(rules));
