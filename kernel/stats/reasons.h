/* reasons.h - counts why issue slots were lost, for the run and each item of its input (heddle run --reasons)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_STATS_REASONS_H
#define KERNEL_STATS_REASONS_H

#include "kernel/sim.h"
#include "base/int_map.h"
#include "base/json_write.h"

struct hd_reason_counts;

struct hd_reasons {
	struct hd_sim *sim;
	struct hd_reason_counts **of; /* by instance, those of its module; NULL: it has no reasons */
	struct hd_reason_counts *first; /* of all modules */
	json_t *items;                /* list: members for each item of the input that has ended, its growth */
	char **causes;                /* "collector.operands", each once */
	size_t ncauses;
	struct hd_int_map cause_of;   /* number of a cause -> index + 1 */
	struct hd_json_rows rows;     /* without reasons */
};

/* Begins to count in a simulation whose hd_options.event was set when it was built, and of which it reports
 * no other events than those with a reason, unless `all`. */
void hd__reasons_begin(struct hd_reasons *r, struct hd_sim *s, bool all);
/* An event of hd_options.event. */
void hd__reasons_event(struct hd_reasons *r, const struct hd_instance *in, unsigned event, const int64_t *v);
/* hd_options.item_over. */
void hd__reasons_part(void *reasons);
/* Adds members "reasons", and "causes" if they are known, to the statistics and their "kernels_rest", between two
 * cycles or after the run. */
void hd__reasons_write(struct hd_reasons *r, json_t *statistics);
/* hd__stats_rows() with the reasons of those that are kept by themselves; good until another call, or the end of *r. */
struct hd_json_rows hd__reasons_rows(struct hd_reasons *r);
void hd__reasons_free(struct hd_reasons *r);

#endif
