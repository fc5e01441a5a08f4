/* load_store_answers.c - rules of the load/store unit: replies, the writeback latch, notifications
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "load_store.h"

static const char netlist[] = INSTANCES "'links': [" LINKS L1D COPY "]";
static const char without_copy[] = INSTANCES "'links': [" LINKS L1D "]";

#define WITH_PORT INSTANCES_AND("'port': {'module': 'smem_port'}, ") "'links': [" LINKS L1D COPY
static const char one_port[] = WITH_PORT
	", {'from': ['it.smem_port', 'it.copy_port', 'it.l1d_port'], 'to': 'port.port'}]";
static const char copy_port[] = WITH_PORT ", {'from': ['it.smem_port', 'it.copy_port'], 'to': 'port.port'}]";

static const struct rule rules[] = {
	{
		"a miss is sent, filled, written, one step a cycle",
		.shows = "LS1 LS13 LS18",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm pending w1 R4; 0 sm flight w1 n=1;"
		          "0 a put slot=0 " LD(1) "dst=R4 addr=0x100 mask=0xf;"
		          "8 mem put 0x100 w1 dst=R4 flags=load of=4; 10 sm show w1;"
		          "11 sm show w1; 12 sm show w1; 12 sm counts",
		.log = "2 it mark memory kept #1;"
		       "5 l1d access 0x100/f w1 R4 load of=4 uid=1 = miss;"
		       "7 req took 0x100/f w1 R4 load of=4 uid=1;"
		       "9 l1d fill 0x100 w1 R4 load of=4; 10 l1d taken; 10 sm w1 R4;"
		       "11 pool mark end kept #1; 11 regs write w1 R4; 11 sm w1 R4; 12 sm w1 free;"
		       "12 sm uid=0 completed=4; end it accepted=1 busy=1 l1d_accesses=1",
	},
	{
		"a miss is sent while there is room, one a cycle",
		.shows = "LS1",
		.params = FAST,
		.script = "0 req stop;"
		          "0 a put slot=0 " LD(1) "addr=0x100,0x120,0x140,0x160 mask=0xf;"
		          "10 req take n=1; 13 req go",
		.log = "5 l1d access 0x140/f w1 load of=4 uid=1 = miss;"
		       "5 l1d access 0x160/f w1 load of=4 uid=1 = miss;"
		       "6 l1d access 0x100/f w1 load of=4 uid=1 = miss;"
		       "6 l1d access 0x120/f w1 load of=4 uid=1 = miss;"
		       "10 req took 0x140/f w1 load of=4 uid=1;"
		       "13 req took 0x160/f w1 load of=4 uid=1;"
		       "13 req took 0x100/f w1 load of=4 uid=1;"
		       "14 req took 0x120/f w1 load of=4 uid=1;"
		       "end it accepted=1 busy=2 l1d_accesses=4",
	},
	{
		"a load that missed in n sectors writes its bank n times",
		.shows = "LS17",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm flight w1 n=1; 0 sm pending w1 R4;"
		          "0 a put slot=0 " LD(1) "dst=R4 addr=0x100,0x120 mask=0x3;"
		          "8 mem put 0x120 w1 dst=R4 flags=load of=2;"
		          "8 mem put 0x100 w1 dst=R4 flags=load of=2; 10 sm show w1;"
		          "14 sm show w1; 14 sm counts",
		.log = "2 it mark memory kept #1;"
		       "5 l1d access 0x100/f w1 R4 load of=2 uid=1 = miss;"
		       "5 l1d access 0x120/f w1 R4 load of=2 uid=1 = miss;"
		       "7 req took 0x100/f w1 R4 load of=2 uid=1;"
		       "8 req took 0x120/f w1 R4 load of=2 uid=1;"
		       "9 l1d fill 0x120 w1 R4 load of=2; 10 l1d taken;"
		       "10 l1d fill 0x100 w1 R4 load of=2; 10 sm w1 R4; 11 l1d taken;"
		       "11 regs write w1 R4; 12 pool mark end kept #1; 12 regs write w1 R4;"
		       "14 sm w1 free; 14 sm uid=0 completed=2;"
		       "end it accepted=1 busy=1 l1d_accesses=2",
	},
	{
		"the accesses of two loads to one register are counted together",
		.shows = "LS4",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm flight w1 n=2; 0 l1d hit; 0 sm pending w1 R4;"
		          "0 a put slot=0 " LD(1) "dst=R4 addr=0x100 mask=0x1;"
		          "0 a put slot=1 " LD(2) "dst=R4 addr=0x140 mask=0x1;"
		          "0 a put slot=2 #3 w2 uid=3 space=global flags=load dst=R4 addr=0x140 "
		          "mask=0x1; 14 sm show w1; 14 sm counts",
		.log = "2 it mark memory kept #1; 3 pool mark end kept #1; 3 it mark memory kept #2;"
		       "4 it mark memory kept #3;"
		       "5 l1d access 0x100/f w1 R4 load of=1 uid=1 = hit;"
		       "6 l1d access 0x140/f w1 R4 load of=1 uid=2 = hit; 6 pool mark end kept #2;"
		       "7 l1d access 0x140/f w2 R4 load of=1 uid=3 = hit; 7 pool mark end kept #3;"
		       "14 sm w1 free; 14 sm uid=0 completed=2;"
		       "end it accepted=3 busy=3 l1d_accesses=3",
	},
	{
		"while its bank's write port is taken the latch keeps it; without a register it "
		"needs none",
		.shows = "LS15",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm flight w1 n=2; 0 regs refuse writes;"
		          "0 sm pending w1 R4; 0 a put slot=0 " LDS(1) "dst=R4; 12 sm show w1;"
		          "12 regs allow; 13 sm show w1; 14 regs refuse writes;"
		          "14 a put slot=0 " LDS(2) "; 24 sm counts",
		.log = "1 acc banks #1; 2 it mark shared kept #1; 8 regs write w1 R4 = no;"
		       "9 regs write w1 R4 = no; 10 regs write w1 R4 = no;"
		       "11 regs write w1 R4 = no; 12 pool mark end kept #1; 12 regs write w1 R4;"
		       "12 sm w1 flight=1 R4; 13 sm w1 flight=1; 15 acc banks #2;"
		       "24 sm uid=0 completed=32; end it accepted=2 busy=2",
	},
	{
		"the reply to a bypassing load passes its place and the latch without delay",
		.shows = "LS14 LS16",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm flight w1 n=1; 0 sm pending w1 R4;"
		          "0 a put slot=0 #1 w1 uid=1 space=global flags=load,bypass dst=R4 "
		          "addr=0x100 mask=0x1; 9 mem put 0x100 w1 dst=R4 flags=load,bypass of=1;"
		          "16 sm show w1",
		.log = "2 it mark memory kept #1; 3 req took 0x100/f w1 R4 bypass,load of=1 uid=1;"
		       "12 pool mark end kept #1; 12 regs write w1 R4; 16 sm w1 free;"
		       "end it accepted=1 busy=1 bypassed=1",
	},
	{
		"the reply to a bypassing load waits while there is another in its place",
		.shows = "LS14",
		.params = FAST,
		.script = "0 regs refuse writes; 0 mem put 0x100 w1 dst=R1 flags=load,bypass;"
		          "0 mem put 0x120 w1 dst=R1 flags=load,bypass;"
		          "0 mem put 0x140 w1 dst=R1 flags=load,bypass;"
		          "0 mem put 0x160 w1 dst=R1 flags=load,bypass; 6 mem room; 6 regs allow;"
		          "12 mem room;"
		          "0 a put slot=0 " LD(9) "dst=R1 addr=0x100,0x120,0x140,0x160 mask=0xf",
		.log = "3 it mark memory kept #9; 3 regs write w1 R1 = no;"
		       "4 regs write w1 R1 = no;"
		       "5 l1d access 0x140/f w1 R1 load of=4 uid=9 = miss;"
		       "5 l1d access 0x160/f w1 R1 load of=4 uid=9 = miss;"
		       "5 regs write w1 R1 = no;"
		       "6 l1d access 0x100/f w1 R1 load of=4 uid=9 = miss;"
		       "6 l1d access 0x120/f w1 R1 load of=4 uid=9 = miss; 6 mem room = 3;"
		       "6 regs write w1 R1; 7 regs write w1 R1;"
		       "7 req took 0x140/f w1 R1 load of=4 uid=9; 8 regs write w1 R1;"
		       "8 req took 0x160/f w1 R1 load of=4 uid=9; 9 pool mark end kept #9;"
		       "9 regs write w1 R1; 9 req took 0x100/f w1 R1 load of=4 uid=9;"
		       "10 req took 0x120/f w1 R1 load of=4 uid=9; 12 mem room = 4;"
		       "end it accepted=1 busy=2 l1d_accesses=4",
	},
	{
		"shared memory, bypassing loads and the L1D take turns in a ring",
		.shows = "LS16",
		.params = "'shared_latency': 8, 'l1d_latency': 3, 'l1d_banks': 1",
		.script = "0 regs refuse writes; 0 sm flight w1 n=9;"
		          "0 a put slot=0 " LDS(1) "dst=R1; 0 a put slot=1 " LDS(2) "dst=R2;"
		          "0 a put slot=2 " LD(3) "dst=R3 addr=0x100,0x120 mask=0x3;"
		          "0 a put slot=3 #4 w1 uid=4 space=global flags=load,bypass dst=R4 "
		          "addr=0x200,0x220 mask=0x3;"
		          "12 mem put 0x200 w1 dst=R4 flags=load,bypass;"
		          "13 mem put 0x100 w1 dst=R3 flags=load;"
		          "13 mem put 0x120 w1 dst=R3 flags=load; 16 regs allow;"
		          "17 mem put 0x220 w1 dst=R4 flags=load,bypass; 26 end",
		.log = "1 acc banks #1; 2 acc banks #2; 2 it mark shared kept #1;"
		       "3 it mark shared kept #2; 5 it mark memory kept #3;"
		       "7 it mark memory kept #4;"
		       "7 l1d access 0x120/f w1 R3 load of=2 uid=3 = miss;"
		       "7 req took 0x220/f w1 R4 bypass,load of=2 uid=4;"
		       "8 l1d access 0x100/f w1 R3 load of=2 uid=3 = miss;"
		       "8 req took 0x200/f w1 R4 bypass,load of=2 uid=4;"
		       "9 req took 0x120/f w1 R3 load of=2 uid=3;"
		       "10 req took 0x100/f w1 R3 load of=2 uid=3; 11 regs write w1 R1 = no;"
		       "12 regs write w1 R1 = no; 13 regs write w1 R1 = no;"
		       "14 l1d fill 0x100 w1 R3 load; 14 regs write w1 R1 = no;"
		       "15 l1d fill 0x120 w1 R3 load; 15 regs write w1 R1 = no;"
		       "16 pool mark end kept #1; 16 regs write w1 R1; 17 l1d taken;"
		       "17 regs write w1 R4; 18 regs write w1 R3; 19 pool mark end kept #2;"
		       "19 regs write w1 R2; 20 l1d taken; 20 pool mark end kept #4;"
		       "20 regs write w1 R4; 21 pool mark end kept #3; 21 regs write w1 R3;"
		       "end it accepted=4 busy=6 l1d_accesses=2 bypassed=2",
	},
	{
		"a read for which nothing waits is dropped and leaves the latch to the next",
		.shows = "LS16",
		.params = "'shared_latency': 12, 'l1d_latency': 3, 'l1d_banks': 1",
		.script = "0 sm cta w1; 0 sm flight w1 n=1; 0 sm stores w1 n=1;"
		          "0 sm pending w1 R1; 0 l1d answers flags=alloc;"
		          "0 a put slot=0 " LDS(1) "dst=R1; 10 mem put 0x300 w1 flags=load,bypass;"
		          "12 mem put 0x100 w1; 16 mem put 0x120 w1; 19 sm show w1;"
		          "19 l1d answers flags=alloc,write; 20 mem put 0x140 w1; 24 sm show w1",
		.log = "1 acc banks #1; 2 it mark shared kept #1; 13 l1d fill 0x100 w1;"
		       "14 l1d taken; 15 pool mark end kept #1; 15 regs write w1 R1;"
		       "17 l1d fill 0x120 w1; 18 l1d taken; 19 sm w1 stores=1;"
		       "21 l1d fill 0x140 w1; 22 l1d taken; 24 sm w1 free;"
		       "end it accepted=1 busy=1",
	},
	{
		"replies to atomics free the lanes that they serve, before the register is "
		"written",
		.shows = "A1",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm atomics w1 n=3; 0 sm block atomic w1;"
		          "0 sm pending w1 R4; 0 sm flight w1 n=1;"
		          "0 a put slot=0 #1 w1 uid=1 space=global flags=load,atomic,bypass "
		          "dst=R4 addr=0x100,0x100,0x120 mask=0x7; 5 sm show w1;"
		          "6 mem put 0x120 w1 dst=R4 flags=load,atomic,bypass lanes=1 of=3;"
		          "7 mem put 0x100 w1 dst=R4 flags=load,atomic,bypass lanes=2 of=3;"
		          "8 sm show w1; 9 sm show w1; 10 sm show w1; 11 sm show w1",
		.log = "3 it mark memory kept #1;"
		       "3 req took 0x120/f w1 R4 bypass,atomic,load lanes=1 of=3 uid=1;"
		       "4 req took 0x100/f w1 R4 bypass,atomic,load lanes=2 of=3 uid=1;"
		       "5 sm w1 atomic atomics=3 R4; 8 sm w1 atomic atomics=3 R4;"
		       "9 regs write w1 R4; 9 sm w1 atomic atomics=2 R4; 10 pool mark end kept #1;"
		       "10 regs write w1 R4; 10 sm w1 R4; 11 sm w1 free;"
		       "end it accepted=1 busy=2 bypassed=2",
	},
	{
		"lanes of an atomic without an access are answered at once",
		.shows = "A1",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm atomics w1 n=3; 0 sm block atomic w1;"
		          "0 sm flight w1 n=2;"
		          "0 a put slot=0 #1 w1 uid=1 space=global flags=load,bypass addr=0x100,"
		          "0x120,0x140 mask=0x7;"
		          "8 a put slot=0 #2 w1 uid=2 space=global flags=load,atomic,bypass "
		          "addr=0x100,0,0 mask=0x7; 9 sm show w1; 10 sm show w1",
		.log = "3 req took 0x140/f w1 bypass,load of=3 uid=1;"
		       "4 req took 0x120/f w1 bypass,load of=3 uid=1;"
		       "5 req took 0x100/f w1 bypass,load of=3 uid=1;"
		       "9 sm w1 atomic flight=1 atomics=3; 10 sm w1 atomic flight=1 atomics=1;"
		       "11 req took 0x100/f w1 bypass,atomic,load lanes=1 of=3 uid=2;"
		       "end it accepted=2 busy=4 bypassed=4",
	},
	{
		"ATOMS answers all its lanes when it leaves the shared-memory pipeline",
		.shows = "A1",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm atomics w1 n=4; 0 sm block atomic w1;"
		          "0 sm pending w1 R4; 0 sm flight w1 n=1;"
		          "0 a put slot=0 #1 w1 uid=1 space=shared flags=load,atomic dst=R4 "
		          "mask=0xf; 2 sm show w1; 7 sm show w1; 8 sm show w1; 9 sm show w1",
		.log = "1 acc banks #1; 2 it mark shared kept #1;"
		       "2 sm w1 atomic flight=1 atomics=4 R4;"
		       "7 sm w1 atomic flight=1 atomics=4 R4; 8 pool mark end kept #1;"
		       "8 regs write w1 R4; 8 sm w1 R4; 9 sm w1 free; end it accepted=1 busy=1",
	},
	{
		"accesses of a copy are counted by hits and by replies out of the writeback "
		"latch",
		.shows = "X2 X5",
		.params = FAST,
		.script = "0 l1d hit; 0 sm flight w1 n=1;"
		          "0 a put slot=0 " COPIES(7) "addr=0x100,0x120 mask=0x3; 8 sm counts;"
		          "8 l1d miss; 8 a put slot=0 " COPIES(9) "addr=0x200 mask=0x3;"
		          "16 mem put 0x200 w1 flags=load,copy id=9 of=2; 20 sm counts",
		.log = "1 sync accepted #7 n=2;"
		       "5 l1d access 0x100/f w1 copy,load of=2 id=7 uid=7 = hit;"
		       "5 l1d access 0x120/f w1 copy,load of=2 id=7 uid=7 = hit;"
		       "5 sync answered w1 7; 5 sync answered w1 7; 8 sm uid=0 completed=2;"
		       "9 sync accepted #9 n=1;"
		       "13 l1d access 0x200/f w1 copy,load of=2 id=9 uid=9 = miss;"
		       "15 req took 0x200/f w1 copy,load of=2 id=9 uid=9;"
		       "17 l1d fill 0x200 w1 copy,load of=2 id=9; 18 l1d taken;"
		       "19 sync answered w1 9; 20 sm uid=0 completed=4;"
		       "end it accepted=2 busy=2 l1d_accesses=3",
	},
	{
		"without a module for copies they are loads",
		.netlist = without_copy,
		.params = FAST,
		.script = "0 l1d hit; 0 a put slot=0 " COPIES(7) "addr=0x100 mask=0x3; 8 l1d miss;"
		          "8 a put slot=0 " COPIES(9) "addr=0x200 mask=0x3;"
		          "16 mem put 0x200 w1 flags=load,copy of=2; 20 sm counts",
		.log = "5 l1d access 0x100/f w1 copy,load of=2 uid=7 = hit;"
		       "13 l1d access 0x200/f w1 copy,load of=2 uid=9 = miss;"
		       "15 req took 0x200/f w1 copy,load of=2 uid=9;"
		       "17 l1d fill 0x200 w1 copy,load of=2; 18 l1d taken;"
		       "20 sm uid=0 completed=4; end it accepted=2 busy=2 l1d_accesses=2",
	},
	{
		"what copies bring takes cycles of a port of shared memory, what they find in one cycle of the "
		"L1D one",
		.shows = "LS21",
		.netlist = copy_port,
		.params = FAST,
		.script = "0 l1d hit; 0 sm flight w1 n=2; 0 a put slot=0 " COPIES(7) "addr=0x100,0x120 mask=0x3;"
		          "2 mem put 0x200 w1 flags=load,copy id=9 of=2; 3 a put slot=0 " LDS(8) "dst=R4 mask=0xf",
		.log = "1 sync accepted #7 n=2; 3 l1d fill 0x200 w1 copy,load of=2 id=9; 4 acc banks #8;"
		       "4 l1d taken; 5 sync answered w1 9;"
		       "6 l1d access 0x100/f w1 copy,load of=2 id=7 uid=7 = hit;"
		       "6 l1d access 0x120/f w1 copy,load of=2 id=7 uid=7 = hit; 6 sync answered w1 7;"
		       "6 sync answered w1 7; 7 it mark shared kept #8; end port load_store=1 bulk=2 refused=3;"
		       "end it accepted=2 busy=4 l1d_accesses=2;"
		       "held it: 1 instructions in the shared-memory pipeline",
	},
	{
		"fills and accesses of the L1D take cycles of a port as well; a copy that hits takes one of both, "
		"if they are one",
		.shows = "LS21",
		.netlist = one_port,
		.params = FAST,
		.script = "0 l1d hit; 0 sm flight w1 n=2; 0 a put slot=0 " COPIES(7) "addr=0x100,0x120 mask=0x3;"
		          "4 mem put 0x200 w1 flags=load,copy id=9 of=2; 3 a put slot=0 " LDS(8) "dst=R4 mask=0xf",
		.log = "1 sync accepted #7 n=2; 4 acc banks #8; 5 l1d fill 0x200 w1 copy,load of=2 id=9;"
		       "6 l1d taken; 6 l1d access 0x100/f w1 copy,load of=2 id=7 uid=7 = hit;"
		       "6 l1d access 0x120/f w1 copy,load of=2 id=7 uid=7 = hit; 6 sync answered w1 7;"
		       "6 sync answered w1 7; 7 sync answered w1 9; 8 it mark shared kept #8;"
		       "end port load_store=3 bulk=1 refused=4; end it accepted=2 busy=5 l1d_accesses=2;"
		       "held it: 1 instructions in the shared-memory pipeline",
	},
};

SUITE(load_store_answers, .netlist = netlist, RULES(rules));
