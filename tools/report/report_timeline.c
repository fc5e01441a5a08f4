/* report_timeline.c - timeline of each warp: its instructions and what it waited for between them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A warp waits for what its next instruction waits for.  Each warp's row is a string of bytes,
 * which docs/report.md describes; timeline.js reads it.  Rows are written while the dump is read,
 * so memory holds those bytes and not the instructions.
 */
#include "report.h"
#include "base/xalloc.h"

#include <inttypes.h>

/* States that every run has; others are added as they occur. */
enum { ISSUE, ISSUE_SAME, ABSENT, FETCH, DRAIN, BUFFERED, KNOWN_STATES };
#define MOST_STATES 255u

/* The row of a warp slot, up to its latest instruction. */
struct row {
	struct hd_bytes bytes;
	uint64_t n;               /* instructions that were issued */
	uint64_t since;           /* what is written ends here */
	uint64_t begin, end;      /* of the CTA that is there: first step, end of its last one so far */
	uint64_t issue;           /* of the latest instruction */
	size_t issued;            /* where it is in the bytes, + 1; 0: outside of the window */
	uint32_t code;            /* of the latest instruction */
	uint32_t last_code;       /* of the latest that is written: its number in the page */
};

/* An instruction that was issued. */
struct issued {
	const struct dump_item *item;
	uint32_t step, code;      /* step: number of those before the issue */
	uint64_t issue;
};

/* Rows of a table of events that have one value in the field that is their lane. */
struct lane {
	struct row row;
	uint32_t core;
	uint32_t nothing, state, other; /* states; other: part of a span, or each second time between two points */
	uint64_t points;
	bool spans;
};

struct report_timeline {
	struct report *r;
	struct report_names states;
	json_t *docs;                   /* of states; of waits for registers, their writer */
	struct hd_int_map of;           /* states, by place << 32 | producer */
	uint64_t from, to;              /* the window */
	struct report_series resident;  /* warps */
	bool count_ctas;                /* no event has their times */
	uint32_t *entry;                /* by kernel: its lowest pc */
	uint64_t *threads;              /* by kernel: in a CTA */
	struct dump_warps rows;         /* of struct row */
	struct report_names lane_names;
	struct lane *lanes;             /* by number of the name */
	size_t nlanes, caplanes;
	/* the rows that are complete */
	json_t *out, *names, *out_docs;
	uint32_t number[MOST_STATES + 1]; /* by state: that of the page, + 1; 0: it has none */
};

static void byte(struct row *row, unsigned v)
{
	hd__bytes_append(&row->bytes, &(unsigned char){ (unsigned char)v }, 1);
}

static uint64_t clip(const struct report_timeline *w, uint64_t cycle)
{
	return cycle < w->from ? w->from : cycle < w->to ? cycle : w->to;
}

/* The state that lasts until `cycle`. */
static void until(const struct report_timeline *w, struct row *row, uint64_t cycle, uint32_t state)
{
	cycle = clip(w, cycle);
	if (cycle <= row->since)
		return;
	byte(row, state);
	hd__bytes_varint(&row->bytes, cycle - row->since);
	row->since = cycle;
}

static uint64_t limited(uint64_t cycles)
{
	return cycles < UINT32_MAX ? cycles : UINT32_MAX;
}

static void write_issue(const struct report_timeline *w, struct row *row, const struct issued *l)
{
	const struct dump_transaction *t = l->item->transaction;
	uint32_t code = report_page_code(w->r, l->code);

	byte(row, ISSUE);
	row->issued = row->bytes.n;
	report_put_difference(&row->bytes, row->last_code, code);
	hd__bytes_varint(&row->bytes, t->unfinished ? 0 : limited(t->end - l->issue));
	row->last_code = code;
	row->since++;
}

/* Another instruction is issued in the cycle of the latest. */
static void issue_another(struct row *row)
{
	if (!row->issued)
		return;
	row->bytes.v[row->issued - 1] = ISSUE_SAME;
	row->since--;
}

/* The doc of a reason of the issue module; NULL if there is none of that name. */
static const char *reason_doc(const struct report_timeline *w, const char *name)
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

/* Waits for the result of an instruction, given by dump_code.index, get the name that the same wait has as a
 * reason. */
static char *result_state(const struct report_timeline *w, uint32_t code)
{
	const char *space = code < w->r->d->codes->n ? w->r->d->codes->v[code].space : NULL;
	char *name = hd__format("scoreboard.%s", space && space[0] ? space : "unit");

	if (reason_doc(w, name))
		return name;
	free(name);
	return hd__xstrdup("scoreboard.unit");
}

static char *wait_state(const struct report_timeline *w, const struct dump_place *p, uint32_t arg)
{
	static const char *const groups[] = { "idle", "stall", "scoreboard", "dependence" };
	const char *unit = p->names ? dump_name(w->r->d, p->names, NULL, arg) : NULL;

	if (dump_is_register(p) && reason_doc(w, "scoreboard.unit"))
		return result_state(w, arg);
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		char *name = hd__format("%s.%s", groups[i], p->mark);

		if (reason_doc(w, name))
			return name;
		free(name);
	}
	return unit ? hd__format("%s|%s", p->mark, unit) : hd__xstrdup(p->mark);
}

/* The number of a state. */
static uint32_t new_state(struct report_timeline *w, const char *name, const char *doc)
{
	size_t before = w->states.n;
	uint32_t number = before < MOST_STATES ? report_name(&w->states, name) : BUFFERED;

	if (w->states.n > before)
		json_array_append_new(w->docs, report_text(doc));
	return number;
}

/* The state for a stay of an instruction. */
static uint32_t state_of(struct report_timeline *w, const struct dump_item *item,
                         const struct dump_step *s, const struct dump_producers *producers)
{
	const struct dump_place *p = &w->r->d->places[s->place];
	uint32_t arg = (uint32_t)s->arg;
	uint64_t *known;
	char *name;

	if (p->kind != DUMP_MARK || p->instance >= w->r->d->ninstances || !w->r->issue_module
	    || strcmp(w->r->d->instances[p->instance].module, w->r->issue_module) != 0)
		return BUFFERED;
	if (dump_is_register(p)) {
		struct dump_producer by = dump_producer_of_wait(producers, item, s->arg, s->cycle);
		struct dump_code code;

		arg = by.number && dump_code(w->r->d, by.code, &code) ? code.index : REPORT_NEVER;
	}
	known = hd__int_map_at(&w->of, (uint64_t)s->place << 32 | arg);
	if (!*known) {
		const char *doc;

		name = wait_state(w, p, arg);
		doc = strncmp(name, "scoreboard.", 11) == 0 ? reason_doc(w, name) : NULL;
		*known = new_state(w, name, doc ? doc : p->doc);
		free(name);
	}
	return (uint32_t)*known;
}

/* ---- residence of a warp ---- */

static void read_kernels(struct report_timeline *w)
{
	const struct dump *d = w->r->d;

	w->entry = hd__xcalloc(d->nkernels, sizeof *w->entry);
	w->threads = hd__xcalloc(d->nkernels, sizeof *w->threads);
	memset(w->entry, 0xff, d->nkernels * sizeof *w->entry);
	for (uint32_t i = 0; i < d->ncodes; i++) {
		struct dump_code c;

		if (dump_code(d, i, &c) && c.kernel < d->nkernels && c.pc < w->entry[c.kernel])
			w->entry[c.kernel] = c.pc;
	}
	for (uint32_t i = 0; i < d->nkernels; i++) {
		static const char *const sizes[] = { "block_x", "block_y", "block_z" };
		json_t *cells = d->kernels[i].name ? dump_kernel_cells(d, i) : NULL;

		w->threads[i] = d->kernels[i].name ? 1 : 0;
		for (int k = 0; k < 3; k++) {
			json_int_t n = json_integer_value(json_object_get(cells, sizes[k]));

			w->threads[i] *= n > 0 && n < 1 << 16 ? (uint64_t)n : 1;
		}
		json_decref(cells);
	}
}

static bool enters(const struct report_timeline *w, uint32_t code)
{
	struct dump_code c;

	dump_code(w->r->d, code, &c);
	return c.kernel < w->r->d->nkernels && c.pc == w->entry[c.kernel];
}

/* The CTA of the row's latest instruction was there. */
static void was_there(struct report_timeline *w, const struct row *row)
{
	struct dump_code c;
	uint64_t threads;

	dump_code(w->r->d, row->code, &c);
	threads = c.kernel < w->r->d->nkernels ? w->threads[c.kernel] : 0;

	report_spread(&w->resident, &w->r->bins, row->begin, row->end, 1);
	if (threads && w->count_ctas)
		report_spread(&w->r->ctas, &w->r->bins, row->begin, row->end,
		              1000 / ((threads + 31) / 32));
}

/* ---- one row ---- */

static void approach(struct report_timeline *w, struct row *row, const struct issued *l,
                     uint64_t free_from, const struct dump_producers *p)
{
	const struct dump_transaction *t = l->item->transaction;

	until(w, row, t->begin, FETCH);
	for (uint32_t i = 0; i < l->step; i++) {
		const struct dump_step *s = &t->steps[i];
		uint64_t end = s->cycle + s->cycles;

		/* stays after the previous issue do not make the warp wait */
		if (end > free_from && end > w->from && s->cycle < w->to)
			until(w, row, end, state_of(w, l->item, s, p));
	}
	until(w, row, l->issue, BUFFERED);
}

void report_timeline_add(struct report_timeline *w, const struct dump_item *item,
                         const struct dump_producers *p)
{
	const struct dump_known *k = &w->r->known;
	const struct dump_transaction *t = item->transaction;
	struct row *row = dump_warp_make(&w->rows, dump_core_of_item(k, item),
	                                 item->rows->field[k->warp][item->row]);
	uint32_t step = dump_issue_step(k, t);
	bool known = step < t->n;
	struct issued l = { item, known ? step : 0, (uint32_t)item->rows->field[k->code][item->row],
		known ? t->steps[step].cycle : t->begin };
	uint64_t free_from;

	if (!row)
		return;
	if (row->n == 0)
		row->since = w->from;
	else if (l.issue == row->issue)
		issue_another(row);
	free_from = row->issue + 1;
	if (row->n == 0 || enters(w, l.code)) {
		if (row->end > t->begin)
			row->end = t->begin;
		if (row->n > 0) {
			was_there(w, row);
			until(w, row, row->end, DRAIN);
		}
		row->begin = free_from = t->begin;
		until(w, row, t->begin, ABSENT);
	}
	approach(w, row, &l, free_from, p);
	row->n++;
	row->end = t->end > row->end ? t->end : row->end;
	row->issue = l.issue;
	row->code = l.code;
	row->issued = 0;
	if (l.issue >= w->from && l.issue < w->to)
		write_issue(w, row, &l);
}

/* ---- bytes of the page ---- */

/* The page numbers states in the order in which its rows have them. */
static unsigned char number_of(struct report_timeline *w, uint32_t state)
{
	if (!w->number[state]) {
		json_array_append_new(w->names, report_text(w->states.v[state]));
		json_array_append(w->out_docs, json_array_get(w->docs, state));
		w->number[state] = (uint32_t)json_array_size(w->names);
	}
	return (unsigned char)(w->number[state] - 1);
}

static void number_states(struct report_timeline *w, struct hd_bytes *b)
{
	for (size_t i = 0; i < b->n;) {
		unsigned numbers = b->v[i] <= ISSUE_SAME ? 2 : 1;

		b->v[i] = number_of(w, b->v[i]);
		for (i++; numbers > 0; i++)
			numbers -= b->v[i] < 0x80;
	}
}

/* ---- lanes of events ---- */

/* The names of its states are those of the event, and of the field that says how much of a span is otherwise. */
static void new_lane(struct report_timeline *w, const struct dump_item *item, int other)
{
	const struct dump_table *t = item->rows->table;
	const char *event = strchr(t->name, '.');
	bool spans = item->rows->cycle[item->row] > (int64_t)item->begin;
	char *state = hd__format("lane.%s", event ? event + 1 : t->name), *second;
	struct lane *l;

	second = other >= 0 ? hd__format("lane.%s", t->fields[other].name) : hd__format("%s|next", state);
	w->lanes = hd__xgrow(w->lanes, w->nlanes, &w->caplanes, sizeof *w->lanes);
	l = &w->lanes[w->nlanes++];
	*l = (struct lane){ .row.since = w->from, .spans = spans,
		.core = w->r->known.cores->of[item->rows->who[item->row]], .state = new_state(w, state, t->doc) };
	l->nothing = new_state(w, "lane.nothing", "nothing");
	l->other = spans && other < 0 ? l->state : new_state(w, second, other >= 0 ? t->fields[other].doc : t->doc);
	free(state);
	free(second);
}

void report_timeline_lane(struct report_timeline *w, const struct dump_item *item, int lane)
{
	const struct dump_field *f = &item->rows->table->fields[lane];
	const char *path = w->r->d->instances[item->rows->who[item->row]].path;
	int other = dump_find_field(item->rows->table, "starved");
	uint64_t end = (uint64_t)item->rows->cycle[item->row], part;
	char *name;
	uint32_t number;
	struct lane *l;

	if (end < w->from || item->begin >= w->to)
		return;
	name = hd__format(f->hex ? "%s 0x%" PRIx64 : "%s %" PRId64, path, item->rows->field[lane][item->row]);
	number = report_name(&w->lane_names, name);
	if (number == w->nlanes)
		new_lane(w, item, other);
	free(name);
	l = &w->lanes[number];
	if (!l->spans) {
		until(w, &l->row, end, l->points++ % 2 ? l->other : l->state);
		return;
	}
	part = (uint64_t)dump_value(item->rows, other, item->row, 0);
	until(w, &l->row, item->begin, l->nothing);
	until(w, &l->row, part < end ? end - part : 0, l->state);
	until(w, &l->row, end, l->other);
}

static void append_lanes(struct report_timeline *w)
{
	json_t *out = json_array();

	for (size_t i = 0; i < w->nlanes; i++) {
		struct lane *l = &w->lanes[i];

		until(w, &l->row, w->to, l->spans ? l->nothing : l->points % 2 ? l->other : l->state);
		number_states(w, &l->row.bytes);
		json_array_append_new(out, json_pack("{s:o, s:o, s:o}", "core",
			report_text(w->r->known.cores->paths[l->core]), "lane", report_text(w->lane_names.v[i]),
			"bytes", report_base64(l->row.bytes.v, l->row.bytes.n)));
	}
	if (w->nlanes)
		json_object_set(json_object_get(w->r->out, "timeline"), "lanes", out);
	json_decref(out);
}

/* ---- the window ---- */

/* The earliest cycles of issue, at most `most` of them: a heap, the latest first. */
struct earliest {
	const struct report *r;
	uint64_t from, to;
	uint64_t *v;
	size_t n, cap, most;
};

static void sink(struct earliest *c, uint64_t cycle)
{
	size_t i = 0, k;

	while ((k = 2 * i + 1) < c->n) {
		if (k + 1 < c->n && c->v[k + 1] > c->v[k])
			k++;
		if (c->v[k] <= cycle)
			break;
		c->v[i] = c->v[k];
		i = k;
	}
	c->v[i] = cycle;
}

static void rise(struct earliest *c, uint64_t cycle)
{
	size_t i = c->n++;

	for (; i > 0 && c->v[(i - 1) / 2] < cycle; i = (i - 1) / 2)
		c->v[i] = c->v[(i - 1) / 2];
	c->v[i] = cycle;
}

/* Until no later instruction can be issued before those that are found. */
static bool add_issue(void *arg, const struct dump_item *item)
{
	struct earliest *c = arg;
	const struct dump_transaction *t = item->transaction;
	uint32_t step = dump_issue_step(&c->r->known, t);
	uint64_t issue = step < t->n ? t->steps[step].cycle : t->begin;

	if (c->n == c->most && item->begin > c->v[0])
		return false;
	if (!report_issued(c->r, item) || issue < c->from || issue >= c->to)
		return true;
	if (c->n == c->most) {
		if (issue < c->v[0])
			sink(c, issue);
		return true;
	}
	c->v = hd__xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	rise(c, issue);
	return true;
}

/* The window is as long as requested, and short enough for the limit of instructions. */
static void choose_window(struct report_timeline *w)
{
	const struct report *r = w->r;
	const struct report_options *o = r->opt;
	uint64_t most = o->detail / o->runs;
	struct earliest c = { .r = r, .most = most + 1 };
	struct dump_query q = { .head = 0 };
	char *cycles;

	if (o->from > 0 && o->from >= r->cycles)
		fprintf(stderr, "heddle: warning: %s: the run has %" PRIu64 " cycles, none of them in --window=%" PRIu64
		        "-%" PRIu64 "; its timelines begin with the first\n", r->d->path, r->cycles, o->from, o->to);
	c.from = w->from = o->from < r->cycles ? o->from : 0;
	c.to = w->to = o->to > w->from && o->to < r->cycles ? o->to : r->cycles;
	if (r->d->tables[r->known.inst].rows <= most)
		return;
	dump_query_event(&q, r->d, r->known.inst);
	cycles = hd__format("cycle=%" PRIu64 "-%" PRIu64, w->from, w->to);
	free(hd__filter_add(&q.filter, cycles));
	free(cycles);
	if (dump_query_bind(&q, r->d))
		dump_in_order(r->d, &q, add_issue, &c);
	dump_query_free(&q, r->d);
	if (c.n == c.most)
		w->to = c.v[0] > w->from ? c.v[0] : w->from + 1;
	free(c.v);
}

/* ---- all rows ---- */

struct report_timeline *report_timeline_open(struct report *r)
{
	static const char *const known[KNOWN_STATES] = { [ISSUE] = "issue",
		[ISSUE_SAME] = "issue, and another", [ABSENT] = "absent", [FETCH] = "idle.fetch",
		[DRAIN] = "idle.exit", [BUFFERED] = "buffered" };
	struct report_timeline *w = hd__xcalloc(1, sizeof *w);

	w->r = r;
	w->count_ctas = !r->ctas.v;
	w->docs = json_array();
	w->out = json_array();
	w->names = json_array();
	w->out_docs = json_array();
	dump_warps_init(&w->rows, r->known.cores->n, sizeof(struct row));
	for (int i = 0; i < KNOWN_STATES; i++) {
		report_name(&w->states, known[i]);
		json_array_append_new(w->docs, json_string(""));
	}
	read_kernels(w);
	choose_window(w);
	return w;
}

uint64_t report_timeline_from(const struct report_timeline *w)
{
	return w->from;
}

static void append_row(void *arg, uint32_t core, uint32_t warp, void *element)
{
	struct report_timeline *w = arg;
	struct row *row = element;

	was_there(w, row);
	until(w, row, row->end, DRAIN);
	until(w, row, w->to, ABSENT);
	number_states(w, &row->bytes);
	json_array_append_new(w->out, json_pack("{s:o, s:i, s:I, s:o}", "core",
		report_text(w->r->known.cores->paths[core]), "warp", (int)warp, "issued",
		(json_int_t)row->n, "bytes", report_base64(row->bytes.v, row->bytes.n)));
	free(row->bytes.v);
}

void report_timeline_close(struct report_timeline *w)
{
	struct report *r;

	if (!w)
		return;
	r = w->r;
	for (uint32_t i = 0; i < KNOWN_STATES; i++)
		number_of(w, i);
	dump_warps_each(&w->rows, append_row, w);
	if (r->nissued) {
		json_object_set_new(r->out, "timeline", json_pack("{s:I, s:I, s:O, s:O, s:O}", "from",
			(json_int_t)w->from, "to", (json_int_t)w->to, "states", w->names, "docs",
			w->out_docs, "rows", w->out));
		append_lanes(w);
		json_object_set_new(r->out, "resident", json_pack("{s:I, s:I, s:o, s:o}", "warp_cycles",
			(json_int_t)w->resident.total, "cta_millicycles", (json_int_t)r->ctas.total,
			"warps", report_array(w->resident.v, r->bins.n), "ctas",
			report_array(r->ctas.v, r->bins.n)));
	}
	json_decref(w->docs);
	json_decref(w->out);
	json_decref(w->names);
	json_decref(w->out_docs);
	dump_warps_free(&w->rows);
	free(w->resident.v);
	free(w->entry);
	free(w->threads);
	for (size_t i = 0; i < w->nlanes; i++)
		free(w->lanes[i].row.bytes.v);
	free(w->lanes);
	report_names_free(&w->lane_names);
	hd__int_map_free(&w->of);
	report_names_free(&w->states);
	free(w);
}
