/* hasm_print.c - prints a trace as a text of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_commands.h"

#include "hasm_steps.h"
#include "listing.h"
#include "traces/sass/sass.h"

#include <ctype.h>
#include <inttypes.h>

/* ---- an instruction ---- */

static void put_register(uint16_t r, FILE *f)
{
	if (r == 256)
		fputs("RZ", f);
	else
		fprintf(f, "R%u", r - 1u);
}

static bool begins(const char *opcode, const char *word)
{
	return strncmp(opcode, word, strlen(word)) == 0;
}

/* From what the trace has: a register in front is a destination, so that PT, which is none, stands in
 * front of a source.  Which source is an address is not in the trace: the first, but that of an atomic
 * operation comes behind its result, which the tracer takes for a source. */
static void put_plain(const struct hd_inst *i, const char *opcode, FILE *f)
{
	unsigned address = begins(opcode, "ATOM") && !i->dst && i->nsrc > 1 ? 1 : 0;
	const char *comma = " ";

	fputs(opcode, f);
	if (i->dst) {
		fputs(comma, f);
		put_register(i->dst, f);
		comma = ", ";
	} else if (i->nsrc > 0 && (!i->width || address > 0)) {
		fprintf(f, "%sPT", comma);
		comma = ", ";
	}
	if (i->width && i->nsrc == 0) {
		fprintf(f, "%s[URZ]", comma);
		comma = ", ";
	}
	for (unsigned k = 0; k < i->nsrc; k++) {
		bool brackets = i->width && (k == address || begins(opcode, "LDGSTS"));

		fprintf(f, brackets ? "%s[" : "%s", comma);
		put_register(i->src[k], f);
		if (brackets)
			fputc(']', f);
		comma = ", ";
	}
	if (i->imm < 0)
		fprintf(f, "%s-0x%" PRIx32, comma, 0 - (uint32_t)i->imm);
	else if (i->imm)
		fprintf(f, "%s0x%" PRIx32, comma, (uint32_t)i->imm);
}

static void put_control(const struct hd_control *c, FILE *f)
{
	struct hasm_control control = { .wait = c->wait, .read = c->read, .write = c->write,
	                                .yield = c->flags & HD_CONTROL_YIELD, .stall = c->stall };

	hd__sass_put_control(&control, f);
	fputc(' ', f);
}

char *hd__print_inst(const struct hd_inst *inst, const char *opcode, const struct trace_control *e)
{
	char *text;
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&text, &size));

	if (e && e->control.flags & HD_CONTROL_GIVEN)
		put_control(&e->control, f);
	fprintf(f, "/*%04" PRIx32 "*/ ", inst->pc);
	if (e)
		fputs(e->printed, f);
	else
		put_plain(inst, opcode, f);
	fclose(f);
	return hd__xcheck(text);
}

/* ---- the head of a kernel ---- */

/* In quotes unless it is one word. */
static void put_name(const char *name, FILE *out)
{
	bool word = *name != '\0';

	for (const char *p = name; *p; p++)
		word = word && isgraph((unsigned char)*p) && !strchr("\"=#", *p);
	if (word) {
		fputs(name, out);
		return;
	}
	fputc('"', out);
	for (; *name; name++)
		fputc(*name == '"' ? '\'' : *name, out);
	fputc('"', out);
}

static void put_sizes(const char *member, const uint32_t size[3], FILE *out)
{
	fprintf(out, " %s=%" PRIu32 ",%" PRIu32 ",%" PRIu32, member, size[0], size[1], size[2]);
}

static void put_head(const struct trace_input *t, size_t i, FILE *out)
{
	const struct hd_launch *l = &t->k.header.launch;
	const struct hd_trace_copy *copy;
	size_t n = hd__trace_input_copies(t, i, &copy);

	fputs(i ? "\nkernel " : "kernel ", out);
	put_name(l->name, out);
	put_sizes("grid", l->grid, out);
	put_sizes("block", l->block, out);
	fprintf(out, " sm=%" PRIu32 " shared=%" PRIu32 " regs=%" PRIu32 " id=%" PRIu64, l->binary, l->shmem, l->nregs,
	        l->id);
	if (l->stream)
		fprintf(out, " stream=%" PRIu64, l->stream);
	if (l->shared_base || l->local_base)
		fprintf(out, " shared_base=0x%" PRIx64 " local_base=0x%" PRIx64, l->shared_base, l->local_base);
	fputs(" opcodes=any exit=written\n", out);
	for (size_t k = 0; k < n; k++)
		fprintf(out, "copy 0x%" PRIx64 " %" PRIu64 "\n", copy[k].addr, copy[k].bytes);
}

/* ---- the lines ---- */

/* A kernel that is printed. */
struct printer {
	struct trace_input *in;
	FILE *out;
	struct listing *listing; /* or NULL */
	char **text;             /* of its instructions, by index */
	size_t ntext;
	size_t unlisted;         /* instructions that the listing does not have */
	struct steps_block run, next;
};

static const char *text_of(void *arg, uint32_t index)
{
	const struct printer *p = arg;

	return p->text[index];
}

static void describe(struct printer *p, const struct hd_inst *i, size_t index)
{
	const char *opcode = p->in->r.names.v[i->opcode];
	const struct trace_control *e;

	p->text = hd__xgrow_zero(p->text, &p->ntext, index, sizeof *p->text);
	if (p->text[index])
		return;
	e = p->listing ? hd__listing_find(p->listing, i, opcode) : NULL;
	p->unlisted += p->listing && !e;
	p->text[index] = hd__print_inst(i, opcode, e);
}

/* What a text means without a mask: see execute() in hasm_walk.c. */
static bool is_default(const char *text, uint32_t mask, uint32_t live)
{
	const char *guard = strstr(text, "*/ @!");
	bool never = guard && (strncmp(guard + 5, "PT", 2) == 0 || strncmp(guard + 5, "UPT", 3) == 0);

	return mask == (never ? 0 : live);
}

static void read_warp(struct printer *p, uint32_t warp)
{
	uint32_t live = trace_threads(&p->in->k.header.launch, warp);
	uint64_t row[HD_LANES];
	struct hd_inst i;

	while (trace_kernel_next(&p->in->k, warp, &i)) {
		uint32_t index = p->in->k.blocks.slot[warp].index;
		struct step step = { .code = index, .mask = i.mask, .memory = i.width > 0 };

		describe(p, &i, index);
		step.all = is_default(p->text[index], i.mask, live);
		hd__steps_add(&p->next.warp[warp], step, hd_inst_addrs(&i, row));
		if (i.flags & HD_INST_EXIT)
			live &= ~i.mask;
	}
}

static void flush(struct printer *p)
{
	if (p->run.n)
		hd__steps_print(&p->run, p->in->k.header.launch.ctas, text_of, p, p->out);
	hd__steps_clear(&p->run);
}

static bool add_block(void *arg, uint64_t number)
{
	struct printer *p = arg;
	struct steps_block was;

	hd__steps_clear(&p->next);
	p->next.warps = p->in->k.header.launch.warps;
	p->next.first = number;
	p->next.n = 1;
	for (uint32_t w = 0; w < p->next.warps; w++)
		read_warp(p, w);
	if (!p->run.n || !hd__steps_join(&p->run, &p->next)) {
		flush(p);
		was = p->run;
		p->run = p->next;
		p->next = was;
	}
	return !ferror(p->out);
}

static void warn_unlisted(const struct printer *p, size_t kernel)
{
	if (p->unlisted)
		hd__diag(&p->in->d, HD_DIAG_WARNING, p->listing->controls.file, 0, 0, "%zu instruction%s of kernel "
		         "%zu %s not in it as the trace has %s; printed without it", p->unlisted,
		         p->unlisted == 1 ? "" : "s", kernel, p->unlisted == 1 ? "is" : "are",
		         p->unlisted == 1 ? "it" : "them");
}

static bool put_kernel(struct trace_input *t, size_t i, FILE *out)
{
	struct printer p = { .in = t, .out = out };
	const char *packed;
	size_t size;
	bool good;

	if (hd__trace_kernel_open(&t->r, &t->k, i))
		return false;
	put_head(t, i, out);
	packed = hd__trace_kernel_listing(&t->k, &size);
	p.listing = packed ? hd__listing_packed(&t->host.host, t->r.list.v[i].path, packed, size, &t->d)
	                   : hd__listing_read(&t->host.host, t->r.list.v[i].path, &t->d);
	good = t->d.errors == 0 && hd__trace_input_kernel(t, i, add_block, &p);
	flush(&p);
	warn_unlisted(&p, i + 1);
	for (size_t k = 0; k < p.ntext; k++)
		free(p.text[k]);
	free(p.text);
	hd__listing_free(p.listing);
	hd__steps_free(&p.run);
	hd__steps_free(&p.next);
	return good;
}

static bool put_all(struct trace_input *t, FILE *out)
{
	bool good = true;

	for (size_t i = 0; i < t->r.list.n && good; i++)
		good = put_kernel(t, i, out);
	return good || (ferror(out) && t->d.errors == 0);
}

int hd__hasm_print(const struct trace_command *c)
{
	return hd__trace_input_write(c, NULL, put_all);
}
