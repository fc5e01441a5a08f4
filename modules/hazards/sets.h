/* sets.h - private to hazards: the registers of each static instruction, as sets
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_HAZARDS_SETS_H
#define MODULES_HAZARDS_SETS_H

#include "flight.h"

struct sets {
	struct code_sets *v; /* by code */
	uint32_t n;
};

/* The sets are made when the instruction comes first.  *own: room for those of one without a
 * number, or without memory. */
static __attribute__((noinline)) const struct code_sets *
make_sets(struct sets *s, const struct hd_inst *inst, struct code_sets *own)
{
	struct code_sets *to = own;

	if (inst->code >= s->n) {
		uint32_t n = 2 * inst->code + 64;
		struct code_sets *v = realloc(s->v, n * sizeof *v);

		if (v) {
			memset(v + s->n, 0, (n - s->n) * sizeof *v);
			s->v = v;
			s->n = n;
		}
	}
	if (inst->code && inst->code < s->n)
		to = &s->v[inst->code];
	*to = (struct code_sets){ .reads = read_set(inst), .writes = write_set(inst), .known = true };
	for (uint32_t i = 0; i < sources(inst); i++) {
		uint32_t n;

		to->src[i] = (uint16_t)source(inst, i, &n);
		to->nsrc[i] = (uint8_t)n;
	}
	return to;
}

static inline const struct code_sets *sets_of(struct sets *s, const struct hd_inst *inst,
                                              struct code_sets *own)
{
	if (HD_LIKELY(inst->code < s->n && s->v[inst->code].known))
		return &s->v[inst->code];
	return make_sets(s, inst, own);
}

#endif
