/* listing_fit.c - compares the functions of listings with a kernel of a trace
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * At each pc that the trace has, the operation must be the same: the part of the opcode in front of its first
 * dot, for the rest is printed differently from version to version of the disassembler.
 */
#include "listing_fit.h"

#include "base/words.h"

#include <inttypes.h>

#define MOST_MISTAKES 5u /* of a kernel, printed */

static int by_pc(const void *key, const void *v)
{
	uint32_t pc = *(const uint32_t *)key, at = ((const struct sass_inst *)v)->pc;

	return pc < at ? -1 : pc > at;
}

static const struct sass_inst *find(const struct sass_function *f, uint32_t pc)
{
	return f->n ? bsearch(&pc, f->v, f->n, sizeof *f->v, by_pc) : NULL;
}

/* Behind the guard. */
static const char *opcode_of(const char *text)
{
	if (*text == '@')
		text += strcspn(text, " ");
	return text + strspn(text, " ");
}

static bool same_operation(const char *text, const char *opcode)
{
	size_t n = strcspn(opcode, ".");

	text = opcode_of(text);
	return strncmp(text, opcode, n) == 0 && (text[n] == '\0' || strchr(". \t", text[n]));
}

/* ---- mistakes ---- */

static void report(const struct fit *fit, const struct sass_inst *i, uint32_t pc, struct hd_diags *d,
                   const char *what)
{
	int line = i ? i->line : 0;

	hd__diag(d, HD_DIAG_ERROR, fit->f->file, line, line > 0, "kernel %" PRIu32 " '%s', pc 0x%" PRIx32 ": %s",
	         fit->kernel->kernels, fit->kernel->launch.name, pc, what);
}

/* Counts, and with `d` reports, what is impossible whether it is executed or not. */
static size_t check_words(const struct fit *fit, struct hd_diags *d)
{
	size_t n = 0;

	for (size_t k = 0; k < fit->f->n; k++) {
		const struct sass_inst *i = &fit->f->v[k];

		if (!i->wrong)
			continue;
		if (d && n < MOST_MISTAKES) {
			char *what = hd__format("impossible control word: %s", i->wrong);

			report(fit, i, i->pc, d, what);
			free(what);
		}
		n++;
	}
	return n;
}

/* An instruction of the trace, and what the function has at its pc: NULL is nothing. */
static void report_inst(const struct fit *fit, const struct static_inst *s, const struct sass_inst *i,
                        struct hd_diags *d)
{
	uint32_t end = fit->f->n ? fit->f->v[fit->f->n - 1].pc : 0;
	const char *found = i ? opcode_of(i->text) : NULL;
	char *what;

	if (i)
		what = hd__format("the trace has '%s', the listing '%.*s'", s->opcode, (int)strcspn(found, " \t"),
		                  found);
	else if (s->inst.pc > end)
		what = hd__format("beyond the function, whose last instruction is at 0x%" PRIx32 "; the trace has "
		                  "'%s'", end, s->opcode);
	else
		what = hd__format("not in the listing; the trace has '%s'", s->opcode);
	report(fit, i, s->inst.pc, d, what);
	free(what);
}

/* The same for an instruction of the trace. */
static bool check(struct fit *fit, const struct static_inst *s, struct hd_diags *d)
{
	const struct sass_inst *i = find(fit->f, s->inst.pc);

	fit->covered += i != NULL;
	fit->executed += i ? s->executed : 0;
	if (i ? !i->text || same_operation(i->text, s->opcode) : fit->partial)
		return true;
	if (d)
		report_inst(fit, s, i, d);
	return false;
}

static void check_all(struct fit *fit, struct hd_diags *d)
{
	fit->covered = 0;
	fit->executed = fit->all = 0;
	fit->mistakes = check_words(fit, d);
	for (size_t k = 0; k < fit->kernel->n; k++) {
		fit->all += fit->kernel->v[k].executed;
		if (!check(fit, &fit->kernel->v[k], fit->mistakes < MOST_MISTAKES ? d : NULL))
			fit->mistakes++;
	}
}

/* ---- functions ---- */

struct fit hd__fit(const struct sass_code *code, const struct statics *kernel, bool partial)
{
	struct fit best = { .kernel = kernel, .partial = partial };

	for (size_t k = 0; k < kernel->n; k++)
		best.all += kernel->v[k].executed;
	for (size_t k = 0; k < code->n; k++) {
		struct fit one = { .kernel = kernel, .f = &code->v[k], .partial = partial };

		if (strcmp(one.f->name, kernel->launch.name) != 0
		    || (one.f->sm && one.f->sm != kernel->launch.binary))
			continue;
		check_all(&one, NULL);
		if (!best.f || (best.mistakes && !one.mistakes))
			best = one;
	}
	return best;
}

static void report_missing(const struct fit *fit, const struct sass_code *code, struct hd_diags *d)
{
	const struct hd_launch *l = &fit->kernel->launch;
	const char **names = hd__xcalloc(code->n + 1, sizeof *names);
	char list[400];

	for (size_t k = 0; k < code->n; k++) {
		names[k] = code->v[k].name;
		if (strcmp(names[k], l->name) != 0)
			continue;
		hd__diag(d, HD_DIAG_ERROR, code->v[k].file, 0, 0, "kernel %" PRIu32 " '%s': the listing has it for "
		         "sm_%" PRIu32 "; expected sm_%" PRIu32 ", as the trace", fit->kernel->kernels, l->name,
		         code->v[k].sm, l->binary);
		free(names);
		return;
	}
	hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "kernel %" PRIu32 " '%s': no listing has this function%s; expected "
	         "one that has, or --partial", fit->kernel->kernels, l->name,
	         hd__suggest(l->name, names, code->n, "they have", list, sizeof list));
	free(names);
}

void hd__fit_report(const struct fit *fit, const struct sass_code *code, struct hd_diags *d)
{
	struct fit again = *fit;

	if (!fit->f) {
		if (!fit->partial)
			report_missing(fit, code, d);
		return;
	}
	check_all(&again, d);
	if (again.mistakes > MOST_MISTAKES)
		hd__diag(d, HD_DIAG_ERROR, fit->f->file, 0, 0, "kernel %" PRIu32 " '%s': %zu more instructions do not "
		         "fit; expected the code with which the trace was recorded", fit->kernel->kernels,
		         fit->kernel->launch.name, again.mistakes - MOST_MISTAKES);
}
