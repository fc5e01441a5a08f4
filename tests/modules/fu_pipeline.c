/* fu_pipeline.c - rules of function units
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An instruction put at edge x is accepted at x + 1 = a, and its result is taken at a + L + 2.
 */
#include "harness.h"

#define INSTANCES "'instances': {'it': {'module': 'fu_pipeline', 'params': {'timing': [@]}}, " \
	"'regs': {'module': 'give', 'params': {'horizon': 40}}, " \
	"'a': {'module': 'put_slots'}, 'wb': {'module': 'take_insts'}}, "
#define LINKS "{'from': 'a.out', 'to': 'it.in', 'slots': 4}, " \
	"{'from': 'it.out', 'to': 'wb.in', 'capacity': 2}"

static const char netlist[] = INSTANCES
	"'links': [" LINKS ", {'from': 'it.bus', 'to': 'regs.bus'}]";
static const char without_bus[] =
	"'instances': {'it': {'module': 'fu_pipeline', 'params': {'timing': [@]}}, "
	"'a': {'module': 'put_slots'}, 'wb': {'module': 'take_insts'}}, 'links': [" LINKS "]";

#define T(class, latency, initiation) "{'classes': ['" class "'], 'latency': " #latency \
	", 'initiation': " #initiation "}"

static const struct rule rules[] = {
	{
		"accepted at a, the result bus reserved for a + L, taken at a + L + 2",
		.shows = "U1 U2",
		.params = T("SP", 4, 1),
		.script = "0 a put #1 w0 uid=1; 10 a put #2 w0 uid=2 class=SP; 36 end",
		.log = "1 regs bus 4; 7 wb took #1; 11 regs bus 4; 17 wb took #2;"
		       "end it accepted=2 busy=2",
	},
	{
		"the oldest of its slots, one in a cycle",
		.shows = "U1",
		.params = T("SP", 2, 1),
		.script = "0 a put slot=0 #1 w0 uid=9; 0 a put slot=1 #2 w0 uid=3;"
		          "0 a put slot=2 #3 w0 uid=5; 0 a put slot=3 #4 w0 uid=4; 36 end",
		.log = "1 regs bus 2; 2 regs bus 2; 3 regs bus 2; 4 regs bus 2; 5 wb took #2;"
		       "6 wb took #4; 7 wb took #3; 8 wb took #1; end it accepted=4 busy=4",
	},
	{
		"the next one is accepted when the latch is free, at a + I",
		.shows = "U2",
		.params = T("SP", 4, 3),
		.script = "0 a put slot=0 #1 w0 uid=1; 0 a put slot=1 #2 w0 uid=2;"
		          "2 a cause slot=1; 10 a put #3 w0 uid=3; 12 a put #4 w0 uid=4; 36 end",
		.log = "1 regs bus 4; 2 a cause = it initiation; 4 regs bus 4; 7 wb took #1;"
		       "10 wb took #2; 11 regs bus 4; 14 regs bus 4; 17 wb took #3; 20 wb took #4;"
		       "end it accepted=4 busy=12",
	},
	{
		"half the interval where the opcode has that rate, but at least 1",
		.shows = "T9",
		.params = T("SP", 4, 4) ", " T("INTP", 4, 1),
		.script = "0 a put slot=0 #1 w0 uid=1 rate=2; 0 a put slot=1 #2 w0 uid=2 rate=4;"
		          "0 a put slot=2 #3 w0 uid=3; 0 a put slot=3 #4 w0 uid=4 rate=2;"
		          "16 a put slot=0 #5 w0 uid=5 class=INTP rate=2;"
		          "16 a put slot=1 #6 w0 uid=6 class=INTP rate=2;"
		          "16 a put slot=2 #7 w0 uid=7 class=INTP; 36 end",
		.log = "1 regs bus 4; 3 regs bus 4; 4 regs bus 4; 7 wb took #1; 8 regs bus 4;"
		       "9 wb took #2; 10 wb took #3; 14 wb took #4; 17 regs bus 4; 18 regs bus 4;"
		       "19 regs bus 4; 23 wb took #5; 24 wb took #6; 25 wb took #7;"
		       "end it accepted=7 busy=12",
	},
	{
		"an interval above the latency delays the end",
		.shows = "U2",
		.params = T("SP", 2, 6),
		.script = "0 a put slot=0 #1 w0 uid=1; 0 a put slot=1 #2 w0 uid=2; 36 end",
		.log = "1 regs bus 2; 7 regs bus 2; 9 wb took #1; 15 wb took #2;"
		       "end it accepted=2 busy=12",
	},
	{
		"no two of one unit finish in the same cycle: the oldest waits, and others with it",
		.shows = "U1",
		.params = T("SP", 5, 1) ", " T("INTP", 4, 1),
		.script = "0 a put slot=0 #1 w0 uid=1; 0 a put slot=1 #2 w0 uid=2 class=INTP;"
		          "0 a put slot=2 #3 w0 uid=3; 1 a cause slot=1; 2 a cause slot=1; 36 end",
		.log = "1 a cause = it initiation; 1 regs bus 5; 2 a cause = it stage;"
		       "3 regs bus 4; 4 regs bus 5; 8 wb took #1; 9 wb took #2; 11 wb took #3;"
		       "end it accepted=3 busy=3",
	},
	{
		"at most as many as there are result buses; after a refusal the request is "
		"repeated",
		.shows = "U1",
		.params = T("SP", 3, 1),
		.script = "0 regs refuse buses; 0 a put slot=0 #1 w0 uid=1;"
		          "0 a put slot=1 #2 w0 uid=2; 2 a cause slot=0; 4 regs allow; 36 end",
		.log = "1 regs bus 3 = no; 2 a cause = it result_bus; 2 regs bus 3 = no;"
		       "3 regs bus 3 = no; 4 regs bus 3; 5 regs bus 3; 9 wb took #1;"
		       "10 wb took #2; end it accepted=2 busy=2 bus_waits=3",
	},
	{
		"without buses nothing is reserved",
		.params = T("SP", 3, 1),
		.netlist = without_bus,
		.script = "0 a put slot=0 #1 w0 uid=1; 36 end",
		.log = "6 wb took #1; end it accepted=1 busy=1",
	},
	{
		"while its first stage is taken an instruction stays in the latch, and finishes "
		"later",
		.shows = "U3",
		.params = T("SP", 8, 2) ", " T("INTP", 4, 4),
		.script = "0 a put slot=0 #1 w0 uid=1; 1 a put slot=1 #2 w0 uid=2 class=INTP;"
		          "2 a put slot=2 #3 w0 uid=3; 3 a put slot=3 #4 w0 uid=4 class=INTP;"
		          "4 a put slot=0 #5 w0 uid=5; 36 end",
		.log = "1 regs bus 8; 3 regs bus 4; 7 regs bus 8; 9 regs bus 4; 9 wb took #2;"
		       "11 wb took #1; 13 regs bus 8; 15 wb took #4; 17 wb took #3; 23 wb took #5;"
		       "end it accepted=5 busy=14",
	},
	{
		"an instruction with less latency overtakes another",
		.shows = "U3",
		.params = T("SP", 10, 1) ", " T("INTP", 3, 1),
		.script = "0 a put slot=0 #1 w0 uid=1; 1 a put slot=1 #2 w0 uid=2 class=INTP;"
		          "2 a put slot=2 #3 w0 uid=3 class=INTP; 36 end",
		.log = "1 regs bus 10; 2 regs bus 3; 3 regs bus 3; 7 wb took #2; 8 wb took #3;"
		       "13 wb took #1; end it accepted=3 busy=3",
	},
	{
		"one that would leave with another leaves a cycle later, before those behind that",
		.shows = "U2",
		.params = T("DP", 30, 1) ", " T("SP", 12, 1) ", " T("SFU", 2, 11),
		.script = "0 a put slot=0 #1 w0 uid=1 class=DP; 0 a put slot=1 #2 w0 uid=2 class=SP;"
		          "0 a put slot=2 #3 w0 uid=3 class=SFU; 36 end",
		.log = "1 regs bus 30; 2 regs bus 12; 3 regs bus 2; 16 wb took #2;"
		       "17 wb took #3; 33 wb took #1; end it accepted=3 busy=13",
	},
	{
		"of several whose interval is their latency each finishes after the previous one",
		.shows = "U3",
		.params = T("SP", 6, 1) ", " T("INTP", 2, 4) ", " T("LOAD", 3, 3),
		.script = "0 a put slot=0 #1 w0 uid=1; 1 a put slot=1 #2 w0 uid=2;"
		          "2 a put slot=2 #3 w0 uid=3 class=INTP;"
		          "3 a put slot=3 #4 w0 uid=4 class=LOAD; 36 end",
		.log = "1 regs bus 6; 2 regs bus 6; 3 regs bus 2; 9 regs bus 3; 9 wb took #1;"
		       "10 wb took #2; 11 wb took #3; 14 wb took #4; end it accepted=4 busy=9",
	},
	{
		"with a full channel all instructions in the unit wait, the latch included",
		.shows = "U4",
		.params = T("SP", 4, 2),
		.script = "0 wb stop; 0 a put slot=0 #1 w0 uid=1; 0 a put slot=1 #2 w0 uid=2;"
		          "0 a put slot=2 #3 w0 uid=3; 0 a put slot=3 #4 w0 uid=4;"
		          "8 a put slot=0 #5 w0 uid=5; 9 a put slot=1 #6 w0 uid=6;"
		          "10 a cause slot=1; 12 a cause slot=1; 14 wb take n=1; 20 wb go; 32 end",
		.log = "1 regs bus 4; 3 regs bus 4; 5 regs bus 4; 7 regs bus 4; 9 regs bus 4;"
		       "10 a cause = it behind out slot=0; 12 a cause = it behind out slot=0;"
		       "14 wb took #1; 15 regs bus 4; 20 wb took #2; 20 wb took #3; 21 wb took #4;"
		       "23 wb took #5; 25 wb took #6; end it accepted=6 busy=12",
	},
	{
		"a latch that is free while the channel is full takes the next one",
		.shows = "U4",
		.params = T("SP", 4, 1),
		.script = "0 wb stop; 0 a put slot=0 #1 w0 uid=1; 0 a put slot=1 #2 w0 uid=2;"
		          "0 a put slot=2 #3 w0 uid=3; 0 a put slot=3 #4 w0 uid=4;"
		          "6 a put slot=0 #5 w0 uid=5; 6 a put slot=1 #6 w0 uid=6; 12 wb go;"
		          "36 end",
		.log = "1 regs bus 4; 2 regs bus 4; 3 regs bus 4; 4 regs bus 4; 7 regs bus 4;"
		       "8 regs bus 4; 12 wb took #1; 12 wb took #2; 13 wb took #3; 14 wb took #4;"
		       "17 wb took #5; 18 wb took #6; end it accepted=6 busy=6",
	},
	{
		"a full channel is the cause only for instructions that would enter it",
		.params = T("SP", 4, 6),
		.script = "0 wb stop; 0 a put slot=0 #1 w0 uid=1; 0 a put slot=1 #2 w0 uid=2;"
		          "0 a put slot=2 #3 w0 uid=3; 0 a put slot=3 #4 w0 uid=4;"
		          "16 a cause slot=3; 20 a cause slot=3; 22 wb go; 40 end",
		.log = "1 regs bus 4; 7 regs bus 4; 13 regs bus 4; 16 a cause = it initiation;"
		       "19 regs bus 4; 20 a cause = it behind out slot=0; 22 wb took #1;"
		       "22 wb took #2; 23 wb took #3; 29 wb took #4; end it accepted=4 busy=24",
	},
	{
		"instructions in the unit are reported at the end",
		.params = T("SP", 20, 2),
		.script = "0 a put slot=0 #1 w0 uid=1; 0 a put slot=1 #2 w0 uid=2; 6 end",
		.log = "1 regs bus 20; 3 regs bus 20; end it accepted=2 busy=4;"
		       "held it: 2 instructions in the unit; end 2 records",
	},
	{
		"a class without a row of 'timing' ends the run",
		.params = T("SP", 4, 1),
		.script = "0 a put slot=0 #1 w0 uid=1 class=INTP",
		.log = "end 1 records; error it: cycle 2: unexpected class 'INTP';"
		       "expected a row of \"timing\" for it",
	},
	{
		"a class in two rows is refused",
		.params = T("SP", 4, 1) ", " T("SP", 5, 1),
		.script = "0 end",
		.log = "refused instance 'it': two rows of \"timing\" name class 'SP';"
		       "expected one",
	},
	{
		"a latency beyond the horizon of the result bus is refused, in whichever row",
		.params = T("INTP", 4, 1) ", " T("SP", 41, 1),
		.script = "0 end",
		.log = "refused instance 'it': latency 41 exceeds the result bus's 'horizon', "
		       "which is 40",
	},
	{
		"a latency at the horizon is accepted",
		.params = T("SP", 40, 1),
		.script = "0 a put slot=0 #1 w0 uid=1; 45 end",
		.log = "1 regs bus 40; 43 wb took #1; end it accepted=1 busy=1",
	},
};

SUITE(fu_pipeline, .netlist = netlist, RULES(rules));
