/* dump_filter.h - selects the part of a run that a dump holds
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A filter is a list of conditions NAME=VALUES; values are separated by commas.
 *	cycle=100-2000     windows of time; several are allowed, in order
 *	event=PATTERN      "issue.slot", "cache.*", the name of a record ("inst"), "counters"; without
 *	                   it: records, counters, and events that are not marked as frequent
 *	instance=PATTERN   instances that report events or have counters, "issue[0]"; records that
 *	                   passed through such an instance
 *	FIELD=RANGES       rows that have a field of this name, with one of these numbers
 */
#ifndef DUMP_DUMP_FILTER_H
#define DUMP_DUMP_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_range {
	uint64_t first, last;
};

struct hd_range_list {
	struct hd_range *v;
	size_t n;
};

struct hd_condition {
	char *name;
	struct hd_range_list ranges;
	bool used; /* some table has such a field */
};

struct hd_filter {
	struct hd_range_list cycles;
	char **events, **instances; /* patterns: hd__path_fits() */
	size_t nevents, ninstances;
	struct hd_condition *fields;
	size_t nfields;
	char **text; /* as given */
	size_t ntext;
};

/* Adds "NAME=VALUES".  Returns NULL, or an error message that the caller frees. */
char *hd__filter_add(struct hd_filter *f, const char *text);
void hd__filter_free(struct hd_filter *f);
/* name: "module.event"; detail: recorded only if a pattern names it. */
bool hd__filter_event(const struct hd_filter *f, const char *name, bool detail);
bool hd__filter_instance(const struct hd_filter *f, const char *path);
bool hd__in_ranges(const struct hd_range_list *r, uint64_t v);

#endif
