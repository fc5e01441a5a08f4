/* groups.h - private to the divergence policies: the groups of lanes of each warp, one of which runs
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_DIVERGENCE_GROUPS_H
#define MODULES_DIVERGENCE_GROUPS_H

#include <heddle/gpu/policy.h>

/* A warp has at most HD_LANES groups.  A stack has two more entries for each time that a group parts, and
 * a group of one lane does not. */
#define MOST_GROUPS (2 * HD_LANES)

struct group {
	uint32_t at, lanes; /* node, and the lanes that are there */
	uint32_t meet;      /* node where it ends by joining the entry below, or HD_PATH_NONE */
	bool held;          /* it waits at a CTA barrier */
};

struct group_warp {
	const struct hd_path_node *node;
	struct group v[MOST_GROUPS];
	uint32_t n, top; /* .v[top] runs; without groups the warp has to begin, or has ended */
	bool holds;      /* some group may be held */
};

/* The state of a policy begins with this. */
struct groups {
	struct hd_policy policy;
	/* The running group has executed an instruction; its lanes go on, end, part, or wait.  Returns
	 * whether groups have changed. */
	bool (*advance)(struct groups *g, uint32_t warp, struct group_warp *w, const struct hd_path_step *step);
	bool failed; /* the run ends after this edge */
	struct group_warp warp[HD_MAX_WARPS];
};

/* For `init`. */
int hd__groups_init(struct groups *g, struct hd_ctx *ctx,
                    bool (*advance)(struct groups *g, uint32_t warp, struct group_warp *w,
                                    const struct hd_path_step *step));
/* For `checkpoint`: all of the state. */
void hd__groups_saved(void *state, struct hd_checkpoint *k);

/* What becomes of the running group: the lanes that branch, fall through, and wait at a barrier behind
 * the instruction.  Some have no lanes. */
struct group_parts {
	struct group taken, fallen, held;
};

struct group_parts hd__groups_part(struct groups *g, uint32_t warp, const struct group_warp *w,
                                   const struct hd_path_step *step);

#endif
