/* schedulers.c - rules of the scheduling policies
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * "order" is the order in which the issue stage would try the warps of a cycle.
 */
#include "harness.h"

#define SHORT(module) "'instances': {'it': {'module': '" module "', 'params': {@}}, " \
	"'sm': {'module': 'sm'}, 'sync': {'module': 'give'}, " \
	"'a': {'module': 'call_policy'}}, " \
	"'links': [{'from': 'a.policy', 'to': 'it.policy'}, " \
	"{'from': 'a.warps', 'to': 'sm.warps'}, " \
	"{'from': 'a.sync', 'to': 'sync.fence'}, " \
	"{'from': 'sync.warps', 'to': 'sm.warps'}"
#define WARPS ", {'from': 'it.warps', 'to': 'sm.warps'}"
#define FENCE ", {'from': 'it.fence', 'to': 'sync.fence'}"
#define BUFFER ", {'from': 'it.ibuffer', 'to': 'sm.ibuffer'}, " \
	"{'from': 'it.scoreboard', 'to': 'sm.scoreboard'}"

static const char lrr[] = SHORT("scheduler_lrr") "]";

static const struct rule lrr_rules[] = {
	{
		"the ring begins after the warp that issued last, which comes last itself",
		.shows = "P1",
		.script = "0 sm cta w0 w1 w2 w3; 0 a bind w0 w1 w2 w3; 0 a order; 1 a issued w1;"
		          "1 a order; 2 a issued w3; 2 a order; 3 a issued w0; 3 a order;"
		          "4 a polls",
		.log = "0 a order = w0 w1 w2 w3; 1 a order = w2 w3 w0 w1;"
		       "2 a order = w0 w1 w2 w3; 3 a order = w1 w2 w3 w0; 4 a polls = no",
	},
	{
		"also if its warps are not neighbours, and around the end of the slots",
		.shows = "P1",
		.script = "0 sm cta w3 w62 w63 w7 w0; 0 a bind w3 w62 w63 w7 w0; 0 a issued w63;"
		          "0 a order; 1 a issued w62; 1 a order; 2 sm exit w63 w7; 2 a order;"
		          "3 a issued w0; 3 a order",
		.log = "0 a order = w0 w3 w7 w62 w63; 1 a order = w63 w0 w3 w7 w62;"
		       "2 a order = w0 w3 w62; 3 a order = w3 w62 w0",
	},
};

SUITE(scheduler_lrr, .netlist = lrr, RULES(lrr_rules));

static const char gto[] = SHORT("scheduler_gto") WARPS "]";

static const struct rule gto_rules[] = {
	{
		"the warp that issued last comes first, then the others by age; at first the "
		"lowest slot",
		.shows = "P2",
		.script = "0 sm cta w6 w2 w4 w0; 0 a bind w0 w2 w4 w6; 0 a order; 1 a issued w4;"
		          "1 a order; 2 a issued w4; 2 a order; 3 a issued w6; 3 a order;"
		          "4 a polls",
		.log = "0 a order = w0 w6 w2 w4; 1 a order = w4 w6 w2 w0;"
		       "2 a order = w4 w6 w2 w0; 3 a order = w6 w2 w4 w0; 4 a polls = yes",
	},
	{
		"if that one cannot issue the oldest comes first",
		.shows = "P2",
		.script = "0 sm cta w6 w2 w4 w0; 0 a bind w0 w2 w4 w6; 1 a issued w4;"
		          "1 sm block copy w4; 1 a order; 3 sm exit w6; 3 a order;"
		          "4 sm unblock copy w4; 4 a order",
		.log = "1 a order = w6 w2 w0; 3 a order = w2 w0; 4 a order = w4 w2 w0",
	},
};

SUITE(scheduler_gto, .netlist = gto, RULES(gto_rules));

static const char old[] = SHORT("scheduler_oldest") WARPS "]";

static const struct rule oldest_rules[] = {
	{
		"the oldest warp comes first, whichever warp issued last",
		.shows = "P3",
		.script = "0 sm cta w6 w2 w4 w0; 0 a bind w0 w2 w4 w6; 0 a order; 1 a issued w0;"
		          "1 a order; 2 sm age w4 n=0; 2 sm age w6 n=9; 2 a order; 3 sm exit w4;"
		          "3 a order; 4 a polls",
		.log = "0 a order = w6 w2 w4 w0; 1 a order = w6 w2 w4 w0;"
		       "2 a order = w4 w2 w0 w6; 3 a order = w2 w0 w6; 4 a polls = yes",
	},
};

SUITE(scheduler_oldest, .netlist = old, RULES(oldest_rules));

static const char limited[] = SHORT("scheduler_limited") WARPS "]";

static const struct rule limited_rules[] = {
	{
		"only the oldest few are considered, and the one that issued last as well",
		.shows = "P4",
		.params = "'limit': 2",
		.script = "0 sm cta w6 w2 w4 w0; 0 a bind w0 w2 w4 w6; 0 a order; 1 a issued w6;"
		          "1 a order; 2 a issued w4; 2 a order; 3 a polls",
		.log = "0 a order = w0 w6 w2; 1 a order = w6 w2; 2 a order = w4 w6 w2;"
		       "3 a polls = yes",
	},
	{
		"those that are held or have ended do not count among them",
		.shows = "P4",
		.params = "'limit': 2",
		.script = "0 sm cta w6 w2 w4 w0; 0 a bind w0 w2 w4 w6; 0 a issued w6;"
		          "0 sm block copy w6; 0 a order; 2 sm exit w2; 2 a order;"
		          "4 sm unblock copy w6; 4 a order",
		.log = "0 a order = w2 w4; 2 a order = w4 w0; 4 a order = w6 w4",
	},
	{
		"as many warps as the limit are all considered",
		.shows = "P4",
		.params = "'limit': 4",
		.script = "0 sm cta w6 w2 w4 w0; 0 a bind w0 w2 w4 w6; 0 a issued w4; 0 a order",
		.log = "0 a order = w4 w6 w2 w0",
	},
	{
		"one warp more than the limit is not considered",
		.shows = "P4",
		.params = "'limit': 3",
		.script = "0 sm cta w6 w2 w4 w0; 0 a bind w0 w2 w4 w6; 0 a issued w6; 0 a order",
		.log = "0 a order = w6 w2 w4",
	},
};

SUITE(scheduler_limited, .netlist = limited, RULES(limited_rules));

static const char rrr[] = SHORT("scheduler_rrr") WARPS FENCE "]";
static const char rrr_alone[] = SHORT("scheduler_rrr") WARPS "]";

static const struct rule rrr_rules[] = {
	{
		"one warp has the turn until it has issued, whether it can or not",
		.shows = "P6",
		.script = "0 sm cta w1 w3 w5; 0 a bind w1 w3 w5; 0 a order; 1 a order;"
		          "2 a issued w1; 2 a order; 3 a order; 4 a issued w3; 4 a order;"
		          "5 a issued w5; 5 a order; 6 a polls",
		.log = "0 a order = w1; 1 a order = w1; 2 a order = w3; 3 a order = w3;"
		       "4 a order = w5; 5 a order = w1; 6 a polls = no",
	},
	{
		"a warp that is held or has ended loses the turn to the next of the ring",
		.shows = "P6",
		.script = "0 sm cta w1 w3 w5; 0 a bind w1 w3 w5; 0 a issued w1;"
		          "0 sm block barrier w3; 0 a order; 1 sm unblock barrier w3; 1 a order;"
		          "2 sm exit w3; 2 a order; 3 sm block copy w5; 3 a order; 4 sm exit w1;"
		          "4 a order; 5 sm unblock copy w5; 5 a order",
		.log = "0 a order = w5; 1 a order = w3; 2 a order = w5; 3 a order = w1;"
		       "4 a order = none; 5 a order = w5",
	},
	{
		"until an instruction was issued the first slot has the turn, unless its warp is "
		"held",
		.shows = "P6",
		.script = "0 a bind w1 w3 w5; 0 a order; 1 sm cta w1 w3 w5; 1 sm block copy w1;"
		          "1 a order; 2 sm unblock copy w1; 2 a order; 3 sm exit w3; 3 a order",
		.log = "0 a order = none; 1 a order = w3; 2 a order = w3; 3 a order = w1",
	},
	{
		"after the last slot comes the first",
		.shows = "P6",
		.script = "0 sm cta w0 w63 w62; 0 a bind w0 w62 w63; 0 a issued w63; 0 a order;"
		          "1 a issued w62; 1 a order; 2 a issued w0; 2 a order",
		.log = "0 a order = w0; 1 a order = w63; 2 a order = w62",
	},
	{
		"polling a warp may end its fence, but not at a barrier, and not those of others",
		.shows = "P6 N2",
		.script = "0 sm cta w1 w3 w5 w7; 0 a bind w1 w3 w5 w7; 0 a issued w1;"
		          "0 sm block fence w3 w5 w7; 0 sm block barrier w3;"
		          "0 sync over w3 w5 w7; 1 a order; 2 sm show w3 w5 w7;"
		          "2 sm unblock barrier w3; 2 a order; 3 sm show w3 w5 w7;"
		          "4 sm block fence w1; 4 sm exit w1 w3 w5; 4 a issued w7; 4 a order",
		.log = "1 a order = w5; 1 sync over w5; 2 a order = w3; 2 sm w3 barrier fence;"
		       "2 sm w5 free; 2 sm w7 fence; 2 sync over w3; 3 sm w3 free; 3 sm w5 free;"
		       "3 sm w7 fence; 4 a order = w7; 4 sync over w7",
	},
	{
		"without a link of its own it polls the fences of its stage",
		.netlist = rrr_alone,
		.script = "0 sm cta w1 w3; 0 a bind w1 w3; 0 a issued w3; 0 sm block fence w1;"
		          "0 sync over w1; 1 a order",
		.log = "1 a order = w1; 1 sync over w1",
	},
};

SUITE(scheduler_rrr, .netlist = rrr, RULES(rrr_rules));

static const char two_level[] = SHORT("scheduler_two_level") WARPS BUFFER FENCE "]";
static const char two_level_alone[] = SHORT("scheduler_two_level") WARPS BUFFER "]";

static const struct rule two_level_rules[] = {
	{
		"at first the lowest slots are active, in their order; the others are pending",
		.shows = "P5",
		.params = "'active': 2",
		.script = "0 sm cta w6 w2 w4 w0; 0 a bind w0 w2 w4 w6; 0 a order; 1 a order;"
		          "2 a polls",
		.log = "0 a order = w0 w2; 1 a order = w0 w2; 2 a polls = no",
	},
	{
		"the active ones rotate until the one that issued comes last",
		.shows = "P5",
		.params = "'active': 4",
		.script = "0 sm cta w0 w1 w2 w3; 0 a bind w0 w1 w2 w3; 0 a order; 1 a issued w1;"
		          "1 a order; 2 a issued w3; 2 a order; 3 a issued w2; 3 a order",
		.log = "0 a order = w0 w1 w2 w3; 1 a order = w2 w3 w0 w1;"
		       "2 a order = w0 w1 w2 w3; 3 a order = w3 w0 w1 w2",
	},
	{
		"also if there are more than eight",
		.params = "'active': 12",
		.script = "0 sm cta w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11;"
		          "0 a bind w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11; 0 a order;"
		          "1 a issued w1; 1 a order; 2 a issued w11; 2 a order",
		.log = "0 a order = w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11;"
		       "1 a order = w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w0 w1;"
		       "2 a order = w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11",
	},
	{
		"eight fill a word",
		.params = "'active': 8",
		.script = "0 sm cta w0 w1 w2 w3 w4 w5 w6 w7 w8;"
		          "0 a bind w0 w1 w2 w3 w4 w5 w6 w7 w8; 0 a order; 1 a issued w6;"
		          "1 a order; 2 sm block copy w1; 2 a order",
		.log = "0 a order = w0 w1 w2 w3 w4 w5 w6 w7; 1 a order = w7 w0 w1 w2 w3 w4 w5 w6;"
		       "2 a order = w7 w0 w2 w3 w4 w5 w6 w8; end it demotions=1",
	},
	{
		"a second instruction rotates by as much again",
		.shows = "P5",
		.params = "'active': 4",
		.script = "0 sm cta w0 w1 w2 w3; 0 a bind w0 w1 w2 w3; 0 a order; 1 a issued w1;"
		          "1 a issued w1 n=1; 1 a order; 2 a order; 3 a issued w3 n=0; 3 a order",
		.log = "0 a order = w0 w1 w2 w3; 1 a order = w0 w1 w2 w3;"
		       "2 a order = w0 w1 w2 w3; 3 a order = w0 w1 w2 w3",
	},
	{
		"a held warp goes to the end of the queue, and the first of the queue takes part "
		"at once",
		.shows = "P5",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2 w3; 0 a bind w0 w1 w2 w3; 0 a order;"
		          "1 sm block barrier w0; 1 a order; 2 sm unblock barrier w0; 2 a order;"
		          "3 sm block copy w1; 3 a order; 4 sm block copy w2; 4 sm exit w3;"
		          "4 a order; 5 a order",
		.log = "0 a order = w0 w1; 1 a order = w1 w2; 2 a order = w1 w2;"
		       "3 a order = w2 w3; 4 a order = w0; 5 a order = w0; end it demotions=5",
	},
	{
		"so does a warp whose next instruction reads the result of a load, even if it "
		"would pass",
		.shows = "P5 S5",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2; 0 a bind w0 w1 w2; 0 a order;"
		          "1 sm pending w0 R1 long; 1 sm fill #1 w0 src=R9,R1; 1 a changed w0;"
		          "1 a order; 2 sm pending w1 R2; 2 sm fill #2 w1 src=R2; 2 a changed w1;"
		          "2 a order; 3 sm done w0 R1 long; 3 a changed w0; 3 a order;"
		          "4 sm block copy w1 w2; 4 a order; 5 a order; 6 sm done w0 R1;"
		          "6 a changed w0; 6 a order",
		.log = "0 a order = w0 w1; 1 a order = w1 w2; 2 a order = w1 w2;"
		       "3 a order = w1 w2; 4 a order = w0; 5 a order = w0; 6 a order = w0;"
		       "end it demotions=6; end 2 records",
	},
	{
		"a destination that a load writes does not matter, nor an empty buffer",
		.shows = "P5",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2; 0 a bind w0 w1 w2; 0 a order;"
		          "1 sm pending w0 R1 long; 1 sm fill #1 w0 dst=R1 src=R2;"
		          "1 a changed w0; 1 a order; 2 sm pending w1 R1 long; 2 a changed w1;"
		          "2 a order",
		.log = "0 a order = w0 w1; 1 a order = w0 w1; 2 a order = w0 w1; end 1 records",
	},
	{
		"places stay free while no pending warp may become active",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2; 0 a bind w0 w1 w2; 0 a order; 1 sm exit w0 w2;"
		          "1 a order; 2 a order; 3 sm exit w1; 3 a order; 4 sm cta w0; 4 a order",
		.log = "0 a order = w0 w1; 1 a order = w1; 2 a order = w1; 3 a order = none;"
		       "4 a order = w0; end it demotions=6",
	},
	{
		"while all pending warps would have to leave again at once, they take turns",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2 w3 w4; 0 a bind w0 w1 w2 w3 w4; 0 a order;"
		          "1 sm block copy w1 w2 w3 w4; 1 a order; 1 a pass n=1; 2 a order;"
		          "2 a pass n=2; 5 a order; 5 a pass n=7; 6 sm unblock copy w2 w4;"
		          "6 a order; 7 a order; 8 a order",
		.log = "0 a order = w0 w1; 1 a order = w0; 2 a order = w0; 5 a order = w0;"
		       "6 a order = w0 w2; 7 a order = w0 w2; 8 a order = w0 w2;"
		       "end it demotions=13",
	},
	{
		"also those that wait for loads",
		.params = "'active': 3",
		.script = "0 sm cta w0 w1 w2 w3 w4; 0 a bind w0 w1 w2 w3 w4;"
		          "0 sm pending w1 R1 long; 0 sm pending w2 R1 long;"
		          "0 sm pending w3 R1 long; 0 sm pending w4 R1 long;"
		          "0 sm fill #1 w1 src=R1; 0 sm fill #2 w2 src=R1;"
		          "0 sm fill #3 w3 src=R1; 0 sm fill #4 w4 src=R1; 0 sm fill #5 w0;"
		          "0 a changed w0 w1 w2 w3 w4; 0 a order; 1 a order; 1 a pass n=5;"
		          "2 a order; 3 a pass n=1; 4 sm done w3 R1; 4 a changed w3; 4 a order;"
		          "5 a order; 6 a order",
		.log = "0 a order = w0 w3 w4; 1 a order = w0 w1 w2; 2 a order = w0 w1 w2;"
		       "4 a order = w0 w3 w1; 5 a order = w0 w3 w2; 6 a order = w0 w3 w4;"
		       "end it demotions=21; end 5 records",
	},
	{
		"a warp that waits for a load and would pass becomes active and leaves all the "
		"same",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2; 0 a bind w0 w1 w2; 0 sm pending w1 R1 long;"
		          "0 sm done w1 R1 long; 0 sm pending w2 R1 long; 0 sm fill #1 w1 src=R1;"
		          "0 sm fill #2 w2 src=R1; 0 sm fill #3 w0; 0 a changed w0 w1 w2;"
		          "0 a order; 1 a pass n=3; 2 a order; 3 sm block copy w0; 3 a order;"
		          "3 a pass n=4; 4 a order",
		.log = "0 a order = w0 w2; 2 a order = w0 w2; 3 a order = w1; 4 a order = w2;"
		       "end it demotions=17; end 3 records",
	},
	{
		"fences of the active ones end when a cycle begins, in their order, those of "
		"others do not",
		.shows = "P5 N2",
		.params = "'active': 2",
		.script = "0 sm cta w0 w1 w2; 0 a bind w0 w1 w2; 0 a order;"
		          "0 sm block fence w1 w2; 0 sync over w2; 0 a order; 1 sm show w2;"
		          "1 a order; 2 sm show w2; 3 sync over w0 w1; 3 sm block fence w0;"
		          "3 sm block barrier w0; 3 a order; 4 sm show w0 w1; 4 a pass n=2;"
		          "5 a order",
		.log = "0 a order = w0; 0 a order = w0 w2; 0 sync over w2; 1 a order = w0 w2;"
		       "1 sm w2 free; 2 sm w2 free; 3 a order = w2; 4 sm w0 barrier fence;"
		       "4 sm w1 fence; 4 sync over w1; 5 a order = w2 w1; end it demotions=2",
	},
	{
		"without a link of its own it polls the fences of its stage",
		.netlist = two_level_alone,
		.params = "'active': 2",
		.script = "0 sm cta w0 w1; 0 a bind w0 w1; 0 a order; 0 sm block fence w1;"
		          "0 sync over w1; 1 a order",
		.log = "0 a order = w0 w1; 0 sync over w1; 1 a order = w0 w1",
	},
};

SUITE(scheduler_two_level, .netlist = two_level, RULES(two_level_rules));
