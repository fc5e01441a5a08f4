/* cache_stores.c - rules of the cache: stores and modified lines
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cache.h"

static const char netlist[] = NETLIST;

static const struct rule rules[] = {
	{
		"write-through: every store is sent; with lazy fetch it also allocates, without a "
		"read",
		.shows = "CA12 CA13 CA16",
		.params = "'sets': 1, 'ways': 2, 'miss_queue': 3",
		.script = "0 u store 0x40 bytes=255 w3; 0 u send; 0 u store 0x40 bytes=0xff00;"
		          "0 u send; 1 u store 0; 1 u load 0; 1 u store 0 bytes=1; 1 u store 0x20;"
		          "1 u store 0 bytes=1; 2 u send",
		.log = "0 u store 0x40 = miss sent; 0 u sent 0x40/ff w3 write;"
		       "0 u store 0x40 = hit sent; 0 u sent 0x40/ff00 w0 write;"
		       "1 u store 0 = miss sent; 1 u load 0 = hit; 1 u store 0 = hit sent;"
		       "1 u store 0x20 = miss sent; 1 u store 0 = fail;"
		       "2 u sent 0/ffffffff w0 write; 2 u sent 0/1 w0 write;"
		       "2 u sent 0x20/ffffffff w0 write;"
		       "end it accesses=6 hits=3 misses=1 sector_misses=2 "
		       "reservation_fails=1 writes=5 write_hits=2 write_misses=1 "
		       "write_sector_misses=2 write_reservation_fails=1 fails_miss_queue=1 "
		       "global_read_hits=1 global_write_hits=2 global_write_misses=1 "
		       "global_write_sector_misses=2 global_write_refusals=1 "
		       "global_write_fails_miss_queue=1",
	},
	{
		"a load of a partly written sector fetches it, and it is modified again",
		.shows = "CA15",
		.params = "'sets': 1, 'ways': 2, 'write_policy': 'write_back'",
		.script = "0 u store 0x40 bytes=255; 0 u load 0x40; 0 u send; 1 u reply;"
		          "1 u answer; 1 u load 0x40; 2 u bring 0x80; 3 u load 0x100; 3 u send",
		.log = "0 u store 0x40 = miss; 0 u load 0x40 = miss; 0 u sent 0x40 w0 load;"
		       "1 u answer 0x40 w0 load; 1 u load 0x40 = hit; 3 u load 0x100 = miss;"
		       "3 u sent 0x100 w0 load;"
		       "3 u sent 0/4 w0 write,line,silent lines=0,0,ff,0 via=0x100;"
		       "end it accesses=5 hits=1 misses=3 sector_misses=1 writes=1 "
		       "write_misses=1 evictions=1 write_backs=1 fills=2 global_read_hits=1 "
		       "global_read_misses=2 global_read_sector_misses=1 "
		       "global_write_misses=1;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"a store that is not aligned writes bytes of the next sector, too, and those count for its own",
		.shows = "CA22",
		.params = "'sets': 1, 'ways': 2",
		.script = "0 u store 0x20 bytes=0xffff0000 beyond=8; 0 u store 0x40 bytes=0xffffff00; 0 u load 0x40;"
		          "0 u store 0x80 bytes=0xffffff00 beyond=8; 0 u load 0x80;"
		          "0 u store 0xa0 bytes=0xffffff00; 0 u load 0xa0",
		.log = "0 u store 0x20 = miss sent; 0 u store 0x40 = miss sent; 0 u load 0x40 = hit;"
		       "0 u store 0x80 = miss sent; 0 u load 0x80 = hit; 0 u store 0xa0 = miss sent;"
		       "0 u load 0xa0 = hit;"
		       "end it accesses=7 hits=3 misses=2 sector_misses=2 writes=4 write_misses=2 "
		       "write_sector_misses=2 global_read_hits=3 global_write_misses=2 "
		       "global_write_sector_misses=2;"
		       "held it: 4 requests in the miss queue, first for address 0x20",
	},
	{
		"all 32 bytes written one after another can be read",
		.shows = "CA12",
		.params = "'sets': 1, 'ways': 2",
		.script = "0 u store 0x20 bytes=0xffff; 0 u load 0x20; 0 u send;"
		          "1 u store 0x60 bytes=0xffff; 1 u store 0x60 bytes=0xffff0000;"
		          "1 u load 0x60; 1 u store 0x40 bytes=0x7fffffff; 1 u load 0x40",
		.log = "0 u store 0x20 = miss sent; 0 u load 0x20 = miss;"
		       "0 u sent 0x20/ffff w0 write; 0 u sent 0x20 w0 load;"
		       "1 u store 0x60 = miss sent; 1 u store 0x60 = hit sent;"
		       "1 u load 0x60 = hit; 1 u store 0x40 = miss sent; 1 u load 0x40 = miss;"
		       "end it accesses=7 hits=2 misses=1 sector_misses=4 writes=4 write_hits=1 "
		       "write_misses=1 write_sector_misses=2 global_read_hits=1 "
		       "global_read_sector_misses=2 global_write_hits=1 global_write_misses=1 "
		       "global_write_sector_misses=2;"
		       "held it: 4 requests in the miss queue, first for address 0x60;"
		       "held it: 2 requests in 2 miss entries, 0 of which are filled",
	},
	{
		"a lazy store to a sector in flight: it stays modified when the fill comes",
		.shows = "CA14",
		.params = "'sets': 1, 'ways': 1, 'write_policy': 'write_back'",
		.script = "0 u load 0; 0 u send; 0 u store 0 bytes=1; 0 u reply; 0 u answer;"
		          "1 u load 0; 1 u load 0x80; 1 u send",
		.log = "0 u load 0 = miss; 0 u sent 0 w0 load; 0 u store 0 = miss;"
		       "0 u answer 0 w0 load; 1 u load 0 = hit; 1 u load 0x80 = miss;"
		       "1 u sent 0x80 w0 load;"
		       "1 u sent 0/1 w0 write,line,silent lines=1,0,0,0 via=0x80;"
		       "end it accesses=4 hits=1 reserved_hits=1 misses=2 writes=1 "
		       "write_reserved_hits=1 evictions=1 write_backs=1 fills=1 "
		       "global_read_hits=1 global_read_misses=2 global_write_reserved_hits=1;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"it may be evicted before the fill, which then updates the line at its place",
		.shows = "CA14 CA17",
		.params = "'sets': 1, 'ways': 1, 'write_policy': 'write_back'",
		.script = "0 u load 0x80; 0 u send; 1 u store 0x80 bytes=1; 1 u store 0x100;"
		          "2 u send; 2 u reply; 2 u answer; 3 u load 0x100; 3 u load 0x80",
		.log = "0 u load 0x80 = miss; 0 u sent 0x80 w0 load; 1 u store 0x80 = miss;"
		       "1 u store 0x100 = miss pushed 1;"
		       "2 u sent 0x80/1 w0 write,line,silent lines=1,0,0,0 via=0x100;"
		       "2 u answer 0x80 w0 load; 3 u load 0x100 = hit; 3 u load 0x80 = miss;"
		       "end it accesses=5 hits=1 reserved_hits=1 misses=3 writes=2 "
		       "write_reserved_hits=1 write_misses=1 evictions=2 write_backs=1 "
		       "fills=1 global_read_hits=1 global_read_misses=2 "
		       "global_write_reserved_hits=1 global_write_misses=1;"
		       "held it: 1 requests in the miss queue, first for address 0x80;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"modified lines stay until they are 'write_ratio' percent of all",
		.shows = "CA6",
		.params = "'sets': 1, 'ways': 2, 'write_ratio': 60",
		.script = "0 u store 0; 0 u send; 1 u bring 0x80; 2 u bring 0x100; 3 u load 0;"
		          "3 u bring 0x80; 4 u store 0x80 bytes=1; 4 u send; 4 u load 0x80;"
		          "5 u bring 0x200; 6 u load 0x80; 6 u load 0",
		.log = "0 u store 0 = miss sent; 0 u sent 0/ffffffff w0 write; 3 u load 0 = hit;"
		       "4 u store 0x80 = hit sent; 4 u sent 0x80/1 w0 write; 4 u load 0x80 = hit;"
		       "6 u load 0x80 = hit; 6 u load 0 = miss;"
		       "end it accesses=10 hits=4 misses=6 writes=2 write_hits=1 write_misses=1 "
		       "evictions=4 fills=4 global_read_hits=3 global_read_misses=5 "
		       "global_write_hits=1 global_write_misses=1;"
		       "held it: 1 requests in the miss queue, first for address 0x0;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"the modified sectors of an evicted line are written back, unless it is "
		"write-through",
		.shows = "CA8",
		.params = "'sets': 1, 'ways': 1, 'write_policy': 'write_back', 'miss_queue': 2",
		.script = "0 u store 0x20; 0 u store 0x60 bytes=1; 0 u store 0x60 bytes=2;"
		          "0 u send; 1 u load 0x80; 1 u pending; 1 u send",
		.log = "0 u store 0x20 = miss; 0 u store 0x60 = miss; 0 u store 0x60 = hit;"
		       "1 u load 0x80 = miss; 1 u pending = 3; 1 u sent 0x80 w0 load;"
		       "1 u sent 0/a w0 write,line,silent size=64 lines=0,ffffffff,0,3 "
		       "via=0x80;"
		       "end it accesses=4 hits=1 misses=2 sector_misses=1 writes=3 "
		       "write_hits=1 write_misses=1 write_sector_misses=1 evictions=1 "
		       "write_backs=1 global_read_misses=1 global_write_hits=1 "
		       "global_write_misses=1 global_write_sector_misses=1;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"an atomic that hits modifies the sector at once, one that misses when it is "
		"filled",
		.shows = "CA9",
		.params = "'sets': 1, 'ways': 1, 'write_policy': 'write_back'",
		.script = "0 u bring 0; 0 u atomic 0 bytes=15; 0 u load 0;"
		          "1 u atomic 0x80 bytes=15; 1 u send; 2 u reply; 2 u answer;"
		          "3 u load 0x100; 3 u send",
		.log = "0 u atomic 0 = hit; 0 u load 0 = hit; 1 u atomic 0x80 = miss;"
		       "1 u sent 0x80/f w0 atomic,load;"
		       "1 u sent 0/1 w0 write,line,silent lines=f,0,0,0 via=0x80;"
		       "2 u answer 0x80/f w0 atomic,load; 3 u load 0x100 = miss;"
		       "3 u sent 0x100 w0 load;"
		       "3 u sent 0x80/1 w0 write,line,silent lines=f,0,0,0 via=0x100;"
		       "end it accesses=5 hits=2 misses=3 evictions=2 write_backs=2 fills=2 "
		       "global_read_hits=2 global_read_misses=3;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"write-evict: the store is sent, its sector is invalid, without a tag access",
		.shows = "CA12",
		.params = "'sets': 1, 'ways': 2, 'write_policy': 'write_evict', 'write_allocate': "
		          "'none', 'miss_queue': 2",
		.script = "0 u bring 0; 0 u bring 0x20; 0 u store 0 bytes=1; 0 u load 0x20;"
		          "0 u load 0; 0 u send; 1 u store 0x800; 1 u store 0x20; 1 u store 0x20;"
		          "1 u send",
		.log = "0 u store 0 = hit sent; 0 u load 0x20 = hit; 0 u load 0 = fail;"
		       "0 u sent 0/1 w0 write; 1 u store 0x800 = miss sent;"
		       "1 u store 0x20 = hit sent; 1 u store 0x20 = fail;"
		       "1 u sent 0x800/ffffffff w0 write; 1 u sent 0x20/ffffffff w0 write;"
		       "end it accesses=6 hits=3 misses=2 sector_misses=1 "
		       "reservation_fails=2 writes=3 write_hits=2 write_misses=1 "
		       "write_reservation_fails=1 fails_miss_queue=2 fills=2 "
		       "global_read_hits=1 global_read_misses=1 global_read_sector_misses=1 "
		       "global_read_refusals=1 global_read_fails_miss_queue=1 "
		       "global_write_hits=2 global_write_misses=1 global_write_refusals=1 "
		       "global_write_fails_miss_queue=1",
	},
	{
		"local memory is written back, global memory evicts",
		.shows = "CA12",
		.params = "'write_policy': 'local_write_back_global_write_evict', 'allocate': "
		          "'on_fill', 'write_allocate': 'none'",
		.script = "0 u bring 0; 0 u store 0 local; 0 u load 0; 0 u store 0; 0 u load 0;"
		          "0 u store 0x100 local; 0 u send",
		.log = "0 u store 0 = hit; 0 u load 0 = hit; 0 u store 0 = hit sent;"
		       "0 u load 0 = miss; 0 u store 0x100 = miss sent;"
		       "0 u sent 0/ffffffff w0 write; 0 u sent 0 w0 load;"
		       "0 u sent 0x100/ffffffff w0 write,local;"
		       "end it accesses=6 hits=3 misses=3 writes=3 write_hits=2 write_misses=1 "
		       "fills=1 global_read_hits=1 global_read_misses=2 global_write_hits=1 "
		       "local_write_hits=1 local_write_misses=1;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"the count of modified lines stays when a global store makes a modified sector "
		"invalid",
		.shows = "CA17 CA18",
		.params = "'sets': 1, 'ways': 2, 'write_policy': "
		          "'local_write_back_global_write_evict', 'allocate': 'on_fill', "
		          "'write_allocate': 'none', 'write_ratio': 60",
		.script = "0 u bring 0; 0 u bring 0x80; 1 u store 0 local; 1 u store 0; 1 u send;"
		          "2 u bring 0x100; 3 u store 0x80 local; 4 u load 0x100; 5 u bring 0x200;"
		          "6 u load 0x100; 6 u load 0x80; 6 u send",
		.log = "1 u store 0 = hit; 1 u store 0 = hit sent; 1 u sent 0/ffffffff w0 write;"
		       "3 u store 0x80 = hit; 4 u load 0x100 = hit; 6 u load 0x100 = hit;"
		       "6 u load 0x80 = miss; 6 u sent 0x80 w0 load;"
		       "end it accesses=10 hits=5 misses=5 writes=3 write_hits=3 evictions=1 "
		       "fills=4 global_read_hits=2 global_read_misses=5 global_write_hits=1 "
		       "local_write_hits=2;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"fetch on write: the store waits for the fetch, unless it writes all of the "
		"sector",
		.shows = "CA13",
		.params = "'write_policy': 'write_back', 'write_allocate': 'fetch_on_write'",
		.script = "0 u store 0; 0 u store 0x20 bytes=1; 0 u load 0x20 w7; 0 u send;"
		          "1 u reply; 1 u answer; 1 u load 0x20",
		.log = "0 u store 0 = miss; 0 u store 0x20 = miss alloc; 0 u load 0x20 = miss;"
		       "0 u sent 0x20/1 w0 alloc; 1 u answer 0x20/1 w0 write,alloc;"
		       "1 u answer 0x20 w7 load; 1 u load 0x20 = hit;"
		       "end it accesses=4 hits=1 reserved_hits=1 misses=1 sector_misses=1 "
		       "writes=2 write_misses=1 write_sector_misses=1 merged=1 fills=1 "
		       "global_read_hits=1 global_read_reserved_hits=1"
		       " global_read_merged=1 global_write_misses=1 "
		       "global_write_sector_misses=1",
	},
	{
		"write allocate: the store is sent, and a read for which nothing waits",
		.shows = "CA13",
		.params = "'write_allocate': 'write_allocate', 'miss_queue': 3",
		.script = "0 u store 0x20 bytes=1; 0 u store 0x40 bytes=1; 0 u send n=1;"
		          "0 u store 0x40 bytes=1; 0 u send; 1 u reply; 1 u answer; 1 u load 0x20",
		.log = "0 u store 0x20 = miss sent alloc; 0 u store 0x40 = fail;"
		       "0 u sent 0x20/1 w0 write; 0 u store 0x40 = fail;"
		       "0 u sent 0x20/1 w0 alloc; 1 u answer 0x20/1 w0 alloc;"
		       "1 u load 0x20 = hit;"
		       "end it accesses=2 hits=1 misses=1 reservation_fails=2 writes=1 "
		       "write_misses=1 write_reservation_fails=2 fails_miss_queue=2 fills=1 "
		       "global_read_hits=1 global_write_misses=1 global_write_refusals=2 "
		       "global_write_fails_miss_queue=2",
	},
};

SUITE(cache_stores, .netlist = netlist, .plain = true, RULES(rules));
