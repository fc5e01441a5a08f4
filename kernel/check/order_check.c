/* order_check.c - compares a run with two others of the same netlist, cycle by cycle (--check-modules)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One evaluates only what is awake, the other also in another order, a different one in each cycle.  Both must pass the
 * same number of payloads through every channel in every cycle, and end with the same statistics; those that several
 * instances call must have the same in every cycle.
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
	const struct hd_instance **shared; /* without a process, and called by several others */
	size_t nshared;
};

/* From one cycle to the next the other order is another one of so many, so that any two instances of which no link says
 * which comes first soon meet in both orders. */
#define OTHER_ORDERS 16
enum { AWAKE_ONLY, OTHER_ORDER };

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
		o.others = i == OTHER_ORDER ? OTHER_ORDERS : 0;
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
	t->sim[OTHER_ORDER]->loop = s->loop;
	for (size_t i = 0; i < s->ninstances; i++) {
		size_t users = 0;

		for (size_t k = 0; k < s->nuses && s->instances[i].rank == HD_NO_PROCESS; k++)
			users += s->uses[k].provider == &s->instances[i];
		if (users < 2)
			continue;
		t->shared = hd__xappend(t->shared, t->nshared, sizeof *t->shared);
		t->shared[t->nshared++] = &s->instances[i];
	}
	return true;
}

/* ---- who is to blame ---- */

/* Notes, by number, which instances call `in`, through others or not.  It is one of them. */
static bool *find_callers(const struct hd_sim *s, const struct hd_instance *in)
{
	bool *calls = hd__xcalloc(s->ninstances, sizeof *calls), more = true;

	calls[in->number] = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < s->nuses; i++) {
			const struct hd_use *u = &s->uses[i];

			if (calls[u->provider->number] && !calls[u->user->number])
				calls[u->user->number] = more = true;
		}
	}
	return calls;
}

/* Does the process come earlier in one order and later in the other than that other one? */
static bool changed_places(const uint32_t *place, const struct hd_instance *a,
                           const struct hd_instance *b)
{
	uint32_t at = place[a->number], bt = place[b->number];

	return at != bt && (a->rank < b->rank) != (at < bt);
}

/* By number of an instance: when the other run evaluates it in this cycle; those of a rotating group together. */
static uint32_t *find_places(const struct hd_sim *other)
{
	uint32_t *place = hd__xcalloc(other->ninstances, sizeof *place);
	const uint32_t *order = hd__order_now(other);

	for (size_t i = 0; i < other->ninstances; i++) {
		uint32_t rank = other->instances[i].rank, group = 0;

		if (rank != HD_NO_PROCESS)
			group = other->processes[rank].group;
		if (group)
			rank = other->groups[group - 1].first;
		while (rank != HD_NO_PROCESS && order[place[i]] != rank)
			place[i]++;
	}
	return place;
}

static bool same_counts(const struct hd_instance *a, const struct hd_instance *b, const struct hd_stat **differs)
{
	for (const struct hd_stat *p = a->module->stats; p != NULL && p->name != NULL; p++) {
		if (hd_stat_value(p, a->state) == hd_stat_value(p, b->state))
			continue;
		*differs = p;
		return false;
	}
	return true;
}

/* The port of the provider where calls of that instance arrive. */
static const struct hd_port *called_port(const struct hd_sim *s, const struct hd_instance *by,
                                         const struct hd_instance *provider)
{
	const struct hd_port *port = NULL;

	for (size_t i = 0; i < s->nuses && !port; i++) {
		const struct hd_use *u = &s->uses[i];
		bool *calls = u->provider == provider ? find_callers(s, u->user) : NULL;

		if (calls && calls[by->number])
			port = &provider->module->ports[u->provider_port];
		free(calls);
	}
	return port;
}

/* Two processes of those that call the instance were evaluated in another order in the other run; or, if there are
 * none, it itself and one of them.  NULL: neither. */
static char *explain(const struct hd_sim *s, const struct hd_instance *provider, const bool *calls,
                     const uint32_t *place)
{
	const struct hd_instance *a = NULL, *b = NULL;
	const struct hd_port *port;

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];

		for (size_t k = i + 1; k < s->ninstances && calls[i] && in->rank != HD_NO_PROCESS; k++) {
			const struct hd_instance *other = &s->instances[k];
			bool own = in == provider || other == provider;

			if (calls[k] && other->rank != HD_NO_PROCESS && changed_places(place, in, other)
			    && (!a || (!own && (a == provider || b == provider))))
				a = in, b = other;
		}
	}
	if (!a)
		return NULL;
	port = called_port(s, a == provider ? b : a, provider);
	if (a == provider || b == provider)
		return hd__format("; '%s' calls '%s', which no link places before or after it: expected "
		                  "HD_PROVIDER_FIRST at port '%s' of module '%s', or calls whose order does not matter",
		                  (a == provider ? b : a)->path, provider->path, port->name, provider->module->name);
	return hd__format("; '%s' and '%s' call '%s', and no link says which of them comes first: expected %s at port "
	                  "'%s' of module '%s', or calls whose order does not matter", a->path, b->path, provider->path,
	                  port->flags & HD_ORDERED ? "HD_GOES_ON on the way to the calls that arrive" : "HD_ORDERED",
	                  port->name, provider->module->name);
}

/* How the other run differs from this one in which the instance has done something else.  To blame is it itself or what
 * it calls: what has counted something else rather than others, and of these what the fewest call.  The caller frees
 * it. */
static char *how_else(struct hd_sim *s, int run, const struct hd_instance *in)
{
	struct hd_sim *other = s->contract->order_check->sim[run];
	const struct hd_stat *differs;
	size_t least = SIZE_MAX;
	char *blame = NULL, *text;
	uint32_t *place;

	if (run != OTHER_ORDER)
		return hd__xstrdup(how[run]);
	place = find_places(other);
	hd__sim_settle(s);
	hd__sim_settle(other);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *p = &s->instances[i];
		bool *calls = find_callers(s, p);
		size_t n = same_counts(p, &other->instances[i], &differs) ? s->ninstances : 0;
		char *found = calls[in->number] ? explain(s, p, calls, place) : NULL;

		for (size_t k = 0; k < s->ninstances && p != in; k++)
			n += calls[k];
		if (found && n < least) {
			free(blame);
			blame = found;
			found = NULL;
			least = n;
		}
		free(found);
		free(calls);
	}
	text = hd__format("%s%s", how[run], blame ? blame : "");
	free(blame);
	free(place);
	return text;
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
	char *where = how_else(s, run, e->instance);

	if (put)
		hd_fail(&e->instance->ctx, "module '%s' %s: %llu payloads were put into port '%s', but %llu %s",
		        e->instance->module->name, fault[run], (unsigned long long)here[at], port,
		        (unsigned long long)there[at], where);
	else
		hd_fail(&e->instance->ctx, "module '%s' %s: it has not taken the same payloads from port '%s' "
		        "%s", e->instance->module->name, fault[run], port, where);
	free(where);
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

static void count_differs(struct hd_sim *s, int run, const struct hd_instance *a, const struct hd_stat *p)
{
	const struct hd_instance *b = &s->contract->order_check->sim[run]->instances[a->number];
	uint64_t here = hd_stat_value(p, a->state), there = hd_stat_value(p, b->state);
	char *where = how_else(s, run, a);

	hd_fail(&a->ctx, "module '%s' %s: statistic '%s' is %llu, but %llu %s%s", a->module->name, fault[run], p->name,
	        (unsigned long long)here, (unsigned long long)there, where,
	        a->rank == HD_NO_PROCESS ? "" : "; a module counts the edges that it sleeps through in 'skipped'");
	free(where);
}

static void compare_statistics(struct hd_sim *s, int run)
{
	const struct hd_sim *o = s->contract->order_check->sim[run];
	const struct hd_stat *p;

	for (size_t i = 0; i < s->ninstances && !s->failed; i++)
		if (!same_counts(&s->instances[i], &o->instances[i], &p))
			count_differs(s, run, &s->instances[i], p);
	if (!s->failed && hd__hooks.stats && !hd__hooks.stats->same_rows(s, o))
		hd_fail(&s->instances[0].ctx, "the tables of the run differ %s", how[run]);
}

static void compare_shared(struct hd_sim *s, int run)
{
	const struct hd_order_check *t = s->contract->order_check;
	const struct hd_stat *p;

	for (size_t i = 0; i < t->nshared && !s->failed; i++)
		if (!same_counts(t->shared[i], &t->sim[run]->instances[t->shared[i]->number], &p))
			count_differs(s, run, t->shared[i], p);
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
		if (i == OTHER_ORDER)
			compare_shared(s, i);
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
	if (t != NULL)
		free(t->shared);
	free(t);
}
