/* codes.h - static instructions by number
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

#endif
