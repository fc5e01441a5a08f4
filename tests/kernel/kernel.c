/* kernel.c - the event kernel alone, with toy modules
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This file runs netlists and compares; the tests are in the other files of this folder.
 */
#include "kernel.h"
#include "kernel/save/save.h"
#include "kernel/stats/stats.h"
#include "tests/kernel/toy/toy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

const struct hd_module *const hd__builtin_wide[] = { NULL };
const struct hd_module *const hd__builtin_modules[] = {
	&hd_module_board, &hd_module_clerk, &hd_module_fault, &hd_module_gatekeeper, &hd_module_holder,
	&hd_module_misfit, &hd_module_names, &hd_module_pooler, &hd_module_reg_stage, &hd_module_router,
	&hd_module_set_sink, &hd_module_set_source, &hd_module_sink, &hd_module_sleeper,
	&hd_module_source, &hd_module_stage, &hd_module_user, &hd_module_worker, NULL,
};

static unsigned failures;

/* Prints and counts a failure, unless the same place has failed before: seeds repeat the same. */
static bool fails(const char *file, int line)
{
	static const char *last_file;
	static int last_line;
	bool again = last_file == file && last_line == line;

	last_file = file;
	last_line = line;
	failures++;
	return !again;
}

void check(bool ok, const char *what, const char *file, int line)
{
	if (ok)
		return;
	if (fails(file, line))
		fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
}

bool check_text(const char *got, const char *expected, const char *file, int line)
{
	if (got && strcmp(got, expected) == 0)
		return true;
	if (fails(file, line)) {
		size_t same = 0;

		/* of statistics only where they differ */
		while (got && strlen(expected) > 600 && got[same] == expected[same])
			same++;
		fprintf(stderr, "%s:%d: expected:\n%.1000s\ngot:\n%.1000s\n", file, line,
		        expected + same, got ? got + same : "(none)\n");
	}
	return false;
}

void check_number(uint64_t got, uint64_t expected, const char *what, const char *file, int line)
{
	if (got == expected)
		return;
	if (fails(file, line))
		fprintf(stderr, "%s:%d: %s: expected %" PRIu64 ", got %" PRIu64 "\n", file, line, what,
		        expected, got);
}

/* ---- running --------------------------------------------------------------------------------- */

struct handle {
	struct hd_registry registry;
	struct hd_diags diags;
	FILE *log;
	size_t size;
	char *body;
	struct hd_options o;
};

static struct handle *handle_of(const struct hd_sim *s)
{
	return s->opt.event_arg;
}

static void write_event(void *arg, const struct hd_instance *in, unsigned event, const int64_t *v)
{
	const struct hd_event *e = &in->module->events[event];
	struct handle *h = arg;

	fprintf(h->log, "%" PRIu64 " %s %s", in->clock->now, in->path, e->name);
	for (unsigned i = 0; i < HD_EVENT_FIELDS && e->fields[i].name; i++)
		fprintf(h->log, " %" PRId64, v[i]);
	fputc('\n', h->log);
}

/* The caller frees it. */
static char *netlist_text(const char *body)
{
	static const char clocks[] = "\"clocks\": {\"core\": {\"mhz\": 1000}}, ";
	char *text = hd__format("{\"heddle\": 1, %s%s}", strstr(body, "'clocks'") ? "" : clocks, body);

	for (char *p = text; *p; p++)
		if (*p == '\'')
			*p = '"';
	return text;
}

static char *messages_of(struct hd_diags *d)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	hd__diags_print(d, out);
	fclose(out);
	return text;
}

static void free_handle(struct handle *h, struct run *r)
{
	fclose(h->log);
	r->messages = messages_of(&h->diags);
	hd__diags_free(&h->diags);
	hd__registry_free(&h->registry);
	free(h->body);
	free(h);
}

static struct hd_sim *build(const char *body, const struct hd_options *o, struct run *r)
{
	struct handle *h = calloc(1, sizeof *h);
	struct hd_options opt = o ? *o : (struct hd_options){ .input = NULL };
	char *text = netlist_text(body);
	struct hd_netlist *n;
	struct hd_sim *s = NULL;

	*r = (struct run){ .status = HD_RUN_MORE };
	h->log = open_memstream(&r->log, &h->size);
	h->body = strdup(body);
	h->o = opt;
	hd__registry_init(&h->registry, &h->diags);
	opt.event = opt.ahead ? NULL : write_event; /* what is observed runs in lock step */
	opt.event_arg = h;
	opt.per_item = true;
	n = hd__netlist_parse("n.json", text, strlen(text), &h->diags);
	if (n)
		s = hd__sim_new(n, &h->registry, &opt, false, &h->diags);
	free(text);
	r->built = s != NULL;
	if (!s)
		free_handle(h, r);
	return s;
}

struct hd_sim *open_sim(const char *body, const struct hd_options *o, struct run *r)
{
	struct hd_sim *s = build(body, o, r);

	if (!s && fails(__FILE__, __LINE__))
		fprintf(stderr, "not built: %s\n%s", body, r->messages);
	return s;
}

static uint64_t halt_every; /* cycles; 0: never */

/* Runs in steps and reads the counters after each, which must not affect the run. */
static enum hd_run_status halts(struct hd_sim *s)
{
	uint64_t at = hd__sim_cycles(s) + halt_every;
	enum hd_run_status status;

	hd__sim_halt(s, at);
	do
		status = hd__sim_run(s, 7);
	while (status == HD_RUN_MORE);
	if (status != HD_RUN_HALTED)
		return status;
	NUMBER(hd__sim_cycles(s), at);
	CHECK(s->roots[0].next_phase == 0);
	CHECK(hd__sim_run(s, 7) == HD_RUN_HALTED);
	hd__sim_settle(s);
	return HD_RUN_MORE;
}

struct hd_sim *begin_again(struct hd_sim *s, struct run *r)
{
	struct hd_options o = handle_of(s)->o;
	char *body = strdup(handle_of(s)->body);

	CHECK(s->rollback && s->again < o.ahead);
	o.ahead = s->again;
	abandon(s, r);
	done(r);
	s = build(body, &o, r);
	free(body);
	return s;
}

void close_sim(struct hd_sim *s, struct run *r)
{
	struct handle *h;
	json_t *j;

	/* small slices, so that their ends are tested as well */
	while (r->status == HD_RUN_MORE) {
		r->status = halt_every ? halts(s) : hd__sim_run(s, 7);
		if (r->status == HD_RUN_AGAIN)
			s = begin_again(s, r);
	}
	h = handle_of(s);
	hd__sim_settle(s);
	hd__sim_settle(s); /* a second time changes nothing */
	r->cycles = hd__sim_cycles(s);
	r->evals = s->evals;
	r->deadlock = s->deadlock ? strdup(s->deadlock) : NULL;
	j = hd__stats_json(s, "");
	r->stats = json_dumps(j, JSON_INDENT(1));
	json_decref(j);
	hd__sim_free(s);
	free_handle(h, r);
}

struct run run(const char *body, const struct hd_options *o)
{
	struct run r;
	struct hd_sim *s = open_sim(body, o, &r);

	if (s)
		close_sim(s, &r);
	return r;
}

void done(struct run *r)
{
	free(r->log);
	free(r->stats);
	free(r->messages);
	free(r->deadlock);
}

uint64_t stat_of(const struct run *r, const char *instance, const char *name)
{
	json_t *j = r->stats ? json_loads(r->stats, 0, NULL) : NULL;
	json_t *v = json_object_get(json_object_get(json_object_get(j, "instances"), instance), name);
	uint64_t n = (uint64_t)json_integer_value(v);

	if (!v) {
		fprintf(stderr, "no statistic '%s' of '%s'\n", name, instance);
		failures++;
	}
	json_decref(j);
	return n;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static int compare_lines(const void *va, const void *vb)
{
	const char *a = *(const char *const *)va, *b = *(const char *const *)vb;
	int c = atoi(a) - atoi(b);

	return c ? c : strcmp(a, b);
}

/* The same lines in order of edge and name.  The caller frees it. */
static char *sorted(const char *log)
{
	char *text = strdup(log), *all, *save, *line[1000];
	size_t n = 0, size;
	FILE *out = open_memstream(&all, &size);

	for (char *p = strtok_r(text, "\n", &save); p && n < 1000; p = strtok_r(NULL, "\n", &save))
		line[n++] = p;
	qsort(line, n, sizeof *line, compare_lines);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s\n", line[i]);
	fclose(out);
	free(text);
	return all;
}

void check_log(const char *body, uint64_t max_cycles, const char *log, bool any_order,
               const char *file, int line)
{
	struct hd_options o = { .max_cycles = max_cycles };
	bool same = true;

	for (uint64_t seed = 0; seed <= 20 && same; seed++) {
		struct run r;
		char *text;

		o.shuffle = seed;
		r = run(body, &o);
		text = any_order ? sorted(r.log) : strdup(r.log);
		same = check_text(text, log, file, line) && check_text(r.messages, "", file, line);
		free(text);
		done(&r);
	}
}

void check_refused(const char *body, const char *text, const char *file, int line)
{
	struct run r;
	struct hd_sim *s = build(body, NULL, &r);
	const char *got;

	check(s == NULL, "the netlist is refused", file, line);
	if (s)
		close_sim(s, &r);
	/* its place in the file is tested in tests/invalid/ */
	got = strstr(r.messages, ": error: ");
	check_text(got ? got + strlen(": error: ") : r.messages, text, file, line);
	done(&r);
}

void abandon(struct hd_sim *s, struct run *r)
{
	struct handle *h = handle_of(s);

	hd__sim_free(s);
	free_handle(h, r);
}

struct hd_bytes saved_at(const char *body, const struct hd_options *o, uint64_t cycle, struct run *r)
{
	struct hd_bytes bytes = { .n = 0 };
	struct hd_sim *s = open_sim(body, o, r);

	hd__sim_halt(s, cycle);
	while (r->status == HD_RUN_MORE)
		r->status = hd__sim_run(s, 7);
	if (r->status == HD_RUN_HALTED)
		hd__sim_save(s, &bytes);
	r->evals = s->evals;
	abandon(s, r);
	return bytes;
}

/* What is saved does not depend on the order of evaluation. */
static void check_same_bytes(const char *body, const struct hd_options *options, uint64_t at, const char *file,
                             int line)
{
	struct hd_options o = *options;
	struct hd_bytes bytes[2];
	struct run r;

	for (unsigned i = 0; i < 2; i++) {
		o.shuffle = i ? at + 1 : 0;
		bytes[i] = saved_at(body, &o, at, &r);
		done(&r);
	}
	check(bytes[0].n == bytes[1].n && (bytes[0].n == 0 || memcmp(bytes[0].v, bytes[1].v, bytes[0].n) == 0),
	      "the same bytes in another order of evaluation", file, line);
	free(bytes[0].v);
	free(bytes[1].v);
}

/* Saved at some cycles, and loaded into another simulation, which may be evaluated in another order, or
 * always, a run ends as the first one. */
static void check_saved(const char *body, const struct hd_options *options, const struct run *first,
                        const char *file, int line)
{
	struct hd_options o = *options, then = *options;

	for (uint64_t at = 1; at < first->cycles; at = at * 2 + 1) {
		bool same = at % 4 == 3;
		struct run before, after;
		struct hd_bytes bytes;
		struct hd_sim *s;
		char *why;

		o.shuffle = same ? 0 : at;
		then.shuffle = same ? 0 : at + 1;
		o.no_sleep = at % 8 == 1;
		then.no_sleep = at % 16 == 5;
		bytes = saved_at(body, &o, at, &before);
		check_same_bytes(body, options, at, file, line);
		s = open_sim(body, &then, &after);
		why = before.status == HD_RUN_HALTED ? hd__sim_load(s, bytes.v, bytes.n) : NULL;
		check(before.status == HD_RUN_HALTED && !why, why ? why : "halted", file, line);
		NUMBER(hd__sim_cycles(s), at);
		close_sim(s, &after);
		check_text(after.stats, first->stats, file, line);
		check_number(after.cycles, first->cycles, "cycles", file, line);
		check(after.status == first->status, "status as without a checkpoint", file, line);
		check_text(after.deadlock ? after.deadlock : "", first->deadlock ? first->deadlock : "",
		           file, line);
		if (same && !o.no_sleep && !then.no_sleep) {
			char *log = hd__join(before.log, after.log, "");

			check_text(log, first->log, file, line);
			check_number(before.evals + after.evals, first->evals, "evaluations", file, line);
			free(log);
		}
		free(why);
		free(bytes.v);
		done(&before);
		done(&after);
	}
}

/* The same statistics, end and report of a deadlock. */
static void check_same(const char *body, const struct hd_options *o, const struct run *first,
                       const char *file, int line)
{
	struct run r = run(body, o);

	check_text(r.stats, first->stats, file, line);
	check_number(r.cycles, first->cycles, "cycles", file, line);
	check(r.status == first->status, "status as the first run's", file, line);
	check_text(r.deadlock ? r.deadlock : "", first->deadlock ? first->deadlock : "", file, line);
	done(&r);
}

void check_alike(const char *body, uint64_t max_cycles, const char *file, int line)
{
	struct hd_options o = { .max_cycles = max_cycles };
	struct run first = run(body, &o);

	for (uint64_t seed = 0; seed <= 20; seed++) {
		for (int awake = 0; awake < 2; awake++) {
			struct run r;

			o.shuffle = seed;
			o.no_sleep = awake;
			r = run(body, &o);
			check_text(r.stats, first.stats, file, line);
			check_number(r.cycles, first.cycles, "cycles", file, line);
			check(r.status == first.status, "status as the first run's", file, line);
			check(!awake || r.evals >= first.evals, "ticking evaluates more", file, line);
			done(&r);
		}
	}
	o.no_sleep = false;
	o.ahead = UINT64_MAX;
	for (o.threads = 1; o.threads <= 3; o.threads++)
		for (o.shuffle = 0; o.shuffle <= 5; o.shuffle++)
			check_same(body, &o, &first, file, line);
	o.shuffle = 0;
	o.threads = 7;
	check_same(body, &o, &first, file, line);
	o.threads = 2;
	for (halt_every = 5; halt_every < 3000; halt_every *= 20)
		check_same(body, &o, &first, file, line);
	o.threads = 0;
	for (halt_every = 5; halt_every < 3000; halt_every *= 20)
		check_same(body, &o, &first, file, line);
	o.ahead = 0;
	for (halt_every = 1; halt_every < 3000; halt_every = halt_every * 5 + 2) {
		struct run r = run(body, &o);

		check_text(r.stats, first.stats, file, line);
		check_text(r.log, first.log, file, line);
		check_number(r.cycles, first.cycles, "cycles", file, line);
		check_number(r.evals, first.evals, "evaluations", file, line);
		check(r.status == first.status, "status as without halts", file, line);
		done(&r);
	}
	halt_every = 0;
	check_saved(body, &o, &first, file, line);
	done(&first);
}

int main(void)
{
	alarm(300); /* a time limit, in case the test hangs */
	test_links();
	test_order();
	test_time();
	test_end();
	test_several();
	test_checkpoint();
	test_ahead();
	test_crash();
	test_dumped();
	test_written();
	if (failures)
		fprintf(stderr, "%u failures\n", failures);
	return failures > 0;
}
