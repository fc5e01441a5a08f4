/* netlist_diag.c - messages that point at a place in one of the files of a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "composition.h"
#include "base/xalloc.h"

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

/* Shortens the pointer until the text has the place: parts of parameters are not in it. */
static void find_in_source(struct hd_source *s, const char *inner, bool key,
                           struct spot *spot)
{
	char *pointer, *cut;

	spot->source = s;
	if (s->text == NULL)
		return;
	pointer = hd__format("%s%s", s->inside != NULL ? s->inside : "", inner);
	spot->byte = hd__find(s->text, pointer, key, &s->found);
	while (spot->byte == NULL && (cut = strrchr(pointer, '/')) != NULL) {
		*cut = '\0';
		spot->byte = hd__find(s->text, pointer, false, &s->found);
	}
	if (spot->byte != NULL)
		hd__line_column(s->text, spot->byte, &s->found, &spot->line, &spot->column);
	free(pointer);
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
		place = hd__doc_at(n->parts[number]->doc, pointer);
		find_spot(n, place, key, spot);
		free(place);
		return;
	}
	find_in_source(n->sources[number], pointer, key, spot);
}

/* How the place became part of the netlist, if it is in a file that another file names: " (in 'sm',
 * top.json:3:9)", " (extended by b.json)". */
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

/* Messages whose place is looked for when no more are kept: a file may have as many mistakes as names. */
enum { MAX_LOCATED = 1 << 16 };

/* Has the message been reported before?  Parts used many times must not crowd out other
 * messages. */
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

	/* Once no more are kept, the place shows whether it is like one of those. */
	if (d->n == HD_DIAGS_KEPT && (d->each || d->located++ >= MAX_LOCATED)) {
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

bool hd__netlist_takes(struct hd_netlist *n, struct hd_diags *d, uint64_t steps, const char *at, const char *member)
{
	if (hd__netlist_grows(n, steps))
		return true;
	hd__netlist_full(n, d, at, member);
	return false;
}

void hd__netlist_full(struct hd_netlist *n, struct hd_diags *d, const char *at, const char *member)
{
	if (n->full == NULL || n->full_reported)
		return;
	n->full_reported = true;
	hd__netlist_diag(n, d, HD_DIAG_ERROR, at, member, "%s", n->full);
}

bool hd__check_name(const struct hd_netlist *n, struct hd_diags *d, const char *at,
                    const char *name, const char *what, bool path)
{
	if (path ? hd__is_path(name) : hd__is_name(name))
		return true;
	hd__netlist_diag_key(n, d, HD_DIAG_ERROR, at, name,
	                     "bad name '%s' of %s; expected a letter or '_', then letters, digits "
	                     "and '_', at most %u",
	                     name, what, HD_NAME_MAX);
	return false;
}
