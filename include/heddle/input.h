/* input.h - the input of a run, its items, its clocks with gates, and its end
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Part of module.h, which is the header to include.  Only instances that read the input, open clocks, or end the
 * run need it.
 */
#ifndef HEDDLE_INPUT_H
#define HEDDLE_INPUT_H

#include <heddle/module.h>

HD_BEGIN

const char *hd_input(const struct hd_ctx *c);            /* of the run; NULL: start returns -1 if it needs one */
void hd_input_range(const struct hd_ctx *c, uint64_t *first, uint64_t *last); /* its items, 1 is the first */
/* Opens a file for reading; a pipe does not hold it up.  -1 with the reason in *why: errno's text, that this
 * run writes the same file, or that it is a pipe and this run reads its input more than once. */
int hd_open(const struct hd_ctx *c, const char *path, const char **why);
bool hd_strict(const struct hd_ctx *c);   /* refuse input that contradicts itself (--strict) */

/* The run turns to item `item` of the input, whose name stays valid until fini: what fails from here
 * on is its failure.  Returns false if the item is left out. */
bool hd_next_item(const struct hd_ctx *c, uint64_t item, const char *name);
/* Is a run that fails repeated without the item?  Then the items have to be one after another. */
bool hd_keep_going(const struct hd_ctx *c);
/* Is the item not simulated?  It takes no time then. */
bool hd_skips(const struct hd_ctx *c, uint64_t item);
/* Is an item that is not simulated read for what it leaves behind in caches? */
bool hd_warms(const struct hd_ctx *c, uint64_t item);
/* The rest of an item may be left out once its rate is stable: once two parts of it, one after the other, differ in it
 * by this share at most.  0: all of it is simulated. */
double hd_stable(const struct hd_ctx *c);

/* Opens or closes, from the next period on, every clock that the netlist lets this instance gate; they start closed. */
void hd_gate(const struct hd_ctx *c, bool open);
/* In init or start: this instance has work, and calls hd_finish() when it is done. */
void hd_expect_finish(const struct hd_ctx *c);
/* Ends the run successfully after this edge, unless others are expected to finish and have not. */
void hd_finish(const struct hd_ctx *c);
void hd_progress(const struct hd_ctx *c, double done, double total); /* in a unit common to all that call this */

HD_END

#endif
