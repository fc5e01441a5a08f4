/* out_of_memory.h - what happens when memory runs out
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_OUT_OF_MEMORY_H
#define BASE_OUT_OF_MEMORY_H

#include <setjmp.h>

/* Where this thread continues when memory runs out: set by the library around each call, so that it
 * can return an error.  NULL: the process ends. */
extern _Thread_local jmp_buf *hd__memory_escape;

_Noreturn void hd__out_of_memory(void);

#endif
