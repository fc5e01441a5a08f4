/* scalar.c - rules of scalar instructions
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'scalar', 'params': {@}}, 'sm': {'module': 'sm'}, "
	"'p': {'module': 'give_divergence'}, 'decode': {'module': 'call'}}, "
	"'links': [{'from': 'it.policy', 'to': 'p.divergence'}, {'from': 'it.trace', 'to': 'p.trace'}, "
	"{'from': 'it.warps', 'to': 'sm.warps'}, {'from': 'decode.after', 'to': 'sm.warps'}, "
	"{'from': 'decode.groups', 'to': 'it.divergence'}]";

static const struct rule rules[] = {
	{
		"what is computed from constants is scalar, and so is what is computed from that",
		.shows = "UF1 UF2 UF4",
		.script = "0 sm cta w1; 0 p line op=MOV #1 w1 class=ALU dst=R4;"
		          "0 p line op=IADD3 #2 w1 class=INTP dst=R5 src=R4;"
		          "0 p line op=IADD3 #3 w1 class=INTP dst=R6 src=R4,R9;"
		          "0 p line op=FADD #4 w1 dst=R7 src=R5,R6;"
		          "0 p line op=ISETP #5 w1 class=INTP src=R5,R4;"
		          "1 decode next w1 w1 w1 w1 w1 w1",
		.log = "1 decode next #1 class=SCALAR; 1 decode next #2 class=SCALAR;"
		       "1 decode next #3 class=INTP; 1 decode next #4 class=SP;"
		       "1 decode next #5 class=SCALAR; 1 decode next w1 = none;"
		       "end it decoded=5 scalar=3 lane_operations=160 lane_operations_saved=93",
	},
	{
		"a register that lanes write apart, or some of them, is not uniform any more",
		.shows = "UF1",
		.script = "0 sm cta w1; 0 p line op=MOV #1 w1 class=ALU dst=R4;"
		          "0 p line op=MOV #2 w1 class=ALU dst=R4 mask=0xff;"
		          "0 p line op=FADD #3 w1 dst=R5 src=R4;"
		          "0 p line op=MOV #4 w1 class=ALU dst=R4;"
		          "0 p line op=FADD #5 w1 dst=R5 src=R4;"
		          "0 p line op=FADD #6 w1 dst=R4 src=R9;"
		          "0 p line op=FADD #7 w1 dst=R5 src=R4;"
		          "1 decode next w1 w1 w1 w1 w1 w1 w1",
		.log = "1 decode next #1 class=SCALAR; 1 decode next #2 class=ALU;"
		       "1 decode next #3 class=SP; 1 decode next #4 class=SCALAR;"
		       "1 decode next #5 class=SCALAR; 1 decode next #6 class=SP;"
		       "1 decode next #7 class=SP;"
		       "end it decoded=7 scalar=3 lane_operations=200 lane_operations_saved=93",
	},
	{
		"how addresses are kept does not matter: a load of a constant is scalar also where they are far apart",
		.shows = "UF1",
		.script = "0 sm cta w1; 0 p line op=MOV #1 w1 class=ALU dst=R4;"
		          "0 p line op=LDC #2 w1 class=ALU space=const dst=R5 src=R4 addr=0x10 stride=0x7f0000000000;"
		          "0 p line op=IADD3 #3 w1 class=INTP dst=R6 src=R5; 1 decode next w1 w1 w1",
		.log = "1 decode next #1 class=SCALAR; 1 decode next #2 class=SCALAR; 1 decode next #3 class=SCALAR;"
		       "end it decoded=3 scalar=3 lane_operations=96 lane_operations_saved=93",
	},
	{
		"RZ is a constant, whatever was written to it",
		.shows = "UF1",
		.script = "0 sm cta w1; 0 p line op=FADD #1 w1 dst=R255 src=R9;"
		          "0 p line op=FADD #2 w1 dst=R5 src=R255; 1 decode next w1 w1",
		.log = "1 decode next #1 class=SP; 1 decode next #2 class=SCALAR;"
		       "end it decoded=2 scalar=1 lane_operations=64 lane_operations_saved=31",
	},
	{
		"all lanes are those that have not ended, in the order of decode",
		.shows = "UF1",
		.script = "0 sm cta w1; 0 p line op=MOV #1 w1 class=ALU dst=R4;"
		          "0 p line op=EXIT #2 w1 class=EXIT mask=0xffff exits=0xffff flags=exit;"
		          "0 p line op=FADD #3 w1 dst=R5 src=R4 mask=0xffff0000;"
		          "0 p line op=FADD #4 w1 dst=R6 src=R5 mask=0xffff0000;"
		          "0 p line op=FADD #5 w1 dst=R6 src=R5 mask=0xff0000;"
		          "0 p line op=FADD #6 w1 dst=R7 src=R6 mask=0xffff0000;"
		          "1 decode next w1 w1 w1 w1 w1 w1",
		.log = "1 decode next #1 class=SCALAR; 1 decode next #2 class=EXIT;"
		       "1 decode next #3 class=SCALAR; 1 decode next #4 class=SCALAR;"
		       "1 decode next #5 class=SP; 1 decode next #6 class=SP;"
		       "end it decoded=6 scalar=3 lane_operations=104 lane_operations_saved=61",
	},
	{
		"what reads the lane is not scalar, nor its result uniform; that of a vote is",
		.shows = "UF1 UF2",
		.script = "0 sm cta w1; 0 p line op=S2R #1 w1 class=ALU dst=R4;"
		          "0 p line op=FADD #2 w1 dst=R5 src=R4;"
		          "0 p line op=VOTE.ANY #3 w1 class=ALU dst=R4;"
		          "0 p line op=FADD #4 w1 dst=R5 src=R4;"
		          "0 p line op=SHFL.IDX #5 w1 class=ALU dst=R4 src=R5;"
		          "0 p line op=VOTE.ALL #6 w1 class=ALU dst=R5 mask=1;"
		          "0 p line op=FADD #7 w1 dst=R6 src=R5;"
		          "0 p line op=IADD3 #8 w1 class=INTP dst=R7 src=R255;"
		          "0 p line op=IADD3.X #9 w1 class=INTP dst=R7 src=R255;"
		          "1 decode next w1 w1 w1 w1 w1 w1 w1 w1 w1",
		.log = "1 decode next #1 class=ALU; 1 decode next #2 class=SP;"
		       "1 decode next #3 class=ALU;"
		       "1 decode next #4 class=SCALAR; 1 decode next #5 class=ALU;"
		       "1 decode next #6 class=ALU; 1 decode next #7 class=SP;"
		       "1 decode next #8 class=SCALAR; 1 decode next #9 class=INTP;"
		       "end it decoded=9 scalar=2 lane_operations=257 lane_operations_saved=62",
	},
	{
		"a load from one address by all lanes is scalar, of a class of its own",
		.shows = "UF1 UF2 UF3",
		.script = "0 sm cta w1; 0 p line op=MOV #1 w1 class=ALU dst=R2;"
		          "0 p line op=LDG.E #2 w1 class=LOAD flags=load space=global dst=R4 "
		          "src=R2 addr=64 stride=0;"
		          "0 p line op=FADD #3 w1 dst=R5 src=R4;"
		          "0 p line op=LDG.E #4 w1 class=LOAD flags=load space=global dst=R4 "
		          "src=R2 addr=64 stride=4;"
		          "0 p line op=FADD #5 w1 dst=R5 src=R4;"
		          "0 p line op=LDS #6 w1 class=LOAD flags=load space=shared dst=R4 addr=8 "
		          "stride=0;"
		          "0 p line op=LDL #7 w1 class=LOAD flags=load space=local dst=R4 addr=8 "
		          "stride=0;"
		          "0 p line op=FADD #8 w1 dst=R5 src=R4;"
		          "0 p line op=LDG.E #9 w1 class=LOAD flags=load space=global dst=R4 "
		          "src=R9 addr=64 stride=0;"
		          "0 p line op=FADD #10 w1 dst=R5 src=R4;"
		          "1 decode next w1 w1 w1 w1 w1 w1 w1 w1 w1 w1",
		.log = "1 decode next #1 class=SCALAR; 1 decode next #2 class=SCALAR_LOAD;"
		       "1 decode next #3 class=SCALAR; 1 decode next #4 class=LOAD;"
		       "1 decode next #5 class=SP; 1 decode next #6 class=SCALAR_LOAD;"
		       "1 decode next #7 class=LOAD; 1 decode next #8 class=SP;"
		       "1 decode next #9 class=LOAD; 1 decode next #10 class=SP;"
		       "end it decoded=10 scalar=4 lane_operations=320 lane_operations_saved=124",
	},
	{
		"stores, atomics, copies, barriers, branches and fences are not scalar",
		.shows = "UF2",
		.script = "0 sm cta w1; 0 p line op=STG #1 w1 class=STORE flags=store "
		          "space=global;"
		          "0 p line op=ATOMG #2 w1 class=LOAD flags=load,atomic space=global "
		          "dst=R2;"
		          "0 p line op=FADD #3 w1 src=R2;"
		          "0 p line op=LDGSTS #4 w1 class=LOAD flags=load,copy space=global;"
		          "0 p line op=BAR #5 w1 class=BARRIER flags=barrier;"
		          "0 p line op=BRA #6 w1 class=SPECIALIZED_UNIT_1;"
		          "0 p line op=MEMBAR #7 w1 class=MEMORY_BARRIER flags=fence;"
		          "0 p line op=NOP #8 w1 class=ALU;"
		          "1 decode next w1 w1 w1 w1 w1 w1 w1 w1",
		.log = "1 decode next #1 class=STORE; 1 decode next #2 class=LOAD;"
		       "1 decode next #3 class=SP; 1 decode next #4 class=LOAD;"
		       "1 decode next #5 class=BARRIER; 1 decode next #6 class=SPECIALIZED_UNIT_1;"
		       "1 decode next #7 class=MEMORY_BARRIER; 1 decode next #8 class=ALU;"
		       "end it decoded=8 lane_operations=256",
	},
	{
		"a wide result is several registers",
		.shows = "UF1",
		.script = "0 sm cta w1; 0 p line op=MOV #1 w1 class=ALU dst=R2;"
		          "0 p line op=MOV #2 w1 class=ALU dst=R3;"
		          "0 p line op=IMAD.WIDE #3 w1 class=INTP dst=R2 src=R9;"
		          "0 p line op=FADD #4 w1 src=R3;"
		          "0 p line op=LDG.E.128 #5 w1 class=LOAD flags=load space=global "
		          "width=16 dst=R2 addr=64 stride=0;"
		          "0 p line op=FADD #6 w1 src=R2,R3,R4,R5; 0 p line op=FADD #7 w1 src=R6;"
		          "0 p line op=DADD #8 w1 class=DP dst=R4 src=R9; 0 p line op=FADD #9 w1 "
		          "src=R5;"
		          "0 p line op=F2F.F32.F64 #10 w1 class=ALU dst=R2 src=R9;"
		          "0 p line op=FADD #11 w1 src=R3;"
		          "1 decode next w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1",
		.log = "1 decode next #1 class=SCALAR; 1 decode next #2 class=SCALAR;"
		       "1 decode next #3 class=INTP; 1 decode next #4 class=SP;"
		       "1 decode next #5 class=SCALAR_LOAD; 1 decode next #6 class=SCALAR;"
		       "1 decode next #7 class=SP; 1 decode next #8 class=DP;"
		       "1 decode next #9 class=SP; 1 decode next #10 class=ALU;"
		       "1 decode next #11 class=SCALAR;"
		       "end it decoded=11 scalar=5 lane_operations=352 lane_operations_saved=155",
	},
	{
		"each warp has registers of its own, and a new warp in the slot starts without",
		.shows = "UF1",
		.script = "0 sm cta w1 w2; 0 p line op=MOV #1 w1 class=ALU dst=R2;"
		          "0 p line op=FADD #2 w2 src=R2; 0 p line op=FADD #3 w1 src=R2;"
		          "0 p line op=FADD #4 w1 src=R2; 1 decode next w1 w2 w1; 1 decode pc w1;"
		          "2 sm age w1 n=9; 3 decode next w1",
		.log = "1 decode next #1 class=SCALAR; 1 decode next #2 class=SP;"
		       "1 decode next #3 class=SCALAR; 1 decode pc w1 = 0x0;"
		       "3 decode next #4 class=SP;"
		       "end it decoded=4 scalar=2 lane_operations=128 lane_operations_saved=62",
	},
	{
		"other classes, and other opcodes",
		.shows = "UF2 UF3",
		.params = "'class': 'UNIT', 'load_class': 'LOAD', 'classes': ['SP', 'LOAD'], "
		          "'lanes': ['FADD.FTZ'], 'votes': ['FMUL']",
		.script = "0 sm cta w1; 0 p line op=FADD #1 w1 dst=R2; 0 p line op=IADD3 #2 w1 "
		          "class=INTP src=R2;"
		          "0 p line op=FADD.FTZ #3 w1 dst=R2; 0 p line op=FADD #4 w1 src=R2;"
		          "0 p line op=FMUL #5 w1 dst=R2 src=R9; 0 p line op=FADD #6 w1 src=R2;"
		          "0 p line op=LDS #7 w1 class=LOAD flags=load space=shared addr=8 "
		          "stride=0;"
		          "0 p line op=FADDER #8 w1;"
		          "1 decode next w1 w1 w1 w1 w1 w1 w1 w1",
		.log = "1 decode next #1 class=UNIT; 1 decode next #2 class=INTP;"
		       "1 decode next #3 class=SP; 1 decode next #4 class=SP;"
		       "1 decode next #5 class=SP; 1 decode next #6 class=UNIT;"
		       "1 decode next #7 class=LOAD; 1 decode next #8 class=UNIT;"
		       "end it decoded=8 scalar=4 lane_operations=256 lane_operations_saved=124",
	},
	{
		"an opcode is in one of the lists",
		.params = "'lanes': ['MOV'], 'votes': ['MOV']",
		.script = "",
		.log = "refused instance 'it': 'lanes' and 'votes' both name opcode 'MOV';"
		       "expected it in one of them",
	},
};

SUITE(scalar, .netlist = netlist, RULES(rules));
