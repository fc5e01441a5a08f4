/* dram.h - a memory channel between two slices, whose requests name their bank and row
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Slice 0 puts with `a` and takes with `r`, slice 1 with `b` and `s`.  Address 0xRBBCC is in row R
 * and bank BB.
 */
#ifndef TESTS_MODULES_DRAM_H
#define TESTS_MODULES_DRAM_H

#include "harness.h"

#define DRAM_CLOCKED(clocks, dram, core) "'clocks': {" clocks "}, 'instances': {" \
	"'it': {'module': 'dram', 'clock': '" dram "', 'params': {@}}, " \
	"'a': {'module': 'put_mem', 'clock': '" dram "'}, " \
	"'b': {'module': 'put_mem', 'clock': '" dram "'}, " \
	"'r': {'module': 'take_mem', 'clock': '" dram "'}, " \
	"'s': {'module': 'take_mem', 'clock': '" dram "'}, " \
	"'map': {'module': 'give_map', 'clock': '" dram "'}, " \
	"'time': {'module': 'timebase', 'clock': '" core "'}}, 'links': [" \
	"{'from': 'a.out', 'to': 'it.request', 'capacity': 32}, " \
	"{'from': 'b.out', 'to': 'it.request', 'capacity': 32}, " \
	"{'from': 'it.reply', 'to': 'r.in', 'latency': 0, 'capacity': 2}, " \
	"{'from': 'it.reply', 'to': 's.in', 'latency': 0, 'capacity': 2}, " \
	"{'from': 'it.map', 'to': 'map.map'}, {'from': 'it.time', 'to': 'time.time'}]"
#define DRAM_NETLIST DRAM_CLOCKED("'core': {'mhz': 1000}", "core", "core")

/* Timings in the order of the parameters. */
#define TIMES(ccd, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, ccdl, rtpl) \
	"'ccd': " #ccd ", 'rrd': " #rrd ", 'rcd': " #rcd ", 'ras': " #ras ", 'rp': " #rp ", 'rc': " #rc \
	", 'cl': " #cl ", 'wl': " #wl ", 'cdlr': " #cdlr ", 'wr': " #wr ", 'ccdl': " #ccdl \
	", 'rtpl': " #rtpl
/* As short as they can be. */
#define FAST TIMES(1, 1, 1, 1, 1, 1, 4, 2, 0, 0, 1, 1)
#define SMALL "'latency': 0, 'banks': 4, 'groups': 2"

#endif
