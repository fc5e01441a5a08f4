/* window.c - the kernels of the list that run, or may, of several streams at a time
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "window.h"
#include "sm.h"

#include <stdlib.h>

int hd__window_init(struct window *w, struct hd_ctx *ctx)
{
	w->v = calloc(w->size, sizeof *w->v);
	w->table = calloc(w->size, sizeof *w->table);
	return w->v && w->table ? 0 : hd_error(ctx, "out of memory");
}

void hd__window_fini(struct window *w)
{
	free(w->v);
	free(w->table);
}

bool hd__window_grows(const struct window *w, const struct hd_trace_if *t)
{
	return w->n < w->size && w->next < t->kernels(t->self);
}

int hd__window_grow(struct window *w, const struct hd_trace_if *t)
{
	struct window_kernel *k = &w->v[w->n];

	*k = (struct window_kernel){ .item = w->next };
	if (t->peek(t->self, w->next, &k->launch) < 0)
		return -1;
	w->n++;
	w->next++;
	return 0;
}

static bool stream_busy(const struct window *w, uint64_t stream)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->v[i].phase == WINDOW_RUNS && w->v[i].launch.stream == stream)
			return true;
	return false;
}

static bool take_place(struct window *w, uint32_t item)
{
	for (uint32_t i = 0; i < w->size; i++) {
		if (w->table[i] == 0) {
			w->table[i] = item + 1;
			return true;
		}
	}
	return false;
}

struct window_kernel *hd__window_launch(struct window *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct window_kernel *k = &w->v[i];

		if (k->phase != WINDOW_WAITS || stream_busy(w, k->launch.stream) || !take_place(w, k->item))
			continue;
		k->phase = WINDOW_RUNS;
		return k;
	}
	return NULL;
}

struct window_kernel *hd__window_of(struct window *w, uint32_t item)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->v[i].item == item)
			return &w->v[i];
	return NULL;
}

struct window_kernel *hd__window_select(struct window *w, uint64_t now)
{
	for (uint32_t i = 0; i < w->size; i++) {
		uint32_t place = (w->last_place + i) % w->size;
		struct window_kernel *k = w->table[place] ? hd__window_of(w, w->table[place] - 1) : NULL;

		if (k && k->placed < k->launch.ctas && now >= k->opens) {
			w->last_place = place;
			return k;
		}
	}
	return NULL;
}

int hd__window_open(struct window *w, const struct hd_trace_if *t, const struct window_kernel *k,
                    struct hd_launch *launch)
{
	if (w->open_item == k->item + 1)
		return 0;
	w->open_item = k->item + 1;
	return t->open(t->self, k->item, launch) > 0 ? 0 : -1;
}

void hd__window_done(struct window *w, struct window_kernel *k)
{
	k->phase = WINDOW_ENDED;
	for (uint32_t i = 0; i < w->size; i++)
		if (w->table[i] == k->item + 1)
			w->table[i] = 0;
}

struct window_kernel *hd__window_ended(struct window *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->v[i].phase == WINDOW_ENDED)
			return &w->v[i];
	return NULL;
}

void hd__window_drop(struct window *w, struct window_kernel *k)
{
	w->n--;
	for (; k < &w->v[w->n]; k++)
		*k = k[1];
}

void hd__window_report_pending(struct hd_pending *h, const struct window *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		hd__sm_report_pending(h, &w->v[i].launch, w->v[i].placed, w->v[i].resident);
}

void hd__window_saved(struct hd_checkpoint *k, struct window *w)
{
	for (uint32_t i = 0; i < w->size; i++) {
		hd_launch_saved(k, &w->v[i].launch);
		HD_SAVED_FROM(k, &w->v[i], opens, checked);
	}
	w->n = (uint32_t)hd_saved_number(k, w->n, w->size);
	HD_SAVED(k, w->next);
	hd_saved(k, w->table, w->size * sizeof *w->table);
	HD_SAVED_FROM(k, w, last_place, open_item);
}
