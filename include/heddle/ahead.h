/* ahead.h - what a module declares so that instances may be evaluated at different edges
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parts of a netlist that only links with latency join are simulated one by one, each for many edges in turn, or in a
 * thread of its own.  It does not show in results; modules that declare nothing run in lock step.  Three members of
 * the descriptor belong here.  hd_module.confined, of a plug-in, says that its instances have to do with others by
 * their ports alone, and that it has no static variables that change.  hd_port.most is the number of payloads that an
 * OUT port, not slots, puts in one edge at most; 0: any number.  hd_module.apart returns for how many edges from the
 * next one on the instance does nothing that concerns all parts; NULL: 0.  docs/modules.md explains them.
 */
#ifndef HEDDLE_AHEAD_H
#define HEDDLE_AHEAD_H

#include <heddle/module.h>

HD_BEGIN

enum hd_ahead_flag {
	HD_APART = 1 << 9,  /* PROVIDES: users do not influence what others get, but by calls of HD_RARE */
	HD_RARE = 1 << 10,  /* USES: calls in few edges only; where a port has HD_WAKES */
	HD_WAKES = 1 << 12, /* USES, with HD_RARE: providers wake the instance */
};

/* In init: users at the HD_APART ports of the instance do influence others, and its own HD_RARE calls join it. */
void hd_not_apart(const struct hd_ctx *c);
/* In init: the port, an OUT with .most, puts n payloads in one edge at most, because of a parameter. */
void hd_puts_at_most(const struct hd_ctx *c, unsigned port, uint32_t n);
/* hd_wake() for a provider that wakes its user at a port with HD_WAKES: they may be in parts that run apart. */
void hd_wake_apart(const struct hd_ctx *c, struct hd_waker w);

/* hd_ctx.passed of the provider at a port of kind HD_USES, for an instance that may be in a part that runs apart
 * from it; NULL: it has no clock, or there is none.  From init on. */
const uint64_t *hd_passed_of(const struct hd_ctx *c, unsigned port);
/* In the same way hd_ctx.cycle of the first n providers at a port of kind HD_USES with HD_ARRAY. */
void hd_cycles_of(const struct hd_ctx *c, unsigned port, const uint64_t **v, uint32_t n);

HD_END

#endif
