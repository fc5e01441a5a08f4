/* json_arena.c - how a command that reads a few files and ends gets its memory
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A netlist and its tables are some thousand small JSON values that live until the end, so handing
 * them out costs more than reading them.  The first megabyte comes from one block and is not given
 * back; what goes beyond it, as in a run that writes JSON for days, is malloc()'s.  So is all that
 * is made once there are two threads.
 */
#include "cmd.h"

#include <stddef.h>
#include <stdlib.h>

#define BLOCK ((size_t)1 << 20) /* bytes; pages that nobody touches cost nothing */

static struct {
	size_t used;
	_Alignas(max_align_t) unsigned char bytes[BLOCK];
} block;

static void *take(size_t n)
{
	size_t rounded = (n + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
	void *p;

	if (rounded < n || rounded > BLOCK - block.used)
		return malloc(n);
	p = block.bytes + block.used;
	block.used += rounded;
	return p;
}

static void give_back(void *p)
{
	if ((uintptr_t)p - (uintptr_t)block.bytes >= BLOCK)
		free(p);
}

void hd__short_memory(void)
{
	json_set_alloc_funcs(take, give_back);
}

void hd__lasting_memory(void)
{
	json_set_alloc_funcs(malloc, give_back);
}
