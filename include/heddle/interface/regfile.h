/* regfile.h - interfaces of the banked register file and of the result bus
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Register file; docs/sm.md, Function units.
 */
#ifndef HEDDLE_INTERFACE_REGFILE_H
#define HEDDLE_INTERFACE_REGFILE_H

#include <heddle/module.h>

struct hd_regfile_if {
	void *self;
	/* Takes the bank's write port for this edge.  Returns false if it is already taken. */
	bool (*write)(void *self, uint32_t warp, uint32_t reg);
	/* Queues reads of n operands for collector unit `unit`. */
	void (*read)(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n);
	/* One step: every bank without a write in this step serves the head of its queue, that is
	 * waiting[unit]-- for each.  `first` is true in the first step of an edge: only that one
	 * sees the writes.  Returns the units without outstanding reads. */
	uint64_t (*step)(void *self, bool first, uint8_t *waiting);
};

static const struct hd_type hd_type_regfile_if = {
	.name = "regfile", .size = sizeof(struct hd_regfile_if), .version = 1,
	.work = HD_WORK_IN,
};

/* Where the registers of a warp are: in the one register file, or in that of its sub-core. */
static inline const struct hd_regfile_if *hd_regfile_of(const struct hd_ifs *files, uint32_t warp)
{
	return (const struct hd_regfile_if *)files->v[files->n == 1 ? 0 : warp % files->n];
}

static inline bool hd_regfile_write(const struct hd_ifs *files, uint32_t warp, uint32_t reg)
{
	const struct hd_regfile_if *f = hd_regfile_of(files, warp);

	return f->write(f->self, warp, reg);
}

struct hd_result_bus_if {
	void *self;
	/* Reserves a bus `ahead` edges from now.  Returns false if all are taken then. */
	bool (*reserve)(void *self, uint32_t ahead);
	uint32_t max_ahead;
};

static const struct hd_type hd_type_result_bus_if = {
	.name = "result_bus", .size = sizeof(struct hd_result_bus_if), .version = 1,
};

#endif
