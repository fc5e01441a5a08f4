/* sandbox.h - runs code of a plug-in in a child process first, to see whether it survives
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_SANDBOX_H
#define KERNEL_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

/* Memory that the child shares with us. */
struct hd_sandbox {
	volatile uint32_t returned; /* the function came back */
	volatile uint32_t step;     /* how far it came; the function's matter */
	volatile uint32_t value[2]; /* what it found; the function's matter */
	bool tried;                 /* false: there was no child, nothing is known */
};

/* Runs f(arg, t) in a silent copy of this process.  NULL if it came back or could not be tried,
 * else what happened to it, "crashed with signal 11 (Segmentation fault)" or that it did not come back in time, which the caller
 * frees.  *seen is what the child left. */
char *hd__sandbox_try(void (*f)(void *arg, struct hd_sandbox *t), void *arg, struct hd_sandbox *seen);

#endif
