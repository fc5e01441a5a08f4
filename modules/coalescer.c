/* coalescer.c - converts the lane addresses of a global or local access to 32-byte segments
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Coalescing and Local memory.
 */
#include <heddle/gpu/access.h>
#include <heddle/gpu/warps.h>

#define SEGMENT 32u
#define LINE 128u
#define WORD 4u /* granularity of the local-memory map */

enum local_map { MAP_BY_CTA, MAP_BY_SM, MAP_NONE };

struct state {
	struct hd_ctx *ctx;
	struct hd_coalescer_if coalescer;
	const struct hd_warps *warps;
	uint32_t local_map, parts;
	uint64_t local_start;
	uint64_t instructions, accesses;
};

struct list {
	struct hd_access *v;
	uint32_t n;
	uint32_t first; /* of the present part of the warp */
};

static uint32_t byte_mask(uint32_t first, uint32_t n)
{
	return (uint32_t)(hd_bits_below(n < 32 ? n : 32) << first);
}

/* Index of the segment, or where to insert it; most lanes are in ascending order. */
static uint32_t find(const struct list *l, uint64_t segment)
{
	uint32_t i = l->n;

	while (i > l->first && l->v[i - 1].addr >= segment)
		i--;
	return i;
}

static void insert(struct list *l, uint32_t at, struct hd_access a)
{
	if (l->n == HD_MAX_ACCESSES)
		return;
	for (uint32_t i = l->n++; i > at; i--)
		l->v[i] = l->v[i - 1];
	l->v[at] = a;
}

/* Adds the bytes that lanes touch in a segment that is not behind the others, or of a full list. */
static __attribute__((noinline)) void touch_earlier(struct list *l, struct hd_access a)
{
	uint32_t i = find(l, a.addr);

	if (i < l->n && l->v[i].addr == a.addr) {
		l->v[i].bytes |= a.bytes;
		l->v[i].lanes |= a.lanes;
		l->v[i].beyond = a.beyond > l->v[i].beyond ? a.beyond : l->v[i].beyond;
	} else {
		insert(l, i, a);
	}
}

/* Adds what lanes touch in a segment that mostly is behind the others. */
static inline void add(struct list *l, struct hd_access a)
{
	if (HD_LIKELY(l->n == l->first || l->v[l->n - 1].addr < a.addr) && l->n < HD_MAX_ACCESSES)
		l->v[l->n++] = a;
	else
		touch_earlier(l, a);
}

static inline void touch(struct list *l, uint64_t segment, uint32_t bytes, uint32_t lanes)
{
	add(l, (struct hd_access){ segment, bytes, lanes, 0 });
}

/* Lanes of an atomic that touch the same bytes need transactions of their own. */
static void touch_atomic(struct list *l, uint64_t addr, uint32_t size, uint32_t lane)
{
	uint64_t segment = addr & ~(uint64_t)(SEGMENT - 1);
	struct hd_access a = { segment, byte_mask((uint32_t)(addr - segment), size),
		               UINT32_C(1) << lane, 0 };
	uint32_t i = find(l, segment);

	for (; i < l->n && l->v[i].addr == segment; i++) {
		if (!(l->v[i].bytes & a.bytes)) {
			l->v[i].bytes |= a.bytes;
			l->v[i].lanes |= a.lanes;
			return;
		}
	}
	insert(l, i, a);
}

/* The segment of an address, in which as many bytes as the access has count from the address on: also those behind it
 * in the line. */
static void touch_from(struct list *l, uint64_t addr, uint32_t size, uint32_t lane)
{
	uint32_t offset = (uint32_t)(addr % SEGMENT), end = (uint32_t)(addr % LINE) - offset + SEGMENT;
	uint32_t over = offset + size > SEGMENT ? offset + size - SEGMENT : 0;

	if (over > LINE - end)
		over = LINE - end;
	add(l, (struct hd_access){ addr - offset, byte_mask(offset, size), UINT32_C(1) << lane, over });
}

/* One access of a lane: its first segment, and its last one if that is another.  In that the reference counts bytes
 * from the last one on. */
static void touch_span(struct list *l, uint64_t addr, uint32_t size, uint32_t lane)
{
	uint64_t last = addr + size - 1;

	touch_from(l, addr, size, lane);
	if (last / SEGMENT != addr / SEGMENT)
		touch_from(l, last, size, lane);
}

/* Words of local memory are interleaved among all threads that may run at once. */
static void touch_local(struct state *st, struct list *l, const struct hd_inst *inst, uint64_t addr,
                        uint32_t lane)
{
	const struct hd_warps *w = st->warps;
	uint64_t padded = (st->local_map == MAP_BY_CTA ? w->launch->warps : w->count) * HD_LANES;
	uint64_t threads = padded * (st->local_map == MAP_BY_CTA ? w->max_cta : 1) * w->sms;
	uint64_t tid = (uint64_t)inst->warp * HD_LANES + lane;
	uint64_t base = WORD * (padded * (w->sm + (uint64_t)w->sms * (tid / padded)) + tid % padded)
	              + st->local_start;
	uint64_t word = addr / WORD;
	uint32_t pieces = inst->width >= WORD ? inst->width / WORD : 1;
	uint32_t size = inst->width >= WORD ? WORD : inst->width;

	for (uint32_t i = 0; i < pieces; i++) {
		uint64_t a = (word + i) * threads * WORD + base;

		touch_span(l, size < WORD ? a + addr % WORD : a, size, lane);
	}
}

/* Plain global accesses of the lanes of `mask`, whose addresses are in `next`, or if that is NULL near each other.
 * Neighbouring lanes mostly share a segment, so the present one is kept in registers and added to the list when a lane
 * leaves it. */
static inline __attribute__((always_inline)) void coalesce_plain(struct list *l, const struct hd_inst *inst,
                                                                const uint64_t *next, uint32_t mask)
{
	const uint32_t *near = inst->near;
	uint32_t size = inst->width, bytes = 0, each = byte_mask(0, size);
	uint64_t room = size <= SEGMENT ? SEGMENT - size : 0, segment = 0;
	uint64_t from = 0; /* lanes that were left when the present segment began; 0: there is none */

	for (uint64_t m = mask; m;) {
		uint64_t left = m;
		uint32_t lane = hd_bits_pop(&m);
		uint64_t addr = next ? *next++ : inst->base + (uint64_t)(int32_t)*near++;
		uint64_t offset = addr - segment;

		if (offset > room || !from) {
			if (from)
				touch(l, segment, bytes, (uint32_t)(from ^ left));
			from = 0;
			if (addr == 0)
				continue;
			segment = addr & ~(uint64_t)(SEGMENT - 1);
			offset = addr - segment;
			if (HD_UNLIKELY(offset + size > SEGMENT)) {
				touch_span(l, addr, size, lane);
				continue;
			}
			bytes = 0;
			from = left;
		}
		bytes |= each << offset;
	}
	if (from)
		touch(l, segment, bytes, (uint32_t)from);
}

/* All 32 lanes side by side, each as wide as the step, a power of two: the usual case of a whole
 * warp. */
static bool is_row(const struct hd_inst *inst)
{
	uint64_t first = inst->base, width = inst->width;

	return inst->step == width && inst->mask == UINT32_MAX && hd_is_power_of_two(width) && first
	       && !(first & (width - 1));
}

/* The first segment and the last may be incomplete. */
static void coalesce_row(struct list *l, const struct hd_inst *inst)
{
	uint64_t a = inst->base, end = a + HD_LANES * inst->width;
	uint32_t shift = hd_bits_first(inst->width), lane = 0;
	struct hd_access *at = l->v;

	if (HD_LIKELY(a % SEGMENT == 0)) {
		uint64_t lanes = hd_bits_below(SEGMENT >> shift);

		for (; a < end; a += SEGMENT, lanes <<= SEGMENT >> shift)
			*at++ = (struct hd_access){ a, UINT32_MAX, (uint32_t)lanes, 0 };
	}
	for (; a < end; at++) {
		uint64_t segment = a & ~(uint64_t)(SEGMENT - 1);
		uint64_t next = segment + SEGMENT < end ? segment + SEGMENT : end;
		uint32_t bytes = (uint32_t)(next - a), n = bytes >> shift;

		*at = (struct hd_access){ segment, byte_mask((uint32_t)(a - segment), bytes),
			byte_mask(lane, n), 0 };
		lane += n;
		a = next;
	}
	l->n = (uint32_t)(at - l->v);
}

static bool is_local(const struct state *st, const struct hd_inst *inst)
{
	return inst->space == HD_SPACE_LOCAL && st->local_map != MAP_NONE;
}

/* `addr`: those of the lanes. */
static void coalesce_lanes(struct state *st, struct list *l, const struct hd_inst *inst, uint32_t lanes,
                           const uint64_t *addr)
{
	bool local = is_local(st, inst);

	if (!local && !(inst->flags & HD_INST_ATOMIC)) {
		coalesce_plain(l, inst, addr, lanes);
		return;
	}
	for (uint64_t m = lanes; m;) {
		uint32_t lane = hd_bits_pop(&m);

		if (local)
			touch_local(st, l, inst, *addr, lane);
		else
			touch_atomic(l, *addr, inst->width, lane);
		addr++;
	}
}

static __attribute__((noinline)) void coalesce_all(struct state *st, struct list *l, const struct hd_inst *inst)
{
	uint64_t row[HD_LANES];

	coalesce_lanes(st, l, inst, inst->mask, hd_inst_packed(inst, row));
}

/* The only active lane of a plain access. */
static __attribute__((noinline)) void coalesce_one(struct list *l, const struct hd_inst *inst)
{
	uint32_t lane = hd_bits_first(inst->mask);
	uint64_t addr = hd_inst_addr(inst, lane);

	if (addr != 0)
		touch_span(l, addr, inst->width, lane);
}

/* Each part of the warp has a list of its own; the lists are concatenated. */
static void coalesce_parts(struct state *st, struct list *l, const struct hd_inst *inst)
{
	uint32_t n = HD_LANES / st->parts;
	uint64_t row[HD_LANES];
	const uint64_t *addr = hd_inst_packed(inst, row);

	for (uint32_t i = 0; i < st->parts; i++) {
		uint32_t lanes = inst->mask & byte_mask(i * n, n);

		l->first = l->n;
		coalesce_lanes(st, l, inst, lanes, addr);
		addr += hd_bits_count32(lanes);
	}
}

static uint32_t coalesce(void *self, hd_inst_ref ref, const struct hd_inst *inst, struct hd_access *out)
{
	struct state *st = self;
	struct list l = { out, 0, 0 };
	bool plain;

	(void)ref;
	if (HD_UNLIKELY(inst->width == 0))
		return 0; /* the trace has no addresses */
	plain = !(inst->flags & HD_INST_ATOMIC) && !is_local(st, inst);
	if (HD_UNLIKELY(st->parts > 1))
		coalesce_parts(st, &l, inst);
	else if (plain && !(inst->flags & (HD_INST_ROW | HD_INST_FAR)))
		coalesce_plain(&l, inst, NULL, inst->mask);
	else if (plain && (inst->flags & HD_INST_ROW) && is_row(inst))
		coalesce_row(&l, inst);
	else if (plain && inst->nlanes == 1)
		coalesce_one(&l, inst);
	else
		coalesce_all(st, &l, inst);
	if (HD_UNLIKELY(st->ctx->parts))
		hd_for_part(st->ctx, inst->kernel);
	st->instructions++;
	st->accesses += l.n;
	return l.n;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	if (HD_LANES % st->parts)
		return hd_error(ctx, "'parts' is %u; expected a divisor of %u", st->parts, HD_LANES);
	st->coalescer = (struct hd_coalescer_if){ .self = st, .coalesce = coalesce };
	/* where the reference places local memory: below 80 SMs' shared windows of 96 KiB and 80
	 * SMs' local memory of 2048 threads with 16 KiB each, counted down from the heap */
	st->local_start = UINT64_C(0xC0000000) - 80 * 96 * 1024
	                - UINT64_C(80) * 2048 * 16 * 1024;
	return 0;
}

#define P(f) offsetof(struct state, f)

/* In the order of enum local_map. */
static const char *const local_maps[] = { "by_cta", "by_sm", "none", NULL };

static const struct hd_param params[] = {
	{ .name = "local_map", .unit = "", .doc = "threads whose words are interleaved in "
	  "local memory: those of a CTA, all of the SM, or none: addresses are used as in the "
	  "trace", .type = HD_CHOICE, .offset = P(local_map), .def = "\"by_cta\"",
	  .choices = local_maps },
	{ .name = "parts", .unit = "", .doc = "parts of a warp whose accesses are not merged with "
	  "those of other parts", .type = HD_U32, .offset = P(parts), .def = "1", .min = 1,
	  .max = HD_LANES },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "coalescer", .doc = "for the load/store unit", .kind = HD_PROVIDES,
	  .type = &hd_type_coalescer_if, .offset = P(coalescer) },
	{ .name = "warps", .doc = "block size and occupancy, for the local map", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "instructions", .unit = "warp instructions", .doc = "instructions coalesced",
	  .offset = P(instructions), .part = true },
	{ .name = "accesses", .unit = "segments", .doc = "32-byte segments that they need",
	  .offset = P(accesses), .part = true },
	{ .name = NULL },
};

const struct hd_module hd_module_coalescer = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "coalescer",
	.doc = "coalesces the lanes of a global or local access into 32-byte segments",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = hd_nothing_saved,
};
