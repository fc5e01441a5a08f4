/* source_kernels.c - the kernels of a trace source that are read, or of which thread blocks are resident
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "source_parts.h"

#include <stdlib.h>

struct source_mark hd__source_mark(const struct source *s)
{
	const struct trace_kernel *k = &s->present->k;

	return (struct source_mark){ .lines = k->text.line, .bytes = k->text.bytes, .statics = k->code.n,
		                            .unknowns = k->code.unknown };
}

void hd__source_count(struct source *s, struct source_mark was)
{
	const struct trace_kernel *k = &s->present->k;

	s->lines += k->text.line - was.lines;
	s->bytes += k->text.bytes - was.bytes;
	s->statics += k->code.n - was.statics;
	s->synthetic += k->controls.synthetic ? k->code.n - was.statics : 0;
	s->unknowns += k->code.unknown - was.unknowns;
	s->done = k->text.done;
	s->total = k->text.total;
}

static bool resident(const struct source *s, const struct kernel *k)
{
	for (uint32_t i = 0; i < s->slots; i++)
		if (s->of_slot[i] == k && k->k.blocks.slot[i].pos != k->k.blocks.slot[i].end)
			return true;
	return false;
}

struct kernel *hd__source_spare(struct source *s)
{
	struct kernel *k = s->all;

	while (k && resident(s, k))
		k = k->next;
	return k ? k : hd__source_new(s);
}

struct kernel *hd__source_new(struct source *s)
{
	struct kernel *k = calloc(1, sizeof *k);

	if (!k) {
		hd_error(s->ctx, "out of memory");
		return NULL;
	}
	k->k.blocks.slots = s->slots;
	k->number = s->all ? s->all->number + 1 : 0;
	k->next = s->all;
	return s->all = k;
}

int hd__source_begin(struct source *s, struct kernel *k, size_t i, struct hd_launch *launch)
{
	for (uint32_t slot = 0; slot < s->slots; slot++)
		if (s->of_slot[slot] == k)
			s->of_slot[slot] = NULL;
	free(k->hole);
	k->hole = NULL;
	k->holes = k->holes_cap = 0;
	if (hd__trace_kernel_open(&s->reader, &k->k, i))
		return -1;
	if (s->ctx->observable)
		hd__source_define(s, k);
	s->ignored += k->k.header.unknown;
	s->present = k;
	s->kernels++;
	hd__source_count(s, (struct source_mark){ 0 });
	*launch = k->k.header.launch;
	launch->file = s->reader.list.v[i].path;
	return 1;
}
