/* child.h - runs another program and measures its time and memory
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_BENCH_CHILD_H
#define TESTS_BENCH_CHILD_H

#include <stdbool.h>

struct child {
	bool ok;       /* it could be run and its exit status is 0 */
	double ms;     /* wall time, from fork to end */
	double cpu_ms; /* processor time of all threads */
	double mbyte;  /* peak resident memory, 2^20 bytes */
	char *out;     /* standard output, and standard error if `both` is set */
};

/* argv ends with NULL; argv[0] is looked up in PATH.  The caller frees .out. */
struct child child_run(const char *const *argv, bool both);

/* The number after "name " or "name:" at the start of a line of text.  Returns false if there is
 * none. */
bool child_figure(const char *text, const char *name, double *value);
/* The rest of the line that starts with name, in buf. */
bool child_word(const char *text, const char *name, char *buf, unsigned size);

#endif
