/* fetch.c - rules of fetch
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The toy 'decode' takes a warp one cycle later; only the toy 'sm' fills its buffer.
 */
#include "harness.h"

#define INSTANCES "'instances': {'it': {'module': 'fetch'}, " \
	"'sm': {'module': 'sm', 'params': {'slots': 8}}, " \
	"'icache': {'module': 'give_icache', 'params': {@}}, " \
	"'decode': {'module': 'take_fetched'}}, "
#define LINKS(it) "{'from': '" it ".warps', 'to': 'sm.warps'}, " \
	"{'from': '" it ".ibuffer', 'to': 'sm.ibuffer'}, " \
	"{'from': '" it ".icache', 'to': 'icache.icache'}, " \
	"{'from': '" it ".scoreboard', 'to': 'sm.scoreboard'}"

#define NETLIST(link) INSTANCES "'links': [{'from': 'it.fetched', 'to': 'decode.in'" link "}, " \
	LINKS("it") "]"

static const char netlist[] = NETLIST("");
static const char three[] = NETLIST(", 'capacity': 3");
/* Decode takes a warp in the cycle of its fetch. */
static const char at_once[] = NETLIST(", 'latency': 0");
static const char with_map[] = "'instances': {'it': {'module': 'fetch', 'params': {'code_base': 4096}}, "
	"'sm': {'module': 'sm', 'params': {'slots': 8}}, 'map': {'module': 'give_map'}, "
	"'icache': {'module': 'give_icache', 'params': {@}}, 'decode': {'module': 'take_fetched'}}, "
	"'links': [{'from': 'it.fetched', 'to': 'decode.in'}, {'from': 'it.touch', 'to': 'map.touch'}, "
	LINKS("it") "]";
#define SEQUENTIAL(params, toy, line) "'instances': {'it': {'module': 'fetch', 'params': {'follow': " \
	"'sequential'}}, 'sm': {'module': 'sm', 'params': {'slots': 8" params "}}, " \
	"'icache': {'module': 'give_icache', 'params': {'line': " line "}}, " \
	"'path': {'module': 'give_divergence', 'params': {" toy "}}, " \
	"'decode': {'module': 'take_fetched'}}, " \
	"'links': [{'from': 'it.fetched', 'to': 'decode.in', 'capacity': 3}, "
#define PATH "{'from': 'it.divergence', 'to': 'path.divergence'}, "
static const char sequential[] = SEQUENTIAL("", "", "0") PATH LINKS("it") "]";
static const char lines[] = SEQUENTIAL(", 'width': 4", "", "64") PATH LINKS("it") "]";
static const char into_room[] = SEQUENTIAL(", 'room': true, 'entries': 5", "", "0") PATH LINKS("it") "]";
static const char without_program[] = SEQUENTIAL("", "'bare': true", "0") PATH LINKS("it") "]";
static const char without_policy[] = SEQUENTIAL("", "", "0") LINKS("it") "]";
static const char traced_room[] = "'instances': {'it': {'module': 'fetch'}, "
	"'sm': {'module': 'sm', 'params': {'slots': 8, 'room': true, 'entries': 5}}, "
	"'icache': {'module': 'give_icache'}, 'decode': {'module': 'take_fetched'}}, "
	"'links': [{'from': 'it.fetched', 'to': 'decode.in', 'capacity': 3}, " LINKS("it") "]";
/* The place of what decode has taken is free an edge later. */
static const char staged_room[] = "'instances': {'it': {'module': 'fetch'}, "
	"'sm': {'module': 'sm', 'params': {'slots': 8, 'room': true, 'entries': 5}}, "
	"'icache': {'module': 'give_icache'}, 'decode': {'module': 'take_fetched'}}, "
	"'links': [{'from': 'it.fetched', 'to': 'decode.in', 'capacity': 3, 'staged': true}, " LINKS("it") "]";
/* Two instances that fetch for the same warps. */
static const char rivals[] = "'instances': {'it': {'module': 'fetch'}, "
	"'more': {'module': 'fetch'}, "
	"'sm': {'module': 'sm'}, 'icache': {'module': 'give_icache', 'params': {@}}, "
	"'decode': {'module': 'take_fetched'}, 'other': {'module': 'take_fetched'}}, "
	"'links': [{'from': 'it.fetched', 'to': 'decode.in'}, {'from': 'more.fetched', "
	"'to': 'other.in'}, "
	LINKS("it") ", " LINKS("more") "]";

static const struct rule rules[] = {
	{
		"an address map is notified of every fetch that asks the instruction cache",
		.shows = "AR5",
		.netlist = with_map,
		.script = "0 icache fail n=1; 0 sm cta w1 w2; 0 sm npc w1 pc=0x100; 2 sm fill #2 w2;"
		          "3 sm fill #1 w1; 8 end",
		.log = "0 icache access w1 pc=0x100 = fail; 0 map touch 0x1100 user=0;"
		       "1 icache access w2 pc=0 = hit; 1 map touch 0x1000 user=0;"
		       "2 decode took w2; 2 icache access w1 pc=0x100 = hit;"
		       "2 map touch 0x1100 user=0; 3 decode took w1;"
		       "end it fetches=2 retries=1; end 2 records",
	},
	{
		"one warp in a cycle, around the ring; the first one is that of slot 1",
		.shows = "F1 F3 F4",
		.script = "0 sm cta w0 w1 w2 w7; 0 sm npc w1 pc=0x100; 1 sm fill #1 w1;"
		          "2 sm fill #2 w2; 3 sm fill #3 w7; 4 sm fill #4 w0; 8 end",
		.log = "0 icache access w1 pc=0x100 = hit; 1 decode took w1;"
		       "1 icache access w2 pc=0 = hit; 2 decode took w2;"
		       "2 icache access w7 pc=0 = hit; 3 decode took w7;"
		       "3 icache access w0 pc=0 = hit; 4 decode took w0; end it fetches=4;"
		       "end 4 records",
	},
	{
		"a warp is fetched again as soon as decode has taken it and its buffer is empty",
		.shows = "F3 D3",
		.script = "0 sm cta w1; 1 sm fill #1 w1; 1 sm fill #2 w1; 3 sm issue w1;"
		          "5 sm issue w1; 6 sm fill #3 w1; 8 end",
		.log = "0 icache access w1 pc=0 = hit; 1 decode took w1;"
		       "5 icache access w1 pc=0 = hit; 6 decode took w1; end it fetches=2;"
		       "end 1 records",
	},
	{
		"a warp that decode has not taken is not fetched again; without room none is "
		"fetched",
		.shows = "F1",
		.netlist = three,
		.script = "0 decode stop; 0 sm cta w0 w1 w2 w3; 8 decode take n=1;"
		          "8 sm fill #1 w1; 12 decode go; 12 sm fill #2 w2; 12 sm fill #3 w3;"
		          "12 sm fill #4 w0; 16 end",
		.log = "0 icache access w1 pc=0 = hit; 1 icache access w2 pc=0 = hit;"
		       "2 icache access w3 pc=0 = hit; 8 decode took w1;"
		       "8 icache access w0 pc=0 = hit; 12 decode took w2; 12 decode took w3;"
		       "12 decode took w0; end it fetches=4; end 4 records",
	},
	{
		"warps that have instructions, have ended or are retired are passed over; no "
		"slots beyond the last",
		.shows = "F3",
		.script = "0 sm cta w1 w2 w3 w4; 0 sm fill #1 w1; 0 sm exit w2;"
		          "0 sm flight w2 n=1; 0 sm retired w3; 1 sm fill #2 w4; 8 end",
		.log = "0 icache access w4 pc=0 = hit; 1 decode took w4; end it fetches=1;"
		       "end 2 records",
	},
	{
		"after a miss the warp is passed over; the ring continues after it in the next "
		"cycle",
		.shows = "F3",
		.script = "0 icache miss n=1; 0 sm cta w1 w2; 1 sm show w1; 2 sm fill #1 w2;"
		          "6 icache arrive w1; 7 sm show w1; 7 sm fill #2 w1; 9 end",
		.log = "0 icache access w1 pc=0 = miss; 1 icache access w2 pc=0 = hit;"
		       "1 sm w1 missing; 2 decode took w2; 7 decode took w1; 7 sm w1 free;"
		       "end it fetches=2 misses=1; end 2 records",
	},
	{
		"a line that arrives comes before the scan, one in a cycle",
		.shows = "F2",
		.script = "0 icache miss n=2; 0 sm cta w1 w2 w3; 3 sm fill #1 w3;"
		          "4 sm show w1 w2 w3; 5 icache arrive w1 w2; 7 sm fill #2 w1;"
		          "7 sm fill #3 w2; 9 end",
		.log = "0 icache access w1 pc=0 = miss; 1 icache access w2 pc=0 = miss;"
		       "2 icache access w3 pc=0 = hit; 3 decode took w3; 4 sm w1 missing;"
		       "4 sm w2 missing; 4 sm w3 flight=1 #1; 6 decode took w1; 7 decode took w2;"
		       "end it fetches=3 misses=2; end 3 records",
	},
	{
		"a warp that waits for decode is not fetched a second time",
		.shows = "F3",
		.netlist = three,
		.script = "0 decode stop; 0 sm cta w1; 5 decode go; 5 sm fill #1 w1; 8 end",
		.log = "0 icache access w1 pc=0 = hit; 5 decode took w1; end it fetches=1;"
		       "end 1 records",
	},
	{
		"a line for the warp of slot 0 is one like others",
		.script = "0 icache miss n=1; 0 sm cta w0; 3 icache arrive w0; 4 sm fill #1 w0;"
		          "6 end",
		.log = "0 icache access w0 pc=0 = miss; 4 decode took w0;"
		       "end it fetches=1 misses=1; end 1 records",
	},
	{
		"nothing is scanned in the cycle in which a line arrives",
		.shows = "F2",
		.script = "0 icache miss n=1; 0 sm cta w1 w2 w3; 2 icache arrive w1;"
		          "2 sm fill #2 w2; 3 sm fill #1 w1; 4 sm fill #3 w3; 6 end",
		.log = "0 icache access w1 pc=0 = miss; 1 icache access w2 pc=0 = hit;"
		       "2 decode took w2; 3 decode took w1; 3 icache access w3 pc=0 = hit;"
		       "4 decode took w3; end it fetches=3 misses=1; end 3 records",
	},
	{
		"a refused fetch is repeated when the ring reaches the warp again",
		.shows = "F3",
		.script = "0 icache fail n=3; 0 sm cta w1 w2; 4 sm fill #1 w1; 4 sm fill #2 w2;"
		          "6 end",
		.log = "0 icache access w1 pc=0 = fail; 1 icache access w2 pc=0 = fail;"
		       "2 icache access w1 pc=0 = fail; 3 icache access w2 pc=0 = hit;"
		       "4 decode took w2; end it fetches=1 retries=3; end 2 records",
	},
	{
		"a cache that never misses is accessed as well",
		.params = "'perfect': true",
		.script = "0 sm cta w1; 0 sm npc w1 pc=0x40; 1 sm fill #1 w1; 4 end",
		.log = "0 icache access w1 pc=0x40 = hit; 1 decode took w1; end it fetches=1;"
		       "end 1 records",
	},
	{
		"a warp that has ended is retired when nothing of it is in flight",
		.shows = "E1 V1",
		.script = "0 sm cta w1 w2 w3 w4; 0 sm exit w1 w2 w3 w4; 0 sm flight w1 n=1;"
		          "0 sm stores w2 n=1; 0 sm pending w3 R1; 4 sm flight w1 n=0;"
		          "6 sm stores w2 n=0; 8 sm done w3 R1; 10 sm show w1 w2 w3 w4",
		.log = "0 sm retire w4; 4 sm retire w1; 6 sm retire w2; 8 sm retire w3;"
		       "10 sm w1 retired; 10 sm w2 retired; 10 sm w3 retired; 10 sm w4 retired",
	},
	{
		"warps after the one that is fetched are retired by a later scan",
		.shows = "F5",
		.script = "0 sm cta w1 w2 w3 w4 w5 w0; 0 sm exit w1 w3 w5 w0; 1 sm fill #1 w2;"
		          "2 sm fill #2 w4; 8 end",
		.log = "0 icache access w2 pc=0 = hit; 0 sm retire w1; 1 decode took w2;"
		       "1 icache access w4 pc=0 = hit; 1 sm retire w3; 2 decode took w4;"
		       "2 sm retire w5; 2 sm retire w0; end it fetches=2; end 2 records",
	},
	{
		"the ring wraps around after the last slot, and is scanned once if no warp can be "
		"fetched",
		.shows = "F3 E1",
		.script = "0 sm cta w0 w1 w2 w6 w7; 1 sm fill #1 w1; 2 sm fill #2 w2;"
		          "3 sm fill #3 w6; 4 sm fill #7 w7; 5 sm fill #4 w0;"
		          "10 sm exit w7 w0 w2 w1; 10 sm flight w7 n=0; 10 sm flight w0 n=0;"
		          "10 sm flight w2 n=0; 10 sm flight w1 n=0; 14 end",
		.log = "0 icache access w1 pc=0 = hit; 1 decode took w1;"
		       "1 icache access w2 pc=0 = hit; 2 decode took w2;"
		       "2 icache access w6 pc=0 = hit; 3 decode took w6;"
		       "3 icache access w7 pc=0 = hit; 4 decode took w7;"
		       "4 icache access w0 pc=0 = hit; 5 decode took w0; 10 sm retire w1;"
		       "10 sm retire w2; 10 sm retire w7; 10 sm retire w0; end it fetches=5;"
		       "end 5 records",
	},
	{
		"the scan begins above the last one fetched and ends at the one that is fetched",
		.shows = "F3 F5",
		.script = "0 sm cta w3 w4 w1 w6; 0 sm fill #9 w4; 1 sm fill #1 w1;"
		          "2 sm fill #2 w3; 3 sm fill #6 w6; 6 sm cta w5 w0 w2 w7;"
		          "6 sm exit w5 w0 w2 w7; 6 sm issue w1; 7 sm fill #4 w1; 12 end",
		.log = "0 icache access w1 pc=0 = hit; 1 decode took w1;"
		       "1 icache access w3 pc=0 = hit; 2 decode took w3;"
		       "2 icache access w6 pc=0 = hit; 3 decode took w6;"
		       "6 icache access w1 pc=0 = hit; 6 sm retire w0; 6 sm retire w7;"
		       "7 decode took w1; 7 sm retire w2; 7 sm retire w5; end it fetches=4;"
		       "end 4 records",
	},
	{
		"no warp is retired in a cycle in which a line arrives, or no warp can be handed "
		"to decode",
		.shows = "F1 F2",
		.script = "0 icache miss n=1; 0 sm cta w1 w2; 2 icache arrive w1; 2 sm exit w2;"
		          "2 decode stop; 6 decode go; 7 sm fill #1 w1; 9 end",
		.log = "0 icache access w1 pc=0 = miss; 1 icache access w2 pc=0 = hit;"
		       "6 decode took w2; 7 decode took w1; 7 sm retire w2;"
		       "end it fetches=2 misses=1; end 1 records",
	},
	{
		"a warp that is fetched and taken in one cycle waits for its buffer to be filled",
		.netlist = at_once,
		.script = "0 sm cta w1 w2; 1 sm fill #1 w1; 2 sm fill #2 w2; 5 end",
		.log = "0 decode took w1; 0 icache access w1 pc=0 = hit; 1 decode took w2;"
		       "1 icache access w2 pc=0 = hit; end it fetches=2; end 2 records",
	},
	{
		"with refill 'room' a warp is fetched for while there is room for a fetch, one at a time",
		.shows = "D4",
		.netlist = traced_room,
		.script = "0 sm cta w1 w2; 1 sm fill #1 w1; 1 sm fill #2 w1; 2 sm fill #3 w2;"
		          "2 sm fill #4 w2; 3 sm fill #5 w1; 3 sm fill #6 w1; 4 sm fill #7 w2;"
		          "4 sm fill #8 w2; 7 sm issue w1; 8 sm fill #9 w1; 8 sm fill #10 w1; 12 end",
		.log = "0 icache access w1 pc=0 = hit; 1 decode took w1;"
		       "1 icache access w2 pc=0 = hit; 2 decode took w2;"
		       "2 icache access w1 pc=0 = hit; 3 decode took w1;"
		       "3 icache access w2 pc=0 = hit; 4 decode took w2;"
		       "7 icache access w1 pc=0 = hit; 8 decode took w1; end it fetches=5;"
		       "end 9 records",
	},
	{
		"a warp is fetched for again when its place is free, which may be later than decode took it",
		.netlist = staged_room,
		.script = "0 sm cta w1; 1 sm fill #1 w1; 1 sm fill #2 w1; 3 sm fill #3 w1; 3 sm fill #4 w1; 12 end",
		.log = "0 icache access w1 pc=0 = hit; 1 decode took w1; 2 icache access w1 pc=0 = hit;"
		       "3 decode took w1; end it fetches=2; end 4 records",
	},
	{
		"sequential: a new warp is fetched for where it is, and then behind what was fetched",
		.shows = "CH1",
		.netlist = sequential,
		.script = "0 path line #1 w1 pc=0x100; 0 sm cta w1; 0 sm npc w1 pc=0x900;"
		          "1 path line #2 w2 pc=0; 1 sm fill #1 w1; 3 sm npc w1 pc=0x900; 3 sm issue w1;"
		          "4 sm fill #2 w1; 5 sm cta w2; 6 sm fill #3 w2; 8 end",
		.log = "0 icache access w1 pc=0x100 = hit; 1 decode took w1 pc=0x100 n=2;"
		       "3 icache access w1 pc=0x120 = hit; 4 decode took w1 pc=0x120 n=2;"
		       "5 icache access w2 pc=0 = hit; 6 decode took w2 pc=0 n=2;"
		       "end it fetches=3; end path claims=1; end 2 records",
	},
	{
		"sequential: a fetch brings no more than decode takes, and nothing of another line",
		.shows = "CH2",
		.netlist = lines,
		.script = "0 path line #1 w1 pc=0x130; 0 sm cta w1; 1 sm fill #1 w1; 2 sm issue w1;"
		          "3 sm fill #2 w1; 4 sm issue w1; 5 sm fill #3 w1; 7 end",
		.log = "0 icache access w1 pc=0x130 = hit; 1 decode took w1 pc=0x130 n=1;"
		       "2 icache access w1 pc=0x140 = hit; 3 decode took w1 pc=0x140 n=4;"
		       "4 icache access w1 pc=0x180 = hit; 5 decode took w1 pc=0x180 n=4;"
		       "end it fetches=3; end path claims=1; end 1 records",
	},
	{
		"sequential: a flushed warp is fetched for where it is; the hazard is counted",
		.shows = "CH4",
		.netlist = sequential,
		.script = "0 path line #1 w1 pc=0x100; 0 sm cta w1; 1 sm fill #1 w1; 1 sm fill #2 w1;"
		          "4 sm flush w1; 5 sm fill #3 w1; 8 end",
		.log = "0 icache access w1 pc=0x100 = hit; 1 decode took w1 pc=0x100 n=2;"
		       "4 icache access w1 pc=0x100 = hit; 5 decode took w1 pc=0x100 n=2;"
		       "end it fetches=2; end path hazards=1 claims=1; end 1 records",
	},
	{
		"sequential: a refused fetch of a flushed warp is repeated, and counts once",
		.shows = "CH4",
		.netlist = sequential,
		.script = "0 path line #1 w1 pc=0x100; 0 sm cta w1; 1 sm fill #1 w1;"
		          "4 icache fail n=2; 4 sm flush w1; 7 sm fill #3 w1; 8 end",
		.log = "0 icache access w1 pc=0x100 = hit; 1 decode took w1 pc=0x100 n=2;"
		       "4 icache access w1 pc=0x100 = fail;"
		       "5 icache access w1 pc=0x100 = fail; 6 icache access w1 pc=0x100 = hit;"
		       "7 decode took w1 pc=0x100 n=2; end it fetches=2 retries=2;"
		       "end path hazards=1 claims=1; end 1 records",
	},
	{
		"sequential: a line that comes after its warp was flushed is dropped, and does not delay "
		"another",
		.shows = "CH4",
		.netlist = into_room,
		.script = "0 path line #1 w1 pc=0x100; 0 sm cta w1; 1 icache miss n=1;"
		          "1 sm fill #1 w1; 1 sm fill #2 w1; 3 sm show w1; 4 sm flush w1;"
		          "5 sm fill #3 w1; 5 sm fill #4 w1; 5 sm fill #5 w1; 5 sm fill #6 w1;"
		          "8 sm cta w2; 8 path line #2 w2 pc=0x40; 8 icache arrive w1 pc=0x120;"
		          "9 sm fill #8 w2; 9 sm fill #9 w2; 9 sm fill #10 w2; 9 sm fill #11 w2;"
		          "12 end",
		.log = "0 icache access w1 pc=0x100 = hit; 1 decode took w1 pc=0x100 n=2;"
		       "1 icache access w1 pc=0x120 = miss; 3 sm w1 missing flight=2 #1 #2;"
		       "4 icache access w1 pc=0x100 = hit; 5 decode took w1 pc=0x100 n=2;"
		       "8 icache access w2 pc=0x40 = hit; 9 decode took w2 pc=0x40 n=2;"
		       "end it fetches=3 misses=1; end path hazards=1 claims=1; end 8 records",
	},
	{
		"sequential: a line that was asked for in vain, and then again, is the one that its warp "
		"waits for",
		.netlist = sequential,
		.script = "0 icache miss n=3; 0 path line #1 w1 pc=0x100; 0 sm cta w1; 3 sm flush w1;"
		          "5 icache arrive w1 pc=0x100; 6 sm show w1; 6 sm fill #1 w1;"
		          "7 icache arrive w1 pc=0x100; 10 end",
		.log = "0 icache access w1 pc=0x100 = miss;"
		       "3 icache access w1 pc=0x100 = miss; 6 decode took w1 pc=0x100 n=2;"
		       "6 sm w1 free; end it fetches=1 misses=2; end path hazards=1 claims=1;"
		       "end 1 records",
	},
	{
		"sequential: a line for another address is not the one that a warp waits for",
		.shows = "CH4",
		.netlist = into_room,
		.script = "0 path line #1 w1 pc=0x100; 0 sm cta w1; 1 icache miss n=2;"
		          "1 sm fill #1 w1; 1 sm fill #2 w1; 4 sm flush w1; 6 sm show w1;"
		          "8 icache arrive w1 pc=0x120; 9 sm show w1; 10 icache arrive w1 pc=0x100;"
		          "11 sm fill #3 w1; 11 sm fill #4 w1; 11 sm fill #5 w1; 11 sm fill #6 w1;"
		          "14 end",
		.log = "0 icache access w1 pc=0x100 = hit; 1 decode took w1 pc=0x100 n=2;"
		       "1 icache access w1 pc=0x120 = miss;"
		       "4 icache access w1 pc=0x100 = miss; 6 sm w1 missing flight=2;"
		       "9 sm w1 missing flight=2; 11 decode took w1 pc=0x100 n=2;"
		       "end it fetches=2 misses=2; end path hazards=1 claims=1; end 4 records",
	},
	{
		"sequential: a warp that has ended retires when what is under way for it has come",
		.shows = "CH6",
		.netlist = into_room,
		.script = "0 path line #1 w1 pc=0x100; 0 sm cta w1; 1 icache miss n=1; 1 sm fill #1 w1;"
		          "1 sm fill #2 w1; 3 sm exit w1; 3 sm issue w1; 3 sm issue w1; 3 sm flight w1 n=0;"
		          "6 sm show w1; 8 icache arrive w1; 10 sm show w1; 12 end",
		.log = "0 icache access w1 pc=0x100 = hit; 1 decode took w1 pc=0x100 n=2;"
		       "1 icache access w1 pc=0x120 = miss; 6 sm w1 ended;"
		       "8 sm retire w1; 10 sm w1 retired; end it fetches=1 misses=1;"
		       "end path claims=1",
	},
	{
		"sequential: or when decode has taken it",
		.shows = "CH6",
		.netlist = into_room,
		.script = "0 decode stop; 0 path line #1 w1 pc=0x100; 0 sm cta w1; 3 sm exit w1;"
		          "5 sm show w1; 6 decode go; 6 sm cta w2; 6 path line #2 w2 pc=0x10; 7 sm fill #1 w2;"
		          "7 sm fill #2 w2; 8 sm fill #3 w2; 8 sm fill #4 w2; 10 sm show w1",
		.log = "0 icache access w1 pc=0x100 = hit; 5 sm w1 ended;"
		       "6 decode took w1 pc=0x100 n=2; 6 icache access w2 pc=0x10 = hit;"
		       "7 decode took w2 pc=0x10 n=2; 7 icache access w2 pc=0x30 = hit;"
		       "7 sm retire w1; 8 decode took w2 pc=0x30 n=2; 10 sm w1 retired;"
		       "end it fetches=3; end path claims=1; end 4 records",
	},
	{
		"sequential: fetch has to know where warps are",
		.netlist = without_policy,
		.script = "",
		.log = "refused instance 'it': 'follow' is \"sequential\" and port 'divergence' is open;"
		       "expected a link to the policy that groups lanes",
	},
	{
		"sequential: and what lies where",
		.netlist = without_program,
		.script = "",
		.log = "refused instance 'it': 'follow' is \"sequential\" and the trace source has "
		       "no programs of kernels;"
		       "expected one that has",
	},
	{
		"the warps of an SM have one fetch stage",
		.netlist = rivals,
		.script = "",
		.log = "refused instance 'more': another instance fetches for the same warps;"
		       "expected one",
	},
};

SUITE(fetch, .netlist = netlist, RULES(rules));
