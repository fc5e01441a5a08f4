/* dispatcher_concurrent.c - rules of the dispatcher of several kernels at a time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The toy SM has 8 warp slots.
 */
#include "harness.h"

#define INSTANCES "'instances': {'it': {'module': 'dispatcher_concurrent', 'params': {@}}, " \
	"'list': {'module': 'give_kernels'}, 'sm': {'module': 'sm', 'params': {'slots': 8}}, " \
	"'sync': {'module': 'give_sync'}, 'l1d': {'module': 'give_cache'}"
#define LINKS "{'from': 'it.trace', 'to': 'list.trace'}, {'from': 'it.warps', 'to': 'sm.warps'}, " \
	"{'from': 'it.barrier', 'to': 'sync.barrier'}"

static const char netlist[] = INSTANCES
	"}, 'links': [" LINKS ", {'from': 'it.l1d', 'to': 'l1d.cache'}]";
static const char without_l1d[] = INSTANCES "}, 'links': [" LINKS "]";
static const char two_on_warps[] = INSTANCES
	", 'other': {'module': 'dispatcher_concurrent'}, 'list2': {'module': 'give_kernels'}}, "
	"'links': [" LINKS ", {'from': 'other.trace', 'to': 'list2.trace'}, "
	"{'from': 'other.warps', 'to': 'sm.warps'}, "
	"{'from': 'other.barrier', 'to': 'sync.barrier'}]";
static const char two_on_trace[] = INSTANCES
	", 'other': {'module': 'dispatcher_concurrent'}, 'sm2': {'module': 'sm'}}, "
	"'links': [" LINKS ", {'from': 'other.trace', 'to': 'list.trace'}, "
	"{'from': 'other.warps', 'to': 'sm2.warps'}, "
	"{'from': 'other.barrier', 'to': 'sync.barrier'}]";

static const struct rule rules[] = {
	{
		"kernels of one stream run one after another, those of other streams concurrently",
		.shows = "K9",
		.script = "0 list kernel #1 ctas=2 warps=2 stream=1;"
		          "0 list kernel #2 ctas=1 warps=2 stream=1;"
		          "0 list kernel #3 ctas=1 warps=2 stream=2; 5 sm over slot=2;"
		          "7 sm over slot=0; 9 sm over slot=1; 14 sm over slot=0; 20 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w2; 1 sm launch slot=1 first=2; 2 list open #3;"
		       "2 list block of #3 at w4; 2 sm launch slot=2 first=4;"
		       "5 it event kernel kernel=3 cycles=6 instructions=0 ctas=1;"
		       "9 it event kernel kernel=1 cycles=4 instructions=0 ctas=2;"
		       "9 l1d invalidate; 10 list open #2; 10 list block of #2 at w0;"
		       "10 sm launch slot=0 first=0;"
		       "14 it event kernel kernel=2 cycles=5 instructions=0 ctas=1;"
		       "14 l1d invalidate; end it cycles=15 kernels=3",
	},
	{
		"the kernel that was considered last keeps its turn as long as it has blocks",
		.shows = "K9",
		.script = "0 list kernel #1 ctas=2 warps=1 stream=1;"
		          "0 list kernel #2 ctas=2 warps=1 stream=2;"
		          "0 list kernel #3 ctas=2 warps=1 stream=3;"
		          "0 list kernel #4 ctas=3 warps=1 stream=3; 6 sm over slot=4;"
		          "6 sm over slot=5; 12 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w1; 1 sm launch slot=1 first=1; 2 list open #2;"
		       "2 list block of #2 at w2; 2 sm launch slot=2 first=2;"
		       "3 list block of #2 at w3; 3 sm launch slot=3 first=3; 4 list open #3;"
		       "4 list block of #3 at w4; 4 sm launch slot=4 first=4;"
		       "5 list block of #3 at w5; 5 sm launch slot=5 first=5;"
		       "6 it event kernel kernel=3 cycles=7 instructions=0 ctas=2; 7 list open #4;"
		       "7 list block of #4 at w4; 7 sm launch slot=4 first=4;"
		       "8 list block of #4 at w5; 8 sm launch slot=5 first=5;"
		       "9 list block of #4 at w6; 9 sm launch slot=6 first=6;"
		       "end it cycles=13 kernels=1;"
		       "held it: kernel 1 'k': 2 of 2 CTAs placed, 2 not ended;"
		       "held it: kernel 2 'k': 2 of 2 CTAs placed, 2 not ended;"
		       "held it: kernel 4 'k': 3 of 3 CTAs placed, 3 not ended",
	},
	{
		"it keeps its turn even if its block does not fit; then no block is placed",
		.shows = "K9",
		.script = "0 list kernel #1 ctas=2 warps=8 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2; 4 sm over slot=0;"
		          "8 sm over slot=0; 14 sm over slot=0; 20 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "4 list block of #1 at w0; 4 sm launch slot=0 first=0;"
		       "8 it event kernel kernel=1 cycles=9 instructions=0 ctas=2; 8 list open #2;"
		       "8 list block of #2 at w0; 8 sm launch slot=0 first=0;"
		       "14 it event kernel kernel=2 cycles=6 instructions=0 ctas=1;"
		       "14 l1d invalidate; end it cycles=15 kernels=2",
	},
	{
		"only the next 'window' kernels are considered, and places of the table are reused",
		.shows = "K9",
		.params = "'window': 2",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2;"
		          "0 list kernel #3 ctas=1 warps=1 stream=3;"
		          "0 list kernel #4 ctas=1 warps=1 stream=1; 3 sm over slot=0;"
		          "6 sm over slot=0; 9 sm over slot=1; 12 sm over slot=0; 16 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list open #2; 1 list block of #2 at w1; 1 sm launch slot=1 first=1;"
		       "3 it event kernel kernel=1 cycles=4 instructions=0 ctas=1; 4 list open #3;"
		       "4 list block of #3 at w0; 4 sm launch slot=0 first=0;"
		       "6 it event kernel kernel=3 cycles=3 instructions=0 ctas=1; 7 list open #4;"
		       "7 list block of #4 at w0; 7 sm launch slot=0 first=0;"
		       "9 it event kernel kernel=2 cycles=3 instructions=0 ctas=1;"
		       "12 it event kernel kernel=4 cycles=3 instructions=0 ctas=1;"
		       "12 l1d invalidate; end it cycles=13 kernels=4",
	},
	{
		"the latency counts from the start of a kernel",
		.shows = "K9 K1",
		.params = "'kernel_latency': 3, 'cta_latency': 2",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1;"
		          "0 list kernel #2 ctas=2 warps=1 stream=2;"
		          "0 list kernel #3 ctas=1 warps=1 stream=1; 9 sm over slot=0;"
		          "18 sm over slot=0; 18 sm over slot=1; 18 sm over slot=2; 25 end",
		.log = "0 l1d invalidate; 5 list open #1; 5 list block of #1 at w0;"
		       "5 sm launch slot=0 first=0; 7 list open #2; 7 list block of #2 at w1;"
		       "7 sm launch slot=1 first=1; 8 list block of #2 at w2;"
		       "8 sm launch slot=2 first=2;"
		       "9 it event kernel kernel=1 cycles=10 instructions=0 ctas=1;"
		       "15 list open #3; 15 list block of #3 at w0; 15 sm launch slot=0 first=0;"
		       "18 it event kernel kernel=2 cycles=9 instructions=0 ctas=2;"
		       "18 l1d invalidate;"
		       "19 it event kernel kernel=3 cycles=1 instructions=0 ctas=1;"
		       "end it cycles=20 kernels=3",
	},
	{
		"the lowest multiple of its size at which a block's warp slots are free",
		.shows = "K10",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1;"
		          "0 list kernel #2 ctas=2 warps=3 stream=2;"
		          "0 list kernel #3 ctas=1 warps=2 stream=3; 5 sm over slot=0;"
		          "9 sm over slot=1; 12 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list open #2; 1 list block of #2 at w3; 1 sm launch slot=1 first=3;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "5 list block of #2 at w0; 5 sm launch slot=0 first=0; 6 list open #3;"
		       "6 list block of #3 at w6; 6 sm launch slot=2 first=6;"
		       "end it cycles=13 kernels=1;"
		       "held it: kernel 2 'k': 2 of 2 CTAs placed, 1 not ended;"
		       "held it: kernel 3 'k': 1 of 1 CTAs placed, 1 not ended",
	},
	{
		"the shared memory of all blocks on the SM is bounded",
		.shows = "K10",
		.params = "'shared_bytes': 1000",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1 shmem=600;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2 shmem=400;"
		          "0 list kernel #3 ctas=1 warps=1 stream=3 shmem=1; 5 sm over slot=1;"
		          "9 sm over slot=0; 12 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list open #2; 1 list block of #2 at w1; 1 sm launch slot=1 first=1;"
		       "5 it event kernel kernel=2 cycles=6 instructions=0 ctas=1; 5 list open #3;"
		       "5 list block of #3 at w1; 5 sm launch slot=1 first=1;"
		       "9 it event kernel kernel=1 cycles=4 instructions=0 ctas=1;"
		       "end it cycles=13 kernels=2;"
		       "held it: kernel 3 'k': 1 of 1 CTAs placed, 1 not ended",
	},
	{
		"their registers",
		.shows = "K10",
		.params = "'registers': 640",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1 nregs=9;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2 nregs=8;"
		          "0 list kernel #3 ctas=1 warps=1 stream=3 nregs=1; 5 sm over slot=1;"
		          "9 sm over slot=0; 12 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list open #2; 1 list block of #2 at w1; 1 sm launch slot=1 first=1;"
		       "5 it event kernel kernel=2 cycles=6 instructions=0 ctas=1; 5 list open #3;"
		       "5 list block of #3 at w1; 5 sm launch slot=1 first=1;"
		       "9 it event kernel kernel=1 cycles=4 instructions=0 ctas=1;"
		       "end it cycles=13 kernels=2;"
		       "held it: kernel 3 'k': 1 of 1 CTAs placed, 1 not ended",
	},
	{
		"the number of all blocks is bounded",
		.shows = "K10",
		.params = "'max_ctas': 2",
		.script = "0 list kernel #1 ctas=2 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2; 5 sm over slot=0;"
		          "8 sm over slot=1; 9 sm over slot=0; 13 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w1; 1 sm launch slot=1 first=1; 5 list open #2;"
		       "5 list block of #2 at w0; 5 sm launch slot=0 first=0;"
		       "8 it event kernel kernel=1 cycles=9 instructions=0 ctas=2;"
		       "9 it event kernel kernel=2 cycles=1 instructions=0 ctas=1;"
		       "9 l1d invalidate; end it cycles=10 kernels=2",
	},
	{
		"one kernel ends in a cycle; rows count the cycles since the previous one",
		.shows = "K11",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2;"
		          "0 list kernel #3 ctas=1 warps=1 stream=3; 5 sm over slot=0;"
		          "5 sm over slot=1; 5 sm over slot=2; 12 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list open #2; 1 list block of #2 at w1; 1 sm launch slot=1 first=1;"
		       "2 list open #3; 2 list block of #3 at w2; 2 sm launch slot=2 first=2;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "5 l1d invalidate;"
		       "6 it event kernel kernel=2 cycles=1 instructions=0 ctas=1;"
		       "7 it event kernel kernel=3 cycles=1 instructions=0 ctas=1;"
		       "end it cycles=8 kernels=3",
	},
	{
		"warps without instructions count as ended",
		.shows = "K6",
		.script = "0 list kernel #1 ctas=1 warps=2 stream=1; 0 list none w1;"
		          "1 sm show w0 w1; 3 sm over slot=0; 7 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "0 sync leave w1; 1 sm w0 npc=0x1000; 1 sm w1 ended npc=0x1010;"
		       "3 it event kernel kernel=1 cycles=4 instructions=0 ctas=1;"
		       "3 l1d invalidate; end it cycles=4 kernels=1",
	},
	{
		"the L1D is invalidated when the SM is empty, once",
		.shows = "K8",
		.params = "'kernel_latency': 2",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=1; 5 sm over slot=0;"
		          "12 sm over slot=0; 16 end",
		.log = "0 l1d invalidate; 2 list open #1; 2 list block of #1 at w0;"
		       "2 sm launch slot=0 first=0;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "5 l1d invalidate; 8 list open #2; 8 list block of #2 at w0;"
		       "8 sm launch slot=0 first=0;"
		       "12 it event kernel kernel=2 cycles=7 instructions=0 ctas=1;"
		       "12 l1d invalidate; end it cycles=13 kernels=2",
	},
	{
		"not invalidated without 'flush_l1d'",
		.shows = "K8",
		.params = "'flush_l1d': false",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1; 5 sm over slot=0; 9 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "end it cycles=6 kernels=1",
	},
	{
		"the L1D may be missing",
		.netlist = without_l1d,
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1; 5 sm over slot=0; 9 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "end it cycles=6 kernels=1",
	},
	{
		"a trace with fewer blocks than its grid: a warning, and the blocks of the trace",
		.script = "0 list kernel #1 ctas=3 has=1 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=1; 5 sm over slot=0;"
		          "9 sm over slot=0; 14 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w1: no more;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "5 l1d invalidate; 6 list open #2; 6 list block of #2 at w0;"
		       "6 sm launch slot=0 first=0;"
		       "9 it event kernel kernel=2 cycles=4 instructions=0 ctas=1;"
		       "9 l1d invalidate; end it cycles=10 kernels=2;"
		       "error heddle: warning: it: cycle 2: kernel 1 'k' has 1 thread blocks in "
		       "the trace and 3 in its grid",
	},
	{
		"such a kernel ends at once if none of its blocks is on the SM",
		.script = "0 list kernel #1 ctas=3 has=0 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=1; 9 sm over slot=0; 14 end",
		.log = "0 it event kernel kernel=1 cycles=1 instructions=0 ctas=0;"
		       "0 l1d invalidate; 0 list open #1; 0 list block of #1 at w0: no more;"
		       "1 list open #2; 1 list block of #2 at w0; 1 sm launch slot=0 first=0;"
		       "9 it event kernel kernel=2 cycles=9 instructions=0 ctas=1;"
		       "9 l1d invalidate; end it cycles=10 kernels=2;"
		       "error heddle: warning: it: cycle 1: kernel 1 'k' has 0 thread blocks in "
		       "the trace and 3 in its grid",
	},
	{
		"a block with more shared memory than the SM has is an error",
		.params = "'shared_bytes': 1000",
		.script = "0 list kernel #1 ctas=1 warps=1 shmem=1001; 4 end",
		.log = "end it cycles=1; held it: kernel 1 'k': 0 of 1 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' does not fit on this SM: a block has 32 "
		       "threads with 0 registers each and 1001 bytes of shared memory;"
		       "the SM has 256 threads, 65536 registers and 1000 bytes",
	},
	{
		"a block with more registers is an error",
		.params = "'registers': 256",
		.script = "0 list kernel #1 ctas=1 warps=1 nregs=9; 4 end",
		.log = "end it cycles=1; held it: kernel 1 'k': 0 of 1 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' does not fit on this SM: a block has 32 "
		       "threads with 9 registers each and 0 bytes of shared memory;"
		       "the SM has 256 threads, 256 registers and 98304 bytes",
	},
	{
		"a block with more warps is an error",
		.script = "0 list kernel #1 ctas=1 warps=9; 4 end",
		.log = "end it cycles=1; held it: kernel 1 'k': 0 of 1 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' does not fit on this SM: a block has 288 "
		       "threads with 0 registers each and 0 bytes of shared memory;"
		       "the SM has 256 threads, 65536 registers and 98304 bytes",
	},
	{
		"a block without warps is an error",
		.script = "0 list kernel #1 ctas=1 warps=0; 4 end",
		.log = "end it cycles=1; held it: kernel 1 'k': 0 of 1 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' does not fit on this SM: a block has 0 "
		       "threads with 0 registers each and 0 bytes of shared memory;"
		       "the SM has 256 threads, 65536 registers and 98304 bytes",
	},
	{
		"a block that fills the SM is accepted",
		.params = "'shared_bytes': 1000, 'registers': 2048",
		.script = "0 list kernel #1 ctas=1 warps=8 shmem=1000 nregs=8; 4 sm over slot=0;"
		          "8 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "4 it event kernel kernel=1 cycles=5 instructions=0 ctas=1;"
		       "4 l1d invalidate; end it cycles=5 kernels=1",
	},
	{
		"a trace that cannot be read stops the run: when a kernel is examined",
		.script = "0 list kernel #1 ctas=1 warps=1; 0 list broken; 4 end",
		.log = "end it cycles=1; error list: cycle 1: cannot be read",
	},
	{
		"or a kernel is opened or a block read",
		.script = "0 list kernel #1 ctas=2 warps=1; 1 list broken; 4 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w1; end it cycles=2;"
		       "held it: kernel 1 'k': 1 of 2 CTAs placed, 1 not ended;"
		       "error list: cycle 2: cannot be read",
	},
	{
		"a launch latency beyond the bound is refused",
		.params = "'cta_latency': 4294967295",
		.script = "0 list kernel #1 ctas=65537 warps=4; 4 end",
		.log = "end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 65537 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' has 65537 thread blocks of 4294967295 "
		       "cycles 'cta_latency' each; expected at most 281474976710656 cycles in all",
	},
	{
		"a launch latency at the bound is accepted",
		.params = "'cta_latency': 4294967295",
		.script = "0 list kernel #1 ctas=65536 warps=4; 4 end",
		.log = "0 l1d invalidate; end it cycles=5;"
		       "held it: kernel 1 'k': 0 of 65536 CTAs placed, 0 not ended",
	},
	{
		"an empty list is the end",
		.script = "4 end",
		.log = "0 l1d invalidate; end it cycles=1",
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
};

const struct suite suite_dispatcher_concurrent = { .name = "dispatcher_concurrent",
	                                           .netlist = netlist, RULES(rules) };
