/* netlist_make.c - a program of the build: makes C of netlists, so that a run need not read them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: netlist_make FILE...
 *
 * Of each file the JSON values, and of a netlist without mistakes that has none inside of it the declarations, too.
 */
#include "composition.h"
#include "base/json_made.h"
#include "base/json_make.h"
#include "base/json_read.h"
#include "base/xalloc.h"
#include "made_fields.h"

const struct hd_json_made hd__json_made[] = { { .text = NULL } }; /* it reads the files themselves */

/* The files of the command line. */
struct file {
	char *text;
	size_t length;
};

/* What is made of one of them. */
struct hd_made {
	const struct file *files;
	unsigned nfiles;
	struct hd_netlist *n;
	struct hd_json_make json;
	uint32_t *numbers;
	size_t nnumbers, cap;
};

static void put(struct hd_made *m, uint64_t v)
{
	m->numbers = hd__xgrow(m->numbers, m->nnumbers, &m->cap, sizeof *m->numbers);
	m->numbers[m->nnumbers++] = (uint32_t)v;
}

static void put_word(struct hd_made *m, const char *word)
{
	put(m, word != NULL ? hd__make_word(&m->json, word) : 0);
}

/* The source of a string, from 1; that of the file itself need not be known. */
static unsigned source_of(void *make, const json_t *text)
{
	const struct hd_made *m = make;
	const char *file = m->n != NULL ? hd__netlist_file_of(m->n, text) : NULL;

	for (unsigned i = 1; file != NULL && i < m->n->nsources; i++)
		if (strcmp(m->n->sources[i]->file, file) == 0)
			return i + 1;
	return 0;
}

/* The number of the file with the text of the source; that of files if it is none of them. */
static unsigned file_of(const struct hd_made *m, const struct hd_source *s)
{
	unsigned i = 0;

	while (i < m->nfiles && (strlen(s->text) != m->files[i].length
	                         || memcmp(s->text, m->files[i].text, m->files[i].length) != 0))
		i++;
	return i;
}

/* ---- declarations -------------------------------------------------------------------------- */

static void hd__made_number(struct hd_made *m, uint32_t *v)
{
	put(m, *v);
}

static void hd__made_wide(struct hd_made *m, uint64_t *v)
{
	put(m, *v);
	put(m, *v >> 32);
}

static void hd__made_word(struct hd_made *m, const char **word)
{
	put_word(m, *word);
}

static void hd__made_value(struct hd_made *m, json_t **v)
{
	put(m, *v != NULL ? hd__make_value(&m->json, *v) + 1 : 0);
}

static void *hd__made_array(struct hd_made *m, void *items, size_t n, size_t bytes)
{
	(void)m;
	(void)n;
	(void)bytes;
	return items;
}

static struct hd_end_decl *hd__made_next(struct hd_made *m, struct hd_end_decl *next)
{
	put(m, next != NULL);
	return next;
}

/* Files that extend each other: each names the next. */
static void put_sources(struct hd_made *m)
{
	put(m, m->n->nsources);
	for (size_t i = 1; i < m->n->nsources; i++) {
		put(m, file_of(m, m->n->sources[i]));
		put_word(m, json_string_value(json_object_get(m->n->sources[i - 1]->root, "extends")));
	}
}

static void put_netlist(struct hd_made *m)
{
	m->n->changed = hd__netlist_changed(m->n);
	put_sources(m);
	hd__made_netlist(m, m->n);
}

/* Is it a whole netlist of one part, all of whose files are of the command line? */
static bool can_be_made(const struct hd_made *m, const struct hd_diags *d)
{
	if (m->n == NULL || d->errors + d->warnings > 0 || m->n->nparts != 1 || m->n->nclocks == 0)
		return false;
	for (size_t i = 0; i < m->n->nsources; i++)
		if (file_of(m, m->n->sources[i]) == m->nfiles)
			return false;
	return true;
}

/* ---- files --------------------------------------------------------------------------------- */

static void print_numbers(const struct hd_made *m, unsigned number)
{
	printf("static const uint32_t netlist_%u[] = {", number);
	for (size_t i = 0; i < m->nnumbers; i++)
		printf("%s%u,", i % 16 == 0 ? "\n\t" : " ", m->numbers[i]);
	printf("\n};\n\n");
}

/* The arrays of one file, and its line in the table.  Returns false after messages. */
static bool make_file(const struct file *files, unsigned nfiles, const char *const *names, unsigned i, FILE *table)
{
	struct hd_made m = { .files = files, .nfiles = nfiles };
	struct hd_diags d = { .n = 0 }, unheard = { .n = 0 };
	json_t *root = hd__json_parse(names[i], files[i].text, files[i].length, &d);

	if (root == NULL) {
		hd__diags_print(&d, stderr);
		return false;
	}
	m.json.source = source_of;
	m.json.arg = &m;
	hd__make_value(&m.json, root);
	m.n = hd__netlist_read(names[i], &unheard); /* parts of others have mistakes by themselves */
	if (can_be_made(&m, &unheard))
		put_netlist(&m);
	hd__make_print(&m.json, i);
	hd__make_bytes("text", i, files[i].text, files[i].length);
	fprintf(table, "\t{ text_%u, sizeof text_%u, values_%u, words_%u, ", i, i, i, i);
	if (m.nnumbers > 0) {
		print_numbers(&m, i);
		fprintf(table, "netlist_%u, ", i);
	} else {
		fprintf(table, "NULL, ");
	}
	fprintf(table, "%u },\n", m.json.nvalues);
	hd__diags_free(&unheard);
	hd__make_free(&m.json);
	hd__netlist_free(m.n);
	free(m.numbers);
	json_decref(root);
	return true;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)argc - 1 : 0;
	const char *const *names = (const char *const *)argv + 1;
	struct file *files = hd__xcalloc(n, sizeof *files);
	char *table = NULL;
	size_t size;
	FILE *out = hd__xcheck(open_memstream(&table, &size));
	bool ok = true;

	for (unsigned i = 0; i < n && ok; i++) {
		files[i].text = hd__read_file(names[i], &files[i].length);
		ok = files[i].text != NULL;
		if (!ok)
			perror(names[i]);
	}
	printf("/* generated: netlists that the build has read */\n#include \"base/json_made.h\"\n\n");
	for (unsigned i = 0; i < n && ok; i++)
		ok = make_file(files, n, names, i, out);
	fclose(out);
	printf("const struct hd_json_made hd__json_made[] = {\n%s\t{ NULL, 0, NULL, NULL, NULL, 0 },\n};\n", table);
	for (unsigned i = 0; i < n; i++)
		free(files[i].text);
	free(files);
	free(table);
	return ok && fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}
