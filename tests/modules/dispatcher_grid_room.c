/* dispatcher_grid_room.c - rules of the dispatcher of a whole GPU: how many blocks an SM has room for
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dispatcher_grid.h"

static const char netlist[] = NETLIST;
static const char with_l1d[] = WITH_L1D;
static const char unequal[] = UNEQUAL;

/* One block of one warp on each SM, cluster by cluster; two of them. */
#define ONE_EACH \
	"0 a launch slot=0 first=0; 0 c launch slot=0 first=0;" \
	"0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;" \
	"0 list block of #1 at w0; 0 list block of #1 at w512;" \
	"1 b launch slot=0 first=0; 1 d launch slot=0 first=0;" \
	"1 list block of #1 at w256; 1 list block of #1 at w768;"
#define TWO_EACH ONE_EACH \
	"2 a launch slot=1 first=1; 2 c launch slot=1 first=1;" \
	"2 list block of #1 at w1; 2 list block of #1 at w513;" \
	"3 b launch slot=1 first=1; 3 d launch slot=1 first=1;" \
	"3 list block of #1 at w257; 3 list block of #1 at w769;"

static const struct rule rules[] = {
	{
		"the occupancy of a small grid is its blocks divided among the SMs, rounded up",
		.shows = "GK4",
		.params = TWO,
		.script = "0 list kernel #1 ctas=5 warps=1; 10 end",
		.log = ONE_EACH
		       "2 a launch slot=1 first=1; 2 list block of #1 at w1;"
		       "end it cycles=11;"
		       "held it: kernel 1 'k': 5 of 5 CTAs placed, 5 not ended",
	},
	{
		"shared memory, registers, 'max_ctas' bound it as on one SM",
		.shows = "GK4",
		.params = TWO ", 'shared_bytes': 1000, 'registers': 100000",
		.script = "0 list kernel #1 ctas=99 warps=1 shmem=334; 10 end",
		.log = TWO_EACH "end it cycles=11;"
		       "held it: kernel 1 'k': 8 of 99 CTAs placed, 8 not ended",
	},
	{
		"registers of a thread are counted in fours: 8 are 8, and two blocks fit",
		.shows = "GK4",
		.params = TWO ", 'registers': 512",
		.script = "0 list kernel #1 ctas=8 warps=1 nregs=8; 10 end",
		.log = TWO_EACH "end it cycles=11;"
		       "held it: kernel 1 'k': 8 of 8 CTAs placed, 8 not ended",
	},
	{
		"registers are those of whole warps, rounded up to 4 for each thread",
		.shows = "GK4",
		.params = TWO ", 'registers': 1280",
		.script = "0 list kernel #1 ctas=99 warps=1 threads=17 nregs=9; 10 end",
		.log = TWO_EACH
		       "4 a launch slot=2 first=2; 4 c launch slot=2 first=2;"
		       "4 list block of #1 at w2; 4 list block of #1 at w514;"
		       "5 b launch slot=2 first=2; 5 d launch slot=2 first=2;"
		       "5 list block of #1 at w258; 5 list block of #1 at w770;"
		       "end it cycles=11;"
		       "held it: kernel 1 'k': 12 of 99 CTAs placed, 12 not ended",
	},
	{
		"'max_ctas'",
		.shows = "GK4",
		.params = TWO ", 'max_ctas': 1",
		.script = "0 list kernel #1 ctas=99 warps=1; 10 end",
		.log = ONE_EACH "end it cycles=11;"
		       "held it: kernel 1 'k': 4 of 99 CTAs placed, 4 not ended",
	},
	{
		"a block that does not fit is an error",
		.shows = "GK4",
		.params = TWO ", 'shared_bytes': 1000",
		.script = "0 list kernel #1 ctas=2 warps=2 threads=40 shmem=1001 nregs=3; 3 end",
		.log = "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 2 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' does not fit on an SM: a block has "
		       "40 threads with 3 registers each and 1001 bytes of shared memory;"
		       "the SM has 256 threads, 65536 registers and 1000 bytes",
	},
	{
		"with 'ignore_limits' it is placed alone",
		.shows = "GK4",
		.params = TWO ", 'shared_bytes': 1000, 'ignore_limits': true",
		.script = "0 list kernel #1 ctas=9 warps=2 shmem=1001; 8 end",
		.log = ONE_EACH "end it cycles=9;"
		       "held it: kernel 1 'k': 4 of 9 CTAs placed, 4 not ended",
	},
	{
		"if there are slots enough",
		.params = TWO ", 'ignore_limits': true",
		.script = "0 list kernel #1 ctas=2 warps=9; 3 end",
		.log = "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 2 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' has 9 warps per block;"
		       "expected at most the SM's 8",
	},
	{
		"L1Ds are sized together, each by its own ways, when the first block of a kernel may be placed",
		.shows = "GK4",
		.netlist = with_l1d,
		.params = TWO ", 'shared_options': [0, 8, 16, 32], 'unified': 128, 'kernel_latency': 3, "
		          "'flush_l1d': false",
		.script = "0 list kernel #1 ctas=1 warps=8 shmem=9000; 9 a over slot=0; 20 end",
		.log = "0 list kernel #1; 3 a launch slot=0 first=0;"
		       "3 list block of #1 at w0; 3 p ways 224; 3 q ways 224; 3 r ways 224;"
		       "3 s ways 56;"
		       "9 it event kernel kernel=1 cycles=10 instructions=0 ctas=1;"
		       "end it cycles=10 kernels=1",
	},
	{
		"an SM with fewer slots has as many blocks as they hold",
		.shows = "GK4",
		.netlist = unequal,
		.script = "0 list kernel #1 ctas=5 warps=4; 5 b over slot=1; 9 end",
		.log = "0 a launch slot=0 first=0; 0 b launch slot=0 first=0; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w256;"
		       "1 b launch slot=1 first=4; 1 list block of #1 at w260;"
		       "5 b launch slot=1 first=4; 5 list block of #1 at w260; end it cycles=10;"
		       "held it: kernel 1 'k': 4 of 5 CTAs placed, 3 not ended",
	},
	{
		"and none if that is less than one",
		.shows = "GK4",
		.netlist = unequal,
		.script = "0 list kernel #1 ctas=3 warps=5; 3 b over slot=0; 9 end",
		.log = "0 b launch slot=0 first=0; 0 list kernel #1; 0 list block of #1 at w256;"
		       "3 b launch slot=0 first=0; 3 list block of #1 at w256; end it cycles=10;"
		       "held it: kernel 1 'k': 2 of 3 CTAs placed, 1 not ended",
	},
	{
		"no option is large enough: an error",
		.netlist = with_l1d,
		.params = TWO ", 'shared_options': [0, 8], 'unified': 128, 'flush_l1d': false",
		.script = "0 list kernel #1 ctas=9 warps=4 shmem=4097; 4 end",
		.log = "0 list kernel #1; end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 9 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 needs 8194 bytes of shared memory for 2 "
		       "CTAs; expected one of 'shared_options' to hold them",
	},
	{
		"an option leaves no L1D: an error",
		.netlist = with_l1d,
		.params = TWO ", 'shared_options': [128], 'unified': 128, 'flush_l1d': false",
		.script = "0 list kernel #1 ctas=9 warps=4; 4 end",
		.log = "0 list kernel #1; end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 9 CTAs placed, 0 not ended;"
		       "error it: cycle 1: 128 KB of shared memory leave no L1D;"
		       "expected 'shared_options' below 'unified'",
	},
	{
		"an option above the unified memory is refused",
		.shows = "GK9",
		.params = TWO ", 'shared_options': [8, 129], 'unified': 128",
		.script = "0 end",
		.log = "refused instance 'it': 'shared_options' has 129 KB and 'unified' is "
		       "128 KB; expected no more than that",
	},
};

const struct suite suite_dispatcher_grid_room = {
	.name = "dispatcher_grid_room", .netlist = netlist, RULES(rules)
};
