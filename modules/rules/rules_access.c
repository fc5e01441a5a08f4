/* rules_access.c - rules of coalescers and of the banks of shared memory
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "rules_list.h"

#include <heddle/gpu/access.h>

#define SEGMENT 32u
#define MORE 2048u /* accesses beyond the limit that do no harm before they are found */

struct coalescer {
	struct hd_judged by;
	struct hd_coalescer_if of;
	struct hd_inst inst;
	struct hd_access out[HD_MAX_ACCESSES + MORE];
};

static void check_access(const struct coalescer *k, const struct hd_inst *inst, uint32_t i)
{
	const struct hd_access *a = &k->out[i];

	if (a->addr % SEGMENT)
		hd_rules_wrong(&k->by, "returned access %u at address 0x%llx from coalesce(); expected a multiple of "
		               "%u", i, (unsigned long long)a->addr, SEGMENT);
	if (a->lanes == 0 || (a->lanes & ~inst->mask))
		hd_rules_wrong(&k->by, "returned access %u for lanes 0x%x from coalesce(); expected some of the "
		               "active lanes 0x%x", i, a->lanes, inst->mask);
	if (a->beyond > SEGMENT * 3)
		hd_rules_wrong(&k->by, "returned access %u with %llu bytes beyond its segment from coalesce(); "
		               "expected at most %u, to the end of the line", i, (unsigned long long)a->beyond,
		               SEGMENT * 3);
}

static uint32_t coalesce(void *self, hd_inst_ref ref, const struct hd_inst *inst, struct hd_access *out)
{
	struct coalescer *k = self;
	uint32_t n;

	k->inst = *inst;
	n = k->of.coalesce(k->of.self, ref, inst, k->out);
	if (n > HD_MAX_ACCESSES) {
		hd_rules_wrong(&k->by, "returned %u accesses from coalesce(); expected at most %u", n,
		               HD_MAX_ACCESSES);
		n = HD_MAX_ACCESSES;
	}
	if (memcmp(&k->inst, inst, sizeof *inst) != 0)
		hd_rules_wrong(&k->by, "has changed the instruction in coalesce(); expected that it only reads it");
	for (uint32_t i = 0; i < n; i++)
		check_access(k, inst, i);
	memcpy(out, k->out, n * sizeof *out);
	return n;
}

static void stand_coalescer(void *checks, void *provided)
{
	struct coalescer *k = checks;
	struct hd_coalescer_if *p = provided;

	HD_STAND(&k->of, p, coalesce, coalesce);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_coalescer = { &hd_type_coalescer_if, sizeof(struct coalescer), stand_coalescer, NULL };

struct banks {
	struct hd_judged by;
	struct hd_banks_if of;
	struct hd_inst inst;
};

static uint32_t conflicts(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct banks *k = self;
	uint32_t n;

	k->inst = *inst;
	n = k->of.conflicts(k->of.self, ref, inst);
	if (n == 0)
		hd_rules_wrong(&k->by, "returned 0 cycles from conflicts(); expected at least 1");
	if (memcmp(&k->inst, inst, sizeof *inst) != 0)
		hd_rules_wrong(&k->by, "has changed the instruction in conflicts(); expected that it only reads it");
	return n;
}

static void stand_banks(void *checks, void *provided)
{
	struct banks *k = checks;
	struct hd_banks_if *p = provided;

	HD_STAND(&k->of, p, conflicts, conflicts);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_banks = { &hd_type_banks_if, sizeof(struct banks), stand_banks, NULL };
