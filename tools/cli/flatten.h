/* flatten.h - a netlist as it is simulated, written out
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_FLATTEN_H
#define TOOLS_CLI_FLATTEN_H

#include "kernel/linker.h"

/* What is simulated as one netlist without "extends", netlists inside, expressions and defaults.
 * Files are named relative to `folder` if they are in it, else from the root; NULL: always so.
 * The caller owns the result. */
json_t *hd__flatten(struct hd_sim *s, const char *folder);
/* Its parts (flatten.c, flatten_link.c). */
json_t *hd__flatten_value(const struct hd_sim *s, const struct hd_param *p, const json_t *given,
                          const char *folder);
json_t *hd__flatten_links(struct hd_sim *s, const char *folder);
/* Writes it, an instance or a link on a line.  False if that failed. */
bool hd__flatten_write(const json_t *flat, FILE *out);

#endif
