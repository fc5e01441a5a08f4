/* twins.c - compares a run with two others of the same netlist, cycle by cycle (--check-modules)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One evaluates only what is awake, the other also in another order.  Both must pass the same number
 * of payloads through every channel in every cycle, and end with the same statistics.
 */
#include "contract.h"

struct hd_twins {
	struct hd_sim *sim[HD_TWINS];
	struct hd_diags diags[HD_TWINS];
	uint64_t cycle; /* up to which they were compared */
};

/* What a module has done that shows in this twin first. */
static const char *const fault[HD_TWINS] = { "has missed a wake-up, or read a record before it wrote it",
	"depends on the order of evaluation" };
static const char *const how[HD_TWINS] = { "when it is evaluated only when awake",
	"in another order that the links allow" };

bool hd__twins_make(struct hd_sim *s, const char *netlist, struct hd_diags *d)
{
	struct hd_twins *t = hd__xcalloc(1, sizeof *t);
	struct hd_options o = s->opt;

	s->contract->twins = t;
	o.checker = NULL;
	o.event = NULL;
	o.max_cycles = 0;
	for (int i = 0; i < HD_TWINS; i++) {
		struct hd_netlist *n = hd__netlist_read_set(netlist, o.sets, o.nsets, &t->diags[i]);

		o.shuffle += (unsigned)i;
		t->sim[i] = n ? hd__sim_new(n, s->registry, &o, false, &t->diags[i]) : NULL;
		if (!t->sim[i]) {
			hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "'%s' or '%s' cannot be read a second time; "
			         "--check-modules runs it three times and expects files", netlist, o.input);
			return false;
		}
		hd__crash_free(t->sim[i]->crash); /* that of `s` is in force */
		t->sim[i]->crash = NULL;
	}
	return true;
}

/* Which of both ends of a channel has moved differently, and what it has moved. */
static void channel_differs(const struct hd_channel *c, const struct hd_chan *other,
                            int twin)
{
	bool put = c->chan->tail != other->tail;
	const struct hd_link_end *e = put ? &c->from[0] : &c->to[0];
	const char *port = e->instance->module->ports[e->port].name;

	if (put)
		hd_fail(&e->instance->ctx, "module '%s' %s: %u payloads were put into port '%s', but %u %s",
		        e->instance->module->name, fault[twin], c->chan->tail, port, other->tail, how[twin]);
	else
		hd_fail(&e->instance->ctx, "module '%s' %s: it has not taken the same payloads from port '%s' "
		        "%s", e->instance->module->name, fault[twin], port, how[twin]);
}

static void compare_channels(struct hd_sim *s, int twin)
{
	const struct hd_sim *o = s->contract->twins->sim[twin];

	for (size_t i = 0; i < s->nchannels && !s->failed; i++) {
		const struct hd_chan *a = s->channels[i]->chan, *b = o->channels[i]->chan;

		if (a->tail != b->tail || a->head != b->head || a->full != b->full)
			channel_differs(s->channels[i], b, twin);
	}
}

static void compare_statistics(struct hd_sim *s, int twin)
{
	const struct hd_sim *o = s->contract->twins->sim[twin];

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *a = &s->instances[i], *b = &o->instances[i];

		for (const struct hd_stat *p = a->module->stats; p != NULL && p->name != NULL; p++) {
			uint64_t here = hd_stat_value(p, a->state), there = hd_stat_value(p, b->state);

			if (here == there || s->failed)
				continue;
			hd_fail(&a->ctx, "module '%s' %s: statistic '%s' is %llu, but %llu %s; a module counts "
			        "the edges that it sleeps through in 'skipped'", a->module->name, fault[twin],
			        p->name, (unsigned long long)here, (unsigned long long)there, how[twin]);
		}
	}
	if (!s->failed && !json_equal(s->tables, o->tables))
		hd_fail(&s->instances[0].ctx, "the tables of the run differ %s", how[twin]);
}

/* The twin has ended, and the run has not, or otherwise. */
static void end_differs(struct hd_sim *s, int twin)
{
	static const char *const words[] = { [HD_RUN_MORE] = "goes on", [HD_RUN_FINISHED] = "finishes",
		[HD_RUN_LIMIT] = "goes on", [HD_RUN_DEADLOCK] = "is deadlocked", [HD_RUN_FAILED] = "fails",
		[HD_RUN_BAD_INPUT] = "fails", [HD_RUN_HALTED] = "goes on" };
	struct hd_sim *o = s->contract->twins->sim[twin];
	struct hd_diags *d = &s->contract->twins->diags[twin];
	enum hd_run_status status;

	if (s->failed)
		return;
	hd__sim_halt(o, hd__sim_cycles(o) + 1);
	status = hd__sim_run(o, UINT64_MAX);
	hd_fail(&s->instances[0].ctx, "a module %s: the run %s at cycle %llu %s%s%s", fault[twin],
	        words[status], (unsigned long long)hd__sim_cycles(o), how[twin],
	        d->n > 0 ? ": " : o->deadlock ? ":\n" : "",
	        d->n > 0 ? d->v[d->n - 1].text : o->deadlock ? o->deadlock : "");
}

static enum hd_run_status run_to(struct hd_sim *twin, uint64_t cycles)
{
	hd__sim_halt(twin, cycles);
	return hd__sim_run(twin, UINT64_MAX);
}

void hd__twins_follow(struct hd_sim *s)
{
	struct hd_twins *t = s->contract->twins;
	uint64_t cycles = hd__sim_cycles(s);

	if (t == NULL || t->cycle == cycles)
		return;
	t->cycle = cycles;
	for (int i = 0; i < HD_TWINS && !s->failed; i++) {
		if (run_to(t->sim[i], cycles) != HD_RUN_HALTED)
			end_differs(s, i);
		compare_channels(s, i);
	}
}

enum hd_run_status hd__twins_end(struct hd_sim *s, enum hd_run_status status)
{
	struct hd_twins *t = s->contract->twins;

	if (t == NULL || status == HD_RUN_FAILED || status == HD_RUN_BAD_INPUT)
		return status;
	hd__sim_settle(s);
	for (int i = 0; i < HD_TWINS && !s->failed; i++) {
		enum hd_run_status expected = status == HD_RUN_LIMIT ? HD_RUN_HALTED : status;

		if (run_to(t->sim[i], hd__sim_cycles(s) + (status != HD_RUN_LIMIT)) != expected)
			end_differs(s, i);
		compare_channels(s, i);
		hd__sim_settle(t->sim[i]);
		if (!s->failed)
			compare_statistics(s, i);
	}
	return s->failed ? HD_RUN_FAILED : status;
}

void hd__twins_free(struct hd_sim *s)
{
	struct hd_twins *t = s->contract->twins;

	for (int i = 0; t != NULL && i < HD_TWINS; i++) {
		hd__sim_free(t->sim[i]);
		hd__diags_free(&t->diags[i]);
	}
	free(t);
}
