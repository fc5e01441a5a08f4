/* link_open.c - ports that no link names: linked as their module says, or reported
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "linker.h"

#include <stdlib.h>

/* The use by which `user` has an interface of this type, or NULL. */
static const struct hd_use *use_of_type(const struct hd_sim *s, const struct hd_instance *user,
                                        const struct hd_type *t)
{
	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_use *u = &s->uses[i];

		if (u->user == user && strcmp(user->module->ports[u->user_port].type->name, t->name) == 0)
			return u;
	}
	return NULL;
}

/* The instance that uses the port of that name, or NULL. */
static const struct hd_instance *user_of_port(const struct hd_sim *s, const struct hd_instance *in,
                                              const char *port)
{
	for (size_t i = 0; i < s->nuses; i++)
		if (s->uses[i].provider == in
		    && strcmp(in->module->ports[s->uses[i].provider_port].name, port) == 0)
			return s->uses[i].user;
	return NULL;
}

/* Links an open port of which the module says how: as that of its own user. */
static void link_like(struct hd_linker *l, struct hd_instance *in, uint32_t p, struct hd_socket *socket)
{
	struct hd_sim *s = l->s;
	const struct hd_port *port = &in->module->ports[p];
	const struct hd_instance *user = user_of_port(s, in, port->like);
	const struct hd_use *same = user ? use_of_type(s, user, port->type) : NULL;
	struct hd_use use;

	if (!same)
		return;
	use = (struct hd_use){ in, p, same->provider, same->provider_port, NULL, same->link, false };
	s->uses = hd__xappend(s->uses, s->nuses, sizeof *s->uses);
	s->uses[s->nuses++] = use;
	socket->links++;
}

void hd__link_open(struct hd_linker *l)
{
	for (size_t i = 0; i < l->s->narrays; i++) {
		const struct hd_array *b = &l->s->arrays[i];

		for (uint32_t p = 0; b->module && p < l->nports[i]; p++)
			for (uint32_t e = 0; b->module->ports[p].like && e < b->decl->count; e++) {
				struct hd_socket *k = &l->sockets[i][(size_t)e * l->nports[i] + p];

				if (k->links == 0 && !k->exported)
					link_like(l, &l->s->instances[b->first + e], p, k);
			}
	}
}

/* Bytes of the name of an array that are the part in which it is, "sm[3].": 6. */
static size_t part_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? (size_t)(dot + 1 - name) : 0;
}

/* A link of the same part that would close the open port: "" or an example as that part's file has it, to be freed. */
static char *example_link(const struct hd_sim *s, const struct hd_array *b, const struct hd_port *port)
{
	size_t part = part_of(b->decl->name);

	for (size_t i = 0; port->kind == HD_USES && i < s->narrays; i++) {
		const struct hd_array *a = &s->arrays[i];

		if (a == b || part_of(a->decl->name) != part || strncmp(a->decl->name, b->decl->name, part) != 0)
			continue;
		for (const struct hd_port *q = a->module ? a->module->ports : NULL; q && q->name; q++)
			if (q->kind == HD_PROVIDES && strcmp(q->type->name, port->type->name) == 0)
				return hd__format(", such as by { \"from\": \"%s%s.%s\", \"to\": \"%s%s.%s\" }",
				                  b->decl->name + part, b->decl->array ? "[*]" : "", port->name,
				                  a->decl->name + part, a->decl->array ? "[*]" : "", q->name);
	}
	return hd__xstrdup("");
}

void hd__check_open(struct hd_linker *l)
{
	struct hd_sim *s = l->s;
	const struct hd_socket *socket;

	for (size_t i = 0; i < s->narrays; i++) {
		const struct hd_array *b = &s->arrays[i];

		for (uint32_t p = 0; b->module && p < l->nports[i]; p++) {
			const struct hd_port *port = &b->module->ports[p];
			uint32_t open = 0, example = 0;
			bool exported = false;
			char *link;

			if ((port->flags & (HD_OPTIONAL | HD_ARRAY)) || port->kind == HD_PROVIDES)
				continue;
			for (uint32_t e = 0; e < b->decl->count; e++) {
				socket = &l->sockets[i][(size_t)e * l->nports[i] + p];
				if (socket->links == 0 && s->opt.part && socket->exported)
					s->nopen++;
				else if (socket->links == 0 && open++ == 0)
					example = e, exported = socket->exported;
			}
			if (open == 0)
				continue;
			link = hd__may_suggest(s->diags, s->narrays) ? example_link(s, b, port) : hd__xstrdup("");
			hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, b->decl->at, NULL,
			                 "port '%s.%s' is left open; it %s of type '%s' and has to be "
			                 "linked%s%s",
			                 s->instances[b->first + example].path, port->name,
			                 hd__port_kind_word(port->kind), port->type->name, exported ? "" : link,
			                 exported ? "; as it is exported, expected this netlist to be "
			                            "an instance of another" : "");
			free(link);
			l->ok = false;
		}
	}
}
