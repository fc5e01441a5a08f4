/* request_share.c - requests of several on their way to one memory, and the replies back to each of them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Sharing a path.  A request tells by .port whose it is; what it had there is there again in its reply,
 * so that one instance may stand behind another.
 */
#include <heddle/ahead.h>
#include <heddle/gpu/mem.h>

enum { PORT_IN, PORT_OUT };
enum { ROUND_ROBIN, FIRST };

struct state {
	struct hd_ctx *ctx;
	struct hd_ends in, response;
	struct hd_end out, reply;
	struct hd_pool *pool;
	uint32_t rate, arbiter;
	uint32_t next; /* requester that is asked first */
	bool stuck;    /* since the last evaluation a request has found no room */
	uint64_t requests, replies, conflicts, blocked;
};

/* Whose request goes next; -1: there is none.  *several: another one has to wait for it. */
static int chosen(const struct state *st, bool *several)
{
	int found = -1;

	*several = false;
	for (uint32_t i = 0; i < st->in.n; i++) {
		uint32_t k = st->next + i < st->in.n ? st->next + i : st->next + i - st->in.n;

		if (!hd_front(&st->in.v[k]))
			continue;
		if (found >= 0) {
			*several = true;
			break;
		}
		found = (int)k;
	}
	return found;
}

/* Returns false if nothing was sent. */
static bool send(struct state *st)
{
	bool several;
	int i = chosen(st, &several);
	hd_mem_ref ref;
	struct hd_mem_req *r;
	uint32_t port;

	if (i < 0)
		return false;
	if (hd_room(&st->out) == 0) {
		st->stuck = true;
		return false;
	}
	ref = hd_mem_front(&st->in.v[i]);
	r = &hd_mem(st->pool, ref)->line.req;
	port = r->port * st->in.n + (uint32_t)i;
	if (HD_UNLIKELY(port > UINT8_MAX)) {
		hd_error(st->ctx, "requester %u of %u has requests from its own port %u; expected at most %u ports in "
		         "all", i, st->in.n, r->port, UINT8_MAX + 1);
		return false;
	}
	r->port = (uint8_t)port;
	hd_take(&st->in.v[i]);
	hd_put(&st->out, &ref, sizeof ref);
	st->requests++;
	st->conflicts += several;
	if (st->arbiter == ROUND_ROBIN)
		st->next = (uint32_t)i + 1 == st->in.n ? 0 : (uint32_t)i + 1;
	return true;
}

/* Returns false if none came, or its requester has no room. */
static bool answer(struct state *st)
{
	hd_mem_ref ref = hd_mem_front(&st->reply);
	struct hd_mem_req *r;
	uint32_t i;

	if (!ref)
		return false;
	r = &hd_mem(st->pool, ref)->line.req;
	i = r->port % st->in.n;
	if (hd_room(&st->response.v[i]) == 0)
		return false;
	r->port = (uint8_t)(r->port / st->in.n);
	hd_take(&st->reply);
	hd_put(&st->response.v[i], &ref, sizeof ref);
	st->replies++;
	return true;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	bool any = false;

	st->stuck = false;
	for (uint32_t i = 0; i < st->rate && answer(st); i++)
		any = true;
	for (uint32_t i = 0; i < st->rate && send(st); i++)
		any = true;
	st->blocked += st->stuck;
	return any ? HD_NEXT : HD_SLEEP;
}

/* The head of an input finds no room in every edge until it does. */
static void skipped(void *state, uint64_t n)
{
	struct state *st = state;

	if (st->stuck)
		st->blocked += n;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	if (st->response.n != st->in.n)
		return hd_error(ctx, "%u requesters at port 'in' and %u at port 'response'; expected the same, in the "
		                "same order", st->in.n, st->response.n);
	hd_puts_at_most(ctx, PORT_OUT, st->rate);
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	st->next = (uint32_t)hd_saved_number(k, st->next, st->in.n);
	HD_SAVED(k, st->stuck);
}

#define P(f) offsetof(struct state, f)

/* In the order of their enumeration. */
static const char *const arbiters[] = { "round_robin", "first", NULL };

static const struct hd_param params[] = {
	{ .name = "rate", .unit = "requests", .doc = "that pass in a cycle, and as many replies", .type = HD_U32,
	  .offset = P(rate), .def = "1", .min = 1, .max = 16 },
	{ .name = "arbiter", .unit = "", .doc = "whose request passes: that of each in turn, or of the first requester "
	  "that has one", .type = HD_CHOICE, .offset = P(arbiter), .choices = arbiters, .def = "\"round_robin\"" },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_IN] = { .name = "in", .doc = "by requester: its requests", .kind = HD_IN, .flags = HD_ARRAY | HD_METERED,
	  .type = &hd_type_mem, .offset = P(in) },
	[PORT_OUT] = { .name = "out", .doc = "all of them", .kind = HD_OUT, .type = &hd_type_mem, .most = 1,
	  .offset = P(out) },
	{ .name = "reply", .doc = "replies to them", .kind = HD_IN, .flags = HD_METERED, .type = &hd_type_mem,
	  .offset = P(reply) },
	{ .name = "response", .doc = "by requester, in the same order: replies to its own", .kind = HD_OUT,
	  .flags = HD_ARRAY, .type = &hd_type_mem, .offset = P(response) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "requests", .unit = "requests", .doc = "passed on", .offset = P(requests) },
	{ .name = "replies", .unit = "requests", .doc = "answered", .offset = P(replies) },
	{ .name = "conflicts", .unit = "requests", .doc = "that others had to wait for", .offset = P(conflicts) },
	{ .name = "blocked", .unit = "cycles", .doc = "cycles in which what is behind had no room",
	  .offset = P(blocked) },
	{ .name = NULL },
};

const struct hd_module hd_module_request_share = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "request_share",
	.doc = "lets several instances send requests to one memory, and returns each its replies",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.skipped = skipped,
	.checkpoint = checkpoint,
};
