/* request_share.c - rules of the path to the memory that several requesters share
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

/* The memory answers at once what it gets. */
static const char netlist[] =
	"'instances': {'it': {'module': 'request_share', 'params': {@}}, 'a': {'module': 'put_mem'}, 'b': {'module': 'put_mem'}, "
	"'m': {'module': 'memory_perfect'}, 'ra': {'module': 'take_mem'}, 'rb': {'module': 'take_mem'}}, 'links': ["
	"{'from': ['a.out', 'b.out'], 'to': 'it.in', 'capacity': 4}]";

static const struct rule rules[] = {
	{ "", .script = "", .log = "" },
};

SUITE(request_share, .netlist = netlist, RULES(rules));
