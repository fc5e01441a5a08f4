/* hasm_walk.c - executes a kernel of a .hasm text: which warp executes what, with which lanes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lanes of an `if` go first, then the others, then all that have not exited go on together: the
 * groups of a stack.
 */
#include "hasm_walk.h"

#include "hasm_expr.h"

#include <inttypes.h>

struct state {
	struct hasm_walk *w;
	struct hasm_values at;   /* .warp, .block; .loop of the loops around */
	unsigned loops;
	uint32_t threads;        /* lanes that are threads of the block, */
	uint32_t any;            /* in any of the warps that the lines are for */
	uint32_t live, active;   /* have not exited; execute the present line */
	int exit_line;           /* of the last EXIT */
	bool failed;             /* a mistake: the rest of the warp says nothing */
};

/* ---- how much it is ---- */

static uint64_t add(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

static uint64_t lines_of(const struct hasm_node *n)
{
	uint64_t sum = 0;

	for (; n; n = n->next) {
		uint64_t one = 1;

		if (n->step == HASM_REPEAT)
			one = times(n->count, lines_of(n->body));
		else if (n->step == HASM_WARPS)
			one = 0;
		else if (n->step == HASM_IF)
			one = add(2, add(lines_of(n->body), lines_of(n->other)));
		sum = add(sum, one);
	}
	return sum;
}

uint64_t hd__hasm_lines(const struct hasm_kernel *k)
{
	uint64_t sum = times(k->blocks, k->warps); /* an EXIT each */

	for (size_t i = 0; i < k->nsections; i++) {
		const struct hasm_section *x = &k->section[i];
		uint64_t blocks = 0;

		for (size_t j = 0; j < x->nblocks; j++)
			blocks = add(blocks, x->blocks[j].last - x->blocks[j].first + 1);
		sum = add(sum, times(times(blocks, (unsigned)__builtin_popcountll(x->warps)),
		                     lines_of(x->first)));
	}
	return sum;
}

/* ---- execution ---- */

static void bad(struct state *s, struct hasm_node *n, const char *fmt, ...) HD_PRINTF(3, 4);

static void bad(struct state *s, struct hasm_node *n, const char *fmt, ...)
{
	va_list ap;

	s->failed = true;
	if (n->reported)
		return;
	n->reported = true;
	va_start(ap, fmt);
	hd__diagv(s->w->d, HD_DIAG_ERROR, s->w->file, n->line, n->column, fmt, ap);
	va_end(ap);
}

static bool is(const struct hasm_inst *i, const char *opcode)
{
	size_t n = strlen(opcode);

	return strncmp(i->opcode, opcode, n) == 0 && (i->opcode[n] == '\0' || i->opcode[n] == '.');
}

/* Lanes of a mask that is given, checked. */
static uint32_t given(struct state *s, struct hasm_node *n)
{
	uint32_t mask = n->mask & s->threads, wrong = mask & ~s->active, beyond = n->mask & ~s->any;

	if (beyond)
		bad(s, n, "mask %08" PRIx32 " has lanes that are not threads of the block: %08" PRIx32
		    "; expected lanes of %08" PRIx32, n->mask, beyond, s->any);
	else if (wrong & ~s->live)
		bad(s, n, "mask %08" PRIx32 " has lanes that have exited in line %d: %08" PRIx32 " (block %"
		    PRIu64 ", warp %" PRIu64 ")", n->mask, s->exit_line, wrong & ~s->live, s->at.block,
		    s->at.warp);
	else if (wrong)
		bad(s, n, "mask %08" PRIx32 " has lanes that are elsewhere: %08" PRIx32 "; expected lanes of %08"
		    PRIx32 ", which the 'if' around it leaves", n->mask, wrong, s->active);
	return mask;
}

static bool alive(struct state *s, struct hasm_node *n)
{
	if (s->live)
		return true;
	bad(s, n, "all lanes of warp %" PRIu64 " in block %" PRIu64 " have exited in line %d; with mask= an EXIT "
	    "ends only some", s->at.warp,
	    s->at.block, s->exit_line);
	return false;
}

static bool too_large(struct state *s, struct hasm_node *n, const char *what, uint64_t v, uint64_t most)
{
	if (v <= most)
		return false;
	bad(s, n, "%s is 0x%" PRIx64 "; expected at most 0x%" PRIx64, what, v, most);
	return true;
}

static bool addresses(struct state *s, struct hasm_node *n, uint32_t mask, uint64_t addr[HASM_LANES])
{
	const struct hasm_inst *i = &s->w->k->code[n->inst];
	bool barrier = strncmp(i->opcode, "SYNCS", 5) == 0 || strncmp(i->opcode, "ARRIVES", 7) == 0;
	size_t count = 0, active = (size_t)__builtin_popcount(mask);

	if (n->list && n->naddress != active) {
		bad(s, n, "%zu address%s for %zu active lane%s (block %" PRIu64 ", warp %" PRIu64
		    "); expected one for each", n->naddress, n->naddress == 1 ? "" : "es", active,
		    active == 1 ? "" : "s", s->at.block, s->at.warp);
		return false;
	}
	for (uint32_t lane = 0; lane < HASM_LANES; lane++) {
		if (!(mask >> lane & 1))
			continue;
		s->at.lane = lane;
		if (!hd__hasm_evaluate(n->address[n->list ? count : 0], &s->at, &addr[count])) {
			bad(s, n, "the address of lane %" PRIu32 " divides by zero", lane);
			return false;
		}
		if (barrier && too_large(s, n, "the address of an mbarrier", addr[count], UINT32_MAX))
			return false;
		count++;
	}
	return true;
}

static void put(struct state *s, uint32_t inst, uint32_t mask, const uint64_t *addr, const struct hasm_more *more)
{
	struct hasm_walk *w = s->w;

	hd__hasm_put(&w->text, w->k->code[inst].pc, mask, &w->line[inst], addr, more);
	w->lines++;
}

/* An mbarrier as it is initialised for so many arrivals. */
static uint64_t initial(uint64_t arrivals)
{
	uint64_t negative = (UINT64_C(1) << 20) - arrivals;

	return negative << 1 | negative << 43;
}

static bool evaluate(struct state *s, struct hasm_node *n, enum hasm_attr a, uint64_t *v)
{
	if (!n->attr[a])
		return true;
	if (hd__hasm_evaluate(n->attr[a], &s->at, v))
		return true;
	bad(s, n, "a value of lane %" PRIu64 " divides by zero", s->at.lane);
	return false;
}

#define MOST_TX UINT64_C(1048575) /* bytes that an mbarrier counts */

/* Are the numbers such as an mbarrier and a bulk copy can have? */
static bool in_range(struct state *s, struct hasm_node *n, const struct hasm_more *m)
{
	uint64_t box = n->box ? hd__hasm_box_pieces(n->box) * n->box->bytes : 0;

	if (!n->box && n->attr[HASM_TX] && too_large(s, n, "tx=", m->tx, MOST_TX))
		return false;
	if (n->box && too_large(s, n, "tx=", m->tx, UINT32_MAX))
		return false;
	if (n->attr[HASM_CTAS] && !m->ctas) {
		bad(s, n, "ctas= is 0; expected the set of thread blocks of the cluster that get the bytes, as 0x3");
		return false;
	}
	if (n->attr[HASM_TX] && m->tx < box) {
		bad(s, n, "tx= is %" PRIu64 "; expected at least the %" PRIu64 " bytes of desc=, and those outside of "
		    "the tensor", m->tx, box);
		return false;
	}
	return !too_large(s, n, "bar=", m->bar, UINT32_MAX) && !too_large(s, n, "ctas=", m->ctas, UINT16_MAX);
}

/* What stands behind the instruction: mbarriers have a value for each lane, bulk copies one of each kind. */
static bool attributes(struct state *s, struct hasm_node *n, uint32_t mask, struct hasm_more *m)
{
	*m = (struct hasm_more){ .box = n->box, .valued = false };
	for (unsigned i = 0; i < HASM_ATTRS; i++)
		m->valued |= n->attr[i] != NULL;
	for (uint32_t lane = 0; m->valued && lane < HASM_LANES; lane++) {
		uint64_t v = 0, count = 0;

		if (!(mask >> lane & 1) && mask)
			continue;
		s->at.lane = lane;
		if (!evaluate(s, n, HASM_VALUES, &v) || !evaluate(s, n, HASM_TX, &v) || !evaluate(s, n, HASM_COUNT,
			&count)
		    || !evaluate(s, n, HASM_BAR, &m->bar) || !evaluate(s, n, HASM_CTAS, &m->ctas))
			return false;
		m->tx = v;
		if (!in_range(s, n, m))
			return false;
		if (n->attr[HASM_COUNT] && (count == 0 || count >> 20)) {
			bad(s, n, "an mbarrier for %" PRIu64 " arrivals; expected 1 to 1048575", count);
			return false;
		}
		if (n->attr[HASM_COUNT])
			v = initial(count);
		if (n->attr[HASM_PARITY]) {
			if (!evaluate(s, n, HASM_PARITY, &v))
				return false;
			v = (v & 1) << 31;
		}
		m->value[lane] = v;
		if (!mask || n->box)
			break;
	}
	for (uint32_t lane = 0; mask && lane < HASM_LANES; lane++)
		if (!(mask >> lane & 1))
			m->value[lane] = m->value[__builtin_ctz(mask)];
	return true;
}

/* `last`: the end of the last iteration of the loop around it. */
static void execute(struct state *s, struct hasm_node *n, bool last)
{
	const struct hasm_inst *i = &s->w->k->code[n->inst];
	uint64_t addr[HASM_LANES];
	uint32_t mask = s->active;
	struct hasm_more more;

	if (!alive(s, n))
		return;
	if (n->masked)
		mask = given(s, n);
	else if (hd__hasm_never(i) || last)
		mask = 0;
	if (last && !n->masked && !i->guarded)
		bad(s, n, "the loop does not end: '%s' goes back in its last iteration, too; expected a guard, "
		    "as @P0", i->opcode);
	if (s->failed || (s->w->line[n->inst].memory && mask && !addresses(s, n, mask, addr)))
		return;
	if (s->w->k->new_lines && !attributes(s, n, mask, &more))
		return;
	put(s, n->inst, mask, addr, s->w->k->new_lines ? &more : NULL);
	if (is(i, "EXIT")) {
		s->live &= ~mask;
		s->active &= ~mask;
		s->exit_line = n->line;
	}
}

/* Is it the branch back to the beginning of the loop? */
static bool goes_back(const struct state *s, const struct hasm_node *loop, const struct hasm_node *n)
{
	const struct hasm_kernel *k = s->w->k;
	const struct hasm_inst *i;

	if (n->step != HASM_EXECUTE || n->next)
		return false;
	i = &k->code[n->inst];
	return is(i, "BRA") && i->n > 0 && i->operand[i->n - 1].value == k->code[loop->inst].pc;
}

static void walk(struct state *s, struct hasm_node *n, const struct hasm_node *loop, bool last);

static void walk_if(struct state *s, struct hasm_node *n)
{
	uint32_t all = s->active, some = all & n->mask, others = all & ~n->mask;

	if (!alive(s, n))
		return;
	put(s, n->inst, others, NULL, NULL);
	s->active = some;
	if (some)
		walk(s, n->body, NULL, false);
	if (n->masked && s->active && !s->failed)
		put(s, n->jump, s->active, NULL, NULL);
	s->active = others;
	if (others && !s->failed)
		walk(s, n->other, NULL, false);
	s->active = all & s->live;
}

static void walk_loop(struct state *s, struct hasm_node *n)
{
	unsigned depth = s->loops++;
	uint64_t count = lines_of(n->body) ? n->count : 0; /* nothing takes no time */

	for (uint64_t i = 0; i < count && !s->failed; i++) {
		s->at.loop[depth] = i;
		walk(s, n->body, n, i + 1 == n->count);
	}
	s->loops--;
}

/* `loop`: the one whose body it is, `last` its last iteration. */
static void walk(struct state *s, struct hasm_node *n, const struct hasm_node *loop, bool last)
{
	bool mine = true;

	for (; n && !s->failed; n = n->next) {
		if (n->step == HASM_WARPS)
			mine = n->warps >> s->at.warp & 1;
		else if (!mine)
			continue;
		else if (n->step == HASM_REPEAT)
			walk_loop(s, n);
		else if (n->step == HASM_IF)
			walk_if(s, n);
		else
			execute(s, n, last && goes_back(s, loop, n));
	}
}

/* ---- warps ---- */

static uint32_t lanes(const struct hasm_kernel *k, uint32_t warp)
{
	uint32_t left = k->threads - warp * HASM_LANES;

	return left >= HASM_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
}

static bool selects(const struct hasm_section *x, uint64_t block, uint32_t warp)
{
	if (!(x->warps >> warp & 1))
		return false;
	for (size_t i = 0; i < x->nblocks; i++)
		if (block >= x->blocks[i].first && block <= x->blocks[i].last)
			return true;
	return false;
}

void hd__hasm_walk_begin(struct hasm_walk *w, const char *file, struct hasm_kernel *k,
                         struct hd_diags *d)
{
	struct hasm_inst exit = { .opcode = (char[]){ "EXIT" } };

	*w = (struct hasm_walk){ .k = k, .file = file, .d = d };
	w->line = hd__xcalloc(k->n, sizeof *w->line);
	for (size_t i = 0; i < k->n; i++) {
		const struct hasm_inst *c = &k->code[i];
		uint16_t dst, src[HASM_OPERANDS];
		unsigned sources = hd__hasm_registers(c, &dst, src);

		w->line[i] = hd__hasm_line(c, k->new_lines);
		if (hd__hasm_beyond(c))
			hd__diag(d, HD_DIAG_WARNING, file, c->line, c->column, "registers beyond R255 are in the "
			         "listing (.sass.json) only; a line of a trace cannot hold them");
		for (unsigned o = 0; o < c->n; o++)
			if (c->operand[o].kind == HASM_INTEGER && ((int64_t)c->operand[o].value < INT32_MIN
			                                           || (int64_t)c->operand[o].value > UINT32_MAX))
				hd__diag(d, HD_DIAG_ERROR, file, c->line, c->operand[o].column,
				         "'%s': expected an immediate of 32 bits", c->operand[o].text);
		if (sources > HASM_LINE_SOURCES)
			hd__diag(d, HD_DIAG_ERROR, file, c->line, c->column, "%u source registers; expected at "
			         "most %u", sources, HASM_LINE_SOURCES);
	}
	w->exit = hd__hasm_line(&exit, k->new_lines);
}

void hd__hasm_walk_warp(struct hasm_walk *w, uint64_t block, uint32_t warp)
{
	struct hasm_kernel *k = w->k;
	struct state s = { .w = w, .at = { .block = block, .warp = warp }, .threads = lanes(k, warp) };

	w->text.n = 0;
	w->lines = 0;
	s.live = s.active = s.threads;
	for (size_t i = 0; i < k->nsections && !s.failed; i++) {
		const struct hasm_section *x = &k->section[i];

		if (!selects(x, block, warp))
			continue;
		/* only the last warp may lack threads */
		s.any = x->warps & (x->warps - 1) ? UINT32_MAX : s.threads;
		walk(&s, x->first, NULL, false);
	}
	if (w->lines > 0 && s.live && !k->exits_written) {
		hd__hasm_put(&w->text, k->exit_pc, s.live, &w->exit, NULL, NULL);
		w->lines++;
		k->exit_added = true;
	}
}

void hd__hasm_walk_end(struct hasm_walk *w)
{
	for (size_t i = 0; i < w->k->n; i++)
		free(w->line[i].middle);
	free(w->line);
	free(w->exit.middle);
	free(w->text.v);
}
