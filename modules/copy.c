/* copy.c - asynchronous copies (LDGSTS), their groups (LDGDEPBAR) and waits (DEPBAR)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Asynchronous copies.  A copy is identified by its pc and the address of its lane 0
 * (X3): requests carry the number of that pair, and copies of one pair in flight are answered
 * together.  The pairs of a warp slot outlive the warp (X6), so that a late reply is not taken for
 * one to the next warp.
 */
#include <heddle/gpu/sync.h>
#include <heddle/gpu/warps.h>

#include <stdlib.h>

struct pair {
	uint64_t addr0;
	uint32_t pc;
	uint32_t requests; /* outstanding, of all its copies; 0: the place is free */
};

struct copy {
	uint64_t addr0;
	uint32_t pc;
	uint32_t group;
	uint32_t used;     /* 1: not finished; wide, for the record is saved and must have no padding */
	uint32_t accepted; /* 1: by the load/store unit */
};

struct warp_copies {
	struct copy *v;
	uint32_t n, cap;
	struct pair *pair; /* place i has the number i + 1 */
	uint32_t npairs, cap_pairs;
	uint64_t age;      /* of the warp that these belong to */
	uint64_t changed;  /* 1 + the time at which some were added or finished last; 0: never */
	uint32_t group;    /* the open one; those before it are closed */
	uint32_t until;    /* waiting: all groups before this one */
	uint32_t before;   /* 1: when that edge began, some were not finished */
};

struct state {
	struct hd_copy_if copy;
	struct hd_ctx *ctx;
	struct hd_warps *warps;
	uint32_t room;
	struct warp_copies w[HD_MAX_WARPS];
	uint64_t copies, waits;
};

/* Clears the state of a slot that got a new warp. */
static struct warp_copies *of_warp(struct state *st, uint32_t warp)
{
	struct warp_copies *c = &st->w[warp];

	if (c->age != st->warps->age[warp] + 1) {
		c->age = st->warps->age[warp] + 1;
		c->group = c->until = 0;
		c->changed = 0;
		for (uint32_t i = 0; i < c->n; i++)
			c->v[i].used = false;
	}
	return c;
}

/* Room for one more element behind n.  NULL without memory, which ends the run. */
static void *make_room(struct state *st, void *v, uint32_t n, uint32_t *cap, size_t size, uint32_t warp)
{
	void *more = v;

	if (n < *cap)
		return v;
	*cap = *cap ? 2 * *cap : st->room;
	more = realloc(v, *cap * size);
	if (!more) {
		free(v);
		*cap = 0;
		hd_fail(st->ctx, "out of memory for the copies of warp %u", warp);
	}
	return more;
}

static bool finished_before(const struct warp_copies *c, uint32_t group)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->v[i].used && c->v[i].group < group)
			return false;
	return true;
}

/* Something of the warp's copies is about to change: busy() tells in this edge what was before, so that the order of
 * evaluation does not matter. */
static void change(const struct state *st, struct warp_copies *c)
{
	if (c->changed == hd_now(st->ctx) + 1)
		return;
	c->changed = hd_now(st->ctx) + 1;
	c->before = !finished_before(c, UINT32_MAX);
}

static void add(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;
	struct warp_copies *c = of_warp(st, inst->warp);
	uint32_t i = 0;

	(void)ref;
	st->copies++;
	if (inst->mask == 0)
		return; /* no request is outstanding */
	change(st, c);
	while (i < c->n && c->v[i].used)
		i++;
	c->v = make_room(st, c->v, i, &c->cap, sizeof *c->v, inst->warp);
	if (!c->v) {
		c->n = 0;
		return;
	}
	if (i == c->n)
		c->n++;
	c->v[i] = (struct copy){ hd_inst_addr(inst, 0), inst->pc, c->group, true, false };
}

static void commit(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	(void)ref;
	of_warp(self, inst->warp)->group++;
}

static void look_again(struct state *st, struct warp_copies *c, uint32_t warp)
{
	if (hd_warp_in(st->warps->blocked_by[HD_BLOCK_COPY], warp) && finished_before(c, c->until))
		hd_warp_unblock(st->warps, warp, HD_BLOCK_COPY);
}

static void wait_for(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;
	struct warp_copies *c = of_warp(st, inst->warp);
	int32_t may_stay = inst->imm;

	(void)ref;
	st->waits++;
	if (may_stay < 0 || (uint32_t)may_stay > c->group)
		return; /* undefined in the reference; nothing to wait for */
	c->until = c->group - (uint32_t)may_stay;
	if (!finished_before(c, c->until))
		hd_warp_block(st->warps, inst->warp, HD_BLOCK_COPY);
}

static bool same(const struct copy *c, uint32_t pc, uint64_t addr0)
{
	return c->used && c->pc == pc && c->addr0 == addr0;
}

/* Ends every accepted copy of the pair. */
static void finish(struct state *st, struct warp_copies *c, uint32_t warp, uint32_t pc, uint64_t addr0)
{
	change(st, c);
	for (uint32_t i = 0; i < c->n; i++)
		if (same(&c->v[i], pc, addr0) && c->v[i].accepted)
			c->v[i].used = false;
	look_again(st, c, warp);
}

/* The number of the pair, from 1; 0 without memory. */
static uint32_t pair_of(struct state *st, struct warp_copies *c, const struct hd_inst *inst)
{
	uint32_t room = c->npairs;

	for (uint32_t i = 0; i < c->npairs; i++) {
		const struct pair *p = &c->pair[i];

		if (p->requests && p->pc == inst->pc && p->addr0 == hd_inst_addr(inst, 0))
			return i + 1;
		if (!p->requests && room == c->npairs)
			room = i;
	}
	c->pair = make_room(st, c->pair, room, &c->cap_pairs, sizeof *c->pair, inst->warp);
	if (!c->pair) {
		c->npairs = 0;
		return 0;
	}
	if (room == c->npairs)
		c->npairs++;
	c->pair[room] = (struct pair){ hd_inst_addr(inst, 0), inst->pc, 0 };
	return room + 1;
}

static uint32_t accepted(void *self, hd_inst_ref ref, const struct hd_inst *inst, uint32_t n)
{
	struct state *st = self;
	struct warp_copies *c = of_warp(st, inst->warp);
	uint32_t mine = 0, id;

	(void)ref;
	while (mine < c->n && (c->v[mine].accepted || !same(&c->v[mine], inst->pc, hd_inst_addr(inst, 0))))
		mine++;
	if (mine == c->n)
		return 0; /* no active lane: it was never added */
	id = pair_of(st, c, inst);
	if (!id)
		return 0;
	c->v[mine].accepted = true;
	c->pair[id - 1].requests += n;
	if (c->pair[id - 1].requests == 0)
		finish(st, c, inst->warp, inst->pc, hd_inst_addr(inst, 0));
	return id;
}

static bool answered(void *self, uint32_t warp, uint32_t id)
{
	struct state *st = self;
	struct warp_copies *c = of_warp(st, warp);
	struct pair *p;

	if (id == 0 || id > c->npairs || !c->pair[id - 1].requests)
		return false;
	p = &c->pair[id - 1];
	if (--p->requests > 0)
		return false;
	finish(st, c, warp, p->pc, p->addr0);
	return true;
}

static bool busy(void *self, uint32_t warp)
{
	struct state *st = self;
	const struct warp_copies *c = of_warp(st, warp);

	return c->changed == hd_now(st->ctx) + 1 ? c->before : !finished_before(c, UINT32_MAX);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->copy = (struct hd_copy_if){ .self = st, .add = add, .commit = commit, .wait = wait_for,
		                        .accepted = accepted, .answered = answered, .busy = busy };
	return 0;
}

static void fini(void *state)
{
	struct state *st = state;

	for (uint32_t i = 0; i < HD_MAX_WARPS; i++) {
		free(st->w[i].v);
		free(st->w[i].pair);
	}
}

/* Loads n elements into an array that has grown to *cap. */
static void *array_saved(struct hd_checkpoint *k, const struct state *st, void *v, uint32_t *n,
                         uint32_t *cap, size_t size)
{
	uint32_t many = (uint32_t)hd_saved_number(k, *n, UINT16_MAX), room = *cap ? *cap : st->room;
	void *more = v;

	while (room < many)
		room *= 2;
	if (room > *cap && many > 0)
		more = realloc(v, room * size);
	if (!more && many > 0) {
		hd_refuse(k, "out of memory for %u copies", many);
		return v;
	}
	*n = many;
	*cap = many > 0 ? room : *cap;
	hd_saved(k, more, many * size);
	return more;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	for (uint32_t i = 0; i < HD_MAX_WARPS; i++) {
		struct warp_copies *c = &st->w[i];

		HD_SAVED_FROM(k, c, age, before);
		c->v = array_saved(k, st, c->v, &c->n, &c->cap, sizeof *c->v);
		c->pair = array_saved(k, st, c->pair, &c->npairs, &c->cap_pairs, sizeof *c->pair);
	}
}

static const struct hd_param params[] = {
	{ .name = "room", .unit = "copies", .doc = "copies of one warp for which memory is "
	  "allocated at first; it grows if needed", .type = HD_U32,
	  .offset = offsetof(struct state, room),
	  .def = "16", .min = 1, .max = 4096 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "copy", .doc = "for the issue stages and the load/store unit",
	  .kind = HD_PROVIDES, .type = &hd_type_copy_if, .offset = offsetof(struct state, copy) },
	{ .name = "warps", .doc = "blocked warps", .kind = HD_USES, .type = &hd_type_warps,
	  .offset = offsetof(struct state, warps) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "copies", .unit = "instructions", .doc = "asynchronous copies issued",
	  .offset = offsetof(struct state, copies) },
	{ .name = "waits", .unit = "instructions", .doc = "waits for groups of copies issued",
	  .offset = offsetof(struct state, waits) },
	{ .name = NULL },
};

const struct hd_module hd_module_copy = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "copy",
	.doc = "asynchronous global-to-shared copies: groups of them, and warps that wait for groups",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.fini = fini,
	.checkpoint = checkpoint,
};
