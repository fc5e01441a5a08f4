/* l2_intake.c - rules of the entrance of a slice of the second-level cache
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between the network (`a`) and what takes its requests: a sink (`r`) that credits (`c`) speak for, or
 * a slice with its cache, which never sends anything to the sinks behind it but misses (`d`).
 */
#include "harness.h"

#define CLOCKS(core, l2) "'clocks': {'core': {'mhz': " #core "}, 'l2': {" l2 "}}, 'instances': {" \
	"'it': {'module': 'l2_intake', 'clock': 'l2'}, 'time': {'module': 'timebase', 'clock': 'core'}, " \
	"'a': {'module': 'put_mem', 'clock': 'l2'}, "
#define TO_SINK(room) \
	"'c': {'module': 'put_credit', 'clock': 'l2'}, 'r': {'module': 'take_mem', 'clock': 'l2'}}, " \
	"'links': [{'from': 'a.out', 'to': 'it.request', 'capacity': 16}, " \
	"{'from': 'it.rop', 'to': 'r.in', 'capacity': " #room "}, {'from': 'it.time', 'to': 'time.time'}, " \
	"{'from': 'c.out', 'to': 'it.credit'}]"
#define TO_SLICE \
	"'slice': {'module': 'l2_slice', 'clock': 'l2', 'params': {@}}, " \
	"'r': {'module': 'take_mem', 'clock': 'l2'}, 'd': {'module': 'turn_mem', 'clock': 'l2'}, " \
	"'cache': {'module': 'cache', 'clock': 'l2', 'params': {'write_policy': 'write_back'}}}, " \
	"'links': [{'from': 'a.out', 'to': 'it.request', 'capacity': 16}, " \
	"{'from': 'it.rop', 'to': 'slice.rop', 'capacity': 64}, " \
	"{'from': 'slice.credit', 'to': 'it.credit', 'latency': 0}, " \
	"{'from': 'slice.to_dram', 'to': 'd.in', 'capacity': 2}, " \
	"{'from': 'd.out', 'to': 'slice.from_dram', 'latency': 0, 'capacity': 4}, " \
	"{'from': 'slice.reply', 'to': 'r.in', 'capacity': 2}, " \
	"{'from': 'slice.cache', 'to': 'cache.cache'}, " \
	"{'from': ['it.time', 'slice.time'], 'to': 'time.time'}]"

static const char to_sink[] = CLOCKS(1000, "'of': 'core'") TO_SINK(16);
static const char narrow[] = CLOCKS(1000, "'of': 'core'") TO_SINK(4);
static const char too_narrow[] = CLOCKS(1000, "'of': 'core'") TO_SINK(3);
static const char to_slice[] = CLOCKS(1000, "'of': 'core'") TO_SLICE;
static const char slower[] = CLOCKS(1000, "'mhz': 300") TO_SLICE;
static const char faster[] = CLOCKS(300, "'mhz': 1000") TO_SLICE;

static const struct rule rules[] = {
	{
		"one request a cycle, in order",
		.shows = "SL1",
		.script = "0 a put 0x100 w1 flags=load dst=R4 lanes=3 core=2; 0 a put 0x40 w2 flags=write bytes=3;"
		          "5 a put 0x0 w3 flags=load; 10 end",
		.log = "2 r took 0x100 w1 R4 load lanes=3 core=2; 3 r took 0x40/3 w2 write;"
		       "7 r took 0 w3 load; end it taken=3",
	},
	{
		"none while it is closed, which it is from the edge behind the credit on",
		.shows = "SL2",
		.script = "0 a put 0x0 w1 flags=load n=6; 2 c credit open=0; 8 c credit open=1; 8 a room; 14 end",
		.log = "2 r took 0 w1 load; 3 r took 0x20 w1 load; 8 a room = 12;"
		       "10 r took 0x40 w1 load; 11 r took 0x60 w1 load; 12 r took 0x80 w1 load;"
		       "13 r took 0xa0 w1 load; end it taken=6 refused=6",
	},
	{
		"a line that was written back becomes a request for each modified sector",
		.shows = "SL9",
		.script = "0 a put 0x100 w0 flags=write,line,silent size=64 bytes=10 lines=1,255,3,15 via=0x100;"
		          "0 a put 0x200 w0 flags=write,line,silent size=128 bytes=15 lines=1,2,4,8 via=0x100;"
		          "0 a put 0x300 w0 flags=write,line,silent size=32 bytes=4 lines=1,2,4,8 via=0x100; 10 end",
		.log = "2 r took 0x120/a w0 write,line,silent lines=0,ff,0,0 via=0x100;"
		       "2 r took 0x160/a w0 write,line,silent lines=0,0,0,f via=0x100;"
		       "3 r took 0x200/f w0 write,line,silent lines=1,0,0,0 via=0x100;"
		       "3 r took 0x220/f w0 write,line,silent lines=1,2,0,0 via=0x100;"
		       "3 r took 0x240/f w0 write,line,silent lines=1,2,4,0 via=0x100;"
		       "3 r took 0x260/f w0 write,line,silent lines=1,2,4,8 via=0x100;"
		       "4 r took 0x340/4 w0 write,line,silent lines=1,2,4,8 via=0x100; end it taken=3",
	},
	{
		"and a read of several sectors one for each, in the same cycle",
		.shows = "SL10",
		.script = "0 a put 0x180 w3 flags=inst size=128 core=2; 0 a put 0x140 w1 flags=inst size=64; 10 end",
		.log = "2 r took 0x180 w3 inst core=2; 2 r took 0x1a0 w3 inst core=2;"
		       "2 r took 0x1c0 w3 inst core=2; 2 r took 0x1e0 w3 inst core=2;"
		       "3 r took 0x140 w1 inst; 3 r took 0x160 w1 inst; end it taken=2",
	},
	{
		"one of any bytes of a line stays one, and takes as many steps as it has sectors",
		.shows = "SL13",
		.script = "0 a put 0x190 w3 flags=load,parts size=80 core=2; 0 a put 0x300 w1 flags=load;"
		          "0 a put 0x428 w1 flags=write,parts size=16; 12 end",
		.log = "2 r took 0x190 w3 load,parts size=80 core=2; 5 r took 0x300 w1 load;"
		       "6 r took 0x428 w1 write,parts size=16; end it taken=3",
	},
	{
		"all parts enter at once, when there is room for all of them",
		.netlist = narrow,
		.script = "0 r stop; 0 a put 0x0 w1 flags=load; 0 a put 0x180 w3 flags=inst size=128; 6 r go; 10 end",
		.log = "6 r took 0 w1 load; 7 r took 0x180 w3 inst; 7 r took 0x1a0 w3 inst;"
		       "7 r took 0x1c0 w3 inst; 7 r took 0x1e0 w3 inst; end it taken=2 refused=4",
	},
	{
		"a single one waits for room, too",
		.netlist = narrow,
		.script = "0 r stop; 0 a put 0x0 w1 flags=load n=5;"
		          "0 a put 0x100 w2 flags=write bytes=3; 9 r go; 14 end",
		.log = "9 r took 0 w1 load; 9 r took 0x20 w1 load; 9 r took 0x40 w1 load;"
		       "9 r took 0x60 w1 load; 10 r took 0x80 w1 load;"
		       "11 r took 0x100/3 w2 write; end it taken=6 refused=4",
	},
	{
		"a link in which they never fit is an error",
		.netlist = too_narrow,
		.script = "0 a put 0x0 w1 flags=load; 0 a put 0x180 w3 flags=inst size=128; 10 end",
		.log = "2 r took 0 w1 load; end it taken=1 refused=1; end 1 records;"
		       "error it: cycle 3: a request of 4 sectors can never be taken;"
		       "expected a \"capacity\" of at least as many of the link from port 'rop', found 3",
	},
	{
		"a read of a line that is not of instructions is refused: its sectors are answered one by one",
		.netlist = to_sink,
		.script = "0 a put 0x180 w3 flags=load size=128 core=2; 5 end",
		.log = "end 1 records; error it: cycle 2: a read of 128 bytes by SM 2;"
		       "expected 'sectored' at the cache that sends it, as sectors are answered one by one",
	},
	{
		"and so is a read that a slice made for a store, the reply to which this one would take for its own",
		.netlist = to_sink,
		.script = "0 a put 0x180 w3 flags=alloc; 5 end",
		.log = "end 1 records; error it: cycle 2: a read that a slice made for a store;"
		       "expected 'write_allocate' \"none\" or \"lazy_fetch_on_read\" at the cache of a slice with "
		       "another one behind it",
	},
	{
		"at equal clocks 'rop_latency' is that many edges",
		.shows = "SL3",
		.netlist = to_slice,
		.params = "'rop_latency': 7",
		.script = "0 a put 0x0 w1 flags=load; 3 a put 0x40 w1 flags=inst size=64; 30 end",
		.log = "11 d took 0 w1 load; 14 d took 0x40 w1 inst;"
		       "end it taken=2; end slice accesses=3;"
		       "end cache accesses=3 misses=1 sector_misses=2 merged=1 global_read_misses=1 "
		       "inst_sector_misses=2 inst_merged=1;"
		       "held cache: 3 requests in 2 miss entries, 0 of which are filled; end 3 records",
	},
	{
		"one of 1 is one edge more than none",
		.shows = "SL3",
		.netlist = to_slice,
		.params = "'rop_latency': 1",
		.script = "0 a put 0x0 w1 flags=load; 3 a put 0x40 w1 flags=load; 30 end",
		.log = "5 d took 0 w1 load; 8 d took 0x40 w1 load; end it taken=2; end slice accesses=2;"
		       "end cache accesses=2 misses=1 sector_misses=1 global_read_misses=1 "
		       "global_read_sector_misses=1;"
		       "held cache: 2 requests in 2 miss entries, 0 of which are filled; end 2 records",
	},
	{
		"none",
		.shows = "SL3",
		.netlist = to_slice,
		.params = "'rop_latency': 0",
		.script = "0 a put 0x0 w1 flags=load; 3 a put 0x40 w1 flags=load; 30 end",
		.log = "4 d took 0 w1 load; 7 d took 0x40 w1 load; end it taken=2; end slice accesses=2;"
		       "end cache accesses=2 misses=1 sector_misses=1 global_read_misses=1 "
		       "global_read_sector_misses=1;"
		       "held cache: 2 requests in 2 miss entries, 0 of which are filled; end 2 records",
	},
	{
		"at a slower one cycles of the time base count",
		.shows = "SL3",
		.netlist = slower,
		.params = "'rop_latency': 12",
		.script = "0 a put 0x0 w1 flags=load; 3 a put 0x40 w1 flags=load; 80 end",
		.log = "8 d took 0 w1 load; 11 d took 0x40 w1 load; end it taken=2;"
		       "end slice accesses=2;"
		       "end cache accesses=2 misses=1 sector_misses=1 global_read_misses=1 "
		       "global_read_sector_misses=1;"
		       "held cache: 2 requests in 2 miss entries, 0 of which are filled; end 2 records",
	},
	{
		"and at a faster one",
		.shows = "SL3",
		.netlist = faster,
		.params = "'rop_latency': 4",
		.script = "0 a put 0x0 w1 flags=load; 3 a put 0x40 w1 flags=load; 30 end",
		.log = "17 d took 0 w1 load; 20 d took 0x40 w1 load; end it taken=2;"
		       "end slice accesses=2;"
		       "end cache accesses=2 misses=1 sector_misses=1 global_read_misses=1 "
		       "global_read_sector_misses=1;"
		       "held cache: 2 requests in 2 miss entries, 0 of which are filled; end 2 records",
	},
};

SUITE(l2_intake, .plain = true, .netlist = to_sink, RULES(rules));
