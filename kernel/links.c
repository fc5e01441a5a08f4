/* links.c - links ports as the netlist specifies, and checks the links
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "linker.h"

#include <stdlib.h>

/* ---- members besides the ends: those of the language, attributes of ports ----------------- */

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

static void check_members(struct hd_linker *l, const struct hd_side *a, const struct hd_side *b)
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
	if (hd__params_store(&l->s->store, mine, base, l->decl->attrs, l->decl->entry, who, skip, NULL))
		l->ok = false;
	free(skip);
	return base;
}

static void store_attrs(struct hd_linker *l, struct hd_side *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		d->v[i].attr = i > 0 && d->v[i].port == d->v[i - 1].port ? d->v[i - 1].attr
		                                                         : store_attr(l, &d->v[i]);
}

/* ---- ports that no link names: linked as their module says, or reported ------------------- */

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

static void link_open(struct hd_linker *l)
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

static void check_open(struct hd_linker *l)
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

/* ---- two sides ---------------------------------------------------------------------------- */

#define complain hd__link_complain

static uint32_t count_ports(const struct hd_module *m)
{
	uint32_t n = 0;

	while (m->ports && m->ports[n].name)
		n++;
	return n;
}

static struct hd_socket *socket_of(struct hd_linker *l, const struct hd_side_end *p)
{
	size_t b = (size_t)(p->array - l->s->arrays);
	uint32_t element = (uint32_t)(p->instance - l->s->instances) - p->array->first;

	return &l->sockets[b][(size_t)element * l->nports[b] + p->port_index];
}

/* The name of the instance in messages about the port of a link. */
static const char *name_of(const struct hd_side_end *p)
{
	return p->array->decl->name;
}

static bool check_kinds(struct hd_linker *l, const struct hd_side_end *a, const struct hd_side_end *b)
{
	const struct hd_port *p = a->port, *q = b->port;
	bool channel = p->kind == HD_OUT && q->kind == HD_IN;
	bool interface = p->kind == HD_USES && q->kind == HD_PROVIDES;

	if (!channel && !interface) {
		if ((q->kind == HD_OUT && p->kind == HD_IN)
		    || (q->kind == HD_USES && p->kind == HD_PROVIDES))
			complain(l, NULL, "link is the wrong way round; '%s.%s' %s and '%s.%s' %s",
			         name_of(a), p->name, hd__port_kind_word(p->kind), name_of(b), q->name,
			         hd__port_kind_word(q->kind));
		else
			complain(l, NULL, "ports do not fit; '%s.%s' %s and '%s.%s' %s", name_of(a),
			         p->name, hd__port_kind_word(p->kind), name_of(b), q->name,
			         hd__port_kind_word(q->kind));
		return false;
	}
	if (p->type != q->type && strcmp(p->type->name, q->type->name) != 0) {
		complain(l, NULL, "types differ; '%s.%s' is '%s' and '%s.%s' is '%s'", name_of(a),
		         p->name, p->type->name, name_of(b), q->name, q->type->name);
		return false;
	}
	if (p->type->build && q->type->build && strcmp(p->type->build, q->type->build) != 0) {
		const char *plugin = hd__registry_plugin(l->s->registry, b->array->module);
		const struct hd_side_end *other = plugin ? a : b, *built = plugin ? b : a;

		complain(l, NULL, "type '%s' differs; module '%s' is for %s here and module '%s' for %s; expected '%s' "
		         "built with that, too: cc -D%s ...", p->type->name, other->array->module->name,
		         other->port->type->build, built->array->module->name, built->port->type->build,
		         built->array->module->name, other->port->type->build);
		return false;
	}
	if (p->type->version != q->type->version || p->type->size != q->type->size
	    || p->type->record != q->type->record) {
		complain(l, NULL, "type '%s' differs; module '%s' was built with version %u (%u bytes) "
		         "and module '%s' with version %u (%u bytes); rebuild the older one",
		         p->type->name, a->array->module->name, p->type->version,
		         p->type->record ? p->type->record : p->type->size, b->array->module->name,
		         q->type->version, q->type->record ? q->type->record : q->type->size);
		return false;
	}
	return true;
}

/* Checks all elements of both sides: mostly they are of one module. */
static bool check_sides(struct hd_linker *l, const struct hd_side *a, const struct hd_side *b)
{
	bool ok = check_kinds(l, &a->v[0], &b->v[0]);

	for (uint32_t i = 1; i < a->n && ok; i++)
		ok = a->v[i].port == a->v[i - 1].port || check_kinds(l, &a->v[i], &b->v[0]);
	for (uint32_t i = 1; i < b->n && ok; i++)
		ok = b->v[i].port == b->v[i - 1].port || check_kinds(l, &a->v[0], &b->v[i]);
	return ok;
}

/* ---- channels ------------------------------------------------------------------------------ */

static void add_end(struct hd_link_end **v, size_t *n, struct hd_link_end e)
{
	*v = hd__xappend(*v, *n, sizeof **v);
	(*v)[(*n)++] = e;
}

static struct hd_channel *new_channel(struct hd_linker *l, const struct hd_side_end *to)
{
	const struct hd_link_decl *d = l->decl;
	struct hd_channel *c = hd__xcalloc(1, sizeof *c);
	struct hd_sim *s = l->s;

	s->channels = hd__xappend(s->channels, s->nchannels, sizeof *s->channels);
	s->channels[s->nchannels++] = c;
	c->decl = d;
	c->link = l->link;
	c->type = to->port->type;
	c->slotted = (to->port->flags & HD_SLOTS) != 0;
	c->shared = d->shared_slots;
	c->latency = d->latency;
	c->timed = d->staged || d->latency > 1 || (to->port->flags & HD_DELAYED);
	if (c->slotted) {
		c->capacity = d->slots ? d->slots : 1;
	} else {
		/* enough for a payload at every edge; room freed in a staged link is visible an
		 * edge later */
		c->capacity = d->capacity ? d->capacity
		                          : (d->latency > 1 ? d->latency : 1) + d->staged;
	}
	return c;
}

/* Later links into a channel may repeat the members of the first link, not contradict them. */
static void check_same(struct hd_linker *l, const struct hd_channel *c)
{
	const struct hd_link_decl *a = c->decl, *b = l->decl;

	if ((b->has_latency && b->latency != a->latency) || b->staged != a->staged)
		complain(l, "latency", "links into one port differ in latency; the first has %u%s",
		         a->latency, a->staged ? ", staged" : "");
	if (b->capacity && b->capacity != c->capacity)
		complain(l, "capacity", "links into one port differ in capacity; the first has %u",
		         c->capacity);
	if (b->slots && b->slots != c->capacity)
		complain(l, "slots", "links into one port differ in slots; the first has %u",
		         c->capacity);
}

/* Slots of end i of n. */
static uint64_t own_slots(struct hd_linker *l, const struct hd_channel *c,
                          const struct hd_side_end *p, uint32_t i, uint32_t n)
{
	uint32_t all = c->capacity, each;
	uint64_t every = hd_bits_below(all);

	if (!c->slotted || l->decl->shared_slots || n == 1)
		return every;
	if (all % n != 0) {
		if (i == 0)
			complain(l, "slots", "%u slots cannot be divided among %u of '%s'; expected a "
			         "multiple of %u, or \"index\": \"any\"", all, n, name_of(p), n);
		return every;
	}
	each = all / n;
	return hd_bits_range(i * each, each);
}

/* The channel that one of the elements already has, or NULL. */
static struct hd_channel *channel_of(struct hd_linker *l, const struct hd_side_end *p, uint32_t n)
{
	struct hd_channel *c = NULL;

	for (uint32_t i = 0; i < n; i++)
		if (!(p[i].port->flags & HD_ARRAY) && socket_of(l, &p[i])->channel)
			c = socket_of(l, &p[i])->channel;
	return c;
}

/* Adds elements to one side of a channel.  Returns true if one of them was new. */
static bool add_ends(struct hd_linker *l, struct hd_channel *c, const struct hd_side_end *p, uint32_t n,
                     const char *member, struct hd_link_end **v, size_t *nv)
{
	bool added = false;

	for (uint32_t i = 0; i < n; i++) {
		struct hd_socket *k = socket_of(l, &p[i]);

		if (k->links++ && !(p[i].port->flags & HD_ARRAY)) {
			if (k->channel != c)
				complain(l, member, "port '%s.%s' is already linked elsewhere",
				         p[i].instance->path, p[i].port->name);
			continue;
		}
		k->channel = c;
		added = true;
		add_end(v, nv, (struct hd_link_end){ p[i].instance, p[i].port_index,
			own_slots(l, c, &p[i], i, n), p[i].attr, l->link });
	}
	return added;
}

/* Some ports can serve a few users only: replies in a channel, for instance, that are not for the
 * one that takes them would be lost. */
static void too_many_users(struct hd_linker *l, const char *member, const struct hd_instance *in,
                           const struct hd_port *p, const struct hd_instance *other)
{
	bool channel = p->kind == HD_IN;

	complain(l, member, "%s '%s.%s' can serve %u %s only, and is linked to '%s' already; expected one "
	         "for each", channel ? "the channel to" : "port", in->path, p->name, p->users,
	         channel ? p->users == 1 ? "receiver" : "receivers" : p->users == 1 ? "user" : "users",
	         other->path);
}

static bool is_register(const struct hd_side_end *p)
{
	return (p->port->flags & HD_REG) != 0;
}

/* Makes elements a[0..an) and b[0..bn) ends of one channel. */
static void join_channel(struct hd_linker *l, const struct hd_side_end *a, uint32_t an,
                         const struct hd_side_end *b, uint32_t bn)
{
	struct hd_channel *c = channel_of(l, b, bn);
	bool added;

	if (!c)
		c = channel_of(l, a, an);
	if (!c)
		c = new_channel(l, b);
	else
		check_same(l, c);
	c->rotate = c->rotate || l->decl->rotate;
	c->reg = c->reg || is_register(&a[0]) || is_register(&b[0]);
	if (c->reg && c->capacity > 1u + c->decl->staged)
		complain(l, "capacity", "one of '%s.%s' and '%s.%s' is a register, which has one place, and the "
		                        "channel has %u; expected no \"capacity\", and a latency of at most 1",
		                        name_of(a), a->port->name,
		         name_of(b), b->port->name, c->capacity);
	added = add_ends(l, c, a, an, "from", &c->from, &c->nfrom);
	added = add_ends(l, c, b, bn, "to", &c->to, &c->nto) || added;
	if (b->port->users > 0 && c->nto > b->port->users && l->ok)
		too_many_users(l, "to", c->to[c->nto - 1].instance, b->port, c->to[0].instance);
	if (!added && l->ok)
		complain(l, NULL, "'%s.%s' and '%s.%s' are linked twice", name_of(a), a->port->name,
		         name_of(b), b->port->name);
}

static void check_wire(struct hd_linker *l, const struct hd_side *a, const struct hd_side *b)
{
	for (uint32_t i = 0; i < (a->n > b->n ? a->n : b->n); i++) {
		const struct hd_clock *c = a->v[i < a->n ? i : 0].array->clock;
		const struct hd_clock *k = b->v[i < b->n ? i : 0].array->clock;

		if (!c || !k || !c->phases || !k->phases /* was reported */ || hd__clocks_coincide(c, k))
			continue;
		complain(l, "latency", "a link of latency 0 joins clocks that never tick together, '%s' "
		         "and '%s'; expected a latency of at least 1", c->name, k->name);
		return;
	}
}

/* Do members of the link fit a channel of this kind? */
static void check_channel(struct hd_linker *l, bool slots)
{
	const struct hd_link_decl *d = l->decl;

	if (slots && d->capacity)
		complain(l, "capacity", "a register set has no capacity; expected \"slots\"");
	if (!slots && (d->slots || d->shared_slots))
		complain(l, d->slots ? "slots" : "index", "a FIFO has no slots; expected \"capacity\"");
	if (d->slots > 64)
		complain(l, "slots", "%u slots are too many; expected 1..64", d->slots);
	if (d->staged && d->has_latency && d->latency == 0)
		complain(l, "staged", "a staged link shows a payload at the next edge; expected a "
		         "latency of at least 1");
}

/* The reader sets the latency of some links. */
static void check_delayed(struct hd_linker *l, const struct hd_side *b)
{
	const struct hd_link_decl *d = l->decl;

	for (uint32_t i = 0; i < b->n; i++) {
		if (!(b->v[i].port->flags & HD_DELAYED) || (!d->has_latency && !d->staged))
			continue;
		complain(l, d->has_latency ? "latency" : "staged", "the latency of a link to '%s.%s' is set by "
		         "'%s' (module '%s'); expected no \"%s\"", name_of(&b->v[i]), b->v[i].port->name,
		         name_of(&b->v[i]), b->v[i].array->module->name, d->has_latency ? "latency" : "staged");
		return;
	}
}

static bool have_clocks(const struct hd_side *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (!d->v[i].array->clock)
			return false;
	return true;
}

static bool same_kind_of_channel(struct hd_linker *l, const struct hd_side *a,
                                 const struct hd_side *b)
{
	for (uint32_t i = 0; i < (a->n > b->n ? a->n : b->n); i++) {
		const struct hd_side_end *p = &a->v[i < a->n ? i : 0], *q = &b->v[i < b->n ? i : 0];
		bool slots = (q->port->flags & HD_SLOTS) != 0;

		if (((p->port->flags ^ q->port->flags) & HD_SLOTS) == 0)
			continue;
		complain(l, NULL, "ports do not fit; '%s.%s' is a %s and '%s.%s' a %s", name_of(p),
		         p->port->name, slots ? "FIFO" : "register set", name_of(q), q->port->name,
		         slots ? "register set" : "FIFO");
		return false;
	}
	return true;
}

/* One-to-one links need equally many elements on both sides. */
static bool check_counts(struct hd_linker *l, const struct hd_side *a, const struct hd_side *b)
{
	if (a->n <= 1 || b->n <= 1 || a->n == b->n)
		return true;
	complain(l, NULL, "arrays differ; '%s' has %u elements and '%s' has %u", a->decl->instance,
	         a->n, b->decl->instance, b->n);
	return false;
}

static void link_channel(struct hd_linker *l, struct hd_side *a, struct hd_side *b)
{
	const struct hd_link_decl *d = l->decl;

	if (!same_kind_of_channel(l, a, b))
		return;
	check_channel(l, (b->v[0].port->flags & HD_SLOTS) != 0);
	check_delayed(l, b);
	if (!have_clocks(a) || !have_clocks(b))
		return; /* reported with the instance */
	if (d->latency == 0 && !d->staged)
		check_wire(l, a, b);
	if (!l->ok || !check_counts(l, a, b))
		return;
	if (a->n > 1 && b->n > 1)
		for (uint32_t i = 0; i < a->n; i++)
			join_channel(l, &a->v[i], 1, &b->v[i], 1);
	else
		join_channel(l, a->v, a->n, b->v, b->n);
}

/* ---- interfaces ---------------------------------------------------------------------------- */

/* The first user of a provided interface; it has one. */
static const struct hd_instance *user_of(const struct hd_sim *s, const struct hd_side_end *b)
{
	const struct hd_use *u = s->uses;

	while (u->provider != b->instance || u->provider_port != b->port_index)
		u++;
	return u->user;
}

/* A port that calls one instance is linked a second time. */
static void linked_twice(struct hd_linker *l, const struct hd_side_end *a)
{
	const struct hd_use *u = l->s->uses, *end = u + l->s->nuses;

	while (u < end && (u->user != a->instance || u->user_port != a->port_index))
		u++;
	complain(l, "from", "port '%s.%s' calls one instance, and is linked %s%s%s already", a->instance->path,
	         a->port->name, u < end ? "to '" : "elsewhere", u < end ? u->provider->path : "", u < end ? "'" : "");
}

static void join_interface(struct hd_linker *l, const struct hd_side_end *a, const struct hd_side_end *b)
{
	struct hd_sim *s = l->s;
	struct hd_socket *k = socket_of(l, a);

	if (k->links++ && !(a->port->flags & HD_ARRAY)) {
		linked_twice(l, a);
		return;
	}
	if (b->port->users > 0 && socket_of(l, b)->links >= b->port->users) {
		too_many_users(l, "to", b->instance, b->port, user_of(s, b));
		return;
	}
	socket_of(l, b)->links++;
	s->uses = hd__xappend(s->uses, s->nuses, sizeof *s->uses);
	s->uses[s->nuses++] = (struct hd_use){ a->instance, a->port_index, b->instance,
		b->port_index, a->attr, l->link, l->decl->rotate };
}

static void link_interface(struct hd_linker *l, struct hd_side *a, struct hd_side *b)
{
	const struct hd_link_decl *d = l->decl;

	if (d->has_latency || d->staged)
		complain(l, d->staged ? "staged" : "latency", "an interface has no latency; its functions "
		         "are called by the user's process");
	if (d->capacity || d->slots || d->shared_slots)
		complain(l, d->capacity ? "capacity" : d->slots ? "slots" : "index",
		         "an interface holds no payloads; expected none of \"capacity\", \"slots\", "
		         "\"index\"");
	if (!l->ok || !check_counts(l, a, b))
		return;
	if (a->n > 1 && b->n > 1)
		for (uint32_t i = 0; i < a->n; i++)
			join_interface(l, &a->v[i], &b->v[i]);
	else
		for (uint32_t i = 0; i < a->n; i++)
			for (uint32_t j = 0; j < b->n; j++)
				join_interface(l, &a->v[i], &b->v[j]);
}

/* Messages are about the link of this use. */
static void at_link_of(struct hd_linker *l, const struct hd_use *u)
{
	l->link = u->link;
	l->decl = &l->s->netlist->links[u->link];
}

/* By user, its port, provider, its port, and link. */
static int compare_calls(const void *a, const void *b)
{
	const struct hd_use *p = *(const struct hd_use *const *)a, *q = *(const struct hd_use *const *)b;
	const uint64_t v[] = { p->user->number, p->user_port, p->provider->number, p->provider_port, p->link };
	const uint64_t w[] = { q->user->number, q->user_port, q->provider->number, q->provider_port, q->link };
	size_t i = 0;

	while (i < 4 && v[i] == w[i])
		i++;
	return (v[i] > w[i]) - (v[i] < w[i]);
}

/* Links of a port that calls many instances are a mistake if they stand for the same call, with the same attributes.
 * In one link an instance may stand several times. */
static void check_twice(struct hd_linker *l)
{
	const struct hd_sim *s = l->s;
	const struct hd_use **v = hd__xcalloc(s->nuses + 1, sizeof *v);
	size_t n = 0;

	for (size_t i = 0; i < s->nuses; i++)
		if (s->uses[i].user->module->ports[s->uses[i].user_port].flags & HD_ARRAY)
			v[n++] = &s->uses[i];
	qsort(v, n, sizeof *v, compare_calls);
	for (size_t i = 1; i < n; i++) {
		const struct hd_use *p = v[i - 1], *q = v[i];

		if (p->user != q->user || p->user_port != q->user_port || p->provider != q->provider
		    || p->provider_port != q->provider_port || p->link == q->link || p->attr != q->attr)
			continue;
		at_link_of(l, q);
		complain(l, NULL, "'%s.%s' and '%s.%s' are linked twice", q->user->path,
		         q->user->module->ports[q->user_port].name, q->provider->path,
		         q->provider->module->ports[q->provider_port].name);
	}
	free(v);
}

/* An instance that calls another one, both of which use an interface with HD_WHOLE, has it from the same provider; one
 * that has it from several may call parts of each. */
static void check_wholes(struct hd_linker *l)
{
	struct hd_sim *s = l->s;
	const struct hd_use **whole = hd__xcalloc(s->ninstances + 1, sizeof *whole);
	bool *several = hd__xcalloc(s->ninstances + 1, sizeof *several);

	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_use *u = &s->uses[i], **w = &whole[u->user->number];

		if (!(u->provider->module->ports[u->provider_port].type->work & HD_WHOLE))
			continue;
		several[u->user->number] |= *w && (*w)->provider != u->provider;
		*w = u;
	}
	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_use *u = &s->uses[i];
		const struct hd_use *user = whole[u->user->number], *provider = whole[u->provider->number];

		if (!user || !provider || user->provider == provider->provider || several[u->user->number]
		    || several[u->provider->number])
			continue;
		at_link_of(l, u);
		complain(l, NULL, "'%s' serves '%s', and its user '%s' is one of '%s'; expected a '%s' for each",
		         u->provider->path, provider->provider->path, u->user->path, user->provider->path,
		         u->provider->module->name);
		break;
	}
	free(whole);
	free(several);
}

/* ---- all links ----------------------------------------------------------------------------- */

/* The sides a and b are reused for each link. */
static void link_one(struct hd_linker *l, struct hd_side *a, struct hd_side *b)
{
	const struct hd_link_decl *d = l->decl;
	bool both;

	a->decl = &d->from;
	b->decl = &d->to;
	a->n = b->n = 0;
	l->ok = true;
	both = hd__side_resolve(l, a);
	both = hd__side_resolve(l, b) && both;
	if (!both || !check_sides(l, a, b))
		return;
	check_members(l, a, b);
	store_attrs(l, a);
	store_attrs(l, b);
	if (a->v[0].port->kind == HD_OUT)
		link_channel(l, a, b);
	else
		link_interface(l, a, b);
}

bool hd__build_links(struct hd_sim *s)
{
	const struct hd_netlist *n = s->netlist;
	struct hd_linker l = { .s = s };
	struct hd_side from = { .member = "from" }, to = { .member = "to" };
	bool ok;

	hd__link_names(&l);
	l.sockets = hd__xcalloc(s->narrays, sizeof *l.sockets);
	l.nports = hd__xcalloc(s->narrays, sizeof *l.nports);
	for (size_t i = 0; i < s->narrays; i++) {
		const struct hd_array *b = &s->arrays[i];

		l.nports[i] = b->module ? count_ports(b->module) : 0;
		l.sockets[i] = hd__xcalloc((size_t)b->decl->count * l.nports[i], sizeof **l.sockets);
	}
	ok = hd__check_exports(&l);
	for (l.link = 0; l.link < n->nlinks; l.link++) {
		l.decl = &n->links[l.link];
		link_one(&l, &from, &to);
		ok = ok && l.ok;
	}
	hd__report_unindexed(&l);
	l.ok = true;
	if (ok)
		link_open(&l);
	if (ok && s->diags->errors == 0) /* else a port may be open because its link was refused */
		check_open(&l);
	if (ok && l.ok)
		check_twice(&l);
	if (ok && l.ok)
		check_wholes(&l);
	ok = ok && l.ok;
	free(from.v);
	free(to.v);
	json_decref(l.array_by_name);
	for (size_t i = 0; i < s->narrays; i++)
		free(l.sockets[i]);
	free(l.sockets);
	free(l.nports);
	return ok;
}
