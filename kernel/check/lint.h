/* lint.h - warnings about a netlist that can be simulated
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_CHECK_LINT_H
#define KERNEL_CHECK_LINT_H

#include "kernel/sim.h"

/* Called when everything is linked and nothing has started. */
void hd__lint(const struct hd_sim *s);

#endif
