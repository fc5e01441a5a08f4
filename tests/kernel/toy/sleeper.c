/* sleeper.c - toys about time: one wakes by its timer, one opens and closes gates
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "toy.h"

struct state {
	struct hd_ctx *ctx;
	struct hd_list naps;
	uint32_t repeat;
	uint32_t at;
	uint64_t due, edges, evals;
	bool open;
};

enum { EVENT_WOKE };

/* The nth time it wakes it sleeps for naps[n] edges; 0 is a time that has passed already. */
static uint64_t sleep_on(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx);
	uint32_t nap;

	st->edges++;
	st->evals++;
	if (now < st->due)
		return st->due == UINT64_MAX ? HD_SLEEP : st->due - now;
	if (st->at == st->naps.n && !(st->repeat && st->naps.n))
		return HD_SLEEP;
	if (st->at == st->naps.n)
		st->at = 0;
	hd_emit(st->ctx, EVENT_WOKE, st->at);
	nap = st->naps.v[st->at++];
	st->due = now + (nap ? nap : 1);
	return nap;
}

/* Switches its clocks at the edges that `naps` counts off. */
static uint64_t switch_gates(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx);

	if (now < st->due || st->at == st->naps.n)
		return st->at == st->naps.n ? HD_SLEEP : st->due - now;
	st->open = !st->open;
	hd_gate(st->ctx, st->open);
	st->due = now + st->naps.v[st->at++];
	return st->at == st->naps.n ? HD_SLEEP : st->due - now;
}

static void skipped(void *state, uint64_t n)
{
	((struct state *)state)->edges += n;
}

static const struct hd_param params[] = {
	{ .name = "naps", .unit = "edges", .doc = "results of eval, one after another",
	  .type = HD_U32S, .def = "[]", .offset = offsetof(struct state, naps) },
	{ .name = "repeat", .unit = "", .doc = "1: repeat from the beginning", .type = HD_U32,
	  .def = "0", .min = 0, .max = 1, .offset = offsetof(struct state, repeat) },
	{ .name = NULL },
};

/* Without a port: a module may have none, as long as it has a process. */
static const struct hd_stat stats[] = {
	{ .name = "edges", .unit = "edges", .doc = "edges that passed, asleep or not",
	  .offset = offsetof(struct state, edges) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_WOKE] = { .name = "woke", .doc = "a nap is over", .fields = { { .name = "nap" } } },
	{ .name = NULL },
};

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, at, open);
}

const struct hd_module hd_module_sleeper = {
	TOY_HEAD, .name = "sleeper", .doc = "wakes by its own timer", .params = params,
	.stats = stats, .events = events, .state_size = sizeof(struct state), .init = toy_init,
	.eval = sleep_on, .skipped = skipped,
	.checkpoint = checkpoint,
};

const struct hd_module hd_module_gatekeeper = {
	TOY_HEAD, .name = "gatekeeper", .doc = "opens and closes gates", .params = params,
	.state_size = sizeof(struct state), .init = toy_init, .eval = switch_gates,
	.checkpoint = checkpoint,
};
