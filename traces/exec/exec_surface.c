/* exec_surface.c - operations: textures that are read, surfaces that are read and written
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The level of detail, differences of coordinates and the like are not looked at: there is one level.
 */
#include "exec_ops.h"

/* Row k of the list of sources, which begins in a and goes on in b. */
static const uint32_t *item(const struct exec_warp *w, const struct exec_op *o, unsigned k)
{
	return k < o->size ? row(w, o->a) + k * EXEC_LANES : row(w, o->b) + (k - o->size) * EXEC_LANES;
}

static struct exec_point point(const struct exec_warp *w, const struct exec_op *o, unsigned i)
{
	static const uint8_t coordinates[8] = { 1, 2, 3, 3, 1, 2, 0, 3 };
	struct exec_point p = { .layer = o->bm == EXEC_NO_ITEM ? 0 : item(w, o, o->bm)[i] & 0xffff };

	for (unsigned k = 0; k < coordinates[o->x]; k++)
		p.at[k] = item(w, o, o->am + k)[i];
	if (o->imm != EXEC_NO_ITEM) {
		unsigned bits = o->flags & EXEC_PAIR ? 8 : 4;
		uint32_t v = item(w, o, (unsigned)o->imm)[i] >> (o->flags & EXEC_HIGH ? 16 : 0);

		for (unsigned k = 0; k < coordinates[o->x]; k++)
			p.offset[k] = (int32_t)(v << (32 - bits * (k + 1))) >> (32 - bits);
	}
	return p;
}

/* Registers get those channels that the mask names, two in the first, the others in the second destination. */
static void put_channels(struct exec_warp *w, const struct exec_op *o, uint32_t lanes, uint32_t v[EXEC_LANES][4])
{
	unsigned n = 0;

	for (unsigned k = 0; k < 4; k++) {
		uint32_t *d;

		if (!(o->y >> k & 1))
			continue;
		d = w->base[0] + (n < 2 ? o->d + n * EXEC_LANES : o->more + (n - 2) * EXEC_LANES);
		FOR_LANES(lanes)
			d[i] = v[i][k];
		n++;
	}
	set_predicate(w, o->pd, 0, lanes); /* all of it is there */
}

typedef void read_texture(const struct exec_op *o, const struct hd_exec_texture *t, struct exec_point *p,
                          uint32_t v[4]);

static void each_lane(struct exec_warp *w, const struct exec_op *o, uint32_t lanes, read_texture *reads)
{
	const uint32_t *handle = row(w, o->c);
	const struct hd_exec_texture *t = NULL;
	uint32_t v[EXEC_LANES][4], of = 0;

	FOR_LANES(lanes) {
		struct exec_point p = point(w, o, i);

		if (!t || handle[i] != of)
			t = hd__exec_texture(w, exec_pc(w, o), handle[i], i);
		if (!t)
			return;
		of = handle[i];
		reads(o, t, &p, v[i]);
	}
	put_channels(w, o, lanes, v);
}

static bool of_cube(const struct exec_op *o)
{
	return (o->x & 3) == 3;
}

static void sample(const struct exec_op *o, const struct hd_exec_texture *t, struct exec_point *p, uint32_t v[4])
{
	if (of_cube(o))
		hd__exec_cube(p);
	hd__exec_sample(t, p, v);
}

static void fetch(const struct exec_op *o, const struct hd_exec_texture *t, struct exec_point *p, uint32_t v[4])
{
	(void)o;
	hd__exec_element(t, p, v);
}

static void gather(const struct exec_op *o, const struct hd_exec_texture *t, struct exec_point *p, uint32_t v[4])
{
	if (of_cube(o))
		hd__exec_cube(p);
	hd__exec_gather(t, p, o->cm, v);
}

static void query(const struct exec_op *o, const struct hd_exec_texture *t, struct exec_point *p, uint32_t v[4])
{
	unsigned n = 0;

	(void)o;
	(void)p;
	for (unsigned k = 0; k < 3 && t->size[k]; k++)
		v[n++] = t->size[k];
	if (t->layers)
		v[n++] = t->cube ? t->layers / 6 : t->layers;
	while (n < 4)
		v[n++] = 1;
}

OPERATION(tex)
{
	each_lane(w, o, lanes, sample);
}

OPERATION(tld)
{
	each_lane(w, o, lanes, fetch);
}

OPERATION(tld4)
{
	each_lane(w, o, lanes, gather);
}

OPERATION(txq)
{
	each_lane(w, o, lanes, query);
}

/* ---- surfaces ---- */

OPERATION(suld)
{
	const uint32_t *a = row(w, o->a), *handle = row(w, o->c);
	unsigned words = o->size <= 4 ? 1 : o->size / 4u;
	uint32_t v[4][EXEC_LANES], *d = w->base[0] + o->d;

	FOR_LANES(lanes) {
		const unsigned char *p = hd__exec_surface(w, o, a + i, handle[i], i);
		uint32_t bits = o->size * 8u;

		if (w->run->failed)
			return;
		for (unsigned k = 0; k < words; k++) {
			v[k][i] = 0;
			if (p)
				memcpy(&v[k][i], p + 4 * k, o->size < 4 ? o->size : 4);
		}
		if (o->flags & EXEC_SIGNED)
			v[0][i] = (uint32_t)((int32_t)(v[0][i] << (32 - bits)) >> (32 - bits));
	}
	for (unsigned k = 0; k < words; k++)
		FOR_LANES(lanes)
			d[k * EXEC_LANES + i] = v[k][i];
	set_predicate(w, o->pd, 0, lanes);
}

OPERATION(sust)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b), *handle = row(w, o->c);

	FOR_LANES(lanes) {
		unsigned char *p = hd__exec_surface(w, o, a + i, handle[i], i);

		if (w->run->failed)
			return;
		for (unsigned k = 0; p && 4 * k < o->size; k++)
			memcpy(p + 4 * k, &b[k * EXEC_LANES + i], o->size < 4 ? o->size : 4);
	}
}
