/* request_coalescer.c - rules of what merges reads on their way to the memory
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Two requesters, a and b, each with what takes its requests (ma, mb) and its answers (ra, rb).
 */
#include "harness.h"

#define NETLIST(room) "'instances': {'it': {'module': 'request_coalescer', 'params': {@}}, " \
	"'time': {'module': 'timebase'}, 'a': {'module': 'put_mem'}, 'b': {'module': 'put_mem'}, " \
	"'ra': {'module': 'take_mem'}, 'rb': {'module': 'take_mem'}, 'ma': {'module': 'turn_mem'}, " \
	"'mb': {'module': 'turn_mem'}}, 'links': [" \
	"{'from': 'a.out', 'to': 'it.in', 'capacity': 16}, {'from': 'b.out', 'to': 'it.in', 'capacity': 16}, " \
	"{'from': 'it.out', 'to': 'ma.in', 'capacity': 2}, {'from': 'it.out', 'to': 'mb.in', 'capacity': 2}, " \
	"{'from': 'ma.out', 'to': 'it.reply', 'capacity': 4, 'staged': true}, " \
	"{'from': 'mb.out', 'to': 'it.reply', 'capacity': 4, 'staged': true}, " \
	"{'from': 'it.response', 'to': 'ra.in', 'capacity': " #room "}, " \
	"{'from': 'it.response', 'to': 'rb.in', 'capacity': " #room "}, {'from': 'it.time', 'to': 'time.time'}]"

static const char netlist[] = NETLIST(2);
static const char narrow[] = NETLIST(1);

static const struct rule rules[] = {
	{
		"a read of the sector that another one reads waits for its answer",
		.shows = "LC1 LC2 LC5",
		.script = "0 a put 0x100 w1 flags=load core=1; 1 b put 0x100 w2 flags=load dst=R4 core=2;"
		          "3 b seen; 8 ma give; 16 end",
		.log = "2 it event merged requester=1 address=256 size=32 count=2; 2 ma took 0x100 w1 load core=1;"
		       "3 b seen = 4; 10 ra took 0x100 w1 load core=1;"
		       "10 rb took 0x100 w2 R4 load,reply core=2; end it requests=2 merged=1",
	},
	{
		"other sectors, sizes and reads of any bytes go on",
		.shows = "LC1",
		.params = "'lookups': 4",
		.script = "0 a put 0x100 w1 flags=load n=2; 0 b put 0x100 w2 flags=parts,copy size=128;"
		          "1 b put 0x100 w3 flags=parts,copy size=64;"
		          "2 a put 0x100 w4 flags=parts,copy size=128; 8 mb give n=2; 9 ma give n=2; 20 end",
		.log = "2 ma took 0x100 w1 load; 2 ma took 0x120 w1 load;"
		       "2 mb took 0x100 w2 copy,parts size=128; 3 mb took 0x100 w3 copy,parts size=64;"
		       "10 ra took 0x100 w4 copy,reply,parts size=128;"
		       "10 rb took 0x100 w2 copy,parts size=128; 11 rb took 0x100 w3 copy,parts size=64;"
		       "14 ra took 0x100 w1 load; 15 ra took 0x120 w1 load; end it requests=5 merged=1",
		.plain = true,
	},
	{
		"stores, atomics and what gets no answer or several are never merged",
		.shows = "LC1",
		.params = "'lookups': 4",
		.script = "0 a put 0x100 w1 flags=write bytes=3; 0 b put 0x100 w2 flags=write bytes=3;"
		          "2 a put 0x200 w1 flags=load,atomic; 2 b put 0x200 w2 flags=load,atomic;"
		          "4 a put 0x300 w1 flags=inst size=128; 4 b put 0x300 w2 flags=inst size=128;"
		          "6 a put 0x400 w1 flags=silent; 6 b put 0x400 w2 flags=silent; 10 ma give n=3;"
		          "10 mb give n=3; 20 end",
		.log = "2 ma took 0x100/3 w1 write; 2 mb took 0x100/3 w2 write;"
		       "4 ma took 0x200 w1 atomic,load; 4 mb took 0x200 w2 atomic,load;"
		       "6 ma took 0x300 w1 inst size=128; 6 mb took 0x300 w2 inst size=128;"
		       "8 ma took 0x400 w1 silent; 8 mb took 0x400 w2 silent; 12 ra took 0x100/3 w1 write;"
		       "12 rb took 0x100/3 w2 write; 13 ra took 0x200 w1 atomic,load;"
		       "13 rb took 0x200 w2 atomic,load; 14 ra took 0x300 w1 inst size=128;"
		       "14 rb took 0x300 w2 inst size=128; end it requests=8",
		.plain = true,
	},
	{
		"an entry has its number of requests, then there is another one",
		.shows = "LC3 LC5",
		.params = "'merges': 2",
		.script = "0 a put 0x100 w1 flags=load; 1 b put 0x100 w2 flags=load;"
		          "2 a put 0x100 w3 flags=load; 3 b put 0x100 w4 flags=load; 8 ma give; 14 ma give;"
		          "24 end",
		.log = "2 ma took 0x100 w1 load; 4 ma took 0x100 w3 load; 10 ra took 0x100 w1 load;"
		       "10 rb took 0x100 w2 load,reply; 16 ra took 0x100 w3 load;"
		       "16 rb took 0x100 w4 load,reply; end it requests=4 merged=2",
		.plain = true,
	},
	{
		"with one request of each nothing is merged",
		.shows = "LC3",
		.params = "'merges': 1",
		.script = "0 a put 0x100 w1 flags=load; 1 b put 0x100 w2 flags=load; 8 ma give; 8 mb give;"
		          "14 end",
		.log = "2 ma took 0x100 w1 load; 3 mb took 0x100 w2 load; 10 ra took 0x100 w1 load;"
		       "10 rb took 0x100 w2 load; end it requests=2",
		.plain = true,
	},
	{
		"without an entry a read goes on by itself, and no other waits for it",
		.shows = "LC3",
		.params = "'entries': 1",
		.script = "0 a put 0x100 w1 flags=load; 2 a put 0x200 w2 flags=load;"
		          "4 b put 0x200 w3 flags=load; 6 b put 0x100 w4 flags=load; 10 ma give n=2;"
		          "10 mb give; 14 b put 0x100 w5 flags=load; 18 mb give; 24 end",
		.log = "2 ma took 0x100 w1 load; 4 ma took 0x200 w2 load; 6 mb took 0x200 w3 load;"
		       "12 ra took 0x100 w1 load; 12 rb took 0x100 w4 load,reply; 13 ra took 0x200 w2 load;"
		       "13 rb took 0x200 w3 load; 16 mb took 0x100 w5 load; 20 rb took 0x100 w5 load;"
		       "end it requests=5 merged=1 full=2",
		.plain = true,
	},
	{
		"behind a store to the line reads are merged with each other, and with none before it",
		.shows = "LC4",
		.script = "0 a put 0x100 w1 flags=load; 2 b put 0x140 w2 flags=write bytes=1;"
		          "4 b put 0x100 w3 flags=load; 6 a put 0x100 w4 flags=load;"
		          "8 a put 0x180 w5 flags=load; 9 b put 0x180 w6 flags=load; 12 ma give n=2;"
		          "16 mb give n=2; 24 end",
		.log = "2 ma took 0x100 w1 load; 4 mb took 0x140/1 w2 write; 6 mb took 0x100 w3 load;"
		       "10 ma took 0x180 w5 load; 14 ra took 0x100 w1 load; 15 ra took 0x180 w5 load;"
		       "15 rb took 0x180 w6 load,reply; 18 rb took 0x140/1 w2 write;"
		       "19 ra took 0x100 w4 load,reply; 19 rb took 0x100 w3 load; end it requests=6 merged=2",
		.plain = true,
	},
	{
		"behind an atomic and a line that is written back as well",
		.shows = "LC4",
		.script = "0 a put 0x100 w1 flags=load; 2 b put 0x100 w2 flags=load,atomic;"
		          "4 a put 0x100 w3 flags=load;"
		          "6 b put 0x100 w0 flags=write,line,silent size=128 bytes=1 lines=1,0,0,0 via=0x100;"
		          "8 b put 0x100 w4 flags=load; 10 a put 0x100 w5 flags=load; 12 ma give n=2;"
		          "12 mb give n=2; 24 end",
		.log = "2 ma took 0x100 w1 load; 4 mb took 0x100 w2 atomic,load; 6 ma took 0x100 w3 load;"
		       "8 mb took 0x100/1 w0 write,line,silent size=128 lines=1,0,0,0 via=0x100;"
		       "10 mb took 0x100 w4 load; 14 ra took 0x100 w1 load; 14 rb took 0x100 w2 atomic,load;"
		       "15 ra took 0x100 w3 load; 15 rb took 0x100 w4 load; 16 ra took 0x100 w5 load,reply;"
		       "end it requests=6 merged=1",
		.plain = true,
	},
	{
		"data of four sectors take a requester four cycles, and the others none",
		.shows = "LC5",
		.script = "0 a put 0x100 w1 flags=parts,copy size=128;"
		          "1 b put 0x100 w2 flags=parts,copy size=128; 3 b put 0x400 w3 flags=load;"
		          "5 a put 0x500 w4 flags=load; 8 ma give n=2; 8 mb give; 20 end",
		.log = "2 ma took 0x100 w1 copy,parts size=128; 5 mb took 0x400 w3 load;"
		       "7 ma took 0x500 w4 load; 10 ra took 0x100 w1 copy,parts size=128;"
		       "10 rb took 0x100 w2 copy,reply,parts size=128; 11 ra took 0x500 w4 load;"
		       "14 rb took 0x400 w3 load; end it requests=4 merged=1",
		.plain = true,
	},
	{
		"with a rate of four they take one",
		.shows = "LC5",
		.params = "'rate': 4",
		.script = "0 a put 0x100 w1 flags=parts,copy size=128;"
		          "1 b put 0x100 w2 flags=parts,copy size=128; 3 b put 0x400 w3 flags=load;"
		          "5 a put 0x500 w4 flags=load; 8 ma give n=2; 8 mb give; 20 end",
		.log = "2 ma took 0x100 w1 copy,parts size=128; 5 mb took 0x400 w3 load;"
		       "7 ma took 0x500 w4 load; 10 ra took 0x100 w1 copy,parts size=128;"
		       "10 ra took 0x500 w4 load; 10 rb took 0x100 w2 copy,reply,parts size=128;"
		       "11 rb took 0x400 w3 load; end it requests=4 merged=1",
		.plain = true,
	},
	{
		"who has no room gets its answer later, and the others do not wait",
		.shows = "LC5",
		.netlist = narrow,
		.script = "0 rb stop; 0 a put 0x100 w1 flags=load n=3; 3 b put 0x100 w2 flags=load n=3;"
		          "8 ma give n=3; 18 rb go; 26 end",
		.log = "2 ma took 0x100 w1 load; 3 ma took 0x120 w1 load; 4 ma took 0x140 w1 load;"
		       "10 ra took 0x100 w1 load; 11 ra took 0x120 w1 load; 12 ra took 0x140 w1 load;"
		       "18 rb took 0x100 w2 load,reply; 19 rb took 0x120 w2 load,reply;"
		       "20 rb took 0x140 w2 load,reply; end it requests=6 merged=3",
		.plain = true,
	},
	{
		"so many requests of each requester in a cycle",
		.shows = "LC2",
		.params = "'lookups': 3",
		.script = "0 ma stop; 0 a put 0x100 w1 flags=load n=4; 2 b put 0x100 w2 flags=load n=4;"
		          "6 ma go; 10 ma give n=2; 10 mb give n=2; 20 end",
		.log = "4 mb took 0x140 w2 load; 5 mb took 0x160 w2 load; 6 ma took 0x100 w1 load;"
		       "6 ma took 0x120 w1 load; 12 ra took 0x100 w1 load; 12 rb took 0x100 w2 load,reply;"
		       "13 ra took 0x120 w1 load; 13 rb took 0x120 w2 load,reply;"
		       "14 ra took 0x140 w1 load,reply; 14 rb took 0x140 w2 load;"
		       "15 ra took 0x160 w1 load,reply; 15 rb took 0x160 w2 load; end it requests=8 merged=4",
		.plain = true,
	},
	{
		"an entry has at least one request",
		.params = "'merges': 0",
		.script = "1 end",
		.log = "refused parameter 'merges' of instance 'it' (module 'request_coalescer'): expected integer "
		       "1..65536, found 0",
	},
	{
		"there is at least one entry",
		.params = "'entries': 0",
		.script = "1 end",
		.log = "refused parameter 'entries' of instance 'it' (module 'request_coalescer'): expected integer "
		       "1..1048576, found 0",
	},
};

SUITE(request_coalescer, .netlist = netlist, RULES(rules));
