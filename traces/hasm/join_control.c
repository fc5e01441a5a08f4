/* join_control.c - joins the control fields and operands of machine code with a trace
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * At each pc that the trace has, the operation must be the same: the part of the opcode in front of its first
 * dot, for the rest is printed differently from version to version of the disassembler.
 */
#include "trace_commands.h"

#include "base/exit.h"
#include "base/words.h"
#include "listing.h"
#include "trace_folder.h"
#include "traces/sass/sass.h"
#include "traces/sass/sass_inst.h"

#include <inttypes.h>
#include <unistd.h>

#define MOST_MISTAKES 5u /* of a kernel, printed */

/* A kernel and the function that it may be. */
struct fit {
	const struct statics *kernel;
	const struct sass_function *f; /* NULL: no listing has it */
	bool partial;                  /* instructions may be missing in it */
	size_t covered;                /* instructions of the kernel that are in it, */
	uint64_t executed, all;        /* how often they were executed, and all of the kernel */
	size_t mistakes;
};

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

	hd__diag(d, HD_DIAG_ERROR, fit->f->file, line, line > 0, "kernel %zu '%s', pc 0x%" PRIx32 ": %s",
	         fit->kernel->number, fit->kernel->launch->name, pc, what);
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

/* Is an instruction of the trace in the function?  With `d` it is reported if not. */
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

/* The function that fits the kernel, or the first of its name and SM version; or none. */
static struct fit fit_function(const struct sass_code *code, const struct statics *kernel, bool partial)
{
	struct fit best = { .kernel = kernel, .partial = partial };

	for (size_t k = 0; k < kernel->n; k++)
		best.all += kernel->v[k].executed;
	for (size_t k = 0; k < code->n; k++) {
		struct fit one = { .kernel = kernel, .f = &code->v[k], .partial = partial };

		if (strcmp(one.f->name, kernel->launch->name) != 0
		    || (one.f->sm && one.f->sm != kernel->launch->binary))
			continue;
		check_all(&one, NULL);
		if (!best.f || (best.mistakes && !one.mistakes))
			best = one;
	}
	return best;
}

static void report_missing(const struct fit *fit, const struct sass_code *code, struct hd_diags *d)
{
	const struct hd_launch *l = fit->kernel->launch;
	const char **names = hd__xcalloc(code->n + 1, sizeof *names);
	char list[400];

	for (size_t k = 0; k < code->n; k++) {
		names[k] = code->v[k].name;
		if (strcmp(names[k], l->name) != 0)
			continue;
		hd__diag(d, HD_DIAG_ERROR, code->v[k].file, 0, 0, "kernel %zu '%s': the listing has it for "
		         "sm_%" PRIu32 "; expected sm_%" PRIu32 ", as the trace", fit->kernel->number, l->name,
		         code->v[k].sm, l->binary);
		free(names);
		return;
	}
	hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "kernel %zu '%s': no listing has this function%s; expected "
	         "one that has, or --partial", fit->kernel->number, l->name,
	         hd__suggest(l->name, names, code->n, "they have", list, sizeof list));
	free(names);
}

/* Reports what does not fit. */
static void report_all(const struct fit *fit, const struct sass_code *code, struct hd_diags *d)
{
	struct fit again = *fit;

	if (!fit->f) {
		if (!fit->partial)
			report_missing(fit, code, d);
		return;
	}
	check_all(&again, d);
	if (again.mistakes > MOST_MISTAKES)
		hd__diag(d, HD_DIAG_ERROR, fit->f->file, 0, 0, "kernel %zu '%s': %zu more instructions do not "
		         "fit; expected the code with which the trace was recorded", fit->kernel->number,
		         fit->kernel->launch->name, again.mistakes - MOST_MISTAKES);
}

/* ---- the listing of a kernel, from a function that fits its trace ----
 *
 * An instruction that was executed has the opcode as the trace has it, so that it is found by pc and opcode.
 * One whose encoding is not known has the operands that the trace has; it is left out if it was not executed. */

/* Guard, opcode and operands, perhaps with a pc in front.  Returns false, with nothing to free, if they are
 * not as expected. */
static bool parse(const char *text, struct hasm_inst *to)
{
	struct hd_diags d = { 0 };
	struct hd_scan s = { .file = "", .p = text, .end = text + strlen(text), .start = text, .d = &d };
	uint32_t pc;
	bool good;

	*to = (struct hasm_inst){ 0 };
	hd__scan_pc(&s, &pc);
	good = hd__hasm_inst(&s, to) && hd__scan_at_end(&s);
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
		char *text = hd__print_inst(&s->inst, s->opcode, NULL, NULL);

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

/* The listing of the kernel; mistakes have been reported.  *unknown: instructions without a known
 * encoding; *differs: how many have other registers than in the trace, *first: pc of the first. */
static struct hasm_kernel fit_listing(const struct fit *fit, size_t *unknown, size_t *differs, uint32_t *first)
{
	const struct statics *kernel = fit->kernel;
	struct hasm_kernel k = { .name = hd__xstrdup(kernel->launch->name), .sm = kernel->launch->binary };
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

static void free_listing(struct hasm_kernel *k)
{
	for (size_t n = 0; n < k->n; n++)
		hd__hasm_inst_free(&k->code[n]);
	free(k->code);
	free(k->name);
}

/* ---- one kernel ---- */

struct join {
	const struct control_args *args;
	struct sass_code code;
	struct hd_output folder;
	FILE *list; /* kernelslist.g */
	struct hd_diags *d;
	bool failed; /* the output could not be written */
};

/* Its file under a new name, and what precedes it in the list of kernels. */
static bool take_kernel(struct join *j, const struct statics *s)
{
	const struct hd_trace_copy *copy;
	size_t n = hd__trace_input_copies(s->in, s->number - 1, &copy);
	char *name = hd__format("kernel-%zu.traceg%s", s->number, trace_ends(s->file, ".xz") ? ".xz" : "");
	bool good = hd__folder_link(&j->folder, name, s->file);

	for (size_t i = 0; i < n; i++)
		fprintf(j->list, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", copy[i].addr, copy[i].bytes);
	fprintf(j->list, "%s\n", name);
	free(name);
	return good;
}

static void print_coverage(const struct fit *fit, size_t unknown)
{
	const struct statics *s = fit->kernel;

	printf("kernel %zu '%s': ", s->number, s->launch->name);
	if (!fit->f) {
		printf("no listing of %zu instructions, %" PRIu64 " executed\n", s->n, fit->all);
		return;
	}
	printf("%zu of %zu instructions, %" PRIu64 " of %" PRIu64 " executed, from %s", fit->covered, s->n,
	       fit->executed, fit->all, fit->f->file);
	if (unknown)
		printf(", %zu encoding%s unknown", unknown, unknown == 1 ? "" : "s");
	putchar('\n');
}

static bool write_listing(struct join *j, const struct fit *fit, size_t *unknown)
{
	size_t differs;
	uint32_t first = 0;
	struct hasm_kernel k = fit_listing(fit, unknown, &differs, &first);
	bool good = hd__folder_listing(&j->folder, &k, fit->kernel->number);

	free_listing(&k);
	if (differs)
		hd__diag(j->d, HD_DIAG_WARNING, fit->f->file, 0, 0, "kernel %zu '%s': %zu instruction%s "
		         "other registers than the trace has, first at pc 0x%" PRIx32, fit->kernel->number,
		         fit->kernel->launch->name, differs, differs == 1 ? " has" : "s have", first);
	return good;
}

/* Returns false after an error that no further kernel can explain. */
static bool join_kernel(struct join *j, const struct statics *s)
{
	struct fit fit = fit_function(&j->code, s, j->args->partial);
	size_t unknown = 0;

	if (fit.f ? fit.mistakes > 0 : !fit.partial) {
		report_all(&fit, &j->code, j->d);
		return true; /* further kernels may have more */
	}
	if (access(s->file, F_OK) != 0) {
		hd__diag(j->d, HD_DIAG_ERROR, s->file, 0, 0, "is in a packed trace; expected the trace "
		         "as a text, which can be copied");
		return false;
	}
	if (j->d->errors)
		return true;
	if ((fit.f && !write_listing(j, &fit, &unknown)) || !take_kernel(j, s))
		j->failed = true;
	else
		print_coverage(&fit, unknown);
	return !j->failed;
}

/* ---- all of them ---- */

static bool join_kernels(struct join *j, struct trace_input *t)
{
	bool good = true;

	for (size_t i = 0; i < t->r.list.n && good; i++) {
		struct statics s;

		good = hd__statics_read(&s, t, i) && join_kernel(j, &s);
		free(s.v);
	}
	return good && t->d.errors == 0;
}

static int write_folder(struct join *j, struct trace_input *t)
{
	int status = hd__folder_open(&j->folder, j->args->trace.output);
	bool good;

	if (status != HD_EXIT_OK)
		return status;
	j->list = hd__folder_file(&j->folder, "kernelslist.g");
	good = j->list && join_kernels(j, t);
	if (j->list && !hd__folder_close(&j->folder, j->list))
		j->failed = true;
	if (j->failed || !j->list)
		status = HD_EXIT_FAILED;
	else if (!good || (j->args->trace.strict && t->d.warnings))
		status = HD_EXIT_USAGE;
	if (!hd__output_close(&j->folder, status == HD_EXIT_OK) && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	return status;
}

/* Returns whether all could be read. */
static bool read_listings(struct sass_code *code, char **listing, size_t n)
{
	struct hd_diags d = { 0 };
	bool good;

	for (size_t i = 0; i < n; i++)
		hd__sass_read(code, listing[i], &d);
	hd__diags_print(&d, stderr);
	good = d.errors == 0;
	hd__diags_free(&d);
	return good;
}

int hd__control_join(const struct control_args *a)
{
	struct join j = { .args = a };
	struct trace_input *t = NULL;
	int status = HD_EXIT_USAGE;

	if (read_listings(&j.code, a->listing, a->n))
		t = hd__trace_input_open(&a->trace);
	if (t) {
		j.d = &t->d;
		status = hd__trace_input_close(t, write_folder(&j, t));
	}
	hd__sass_free(&j.code);
	return status;
}

/* ---- printing functions ---- */

int hd__control_list(char **listing, size_t n, const char *output)
{
	struct sass_code code = { 0 };
	struct hd_output o;
	int status = HD_EXIT_USAGE;

	if (read_listings(&code, listing, n))
		status = hd__output_open(&o, output, NULL);
	if (status == HD_EXIT_OK) {
		hd__sass_print(&code, o.f);
		if (!hd__output_close(&o, true))
			status = HD_EXIT_FAILED;
	}
	hd__sass_free(&code);
	return status;
}
