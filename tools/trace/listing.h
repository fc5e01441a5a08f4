/* listing.h - the static instructions beside a trace (kernel-N.sass.json, docs/hasm.md)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_TRACE_LISTING_H
#define TOOLS_TRACE_LISTING_H

#include "hasm.h"

#include <jansson.h>

/* The listing of a kernel; the caller releases it. */
json_t *hd__listing(const struct hasm_kernel *k);
/* Writes it, a line for each instruction. */
void hd__listing_put(const json_t *listing, FILE *f);

#endif
