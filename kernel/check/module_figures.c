/* module_figures.c - checks the names of a module's statistics, and the figures of the run to which they add
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Both are names of members in the statistics: two that need the same place would replace each other without a word.
 */
#include "base/words.h"
#include "base/xalloc.h"
#include "module_check.h"

/* Names with dots between them. */
static bool is_figure(const char *total)
{
	bool ok = true;

	while (ok && total) {
		size_t n = strcspn(total, ".");
		char *name = hd__xstrndup(total, n);

		ok = hd__is_name(name);
		free(name);
		total = total[n] == '.' ? total + n + 1 : NULL;
	}
	return ok;
}

static void HD_PRINTF(4, 5) bad(const struct hd_module *m, const char *origin, struct hd_diags *d, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "module '%s' (%s): %s", m->name ? m->name : "?", origin, text);
	free(text);
}

bool hd__module_figures(const struct hd_module *m, const char *origin, struct hd_diags *d)
{
	size_t errors = d->errors;

	for (const struct hd_stat *p = m->stats; p && p->name; p++) {
		const char *total = p->total;

		if (strcmp(p->name, "module") == 0)
			bad(m, origin, d, "a statistic is named 'module', which each instance has in the statistics");
		if (!total && (p->ratio || p->most))
			bad(m, origin, d, "statistic '%s' has '%s', but no total", p->name, p->ratio ? "ratio" : "most");
		if (!total)
			continue;
		if (strcmp(total, "cycles") == 0)
			bad(m, origin, d, "statistic '%s' adds to 'cycles', which is the time of the run; expected "
			    "another total", p->name);
		else if (hd__figure_reserved(total, strcspn(total, ".")))
			bad(m, origin, d, "statistic '%s' adds to '%s', but the statistics of a run have '%.*s' already; "
			    "expected another total", p->name, total, (int)strcspn(total, "."), total);
		else if (!is_figure(total))
			bad(m, origin, d, "statistic '%s' adds to '%s'; expected names with dots between them", p->name,
			    total);
	}
	return d->errors == errors && hd__figures_apart(m, origin, m, d);
}

bool hd__figures_apart(const struct hd_module *m, const char *origin, const struct hd_module *other, struct hd_diags *d)
{
	size_t errors = d->errors;

	for (const struct hd_stat *p = m->stats; p && p->name; p++)
		for (const struct hd_stat *q = other->stats; p->total && q && q->name; q++)
			if (q->total && (hd__figure_within(p->total, q->total)
			                 || (m != other && hd__figure_within(q->total, p->total))))
				bad(m, origin, d, "statistic '%s' adds to '%s', and '%s' of module '%s' to '%s'; expected that "
				    "neither is a group in which the other one is", p->name, p->total, q->name,
				    other->name, q->total);
	return d->errors == errors;
}
