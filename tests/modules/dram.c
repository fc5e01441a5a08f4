/* dram.c - rules of a memory channel: queues, credits, timings, buses
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A request that is put in edge 0 is taken in 1, has a bank in 2, in which the row is opened.
 */
#include "dram.h"

static const char netlist[] = DRAM_NETLIST;
static const char slower[] = DRAM_CLOCKED("'core': {'mhz': 1000}, 'memory': {'mhz': 500}", "memory",
                                          "core");

#define READ "flags=load"
#define WRITE "flags=write"

static const struct rule rules[] = {
	{
		"a read: open the row, read it, move the data",
		.shows = "DR1 DR11 DR12 DR13",
		.params = SMALL ", " TIMES(1, 1, 12, 1, 1, 1, 5, 2, 0, 0, 1, 1),
		.script = "0 a put 0x10000 w1 " READ "; 30 end",
		.log = "20 r took 0x10000 w1 load;"
		       "end it ticks=31 active=2 requests=1"
		       " asked_reads=1 reads=1 activates=1 assigned=1 "
		       "bytes_read=32 bus_busy=1",
	},
	{
		"an atom of 64 bytes: a read of a sector moves one, and is counted as one",
		.shows = "DR11",
		.params = SMALL ", 'atom': 64, " TIMES(1, 1, 12, 1, 1, 1, 5, 2, 0, 0, 1, 1),
		.script = "0 a put 0x10000 w1 " READ "; 30 end",
		.log = "20 r took 0x10000 w1 load;"
		       "end it ticks=31 active=2 requests=1"
		       " asked_reads=1 reads=1 activates=1 assigned=1 "
		       "bytes_read=64 bus_busy=1",
	},
	{
		"'latency' passes first, in cycles of the time base",
		.shows = "DR4",
		.netlist = slower,
		.params = "'latency': 40, 'banks': 4, 'groups': 2, " FAST,
		.script = "0 a put 0x10000 w1 " READ "; 0 a put 0x10020 w2 " READ "; 60 end",
		.log = "28 r took 0x10000 w1 load; 29 r took 0x10020 w2 load;"
		       "end it ticks=31 active=3 requests=2"
		       " asked_reads=2 reads=2 activates=1 assigned=2 "
		       "row_hits=1 bytes_read=64 bus_busy=2",
	},
	{
		"a store moves its data earlier, and may be commanded earlier",
		.shows = "DR11 DR12",
		.params = SMALL ", " TIMES(1, 1, 12, 1, 1, 1, 5, 2, 0, 0, 1, 1),
		.script = "0 a put 0x10000 w1 " WRITE "; 30 end",
		.log = "14 r took 0x10000 w1 write;"
		       "end it ticks=31 active=2 requests=1"
		       " asked_writes=1 writes=1 activates=1 assigned=1 "
		       "bytes_written=32 bus_busy=1",
	},
	{
		"a request that gets no reply ends when its data have moved",
		.shows = "DR2 DR13",
		.params = SMALL ", 'atom': 16, " FAST,
		.script = "0 a put 0x10000 w1 flags=write,silent size=96; 30 end",
		.log = "end it ticks=31 active=7 requests=1"
		       " asked_writes=6 writes=6 activates=1 assigned=1 "
		       "bytes_written=96 bus_busy=6 written_back=1",
	},
	{
		"CCD between column commands",
		.shows = "DR12",
		.params = SMALL ", " TIMES(7, 1, 1, 1, 1, 1, 4, 2, 0, 0, 1, 1),
		.script = "0 a put 0x0 w1 " READ "; 0 a put 0x20 w2 " READ "; 0 b put 0x100 w3 " READ "; 40 end",
		.log = "8 r took 0 w1 load; 15 r took 0x20 w2 load; 22 s took 0x100 w3 load;"
		       "end it ticks=41 active=4 requests=3"
		       " asked_reads=3 reads=3 activates=2 assigned=3 "
		       "row_hits=3 bytes_read=96 bus_busy=3",
	},
	{
		"CCDL between those of a group: banks with the same lowest bits",
		.shows = "DR12 DR14",
		.params = SMALL ", 'group_by': 'low_bits', " TIMES(1, 1, 1, 1, 1, 1, 4, 2, 0, 0, 9, 1),
		.script = "0 a put 0x0 w1 " READ "; 0 b put 0x200 w2 " READ "; 0 b put 0x100 w3 " READ "; 40 end",
		.log = "8 r took 0 w1 load; 10 s took 0x100 w3 load; 17 s took 0x200 w2 load;"
		       "end it ticks=41 active=5 requests=3"
		       " asked_reads=3 reads=3 activates=3 assigned=3 "
		       "row_hits=3 bytes_read=96 bus_busy=3",
	},
	{
		"or with the same highest ones",
		.shows = "DR14",
		.params = SMALL ", 'group_by': 'high_bits', " TIMES(1, 1, 1, 1, 1, 1, 4, 2, 0, 0, 9, 1),
		.script = "0 a put 0x0 w1 " READ "; 0 b put 0x200 w2 " READ "; 0 b put 0x100 w3 " READ "; 40 end",
		.log = "8 r took 0 w1 load; 9 s took 0x200 w2 load; 17 s took 0x100 w3 load;"
		       "end it ticks=41 active=4 requests=3"
		       " asked_reads=3 reads=3 activates=3 assigned=3 "
		       "row_hits=3 bytes_read=96 bus_busy=3",
	},
	{
		"RRD between activates, of whatever bank",
		.shows = "DR11",
		.params = SMALL ", " TIMES(1, 8, 1, 1, 1, 1, 4, 2, 0, 0, 1, 1),
		.script = "0 a put 0x0 w1 " READ "; 0 b put 0x100 w2 " READ "; 40 end",
		.log = "8 r took 0 w1 load; 16 s took 0x100 w2 load;"
		       "end it ticks=41 active=4 requests=2"
		       " asked_reads=2 reads=2 activates=2 assigned=2 "
		       "row_hits=2 bytes_read=64 bus_busy=2",
	},
	{
		"RAS from activate to precharge, RP from there to the next activate",
		.shows = "DR11",
		.params = SMALL ", " TIMES(1, 1, 2, 15, 1, 1, 4, 2, 0, 0, 1, 1),
		.script = "0 a put 0x10000 w1 " READ "; 0 a put 0x20000 w2 " READ "; 50 end",
		.log = "9 r took 0x10000 w1 load; 25 r took 0x20000 w2 load;"
		       "end it ticks=51 active=5 requests=2"
		       " asked_reads=2 reads=2 activates=2 precharges=1 "
		       "assigned=2 bytes_read=64 bus_busy=2",
	},
	{
		"RP",
		.shows = "DR11",
		.params = SMALL ", " TIMES(1, 1, 2, 1, 14, 1, 4, 2, 0, 0, 1, 1),
		.script = "0 a put 0x10000 w1 " READ "; 0 a put 0x20000 w2 " READ "; 50 end",
		.log = "9 r took 0x10000 w1 load; 26 r took 0x20000 w2 load;"
		       "end it ticks=51 active=5 requests=2"
		       " asked_reads=2 reads=2 activates=2 precharges=1 "
		       "assigned=2 bytes_read=64 bus_busy=2",
	},
	{
		"RC from activate to activate of the same bank",
		.shows = "DR11",
		.params = SMALL ", " TIMES(1, 1, 2, 1, 1, 23, 4, 2, 0, 0, 1, 1),
		.script = "0 a put 0x10000 w1 " READ "; 0 a put 0x20000 w2 " READ "; 0 b put 0x100 w3 " READ
		          "; 50 end",
		.log = "9 r took 0x10000 w1 load; 10 s took 0x100 w3 load;"
		       "32 r took 0x20000 w2 load;"
		       "end it ticks=51 active=6 requests=3"
		       " asked_reads=3 reads=3 activates=3 precharges=1 "
		       "assigned=3 row_hits=1 bytes_read=96 bus_busy=3",
	},
	{
		"RTP: the burst from a read to a precharge of its bank",
		.shows = "DR11",
		.params = SMALL ", 'burst': 11, " TIMES(1, 1, 2, 1, 1, 1, 4, 2, 0, 0, 1, 1),
		.script = "0 a put 0x10000 w1 " READ "; 0 a put 0x20000 w2 " READ "; 50 end",
		.log = "9 r took 0x10000 w1 load; 23 r took 0x20000 w2 load;"
		       "end it ticks=51 active=5 requests=2"
		       " asked_reads=2 reads=2 activates=2 precharges=1 "
		       "assigned=2 bytes_read=64 bus_busy=22",
	},
	{
		"RTPL from a read to a precharge in its group",
		.shows = "DR11",
		.params = SMALL ", " TIMES(1, 1, 2, 1, 1, 1, 4, 2, 0, 0, 1, 13),
		.script = "0 a put 0x10000 w1 " READ "; 0 a put 0x20000 w2 " READ "; 0 b put 0x100 w3 " READ
		          "; 50 end",
		.log = "9 r took 0x10000 w1 load; 10 s took 0x100 w3 load;"
		       "25 r took 0x20000 w2 load;"
		       "end it ticks=51 active=7 requests=3"
		       " asked_reads=3 reads=3 activates=3 precharges=1 "
		       "assigned=3 row_hits=1 bytes_read=96 bus_busy=3",
	},
	{
		"WTP: WL, burst and WR from a store to a precharge",
		.shows = "DR11 DR14",
		.params = SMALL ", 'burst': 2, " TIMES(1, 1, 2, 1, 1, 1, 4, 3, 0, 9, 1, 1),
		.script = "0 a put 0x10000 w1 " WRITE "; 0 a put 0x20000 w2 " READ "; 50 end",
		.log = "7 r took 0x10000 w1 write; 25 r took 0x20000 w2 load;"
		       "end it ticks=51 active=5 requests=2"
		       " asked_reads=1 asked_writes=1 reads=1 writes=1 activates=2 "
		       "precharges=1 assigned=2 bytes_read=32 bytes_written=32 bus_busy=4",
	},
	{
		"WTR: WL, burst and CDLR from a store to a read",
		.shows = "DR12 DR14",
		.params = SMALL ", 'burst': 2, " TIMES(1, 1, 2, 1, 1, 1, 4, 3, 10, 0, 1, 1),
		.script = "0 a put 0x0 w1 " WRITE "; 0 b put 0x100 w2 " READ "; 50 end",
		.log = "7 r took 0 w1 write; 23 s took 0x100 w2 load;"
		       "end it ticks=51 active=3 requests=2"
		       " asked_reads=1 asked_writes=1 reads=1 writes=1 activates=2 "
		       "assigned=2 row_hits=2 bytes_read=32 bytes_written=32 bus_busy=4",
	},
	{
		"RTW: CL, burst and 2 less WL from a read to a store",
		.shows = "DR12 DR14",
		.params = SMALL ", 'burst': 3, " TIMES(1, 1, 2, 1, 1, 1, 14, 3, 0, 0, 1, 1),
		.script = "0 a put 0x0 w1 " READ "; 0 b put 0x100 w2 " WRITE "; 50 end",
		.log = "19 r took 0 w1 load; 24 s took 0x100 w2 write;"
		       "end it ticks=51 active=4 requests=2"
		       " asked_reads=1 asked_writes=1 reads=1 writes=1 activates=2 "
		       "assigned=2 row_hits=2 bytes_read=32 bytes_written=32 bus_busy=6",
	},
	{
		"neither with 'no_turnaround'",
		.shows = "DR14",
		.params = SMALL ", 'burst': 3, 'no_turnaround': true, "
		          TIMES(1, 1, 2, 1, 1, 1, 14, 3, 10, 0, 1, 1),
		.script = "0 a put 0x0 w1 " READ "; 0 b put 0x100 w2 " WRITE "; 0 a put 0x200 w3 " READ "; 50 end",
		.log = "19 r took 0 w1 load; 20 s took 0x100 w2 write;"
		       "21 r took 0x200 w3 load;"
		       "end it ticks=51 active=5 requests=3"
		       " asked_reads=2 asked_writes=1 reads=2 writes=1 activates=3 "
		       "assigned=3 row_hits=3 bytes_read=64 bytes_written=32 bus_busy=9",
	},
	{
		"RCDWR: RCD less WL + 1 from activate to a store",
		.shows = "DR12 DR14",
		.params = SMALL ", " TIMES(1, 1, 20, 1, 1, 1, 6, 6, 0, 0, 1, 1),
		.script = "0 a put 0x0 w1 " WRITE "; 0 b put 0x100 w2 " READ "; 50 end",
		.log = "22 r took 0 w1 write; 30 s took 0x100 w2 load;"
		       "end it ticks=51 active=4 requests=2"
		       " asked_reads=1 asked_writes=1 reads=1 writes=1 activates=2 "
		       "assigned=2 row_hits=2 bytes_read=32 bytes_written=32 bus_busy=2",
	},
	{
		"reads and stores one after another share the data pipeline",
		.shows = "DR13",
		.params = SMALL ", 'no_turnaround': true, " TIMES(1, 1, 1, 1, 1, 1, 6, 2, 0, 0, 1, 1),
		.script = "0 a put 0x0 w1 " READ "; 0 a put 0x20 w2 " READ "; 0 b put 0x100 w3 " WRITE
		          "; 0 b put 0x120 w4 " WRITE "; 0 a put 0x200 w5 " READ "; 0 b put 0x300 w6 " WRITE "; 40 end",
		.log = "10 r took 0 w1 load; 11 r took 0x20 w2 load;"
		       "12 s took 0x100 w3 write; 13 s took 0x120 w4 write;"
		       "15 r took 0x200 w5 load; 16 s took 0x300 w6 write;"
		       "end it ticks=41 active=8 requests=6"
		       " asked_reads=3 asked_writes=3 reads=3 writes=3 activates=4 "
		       "assigned=6 row_hits=6 bytes_read=96 bytes_written=96 bus_busy=6",
	},
	{
		"while the return queue is full no data move, and the pipeline fills",
		.shows = "DR2 DR13",
		.params = SMALL ", 'return_queue': 2, 'queue': 0, " FAST,
		.script = "0 r stop; 0 a put 0x0 w1 " READ " n=12; 30 r go; 31 r stop; 50 r go; 70 end",
		.log = "30 r took 0 w1 load; 30 r took 0x20 w1 load; 50 r took 0x40 w1 load;"
		       "50 r took 0x60 w1 load; 51 r took 0x80 w1 load;"
		       "52 r took 0xa0 w1 load; 53 r took 0xc0 w1 load;"
		       "54 r took 0xe0 w1 load; 55 r took 0x100 w1 load;"
		       "57 r took 0x120 w1 load; 58 r took 0x140 w1 load;"
		       "59 r took 0x160 w1 load;"
		       "end it ticks=71 active=14 requests=12 asked_reads=12 reads=12 activates=2 "
		       "assigned=12 row_hits=12 bytes_read=384 bus_busy=12",
	},
	{
		"two buses: a row command and a column command in one tick",
		.shows = "DR15",
		.params = SMALL ", 'dual_bus': true, " TIMES(1, 1, 3, 1, 1, 1, 4, 2, 0, 0, 1, 1),
		.script = "0 a put 0x0 w1 " READ " size=128; 0 b put 0x100 w2 " READ "; 0 a put 0x200 w3 " READ
		          "; 0 b put 0x300 w4 " READ "; 40 end",
		.log = "13 r took 0 w1 load size=128; 14 s took 0x100 w2 load;"
		       "15 r took 0x200 w3 load; 16 s took 0x300 w4 load;"
		       "end it ticks=41 active=10 requests=4"
		       " asked_reads=7 reads=7 activates=4 assigned=4 "
		       "row_hits=4 bytes_read=224 bus_busy=7",
	},
	{
		"one bus: a column command after a row command, not before it",
		.shows = "DR16",
		.params = SMALL ", 'dual_bus': false, " TIMES(1, 1, 3, 1, 1, 1, 4, 2, 0, 0, 1, 1),
		.script = "0 a put 0x0 w1 " READ " size=128; 0 b put 0x100 w2 " READ "; 0 a put 0x200 w3 " READ
		          "; 0 b put 0x300 w4 " READ "; 40 end",
		.log = "13 r took 0 w1 load size=128; 14 s took 0x100 w2 load;"
		       "15 r took 0x200 w3 load; 19 s took 0x300 w4 load;"
		       "end it ticks=41 active=11 requests=4"
		       " asked_reads=7 reads=7 activates=4 assigned=4 "
		       "row_hits=4 bytes_read=224 bus_busy=7",
	},
	{
		"the bank after the last that was opened or closed comes first",
		.shows = "DR15 DR16",
		.params = SMALL ", 'dual_bus': false, " TIMES(3, 4, 2, 9, 3, 1, 4, 2, 0, 0, 1, 1),
		.script = "0 a put 0x10000 w1 " READ " n=3; 0 b put 0x10100 w2 " READ " n=3;"
		          "0 a put 0x20000 w3 " READ " n=2; 0 b put 0x20100 w4 " READ " n=2;"
		          "0 a put 0x10300 w5 " READ " n=2; 0 b put 0x10200 w6 " READ "; 90 end",
		.log = "9 r took 0x10000 w1 load; 12 r took 0x10020 w1 load;"
		       "15 r took 0x10040 w1 load; 18 s took 0x10100 w2 load;"
		       "21 s took 0x10120 w2 load; 24 s took 0x10140 w2 load;"
		       "27 s took 0x10200 w6 load; 30 r took 0x10300 w5 load;"
		       "33 r took 0x10320 w5 load; 36 r took 0x20000 w3 load;"
		       "39 r took 0x20020 w3 load; 42 s took 0x20100 w4 load;"
		       "45 s took 0x20120 w4 load;"
		       "end it ticks=91 active=19 requests=13 asked_reads=13 reads=13 activates=6 "
		       "precharges=2 assigned=13 row_hits=7 bytes_read=416 bus_busy=13",
	},
	{
		"the same with two buses",
		.shows = "DR15",
		.params = SMALL ", 'dual_bus': true, " TIMES(3, 4, 2, 9, 3, 1, 4, 2, 0, 0, 1, 1),
		.script = "0 a put 0x10000 w1 " READ " n=3; 0 b put 0x10100 w2 " READ " n=3;"
		          "0 a put 0x20000 w3 " READ " n=2; 0 b put 0x20100 w4 " READ " n=2;"
		          "0 a put 0x10300 w5 " READ " n=2; 0 b put 0x10200 w6 " READ "; 90 end",
		.log = "9 r took 0x10000 w1 load; 12 r took 0x10020 w1 load;"
		       "15 r took 0x10040 w1 load; 18 s took 0x10100 w2 load;"
		       "21 r took 0x10300 w5 load; 24 s took 0x10120 w2 load;"
		       "27 s took 0x10140 w2 load; 30 s took 0x10200 w6 load;"
		       "33 r took 0x10320 w5 load; 36 r took 0x20000 w3 load;"
		       "39 r took 0x20020 w3 load; 42 s took 0x20100 w4 load;"
		       "45 s took 0x20120 w4 load;"
		       "end it ticks=91 active=20 requests=13 asked_reads=13 reads=13 activates=6 "
		       "precharges=2 assigned=13 row_hits=7 bytes_read=416 bus_busy=13",
	},
	{
		"slices take turns, one request a tick",
		.shows = "DR3",
		.params = SMALL ", " FAST,
		.script = "0 a put 0x0 w1 " READ " n=3; 0 b put 0x100 w2 " READ " n=3; 40 end",
		.log = "8 r took 0 w1 load; 9 r took 0x20 w1 load; 10 s took 0x100 w2 load;"
		       "11 r took 0x40 w1 load; 12 s took 0x120 w2 load;"
		       "13 s took 0x140 w2 load;"
		       "end it ticks=41 active=7 requests=6"
		       " asked_reads=6 reads=6 activates=2 assigned=6 "
		       "row_hits=6 bytes_read=192 bus_busy=6",
	},
	{
		"a slice whose reply queue is full is passed over",
		.shows = "DR3",
		.params = SMALL ", " FAST,
		.script = "0 r stop; 0 a put 0x0 w1 " READ " n=2; 14 a put 0x40 w3 " READ ";"
		          "14 b put 0x100 w2 " READ " n=2; 30 r go; 50 end",
		.log = "22 s took 0x100 w2 load; 23 s took 0x120 w2 load;"
		       "30 r took 0 w1 load; 30 r took 0x20 w1 load; 37 r took 0x40 w3 load;"
		       "end it ticks=51 active=7 requests=5"
		       " asked_reads=5 reads=5 activates=2 assigned=5 "
		       "row_hits=5 bytes_read=160 bus_busy=5",
	},
	{
		"each slice has a credit of its own; queue and return queue are shared",
		.shows = "DR5",
		.params = "'latency': 30, 'banks': 4, 'groups': 2, 'queue': 2, 'return_queue': 2, " FAST,
		.script = "0 a put 0x0 w1 " READ " n=9; 0 b put 0x100 w2 " READ " n=3; 25 a room; 25 b room;"
		          "34 a room; 60 a room; 90 end",
		.log = "25 a room = 26; 25 b room = 31; 34 a room = 26; 38 r took 0 w1 load;"
		       "39 r took 0x20 w1 load; 40 s took 0x100 w2 load;"
		       "41 r took 0x40 w1 load; 42 s took 0x120 w2 load; 60 a room = 29;"
		       "74 r took 0x60 w1 load; 75 r took 0x80 w1 load;"
		       "76 s took 0x140 w2 load; 77 r took 0xa0 w1 load;"
		       "end it ticks=91 active=10 requests=9"
		       " asked_reads=9 reads=9 activates=2 assigned=9 "
		       "row_hits=9 bytes_read=288 bus_busy=9;"
		       "held it: 3 requests in the channel; end 3 records",
	},
	{
		"a queue for stores adds to the credit",
		.shows = "DR5",
		.params = "'latency': 30, 'banks': 4, 'groups': 2, 'queue': 2, 'return_queue': 2, "
		          "'separate_writes': true, 'write_queue': 3, 'write_high': 2, 'write_low': 1, " FAST,
		.script = "0 a put 0x0 w1 " READ " n=12; 25 a room; 90 end",
		.log = "25 a room = 27; 38 r took 0 w1 load; 39 r took 0x20 w1 load;"
		       "40 r took 0x40 w1 load; 41 r took 0x60 w1 load;"
		       "42 r took 0x80 w1 load; 43 r took 0xa0 w1 load;"
		       "44 r took 0xc0 w1 load; 74 r took 0xe0 w1 load;"
		       "76 r took 0x100 w1 load; 77 r took 0x120 w1 load;"
		       "78 r took 0x140 w1 load; 79 r took 0x160 w1 load;"
		       "end it ticks=91 active=14 requests=12 asked_reads=12 reads=12 activates=2 "
		       "assigned=12 row_hits=12 bytes_read=384 bus_busy=12",
	},
	{
		"without a limit to one of them there is none to the credit",
		.shows = "DR5",
		.params = "'latency': 30, 'banks': 4, 'groups': 2, 'queue': 2, 'return_queue': 0, " FAST,
		.script = "0 a put 0x0 w1 " READ " n=12; 25 a room; 90 end",
		.log = "25 a room = 32; 38 r took 0 w1 load; 39 r took 0x20 w1 load;"
		       "40 r took 0x40 w1 load; 41 r took 0x60 w1 load;"
		       "42 r took 0x80 w1 load; 43 r took 0xa0 w1 load;"
		       "44 r took 0xc0 w1 load; 45 r took 0xe0 w1 load;"
		       "47 r took 0x100 w1 load; 48 r took 0x120 w1 load;"
		       "49 r took 0x140 w1 load; 50 r took 0x160 w1 load;"
		       "end it ticks=91 active=14 requests=12 asked_reads=12 reads=12 activates=2 "
		       "assigned=12 row_hits=12 bytes_read=384 bus_busy=12",
	},
	{
		"the slice's own credit is given back first",
		.shows = "DR5",
		.params = "'latency': 12, 'banks': 4, 'groups': 2, 'queue': 1, 'return_queue': 1, " FAST,
		.script = "0 a put 0x0 w1 " READ " n=6; 0 b put 0x100 w2 " READ " n=6; 10 a room; 10 b room;"
		          "24 a room; 24 b room; 36 a room; 36 b room; 90 end",
		.log = "10 a room = 28; 10 b room = 27; 20 r took 0 w1 load;"
		       "21 r took 0x20 w1 load; 22 s took 0x100 w2 load; 24 a room = 30;"
		       "24 b room = 28; 36 a room = 30; 36 b room = 28;"
		       "38 r took 0x40 w1 load; 39 r took 0x60 w1 load;"
		       "40 s took 0x120 w2 load; 56 r took 0x80 w1 load;"
		       "57 r took 0xa0 w1 load; 58 s took 0x140 w2 load;"
		       "75 s took 0x160 w2 load; 76 s took 0x180 w2 load;"
		       "end it ticks=91 active=13 requests=12 asked_reads=12 reads=12 activates=2 "
		       "assigned=12 row_hits=12 bytes_read=384 bus_busy=12; end 1 records",
	},
	{
		"without banks requests wait only for 'latency'",
		.shows = "DR17",
		.params = "'scheduler': 'none', 'latency': 6",
		.script = "0 a put 0x0 w1 " READ " n=2; 0 b put 0x100 w2 flags=write,silent;"
		          "0 b put 0x100 w3 flags=write; 5 r stop; 10 r go; 20 end",
		.log = "10 r took 0 w1 load; 10 r took 0x20 w1 load;"
		       "10 s took 0x100 w3 write;"
		       "end it bytes_read=64 bytes_written=64 bus_busy=4 written_back=1",
	},
	{
		"there the first waits for room, and blocks the others",
		.shows = "DR17",
		.params = "'scheduler': 'none', 'latency': 0, 'queue': 1, 'return_queue': 2",
		.script = "0 r stop; 0 a put 0x0 w1 " READ " n=5; 0 b put 0x100 w3 " READ " n=2; 20 a room; 20 r go;"
		          "20 b room; 40 end",
		.log = "3 s took 0x100 w3 load; 5 s took 0x120 w3 load; 20 a room = 29;"
		       "20 b room = 32; 20 r took 0 w1 load; 20 r took 0x20 w1 load;"
		       "22 r took 0x40 w1 load; 23 r took 0x60 w1 load;"
		       "24 r took 0x80 w1 load; end it bytes_read=224 bus_busy=7",
	},
	{
		"pending requests are reported",
		.params = "'latency': 3, 'banks': 4, 'groups': 2",
		.script = "0 a put 0x0 w1 " READ " n=3; 6 end",
		.log = "end it ticks=7 active=1 requests=3"
		       " asked_reads=3 activates=1 assigned=1 row_hits=1;"
		       "held it: 3 requests in the channel; end 3 records",
	},
};

SUITE(dram, .plain = true, .netlist = netlist, RULES(rules));
