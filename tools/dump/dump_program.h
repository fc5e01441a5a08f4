/* dump_program.h - static instructions by where they are in the programs of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_DUMP_PROGRAM_H
#define TOOLS_DUMP_DUMP_PROGRAM_H

#include "base/int_map.h"
#include "dump/dump_read.h"

/* A line of a program: a static instruction.  Those of repeated launches have new numbers; here they are one. */
struct dump_line {
	const char *kernel; /* NULL: its name is not known */
	uint32_t name;      /* number among the names of kernels */
	uint32_t pc;
	const char *text;
	const char *source; /* file and line of the program, or NULL */
	uint32_t code;      /* number of the first */
};

struct dump_program {
	const struct dump *d;
	struct dump_line *v;       /* in the order of their first numbers */
	uint32_t n;
	size_t cap;
	const char **kernels;      /* names in that order, "?" for unknown ones */
	uint32_t nkernels;
	uint32_t *name_of;         /* by kernel: number of the name, + 1; 0: no instruction of it so far */
	json_t *names, *known;     /* names and lines -> their numbers */
	struct hd_int_map of;      /* name << 32 | code without its kernel -> line */
};

/* All that are defined. */
struct dump_program *dump_program_new(const struct dump *d);
void dump_program_free(struct dump_program *p);
/* The line of a static instruction; UINT32_MAX: it is not defined. */
uint32_t dump_line_of(const struct dump_program *p, int64_t code);

#endif
