/* sass_print.c - prints functions as texts of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sass.h"

#include <inttypes.h>

static void put_inst(const struct sass_function *f, const struct sass_inst *i, FILE *out)
{
	bool old = f->sm && f->sm < SASS_VOLTA;

	hd__sass_put_control(&i->control, out);
	fprintf(out, " /*%04" PRIx32 "*/ ", i->pc);
	if (i->text)
		fprintf(out, "%s", i->text);
	else if (old)
		fprintf(out, "# unknown encoding 0x%016" PRIx64, i->word.lo);
	else
		fprintf(out, "# unknown encoding 0x%016" PRIx64 " 0x%016" PRIx64, i->word.lo, i->word.hi);
	if (i->wrong)
		fprintf(out, " # impossible control word: %s", i->wrong);
	fputc('\n', out);
}

static void put_function(const struct sass_function *f, FILE *out)
{
	fprintf(out, "kernel %s", f->name);
	if (f->sm)
		fprintf(out, " sm=%" PRIu32, f->sm);
	if (f->measured)
		fprintf(out, " shared=%" PRIu32 " regs=%" PRIu32, f->shared, f->regs);
	fputc('\n', out);
	for (size_t k = 0; k < f->n; k++)
		put_inst(f, &f->v[k], out);
}

void hd__sass_print(const struct sass_code *code, FILE *out)
{
	for (size_t k = 0; k < code->n; k++) {
		fputs(k ? "\n" : "", out);
		put_function(&code->v[k], out);
	}
}
