/* ways.h - runs a netlist in every way that must not show in its results, and compares them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_FUZZ_WAYS_H
#define TESTS_FUZZ_WAYS_H

#include "base/bytes.h"
#include "kernel/check/module_check.h"
#include "kernel/save/save.h"
#include "kernel/check/contract.h"
#include "kernel/stats/stats.h"
#include "make.h"

/* ---- choices that the bytes of an input make ---- */

struct fuzz_input {
	const uint8_t *data;
	size_t left;
};

/* Below n; 0 when the input is over. */
static inline unsigned fuzz_take(struct fuzz_input *in, unsigned n)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->data++ % n;
}

/* For what the bytes do not choose one by one. */
static inline uint64_t fuzz_seed(const uint8_t *data, size_t size)
{
	uint64_t h = size;

	for (size_t i = 0; i < size; i++)
		h = (h ^ data[i]) * UINT64_C(0x100000001b3) + 1;
	return h ^ h >> 32;
}

/* ---- one run ---- */

struct fuzz_run {
	const struct hd_registry *registry;
	const char *netlist; /* a file */
	struct hd_options o;
	uint64_t halt;       /* cycles after which it halts, and its counters are read; 0: nowhere */
	bool ends;           /* a deadlock is a mistake */
	bool unseen;         /* what is observed runs in lock step, so events are not counted */
	uint64_t events;     /* a sum over all events, whatever their order within an edge */
	bool refused;
};

static inline void fuzz_event(void *arg, const struct hd_instance *in, unsigned event, const int64_t *v)
{
	const struct hd_event *e = &in->module->events[event];
	struct fuzz_run *r = arg;
	uint64_t h = in->number * UINT64_C(0x9e3779b97f4a7c15) + (in->clock ? in->clock->now : 0);

	h = (h ^ event) * UINT64_C(0xbf58476d1ce4e5b9);
	for (unsigned i = 0; i < HD_EVENT_FIELDS && e->fields[i].name; i++)
		h = ((h ^ h >> 29) + (uint64_t)v[i]) * UINT64_C(0x94d049bb133111eb);
	r->events += h ^ h >> 32;
}

/* NULL if the netlist is refused, for which there must be a message. */
static inline struct hd_sim *fuzz_open(struct fuzz_run *r, struct hd_diags *d)
{
	struct hd_netlist *n = hd__netlist_read_set(r->netlist, NULL, 0, d);
	struct hd_sim *s;

	r->o.event = r->unseen ? NULL : fuzz_event;
	r->o.event_arg = r;
	s = n ? hd__sim_new(n, r->registry, &r->o, false, d) : NULL;
	fuzz_must(s || d->errors > 0, "refused without a message", r->netlist);
	if (s) { /* a crash is the fuzzer's to report */
		hd__crash_free(s->crash);
		s->crash = NULL;
	}
	return s;
}

/* Runs until it halts, or to its end. */
static inline enum hd_run_status fuzz_run_to(struct hd_sim *s, uint64_t halt, uint64_t slice)
{
	enum hd_run_status status = HD_RUN_MORE;

	hd__sim_halt(s, halt);
	while (status == HD_RUN_MORE)
		status = hd__sim_run(s, slice);
	return status;
}

/* All that a user sees of it.  The caller frees the text. */
static inline char *fuzz_results(struct hd_sim *s, const struct fuzz_run *r, enum hd_run_status status,
                                 struct hd_diags *d)
{
	char *text, *stats;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *j;

	hd__sim_settle(s);
	j = hd__stats_json(s, "");
	stats = json_dumps(j, JSON_INDENT(1));
	json_decref(j);
	fprintf(out, "status %d, events %016llx\n", status, (unsigned long long)r->events);
	hd__diags_print(d, out);
	fprintf(out, "%s%s%s\n", s->deadlock ? s->deadlock : "", s->withheld ? s->withheld : "", stats);
	fclose(out);
	free(stats);
	return text;
}

static inline char *fuzz_messages(struct hd_diags *d)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("refused\n", out);
	hd__diags_print(d, out);
	fclose(out);
	return text;
}

/* Its results, or why the netlist is refused; the caller frees the text. */
static inline char *fuzz_outcome(struct fuzz_run *r)
{
	struct hd_diags d = { 0 };
	struct hd_sim *s = fuzz_open(r, &d);
	enum hd_run_status status = HD_RUN_HALTED;
	char *text;

	r->refused = !s || (r->o.checker && !hd__order_check_make(s, r->netlist, &d));
	if (r->refused) {
		text = fuzz_messages(&d);
	} else {
		if (r->halt)
			status = fuzz_run_to(s, r->halt, 7);
		if (status == HD_RUN_HALTED) {
			hd__sim_settle(s);
			status = fuzz_run_to(s, UINT64_MAX, 512);
		}
		if (status == HD_RUN_AGAIN) {
			struct fuzz_run again = *r;

			fuzz_must(s->rollback && s->again < r->o.ahead, "begun again once more", r->netlist);
			again.o.ahead = s->again;
			text = fuzz_outcome(&again);
		} else {
			text = fuzz_results(s, r, status, &d);
			fuzz_must(!r->ends || status != HD_RUN_DEADLOCK, "a deadlock", text);
		}
	}
	hd__sim_free(s);
	hd__diags_free(&d);
	return text;
}

/* The results of a run whose state is saved at r->halt, and of another one that goes on with it, in the order
 * of `shuffle`.  NULL: it cannot be saved, or is over before, or has printed a warning by then. */
static inline char *fuzz_saved(struct fuzz_run *r, uint64_t shuffle)
{
	struct hd_diags d = { 0 };
	struct hd_sim *s = fuzz_open(r, &d);
	struct hd_bytes state = { .n = 0 };
	char *text = NULL, *why = s ? hd__not_saved(s) : NULL;

	if (s && !why && fuzz_run_to(s, r->halt, 7) == HD_RUN_HALTED && d.n == 0) {
		hd__sim_save(s, &state);
		hd__sim_free(s);
		hd__diags_free(&d); /* what it warned of at its end */
		d = (struct hd_diags){ 0 };
		r->o.shuffle = shuffle;
		s = fuzz_open(r, &d);
		why = s ? hd__sim_load(s, state.v, state.n) : hd__xstrdup("refused");
		fuzz_must(!why, "a state cannot be loaded", why ? why : "");
		text = fuzz_results(s, r, fuzz_run_to(s, UINT64_MAX, 512), &d);
	}
	free(why);
	free(state.v);
	hd__sim_free(s);
	hd__diags_free(&d);
	return text;
}

/* ---- all ways ---- */

/* Aborts unless both are the same, and prints where they first differ; frees the second. */
static inline void fuzz_same(const char *first, char *other, const char *how, const char *text)
{
	size_t at = 0;

	while (first[at] && first[at] == other[at])
		at++;
	if (first[at] || other[at]) {
		at -= at < 200 ? at : 200;
		fprintf(stderr, "%s\n%s differs:\n---\n%.400s\n---\n%.400s\n", text, how, first + at, other + at);
		abort();
	}
	free(other);
}

/* Partitions that run many periods in turn give what the lock step does, also if it is halted. */
static inline void fuzz_ahead(const struct fuzz_run *like, uint64_t seed, const char *text)
{
	struct fuzz_run r = *like;
	char *first;

	r.unseen = true;
	first = fuzz_outcome(&r);
	r.o.ahead = UINT64_MAX;
	fuzz_same(first, fuzz_outcome(&r), "ahead", text);
	r.o.threads = 2 + seed % 2;
	fuzz_same(first, fuzz_outcome(&r), "in threads", text);
	r.o.threads = seed / 2 % 2 ? 2 : 1;
	r.o.shuffle = seed | 1;
	fuzz_same(first, fuzz_outcome(&r), "ahead in another order", text);
	r.halt = 1 + seed / 3 % like->o.max_cycles;
	fuzz_same(first, fuzz_outcome(&r), "ahead in another order, halted", text);
	free(first);
}

/* Runs a netlist in every way; all must give the same results, or refuse it.  `text` is for the message; the
 * file has it, or what it stands for.  With FUZZ_VERBOSE in the environment both are printed. */
static inline void fuzz_every_way(const struct fuzz_run *like, uint64_t seed, const char *text)
{
	struct fuzz_run r = *like;
	bool verbose = getenv("FUZZ_VERBOSE") != NULL, refused;
	char *first, *other;

	if (verbose) {
		printf("%s\n", text);
		fflush(stdout);
	}
	first = fuzz_outcome(&r);
	refused = r.refused;
	if (verbose)
		printf("%.1000s\n", first);
	r = *like;
	r.o.no_sleep = true;
	fuzz_same(first, fuzz_outcome(&r), "awake", text);
	r = *like;
	r.o.shuffle = seed | 1;
	fuzz_same(first, fuzz_outcome(&r), "another order", text);
	if (!refused) {
		r = *like;
		r.o.no_sleep = true;
		r.o.shuffle = seed + 1 + !(seed + 1);
		r.halt = 1 + seed % like->o.max_cycles;
		fuzz_same(first, fuzz_outcome(&r), "awake in another order, halted", text);
		fuzz_ahead(like, seed, text);
		r = *like;
		r.o.checker = &hd__contract;
		fuzz_same(first, fuzz_outcome(&r), "with --check-modules", text);
		r = *like;
		r.o.saves = true;
		r.halt = 1 + seed / 7 % like->o.max_cycles;
		other = fuzz_saved(&r, seed % 3);
		if (other)
			fuzz_same(first, other, "saved and loaded", text);
	}
	free(first);
}

#endif
