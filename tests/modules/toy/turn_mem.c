/* turn_mem.c - toy: takes memory requests, and puts the same records back at a line of the script
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   give n=N             puts back so many, in the order in which they came; they are replies then
 *   stop, go             takes nothing, or everything, from now on
 * It writes down what it takes.  What gets no reply ends here.
 */
#include "mem.h"

#define MOST 64u

struct state {
	struct actor actor;
	struct hd_pool *pool;
	struct hd_end in, out;
	hd_mem_ref held[MOST];
	uint32_t n;
	bool stopped;
};

static void give(void *state, struct args *a)
{
	struct state *st = state;

	for (uint64_t n = arg_number(a, "n", 1); n; n--) {
		if (st->n == 0 || hd_room(&st->out) == 0) {
			wrong(st->actor.ctx, "there is nothing to give, or no room");
			return;
		}
		hd_put(&st->out, &st->held[0], sizeof st->held[0]);
		memmove(&st->held[0], &st->held[1], --st->n * sizeof st->held[0]);
	}
}

static void stop(void *state, struct args *a)
{
	(void)a;
	((struct state *)state)->stopped = true;
}

static void go(void *state, struct args *a)
{
	(void)a;
	((struct state *)state)->stopped = false;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t next = actor_eval(st);
	hd_mem_ref ref;

	while (!st->stopped && st->n < MOST && (ref = hd_mem_front(&st->in)) != 0) {
		const struct hd_mem_line *line = &hd_mem(st->pool, ref)->line;

		tell_mem(st->actor.ctx, "took", line);
		hd_take(&st->in);
		if (line->req.flags & HD_MEM_SILENT)
			hd_release(st->pool, ref);
		else
			st->held[st->n++] = ref;
	}
	return next;
}

static const struct verb verbs[] = {
	{ "give", give }, { "stop", stop }, { "go", go }, { NULL, NULL },
};

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->pool = hd_pool(ctx, &hd_type_mem);
	return actor_init(state, ctx);
}

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "requests", .kind = HD_IN, .type = &hd_type_mem,
	  .offset = offsetof(struct state, in) },
	{ .name = "out", .doc = "the same, later", .kind = HD_OUT, .type = &hd_type_mem,
	  .offset = offsetof(struct state, out) },
	{ .name = NULL },
};

TOY(turn_mem, "takes requests and puts them back", verbs, ports, .init = init, .eval = eval);
