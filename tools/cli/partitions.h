/* partitions.h - prints the partitions of a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_PARTITIONS_H
#define TOOLS_CLI_PARTITIONS_H

#include "kernel/sim.h"

/* On stdout. */
void hd__print_partitions(const struct hd_sim *s);

#endif
