/* dispatcher_grid.h - the dispatcher of a whole GPU among toys: netlists for its rules
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Two clusters of two SMs with 8 warp slots each (`a` to `d`), two slices (`m` and `n`).
 */
#ifndef TESTS_MODULES_DISPATCHER_GRID_H
#define TESTS_MODULES_DISPATCHER_GRID_H

#include "harness.h"

#define SM(name) "'" name "': {'module': 'sm', 'params': {'slots': 8}}, "
#define SMS SM("a") SM("b") SM("c") SM("d")
#define IT "'it': {'module': 'dispatcher_grid', 'params': {@}}, "
#define LINKS "{'from': 'it.trace', 'to': 'list.trace'}, {'from': 'it.warps', 'to': 'a.warps'}, " \
	"{'from': 'it.warps', 'to': 'b.warps'}, {'from': 'it.warps', 'to': 'c.warps'}, " \
	"{'from': 'it.warps', 'to': 'd.warps'}"
#define WORK ", {'from': 'it.work', 'to': 'g.work'}, {'from': 'it.work', 'to': 'h.work'}"
#define CLUSTERS "'g': {'module': 'give_cluster'}, 'h': {'module': 'give_cluster'}, "
#define LIST "'list': {'module': 'give_kernels'}"

#define NETLIST "'instances': {" IT SMS CLUSTERS LIST "}, 'links': [" LINKS WORK "]"
#define WITH_L1D \
	"'instances': {" IT SMS LIST ", 'p': {'module': 'give_cache', 'params': {'max_ways': 256}}, " \
	"'q': {'module': 'give_cache', 'params': {'max_ways': 256}}, 'r': {'module': 'give_cache'}, " \
	"'s': {'module': 'give_cache', 'params': {'max_ways': 64}}}, 'links': [" LINKS ", {'from': 'it.l1d', 'to': 'p.cache'}, " \
	"{'from': 'it.l1d', 'to': 'q.cache'}, {'from': 'it.l1d', 'to': 'r.cache'}, " \
	"{'from': 'it.l1d', 'to': 's.cache'}]"

/* Two SMs, of 4 and of 8 slots. */
#define UNEQUAL "'instances': {" IT "'a': {'module': 'sm', 'params': {'slots': 4}}, " SM("b") LIST "}, 'links': [" \
	"{'from': 'it.trace', 'to': 'list.trace'}, {'from': 'it.warps', 'to': 'a.warps'}, " \
	"{'from': 'it.warps', 'to': 'b.warps'}]"

#define TWO "'cores': 2"

#endif
