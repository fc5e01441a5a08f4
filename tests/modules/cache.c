/* cache.c - rules of the cache: reads, fills, invalidation; parameters that are refused
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cache.h"

static const char netlist[] = NETLIST;
static const char two_users[] = "'instances': {'it': {'module': 'cache', 'params': {@}}, "
	"'u': {'module': 'call_cache'}, 'v': {'module': 'call_cache'}}, 'links': ["
	"{'from': 'u.cache', 'to': 'it.cache'}, {'from': 'v.cache', 'to': 'it.cache'}]";

static const char listener[] = "'instances': {'it': {'module': 'cache', 'params': {@}}, "
	"'u': {'module': 'call_cache'}, 'v': {'module': 'call_cache', 'params': {'listens': true}}}, 'links': ["
	"{'from': 'u.cache', 'to': 'it.cache'}, {'from': 'v.cache', 'to': 'it.cache'}]";

#define ON_FILL "'allocate': 'on_fill', 'write_policy': 'read_only', 'write_allocate': 'none'"
#define REFUSED(what, p, message) { what, .params = p, .script = "0 end", \
	.log = "refused instance 'it': " message }

static const struct rule rules[] = {
	{
		"requests for a sector join its miss entry as long as it has room",
		.shows = "CA2 CA7 CA10",
		.params = "'sets': 2, 'ways': 2, 'mshr_merge': 2",
		.script = "0 u load 0x1000 w1; 0 u load 0x1000 w2; 0 u load 0x1000 w3;"
		          "0 u load 0x1020 w4; 0 u pending; 0 u send; 0 u pending; 1 u reply;"
		          "1 u answer; 1 u pending; 1 u load 0x1000; 1 u load 0x1020;"
		          "1 u load 0x1040",
		.log = "0 u load 0x1000 = miss; 0 u load 0x1000 = miss;"
		       "0 u load 0x1000 = fail; 0 u load 0x1020 = miss; 0 u pending = 5;"
		       "0 u sent 0x1000 w1 load; 0 u sent 0x1020 w4 load; 0 u pending = 3;"
		       "1 u answer 0x1000 w1 load; 1 u answer 0x1000 w2 load;"
		       "1 u answer 0x1020 w4 load; 1 u pending = 0; 1 u load 0x1000 = hit;"
		       "1 u load 0x1020 = hit; 1 u load 0x1040 = miss;"
		       "end it accesses=6 hits=2 reserved_hits=1 misses=1 sector_misses=2 "
		       "reservation_fails=1 fails_mshr_merge=1 merged=1 fills=2 "
		       "global_read_hits=2 global_read_reserved_hits=1 global_read_misses=1 "
		       "global_read_sector_misses=2 global_read_merged=1 global_read_refusals=1 "
		       "global_read_fails_mshr_merge=1;"
		       "held it: 1 requests in the miss queue, first for address 0x1040;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"it has where the read of a sector is: in the miss queue, in a record, or nowhere",
		.params = "'sets': 2, 'ways': 2",
		.script = "0 u where 0x1000; 0 u load 0x1000 w1; 0 u load 0x1020 w2; 0 u where 0x1010;"
		          "0 u send n=1; 0 u where 0x1000; 0 u where 0x1020; 0 u send; 0 u load 0x1020 w3;"
		          "0 u where 0x1020; 1 u reply n=1; 1 u where 0x1000; 1 u where 0x1020;"
		          "1 u reply; 1 u answer; 1 u where 0x1020",
		.log = "0 u 0x1000 nowhere; 0 u load 0x1000 = miss; 0 u load 0x1020 = miss; 0 u 0x1010 in 0;"
		       "0 u sent 0x1000 w1 load; 0 u 0x1000 in 1; 0 u 0x1020 in 0;"
		       "0 u sent 0x1020 w2 load; 0 u load 0x1020 = miss; 0 u 0x1020 in 2;"
		       "1 u 0x1000 nowhere; 1 u 0x1020 in 2; 1 u answer 0x1000 w1 load;"
		       "1 u answer 0x1020 w2 load; 1 u answer 0x1020 w3 load; 1 u 0x1020 nowhere;"
		       "end it accesses=3 reserved_hits=1 misses=1 sector_misses=1 merged=1 fills=2 "
		       "global_read_reserved_hits=1 global_read_misses=1 global_read_sector_misses=1 "
		       "global_read_merged=1",
	},
	{
		"a probe finds a sector absent, coming, or there, and changes nothing",
		.shows = "CA23",
		.params = "'sets': 2, 'ways': 2",
		.script = "0 u probe 0x1000; 0 u load 0x1000; 0 u probe 0x101f; 0 u probe 0x1020; 0 u send; 1 u reply;"
		          "1 u probe 0x1000; 1 u answer; 1 u store 0x1020 bytes=3; 1 u probe 0x1020; 2 u store 0x1020;"
		          "2 u probe 0x1020; 3 u invalidate; 3 u probe 0x1000",
		.log = "0 u 0x1000 absent; 0 u load 0x1000 = miss; 0 u 0x101f coming; 0 u 0x1020 absent;"
		       "0 u sent 0x1000 w0 load; 1 u 0x1000 there; 1 u answer 0x1000 w0 load;"
		       "1 u store 0x1020 = miss sent; 1 u 0x1020 absent; 2 u store 0x1020 = hit sent;"
		       "2 u 0x1020 there; 3 u 0x1000 absent;"
		       "end it accesses=3 hits=1 misses=1 sector_misses=1 writes=2 write_hits=1 write_sector_misses=1 "
		       "fills=1 global_read_misses=1 global_write_hits=1 global_write_sector_misses=1;"
		       "held it: 2 requests in the miss queue, first for address 0x1020",
	},
	{
		"a user that listens is notified of each line that is replaced, and of misses of others",
		.shows = "CA24",
		.netlist = listener,
		.params = "'sets': 1, 'ways': 2, 'write_policy': 'write_back'",
		.script = "0 u bring 0x1000; 0 u bring 0x1060; 0 u store 0x1020;"
		          "0 u store 0x1040 bytes=1; 1 u bring 0x2000;"
		          "2 u load 0x3000; 3 u load 0x2000; 4 u load 0x4000; 5 u load 0x5000;"
		          "6 u send; 7 u reply; 8 u answer;"
		          "9 u flush; 10 u bring 0x5000; 11 u invalidate; 12 u bring 0x6000;"
		          "13 u load 0x7000; 13 u load 0x7000; 13 v load 0x8000; 13 v load 0x7000;"
		          "13 u store 0x8020 bytes=1",
		.log = "0 u store 0x1020 = miss; 0 u store 0x1040 = miss; 0 v misses 0x1000; 0 v misses 0x1060;"
		       "1 v misses 0x2000; 2 u load 0x3000 = miss; 2 v loses 0x1000 has=b modified=6 for 0x3000;"
		       "2 v misses 0x3000; 3 u load 0x2000 = hit; 4 u load 0x4000 = miss;"
		       "4 v loses 0x2000 has=1 modified=0 for 0x4000; 4 v misses 0x4000; 5 u load 0x5000 = fail;"
		       "6 u sent 0x3000 w0 load;"
		       "6 u sent 0x1000/6 w0 write,line,silent size=64 lines=0,ffffffff,1,0 via=0x3000;"
		       "6 u sent 0x4000 w0 load; 8 u answer 0x3000 w0 load; 8 u answer 0x4000 w0 load;"
		       "9 v loses all that is modified; 10 v loses 0x3000 has=1 modified=0 for 0x5000;"
		       "10 v misses 0x5000; 11 v loses all that is there; 12 v misses 0x6000;"
		       "13 u load 0x7000 = miss; 13 u load 0x7000 = miss; 13 u store 0x8020 = miss;"
		       "13 v misses 0x7000; 13 v loses 0x6000 has=1 modified=0 for 0x8020;"
		       "13 v load 0x8000 = miss; 13 v load 0x7000 = miss;"
		       "end it accesses=15 hits=1 reserved_hits=2 misses=8 sector_misses=4 reservation_fails=1 "
		       "writes=3 "
		       "write_misses=1 write_sector_misses=2 fails_ways=1 merged=2 evictions=4 write_backs=1 fills=7 "
		       "global_read_hits=1 global_read_reserved_hits=2 global_read_misses=7 "
		       "global_read_sector_misses=2 "
		       "global_read_merged=2 global_read_refusals=1 global_read_fails_ways=1 global_write_misses=1 "
		       "global_write_sector_misses=2;"
		       "held it: 1 requests in the miss queue, first for address 0x7000;"
		       "held it: 1 requests in the miss queue, first for address 0x8000;"
		       "held it: 4 requests in 2 miss entries, 0 of which are filled",
	},
	{
		"a plain line is there as a whole, also where it is allocated by its fill",
		.shows = "CA24",
		.netlist = listener,
		.params = "'sets': 1, 'ways': 1, 'sectored': false, 'line': 64, " ON_FILL,
		.script = "0 u load 0x1000; 0 u probe 0x1020; 0 u send; 1 u reply; 1 u answer;"
		          "1 u probe 0x1020; 2 u load 0x2000;"
		          "2 u send; 3 u reply; 3 u answer",
		.log = "0 u load 0x1000 = miss; 0 u 0x1020 coming; 0 u sent 0x1000 w0 load size=64;"
		       "0 v misses 0x1000; 1 u answer 0x1000 w0 load; 1 u 0x1020 there; 2 u load 0x2000 = miss;"
		       "2 u sent 0x2000 w0 load size=64; 2 v misses 0x2000; 3 u answer 0x2000 w0 load;"
		       "3 v loses 0x1000 has=3 modified=0 for 0x2000;"
		       "end it accesses=2 misses=2 evictions=1 fills=2 global_read_misses=2",
	},
	{
		"at most 'mshr_entries' miss entries are in use; an entry is free when its last "
		"request is taken",
		.shows = "CA10",
		.params = "'sets': 2, 'ways': 2, 'mshr_entries': 2",
		.script = "0 u load 0x1000 w1; 0 u load 0x1020 w2; 0 u load 0x1040;"
		          "0 u load 0x1000 w3; 0 u send; 1 u reply n=1; 1 u load 0x1040;"
		          "1 u answer n=1; 2 u load 0x1040; 2 u answer n=1; 3 u load 0x1040",
		.log = "0 u load 0x1000 = miss; 0 u load 0x1020 = miss;"
		       "0 u load 0x1040 = fail; 0 u load 0x1000 = miss;"
		       "0 u sent 0x1000 w1 load; 0 u sent 0x1020 w2 load;"
		       "1 u load 0x1040 = fail; 1 u answer 0x1000 w1 load;"
		       "2 u load 0x1040 = fail; 2 u answer 0x1000 w3 load;"
		       "3 u load 0x1040 = miss;"
		       "end it accesses=4 reserved_hits=1 misses=1 sector_misses=2 "
		       "reservation_fails=3 fails_mshr_entries=3 merged=1 fills=1 "
		       "global_read_reserved_hits=1 global_read_misses=1 "
		       "global_read_sector_misses=2 global_read_merged=1 global_read_refusals=3 "
		       "global_read_fails_mshr_entries=3;"
		       "held it: 1 requests in the miss queue, first for address 0x1040;"
		       "held it: 2 requests in 2 miss entries, 0 of which are filled",
	},
	{
		"answers come in the order in which entries were filled, within one in order of "
		"arrival",
		.shows = "CA11 CA19",
		.params = "'sets': 2, 'ways': 2",
		.script = "0 u load 0x1000 w1; 0 u load 0x1000 w2; 0 u load 0x1020 w4; 0 u send;"
		          "0 u fill 0x1020; 0 u fill 0x1000; 1 u answer n=1; 1 u load 0x1000 w5;"
		          "1 u answer",
		.log = "0 u load 0x1000 = miss; 0 u load 0x1000 = miss; 0 u load 0x1020 = miss;"
		       "0 u sent 0x1000 w1 load; 0 u sent 0x1020 w4 load;"
		       "1 u answer 0x1020 w4 load; 1 u load 0x1000 = hit;"
		       "1 u answer 0x1000 w1 load; 1 u answer 0x1000 w2 load;"
		       "end it accesses=4 hits=1 reserved_hits=1 misses=1 sector_misses=1 "
		       "merged=1 fills=2 global_read_hits=1 global_read_reserved_hits=1 "
		       "global_read_misses=1 global_read_sector_misses=1 global_read_merged=1",
	},
	{
		"each of several users gets the answers to its own requests, whichever brought the reply",
		.shows = "CA19",
		.netlist = two_users,
		.params = "'sets': 2, 'ways': 2",
		.script = "0 u load 0x1000 w1; 1 v load 0x1000 w2; 2 u load 0x1020 w3;"
		          "3 v load 0x1040 w4; 4 v load 0x1020 w5; 5 u load 0x1000 w6; 6 u send;"
		          "7 v send; 8 u answer; 9 u reply; 10 v answer n=1; 11 v reply; 12 v answer n=1;"
		          "13 u answer; 14 v answer; 15 v pending",
		.log = "0 u load 0x1000 = miss; 1 v load 0x1000 = miss; 2 u load 0x1020 = miss;"
		       "3 v load 0x1040 = miss; 4 v load 0x1020 = miss; 5 u load 0x1000 = miss;"
		       "6 u sent 0x1000 w1 load; 6 u sent 0x1020 w3 load;"
		       "7 v sent 0x1040 w4 load; 10 v answer 0x1000 w2 load;"
		       "12 v answer 0x1020 w5 load; 13 u answer 0x1000 w1 load;"
		       "13 u answer 0x1000 w6 load; 13 u answer 0x1020 w3 load;"
		       "14 v answer 0x1040 w4 load; 15 v pending = 0;"
		       "end it accesses=6 reserved_hits=3 misses=1 sector_misses=2 merged=3 "
		       "fills=3 global_read_reserved_hits=3 global_read_misses=1 "
		       "global_read_sector_misses=2 global_read_merged=3",
	},
	{
		"a store to a sector in flight does not prevent loads from joining the entry",
		.shows = "CA11",
		.params = "'sets': 2, 'ways': 2",
		.script = "0 u load 0x1000 w1; 0 u send; 0 u store 0x1000 bytes=255;"
		          "0 u load 0x1000 w2; 0 u send; 1 u reply; 1 u answer; 1 u load 0x1000",
		.log = "0 u load 0x1000 = miss; 0 u sent 0x1000 w1 load;"
		       "0 u store 0x1000 = miss sent; 0 u load 0x1000 = miss;"
		       "0 u sent 0x1000/ff w0 write; 1 u answer 0x1000 w1 load;"
		       "1 u answer 0x1000 w2 load; 1 u load 0x1000 = hit;"
		       "end it accesses=4 hits=1 reserved_hits=1 misses=1 sector_misses=1 "
		       "writes=1 write_reserved_hits=1 merged=1 fills=1 global_read_hits=1 "
		       "global_read_misses=1 global_read_sector_misses=1 global_read_merged=1 "
		       "global_write_reserved_hits=1",
	},
	{
		"a reply for which no request waits fails the run",
		.params = "'sets': 2, 'ways': 2",
		.script = "0 u load 0x1000; 1 u fill 0x9000",
		.log = "0 u load 0x1000 = miss; end it accesses=1 misses=1 global_read_misses=1;"
		       "held it: 1 requests in the miss queue, first for address 0x1000;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled;"
		       "error it: cycle 2: reply for address 0x9000, for which no read is "
		       "outstanding",
	},
	{
		"a load needs two places in the miss queue, a store needs one",
		.shows = "CA3 CA10",
		.params = "'sets': 1, 'ways': 8, 'miss_queue': 4",
		.script = "0 u load 0; 0 u load 0x80; 0 u load 0x100; 0 u load 0x180; 0 u load 0;"
		          "0 u store 0x180 bytes=1; 0 u store 0x200 bytes=1; 0 u pending;"
		          "1 u send n=1; 1 u load 0x180; 1 u store 0x200 bytes=1; 2 u send",
		.log = "0 u load 0 = miss; 0 u load 0x80 = miss; 0 u load 0x100 = miss;"
		       "0 u load 0x180 = fail; 0 u load 0 = fail;"
		       "0 u store 0x180 = miss sent; 0 u store 0x200 = fail; 0 u pending = 7;"
		       "1 u sent 0 w0 load; 1 u load 0x180 = fail;"
		       "1 u store 0x200 = miss sent; 2 u sent 0x80 w0 load;"
		       "2 u sent 0x100 w0 load; 2 u sent 0x180/1 w0 write;"
		       "2 u sent 0x200/1 w0 write;"
		       "end it accesses=5 misses=5 reservation_fails=4 writes=2 "
		       "write_misses=2 write_reservation_fails=1 fails_miss_queue=4 "
		       "global_read_misses=3 global_read_refusals=3 "
		       "global_read_fails_miss_queue=3 global_write_misses=2 "
		       "global_write_refusals=1 global_write_fails_miss_queue=1;"
		       "held it: 3 requests in 3 miss entries, 0 of which are filled",
	},
	{
		"in a read-only cache a load needs one; a store is an error",
		.shows = "CA10",
		.params = "'write_policy': 'read_only', 'write_allocate': 'none', 'miss_queue': 1",
		.script = "0 u load 0; 0 u load 0x80; 0 u send; 0 u load 0x80; 1 u store 0 bytes=1",
		.log = "0 u load 0 = miss; 0 u load 0x80 = fail; 0 u sent 0 w0 load;"
		       "0 u load 0x80 = miss; 1 u store 0 = fail;"
		       "end it accesses=2 misses=2 reservation_fails=1 fails_miss_queue=1 "
		       "global_read_misses=2 global_read_refusals=1 "
		       "global_read_fails_miss_queue=1;"
		       "held it: 1 requests in the miss queue, first for address 0x80;"
		       "held it: 2 requests in 2 miss entries, 0 of which are filled;"
		       "error it: cycle 2: store to address 0x0 of a read-only cache",
	},
	{
		"without a line that is not reserved a miss is refused; another set is free",
		.shows = "CA6",
		.params = "'sets': 2, 'ways': 2",
		.script = "0 u load 0; 0 u load 0x100; 0 u load 0x200; 0 u store 0x200;"
		          "0 u load 0x80; 0 u send; 1 u reply n=1; 1 u load 0x200; 1 u send",
		.log = "0 u load 0 = miss; 0 u load 0x100 = miss; 0 u load 0x200 = fail;"
		       "0 u store 0x200 = fail; 0 u load 0x80 = miss; 0 u sent 0 w0 load;"
		       "0 u sent 0x100 w0 load; 0 u sent 0x80 w0 load; 1 u load 0x200 = miss;"
		       "1 u sent 0x200 w0 load;"
		       "end it accesses=4 misses=4 reservation_fails=2 "
		       "write_reservation_fails=1 fails_ways=2 evictions=1 fills=1 "
		       "global_read_misses=4 global_read_refusals=1 global_read_fails_ways=1 "
		       "global_write_refusals=1 global_write_fails_ways=1;"
		       "held it: 4 requests in 4 miss entries, 1 of which are filled",
	},
	{
		"the last access decides; among equal ones the lowest way is replaced",
		.shows = "CA6",
		.params = "'sets': 2, 'ways': 3",
		.script = "0 u bring 0; 1 u bring 0x100; 2 u bring 0x200; 3 u load 0x100;"
		          "4 u bring 0x300; 5 u load 0x100; 5 u load 0x200; 5 u load 0x300;"
		          "6 u bring 0x400; 7 u load 0x100; 7 u load 0x300; 7 u load 0x200",
		.log = "3 u load 0x100 = hit; 5 u load 0x100 = hit; 5 u load 0x200 = hit;"
		       "5 u load 0x300 = hit; 7 u load 0x100 = hit; 7 u load 0x300 = hit;"
		       "7 u load 0x200 = miss;"
		       "end it accesses=12 hits=6 misses=6 evictions=3 fills=5 global_read_hits=6 "
		       "global_read_misses=6;"
		       "held it: 1 requests in the miss queue, first for address 0x200;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"with fifo the allocation decides",
		.shows = "CA6",
		.params = "'sets': 2, 'ways': 3, 'replacement': 'fifo'",
		.script = "0 u bring 0; 1 u bring 0x100; 2 u bring 0x200; 3 u load 0;"
		          "4 u bring 0x300; 5 u load 0x100; 5 u load 0",
		.log = "3 u load 0 = hit; 5 u load 0x100 = hit; 5 u load 0 = miss;"
		       "end it accesses=7 hits=2 misses=5 evictions=2 fills=4 global_read_hits=2 "
		       "global_read_misses=5;"
		       "held it: 1 requests in the miss queue, first for address 0x0;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"with 'xor' the bits above those of the set are mixed in",
		.shows = "CA5",
		.params = "'sets': 4, 'ways': 1, 'set_index': 'xor'",
		.script = "0 u bring 0; 0 u bring 0x200; 0 u bring 0x600; 1 u load 0;"
		          "1 u load 0x200; 1 u load 0x600; 2 u bring 0x80; 3 u load 0x200;"
		          "3 u load 0",
		.log = "1 u load 0 = hit; 1 u load 0x200 = hit; 1 u load 0x600 = hit;"
		       "3 u load 0x200 = miss; 3 u load 0 = hit;"
		       "end it accesses=9 hits=4 misses=5 evictions=2 fills=4 global_read_hits=4 "
		       "global_read_misses=5;"
		       "held it: 1 requests in the miss queue, first for address 0x200;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"with 'ipoly' masks choose bits above, of which an odd number flips a bit of "
		"the set",
		.shows = "CA5",
		.params = "'sets': 16, 'ways': 1, 'set_index': 'ipoly'",
		.script = "0 u bring 0x800; 0 u bring 0x1000; 0 u bring 0; 1 u load 0x800;"
		          "1 u load 0x1000; 1 u load 0; 2 u bring 0x180; 3 u load 0x1000;"
		          "3 u load 0x800; 4 u bring 0x300; 5 u load 0x1000",
		.log = "1 u load 0x800 = hit; 1 u load 0x1000 = hit; 1 u load 0 = hit;"
		       "3 u load 0x1000 = hit; 3 u load 0x800 = miss; 5 u load 0x1000 = miss;"
		       "end it accesses=11 hits=4 misses=7 evictions=4 fills=6 global_read_hits=4 "
		       "global_read_misses=7;"
		       "held it: 1 requests in the miss queue, first for address 0x1000;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"a hit on a sector in flight is an access as well",
		.shows = "CA8",
		.params = "'sets': 1, 'ways': 2",
		.script = "0 u load 0; 1 u load 0x80; 2 u load 0; 3 u send; 3 u reply; 3 u answer;"
		          "4 u bring 0x100; 5 u load 0; 5 u load 0x80",
		.log = "0 u load 0 = miss; 1 u load 0x80 = miss; 2 u load 0 = miss;"
		       "3 u sent 0 w0 load; 3 u sent 0x80 w0 load; 3 u answer 0 w0 load;"
		       "3 u answer 0 w0 load; 3 u answer 0x80 w0 load; 5 u load 0 = hit;"
		       "5 u load 0x80 = miss;"
		       "end it accesses=6 hits=1 reserved_hits=1 misses=4 merged=1 evictions=2 "
		       "fills=3 global_read_hits=1 global_read_reserved_hits=1 "
		       "global_read_misses=4 global_read_merged=1;"
		       "held it: 1 requests in the miss queue, first for address 0x80;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"streaming: allocation on fill, but on miss while there is no shared memory",
		.shows = "UN3",
		.params = "'sets': 1, 'ways': 2, 'allocate': 'streaming', 'write_policy': 'read_only', "
		          "'write_allocate': 'none'",
		.script = "0 u load 0x0; 0 u load 0x0; 0 u send; 1 u reply; 1 u answer n=2; 2 u ways n=2 shared=0;"
		          "2 u load 0x100; 2 u load 0x100; 2 u load 0x120; 2 u send n=2; 3 u reply n=2; 3 u answer n=3;"
		          "4 u ways n=2; 4 u load 0x200; 4 u load 0x200; 4 u send; 5 u reply; 5 u answer n=2",
		.log = "0 u load 0 = miss; 0 u load 0 = miss; 0 u sent 0 w0 load; 1 u answer 0 w0 load;"
		       "1 u answer 0 w0 load; 2 u load 0x100 = miss; 2 u load 0x100 = miss;"
		       "2 u load 0x120 = miss; 2 u sent 0x100 w0 load; 2 u sent 0x120 w0 load;"
		       "3 u answer 0x100 w0 load; 3 u answer 0x100 w0 load; 3 u answer 0x120 w0 load;"
		       "4 u load 0x200 = miss; 4 u load 0x200 = miss; 4 u sent 0x200 w0 load;"
		       "5 u answer 0x200 w0 load; 5 u answer 0x200 w0 load;"
		       "end it accesses=7 reserved_hits=1 misses=5 sector_misses=1 merged=3 evictions=1 "
		       "fills=4 global_read_reserved_hits=1 global_read_misses=5 global_read_sector_misses=1 "
		       "global_read_merged=3",
	},
	{
		"with allocation on fill more lines may be in flight than there are ways",
		.shows = "CA17",
		.params = "'sets': 1, 'ways': 2, " ON_FILL,
		.script = "0 u load 0; 0 u load 0x80; 0 u load 0x100; 0 u load 0x180;"
		          "0 u load 0 w9; 0 u send; 1 u reply n=1; 2 u reply n=1; 3 u reply n=1;"
		          "4 u reply n=1; 5 u answer; 5 u load 0x100; 5 u load 0x180;"
		          "5 u load 0x80",
		.log = "0 u load 0 = miss; 0 u load 0x80 = miss; 0 u load 0x100 = miss;"
		       "0 u load 0x180 = miss; 0 u load 0 = miss; 0 u sent 0 w0 load;"
		       "0 u sent 0x80 w0 load; 0 u sent 0x100 w0 load; 0 u sent 0x180 w0 load;"
		       "5 u answer 0 w0 load; 5 u answer 0 w9 load; 5 u answer 0x80 w0 load;"
		       "5 u answer 0x100 w0 load; 5 u answer 0x180 w0 load; 5 u load 0x100 = hit;"
		       "5 u load 0x180 = hit; 5 u load 0x80 = miss;"
		       "end it accesses=8 hits=2 misses=6 merged=1 evictions=2 fills=4 "
		       "global_read_hits=2 global_read_misses=6 global_read_merged=1;"
		       "held it: 1 requests in the miss queue, first for address 0x80;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"a fill is not a tag access: an invalidation after it alone does nothing",
		.shows = "CA4 CA20",
		.params = ON_FILL,
		.script = "0 u load 0; 0 u load 0x20; 0 u send; 0 u invalidate; 1 u reply;"
		          "1 u answer; 1 u invalidate; 2 u load 0; 2 u load 0x20; 3 u invalidate;"
		          "3 u load 0",
		.log = "0 u load 0 = miss; 0 u load 0x20 = miss; 0 u sent 0 w0 load;"
		       "0 u sent 0x20 w0 load; 1 u answer 0 w0 load; 1 u answer 0x20 w0 load;"
		       "2 u load 0 = hit; 2 u load 0x20 = hit; 3 u load 0 = miss;"
		       "end it accesses=5 hits=2 misses=3 fills=2 global_read_hits=2 "
		       "global_read_misses=3;"
		       "held it: 1 requests in the miss queue, first for address 0x0;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"sectors in flight are filled after an invalidation; nothing is written back",
		.shows = "CA20",
		.params = "'sets': 2, 'ways': 2, 'write_policy': 'write_back'",
		.script = "0 u bring 0; 0 u store 0; 0 u load 0x80; 0 u send; 0 u invalidate;"
		          "1 u reply; 1 u answer; 1 u load 0x80; 1 u load 0; 1 u send",
		.log = "0 u store 0 = hit; 0 u load 0x80 = miss; 0 u sent 0x80 w0 load;"
		       "1 u answer 0x80 w0 load; 1 u load 0x80 = hit; 1 u load 0 = miss;"
		       "1 u sent 0 w0 load;"
		       "end it accesses=5 hits=2 misses=3 writes=1 write_hits=1 fills=2 "
		       "global_read_hits=1 global_read_misses=3 global_write_hits=1;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"a plain line is one sector, of 128 bytes",
		.shows = "CA1",
		.params = "'sectored': false",
		.script = "0 u load 0x20 w1; 0 u load 0x60 w2; 0 u send; 1 u reply; 1 u answer;"
		          "1 u load 0x40",
		.log = "0 u load 0x20 = miss; 0 u load 0x60 = miss; 0 u sent 0 w1 load size=128;"
		       "1 u answer 0x20 w1 load; 1 u answer 0x60 w2 load; 1 u load 0x40 = hit;"
		       "end it accesses=3 hits=1 reserved_hits=1 misses=1 merged=1 fills=1 "
		       "global_read_hits=1 global_read_reserved_hits=1 global_read_misses=1"
		       " global_read_merged=1",
	},
	{
		"when the number of ways changes lines stay at their places, where they may not "
		"be found",
		.shows = "UN2",
		.params = "'sets': 2, 'ways': 2, 'max_ways': 4",
		.script = "0 u bring 0; 0 u bring 0x100; 0 u bring 0x80; 1 u ways n=4; 1 u load 0;"
		          "1 u load 0x80; 1 u send; 1 u reply; 1 u answer; 2 u ways n=2;"
		          "2 u load 0; 2 u load 0x80; 2 u invalidate; 3 u load 0; 3 u ways n=4;"
		          "3 u load 0x80",
		.log = "1 u load 0 = hit; 1 u load 0x80 = miss; 1 u sent 0x80 w0 load;"
		       "1 u answer 0x80 w0 load; 2 u load 0 = hit; 2 u load 0x80 = hit;"
		       "3 u load 0 = miss; 3 u load 0x80 = hit;"
		       "end it accesses=9 hits=4 misses=5 fills=4 global_read_hits=4 "
		       "global_read_misses=5;"
		       "held it: 1 requests in the miss queue, first for address 0x0;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled",
	},
	{
		"more ways than 'max_ways' fail the run",
		.shows = "UN2",
		.params = "'sets': 2, 'ways': 2, 'max_ways': 4",
		.script = "0 u load 0; 1 u ways n=5",
		.log = "0 u load 0 = miss; end it accesses=1 misses=1 global_read_misses=1;"
		       "held it: 1 requests in the miss queue, first for address 0x0;"
		       "held it: 1 requests in 1 miss entries, 0 of which are filled;"
		       "error it: cycle 2: 5 ways requested; expected 1 to 4",
	},
	{
		"pending requests are reported at the end",
		.script = "0 u load 0; 0 u load 0x20; 0 u send n=1; 0 u store 0x40",
		.log = "0 u load 0 = miss; 0 u load 0x20 = miss; 0 u sent 0 w0 load;"
		       "0 u store 0x40 = miss sent;"
		       "end it accesses=3 misses=1 sector_misses=2 writes=1 write_sector_misses=1 "
		       "global_read_misses=1 global_read_sector_misses=1 "
		       "global_write_sector_misses=1;"
		       "held it: 2 requests in the miss queue, first for address 0x20;"
		       "held it: 2 requests in 2 miss entries, 0 of which are filled",
	},
	REFUSED("sets are a power of two", "'sets': 3", "'sets' is 3; expected a power of two"),
	REFUSED("a line is a power of two", "'line': 96", "'line' is 96; expected a power of two"),
	REFUSED("the hash is for 16, 32 or 64 sets", "'sets': 8, 'set_index': 'ipoly'",
	        "'sets' is 8; 'set_index' \"ipoly\" expects 16, 32 or 64"),
	REFUSED("there are at most 'max_ways' ways", "'ways': 8, 'max_ways': 4",
	        "'max_ways' is 4; expected at least 'ways', which is 8"),
	REFUSED("there are at most 1048576 lines", "'sets': 65536, 'ways': 64",
	        "'sets' times 'max_ways' is 4194304; expected at most 1048576"),
	REFUSED("there are at most 16777216 waiting requests", "'mshr_entries': 1048576, "
		"'mshr_merge': 64",
	        "'mshr_entries' times 'mshr_merge' is 67108864; expected at most 16777216"),
	REFUSED("a miss queue has room for a miss", "'miss_queue': 1",
	        "'miss_queue' is 1; expected at least 2, as no miss would ever be accepted"),
	REFUSED("and for the miss of a store that allocates",
	        "'miss_queue': 2, 'write_allocate': 'write_allocate'",
	        "'miss_queue' is 2; expected at least 3, as no miss would ever be accepted"),
	REFUSED("a write-back cache allocates on miss",
	        "'write_policy': 'write_back', 'write_allocate': 'none', 'allocate': 'on_fill'",
	        "'write_policy' \"write_back\" expects 'allocate' \"on_miss\""),
	REFUSED("a cache that fetches on write does as well", "'allocate': 'on_fill'",
	        "'write_allocate' \"fetch_on_write\" and \"lazy_fetch_on_read\" expect 'allocate' "
	        "\"on_miss\""),
};

SUITE(cache, .netlist = netlist, .plain = true, RULES(rules));
