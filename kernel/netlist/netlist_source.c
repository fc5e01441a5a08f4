/* netlist_source.c - reads the files of a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "composition.h"
#include "base/json_read.h"
#include "base/xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_MEMBERS = 65536, /* of one object; what is read of each may take long */
	SHORTEST_MEMBER = 6, /* bytes, as "a":1, */
};

/* ---- sources ------------------------------------------------------------------------------- */

uint32_t hd__source_add(struct hd_netlist *n, const char *file, char *text, json_t *root)
{
	struct hd_source *s = hd__xcalloc(1, sizeof *s);

	*s = (struct hd_source){ .file = hd__xstrdup(file), .text = text, .root = root };
	s->real = text != NULL ? realpath(file, NULL) : NULL;
	n->sources = hd__xgrow(n->sources, n->nsources, &n->cap_sources, sizeof *n->sources);
	n->sources[n->nsources] = s;
	if (n->known->files == NULL)
		n->known->files = hd__xcheck(json_object());
	if (text != NULL && json_object_get(n->known->files, file) == NULL)
		json_object_set_new_nocheck(n->known->files, file, json_integer((json_int_t)n->nsources));
	return (uint32_t)n->nsources++;
}

uint32_t hd__source_inside(struct hd_netlist *n, json_t *root, const char *at)
{
	char *pointer;
	struct hd_source *around = n->sources[strtoul(at + 1, &pointer, 10)], *s;
	uint64_t *known = hd__int_map_at(&n->known->roots, (uint64_t)(uintptr_t)root);
	uint32_t number;

	if (*known != 0)
		return (uint32_t)*known - 1;
	number = hd__source_add(n, around->file, NULL, json_incref(root));
	*known = number + 1;
	s = n->sources[number];
	s->text = around->text;
	s->inside = hd__format("%s%s", around->inside != NULL ? around->inside : "", pointer + 1);
	return number;
}

/* Reports the first object in `v`, which is at `place`, with too many members.  Returns false after that. */
static bool few_members(struct hd_netlist *n, const struct hd_place *place, json_t *v, struct hd_diags *d)
{
	struct hd_place inner = { .up = place };
	bool ok = json_object_size(v) <= MAX_MEMBERS;
	const char *key;
	json_t *item;
	size_t i;

	if (!ok) {
		char *at = hd__place_pointer(place);

		hd__netlist_diag(n, d, HD_DIAG_ERROR, at, NULL, "an object with %zu members; expected at most %d",
		                 json_object_size(v), MAX_MEMBERS);
		free(at);
		return false;
	}
	json_array_foreach(v, i, item)
		if (json_is_array(item) || json_is_object(item)) {
			inner.index = i;
			ok = ok && few_members(n, &inner, item, d);
		}
	json_object_foreach(v, key, item)
		if (json_is_array(item) || json_is_object(item)) {
			inner.member = key;
			ok = ok && few_members(n, &inner, item, d);
		}
	return ok;
}

bool hd__source_parse(struct hd_netlist *n, const char *file, char *text, size_t length,
                      struct hd_diags *d, uint32_t *source)
{
	json_t *root = hd__json_parse(file, text, length, d);
	char buf[80];

	if (root != NULL && !json_is_object(root))
		hd__diag(d, HD_DIAG_ERROR, file, 1, 1, "expected a netlist, an object; found %s",
		         hd__found(root, buf, sizeof buf));
	if (!json_is_object(root)) {
		json_decref(root);
		free(text);
		return false;
	}
	if (json_is_string(json_object_get(root, "$schema")))
		json_object_del(root, "$schema"); /* names the schema to editors */
	*source = hd__source_add(n, file, text, root);
	if (length < MAX_MEMBERS * SHORTEST_MEMBER)
		return true;
	snprintf(buf, sizeof buf, "@%u:", *source);
	return few_members(n, &(struct hd_place){ .base = buf }, root, d);
}

static int is_json(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot != NULL && strcmp(dot, ".json") == 0;
}

/* "; did you mean 'x.json'?" if folder[0..length) has a file of a like name; else NULL. */
static char *like_in(const char *folder, size_t length, const char *name)
{
	char *path = hd__xstrndup(folder, length), *text = NULL;
	struct dirent **v = NULL;
	int n = scandir(path, &v, is_json, alphasort);
	const char **names = hd__xcalloc(n > 0 ? (size_t)n : 0, sizeof *names), *near;

	for (int i = 0; i < n; i++)
		names[i] = v[i]->d_name;
	near = hd__nearest(name, names, n > 0 ? (size_t)n : 0);
	if (near != NULL && strcmp(near, name) != 0)
		text = hd__format("; did you mean '%s'?", near);
	for (int i = 0; i < n; i++)
		free(v[i]);
	free(v);
	free(names);
	free(path);
	return text;
}

/* A name that is like that of the file, from its folder, or, if it may be anywhere, from the netlists of heddle. */
static char *like_file(const char *file)
{
	const char *slash = strrchr(file, '/');
	char *text = slash != NULL ? like_in(file, (size_t)(slash + 1 - file), slash + 1) : like_in(".", 1, file);
	char *folder = text == NULL && slash == NULL ? hd__netlist_folder() : NULL;

	if (folder != NULL)
		text = like_in(folder, strlen(folder), file);
	free(folder);
	return text != NULL ? text : hd__xstrdup("");
}

/* "; did you mean 'x.json'?" if the file is there but for its ending, or one of a like name is; else "". */
static char *near_file(const char *file)
{
	char *ending = hd__format("%s.json", file), *found = hd__data_path(NULL, ending);
	bool there = access(found, F_OK) == 0;
	char *text = there ? hd__format("; did you mean '%s'?", ending) : like_file(file);

	free(ending);
	free(found);
	return text;
}

static void unreadable(struct hd_netlist *n, const char *file, const char *at, const char *why,
                       struct hd_diags *d)
{
	char *near = access(file, F_OK) == 0 ? hd__xstrdup("") : near_file(file);

	if (at == NULL)
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "cannot read the netlist: %s%s", why, near);
	else
		hd__netlist_diag(n, d, HD_DIAG_ERROR, at, NULL, "cannot read the netlist '%s': %s%s", file,
		                 why, near);
	free(near);
}

/* A netlist that another one names must be a regular file: reading a terminal or a pipe would
 * wait. */
static bool is_file(const char *file)
{
	struct stat st;

	return stat(file, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

/* The text of a file; the caller frees it.  NULL after reporting an error. */
static char *read_text(struct hd_netlist *n, const char *file, const char *at, struct hd_diags *d, size_t *length)
{
	char *text;

	if (at != NULL && !is_file(file)) {
		unreadable(n, file, at, "it is not a file", d);
		return NULL;
	}
	text = hd__read_file(file, length);
	if (text == NULL)
		unreadable(n, file, at, errno == ETXTBSY ? "the output would replace it" : hd__input_why(errno), d);
	return text;
}

bool hd__source_read(struct hd_netlist *n, const char *file, const char *at, struct hd_diags *d,
                     uint32_t *source)
{
	const json_t *read = json_object_get(n->known->files, file);
	size_t length;
	char *text;

	if (read != NULL) {
		*source = (uint32_t)json_integer_value(read);
		return true;
	}
	text = read_text(n, file, at, d, &length);
	return text != NULL && hd__source_parse(n, file, text, length, d, source);
}

/* ---- the same file ---- */

bool hd__same_source(const struct hd_source *a, const struct hd_source *b)
{
	return a == b || (a->real != NULL && b->real != NULL && strcmp(a->real, b->real) == 0);
}

/* ---- origin of a value --------------------------------------------------------------------- */

enum { FEW_TEXTS = 4 };

/* Notes the source of all texts in the tree that have none yet. */
static void note_texts(struct hd_int_map *texts, json_t *tree, uint64_t number)
{
	const char *key;
	uint64_t *known;
	json_t *v;
	size_t i;

	if (json_is_string(tree)) {
		known = hd__int_map_at(texts, (uint64_t)(uintptr_t)tree);
		*known = *known != 0 ? *known : number;
	}
	json_array_foreach(tree, i, v)
		note_texts(texts, v, number);
	json_object_foreach(tree, key, v)
		note_texts(texts, v, number);
}

/* Is the text in the tree? */
static bool has_text(json_t *tree, const json_t *text)
{
	const char *key;
	json_t *v;
	size_t i;

	if (tree == text)
		return true;
	json_array_foreach(tree, i, v)
		if (has_text(v, text))
			return true;
	json_object_foreach(tree, key, v)
		if (has_text(v, text))
			return true;
	return false;
}

/* The source of the text, from 1; 0 if it is in none.  Few texts are asked for in most netlists, and are
 * looked for; for many, where all are is noted. */
static uint64_t source_of(const struct hd_netlist *n, const json_t *text)
{
	size_t *i = &n->known->noted;

	if (n->nsources < 2)
		return 0;
	if (n->known->asked++ < FEW_TEXTS) {
		for (size_t k = 0; k < n->nsources; k++)
			if (n->sources[k]->inside == NULL && has_text(n->sources[k]->root, text))
				return k + 1;
		return 0;
	}
	for (; *i < n->nsources; ++*i)
		if (n->sources[*i]->inside == NULL) /* else it is noted with that around it */
			note_texts(&n->known->texts, n->sources[*i]->root, *i + 1);
	return hd__int_map_get(&n->known->texts, (uint64_t)(uintptr_t)text);
}

const char *hd__netlist_file_of(const struct hd_netlist *n, const json_t *text)
{
	uint64_t number = source_of(n, text);
	const struct hd_source *s;

	if (number == 0)
		return n->file;
	s = n->sources[number - 1];
	return s->text != NULL ? s->file : NULL;
}
