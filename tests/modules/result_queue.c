/* result_queue.c - rules of the queue in front of the write ports
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Results come from `a` and leave to `z`; the toy `regs` has the write ports.
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'result_queue', 'params': {'classes': ['SP'], @}}, "
	"'a': {'module': 'put_insts'}, 'z': {'module': 'take_insts'}, "
	"'regs': {'module': 'give'}}, "
	"'links': [{'from': 'a.out', 'to': 'it.in', 'capacity': 300}, "
	"{'from': 'it.out', 'to': 'z.in', 'capacity': 2}, "
	"{'from': 'it.regfile', 'to': 'regs.write'}]";

static const struct rule rules[] = {
	{
		"one leaves per cycle, in order, when its write port is free; without a result it needs "
		"none",
		.shows = "RE1",
		.params = "'entries': 2",
		.script = "0 regs refuse writes; 0 a put #1 w0; 0 a put n=2 #2 w0 dst=R1; 5 regs allow",
		.log = "2 regs write w0 R1 = no; 2 z took #1; 3 regs write w0 R1 = no;"
		       "4 regs write w0 R1 = no; 5 regs write w0 R1; 6 regs write w0 R1;"
		       "6 z took #2; 7 z took #3; end it passed=3 port_waits=3 full=4",
	},
	{
		"it is full as long as it holds 'entries' of them, or more",
		.shows = "RE2",
		.params = "'entries': 2",
		.script = "0 regs refuse writes; 0 a put #1 w0 dst=R1; 3 a put n=2 #2 w0 dst=R1;"
		          "5 regs allow",
		.log = "1 regs write w0 R1 = no; 2 regs write w0 R1 = no;"
		       "3 regs write w0 R1 = no; 4 regs write w0 R1 = no; 5 regs write w0 R1;"
		       "6 regs write w0 R1; 6 z took #1; 7 regs write w0 R1; 7 z took #2;"
		       "8 z took #3; end it passed=3 port_waits=4 full=2",
	},
	{
		"more than the units ever bring stay in order",
		.params = "'entries': 128",
		.script = "0 regs refuse writes; 0 a put n=258 #1 w0 dst=R1; 2 regs allow; 5 end",
		.log = "1 regs write w0 R1 = no; 2 regs write w0 R1; 3 regs write w0 R1;"
		       "3 z took #1; 4 regs write w0 R1; 4 z took #2; 5 regs write w0 R1;"
		       "5 z took #3; end it passed=4 port_waits=1 full=5;"
		       "held it: 254 results wait for a write port; end 255 records",
	},
	{
		"it waits while writeback has no room",
		.params = "'entries': 2",
		.script = "0 z stop; 0 a put n=4 #1 w0; 6 z go",
		.log = "6 z took #1; 6 z took #2; 7 z took #3; 8 z took #4;"
		       "end it passed=4 port_waits=3 full=5",
	},
};

SUITE(result_queue, .netlist = netlist, RULES(rules));
