/* hasm_print.c - prints a trace as a text of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_commands.h"

#include "hasm_lines.h"
#include "hasm_steps.h"
#include "listing.h"
#include "traces/sass/sass.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

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

/* Does it have what only lines of version 6 have? */
static bool is_asynchronous(const struct trace_static *s, const char *opcode)
{
	return s->tensor || s->value_at || begins(opcode, "SYNCS") || begins(opcode, "ARRIVES")
	       || (*opcode && begins(opcode + 1, "GMMA")) || (begins(opcode, "BAR") && s->extra);
}

/* The words of its line are its operands: "DESTINATIONS OPCODE SOURCES [LAST] WIDTH". */
static void put_line(const struct trace_static *s, const char *opcode, FILE *f)
{
	const char *p = s->text + s->rest, *comma = " ";
	bool product = begins(opcode + 1, "GMMA"), memory = s->tensor || s->payload;
	long n = strtol(p, (char **)&p, 10);

	fputs(opcode, f);
	for (int list = 0; list < 2; list++) {
		for (long i = 0; i < n; i++) {
			size_t length = strcspn(p += strspn(p, " "), " ");
			bool brackets = list == 1 && memory && (i == 0 || s->tensor), matrix = product && *p == 'U';

			fprintf(f, "%s%s%.*s%s", comma, brackets ? "[" : matrix ? "gdesc[" : "", (int)length, p,
			        brackets || matrix ? "]" : "");
			comma = ", ";
			p += length;
		}
		if (list == 0) {
			p += strspn(p, " ");
			p += strcspn(p, " ");
			n = strtol(p, (char **)&p, 10);
		}
	}
	if (product && strtol(p, NULL, 10) == 1)
		fprintf(f, "%sgsb0", comma);
	if (begins(opcode, "BAR"))
		fprintf(f, " 0x%" PRIx32 ", 0x%" PRIx32, s->extra % TRACE_BARRIERS,
		        (s->extra & ~TRACE_NAMED(0, 0)) / TRACE_BARRIERS);
}

static void put_control(const struct hd_control *c, FILE *f)
{
	struct hasm_control control = { .wait = c->wait, .read = c->read, .write = c->write,
	                                .yield = c->flags & HD_CONTROL_YIELD, .stall = c->stall };

	hd__sass_put_control(&control, f);
	fputc(' ', f);
}

char *hd__print_inst(const struct hd_inst *inst, const char *opcode, const struct trace_control *e,
                     const struct trace_static *s)
{
	char *text;
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&text, &size));

	if (e && e->control.flags & HD_CONTROL_GIVEN)
		put_control(&e->control, f);
	fprintf(f, "/*%04" PRIx32 "*/ ", inst->pc);
	if (e)
		fputs(e->printed, f);
	else if (s && is_asynchronous(s, opcode))
		put_line(s, opcode, f);
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
	if (l->cluster[0])
		put_sizes("cluster", l->cluster, out);
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

#define MORE (UINT32_C(1) << 24) /* a kernel has fewer different instructions */

/* A kernel that is printed. */
struct printer {
	struct trace_input *in;
	FILE *out;
	struct listing *listing; /* or NULL */
	char **text;             /* of its instructions, by index */
	size_t ntext;
	char **more;             /* instructions with attributes of an execution: number MORE + place */
	size_t nmore;
	size_t unlisted;         /* instructions that the listing does not have */
	struct steps_block run, next;
};

static const char *text_of(void *arg, uint32_t index)
{
	const struct printer *p = arg;

	return index < MORE ? p->text[index] : p->more[index - MORE];
}

/* How often the first `period` of n addresses are repeated with the same stride, such that all n are such
 * repetitions. */
static uint32_t repeated(const int64_t *at, uint32_t n, uint32_t period)
{
	uint32_t most = 1;

	for (uint32_t k = 1; (k + 1) * period <= n; k++) {
		for (uint32_t j = 0; j < period; j++)
			if (at[k * period + j] != at[j] + (int64_t)k * at[period])
				return most;
		if (n % ((k + 1) * period) == 0)
			most = k + 1;
	}
	return most;
}

/* "desc=128*64:8192": what a bulk copy moves.  Returns false if its addresses are not those of a box. */
static bool put_box(const struct hd_bulk *b, FILE *f)
{
	int64_t *at = hd__xcalloc(b->pieces + (size_t)1, sizeof *at);
	uint32_t period = 1, dimensions = 0, more;

	for (uint32_t i = 1; i < b->pieces; i++)
		at[i] = at[i - 1] + b->step[i - 1];
	fprintf(f, " desc=%" PRIu32, b->pieces ? b->piece : 0);
	for (; period < b->pieces && dimensions < HASM_DIMENSIONS; period *= more, dimensions++) {
		more = repeated(at, b->pieces, period);
		if (more == 1)
			break;
		fprintf(f, "*%" PRIu32 ":%" PRId64, more, at[period]);
	}
	free(at);
	if (b->beyond)
		fprintf(f, " tx=%" PRIu32, b->bytes);
	return b->pieces ? period >= b->pieces : b->beyond > 0;
}

/* Values of lanes, as an expression.  Returns false if they do not grow evenly. */
static bool put_values(const struct hd_inst *i, FILE *f)
{
	uint32_t first = hd_bits_first(i->mask), n = 0;
	int64_t step = 0;

	if (!(i->async.how & HD_ASYNC_BY_LANE)) {
		fprintf(f, " values=0x%" PRIx64, i->value);
		return true;
	}
	for (uint64_t m = i->mask; m; n++) {
		uint32_t lane = hd_bits_pop(&m);

		if (n == 1)
			step = ((int64_t)i->far[1] - i->far[0]) / (int64_t)(lane - first);
		if ((int64_t)i->far[n] != (int64_t)i->far[0] + step * (int64_t)(lane - first))
			return false;
	}
	fprintf(f, " values=0x%" PRIx64 "%+" PRId64 "*lane", (uint64_t)((int64_t)i->far[0] - step * first), step);
	return true;
}

/* The number of the instruction as it is executed here, with attributes. */
static uint32_t with_attributes(struct printer *p, const struct hd_inst *i, uint32_t index)
{
	const struct trace_static *s = &p->in->k.code.v[index];
	char *text;
	size_t size, k = 0;
	FILE *f = hd__xcheck(open_memstream(&text, &size));
	bool good = true;

	fputs(p->text[index], f);
	if (s->tensor) {
		good = put_box(&p->in->r.names.bulk[s->extra - 1]->form, f);
		if (hd__hasm_reports(&(struct hasm_inst){ .opcode = (char *)p->in->r.names.v[i->opcode] }))
			fprintf(f, " bar=0x%" PRIx64, i->value & UINT32_MAX);
		if (i->value >> 32)
			fprintf(f, " ctas=0x%" PRIx64, i->value >> 32);
	} else if (!(i->async.how & HD_ASYNC_BARE)) {
		good = put_values(i, f);
	}
	fclose(f);
	hd__xcheck(text);
	if (!good)
		hd__diag(&p->in->d, HD_DIAG_ERROR, p->in->r.input, 0, 0, "'%s' has values or addresses that a text "
			"cannot have: they do not grow evenly", text);
	while (k < p->nmore && strcmp(p->more[k], text) != 0)
		k++;
	if (k < p->nmore) {
		free(text);
		return MORE + (uint32_t)k;
	}
	p->more = hd__xappend(p->more, p->nmore, sizeof *p->more);
	p->more[p->nmore++] = text;
	return MORE + (uint32_t)k;
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
	p->text[index] = hd__print_inst(i, opcode, e, &p->in->k.code.v[index]);
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
		const struct trace_static *s = &p->in->k.code.v[index];
		struct step step = { .code = index, .mask = i.mask, .memory = i.width > 0 || s->tensor };

		describe(p, &i, index);
		if (s->value_at && i.mask)
			step.code = with_attributes(p, &i, index);
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
	for (size_t k = 0; k < p.nmore; k++)
		free(p.more[k]);
	free(p.text);
	free(p.more);
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
