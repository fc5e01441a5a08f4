/* study_netlists.h - hashes of the netlists of a study as they are simulated
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_NETLISTS_H
#define TOOLS_STUDY_STUDY_NETLISTS_H

#include "inputs.h"

/* The netlist of a design with its values; NULL after reporting errors. */
struct hd_sim *study_build(const struct study *s, const struct study_design *design, const struct hd_registry *r,
                           struct hd_diags *d);
/* The hash of the text of all files that a netlist is made from. */
void study_hash_sources(const struct hd_sim *s, struct study_cache *c, char hash[STUDY_KEY]);
/* Of each design: in `hashes` stands the hash of its sources, and then that of its netlist as it is simulated.  Up
 * to `jobs` processes work on it.  `program`: its hash, since defaults are in it. */
void study_hash_netlists(const struct study *s, const struct hd_registry *r, struct study_cache *c, unsigned jobs,
                         const char *program, char (*hashes)[STUDY_KEY]);

#endif
