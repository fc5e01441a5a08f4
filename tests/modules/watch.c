/* watch.c - listens to a run: events, marks, causes
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness_play.h"
#include "tests/modules/toy/actor.h"

#include "kernel/hooks.h"
#include "kernel/sim.h"

#include <inttypes.h>

/* ---- causes ---------------------------------------------------------------------------------- */

/* The index of the end in its port, if the port is an array. */
static uint32_t link_of(const struct hd_instance *in, const struct hd_port *p,
                        const struct hd_chan *ch, uint32_t slot)
{
	const struct hd_ends *ends = (const void *)((const char *)in->state + p->offset);
	uint32_t i = 0;

	if (!(p->flags & HD_ARRAY))
		return 0;
	while (i < ends->n && !(ends->v[i].ch == ch && (ends->v[i].slots >> slot & 1)))
		i++;
	return i;
}

/* Name of the OUT port of the instance that has this end. */
static const char *out_port(const struct hd_instance *in, const struct hd_end *end)
{
	for (const struct hd_port *p = in->module->ports; p->name; p++) {
		const char *at = (const char *)in->state + p->offset;
		const struct hd_ends *ends = (const void *)at;

		if (p->kind == HD_OUT && !(p->flags & HD_ARRAY) && at == (const char *)end)
			return p->name;
		if (p->kind == HD_OUT && (p->flags & HD_ARRAY) && end >= ends->v
		    && end < ends->v + ends->n)
			return p->name;
	}
	return "?";
}

/* Asks the instance at the other side of the channel.  False: it does not answer. */
static bool ask(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot,
                const struct hd_instance **who, struct hd_answer *answer)
{
	struct hd_sim *s = c->sim;

	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_channel *ch = s->channels[i];

		for (size_t k = 0; ch->chan == end->ch && k < ch->nto; k++) {
			const struct hd_instance *in = ch->to[k].instance;
			const struct hd_port *p = &in->module->ports[ch->to[k].port];

			if (!in->module->stall_cause
			    || (ch->slotted && !(ch->to[k].slots >> slot & 1)))
				continue;
			*answer = in->module->stall_cause(in->state, ch->to[k].port,
			                                  link_of(in, p, end->ch, slot));
			*who = in;
			return true;
		}
	}
	return false;
}

void tell_cause(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot)
{
	const struct hd_instance *in;
	struct hd_answer a;

	if (!ask(c, end, slot, &in, &a))
		toy_log(c, "cause = unknown");
	else if (a.behind)
		toy_log(c, "cause = %s behind %s slot=%u", in->path, out_port(in, a.behind),
		        a.slot);
	else
		toy_log(c, "cause = %s %s", in->path, in->module->reasons[a.reason].name);
}

/* Of toys: the number of the reason. */
static uint32_t stall_cause(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot, bool *wakes)
{
	const struct hd_instance *in;
	struct hd_answer a;

	if (wakes)
		*wakes = false; /* the instance asks again */
	return ask(c, end, slot, &in, &a) && !a.behind ? a.reason : 0;
}

/* ---- events and marks ------------------------------------------------------------------------ */

static const struct hd_sim *watched;

/* What does not apply is left out. */
static void write_field(const struct hd_instance *in, const struct hd_field *f, int64_t v)
{
	bool named = (f->names && (strcmp(f->names, "code") == 0 || strcmp(f->names, "cause") == 0))
	             || strcmp(f->name, "kernel") == 0;

	if (v == -1 || (v == 0 && (named || (f->flags & HD_FIELD_HIDDEN))))
		return;
	if (f->names && strcmp(f->names, "reason") == 0)
		fprintf(play.log, " %s", in->module->reasons[v].name);
	else
		fprintf(play.log, " %s=%" PRId64, f->name, v);
}

static void write_event(void *arg, const struct hd_instance *in, unsigned event, const int64_t *v)
{
	const struct hd_event *e = &in->module->events[event];

	(void)arg;
	fprintf(play.log, "%" PRIu64 " %s event %s", in->clock->now, in->path, e->name);
	for (unsigned i = 0; i < HD_EVENT_FIELDS && e->fields[i].name; i++)
		write_field(in, &e->fields[i], v[i]);
	fputc('\n', play.log);
}

static void write_mark(const struct hd_ctx *c, unsigned mark, const char *what, uint32_t number,
                       uint32_t arg)
{
	const struct hd_mark *m = &c->instance->module->marks[mark];

	fprintf(play.log, "%" PRIu64 " %s mark %s %s%u", hd_now(c), c->instance->path, m->name,
	        what, number);
	if (m->arg)
		fprintf(play.log, " %s=%u", m->arg, arg);
	fputc('\n', play.log);
}

static void mark(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle, unsigned m,
                 uint32_t arg)
{
	write_mark(c, m, "#", hd_inst(p, handle)->code, arg);
}

static void over(struct hd_pool *p, uint32_t handle)
{
	(void)p;
	(void)handle;
}

/* Goes on under the number of the instruction. */
static uint32_t keep(struct hd_pool *p, uint32_t handle)
{
	return hd_inst(p, handle)->code;
}

static void mark_kept(const struct hd_ctx *c, struct hd_pool *p, uint32_t number, unsigned m,
                      uint32_t arg)
{
	(void)p;
	write_mark(c, m, "kept #", number, arg);
}

static void end_kept(struct hd_pool *p, uint32_t number)
{
	(void)p;
	fprintf(play.log, "%" PRIu64 " pool mark end kept #%u\n", watched->roots[0].period, number);
}

static void emit(const struct hd_ctx *c, unsigned event, const int64_t *v)
{
	(void)c; /* write_event() has it already */
	(void)event;
	(void)v;
}

static void due(struct hd_sim *s)
{
	(void)s;
}

static void define(struct hd_sim *s, const char *names, uint64_t id, const struct hd_cell *cells,
                   unsigned n)
{
	(void)s;
	(void)names;
	(void)id;
	(void)cells;
	(void)n;
}

static const struct hd_probe probe = {
	.mark = mark, .transaction_over = over, .transaction_keep = keep,
	.transaction_mark = mark_kept, .transaction_end = end_kept, .emit = emit,
	.stall_cause = stall_cause, .due = due, .define = define, .release = due,
};
static struct hd_watch watch = { .probe = &probe };

void watch_options(struct hd_options *o)
{
	o->event = write_event;
	o->probe = &probe;
}

void watch_run(struct hd_sim *s)
{
	watched = s;
	s->observer = (struct hd_observer *)&watch; /* the kernel looks only whether there is one */
	for (size_t i = 0; i < s->npools; i++)
		if (strcmp(s->pools[i].type->name, "inst") == 0)
			s->pools[i].pool->transactions = &watch;
}

void watch_end(struct hd_sim *s)
{
	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].module->end_observation)
			s->instances[i].module->end_observation(s->instances[i].state);
}

void watch_foreseen(const struct hd_sim *s)
{
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		uint64_t n = in->module->apart ? in->module->apart(in->state) : 0;

		if (!in->module->apart)
			continue;
		if (n != play.foreseen && n + 1 != play.foreseen)
			fprintf(play.log, "%" PRIu64 " %s foresees %" PRIu64 "\n", in->clock->now,
			        in->path, n);
		play.foreseen = n;
	}
}
