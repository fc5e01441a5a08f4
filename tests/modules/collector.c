/* collector.c - rules of the operand collector
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An instruction put in cycle c is visible in c + 1.  Each step is dispatch, read, allocate, so
 * with one step per cycle an instruction is allocated in c + 1, reads in c + 2, leaves in c + 3
 * and is taken in c + 4; one without operands a cycle before.
 */
#include "harness.h"

#define INSTANCES "'instances': {'it': {'module': 'collector', 'params': {@}}, " \
	"'regs': {'module': 'give'}, " \
	"'sp': {'module': 'put_slots'}, 'mem': {'module': 'put_slots'}, " \
	"'to_sp': {'module': 'take_slots'}, 'to_mem': {'module': 'take_slots'}}, "
#define LINKS "{'from': 'it.regfile', 'to': 'regs.read'}, " \
	"{'from': 'it.out', 'to': 'to_mem.in', 'slots': 4, 'unit': 'MEM'}, " \
	"{'from': 'it.out', 'to': 'to_sp.in', 'slots': 4, 'unit': 'SP'}"

/* Register set SP comes before MEM. */
static const char netlist[] = INSTANCES "'links': ["
	"{'from': 'sp.out', 'to': 'it.in', 'slots': 4, 'unit': 'SP'}, "
	"{'from': 'mem.out', 'to': 'it.in', 'slots': 4, 'unit': 'MEM'}, " LINKS "]";
/* Payloads become visible a cycle later. */
static const char slow[] = INSTANCES "'links': ["
	"{'from': 'sp.out', 'to': 'it.in', 'slots': 4, 'unit': 'SP', 'latency': 2}, "
	"{'from': 'mem.out', 'to': 'it.in', 'slots': 4, 'unit': 'MEM', 'latency': 2}, " LINKS "]";

#define ONE_SET(units, dispatch, count) "'sets': [{'name': 'GEN', 'units': " #units \
	", 'dispatch': " #dispatch "}], 'ports': [{'count': " #count "}]"

static const struct rule rules[] = {
	{
		"an instruction is allocated, read and dispatched in successive steps",
		.shows = "C2",
		.params = ONE_SET(2, 2, 1),
		.script = "0 sp put #1 w3 uid=1 src=R7,R9; 10 sp put #2 w3 uid=2",
		.log = "1 regs read unit=0 w3 R7 R9; 4 to_sp took slot=0 #1;"
		       "13 to_sp took slot=0 #2; end it collected=2",
	},
	{
		"the register file is informed which step of a cycle is the first one",
		.shows = "R2",
		.params = ONE_SET(2, 2, 1) ", 'steps': 2",
		.script = "0 regs steps; 0 sp put #1 w3 uid=1 src=R7; 1 regs stall; 3 regs flow",
		.log = "1 regs read unit=0 w3 R7; 1 regs step; 2 regs step first; 2 regs step;"
		       "3 regs step first; 4 to_sp took slot=0 #1; end it collected=1",
	},
	{
		"two steps per cycle do the same twice",
		.shows = "C2",
		.params = ONE_SET(2, 2, 1) ", 'steps': 2",
		.script = "0 sp put #1 w3 uid=1 src=R7,R9; 10 sp put #2 w3 uid=2",
		.log = "1 regs read unit=0 w3 R7 R9; 3 to_sp took slot=0 #1;"
		       "12 to_sp took slot=0 #2; end it collected=2",
	},
	{
		"an instruction leaves when the last of its operands is read",
		.shows = "C5",
		.params = ONE_SET(2, 2, 2),
		.script = "0 regs stall; 0 sp put #1 w0 uid=1 src=R1,R2,R3;"
		          "0 sp put slot=1 #2 w0 uid=2 src=R4; 4 regs serve unit=0 n=2;"
		          "6 regs serve unit=1; 8 regs serve unit=0 n=1; 12 end",
		.log = "1 regs read unit=0 w0 R1 R2 R3; 1 regs read unit=1 w0 R4;"
		       "8 to_sp took slot=0 #2; 10 to_sp took slot=0 #1; end it collected=2",
	},
	{
		"each port takes one instruction from each register set in a step, the oldest",
		.shows = "C6 G2",
		.params = ONE_SET(8, 8, 1),
		.script = "0 sp put slot=0 #1 w0 uid=9; 0 sp put slot=1 #2 w0 uid=3;"
		          "0 sp put slot=2 #3 w0 uid=5; 0 sp put slot=3 #6 w0 uid=4;"
		          "0 mem put slot=0 #4 w0 uid=2; 0 mem put slot=1 #5 w0 uid=1; 8 end",
		.log = "3 to_mem took slot=0 #5; 3 to_sp took slot=0 #2; 4 to_mem took slot=0 #4;"
		       "4 to_sp took slot=0 #6; 5 to_sp took slot=0 #3; 6 to_sp took slot=0 #1;"
		       "end it collected=6",
	},
	{
		"n ports take n instructions from each",
		.shows = "C6",
		.params = ONE_SET(8, 8, 2),
		.script = "0 sp put slot=0 #1 w0 uid=9; 0 sp put slot=1 #2 w0 uid=3;"
		          "0 sp put slot=2 #3 w0 uid=5; 0 mem put slot=0 #4 w0 uid=2;"
		          "0 mem put slot=1 #5 w0 uid=1",
		.log = "3 to_mem took slot=0 #5; 3 to_mem took slot=1 #4; 3 to_sp took slot=0 #3;"
		       "3 to_sp took slot=1 #2; 4 to_sp took slot=0 #1; end it collected=5",
	},
	{
		"the first free unit is filled; the instruction waits while none is free",
		.shows = "C6",
		.params = ONE_SET(2, 2, 4),
		.script = "0 regs stall; 0 sp put slot=0 #1 w0 uid=1 src=R1;"
		          "0 sp put slot=1 #2 w0 uid=2 src=R2;"
		          "0 sp put slot=2 #3 w0 uid=3 src=R3; 4 regs serve unit=1; 10 regs flow",
		.log = "1 regs read unit=0 w0 R1; 1 regs read unit=1 w0 R2;"
		       "5 regs read unit=1 w0 R3; 6 to_sp took slot=0 #2;"
		       "12 to_sp took slot=0 #1; 12 to_sp took slot=1 #3;"
		       "end it collected=3 full=4",
	},
	{
		"register sets are served in the order of the links while units are free",
		.shows = "C6",
		.params = ONE_SET(1, 1, 1),
		.script = "0 mem put #4 w0 uid=1; 0 sp put #1 w0 uid=2",
		.log = "3 to_sp took slot=0 #1; 4 to_mem took slot=0 #4;"
		       "end it collected=2 full=1",
	},
	{
		"n dispatch units dispatch n instructions in a step",
		.shows = "C3",
		.params = ONE_SET(4, 1, 4),
		.script = "0 sp put slot=0 #1 w0 uid=1; 0 sp put slot=1 #2 w0 uid=2;"
		          "0 sp put slot=2 #3 w0 uid=3",
		.log = "2 it mark ready #1; 2 it mark ready #3; 3 to_sp took slot=0 #2;"
		       "4 to_sp took slot=0 #3; 5 to_sp took slot=0 #1; end it collected=3",
	},
	{
		"the search continues after the unit that was emptied last, around the ring",
		.shows = "C3",
		.params = ONE_SET(3, 1, 4),
		.script = "0 sp put slot=0 #1 w0 uid=1; 0 sp put slot=1 #2 w0 uid=2;"
		          "0 sp put slot=2 #3 w0 uid=3; 1 sp put slot=0 #4 w0 uid=4;"
		          "2 sp put slot=1 #5 w0 uid=5; 3 sp put slot=2 #6 w0 uid=6",
		.log = "2 it mark ready #1; 2 it mark ready #3; 3 it mark ready #4;"
		       "3 to_sp took slot=0 #2; 4 it mark ready #5; 4 to_sp took slot=0 #3;"
		       "5 it mark ready #6; 5 to_sp took slot=0 #1; 6 to_sp took slot=0 #4;"
		       "7 to_sp took slot=0 #5; 8 to_sp took slot=0 #6; end it collected=6",
	},
	{
		"the first search begins with the second unit",
		.shows = "C3",
		.params = ONE_SET(3, 1, 4),
		.script = "0 regs stall; 0 sp put slot=0 #1 w0 uid=1 src=R1;"
		          "0 sp put slot=1 #2 w0 uid=2 src=R1;"
		          "0 sp put slot=2 #3 w0 uid=3 src=R1; 4 regs flow",
		.log = "1 regs read unit=0 w0 R1; 1 regs read unit=1 w0 R1;"
		       "1 regs read unit=2 w0 R1; 5 it mark ready #1; 5 it mark ready #3;"
		       "6 to_sp took slot=0 #2; 7 to_sp took slot=0 #3; 8 to_sp took slot=0 #1;"
		       "end it collected=3",
	},
	{
		"each dispatch unit has its own position in the ring",
		.shows = "C3",
		.params = ONE_SET(4, 2, 4),
		.script = "0 regs stall; 0 sp put slot=0 #1 w0 uid=1 src=R1;"
		          "0 sp put slot=1 #2 w0 uid=2 src=R1;"
		          "0 sp put slot=2 #3 w0 uid=3 src=R1;"
		          "0 sp put slot=3 #4 w0 uid=4 src=R1; 4 regs flow;"
		          "5 sp put slot=0 #5 w0 uid=5 src=R1;"
		          "5 sp put slot=1 #6 w0 uid=6 src=R1;"
		          "5 sp put slot=2 #7 w0 uid=7 src=R1; 5 sp put slot=3 #8 w0 uid=8 src=R1",
		.log = "1 regs read unit=0 w0 R1; 1 regs read unit=1 w0 R1;"
		       "1 regs read unit=2 w0 R1; 1 regs read unit=3 w0 R1; 5 it mark ready #1;"
		       "5 it mark ready #4; 6 regs read unit=0 w0 R1; 6 regs read unit=1 w0 R1;"
		       "6 regs read unit=2 w0 R1; 6 regs read unit=3 w0 R1;"
		       "6 to_sp took slot=0 #2; 6 to_sp took slot=1 #3; 7 to_sp took slot=0 #4;"
		       "7 to_sp took slot=1 #1; 8 it mark ready #7; 8 it mark ready #8;"
		       "9 to_sp took slot=0 #5; 9 to_sp took slot=1 #6; 10 to_sp took slot=0 #7;"
		       "10 to_sp took slot=1 #8; end it collected=8",
	},
	{
		"without room in its unit an instruction stays; those of other kinds pass it",
		.shows = "C3",
		.params = ONE_SET(4, 2, 4),
		.script = "0 to_sp stop; 0 sp put slot=0 #1 w0 uid=1;"
		          "0 sp put slot=1 #2 w0 uid=2; 0 sp put slot=2 #3 w0 uid=3;"
		          "0 sp put slot=3 #4 w0 uid=4; 4 sp put slot=0 #5 w0 uid=5;"
		          "4 sp put slot=1 #6 w0 uid=6; 5 mem put #7 w0 uid=7; 12 to_sp take n=1;"
		          "20 to_sp go",
		.log = "2 it mark ready #1; 2 it mark ready #4; 6 it mark ready #5;"
		       "6 it mark ready #6; 8 to_mem took slot=0 #7; 12 to_sp took slot=0 #2;"
		       "20 to_sp took slot=0 #5; 20 to_sp took slot=1 #3;"
		       "20 to_sp took slot=2 #4; 20 to_sp took slot=3 #1;"
		       "21 to_sp took slot=0 #6; end it collected=7",
	},
	{
		"an instruction without a collector unit blocks others of its register set",
		.shows = "C7",
		.params = ONE_SET(4, 4, 4) ", 'sub_cores': 2",
		.script = "0 regs stall; 0 sp put slot=0 #1 w0 uid=1 sched=0 src=R1;"
		          "1 sp put slot=0 #2 w0 uid=2 sched=0 src=R1;"
		          "2 sp put slot=0 #3 w0 uid=3 sched=0 src=R1;"
		          "2 sp put slot=1 #4 w1 uid=4 sched=1;"
		          "2 mem put slot=1 #5 w1 uid=5 sched=1; 10 regs serve unit=1;"
		          "16 regs flow",
		.log = "1 regs read unit=0 w0 R1; 2 regs read unit=1 w0 R1;"
		       "5 to_mem took slot=1 #5; 11 regs read unit=1 w0 R1;"
		       "12 to_sp took slot=0 #2; 13 to_sp took slot=1 #4; 17 it mark ready #3;"
		       "18 to_sp took slot=0 #1; 19 to_sp took slot=0 #3;"
		       "end it collected=5 full=8",
	},
	{
		"a sub-core has its own units, and its own place in front of the function units",
		.shows = "C1 G1",
		.params = ONE_SET(4, 4, 4) ", 'sub_cores': 2",
		.script = "0 sp put slot=0 #1 w1 uid=1 sched=1 src=R1;"
		          "0 sp put slot=1 #2 w0 uid=2 sched=0 src=R1;"
		          "0 mem put slot=1 #3 w1 uid=3 sched=1 src=R1;"
		          "0 mem put slot=0 #4 w0 uid=4 sched=0 src=R1",
		.log = "1 regs read unit=2 w1 R1; 1 regs read unit=3 w1 R1;"
		       "1 regs read unit=0 w0 R1; 1 regs read unit=1 w0 R1;"
		       "4 to_mem took slot=0 #4; 4 to_mem took slot=1 #3; 4 to_sp took slot=0 #2;"
		       "4 to_sp took slot=1 #1; end it collected=4",
	},
	{
		"with sub-cores the search continues with the first unit of the next sub-core",
		.shows = "C3",
		.params = ONE_SET(6, 1, 6) ", 'sub_cores': 3",
		.script = "0 regs stall; 0 sp put slot=0 #1 w0 uid=1 sched=0 src=R1;"
		          "0 sp put slot=1 #2 w1 uid=2 sched=1 src=R1;"
		          "0 sp put slot=2 #3 w2 uid=3 sched=2 src=R1;"
		          "0 mem put slot=0 #4 w0 uid=4 sched=0 src=R1;"
		          "0 mem put slot=1 #5 w1 uid=5 sched=1 src=R1;"
		          "0 mem put slot=2 #6 w2 uid=6 sched=2 src=R1; 4 regs flow; 14 end",
		.log = "1 regs read unit=0 w0 R1; 1 regs read unit=1 w0 R1;"
		       "1 regs read unit=2 w1 R1; 1 regs read unit=3 w1 R1;"
		       "1 regs read unit=4 w2 R1; 1 regs read unit=5 w2 R1; 5 it mark ready #1;"
		       "5 it mark ready #4; 5 it mark ready #5; 5 it mark ready #3;"
		       "5 it mark ready #6; 6 to_sp took slot=1 #2; 7 to_sp took slot=2 #3;"
		       "8 to_sp took slot=0 #1; 9 to_mem took slot=1 #5;"
		       "10 to_mem took slot=2 #6; 11 to_mem took slot=0 #4; end it collected=6",
	},
	{
		"with sub-cores a full place blocks its own sub-core only",
		.shows = "C3 C4",
		.params = ONE_SET(4, 4, 4) ", 'sub_cores': 2",
		.script = "0 to_sp stop slots=1; 0 sp put slot=0 #1 w0 uid=1 sched=0;"
		          "0 sp put slot=1 #2 w1 uid=2 sched=1;"
		          "1 sp put slot=0 #3 w0 uid=3 sched=0;"
		          "1 sp put slot=1 #4 w1 uid=4 sched=1;"
		          "2 sp put slot=0 #5 w0 uid=5 sched=0;"
		          "2 mem put slot=0 #6 w0 uid=6 sched=0; 9 to_sp take n=1; 15 to_sp go",
		.log = "3 it mark ready #3; 3 to_sp took slot=1 #2; 4 it mark ready #5;"
		       "4 to_sp took slot=1 #4; 9 to_sp took slot=0 #1; 11 to_mem took slot=0 #6;"
		       "15 to_sp took slot=0 #3; 16 to_sp took slot=0 #5;"
		       "end it collected=6 full=6",
	},
	{
		"a port fills the sets that it names, in their order, those under 'first' before "
		"the others",
		.shows = "C6",
		.params = "'sets': [{'name': 'A', 'units': 1, 'dispatch': 1}, {'name': 'B', "
		          "'units': 1, 'dispatch': 1}, {'name': 'C', 'units': 1, 'dispatch': "
		          "1}], 'ports': [{'takes': ['SP', 'MEM'], 'units': ['A', 'B', 'C'], 'first': "
		          "['B'], 'count': 3}]",
		.script = "0 regs stall; 0 sp put slot=0 #1 w0 uid=1 src=R1;"
		          "0 sp put slot=1 #2 w0 uid=2 src=R2;"
		          "0 sp put slot=2 #3 w0 uid=3 src=R3; 3 regs flow",
		.log = "1 regs read unit=1 w0 R1; 1 regs read unit=0 w0 R2;"
		       "1 regs read unit=2 w0 R3; 5 to_sp took slot=0 #2; 5 to_sp took slot=1 #1;"
		       "5 to_sp took slot=2 #3; end it collected=3",
	},
	{
		"an instruction that one port does not take, or has no unit for, may be taken by "
		"the next",
		.shows = "C6",
		.params = "'sets': [{'name': 'A', 'units': 1, 'dispatch': 1}, {'name': 'B', "
		          "'units': 2, 'dispatch': 2}], 'ports': [{'units': ['A']}, {'takes': "
		          "['MEM'], 'units': ['B']}, {'takes': ['SP'], 'units': ['B']}]",
		.script = "0 regs stall; 0 mem put slot=0 #1 w0 uid=1 src=R1;"
		          "0 sp put slot=0 #2 w0 uid=2 src=R2;"
		          "0 mem put slot=1 #3 w0 uid=3 src=R3; 6 regs flow",
		.log = "1 regs read unit=0 w0 R2; 1 regs read unit=1 w0 R1;"
		       "2 regs read unit=2 w0 R3; 8 to_mem took slot=0 #3;"
		       "8 to_mem took slot=1 #1; 8 to_sp took slot=0 #2;"
		       "end it collected=3 full=2",
	},
	{
		"a port fills only the units of its sets",
		.shows = "C6",
		.params = "'sets': [{'name': 'A', 'units': 2, 'dispatch': 1},"
		          "{'name': 'B', 'units': 1, 'dispatch': 1}],"
		          "'ports': [{'takes': ['MEM'], 'units': ['B'], 'count': 2},"
		          "{'takes': ['SP'], 'units': ['A']}]",
		.script = "0 mem put slot=0 #1 w0 uid=1 src=R1;"
		          "0 mem put slot=1 #2 w0 uid=2 src=R2",
		.log = "1 regs read unit=2 w0 R1; 3 regs read unit=2 w0 R2;"
		       "4 to_mem took slot=0 #1; end it collected=2 full=2; end 1 records",
	},
	{
		"dispatch units empty the units of their own set",
		.shows = "C3",
		.params = "'sets': [{'name': 'A', 'units': 2, 'dispatch': 1}, {'name': 'B', "
		          "'units': 2, 'dispatch': 2}], 'ports': [{'takes': ['SP'], 'units': "
		          "['A'], 'count': 2}, {'takes': ['MEM'], 'units': ['B'], 'count': 2}]",
		.script = "0 sp put slot=0 #1 w0 uid=1; 0 sp put slot=1 #2 w0 uid=2;"
		          "0 mem put slot=0 #3 w0 uid=3; 0 mem put slot=1 #4 w0 uid=4",
		.log = "2 it mark ready #1; 3 to_mem took slot=0 #4; 3 to_mem took slot=1 #3;"
		       "3 to_sp took slot=0 #2; 4 to_sp took slot=0 #1; end it collected=4",
	},
	{
		"an instruction that is not yet visible in the register set is not taken",
		.shows = "Y2",
		.netlist = slow,
		.params = ONE_SET(2, 2, 1),
		.script = "0 sp put slot=1 #1 w0 uid=5; 1 sp put slot=0 #2 w0 uid=2;"
		          "1 mem put #3 w0 uid=1",
		.log = "4 to_sp took slot=0 #1; 5 to_mem took slot=0 #3; 5 to_sp took slot=0 #2;"
		       "end it collected=3",
	},
	{
		"the cause is what the waiting instruction waits for",
		.params = ONE_SET(2, 1, 1),
		.script = "0 regs stall; 0 to_mem stop; 0 sp put slot=0 #1 w0 uid=4 src=R1;"
		          "0 sp put slot=1 #2 w0 uid=5 src=R2; 1 sp cause slot=0;"
		          "4 sp put slot=0 #3 w0 uid=6; 6 sp cause slot=0; 7 regs flow;"
		          "8 mem put slot=0 #4 w0 uid=7; 8 mem put slot=1 #5 w0 uid=8;"
		          "8 mem put slot=2 #6 w0 uid=9; 8 mem put slot=3 #7 w0 uid=10;"
		          "14 mem put slot=0 #8 w0 uid=11 src=R4; 14 mem put slot=1 #9 w0 uid=12;"
		          "14 mem put slot=2 #10 w0 uid=13; 20 mem cause slot=2",
		.log = "1 regs read unit=0 w0 R1; 1 sp cause = it ports;"
		       "2 regs read unit=1 w0 R2; 6 sp cause = it operands; 8 it mark ready #1;"
		       "9 it mark ready #3; 9 to_sp took slot=0 #2; 10 it mark ready #4;"
		       "10 to_sp took slot=0 #1; 11 it mark ready #5; 11 to_sp took slot=0 #3;"
		       "12 it mark ready #6; 13 it mark ready #7; 15 regs read unit=0 w0 R4;"
		       "17 it mark ready #8; 17 it mark ready #9;"
		       "20 mem cause = it behind out slot=0; end it collected=9 full=12;"
		       "held it: unit 0: an instruction of warp 0 that waits for its function unit;"
		       "held it: unit 1: an instruction of warp 0 that waits for its function unit;"
		       "end 7 records",
	},
	{
		"the cause is that of the oldest usable unit: its operands",
		.params = ONE_SET(2, 2, 2),
		.script = "0 to_sp stop; 0 sp put slot=0 #1 w0 uid=1;"
		          "0 sp put slot=1 #2 w0 uid=2; 0 sp put slot=2 #3 w0 uid=3;"
		          "0 sp put slot=3 #4 w0 uid=4; 5 regs stall;"
		          "5 sp put slot=0 #5 w0 uid=20; 6 sp put slot=0 #6 w0 uid=10 src=R1;"
		          "7 sp put slot=0 #7 w0 uid=30; 9 sp cause slot=0",
		.log = "7 it mark ready #5; 7 regs read unit=1 w0 R1; 9 sp cause = it operands;"
		       "end it collected=6 full=7;"
		       "held it: unit 0: an instruction of warp 0 that waits for its function unit;"
		       "held it: unit 1: an instruction of warp 0 that waits for operands;"
		       "end 7 records",
	},
	{
		"units of other sets are none that it could use",
		.params = "'sets': [{'name': 'A', 'units': 1, 'dispatch': 1}, {'name': 'B', "
		          "'units': 1, 'dispatch': 1}], 'ports': [{'takes': ['SP'], 'units': "
		          "['A'], 'count': 1}, {'takes': ['MEM'], 'units': ['B'], 'count': 1}]",
		.script = "0 to_mem stop; 0 mem put slot=0 #1 w0 uid=1; 0 mem put slot=1 #2 w0 uid=2;"
		          "0 mem put slot=2 #3 w0 uid=3; 0 mem put slot=3 #4 w0 uid=4; 9 regs stall;"
		          "9 sp put #5 w0 uid=5 src=R1; 9 mem put #6 w0 uid=6; 11 mem put #7 w0 uid=7;"
		          "14 mem cause slot=0",
		.log = "10 regs read unit=0 w0 R1; 11 it mark ready #6;"
		       "14 mem cause = it behind out slot=0; end it collected=6 full=8;"
		       "held it: unit 0: an instruction of warp 0 that waits for operands;"
		       "held it: unit 1: an instruction of warp 0 that waits for its function "
		       "unit; end 7 records",
	},
	{
		"or its full function unit",
		.params = ONE_SET(2, 2, 2),
		.script = "0 to_sp stop; 0 sp put slot=0 #1 w0 uid=1;"
		          "0 sp put slot=1 #2 w0 uid=2; 0 sp put slot=2 #3 w0 uid=3;"
		          "0 sp put slot=3 #4 w0 uid=4; 5 regs stall;"
		          "5 sp put slot=0 #5 w0 uid=20 src=R1; 6 sp put slot=0 #6 w0 uid=10;"
		          "7 sp put slot=0 #7 w0 uid=30; 9 sp cause slot=0",
		.log = "6 regs read unit=0 w0 R1; 8 it mark ready #6;"
		       "9 sp cause = it behind out slot=0; end it collected=6 full=7;"
		       "held it: unit 0: an instruction of warp 0 that waits for operands;"
		       "held it: unit 1: an instruction of warp 0 that waits for its function unit;"
		       "end 7 records",
	},
	{
		"with sub-cores it names the place that is needed",
		.params = ONE_SET(4, 1, 4) ", 'sub_cores': 2",
		.script = "0 to_sp stop; 0 sp put slot=0 #1 w0 uid=1 sched=0;"
		          "0 sp put slot=1 #2 w1 uid=2 sched=1;"
		          "1 sp put slot=1 #3 w1 uid=3 sched=1;"
		          "2 sp put slot=1 #4 w1 uid=4 sched=1;"
		          "3 sp put slot=1 #5 w1 uid=5 sched=1; 8 sp cause slot=1",
		.log = "2 it mark ready #1; 3 it mark ready #3; 4 it mark ready #4;"
		       "8 sp cause = it behind out slot=1; end it collected=4 full=10;"
		       "held it: unit 2: an instruction of warp 1 that waits for its function unit;"
		       "held it: unit 3: an instruction of warp 1 that waits for its function unit;"
		       "end 5 records",
	},
	{
		"units of a set are a multiple of sub-cores",
		.params = ONE_SET(3, 1, 1) ", 'sub_cores': 2",
		.script = "",
		.log = "refused instance 'it': 3 units of set 'GEN' cannot be divided among 2 "
		       "sub-cores;"
		       "expected a multiple of 2",
	},
	{
		"a port fills only sets that exist",
		.params = "'sets': [{'name': 'GEN', 'units': 2, 'dispatch': 1}], 'ports': [{'units': ['GEM']}]",
		.script = "",
		.log = "refused instance 'it': 'GEM' of 'ports[0].units' is not a set; expected names of 'sets'",
	},
	{
		"and 'first' names only sets that exist",
		.params = "'sets': [{'name': 'GEN', 'units': 2, 'dispatch': 1}], 'ports': [{'first': ['GEM']}]",
		.script = "",
		.log = "refused instance 'it': 'GEM' of 'ports[0].first' is not a set; expected names of 'sets'",
	},
	{
		"some port takes from each register set",
		.params = "'sets': [{'name': 'GEN', 'units': 2, 'dispatch': 1}], 'ports': [{'takes': ['XYZ']}]",
		.script = "",
		.log = "refused instance 'it': no port takes instructions for unit 'SP';"
		       "expected it in 'takes' of one of 'ports', or one without 'takes'",
	},
	{
		"there are at most 64 units",
		.params = "'sets': [{'name': 'A', 'units': 64, 'dispatch': 1}, {'name': 'B', "
		          "'units': 1, 'dispatch': 1}], 'ports': [{}]",
		.script = "",
		.log = "refused instance 'it': more than 64 collector units",
	},
	{
		"64 units are accepted, in two sets or one",
		.params = "'sets': [{'name': 'A', 'units': 63, 'dispatch': 1}, {'name': 'B', "
		          "'units': 1, 'dispatch': 1}], 'ports': [{'takes': ['SP'], 'units': "
		          "['B']}, {'units': ['A'], 'takes': ['MEM']}], 'steps': 3",
		.script = "0 sp put #1 w0 uid=1 src=R1; 0 mem put #2 w0 uid=2",
		.log = "1 regs read unit=63 w0 R1; 2 to_mem took slot=0 #2;"
		       "2 to_sp took slot=0 #1; end it collected=2",
	},
};

SUITE(collector, .netlist = netlist, RULES(rules));
