/* exec_unset.c - values that nothing wrote: how instructions pass them on, and where they matter
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A result is unset if a source is.  It is not where only a part of it is, for code puts words together from parts: of
 * PRMT, LOP3 and the like all sources have to be unset.  Selections and conditions are followed lane by lane.
 */
#include "exec_check.h"
#include "exec_ops.h"

enum rule { ANY, ALL_OF, CHOSEN, SELECTED, SET };

/* Registers of the sources and of the result. */
static const struct effect {
	uint8_t a, b, c, d, rule;
} effects[EXEC_OP_COUNT] = {
	[EXEC_OP_mov] = { 0, 1, 0, 1, ANY }, [EXEC_OP_mov64] = { 0, 2, 0, 2, ANY },
	[EXEC_OP_sel] = { 1, 1, 0, 1, SELECTED }, [EXEC_OP_sel64] = { 2, 2, 0, 2, SELECTED },
	[EXEC_OP_iadd3] = { 1, 1, 1, 1, ANY }, [EXEC_OP_iadd3_carry] = { 1, 1, 1, 1, ANY },
	[EXEC_OP_lea] = { 1, 1, 0, 1, ANY }, [EXEC_OP_lea_high] = { 1, 1, 1, 1, ANY },
	[EXEC_OP_lop3] = { 1, 1, 1, 1, ALL_OF }, [EXEC_OP_lop3_predicate] = { 1, 1, 1, 1, ALL_OF },
	[EXEC_OP_iabs] = { 0, 1, 0, 1, ANY }, [EXEC_OP_vabsdiff] = { 1, 1, 1, 1, ANY },
	[EXEC_OP_vabsdiff4] = { 1, 1, 1, 1, ANY }, [EXEC_OP_prmt] = { 1, 1, 1, 1, CHOSEN },
	[EXEC_OP_imnmx] = { 1, 1, 0, 1, ANY }, [EXEC_OP_imnmx64] = { 2, 2, 0, 2, ANY },
	[EXEC_OP_vimnmx16] = { 1, 1, 0, 1, ANY }, [EXEC_OP_viaddmnmx] = { 1, 1, 1, 1, ANY },
	[EXEC_OP_viaddmnmx16] = { 1, 1, 1, 1, ANY },
	[EXEC_OP_shl] = { 1, 1, 0, 1, ANY }, [EXEC_OP_shr] = { 0, 1, 1, 1, ANY },
	[EXEC_OP_shf] = { 1, 0, 1, 1, ALL_OF }, [EXEC_OP_sgxt] = { 1, 1, 0, 1, ANY },
	[EXEC_OP_bmsk] = { 1, 1, 0, 1, ANY }, [EXEC_OP_imad] = { 1, 1, 1, 1, ANY },
	[EXEC_OP_imad_x] = { 1, 1, 1, 1, ANY }, [EXEC_OP_imad_wide] = { 1, 1, 2, 2, ANY },
	[EXEC_OP_imad_wide_carry] = { 1, 1, 2, 2, ANY }, [EXEC_OP_imad_high] = { 1, 1, 2, 1, ANY },
	[EXEC_OP_idp] = { 1, 1, 1, 1, ANY }, [EXEC_OP_iadd64] = { 2, 2, 2, 2, ANY },
	[EXEC_OP_i2i] = { 0, 1, 0, 1, ANY }, [EXEC_OP_i2ip] = { 1, 1, 1, 1, ALL_OF },
	[EXEC_OP_flo] = { 0, 1, 0, 1, ANY }, [EXEC_OP_brev] = { 0, 1, 0, 1, ANY },
	[EXEC_OP_popc] = { 0, 1, 0, 1, ANY },

	[EXEC_OP_isetp] = { 1, 1, 0, 0, ANY }, [EXEC_OP_isetp_ex] = { 1, 1, 0, 0, ANY },
	[EXEC_OP_isetp64] = { 2, 2, 0, 0, ANY }, [EXEC_OP_fsetp] = { 1, 1, 0, 0, ANY },
	[EXEC_OP_dsetp] = { 2, 2, 0, 0, ANY }, [EXEC_OP_hsetp2] = { 1, 1, 0, 0, ANY },
	[EXEC_OP_fset] = { 1, 1, 0, 1, ANY }, [EXEC_OP_hset2] = { 1, 1, 0, 1, ANY },
	[EXEC_OP_p2r] = { 0, 0, 0, 1, SET }, [EXEC_OP_vote] = { 0, 0, 0, 1, ANY },
	[EXEC_OP_voteu] = { 0, 0, 0, 1, ANY },

	[EXEC_OP_fadd] = { 1, 1, 0, 1, ANY }, [EXEC_OP_fmul] = { 1, 1, 0, 1, ANY },
	[EXEC_OP_ffma] = { 1, 1, 1, 1, ANY }, [EXEC_OP_ffma_plain] = { 1, 1, 1, 1, ANY },
	[EXEC_OP_fsel] = { 1, 1, 0, 1, SELECTED }, [EXEC_OP_fmnmx] = { 1, 1, 0, 1, ANY },
	[EXEC_OP_fswzadd] = { 1, 0, 1, 1, ANY }, [EXEC_OP_fchk] = { 1, 1, 0, 0, ANY },
	[EXEC_OP_mufu] = { 0, 1, 0, 1, ANY }, [EXEC_OP_dadd] = { 2, 2, 0, 2, ANY },
	[EXEC_OP_dmul] = { 2, 2, 0, 2, ANY }, [EXEC_OP_dfma] = { 2, 2, 2, 2, ANY },
	[EXEC_OP_hadd2] = { 1, 1, 0, 1, ANY }, [EXEC_OP_hmul2] = { 1, 1, 0, 1, ANY },
	[EXEC_OP_hfma2] = { 1, 1, 1, 1, ANY }, [EXEC_OP_hmnmx2] = { 1, 1, 0, 1, ANY },
	[EXEC_OP_f2fp] = { 1, 1, 0, 1, ALL_OF }, [EXEC_OP_f2f] = { 0, 1, 0, 1, ANY },
	[EXEC_OP_f2i] = { 0, 1, 0, 1, ANY }, [EXEC_OP_i2f] = { 0, 1, 0, 1, ANY },
	[EXEC_OP_frnd] = { 0, 1, 0, 1, ANY }, [EXEC_OP_f2ip] = { 1, 1, 1, 1, ANY },

	[EXEC_OP_s2r] = { 0, 0, 0, 1, SET }, [EXEC_OP_cs2r] = { 0, 0, 0, 1, SET },
	[EXEC_OP_s2ur] = { 0, 0, 0, 1, SET }, [EXEC_OP_r2ur] = { 1, 0, 0, 1, ANY },
	[EXEC_OP_shfl] = { 1, 1, 0, 1, ANY }, [EXEC_OP_match] = { 1, 0, 0, 1, ANY },
	[EXEC_OP_redux] = { 1, 0, 0, 1, ANY }, [EXEC_OP_b2r] = { 0, 0, 0, 1, SET },
	[EXEC_OP_bmov_get] = { 0, 0, 0, 1, SET }, [EXEC_OP_lepc] = { 0, 0, 0, 2, SET },
	[EXEC_OP_movm] = { 1, 0, 0, 1, ANY },
};

struct mask {
	uint32_t unset, origin;
};

/* ---- masks ---- */

static void join(struct mask *m, uint32_t unset, uint32_t origin)
{
	if (unset && !m->unset)
		m->origin = origin;
	m->unset |= unset;
}

static struct mask of_rows(const struct exec_warp *w, uint32_t row, unsigned n)
{
	struct mask m = { 0, 0 };

	for (unsigned k = 0; k < n && !(row & EXEC_CONSTANT); k++)
		join(&m, w->check->unset[row / EXEC_LANES + k], w->check->origin[row / EXEC_LANES + k]);
	return m;
}

static struct mask of_predicate(const struct exec_warp *w, uint8_t p)
{
	return (struct mask){ w->check->unset_p[p & 15], w->check->origin_p[p & 15] };
}

void hd__check_set(struct exec_warp *w, uint32_t row, uint32_t unset, uint32_t lanes, uint32_t origin)
{
	uint32_t *at = &w->check->unset[row / EXEC_LANES];

	if (row / EXEC_LANES >= EXEC_NOWHERE)
		return;
	*at = (*at & ~lanes) | (unset & lanes);
	if (unset & lanes)
		w->check->origin[row / EXEC_LANES] = origin;
}

static void set_rows(struct exec_warp *w, uint32_t row, unsigned n, struct mask m, uint32_t lanes)
{
	for (unsigned k = 0; k < n; k++)
		hd__check_set(w, row + k * EXEC_LANES, m.unset, lanes, m.origin);
}

static void set_condition(struct exec_warp *w, uint8_t p, struct mask m, uint32_t lanes)
{
	if ((p & 7) == EXEC_PT)
		return;
	w->check->unset_p[p & 15] = (w->check->unset_p[p & 15] & ~lanes) | (m.unset & lanes);
	if (m.unset & lanes)
		w->check->origin_p[p & 15] = m.origin;
}

/* ---- where it matters ---- */

static void matters(struct exec_warp *w, uint32_t pc, uint32_t lanes, uint32_t origin, const char *name, const char *as)
{
	struct exec_check *c = w->run->x->check;
	unsigned lane = (unsigned)__builtin_ctz(lanes);

	if (origin && c->origin[origin - 1].image == w->run->image) {
		const struct exec_origin *o = &c->origin[origin - 1];
		struct exec_other other = { .is = true, .pc = o->pc };

		memcpy(other.block, o->block, sizeof other.block);
		memcpy(other.thread, o->thread, sizeof other.thread);
		hd__check_find(w, pc, lane, HD_EXEC_UNWRITTEN, o->address, &other,
			       "%s, %s, follows from what was loaded from %s memory at 0x%llx, which nothing wrote",
			       name, as, hd__check_space(o->space), (unsigned long long)o->address);
		return;
	}
	hd__check_find(w, pc, lane, HD_EXEC_UNSET, 0, NULL, "%s, %s, follows from a register that nothing wrote",
		       name, as);
}

void hd__check_use(struct exec_warp *w, uint32_t pc, uint32_t row, unsigned n, uint32_t lanes, const char *as)
{
	bool found = false;

	for (unsigned k = 0; k < n && !(row & EXEC_CONSTANT); k++) {
		uint32_t at = row / EXEC_LANES + k, unset = w->check->unset[at] & lanes;
		char name[16];

		if (!unset)
			continue;
		w->check->unset[at] &= ~lanes; /* once is enough */
		if (found)
			continue;
		found = true;
		snprintf(name, sizeof name, at < EXEC_UNIFORM ? "R%u" : "UR%u",
			 at < EXEC_UNIFORM ? at : at - EXEC_UNIFORM);
		matters(w, pc, unset, w->check->origin[at], name, as);
	}
}

static void use_condition(struct exec_warp *w, uint32_t pc, uint8_t p, uint32_t lanes)
{
	uint32_t unset = w->check->unset_p[p & 15] & lanes;
	char name[16];

	if (!unset)
		return;
	snprintf(name, sizeof name, p & EXEC_UP ? "UP%u" : "P%u", p & 7u);
	matters(w, pc, unset, w->check->origin_p[p & 15], name, "a condition");
	w->check->unset_p[p & 15] &= ~lanes;
}

/* ---- operations ---- */

/* The widths of those that have several. */
static struct effect effect_of(const struct exec_op *o)
{
	struct effect e = effects[o->operation];
	unsigned words;

	switch (o->operation) {
	case EXEC_OP_f2f: e.b = o->y == 3 ? 2 : 1; e.d = o->x == 3 ? 2 : 1; break;
	case EXEC_OP_f2i: e.b = o->y == 3 ? 2 : 1; e.d = o->x >> 1 == 3 ? 2 : 1; break;
	case EXEC_OP_i2f: e.b = o->x == 3 ? 2 : 1; e.d = o->y == 3 ? 2 : 1; break;
	case EXEC_OP_frnd: e.b = e.d = o->y == 3 ? 2 : 1; break;
	case EXEC_OP_cs2r: e.d = o->flags & EXEC_PAIR ? 2 : 1; break;
	case EXEC_OP_match: e.a = o->flags & EXEC_PAIR ? 2 : 1; break;
	case EXEC_OP_ldc: case EXEC_OP_uldc: case EXEC_OP_load: case EXEC_OP_load_shared: case EXEC_OP_load_local:
		e.d = o->size <= 4 ? 1 : o->size / 4;
		e.rule = SET;
		break;
	case EXEC_OP_atom: case EXEC_OP_atom_shared: e.d = o->size / 4; e.rule = SET; break;
	case EXEC_OP_ldsm: e.d = (uint8_t)(1u << o->x); e.rule = SET; break;
	case EXEC_OP_hmma:
		words = o->x / (o->y == 2 ? 2u : 4u); /* .y: TF32 has a number in a word */
		e = (struct effect){ (uint8_t)words, (uint8_t)(words / 2), o->flags & EXEC_HIGH ? 4 : 2,
		                     o->flags & EXEC_HIGH ? 4 : 2, ANY };
		break;
	case EXEC_OP_imma:
		words = o->more / (4 * (32u / o->y));
		e = (struct effect){ (uint8_t)(words * o->x / 8), (uint8_t)words, o->x / 4, o->x / 4, ANY };
		break;
	case EXEC_OP_bmma:
		words = o->more / 128;
		e = (struct effect){ (uint8_t)(words * o->x / 8), (uint8_t)words, o->x / 4, o->x / 4, ANY };
		break;
	case EXEC_OP_dmma: e = (struct effect){ 2, 2, 4, 4, ANY }; break;
	default: break;
	}
	return e;
}

/* A row of A goes into the row of D that the same four lanes have, a column of B into a column of D. */
static struct mask of_matrices(const struct exec_warp *w, const struct exec_op *o, struct effect e)
{
	struct mask a = of_rows(w, o->a, e.a), b = of_rows(w, o->b, e.b), m = of_rows(w, o->c, e.c);

	for (unsigned i = 0; i < EXEC_LANES; i++)
		if (a.unset >> (i & ~3u) & 15 || b.unset >> i % 4 * 8 & 255)
			join(&m, 1u << i, a.unset ? a.origin : b.origin);
	return m;
}

/* What lanes get from each other: the operation itself says it of rows that are all ones where they are unset. */
static struct mask exchanged(struct exec_warp *w, const struct exec_op *o, struct mask a, uint32_t lanes)
{
	uint32_t from = EXEC_NOWHERE * EXEC_LANES, to = from + EXEC_LANES, *v = w->base[0] + from;
	struct exec_op x = *o;
	struct mask m = { 0, a.origin };

	if (!a.unset)
		return a;
	spread(a.unset, v);
	x.a = from;
	x.d = to;
	x.pd = EXEC_PT;
	x.run(w, &x, lanes);
	FOR_LANES(lanes)
		m.unset |= (uint32_t)(v[EXEC_LANES + i] != 0) << i;
	return m;
}

static struct mask selected(const struct exec_warp *w, const struct exec_op *o, struct effect e)
{
	struct mask a = of_rows(w, o->a, e.a), b = of_rows(w, o->b, e.b), m = of_predicate(w, o->ps);
	uint32_t p = predicate(w, o->ps);

	join(&m, a.unset & p, a.origin);
	join(&m, b.unset & ~p, b.origin);
	return m;
}

/* Only if there are registers, and all are unset. */
static struct mask all_of(const struct exec_warp *w, const struct exec_op *o, struct effect e)
{
	const uint32_t rows[3] = { o->a, o->b, o->c };
	const uint8_t n[3] = { e.a, e.b, e.c };
	struct mask m = { 0, 0 };
	bool any = false;

	for (int k = 0; k < 3; k++) {
		struct mask x;

		if (!n[k] || rows[k] & EXEC_CONSTANT)
			continue;
		x = of_rows(w, rows[k], n[k]);
		m.origin = x.unset && !m.origin ? x.origin : m.origin;
		m.unset = any ? m.unset & x.unset : x.unset;
		any = true;
	}
	return m;
}

/* PRMT puts together bytes of a and c: its result is unset if all of those are. */
static struct mask chosen(const struct exec_warp *w, const struct exec_op *o, uint32_t lanes)
{
	struct mask a = of_rows(w, o->a, 1), c = of_rows(w, o->c, 1), m = of_rows(w, o->b, 1);
	const uint32_t *b = row(w, o->b);

	if (!(a.unset | c.unset))
		return m;
	FOR_LANES(lanes) {
		uint32_t from_c = b[i] & 0x4444; /* with .F4E and the like numbers are of other bytes */
		bool only_a = !from_c && !o->x, only_c = from_c == 0x4444 && !o->x;

		join(&m, (only_a ? a.unset : only_c ? c.unset : a.unset & c.unset) & UINT32_C(1) << i,
		     only_c ? c.origin : a.origin);
	}
	return m;
}

/* Conditions of comparisons: one that AND or OR has decided is set. */
static void compared(struct exec_warp *w, const struct exec_op *o, struct mask m, uint32_t lanes)
{
	struct mask ps = of_predicate(w, o->ps);
	uint32_t p = predicate(w, o->ps), decided = (o->y == 0 ? ~p : o->y == 1 ? p : 0) & ~ps.unset;

	join(&m, ps.unset, ps.origin);
	m.unset &= ~decided;
	set_condition(w, o->pd, m, lanes);
	set_condition(w, o->pd2, m, lanes);
}

static uint32_t table(uint8_t t, uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t v = 0;

	for (unsigned k = 0; k < 8; k++)
		v |= t >> k & 1 ? (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z) : 0;
	return v;
}

/* A result is unset where other values of the unset ones would change it. */
static void logical(struct exec_warp *w, const struct exec_op *o, uint32_t lanes)
{
	const uint8_t ps[3] = { o->ps, o->ps2, o->ps3 };
	struct mask m[2] = { { 0, 0 }, { 0, 0 } };
	uint32_t v[3], u[3], origin = 0;

	for (int k = 0; k < 3; k++) {
		v[k] = predicate(w, ps[k]);
		u[k] = of_predicate(w, ps[k]).unset;
		origin = u[k] ? of_predicate(w, ps[k]).origin : origin;
	}
	for (unsigned k = 1; k < 8; k++) {
		uint32_t x = v[0] ^ (k & 4 ? u[0] : 0), y = v[1] ^ (k & 2 ? u[1] : 0), z = v[2] ^ (k & 1 ? u[2] : 0);

		join(&m[0], table(o->x, x, y, z) ^ table(o->x, v[0], v[1], v[2]), origin);
		join(&m[1], table(o->y, x, y, z) ^ table(o->y, v[0], v[1], v[2]), origin);
	}
	set_condition(w, o->pd, m[0], lanes);
	set_condition(w, o->pd2, m[1], lanes);
}

/* Whatever a lane brings decides for all. */
static struct mask for_all(struct mask m, uint32_t lanes)
{
	m.unset = m.unset & lanes ? EXEC_ALL : 0;
	return m;
}

static struct mask sources(struct exec_warp *w, const struct exec_op *o, struct effect e, uint32_t lanes)
{
	const uint8_t ps[3] = { o->ps, o->ps2, o->ps3 };
	struct mask m, b, c;

	switch (e.rule) {
	case ALL_OF: return all_of(w, o, e);
	case CHOSEN: return chosen(w, o, lanes);
	case SELECTED: return selected(w, o, e);
	case SET: return (struct mask){ 0, 0 };
	default: break;
	}
	m = of_rows(w, o->a, e.a);
	if (o->operation == EXEC_OP_shfl || o->operation == EXEC_OP_movm)
		return exchanged(w, o, m, lanes);
	b = of_rows(w, o->b, e.b);
	c = of_rows(w, o->c, e.c);
	join(&m, b.unset, b.origin);
	join(&m, c.unset, c.origin);
	for (int k = 0; k < 3; k++)
		join(&m, of_predicate(w, ps[k]).unset, of_predicate(w, ps[k]).origin);
	return m;
}

static void plain(struct exec_warp *w, const struct exec_op *o, uint32_t lanes)
{
	struct effect e = effect_of(o);
	struct mask m;

	switch (o->operation) {
	case EXEC_OP_plop3: logical(w, o, lanes); return;
	case EXEC_OP_r2p:
		for (uint8_t k = 0; k < EXEC_PT; k++)
			if (o->imm >> k & 1)
				set_condition(w, k, of_rows(w, o->a, 1), lanes);
		return;
	case EXEC_OP_isetp: case EXEC_OP_isetp_ex: case EXEC_OP_isetp64: case EXEC_OP_fsetp: case EXEC_OP_dsetp:
	case EXEC_OP_hsetp2:
		m = of_rows(w, o->a, e.a);
		join(&m, of_rows(w, o->b, e.b).unset, of_rows(w, o->b, e.b).origin);
		compared(w, o, m, lanes);
		return;
	case EXEC_OP_hmma: case EXEC_OP_imma: case EXEC_OP_bmma: case EXEC_OP_dmma: m = of_matrices(w, o, e); break;
	case EXEC_OP_vote: m = for_all(sources(w, o, e, lanes), lanes); break;
	case EXEC_OP_voteu: case EXEC_OP_match: case EXEC_OP_redux: case EXEC_OP_r2ur:
		m = for_all(sources(w, o, e, lanes), o->operation == EXEC_OP_r2ur ? lanes & -lanes : lanes);
		lanes = o->operation == EXEC_OP_match ? lanes : EXEC_ALL;
		break;
	case EXEC_OP_s2ur: lanes = EXEC_ALL; /* fall through */
	default: m = sources(w, o, e, lanes); break;
	}
	set_rows(w, o->d, e.d, m, lanes);
	set_condition(w, o->pd, m, lanes);
	set_condition(w, o->pd2, m, lanes);
}

/* Registers of an address, and the value of an atomic operation. */
static void uses(struct exec_warp *w, uint32_t pc, const struct exec_op *o, uint32_t lanes)
{
	hd__check_use(w, pc, o->a, o->flags & EXEC_WIDE_BASE ? 2 : 1, lanes, "a part of an address");
	hd__check_use(w, pc, o->b, o->flags & EXEC_WIDE_ADDED ? 2 : 1, lanes, "a part of an address");
	if (o->operation == EXEC_OP_ldgsts)
		hd__check_use(w, pc, o->c, 1, lanes, "an address");
}

void hd__check_registers(struct exec_warp *w, uint32_t pc, const struct exec_op *o, uint32_t active, uint32_t lanes)
{
	if (o->guard != EXEC_PT)
		use_condition(w, pc, o->guard, active);
	if (!lanes)
		return;
	switch (o->flow) {
	case EXEC_PLAIN:
		if (o->access || o->operation == EXEC_OP_ldc || o->operation == EXEC_OP_uldc)
			uses(w, pc, o, lanes);
		plain(w, o, o->uniform ? EXEC_ALL : lanes);
		break;
	case EXEC_BRANCH: case EXEC_EXIT: use_condition(w, pc, o->ps, lanes); break;
	case EXEC_INDIRECT: case EXEC_JUMP_ABS: hd__check_use(w, pc, o->a, 2, lanes, "where to go on"); break;
	case EXEC_CALL_ABS: /* results of what the machine does */
		if (!o->y)
			hd__check_use(w, pc, o->a, 2, lanes, "where to go on");
		set_rows(w, 4 * EXEC_LANES, 2, (struct mask){ 0, 0 }, lanes);
		break;
	default: break;
	}
}
