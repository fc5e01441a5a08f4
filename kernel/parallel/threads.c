/* threads.c - one or several threads run the domains of a window
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Whatever thread runs a domain, and when, it finds the same: a domain is run up to where all those that go before it
 * have come, and takes what they have put until then.  A domain that many others wait for goes on in steps, and they
 * follow.
 */
#include "ahead_plan.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* in which a domain runs a window for which as many others wait, or more; or that waits for as many */
#define STEPS 8u
#define LEAST_STEP 16u /* moments */
/* evaluations in a window for each other thread, from which on they are called for the next one; */
#define WORTH 1024u
#define MOST_WORTH 4096u /* for all of them at most */
#define SPINS 4000u    /* looks for work before a thread sleeps */
/* looks without a result before another thread may have the processor, and so many more before */
#define PATIENCE 64u
#define NAP 20000      /* ns for which it surely may: it is what this one waits for */

struct hd_member {
	struct hd_ahead *a;
	uint32_t number;
	pthread_t thread;
};

struct hd_workers {
	struct hd_member *v;
	uint32_t *wakers;          /* domains that may wake the instance that others wait for, */
	uint32_t nwakers;
	uint32_t *woke;            /* and those of them that have, when it is evaluated */
	uint32_t *owner;           /* by domain: the thread that has run it last */
	uint32_t n, started;       /* threads, the one that runs the simulation being the first */
	bool quit;
	uint32_t asleep;
	pthread_mutex_t mutex;
	pthread_cond_t call;

	/* in the present window */
	_Alignas(64) uint32_t left; /* domains that have not come to its end */
	uint32_t held;             /* domains that wait for that instance */
	bool several;              /* threads run it */
	bool open;                 /* for those other than the first */
	uint32_t inside;           /* of them, that look for domains to run */
	uint64_t turn;             /* changes whenever it opens */
	_Alignas(64) bool turning; /* a thread sees whether that instance is to be evaluated */
	size_t own;                /* the moment at which it is evaluated if none wakes it */
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

static void wait_a_while(uint32_t looks)
{
	if (looks < PATIENCE)
		relax();
	else if (looks < 2 * PATIENCE)
		sched_yield();
	else
		nanosleep(&(struct timespec){ .tv_nsec = NAP }, NULL);
}

static size_t done_of(const struct hd_domain *d)
{
	return __atomic_load_n(&d->seen.done, __ATOMIC_ACQUIRE);
}

static struct hd_shard *shard_of(const struct hd_ahead *a, const struct hd_domain *d)
{
	return d->shard == HD_NO_SHARD ? NULL : &a->s->shards[d->shard];
}

/* Without shards there is one thread. */
static bool claim(struct hd_shard *shard)
{
	return !shard || !__atomic_exchange_n(&shard->claimed, true, __ATOMIC_ACQUIRE);
}

static void give_back(struct hd_shard *shard)
{
	if (shard)
		__atomic_store_n(&shard->claimed, false, __ATOMIC_RELEASE);
}

/* ---- domains --------------------------------------------------------------------------------- */

/* The moment up to which the domain may run now, whether it is held or not. */
static size_t limit_of(const struct hd_ahead *a, const struct hd_domain *d)
{
	size_t limit = a->nmoments;

	for (uint32_t i = 0; i < d->nbefore; i++) {
		size_t done = done_of(&a->domains[d->before[i]]);

		limit = done < limit ? done : limit;
	}
	if (d->wakes) { /* the instance may have to do with it then */
		size_t own = __atomic_load_n(&a->workers->own, __ATOMIC_ACQUIRE);

		limit = own < limit ? own + 1 : limit;
	}
	return limit;
}

/* How far does it go on before others see that?  When the last of many has come to the end that it waits for, most
 * threads have nothing else to do than what follows it. */
static size_t step_of(const struct hd_ahead *a, const struct hd_domain *d)
{
	size_t step = a->nmoments / STEPS;

	if (!a->workers->several || (d->followers < STEPS && (d->followers == 0 || d->nbefore < STEPS)))
		return a->nmoments;
	return step < LEAST_STEP ? LEAST_STEP : step;
}

/* Others may see how far it is, and whether it waits. */
static void show(const struct hd_ahead *a, struct hd_domain *d)
{
	struct hd_workers *w = a->workers;

	if (d->held && d->seen.stop == HD_NO_STOP) {
		__atomic_store_n(&d->seen.stop, d->goal - 1, __ATOMIC_RELEASE);
		__atomic_fetch_add(&w->held, 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&d->seen.done, d->at, __ATOMIC_RELEASE);
	if (d->at == a->nmoments && !d->held) {
		__atomic_store_n(&d->seen.over, true, __ATOMIC_RELAXED);
		__atomic_fetch_sub(&w->left, 1, __ATOMIC_RELEASE);
	}
}

static void run(const struct hd_ahead *a, uint32_t i, size_t end)
{
	struct hd_domain *d = &a->domains[i];

	hd__mailboxes_fetch(d);
	hd__domain_run(a, d, end);
	hd__mailboxes_deliver(d);
}

/* Runs the domain as far as it may.  Returns true if it has come further. */
static bool advance(struct hd_ahead *a, uint32_t i)
{
	struct hd_domain *d = &a->domains[i];
	const size_t step = step_of(a, d);
	bool any = false;

	while (!hd__rolled_back(a->s)) {
		size_t limit = limit_of(a, d);

		limit = d->goal < limit ? d->goal : limit;
		if (limit <= d->at)
			break;
		run(a, i, limit - d->at > step ? d->at + step : limit);
		show(a, d);
		any = true;
	}
	return any;
}

/* The same if no other thread runs its shard. */
static bool try(struct hd_ahead *a, uint32_t i)
{
	struct hd_domain *d = &a->domains[i];
	struct hd_shard *shard = shard_of(a, d);
	bool any;

	if (__atomic_load_n(&d->seen.over, __ATOMIC_RELAXED)
	    || (shard && __atomic_load_n(&shard->claimed, __ATOMIC_RELAXED))
	    || __atomic_load_n(&d->seen.stop, __ATOMIC_RELAXED) < done_of(d) || limit_of(a, d) <= done_of(d)
	    || !claim(shard))
		return false;
	any = advance(a, i);
	give_back(shard);
	return any;
}

/* ---- the instance that others wait for ------------------------------------------------------- */

/* The moment at which it is evaluated next, if all have come so far that may wake it; else nmoments.  *woke: how many
 * have woken it for that moment, which go to workers->woke. */
static size_t next_turn(const struct hd_ahead *a, uint32_t *woke)
{
	struct hd_workers *w = a->workers;
	size_t moment = w->own;

	if (w->nwakers > 0 && done_of(&a->domains[w->wakers[w->nwakers - 1]]) == 0) /* mostly so in one thread */
		return a->nmoments;
	for (uint32_t i = 0; i < w->nwakers; i++) {
		size_t stop = __atomic_load_n(&a->domains[w->wakers[i]].seen.stop, __ATOMIC_ACQUIRE);

		moment = stop < moment ? stop : moment;
	}
	*woke = 0;
	for (uint32_t i = 0; i < w->nwakers && moment < a->nmoments; i++) {
		const struct hd_domain *d = &a->domains[w->wakers[i]];
		size_t done = done_of(d), stop = __atomic_load_n(&d->seen.stop, __ATOMIC_ACQUIRE);

		if (done <= moment || stop < moment)
			return a->nmoments;
		if (stop == moment)
			w->woke[(*woke)++] = w->wakers[i];
	}
	return moment;
}

/* The moment at which it is evaluated if none wakes it. */
static size_t own_moment(const struct hd_ahead *a)
{
	const struct hd_awaited *w = &a->awaited;
	const struct hd_process *t = &a->s->processes[w->instance->rank];
	size_t from = a->domains[w->domain].at;

	if (*w->word & w->bit)
		return a->paces[w->pace].next[from];
	if (!(a->s->noted[w->instance->rank / 64].armed & w->bit))
		return a->nmoments;
	return hd__ahead_reaches(a, w->pace, t->due - a->begin[w->instance->clock - a->s->clocks], from);
}

/* All that the instances of the shard see of the time is that of the moment. */
static void meet(const struct hd_ahead *a, const struct hd_shard *shard, size_t moment)
{
	const struct hd_sim *s = a->s;

	for (uint32_t k = 0; k < s->nclocks; k++)
		if (shard->clocks[k] != &s->clocks[k])
			shard->clocks[k]->now = a->begin[k] + a->paces[a->pace_of[k]].ticks[moment];
	memcpy(shard->times, hd__ahead_times(a, moment), s->nroots * sizeof *shard->times);
}

/* Is this one of those that have woken it the first one in its shard? */
static bool first_of_shard(const struct hd_ahead *a, uint32_t i)
{
	const uint32_t *woke = a->workers->woke;
	uint32_t k = 0;

	while (k < i && a->domains[woke[k]].shard != a->domains[woke[i]].shard)
		k++;
	return k == i;
}

/* Evaluates it at the moment; those that have woken it go on. */
static void evaluate(struct hd_ahead *a, size_t moment, uint32_t woke)
{
	struct hd_domain *own = &a->domains[a->awaited.domain];
	struct hd_workers *w = a->workers;
	struct hd_sim *s = a->s;

	for (uint32_t i = 0; i < woke; i++) {
		struct hd_shard *shard = shard_of(a, &a->domains[w->woke[i]]);

		for (uint32_t looks = 0; first_of_shard(a, i) && !claim(shard); looks++)
			wait_a_while(looks);
		if (shard)
			meet(a, shard, moment);
	}
	for (uint32_t k = 0; k < s->nroots; k++) { /* for messages */
		s->roots[k].period = hd__ahead_times(a, moment)[k].period;
		s->roots[k].passed = hd__ahead_times(a, moment)[k].passed;
	}
	hd__take_turn(s, true);
	run(a, a->awaited.domain, moment);
	if (woke > 0)
		*a->awaited.word |= a->awaited.bit;
	run(a, a->awaited.domain, moment + 1);
	hd__take_turn(s, false);
	__atomic_store_n(&w->own, own_moment(a), __ATOMIC_RELEASE);
	__atomic_fetch_sub(&w->held, woke, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < woke; i++) {
		struct hd_domain *d = &a->domains[w->woke[i]];

		d->moved |= (own->moved | *hd__gates_moved(s, d->shard)) & d->gates;
		d->held = false;
		d->goal = a->nmoments;
		__atomic_store_n(&d->seen.stop, HD_NO_STOP, __ATOMIC_RELEASE);
		show(a, d);
	}
	for (uint32_t i = 0; i < woke; i++)
		if (first_of_shard(a, i))
			give_back(shard_of(a, &a->domains[w->woke[i]]));
	own->moved = 0;
}

/* Evaluates it as often as it is its turn, unless another thread does.  Returns true if it was. */
static bool take_turns(struct hd_ahead *a)
{
	struct hd_workers *w = a->workers;
	uint32_t woke = 0;
	bool any = false;
	size_t moment;

	if (__atomic_load_n(&w->turning, __ATOMIC_RELAXED) || __atomic_exchange_n(&w->turning, true, __ATOMIC_ACQUIRE))
		return false;
	while (!hd__rolled_back(a->s) && (moment = next_turn(a, &woke)) < a->nmoments) {
		evaluate(a, moment, woke);
		any = true;
	}
	__atomic_store_n(&w->turning, false, __ATOMIC_RELEASE);
	return any;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* Runs domains that may go on: those that this thread has run last if `own`, else the others.  Returns true if there
 * were any. */
static bool work_on(struct hd_ahead *a, uint32_t number, bool own)
{
	struct hd_workers *w = a->workers;
	const bool turns = a->awaited.instance != NULL;
	bool any = false;

	for (uint32_t i = 0; i < a->ndomains; i++) {
		bool mine = __atomic_load_n(&w->owner[i], __ATOMIC_RELAXED) == number;

		if (mine != own || (turns && i == a->awaited.domain) || !try(a, i))
			continue;
		if (!own)
			__atomic_store_n(&w->owner[i], number, __ATOMIC_RELAXED);
		any = true;
		if (turns && __atomic_load_n(&w->held, __ATOMIC_RELAXED) > 0)
			take_turns(a);
	}
	return any;
}

/* Takes domains, in the order in which they follow each other, until all have come to the end.  A thread first takes
 * those that it has run before, whose data it has near, and others when none of these may go on. */
static void work(struct hd_ahead *a, uint32_t number)
{
	struct hd_workers *w = a->workers;
	uint32_t idle = 0;

	while (__atomic_load_n(&w->left, __ATOMIC_ACQUIRE) > 0 && !hd__rolled_back(a->s)) {
		bool any = work_on(a, number, true);

		if (a->awaited.instance)
			any = take_turns(a) || any;
		any = any || work_on(a, number, false);
		idle = any ? 0 : idle + 1;
		if (idle > 0)
			wait_a_while(idle);
	}
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Sleeps until there is another turn than `seen`. */
static void sleep_until_called(struct hd_workers *w, uint64_t seen)
{
	pthread_mutex_lock(&w->mutex);
	__atomic_fetch_add(&w->asleep, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&w->turn, __ATOMIC_SEQ_CST) == seen && !__atomic_load_n(&w->quit, __ATOMIC_SEQ_CST))
		pthread_cond_wait(&w->call, &w->mutex);
	__atomic_fetch_sub(&w->asleep, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&w->mutex);
}

/* Waits for another turn than `seen`, and returns it; 0: the threads are to end. */
static uint64_t wait_for_turn(struct hd_workers *w, uint64_t seen)
{
	for (uint32_t looks = 0;; looks++) {
		uint64_t turn = __atomic_load_n(&w->turn, __ATOMIC_ACQUIRE);

		if (__atomic_load_n(&w->quit, __ATOMIC_ACQUIRE))
			return 0;
		if (turn != seen)
			return turn;
		relax();
		if (looks % SPINS == SPINS - 1)
			sleep_until_called(w, seen);
	}
}

static void *live(void *arg)
{
	struct hd_member *m = arg;
	struct hd_workers *w = m->a->workers;
	uint64_t turn = 1;

	while ((turn = wait_for_turn(w, turn)) != 0) {
		__atomic_fetch_add(&w->inside, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&w->open, __ATOMIC_SEQ_CST))
			work(m->a, m->number);
		__atomic_fetch_sub(&w->inside, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void call(struct hd_workers *w)
{
	if (__atomic_load_n(&w->asleep, __ATOMIC_SEQ_CST) == 0)
		return;
	pthread_mutex_lock(&w->mutex);
	pthread_cond_broadcast(&w->call);
	pthread_mutex_unlock(&w->mutex);
}

/* Does it take longer to call other threads than they save?  Windows in a row are mostly alike. */
static bool alone(const struct hd_ahead *a)
{
	uint64_t worth = (uint64_t)WORTH * (a->workers->n - 1);

	return a->evals < (worth < MOST_WORTH ? worth : MOST_WORTH);
}

/* Fewer threads if there can be no more of them.  Signals are for the others of the program, but those that they cause
 * themselves. */
static void begin(struct hd_ahead *a)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct hd_workers *w = a->workers;
	sigset_t all, was;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	for (uint32_t i = 1; i < w->n; i++) {
		w->v[i] = (struct hd_member){ .a = a, .number = i };
		if (pthread_create(&w->v[i].thread, NULL, live, &w->v[i]) != 0)
			break;
		w->started++;
	}
	pthread_sigmask(SIG_SETMASK, &was, NULL);
}

uint32_t hd__workers_size(const struct hd_ahead *a)
{
	return a->workers->started + 1;
}

struct hd_workers *hd__workers_new(struct hd_ahead *a)
{
	struct hd_workers *w = hd__xcheck(aligned_alloc(64, (sizeof *w + 63) / 64 * 64));

	memset(w, 0, sizeof *w);
	w->n = a->s->nshards > 0 ? a->s->opt.threads : 1;
	w->v = hd__xcalloc(w->n, sizeof *w->v);
	w->wakers = hd__xcalloc(a->ndomains, sizeof *w->wakers);
	w->woke = hd__xcalloc(a->ndomains, sizeof *w->woke);
	w->owner = hd__xcalloc(a->ndomains, sizeof *w->owner);
	for (uint32_t i = 0; i < a->ndomains; i++) {
		const struct hd_domain *d = &a->domains[i];

		w->owner[i] = d->shard % w->n;
		if (d->wakes)
			w->wakers[w->nwakers++] = i;
		for (uint32_t k = 0; k < d->nbefore; k++)
			a->domains[d->before[k]].followers++;
	}
	w->turn = 1;
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->call, NULL);
	return w;
}

void hd__workers_free(struct hd_ahead *a)
{
	struct hd_workers *w = a->workers;

	if (!w)
		return;
	__atomic_store_n(&w->quit, true, __ATOMIC_SEQ_CST);
	call(w);
	for (uint32_t i = 1; i <= w->started; i++)
		pthread_join(w->v[i].thread, NULL);
	pthread_mutex_destroy(&w->mutex);
	pthread_cond_destroy(&w->call);
	free(w->v);
	free(w->owner);
	free(w->wakers);
	free(w->woke);
	free(w);
	a->workers = NULL;
}

static void work_together(struct hd_ahead *a)
{
	struct hd_workers *w = a->workers;

	if (w->turn == 1)
		begin(a);
	__atomic_store_n(&w->open, true, __ATOMIC_SEQ_CST);
	__atomic_store_n(&w->turn, w->turn + 1, __ATOMIC_SEQ_CST);
	call(w);
	work(a, 0);
	__atomic_store_n(&w->open, false, __ATOMIC_SEQ_CST);
	for (uint32_t looks = 0; __atomic_load_n(&w->inside, __ATOMIC_SEQ_CST) > 0; looks++)
		wait_a_while(looks);
}

void hd__workers_run(struct hd_ahead *a)
{
	struct hd_workers *w = a->workers;

	w->left = a->ndomains - (a->awaited.instance != NULL);
	w->held = 0;
	for (uint32_t i = 0; i < a->ndomains; i++)
		hd__domain_begin(a, &a->domains[i]);
	w->own = a->awaited.instance ? own_moment(a) : a->nmoments;
	w->several = w->n > 1 && !alone(a);
	if (w->several)
		work_together(a);
	else
		work(a, 0);
	if (a->awaited.instance && !hd__rolled_back(a->s)) {
		hd__take_turn(a->s, true);
		run(a, a->awaited.domain, a->nmoments);
		hd__take_turn(a->s, false);
	}
	for (uint32_t i = 0; i < a->ndomains; i++)
		hd__domain_end(a, &a->domains[i]);
}
