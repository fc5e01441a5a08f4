/* cubin.c - reads the functions of a cubin
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A cubin is an ELF file of 64 bits, little endian; function NAME is its section .text.NAME.  Sizes and
 * places in it are checked by libelf, and here where libelf does not.
 */
#include "sass.h"

#include <gelf.h>
#include <libelf.h>

#define MACHINE 190u      /* NVIDIA's */
#define NEW_ABI 0x41u     /* EI_OSABI from CUDA 13 on: the SM version is in bits 8 to 15 of the flags */
#define REGISTERS 0x2fu   /* attribute of .nv.info: symbol, number of registers */
#define HAS_SIZE 4u       /* format of an attribute: bytes follow */
#define MAX_SECTIONS 65536u

static const char text[] = ".text.", shared[] = ".nv.shared.", info[] = ".nv.info";

struct cubin {
	Elf *elf;
	const char *file;
	size_t names;        /* section of the names of sections */
	Elf_Data *symbols;   /* or NULL */
	size_t symbol_names; /* section */
	uint32_t sm;
	struct sass_code *code;
	size_t first; /* function of this file */
	struct hd_diags *d;
};

static bool bad(struct cubin *c, const char *what)
{
	hd__diag(c->d, HD_DIAG_ERROR, c->file, 0, 0, "%s", what);
	return false;
}

static uint64_t little(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes-- > 0)
		v = v << 8 | p[bytes];
	return v;
}

/* ---- code ---- */

/* Words of 64 bits; the first of every four is the control fields of the others. */
static void add_old(struct sass_function *f, const unsigned char *p, size_t size)
{
	for (size_t pc = 0; pc + SASS_OLD_BYTES <= size; pc += SASS_OLD_BYTES) {
		struct sass_inst *i;

		if (pc % (4 * SASS_OLD_BYTES) == 0)
			continue;
		i = hd__sass_inst(f, (uint32_t)pc);
		i->word.lo = little(p + pc, 8);
		i->wrong = hd__sass_old_control(little(p + pc / 32 * 32, 8), (unsigned)(pc % 32 / 8 - 1),
		                                &i->control);
	}
}

static void add_new(struct sass_function *f, const unsigned char *p, size_t size)
{
	for (size_t pc = 0; pc + SASS_BYTES <= size; pc += SASS_BYTES) {
		struct sass_inst *i = hd__sass_inst(f, (uint32_t)pc);

		i->word = (struct sass_word){ .lo = little(p + pc, 8), .hi = little(p + pc + 8, 8) };
		i->wrong = hd__sass_control(i->word, &i->control);
		i->text = hd__sass_decode(i->word, f->sm, i->pc);
	}
}

static void add_function(struct cubin *c, Elf_Scn *s, const char *name)
{
	Elf_Data *data = elf_rawdata(s, NULL);
	struct sass_function *f;

	if (!data || !data->d_buf || data->d_size == 0) {
		hd__diag(c->d, HD_DIAG_ERROR, c->file, 0, 0, "function '%s' has no code in the file", name);
		return;
	}
	if (data->d_size % SASS_BYTES || data->d_size / SASS_BYTES > SASS_MAX_CODE) {
		hd__diag(c->d, HD_DIAG_ERROR, c->file, 0, 0, "function '%s' has %zu bytes; expected a multiple of "
		         "%u, at most %u instructions", name, data->d_size, SASS_BYTES, SASS_MAX_CODE);
		return;
	}
	f = hd__sass_function(c->code, c->file, name, strlen(name), c->sm);
	if (c->sm < SASS_VOLTA)
		add_old(f, data->d_buf, data->d_size);
	else
		add_new(f, data->d_buf, data->d_size);
}

/* ---- what else is known of a function ---- */

static struct sass_function *function_named(const struct cubin *c, const char *name)
{
	for (size_t i = c->first; i < c->code->n; i++)
		if (strcmp(c->code->v[i].name, name) == 0)
			return &c->code->v[i];
	return NULL;
}

/* The name of symbol i, or NULL. */
static const char *symbol_name(const struct cubin *c, uint64_t i)
{
	GElf_Sym symbol;

	if (!c->symbols || i > INT32_MAX || !gelf_getsym(c->symbols, (int)i, &symbol))
		return NULL;
	return elf_strptr(c->elf, c->symbol_names, symbol.st_name);
}

/* A list of attributes: format, number, then two bytes that are a value, or the number of bytes that
 * follow. */
static void read_info(const struct cubin *c, Elf_Scn *s)
{
	Elf_Data *data = elf_rawdata(s, NULL);
	const unsigned char *p = data ? data->d_buf : NULL;
	size_t size = p ? data->d_size : 0;

	for (size_t at = 0; at + 4 <= size;) {
		size_t bytes = p[at] == HAS_SIZE ? (size_t)little(p + at + 2, 2) : 0;

		if (bytes > size - at - 4)
			return;
		if (p[at + 1] == REGISTERS && bytes >= 8) {
			const char *name = symbol_name(c, little(p + at + 4, 4));
			struct sass_function *f = name ? function_named(c, name) : NULL;

			if (f) {
				f->regs = (uint32_t)little(p + at + 8, 4);
				f->measured = true;
			}
		}
		at += 4 + bytes;
	}
}

/* ---- sections ---- */

static void each_section(struct cubin *c, void (*use)(struct cubin *, Elf_Scn *, const GElf_Shdr *,
                                                      const char *))
{
	Elf_Scn *s = NULL;
	GElf_Shdr h;

	for (size_t n = 0; n < MAX_SECTIONS && (s = elf_nextscn(c->elf, s)) != NULL; n++) {
		const char *name = gelf_getshdr(s, &h) ? elf_strptr(c->elf, c->names, h.sh_name) : NULL;

		if (name)
			use(c, s, &h, name);
	}
}

static void code_section(struct cubin *c, Elf_Scn *s, const GElf_Shdr *h, const char *name)
{
	if (h->sh_type == SHT_PROGBITS && strncmp(name, text, sizeof text - 1) == 0)
		add_function(c, s, name + sizeof text - 1);
	if (h->sh_type == SHT_SYMTAB) {
		c->symbols = elf_getdata(s, NULL);
		c->symbol_names = h->sh_link;
	}
}

static void other_section(struct cubin *c, Elf_Scn *s, const GElf_Shdr *h, const char *name)
{
	if (strncmp(name, shared, sizeof shared - 1) == 0) {
		struct sass_function *f = function_named(c, name + sizeof shared - 1);

		if (f)
			f->shared = h->sh_size <= UINT32_MAX ? (uint32_t)h->sh_size : 0;
	} else if (strcmp(name, info) == 0) {
		read_info(c, s);
	}
}

static bool read_header(struct cubin *c)
{
	GElf_Ehdr h;

	if (elf_kind(c->elf) != ELF_K_ELF || gelf_getclass(c->elf) != ELFCLASS64 || !gelf_getehdr(c->elf, &h)
	    || h.e_ident[EI_DATA] != ELFDATA2LSB)
		return bad(c, "not an ELF file of 64 bits, little endian; expected a cubin");
	if (h.e_machine != MACHINE) {
		hd__diag(c->d, HD_DIAG_ERROR, c->file, 0, 0, "an ELF file for machine %u; expected a cubin, for "
		         "machine %u; 'cuobjdump -xelf all' takes those out of a program", h.e_machine, MACHINE);
		return false;
	}
	c->sm = h.e_ident[EI_OSABI] == NEW_ABI ? h.e_flags >> 8 & 255 : h.e_flags & 255;
	if (elf_getshdrstrndx(c->elf, &c->names) != 0)
		return bad(c, "the sections of the cubin have no names");
	return true;
}

void hd__cubin_read(struct sass_code *code, const char *file, char *image, size_t size,
                    struct hd_diags *d)
{
	struct cubin c = { .file = file, .code = code, .first = code->n, .d = d };

	elf_version(EV_CURRENT);
	c.elf = elf_memory(image, size);
	if (!c.elf) {
		bad(&c, elf_errmsg(-1));
		return;
	}
	if (read_header(&c)) {
		each_section(&c, code_section);
		each_section(&c, other_section);
	}
	elf_end(c.elf);
}
