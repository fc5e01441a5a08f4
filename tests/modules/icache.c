/* icache.c - rules of the instruction caches
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char perfect[] =
	"'instances': {'it': {'module': 'icache_perfect'}, 'a': {'module': 'call_icache'}}, "
	"'links': [{'from': 'a.icache', 'to': 'it.icache'}]";
#define WITH_CACHE(l1i) \
	"'instances': {'it': {'module': 'icache', 'params': {@}}, " \
	"'l1i': {'module': 'give_cache', 'params': {" l1i "}}, " \
	"'a': {'module': 'call_icache'}, 'req': {'module': 'take_mem'}, " \
	"'mem': {'module': 'put_mem'}}, 'links': [{'from': 'a.icache', 'to': 'it.icache'}, " \
	"{'from': 'it.cache', 'to': 'l1i.cache'}, " \
	"{'from': 'it.request', 'to': 'req.in', 'capacity': 1}, " \
	"{'from': 'mem.out', 'to': 'it.response', 'capacity': 8}]"
static const char netlist[] = WITH_CACHE("");
static const char plain_lines[] = WITH_CACHE("'atom': 128");

static const struct rule perfect_rules[] = {
	{
		"every access hits; no warp ever waits for a line",
		.shows = "IC1",
		.script = "0 a fetch w0 pc=0x10; 0 a fetch w63 pc=0; 1 a ready; 1 a watch",
		.log = "0 a fetch w0 = hit; 0 a fetch w63 = hit; 1 a ready = none;"
		       "1 a never misses; end it accesses=2",
	},
};

static const struct rule rules[] = {
	{
		"a fetch reads its address + 'base'; hits, misses and refusals are as the cache "
		"has them",
		.shows = "IC2",
		.params = "'base': 4096",
		.script = "0 l1i hit; 0 a fetch w3 pc=0x24; 1 l1i miss; 1 a fetch w4 pc=0x24;"
		          "2 l1i fail; 2 a fetch w5 pc=0xfffffff0",
		.log = "0 a fetch w3 = hit; 0 l1i access 0x1024 w3 inst size=0 = hit;"
		       "1 a fetch w4 = miss; 1 l1i access 0x1024 w4 inst size=0 = miss;"
		       "2 a fetch w5 = fail; 2 l1i access 0x100000ff0 w5 inst size=0 = fail;"
		       "end it hits=1 misses=1 refusals=1; held it: 1 fetches wait for their lines",
	},
	{
		"a line is as long as what the cache reads at once",
		.shows = "CH2",
		.netlist = plain_lines,
		.params = "'base': 16",
		.script = "0 a rest pc=0; 0 a rest pc=0x6f; 0 a rest pc=0x70; 0 a rest pc=0xfffffff0",
		.log = "0 a rest = 112; 0 a rest = 1; 0 a rest = 128; 0 a rest = 128",
	},
	{
		"the code begins at 0xF0000000",
		.script = "0 l1i hit; 0 a fetch w3 pc=0x10; 0 a fetch w3 pc=0x10000010",
		.log = "0 a fetch w3 = hit; 0 a fetch w3 = hit;"
		       "0 l1i access 0xf0000010 w3 inst size=0 = hit;"
		       "0 l1i access 0x100000010 w3 inst size=0 = hit; end it hits=2",
	},
	{
		"at its end a fetch sends one request, if there is room",
		.shows = "IC2",
		.script = "0 a fetch w1 pc=0x10; 0 a fetch w2 pc=0x20; 0 req stop; 1 a cycle;"
		          "1 a cycle; 2 a cycle; 4 req go; 5 a cycle; 6 a cycle",
		.log = "0 a fetch w1 = miss; 0 a fetch w2 = miss;"
		       "0 l1i access 0xf0000010 w1 inst size=0 = miss;"
		       "0 l1i access 0xf0000020 w2 inst size=0 = miss;"
		       "4 req took 0xf0000010 w1 inst size=0;"
		       "6 req took 0xf0000020 w2 inst size=0; end it misses=2",
	},
	{
		"all replies are taken at once, and wake fetch, which takes one warp at a time",
		.shows = "IC2",
		.script = "0 a watch; 0 a fetch w1 pc=0x10; 0 a fetch w2 pc=0x20; 1 a cycle;"
		          "1 a ready; 2 a cycle; 4 a woken; 4 mem put 0xf0000020 w2 flags=inst;"
		          "4 mem put 0xf0000010 w1 flags=inst; 5 a woken; 5 a ready; 6 a ready;"
		          "6 a woken; 7 a ready",
		.log = "0 a fetch w1 = miss; 0 a fetch w2 = miss;"
		       "0 l1i access 0xf0000010 w1 inst size=0 = miss;"
		       "0 l1i access 0xf0000020 w2 inst size=0 = miss; 1 a ready = none;"
		       "2 req took 0xf0000010 w1 inst size=0;"
		       "3 req took 0xf0000020 w2 inst size=0; 4 a woken = no; 5 a woken = yes;"
		       "5 a ready = w2 pc=0x20; 5 l1i fill 0xf0000020 w2 inst;"
		       "5 l1i fill 0xf0000010 w1 inst; 5 l1i taken; 6 a ready = w1 pc=0x10;"
		       "6 a woken = no; 6 l1i taken; 7 a ready = none; end it misses=2",
	},
	{
		"a reply for a whole line is that line",
		.shows = "IC3",
		.netlist = plain_lines,
		.script = "0 a fetch w1 pc=0x90; 0 a watch; 1 a cycle; 4 mem put 0xf0000080 w1 flags=inst size=128;"
		          "5 a woken; 5 a ready",
		.log = "0 a fetch w1 = miss; 0 l1i access 0xf0000090 w1 inst size=0 = miss;"
		       "2 req took 0xf0000090 w1 inst size=0; 5 a woken = yes;"
		       "5 a ready = w1 pc=0x80; 5 l1i fill 0xf0000080 w1 inst size=128;"
		       "5 l1i taken; end it misses=1",
	},
	{
		"replies for parts of a line add up to it; it is there with the last of them",
		.shows = "IC3",
		.netlist = plain_lines,
		.script = "0 a fetch w1 pc=0x90; 0 a watch; 1 a cycle; 4 mem put 0xf0000080 w1 flags=inst n=3;"
		          "5 a woken; 5 a ready; 6 mem put 0xf00000e0 w1 flags=inst; 7 a woken; 7 a ready",
		.log = "0 a fetch w1 = miss; 0 l1i access 0xf0000090 w1 inst size=0 = miss;"
		       "2 req took 0xf0000090 w1 inst size=0; 5 a woken = no;"
		       "5 a ready = none; 7 a woken = yes; 7 a ready = w1 pc=0x80;"
		       "7 l1i fill 0xf0000080 w1 inst; 7 l1i taken; end it misses=1",
	},
	{
		"lines add up one beside another, whatever the order of their parts",
		.shows = "IC3",
		.netlist = plain_lines,
		.script = "0 a fetch w1 pc=0x0; 0 a fetch w2 pc=0x100; 0 a fetch w3 pc=0x80;"
		          "4 mem put 0xf0000000 w1 flags=inst n=2; 4 mem put 0xf0000100 w2 flags=inst;"
		          "4 mem put 0xf00000c0 w3 flags=inst n=2; 6 mem put 0xf0000120 w2 flags=inst n=3;"
		          "6 mem put 0xf0000080 w3 flags=inst size=64; 8 mem put 0xf0000060 w1 flags=inst;"
		          "9 mem put 0xf0000040 w1 flags=inst; 12 a ready",
		.log = "0 a fetch w1 = miss; 0 a fetch w2 = miss; 0 a fetch w3 = miss;"
		       "0 l1i access 0xf0000000 w1 inst size=0 = miss;"
		       "0 l1i access 0xf0000100 w2 inst size=0 = miss;"
		       "0 l1i access 0xf0000080 w3 inst size=0 = miss;"
		       "7 l1i fill 0xf0000100 w2 inst; 7 l1i fill 0xf0000080 w3 inst;"
		       "10 l1i fill 0xf0000000 w1 inst; 12 a ready = w2 pc=0x100;"
		       "12 l1i taken; end it misses=3; held it: 5 fetches wait for their lines",
	},
	{
		"a line that is there in part is not there at the end",
		.netlist = plain_lines,
		.script = "0 a fetch w1 pc=0x0; 1 a cycle; 4 mem put 0xf0000000 w1 flags=inst n=2",
		.log = "0 a fetch w1 = miss; 0 l1i access 0xf0000000 w1 inst size=0 = miss;"
		       "2 req took 0xf0000000 w1 inst size=0; end it misses=1;"
		       "end 1 records",
	},
	{
		"fetches that wait are reported at the end",
		.script = "0 a fetch w1 pc=0x10; 0 a fetch w2 pc=0x20",
		.log = "0 a fetch w1 = miss; 0 a fetch w2 = miss;"
		       "0 l1i access 0xf0000010 w1 inst size=0 = miss;"
		       "0 l1i access 0xf0000020 w2 inst size=0 = miss; end it misses=2;"
		       "held it: 2 fetches wait for their lines",
	},
};

SUITE(icache_perfect, .netlist = perfect, RULES(perfect_rules));
SUITE(icache, .netlist = netlist, RULES(rules));
