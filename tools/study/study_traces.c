/* study_traces.c - the traces of a study: names, patterns, options
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study.h"
#include "base/pointer.h"
#include "base/words.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <glob.h>
#include <sys/stat.h>

/* Does text end with `end`? */
static struct study_trace *add(struct study *s, const char *file)
{
	s->traces = hd__xappend(s->traces, s->ntraces, sizeof *s->traces);
	s->traces[s->ntraces] = (struct study_trace){ .file = hd__xstrdup(file), .name = study_short_name(file) };
	return &s->traces[s->ntraces++];
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void no_match(const struct study *s, const char *pattern, const char *at, struct hd_diags *d)
{
	bool special = pattern[strcspn(pattern, "*?[")] != '\0';

	study_bad(s, d, at, false, special ? "no file matches '%s'; names are relative to the folder of the study"
	          : "no trace '%s'; expected a kernelslist.g or a .traceg, named relative to the folder of the study",
	          pattern);
}

/* Adds what a pattern names; those that are folders are an error. */
static void add_matching(struct study *s, const char *pattern, const char *at, struct hd_diags *d)
{
	char *path = study_below(s->folder, pattern);
	struct stat st;
	glob_t g;

	if (pattern[0] == '\0' || glob(path, GLOB_NOSORT, NULL, &g) != 0) {
		no_match(s, path, at, d);
		free(path);
		return;
	}
	qsort(g.gl_pathv, g.gl_pathc, sizeof *g.gl_pathv, by_bytes); /* whatever the locale */
	for (size_t i = 0; i < g.gl_pathc; i++) {
		if (stat(g.gl_pathv[i], &st) == 0 && S_ISDIR(st.st_mode))
			study_bad(s, d, at, false, "'%s' is a folder; expected a trace, maybe '%s/kernelslist.g'",
			          g.gl_pathv[i], pattern);
		else
			add(s, g.gl_pathv[i]);
	}
	globfree(&g);
	free(path);
}

/* Options of the traces from number `first` on. */
static void read_options(struct study *s, size_t first, json_t *o, const char *at, struct hd_diags *d)
{
	static const char *const members[] = { "files", "name", "max_cycles", "kernels", "strict", "keep_going",
		"doc", NULL };
	json_t *most = study_member(s, d, o, at, "max_cycles", JSON_INTEGER, "an integer from 1");
	json_t *kernels = study_member(s, d, o, at, "kernels", JSON_STRING, "a string such as \"2-5\"");
	json_t *name = study_member(s, d, o, at, "name", JSON_STRING, "a string");
	bool strict = json_is_true(study_member(s, d, o, at, "strict", JSON_TRUE, "true or false"));
	bool keep = json_is_true(study_member(s, d, o, at, "keep_going", JSON_TRUE, "true or false"));

	study_members(s, d, o, at, "a trace", members);
	if ((most != NULL || keep) && (s->pieces > 0 || s->fresh || s->once))
		study_bad(s, d, at, false, "'%s' and '%s': expected one of them", most != NULL ? "max_cycles"
		          : "keep_going", s->pieces > 0 ? "split" : s->fresh ? "fresh" : "once");
	if (most != NULL && json_integer_value(most) < 1)
		study_bad(s, d, at, false, "'max_cycles': expected an integer from 1");
	if (kernels != NULL && !study_is_range(json_string_value(kernels)))
		study_bad(s, d, at, false, "'kernels': '%s' is not a range; expected N, N-M or N-, from 1",
		          json_string_value(kernels));
	if (name != NULL && s->ntraces - first > 1)
		study_bad(s, d, at, false, "'name': expected one trace, found %zu", s->ntraces - first);
	for (size_t i = first; i < s->ntraces; i++) {
		struct study_trace *t = &s->traces[i];

		t->max_cycles = (uint64_t)json_integer_value(most);
		t->kernels = kernels != NULL ? hd__xstrdup(json_string_value(kernels)) : NULL;
		t->strict = strict;
		t->keep_going = keep;
		if (name != NULL) {
			free(t->name);
			t->name = hd__xstrdup(json_string_value(name));
		}
	}
}

static void read_entry(struct study *s, json_t *v, const char *at, struct hd_diags *d)
{
	json_t *files = json_is_object(v) ? json_object_get(v, "files") : v, *one;
	char *place = json_is_object(v) && files != NULL ? hd__pointer_add(at, "files") : hd__xstrdup(at);
	size_t first = s->ntraces, i;

	if (json_is_object(v) && files == NULL) {
		study_bad(s, d, at, false, "a trace without 'files'; expected the name of a file, or a list");
	} else if (json_is_array(v)) {
		study_bad(s, d, at, false, "expected the name of a trace, or an object; found a list");
	} else if (study_is_texts(s, d, files, place, "the name of a trace")) {
		if (json_is_string(files))
			add_matching(s, json_string_value(files), place, d);
		json_array_foreach(files, i, one)
			add_matching(s, json_string_value(one), place, d);
	}
	if (json_is_object(v))
		read_options(s, first, v, at, d);
	free(place);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct study_trace *const *)a)->name, (*(struct study_trace *const *)b)->name);
}

/* Traces of one name get the names of their files.  Returns the first that is there twice even so. */
static const struct study_trace *tell_apart(struct study *s)
{
	struct study_trace **v = hd__xcalloc(s->ntraces, sizeof *v);
	const struct study_trace *twice = NULL;

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < s->ntraces; i++)
			v[i] = &s->traces[i];
		qsort(v, s->ntraces, sizeof *v, by_name);
		for (size_t i = 0, n; i < s->ntraces; i += n) {
			for (n = 1; i + n < s->ntraces && strcmp(v[i]->name, v[i + n]->name) == 0; n++)
				;
			for (size_t k = i; n > 1 && round == 0 && k < i + n; k++) {
				free(v[k]->name);
				v[k]->name = hd__xstrdup(v[k]->file);
			}
			if (n > 1 && round == 1)
				twice = v[i];
		}
	}
	free(v);
	return twice;
}

void study_read_traces(struct study *s, json_t *list, struct hd_diags *d)
{
	const struct study_trace *twice;
	json_t *v;
	size_t i;

	json_array_foreach(list, i, v) {
		char *at = hd__numbered("/traces/", i, "");

		read_entry(s, v, at, d);
		free(at);
	}
	twice = s->ntraces > 1 ? tell_apart(s) : NULL;
	if (twice != NULL)
		study_bad(s, d, "/traces", false, "the trace '%s' is there twice; expected it once, or other members "
		          "\"name\"", twice->name);
}
