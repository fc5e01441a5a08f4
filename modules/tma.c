/* tma.c - bulk copies between global and shared memory (UTMALDG, UTMASTG, UBLKCP and their like)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hopper.md, TM1 to TM14.  Commands come one after the other; a generator makes the requests of those that have
 * begun, some of each in turn.  What comes back is written to shared memory and reported to an mbarrier when all has.
 */
#include <heddle/gpu/control.h>
#include <heddle/gpu/map.h>
#include <heddle/gpu/matrix.h>
#include <heddle/gpu/mem.h>
#include <heddle/gpu/remote.h>
#include <heddle/gpu/sync.h>
#include <heddle/gpu/trace.h>
#include <heddle/gpu/warps.h>

#include <inttypes.h>

#define MOST_COPIES 64u
#define MOST_QUEUE 64u
#define MOST_CACHED 64u
#define MOST_ANSWERS 1024u
#define LINE 128u
#define SECTORS 4u /* of a line */
#define ALIGNED 16u /* bytes of addresses and sizes */
#define ADDRESS ((UINT32_C(1) << HD_RANK_SHIFT) - 1) /* of an mbarrier, in its CTA */

enum { PORT_IN, PORT_REQUEST, PORT_REMOTE };

/* A copy that has begun. */
struct copy {
	uint64_t begins;    /* edge of its next request, */
	uint64_t ready;     /* from which it is set up; its descriptor is read meanwhile */
	uint64_t since;
	uint64_t barrier;   /* see struct hd_bulk */
	uint64_t address;   /* of the next piece, or the rest of it, */
	uint64_t reports;   /* edge at which it does; 0: not all is there */
	uint32_t form;      /* number of it */
	uint32_t piece;     /* which that is */
	uint32_t left;      /* bytes of it */
	uint32_t open;      /* sectors that have not been answered */
	uint32_t unwritten; /* answers that are not written to shared memory */
	uint32_t group;     /* of stores */
	uint32_t code, kernel;
	uint8_t op, warp, cta;
	bool used, sent, fetched; /* all its requests are sent; its descriptor is there */
	uint32_t pc;
	uint16_t ctas;            /* ranks of the cluster that get the data; 0: its own CTA does */
	uint16_t zero;
};

/* UTMACMDFLUSH that waits until the stores before it have been read. */
struct flush {
	uint64_t uid;
	uint32_t group, counter, warp, zero;
};

struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out, request, response, remote;
	struct hd_warps *warps;
	struct hd_counters *counters;
	const struct hd_mbarrier_if *mbarrier;
	const struct hd_smem_port_if *port;
	const struct hd_trace_if *trace;
	const struct hd_touch_if *touch;
	struct hd_pool *pool, *requests;
	uint32_t command, first, several, box, map, report, multicast, multicast_command, merge, split, in_flight;
	uint32_t turn, descriptors, interval;
	uint32_t descriptor_memory;
	hd_inst_ref queue[MOST_QUEUE];
	uint32_t head, count;
	uint64_t expected;      /* slots of port 'in' whose commands have been given to expect() */
	uint64_t next_command;  /* edge from which the next command is looked at, */
	uint64_t next_request;  /* and the next request may be sent */
	struct copy copy[MOST_COPIES];
	uint64_t active;        /* copies that have requests to send, */
	uint64_t reporting;     /* or have written all */
	uint32_t at, in_turn;   /* the one whose turn it is, and requests that it has still in this turn */
	uint32_t open;          /* sectors without an answer */
	uint32_t buffer;        /* answers that wait for the port of shared memory: the most, and */
	uint32_t write_head, writes;
	uint8_t write[MOST_ANSWERS]; /* the copies that they are of */
	uint32_t group[HD_MAX_WARPS]; /* of the warp's stores: the present one */
	struct flush flush[HD_MAX_WARPS];
	uint32_t nflush;
	uint32_t cached[MOST_CACHED]; /* descriptors, the one used last first */
	uint64_t commands, sent, moved, stored, lifetime, misses, copies_done, groups;
};

enum { EVENT_COMMAND, EVENT_COMPLETE, EVENT_COPY };
enum { REASON_QUEUE };

/* ---- mistakes ---- */

static void wrong(const struct state *st, const struct hd_inst *inst, const char *what, uint64_t value)
{
	const struct hd_warps *w = st->warps;

	hd_error(st->ctx, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 ", pc 0x%" PRIx32 ": bulk copy %s: 0x%"
	         PRIx64, inst->kernel, w->block[w->cta[inst->warp]], hd_warp_in_cta(w, inst->warp), inst->pc, what,
	  value);
}

/* Ranks of the other thread blocks, or of all, in whose shared memory it writes: those that it names, or else, of a
 * cluster, the one that has its mbarrier (TM13).  0: its own. */
static uint64_t goes_to(const struct hd_inst *inst, const struct hd_cta_cluster *c)
{
	uint64_t named = inst->value >> 32;
	uint32_t rank = HD_RANK(inst->value);

	if (named)
		return named;
	if (inst->async.op == HD_ASYNC_BULK_LOAD)
		return rank != c->rank ? hd_bit(rank % 64) : 0;
	return inst->async.op == HD_ASYNC_BULK_MOVE ? hd_bit(rank % 64) : 0;
}

/* Can it reach the CTAs of the cluster that it names?  Else after a message. */
static bool reaches(const struct state *st, const struct hd_inst *inst)
{
	const struct hd_cta_cluster *c = &st->warps->cluster[st->warps->cta[inst->warp]];
	uint64_t ctas = inst->value >> 32;
	uint32_t barrier = (uint32_t)inst->value;

	if (ctas && inst->async.op != HD_ASYNC_BULK_LOAD) {
		wrong(st, inst, "to several thread blocks, which only a load can go to", ctas);
		return false;
	}
	if (barrier % 8 && inst->async.op == HD_ASYNC_BULK_LOAD) {
		wrong(st, inst, "with an mbarrier that is not aligned to 8 bytes", barrier);
		return false;
	}
	if (!st->mbarrier
	    && (inst->async.op == HD_ASYNC_BULK_LOAD || inst->async.op == HD_ASYNC_BULK_MOVE)) {
		wrong(st, inst, "with an mbarrier, and the netlist links none to port 'mbarrier'", barrier);
		return false;
	}
	if (HD_RANK(barrier) >= c->size
	    && (inst->async.op == HD_ASYNC_BULK_LOAD || inst->async.op == HD_ASYNC_BULK_MOVE)) {
		wrong(st, inst, "with an mbarrier of a rank that its cluster does not have", barrier);
		return false;
	}
	ctas = goes_to(inst, c);
	if (ctas >> c->size) {
		wrong(st, inst, "to thread blocks that its cluster does not have", ctas);
		return false;
	}
	if (ctas && (c->size > 1 || inst->async.op == HD_ASYNC_BULK_MOVE) && !hd_connected(&st->remote)) {
		wrong(st, inst, "to other thread blocks, and the netlist links no unit that reaches them", ctas);
		return false;
	}
	return true;
}

/* The form of the copy, if it is one that the unit can have; NULL after a message. */
static const struct hd_bulk *checked(const struct state *st, const struct hd_inst *inst)
{
	const struct hd_bulk *b = st->trace->bulk ? st->trace->bulk(st->trace->self, inst->async.more) : NULL;
	uint64_t base = hd_inst_addr(inst, hd_bits_first(inst->mask)), at = base;

	if (!b) {
		wrong(st, inst, "of which the trace does not say what it moves; expected a trace of version 6",
			inst->async.more);
		return NULL;
	}
	if (b->piece % ALIGNED) {
		wrong(st, inst, "of pieces whose bytes are not a multiple of 16", b->piece);
		return NULL;
	}
	if (b->bytes % ALIGNED) {
		wrong(st, inst, "of bytes in all, with those outside of its tensor, that are not a multiple of 16",
		      b->bytes);
		return NULL;
	}
	for (uint32_t i = 0; i < b->pieces; i++) {
		if (at % ALIGNED) {
			wrong(st, inst, "from an address that is not a multiple of 16", at);
			return NULL;
		}
		at += i + 1 < b->pieces ? (uint64_t)b->step[i] : 0;
	}
	return reaches(st, inst) ? b : NULL;
}

/* ---- commands ---- */

static bool is_store(uint8_t op)
{
	return op == HD_ASYNC_BULK_STORE || op == HD_ASYNC_BULK_REDUCE;
}

/* Does it read shared memory? */
static bool reads_shared(uint8_t op)
{
	return is_store(op) || op == HD_ASYNC_BULK_MOVE;
}

/* TM9: a descriptor that is not in the cache is read like data.  Programs have one for each instruction, so that is its
 * name here.  Returns true if it is there. */
static bool is_cached(struct state *st, uint32_t code)
{
	uint32_t i = 0;
	bool found;

	while (i < st->descriptors && st->cached[i] != code)
		i++;
	found = i < st->descriptors;
	if (!found)
		i = st->descriptors - 1;
	memmove(st->cached + 1, st->cached, i * sizeof *st->cached);
	st->cached[0] = code;
	st->misses += !found;
	return found;
}

/* The instruction leaves; its registers have been read. */
static void leave(struct state *st, hd_inst_ref ref)
{
	const struct hd_inst *inst = hd_inst(st->pool, ref);

	if (st->counters && inst->async.op != HD_ASYNC_BULK_COMMIT)
		st->counters->read(st->counters->self, inst->warp, inst->uid, inst->control.read, 1);
	hd_put(&st->out, &ref, sizeof ref);
}

/* TM16: closes the group; its counter falls when all stores of the group have been read. */
static void close_group(struct state *st, const struct hd_inst *inst)
{
	st->groups++;
	hd_warp_enter_pipeline(st->warps, inst->warp); /* until its counter falls */
	st->flush[st->nflush++] = (struct flush){ .uid = inst->uid, .group = st->group[inst->warp]++,
		.counter = inst->control.read, .warp = inst->warp };
}

/* Takes in small pieces that continue the first in its line. */
static void widen(const struct state *st, struct copy *c, const struct hd_bulk *b)
{
	uint64_t start = c->address;

	if (b->piece > st->merge)
		return;
	while (c->piece + 1 < b->pieces && b->step[c->piece] == b->piece && (start + b->piece) % LINE) {
		start += b->piece;
		c->left += b->piece;
		c->piece++;
	}
}

/* One piece, or small ones, as the tracer lists them, that follow one another? */
static bool is_row(const struct state *st, const struct hd_bulk *b)
{
	uint32_t i = 1;

	while (b->piece <= st->merge && i < b->pieces && b->step[i - 1] == b->piece)
		i++;
	return i >= b->pieces;
}

static void begin(struct state *st, const struct hd_inst *inst, uint64_t now)
{
	const struct hd_cta_cluster *cluster = &st->warps->cluster[st->warps->cta[inst->warp]];
	const struct hd_bulk *b = checked(st, inst);
	uint32_t i = 0;
	struct copy *c;
	bool tensor;

	if (!b)
		return;
	while (st->copy[i].used)
		i++;
	c = &st->copy[i];
	tensor = inst->async.how & HD_BULK_TENSOR;
	*c = (struct copy){ .since = now, .barrier = inst->value, .form = inst->async.more, .op = inst->async.op,
		.address = hd_inst_addr(inst, hd_bits_first(inst->mask)), .left = b->pieces ? b->piece : 0,
			.used = true,
		.warp = inst->warp, .cta = (uint8_t)st->warps->cta[inst->warp], .group = st->group[inst->warp],
		.code = inst->code, .kernel = inst->kernel, .pc = inst->pc, .fetched = true };
	c->ctas = cluster->size > 1 && c->op == HD_ASYNC_BULK_LOAD ? (uint16_t)goes_to(inst, cluster) : 0;
	c->begins = now + st->first + (c->ctas ? st->multicast : 0);
	if (tensor && !is_row(st, b))
		c->ready = c->begins + st->box;
	else
		c->ready = c->begins + (tensor ? st->map : 0)
			   + (b->bytes - b->beyond > st->split - c->address % st->split ? st->several : 0);
	if (tensor)
		c->fetched = is_cached(st, inst->code);
	if (c->fetched)
		c->begins = c->ready;
	widen(st, c, b);
	st->active |= hd_bit(i);
	st->commands++;
	st->moved += reads_shared(c->op) ? 0 : b->bytes;
	st->stored += is_store(c->op) ? b->bytes - b->beyond : 0;
	hd_emit(st->ctx, EVENT_COMMAND, inst->warp, inst->pc, b->bytes);
}

/* The next command, if there is room for it. */
static void next_command(struct state *st, uint64_t now)
{
	hd_inst_ref ref = st->queue[st->head];
	const struct hd_inst *inst = hd_inst(st->pool, ref);
	uint32_t used = 0;

	for (uint32_t i = 0; i < MOST_COPIES; i++)
		used += st->copy[i].used;
	if (used == MOST_COPIES || !hd_room(&st->out) || st->nflush == HD_MAX_WARPS)
		return;
	st->head = (st->head + 1) % MOST_QUEUE;
	st->count--;
	if (inst->async.op == HD_ASYNC_BULK_COMMIT) {
		if (inst->mask)
			close_group(st, inst);
		else if (st->counters)
			st->counters->read(st->counters->self, inst->warp, inst->uid, inst->control.read, 1);
	} else if (inst->mask && inst->async.op) {
		begin(st, inst, now);
		st->next_command = now + (inst->value >> 32 ? st->multicast_command : st->command);
	}
	leave(st, ref);
}

/* ---- requests ---- */

/* Bytes of the next request of the copy: up to the end of its piece, its line, and what a request may have. */
static uint32_t next_bytes(const struct state *st, const struct copy *c)
{
	uint32_t n = LINE - (uint32_t)(c->address % LINE), most = st->split - (uint32_t)(c->address % st->split);

	n = n > c->left ? c->left : n;
	return n > most ? most : n;
}

/* The copy has sent so many bytes. */
static void go_on(const struct state *st, struct copy *c, uint32_t n)
{
	const struct hd_bulk *b = st->trace->bulk(st->trace->self, c->form);
	uint64_t last;

	c->address += n;
	c->left -= n;
	if (c->left)
		return;
	last = c->address - b->piece;
	if (++c->piece < b->pieces) {
		c->address = last + (uint64_t)b->step[c->piece - 1];
		c->left = b->piece;
		widen(st, c, b);
	}
}

/* TM12: to each of these ranks so many bytes for its mbarrier. */
static void pass_on(const struct state *st, const struct copy *c, uint64_t ranks, enum hd_remote_kind kind,
        uint32_t bytes)
{
	while (ranks) {
		struct hd_remote p = hd_remote_to(st->warps, c->cta, hd_bits_pop(&ranks), kind);

		p.address = (uint32_t)c->barrier & ADDRESS;
		p.bytes = bytes;
		p.cycles = 1;
		hd_put(&st->remote, &p, sizeof p);
	}
}

/* TM13: the next part of a copy to another CTA. */
static bool move(struct state *st, struct copy *c)
{
	uint32_t n = next_bytes(st, c);

	if (!hd_room(&st->remote) || (st->port && !st->port->take(st->port->self, HD_SMEM_BULK)))
		return false;
	pass_on(st, c, hd_bit(HD_RANK(c->barrier)), HD_REMOTE_MOVE, n);
	go_on(st, c, n);
	return true;
}

/* Sends the next request of the copy. */
static bool send(struct state *st, uint32_t i)
{
	struct copy *c = &st->copy[i];
	uint32_t n = next_bytes(st, c);
	struct hd_mem_req r = { .core = (uint16_t)st->warps->sm, .warp = c->warp, .inst_id = i + 1,
		.kernel = c->kernel, .pc = c->pc };

	if (is_store(c->op) && st->port && !st->port->take(st->port->self, HD_SMEM_BULK))
		return false;
	r.addr = c->address;
	r.size = (uint16_t)n;
	r.bytes = n >= 32 ? UINT32_MAX : ((UINT32_C(1) << n) - 1) << (c->address % 32);
	r.flags = HD_MEM_BYPASS | HD_MEM_PARTS
	          | (c->op == HD_ASYNC_BULK_REDUCE ? HD_MEM_LOAD | HD_MEM_ATOMIC /* as RED: TM15 */
	             : is_store(c->op)             ? HD_MEM_WRITE
	                                           : HD_MEM_LOAD);
	hd_touch(st->touch, r.addr, r.core, *st->ctx->cycle);
	hd_mem_send(st->ctx, st->requests, &st->request, &r);
	st->open += hd_mem_sectors(&r);
	st->sent++;
	c->open += hd_mem_sectors(&r);
	go_on(st, c, n);
	st->next_request = hd_now(st->ctx) + st->interval;
	return true;
}

/* Reads the descriptor of a copy that has begun. */
static void fetch(struct state *st, uint32_t i)
{
	struct copy *c = &st->copy[i];
	struct hd_mem_req r = { .core = (uint16_t)st->warps->sm, .warp = c->warp, .inst_id = i + 1,
		.kernel = c->kernel, .pc = c->pc, .size = (uint16_t)LINE,
		.addr = ((uint64_t)st->descriptor_memory << 20) + (uint64_t)c->code * LINE, .bytes = UINT32_MAX,
		.flags = HD_MEM_LOAD | HD_MEM_BYPASS | HD_MEM_PARTS };

	if (r.size > st->split)
		r.size = (uint16_t)st->split;
	hd_mem_send(st->ctx, st->requests, &st->request, &r);
	st->open += hd_mem_sectors(&r);
	st->sent++;
	c->open += hd_mem_sectors(&r);
	c->begins = UINT64_MAX; /* until it is back */
}

/* All is sent: what is not in global memory needs no request. */
static void all_sent(struct state *st, uint32_t i)
{
	struct copy *c = &st->copy[i];

	c->sent = true;
	st->active &= ~hd_bit(i);
	if (!c->open && !c->unwritten)
		st->reporting |= hd_bit(i);
}

/* TM6: one request in a cycle, some of each copy in turn.  Returns false if all copies that have begun wait for an
 * answer or for room. */
static bool generate(struct state *st, uint64_t now)
{
	bool blocked = st->open >= st->in_flight * SECTORS || !hd_room(&st->request);
	uint64_t ready = 0;

	for (uint64_t m = st->active; m;) {
		uint32_t i = hd_bits_pop(&m);
		const struct copy *c = &st->copy[i];

		if (c->begins > now)
			continue;
		if (c->fetched && !c->left) /* nothing of it is in global memory */
			all_sent(st, i);
		else if (!blocked || (c->op == HD_ASYNC_BULK_MOVE && c->fetched))
			ready |= hd_bit(i);
	}
	if (!ready)
		return false;
	if (!(ready >> st->at & 1) || !st->in_turn) {
		uint64_t behind = st->at + 1 < MOST_COPIES ? ready & UINT64_MAX << (st->at + 1) : 0;

		st->at = hd_bits_first(behind ? behind : ready);
		st->in_turn = st->turn;
	}
	if (!st->copy[st->at].fetched) {
		fetch(st, st->at);
		return true;
	}
	if (st->copy[st->at].op == HD_ASYNC_BULK_MOVE ? !move(st, &st->copy[st->at]) : !send(st, st->at))
		return true;
	st->in_turn--;
	if (!st->copy[st->at].left)
		all_sent(st, st->at);
	return true;
}

/* ---- answers ---- */

/* Takes an answer, unless it has to wait. */
static void answer(struct state *st, hd_mem_ref ref, uint64_t now)
{
	const struct hd_mem_req *r = &hd_mem(st->requests, ref)->line.req;
	uint32_t i = r->inst_id - 1, n = hd_mem_sectors(r);
	struct copy *c = &st->copy[i % MOST_COPIES];

	if (i >= MOST_COPIES || !c->used || c->open < n) {
		hd_fail(st->ctx, "an answer to no request");
		return;
	}
	if (c->fetched && c->ctas && hd_room(&st->remote) < HD_MOST_CLUSTER)
		return;
	st->open -= n;
	c->open -= n;
	if (!c->fetched) {
		c->fetched = !c->open;
		c->begins = !c->fetched ? UINT64_MAX : now > c->ready ? now : c->ready;
	} else if (c->ctas) {
		pass_on(st, c, c->ctas, HD_REMOTE_COPY, r->size);
	} else if (c->op == HD_ASYNC_BULK_LOAD) {
		c->unwritten++;
		st->write[(st->write_head + st->writes++) % MOST_ANSWERS] = (uint8_t)i;
	}
	if (c->sent && !c->open && !c->unwritten)
		st->reporting |= hd_bit(i);
	hd_take(&st->response);
	hd_release(st->requests, ref);
}

/* TM7: the port takes an answer in a cycle. */
static void write_back(struct state *st)
{
	uint32_t i = st->write[st->write_head];
	struct copy *c = &st->copy[i];

	if (st->port && !st->port->take(st->port->self, HD_SMEM_BULK))
		return;
	st->write_head = (st->write_head + 1) % MOST_ANSWERS;
	st->writes--;
	if (--c->unwritten == 0 && c->sent && !c->open)
		st->reporting |= hd_bit(i);
}

/* To the mbarriers of a load.  Where it has several, they know of all but what is outside of the tensor. */
static void tell(const struct state *st, const struct copy *c)
{
	const struct hd_bulk *b = st->trace->bulk(st->trace->self, c->form);

	if (c->op != HD_ASYNC_BULK_LOAD)
		return;
	if (c->ctas && b->beyond)
		pass_on(st, c, c->ctas, HD_REMOTE_COPY, b->beyond);
	else if (!c->ctas && st->mbarrier)
		st->mbarrier->complete(st->mbarrier->self, c->cta, (uint32_t)c->barrier, b->bytes);
	if (st->mbarrier)
		st->mbarrier->ended(st->mbarrier->self, c->cta);
}

/* Copies that are done report, some cycles later. */
static void report(struct state *st, uint64_t now, uint64_t *next)
{
	for (uint64_t m = st->reporting; m;) {
		uint32_t i = hd_bits_pop(&m);
		struct copy *c = &st->copy[i];

		if (!c->reports)
			c->reports = now + st->report;
		if (c->reports > now) {
			*next = c->reports < *next ? c->reports : *next;
			continue;
		}
		if (c->ctas && hd_room(&st->remote) < HD_MOST_CLUSTER) {
			*next = now;
			continue;
		}
		st->reporting &= ~hd_bit(i);
		c->used = false;
		st->lifetime += now - c->since;
		st->copies_done++;
		hd_emit(st->ctx, EVENT_COMPLETE, c->warp, (int64_t)(now - c->since));
		hd_emit(st->ctx, EVENT_COPY, c->warp, c->code, c->pc,
		        st->trace->bulk(st->trace->self, c->form)->bytes,
		        c->op == HD_ASYNC_BULK_LOAD ? (int64_t)(c->barrier & ADDRESS) : 0, (int64_t)(now - c->since));
		tell(st, c);
		hd_warp_left_pipeline(st->warps, c->warp);
	}
}

/* Groups whose stores have all been read from shared memory: the first ones that were closed. */
static void end_groups(struct state *st)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < st->nflush; k++) {
		const struct flush *f = &st->flush[k];
		bool open = false;

		for (uint32_t i = 0; i < MOST_COPIES; i++)
			open |= st->copy[i].used && !st->copy[i].sent && reads_shared(st->copy[i].op)
			        && st->copy[i].warp == f->warp && st->copy[i].group <= f->group;
		if (open) {
			st->flush[kept++] = *f;
			continue;
		}
		if (st->counters)
			st->counters->read(st->counters->self, f->warp, f->uid, f->counter, 1);
		hd_warp_left_pipeline(st->warps, f->warp);
	}
	st->nflush = kept;
}

/* ---- an edge ---- */

/* A load will report to its mbarrier, however long its command waits here, and a move perhaps to one of its own CTA;
 * and its warp has its slot until the copy is done. */
static void expect(struct state *st, const struct hd_inst *inst)
{
	if (inst->mask && inst->async.op && inst->async.op != HD_ASYNC_BULK_COMMIT)
		hd_warp_enter_pipeline(st->warps, inst->warp);
	if (st->mbarrier && inst->mask
	    && (inst->async.op == HD_ASYNC_BULK_LOAD || inst->async.op == HD_ASYNC_BULK_MOVE))
		st->mbarrier->begun(st->mbarrier->self, st->warps->cta[inst->warp]);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), next = UINT64_MAX;
	hd_mem_ref ref = hd_mem_front(&st->response);
	bool more;

	if (ref && st->writes < st->buffer)
		answer(st, ref, now);
	if (st->writes)
		write_back(st);
	more = st->active && (now < st->next_request || generate(st, now));
	if (st->reporting)
		report(st, now, &next);
	if (st->count && st->next_command <= now)
		next_command(st, now);
	if (st->nflush)
		end_groups(st);
	for (uint64_t slots = hd_slots_full(&st->in); slots;) {
		unsigned slot = hd_inst_oldest(st->pool, &st->in, slots);

		slots &= ~hd_bit(slot);
		if (!hd_bits_has(st->expected, slot))
			expect(st, hd_inst(st->pool, hd_inst_in(&st->in, slot)));
		st->expected |= hd_bit(slot);
		if (st->count == MOST_QUEUE)
			continue;
		st->expected &= ~hd_bit(slot);
		st->queue[(st->head + st->count++) % MOST_QUEUE] = hd_inst_in(&st->in, slot);
		hd_slot_take(&st->in, slot);
	}
	if (st->count && (st->next_command > now ? st->next_command : now + 1) < next)
		next = st->next_command > now ? st->next_command : now + 1;
	if (more || st->writes || hd_mem_front(&st->response))
		return HD_NEXT;
	for (uint64_t m = st->active; m;) {
		uint64_t begins = st->copy[hd_bits_pop(&m)].begins;

		next = begins > now && begins < next ? begins : next;
	}
	return next == UINT64_MAX ? HD_SLEEP : next > now ? next - now : HD_NEXT;
}

/* ---- callbacks ---- */

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	st->requests = hd_pool(ctx, &hd_type_mem);
	if (!hd_is_power_of_two(st->split) || st->split < 32)
		return hd_error(ctx, "'split' is %u; expected 32, 64 or 128", st->split);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	return hd_expect_capacity(st->ctx, &st->remote, HD_MOST_CLUSTER, "remote", "the blocks of a cluster");
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->count)
		hd_report_pending(h, "%u commands wait", st->count);
	if (st->open)
		hd_report_pending(h, "%u sectors without an answer", st->open);
	if (st->writes)
		hd_report_pending(h, "%u answers wait for the port of shared memory", st->writes);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, queue, cached);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "command", .unit = "cycles", .doc = "from one command to the next", .type = HD_U32,
	  .offset = P(command),
	  .def = "54", .min = 1, .max = 4096 },
	{ .name = "first", .unit = "cycles", .doc = "from a command to its first request", .type = HD_U32,
	  .offset = P(first), .def = "20", .min = 1, .max = 4096 },
	{ .name = "several", .unit = "cycles", .doc = "more, if it is of neighbouring bytes and takes several requests",
	  .type = HD_U32, .offset = P(several), .def = "0", .max = 4096 },
	{ .name = "map", .unit = "cycles", .doc = "more, if it is one row of a tensor", .type = HD_U32,
	  .offset = P(map), .def = "0", .max = 4096 },
	{ .name = "box", .unit = "cycles", .doc = "more, if it has several rows", .type = HD_U32, .offset = P(box),
	  .def = "100", .max = 4096 },
	{ .name = "multicast", .unit = "cycles", .doc = "more, if several CTAs get it", .type = HD_U32,
	  .offset = P(multicast), .def = "99", .max = 4096 },
	{ .name = "multicast_command", .unit = "cycles", .doc = "from such a command to the next", .type = HD_U32,
	  .offset = P(multicast_command), .def = "185", .min = 1, .max = 4096 },
	{ .name = "report", .unit = "cycles", .doc = "from the last byte in shared memory until the mbarrier has it",
	  .type = HD_U32, .offset = P(report), .def = "6", .min = 1, .max = 4096 },
	{ .name = "descriptors", .unit = "descriptors", .doc = "that the unit remembers; others are read first",
	  .type = HD_U32, .offset = P(descriptors), .def = "16", .min = 1, .max = MOST_CACHED },
	{ .name = "descriptor_memory", .unit = "MiB", .doc = "where they are in global memory, as traces do not say",
	  .type = HD_U32, .offset = P(descriptor_memory), .def = "1048576", .max = UINT32_MAX },
	{ .name = "merge", .unit = "bytes", .doc = "pieces of at most so many that follow one another are requested "
	  "together",
	  .type = HD_U32, .offset = P(merge), .def = "16", .max = 128 },
	{ .name = "split", .unit = "bytes", .doc = "at most in a request, a power of two", .type = HD_U32,
	  .offset = P(split),
	  .def = "128", .min = 32, .max = 128 },
	{ .name = "in_flight", .unit = "lines", .doc = "whose sectors may be without an answer",
	  .type = HD_U32, .offset = P(in_flight),
	  .def = "384", .min = 1, .max = 65536 },
	{ .name = "interval", .unit = "cycles", .doc = "from one request to the next", .type = HD_U32,
	  .offset = P(interval), .def = "1", .min = 1, .max = 4096 },
	{ .name = "turn", .unit = "requests", .doc = "of a copy before it is another one's turn", .type = HD_U32,
	  .offset = P(turn), .def = "48", .min = 1, .max = 65536 },
	{ .name = "buffer", .unit = "requests", .doc = "whose answers wait for the port of shared memory",
	  .type = HD_U32,
	  .offset = P(buffer), .def = "384", .min = 1, .max = MOST_ANSWERS },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_IN] = { .name = "in", .doc = "bulk copies", .kind = HD_IN, .flags = HD_SLOTS, .type = &hd_type_inst,
	  .offset = P(in) },
	[PORT_REQUEST] = { .name = "request", .doc = "to memory", .kind = HD_OUT, .type = &hd_type_mem, .most = 1,
	  .offset = P(request) },
	[PORT_REMOTE] = { .name = "remote", .doc = "to other CTAs of a cluster; open: copies to them are errors",
	  .kind = HD_OUT, .flags = HD_OPTIONAL, .type = &hd_type_remote, .offset = P(remote) },
	{ .name = "response", .doc = "from memory", .kind = HD_IN, .type = &hd_type_mem, .offset = P(response),
	  .users = 1 },
	{ .name = "out", .doc = "to writeback, when its registers have been read", .kind = HD_OUT,
	  .type = &hd_type_inst,
	  .offset = P(out) },
	{ .name = "warps", .doc = "their CTAs and clusters", .kind = HD_USES,
	  .type = &hd_type_warps,
	  .offset = P(warps) },
	{ .name = "trace", .doc = "what copies move", .kind = HD_USES, .type = &hd_type_trace_if, .offset = P(trace) },
	{ .name = "counters", .doc = "read counters fall; open: there are none", .kind = HD_USES,
	  .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_counters, .offset = P(counters) },
	{ .name = "mbarrier", .doc = "loads report there; open: there are none", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_mbarrier_if, .offset = P(mbarrier) },
	{ .name = "port", .doc = "port of shared memory; open: it is free", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_smem_port_if, .offset = P(port) },
	{ .name = "touch", .doc = "an address map that depends on what is used first; open: none does", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_touch, .offset = P(touch) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "commands", .unit = "warp instructions", .doc = "bulk copies", .offset = P(commands) },
	{ .name = "requests", .unit = "requests", .doc = "to memory", .offset = P(sent) },
	{ .name = "loaded", .unit = "bytes", .doc = "to shared memory, what is outside of tensors included",
	  .offset = P(moved) },
	{ .name = "stored", .unit = "bytes", .doc = "from shared memory", .offset = P(stored) },
	{ .name = "completed", .unit = "warp instructions", .doc = "bulk copies that are done",
	  .offset = P(copies_done) },
	{ .name = "lifetime", .unit = "cycles", .doc = "from the command until it reports, all together",
	  .offset = P(lifetime) },
	{ .name = "descriptor_misses", .unit = "descriptors", .doc = "that had to be read", .offset = P(misses) },
	{ .name = "groups", .unit = "groups", .doc = "of stores that were closed", .offset = P(groups) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_COMMAND] = { .name = "command", .doc = "a bulk copy begins", .fields = {
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY }, { "pc", "bytes", "its address" },
		{ "bytes", "bytes", "that it moves" } } },
	[EVENT_COMPLETE] = { .name = "complete", .doc = "it is done", .fields = {
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY }, { "cycles", "cycles", "that it took" } } },
	[EVENT_COPY] = { .name = "copy", .doc = "a bulk copy from its command until it reports", .fields = {
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY | HD_FIELD_APART },
		{ "code", "", "its instruction", "code" }, { "pc", "bytes", "its address", NULL, HD_FIELD_HIDDEN },
		{ "bytes", "bytes", "that it moved" },
		{ "mbarrier", "bytes", "address of that to which it reports; 0: to none", NULL, HD_FIELD_HEX },
		{ "cycles", "cycles", "that it took", NULL, HD_FIELD_SPAN } } },
	{ .name = NULL },
};

static const struct hd_reason reasons[] = {
	[REASON_QUEUE] = { "queue", "the unit works on other commands" },
	{ 0 },
};

static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	(void)state;
	(void)port;
	(void)link;
	return (struct hd_answer){ .reason = REASON_QUEUE };
}

const struct hd_module hd_module_tma = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "tma",
	.doc = "bulk copies between global and shared memory, of boxes and of neighbouring bytes",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.report_pending = report_pending,
	.reasons = reasons,
	.stall_cause = stall_cause,
	.checkpoint = checkpoint,
};
