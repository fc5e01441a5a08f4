/* kernel_table.h - the kernels of a run as a table (heddle run --per-kernel)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_KERNEL_TABLE_H
#define TOOLS_CLI_KERNEL_TABLE_H

#include "base/json_write.h"

/* Prints a line for each row of the table "kernels" of these statistics. */
void hd__kernel_table(const json_t *statistics, const struct hd_json_rows *rows, FILE *out);

#endif
