/* fence.c - rules of the memory fence
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

#define INSTANCES "'instances': {'it': {'module': 'fence'}, 'sm': {'module': 'sm'}, " \
	"'l1d': {'module': 'give_cache'}, 'a': {'module': 'call'}}, "
#define LINKS "{'from': 'it.warps', 'to': 'sm.warps'}, " \
	"{'from': 'it.scoreboard', 'to': 'sm.scoreboard'}, " \
	"{'from': 'a.after', 'to': 'sm.warps'}, {'from': 'a.fence', 'to': 'it.fence'}"

static const char netlist[] = INSTANCES "'links': [" LINKS "]";
static const char with_cache[] = INSTANCES
	"'links': [{'from': 'it.l1d', 'to': 'l1d.cache'}, " LINKS "]";

static const struct rule rules[] = {
	{
		"a fence holds its warp until it is polled without pending registers",
		.shows = "N1 N2",
		.script = "0 sm cta w0 w1; 0 sm pending w1 R1 R2; 1 a fence w1; 2 sm show w0 w1;"
		          "2 a look w1; 3 sm done w1 R1; 3 a look w1; 4 sm done w1 R2;"
		          "5 sm show w1; 5 a look w1; 6 sm show w1",
		.log = "2 a look w1 = held; 2 sm w0 free; 2 sm w1 fence R1 R2;"
		       "3 a look w1 = held; 5 a look w1 = free; 5 sm w1 fence; 6 sm w1 free;"
		       "end it fences=1",
	},
	{
		"neither unacknowledged stores nor registers of other warps hold it",
		.shows = "N3",
		.script = "0 sm cta w0 w1; 0 sm stores w1 n=3; 0 sm pending w0 R1; 1 a fence w1;"
		          "2 a look w1; 3 sm show w1",
		.log = "2 a look w1 = free; 3 sm w1 stores=3; end it fences=1",
	},
	{
		"its end wakes the warp; other reasons to wait remain",
		.script = "0 sm cta w0 w1; 0 sm block atomic w1; 1 a fence w1; 2 sm show w1;"
		          "2 sm woken; 2 a look w1; 3 sm show w1; 3 sm woken",
		.log = "2 sm w1 fence atomic; 2 sm woken w0 w1 fetch; 2 a look w1 = free;"
		       "3 sm w1 atomic; 3 sm woken w1; end it fences=1",
	},
	{
		"with a linked L1D each end of a fence flushes the cache, and only an end does",
		.shows = "N3",
		.netlist = with_cache,
		.script = "0 sm cta w0 w1; 0 sm pending w1 R1; 1 a fence w0; 1 a fence w1;"
		          "2 a look w1; 3 a look w0; 4 sm done w1 R1; 4 a look w1",
		.log = "2 a look w1 = held; 3 a look w0 = free; 3 l1d invalidate;"
		       "4 a look w1 = free; 4 l1d invalidate; end it fences=2 flushes=2",
	},
};

SUITE(fence, .netlist = netlist, RULES(rules));
