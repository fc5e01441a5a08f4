/* link_side.c - finds the instances and ports that one side of a link names
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "linker.h"

#define MOST_ENDS (1u << 21) /* that all links and exports together stand for */
#define EXPORT_TAKES 2u      /* as long to look up as so many ends */

const char *hd__port_kind_word(enum hd_port_kind k)
{
	switch (k) {
	case HD_IN: return "takes payloads";
	case HD_OUT: return "puts payloads";
	case HD_USES: return "uses an interface";
	default: return "provides an interface";
	}
}

void hd__link_complain(struct hd_linker *l, const char *member, const char *fmt, ...)
{
	const struct hd_netlist *n = l->s->netlist;
	va_list ap;
	char *text;

	l->ok = false;
	if (l->export_at != NULL && l->export_at[0] == '\0')
		return;
	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	if (l->export_at != NULL)
		hd__netlist_diag(n, l->s->diags, HD_DIAG_ERROR, l->export_at, NULL, "%s", text);
	/* "from" may be an element of a list, with a place of its own */
	else if (member && strcmp(member, "from") == 0 && strcmp(l->decl->at, l->decl->entry) != 0)
		hd__netlist_diag(n, l->s->diags, HD_DIAG_ERROR, l->decl->at, NULL, "%s", text);
	else
		hd__netlist_diag(n, l->s->diags, HD_DIAG_ERROR,
		                 member ? l->decl->entry : l->decl->at, member, "%s", text);
	free(text);
}

void hd__link_names(struct hd_linker *l)
{
	struct hd_sim *s = l->s;

	l->array_by_name = hd__xcheck(json_object());
	for (size_t i = 0; i < s->narrays; i++) {
		const struct hd_instance_decl *d = s->arrays[i].decl;

		if (json_object_get(l->array_by_name, d->name) != NULL)
			hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, d->at, NULL,
			                 "two instances are named '%s'", d->name);
		json_object_set_new(l->array_by_name, d->name, json_integer((json_int_t)i));
	}
}

/* ---- elements ------------------------------------------------------------------------------ */

/* Where a change has made an array of an instance, its links may be in other files, and one more change
 * mends all of them. */
static void expect_index(struct hd_linker *l, const char *member, const char *name, uint32_t count)
{
	bool to = member && strcmp(member, "to") == 0;
	struct hd_unindexed *u = NULL;

	if (!hd__netlist_changed(l->s->netlist) || l->nunindexed == HD_DIAGS_KEPT) {
		hd__link_complain(l, member, "'%s' is an array of %u; expected '%s[*]' or '%s[0]'", name,
		                  count, name, name);
		return;
	}
	l->ok = false;
	if (l->export_at != NULL && l->export_at[0] == '\0')
		return;
	for (size_t i = 0; u == NULL && i < l->nunindexed; i++)
		if (strcmp(l->unindexed[i].name, name) == 0)
			u = &l->unindexed[i];
	if (u == NULL) {
		l->unindexed = hd__xgrow(l->unindexed, l->nunindexed, &l->cap, sizeof *l->unindexed);
		u = &l->unindexed[l->nunindexed++];
		*u = (struct hd_unindexed){ .name = name, .count = count, .decl = l->decl,
			.export_at = l->export_at, .member = member };
	}
	u->from = u->from || !to;
	u->to = u->to || to;
	u->ends++;
}

void hd__report_unindexed(struct hd_linker *l)
{
	for (size_t i = 0; i < l->nunindexed; i++) {
		const struct hd_unindexed *u = &l->unindexed[i];
		const char *name = u->name;
		char *from = !u->from ? NULL
		             : hd__format("{ \"link\": { \"from\": \"%s\" }, \"from\": \"%s[*]\" }", name, name);
		char *to = u->to ? hd__format("{ \"link\": { \"to\": \"%s\" }, \"to\": \"%s[*]\" }", name, name) : NULL;
		char *more = u->ends <= 1 ? NULL
		             : hd__format(", as at %zu more end%s", u->ends - 1, u->ends > 2 ? "s" : "");

		l->decl = u->decl;
		l->export_at = u->export_at;
		hd__link_complain(l, u->member, "'%s' is an array of %u, and is named without an index%s; expected "
		                  "'%s[*]' or '%s[0]', by \"rewire\": [%s%s%s] in the netlist that makes it one, which "
		                  "reaches exports as well", name, u->count, more ? more : "", name, name,
		                  from ? from : "",
		                  from && to ? ", " : "", to ? to : "");
		free(from);
		free(to);
		free(more);
	}
	free(l->unindexed);
	l->unindexed = NULL;
	l->nunindexed = 0;
	l->export_at = NULL;
}

/* The elements of an array (or the single instance) that an end names. */
static bool pick(struct hd_linker *l, const char *member, const struct hd_end_decl *end,
                 const char *what, bool array, uint32_t count, uint32_t *first, uint32_t *n)
{
	const char *name = end->instance;

	*first = 0;
	*n = count;
	if (!end->all && end->index < 0) {
		if (array)
			expect_index(l, member, name, count);
		return !array;
	}
	if (!array) {
		hd__link_complain(l, member, "'%s' is a single %s; expected it without an index",
		                  name, what);
		return false;
	}
	if (end->all)
		return true;
	if ((uint32_t)end->last >= count) {
		hd__link_complain(l, member, "'%s' has no element %d; expected 0..%u", name,
		                  end->last, count - 1);
		return false;
	}
	*first = (uint32_t)end->index;
	*n = (uint32_t)(end->last - end->index) + 1;
	return true;
}

/* Counts the ends that links stand for. */
static bool count_ends(struct hd_linker *l, const struct hd_side *d, uint32_t n)
{
	const char *was = l->export_at;

	l->ends += n;
	if (l->ends <= MOST_ENDS)
		return true;
	if (!l->full) {
		if (was != NULL && was[0] == '\0')
			l->export_at = NULL; /* at the link itself */
		hd__link_complain(l, d->member, "too many ends of links; expected at most %u in all",
		                  MOST_ENDS);
		l->export_at = was;
	}
	l->full = true;
	l->ok = false;
	return false;
}

/* Reports a name that none of the `n` ports of the module has. */
static void no_port(struct hd_linker *l, const struct hd_side *d, const struct hd_module *m, const char *name,
                    uint32_t n)
{
	const char **names = hd__xcalloc(n, sizeof *names), *near;
	char list[400] = "";

	for (uint32_t i = 0; i < n; i++) {
		names[i] = m->ports[i].name;
		if (strlen(list) + strlen(names[i]) + 3 < sizeof list)
			strcat(strcat(list, i ? ", " : ""), names[i]);
	}
	near = hd__nearest(name, names, n);
	if (near)
		hd__link_complain(l, d->member, "module '%s' has no port '%s'; did you mean '%s'?; "
		                  "it has %s", m->name, name, near, list);
	else
		hd__link_complain(l, d->member, "module '%s' has no port '%s'; it has %s", m->name,
		                  name, n ? list : "none");
	free(names);
}

static const struct hd_port *find_port(struct hd_linker *l, const struct hd_side *d,
                                       const struct hd_module *m, const char *name)
{
	uint32_t n = 0;

	for (; m->ports && m->ports[n].name; n++)
		if (hd__same(m->ports[n].name, name))
			return &m->ports[n];
	for (uint32_t i = 0; i < n; i++)
		for (const char *const *a = m->ports[i].aliases; a && *a; a++)
			if (strcmp(*a, name) == 0)
				return &m->ports[i];
	no_port(l, d, m, name, n);
	return NULL;
}

static bool add_array(struct hd_linker *l, struct hd_side *d, const struct hd_array *b,
                      const struct hd_end_decl *end)
{
	const struct hd_instance_decl *decl = b->decl;
	const struct hd_port *port;
	uint32_t first, n;

	if (!b->module || decl->miscounted) {
		l->ok = false; /* reported where the instance is declared */
		return false;
	}
	if (!pick(l, d->member, end, "instance", decl->array, decl->count, &first, &n))
		return false;
	port = find_port(l, d, b->module, end->port);
	if (!port)
		return false;
	if (!count_ends(l, d, n))
		return false;
	d->v = hd__xreserve(d->v, (size_t)d->n + n, &d->cap, sizeof *d->v);
	for (uint32_t i = 0; i < n; i++)
		d->v[d->n++] = (struct hd_side_end){ &l->s->instances[b->first + first + i], b, port,
			                         (uint32_t)(port - b->module->ports), NULL };
	return true;
}

/* ---- netlists inside ----------------------------------------------------------------------- */

static bool resolve_end(struct hd_linker *l, struct hd_side *d, const struct hd_frame *f,
                        const struct hd_end_decl *end);

static void unknown_export(struct hd_linker *l, struct hd_side *d, const struct hd_part *p,
                           const char *name)
{
	const char **names;
	char hint[1000] = "";

	if (hd__may_suggest(l->s->diags, p->nexports)) {
		names = hd__xcalloc(p->nexports, sizeof *names);
		for (size_t i = 0; i < p->nexports; i++)
			names[i] = p->exports[i].name;
		hd__suggest(name, names, p->nexports, "it exports", hint, sizeof hint);
		free(names);
	}
	hd__link_complain(l, d->member, "netlist '%s' has no export '%s'%s",
	                  hd__part_file(l->s->netlist, p), name, hint);
}

/* The end that an export stands for, in each of the elements. */
static bool add_export(struct hd_linker *l, struct hd_side *d,
                       const struct hd_sub *sub, const struct hd_end_decl *end)
{
	const char *was = l->export_at;
	uint32_t first, n;
	bool ok = true;

	if (sub->count == 0) {
		l->ok = false; /* reported where the instance is declared */
		return false;
	}
	if (!pick(l, d->member, end, "netlist", sub->array, sub->count, &first, &n))
		return false;
	for (uint32_t k = 0; ok && k < n; k++) {
		const struct hd_frame *inner = l->s->netlist->frames[sub->first + first + k];
		const struct hd_export *x = hd__part_export(inner->part, end->port);

		if (!count_ends(l, d, EXPORT_TAKES))
			return false;
		if (x == NULL) {
			unknown_export(l, d, inner->part, end->port);
			return false;
		}
		l->export_at = was != NULL ? was : ""; /* hd__check_exports has reported it */
		for (const struct hd_end_decl *e = &x->end; e != NULL && ok; e = e->next)
			ok = resolve_end(l, d, inner, e);
		l->export_at = was;
	}
	return ok;
}

/* The netlist that contains the named instance, or NULL, also after many such searches. */
static const struct hd_sub *sub_around(const struct hd_linker *l, const struct hd_frame *f, const char *name)
{
	if (!hd__may_suggest(l->s->diags, f->nsubs))
		return NULL;
	for (size_t i = 0; i < f->nsubs; i++) {
		size_t n = strlen(f->subs[i].name);

		if (strncmp(name, f->subs[i].name, n) == 0 && (name[n] == '.' || name[n] == '['))
			return &f->subs[i];
	}
	return NULL;
}

static bool unknown_instance(struct hd_linker *l, struct hd_side *d, const struct hd_frame *f,
                             const char *name)
{
	const struct hd_sub *sub;
	json_t *all = hd__frame_instances(f), *v;
	const char **names, *key, *near = NULL;
	size_t n = 0;

	if (json_object_get(all, name) != NULL)
		return false; /* reported there, or it was not read as the netlist is too large */
	sub = sub_around(l, f, name);
	if (sub == NULL && hd__may_suggest(l->s->diags, json_object_size(all))) {
		names = hd__xcalloc(json_object_size(all), sizeof *names);
		json_object_foreach(all, key, v)
			names[n++] = key;
		near = hd__nearest(name, names, n);
		free(names);
	}
	if (sub != NULL)
		hd__link_complain(l, d->member, "'%s' is inside of the netlist '%s'; expected one of "
		                  "its exported ends, such as '%s.x'", name, sub->name, sub->name);
	else if (near)
		hd__link_complain(l, d->member, "unknown instance '%s'; did you mean '%s'?", name, near);
	else
		hd__link_complain(l, d->member, "unknown instance '%s'; expected one of \"instances\"",
		                  name);
	return false;
}

static bool resolve_end(struct hd_linker *l, struct hd_side *d, const struct hd_frame *f,
                        const struct hd_end_decl *end)
{
	const struct hd_sub *sub = hd__frame_sub(f, end->instance);
	char *name;
	json_t *at;

	if (sub != NULL)
		return add_export(l, d, sub, end);
	if (f->prefix[0] == '\0') {
		at = json_object_get(l->array_by_name, end->instance);
	} else {
		name = hd__join(f->prefix, end->instance, "");
		at = json_object_get(l->array_by_name, name);
		free(name);
	}
	/* a name with dots must be that of an instance here, not of one inside another netlist */
	if (at == NULL || (strchr(end->instance, '.') != NULL
	                   && json_object_get(hd__frame_instances(f), end->instance) == NULL))
		return unknown_instance(l, d, f, end->instance);
	return add_array(l, d, &l->s->arrays[json_integer_value(at)], end);
}

bool hd__side_resolve(struct hd_linker *l, struct hd_side *d)
{
	const struct hd_frame *f = l->s->netlist->frames[l->decl->frame];
	bool ok = true;

	for (const struct hd_end_decl *e = d->decl; e != NULL && !l->full; e = e->next)
		ok = resolve_end(l, d, f, e) && ok;
	return ok && !l->full;
}

/* Notes which ports the outermost netlist exports. */
static void note_exported(struct hd_linker *l, const struct hd_side *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		const struct hd_side_end *v = &d->v[i];
		size_t array = (size_t)(v->array - l->s->arrays);
		size_t element = (size_t)(v->instance - &l->s->instances[v->array->first]);

		l->sockets[array][element * l->nports[array] + v->port_index].exported = true;
	}
}

bool hd__check_exports(struct hd_linker *l)
{
	const struct hd_netlist *n = l->s->netlist;
	const struct hd_part *last = NULL;

	l->ok = true;
	for (size_t i = 0; i < n->nframes; i++) {
		const struct hd_part *p = n->frames[i]->part;

		if (p == NULL || p == last)
			continue;
		last = p;
		for (size_t k = 0; k < p->nexports; k++) {
			struct hd_side d = { .decl = &p->exports[k].end };

			l->export_at = p->exports[k].at;
			for (const struct hd_end_decl *e = d.decl; e != NULL; e = e->next)
				resolve_end(l, &d, n->frames[i], e);
			if (i == 0)
				note_exported(l, &d);
			free(d.v);
		}
	}
	l->export_at = NULL;
	return l->ok;
}
