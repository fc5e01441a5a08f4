/* listing.h - the static instructions beside a trace (kernel-N.sass.json, docs/hasm.md)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_LISTING_H
#define TRACES_HASM_LISTING_H

#include "hasm.h"
#include "traces/control_words.h"

#include <heddle/gpu/inst.h>
#include <jansson.h>

/* The listing of a kernel; the caller releases it. */
json_t *hd__listing(const struct hasm_kernel *k);
/* Writes it, a line for each instruction. */
void hd__listing_put(const json_t *listing, FILE *f);

/* ---- reading ---- */

struct trace_static;

/* A listing that was read. */
struct listing {
	struct trace_controls controls;
	struct hasm_inst *inst; /* what is printed in each */
};

/* The listing beside a kernel's file, or its text; NULL if there is none.  Mistakes in it go to d, the diagnostics of
 * the host. */
struct listing *hd__listing_read(const struct trace_host *host, const char *kernel_file, struct hd_diags *d);
struct listing *hd__listing_packed(const struct trace_host *host, const char *kernel_file, const char *text,
                                   size_t size, struct hd_diags *d);
/* The instruction of a trace in it: the same pc, opcode, registers and immediate.  NULL: none. */
const struct trace_control *hd__listing_find(const struct listing *l, const struct hd_inst *i,
                                             const char *opcode);
/* Control field, pc, instruction (hasm_print.c).  Its entry in the listing, or NULL: then it is written so
 * that it is the same in a trace again.  The caller frees it. */
char *hd__print_inst(const struct hd_inst *inst, const char *opcode, const struct trace_control *e,
                     const struct trace_static *s);
/* Would the tracer write these registers of the instruction? */
bool hd__listing_same_registers(const struct hasm_inst *x, const struct hd_inst *i);
void hd__listing_free(struct listing *l);

#endif
