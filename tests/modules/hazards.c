/* hazards.c - rules of the check for operands that are read too early
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

/* SP has a fixed latency of 4, written 9 after the issue; that of others is open. */
#define INSTANCES(fixed) "'instances': {'it': {'module': 'hazards', 'params': {'warnings': 9, " \
	"'fixed': [" fixed "]@}}, 'sm': {'module': 'sm'}, 'a': {'module': 'call'}}, " \
	"'links': [{'from': 'it.warps', 'to': 'sm.warps'}, {'from': 'a.after', 'to': 'sm.warps'}, " \
	"{'from': 'a.hazards', 'to': 'it.hazards'}]"

static const char netlist[] = INSTANCES("{'classes': ['SP']}");
static const char two_rows[] = INSTANCES("{'classes': ['SP']}, {'classes': ['DP'], 'latency': 8}");

/* Uses the room for instructions under way, and has done with it. */
#define STORE "1 a issue #5 w0 uid=2 pc=48 class=LDST src=R2; 1 a sources w0 uid=2;"
#define STORES STORE STORE STORE STORE STORE STORE STORE STORE

static const struct rule rules[] = {
	{
		"a result of fixed latency may be read so many cycles after its issue",
		.script = "0 a issue #1 w0 pc=0 dst=R4; 3 a issue #2 w0 pc=16 src=R4; 4 a issue #3 w0 pc=32 src=R4",
		.log = "end it hazards=1 raw=1;"
		       "error heddle: warning: it: cycle 10: kernel 0, pc 0x10: reads R4 1 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0",
	},
	{
		"each row of 'fixed' has its latency",
		.netlist = two_rows,
		.script = "0 a issue #1 w0 pc=0 class=DP dst=R4; 0 a issue #2 w0 pc=16 dst=R5;"
		          "5 a issue #3 w0 pc=32 src=R4; 5 a issue #4 w0 pc=48 src=R5",
		.log = "end it hazards=1 raw=1;"
		       "error heddle: warning: it: cycle 11: kernel 0, pc 0x20: reads R4 3 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0",
	},
	{
		"operands without a listing: every source counts, except RZ",
		.script = "0 a issue #1 w0 pc=0 dst=R4; 0 a issue #2 w0 pc=16 dst=R255;"
		          "1 a issue #3 w0 pc=32 src=R9,R255; 1 a issue #4 w0 pc=48 src=R9,R4",
		.log = "end it hazards=1 raw=1;"
		       "error heddle: warning: it: cycle 7: kernel 0, pc 0x30: reads R4 3 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0",
	},
	{
		"an instruction that writes RZ and is under way needs no wait",
		.script = "0 a issue #1 w0 uid=1 pc=0 class=LDST dst=R255 write=0;"
		          "1 a issue #2 w0 uid=2 pc=16 src=R255; 1 a issue #3 w0 uid=3 pc=32 dst=R255",
		.log = "",
	},
	{
		"an instruction that writes nothing is forgotten when its sources were read",
		.script = "0 a issue #1 w0 uid=1 pc=0 class=LDST dst=R4 write=0;"
		          STORES STORES STORES STORES STORES STORES STORES STORES
		          "2 a issue #2 w0 uid=3 pc=16 src=R4; 4 a written w0 R4",
		.log = "end it hazards=1 raw=1;"
		       "error heddle: warning: it: cycle 10: kernel 0, pc 0x10: reads R4 2 cycles "
		       "before pc 0x0 writes it;"
		       "expected a wait for SB0 at pc 0x10",
	},
	{
		"only the operands that an instruction has are read",
		.script = "0 a issue #1 w0 pc=0 dst=R4; 1 a issue #2 w0 pc=16 slots=R9,R10,R11;"
		          "1 a issue #3 w0 pc=32 slots=R9,R10,R4",
		.log = "end it hazards=1 raw=1;"
		       "error heddle: warning: it: cycle 7: kernel 0, pc 0x20: reads R4 3 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0",
	},
	{
		"registers of an operand that has several, also beyond a multiple of 64",
		.script = "0 a issue #1 w0 pc=0 dst=R64; 0 a issue #2 w0 pc=16 dst=R62;"
		          "1 a issue #3 w0 pc=32 slots=R61*4; 2 a issue #4 w0 pc=48 slots=R63*2;"
		          "4 a issue #5 w0 pc=64 dst=R62 ndst=4; 5 a issue #6 w0 pc=80 src=R62;"
		          "5 a issue #7 w0 pc=96 src=R63; 5 a issue #8 w0 pc=112 src=R65",
		.log = "end it hazards=6 raw=6;"
		       "error heddle: warning: it: cycle 11: kernel 0, pc 0x20: reads R62 3 cycles "
		       "before pc 0x10 writes it;"
		       "expected a longer stall at pc 0x10;"
		       "error heddle: warning: it: cycle 11: kernel 0, pc 0x20: reads R64 3 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0;"
		       "error heddle: warning: it: cycle 11: kernel 0, pc 0x30: reads R64 2 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0;"
		       "error heddle: warning: it: cycle 11: kernel 0, pc 0x50: reads R62 3 cycles "
		       "before pc 0x40 writes it;"
		       "expected a longer stall at pc 0x40;"
		       "error heddle: warning: it: cycle 11: kernel 0, pc 0x60: reads R63 3 cycles "
		       "before pc 0x40 writes it;"
		       "expected a longer stall at pc 0x40;"
		       "error heddle: warning: it: cycle 11: kernel 0, pc 0x70: reads R65 3 cycles "
		       "before pc 0x40 writes it;"
		       "expected a longer stall at pc 0x40",
	},
	{
		"a result of an open latency is there when its register is written, and not reported twice",
		.script = "0 a issue #1 w0 uid=1 pc=0 class=LDST dst=R4 src=R2 write=2 read=1;"
		          "2 a issue #2 w0 uid=2 pc=16 src=R4; 6 a written w0 R4;"
		          "7 a issue #3 w0 uid=3 pc=32 src=R4; 8 a issue #4 w0 uid=4 pc=48 dst=R4; 9 a written w0 R4",
		.log = "end it hazards=1 raw=1;"
		       "error heddle: warning: it: cycle 15: kernel 0, pc 0x10: reads R4 4 cycles "
		       "before pc 0x0 writes it;"
		       "expected a wait for SB2 at pc 0x10",
	},
	{
		"what would mend it: a wait, more stall before a wait or a DEPBAR, a counter",
		.script = "0 a issue #1 w0 uid=1 pc=0 class=LDST dst=R4 write=2;"
		          "0 a issue #2 w0 uid=2 pc=16 class=LDST dst=R5;"
		          "1 a issue #3 w0 uid=3 pc=32 depbar=2;"
		          "1 a issue #4 w0 uid=4 pc=48 class=LDST dst=R6 write=2;"
		          "1 a issue #5 w0 uid=5 pc=64 class=LDST dst=R7 write=3;"
		          "2 a issue #6 w0 uid=6 pc=80 src=R4; 2 a issue #7 w0 uid=7 pc=96 src=R5;"
		          "2 a issue #8 w0 uid=8 pc=112 src=R6; 2 a issue #9 w0 uid=9 pc=128 src=R7 wait=8;"
		          "2 a issue #10 w0 uid=10 pc=144 src=R7",
		.log = "end it hazards=5 raw=5;"
		       "error heddle: warning: it: cycle 8: kernel 0, pc 0x50: reads R4 0 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x20;"
		       "error heddle: warning: it: cycle 8: kernel 0, pc 0x60: reads R5 0 cycles "
		       "before pc 0x10 writes it;"
		       "expected a counter to write at pc 0x10;"
		       "error heddle: warning: it: cycle 8: kernel 0, pc 0x70: reads R6 0 cycles "
		       "before pc 0x30 writes it;"
		       "expected a wait for SB2 at pc 0x70;"
		       "error heddle: warning: it: cycle 8: kernel 0, pc 0x80: reads R7 0 cycles "
		       "before pc 0x40 writes it;"
		       "expected a longer stall at pc 0x40;"
		       "error heddle: warning: it: cycle 8: kernel 0, pc 0x90: reads R7 0 cycles "
		       "before pc 0x40 writes it;"
		       "expected a wait for SB3 at pc 0x90",
	},
	{
		"an earlier result must not be written after a later one",
		.script = "0 a issue #1 w0 uid=1 pc=0 class=LDST dst=R4 write=0; 2 a issue #2 w0 uid=2 pc=16 dst=R4;"
		          "0 a issue #3 w1 uid=3 pc=0 class=LDST dst=R4 write=0; 2 a issue #4 w1 uid=4 pc=16 dst=R4;"
		          "10 a written w0 R4; 14 a written w1 R4",
		.log = "end it hazards=1 waw=1;"
		       "error heddle: warning: it: cycle 20: kernel 0, pc 0x10: writes R4 4 cycles "
		       "before pc 0x0 has written it;"
		       "expected a wait for SB0 at pc 0x10",
	},
	{
		"a register must not be written before an earlier instruction has read it",
		.script = "0 a issue #1 w0 uid=1 pc=0 class=LDST src=R2,R4; 1 a issue #2 w0 uid=2 pc=16 dst=R4;"
		          "13 a sources w0 uid=1; 14 a issue #3 w0 uid=3 pc=32 dst=R4",
		.log = "end it hazards=1 war=1;"
		       "error heddle: warning: it: cycle 20: kernel 0, pc 0x10: overwrites R4 4 "
		       "cycles before pc 0x0 has read it;"
		       "expected a counter to read at pc 0x0",
	},
	{
		"of several predicates that come too early the guard is named",
		.script = "0 a issue #1 w0 pc=0 writes_p=3; 5 a issue #2 w0 pc=16 reads_p=3 guard=2",
		.log = "end it hazards=1 raw=1;"
		       "error heddle: warning: it: cycle 11: kernel 0, pc 0x10: reads P1 8 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0",
	},
	{
		"classes that are late see a result of fixed latency later",
		.params = ", 'late': ['LDST'], 'late_by': 2",
		.script = "0 a issue #1 w0 pc=0 dst=R4; 4 a issue #2 w0 pc=16 src=R4;"
		          "4 a issue #3 w0 uid=3 pc=32 class=LDST src=R4;"
		          "6 a issue #4 w0 uid=4 pc=48 class=LDST src=R4",
		.log = "end it hazards=1 raw=1;"
		       "error heddle: warning: it: cycle 12: kernel 0, pc 0x20: reads R4 2 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0",
	},
	{
		"a place that is too early several times has the most cycles of them",
		.script = "0 a issue #1 w0 pc=0 dst=R4; 3 a issue #2 w0 pc=16 src=R4;"
		          "10 a issue #1 w0 pc=0 dst=R4; 11 a issue #3 w0 pc=32 src=R4;"
		          "20 a issue #1 w0 pc=0 dst=R4; 22 a issue #2 w0 pc=16 src=R4",
		.log = "end it hazards=3 raw=3;"
		       "error heddle: warning: it: cycle 28: kernel 0, pc 0x10: reads R4 2 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0;"
		       "error heddle: warning: it: cycle 28: kernel 0, pc 0x20: reads R4 3 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0",
	},
	{
		"a load must not write a register before an earlier instruction has read it, whenever that is",
		.script = "0 a issue #1 w0 uid=1 pc=0 class=LDST src=R4;"
		          "1 a issue #2 w0 uid=2 pc=16 class=LDST dst=R4 write=0;"
		          "4 a written w0 R4; 6 a sources w0 uid=1",
		.log = "end it hazards=1 war=1;"
		       "error heddle: warning: it: cycle 12: kernel 0, pc 0x10: overwrites R4 3 "
		       "cycles before pc 0x0 has read it;"
		       "expected a counter to read at pc 0x0",
	},
	{
		"predicates: sooner as an operand than as a guard, and those of instructions that complete",
		.script = "0 a issue #1 w0 uid=1 pc=0 writes_p=1; 3 a issue #2 w0 uid=2 pc=16 reads_p=1;"
		          "4 a issue #3 w0 uid=3 pc=32 reads_p=1; 12 a issue #4 w0 uid=4 pc=48 reads_p=1 guard=1;"
		          "13 a issue #5 w0 uid=5 pc=64 reads_p=1 guard=1;"
		          "14 a issue #6 w0 uid=6 pc=80 class=LDST writes_p=2 write=1;"
		          "15 a issue #7 w0 uid=7 pc=96 reads_p=2; 16 a completed w0 uid=6;"
		          "17 a issue #8 w0 uid=8 pc=112 reads_p=2",
		.log = "end it hazards=3 raw=3;"
		       "error heddle: warning: it: cycle 23: kernel 0, pc 0x10: reads P0 1 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0;"
		       "error heddle: warning: it: cycle 23: kernel 0, pc 0x30: reads P0 1 cycles "
		       "before pc 0x0 writes it;"
		       "expected a longer stall at pc 0x0;"
		       "error heddle: warning: it: cycle 23: kernel 0, pc 0x60: reads P1 1 cycles "
		       "before pc 0x50 writes it;"
		       "expected a wait for SB1 at pc 0x60",
	},
	{
		"places are listed by pc, then by kind, register and the other's pc, whatever came first",
		.script = "0 a issue #1 w0 uid=1 pc=32 class=SFU dst=R4 write=0;"
		          "0 a issue #2 w0 uid=2 pc=16 class=LDST dst=R4 write=0;"
		          "0 a issue #3 w0 uid=3 pc=48 class=LDST dst=R3 write=0;"
		          "1 a issue #9 w0 uid=4 pc=64 src=R4,R3; 2 a issue #8 w0 uid=5 pc=8 src=R3;"
		          "3 a issue #9 w0 uid=6 pc=64 src=R3",
		.log = "end it hazards=6 raw=5 waw=1;"
		       "error heddle: warning: it: cycle 9: kernel 0, pc 0x8: reads R3 0 cycles "
		       "before pc 0x30 writes it;"
		       "expected a wait for SB0 at pc 0x8;"
		       "error heddle: warning: it: cycle 9: kernel 0, pc 0x10: writes R4 0 cycles "
		       "before pc 0x20 has written it;"
		       "expected a wait for SB0 at pc 0x10;"
		       "error heddle: warning: it: cycle 9: kernel 0, pc 0x40: reads R3 0 cycles "
		       "before pc 0x30 writes it;"
		       "expected a wait for SB0 at pc 0x40;"
		       "error heddle: warning: it: cycle 9: kernel 0, pc 0x40: reads R4 0 cycles "
		       "before pc 0x10 writes it;"
		       "expected a wait for SB0 at pc 0x40;"
		       "error heddle: warning: it: cycle 9: kernel 0, pc 0x40: reads R4 0 cycles "
		       "before pc 0x20 writes it;"
		       "expected a wait for SB0 at pc 0x40",
	},
	{
		"neither lanes that only one of them has count, nor other warps",
		.script = "0 a issue #1 w0 pc=0 dst=R4 mask=0xffff; 1 a issue #2 w0 pc=16 src=R4 mask=0xffff0000;"
		          "1 a issue #3 w1 pc=16 src=R4",
		.log = "",
	},
};

SUITE(hazards, .netlist = netlist, RULES(rules));
