/* control_words.h - control words of a kernel's instructions
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_CONTROL_WORDS_H
#define TRACES_CONTROL_WORDS_H

#include "trace_host.h"

/* One static instruction. */
struct trace_control {
	uint32_t pc;
	const char *opcode; /* as in the trace; NULL: any */
	const char *text;   /* of its line, from behind the mask up to the width; NULL: any */
	size_t len;
	const char *printed; /* in a listing: guard, opcode and operands; NULL: not given */
	const char *source;  /* file and line of the program, "sum.cu:9"; NULL: not given */
	struct hd_control control;
};

/* The control words of a kernel, sorted by pc; one pc may have several, of different opcodes. */
struct trace_controls {
	struct trace_control *v;
	size_t n, cap;
	struct json_t *json; /* opcodes point into it, or NULL */
	char *file;          /* of the listing, for messages, or NULL */
	bool synthetic;      /* made for this run; opcodes and texts are the kernel's */
};

/* The first one of this pc or of a later one. */
size_t hd__trace_control_at(const struct trace_controls *c, uint32_t pc);
/* The control word of an instruction: one that has this pc, and opcode and text, which are not
 * terminated; or NULL, with *near the opcode that the pc has, NULL if it has none. */
const struct hd_control *hd__trace_control(const struct trace_controls *c,
                                           const struct trace_control *like, size_t opcode_len,
                                           const char **near);
/* File and line of the program of the instruction, as the listing has them; NULL: it has none. */
const char *hd__trace_source(const struct trace_controls *c, uint32_t pc, const char *opcode);
/* "kernel-1.traceg.xz", "kernel-1.tracez" -> "kernel-1.sass.json"; the caller frees it. */
char *hd__listing_name(const char *kernel_file);
#define TRACE_MOST_LISTING ((size_t)1 << 30) /* bytes: some million instructions */
/* The text of kernel-N.sass.json beside the kernel's file.  Returns 1; 0: there is none; -1 after a message.  The
 * caller frees *text and in any case *name. */
int hd__trace_listing_text(const struct trace_host *host, const char *kernel_file, char **name, char **text, size_t *n);
/* Takes the instructions of such a text; c->file is set, all else 0.  A pc may have several. */
int hd__trace_listing_parse(struct trace_controls *c, const struct trace_host *host, const char *text, size_t n);
/* Reads kernel-N.sass.json beside the kernel's file, in which a pc has one instruction.  Returns 1; 0: there is none;
 * -1 after a message. */
int hd__trace_listing(struct trace_controls *c, const struct trace_host *host, const char *kernel_file);
/* Reads such a listing from its text; n: 0: there is none. */
int hd__trace_listing_memory(struct trace_controls *c, const struct trace_host *host, const char *kernel_file,
                             const char *text, size_t n);
/* Puts them in order of pc. */
void hd__trace_controls_sort(struct trace_controls *c);
/* Empties it; the memory is freed. */
void hd__trace_controls_free(struct trace_controls *c);

#endif
