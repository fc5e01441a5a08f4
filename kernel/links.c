/* links.c - joins ports as the netlist says, and checks everything about it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "netlist_read.h"
#include "sim.h"

#include <stdlib.h>

/* The elements of one side of a link. */
struct side {
	const struct hd_end_decl *decl;
	const char *member;        /* "from" or "to" */
	const struct hd_block *block;
	const struct hd_port *port;
	uint32_t port_index;
	uint32_t first, n;         /* elements of the block */
	const void *attr;
};

/* What is wired to the port of an instance so far. */
struct socket {
	struct hd_channel *channel; /* not for array ports */
	uint32_t links;
};

struct linker {
	struct hd_sim *s;
	const struct hd_link_decl *decl;
	size_t link;
	json_t *block_by_name;     /* name -> index into blocks */
	struct socket **sockets;   /* by block: [element * ports + port] */
	uint32_t *nports;          /* by block */
	bool ok;
};

static void complain(struct linker *l, const char *member, const char *fmt, ...)
	HD_PRINTF(3, 4);

static void complain(struct linker *l, const char *member, const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	/* "from" may be one of a list, which has a place of its own */
	if (member && strcmp(member, "from") == 0 && strcmp(l->decl->at, l->decl->entry) != 0)
		hd__netlist_diag(l->s->netlist, l->s->diags, HD_DIAG_ERROR, l->decl->at, NULL, "%s",
		                 text ? text : "out of memory");
	else
		hd__netlist_diag(l->s->netlist, l->s->diags, HD_DIAG_ERROR,
		                 member ? l->decl->entry : l->decl->at, member, "%s",
		                 text ? text : "out of memory");
	free(text);
	l->ok = false;
}

static uint32_t count_ports(const struct hd_module *m)
{
	uint32_t n = 0;

	while (m->ports && m->ports[n].name)
		n++;
	return n;
}

static struct socket *socket_of(struct linker *l, const struct side *d, uint32_t element)
{
	size_t b = (size_t)(d->block - l->s->blocks);

	return &l->sockets[b][(size_t)element * l->nports[b] + d->port_index];
}

static struct hd_instance *element_of(struct linker *l, const struct side *d, uint32_t element)
{
	return &l->s->instances[d->block->first + element];
}

static bool resolve_port(struct linker *l, struct side *d)
{
	const struct hd_module *m = d->block->module;
	uint32_t n = count_ports(m);
	const char **names, *near;
	char list[400] = "";

	for (uint32_t i = 0; i < n; i++) {
		if (strcmp(m->ports[i].name, d->decl->port) == 0) {
			d->port = &m->ports[i];
			d->port_index = i;
			return true;
		}
	}
	names = hd__xcalloc(n + 1, sizeof *names);
	for (uint32_t i = 0; i < n; i++) {
		names[i] = m->ports[i].name;
		if (strlen(list) + strlen(names[i]) + 3 < sizeof list)
			strcat(strcat(list, i ? ", " : ""), names[i]);
	}
	near = hd__nearest(d->decl->port, names, n);
	if (near)
		complain(l, d->member, "module '%s' has no port '%s'; did you mean '%s'?; it has %s",
		         m->name, d->decl->port, near, list);
	else
		complain(l, d->member, "module '%s' has no port '%s'; it has %s", m->name,
		         d->decl->port, n ? list : "none");
	free(names);
	return false;
}

static bool resolve_side(struct linker *l, struct side *d)
{
	const struct hd_netlist *n = l->s->netlist;
	json_t *at = json_object_get(l->block_by_name, d->decl->instance);

	if (!at) {
		const char **names = hd__xcalloc(n->ninstances + 1, sizeof *names);
		const char *near;

		for (size_t i = 0; i < n->ninstances; i++)
			names[i] = n->instances[i].name;
		near = hd__nearest(d->decl->instance, names, n->ninstances);
		if (near)
			complain(l, d->member, "unknown instance '%s'; did you mean '%s'?",
			         d->decl->instance, near);
		else
			complain(l, d->member, "unknown instance '%s'; expected one of \"instances\"",
			         d->decl->instance);
		free(names);
		return false;
	}
	d->block = &l->s->blocks[json_integer_value(at)];
	if (!d->block->module) {
		l->ok = false; /* reported where the instance is declared */
		return false;
	}
	d->n = d->block->decl->count;
	if (d->decl->all || d->decl->index >= 0) {
		if (!d->block->decl->array) {
			complain(l, d->member, "'%s' is a single instance; expected it without an index",
			         d->decl->instance);
			return false;
		}
		if (!d->decl->all) {
			if ((uint32_t)d->decl->index >= d->n) {
				complain(l, d->member, "'%s' has no element %d; expected 0..%u",
				         d->decl->instance, d->decl->index, d->n - 1);
				return false;
			}
			d->first = (uint32_t)d->decl->index;
			d->n = 1;
		}
	} else if (d->block->decl->array) {
		complain(l, d->member, "'%s' is an array of %u; expected '%s[*]' or '%s[0]'",
		         d->decl->instance, d->n, d->decl->instance, d->decl->instance);
		return false;
	}
	return resolve_port(l, d);
}

static const char *kind_word(enum hd_port_kind k)
{
	switch (k) {
	case HD_IN: return "takes payloads";
	case HD_OUT: return "puts payloads";
	case HD_USES: return "uses an interface";
	default: return "provides an interface";
	}
}

static bool check_kinds(struct linker *l, const struct side *a, const struct side *b)
{
	const struct hd_port *p = a->port, *q = b->port;
	bool channel = p->kind == HD_OUT && q->kind == HD_IN;
	bool interface = p->kind == HD_USES && q->kind == HD_PROVIDES;

	if (!channel && !interface) {
		if ((q->kind == HD_OUT && p->kind == HD_IN)
		    || (q->kind == HD_USES && p->kind == HD_PROVIDES))
			complain(l, NULL, "link is the wrong way round; '%s.%s' %s and '%s.%s' %s",
			         a->decl->instance, p->name, kind_word(p->kind), b->decl->instance,
			         q->name, kind_word(q->kind));
		else
			complain(l, NULL, "ports do not fit; '%s.%s' %s and '%s.%s' %s",
			         a->decl->instance, p->name, kind_word(p->kind), b->decl->instance,
			         q->name, kind_word(q->kind));
		return false;
	}
	if (strcmp(p->type->name, q->type->name) != 0) {
		complain(l, NULL, "types differ; '%s.%s' is '%s' and '%s.%s' is '%s'",
		         a->decl->instance, p->name, p->type->name, b->decl->instance, q->name,
		         q->type->name);
		return false;
	}
	if (p->type->version != q->type->version || p->type->size != q->type->size
	    || p->type->record != q->type->record) {
		complain(l, NULL, "type '%s' differs; module '%s' was built with version %u (%u bytes) "
		         "and module '%s' with version %u (%u bytes); rebuild the older one",
		         p->type->name, a->block->module->name, p->type->version,
		         p->type->record ? p->type->record : p->type->size, b->block->module->name,
		         q->type->version, q->type->record ? q->type->record : q->type->size);
		return false;
	}
	return true;
}

static bool has_param(const struct hd_param *p, const char *name)
{
	for (; p && p->name; p++)
		if (strcmp(p->name, name) == 0)
			return true;
	return false;
}

/* Reports members that neither the language nor one of the two ports knows. */
static void check_members(struct linker *l, const struct side *a, const struct side *b)
{
	static const char *const own[] = { "from", "to", "latency", "staged", "capacity", "slots",
		                           "index", "rotate" };
	const struct hd_param *const attrs[] = { a->port->attrs, b->port->attrs };
	const char *names[64], *key;
	size_t n = 0;
	char hint[1000];
	json_t *value;

	for (; n < sizeof own / sizeof *own; n++)
		names[n] = own[n];
	for (size_t i = 0; i < 2; i++)
		for (const struct hd_param *p = attrs[i]; p && p->name && n < 64; p++)
			names[n++] = p->name;
	json_object_foreach(l->decl->attrs, key, value) {
		if (has_param(attrs[0], key) || has_param(attrs[1], key))
			continue;
		hd__netlist_diag_key(l->s->netlist, l->s->diags, HD_DIAG_ERROR, l->decl->entry, key,
		                     "unknown member '%s' of link%s", key,
		                     hd__suggest(key, names, n, "expected one of", hint, sizeof hint));
		l->ok = false;
	}
}

/* Attributes of the link for one port; NULL if it has none. */
static const void *store_attrs(struct linker *l, const struct side *d)
{
	const struct hd_param *mine = d->port->attrs;
	const char **skip; /* what is the other port's */
	size_t n = 0;
	void *base;
	const char *key;
	json_t *value;
	char *who;

	if (!mine)
		return NULL;
	skip = hd__xcalloc(json_object_size(l->decl->attrs) + 1, sizeof *skip);
	base = hd__own(l->s, hd__xcalloc(1, d->port->attr_size));
	json_object_foreach(l->decl->attrs, key, value)
		if (!has_param(mine, key))
			skip[n++] = key;
	who = hd__format("link at port '%s' of module '%s'", d->port->name, d->block->module->name);
	if (hd__params_store(&l->s->store, mine, base, l->decl->attrs, l->decl->entry, who, skip))
		l->ok = false;
	free(who);
	free(skip);
	return base;
}

static void add_end(struct hd_link_end **v, size_t *n, struct hd_link_end e)
{
	if ((*n & (*n - 1)) == 0)
		*v = hd__xrealloc(*v, (*n ? 2 * *n : 1) * sizeof **v);
	(*v)[(*n)++] = e;
}

static struct hd_channel *new_channel(struct linker *l, const struct side *to)
{
	const struct hd_link_decl *d = l->decl;
	struct hd_channel *c = hd__xcalloc(1, sizeof *c);
	struct hd_sim *s = l->s;

	if ((s->nchannels & (s->nchannels - 1)) == 0)
		s->channels = hd__xrealloc(s->channels,
		                           (s->nchannels ? 2 * s->nchannels : 1) * sizeof *s->channels);
	s->channels[s->nchannels++] = c;
	c->decl = d;
	c->link = l->link;
	c->type = to->port->type;
	c->slotted = (to->port->flags & HD_SLOTS) != 0;
	c->shared = d->shared_slots;
	c->timed = d->staged || d->latency > 1;
	if (c->slotted) {
		c->capacity = d->slots ? d->slots : 1;
	} else {
		c->capacity = d->capacity ? d->capacity : d->latency > 1 ? d->latency : 1;
		if (d->staged && !d->capacity)
			c->capacity = 2;
	}
	return c;
}

/* Later links into a channel may repeat what the first one said, not contradict it. */
static void check_same(struct linker *l, const struct hd_channel *c)
{
	const struct hd_link_decl *a = c->decl, *b = l->decl;

	if ((b->has_latency && b->latency != a->latency) || b->staged != a->staged)
		complain(l, "latency", "links into one port differ in latency; the first one says %u%s",
		         a->latency, a->staged ? ", staged" : "");
	if (b->capacity && b->capacity != c->capacity)
		complain(l, "capacity", "links into one port differ in capacity; the first one says %u",
		         c->capacity);
	if (b->slots && b->slots != c->capacity)
		complain(l, "slots", "links into one port differ in slots; the first one says %u",
		         c->capacity);
}

/* Slots of end i of n. */
static uint64_t own_slots(struct linker *l, const struct hd_channel *c, const struct side *d,
                          uint32_t i, uint32_t n)
{
	uint32_t all = c->capacity, each;
	uint64_t every = all >= 64 ? UINT64_MAX : (UINT64_C(1) << all) - 1;

	if (!c->slotted || l->decl->shared_slots || n == 1)
		return every;
	if (all % n != 0) {
		if (i == 0)
			complain(l, "slots", "%u slots cannot be divided among %u of '%s'; expected a "
			         "multiple of %u, or \"index\": \"any\"", all, n, d->decl->instance, n);
		return every;
	}
	each = all / n;
	return (each >= 64 ? UINT64_MAX : (UINT64_C(1) << each) - 1) << (i * each);
}

static void join_channel(struct linker *l, const struct side *a, uint32_t a0, uint32_t an,
                         const struct side *b, uint32_t b0, uint32_t bn)
{
	struct hd_channel *c = NULL;
	bool fresh, added = false;

	if (!(b->port->flags & HD_ARRAY))
		for (uint32_t i = 0; i < bn; i++)
			if (socket_of(l, b, b0 + i)->channel)
				c = socket_of(l, b, b0 + i)->channel;
	if (!c && !(a->port->flags & HD_ARRAY))
		for (uint32_t i = 0; i < an; i++)
			if (socket_of(l, a, a0 + i)->channel)
				c = socket_of(l, a, a0 + i)->channel;
	fresh = c == NULL;
	if (fresh)
		c = new_channel(l, b);
	else
		check_same(l, c);
	c->rotate = c->rotate || l->decl->rotate;
	for (uint32_t i = 0; i < an; i++) {
		struct socket *k = socket_of(l, a, a0 + i);
		struct hd_instance *in = element_of(l, a, a0 + i);

		if (k->links++ && !(a->port->flags & HD_ARRAY)) {
			if (k->channel != c)
				complain(l, "from", "port '%s.%s' is already linked elsewhere", in->path,
				         a->port->name);
			continue;
		}
		k->channel = c;
		added = true;
		add_end(&c->from, &c->nfrom, (struct hd_link_end){ in, a->port_index,
			own_slots(l, c, a, i, an), a->attr, l->link });
	}
	for (uint32_t i = 0; i < bn; i++) {
		struct socket *k = socket_of(l, b, b0 + i);
		struct hd_instance *in = element_of(l, b, b0 + i);

		if (k->links++ && !(b->port->flags & HD_ARRAY)) {
			if (k->channel != c)
				complain(l, "to", "port '%s.%s' is already linked elsewhere", in->path,
				         b->port->name);
			continue;
		}
		k->channel = c;
		added = true;
		add_end(&c->to, &c->nto, (struct hd_link_end){ in, b->port_index,
			own_slots(l, c, b, i, bn), b->attr, l->link });
	}
	if (!added && l->ok)
		complain(l, NULL, "'%s.%s' and '%s.%s' are linked twice", a->decl->instance, a->port->name,
		         b->decl->instance, b->port->name);
}

static void link_channel(struct linker *l, struct side *a, struct side *b)
{
	const struct hd_link_decl *d = l->decl;
	bool slots = (b->port->flags & HD_SLOTS) != 0;

	if (((a->port->flags ^ b->port->flags) & HD_SLOTS) != 0) {
		complain(l, NULL, "ports do not fit; '%s.%s' is a %s and '%s.%s' a %s",
		         a->decl->instance, a->port->name, slots ? "FIFO" : "register set",
		         b->decl->instance, b->port->name, slots ? "register set" : "FIFO");
		return;
	}
	if (slots && d->capacity)
		complain(l, "capacity", "a register set has no capacity; expected \"slots\"");
	if (!slots && (d->slots || d->shared_slots))
		complain(l, d->slots ? "slots" : "index", "a FIFO has no slots; expected \"capacity\"");
	if (d->slots > 64)
		complain(l, "slots", "%u slots are too many; expected 1..64", d->slots);
	if (d->staged && d->has_latency && d->latency == 0)
		complain(l, "staged", "a staged link shows a payload at the next edge; expected a "
		         "latency of at least 1");
	if (!a->block->clock || !b->block->clock)
		return; /* reported with the instance */
	if (d->latency == 0 && !d->staged && !hd__clocks_coincide(a->block->clock, b->block->clock))
		complain(l, "latency", "a link of latency 0 joins clocks that never tick together, '%s' "
		         "and '%s'; expected a latency of at least 1", a->block->clock->name,
		         b->block->clock->name);
	if (!l->ok)
		return;
	if (a->n > 1 && b->n > 1) {
		if (a->n != b->n) {
			complain(l, NULL, "arrays differ; '%s' has %u elements and '%s' has %u",
			         a->decl->instance, a->n, b->decl->instance, b->n);
			return;
		}
		for (uint32_t i = 0; i < a->n; i++)
			join_channel(l, a, i, 1, b, i, 1);
	} else {
		join_channel(l, a, a->first, a->n, b, b->first, b->n);
	}
}

static void join_interface(struct linker *l, const struct side *a, uint32_t i,
                           const struct side *b, uint32_t j)
{
	struct hd_sim *s = l->s;
	struct socket *k = socket_of(l, a, i);

	if (k->links++ && !(a->port->flags & HD_ARRAY)) {
		complain(l, "from", "port '%s.%s' is already linked elsewhere",
		         element_of(l, a, i)->path, a->port->name);
		return;
	}
	socket_of(l, b, j)->links++;
	if ((s->nuses & (s->nuses - 1)) == 0)
		s->uses = hd__xrealloc(s->uses, (s->nuses ? 2 * s->nuses : 1) * sizeof *s->uses);
	s->uses[s->nuses++] = (struct hd_use){ element_of(l, a, i), a->port_index,
		element_of(l, b, j), b->port_index, a->attr, l->link, l->decl->rotate };
}

static void link_interface(struct linker *l, struct side *a, struct side *b)
{
	const struct hd_link_decl *d = l->decl;

	if (d->has_latency || d->staged)
		complain(l, d->staged ? "staged" : "latency", "an interface has no latency; its functions "
		         "are called at the caller's turn");
	if (d->capacity || d->slots || d->shared_slots)
		complain(l, d->capacity ? "capacity" : d->slots ? "slots" : "index",
		         "an interface holds no payloads; expected none of \"capacity\", \"slots\", "
		         "\"index\"");
	if (!l->ok)
		return;
	if (a->n > 1 && b->n > 1 && a->n != b->n) {
		complain(l, NULL, "arrays differ; '%s' has %u elements and '%s' has %u",
		         a->decl->instance, a->n, b->decl->instance, b->n);
	} else if (a->n > 1 && b->n > 1) {
		for (uint32_t i = 0; i < a->n; i++)
			join_interface(l, a, i, b, i);
	} else {
		for (uint32_t i = 0; i < a->n; i++)
			for (uint32_t j = 0; j < b->n; j++)
				join_interface(l, a, a->first + i, b, b->first + j);
	}
}

static void check_open(struct linker *l)
{
	struct hd_sim *s = l->s;

	for (size_t i = 0; i < s->nblocks; i++) {
		const struct hd_block *b = &s->blocks[i];

		for (uint32_t p = 0; b->module && p < l->nports[i]; p++) {
			const struct hd_port *port = &b->module->ports[p];
			uint32_t open = 0, example = 0;

			if ((port->flags & (HD_OPTIONAL | HD_ARRAY)) || port->kind == HD_PROVIDES)
				continue;
			for (uint32_t e = 0; e < b->decl->count; e++)
				if (l->sockets[i][(size_t)e * l->nports[i] + p].links == 0 && open++ == 0)
					example = e;
			if (open == 0)
				continue;
			hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, b->decl->at, NULL,
			                 "port '%s.%s' is left open; it %s of type '%s' and has to be linked",
			                 s->instances[b->first + example].path, port->name,
			                 kind_word(port->kind), port->type->name);
			l->ok = false;
		}
	}
}

bool hd__build_links(struct hd_sim *s)
{
	const struct hd_netlist *n = s->netlist;
	struct linker l = { .s = s, .ok = true };
	bool ok = true;

	l.block_by_name = json_object();
	l.sockets = hd__xcalloc(s->nblocks, sizeof *l.sockets);
	l.nports = hd__xcalloc(s->nblocks, sizeof *l.nports);
	for (size_t i = 0; i < s->nblocks; i++) {
		const struct hd_block *b = &s->blocks[i];

		json_object_set_new(l.block_by_name, b->decl->name, json_integer((json_int_t)i));
		l.nports[i] = b->module ? count_ports(b->module) : 0;
		l.sockets[i] = hd__xcalloc((size_t)b->decl->count * l.nports[i], sizeof **l.sockets);
	}
	for (size_t i = 0; i < n->nlinks; i++) {
		struct side a = { .decl = &n->links[i].from, .member = "from" };
		struct side b = { .decl = &n->links[i].to, .member = "to" };
		bool both;

		l.decl = &n->links[i];
		l.link = i;
		l.ok = true;
		both = resolve_side(&l, &a);
		both = resolve_side(&l, &b) && both;
		if (both && check_kinds(&l, &a, &b)) {
			check_members(&l, &a, &b);
			a.attr = store_attrs(&l, &a);
			b.attr = store_attrs(&l, &b);
			if (a.port->kind == HD_OUT)
				link_channel(&l, &a, &b);
			else
				link_interface(&l, &a, &b);
		}
		ok = ok && l.ok;
	}
	l.ok = true;
	if (ok && s->diags->errors == 0) /* else a port may be open because its link was refused */
		check_open(&l);
	ok = ok && l.ok;
	json_decref(l.block_by_name);
	for (size_t i = 0; i < s->nblocks; i++)
		free(l.sockets[i]);
	free(l.sockets);
	free(l.nports);
	return ok;
}
