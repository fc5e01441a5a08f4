/* from_sim.c - the picture of a simulation
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "picture.h"
#include "kernel/sim.h"

static void add_channel(struct hd_picture *p, const struct hd_channel *c)
{
	for (size_t i = 0; i < c->nfrom; i++)
		for (size_t k = 0; k < c->nto; k++) {
			const struct hd_link_end *a = &c->from[i], *b = &c->to[k];
			const struct hd_picture_link l = {
				.from = a->instance->number, .to = b->instance->number,
				.from_port = a->instance->module->ports[a->port].name,
				.to_port = b->instance->module->ports[b->port].name,
				.type = c->type->name, .capacity = c->capacity, .latency = c->latency,
				.slots = c->slotted,
				.idle = a->instance->module->ports[a->port].flags & HD_NO_WORK,
			};

			hd__picture_link(p, &l);
		}
}

struct hd_picture *hd__picture_of_sim(const struct hd_sim *s)
{
	const struct hd_netlist *n = s->netlist;
	struct hd_picture *p = hd__picture_new(n->name ? n->name : n->file, n->doc);

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];

		hd__picture_instance(p, in->path, in->module->name, in->clock ? in->clock->name : NULL,
		                     in->module->eval == NULL);
	}
	for (size_t i = 0; i < s->nchannels; i++)
		add_channel(p, s->channels[i]);
	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_use *u = &s->uses[i];
		const struct hd_port *from = &u->user->module->ports[u->user_port];
		const struct hd_port *to = &u->provider->module->ports[u->provider_port];
		const struct hd_picture_link l = { .from = u->user->number, .to = u->provider->number,
			.from_port = from->name, .to_port = to->name, .type = to->type->name, .call = true,
			.work = hd__work_of(u), .returns = hd__work_returns(u) };

		hd__picture_link(p, &l);
	}
	return p;
}
