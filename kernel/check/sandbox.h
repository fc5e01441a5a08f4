/* sandbox.h - runs code of a plug-in in a child process first, to find out whether it crashes
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_CHECK_SANDBOX_H
#define KERNEL_CHECK_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

/* Memory that the child shares with the parent. */
struct hd_sandbox {
	volatile uint32_t returned; /* the function returned */
	volatile uint32_t step;     /* progress; defined by the function */
	volatile uint32_t value[2]; /* results; defined by the function */
	bool tried;                 /* false: there was no child, the result is unknown */
};

/* Runs f(arg, t) in a copy of this process without output.  Returns NULL if f returned or no child
 * could be started; else what happened to it, "crashed with signal 11 (Segmentation fault)" or that
 * it did not return in time, which the caller frees.  *seen holds the values that the child
 * left. */
char *hd__sandbox_try(void (*f)(void *arg, struct hd_sandbox *t), void *arg, struct hd_sandbox *seen);

#endif
