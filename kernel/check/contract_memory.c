/* contract_memory.c - nothing is written behind a state, or behind what hd_memory() gave (--check-modules)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "contract.h"

#include <link.h>
#include <stdlib.h>

#define BEHIND 64u /* bytes that are looked at */

/* The first byte from `at` on that was written, below `end`; else `end`. */
static size_t written(const unsigned char *v, size_t at, size_t end)
{
	while (at < end && v[at] == HD_GUARD)
		at++;
	return at;
}

static void HD_PRINTF(2, 3) overran(const struct hd_instance *in, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	hd__fail_of(in, text);
	free(text);
}

/* ---- static variables ---- */

struct search {
	struct hd_contract *k;
	const struct hd_module *module;
};

static void add_statics(const struct search *f, uintptr_t from, uintptr_t to)
{
	struct hd_contract *k = f->k;
	struct hd_statics v = { .module = f->module, .at = (const unsigned char *)from, .bytes = to - from };

	if (from >= to)
		return;
	v.was = hd__xcheck(malloc(v.bytes));
	memcpy(v.was, v.at, v.bytes);
	k->statics = hd__xappend(k->statics, k->nstatics, sizeof *k->statics);
	k->statics[k->nstatics++] = v;
}

/* Writable segments of the plug-in, but for the part that only the linker writes. */
static int find_statics(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct search *f = arg;
	uintptr_t inside = (uintptr_t)f->module, low = 0, high = 0;
	bool ours = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t from = (uintptr_t)info->dlpi_addr + (uintptr_t)h->p_vaddr;

		ours = ours || (h->p_type == PT_LOAD && inside >= from && inside < from + h->p_memsz);
		if (h->p_type == PT_GNU_RELRO)
			low = from, high = from + h->p_memsz;
	}
	for (unsigned i = 0; ours && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t from = (uintptr_t)info->dlpi_addr + (uintptr_t)h->p_vaddr, to = from + h->p_memsz;

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_W))
			continue;
		if (low >= to || high <= from) {
			add_statics(f, from, to);
			continue;
		}
		add_statics(f, from, low);
		add_statics(f, high, to);
	}
	return ours;
}

void hd__statics_make(struct hd_sim *s)
{
	for (size_t i = 0; i < s->narrays; i++) {
		struct search f = { s->contract, s->arrays[i].module };
		size_t k = 0;

		while (k < s->contract->nstatics && s->contract->statics[k].module != f.module)
			k++;
		if (k == s->contract->nstatics && f.module->confined && s->arrays[i].registered->handle)
			dl_iterate_phdr(find_statics, &f);
	}
}

void hd__statics_free(struct hd_contract *k)
{
	for (size_t i = 0; i < k->nstatics; i++)
		free(k->statics[i].was);
	free(k->statics);
}

static void look_at_statics(const struct hd_contract *k, const struct hd_instance *in)
{
	for (size_t i = 0; i < k->nstatics; i++)
		if (k->statics[i].module == in->module
		    && memcmp(k->statics[i].at, k->statics[i].was, k->statics[i].bytes) != 0)
			overran(in, "declares 'confined' and has changed a static variable, by which its instances "
			        "have to do with each other; expected all that changes in the state");
}

/* ---- memory of an instance ---- */

void hd__look_behind(struct hd_sim *s, const struct hd_instance *in)
{
	const struct hd_contract *k = s->contract;
	size_t size = in->module->state_size, end = hd__state_room(in->module, true), n = written(in->state, size, end);

	look_at_statics(k, in);
	if (n < end)
		overran(in, "has written behind the %zu bytes of its state, at offset %zu; expected that 'state_size' "
		        "includes all that it uses", size, n);
	for (size_t i = 0; i < k->guarded[in->number].n; i++) {
		const struct hd_piece *p = &k->guarded[in->number].piece[i];

		n = written(p->v, p->bytes, p->bytes + BEHIND);
		if (n < p->bytes + BEHIND)
			overran(in, "has written behind the %zu bytes that it got from hd_memory(), at offset %zu; "
			        "expected an index within them", p->bytes, n);
	}
}

void *hd__guarded_memory(const struct hd_ctx *c, size_t n, size_t size)
{
	struct hd_guarded *g = &c->sim->contract->guarded[c->instance->number];
	size_t bytes;
	unsigned char *v;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 4)
		return NULL;
	v = hd__maybe_zeroed(c->sim, bytes + BEHIND, 1);
	if (v == NULL)
		return NULL;
	memset(v + bytes, HD_GUARD, BEHIND);
	g->piece = hd__xappend(g->piece, g->n, sizeof *g->piece);
	g->piece[g->n++] = (struct hd_piece){ v, bytes };
	return v;
}
