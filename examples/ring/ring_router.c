/* ring_router.c - a router of a ring in which packets go either way around
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o ring_router.so ring_router.c
 *
 * In each cycle a router passes on at most one packet to the left, one to the right, and one to its terminal.
 * Of two that go the same way the one that is in the ring goes first, unless `first` is "terminal".  Then packets
 * pile up in the ring, and when each place of it is taken by one that has to go on none can: a deadlock, which `bubble`
 * avoids by keeping one place free.
 */
#include "packet.h"

enum { BOTH, RIGHT };
enum { RING, TERMINAL };

struct state {
	struct hd_ctx *ctx;
	struct hd_end left_in, right_in, in, left_out, right_out, out;
	uint32_t directions, first;
	bool bubble, right_first; /* right_first: whose packet leaves the ring if there are two */
	uint64_t left, right, blocked;
};

/* Where the packet at an input goes from here. */
static struct hd_end *way(struct state *st, const struct hd_end *in, const struct packet *p)
{
	uint32_t me = st->ctx->index, n = st->ctx->count, ahead = (p->to + n - me) % n;

	if (p->to == me)
		return &st->out;
	if (in == &st->left_in)
		return &st->right_out;
	if (in == &st->right_in)
		return &st->left_out;
	return st->directions == RIGHT || ahead <= n / 2 ? &st->right_out : &st->left_out;
}

/* Passes on the first packet of an input if it goes there, and `room` places are free. */
static bool pass(struct state *st, const struct hd_end *in, const struct hd_end *to, uint32_t room)
{
	const struct packet *p = hd_front(in);

	if (!p || way(st, in, p) != to)
		return false;
	if (hd_room(to) < room) {
		st->blocked++;
		return false;
	}
	hd_put(to, p, sizeof *p);
	hd_take(in);
	return true;
}

/* One packet to a neighbour: of the ring's or of the terminal's. */
static uint64_t pass_on(struct state *st, const struct hd_end *ring, const struct hd_end *to)
{
	uint32_t room = st->bubble ? 2 : 1;

	if (st->first == RING)
		return pass(st, ring, to, 1) || pass(st, &st->in, to, room);
	return pass(st, &st->in, to, room) || pass(st, ring, to, 1);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	const struct hd_end *first = st->right_first ? &st->right_in : &st->left_in;
	const struct hd_end *second = st->right_first ? &st->left_in : &st->right_in;

	if (pass(st, first, &st->out, 1) || pass(st, second, &st->out, 1))
		st->right_first = !st->right_first;
	st->right += pass_on(st, &st->left_in, &st->right_out);
	st->left += pass_on(st, &st->right_in, &st->left_out);
	return hd_front(&st->left_in) || hd_front(&st->right_in) || hd_front(&st->in) ? HD_NEXT : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->ctx = ctx;
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	HD_SAVED(k, ((struct state *)state)->right_first);
}

#define AT(member) .offset = offsetof(struct state, member)

static const char *const firsts[] = { "ring", "terminal", NULL };
static const char *const directions[] = { "both", "right", NULL };

const struct hd_module hd_module_ring_router = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "ring_router",
	.doc = "router of a ring in which packets go either way around",
	.params = (const struct hd_param[]){
		{ .name = "directions", .unit = "",
		  .doc = "both: packets take the shorter way; right: all go to the right",
		  .type = HD_CHOICE, AT(directions), .def = "\"both\"", .choices = directions },
		{ .name = "first", .unit = "",
		  .doc = "which of two packets that go the same way: that in the ring, or that of "
		  "the terminal", .type = HD_CHOICE, AT(first), .def = "\"ring\"", .choices = firsts },
		{ .name = "bubble", .unit = "", .doc = "a packet enters the ring only if another place stays free",
		  .type = HD_BOOL, AT(bubble), .def = "false" },
		{ 0 } },
	.ports = (const struct hd_port[]){
		{ .name = "left_in", .doc = "packets from the left", .kind = HD_IN,
		  .flags = HD_METERED, .type = &packet_type,
		  AT(left_in) },
		{ .name = "right_in", .doc = "packets from the right", .kind = HD_IN,
		  .flags = HD_METERED, .type = &packet_type,
		  AT(right_in) },
		{ .name = "in", .doc = "packets of its terminal", .kind = HD_IN, .type = &packet_type, AT(in) },
		{ .name = "left_out", .doc = "packets to the left", .kind = HD_OUT,
		  .type = &packet_type, AT(left_out) },
		{ .name = "right_out", .doc = "packets to the right", .kind = HD_OUT,
		  .type = &packet_type, AT(right_out) },
		{ .name = "out", .doc = "packets for its terminal", .kind = HD_OUT, .type = &packet_type, AT(out) },
		{ 0 } },
	.stats = (const struct hd_stat[]){
		{ .name = "right", .unit = "packets", .doc = "packets passed on to the right", AT(right),
		  .rate = "links to the right" },
		{ .name = "left", .unit = "packets", .doc = "packets passed on to the left", AT(left),
		  .rate = "links to the left" },
		{ .name = "blocked", .unit = "times",
		  .doc = "the place where a packet would go was taken", AT(blocked) },
		{ 0 } },
	.state_size = sizeof(struct state),
	.init = init, .eval = eval, .checkpoint = checkpoint,
};
