/* request_share.c - rules of the path to the memory that several requesters share
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

#define TOYS "'a': {'module': 'put_mem'}, 'b': {'module': 'put_mem'}, 'ra': {'module': 'take_mem'}, " \
	"'rb': {'module': 'take_mem'}, 'm': {'module': 'turn_mem'}"
#define LINKS "{'from': 'it.out', 'to': 'm.in', 'capacity': 2}, " \
	"{'from': 'm.out', 'to': 'it.reply', 'capacity': 4, 'staged': true}, " \
	"{'from': 'it.response', 'to': 'ra.in', 'capacity': 1}, {'from': 'it.response', 'to': 'rb.in', 'capacity': 1}"

static const char netlist[] = "'instances': {'it': {'module': 'request_share', 'params': {@}}, " TOYS "}, 'links': ["
	"{'from': 'a.out', 'to': 'it.in', 'capacity': 8}, {'from': 'b.out', 'to': 'it.in', 'capacity': 8}, " LINKS "]";

static const struct rule rules[] = {
	{
		"one of each in turn",
		.shows = "RS1",
		.script = "0 a put 0x100 w1 n=3; 0 b put 0x800 w2 n=2; 12 end",
		.log = "2 m took 0x100 w1; 3 m took 0x800 w2; 4 m took 0x120 w1; 5 m took 0x820 w2; 6 m took 0x140 w1;"
		       "end it requests=5 conflicts=4; end 5 records",
	},
	{
		"the first requester first",
		.shows = "RS1",
		.params = "'arbiter': 'first', 'rate': 2",
		.script = "0 a put 0x100 w1 n=3; 0 b put 0x800 w2 n=2; 12 end",
		.log = "2 m took 0x100 w1; 2 m took 0x120 w1; 3 m took 0x140 w1; 3 m took 0x800 w2; 4 m took 0x820 w2;"
		       "end it requests=5 conflicts=3; end 5 records",
	},
	{
		"replies go back to whom they belong",
		.shows = "RS2 RS3",
		.script = "0 a put 0x100 w1 n=2; 0 b put 0x800 w2 n=2; 8 m give n=4; 20 end",
		.log = "2 m took 0x100 w1; 3 m took 0x800 w2; 4 m took 0x120 w1; 5 m took 0x820 w2; "
		       "10 ra took 0x100 w1; 11 rb took 0x800 w2; 12 ra took 0x120 w1; 13 rb took 0x820 w2;"
		       "end it requests=4 replies=4 conflicts=3",
	},
	{
		"a reply waits until its requester has room",
		.shows = "RS1 RS2",
		.script = "0 ra stop; 0 a put 0x100 w1 n=2; 0 b put 0x800 w2; 8 m give n=3; 15 ra go; 24 end",
		.log = "2 m took 0x100 w1; 3 m took 0x800 w2; 4 m took 0x120 w1; 11 rb took 0x800 w2; "
		       "15 ra took 0x100 w1; 16 ra took 0x120 w1; end it requests=3 replies=3 conflicts=2",
	},
};

SUITE(request_share, .netlist = netlist, RULES(rules));
