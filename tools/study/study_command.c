/* study_command.c - the command that runs one point
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_command.h"
#include "jobs.h"
#include "base/xalloc.h"

#include <inttypes.h>

struct words {
	char **v;
	size_t n, cap;
};

static void add(struct words *w, const char *word)
{
	w->v = hd__xgrow(w->v, w->n, &w->cap, sizeof *w->v);
	w->v[w->n++] = word != NULL ? hd__xstrdup(word) : NULL;
}

static void add_option(struct words *w, const char *name, const char *value)
{
	char *word = hd__join(name, "=", value);

	add(w, word);
	free(word);
}

char **study_command(const struct study_jobs *j, const struct study_point *p)
{
	const struct study *s = j->plan->study;
	const struct study_design *d = &s->designs[p->design];
	const struct study_trace *t = &s->traces[p->trace];
	struct words w = { 0 };
	char number[24];

	add(&w, "heddle");
	add(&w, "run");
	add(&w, "--quiet");
	add_option(&w, s->each ? "--stats" : "--summary", "-");
	if (s->reasons)
		add(&w, "--reasons");
	for (size_t i = 0; i < d->n; i++)
		add_option(&w, "--set", d->v[i]->set);
	if (t->kernels != NULL)
		add_option(&w, "--kernel", t->kernels);
	snprintf(number, sizeof number, "%" PRIu64, t->max_cycles);
	if (t->max_cycles > 0)
		add_option(&w, "--max-cycles", number);
	if (t->strict)
		add(&w, "--strict");
	if (t->keep_going)
		add(&w, "--keep-going");
	for (size_t i = 0; i < j->nplugins; i++)
		add_option(&w, "--plugin", j->plugins[i]);
	if (j->no_plugins)
		add(&w, "--no-plugins");
	add(&w, "--");
	add(&w, s->netlists[d->netlist].file);
	add(&w, t->file);
	add(&w, NULL);
	return w.v;
}

void study_command_free(char **argv)
{
	for (char **p = argv; *p != NULL; p++)
		free(*p);
	free(argv);
}
