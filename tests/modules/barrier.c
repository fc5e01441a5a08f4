/* barrier.c - rules of the CTA barrier
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'barrier'}, 'sm': {'module': 'sm'}, "
	"'a': {'module': 'call'}}, "
	"'links': [{'from': 'it.warps', 'to': 'sm.warps'}, {'from': 'a.after', 'to': 'sm.warps'}, "
	"{'from': 'a.barrier', 'to': 'it.barrier'}]";

static const struct rule rules[] = {
	{
		"warps wait until all warps of their CTA have arrived, then all continue in that "
		"cycle",
		.shows = "B2",
		.script = "0 sm cta slot=0 w0 w1 w2; 1 a join w0; 2 sm show w0 w1 w2;"
		          "2 a join w2; 3 sm show w0 w1 w2; 3 a join w1; 4 sm show w0 w1 w2",
		.log = "1 it event arrive cta=0 warp=0; 2 it event arrive cta=0 warp=2;"
		       "3 it event arrive cta=0 warp=1; 3 it event open cta=0 warps=3;"
		       "2 sm w0 barrier; 2 sm w1 free; 2 sm w2 free; 3 sm w0 barrier;"
		       "3 sm w1 free; 3 sm w2 barrier; 4 sm w0 free; 4 sm w1 free; 4 sm w2 free;"
		       "end it arrivals=3 releases=1",
	},
	{
		"barriers of a CTA are apart, and each is for so many threads; who only arrives is not held",
		.script = "0 sm cta slot=0 w0 w1 w2 w3; 1 a join w0 id=1 threads=64; 1 a join w2 id=2 threads=64;"
		          "2 sm show w0 w2; 2 a join w1 id=1 threads=64; 3 sm show w0 w1 w2;"
		          "3 a join w3 id=2 threads=64 goes; 4 sm show w2 w3",
		.log = "1 it event arrive cta=0 warp=0; 1 it event arrive cta=0 warp=2;"
		       "2 it event arrive cta=0 warp=1; 2 it event open cta=0 warps=2;"
		       "3 it event arrive cta=0 warp=3; 3 it event open cta=0 warps=1;"
		       "2 sm w0 barrier; 2 sm w2 barrier; 3 sm w0 free; 3 sm w1 free; 3 sm w2 barrier;"
		       "4 sm w2 free; 4 sm w3 free; end it arrivals=4 releases=2",
	},
	{
		"warps that continue are woken",
		.script = "0 sm cta slot=0 w0 w1 w2; 1 sm woken; 1 a join w0; 1 a join w2;"
		          "2 sm woken; 2 a join w1; 3 sm woken",
		.log = "1 it event arrive cta=0 warp=0; 1 it event arrive cta=0 warp=2;"
		       "2 it event arrive cta=0 warp=1; 2 it event open cta=0 warps=3;"
		       "1 sm woken w0 w1 w2 fetch; 2 sm woken none; 3 sm woken w0 w1 w2;"
		       "end it arrivals=3 releases=1",
	},
	{
		"each CTA has its own barrier",
		.shows = "B1",
		.script = "0 sm cta slot=0 w0 w1; 0 sm cta slot=5 w2 w3; 1 a join w0;"
		          "1 a join w2; 2 a join w3; 3 sm show w0 w1 w2 w3",
		.log = "1 it event arrive cta=0 warp=0; 1 it event arrive cta=5 warp=2;"
		       "2 it event arrive cta=5 warp=3; 2 it event open cta=5 warps=2;"
		       "3 sm w0 barrier; 3 sm w1 free; 3 sm w2 free; 3 sm w3 free;"
		       "end it arrivals=3 releases=1;"
		       "held it: kernel 0, block 0: 1 warps wait at barrier 0 for 64 threads, of which 32 have come",
	},
	{
		"a warp that has ended does not count, and its end lets the others go on",
		.shows = "B3",
		.script = "0 sm cta slot=0 w0 w1 w2; 1 a join w0; 1 a join w1; 2 sm show w0;"
		          "2 sm exit w2; 2 a leave w2; 3 sm show w0 w1 w2; 4 a join w0;"
		          "4 a join w1; 5 sm show w0 w1",
		.log = "1 it event arrive cta=0 warp=0; 1 it event arrive cta=0 warp=1;"
		       "2 it event open cta=0 warps=2; 2 sm w0 barrier; 3 sm w0 free;"
		       "3 sm w1 free; 3 sm w2 ended; 4 it event arrive cta=0 warp=0;"
		       "4 it event arrive cta=0 warp=1; 4 it event open cta=0 warps=2;"
		       "5 sm w0 free; 5 sm w1 free; end it arrivals=4 releases=2",
	},
	{
		"the end of a warp releases none while a running warp has not arrived, or if none "
		"waits",
		.shows = "B2 B3",
		.script = "0 sm cta slot=0 w0 w1 w2; 1 sm exit w2; 1 a leave w2; 2 a join w0;"
		          "3 sm show w0; 3 sm exit w1; 3 a leave w1; 4 sm show w0; 5 sm exit w0;"
		          "5 a leave w0",
		.log = "2 it event arrive cta=0 warp=0; 3 sm w0 barrier;"
		       "3 it event open cta=0 warps=1; 4 sm w0 free; end it arrivals=1 releases=1",
	},
	{
		"a single warp does not wait; other reasons to wait remain",
		.shows = "B2",
		.script = "0 sm cta slot=0 w63; 0 sm block fence w63; 1 a join w63; 2 sm show w63",
		.log = "1 it event arrive cta=0 warp=63; 1 it event open cta=0 warps=1;"
		       "2 sm w63 fence; end it arrivals=1 releases=1",
	},
};

SUITE(barrier, .netlist = netlist, RULES(rules));
