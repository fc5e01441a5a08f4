/* give_kernels.c - toy: a list of kernels, and the instructions of those that are skipped
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   kernel #ID ctas=N warps=N threads=N shmem=N nregs=N stream=N has=N    at the end of the list;
 *                 `has`: thread blocks in the trace, without it as many as in the grid
 *   copy 0xADDRESS bytes=N    to the device, in front of the kernel that comes next in the list
 *   none wN...    warps of which the next thread block has no instructions
 *   line #N wN...    the next instruction of that warp in every thread block (actor.h)
 *   left warp=N n=N stores=N   the warp, numbered over all SMs, has so many instructions left, and stores in all
 *   broken        the next kernel or thread block cannot be read
 * The first pc of warp N is 0x1000 + 16 N.
 */
#include "actor.h"

#include <heddle/gpu/trace.h>

#include <stdlib.h>

#define MOST 16u

struct state {
	struct actor actor;
	struct hd_trace_if trace;
	struct hd_launch launch[MOST];
	uint32_t has[MOST], given[MOST], n, next, present;
	struct hd_trace_copy copy[MOST];
	uint32_t first_copy[MOST + 1], ncopies; /* by kernel; first_copy[n]: of the one to come */
	hd_warp_set none;
	struct hd_inst line[MOST];
	uint32_t lines, taken; /* taken: set of those of the present thread block */
	uint32_t left_warp[MOST], left[MOST], stores[MOST], nleft;
	bool claimed, broken;
};

static void kernel(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_launch *k = &st->launch[st->n];

	if (st->n == MOST) {
		wrong(st->actor.ctx, "more than %u kernels", MOST);
		return;
	}
	*k = (struct hd_launch){ .name = "k", .ctas = arg_number(a, "ctas", 1),
		                 .number = st->n + 1 };
	k->id = strtoul(arg_word(a, "a number") + 1, NULL, 10);
	k->warps = (uint32_t)arg_number(a, "warps", 1);
	k->threads = (uint32_t)arg_number(a, "threads", k->warps * HD_LANES);
	k->shmem = (uint32_t)arg_number(a, "shmem", 0);
	k->nregs = (uint32_t)arg_number(a, "nregs", 0);
	k->stream = arg_number(a, "stream", 0);
	st->has[st->n++] = (uint32_t)arg_number(a, "has", k->ctas);
	st->first_copy[st->n] = st->ncopies;
}

static void copy(void *state, struct args *a)
{
	struct state *st = state;

	if (st->ncopies == MOST)
		wrong(st->actor.ctx, "more than %u copies", MOST);
	else
		st->copy[st->ncopies++] = (struct hd_trace_copy){
			.addr = arg_address(a), .bytes = arg_number(a, "bytes", 0) };
}

static void none(void *state, struct args *a)
{
	((struct state *)state)->none = arg_warps(a);
}

static void line(void *state, struct args *a)
{
	struct state *st = state;

	if (st->lines == MOST)
		wrong(st->actor.ctx, "more than %u lines", MOST);
	else
		arg_inst(a, &st->line[st->lines++]);
}

static void set_left(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = (uint32_t)arg_number(a, "warp", 0), i = 0;

	while (i < st->nleft && st->left_warp[i] != warp)
		i++;
	if (i == MOST) {
		wrong(st->actor.ctx, "more than %u warps", MOST);
		return;
	}
	st->nleft += i == st->nleft;
	st->left_warp[i] = warp;
	st->left[i] = (uint32_t)arg_number(a, "n", 0);
	st->stores[i] = (uint32_t)arg_number(a, "stores", 0);
}

static bool claim(void *self, uint32_t sms)
{
	struct state *st = self;
	bool free = !st->claimed;

	(void)sms;
	st->claimed = true;
	return free;
}

/* -1 and a message if it is broken. */
static int check(const struct state *st)
{
	return st->broken ? hd_error(st->actor.ctx, "cannot be read") : 1;
}

static int move(struct state *st, uint32_t i, struct hd_launch *launch)
{
	if (check(st) < 0)
		return -1;
	*launch = st->launch[i];
	st->present = i;
	return 1;
}

static int next_kernel(void *self, struct hd_launch *launch)
{
	struct state *st = self;

	if (st->next == st->n)
		return 0;
	toy_log(st->actor.ctx, "kernel #%u", (unsigned)st->launch[st->next].id);
	return move(st, st->next++, launch);
}

static int next_cta(void *self, uint32_t first)
{
	struct state *st = self;
	bool more = st->given[st->present] < st->has[st->present];

	toy_log(st->actor.ctx, "block of #%u at w%u%s", (unsigned)st->launch[st->present].id, first,
	        more ? "" : ": no more");
	st->given[st->present] += more;
	st->taken = 0;
	return check(st) < 0 ? -1 : more;
}

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct state *st = self;

	for (uint32_t i = 0; i < st->lines; i++) {
		if (st->line[i].warp != warp || (st->taken >> i & 1))
			continue;
		st->taken |= UINT32_C(1) << i;
		*inst = st->line[i];
		return true;
	}
	return false;
}

static uint32_t found(const struct state *st, const uint32_t *v, uint32_t warp)
{
	for (uint32_t i = 0; i < st->nleft; i++)
		if (st->left_warp[i] == warp)
			return v[i];
	return 0;
}

static uint32_t left(void *self, uint32_t warp)
{
	return found(self, ((const struct state *)self)->left, warp);
}

static uint32_t stores(void *self, uint32_t warp)
{
	return found(self, ((const struct state *)self)->stores, warp);
}

static uint64_t block(void *self)
{
	struct state *st = self;

	return st->given[st->present] - 1u;
}

static uint32_t pc(void *self, uint32_t warp)
{
	(void)self;
	return 0x1000 + 16 * warp;
}

static bool ended(void *self, uint32_t warp)
{
	struct state *st = self;
	uint32_t slot = warp % HD_TRACE_SM; /* in any SM */
	bool none = hd_warp_in(st->none, slot);

	st->none &= ~hd_warp_bit(slot);
	return none;
}

static void position(void *self, uint64_t *done, uint64_t *total)
{
	(void)self;
	*done = *total = 1;
}

static uint32_t kernels(void *self)
{
	return ((struct state *)self)->n;
}

static int peek(void *self, uint32_t i, struct hd_launch *launch)
{
	struct state *st = self;

	if (i >= st->n)
		return 0;
	*launch = st->launch[i];
	return check(self);
}

static int open_kernel(void *self, uint32_t i, struct hd_launch *launch)
{
	struct state *st = self;

	toy_log(st->actor.ctx, "open #%u", (unsigned)st->launch[i].id);
	return move(st, i, launch);
}

static uint32_t copies(void *self, uint32_t i, const struct hd_trace_copy **v)
{
	struct state *st = self;
	uint32_t first = st->first_copy[i];

	*v = &st->copy[first];
	return (i + 1 < st->n ? st->first_copy[i + 1] : st->ncopies) - first;
}

static const struct verb verbs[] = {
	{ "kernel", kernel }, { "copy", copy }, { "none", none }, { "line", line }, { "left", set_left },
	SETS("broken", broken, true), { .name = NULL },
};

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	actor_init(st, ctx);
	st->trace = (struct hd_trace_if){ .self = st, .claim = claim, .next_kernel = next_kernel,
		                          .next_cta = next_cta, .next = next, .left = left, .stores = stores,
		                          .block = block, .pc = pc, .ended = ended,
		                          .position = position, .kernels = kernels, .peek = peek,
		                          .open = open_kernel, .copies = copies };
	return 0;
}

static const struct hd_port ports[] = {
	GIVES("trace", hd_type_trace_if, trace),
	{ .name = NULL },
};

TOY(give_kernels, "a list of kernels", verbs, ports, .init = init, .eval = actor_eval);
