/* made.c - the declarations of a netlist that the build has made
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A place in the netlist is only needed by messages, and by some names that they suggest: the netlist is read
 * for the first of them, and is a second one beside that of the declarations (hd__netlist_whole).
 */
#include "made.h"
#include "composition.h"
#include "kernel/base/json_made.h"
#include "kernel/base/json_read.h"
#include "kernel/base/xalloc.h"

#include <sys/stat.h>

struct reader {
	struct hd_netlist *n;
	struct hd_json_maker values;
	const uint32_t *next; /* number */
};

static uint64_t wide(struct reader *r)
{
	uint64_t low = *r->next++;

	return low | (uint64_t)*r->next++ << 32;
}

static const char *word(struct reader *r)
{
	uint32_t at = *r->next++;

	return at != 0 ? r->values.made->words + at : NULL;
}

static json_t *value(struct reader *r)
{
	uint32_t at = *r->next++;

	return at != 0 ? hd__json_made_at(&r->values, at - 1) : NULL;
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

static bool read_sources(struct reader *r, char *text)
{
	struct hd_netlist *n = r->n;
	uint32_t count = *r->next++;

	add_source(n, hd__xstrdup(n->file), text);
	for (uint32_t i = 1; i < count; i++) {
		const struct hd_json_made *made = &hd__json_made[*r->next++];

		if (read_base(n, word(r), made))
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

static void read_clocks(struct reader *r)
{
	struct hd_netlist *n = r->n;

	n->nclocks = *r->next++;
	n->clocks = hd__xcalloc(n->nclocks, sizeof *n->clocks);
	for (size_t i = 0; i < n->nclocks; i++) {
		struct hd_clock_decl *c = &n->clocks[i];
		uint64_t hz;

		c->name = word(r);
		c->at = word(r);
		c->millihertz = wide(r);
		hz = wide(r);
		memcpy(&c->hz, &hz, sizeof hz);
		c->accumulated = *r->next++;
		c->of = word(r);
		c->times = *r->next++;
		c->phase_num = *r->next++;
		c->phase_den = *r->next++;
		c->at_end = *r->next++;
		c->gate = word(r);
	}
}

static void read_instances(struct reader *r)
{
	struct hd_netlist *n = r->n;

	n->ninstances = *r->next++;
	n->instances = hd__xcalloc(n->ninstances, sizeof *n->instances);
	for (size_t i = 0; i < n->ninstances; i++) {
		struct hd_instance_decl *d = &n->instances[i];

		d->name = word(r);
		d->at = word(r);
		d->module = word(r);
		d->clock = word(r);
		d->count = *r->next++;
		d->array = *r->next++;
		d->params = value(r);
		d->first_clock = word(r);
		d->nclocks = *r->next++;
		if (!*r->next++)
			continue;
		d->each = hd__xcalloc(d->count, sizeof *d->each);
		d->each_at = hd__xcalloc(d->count, sizeof *d->each_at);
		for (uint32_t k = 0; k < d->count; k++) {
			d->each[k] = value(r);
			d->each_at[k] = hd__xstrdup(word(r));
		}
	}
}

static void read_end(struct reader *r, struct hd_end_decl *e)
{
	for (;;) {
		e->instance = word(r);
		e->port = word(r);
		e->index = (int)*r->next++;
		e->last = (int)*r->next++;
		e->all = *r->next++;
		e->next = *r->next++ ? hd__store_room(&r->n->store, sizeof *e) : NULL;
		if (e->next == NULL)
			return;
		e = e->next;
	}
}

static void read_links(struct reader *r)
{
	struct hd_netlist *n = r->n;

	n->nlinks = *r->next++;
	n->links = hd__xcalloc(n->nlinks, sizeof *n->links);
	for (size_t i = 0; i < n->nlinks; i++) {
		struct hd_link_decl *l = &n->links[i];
		uint32_t flags;

		l->at = word(r);
		l->entry = word(r);
		l->group = *r->next++;
		read_end(r, &l->from);
		read_end(r, &l->to);
		l->latency = *r->next++;
		flags = *r->next++;
		l->has_latency = flags & HD_MADE_HAS_LATENCY;
		l->staged = flags & HD_MADE_STAGED;
		l->shared_slots = flags & HD_MADE_SHARED;
		l->rotate = flags & HD_MADE_ROTATE;
		l->capacity = *r->next++;
		l->slots = *r->next++;
		l->attrs = value(r);
	}
}

static void read_exports(struct reader *r, struct hd_part *p)
{
	p->nexports = *r->next++;
	p->exports = hd__xcalloc(p->nexports, sizeof *p->exports);
	for (size_t i = 0; i < p->nexports; i++) {
		p->exports[i].name = word(r);
		p->exports[i].at = word(r);
		read_end(r, &p->exports[i].end);
	}
}

static char *copy_of(const char *text)
{
	return text != NULL ? hd__xstrdup(text) : NULL;
}

static void read_netlist(struct reader *r)
{
	struct hd_netlist *n = r->n;
	struct hd_part *p = hd__part_new(n, NULL, NULL, NULL, NULL);
	struct hd_frame *f = hd__frame_new(n, p, hd__xstrdup(""));

	n->name = copy_of(word(r));
	n->doc = copy_of(word(r));
	n->watchdog = wide(r);
	n->total = wide(r);
	n->ngroups = *r->next++;
	n->changed = *r->next++;
	f->first_clock = word(r);
	f->nclocks = *r->next++;
	read_clocks(r);
	read_instances(r);
	read_links(r);
	read_exports(r, p);
}

bool hd__netlist_made(struct hd_netlist *n, char *text, size_t length)
{
	const struct hd_json_made *made = hd__json_made_find(text, length);
	struct reader r = { .n = n, .values = { .made = made, .texts = &n->known->texts } };

	if (made == NULL || made->netlist == NULL)
		return false;
	r.next = made->netlist;
	if (!read_sources(&r, text))
		return false;
	r.values.known = hd__xcalloc(made->nvalues, sizeof *r.values.known);
	n->made = made;
	read_netlist(&r);
	free(r.values.known);
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
