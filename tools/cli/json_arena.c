/* json_arena.c - an arena for the JSON values of a command that reads a few files and ends
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A netlist and its tables are some thousand small JSON values that are kept until the end, so
 * allocating them costs more than reading them.  The first megabyte comes from one block and is
 * never freed; memory beyond it, as in a run that writes JSON for days, comes from malloc().  So
 * does all memory allocated once there are two threads.
 */
#include "cmd.h"

#include <stddef.h>
#include <stdlib.h>

#define BLOCK ((size_t)1 << 20) /* bytes; untouched pages cost nothing */

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
