/* dump_filter.c - reads and applies the conditions of a dump
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_filter.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

/* A number, decimal or hexadecimal.  NULL if there is none, or if it is too large. */
static const char *number(const char *p, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)*p))
		return NULL;
	errno = 0;
	*v = strtoull(p, &end, p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? 16 : 10);
	return errno || end == p ? NULL : end;
}

/* "3,7-9,20-" */
static char *read_ranges(struct hd_range_list *l, const char *name, const char *p)
{
	const char *all = p;

	for (;;) {
		struct hd_range r;
		const char *q = number(p, &r.first);

		r.last = r.first;
		if (q && *q == '-') {
			r.last = UINT64_MAX;
			q++;
			if (*q && *q != ',')
				q = number(q, &r.last);
		}
		if (!q || (*q && *q != ',') || r.last < r.first)
			return hd__format("'%s=%s': '%s' is not a range; expected N, N-M or N-, in "
			                  "decimal or hexadecimal (0x...), separated by commas", name,
			                  all, p);
		l->v = hd__xappend(l->v, l->n, sizeof *l->v);
		l->v[l->n++] = r;
		if (!*q)
			return NULL;
		p = q + 1;
	}
}

static char *add_patterns(char ***v, size_t *n, const char *text, const char *p)
{
	size_t before = *n;

	while (*p) {
		size_t len = strcspn(p, ",");

		if (len > 0) {
			*v = hd__xappend(*v, *n, sizeof **v);
			(*v)[(*n)++] = hd__xstrndup(p, len);
		}
		p += len + (p[len] == ',');
	}
	return *n > before ? NULL : hd__format("'%s' has no pattern; expected patterns, separated by "
	                                       "commas", text);
}

static struct hd_condition *condition(struct hd_filter *f, const char *name)
{
	for (size_t i = 0; i < f->nfields; i++)
		if (strcmp(f->fields[i].name, name) == 0)
			return &f->fields[i];
	f->fields = hd__xappend(f->fields, f->nfields, sizeof *f->fields);
	f->fields[f->nfields] = (struct hd_condition){ .name = hd__xstrdup(name) };
	return &f->fields[f->nfields++];
}

/* Windows are opened one after another. */
static char *check_order(const struct hd_range_list *l, const char *text)
{
	for (size_t i = 1; i < l->n; i++)
		if (l->v[i].first <= l->v[i - 1].last)
			return hd__format("'%s': the window from %" PRIu64 " begins before the "
			                  "previous window ends; expected disjoint windows in "
			                  "ascending order", text, l->v[i].first);
	return NULL;
}

char *hd__filter_add(struct hd_filter *f, const char *text)
{
	const char *eq = strchr(text, '=');
	char *name, *wrong = NULL;

	if (!eq || eq == text || !eq[1])
		return hd__format("'%s' is not a condition; expected NAME=VALUES, such as "
		                  "cycle=1000-2000, event=issue.slot or the name of a field", text);
	f->text = hd__xappend(f->text, f->ntext, sizeof *f->text);
	f->text[f->ntext++] = hd__xstrdup(text);
	name = hd__xstrndup(text, (size_t)(eq - text));
	if (strcmp(name, "event") == 0) {
		wrong = add_patterns(&f->events, &f->nevents, text, eq + 1);
	} else if (strcmp(name, "instance") == 0) {
		wrong = add_patterns(&f->instances, &f->ninstances, text, eq + 1);
	} else if (strcmp(name, "cycle") == 0) {
		wrong = read_ranges(&f->cycles, name, eq + 1);
		if (!wrong)
			wrong = check_order(&f->cycles, text);
	} else {
		wrong = read_ranges(&condition(f, name)->ranges, name, eq + 1);
	}
	free(name);
	return wrong;
}

void hd__filter_free(struct hd_filter *f)
{
	for (size_t i = 0; i < f->nevents; i++)
		free(f->events[i]);
	for (size_t i = 0; i < f->ninstances; i++)
		free(f->instances[i]);
	for (size_t i = 0; i < f->nfields; i++) {
		free(f->fields[i].name);
		free(f->fields[i].ranges.v);
	}
	for (size_t i = 0; i < f->ntext; i++)
		free(f->text[i]);
	free(f->events);
	free(f->instances);
	free(f->fields);
	free(f->text);
	free(f->cycles.v);
}

bool hd__filter_event(const struct hd_filter *f, const char *name, bool detail)
{
	if (f->nevents == 0)
		return !detail;
	for (size_t i = 0; i < f->nevents; i++)
		if (hd__path_fits(f->events[i], name))
			return true;
	return false;
}

bool hd__filter_instance(const struct hd_filter *f, const char *path)
{
	if (f->ninstances == 0)
		return true;
	for (size_t i = 0; i < f->ninstances; i++)
		if (hd__path_fits(f->instances[i], path))
			return true;
	return false;
}

bool hd__in_ranges(const struct hd_range_list *r, uint64_t v)
{
	for (size_t i = 0; i < r->n; i++)
		if (v >= r->v[i].first && v <= r->v[i].last)
			return true;
	return r->n == 0;
}
