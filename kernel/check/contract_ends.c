/* contract_ends.c - whose end of a channel is used, and how often (--check-modules)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "contract.h"

static struct hd_checked *checked(const struct hd_chan *c)
{
	return (struct hd_checked *)(void *)c->watch;
}

/* Does it, also through instances without a process? */
static bool calls(const struct hd_sim *s, const struct hd_instance *user, const struct hd_instance *provider)
{
	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_instance *p = s->uses[i].provider;

		if (s->uses[i].user == user
		    && (p == provider || (p->rank == HD_NO_PROCESS && p != user && calls(s, p, provider))))
			return true;
	}
	return false;
}

/* Of several ends that of the instance that is evaluated, with this slot if it has one; else that of an instance
 * that it
 * calls, which uses its end on its behalf. */
static struct hd_owner find(const struct hd_checked *k, const struct hd_link_end *v, size_t n,
                         unsigned slot)
{
	const struct hd_instance *running = *k->running;
	const struct hd_link_end *e = &v[0];
	uint64_t *moves = k->moves + (v == k->channel->to ? k->channel->nfrom : 0);

	for (size_t i = 0; i < n; i++) {
		bool first = e->instance != running;

		if (v[i].instance == running && (first || (slot < 64 && hd_bits_has(v[i].slots, slot))))
			e = &v[i];
	}
	for (size_t i = 0; n > 1 && running != NULL && e->instance != running && i < n; i++)
		if (calls(k->sim, running, v[i].instance)) {
			e = &v[i];
			break;
		}
	return (struct hd_owner){ e->instance, &e->instance->module->ports[e->port], e->slots, &moves[e - v] };
}

struct hd_owner hd__producer(const struct hd_chan *c, unsigned slot)
{
	return find(checked(c), checked(c)->channel->from, checked(c)->channel->nfrom, slot);
}

struct hd_owner hd__consumer(const struct hd_chan *c, unsigned slot)
{
	return find(checked(c), checked(c)->channel->to, checked(c)->channel->nto, slot);
}

static void count_put(const struct hd_chan *c, size_t size)
{
	(void)size;
	++*hd__producer(c, 0).moves;
}

static void count_take(const struct hd_chan *c)
{
	++*hd__consumer(c, 0).moves;
}

static void count_slot_put(const struct hd_chan *c, unsigned slot, size_t size)
{
	(void)size;
	++*hd__producer(c, slot).moves;
}

static void count_slot_take(const struct hd_chan *c, unsigned slot)
{
	++*hd__consumer(c, slot).moves;
}

const struct hd_checker hd__counter = {
	.put = count_put,
	.take = count_take,
	.slot_put = count_slot_put,
	.slot_take = count_slot_take,
};

struct hd_checked *hd__checked_make(struct hd_sim *s, const struct hd_checker *checker,
                                    const struct hd_instance *const *running)
{
	struct hd_checked *v = hd__xcalloc(s->nchannels, sizeof *v);

	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_channel *c = s->channels[i];

		v[i] = (struct hd_checked){ .watch.checker = checker, .sim = s, .channel = c, .running = running,
			.moves = hd__xcalloc(c->nfrom + c->nto, sizeof *v[i].moves),
			.puts = hd__xcalloc(c->nfrom, sizeof *v[i].puts) };
		c->chan->watch = &v[i].watch;
		c->chan->flags |= HD_CHAN_CHECKED;
	}
	return v;
}

void hd__checked_free(const struct hd_sim *s, struct hd_checked *v)
{
	for (size_t i = 0; v != NULL && i < s->nchannels; i++) {
		free(v[i].moves);
		free(v[i].puts);
	}
	free(v);
}
