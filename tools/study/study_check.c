/* study_check.c - loads the netlists of a study: mistakes are reported before anything runs
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/xalloc.h"
#include "study_netlists.h"

#include <stdlib.h>

/* ---- mistakes ------------------------------------------------------------------------------ */

/* Messages about a value name "--set PATH=VALUE" as their file; that is a place in the study. */
static void report(const struct study *s, const struct study_design *design, const struct hd_diags *found,
                   struct hd_diags *d)
{
	const char *lead = "--set ";
	const struct hd_diag *m;

	for (size_t i = 0; i < found->n; i++) {
		size_t k = 0;

		m = &found->v[i];
		if (m->severity != HD_DIAG_ERROR)
			continue;
		while (k < design->n && (m->file == NULL || strncmp(m->file, lead, strlen(lead)) != 0
		                         || strcmp(m->file + strlen(lead), design->v[k]->set) != 0))
			k++;
		if (k < design->n)
			study_bad(s, d, design->v[k]->at, true, "%s (in netlist '%s')", m->text,
			          s->netlists[design->netlist].name);
		else
			hd__diag(d, HD_DIAG_ERROR, m->file, m->line, m->column, "%s", m->text);
	}
}

/* Hashes the sources of a design's netlist, or reports its mistakes. */
static void check(const struct study *s, const struct study_design *design, const struct hd_registry *r,
                  struct study_cache *c, struct hd_diags *d, char hash[STUDY_KEY])
{
	struct hd_diags found = { 0 };
	struct hd_sim *sim = study_build(s, design, r, &found);

	if (sim != NULL)
		study_hash_sources(sim, c, hash);
	else
		report(s, design, &found, d);
	hd__sim_free(sim);
	hd__diags_free(&found);
}

/* ---- all designs --------------------------------------------------------------------------- */

/* What a design has in common with others that need no check of their own. */
static char *kind_of(const struct study_design *d)
{
	char *kind = hd__format("%zu\n%s", d->netlist, d->label), *longer;

	for (size_t i = 0; i < d->n; i++) {
		if (json_is_number(d->v[i]->value) || json_is_boolean(d->v[i]->value))
			continue;
		longer = hd__join(kind, "\n", d->v[i]->set);
		free(kind);
		kind = longer;
	}
	return kind;
}

char (*study_check_all(const struct study *s, const struct hd_registry *r, struct study_cache *c,
                       struct hd_diags *d))[STUDY_KEY]
{
	char (*hashes)[STUDY_KEY] = hd__xcalloc(s->ndesigns, sizeof *hashes);
	json_t *kinds = json_object(), *known;

	for (size_t i = 0; i < s->ndesigns; i++) {
		char *kind = kind_of(&s->designs[i]);

		known = json_object_get(kinds, kind);
		if (known != NULL) {
			memcpy(hashes[i], hashes[json_integer_value(known)], STUDY_KEY);
		} else {
			check(s, &s->designs[i], r, c, d, hashes[i]);
			json_object_set_new(kinds, kind, json_integer((json_int_t)i));
		}
		free(kind);
	}
	json_decref(kinds);
	if (d->errors == 0)
		return hashes;
	free(hashes);
	return NULL;
}
