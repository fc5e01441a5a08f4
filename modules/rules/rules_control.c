/* rules_control.c - rules of the stages of a core that follows control words
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "rules_list.h"

#include <heddle/gpu/control.h>

#define WRAPPED 0x80000000u /* a count from here on was below 0 */

/* ---- data that stages share ---- */

struct freeze {
	struct hd_judged by;
	uint64_t cycles;
};

static void look_freeze(void *checks, const void *provided)
{
	struct freeze *k = checks;
	const struct hd_freeze *f = provided;

	if (f->cycles != k->cycles && f->cycles != k->cycles + 1)
		hd_rules_blame(&k->by, hd_rules_caller(&k->by), "has changed the frozen cycles of '%s' from %llu to "
		               "%llu; expected hd_freeze_now(), once in an edge", hd_rules_name(k->by.provider),
		               (unsigned long long)k->cycles, (unsigned long long)f->cycles);
	k->cycles = f->cycles;
}

const struct hd_rules hd__rules_freeze = { &hd_type_freeze, sizeof(struct freeze), NULL, look_freeze };

static void look_credits(void *checks, const void *provided)
{
	const struct hd_judged *k = checks;
	const struct hd_credits *c = provided;

	if (c->free >= WRAPPED)
		hd_rules_blame(k, hd_rules_caller(k), "has taken a place of '%s' that is not free; expected that an "
		               "instruction finds one", hd_rules_name(k->provider));
}

const struct hd_rules hd__rules_credits = { &hd_type_credits, sizeof(struct hd_judged), NULL, look_credits };

/* ---- dependence counters ---- */

struct counters {
	struct hd_judged by;
	struct hd_counters of; /* its functions */
};

static void counters_raise(void *self, const struct hd_raise *r)
{
	struct counters *k = self;

	k->of.raise(k->of.self, r);
}

static void counters_renew(void *self, uint32_t warp)
{
	struct counters *k = self;

	k->of.renew(k->of.self, warp);
}

static void counters_read(void *self, uint32_t warp, uint64_t uid, uint32_t counter, uint32_t edges)
{
	struct counters *k = self;

	if (counter >= HD_COUNTERS && counter != HD_NO_COUNTER)
		hd_rules_misused(&k->by, "called read() of '%s' for counter %u; expected less than %u, or "
		                 "HD_NO_COUNTER", hd_rules_name(k->by.provider), counter, HD_COUNTERS);
	k->of.read(k->of.self, warp, uid, counter, edges);
}

static bool counters_completed(void *self, const struct hd_inst *inst)
{
	struct counters *k = self;

	return k->of.completed(k->of.self, inst);
}

static void counters_stored(void *self, const struct hd_inst *inst, uint32_t edges)
{
	struct counters *k = self;

	k->of.stored(k->of.self, inst, edges);
}

static void stand_counters(void *checks, void *provided)
{
	struct counters *k = checks;
	struct hd_counters *p = provided;

	HD_STAND(&k->of, p, raise, counters_raise);
	HD_STAND(&k->of, p, renew, counters_renew);
	HD_STAND(&k->of, p, read, counters_read);
	HD_STAND(&k->of, p, completed, counters_completed);
	HD_STAND(&k->of, p, stored, counters_stored);
	HD_STAND(&k->of, p, self, checks);
}

static void look_counters(void *checks, const void *provided)
{
	const struct hd_judged *k = checks;
	const struct hd_counters *c = provided;

	for (uint32_t warp = 0; warp < HD_MAX_WARPS; warp++)
		for (uint32_t i = 0; i < HD_COUNTERS; i++)
			if ((c->value[warp][i] != 0) != (c->busy[warp] >> i & 1))
				hd_rules_blame(k, hd_rules_caller(k), "has left counter SB%u of warp %u of '%s' at "
				               "%u, and its bit in 'busy' at %u; expected 1 if the counter is not 0",
				               i, warp, hd_rules_name(k->provider), c->value[warp][i],
				               c->busy[warp] >> i & 1);
}

const struct hd_rules hd__rules_counters = {
	&hd_type_counters, sizeof(struct counters), stand_counters, look_counters };

/* ---- reading registers, constants ---- */

struct read_ports {
	struct hd_judged by;
	struct hd_read_ports_if of;
};

static uint32_t ports_reserve(void *self, uint32_t warp, const uint8_t *reads)
{
	struct read_ports *k = self;
	uint32_t edges = k->of.reserve(k->of.self, warp, reads);

	if (edges >= WRAPPED)
		hd_rules_wrong(&k->by, "returned %u edges from reserve(); expected when the last register is read, or "
		               "0", edges);
	return edges;
}

static void stand_read_ports(void *checks, void *provided)
{
	struct read_ports *k = checks;
	struct hd_read_ports_if *p = provided;

	HD_STAND(&k->of, p, reserve, ports_reserve);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_read_ports = {
	&hd_type_read_ports_if, sizeof(struct read_ports), stand_read_ports, NULL };

struct register_cache {
	struct hd_judged by;
	struct hd_register_cache_if of;
};

static uint32_t register_cache_hits(void *self, const struct hd_inst *inst)
{
	struct register_cache *k = self;
	uint32_t held;

	HD_RULES_PURE(k, "hits", held, k->of.hits(k->of.self, inst));
	if (held >> HD_OPERAND_SLOTS)
		hd_rules_wrong(&k->by, "returned slots 0x%x from hits(); expected some of the first %u", held,
		               HD_OPERAND_SLOTS);
	return held;
}

static void register_cache_use(void *self, const struct hd_inst *inst)
{
	struct register_cache *k = self;

	k->of.use(k->of.self, inst);
}

static void stand_register_cache(void *checks, void *provided)
{
	struct register_cache *k = checks;
	struct hd_register_cache_if *p = provided;

	HD_STAND(&k->of, p, hits, register_cache_hits);
	HD_STAND(&k->of, p, use, register_cache_use);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_register_cache = {
	&hd_type_register_cache_if, sizeof(struct register_cache), stand_register_cache, NULL };

struct constants {
	struct hd_judged by;
	struct hd_constants_if of;
};

/* What is there is there when it is asked for again at once. */
static bool constants_look_up(void *self, uint32_t warp, uint32_t bank, uint32_t offset)
{
	struct constants *k = self;

	return k->of.look_up(k->of.self, warp, bank, offset);
}

static void stand_constants(void *checks, void *provided)
{
	struct constants *k = checks;
	struct hd_constants_if *p = provided;

	HD_STAND(&k->of, p, look_up, constants_look_up);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_constants = {
	&hd_type_constants_if, sizeof(struct constants), stand_constants, NULL };

/* ---- hazards ---- */

struct hazards {
	struct hd_judged by;
	struct hd_hazards_if of;
	uint64_t time[UINT8_MAX + 1]; /* at which an instruction of the warp was issued last */
};

static void hazards_issued(void *self, const struct hd_inst *inst, uint64_t time)
{
	struct hazards *k = self;
	uint64_t *last = &k->time[inst->warp];

	if (time < *last)
		hd_rules_misused(&k->by, "called issued() of '%s' for time %llu after %llu; expected unfrozen cycles, "
		                 "which do not go back", hd_rules_name(k->by.provider), (unsigned long long)time,
		                 (unsigned long long)*last);
	*last = time;
	k->of.issued(k->of.self, inst, time);
}

static void hazards_written(void *self, uint32_t warp, uint32_t reg)
{
	struct hazards *k = self;

	k->of.written(k->of.self, warp, reg);
}

static void hazards_read(void *self, uint32_t warp, uint64_t uid)
{
	struct hazards *k = self;

	k->of.read(k->of.self, warp, uid);
}

static void hazards_completed(void *self, uint32_t warp, uint64_t uid)
{
	struct hazards *k = self;

	k->of.completed(k->of.self, warp, uid);
}

static void stand_hazards(void *checks, void *provided)
{
	struct hazards *k = checks;
	struct hd_hazards_if *p = provided;

	HD_STAND(&k->of, p, issued, hazards_issued);
	HD_STAND(&k->of, p, written, hazards_written);
	HD_STAND(&k->of, p, read, hazards_read);
	HD_STAND(&k->of, p, completed, hazards_completed);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_hazards = { &hd_type_hazards_if, sizeof(struct hazards), stand_hazards, NULL };
