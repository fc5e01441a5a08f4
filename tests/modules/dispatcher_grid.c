/* dispatcher_grid.c - rules of the dispatcher of a whole GPU: the order of placing, launches, refusals
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dispatcher_grid.h"

static const char netlist[] = NETLIST;
static const char bare[] = "'instances': {" IT SMS LIST "}, 'links': [" LINKS "]";
static const char with_l1d[] = WITH_L1D;
#define L2S(slices) "'instances': {" IT SMS LIST ", 'm': {'module': 'give_cache'}, " \
	"'n': {'module': 'give_cache'}, 'map': {'module': 'give_map', 'params': {'channels': 1, " \
	"'slices': " slices "}}}, 'links': [" LINKS ", {'from': 'it.l2', 'to': 'm.cache'}, " \
	"{'from': 'it.l2', 'to': 'n.cache'}, {'from': 'it.map', 'to': 'map.map'}]"
static const char with_l2[] = L2S("2");
static const char wrong_l2[] = L2S("4");
static const char with_barriers[] =
	"'instances': {" IT SMS LIST ", 'v': {'module': 'give_sync'}, 'w': {'module': 'give_sync'}, "
	"'x': {'module': 'give_sync'}, 'y': {'module': 'give_sync'}}, 'links': [" LINKS
	", {'from': 'it.barrier', 'to': 'v.barrier'}, {'from': 'it.barrier', 'to': 'w.barrier'}, "
	"{'from': 'it.barrier', 'to': 'x.barrier'}, {'from': 'it.barrier', 'to': 'y.barrier'}]";
static const char one_barrier[] =
	"'instances': {" IT SMS LIST ", 'v': {'module': 'give_sync'}}, 'links': [" LINKS
	", {'from': 'it.barrier', 'to': 'v.barrier'}]";
static const char one_l1d[] =
	"'instances': {" IT SMS LIST ", 'p': {'module': 'give_cache'}}, 'links': [" LINKS
	", {'from': 'it.l1d', 'to': 'p.cache'}]";
static const char one_work[] =
	"'instances': {" IT SMS CLUSTERS LIST "}, 'links': [" LINKS ", {'from': 'it.work', 'to': 'g.work'}]";
static const char two_on_warps[] =
	"'instances': {" IT SMS LIST ", 'list2': {'module': 'give_kernels'}, "
	"'other': {'module': 'dispatcher'}}, 'links': [" LINKS
	", {'from': 'other.trace', 'to': 'list2.trace'}, {'from': 'other.warps', 'to': 'd.warps'}]";
static const char two_on_trace[] =
	"'instances': {" IT SMS LIST ", 'e': {'module': 'sm'}, "
	"'other': {'module': 'dispatcher'}}, 'links': [" LINKS
	", {'from': 'other.trace', 'to': 'list.trace'}, {'from': 'other.warps', 'to': 'e.warps'}]";
static const char no_sm[] =
	"'instances': {" IT LIST "}, 'links': [{'from': 'it.trace', 'to': 'list.trace'}]";

static const struct rule rules[] = {
	{
		"one block for each cluster at the end of a cycle, clusters and their SMs in rings",
		.shows = "GK3",
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
		.netlist = bare,
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
		.params = TWO,
		.script = "0 list kernel #1 ctas=3 warps=8; 4 a over slot=0; 7 c over slot=0; 9 b over slot=0;"
		          "9 list kernel #2 ctas=1 warps=8; 14 c over slot=0; 20 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 g SMs from 0 on, works; 0 h SMs from 2 on, works; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512;"
		       "1 b launch slot=0 first=0; 1 list block of #1 at w256; 7 h rests;"
		       "9 h works;"
		       "9 it event kernel kernel=1 cycles=10 instructions=0 ctas=3;"
		       "9 list kernel #2; 10 d launch slot=0 first=0; 10 g rests;"
		       "10 list block of #2 at w768; end it cycles=21 kernels=1;"
		       "held it: kernel 2 'k': 1 of 1 CTAs placed, 0 not ended",
	},
	{
		"a kernel ends with its last block; the next begins with the following cycle",
		.shows = "GK1",
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
		.netlist = bare,
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
		"or not",
		.shows = "GK7",
		.netlist = with_l1d,
		.params = TWO ", 'flush_l1d': false",
		.script = "0 list kernel #1 ctas=1 warps=8; 4 a over slot=0; 20 end",
		.log = "0 a launch slot=0 first=0; 0 list kernel #1;"
		       "0 list block of #1 at w0;"
		       "4 it event kernel kernel=1 cycles=5 instructions=0 ctas=1;"
		       "end it cycles=5 kernels=1",
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
		"a grid with fewer blocks than it announces ends with a warning",
		.netlist = bare,
		.params = TWO,
		.script = "0 list kernel #1 ctas=9 has=1 warps=8; 4 a over slot=0; 10 end",
		.log = "0 a launch slot=0 first=0; 0 list kernel #1;"
		       "0 list block of #1 at w0; 0 list block of #1 at w512: no more;"
		       "4 it event kernel kernel=1 cycles=5 instructions=0 ctas=1;"
		       "end it cycles=5 kernels=1;"
		       "error heddle: warning: it: cycle 1: kernel 1 'k' has 1 thread blocks "
		       "in the trace and 9 in its grid",
	},
	{
		"a trace that cannot be read ends the run",
		.netlist = bare,
		.params = TWO,
		.script = "0 list kernel #1 ctas=9 warps=8; 2 list broken; 4 a over slot=0; 10 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list block of #1 at w512; 1 b launch slot=0 first=0;"
		       "1 d launch slot=0 first=0; 1 list block of #1 at w256;"
		       "1 list block of #1 at w768; 4 list block of #1 at w0;"
		       "end it cycles=5;"
		       "held it: kernel 1 'k': 4 of 9 CTAs placed, 3 not ended;"
		       "error list: cycle 5: cannot be read",
	},
	{
		"a launch latency beyond the bound is refused",
		.netlist = bare,
		.params = "'cta_latency': 4294967295",
		.script = "0 list kernel #1 ctas=65537 warps=4; 4 end",
		.log = "0 list kernel #1; end it cycles=1;"
		       "held it: kernel 1 'k': 0 of 65537 CTAs placed, 0 not ended;"
		       "error it: cycle 1: kernel 1 'k' has 65537 thread blocks of "
		       "4294967295 cycles 'cta_latency' each;"
		       "expected at most 281474976710656 cycles in all",
	},
	{
		"a launch latency at the bound is accepted",
		.netlist = bare,
		.params = "'cta_latency': 4294967295",
		.script = "0 list kernel #1 ctas=65536 warps=4; 4 end",
		.log = "0 list kernel #1; end it cycles=5;"
		       "held it: kernel 1 'k': 0 of 65536 CTAs placed, 0 not ended",
	},
	{
		"so are SMs that do not make whole clusters",
		.shows = "GK9",
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
		.log = "refused instance 'it': there are 1 L1Ds for 4 SMs; expected as many",
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
		"two dispatchers on the same warps",
		.shows = "GK9",
		.netlist = two_on_warps,
		.params = TWO,
		.script = "0 end",
		.log = "refused instance 'other': another dispatcher places CTAs on the same "
		       "warps; expected one",
	},
	{
		"or the same trace",
		.shows = "GK9",
		.netlist = two_on_trace,
		.params = TWO,
		.script = "0 end",
		.log = "refused instance 'other': another dispatcher takes kernels from the "
		       "same trace; expected a trace source for each",
	},
	{
		"blocks that have not ended are reported",
		.netlist = bare,
		.params = TWO,
		.script = "0 list kernel #1 ctas=9 warps=8; 4 end",
		.log = "0 a launch slot=0 first=0; 0 c launch slot=0 first=0;"
		       "0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list block of #1 at w512; 1 b launch slot=0 first=0;"
		       "1 d launch slot=0 first=0; 1 list block of #1 at w256;"
		       "1 list block of #1 at w768; end it cycles=5;"
		       "held it: kernel 1 'k': 4 of 9 CTAs placed, 4 not ended",
	},
};

const struct suite suite_dispatcher_grid = { .name = "dispatcher_grid", .netlist = netlist,
	                                     RULES(rules) };
