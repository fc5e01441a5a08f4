/* shared_banks.c - bank conflicts of shared memory, or of the data of an L1D
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Shared-memory banks: only the first word of each lane counts (SB1), or all of them (SB5).
 */
#include <heddle/gpu/access.h>

#define WORD 4u
#define MAX_BANKS 64u

struct state {
	struct hd_ctx *ctx;
	struct hd_banks_if banks_if;
	uint32_t banks, parts;
	bool limited, wide;
	uint64_t instructions, cycles;
};

/* Different words of one bank, each with its number of lanes; chained by bank. */
struct words {
	uint64_t word[HD_LANES];
	uint8_t lanes[HD_LANES], next[HD_LANES];
	uint8_t first[MAX_BANKS], count[MAX_BANKS]; /* first: index + 1 */
	uint32_t n;
};

/* Of n lanes. */
static void gather(const struct state *st, const uint64_t *addr, uint32_t n, struct words *w)
{
	memset(w->first, 0, st->banks);
	memset(w->count, 0, st->banks);
	w->n = 0;
	for (const uint64_t *end = addr + n; addr < end; addr++) {
		uint64_t word = *addr / WORD;
		uint32_t bank = (uint32_t)(word % st->banks), i = w->first[bank];

		while (i && w->word[i - 1] != word)
			i = w->next[i - 1];
		if (i) {
			w->lanes[i - 1]++;
			continue;
		}
		w->word[w->n] = word;
		w->lanes[w->n] = 1;
		w->next[w->n] = w->first[bank];
		w->first[bank] = (uint8_t)++w->n;
		w->count[bank]++;
	}
}

/* The usual case: no bank is accessed for two different words.  One pass, no lists.  Neighbouring lanes often
 * access one word. */
static bool free_of_conflicts(const struct state *st, const uint64_t *addr, uint32_t n)
{
	uint64_t word[MAX_BANKS], low = st->banks - 1, last = UINT64_MAX, seen = 0;

	if (!hd_is_power_of_two(st->banks)) /* not a power of two: left to the general case */
		return false;
	for (const uint64_t *end = addr + n; addr < end; addr++) {
		uint64_t w = *addr / WORD, bank = w & low;

		if (w == last)
			continue;
		last = w;
		if (!hd_bits_has(seen, (unsigned)bank))
			word[bank] = w;
		else if (word[bank] != w)
			return false;
		seen |= hd_bit((unsigned)bank);
	}
	return true;
}

/* Cycles of lanes whose words are equally far apart, if that is plain: 0 if not.  Either all access one word, or
 * each another, and they go round as many banks as their distance leaves. */
static uint32_t row_cycles(const struct state *st, const struct hd_inst *inst)
{
	uint64_t step = inst->step, size = step >> 63 ? -step : step, used;

	if (size == 0)
		return 1;
	if (size % WORD || size > UINT32_MAX || !hd_is_power_of_two(st->banks))
		return 0;
	used = st->banks / hd_bits_lowest(size / WORD | st->banks);
	return (uint32_t)((inst->nlanes + used - 1) / used);
}

static uint32_t most(const struct state *st, const struct words *w)
{
	uint32_t max = 0;

	for (uint32_t b = 0; b < st->banks; b++)
		if (w->count[b] > max)
			max = w->count[b];
	return max;
}

/* Only one word, the lowest of the first bank where several lanes access one, is broadcast. */
static uint32_t most_limited(const struct state *st, const struct words *w)
{
	uint32_t max = 0;
	bool granted = false;

	for (uint32_t b = 0; b < st->banks; b++) {
		uint32_t n = 0, shared = 0;

		for (uint32_t i = w->first[b]; i; i = w->next[i - 1]) {
			n += w->lanes[i - 1];
			if (w->lanes[i - 1] > 1
			    && (!shared || w->word[i - 1] < w->word[shared - 1]))
				shared = i;
		}
		if (shared && !granted) {
			granted = true;
			n -= w->lanes[shared - 1] - 1u;
		}
		if (n > max)
			max = n;
	}
	return max;
}

static uint32_t conflicts_of(const struct state *st, const struct hd_inst *inst)
{
	uint32_t total = 0, lanes = HD_LANES / st->parts;
	uint32_t part = (uint32_t)hd_bits_below(lanes);
	uint64_t row[HD_LANES];
	const uint64_t *addr = hd_inst_packed(inst, row);
	struct words w;

	for (uint32_t i = 0; i < st->parts; i++) {
		uint32_t n = hd_bits_count32(inst->mask & (part << (i * lanes)));

		if (!st->limited && n && free_of_conflicts(st, addr, n)) {
			total++;
		} else {
			gather(st, addr, n, &w);
			total += st->limited ? most_limited(st, &w) : most(st, &w);
		}
		addr += n;
	}
	return total;
}

/* SB5: lanes of several words are served in groups that access as many words as a warp has lanes. */
static uint32_t wide_cycles(const struct state *st, const struct hd_inst *inst)
{
	uint32_t words = inst->width / WORD, lanes = HD_LANES / words, total = 0;
	uint32_t group = (uint32_t)hd_bits_below(lanes);
	uint64_t row[HD_LANES], all[HD_LANES];
	const uint64_t *addr;
	struct words w;

	if ((inst->flags & HD_INST_ROW) && inst->step == inst->width && st->banks == HD_LANES)
		return words;
	addr = hd_inst_packed(inst, row);
	for (uint32_t i = 0; i < words; i++) {
		uint32_t n = hd_bits_count32(inst->mask & (group << (i * lanes))), worst;

		for (uint32_t k = 0; k < n * words; k++)
			all[k] = addr[k / words] + (uint64_t)WORD * (k % words);
		addr += n;
		gather(st, all, n * words, &w);
		worst = most(st, &w);
		total += worst ? worst : 1;
	}
	return total;
}

static uint32_t conflicts(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t total = 0;

	(void)ref;
	if (st->wide && inst->width > WORD && HD_LANES * WORD % inst->width == 0)
		total = wide_cycles(st, inst);
	else if ((inst->flags & HD_INST_ROW) && st->parts == 1 && !st->limited)
		total = row_cycles(st, inst);
	if (total == 0)
		total = conflicts_of(st, inst);
	hd_for_part(st->ctx, inst->kernel);
	st->instructions++;
	st->cycles += total;
	return total;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->banks_if = (struct hd_banks_if){ .self = st, .conflicts = conflicts };
	if (HD_LANES % st->parts)
		return hd_error(ctx, "'parts' is %u; expected a divisor of %u", st->parts, HD_LANES);
	if (st->wide && (st->parts > 1 || st->limited))
		return hd_error(ctx, "'wide' serves whole warps; expected 'parts' 1 and no 'limited_broadcast'");
	return 0;
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "banks", .unit = "banks", .doc = "banks of shared memory, 4 bytes wide",
	  .type = HD_U32, .offset = P(banks), .def = "32", .min = 1, .max = MAX_BANKS },
	{ .name = "parts", .unit = "", .doc = "parts of a warp that are served one after another",
	  .type = HD_U32, .offset = P(parts), .def = "1", .min = 1, .max = HD_LANES },
	{ .name = "limited_broadcast", .unit = "", .doc = "only one word per part is broadcast to all "
	  "lanes that access it", .type = HD_BOOL, .offset = P(limited), .def = "false" },
	{ .name = "wide", .unit = "", .doc = "all words of a lane count: lanes of 8 bytes are served in halves of the "
	  "warp, those of 16 in quarters, a cycle each at least", .type = HD_BOOL, .offset = P(wide), .def = "false" },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "banks", .doc = "for the load/store unit", .kind = HD_PROVIDES,
	  .type = &hd_type_banks_if, .offset = P(banks_if) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "instructions", .unit = "warp instructions", .doc = "instructions that it served",
	  .offset = P(instructions), .part = true },
	{ .name = "cycles", .unit = "cycles", .doc = "cycles that their banks need; one each without "
	  "conflicts", .offset = P(cycles), .part = true },
	{ .name = NULL },
};

const struct hd_module hd_module_shared_banks = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "shared_banks",
	.doc = "bank conflicts of shared memory",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = hd_nothing_saved,
};
