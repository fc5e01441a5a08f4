/* l2_slice.c - rules of a slice of the second-level cache
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The slice, its intake and the cache that it calls, between the network (`a` and `r`) and the channel (`d`).
 * The cache has one set of two ways unless a rule says otherwise.
 */
#include "harness.h"

#define IT(rest) IT_TOLD(rest, "")
#define IT_TOLD(rest, links) "'in': {'module': 'l2_intake', 'clock': 'l2'}, " \
	"'it': {'module': 'l2_slice', 'clock': 'l2', 'params': {@}}, " \
	"'a': {'module': 'put_mem', 'clock': 'l2'}, 'r': {'module': 'take_mem', 'clock': 'l2'}, " \
	"'d': {'module': 'turn_mem', 'clock': 'l2'}, 'time': {'module': 'timebase', 'clock': 'core'}, " \
	"'cache': {'module': 'cache', 'clock': 'l2', 'params': {'sets': 1, 'line': 128, 'ways': 2, " \
	rest "}}}, 'links': [" LINKS links "]"
#define LINKS \
	"{'from': 'a.out', 'to': 'in.request', 'capacity': 16}, " \
	"{'from': 'in.rop', 'to': 'it.rop', 'capacity': 64}, {'from': 'it.credit', 'to': 'in.credit', 'latency': 0}, " \
	"{'from': 'it.to_dram', 'to': 'd.in', 'capacity': 2}, " \
	"{'from': 'd.out', 'to': 'it.from_dram', 'latency': 0, 'capacity': 4}, " \
	"{'from': 'it.reply', 'to': 'r.in', 'capacity': 2}, " \
	"{'from': 'it.cache', 'to': 'cache.cache'}, {'from': ['in.time', 'it.time'], 'to': 'time.time'}"
#define OTHER "'other': {'module': 'cache', 'clock': 'l2', 'params': {'sets': 1, 'line': 128, 'ways': 1, " \
	"'write_policy': 'write_back'}}, "
#define ONE "'clocks': {'core': {'mhz': 1000}, 'l2': {'of': 'core'}}, 'instances': {"
#define HALF "'clocks': {'core': {'mhz': 1000}, 'l2': {'mhz': 500}}, 'instances': {"
#define BACK "'write_policy': 'write_back', "

static const char netlist[] = ONE IT(BACK "'miss_queue': 4, 'mshr_entries': 4");
static const char with_map[] = ONE "'map': {'module': 'give_map', 'clock': 'core'}, "
	IT_TOLD(BACK "'miss_queue': 4", ", {'from': 'it.touch', 'to': 'map.touch'}");
static const char parted[] = ONE OTHER IT_TOLD(BACK "'miss_queue': 4",
	", {'from': 'it.copies', 'to': 'other.cache'}");
static const char slow[] = HALF IT(BACK "'miss_queue': 4");
static const char through[] = ONE IT("'write_policy': 'write_through'");
static const char fetching[] = ONE IT(BACK "'write_allocate': 'fetch_on_write'");
static const char allocating[] = ONE IT("'write_policy': 'write_through', "
                                        "'write_allocate': 'write_allocate'");

#define QUICK "'rop_latency': 0, 'queue': 8"

static const struct rule rules[] = {
	{
		"a miss is sent to the channel in the cycle behind its access, a reply in the one "
		"behind the fill",
		.shows = "SL1 SL3 SL5",
		.params = "'rop_latency': 5, 'queue': 8",
		.script = "0 a put 0x100 w1 flags=load dst=R4 lanes=3 core=2; 20 d give; 30 end",
		.log = "9 d took 0x100 w1 R4 load lanes=3 core=2;"
		       "22 r took 0x100 w1 R4 load,reply lanes=3 core=2; end in taken=1;"
		       "end it accesses=1; end cache accesses=1 misses=1 fills=1 global_read_misses=1",
	},
	{
		"'rop_latency' counts cycles of the time base",
		.shows = "SL3",
		.netlist = slow,
		.params = "'rop_latency': 6, 'queue': 8",
		.script = "0 a put 0x100 w1 flags=load; 30 end",
		.log = "7 d took 0x100 w1 load; end in taken=1; end it accesses=1;"
		       "end cache accesses=1 misses=1 global_read_misses=1;"
		       "held cache: 1 requests in 1 miss entries, 0 of which are filled; end 1 records",
	},
	{
		"requests are taken while there is room for four in the queue in front of the cache",
		.shows = "SL2",
		.params = "'rop_latency': 0, 'queue': 5",
		.script = "0 d stop; 0 a put 0x0 w1 flags=load n=9; 8 a room; 14 a room; 15 d go; 40 end",
		.log = "8 a room = 11; 14 a room = 11; 15 d took 0 w1 load; 15 d took 0x20 w1 load;"
		       "17 d took 0x40 w1 load; 18 d took 0x60 w1 load; end in taken=6 refused=34;"
		       "end it accesses=28 blocked=11;"
		       "end cache accesses=4 misses=1 sector_misses=3 reservation_fails=24 "
		       "fails_mshr_entries=24 global_read_misses=1 global_read_sector_misses=3 "
		       "global_read_refusals=24 global_read_fails_mshr_entries=24;"
		       "held it: 2 requests in front of the cache;"
		       "held cache: 4 requests in 4 miss entries, 0 of which are filled; end 9 records",
	},
	{
		"reads by SMs of the other partition come later, but where they are copied into, "
		"and only as long as that has room; stores do not wait",
		.shows = "SL11 CA25",
		.netlist = parted,
		.params = "'rop_latency': 0, 'queue': 8, 'far_latency': 7",
		.script = "0 a put 0x0 w1 flags=write bytes=0xffffffff core=0; 20 a put 0x0 w2 flags=load core=2;"
		          "40 a put 0x0 w3 flags=load core=1; 60 a put 0x0 w4 flags=load core=3;"
		          "80 a put 0x80 w5 flags=write bytes=0xffffffff core=1;"
		          "90 a put 0x80 w6 flags=load core=1; 110 a put 0x0 w7 flags=load core=1;"
		          "130 a put 0x0 w8 flags=load core=1; 150 end",
		.log = "3 r took 0/ffffffff w1 write,reply;"
		       "23 r took 0 w2 load,reply core=2;"
		       "51 r took 0 w3 load,reply core=1;"
		       "63 r took 0 w4 load,reply core=3;"
		       "83 r took 0x80/ffffffff w5 write,reply core=1;"
		       "101 r took 0x80 w6 load,reply core=1;"
		       "121 r took 0 w7 load,reply core=1;"
		       "133 r took 0 w8 load,reply core=1;"
		       "end other accesses=2 hits=2 evictions=2 global_read_hits=2;"
		       "end in taken=8;"
		       "end it accesses=8 hits=6 port_busy=6 far_requests=3;"
		       "end cache accesses=6 hits=4 misses=2 writes=2 write_misses=2 "
		       "global_read_hits=4 global_write_misses=2",
	},
	{
		"the sectors of a bulk copy are accessed and fetched one by one, and answered together",
		.shows = "SL13",
		.params = "'rop_latency': 0, 'queue': 8",
		.script = "0 a put 0x130 w1 flags=load,parts size=80; 0 a put 0x10 w2 flags=load; 12 d give; 16 d give;"
		          "20 d give n=2; 30 a put 0x100 w3 flags=load,parts size=128; 40 end",
		.log = "4 d took 0x120/ffff0000 w1 load,parts id=1; 5 d took 0x140/ffffffff w1 load,parts id=1;"
		       "6 d took 0x160/ffffffff w1 load,parts id=1; 7 d took 0x10 w2 load;"
		       "22 r took 0x130 w1 load,reply,parts size=80; 23 r took 0x10 w2 load,reply;"
		       "34 d took 0x100/ffffffff w3 load,parts id=2; end in taken=3;"
		       "end it accesses=8 hits=3 port_busy=3;"
		       "end cache accesses=8 hits=3 misses=2 sector_misses=3 fills=4 global_read_hits=3 "
		       "global_read_misses=2 global_read_sector_misses=3;"
		       "held cache: 1 requests in 1 miss entries, 0 of which are filled; end 2 records",
	},
	{
		"and so are stores that go to the channel",
		.shows = "SL13",
		.netlist = through,
		.params = "'rop_latency': 0, 'queue': 8",
		.script = "0 a put 0x30 w1 flags=write,parts size=64; 12 d give n=3; 30 end",
		.log = "4 d took 0x20/ffff0000 w1 write,parts id=1; 5 d took 0x40/ffffffff w1 write,parts id=1;"
		       "6 d took 0x60/ffff w1 write,parts id=1; 15 r took 0x30 w1 write,reply,parts size=64;"
		       "end in taken=1; end it accesses=3;"
		       "end cache accesses=3 misses=1 sector_misses=2 writes=3 write_misses=1 "
		       "write_sector_misses=2 global_write_misses=1 global_write_sector_misses=2",
	},
	{
		"with `rate` 2 a data port of 16 bytes moves a sector in a cycle",
		.shows = "SL6 SL12",
		.params = "'rop_latency': 0, 'queue': 8, 'rate': 2, 'port_width': 16",
		.script = "0 a put 0x0 w1 flags=write bytes=0xffffffff n=4; 10 a put 0x0 w2 flags=load n=4; 20 end",
		.log = "3 r took 0/ffffffff w1 write,reply;"
		       "4 r took 0x20/ffffffff w1 write,reply;"
		       "5 r took 0x40/ffffffff w1 write,reply;"
		       "6 r took 0x60/ffffffff w1 write,reply;"
		       "13 r took 0 w2 load,reply;"
		       "14 r took 0x20 w2 load,reply;"
		       "15 r took 0x40 w2 load,reply;"
		       "16 r took 0x60 w2 load,reply;"
		       "end in taken=8;"
		       "end it accesses=8 hits=4 port_busy=5;"
		       "end cache accesses=8 hits=4 misses=1 sector_misses=3 writes=4 write_misses=1 "
		       "write_sector_misses=3 global_read_hits=4 global_write_misses=1 "
		       "global_write_sector_misses=3",
	},
	{
		"those that wait for 'rop_latency' are not counted",
		.shows = "SL2 SL3",
		.params = "'rop_latency': 20, 'queue': 4",
		.script = "0 a put 0x0 w1 flags=load n=9; 14 a room; 15 end",
		.log = "14 a room = 16; end in taken=9; end 9 records",
	},
	{
		"one a cycle comes from there, and only into a free place",
		.shows = "SL3",
		.params = "'rop_latency': 12, 'queue': 4",
		.script = "0 d stop; 0 a put 0x0 w1 flags=load n=4; 0 a put 0x80 w2 flags=load n=4;"
		          "40 d go; 60 end",
		.log = "40 d took 0 w1 load; 40 d took 0x20 w1 load; 42 d took 0x40 w1 load;"
		       "43 d took 0x60 w1 load; end in taken=8; end it accesses=23 blocked=24;"
		       "end cache accesses=4 misses=1 sector_misses=3 reservation_fails=19 "
		       "fails_mshr_entries=19 global_read_misses=1 global_read_sector_misses=3 "
		       "global_read_refusals=19 global_read_fails_mshr_entries=19;"
		       "held it: 4 requests in front of the cache;"
		       "held cache: 4 requests in 4 miss entries, 0 of which are filled; end 8 records",
	},
	{
		"one access a cycle; a hit is answered at once",
		.shows = "SL4 SL5",
		.params = QUICK,
		.script = "0 a put 0x100 w1 flags=load; 6 d give; 10 a put 0x100 w2 flags=load n=1;"
		          "10 a put 0x100 w3 flags=load; 10 a put 0x100 w4 flags=load; 20 end",
		.log = "4 d took 0x100 w1 load; 8 r took 0x100 w1 load,reply;"
		       "13 r took 0x100 w2 load,reply; 14 r took 0x100 w3 load,reply;"
		       "15 r took 0x100 w4 load,reply; end in taken=4;"
		       "end it accesses=4 hits=3 port_busy=3;"
		       "end cache accesses=4 hits=3 misses=1 fills=1 global_read_hits=3 "
		       "global_read_misses=1",
	},
	{
		"a narrow fill port is taken for several cycles by a fill",
		.shows = "SL7",
		.params = QUICK ", 'port_width': 8",
		.script = "0 a put 0x100 w1 flags=load n=2; 10 d give n=2; 30 end",
		.log = "4 d took 0x100 w1 load; 5 d took 0x120 w1 load; 12 r took 0x100 w1 load,reply;"
		       "16 r took 0x120 w1 load,reply; end in taken=2; end it accesses=2;"
		       "end cache accesses=2 misses=1 sector_misses=1 fills=2 global_read_misses=1 "
		       "global_read_sector_misses=1",
	},
	{
		"a narrow data port is taken for several cycles by a hit",
		.shows = "SL6",
		.params = QUICK ", 'port_width': 12",
		.script = "0 a put 0x100 w1 flags=load; 6 d give; 10 a put 0x100 w2 flags=load;"
		          "10 a put 0x100 w3 flags=load; 10 a put 0x140 w4 flags=load; 30 d give; 40 end",
		.log = "4 d took 0x100 w1 load; 8 r took 0x100 w1 load,reply;"
		       "13 r took 0x100 w2 load,reply; 16 r took 0x100 w3 load,reply;"
		       "20 d took 0x140 w4 load; 32 r took 0x140 w4 load,reply; end in taken=4;"
		       "end it accesses=4 hits=2 port_busy=6 blocked=4;"
		       "end cache accesses=4 hits=2 misses=1 sector_misses=1 fills=2 "
		       "global_read_hits=2 global_read_misses=1 global_read_sector_misses=1",
	},
	{
		"stores of a write-back cache are answered at once, whether they hit or miss",
		.shows = "SL5",
		.params = QUICK,
		.script = "0 a put 0x100 w1 flags=write bytes=255; 0 a put 0x100 w2 flags=write bytes=15;"
		          "0 a put 0x100 w3 flags=load; 12 d give",
		.log = "3 r took 0x100/ff w1 write,reply; 4 r took 0x100/f w2 write,reply;"
		       "6 d took 0x100 w3 load; 14 r took 0x100 w3 load,reply; end in taken=3;"
		       "end it accesses=3 hits=1 port_busy=1;"
		       "end cache accesses=3 hits=1 misses=1 sector_misses=1 writes=2 write_hits=1 "
		       "write_misses=1 fills=1 global_read_sector_misses=1 global_write_hits=1 "
		       "global_write_misses=1",
	},
	{
		"a store that pushes out a line takes the data port for its modified sectors",
		.shows = "SL6",
		.params = QUICK ", 'port_width': 32",
		.script = "0 a put 0x0 w1 flags=write bytes=1 n=3; 0 a put 0x80 w2 flags=write bytes=1;"
		          "0 a put 0x100 w3 flags=write bytes=1; 0 a put 0x180 w4 flags=write bytes=1;"
		          "0 a put 0x200 w5 flags=write bytes=1; 30 end",
		.log = "3 r took 0/1 w1 write,reply; 4 r took 0x20/1 w1 write,reply;"
		       "5 r took 0x40/1 w1 write,reply; 6 r took 0x80/1 w2 write,reply;"
		       "7 r took 0x100/1 w3 write,reply;"
		       "8 d took 0/7 w0 write,line,silent size=96 lines=1,1,1,0 via=0x100;"
		       "10 r took 0x180/1 w4 write,reply;"
		       "11 d took 0x80/1 w0 write,line,silent lines=1,0,0,0 via=0x180;"
		       "11 r took 0x200/1 w5 write,reply;"
		       "12 d took 0x100/1 w0 write,line,silent lines=1,0,0,0 via=0x200;"
		       "end in taken=7; end it accesses=7 port_busy=5 blocked=2;"
		       "end cache accesses=7 misses=5 sector_misses=2 writes=7 write_misses=5 "
		       "write_sector_misses=2 evictions=3 write_backs=3 global_write_misses=5 "
		       "global_write_sector_misses=2",
	},
	{
		"a load that does so does not",
		.shows = "SL6",
		.params = QUICK ", 'port_width': 32",
		.script = "0 a put 0x0 w1 flags=write bytes=1 n=3; 0 a put 0x80 w2 flags=write bytes=1;"
		          "0 a put 0x100 w3 flags=load; 0 a put 0x180 w4 flags=load; 30 end",
		.log = "3 r took 0/1 w1 write,reply; 4 r took 0x20/1 w1 write,reply;"
		       "5 r took 0x40/1 w1 write,reply; 6 r took 0x80/1 w2 write,reply;"
		       "8 d took 0x100 w3 load;"
		       "9 d took 0/7 w0 write,line,silent size=96 lines=1,1,1,0 via=0x100;"
		       "10 d took 0x180 w4 load;"
		       "11 d took 0x80/1 w0 write,line,silent lines=1,0,0,0 via=0x180; end in taken=6;"
		       "end it accesses=6;"
		       "end cache accesses=6 misses=4 sector_misses=2 writes=4 write_misses=2 "
		       "write_sector_misses=2 evictions=2 write_backs=2 global_read_misses=2 "
		       "global_write_misses=2 global_write_sector_misses=2;"
		       "held cache: 2 requests in 2 miss entries, 0 of which are filled; end 2 records",
	},
	{
		"an address map is notified of the lines that are written back",
		.shows = "AR5",
		.netlist = with_map,
		.params = QUICK,
		.script = "0 a put 0x0 w1 flags=write bytes=1; 0 a put 0x80 w2 flags=write bytes=1;"
		          "0 a put 0x100 w3 flags=load; 0 a put 0x180 w4 flags=write bytes=1; 14 end",
		.log = "3 r took 0/1 w1 write,reply; 4 map touch 0 user=0;"
		       "4 r took 0x80/1 w2 write,reply; 5 map touch 0x80 user=0;"
		       "6 d took 0x100 w3 load; 6 r took 0x180/1 w4 write,reply;"
		       "7 d took 0/1 w0 write,line,silent lines=1,0,0,0 via=0x100;"
		       "8 d took 0x80/1 w0 write,line,silent lines=1,0,0,0 via=0x180; end in taken=4;"
		       "end it accesses=4 port_busy=1;"
		       "end cache accesses=4 misses=4 writes=3 write_misses=3 evictions=2 "
		       "write_backs=2 global_read_misses=1 global_write_misses=3;"
		       "held cache: 1 requests in 1 miss entries, 0 of which are filled; end 1 records",
	},
	{
		"there is no access without room towards the channel",
		.shows = "SL4 SL8",
		.params = QUICK,
		.script = "0 d stop; 0 a put 0x0 w1 flags=load n=4; 0 a put 0x80 w2 flags=load;"
		          "20 d go; 40 end",
		.log = "20 d took 0 w1 load; 20 d took 0x20 w1 load; 22 d took 0x40 w1 load;"
		       "23 d took 0x60 w1 load; end in taken=5; end it accesses=23 blocked=16;"
		       "end cache accesses=4 misses=1 sector_misses=3 reservation_fails=19 "
		       "fails_mshr_entries=19 global_read_misses=1 global_read_sector_misses=3 "
		       "global_read_refusals=19 global_read_fails_mshr_entries=19;"
		       "held it: 1 requests in front of the cache;"
		       "held cache: 4 requests in 4 miss entries, 0 of which are filled; end 5 records",
	},
	{
		"nor without room for a reply; nor is anything answered",
		.shows = "SL4 SL7",
		.params = QUICK,
		.script = "0 r stop; 0 a put 0x0 w1 flags=write n=4; 0 a put 0x80 w2 flags=load; 12 r go;"
		          "20 r stop; 20 d give; 21 a put 0x80 w3 flags=load n=1; 21 a put 0x80 w4 flags=load;"
		          "30 r go; 40 end",
		.log = "12 r took 0 w1 write,reply; 12 r took 0x20 w1 write,reply;"
		       "13 r took 0x40 w1 write,reply; 14 r took 0x60 w1 write,reply;"
		       "16 d took 0x80 w2 load; 30 r took 0x80 w2 load,reply;"
		       "30 r took 0x80 w3 load,reply; 31 r took 0x80 w4 load,reply; end in taken=7;"
		       "end it accesses=7 hits=2 port_busy=2 blocked=14;"
		       "end cache accesses=7 hits=2 misses=2 sector_misses=3 writes=4 write_misses=1 "
		       "write_sector_misses=3 fills=1 global_read_hits=2 global_read_misses=1 "
		       "global_write_misses=1 global_write_sector_misses=3",
	},
	{
		"a refused access is repeated in each cycle",
		.shows = "SL5",
		.params = QUICK,
		.script = "0 a put 0x0 w1 flags=load; 0 a put 0x80 w2 flags=load; 0 a put 0x100 w3 flags=load;"
		          "12 d give; 30 end",
		.log = "4 d took 0 w1 load; 5 d took 0x80 w2 load; 14 d took 0x100 w3 load;"
		       "14 r took 0 w1 load,reply; end in taken=3; end it accesses=11;"
		       "end cache accesses=3 misses=3 reservation_fails=8 fails_ways=8 evictions=1 "
		       "fills=1 global_read_misses=3 global_read_refusals=8 global_read_fails_ways=8;"
		       "held cache: 2 requests in 2 miss entries, 0 of which are filled; end 2 records",
	},
	{
		"requests for one sector wait for one fill; one reply a cycle, in their order",
		.shows = "SL7",
		.params = QUICK,
		.script = "0 a put 0x0 w1 flags=load; 0 a put 0x0 w2 flags=load;"
		          "0 a put 0x0 w3 flags=load,atomic bytes=15; 12 d give; 20 end",
		.log = "4 d took 0 w1 load; 14 r took 0 w1 load,reply; 15 r took 0 w2 load,reply;"
		       "16 r took 0/f w3 atomic,load,reply; end in taken=3; end it accesses=3;"
		       "end cache accesses=3 reserved_hits=2 misses=1 merged=2 fills=1 "
		       "global_read_reserved_hits=2 global_read_misses=1 global_read_merged=2",
	},
	{
		"write-through: a store that pushes out a line writes nothing back, and takes no port for it",
		.shows = "SL6",
		.netlist = through,
		.params = QUICK ", 'port_width': 8",
		.script = "0 a put 0x0 w1 flags=write bytes=1; 0 a put 0x80 w2 flags=write bytes=1;"
		          "0 a put 0x100 w3 flags=write bytes=1; 0 a put 0x180 w4 flags=write bytes=1; 30 end",
		.log = "4 d took 0/1 w1 write; 5 d took 0x80/1 w2 write; 6 d took 0x100/1 w3 write;"
		       "7 d took 0x180/1 w4 write; end in taken=4; end it accesses=4;"
		       "end cache accesses=4 misses=4 writes=4 write_misses=4 evictions=2 global_write_misses=4;"
		       "end 4 records",
	},
	{
		"write-through: the store goes on to the channel, whose answer is passed on",
		.shows = "SL5 SL7",
		.netlist = through,
		.params = QUICK,
		.script = "0 a put 0x0 w1 flags=write bytes=15; 0 a put 0x0 w2 flags=write bytes=15;"
		          "12 d give; 13 r stop; 14 d give; 20 r go; 24 end",
		.log = "4 d took 0/f w1 write; 5 d took 0/f w2 write; 20 r took 0/f w1 write,reply;"
		       "20 r took 0/f w2 write,reply; end in taken=2;"
		       "end it accesses=2 hits=1 port_busy=1;"
		       "end cache accesses=2 hits=1 misses=1 writes=2 write_hits=1 write_misses=1 "
		       "global_write_hits=1 global_write_misses=1",
	},
	{
		"and waits in the channel while there is no room for it",
		.shows = "SL7",
		.netlist = through,
		.params = QUICK,
		.script = "0 r stop; 0 a put 0x0 w1 flags=write bytes=15 n=3; 12 d give n=3; 20 r go; 24 end",
		.log = "4 d took 0/f w1 write; 5 d took 0x20/f w1 write; 6 d took 0x40/f w1 write;"
		       "20 r took 0/f w1 write,reply; 20 r took 0x20/f w1 write,reply;"
		       "21 r took 0x40/f w1 write,reply; end in taken=3; end it accesses=3;"
		       "end cache accesses=3 misses=1 sector_misses=2 writes=3 write_misses=1 "
		       "write_sector_misses=2 global_write_misses=1 global_write_sector_misses=2",
	},
	{
		"fetch on write: the store is answered when its sector is there",
		.shows = "SL5 SL7",
		.netlist = fetching,
		.params = QUICK,
		.script = "0 a put 0x0 w1 flags=write bytes=15; 0 a put 0x20 w2 flags=write bytes=0xffffffff;"
		          "12 d give; 20 end",
		.log = "4 d took 0/f w1 alloc id=1; 4 r took 0x20/ffffffff w2 write,reply;"
		       "14 r took 0/f w1 write,reply; end in taken=2; end it accesses=2;"
		       "end cache accesses=2 misses=1 sector_misses=1 writes=2 write_misses=1 "
		       "write_sector_misses=1 fills=1 global_write_misses=1 "
		       "global_write_sector_misses=1",
	},
	{
		"write allocate: the store goes on, and so does a read for which no request waits",
		.shows = "SL5 SL7",
		.netlist = allocating,
		.params = QUICK,
		.script = "0 a put 0x0 w1 flags=write bytes=15; 12 d give n=2; 20 a put 0x0 w2 flags=load;"
		          "30 end",
		.log = "4 d took 0/f w1 write; 5 d took 0/f w1 alloc id=1;"
		       "13 r took 0/f w1 write,reply; 23 r took 0 w2 load,reply; end in taken=2;"
		       "end it accesses=2 hits=1 port_busy=1;"
		       "end cache accesses=2 hits=1 misses=1 writes=1 write_misses=1 fills=1 "
		       "global_read_hits=1 global_write_misses=1",
	},
	{
		"a line written back by a cache above becomes a request for each modified sector",
		.shows = "SL9",
		.params = "'rop_latency': 3, 'queue': 8",
		.script = "0 a put 0x100 w0 flags=write,line,silent size=64 bytes=10 lines=1,255,3,15 via=0x100;"
		          "12 a put 0x120 w1 flags=load; 12 a put 0x160 w2 flags=load; 22 d give n=2;"
		          "30 a put 0x0 w3 flags=load; 30 a put 0x80 w4 flags=load; 50 end",
		.log = "19 d took 0x120 w1 load; 20 d took 0x160 w2 load;"
		       "24 r took 0x120 w1 load,reply; 25 r took 0x160 w2 load,reply;"
		       "37 d took 0 w3 load; 38 d took 0x80 w4 load;"
		       "39 d took 0x100/a w0 write,line,silent size=64 lines=0,ff,0,f via=0x80;"
		       "end in taken=5; end it accesses=6;"
		       "end cache accesses=6 misses=3 sector_misses=3 writes=2 write_misses=1 "
		       "write_sector_misses=1 evictions=1 write_backs=1 fills=2 global_read_misses=2 "
		       "global_read_sector_misses=2 line_misses=1 line_sector_misses=1;"
		       "held cache: 2 requests in 2 miss entries, 0 of which are filled; end 2 records",
	},
	{
		"of four, each part has the bytes of those before it as well",
		.shows = "SL9",
		.params = QUICK,
		.script = "0 a put 0x100 w0 flags=write,line,silent size=128 bytes=15 "
		          "lines=0xffffffff,0xffff,0xffffffff,255 via=0x100;"
		          "12 a put 0x100 w1 flags=load; 12 a put 0x120 w1 flags=load;"
		          "12 a put 0x140 w1 flags=load; 12 a put 0x160 w1 flags=load; 30 end",
		.log = "15 r took 0x100 w1 load,reply; 17 d took 0x120 w1 load;"
		       "17 r took 0x140 w1 load,reply; 19 d took 0x160 w1 load; end in taken=5;"
		       "end it accesses=8 hits=2 port_busy=2;"
		       "end cache accesses=8 hits=2 misses=1 sector_misses=5 writes=4 write_misses=1 "
		       "write_sector_misses=3 global_read_hits=2 global_read_sector_misses=2 "
		       "line_misses=1 line_sector_misses=3;"
		       "held cache: 2 requests in 2 miss entries, 0 of which are filled; end 2 records",
	},
	{
		"a single sector is not split",
		.shows = "SL9",
		.params = QUICK,
		.script = "0 a put 0x100 w0 flags=write,line,silent size=32 bytes=4 lines=0,0,0xffffffff,0 "
		          "via=0x100; 12 a put 0x140 w1 flags=load; 20 end",
		.log = "15 r took 0x140 w1 load,reply; end in taken=2;"
		       "end it accesses=2 hits=1 port_busy=1;"
		       "end cache accesses=2 hits=1 misses=1 writes=1 write_misses=1 "
		       "global_read_hits=1 line_misses=1",
	},
	{
		"a read of a line becomes one of each of its sectors, in ascending order, which all "
		"enter the ROP at once and are answered one by one",
		.shows = "SL10",
		.params = "'rop_latency': 5, 'queue': 8",
		.script = "0 a put 0x180 w3 flags=inst size=128 core=2; 0 a put 0x140 w1 flags=load;"
		          "20 d give; 21 d give n=3; 30 a put 0x180 w4 flags=inst size=128; 50 end",
		.log = "9 d took 0x180 w3 inst core=2; 10 d took 0x1a0 w3 inst core=2;"
		       "11 d took 0x1c0 w3 inst core=2; 12 d took 0x1e0 w3 inst core=2;"
		       "22 r took 0x180 w3 inst,reply core=2; 23 d took 0x140 w1 load;"
		       "23 r took 0x1a0 w3 inst,reply core=2; 24 r took 0x1c0 w3 inst,reply core=2;"
		       "25 r took 0x1e0 w3 inst,reply core=2; 38 r took 0x180 w4 inst,reply;"
		       "39 r took 0x1a0 w4 inst,reply; 40 r took 0x1c0 w4 inst,reply;"
		       "41 r took 0x1e0 w4 inst,reply; end in taken=3;"
		       "end it accesses=19 hits=4 port_busy=4;"
		       "end cache accesses=9 hits=4 misses=2 sector_misses=3 reservation_fails=10 "
		       "fails_mshr_entries=10 fills=4 global_read_misses=1 global_read_refusals=10 "
		       "global_read_fails_mshr_entries=10 inst_hits=4 inst_misses=1 "
		       "inst_sector_misses=3;"
		       "held cache: 1 requests in 1 miss entries, 0 of which are filled; end 1 records",
	},
	{
		"one of half a line becomes two, which wait for one read; the second sector is there after another",
		.shows = "SL10",
		.params = QUICK,
		.script = "0 a put 0x140 w3 flags=inst size=64; 10 d give; 20 a put 0x140 w4 flags=inst size=64;"
		          "30 d give; 40 end",
		.log = "4 d took 0x140 w3 inst; 12 r took 0x140 w3 inst,reply;"
		       "13 r took 0x160 w3 inst,reply; 23 r took 0x140 w4 inst,reply;"
		       "25 d took 0x160 w4 inst; 32 r took 0x160 w4 inst,reply; end in taken=2;"
		       "end it accesses=4 hits=1 port_busy=1;"
		       "end cache accesses=4 hits=1 reserved_hits=1 misses=1 sector_misses=1 merged=1 fills=2 "
		       "inst_hits=1 inst_reserved_hits=1 inst_misses=1 inst_sector_misses=1 inst_merged=1",
	},
	{
		"what waits inside is reported",
		.params = "'rop_latency': 9, 'queue': 8",
		.script = "0 d stop; 0 a put 0x0 w1 flags=load n=5; 11 end",
		.log = "end in taken=5; end it accesses=1;"
		       "end cache accesses=1 misses=1 global_read_misses=1;"
		       "held it: 1 requests in front of the cache;"
		       "held cache: 1 requests in the miss queue, first for address 0x0;"
		       "held cache: 1 requests in 1 miss entries, 0 of which are filled; end 5 records",
	},
	{
		"a queue that could never take anything is refused",
		.params = "'queue': 3",
		.script = "0 end",
		.log = "refused instance 'it': 'queue' is 3; expected at least 4, as requests are taken "
		       "only when there is room for four",
	},
	{
		"so is a way to another partition where there is none",
		.params = "'far_latency': 5",
		.script = "0 end",
		.log = "refused instance 'it': 'far_latency' is 5; expected a cache at port 'copies', or 0",
	},
};

SUITE(l2_slice, .plain = true, .netlist = netlist, RULES(rules));
