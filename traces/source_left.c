/* source_left.c - what warps have still to take and to store, for stages that plan ahead
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "source_kernels.h"

/* NULL: nothing can be foreseen. */
static struct trace_left *foreseen(struct source *s, uint32_t warp)
{
	const struct kernel *k = s->of_slot[warp];
	const struct trace_cursor *w = k ? &k->blocks.slot[warp] : NULL;
	struct trace_left *l = &s->left[warp];

	if (!w || s->walks || !w->cta)
		return NULL;
	if (l->serial == w->cta->serial)
		return l;
	l->serial = w->cta->serial;
	l->at = (struct trace_cursor){
		.pos = w->start, .end = w->end, .mask = trace_threads(&k->header.launch, warp - w->cta->first),
		.index = TRACE_NOWHERE,
	};
	hd__trace_left_count(l, k->code.v, &k->windows);
	return l;
}

uint32_t hd__trace_left_of(void *self, uint32_t warp)
{
	struct source *s = self;
	struct trace_left *l = foreseen(s, warp);

	return l ? hd__trace_left(l, &s->of_slot[warp]->blocks.slot[warp]) : 0;
}

uint32_t hd__trace_stores_of(void *self, uint32_t warp)
{
	const struct trace_left *l = foreseen(self, warp);

	return l ? l->stores : 0;
}
