/* order_check.c - compares a run with two others of the same netlist, cycle by cycle (--check-modules)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One evaluates only what is awake, the other also in another order.  Both must pass the same number
 * of payloads through every channel in every cycle, and end with the same statistics.
 */
#include "contract.h"
#include "module_check.h"
#include "kernel/timer.h"

/* A process of another run, whose evaluation sets `running`. */
struct wrapped {
	uint64_t (*eval)(void *state);
	void (*skipped)(void *state, uint64_t n);
	void *state;
	const struct hd_instance *instance, **running;
};

struct hd_order_check {
	struct hd_sim *sim[HD_OTHER_RUNS];
	struct hd_diags diags[HD_OTHER_RUNS];
	struct hd_checked *channels[HD_OTHER_RUNS];
	struct wrapped *processes[HD_OTHER_RUNS];
	const struct hd_instance *running[HD_OTHER_RUNS]; /* being evaluated */
	uint64_t cycle; /* up to which they were compared */
};

/* What a module has done that shows in this other run first. */
static const char *const fault[HD_OTHER_RUNS] = { "has missed a wake-up, or read a record before it wrote it",
	"depends on the order of evaluation" };
static const char *const how[HD_OTHER_RUNS] = { "when it is evaluated only when awake",
	"in another order that the links allow" };

static uint64_t eval_wrapped(void *state)
{
	struct wrapped *w = state;
	uint64_t edges;

	*w->running = w->instance;
	edges = w->eval(w->state);
	*w->running = NULL;
	return edges;
}

static void skipped_wrapped(void *state, uint64_t n)
{
	struct wrapped *w = state;

	w->skipped(w->state, n);
}

/* Counts what each end of a channel does: which of several senders differs is not seen in the channel. */
static void count_ends(struct hd_order_check *t, int run)
{
	struct hd_sim *s = t->sim[run];
	struct wrapped *w = hd__xcalloc(s->ninstances, sizeof *w);

	t->processes[run] = w;
	t->channels[run] = hd__checked_make(s, &hd__counter, &t->running[run]);
	for (size_t i = 0; i < s->ninstances; i++, w++) {
		const struct hd_instance *in = &s->instances[i];
		struct hd_process *p;

		if (in->rank == HD_NO_PROCESS)
			continue;
		p = &s->processes[in->rank];
		*w = (struct wrapped){ p->eval, p->skipped, p->state, in, &t->running[run] };
		p->eval = eval_wrapped;
		p->skipped = p->skipped != NULL ? skipped_wrapped : NULL;
		p->state = w;
		hd__routine_changed(s, p);
	}
}

bool hd__order_check_make(struct hd_sim *s, const char *netlist, struct hd_diags *d)
{
	struct hd_order_check *t = hd__xcalloc(1, sizeof *t);
	struct hd_options o = s->opt;

	s->contract->order_check = t;
	o.checker = NULL;
	o.event = NULL;
	o.max_cycles = 0;
	for (int i = 0; i < HD_OTHER_RUNS; i++) {
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
		count_ends(t, i);
	}
	return true;
}

/* The end, among n, that has not done the same in both; of several the one that is evaluated first. */
static size_t differing_end(const struct hd_link_end *e, size_t n, const uint64_t *here, const uint64_t *there)
{
	size_t best = n;

	for (size_t i = 0; i < n; i++)
		if (here[i] != there[i] && (best == n || e[i].instance->rank < e[best].instance->rank))
			best = i;
	return best == n ? 0 : best;
}

/* Which end of channel i has moved differently, and what it has moved. */
static void channel_differs(struct hd_sim *s, size_t i, int run)
{
	const struct hd_channel *c = s->channels[i];
	const uint64_t *here = s->contract->channels[i].moves;
	const uint64_t *there = s->contract->order_check->channels[run][i].moves;
	bool put = c->chan->tail != s->contract->order_check->sim[run]->channels[i]->chan->tail;
	size_t first = put ? 0 : c->nfrom;
	size_t at = differing_end(put ? c->from : c->to, put ? c->nfrom : c->nto, here + first, there + first);
	const struct hd_link_end *e = put ? &c->from[at] : &c->to[at];
	const char *port = e->instance->module->ports[e->port].name;

	if (put)
		hd_fail(&e->instance->ctx, "module '%s' %s: %llu payloads were put into port '%s', but %llu %s",
		        e->instance->module->name, fault[run], (unsigned long long)here[at], port,
		        (unsigned long long)there[at], how[run]);
	else
		hd_fail(&e->instance->ctx, "module '%s' %s: it has not taken the same payloads from port '%s' "
		        "%s", e->instance->module->name, fault[run], port, how[run]);
}

static void compare_channels(struct hd_sim *s, int run)
{
	const struct hd_sim *o = s->contract->order_check->sim[run];

	for (size_t i = 0; i < s->nchannels && !s->failed; i++) {
		const struct hd_chan *a = s->channels[i]->chan, *b = o->channels[i]->chan;

		if (a->tail != b->tail || a->head != b->head || a->full != b->full)
			channel_differs(s, i, run);
	}
}

static void compare_statistics(struct hd_sim *s, int run)
{
	const struct hd_sim *o = s->contract->order_check->sim[run];

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *a = &s->instances[i], *b = &o->instances[i];

		for (const struct hd_stat *p = a->module->stats; p != NULL && p->name != NULL; p++) {
			uint64_t here = hd_stat_value(p, a->state), there = hd_stat_value(p, b->state);

			if (here == there || s->failed)
				continue;
			hd_fail(&a->ctx, "module '%s' %s: statistic '%s' is %llu, but %llu %s; a module counts "
			        "the edges that it sleeps through in 'skipped'", a->module->name, fault[run],
			        p->name, (unsigned long long)here, (unsigned long long)there, how[run]);
		}
	}
	if (!s->failed && hd__hooks.stats && !hd__hooks.stats->same_rows(s, o))
		hd_fail(&s->instances[0].ctx, "the tables of the run differ %s", how[run]);
}

/* The other run has ended, and the run has not, or otherwise. */
static void end_differs(struct hd_sim *s, int run)
{
	static const char *const words[] = { [HD_RUN_MORE] = "goes on", [HD_RUN_FINISHED] = "finishes",
		[HD_RUN_LIMIT] = "goes on", [HD_RUN_DEADLOCK] = "is deadlocked", [HD_RUN_FAILED] = "fails",
		[HD_RUN_BAD_INPUT] = "fails", [HD_RUN_HALTED] = "goes on" };
	struct hd_sim *o = s->contract->order_check->sim[run];
	struct hd_diags *d = &s->contract->order_check->diags[run];
	enum hd_run_status status;

	if (s->failed)
		return;
	hd__sim_halt(o, hd__sim_cycles(o) + 1);
	status = hd__sim_run(o, UINT64_MAX);
	hd_fail(&s->instances[0].ctx, "a module %s: the run %s at cycle %llu %s%s%s", fault[run],
	        words[status], (unsigned long long)hd__sim_cycles(o), how[run],
	        d->n > 0 ? ": " : o->deadlock ? ":\n" : "",
	        d->n > 0 ? d->v[d->n - 1].text : o->deadlock ? o->deadlock : "");
}

static enum hd_run_status run_to(struct hd_sim *other, uint64_t cycles)
{
	hd__sim_halt(other, cycles);
	return hd__sim_run(other, UINT64_MAX);
}

void hd__order_check_follow(struct hd_sim *s)
{
	struct hd_order_check *t = s->contract->order_check;
	uint64_t cycles = hd__sim_cycles(s);

	if (t == NULL || t->cycle == cycles)
		return;
	t->cycle = cycles;
	for (int i = 0; i < HD_OTHER_RUNS && !s->failed; i++) {
		if (run_to(t->sim[i], cycles) != HD_RUN_HALTED)
			end_differs(s, i);
		compare_channels(s, i);
	}
}

enum hd_run_status hd__order_check_end(struct hd_sim *s, enum hd_run_status status)
{
	struct hd_order_check *t = s->contract->order_check;

	if (t == NULL || status == HD_RUN_FAILED || status == HD_RUN_BAD_INPUT)
		return status;
	hd__sim_settle(s);
	for (int i = 0; i < HD_OTHER_RUNS && !s->failed; i++) {
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

void hd__order_check_free(struct hd_sim *s)
{
	struct hd_order_check *t = s->contract->order_check;

	for (int i = 0; t != NULL && i < HD_OTHER_RUNS; i++) {
		if (t->sim[i] != NULL)
			hd__checked_free(t->sim[i], t->channels[i]);
		hd__sim_free(t->sim[i]);
		free(t->processes[i]);
		hd__diags_free(&t->diags[i]);
	}
	free(t);
}
