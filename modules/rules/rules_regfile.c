/* rules_regfile.c - rules of register files and result buses
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "rules_list.h"

#include <heddle/gpu/regfile.h>

struct regfile {
	struct hd_judged by;
	struct hd_regfile_if of;
	uint64_t asked; /* units with reads outstanding */
};

static bool regfile_write(void *self, uint32_t warp, uint32_t reg)
{
	struct regfile *k = self;

	if (reg == 0)
		hd_rules_misused(&k->by, "wrote register 0 of warp %u, which is none, into '%s'", warp,
		                 hd_rules_name(k->by.provider));
	return k->of.write(k->of.self, warp, reg);
}

static void regfile_read(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n)
{
	struct regfile *k = self;

	if (unit >= HD_READ_UNITS || hd_bits_has(k->asked, unit) || n == 0)
		hd_rules_misused(&k->by, "asked '%s' for %u registers for unit %u; expected at least one, for a unit "
		                 "below %u without reads outstanding", hd_rules_name(k->by.provider), n, unit,
		                 HD_READ_UNITS);
	k->asked |= hd_bit(unit % HD_READ_UNITS);
	k->of.read(k->of.self, unit, warp, reg, n);
}

static uint64_t regfile_step(void *self, bool first)
{
	struct regfile *k = self;
	uint64_t done = k->of.step(k->of.self, first), wrong = done & ~k->asked;

	if (wrong)
		hd_rules_wrong(&k->by, "returned unit %u from step(), for which no register was asked; expected units "
		               "whose last read was served, once", hd_bits_first(wrong));
	k->asked &= ~done;
	return done;
}

static void stand_regfile(void *checks, void *provided)
{
	struct regfile *k = checks;
	struct hd_regfile_if *p = provided;

	HD_STAND(&k->of, p, write, regfile_write);
	HD_STAND(&k->of, p, read, regfile_read);
	HD_STAND(&k->of, p, step, regfile_step);
	HD_STAND(&k->of, p, self, checks);
	p->banks = NULL;
}

const struct hd_rules hd__rules_regfile = { &hd_type_regfile_if, sizeof(struct regfile), stand_regfile, NULL };

struct result_bus {
	struct hd_judged by;
	struct hd_result_bus_if of;
};

static bool bus_reserve(void *self, hd_inst_ref inst, uint32_t ahead)
{
	struct result_bus *k = self;
	const struct hd_result_bus_if *p = k->by.provided;

	if (ahead > p->max_ahead)
		hd_rules_misused(&k->by, "reserved a bus of '%s' %u edges from now; expected at most %u",
		                 hd_rules_name(k->by.provider), ahead, p->max_ahead);
	return k->of.reserve(k->of.self, inst, ahead);
}

static void stand_result_bus(void *checks, void *provided)
{
	struct result_bus *k = checks;
	struct hd_result_bus_if *p = provided;

	HD_STAND(&k->of, p, reserve, bus_reserve);
	HD_STAND(&k->of, p, self, checks);
	p->buses = NULL;
}

const struct hd_rules hd__rules_result_bus = {
	&hd_type_result_bus_if, sizeof(struct result_bus), stand_result_bus, NULL };
