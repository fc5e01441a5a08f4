/* report_kinds.c - kinds of issue slots, and which of them are one group
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/xalloc.h"
#include "report_limit.h"

uint64_t report_slots_of(const json_t *kind)
{
	return (uint64_t)json_integer_value(json_object_get(kind, "total"));
}

bool report_is_issue(const json_t *kind)
{
	const char *reason = report_member(kind, "reason");

	return strcmp(reason, "single") == 0 || strcmp(reason, "dual") == 0;
}

/* "load_store: latch" is "load_store"; of reasons without a cause the first two words, "idle.fetch",
 * as further ones are places of the same. */
char *report_group_of(const json_t *kind)
{
	const char *cause = report_member(kind, "cause"), *reason = report_member(kind, "reason"), *end;

	if (strstr(cause, ": "))
		return hd__xstrndup(cause, (size_t)(strstr(cause, ": ") - cause));
	end = strchr(reason, '.');
	end = end ? strchr(end + 1, '.') : NULL;
	return end ? hd__xstrndup(reason, (size_t)(end - reason)) : hd__xstrdup(reason);
}

bool report_in_limit(const struct report_limit *l, const json_t *kind)
{
	char *group = report_group_of(kind);
	bool same = !report_is_issue(kind) && strcmp(group, l->group) == 0;

	free(group);
	return same;
}
