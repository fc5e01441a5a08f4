/* study_netlists.c - loads the netlists of a study: their mistakes, and their hashes as they are simulated
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The netlist of each design is flattened: one netlist with every value, whatever files it was made of.  That takes
 * milliseconds, so processes share the work, and the cache has the hash by what it was made from: text of files
 * and values that are set.
 */
#include "study_netlists.h"
#include "base/child.h"
#include "base/xalloc.h"
#include "kernel/flatten.h"
#include "kernel/netlist/composition.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FEW 8u /* designs for which no processes are started */
#define MOST_HOPELESS 50u

/* Texts to hash; owned. */
struct texts {
	char **v;
	size_t n, cap;
	json_t *named; /* files that others name: how deep what they name has been added */
};

static void add_text(struct texts *t, char *text)
{
	t->v = hd__xgrow(t->v, t->n, &t->cap, sizeof *t->v);
	t->v[t->n++] = text;
}

static void end_texts(struct texts *t, char hash[STUDY_KEY])
{
	study_hash_texts((const char *const *)t->v, t->n, hash);
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	json_decref(t->named);
}

/* The netlist of a design with its values; NULL after reporting errors. */
static struct hd_sim *build(const struct study *s, const struct study_design *design,
                            const struct hd_registry *r, struct hd_diags *d)
{
	const char **sets = hd__xcalloc(design->n, sizeof *sets);
	struct hd_options options = { .nsets = design->n, .sets = sets };
	struct hd_netlist *n;
	struct hd_sim *sim = NULL;

	for (size_t i = 0; i < design->n; i++)
		sets[i] = design->v[i]->set;
	n = hd__netlist_read_set(s->netlists[design->netlist].file, sets, design->n, d);
	if (n != NULL)
		sim = hd__sim_new(n, r, &options, true, d);
	free(sets);
	if (sim == NULL || d->errors == 0)
		return sim;
	hd__sim_free(sim);
	return NULL;
}

/* ---- files that values name ---------------------------------------------------------------- */

static int is_table(const struct dirent *e)
{
	return e->d_name[0] != '.' && e->d_type != DT_DIR;
}

#define DEEP 2 /* an index names a table, which names its prefixes */

/* Has it not been added so deep yet?  It may be named a thousand times, also by itself. */
static bool is_new(struct texts *t, const char *path, unsigned deep)
{
	char real[PATH_MAX];
	const char *name = realpath(path, real) != NULL ? real : path;
	const json_t *before = json_object_get(t->named, name);

	if (before != NULL && json_integer_value(before) >= (json_int_t)deep)
		return false;
	json_object_set_new_nocheck(t->named, name, json_integer((json_int_t)deep));
	return true;
}

/* Files that a JSON file names relative to its own folder, as opcode tables do. */
static void add_named(struct texts *t, struct study_cache *c, const char *file, const json_t *v, unsigned deep);

/* Adds the file itself, and of the same kind what it names; it has not been read.  Only a regular file has a hash: no
 * other is waited for. */
static void add_file(struct texts *t, struct study_cache *c, const char *file, const char *name, unsigned deep)
{
	size_t n = strlen(file);
	char hash[STUDY_KEY];
	json_t *root = NULL;

	study_hash_file(c, file, hash);
	add_text(t, hd__join(name, "=", hash));
	if (hash[0] != '\0' && deep > 0 && n > 5 && strcmp(file + n - 5, ".json") == 0)
		root = json_load_file(file, 0, NULL);
	add_named(t, c, file, root, deep);
	json_decref(root);
}

static void add_named(struct texts *t, struct study_cache *c, const char *file, const json_t *v, unsigned deep)
{
	const char *name = json_string_value(v), *slash = strrchr(file, '/'), *key;
	size_t n = name != NULL ? strlen(name) : 0, i;
	char *path;
	json_t *one;

	json_array_foreach((json_t *)v, i, one)
		add_named(t, c, file, one, deep);
	json_object_foreach((json_t *)v, key, one)
		add_named(t, c, file, one, deep);
	if (n <= 5 || strcmp(name + n - 5, ".json") != 0)
		return;
	path = hd__format("%.*s%s", slash != NULL ? (int)(slash + 1 - file) : 0, file, name);
	if (is_new(t, path, deep))
		add_file(t, c, path, "", deep - 1);
	free(path);
}

/* A file, or every file of a folder, and what these name. */
static void hash_data(struct study_cache *c, const char *path, char hash[STUDY_KEY])
{
	struct dirent **v = NULL;
	struct texts t = { .named = json_object() };
	int n = scandir(path, &v, is_table, alphasort);

	for (int i = 0; i < n; i++) {
		char *file = hd__join(path, "/", v[i]->d_name);

		add_file(&t, c, file, v[i]->d_name, DEEP);
		free(file);
		free(v[i]);
	}
	free(v);
	add_file(&t, c, path, "", DEEP);
	end_texts(&t, hash);
}

/* In place of the names of files, the hashes of what is in them. */
static void replace_paths(struct study_cache *c, const struct hd_param *params, json_t *row)
{
	char hash[STUDY_KEY];
	struct stat st;

	for (const struct hd_param *p = params; p != NULL && p->name != NULL; p++) {
		json_t *v = json_object_get(row, p->name), *one;
		size_t i;

		if (p->type == HD_PATH && json_is_string(v) && stat(json_string_value(v), &st) == 0) {
			hash_data(c, json_string_value(v), hash);
			json_object_set_new(row, p->name, json_string(hash));
		} else if (p->type == HD_TABLE) {
			json_array_foreach(v, i, one)
				replace_paths(c, p->columns, one);
		}
	}
}

void study_hash_sim(struct hd_sim *s, struct study_cache *c, char hash[STUDY_KEY])
{
	json_t *flat = hd__flatten(s, NULL), *instances = json_object_get(flat, "instances");
	struct texts t = { 0 };

	json_object_del(flat, "doc");
	for (size_t i = 0; i < s->narrays; i++)
		replace_paths(c, s->arrays[i].module->params,
		              json_object_get(json_object_get(instances, s->arrays[i].decl->name), "params"));
	add_text(&t, hd__xcheck(json_dumps(flat, JSON_COMPACT | JSON_SORT_KEYS)));
	json_decref(flat);
	end_texts(&t, hash);
}

/* ---- what a netlist is made from ----------------------------------------------------------- */

static void add_files(struct texts *t, struct study_cache *c, const struct hd_netlist *n, const struct hd_param *params,
                      const json_t *row)
{
	char hash[STUDY_KEY];

	for (const struct hd_param *p = params; p != NULL && p->name != NULL; p++) {
		const json_t *v = json_object_get(row, p->name);
		json_t *one;
		size_t i;

		if (p->type == HD_PATH && json_is_string(v)) {
			char *path = hd__data_path(hd__netlist_file_of(n, v), json_string_value(v));

			hash_data(c, path, hash);
			add_text(t, hd__xstrdup(hash));
			free(path);
		} else if (p->type == HD_TABLE) {
			json_array_foreach((json_t *)v, i, one)
				add_files(t, c, n, p->columns, one);
		}
	}
}

/* The hash of the text of all files that a netlist is made from. */
static void hash_sources(const struct hd_sim *s, struct study_cache *c, char hash[STUDY_KEY])
{
	const struct hd_netlist *n = s->netlist;
	struct texts t = { 0 };

	for (size_t i = 0; i < n->nsources; i++)
		if (n->sources[i]->text != NULL && n->sources[i]->inside == NULL) {
			study_cache_see(c, n->sources[i]->real != NULL ? n->sources[i]->real : n->sources[i]->file);
			add_text(&t, hd__join(n->sources[i]->real != NULL ? n->sources[i]->real : "", "\n",
			                      n->sources[i]->text));
		}
	for (size_t i = 0; i < s->narrays; i++)
		add_files(&t, c, n, s->arrays[i].module->params, s->arrays[i].decl->params);
	end_texts(&t, hash);
}

/* ---- all designs --------------------------------------------------------------------------- */

/* Designs whose netlists are to be flattened. */
struct work {
	const struct study *study;
	const struct hd_registry *registry;
	struct study_cache *cache;
	const size_t *v;
	size_t n;
	char (*out)[STUDY_KEY]; /* of each; stays "" if the netlist has mistakes */
};

/* Every `step`th of them. */
static void flatten(const struct work *w, size_t first, size_t step)
{
	for (size_t i = first; i < w->n; i += step) {
		struct hd_diags found = { 0 };
		struct hd_sim *sim = build(w->study, &w->study->designs[w->v[i]], w->registry, &found);

		if (sim != NULL)
			study_hash_sim(sim, w->cache, w->out[i]);
		hd__sim_free(sim);
		hd__diags_free(&found);
	}
}

/* In a process of its own, which does not hold the lock of the folder after the sweep has ended. */
static void flatten_here(const struct work *w, unsigned first, unsigned step)
{
	syscall(SYS_close_range, STDERR_FILENO + 1, UINT_MAX, 0); /* musl has no close_range() */
	flatten(w, first, step);
	_exit(0);
}

/* In that many processes.  What one of them has not done, this one does. */
static void flatten_apart(struct work *w, unsigned jobs)
{
	size_t bytes = w->n * STUDY_KEY;
	char (*shared)[STUDY_KEY] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t *pids = hd__xcalloc(jobs, sizeof *pids);
	char (*own)[STUDY_KEY] = w->out;
	int how;

	if (shared != MAP_FAILED)
		w->out = shared;
	fflush(NULL);
	for (unsigned i = 0; i < jobs; i++) {
		pids[i] = shared != MAP_FAILED ? hd__fork(SIGKILL) : -1;
		if (pids[i] == 0)
			flatten_here(w, i, jobs);
	}
	for (unsigned i = 0; i < jobs; i++)
		if (pids[i] < 0 || waitpid(pids[i], &how, 0) != pids[i] || how != 0)
			flatten(w, i, jobs);
	if (shared != MAP_FAILED) {
		memcpy(own, shared, bytes);
		munmap(shared, bytes);
	}
	w->out = own;
	free(pids);
}

/* What a design's netlist is made from: the files, and the values. */
static void hash_origin(const struct study_design *d, const char *sources, char hash[STUDY_KEY])
{
	const char **texts = hd__xcalloc(d->n + 1, sizeof *texts);

	texts[0] = sources;
	for (size_t i = 0; i < d->n; i++)
		texts[1 + i] = d->v[i]->set;
	study_hash_texts(texts, d->n + 1, hash);
	free(texts);
}

void study_hash_netlists(const struct study *s, const struct hd_registry *r, struct study_cache *c, unsigned jobs,
                         const char *program, char (*hashes)[STUDY_KEY])
{
	size_t *missing = hd__xcalloc(s->ndesigns, sizeof *missing);
	struct work w = { .study = s, .registry = r, .cache = c, .v = missing };
	char origin[STUDY_KEY], both[2 * STUDY_KEY];

	for (size_t i = 0; i < s->ndesigns; i++) {
		const char *known;

		snprintf(both, sizeof both, "%s%s", program, hashes[i]);
		hash_origin(&s->designs[i], both, origin);
		memcpy(hashes[i], origin, STUDY_KEY);
		known = study_cache_netlist(c, origin);
		if (known != NULL)
			snprintf(hashes[i], STUDY_KEY, "%s", known);
		else
			missing[w.n++] = i;
	}
	w.out = hd__xcalloc(w.n, sizeof *w.out);
	if (w.n < FEW || jobs < 2)
		flatten(&w, 0, 1);
	else
		flatten_apart(&w, jobs);
	for (size_t i = 0; i < w.n; i++) {
		if (w.out[i][0] == '\0') /* it is refused: what it is made from tells it from others */
			memcpy(w.out[i], hashes[missing[i]], STUDY_KEY);
		study_cache_keep(c, hashes[missing[i]], w.out[i]);
		memcpy(hashes[missing[i]], w.out[i], STUDY_KEY);
	}
	free(w.out);
	free(missing);
}

/* ---- mistakes, before anything runs --------------------------------------------------------- */

/* Designs of one netlist that have values in common that may name modules and files, which numbers do not. */
struct kind {
	size_t first, last;     /* designs; next[] leads from one to the other */
	char hash[STUDY_KEY];   /* of the sources of the first one that can be built; "": none can */
	struct hd_diags found;  /* mistakes of the first one, if none can be built */
	bool wrong_value;       /* these name a value of the study */
	const struct study_value *blamed; /* a value that was refused, and in which words; owned */
	char *words;
	const char *wrong_path; /* any value of it is refused */
};

/* The value that a message is about, whose file is then "--set PATH=VALUE", or NULL. */
static struct study_value *value_of(const struct study_design *design, const struct hd_diag *m)
{
	const char *lead = "--set ";

	if (m->file == NULL || strncmp(m->file, lead, strlen(lead)) != 0)
		return NULL;
	for (size_t k = 0; k < design->n; k++)
		if (strcmp(m->file + strlen(lead), design->v[k]->set) == 0)
			return design->v[k];
	return NULL;
}

/* Reports mistakes; one that is about a value has its place in the study. */
static void report(const struct study *s, const struct kind *k, struct hd_diags *d)
{
	const struct study_design *design = &s->designs[k->first];

	for (size_t i = 0; i < k->found.n; i++) {
		const struct hd_diag *m = &k->found.v[i];
		const struct study_value *v = value_of(design, m);

		if (m->severity != HD_DIAG_ERROR)
			continue;
		if (v != NULL)
			study_bad(s, d, v->at, true, "%s (in netlist '%s')", m->text,
			          s->netlists[design->netlist].name);
		else
			hd__diag(d, HD_DIAG_ERROR, m->file, m->line, m->column, "%s", m->text);
	}
}

/* Has it a value that was refused in this kind, or that will be as others of its path were? */
static bool is_hopeless(const struct study_design *design, const struct kind *k, size_t number)
{
	for (size_t i = 0; i < design->n; i++)
		if (design->v[i]->refused == number + 1
		    || (k->wrong_path != NULL && strcmp(k->wrong_path, design->v[i]->path) == 0))
			return true;
	return false;
}

/* Notes which values of a design were refused.  Two values of one path that are refused in the same words say that the
 * path is wrong, since words about a value name it. */
static void note_refused(struct kind *k, size_t number, const struct study_design *design, const struct hd_diags *found)
{
	for (size_t m = 0; m < found->n; m++) {
		struct study_value *v = value_of(design, &found->v[m]);

		if (v == NULL || found->v[m].severity != HD_DIAG_ERROR)
			continue;
		if (k->blamed != NULL && v != k->blamed && strcmp(v->path, k->blamed->path) == 0
		    && strcmp(k->words, found->v[m].text) == 0)
			k->wrong_path = v->path;
		free(k->words);
		k->words = hd__xstrdup(found->v[m].text);
		k->blamed = v;
		v->refused = number + 1;
	}
}

/* Looks for a design of the kind that can be built.  A value that was refused will be so again, unless others make room
 * for it, as a larger array does for an index: few such designs are tried, since there may be a million. */
static void check(const struct study *s, struct kind *k, size_t number, const size_t *next, const struct hd_registry *r,
                  struct study_cache *c)
{
	unsigned hopeless = 0;

	for (size_t i = k->first; i != SIZE_MAX && k->hash[0] == '\0'; i = next[i]) {
		const struct study_design *design = &s->designs[i];
		struct hd_diags found = { 0 };
		struct hd_sim *sim;

		if (is_hopeless(design, k, number) && ++hopeless > MOST_HOPELESS)
			continue;
		sim = build(s, design, r, &found);
		if (sim != NULL)
			hash_sources(sim, c, k->hash);
		else
			note_refused(k, number, design, &found);
		hd__sim_free(sim);
		if (i == k->first) {
			k->found = found;
			k->wrong_value = k->blamed != NULL;
		} else {
			hd__diags_free(&found);
		}
	}
}

/* ---- all designs --------------------------------------------------------------------------- */

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

/* Makes the kinds, *n of them, and next[]. */
static struct kind *find_kinds(const struct study *s, size_t *next, size_t *n)
{
	struct kind *v = hd__xcalloc(s->ndesigns, sizeof *v);
	json_t *numbers = json_object(), *known;

	*n = 0;
	for (size_t i = 0; i < s->ndesigns; i++) {
		char *name = kind_of(&s->designs[i]);
		struct kind *k;

		next[i] = SIZE_MAX;
		known = json_object_get(numbers, name);
		if (known != NULL) {
			k = &v[json_integer_value(known)];
			next[k->last] = i;
			k->last = i;
		} else {
			json_object_set_new_nocheck(numbers, name, json_integer((json_int_t)*n));
			v[(*n)++] = (struct kind){ .first = i, .last = i };
		}
		free(name);
	}
	json_decref(numbers);
	return v;
}

/* A kind of which nothing can be built is a mistake of the study if a value is wrong by itself, or if nothing else can
 * be built of the netlist, either.  Else its points are results. */
static void report_kinds(const struct study *s, const struct kind *v, size_t n, const char *const *of_netlist,
                         struct hd_diags *d)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].hash[0] == '\0' && (v[i].wrong_value || of_netlist[s->designs[v[i].first].netlist] == NULL))
			report(s, &v[i], d);
}

char (*study_check_all(const struct study *s, const struct hd_registry *r, struct study_cache *c,
                       struct hd_diags *d))[STUDY_KEY]
{
	char (*hashes)[STUDY_KEY] = hd__xcalloc(s->ndesigns, sizeof *hashes);
	const char **of_netlist = hd__xcalloc(s->nnetlists, sizeof *of_netlist); /* a hash; NULL: none can be built */
	size_t *next = hd__xcalloc(s->ndesigns, sizeof *next), n;
	struct kind *v = find_kinds(s, next, &n);

	for (size_t k = 0; k < n; k++) {
		check(s, &v[k], k, next, r, c);
		if (v[k].hash[0] != '\0')
			of_netlist[s->designs[v[k].first].netlist] = v[k].hash;
	}
	report_kinds(s, v, n, of_netlist, d);
	for (size_t k = 0; k < n && d->errors == 0; k++)
		for (size_t i = v[k].first; i != SIZE_MAX; i = next[i])
			memcpy(hashes[i], v[k].hash[0] != '\0' ? v[k].hash : of_netlist[s->designs[i].netlist],
			       STUDY_KEY);
	for (size_t k = 0; k < n; k++) {
		hd__diags_free(&v[k].found);
		free(v[k].words);
	}
	free(v);
	free(next);
	free(of_netlist);
	if (d->errors == 0)
		return hashes;
	free(hashes);
	return NULL;
}
