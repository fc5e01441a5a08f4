/* sass_code.c - machine code: control fields; functions, read and printed
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The control fields of an instruction have 21 bits, from the lowest: stall 4, yield 1 (0: the warp yields),
 * counter written 3, counter read 3, counters waited for 6, reuse 4.  They are bits 105 to 125 of 128; below
 * Volta a word of 64 has those of three instructions.  What is above them is zero.
 */
#include "sass.h"

#include "base/json_read.h"

#include <inttypes.h>

#define FIELD_BITS 21u
#define COUNTERS 6u

/* Appends to what is there already. */
static char *wrong(char *was, const char *what)
{
	char *all = was ? hd__format("%s, %s", was, what) : hd__xstrdup(what);

	free(was);
	return all;
}

static char *counter(char *was, const char *role, unsigned n)
{
	char *what;

	if (n < COUNTERS || n == HASM_NO_COUNTER)
		return was;
	what = hd__format("%s counter %u; expected 0 to 5, or 7 for none", role, n);
	was = wrong(was, what);
	free(what);
	return was;
}

static char *fields(uint64_t v, struct hasm_control *c)
{
	*c = (struct hasm_control){
		.given = true,
		.stall = v & 15,
		.yield = !(v >> 4 & 1),
		.write = v >> 5 & 7,
		.read = v >> 8 & 7,
		.wait = v >> 11 & 63,
	};
	return counter(counter(NULL, "write", c->write), "read", c->read);
}

char *hd__sass_old_control(uint64_t word, unsigned i, struct hasm_control *c)
{
	char *bad = fields(word >> FIELD_BITS * i, c);

	return word >> 63 ? wrong(bad, "bit 63 of the control word is set") : bad;
}

char *hd__sass_control(struct sass_word w, struct hasm_control *c)
{
	char *bad = fields(hd__sass_bits(w, 105, FIELD_BITS), c);

	return hd__sass_bits(w, 126, 2) ? wrong(bad, "bits 126 and 127 are not zero") : bad;
}

void hd__sass_put_control(const struct hasm_control *c, FILE *f)
{
	char places[] = "------";

	for (unsigned k = 0; k < COUNTERS; k++)
		if (c->wait >> k & 1)
			places[k] = (char)('0' + k);
	fprintf(f, "[B%s:R%c:W%c:%c:S%02u]", places,
	        c->read < COUNTERS ? '0' + c->read : c->read == HASM_NO_COUNTER ? '-' : '?',
	        c->write < COUNTERS ? '0' + c->write : c->write == HASM_NO_COUNTER ? '-' : '?',
	        c->yield ? 'Y' : '-', c->stall);
}

/* ---- functions ---- */

struct sass_function *hd__sass_function(struct sass_code *code, const char *file, const char *name,
                                        size_t length, uint32_t sm)
{
	struct sass_function *f;

	code->v = hd__xgrow(code->v, code->n, &code->cap, sizeof *code->v);
	f = &code->v[code->n++];
	*f = (struct sass_function){ .name = hd__xstrndup(name, length), .file = file, .sm = sm };
	return f;
}

struct sass_inst *hd__sass_inst(struct sass_function *f, uint32_t pc)
{
	struct sass_inst *i;

	f->v = hd__xgrow(f->v, f->n, &f->cap, sizeof *f->v);
	i = &f->v[f->n++];
	*i = (struct sass_inst){ .pc = pc };
	return i;
}

void hd__sass_free(struct sass_code *code)
{
	for (size_t i = 0; i < code->n; i++) {
		struct sass_function *f = &code->v[i];

		for (size_t j = 0; j < f->n; j++) {
			free(f->v[j].text);
			free(f->v[j].wrong);
		}
		free(f->v);
		free(f->name);
	}
	free(code->v);
	*code = (struct sass_code){ 0 };
}

/* ---- reading ---- */

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
