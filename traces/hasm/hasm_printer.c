/* hasm_printer.c - the module that prints the trace of a trace source as a text of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "hasm_printer.h"

#include "hasm_print_inst.h"

#include <ctype.h>
#include <inttypes.h>

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

static void put_head(struct printer *p)
{
	const struct hd_launch *l = &p->launch;
	const struct hd_trace_copy *copy;
	uint32_t n = p->in.trace->copies(p->in.trace->self, p->kernels, &copy);

	fputs("kernel ", p->out);
	put_name(l->name, p->out);
	put_sizes("grid", l->grid, p->out);
	put_sizes("block", l->block, p->out);
	fprintf(p->out, " sm=%" PRIu32 " shared=%" PRIu32 " regs=%" PRIu32 " id=%" PRIu64, l->binary,
	        l->shmem, l->nregs, l->id);
	if (l->stream)
		fprintf(p->out, " stream=%" PRIu64, l->stream);
	if (l->shared_base || l->local_base)
		fprintf(p->out, " shared_base=0x%" PRIx64 " local_base=0x%" PRIx64, l->shared_base,
		        l->local_base);
	fputs(" opcodes=any exit=written\n", p->out);
	for (uint32_t i = 0; i < n; i++)
		fprintf(p->out, "copy 0x%" PRIx64 " %" PRIu64 "\n", copy[i].addr, copy[i].bytes);
}

/* ---- the lines ---- */

static const char *text_of(void *arg, uint32_t code)
{
	const struct printer *p = arg;

	return p->text[code - p->first_code];
}

static void describe(struct printer *p, const struct hd_inst *i)
{
	const char *opcode = p->in.trace->opcode_text(p->in.trace->self, i->opcode);
	const struct trace_control *e;
	size_t at;

	if (!p->first_code)
		p->first_code = i->code;
	at = i->code - p->first_code;
	p->text = hd__xgrow_zero(p->text, &p->ntext, at, sizeof *p->text);
	if (p->text[at])
		return;
	e = p->listing ? hd__listing_find(p->listing, i, opcode) : NULL;
	p->unlisted += p->listing && !e;
	p->text[at] = hd__print_inst(i, opcode, e);
}

/* What a text means without a mask: see execute() in walk.c. */
static bool is_default(const struct printer *p, const struct hd_inst *i, uint32_t live)
{
	const char *guard = strstr(text_of((void *)p, i->code), "*/ @!");
	bool never = guard && (strncmp(guard + 5, "PT", 2) == 0 || strncmp(guard + 5, "UPT", 3) == 0);

	return i->mask == (never ? 0 : live);
}

static void read_warp(struct printer *p, uint32_t warp)
{
	uint32_t left = p->launch.threads - warp * HD_LANES;
	uint32_t live = left >= HD_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
	uint64_t row[HD_LANES];
	struct hd_inst i;

	while (p->in.trace->next(p->in.trace->self, warp, &i)) {
		struct step step = { .code = i.code, .mask = i.mask, .memory = i.width > 0 };

		describe(p, &i);
		step.all = is_default(p, &i, live);
		hd__steps_add(&p->next.warp[warp], step, hd_inst_addrs(&i, row));
		if (i.flags & HD_INST_EXIT)
			live &= ~i.mask;
	}
}

static void flush(struct printer *p)
{
	if (p->run.n)
		hd__steps_print(&p->run, p->launch.ctas, text_of, p, p->out);
	hd__steps_clear(&p->run);
}

/* Returns as next_cta(). */
static int next_block(struct printer *p)
{
	int got = p->in.trace->next_cta(p->in.trace->self, 0);
	struct steps_block was;

	if (got <= 0)
		return got;
	hd__steps_clear(&p->next);
	p->next.warps = p->launch.warps;
	p->next.first = p->block++;
	p->next.n = 1;
	for (uint32_t w = 0; w < p->launch.warps; w++)
		read_warp(p, w);
	if (p->run.n && hd__steps_join(&p->run, &p->next))
		return 1;
	flush(p);
	was = p->run;
	p->run = p->next;
	p->next = was;
	return 1;
}

static void forget_kernel(struct printer *p)
{
	flush(p);
	if (p->unlisted)
		hd__diag(p->d, HD_DIAG_WARNING, p->listing->controls.file, 0, 0, "%zu instruction%s of kernel %" PRIu32
		         " %s not in it as the trace has %s; printed without it", p->unlisted,
		         p->unlisted == 1 ? "" : "s", p->kernels, p->unlisted == 1 ? "is" : "are",
		         p->unlisted == 1 ? "it" : "them");
	p->unlisted = 0;
	for (size_t i = 0; i < p->ntext; i++)
		free(p->text[i]);
	free(p->text);
	p->text = NULL;
	p->ntext = 0;
	p->first_code = 0;
	hd__listing_free(p->listing);
	p->listing = NULL;
	p->block = 0;
}

/* Returns as next_kernel(). */
static int next_kernel(struct printer *p)
{
	const char *listing;
	size_t size;
	int got;

	forget_kernel(p);
	got = p->in.trace->next_kernel(p->in.trace->self, &p->launch);
	if (got <= 0)
		return got;
	if (p->kernels)
		fputc('\n', p->out);
	put_head(p);
	p->kernels++;
	listing = p->in.trace->listing(p->in.trace->self, &size);
	p->listing = listing ? hd__listing_packed(p->launch.file, listing, size, p->d)
	                     : hd__listing_read(p->launch.file, p->d);
	return p->d->errors ? -1 : 1;
}

/* ---- callbacks ---- */

static uint64_t eval(void *state)
{
	struct printer *p = state;
	bool more = p->kernels > 0 && p->block < p->launch.ctas;
	int got = more ? next_block(p) : next_kernel(p);

	if (got > 0 && !ferror(p->out))
		return 1;
	if (got >= 0)
		hd_finish(p->in.ctx);
	return HD_SLEEP;
}

static void fini(void *state)
{
	struct printer *p = state;

	hd__steps_clear(&p->run); /* after an error */
	forget_kernel(p);
	hd__steps_free(&p->run);
	hd__steps_free(&p->next);
}

const struct hd_module hd_module_hasm_printer = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "hasm_printer",
	.doc = "prints a trace as a text of kernels",
	.ports = hd__trace_taker_ports,
	.state_size = sizeof(struct printer),
	.init = hd__trace_taker_init,
	.start = hd__trace_taker_start,
	.eval = eval,
	.fini = fini,
};
