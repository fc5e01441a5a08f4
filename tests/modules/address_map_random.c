/* address_map_random.c - rules of the address map that draws slices by lot
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Eight slices, blocks of 128 bytes: the lots of seed 1 modulo 8 are 7 6 1 3 1 7 2 4 1 5.
 */
#include "harness.h"

#define PARAMS(indexing) "'layout': '00000000.00000000.00000000.00000000.RRRRRRRR.RRRRRRRR." \
	"RRRRBBBB.CCCSSSSS', 'channels': 4, 'slices': 2, 'indexing': '" indexing "'"
#define MAP(name, indexing) "'" name "': {'module': 'address_map', 'params': {" PARAMS(indexing)
#define USER(name) ", '" name "': {'module': 'call_map'}"

static const char netlist[] = "'instances': {" MAP("it", "random") ", @}}" USER("u") USER("v") "}, "
	"'links': [{'from': ['u.map', 'v.map'], 'to': 'it.map'}, "
	"{'from': ['u.core', 'v.core'], 'to': 'it.core_touch'}, "
	"{'from': ['u.slice', 'v.slice'], 'to': 'it.slice_touch'}]";
#define TURNS(indexing) "'instances': {" MAP("map", indexing) "}}" USER("u") USER("v") USER("w") \
	", 'it': {'module': 'sm_turn', 'count': 2}}, 'links': [{'from': 'w.map', 'to': 'map.map'}, " \
	"{'from': 'u.core', 'to': 'it[0].touch'}, {'from': 'v.core', 'to': 'it[1].touch'}, " \
	"{'from': 'it[*].map', 'to': 'map.core_touch'}]"
static const char two_sms[] = TURNS("random");
static const char not_random[] = TURNS("bank");

static const struct rule rules[] = {
	{
		"a block gets the next number when it is first used, and keeps it",
		.shows = "AR1 AR2",
		.params = "'seed': 1",
		.script = "0 u where 0x1000; 0 u where 0x1040; 0 u where 0x1080;"
		          "1 u where 0x80000; 2 u where 0x1000; 3 end",
		.log = "0 u 0x1000 = slice 7 local 0x200 bank 4 row 0;"
		       "0 u 0x1040 = slice 7 local 0x240 bank 4 row 0;"
		       "0 u 0x1080 = slice 6 local 0x280 bank 4 row 0;"
		       "1 u 0x80000 = slice 1 local 0x10000 bank 0 row 32;"
		       "2 u 0x1000 = slice 7 local 0x200 bank 4 row 0",
	},
	{
		"of another seed other numbers",
		.shows = "AR2",
		.params = "'seed': 7",
		.script = "0 u where 0x1000; 0 u where 0x2000; 0 u where 0x3000;"
		          "0 u where 0x4000; 1 end",
		.log = "0 u 0x1000 = slice 5 local 0x200 bank 4 row 0;"
		       "0 u 0x2000 = slice 3 local 0x400 bank 8 row 0;"
		       "0 u 0x3000 = slice 3 local 0x600 bank 12 row 0;"
		       "0 u 0x4000 = slice 7 local 0x800 bank 0 row 1",
	},
	{
		"0 is the seed 1",
		.shows = "AR2",
		.params = "'seed': 0",
		.script = "0 u where 0x1000; 0 u where 0x2000; 1 end",
		.log = "0 u 0x1000 = slice 7 local 0x200 bank 4 row 0;"
		       "0 u 0x2000 = slice 6 local 0x400 bank 8 row 0",
	},
	{
		"in a cycle the users come in the order of their numbers, in whatever order they are evaluated",
		.shows = "AR3",
		.params = "'seed': 1",
		.script = "0 v touch 0x1000 user=1; 0 u touch 0x2000 user=0;"
		          "0 v touch 0x3000 user=1; 0 u touch 0x4000 user=2;"
		          "1 u where 0x1000; 1 u where 0x2000; 1 u where 0x3000;"
		          "1 u where 0x4000; 2 end",
		.log = "1 u 0x1000 = slice 6 local 0x200 bank 4 row 0;"
		       "1 u 0x2000 = slice 7 local 0x400 bank 8 row 0;"
		       "1 u 0x3000 = slice 1 local 0x600 bank 12 row 0;"
		       "1 u 0x4000 = slice 3 local 0x800 bank 0 row 1",
	},
	{
		"what one cycle uses comes before what the next does",
		.shows = "AR3",
		.params = "'seed': 1",
		.script = "0 u touch 0x1000 user=9; 1 u touch 0x2000 user=0;"
		          "2 v touch 0x3000 user=5; 3 u touch 0x4000 user=0;"
		          "4 u where 0x4000; 4 u where 0x3000; 4 u where 0x2000;"
		          "4 u where 0x1000; 5 end",
		.log = "4 u 0x4000 = slice 3 local 0x800 bank 0 row 1;"
		       "4 u 0x3000 = slice 1 local 0x600 bank 12 row 0;"
		       "4 u 0x2000 = slice 6 local 0x400 bank 8 row 0;"
		       "4 u 0x1000 = slice 7 local 0x200 bank 4 row 0",
	},
	{
		"a block that was used before takes no number",
		.shows = "AR1 AR3",
		.params = "'seed': 1",
		.script = "0 u touch 0x1000 user=1; 0 v touch 0x1020 user=0;"
		          "0 v touch 0x1000 user=0; 1 v touch 0x1040 user=0;"
		          "1 u touch 0x2000 user=4; 2 u where 0x2000; 2 u where 0x1000; 3 end",
		.log = "2 u 0x2000 = slice 6 local 0x400 bank 8 row 0;"
		       "2 u 0x1000 = slice 7 local 0x200 bank 4 row 0",
	},
	{
		"slices come before SMs, whose numbers are their own",
		.shows = "AR3",
		.params = "'seed': 1",
		.script = "0 u touch slice 0x1000 user=9; 0 u touch slice 0x2000 user=8;"
		          "0 u touch 0x3000 user=0; 1 u touch 0x4000 user=0;"
		          "2 u touch slice 0x5000 user=1; 3 u where 0x1000; 3 u where 0x2000;"
		          "3 u where 0x3000; 3 u where 0x4000; 3 u where 0x5000; 4 end",
		.log = "3 u 0x1000 = slice 6 local 0x200 bank 4 row 0;"
		       "3 u 0x2000 = slice 7 local 0x400 bank 8 row 0;"
		       "3 u 0x3000 = slice 1 local 0x600 bank 12 row 0;"
		       "3 u 0x4000 = slice 3 local 0x800 bank 0 row 1;"
		       "3 u 0x5000 = slice 1 local 0xa00 bank 4 row 1",
	},
	{
		"any number of blocks",
		.shows = "AR1",
		.params = "'seed': 1",
		.script = "0 u spread 0x0 step=128 n=20000; 0 u where 0x1000000;"
		          "0 u where 0x0; 1 end",
		.log = "0 u 8 slices: at most 2586, at least 2410;"
		       "0 u 0x1000000 = slice 2 local 0x200000 bank 0 row 1024;"
		       "0 u 0 = slice 7 local 0 bank 0 row 0",
	},
	{
		"SMs take turns: another one of the cluster is the first in each cycle",
		.shows = "AR4",
		.netlist = two_sms,
		.script = "0 u touch 0x1000 user=6; 0 v touch 0x2000 user=7;"
		          "1 u touch 0x3000 user=6; 1 v touch 0x4000 user=7;"
		          "2 v touch 0x5000 user=7; 2 u touch 0x6000 user=6;"
		          "3 w where 0x1000; 3 w where 0x2000; 3 w where 0x3000;"
		          "3 w where 0x4000; 3 w where 0x5000; 3 w where 0x6000; 4 end",
		.log = "3 w 0x1000 = slice 7 local 0x200 bank 4 row 0;"
		       "3 w 0x2000 = slice 6 local 0x400 bank 8 row 0;"
		       "3 w 0x3000 = slice 3 local 0x600 bank 12 row 0;"
		       "3 w 0x4000 = slice 1 local 0x800 bank 0 row 1;"
		       "3 w 0x5000 = slice 7 local 0xa00 bank 4 row 1;"
		       "3 w 0x6000 = slice 1 local 0xc00 bank 8 row 1",
	},
	{
		"a map that does not depend on it is not notified",
		.shows = "AR4",
		.netlist = not_random,
		.script = "0 u touch 0x1000 user=6; 1 w where 0x1000; 2 end",
		.log = "1 w 0x1000 = slice 0 local 0x200 bank 4 row 0",
	},
	{
		"fewer address bits below the channel than choose the slice are refused",
		.shows = "AR1",
		.params = "'channel_at': 0",
		.script = "0 end",
		.log = "refused instance 'it': 'channel_at' is 0; expected at least 1 with 'indexing' "
		       "\"random\", one bit for each that chooses one of 2 slices",
	},
};

SUITE(address_map_random, .netlist = netlist, RULES(rules));
