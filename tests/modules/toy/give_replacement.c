/* give_replacement.c - toy: a policy that chooses the line of a cache that a script names
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   choose n=N       from now on the N-th of those that may be replaced
 * All calls are logged.
 */
#include "actor.h"

#include <heddle/gpu/replacement.h>

struct state {
	struct actor actor;
	struct hd_replacement_if policy;
	uint32_t choice;
};

static void choose(void *state, struct args *a)
{
	((struct state *)state)->choice = (uint32_t)arg_number(a, "n", 0);
}

static int resize(void *self, uint32_t sets, uint32_t ways)
{
	struct state *st = self;

	if (hd_now(st->actor.ctx) != UINT64_MAX) /* the first is before the run */
		toy_log(st->actor.ctx, "sets %u ways %u", sets, ways);
	return 0;
}

static void log_line(struct state *st, const char *what, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	if (req->kernel)
		toy_log(st->actor.ctx, "%s %u.%u for w%u pc %#x", what, set, way, req->warp, req->pc);
	else
		toy_log(st->actor.ctx, "%s %u.%u", what, set, way);
}

static void allocated(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	log_line(self, "allocated", set, way, req);
}

static void used(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	log_line(self, "used", set, way, req);
}

static uint32_t victim(void *self, uint32_t set, const uint32_t *ways, uint32_t n, const struct hd_mem_req *req)
{
	struct state *st = self;
	char text[SET_TEXT];
	size_t at = 0;

	(void)req;

	for (uint32_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, SET_TEXT - at, " %u", ways[i]);
	if (req->kernel)
		at += (size_t)snprintf(text + at, SET_TEXT - at, " for w%u pc %#x", req->warp, req->pc);
	toy_log(st->actor.ctx, "victim of set %u:%s", set, text);
	return st->choice;
}

static const struct verb verbs[] = { { "choose", choose }, { .name = NULL } };

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	actor_init(st, ctx);
	st->policy = (struct hd_replacement_if){ .self = st, .resize = resize, .allocated = allocated,
		                                 .used = used, .victim = victim };
	return 0;
}

static const struct hd_port ports[] = {
	GIVES("policy", hd_type_replacement_if, policy),
	{ .name = NULL },
};

TOY(give_replacement, "chooses the line that a script names", verbs, ports,
    .init = init, .eval = actor_eval);
