/* flatten.c - writes a netlist as it is simulated: clocks, instances, every value
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "flatten.h"
#include "param_call.h"

#include <stdlib.h>

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
		json_t *row = hd__flatten_row(s, b->module->params, b->decl->each[k], folder);

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
	params = hd__flatten_row(s, b->module->params, b->decl->params, folder);
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
	json_object_set_new(root, "links", hd__flatten_links(s, folder));
	return root;
}
