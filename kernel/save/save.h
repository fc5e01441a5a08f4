/* save.h - the state of a simulation as bytes, and as a file
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_SAVE_SAVE_H
#define KERNEL_SAVE_SAVE_H

#include "kernel/saved.h"

/* ---- checkpoint_sim.c ---- */

/* Modules in the simulation that have no hd_module.checkpoint: "'a', 'b'", to be freed; NULL: all
 * have. */
char *hd__not_saved(const struct hd_sim *s);
/* Appends the state of a simulation that has halted between two periods and that hd__not_saved() does
 * not refuse.  Returns NULL; or the reason why it could not be loaded, to be freed. */
char *hd__sim_save(struct hd_sim *s, struct hd_bytes *to);
/* Loads it into one that was built from the same netlist and has not run.  Returns NULL; or the
 * reason why not, to be freed: the simulation can only be freed then. */
char *hd__sim_load(struct hd_sim *s, const void *bytes, size_t n);

/* ---- checkpoint_file.c ---- */

/* `netlist`: as it is simulated.  Returns false with an error in errno, or with the reason of hd__sim_save(). */
bool hd__checkpoint_write(struct hd_sim *s, const json_t *netlist, FILE *out, char **why);
/* Returns false after printing an error. */
bool hd__checkpoint_read(struct hd_sim *s, const json_t *netlist, const char *path);
/* The same from memory, for tests: returns the reason, to be freed, or NULL. */
char *hd__checkpoint_parse(struct hd_sim *s, const json_t *netlist, const void *bytes, size_t n);

#endif
