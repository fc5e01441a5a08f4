/* report_names.c - names by number
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "report.h"
#include "base/xalloc.h"

uint32_t report_name(struct report_names *s, const char *name)
{
	json_t *known;

	if (!s->number)
		s->number = json_object();
	known = json_object_get(s->number, name);
	if (known)
		return (uint32_t)json_integer_value(known);
	s->v = hd__xgrow(s->v, s->n, &s->cap, sizeof *s->v);
	s->v[s->n] = hd__xstrdup(name);
	json_object_set_new(s->number, name, json_integer((json_int_t)s->n));
	return (uint32_t)s->n++;
}

void report_names_free(struct report_names *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	json_decref(s->number);
	*s = (struct report_names){ .n = 0 };
}
