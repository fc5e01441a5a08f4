/* ring_terminal.c - a source of random packets for a network, and the place where they arrive
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o ring_terminal.so ring_terminal.c
 *
 * Packets are made at random moments whether the network takes them or not; those that it does not take
 * wait here, and their time counts.  After `cycles` no more are made, and the run ends when the last has arrived.
 */
#include "packet.h"

#include <stdlib.h>

enum { UNIFORM, OPPOSITE, NEIGHBOUR };

#define WAITING 1024u /* a power of two */

struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out;
	uint32_t load, cycles, warm_up, seed, pattern;
	uint64_t random, next;       /* cycle at which the next packet is made */
	struct packet *waiting;      /* WAITING places */
	uint32_t head, tail;
	uint64_t sent, received, latency, longest, dropped;
};

/* xorshift64*: the same numbers everywhere. */
static uint32_t draw(struct state *st, uint32_t below)
{
	st->random ^= st->random >> 12;
	st->random ^= st->random << 25;
	st->random ^= st->random >> 27;
	return (uint32_t)((st->random * UINT64_C(2685821657736338717) >> 32) * below >> 32);
}

static uint32_t target(struct state *st)
{
	uint32_t me = st->ctx->index, n = st->ctx->count;

	switch (st->pattern) {
	case OPPOSITE: return (me + n / 2) % n;
	case NEIGHBOUR: return (me + 1) % n;
	default: return (me + 1 + draw(st, n - 1)) % n;
	}
}

/* In each cycle a packet is made with a probability of load / 1000. */
static void wait_for_next(struct state *st)
{
	do
		st->next++;
	while (draw(st, 1000) >= st->load);
}

static void make(struct state *st, uint64_t now)
{
	for (; st->next <= now && st->next < st->cycles; wait_for_next(st)) {
		const struct packet p = { st->ctx->index, target(st), st->next };

		if (st->tail - st->head == WAITING)
			st->dropped++;
		else
			st->waiting[st->tail++ % WAITING] = p;
	}
}

static void arrive(struct state *st, const struct packet *p, uint64_t now)
{
	if (p->born < st->warm_up)
		return;
	st->received++;
	st->latency += now - p->born;
	if (now - p->born > st->longest)
		st->longest = now - p->born;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx);
	const struct packet *p;

	for (; (p = hd_front(&st->in)) != NULL; hd_take(&st->in))
		arrive(st, p, now);
	make(st, now);
	if (st->head != st->tail && hd_room(&st->out) > 0) {
		p = &st->waiting[st->head++ % WAITING];
		hd_put(&st->out, p, sizeof *p);
		st->sent++;
		if (st->head != st->tail)
			return HD_NEXT;
	}
	return st->next < st->cycles ? st->next - now : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	if (ctx->count < 2)
		return hd_error(ctx, "there is nowhere to send to; expected a 'count' of at least 2");
	st->random = (st->seed + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15) ^ (ctx->index + UINT64_C(1)) << 17;
	for (int i = 0; i < 8; i++)
		draw(st, 2);
	if (st->load == 0)
		st->next = UINT64_MAX;
	else
		wait_for_next(st);
	st->waiting = calloc(WAITING, sizeof *st->waiting);
	return st->waiting ? 0 : hd_error(ctx, "out of memory");
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->head != st->tail)
		hd_report_pending(h, "%u packets wait to enter the network", st->tail - st->head);
}

static void fini(void *state)
{
	free(((struct state *)state)->waiting);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, random, next);
	HD_SAVED_FROM(k, st, head, tail);
	hd_saved(k, st->waiting, WAITING * sizeof *st->waiting);
}

#define AT(member) .offset = offsetof(struct state, member)

static const char *const patterns[] = { "uniform", "opposite", "neighbour", NULL };

const struct hd_module hd_module_ring_terminal = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "ring_terminal",
	.doc = "source of random packets for a network, and the place where they arrive",
	.params = (const struct hd_param[]){
		{ .name = "load", .unit = "packets",
		  .doc = "that are made in 1000 cycles on average", .type = HD_U32, AT(load),
		  .min = 0, .max = 1000 },
		{ .name = "cycles", .unit = "cycles", .doc = "in which packets are made", .type = HD_U32, AT(cycles),
		  .def = "20000", .min = 1, .max = 1000000000 },
		{ .name = "warm_up", .unit = "cycles",
		  .doc = "packets made in these first ones are not counted on arrival",
		  .type = HD_U32, AT(warm_up), .def = "0", .min = 0, .max = 1000000000 },
		{ .name = "seed", .unit = "", .doc = "of the random numbers", .type = HD_U32, AT(seed), .def = "1" },
		{ .name = "pattern", .unit = "",
		  .doc = "where packets go: to any other terminal, to the one half around, "
		  "to the next one", .type = HD_CHOICE, AT(pattern), .def = "\"uniform\"", .choices = patterns },
		{ 0 } },
	.ports = (const struct hd_port[]){
		{ .name = "in", .doc = "packets that arrive", .kind = HD_IN, .type = &packet_type, AT(in) },
		{ .name = "out", .doc = "packets that leave", .kind = HD_OUT, .type = &packet_type, AT(out) },
		{ 0 } },
	.stats = (const struct hd_stat[]){
		{ .name = "sent", .unit = "packets", .doc = "packets that entered the network",
		  AT(sent), .total = "sent" },
		{ .name = "received", .unit = "packets", .doc = "packets that arrived, without those of the warm-up",
		  AT(received), .total = "received", .ratio = "a cycle" },
		{ .name = "latency", .unit = "cycles",
		  .doc = "from making a packet to its arrival, on average", AT(latency),
		  .of = "received", .total = "latency" },
		{ .name = "longest", .unit = "cycles", .doc = "the longest latency", AT(longest), .total = "longest",
		  .most = true },
		{ .name = "dropped", .unit = "packets", .doc = "made while 1024 packets were waiting", AT(dropped),
		  .total = "dropped" },
		{ 0 } },
	.state_size = sizeof(struct state),
	.init = init, .eval = eval, .report_pending = report_pending, .fini = fini,
	.checkpoint = checkpoint,
};
