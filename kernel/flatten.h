/* flatten.h - writes a netlist as it is simulated
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_FLATTEN_H
#define KERNEL_FLATTEN_H

#include "sim.h"

/* One netlist without "extends", inner netlists, expressions and defaults.  Files are named
 * relative to `folder` if they are in it, else from the root; NULL: always from the root.  The
 * caller owns the result. */
json_t *hd__flatten(struct hd_sim *s, const char *folder);

#endif
