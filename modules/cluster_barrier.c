/* cluster_barrier.c - the barrier of a cluster of CTAs (UCGABAR_ARV, UCGABAR_WAIT)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hopper.md, KL5 to KL7.  Each SM has one.  When all warps of a CTA have arrived it tells that of rank 0, which
 * tells all once all CTAs have come.
 */
#include <heddle/gpu/matrix.h>
#include <heddle/gpu/remote.h>

#include <inttypes.h>

#define MOST_SENDS 1024u

/* By CTA slot. */
struct cta {
	uint64_t owner;       /* 1 + the age of its first warp */
	uint32_t sent, open;  /* barriers to which it has come, and that are over */
	uint32_t joined;      /* CTAs that have come to the next one; of rank 0 */
	uint32_t zero;
	uint64_t joins_at;    /* when it tells; 0: it does not */
	uint64_t opens_at;    /* when its warps go on; 0: not yet */
};

struct state {
	struct hd_async_if face;
	struct hd_remote_if remote;
	struct hd_ctx *ctx;
	struct hd_end out;
	struct hd_warps *warps;
	uint32_t arrive, release, why; /* why: the name of the hold */
	struct cta cta[HD_MAX_WARPS];
	uint64_t age[HD_MAX_WARPS];     /* 1 + that of the warp */
	uint32_t arrived[HD_MAX_WARPS]; /* how often the warp has */
	uint64_t since[HD_MAX_WARPS];
	hd_warp_set waiting;
	hd_warp_set busy;               /* CTA slots with something to come */
	struct hd_remote sends[MOST_SENDS];
	uint32_t head, count;
	uint64_t barriers, waits, wait_cycles;
};

enum { EVENT_JOIN, EVENT_OPEN };

/* ---- CTAs and warps ---- */

/* What is kept of the CTA in this slot; another one may have had it before. */
static struct cta *cta_of(struct state *st, uint32_t slot)
{
	hd_warp_set set = st->warps->cta_warps[slot];
	uint64_t owner = set ? st->warps->age[hd_warp_first(set)] + 1 : 0;
	struct cta *c = &st->cta[slot];

	if (c->owner != owner)
		*c = (struct cta){ .owner = owner };
	return c;
}

/* How often the warp has arrived; another one may have had its slot before. */
static uint32_t *arrivals(struct state *st, uint32_t warp)
{
	if (st->age[warp] != st->warps->age[warp] + 1) {
		st->age[warp] = st->warps->age[warp] + 1;
		st->arrived[warp] = 0;
	}
	return &st->arrived[warp];
}

static void wrong(const struct state *st, const struct hd_inst *inst, const char *what)
{
	const struct hd_warps *w = st->warps;

	hd_error(st->ctx, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 ", pc 0x%" PRIx32
	         ": barrier of the cluster: %s", inst->kernel, w->block[w->cta[inst->warp]],
	         hd_warp_in_cta(w, inst->warp), inst->pc, what);
}

/* Has the whole CTA come to its next barrier? */
static bool has_come(struct state *st, uint32_t slot)
{
	uint32_t n = st->cta[slot].sent;

	for (hd_warp_set set = st->warps->cta_warps[slot]; set;)
		if (*arrivals(st, hd_warp_pop(&set)) <= n)
			return false;
	return true;
}

/* ---- at issue ---- */

static void arrive(struct state *st, const struct hd_inst *inst)
{
	uint32_t slot = st->warps->cta[inst->warp];
	struct cta *c = cta_of(st, slot);
	hd_warp_set ended = st->warps->cta_warps[slot] & st->warps->exited;
	uint32_t n = ++*arrivals(st, inst->warp);

	if (n > c->open + 1) {
		wrong(st, inst, "the warp has arrived and not waited; expected UCGABAR_WAIT before");
		return;
	}
	while (ended)
		if (*arrivals(st, hd_warp_pop(&ended)) < n) {
			wrong(st, inst, "a warp of the block has ended without; expected that all arrive");
			return;
		}
	if (!has_come(st, slot))
		return;
	c->sent++;
	c->joins_at = hd_now(st->ctx) + st->arrive;
	st->busy |= hd_warp_bit(slot);
	hd_wake(st->ctx->self);
}

static void wait(struct state *st, const struct hd_inst *inst)
{
	struct cta *c = cta_of(st, st->warps->cta[inst->warp]);
	uint32_t n = *arrivals(st, inst->warp);

	if (n == 0) {
		wrong(st, inst, "the warp waits and has not arrived; expected UCGABAR_ARV before");
		return;
	}
	if (c->open >= n)
		return;
	st->waits++;
	st->since[inst->warp] = hd_now(st->ctx);
	st->waiting |= hd_warp_bit(inst->warp);
	hd_warp_block(st->warps, inst->warp, st->why);
}

static void issued(void *self, const struct hd_inst *inst)
{
	struct state *st = self;

	if (!inst->mask || hd_warp_in(st->warps->exited, inst->warp))
		return;
	if (inst->async.op == HD_ASYNC_CLUSTER_ARRIVE)
		arrive(st, inst);
	else
		wait(st, inst);
}

/* ---- between CTAs ---- */

static void tell(struct state *st, uint32_t slot, uint32_t rank, enum hd_remote_kind kind)
{
	if (st->count == MOST_SENDS) {
		hd_fail(st->ctx, "too many packets wait");
		return;
	}
	st->sends[(st->head + st->count++) % MOST_SENDS] = hd_remote_to(st->warps, slot, rank, kind);
}

static void open_later(struct state *st, uint32_t slot)
{
	cta_of(st, slot)->opens_at = hd_now(st->ctx) + st->release;
	st->busy |= hd_warp_bit(slot);
	hd_wake(st->ctx->self);
}

/* A CTA has come to the barrier of the cluster whose rank 0 is in this slot. */
static void join(struct state *st, uint32_t slot)
{
	struct cta *c = cta_of(st, slot);
	uint32_t size = st->warps->cluster[slot].size;

	if (++c->joined < size)
		return;
	c->joined = 0;
	for (uint32_t rank = 0; rank < size; rank++)
		tell(st, slot, rank, HD_REMOTE_OPEN);
	hd_wake(st->ctx->self);
}

static void deliver(void *self, const struct hd_remote *r)
{
	struct state *st = self;

	if (!st->warps->cta_warps[r->slot] || st->warps->cluster[r->slot].serial != r->serial)
		return; /* it has ended without */
	if (r->kind == HD_REMOTE_JOIN)
		join(st, r->slot);
	else
		open_later(st, r->slot);
}

/* ---- an edge ---- */

static void open_now(struct state *st, uint32_t slot, struct cta *c)
{
	c->open++;
	st->barriers++;
	hd_emit(st->ctx, EVENT_OPEN, slot, c->open);
	for (hd_warp_set set = st->waiting & st->warps->cta_warps[slot]; set;) {
		uint32_t warp = hd_warp_pop(&set);

		if (*arrivals(st, warp) > c->open)
			continue;
		st->waiting &= ~hd_warp_bit(warp);
		st->wait_cycles += hd_now(st->ctx) - st->since[warp];
		hd_warp_unblock(st->warps, warp, st->why);
	}
}

/* A CTA without a cluster, or whose trace does not name it, has come to its own barrier. */
static void join_now(struct state *st, uint32_t slot)
{
	hd_emit(st->ctx, EVENT_JOIN, slot);
	if (st->warps->cluster[slot].size <= 1)
		open_later(st, slot);
	else
		tell(st, slot, 0, HD_REMOTE_JOIN);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), next = UINT64_MAX;

	for (hd_warp_set set = st->busy; set;) {
		uint32_t slot = hd_warp_pop(&set);
		struct cta *c = cta_of(st, slot);

		if (c->joins_at && c->joins_at <= now) {
			c->joins_at = 0;
			join_now(st, slot);
		}
		if (c->opens_at && c->opens_at <= now) {
			c->opens_at = 0;
			open_now(st, slot, c);
		}
		if (!c->joins_at && !c->opens_at)
			st->busy &= ~hd_warp_bit(slot);
		if (c->joins_at && c->joins_at < next)
			next = c->joins_at;
		if (c->opens_at && c->opens_at < next)
			next = c->opens_at;
	}
	while (st->count && hd_room(&st->out)) {
		hd_put(&st->out, &st->sends[st->head], sizeof *st->sends);
		st->head = (st->head + 1) % MOST_SENDS;
		st->count--;
	}
	if (st->count)
		return HD_NEXT;
	return next == UINT64_MAX ? HD_SLEEP : next - now;
}

/* ---- callbacks ---- */

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->face = (struct hd_async_if){ .self = st, .ops = HD_ASYNC_CLUSTER_OPS, .issued = issued };
	st->remote = (struct hd_remote_if){ .self = st, .deliver = deliver };
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	st->why = hd_warps_name_hold(st->ctx, st->warps, "cluster");
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;
	const struct hd_warps *w = st->warps;

	for (hd_warp_set set = st->waiting; set;) {
		uint32_t warp = hd_warp_pop(&set);

		hd_report_pending(h, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32
		  " waits at barrier %u of its cluster",
		                  w->kernel[warp], w->block[w->cta[warp]], hd_warp_in_cta(w, warp), st->arrived[warp]);
	}
	if (st->count)
		hd_report_pending(h, "%u packets wait to be sent", st->count);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, cta, count);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "arrive", .unit = "cycles", .doc = "from the last warp of a CTA until it tells other SMs",
	  .type = HD_U32,
	  .offset = P(arrive), .def = "30", .min = 1, .max = 4096 },
	{ .name = "release", .unit = "cycles", .doc = "from the news that all CTAs have come until warps go on",
	  .type = HD_U32, .offset = P(release), .def = "30", .min = 1, .max = 4096 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "async", .doc = "for the issue stages", .kind = HD_PROVIDES, .type = &hd_type_async_if,
	  .offset = P(face) },
	{ .name = "remote", .doc = "what comes from other SMs", .kind = HD_PROVIDES,
	  .flags = HD_PROVIDER_FIRST, .users = 1, .type = &hd_type_remote_if,
	  .offset = P(remote) },
	{ .name = "out", .doc = "to other SMs", .kind = HD_OUT, .type = &hd_type_remote, .offset = P(out) },
	{ .name = "warps", .doc = "their CTAs and clusters, and warps that wait", .kind = HD_USES, .type =
	  &hd_type_warps,
	  .offset = P(warps) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "barriers", .unit = "barriers", .doc = "that CTAs have passed", .offset = P(barriers) },
	{ .name = "waits", .unit = "warp instructions", .doc = "waits that held their warp", .offset = P(waits) },
	{ .name = "wait_cycles", .unit = "cycles", .doc = "for which they did, all together",
	  .offset = P(wait_cycles) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_JOIN] = { .name = "join", .doc = "all warps of a CTA have come to the barrier of its cluster",
	  .fields = {
		{ "cta", "", "CTA slot" } } },
	[EVENT_OPEN] = { .name = "open", .doc = "all CTAs of the cluster have: its warps go on", .fields = {
		{ "cta", "", "CTA slot" }, { "number", "barriers", "of the CTA that are over" } } },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "waiting", .offset = P(waiting), .size = sizeof(hd_warp_set) },
	{ .name = NULL },
};

const struct hd_module hd_module_cluster_barrier = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "cluster_barrier",
	.doc = "barrier of the CTAs of a cluster: its warps arrive, and wait",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};
