/* dump_sources.c - lines of the programs' source that the static instructions of a dump come from
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_sources.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static struct dump_source read_source(const char *text)
{
	struct dump_source x = { text, strlen(text), 0, text };
	const char *colon = strrchr(text, ':');

	if (colon && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0') {
		x.file = (size_t)(colon - text);
		x.line = strtoull(colon + 1, NULL, 10);
	}
	return x;
}

static int compare_files(const struct dump_source *a, const struct dump_source *b)
{
	size_t n = a->file < b->file ? a->file : b->file;
	int c = memcmp(a->text, b->text, n);

	return c ? c : (a->file > b->file) - (a->file < b->file);
}

static int compare(const void *pa, const void *pb)
{
	const struct dump_source *a = pa, *b = pb;
	int c = compare_files(a, b);

	return c ? c : a->line != b->line ? (a->line < b->line ? -1 : 1) : strcmp(a->text, b->text);
}

/* The name of the file without its folder; the caller frees it. */
static char *base_of(const struct dump_source *x)
{
	size_t from = x->file;

	while (from > 0 && x->text[from - 1] != '/')
		from--;
	return hd__xstrndup(x->text + from, x->file - from);
}

static bool begins_file(const struct dump_sources *s, size_t i)
{
	return i == 0 || compare_files(&s->v[i - 1], &s->v[i]) != 0;
}

static void choose_names(struct dump_sources *s)
{
	json_t *files = json_object(); /* names without folders -> how many have them */
	char *base;

	for (size_t i = 0; i < s->n; i++) {
		if (!begins_file(s, i))
			continue;
		base = base_of(&s->v[i]);
		json_object_set_new_nocheck(files, base,
			json_integer(json_integer_value(json_object_get(files, base)) + 1));
		free(base);
	}
	for (size_t i = 0; i < s->n; i++) {
		struct dump_source *x = &s->v[i];
		int width;

		base = base_of(x);
		if (json_integer_value(json_object_get(files, base)) == 1)
			x->name = x->text + x->file - strlen(base);
		width = (int)strlen(x->name);
		s->width = width > s->width ? width : s->width;
		free(base);
	}
	json_decref(files);
}

void dump_sources_find(struct dump_sources *s, const struct dump_program *p)
{
	size_t n = 0;

	*s = (struct dump_sources){ .n = 0 };
	for (uint32_t i = 0; i < p->n; i++) {
		if (!p->v[i].source)
			continue;
		s->v = hd__xgrow(s->v, s->n, &s->cap, sizeof *s->v);
		s->v[s->n++] = read_source(p->v[i].source);
	}
	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, compare);
	for (size_t i = 0; i < s->n; i++)
		if (i == 0 || compare(&s->v[n - 1], &s->v[i]) != 0)
			s->v[n++] = s->v[i];
	s->n = n;
	choose_names(s);
}

void dump_sources_free(struct dump_sources *s)
{
	free(s->v);
}

int64_t dump_source_of(const struct dump_sources *s, const struct dump_line *line)
{
	struct dump_source key, *found;

	if (!line->source)
		return -1;
	key = read_source(line->source);
	found = bsearch(&key, s->v, s->n, sizeof *s->v, compare);
	return found ? found - s->v : -1;
}

void dump_sources_print(const struct dump_sources *s, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct dump_source *x = &s->v[i];

		if (x->name == x->text || !begins_file(s, i))
			continue;
		fprintf(out, "%s%.*s  %.*s\n", any ? "" : "\n", (int)(x->file - (size_t)(x->name - x->text)), x->name,
		        (int)x->file, x->text);
		any = true;
	}
}
