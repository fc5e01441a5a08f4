/* replay.h - a dump as it happened: what begins and ends, in the order of time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory is taken for what is under way at a time (and for the blocks that it is read from).
 */
#ifndef TOOLS_DUMP_REPLAY_H
#define TOOLS_DUMP_REPLAY_H

#include "order.h"
#include "stages.h"

/* In a cycle all that begins comes before all that changes or ends; what one instruction leaves
 * comes before what it enters. */
struct dump_replay {
	struct dump *dump;
	const struct dump_query *query;
	struct dump_stage_view *picture;
	void *arg;             /* of all functions */
	uint32_t instructions; /* number of the table */

	/* Number `number` (from 0, in the order of these calls) begins; its stays can be looked at,
	 * and `other` be set. */
	void (*begin)(void *arg, const struct dump_item *i, uint64_t number, struct dump_changes *c);
	void (*change)(void *arg, uint64_t number, const struct dump_change *c);
	/* finished: it was issued and came to its end. */
	void (*end)(void *arg, uint64_t number, uint64_t cycle, bool finished);
	/* A row of another table begins; and ends, if it stands for more than a moment.  NULL: only
	 * instructions are read. */
	void (*row)(void *arg, const struct dump_item *i);
	void (*row_end)(void *arg, uint32_t table, int64_t who, uint64_t cycle);
};

/* false: the dump has no instructions, said on stderr. */
bool dump_replay(struct dump_replay *r);

#endif
