/* rules_builtin.c - the tables of rules, for SMs of 64 warps and of 128
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "rules_list.h"

extern const struct hd_rules *const hd__rules_gpu_128[]; /* the other build of rules_gpu.c */
extern const struct hd_rules *const *const hd__builtin_rules[];

const struct hd_rules *const *const hd__builtin_rules[] = { hd__rules_gpu, hd__rules_gpu_128, NULL };
