/* dispatcher_grid_concurrent.c - rules of the dispatcher of several kernels on a whole GPU
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Two clusters of two SMs with 8 warp slots each (`a` to `d`).
 */
#include "harness.h"

#define SM(name) "'" name "': {'module': 'sm', 'params': {'slots': 8}}, "
#define IT "'it': {'module': 'dispatcher_grid_concurrent', 'params': {'cores': 2, @}}, "
#define SMS SM("a") SM("b") SM("c") SM("d")
#define LIST "'list': {'module': 'give_kernels'}"
#define LINKS "{'from': 'it.trace', 'to': 'list.trace'}, {'from': 'it.warps', 'to': 'a.warps'}, " \
	"{'from': 'it.warps', 'to': 'b.warps'}, {'from': 'it.warps', 'to': 'c.warps'}, " \
	"{'from': 'it.warps', 'to': 'd.warps'}"

static const char netlist[] = "'instances': {" IT SMS LIST "}, 'links': [" LINKS "]";
static const char with_work[] =
	"'instances': {" IT SMS LIST ", 'g': {'module': 'give_cluster'}, "
	"'h': {'module': 'give_cluster'}}, "
	"'links': [" LINKS ", {'from': 'it.work', 'to': 'g.work'}, {'from': 'it.work', 'to': 'h.work'}]";
static const char with_l2[] =
	"'instances': {" IT SMS LIST ", 'm': {'module': 'give_cache'}, 'map': {'module': 'give_map', "
	"'params': {'channels': 1, 'slices': 1}}}, 'links': [" LINKS ", "
	"{'from': 'it.l2', 'to': 'm.cache'}, "
	"{'from': 'it.map', 'to': 'map.map'}]";

#define WINDOW "'window': 4"

static const struct rule rules[] = {
	{
		"the last block of a kernel and the first of another may be placed in one cycle",
		.shows = "GK10",
		.params = WINDOW,
		.script = "0 list kernel #1 ctas=3 warps=8 stream=1;"
		          "0 list kernel #2 ctas=2 warps=8 stream=2; 20 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0; 0 list open #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 d launch slot=0 first=0;"
		       "1 list block of #1 at w256; 1 list open #2;"
		       "1 list block of #2 at w768; end it cycles=21;"
		       "held it: kernel 1 'k': 3 of 3 CTAs placed, 3 not ended;"
		       "held it: kernel 2 'k': 1 of 2 CTAs placed, 1 not ended",
	},
	{
		"kernels of one stream run one after another, those of others meanwhile",
		.shows = "GK10",
		.params = WINDOW,
		.script = "0 list kernel #1 ctas=1 warps=8 stream=1;"
		          "0 list kernel #2 ctas=1 warps=8 stream=1;"
		          "0 list kernel #3 ctas=2 warps=8 stream=2; 5 a over slot=0;"
		          "9 c over slot=0; 9 b over slot=0; 12 d over slot=0;"
		          "12 a over slot=0; 12 b over slot=0; 20 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0; 0 list open #1;"
		       "0 list block of #1 at w0; 0 list open #3; 0 list block of #3 at w512;"
		       "1 b launch slot=0 first=0; 1 list block of #3 at w256;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "6 d launch slot=0 first=0; 6 list open #2;"
		       "6 list block of #2 at w768;"
		       "9 it event kernel kernel=3 cycles=4 instructions=0 ctas=2;"
		       "12 it event kernel kernel=2 cycles=3 instructions=0 ctas=1;"
		       "end it cycles=13 kernels=3",
	},
	{
		"registers that one kernel leaves free are there for the blocks of another",
		.shows = "GK11",
		.params = WINDOW ", 'registers': 1024",
		.script = "0 list kernel #1 ctas=1 warps=2 stream=1 nregs=8;"
		          "0 list kernel #2 ctas=1 warps=8 stream=2;"
		          "0 list kernel #3 ctas=4 warps=1 stream=3 nregs=8; 12 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0; 0 list open #1;"
		       "0 list block of #1 at w0; 0 list open #2; 0 list block of #2 at w512;"
		       "1 b launch slot=0 first=0; 1 d launch slot=0 first=0; 1 list open #3;"
		       "1 list block of #3 at w256; 1 list block of #3 at w768;"
		       "2 a launch slot=1 first=2; 2 d launch slot=1 first=1;"
		       "2 list block of #3 at w2; 2 list block of #3 at w769; end it cycles=13;"
		       "held it: kernel 1 'k': 1 of 1 CTAs placed, 1 not ended;"
		       "held it: kernel 2 'k': 1 of 1 CTAs placed, 1 not ended;"
		       "held it: kernel 3 'k': 4 of 4 CTAs placed, 4 not ended",
	},
	{
		"of a cluster the first SM on which the block fits takes it",
		.shows = "GK11",
		.params = WINDOW ", 'shared_bytes': 100, 'registers': 1024, 'max_ctas': 2",
		.script = "0 list kernel #1 ctas=4 warps=4 stream=1 shmem=60;"
		          "0 list kernel #2 ctas=9 warps=2 stream=2 nregs=8; 12 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0; 0 list open #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 d launch slot=0 first=0;"
		       "1 list block of #1 at w256; 1 list block of #1 at w768;"
		       "2 a launch slot=1 first=4; 2 c launch slot=1 first=4; 2 list open #2;"
		       "2 list block of #2 at w4; 2 list block of #2 at w516;"
		       "3 b launch slot=1 first=4; 3 d launch slot=1 first=4;"
		       "3 list block of #2 at w260; 3 list block of #2 at w772;"
		       "end it cycles=13;"
		       "held it: kernel 1 'k': 4 of 4 CTAs placed, 4 not ended;"
		       "held it: kernel 2 'k': 4 of 9 CTAs placed, 4 not ended",
	},
	{
		"what was taken is free when a block has ended",
		.shows = "GK11",
		.params = WINDOW ", 'shared_bytes': 100",
		.script = "0 list kernel #1 ctas=4 warps=1 stream=1 shmem=60;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2 shmem=60;"
		          "6 c over slot=0; 12 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0; 0 list open #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 d launch slot=0 first=0;"
		       "1 list block of #1 at w256; 1 list block of #1 at w768;"
		       "6 c launch slot=0 first=0; 6 list open #2;"
		       "6 list block of #2 at w512; end it cycles=13;"
		       "held it: kernel 1 'k': 4 of 4 CTAs placed, 3 not ended;"
		       "held it: kernel 2 'k': 1 of 1 CTAs placed, 1 not ended",
	},
	{
		"a kernel whose block fits nowhere holds up the others",
		.shows = "GK10",
		.params = WINDOW,
		.script = "0 list kernel #1 ctas=3 warps=8 stream=1;"
		          "0 list kernel #2 ctas=2 warps=8 stream=2;"
		          "0 list kernel #3 ctas=9 warps=1 stream=3; 8 d over slot=0; 14 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0; 0 list open #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 d launch slot=0 first=0;"
		       "1 list block of #1 at w256; 1 list open #2;"
		       "1 list block of #2 at w768; 8 d launch slot=0 first=0;"
		       "8 list block of #2 at w768; end it cycles=15;"
		       "held it: kernel 1 'k': 3 of 3 CTAs placed, 3 not ended;"
		       "held it: kernel 2 'k': 2 of 2 CTAs placed, 1 not ended;"
		       "held it: kernel 3 'k': 0 of 9 CTAs placed, 0 not ended",
	},
	{
		"latencies count from the launch, and meanwhile another kernel places its blocks",
		.shows = "GK10",
		.params = WINDOW ", 'kernel_latency': 3, 'cta_latency': 2",
		.script = "0 list kernel #1 ctas=4 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2; 16 end",
		.log = "5 a launch slot=0 first=0; 5 list open #2; 5 list block of #2 at w0;"
		       "11 b launch slot=0 first=0; 11 c launch slot=0 first=0;"
		       "11 list open #1; 11 list block of #1 at w512;"
		       "11 list block of #1 at w256; 12 a launch slot=1 first=1;"
		       "12 d launch slot=0 first=0; 12 list block of #1 at w768;"
		       "12 list block of #1 at w1; end it cycles=17;"
		       "held it: kernel 1 'k': 4 of 4 CTAs placed, 4 not ended;"
		       "held it: kernel 2 'k': 1 of 1 CTAs placed, 1 not ended",
	},
	{
		"one kernel ends in a cycle, and its place in the window is filled in the next",
		.shows = "GK12",
		.params = "'window': 2",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2;"
		          "0 list kernel #3 ctas=1 warps=1 stream=3; 5 a over slot=0;"
		          "5 c over slot=0; 10 b over slot=0; 14 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0; 0 list open #1;"
		       "0 list block of #1 at w0; 0 list open #2; 0 list block of #2 at w512;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "6 b launch slot=0 first=0;"
		       "6 it event kernel kernel=2 cycles=1 instructions=0 ctas=1;"
		       "6 list open #3; 6 list block of #3 at w256;"
		       "10 it event kernel kernel=3 cycles=4 instructions=0 ctas=1;"
		       "end it cycles=11 kernels=3",
	},
	{
		"copies take effect when the kernel behind them comes into the window",
		.shows = "GK13",
		.netlist = with_l2,
		.params = "'window': 2",
		.script = "0 list copy 0x10000 bytes=32;"
		          "0 list kernel #1 ctas=1 warps=1 stream=1;"
		          "0 list copy 0x20000 bytes=32;"
		          "0 list kernel #2 ctas=1 warps=1 stream=1;"
		          "0 list copy 0x30000 bytes=32;"
		          "0 list kernel #3 ctas=1 warps=1 stream=1; 5 a over slot=0; 14 end",
		.log = "0 a launch slot=0 first=0; 0 list open #1; 0 list block of #1 at w0;"
		       "0 m preset 0x10000 ahead=0 later=1;"
		       "0 m preset 0x20000 ahead=0 later=1;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "5 m preset 0x30000 ahead=1 later=1; 6 c launch slot=0 first=0;"
		       "6 list open #2; 6 list block of #2 at w512;"
		       "end it cycles=15 kernels=1 copied=96;"
		       "held it: kernel 2 'k': 1 of 1 CTAs placed, 1 not ended;"
		       "held it: kernel 3 'k': 0 of 1 CTAs placed, 0 not ended",
	},
	{
		"clusters have cycles while a kernel that was launched has blocks left",
		.shows = "GK12",
		.netlist = with_work,
		.params = WINDOW ", 'kernel_latency': 4",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2; 8 a over slot=0;"
		          "10 c over slot=0; 14 end",
		.log = "0 g SMs from 0 on, works; 0 h SMs from 2 on, works;"
		       "4 a launch slot=0 first=0; 4 c launch slot=0 first=0; 4 list open #1;"
		       "4 list block of #1 at w0; 4 list open #2; 4 list block of #2 at w512;"
		       "8 g rests; 8 it event kernel kernel=1 cycles=9 instructions=0 ctas=1;"
		       "10 h rests;"
		       "10 it event kernel kernel=2 cycles=2 instructions=0 ctas=1;"
		       "end it cycles=11 kernels=2",
	},
	{
		"a block that does not fit on an empty SM is an error",
		.shows = "GK11",
		.params = WINDOW ", 'shared_bytes': 100",
		.script = "0 list kernel #1 ctas=1 warps=1 shmem=101; 5 end",
		.log = "end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 1 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' does not fit on an SM: a block has 32 "
		       "threads with 0 registers each and 101 bytes of shared memory;"
		       "the SM has 256 threads, 65536 registers and 100 bytes",
	},
	{
		"a grid with fewer blocks than it announces ends with a warning",
		.shows = "GK12",
		.params = WINDOW,
		.script = "0 list kernel #1 ctas=3 warps=1 has=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=8 stream=2; 5 a over slot=0;"
		          "7 c over slot=0; 7 d over slot=0; 14 end",
		.log = "0 a launch slot=0 first=0; 0 d launch slot=0 first=0; 0 list open #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512: no more;"
		       "0 list open #2; 0 list block of #2 at w768;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "7 it event kernel kernel=2 cycles=2 instructions=0 ctas=1;"
		       "end it cycles=8 kernels=2;"
		       "error heddle: warning: it: cycle 1: kernel 1 'k' has 1 thread blocks in the trace "
		       "and 3 in its grid",
	},
	{
		"and one of which there is no block at all at once",
		.shows = "GK12",
		.params = WINDOW,
		.script = "0 list kernel #1 ctas=2 warps=1 has=0 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2; 5 a over slot=0;"
		          "5 c over slot=0; 5 b over slot=0; 5 d over slot=0; 9 end",
		.log = "0 b launch slot=0 first=0;"
		       "0 it event kernel kernel=1 cycles=1 instructions=0 ctas=0;"
		       "0 list open #1; 0 list block of #1 at w0: no more; 0 list open #2;"
		       "0 list block of #2 at w256;"
		       "5 it event kernel kernel=2 cycles=5 instructions=0 ctas=1;"
		       "end it cycles=6 kernels=2;"
		       "error heddle: warning: it: cycle 1: kernel 1 'k' has 0 thread blocks in the trace "
		       "and 2 in its grid",
	},
};

const struct suite suite_dispatcher_grid_concurrent = { .name = "dispatcher_grid_concurrent",
	                                                .netlist = netlist, RULES(rules) };
