/* harness.c - runs the rules of all modules, each in several orders of evaluation
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A rule holds only if its log is the same whether the module sleeps or not, whether it is
 * recorded or not (except for its events), and whatever is left free in the order of evaluation.
 */
#include "harness.h"
#include "harness_play.h"
#include "resume.h"
#include "toy/actor.h"

#include "kernel/stats/deadlock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define AFTER 5u /* edges from the last line of a script to the end, unless it has "EDGE end" */

struct play play;
struct suite *suites;
struct toy *toys;

/* ---- scripts --------------------------------------------------------------------------------- */

static int compare_lines(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;

	if (a->edge != b->edge)
		return a->edge < b->edge ? -1 : 1;
	return a->word[0] < b->word[0] ? -1 : 1; /* as they stand in the text */
}

/* Cuts `text` into words, in place. */
static void read_script(char *text)
{
	char *save;
	bool given = false;

	for (char *p = strtok_r(text, ";\n", &save); p; p = strtok_r(NULL, ";\n", &save)) {
		struct line *l = &play.lines[play.n];
		char *end, *in;

		*l = (struct line){ .edge = strtoull(p, &end, 10) };
		for (char *w = strtok_r(end, " \t", &in); w && l->n < MOST_WORDS;
		     w = strtok_r(NULL, " \t", &in))
			l->word[l->n++] = w;
		if (l->n == 0)
			continue;
		if (strcmp(l->word[0], "end") == 0) {
			given = true;
			play.last = l->edge;
			continue;
		}
		if (!given && l->edge + AFTER > play.last)
			play.last = l->edge + AFTER;
		play.n++;
	}
	qsort(play.lines, play.n, sizeof *play.lines, compare_lines);
}

static void open_play(const char *script, char **text, char **log, size_t *logged, char **faults,
                      size_t *nfaults)
{
	*text = strdup(script);
	play = (struct play){ .lines = calloc(strlen(script) + 1, sizeof *play.lines) };
	play.log = open_memstream(log, logged);
	play.faults = open_memstream(faults, nfaults);
	read_script(*text);
}

static void close_play(void)
{
	for (uint32_t i = 0; i < play.n; i++)
		if (!play.lines[i].done)
			fprintf(play.faults, "no toy did '%" PRIu64 " %s %s'\n", play.lines[i].edge,
			        play.lines[i].word[0],
			        play.lines[i].n > 1 ? play.lines[i].word[1] : "");
	fclose(play.log);
	fclose(play.faults);
	free(play.lines);
}

/* ---- one run --------------------------------------------------------------------------------- */

struct way {
	uint64_t shuffle;
	bool no_sleep, silent; /* silent: no events are recorded */
	uint64_t saved;        /* cycles from one checkpoint to the next; 0: there are none */
};

/* The netlist as JSON.  The caller frees it. */
static char *netlist_text(const struct suite *s, const struct rule *r)
{
	const char *body = r->netlist ? r->netlist : s->netlist;
	const char *params = r->params ? r->params : "";
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	fputs("{\"heddle\": 1, ", out);
	if (!strstr(body, "'clocks'"))
		fputs("\"clocks\": {\"core\": {\"mhz\": 1000}}, ", out);
	for (; *body; body++) {
		if (*body == '@')
			fputs(params, out);
		else
			fputc(*body, out);
	}
	fputc('}', out);
	fclose(out);
	for (char *p = text; *p; p++)
		if (*p == '\'')
			*p = '"';
	return text;
}

/* The statistics of the modules, as far as they are not 0. */
static void write_stats(const struct hd_sim *s)
{
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		bool any = false;

		for (const struct hd_stat *t = in->module->stats; t && t->name; t++) {
			uint64_t n = hd_stat_value(t, in->state);

			if (n && !any)
				fprintf(play.log, "end %s", in->path);
			if (n)
				fprintf(play.log, " %s=%" PRIu64, t->name, n);
			any = any || n;
		}
		if (any)
			fputc('\n', play.log);
	}
}

/* Pending work of the instances, one line each, without payloads in channels. */
static void write_held(struct hd_sim *s)
{
	char *save;

	hd__explain_deadlock(s);
	for (char *p = s->deadlock ? strtok_r(s->deadlock, "\n", &save) : NULL; p;
	     p = strtok_r(NULL, "\n", &save))
		if (!strstr(p, " wait at port ") && !strstr(p, ": has not finished")) /* the kernel's own */
			fprintf(play.log, "held %s\n", p + strspn(p, " "));
	for (size_t i = 0; i < s->npools; i++)
		if (hd_pool_used(s->pools[i].pool))
			fprintf(play.log, "end %u records\n", hd_pool_used(s->pools[i].pool));
}

/* The messages, without the place in the file. */
static void write_diags(struct hd_diags *d, const char *what)
{
	char *text, *save;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	hd__diags_print(d, out);
	fclose(out);
	for (char *p = strtok_r(text, "\n", &save); p; p = strtok_r(NULL, "\n", &save)) {
		char *error = strstr(p, "error: ");

		fprintf(play.log, "%s %s\n", what, error ? error + strlen("error: ") : p);
	}
	free(text);
}

/* How the simulations of one run are made; the registry and the messages are common to them. */
struct making {
	const char *text; /* the netlist */
	const struct way *way;
	struct hd_options opt;
	struct hd_registry registry;
	struct hd_diags diags;
};

static struct hd_sim *make(void *arg)
{
	struct making *m = arg;
	struct hd_netlist *n = hd__netlist_parse("netlist", m->text, strlen(m->text), &m->diags);
	struct hd_sim *sim = n ? hd__sim_new(n, &m->registry, &m->opt, false, &m->diags) : NULL;

	if (sim && !m->way->silent)
		watch_run(sim);
	return sim;
}

static void run(const struct suite *s, const struct rule *r, const struct way *way)
{
	char *text = netlist_text(s, r);
	struct making m = { .text = text, .way = way };
	struct hd_sim *sim;

	m.opt = (struct hd_options){ .shuffle = way->shuffle, .no_sleep = way->no_sleep,
		                     .max_cycles = play.last + 1, .saves = way->saved > 0,
		                     .skip = r->skip };
	if (!way->silent)
		watch_options(&m.opt);
	hd__registry_init(&m.registry, &m.diags);
	for (const struct toy *t = toys; t; t = t->next)
		hd__registry_add(&m.registry, &t->module, "toy", NULL, &m.diags);
	sim = make(&m);
	if (sim && way->saved)
		sim = resume_run(sim, way->saved, make, &m);
	else
		while (sim && hd__sim_run(sim, r->foresees ? 1 : 1000) == HD_RUN_MORE)
			if (r->foresees)
				watch_foreseen(sim);
	if (sim) {
		hd__sim_settle(sim);
		if (!way->silent)
			watch_end(sim);
		write_stats(sim);
		write_held(sim);
		hd__call_end(sim);
		hd__sim_free(sim);
	} else {
		play.n = 0;
	}
	write_diags(&m.diags, sim ? "error" : "refused");
	hd__diags_free(&m.diags);
	hd__registry_free(&m.registry);
	free(text);
}

/* ---- logs ------------------------------------------------------------------------------------ */

struct entry {
	uint64_t edge;
	const char *name; /* instance */
	char *text;       /* the whole line */
	size_t at;        /* in the log */
	size_t length;    /* of the name */
};

static int compare_entries(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;
	int c;

	if (a->edge != b->edge)
		return a->edge < b->edge ? -1 : 1;
	c = strncmp(a->name, b->name, a->length < b->length ? a->length : b->length);
	if (c == 0 && a->length != b->length)
		c = a->length < b->length ? -1 : 1;
	return c ? c : a->at < b->at ? -1 : 1;
}

/* What a watcher wrote and a log has. */
struct watched {
	bool events, marks, foreseen;
};

/* Is the text after the instance's name that of a watcher, and left out? */
static bool is_left_out(const char *what, struct watched has)
{
	return (!has.events && strncmp(what, " event ", 7) == 0)
	       || (!has.marks && strncmp(what, " mark ", 6) == 0)
	       || (!has.foreseen && strncmp(what, " foresees ", 10) == 0);
}

/* The lines of a log, trimmed, by edge and instance; without what is not wanted.  The
 * caller frees it. */
static char *in_order(const char *log, struct watched has)
{
	char *copy = strdup(log), *save, *all;
	struct entry *v = calloc(strlen(log) + 1, sizeof *v);
	size_t n = 0, size;
	FILE *out = open_memstream(&all, &size);

	for (char *p = strtok_r(copy, ";\n", &save); p; p = strtok_r(NULL, ";\n", &save)) {
		struct entry *e = &v[n];
		char *rest;

		p += strspn(p, " \t");
		*e = (struct entry){ .edge = strtoull(p, &rest, 10), .text = p, .at = n };
		if (rest == p)
			e->edge = UINT64_MAX; /* "end", "error", "refused" */
		e->name = rest + strspn(rest, " ");
		e->length = rest == p ? 0 : strcspn(e->name, " ");
		n += *p && !is_left_out(e->name + e->length, has);
	}
	qsort(v, n, sizeof *v, compare_entries);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s\n", v[i].text);
	fclose(out);
	free(copy);
	free(v);
	return all;
}

/* The first line that differs, and how the log would have been written. */
static void explain(const struct suite *s, const struct rule *r, const struct way *way,
                    const char *got, const char *expected)
{
	const char *g = got, *e = expected;

	while (*g && *g == *e) {
		size_t length = strcspn(g, "\n");

		if (strncmp(g, e, length + 1) != 0)
			break;
		g += length + 1;
		e += length + 1;
	}
	fprintf(stderr, "%s: %s\n  (%s%sshuffle %" PRIu64 "%s%s%s)\n  expected: %.*s\n  got:      %.*s\n"
	        "whole log:\n%.3000s\n", s->name, r->name, r->shows ? r->shows : "",
	        r->shows ? ", " : "", way->shuffle,
	        way->no_sleep ? ", without sleep" : "", way->silent ? ", without events" : "",
	        way->saved ? ", saved and loaded" : "",
	        *e ? (int)strcspn(e, "\n") : 7, *e ? e : "the end", *g ? (int)strcspn(g, "\n") : 7,
	        *g ? g : "the end", got);
}

/* False: the rule does not hold in this way. */
static bool holds(const struct suite *s, const struct rule *r, const struct way *way, bool show)
{
	bool events = !way->silent && !s->plain && !r->plain;
	struct watched has = {
		.events = events,
		.marks = events && !way->saved, /* belong to transactions, which a checkpoint does not have */
		.foreseen = way->no_sleep,      /* each edge is one */
	};
	char *script, *log, *faults, *got, *expected = in_order(r->log, has);
	size_t logged, nfaults;
	bool ok;

	open_play(r->script, &script, &log, &logged, &faults, &nfaults);
	run(s, r, way);
	close_play();
	got = in_order(log, has);
	ok = strcmp(got, expected) == 0 && !*faults;
	if (show)
		printf("-- %s: %s\n%s\n%s", s->name, r->name, got, faults);
	else if (!ok)
		explain(s, r, way, got, expected);
	if (*faults && !show)
		fprintf(stderr, "mistakes in its script:\n%s\n", faults);
	free(script);
	free(log);
	free(faults);
	free(got);
	free(expected);
	return ok;
}

static const struct way ways[] = {
	{ .shuffle = 0 },
	{ .no_sleep = true },
	{ .silent = true },
	{ .silent = true, .no_sleep = true },
	{ .shuffle = 1 },
	{ .shuffle = 2, .silent = true },
	{ .shuffle = 3, .no_sleep = true },
	{ .silent = true, .saved = 1 },
	{ .saved = 1 },
};

int main(int argc, char **argv)
{
	bool show = argc > 1 && strcmp(argv[1], "-v") == 0;
	const char *suite = argc > 1 + show ? argv[1 + show] : NULL;
	const char *name = argc > 2 + show ? argv[2 + show] : "";
	unsigned failures = 0, count = 0;

	for (const struct suite *s = suites; s; s = s->next) {
		for (size_t i = 0; i < s->n; i++) {
			const struct rule *r = &s->rules[i];
			bool ok = true;

			if ((suite && strcmp(suite, s->name) != 0) || !strstr(r->name, name))
				continue;
			count++;
			alarm(300); /* a time limit, in case the rule hangs */
			if (show)
				holds(s, r, &ways[0], true);
			for (size_t k = 0; ok && !show && k < sizeof ways / sizeof *ways; k++)
				ok = holds(s, r, &ways[k], false);
			failures += !ok;
		}
	}
	if (count == 0)
		fprintf(stderr, "no such rule\n");
	if (failures)
		fprintf(stderr, "%u of %u rules do not hold\n", failures, count);
	return failures > 0 || count == 0;
}
