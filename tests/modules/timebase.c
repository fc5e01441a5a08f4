/* timebase.c - rules of the time base
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

/* The caller's clock is faster or slower, as the rule says. */
static const char netlist[] =
	"'clocks': {'core': {'mhz': 1000}, 'other': {@}}, "
	"'instances': {'it': {'module': 'timebase', 'clock': 'core'}, "
	"'u': {'module': 'call', 'clock': 'other'}}, "
	"'links': [{'from': 'u.time', 'to': 'it.time'}]";

static const struct rule rules[] = {
	{
		"during cycle n of its clock, n are over",
		.shows = "GC4",
		.params = "'mhz': 1000",
		.script = "0 u now; 1 u now; 5 u now; 6 end",
		.log = "0 u now = 0; 1 u now = 1; 5 u now = 5",
	},
	{
		"seen from a slower clock; looking early is allowed, late is not",
		.shows = "GC4",
		.params = "'mhz': 250",
		.script = "0 u now; 1 u now; 5 u now; 5 u until n=20; 5 u until n=21; 5 u until n=40;"
		          "5 u until n=41; 5 u until n=1; 30 end",
		.log = "0 u now = 0; 1 u now = 4; 5 u now = 20; 5 u until 20 = 1;"
		       "5 u until 21 = 1; 5 u until 40 = 4; 5 u until 41 = 5; 5 u until 1 = 1",
	},
	{
		"and from a faster one",
		.shows = "GC4",
		.params = "'mhz': 2000",
		.script = "0 u now; 1 u now; 2 u now; 5 u now; 5 u until n=3; 5 u until n=4; 5 u until n=12;"
		          "6 end",
		.log = "0 u now = 0; 1 u now = 1; 2 u now = 1; 5 u now = 3; 5 u until 3 = 1;"
		       "5 u until 4 = 1; 5 u until 12 = 16",
	},
	{
		"of equal clocks the edges are the cycles",
		.shows = "GC4",
		.params = "'of': 'core'",
		.script = "4 u now; 4 u until n=3; 4 u until n=5; 4 u until n=6; 4 u until n=14; 6 end",
		.log = "4 u now = 4; 4 u until 3 = 1; 4 u until 5 = 1; 4 u until 6 = 2;"
		       "4 u until 14 = 10",
	},
};

SUITE(timebase, .netlist = netlist, RULES(rules));
