/* flatten.c - writes a netlist as it is simulated: clocks, instances, every value
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "flatten.h"
#include "param.h"
#include "linker.h"

#include <limits.h>
#include <stdlib.h>

/* ---- values of parameters ----------------------------------------------------------------- */

/* The value with "$" escaped in strings, where it would begin a parameter. */
static json_t *escaped(const json_t *v)
{
	const char *s = json_string_value(v);
	json_t *list, *item;
	char *text;
	size_t i;

	if (s != NULL && s[0] == '$') {
		text = hd__format("$%s", s);
		list = json_string(text);
		free(text);
		return hd__xcheck(list);
	}
	if (!json_is_array(v))
		return json_incref((json_t *)v);
	list = hd__xcheck(json_array());
	json_array_foreach(v, i, item)
		json_array_append_new(list, escaped(item));
	return list;
}

/* A file as seen from a folder. */
static json_t *path_value(const struct hd_sim *s, const json_t *v, bool given, const char *folder)
{
	const struct hd_netlist *n = s->netlist;
	char *path = hd__data_path(given ? hd__netlist_file_of(n, v) : n->file,
	                           json_string_value(v));
	char *real = path[0] != '\0' ? realpath(path, NULL) : NULL;
	char *base = folder != NULL ? realpath(folder, NULL) : NULL;
	size_t length = base != NULL ? strlen(base) : 0;
	const char *seen = real != NULL ? real : path;
	json_t *value;

	if (real != NULL && length > 0 && strncmp(real, base, length) == 0 && real[length] == '/')
		seen += length + 1;
	value = json_string(seen);
	free(base);
	free(real);
	free(path);
	return hd__xcheck(value);
}

static json_t *value_of(const struct hd_sim *s, const struct hd_param *p, const json_t *given, const char *folder);

static json_t *row_of(const struct hd_sim *s, const struct hd_param *columns, const json_t *row,
                      const char *folder)
{
	json_t *o = hd__xcheck(json_object());

	for (const struct hd_param *p = columns; p && p->name; p++)
		json_object_set_new(o, p->name,
		                    value_of(s, p, json_object_get(row, p->name), folder));
	return o;
}

static json_t *value_of(const struct hd_sim *s, const struct hd_param *p, const json_t *given,
                        const char *folder)
{
	json_t *def = given == NULL ? json_loads(p->def, JSON_DECODE_ANY, NULL) : NULL, *v, *row;
	const json_t *value = given != NULL ? given : def;
	size_t i;

	if (p->type == HD_PATH) {
		v = path_value(s, value, given != NULL, folder);
	} else if (p->type == HD_TABLE) {
		v = hd__xcheck(json_array());
		json_array_foreach(value, i, row)
			json_array_append_new(v, row_of(s, p->columns, row, folder));
	} else {
		v = escaped(value);
	}
	json_decref(def);
	return v;
}

/* ---- links -------------------------------------------------------------------------------- */

/* Links of one entry stay one entry, since they may rotate together.  Capacity, slots and latency
 * are written at the first link of a channel, which determines them. */
/* ---- ends ---------------------------------------------------------------------------------- */

/* Elements first..last of an array. */
static char *range_text(const struct hd_side_end *p, uint32_t first, uint32_t last)
{
	const struct hd_instance_decl *d = p->array->decl;

	if (!d->array)
		return hd__join(d->name, ".", p->port->name);
	if (first == 0 && last == d->count - 1)
		return hd__format("%s[*].%s", d->name, p->port->name);
	if (first == last)
		return hd__format("%s[%u].%s", d->name, first, p->port->name);
	return hd__format("%s[%u..%u].%s", d->name, first, last, p->port->name);
}

/* "a[*].x, b[0..2].y" */
static json_t *side_value(const struct hd_side *d)
{
	char *text = NULL, *one, *longer;
	json_t *v;

	for (uint32_t i = 0, k; i < d->n; i = k) {
		uint32_t first = d->v[i].instance->index;

		for (k = i + 1; k < d->n && d->v[k].array == d->v[i].array
		                && d->v[k].port == d->v[i].port
		                && d->v[k].instance->index == first + (k - i);)
			k++;
		one = range_text(&d->v[i], first, first + (k - i) - 1);
		longer = text ? hd__format("%s, %s", text, one) : one;
		if (text)
			free(one);
		free(text);
		text = longer;
	}
	v = hd__xcheck(json_string(text ? text : ""));
	free(text);
	return v;
}

/* ---- members ------------------------------------------------------------------------------- */

/* The attributes for one side, except those for which the other side has another default. */
static void add_attrs(const struct hd_sim *s, json_t *o, const struct hd_link_decl *l,
                      const struct hd_side_end *a, const struct hd_side_end *b, const char *folder)
{
	for (const struct hd_param *p = a->port->attrs; p && p->name; p++) {
		const json_t *given = json_object_get(l->attrs, p->name);
		bool differs = false;

		for (const struct hd_param *q = b->port->attrs; q && q->name && !given; q++)
			if (strcmp(p->name, q->name) == 0 && strcmp(p->def, q->def) != 0)
				differs = true;
		if (!differs)
			json_object_set_new(o, p->name, value_of(s, p, given, folder));
	}
}

static void add_channel(json_t *o, const struct hd_link_decl *l, const struct hd_channel *made)
{
	bool delayed = made != NULL && (made->to[0].instance->module->ports[made->to[0].port].flags & HD_DELAYED);

	if ((made != NULL || l->has_latency) && !delayed)
		json_object_set_new(o, "latency", json_integer(l->latency));
	if (l->staged)
		json_object_set_new(o, "staged", json_true());
	if (made != NULL)
		json_object_set_new(o, made->slotted ? "slots" : "capacity",
		                    json_integer(made->capacity));
	else if (l->capacity > 0)
		json_object_set_new(o, "capacity", json_integer(l->capacity));
	else if (l->slots > 0)
		json_object_set_new(o, "slots", json_integer(l->slots));
	if (l->shared_slots)
		json_object_set_new(o, "index", json_string("any"));
}

/* By link: the channel that it was the first of, or NULL.  The caller frees it. */
static const struct hd_channel **channels_made(const struct hd_sim *s)
{
	const struct hd_channel **v = hd__xcalloc(s->netlist->nlinks, sizeof *v);

	for (size_t i = 0; i < s->nchannels; i++)
		v[s->channels[i]->link] = s->channels[i];
	return v;
}

static bool has_end(const struct hd_link_end *v, size_t n, const struct hd_side_end *end)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].instance == end->instance && v[i].port == end->port_index)
			return true;
	return false;
}

/* The channel between two ends, which another link may have made. */
static const struct hd_channel *channel_of(const struct hd_sim *s, const struct hd_side_end *from,
                                           const struct hd_side_end *to)
{
	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_channel *c = s->channels[i];

		if (has_end(c->from, c->nfrom, from) && has_end(c->to, c->nto, to))
			return c;
	}
	return NULL;
}

/* ---- all links ----------------------------------------------------------------------------- */

/* The links of the entry of `first`, as one object. */
static json_t *entry_value(struct hd_linker *l, const struct hd_channel **made, size_t first,
                           size_t last, const char *folder)
{
	const struct hd_link_decl *links = l->s->netlist->links;
	json_t *o = hd__xcheck(json_object()), *from = hd__xcheck(json_array());
	const struct hd_channel *channel = NULL;

	for (size_t i = first; i < last; i++)
		channel = made[i] != NULL ? made[i] : channel;
	for (size_t i = first; i < last; i++) {
		struct hd_side a = { .decl = &links[i].from, .member = "from" };
		struct hd_side b = { .decl = &links[i].to, .member = "to" };

		l->decl = &links[i];
		l->link = i;
		if (hd__side_resolve(l, &a) && hd__side_resolve(l, &b)) {
			json_array_append_new(from, side_value(&a));
			json_object_set(o, "from", from);
			json_object_set_new(o, "to", side_value(&b));
			if (channel == NULL && a.v[0].port->kind == HD_OUT)
				channel = channel_of(l->s, &a.v[0], &b.v[0]);
			if (i == last - 1 && a.v[0].port->kind == HD_OUT)
				add_channel(o, &links[i], channel);
			add_attrs(l->s, o, &links[i], &a.v[0], &b.v[0], folder);
			add_attrs(l->s, o, &links[i], &b.v[0], &a.v[0], folder);
		}
		free(a.v);
		free(b.v);
	}
	if (json_array_size(from) == 1)
		json_object_set(o, "from", json_array_get(from, 0));
	if (links[first].rotate)
		json_object_set_new(o, "rotate", json_true());
	json_decref(from);
	return o;
}

static json_t *links_of(struct hd_sim *s, const char *folder)
{
	const struct hd_netlist *n = s->netlist;
	const struct hd_channel **made = channels_made(s);
	struct hd_linker l = { .s = s };
	json_t *all = hd__xcheck(json_array());

	hd__link_names(&l);
	for (size_t i = 0, k; i < n->nlinks; i = k) {
		for (k = i + 1; k < n->nlinks && n->links[k].group == n->links[i].group;)
			k++;
		json_array_append_new(all, entry_value(&l, made, i, k, folder));
	}
	json_decref(l.array_by_name);
	free(made);
	return all;
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* ---- clocks -------------------------------------------------------------------------------- */

#define PER_HZ UINT64_C(1000) /* millihertz */
#define KILO_HZ UINT64_C(1000000)
#define PER_MHZ UINT64_C(1000000000)

/* The frequency in the unit that gives the same double when it is read again. */
static void put_rate(json_t *o, const struct hd_clock_decl *c)
{
	double hz = (double)c->millihertz / (double)PER_HZ;

	if (c->millihertz % PER_MHZ == 0)
		json_object_set_new(o, "mhz", json_integer((json_int_t)(c->millihertz / PER_MHZ)));
	else if (hz != c->hz) /* given in MHz, and a multiple of it is rounded */
		json_object_set_new(o, "mhz",
		                    json_real((double)(c->millihertz / KILO_HZ) / 1000));
	else if (c->millihertz % PER_HZ == 0)
		json_object_set_new(o, "hz", json_integer((json_int_t)(c->millihertz / PER_HZ)));
	else
		json_object_set_new(o, "hz", json_real(hz));
	if (c->accumulated)
		json_object_set_new(o, "edges", json_string("accumulated"));
}

static json_t *clock_value(const struct hd_clock_decl *c)
{
	json_t *o = hd__xcheck(json_object());
	char phase[32];

	if (c->of != NULL) {
		snprintf(phase, sizeof phase, "%u/%u", c->phase_num, c->phase_den);
		json_object_set_new(o, "of", json_string(c->of));
		json_object_set_new(o, "times", json_integer(c->times));
		json_object_set_new(o, "phase", c->at_end ? json_string("end")
		                                : c->phase_num == 0 ? json_integer(0)
		                                                    : json_string(phase));
	} else {
		put_rate(o, c);
	}
	if (c->gate != NULL)
		json_object_set_new(o, "gate", json_string(c->gate));
	return o;
}

/* ---- instances ----------------------------------------------------------------------------- */

/* The parameters of the elements that differ. */
static void add_elements(const struct hd_sim *s, const struct hd_array *b, json_t *o,
                         const json_t *common, const char *folder)
{
	json_t *all = hd__xcheck(json_object()), *own, *v;
	const char *name;
	char key[16];

	for (uint32_t k = 0; k < b->decl->count; k++) {
		json_t *row = row_of(s, b->module->params, b->decl->each[k], folder);

		own = hd__xcheck(json_object());
		json_object_foreach(row, name, v)
			if (!json_equal(v, json_object_get(common, name)))
				json_object_set(own, name, v);
		snprintf(key, sizeof key, "%u", k);
		if (json_object_size(own) > 0)
			json_object_set(all, key, own);
		json_decref(own);
		json_decref(row);
	}
	if (json_object_size(all) > 0)
		json_object_set(o, "elements", all);
	json_decref(all);
}

static json_t *instance_value(const struct hd_sim *s, const struct hd_array *b, const char *folder)
{
	json_t *o = hd__xcheck(json_object()), *params;

	json_object_set_new(o, "module", json_string(b->module->name));
	if (b->decl->array)
		json_object_set_new(o, "count", json_integer(b->decl->count));
	if (b->clock)
		json_object_set_new(o, "clock", json_string(b->clock->name));
	if (b->module->params == NULL || b->module->params->name == NULL)
		return o;
	params = row_of(s, b->module->params, b->decl->params, folder);
	json_object_set_new(o, "params", params);
	if (b->decl->each)
		add_elements(s, b, o, params, folder);
	return o;
}

/* ---- the whole netlist --------------------------------------------------------------------- */

json_t *hd__flatten(struct hd_sim *s, const char *folder)
{
	const struct hd_netlist *n = s->netlist;
	json_t *root = hd__xcheck(json_object()), *clocks = json_object(), *all = json_object();

	json_object_set_new(root, "heddle", json_integer(1));
	if (n->name)
		json_object_set_new(root, "name", json_string(n->name));
	if (n->doc)
		json_object_set_new(root, "doc", json_string(n->doc));
	json_object_set_new(root, "watchdog", json_integer((json_int_t)n->watchdog));
	for (size_t i = 0; i < n->nclocks; i++)
		json_object_set_new(clocks, n->clocks[i].name, clock_value(&n->clocks[i]));
	json_object_set_new(root, "clocks", clocks);
	for (size_t i = 0; i < s->narrays; i++)
		json_object_set_new(all, s->arrays[i].decl->name,
		                    instance_value(s, &s->arrays[i], folder));
	json_object_set_new(root, "instances", all);
	json_object_set_new(root, "links", links_of(s, folder));
	return root;
}
