/* trace_info.c - prints what is in a trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_info.h"

#include "base/exit.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "trace_run.h"
#include "statics.h"

#include <inttypes.h>

/* An opcode, in all kernels. */
struct mix {
	const char *opcode;
	uint64_t executed; /* by how many warps, each time; 0: it is not in the trace */
	const char *class;
	bool known;        /* the table of its kernel's version has it */
};

struct info {
	struct hd_output o;
	struct mix *v;     /* by number of the opcode */
	size_t n;
	uint64_t executed; /* sum */
	uint64_t copies, copied;
};

/* The generation of a binary version: the last one that begins at it or below. */
static const char *generation(uint32_t binary)
{
	static const struct {
		uint32_t from;
		const char *name;
	} v[] = { { 100, "Blackwell" }, { 90, "Hopper" }, { 89, "Ada" }, { 80, "Ampere" }, { 75, "Turing" },
		  { 70, "Volta" }, { 60, "Pascal" }, { 50, "Maxwell" }, { 30, "Kepler" }, { 20, "Fermi" } };
	size_t i = 0;

	while (i < sizeof v / sizeof *v && v[i].from > binary)
		i++;
	return i < sizeof v / sizeof *v ? v[i].name : "unknown generation";
}

static uint64_t add_mix(struct info *p, const struct statics *s)
{
	uint64_t executed = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct static_inst *from = &s->v[i];
		struct mix *m;

		p->v = hd__xgrow_zero(p->v, &p->n, from->inst.opcode, sizeof *p->v);
		m = &p->v[from->inst.opcode];
		m->opcode = from->opcode;
		m->class = hd_symbol_name(s->in.ctx, "class", from->inst.cls);
		m->known = s->in.trace->known(s->in.trace->self, from->inst.opcode);
		m->executed += from->executed;
		executed += from->executed;
	}
	p->executed += executed;
	return executed;
}

static bool kernel_done(void *arg, struct statics *s)
{
	const struct hd_launch *l = &s->launch;
	struct info *p = arg;
	const struct hd_trace_copy *copy;
	uint32_t n = s->in.trace->copies(s->in.trace->self, s->kernels - 1, &copy);
	uint64_t executed = add_mix(p, s);

	for (uint32_t i = 0; i < n; i++)
		p->copied += copy[i].bytes;
	p->copies += n;
	fprintf(p->o.f, "kernel %" PRIu32 " '%s': sm_%" PRIu32 " (%s), stream %" PRIu64 ", grid (%" PRIu32 ",%"
	        PRIu32 ",%" PRIu32 "), block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), registers %" PRIu32
	        ", shared %" PRIu32 " bytes, static instructions %zu, warp instructions %" PRIu64 "\n",
	        s->kernels, l->name, l->binary, generation(l->binary), l->stream, l->grid[0], l->grid[1],
	        l->grid[2], l->block[0], l->block[1], l->block[2], l->nregs, l->shmem, s->n, executed);
	return true;
}

/* Those that are executed most often first. */
static int by_executed(const void *a, const void *b)
{
	const struct mix *x = a, *y = b;

	if (x->executed != y->executed)
		return x->executed < y->executed ? 1 : -1;
	return x->executed ? strcmp(x->opcode, y->opcode) : 0;
}

static void print_mix(struct info *p, uint32_t kernels)
{
	size_t n = 0, unknown = 0;

	if (p->n)
		qsort(p->v, p->n, sizeof *p->v, by_executed);
	while (n < p->n && p->v[n].executed)
		unknown += !p->v[n++].known;
	fprintf(p->o.f, "\n%" PRIu32 " kernel%s, %" PRIu64 " cop%s to the device (%" PRIu64 " bytes), %" PRIu64
	        " warp instructions, %zu opcode%s, %zu of them unknown\n", kernels, kernels == 1 ? "" : "s",
	        p->copies, p->copies == 1 ? "y" : "ies", p->copied, p->executed, n, n == 1 ? "" : "s", unknown);
	for (size_t i = 0; i < n; i++)
		fprintf(p->o.f, "%12" PRIu64 " %5.1f %%  %-18s %s%s\n", p->v[i].executed,
		        100 * (double)p->v[i].executed / (double)p->executed, p->v[i].class, p->v[i].opcode,
		        p->v[i].known ? "" : "  unknown");
}

static int read_trace(void *arg, struct hd_sim *sim, void *state, struct hd_diags *d)
{
	struct statics *s = state;
	struct info p = { .n = 0 };
	int status = hd__output_open(&p.o, arg, "-o");
	bool good;

	if (status != HD_EXIT_OK)
		return status;
	s->done = kernel_done;
	s->arg = &p;
	good = hd__trace_run_all(sim, d);
	if (good)
		print_mix(&p, s->kernels);
	free(p.v);
	if (!hd__output_close(&p.o, good) && good)
		return HD_EXIT_FAILED;
	return good ? HD_EXIT_OK : HD_EXIT_USAGE;
}

int hd__trace_info(const char *trace, const char *output)
{
	return hd__trace_run(&(struct trace_run){
		.command = "heddle trace info",
		.module = &hd_module_hasm_statics,
		.trace = trace,
		.use = read_trace,
		.arg = (void *)output,
	});
}
