/* sample_features.c - goes through a trace once, for the features of its launches
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sample.h"

#include "base/int_map.h"
#include "base/xalloc.h"

#define ACCESSES (HD_INST_LOAD | HD_INST_STORE | HD_INST_ATOMIC | HD_INST_COPY)
#define LINE 128u /* bytes */

struct reading {
	struct trace_input *in;
	struct sample_launch *k;
	struct hd_int_map lines; /* of global memory that were met */
	uint64_t last;           /* of them */
};

static void meet_line(struct reading *r, uint64_t line)
{
	if (line == r->last)
		return;
	r->last = line;
	*hd__int_map_at(&r->lines, line) = 1;
}

static void meet_lines(struct reading *r, const struct hd_inst *inst)
{
	uint64_t bytes = inst->width ? inst->width : 1;

	for (uint64_t m = inst->mask; m;) {
		uint64_t addr = hd_inst_addr(inst, hd_bits_pop(&m));

		if (addr == 0)
			continue;
		meet_line(r, addr / LINE);
		if (addr % LINE + bytes > LINE)
			meet_line(r, addr / LINE + 1);
	}
}

static bool read_block(void *arg, uint64_t number)
{
	struct reading *r = arg;
	struct trace_kernel *k = &r->in->k;
	struct hd_inst i;

	(void)number;
	for (uint32_t w = 0; w < k->header.launch.warps; w++)
		while (trace_kernel_next(k, w, &i)) {
			r->k->instructions++;
			r->k->lanes += hd_bits_count32(i.mask);
			r->k->mix[i.cls % SAMPLE_CLASSES]++;
			if ((i.flags & ACCESSES) && i.space == HD_SPACE_GLOBAL)
				meet_lines(r, &i);
		}
	return true;
}

static bool read_launch(struct sample_launch *k, struct trace_input *t, size_t i)
{
	const struct hd_launch *l = &t->k.header.launch;
	struct reading r = { .in = t, .k = k, .last = UINT64_MAX };
	bool good = hd__trace_kernel_open(&t->r, &t->k, i) == 0;

	*k = (struct sample_launch){ .group = 0 };
	if (good) { /* finishing it drops the header */
		k->name = hd__xstrdup(l->name);
		memcpy(k->grid, l->grid, sizeof k->grid);
		memcpy(k->block, l->block, sizeof k->block);
		k->binary = l->binary;
		k->nregs = l->nregs;
		k->shmem = l->shmem;
		good = hd__trace_input_kernel(t, i, read_block, &r);
	}
	k->footprint = r.lines.n * (uint64_t)LINE;
	hd__int_map_free(&r.lines);
	return good;
}

bool hd__sample_read(struct sample_plan *p, struct trace_input *t)
{
	for (size_t i = 0; i < t->r.list.n; i++) {
		p->v = hd__xgrow(p->v, p->n, &p->cap, sizeof *p->v);
		if (!read_launch(&p->v[p->n++], t, i))
			return false;
	}
	for (uint32_t i = 0; i < t->host.classes && i < SAMPLE_CLASSES; i++)
		p->class[i] = hd__xstrdup(t->host.class[i]);
	return true;
}

void hd__sample_free(struct sample_plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].name);
	for (size_t i = 0; i < SAMPLE_CLASSES; i++)
		free(p->class[i]);
	free(p->v);
}

size_t hd__sample_count(const struct sample_plan *p, uint64_t *all, uint64_t *simulated)
{
	size_t n = 0;

	*all = *simulated = 0;
	for (size_t i = 0; i < p->n; i++) {
		*all += p->v[i].instructions;
		*simulated += p->v[i].simulate ? p->v[i].instructions : 0;
		n += p->v[i].simulate;
	}
	return n;
}
