/* give_cache.c - toy: a data cache that writes down what is asked of it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "actor.h"

#include <heddle/interface/cache.h>

struct state {
	struct actor actor;
	struct hd_cache_if cache;
};

static void invalidate(void *self)
{
	tell(((struct state *)self)->actor.ctx, "invalidate");
}

static int init(void *state, struct hd_ctx *ctx)
{
	static const struct verb verbs[] = { { NULL, NULL } };
	struct state *st = state;

	actor_init(st, ctx, verbs);
	st->cache = (struct hd_cache_if){ .self = st, .invalidate = invalidate };
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "cache", .doc = "is called", .kind = HD_PROVIDES, .flags = HD_PROVIDER_FIRST,
	  .type = &hd_type_cache_if, .offset = offsetof(struct state, cache) },
	{ .name = NULL },
};

const struct hd_module hd_module_give_cache = {
	TOY_HEAD, .name = "give_cache", .doc = "a data cache that writes down what it is asked",
	.ports = ports, .state_size = sizeof(struct state), .init = init,
	.eval = actor_eval,
};
