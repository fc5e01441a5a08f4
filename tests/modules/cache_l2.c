/* cache_l2.c - rules of the cache in a slice of the memory: its sets, its time, copies, flushes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Bits 8 to 15 of an address chose the slice (toy map).
 */
#include "cache.h"

#define SLICE(clocks, time) "'clocks': {" clocks "}, " \
	"'instances': {'it': {'module': 'cache', 'clock': 'l2', 'params': {'write_policy': 'write_back', " \
	"@}}, 'u': {'module': 'call_cache', 'clock': 'l2'}, 'map': {'module': 'give_map', 'clock': 'l2'}, " \
	"'time': {'module': 'timebase', 'clock': '" time "'}}, 'links': [" \
	"{'from': 'u.cache', 'to': 'it.cache'}, {'from': 'it.map', 'to': 'map.map'}, " \
	"{'from': 'it.time', 'to': 'time.time'}]"

static const char netlist[] = SLICE("'l2': {'mhz': 1000}", "l2");
static const char quick[] = SLICE("'core': {'mhz': 500}, 'l2': {'mhz': 1000}", "core");

static const char chosen[] =
	"'instances': {'it': {'module': 'cache', 'params': {@}}, 'u': {'module': 'call_cache'}, "
	"'p': {'module': 'give_replacement'}}, 'links': [{'from': 'u.cache', 'to': 'it.cache'}, "
	"{'from': 'it.replacement', 'to': 'p.policy'}]";

static const struct rule rules[] = {
	{
		"the set is that of the address without the bits that chose the slice",
		.shows = "SC1",
		.params = "'sets': 2, 'ways': 1",
		.script = "0 u bring 0x0; 1 u bring 0x80; 2 u load 0x0; 3 u bring 0x300; 4 u load 0x80;"
		          "5 u load 0x300; 6 u load 0x0",
		.log = "2 u load 0 = hit; 4 u load 0x80 = hit; 5 u load 0x300 = hit;"
		       "6 u load 0 = miss;"
		       "end it accesses=7 hits=3 misses=4 evictions=2 fills=3 "
		       "global_read_hits=3 global_read_misses=4;"
		       "held it: 1 requests in the miss queue, first for address 0x0;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"but lines are distinguished by the whole address",
		.shows = "SC1",
		.params = "'sets': 1, 'ways': 4",
		.script = "0 u bring 0x0; 1 u load 0x300; 2 u load 0x10000; 3 u load 0x0",
		.log = "1 u load 0x300 = miss; 2 u load 0x10000 = miss; 3 u load 0 = hit;"
		       "end it accesses=4 hits=1 misses=3 fills=1 global_read_hits=1 "
		       "global_read_misses=3;"
		       "held it: 2 requests in the miss queue, first for address 0x300;"
		       "held it: 2 requests in 2 miss entries, 0 of which are filled",
	},
	{
		"ages are cycles of the time base: of two accesses in one the lower way is the older",
		.shows = "SC2",
		.netlist = quick,
		.params = "'sets': 1, 'ways': 2",
		.script = "0 u bring 0x0; 1 u bring 0x10000; 4 u load 0x0; 5 u load 0x10000;"
		          "8 u bring 0x20000; 10 u load 0x0; 11 u load 0x10000; 30 end",
		.log = "4 u load 0 = hit; 5 u load 0x10000 = hit; 10 u load 0 = miss;"
		       "11 u load 0x10000 = miss;"
		       "end it accesses=7 hits=2 misses=5 evictions=3 fills=3 "
		       "global_read_hits=2 global_read_misses=5;"
		       "held it: 2 requests in the miss queue, first for address 0x0;"
		       "held it: 2 requests in 2 miss entries, 0 of which are filled",
	},
	{
		"of accesses in different cycles the earlier one is the older",
		.shows = "SC2",
		.netlist = quick,
		.params = "'sets': 1, 'ways': 2",
		.script = "0 u bring 0x0; 1 u bring 0x10000; 3 u load 0x0; 4 u load 0x10000;"
		          "8 u bring 0x20000; 10 u load 0x0; 11 u load 0x10000; 30 end",
		.log = "3 u load 0 = hit; 4 u load 0x10000 = hit; 10 u load 0 = hit;"
		       "11 u load 0x10000 = miss;"
		       "end it accesses=7 hits=3 misses=4 evictions=2 fills=3 "
		       "global_read_hits=3 global_read_misses=4;"
		       "held it: 1 requests in the miss queue, first for address 0x10000;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"a copied sector is there, without a request",
		.shows = "SC4",
		.params = "'sets': 1, 'ways': 2",
		.script = "0 u preset 0x20; 1 u load 0x20; 1 u load 0x0; 1 u pending; 2 u load 0x20",
		.log = "1 u load 0x20 = hit; 1 u load 0 = miss; 1 u pending = 2;"
		       "2 u load 0x20 = hit;"
		       "end it accesses=3 hits=2 sector_misses=1 global_read_hits=2 "
		       "global_read_sector_misses=1;"
		       "held it: 1 requests in the miss queue, first for address 0x0;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"it replaces as any other; modified data vanish",
		.shows = "SC4",
		.params = "'sets': 1, 'ways': 1",
		.script = "0 u store 0x0; 1 u preset 0x10000; 1 u pending; 2 u load 0x10000; 2 u load 0x0;"
		          "2 u send",
		.log = "0 u store 0 = miss; 1 u pending = 0; 2 u load 0x10000 = hit;"
		       "2 u load 0 = miss; 2 u sent 0 w0 load;"
		       "end it accesses=3 hits=1 misses=2 writes=1 write_misses=1 "
		       "evictions=2 global_read_hits=1 global_read_misses=1 "
		       "global_write_misses=1;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"a modified sector that is copied to is no longer modified",
		.shows = "SC4",
		.params = "'sets': 1, 'ways': 1",
		.script = "0 u store 0x0; 1 u preset 0x0; 2 u load 0x10000; 2 u send",
		.log = "0 u store 0 = miss; 2 u load 0x10000 = miss;"
		       "2 u sent 0x10000 w0 load;"
		       "end it accesses=2 misses=2 writes=1 write_misses=1 evictions=1 "
		       "global_read_misses=1 global_write_misses=1;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"if no line can be replaced the copy is dropped",
		.shows = "SC4",
		.params = "'sets': 1, 'ways': 1",
		.script = "0 u load 0x0; 0 u preset 0x10000; 0 u send; 1 u reply; 1 u answer; 2 u load 0x0;"
		          "2 u load 0x10000",
		.log = "0 u load 0 = miss; 0 u sent 0 w0 load; 1 u answer 0 w0 load;"
		       "2 u load 0 = hit; 2 u load 0x10000 = miss;"
		       "end it accesses=3 hits=1 misses=2 evictions=1 fills=1 "
		       "global_read_hits=1 global_read_misses=2;"
		       "held it: 1 requests in the miss queue, first for address 0x10000;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"its age is that of the cycle in which the kernel begins",
		.shows = "SC4",
		.params = "'sets': 1, 'ways': 2",
		.script = "0 u preset 0x0 ahead=3; 2 u bring 0x10000; 5 u bring 0x20000; 6 u load 0x0;"
		          "6 u load 0x10000",
		.log = "6 u load 0 = hit; 6 u load 0x10000 = miss;"
		       "end it accesses=4 hits=1 misses=3 evictions=2 fills=2 "
		       "global_read_hits=1 global_read_misses=3;"
		       "held it: 1 requests in the miss queue, first for address 0x10000;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"and all later accesses count as younger, by one for each sector",
		.shows = "SC4",
		.params = "'sets': 1, 'ways': 2",
		.script = "0 u preset 0x0 ahead=3 later=2; 2 u bring 0x10000; 5 u bring 0x20000;"
		          "6 u load 0x10000; 6 u load 0x0",
		.log = "6 u load 0x10000 = hit; 6 u load 0 = miss;"
		       "end it accesses=4 hits=1 misses=3 evictions=2 fills=2 "
		       "global_read_hits=1 global_read_misses=3;"
		       "held it: 1 requests in the miss queue, first for address 0x0;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"this offset of ages is not bounded",
		.shows = "SC4",
		.params = "'sets': 1, 'ways': 2",
		.script = "0 u preset 0x0 later=1; 0 u preset 0x10000 later=1; 0 u bring 0x20000;"
		          "0 u load 0x10000; 0 u load 0x0",
		.log = "0 u load 0x10000 = hit; 0 u load 0 = miss;"
		       "end it accesses=3 hits=1 misses=2 evictions=2 fills=1 "
		       "global_read_hits=1 global_read_misses=2;"
		       "held it: 1 requests in the miss queue, first for address 0x0;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"a flush drops the lines that are modified, whole lines, and sends nothing",
		.shows = "SC5",
		.params = "'sets': 1, 'ways': 3",
		.script = "0 u bring 0x0; 1 u bring 0x10020; 2 u store 0x10000; 2 u store 0x20000;"
		          "3 u flush; 3 u pending; 4 u load 0x0; 4 u load 0x10020; 4 u load 0x20000",
		.log = "2 u store 0x10000 = miss; 2 u store 0x20000 = miss; 3 u pending = 0;"
		       "4 u load 0 = hit; 4 u load 0x10020 = miss; 4 u load 0x20000 = miss;"
		       "end it accesses=7 hits=1 misses=5 sector_misses=1 writes=2 "
		       "write_misses=1 write_sector_misses=1 fills=2 global_read_hits=1 "
		       "global_read_misses=4 global_write_misses=1 "
		       "global_write_sector_misses=1;"
		       "held it: 2 requests in the miss queue, first for address 0x10020;"
		       "held it: 2 requests in 2 miss entries, 0 of which are filled",
	},
	{
		"only if there was an access since the last one",
		.shows = "SC5",
		.params = "'sets': 1, 'ways': 2, 'mshr_entries': 2",
		.script = "0 u load 0x0; 0 u send; 0 u store 0x0 bytes=1; 1 u flush; 1 u reply; 1 u answer;"
		          "2 u flush; 3 u load 0x0",
		.log = "0 u load 0 = miss; 0 u sent 0 w0 load; 0 u store 0 = miss;"
		       "1 u answer 0 w0 load; 3 u load 0 = hit;"
		       "end it accesses=3 hits=1 reserved_hits=1 misses=1 writes=1 "
		       "write_reserved_hits=1 fills=1 global_read_hits=1 "
		       "global_read_misses=1 global_write_reserved_hits=1",
	},
	{
		"part of a line that is written back brings the bytes of the others along",
		.shows = "SC3",
		.params = "'sets': 1, 'ways': 1",
		.script = "0 u part 0x20 lines=255,0xffff,0,0; 1 u load 0x20; 1 u send; 2 u store 0x0 bytes=15;"
		          "2 u reply; 2 u answer;"
		          "3 u load 0x10000; 3 u send",
		.log = "0 u store 0x20 = miss; 1 u load 0x20 = miss; 1 u sent 0x20 w0 load;"
		       "2 u store 0 = miss; 2 u answer 0x20 w0 load; 3 u load 0x10000 = miss;"
		       "3 u sent 0x10000 w0 load;"
		       "3 u sent 0/3 w0 write,line,silent size=64 lines=ff,ffff,0,0 "
		       "via=0x10000;"
		       "end it accesses=4 misses=2 sector_misses=2 writes=2 write_misses=1 "
		       "write_sector_misses=1 evictions=1 write_backs=1 fills=1 "
		       "global_read_misses=1 global_read_sector_misses=1 "
		       "global_write_sector_misses=1 line_misses=1;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"32 bytes of whatever sectors make it readable",
		.shows = "SC3",
		.params = "'sets': 1, 'ways': 1",
		.script = "0 u part 0x20 lines=0xffff,0xffff,0,0; 1 u load 0x20; 2 u part 0x40 "
		          "lines=0xffff,0xffff,1,0; 3 u load 0x40; 4 u part 0x60 "
		          "lines=0xff,0,0xffff,0xff; 5 u load 0x60; 6 u part 0x20 lines=1,0,0,0",
		.log = "0 u store 0x20 = miss; 1 u load 0x20 = hit; 2 u store 0x40 = miss;"
		       "3 u load 0x40 = miss; 4 u store 0x60 = miss; 5 u load 0x60 = hit;"
		       "6 u store 0x20 = hit;"
		       "end it accesses=7 hits=3 misses=1 sector_misses=3 writes=4 "
		       "write_hits=1 write_misses=1 write_sector_misses=2 global_read_hits=2 "
		       "global_read_sector_misses=1 line_hits=1 line_misses=1 "
		       "line_sector_misses=2;"
		       "held it: 1 requests in the miss queue, first for address 0x40;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"a part that waits for its fetch keeps the bytes of all sectors; its read gets a reply",
		.shows = "SC3",
		.params = "'sets': 1, 'ways': 1, 'write_allocate': 'fetch_on_write'",
		.script = "0 u part 0x20 lines=255,0xffff,0,0 set=3; 0 u send; 1 u reply;"
		          "1 u answer; 2 u load 0x10000; 2 u send; 4 end",
		.log = "0 u store 0x20 = miss alloc; 0 u sent 0x20/3 w0 alloc;"
		       "1 u answer 0x20/3 w0 write,line,alloc,silent;"
		       "2 u load 0x10000 = miss; 2 u sent 0x10000 w0 load;"
		       "2 u sent 0/2 w0 write,line,silent lines=ff,ffff,0,0 via=0x10000;"
		       "end it accesses=2 misses=2 writes=1 write_misses=1 evictions=1 "
		       "write_backs=1 fills=1 global_read_misses=1 line_misses=1;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"a single sector asks for the miss entry of its line",
		.shows = "SC3",
		.params = "'sets': 1, 'ways': 1, 'write_allocate': 'fetch_on_write'",
		.script = "0 u part 0x40 lines=0,0,255,0 set=4; 0 u send; 1 u load 0x0;"
		          "2 u load 0x40; 3 u reply; 3 u answer; 4 u load 0x40; 4 u load 0x0;"
		          "6 end",
		.log = "0 u store 0x40 = miss alloc; 0 u sent 0/4 w0 alloc;"
		       "1 u load 0 = miss; 2 u load 0x40 = miss;"
		       "3 u answer 0x40/4 w0 write,line,alloc,silent; 3 u answer 0 w0 load;"
		       "4 u load 0x40 = hit; 4 u load 0 = miss;"
		       "end it accesses=5 hits=1 reserved_hits=2 misses=1 sector_misses=1 "
		       "writes=1 write_misses=1 merged=1 fills=1 global_read_hits=1 "
		       "global_read_reserved_hits=2 global_read_sector_misses=1"
		       " global_read_merged=1 "
		       "line_misses=1;"
		       "held it: 2 requests in the miss queue, first for address 0x40;"
		       "held it: 2 requests in 2 miss entries, 0 of which are filled",
	},
	{
		"also where the store itself goes on, and no request waits for the read",
		.shows = "SC3",
		.params = "'sets': 1, 'ways': 1, 'write_allocate': 'write_allocate'",
		.script = "0 u part 0x40 lines=0,0,255,0 set=4; 0 u send;"
		          "1 u part 0x60 lines=1,0,0,1 set=9; 1 u send; 2 u reply;"
		          "2 u answer; 6 end",
		.log = "0 u store 0x40 = miss sent alloc; 0 u sent 0x40/4 w0 write,silent;"
		       "0 u sent 0/4 w0 alloc; 1 u store 0x60 = miss sent alloc;"
		       "1 u sent 0x60/9 w0 write,silent; 1 u sent 0x60/9 w0 alloc;"
		       "2 u answer 0x40/4 w0 line,alloc,silent;"
		       "2 u answer 0x60/9 w0 line,alloc,silent;"
		       "end it accesses=2 misses=1 sector_misses=1 writes=2 write_misses=1 "
		       "write_sector_misses=1 fills=2 line_misses=1 line_sector_misses=1",
	},
	{
		"a plain line is more than a store writes: it is fetched",
		.shows = "SC3",
		.params = "'sets': 1, 'ways': 1, 'sectored': false, 'write_allocate': 'fetch_on_write'",
		.script = "0 u store 0x20; 0 u send; 1 u reply; 1 u answer; 2 u load 0x60",
		.log = "0 u store 0x20 = miss alloc; 0 u sent 0/ffffffff w0 alloc size=128;"
		       "1 u answer 0x20/ffffffff w0 write,alloc; 2 u load 0x60 = hit;"
		       "end it accesses=2 hits=1 misses=1 writes=1 write_misses=1 fills=1 "
		       "global_read_hits=1 global_write_misses=1",
	},
	{
		"a write-back names the line, its modified sectors, and the access that replaced "
		"it",
		.shows = "SC6",
		.params = "'sets': 1, 'ways': 1",
		.script = "0 u store 0x20 bytes=255; 0 u store 0x60; 1 u load 0x10020; 2 u pending; 2 u send",
		.log = "0 u store 0x20 = miss; 0 u store 0x60 = miss;"
		       "1 u load 0x10020 = miss; 2 u pending = 3; 2 u sent 0x10020 w0 load;"
		       "2 u sent 0/a w0 write,line,silent size=64 lines=0,ff,0,ffffffff "
		       "via=0x10020;"
		       "end it accesses=3 misses=2 sector_misses=1 writes=2 write_misses=1 "
		       "write_sector_misses=1 evictions=1 write_backs=1 global_read_misses=1 "
		       "global_write_misses=1 global_write_sector_misses=1;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"a policy of its own chooses among the lines of a full set",
		.shows = "CA21",
		.netlist = chosen,
		.params = "'sets': 2, 'ways': 3, 'write_policy': 'write_back', 'write_ratio': 50",
		.script = "0 u bring 0x0; 1 u bring 0x100; 2 u bring 0x200; 3 u bring 0x80; 4 u load 0x100;"
		          "4 u load 0x120; 5 p choose n=1; 6 u bring 0x300; 7 u load 0x0; 7 u load 0x200;"
		          "8 u bring 0x400; 9 u load 0x0",
		.log = "0 p allocated 0.2; 1 p allocated 0.1; 2 p allocated 0.0;"
		       "3 p allocated 1.2; 4 p used 0.1; 4 p used 0.1; 4 u load 0x100 = hit;"
		       "4 u load 0x120 = miss; 6 p victim of set 0: 0 2; 6 p allocated 0.2;"
		       "7 p victim of set 0: 0 1 2; 7 p allocated 0.1; 7 p used 0.0;"
		       "7 u load 0 = miss; 7 u load 0x200 = hit; 8 p victim of set 0: 0 2;"
		       "8 p allocated 0.2; 9 p used 0.1; 9 u load 0 = hit;"
		       "end it accesses=11 hits=3 misses=7 sector_misses=1 evictions=3 "
		       "fills=8 global_read_hits=3 global_read_misses=7 "
		       "global_read_sector_misses=1",
	},
	{
		"it gets the request, with warp and pc where these are known, also when a fill allocates",
		.shows = "CA21",
		.netlist = chosen,
		.params = "'sets': 1, 'ways': 1, 'allocate': 'on_fill', 'write_policy': 'read_only', "
		          "'write_allocate': 'none'",
		.script = "0 u load 0x0 w3 pc=16; 0 u send; 1 u reply; 1 u answer;"
		          "2 u load 0x0 w4 pc=32; 3 u load 0x80 w5 pc=48;"
		          "3 u send; 4 u reply; 4 u answer; 5 u bring 0x100",
		.log = "0 u load 0 = miss; 0 u sent 0 w3 load kernel=1 pc=0x10;"
		       "1 p allocated 0.0 for w3 pc 0x10; 1 u answer 0 w3 load kernel=1 pc=0x10;"
		       "2 p used 0.0 for w4 pc 0x20; 2 u load 0 = hit;"
		       "3 p victim of set 0: 0 for w5 pc 0x30; 3 u load 0x80 = miss;"
		       "3 u sent 0x80 w5 load kernel=1 pc=0x30; 4 p victim of set 0: 0 for w5 pc 0x30;"
		       "4 p allocated 0.0 for w5 pc 0x30; 4 u answer 0x80 w5 load kernel=1 pc=0x30;"
		       "5 p victim of set 0: 0; 5 p victim of set 0: 0; 5 p allocated 0.0;"
		       "end it accesses=4 hits=1 misses=3 evictions=2 fills=3 global_read_hits=1 "
		       "global_read_misses=3",
	},
	{
		"among those that may be replaced: not under way, and modified ones only if there are many",
		.shows = "CA21",
		.netlist = chosen,
		.params = "'sets': 1, 'ways': 4, 'write_policy': 'write_back', 'write_ratio': 50",
		.script = "0 u bring 0x0; 0 u bring 0x80; 0 u load 0x100; 0 u store 0x180; 0 u send;"
		          "1 u load 0x200; 2 u store 0x80 bytes=1; 2 u store 0x0; 5 p choose n=1;"
		          "6 u load 0x280; 7 u send",
		.log = "0 p allocated 0.3; 0 p allocated 0.2; 0 p allocated 0.1;"
		       "0 p allocated 0.0; 0 u load 0x100 = miss; 0 u store 0x180 = miss;"
		       "0 u sent 0x100 w0 load; 1 p victim of set 0: 2 3; 1 p allocated 0.2;"
		       "1 u load 0x200 = miss; 2 p victim of set 0: 3; 2 p allocated 0.3;"
		       "2 p victim of set 0: 0 3; 2 p allocated 0.0; 2 u store 0x80 = miss;"
		       "2 u store 0 = miss pushed 1; 6 p victim of set 0: 0 3;"
		       "6 p allocated 0.3; 6 u load 0x280 = miss; 7 u sent 0x200 w0 load;"
		       "7 u sent 0x180/1 w0 write,line,silent lines=ffffffff,0,0,0 via=0;"
		       "7 u sent 0x280 w0 load;"
		       "7 u sent 0x80/1 w0 write,line,silent lines=1,0,0,0 via=0x280;"
		       "end it accesses=8 misses=8 writes=3 write_misses=3 evictions=4 "
		       "write_backs=2 fills=2 global_read_misses=5 global_write_misses=3;"
		       "held it: 3 requests in 3 miss entries, 0 of which are filled",
	},
	{
		"without one there is no victim, and the policy is not asked",
		.shows = "CA21",
		.netlist = chosen,
		.params = "'sets': 1, 'ways': 1",
		.script = "0 u load 0x0; 1 u load 0x80",
		.log = "0 p allocated 0.0; 0 u load 0 = miss; 1 u load 0x80 = fail;"
		       "end it accesses=1 misses=1 reservation_fails=1 fails_ways=1 "
		       "global_read_misses=1 global_read_refusals=1 global_read_fails_ways=1;"
		       "held it: 1 requests in the miss queue, first for address 0x0;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"another number of ways makes it begin again",
		.shows = "CA21",
		.netlist = chosen,
		.params = "'sets': 2, 'ways': 1, 'max_ways': 4",
		.script = "0 u ways n=3; 0 u bring 0x0; 1 u bring 0x100; 2 u ways n=1; 2 u bring 0x80;"
		          "2 u load 0x180",
		.log = "0 p sets 2 ways 3; 0 p allocated 0.2; 1 p allocated 0.1;"
		       "2 p sets 2 ways 1; 2 p victim of set 1: 0; 2 p allocated 1.0;"
		       "2 p victim of set 1: 0; 2 p allocated 1.0; 2 u load 0x180 = miss;"
		       "end it accesses=4 misses=4 evictions=2 fills=3 global_read_misses=4;"
		       "held it: 1 requests in the miss queue, first for address 0x180;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"a choice that is none fails the run",
		.netlist = chosen,
		.params = "'sets': 1, 'ways': 1",
		.script = "0 u bring 0x0; 0 p choose n=1; 1 u load 0x80",
		.log = "0 p allocated 0.0; 1 p victim of set 0: 0; 1 p allocated 0.0;"
		       "1 u load 0x80 = miss;"
		       "end it accesses=2 misses=2 evictions=1 fills=1 global_read_misses=2;"
		       "held it: 1 requests in the miss queue, first for address 0x80;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled;"
		       "error p: cycle 2: module 'give_replacement' returned 1 from victim(), with 1 ways "
		       "to choose from",
	},
};

SUITE(cache_l2, .plain = true, .netlist = netlist, RULES(rules));
