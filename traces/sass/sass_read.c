/* sass_read.c - reads the functions of cubins and of texts of disassemblers
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "traces/hasm/whole_file.h"
#include "sass.h"

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
	char *image = hd__trace_input(file, &size);

	if (!image) {
		d->errors++; /* printed */
		return;
	}
	hd__sass_read_image(code, file, image, size, d);
	free(image);
}
