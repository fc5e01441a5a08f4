/* hasm_layout.c - where the code of a text of kernels is: pcs, labels, targets of branches
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "hasm_layout.h"

#include "traces/sass/sass_inst.h"

#include <inttypes.h>

#define MAX_CODE (1u << 20) /* instructions of a kernel, as for the reader of traces */
#define GROUP 32u /* bytes of a control word and its three instructions before Volta */

/* From Volta on 16 bytes an instruction; before it every fourth word of 8 is for control. */
static uint32_t pc_from(uint32_t pc, uint32_t sm)
{
	return sm < 70 && pc % GROUP == 0 ? pc + 8 : pc;
}

static uint32_t pc_behind(uint32_t pc, uint32_t sm)
{
	return pc_from(pc + (sm < 70 ? 8 : 16), sm);
}

/* Takes the present pc, and lays out what follows. */
static uint32_t take_pc(struct parser *p)
{
	struct hasm_kernel *k = p->k;
	uint32_t pc = p->pc;

	while (p->labels_here > 0)
		k->label[k->nlabels - p->labels_here--].pc = pc;
	p->pc = pc_behind(pc, k->sm);
	return pc;
}

uint32_t hd__layout_place(struct parser *p, struct hasm_inst *i)
{
	struct hasm_kernel *k = p->k;
	uint64_t *latest;

	i->pc = take_pc(p);
	latest = hd__int_map_at(&p->at_pc, i->pc);
	for (uint64_t j = i->source ? *latest : 0; j > 0; j = k->code[j - 1].before) {
		const struct hasm_inst *x = &k->code[j - 1];

		if (x->length != i->length || !x->source || memcmp(x->source, i->source, x->length) != 0)
			continue;
		hd__hasm_inst_free(i);
		return (uint32_t)j - 1;
	}
	if (k->n == MAX_CODE) {
		if (!p->too_long)
			hd__hasm_bad(&p->s, p->s.p, "kernel '%s' has more than %u different instructions", k->name,
			             MAX_CODE);
		p->too_long = true;
		hd__hasm_inst_free(i);
		return 0;
	}
	i->before = (uint32_t)*latest;
	k->code = hd__xgrow(k->code, k->n, &k->cap, sizeof *i);
	k->code[k->n++] = *i;
	*latest = k->n;
	return (uint32_t)k->n - 1;
}

struct hasm_inst hd__layout_branch(struct parser *p, const char *at)
{
	struct hasm_inst i = { .line = p->s.line, .column = hasm_column(&p->s, at), .n = 1 };

	i.opcode = hd__xstrdup("BRA");
	i.control = (struct hasm_control){ .read = HASM_NO_COUNTER, .write = HASM_NO_COUNTER };
	i.operand[0] = (struct hasm_operand){ .kind = HASM_TARGET, .base = -1, .uniform = -1,
	                                      .descriptor = -1, .column = i.column };
	return i;
}

void hd__layout_aim(struct parser *p, uint32_t branch)
{
	struct hasm_operand *o = &p->k->code[branch].operand[0];

	if (p->too_long) /* it is another one */
		return;
	o->value = p->pc;
	free(o->text);
	o->text = hd__format("0x%" PRIx32, p->pc);
}

/* ---- labels ---- */

bool hd__layout_label(struct parser *p)
{
	struct hasm_scan *s = &p->s;
	struct hasm_kernel *k = p->k;
	size_t n = hd__hasm_name(s);
	const char *at = s->p;
	char *name;

	if (n == 0 || s->p[n] != ':')
		return false;
	s->p += n + 1;
	name = hd__xstrndup(at, n);
	for (size_t i = 0; i < k->nlabels; i++) {
		if (strcmp(k->label[i].name, name) != 0)
			continue;
		hd__hasm_bad(s, at, "label '%s' is in line %d already", name, k->label[i].line);
		free(name);
		return true;
	}
	k->label = hd__xappend(k->label, k->nlabels, sizeof *k->label);
	k->label[k->nlabels++] = (struct hasm_label){ .name = name, .pc = p->pc, .line = s->line };
	p->labels_here++;
	return true;
}

static void find_label(struct parser *p, struct hasm_inst *i)
{
	const struct hasm_kernel *k = p->k;
	const char **names = hd__xcalloc(k->nlabels + 1, sizeof *names), *near;
	struct hasm_operand *o = i->operand;

	while (o->kind != HASM_TARGET)
		o++;
	for (size_t j = 0; j < k->nlabels; j++) {
		names[j] = k->label[j].name;
		if (strcmp(names[j], i->label) != 0)
			continue;
		o->value = k->label[j].pc;
		free(o->text);
		o->text = hd__format("0x%" PRIx32, k->label[j].pc);
		free(names);
		return;
	}
	near = hd__nearest(i->label, names, k->nlabels);
	hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, o->column, "no label '%s' in kernel '%s'%s%s%s",
	         i->label, k->name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	free(names);
}

/* ---- kernels ---- */

void hd__layout_begin(struct parser *p)
{
	p->pc = pc_from(0, p->k->sm);
}

void hd__layout_end(struct parser *p)
{
	for (size_t i = 0; i < p->k->n; i++)
		if (p->k->code[i].label)
			find_label(p, &p->k->code[i]);
	p->k->exit_pc = p->pc;
	p->labels_here = 0;
	p->too_long = false;
	hd__int_map_free(&p->at_pc);
}
