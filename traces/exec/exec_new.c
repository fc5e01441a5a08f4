/* exec_new.c - a machine: its device memory, and what its CPU can do
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_check.h"

#include <errno.h>
#include <sys/mman.h>

#define HEAP (UINT64_C(8) << 20)

struct hd_exec *hd__exec_new(const struct hd_exec_options *options, char **why)
{
	void *arena = mmap((void *)(uintptr_t)EXEC_ARENA, EXEC_ARENA_BYTES, PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	struct hd_exec *x;

	if (arena == MAP_FAILED || arena != (void *)(uintptr_t)EXEC_ARENA) {
		*why = hd__format("%u GiB of addresses for device memory, from 0x%llx on, cannot be had: %s",
		                  (unsigned)(EXEC_ARENA_BYTES >> 30), (unsigned long long)EXEC_ARENA,
		                  strerror(arena == MAP_FAILED ? errno : EEXIST));
		if (arena != MAP_FAILED)
			munmap(arena, EXEC_ARENA_BYTES);
		return NULL;
	}
	x = hd__xcalloc(1, sizeof *x);
	x->options = *options;
	x->check = options->check ? hd__check_new() : NULL;
	x->arena = arena;
	x->top = EXEC_ARENA
		 + EXEC_PIECE; /* nothing is at the beginning: a small offset to an address of 0 is none of them */
	x->heap_left = options->heap ? options->heap : HEAP;
#ifdef HD_EXEC_WIDE
	x->wide = !options->any_cpu && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
	          && __builtin_cpu_supports("bmi2");
#endif
	return x;
}

void hd__exec_free(struct hd_exec *x)
{
	if (!x)
		return;
	while (x->images)
		hd__exec_unload(x->images);
	for (size_t i = 0; i < x->textures; i++)
		free(x->texture[i]);
	free(x->texture);
	hd__check_free(x->check);
	munmap(x->arena, EXEC_ARENA_BYTES);
	free(x->used);
	free(x->mapped);
	free(x);
}

void hd__exec_print(struct hd_exec *x, FILE *to)
{
	x->options.print = to;
}
