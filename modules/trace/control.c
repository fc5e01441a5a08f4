/* control.c - finds the control word of an instruction
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "control.h"

#include <jansson.h>
#include <stdlib.h>

const struct hd_control *hd__trace_control(const struct trace_controls *c, uint32_t pc,
                                           const char *opcode, size_t len, const char **near)
{
	size_t low = 0, high = c->n;

	*near = NULL;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (c->v[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < c->n && c->v[low].pc == pc; low++) {
		const char *name = c->v[low].opcode;

		if (!name || (strncmp(name, opcode, len) == 0 && !name[len]))
			return &c->v[low].control;
		*near = name;
	}
	return NULL;
}

void hd__trace_controls_free(struct trace_controls *c)
{
	json_decref(c->json);
	free(c->v);
	free(c->file);
	*c = (struct trace_controls){ 0 };
}
