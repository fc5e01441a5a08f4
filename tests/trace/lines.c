/* lines.c - instruction lines and thread blocks, good and bad ones
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: lines [folder with the opcode tables]
 *
 * Each case is a kernel's file, replayed and logged as text: one line for each instruction, message
 * and end.  The text must be the expected one, byte for byte.
 */
#include "replay.h"

#define K1 "kernel k id=7 ctas=1 threads=32 warps=1 shmem=16 nregs=8 sm=80\nwarp 0\n"
#define TB "#BEGIN_TB\n\nthread block = 0,0,0\n\n"
#define W1(n) TB "warp = 0\ninsts = " #n "\n"
#define SAME_EXIT "0010 ffffffff 0 EXIT 0 0 0\n"
#define SAME_LAST "0010 ffffffff EXIT EXIT exit last exits=ffffffff d0\n"
#define END "\n#END_TB\n"

static const struct {
	const char *what, *version, *head, *block, *body, *expected, *shows; /* shows: rules of docs/sm.md */
} cases[] = {
	{ "version 1.2: ids, list and stride", "1.2", "", "32,1,1",
	  W1(4) "0 0 0 0 0000 ffffffff 1 R1 MOV 0 0 \n"
	  "0 0 0 0 0010 00000003 1 R2 LDG.E.64.SYS 1 R255 8 0 0x7f00 0x6f00 \n"
	  "0 0 0 0 0020 00000006 0 STG.E 2 R2 R3 4 1 0x100 -8 \n"
	  "0 0 0 0 0030 ffffffff 0 EXIT 0 0 \n" END,
	  K1 "0000 ffffffff MOV ALU d2\n"
	  "0010 00000003 LDG.E.64.SYS LOAD load d3 s256 global/8 0:7f00 1:6f00\n"
	  "0020 00000006 STG.E STORE store d0 s3 s4 global/4 1:100 2:f8\n"
	  "0030 ffffffff EXIT EXIT exit last exits=ffffffff d0\nend\n", .shows = "T2" },
	{ "version 3: deltas, no immediate, sources once", "3", "", "32,1,1",
	  W1(5) "0000 00000707 1 R14 LDG.E.U8.SYS 1 R10 4 2 0x100 4 0 16 -4 1 \n"
	  "0010 00000001 1 R9 LDS.U 1 R14 4 2 0xa00 \n"
	  "0020 00000000 1 R9 LDL.LU 1 R14 4 1 0x0 0 \n"
	  "0030 ffffffff 1 R9 HFMA2.MMA 4 R5 R255 R5 R6 0\n"
	  "0040 ffffffff 0 EXIT 0 0" END,
	  K1 "0000 00000707 LDG.E.U8.SYS LOAD load d15 s11 global/1 0:100 1:104 2:104 8:114 9:110 "
	  "10:111\n"
	  "0010 00000001 LDS.U LOAD load d10 s15 shared/4 0:a00\n"
	  "0020 00000000 LDL.LU LOAD load d10 s15 local/4\n"
	  "0030 ffffffff HFMA2.MMA SP rate=2 d10 s6 s256 s7\n"
	  "0040 ffffffff EXIT EXIT exit last exits=ffffffff d0\nend\n", .shows = "T3 T4" },
	{ "stride: lanes behind a gap get nothing", "4", "", "32,1,1",
	  W1(3) "0000 00f000f0 1 R1 LDG.E 1 R2 4 1 0x100 4 \n"
	  "0010 00f000f0 1 R1 LDG.E 1 R2 4 2 0x100 4 4 4 4 4 4 4\n"
	  "0020 ffffffff 0 EXIT 0 0 \n" END,
	  K1 "0000 00f000f0 LDG.E LOAD load d2 s3 global/4 4:100 5:104 6:108 7:10c\n"
	  "0010 00f000f0 LDG.E LOAD load d2 s3 global/4 4:100 5:104 6:108 7:10c 20:110 21:114 "
	  "22:118 23:11c\n"
	  "0020 ffffffff EXIT EXIT exit last exits=ffffffff d0\nend\n", .shows = "T6" },
	{ "addresses too far apart for 32 bits", "4", "", "32,1,1",
	  W1(4) "0000 0000000d 1 R1 LDG.E 1 R2 4 2 0x7f0000001000 -2147483648 4294967295 \n"
	  "0010 0000000d 1 R1 LDG.E 1 R2 4 2 0x7f0000001000 2147483648 -4 \n"
	  "0020 0000000d 1 R1 LDG.E 1 R2 4 1 0x7f0000001000 4 \n"
	  "0030 ffffffff 0 EXIT 0 0 \n" END,
	  K1 "0000 0000000d LDG.E LOAD load d2 s3 global/4 0:7f0000001000 2:7eff80001000 3:7f0080000fff\n"
	  "0010 0000000d LDG.E LOAD load d2 s3 global/4 0:7f0000001000 2:7f0080001000 3:7f0080000ffc\n"
	  "0020 0000000d LDG.E LOAD load d2 s3 global/4 0:7f0000001000\n"
	  "0030 ffffffff EXIT EXIT exit last exits=ffffffff d0\n" "end\n" },
	{ "version 4: immediate or not, source lines", "4", "-enable lineinfo = 1\n", "32,1,1",
	  W1(4) "12 0000 ffffffff 1 R1 IADD3 1 R2 0 -5 \n13 0010 ffffffff 1 R1 IADD3 1 R2 0 \n"
	  "13 0020 00000001 0 ST.E 1 R2 4 1 0x5000 4 9\n99 0030 ffffffff 0 EXIT 0 0 \n" END,
	  K1 "0000 ffffffff IADD3 INTP imm=-5 d2 s3\n0010 ffffffff IADD3 INTP d2 s3\n"
	  "0020 00000001 ST.E STORE store imm=9 d0 s3 local/4 0:5000\n"
	  "0030 ffffffff EXIT EXIT exit last exits=ffffffff d0\nend\n" },
	{ "version 6: all registers, groups, bulk copies, values", "6", "-enable lineinfo = 1\n", "32,1,1",
	  W1(13) "7 0000 ffffffff 2 P0 R4 IADD3.X 5 R1 UR4 R2 P1 UP0 0 -5 NoVal\n"
	  "7 0010 00000003 1 R2 LDG.E 2 R4 UR6 4 1 0x100 4 0 Val 1 0x5 32 0x0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9 0xa "
	  "0xb 0xc 0xd 0xe 0xf 0x0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9 0xa 0xb 0xc 0xd 0xe 0xf \n"
	  "7 0010 00000003 1 R2 LDG.E 2 R4 UR6 4 1 0x108 4 0 Val 1 0x5 \n"
	  "7 0010 00000003 1 R2 LDG.E 2 R4 UR6 4 1 0x110 4 0 NoVal\n"
	  "8 0020 ffffffff 0 BAR.SYNC 0 0 1 32 NoVal\n"
	  "8 0030 ffffffff 1 R24 HGMMA.64x64x16.F32 3 R24 UR4 UR8 1 0 0 NoVal\n"
	  "8 0030 ffffffff 1 R24 HGMMA.64x64x16.F32 3 R24 UR4 UR8 0 0 0 NoVal\n"
	  "9 0040 00000001 0 UTMALDG.2D 2 UR8 UR4 16 0x400 0 32 0 3 2 0x7f00 0x7f80 0 NoVal\n"
	  "9 0040 00000001 0 UTMALDG.2D 2 UR8 UR4 16 0x408 1 0x3 48 0 4 0x8000 3 128 -128 0 NoVal\n"
	  "9 0050 00000001 0 UBLKCP 2 UR8 UR4 16 4 0x8000 0 0 NoVal\n"
	  "9 0060 00000001 0 UTMASTG.2D 2 UR8 UR4 16 3 1 0x9000\n"
	  "9 0070 ffffffff 9 R1 R2 P0 P1 P2 P3 P4 P5 P6 MOV 10 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 0 0 NoVal\n"
	  "9 0080 ffffffff 0 EXIT 0 0 0 NoVal more\n" END,
	  "kernel k id=7 ctas=1 threads=32 warps=1 shmem=16 nregs=8 sm=80\n"
	  "warning: k.traceg: opcode 'HGMMA' is executed by the matrix unit of warp groups (WGMMA), which "
	  "is not simulated; 2 instructions taken as class SPECIALIZED_UNIT_3, without memory accesses\n"
	  "warning: k.traceg: opcode 'UTMALDG' is executed by the tensor memory accelerator (TMA), which "
	  "is not simulated; 2 instructions taken as class SPECIALIZED_UNIT_4, without memory accesses\n"
	  "warning: k.traceg: opcode 'UBLKCP' is executed by the tensor memory accelerator (TMA), which is "
	  "not simulated; 1 instruction taken as class SPECIALIZED_UNIT_4, without memory accesses\n"
	  "warning: k.traceg: opcode 'UTMASTG' is executed by the tensor memory accelerator (TMA), which "
	  "is not simulated; 1 instruction taken as class SPECIALIZED_UNIT_4, without memory accesses\n"
	  "warning: k.traceg: 1 line ends with unknown words, first 'more' in line 33; they are ignored\n"
	  "warning: k.traceg: 1 instruction names registers that are not tracked (second destinations, "
	  "uniform, predicate), first in line 32\n"
	  "warp 0\n"
	  "0000 ffffffff IADD3.X INTP imm=-5 d5 s2 s3\n"
	  "0010 00000003 LDG.E LOAD load d3 s5 global/4 0:100 1:104\n"
	  "0010 00000003 LDG.E LOAD load d3 s5 global/4 0:108 1:10c\n"
	  "0010 00000003 LDG.E LOAD load d3 s5 global/4 0:110 1:114\n"
	  "0020 ffffffff BAR.SYNC BARRIER barrier imm=1 d0\n"
	  "0030 ffffffff HGMMA.64x64x16.F32 SPECIALIZED_UNIT_3 d25 s25\n"
	  "0030 ffffffff HGMMA.64x64x16.F32 SPECIALIZED_UNIT_3 d25 s25\n"
	  "0040 00000001 UTMALDG.2D SPECIALIZED_UNIT_4 d0\n"
	  "0040 00000001 UTMALDG.2D SPECIALIZED_UNIT_4 d0\n"
	  "0050 00000001 UBLKCP SPECIALIZED_UNIT_4 d0\n"
	  "0060 00000001 UTMASTG.2D SPECIALIZED_UNIT_4 d0\n"
	  "0070 ffffffff MOV ALU d2 s2 s3 s4 s5 s6 s7 s8 s9\n"
	  "0080 ffffffff EXIT EXIT exit last exits=ffffffff d0\n"
	  "end\n" },
	{ "copies, waits, atomics, barriers", "5", "", "32,1,1",
	  W1(11) "0000 00000003 1 R9 LDGSTS.E.BYPASS.LTC128B.128 2 R9 R10 16 2 0x100 16 0 \n"
	  "0010 ffffffff 0 LDGDEPBAR 0 0 0 \n0020 ffffffff 0 DEPBAR.LE 0 0 1 \n"
	  "0030 00000001 1 R1 LDG.E.STRONG.GPU 1 R2 4 1 0x10 0 0 \n"
	  "0040 00000001 1 R1 ATOMG.E.ADD.STRONG.GPU 2 R2 R3 4 1 0x20 0 0 \n"
	  "0050 00000001 1 R1 ATOMS.ADD 2 R2 R3 4 1 0x30 0 0 \n"
	  "0060 00000001 0 RED.E.ADD 2 R2 R3 4 0 0x40 0 \n0070 ffffffff 0 BAR.SYNC 0 0 0 \n"
	  "0080 ffffffff 0 MEMBAR.SC.GPU 0 0 0 \n0090 ffffffff 1 R1 LDC 0 0 0 \n"
	  "00a0 ffffffff 0 EXIT 0 0 0 \n" END,
	  K1 "0000 00000003 LDGSTS.E.BYPASS.LTC128B.128 LOAD load copy d0 s10 s11 global/16 0:100 "
	  "1:110\n0010 ffffffff LDGDEPBAR ALU commit d0\n0020 ffffffff DEPBAR.LE ALU wait imm=1 "
	  "d0\n0030 00000001 LDG.E.STRONG.GPU LOAD load bypass d2 s3 global/4 0:10\n"
	  "0040 00000001 ATOMG.E.ADD.STRONG.GPU LOAD load atomic bypass d2 s3 s4 global/4 0:20\n"
	  "0050 00000001 ATOMS.ADD STORE load atomic d2 s3 s4 shared/4 0:30\n"
	  "0060 00000001 RED.E.ADD LOAD load atomic bypass d0 s3 s4 global/4 0:40\n"
	  "0070 ffffffff BAR.SYNC BARRIER barrier d0\n"
	  "0080 ffffffff MEMBAR.SC.GPU MEMORY_BARRIER fence d0\n"
	  "0090 ffffffff LDC ALU d2 const/0\n"
	  "00a0 ffffffff EXIT EXIT exit last exits=ffffffff d0\nend\n", .shows = "T1 T4" },
	{ "generic accesses, widths", "5", "", "32,1,1",
	  W1(6) "0000 80000002 1 R1 LD.E.S8 1 R2 4 0 0x4fff 0x9000 0 \n"
	  "0010 00000001 1 R1 LD.E.128 1 R2 4 1 0x8fff 0 0 \n"
	  "0020 00000001 1 R1 LD.E.U16 1 R2 4 1 0x9000 0 0 \n0030 00000000 1 R1 LD.E 1 R2 4 1 "
	  "0x0 0 0 \n"
	  "0040 00000001 1 R1 LDSM.16.M88.4 1 R2 16 1 0x1000 0 0 \n0050 ffffffff 0 EXIT 0 0 0 "
	  "\n" END,
	  K1 "0000 80000002 LD.E.S8 LOAD load d2 s3 shared/4 1:4fff 31:9000\n"
	  "0010 00000001 LD.E.128 LOAD load d2 s3 local/16 0:8fff\n"
	  "0020 00000001 LD.E.U16 LOAD load d2 s3 global/2 0:9000\n"
	  "0030 00000000 LD.E LOAD load d2 s3 -/4\n"
	  "0040 00000001 LDSM.16.M88.4 LOAD load d2 s3 shared/2 0:1000\n"
	  "0050 ffffffff EXIT EXIT exit last exits=ffffffff d0\nend\n", .shows = "T5 T7" },
	{ "carriage returns, blank lines, no last line end", "5", "\r\n-what is this = "
	  "1\r\n", "40,1,1",
	  "\r\n#BEGIN_TB\r\nthread block = 0,0,0\r\n\r\nwarp = 1\r\n\r\ninsts = 1\r\n  \r\n"
	  "0000 000000ff 0 EXIT 0 0 0\r\nwarp = 0\r\ninsts = 2\r\n"
	  "0000 0000ffff 0 EXIT 0 0 0 \r\n\r\n0010 ffff0000 0 EXIT 0 0 0 \r\n#END_TB",
	  "kernel k id=7 ctas=1 threads=40 warps=2 shmem=16 nregs=8 sm=80\n"
	  "warp 0\n0000 0000ffff EXIT EXIT exit exits=0000ffff d0\n"
	  "0010 ffff0000 EXIT EXIT exit last exits=ffff0000 d0\n"
	  "warp 1\n0000 000000ff EXIT EXIT exit last exits=000000ff d0\nend\n" },
	{ "addresses that are those of a warp before, or only begin like them", "5", "", "320,1,1",
	  TB "warp = 0\ninsts = 2\n0000 00000003 1 R1 LDS.U 1 R5 4 1 0x100 4 \n" SAME_EXIT
	  "warp = 1\ninsts = 2\n0000 00000003 1 R1 LDS.U 1 R5 4 1 0x100 4 \n" SAME_EXIT
	  "warp = 2\ninsts = 2\n0000 00000003 1 R1 LDS.U 1 R5 4 1 0x100 4 \n" SAME_EXIT
	  "warp = 3\ninsts = 2\n0000 00000003 1 R1 LDS.U 1 R5 4 1 0x104 4 \n" SAME_EXIT
	  "warp = 4\ninsts = 2\n0000 00000006 1 R1 LDS.U 1 R5 4 1 0x104 4 \n" SAME_EXIT
	  "warp = 5\ninsts = 2\n0000 00000003 1 R1 LDS.U 1 R5 4 1 0x104 4 0 X\n" SAME_EXIT
	  "warp = 9\ninsts = 2\n0000 00000003 1 R1 LDS.U 1 R5 4 1 0x104 4 0 X\n" SAME_EXIT
	  "warp = 6\ninsts = 2\n0000 00000003 1 R1 LDS.U 1 R5 4 1 0x1040 4 \n" SAME_EXIT
	  "warp = 7\ninsts = 2\n0000 00000003 1 R1 LDS.U 1 R5 4 1 0x104 4 \n" SAME_EXIT
	  "warp = 8\ninsts = 2\n0000 00000003 1 R1 LDS.U 1 R5 4 1 0x104 4 7\n" SAME_EXIT END,
	  "kernel k id=7 ctas=1 threads=320 warps=10 shmem=16 nregs=8 sm=80\n"
	  "warning: k.traceg: 2 lines end with unknown words, first 'X' in line 40; they are ignored\n"
	  "warp 0\n0000 00000003 LDS.U LOAD load d2 s6 shared/4 0:100 1:104\n" SAME_LAST
	  "warp 1\n0000 00000003 LDS.U LOAD load d2 s6 shared/4 0:100 1:104\n" SAME_LAST
	  "warp 2\n0000 00000003 LDS.U LOAD load d2 s6 shared/4 0:100 1:104\n" SAME_LAST
	  "warp 3\n0000 00000003 LDS.U LOAD load d2 s6 shared/4 0:104 1:108\n" SAME_LAST
	  "warp 4\n0000 00000006 LDS.U LOAD load d2 s6 shared/4 1:104 2:108\n" SAME_LAST
	  "warp 5\n0000 00000003 LDS.U LOAD load d2 s6 shared/4 0:104 1:108\n" SAME_LAST
	  "warp 6\n0000 00000003 LDS.U LOAD load d2 s6 shared/4 0:1040 1:1044\n" SAME_LAST
	  "warp 7\n0000 00000003 LDS.U LOAD load d2 s6 shared/4 0:104 1:108\n" SAME_LAST
	  "warp 8\n0000 00000003 LDS.U LOAD load imm=7 d2 s6 shared/4 0:104 1:108\n" SAME_LAST
	  "warp 9\n0000 00000003 LDS.U LOAD load d2 s6 shared/4 0:104 1:108\n" SAME_LAST "end\n" },
	{ "warps without instructions, without end, without mention", "5", "", "128,1,1",
	  TB "warp = 0\ninsts = 0\nwarp = 1\ninsts = 2\n0000 0000000f 0 EXIT 0 0 0 \n"
	  "0010 fffffff0 1 R1 MOV 0 0 0 \nwarp = 3\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 0\n" END,
	  "kernel k id=7 ctas=1 threads=128 warps=4 shmem=16 nregs=8 sm=80\n"
	  "warning: k.traceg: the trace of 1 warp ends before all threads exit, first in line 23; "
	  "they end with the last instruction\n"
	  "warning: k.traceg: 1 warp is missing from their thread blocks, first before line 28; "
	  "taken as without instructions\n"
	  "warp 0\nwarp 1\n0000 0000000f EXIT EXIT exit exits=0000000f d0\n"
	  "0010 fffffff0 MOV ALU last exits=fffffff0 d2\nwarp 2\n"
	  "warp 3\n0000 ffffffff EXIT EXIT exit last exits=ffffffff d0\nend\n" },
	{ "more blocks than the grid has", "5", "", "32,1,1",
	  W1(1) "0000 ffffffff 0 EXIT 0 0 0" END W1(1) "0000 ffffffff 0 EXIT 0 0 0" END,
	  "kernel k id=7 ctas=1 threads=32 warps=1 shmem=16 nregs=8 sm=80\n"
	  "warning: k.traceg:22: the grid has 1 thread block, but the file goes on; the rest is "
	  "not read\nwarp 0\n0000 ffffffff EXIT EXIT exit last exits=ffffffff d0\nend\n" },
	{ "one pc, several instructions; oddities", "5", "", "32,1,1",
	  W1(8) "0000 ffffffff 1 R1 MOV 0 0 0 \n0000 ffffffff 1 R1 MOV 0 0 1 \n"
	  "0000 ffffffff 1 R1 MOV 0 0 0 \n0010 00000001 1 R1 LDG.E 1 R2 4 1 0x10 0 0 V 1 \n"
	  "0010 00000001 1 R1 LDG.E 1 R2 4 1 0x18 0 2 \n0020 ffffffff 1 R4 VIADDX 2 UR4 RZ 0 0 \n"
	  "0030 ffffffff 1 R4 LDG.E 1 R4 0 0 \n0040 ffffffff 0 EXIT 0 0 0 REG0:T0 \n" END,
	  "kernel k id=7 ctas=1 threads=32 warps=1 shmem=16 nregs=8 sm=80\n"
	  "warning: k.traceg: 1 memory instruction has no addresses, first in line 26; nothing is "
	  "accessed\n"
	  "warning: k.traceg: opcode 'VIADDX' is not in 'TABLES/ampere.json'; 1 instruction taken "
	  "as class INTP\n"
	  "warning: k.traceg: 2 lines end with unknown words, first 'V' in line 23; "
	  "they are ignored\n"
	  "warning: k.traceg: 1 instruction names registers that are not tracked (second "
	  "destinations, uniform, predicate), first in line 25\n"
	  "warp 0\n0000 ffffffff MOV ALU d2\n0000 ffffffff MOV ALU imm=1 d2\n"
	  "0000 ffffffff MOV ALU d2\n0010 00000001 LDG.E LOAD load d2 s3 global/4 0:10\n"
	  "0010 00000001 LDG.E LOAD load imm=2 d2 s3 global/4 0:18\n"
	  "0020 ffffffff VIADDX INTP d5 s256\n0030 ffffffff LDG.E LOAD load d5 s5 global/0\n"
	  "0040 ffffffff EXIT EXIT exit last exits=ffffffff d0\nend\n" },
};

/* Instruction lines and blocks that are wrong; a block has 40 threads, and line 20 is the first
 * instruction of W1. */
static const struct wrong {
	const char *body, *expected;
} wrong[] = {
	{ W1(1) "00g0 ffffffff 0 EXIT 0 0 0\n", "20:1: expected a pc in hexadecimal, found "
	  "'00g0'" },
	{ W1(1) "0000 fffff 0\r\n", "20:13: expected an opcode, found the end of the line" },
	{ W1(1) "0000 fffffffff 0 EXIT 0 0\n",
	  "20:6: expected a mask of 8 hexadecimal digits, found 'fffffffff'" },
	{ W1(1) "0000 ffffffff 5 EXIT 0 0\n",
	  "20:15: expected the number of destinations, 0 or 1, found '5'" },
	{ W1(1) "0000 ffffffff 1 MOV 0 0\n", "20:17: expected a destination register, found "
	  "'MOV'" },
	{ W1(1) "0000 ffffffff 1 R256 MOV 0 0\n",
	  "20:17: expected a destination register, found 'R256'" },
	{ W1(1) "0000 ffffffff 1 R1 2 R1 0\n", "20:20: expected an opcode, found '2'" },
	{ W1(1) "0000 ffffffff 1 R1 MOV 9 0\n",
	  "20:24: expected the number of sources, at most 8, found '9'" },
	{ W1(1) "0000 ffffffff 1 R1 MOV 2 R1 0 0\n",
	  "20:29: expected a source register, found '0'" },
	{ W1(1) "0000 ffffffff 1 R1 MOV 0 x\n",
	  "20:26: expected the width of the access, 0 for none, found 'x'" },
	{ W1(1) "0000 00000003 1 R1 LDG 0 4 3 0x0\n",
	  "20:28: expected address mode 0, 1 or 2, found '3'" },
	{ W1(1) "0000 00000003 1 R1 LDG 0 4 0 0x10\n",
	  "20:34: expected an address, 0x..., found the end of the line" },
	/* that word is the immediate */
	{ W1(1) "0000 00000003 1 R1 LDG 0 4 0 0x10 20\n",
	  "20:35: expected an address, 0x..., found '20'" },
	{ W1(1) "0000 00000003 1 R1 LDG 0 4 1 10 20\n",
	  "20:30: expected an address, 0x..., found '10'" },
	{ W1(1) "0000 00000003 1 R1 LDG 0 4 1 0x10 1.5\n", "20:35: expected a stride, found "
	  "'1.5'" },
	{ W1(1) "0000 00000007 1 R1 LDG 0 4 2 0x10 1\n",
	  "20:36: expected a difference of addresses, found the end of the line" },
	{ W1(1) "0000 ffffffff 1 R1 MOV 0 0 99999999999\n",
	  "20:28: expected an immediate of 32 bits, found '99999999999'" },
	{ TB "warp = 1\ninsts = 1\n0000 00000100 0 NOP 0 0 0\n",
	  "20: mask 00000100 has lanes beyond the block; warp 1 has the threads 000000ff" },
	{ W1(2) "0000 ffffffff 0 EXIT 0 0 0\n" END,
	  "22: warp 0 has 1 instruction, but 'insts' is 2" },
	{ W1(1) "0000 ffffffff 0 EXIT 0 0 0\n0010 ffffffff 0 EXIT 0 0 0\n" END,
	  "21: an instruction follows the last one that 'insts' announced" },
	{ W1(4000000000) "0000 ffffffff 0 EXIT 0 0 0\n",
	  "20: the file ends within a thread block; expected '#END_TB'" },
	{ TB "warp = 2\ninsts = 0\n",
	  "18: no warp 2; the block has 40 threads in 2 warps" },
	{ TB "warp = 0\ninsts = 0\nwarp = 0\n", "20: warp 0 appears twice" },
	{ TB "warp = 0\ninst = 0\n", "19:1: expected 'insts = number', found 'inst'" },
	{ TB "warp = 0\ninsts = -1\n", "19:9: expected 'insts = number', found '-1'" },
	{ TB "warp = 0\ninsts = 18446744073709551616\n",
	  "19:9: expected 'insts = number', found '18446744073709551616'" },
	{ TB "warp = -1\n", "18:8: expected 'warp = number' or '#END_TB', found '-1'" },
	{ TB "wrap = 0\n", "18:1: expected 'warp = number' or '#END_TB', found 'wrap'" },
	{ TB, "17: the file ends within a thread block; expected '#END_TB'" },
	{ "#BEGIN_TB\nwarp = 0\n", "15:1: expected 'thread block = x,y,z', found 'warp'" },
	{ "#BEGIN_TB\nthread block = fish\n",
	  "15:16: expected the thread block's x,y,z, found 'fish'" },
	{ "#BEGIN_TB\nthread block = 0,0\n",
	  "15:19: expected ',' and x,y,z of the thread block, found the end of the line" },
	{ "#BEGIN_TB\nthread block = 0,0,3x\n",
	  "15:20: expected the thread block's x,y,z, found '3x'" },
	{ "#BEGIN_TB\nthread block = 0,0,1\n",
	  "15:20: expected a number below the grid's 1, found '1'" },
	{ "#END_TB\n", "14:1: expected '#BEGIN_TB', found '#END_TB'" },
};

/* Mistakes in lines of version 6. */
static const struct wrong wrong6[] = {
	{ W1(1) "0000 ffffffff 17 EXIT 0 0\n", "20:15: expected the number of destinations, found '17'" },
	{ W1(1) "0000 ffffffff 0 MOV 17 0\n", "20:21: expected the number of sources, at most 16, found '17'" },
	{ W1(1) "0000 ffffffff 1 R24 HGMMA 1 R24 2 0 0 NoVal\n",
	  "20:33: expected 0 or 1, for the last of a group, found '2'" },
	{ W1(1) "0000 00000001 0 UTMALDG 1 UR8 16 0x400 2 8192 0 3 1 0x7f00 0 NoVal\n",
	  "20:40: expected a barrier and the addresses of a bulk copy, found '2'" },
	{ W1(1) "0000 00000001 0 UTMALDG 1 UR8 16 3 2 0x7f00\n",
	  "20:44: expected a barrier and the addresses of a bulk copy, found the end of the line" },
	{ W1(1) "0000 00000001 0 UBLKCP 1 UR8 16 4 0x7f00 4294967295 0\n",
	  "20:42: expected a barrier and the addresses of a bulk copy, found '4294967295'" },
};

static void check_wrong(const char *version, const struct wrong *v, size_t n)
{
	char want[1 << 10];

	for (size_t i = 0; i < n; i++) {
		write_kernel("k.traceg", version, "40,1,1", v[i].body);
		replay_with("k.traceg", NULL, 0);
		snprintf(want, sizeof want, "kernel k id=7 ctas=1 threads=40 warps=2 shmem=16 "
		         "nregs=8 sm=80\nerror: k.traceg:%s\n", v[i].expected);
		expect(v[i].body, want);
	}
}

/* What is stored in an instruction is read from it in each way. */
static void check_stored(uint32_t mask, const uint64_t v[HD_LANES], bool far)
{
	static struct hd_inst inst; /* keeps what the case before has left in it */
	uint64_t all[HD_LANES], packed[HD_LANES];
	const uint64_t *next;

	inst.mask = mask;
	hd_inst_set_addrs(&inst, v);
	hd_inst_addrs(&inst, all);
	next = hd_inst_packed(&inst, packed);
	log_length = 0;
	log_add("%s", inst.flags & HD_INST_ROW ? "row " : inst.flags & HD_INST_FAR ? "far " : "near ");
	for (unsigned i = 0; i < HD_LANES; i++) {
		uint64_t addr = mask >> i & 1 ? v[i] : 0;

		if (hd_inst_addr(&inst, i) != addr || (addr && (all[i] != addr || *next++ != addr)))
			log_add("%u:%llx ", i, (unsigned long long)hd_inst_addr(&inst, i));
	}
	expect("addresses that are stored", far ? "far " : "near ");
	inst.flags |= HD_INST_ROW; /* the next case has another kind */
}

static void check_addresses(void)
{
	static const uint32_t masks[] = { 1, 0xd, 0x80000001, 0xfffffffe, UINT32_MAX };
	static const struct {
		uint64_t behind; /* the first lane's address: that of the last lane */
		bool far;
	} lasts[] = { { 0, false }, { INT32_MAX, false }, { -(uint64_t)INT32_MAX - 1, false },
		{ (uint64_t)INT32_MAX + 1, true }, { -(uint64_t)INT32_MAX - 2, true }, { UINT64_C(1) << 63, true },
		{ 3, false } };
	uint64_t v[HD_LANES];

	for (size_t i = 0; i < sizeof lasts / sizeof *lasts; i++)
		for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
			for (unsigned lane = 0; lane < HD_LANES; lane++)
				v[lane] = UINT64_C(0x7fff12345678) + lane % 3;
			v[hd_bits_last(masks[k])] = v[hd_bits_first(masks[k])] + lasts[i].behind;
			check_stored(masks[k], v, lasts[i].far && masks[k] != 1);
		}
}

static void check_cases(void)
{
	char text[1 << 13];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		make(text, sizeof text, cases[i].version, cases[i].head, cases[i].block,
		     cases[i].body);
		write_file("k.traceg", text, strlen(text));
		replay_with("k.traceg", NULL, 0);
		expect(cases[i].what, cases[i].expected);
	}
	check_wrong("5", wrong, sizeof wrong / sizeof wrong[0]);
	check_wrong("6", wrong6, sizeof wrong6 / sizeof wrong6[0]);
}

int main(int argc, char **argv)
{
	begin(argc, argv);
	check_cases();
	check_addresses();
	return finish();
}
