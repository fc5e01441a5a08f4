/* issue.c - rules of the issue stage
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The toy 'sm' fills a buffer at the beginning of a cycle, so the stage may issue it in that cycle;
 * the unit takes it one cycle later.
 */
#include "issue.h"

static const char netlist[] = NETLIST("");
static const char begins[] = NETLIST(", 'params': {'begins': true}");
static const char polls[] = NETLIST(", 'params': {'polls_fences': true}");
static const char every[] = NETLIST(", 'params': {'begins': true, 'needs_every_edge': true}");
/* Without fence and copy. */
static const char bare[] =
	"'instances': {" STAGE("it", "", "") TOYS
	"'links': [" LINKS("it", "") END;
static const char two[] = "'instances': {" STAGE("it", ", 'count': 2", "") TOYS
	"'links': [" LINKS("it", "[*]") SYNC("it[*]") END;
static const char roomy[] = "'instances': {" STAGE("it", "", "") ROOMY_TOYS
	"'links': [" LINKS("it", "") SYNC("it") END;
/* One class to two units. */
static const char twice[] = "'instances': {'more': {'module': 'take_slots'}, "
	STAGE("it", "", "") TOYS
	"'links': [" WAY("it", "more", "'DP', 'LOAD'", "") LINKS("it", "") END;
/* Two stages for the same warps. */
static const char rivals[] = "'instances': {" STAGE("it", "", "") STAGE("other", "", "") TOYS
	"'links': [" LINKS("it", "") ", " LINKS("other", "") END;

static const struct rule rules[] = {
	{
		"an instruction goes to the unit of its class, into the first free slot, numbered",
		.shows = "I1 I4",
		.script = "0 sm cta w0; 0 sm fill #1 w0 pc=0x100 class=SP; 0 sp stop;"
		          "1 sm show w0; 1 sm fill #2 w0 class=SP; 2 sm fill #3 w0 class=INTP;"
		          "3 sm fill #4 w0 pc=0x200 class=LOAD; 4 sm show w0; 5 sp go",
		.log = "0 policy_it issued w0 n=0; 1 policy_it issued w0 n=0;"
		       "1 sm w0 flight=1 npc=0x110; 2 policy_it issued w0 n=0;"
		       "3 int took slot=0 #3 uid=3 sched=0; 3 policy_it issued w0 n=0;"
		       "4 mem took slot=0 #4 uid=4 sched=0; 4 sm w0 flight=4 npc=0x210;"
		       "5 sp took slot=0 #1 uid=1 sched=0; 5 sp took slot=1 #2 uid=2 sched=0;"
		       "end it single=4 idle=7 issued=4",
	},
	{
		"one instruction of one warp in each cycle; chosen by the policy",
		.shows = "I1",
		.script = "0 policy_it order w2 w0; 0 sm cta w0 w1 w2; 0 sm fill #1 w0;"
		          "0 sm fill #2 w1; 0 sm fill #3 w2; 0 sm fill #4 w2; 0 policy_it mine",
		.log = "0 policy_it mine = w0 w1 w2 w3 w4 w5 w6 w7; 0 policy_it issued w2 n=0;"
		       "1 policy_it issued w2 n=0; 1 sp took slot=0 #3 uid=1 sched=0;"
		       "2 policy_it issued w0 n=0; 2 sp took slot=0 #4 uid=2 sched=0;"
		       "3 policy_it issued w1 n=0; 3 sp took slot=0 #1 uid=3 sched=0;"
		       "4 sp took slot=0 #2 uid=4 sched=0; end it single=4 idle=2 issued=4",
	},
	{
		"the length of an instruction leads to the next pc; an empty buffer wakes fetch",
		.shows = "I4 F6",
		.params = "'instruction_bytes': 8",
		.script = "0 sm cta w0; 0 sm fill #1 w0 pc=0x100; 0 sm fill #2 w0 pc=0x300;"
		          "0 sm woken; 1 sm woken; 1 sm show w0; 2 sm woken; 2 sm show w0",
		.log = "0 policy_it issued w0 n=0; 0 sm woken none fetch;"
		       "1 policy_it issued w0 n=0; 1 sm woken none;"
		       "1 sm w0 flight=2 npc=0x108 #2; 1 sp took slot=0 #1 uid=1 sched=0;"
		       "2 sm woken none fetch; 2 sm w0 flight=2 npc=0x308;"
		       "2 sp took slot=0 #2 uid=2 sched=0; end it single=2 idle=6 issued=2",
	},
	{
		"a warp whose sources or destination are pending is passed over",
		.shows = "I1 S2",
		.script = "0 sm cta w0 w1; 0 sm pending w0 R1; 0 sm fill #1 w0 src=R1;"
		          "0 sm fill #2 w1 src=R1; 0 sm fill #3 w1 dst=R7; 3 sm done w0 R1",
		.log = "0 policy_it issued w1 n=0; 1 policy_it issued w1 n=0;"
		       "1 sp took slot=0 #2 uid=1 sched=0; 2 sp took slot=0 #3 uid=2 sched=0;"
		       "3 policy_it issued w0 n=0; 4 sp took slot=0 #1 uid=3 sched=0;"
		       "end it single=3 scoreboard=1 idle=5 issued=3",
	},
	{
		"a warp whose unit has no room is passed over, and issues as soon as there is room",
		.shows = "I1",
		.script = "0 sp stop; 0 sm cta w0 w1 w2; 0 sm fill #1 w0; 0 sm fill #2 w0;"
		          "0 sm fill #3 w0; 3 sm fill #4 w1 class=INTP; 5 sp because n=3;"
		          "6 sp take n=1; 10 sp go; 20 end",
		.log = "0 policy_it issued w0 n=0; 1 policy_it issued w0 n=0;"
		       "3 policy_it issued w1 n=0; 4 int took slot=0 #4 uid=3 sched=0;"
		       "6 policy_it issued w0 n=0; 6 sp took slot=0 #1 uid=1 sched=0;"
		       "10 sp took slot=0 #3 uid=4 sched=0; 10 sp took slot=1 #2 uid=2 sched=0;"
		       "end it single=4 stall=3 idle=14 issued=4",
	},
	{
		"held warps and warps that have ended do not issue",
		.shows = "I1",
		.script = "0 sm cta w0 w1 w2 w3 w4; 0 sm block barrier w0; 0 sm block atomic w1;"
		          "0 sm block copy w2; 0 sm block other w3; 0 sm exit w4;"
		          "0 sm fill #1 w0; 0 sm fill #2 w1; 0 sm fill #3 w2; 0 sm fill #4 w3;"
		          "0 sm fill #5 w4; 3 sm unblock atomic w1; 4 sm unblock other w3;"
		          "5 sm unblock copy w2; 6 sm unblock barrier w0",
		.log = "3 policy_it issued w1 n=0; 4 policy_it issued w3 n=0;"
		       "4 sp took slot=0 #2 uid=1 sched=0; 5 policy_it issued w2 n=0;"
		       "5 sp took slot=0 #4 uid=2 sched=0; 6 policy_it issued w0 n=0;"
		       "6 sp took slot=0 #3 uid=3 sched=0; 7 sp took slot=0 #1 uid=4 sched=0;"
		       "end it single=4 idle=8 issued=4; end 1 records",
	},
	{
		"a warp whose next instruction is of a wrong path is flushed when it is considered",
		.shows = "CH4 CH7",
		.script = "0 sm cta w0; 0 sm fill #1 w0 flags=wrong_path pc=0x40 src=R1;"
		          "0 sm fill #2 w0 flags=wrong_path; 0 sm woken; 1 sm woken; 2 sm show w0",
		.log = "0 sm woken none fetch; 1 sm woken none fetch;"
		       "2 sm w0 flight=2 flushed; end it idle=8 control_hazard=1",
	},
	{
		"behind instructions of its path; its slot is idle, unless another warp issues or waits",
		.shows = "CH4 CH7",
		.script = "0 policy_it order w0 w1 w2; 0 sm cta w0 w1 w2; 0 sm fill #1 w0;"
		          "0 sm fill #2 w0 flags=wrong_path; 1 sm fill #3 w1; 3 sm fill #4 w0 flags=wrong_path;"
		          "3 sm pending w1 R1; 3 sm fill #5 w1 src=R1; 5 sm show w0 w1; 5 sm done w1 R1;"
		          "7 sm fill #6 w0 flags=wrong_path; 7 sm fill #7 w1 flags=wrong_path",
		.log = "0 policy_it issued w0 n=0; 1 policy_it issued w1 n=0;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 sp took slot=0 #3 uid=2 sched=0;"
		       "5 policy_it issued w1 n=0; 5 sm w0 flight=3 npc=0x10 flushed;"
		       "5 sm w1 flight=2 npc=0x10 #5 R1; 6 sp took slot=0 #5 uid=3 sched=0;"
		       "end it single=3 scoreboard=2 idle=8 control_hazard=1 issued=3",
	},
	{
		"not while another warp comes first, or while it is held",
		.shows = "CH4",
		.script = "0 policy_it order w1 w0; 0 sm cta w0 w1 w2; 0 sm fill #1 w0 flags=wrong_path;"
		          "0 sm fill #2 w1; 0 sm fill #3 w1; 0 sm fill #4 w1; 0 sm block barrier w2;"
		          "0 sm fill #5 w2 flags=wrong_path; 2 sm show w0; 4 sm show w0;"
		          "5 sm unblock barrier w2; 6 sm show w2",
		.log = "0 policy_it issued w1 n=0; 1 policy_it issued w1 n=0;"
		       "1 sp took slot=0 #2 uid=1 sched=0; 2 policy_it issued w1 n=0;"
		       "2 sm w0 flight=1 wrong#1; 2 sp took slot=0 #3 uid=2 sched=0;"
		       "3 sp took slot=0 #4 uid=3 sched=0; 4 sm w0 flight=1 flushed;"
		       "6 sm w2 flight=1 flushed;"
		       "end it single=3 idle=9 control_hazard=2 issued=3",
	},
	{
		"the second instruction of a warp is considered in the cycle of the first",
		.shows = "CH5",
		.params = "'width': 2",
		.script = "0 sm cta w0; 0 sm fill #1 w0; 0 sm fill #2 w0 class=INTP flags=wrong_path;"
		          "1 sm show w0; 3 sm fill #3 w0; 3 sm fill #4 w0 class=INTP;"
		          "3 sm fill #5 w0 flags=wrong_path; 4 sm show w0; 6 sm show w0",
		.log = "0 policy_it issued w0 n=0; 1 sm w0 flight=2 npc=0x10 flushed;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 3 policy_it issued w0 n=0;"
		       "3 policy_it issued w0 n=1; 4 int took slot=0 #4 uid=3 sched=0;"
		       "4 sm w0 flight=5 npc=0x10 flushed wrong#5;"
		       "4 sp took slot=0 #3 uid=2 sched=0; 6 sm w0 flight=5 npc=0x10 flushed;"
		       "end it single=1 dual=1 idle=10 control_hazard=1 issued=3",
	},
	{
		"when a warp ends, what is left in its buffer is dropped, which is not a hazard",
		.shows = "CH6",
		.script = "0 sm cta w0; 0 sm fill #1 w0 class=EXIT exits=0xffffffff flags=last,exit;"
		          "0 sm fill #2 w0 flags=wrong_path; 0 sm fill #3 w0 flags=wrong_path; 1 sm show w0",
		.log = "0 policy_it issued w0 n=0; 0 sync leave w0;"
		       "1 int took slot=0 #1 uid=1 sched=0; 1 sm w0 ended flight=3 npc=0x10;"
		       "end it single=1 idle=6 issued=1",
	},
	{
		"with refill 'room' fetch is woken as soon as there is room",
		.shows = "D4",
		.netlist = roomy,
		.script = "0 sm cta w0; 0 sm fill #1 w0; 0 sm fill #2 w0; 0 sm fill #3 w0; 0 sm fill #4 w0;"
		          "0 sm woken; 1 sm woken; 2 sm woken; 3 sm woken",
		.log = "0 policy_it issued w0 n=0; 0 sm woken none fetch;"
		       "1 policy_it issued w0 n=0; 1 sm woken none;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 policy_it issued w0 n=0;"
		       "2 sm woken none fetch; 2 sp took slot=0 #2 uid=2 sched=0;"
		       "3 policy_it issued w0 n=0; 3 sm woken none fetch;"
		       "3 sp took slot=0 #3 uid=3 sched=0; 4 sp took slot=0 #4 uid=4 sched=0;"
		       "end it single=4 idle=5 issued=4",
	},
	{
		"a second instruction of the same warp goes to another kind of unit",
		.shows = "I2",
		.params = "'width': 2",
		.script = "0 sm cta w0 w1; 0 sm fill #1 w0; 0 sm fill #2 w0 class=INTP;"
		          "0 sm fill #3 w0; 0 sm fill #4 w0; 0 sm fill #5 w0 class=LOAD;"
		          "0 sm fill #6 w0 class=INTP; 0 sm fill #7 w0 class=STORE;"
		          "0 sm fill #8 w1 class=LOAD; 0 sm fill #9 w1 class=INTP; 9 end",
		.log = "0 policy_it issued w0 n=0; 0 policy_it issued w0 n=1;"
		       "1 int took slot=0 #2 uid=2 sched=0; 1 policy_it issued w0 n=0;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 policy_it issued w0 n=0;"
		       "2 policy_it issued w0 n=1; 2 sp took slot=0 #3 uid=3 sched=0;"
		       "3 mem took slot=0 #5 uid=5 sched=0; 3 policy_it issued w0 n=0;"
		       "3 policy_it issued w0 n=1; 3 sp took slot=0 #4 uid=4 sched=0;"
		       "4 int took slot=0 #6 uid=6 sched=0; 4 mem took slot=0 #7 uid=7 sched=0;"
		       "4 policy_it issued w1 n=0; 5 mem took slot=0 #8 uid=8 sched=0;"
		       "5 policy_it issued w1 n=0; 6 int took slot=0 #9 uid=9 sched=0;"
		       "end it single=3 dual=3 idle=4 issued=9",
	},
	{
		"or to the same where that is allowed",
		.shows = "I2",
		.params = "'width': 2, 'different_units': false",
		.script = "0 sm cta w0; 0 sm fill #1 w0; 0 sm fill #2 w0; 0 sm fill #3 w0;"
		          "0 sm fill #4 w0",
		.log = "0 policy_it issued w0 n=0; 0 policy_it issued w0 n=1;"
		       "1 policy_it issued w0 n=0; 1 policy_it issued w0 n=1;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 1 sp took slot=1 #2 uid=2 sched=0;"
		       "2 sp took slot=0 #3 uid=3 sched=0; 2 sp took slot=1 #4 uid=4 sched=0;"
		       "end it dual=2 idle=4 issued=4",
	},
	{
		"but not while it waits for the first, nor without room, nor after a barrier",
		.shows = "I2",
		.params = "'width': 2",
		.script = "0 sm cta w0 w1; 0 sm fill #1 w0 dst=R1;"
		          "0 sm fill #2 w0 class=INTP src=R1; 3 sm done w0 R1; 5 int stop;"
		          "6 sm fill #3 w0 class=INTP; 7 sm fill #4 w0 class=INTP;"
		          "8 sm fill #5 w0 class=SP; 8 sm fill #6 w0 class=INTP; 12 int go;"
		          "15 sync hold; 15 sm fill #7 w0 class=INTP flags=barrier;"
		          "15 sm fill #8 w0 class=SP; 18 sm unblock barrier w0",
		.log = "0 policy_it issued w0 n=0; 1 sp took slot=0 #1 uid=1 sched=0;"
		       "3 policy_it issued w0 n=0; 4 int took slot=0 #2 uid=2 sched=0;"
		       "6 policy_it issued w0 n=0; 7 policy_it issued w0 n=0;"
		       "8 policy_it issued w0 n=0; 9 sp took slot=0 #5 uid=5 sched=0;"
		       "12 int took slot=0 #3 uid=3 sched=0; 12 int took slot=1 #4 uid=4 sched=0;"
		       "12 policy_it issued w0 n=0; 13 int took slot=0 #6 uid=6 sched=0;"
		       "15 policy_it issued w0 n=0; 15 sync join w0;"
		       "16 int took slot=0 #7 uid=7 sched=0; 18 policy_it issued w0 n=0;"
		       "19 sp took slot=0 #8 uid=8 sched=0;"
		       "end it single=8 stall=3 scoreboard=2 idle=11 issued=8",
	},
	{
		"a second one is considered only after a first of the same warp",
		.shows = "I2",
		.params = "'width': 2",
		.script = "0 sm cta w0 w1; 0 sm fill #1 w0; 0 sm fill #2 w1 class=INTP;"
		          "0 sm fill #3 w1 class=SP",
		.log = "0 policy_it issued w0 n=0; 1 policy_it issued w1 n=0;"
		       "1 policy_it issued w1 n=1; 1 sp took slot=0 #1 uid=1 sched=0;"
		       "2 int took slot=0 #2 uid=2 sched=0; 2 sp took slot=0 #3 uid=3 sched=0;"
		       "end it single=1 dual=1 idle=4 issued=3",
	},
	{
		"the destination is pending from the issue on, as that of a load if it is global "
		"or local",
		.shows = "S3 S5 I4",
		.script = "0 sm cta w0; 0 sm fill #1 w0 dst=R1;"
		          "0 sm fill #2 w0 dst=R2 class=LOAD flags=load space=global;"
		          "0 sm fill #3 w0 dst=R3 class=LOAD flags=load space=local;"
		          "0 sm fill #4 w0 dst=R4 class=LOAD flags=load space=shared;"
		          "0 sm fill #5 w0 dst=R5 class=LOAD space=global; 6 sm show w0",
		.log = "0 policy_it issued w0 n=0; 1 policy_it issued w0 n=0;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 mem took slot=0 #2 uid=2 sched=0;"
		       "2 policy_it issued w0 n=0; 3 mem took slot=0 #3 uid=3 sched=0;"
		       "3 policy_it issued w0 n=0; 4 mem took slot=0 #4 uid=4 sched=0;"
		       "4 policy_it issued w0 n=0; 5 mem took slot=0 #5 uid=5 sched=0;"
		       "6 sm w0 flight=5 npc=0x10 R1 R2(long) R3(long) R4 R5;"
		       "end it single=5 idle=7 issued=5",
	},
	{
		"lanes end at issue; the barrier is notified when the last line of the trace ends "
		"the last lane",
		.shows = "I4",
		.script = "0 sm cta w0 w1 w2; 0 sm fill #1 w0 class=EXIT exits=0xffff flags=exit;"
		          "0 sm fill #2 w0 class=EXIT exits=0xffff0000 flags=exit,last;"
		          "0 sm fill #3 w1 exits=0xffffffff flags=exit;"
		          "0 sm fill #4 w2 exits=0x1 flags=exit,last; 1 sm show w0;"
		          "6 sm show w0 w1 w2",
		.log = "0 policy_it issued w0 n=0; 1 int took slot=0 #1 uid=1 sched=0;"
		       "1 policy_it issued w0 n=0; 1 sm w0 lanes=0xffff0000 flight=2 npc=0x10 #2;"
		       "1 sync leave w0; 2 int took slot=0 #2 uid=2 sched=0;"
		       "2 policy_it issued w1 n=0; 3 policy_it issued w2 n=0;"
		       "3 sp took slot=0 #3 uid=3 sched=0; 4 sp took slot=0 #4 uid=4 sched=0;"
		       "6 sm w0 ended flight=2 npc=0x10; 6 sm w1 ended flight=1 npc=0x10;"
		       "6 sm w2 lanes=0xfffffffe flight=1 npc=0x10;"
		       "end it single=4 idle=8 issued=4",
	},
	{
		"an atomic holds its warp for all its lanes; without lanes it does not",
		.shows = "A1",
		.script = "0 sm cta w0 w1; 0 sm fill #1 w0 class=STORE flags=atomic mask=0xff;"
		          "0 sm fill #2 w0; 0 sm fill #3 w1 class=STORE flags=atomic mask=0;"
		          "0 sm fill #4 w1; 4 sm show w0 w1; 5 sm unblock atomic w0",
		.log = "0 policy_it issued w0 n=0; 1 mem took slot=0 #1 uid=1 sched=0;"
		       "1 policy_it issued w1 n=0; 2 mem took slot=0 #3 uid=2 sched=0;"
		       "2 policy_it issued w1 n=0; 3 sp took slot=0 #4 uid=3 sched=0;"
		       "4 sm w0 atomic flight=2 atomics=8 npc=0x10 #2; 4 sm w1 flight=2 npc=0x10;"
		       "5 policy_it issued w0 n=0; 6 sp took slot=0 #2 uid=4 sched=0;"
		       "end it single=4 stall=1 idle=7 issued=4",
	},
	{
		"the copy unit is notified of copies, commits and waits, with how many may stay",
		.shows = "I4",
		.script = "0 sm cta w0; 0 sm fill #1 w0 class=LOAD flags=load,copy;"
		          "0 sm fill #2 w0 flags=commit; 0 sm fill #3 w0 flags=wait imm=3;"
		          "1 sync hold; 0 sm fill #4 w0; 5 sm unblock copy w0",
		.log = "0 policy_it issued w0 n=0; 0 sync add #1 w0;"
		       "1 mem took slot=0 #1 uid=1 sched=0; 1 policy_it issued w0 n=0;"
		       "1 sync commit w0; 2 policy_it issued w0 n=0;"
		       "2 sp took slot=0 #2 uid=2 sched=0; 2 sync wait w0 stay=3;"
		       "3 sp took slot=0 #3 uid=3 sched=0; 5 policy_it issued w0 n=0;"
		       "6 sp took slot=0 #4 uid=4 sched=0; end it single=4 idle=7 issued=4",
	},
	{
		"the units of barriers and fences are notified",
		.shows = "I4",
		.script = "0 sm cta w0 w1; 0 sm fill #1 w0 flags=barrier;"
		          "0 sm fill #2 w1 flags=fence; 0 sm fill #3 w1; 0 sm fill #4 w0;"
		          "4 sm show w1; 5 sync over w1",
		.log = "0 policy_it issued w0 n=0; 0 sync join w0; 1 policy_it issued w0 n=0;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 policy_it issued w1 n=0;"
		       "2 sp took slot=0 #4 uid=2 sched=0; 2 sync fence w1;"
		       "3 sp took slot=0 #2 uid=3 sched=0; 4 sm w1 fence flight=2 npc=0x10 #3;"
		       "5 policy_it issued w1 n=0; 5 sync over w1;"
		       "6 sp took slot=0 #3 uid=4 sched=0; end it single=4 idle=7 issued=4",
	},
	{
		"without linked units fences and copies cost nothing",
		.netlist = bare,
		.script = "0 sm cta w0; 0 sm fill #1 w0 flags=fence; 0 sm fill #2 w0 flags=copy;"
		          "0 sm fill #3 w0 flags=commit; 0 sm fill #4 w0 flags=wait;"
		          "0 sm fill #5 w0 flags=barrier; 5 sm show w0",
		.log = "0 policy_it issued w0 n=0; 1 policy_it issued w0 n=0;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 policy_it issued w0 n=0;"
		       "2 sp took slot=0 #2 uid=2 sched=0; 3 policy_it issued w0 n=0;"
		       "3 sp took slot=0 #3 uid=3 sched=0; 4 policy_it issued w0 n=0;"
		       "4 sp took slot=0 #4 uid=4 sched=0; 4 sync join w0;"
		       "5 sm w0 flight=5 npc=0x10; 5 sp took slot=0 #5 uid=5 sched=0;"
		       "end it single=5 idle=6 issued=5",
	},
	{
		"an instruction without lanes counts as a stall as well",
		.shows = "I5 Z2",
		.script = "0 sm cta w0; 0 sm fill #1 w0 mask=0; 1 sm fill #2 w0 mask=1",
		.log = "0 policy_it issued w0 n=0; 1 policy_it issued w0 n=0;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 sp took slot=0 #2 uid=2 sched=0;"
		       "end it single=2 stall=1 idle=5 issued=2",
	},
	{
		"a fence ends when the walk comes to its warp, which may issue at once",
		.shows = "N2 I1",
		.script = "0 sm cta w0 w1 w2; 0 policy_it order w1; 0 sm block fence w2;"
		          "0 sm fill #1 w2; 2 sync over w2; 2 sm fill #2 w1; 3 sm fill #3 w1;"
		          "6 sm block fence w1; 6 sync over w1; 8 sm show w1",
		.log = "2 policy_it issued w1 n=0; 3 policy_it issued w1 n=0;"
		       "3 sp took slot=0 #2 uid=1 sched=0; 4 policy_it issued w2 n=0;"
		       "4 sp took slot=0 #3 uid=2 sched=0; 4 sync over w2;"
		       "5 sp took slot=0 #1 uid=3 sched=0; 6 sync over w1;"
		       "8 sm w1 flight=2 npc=0x10; end it single=3 idle=11 issued=3",
	},
	{
		"it does not end before that, nor at a barrier, nor of a warp that has ended",
		.shows = "N2",
		.script = "0 sm cta w0 w1 w2 w3; 0 sm block fence w0 w1 w2;"
		          "0 sm block barrier w0; 0 sm exit w1; 0 sync over w0 w1;"
		          "2 sm show w0 w1; 3 sm unblock barrier w0; 5 sm show w0 w1;"
		          "5 sm block atomic w2; 6 sync over w2; 8 sm show w2; 9 sm fill #1 w3;"
		          "10 sm fill #2 w2; 12 sm unblock atomic w2",
		.log = "2 sm w0 barrier fence; 2 sm w1 ended; 3 sync over w0; 5 sm w0 free;"
		       "5 sm w1 ended; 6 sync over w2; 8 sm w2 atomic;"
		       "9 policy_it issued w3 n=0; 10 sp took slot=0 #1 uid=1 sched=0;"
		       "12 policy_it issued w2 n=0; 13 sp took slot=0 #2 uid=2 sched=0;"
		       "end it single=2 idle=16 issued=2",
	},
	{
		"a policy that examines every warp ends fences before the walk",
		.shows = "N2",
		.netlist = polls,
		.script = "0 sm cta w0 w1 w2; 0 policy_it order w1; 0 sm block fence w2;"
		          "0 sm fill #1 w2; 2 sync over w2; 2 sm fill #2 w1; 3 sm fill #3 w1;"
		          "6 sm block fence w1; 6 sm block barrier w1; 6 sync over w1;"
		          "8 sm show w1; 9 sm unblock barrier w1; 11 sm show w1",
		.log = "2 policy_it issued w1 n=0; 2 sync over w2; 3 policy_it issued w1 n=0;"
		       "3 sp took slot=0 #2 uid=1 sched=0; 4 policy_it issued w2 n=0;"
		       "4 sp took slot=0 #3 uid=2 sched=0; 5 sp took slot=0 #1 uid=3 sched=0;"
		       "8 sm w1 barrier fence flight=2 npc=0x10; 9 sync over w1;"
		       "11 sm w1 flight=2 npc=0x10; end it single=3 idle=14 issued=3",
	},
	{
		"the walk with fences passes over warps as the one without does",
		.shows = "Z1",
		.script = "0 sp stop; 0 sm cta w0 w1 w2 w3; 0 sm block fence w3;"
		          "0 sm pending w0 R1; 0 sm fill #1 w0 src=R1; 0 sm fill #2 w1;"
		          "1 sm fill #3 w1; 2 sm fill #4 w1; 3 sm fill #5 w2 class=INTP;"
		          "6 sm done w0 R1; 8 sp go; 12 sync over w3; 14 sm show w3",
		.log = "0 policy_it issued w1 n=0; 1 policy_it issued w1 n=0;"
		       "3 policy_it issued w2 n=0; 4 int took slot=0 #5 uid=3 sched=0;"
		       "8 policy_it issued w0 n=0; 8 sp took slot=0 #2 uid=1 sched=0;"
		       "8 sp took slot=1 #3 uid=2 sched=0; 9 policy_it issued w1 n=0;"
		       "9 sp took slot=0 #1 uid=4 sched=0; 10 sp took slot=0 #4 uid=5 sched=0;"
		       "12 sync over w3; 14 sm w3 free; end it single=5 stall=5 idle=10 issued=5",
	},
	{
		"a wait for a register counts as such while fences are pending, too",
		.shows = "Z1",
		.script = "0 sm cta w0 w1; 0 sm block fence w1; 0 sm pending w0 R1;"
		          "0 sm fill #1 w0 src=R1; 4 sm done w0 R1",
		.log = "4 policy_it issued w0 n=0; 5 sp took slot=0 #1 uid=1 sched=0;"
		       "end it single=1 scoreboard=4 idle=5 issued=1",
	},
	{
		"a fence that has nothing to wait for ends as soon as it is issued, and another "
		"may follow",
		.shows = "N2 I2",
		.params = "'width': 2",
		.script = "0 sm cta w0; 0 sync over w0; 0 sm fill #1 w0 flags=fence;"
		          "0 sm fill #2 w0 class=INTP; 1 sm show w0; 3 sm fill #3 w0 flags=fence;"
		          "3 sm fill #4 w0 class=INTP; 4 sm show w0; 5 sync over w0",
		.log = "0 policy_it issued w0 n=0; 0 policy_it issued w0 n=1; 0 sync fence w0;"
		       "0 sync over w0; 1 int took slot=0 #2 uid=2 sched=0;"
		       "1 sm w0 flight=2 npc=0x10; 1 sp took slot=0 #1 uid=1 sched=0;"
		       "3 policy_it issued w0 n=0; 3 sync fence w0;"
		       "4 sm w0 fence flight=4 npc=0x10 #4; 4 sp took slot=0 #3 uid=3 sched=0;"
		       "5 policy_it issued w0 n=0; 5 sync over w0;"
		       "6 int took slot=0 #4 uid=4 sched=0;"
		       "end it single=2 dual=1 idle=8 issued=4",
	},
	{
		"also where one instruction may issue at a time",
		.shows = "N2",
		.script = "0 sm cta w0; 0 sync over w0; 0 sm fill #1 w0 flags=fence;"
		          "0 sm fill #2 w0 class=INTP; 1 sm show w0",
		.log = "0 policy_it issued w0 n=0; 0 sync fence w0; 0 sync over w0;"
		       "1 policy_it issued w0 n=0; 1 sm w0 flight=2 npc=0x10 #2;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 int took slot=0 #2 uid=2 sched=0;"
		       "end it single=2 idle=5 issued=2",
	},
	{
		"a policy with begin() is called in every cycle, is notified of changes, and "
		"selects the warps",
		.netlist = begins,
		.script = "0 policy_it allow w0 w1; 0 sm cta w0 w1 w2; 0 sm fill #1 w2;"
		          "0 sm fill #2 w1; 2 sm fill #3 w1; 2 sm pending w1 R1;"
		          "6 policy_it allow; 6 sm pending w2 R5; 20 end",
		.log = "0 policy_it changed w0 w1 w2; 0 policy_it issued w1 n=0;"
		       "1 sp took slot=0 #2 uid=1 sched=0; 2 policy_it changed w1;"
		       "2 policy_it issued w1 n=0; 3 sp took slot=0 #3 uid=2 sched=0;"
		       "6 policy_it changed w2; 6 policy_it issued w2 n=0;"
		       "7 sp took slot=0 #1 uid=3 sched=0; end it single=3 idle=18 issued=3;"
		       "end policy_it edges=21",
	},
	{
		"begin() gets the set of free warps",
		.netlist = begins,
		.script = "0 sm cta w0 w1 w2 w3; 0 sm block copy w1; 0 sm exit w2;"
		          "1 policy_it live; 1 sm unblock copy w1; 2 policy_it live",
		.log = "0 policy_it changed w0 w1 w2 w3; 1 policy_it live = w0 w3;"
		       "1 policy_it changed w1; 2 policy_it live = w0 w1 w3; end it idle=8;"
		       "end policy_it edges=8",
	},
	{
		"it is called in every cycle if it needs every edge",
		.netlist = every,
		.script = "0 policy_it allow w0; 0 sm cta w0 w1; 0 sm fill #1 w1;"
		          "4 policy_it allow w1; 12 end",
		.log = "0 policy_it changed w0 w1; 4 policy_it issued w1 n=0;"
		       "5 sp took slot=0 #1 uid=1 sched=0; end it single=1 idle=12 issued=1;"
		       "end policy_it edges=13",
	},
	{
		"each of n issue stages has the warps whose number modulo n is its index",
		.shows = "I1",
		.netlist = two,
		.script = "0 sm cta w0 w1 w2 w3 w7; 0 policy_it[0] mine; 0 policy_it[1] mine;"
		          "0 sm fill #1 w0; 0 sm fill #2 w2; 0 sm fill #3 w1 class=LOAD;"
		          "0 sm fill #4 w7 class=LOAD",
		.log = "0 policy_it[0] mine = w0 w2 w4 w6; 0 policy_it[0] issued w0 n=0;"
		       "0 policy_it[1] mine = w1 w3 w5 w7; 0 policy_it[1] issued w1 n=0;"
		       "1 mem took slot=1 #3 uid=2 sched=1; 1 policy_it[0] issued w2 n=0;"
		       "1 policy_it[1] issued w7 n=0; 1 sp took slot=0 #1 uid=1 sched=0;"
		       "2 mem took slot=1 #4 uid=4 sched=1; 2 sp took slot=0 #2 uid=3 sched=0;"
		       "end it[0] single=2 idle=4 issued=2; end it[1] single=2 idle=4 issued=2",
	},
	{
		"a class that no unit takes ends the run",
		.shows = "I3",
		.script = "0 sm cta w0; 3 sm fill #1 w0 class=TENSOR",
		.log = "end it stall=1 idle=3; end 1 records;"
		       "error it: cycle 4: no unit accepts class 'TENSOR';"
		       "expected a link of port 'out' whose \"classes\" name it",
	},
	{
		"a class takes one route only",
		.netlist = twice,
		.script = "",
		.log = "refused instance 'it': two links of port 'out' take class 'LOAD';"
		       "expected one",
	},
	{
		"a warp has one issue stage",
		.netlist = rivals,
		.script = "",
		.log = "refused instance 'other': another array of issue stages has warp 0;"
		       "expected one array, whose elements share the warps",
	},
};

SUITE(issue, .netlist = netlist, .plain = true, RULES(rules));
