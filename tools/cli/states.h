/* states.h - heddle run --save-at and --load: the state of a run in a file
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_CLI_STATES_H
#define HEDDLE_CLI_STATES_H

#include "base/output.h"
#include "tools/monitor/host.h"

struct hd_states {
	const char *load, *save; /* files, or NULL */
	uint64_t save_cycle;     /* UINT64_MAX: at the kernel of hd_options.halt_item */
	struct hd_output saved;  /* .f is NULL once it is complete */
};

/* Loads the state from which the run goes on, and prepares that in which it is saved.  Returns false
 * after printing an error. */
bool hd__states_prepare(struct hd_host *h, struct hd_states *t, const struct hd_options *opt);
/* Saves the halted run in its file. */
void hd__states_save(struct hd_host *h);
/* A run that ended before it was saved has failed.  Returns the exit status. */
int hd__states_end(struct hd_host *h, struct hd_states *t, int status);

#endif
