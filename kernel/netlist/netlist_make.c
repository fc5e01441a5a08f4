/* netlist_make.c - a program of the build: makes C of netlists, so that a run need not read them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: netlist_make FILE...
 *
 * Of each file the JSON values, and of a netlist without mistakes that has none inside of it the declarations, too.
 */
#include "composition.h"
#include "kernel/base/json_made.h"
#include "kernel/base/json_make.h"
#include "kernel/base/json_read.h"
#include "kernel/base/xalloc.h"
#include "made.h"

const struct hd_json_made hd__json_made[] = { { .text = NULL } }; /* it reads the files themselves */

/* The files of the command line. */
struct file {
	char *text;
	size_t length;
};

/* What is made of one of them. */
struct make {
	const struct file *files;
	unsigned nfiles;
	struct hd_netlist *n;
	struct hd_json_make json;
	uint32_t *numbers;
	size_t nnumbers, cap;
};

static void put(struct make *m, uint64_t v)
{
	m->numbers = hd__xgrow(m->numbers, m->nnumbers, &m->cap, sizeof *m->numbers);
	m->numbers[m->nnumbers++] = (uint32_t)v;
}

static void put_wide(struct make *m, uint64_t v)
{
	put(m, v);
	put(m, v >> 32);
}

static void put_word(struct make *m, const char *word)
{
	put(m, word != NULL ? hd__make_word(&m->json, word) : 0);
}

static void put_value(struct make *m, json_t *v)
{
	put(m, v != NULL ? hd__make_value(&m->json, v) + 1 : 0);
}

/* The source of a string, from 1; that of the file itself need not be known. */
static unsigned source_of(void *make, const json_t *text)
{
	const struct make *m = make;
	const char *file = m->n != NULL ? hd__netlist_file_of(m->n, text) : NULL;

	for (unsigned i = 1; file != NULL && i < m->n->nsources; i++)
		if (strcmp(m->n->sources[i]->file, file) == 0)
			return i + 1;
	return 0;
}

/* The number of the file with the text of the source; that of files if it is none of them. */
static unsigned file_of(const struct make *m, const struct hd_source *s)
{
	unsigned i = 0;

	while (i < m->nfiles && (strlen(s->text) != m->files[i].length
	                         || memcmp(s->text, m->files[i].text, m->files[i].length) != 0))
		i++;
	return i;
}

/* ---- declarations -------------------------------------------------------------------------- */

/* Files that extend each other: each names the next. */
static void put_sources(struct make *m)
{
	put(m, m->n->nsources);
	for (size_t i = 1; i < m->n->nsources; i++) {
		put(m, file_of(m, m->n->sources[i]));
		put_word(m, json_string_value(json_object_get(m->n->sources[i - 1]->root, "extends")));
	}
}

static void put_clocks(struct make *m)
{
	put(m, m->n->nclocks);
	for (size_t i = 0; i < m->n->nclocks; i++) {
		const struct hd_clock_decl *c = &m->n->clocks[i];
		uint64_t hz;

		memcpy(&hz, &c->hz, sizeof hz);
		put_word(m, c->name);
		put_word(m, c->at);
		put_wide(m, c->millihertz);
		put_wide(m, hz);
		put(m, c->accumulated);
		put_word(m, c->of);
		put(m, c->times);
		put(m, c->phase_num);
		put(m, c->phase_den);
		put(m, c->at_end);
		put_word(m, c->gate);
	}
}

static void put_instances(struct make *m)
{
	put(m, m->n->ninstances);
	for (size_t i = 0; i < m->n->ninstances; i++) {
		const struct hd_instance_decl *d = &m->n->instances[i];

		put_word(m, d->name);
		put_word(m, d->at);
		put_word(m, d->module);
		put_word(m, d->clock);
		put(m, d->count);
		put(m, d->array);
		put_value(m, d->params);
		put_word(m, d->first_clock);
		put(m, d->nclocks);
		put(m, d->each != NULL);
		for (uint32_t k = 0; d->each != NULL && k < d->count; k++) {
			put_value(m, d->each[k]);
			put_word(m, d->each_at[k]);
		}
	}
}

static void put_ends(struct make *m, const struct hd_end_decl *e)
{
	for (; e != NULL; e = e->next) {
		put_word(m, e->instance);
		put_word(m, e->port);
		put(m, (uint32_t)e->index);
		put(m, (uint32_t)e->last);
		put(m, e->all);
		put(m, e->next != NULL);
	}
}

static void put_links(struct make *m)
{
	put(m, m->n->nlinks);
	for (size_t i = 0; i < m->n->nlinks; i++) {
		const struct hd_link_decl *l = &m->n->links[i];

		put_word(m, l->at);
		put_word(m, l->entry);
		put(m, l->group);
		put_ends(m, &l->from);
		put_ends(m, &l->to);
		put(m, l->latency);
		put(m, (l->has_latency ? HD_MADE_HAS_LATENCY : 0) | (l->staged ? HD_MADE_STAGED : 0)
		       | (l->shared_slots ? HD_MADE_SHARED : 0) | (l->rotate ? HD_MADE_ROTATE : 0));
		put(m, l->capacity);
		put(m, l->slots);
		put_value(m, l->attrs);
	}
}

static void put_exports(struct make *m)
{
	const struct hd_part *p = m->n->parts[0];

	put(m, p->nexports);
	for (size_t i = 0; i < p->nexports; i++) {
		put_word(m, p->exports[i].name);
		put_word(m, p->exports[i].at);
		put_ends(m, &p->exports[i].end);
	}
}

static void put_netlist(struct make *m)
{
	const struct hd_netlist *n = m->n;

	put_sources(m);
	put_word(m, n->name);
	put_word(m, n->doc);
	put_wide(m, n->watchdog);
	put_wide(m, n->total);
	put(m, n->ngroups);
	put(m, hd__netlist_changed(n));
	put_word(m, n->frames[0]->first_clock);
	put(m, n->frames[0]->nclocks);
	put_clocks(m);
	put_instances(m);
	put_links(m);
	put_exports(m);
}

/* Is it a whole netlist of one part, all of whose files are of the command line? */
static bool can_be_made(const struct make *m, const struct hd_diags *d)
{
	if (m->n == NULL || d->errors + d->warnings > 0 || m->n->nparts != 1 || m->n->nclocks == 0)
		return false;
	for (size_t i = 0; i < m->n->nsources; i++)
		if (file_of(m, m->n->sources[i]) == m->nfiles)
			return false;
	return true;
}

/* ---- files --------------------------------------------------------------------------------- */

static void print_numbers(const struct make *m, unsigned number)
{
	printf("static const uint32_t netlist_%u[] = {", number);
	for (size_t i = 0; i < m->nnumbers; i++)
		printf("%s%u,", i % 16 == 0 ? "\n\t" : " ", m->numbers[i]);
	printf("\n};\n\n");
}

/* The arrays of one file, and its line in the table.  Returns false after messages. */
static bool make_file(const struct file *files, unsigned nfiles, const char *const *names, unsigned i, FILE *table)
{
	struct make m = { .files = files, .nfiles = nfiles };
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
	printf("/* generated: netlists that the build has read */\n#include \"kernel/base/json_made.h\"\n\n");
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
