/* netlist.c - reads a netlist: its files, changes from the command line; messages about it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading goes on after a mistake, so that all of them are reported at once.
 */
#include "composition.h"
#include "kernel/base/xalloc.h"

/* ---- messages ------------------------------------------------------------------------------ */

/* " (from '$width')" if the text at `value` is a "$" string that the message does not repeat. */
static char *from_param(const char *value, const char *message)
{
	size_t n;
	char *quoted, *s = NULL;

	if (value == NULL || value[0] != '"' || value[1] != '$' || value[2] == '$')
		return hd__xstrdup("");
	n = strcspn(value + 1, "\"\\");
	quoted = hd__xstrndup(value + 1, n);
	s = strstr(message, quoted) != NULL ? hd__xstrdup("") : hd__format(" (from '%s')", quoted);
	free(quoted);
	return s;
}

/* A place in one of the files. */
struct spot {
	const struct hd_source *source;
	const char *byte; /* NULL: unknown */
	int line, column;
};

/* Cuts pointers until the text has the place: parts of parameters are not in it. */
static void find_in_source(const struct hd_source *s, char *pointer, bool key, struct spot *spot)
{
	char *cut;

	spot->source = s;
	if (s->text == NULL)
		return;
	spot->byte = hd__find(s->text, pointer, key);
	while (spot->byte == NULL && (cut = strrchr(pointer, '/')) != NULL) {
		*cut = '\0';
		spot->byte = hd__find(s->text, pointer, false);
	}
	if (spot->byte != NULL)
		hd__line_column(s->text, spot->byte, &spot->line, &spot->column);
}

/* "PART:POINTER", "@SOURCE:POINTER" or "POINTER". */
static void find_spot(const struct hd_netlist *n, const char *at, bool key, struct spot *spot)
{
	const char *pointer = at;
	unsigned long number = 0;
	bool source = *at == '@';
	char *end, *place;

	*spot = (struct spot){ 0 };
	if (n->nsources == 0)
		return;
	if (source || (*at >= '0' && *at <= '9')) {
		number = strtoul(at + source, &end, 10);
		pointer = end + (*end == ':');
	}
	if (!source) {
		if (number >= n->nparts) { /* the whole was not read */
			place = hd__xstrdup(pointer);
			find_in_source(n->sources[0], place, key, spot);
		} else {
			place = hd__doc_at(n->parts[number]->doc, pointer);
			find_spot(n, place, key, spot);
		}
		free(place);
		return;
	}
	place = hd__xstrdup(pointer);
	find_in_source(n->sources[number], place, key, spot);
	free(place);
}

/* How the place came to be in the netlist, if it stands in a file that another one names: " (in
 * 'sm', gpu.json:3:9)", " (extended by b.json)". */
static char *context(const struct hd_netlist *n, const char *at, const struct hd_source *source)
{
	unsigned long number = *at >= '0' && *at <= '9' ? strtoul(at, NULL, 10) : 0;
	const struct hd_part *p = number < n->nparts ? n->parts[number] : NULL;
	char *text = hd__xstrdup(""), *longer;
	struct spot up;

	if (*at == '@')
		return text;
	if (p != NULL && p->doc->top != p->doc->source && source->text != NULL
	    && source != n->sources[p->doc->top]) {
		free(text);
		text = hd__format(" (extended by %s)", n->sources[p->doc->top]->file);
	}
	for (; p != NULL && p->up != NULL; p = p->up) {
		find_spot(n, p->at, false, &up);
		longer = hd__format("%s (in '%s', %s:%d:%d)", text, p->name, up.source->file,
		                    up.line, up.column);
		free(text);
		text = longer;
	}
	return text;
}

/* Was it said before?  Parts that occur many times must not crowd out other messages. */
static bool known(const struct hd_diags *d, const struct spot *spot, const char *text)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].line == spot->line && d->v[i].column == spot->column
		    && d->v[i].file != NULL && strcmp(d->v[i].file, spot->source->file) == 0
		    && strcmp(d->v[i].text, text) == 0)
			return true;
	return false;
}

static void report(const struct hd_netlist *n, struct hd_diags *d, enum hd_severity s,
                   const char *at, const char *member, bool key, const char *fmt, va_list ap)
{
	struct spot spot;
	char *text, *from, *in, *pointer, *all;

	if (d->n == HD_DIAGS_KEPT) { /* will only be counted: no need to look for the place */
		hd__diagv(d, s, n->file, 0, 0, fmt, ap);
		return;
	}
	pointer = member != NULL ? hd__pointer_add(at, member) : hd__xstrdup(at);
	find_spot(n, pointer, key, &spot);
	text = hd__xvprintf(fmt, ap);
	from = from_param(key ? NULL : spot.byte, text);
	in = spot.source != NULL ? context(n, at, spot.source) : hd__xstrdup("");
	all = hd__format("%s%s%s", text, from, in);
	if (n->nparts > 1 && spot.source != NULL && known(d, &spot, all))
		*(s == HD_DIAG_ERROR ? &d->errors : &d->warnings) += 1;
	else
		hd__diag(d, s, spot.source != NULL ? spot.source->file : n->file, spot.line,
		         spot.column, "%s", all);
	free(all);
	free(in);
	free(from);
	free(text);
	free(pointer);
}

void hd__netlist_diag(const struct hd_netlist *n, struct hd_diags *d, enum hd_severity s,
                      const char *at, const char *member, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(n, d, s, at, member, false, fmt, ap);
	va_end(ap);
}

void hd__netlist_diag_key(const struct hd_netlist *n, struct hd_diags *d, enum hd_severity s,
                          const char *at, const char *member, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(n, d, s, at, member, true, fmt, ap);
	va_end(ap);
}

/* ---- changes from the command line --------------------------------------------------------- */

/* "path=value": JSON, or else a word. */
static bool apply_set(struct hd_netlist *n, struct hd_doc *doc, const char *set,
                      struct hd_diags *d)
{
	const char *equals = strchr(set, '=');
	char *file = hd__format("--set %s", set), *path, *at;
	json_t *value;
	uint32_t source;
	bool ok;

	if (equals == NULL) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0,
		         "expected PATH=VALUE, such as units.count=2");
		free(file);
		return false;
	}
	path = hd__xstrndup(set, (size_t)(equals - set));
	value = json_loads(equals + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	if (value == NULL)
		value = json_string(equals + 1);
	if (value == NULL) /* not UTF-8 */
		value = hd__xcheck(json_string("?"));
	source = hd__source_add(n, file, NULL, value);
	at = hd__format("@%u:", source);
	ok = hd__doc_set(n, doc, path, value, at, d);
	free(at);
	free(path);
	free(file);
	return ok;
}

/* ---- reading ------------------------------------------------------------------------------- */

static struct hd_netlist *new_netlist(const char *file)
{
	struct hd_netlist *n = hd__xcalloc(1, sizeof *n);

	n->file = hd__xstrdup(file);
	return n;
}

/* The netlist of source 0. */
static struct hd_netlist *read_all(struct hd_netlist *n, const char *const *sets, size_t nsets,
                                   struct hd_diags *d)
{
	struct hd_doc *doc = hd__doc_open(n, 0, d);

	if (doc == NULL) {
		hd__netlist_free(n);
		return NULL;
	}
	for (size_t i = 0; i < nsets; i++)
		apply_set(n, doc, sets[i], d);
	n->root = json_incref(doc->root);
	hd__read_whole(n, doc, d);
	return n;
}

struct hd_netlist *hd__netlist_parse(const char *file, const char *text, size_t length,
                                     struct hd_diags *d)
{
	struct hd_netlist *n = new_netlist(file);
	uint32_t source;

	if (hd__source_parse(n, file, text, length, d, &source))
		return read_all(n, NULL, 0, d);
	hd__netlist_free(n);
	return NULL;
}

struct hd_netlist *hd__netlist_read_set(const char *file, const char *const *sets, size_t nsets,
                                        struct hd_diags *d)
{
	char *found = hd__data_path(NULL, file);
	struct hd_netlist *n = new_netlist(found);
	uint32_t source;
	bool ok = hd__source_read(n, found, NULL, d, &source);

	free(found);
	if (ok)
		return read_all(n, sets, nsets, d);
	hd__netlist_free(n);
	return NULL;
}

struct hd_netlist *hd__netlist_read(const char *file, struct hd_diags *d)
{
	return hd__netlist_read_set(file, NULL, 0, d);
}

void hd__netlist_free(struct hd_netlist *n)
{
	if (n == NULL)
		return;
	hd__free_clocks(n);
	hd__free_instances(n);
	hd__free_links(n);
	hd__parts_free(n);
	json_decref(n->params);
	json_decref(n->root);
	free(n->name);
	free(n->doc);
	free(n->file);
	free(n);
}
