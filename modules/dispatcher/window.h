/* window.h - private to the dispatchers: the kernels of the list that run, or may, of several streams at a time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, K9 to K11.
 */
#ifndef HEDDLE_MODULES_DISPATCHER_WINDOW_H
#define HEDDLE_MODULES_DISPATCHER_WINDOW_H

#include <heddle/gpu/trace.h>

enum window_phase { WINDOW_WAITS, WINDOW_RUNS, WINDOW_ENDED };

struct window_kernel {
	struct hd_launch launch;
	uint64_t opens;    /* edge from which its CTAs may be placed */
	uint64_t placed;
	uint32_t item;     /* in the trace's list */
	uint32_t resident; /* CTAs that have not retired */
	enum window_phase phase;
	bool checked;      /* a CTA of it fits on an empty SM */
};

struct window {
	uint32_t size;           /* most kernels, a parameter */
	uint32_t n, next;        /* in the window; next item of the list */
	struct window_kernel *v; /* in the order of the list */
	uint32_t *table;         /* running ones by place: item + 1, or 0 */
	uint32_t last_place;     /* of the kernel that was selected last */
	uint32_t open_item;      /* item + 1 whose blocks the trace gives, or 0 */
};

/* Returns 0, or -1 after a message. */
int hd__window_init(struct window *w, struct hd_ctx *ctx);
void hd__window_fini(struct window *w);

/* Is there room, and another kernel in the list? */
bool hd__window_grows(const struct window *w, const struct hd_trace_if *t);
/* Puts that kernel into the window.  Returns 0, or -1 after a message. */
int hd__window_grow(struct window *w, const struct hd_trace_if *t);
/* Launches the next kernel that may run and returns it, or NULL. */
struct window_kernel *hd__window_launch(struct window *w);
/* The kernel that may place a CTA now, or NULL: the one that was selected last, as long as it has any, else the next
 * of the table. */
struct window_kernel *hd__window_select(struct window *w, uint64_t now);
/* The kernel of that item, which is in the window. */
struct window_kernel *hd__window_of(struct window *w, uint32_t item);
/* Has the trace give the blocks of the kernel from now on, and fills *launch if it did not before.  Returns 0, or -1
 * after a message. */
int hd__window_open(struct window *w, const struct hd_trace_if *t, const struct window_kernel *k,
                    struct hd_launch *launch);
/* The last CTA of the kernel has retired: its place is free. */
void hd__window_done(struct window *w, struct window_kernel *k);
/* The first kernel of which that is so, or NULL; it is in the window until it is dropped. */
struct window_kernel *hd__window_ended(struct window *w);
void hd__window_drop(struct window *w, struct window_kernel *k);

void hd__window_report_pending(struct hd_pending *h, const struct window *w);
void hd__window_saved(struct hd_checkpoint *k, struct window *w);

#endif
