/* pooler.c - toys that use services of the kernel: records, names of numbers
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "toy.h"

#include <stdlib.h>

/* ---- records --------------------------------------------------------------------------------- */

struct record {
	uint32_t mark[11]; /* no multiple of a cache line */
};

static const struct hd_type record_type = {
	.name = "record", .size = sizeof(uint32_t), .version = 1, .record = sizeof(struct record),
};

struct pooler {
	struct hd_ctx *ctx;
	struct hd_pool *pool;
	uint32_t count, *handle;
	struct record **where;
	uint64_t wrong;
};

static void take(struct pooler *p, uint32_t i)
{
	p->handle[i] = hd_alloc(p->ctx, p->pool);
	p->where[i] = hd_rec(p->pool, p->handle[i]);
	p->wrong += p->handle[i] == 0;
	for (unsigned k = 0; k < 11; k++)
		p->where[i]->mark[k] = i * 16 + k;
}

/* Records are distinct, stay where they are and keep what is in them while the pool grows. */
static uint64_t pooler_eval(void *state)
{
	struct pooler *p = state;

	if (hd_now(p->ctx) > 0)
		return HD_SLEEP;
	for (uint32_t i = 0; i < p->count; i++)
		take(p, i);
	for (uint32_t i = 0; i < p->count; i += 2)
		hd_release(p->pool, p->handle[i]);
	p->wrong += hd_pool_used(p->pool) != p->count / 2;
	for (uint32_t i = 0; i < p->count; i += 2)
		take(p, i);
	p->wrong += hd_pool_used(p->pool) != p->count;
	for (uint32_t i = 0; i < p->count; i++) {
		p->wrong += hd_rec(p->pool, p->handle[i]) != p->where[i];
		for (unsigned k = 0; k < 11; k++)
			p->wrong += p->where[i]->mark[k] != i * 16 + k;
	}
	for (uint32_t i = 0; i < p->count; i++)
		hd_release(p->pool, p->handle[i]);
	p->wrong += hd_pool_used(p->pool) != 0;
	hd_finish(p->ctx);
	return HD_SLEEP;
}

static int pooler_init(void *state, struct hd_ctx *ctx)
{
	struct pooler *p = state;

	p->ctx = ctx;
	p->pool = hd_pool(ctx, &record_type);
	p->handle = calloc(p->count, sizeof *p->handle);
	p->where = calloc(p->count, sizeof *p->where);
	return p->handle && p->where ? 0 : hd_error(ctx, "out of memory");
}

static void pooler_fini(void *state)
{
	free(((struct pooler *)state)->handle);
	free(((struct pooler *)state)->where);
}

static const struct hd_param pooler_params[] = {
	{ .name = "count", .unit = "records", .doc = "taken at once; even", .type = HD_U32,
	  .def = "2", .offset = offsetof(struct pooler, count) },
	{ .name = NULL },
};

static const struct hd_stat pooler_stats[] = {
	{ .name = "wrong", .unit = "", .doc = "broken "
	  "guarantees", .offset = offsetof(struct pooler, wrong) },
	{ .name = NULL },
};

const struct hd_module hd_module_pooler = {
	TOY_HEAD, .name = "pooler", .doc = "takes records from a pool", .params = pooler_params,
	.stats = pooler_stats, .state_size = sizeof(struct pooler), .init = pooler_init,
	.eval = pooler_eval, .fini = pooler_fini,
};

/* ---- names ----------------------------------------------------------------------------------- */

struct names {
	uint64_t set, more;
	uint32_t own;
};

static int names_init(void *state, struct hd_ctx *ctx)
{
	struct names *n = state;
	uint32_t s = n->own ? hd_symbol(ctx, "thing", "own") : 0;

	if (s == UINT32_MAX)
		return hd_error(ctx, "too many things");
	if (n->own && strcmp(hd_symbol_name(ctx, "thing", s), "own") != 0)
		return hd_error(ctx, "a name was lost");
	return 0;
}

static const struct hd_param names_params[] = {
	{ .name = "set", .unit = "", .doc = "things", .type = HD_SYMBOLS, .kind = "thing",
	  .def = "[]", .offset = offsetof(struct names, set) },
	{ .name = "more", .unit = "", .doc = "other things", .type = HD_SYMBOLS, .kind = "thing",
	  .def = "[]", .offset = offsetof(struct names, more) },
	{ .name = "own", .unit = "", .doc = "1: requests one more itself", .type = HD_U32,
	  .def = "0", .offset = offsetof(struct names, own) },
	{ .name = NULL },
};

static uint64_t names_eval(void *state)
{
	(void)state;
	return HD_SLEEP;
}

const struct hd_module hd_module_names = {
	TOY_HEAD, .name = "names", .doc = "has names", .params = names_params,
	.state_size = sizeof(struct names), .init = names_init, .eval = names_eval,
	.checkpoint = hd_nothing_saved,
};
