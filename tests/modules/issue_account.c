/* issue_account.c - rules of the events and marks of an issue stage, for dumps
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Event "slot" stands for the preceding cycles, all of one kind.  A mark names what the next
 * instruction of a warp waits for, once.
 */
#include "issue.h"

static const char netlist[] = NETLIST(", 'params': {'loud': false}");
static const char begins[] = NETLIST(", 'params': {'begins': true, 'loud': false}");

#define FEW(n) "'instances': {" STAGE("it", "", ", 'params': {'loud': false}") FEW_TOYS(n) \
	"'links': [" LINKS("it", "") SYNC("it") END
static const char one_pending[] = FEW("1"), two_pending[] = FEW("2");

static const struct rule rules[] = {
	{
		"cycles with one instruction and with two are distinguished",
		.shows = "Z1",
		.params = "'width': 2",
		.script = "0 sm cta w0; 0 sm fill #1 w0; 0 sm fill #2 w0 class=INTP;"
		          "0 sm fill #3 w0; 0 sm fill #4 w0; 0 sm fill #5 w0;"
		          "0 sm fill #6 w0 class=INTP; 0 sm fill #7 w0",
		.log = "0 it event issue sched=0 warp=0 n=1; 0 it event issue sched=0 warp=0 n=2;"
		       "1 int took slot=0 #2 uid=2 sched=0; 1 it event issue sched=0 warp=0 n=1;"
		       "1 it event slot n=1 dual; 1 sp took slot=0 #1 uid=1 sched=0;"
		       "2 it event issue sched=0 warp=0 n=1; 2 sp took slot=0 #3 uid=3 sched=0;"
		       "3 it event issue sched=0 warp=0 n=1; 3 it event issue sched=0 warp=0 n=2;"
		       "3 it event slot n=2 single; 3 sp took slot=0 #4 uid=4 sched=0;"
		       "4 int took slot=0 #6 uid=6 sched=0; 4 it event issue sched=0 warp=0 n=1;"
		       "4 it event slot n=1 dual; 4 sp took slot=0 #5 uid=5 sched=0;"
		       "5 it event slot n=1 single; 5 it event slot n=1 idle.fetch warp=0;"
		       "5 sp took slot=0 #7 uid=7 sched=0; end it single=3 dual=2 idle=1 issued=7",
	},
	{
		"idle: no warp runs, or the warp has ended, or waits for fetch, or for the "
		"instruction cache",
		.script = "2 sm cta w0 w1; 4 sm missing w1; 5 sm missing w0; 7 sm arrived w0;"
		          "9 sm exit w0; 11 sm exit w1; 13 sm retired w0; 15 sm retired w1;"
		          "20 end",
		.log = "2 it event slot n=2 idle.empty; 5 it event slot n=3 idle.fetch warp=0;"
		       "7 it event slot n=2 idle.icache warp=0;"
		       "9 it event slot n=2 idle.fetch warp=0;"
		       "11 it event slot n=2 idle.icache warp=1;"
		       "13 it event slot n=2 idle.exit warp=0;"
		       "15 it event slot n=2 idle.exit warp=1; 20 it event slot n=6 idle.empty;"
		       "end it idle=21",
	},
	{
		"a warp whose class no unit takes has all that it waits for",
		.script = "0 sm cta w0; 1 sm fill #1 w0 class=TENSOR; 2 end",
		.log = "1 it event slot n=1 idle.fetch warp=0; 1 it mark ready #1 unit=0;"
		       "1 it event slot n=1 stall.full warp=0 code=1; end it stall=1 idle=1;"
		       "end 1 records; error it: cycle 2: no unit accepts class 'TENSOR';"
		       "expected a link of port 'out' whose \"classes\" name it",
	},
	{
		"idle: attributed to the oldest warp that runs",
		.script = "0 sm cta w1 w2 w0; 0 sm age w1 n=9; 0 sm age w0 n=8; 0 sm age w2 n=7;"
		          "0 sm block barrier w2; 0 sm block copy w0; 0 sm block atomic w1;"
		          "3 sm exit w2; 5 sm exit w0; 8 sm exit w1; 10 sm retired w2;"
		          "12 sm retired w0; 14 end",
		.log = "3 it event slot n=3 idle.barrier warp=2;"
		       "5 it event slot n=2 idle.copy warp=0;"
		       "8 it event slot n=3 idle.atomic warp=1;"
		       "10 it event slot n=2 idle.exit warp=2;"
		       "12 it event slot n=2 idle.exit warp=0;"
		       "14 it event slot n=3 idle.exit warp=1; end it idle=15",
	},
	{
		"a newly placed warp is younger than the others",
		.script = "0 sm cta slot=0 w0; 0 sm cta slot=1 w1; 0 sm block barrier w0;"
		          "0 sm block copy w1; 3 sm exit w0; 3 sm unblock barrier w0;"
		          "5 sm cta slot=0 w0; 5 sm block atomic w0; 8 sm exit w1; 10 end",
		.log = "3 it event slot n=3 idle.barrier warp=0;"
		       "8 it event slot n=5 idle.copy warp=1;"
		       "10 it event slot n=3 idle.atomic warp=0; end it idle=11",
	},
	{
		"idle: each reason to hold a warp has its name, and marks the warp's next "
		"instruction",
		.script = "0 sm cta slot=3 w0; 0 sm fill #1 w0 pc=0x40; 0 sm block barrier w0;"
		          "2 sm unblock barrier w0; 2 sm block fence w0; 4 sm block atomic w0;"
		          "4 sync over w0; 6 sm unblock atomic w0; 6 sm block copy w0;"
		          "8 sm unblock copy w0; 8 sm block other w0; 10 sm unblock other w0",
		.log = "0 it mark barrier #1 cta=3;"
		       "2 it event slot n=2 idle.barrier warp=0 code=1 pc=64; 2 it mark fence #1;"
		       "4 it event slot n=2 idle.fence warp=0 code=1 pc=64; 4 it mark atomic #1;"
		       "4 sync over w0; 6 it event slot n=2 idle.atomic warp=0 code=1 pc=64;"
		       "6 it mark copy #1; 8 it event slot n=2 idle.copy warp=0 code=1 pc=64;"
		       "8 it mark other #1; 10 it event issue sched=0 warp=0 n=1;"
		       "10 it event slot n=2 idle.other warp=0 code=1 pc=64;"
		       "11 it event slot n=1 single; 11 sp took slot=0 #1 uid=1 sched=0;"
		       "15 it event slot n=5 idle.fetch warp=0; end it single=1 idle=15 issued=1",
	},
	{
		"idle: a control hazard, and what follows it, are put to the branch",
		.shows = "CH7",
		.script = "0 sm cta w0 w1; 0 sm age w0 n=0; 0 sm age w1 n=1; 0 sm fill #1 w0 pc=0x30;"
		          "1 sm fill #2 w0 pc=0x40 flags=wrong_path; 1 sm fill #3 w0 flags=wrong_path;"
		          "3 sm missing w0; 5 sm arrived w0; 7 sm fill #4 w0; 9 sm fill #5 w1;"
		          "9 sm fill #6 w0 flags=wrong_path",
		.log = "0 it event issue sched=0 warp=0 n=1; 1 it mark flushed #2;"
		       "1 it mark flushed #3; 1 it event slot n=1 single;"
		       "1 sp took slot=0 #1 uid=1 sched=0;"
		       "2 it event slot n=1 idle.control_hazard warp=0 code=1 pc=48;"
		       "3 it event slot n=1 idle.control_refill warp=0 code=1 pc=48;"
		       "5 it event slot n=2 idle.icache warp=0;"
		       "7 it event issue sched=0 warp=0 n=1;"
		       "7 it event slot n=2 idle.control_refill warp=0 code=1 pc=48;"
		       "8 it event slot n=1 single; 8 sp took slot=0 #4 uid=2 sched=0;"
		       "9 it mark flushed #6; 9 it event issue sched=0 warp=1 n=1;"
		       "9 it event slot n=1 idle.fetch warp=0; 10 it event slot n=1 single;"
		       "10 sp took slot=0 #5 uid=3 sched=0;"
		       "14 it event slot n=5 idle.control_refill warp=0 code=4;"
		       "end it single=3 idle=12 control_hazard=1 issued=3",
	},
	{
		"what is dropped when its warp ends has that mark, and is not a hazard",
		.shows = "CH6",
		.script = "0 sm cta w0; 0 sm fill #1 w0 class=EXIT exits=0xffffffff flags=last,exit;"
		          "0 sm fill #2 w0 flags=wrong_path; 4 end",
		.log = "0 it event issue sched=0 warp=0 n=1; 0 it mark flushed #2;"
		       "0 sync leave w0; 1 int took slot=0 #1 uid=1 sched=0;"
		       "1 it event slot n=1 single; 4 it event slot n=4 idle.exit warp=0;"
		       "end it single=1 idle=4 issued=1",
	},
	{
		"a warp that is refilled at once gets marks for its new instruction",
		.params = "'width': 2",
		.script = "0 sm cta w0 w1; 0 policy_it order w1 w0; 0 sm fill #1 w0 flags=wrong_path;"
		          "0 sm fill #2 w1; 0 sm fill #3 w1; 1 sm fill #4 w0; 4 sm fill #5 w0",
		.log = "0 it event issue sched=0 warp=1 n=1; 0 it mark ready #1 unit=0;"
		       "1 it event issue sched=0 warp=1 n=1;"
		       "1 sp took slot=0 #2 uid=1 sched=0; 2 it mark flushed #1;"
		       "2 it mark flushed #4; 2 it event slot n=2 single;"
		       "2 sp took slot=0 #3 uid=2 sched=0;"
		       "3 it event slot n=1 idle.control_hazard warp=0;"
		       "4 it event issue sched=0 warp=0 n=1;"
		       "4 it event slot n=1 idle.control_refill warp=0;"
		       "5 it event slot n=1 single; 5 sp took slot=0 #5 uid=3 sched=0;"
		       "9 it event slot n=5 idle.fetch warp=0;"
		       "end it single=3 idle=7 control_hazard=1 issued=3",
	},
	{
		"idle: the policy considers no warp that could issue",
		.netlist = begins,
		.script = "0 policy_it allow w1; 0 sm cta w0 w1; 0 sm fill #1 w0 pc=0x10;"
		          "3 policy_it allow w0; 3 sm pending w1 R1",
		.log = "0 it mark policy #1; 0 policy_it changed w0 w1;"
		       "3 it event issue sched=0 warp=0 n=1;"
		       "3 it event slot n=3 idle.policy warp=0 code=1 pc=16;"
		       "3 policy_it changed w1; 4 it event slot n=1 single;"
		       "4 sp took slot=0 #1 uid=1 sched=0; 8 it event slot n=5 idle.fetch warp=0;"
		       "end it single=1 idle=8 issued=1; end policy_it edges=9",
	},
	{
		"scoreboard: the producer of the register that the oldest warp waits for",
		.script = "0 sm cta w0 w1; 0 sm age w1 n=0; 0 sm age w0 n=1;"
		          "0 sm fill #1 w1 dst=R1; 0 sm fill #2 w0 class=INTP dst=R2;"
		          "0 sm fill #3 w0 src=R2 pc=0x20; 0 sm fill #4 w1 src=R9,R1 pc=0x30;"
		          "5 sm done w1 R1; 8 sm done w0 R2",
		.log = "0 it event issue sched=0 warp=0 n=1; 0 it mark ready #1 unit=0;"
		       "1 int took slot=0 #2 uid=1 sched=0; 1 it event issue sched=0 warp=1 n=1;"
		       "1 it mark register #3 reg=2; 2 it event slot n=2 single;"
		       "2 it mark register #4 reg=1; 2 sp took slot=0 #1 uid=2 sched=0;"
		       "5 it event issue sched=0 warp=1 n=1;"
		       "5 it event slot n=3 scoreboard.unit unit=0 reg=1 warp=1 code=4 pc=48;"
		       "6 it event slot n=1 single; 6 sp took slot=0 #4 uid=3 sched=0;"
		       "8 it event issue sched=0 warp=0 n=1;"
		       "8 it event slot n=2 scoreboard.unit unit=1 reg=2 warp=0 code=3 pc=32;"
		       "9 it event slot n=1 single; 9 sp took slot=0 #3 uid=4 sched=0;"
		       "13 it event slot n=5 idle.fetch warp=1;"
		       "end it single=4 scoreboard=5 idle=5 issued=4",
	},
	{
		"scoreboard: loads by what they read, and atomics",
		.script = "0 sm cta w0;"
		          "0 sm fill #1 w0 class=LOAD dst=R1 flags=load space=global;"
		          "1 sm fill #2 w0 src=R1; 4 sm done w0 R1;"
		          "5 sm fill #3 w0 class=LOAD dst=R1 flags=load space=local;"
		          "6 sm fill #4 w0 src=R1; 8 sm done w0 R1;"
		          "9 sm fill #5 w0 class=LOAD dst=R1 flags=load space=shared;"
		          "10 sm fill #6 w0 src=R1; 12 sm done w0 R1;"
		          "13 sm fill #7 w0 class=LOAD dst=R1 flags=load space=const;"
		          "14 sm fill #8 w0 src=R1; 16 sm done w0 R1;"
		          "17 sm fill #9 w0 class=LOAD dst=R1 flags=load space=texture;"
		          "18 sm fill #10 w0 src=R1; 20 sm done w0 R1;"
		          "21 sm fill #11 w0 class=LOAD dst=R1 flags=load,atomic space=global;"
		          "22 sm fill #12 w0 src=R1; 23 sm unblock atomic w0; 26 sm done w0 R1",
		.log = "0 it event issue sched=0 warp=0 n=1; 1 it event slot n=1 single;"
		       "1 it mark register #2 reg=1; 1 mem took slot=0 #1 uid=1 sched=0;"
		       "4 it event issue sched=0 warp=0 n=1;"
		       "4 it event slot n=3 scoreboard.global unit=2 reg=1 warp=0 code=2;"
		       "5 it event issue sched=0 warp=0 n=1; 5 sp took slot=0 #2 uid=2 sched=0;"
		       "6 it event slot n=2 single; 6 it mark register #4 reg=1;"
		       "6 mem took slot=0 #3 uid=3 sched=0; 8 it event issue sched=0 warp=0 n=1;"
		       "8 it event slot n=2 scoreboard.local unit=2 reg=1 warp=0 code=4;"
		       "9 it event issue sched=0 warp=0 n=1; 9 sp took slot=0 #4 uid=4 sched=0;"
		       "10 it event slot n=2 single; 10 it mark register #6 reg=1;"
		       "10 mem took slot=0 #5 uid=5 sched=0;"
		       "12 it event issue sched=0 warp=0 n=1;"
		       "12 it event slot n=2 scoreboard.shared unit=2 reg=1 warp=0 code=6;"
		       "13 it event issue sched=0 warp=0 n=1; 13 sp took slot=0 #6 uid=6 sched=0;"
		       "14 it event slot n=2 single; 14 it mark register #8 reg=1;"
		       "14 mem took slot=0 #7 uid=7 sched=0;"
		       "16 it event issue sched=0 warp=0 n=1;"
		       "16 it event slot n=2 scoreboard.const unit=2 reg=1 warp=0 code=8;"
		       "17 it event issue sched=0 warp=0 n=1; 17 sp took slot=0 #8 uid=8 sched=0;"
		       "18 it event slot n=2 single; 18 it mark register #10 reg=1;"
		       "18 mem took slot=0 #9 uid=9 sched=0;"
		       "20 it event issue sched=0 warp=0 n=1;"
		       "20 it event slot n=2 scoreboard.texture unit=2 reg=1 warp=0 code=10;"
		       "21 it event issue sched=0 warp=0 n=1;"
		       "21 sp took slot=0 #10 uid=10 sched=0; 22 it event slot n=2 single;"
		       "22 it mark atomic #12; 22 mem took slot=0 #11 uid=11 sched=0;"
		       "23 it event slot n=1 idle.atomic warp=0 code=12;"
		       "23 it mark register #12 reg=1; 26 it event issue sched=0 warp=0 n=1;"
		       "26 it event slot n=3 scoreboard.atomic unit=2 reg=1 warp=0 code=12;"
		       "27 it event slot n=1 single; 27 sp took slot=0 #12 uid=12 sched=0;"
		       "31 it event slot n=5 idle.fetch warp=0;"
		       "end it single=12 scoreboard=14 idle=6 issued=12",
	},
	{
		"scoreboard: a register without a known producer counts as that of a unit",
		.script = "0 sm cta w0; 0 sm pending w0 R7; 0 sm fill #1 w0 dst=R7;"
		          "3 sm done w0 R7",
		.log = "0 it mark register #1 reg=7; 3 it event issue sched=0 warp=0 n=1;"
		       "3 it event slot n=3 scoreboard.unit reg=7 warp=0 code=1;"
		       "4 it event slot n=1 single; 4 sp took slot=0 #1 uid=1 sched=0;"
		       "8 it event slot n=5 idle.fetch warp=0;"
		       "end it single=1 scoreboard=3 idle=5 issued=1",
	},
	{
		"scoreboard: an instruction that waits for an entry waits for no register",
		.shows = "S6",
		.netlist = one_pending,
		.script = "0 sm cta w0; 0 sm fill #1 w0 dst=R1;"
		          "1 sm fill #2 w0 dst=R5; 4 sm done w0 R1",
		.log = "0 it event issue sched=0 warp=0 n=1; 1 it event slot n=1 single;"
		       "1 it mark entry #2; 1 sp took slot=0 #1 uid=1 sched=0;"
		       "4 it event issue sched=0 warp=0 n=1;"
		       "4 it event slot n=3 scoreboard.entries warp=0 code=2;"
		       "5 it event slot n=1 single; 5 sp took slot=0 #2 uid=2 sched=0;"
		       "9 it event slot n=5 idle.fetch warp=0;"
		       "end it single=2 scoreboard=3 idle=5 issued=2",
	},
	{
		"scoreboard: for a register first, then for an entry",
		.shows = "S6",
		.netlist = two_pending,
		.script = "0 sm cta w0; 0 sm pending w0 R1 R2 R3;"
		          "0 sm fill #1 w0 src=R1 dst=R5; 3 sm done w0 R1; 5 sm done w0 R2;"
		          "7 sm done w0 R3",
		.log = "0 it mark register #1 reg=1;"
		       "3 it event slot n=3 scoreboard.unit reg=1 warp=0 code=1;"
		       "3 it mark entry #1; 5 it event issue sched=0 warp=0 n=1;"
		       "5 it event slot n=2 scoreboard.entries warp=0 code=1;"
		       "6 it event slot n=1 single; 6 sp took slot=0 #1 uid=1 sched=0;"
		       "12 it event slot n=7 idle.fetch warp=0;"
		       "end it single=1 scoreboard=5 idle=7 issued=1",
	},
	{
		"when an instruction waits for another register, it is marked again",
		.script = "0 sm cta w0; 0 sm pending w0 R1 R2 R3;"
		          "0 sm fill #1 w0 src=R1,R2 dst=R3; 3 sm done w0 R1; 5 sm done w0 R2;"
		          "7 sm done w0 R3",
		.log = "0 it mark register #1 reg=1;"
		       "3 it event slot n=3 scoreboard.unit reg=1 warp=0 code=1;"
		       "3 it mark register #1 reg=2;"
		       "5 it event slot n=2 scoreboard.unit reg=2 warp=0 code=1;"
		       "5 it mark register #1 reg=3; 7 it event issue sched=0 warp=0 n=1;"
		       "7 it event slot n=2 scoreboard.unit reg=3 warp=0 code=1;"
		       "8 it event slot n=1 single; 8 sp took slot=0 #1 uid=1 sched=0;"
		       "12 it event slot n=5 idle.fetch warp=0;"
		       "end it single=1 scoreboard=7 idle=5 issued=1",
	},
	{
		"stall: the full register set, its cause, and the oldest warp that waits for it",
		.script = "0 sp stop; 0 sm cta w0 w1 w2; 0 sm fill #1 w0; 0 sm fill #2 w0;"
		          "0 sm fill #3 w1 pc=0x10; 4 sm fill #4 w0 pc=0x20; 5 sp because n=2;"
		          "7 sm age w2 n=0; 7 sm age w0 n=5; 7 int stop;"
		          "7 sm fill #5 w2 class=INTP; 8 sm fill #6 w2 class=INTP;"
		          "9 sm fill #7 w2 class=INTP; 11 int because n=1; 14 sp go; 15 int go;"
		          "17 sm fill #8 w1",
		.log = "0 it event issue sched=0 warp=0 n=1; 0 it mark ready #3 unit=0;"
		       "1 it event issue sched=0 warp=0 n=1; 2 it event slot n=2 single;"
		       "4 it event slot n=2 stall.full unit=0 warp=1 code=3 pc=16;"
		       "4 it mark ready #4 unit=0;"
		       "5 it event slot n=1 stall.full unit=0 warp=0 code=4 pc=32;"
		       "7 it event issue sched=0 warp=2 n=1;"
		       "7 it event slot n=2 stall.full unit=0 cause=2 warp=0 code=4 pc=32;"
		       "8 it event issue sched=0 warp=2 n=1; 9 it event slot n=2 single;"
		       "9 it mark ready #7 unit=1;"
		       "11 it event slot n=2 stall.full unit=1 warp=2 code=7;"
		       "14 it event issue sched=0 warp=0 n=1;"
		       "14 it event slot n=3 stall.full unit=1 cause=1 warp=2 code=7;"
		       "14 sp took slot=0 #1 uid=1 sched=0; 14 sp took slot=1 #2 uid=2 sched=0;"
		       "15 int took slot=0 #5 uid=3 sched=0; 15 int took slot=1 #6 uid=4 sched=0;"
		       "15 it event issue sched=0 warp=1 n=1; 15 sp took slot=0 #4 uid=5 sched=0;"
		       "16 it event issue sched=0 warp=2 n=1; 16 sp took slot=0 #3 uid=6 sched=0;"
		       "17 int took slot=0 #7 uid=7 sched=0;"
		       "17 it event issue sched=0 warp=1 n=1; 18 it event slot n=4 single;"
		       "18 sp took slot=0 #8 uid=8 sched=0;"
		       "22 it event slot n=5 idle.fetch warp=2;"
		       "end it single=8 stall=10 idle=5 issued=8",
	},
	{
		"a stall continues while the same warps wait",
		.script = "0 sp stop; 0 sm cta w0 w1; 0 sm fill #1 w0; 0 sm fill #2 w0;"
		          "0 sm fill #3 w1; 4 sm pending w0 R1; 6 sm fill #4 w0 pc=0x80;"
		          "9 sp take n=1; 12 sp go",
		.log = "0 it event issue sched=0 warp=0 n=1; 0 it mark ready #3 unit=0;"
		       "1 it event issue sched=0 warp=0 n=1; 2 it event slot n=2 single;"
		       "6 it event slot n=4 stall.full unit=0 warp=1 code=3;"
		       "6 it mark ready #4 unit=0; 9 it event issue sched=0 warp=0 n=1;"
		       "9 it event slot n=3 stall.full unit=0 warp=0 code=4 pc=128;"
		       "9 sp took slot=0 #1 uid=1 sched=0; 10 it event slot n=1 single;"
		       "12 it event issue sched=0 warp=1 n=1;"
		       "12 it event slot n=2 stall.full unit=0 warp=1 code=3;"
		       "12 sp took slot=0 #4 uid=3 sched=0; 12 sp took slot=1 #2 uid=2 sched=0;"
		       "13 it event slot n=1 single; 13 sp took slot=0 #3 uid=4 sched=0;"
		       "17 it event slot n=5 idle.fetch warp=0;"
		       "end it single=4 stall=9 idle=5 issued=4",
	},
	{
		"a cycle of a stall in which the warp issues is not a stall",
		.script = "0 sp stop; 0 sm cta w0; 0 sm fill #1 w0; 0 sm fill #2 w0;"
		          "0 sm fill #3 w0; 0 sm fill #4 w0; 5 sp take n=1; 8 sp go",
		.log = "0 it event issue sched=0 warp=0 n=1; 1 it event issue sched=0 warp=0 n=1;"
		       "2 it event slot n=2 single; 2 it mark ready #3 unit=0;"
		       "5 it event issue sched=0 warp=0 n=1;"
		       "5 it event slot n=3 stall.full unit=0 warp=0 code=3;"
		       "5 sp took slot=0 #1 uid=1 sched=0; 6 it event slot n=1 single;"
		       "6 it mark ready #4 unit=0; 8 it event issue sched=0 warp=0 n=1;"
		       "8 it event slot n=2 stall.full unit=0 warp=0 code=4;"
		       "8 sp took slot=0 #3 uid=3 sched=0; 8 sp took slot=1 #2 uid=2 sched=0;"
		       "9 it event slot n=1 single; 9 sp took slot=0 #4 uid=4 sched=0;"
		       "13 it event slot n=5 idle.fetch warp=0;"
		       "end it single=4 stall=5 idle=5 issued=4",
	},
	{
		"an instruction that is only passed over is marked ready, with its unit",
		.script = "0 sm cta w0 w1 w2; 0 sm fill #1 w0; 0 sm fill #2 w1 class=INTP;"
		          "0 sm fill #3 w2 class=LOAD; 0 sm fill #4 w2 src=R1; 0 sm pending w1 R1",
		.log = "0 it event issue sched=0 warp=0 n=1; 0 it mark ready #2 unit=1;"
		       "0 it mark ready #3 unit=2; 1 it event issue sched=0 warp=1 n=1;"
		       "1 sp took slot=0 #1 uid=1 sched=0; 2 int took slot=0 #2 uid=2 sched=0;"
		       "2 it event issue sched=0 warp=2 n=1; 3 it event issue sched=0 warp=2 n=1;"
		       "3 mem took slot=0 #3 uid=3 sched=0; 4 it event slot n=4 single;"
		       "4 sp took slot=0 #4 uid=4 sched=0; 5 it event slot n=2 idle.fetch warp=0;"
		       "end it single=4 idle=2 issued=4",
	},
	{
		"an instruction that waits at a second barrier is marked again",
		.script = "0 sm cta w0 w1; 0 sm fill #1 w0; 0 sm block barrier w0;"
		          "3 sm unblock barrier w0; 4 sm fill #2 w0; 4 sm block barrier w0;"
		          "6 sm fill #3 w1; 8 sm unblock barrier w0",
		.log = "0 it mark barrier #1 cta=0; 3 it event issue sched=0 warp=0 n=1;"
		       "3 it event slot n=3 idle.barrier warp=0 code=1;"
		       "4 it event slot n=1 single; 4 it mark barrier #2 cta=0;"
		       "4 sp took slot=0 #1 uid=1 sched=0; 6 it event issue sched=0 warp=1 n=1;"
		       "6 it event slot n=2 idle.barrier warp=0 code=2;"
		       "7 it event slot n=1 single; 7 sp took slot=0 #3 uid=2 sched=0;"
		       "8 it event issue sched=0 warp=0 n=1;"
		       "8 it event slot n=1 idle.barrier warp=0 code=2;"
		       "9 it event slot n=1 single; 9 sp took slot=0 #2 uid=3 sched=0;"
		       "13 it event slot n=5 idle.fetch warp=0; end it single=3 idle=11 issued=3",
	},
};

SUITE(issue_account, .netlist = netlist, RULES(rules));
