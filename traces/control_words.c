/* control_words.c - finds the control word of an instruction
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "control_words.h"

#include <jansson.h>
#include <stdlib.h>

static bool fits(const struct trace_control *v, const struct trace_control *like, size_t opcode_len)
{
	if (v->opcode && (strncmp(v->opcode, like->opcode, opcode_len) != 0 || v->opcode[opcode_len]))
		return false;
	return !v->text || (v->len == like->len && memcmp(v->text, like->text, v->len) == 0);
}

size_t hd__trace_control_at(const struct trace_controls *c, uint32_t pc)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (c->v[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct hd_control *hd__trace_control(const struct trace_controls *c,
                                           const struct trace_control *like, size_t opcode_len,
                                           const char **near)
{
	*near = NULL;
	for (size_t i = hd__trace_control_at(c, like->pc); i < c->n && c->v[i].pc == like->pc; i++) {
		if (fits(&c->v[i], like, opcode_len))
			return &c->v[i].control;
		*near = c->v[i].opcode;
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
