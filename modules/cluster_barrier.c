/* cluster_barrier.c - the barrier of a cluster of CTAs (UCGABAR_ARV, UCGABAR_WAIT)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hopper.md, KL5 to KL7.  Each SM has one.  When all lanes of a CTA have arrived it tells that of rank 0, which
 * tells all once all CTAs have come.  Lanes and CTAs that have ended are not waited for; the SM of rank 0 goes on
 * counting for the others when its own CTA has ended.
 */
#include <heddle/gpu/matrix.h>
#include <heddle/gpu/remote.h>

#include <inttypes.h>

#define MOST_SENDS 1024u
#define MEETINGS 1024u /* the news that CTAs have ended come after others have their slots */

/* By CTA slot. */
struct cta {
	uint64_t owner;       /* 1 + the age of its first warp */
	uint32_t sent, open;  /* barriers to which it has come, and that are over */
	uint64_t joins_at;    /* when it tells; 0: it does not */
	uint64_t opens_at;    /* when its warps go on; 0: not yet */
};

/* Of a warp. */
struct lanes {
	uint64_t owner;        /* 1 + its age */
	uint32_t joined, next; /* that have come to the barrier that is not over, and to the one behind it */
	uint32_t owes;         /* that have not waited since they came */
	uint32_t zero;
};

/* A cluster whose rank 0 is here, from the first of its CTAs that comes or ends on, until all have ended. */
struct meeting {
	uint32_t serial;         /* of the cluster; 0: none */
	uint16_t joined, gone;   /* ranks: come to the next barrier, ended */
	struct hd_remote packet; /* to a rank, but for where that is */
	struct hd_cta_cluster where;
};

struct state {
	struct hd_async_if face;
	struct hd_remote_if remote;
	struct hd_ctx *ctx;
	struct hd_end out;
	struct hd_warps *warps;
	uint32_t arrive, release, why; /* why: the name of the hold */
	struct cta cta[HD_MAX_WARPS];
	struct meeting meeting[MEETINGS];
	uint32_t met;                   /* behind these no place of a meeting has been used */
	struct lanes lanes[HD_MAX_WARPS];
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

/* Another warp may have had its slot before. */
static struct lanes *lanes_of(struct state *st, uint32_t warp)
{
	struct lanes *l = &st->lanes[warp];

	if (l->owner != st->warps->age[warp] + 1)
		*l = (struct lanes){ .owner = st->warps->age[warp] + 1 };
	return l;
}

static void wrong(const struct state *st, const struct hd_inst *inst, const char *what)
{
	const struct hd_warps *w = st->warps;

	hd_error(st->ctx, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 ", pc 0x%" PRIx32
	         ": barrier of the cluster: %s", inst->kernel, w->block[w->cta[inst->warp]],
	         hd_warp_in_cta(w, inst->warp), inst->pc, what);
}

/* Lanes have come, or ended: the CTA comes once all have that have not ended. */
static void come(struct state *st, uint32_t slot)
{
	hd_warp_set live = st->warps->cta_warps[slot] & ~st->warps->exited;
	struct cta *c = cta_of(st, slot);

	if (c->sent > c->open || !live)
		return;
	while (live) {
		uint32_t warp = hd_warp_pop(&live);

		if (st->warps->lanes[warp] & ~lanes_of(st, warp)->joined)
			return;
	}
	c->sent++;
	c->joins_at = hd_now(st->ctx) + st->arrive;
	st->busy |= hd_warp_bit(slot);
	hd_wake(st->ctx->self);
}

/* ---- at issue ---- */

static void hold(struct state *st, uint32_t warp)
{
	st->waits++;
	st->since[warp] = hd_now(st->ctx);
	st->waiting |= hd_warp_bit(warp);
	hd_warp_block(st->warps, warp, st->why);
}

/* Lanes that have waited and come again hold the warp until the barrier is over for which they have waited. */
static void arrive(struct state *st, const struct hd_inst *inst)
{
	struct lanes *l = lanes_of(st, inst->warp);

	if (l->owes & inst->mask) {
		wrong(st, inst, "lanes have arrived and not waited; expected UCGABAR_WAIT before");
		return;
	}
	l->owes |= inst->mask;
	l->next |= l->joined & inst->mask;
	l->joined |= inst->mask;
	if (l->next)
		hold(st, inst->warp);
	come(st, st->warps->cta[inst->warp]);
}

/* Lanes that wait while others of the warp have not do not hold it: what follows is that of the others. */
static void wait(struct state *st, const struct hd_inst *inst)
{
	struct lanes *l = lanes_of(st, inst->warp);

	if (inst->mask & ~l->owes) {
		wrong(st, inst, "lanes wait and have not arrived; expected UCGABAR_ARV before");
		return;
	}
	l->owes &= ~inst->mask;
	if ((inst->mask & l->joined) && !(st->warps->lanes[inst->warp] & (l->owes | ~l->joined)))
		hold(st, inst->warp);
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

static void put_packet(struct state *st, const struct hd_remote *p)
{
	if (st->count == MOST_SENDS) {
		hd_fail(st->ctx, "too many packets wait");
		return;
	}
	st->sends[(st->head + st->count++) % MOST_SENDS] = *p;
	hd_wake(st->ctx->self);
}

/* The CTA tells rank 0. */
static void tell(struct state *st, uint32_t slot, enum hd_remote_kind kind)
{
	struct hd_remote p = hd_remote_to(st->warps, slot, 0, kind);

	p.value = st->warps->cluster[slot].rank;
	put_packet(st, &p);
}

static void open_later(struct state *st, uint32_t slot)
{
	cta_of(st, slot)->opens_at = hd_now(st->ctx) + st->release;
	st->busy |= hd_warp_bit(slot);
	hd_wake(st->ctx->self);
}

static bool is_here(const struct state *st, uint32_t slot, uint32_t serial)
{
	return st->warps->cta_warps[slot] && st->warps->cluster[slot].serial == serial;
}

/* The meeting of a cluster, whose rank 0 has this slot if it has not ended; NULL: it is over. */
static struct meeting *meeting_of(struct state *st, uint32_t slot, uint32_t serial)
{
	struct meeting *m = NULL;

	for (uint32_t i = 0; i < st->met; i++) {
		if (st->meeting[i].serial == serial)
			return &st->meeting[i];
		if (!st->meeting[i].serial && !m)
			m = &st->meeting[i];
	}
	if (!is_here(st, slot, serial))
		return NULL;
	if (!m && st->met == MEETINGS) {
		hd_fail(st->ctx, "too many clusters meet");
		return NULL;
	}
	if (!m)
		m = &st->meeting[st->met++];
	*m = (struct meeting){ .serial = serial, .packet = hd_remote_to(st->warps, slot, 0, HD_REMOTE_OPEN),
		.where = st->warps->cluster[slot] };
	return m;
}

/* A CTA has come, or ended: opens the barrier once none is missing and one waits. */
static void meet(struct state *st, struct meeting *m, uint32_t rank, bool gone)
{
	uint16_t all = (uint16_t)((UINT32_C(1) << m->where.size) - 1);

	*(gone ? &m->gone : &m->joined) |= (uint16_t)(1u << rank % HD_MOST_CLUSTER);
	if (m->gone == all)
		m->serial = 0;
	if (!(m->joined & ~m->gone) || ((m->joined | m->gone) & all) != all)
		return;
	for (uint32_t i = 0; i < m->where.size; i++) {
		struct hd_remote p = m->packet;

		p.to = m->where.sm[i];
		p.slot = m->where.slot[i];
		if (!(m->gone >> i & 1))
			put_packet(st, &p);
	}
	m->joined = 0;
}

static void deliver(void *self, const struct hd_remote *r)
{
	struct state *st = self;
	struct meeting *m;

	if (r->kind == HD_REMOTE_OPEN) {
		if (is_here(st, r->slot, r->serial))
			open_later(st, r->slot);
		return;
	}
	m = meeting_of(st, r->slot, r->serial);
	if (m)
		meet(st, m, r->value, r->kind == HD_REMOTE_GONE);
}

/* KL7: lanes that have ended are not waited for. */
static void ended(void *self, uint32_t warp)
{
	struct state *st = self;
	uint32_t slot = st->warps->cta[warp];
	const struct hd_cta_cluster *c = &st->warps->cluster[slot];
	bool over = !(st->warps->cta_warps[slot] & ~st->warps->exited);

	if (c->size > 1 && over) {
		if (c->rank == 0)
			meeting_of(st, slot, c->serial); /* it may outlive the CTA */
		tell(st, slot, HD_REMOTE_GONE);
	} else {
		come(st, slot);
	}
}

/* ---- an edge ---- */

static void open_now(struct state *st, uint32_t slot, struct cta *c)
{
	c->open++;
	st->barriers++;
	hd_emit(st->ctx, EVENT_OPEN, slot, c->open);
	for (hd_warp_set set = st->warps->cta_warps[slot]; set;) {
		uint32_t warp = hd_warp_pop(&set);

		lanes_of(st, warp)->joined = lanes_of(st, warp)->next;
		lanes_of(st, warp)->next = 0;
		if (!hd_warp_in(st->waiting, warp))
			continue;
		st->waiting &= ~hd_warp_bit(warp);
		st->wait_cycles += hd_now(st->ctx) - st->since[warp];
		hd_warp_unblock(st->warps, warp, st->why);
	}
	come(st, slot);
}

/* A CTA without a cluster, or whose trace does not name it, has come to its own barrier. */
static void join_now(struct state *st, uint32_t slot)
{
	hd_emit(st->ctx, EVENT_JOIN, slot);
	if (st->warps->cluster[slot].size <= 1)
		open_later(st, slot);
	else
		tell(st, slot, HD_REMOTE_JOIN);
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
	st->face = (struct hd_async_if){ .self = st, .ops = HD_ASYNC_CLUSTER_OPS, .issued = issued,
		.ended = ended };
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
		                  w->kernel[warp], w->block[w->cta[warp]], hd_warp_in_cta(w, warp),
		                  st->cta[w->cta[warp]].open + 1);
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
