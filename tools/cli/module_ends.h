/* module_ends.h - sources and sinks of channels, for a netlist around a module
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Payloads are all zero, as are records behind handles, and move at random edges.
 */
#ifndef TOOLS_CLI_MODULE_ENDS_H
#define TOOLS_CLI_MODULE_ENDS_H

#include "kernel/sim.h"

/* Keeps every run going for the same time: without it a run ends when all processes sleep. */
extern const struct hd_module hd__module_ticker;

/* The module, with a port "end", for the other side of a channel port; added to the registry at the
 * first call for its type.  NULL: there are too many types. */
const struct hd_module *hd__module_other_side(struct hd_registry *r, const struct hd_port *p);

#endif
