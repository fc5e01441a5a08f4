/* describe.c - static instructions as text, for dumps
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "code.h"

#include <stdio.h>
#include <string.h>

#define ZERO_REGISTER 256u /* RZ, as a number of hd_inst */

static const char *const spaces[] = {
	[HD_SPACE_NONE] = "", [HD_SPACE_GLOBAL] = "global", [HD_SPACE_LOCAL] = "local",
	[HD_SPACE_SHARED] = "shared", [HD_SPACE_CONST] = "const", [HD_SPACE_TEXTURE] = "texture",
	[TRACE_GENERIC] = "generic",
};

/* "LDG.E.SYS R2, R4": the opcode, the destination, the sources; returns the length. */
static size_t add_register(char *text, size_t n, bool first, unsigned reg)
{
	char digits[8];
	size_t i = 0;

	if (!first)
		text[n++] = ',';
	text[n++] = ' ';
	text[n++] = 'R';
	if (reg == ZERO_REGISTER) {
		text[n++] = 'Z';
	} else {
		reg--;
		do
			digits[i++] = (char)('0' + reg % 10);
		while ((reg /= 10) > 0);
		while (i > 0)
			text[n++] = digits[--i];
	}
	text[n] = '\0';
	return n;
}

void hd__trace_describe(const struct trace_code *c, const struct hd_inst *inst)
{
	const char *opcode = c->names->v[inst->opcode];
	char text[256];
	size_t n = (size_t)snprintf(text, sizeof text - 80, "%s", opcode);
	struct hd_cell cells[8];
	unsigned k = 0;

	if (n > sizeof text - 81)
		n = sizeof text - 81;
	if (inst->dst)
		n = add_register(text, n, true, inst->dst);
	for (unsigned i = 0; i < inst->nsrc; i++)
		n = add_register(text, n, !inst->dst && i == 0, inst->src[i]);
	cells[k++] = (struct hd_cell){ "kernel", NULL, inst->kernel };
	cells[k++] = (struct hd_cell){ "pc", NULL, inst->pc };
	cells[k++] = (struct hd_cell){ "opcode", opcode, 0 };
	cells[k++] = (struct hd_cell){ "text", text, 0 };
	cells[k++] = (struct hd_cell){ "class", hd_symbol_name(c->text->ctx, "class", inst->cls), 0 };
	if (inst->dst)
		cells[k++] = (struct hd_cell){ "dst", NULL, inst->dst - 1u };
	if (inst->space < sizeof spaces / sizeof *spaces && spaces[inst->space]
	    && spaces[inst->space][0])
		cells[k++] = (struct hd_cell){ "space", spaces[inst->space], 0 };
	hd_define(c->text->ctx, "code", inst->code, cells, k);
}

/* Where the hole of the pc is, or belongs. */
static size_t find(const struct trace_code *c, uint32_t pc)
{
	size_t low = 0, high = c->nholes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->hole[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The file of the kernel may be closed. */
uint32_t hd__trace_hole(const struct hd_ctx *ctx, struct trace_code *c, uint32_t pc)
{
	const struct hd_cell cells[] = {
		{ "kernel", NULL, c->kernel }, { "pc", NULL, pc }, { "opcode", "-", 0 },
		{ "text", "never executed", 0 }, { "class", "-", 0 },
	};
	size_t at = find(c, pc);
	struct trace_hole *v;

	if (at < c->nholes && c->hole[at].pc == pc)
		return c->hole[at].code;
	v = trace_reserve(c->hole, c->nholes + 1, &c->capholes, sizeof *v);
	if (!v)
		return 0;
	c->hole = v;
	memmove(&v[at + 1], &v[at], (c->nholes++ - at) * sizeof *v);
	v[at] = (struct trace_hole){ pc, ++c->names->codes };
	hd_define(ctx, "code", v[at].code, cells, sizeof cells / sizeof *cells);
	return v[at].code;
}
