/* exec_warp.c - the instructions of a warp: which lanes go on where, and what they wait for
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes that are at one place are a group.  The present one goes on until it waits or ends; then the group that was
 * left last goes on, and all that are ready at its pc join it.  Lanes meet again at convergence barriers only: each
 * lane has its own value of a barrier, the lanes that take part, for a function that is called may use one for
 * other lanes.
 */
#include "exec_check.h"
#include "exec_ops.h"

#include <inttypes.h>

#define SPINS 16u /* yields of lanes after which a barrier does not wait for them any more */

/* ---- recording ---- */

/* Tells of a static instruction that is met first, or of a form of one.  Returns its number. */
static uint32_t meet(struct exec_warp *w, uint32_t pc, const struct exec_bulk *bulk)
{
	struct hd_exec_run *r = w->run;
	const struct exec_code *c = &r->image->code[r->image->op[pc].code];
	const struct exec_code *kernel = exec_code_at(r->image, r->image->entry[r->kernel_number]);
	const unsigned char *p = c->words + (size_t)(pc - c->first) * SASS_BYTES;
	struct hd_exec_met met = { .number = r->met++, .function = c->name, .bulk = bulk };

	met.pc = (c == kernel ? pc - c->first : kernel->n + pc) * SASS_BYTES;
	memcpy(&met.lo, p, 8);
	memcpy(&met.hi, p + 8, 8);
	if (!hd__exec_line(r->image, pc, &met.file, &met.line))
		met.file = NULL;
	if (!r->sink->meet(r->sink->arg, &met))
		hd__exec_fail(w, pc, 0, HD_EXEC_UNKNOWN, 0,
			      "an instruction of sm_%u whose text is not known; it is executed, "
			      "but cannot be recorded",
			      r->image->sm);
	return met.number;
}

/* The number of a bulk copy: one for each form, those of an instruction linked. */
static uint32_t number_of_form(struct exec_warp *w, uint32_t pc)
{
	struct hd_exec_run *r = w->run;

	for (uint32_t i = r->number[pc]; i; i = r->form[i - 1].next)
		if (memcmp(&r->form[i - 1].bulk, &w->bulk, sizeof w->bulk) == 0)
			return r->form[i - 1].number;
	r->form = hd__xgrow(r->form, r->forms, &r->cap_forms, sizeof *r->form);
	r->form[r->forms] = (struct exec_form){ .bulk = w->bulk, .next = r->number[pc] };
	r->number[pc] = (uint32_t)++r->forms;
	return r->form[r->forms - 1].number = meet(w, pc, &w->bulk);
}

/* A value for each lane, or one if all have the same. */
static void set_values(const struct exec_warp *w, struct trace_line *line)
{
	bool same = true;

	FOR_LANES(line->mask) {
		line->value[line->nvalues] = w->value[i];
		same &= line->value[line->nvalues++] == line->value[0];
	}
	line->nvalues = same ? 1 : line->nvalues;
}

/* A bulk copy has one address and value, and if no lane executes it no form. */
static void set_bulk(struct exec_warp *w, uint32_t pc, struct trace_line *line)
{
	if (!line->mask)
		w->bulk = (struct exec_bulk){ .all = 0 };
	line->index = number_of_form(w, pc);
	line->form = TRACE_EVEN;
	line->base = w->address[0];
	line->delta[0] = 0;
	line->ndelta = 0;
	line->value[0] = w->value[0];
	line->nvalues = line->mask != 0;
}

/* As the tracer chooses: a stride of neighbouring lanes if they have one. */
static void set_addresses(struct trace_line *line, const uint64_t *address)
{
	uint32_t low = line->mask & -line->mask, n = 0;
	bool run = (line->mask & (line->mask + low)) == 0, even = true;
	uint64_t before = 0;

	FOR_LANES(line->mask) {
		if (n == 0)
			line->base = address[i];
		else
			line->delta[n - 1] = (int64_t)(address[i] - before);
		even &= n < 2 || line->delta[n - 1] == line->delta[0];
		before = address[i];
		n++;
	}
	line->ndelta = n - 1;
	if (n == 1)
		line->delta[0] = 0;
	line->form = !even                                                                        ? TRACE_LIST
		     : n > 1 && run && line->delta[0] >= INT32_MIN && line->delta[0] <= INT32_MAX ? TRACE_RUN
												  : TRACE_EVEN;
}

static void record(struct exec_warp *w, uint32_t pc, uint32_t lanes, const struct exec_op *o)
{
	struct exec_stream *s = w->stream;
	struct trace_line line;

	line.mask = lanes;
	line.form = TRACE_NONE;
	line.nvalues = 0;
	if (o->notes == EXEC_BULK) {
		set_bulk(w, pc, &line);
	} else {
		if (w->run->number[pc] == 0)
			w->run->number[pc] = meet(w, pc, NULL) + 1;
		line.index = w->run->number[pc] - 1;
		if (o->access && lanes)
			set_addresses(&line, w->address);
		if (o->notes == EXEC_VALUES && lanes)
			set_values(w, &line);
	}
	s->cta.data = hd__xreserve(s->cta.data, s->cta.n + TRACE_LONGEST, &s->cta.cap, 1);
	trace_pack(&s->cta, &s->at, &line, o->access);
	s->instructions++;
}

/* ---- groups ---- */

static struct exec_group *add_group(struct exec_warp *w, uint32_t pc, uint32_t mask)
{
	struct exec_group *g = &w->group[w->groups++];

	*g = (struct exec_group){ .pc = pc, .mask = mask, .since = ++w->newest };
	return g;
}

static void remove_group(struct exec_warp *w, unsigned i)
{
	w->groups--;
	memmove(&w->group[i], &w->group[i + 1], (w->groups - i) * sizeof *w->group);
	if (i < w->current)
		w->current--;
}

/* Lanes that a waiting group waits for, those of it included. */
static uint32_t needs(const struct exec_warp *w, const struct exec_group *g)
{
	return g->state == EXEC_AT_WARPSYNC ? g->need : w->b[g->barrier][__builtin_ctz(g->mask)];
}

static bool is_waiting(const struct exec_group *g)
{
	return g->state == EXEC_AT_BSYNC || g->state == EXEC_AT_WARPSYNC;
}

/* Do both wait for the same?  A barrier is its number and the lanes that take part. */
static bool together(const struct exec_warp *w, const struct exec_group *g, const struct exec_group *h)
{
	return h->state == g->state && (g->state == EXEC_AT_WARPSYNC || h->barrier == g->barrier)
	       && needs(w, h) == needs(w, g);
}

/* Lanes that have come to what group i waits for. */
static uint32_t have_come(const struct exec_warp *w, unsigned i)
{
	uint32_t have = 0;

	for (unsigned j = 0; j < w->groups; j++)
		if (together(w, &w->group[i], &w->group[j]))
			have |= w->group[j].mask;
	return have;
}

/* All that wait with group i at its pc go on as one group. */
static void let_go(struct exec_warp *w, unsigned i)
{
	const struct exec_group like = w->group[i];
	uint32_t all = 0;

	for (unsigned j = w->groups; j-- > 0;)
		if (w->group[j].pc == like.pc && together(w, &like, &w->group[j])) {
			all |= w->group[j].mask;
			remove_group(w, j);
		}
	add_group(w, like.pc + 1, all);
}

/* Lets groups go on for which all have come.  Returns whether there were any. */
static bool release(struct exec_warp *w)
{
	bool any = false, again = true;

	while (again) {
		again = false;
		for (unsigned i = 0; i < w->groups && !again; i++) {
			if (!is_waiting(&w->group[i]) || needs(w, &w->group[i]) & w->live & ~have_come(w, i))
				continue;
			let_go(w, i);
			again = any = true;
		}
	}
	return any;
}

uint32_t hd__exec_at_bsync(const struct exec_warp *w)
{
	uint32_t lanes = 0;

	for (unsigned i = 0; i < w->groups; i++)
		if (w->group[i].state == EXEC_AT_BSYNC)
			lanes |= w->group[i].mask;
	return lanes;
}

bool hd__exec_go_without(struct exec_warp *w)
{
	uint32_t without = hd__exec_at_bsync(w);

	for (unsigned i = 0; i < w->groups; i++) {
		if (w->group[i].state != EXEC_AT_WARPSYNC
		    || needs(w, &w->group[i]) & w->live & ~(have_come(w, i) | without))
			continue;
		let_go(w, i);
		return true;
	}
	return false;
}

/* A barrier whose other lanes all spin does not wait for them. */
static void give_up_waiting(struct exec_warp *w)
{
	uint32_t spinning = 0;

	for (unsigned k = 0; k < w->groups; k++)
		if (w->group[k].state == EXEC_READY && w->group[k].yields >= SPINS)
			spinning |= w->group[k].mask;
	for (unsigned k = 0; k < w->groups; k++) {
		uint32_t need, have;
		uint8_t b = w->group[k].barrier;

		if (w->group[k].state != EXEC_AT_BSYNC)
			continue;
		need = needs(w, &w->group[k]) & w->live;
		have = have_come(w, k);
		if (need & ~(have | spinning))
			continue;
		FOR_LANES(need)
			w->b[b][i] = have >> i & 1 ? need & have : 0;
		for (unsigned j = 0; j < w->groups; j++)
			if (w->group[j].mask & spinning)
				w->group[j].yields = 0;
		release(w);
		return;
	}
}

/* The group that goes on: the present one after a turn, else the latest one, which others at its pc join.  Returns
 * false if all wait. */
static bool choose(struct exec_warp *w, bool joins)
{
	struct exec_group *g = NULL;

	if (w->resumes) {
		w->resumes = false;
		return true;
	}
	for (unsigned i = 0; i < w->groups; i++)
		if (w->group[i].state == EXEC_READY && (!g || w->group[i].since > g->since))
			g = &w->group[i];
	if (!g)
		return false;
	w->current = (unsigned)(g - w->group);
	for (unsigned i = w->groups; joins && i-- > 0;) {
		g = &w->group[w->current];
		if (i == w->current || w->group[i].state != EXEC_READY || w->group[i].pc != g->pc)
			continue;
		g->mask |= w->group[i].mask;
		remove_group(w, i);
	}
	return true;
}

/* ---- control flow ---- */

uint32_t *hd__exec_rows(struct hd_exec_run *r, uint32_t code)
{
	struct exec_code *c = &r->image->code[code];
	uint32_t *rows;

	if (r->rows[code])
		return r->rows[code];
	hd__exec_decode_code(r->image, c);
	rows = hd__xlines(c->constants * EXEC_LANES, sizeof *rows);
	for (size_t i = 0; i < c->constants; i++) {
		uint32_t bank = c->constant[i].bank, v = c->constant[i].value;

		if (bank != EXEC_IMMEDIATE) {
			uint32_t at = v;

			v = 0;
			if (r->bank[bank] && r->bank_bytes[bank] >= 4 && at <= r->bank_bytes[bank] - 4)
				memcpy(&v, r->bank[bank] + at, 4);
		}
		fill_row(rows + i * EXEC_LANES, v);
	}
	return r->rows[code] = rows;
}

/* Lanes leave the present group for the instructions that `target` has for them; the others go on behind it. */
static void scatter(struct exec_warp *w, uint32_t pc, uint32_t lanes, const uint32_t target[EXEC_LANES])
{
	uint32_t rest = w->group[w->current].mask & ~lanes;

	remove_group(w, w->current);
	if (rest)
		add_group(w, pc + 1, rest);
	while (lanes) {
		uint32_t to = target[__builtin_ctz(lanes)], same = 0;

		FOR_LANES(lanes)
			same |= (uint32_t)(target[i] == to) << i;
		add_group(w, to, same);
		lanes &= ~same;
	}
}

/* Where an address of code is; false after a fault. */
static bool find_target(struct exec_warp *w, uint32_t pc, unsigned lane, uint64_t address, uint32_t *to)
{
	uint64_t at = (address - EXEC_CODE) / SASS_BYTES;

	if (address >= EXEC_CODE && address % SASS_BYTES == 0 && at < w->run->image->ops
	    && exec_code_at(w->run->image, (uint32_t)at)) {
		*to = (uint32_t)at;
		hd__exec_rows(w->run, (uint32_t)(exec_code_at(w->run->image, *to) - w->run->image->code));
		return true;
	}
	hd__exec_fail(w, pc, UINT32_C(1) << lane, HD_EXEC_CODE, address, "no code is at 0x%" PRIx64, address);
	return false;
}

/* BRX, CALL.REL and RET: a register pair is added to a distance in the function. */
static bool indirect(struct exec_warp *w, uint32_t pc, const struct exec_op *o, uint32_t lanes)
{
	const struct exec_code *c = &w->run->image->code[o->code];
	uint64_t base = EXEC_CODE + ((uint64_t)pc + 1 + (uint64_t)(int64_t)o->imm) * SASS_BYTES;
	const uint32_t *a = row(w, o->a);
	uint32_t target[EXEC_LANES];

	FOR_LANES(lanes) {
		uint64_t to = base + pair(a, i);

		if (to < EXEC_CODE + (uint64_t)c->first * SASS_BYTES || !find_target(w, pc, i, to, &target[i]))
			return w->run->failed ? false : find_target(w, pc, i, 0, &target[i]);
	}
	scatter(w, pc, lanes, target);
	return true;
}

/* CALL.ABS and RET.ABS.  What the machine itself does is done here, and returns to R20:R21. */
static bool absolute(struct exec_warp *w, uint32_t pc, const struct exec_op *o, uint32_t lanes)
{
	uint64_t known = (uint32_t)o->imm | (uint64_t)o->more << 32;
	uint32_t target[EXEC_LANES], calls = 0, *r20 = w->base[0] + 20 * EXEC_LANES;
	const uint32_t *a = row(w, o->a);
	uint64_t to[EXEC_LANES];

	FOR_LANES(lanes) {
		to[i] = o->flow == EXEC_CALL_ABS && o->y ? known : pair(a, i);
		calls |= (uint32_t)(to[i] >= EXEC_CALLS && to[i] < EXEC_CALLS + EXEC_NO_CALL * SASS_BYTES) << i;
	}
	while (calls) {
		uint64_t which = to[__builtin_ctz(calls)];
		uint32_t same = 0;

		FOR_LANES(calls)
			same |= (uint32_t)(to[i] == which) << i;
		if (!hd__exec_call(w, pc, (enum exec_call)((which - EXEC_CALLS) / SASS_BYTES), same))
			return false;
		FOR_LANES(same)
			to[i] = pair(r20, i);
		calls &= ~same;
	}
	FOR_LANES(lanes)
		if (!find_target(w, pc, i, to[i], &target[i]))
			return false;
	scatter(w, pc, lanes, target);
	return true;
}

/* Which lanes a branch takes. */
static uint32_t taken(const struct exec_warp *w, const struct exec_op *o, uint32_t lanes, uint32_t active)
{
	enum { DIV = 2, CONV };
	uint32_t asked, together_now;

	lanes &= predicate(w, o->ps);
	if (o->x < DIV)
		return lanes;
	asked = row(w, o->a)[0] ^ (o->y ? EXEC_ALL : 0);
	together_now = !(asked & w->live & ~active);
	return together_now == (o->x == CONV) ? lanes : 0;
}

/* The side that runs first is added last. */
static void divide(struct exec_warp *w, uint32_t pc, uint32_t to, uint32_t lanes)
{
	uint32_t others = w->group[w->current].mask & ~lanes;
	enum hd_exec_order order = w->run->x->options.order;
	bool first = order == HD_EXEC_TAKEN
	             || (order == HD_EXEC_FEWEST && __builtin_popcount(lanes) < __builtin_popcount(others));

	remove_group(w, w->current);
	if (first) {
		add_group(w, pc + 1, others);
		add_group(w, to, lanes);
	} else {
		add_group(w, to, lanes);
		add_group(w, pc + 1, others);
	}
}

/* Waits at a BSYNC.  Returns true if all have come already. */
static bool sync_at(struct exec_warp *w, uint32_t pc, const struct exec_op *o)
{
	struct exec_group *g = &w->group[w->current];
	uint32_t left = g->mask;
	const uint32_t *b = w->b[o->x];
	uint32_t with = b[__builtin_ctz(left)], same = 0;

	FOR_LANES(left)
		same |= (uint32_t)(b[i] == with) << i;
	if (same == left && !(with & w->live & ~left))
		return true;
	g->mask = same;
	g->pc = pc;
	g->state = EXEC_AT_BSYNC;
	g->barrier = o->x;
	/* lanes that joined on their way may wait for others */
	for (left &= ~same; left; left &= ~same) {
		with = b[__builtin_ctz(left)];
		same = 0;
		FOR_LANES(left)
			same |= (uint32_t)(b[i] == with) << i;
		g = add_group(w, pc, same);
		g->state = EXEC_AT_BSYNC;
		g->barrier = o->x;
	}
	release(w);
	return false;
}

/* Arrives at a barrier of the block.  Returns true if the lanes need not wait. */
static bool arrive(struct exec_warp *w, uint32_t pc, const struct exec_op *o, uint32_t lanes)
{
	enum { ARV = 8, POPC = 16, AND, OR };
	unsigned lane = (unsigned)__builtin_ctz(lanes);
	uint32_t a = row(w, o->a)[lane], p = predicate(w, o->ps) & lanes;
	uint32_t number = (o->y == 1 || o->y == 2 ? a : (uint32_t)o->imm) & 15;
	struct exec_barrier *b = &w->block->barrier[number];
	struct exec_group *g = &w->group[w->current];
	uint32_t rest = g->mask & ~lanes;

	b->expected = o->y == 1 ? a >> 16 & 0xfff : o->y == 4 ? row(w, o->b)[lane] : o->more;
	b->lanes[w->number] |= lanes;
	if (o->x >= POPC) {
		if (!b->any)
			b->result = o->x == AND ? EXEC_ALL : 0;
		b->any = true;
		if (o->x == POPC)
			b->result += (uint32_t)__builtin_popcount(p);
		else if (o->x == AND)
			b->result &= p == lanes ? EXEC_ALL : 0;
		else
			b->result |= p ? EXEC_ALL : 0;
	}
	w->block->changed = true;
	if (w->check)
		hd__check_arrive(w, number);
	if (o->x == ARV)
		return true;
	g->mask = lanes;
	g->pc = pc + 1;
	g->state = EXEC_AT_BARRIER;
	g->barrier = (uint8_t)number;
	if (rest)
		add_group(w, pc + 1, rest);
	return false;
}

/* Arrives at the barrier of the cluster, or waits for it: returns true if the lanes need not.  A thread does both in
 * turn. */
static bool cluster_barrier(struct exec_warp *w, uint32_t pc, const struct exec_op *o, uint32_t lanes)
{
	struct exec_group *g = &w->group[w->current];
	uint32_t rest = g->mask & ~lanes, wrong = o->flow == EXEC_CLUSTER_WAIT ? lanes & ~w->owes : lanes & w->owes;

	if (wrong) {
		hd__exec_fail(w, pc, wrong, HD_EXEC_DEADLOCK, 0,
			      o->flow == EXEC_CLUSTER_WAIT
				      ? "waits for the barrier of the cluster without having arrived; expected "
					"barrier.cluster.arrive before"
				      : "arrives at the barrier of the cluster again; expected "
					"barrier.cluster.wait before");
		return false;
	}
	if (o->flow == EXEC_CLUSTER_ARRIVE) {
		w->joined |= lanes;
		w->owes |= lanes;
		w->block->cluster->joined = w->block->changed = true;
		return true;
	}
	w->owes &= ~lanes;
	if (!(lanes & w->joined))
		return true;
	g->mask = lanes;
	g->pc = pc + 1;
	g->state = EXEC_AT_CLUSTER;
	if (rest)
		add_group(w, pc + 1, rest);
	return false;
}

/* Lanes end.  Returns true if the group goes on. */
static bool leave(struct exec_warp *w, uint32_t pc, uint32_t lanes)
{
	struct exec_group *g = &w->group[w->current];

	w->live &= ~lanes;
	w->block->changed = true;
	g->mask &= ~lanes;
	g->pc = pc + 1;
	if (g->mask && w->groups == 1)
		return true;
	if (!g->mask)
		remove_group(w, w->current);
	release(w);
	return false;
}

/* What became of the present group. */
enum next { ON, JUMPED, CHOOSE, DIVIDED, YIELDS, FAILS };

static enum next unknown(struct exec_warp *w, uint32_t pc, uint32_t active)
{
	const struct exec_code *c = exec_code_at(w->run->image, pc);

	if (c)
		hd__exec_fail(w, pc, active, HD_EXEC_UNKNOWN, 0, "an instruction of sm_%u that is not executed here; "
		              "docs/cuda.md lists what is", w->run->image->sm);
	else
		hd__exec_fail(w, pc - 1, active, HD_EXEC_CODE, 0, "the code ends behind it");
	return FAILS;
}

static enum next branch(struct exec_warp *w, uint32_t *pc, const struct exec_op *o, uint32_t lanes)
{
	const struct exec_code *c = &w->run->image->code[o->code];
	struct exec_group *g = &w->group[w->current];
	uint32_t to = *pc + 1 + (uint32_t)o->imm, takes = taken(w, o, lanes, g->mask);

	if (!takes)
		return ON;
	if (to - c->first >= c->n) {
		hd__exec_fail(w, *pc, takes, HD_EXEC_CODE, to, "the branch leaves its function");
		return FAILS;
	}
	if (takes != g->mask) {
		divide(w, *pc, to, takes);
		return DIVIDED;
	}
	if (to == *pc && w->groups == 1) {
		hd__exec_fail(w, *pc, takes, HD_EXEC_DEADLOCK, 0, "an endless loop");
		return FAILS;
	}
	if (to <= *pc && w->polled) { /* a loop that may wait for another thread */
		w->polled = false;
		g->pc = to;
		return YIELDS;
	}
	*pc = to;
	return JUMPED;
}

/* Waits for the lanes of a mask.  If lanes have different ones those of the first go on, and the others come behind
 * them. */
static enum next warpsync(struct exec_warp *w, uint32_t pc, const struct exec_op *o, uint32_t lanes)
{
	struct exec_group *g = &w->group[w->current];
	const uint32_t *masks = row(w, o->b);
	uint32_t mask = masks[__builtin_ctz(lanes)], need = mask ? mask : EXEC_ALL; /* WARPSYNC.ALL */
	uint32_t others = 0, rest;

	FOR_LANES(lanes)
		others |= (uint32_t)(masks[i] != mask) << i;
	if (others) {
		rest = g->mask & ~others;
		remove_group(w, w->current);
		add_group(w, pc, others);
		g = add_group(w, pc, rest);
	}
	if (!(need & w->live & ~g->mask)) {
		if (!others)
			return ON;
		g->pc = pc + 1;
		return CHOOSE;
	}
	g->pc = pc;
	g->state = EXEC_AT_WARPSYNC;
	g->need = need;
	release(w);
	return CHOOSE;
}

/* Waits for the phase of a barrier in shared memory: the instruction is executed again when something happens. */
static enum next wait_for_phase(struct exec_warp *w, uint32_t pc, uint32_t lanes)
{
	struct exec_group *g = &w->group[w->current];

	g->pc = pc;
	g->state = EXEC_AT_PHASE;
	w->instructions--;
	w->threads -= (unsigned)__builtin_popcount(lanes);
	return CHOOSE;
}

/* Everything but plain operations.  The present group has its mask; lanes: those that execute. */
static enum next flow(struct exec_warp *w, uint32_t *pc, const struct exec_op *o, uint32_t lanes)
{
	struct exec_group *g = &w->group[w->current];

	if (o->flow == EXEC_UNKNOWN)
		return unknown(w, *pc, g->mask);
	if (!lanes)
		return ON;
	switch (o->flow) {
	case EXEC_BSSY:
		FOR_LANES(lanes)
			w->b[o->x][i] = lanes;
		return ON;
	case EXEC_BSYNC: return sync_at(w, *pc, o) ? ON : CHOOSE;
	case EXEC_BREAK:
		lanes &= predicate(w, o->ps);
		for (unsigned i = 0; i < EXEC_LANES; i++)
			w->b[o->x][i] &= ~lanes;
		return ON;
	case EXEC_BRANCH: return branch(w, pc, o, lanes);
	case EXEC_INDIRECT: return indirect(w, *pc, o, lanes) ? CHOOSE : FAILS;
	case EXEC_CALL_ABS: case EXEC_JUMP_ABS: return absolute(w, *pc, o, lanes) ? CHOOSE : FAILS;
	case EXEC_EXIT: return leave(w, *pc, lanes) ? ON : CHOOSE;
	case EXEC_WARPSYNC: return warpsync(w, *pc, o, lanes);
	case EXEC_YIELD:
		g->pc = *pc + 1;
		return YIELDS;
	case EXEC_BARRIER: return arrive(w, *pc, o, lanes) ? ON : CHOOSE;
	case EXEC_CLUSTER_ARRIVE: case EXEC_CLUSTER_WAIT:
		return cluster_barrier(w, *pc, o, lanes) ? ON : w->run->failed ? FAILS : CHOOSE;
	case EXEC_TRAP:
		if (o->x != 3)
			return ON;
		hd__exec_fail(w, *pc, lanes, HD_EXEC_TRAP, 0, "a trap");
		return FAILS;
	default: return ON;
	}
}

/* ---- turns ---- */

/* The present group lets others go first.  Returns whether some of this warp can. */
static bool step_back(struct exec_warp *w)
{
	struct exec_group *g = &w->group[w->current];
	uint32_t mask = g->mask;

	g->yields++;
	g->since = --w->oldest;
	if (w->groups == 1)
		return false;
	give_up_waiting(w);
	for (unsigned i = 0; i < w->groups; i++)
		if (w->group[i].state == EXEC_READY && w->group[i].mask != mask)
			return true;
	return false;
}

static enum exec_stop pause(struct exec_warp *w, uint32_t pc, enum exec_stop why)
{
	w->group[w->current].pc = pc;
	w->resumes = true;
	return why;
}

/* A loop of its own for those who look for faults: the other one is not to ask. */
static inline __attribute__((always_inline)) enum exec_stop turn_of(struct exec_warp *w, uint32_t turn, bool checks)
{
	struct hd_exec_run *r = w->run;
	const struct exec_op *ops = r->image->op;
	bool joins = !r->x->options.apart, next_joins = joins, stepped_back = false;
	uint32_t left = turn;

	while (choose(w, next_joins)) {
		uint32_t pc = w->group[w->current].pc;
		enum next next = ON;

		next_joins = joins;
		w->base[1] = hd__exec_rows(r, ops[pc].code);
		while (next == ON || next == JUMPED) {
			const struct exec_op *o = &ops[pc];
			uint32_t active = w->group[w->current].mask, lanes = active;

			if (left == 0 || (o->flags & EXEC_FIRST && left != turn))
				return pause(w, pc, EXEC_TURN);
			left--;
			if (o->guard != EXEC_PT)
				lanes &= predicate(w, o->guard);
			w->instructions++;
			w->threads += (unsigned)__builtin_popcount(lanes);
			if (checks)
				hd__check_instruction(w, pc, active, lanes);
			if (o->flow == EXEC_PLAIN) {
				if (lanes) {
					o->run(w, o, o->uniform ? EXEC_ALL : lanes);
					if (o->may_fail && r->failed)
						return EXEC_ENDED;
				}
				if (w->stream) {
					record(w, pc, lanes, o);
					if (r->failed)
						return EXEC_ENDED;
				}
				pc++;
				continue;
			}
			if (o->flow == EXEC_EXIT)
				lanes &= predicate(w, o->ps);
			if (o->flow == EXEC_PHASE && lanes) {
				enum exec_phase phase = hd__exec_phase(w, o, lanes);

				if (phase == EXEC_PHASE_FAULT)
					return EXEC_ENDED;
				if (phase == EXEC_PHASE_WAITS) {
					next = wait_for_phase(w, pc, lanes);
					continue;
				}
			}
			if (w->stream && o->flow != EXEC_UNKNOWN)
				record(w, pc, lanes, o);
			next = flow(w, &pc, o, lanes);
			pc += next == ON;
		}
		if (next == FAILS)
			return EXEC_ENDED;
		next_joins = joins && next != DIVIDED;
		if (next == YIELDS) {
			bool others = step_back(w);

			if (!others || stepped_back)
				return EXEC_YIELDED;
			stepped_back = true;
		}
	}
	return w->groups ? EXEC_BLOCKED : EXEC_ENDED;
}

enum exec_stop hd__exec_warp(struct exec_warp *w, uint32_t turn)
{
	return w->check ? turn_of(w, turn, true) : turn_of(w, turn, false);
}
