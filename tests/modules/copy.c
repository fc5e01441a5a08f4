/* copy.c - rules of asynchronous copies
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `accepted` logs the number under which the requests of a copy are answered.
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'copy', 'params': {@}}, 'sm': {'module': 'sm'}, "
	"'a': {'module': 'call'}}, "
	"'links': [{'from': 'it.warps', 'to': 'sm.warps'}, {'from': 'a.after', 'to': 'sm.warps'}, "
	"{'from': 'a.copy', 'to': 'it.copy'}]";

#define C(n, pc, addr) "#" #n " w1 pc=" #pc " addr=" #addr

static const struct rule rules[] = {
	{
		"a wait holds its warp until the last request of the closed group is answered",
		.shows = "X2 X4",
		.script = "0 sm cta w0 w1; 0 a add " C(1, 0x10, 0x100) "; 0 a commit w1;"
		          "1 a wait w1 stay=0; 2 sm show w0 w1; 2 sm woken;"
		          "2 a accepted n=3 " C(1, 0x10, 0x100) "; 3 a answered w1 id=1;"
		          "4 a answered w1 id=1; 5 sm show w1; 5 sm woken; 5 a answered w1 id=1;"
		          "6 sm show w1; 6 sm woken",
		.log = "2 a accepted #1 = 1; 2 sm w0 free; 2 sm w1 copy; 2 sm woken w0 w1 fetch;"
		       "3 a answered w1 1 = more; 4 a answered w1 1 = more;"
		       "5 a answered w1 1 = last; 5 sm w1 copy; 5 sm woken none; 6 sm w1 free;"
		       "6 sm woken w1; end it copies=1 waits=1",
	},
	{
		"neither the open group nor the 'stay' latest closed ones are waited for",
		.shows = "X4",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) "; 0 a commit w1;"
		          "0 a add " C(2, 0x20, 0x100) "; 0 a commit w1;"
		          "0 a add " C(3, 0x30, 0x100) "; 1 a wait w1 stay=2; 2 sm show w1;"
		          "2 a wait w1 stay=1; 3 sm show w1;"
		          "3 a accepted n=1 " C(2, 0x20, 0x100) "; 3 a answered w1 id=1;"
		          "4 sm show w1; 4 a accepted n=1 " C(1, 0x10, 0x100) ";"
		          "4 a answered w1 id=1; 5 sm show w1; 5 a wait w1 stay=0; 6 sm show w1",
		.log = "2 sm w1 free; 3 a accepted #2 = 1; 3 a answered w1 1 = last; 3 sm w1 copy;"
		       "4 a accepted #1 = 1; 4 a answered w1 1 = last; 4 sm w1 copy; 5 sm w1 free;"
		       "6 sm w1 free; end it copies=3 waits=3",
	},
	{
		"a wait for two groups is over when both are, in any order",
		.shows = "X4",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) "; 0 a commit w1;"
		          "0 a add " C(2, 0x20, 0x100) "; 0 a commit w1;"
		          "0 a accepted n=1 " C(1, 0x10, 0x100) ";"
		          "0 a accepted n=1 " C(2, 0x20, 0x100) "; 1 a wait w1 stay=0;"
		          "2 a answered w1 id=2; 3 sm show w1; 3 a answered w1 id=1; 4 sm show w1",
		.log = "0 a accepted #1 = 1; 0 a accepted #2 = 2; 2 a answered w1 2 = last;"
		       "3 a answered w1 1 = last; 3 sm w1 copy; 4 sm w1 free;"
		       "end it copies=2 waits=1",
	},
	{
		"with n above the closed groups, or below 0, nothing is waited for",
		.shows = "X4",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) "; 0 a commit w1;"
		          "0 a wait w1 stay=2; 1 sm show w1; 1 a wait w1 stay=-1; 2 sm show w1;"
		          "2 a wait w1 stay=1; 3 sm show w1; 3 a wait w1; 4 sm show w1",
		.log = "1 sm w1 free; 2 sm w1 free; 3 sm w1 free; 4 sm w1 copy;"
		       "end it copies=1 waits=4",
	},
	{
		"without copies or a closed group nothing is waited for; with one it is",
		.shows = "X4",
		.script = "0 sm cta w1; 0 a wait w1 stay=0; 1 sm show w1;"
		          "1 a add " C(1, 0x10, 0x100) "; 1 a wait w1 stay=0; 2 sm show w1;"
		          "2 a commit w1; 2 a commit w1; 2 a wait w1 stay=1; 3 sm show w1",
		.log = "1 sm w1 free; 2 sm w1 free; 3 sm w1 copy; end it copies=1 waits=3",
	},
	{
		"a copy without active lanes is over before it begins, and has no number",
		.shows = "X1",
		.script = "0 sm cta w1; 0 a add #1 w1 pc=0x10 addr=0x100 mask=0; 0 a commit w1;"
		          "0 a wait w1 stay=0; 1 sm show w1;"
		          "1 a accepted n=0 #1 w1 pc=0x10 addr=0x100 mask=0; 1 a answered w1 id=0;"
		          "1 a answered w1 id=1",
		.log = "1 a accepted #1 = 0; 1 a answered w1 0 = more; 1 a answered w1 1 = more;"
		       "1 sm w1 free; end it copies=1 waits=1",
	},
	{
		"a copy without accesses is finished when it is accepted",
		.shows = "X2",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) "; 0 a commit w1;"
		          "0 a wait w1 stay=0; 1 sm show w1;"
		          "1 a accepted n=0 " C(1, 0x10, 0x100) "; 2 sm show w1",
		.log = "1 a accepted #1 = 1; 1 sm w1 copy; 2 sm w1 free; end it copies=1 waits=1",
	},
	{
		"copies of one pc and address of lane 0 are counted together, and finish "
		"together",
		.shows = "X3",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) ";"
		          "0 a add " C(2, 0x10, 0x100) "; 0 a commit w1;"
		          "0 a accepted n=2 " C(1, 0x10, 0x100) ";"
		          "1 a accepted n=1 " C(2, 0x10, 0x100) "; 1 a wait w1 stay=0;"
		          "2 a answered w1 id=1; 2 a answered w1 id=1; 3 sm show w1;"
		          "3 a answered w1 id=1; 4 sm show w1; 4 a answered w1 id=1",
		.log = "0 a accepted #1 = 1; 1 a accepted #2 = 1; 2 a answered w1 1 = more;"
		       "2 a answered w1 1 = more; 3 a answered w1 1 = last; 3 sm w1 copy;"
		       "4 a answered w1 1 = more; 4 sm w1 free; end it copies=2 waits=1",
	},
	{
		"but those that are not accepted yet do not",
		.shows = "X3",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) ";"
		          "0 a add " C(2, 0x10, 0x100) "; 0 a commit w1;"
		          "0 a accepted n=1 " C(1, 0x10, 0x100) "; 1 a wait w1 stay=0;"
		          "2 a answered w1 id=1; 3 sm show w1;"
		          "3 a accepted n=1 " C(2, 0x10, 0x100) "; 4 a answered w1 id=1;"
		          "5 sm show w1",
		.log = "0 a accepted #1 = 1; 2 a answered w1 1 = last; 3 a accepted #2 = 1;"
		       "3 sm w1 copy; 4 a answered w1 1 = last; 5 sm w1 free;"
		       "end it copies=2 waits=1",
	},
	{
		"another pc, or another address of lane 0, is another copy",
		.shows = "X3",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) ";"
		          "0 a add " C(2, 0x10, 0x104) "; 0 a add " C(3, 0x20, 0x100) ";"
		          "0 a commit w1; 1 a accepted n=1 " C(3, 0x20, 0x100) ";"
		          "1 a accepted n=1 " C(2, 0x10, 0x104) ";"
		          "1 a accepted n=1 " C(1, 0x10, 0x100) "; 1 a wait w1 stay=0;"
		          "2 a answered w1 id=1; 3 a answered w1 id=2; 3 sm show w1;"
		          "4 a answered w1 id=3; 5 sm show w1",
		.log = "1 a accepted #3 = 1; 1 a accepted #2 = 2; 1 a accepted #1 = 3;"
		       "2 a answered w1 1 = last; 3 a answered w1 2 = last; 3 sm w1 copy;"
		       "4 a answered w1 3 = last; 5 sm w1 free; end it copies=3 waits=1",
	},
	{
		"a copy of the pair that came first may be over when the next is accepted",
		.shows = "X3",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) ";"
		          "0 a add " C(2, 0x10, 0x100) "; 0 a add " C(3, 0x10, 0x100) ";"
		          "0 a commit w1; 0 a accepted n=1 " C(1, 0x10, 0x100) ";"
		          "1 a answered w1 id=1; 1 a accepted n=1 " C(2, 0x10, 0x100) ";"
		          "1 a accepted n=1 " C(3, 0x10, 0x100) "; 1 a wait w1 stay=0;"
		          "2 a answered w1 id=1; 3 sm show w1; 3 a answered w1 id=1; 4 sm show w1",
		.log = "0 a accepted #1 = 1; 1 a answered w1 1 = last; 1 a accepted #2 = 1;"
		       "1 a accepted #3 = 1; 2 a answered w1 1 = more; 3 a answered w1 1 = last;"
		       "3 sm w1 copy; 4 sm w1 free; end it copies=3 waits=1",
	},
	{
		"places of finished copies are reused; the table grows",
		.params = "'room': 1",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) ";"
		          "0 a add " C(2, 0x20, 0x100) "; 0 a add " C(3, 0x30, 0x100) ";"
		          "0 a accepted n=1 " C(1, 0x10, 0x100) ";"
		          "0 a accepted n=1 " C(3, 0x30, 0x100) ";"
		          "0 a accepted n=1 " C(2, 0x20, 0x100) "; 1 a answered w1 id=2;"
		          "1 a add " C(4, 0x40, 0x100) "; 1 a accepted n=1 " C(4, 0x40, 0x100) ";"
		          "1 a commit w1; 1 a wait w1 stay=0; 2 a answered w1 id=1;"
		          "2 a answered w1 id=2; 3 sm show w1; 3 a answered w1 id=3; 4 sm show w1;"
		          "4 a answered w1 id=4",
		.log = "0 a accepted #1 = 1; 0 a accepted #3 = 2; 0 a accepted #2 = 3;"
		       "1 a answered w1 2 = last; 1 a accepted #4 = 2; 2 a answered w1 1 = last;"
		       "2 a answered w1 2 = last; 3 a answered w1 3 = last; 3 sm w1 copy;"
		       "4 a answered w1 4 = more; 4 sm w1 free; end it copies=4 waits=1",
	},
	{
		"a new warp in the slot has no copies; a late reply counts for the warp before",
		.shows = "X6",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) ";"
		          "0 a accepted n=1 " C(1, 0x10, 0x100) "; 0 a commit w1; 1 sm cta w1;"
		          "1 a wait w1 stay=0; 2 sm show w1; 2 a answered w1 id=1;"
		          "2 a add " C(2, 0x10, 0x100) "; 2 a commit w1; 2 a wait w1 stay=0;"
		          "3 sm show w1; 3 a accepted n=1 " C(2, 0x10, 0x100) ";"
		          "3 a answered w1 id=1; 4 sm show w1",
		.log = "0 a accepted #1 = 1; 2 a answered w1 1 = last; 2 sm w1 free;"
		       "3 a accepted #2 = 1; 3 a answered w1 1 = last; 3 sm w1 copy; 4 sm w1 free;"
		       "end it copies=2 waits=2",
	},
	{
		"a late reply ends no copy of the new warp",
		.shows = "X6 E3",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) ";"
		          "0 a accepted n=1 " C(1, 0x10, 0x100) "; 1 sm cta w1;"
		          "1 a add " C(2, 0x20, 0x100) "; 1 a accepted n=1 " C(2, 0x20, 0x100) ";"
		          "1 a commit w1; 1 a wait w1 stay=0; 2 a answered w1 id=1; 3 sm show w1;"
		          "3 a answered w1 id=2; 4 sm show w1",
		.log = "0 a accepted #1 = 1; 1 a accepted #2 = 2; 2 a answered w1 1 = last;"
		       "3 a answered w1 2 = last; 3 sm w1 copy; 4 sm w1 free;"
		       "end it copies=2 waits=1",
	},
	{
		"but is counted with those of its copies that have the same name",
		.shows = "X6",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) ";"
		          "0 a accepted n=1 " C(1, 0x10, 0x100) "; 1 sm cta w1;"
		          "1 a add " C(2, 0x10, 0x100) "; 1 a accepted n=1 " C(2, 0x10, 0x100) ";"
		          "1 a commit w1; 1 a wait w1 stay=0; 2 a answered w1 id=1; 3 sm show w1;"
		          "3 a answered w1 id=1; 4 sm show w1",
		.log = "0 a accepted #1 = 1; 1 a accepted #2 = 1; 2 a answered w1 1 = more;"
		       "3 a answered w1 1 = last; 3 sm w1 copy; 4 sm w1 free;"
		       "end it copies=2 waits=1",
	},
	{
		"warps do not wait for each other's copies",
		.script = "0 sm cta w0 w1; 0 a add " C(1, 0x10, 0x100) "; 0 a commit w1;"
		          "0 a commit w0; 0 a wait w0 stay=0; 1 sm show w0; 1 a wait w1 stay=0;"
		          "2 sm show w1; 2 a add #2 w0 pc=0x10 addr=0x100;"
		          "2 a accepted n=1 #2 w0 pc=0x10 addr=0x100; 2 a answered w0 id=1;"
		          "3 sm show w1",
		.log = "1 sm w0 free; 2 a accepted #2 = 1; 2 a answered w0 1 = last; 2 sm w1 copy;"
		       "3 sm w1 copy; end it copies=2 waits=2",
	},
	{
		"other reasons to wait stay, and a warp that does not wait is not woken",
		.script = "0 sm cta w1; 0 a add " C(1, 0x10, 0x100) "; 0 a commit w1;"
		          "0 sm block fence w1; 0 sm woken;"
		          "1 a accepted n=1 " C(1, 0x10, 0x100) "; 1 a answered w1 id=1;"
		          "2 sm woken; 2 sm show w1",
		.log = "0 sm woken w1 fetch; 1 a accepted #1 = 1; 1 a answered w1 1 = last;"
		       "2 sm woken none; 2 sm w1 fence; end it copies=1",
	},
};

SUITE(copy, .netlist = netlist, RULES(rules));
