/* checkpoint.h - how the state of an instance is saved and loaded
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Part of module.h, which is the header to include.  A simulation is loaded into one that was built
 * from the same netlist and has started: parameters, ports, interfaces and what init and start make
 * are there, and remain.  hd_module.checkpoint names what has changed since; the same function is
 * called to save and to load, so that both agree.  The kernel itself saves counters, meters,
 * channels, pools of records, timers and clocks.
 *
 * Pointers are never saved: an instance that has some saves numbers instead, and finds its objects
 * again when it loads.
 */
#ifndef HEDDLE_CHECKPOINT_H
#define HEDDLE_CHECKPOINT_H

#include <heddle/module.h>

HD_BEGIN

struct hd_checkpoint;

/* Saves `bytes` bytes from p, or loads them to there.  What cannot be loaded becomes zero, and the
 * whole simulation is refused afterwards; the instance only has to remain one that fini can free. */
void hd_saved(struct hd_checkpoint *k, void *p, size_t bytes);
#define HD_SAVED(k, member) hd_saved((k), &(member), sizeof(member))
/* The members of *p from `first` to `last`, in the order of their declaration. */
#define HD_SAVED_FROM(k, p, first, last) \
	hd_saved((k), &(p)->first, (size_t)((char *)(&(p)->last + 1) - (char *)&(p)->first))

/* What exists in some runs only, such as tables for dumps: p is NULL if it does not.  A run that has
 * it loads it from one that had it; else it remains as init made it. */
void hd_saved_maybe(struct hd_checkpoint *k, void *p, size_t bytes);

/* Saves n and returns it, or returns the saved number: at most `most`, else the file is damaged and
 * the result 0; nor may more be saved.  For counts and indices, before memory is made for them or they are used. */
uint64_t hd_saved_number(struct hd_checkpoint *k, uint64_t n, uint64_t most);

/* A text, or NULL.  A loaded one belongs to the simulation and stays valid until fini. */
void hd_saved_text(struct hd_checkpoint *k, const char **text);

/* Does the call load?  Then what follows from the loaded members is to be made again. */
bool hd_loads(const struct hd_checkpoint *k);

/* What was loaded contradicts the rest of the state or the input: the simulation is refused with this
 * reason.  What is to be saved cannot be: no file is written. */
void hd_refuse(struct hd_checkpoint *k, const char *fmt, ...) HD_PRINTF(2, 3);

/* hd_module.checkpoint of a module that has no state but its counters and meters. */
void hd_nothing_saved(void *state, struct hd_checkpoint *k);

/* May this run be saved?  An instance that has to remember more for that does so only then. */
bool hd_may_save(const struct hd_ctx *c);

HD_END

#endif
