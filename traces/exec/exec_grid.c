/* exec_grid.c - a launch: what it needs, and the blocks of its grid
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks are executed one after the other, or cluster after cluster.  One that does not end waits for others, perhaps:
 * then more of them take turns, as on a GPU.
 */
#include "exec_check.h"

#define SOME UINT64_C(400000)        /* instructions after which a block may wait for another one */
#define SOME_COOPERATIVE UINT64_C(200000)
/* Once blocks of a grid are known to wait for one another: short turns, since on a GPU all go on at about the same time
 * where they have met.  A worklist that each of them empties then must not have been filled by another one. */
#define SOME_MEETING UINT64_C(1000)
#define MOST_BLOCKS 64u              /* that take turns; their traces are in memory */
#define MOST_WAITING 2048u           /* if all they do is wait: as many as a whole GPU has */
#define WORKSPACE 4096u
/* Above the stack; below it, for functions that the compiler does not know. */
#define LOCAL_EXTRA (0x240u + 1024 + 8192)

struct grid {
	struct hd_exec_run run;
	uint64_t clusters, next; /* in all; the next one to begin */
	struct exec_cluster **resident;
	size_t n, cap;
	struct exec_cluster *spare;
	bool meet;    /* a block has waited for others, or may look at what they do */
	bool waiting; /* all blocks did nothing else in their last turns */
};

/* ---- checks ---- */

static bool refuse(struct hd_exec_fault *f, enum hd_exec_status status, const struct hd_exec_kernel *k, char *why)
{
	*f = (struct hd_exec_fault){ .status = status, .kernel = k->name };
	snprintf(f->words, sizeof f->words, "kernel '%s': %s", k->name, why);
	free(why);
	return false;
}

/* Bytes of shared memory that a block can have. */
static uint32_t most_shared(uint32_t sm)
{
	static const struct {
		uint32_t sm, kib;
	} v[] = { { 75, 64 },  { 80, 163 },  { 86, 99 },   { 87, 163 }, { 89, 99 },
		  { 90, 227 }, { 100, 227 }, { 103, 227 }, { 120, 99 } };
	size_t i = sizeof v / sizeof *v;

	while (i > 1 && v[i - 1].sm > sm)
		i--;
	return v[i - 1].kib << 10;
}

bool hd__exec_clusters(const struct hd_exec_launch *l, uint32_t size[3])
{
	const uint32_t *from = l->cluster[0] ? l->cluster : l->kernel->cluster;

	for (int i = 0; i < 3; i++)
		size[i] = from[0] && from[i] ? from[i] : 1;
	return from[0] != 0;
}

static bool check_cluster(const struct hd_exec_launch *l, struct hd_exec_fault *f)
{
	const struct hd_exec_kernel *k = l->kernel;
	const uint32_t *own = k->cluster;
	uint32_t c[3];

	if (!hd__exec_clusters(l, c))
		return true;
	if (k->sm < 90)
		return refuse(f, HD_EXEC_LAUNCH, k,
			      hd__format("clusters of (%u,%u,%u) blocks, which sm_%u does not have; expected sm_90 or "
					 "later",
					 c[0], c[1], c[2], k->sm));
	if (own[0] && memcmp(own, c, sizeof c) != 0)
		return refuse(f, HD_EXEC_LAUNCH, k,
			      hd__format("clusters of (%u,%u,%u) blocks; the kernel was compiled for (%u,%u,%u)", c[0],
					 c[1], c[2], own[0], own[1], own[2]));
	if (c[0] > HD_EXEC_CLUSTER || c[1] > HD_EXEC_CLUSTER || c[2] > HD_EXEC_CLUSTER
	    || c[0] * c[1] * c[2] > HD_EXEC_CLUSTER)
		return refuse(f, HD_EXEC_LAUNCH, k,
			      hd__format("clusters of (%u,%u,%u) blocks; expected at most %u blocks", c[0], c[1], c[2],
					 HD_EXEC_CLUSTER));
	if (k->image->x->check && c[0] * c[1] * c[2] > 1)
		return refuse(f, HD_EXEC_UNKNOWN, k,
			      hd__format("clusters of (%u,%u,%u) blocks, which are not followed when faults are looked "
					 "for",
					 c[0], c[1], c[2]));
	for (int i = 0; i < 3; i++)
		if (l->grid[i] % c[i])
			return refuse(f, HD_EXEC_LAUNCH, k,
				      hd__format("clusters of (%u,%u,%u) blocks do not divide a grid of (%u,%u,%u)",
						 c[0], c[1], c[2], l->grid[0], l->grid[1], l->grid[2]));
	return true;
}

static bool check(const struct hd_exec_launch *l, struct hd_exec_fault *f)
{
	const struct hd_exec_kernel *k = l->kernel;
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * (l->block[2] ? l->block[2] : 0);
	uint64_t registers = (threads + 31) / 32 * 32 * ((k->registers + 7) / 8 * 8);
	uint64_t shared = (uint64_t)k->shared + l->shared;

	for (int i = 0; i < 3; i++)
		if (l->grid[i] == 0 || l->block[i] == 0 || l->block[i] > 1024 || l->grid[i] > (i ? 65535u : INT32_MAX))
			return refuse(f, HD_EXEC_LAUNCH, k,
				      hd__format("grid (%u,%u,%u), block (%u,%u,%u); expected numbers "
						 "from 1 on, of blocks at most 2147483647, 65535, 65535, of threads "
						 "at most 1024",
						 l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
						 l->block[2]));
	if (threads > 1024 || l->block[2] > 64)
		return refuse(f, HD_EXEC_LAUNCH, k,
			      hd__format("a block of (%u,%u,%u) threads; expected at most 1024, and 64 "
					 "in the third direction",
					 l->block[0], l->block[1], l->block[2]));
	if (threads > k->most_threads)
		return refuse(f, HD_EXEC_LAUNCH, k,
			      hd__format("a block of %u threads; the kernel was compiled for at most %u",
					 (unsigned)threads, k->most_threads));
	if (!check_cluster(l, f))
		return false;
	if (l->nargs != k->args)
		return refuse(f, HD_EXEC_LAUNCH, k,
			      hd__format("%zu bytes of arguments; expected %u", l->nargs, k->args));
	if (shared > most_shared(k->sm))
		return refuse(f, HD_EXEC_RESOURCES, k,
			      hd__format("%llu bytes of shared memory; a block on sm_%u has at most "
					 "%u",
					 (unsigned long long)shared, k->sm, most_shared(k->sm)));
	if (registers > 65536)
		return refuse(f, HD_EXEC_RESOURCES, k,
			      hd__format("%u registers for each of %u threads; an SM has 65536", k->registers,
					 (unsigned)threads));
	return true;
}

/* ---- constants of the launch ---- */

static void put32(unsigned char *bank, uint32_t at, uint32_t v)
{
	memcpy(bank + at, &v, sizeof v);
}

static void put64(unsigned char *bank, uint32_t at, uint64_t v)
{
	memcpy(bank + at, &v, sizeof v);
}

/* Where bank 0 has what the driver puts there. */
static const struct layout {
	uint32_t sm, block, grid, stack, local_window, shared_window, workspace;
} layouts[] = {
	{ 100, 0x360, 0x370, 0x37c, 0x2f8, 0x2f0, 0x254 },
	{ 90, 0, 0xc, 0x28, 0x20, 0x18, 0x44 },
	{ 0, 0, 0xc, 0x28, 0x20, 0x18, 0x8c },
};

/* What code divides by: not less than 1/n, so that a quotient that is whole is not below. */
static uint32_t reciprocal(uint32_t n)
{
	float f = 1.0f / (float)n;
	uint32_t v;

	memcpy(&v, &f, sizeof v);
	return v + ((double)f * n < 1);
}

/* Whether there are clusters, their size, and how many, as code of sm_90 reads them. */
static void fill_clusters(struct hd_exec_run *r, const struct hd_exec_launch *l)
{
	const uint32_t *c = r->cluster;

	put32(r->bank0, 0x140, r->clusters);
	for (uint32_t i = 0; i < 3; i++) {
		put32(r->bank0, 0x144 + 4 * i, c[i]);
		put32(r->bank0, 0x150 + 4 * i, reciprocal(c[i]));
		put32(r->bank0, 0x15c + 4 * i, l->grid[i] / c[i]);
	}
	put32(r->bank0, 0x188, c[0] * c[1] * c[2]);
}

static bool fill_bank0(struct hd_exec_run *r, const struct hd_exec_launch *l)
{
	const struct layout *y = layouts;
	uint16_t base = r->image->base[r->kernel_number];

	while (r->image->sm < y->sm)
		y++;
	for (uint32_t i = 0; i < 3; i++) {
		put32(r->bank0, y->block + 4 * i, l->block[i]);
		put32(r->bank0, y->grid + 4 * i, l->grid[i]);
	}
	put32(r->bank0, y->stack, EXEC_STACK);
	put64(r->bank0, y->local_window, HD_EXEC_LOCAL);
	put64(r->bank0, y->shared_window, HD_EXEC_SHARED);
	if (r->image->sm >= 90 && r->image->sm < 100)
		fill_clusters(r, l);
	if (l->cooperative) {
		if (!r->x->workspace)
			r->x->workspace = hd__exec_alloc_variables(r->x, WORKSPACE);
		if (!r->x->workspace)
			return false;
		hd__exec_written(r->x, r->x->workspace, WORKSPACE);
		memset((void *)(uintptr_t)r->x->workspace, 0, WORKSPACE);
		put32(r->bank0, y->workspace, (uint32_t)(r->x->workspace >> 32)); /* its upper word comes first */
		put32(r->bank0, y->workspace + 4, (uint32_t)r->x->workspace);
	}
	if (r->image->sm >= 90 && r->image->sm < 100)
		put64(r->bank0, 0x198, EXEC_PARAMETERS + base);
	if (l->nargs && base + l->nargs <= EXEC_BANK0)
		memcpy(r->bank0 + base, l->args, l->nargs);
	return true;
}

/* Banks 1 and up: those of the image, and bank 2 of the kernel. */
static void set_banks(struct hd_exec_run *r)
{
	struct hd_exec_image *m = r->image;

	r->bank[0] = r->bank0;
	r->bank_bytes[0] = EXEC_BANK0;
	for (uint32_t b = 1; b < EXEC_BANKS; b++) {
		r->bank[b] = (const unsigned char *)(uintptr_t)m->constant[b];
		r->bank_bytes[b] = m->constant_bytes[b];
	}
	for (size_t i = 0; i < m->sections; i++) {
		const struct exec_section *s = &m->section[i];
		const char *kernel = "";
		uint32_t b = hd__exec_bank(s->name, &kernel);

		if (b == EXEC_BANKS || b == 0 || !s->data || strcmp(kernel, r->kernel->name) != 0)
			continue;
		r->bank[b] = s->data;
		r->bank_bytes[b] = s->bytes > EXEC_BANK0 ? EXEC_BANK0 : (uint32_t)s->bytes;
	}
}

/* ---- blocks ---- */

/* Block `rank` of a cluster. */
static void begin_block(struct exec_block *k, uint64_t cluster)
{
	struct hd_exec_run *r = k->run;
	const uint32_t *grid = r->launch->grid;
	uint64_t stride = 1;
	uint32_t in = k->rank;

	k->number = 0;
	for (int i = 0; i < 3; i++) {
		uint32_t c = r->cluster[i], clusters = grid[i] / c;

		k->at[i] = (uint32_t)(cluster % clusters) * c + in % c;
		k->number += k->at[i] * stride;
		cluster /= clusters;
		in /= c;
		stride *= grid[i];
	}
	k->ended = false;
	k->idle = 0;
	memset(k->barrier, 0, sizeof k->barrier);
	for (uint32_t i = 0; i < k->warps; i++) {
		struct exec_warp *w = &k->warp[i];

		memset(w->p, 0, sizeof w->p);
		w->p[EXEC_PT] = w->p[EXEC_PT + EXEC_UP] = EXEC_ALL;
		w->live = w->valid;
		w->group[0] = (struct exec_group){ .pc = r->image->entry[r->kernel_number], .mask = w->valid };
		w->groups = 1;
		w->current = 0;
		w->resumes = w->polled = false;
		w->newest = w->oldest = 0;
		w->reduced = w->joined = w->owes = 0;
		w->polled_pc = 0;
		w->instructions = w->threads = 0;
		memset(w->b, 0, sizeof w->b);
		if (!w->stream)
			continue;
		w->stream->cta.n = 0;
		w->stream->instructions = 0;
		w->stream->at = (struct trace_cursor){ .index = TRACE_NOWHERE, .mask = w->valid };
	}
	if (k->check)
		hd__check_block_begin(k);
}

/* Registers, shared and local memory keep what an earlier block left, as on a GPU. */
static struct exec_block *new_block(struct hd_exec_run *r, struct exec_cluster *c, uint32_t rank)
{
	struct exec_block *k = hd__xcalloc(1, sizeof *k);
	size_t local = (size_t)r->local * EXEC_LANES;

	k->run = r;
	k->cluster = c;
	k->rank = rank;
	k->window = rank * EXEC_WINDOW;
	k->warps = (r->threads + EXEC_LANES - 1) / EXEC_LANES;
	k->warp = hd__xlines(k->warps, sizeof *k->warp);
	k->rows = hd__xpages((size_t)k->warps * EXEC_ROWS * EXEC_LANES * sizeof(uint32_t));
	k->shared = hd__xcalloc(1, r->shared);
	k->locals = hd__xpages(k->warps * local);
	k->streams = r->sink ? hd__xcalloc(k->warps, sizeof *k->streams) : NULL;
	for (uint32_t i = 0; i < k->warps; i++) {
		struct exec_warp *w = &k->warp[i];
		uint32_t left = r->threads - i * EXEC_LANES;

		w->valid = left >= EXEC_LANES ? EXEC_ALL : (UINT32_C(1) << left) - 1;
		w->base[0] = (uint32_t *)k->rows + (size_t)i * EXEC_ROWS * EXEC_LANES;
		w->number = i;
		w->block = k;
		w->run = r;
		w->local = k->locals + i * local;
		w->stream = k->streams ? &k->streams[i] : NULL;
	}
	if (r->x->check)
		hd__check_block_new(k);
	return k;
}

static void free_block(struct exec_block *k)
{
	for (uint32_t i = 0; k->streams && i < k->warps; i++)
		free(k->streams[i].cta.data);
	if (k->check)
		hd__check_block_free(k);
	hd__free_pages(k->rows, (size_t)k->warps * EXEC_ROWS * EXEC_LANES * sizeof(uint32_t));
	hd__free_pages(k->locals, k->warps * (size_t)k->run->local * EXEC_LANES);
	free(k->streams);
	free(k->shared);
	free(k->warp);
	free(k);
}

static struct exec_cluster *new_cluster(struct hd_exec_run *r)
{
	struct exec_cluster *c = hd__xcalloc(1, sizeof *c);

	c->n = r->cluster[0] * r->cluster[1] * r->cluster[2];
	c->block = hd__xcalloc(c->n, sizeof *c->block);
	for (uint32_t i = 0; i < c->n; i++)
		c->block[i] = new_block(r, c, i);
	return c;
}

static void begin_cluster(struct exec_cluster *c, uint64_t number)
{
	c->left = c->n;
	c->idle = 0;
	c->joined = false;
	for (uint32_t i = 0; i < c->n; i++)
		begin_block(c->block[i], number);
}

static void free_cluster(struct exec_cluster *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		free_block(c->block[i]);
	free(c->block);
	free(c);
}

static void tell(struct grid *g, const struct exec_block *k)
{
	struct hd_exec_run *r = &g->run;
	struct hd_exec_stream streams[EXEC_WARPS];
	struct hd_exec_block b = { .number = k->number, .warps = k->warps, .warp = streams, .met = r->met };

	for (uint32_t i = 0; i < k->warps; i++)
		streams[i] = (struct hd_exec_stream){ k->streams[i].cta.data, k->streams[i].cta.n,
						      k->streams[i].instructions };
	if (r->sink->block(r->sink->arg, &b))
		return;
	r->failed = true;
	*r->fault = (struct hd_exec_fault){ .status = HD_EXEC_STOPPED, .kernel = r->kernel->name };
	snprintf(r->fault->words, sizeof r->fault->words, "kernel '%s': the launch was stopped", r->kernel->name);
}

static uint64_t instructions_of(const struct exec_cluster *c)
{
	uint64_t n = 0;

	for (uint32_t b = 0; b < c->n; b++)
		for (uint32_t i = 0; i < c->block[b]->warps; i++)
			n += c->block[b]->warp[i].instructions;
	return n;
}

static void count(struct grid *g, const struct exec_block *k)
{
	struct hd_exec_counts *c = &g->run.counts;

	c->blocks++;
	for (uint32_t i = 0; i < k->warps; i++) {
		c->warp_instructions += k->warp[i].instructions;
		c->thread_instructions += k->warp[i].threads;
	}
}

static void fill(struct grid *g, size_t want)
{
	while (g->n < want && g->next < g->clusters) {
		struct exec_cluster *c = g->spare ? g->spare : new_cluster(&g->run);

		g->spare = NULL;
		begin_cluster(c, g->next++);
		g->resident = hd__xgrow(g->resident, g->n, &g->cap, sizeof *g->resident);
		g->resident[g->n++] = c;
	}
}

static void remove_cluster(struct grid *g, size_t i)
{
	free_cluster(g->spare);
	g->spare = g->resident[i];
	g->n--;
	memmove(&g->resident[i], &g->resident[i + 1], (g->n - i) * sizeof *g->resident);
}

/* One turn of each resident cluster.  Returns whether one has ended. */
static bool turns(struct grid *g)
{
	struct hd_exec_run *r = &g->run;
	uint64_t some = g->meet ? SOME_MEETING : r->launch->cooperative ? SOME_COOPERATIVE : SOME;
	bool ended = false;

	g->waiting = true;
	for (size_t i = 0; i < g->n && !r->failed;) {
		struct exec_cluster *c = g->resident[i];
		uint64_t before = instructions_of(c), n;
		bool done = hd__exec_cluster(c, some);

		n = instructions_of(c) - before;
		if (!done && n < some)
			g->meet = true;
		else
			g->waiting = false;
		if (n > r->left && !r->failed) {
			struct exec_warp *w = &c->block[0]->warp[0];

			hd__exec_fail(w, w->groups ? w->group[0].pc : 0, 1, HD_EXEC_MOST, 0,
				      "the launch has executed more than %llu warp instructions, the limit; blocks may "
				      "wait for each other for ever",
				      (unsigned long long)r->x->options.most);
		}
		r->left -= n < r->left ? n : r->left;
		if (!done || r->failed) {
			i++;
			continue;
		}
		ended = true;
		for (uint32_t b = 0; b < c->n && !r->failed; b++) {
			count(g, c->block[b]);
			if (r->sink)
				tell(g, c->block[b]);
		}
		remove_cluster(g, i);
	}
	return ended;
}

static void all_blocks(struct grid *g)
{
	const struct hd_exec_image *m = g->run.image;
	struct exec_code *c = exec_code_at(m, m->entry[g->run.kernel_number]);
	size_t want = g->run.launch->cooperative ? MOST_WAITING : 1;

	if (c) {
		hd__exec_decode_code(g->run.image, c);
		if (c->strong && want == 1) { /* blocks may read what those beside them store */
			want = MOST_BLOCKS;
			g->meet = true;
		}
	}

	while (!g->run.failed && (g->n > 0 || g->next < g->clusters)) {
		fill(g, want);
		if (!turns(g) && want < (g->waiting ? MOST_WAITING : MOST_BLOCKS))
			want *= 2;
	}
	for (size_t i = 0; i < g->n; i++)
		free_cluster(g->resident[i]);
	free_cluster(g->spare);
	free(g->resident);
}

/* ---- a launch ---- */

static uint32_t local_bytes(const struct hd_exec_run *r)
{
	uint32_t bytes = r->image->stack[r->kernel_number] + LOCAL_EXTRA;

	return (bytes + 4095) / 4096 * 4096;
}

static void free_run(struct hd_exec_run *r)
{
	for (size_t i = 0; i < r->image->codes; i++)
		free(r->rows[i]);
	free(r->rows);
	free(r->bank0);
	free(r->number);
	free(r->form);
}

enum hd_exec_status hd__exec_run(struct hd_exec *x, const struct hd_exec_launch *l, const struct hd_exec_sink *sink,
                                 struct hd_exec_counts *counts, struct hd_exec_fault *fault)
{
	struct hd_exec_image *m = l->kernel->image;
	struct grid g = { .clusters = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] };
	struct hd_exec_run *r = &g.run;

	if (!check(l, fault))
		return fault->status;
	*r = (struct hd_exec_run){ .x = x, .image = m, .launch = l, .kernel = l->kernel, .sink = sink, .fault = fault,
		.kernel_number = (size_t)(l->kernel - m->kernel), .threads = l->block[0] * l->block[1] * l->block[2],
		.left = x->options.most ? x->options.most : UINT64_MAX };
	r->clusters = hd__exec_clusters(l, r->cluster);
	g.clusters /= r->cluster[0] * r->cluster[1] * r->cluster[2];
	r->shared = (l->kernel->shared + l->shared + 255) / 256 * 256;
	r->shared = r->shared ? r->shared : 256;
	r->local = local_bytes(r);
	r->bank0 = hd__xcalloc(1, EXEC_BANK0);
	r->rows = hd__xcalloc(m->codes, sizeof *r->rows);
	r->number = sink ? hd__xcalloc(m->ops, sizeof *r->number) : NULL;
	set_banks(r);
	if (x->check)
		x->check->begun = x->check->time;
	if (fill_bank0(r, l))
		all_blocks(&g);
	else
		r->failed =
			!refuse(fault, HD_EXEC_RESOURCES, l->kernel, hd__xstrdup("no device memory for grid.sync()"));
	if (counts)
		*counts = r->counts;
	free_run(r);
	return r->failed ? fault->status : HD_EXEC_DONE;
}

const char *hd__exec_status(enum hd_exec_status status)
{
	static const char *const words[] = {
		"done",   "no such launch",      "too many resources",   "illegal address", "assertion",
		"trap",   "unknown instruction", "illegal control flow", "deadlock",        "too many instructions",
		"stopped"
	};

	return words[status];
}
