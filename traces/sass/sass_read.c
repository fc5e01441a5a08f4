/* sass_read.c - reads the functions of cubins and of texts of disassemblers, and prints them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sass.h"

#include "base/json_read.h"

#include <inttypes.h>

static const char elf_magic[4] = { 0x7f, 'E', 'L', 'F' };

void hd__sass_read_image(struct sass_code *code, const char *file, char *image, size_t size,
                         struct hd_diags *d)
{
	size_t before = code->n;

	if (size >= sizeof elf_magic && memcmp(image, elf_magic, sizeof elf_magic) == 0)
		hd__cubin_read(code, file, image, size, d);
	else
		hd__sass_text_read(code, file, image, size, d);
	if (code->n == before && d->errors == 0)
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "no function in it; expected a cubin, or what 'cuobjdump "
		         "-sass' or 'nvdisasm -hex' prints of one");
}

void hd__sass_read(struct sass_code *code, const char *file, struct hd_diags *d)
{
	size_t size;
	char *image = hd__read_input(file, &size);

	if (!image) {
		d->errors++; /* printed */
		return;
	}
	hd__sass_read_image(code, file, image, size, d);
	free(image);
}

/* ---- printing ---- */

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
