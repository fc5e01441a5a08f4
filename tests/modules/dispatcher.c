/* dispatcher.c - rules of the dispatcher
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * On one SM with 8 warp slots (`sm`), or on two clusters of two such SMs (`a` to `d`).
 */
#include "harness.h"

#define TWO "'cores': 2"
#define MANY "'concurrent': true"
#define MANY_TWO MANY ", " TWO ", 'window': 4"

#define A(module, name) ", '" name "': {'module': '" module "'}"
#define SM(name) ", '" name "': {'module': 'sm', 'params': {'slots': 8}}"
#define CACHE(name, ways) \
	", '" name "': {'module': 'give_cache', 'params': {'max_ways': " ways "}}"
#define MAP(slices) \
	", 'map': {'module': 'give_map', 'params': {'channels': 1, 'slices': " slices "}}"
#define LINK(from, to) ", {'from': '" from "', 'to': '" to "'}"

#define IT "'instances': {'it': {'module': 'dispatcher', 'params': {@}}" A("give_kernels", "list")
#define LINKS "}, 'links': [{'from': 'it.trace', 'to': 'list.trace'}"

#define ONE_SM IT SM("sm") A("give", "sync") CACHE("l1d", "256")
#define SM_LINKS LINKS LINK("it.warps", "sm.warps")

static const char one_sm[] = ONE_SM SM_LINKS LINK("it.barrier", "sync.barrier")
	LINK("it.l1d", "l1d.cache") "]";
static const char bare[] = ONE_SM SM_LINKS "]";
static const char two_on_warps[] = ONE_SM A("dispatcher", "other") A("give_kernels", "list2")
	SM_LINKS LINK("other.trace", "list2.trace") LINK("other.warps", "sm.warps") "]";
static const char two_on_trace[] = ONE_SM A("dispatcher", "other") A("sm", "sm2")
	SM_LINKS LINK("other.trace", "list.trace") LINK("other.warps", "sm2.warps") "]";

#define SMS IT SM("a") SM("b") SM("c") SM("d")
#define SMS_LINKS LINKS LINK("it.warps", "a.warps") LINK("it.warps", "b.warps") \
	LINK("it.warps", "c.warps") LINK("it.warps", "d.warps")
#define CLUSTERS A("give_cluster", "g") A("give_cluster", "h")
#define SLICES(n) SMS A("give_cache", "m") A("give_cache", "n") MAP(n) SMS_LINKS \
	LINK("it.l2", "m.cache") LINK("it.l2", "n.cache") LINK("it.map", "map.map") "]"

static const char sms[] = SMS SMS_LINKS "]";
static const char clusters[] = SMS CLUSTERS SMS_LINKS LINK("it.work", "g.work")
	LINK("it.work", "h.work") "]";
static const char with_l1d[] = SMS CACHE("p", "256") CACHE("q", "256") CACHE("r", "256")
	CACHE("s", "64") SMS_LINKS LINK("it.l1d", "p.cache") LINK("it.l1d", "q.cache")
	LINK("it.l1d", "r.cache") LINK("it.l1d", "s.cache") "]";
static const char with_l2[] = SLICES("2");
static const char wrong_l2[] = SLICES("4");
static const char with_barriers[] = SMS A("give", "v") A("give", "w")
	A("give", "x") A("give", "y") SMS_LINKS LINK("it.barrier", "v.barrier")
	LINK("it.barrier", "w.barrier") LINK("it.barrier", "x.barrier")
	LINK("it.barrier", "y.barrier") "]";
static const char one_barrier[] = SMS A("give", "v") SMS_LINKS
	LINK("it.barrier", "v.barrier") "]";
static const char one_l1d[] = SMS A("give_cache", "p") SMS_LINKS LINK("it.l1d", "p.cache") "]";
static const char one_work[] = SMS CLUSTERS SMS_LINKS LINK("it.work", "g.work") "]";
static const char no_sm[] = IT LINKS "]";
static const char unequal[] = IT ", 'a': {'module': 'sm', 'params': {'slots': 4}}" SM("b")
	LINKS LINK("it.warps", "a.warps") LINK("it.warps", "b.warps") "]";
static const char two_sms[] = IT SM("a") SM("b") A("give_cache", "p") A("give_cache", "q")
	A("give_cache", "l2") MAP("1") LINKS LINK("it.warps", "a.warps")
	LINK("it.warps", "b.warps") LINK("it.l1d", "p.cache") LINK("it.l1d", "q.cache")
	LINK("it.l2", "l2.cache") LINK("it.map", "map.map") "]";

/* One block of one warp on each SM, cluster by cluster. */
#define ONE_EACH \
	"0 a launch slot=0 first=0; 0 c launch slot=0 first=0;" \
	"0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;" \
	"0 list block of #1 at w0; 0 list block of #1 at w512;" \
	"1 b launch slot=0 first=0; 1 d launch slot=0 first=0;" \
	"1 list block of #1 at w256; 1 list block of #1 at w768;"

static const struct rule rules[] = {
	/* ---- kernels one after another, on one SM ---- */
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
		.shows = "K7 Y5",
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
		       "3 l1d invalidate; 3 list kernel #2; 4 l1d ways 256 without shared memory;"
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
		.shows = "GK9",
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
		.shows = "GK9",
		.netlist = two_on_warps,
		.script = "0 end",
		.log = "refused instance 'other': another dispatcher places CTAs on the same "
		       "warps; expected one",
	},
	{
		"two dispatchers do not take kernels from the same trace",
		.shows = "GK9",
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
	/* ---- kernels side by side, on one SM ---- */
	{
		"kernels of one stream run one after another, those of other streams concurrently",
		.shows = "K9",
		.params = MANY,
		.script = "0 list kernel #1 ctas=2 warps=2 stream=1;"
		          "0 list kernel #2 ctas=1 warps=2 stream=1;"
		          "0 list kernel #3 ctas=1 warps=2 stream=2; 5 sm over slot=2;"
		          "7 sm over slot=0; 9 sm over slot=1; 14 sm over slot=0; 20 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w2; 1 sm launch slot=1 first=2; 2 list open #3;"
		       "2 list block of #3 at w4; 2 sm launch slot=2 first=4;"
		       "5 it event kernel kernel=3 cycles=6 instructions=0 ctas=1;"
		       "9 it event kernel kernel=1 cycles=10 instructions=0 ctas=2;"
		       "9 l1d invalidate; 10 list open #2; 10 list block of #2 at w0;"
		       "10 sm launch slot=0 first=0;"
		       "14 it event kernel kernel=2 cycles=5 instructions=0 ctas=1;"
		       "14 l1d invalidate; end it cycles=15 kernels=3",
	},
	{
		"the kernel that was considered last keeps its turn as long as it has blocks",
		.shows = "K9",
		.params = MANY,
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
		.params = MANY,
		.script = "0 list kernel #1 ctas=2 warps=8 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2; 4 sm over slot=0;"
		          "8 sm over slot=0; 14 sm over slot=0; 20 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "4 list block of #1 at w0; 4 sm launch slot=0 first=0;"
		       "8 it event kernel kernel=1 cycles=9 instructions=0 ctas=2; 8 list open #2;"
		       "8 list block of #2 at w0; 8 sm launch slot=0 first=0;"
		       "14 it event kernel kernel=2 cycles=15 instructions=0 ctas=1;"
		       "14 l1d invalidate; end it cycles=15 kernels=2",
	},
	{
		"only the next 'window' kernels are considered, and places of the table are reused",
		.shows = "K9",
		.params = MANY ", 'window': 2",
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
		       "9 it event kernel kernel=2 cycles=10 instructions=0 ctas=1;"
		       "12 it event kernel kernel=4 cycles=6 instructions=0 ctas=1;"
		       "12 l1d invalidate; end it cycles=13 kernels=4",
	},
	{
		"the latency counts from the start of a kernel",
		.shows = "K9 K1",
		.params = MANY ", 'kernel_latency': 3, 'cta_latency': 2",
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
		       "18 it event kernel kernel=2 cycles=19 instructions=0 ctas=2;"
		       "18 l1d invalidate;"
		       "19 it event kernel kernel=3 cycles=10 instructions=0 ctas=1;"
		       "end it cycles=20 kernels=3",
	},
	{
		"the lowest multiple of its size at which a block's warp slots are free",
		.shows = "K10",
		.params = MANY,
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
		.params = MANY ", 'shared_bytes': 1000",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1 shmem=600;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2 shmem=400;"
		          "0 list kernel #3 ctas=1 warps=1 stream=3 shmem=1; 5 sm over slot=1;"
		          "9 sm over slot=0; 12 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list open #2; 1 list block of #2 at w1; 1 sm launch slot=1 first=1;"
		       "5 it event kernel kernel=2 cycles=6 instructions=0 ctas=1; 5 list open #3;"
		       "5 list block of #3 at w1; 5 sm launch slot=1 first=1;"
		       "9 it event kernel kernel=1 cycles=10 instructions=0 ctas=1;"
		       "end it cycles=13 kernels=2;"
		       "held it: kernel 3 'k': 1 of 1 CTAs placed, 1 not ended",
	},
	{
		"their registers",
		.shows = "K10",
		.params = MANY ", 'registers': 640",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1 nregs=9;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2 nregs=8;"
		          "0 list kernel #3 ctas=1 warps=1 stream=3 nregs=1; 5 sm over slot=1;"
		          "9 sm over slot=0; 12 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list open #2; 1 list block of #2 at w1; 1 sm launch slot=1 first=1;"
		       "5 it event kernel kernel=2 cycles=6 instructions=0 ctas=1; 5 list open #3;"
		       "5 list block of #3 at w1; 5 sm launch slot=1 first=1;"
		       "9 it event kernel kernel=1 cycles=10 instructions=0 ctas=1;"
		       "end it cycles=13 kernels=2;"
		       "held it: kernel 3 'k': 1 of 1 CTAs placed, 1 not ended",
	},
	{
		"the number of all blocks is bounded",
		.shows = "K10",
		.params = MANY ", 'max_ctas': 2",
		.script = "0 list kernel #1 ctas=2 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2; 5 sm over slot=0;"
		          "8 sm over slot=1; 9 sm over slot=0; 13 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w1; 1 sm launch slot=1 first=1; 5 list open #2;"
		       "5 list block of #2 at w0; 5 sm launch slot=0 first=0;"
		       "8 it event kernel kernel=1 cycles=9 instructions=0 ctas=2;"
		       "9 it event kernel kernel=2 cycles=10 instructions=0 ctas=1;"
		       "9 l1d invalidate; end it cycles=10 kernels=2",
	},
	{
		"one kernel ends in a cycle; its cycles are those since its launch",
		.shows = "K11",
		.params = MANY,
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2;"
		          "0 list kernel #3 ctas=1 warps=1 stream=3; 5 sm over slot=0;"
		          "5 sm over slot=1; 5 sm over slot=2; 12 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list open #2; 1 list block of #2 at w1; 1 sm launch slot=1 first=1;"
		       "2 list open #3; 2 list block of #3 at w2; 2 sm launch slot=2 first=2;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "5 l1d invalidate;"
		       "6 it event kernel kernel=2 cycles=7 instructions=0 ctas=1;"
		       "7 it event kernel kernel=3 cycles=8 instructions=0 ctas=1;"
		       "end it cycles=8 kernels=3",
	},
	{
		"a block with more registers is an error",
		.params = MANY ", 'registers': 256",
		.script = "0 list kernel #1 ctas=1 warps=1 nregs=9; 4 end",
		.log = "end it cycles=1; held it: kernel 1 'k': 0 of 1 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' does not fit on this SM: a block has 32 "
		       "threads with 9 registers each and 0 bytes of shared memory;"
		       "the SM has 256 threads, 256 registers and 98304 bytes",
	},
	{
		"'ignore_limits' has no effect: the block would never be placed",
		.params = MANY ", 'registers': 256, 'ignore_limits': true",
		.script = "0 list kernel #1 ctas=1 warps=1 nregs=9; 4 end",
		.log = "end it cycles=1; held it: kernel 1 'k': 0 of 1 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' does not fit on this SM: a block has 32 "
		       "threads with 9 registers each and 0 bytes of shared memory;"
		       "the SM has 256 threads, 256 registers and 98304 bytes",
	},
	{
		"a block that fills the SM is accepted",
		.params = MANY ", 'shared_bytes': 1000, 'registers': 2048",
		.script = "0 list kernel #1 ctas=1 warps=8 shmem=1000 nregs=8; 4 sm over slot=0;"
		          "8 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "4 it event kernel kernel=1 cycles=5 instructions=0 ctas=1;"
		       "4 l1d invalidate; end it cycles=5 kernels=1",
	},
	{
		"a trace that cannot be read stops the run: when a kernel is examined",
		.params = MANY,
		.script = "0 list kernel #1 ctas=1 warps=1; 0 list broken; 4 end",
		.log = "end it cycles=1; error list: cycle 1: cannot be read",
	},
	{
		"or a kernel is opened or a block read",
		.params = MANY,
		.script = "0 list kernel #1 ctas=2 warps=1; 1 list broken; 4 end",
		.log = "0 list open #1; 0 list block of #1 at w0; 0 sm launch slot=0 first=0;"
		       "1 list block of #1 at w1; end it cycles=2;"
		       "held it: kernel 1 'k': 1 of 2 CTAs placed, 1 not ended;"
		       "error list: cycle 2: cannot be read",
	},
	{
		"an empty list is the end",
		.params = MANY,
		.script = "4 end",
		.log = "end it cycles=1",
	},
	/* ---- on the SMs of a GPU ---- */
	{
		"one block for each cluster at the end of a cycle, clusters and their SMs in rings",
		.shows = "GK3",
		.netlist = clusters,
		.params = TWO,
		.script = "0 list kernel #1 ctas=7 warps=4; 10 b over slot=0; 12 c over slot=0; 12 a over slot=0;"
		          "20 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 d launch slot=0 first=0;"
		       "1 list block of #1 at w256; 1 list block of #1 at w768;"
		       "2 a launch slot=1 first=4; 2 c launch slot=1 first=4;"
		       "2 list block of #1 at w4; 2 list block of #1 at w516;"
		       "3 b launch slot=1 first=4; 3 list block of #1 at w260;"
		       "end it cycles=21;"
		       "held it: kernel 1 'k': 7 of 7 CTAs placed, 4 not ended",
	},
	{
		"a ring begins after the cluster, and the SM, that was served last",
		.shows = "GK3",
		.netlist = clusters,
		.params = TWO,
		.script = "0 list kernel #1 ctas=3 warps=8; 3 a over slot=0; 3 b over slot=0; 3 c over slot=0;"
		          "3 list kernel #2 ctas=3 warps=8; 8 a over slot=0; 8 d over slot=0;"
		          "8 c over slot=0; 20 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 list block of #1 at w256;"
		       "3 it event kernel kernel=1 cycles=4 instructions=0 ctas=3;"
		       "3 list kernel #2; 4 a launch slot=0 first=0;"
		       "4 d launch slot=0 first=0; 4 list block of #2 at w768;"
		       "4 list block of #2 at w0; 5 c launch slot=0 first=0;"
		       "5 list block of #2 at w512; 8 g rests; 8 h rests;"
		       "8 it event kernel kernel=2 cycles=5 instructions=0 ctas=3;"
		       "end it cycles=9 kernels=2",
	},
	{
		"SMs of one cluster each",
		.shows = "GK3",
		.netlist = sms,
		.script = "0 list kernel #1 ctas=9 warps=4; 10 end",
		.log = "0 a launch slot=0 first=0; 0 b launch slot=0 first=0;"
		       "0 c launch slot=0 first=0; 0 d launch slot=0 first=0;"
		       "0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list block of #1 at w256; 0 list block of #1 at w512;"
		       "0 list block of #1 at w768; 1 a launch slot=1 first=4;"
		       "1 b launch slot=1 first=4; 1 c launch slot=1 first=4;"
		       "1 d launch slot=1 first=4; 1 list block of #1 at w4;"
		       "1 list block of #1 at w260; 1 list block of #1 at w516;"
		       "1 list block of #1 at w772; end it cycles=11;"
		       "held it: kernel 1 'k': 8 of 9 CTAs placed, 8 not ended",
	},
	{
		"launch latencies: of a kernel, and of each of its blocks",
		.shows = "GK2",
		.netlist = clusters,
		.params = TWO ", 'kernel_latency': 5, 'cta_latency': 2",
		.script = "0 list kernel #1 ctas=2 warps=4; 0 list kernel #2 ctas=1 warps=8;"
		          "12 a over slot=0; 14 c over slot=0; 30 b over slot=0; 40 end",
		.log = "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "9 a launch slot=0 first=0; 9 c launch slot=0 first=0;"
		       "9 list block of #1 at w0; 9 list block of #1 at w512; 12 g rests;"
		       "14 g works;"
		       "14 it event kernel kernel=1 cycles=15 instructions=0 ctas=2;"
		       "14 list kernel #2; 22 b launch slot=0 first=0; 22 h rests;"
		       "22 list block of #2 at w256; 30 g rests;"
		       "30 it event kernel kernel=2 cycles=16 instructions=0 ctas=1;"
		       "end it cycles=31 kernels=2",
	},
	{
		"clusters have cycles while there are blocks to place, or one of theirs has not ended",
		.shows = "GK5",
		.netlist = clusters,
		.params = TWO,
		.script = "0 list kernel #1 ctas=3 warps=8; 4 a over slot=0; 7 c over slot=0; 9 b over slot=0;"
		          "9 list kernel #2 ctas=1 warps=8; 14 d over slot=0; 20 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 list block of #1 at w256; 7 h rests;"
		       "9 h works;"
		       "9 it event kernel kernel=1 cycles=10 instructions=0 ctas=3;"
		       "9 list kernel #2; 10 d launch slot=0 first=0; 10 g rests;"
		       "10 list block of #2 at w768; 14 h rests;"
		       "14 it event kernel kernel=2 cycles=5 instructions=0 ctas=1;"
		       "end it cycles=15 kernels=2",
	},
	{
		"a kernel ends with its last block; the next begins with the following cycle",
		.shows = "GK1",
		.netlist = clusters,
		.params = TWO,
		.script = "0 list kernel #1 ctas=1 warps=8; 0 list kernel #2 ctas=2 warps=8; 5 a over slot=0;"
		          "9 c over slot=0; 11 b over slot=0; 20 end",
		.log = "0 a launch slot=0 first=0; 0 g SMs from 0 on, works;"
		       "0 h SMs from 2 on, works; 0 h rests; 0 list kernel #1;"
		       "0 list block of #1 at w0; 5 h works;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "5 list kernel #2; 6 b launch slot=0 first=0;"
		       "6 c launch slot=0 first=0; 6 list block of #2 at w512;"
		       "6 list block of #2 at w256; 9 h rests; 11 g rests;"
		       "11 it event kernel kernel=2 cycles=6 instructions=0 ctas=2;"
		       "end it cycles=12 kernels=2",
	},
	{
		"data copied to the device are put into the slices of their addresses",
		.shows = "GK6",
		.netlist = with_l2,
		.script = "0 list copy 0x0c0 bytes=65; 0 list copy 0x10000100 bytes=32; 0 list kernel #1 ctas=1;"
		          "0 list copy 0x100000020 bytes=1; 0 list kernel #2 ctas=1; 3 a over slot=0; 6 b over slot=0;"
		          "10 end",
		.log = "0 a launch slot=0 first=0; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 m preset 0xc0 ahead=0 later=1;"
		       "0 m preset 0xe0 ahead=0 later=1; 0 n preset 0x100 ahead=0 later=1;"
		       "0 n preset 0x10000100 ahead=0 later=1;"
		       "3 it event kernel kernel=1 cycles=4 instructions=0 ctas=1;"
		       "3 list kernel #2; 3 m preset 0x20 ahead=1 later=1;"
		       "4 b launch slot=0 first=0; 4 list block of #2 at w256;"
		       "6 it event kernel kernel=2 cycles=3 instructions=0 ctas=1;"
		       "end it cycles=7 kernels=2 copied=98",
	},
	{
		"not with 'copies' false",
		.shows = "GK6",
		.netlist = with_l2,
		.params = "'copies': false",
		.script = "0 list copy 0x0c0 bytes=65; 0 list kernel #1 ctas=1; 3 a over slot=0; 10 end",
		.log = "0 a launch slot=0 first=0; 0 list kernel #1;"
		       "0 list block of #1 at w0;"
		       "3 it event kernel kernel=1 cycles=4 instructions=0 ctas=1;"
		       "end it cycles=4 kernels=1",
	},
	{
		"copies without slices take no effect",
		.shows = "GK6",
		.netlist = sms,
		.script = "0 list copy 0x0c0 bytes=65; 0 list kernel #1 ctas=1; 3 a over slot=0; 10 end",
		.log = "0 a launch slot=0 first=0; 0 list kernel #1;"
		       "0 list block of #1 at w0;"
		       "3 it event kernel kernel=1 cycles=4 instructions=0 ctas=1;"
		       "end it cycles=4 kernels=1",
	},
	{
		"the L2 is flushed in every cycle at whose end the GPU is empty, one slice for each "
		"channel",
		.shows = "GK8",
		.netlist = with_l2,
		.params = "'flush_l2': true, 'kernel_latency': 2",
		.script = "0 list kernel #1 ctas=1; 5 a over slot=0; 12 end",
		.log = "0 list kernel #1; 0 m flush; 1 m flush; 2 a launch slot=0 first=0;"
		       "2 list block of #1 at w0;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1; 5 m flush;"
		       "end it cycles=6 kernels=1",
	},
	{
		"all caches are emptied when the first block of a kernel may be placed",
		.shows = "GK14",
		.netlist = with_l2,
		.params = "'flush_launch': true, 'kernel_latency': 2",
		.script = "0 list kernel #1 ctas=2; 0 list kernel #2 ctas=1; 5 a over slot=0; 6 b over slot=0;"
		          "12 c over slot=0; 20 end",
		.log = "0 list kernel #1; 2 a launch slot=0 first=0; 2 b launch slot=0 first=0;"
		       "2 list block of #1 at w0; 2 list block of #1 at w256; 2 m invalidate; 2 n invalidate;"
		       "6 it event kernel kernel=1 cycles=7 instructions=0 ctas=2; 6 list kernel #2;"
		       "9 c launch slot=0 first=0; 9 list block of #2 at w512; 9 m invalidate; 9 n invalidate;"
		       "12 it event kernel kernel=2 cycles=6 instructions=0 ctas=1; end it cycles=13 kernels=2",
	},
	{
		"also L1Ds that outlive a kernel",
		.shows = "GK14",
		.netlist = with_l1d,
		.params = TWO ", 'flush_launch': true, 'flush_l1d': false",
		.script = "0 list kernel #1 ctas=1 warps=8; 4 a over slot=0; 12 end",
		.log = "0 a launch slot=0 first=0; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 p invalidate; 0 q invalidate; 0 r invalidate; 0 s invalidate;"
		       "4 it event kernel kernel=1 cycles=5 instructions=0 ctas=1; end it cycles=5 kernels=1",
	},
	{
		"not with kernels side by side",
		.shows = "GK14",
		.params = MANY ", 'flush_launch': true",
		.script = "0 end",
		.log = "refused instance 'it': 'flush_launch' expects kernels that run one after another; "
		       "'concurrent' is true",
	},
	{
		"L1Ds of a cluster are dropped when it is empty",
		.shows = "GK7",
		.netlist = with_l1d,
		.params = TWO,
		.script = "0 list kernel #1 ctas=3 warps=8; 4 a over slot=0; 6 b over slot=0; 8 c over slot=0;"
		          "8 list kernel #2 ctas=1 warps=8; 12 d over slot=0; 20 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list block of #1 at w512; 1 b launch slot=0 first=0;"
		       "1 list block of #1 at w256; 6 p invalidate; 6 q invalidate;"
		       "8 it event kernel kernel=1 cycles=9 instructions=0 ctas=3;"
		       "8 list kernel #2; 8 r invalidate; 8 s invalidate;"
		       "9 d launch slot=0 first=0; 9 list block of #2 at w768;"
		       "12 it event kernel kernel=2 cycles=4 instructions=0 ctas=1;"
		       "12 r invalidate; 12 s invalidate; end it cycles=13 kernels=2",
	},
	{
		"warps that never ran count as ended, and leave the barrier of their SM",
		.shows = "GK3",
		.netlist = with_barriers,
		.params = TWO,
		.script = "0 list kernel #1 ctas=2 warps=3; 0 list none w1; 1 a show w0 w1 w2; 4 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list block of #1 at w512; 0 v leave w1; 1 a w0 npc=0x1000;"
		       "1 a w1 ended npc=0x1010; 1 a w2 npc=0x1020; end it cycles=5;"
		       "held it: kernel 1 'k': 2 of 2 CTAs placed, 2 not ended",
	},
	{
		"SMs that do not make whole clusters are refused",
		.shows = "GK9",
		.netlist = clusters,
		.params = "'cores': 3",
		.script = "0 end",
		.log = "refused instance 'it': there are 4 SMs at port 'warps' and 3 in a "
		       "cluster; expected whole clusters",
	},
	{
		"and none",
		.shows = "GK9",
		.netlist = no_sm,
		.script = "0 end",
		.log = "refused instance 'it': there are 0 SMs at port 'warps' and 1 in a "
		       "cluster; expected whole clusters",
	},
	{
		"a number of barriers other than that of SMs",
		.shows = "GK9",
		.netlist = one_barrier,
		.params = TWO,
		.script = "0 end",
		.log = "refused instance 'it': there are 1 barriers for 4 SMs;"
		       "expected as many",
	},
	{
		"of L1Ds",
		.shows = "GK9",
		.netlist = one_l1d,
		.params = TWO,
		.script = "0 end",
		.log = "refused instance 'it': there are 1 L1Ds for 4 SMs; expected as many: one that two SMs "
		       "share is linked twice, as by \"l1d\": \"l1d.cache, l1d.cache\" in \"exports\"",
	},
	{
		"of clusters",
		.shows = "GK9",
		.netlist = one_work,
		.params = TWO,
		.script = "0 end",
		.log = "refused instance 'it': 1 clusters at port 'work' and 4 SMs of 2 in a "
		       "cluster; expected as many",
	},
	{
		"of slices",
		.shows = "GK9",
		.netlist = wrong_l2,
		.params = TWO,
		.script = "0 end",
		.log = "refused instance 'it': there are 2 caches at port 'l2', and the "
		       "address map has 4 slices; expected as many",
	},
	{
		"the occupancy of a small grid is its blocks divided among the SMs, rounded up",
		.shows = "GK4",
		.netlist = clusters,
		.params = TWO,
		.script = "0 list kernel #1 ctas=5 warps=1; 10 end",
		.log = ONE_EACH
		       "2 a launch slot=1 first=1; 2 list block of #1 at w1;"
		       "end it cycles=11;"
		       "held it: kernel 1 'k': 5 of 5 CTAs placed, 5 not ended",
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
	/* ---- kernels side by side, on the SMs of a GPU ---- */
	{
		"the last block of a kernel and the first of another may be placed in one cycle",
		.shows = "GK10",
		.netlist = sms,
		.params = MANY_TWO,
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
		.netlist = sms,
		.params = MANY_TWO,
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
		       "9 it event kernel kernel=3 cycles=10 instructions=0 ctas=2;"
		       "12 it event kernel kernel=2 cycles=7 instructions=0 ctas=1;"
		       "end it cycles=13 kernels=3",
	},
	{
		"registers that one kernel leaves free are there for the blocks of another",
		.shows = "GK11",
		.netlist = sms,
		.params = MANY_TWO ", 'registers': 1024",
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
		.netlist = sms,
		.params = MANY_TWO ", 'shared_bytes': 100, 'registers': 1024, 'max_ctas': 2",
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
		.netlist = sms,
		.params = MANY_TWO ", 'shared_bytes': 100",
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
		.netlist = sms,
		.params = MANY_TWO,
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
		.netlist = sms,
		.params = MANY_TWO ", 'kernel_latency': 3, 'cta_latency': 2",
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
		.netlist = sms,
		.params = MANY ", " TWO ", 'window': 2",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2;"
		          "0 list kernel #3 ctas=1 warps=1 stream=3; 5 a over slot=0;"
		          "5 c over slot=0; 10 b over slot=0; 14 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0; 0 list open #1;"
		       "0 list block of #1 at w0; 0 list open #2; 0 list block of #2 at w512;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "6 b launch slot=0 first=0;"
		       "6 it event kernel kernel=2 cycles=7 instructions=0 ctas=1;"
		       "6 list open #3; 6 list block of #3 at w256;"
		       "10 it event kernel kernel=3 cycles=5 instructions=0 ctas=1;"
		       "end it cycles=11 kernels=3",
	},
	{
		"copies take effect when the kernel behind them comes into the window",
		.shows = "GK13",
		.netlist = with_l2,
		.params = MANY ", " TWO ", 'window': 2",
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
		.netlist = clusters,
		.params = MANY_TWO ", 'kernel_latency': 4",
		.script = "0 list kernel #1 ctas=1 warps=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2; 8 a over slot=0;"
		          "10 c over slot=0; 14 end",
		.log = "0 g SMs from 0 on, works; 0 h SMs from 2 on, works;"
		       "4 a launch slot=0 first=0; 4 c launch slot=0 first=0; 4 list open #1;"
		       "4 list block of #1 at w0; 4 list open #2; 4 list block of #2 at w512;"
		       "8 g rests; 8 it event kernel kernel=1 cycles=9 instructions=0 ctas=1;"
		       "10 h rests;"
		       "10 it event kernel kernel=2 cycles=11 instructions=0 ctas=1;"
		       "end it cycles=11 kernels=2",
	},
	{
		"a block that does not fit on an empty SM is an error",
		.shows = "GK11",
		.netlist = sms,
		.params = MANY_TWO ", 'shared_bytes': 100",
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
		.netlist = sms,
		.params = MANY_TWO,
		.script = "0 list kernel #1 ctas=3 warps=1 has=1 stream=1;"
		          "0 list kernel #2 ctas=1 warps=8 stream=2; 5 a over slot=0;"
		          "7 c over slot=0; 7 d over slot=0; 14 end",
		.log = "0 a launch slot=0 first=0; 0 d launch slot=0 first=0; 0 list open #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512: no more;"
		       "0 list open #2; 0 list block of #2 at w768;"
		       "5 it event kernel kernel=1 cycles=6 instructions=0 ctas=1;"
		       "7 it event kernel kernel=2 cycles=8 instructions=0 ctas=1;"
		       "end it cycles=8 kernels=2;"
		       "error heddle: warning: it: cycle 1: kernel 1 'k' has 1 thread blocks in the trace "
		       "and 3 in its grid",
	},
	{
		"and one of which there is no block at all at once",
		.shows = "GK12",
		.netlist = sms,
		.params = MANY_TWO,
		.script = "0 list kernel #1 ctas=2 warps=1 has=0 stream=1;"
		          "0 list kernel #2 ctas=1 warps=1 stream=2; 5 a over slot=0;"
		          "5 c over slot=0; 5 b over slot=0; 5 d over slot=0; 9 end",
		.log = "0 b launch slot=0 first=0;"
		       "0 it event kernel kernel=1 cycles=1 instructions=0 ctas=0;"
		       "0 list open #1; 0 list block of #1 at w0: no more; 0 list open #2;"
		       "0 list block of #2 at w256;"
		       "5 it event kernel kernel=2 cycles=6 instructions=0 ctas=1;"
		       "end it cycles=6 kernels=2;"
		       "error heddle: warning: it: cycle 1: kernel 1 'k' has 0 thread blocks in the trace "
		       "and 2 in its grid",
	},
	/* ---- kernels that are skipped, which only leave sectors in caches ---- */
	{
		"the sectors that lanes address in global memory, the last bytes of each lane, too",
		.params = "'flush_l1d': false",
		.skip = 1,
		.script = "0 list kernel #1 warps=2; 0 list kernel #2;"
		          "0 list line #1 w0 flags=load space=global addr=0x1000,0x1004,0x101e mask=0x7 width=4;"
		          "0 list line #2 w1 flags=store space=global addr=0x2000 mask=1 width=1;"
		          "0 list line #3 w1 flags=load space=global addr=0x301f mask=1 width=2;"
		          "3 sm over slot=0; 6 end",
		.log = "0 sm launch slot=0 first=0; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list kernel #2; 0 list block of #2 at w0;"
		       "0 l1d preset 0x1000 ahead=0 later=1; 0 l1d preset 0x1020 ahead=0 later=1;"
		       "0 l1d preset 0x2000 ahead=0 later=1; 0 l1d preset 0x3000 ahead=0 later=1;"
		       "0 l1d preset 0x3020 ahead=0 later=1;"
		       "3 it event kernel kernel=2 cycles=4 instructions=0 ctas=1;"
		       "end it cycles=4 kernels=1",
	},
	{
		"of each thread block; not those of lanes that are off or address nothing, nor other spaces",
		.params = "'flush_l1d': false",
		.skip = 1,
		.script = "0 list kernel #1 ctas=2; 0 list kernel #2;"
		          "0 list line #1 w0 flags=load space=shared addr=0x1000 mask=1;"
		          "0 list line #2 w0 flags=load space=global addr=0,0x40 mask=3 width=4;"
		          "0 list line #3 w0 flags=load space=global addr=0x80,0x100 mask=2 width=4;"
		          "0 list line #4 w0 space=global addr=0x200 mask=1; 3 sm over slot=0; 6 end",
		.log = "0 sm launch slot=0 first=0; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list block of #1 at w0; 0 list kernel #2; 0 list block of #2 at w0;"
		       "0 l1d preset 0x40 ahead=0 later=1; 0 l1d preset 0x100 ahead=0 later=1;"
		       "0 l1d preset 0x40 ahead=0 later=1; 0 l1d preset 0x100 ahead=0 later=1;"
		       "3 it event kernel kernel=2 cycles=4 instructions=0 ctas=1;"
		       "end it cycles=4 kernels=1",
	},
	{
		"none where the L1D is dropped between kernels",
		.skip = 1,
		.script = "0 list kernel #1; 0 list kernel #2;"
		          "0 list line #1 w0 flags=load space=global addr=0x1000 mask=1 width=4;"
		          "3 sm over slot=0; 6 end",
		.log = "0 sm launch slot=0 first=0; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list kernel #2; 0 list block of #2 at w0;"
		       "3 it event kernel kernel=2 cycles=4 instructions=0 ctas=1;"
		       "3 l1d invalidate; end it cycles=4 kernels=1",
	},
	{
		"the run is over when all kernels were skipped",
		.params = "'flush_l1d': false",
		.skip = 2,
		.script = "0 list kernel #1; 0 list kernel #2; 6 end",
		.log = "0 list kernel #1; 0 list block of #1 at w0; 0 list kernel #2;"
		       "0 list block of #2 at w0; end it cycles=1",
	},
	{
		"a kernel with fewer thread blocks in the trace than in its grid",
		.params = "'flush_l1d': false",
		.skip = 1,
		.script = "0 list kernel #1 ctas=3 has=1; 0 list kernel #2;"
		          "0 list line #1 w0 flags=load space=global addr=0x1000 mask=1 width=4;"
		          "3 sm over slot=0; 6 end",
		.log = "0 sm launch slot=0 first=0; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list block of #1 at w0: no more; 0 list kernel #2;"
		       "0 list block of #2 at w0; 0 l1d preset 0x1000 ahead=0 later=1;"
		       "3 it event kernel kernel=2 cycles=4 instructions=0 ctas=1;"
		       "end it cycles=4 kernels=1;"
		       "error heddle: warning: it: cycle 1: kernel 1 'k' has 1 thread blocks in "
		       "the trace and 3 in its grid",
	},
	{
		"one that cannot be read ends the run",
		.skip = 1,
		.script = "0 list kernel #1; 0 list broken; 6 end",
		.log = "0 list kernel #1; end it cycles=1; error list: cycle 1: cannot be read",
	},
	{
		"on a whole GPU also in the second-level cache; thread blocks are on its SMs in turn",
		.netlist = two_sms,
		.params = "'flush_l1d': false",
		.skip = 1,
		.script = "0 list kernel #1 ctas=3; 0 list kernel #2;"
		          "0 list line #1 w0 flags=load space=global addr=0x10001e mask=1 width=4;"
		          "3 a over slot=0; 6 end",
		.log = "0 a launch slot=0 first=0; 0 l2 preset 0x100000 ahead=0 later=1;"
		       "0 l2 preset 0x100020 ahead=0 later=1;"
		       "0 l2 preset 0x100000 ahead=0 later=1;"
		       "0 l2 preset 0x100020 ahead=0 later=1;"
		       "0 l2 preset 0x100000 ahead=0 later=1;"
		       "0 l2 preset 0x100020 ahead=0 later=1; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w0;"
		       "0 list block of #1 at w0; 0 list kernel #2; 0 list block of #2 at w0;"
		       "0 p preset 0x100000 ahead=0 later=1; 0 p preset 0x100020 ahead=0 later=1;"
		       "0 p preset 0x100000 ahead=0 later=1; 0 p preset 0x100020 ahead=0 later=1;"
		       "0 q preset 0x100000 ahead=0 later=1; 0 q preset 0x100020 ahead=0 later=1;"
		       "3 it event kernel kernel=2 cycles=4 instructions=0 ctas=1;"
		       "end it cycles=4 kernels=1",
	},
	{
		"only there if the L1Ds are dropped",
		.netlist = two_sms,
		.skip = 2,
		.script = "0 list kernel #1; 0 list kernel #2;"
		          "0 list line #1 w0 flags=load space=global addr=0x100000 mask=1 width=4; 6 end",
		.log = "0 l2 preset 0x100000 ahead=0 later=1;"
		       "0 l2 preset 0x100000 ahead=0 later=1; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list kernel #2; 0 list block of #2 at w0;"
		       "end it cycles=1",
	},
	/* ---- how far it foresees: for so many cycles it starts nothing on the SMs ---- */
	{
		"up to the first block; from the last one on as long as the warps must take",
		.netlist = clusters,
		.params = "'cores': 2, 'kernel_latency': 6, 'warp_rate': 2, 'sm_rate': 4",
		.plain = true,
		.foresees = true,
		.script = "0 list kernel #1 ctas=2 warps=2; 0 list left warp=0 n=20; 0 list left warp=1 n=40;"
		          "0 list left warp=512 n=50; 0 list left warp=513 n=30; 0 list left warp=2 n=999;"
		          "10 list left warp=512 n=38; 12 list left warp=1 n=10; 12 list left warp=512 n=10;"
		          "12 list left warp=513 n=60; 14 a over slot=0; 16 end",
		.log = "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "0 it foresees 5; 6 a launch slot=0 first=0; 6 c launch slot=0 first=0;"
		       "6 list block of #1 at w0; 6 list block of #1 at w512; 14 g rests;"
		       "6 it foresees 25; 12 it foresees 30;"
		       "end it cycles=17; held it: kernel 1 'k': 2 of 2 CTAs placed, 1 not ended",
	},
	{
		"nothing while there is room for a block, then as long as those that wait must take, too",
		.netlist = clusters,
		.params = "'cores': 2, 'warp_rate': 2, 'sm_rate': 4",
		.plain = true,
		.foresees = true,
		.script = "0 list kernel #1 ctas=20 warps=4; 0 list left warp=4 n=30; 0 list left warp=5 n=50;"
		          "5 list left warp=5 n=70; 6 list left warp=4 n=0; 7 list left warp=5 n=0; 9 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 d launch slot=0 first=0;"
		       "1 list block of #1 at w256; 1 list block of #1 at w768;"
		       "2 a launch slot=1 first=4; 2 c launch slot=1 first=4;"
		       "2 list block of #1 at w4; 2 list block of #1 at w516;"
		       "3 b launch slot=1 first=4; 3 d launch slot=1 first=4;"
		       "3 list block of #1 at w260; 3 list block of #1 at w772;"
		       "3 it foresees 25; 5 it foresees 35;"
		       "end it cycles=10;"
		       "held it: kernel 1 'k': 8 of 20 CTAs placed, 8 not ended",
	},
	{
		"a store that is left has to be answered; and what was foreseen once holds",
		.netlist = clusters,
		.params = "'cores': 2, 'warp_rate': 2, 'sm_rate': 4, 'store_latency': 30",
		.plain = true,
		.foresees = true,
		.script = "0 list kernel #1 ctas=4 warps=2; 0 list left warp=0 n=8; 0 list left warp=513 n=4 stores=2;"
		          "0 list left warp=257 n=4 stores=1; 6 list left warp=513 n=4; 10 list left warp=257 n=2;"
		          "52 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 d launch slot=0 first=0;"
		       "1 list block of #1 at w256; 1 list block of #1 at w768; 1 it foresees 30;"
		       "end it cycles=53; held it: kernel 1 'k': 4 of 4 CTAs placed, 4 not ended",
	},
	{
		"nothing where the second-level cache may be flushed",
		.netlist = clusters,
		.params = "'cores': 2, 'kernel_latency': 6, 'flush_l2': true",
		.plain = true,
		.foresees = true,
		.script = "0 list kernel #1 ctas=1 warps=2; 0 list left warp=0 n=20; 9 end",
		.log = "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "6 a launch slot=0 first=0; 6 h rests; 6 list block of #1 at w0;"
		       "end it cycles=10; held it: kernel 1 'k': 1 of 1 CTAs placed, 1 not ended",
	},
};

SUITE(dispatcher, .netlist = one_sm, RULES(rules));
