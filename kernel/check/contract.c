/* contract.c - checks puts and takes of modules at their channels (--check-modules)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "contract.h"

static struct hd_checked *checked(const struct hd_chan *c)
{
	return (struct hd_checked *)(void *)c->watch;
}

static void HD_PRINTF(3, 4) violated(const struct hd_chan *c, struct hd_owner o, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	hd_fail(&o.instance->ctx, "module '%s' %s", o.instance->module->name, text);
	free(text);
	hd__violation(checked(c)->sim->contract);
}

/* Counts a put or take that is in order. */
static void moved(const struct hd_chan *c, struct hd_owner o)
{
	struct hd_contract *k = checked(c)->sim->contract;

	k->moves++;
	++*o.moves;
	k->mover = o.instance;
	k->moved = o.port;
}

static void check_size(const struct hd_chan *c, struct hd_owner o, size_t size)
{
	if (size != c->size)
		violated(c, o, "put a payload of %zu bytes into port '%s'; expected %u bytes, the size "
		         "of type '%s'", size, o.port->name, c->size, o.port->type->name);
}

/* A put that is in order otherwise. */
static void check_most(const struct hd_chan *c, struct hd_owner o)
{
	const struct hd_instance *in = o.instance;
	uint32_t most = hd__most_put(in, (size_t)(o.port - in->module->ports));
	struct hd_puts *p = &checked(c)->puts[o.moves - checked(c)->moves];

	if (most == 0 || !in->clock)
		return;
	if (p->edge != in->clock->now)
		*p = (struct hd_puts){ .edge = in->clock->now };
	if (p->n++ == most)
		violated(c, o, "put more than %u payloads into port '%s' in one edge; expected the largest number as "
		         "'most' of the port, or hd_puts_at_most() in 'init'", most, o.port->name);
}

static void put(const struct hd_chan *c, size_t size)
{
	struct hd_owner o = hd__producer(c, 0);
	uint32_t room = c->flags & HD_CHAN_STAGED ? hd__timed_room(c) : c->capacity - (c->tail - c->head);

	if (room >= c->capacity && room != 0)
		violated(c, o, "put a payload into port '%s' without room: all %u places of the channel are "
		         "taken; expected hd_room() before hd_put()", o.port->name, c->capacity);
	check_size(c, o, size);
	check_most(c, o);
	moved(c, o);
}

static void take(const struct hd_chan *c)
{
	struct hd_owner o = hd__consumer(c, 0);

	if (c->tail - c->head >= c->capacity
	    || ((c->flags & HD_CHAN_TIMED) && c->visible[(c->head - 1) & c->mask] > *c->now))
		violated(c, o, "took a payload from port '%s', which has none to take; expected hd_front() "
		         "before hd_take()", o.port->name);
	moved(c, o);
}

static void slot_put(const struct hd_chan *c, unsigned slot, size_t size)
{
	struct hd_owner o = hd__producer(c, slot);
	uint64_t taken = c->full;

	if ((c->flags & HD_CHAN_STAGED) && c->late_edge == *c->now)
		taken |= c->late_full;
	if (slot >= 64 || !hd_bits_has(o.slots, slot))
		violated(c, o, "put a payload into slot %u of port '%s', which is not a slot of that end; "
		         "expected one of hd_slots_free()", slot, o.port->name);
	if (hd_bits_has(taken, slot))
		violated(c, o, "put a payload into slot %u of port '%s', which holds one; expected one of "
		         "hd_slots_free()", slot, o.port->name);
	check_size(c, o, size);
	moved(c, o);
}

static void slot_take(const struct hd_chan *c, unsigned slot)
{
	struct hd_owner o = hd__consumer(c, slot);
	uint64_t seen = c->flags & HD_CHAN_TIMED ? hd__timed_seen(c) : c->full;

	if (slot >= 64 || !hd_bits_has(seen & o.slots, slot))
		violated(c, o, "took slot %u of port '%s', which has no payload to take; expected one of "
		         "hd_slots_full(), once", slot, o.port->name);
	moved(c, o);
}

/* ---- */

static void attach(struct hd_sim *s)
{
	struct hd_contract *k = hd__xcalloc(1, sizeof *k);

	s->contract = k;
	s->loop = hd__contract_run;
	k->channels = hd__checked_make(s, &hd__contract, &k->running);
	k->by_rank = hd__xcalloc(s->nprocesses, sizeof *k->by_rank);
	k->looks = hd__xcalloc(s->ninstances, sizeof *k->looks);
	k->guarded = hd__xcalloc(s->ninstances, sizeof *k->guarded);
	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].rank != HD_NO_PROCESS)
			k->by_rank[s->instances[i].rank] = &s->instances[i];
	hd__sleepers_make(s);
	hd__statics_make(s);
}

static void detach(struct hd_sim *s)
{
	if (!s->contract)
		return;
	hd__order_check_free(s);
	hd__sleepers_free(s);
	hd__rules_free(s);
	hd__statics_free(s->contract);
	for (size_t i = 0; i < s->ninstances; i++)
		free(s->contract->guarded[i].piece);
	free(s->contract->guarded);
	free(s->contract->keepers);
	free(s->contract->by_rank);
	hd__checked_free(s, s->contract->channels);
	free(s->contract);
	s->contract = NULL;
	s->loop = NULL;
}

static const struct hd_instance *running(const struct hd_sim *s)
{
	return s->contract != NULL ? s->contract->running : NULL;
}

const struct hd_checker hd__contract = {
	.attach = attach,
	.detach = detach,
	.put = put,
	.take = take,
	.slot_put = slot_put,
	.slot_take = slot_take,
	.pool_new = hd__guard_new,
	.pool_free = hd__guard_free,
	.alloc = hd__guard_alloc,
	.release = hd__guard_release,
	.used = hd__guard_used,
	.filled = hd__rules_stand,
	.memory = hd__guarded_memory,
	.slot_taken = hd__look_at_slot,
	.running = running,
	.find = hd__guard_find,
};
