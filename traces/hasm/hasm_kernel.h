/* hasm_kernel.h - the head of a kernel, and whom lines are for
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_KERNEL_H
#define TRACES_HASM_HASM_KERNEL_H

#include "hasm_scan.h"

/* What follows the word "kernel".  Reports mistakes and takes defaults for what is wrong. */
void hd__hasm_kernel(struct hasm_scan *s, struct hasm_kernel *k);
/* What follows "copy". */
void hd__hasm_copy(struct hasm_scan *s, struct hasm_kernel *k);
/* What follows "warps" or "blocks": "*", or numbers and ranges. */
void hd__hasm_warps(struct hasm_scan *s, const struct hasm_kernel *k, uint64_t *warps);
void hd__hasm_blocks(struct hasm_scan *s, const struct hasm_kernel *k, struct hasm_section *section);

#endif
