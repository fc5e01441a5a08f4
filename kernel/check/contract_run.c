/* contract_run.c - a run loop that evaluates sleeping processes, too, which must change nothing
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which process is awake is as in run.c.  One that sleeps is evaluated at every edge of its clock:
 * that may use no port, wake no other, and count nothing but what `skipped` counts for one edge, or
 * the process has missed a wake-up.  The rest of its state may change, as a module may keep there
 * what it has looked up.  Its timer, and the wake-ups that it requests meanwhile, stay as they are,
 * so that the others sleep as they would without this.
 */
#include "contract.h"
#include "kernel/phase.h"

/* A channel into which the process puts, as it was before its evaluation. */
struct request {
	struct hd_chan *chan;
	uint64_t wanted;
	uint32_t flags;
};

/* A statistic of its instance, or of one whose interface it calls, and what it should be. */
struct count {
	const struct hd_instance *instance;
	const struct hd_stat *stat;
	uint64_t value;
};

struct hd_sleeper {
	uint64_t since;      /* cycle in which it went to sleep */
	const struct hd_instance **counting; /* those whose state `skipped` may change: itself, and of the */
	size_t ncounting;    /* instances that it uses those that no other one uses */
	const struct hd_instance **behind; /* without a process, which it uses, also through others */
	size_t nbehind;
	struct request *requests;
	size_t nrequests;
	struct count *counts;
	size_t ncounts;
};

/* ---- what an evaluation changes ---- */

static const struct count *first_counted(const struct hd_sleeper *z)
{
	for (size_t i = 0; i < z->ncounts; i++)
		if (hd_stat_value(z->counts[i].stat, z->counts[i].instance->state) != z->counts[i].value)
			return &z->counts[i];
	return NULL;
}

static const struct hd_instance *first_woken(const struct hd_sim *s)
{
	const struct hd_contract *k = s->contract;

	for (uint32_t w = 0; w < s->nwords; w++) {
		uint64_t woken = s->awake[w] & ~k->awake[w];

		if (woken != 0)
			return k->by_rank[w * 64 + hd_bits_first(woken)];
	}
	return NULL;
}

/* "port 'out'", "port 'out' of 'x'"; the caller frees it. */
static char *name_of(const char *kind, const char *name, const struct hd_instance *of,
                     const struct hd_instance *in)
{
	return of == in ? hd__format("%s '%s'", kind, name)
	                : hd__format("%s '%s' of '%s'", kind, name, of->path);
}

/* Fails the run if the evaluation of `in`, which sleeps, has had an effect. */
static void compare(struct hd_sim *s, const struct hd_instance *in, uint64_t moves)
{
	const struct hd_contract *k = s->contract;
	const struct hd_instance *woken = first_woken(s);
	const struct hd_sleeper *z = &k->sleepers[in->rank];
	const struct count *counted = first_counted(z);
	const char *verb = NULL;
	char *what = NULL;

	if (k->moves != moves && k->mover != NULL)
		verb = "used", what = name_of("port", k->moved->name, k->mover, in);
	else if (k->moves != moves)
		verb = "took or released", what = hd__xstrdup("a record");
	else if (woken != NULL)
		verb = "woke", what = hd__format("'%s'", woken->path);
	else if (counted != NULL)
		verb = in->module->skipped && counted->instance == in ? "unlike 'skipped' counted" : "counted",
		what = name_of("statistic", counted->stat->name, counted->instance, in);
	if (what != NULL && !s->failed)
		hd_fail(&in->ctx, "module '%s' has missed a wake-up: it sleeps since cycle %llu, and %s %s when "
		        "it was evaluated here; expected that eval returns when it has work again, or requests "
		        "a wake-up", in->module->name, (unsigned long long)z->since, verb, what);
	free(what);
}

/* Copies the states that `skipped` may change to hd_contract.before, or back from there. */
static void keep(const struct hd_contract *k, const struct hd_sleeper *z, bool restore)
{
	unsigned char *p = k->before;

	for (size_t i = 0; i < z->ncounting; i++) {
		size_t size = z->counting[i]->module->state_size;

		if (restore)
			memcpy(z->counting[i]->state, p, size);
		else
			memcpy(p, z->counting[i]->state, size);
		p += size;
	}
}

/* Notes what may not change.  A process that counts the edges it sleeps through counts one. */
static void prepare(struct hd_sim *s, struct hd_process *t, const struct hd_instance *in)
{
	struct hd_contract *k = s->contract;
	const struct hd_sleeper *z = &k->sleepers[in->rank];
	bool counts = t->flags & HD_PROCESS_SLEPT;

	if (counts) {
		if (t->clock->now - t->last > 1)
			t->skipped(t->state, t->clock->now - t->last - 1);
		keep(k, z, false);
		t->skipped(t->state, 1);
	}
	for (size_t i = 0; i < z->ncounts; i++)
		z->counts[i].value = hd_stat_value(z->counts[i].stat, z->counts[i].instance->state);
	if (counts) {
		keep(k, z, true);
		t->last = t->clock->now; /* it counts this edge itself */
	}
	for (size_t i = 0; i < z->nrequests; i++) {
		z->requests[i].flags = z->requests[i].chan->flags;
		z->requests[i].wanted = z->requests[i].chan->wanted;
	}
	memcpy(k->awake, s->awake, s->nwords * sizeof *k->awake);
}

/* Evaluates a process that sleeps. */
static void try_sleeper(struct hd_sim *s, uint32_t rank)
{
	struct hd_process *t = &s->processes[rank];
	const struct hd_instance *in = s->contract->by_rank[rank];
	const struct hd_sleeper *z = &s->contract->sleepers[rank];
	uint64_t moves = s->contract->moves;

	prepare(s, t, in);
	t->eval(t->state);
	compare(s, in, moves);
	for (size_t i = 0; i < z->nrequests; i++) {
		z->requests[i].chan->flags = z->requests[i].flags;
		z->requests[i].chan->wanted = z->requests[i].wanted;
	}
}

/* ---- the loop ---- */

static bool is_awake(const struct hd_sim *s, uint32_t rank)
{
	return s->awake[rank / 64] >> (rank % 64) & 1;
}

static bool evaluate(struct hd_sim *s, uint32_t rank)
{
	struct hd_contract *k = s->contract;
	bool awake = is_awake(s, rank);

	if (!k) {
		if (awake)
			hd__run_process(s, rank);
		return awake;
	}
	k->running = k->by_rank[rank];
	if (awake) {
		hd__run_process(s, rank);
		k->sleepers[rank].since = hd__sim_cycles(s);
	} else {
		try_sleeper(s, rank);
	}
	hd__rules_look(k->running, k->sleepers[rank].behind, k->sleepers[rank].nbehind);
	hd__look_behind(s, k->running);
	for (size_t i = 0; i < k->sleepers[rank].nbehind; i++)
		hd__look_behind(s, k->sleepers[rank].behind[i]);
	k->running = NULL;
	return awake;
}

/* The members of a rotating group that have an edge; the first moves on by one at each edge. */
static bool evaluate_group(struct hd_sim *s, const struct hd_group *g, const uint64_t *mask)
{
	bool any = false;

	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t rank = g->first + (uint32_t)((g->clock->now + i) % g->n);

		if (mask[rank / 64] >> (rank % 64) & 1)
			any = evaluate(s, rank) || any;
	}
	return any;
}

/* Evaluates all processes that have an edge.  Returns true if one of them was awake. */
static bool evaluate_all(struct hd_sim *s, const uint64_t *mask)
{
	bool any = false;

	for (const uint32_t *rank = hd__order_now(s), *end = rank + s->nplaced; rank < end; rank++) {
		uint32_t group = s->processes[*rank].group;

		if (group != 0)
			any = evaluate_group(s, &s->groups[group - 1], mask) || any;
		else if (mask[*rank / 64] >> (*rank % 64) & 1)
			any = evaluate(s, *rank) || any;
	}
	return any;
}

static bool any_timer(const struct hd_sim *s)
{
	for (uint32_t i = 0; i < s->nclocks; i++)
		if (s->clocks[i].on && hd__any_armed(s, &s->clocks[i]))
			return true;
	return false;
}

/* One edge.  Returns true if a process was awake.  A module that breaks the contract does not get
 * to the end of it. */
static bool run_edge(struct hd_sim *s)
{
	struct hd_contract *k = s->contract;
	const uint64_t *mask = (s->nroots > 1 ? hd__open_phases(s) : hd__open_phase(s, &s->roots[0]))->mask;
	bool any = true;
	jmp_buf out;

	if (!k) {
		any = evaluate_all(s, mask);
		hd__end_edge(s);
		return any;
	}
	k->out = &out;
	if (setjmp(out) == 0)
		any = evaluate_all(s, mask);
	k->running = NULL;
	k->out = NULL;
	hd__end_edge(s);
	return any;
}

int hd__contract_run(struct hd_sim *s, uint64_t edges)
{
	struct hd_root *r = &s->roots[0];
	enum hd_run_status status = HD_RUN_MORE;
	bool busy = !s->idle;

	while (status == HD_RUN_MORE && edges-- > 0 && !hd__sim_stopping(s)) {
		if (r->next_phase == 0 && !hd__mid_moment(s)) {
			if (r->period != UINT64_MAX && s->contract)
				hd__order_check_follow(s);
			if (s->failed)
				return HD_RUN_FAILED;
			/* no jump: sleeping processes are evaluated until the next timer */
			status = hd__between_periods(s, !busy && !any_timer(s), edges);
			if (status != HD_RUN_MORE)
				break;
			busy = false;
		}
		busy = run_edge(s) || busy;
		if (s->finished | s->failed | s->bad_input)
			status = s->bad_input ? HD_RUN_BAD_INPUT : s->failed ? HD_RUN_FAILED : HD_RUN_FINISHED;
	}
	s->idle = !busy;
	if (status == HD_RUN_MORE || status == HD_RUN_HALTED || !s->contract)
		return status;
	return hd__order_check_end(s, status);
}

/* ---- */

static void add_counts(struct hd_sleeper *z, const struct hd_instance *in)
{
	for (const struct hd_stat *p = in->module->stats; p != NULL && p->name != NULL; p++) {
		z->counts = hd__xappend(z->counts, z->ncounts, sizeof *z->counts);
		z->counts[z->ncounts++] = (struct count){ .instance = in, .stat = p };
	}
}

/* The instances without a process that `in` uses, also through each other. */
static void find_behind(const struct hd_sim *s, struct hd_sleeper *z, const struct hd_instance *in)
{
	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_instance *p = s->uses[i].provider;
		size_t n = 0;

		if (s->uses[i].user != in || p->rank != HD_NO_PROCESS)
			continue;
		while (n < z->nbehind && z->behind[n] != p)
			n++;
		if (n < z->nbehind)
			continue;
		z->behind = hd__xappend(z->behind, n, sizeof *z->behind);
		z->behind[z->nbehind++] = p;
		find_behind(s, z, p);
	}
}

static bool has_one_user(const struct hd_sim *s, const struct hd_instance *in)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nuses; i++)
		n += s->uses[i].provider == in;
	return n == 1;
}

/* Finds the states that `skipped` of each process may change.  Returns the most bytes that they are. */
static size_t find_counting(struct hd_sim *s)
{
	size_t most = 0;

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		struct hd_sleeper *z;
		size_t bytes = in->module->state_size;

		if (in->rank == HD_NO_PROCESS || !in->module->skipped)
			continue;
		z = &s->contract->sleepers[in->rank];
		z->counting = hd__xappend(z->counting, z->ncounting, sizeof *z->counting);
		z->counting[z->ncounting++] = in;
		for (size_t n = 0; n < s->nuses; n++) {
			if (s->uses[n].user != in || !has_one_user(s, s->uses[n].provider))
				continue;
			z->counting = hd__xappend(z->counting, z->ncounting, sizeof *z->counting);
			z->counting[z->ncounting++] = s->uses[n].provider;
			bytes += s->uses[n].provider->module->state_size;
		}
		most = bytes > most ? bytes : most;
	}
	return most;
}

void hd__sleepers_make(struct hd_sim *s)
{
	struct hd_contract *k = s->contract;

	k->sleepers = hd__xcalloc(s->nprocesses, sizeof *k->sleepers);
	k->awake = hd__xcalloc(s->nwords, sizeof *k->awake);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];

		if (in->rank != HD_NO_PROCESS) {
			add_counts(&k->sleepers[in->rank], in);
			find_behind(s, &k->sleepers[in->rank], in);
		}
	}
	k->before = hd__xcalloc(1, find_counting(s) + 1);
	for (size_t i = 0; i < s->nuses; i++)
		if (s->uses[i].user->rank != HD_NO_PROCESS)
			add_counts(&k->sleepers[s->uses[i].user->rank], s->uses[i].provider);
	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_channel *c = s->channels[i];

		for (size_t n = 0; n < c->nfrom; n++) {
			uint32_t rank = c->from[n].instance->rank;
			struct hd_sleeper *z;

			if (rank == HD_NO_PROCESS)
				continue;
			z = &k->sleepers[rank];
			z->requests = hd__xappend(z->requests, z->nrequests, sizeof *z->requests);
			z->requests[z->nrequests++].chan = c->chan;
		}
	}
}

void hd__sleepers_free(struct hd_sim *s)
{
	for (uint32_t i = 0; i < s->nprocesses; i++) {
		free(s->contract->sleepers[i].counting);
		free(s->contract->sleepers[i].behind);
		free(s->contract->sleepers[i].requests);
		free(s->contract->sleepers[i].counts);
	}
	free(s->contract->sleepers);
	free(s->contract->awake);
	free(s->contract->before);
}
