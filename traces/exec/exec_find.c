/* exec_find.c - what was found in kernels, and which device memory was written
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_check.h"

#define MOST_FINDINGS 4096u

/* ---- what is kept ---- */

struct exec_check *hd__check_new(void)
{
	struct exec_check *c = hd__xcalloc(1, sizeof *c);

	c->page = hd__xpages(EXEC_ARENA_BYTES / EXEC_PAGE * sizeof *c->page);
	return c;
}

static void free_place(struct hd_exec_place *p)
{
	free(p->function);
	free(p->text);
	free(p->file);
}

void hd__check_free(struct exec_check *c)
{
	if (!c)
		return;
	for (uint64_t i = 0; i < EXEC_ARENA_BYTES / EXEC_PAGE; i++) {
		if (!c->page[i])
			continue;
		free(c->page[i]->cell);
		free(c->page[i]);
	}
	hd__free_pages(c->page, EXEC_ARENA_BYTES / EXEC_PAGE * sizeof *c->page);
	for (size_t i = 0; i < c->nfinding; i++) {
		free_place(&c->finding[i].at);
		free_place(&c->finding[i].other);
		free(c->finding[i].kernel);
		free(c->finding[i].words);
	}
	free(c->finding);
	free(c->origin);
	free(c);
}

struct exec_page *hd__check_page(struct exec_check *c, uint64_t address)
{
	struct exec_page **p = &c->page[(address - EXEC_ARENA) / EXEC_PAGE];

	if (!*p)
		*p = hd__xcalloc(1, sizeof **p);
	return *p;
}

/* Sets or clears the bits of bytes in the arena. */
static void mark(struct exec_check *c, uint64_t at, uint64_t bytes, bool written)
{
	while (bytes) {
		uint64_t from = at % EXEC_PAGE, n = EXEC_PAGE - from < bytes ? EXEC_PAGE - from : bytes;
		unsigned char *bits;

		at += n;
		bytes -= n;
		if (!written && !c->page[(at - n - EXEC_ARENA) / EXEC_PAGE])
			continue;
		bits = hd__check_page(c, at - n)->written;
		while (n) {
			if (from % 8 == 0 && n >= 8) {
				memset(bits + from / 8, written ? 255 : 0, n / 8);
				from += n / 8 * 8;
				n %= 8;
				continue;
			}
			bits[from / 8] =
				(unsigned char)((bits[from / 8] & ~(1u << from % 8)) | (unsigned)written << from % 8);
			from++;
			n--;
		}
	}
}

static bool is_in_arena(uint64_t address, uint64_t bytes)
{
	return address >= EXEC_ARENA && address - EXEC_ARENA < EXEC_ARENA_BYTES
	       && bytes <= EXEC_ARENA_BYTES - (address - EXEC_ARENA);
}

void hd__exec_written(struct hd_exec *x, uint64_t address, uint64_t bytes)
{
	if (x->check && is_in_arena(address, bytes))
		mark(x->check, address, bytes, true);
}

void hd__check_freed(struct exec_check *c, uint64_t start, uint64_t bytes)
{
	c->freed[c->nfreed++ % EXEC_FREED] = (struct exec_freed){ start, bytes };
	mark(c, start, bytes, false);
	/* who gets it next, in the same launch, comes after those who had it */
	for (uint64_t at = start & ~UINT64_C(3); at < start + bytes; at += 4) {
		struct exec_page *p = c->page[(at - EXEC_ARENA) / EXEC_PAGE];

		if (p && p->cell)
			p->cell[at % EXEC_PAGE / 4] = (struct exec_cell){ .released = 0 };
		else
			at = (at | (EXEC_PAGE - 1)) - 3;
	}
}

void hd__check_unload(struct exec_check *c, const struct hd_exec_image *m)
{
	for (size_t i = 0; i < c->nfinding; i++)
		if (c->finding[i].image == m)
			c->finding[i].image = NULL;
	for (size_t i = 0; i < c->norigin; i++)
		if (c->origin[i].image == m)
			c->origin[i].image = NULL;
}

/* ---- findings ---- */

const char *hd__exec_kind(enum hd_exec_kind kind)
{
	static const char *const names[HD_EXEC_KINDS] = { "out of bounds",    "misaligned",         "use after free",
							  "unwritten memory", "unwritten register", "race",
							  "barrier" };

	return names[kind];
}

const struct hd_exec_finding *hd__exec_findings(const struct hd_exec *x, size_t *n)
{
	*n = x->check ? x->check->nfinding : 0;
	return x->check ? x->check->finding : NULL;
}

const char *hd__check_space(enum exec_space space)
{
	return space == EXEC_GLOBAL ? "global" : space == EXEC_SHARED ? "shared" : "local";
}

/* In the block of this number. */
struct exec_other hd__check_other(const struct exec_warp *w, uint32_t pc, uint64_t number, uint32_t warp, unsigned lane)
{
	const uint32_t *block = w->run->launch->block, *grid = w->run->launch->grid;
	uint32_t t = warp * EXEC_LANES + lane;
	uint64_t row = number / grid[0];

	return (struct exec_other){ .is = true, .pc = pc,
		.block = { (uint32_t)(number % grid[0]), (uint32_t)(row % grid[1]), (uint32_t)(row / grid[1]) },
		.thread = { t % block[0], t / block[0] % block[1], t / block[0] / block[1] } };
}

static struct hd_exec_place place_of(const struct hd_exec_image *m, const struct exec_other *at)
{
	const struct exec_code *c = exec_code_at(m, at->pc);
	struct hd_exec_place p = { .text = hd__exec_text(m, at->pc), .pc = c ? (at->pc - c->first) * SASS_BYTES : 0 };
	const char *file;

	p.function = hd__xstrdup(c ? c->name : "");
	memcpy(p.block, at->block, sizeof p.block);
	memcpy(p.thread, at->thread, sizeof p.thread);
	if (hd__exec_line(m, at->pc, &file, &p.line))
		p.file = hd__xstrdup(file);
	return p;
}

static struct hd_exec_finding *same(struct exec_check *c, enum hd_exec_kind kind, const struct hd_exec_image *m,
                                    const uint32_t key[2])
{
	for (size_t k = 0; k < c->nfinding; k++) {
		struct hd_exec_finding *f = &c->finding[(c->latest + k) % c->nfinding];

		if (f->kind != kind || f->image != m || f->key[0] != key[0] || f->key[1] != key[1])
			continue;
		c->latest = (size_t)(f - c->finding);
		return f;
	}
	return NULL;
}

void hd__check_find(struct exec_warp *w, uint32_t pc, unsigned lane, enum hd_exec_kind kind, uint64_t address,
                    const struct exec_other *other, const char *what, ...)
{
	struct exec_check *c = w->run->x->check;
	const struct hd_exec_image *m = w->run->image;
	const uint32_t key[2] = { pc, other ? other->pc : 0 };
	struct hd_exec_finding *f = same(c, kind, m, key);
	struct exec_other at = hd__check_other(w, pc, w->block->number, w->number, lane);
	va_list ap;

	if (f || c->nfinding == MOST_FINDINGS) {
		if (f)
			f->times++;
		return;
	}
	c->finding = hd__xgrow(c->finding, c->nfinding, &c->cap_finding, sizeof *c->finding);
	f = &c->finding[c->nfinding++];
	*f = (struct hd_exec_finding){ .kind = kind,
				       .kernel = hd__xstrdup(w->run->kernel->name),
				       .address = address,
				       .times = 1,
				       .image = m,
				       .at = place_of(m, &at),
				       .key = { key[0], key[1] } };
	if (other)
		f->other = place_of(m, other);
	va_start(ap, what);
	f->words = hd__xvprintf(what, ap);
	va_end(ap);
}
