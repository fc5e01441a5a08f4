/* dispatcher_skip.c - rules of the dispatchers for kernels that are skipped
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * These only leave sectors in caches.  On one SM, and on two with a slice of a second-level cache.
 */
#include "harness.h"

#define SM(name) "'" name "': {'module': 'sm', 'params': {'slots': 8}}, "
#define REST SM("a") "'list': {'module': 'give_kernels'}, 'p': {'module': 'give_cache'}"
#define LINKS "{'from': 'it.trace', 'to': 'list.trace'}, {'from': 'it.warps', 'to': 'a.warps'}, " \
	"{'from': 'it.l1d', 'to': 'p.cache'}"

static const char one_sm[] = "'instances': {'it': {'module': 'dispatcher', 'params': {@}}, " REST
	"}, 'links': [" LINKS "]";
static const char two_sms[] = "'instances': {'it': {'module': 'dispatcher_grid', 'params': {@}}, "
	REST ", " SM("b") "'q': {'module': 'give_cache'}, 'l2': {'module': 'give_cache'}, "
	"'map': {'module': 'give_map', 'params': {'channels': 1, 'slices': 1}}}, 'links': [" LINKS
	", {'from': 'it.warps', 'to': 'b.warps'}, {'from': 'it.l1d', 'to': 'q.cache'}, "
	"{'from': 'it.l2', 'to': 'l2.cache'}, {'from': 'it.map', 'to': 'map.map'}]";

static const struct rule rules[] = {
	{
		"the sectors that lanes address in global memory, the last bytes of each lane, too",
		.params = "'flush_l1d': false",
		.skip = 1,
		.script = "0 list kernel #1 warps=2; 0 list kernel #2;"
		          "0 list line #1 w0 flags=load space=global addr=0x1000,0x1004,0x101e mask=0x7 width=4;"
		          "0 list line #2 w1 flags=store space=global addr=0x2000 mask=1 width=1;"
		          "0 list line #3 w1 flags=load space=global addr=0x301f mask=1 width=2;"
		          "3 a over slot=0; 6 end",
		.log = "0 a launch slot=0 first=0; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list kernel #2; 0 list block of #2 at w0;"
		       "0 p preset 0x1000 ahead=0 later=1; 0 p preset 0x1020 ahead=0 later=1;"
		       "0 p preset 0x2000 ahead=0 later=1; 0 p preset 0x3000 ahead=0 later=1;"
		       "0 p preset 0x3020 ahead=0 later=1;"
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
		          "0 list line #4 w0 space=global addr=0x200 mask=1; 3 a over slot=0; 6 end",
		.log = "0 a launch slot=0 first=0; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list block of #1 at w0; 0 list kernel #2; 0 list block of #2 at w0;"
		       "0 p preset 0x40 ahead=0 later=1; 0 p preset 0x100 ahead=0 later=1;"
		       "0 p preset 0x40 ahead=0 later=1; 0 p preset 0x100 ahead=0 later=1;"
		       "3 it event kernel kernel=2 cycles=4 instructions=0 ctas=1;"
		       "end it cycles=4 kernels=1",
	},
	{
		"none where the L1D is dropped between kernels",
		.skip = 1,
		.script = "0 list kernel #1; 0 list kernel #2;"
		          "0 list line #1 w0 flags=load space=global addr=0x1000 mask=1 width=4;"
		          "3 a over slot=0; 6 end",
		.log = "0 a launch slot=0 first=0; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list kernel #2; 0 list block of #2 at w0;"
		       "3 it event kernel kernel=2 cycles=4 instructions=0 ctas=1;"
		       "3 p invalidate; end it cycles=4 kernels=1",
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
		          "3 a over slot=0; 6 end",
		.log = "0 a launch slot=0 first=0; 0 list kernel #1; 0 list block of #1 at w0;"
		       "0 list block of #1 at w0: no more; 0 list kernel #2;"
		       "0 list block of #2 at w0; 0 p preset 0x1000 ahead=0 later=1;"
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
};

const struct suite suite_dispatcher_skip = { .name = "dispatcher_skip", .netlist = one_sm,
	                                     RULES(rules) };
