/* lint.h - warnings about a netlist that can be simulated
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_LINT_H
#define KERNEL_LINT_H

#include "sim.h"

/* Everything is wired, nothing has started. */
void hd__lint(const struct hd_sim *s);
/* What payloads cannot reach, and names that lead nowhere. */
void hd__lint_reach(const struct hd_sim *s);

#endif
