/* listing_of_fit.c - the listing of a kernel, from a function that fits its trace
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An instruction that was executed has the opcode as the trace has it, so that it is found by pc and opcode.
 * One whose encoding is not known has the operands that the trace has; it is left out if it was not executed.
 */
#include "listing_fit.h"
#include "traces/sass/sass_inst.h"
#include "listing.h"
#include "hasm_print_inst.h"

/* Guard, opcode and operands, perhaps with a pc in front.  Returns false, with nothing to free, if they are
 * not as expected. */
static bool parse(const char *text, struct hasm_inst *to)
{
	struct hd_diags d = { 0 };
	struct hasm_scan s = { .file = "", .p = text, .end = text + strlen(text), .start = text, .d = &d };
	uint32_t pc;
	bool good;

	*to = (struct hasm_inst){ 0 };
	hd__hasm_pc(&s, &pc);
	good = hd__hasm_inst(&s, to) && hd__hasm_at_end(&s);
	hd__diags_free(&d);
	if (!good)
		hd__hasm_inst_free(to);
	return good;
}

static void add(struct hasm_kernel *k, struct hasm_inst *x, const struct sass_inst *i)
{
	x->pc = i->pc;
	x->control = i->control;
	k->code = hd__xgrow(k->code, k->n, &k->cap, sizeof *k->code);
	k->code[k->n++] = *x;
}

static void add_executed(struct hasm_kernel *k, const struct sass_inst *i, const struct static_inst *s,
                         size_t *unknown, bool *same)
{
	struct hasm_inst x;

	if (!i->text || !parse(i->text, &x)) {
		char *text = hd__print_inst(&s->inst, s->opcode, NULL);

		(*unknown)++;
		if (parse(text, &x))
			add(k, &x, i);
		free(text);
		return;
	}
	free(x.opcode);
	x.opcode = hd__xstrdup(s->opcode);
	*same = hd__listing_same_registers(&x, &s->inst);
	add(k, &x, i);
}

struct hasm_kernel hd__fit_listing(const struct fit *fit, size_t *unknown, size_t *differs, uint32_t *first)
{
	const struct statics *kernel = fit->kernel;
	struct hasm_kernel k = { .name = hd__xstrdup(kernel->launch.name), .sm = kernel->launch.binary };
	size_t at = 0;

	*unknown = *differs = 0;
	for (size_t n = 0; n < fit->f->n; n++) {
		const struct sass_inst *i = &fit->f->v[n];
		struct hasm_inst x;

		while (at < kernel->n && kernel->v[at].inst.pc < i->pc)
			at++;
		if (at == kernel->n || kernel->v[at].inst.pc != i->pc) {
			if (i->text && parse(i->text, &x))
				add(&k, &x, i);
			else
				(*unknown)++;
		}
		for (size_t s = at; s < kernel->n && kernel->v[s].inst.pc == i->pc; s++) {
			bool same = true;

			if (s > at && strcmp(kernel->v[s].opcode, kernel->v[s - 1].opcode) == 0)
				continue; /* executed with other registers, too */
			add_executed(&k, i, &kernel->v[s], unknown, &same);
			if (!same && (*differs)++ == 0)
				*first = i->pc;
		}
	}
	return k;
}

void hd__fit_listing_free(struct hasm_kernel *k)
{
	for (size_t n = 0; n < k->n; n++)
		hd__hasm_inst_free(&k->code[n]);
	free(k->code);
	free(k->name);
}
