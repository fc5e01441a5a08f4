/* address_map.c - maps an address to the channel, slice, bank and row of the memory
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `layout` names what each of the 64 bits of an address is for, most significant first: R row,
 * B bank, C column, S burst (the lowest bits of the column), D channel, 0 nothing.  With a power of
 * two of channels their bits are inserted at bit `channel_at`, and all that stand there or above
 * move up.  With another number the address is divided by it instead, from that bit on.
 * address_map/random.c is the map that draws slices at random.
 */
#include "address_map/random.h"

#include <heddle/ahead.h>

enum { INDEX_BANK, INDEX_XOR, INDEX_IPOLY, INDEX_RANDOM, INDEX_HASHED, INDEX_PERMUTED };
enum { BANKS_LINEAR, BANKS_XOR, BANKS_IPOLY };

#define MOST_FACTORS 64u

/* A set of the bits of an address, as runs of neighbours. */
struct runs {
	uint32_t n;
	struct {
		unsigned shift; /* to their place when all bits of the set are packed together */
		uint64_t mask;
	} run[32];
};

struct state {
	struct hd_map_if map;
	struct hd_touch_if core_touch, slice_touch;
	struct hd_ctx *ctx;
	const char *layout;
	uint32_t channels, slices, at, indexing, bank_index, seed;

	bool divides;       /* channels: not a power of two */
	uint32_t channel_bits, slice_bits;
	uint64_t channel_mask, bank_mask, row_mask, slice_mask;
	struct runs of_channel, of_bank, of_row, of_slice, of_neither; /* the same; neither slice nor channel */
	uint32_t banks;     /* that the bank bits can distinguish */
	uint32_t spread;    /* of the polynomial */
	uint32_t factors;   /* of PERMUTED: numbers that have no divisor in common with `channels` */
	uint16_t factor[MOST_FACTORS];
	struct random_map random;
};

static void find_runs(struct runs *r, uint64_t mask)
{
	unsigned packed = 0;

	r->n = 0;
	while (mask) {
		unsigned from = hd_bits_first(mask);
		uint64_t beyond = ~mask & ~hd_bits_below(from);
		uint64_t run = mask & (beyond ? (beyond & -beyond) - 1 : UINT64_MAX);

		r->run[r->n].mask = run;
		r->run[r->n++].shift = from - packed;
		packed += hd_bits_count(run);
		mask &= ~run;
	}
}

/* The bits of x in these runs, packed together. */
static uint64_t pack(uint64_t x, const struct runs *r)
{
	uint64_t out = 0;

	for (uint32_t i = 0; i < r->n; i++)
		out |= (x & r->run[i].mask) >> r->run[i].shift;
	return out;
}

/* The address without the part that the division by the number of channels removes. */
static uint64_t divided(const struct state *st, uint64_t addr)
{
	uint64_t low = (UINT64_C(1) << st->at) - 1;

	return (addr >> st->at) / st->channels << st->at | (addr & low);
}

static uint64_t local_of(void *self, uint64_t addr)
{
	const struct state *st = self;

	return pack(st->divides ? divided(st, addr) : addr, &st->of_neither);
}

/* As the local address tells how far a row of blocks is turned, two addresses of one slice never share it. */
static uint32_t turn_of(const struct state *st, uint64_t local)
{
	return (uint32_t)((local >> st->at) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint32_t slice_of(void *self, uint64_t addr)
{
	const struct state *st = self;
	uint64_t high, rest = addr;
	uint32_t channel, x, turn;

	if (st->divides) {
		high = (addr >> st->at) / st->channels;
		channel = (uint32_t)((addr >> st->at) - high * st->channels);
		rest = high << st->at | (addr & ((UINT64_C(1) << st->at) - 1));
	} else {
		channel = (uint32_t)pack(addr, &st->of_channel);
		high = addr >> (st->at + st->channel_bits + st->slice_bits);
		if (st->indexing == INDEX_XOR)
			channel ^= (uint32_t)high & (st->channels - 1);
	}
	x = channel * st->slices + (uint32_t)pack(rest, &st->of_slice);
	if (st->indexing == INDEX_IPOLY) {
		x = hd_ipoly(high, x, st->spread);
		if (st->divides)
			x %= st->channels * st->slices;
	} else if (st->indexing == INDEX_HASHED || st->indexing == INDEX_PERMUTED) {
		turn = turn_of(st, pack(rest, &st->of_neither));
		channel *= st->factor[turn >> 8 & (st->factors - 1)];
		x = (channel + turn % st->channels) % st->channels * st->slices
		    + ((x ^ turn >> 16) & (st->slices - 1));
	}
	return x;
}

static uint32_t random_slice_of(void *self, uint64_t addr)
{
	return hd__random_slice(&((struct state *)self)->random, addr);
}

static void place_of(void *self, uint64_t addr, uint32_t *bank, uint32_t *row)
{
	const struct state *st = self;
	uint64_t rest = st->divides ? divided(st, addr) : addr;

	*bank = (uint32_t)pack(rest, &st->of_bank);
	*row = (uint32_t)pack(rest, &st->of_row);
	if (st->bank_index == BANKS_XOR)
		*bank ^= *row & (st->banks - 1);
	else if (st->bank_index == BANKS_IPOLY)
		*bank = hd_ipoly(*row, *bank, st->banks);
}

/* Masks as the layout has them. */
static int read_layout(struct state *st)
{
	unsigned n = 0;

	for (const char *c = st->layout; *c; c++) {
		uint64_t bit;

		if (*c == '.')
			continue;
		if (!strchr("RBCSD0", *c))
			return hd_error(st->ctx, "'layout' has '%c'; expected R, B, C, S, D, 0 and dots",
			                *c);
		if (n == 64)
			break;
		bit = UINT64_C(1) << (63 - n++);
		if (*c == 'R')
			st->row_mask |= bit;
		else if (*c == 'B')
			st->bank_mask |= bit;
		else if (*c == 'D')
			st->channel_mask |= bit;
	}
	if (n != 64)
		return hd_error(st->ctx, "'layout' has %u letters; expected 64, one for each bit of an "
		                "address", n);
	if (st->channel_mask)
		return hd_error(st->ctx, "'layout' has D; expected channels to be inserted at "
		                "'channel_at'");
	if (__builtin_popcountll(st->bank_mask) > 16 || __builtin_popcountll(st->row_mask) > 32)
		return hd_error(st->ctx, "'layout' has %d bits B and %d bits R; expected at most 16 "
		                "and 32", __builtin_popcountll(st->bank_mask),
		                __builtin_popcountll(st->row_mask));
	return 0;
}

static uint64_t shifted(const struct state *st, uint64_t mask)
{
	uint64_t low = (UINT64_C(1) << st->at) - 1;

	return (mask & low) | (mask & ~low) << st->channel_bits;
}

/* For each of these, channels times it, modulo their number, are all different. */
static void find_factors(struct state *st)
{
	uint32_t most = st->indexing == INDEX_PERMUTED ? MOST_FACTORS : 1;

	for (uint32_t f = 1; st->factors < most && f <= st->channels; f++)
		if (hd_gcd(f, st->channels) == 1)
			st->factor[st->factors++] = (uint16_t)f;
	while (!hd_is_power_of_two(st->factors))
		st->factors--;
}

static int check_indexing(struct state *st)
{
	uint32_t up = 1;

	if (!hd_is_power_of_two(st->slices))
		return hd_error(st->ctx, "'slices' is %u; expected a power of two", st->slices);
	if (st->indexing == INDEX_XOR && st->divides)
		return hd_error(st->ctx, "'channels' is %u; 'indexing' \"xor\" expects a power of two",
		                st->channels);
	while (up < st->channels)
		up *= 2;
	st->spread = up * st->slices;
	if (st->indexing == INDEX_IPOLY
	    && (st->channels == 1 || (st->spread != 16 && st->spread != 32 && st->spread != 64)))
		return hd_error(st->ctx, "'indexing' \"ipoly\" expects 9 to 64 slices in all and "
		                "more than one channel, found %u of %u channels", st->channels * st->slices,
		                st->channels);
	if (st->indexing == INDEX_RANDOM && st->at < st->slice_bits)
		return hd_error(st->ctx, "'channel_at' is %u; expected at least %u with 'indexing' "
		                "\"random\", one bit for each that chooses one of %u slices", st->at,
		                st->slice_bits, st->slices);
	if (__builtin_popcountll(st->bank_mask) < (int)st->slice_bits)
		return hd_error(st->ctx, "'layout' has %d bits B; expected at least %u, which choose the "
		                "slice", __builtin_popcountll(st->bank_mask), st->slice_bits);
	st->banks = 1u << __builtin_popcountll(st->bank_mask);
	if (st->bank_index == BANKS_IPOLY && st->banks != 16 && st->banks != 32 && st->banks != 64)
		return hd_error(st->ctx, "'layout' distinguishes %u banks; 'bank_index' \"ipoly\" "
		                "expects 16, 32 or 64", st->banks);
	return 0;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	uint64_t low;

	st->ctx = ctx;
	if (read_layout(st) != 0)
		return -1;
	st->divides = !hd_is_power_of_two(st->channels);
	st->channel_bits = 31u - (uint32_t)__builtin_clz(st->channels);
	st->slice_bits = 31u - (uint32_t)__builtin_clz(st->slices);
	if (check_indexing(st) != 0)
		return -1;
	if (!st->divides) {
		st->row_mask = shifted(st, st->row_mask);
		st->bank_mask = shifted(st, st->bank_mask);
		st->channel_mask = (uint64_t)(st->channels - 1) << st->at;
	}
	low = st->bank_mask;
	for (uint32_t i = 0; i < st->slice_bits; i++, low &= low - 1)
		st->slice_mask |= low & -low;
	find_factors(st);
	find_runs(&st->of_channel, st->channel_mask);
	find_runs(&st->of_bank, st->bank_mask);
	find_runs(&st->of_row, st->row_mask);
	find_runs(&st->of_slice, st->slice_mask);
	find_runs(&st->of_neither, ~(st->slice_mask | st->channel_mask));
	st->map = (struct hd_map_if){ .self = st, .channels = st->channels, .slices = st->slices,
		                      .banks = st->banks, .slice = slice_of, .local = local_of, .place = place_of };
	if (st->indexing != INDEX_RANDOM)
		return 0;
	hd_not_apart(ctx); /* the first use of an address decides */
	st->map.slice = random_slice_of;
	if (hd__random_init(&st->random, ctx, st->seed, st->channels * st->slices,
	                    st->at - st->slice_bits) != 0)
		return hd_error(ctx, "out of memory");
	st->core_touch = (struct hd_touch_if){ .self = &st->random.core, .touch = hd__random_touch };
	st->slice_touch = (struct hd_touch_if){ .self = &st->random.slice, .touch = hd__random_touch };
	return 0;
}

static void fini(void *state)
{
	hd__random_fini(&((struct state *)state)->random);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	if (st->indexing == INDEX_RANDOM)
		hd__random_saved(&st->random, k);
}

#define P(f) offsetof(struct state, f)

static const char *const indexings[] = { "bank", "xor", "ipoly", "random", "hashed", "permuted", NULL };
static const char *const bank_indices[] = { "linear", "xor", "ipoly", NULL };

static const struct hd_param params[] = {
	{ .name = "layout", .unit = "", .doc = "what each bit of an address is for, most significant "
	  "first: R row, B bank, C column, S burst, 0 nothing; dots do not count",
	  .type = HD_STRING, .offset = P(layout),
	  .def = "\"00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS\"" },
	{ .name = "channel_at", .unit = "", .doc = "bit from which on the channel is taken",
	  .type = HD_U32, .offset = P(at), .def = "8", .min = 0, .max = 40 },
	{ .name = "channels", .unit = "channels", .doc = "channels of the memory", .type = HD_U32,
	  .offset = P(channels), .def = "32", .min = 1, .max = 1024 },
	{ .name = "slices", .unit = "slices", .doc = "slices in front of each channel, a power of two",
	  .type = HD_U32, .offset = P(slices), .def = "2", .min = 1, .max = 64 },
	{ .name = "indexing", .unit = "", .doc = "how the slice is chosen: by the lowest bits of the "
	  "bank; xor mixes higher bits into the channel; ipoly scatters over all slices; random picks "
	  "one for each block of addresses that is used; hashed turns each row of blocks, one for each "
	  "slice, by a hash of the address above, so that no stride meets few slices and a row meets all; "
	  "permuted also takes the channels of a row in another order",
	  .type = HD_CHOICE, .offset = P(indexing), .def = "\"bank\"", .choices = indexings },
	{ .name = "seed", .unit = "", .doc = "of the sequence of 'indexing' \"random\"", .type = HD_U32,
	  .offset = P(seed), .def = "1", .min = 0, .max = UINT32_MAX },
	{ .name = "bank_index", .unit = "", .doc = "how the bank is chosen: by its bits; xor and ipoly "
	  "mix in the row", .type = HD_CHOICE, .offset = P(bank_index), .def = "\"linear\"",
	  .choices = bank_indices },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "map", .doc = "for modules that need the place of an address",
	  .kind = HD_PROVIDES, .flags = HD_APART, .type = &hd_type_map_if, .offset = P(map) },
	{ .name = "core_touch", .doc = "is notified of the addresses that SMs use",
	  .kind = HD_PROVIDES, .flags = HD_APART, .type = &hd_type_touch, .offset = P(core_touch) },
	{ .name = "slice_touch", .doc = "is notified of the lines that slices write back, in a "
	  "cycle before 'core_touch'", .kind = HD_PROVIDES, .flags = HD_APART,
	  .type = &hd_type_touch, .offset = P(slice_touch) },
	{ .name = NULL },
};

const struct hd_module hd_module_address_map = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "address_map",
	.doc = "gives the channel, slice, bank and row of an address",
	.params = params,
	.ports = ports,
	.state_size = sizeof(struct state),
	.init = init,
	.fini = fini,
	.checkpoint = checkpoint,
};
