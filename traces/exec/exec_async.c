/* exec_async.c - operations of Hopper: barriers in shared memory, bulk copies, products of warpgroups
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What units beside the warps do is done when the instruction is executed, which a GPU may do as well: copies and
 * products are complete at once.  So a wait for a product is none, and one for a copy is that for its barrier.
 *
 * A barrier is a word of 64 bits in shared memory, as code initialises it: bits 1 to 20 have 2^20 less the arrivals
 * of a phase, 43 to 62 the same of those that are pending, 21 to 42 bytes that are expected and have not come, bit 63
 * is the parity.
 */
#include "exec_ops.h"

#define COUNT ((UINT64_C(1) << 20) - 1) /* bits of a number of arrivals */
#define EXPECTED 1u
#define BYTES 21u
#define PENDING 43u
#define BYTES_BITS 22u
#define PARITY 63u

/* ---- barriers in shared memory ---- */

static void fail(struct exec_warp *w, const struct exec_op *o, unsigned lane, uint64_t address, const char *what)
{
	hd__exec_fail(w, exec_pc(w, o), UINT32_C(1) << lane, HD_EXEC_ADDRESS, address,
		      "%s, at 0x%llx of shared memory", what, (unsigned long long)address);
}

/* NULL after a fault.  of: its block, which may be another one of the cluster; NULL: it has to be the own one. */
static unsigned char *barrier_at(struct exec_warp *w, const struct exec_op *o, uint64_t address, unsigned lane,
				 struct exec_block **of)
{
	if (address % 8 == 0)
		return of ? hd__exec_remote(w, exec_pc(w, o), address, 8, lane, of) : shared_at(w, o, address, 8, lane);
	fail(w, o, lane, address, "a barrier whose address is not a multiple of 8");
	return NULL;
}

static uint64_t count_at(uint64_t v, unsigned bit)
{
	return (0 - (v >> bit)) & COUNT;
}

static uint64_t with_count(uint64_t v, unsigned bit, uint64_t n)
{
	return (v & ~(COUNT << bit)) | ((0 - n) & COUNT) << bit;
}

/* Arrivals, and bytes that are expected or, negative, have come.  Returns false after a fault. */
static bool arrive(struct exec_warp *w, const struct exec_op *o, uint64_t address, unsigned lane, uint64_t arrivals,
                   int64_t bytes, bool drops, uint64_t *before)
{
	struct exec_block *of;
	unsigned char *p = barrier_at(w, o, address, lane, &of);
	uint64_t v, pending, mask = (UINT64_C(1) << BYTES_BITS) - 1, left;

	if (!p)
		return false;
	memcpy(&v, p, sizeof v);
	*before = v;
	pending = count_at(v, PENDING);
	if (count_at(v, EXPECTED) == 0) {
		fail(w, o, lane, address, "no barrier, or one that was not initialised");
		return false;
	}
	if (arrivals > pending) {
		fail(w, o, lane, address, "more arrivals than the phase of the barrier expects");
		return false;
	}
	left = ((v >> BYTES) + (uint64_t)bytes) & mask;
	v = (v & ~(mask << BYTES)) | left << BYTES;
	if (drops)
		v = with_count(v, EXPECTED, count_at(v, EXPECTED) - 1);
	v = with_count(v, PENDING, pending - arrivals);
	if (pending == arrivals && left == 0)
		v = with_count(v ^ UINT64_C(1) << PARITY, PENDING, count_at(v, EXPECTED));
	memcpy(p, &v, sizeof v);
	of->changed = true;
	return true;
}

/* So many bytes have come. */
static bool complete(struct exec_warp *w, const struct exec_op *o, uint64_t barrier, unsigned lane, uint32_t bytes)
{
	uint64_t before;

	return arrive(w, o, barrier, lane, 0, -(int64_t)bytes, false, &before);
}

/* Of 0 arrivals or too many, as code makes the word, something is left in the bytes. */
static bool is_initial(uint64_t v)
{
	return count_at(v, EXPECTED) && count_at(v, EXPECTED) == count_at(v, PENDING)
	       && !(v >> BYTES & ((UINT64_C(1) << BYTES_BITS) - 1));
}

OPERATION(syncs_exch)
{
	const uint32_t *c = row(w, o->c);
	uint32_t *d = w->base[0] + o->d;

	window_addresses(w, o, 0);
	FOR_LANES(lanes) {
		unsigned char *p = barrier_at(w, o, w->address[i], i, NULL);
		uint64_t v;

		if (!p)
			return;
		memcpy(&v, p, sizeof v);
		w->value[i] = pair(c, i);
		if (!is_initial(w->value[i])) {
			fail(w, o, i, w->address[i], "a barrier that is initialised with arrivals of which no phase "
			     "can have so many; expected 1 to 1048575");
			return;
		}
		memcpy(p, &w->value[i], sizeof v);
		fill_row(d, (uint32_t)v);
		fill_row(d + EXEC_LANES, (uint32_t)(v >> 32));
	}
	w->block->changed = true;
}

OPERATION(syncs_arrive)
{
	enum { A1TR, A1T0, A0T1, A0TR, A0TX, ART0 };
	const uint32_t *c = row(w, o->c);
	uint32_t *d = w->base[0] + o->d;

	window_addresses(w, o, 0);
	FOR_LANES(lanes) {
		uint32_t n = c[i];
		int64_t bytes = o->x == A1TR || o->x == A0TR ? n : o->x == A0T1 ? 1 : o->x == A0TX ? -(int64_t)n : 0;
		uint64_t arrivals = o->x <= A1T0 ? 1 : o->x == ART0 ? n : 0, before;

		w->value[i] = n;
		if (!arrive(w, o, w->address[i], i, arrivals, bytes, o->y & 2, &before))
			return;
		if (!(o->y & 1))
			put_pair(d, i, before);
	}
}

OPERATION(syncs_invalidate)
{
	(void)lanes;
	window_addresses(w, o, 0);
}

/* The asynchronous copies of the lane are done: it arrives, or what was expected of it has come. */
OPERATION(arrives)
{
	uint64_t before;

	window_addresses(w, o, 0);
	FOR_LANES(lanes)
		if (!arrive(w, o, w->address[i], i, o->x, o->x ? 0 : -1, false, &before))
			return;
}

#ifndef EXEC_WIDE
enum exec_phase hd__exec_phase(struct exec_warp *w, const struct exec_op *o, uint32_t lanes)
{
	const uint32_t *c = row(w, o->c);
	struct exec_group *g = &w->group[w->current];
	bool gives_up = g->gives_up;
	uint32_t over = 0;

	g->gives_up = false;
	window_addresses(w, o, 0);
	FOR_LANES(lanes) {
		unsigned char *p = barrier_at(w, o, w->address[i], i, NULL);
		uint64_t v;

		if (!p)
			return EXEC_PHASE_FAULT;
		memcpy(&v, p, sizeof v);
		if (count_at(v, EXPECTED) == 0) {
			fail(w, o, i, w->address[i], "no barrier, or one that was not initialised");
			return EXEC_PHASE_FAULT;
		}
		w->value[i] = c[i];
		over |= (uint32_t)(v >> PARITY != c[i] >> 31) << i;
	}
	if (o->y && over != lanes) {
		g->need = (uint32_t)w->address[__builtin_ctz(lanes & ~over)];
		if (!gives_up)
			return EXEC_PHASE_WAITS;
		FOR_LANES(lanes)
			w->value[i] |= UINT64_C(1) << 32; /* which traces have of one that fails */
	}
	set_predicate(w, o->pd, over, lanes);
	w->polled |= over != lanes; /* a loop around it waits for others */
	return EXEC_PHASE_KNOWN;
}

const char *hd__exec_why_it_waits(const struct exec_warp *w, uint32_t address, char words[EXEC_WHY])
{
	uint64_t v, at = address - w->block->window, bytes;
	int64_t left;

	if (at + sizeof v > w->run->shared)
		return "";
	memcpy(&v, w->block->shared + at, sizeof v);
	bytes = v >> BYTES & ((UINT64_C(1) << BYTES_BITS) - 1);
	left = (int64_t)(bytes ^ UINT64_C(1) << (BYTES_BITS - 1)) - (INT64_C(1) << (BYTES_BITS - 1));
	if (count_at(v, EXPECTED) == 0)
		return ", which was not initialised";
	snprintf(words, EXEC_WHY, ", whose phase lacks %llu of %llu arrivals and %lld bytes",
		 (unsigned long long)count_at(v, PENDING), (unsigned long long)count_at(v, EXPECTED), (long long)left);
	return words;
}
#endif

/* ---- one lane; registers ---- */

OPERATION(elect)
{
	uint32_t among = lanes & predicate(w, o->ps), first = among & -among;

	set_predicate(w, o->pd, first, lanes);
	if (first)
		fill_row(w->base[0] + o->d, (uint32_t)__builtin_ctz(first));
}

/* Registers are there for every warp. */
OPERATION(usetmaxreg)
{
	(void)lanes;
	set_predicate(w, o->pd, EXEC_ALL, EXEC_ALL);
}

/* Rows of matrices of 8 by 8 halves, whose addresses 8 lanes have: the reverse of LDSM. */
OPERATION(stsm)
{
	const uint32_t *c = row(w, o->c);
	unsigned n = 1u << o->x;

	(void)lanes;
	window_addresses(w, o, 0);
	for (unsigned k = 0; k < n; k++) {
		uint16_t m[8][8];

		for (unsigned i = 0; i < EXEC_LANES; i++) {
			uint32_t v = c[i + k * EXEC_LANES];
			unsigned r = i / 4, at = i % 4 * 2;

			m[o->y ? at : r][o->y ? r : at] = (uint16_t)v;
			m[o->y ? at + 1 : r][o->y ? r : at + 1] = (uint16_t)(v >> 16);
		}
		for (unsigned r = 0; r < 8; r++) {
			unsigned char *p = shared_at(w, o, w->address[8 * k + r], 16, 8 * k + r);

			if (!p)
				return;
			memcpy(p, m[r], 16);
		}
	}
}

/* ---- bulk copies: of one lane, whatever the mask ---- */

static void all_at(struct exec_warp *w, uint64_t address)
{
	for (unsigned i = 0; i < EXEC_LANES; i++)
		w->address[i] = address;
}

/* What a copy of so many neighbouring bytes moves, in pieces that a line of a trace can have. */
static void neighbours(struct exec_warp *w, uint64_t address, uint32_t bytes, uint64_t barrier)
{
	uint32_t piece = bytes;

	while (piece > EXEC_PIECE_OF_COPY)
		piece = bytes & -bytes && (bytes & -bytes) < EXEC_PIECE_OF_COPY ? bytes & -bytes : EXEC_PIECE_OF_COPY;
	w->bulk = (struct exec_bulk){ .all = bytes, .bytes = piece, .dimensions = piece < bytes,
		                      .count = { piece ? bytes / piece : 0 }, .stride = { piece } };
	w->value[0] = barrier;
	all_at(w, address);
}

/* The bytes that a command moves, 16 at a time, and the blocks that get them. */
static uint32_t bytes_of(const struct exec_warp *w, const struct exec_op *o)
{
	return (row(w, o->c)[0] & 0xffff) * 16;
}

/* The address that goes with this one in another block of the cluster. */
static uint32_t at_rank(uint32_t address, unsigned rank)
{
	return rank * EXEC_WINDOW + address % EXEC_WINDOW;
}

enum { TO_SHARED = 1, TO_GLOBAL, TO_BLOCK };

/* From global memory, to shared memory of one block, or of all in the mask, each of which has a barrier. */
static bool copy_in(struct exec_warp *w, const struct exec_op *o, unsigned lane)
{
	const uint32_t *b = row(w, o->b);
	uint32_t bytes = bytes_of(w, o), ctas = o->y ? row(w, o->c)[0] >> 16 : 0, pc = exec_pc(w, o);
	uint64_t global = pair(row(w, o->a), 0);
	uint32_t left = ctas ? ctas : UINT32_C(1) << EXEC_RANK(b[0]) % 32;
	unsigned char *from = NULL;

	if (bytes) {
		from = hd__exec_generic(w, pc, global, bytes, lane);
		if (!from)
			return false;
	}
	FOR_LANES(left) {
		uint32_t to = ctas ? at_rank(b[0], i) : b[0];
		uint32_t barrier = ctas ? at_rank(b[EXEC_LANES], i) : b[EXEC_LANES];
		unsigned char *there = hd__exec_remote(w, pc, to, bytes, lane, NULL);

		if (!there)
			return false;
		if (bytes)
			memmove(there, from, bytes);
		if (!complete(w, o, barrier, lane, bytes))
			return false;
	}
	neighbours(w, global, bytes, b[EXEC_LANES] | (uint64_t)ctas << 32);
	return true;
}

/* One after the other, or as reductions of elements. */
static void put_elements(const struct exec_op *o, unsigned char *to, const unsigned char *from, uint32_t bytes)
{
	if (o->operation == EXEC_OP_ublkred)
		EXEC_NAME(reduce)(o->am, o->bm, to, from, bytes);
	else
		memmove(to, from, bytes);
}

/* Are both addresses of a copy multiples of 16?  Else after a message. */
static bool aligned(struct exec_warp *w, const struct exec_op *o, unsigned lane, uint64_t shared, uint64_t other)
{
	bool remote = o->x == TO_BLOCK;

	if (shared % 16 != 0 || (remote && other % 16 != 0)) {
		fail(w, o, lane, shared % 16 != 0 ? shared : other,
		     "a bulk copy whose address is not a multiple of 16");
		return false;
	}
	if (other % 16 != 0)
		hd__exec_fail(w, exec_pc(w, o), UINT32_C(1) << lane, HD_EXEC_ADDRESS, other,
			      "a bulk copy whose address is not a multiple of 16, at 0x%llx of global memory",
			      (unsigned long long)other);
	return other % 16 == 0;
}

/* UBLKCP, UBLKRED.  .x: where to; of a reduction .am: what is done, .bm: the type. */
OPERATION(ublkcp)
{
	unsigned lane = (unsigned)__builtin_ctz(lanes);
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t bytes = bytes_of(w, o), pc = exec_pc(w, o);
	unsigned char *from, *to;

	if (!(o->x == TO_SHARED ? aligned(w, o, lane, b[0], pair(a, 0))
	                        : aligned(w, o, lane, a[0], o->x == TO_BLOCK ? b[0] : pair(b, 0))))
		return;
	if (o->x == TO_SHARED) {
		copy_in(w, o, lane);
		return;
	}
	from = shared_at(w, o, a[0], bytes, lane);
	to = !from ? NULL
	     : o->x == TO_BLOCK ? hd__exec_remote(w, pc, b[0], bytes, lane, NULL)
	     : bytes            ? hd__exec_generic(w, pc, pair(b, 0), bytes, lane) : from;
	if (!to)
		return;
	put_elements(o, to, from, bytes);
	if (o->x == TO_BLOCK && !complete(w, o, b[EXEC_LANES], lane, bytes))
		return;
	neighbours(w, o->x == TO_BLOCK ? a[0] : pair(b, 0), bytes, o->x == TO_BLOCK ? b[EXEC_LANES] : 0);
}

OPERATION(ublkred)
{
	EXEC_NAME(op_ublkcp)(w, o, lanes);
}

/* Stores and reductions of a lane to another block of the cluster, at whose barrier the bytes arrive.  The registers
 * have both addresses. */
OPERATION(stas)
{
	const uint32_t *a = row(w, o->a), *c = row(w, o->c), added = (uint32_t)o->imm + row(w, o->b)[0];
	uint32_t pc = exec_pc(w, o);

	FOR_LANES(lanes) {
		uint32_t at = a[i] + added, v[4];
		unsigned char *to;

		w->address[i] = at;
		w->value[i] = a[i + EXEC_LANES];
		if (EXEC_RANK(w->value[i]) != EXEC_RANK(at)) {
			hd__exec_fail(w, pc, UINT32_C(1) << i, HD_EXEC_ADDRESS, at,
				      "a store to 0x%x, of rank %u in the cluster, whose bytes arrive at the barrier "
				      "at 0x%x, of rank %u; expected one of the same block", at, EXEC_RANK(at),
				      (uint32_t)w->value[i], EXEC_RANK(w->value[i]));
			return;
		}
		to = is_aligned(w, o, at, o->size, i) ? hd__exec_remote(w, pc, at, o->size, i, NULL) : NULL;
		if (!to)
			return;
		for (unsigned k = 0; k < o->size / 4u; k++)
			v[k] = c[i + k * EXEC_LANES];
		if (o->x)
			EXEC_NAME(reduce)(o->am, o->bm, to, (const unsigned char *)v, o->size);
		else
			memcpy(to, v, o->size);
		if (!complete(w, o, w->value[i], i, o->size))
			return;
	}
}

/* To the second-level cache, which is not here. */
OPERATION(ublkpf)
{
	(void)lanes;
	neighbours(w, pair(row(w, o->a), 0), (row(w, o->c)[0] & 0xffff) * 16, 0);
}

/* The map of a command; false after a fault. */
static bool map_of(struct exec_warp *w, const struct exec_op *o, unsigned lane, struct hd_exec_tensor *t)
{
	unsigned char words[HD_EXEC_TENSOR];
	uint64_t map = pair(row(w, o->a), 0);
	bool ok = true;

	for (uint32_t i = 0; i < sizeof words && ok; i++)
		words[i] = (unsigned char)hd__exec_read(w, exec_pc(w, o), map + i, 1, lane, &ok);
	if (!ok)
		return false;
	if (hd__exec_tensor_decode(t, words) && t->rank == o->y)
		return true;
	hd__exec_fail(w, exec_pc(w, o), UINT32_C(1) << lane, HD_EXEC_ADDRESS, map,
		      "no tensor map of %u dimensions is at 0x%llx; expected one of cuTensorMapEncodeTiled", o->y,
		      (unsigned long long)map);
	return false;
}

/* UTMALDG, UTMASTG, UTMAREDG, UTMAPF.  Row b: the address in shared memory, of a load its barrier, coordinates.  A
 * load may be for several blocks, whose set is in c. */
OPERATION(tensor_copy)
{
	unsigned lane = (unsigned)__builtin_ctz(lanes);
	bool loads = o->x == EXEC_TENSOR_LOAD;
	unsigned skip = loads || o->x == EXEC_TENSOR_PREFETCH ? 2 : 1;
	const uint32_t *b = row(w, o->b);
	uint32_t ctas = o->size ? row(w, o->c)[0] >> 16 : 0, left = ctas ? ctas : 1;
	struct exec_box x = { .how = (enum exec_tensor)o->x, .reduction = o->am };

	if (!map_of(w, o, lane, &x.t))
		return;
	for (unsigned i = 0; i < o->y; i++)
		x.at[i] = (int32_t)b[(skip + i) * EXEC_LANES];
	FOR_LANES(left) {
		x.shared = ctas ? at_rank(b[0], i) : b[0];
		if (!hd__exec_tensor_copy(w, o, &x, lane))
			return;
		if (loads
		    && !complete(w, o, ctas ? at_rank(b[EXEC_LANES], i) : b[EXEC_LANES], lane, w->bulk.all))
			return;
	}
	w->value[0] = loads ? b[EXEC_LANES] | (uint64_t)ctas << 32 : 0;
}

/* A tensor map is read where it is. */
OPERATION(tensor_map)
{
	(void)lanes;
	all_at(w, pair(row(w, o->a), 0));
}

/* ---- products of warpgroups: each warp has 16 of the 64 rows ---- */

#define GMMA_ROWS 16u
#define GMMA_BYTES 32u /* of a row of A, or of a column of B */

enum { GMMA_F16, GMMA_BF16, GMMA_TF32, GMMA_FP8, GMMA_INT };

/* Where elements are in shared memory. */
struct gmma_matrix {
	uint32_t start, leading, stride, swizzle; /* bytes; swizzle: of a row of the pattern, 16: none */
	bool columns; /* numbers that are side by side are of a column of A, or a row of B */
};

static bool matrix_of(struct gmma_matrix *m, const uint32_t *descriptor, bool columns)
{
	static const uint8_t widths[] = { 16, 128, 64, 32 };
	uint64_t v = pair(descriptor, 0);

	*m = (struct gmma_matrix){ .start = (uint32_t)(v & 0x3fff) << 4, .leading = (uint32_t)(v >> 16 & 0x3fff) << 4,
		.stride = (uint32_t)(v >> 32 & 0x3fff) << 4, .swizzle = widths[v >> 62], .columns = columns };
	return (v >> 49 & 7) == 0;
}

/* The address of 16 bytes with element k of row n of A, or column n of B. */
static uint32_t element_at(const struct gmma_matrix *m, unsigned n, unsigned k, unsigned bytes)
{
	unsigned side = 16 / bytes, wide = m->swizzle / 16;
	uint32_t at = m->start;

	if (m->columns) {
		uint32_t outer = n / (side * wide), deep = k / 8;

		at += n / side % wide * 16 + k % 8 * m->swizzle;
		at += wide == 1 ? outer * m->stride + deep * m->leading : outer * m->leading + deep * m->stride;
	} else {
		at += n % 8 * m->swizzle + n / 8 * m->stride + k / side * (wide == 1 ? m->leading : 16);
	}
	return at ^ (at >> 3 & (m->swizzle - 16));
}

/* So many rows of 32 bytes, one after the other, out of shared memory.  Returns false after a fault. */
static bool take_rows(struct exec_warp *w, const struct exec_op *o, const struct gmma_matrix *m, unsigned first,
		      unsigned rows, unsigned bytes, unsigned char to[][GMMA_BYTES])
{
	unsigned side = 16 / bytes, columns = GMMA_BYTES / bytes;

	for (unsigned n = 0; n < rows; n++)
		for (unsigned k = 0; k < columns; k += m->columns ? 1 : side) {
			uint32_t at = element_at(m, first + n, k, bytes);
			const unsigned char *p = shared_at(w, o, at + w->block->window, 16, 0);

			if (!p)
				return false;
			if (m->columns)
				memcpy(to[n] + (size_t)k * bytes, p + (size_t)((first + n) % side) * bytes, bytes);
			else
				memcpy(to[n] + (size_t)k * bytes, p, 16);
		}
	return true;
}

/* A half with the value of a number of 8 bits. */
static uint16_t wider(uint8_t v, bool e5m2)
{
	uint16_t sign = (uint16_t)((v & 0x80) << 8), f = v & 7, e = v >> 3 & 15;

	if (e5m2)
		return (uint16_t)(v << 8);
	if ((v & 0x7f) == 0x7f)
		return sign | 0x7fff;
	if (e)
		return (uint16_t)(sign | (e + 8) << 10 | f << 7);
	return sign | EXEC_NAME(to_half)(f * 0x1p-9);
}

/* Registers of lanes as HMMA has them, of columns `from` on of rows that are 32 bytes each: of A, those of rows 8 to 15
 * behind each of the first. */
static void to_registers(uint32_t *to, unsigned char rows[][GMMA_BYTES], unsigned n, unsigned from, unsigned words)
{
	for (unsigned q = 0; q < words; q++)
		for (unsigned h = 0; h < n / 8; h++)
			for (unsigned i = 0; i < EXEC_LANES; i++)
				memcpy(&to[(q * (n / 8) + h) * EXEC_LANES + i],
				       rows[h * 8 + i / 4] + from + (q * 4 + i % 4) * 4, 4);
}

/* Numbers of 8 bits of 16 columns from `from` on become halves in place. */
static void widen(unsigned char to[][GMMA_BYTES], unsigned char rows[][GMMA_BYTES], unsigned n, unsigned from,
		  bool e5m2)
{
	for (unsigned x = 0; x < n; x++)
		for (unsigned k = 0; k < 16; k++)
			memcpy(to[x] + 2 * k, &(uint16_t){ wider(rows[x][from + k], e5m2) }, 2);
}

static void negate(uint32_t *v, unsigned words, bool is)
{
	for (unsigned i = 0; is && i < words * EXEC_LANES; i++)
		v[i] ^= 0x80008000;
}

/* Products of 8 bits are those of halves, 16 columns and then the others. */
static void multiply8(const struct exec_op *o, unsigned char a[][GMMA_BYTES], unsigned char b[][GMMA_BYTES],
		      struct exec_product *p, uint32_t *d)
{
	unsigned char wide_a[GMMA_ROWS][GMMA_BYTES], wide_b[8][GMMA_BYTES];
	uint32_t ra[4 * EXEC_LANES], rb[2 * EXEC_LANES], sum[4 * EXEC_LANES];

	for (unsigned from = 0; from < 32; from += 16) {
		widen(wide_a, a, GMMA_ROWS, from, o->cm & 1);
		widen(wide_b, b, 8, from, o->cm & 2);
		to_registers(ra, wide_a, GMMA_ROWS, 0, 2);
		to_registers(rb, wide_b, 8, 0, 2);
		p->a = ra;
		p->b = rb;
		EXEC_NAME(float_product)(p, from ? d : sum);
		p->c = sum;
	}
}

static void multiply_integers(const struct exec_op *o, unsigned char a[][GMMA_BYTES], unsigned char b[][GMMA_BYTES],
                              const uint32_t *c, uint32_t *d)
{
	for (unsigned i = 0; i < EXEC_LANES; i++)
		for (unsigned r = 0; r < 4; r++) {
			const unsigned char *x = a[i / 4 + r / 2 * 8], *y = b[i % 4 * 2 + r % 2];
			int64_t sum = (int32_t)c[i + r * EXEC_LANES];

			for (unsigned k = 0; k < 32; k++)
				sum += (o->cm & 1 ? (int8_t)x[k] : x[k]) * (o->cm & 2 ? (int8_t)y[k] : y[k]);
			if (o->flags & EXEC_SAT)
				sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
			d[i + r * EXEC_LANES] = (uint32_t)sum;
		}
}

/* A out of registers, as rows of 32 bytes. */
static void from_registers(unsigned char to[][GMMA_BYTES], const uint32_t *a)
{
	for (unsigned q = 0; q < 2; q++)
		for (unsigned h = 0; h < 2; h++)
			for (unsigned i = 0; i < EXEC_LANES; i++)
				memcpy(to[h * 8 + i / 4] + (q * 4 + i % 4) * 4, &a[(q * 2 + h) * EXEC_LANES + i], 4);
}

OPERATION(gmma)
{
	static const uint8_t sizes[] = { 2, 2, 4, 1, 1 };
	unsigned bytes = sizes[o->y], first = w->number % 4 * GMMA_ROWS,
		 registers = o->flags & EXEC_HIGH || o->y == GMMA_INT ? 4 : 2;
	const uint32_t *a = row(w, o->a), *b = row(w, o->b), *c = row(w, o->c);
	unsigned char ra[GMMA_ROWS][GMMA_BYTES], rb[8][GMMA_BYTES];
	uint32_t va[4 * EXEC_LANES], vb[2 * EXEC_LANES], zero[4 * EXEC_LANES] = { 0 }, *d = w->base[0] + o->d;
	bool in_registers = o->flags & EXEC_PAIR, adds = predicate(w, o->ps) & 1;
	struct exec_product p = { .type = o->y == GMMA_FP8 ? EXEC_HALVES : (enum exec_factor)o->y,
				  .k = o->y == GMMA_TF32 ? 8 : 16,
				  .once = o->y == GMMA_TF32 ? 8 : 16,
				  .fraction = 25,
				  .halves = registers == 2 };
	struct gmma_matrix ma = { .start = 0 }, mb;

	if (o->d == EXEC_NOWHERE * EXEC_LANES) /* the end of a group without a product */
		return;
	if (lanes != EXEC_ALL || !matrix_of(&mb, b, o->bm & 2) || (!in_registers && !matrix_of(&ma, a, o->am & 2))) {
		hd__exec_fail(w, exec_pc(w, o), lanes, HD_EXEC_UNKNOWN, 0,
			      lanes != EXEC_ALL ? "a product of a warpgroup without some "
						  "of its lanes"
						: "a matrix whose pattern begins elsewhere than at a multiple of its "
						  "size, which is not executed here");
		return;
	}
	if (in_registers)
		from_registers(ra, a);
	else if (!take_rows(w, o, &ma, first, GMMA_ROWS, bytes, ra))
		return;
	to_registers(va, ra, GMMA_ROWS, 0, 2);
	negate(va, 4, o->am & 1);
	for (unsigned n = 0; n < o->x; n++, d += registers * EXEC_LANES) {
		if (!take_rows(w, o, &mb, 8 * n, 8, bytes, rb))
			return;
		p.c = !adds ? zero : o->c == EXEC_CONSTANT ? zero : c + (size_t)n * registers * EXEC_LANES;
		if (o->y == GMMA_INT) {
			multiply_integers(o, ra, rb, p.c, d);
			continue;
		}
		if (o->y == GMMA_FP8) {
			multiply8(o, ra, rb, &p, d);
			continue;
		}
		to_registers(vb, rb, 8, 0, 2);
		negate(vb, 2, o->bm & 1);
		p.a = va;
		p.b = vb;
		EXEC_NAME(float_product)(&p, d);
	}
}
