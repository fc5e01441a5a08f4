/* register_cache.c - register-file cache: operands that the compiler marks for reuse
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Register-file cache: one entry for each operand slot and bank of a sub-core.
 */
#include <heddle/gpu/control.h>

#define MAX_CORES 16u
#define MAX_BANKS 8u

#define WARP 512u /* more than registers of a warp */

/* 0: empty, else 1 + warp * WARP + register. */
typedef uint32_t entry_tag;

struct state {
	struct hd_register_cache_if cache;
	uint32_t banks, sub_cores;
	entry_tag entry[MAX_CORES][HD_OPERAND_SLOTS][MAX_BANKS];
	uint32_t held[MAX_CORES]; /* entries that are not empty */
	uint64_t hits, misses, fills;
};

/* The entry of one register operand, and what it has to hold. */
static entry_tag *entry_of(struct state *st, const struct hd_inst *inst, uint32_t slot, entry_tag *want)
{
	uint32_t reg = inst->control.slot[slot];

	*want = 1 + inst->warp * WARP + reg;
	return &st->entry[inst->warp % st->sub_cores][slot][(reg - 1) % st->banks];
}

static uint32_t hits(void *self, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t set = 0;

	if (st->held[inst->warp % st->sub_cores] == 0)
		return 0;
	for (uint32_t i = 0; i < HD_OPERAND_SLOTS; i++) {
		entry_tag want;

		if (inst->control.nslot[i] == 1 && *entry_of(st, inst, i, &want) == want)
			set |= 1u << i;
	}
	return set;
}

/* The warp ends: the next one of its slot has other registers. */
static __attribute__((noinline)) void drop(struct state *st, uint32_t warp)
{
	uint32_t core = warp % st->sub_cores;

	for (uint32_t i = 0; i < HD_OPERAND_SLOTS; i++)
		for (uint32_t bank = 0; bank < st->banks; bank++) {
			entry_tag *at = &st->entry[core][i][bank];

			if (*at == 0 || (*at - 1) / WARP != warp)
				continue;
			*at = 0;
			st->held[core]--;
		}
}

static void use(void *self, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t *held = &st->held[inst->warp % st->sub_cores];
	const struct hd_control *c = &inst->control;

	if (*held == 0 && c->reuse == 0) {
		for (uint32_t i = 0; i < HD_OPERAND_SLOTS; i++)
			st->misses += c->nslot[i] == 1;
		return;
	}
	for (uint32_t i = 0; i < HD_OPERAND_SLOTS; i++) {
		bool keep = c->reuse >> i & 1;
		entry_tag want, *at;

		if (c->nslot[i] != 1)
			continue;
		at = entry_of(st, inst, i, &want);
		st->hits += *at == want;
		st->misses += *at != want;
		st->fills += keep;
		*held = *held - (*at != 0) + keep;
		*at = keep ? want : 0;
	}
	if (HD_UNLIKELY(inst->flags & HD_INST_LAST))
		drop(st, inst->warp);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->cache = (struct hd_register_cache_if){ .self = st, .hits = hits, .use = use };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->entry);
	HD_SAVED(k, st->held);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "banks", .unit = "banks", .doc = "register banks of each sub-core", .type = HD_U32,
	  .offset = P(banks), .def = "2", .min = 1, .max = MAX_BANKS },
	{ .name = "sub_cores", .unit = "", .doc = "sub-cores, warp w in sub-core w modulo this",
	  .type = HD_U32, .offset = P(sub_cores), .def = "4", .min = 1, .max = MAX_CORES },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "cache", .doc = "for the stages that read operands", .kind = HD_PROVIDES, .flags = HD_ORDERED,
	  .type = &hd_type_register_cache_if, .offset = P(cache) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "hits", .unit = "operands", .doc = "operands that were held", .offset = P(hits) },
	{ .name = "misses", .unit = "operands", .doc = "operands that were not", .offset = P(misses) },
	{ .name = "fills", .unit = "operands", .doc = "operands kept for reuse", .offset = P(fills) },
	{ .name = NULL },
};

const struct hd_module hd_module_register_cache = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "register_cache",
	.doc = "register-file cache: operands that the compiler marks for reuse",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
};
