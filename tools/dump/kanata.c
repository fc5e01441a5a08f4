/* kanata.c - pipeline diagrams for Konata
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The format is version 4 of Kanata: lines of words with tabs between them, time in the order of
 * the file.  Lane 0 shows where an instruction is, lane 1 what it waits for.  Konata draws arrows
 * between stages with an X in their names, which are those that execute (stages.h).  Work that goes on without an
 * instruction, such as a bulk copy, is a line with one stage: spans of events that have lanes of their own.
 */
#include "base/xalloc.h"
#include "producers.h"
#include "dump/codes.h"
#include "writers.h"
#include "put.h"
#include "replay.h"

#include <inttypes.h>

#define WARPS 1000u /* threads of a core */

struct kanata {
	struct dump_out out;
	const struct dump *d;
	struct dump_known known;
	struct dump_stage_view *view;
	struct dump_producers *producers;
	uint64_t now, retired;
	bool started;
	char **codes;              /* by dump_code.index: "0x01a0: MOV R1", created on demand */
	uint32_t kernel;           /* that of the latest tooltip */
	char *kernel_text;
};

/* ---- lines ---- */

static void go_to(struct kanata *k, uint64_t cycle)
{
	if (k->started && cycle == k->now)
		return;
	dump_put(&k->out, k->started ? "C\t" : "C=\t");
	dump_put_number(&k->out, cycle - k->now);
	dump_put_char(&k->out, '\n');
	k->now = cycle;
	k->started = true;
}

/* Most lines begin with a letter and the number of the instruction. */
static void begin_line(struct kanata *k, char letter, uint64_t number)
{
	dump_put_char(&k->out, letter);
	dump_put_char(&k->out, '\t');
	dump_put_number(&k->out, number);
	dump_put_char(&k->out, '\t');
}

/* A digit and a short text. */
static void end_line(struct kanata *k, char digit, const char *text)
{
	dump_put_char(&k->out, digit);
	dump_put_char(&k->out, '\t');
	dump_put(&k->out, text);
	dump_put_char(&k->out, '\n');
}

/* Labels must not hold tabs or ends of lines. */
static char *one_line(char *s)
{
	for (char *c = s; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = '?';
	return s;
}

static const char *code_text(struct kanata *k, int64_t code)
{
	struct dump_code c;

	if (!dump_code(k->d, code, &c))
		return "?";
	if (!k->codes[c.index])
		k->codes[c.index] = one_line(hd__format("0x%04" PRIx32 ": %s", c.pc, c.text));
	return k->codes[c.index];
}

static const char *kernel_text(struct kanata *k, int64_t code)
{
	struct dump_code c;

	if (!dump_code(k->d, code, &c) || c.kernel >= k->d->nkernels || !k->d->kernels[c.kernel].name)
		return "kernel ?";
	if (k->kernel == c.kernel)
		return k->kernel_text;
	free(k->kernel_text);
	k->kernel = c.kernel;
	k->kernel_text = one_line(hd__format("kernel %" PRIu32 " %s", c.kernel, k->d->kernels[c.kernel].name));
	return k->kernel_text;
}

/* The tooltip of an instruction: what the diagram does not show, and all that it waited for. */
static void put_tooltip(struct kanata *k, const struct dump_item *i, int64_t code,
                        const struct dump_changes *c)
{
	struct dump_out *o = &k->out;

	dump_put(o, kernel_text(k, code));
	if (k->known.mask >= 0) {
		dump_put(o, "\\nmask ");
		dump_put_hex(o, (uint64_t)i->rows->field[k->known.mask][i->row]);
	}
	for (size_t n = 0; n < c->n; n++) {
		const struct dump_change *at = &c->v[n];

		if (at->opens && at->lane == DUMP_LANE_STAGE && k->view->v[at->place].executes) {
			dump_put(o, ", ");
			dump_put(o, k->d->places[at->place].name);
		}
	}
	for (size_t n = 0; n + 1 < c->n; n++) {
		const struct dump_change *at = &c->v[n];

		if (!at->opens || at->lane != DUMP_LANE_WAIT)
			continue;
		dump_put(o, "\\n");
		dump_put(o, dump_stage_view_text(k->view, at));
		dump_put(o, ": ");
		dump_put_number(o, c->v[n + 1].cycle - at->cycle); /* its end is next */
	}
}

static void put_labels(struct kanata *k, const struct dump_item *i, uint64_t number, int64_t warp,
                       const struct dump_changes *c)
{
	int64_t code = dump_value(i->rows, k->known.code, i->row, -1);
	const char *core = k->known.cores->paths[dump_core_of_item(&k->known, i)];

	begin_line(k, 'L', number);
	dump_put(&k->out, "0\t");
	dump_put(&k->out, core);
	dump_put(&k->out, *core ? " w" : "w");
	dump_put_signed(&k->out, warp);
	dump_put_char(&k->out, ' ');
	dump_put(&k->out, code_text(k, code));
	dump_put_char(&k->out, '\n');
	begin_line(k, 'L', number);
	dump_put(&k->out, "1\t");
	put_tooltip(k, i, code, c);
	dump_put_char(&k->out, '\n');
}

static void begin(void *arg, const struct dump_item *i, uint64_t number, struct dump_changes *c)
{
	struct kanata *k = arg;
	int64_t warp = dump_value(i->rows, k->known.warp, i->row, 0);
	int64_t uid = dump_value(i->rows, k->known.uid, i->row, (int64_t)number);

	if (k->producers)
		dump_add_arrows(k->producers, k->view, i, c);
	go_to(k, i->begin);
	begin_line(k, 'I', number);
	dump_put_signed(&k->out, uid);
	dump_put_char(&k->out, '\t');
	dump_put_number(&k->out, dump_core_of_item(&k->known, i) * WARPS + (uint64_t)warp % WARPS);
	dump_put_char(&k->out, '\n');
	put_labels(k, i, number, warp, c);
}

static void change(void *arg, uint64_t number, const struct dump_change *c)
{
	struct kanata *k = arg;

	/* stages follow each other: the next one, or the end, closes the previous one */
	if (!c->opens && c->lane == DUMP_LANE_STAGE)
		return;
	go_to(k, c->cycle);
	begin_line(k, c->opens ? 'S' : 'E', number);
	end_line(k, c->lane == DUMP_LANE_WAIT ? '1' : '0', dump_stage_view_text(k->view, c));
	if (!c->other)
		return;
	begin_line(k, 'W', number); /* its wait is over */
	dump_put_number(&k->out, c->other - 1);
	dump_put(&k->out, "\t0\n");
}

static void end(void *arg, uint64_t number, uint64_t cycle, bool finished)
{
	struct kanata *k = arg;

	go_to(k, cycle);
	begin_line(k, 'R', number);
	dump_put_number(&k->out, k->retired);
	dump_put(&k->out, finished ? "\t0\n" : "\t1\n");
	k->retired += finished;
}

/* ---- events ---- */

/* The label: where, whose, and the instruction that began it; the tooltip: all that is known of it. */
static void put_event_labels(struct kanata *k, const struct dump_item *i, uint64_t number)
{
	const struct dump_table *t = i->rows->table;
	int code = dump_find_field(t, "code"), warp = dump_find_field(t, "warp");

	begin_line(k, 'L', number);
	dump_put(&k->out, "0\t");
	dump_put(&k->out, k->d->instances[i->rows->who[i->row]].path);
	if (warp >= 0) {
		dump_put(&k->out, " w");
		dump_put_signed(&k->out, i->rows->field[warp][i->row]);
	}
	dump_put_char(&k->out, ' ');
	dump_put(&k->out, code >= 0 ? code_text(k, i->rows->field[code][i->row]) : t->name);
	dump_put_char(&k->out, '\n');
	begin_line(k, 'L', number);
	dump_put(&k->out, "1\t");
	dump_put(&k->out, code >= 0 ? kernel_text(k, i->rows->field[code][i->row]) : t->name);
	for (int f = 0; f < (int)t->n; f++) {
		if (f == code)
			continue;
		dump_put(&k->out, "\\n");
		dump_put(&k->out, t->fields[f].name);
		dump_put_char(&k->out, ' ');
		if (t->fields[f].hex)
			dump_put_hex(&k->out, (uint64_t)i->rows->field[f][i->row]);
		else
			dump_put_signed(&k->out, i->rows->field[f][i->row]);
	}
	dump_put_char(&k->out, '\n');
}

static void begin_event(void *arg, const struct dump_item *i, uint64_t number)
{
	struct kanata *k = arg;
	const char *event = strchr(i->rows->table->name, '.');
	int warp = dump_find_field(i->rows->table, "warp");
	uint64_t thread = warp < 0 ? 0 : (uint64_t)i->rows->field[warp][i->row];

	if (k->producers)
		dump_producers_skip(k->producers);
	go_to(k, i->begin);
	begin_line(k, 'I', number);
	dump_put(&k->out, "0\t");
	dump_put_number(&k->out, k->known.cores->of[i->rows->who[i->row]] * WARPS + thread % WARPS);
	dump_put_char(&k->out, '\n');
	put_event_labels(k, i, number);
	if ((uint64_t)i->rows->cycle[i->row] <= i->begin) { /* no stage, and it is not reported again */
		end(k, number, i->begin, true);
		return;
	}
	begin_line(k, 'S', number);
	end_line(k, '0', event ? event + 1 : i->rows->table->name);
}

static void end_event(void *arg, uint64_t number, uint32_t table, int64_t who, uint64_t cycle)
{
	(void)table;
	(void)who;
	end(arg, number, cycle, true);
}

/* For table_wanted, to be freed: instructions, and spans with lanes. */
static bool *wanted(const struct kanata *k, const struct dump_query *q)
{
	bool *tables = hd__xcalloc(k->d->ntables, sizeof *tables);

	for (uint32_t i = 0; i < k->d->ntables; i++) {
		const struct dump_table *t = &k->d->tables[i];
		bool span = false;

		for (unsigned f = 0; f < t->n && t->kind == HD_TABLE_EVENTS; f++)
			span = span || t->fields[f].span;
		tables[i] = q->table_wanted[i] && ((int)i == k->known.inst
		                                   || (span && dump_find_apart(t) >= 0 && (int)i != k->known.slot));
	}
	return tables;
}

bool dump_write_kanata(struct dump *d, const struct dump_query *q, FILE *out)
{
	struct kanata *k = hd__xcalloc(1, sizeof *k);
	struct dump_query some = *q;
	struct dump_replay r = { .dump = d, .query = &some, .arg = k, .begin = begin, .change = change,
		.end = end, .row = begin_event, .row_end = end_event };
	bool ok;

	k->out.f = out;
	k->d = d;
	k->view = r.view = dump_stage_view_new(d);
	dump_know(&k->known, d);
	if (k->known.inst >= 0)
		k->producers = dump_producers_new(&k->known);
	k->codes = hd__xcalloc(d->codes->n, sizeof *k->codes);
	k->kernel = UINT32_MAX;
	some.table_wanted = wanted(k, q);
	dump_put(&k->out, "Kanata\t0004\n");
	ok = dump_replay(&r);
	dump_flush(&k->out);
	for (size_t i = 0; i < d->codes->n; i++)
		free(k->codes[i]);
	free(k->codes);
	free(k->kernel_text);
	dump_producers_free(k->producers);
	dump_known_free(&k->known);
	dump_stage_view_free(k->view);
	free(some.table_wanted);
	free(k);
	return ok;
}
