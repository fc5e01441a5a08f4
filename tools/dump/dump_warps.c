/* dump_warps.c - an element for each warp of each core
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_warps.h"
#include "base/xalloc.h"

void dump_warps_init(struct dump_warps *w, uint32_t cores, size_t size)
{
	*w = (struct dump_warps){ hd__xcalloc(cores, sizeof *w->cores), cores, size };
}

void dump_warps_free(struct dump_warps *w)
{
	for (uint32_t c = 0; c < w->ncores; c++) {
		for (size_t i = 0; i < w->cores[c].n; i++)
			free(w->cores[c].v[i]);
		free(w->cores[c].v);
	}
	free(w->cores);
	*w = (struct dump_warps){ .size = 0 };
}

void *dump_warp_find(const struct dump_warps *w, uint32_t core, int64_t warp)
{
	const struct dump_warps_core *c = &w->cores[core];

	return warp >= 0 && (uint64_t)warp < c->n ? c->v[warp] : NULL;
}

void *dump_warp_make(struct dump_warps *w, uint32_t core, int64_t warp)
{
	struct dump_warps_core *c = &w->cores[core];

	if (warp < 0 || warp >= DUMP_MOST_WARPS)
		return NULL;
	c->v = hd__xgrow_zero(c->v, &c->n, (size_t)warp, sizeof(void *));
	if (!c->v[warp])
		c->v[warp] = hd__xcalloc(1, w->size);
	return c->v[warp];
}

void dump_warps_each(const struct dump_warps *w,
                     void (*f)(void *arg, uint32_t core, uint32_t warp, void *element), void *arg)
{
	for (uint32_t c = 0; c < w->ncores; c++)
		for (size_t i = 0; i < w->cores[c].n; i++)
			if (w->cores[c].v[i])
				f(arg, c, (uint32_t)i, w->cores[c].v[i]);
}
