/* regfile.c - rules of the banked register file
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A register is in the bank (number + 1 + warp) modulo banks.
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'regfile', 'params': {@}}, "
	"'w': {'module': 'call'}, 'v': {'module': 'call'}, "
	"'r': {'module': 'call'}}, "
	"'links': [{'from': ['w.regfile', 'v.regfile'], 'to': 'it.write'}, "
	"{'from': 'r.regfile', 'to': 'it.read'}]";
static const char two_readers[] =
	"'instances': {'it': {'module': 'regfile', 'params': {'banks': 4}}, "
	"'w': {'module': 'call'}, 'q': {'module': 'call'}, "
	"'r': {'module': 'call'}}, "
	"'links': [{'from': 'w.regfile', 'to': 'it.write'}, "
	"{'from': ['q.regfile', 'r.regfile'], 'to': 'it.read'}]";

static const struct rule rules[] = {
	{
		"each bank serves one read per step, in order of arrival",
		.shows = "R3",
		.params = "'banks': 4",
		.script = "0 r read unit=0 w0 R0 R4; 0 r read unit=1 w0 R8; 0 r step first;"
		          "0 r step; 1 r step first; 2 r step first",
		.log = "0 r step first = none; 0 r step = 0; 1 r step first = 1;"
		       "2 r step first = none; 0 it event wait bank=1 reads=2 write=0 unit=0;"
		       "0 it event wait bank=1 reads=1 write=0 unit=1;"
		       "end it reads=3 bank_conflicts=2",
	},
	{
		"banks serve at the same time; a unit is done with the last of its operands",
		.shows = "R3 C5",
		.params = "'banks': 4",
		.script = "0 r read unit=0 w0 R0 R1; 0 r read unit=5 w0 R2;"
		          "0 r read unit=63 w0 R3 R7; 0 r step; 1 r step",
		.log = "0 r step = 0 5; 0 it event wait bank=0 reads=1 write=0 unit=63;"
		       "1 r step = 63; end it reads=5 bank_conflicts=1",
	},
	{
		"the warp's number is added to the register's",
		.shows = "R1",
		.params = "'banks': 4",
		.script = "0 r read unit=0 w0 R1; 0 r read unit=1 w1 R0; 0 r read unit=2 w2 R0;"
		          "0 r step; 1 r step",
		.log = "0 r step = 0 2; 0 it event wait bank=2 reads=1 write=0 unit=1;"
		       "1 r step = 1; end it reads=3 bank_conflicts=1",
	},
	{
		"a bank takes one write in a cycle; the next cycle another",
		.shows = "R2",
		.params = "'banks': 4",
		.script = "0 w write w0 R0; 0 w write w0 R4; 0 v write w3 R1; 0 v write w0 R1;"
		          "1 w write w0 R0; 2 w write w0 R0",
		.log = "0 w write w0 R0 = yes; 0 w write w0 R4 = no; 0 v write w3 R1 = no;"
		       "0 v write w0 R1 = yes; 1 w write w0 R0 = yes; 2 w write w0 R0 = yes;"
		       "end it writes=4 write_conflicts=2",
	},
	{
		"a write delays reads of its bank in the first step of its cycle only",
		.shows = "R2",
		.params = "'banks': 4",
		.script = "0 r read unit=0 w0 R0; 0 r read unit=1 w0 R1; 0 w write w0 R4;"
		          "0 r step first; 0 r step; 1 r read unit=2 w0 R0; 1 r step first",
		.log = "0 r step first = 1; 0 r step = 0; 0 w write w0 R4 = yes;"
		       "0 it event wait bank=1 reads=1 write=1 unit=0; 1 r step first = 2;"
		       "end it reads=3 writes=1 bank_conflicts=1",
	},
	{
		"all later reads of the bank wait for the write",
		.shows = "R2 R3",
		.params = "'banks': 4",
		.script = "5 r read unit=3 w0 R0; 5 r read unit=4 w0 R0; 5 w write w0 R4;"
		          "5 r step first; 5 r step; 5 r step; 5 r step",
		.log = "5 r step first = none; 5 r step = 3; 5 r step = 4; 5 r step = none;"
		       "5 w write w0 R4 = yes; 5 it event wait bank=1 reads=2 write=1 unit=3;"
		       "5 it event wait bank=1 reads=1 write=0 unit=4;"
		       "end it reads=2 writes=1 bank_conflicts=2",
	},
	{
		"sub-cores divide the banks: warp modulo sub-cores has its own",
		.shows = "R1",
		.params = "'banks': 4, 'sub_cores': 2",
		.script = "0 r read unit=0 w0 R1; 0 r read unit=1 w1 R0; 0 r read unit=2 w2 R3;"
		          "0 r step; 1 r step; 2 w write w0 R1; 2 w write w1 R0; 2 w write w2 R1;"
		          "2 w write w0 R2; 2 w write w1 R1",
		.log = "0 r step = 0 1; 0 it event wait bank=0 reads=1 write=0 unit=2;"
		       "1 r step = 2; 2 w write w0 R1 = yes; 2 w write w1 R0 = yes;"
		       "2 w write w2 R1 = no; 2 w write w0 R2 = yes; 2 w write w1 R1 = yes;"
		       "end it reads=3 writes=4 write_conflicts=1 bank_conflicts=1",
	},
	{
		"each reader gets its own units, of steps of others as well",
		.netlist = two_readers,
		.script = "0 q read unit=1 w0 R0 R4; 0 r read unit=1 w0 R8 R1; 0 r read unit=2 w0 R12;"
		          "0 q step; 0 r step; 1 q step; 1 r step; 2 q step; 2 r step; 3 q step; 3 r step;"
		          "4 r read unit=9 w0 R0 R1; 5 q step; 7 r step",
		.log = "0 q step = none; 0 r step = none; 1 q step = 1; 1 r step = none; 2 q step = none;"
		       "2 r step = 1; 3 q step = none; 3 r step = 2; 5 q step = none; 7 r step = 9;"
		       "end it reads=7 bank_conflicts=3",
		.plain = true,
	},
	{
		"a bank that was written serves none of them in the first step of the cycle",
		.shows = "R2",
		.netlist = two_readers,
		.script = "0 q read unit=1 w0 R0 R1; 0 r read unit=2 w0 R4 R2; 1 w write w0 R0; 1 q step first;"
		          "1 r step first; 2 q step first; 2 r step first; 3 w write w0 R8; 3 r step first;"
		          "4 r step first",
		.log = "1 q step first = none; 1 r step first = none; 1 w write w0 R0 = yes;"
		       "2 q step first = 1; 2 r step first = none; 3 r step first = none;"
		       "3 w write w0 R8 = yes; 4 r step first = 2;"
		       "end it reads=4 writes=2 bank_conflicts=4",
		.plain = true,
	},
	{
		"a bank can have all operands of all units in its queue",
		.params = "'banks': 1",
		.script = "0 r read unit=0 w0 R0; 0 r step; 0 r many; 1 r step; 2 r drain;"
		          "3 r many; 3 r drain",
		.log = "0 r step = 0; 1 r step = none; 2 r drain = 511; 3 r drain = 512;"
		       "end it reads=1025 bank_conflicts=1022",
		.plain = true,
	},
	{
		"banks are a multiple of sub-cores",
		.params = "'banks': 6, 'sub_cores': 4",
		.script = "",
		.log = "refused instance 'it': 6 banks cannot be divided among 4 sub-cores;"
		       "expected a multiple of 4",
	},
};

SUITE(regfile, .netlist = netlist, RULES(rules));
