/* contract_pool.c - pools whose records are inaccessible while they are not in use (--check-modules)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Only every n-th handle is given out, so that no two records share a page.  A released record is
 * not given out again for a long time, and its pages are protected until then, so the first use of
 * a stale handle is a fault, which crash.c reports.  If more records are in use than there are such
 * handles, the others are given out, too, and nothing is protected any more.  A new record is filled
 * with a pattern, as its content is undefined.
 */
#include "contract.h"

#include <sys/mman.h>
#include <unistd.h>

#define RETIRED 1024u /* released records that stay out of use */
#define PATTERN 0xa5

struct over {
	uint64_t cycle;
	const struct hd_instance *by;
};

struct hd_guard {
	struct hd_watch watch;  /* first */
	struct hd_sim *sim;
	const struct hd_type *type;
	size_t bytes;           /* of all pages */
	uint32_t step;          /* between handles whose records share no page */
	uint32_t top, used;     /* last handle that was taken for the first time; records in use */
	bool open;              /* nothing is protected any more */
	uint32_t head, tail;    /* of the queue of released ones */
	uint32_t queue[HD_POOL_MAX];
	bool live[HD_POOL_MAX];
	struct over over[HD_POOL_MAX];
};

static struct hd_guard *guard_of(const struct hd_pool *p)
{
	return p->transactions;
}

void hd__guard_new(struct hd_sim *s, struct hd_pool *p, const struct hd_type *type)
{
	struct hd_guard *g = hd__xpages(sizeof *g);
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	void *base;

	g->step = page / type->record + 2;
	p->fresh = g->top = g->step;
	g->bytes = (size_t)HD_POOL_MAX * type->record;
	base = mmap(NULL, g->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	p->base = hd__xcheck(base == MAP_FAILED ? NULL : base);
	g->watch.checker = s->opt.checker;
	g->sim = s;
	g->type = type;
	p->transactions = &g->watch;
}

void hd__guard_free(struct hd_pool *p)
{
	struct hd_guard *g = guard_of(p);

	munmap(p->base, g->bytes);
	hd__free_pages(g, sizeof *g);
}

static void protect(const struct hd_guard *g, const struct hd_pool *p, uint32_t handle, int access)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)hd_rec(p, handle);
	uintptr_t low = from / page * page, end = (from + g->type->record + page - 1) / page * page;

	if (!g->open)
		mprotect((void *)low, end - low, access); /* failing, it stays as it is */
}

/* The handle that is given out next. */
static uint32_t next(struct hd_guard *g, struct hd_pool *p)
{
	uint32_t waiting = g->tail - g->head;
	bool more = g->open ? g->top < HD_POOL_MAX - 1 : g->top + g->step < HD_POOL_MAX - 1;

	if (waiting >= RETIRED || (waiting > 0 && !more))
		return g->queue[g->head++ % HD_POOL_MAX];
	if (!more && !g->open) {
		g->open = mprotect(p->base, g->bytes, PROT_READ | PROT_WRITE) == 0;
		g->top = 0;
	}
	if (!g->open)
		return g->top += g->step;
	while (g->top < HD_POOL_MAX - 1)
		if (++g->top % g->step != 0)
			break;
	return g->top;
}

/* Gives out the record that was announced by hd_pool_next(), and chooses the next one. */
uint32_t hd__guard_alloc(const struct hd_ctx *c, struct hd_pool *p)
{
	struct hd_guard *g = guard_of(p);
	uint32_t handle = p->fresh;

	if (handle == HD_POOL_MAX - 1)
		hd_fail(c, "more than %u records of type '%s' are in use; expected that each is released "
		        "in the end", HD_POOL_MAX - 2, g->type->name);
	g->live[handle] = true;
	g->used++;
	protect(g, p, handle, PROT_READ | PROT_WRITE);
	memset(hd_rec(p, handle), PATTERN, g->type->record);
	p->fresh = next(g, p);
	g->sim->contract->moves++;
	g->sim->contract->mover = NULL;
	return handle;
}

void hd__guard_release(struct hd_pool *p, uint32_t handle)
{
	struct hd_guard *g = guard_of(p);
	struct hd_contract *k = g->sim->contract;
	const struct hd_instance *in = k->running ? k->running : &g->sim->instances[0];
	struct over *over = &g->over[handle % HD_POOL_MAX];

	if (handle >= HD_POOL_MAX || !g->live[handle]) {
		if (handle >= HD_POOL_MAX || over->cycle == 0)
			hd_fail(&in->ctx, "module '%s' released record %u of type '%s', which was never in use; "
			        "expected a handle that hd_alloc() gave out", in->module->name, handle,
			        g->type->name);
		else
			hd_fail(&in->ctx, "module '%s' released record %u of type '%s' a second time; it was "
			        "released at cycle %llu by '%s'", in->module->name, handle, g->type->name,
			        (unsigned long long)over->cycle, over->by ? over->by->path : "?");
		hd__violation(k);
		return;
	}
	g->live[handle] = false;
	g->used--;
	*over = (struct over){ hd__sim_cycles(g->sim), k->running };
	memset(hd_rec(p, handle), PATTERN, g->type->record);
	protect(g, p, handle, PROT_NONE);
	if (handle < HD_POOL_MAX - 1)
		g->queue[g->tail++ % HD_POOL_MAX] = handle;
	k->moves++;
	k->mover = NULL;
}

uint32_t hd__guard_used(const struct hd_pool *p)
{
	return guard_of(p)->used;
}

bool hd__guard_find(const struct hd_sim *s, uintptr_t address, struct hd_stale *found)
{
	for (size_t i = 0; i < s->npools; i++) {
		const struct hd_pool *p = s->pools[i].pool;
		const struct hd_guard *g = guard_of(p);
		uintptr_t base = (uintptr_t)p->base;
		uint32_t handle;

		if (address < base || address - base >= g->bytes)
			continue;
		handle = (uint32_t)((address - base) / p->record);
		*found = (struct hd_stale){ g->type, handle, g->over[handle].cycle, g->over[handle].by };
		return true;
	}
	return false;
}
