/* report_timeline.c - timeline of each warp: its instructions and what it waited for between them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A warp waits for what its next instruction waits for.  Each warp's row is a string of bytes,
 * which docs/report.md describes; timeline.js reads it.
 */
#include "report.h"
#include "kernel/base/bytes.h"
#include "kernel/base/xalloc.h"

/* States that every run has; others are added as they occur. */
enum { ISSUE, ISSUE_SAME, ABSENT, FETCH, DRAIN, BUFFERED, KNOWN_STATES };
#define MOST_STATES 255u

struct writer {
	struct report *r;
	struct report_names states;
	json_t *rows;
	json_t *docs;                   /* of states; of waits for registers, their writer */
	struct hd_int_map of;           /* states, by place << 32 | producer */
	uint64_t from, to;              /* the window */
	struct report_series resident;  /* warps */
	bool count_ctas;                /* no event has their times */
	uint32_t *entry;                /* by kernel: its lowest pc */
	uint64_t *threads;              /* by kernel: in a CTA */
	struct hd_bytes row;
	uint32_t last_code;
	/* the state to be written */
	uint32_t state;
	uint64_t since;
};

static void byte(struct writer *w, unsigned v)
{
	hd__bytes_append(&w->row, &(unsigned char){ (unsigned char)v }, 1);
}

static uint64_t clip(const struct writer *w, uint64_t cycle)
{
	return cycle < w->from ? w->from : cycle < w->to ? cycle : w->to;
}

/* The state that lasts until `cycle`. */
static void until(struct writer *w, uint64_t cycle, uint32_t state)
{
	cycle = clip(w, cycle);
	if (cycle <= w->since)
		return;
	byte(w, state);
	hd__bytes_varint(&w->row, cycle - w->since);
	w->since = cycle;
}

static void issued(struct writer *w, const struct report_transaction *l, bool same)
{
	int64_t delta = (int64_t)l->code - (int64_t)w->last_code;

	byte(w, same ? ISSUE_SAME : ISSUE);
	hd__bytes_varint(&w->row, (uint64_t)delta << 1 ^ (uint64_t)(delta >> 63));
	hd__bytes_varint(&w->row, l->unfinished ? 0 : l->after);
	w->last_code = l->code;
	if (!same)
		w->since++;
}

/* The doc of a reason of the issue module; NULL if there is none of that name. */
static const char *reason_doc(const struct writer *w, const char *name)
{
	const json_t *m = json_object_get(json_object_get(w->r->d->meta, "modules"),
	                                  w->r->issue_module ? w->r->issue_module : "");
	const json_t *all = json_object_get(m, "reasons"), *one;
	size_t i;

	json_array_foreach((json_t *)all, i, one) {
		const char *s = json_string_value(json_object_get(one, "name"));

		if (s && strcmp(s, name) == 0)
			return json_string_value(json_object_get(one, "doc"));
	}
	return NULL;
}

/* Waits for the result of an instruction get the name that the same wait has as a reason. */
static char *result_state(const struct writer *w, uint32_t code)
{
	const char *space = code < w->r->d->ncodes ? w->r->d->codes[code].space : NULL;
	char *name = hd__format("scoreboard.%s", space && space[0] ? space : "unit");

	if (reason_doc(w, name))
		return name;
	free(name);
	return hd__xstrdup("scoreboard.unit");
}

static char *wait_state(const struct writer *w, const struct dump_place *p, uint32_t arg)
{
	static const char *const groups[] = { "idle", "stall", "scoreboard" };
	const char *unit = p->names ? dump_name(w->r->d, p->names, NULL, arg) : NULL;

	if (dump_is_register(p))
		return result_state(w, arg);
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		char *name = hd__format("%s.%s", groups[i], p->mark);

		if (reason_doc(w, name))
			return name;
		free(name);
	}
	return unit ? hd__format("%s|%s", p->mark, unit) : hd__xstrdup(p->mark);
}

/* The number of the state of a stay at p. */
static uint32_t new_state(struct writer *w, const char *name, const struct dump_place *p)
{
	const char *doc = strncmp(name, "scoreboard.", 11) == 0 ? reason_doc(w, name) : NULL;
	size_t before = w->states.n;
	uint32_t number = before < MOST_STATES ? report_name(&w->states, name) : BUFFERED;

	if (w->states.n > before)
		json_array_append_new(w->docs, report_text(doc ? doc : p->doc));
	return number;
}

/* The state for a stay. */
static uint32_t state_of(struct writer *w, const struct report_wait *wait)
{
	const struct dump_place *p = &w->r->d->places[wait->place];
	uint64_t *known;
	char *name;

	if (p->kind != DUMP_MARK || p->instance >= w->r->d->ninstances || !w->r->issue_module
	    || strcmp(w->r->d->instances[p->instance].module, w->r->issue_module) != 0)
		return BUFFERED;
	known = hd__int_map_at(&w->of, (uint64_t)wait->place << 32 | wait->arg);
	if (!*known) {
		name = wait_state(w, p, wait->arg);
		*known = new_state(w, name, p);
		free(name);
	}
	return (uint32_t)*known;
}

/* ---- residence of a warp ---- */

static void read_kernels(struct writer *w)
{
	const struct dump *d = w->r->d;

	w->entry = hd__xcalloc(d->nkernels, sizeof *w->entry);
	w->threads = hd__xcalloc(d->nkernels, sizeof *w->threads);
	memset(w->entry, 0xff, d->nkernels * sizeof *w->entry);
	for (uint32_t i = 0; i < d->ncodes; i++) {
		const struct dump_code *c = &d->codes[i];

		if (c->text && c->kernel < d->nkernels && c->pc < w->entry[c->kernel])
			w->entry[c->kernel] = c->pc;
	}
	for (uint32_t i = 0; i < d->nkernels; i++) {
		static const char *const sizes[] = { "block_x", "block_y", "block_z" };

		w->threads[i] = d->kernels[i].name ? 1 : 0;
		for (int k = 0; k < 3; k++) {
			json_int_t n = json_integer_value(json_object_get(d->kernels[i].cells, sizes[k]));

			w->threads[i] *= n > 0 && n < 1 << 16 ? (uint64_t)n : 1;
		}
	}
}

static bool enters(const struct writer *w, const struct report_transaction *l)
{
	const struct dump_code *c = &w->r->d->codes[l->code];

	return c->kernel < w->r->d->nkernels && c->pc == w->entry[c->kernel];
}

static void was_there(struct writer *w, const struct report_transaction *l, uint64_t from, uint64_t to)
{
	uint32_t kernel = w->r->d->codes[l->code].kernel;
	uint64_t threads = kernel < w->r->d->nkernels ? w->threads[kernel] : 0;

	report_spread(&w->resident, &w->r->bins, from, to, 1);
	if (threads && w->count_ctas)
		report_spread(&w->r->ctas, &w->r->bins, from, to, 1000 / ((threads + 31) / 32));
}

/* ---- one row ---- */

static void approach(struct writer *w, const struct report_transaction *l, uint64_t free_from)
{
	uint64_t cycle = l->issue - l->before;

	until(w, cycle, FETCH);
	for (uint32_t i = 0; i < l->nwaits; i++) {
		const struct report_wait *wait = &w->r->waits[l->first + i];
		uint64_t end = cycle + wait->cycles;

		/* stays after the previous issue do not make the warp wait */
		if (end > free_from && end > w->from && cycle < w->to)
			until(w, end, state_of(w, wait));
		cycle = end;
	}
	until(w, l->issue, BUFFERED);
}

/* Writes the row of the warp whose instructions are l[0..n). */
static void row(struct writer *w, const struct report_transaction *l, size_t n)
{
	uint64_t begin = 0, end = 0, last = 0;

	w->row.n = 0;
	w->last_code = 0;
	w->since = w->from;
	for (size_t i = 0; i < n; i++) {
		uint64_t came = l[i].issue - l[i].before, done = l[i].issue + l[i].after;

		if (i == 0 || enters(w, &l[i])) {
			if (end > came)
				end = came;
			if (i > 0) {
				was_there(w, &l[i - 1], begin, end);
				until(w, end, DRAIN);
			}
			begin = last = came;
			until(w, came, ABSENT);
		}
		approach(w, &l[i], last);
		last = l[i].issue + 1;
		end = done > end ? done : end;
		if (l[i].issue >= w->from && l[i].issue < w->to)
			issued(w, &l[i], i + 1 < n && l[i + 1].issue == l[i].issue);
	}
	was_there(w, &l[n - 1], begin, end);
	until(w, end, DRAIN);
	until(w, w->to, ABSENT);
}

/* ---- the window ---- */

static int by_cycle(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct cycles {
	const struct writer *w;
	uint64_t *v;
	size_t n;
};

static void add_issues(void *arg, uint32_t core, uint32_t warp, void *element)
{
	struct cycles *c = arg;
	const struct report_warp *of = element;

	(void)core, (void)warp;
	for (size_t i = 0; i < of->n; i++)
		if (of->v[i].issue >= c->w->from && of->v[i].issue < c->w->to)
			c->v[c->n++] = of->v[i].issue;
}

/* As long as requested, and short enough for the limit of instructions. */
static void choose_window(struct writer *w)
{
	const struct report_options *o = w->r->opt;
	uint64_t most = o->detail / o->runs;
	struct cycles c = { w, hd__xcalloc(w->r->nissued, sizeof *c.v), 0 };

	w->from = o->from < w->r->cycles ? o->from : 0;
	w->to = o->to > w->from && o->to < w->r->cycles ? o->to : w->r->cycles;
	dump_warps_each(&w->r->warps, add_issues, &c);
	qsort(c.v, c.n, sizeof *c.v, by_cycle);
	if (c.n > most)
		w->to = c.v[most] > w->from ? c.v[most] : w->from + 1;
	free(c.v);
}

static void append_row(void *arg, uint32_t core, uint32_t warp, void *element)
{
	struct writer *w = arg;
	const struct report_warp *of = element;
	char *text;

	if (!of->n)
		return;
	row(w, of->v, of->n);
	text = report_base64(w->row.v, w->row.n);
	json_array_append_new(w->rows, json_pack("{s:o, s:i, s:I, s:s}", "core",
		report_text(w->r->known.cores->paths[core]), "warp", (int)warp, "issued",
		(json_int_t)of->n, "bytes", text));
	free(text);
}

static json_t *state_names(const struct writer *w)
{
	json_t *a = json_array();

	for (size_t i = 0; i < w->states.n; i++)
		json_array_append_new(a, report_text(w->states.v[i]));
	return a;
}

void report_timeline(struct report *r)
{
	static const char *const known[KNOWN_STATES] = { [ISSUE] = "issue",
		[ISSUE_SAME] = "issue, and another", [ABSENT] = "absent", [FETCH] = "idle.fetch",
		[DRAIN] = "idle.exit", [BUFFERED] = "buffered" };
	struct writer w = { .r = r, .count_ctas = !r->ctas.v };

	if (!r->nissued)
		return;
	w.docs = json_array();
	w.rows = json_array();
	for (int i = 0; i < KNOWN_STATES; i++) {
		report_name(&w.states, known[i]);
		json_array_append_new(w.docs, json_string(""));
	}
	read_kernels(&w);
	choose_window(&w);
	dump_warps_each(&r->warps, append_row, &w);
	json_object_set_new(r->out, "timeline", json_pack("{s:I, s:I, s:o, s:o, s:o}", "from",
		(json_int_t)w.from, "to", (json_int_t)w.to, "states", state_names(&w), "docs", w.docs,
		"rows", w.rows));
	json_object_set_new(r->out, "resident", json_pack("{s:I, s:I, s:o, s:o}", "warp_cycles",
		(json_int_t)w.resident.total, "cta_millicycles", (json_int_t)r->ctas.total, "warps",
		report_array(w.resident.v, r->bins.n), "ctas", report_array(r->ctas.v, r->bins.n)));
	free(w.resident.v);
	free(w.entry);
	free(w.threads);
	free(w.row.v);
	hd__int_map_free(&w.of);
	report_names_free(&w.states);
}
