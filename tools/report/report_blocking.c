/* report_blocking.c - what holds up a queue that a reason is named after
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * "stall.memory_queue" is a lack of places in an instance of the module memory_queue.  Its work goes on through
 * channels, and the first busy one there that nothing busier follows is what holds it up.  If nothing there is busy for
 * most of the time, the queue itself has too few places.
 */
#include "base/path.h"
#include "base/xalloc.h"
#include "report_limit.h"

#define BUSY 0.6 /* of the cycles: below, an instance does not hold up what is in front of it */

/* Where the array `plain` puts something: the busiest.  Sets its share of the cycles. */
static char *busiest_after(const struct report_limit *l, const char *plain, double *share)
{
	const struct dump *d = l->r->d;
	json_t *links = dump_part(d, "links"), *one;
	char *best = NULL;
	size_t i;

	*share = -1;
	json_array_foreach(links, i, one) {
		const json_t *ends = json_object_get(one, "ends");

		for (size_t k = 0; strcmp(report_member(one, "kind"), "channel") == 0
		                   && k + 1 < json_array_size(ends); k += 2) {
			json_int_t from = json_integer_value(json_array_get(ends, k));
			json_int_t to = json_integer_value(json_array_get(ends, k + 1));
			char *a, *b;
			const struct report_busy *busy;

			if (from < 0 || to < 0 || from >= d->ninstances || to >= d->ninstances)
				continue;
			a = hd__path_without_indices(d->instances[from].path);
			b = hd__path_without_indices(d->instances[to].path);
			busy = strcmp(a, plain) == 0 ? report_busy_at(l, b) : NULL;
			free(a);
			if (busy && busy->share > *share) {
				*share = busy->share;
				free(best);
				best = b;
			} else {
				free(b);
			}
		}
	}
	json_decref(links);
	return best;
}

/* The array of the module that the reason is named after; NULL: there is none. */
static char *named_after(const struct report_limit *l)
{
	const char *dot = strrchr(l->group, '.'), *name;
	json_t *one;

	json_object_foreach((json_t *)report_instances(l), name, one)
		if (dot && strcmp(report_member(one, "module"), dot + 1) == 0)
			return hd__path_without_indices(name);
	return NULL;
}

void report_find_blocking(struct report_limit *l)
{
	const struct report_busy *own;
	char *queue, *next;
	double share, next_share;

	if (l->at_instance) {
		l->at = hd__xstrdup(l->group);
		return;
	}
	queue = named_after(l);
	if (!queue)
		return;
	l->at = hd__xstrdup(queue);
	own = report_busy_at(l, queue);
	share = own ? own->share : 0;
	while ((next = busiest_after(l, l->at, &next_share)) && next_share > share) {
		free(l->at);
		l->at = next;
		share = next_share;
	}
	free(next);
	l->full = share < BUSY;
	if (l->full) {
		free(l->at);
		l->at = queue;
	} else {
		free(queue);
	}
}
