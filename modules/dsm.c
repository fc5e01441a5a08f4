/* dsm.c - shared memory of other CTAs of a cluster: loads, stores, atomics, arrivals and bulk copies between SMs
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hopper.md, DS1 to DS10.  The unit of each SM sends what its own CTAs ask for, and serves those of the others.
 */
#include <heddle/ahead.h>
#include <heddle/gpu/access.h>
#include <heddle/gpu/control.h>
#include <heddle/gpu/matrix.h>
#include <heddle/gpu/remote.h>
#include <heddle/gpu/sync.h>
#include <heddle/gpu/warps.h>

#include <inttypes.h>
#include <stdio.h>

#define LINE 256u     /* packets in a line */
#define PENDING 256u  /* instructions that wait for answers */
#define WINDOW ((UINT32_C(1) << HD_RANK_SHIFT) - 1)
#define PORT 128u     /* bytes that shared memory reads or writes in a cycle */
#define FLIT 32u      /* bytes of a packet without data */
#define MOST_SENT HD_MOST_CLUSTER /* packets of a kind in a cycle */
#define CYCLE 10000u  /* parts of a cycle in which sending is counted */

enum { PORT_REQUESTS = 4, PORT_ANSWERS };
enum { RATE_LOAD, RATE_STORE, RATE_BULK, RATES };

/* A packet, and when it goes on. */
struct item {
	uint64_t at;
	struct hd_remote p;
};

struct line {
	struct item v[LINE];
	uint32_t head, count;
};

/* An instruction that waits for so many answers. */
struct pending {
	hd_inst_ref ref;
	uint32_t left; /* 0: the entry is free */
};

struct state {
	struct hd_ctx *ctx;
	struct hd_end in, units, requests_in, answers_in, requests, returns, done;
	struct hd_warps *warps;
	struct hd_counters *counters;
	const struct hd_mbarrier_if *mbarrier;
	const struct hd_remote_if *cluster;
	const struct hd_smem_port_if *port;
	const struct hd_banks_if *banks;
	struct hd_pool *pool;
	struct hd_list rates;
	uint32_t interval, access, atomic, write, arrive, far, reserved;
	struct line served;    /* need the port of shared memory, the first one for .port_cycles more */
	struct line answers;   /* have read, and go back */
	struct line written;   /* have come to shared memory: stores are acknowledged */
	struct line arrivals;  /* at mbarriers */
	struct line sends, copies, back; /* back: answers, on a way of their own */
	struct line finished;  /* instructions that are complete: .at is the handle */
	struct pending pending[PENDING];
	uint32_t npending, port_cycles;
	uint64_t next_accept;
	bool own_turn;         /* to send: what its own CTAs have, before an answer */
	uint64_t free_at;      /* part of a cycle from which the SM may send */
	uint64_t loads, stores, atomics, moved, sent, served_bytes, refused;
};

enum { EVENT_SEND, EVENT_SERVE };
enum { REASON_INTERVAL };

/* ---- lines ---- */

static bool has_room(const struct line *l)
{
	return l->count < LINE;
}

static void append(struct line *l, const struct hd_remote *p, uint64_t at)
{
	l->v[(l->head + l->count++) % LINE] = (struct item){ .at = at, .p = *p };
}

static const struct item *front(const struct line *l)
{
	return l->count ? &l->v[l->head] : NULL;
}

static bool is_due(const struct line *l, uint64_t now)
{
	return l->count && l->v[l->head].at <= now;
}

static void drop(struct line *l)
{
	l->head = (l->head + 1) % LINE;
	l->count--;
}

static void sooner(const struct line *l, uint64_t *next)
{
	if (l->count && l->v[l->head].at < *next)
		*next = l->v[l->head].at;
}

/* ---- instructions ---- */

/* Is an access of so many bytes beyond the shared memory that each block has? */
static bool is_beyond(const struct state *st, uint64_t address, uint32_t bytes)
{
	const struct hd_launch *l = st->ctx->parts ? NULL : st->warps->launch;

	return l && (address & WINDOW) + bytes > (uint64_t)l->shmem + st->reserved;
}

/* Is it a generic address of something else than shared memory? */
static bool is_elsewhere(const struct state *st, uint64_t address)
{
	const struct hd_launch *l = st->ctx->parts ? NULL : st->warps->launch;

	return l && l->local_base && address > UINT32_MAX && (address < l->shared_base || address >= l->local_base);
}

static void wrong(const struct state *st, const struct hd_inst *inst, uint64_t address, uint32_t size)
{
	const struct hd_warps *w = st->warps;
	char what[160];

	if (is_elsewhere(st, address))
		snprintf(what, sizeof what, "is not in shared memory; expected one from 0x%" PRIx64 " to 0x%" PRIx64,
		         w->launch->shared_base, w->launch->local_base - 1);
	else if (HD_RANK(address) >= size && size > 1)
		snprintf(what, sizeof what, "is in the shared memory of rank %u; expected less than %u, the thread "
		         "blocks of the cluster", HD_RANK(address), size);
	else if (HD_RANK(address) >= size)
		snprintf(what, sizeof what, "is for another thread block of the cluster; expected 'cluster=' in the "
		         "line of the kernel, or its 'cluster dim'");
	else
		snprintf(what, sizeof what, "is not in the shared memory of rank %u; expected an offset of at most "
		         "0x%x: 'reserved' bytes, and those of the block", HD_RANK(address),
		         w->launch->shmem + st->reserved);
	hd_error(st->ctx, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 ", pc 0x%" PRIx32
	         ": address 0x%" PRIx64 " %s", inst->kernel, w->block[w->cta[inst->warp]],
	         hd_warp_in_cta(w, inst->warp), inst->pc, address, what);
}

static void wrong_barrier(const struct state *st, const struct hd_inst *inst, uint64_t address, uint64_t barrier)
{
	const struct hd_warps *w = st->warps;
	bool bare = inst->async.how & HD_ASYNC_BARE;

	hd_error(st->ctx, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 ", pc 0x%" PRIx32
	         ": the bytes for address 0x%" PRIx64 " arrive at %s0x%" PRIx64 "; expected a barrier of the same "
	         "thread block", inst->kernel, w->block[w->cta[inst->warp]], hd_warp_in_cta(w, inst->warp), inst->pc,
	         address, bare ? "no barrier, as the trace has no value: " : "", barrier);
}

static void finish(struct state *st, hd_inst_ref ref)
{
	st->finished.v[(st->finished.head + st->finished.count++) % LINE].at = ref;
}

static void answered(struct state *st, uint32_t id)
{
	struct pending *e = &st->pending[id % PENDING];

	if (e->left == 0 || --e->left > 0)
		return;
	st->npending--;
	finish(st, e->ref);
}

static bool issue_packets(struct state *st, hd_inst_ref ref, const struct hd_inst *inst, uint64_t now)
{
	const struct hd_cta_cluster *c = &st->warps->cluster[st->warps->cta[inst->warp]];
	uint32_t lanes[HD_MOST_CLUSTER] = { 0 }, id = 0, ranks = 0, cycles;
	bool store = (inst->flags & HD_INST_STORE) && !(inst->flags & HD_INST_ATOMIC);
	enum hd_remote_kind kind = inst->flags & HD_INST_ATOMIC ? HD_REMOTE_ATOMIC
	                           : store ? HD_REMOTE_STORE : HD_REMOTE_LOAD;

	for (uint64_t m = inst->mask; m;) {
		uint64_t address = hd_inst_addr(inst, hd_bits_pop(&m));

		if (is_elsewhere(st, address) || HD_RANK(address) >= c->size || is_beyond(st, address, inst->width)) {
			wrong(st, inst, address, c->size);
			return true;
		}
		ranks += lanes[HD_RANK(address)]++ == 0;
	}
	if (ranks == 0) {
		finish(st, ref);
		return true;
	}
	if ((!store && st->npending == PENDING) || st->sends.count + ranks > LINE || st->served.count + 1 > LINE)
		return false;
	while (!store && st->pending[id].left)
		id++;
	cycles = (inst->nlanes * inst->width + PORT - 1) / PORT;
	if (st->banks)
		cycles = st->banks->conflicts(st->banks->self, ref, inst);
	for (uint32_t rank = 0; rank < c->size; rank++) {
		struct hd_remote p = hd_remote_to(st->warps, st->warps->cta[inst->warp], rank, kind);

		if (!lanes[rank])
			continue;
		p.bytes = lanes[rank] * inst->width;
		p.cycles = (uint16_t)cycles;
		p.id = (uint16_t)(store ? inst->warp : id);
		if (store)
			hd_warp_store_sent(st->warps, inst->warp);
		p.own = rank == c->rank;
		append(p.own ? &st->served : &st->sends, &p, now + (p.far && !p.own ? st->far : 0));
	}
	if (store)
		finish(st, ref);
	else {
		st->pending[id] = (struct pending){ .ref = ref, .left = ranks };
		st->npending++;
	}
	st->loads += !store && !(inst->flags & HD_INST_ATOMIC);
	st->stores += store;
	st->atomics += (inst->flags & HD_INST_ATOMIC) != 0;
	return true;
}

/* Stores whose bytes arrive at a barrier beside them: a packet for each barrier that neighbouring lanes have. */
static bool issue_reports(struct state *st, hd_inst_ref ref, const struct hd_inst *inst, uint64_t now)
{
	const struct hd_cta_cluster *c = &st->warps->cluster[st->warps->cta[inst->warp]];
	struct hd_remote p[HD_LANES];
	uint32_t n = 0, lane = 0;

	if (st->sends.count + HD_LANES > LINE || st->served.count + HD_LANES > LINE)
		return false;
	for (uint64_t m = inst->mask; m; lane++) {
		uint64_t address = hd_inst_addr(inst, hd_bits_pop(&m));
		uint64_t barrier = inst->async.how & HD_ASYNC_BY_LANE ? inst->far[lane] : inst->value;
		uint32_t rank = HD_RANK(address);

		if (is_elsewhere(st, address) || rank >= c->size || is_beyond(st, address, inst->width)) {
			wrong(st, inst, address, c->size);
			return true;
		}
		if (HD_RANK(barrier) != rank || is_beyond(st, barrier, 8) || inst->async.how & HD_ASYNC_BARE) {
			wrong_barrier(st, inst, address, barrier);
			return true;
		}
		if (n == 0 || p[n - 1].address != (barrier & WINDOW) || p[n - 1].to != c->sm[rank]
		    || p[n - 1].slot != c->slot[rank]) {
			p[n] = hd_remote_to(st->warps, st->warps->cta[inst->warp], rank, HD_REMOTE_STORE);
			p[n].address = (uint32_t)(barrier & WINDOW);
			p[n].how = HD_ARRIVE_COMPLETE;
			p[n].id = (uint16_t)inst->warp;
			p[n++].own = rank == c->rank;
		}
		p[n - 1].bytes += inst->width;
	}
	for (uint32_t i = 0; i < n; i++) {
		p[i].cycles = (uint16_t)((p[i].bytes + PORT - 1) / PORT);
		hd_warp_store_sent(st->warps, inst->warp);
		if (p[i].own && st->mbarrier) /* for good: that waits of this CTA never end is seen at a deadlock */
			st->mbarrier->begun(st->mbarrier->self, st->warps->cta[inst->warp]);
		append(p[i].own ? &st->served : &st->sends, &p[i], now + (p[i].far && !p[i].own ? st->far : 0));
	}
	st->stores += n > 0;
	finish(st, ref);
	return true;
}

static void accept(struct state *st, uint64_t slots, uint64_t now)
{
	unsigned slot = hd_inst_oldest(st->pool, &st->in, slots);
	hd_inst_ref ref = hd_inst_in(&st->in, slot);
	const struct hd_inst *inst = hd_inst(st->pool, ref);

	if (!has_room(&st->finished))
		return;
	if (inst->async.op == HD_ASYNC_REMOTE_STORE ? !issue_reports(st, ref, inst, now)
	                                            : !issue_packets(st, ref, inst, now))
		return;
	hd_slot_take(&st->in, slot);
	st->next_accept = now + st->interval;
	if (st->counters)
		st->counters->read(st->counters->self, inst->warp, inst->uid, inst->control.read, 1);
}

/* ---- what comes from other SMs ---- */

static bool is_there(const struct state *st, const struct hd_remote *p)
{
	if (st->warps->cta_warps[p->slot] && st->warps->cluster[p->slot].serial == p->serial)
		return true;
	hd_error(st->ctx, "block %" PRIu64 " reaches the shared memory of another one of its cluster, which has ended; "
	         "expected a barrier of the cluster before that", p->block);
	return false;
}

/* The answer to a packet, without or with its data. */
static void answer(struct state *st, const struct hd_remote *p, uint32_t bytes, uint64_t now)
{
	struct hd_remote a = { .kind = HD_REMOTE_ANSWER, .bytes = bytes, .to = p->from, .slot = p->back, .from = p->to,
		.back = p->slot, .id = p->id, .far = p->far, .how = p->kind };

	append(&st->back, &a, now + (p->far ? st->far : 0));
}

static void take_answer(struct state *st, const struct hd_remote *p)
{
	if (p->how == HD_REMOTE_STORE || p->how == HD_REMOTE_ARRIVE)
		hd_warp_store_done(st->warps, p->id);
	else
		answered(st, p->id);
}

/* Takes a request from the network, or leaves it if there is no room for what it leads to. */
static bool receive(struct state *st, const struct hd_remote *p, uint64_t now)
{
	if (p->slot >= HD_MAX_WARPS || p->kind >= HD_REMOTE_KINDS) {
		hd_fail(st->ctx, "a packet of kind %u for CTA slot %u", p->kind, p->slot);
		return false;
	}
	switch (p->kind) {
	case HD_REMOTE_ARRIVE:
		if (!has_room(&st->arrivals))
			return false;
		append(&st->arrivals, p, now + st->arrive);
		return true;
	case HD_REMOTE_JOIN:
	case HD_REMOTE_OPEN:
	case HD_REMOTE_GONE:
		if (st->cluster)
			st->cluster->deliver(st->cluster->self, p);
		return true;
	default:
		if (!has_room(&st->served))
			return false;
		append(&st->served, p, now);
		return true;
	}
}

/* A packet has had the port of shared memory. */
static void serve(struct state *st, const struct hd_remote *p, uint64_t now)
{
	hd_emit(st->ctx, EVENT_SERVE, p->from, p->kind, p->bytes);
	st->served_bytes += p->bytes;
	switch (p->kind) {
	case HD_REMOTE_STORE:
		append(&st->written, p, now + st->write);
		break;
	case HD_REMOTE_MOVE:
	case HD_REMOTE_COPY:
		if (st->mbarrier)
			st->mbarrier->complete(st->mbarrier->self, p->slot, p->address, p->bytes);
		break;
	default:
		append(&st->answers, p, now + st->access + (p->kind == HD_REMOTE_ATOMIC ? st->atomic : 0));
	}
}

/* The port gives a packet one of its cycles. */
static void serve_next(struct state *st, uint64_t now)
{
	struct hd_remote p = front(&st->served)->p;

	if (!st->port_cycles) {
		if (!is_there(st, &p))
			return;
		st->port_cycles = p.cycles;
	}
	if (!has_room(&st->written) || !has_room(&st->answers))
		return;
	if (st->port_cycles && st->port && !st->port->take(st->port->self, HD_SMEM_REMOTE)) {
		st->refused++;
		return;
	}
	if (st->port_cycles > 1) {
		st->port_cycles--;
		return;
	}
	st->port_cycles = 0;
	drop(&st->served);
	serve(st, &p, now);
}

static void arrive_next(struct state *st, uint64_t now)
{
	struct hd_remote p = front(&st->arrivals)->p;

	drop(&st->arrivals);
	answer(st, &p, 0, now);
	if (is_there(st, &p) && st->mbarrier)
		st->mbarrier->arrive(st->mbarrier->self, p.slot, p.address, p.how,
		                     p.how & HD_ARRIVE_REGISTER ? p.value : p.bytes);
}

/* Loads and stores of its own CTA are done; answers to other SMs go back. */
static void go_back(struct state *st, uint64_t now)
{
	while (is_due(&st->answers, now) && has_room(&st->back) && has_room(&st->finished)) {
		struct hd_remote p = front(&st->answers)->p;

		drop(&st->answers);
		if (p.own)
			answered(st, p.id);
		else
			answer(st, &p, p.bytes, now);
	}
	while (is_due(&st->written, now) && has_room(&st->back)) {
		struct hd_remote p = front(&st->written)->p;

		drop(&st->written);
		if (p.how & HD_ARRIVE_COMPLETE && st->mbarrier && is_there(st, &p))
			st->mbarrier->complete(st->mbarrier->self, p.slot, p.address, p.bytes);
		if (p.own)
			hd_warp_store_done(st->warps, p.id);
		else
			answer(st, &p, 0, now);
	}
}

/* ---- sending ---- */

/* DS4: how long sending a packet takes. */
static uint64_t takes(const struct state *st, const struct hd_remote *p)
{
	static const uint8_t rate[HD_REMOTE_KINDS] = {
		[HD_REMOTE_LOAD] = RATE_BULK, [HD_REMOTE_ANSWER] = RATE_LOAD, [HD_REMOTE_STORE] = RATE_STORE,
		[HD_REMOTE_ATOMIC] = RATE_STORE, [HD_REMOTE_MOVE] = RATE_BULK, [HD_REMOTE_ARRIVE] = RATE_BULK,
		[HD_REMOTE_JOIN] = RATE_BULK, [HD_REMOTE_OPEN] = RATE_BULK, [HD_REMOTE_GONE] = RATE_BULK };
	bool data = p->kind != HD_REMOTE_LOAD && p->kind != HD_REMOTE_ARRIVE && p->bytes;
	uint64_t flits = data ? (p->bytes + FLIT - 1) / FLIT : 1;

	return flits * FLIT * 100 * CYCLE / st->rates.v[rate[p->kind]];
}

static bool send(struct state *st, struct line *l, const struct hd_end *to, uint64_t now)
{
	const struct hd_remote *p = &l->v[l->head].p;

	if (!is_due(l, now) || !hd_room(to))
		return false;
	if (p->kind != HD_REMOTE_COPY) {
		if (st->free_at >= (now + 1) * CYCLE)
			return false;
		st->free_at = (st->free_at > now * CYCLE ? st->free_at : now * CYCLE) + takes(st, p);
	}
	hd_emit(st->ctx, EVENT_SEND, p->to, p->kind, p->bytes);
	st->sent++;
	hd_put(to, p, sizeof *p);
	drop(l);
	return true;
}

/* Answers and what its own CTAs send take turns.  The network makes the copies of a bulk copy, which take no time
 * here. */
static void send_all(struct state *st, uint64_t now)
{
	for (uint32_t i = 0; i < MOST_SENT && send(st, &st->copies, &st->requests, now); i++)
		;
	for (uint32_t i = 0, waits = 0; i < 2 * MOST_SENT && waits < 2; i++) {
		bool sent = st->own_turn ? send(st, &st->sends, &st->requests, now)
					 : send(st, &st->back, &st->returns, now);

		st->own_turn = !st->own_turn;
		waits = sent ? 0 : waits + 1;
	}
}

/* ---- an edge ---- */

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), next = UINT64_MAX, slots;
	const struct hd_remote *p;

	while (st->finished.count && hd_room(&st->done)) {
		hd_inst_ref ref = (hd_inst_ref)front(&st->finished)->at;

		hd_put(&st->done, &ref, sizeof ref);
		drop(&st->finished);
	}
	while (is_due(&st->arrivals, now) && has_room(&st->back))
		arrive_next(st, now);
	go_back(st, now);
	if (st->served.count)
		serve_next(st, now);
	while ((p = hd_front(&st->answers_in)) != NULL && has_room(&st->finished)) {
		take_answer(st, p);
		hd_take(&st->answers_in);
	}
	while ((p = hd_front(&st->requests_in)) != NULL && receive(st, p, now))
		hd_take(&st->requests_in);
	while (hd_connected(&st->units) && (p = hd_front(&st->units)) != NULL
	       && has_room(p->kind == HD_REMOTE_COPY ? &st->copies : &st->sends)) {
		st->moved += p->kind == HD_REMOTE_COPY || p->kind == HD_REMOTE_MOVE ? p->bytes : 0;
		append(p->kind == HD_REMOTE_COPY ? &st->copies : &st->sends, p,
		       now + (p->far && p->kind != HD_REMOTE_COPY ? st->far : 0));
		hd_take(&st->units);
	}
	slots = hd_slots_full(&st->in);
	if (slots && st->next_accept <= now)
		accept(st, slots, now);
	send_all(st, now);
	if (st->finished.count || st->served.count || hd_slots_full(&st->in) || hd_front(&st->requests_in)
	    || hd_front(&st->answers_in) || (hd_connected(&st->units) && hd_front(&st->units)) || st->copies.count)
		return HD_NEXT;
	sooner(&st->arrivals, &next);
	sooner(&st->answers, &next);
	sooner(&st->written, &next);
	sooner(&st->sends, &next);
	sooner(&st->back, &next);
	return next == UINT64_MAX ? HD_SLEEP : next > now ? next - now : HD_NEXT;
}

/* ---- callbacks ---- */

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	uint32_t fastest = 0, most;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	if (st->rates.n != RATES)
		return hd_error(ctx, "'rates' has %u numbers; expected three: of loads, stores and bulk copies",
		  st->rates.n);
	for (uint32_t i = 0; i < RATES; i++)
		fastest = st->rates.v[i] > fastest ? st->rates.v[i] : fastest;
	most = 1 + (CYCLE - 1) / (FLIT * 100 * CYCLE / fastest); /* all begin in the cycle */
	most = most < MOST_SENT ? most : MOST_SENT;
	hd_puts_at_most(ctx, PORT_REQUESTS, MOST_SENT + most); /* copies take no time */
	hd_puts_at_most(ctx, PORT_ANSWERS, most);
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->npending)
		hd_report_pending(h, "%u instructions wait for other SMs", st->npending);
	if (st->served.count + st->answers.count + st->written.count + st->arrivals.count)
		hd_report_pending(h, "%u packets of other SMs", st->served.count + st->answers.count + st->written.count
		                  + st->arrivals.count);
	if (st->sends.count + st->copies.count + st->back.count)
		hd_report_pending(h, "%u packets wait to be sent", st->sends.count + st->copies.count + st->back.count);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, served, free_at);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "interval", .unit = "cycles", .doc = "between two instructions of the SM", .type = HD_U32,
	  .offset = P(interval), .def = "1", .min = 1, .max = 64 },
	{ .name = "access", .unit = "cycles", .doc = "from the port of shared memory until the data of a load go back",
	  .type = HD_U32, .offset = P(access), .def = "20", .min = 1, .max = 1024 },
	{ .name = "atomic", .unit = "cycles", .doc = "more, of an atomic", .type = HD_U32, .offset = P(atomic),
	  .def = "10", .max = 1024 },
	{ .name = "write", .unit = "cycles", .doc = "from there until a store is seen and acknowledged", .type = HD_U32,
	  .offset = P(write), .def = "20", .min = 1, .max = 4096 },
	{ .name = "arrive", .unit = "cycles", .doc = "from where an arrival comes to the SM until its mbarrier counts "
	        "it",
	  .type = HD_U32, .offset = P(arrive), .def = "20", .min = 1, .max = 1024 },
	{ .name = "far", .unit = "cycles", .doc = "more, of each packet in a cluster of more than two CTAs",
	  .type = HD_U32,
	  .offset = P(far), .def = "0", .max = 1024 },
	{ .name = "reserved", .unit = "bytes", .doc = "in front of the shared memory of a CTA", .type = HD_U32,
	  .offset = P(reserved), .def = "1024", .max = 65536 },
	{ .name = "rates", .unit = "hundredths of bytes", .doc = "that an SM sends in a cycle: answers to loads, "
	        "stores, and bulk copies; what has no data counts as 32 bytes", .type = HD_U32S, .offset = P(rates),
	  .def = "[2133, 2133, 2133]", .min = 1, .max = 1000000 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "loads, stores and atomics", .kind = HD_IN, .flags = HD_SLOTS, .type = &hd_type_inst,
	  .offset = P(in) },
	{ .name = "units", .doc = "packets of mbarriers, bulk copies and barriers of clusters", .kind = HD_IN,
	  .flags = HD_OPTIONAL, .type = &hd_type_remote, .offset = P(units) },
	{ .name = "requests_in", .doc = "of other SMs", .kind = HD_IN, .type = &hd_type_remote,
	  .offset = P(requests_in),
	  .users = 1 },
	{ .name = "answers_in", .doc = "to its own requests", .kind = HD_IN, .type = &hd_type_remote,
	  .offset = P(answers_in), .users = 1 },
	[PORT_REQUESTS] = { .name = "requests", .doc = "to other SMs", .kind = HD_OUT, .type = &hd_type_remote,
	  .most = 2 * MOST_SENT, .offset = P(requests) },
	[PORT_ANSWERS] = { .name = "answers", .doc = "to requests of other SMs, on a way of their own", .kind = HD_OUT,
	  .type = &hd_type_remote, .most = MOST_SENT, .offset = P(returns) },
	{ .name = "out", .doc = "to writeback, when answers are there", .kind = HD_OUT, .type = &hd_type_inst,
	  .offset = P(done) },
	{ .name = "warps", .doc = "their CTAs and clusters, and stores that are not acknowledged", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = "counters", .doc = "read counters fall; open: there are none", .kind = HD_USES,
	  .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_counters, .offset = P(counters) },
	{ .name = "mbarrier", .doc = "arrivals and bytes of other CTAs; open: they are dropped", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_mbarrier_if, .offset = P(mbarrier) },
	{ .name = "cluster", .doc = "what is for the barrier of a cluster; open: it is dropped", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_remote_if, .offset = P(cluster) },
	{ .name = "port", .doc = "port of shared memory; open: it is free", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_smem_port_if, .offset = P(port) },
	{ .name = "banks", .doc = "conflicts of shared memory; open: there are none", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_banks_if, .offset = P(banks) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "loads", .unit = "warp instructions", .doc = "from shared memory of the cluster",
	  .offset = P(loads) },
	{ .name = "stores", .unit = "warp instructions", .doc = "to it", .offset = P(stores) },
	{ .name = "atomics", .unit = "warp instructions", .doc = "on it", .offset = P(atomics) },
	{ .name = "copied", .unit = "bytes", .doc = "that bulk copies send to other CTAs", .offset = P(moved) },
	{ .name = "packets", .unit = "packets", .doc = "sent", .offset = P(sent) },
	{ .name = "bytes", .unit = "bytes", .doc = "of this SM that were read or written, or so",
	  .offset = P(served_bytes) },
	{ .name = "refused", .unit = "cycles", .doc = "for which a packet waited for the port of shared memory",
	  .offset = P(refused) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_SEND] = { .name = "send", .doc = "a packet leaves for another SM", .flags = HD_EVENT_DETAIL, .fields = {
		{ "to", "", "SM of the GPC" }, { "kind", "", "0 load, 1 atomic, 2 store, 3 answer, 4 arrival, 5 and 6 "
		        "bulk copy, 7 to 9 barrier of the cluster" }, { "bytes", "bytes", "of data" } } },
	[EVENT_SERVE] = { .name = "serve", .doc = "shared memory was read or written for another CTA",
		.flags = HD_EVENT_DETAIL, .fields = {
		{ "from", "", "SM of the GPC" }, { "kind", "", "as of send" }, { "bytes", "bytes", "of data" } } },
	{ .name = NULL },
};

static const struct hd_reason reasons[] = {
	[REASON_INTERVAL] = { "interval", "the unit takes one instruction in so many cycles, and has room for as "
	        "many" },
	{ 0 },
};

static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	(void)state;
	(void)port;
	(void)link;
	return (struct hd_answer){ .reason = REASON_INTERVAL };
}

const struct hd_module hd_module_dsm = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "dsm",
	.doc = "shared memory of other CTAs of a cluster: loads, stores, atomics, arrivals, bulk copies",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.reasons = reasons,
	.stall_cause = stall_cause,
	.checkpoint = checkpoint,
};
