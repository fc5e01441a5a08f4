/* check.c - loads the netlists of a study: mistakes are reported before anything runs
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a netlist is made of, itself, what it extends, netlists in it, tables that its values name, is
 * hashed without the layout of the files and without "doc": what is simulated does not depend on those.
 */
#include "inputs.h"
#include "kernel/base/xalloc.h"
#include "kernel/netlist/composition.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Texts to hash; owned. */
struct texts {
	char **v;
	size_t n, cap;
};

static void add_text(struct texts *t, char *text)
{
	t->v = hd__xgrow(t->v, t->n, &t->cap, sizeof *t->v);
	t->v[t->n++] = text;
}

/* ---- files of a netlist -------------------------------------------------------------------- */

static void drop_docs(json_t *v)
{
	const char *key;
	json_t *one;
	size_t i;

	json_object_del(v, "doc");
	json_object_foreach(v, key, one)
		drop_docs(one);
	json_array_foreach(v, i, one)
		drop_docs(one);
}

static void add_source(struct texts *t, const char *text)
{
	json_t *root = json_loads(text, 0, NULL);

	drop_docs(root);
	add_text(t, json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS));
	json_decref(root);
}

static int is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* A file, or every file of a folder. */
static void add_data(struct texts *t, struct study_cache *c, const char *path)
{
	char hash[STUDY_KEY], *file;
	struct dirent **v = NULL;
	struct stat st;
	int n;

	if (stat(path, &st) != 0)
		return;
	n = S_ISDIR(st.st_mode) ? scandir(path, &v, is_visible, alphasort) : 0;
	for (int i = 0; i < n; i++) {
		file = hd__join(path, "/", v[i]->d_name);
		study_hash_file(c, file, hash);
		add_text(t, hd__join(v[i]->d_name, "=", hash));
		free(file);
		free(v[i]);
	}
	free(v);
	study_hash_file(c, path, hash);
	add_text(t, hd__xstrdup(hash));
}

/* Files that the values of parameters name. */
static void add_values(struct texts *t, struct study_cache *c, const struct hd_netlist *n,
                       const struct hd_param *params, const json_t *row)
{
	for (const struct hd_param *p = params; p != NULL && p->name != NULL; p++) {
		const json_t *v = json_object_get(row, p->name);
		json_t *one;
		size_t i;

		if (p->type == HD_PATH && json_is_string(v)) {
			char *path = hd__data_path(hd__netlist_file_of(n, v), json_string_value(v));

			add_data(t, c, path);
			free(path);
		} else if (p->type == HD_TABLE) {
			json_array_foreach((json_t *)v, i, one)
				add_values(t, c, n, p->columns, one);
		}
	}
}

static void hash_sim(const struct hd_sim *s, struct study_cache *c, char hash[STUDY_KEY])
{
	const struct hd_netlist *n = s->netlist;
	struct texts t = { 0 };

	for (size_t i = 0; i < n->nsources; i++)
		if (n->sources[i]->text != NULL && n->sources[i]->inside == NULL)
			add_source(&t, n->sources[i]->text);
	for (size_t i = 0; i < s->narrays; i++)
		add_values(&t, c, n, s->arrays[i].module->params, s->arrays[i].decl->params);
	study_hash_texts((const char *const *)t.v, t.n, hash);
	for (size_t i = 0; i < t.n; i++)
		free(t.v[i]);
	free(t.v);
}

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

/* Returns false after reporting mistakes. */
static bool check(const struct study *s, const struct study_design *design, const struct hd_registry *r,
                  struct study_cache *c, struct hd_diags *d, char hash[STUDY_KEY])
{
	const char **sets = hd__xcalloc(design->n, sizeof *sets);
	struct hd_options options = { .nsets = design->n, .sets = sets };
	struct hd_diags found = { 0 };
	struct hd_netlist *n;
	struct hd_sim *sim = NULL;
	bool ok;

	for (size_t i = 0; i < design->n; i++)
		sets[i] = design->v[i]->set;
	n = hd__netlist_read_set(s->netlists[design->netlist].file, sets, design->n, &found);
	if (n != NULL)
		sim = hd__sim_new(n, r, &options, true, &found);
	ok = sim != NULL && found.errors == 0;
	if (ok)
		hash_sim(sim, c, hash);
	else
		report(s, design, &found, d);
	hd__sim_free(sim);
	hd__diags_free(&found);
	free(sets);
	return ok;
}

/* ---- all designs --------------------------------------------------------------------------- */

/* What a design has in common with others that need no check of their own. */
static char *kind_of(const struct study_design *d)
{
	char *kind = hd__format("%zu\n%s", d->netlist, d->label), *longer;

	for (size_t i = 0; i < d->n; i++) {
		if (!json_is_string(d->v[i]->value))
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
