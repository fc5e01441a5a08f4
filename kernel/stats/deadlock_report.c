/* deadlock_report.c - the report of a deadlock: what is pending where, and which instances withhold room
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/path.h"
#include "deadlock.h"

#include <stdlib.h>

#define PENDING_SHOWN 8u /* lines per instance; a whole core may have hundreds pending */
#define LONGEST_CIRCLE 2000u /* characters of its text */

static void HD_PRINTF(2, 3) add_line(struct hd_pending *h, const char *fmt, ...)
{
	va_list ap;
	char *what = NULL, *all;

	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) < 0)
		what = NULL;
	va_end(ap);
	all = hd__format("%s  %s: %s\n", h->text ? h->text : "", h->instance->path,
	                 what ? what : "?");
	free(what);
	free(h->text);
	h->text = all;
}

static void add_reported(struct hd_pending *h, const char *text)
{
	if (h->n++ < PENDING_SHOWN)
		add_line(h, "%s", text);
}

/* "" or why no instance on this clock is evaluated.  To be freed. */
static char *closed(const struct hd_clock *clock)
{
	const struct hd_clock *c = clock;

	while (c && !(c->gated && !c->on))
		c = c->parent;
	if (!clock || clock->on || !c)
		return hd__xstrdup("");
	return hd__format("; its clock '%s' is closed%s%s%s%s%s", clock->name, c == clock ? "" : " with '",
	                  c == clock ? "" : c->name, c == clock ? ", and '" : "', and '",
	                  c->gatekeeper->path, "' does not open it");
}

/* A payload in a channel is pending at the instance that reads the channel. */
static void hold_channel(struct hd_pending *h, const struct hd_channel *c)
{
	uint32_t n = hd__channel_fill(c);
	const struct hd_clock *clock = c->to[0].instance->clock;
	char *shut;

	if (n == 0)
		return;
	shut = closed(clock);
	h->instance = c->to[0].instance;
	add_line(h, "%u of '%s' wait at port '%s', sent by '%s'%s%s", n, c->type->name,
	         c->to[0].instance->module->ports[c->to[0].port].name, c->from[0].instance->path,
	         c->nfrom > 1 ? " or another producer" : "", shut);
	free(shut);
}

/* An instance that others wait for, or that waits itself. */
struct role {
	const struct hd_port *given; /* an input with payloads */
	const struct hd_channel *full; /* an output without room */
};

static struct role *find_roles(const struct hd_sim *s)
{
	struct role *v = hd__xcalloc(s->ninstances + 1, sizeof *v);

	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_channel *c = s->channels[i];

		for (size_t k = 0; k < c->nto; k++)
			if (hd__end_has_some(c, &c->to[k]))
				v[c->to[k].instance->number].given =
					&c->to[k].instance->module->ports[c->to[k].port];
		for (size_t k = 0; k < c->nfrom; k++)
			if (hd__end_is_full(c, &c->from[k]))
				v[c->from[k].instance->number].full = c;
	}
	return v;
}

/* Instances with payloads to take, and room for what they make of them: the others wait for these. */
static bool name_withholders(struct hd_pending *h, const struct hd_sim *s, const struct role *roles)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct role *r = &roles[i];
		char *shut;

		if (!r->given || r->full || n++ >= PENDING_SHOWN)
			continue;
		h->instance = &s->instances[i];
		shut = closed(h->instance->clock);
		add_line(h, "takes nothing from port '%s', and has room at its outputs%s", r->given->name, shut);
		free(shut);
	}
	if (n > PENDING_SHOWN)
		add_line(h, "and %u more instances", n - PENDING_SHOWN);
	return n > 0;
}

/* Each instance with payloads to take has an output without room: from each the way goes to the reader of
 * that, so it ends in a circle. */
static void name_circle(struct hd_pending *h, struct hd_sim *s, const struct role *roles)
{
	const struct hd_instance *in = NULL, *first;
	char *path, *longer;

	for (size_t i = 0; i < s->ninstances && !in; i++)
		in = roles[i].given && roles[i].full ? &s->instances[i] : NULL;
	for (size_t i = 0; in && i < s->ninstances; i++) /* by then it is in the circle */
		in = roles[in->number].full ? roles[in->number].full->to[0].instance : NULL;
	if (!in)
		return;
	first = in;
	path = hd__format("'%s'", in->path);
	free(s->circle);
	s->circle = hd__xcalloc(s->ninstances, sizeof *s->circle);
	s->ncircle = 0;
	do {
		s->circle[s->ncircle++] = roles[in->number].full;
		in = roles[in->number].full->to[0].instance;
		if (strlen(path) > LONGEST_CIRCLE)
			continue;
		longer = hd__format("%s for '%s'", path, in->path);
		free(path);
		path = longer;
	} while (in != first);
	h->instance = first;
	add_line(h, "waits in a circle, each for room at the next: %s", path);
	free(path);
}

/* Work that was promised and never done. */
static void name_unfinished(struct hd_pending *h, const struct hd_instance *in)
{
	char *shut = closed(in->clock);

	if (in->working && (h->n == 0 || *shut))
		add_line(h, "has not finished%s", shut);
	free(shut);
}

static void collect(struct hd_pending *h, const struct hd_instance *in)
{
	h->instance = in;
	h->n = 0;
	if (in->module->report_pending)
		in->module->report_pending(in->state, h);
	if (h->n > PENDING_SHOWN)
		add_line(h, "and %u more", h->n - PENDING_SHOWN);
	name_unfinished(h, in);
}

char *hd__pending_text(const struct hd_sim *s, const char *pattern)
{
	struct hd_pending h = { .add = add_reported };
	bool any = false;

	for (size_t i = 0; i < s->ninstances; i++)
		if (hd__path_fits(pattern, s->instances[i].path)) {
			collect(&h, &s->instances[i]);
			any = true;
		}
	return h.text || !any ? h.text : hd__xstrdup("");
}

/* hd_sim.withheld has the instances for which the others wait, as far as that can be seen from the channels. */
void hd__explain_deadlock(struct hd_sim *s)
{
	struct hd_pending h = { .add = add_reported };
	struct role *roles;

	for (size_t i = 0; i < s->ninstances; i++)
		collect(&h, &s->instances[i]);
	for (size_t i = 0; i < s->nchannels; i++)
		hold_channel(&h, s->channels[i]);
	s->deadlock = h.text;
	if (!h.text)
		return;
	h.text = NULL;
	roles = find_roles(s);
	if (!name_withholders(&h, s, roles))
		name_circle(&h, s, roles);
	free(roles);
	s->withheld = h.text;
}
