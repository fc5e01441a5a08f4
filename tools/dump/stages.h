/* stages.h - the transaction of an instruction as a viewer draws it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A dump records one place after another.  Diagrams have two lanes: where an instruction is, and
 * what it waits for there.  Channels and instances are places; marks show what is waited for, and
 * do not end the stay.  Only a transaction that begins with a mark is at that mark, and an instance
 * that marks a record from a channel that it reads has taken it.
 *
 * Names come from the netlist alone.  Instance: the first letters of its name, "collector" is
 * CO, "load_store" LS; channel: the same of its reader, in small letters, co.  The instances
 * after the last link with a `unit` execute: X:SP, and sp for the channel in front of them.
 */
#ifndef TOOLS_DUMP_STAGES_H
#define TOOLS_DUMP_STAGES_H

#include "dump/dump_read.h"

struct dump_drawn {
	const char *name;
	bool waits;          /* a mark */
	bool executes;
	bool of_register;    /* the number that comes with it is one of a SASS register */
	char **args;         /* names of waits, by number; created on demand */
};

struct dump_stage_view {
	const struct dump *dump;
	struct dump_drawn *v; /* by place */
	uint32_t *array;      /* by instance: the first of its array */
	uint32_t *inside;     /* by instance: its place */
	char **made;          /* names to be freed */
	size_t nmade, capmade;
};

struct dump_stage_view *dump_stage_view_new(const struct dump *d);
void dump_stage_view_free(struct dump_stage_view *s);

enum dump_lane { DUMP_LANE_STAGE, DUMP_LANE_WAIT };

/* A stay begins or ends. */
struct dump_change {
	uint64_t cycle;
	uint32_t place;
	uint8_t lane;        /* enum dump_lane */
	bool opens;
	int64_t arg;
	uint64_t other;      /* for the user; 0 */
};

/* In the lane of waits "sbR12", "room SP", "turn"; else the name of the stage. */
const char *dump_stage_view_text(struct dump_stage_view *s, const struct dump_change *c);

struct dump_changes {
	struct dump_change *v; /* the owner frees it */
	size_t n, cap;
};

/* The changes in a transaction, in the order of time; in each lane one stay ends before another
 * begins.  Stays of no cycles are left out. */
void dump_split(const struct dump_stage_view *s, const struct dump_transaction *transaction, struct dump_changes *out);

#endif
