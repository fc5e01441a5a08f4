/* link_attr.c - members of a link besides its ends: those of the language, attributes of its ports
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "linker.h"

static bool has_param(const struct hd_param *p, const char *name)
{
	for (; p && p->name; p++)
		if (hd__same(p->name, name))
			return true;
	return false;
}

static bool side_has(const struct hd_side *d, const char *name)
{
	for (uint32_t i = 0; i < d->n; i++)
		if ((i == 0 || d->v[i].port != d->v[i - 1].port)
		    && has_param(d->v[i].port->attrs, name))
			return true;
	return false;
}

/* Reports a member that neither the language nor one of the ports has. */
static void unknown_member(struct hd_linker *l, const struct hd_side *a, const struct hd_side *b, const char *key)
{
	static const char *const common[] = { "from", "to", "latency", "staged", "capacity", "slots",
		                           "index", "rotate", "for" };
	const struct hd_param *const attrs[] = { a->v[0].port->attrs, b->v[0].port->attrs };
	const char *names[64];
	size_t n = 0;
	char hint[1000];

	for (; n < sizeof common / sizeof *common; n++)
		names[n] = common[n];
	for (size_t i = 0; i < 2; i++)
		for (const struct hd_param *p = attrs[i]; p && p->name && n < 64; p++)
			names[n++] = p->name;
	hd__netlist_diag_key(l->s->netlist, l->s->diags, HD_DIAG_ERROR, l->decl->entry, key,
	                     "unknown member '%s' of link%s", key,
	                     hd__may_suggest(l->s->diags, n)
	                     ? hd__suggest(key, names, n, "expected one of", hint, sizeof hint) : "");
	l->ok = false;
}

void hd__link_check_members(struct hd_linker *l, const struct hd_side *a, const struct hd_side *b)
{
	const char *key;
	json_t *value;

	json_object_foreach(l->decl->attrs, key, value)
		if (!side_has(a, key) && !side_has(b, key))
			unknown_member(l, a, b, key);
}

/* Attributes of the link for one port; NULL if it has none. */
static const void *store_attr(struct hd_linker *l, const struct hd_side_end *p)
{
	const struct hd_param *mine = p->port->attrs;
	const char **skip; /* attributes of the other port */
	size_t n = 0;
	void *base;
	const char *key;
	json_t *value;
	const char *const who[] = { "link at port '", p->port->name, "' of module '", p->array->module->name, "'",
		                    NULL };

	if (!mine)
		return NULL;
	skip = hd__xcalloc(json_object_size(l->decl->attrs) + 1, sizeof *skip);
	base = hd__zeroed(l->s, 1, p->port->attr_size);
	json_object_foreach(l->decl->attrs, key, value)
		if (!has_param(mine, key))
			skip[n++] = key;
	if (hd__params_store(&l->s->store, mine, base, l->decl->attrs, l->decl->entry, who, skip))
		l->ok = false;
	free(skip);
	return base;
}

void hd__link_store_attrs(struct hd_linker *l, struct hd_side *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		d->v[i].attr = i > 0 && d->v[i].port == d->v[i - 1].port ? d->v[i - 1].attr
		                                                         : store_attr(l, &d->v[i]);
}
