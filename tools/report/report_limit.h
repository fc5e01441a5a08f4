/* report_limit.h - private to report_limit.c and its parts: the limit of a run, and what holds it up
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_REPORT_REPORT_LIMIT_H
#define TOOLS_REPORT_REPORT_LIMIT_H

#include "report.h"

struct report_busy {
	char *name; /* of the array */
	const char *module, *instance; /* instance: of the netlist */
	double share; /* of the cycles of the run, of the busiest of them */
};

struct report_limit {
	struct report *r;
	const json_t *slots; /* the kinds of the page */
	uint64_t total;      /* slots */
	/* the largest group */
	char *group;         /* path without indices, or the reason */
	bool at_instance;
	uint64_t lost;
	char *at;            /* what holds it up, without indices: the group, or what blocks; NULL: unknown */
	bool full;           /* that is a queue with too few places, rather than something busy */
	struct report_busy *busy; /* the busiest first */
	size_t nbusy, cap;
};

static inline const char *report_member(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s ? s : "";
}

/* ---- report_kinds.c ---- */

uint64_t report_slots_of(const json_t *kind);
bool report_is_issue(const json_t *kind);
/* What a kind counts for: an instance or a reason.  The caller frees it. */
char *report_group_of(const json_t *kind);
/* Were the slots of this kind lost to the limit? */
bool report_in_limit(const struct report_limit *l, const json_t *kind);

/* ---- report_busy.c ---- */

void report_find_busy(struct report_limit *l);
/* All of them, for the page. */
json_t *report_busy_list(const struct report_limit *l);
/* The array whose path without indices is `plain`; NULL: no counter says how busy it is. */
const struct report_busy *report_busy_at(const struct report_limit *l, const char *plain);
/* The instances of the netlist, by name. */
const json_t *report_instances(const struct report_limit *l);
/* The instance of the netlist that the element `path` of the run is; it has "sp" where the run has sp[0],
 * sp[1].  Sets the name that it has there. */
const json_t *report_in_netlist(const struct report_limit *l, const char *path, const char **name);
/* The instruction slots that the busiest scheduler used, as a share of the cycles. */
double report_issue_share(const struct report_limit *l);

/* ---- report_blocking.c ---- */

/* Sets `at` and `full`, from the wiring if the group is a reason. */
void report_find_blocking(struct report_limit *l);

/* ---- report_lever.c ---- */

/* Adds what would change the limit: "lever", "second". */
void report_suggest(const struct report_limit *l, json_t *out);

/* ---- report_second.c ---- */

/* A netlist that extends the run's and has the instance `name` twice, with those that serve it alone; NULL: that
 * is not known to work.  Sets `partner`, an array of the instances that are doubled with it. */
json_t *report_second(const struct report_limit *l, const char *name, json_t **partners);

#endif
