/* codes.h - static instructions by number, and by where they are in a program
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef DUMP_CODES_H
#define DUMP_CODES_H

#include "base/int_map.h"
#include "dump_read.h"

/* Each launch of a kernel defines its instructions again, mostly in the same order: such numbers need no memory
 * of their own. */
struct dump_codes {
	struct dump_code *v;       /* different ones; `kernel` is that of the first definition */
	size_t n, cap;
	json_t *known;             /* their contents -> index in v */
	struct dump_code_run {
		uint32_t number, n;    /* numbers [number, number + n) */
		uint32_t kernel, first; /* belong to this kernel, and are v[first], v[first + 1], ... */
	} *runs;                   /* by number */
	size_t nruns, capruns, last; /* last: found last */
	struct hd_int_map again;   /* numbers that were not defined in rising order -> kernel << 32 | index in v */
};

/* The definition of a number; its texts are shared ones. */
void dump_codes_define(struct dump *d, uint32_t number, struct dump_code code);
void dump_codes_free(struct dump_codes *c);

/* Static instructions of repeated launches have new numbers; here they are one. */
struct dump_spot {
	const char *kernel; /* NULL: its name is not known */
	uint32_t name;      /* number among the names of kernels */
	uint32_t pc;
	const char *text;
	uint32_t code;      /* number of the first */
};

struct dump_program {
	const struct dump *d;
	struct dump_spot *v;       /* in the order of their first numbers */
	uint32_t n;
	size_t cap;
	const char **kernels;      /* names in that order, "?" for unknown ones */
	uint32_t nkernels;
	uint32_t *name_of;         /* by kernel: number of the name, + 1; 0: no instruction of it so far */
	json_t *names, *known;     /* names and spots -> their numbers */
	struct hd_int_map of;      /* name << 32 | code without its kernel -> spot */
};

/* All that are defined. */
struct dump_program *dump_program_new(const struct dump *d);
void dump_program_free(struct dump_program *p);
/* The place of a static instruction; UINT32_MAX: it is not defined. */
uint32_t dump_spot_of(const struct dump_program *p, int64_t code);

#endif
