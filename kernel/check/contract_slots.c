/* contract_slots.c - checks that nothing of what was in a slot is left when something new comes (--check-modules)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "contract.h"

#include <endian.h>

/* An instance whose module keeps something for each slot of another one. */
struct hd_keeper {
	const struct hd_instance *of, *in;
};

static bool uses(const struct hd_sim *s, const struct hd_instance *user, const struct hd_instance *provider)
{
	for (size_t i = 0; i < s->nuses; i++)
		if (s->uses[i].user == user && s->uses[i].provider == provider)
			return true;
	return false;
}

/* Is it used, by users of that one only? */
static bool serves_users_of(const struct hd_sim *s, const struct hd_instance *in, const struct hd_instance *of)
{
	bool any = false;

	for (size_t i = 0; i < s->nuses; i++) {
		if (s->uses[i].provider != in)
			continue;
		if (!uses(s, s->uses[i].user, of))
			return false;
		any = true;
	}
	return any;
}

static void add(struct hd_contract *k, const struct hd_instance *of, const struct hd_instance *in)
{
	if (!in->module->by_slot)
		return;
	for (size_t i = k->nkeepers; i-- > 0 && k->keepers[i].of == of;)
		if (k->keepers[i].in == in)
			return;
	k->keepers = hd__xappend(k->keepers, k->nkeepers, sizeof *k->keepers);
	k->keepers[k->nkeepers++] = (struct hd_keeper){ of, in };
}

/* Itself, its users, and what only these use. */
static void find_keepers(struct hd_sim *s, const struct hd_instance *of)
{
	add(s->contract, of, of);
	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_instance *user = s->uses[i].user;

		if (s->uses[i].provider != of)
			continue;
		add(s->contract, of, user);
		for (size_t k = 0; k < s->nuses; k++)
			if (s->uses[k].user == user && s->uses[k].provider->module->by_slot
			    && serves_users_of(s, s->uses[k].provider, of))
				add(s->contract, of, s->uses[k].provider);
	}
}

static bool is_left(const struct hd_by_slot *p, const void *state, uint32_t slot)
{
	const unsigned char *at = (const unsigned char *)state + p->offset;
	uint32_t byte = slot / 8;

	if (!p->array) {
		if (htole16(1) != 1)
			byte = (uint32_t)p->size - 1 - byte;
		return at[byte] >> slot % 8 & 1;
	}
	for (size_t i = 0; i < p->size; i++)
		if (at[slot * p->size + i])
			return true;
	return false;
}

void hd__look_at_slot(const struct hd_instance *of, uint32_t slot)
{
	struct hd_sim *s = of->ctx.sim;
	struct hd_contract *k = s->contract;
	size_t i = 0;

	while (i < k->nkeepers && k->keepers[i].of != of)
		i++;
	if (i == k->nkeepers)
		find_keepers(s, of);
	for (; i < k->nkeepers && k->keepers[i].of == of; i++) {
		const struct hd_instance *in = k->keepers[i].in;

		for (const struct hd_by_slot *p = in->module->by_slot; p->name && !s->failed; p++)
			if (is_left(p, in->state, slot))
				hd_fail(&in->ctx, "module '%s' has something left in '%s' for slot %u of '%s', into "
				        "which something new comes; expected that it is 0 since that before has "
				        "ended", in->module->name, p->name, slot, of->path);
	}
}
