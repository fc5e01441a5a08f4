/* load_store.h - a load/store unit among toys: netlists for its rules
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An instruction put at edge x is accepted at x + 1 and is processed in the latch from x + 2 on.
 * The toy coalescer makes an access of each address, the toy cache follows the script, the toy
 * memory answers nothing by itself.
 */
#ifndef TESTS_MODULES_LOAD_STORE_H
#define TESTS_MODULES_LOAD_STORE_H

#include "harness.h"

#define INSTANCES INSTANCES_AND("")
#define INSTANCES_AND(more) "'instances': {" more "'it': {'module': 'load_store', 'params': {@}}, " \
	"'sm': {'module': 'sm'}, 'regs': {'module': 'give'}, " \
	"'acc': {'module': 'give'}, " \
	"'sync': {'module': 'give'}, 'l1d': {'module': 'give_cache'}, " \
	"'a': {'module': 'put_slots'}, 'req': {'module': 'take_mem'}, " \
	"'mem': {'module': 'put_mem'}}, "
#define LINKS "{'from': 'a.out', 'to': 'it.in', 'slots': 4}, " \
	"{'from': 'a.after', 'to': 'sm.warps'}, " \
	"{'from': 'it.request', 'to': 'req.in', 'capacity': 2}, " \
	"{'from': 'mem.out', 'to': 'it.response', 'capacity': 4}, " \
	"{'from': 'it.warps', 'to': 'sm.warps'}, " \
	"{'from': 'it.scoreboard', 'to': 'sm.scoreboard'}, " \
	"{'from': 'it.regfile', 'to': 'regs.write'}, " \
	"{'from': 'it.coalescer', 'to': 'acc.coalescer'}, " \
	"{'from': 'it.banks', 'to': 'acc.banks'}"
#define L1D ", {'from': 'it.l1d', 'to': 'l1d.cache'}"
#define COPY ", {'from': 'it.copy', 'to': 'sync.copy'}"

#define LD(n) "#" #n " w1 uid=" #n " space=global flags=load "
#define ST(n) "#" #n " w1 uid=" #n " space=global flags=store "
#define LDS(n) "#" #n " w1 uid=" #n " space=shared flags=load "
#define STS(n) "#" #n " w1 uid=" #n " space=shared flags=store "
#define ATOM(n) "#" #n " w1 uid=" #n " space=global flags=load,atomic "
#define COPIES(n) "#" #n " w1 uid=" #n " space=global flags=load,copy "
#define FAST "'shared_latency': 5, 'l1d_latency': 3, 'l1d_banks': 2"

#endif
