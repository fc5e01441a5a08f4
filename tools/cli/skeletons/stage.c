/* @NAME@.c - a pipeline stage: takes payloads from one channel and puts them into another
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Here it is placed between the load/store unit and the memory and passes requests on.  Its links
 * determine how long requests take ("latency") and how many may wait ("capacity").
 */
#include <heddle/gpu/mem.h> /* the payload; heddle/gpu/ has the others */

/* State of an instance.  The kernel zeroes it, stores the parameters and the ends of the
 * channels at their offsets, and calls init. */
struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out;
	uint32_t width;  /* parameter */
	uint64_t passed; /* statistic */
};

/* Called at an edge of the clock.  Returns the number of edges until the next call. */
static uint64_t eval(void *state)
{
	struct state *st = state;
	hd_mem_ref r;

	for (uint32_t i = 0; i < st->width; i++) {
		r = hd_mem_front(&st->in); /* the oldest; 0 if the channel is empty */
		if (r == 0 || hd_room(&st->out) == 0)
			return HD_SLEEP; /* woken by a put into `in` or a take from `out` */
		/* the work of the stage goes here, on hd_mem(hd_pool(st->ctx, &hd_type_mem), r) */
		hd_put(&st->out, &r, sizeof r);
		hd_take(&st->in);
		st->passed++;
	}
	return HD_NEXT;
}

/* Checks parameters against each other (errors by hd_error()) and allocates. */
static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	return 0;
}

#define AT(member) .offset = offsetof(struct state, member)

static const struct hd_param params[] = {
	{ .name = "width", .unit = "requests", .doc = "requests that pass per cycle", .type = HD_U32,
	  AT(width), .def = "1", .min = 1, .max = 32 },
	{ 0 },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "requests", .kind = HD_IN, .type = &hd_type_mem, AT(in) },
	{ .name = "out", .doc = "the same, later", .kind = HD_OUT, .type = &hd_type_mem, AT(out) },
	{ 0 },
};

static const struct hd_stat stats[] = {
	{ .name = "passed", .unit = "requests", .doc = "requests that passed", AT(passed) },
	{ 0 },
};

/* The descriptor; `heddle modules @NAME@` prints it. */
const struct hd_module hd_module_@NAME@ = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "@NAME@",
	.doc = "stage that passes memory requests on",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.checkpoint = hd_nothing_saved, /* but the counter; see heddle/checkpoint.h */
};
