/* hazard_sets.h - private to hazards: what is known of each static instruction, its registers as sets
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_HAZARDS_HAZARD_SETS_H
#define MODULES_HAZARDS_HAZARD_SETS_H

#include "flight.h"

#define MAX_ROWS 16u
#define NO_ROW MAX_ROWS

struct sets {
	struct code_sets *v; /* by code */
	uint32_t n;
	uint32_t late_by;
	uint64_t late, unchecked; /* classes */
	uint8_t row[64];     /* of the parameter "fixed", by class */
};

static inline enum follow followed(const struct sets *s, const struct hd_inst *inst, const struct code_sets *of)
{
	bool writes = of->writes || inst->control.writes_p;

	if (s->row[inst->cls] != NO_ROW)
		return writes ? FIXED : NONE;
	return (of->reads || writes) && !hd_bits_has(s->unchecked, inst->cls) ? FLIGHT : NONE;
}

static inline struct result result_of(const struct sets *s, const struct hd_inst *inst, uint64_t writes)
{
	const struct hd_control *c = &inst->control;

	return (struct result){ .regs = writes, .pc = inst->pc, .dst = writes ? inst->dst : 0, .preds = c->writes_p,
		.n = (uint8_t)written(inst), .row = s->row[inst->cls], .stall = c->stall,
		.yield = c->flags & HD_CONTROL_YIELD };
}

/* That is found when the instruction comes first.  *own: room for those of one without a
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
	*to = (struct code_sets){ .reads = read_set(inst), .writes = write_set(inst), .known = true,
		                  .late = hd_bits_has(s->late, inst->cls) ? s->late_by : 0 };
	to->result = result_of(s, inst, to->writes);
	to->follow = (uint8_t)followed(s, inst, to);
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
