/* mem.c - toys: put memory requests or replies into a queue, and take them out of one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   put 0xADDRESS wN ...   put_mem: a request, see mem.h; n=N: so many, 32 bytes apart; a line of a
 *                          cache has lines=N,N,N,N, its written bytes, and via=N
 *   seen                   put_mem: where the last request is, as load/store units see it (enum hd_mem_place)
 *   room                   put_mem: how many places there are
 *   stop, go               take_mem, turn_mem: takes nothing, or everything, from now on
 *   take n=N               take_mem: N in this cycle, although stopped
 *   give n=N               turn_mem: puts back so many, in the order in which they came; they are
 *                          replies then; what gets no reply ends here
 */
#include "mem.h"

#include <stdlib.h>

static const char *const flag_names[] = { "write", "local", "line", "alloc", "inst", "bypass",
	"atomic", "copy", "silent", "shared", "load", "reply", "", "parts", NULL };

uint16_t arg_mem_flags(struct args *a, uint16_t def)
{
	const char *flags = arg_text(a, "flags");
	char text[200], *save;

	if (!flags)
		return def;
	snprintf(text, sizeof text, "%s", flags);
	def = 0;
	for (char *p = strtok_r(text, ",", &save); p; p = strtok_r(NULL, ",", &save))
		def |= (uint16_t)(1u << arg_choice(a, p, flag_names));
	return def;
}

void arg_mem(struct args *a, struct hd_mem_req *r)
{
	const char *dst = arg_text(a, "dst");

	*r = (struct hd_mem_req){
		.addr = arg_address(a),
		.bytes = (uint32_t)arg_number(a, "bytes", 0),
		.size = (uint16_t)arg_number(a, "size", 32),
		.inst_id = (uint32_t)arg_number(a, "id", 0),
		.flags = arg_mem_flags(a, 0),
		.dst = dst ? (uint16_t)(strtoul(dst + 1, NULL, 10) + 1) : 0,
		.warp = (uint8_t)arg_warp(a),
		.lanes = (uint8_t)arg_number(a, "lanes", 0),
		.inst_lanes = (uint8_t)arg_number(a, "of", 0),
		.uid = (uint32_t)arg_number(a, "uid", 0),
		.core = (uint16_t)arg_number(a, "core", 0),
	};
}

const char *mem_text(const struct hd_mem_req *r, char *buf)
{
	const char *before = " ";
	size_t n = 0;

#define ADD(...) n += (size_t)snprintf(buf + n, MEM_TEXT - n, __VA_ARGS__)
	ADD("%#llx", (unsigned long long)r->addr);
	if (r->bytes)
		ADD("/%x", r->bytes);
	ADD(" w%u", r->warp);
	if (r->dst)
		ADD(" R%u", r->dst - 1u);
	for (uint32_t i = 0; flag_names[i]; i++) {
		if (r->flags >> i & 1 && *flag_names[i]) {
			ADD("%s%s", before, flag_names[i]);
			before = ",";
		}
	}
	if (r->size != 32)
		ADD(" size=%u", r->size);
	if (r->lanes)
		ADD(" lanes=%u", r->lanes);
	if (r->inst_lanes)
		ADD(" of=%u", r->inst_lanes);
	if (r->inst_id)
		ADD(" id=%u", r->inst_id);
	if (r->uid)
		ADD(" uid=%u", r->uid);
	if (r->core)
		ADD(" core=%u", r->core);
	if (r->kernel)
		ADD(" kernel=%u pc=%#x", r->kernel, r->pc);
#undef ADD
	return buf;
}

void tell_mem(const struct hd_ctx *c, const char *what, const struct hd_mem_line *line)
{
	char text[MEM_TEXT];

	mem_text(&line->req, text);
	if (line->req.flags & HD_MEM_LINE)
		toy_log(c, "%s %s lines=%x,%x,%x,%x via=%#llx", what, text, line->bytes[0],
		        line->bytes[1], line->bytes[2], line->bytes[3],
		        (unsigned long long)line->via);
	else
		toy_log(c, "%s %s", what, text);
}

#define MOST 64u

struct state {
	struct actor actor;
	const void *after;
	struct hd_pool *pool;
	struct hd_end end, out; /* out: of turn_mem */
	hd_mem_ref held[MOST];
	uint32_t n;
	bool stopped;
	uint64_t quota; /* in this edge, although stopped */
	hd_mem_ref last; /* put */
};

static void put(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t n = arg_number(a, "n", 1);
	struct hd_mem_line line = { .via = arg_number(a, "via", 0) };
	const char *lines = arg_text(a, "lines");
	char *end = NULL;

	arg_mem(a, &line.req);
	for (uint32_t i = 0; lines && i < 4; i++, lines = *end == ',' ? end + 1 : end)
		line.bytes[i] = (uint32_t)strtoul(lines, &end, 0);
	for (; n && hd_room(&st->end); n--, line.req.addr += 32) {
		st->last = hd_pool_next(st->pool);
		hd_mem_send_on(st->actor.ctx, st->pool, &st->end, &line.req);
		hd_mem(st->pool, st->last)->line.req.flags = line.req.flags; /* also what a cache keeps to itself */
		hd_mem(st->pool, st->last)->place = HD_MEM_AT_NETWORK;
	}
	if (n)
		wrong(st->actor.ctx, "there is no room");
}

static void seen(void *state, struct args *a)
{
	struct state *st = state;
	const struct hd_ctx *c = st->actor.ctx;

	(void)a;
	toy_log(c, "seen = %u", (unsigned)hd_mem_seen(hd_mem(st->pool, st->last), *c->cycle));
}

static void room(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "room = %u", hd_room(&st->end));
}

static void some(void *state, struct args *a)
{
	((struct state *)state)->quota = arg_number(a, "n", 1);
}

static uint64_t take(void *state)
{
	struct state *st = state;
	uint64_t next = actor_eval(st);
	hd_mem_ref ref;

	while ((!st->stopped || st->quota) && (ref = hd_mem_front(&st->end)) != 0) {
		st->quota -= st->quota > 0;
		tell_mem(st->actor.ctx, "took", &hd_mem(st->pool, ref)->line);
		hd_take(&st->end);
		hd_release(st->pool, ref);
	}
	st->quota = 0;
	return next;
}

static void give(void *state, struct args *a)
{
	struct state *st = state;

	for (uint64_t n = arg_number(a, "n", 1); n; n--) {
		if (st->n == 0 || hd_room(&st->out) == 0) {
			wrong(st->actor.ctx, "there is nothing to give, or no room");
			return;
		}
		hd_put(&st->out, &st->held[0], sizeof st->held[0]);
		memmove(&st->held[0], &st->held[1], --st->n * sizeof st->held[0]);
	}
}

static uint64_t turn(void *state)
{
	struct state *st = state;
	uint64_t next = actor_eval(st);
	hd_mem_ref ref;

	while (!st->stopped && st->n < MOST && (ref = hd_mem_front(&st->end)) != 0) {
		const struct hd_mem_line *line = &hd_mem(st->pool, ref)->line;

		tell_mem(st->actor.ctx, "took", line);
		hd_take(&st->end);
		if (line->req.flags & HD_MEM_SILENT)
			hd_release(st->pool, ref);
		else
			st->held[st->n++] = ref;
	}
	return next;
}

static const struct verb put_verbs[] = {
	{ "put", put }, { "seen", seen }, { "room", room }, { .name = NULL },
};

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->pool = hd_pool(ctx, &hd_type_mem);
	return actor_init(state, ctx);
}

static const struct verb turn_verbs[] = {
	{ "give", give }, SETS("stop", stopped, true), SETS("go", stopped, false), { .name = NULL },
};
static const struct verb take_verbs[] = {
	SETS("stop", stopped, true), SETS("go", stopped, false), { "take", some }, { .name = NULL },
};

static const struct hd_port put_ports[] = {
	CALL_AFTER(struct state),
	{ .name = "out", .doc = "requests or replies", .kind = HD_OUT, .type = &hd_type_mem,
	  .offset = offsetof(struct state, end) },
	{ .name = NULL },
};

static const struct hd_port take_ports[] = {
	{ .name = "in", .doc = "requests or replies", .kind = HD_IN, .type = &hd_type_mem,
	  .offset = offsetof(struct state, end) },
	{ .name = NULL },
};

static const struct hd_port turn_ports[] = {
	{ .name = "in", .doc = "requests", .kind = HD_IN, .type = &hd_type_mem,
	  .offset = offsetof(struct state, end) },
	{ .name = "out", .doc = "the same, later", .kind = HD_OUT, .type = &hd_type_mem,
	  .offset = offsetof(struct state, out) },
	{ .name = NULL },
};

TOY(put_mem, "puts memory requests into a queue", put_verbs, put_ports,
    .init = init, .eval = actor_eval);

TOY(take_mem, "takes memory requests out of a queue", take_verbs, take_ports,
    .init = init, .eval = take);

TOY(turn_mem, "takes requests and puts the same records back", turn_verbs, turn_ports,
    .init = init, .eval = turn);
