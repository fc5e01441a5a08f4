/* source_dump.c - kernels and static instructions as dumps have them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "source_parts.h"


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

void hd__source_met(void *self, const struct trace_code *c, const struct hd_inst *inst)
{
	const struct source *s = self;
	const char *opcode = c->names->v[inst->opcode];
	const char *source = c->lines ? hd__trace_source(c->lines, inst->pc, opcode) : NULL;
	char text[256];
	size_t n = (size_t)snprintf(text, sizeof text - 80, "%s", opcode);
	struct hd_cell cells[10];
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
	cells[k++] = (struct hd_cell){ "class", hd_symbol_name(s->ctx, "class", inst->cls), 0 };
	if (inst->dst)
		cells[k++] = (struct hd_cell){ "dst", NULL, inst->dst - 1u };
	if ((inst->control.flags & HD_CONTROL_GIVEN) && inst->control.write < HD_COUNTERS)
		cells[k++] = (struct hd_cell){ "write", NULL, inst->control.write };
	if ((inst->control.flags & HD_CONTROL_GIVEN) && inst->control.read < HD_COUNTERS)
		cells[k++] = (struct hd_cell){ "read", NULL, inst->control.read };
	if (inst->space < sizeof spaces / sizeof *spaces && spaces[inst->space]
	    && spaces[inst->space][0])
		cells[k++] = (struct hd_cell){ "space", spaces[inst->space], 0 };
	if (source)
		cells[k++] = (struct hd_cell){ "source", source, 0 };
	hd_define(s->ctx, "code", inst->code, cells, k);
}

/* Where the hole of the pc is, or belongs. */
static size_t find(const struct kernel *k, uint32_t pc)
{
	size_t low = 0, high = k->holes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (k->hole[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t hd__source_hole(struct source *s, struct kernel *k, uint32_t pc)
{
	const struct hd_cell cells[] = {
		{ "kernel", NULL, k->k.code.kernel }, { "pc", NULL, pc }, { "opcode", "-", 0 },
		{ "text", "never executed", 0 }, { "class", "-", 0 },
	};
	size_t at = find(k, pc);
	struct source_hole *v;

	if (at < k->holes && k->hole[at].pc == pc)
		return k->hole[at].code;
	v = trace_reserve(k->hole, k->holes + 1, &k->holes_cap, sizeof *v);
	if (!v)
		return 0;
	k->hole = v;
	memmove(&v[at + 1], &v[at], (k->holes++ - at) * sizeof *v);
	v[at] = (struct source_hole){ pc, ++s->reader.names.codes };
	hd_define(s->ctx, "code", v[at].code, cells, sizeof cells / sizeof *cells);
	return v[at].code;
}

void hd__source_define(const struct source *s, const struct kernel *k)
{
	const struct hd_launch *l = &k->k.header.launch;
	const struct hd_cell cells[] = {
		{ "launch", NULL, l->id }, { "name", l->name, 0 }, { "stream", NULL, l->stream },
		{ "grid_x", NULL, l->grid[0] }, { "grid_y", NULL, l->grid[1] },
		{ "grid_z", NULL, l->grid[2] }, { "block_x", NULL, l->block[0] },
		{ "block_y", NULL, l->block[1] }, { "block_z", NULL, l->block[2] },
		{ "shared", NULL, l->shmem }, { "registers", NULL, l->nregs },
		{ "sm", NULL, l->binary },
	};

	hd_define(s->ctx, "kernel", k->k.code.kernel, cells, sizeof cells / sizeof *cells);
}
