/* crew.c - several threads run the domains of a window
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Whatever thread runs a domain, and when, it finds the same: a domain is run up to where all those that go before it
 * have come, and takes what they have put until then.  A domain that others wait for goes on in steps, and they follow.
 */
#include "ahead_plan.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define STEPS 8u       /* in which a domain that others wait for runs a window */
#define LEAST_STEP 16u /* moments */
#define FEW 3u         /* domains that one thread runs sooner than others would have come */
#define SPINS 4000u    /* looks for work before a thread sleeps */
#define PATIENCE 64u   /* looks without a result before another thread may have the processor, and so many more before */
#define NAP 20000      /* ns for which it surely may: it is what this one waits for */

struct hd_member {
	struct hd_ahead *a;
	uint32_t number;
	pthread_t thread;
};

struct hd_crew {
	struct hd_member *v;
	uint32_t n, started;       /* threads, the one that runs the simulation being the first */
	uint32_t first, end, leave; /* the domains that are run now */
	uint32_t left;             /* of these, that have not come to their goals */
	bool open;                 /* there are such */
	uint32_t inside;           /* threads, other than the first, that look for them */
	uint64_t turn;             /* changes whenever it opens */
	bool quit;
	uint32_t asleep;
	pthread_mutex_t mutex;
	pthread_cond_t call;
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/* The moment up to which the domain may run now. */
static size_t limit_of(const struct hd_ahead *a, const struct hd_domain *d)
{
	size_t limit = d->goal;

	for (uint32_t i = 0; i < d->nbefore; i++) {
		size_t done = __atomic_load_n(&a->domains[d->before[i]].done, __ATOMIC_ACQUIRE);

		limit = done < limit ? done : limit;
	}
	return limit;
}

static size_t step_of(const struct hd_ahead *a)
{
	size_t step = a->nmoments / STEPS;

	return step < LEAST_STEP ? LEAST_STEP : step;
}

/* Runs the domain as far as it may.  Returns true if it has come further. */
static bool advance(struct hd_ahead *a, uint32_t i)
{
	struct hd_domain *d = &a->domains[i];
	size_t limit;
	bool any = false;

	while (!hd__doubted(a->s) && (limit = limit_of(a, d)) > d->at) {
		if (d->leads && limit > d->at + step_of(a))
			limit = d->at + step_of(a);
		hd__ahead_fetch(a, i);
		hd__ahead_apart(a, i, limit);
		hd__ahead_deliver(a, i);
		__atomic_store_n(&d->done, d->at, __ATOMIC_RELEASE);
		any = true;
	}
	return any;
}

/* The same if no other thread runs its lane. */
static bool try(struct hd_ahead *a, uint32_t i)
{
	struct hd_domain *d = &a->domains[i];
	struct hd_lane *lane = &a->s->lanes[d->lane];
	bool any = false;

	if (__atomic_load_n(&d->over, __ATOMIC_RELAXED) || __atomic_load_n(&lane->claimed, __ATOMIC_RELAXED)
	    || __atomic_exchange_n(&lane->claimed, true, __ATOMIC_ACQUIRE))
		return false;
	if (!__atomic_load_n(&d->over, __ATOMIC_RELAXED)) {
		any = advance(a, i);
		if (d->at >= d->goal) {
			__atomic_store_n(&d->over, true, __ATOMIC_RELAXED);
			__atomic_fetch_sub(&a->crew->left, 1, __ATOMIC_RELEASE);
		}
	}
	__atomic_store_n(&lane->claimed, false, __ATOMIC_RELEASE);
	return any;
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

/* Takes domains until all have come to their goals: first those that others wait for, then, from a place of its own on,
 * the others, so that a thread mostly gets those that it had before. */
static void work(struct hd_ahead *a, uint32_t me)
{
	struct hd_crew *w = a->crew;
	const uint32_t n = w->end - w->first, from = n * me / w->n;
	uint32_t idle = 0;

	while (__atomic_load_n(&w->left, __ATOMIC_ACQUIRE) > 0 && !hd__doubted(a->s)) {
		bool any = false;

		for (uint32_t k = 0; k < n; k++) {
			uint32_t i = w->first + k;

			if (a->domains[i].leads && i != w->leave)
				any = try(a, i) || any;
		}
		for (uint32_t k = 0; k < n; k++) {
			uint32_t i = w->first + (from + k) % n;

			if (!a->domains[i].leads && i != w->leave)
				any = try(a, i) || any;
		}
		idle = any ? 0 : idle + 1;
		if (idle > 0)
			wait_a_while(idle);
	}
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Waits for another turn than `seen`, and returns it; 0: the threads are to end. */
static uint64_t wait_for_turn(struct hd_crew *w, uint64_t seen)
{
	uint64_t turn;

	for (uint32_t i = 0; i < SPINS; i++) {
		turn = __atomic_load_n(&w->turn, __ATOMIC_ACQUIRE);
		if (turn != seen || __atomic_load_n(&w->quit, __ATOMIC_ACQUIRE))
			return __atomic_load_n(&w->quit, __ATOMIC_ACQUIRE) ? 0 : turn;
		relax();
	}
	pthread_mutex_lock(&w->mutex);
	__atomic_fetch_add(&w->asleep, 1, __ATOMIC_SEQ_CST);
	while ((turn = __atomic_load_n(&w->turn, __ATOMIC_SEQ_CST)) == seen && !__atomic_load_n(&w->quit, __ATOMIC_SEQ_CST))
		pthread_cond_wait(&w->call, &w->mutex);
	__atomic_fetch_sub(&w->asleep, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&w->mutex);
	return __atomic_load_n(&w->quit, __ATOMIC_ACQUIRE) ? 0 : turn;
}

static void *live(void *arg)
{
	struct hd_member *m = arg;
	struct hd_crew *w = m->a->crew;
	uint64_t turn = 1;

	while ((turn = wait_for_turn(w, turn)) != 0) {
		__atomic_fetch_add(&w->inside, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&w->open, __ATOMIC_SEQ_CST))
			work(m->a, m->number);
		__atomic_fetch_sub(&w->inside, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void call(struct hd_crew *w)
{
	if (__atomic_load_n(&w->asleep, __ATOMIC_SEQ_CST) == 0)
		return;
	pthread_mutex_lock(&w->mutex);
	pthread_cond_broadcast(&w->call);
	pthread_mutex_unlock(&w->mutex);
}

/* Fewer threads if there can be no more of them.  Signals are for the others of the program. */
static void begin(struct hd_ahead *a)
{
	struct hd_crew *w = a->crew;
	sigset_t all, was;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	for (uint32_t i = 1; i < w->n; i++) {
		w->v[i] = (struct hd_member){ .a = a, .number = i };
		if (pthread_create(&w->v[i].thread, NULL, live, &w->v[i]) != 0)
			break;
		w->started++;
	}
	pthread_sigmask(SIG_SETMASK, &was, NULL);
}

uint32_t hd__crew_size(const struct hd_ahead *a)
{
	return a->crew ? a->crew->started + 1 : 1;
}

struct hd_crew *hd__crew_new(struct hd_ahead *a)
{
	struct hd_crew *w = hd__xcalloc(1, sizeof *w);

	w->n = a->s->opt.threads;
	w->v = hd__xcalloc(w->n, sizeof *w->v);
	w->turn = 1;
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->call, NULL);
	return w;
}

void hd__crew_free(struct hd_ahead *a)
{
	struct hd_crew *w = a->crew;

	if (!w)
		return;
	__atomic_store_n(&w->quit, true, __ATOMIC_SEQ_CST);
	call(w);
	for (uint32_t i = 1; i <= w->started; i++)
		pthread_join(w->v[i].thread, NULL);
	pthread_mutex_destroy(&w->mutex);
	pthread_cond_destroy(&w->call);
	free(w->v);
	free(w);
	a->crew = NULL;
}

static void find_leads(struct hd_ahead *a)
{
	for (uint32_t i = a->crew->first; i < a->crew->end; i++)
		for (uint32_t k = 0; k < a->domains[i].nbefore && !a->domains[i].over; k++)
			a->domains[a->domains[i].before[k]].leads = true;
}

void hd__crew_run(struct hd_ahead *a, uint32_t first, uint32_t end, uint32_t leave)
{
	struct hd_crew *w = a->crew;

	w->first = first;
	w->end = end;
	w->leave = leave;
	w->left = 0;
	for (uint32_t i = first; i < end; i++) {
		struct hd_domain *d = &a->domains[i];

		d->done = d->at;
		d->over = i == leave || d->at >= d->goal;
		d->leads = false;
		w->left += !d->over;
	}
	find_leads(a);
	if (w->left <= FEW) {
		for (uint32_t i = first; i < end; i++)
			if (!a->domains[i].over)
				advance(a, i);
		return;
	}
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
