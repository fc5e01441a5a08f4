/* replay.h - replays a dump: begins, changes and ends of rows in the order of time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory is needed for the rows in progress at a time (and for their blocks).
 */
#ifndef TOOLS_DUMP_REPLAY_H
#define TOOLS_DUMP_REPLAY_H

#include "dump/row_order.h"
#include "stages.h"

/* In a cycle all begins come before all changes and ends; for one instruction, leaving a place
 * comes before entering the next. */
struct dump_replay {
	struct dump *dump;
	const struct dump_query *query;
	struct dump_stage_view *view;
	void *arg;             /* of all functions */
	uint32_t instructions; /* number of the table */

	/* Number `number` (from 0, in the order of these calls) begins; its stays can be read,
	 * and `other` be set.  NULL: that is not reported. */
	void (*begin)(void *arg, const struct dump_item *i, uint64_t number, struct dump_changes *c);
	void (*change)(void *arg, uint64_t number, const struct dump_change *c);
	/* finished: it was issued and has completed.  NULL: that is not reported. */
	void (*end)(void *arg, uint64_t number, uint64_t cycle, bool finished);
	/* A row of another table begins; and ends, if it has a duration.  Its number is of the same count.  NULL:
	 * only instructions are read. */
	void (*row)(void *arg, const struct dump_item *i, uint64_t number);
	void (*row_end)(void *arg, uint64_t number, uint32_t table, int64_t who, uint64_t cycle);
};

/* Returns false after printing that the dump has no instructions. */
bool dump_replay(struct dump_replay *r);

#endif
