/* out_of_memory.c - what happens when memory runs out
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "out_of_memory.h"

#include <stdio.h>
#include <stdlib.h>

_Thread_local jmp_buf *hd__memory_escape;

void hd__out_of_memory(void)
{
	if (hd__memory_escape)
		longjmp(*hd__memory_escape, 1);
	fputs("heddle: out of memory\n", stderr);
	exit(1);
}
