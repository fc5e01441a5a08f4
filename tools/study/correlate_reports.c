/* correlate_reports.c - the page of heddle report for points of a comparison with hardware
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs are repeated with a dump, which is removed when the page is there.  Pages have the keys of results as names, so
 * they are made once.
 */
#include "correlate.h"
#include "base/xalloc.h"
#include "children.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

struct reports {
	const struct correlate *c;
	const struct correlate_plugins *plugins;
	struct correlate_point **v; /* those whose page is to be made */
	size_t n;
	char *folder;
};

static double magnitude(const struct correlate_point *p)
{
	return correlate_counts(p) ? fabs(p->cycles / p->hardware - 1) : -1;
}

/* The largest error first, equal ones in the order of the list. */
static int by_error(const void *a, const void *b)
{
	const struct correlate_point *x = *(struct correlate_point *const *)a, *y = *(struct correlate_point *const *)b;
	double ex = magnitude(x), ey = magnitude(y);

	return ex != ey ? (ex < ey) - (ex > ey) : (x > y) - (x < y);
}

/* The run of the point, with a dump. */
static void make_run(struct child_task *t, const struct reports *r, const struct correlate_point *p, const char *dump,
                     bool quiet)
{
	char *kernels = hd__format("%zu-%zu", p->first + 1, p->last + 1);

	t->label = quiet ? NULL : hd__join("report of ", p->name, "");
	children_word(t, "heddle");
	children_word(t, "run");
	children_word(t, "--quiet");
	children_option(t, "--dump", dump);
	children_option(t, "--kernel", kernels);
	for (size_t i = 0; i < r->c->nsets; i++)
		children_option(t, "--set", r->c->sets[i]);
	for (size_t i = 0; i < r->plugins->n; i++)
		children_option(t, "--plugin", r->plugins->v[i]);
	if (r->plugins->none)
		children_word(t, "--no-plugins");
	children_word(t, "--");
	children_word(t, r->c->netlist);
	children_word(t, r->c->traces[p->trace].file);
	free(kernels);
}

static void make_report(struct child_task *t, const char *dump, const char *page)
{
	children_word(t, "heddle");
	children_word(t, "report");
	children_option(t, "--output", page);
	children_word(t, dump);
}

static char *name_of(const struct reports *r, const struct correlate_point *p, const char *kind)
{
	return hd__format("%s/%s.%s", r->folder, p->key, kind);
}

/* Makes the pages of n points.  Returns false after a signal. */
static bool make_some(const struct reports *r, struct correlate_point *const *v, size_t n, bool quiet)
{
	struct child_task *runs = hd__xcalloc(n, sizeof *runs), *pages = hd__xcalloc(n, sizeof *pages);
	bool ok;

	for (size_t i = 0; i < n; i++) {
		char *dump = name_of(r, v[i], "hdump"), *page = name_of(r, v[i], "html");

		make_run(&runs[i], r, v[i], dump, quiet);
		make_report(&pages[i], dump, page);
		free(dump);
		free(page);
	}
	ok = children_run(runs, n, (unsigned)n) && children_run(pages, n, (unsigned)n);
	for (size_t i = 0; i < n; i++) {
		char *dump = name_of(r, v[i], "hdump");

		unlink(dump);
		if (ok && (runs[i].how != 0 || pages[i].how != 0))
			fprintf(stderr, "heddle: warning: no report of '%s': %s\n", v[i]->name,
			        runs[i].how != 0 ? runs[i].err : pages[i].err);
		free(dump);
	}
	children_free(runs, n);
	children_free(pages, n);
	return ok;
}

/* Has the point a page, or is it the first of those that get the same one? */
static bool is_needed(const struct reports *r, const struct correlate_point *p)
{
	char *page = name_of(r, p, "html");
	bool there = access(page, R_OK) == 0;

	free(page);
	for (size_t i = 0; i < r->n && !there; i++)
		there = strcmp(r->v[i]->key, p->key) == 0;
	return !there;
}

bool correlate_reports(struct correlate *c, const struct study_folder *f, size_t most,
                       const struct correlate_plugins *plugins, unsigned jobs, bool quiet)
{
	struct reports r = { .c = c, .plugins = plugins, .v = hd__xcalloc(c->n, sizeof *r.v),
		             .folder = study_folder_name(f, "reports") };
	struct correlate_point **all = hd__xcalloc(c->n, sizeof *all);
	bool ok = mkdir(r.folder, 0777) == 0 || errno == EEXIST;
	size_t n = 0;

	if (!ok)
		fprintf(stderr, "heddle: %s: %s\n", r.folder, strerror(errno));
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].why == NULL)
			all[n++] = &c->v[i];
	if (most > 0)
		qsort(all, n, sizeof(struct correlate_point *), by_error);
	n = most > 0 && n > most ? most : n;
	for (size_t i = 0; i < n; i++)
		if (is_needed(&r, all[i]))
			r.v[r.n++] = all[i];
	for (size_t i = 0; ok && i < r.n; i += jobs)
		ok = make_some(&r, r.v + i, r.n - i < jobs ? r.n - i : jobs, quiet);
	for (size_t i = 0; i < n; i++) {
		char *page = name_of(&r, all[i], "html");

		all[i]->page = access(page, R_OK) == 0 ? realpath(page, NULL) : NULL;
		free(page);
	}
	free(all);
	free(r.v);
	free(r.folder);
	return ok;
}
