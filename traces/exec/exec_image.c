/* exec_image.c - a cubin in device memory: its kernels, variables, constants, relocations
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sections are read by libelf, which checks sizes and places in the file.  Everything that one section says about
 * another is checked here, so that a damaged cubin is an error or runs into one.
 */
#include "exec_check.h"
#include "exec_ops.h"

#include <gelf.h>
#include <libelf.h>

#define MACHINE 190u
#define NEW_ABI 0x41u
#define MOST_SECTIONS 65536u
#define MOST_SYMBOLS (1u << 20)
#define MOST_CODE (1u << 22)       /* instructions of an image */
#define MOST_VARIABLES (UINT64_C(1) << 34)
#define ENTRY 0x10u                /* in st_other: a kernel */
#define FIRST_SM 70u
#define INDIRECT_STACK 8192u       /* bytes for functions whose calls the compiler does not know, as recursion is */

/* Attributes of .nv.info. */
enum { THREADS = 0x05, ARGUMENTS = 0x0a, FRAME = 0x11, STACK = 0x12, PARAMETER = 0x17, REGISTERS = 0x2f,
       CLUSTER = 0x3d, LARGE_PARAMETER = 0x45 };
#define HAS_SIZE 4u

/* ---- sections and symbols ---- */

static uint64_t little(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes-- > 0)
		v = v << 8 | p[bytes];
	return v;
}

static void put_little(unsigned char *p, uint64_t v, unsigned bytes)
{
	for (; bytes-- > 0; v >>= 8)
		*p++ = (unsigned char)v;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* What libelf decompresses is not in m->bytes. */
static bool refuse_compressed(const struct hd_exec_image *m, Elf *elf, char **why)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;

	while ((scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &h) && h.sh_flags & SHF_COMPRESSED) {
			*why = hd__format("%s: section %zu of the cubin is compressed; expected none that is, as nvcc "
			                  "writes them", m->name, elf_ndxscn(scn));
			return false;
		}
	return true;
}

static bool read_sections(struct hd_exec_image *m, Elf *elf, char **why)
{
	size_t names, n;

	if (elf_getshdrstrndx(elf, &names) != 0 || elf_getshdrnum(elf, &n) != 0 || n == 0 || n > MOST_SECTIONS) {
		*why = hd__format("%s: the cubin has no list of sections; expected a whole file", m->name);
		return false;
	}
	m->section = hd__xcalloc(n, sizeof *m->section);
	m->sections = n;
	for (size_t i = 0; i < n; i++) {
		Elf_Scn *scn = elf_getscn(elf, i);
		struct exec_section *s = &m->section[i];
		Elf_Data *data;
		GElf_Shdr h;

		s->name = "";
		s->code = -1;
		if (!scn || !gelf_getshdr(scn, &h))
			continue;
		s->name = elf_strptr(elf, names, h.sh_name);
		s->name = s->name ? s->name : "";
		s->bytes = h.sh_size;
		s->type = h.sh_type;
		s->link = h.sh_link;
		s->info = h.sh_info;
		if (h.sh_type == SHT_NOBITS || h.sh_type == SHT_NULL)
			continue;
		if (h.sh_offset > m->n || h.sh_size > m->n - h.sh_offset) {
			*why = hd__format("%s: section %zu '%s' of the cubin ends behind the end of the file; expected "
			                  "a whole file", m->name, i, s->name);
			return false;
		}
		data = elf_rawdata(scn, NULL);
		s->data = data ? data->d_buf : NULL; /* in m->bytes */
		s->bytes = s->data ? data->d_size : 0;
	}
	return true;
}

static void read_symbols(struct hd_exec_image *m, Elf *elf)
{
	for (size_t i = 0; i < m->sections; i++) {
		const struct exec_section *s = &m->section[i];
		size_t n = s->bytes / sizeof(Elf64_Sym);

		if (s->type != SHT_SYMTAB || m->symbol || n > MOST_SYMBOLS || !s->data)
			continue;
		m->symbol = hd__xcalloc(n, sizeof *m->symbol);
		m->symbols = n;
		for (size_t k = 0; k < n; k++) {
			Elf64_Sym y;
			const char *name;

			memcpy(&y, s->data + k * sizeof y, sizeof y);
			name = elf_strptr(elf, s->link, y.st_name);
			m->symbol[k] = (struct exec_symbol){
				.name = name ? name : "", .value = y.st_value, .bytes = y.st_size,
				.section = y.st_shndx < m->sections ? y.st_shndx : 0,
				.type = y.st_info & 15, .entry = y.st_other & ENTRY,
			};
		}
	}
}

/* Code, and what of device memory variables get. */
static bool place_sections(struct hd_exec_image *m, char **why)
{
	uint64_t variables = 0, code = 1;

	for (size_t i = 0; i < m->sections; i++) {
		struct exec_section *s = &m->section[i];

		if (begins(s->name, ".text.") && s->type == SHT_PROGBITS && s->data) {
			m->code = hd__xappend(m->code, m->codes, sizeof *m->code);
			m->code[m->codes] = (struct exec_code){ .name = s->name + 6, .section = (uint32_t)i,
				.first = (uint32_t)code, .n = (uint32_t)(s->bytes / SASS_BYTES), .words = s->data };
			s->code = (int32_t)m->codes++;
			code += s->bytes / SASS_BYTES
				+ 1; /* the last one is none: nothing may go on behind a function */
		} else if (begins(s->name, ".nv.global") || strcmp(s->name, ".nv.constant3") == 0) {
			variables = (variables + 255) & ~UINT64_C(255);
			s->place = variables;
			variables += s->bytes;
		}
		if (code > MOST_CODE || variables > MOST_VARIABLES) {
			*why = hd__format("%s: the cubin has too much code, or too large variables", m->name);
			return false;
		}
	}
	m->ops = (uint32_t)code;
	m->op = hd__xcalloc(code, sizeof *m->op);
	for (size_t i = 0; i < m->codes; i++)
		for (uint32_t k = 0; k <= m->code[i].n; k++)
			m->op[m->code[i].first + k].code = (uint32_t)i;
	if (variables == 0)
		return true;
	m->variables = hd__exec_alloc_variables(m->x, variables);
	hd__exec_written(m->x, m->variables, variables);
	if (!m->variables)
		*why = hd__format("%s: no device memory for %llu bytes of variables", m->name,
		                  (unsigned long long)variables);
	return m->variables != 0;
}

static bool is_variables(const struct exec_section *s)
{
	return begins(s->name, ".nv.global") || strcmp(s->name, ".nv.constant3") == 0;
}

/* ---- relocations ---- */

enum relocation {
	RELOC_32 = 1,
	RELOC_64,
	RELOC_GENERIC_32,
	RELOC_GENERIC_64,
	RELOC_LOW = 56,
	RELOC_HIGH = 57,
	RELOC_CALL = 58,
	RELOC_CALL_90 = 75, /* on Hopper and later; it is decoded as the other one */
};

/* The function that the machine provides, or EXEC_NO_CALL. */
static enum exec_call call_named(const char *name)
{
	static const char *const names[] = { "vprintf", "malloc", "free", "__assertfail" };
	size_t i = 0;

	while (i < sizeof names / sizeof *names && strcmp(names[i], name) != 0)
		i++;
	return (enum exec_call)i;
}

/* UINT64_MAX: no section has it. */
static uint64_t address_of(const struct hd_exec_image *m, const struct exec_symbol *y)
{
	const struct exec_section *s = &m->section[y->section];

	if (y->section == 0) {
		enum exec_call call = call_named(y->name);

		return call == EXEC_NO_CALL ? UINT64_MAX : EXEC_CALLS + (uint64_t)call * SASS_BYTES;
	}
	if (s->code >= 0)
		return EXEC_CODE + (uint64_t)m->code[s->code].first * SASS_BYTES + y->value;
	return is_variables(s) ? m->variables + s->place + y->value : y->value;
}

static void relocate_at(unsigned char *p, uint64_t room, uint32_t type, uint64_t v, bool adds)
{
	uint64_t lo, hi;

	switch (type) {
	case RELOC_32: case RELOC_GENERIC_32:
		if (room >= 4)
			put_little(p, v + (adds ? little(p, 4) : 0), 4);
		break;
	case RELOC_64: case RELOC_GENERIC_64:
		if (room >= 8)
			put_little(p, v + (adds ? little(p, 8) : 0), 8);
		break;
	case RELOC_LOW: case RELOC_HIGH: /* of an immediate, bits 32 to 63 */
		if (room >= 8)
			put_little(p + 4, type == RELOC_LOW ? v : v >> 32, 4);
		break;
	case RELOC_CALL: case RELOC_CALL_90: /* 47 bits at bit 34, in words of 4 bytes */
		if (room < SASS_BYTES)
			break;
		lo = (little(p, 8) & ((UINT64_C(1) << 34) - 1)) | v >> 2 << 34;
		hi = (little(p + 8, 8) & ~UINT64_C(0x1ffff)) | (v >> 32 & 0x1ffff);
		put_little(p, lo, 8);
		put_little(p + 8, hi, 8);
		break;
	default: break; /* of what does not matter to execution */
	}
}

static bool relocate(struct hd_exec_image *m, const struct exec_section *r, char **why)
{
	struct exec_section *to = &m->section[(r->info & 0xffffff) < m->sections ? r->info & 0xffffff : 0];
	size_t each = r->type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);

	if (!to->data || !r->data || !(to->code >= 0 || is_variables(to) || begins(to->name, ".nv.constant")
	                               || strcmp(to->name, ".debug_line") == 0))
		return true;
	for (uint64_t at = 0; at + each <= r->bytes; at += each) {
		Elf64_Rela x = { 0 };
		const struct exec_symbol *y;
		uint64_t v;

		memcpy(&x, r->data + at, each);
		if (ELF64_R_SYM(x.r_info) >= m->symbols || x.r_offset >= to->bytes)
			continue;
		y = &m->symbol[ELF64_R_SYM(x.r_info)];
		v = address_of(m, y);
		if (v == UINT64_MAX && y->type != STT_SECTION && *y->name && ELF64_R_SYM(x.r_info) != 0) {
			*why = hd__format("%s: function '%s' is not in the cubin; expected the code of all functions "
					  "(nvcc links them), or one of vprintf, malloc, free, __assertfail",
					  m->name, y->name);
			return false;
		}
		relocate_at(to->data + x.r_offset, to->bytes - x.r_offset, ELF64_R_TYPE(x.r_info),
		            v + (uint64_t)x.r_addend, r->type == SHT_REL);
	}
	return true;
}

static bool relocate_all(struct hd_exec_image *m, char **why)
{
	for (size_t i = 0; i < m->sections; i++)
		if ((m->section[i].type == SHT_REL || m->section[i].type == SHT_RELA)
		    && !relocate(m, &m->section[i], why))
			return false;
	return true;
}

/* ---- variables and constants ---- */

uint32_t hd__exec_bank(const char *section, const char **kernel)
{
	char *end;
	unsigned long n;

	if (!begins(section, ".nv.constant"))
		return EXEC_BANKS;
	n = strtoul(section + 12, &end, 10);
	*kernel = *end == '.' ? end + 1 : end;
	return n < EXEC_BANKS && end != section + 12 && (*end == '.' || *end == '\0') ? (uint32_t)n : EXEC_BANKS;
}

static void fill_variables(struct hd_exec_image *m)
{
	for (size_t i = 0; i < m->sections; i++) {
		struct exec_section *s = &m->section[i];
		const char *kernel = "";
		uint32_t b = hd__exec_bank(s->name, &kernel);

		if (is_variables(s) && s->data && s->bytes)
			memcpy((void *)(uintptr_t)(m->variables + s->place), s->data, s->bytes);
		if (b == EXEC_BANKS || b == 0 || *kernel || s->bytes == 0)
			continue;
		m->constant[b] = is_variables(s) ? m->variables + s->place : (uintptr_t)s->data;
		m->constant_bytes[b] = s->bytes > EXEC_BANK0 ? EXEC_BANK0 : (uint32_t)s->bytes;
		if (!m->constant[b])
			m->constant_bytes[b] = 0;
	}
}

/* ---- kernels ---- */

static struct exec_section *section_of(const struct hd_exec_image *m, const char *prefix, const char *name)
{
	size_t n = strlen(prefix);

	for (size_t i = 0; i < m->sections; i++)
		if (begins(m->section[i].name, prefix) && strcmp(m->section[i].name + n, name) == 0)
			return &m->section[i];
	return NULL;
}

static void attribute(struct hd_exec_image *m, size_t i, unsigned what, const unsigned char *p, size_t n)
{
	struct hd_exec_kernel *k = &m->kernel[i];
	uint64_t threads;

	if (what == ARGUMENTS && n >= 8) {
		m->base[i] = (uint16_t)little(p + 4, 2);
		k->args = (uint32_t)little(p + 6, 2);
	} else if ((what == PARAMETER || what == LARGE_PARAMETER) && n >= 12) {
		uint32_t number = (uint32_t)little(p + 4, 2);

		if (number >= 4096)
			return;
		if (number >= k->params) {
			m->param[i] = hd__xrealloc(m->param[i], (number + 1) * sizeof **m->param);
			memset(m->param[i] + k->params, 0, (number + 1 - k->params) * sizeof **m->param);
			k->params = number + 1;
			k->param = m->param[i];
		}
		m->param[i][number] =
			(struct hd_exec_param){ (uint32_t)little(p + 6, 2),
			                        what == PARAMETER ? (uint32_t)little(p + 8, 4) >> 18
			                                          : (uint32_t)little(p + 8, 2) };
	} else if (what == THREADS && n >= 12) {
		threads = little(p, 4) * little(p + 4, 4);
		threads = threads > 1024 ? 1024 : threads * little(p + 8, 4);
		if (threads >= 1 && threads < k->most_threads)
			k->most_threads = (uint32_t)threads;
	} else if (what == CLUSTER && n >= 12) {
		for (int d = 0; d < 3; d++)
			k->cluster[d] = (uint32_t)little(p + 4 * d, 4);
	}
}

/* Attributes about symbols, in the section of all functions. */
static void common(struct hd_exec_image *m, unsigned what, const unsigned char *p, size_t n)
{
	uint64_t symbol = n >= 8 ? little(p, 4) : m->symbols;
	uint32_t v = n >= 8 ? (uint32_t)little(p + 4, 4) : 0;

	if (symbol >= m->symbols)
		return;
	for (size_t i = 0; i < m->kernels; i++) {
		if (strcmp(m->kernel[i].name, m->symbol[symbol].name) != 0)
			continue;
		if (what == REGISTERS)
			m->kernel[i].registers = v;
		else if (what == FRAME)
			m->kernel[i].local = v;
		if ((what == FRAME || what == STACK) && v > m->stack[i] && v < EXEC_WINDOW / 4)
			m->stack[i] = v;
	}
}

/* A list of attributes: format, number, then two bytes that are a value, or the number of bytes that follow. */
static void read_info(struct hd_exec_image *m, const struct exec_section *s, size_t kernel)
{
	for (uint64_t at = 0; s && s->data && at + 4 <= s->bytes;) {
		const unsigned char *p = s->data + at;
		uint64_t n = *p == HAS_SIZE ? little(p + 2, 2) : 0;

		if (n > s->bytes - at - 4)
			return;
		if (kernel < m->kernels)
			attribute(m, kernel, p[1], p + 4, n);
		else
			common(m, p[1], p + 4, n);
		at += 4 + n;
	}
}

/* Arguments are copied to where the cubin says. */
static bool check_params(const struct hd_exec_kernel *k, char **why)
{
	for (uint32_t i = 0; i < k->params; i++)
		if (k->param[i].offset + k->param[i].bytes > k->args) {
			*why = hd__format("%s: the cubin is damaged: parameter %u of kernel '%s' has %u bytes at %u of "
			                  "the %u bytes of arguments", k->image->name, i + 1, k->name,
			                  k->param[i].bytes, k->param[i].offset, k->args);
			return false;
		}
	return true;
}

static bool add_kernel(struct hd_exec_image *m, const struct exec_symbol *y, char **why)
{
	const struct exec_code *c = &m->code[m->section[y->section].code];
	struct exec_section *shared = section_of(m, ".nv.shared.", y->name);
	size_t n = m->kernels;

	if (y->value / SASS_BYTES >= c->n)
		return true;
	m->kernel = hd__xappend(m->kernel, n, sizeof *m->kernel);
	m->param = hd__xappend(m->param, n, sizeof *m->param);
	m->entry = hd__xappend(m->entry, n, sizeof *m->entry);
	m->stack = hd__xappend(m->stack, n, sizeof *m->stack);
	m->base = hd__xappend(m->base, n, sizeof *m->base);
	m->param[n] = NULL;
	m->stack[n] = 0;
	m->base[n] = m->sm >= 100 ? 0x380 : m->sm >= 90 ? 0x210 : 0x160;
	m->entry[n] = c->first + (uint32_t)(y->value / SASS_BYTES);
	m->kernel[n] = (struct hd_exec_kernel){ .name = y->name, .image = m, .sm = m->sm, .most_threads = 1024,
		.shared = shared && shared->bytes <= EXEC_WINDOW / 2 ? (uint32_t)shared->bytes : 0,
		.constant = m->constant_bytes[3] };
	m->kernels++;
	read_info(m, section_of(m, ".nv.info.", y->name), n);
	return check_params(&m->kernel[n], why);
}

/* Has it code for units beside the warps? */
static bool has_async(const struct hd_exec_image *m)
{
	for (size_t i = 0; m->sm >= 90 && m->sm < 100 && i < m->codes; i++)
		for (uint32_t k = 0; k < m->code[i].n; k++) {
			unsigned op = (unsigned)little(m->code[i].words + (size_t)k * SASS_BYTES, 2) & 511;

			if (op == 0x1a7 || (op >= 0x1b0 && op <= 0x1bc) || op == 0x1c5 || (op >= 0x1f0 && op <= 0x1f3))
				return true;
		}
	return false;
}

static bool read_kernels(struct hd_exec_image *m, char **why)
{
	bool async = has_async(m);

	for (size_t i = 0; i < m->symbols; i++) {
		const struct exec_symbol *y = &m->symbol[i];

		if (y->type == STT_FUNC && y->entry && y->section && m->section[y->section].code >= 0
		    && !add_kernel(m, y, why))
			return false;
	}
	read_info(m, section_of(m, ".nv.info", ""), m->kernels);
	for (size_t i = 0; i < m->kernels; i++)
		m->kernel[i].async = async;
	return true;
}

/* ---- all of it ---- */

static bool read_elf(struct hd_exec_image *m, Elf *elf, uint32_t sm, char **why)
{
	GElf_Ehdr h;

	if (!elf || elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 || !gelf_getehdr(elf, &h)
	    || h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != MACHINE) {
		*why = hd__format("%s: not a cubin; expected an ELF file of 64 bits for machine %u, as 'nvcc -cubin' "
		                  "writes, or a fatbin", m->name, MACHINE);
		return false;
	}
	m->sm = h.e_ident[EI_OSABI] == NEW_ABI ? h.e_flags >> 8 & 255 : h.e_flags & 255;
	if (m->sm < FIRST_SM) {
		*why = hd__format("%s: a cubin for sm_%u; expected one for sm_%u or later", m->name, m->sm, FIRST_SM);
		return false;
	}
	if (!hd__exec_fits(sm, m->sm)) {
		*why = hd__format("%s: a cubin for sm_%u; expected one that a GPU of version %u executes; compile with "
		                  "-arch=sm_%u", m->name, m->sm, sm, sm);
		return false;
	}
	if (!refuse_compressed(m, elf, why) || !read_sections(m, elf, why))
		return false;
	read_symbols(m, elf);
	if (!place_sections(m, why) || !relocate_all(m, why))
		return false;
	fill_variables(m);
	return read_kernels(m, why);
}

/* Names of sections and symbols are copied, as libelf's end with it; they are in m->bytes, where libelf found them. */
static bool load_cubin(struct hd_exec_image *m, uint32_t sm, char **why)
{
	Elf *elf;
	bool good;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)m->bytes, m->n);
	good = read_elf(m, elf, sm, why);
	if (elf)
		elf_end(elf);
	return good;
}

struct hd_exec_image *hd__exec_load(struct hd_exec *x, const void *bytes, size_t n, uint32_t sm, const char *name,
                                    char **why)
{
	struct hd_exec_image *m;
	void *made = NULL;
	char *what = NULL;
	uint32_t magic = 0;

	if (n >= sizeof magic)
		memcpy(&magic, bytes, sizeof magic);
	if (magic == HD_EXEC_FATBIN && n >= 16) {
		bytes = hd__exec_fatbin_pick(bytes, n, sm, &n, &made, &what);
		if (!bytes) {
			*why = hd__format("%s: %s", name, what);
			free(what);
			return NULL;
		}
	}
	m = hd__xcalloc(1, sizeof *m);
	m->x = x;
	m->name = hd__xstrdup(name);
	m->bytes = hd__xcalloc(n + 1, 1);
	m->original = hd__xcalloc(n + 1, 1);
	m->n = n;
	if (n) {
		memcpy(m->bytes, bytes, n);
		memcpy(m->original, bytes, n);
	}
	free(made);
	m->next = x->images;
	x->images = m;
	if (load_cubin(m, sm, why))
		return m;
	hd__exec_unload(m);
	return NULL;
}

void hd__exec_unload(struct hd_exec_image *m)
{
	struct hd_exec_image **at = &m->x->images;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	if (m->x->check)
		hd__check_unload(m->x->check, m);
	hd__exec_lines_free(m);
	if (m->variables)
		hd__exec_release(m->x, m->variables);
	for (size_t i = 0; i < m->kernels; i++)
		free(m->param[i]);
	for (size_t i = 0; i < m->codes; i++)
		free(m->code[i].constant);
	free(m->param);
	free(m->kernel);
	free(m->entry);
	free(m->stack);
	free(m->base);
	free(m->code);
	free(m->op);
	free(m->symbol);
	free(m->section);
	free(m->bytes);
	free(m->original);
	free(m->name);
	free(m);
}

const struct hd_exec_kernel *hd__exec_kernel_at(const struct hd_exec_image *m, size_t i)
{
	return i < m->kernels ? &m->kernel[i] : NULL;
}

const struct hd_exec_kernel *hd__exec_kernel(const struct hd_exec_image *m, const char *name)
{
	for (size_t i = 0; i < m->kernels; i++)
		if (strcmp(m->kernel[i].name, name) == 0)
			return &m->kernel[i];
	return NULL;
}

bool hd__exec_symbol(const struct hd_exec_image *m, const char *name, uint64_t *address, uint64_t *bytes)
{
	for (size_t i = 0; i < m->symbols; i++) {
		const struct exec_symbol *y = &m->symbol[i];

		if (y->section == 0 || !is_variables(&m->section[y->section]) || strcmp(y->name, name) != 0
		    || y->value > m->section[y->section].bytes || y->bytes > m->section[y->section].bytes - y->value)
			continue;
		*address = address_of(m, y);
		*bytes = y->bytes;
		return true;
	}
	return false;
}

const void *hd__exec_cubin(const struct hd_exec_image *m, size_t *bytes)
{
	*bytes = m->n;
	return m->original;
}

void hd__exec_decode_code(struct hd_exec_image *m, struct exec_code *c)
{
	if (c->decoded)
		return;
	c->decoded = true;
	hd__exec_constants(c);
	for (uint32_t i = 0; i < c->n; i++) {
		const unsigned char *p = c->words + (size_t)i * SASS_BYTES;
		struct exec_op *o = &m->op[c->first + i];

		hd__exec_decode(o, (struct sass_word){ .lo = little(p, 8), .hi = little(p + 8, 8) }, m->sm, c,
				m->x->wide);
		o->code = (uint32_t)(c - m->code);
		c->strong |= o->operation == EXEC_OP_load && o->flags & EXEC_STRONG;
	}
}
