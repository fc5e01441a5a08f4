/* hasm_print_inst.c - an instruction of a trace as it is written in a text
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "hasm_print_inst.h"

#include "base/xalloc.h"
#include "traces/sass/sass.h"

#include <inttypes.h>

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
