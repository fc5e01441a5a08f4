/* load_store.c - rules of the load/store unit: acceptance, dispatch latch, the way to the L1D
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "load_store.h"

static const char netlist[] = INSTANCES "'links': [" LINKS L1D COPY "]";
static const char with_map[] = INSTANCES_AND("'map': {'module': 'give_map'}, ")
	"'links': [" LINKS L1D ", {'from': 'it.touch', 'to': 'map.touch'}]";
static const char without_l1d[] = INSTANCES "'links': [" LINKS COPY "]";

static const struct rule rules[] = {
	/* acceptance */
	{
		"the oldest instruction of all slots is accepted, when the latch is free",
		.shows = "LS3",
		.params = FAST,
		.script = "0 a put slot=0 " STS(9) "; 0 a put slot=1 " STS(3) ";"
		          "0 a put slot=3 " STS(5) "; 1 a room; 2 a room; 3 a room; 4 a room;"
		          "5 a room; 5 sm counts",
		.log = "1 a room = 1 2; 1 acc banks #3; 2 a room = 1 2 3; 2 acc banks #5;"
		       "3 a room = 0 1 2 3; 3 acc banks #9; 4 a room = 0 1 2 3;"
		       "5 a room = 0 1 2 3; 5 sm uid=0 completed=96; end it accepted=3 busy=3",
	},
	{
		"inactive instructions, fences, and those without a space make no access",
		.shows = "LS3",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm flight w1 n=5; 0 a put slot=0 " LDS(1) "mask=0;"
		          "2 a put slot=1 " LD(2) "mask=0 addr=0x100;"
		          "4 a put slot=2 #3 w1 uid=3 flags=fence;"
		          "6 a put slot=3 #4 w1 uid=4 flags=load;"
		          "8 a put slot=3 #5 w1 uid=5 space=const flags=load addr=0x100;"
		          "20 sm counts; 20 sm show w1",
		.log = "20 sm uid=0 completed=96; 20 sm w1 free; end it accepted=5 busy=5",
	},
	/* the dispatch latch */
	{
		"a load from shared memory takes its cycles, then the pipeline",
		.shows = "LS5 LS9",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm pending w1 R4 R5; 0 sm flight w1 n=2;"
		          "0 acc banks n=3; 0 a put " LDS(1) "dst=R4 mask=0xff addr=0; 4 a room;"
		          "5 a room; 8 acc banks n=1; 8 a put " LDS(2) "dst=R5; 20 sm show w1;"
		          "20 sm counts; 24 end",
		.log = "1 acc banks #1; 4 a room = 0 1 2 3; 4 it mark shared kept #1;"
		       "5 a room = 0 1 2 3; 9 acc banks #2; 10 it mark shared kept #2;"
		       "10 pool mark end kept #1; 10 regs write w1 R4; 16 pool mark end kept #2;"
		       "16 regs write w1 R5; 20 sm w1 free; 20 sm uid=0 completed=40;"
		       "end it accepted=2 busy=4",
	},
	{
		"one enters the pipeline in a cycle; stores do not, and are complete at once",
		.shows = "LS9",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm flight w1 n=3; 0 a put slot=0 " LDS(1) "dst=R1;"
		          "0 a put slot=1 " STS(2) "; 0 a put slot=2 " LDS(3) "; 5 sm show w1;"
		          "5 sm counts; 6 sm show w1; 16 sm show w1; 16 sm counts",
		.log = "1 acc banks #1; 2 acc banks #2; 2 it mark shared kept #1; 3 acc banks #3;"
		       "5 sm w1 flight=2; 5 sm uid=0 completed=32; 6 sm w1 flight=2;"
		       "8 pool mark end kept #1; 8 regs write w1 R1; 16 sm w1 free;"
		       "16 sm uid=0 completed=64; end it accepted=3 busy=3",
	},
	{
		"while the stages are full it tries again",
		.shows = "LS9",
		.params = "'shared_latency': 1",
		.script = "0 sm cta w1; 0 regs refuse writes; 0 sm pending w1 R1 R2 R3;"
		          "0 sm flight w1 n=3; 0 a put slot=0 " LDS(1) "dst=R1;"
		          "0 a put slot=1 " LDS(2) "dst=R2; 0 a put slot=2 " LDS(3) "dst=R3;"
		          "8 sm show w1; 8 a room; 8 regs allow; 14 sm show w1",
		.log = "1 acc banks #1; 2 acc banks #2; 2 it mark shared kept #1; 3 acc banks #3;"
		       "3 it mark shared kept #2; 4 regs write w1 R1 = no;"
		       "5 regs write w1 R1 = no; 6 regs write w1 R1 = no; 7 regs write w1 R1 = no;"
		       "8 a room = 0 1 2 3; 8 it mark shared kept #3; 8 pool mark end kept #1;"
		       "8 regs write w1 R1; 8 sm w1 flight=2 R1 R2 R3; 9 pool mark end kept #2;"
		       "9 regs write w1 R2; 10 pool mark end kept #3; 10 regs write w1 R3;"
		       "14 sm w1 free; end it accepted=3 busy=7",
	},
	{
		"an address map is notified of accesses, also those that find their bank taken",
		.shows = "AR5",
		.netlist = with_map,
		.params = FAST,
		.script = "0 a put " LD(1) "dst=R4 addr=0x100,0x140,0x180;"
		          "4 a put #2 w1 uid=2 space=global flags=load,bypass addr=0x200; 12 end",
		.log = "2 map touch 0x180 user=0; 2 map touch 0x140 user=0;"
		       "3 map touch 0x140 user=0; 3 map touch 0x100 user=0;"
		       "4 it mark memory kept #1; 4 map touch 0x100 user=0;"
		       "5 l1d access 0x180/f w1 R4 load of=32 uid=1 = miss;"
		       "6 l1d access 0x140/f w1 R4 load of=32 uid=1 = miss;"
		       "6 map touch 0x200 user=0;"
		       "7 l1d access 0x100/f w1 R4 load of=32 uid=1 = miss;"
		       "7 req took 0x180/f w1 R4 load of=32 uid=1;"
		       "7 req took 0x200/f w1 bypass,load of=32 uid=2;"
		       "8 req took 0x140/f w1 R4 load of=32 uid=1;"
		       "9 req took 0x100/f w1 R4 load of=32 uid=1;"
		       "end it accepted=2 busy=4 bank_conflicts=2 l1d_accesses=3 bypassed=1",
	},
	{
		"accesses go to their banks' queues, the highest address first",
		.shows = "LS6 LS5",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm pending w1 R4; 0 sm flight w1 n=1; 0 l1d hit;"
		          "0 a put " LD(1) "dst=R4 addr=0x100,0x120,0x140,0x1c0 mask=0xf;"
		          "14 sm show w1; 14 sm counts",
		.log = "4 it mark memory kept #1;"
		       "5 l1d access 0x1c0/f w1 R4 load of=4 uid=1 = hit;"
		       "6 l1d access 0x140/f w1 R4 load of=4 uid=1 = hit;"
		       "6 l1d access 0x120/f w1 R4 load of=4 uid=1 = hit;"
		       "7 l1d access 0x100/f w1 R4 load of=4 uid=1 = hit; 7 pool mark end kept #1;"
		       "14 sm w1 free; 14 sm uid=0 completed=4;"
		       "end it accepted=1 busy=3 bank_conflicts=1 l1d_accesses=4",
	},
	{
		"it stops at the first access whose queue is taken",
		.shows = "LS5",
		.params = "'l1d_latency': 3, 'l1d_banks': 4",
		.script = "0 sm cta w1; 0 sm flight w1 n=1; 0 sm pending w1 R4; 0 l1d hit;"
		          "0 a put " LD(1) "dst=R4 addr=0x100,0x120,0x180,0x1a0,0x1c0 mask=0x1f;"
		          "14 sm show w1; 14 sm counts",
		.log = "3 it mark memory kept #1;"
		       "5 l1d access 0x180/f w1 R4 load of=5 uid=1 = hit;"
		       "5 l1d access 0x1a0/f w1 R4 load of=5 uid=1 = hit;"
		       "5 l1d access 0x1c0/f w1 R4 load of=5 uid=1 = hit;"
		       "6 l1d access 0x100/f w1 R4 load of=5 uid=1 = hit;"
		       "6 l1d access 0x120/f w1 R4 load of=5 uid=1 = hit; 6 pool mark end kept #1;"
		       "14 sm w1 free; 14 sm uid=0 completed=5;"
		       "end it accepted=1 busy=2 bank_conflicts=1 l1d_accesses=5",
	},
	{
		"with xor the bits above are mixed in; intervals of any power of two",
		.shows = "LS10",
		.params = "'l1d_latency': 3, 'l1d_banks': 4, 'l1d_bank_index': 'xor', "
		          "'l1d_interleave': 64",
		.script = "0 sm pending w1 R4; 0 l1d hit;"
		          "0 a put " LD(1) "dst=R4 addr=0x0040,0x0100,0x0180,0x0300 mask=0xf;"
		          "12 end",
		.log = "4 it mark memory kept #1;"
		       "5 l1d access 0x300/f w1 R4 load of=4 uid=1 = hit;"
		       "6 l1d access 0x100/f w1 R4 load of=4 uid=1 = hit;"
		       "6 l1d access 0x180/f w1 R4 load of=4 uid=1 = hit;"
		       "7 l1d access 0x40/f w1 R4 load of=4 uid=1 = hit; 7 pool mark end kept #1;"
		       "end it accepted=1 busy=3 bank_conflicts=2 l1d_accesses=4",
	},
	{
		"bypassing accesses are sent one a cycle, while there is room",
		.shows = "LS7",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm pending w1 R4; 0 sm flight w1 n=1; 0 req stop;"
		          "0 a put #1 w1 uid=1 space=global flags=load,bypass dst=R4 addr=0x100,"
		          "0x120,0x140 mask=0x7; 6 req take n=1; 8 req go; 9 sm show w1;"
		          "10 mem put 0x140 w1 dst=R4 flags=load,bypass of=3;"
		          "11 mem put 0x120 w1 dst=R4 flags=load,bypass of=3;"
		          "12 mem put 0x100 w1 dst=R4 flags=load,bypass of=3; 18 sm show w1;"
		          "18 sm counts",
		.log = "6 it mark memory kept #1; 6 req took 0x140/f w1 R4 bypass,load of=3 uid=1;"
		       "8 req took 0x120/f w1 R4 bypass,load of=3 uid=1;"
		       "8 req took 0x100/f w1 R4 bypass,load of=3 uid=1; 9 sm w1 R4;"
		       "13 regs write w1 R4; 14 regs write w1 R4; 15 pool mark end kept #1;"
		       "15 regs write w1 R4; 18 sm w1 free; 18 sm uid=0 completed=3;"
		       "end it accepted=1 busy=5 bypassed=3",
	},
	{
		"with 'bypass_global' all global accesses bypass the L1D, local ones do not",
		.shows = "LS7",
		.params = FAST ", 'bypass_global': true",
		.script = "0 a put slot=0 " LD(1) "addr=0x100 mask=0x1;"
		          "4 a put slot=0 #2 w1 uid=2 space=local flags=load addr=0x200 mask=0x1;"
		          "8 a put slot=0 " ST(3) "addr=0x300 mask=0x1",
		.log = "3 req took 0x100/f w1 bypass,load of=1 uid=1;"
		       "9 l1d access 0x200/f w1 local,load of=1 uid=2 = miss;"
		       "11 req took 0x200/f w1 local,load of=1 uid=2;"
		       "11 req took 0x300/f w1 write,bypass of=1 uid=3;"
		       "end it accepted=3 busy=3 l1d_accesses=1 bypassed=2",
	},
	{
		"without an L1D all accesses bypass it",
		.shows = "LS7",
		.netlist = without_l1d,
		.script = "0 a put slot=0 " LD(1) "addr=0x100 mask=0x1;"
		          "4 a put slot=0 #2 w1 uid=2 space=local flags=load addr=0x200 mask=0x1;"
		          "8 a put slot=0 #3 w1 uid=3 space=local flags=store addr=0x300 mask=0x1",
		.log = "3 req took 0x100/f w1 bypass,load of=1 uid=1;"
		       "7 req took 0x200/f w1 local,bypass,load of=1 uid=2;"
		       "11 req took 0x300/f w1 write,local,bypass of=1 uid=3;"
		       "end it accepted=3 busy=3 bypassed=3",
	},
	{
		"a reply for which no request waits fails the run",
		.netlist = without_l1d,
		.script = "0 mem put 0x100 w1 flags=load",
		.log = "error it: cycle 2: a response arrived for an L1D, but none is linked",
	},
	{
		"a store counts each access as unacknowledged, and is complete in the latch",
		.shows = "LS8 LS9",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm flight w1 n=2; 0 l1d stores sent;"
		          "0 a put slot=0 " ST(1) "addr=0x100,0x120,0x140 mask=0x7; 3 sm show w1;"
		          "4 sm show w1; 4 sm counts;"
		          "5 a put slot=0 #2 w1 uid=2 space=global flags=store,bypass addr=0x200 "
		          "mask=0x1; 10 sm show w1; 12 mem put 0x100 w1 flags=write;"
		          "13 mem put 0x200 w1 flags=write,bypass;"
		          "14 mem put 0x0 w1 flags=write,silent; 18 sm show w1",
		.log = "3 sm w1 flight=2 stores=2; 4 sm w1 flight=1 stores=3;"
		       "4 sm uid=0 completed=3; 5 l1d access 0x140/f w1 write of=3 uid=1 = miss;"
		       "5 l1d access 0x120/f w1 write of=3 uid=1 = miss;"
		       "6 l1d access 0x100/f w1 write of=3 uid=1 = miss;"
		       "7 req took 0x140/f w1 write of=3 uid=1;"
		       "8 req took 0x120/f w1 write of=3 uid=1;"
		       "8 req took 0x200/f w1 write,bypass of=1 uid=2;"
		       "9 req took 0x100/f w1 write of=3 uid=1; 10 sm w1 stores=4;"
		       "18 sm w1 stores=2; end it accepted=2 busy=3 l1d_accesses=3 bypassed=1",
	},
	{
		"a store that the trace gives a destination releases it, with its long mark",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm pending w1 R4 long; 0 sm pending w1 R5 long;"
		          "0 sm flight w1 n=3; 0 l1d hit; 0 a put slot=0 " STS(1) "dst=R4;"
		          "0 a put slot=1 " ST(2) "dst=R5 addr=0x100 mask=0x1; 4 sm show w1;"
		          "4 sm counts; 5 sm pending w1 R5;"
		          "5 a put slot=0 " LD(3) "dst=R5 addr=0x100 mask=0x1; 12 sm show w1",
		.log = "1 acc banks #1; 4 sm w1 flight=1 stores=1; 4 sm uid=0 completed=33;"
		       "6 l1d access 0x100/f w1 R5 write of=1 uid=2 = hit;"
		       "7 it mark memory kept #3;"
		       "10 l1d access 0x100/f w1 R5 load of=1 uid=3 = hit;"
		       "10 pool mark end kept #3; 12 sm w1 free;"
		       "end it accepted=3 busy=3 l1d_accesses=2",
	},
	{
		"a load without accesses releases its register, with its long mark",
		.shows = "LS9",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm pending w1 R4 long; 0 sm flight w1 n=2;"
		          "0 a put slot=0 " LD(1) "dst=R4 addr=0,0 mask=0x3; 4 sm show w1;"
		          "4 sm counts; 5 a put slot=0 " LD(2) "addr=0x100 mask=0x3; 9 sm show w1;"
		          "9 sm counts",
		.log = "4 sm w1 flight=1; 4 sm uid=0 completed=2; 9 sm w1 free;"
		       "9 sm uid=0 completed=4; 10 l1d access 0x100/f w1 load of=2 uid=2 = miss;"
		       "12 req took 0x100/f w1 load of=2 uid=2;"
		       "end it accepted=2 busy=2 l1d_accesses=1",
	},
	/* the queues in front of the L1D */
	{
		"an access reaches the cache 'l1d_latency' after the latch, one per bank and cycle",
		.shows = "LS11",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm flight w1 n=1; 0 l1d hit; 0 sm pending w1 R4;"
		          "0 a put slot=0 " LD(1) "dst=R4 addr=0x100,0x140,0x180,0x1c0,0x200 "
		          "mask=0x1f; 10 sm show w1; 12 sm show w1",
		.log = "5 l1d access 0x200/f w1 R4 load of=5 uid=1 = hit;"
		       "6 it mark memory kept #1;"
		       "6 l1d access 0x1c0/f w1 R4 load of=5 uid=1 = hit;"
		       "7 l1d access 0x180/f w1 R4 load of=5 uid=1 = hit;"
		       "8 l1d access 0x140/f w1 R4 load of=5 uid=1 = hit;"
		       "9 l1d access 0x100/f w1 R4 load of=5 uid=1 = hit; 9 pool mark end kept #1;"
		       "10 sm w1 free; 12 sm w1 free;"
		       "end it accepted=1 busy=5 bank_conflicts=4 l1d_accesses=5",
	},
	{
		"a refused access is repeated, and later ones close up",
		.shows = "LS11",
		.params = FAST,
		.script = "0 sm cta w1; 0 sm flight w1 n=1; 0 l1d fail; 0 sm pending w1 R4;"
		          "0 a put slot=0 " LD(1) "dst=R4 addr=0x100,0x140,0x180,0x1c0,0x200 "
		          "mask=0x1f; 9 l1d hit; 16 sm show w1",
		.log = "5 l1d access 0x200/f w1 R4 load of=5 uid=1 = fail;"
		       "6 l1d access 0x200/f w1 R4 load of=5 uid=1 = fail;"
		       "7 l1d access 0x200/f w1 R4 load of=5 uid=1 = fail;"
		       "8 l1d access 0x200/f w1 R4 load of=5 uid=1 = fail;"
		       "9 l1d access 0x200/f w1 R4 load of=5 uid=1 = hit;"
		       "10 it mark memory kept #1;"
		       "10 l1d access 0x1c0/f w1 R4 load of=5 uid=1 = hit;"
		       "11 l1d access 0x180/f w1 R4 load of=5 uid=1 = hit;"
		       "12 l1d access 0x140/f w1 R4 load of=5 uid=1 = hit;"
		       "13 l1d access 0x100/f w1 R4 load of=5 uid=1 = hit;"
		       "13 pool mark end kept #1; 16 sm w1 free;"
		       "end it accepted=1 busy=9 bank_conflicts=8 l1d_accesses=9",
	},
	{
		"a refused access of one bank does not delay another",
		.shows = "LS11",
		.params = FAST,
		.script = "0 l1d fail; 0 a put slot=0 " LD(1) "addr=0x100,0x120 mask=0x3;"
		          "6 l1d miss; 12 end",
		.log = "5 l1d access 0x100/f w1 load of=2 uid=1 = fail;"
		       "5 l1d access 0x120/f w1 load of=2 uid=1 = fail;"
		       "6 l1d access 0x100/f w1 load of=2 uid=1 = miss;"
		       "6 l1d access 0x120/f w1 load of=2 uid=1 = miss;"
		       "8 req took 0x100/f w1 load of=2 uid=1;"
		       "9 req took 0x120/f w1 load of=2 uid=1;"
		       "end it accepted=1 busy=1 l1d_accesses=4",
	},
	{
		"the last hit of a load releases its register, not the long mark; no write port",
		.shows = "LS12 LS17",
		.params = FAST,
		.script = "0 sm cta w1; 0 regs refuse writes; 0 l1d hit; 0 sm pending w1 R4 long;"
		          "0 sm flight w1 n=1;"
		          "0 a put slot=0 " LD(1) "dst=R4 addr=0x100,0x140 mask=0x3; 4 sm show w1;"
		          "5 sm show w1; 5 sm counts; 6 sm show w1; 8 sm show w1; 8 sm counts",
		.log = "3 it mark memory kept #1; 4 sm w1 R4(long);"
		       "5 l1d access 0x140/f w1 R4 load of=2 uid=1 = hit; 5 sm w1 R4(long);"
		       "5 sm uid=0 completed=0; 6 l1d access 0x100/f w1 R4 load of=2 uid=1 = hit;"
		       "6 pool mark end kept #1; 6 sm w1 R4(long); 8 sm w1 (R4 long);"
		       "8 sm uid=0 completed=2;"
		       "end it accepted=1 busy=2 bank_conflicts=1 l1d_accesses=2",
	},
	{
		"a store that the cache keeps is acknowledged in the cycle of its access",
		.shows = "CA16",
		.params = FAST,
		.script = "0 sm cta w1; 0 l1d hit; 0 sm flight w1 n=1;"
		          "0 a put slot=0 " ST(1) "addr=0x100 mask=0x1; 4 sm show w1; 7 sm show w1",
		.log = "4 sm w1 stores=1; 5 l1d access 0x100/f w1 write of=1 uid=1 = hit;"
		       "7 sm w1 free; end it accepted=1 busy=1 l1d_accesses=1",
	},
	{
		"a store that is sent, or waits for its fetch, is not acknowledged",
		.shows = "CA16",
		.params = FAST,
		.script = "0 sm cta w1; 0 l1d stores alloc; 0 sm flight w1 n=2;"
		          "0 a put slot=0 " ST(1) "addr=0x100 mask=0x1; 7 sm show w1;"
		          "7 l1d answers flags=alloc,write; 8 mem put 0x100 w1;"
		          "12 sm show w1",
		.log = "5 l1d access 0x100/f w1 write of=1 uid=1 = miss;"
		       "7 req took 0x100/f w1 of=1 uid=1; 7 sm w1 flight=1 stores=1;"
		       "9 l1d fill 0x100 w1; 10 l1d taken; 12 sm w1 flight=1;"
		       "end it accepted=1 busy=1 l1d_accesses=1",
	},
	{
		"requests carry kernel and pc of the instruction",
		.shows = "Q3",
		.params = FAST,
		.script = "0 a put slot=0 " LD(1) "kernel=2 pc=0x70 addr=0x100 mask=0x1;"
		          "4 a put slot=0 #2 w5 uid=2 kernel=2 pc=0x80 space=global flags=store,bypass addr=0x200 "
		          "mask=0x1",
		.log = "5 l1d access 0x100/f w1 load of=1 uid=1 kernel=2 pc=0x70 = miss;"
		       "7 req took 0x100/f w1 load of=1 uid=1 kernel=2 pc=0x70;"
		       "7 req took 0x200/f w5 write,bypass of=1 uid=2 kernel=2 pc=0x80;"
		       "end it accepted=2 busy=2 l1d_accesses=1 bypassed=1",
	},
	{
		"requests carry the properties of the instruction: local, atomic, lanes, bytes",
		.shows = "Q1",
		.params = FAST,
		.script = "0 l1d hit;"
		          "0 a put slot=0 #1 w5 uid=1 space=local flags=store addr=0x100,0x100 "
		          "mask=0x3;"
		          "4 a put slot=0 #2 w6 uid=2 space=local flags=load dst=R3 addr=0x200 "
		          "mask=0x1;"
		          "8 a put slot=0 #3 w7 uid=3 space=global flags=load,atomic addr=0x300,"
		          "0x300,0x340 mask=0x7;"
		          "12 a put slot=0 #4 w7 uid=4 space=global flags=load,atomic,bypass "
		          "addr=0x300,0x300,0x340 mask=0x7; 22 end",
		.log = "5 l1d access 0x100/f w5 write,local of=2 uid=1 = hit;"
		       "6 it mark memory kept #2;"
		       "9 l1d access 0x200/f w6 R3 local,load of=1 uid=2 = hit;"
		       "9 pool mark end kept #2;"
		       "13 l1d access 0x340/f w7 atomic,load lanes=1 of=3 uid=3 = hit;"
		       "14 l1d access 0x300/f w7 atomic,load lanes=2 of=3 uid=3 = hit;"
		       "15 req took 0x340/f w7 bypass,atomic,load lanes=1 of=3 uid=4;"
		       "16 req took 0x300/f w7 bypass,atomic,load lanes=2 of=3 uid=4;"
		       "end it accepted=4 busy=6 bank_conflicts=1 l1d_accesses=4 bypassed=2",
	},
	/* several cycles at an edge */
	{
		"with 'cycles_per_edge' n steps 1 to 5 are done n times, and latencies count "
		"these",
		.shows = "LS2",
		.params = "'cycles_per_edge': 2, 'l1d_latency': 6, 'shared_latency': 7, "
		          "'l1d_banks': 1",
		.script = "0 sm cta w1; 0 sm flight w1 n=2; 0 l1d hit; 0 sm pending w1 R1 R2;"
		          "0 a put slot=0 " LD(1) "dst=R1 addr=0x100,0x120,0x140 mask=0x7;"
		          "0 a put slot=1 " LDS(2) "dst=R2; 12 sm show w1",
		.log = "3 acc banks #2; 3 it mark memory kept #1; 4 it mark shared kept #2;"
		       "5 l1d access 0x140/f w1 R1 load of=3 uid=1 = hit;"
		       "5 l1d access 0x120/f w1 R1 load of=3 uid=1 = hit;"
		       "6 l1d access 0x100/f w1 R1 load of=3 uid=1 = hit; 6 pool mark end kept #1;"
		       "8 pool mark end kept #2; 8 regs write w1 R2; 12 sm w1 free;"
		       "end it accepted=2 busy=3 l1d_accesses=3",
	},
	{
		"one instruction is accepted at an edge",
		.shows = "LS2",
		.params = "'cycles_per_edge': 4, 'shared_latency': 2",
		.script = "0 a put slot=0 " LDS(1) "; 0 a put slot=1 " LDS(2) ";"
		          "0 a put slot=2 " STS(3) "; 1 a room; 2 a room; 3 a room; 4 a room",
		.log = "1 a room = 0 3; 1 acc banks #1; 2 a room = 0 1 3; 2 acc banks #2;"
		       "3 a room = 0 1 2 3; 3 acc banks #3; 4 a room = 0 1 2 3;"
		       "end it accepted=3 busy=3",
	},
	/* the end; refusals */
	{
		"pending accesses of the unit are reported at the end",
		.params = "'l1d_latency': 20, 'shared_latency': 20, 'l1d_banks': 1",
		.script = "0 req stop; 0 a put slot=0 " LDS(1) ";"
		          "0 a put slot=1 " LD(2) "addr=0x100,0x120 mask=0x3;"
		          "0 a put slot=2 #3 w1 uid=3 space=global flags=load,bypass addr=0x200,"
		          "0x220,0x240,0x260 mask=0xf; 9 end",
		.log = "1 acc banks #1; end it accepted=3 busy=9 bypassed=2;"
		       "held it: an instruction of warp 1 in the dispatch latch, 2 accesses left;"
		       "held it: 1 instructions in the shared-memory pipeline;"
		       "held it: 2 accesses on their way to the L1D; end 1 records; end 2 records",
	},
	{
		"also those in the L1D",
		.params = FAST,
		.script = "0 req stop;"
		          "0 a put slot=0 " LD(1) "addr=0x100,0x120,0x140,0x160 mask=0xf; 20 end",
		.log = "5 l1d access 0x140/f w1 load of=4 uid=1 = miss;"
		       "5 l1d access 0x160/f w1 load of=4 uid=1 = miss;"
		       "6 l1d access 0x100/f w1 load of=4 uid=1 = miss;"
		       "6 l1d access 0x120/f w1 load of=4 uid=1 = miss;"
		       "end it accepted=1 busy=2 l1d_accesses=4; held it: 2 requests in the L1D;"
		       "end 2 records",
	},
	{
		"banks are a power of two",
		.params = "'l1d_banks': 3",
		.script = "0 end",
		.log = "refused instance 'it': 'l1d_banks' is 3; expected a power of two",
	},
	{
		"the interleaving of banks is a power of two",
		.params = "'l1d_interleave': 48",
		.script = "0 end",
		.log = "refused instance 'it': 'l1d_interleave' is 48; expected a power of two",
	},
	{
		"cause of a full unit: bank conflicts, accesses of shared memory, or of the L1D",
		.params = FAST,
		.script = "0 acc banks n=3; 0 a put slot=0 " LDS(1) ";"
		          "0 a put slot=1 " LD(2) "addr=0x100,0x140,0x180 mask=0x7;"
		          "0 a put slot=2 " LD(3) "; 2 a cause slot=1; 3 a cause slot=1;"
		          "4 a cause slot=1; 5 a cause slot=2; 6 a cause slot=2; 7 a cause slot=2;"
		          "8 a cause slot=2; 16 end",
		.log = "1 acc banks #1; 2 a cause = it shared_conflict; 3 a cause = it latch;"
		       "4 a cause = it accesses; 5 a cause = it latch; 6 a cause = it latch;"
		       "7 a cause = it latch; 8 a cause = it latch;"
		       "8 l1d access 0x180/f w1 load of=3 uid=2 = miss;"
		       "9 l1d access 0x140/f w1 load of=3 uid=2 = miss;"
		       "10 l1d access 0x100/f w1 load of=3 uid=2 = miss;"
		       "10 req took 0x180/f w1 load of=3 uid=2;"
		       "11 req took 0x140/f w1 load of=3 uid=2;"
		       "12 req took 0x100/f w1 load of=3 uid=2;"
		       "end it accepted=3 busy=7 bank_conflicts=2 l1d_accesses=3",
	},
	{
		"cause of a full unit: the queue of the bank of its next access",
		.params = "'l1d_latency': 1, 'l1d_banks': 2",
		.script = "0 l1d fail 0x140;"
		          "0 a put slot=0 " LD(1) "addr=0x100,0x120,0x140 mask=0x7;"
		          "1 a put slot=1 " LD(2) "; 4 a cause slot=1; 6 l1d go; 6 a cause slot=1;"
		          "12 end",
		.log = "3 l1d access 0x140/f w1 load of=3 uid=1 = fail;"
		       "3 l1d access 0x120/f w1 load of=3 uid=1 = miss; 4 a cause = it l1d_bank;"
		       "4 l1d access 0x140/f w1 load of=3 uid=1 = fail;"
		       "5 l1d access 0x140/f w1 load of=3 uid=1 = fail;"
		       "5 req took 0x120/f w1 load of=3 uid=1; 6 a cause = it latch;"
		       "6 l1d access 0x140/f w1 load of=3 uid=1 = miss;"
		       "7 l1d access 0x100/f w1 load of=3 uid=1 = miss;"
		       "8 req took 0x140/f w1 load of=3 uid=1;"
		       "9 req took 0x100/f w1 load of=3 uid=1;"
		       "end it accepted=2 busy=6 bank_conflicts=3 l1d_accesses=6",
	},
	{
		"cause of a full unit: full stages, accesses that bypass the L1D",
		.params = "'shared_latency': 1",
		.script = "0 regs refuse writes; 0 req stop; 0 a put slot=0 " LDS(1) "dst=R1;"
		          "0 a put slot=1 " LDS(2) "dst=R1; 0 a put slot=2 " LDS(3) "dst=R1;"
		          "0 a put slot=3 #4 w1 uid=4 space=global flags=load,bypass addr=0x200,"
		          "0x220,0x240,0x260 mask=0xf; 5 a cause slot=3; 6 regs allow;"
		          "6 a put slot=0 " LDS(5) "; 9 a cause slot=0; 12 a cause slot=0;"
		          "12 req go; 20 end",
		.log = "1 acc banks #1; 2 acc banks #2; 2 it mark shared kept #1; 3 acc banks #3;"
		       "3 pool mark end kept #1; 3 it mark shared kept #2; 4 regs write w1 R1 = no;"
		       "5 a cause = it shared_pipeline; 5 regs write w1 R1 = no;"
		       "6 pool mark end kept #2; 6 it mark shared kept #3; 6 regs write w1 R1;"
		       "7 regs write w1 R1; 8 pool mark end kept #3; 8 regs write w1 R1;"
		       "9 a cause = it behind request slot=0; 12 a cause = it latch;"
		       "12 req took 0x260/f w1 bypass,load of=4 uid=4;"
		       "12 req took 0x240/f w1 bypass,load of=4 uid=4; 13 acc banks #5;"
		       "13 req took 0x220/f w1 bypass,load of=4 uid=4;"
		       "14 req took 0x200/f w1 bypass,load of=4 uid=4;"
		       "end it accepted=5 busy=13 bypassed=4",
	},
};

SUITE(load_store, .netlist = netlist, RULES(rules));
