/* resume.c - saves the state of a run every few cycles, and goes on with it in another simulation
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Toys are saved as a whole: of their states, the words that are no longer what they were at the
 * beginning.  What init has set, such as pointers, thus remains that of the simulation; and what points
 * into a state afterwards will point into that of the same instance.  The script and the log are common
 * to all simulations.
 */
#include "resume.h"
#include "harness_play.h"
#include "tests/modules/toy/actor.h"

#include "kernel/save/save.h"

#include <stdlib.h>

typedef uint64_t word;

/* An instance of the simulation that runs, or ran last. */
struct place {
	char *state;
	size_t bytes;
	char *begun; /* of a toy: a copy of the state as it was at the beginning */
};

static struct place *places; /* by number */
static size_t nplaces;

static void forget(void)
{
	for (size_t i = 0; i < nplaces; i++)
		free(places[i].begun);
	free(places);
	places = NULL;
	nplaces = 0;
}

static void remember(const struct hd_sim *s)
{
	forget();
	nplaces = s->ninstances;
	places = calloc(nplaces, sizeof *places);
	for (size_t i = 0; i < nplaces; i++) {
		const struct hd_instance *in = &s->instances[i];
		struct place *p = &places[i];

		p->state = in->state;
		p->bytes = in->module->state_size;
		p->begun = malloc(p->bytes + 1);
		memcpy(p->begun, p->state, p->bytes);
	}
}

/* The instance into whose state the word points; nplaces: into none. */
static size_t pointed(word v)
{
	size_t i = 0;

	while (i < nplaces && v - (uintptr_t)places[i].state >= places[i].bytes)
		i++;
	return i;
}

void toy_saved(void *state, struct hd_checkpoint *k)
{
	size_t self = k->instance->number, bytes = k->instance->module->state_size;

	for (size_t at = 0; at < bytes; at += sizeof(word)) {
		char *p = (char *)state + at;
		size_t n = bytes - at < sizeof(word) ? bytes - at : sizeof(word), to;
		word v = 0;

		if (!hd_saved_number(k, memcmp(places[self].begun + at, p, n) != 0, 1))
			continue;
		memcpy(&v, p, n);
		to = hd_saved_number(k, pointed(v), nplaces);
		if (to < nplaces)
			v -= (uintptr_t)places[to].state;
		HD_SAVED(k, v);
		if (to < nplaces)
			v += (uintptr_t)places[to].state;
		memcpy(p, &v, n);
	}
}

/* Loads the state of the run into a new simulation. */
static struct hd_sim *exchange(struct hd_sim *s, resume_make *make, void *arg)
{
	struct hd_bytes bytes = { .n = 0 };
	char *why;

	hd__sim_save(s, &bytes);
	hd__sim_free(s);
	s = make(arg);
	if (s) {
		remember(s);
		why = hd__sim_load(s, bytes.v, bytes.n);
		if (why) {
			fprintf(play.faults, "not loaded: %s\n", why);
			hd__sim_free(s);
			s = NULL;
		}
		free(why);
	}
	free(bytes.v);
	return s;
}

struct hd_sim *resume_run(struct hd_sim *s, uint64_t every, resume_make *make, void *arg)
{
	enum hd_run_status status = HD_RUN_HALTED;

	remember(s);
	for (uint64_t cycle = every; s && status == HD_RUN_HALTED; cycle += every) {
		hd__sim_halt(s, cycle);
		do
			status = hd__sim_run(s, 1000);
		while (status == HD_RUN_MORE);
		if (status == HD_RUN_HALTED)
			s = exchange(s, make, arg);
	}
	forget();
	return s;
}
