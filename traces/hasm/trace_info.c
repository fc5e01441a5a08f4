/* trace_info.c - prints what is in a trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_commands.h"

#include "base/xalloc.h"

#include <inttypes.h>

/* An opcode, in all kernels. */
struct mix {
	const char *opcode;
	uint64_t executed; /* by how many warps, each time; 0: it is not in the trace */
	const char *class;
	bool known;        /* the table of its kernel's version has it */
};

struct info {
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
		m->class = s->in->host.host.class_name(&s->in->host, from->inst.cls);
		m->known = hd__trace_kernel_knows(&s->in->k, from->opcode);
		m->executed += from->executed;
		executed += from->executed;
	}
	p->executed += executed;
	return executed;
}

static void put_kernel(struct info *p, const struct statics *s, FILE *out)
{
	const struct hd_launch *l = s->launch;
	const struct hd_trace_copy *copy;
	size_t n = hd__trace_input_copies(s->in, s->number - 1, &copy);
	uint64_t executed = add_mix(p, s);

	for (size_t i = 0; i < n; i++)
		p->copied += copy[i].bytes;
	p->copies += n;
	fprintf(out, "kernel %zu '%s': sm_%" PRIu32 " (%s), stream %" PRIu64 ", grid (%" PRIu32 ",%"
	        PRIu32 ",%" PRIu32 "), block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), registers %" PRIu32
	        ", shared %" PRIu32 " bytes, static instructions %zu, warp instructions %" PRIu64 "\n",
	        s->number, l->name, l->binary, generation(l->binary), l->stream, l->grid[0], l->grid[1],
	        l->grid[2], l->block[0], l->block[1], l->block[2], l->nregs, l->shmem, s->n, executed);
}

/* The opcodes that are executed most often come first. */
static int by_executed(const void *a, const void *b)
{
	const struct mix *x = a, *y = b;

	if (x->executed != y->executed)
		return x->executed < y->executed ? 1 : -1;
	return x->executed ? strcmp(x->opcode, y->opcode) : 0;
}

static void print_mix(struct info *p, size_t kernels, FILE *out)
{
	size_t n = 0, unknown = 0;

	if (p->n)
		qsort(p->v, p->n, sizeof *p->v, by_executed);
	while (n < p->n && p->v[n].executed)
		unknown += !p->v[n++].known;
	fprintf(out, "\n%zu kernel%s, %" PRIu64 " cop%s to the device (%" PRIu64 " bytes), %" PRIu64
	        " warp instructions, %zu opcode%s, %zu of them unknown\n", kernels, kernels == 1 ? "" : "s",
	        p->copies, p->copies == 1 ? "y" : "ies", p->copied, p->executed, n, n == 1 ? "" : "s", unknown);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%12" PRIu64 " %5.1f %%  %-18s %s%s\n", p->v[i].executed,
		        100 * (double)p->v[i].executed / (double)p->executed, p->v[i].class, p->v[i].opcode,
		        p->v[i].known ? "" : "  unknown");
}

static bool put_all(struct trace_input *t, FILE *out)
{
	struct info p = { .n = 0 };
	bool good = true;

	for (size_t i = 0; i < t->r.list.n && good; i++) {
		struct statics s;

		good = hd__statics_read(&s, t, i);
		if (good)
			put_kernel(&p, &s, out);
		free(s.v);
	}
	if (good)
		print_mix(&p, t->r.list.n, out);
	free(p.v);
	return good;
}

int hd__trace_info(const struct trace_command *c)
{
	return hd__trace_input_write(c, "-o", put_all);
}

/* ---- packing ---- */

static bool pack(struct trace_input *t, FILE *to)
{
	return hd__trace_packing(&t->r, to) == 0;
}

int hd__pack_trace(const struct trace_command *c)
{
	return hd__trace_input_write(c, "-o", pack);
}
