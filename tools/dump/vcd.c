/* vcd.c - waveforms: instructions by place, causes of lost issue slots, statistics
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The unit of time is a picosecond; a cycle is a period of the clock of the run.
 */
#include "formats.h"
#include "replay.h"
#include "vcd.h"
#include "base/xalloc.h"

struct wave {
	struct dump_out out;
	struct dump *d;
	struct vcd_signals *s;
	double cycle_ps;
	uint64_t now;            /* cycle; its changes are in the list */
	uint64_t first, last;    /* selected cycles */
	bool begun;
	size_t *changed, nchanged, capchanged;
	uint64_t **until;        /* by table and instance: end of a state */
	uint64_t *counted;       /* by counter: number + 1 of the last sample with it */
	uint64_t sample;         /* + 1 */
};

/* ---- values ---- */

static void put_value(struct dump_out *o, const struct vcd_signal *v)
{
	if (v->bits) {
		unsigned bit = v->value ? 63u - (unsigned)__builtin_clzll(v->value) : 0;

		dump_put_char(o, 'b');
		for (bit++; bit-- > 0;)
			dump_put_char(o, v->value >> bit & 1 ? '1' : '0');
	} else {
		dump_put_char(o, 's');
		dump_put(o, v->word);
	}
	dump_put_char(o, ' ');
	dump_put(o, v->id);
	dump_put_char(o, '\n');
}

/* Times of damaged dumps may be larger than what a waveform can hold: they are its end. */
static void put_time(struct wave *w, uint64_t cycle)
{
	double time = (double)cycle * w->cycle_ps + 0.5;

	dump_put_char(&w->out, '#');
	dump_put_number(&w->out, time < 0x1p64 ? (uint64_t)time : UINT64_MAX);
	dump_put_char(&w->out, '\n');
}

/* Writes all values, as of this cycle. */
static void begin(struct wave *w, uint64_t cycle)
{
	w->begun = true;
	w->s->v[w->s->cycle].value = cycle;
	put_time(w, cycle);
	dump_put(&w->out, "$dumpvars\n");
	for (size_t i = 0; i < w->s->n; i++) {
		struct vcd_signal *v = &w->s->v[i];

		put_value(&w->out, v);
		v->written = v->value;
		v->word_written = v->word;
	}
	dump_put(&w->out, "$end\n");
}

/* Writes what changed in the present cycle. */
static void flush(struct wave *w)
{
	struct vcd_signal *cycle = &w->s->v[w->s->cycle];
	bool time_written = false;

	for (size_t i = 0; i < w->nchanged; i++) {
		struct vcd_signal *v = &w->s->v[w->changed[i]];

		v->changed = false;
		if (!w->begun || (v->value == v->written && v->word == v->word_written))
			continue;
		if (!time_written) {
			time_written = true;
			put_time(w, w->now);
			cycle->value = cycle->written = w->now;
			put_value(&w->out, cycle);
		}
		v->written = v->value;
		v->word_written = v->word;
		put_value(&w->out, v);
	}
	w->nchanged = 0;
}

/* Advances to this cycle, if it is selected. */
static void go_to(struct wave *w, uint64_t cycle)
{
	if (cycle == w->now)
		return;
	flush(w);
	if (!w->begun && cycle > w->first)
		begin(w, w->first);
	w->now = cycle;
}

static struct vcd_signal *touch(struct wave *w, size_t signal)
{
	struct vcd_signal *v = &w->s->v[signal];

	if (!v->changed) {
		v->changed = true;
		w->changed = hd__xgrow(w->changed, w->nchanged, &w->capchanged, sizeof *w->changed);
		w->changed[w->nchanged++] = signal;
	}
	return v;
}

/* ---- changes ---- */

static void begin_transaction(void *arg, const struct dump_item *i, uint64_t number, struct dump_changes *c)
{
	(void)arg;
	(void)i;
	(void)number;
	(void)c;
}

static void end_transaction(void *arg, uint64_t number, uint64_t cycle, bool finished)
{
	(void)arg;
	(void)number;
	(void)cycle;
	(void)finished;
}

static void change(void *arg, uint64_t number, const struct dump_change *c)
{
	struct wave *w = arg;

	(void)number;
	if (c->cycle > w->last || w->s->places[c->place] == SIZE_MAX)
		return;
	go_to(w, c->cycle);
	touch(w, w->s->places[c->place])->value += c->opens ? 1 : UINT64_MAX;
}

static size_t state_of(const struct wave *w, uint32_t table, int64_t who)
{
	return w->s->states[table] ? w->s->states[table][who] : SIZE_MAX;
}

static void begin_state(struct wave *w, const struct dump_item *i)
{
	int64_t who = i->rows->who[i->row];
	size_t signal = state_of(w, i->table, who);
	int field = w->s->reasons[i->table];
	const char *reason;

	if (signal == SIZE_MAX || i->begin > w->last)
		return;
	go_to(w, i->begin);
	reason = dump_name(w->d, "reason", i->rows->table->module, i->rows->field[field][i->row]);
	touch(w, signal)->word = reason ? reason : "?";
	w->until[i->table][who] = (uint64_t)i->rows->cycle[i->row];
}

/* The state that follows is not known. */
static void end_state(void *arg, uint32_t table, int64_t who, uint64_t cycle)
{
	struct wave *w = arg;
	size_t signal = state_of(w, table, who);

	if (signal == SIZE_MAX || cycle > w->last || w->until[table][who] != cycle)
		return;
	go_to(w, cycle);
	touch(w, signal)->word = "-";
}

/* A sample covers the cycles before its own. */
static void add_sample(struct wave *w, const struct dump_item *i)
{
	int64_t counter = i->rows->who[i->row];

	if (i->begin > w->last || w->s->counters[counter] == SIZE_MAX)
		return;
	go_to(w, i->begin);
	if (w->sample != i->begin + 1) {
		for (uint32_t k = 0; k < w->d->ncounters; k++)
			if (w->counted[k] && w->counted[k] == w->sample)
				touch(w, w->s->counters[k])->value = 0;
		w->sample = i->begin + 1;
	}
	w->counted[counter] = w->sample;
	touch(w, w->s->counters[counter])->value = (uint64_t)i->rows->field[0][i->row];
}

static void row(void *arg, const struct dump_item *i)
{
	if (i->rows->table->kind == HD_TABLE_SAMPLES)
		add_sample(arg, i);
	else if (i->rows->table->kind == HD_TABLE_EVENTS)
		begin_state(arg, i);
}

/* ---- the whole file ---- */

/* The period of the clock that counts cycles; a nanosecond if it has no frequency. */
static double cycle_in_ps(const struct dump *d)
{
	const char *name = json_string_value(json_object_get(d->meta, "cycle"));
	const json_t *clock;
	size_t i;

	json_array_foreach(json_object_get(d->meta, "clocks"), i, clock) {
		const char *its = json_string_value(json_object_get(clock, "name"));
		double mhz = json_number_value(json_object_get(clock, "mhz"));

		if (name && its && strcmp(name, its) == 0 && mhz >= 1e-3 && mhz <= 1e6)
			return 1e6 / mhz;
	}
	return 1000;
}

bool dump_write_vcd(struct dump *d, const struct dump_query *q, FILE *out)
{
	struct wave *w = hd__xcalloc(1, sizeof *w);
	struct dump_replay r = { .dump = d, .query = q, .arg = w, .begin = begin_transaction,
		.change = change, .end = end_transaction, .row = row, .row_end = end_state };
	const struct hd_range_list *cycles = &q->filter.cycles;
	bool ok;

	w->out.f = out;
	w->d = d;
	w->cycle_ps = cycle_in_ps(d);
	w->first = cycles->n ? cycles->v[0].first : 0;
	w->last = cycles->n ? cycles->v[cycles->n - 1].last : UINT64_MAX;
	r.view = dump_stage_view_new(d);
	w->s = vcd_signals_new(d, q, r.view);
	w->counted = hd__xcalloc(d->ncounters, sizeof *w->counted);
	w->until = hd__xcalloc(d->ntables, sizeof *w->until);
	for (uint32_t i = 0; i < d->ntables; i++)
		w->until[i] = w->s->states[i] ? hd__xcalloc(d->ninstances, sizeof **w->until) : NULL;
	vcd_head(&w->out, d, w->s, "1 ps");
	ok = dump_replay(&r);
	flush(w);
	if (!w->begun)
		begin(w, w->first);
	if (cycles->n && w->last < UINT64_MAX)
		put_time(w, w->last + 1);
	dump_flush(&w->out);
	dump_stage_view_free(r.view);
	for (uint32_t i = 0; i < d->ntables; i++)
		free(w->until[i]);
	vcd_signals_free(w->s, d);
	free(w->until);
	free(w->counted);
	free(w->changed);
	free(w);
	return ok;
}
