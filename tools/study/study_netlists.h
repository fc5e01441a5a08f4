/* study_netlists.h - the netlists of a study: their mistakes, and their hashes as they are simulated
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_NETLISTS_H
#define TOOLS_STUDY_STUDY_NETLISTS_H

#include "inputs.h"

/* Looks for mistakes: netlists of which no design can be built, and values that are wrong by themselves.  The result
 * has for each design the hash of the files of its netlist.  The caller frees it; NULL after reporting mistakes. */
char (*study_check_all(const struct study *s, const struct hd_registry *r, struct study_cache *c,
                       struct hd_diags *d))[STUDY_KEY];
/* Of each design: in `hashes` stands the hash of its sources, and then that of its netlist as it is simulated.  Up
 * to `jobs` processes work on it.  `program`: its hash, since defaults are in it. */
void study_hash_netlists(const struct study *s, const struct hd_registry *r, struct study_cache *c, unsigned jobs,
                         const char *program, char (*hashes)[STUDY_KEY]);

/* The hash of a netlist as it is simulated. */
void study_hash_sim(struct hd_sim *s, struct study_cache *c, char hash[STUDY_KEY]);

#endif
