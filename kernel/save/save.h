/* save.h - the state of a simulation as bytes, and as a file
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One sequence of calls saves and loads, so that the bytes have no tags: what is missing or left over
 * shows at the end of each instance.
 */
#ifndef KERNEL_SAVE_SAVE_H
#define KERNEL_SAVE_SAVE_H

#include "base/bytes.h"
#include "kernel/sim.h"

struct hd_checkpoint {
	struct hd_sim *sim;
	bool loading;
	struct hd_bytes out;        /* saving */
	const unsigned char *at, *end; /* loading: what is left */
	const struct hd_instance *instance; /* whose part it is; NULL: the kernel's */
	char *why;                  /* the first thing that is wrong; NULL: nothing */
};

/* ---- checkpoint.c, for the kernel's own part; instances have <heddle/checkpoint.h> ---- */

/* A value as text, to be freed. */
char *hd__json_text(const json_t *j, size_t flags);
/* Saves a text and returns NULL, or loads one, to be freed. */
char *hd__saved_string(struct hd_checkpoint *k, const char *text);
void hd__rows_saved(struct hd_checkpoint *k);  /* rows.c */
void hd__per_item_saved(struct hd_checkpoint *k); /* per_item_saved.c */
/* rows.c: a table's own name; NULL: there is no such table. */
const char *hd__row_table_name(const struct hd_sim *s, const char *name);

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
