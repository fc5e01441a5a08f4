/* rogue.c - a module that breaks one rule of the contract, at cycle 20
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <heddle/ahead.h>
#include <heddle/module.h>

#include <stdlib.h>

enum rule { NOTHING, PUT_FULL, PUT_MANY, PUT_SIZE, TAKE_EMPTY, SLOT_FULL, SLOT_FOREIGN, SLOT_EMPTY, SLOT_TWICE,
	RELEASE_TWICE, RELEASE_NEVER, USE_RELEASED, USE_NEVER, READ_FRESH, NO_WAKE, NO_SKIPPED, HIDDEN, ORDER,
	PUT_ONCE, WAITS, SHARED, LEAK, CRASHES, EXITS, HANGS, OVERRUNS, OVERRUNS_MEMORY, LEFT_BIT,
	LEFT_ELEMENT };

static const char *const rules[] = { "nothing", "put_full", "put_many", "put_size", "take_empty", "slot_full",
	"slot_foreign", "slot_empty", "slot_twice", "release_twice", "release_never", "use_released",
	"use_never", "read_fresh", "no_wake", "no_skipped", "hidden", "order", "put_once", "waits",
	"shared", "leak", "crashes", "exits", "hangs", "overruns", "overruns_memory", "left_bit",
	"left_element", NULL };

#define WHEN 20u /* edge */

struct desk_if {
	void *self;
	bool (*first)(void *self); /* is this the first call in this edge? */
	bool (*open)(void *self);  /* it opens at edge WHEN, and wakes no instance */
};

static const struct hd_type token = { .name = "token", .size = sizeof(uint32_t), .version = 1 };
static const struct hd_type thing = { .name = "thing", .size = sizeof(uint32_t), .version = 1, .record = 100 };
static const struct hd_type desk_type = { .name = "desk", .size = sizeof(struct desk_if), .version = 1 };

struct state {
	struct hd_ctx *ctx;
	uint32_t breaks;
	struct hd_end out, in, slot_out, slot_in;
	const struct desk_if *desk;
	struct desk_if provided;
	struct hd_pool *pool;
	uint32_t kept, last, *memory; /* 3 numbers */
	uint64_t asked, edges;
	unsigned __int128 set; /* by slot */
	uint16_t element[100];
};

static bool first(void *self)
{
	struct state *st = self;
	uint64_t before = st->asked;

	st->asked = hd_now(st->ctx) + 1;
	return before != st->asked;
}

static bool open_now(void *self)
{
	return hd_now(((struct state *)self)->ctx) >= WHEN;
}

static uint32_t seen_by_all; /* what a module may not have */

static void put(struct state *st)
{
	uint32_t v = 1;

	hd_put(&st->out, &v, sizeof v);
}

static void break_port(struct state *st)
{
	uint64_t wide = 1;
	uint32_t v = 1;

	switch (st->breaks) {
	case PUT_ONCE: put(st); break; /* which breaks no rule */
	case PUT_FULL:
		while (hd_room(&st->out))
			put(st);
		put(st);
		break;
	case PUT_MANY:
		put(st);
		put(st);
		break;
	case PUT_SIZE: hd_put(&st->out, &wide, sizeof wide); break;
	case TAKE_EMPTY: hd_take(&st->in); break;
	case SLOT_FULL:
		hd_slot_put(&st->slot_out, 1, &v, sizeof v);
		hd_slot_put(&st->slot_out, 1, &v, sizeof v);
		break;
	case SLOT_FOREIGN: hd_slot_put(&st->slot_out, 5, &v, sizeof v); break;
	case SLOT_EMPTY: hd_slot_take(&st->slot_in, 2); break;
	case SLOT_TWICE:
		hd_slot_take(&st->slot_in, 0);
		hd_slot_take(&st->slot_in, 0);
		break;
	case SHARED:
		if (seen_by_all++ % 3 == 0)
			put(st);
		break;
	case ORDER:
		if (st->desk->first(st->desk->self))
			put(st);
		break;
	default: break;
	}
}

static void break_process(struct state *st)
{
	switch (st->breaks) {
	case CRASHES: *(volatile int *)8 = 0; break;
	case EXITS: exit(0);
	case LEFT_BIT:
		st->set = (unsigned __int128)5 << 64;
		hd_slot_taken(st->ctx, 65);
		hd_slot_taken(st->ctx, 66);
		break;
	case LEFT_ELEMENT:
		st->element[99] = 256;
		hd_slot_taken(st->ctx, 98);
		hd_slot_taken(st->ctx, 99);
		break;
	case OVERRUNS_MEMORY: st->memory[3] = 1; break;
	case OVERRUNS: ((volatile unsigned char *)st)[sizeof *st] = 1; break;
	case HANGS:
		for (volatile int i = 0;; i++)
			;
	default: break;
	}
}

static void break_record(struct state *st)
{
	uint32_t h;

	switch (st->breaks) {
	case RELEASE_TWICE:
		h = hd_alloc(st->ctx, st->pool);
		hd_release(st->pool, h);
		hd_release(st->pool, h);
		break;
	case RELEASE_NEVER: hd_release(st->pool, 77777); break;
	case USE_RELEASED:
		hd_release(st->pool, st->kept);
		memset(hd_rec(st->pool, st->kept), 0, 4);
		break;
	case USE_NEVER: memset(hd_rec(st->pool, 70000), 0, 4); break;
	case LEAK:
		for (uint32_t i = 0; i < HD_POOL_MAX; i++)
			hd_alloc(st->ctx, st->pool);
		break;
	case READ_FRESH:
		h = hd_alloc(st->ctx, st->pool);
		if (*(unsigned char *)hd_rec(st->pool, h) == 0)
			put(st);
		break;
	default: break;
	}
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx);
	uint32_t v = 1;

	if (now == 0) {
		st->kept = hd_alloc(st->ctx, st->pool);
		memset(hd_rec(st->pool, st->kept), 0, 100);
		if (hd_connected(&st->slot_out) && st->breaks != SLOT_FULL)
			hd_slot_put(&st->slot_out, 0, &v, sizeof v);
	}
	if (st->breaks == NO_SKIPPED)
		st->edges++;
	if (st->breaks == NO_WAKE && now == WHEN)
		put(st);
	if (st->breaks == WAITS && st->desk->open(st->desk->self))
		put(st);
	if (st->breaks == HIDDEN && now == WHEN)
		memcpy(hd_rec(st->pool, st->kept), "xxxx", 4);
	if (st->breaks == HIDDEN && now == st->last - 5 && *(char *)hd_rec(st->pool, st->kept) == 'x')
		put(st);
	if (now < WHEN && st->breaks != NO_WAKE && st->breaks != WAITS && st->breaks != NO_SKIPPED
	    && st->breaks != HIDDEN)
		return WHEN - now;
	if (now == WHEN) {
		break_port(st);
		break_record(st);
		break_process(st);
	}
	if (st->breaks == HIDDEN && now < st->last - 5)
		return st->last - 5 - now;
	if (st->breaks == NOTHING && now < st->last)
		return st->last - now;
	if (st->breaks == NOTHING)
		hd_finish(st->ctx);
	return HD_SLEEP;
}

#ifdef SKIPS
static void count_twice(void *state, uint64_t n)
{
	if (((struct state *)state)->breaks == NO_SKIPPED)
		((struct state *)state)->edges += 2 * n;
}
#else
#define count_twice NULL
#endif

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->provided = (struct desk_if){ st, first, open_now };
	st->pool = hd_pool(ctx, &thing);
	st->memory = hd_memory(ctx, 3, sizeof *st->memory);
	if (st->breaks == PUT_MANY)
		hd_puts_at_most(ctx, 0, 1);
	if (st->breaks == NOTHING)
		hd_expect_finish(ctx);
	return 0;
}

#define AT(member) .offset = offsetof(struct state, member)

const struct hd_module hd_module_rogue = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "rogue", .doc = "breaks a rule", .init = init, .eval = eval, .skipped = count_twice,
	.params = (const struct hd_param[]){
		{ .name = "breaks", .unit = "", .doc = "rule", .type = HD_CHOICE, AT(breaks), .choices = rules,
		  .def = "\"nothing\"" },
		{ .name = "last", .unit = "cycles", .doc = "edge at which the run ends", .type = HD_U32, AT(last),
		  .def = "100" },
		{ .name = NULL } },
	.ports = (const struct hd_port[]){
		{ .name = "out", .doc = "d", .kind = HD_OUT, .flags = HD_OPTIONAL, .type = &token, AT(out) },
		{ .name = "in", .doc = "d", .kind = HD_IN, .flags = HD_OPTIONAL, .type = &token, AT(in) },
		{ .name = "slot_out", .doc = "d", .kind = HD_OUT, .flags = HD_OPTIONAL | HD_SLOTS, .type = &token,
		  AT(slot_out) },
		{ .name = "slot_in", .doc = "d", .kind = HD_IN, .flags = HD_OPTIONAL | HD_SLOTS, .type = &token,
		  AT(slot_in) },
		{ .name = "desk", .doc = "d", .kind = HD_USES, .flags = HD_OPTIONAL, .type = &desk_type, AT(desk) },
		{ .name = "give", .doc = "d", .kind = HD_PROVIDES, .type = &desk_type, AT(provided) },
		{ .name = NULL } },
	.by_slot = (const struct hd_by_slot[]){
		{ .name = "set", AT(set), .size = sizeof(unsigned __int128) },
		{ .name = "element", AT(element), .size = sizeof(uint16_t), .array = true },
		{ .name = NULL } },
	.stats = (const struct hd_stat[]){
		{ .name = "edges", .unit = "cycles", .doc = "evaluations", AT(edges) },
		{ .name = NULL } },
};
