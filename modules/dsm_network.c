/* dsm_network.c - network between the SMs of a GPC, for CTAs of clusters
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hopper.md, DS5.  Its latency is that of the links.  How fast an SM may send is its own business.
 */
#include <heddle/ahead.h>
#include <heddle/gpu/remote.h>

enum { PORT_OUT = 1 };

struct state {
	struct hd_ctx *ctx;
	struct hd_ends in, out;
	uint32_t rate;
	uint32_t *sent; /* by output, in this cycle */
	uint64_t packets, conflicts;
};

/* Inputs take turns in being the first. */
static uint64_t eval(void *state)
{
	struct state *st = state;
	uint32_t first = (uint32_t)(hd_now(st->ctx) % st->in.n);
	bool any = false;

	memset(st->sent, 0, st->out.n * sizeof *st->sent);
	for (uint32_t k = 0; k < st->in.n; k++) {
		const struct hd_end *in = &st->in.v[(first + k) % st->in.n];
		const struct hd_remote *r;

		while ((r = hd_front(in)) != NULL) {
			if (r->to >= st->out.n) {
				hd_error(st->ctx, "a packet for SM %u of the GPC, and %u are linked; expected those of "
				         "a GPC, in the order of the dispatcher's 'gpcs'", r->to, st->out.n);
				return HD_SLEEP;
			}
			any = true;
			if (st->sent[r->to] == st->rate || !hd_room(&st->out.v[r->to])) {
				st->conflicts++;
				break;
			}
			st->sent[r->to]++;
			st->packets++;
			hd_pass(in, &st->out.v[r->to], r, sizeof *r);
		}
	}
	return any ? HD_NEXT : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	hd_puts_at_most(ctx, PORT_OUT, st->rate);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (st->in.n == 0)
		return hd_error(st->ctx, "port 'in' is left open; expected the SMs of a GPC");
	st->sent = hd_memory(st->ctx, st->out.n + (size_t)1, sizeof *st->sent);
	return st->sent ? 0 : hd_error(st->ctx, "out of memory");
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "rate", .unit = "packets", .doc = "that an SM gets in a cycle", .type = HD_U32, .offset = P(rate),
	  .def = "1", .min = 1, .max = 64 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "packets, by SM", .kind = HD_IN, .flags = HD_ARRAY, .type = &hd_type_remote,
	  .offset = P(in) },
	[PORT_OUT] = { .name = "out", .doc = "the same, by SM, in the order of the dispatcher", .kind = HD_OUT,
	  .flags = HD_ARRAY, .type = &hd_type_remote, .most = 1, .offset = P(out) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "packets", .unit = "packets", .doc = "that crossed", .offset = P(packets) },
	{ .name = "conflicts", .unit = "packets", .doc = "that waited for a cycle, as another one went to the same SM",
	  .offset = P(conflicts) },
	{ .name = NULL },
};

const struct hd_module hd_module_dsm_network = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "dsm_network",
	.doc = "network between the SMs of a GPC, for CTAs of clusters",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.checkpoint = hd_nothing_saved, /* .sent is of one edge */
};
