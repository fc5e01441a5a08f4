/* l2_intake.c - the entrance of a slice of the second-level cache: takes requests from the network
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * At most one request a cycle, or `rate`, while the slice lets it.  What is larger than a sector is split; one of a
 * bulk copy is not, and takes as long as that many requests.  All goes into the channel to the slice, whose delay the
 * slice determines.
 */
#include <heddle/ahead.h>
#include <heddle/gpu/time.h>
#include <heddle/gpu/mem.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_end request, credit, rop;
	const struct hd_time *time;
	const uint64_t *now; /* its cycles that are over */
	struct hd_pool *pool;
	bool closed; /* the slice has no room in front of its cache */
	uint32_t rate;
	uint64_t free_from; /* step, of which an edge has `rate`, from which the next request is taken */
	uint64_t taken, refused;
};

enum { PORT_REQUEST, PORT_CREDIT, PORT_ROP, PORT_TIME };

#define SECTOR 32u

static void enter_rop(struct state *st, hd_mem_ref ref)
{
	struct hd_mem *m = hd_mem(st->pool, ref);

	m->due = *st->now; /* to which the slice adds the delay */
	hd_mem_move(st->ctx, m, *st->now, HD_MEM_AT_ROP);
	hd_put(&st->rop, &ref, sizeof ref);
}

/* A write-back of a line becomes one request for each modified sector.  The reference gives a part
 * of a line that is modified as a whole the bytes of the sectors before it, too; and one of a single
 * sector those of the whole line. */
static void split_line(struct state *st, hd_mem_ref ref)
{
	const struct hd_mem_line line = hd_mem(st->pool, ref)->line;
	uint32_t sectors = line.req.bytes;
	bool whole = line.req.size == 4 * SECTOR, one = line.req.size == SECTOR;

	for (uint32_t i = 0; sectors >> i; i++) {
		hd_mem_ref part;
		struct hd_mem *m;

		if (!(sectors >> i & 1))
			continue;
		part = one ? ref : hd_alloc(st->ctx, st->pool);
		m = hd_mem(st->pool, part);
		m->line = line;
		m->at = 0;
		m->slice = hd_mem(st->pool, ref)->slice;
		m->line.req.addr = line.req.addr + i * SECTOR;
		m->line.req.size = SECTOR;
		for (uint32_t k = 0; k < 4 && !one; k++)
			if (k != i && !(whole && k < i))
				m->line.bytes[k] = 0;
		enter_rop(st, part);
	}
	if (!one)
		hd_release(st->pool, ref);
}

/* A read of several sectors, of a line of instructions, becomes one of each.  In the reference both of a line of 64
 * bytes bear its address. */
static void split_read(struct state *st, hd_mem_ref ref)
{
	const struct hd_mem whole = *hd_mem(st->pool, ref);

	for (uint32_t at = 0; at < whole.line.req.size; at += SECTOR) {
		hd_mem_ref part = hd_alloc(st->ctx, st->pool);
		struct hd_mem *m = hd_mem(st->pool, part);

		m->line.req = whole.line.req;
		m->at = 0;
		m->line.req.addr += at;
		m->line.req.size = SECTOR;
		m->line.req.flags |= whole.line.req.size == 2 * SECTOR ? HD_MEM_HALF : 0;
		m->slice = whole.slice;
		enter_rop(st, part);
	}
	hd_release(st->pool, ref);
}

/* SL13: one of any bytes of a line, of a bulk copy, takes as many steps as it has sectors. */
static void enter_whole(struct state *st, hd_mem_ref ref, uint64_t step)
{
	struct hd_mem *m = hd_mem(st->pool, ref);

	if (HD_UNLIKELY(m->line.req.flags & HD_MEM_PARTS)) {
		m->row = 0; /* sectors of it that the slice has answered */
		st->free_from = step + hd_mem_sectors(&m->line.req);
	}
	enter_rop(st, ref);
}

/* Requests that it becomes. */
static uint32_t parts_of(const struct hd_mem_req *r)
{
	if (HD_UNLIKELY(r->flags & HD_MEM_LINE))
		return r->size == SECTOR ? 1 : hd_bits_count(r->bytes);
	if (HD_UNLIKELY(r->size > SECTOR && !(r->flags & (HD_MEM_WRITE | HD_MEM_PARTS))))
		return (r->size + SECTOR - 1) / SECTOR;
	return 1;
}

/* All parts enter in one cycle, so there has to be room for all of them. */
static bool has_room(const struct state *st, uint32_t parts)
{
	if (HD_LIKELY(hd_room(&st->rop) >= parts))
		return true;
	if (parts > hd_capacity(&st->rop))
		hd_fail(st->ctx, "a request of %u sectors can never be taken; expected a \"capacity\" of "
		        "at least as many of the link from port 'rop', found %u", parts,
		        hd_capacity(&st->rop));
	return false;
}

static void take_request(struct state *st, hd_mem_ref ref, uint64_t step)
{
	const struct hd_mem_req *r = &hd_mem(st->pool, ref)->line.req;

	if (HD_UNLIKELY(r->flags & HD_MEM_ALLOC)) {
		hd_error(st->ctx, "a read that a slice made for a store; expected 'write_allocate' \"none\" or "
		         "\"lazy_fetch_on_read\" at the cache of a slice with another one behind it");
		return;
	}
	if (HD_UNLIKELY(r->size > SECTOR && !(r->flags & (HD_MEM_WRITE | HD_MEM_LINE | HD_MEM_INST | HD_MEM_PARTS)))) {
		hd_error(st->ctx, "a read of %u bytes by SM %u; expected 'sectored' at the cache that sends it, as "
		         "sectors are answered one by one", r->size, r->core);
		return;
	}
	if (st->closed || !has_room(st, parts_of(r))) {
		st->refused++;
		return;
	}
	hd_take(&st->request);
	hd_mem_fetch_behind(st->pool, &st->request, 0);
	st->taken++;
	if (HD_UNLIKELY(r->flags & HD_MEM_LINE))
		split_line(st, ref);
	else if (HD_UNLIKELY(r->size > SECTOR && !(r->flags & (HD_MEM_WRITE | HD_MEM_PARTS))))
		split_read(st, ref);
	else
		enter_whole(st, ref, step);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	const struct hd_credit *told;
	uint64_t step = hd_now(st->ctx) * st->rate, end = step + st->rate;
	hd_mem_ref ref;

	while ((told = (const struct hd_credit *)hd_front(&st->credit)) != NULL) {
		st->closed = !told->open;
		hd_take(&st->credit);
	}
	ref = hd_mem_front(&st->request);
	if (!ref)
		return HD_SLEEP;
	for (step = step < st->free_from ? st->free_from : step; step < end && (ref = hd_mem_front(&st->request)) != 0;
		step = step + 1 < st->free_from ? st->free_from : step + 1)
		take_request(st, ref, step);
	return hd_mem_front(&st->request) ? HD_NEXT : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	hd_puts_at_most(ctx, PORT_ROP, 4 * st->rate);
	st->now = hd_passed_of(ctx, PORT_TIME);
	return st->now ? 0 : hd_error(ctx, "'time' has no clock; expected an instance with one");
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->closed);
	HD_SAVED(k, st->free_from);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "rate", .unit = "requests", .doc = "that are taken in a cycle", .type = HD_U32, .offset = P(rate),
	  .def = "1", .min = 1, .max = 16 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_REQUEST] = { .name = "request", .doc = "from the network", .kind = HD_IN, .flags = HD_METERED,
	  .type = &hd_type_mem, .offset = P(request) },
	[PORT_CREDIT] = { .name = "credit", .doc = "whether the slice lets requests in", .kind = HD_IN,
	  .type = &hd_type_credit, .offset = P(credit), .users = 1 },
	[PORT_ROP] = { .name = "rop", .doc = "requests of one sector each, and of bulk copies, to the slice",
	  .kind = HD_OUT, .type = &hd_type_mem, .most = 4, .offset = P(rop) },
	[PORT_TIME] = { .name = "time", .doc = "in whose cycles the slice counts its delay", .kind = HD_USES,
	  .type = &hd_type_time, .offset = P(time) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "taken", .unit = "requests", .doc = "requests taken from the network",
	  .offset = P(taken) },
	{ .name = "refused", .unit = "cycles", .doc = "cycles in which the oldest request in the "
	  "network found no room", .offset = P(refused) },
	{ .name = NULL },
};

const struct hd_module hd_module_l2_intake = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "l2_intake",
	.doc = "entrance of a slice of the second-level cache: takes requests and splits them into sectors",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.checkpoint = checkpoint,
};
