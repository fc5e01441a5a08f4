/* made.c - the declarations of a netlist that the build has made
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A place in the netlist is only needed by messages, and by some names that they suggest: the netlist is read
 * for the first of them, and is a second one beside that of the declarations (hd__netlist_whole).
 */
#include "made.h"
#include "composition.h"
#include "base/json_made.h"
#include "base/json_read.h"
#include "base/xalloc.h"
#include "made_fields.h"

#include <sys/stat.h>

struct hd_made {
	struct hd_netlist *n;
	struct hd_json_maker values;
	const uint32_t *next; /* number */
};

static void hd__made_number(struct hd_made *m, uint32_t *v)
{
	*v = *m->next++;
}

static void hd__made_wide(struct hd_made *m, uint64_t *v)
{
	*v = *m->next++;
	*v |= (uint64_t)*m->next++ << 32;
}

static void hd__made_word(struct hd_made *m, const char **word)
{
	uint32_t at = *m->next++;

	*word = at != 0 ? m->values.made->words + at : NULL;
}

static void hd__made_value(struct hd_made *m, json_t **v)
{
	uint32_t at = *m->next++;

	*v = at != 0 ? hd__json_made_at(&m->values, at - 1) : NULL;
}

static void *hd__made_array(struct hd_made *m, void *items, size_t n, size_t bytes)
{
	(void)m;
	(void)items;
	return hd__xcalloc(n, bytes);
}

static struct hd_end_decl *hd__made_next(struct hd_made *m, struct hd_end_decl *next)
{
	if (!*m->next++)
		return NULL;
	next = hd__store_room(&m->n->store, sizeof *next);
	memset(next, 0, sizeof *next);
	return next;
}

/* ---- files --------------------------------------------------------------------------------- */

/* Takes over the text. */
static void add_source(struct hd_netlist *n, char *file, char *text)
{
	struct hd_source *s = hd__xcalloc(1, sizeof *s);

	s->file = file;
	s->text = text;
	n->sources = hd__xgrow(n->sources, n->nsources, &n->cap_sources, sizeof *n->sources);
	n->sources[n->nsources++] = s;
}

/* The file that the last source extends, if it has the bytes. */
static bool read_base(struct hd_netlist *n, const char *name, const struct hd_json_made *made)
{
	char *file = hd__data_path(n->sources[n->nsources - 1]->file, name), *text = NULL;
	size_t length;
	struct stat st;

	if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size == made->length)
		text = hd__read_file(file, &length);
	if (text != NULL && length == made->length && memcmp(text, made->text, length) == 0) {
		add_source(n, file, text);
		return true;
	}
	free(text);
	free(file);
	return false;
}

static bool read_sources(struct hd_made *m, char *text)
{
	struct hd_netlist *n = m->n;
	uint32_t count = *m->next++;

	add_source(n, hd__xstrdup(n->file), text);
	for (uint32_t i = 1; i < count; i++) {
		const struct hd_json_made *made = &hd__json_made[*m->next++];
		const char *name;

		hd__made_word(m, &name);
		if (read_base(n, name, made))
			continue;
		n->sources[0]->text = NULL; /* the caller's */
		hd__parts_free(n);
		n->nsources = n->cap_sources = 0;
		n->sources = NULL;
		return false;
	}
	return true;
}

/* ---- declarations -------------------------------------------------------------------------- */

static void read_netlist(struct hd_made *m)
{
	struct hd_part *p = hd__part_new(m->n, NULL, NULL, NULL, NULL);

	hd__frame_new(m->n, p, hd__xstrdup(""));
	hd__made_netlist(m, m->n);
}

bool hd__netlist_made(struct hd_netlist *n, char *text, size_t length)
{
	const struct hd_json_made *made = hd__json_made_find(text, length);
	struct hd_made m = { .n = n, .values = { .made = made, .texts = &n->known->texts } };

	if (made == NULL || made->netlist == NULL)
		return false;
	m.next = made->netlist;
	if (!read_sources(&m, text))
		return false;
	m.values.known = hd__xcalloc(made->nvalues, sizeof *m.values.known);
	n->made = made;
	read_netlist(&m);
	free(m.values.known);
	return true;
}

const struct hd_netlist *hd__netlist_whole(const struct hd_netlist *n)
{
	struct hd_diags none = { .n = 0 };

	if (n->made == NULL)
		return n;
	if (n->known->whole == NULL)
		n->known->whole = hd__netlist_parse(n->file, n->made->text, n->made->length, &none);
	hd__diags_free(&none);
	return n->known->whole != NULL ? n->known->whole : n;
}
