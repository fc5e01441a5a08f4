/* known.h - tables and columns of a dump with a known meaning, and the cores of its netlist
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instructions are the transactions "inst"; issue slots are the first events with a duration (a
 * span "n") and a reason, whatever the name of the module that reports them.
 */
#ifndef TOOLS_DUMP_KNOWN_H
#define TOOLS_DUMP_KNOWN_H

#include "dump/dump_read.h"
#include "dump/row_order.h"

#define DUMP_NEVER UINT64_MAX

/* The cores of a netlist, and the instances of each.
 * Warps and issue order are numbered in each core separately, so these numbers are meaningful only
 * together with the core.  Names do not identify a core: it is the innermost netlist that contains
 * both an instance that begins instructions and one that issues them, "sm[1]" or
 * "cluster[0].sm[3]". */
struct dump_cores {
	char **paths;   /* by core; of core 0 "": all instances of no other core */
	uint32_t n;     /* at least 1 */
	uint32_t *of;   /* core by instance */
	uint32_t *at;  /* by place; a channel that leads out of a core belongs to it */
};

/* Reads the first block of instructions, if any. */
struct dump_cores *dump_cores_new(struct dump *d);
void dump_cores_free(struct dump_cores *c);

/* The core in which the record begins. */
uint32_t dump_core_of(const struct dump_cores *c, const struct dump_transaction *t);
/* The path of an instance of a core, common to all such cores, "sm[*].sp[0]"; the caller frees
 * it. */
char *dump_path_in_cores(const struct dump_cores *c, const struct dump *d, uint32_t instance);

struct dump_known {
	struct dump *d;
	struct dump_cores *cores;
	/* tables, -1: there is none; fields, -1: the table has none.  Instructions have at least
	 * uid, warp and code, slots n and reason. */
	int inst, uid, warp, code, mask;
	int slot, n, reason, unit, cause, reg, slot_warp, slot_code, slot_kernel;
	uint8_t *role;            /* by place: its role for the issue */
	bool issues;              /* there is a place for what was issued */
};

void dump_know(struct dump_known *k, struct dump *d);
void dump_known_free(struct dump_known *k);

/* The value of a field of the tables, `otherwise` if they have none. */
static inline int64_t dump_value(const struct dump_rows *r, int field, uint32_t row,
                                 int64_t otherwise)
{
	return field < 0 ? otherwise : r->field[field][row];
}

/* Numbers of registers from here on are dependence counters (docs/dump-format.md). */
#define DUMP_COUNTER 1024
/* "R4", "SB2", in a buffer of at least 24 bytes; returns it. */
char *dump_register_name(char *to, int64_t reg);
/* Is that place a wait whose number is a register? */
bool dump_is_register(const struct dump_place *p);

/* Is that step a wait?  A mark with which an instruction begins is where it is, unless it is one at its issue: then
 * the dump began later than the instruction. */
bool dump_is_wait(const struct dump_known *k, const struct dump_transaction *t, uint32_t step);

/* The core of an instruction, of a slot or of another event. */
uint32_t dump_core_of_item(const struct dump_known *k, const struct dump_item *i);
/* The step after the issue of an instruction; t->n: it was not issued, or that is unknown. */
uint32_t dump_issue_step(const struct dump_known *k, const struct dump_transaction *t);

/* The cycle in which an instruction reached a stage; DUMP_NEVER: it did not, or unknown. */
enum dump_stage { DUMP_BEGIN, DUMP_ISSUE, DUMP_COLLECT, DUMP_DISPATCH, DUMP_EXECUTE,
	DUMP_WRITEBACK, DUMP_END, DUMP_STAGES };
extern const char *const dump_stage_names[DUMP_STAGES];
void dump_stages(const struct dump_known *k, const struct dump_transaction *t,
                 uint64_t at[DUMP_STAGES]);

#endif
