/* front_cache.c - rules of the cache of instructions and constants that sub-cores share
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Requesters `a` and `b` get their answers at `x` and `y`; reads of lines go to `z`, lines come
 * from `m`.
 */
#include "harness.h"

#define INSTANCES "'instances': {'it': {'module': 'front_cache', 'params': {@}}, " \
	"'a': {'module': 'put_mem'}, 'b': {'module': 'put_mem'}, 'x': {'module': 'take_mem'}"
#define Y ", 'y': {'module': 'take_mem'}"
#define Z ", 'z': {'module': 'take_mem'}"
#define M ", 'm': {'module': 'put_mem'}"
#define LINKS "{'from': 'a.out', 'to': 'it.in', 'capacity': 8}, " \
	"{'from': 'b.out', 'to': 'it.in', 'capacity': 8}, " \
	"{'from': 'it.out', 'to': 'x.in', 'capacity': 2}"
#define BOTH LINKS ", {'from': 'it.out', 'to': 'y.in', 'capacity': 2}"
#define REQUEST ", {'from': 'it.request', 'to': 'z.in', 'capacity': 2}"
#define RESPONSE ", {'from': 'm.out', 'to': 'it.response', 'capacity': 8}"

static const char netlist[] = INSTANCES Y Z M "}, 'links': [" BOTH REQUEST RESPONSE "]";
static const char alone[] = INSTANCES Y "}, 'links': [" BOTH "]";
static const char one_answer[] = INSTANCES "}, 'links': [" LINKS "]";
static const char no_response[] = INSTANCES Y Z "}, 'links': [" BOTH REQUEST "]";

static const struct rule rules[] = {
	{
		"without a memory every line is there: one request is taken and one answered per cycle, in turn",
		.shows = "FE5",
		.netlist = alone,
		.script = "0 a put 0x0 w1 flags=inst n=3; 0 b put 0x1000 w2 flags=inst n=2; 9 end",
		.log = "3 x took 0 w1 inst,reply; 4 y took 0x1000 w2 inst,reply;"
		       "5 x took 0x20 w1 inst,reply; 6 y took 0x1020 w2 inst,reply;"
		       "7 x took 0x40 w1 inst,reply; end it hits=5",
	},
	{
		"an answer waits for room, and those behind it",
		.netlist = alone,
		.script = "0 x stop; 0 a put 0x0 w1 flags=inst n=3; 0 b put 0x1000 w2 flags=inst n=3; 9 x go",
		.log = "4 y took 0x1000 w2 inst,reply; 6 y took 0x1020 w2 inst,reply;"
		       "9 x took 0 w1 inst,reply; 9 x took 0x20 w1 inst,reply;"
		       "10 x took 0x40 w1 inst,reply; 11 y took 0x1040 w2 inst,reply;"
		       "end it hits=6",
	},
	{
		"a line is read once, and answers all that waited for it, in order, when it has come as a whole",
		.shows = "FE5",
		.script = "0 a put 0x80 w1 flags=inst core=3; 0 a put 0xa0 w2 flags=inst core=3;"
		          "0 a put 0x100 w3 flags=inst core=3; 0 b put 0xc0 w4 flags=inst;"
		          "0 b put 0x180 w5 flags=inst; 0 b put 0x80 w6 flags=inst;"
		          "12 m put 0x100 w0 flags=inst size=128;"
		          "15 m put 0xc0 w0 flags=inst size=64; 18 m put 0x80 w0 flags=inst size=64;"
		          "26 a put 0x90 w7 flags=inst; 28 m put 0x180 w0 flags=inst size=128; 32 end",
		.log = "2 z took 0x80 w0 inst size=128 core=3; 5 z took 0x180 w0 inst size=128;"
		       "6 z took 0x100 w0 inst size=128 core=3;"
		       "14 x took 0x100 w3 inst,reply core=3;"
		       "20 x took 0x80 w1 inst,reply core=3; 21 y took 0xc0 w4 inst,reply;"
		       "22 x took 0xa0 w2 inst,reply core=3; 23 y took 0x80 w6 inst,reply;"
		       "29 x took 0x90 w7 inst,reply; 30 y took 0x180 w5 inst,reply;"
		       "end it hits=1 misses=6 reads=3",
	},
	{
		"a line for which no request waits is dropped",
		.script = "0 m put 0x100 w0 flags=inst size=128; 4 a put 0x100 w1 flags=inst;"
		          "8 m put 0x100 w0 flags=inst size=128; 12 end",
		.log = "6 z took 0x100 w0 inst size=128; 10 x took 0x100 w1 inst,reply;"
		       "end it misses=1 reads=1",
	},
	{
		"reads wait for room, and go out in the order of the misses",
		.script = "0 z stop; 0 a put 0x80 w1 flags=inst; 0 a put 0x100 w2 flags=inst;"
		          "0 a put 0x180 w3 flags=inst; 0 b put 0x200 w4 flags=inst; 9 z go;"
		          "14 m put 0x180 w0 flags=inst size=128; 16 m put 0x80 w0 flags=inst size=128;"
		          "18 m put 0x200 w0 flags=inst size=128; 20 m put 0x100 w0 flags=inst size=128",
		.log = "9 z took 0x80 w0 inst size=128; 9 z took 0x200 w0 inst size=128;"
		       "10 z took 0x100 w0 inst size=128; 11 z took 0x180 w0 inst size=128;"
		       "16 x took 0x180 w3 inst,reply; 18 x took 0x80 w1 inst,reply;"
		       "20 y took 0x200 w4 inst,reply; 22 x took 0x100 w2 inst,reply;"
		       "end it misses=4 reads=4",
	},
	{
		"of a full set the line that was used longest ago is replaced",
		.params = "'sets': 1, 'ways': 2",
		.script = "0 a put 0x0 w1 flags=inst; 0 a put 0x80 w2 flags=inst;"
		          "4 m put 0x0 w0 flags=inst size=128;"
		          "5 m put 0x80 w0 flags=inst size=128; 10 a put 0x0 w3 flags=inst;"
		          "12 a put 0x100 w4 flags=inst; 15 m put 0x100 w0 flags=inst size=128;"
		          "19 a put 0x0 w5 flags=inst; 21 a put 0x80 w6 flags=inst;"
		          "26 m put 0x80 w0 flags=inst size=128",
		.log = "2 z took 0 w0 inst size=128; 3 z took 0x80 w0 inst size=128;"
		       "6 x took 0 w1 inst,reply; 7 x took 0x80 w2 inst,reply;"
		       "13 x took 0 w3 inst,reply; 14 z took 0x100 w0 inst size=128;"
		       "17 x took 0x100 w4 inst,reply; 22 x took 0 w5 inst,reply;"
		       "23 z took 0x80 w0 inst size=128; 28 x took 0x80 w6 inst,reply;"
		       "end it hits=2 misses=4 reads=4",
	},
	{
		"a requester without a place for answers is refused",
		.netlist = one_answer,
		.script = "0 end",
		.log = "refused instance 'it': 2 links at port 'in' and 1 at 'out';"
		       "expected one of each for every requester",
	},
	{
		"so is a memory that does not answer",
		.netlist = no_response,
		.script = "0 end",
		.log = "refused instance 'it': port 'response' is open;"
		       "expected links at 'request' and 'response', or at neither",
	},
};

SUITE(front_cache, .netlist = netlist, RULES(rules));
