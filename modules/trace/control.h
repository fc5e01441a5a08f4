/* control.h - private to the trace source: control words of a kernel's instructions
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_TRACE_CONTROL_H
#define MODULES_TRACE_CONTROL_H

#include <heddle/payload/inst.h>

/* One static instruction. */
struct trace_control {
	uint32_t pc;
	const char *opcode; /* as in the trace; NULL: any */
	struct hd_control control;
};

/* Those of a kernel, sorted by pc; one pc may have several, of different opcodes. */
struct trace_controls {
	struct trace_control *v;
	size_t n, cap;
	struct json_t *json; /* opcodes point into it, or NULL */
	char *file;          /* of the listing, for messages, or NULL */
};

/* ---- control.c, listing.c ----------------------------------------------------------------------- */

/* The control word of an instruction; or NULL, with *near the opcode that the pc has, NULL if it
 * has none. */
const struct hd_control *hd__trace_control(const struct trace_controls *c, uint32_t pc,
                                           const char *opcode, size_t len, const char **near);
/* Reads kernel-N.sass.json beside the kernel's file.  Returns 1; 0: there is none; -1 after a
 * message. */
int hd__trace_listing(struct trace_controls *c, const struct hd_ctx *ctx, const char *kernel_file);
/* Empties it; the memory is freed. */
void hd__trace_controls_free(struct trace_controls *c);

#endif
