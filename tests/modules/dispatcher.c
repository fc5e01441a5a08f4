/* dispatcher.c - rules of the dispatcher of one kernel at a time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The toy SM has 8 warp slots.
 */
#include "harness.h"

#define INSTANCES "'instances': {'it': {'module': 'dispatcher', 'params': {@}}, " \
	"'list': {'module': 'give_kernels'}, 'sm': {'module': 'sm', 'params': {'slots': 8}}, " \
	"'sync': {'module': 'give_sync'}, " \
	"'l1d': {'module': 'give_cache', 'params': {'max_ways': 256}}"
#define LINKS "{'from': 'it.trace', 'to': 'list.trace'}, {'from': 'it.warps', 'to': 'sm.warps'}"
#define ALL LINKS ", {'from': 'it.barrier', 'to': 'sync.barrier'}, " \
	"{'from': 'it.l1d', 'to': 'l1d.cache'}"

static const char netlist[] = INSTANCES "}, 'links': [" ALL "]";
static const char bare[] = INSTANCES "}, 'links': [" LINKS "]";
static const char two_on_warps[] = INSTANCES
	", 'other': {'module': 'dispatcher'}, 'list2': {'module': 'give_kernels'}}, "
	"'links': [" LINKS ", {'from': 'other.trace', 'to': 'list2.trace'}, "
	"{'from': 'other.warps', 'to': 'sm.warps'}]";
static const char two_on_trace[] = INSTANCES
	", 'other': {'module': 'dispatcher'}, 'sm2': {'module': 'sm'}}, 'links': [" LINKS
	", {'from': 'other.trace', 'to': 'list.trace'}, "
	"{'from': 'other.warps', 'to': 'sm2.warps'}]";

static const struct rule rules[] = {
	{
		"one block at the end of each cycle, as many as fit; a lost one is replaced at "
		"once",
		.shows = "K2",
		.script = "0 list kernel #7 ctas=6 warps=2; 1 sm show w0 w2; 6 sm over slot=1;"
		          "9 sm over slot=0; 9 sm over slot=3; 12 sm over slot=0;"
		          "12 sm over slot=1; 12 sm over slot=2; 20 end",
		.log = "0 list kernel #7; 0 list block of #7 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #7 at w2; 1 sm w0 npc=0x1000; 1 sm w2 retired;"
		       "1 sm launch slot=1 first=2; 2 list block of #7 at w4;"
		       "2 sm launch slot=2 first=4; 3 list block of #7 at w6;"
		       "3 sm launch slot=3 first=6; 6 list block of #7 at w2;"
		       "6 sm launch slot=1 first=2; 9 list block of #7 at w0;"
		       "9 sm launch slot=0 first=0;"
		       "12 it event kernel kernel=1 cycles=13 instructions=0 ctas=6;"
		       "12 l1d invalidate; end it cycles=13 kernels=1",
	},
	{
		"the first block waits for the launch latencies, of the kernel and of each "
		"block",
		.shows = "K1",
		.params = "'kernel_latency': 5, 'cta_latency': 2",
		.script = "0 list kernel #1 ctas=3 warps=4; 0 list kernel #2 ctas=1 warps=8;"
		          "14 sm over slot=0; 16 sm over slot=1; 18 sm over slot=0;"
		          "30 sm over slot=0; 40 end",
		.log = "0 l1d invalidate; 0 list kernel #1; 11 list block of #1 at w0;"
		       "11 sm launch slot=0 first=0; 12 list block of #1 at w4;"
		       "12 sm launch slot=1 first=4; 14 list block of #1 at w0;"
		       "14 sm launch slot=0 first=0;"
		       "18 it event kernel kernel=1 cycles=19 instructions=0 ctas=3;"
		       "18 l1d invalidate; 18 list kernel #2; 26 list block of #2 at w0;"
		       "26 sm launch slot=0 first=0;"
		       "30 it event kernel kernel=2 cycles=12 instructions=0 ctas=1;"
		       "30 l1d invalidate; end it cycles=31 kernels=2",
	},
	{
		"warp slots bound the occupancy",
		.shows = "K3",
		.script = "0 list kernel #1 ctas=9 warps=3; 5 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w3; 1 sm launch slot=1 first=3; end it cycles=6;"
		       "held it: kernel 1 'k': 2 of 9 CTAs placed, 2 not ended",
	},
	{
		"shared memory bounds it",
		.shows = "K3",
		.params = "'shared_bytes': 1000",
		.script = "0 list kernel #1 ctas=9 warps=1 shmem=334; 6 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w1; 1 sm launch slot=1 first=1; end it cycles=7;"
		       "held it: kernel 1 'k': 2 of 9 CTAs placed, 2 not ended",
	},
	{
		"an exact fit is accepted",
		.shows = "K3",
		.params = "'shared_bytes': 1000",
		.script = "0 list kernel #1 ctas=9 warps=1 shmem=500; 6 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w1; 1 sm launch slot=1 first=1; end it cycles=7;"
		       "held it: kernel 1 'k': 2 of 9 CTAs placed, 2 not ended",
	},
	{
		"registers bound it, rounded up to a multiple of 4 for each thread of whole warps",
		.shows = "K3",
		.params = "'registers': 1280",
		.script = "0 list kernel #1 ctas=9 warps=1 threads=17 nregs=9; 6 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w1; 1 sm launch slot=1 first=1;"
		       "2 list block of #1 at w2; 2 sm launch slot=2 first=2; end it cycles=7;"
		       "held it: kernel 1 'k': 3 of 9 CTAs placed, 3 not ended",
	},
	{
		"a multiple of 4 is not rounded",
		.shows = "K3",
		.params = "'registers': 1280",
		.script = "0 list kernel #1 ctas=9 warps=1 nregs=8; 8 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w1; 1 sm launch slot=1 first=1;"
		       "2 list block of #1 at w2; 2 sm launch slot=2 first=2;"
		       "3 list block of #1 at w3; 3 sm launch slot=3 first=3;"
		       "4 list block of #1 at w4; 4 sm launch slot=4 first=4; end it cycles=9;"
		       "held it: kernel 1 'k': 5 of 9 CTAs placed, 5 not ended",
	},
	{
		"'max_ctas' bounds it",
		.shows = "K3",
		.params = "'max_ctas': 3",
		.script = "0 list kernel #1 ctas=9 warps=1; 6 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w1; 1 sm launch slot=1 first=1;"
		       "2 list block of #1 at w2; 2 sm launch slot=2 first=2; end it cycles=7;"
		       "held it: kernel 1 'k': 3 of 9 CTAs placed, 3 not ended",
	},
	{
		"a block that exceeds shared memory or registers is an error",
		.shows = "K3",
		.params = "'shared_bytes': 1000",
		.script = "0 list kernel #1 ctas=2 warps=2 threads=40 shmem=1001 nregs=3; 3 end",
		.log = "0 list kernel #1; end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 2 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' does not fit on this SM: a block has 40 "
		       "threads with 3 registers each and 1001 bytes of shared memory;"
		       "the SM has 256 threads, 65536 registers and 1000 bytes",
	},
	{
		"with 'ignore_limits' it is placed, one at a time, if there are enough slots",
		.shows = "K3",
		.params = "'shared_bytes': 1000, 'ignore_limits': true",
		.script = "0 list kernel #1 ctas=2 warps=8 shmem=1001; 4 sm over slot=0;"
		          "8 sm over slot=0; 12 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "4 list block of #1 at w0; 4 sm launch slot=0 first=0;"
		       "8 it event kernel kernel=1 cycles=9 instructions=0 ctas=2;"
		       "8 l1d invalidate; end it cycles=9 kernels=1",
	},
	{
		"a block with more warps than there are slots is an error in any case",
		.params = "'ignore_limits': true",
		.script = "0 list kernel #1 ctas=2 warps=9; 3 end",
		.log = "0 list kernel #1; end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 2 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' has 9 warps per block;"
		       "expected at most the SM's 8",
	},
	{
		"a block without warps is an error",
		.script = "0 list kernel #1 ctas=2 warps=0; 3 end",
		.log = "0 list kernel #1; end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 2 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' has 0 warps per block;"
		       "expected at most the SM's 8",
	},
	{
		"a grid smaller than the occupancy is spread over all SMs",
		.shows = "K3",
		.params = "'shared_options': [0, 10, 20, 30], 'unified': 100",
		.script = "0 sm kernel sms=4; 0 list kernel #1 ctas=9 warps=1 shmem=10240; 6 end",
		.log = "0 l1d ways 179; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 sm launch slot=0 first=0; 1 list block of #1 at w1;"
		       "1 sm launch slot=1 first=1; 2 list block of #1 at w2;"
		       "2 sm launch slot=2 first=2; end it cycles=7;"
		       "held it: kernel 1 'k': 3 of 9 CTAs placed, 3 not ended",
	},
	{
		"a block takes the lowest free CTA slot",
		.shows = "K4",
		.script = "0 list kernel #1 ctas=9 warps=2; 4 sm over slot=3; 4 sm over slot=2;"
		          "4 sm over slot=1; 10 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w2; 1 sm launch slot=1 first=2;"
		       "2 list block of #1 at w4; 2 sm launch slot=2 first=4;"
		       "3 list block of #1 at w6; 3 sm launch slot=3 first=6;"
		       "4 list block of #1 at w2; 4 sm launch slot=1 first=2;"
		       "5 list block of #1 at w4; 5 sm launch slot=2 first=4;"
		       "6 list block of #1 at w6; 6 sm launch slot=3 first=6; end it cycles=11;"
		       "held it: kernel 1 'k': 7 of 9 CTAs placed, 4 not ended",
	},
	{
		"warps without instructions count as ended, also for the barrier",
		.shows = "K6",
		.script = "0 list kernel #1 ctas=2 warps=2; 0 list none w1; 1 sm show w0 w1;"
		          "1 list none w2; 3 sm show w2 w3; 4 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "0 sync leave w1; 1 list block of #1 at w2; 1 sm w0 npc=0x1000;"
		       "1 sm w1 ended npc=0x1010; 1 sm launch slot=1 first=2; 1 sync leave w2;"
		       "3 sm w2 ended npc=0x1020; 3 sm w3 npc=0x1030; end it cycles=5;"
		       "held it: kernel 1 'k': 2 of 2 CTAs placed, 2 not ended",
	},
	{
		"a kernel ends with its last block; the next kernel's cycle 0 follows",
		.shows = "K7",
		.script = "0 list kernel #1 ctas=2 warps=8; 0 list kernel #2 ctas=1 warps=1;"
		          "3 sm over slot=0; 7 sm over slot=0; 11 sm over slot=0; 20 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "3 list block of #1 at w0; 3 sm launch slot=0 first=0;"
		       "7 it event kernel kernel=1 cycles=8 instructions=0 ctas=2;"
		       "7 l1d invalidate; 7 list kernel #2; 8 list block of #2 at w0;"
		       "8 sm launch slot=0 first=0;"
		       "11 it event kernel kernel=2 cycles=4 instructions=0 ctas=1;"
		       "11 l1d invalidate; end it cycles=12 kernels=2",
	},
	{
		"the L1D is invalidated when the SM is empty, once",
		.shows = "K8",
		.params = "'kernel_latency': 2",
		.script = "0 list kernel #1 ctas=2 warps=8; 0 list kernel #2 ctas=1 warps=1;"
		          "3 sm over slot=0; 9 sm over slot=0; 14 sm over slot=0; 20 end",
		.log = "0 l1d invalidate; 0 list kernel #1; 2 list block of #1 at w0;"
		       "2 sm launch slot=0 first=0; 3 list block of #1 at w0;"
		       "3 sm launch slot=0 first=0;"
		       "9 it event kernel kernel=1 cycles=10 instructions=0 ctas=2;"
		       "9 l1d invalidate; 9 list kernel #2; 12 list block of #2 at w0;"
		       "12 sm launch slot=0 first=0;"
		       "14 it event kernel kernel=2 cycles=5 instructions=0 ctas=1;"
		       "14 l1d invalidate; end it cycles=15 kernels=2",
	},
	{
		"not invalidated without 'flush_l1d'",
		.shows = "K8",
		.params = "'flush_l1d': false",
		.script = "0 list kernel #1 ctas=2 warps=8; 3 sm over slot=0; 9 sm over slot=0;"
		          "14 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "3 list block of #1 at w0; 3 sm launch slot=0 first=0;"
		       "9 it event kernel kernel=1 cycles=10 instructions=0 ctas=2;"
		       "end it cycles=10 kernels=1",
	},
	{
		"barrier and L1D may be missing",
		.netlist = bare,
		.params = "'shared_options': [0, 64]",
		.script = "0 list kernel #1 ctas=1 warps=2; 0 list none w1; 3 sm over slot=0;"
		          "8 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "3 it event kernel kernel=1 cycles=4 instructions=0 ctas=1;"
		       "end it cycles=4 kernels=1",
	},
	{
		"a trace with fewer blocks than its grid: a warning, and the blocks of the trace",
		.script = "0 list kernel #1 ctas=5 has=2 warps=4; 0 list kernel #2 ctas=1 warps=4;"
		          "4 sm over slot=0; 6 sm over slot=1; 10 sm over slot=0; 16 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w4; 1 sm launch slot=1 first=4;"
		       "4 list block of #1 at w0: no more;"
		       "6 it event kernel kernel=1 cycles=7 instructions=0 ctas=2;"
		       "6 l1d invalidate; 6 list kernel #2; 7 list block of #2 at w0;"
		       "7 sm launch slot=0 first=0;"
		       "10 it event kernel kernel=2 cycles=4 instructions=0 ctas=1;"
		       "10 l1d invalidate; end it cycles=11 kernels=2;"
		       "error heddle: warning: it: cycle 5: kernel 1 'k' has 2 thread blocks in "
		       "the trace and 5 in its grid",
	},
	{
		"a trace that cannot be read stops the run",
		.script = "0 list broken; 0 list kernel #1 ctas=5 warps=4; 4 end",
		.log = "0 list kernel #1; end it cycles=1; error list: cycle 1: cannot be read",
	},
	{
		"also if a block cannot be read",
		.script = "0 list kernel #1 ctas=5 warps=4; 1 list broken; 4 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w4; end it cycles=2;"
		       "held it: kernel 1 'k': 1 of 5 CTAs placed, 1 not ended;"
		       "error list: cycle 2: cannot be read",
	},
	{
		"the smallest option that holds what the occupancy needs; the L1D gets the "
		"rest, rounded",
		.shows = "UN1",
		.params = "'shared_options': [32, 64, 0, 8, 96], 'unified': 128",
		.script = "0 list kernel #1 ctas=2 warps=4 shmem=4096;"
		          "0 list kernel #2 ctas=1 warps=4;"
		          "0 list kernel #3 ctas=2 warps=4 shmem=4097; 3 sm over slot=0;"
		          "3 sm over slot=1; 6 sm over slot=0; 9 sm over slot=0; 9 sm over slot=1;"
		          "14 end",
		.log = "0 l1d ways 240; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 sm launch slot=0 first=0; 1 list block of #1 at w4;"
		       "1 sm launch slot=1 first=4;"
		       "3 it event kernel kernel=1 cycles=4 instructions=0 ctas=2;"
		       "3 l1d invalidate; 3 list kernel #2; 4 l1d ways 256;"
		       "4 list block of #2 at w0; 4 sm launch slot=0 first=0;"
		       "6 it event kernel kernel=2 cycles=3 instructions=0 ctas=1;"
		       "6 l1d invalidate; 6 list kernel #3; 7 l1d ways 192;"
		       "7 list block of #3 at w0; 7 sm launch slot=0 first=0;"
		       "8 list block of #3 at w4; 8 sm launch slot=1 first=4;"
		       "9 it event kernel kernel=3 cycles=3 instructions=0 ctas=2;"
		       "9 l1d invalidate; end it cycles=10 kernels=3",
	},
	{
		"rounded to the nearest, half up",
		.shows = "UN1",
		.params = "'shared_options': [1, 3], 'unified': 512",
		.script = "0 list kernel #1 ctas=1 warps=4 shmem=1024;"
		          "0 list kernel #2 ctas=1 warps=4 shmem=3072; 3 sm over slot=0;"
		          "6 sm over slot=0; 10 end",
		.log = "0 l1d ways 256; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 sm launch slot=0 first=0;"
		       "3 it event kernel kernel=1 cycles=4 instructions=0 ctas=1;"
		       "3 l1d invalidate; 3 list kernel #2; 4 l1d ways 255;"
		       "4 list block of #2 at w0; 4 sm launch slot=0 first=0;"
		       "6 it event kernel kernel=2 cycles=3 instructions=0 ctas=1;"
		       "6 l1d invalidate; end it cycles=7 kernels=2",
	},
	{
		"no option is large enough: an error",
		.shows = "UN1",
		.params = "'shared_options': [0, 8], 'unified': 128",
		.script = "0 list kernel #1 ctas=2 warps=4 shmem=4097; 4 end",
		.log = "0 list kernel #1; end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 2 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 needs 8194 bytes of shared memory for 2 CTAs;"
		       "expected one of 'shared_options' to hold them",
	},
	{
		"an option leaves no way for the L1D: an error",
		.shows = "UN1",
		.params = "'shared_options': [128], 'unified': 128",
		.script = "0 list kernel #1 ctas=2 warps=4; 4 end",
		.log = "0 list kernel #1; end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 2 CTAs placed, 0 not ended;"
		       "error it: cycle 1: 128 KB of shared memory leave no L1D;"
		       "expected 'shared_options' below 'unified'",
	},
	{
		"an option above the unified memory is refused",
		.params = "'shared_options': [8, 129], 'unified': 128",
		.script = "0 end",
		.log = "refused instance 'it': 'shared_options' has 129 KB and 'unified' is 128 "
		       "KB; expected no more than that",
	},
	{
		"a launch latency beyond the bound is refused",
		.params = "'cta_latency': 4294967295",
		.script = "0 list kernel #1 ctas=65537 warps=4; 4 end",
		.log = "0 list kernel #1; end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 65537 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' has 65537 thread blocks of 4294967295 "
		       "cycles 'cta_latency' each; expected at most 281474976710656 cycles in all",
	},
	{
		"a launch latency at the bound is accepted",
		.params = "'cta_latency': 4294967295",
		.script = "0 list kernel #1 ctas=65536 warps=4; 4 end",
		.log = "0 l1d invalidate; 0 list kernel #1; end it cycles=5;"
		       "held it: kernel 1 'k': 0 of 65536 CTAs placed, 0 not ended",
	},
	{
		"two dispatchers do not place blocks on the same warps",
		.netlist = two_on_warps,
		.script = "0 end",
		.log = "refused instance 'other': another dispatcher places CTAs on the same "
		       "warps; expected one",
	},
	{
		"two dispatchers do not take kernels from the same trace",
		.netlist = two_on_trace,
		.script = "0 end",
		.log = "refused instance 'other': another dispatcher takes kernels from the same "
		       "trace; expected a trace source for each",
	},
	{
		"blocks that have not ended are reported",
		.script = "0 list kernel #1 ctas=3 warps=4; 4 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w4; 1 sm launch slot=1 first=4; end it cycles=5;"
		       "held it: kernel 1 'k': 2 of 3 CTAs placed, 2 not ended",
	},
};

const struct suite suite_dispatcher = { .name = "dispatcher", .netlist = netlist, RULES(rules) };
