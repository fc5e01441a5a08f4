/* exec_lines.c - files and lines of the source of instructions, from the table that nvcc -lineinfo leaves in a cubin
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table's addresses are relocated with the code, so that all functions have their own.
 */
#include "exec_check.h"

#include <elfutils/libdw.h>

struct line {
	uint64_t address;
	char *file;
	uint32_t line; /* 0: a sequence ends */
	size_t number; /* of several at an address the last one counts */
};

struct exec_lines {
	struct line *line; /* in order of addresses */
	size_t n, cap;
};

static int by_address(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	/* an end of a sequence is before what begins at its address */
	return (x->line != 0) != (y->line != 0) ? (x->line != 0) - (y->line != 0) : x->number < y->number ? -1 : 1;
}

static void add(struct exec_lines *l, Dwarf_Line *from)
{
	const char *file = dwarf_linesrc(from, NULL, NULL);
	Dwarf_Addr address;
	bool ends;
	int n;

	if (dwarf_lineaddr(from, &address) != 0 || dwarf_lineno(from, &n) != 0
	    || dwarf_lineendsequence(from, &ends) != 0)
		return;
	l->line = hd__xgrow(l->line, l->n, &l->cap, sizeof *l->line);
	l->line[l->n] = (struct line){ address, hd__xstrdup(file ? file : "?"), ends || n < 0 ? 0 : (uint32_t)n, l->n };
	l->n++;
}

static void read_units(struct exec_lines *l, Dwarf *dwarf)
{
	Dwarf_Off at = 0, next;
	Dwarf_CU *unit = NULL;
	Dwarf_Files *files;
	Dwarf_Lines *lines;
	size_t nfiles, nlines;

	while (dwarf_next_lines(dwarf, at, &next, &unit, &files, &nfiles, &lines, &nlines) == 0 && next > at) {
		for (size_t i = 0; i < nlines; i++)
			add(l, dwarf_onesrcline(lines, i));
		at = next;
	}
}

static struct exec_lines *read_lines(const struct hd_exec_image *m)
{
	struct exec_lines *l = hd__xcalloc(1, sizeof *l);
	Elf *elf = elf_memory((char *)m->bytes, m->n);
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;

	if (dwarf) {
		read_units(l, dwarf);
		dwarf_end(dwarf);
	}
	if (elf)
		elf_end(elf);
	if (l->n)
		qsort(l->line, l->n, sizeof *l->line, by_address);
	return l;
}

bool hd__exec_line(const struct hd_exec_image *m, uint32_t pc, const char **file, uint32_t *line)
{
	struct hd_exec_image *mine = (struct hd_exec_image *)m; /* read when it is first asked for */
	uint64_t address = EXEC_CODE + (uint64_t)pc * SASS_BYTES;
	size_t low = 0, n;

	if (!mine->lines)
		mine->lines = read_lines(m);
	for (n = mine->lines->n; low < n;) {
		size_t middle = low + (n - low) / 2;

		if (mine->lines->line[middle].address <= address)
			low = middle + 1;
		else
			n = middle;
	}
	if (low == 0 || mine->lines->line[low - 1].line == 0)
		return false;
	*file = mine->lines->line[low - 1].file;
	*line = mine->lines->line[low - 1].line;
	return true;
}

void hd__exec_lines_free(struct hd_exec_image *m)
{
	for (size_t i = 0; m->lines && i < m->lines->n; i++)
		free(m->lines->line[i].file);
	if (m->lines)
		free(m->lines->line);
	free(m->lines);
}
