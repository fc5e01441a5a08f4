/* resume.h - goes on with a run in a simulation into which its state was loaded
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_MODULES_RESUME_H
#define TESTS_MODULES_RESUME_H

#include "kernel/sim.h"

/* Makes another simulation of the same netlist, without having run.  NULL: it cannot be made. */
typedef struct hd_sim *resume_make(void *arg);

/* Runs the simulation to its end; every `every` cycles it is saved, and the run goes on in another one,
 * to which the state was loaded.  Returns the last one; NULL: the reason is among the faults. */
struct hd_sim *resume_run(struct hd_sim *s, uint64_t every, resume_make *make, void *arg);

#endif
