/* producers.h - which earlier instruction writes a register, and when an instruction was where
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A dump says that an instruction waited for register 4; that it is the load two lines above which
 * writes it is found here: the instructions of a warp are issued in order, so the last one before
 * that has the register as its destination is meant.
 */
#ifndef TOOLS_DUMP_PRODUCERS_H
#define TOOLS_DUMP_PRODUCERS_H

#include "order.h"

#define DUMP_NEVER UINT64_MAX

/* The columns whose meaning is known; -1: there are none.  A table is there only with all of its
 * columns. */
struct dump_known {
	int inst, uid, warp, code, mask;
	int slot, n, reason, unit, cause, reg, slot_warp, slot_code;
};
void dump_know(struct dump_known *k, const struct dump *d);

/* When an instruction came where; DUMP_NEVER: it did not, or nobody can tell. */
enum dump_stage { DUMP_BEGIN, DUMP_ISSUE, DUMP_COLLECT, DUMP_DISPATCH, DUMP_EXECUTE,
	DUMP_WRITEBACK, DUMP_END, DUMP_STAGES };
extern const char *const dump_stage_names[DUMP_STAGES];
void dump_stages(const struct dump *d, const struct dump_transaction *transaction, uint64_t at[DUMP_STAGES]);

struct dump_producer {
	uint64_t uid;  /* 0: not known */
	uint32_t code;
};

struct dump_producers;
struct dump_producers *dump_producers_new(const struct dump *d, const struct dump_known *k);
void dump_producers_free(struct dump_producers *p);
/* The next instruction, as dump_in_order() gives them.  What it waits for has to be asked before. */
void dump_producers_add(struct dump_producers *p, const struct dump_item *item);
/* Who writes register `reg` for the next instruction of the warp that is added. */
struct dump_producer dump_produces(const struct dump_producers *p, int64_t warp, int64_t reg);
/* The same for the instruction that the warp has to issue in cycle `now`; `now` must not decrease. */
struct dump_producer dump_produces_at(struct dump_producers *p, int64_t warp, int64_t reg,
                                      uint64_t now);

#endif
