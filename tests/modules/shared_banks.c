/* shared_banks.c - rules of the banks of shared memory
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'shared_banks', 'params': {@}}, "
	"'a': {'module': 'call'}}, 'links': [{'from': 'a.banks', 'to': 'it.banks'}]";

static const struct rule rules[] = {
	{
		"words side by side, or one word for all, take one cycle",
		.shows = "SB2",
		.script = "0 a conflicts #1 w0 addr=0x100 stride=4;"
		          "0 a conflicts #2 w0 addr=0x100 stride=0;"
		          "0 a conflicts #3 w0 addr=0x7c stride=-4",
		.log = "0 a #1 = 1; 0 a #2 = 1; 0 a #3 = 1; end it instructions=3 cycles=3",
	},
	{
		"as many cycles as different words are accessed in one bank",
		.shows = "SB2",
		.script = "0 a conflicts #1 w0 addr=0 stride=8;"
		          "0 a conflicts #2 w0 addr=0 stride=128;"
		          "0 a conflicts #3 w0 addr=0 stride=64;"
		          "0 a conflicts #4 w0 addr=0 stride=132;"
		          "0 a conflicts #5 w0 addr=0,128,256 mask=0x7;"
		          "0 a conflicts #6 w0 addr=0,128,4,132,260,8 mask=0x3f;"
		          "0 a conflicts #7 w0 addr=0,4,128 mask=0x7;"
		          "0 a conflicts #8 w0 addr=4,132,0 mask=0x7",
		.log = "0 a #1 = 2; 0 a #2 = 32; 0 a #3 = 16; 0 a #4 = 1; 0 a #5 = 3; 0 a #6 = 3;"
		       "0 a #7 = 2; 0 a #8 = 2; end it instructions=8 cycles=61",
	},
	{
		"lanes that access the same word cost nothing, nor do inactive lanes",
		.shows = "SB2",
		.script = "0 a conflicts #1 w0 addr=0,128,0,128,0,128 mask=0x3f;"
		          "0 a conflicts #2 w0 addr=0,128,256,0 mask=0x9;"
		          "0 a conflicts #3 w0 addr=0,128,256,0 mask=0xb;"
		          "0 a conflicts #4 w0 addr=0,128,256,384,0,128,256,384 mask=0xff;"
		          "0 a conflicts #5 w0 addr=0 stride=4 mask=0x80000001",
		.log = "0 a #1 = 2; 0 a #2 = 1; 0 a #3 = 2; 0 a #4 = 4; 0 a #5 = 1;"
		       "end it instructions=5 cycles=10",
	},
	{
		"a row whose last lane is elsewhere conflicts in the bank of that lane",
		.shows = "SB2",
		.script = "0 a conflicts #1 w0 addr=0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,"
		          "64,68,72,76,80,84,88,92,96,100,104,108,112,116,120,252;"
		          "0 a conflicts #2 w0 addr=0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,"
		          "64,68,72,76,80,84,88,92,96,100,104,108,112,116,120,128;"
		          "0 a conflicts #3 w0 addr=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
		          "0,0,0,0,0,0,0,0,128",
		.log = "0 a #1 = 1; 0 a #2 = 2; 0 a #3 = 2; end it instructions=3 cycles=5",
	},
	{
		"only the first word of a lane counts, and its place in the word does not",
		.shows = "SB1",
		.script = "0 a conflicts #1 w0 addr=0 stride=16 width=16;"
		          "0 a conflicts #2 w0 addr=0 stride=1 width=1;"
		          "0 a conflicts #3 w0 addr=2 stride=8 width=8;"
		          "0 a conflicts #4 w0 addr=126 stride=2 width=2",
		.log = "0 a #1 = 4; 0 a #2 = 1; 0 a #3 = 2; 0 a #4 = 1;"
		       "end it instructions=4 cycles=8",
	},
	{
		"the number of banks may be a power of two or not",
		.shows = "SB1",
		.params = "'banks': 12",
		.script = "0 a conflicts #1 w0 addr=0 stride=4;"
		          "0 a conflicts #2 w0 addr=0,48 mask=0x3;"
		          "0 a conflicts #3 w0 addr=0,44 mask=0x3;"
		          "0 a conflicts #4 w0 addr=0,52,96 mask=0x7",
		.log = "0 a #1 = 3; 0 a #2 = 2; 0 a #3 = 1; 0 a #4 = 2;"
		       "end it instructions=4 cycles=8",
	},
	{
		"with half as many banks as lanes a row takes two cycles",
		.shows = "SB1",
		.params = "'banks': 16",
		.script = "0 a conflicts #1 w0 addr=0 stride=4;"
		          "0 a conflicts #2 w0 addr=0 stride=0;"
		          "0 a conflicts #3 w0 addr=0 stride=4 mask=0xffff",
		.log = "0 a #1 = 2; 0 a #2 = 1; 0 a #3 = 1; end it instructions=3 cycles=4",
	},
	{
		"with 64 banks a row of doubles takes one cycle",
		.shows = "SB1",
		.params = "'banks': 64",
		.script = "0 a conflicts #1 w0 addr=0 stride=8;"
		          "0 a conflicts #2 w0 addr=0 stride=16;"
		          "0 a conflicts #3 w0 addr=0,256 mask=0x3;"
		          "0 a conflicts #4 w0 addr=0,252 mask=0x3",
		.log = "0 a #1 = 1; 0 a #2 = 2; 0 a #3 = 2; 0 a #4 = 1;"
		       "end it instructions=4 cycles=6",
	},
	{
		"limited broadcast serves one word, of the first bank that shares one",
		.shows = "SB3",
		.params = "'limited_broadcast': true",
		.script = "0 a conflicts #1 w0 addr=0 stride=4;"
		          "0 a conflicts #2 w0 addr=0 stride=0;"
		          "0 a conflicts #3 w0 addr=0,0,0,4,4 mask=0x1f;"
		          "0 a conflicts #4 w0 addr=4,4,4,8,8,8,8 mask=0x7f;"
		          "0 a conflicts #5 w0 addr=8,8,8,8,4,4,4 mask=0x7f",
		.log = "0 a #1 = 1; 0 a #2 = 1; 0 a #3 = 2; 0 a #4 = 4; 0 a #5 = 4;"
		       "end it instructions=5 cycles=12",
	},
	{
		"the lowest shared word of the bank, whatever other words are accessed there",
		.shows = "SB3",
		.params = "'limited_broadcast': true",
		.script = "0 a conflicts #1 w0 addr=0,128,128,256,256,256 mask=0x3f;"
		          "0 a conflicts #2 w0 addr=256,256,256,128,128,0 mask=0x3f;"
		          "0 a conflicts #3 w0 addr=0,128,256 mask=0x7;"
		          "0 a conflicts #4 w0 addr=128,256,128 mask=0x7;"
		          "0 a conflicts #5 w0 addr=0,0,128,128,128 mask=0x1f",
		.log = "0 a #1 = 5; 0 a #2 = 5; 0 a #3 = 3; 0 a #4 = 2; 0 a #5 = 4;"
		       "end it instructions=5 cycles=19",
	},
	{
		"with it, too, 32 different words take as many cycles as the fullest bank has of them",
		.shows = "SB3",
		.params = "'limited_broadcast': true",
		.script = "0 a conflicts #1 w0 addr=0,128,256,384,512,516 stride=4;"
		          "0 a conflicts #2 w0 addr=0,4,8,12 stride=8",
		.log = "0 a #1 = 5; 0 a #2 = 2; end it instructions=2 cycles=7",
	},
	{
		"with `wide` all words count, in halves or quarters of the warp, a cycle each at least",
		.shows = "SB5",
		.params = "'wide': true",
		.script = "0 a conflicts #1 w0 addr=0 stride=8 width=8;"
		          "0 a conflicts #2 w0 addr=0 stride=16 width=16;"
		          "0 a conflicts #3 w0 addr=0 stride=0 width=8;"
		          "0 a conflicts #4 w0 addr=0 stride=16 width=8;"
		          "0 a conflicts #5 w0 addr=0 stride=128 width=8;"
		          "0 a conflicts #6 w0 addr=0 width=8 mask=0x1;"
		          "0 a conflicts #7 w0 addr=0,128,8 width=16 mask=0x7;"
		          "0 a conflicts #8 w0 addr=0 stride=8 width=4",
		.log = "0 a #1 = 2; 0 a #2 = 4; 0 a #3 = 2; 0 a #4 = 4; 0 a #5 = 32; 0 a #6 = 2; 0 a #7 = 5;"
		       "0 a #8 = 2; end it instructions=8 cycles=53",
	},
	{
		"parts of the warp take their cycles one after another",
		.shows = "SB4",
		.params = "'parts': 2",
		.script = "0 a conflicts #1 w0 addr=0 stride=4;"
		          "0 a conflicts #2 w0 addr=0 stride=128;"
		          "0 a conflicts #3 w0 addr=0 stride=8;"
		          "0 a conflicts #4 w0 addr=0 stride=4 mask=0xffff;"
		          "0 a conflicts #5 w0 addr=0 stride=128 mask=0x1ffff;"
		          "0 a conflicts #6 w0 addr=0 stride=128 mask=0xfffe0000",
		.log = "0 a #1 = 2; 0 a #2 = 32; 0 a #3 = 2; 0 a #4 = 1; 0 a #5 = 17; 0 a #6 = 15;"
		       "end it instructions=6 cycles=69",
	},
	{
		"each part broadcasts a word of its own",
		.shows = "SB3 SB4",
		.params = "'parts': 4, 'limited_broadcast': true",
		.script = "0 a conflicts #1 w0 addr=0 stride=0;"
		          "0 a conflicts #2 w0 addr=0 stride=0 mask=0x1ff;"
		          "0 a conflicts #3 w0 addr=0,0,4,4,0,0,4,4,8,8,12,12 mask=0xfff",
		.log = "0 a #1 = 4; 0 a #2 = 2; 0 a #3 = 6; end it instructions=3 cycles=12",
	},
	{
		"parts that do not divide a warp are refused",
		.params = "'parts': 3",
		.script = "0 end",
		.log = "refused instance 'it': 'parts' is 3; expected a divisor of 32",
	},
};

SUITE(shared_banks, .netlist = netlist, RULES(rules));
