/* dram_schedule.c - rules of a memory channel: the next request; refused parameters
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dram.h"

static const char netlist[] = DRAM_NETLIST;
static const char one_way[] =
	"'instances': {'it': {'module': 'dram'}, 'a': {'module': 'put_mem'}, "
	"'b': {'module': 'put_mem'}, 'r': {'module': 'take_mem'}, 'map': {'module': 'give_map'}, "
	"'time': {'module': 'timebase'}}, 'links': ["
	"{'from': 'a.out', 'to': 'it.request', 'capacity': 4}, "
	"{'from': 'b.out', 'to': 'it.request', 'capacity': 4}, "
	"{'from': 'it.reply', 'to': 'r.in', 'latency': 0, 'capacity': 2}, "
	"{'from': 'it.map', 'to': 'map.map'}, {'from': 'it.time', 'to': 'time.time'}]";

#define READ "flags=load"
#define WRITE "flags=write"
/* Slow enough for the queues to fill. */
#define SLOW TIMES(4, 1, 3, 6, 3, 1, 4, 2, 1, 1, 1, 1)
#define ONE_BANK "'latency': 0, 'banks': 1, 'groups': 1"
#define REFUSED(what, p, message) { what, .shows = "DR18", .params = p, .script = "0 end", \
	.log = "refused instance 'it': " message }

static const struct rule rules[] = {
	{
		"requests to the open row go before older ones to other rows",
		.shows = "DR7",
		.params = ONE_BANK ", " SLOW,
		.script = "0 a put 0x10000 w1 " READ "; 0 a put 0x20000 w2 " READ "; 0 a put 0x10020 w3 " READ
		          "; 0 a put 0x20020 w4 " READ "; 0 a put 0x10040 w5 " READ "; 90 end",
		.log = "10 r took 0x10000 w1 load; 14 r took 0x10020 w3 load;"
		       "18 r took 0x10040 w5 load; 25 r took 0x20000 w2 load;"
		       "29 r took 0x20020 w4 load;"
		       "end it ticks=91 active=8 requests=5"
		       " asked_reads=5 reads=5 activates=2 precharges=1 "
		       "assigned=5 row_hits=3 bytes_read=160 bus_busy=5",
	},
	{
		"as long as there are any, also those that come meanwhile",
		.shows = "DR7",
		.params = ONE_BANK ", " SLOW,
		.script = "0 a put 0x10000 w1 " READ " n=3; 0 a put 0x20000 w2 " READ ";"
		          "12 a put 0x10060 w3 " READ "; 15 a put 0x10080 w4 " READ "; 50 a put 0x100a0 w5 " READ
		          "; 90 end",
		.log = "10 r took 0x10000 w1 load; 14 r took 0x10020 w1 load;"
		       "18 r took 0x10040 w1 load; 22 r took 0x10060 w3 load;"
		       "26 r took 0x10080 w4 load; 33 r took 0x20000 w2 load;"
		       "63 r took 0x100a0 w5 load;"
		       "end it ticks=91 active=12 requests=7 asked_reads=7 reads=7 activates=3 "
		       "precharges=2 assigned=7 row_hits=4 bytes_read=224 bus_busy=7",
	},
	{
		"when the row has none, those of the oldest request's row",
		.shows = "DR7",
		.params = ONE_BANK ", " SLOW,
		.script = "0 a put 0x10000 w1 " READ "; 0 a put 0x30000 w2 " READ "; 0 a put 0x20000 w3 " READ
		          "; 0 a put 0x30020 w4 " READ "; 90 end",
		.log = "10 r took 0x10000 w1 load; 19 r took 0x30000 w2 load;"
		       "23 r took 0x30020 w4 load; 30 r took 0x20000 w3 load;"
		       "end it ticks=91 active=9 requests=4"
		       " asked_reads=4 reads=4 activates=3 precharges=2 "
		       "assigned=4 row_hits=1 bytes_read=128 bus_busy=4",
	},
	{
		"before any row was opened row 0 counts as open",
		.shows = "DR8",
		.params = ONE_BANK ", " SLOW,
		.script = "0 a put 0x10000 w1 " READ " size=160; 0 b put 0x0 w2 " READ "; 60 end",
		.log = "26 r took 0x10000 w1 load size=160; 33 s took 0 w2 load;"
		       "end it ticks=61 active=9 requests=2"
		       " asked_reads=6 reads=6 activates=2 precharges=1 "
		       "assigned=2 bytes_read=192 bus_busy=6",
	},
	{
		"of a bank that is to be opened too",
		.shows = "DR8",
		.params = "'latency': 0, 'banks': 2, 'groups': 1, " SLOW,
		.script = "0 a put 0x10000 w1 " READ " size=160; 0 b put 0x10100 w2 " READ "; 0 b put 0x120 w3 "
		          READ "; 0 a put 0x140 w4 " READ "; 60 end",
		.log = "26 r took 0x10000 w1 load size=160; 30 s took 0x10100 w2 load;"
		       "37 r took 0x140 w4 load; 41 s took 0x120 w3 load;"
		       "end it ticks=61 active=12 requests=4 asked_reads=8 reads=8 activates=3 "
		       "precharges=1 assigned=4 row_hits=1 bytes_read=256 bus_busy=8",
	},
	{
		"one bank gets a request in a tick, in a ring that moves on with each",
		.shows = "DR6",
		.params = "'latency': 0, 'banks': 4, 'groups': 1, " TIMES(1, 9, 3, 6, 3, 1, 4, 2, 1, 1, 1, 1),
		.script = "0 a put 0x300 w1 " READ "; 0 b put 0x200 w2 " READ "; 0 a put 0x100 w3 " READ
		          "; 0 b put 0x0 w4 " READ "; 0 a put 0x20 w5 " READ "; 0 b put 0x120 w6 " READ "; 60 end",
		.log = "10 r took 0x300 w1 load; 19 s took 0 w4 load; 20 r took 0x20 w5 load;"
		       "28 s took 0x200 w2 load; 37 r took 0x100 w3 load;"
		       "38 s took 0x120 w6 load;"
		       "end it ticks=61 active=10 requests=6"
		       " asked_reads=6 reads=6 activates=4 assigned=6 "
		       "row_hits=6 bytes_read=192 bus_busy=6",
	},
	{
		"full: as many as 'queue' wait in the banks",
		.shows = "DR4 DR6",
		.params = ONE_BANK ", 'queue': 3, 'return_queue': 0, " SLOW,
		.script = "0 a put 0x10000 w1 " READ " n=9; 3 a room; 6 a room; 7 a room; 8 a room; 10 a room;"
		          "14 a room; 18 a room; 60 end",
		.log = "3 a room = 26; 6 a room = 28; 7 a room = 28; 8 a room = 28;"
		       "10 a room = 29; 10 r took 0x10000 w1 load; 14 a room = 30;"
		       "14 r took 0x10020 w1 load; 18 a room = 31; 18 r took 0x10040 w1 load;"
		       "22 r took 0x10060 w1 load; 26 r took 0x10080 w1 load;"
		       "30 r took 0x100a0 w1 load; 34 r took 0x100c0 w1 load;"
		       "38 r took 0x100e0 w1 load; 42 r took 0x10100 w1 load;"
		       "end it ticks=61 active=10 requests=9"
		       " asked_reads=9 reads=9 activates=1 assigned=9 "
		       "row_hits=8 bytes_read=288 bus_busy=9",
	},
	{
		"a full queue stops the slice whose turn it is, and with it the others",
		.shows = "DR3",
		.params = ONE_BANK ", 'queue': 2, 'return_queue': 0, " SLOW,
		.script = "0 a put 0x10000 w1 " READ " n=5; 6 b put 0x20000 w2 " READ "; 60 end",
		.log = "10 r took 0x10000 w1 load; 14 r took 0x10020 w1 load;"
		       "18 r took 0x10040 w1 load; 22 r took 0x10060 w1 load;"
		       "26 r took 0x10080 w1 load; 33 s took 0x20000 w2 load;"
		       "end it ticks=61 active=9 requests=6"
		       " asked_reads=6 reads=6 activates=2 precharges=1 "
		       "assigned=6 row_hits=4 bytes_read=192 bus_busy=6",
	},
	{
		"'queue' 0 is never full",
		.shows = "DR6",
		.params = ONE_BANK ", 'queue': 0, 'return_queue': 8, " SLOW,
		.script = "0 a put 0x10000 w1 " READ " n=20; 25 a room; 120 end",
		.log = "10 r took 0x10000 w1 load; 14 r took 0x10020 w1 load;"
		       "18 r took 0x10040 w1 load; 22 r took 0x10060 w1 load; 25 a room = 32;"
		       "26 r took 0x10080 w1 load; 30 r took 0x100a0 w1 load;"
		       "34 r took 0x100c0 w1 load; 38 r took 0x100e0 w1 load;"
		       "42 r took 0x10100 w1 load; 46 r took 0x10120 w1 load;"
		       "50 r took 0x10140 w1 load; 54 r took 0x10160 w1 load;"
		       "58 r took 0x10180 w1 load; 62 r took 0x101a0 w1 load;"
		       "66 r took 0x101c0 w1 load; 70 r took 0x101e0 w1 load;"
		       "74 r took 0x10200 w1 load; 78 r took 0x10220 w1 load;"
		       "82 r took 0x10240 w1 load; 86 r took 0x10260 w1 load;"
		       "end it ticks=121 active=21 requests=20 asked_reads=20 reads=20 activates=1 "
		       "assigned=20 row_hits=19 bytes_read=640 bus_busy=20",
	},
	{
		"in order of arrival: a busy bank blocks later requests",
		.shows = "DR9",
		.params = "'scheduler': 'fifo', 'latency': 0, 'banks': 4, 'groups': 1, " SLOW,
		.script = "0 a put 0x10000 w1 " READ "; 0 a put 0x20000 w2 " READ "; 0 a put 0x10020 w3 " READ
		          "; 0 a put 0x10100 w4 " READ "; 6 a room; 90 end",
		.log = "6 a room = 32; 10 r took 0x10000 w1 load; 19 r took 0x20000 w2 load;"
		       "24 r took 0x10100 w4 load; 28 r took 0x10020 w3 load;"
		       "end it ticks=91 active=10 requests=4 asked_reads=4 reads=4 activates=4 "
		       "precharges=2 assigned=4 bytes_read=128 bus_busy=4",
	},
	{
		"it is full with two",
		.shows = "DR9",
		.params = "'scheduler': 'fifo', 'latency': 0, 'banks': 4, 'groups': 1, "
		          TIMES(1, 1, 20, 6, 3, 1, 4, 2, 1, 1, 1, 1),
		.script = "0 a put 0x10000 w1 " READ "; 0 a put 0x20000 w2 " READ " n=7; 3 a room; 12 a room; 13 end",
		.log = "3 a room = 27; 12 a room = 27;"
		       "end it ticks=14 active=1 requests=3 asked_reads=3 activates=1 assigned=1;"
		       "held it: 3 requests in the channel; end 8 records",
	},
	{
		"stores of their own queue wait until there are 'write_high', then until fewer than "
		"'write_low'",
		.shows = "DR10",
		.params = ONE_BANK ", 'separate_writes': true, 'write_queue': 8, 'write_high': 3, "
		          "'write_low': 2, " SLOW,
		.script = "0 a put 0x10000 w1 " WRITE " n=2; 0 a put 0x20000 w2 " READ " n=2;"
		          "30 a put 0x10040 w3 " WRITE "; 30 a put 0x20040 w4 " READ "; 90 end",
		.log = "12 r took 0x20000 w2 load; 16 r took 0x20020 w2 load;"
		       "39 r took 0x10000 w1 write; 43 r took 0x10020 w1 write;"
		       "55 r took 0x20040 w4 load;"
		       "end it ticks=91 active=10 requests=6"
		       " asked_reads=3 asked_writes=3 reads=3 writes=2 activates=3 "
		       "precharges=2 assigned=5 row_hits=2 bytes_read=96 bytes_written=64 "
		       "bus_busy=5; held it: 1 requests in the channel; end 1 records",
	},
	{
		"even if no load waits",
		.shows = "DR10",
		.params = ONE_BANK ", 'separate_writes': true, 'write_queue': 8, 'write_high': 3, "
		          "'write_low': 1, " SLOW,
		.script = "0 a put 0x10000 w1 " WRITE " n=2; 30 a put 0x10040 w2 " WRITE " n=2; 90 end",
		.log = "36 r took 0x10000 w1 write; 40 r took 0x10020 w1 write;"
		       "44 r took 0x10040 w2 write; 48 r took 0x10060 w2 write;"
		       "end it ticks=91 active=5 requests=4"
		       " asked_writes=4 writes=4 activates=1 assigned=4 "
		       "row_hits=3 bytes_written=128 bus_busy=4",
	},
	{
		"and loads wait while stores are served",
		.shows = "DR10",
		.params = ONE_BANK ", 'separate_writes': true, 'write_queue': 8, 'write_high': 2, "
		          "'write_low': 1, " SLOW,
		.script = "0 a put 0x10000 w1 " WRITE " n=4; 0 a put 0x10080 w2 " READ " n=2; 90 end",
		.log = "7 r took 0x10000 w1 write; 11 r took 0x10020 w1 write;"
		       "15 r took 0x10040 w1 write; 19 r took 0x10060 w1 write;"
		       "25 r took 0x10080 w2 load; 29 r took 0x100a0 w2 load;"
		       "end it ticks=91 active=7 requests=6"
		       " asked_reads=2 asked_writes=4 reads=2 writes=4 activates=1 "
		       "assigned=6 row_hits=5 bytes_read=64 bytes_written=128 bus_busy=6",
	},
	{
		"the two queues are full on their own",
		.shows = "DR6 DR10",
		.params = ONE_BANK ", 'separate_writes': true, 'queue': 1, 'write_queue': 2, "
		          "'write_high': 9, 'write_low': 9, " SLOW,
		.script = "0 a put 0x10000 w1 " WRITE " n=5; 10 a room; 10 b put 0x20000 w2 " READ " n=4; 12 b room;"
		          "20 b room; 50 end",
		.log = "10 a room = 29; 12 b room = 29; 20 b room = 29;"
		       "20 s took 0x20000 w2 load;"
		       "end it ticks=51 active=2 requests=3"
		       " asked_reads=1 asked_writes=2 reads=1 activates=1 assigned=1 "
		       "bytes_read=32 bus_busy=1; held it: 2 requests in the channel;"
		       "end 8 records",
	},
	{
		"a store queue of 0 is never full",
		.shows = "DR6 DR10",
		.params = ONE_BANK ", 'separate_writes': true, 'queue': 9, 'return_queue': 9, 'write_queue': 0, "
		          "'write_high': 99, 'write_low': 9, " SLOW,
		.script = "0 a put 0x10000 w1 " WRITE " n=9; 14 a room; 15 end",
		.log = "14 a room = 32; end it ticks=16 requests=9 asked_writes=9;"
		       "held it: 9 requests in the channel; end 9 records",
	},
	{
		"without it loads and stores are as they come",
		.shows = "DR7",
		.params = ONE_BANK ", " SLOW,
		.script = "0 a put 0x10000 w1 " WRITE "; 0 a put 0x20000 w2 " READ "; 0 a put 0x10020 w3 " WRITE
		          "; 90 end",
		.log = "6 r took 0x10000 w1 write; 10 r took 0x10020 w3 write;"
		       "22 r took 0x20000 w2 load;"
		       "end it ticks=91 active=6 requests=3"
		       " asked_reads=1 asked_writes=2 reads=1 writes=2 activates=2 "
		       "precharges=1 assigned=3 row_hits=1 bytes_read=32 bytes_written=64 "
		       "bus_busy=3",
	},
	REFUSED("banks: a power of two", "'banks': 12", "'banks' is 12; expected a power of two"),
	REFUSED("groups: a power of two", "'banks': 8, 'groups': 3",
	        "'groups' is 3; expected a power of two, at most 'banks', which is 8"),
	REFUSED("no more groups than banks", "'banks': 8, 'groups': 16",
	        "'groups' is 16; expected a power of two, at most 'banks', which is 8"),
	REFUSED("a queue for stores only with frfcfs", "'scheduler': 'fifo', 'separate_writes': true",
	        "'separate_writes' expects 'scheduler' \"frfcfs\""),
	REFUSED("a store's data do not come later than a read's", "'cl': 4, 'wl': 5",
	        "'wl' is 5; expected at most 'cl', which is 4, as no command would ever follow a store"),
	REFUSED("marks in order", "'separate_writes': true, 'write_high': 4, 'write_low': 5",
	        "'write_low' is 5; expected at most 'write_high', which is 4"),
	{
		"as many replies as requests",
		.shows = "DR18",
		.netlist = one_way,
		.script = "0 end",
		.log = "refused instance 'it': 2 slices send requests and 1 get replies; expected as many",
	},
};

SUITE(dram_schedule, .plain = true, .netlist = netlist, RULES(rules));
