/* mem.h - memory requests in scripts and logs
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * In scripts: 0xADDRESS wN dst=RN flags=NAME,... size=N bytes=N lanes=N of=N id=N uid=N core=N,
 * all but the address and the warp as needed; `of` is the number of active lanes of the
 * instruction.
 */
#ifndef TESTS_MODULES_TOY_MEM_H
#define TESTS_MODULES_TOY_MEM_H

#include "actor.h"

#include <heddle/gpu/mem.h>

#define MEM_TEXT 200u

/* All members are set; without `size` it is 32. */
void arg_mem(struct args *a, struct hd_mem_req *r);
/* flags=NAME,... ; `def` without. */
uint16_t arg_mem_flags(struct args *a, uint16_t def);
/* "0x1000/BYTES wN RN FLAG,FLAG size=N lanes=N of=N id=N uid=N core=N": what is 0 (size: 32) is
 * left out.  In a buffer of the caller. */
const char *mem_text(const struct hd_mem_req *r, char *buf);
/* Writes down "WHAT REQUEST", of a line also its bytes; others need not be more than a request. */
void tell_mem(const struct hd_ctx *c, const char *what, const struct hd_mem_line *line);

#endif
