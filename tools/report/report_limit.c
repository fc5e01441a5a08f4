/* report_limit.c - what limits the run, and the most that a change would save
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The limit is what most issue slots were lost to: an instance that did not empty the register sets
 * in front of it, or a reason.  A reason that is named after a module leads to what holds that up
 * (report_blocking.c).  report_lever.c has what would change it.
 */
#include "base/xalloc.h"
#include "report_limit.h"

#define MOST_CAUSES 8u

static void find_limit(struct report_limit *l)
{
	json_t *sums = json_object(), *kind, *sum;
	const char *name;
	size_t i;

	json_array_foreach((json_t *)l->slots, i, kind) {
		char *group = report_group_of(kind);

		l->total += report_slots_of(kind);
		sum = json_object_get(sums, group);
		if (!report_is_issue(kind))
			json_object_set_new(sums, group, json_integer(json_integer_value(sum)
			                                              + (json_int_t)report_slots_of(kind)));
		free(group);
	}
	json_object_foreach(sums, name, sum) {
		if ((uint64_t)json_integer_value(sum) <= l->lost)
			continue;
		l->lost = (uint64_t)json_integer_value(sum);
		free(l->group);
		l->group = hd__xstrdup(name);
	}
	json_array_foreach((json_t *)l->slots, i, kind) {
		size_t n = l->group ? strlen(l->group) : 0;

		l->at_instance |= n && strncmp(report_member(kind, "cause"), l->group, n) == 0
		                  && report_member(kind, "cause")[n] == ':';
	}
	json_decref(sums);
}

/* The causes in the limit, the largest first: what each is, and its slots in all units. */
static json_t *causes(const struct report_limit *l)
{
	json_t *sums = json_object(), *list = json_array(), *kind, *v;
	const char *name;
	size_t i;

	json_array_foreach((json_t *)l->slots, i, kind) {
		const char *doc = report_member(kind, l->at_instance ? "cause_doc" : "doc");
		json_int_t before = json_integer_value(json_object_get(sums, doc));

		if (report_in_limit(l, kind))
			json_object_set_new(sums, doc, json_integer(before + (json_int_t)report_slots_of(kind)));
	}
	while (json_object_size(sums) && json_array_size(list) < MOST_CAUSES) {
		const char *most = NULL;
		json_int_t n = -1;

		json_object_foreach(sums, name, v)
			if (json_integer_value(v) > n) {
				n = json_integer_value(v);
				most = name;
			}
		json_array_append_new(list, json_pack("{s:s, s:I}", "doc", most, "slots", n));
		json_object_del(sums, most);
	}
	json_decref(sums);
	return list;
}

void report_limit(struct report *r)
{
	struct report_limit l = { .r = r, .slots = json_object_get(r->out, "slots") };
	const struct report_busy *own;
	json_t *out;

	find_limit(&l);
	report_find_busy(&l);
	json_object_set_new(r->out, "busy", report_busy_list(&l));
	if (l.lost) {
		report_find_blocking(&l);
		own = report_busy_at(&l, l.at);
		out = json_pack("{s:o, s:b, s:I, s:I, s:o, s:b}", "group", report_text(l.group), "instance",
			l.at_instance, "slots", (json_int_t)l.lost, "of", (json_int_t)l.total, "causes",
			causes(&l), "full", l.full);
		if (own) {
			json_object_set_new(out, "name", report_text(own->name));
			json_object_set_new(out, "busy", json_real(own->share));
		}
		report_suggest(&l, out);
		json_object_set_new(r->out, "limit", out);
	}
	for (size_t i = 0; i < l.nbusy; i++)
		free(l.busy[i].name);
	free(l.busy);
	free(l.group);
	free(l.at);
}
