/* exec_ops.h - the operations, and what their functions have in common
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The files of operations are compiled twice: for any CPU, and with EXEC_WIDE for one that has AVX2 and FMA.
 */
#ifndef TRACES_EXEC_EXEC_OPS_H
#define TRACES_EXEC_EXEC_OPS_H

#include "exec_machine.h"

#define EXEC_OPERATIONS(X)                                                                                           \
	/* exec_int.c */                                                                                             \
	X(mov)                                                                                                       \
	X(mov64) X(sel) X(sel64) X(iadd3) X(iadd3_carry) X(lea) X(lea_high) X(lop3) X(lop3_predicate) X(iabs)        \
		X(vabsdiff) X(vabsdiff4) X(prmt) X(imnmx) X(imnmx64) X(vimnmx16) X(viaddmnmx) X(shl) X(shr) X(shf)   \
			X(sgxt) X(bmsk) X(imad) X(imad_x) X(imad_wide) X(imad_wide_carry) X(imad_high) X(idp)        \
				X(iadd64) X(i2i) X(i2ip) X(flo) X(brev) X(popc) X(vimnmx3)                           \
		X(vimnmx3_16) X(viaddmnmx16) /* exec_predicate.c */                                                  \
		X(isetp) X(isetp_ex) X(isetp64) X(fsetp) X(fset) X(dsetp) X(p2r) X(r2p) X(plop3) X(vote)             \
			X(voteu) /* exec_float.c */                                                                  \
		X(fadd) X(fmul) X(ffma) X(ffma_plain) X(fsel) X(fmnmx) X(fswzadd) X(fchk) X(mufu) X(dadd) X(dmul)    \
			X(dfma) /* exec_half.c */                                                                    \
		X(hadd2) X(hmul2) X(hfma2) X(hmnmx2) X(hset2) X(hsetp2) X(f2fp) /* exec_convert.c */                 \
		X(f2f) X(f2i) X(i2f) X(frnd) X(f2ip) /* exec_lanes.c */                                              \
		X(s2r) X(cs2r) X(s2ur) X(r2ur) X(shfl) X(match) X(redux) X(b2r) X(bmov_get) X(bmov_set) X(lepc)      \
			X(movm) /* exec_access.c */                                                                  \
		X(ldc) X(uldc) X(load) X(store) X(load_shared) X(store_shared) X(load_local) X(store_local) X(ldsm)  \
			X(ldgsts) X(qspc) /* exec_atomics.c */                                                       \
		X(atom) X(atom_shared) X(cas_predicate) X(sured) /* exec_surface.c */                                \
		X(tex) X(tld) X(tld4) X(txq) X(suld) X(sust) /* exec_matrix.c */                                     \
		X(hmma) X(imma) X(bmma) X(dmma) /* exec_async.c */                                                   \
		X(syncs_exch) X(syncs_arrive) X(syncs_invalidate) X(arrives) X(elect) X(usetmaxreg) X(stsm)          \
			X(ublkcp) X(ublkred) X(stas) X(ublkpf) X(tensor_copy) X(tensor_map) X(gmma)

enum exec_operation {
#define X(n) EXEC_OP_##n,
	EXEC_OPERATIONS(X)
#undef X
	EXEC_OP_COUNT
};

#ifdef EXEC_WIDE
#define EXEC_NAME(n) hd__exec_##n##_avx2
#else
#define EXEC_NAME(n) hd__exec_##n
#endif
#define OPERATION(n) void EXEC_NAME(op_##n)(struct exec_warp *w, const struct exec_op *o, uint32_t lanes)

#define X(n) OPERATION(n);
EXEC_OPERATIONS(X)
#undef X

/* By enum exec_operation. */
extern exec_function *const hd__exec_functions[];
extern exec_function *const hd__exec_functions_avx2[];

/* ---- rows ---- */

/* A loop over all lanes, whose passes do not depend on each other: rows are the same or apart. */
#ifdef __clang__
#define EACH_LANE _Pragma("clang loop vectorize(enable)") for (unsigned i = 0; i < EXEC_LANES; i++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (unsigned i = 0; i < EXEC_LANES; i++)
#endif
/* A loop over the lanes of a mask. */
#define FOR_LANES(mask)                                                                                              \
	for (uint32_t left_ = (mask), i; left_ && (i = (uint32_t)__builtin_ctz(left_), true); left_ &= left_ - 1)

static inline uint32_t *row(const struct exec_warp *w, uint32_t at)
{
	return w->base[at >> 31] + (at & ~EXEC_CONSTANT);
}

/* All bits of the lanes of a mask set. */
static inline const uint32_t *lanes_on(struct exec_warp *w, uint32_t lanes)
{
	if (w->on_of != lanes) {
		w->on_of = lanes;
		for (unsigned i = 0; i < EXEC_LANES; i++)
			w->on[i] = 0 - (lanes >> i & 1);
	}
	return w->on;
}

/* As lanes_on(), into a row of the caller's. */
static inline void spread(uint32_t lanes, uint32_t on[EXEC_LANES])
{
	for (unsigned i = 0; i < EXEC_LANES; i++)
		on[i] = 0 - (lanes >> i & 1);
}

/* The lanes whose word has its lowest bit set. */
static inline uint32_t gather_bits(const uint32_t v[EXEC_LANES])
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		bits |= (v[i] & 1) << i;
	return bits;
}

/* Where an operation writes n rows: the destination, or, if not all lanes execute it, rows from which finish() takes
 * theirs. */
static inline uint32_t *result(struct exec_warp *w, const struct exec_op *o, uint32_t lanes)
{
	return lanes == EXEC_ALL ? w->base[0] + o->d : w->scratch;
}

static inline void finish(struct exec_warp *w, const struct exec_op *o, uint32_t lanes, unsigned n)
{
	const uint32_t *on;
	uint32_t *d;

	if (lanes == EXEC_ALL)
		return;
	on = lanes_on(w, lanes);
	d = w->base[0] + o->d;
	for (unsigned k = 0; k < n; k++)
		for (unsigned i = 0; i < EXEC_LANES; i++) {
			uint32_t *at = &d[k * EXEC_LANES + i];

			*at = (w->scratch[k * EXEC_LANES + i] & on[i]) | (*at & ~on[i]);
		}
}

static inline void fill_row(uint32_t *d, uint32_t v)
{
	for (unsigned i = 0; i < EXEC_LANES; i++)
		d[i] = v;
}

/* The pair of registers of a lane. */
static inline uint64_t pair(const uint32_t *v, unsigned i)
{
	return v[i] | (uint64_t)v[i + EXEC_LANES] << 32;
}

static inline void put_pair(uint32_t *d, unsigned i, uint64_t v)
{
	d[i] = (uint32_t)v;
	d[i + EXEC_LANES] = (uint32_t)(v >> 32);
}

/* ---- predicates ---- */

static inline uint32_t predicate(const struct exec_warp *w, uint8_t p)
{
	return w->p[p & 15] ^ (p & EXEC_NOT ? EXEC_ALL : 0);
}

static inline void set_predicate(struct exec_warp *w, uint8_t p, uint32_t v, uint32_t lanes)
{
	if ((p & 7) != EXEC_PT)
		w->p[p] = (w->p[p] & ~lanes) | (v & lanes);
}

/* AND, OR, XOR of a comparison and a predicate. */
static inline uint32_t combine(uint8_t how, uint32_t a, uint32_t b)
{
	return how == 0 ? a & b : how == 1 ? a | b : a ^ b;
}

/* ---- numbers ---- */

static inline float to_float(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof f);
	return f;
}

static inline uint32_t from_float(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof v);
	return v;
}

static inline double to_double(uint64_t v)
{
	double f;

	memcpy(&f, &v, sizeof f);
	return f;
}

static inline uint64_t from_double(double f)
{
	uint64_t v;

	memcpy(&v, &f, sizeof v);
	return v;
}

#define NAN32 UINT32_C(0x7fffffff)

/* Absolute value, then sign. */
static inline uint32_t modified(uint32_t v, uint8_t modifiers)
{
	v &= modifiers & EXEC_ABSOLUTE ? ~(UINT32_C(1) << 31) : EXEC_ALL;
	return v ^ (uint32_t)(modifiers & EXEC_NEGATED) << 31;
}

static inline uint64_t modified64(uint64_t v, uint8_t modifiers)
{
	v &= modifiers & EXEC_ABSOLUTE ? ~(UINT64_C(1) << 63) : UINT64_MAX;
	return v ^ (uint64_t)(modifiers & EXEC_NEGATED) << 63;
}

/* Subnormal numbers become 0. */
static inline uint32_t flushed(uint32_t v)
{
	return v & UINT32_C(0x7f800000) ? v : v & UINT32_C(0x80000000);
}

/* Minus v if `minus` is all ones. */
static inline uint32_t negated(uint32_t v, uint32_t minus)
{
	return (v ^ minus) - minus;
}

/* A comparison of floating point numbers, 0 to 15, as instructions number them: less, equal, greater, neither. */
static inline bool compare(uint8_t how, double a, double b)
{
	unsigned is = a < b ? 1 : a == b ? 2 : a > b ? 4 : 8;

	return how & is;
}

/* ---- halves (exec_half.c) ---- */

double EXEC_NAME(half)(uint16_t v);
double EXEC_NAME(bf16)(uint16_t v);
/* To nearest, ties to even. */
uint16_t EXEC_NAME(to_half)(double v);
uint16_t EXEC_NAME(to_bf16)(double v);
/* To nearest, down, up, towards 0. */
uint16_t EXEC_NAME(to_16)(double v, unsigned how, bool bf16);

/* ---- products of matrices (exec_sums.c) ---- */

enum exec_factor { EXEC_HALVES, EXEC_BFLOATS, EXEC_TF32 };

struct exec_product {
	enum exec_factor type;
	unsigned k;            /* columns of A, rows of B */
	unsigned once;         /* products that are added before the sum is rounded */
	int32_t fraction;      /* bits of fraction that are kept */
	bool halves;           /* C and D are */
	const uint32_t *a, *b, *c; /* registers */
};

/* D = A * B + C of 16 rows and 8 columns, as HMMA has them in registers. */
void EXEC_NAME(float_product)(const struct exec_product *p, uint32_t *d);
/* Returns false with *d as it was if a number is infinite or none, or the range is too large. */
bool hd__exec_sums_avx2(const struct exec_product *p, uint32_t *d);

/* ---- reductions (exec_atomics.c): functions and types as instructions number them ---- */

/* Is there such a one? */
bool EXEC_NAME(reduces)(unsigned how, unsigned type);
/* Of so many bytes, element by element. */
void EXEC_NAME(reduce)(unsigned how, unsigned type, unsigned char *to, const unsigned char *from, uint32_t bytes);

/* ---- others ---- */

/* Addresses of an access to global or generic memory, into w->address. */
static inline void generic_addresses(struct exec_warp *w, const struct exec_op *o)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint64_t added = (uint64_t)(int64_t)o->imm + b[0], *to = w->address;

	if (o->flags & EXEC_WIDE_ADDED)
		added += (uint64_t)b[EXEC_LANES] << 32;
	if (o->flags & EXEC_WIDE_BASE)
		EACH_LANE
			to[i] = pair(a, i) + added;
	else
		EACH_LANE
			to[i] = a[i] + added;
}

/* Of shared or local memory, 32 bits; scale: of the base, 0 to 3 for 1, 4, 8, 16. */
static inline void window_addresses(struct exec_warp *w, const struct exec_op *o, unsigned scale)
{
	const uint32_t *a = row(w, o->a);
	uint32_t added = (uint32_t)o->imm + row(w, o->b)[0], shift = scale ? scale + 1 : 0;
	uint64_t *to = w->address;

	EACH_LANE
		to[i] = (uint32_t)((a[i] << shift) + added);
}

/* Is the address neither in a window of shared memory of the block's cluster nor in that of local memory? */
static inline bool is_global(const struct exec_warp *w, uint64_t address)
{
	return (address - HD_EXEC_SHARED) / EXEC_WINDOW >= w->block->cluster->n
	       && address / EXEC_WINDOW != HD_EXEC_LOCAL / EXEC_WINDOW;
}

/* Is the address of a lane a multiple of the size, up to 16?  Else after a fault. */
static inline bool is_aligned(struct exec_warp *w, const struct exec_op *o, uint64_t address, uint32_t bytes,
                              unsigned lane)
{
	return !(address & (bytes - 1) & 15) || hd__exec_misaligned(w, exec_pc(w, o), address, bytes, lane);
}

/* In the block's own shared memory; NULL after a fault. */
static inline unsigned char *shared_at(struct exec_warp *w, const struct exec_op *o, uint64_t address, uint32_t bytes,
                                       unsigned lane)
{
	uint64_t at = address - w->block->window;

	if (!is_aligned(w, o, address, bytes, lane))
		return NULL;
	if (bytes <= w->run->shared && at <= w->run->shared - bytes)
		return w->block->shared + at;
	hd__exec_outside(w, exec_pc(w, o), address, bytes, lane);
	return NULL;
}

/* Is it in the arena? */
static inline bool in_arena(const struct exec_warp *w, uint64_t address, uint32_t bytes)
{
	return address >= EXEC_ARENA + EXEC_PIECE && address <= w->run->x->top && bytes <= w->run->x->top - address;
}

#endif
