/* module_ends.c - sources and sinks of channels, made from a payload type
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "module_ends.h"

#define MAX_TYPES 64

struct end_state {
	struct hd_ctx *ctx;
	struct hd_end end;
	struct hd_pool *pool;
	const struct hd_port *port;
	uint64_t moved;
};

struct ends {
	char name[100];
	struct hd_module m;
	struct hd_port ports[2];
};

static struct ends made[MAX_TYPES];
static size_t nmade;

/* True at half of the edges, different ones for each instance. */
static bool chance(const struct end_state *st)
{
	uint64_t z = hd_now(st->ctx) * UINT64_C(0x9e3779b97f4a7c15);

	for (const char *p = hd_path(st->ctx); *p; p++)
		z = (z ^ (unsigned char)*p) * UINT64_C(0xbf58476d1ce4e5b9);
	return z >> 63;
}

static uint64_t put(void *state)
{
	struct end_state *st = state;
	bool set = st->port->flags & HD_SLOTS;
	unsigned char payload[4096] = { 0 };
	uint64_t room;

	if (!chance(st))
		return HD_NEXT;
	room = set ? hd_slots_free(&st->end) : hd_room(&st->end);
	if (!room)
		return HD_NEXT;
	if (st->pool) {
		uint32_t handle = hd_alloc(st->ctx, st->pool);

		memset(hd_rec(st->pool, handle), 0, st->port->type->record);
		memcpy(payload, &handle, sizeof handle);
	}
	if (set)
		hd_slot_put(&st->end, (unsigned)__builtin_ctzll(room), payload, st->port->type->size);
	else
		hd_put(&st->end, payload, st->port->type->size);
	st->moved++;
	return HD_NEXT;
}

static uint64_t take(void *state)
{
	struct end_state *st = state;
	bool set = st->port->flags & HD_SLOTS;
	uint64_t full = set ? hd_slots_full(&st->end) : hd_front(&st->end) != NULL;
	uint32_t handle;

	if (!full || !chance(st))
		return HD_NEXT;
	if (st->pool) {
		memcpy(&handle, set ? hd_slot(&st->end, (unsigned)__builtin_ctzll(full))
		                    : hd_front(&st->end), sizeof handle);
		hd_release(st->pool, handle);
	}
	if (set)
		hd_slot_take(&st->end, (unsigned)__builtin_ctzll(full));
	else
		hd_take(&st->end);
	st->moved++;
	return HD_NEXT;
}

static int end_init(void *state, struct hd_ctx *ctx)
{
	struct end_state *st = state;

	st->ctx = ctx;
	st->port = ctx->instance->module->ports;
	st->pool = st->port->type->record ? hd_pool(ctx, st->port->type) : NULL;
	return 0;
}

static const struct hd_stat end_stats[] = {
	{ .name = "moved", .unit = "tokens", .doc = "put or taken",
	  .offset = offsetof(struct end_state, moved) },
	{ .name = NULL },
};

static uint64_t tick(void *state)
{
	(void)state;
	return HD_NEXT;
}

const struct hd_module hd__module_ticker = {
	.abi = HD_ABI, .size = sizeof hd__module_ticker, .name = "ticker", .doc = "keeps a run going", .state_size = 8,
	.eval = tick, .checkpoint = hd_nothing_saved,
};

const struct hd_module *hd__module_other_side(struct hd_registry *r, const struct hd_port *p)
{
	struct ends *e = &made[nmade];
	const struct hd_module *have;
	bool set = p->flags & HD_SLOTS;

	snprintf(e->name, sizeof e->name, "%s_%.40s%s", p->kind == HD_IN ? "put" : "take",
	         p->type->name, set ? "_set" : "");
	have = hd__registry_find(r, e->name);
	if (have || nmade == MAX_TYPES - 1)
		return have;
	e->ports[0] = (struct hd_port){ .name = "end", .doc = "the other side of a port",
		.kind = p->kind == HD_IN ? HD_OUT : HD_IN, .flags = set ? HD_SLOTS : 0,
		.type = p->type, .offset = offsetof(struct end_state, end) };
	e->m = (struct hd_module){ .abi = HD_ABI, .size = sizeof e->m, .name = e->name,
		.doc = "the other side of a port", .ports = e->ports, .stats = end_stats,
		.state_size = sizeof(struct end_state),
		.init = end_init, .eval = p->kind == HD_IN ? put : take, .checkpoint = hd_nothing_saved };
	nmade++;
	hd__registry_add(r, &e->m, "built in", NULL, NULL);
	return &e->m;
}
