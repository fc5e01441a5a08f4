/* map.c - toys: ask an address map; an address map whose answers stand in the address
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   where 0xADDRESS     call_map: "= slice N local 0xADDRESS bank N row N"
 *   spread 0xADDRESS step=N n=N    call_map: how many of so many addresses each slice gets,
 *                       "= MOST in one slice, LEAST in another"
 *   touch 0xADDRESS user=N cycle=N    call_map: that user uses it in this cycle, without `cycle` the
 *                       present one; slice: as a slice that writes it back
 * give_map: slice and bank are bits 8 to 15 of the address, the row is what is above them, and the
 * local address is that without bits 8 to 15; it logs the uses that it is notified of: "touch 0xADDRESS user=N".
 */
#include "actor.h"

#include <heddle/gpu/map.h>

#define MOST 1024u

struct state {
	struct actor actor;
	const struct hd_map_if *used;
	const struct hd_touch_if *core, *slice;
	struct hd_map_if map;
	struct hd_touch_if told;
};

static void where(void *state, struct args *a)
{
	struct state *st = state;
	const struct hd_map_if *m = st->used;
	uint64_t addr = arg_address(a);
	uint32_t bank, row;

	m->place(m->self, addr, &bank, &row);
	toy_log(st->actor.ctx, "%#llx = slice %u local %#llx bank %u row %u",
	        (unsigned long long)addr, m->slice(m->self, addr),
	        (unsigned long long)m->local(m->self, addr), bank, row);
}

static void touch(void *state, struct args *a)
{
	struct state *st = state;
	const struct hd_touch_if *t = arg_flag(a, "slice") ? st->slice : st->core;
	uint32_t user = (uint32_t)arg_number(a, "user", 0);
	uint64_t cycle = arg_number(a, "cycle", *st->actor.ctx->cycle);

	hd_touch(t, arg_address(a), user, cycle);
}

static void spread(void *state, struct args *a)
{
	struct state *st = state;
	const struct hd_map_if *m = st->used;
	uint64_t addr = arg_address(a), step = arg_number(a, "step", 128), n = arg_number(a, "n", 1);
	uint32_t slices = m->channels * m->slices, got[MOST] = { 0 }, most = 0, least = UINT32_MAX;

	for (uint64_t i = 0; i < n; i++) {
		uint32_t slice = m->slice(m->self, addr + i * step);

		if (slice < slices && slice < MOST)
			got[slice]++;
		else
			wrong(st->actor.ctx, "slice %u of %u", slice, slices);
	}
	for (uint32_t i = 0; i < slices && i < MOST; i++) {
		most = got[i] > most ? got[i] : most;
		least = got[i] < least ? got[i] : least;
	}
	toy_log(st->actor.ctx, "%u slices: at most %u, at least %u", slices, most, least);
}

static uint32_t slice(void *self, uint64_t addr)
{
	(void)self;
	return addr >> 8 & 255;
}

static uint64_t local(void *self, uint64_t addr)
{
	(void)self;
	return addr >> 16 << 8 | (addr & 255);
}

static void place(void *self, uint64_t addr, uint32_t *bank, uint32_t *row)
{
	(void)self;
	*bank = addr >> 8 & 255;
	*row = (uint32_t)(addr >> 16);
}

static const struct verb verbs[] = { { "where", where }, { "spread", spread },
	{ "touch", touch }, { .name = NULL } };

static void log_touch(void *self, uint64_t addr, uint32_t user, uint64_t cycle)
{
	const struct state *st = self;

	(void)cycle;
	toy_log(st->actor.ctx, "touch %#llx user=%u", (unsigned long long)addr, user);
}

static int init_give(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->actor.ctx = ctx;
	st->told = (struct hd_touch_if){ .self = st, .touch = log_touch };
	st->map = (struct hd_map_if){ .self = st, .channels = st->map.channels,
		                      .slices = st->map.slices, .slice = slice, .local = local,
		                      .place = place };
	return 0;
}

static const struct hd_param params[] = {
	{ .name = "channels", .unit = "", .doc = "channels", .type = HD_U32,
	  .offset = offsetof(struct state, map.channels), .def = "1", .min = 1, .max = 64 },
	{ .name = "slices", .unit = "", .doc = "slices of each", .type = HD_U32,
	  .offset = offsetof(struct state, map.slices), .def = "2", .min = 1, .max = 64 },
	{ .name = NULL },
};

static const struct hd_port call_ports[] = {
	USES("map", hd_type_map_if, used),
	USES("core", hd_type_touch, core),
	USES("slice", hd_type_touch, slice),
	{ .name = NULL },
};

static const struct hd_port give_ports[] = {
	{ .name = "map", .doc = "is asked", .kind = HD_PROVIDES, .type = &hd_type_map_if,
	  .offset = offsetof(struct state, map) },
	{ .name = "touch", .doc = "is notified", .kind = HD_PROVIDES, .type = &hd_type_touch,
	  .offset = offsetof(struct state, told) },
	{ .name = NULL },
};

TOY(call_map, "asks an address map", verbs, call_ports, .init = actor_init, .eval = actor_eval);

TOY(give_map, "an address map that reads the address", NULL, give_ports,
    .params = params, .init = init_give);
