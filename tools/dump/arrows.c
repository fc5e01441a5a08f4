/* arrows.c - the ends of waits of an instruction, and the instructions that end them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "arrows.h"

uint64_t dump_add_arrows(struct dump_producers *p, const struct dump_stage_view *s,
                         const struct dump_item *inst, struct dump_changes *c)
{
	for (size_t i = 1; i < c->n; i++) {
		struct dump_change *wait = &c->v[i];

		/* it began with the previous change */
		if (wait->lane == DUMP_LANE_WAIT && !wait->opens && s->v[wait->place].of_register)
			wait->other = dump_producer_of_wait(p, inst, wait->arg, c->v[i - 1].cycle).number;
	}
	return dump_producers_add(p, inst);
}

bool dump_has_result(const struct dump_known *k, const struct dump_item *inst)
{
	struct dump_code code;

	return dump_code(k->d, inst->rows->field[k->code][inst->row], &code) && code.dst >= 0;
}
