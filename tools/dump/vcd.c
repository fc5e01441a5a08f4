/* vcd.c - waveforms: instructions by place, causes of lost issue slots, statistics
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The unit of time is a picosecond; a cycle is a period of the clock of the run.
 */
#include "put.h"
#include "replay.h"
#include "writers.h"
#include "base/xalloc.h"

#include <inttypes.h>

#define COUNT_BITS 16u /* of a number of instructions in one place */

struct signal {
	uint32_t instance;    /* of its scope; UINT32_MAX: at the top */
	char *name;
	char id[8];           /* in the file */
	unsigned bits;        /* 0: a word */
	uint64_t value, written;
	const char *word, *word_written;
	bool changed;         /* it is in the list of changes */
};

struct signals {
	struct signal *v; /* in the order of instances */
	size_t n, cap;
	/* number of the signal, or SIZE_MAX */
	size_t cycle;
	size_t *places;       /* by place */
	size_t **states;      /* by table, then instance; NULL: the table has no reasons */
	size_t *counters;     /* by counter */
	int *reasons;         /* by table: the field; -1: none */
};

/* ---- signals that occur ---- */

struct occurs {
	bool *places, *counters;
	bool **states; /* by table and instance */
};

static int reason_field(const struct dump_table *t)
{
	for (unsigned k = 0; t->kind == HD_TABLE_EVENTS && k < t->n; k++)
		if (t->fields[k].names && strcmp(t->fields[k].names, "reason") == 0)
			return (int)k;
	return -1;
}

static void note_rows(struct occurs *o, const struct dump *d, const struct dump_rows *r)
{
	uint32_t table = (uint32_t)(r->table - d->tables);

	for (uint32_t i = 0; i < r->nnodes; i++)
		o->places[r->place[i]] = true;
	if (r->table->kind == HD_TABLE_TRANSACTIONS)
		return;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->table->kind == HD_TABLE_SAMPLES)
			o->counters[r->who[i]] = true;
		else if (o->states[table])
			o->states[table][r->who[i]] = true;
}

/* An instance that marks records that it takes is a place as well (stages.h). */
static void note_insides(struct occurs *o, const struct dump_stage_view *p)
{
	const struct dump *d = p->dump;
	bool *takes = hd__xcalloc(d->ninstances, sizeof *takes); /* by array: has a channel that occurs */

	for (uint32_t i = 0; i < d->nplaces; i++)
		if (o->places[i] && d->places[i].kind == DUMP_CHANNEL
		    && d->places[i].instance < d->ninstances)
			takes[p->array[d->places[i].instance]] = true;
	for (uint32_t i = 0; i < d->nplaces; i++) {
		uint32_t who = d->places[i].instance;

		if (o->places[i] && d->places[i].kind == DUMP_MARK && who < d->ninstances
		    && p->inside[who] != UINT32_MAX && takes[p->array[who]])
			o->places[p->inside[who]] = true;
	}
	free(takes);
}

static void look(struct occurs *o, struct dump *d, const struct dump_query *q,
                 const struct dump_stage_view *p, const struct signals *s)
{
	o->places = hd__xcalloc(d->nplaces, sizeof *o->places);
	o->counters = hd__xcalloc(d->ncounters, sizeof *o->counters);
	o->states = hd__xcalloc(d->ntables, sizeof *o->states);
	for (uint32_t i = 0; i < d->ntables; i++)
		if (s->reasons[i] >= 0)
			o->states[i] = hd__xcalloc(d->ninstances, sizeof *o->states[i]);
	for (size_t i = 0; i < d->nblocks; i++) {
		const struct dump_table *t = &d->tables[d->blocks[i].head.table];
		struct dump_rows r;

		if (!dump_query_block(q, d, i)
		    || (t->kind == HD_TABLE_TRANSACTIONS && strcmp(t->name, "inst") != 0)
		    || !dump_rows(d, i, &r))
			continue;
		note_rows(o, d, &r);
		dump_rows_free(&r);
	}
	note_insides(o, p);
}

/* ---- signals ---- */

static void make_id(char id[8], size_t n)
{
	do
		*id++ = (char)('!' + n % 94);
	while (n /= 94);
	*id = '\0';
}

static size_t add(struct signals *s, uint32_t instance, char *name, unsigned bits)
{
	struct signal *v;

	s->v = hd__xgrow(s->v, s->n, &s->cap, sizeof *s->v);
	v = &s->v[s->n];
	*v = (struct signal){ .instance = instance, .name = name, .bits = bits, .word = "-" };
	make_id(v->id, s->n);
	/* brackets would select bits */
	for (char *c = name; *c; c++)
		if (*c == '[' || *c == ']' || (unsigned char)*c <= ' ')
			*c = '_';
	while (*name && name[strlen(name) - 1] == '_')
		name[strlen(name) - 1] = '\0';
	return s->n++;
}

static void add_place(struct signals *s, const struct dump *d, uint32_t place)
{
	const struct dump_place *p = &d->places[place];
	const char *path = p->instance < d->ninstances ? d->instances[p->instance].path : "";
	const char *index = strrchr(path, '[');
	size_t n = strlen(path), array = index ? (size_t)(index - path) : n;
	char *name;

	if (p->kind == DUMP_AT)
		name = hd__xstrdup("inside");
	else if (p->kind == DUMP_MARK)
		name = hd__format("at_%s", p->mark);
	else if (strncmp(p->name, path, n) == 0 && p->name[n] == '.')
		name = hd__xstrdup(p->name + n + 1); /* with its index */
	else if (strncmp(p->name, path, array) == 0 && p->name[array] == '.')
		name = hd__xstrdup(p->name + array + 1); /* of all elements, in the first one */
	else
		name = hd__xstrdup(p->name);
	s->places[place] = add(s, p->instance, name, COUNT_BITS);
}

/* Numbers of things by the instance that they belong to; behind the last one those of none. */
struct index {
	uint32_t *first, *v; /* v[first[i]] to v[first[i + 1] - 1] are of instance i */
};

static struct index make_index(uint32_t ninstances, uint32_t n, const uint32_t *instance, size_t step)
{
	struct index x = { hd__xcalloc(ninstances + 2, sizeof *x.first), hd__xcalloc(n, sizeof *x.v) };

	for (int fill = 0; n && fill < 2; fill++) {
		for (uint32_t i = 0; i < n; i++) {
			uint32_t who = *(const uint32_t *)((const char *)instance + i * step);
			uint32_t *first = &x.first[who < ninstances ? who : ninstances];

			if (fill)
				x.v[(*first)++] = i;
			else
				first[1]++;
		}
		for (uint32_t i = 0; !fill && i <= ninstances; i++)
			x.first[i + 1] += x.first[i];
	}
	memmove(x.first + 1, x.first, (ninstances + 1) * sizeof *x.first);
	x.first[0] = 0;
	return x;
}

static void free_index(struct index *x)
{
	free(x->first);
	free(x->v);
}

static void add_instance(struct signals *s, const struct dump *d, const struct occurs *o,
                         const struct index *places, const struct index *counters,
                         uint32_t instance)
{
	uint32_t at = instance < d->ninstances ? instance : d->ninstances;

	for (uint32_t i = 0; i < d->ntables; i++)
		if (o->states[i] && instance < d->ninstances && o->states[i][instance]) {
			const char *dot = strrchr(d->tables[i].name, '.');

			s->states[i][instance] = add(s, instance, hd__xstrdup(dot ? dot + 1
				: d->tables[i].name), 0);
		}
	for (uint32_t k = places->first[at]; k < places->first[at + 1]; k++) {
		uint32_t i = places->v[k];

		if (o->places[i] && d->places[i].instance == instance)
			add_place(s, d, i);
	}
	for (uint32_t k = counters->first[at]; k < counters->first[at + 1]; k++) {
		uint32_t i = counters->v[k];

		if (o->counters[i] && d->counters[i].instance == instance)
			s->counters[i] = add(s, instance, hd__format("stat_%s", d->counters[i].name), 64);
	}
}

static size_t *no_signals(size_t n)
{
	size_t *v = hd__xcalloc(n, sizeof *v);

	for (size_t i = 0; i < n; i++)
		v[i] = SIZE_MAX;
	return v;
}

/* Finds all signals that occur in the selection. */
static struct signals *signals_new(struct dump *d, const struct dump_query *q,
                                    const struct dump_stage_view *p)
{
	struct signals *s = hd__xcalloc(1, sizeof *s);
	struct index places, counters;
	struct occurs o;

	s->places = no_signals(d->nplaces);
	s->counters = no_signals(d->ncounters);
	s->states = hd__xcalloc(d->ntables, sizeof *s->states);
	s->reasons = hd__xcalloc(d->ntables, sizeof *s->reasons);
	for (uint32_t i = 0; i < d->ntables; i++) {
		s->reasons[i] = reason_field(&d->tables[i]);
		if (s->reasons[i] >= 0)
			s->states[i] = no_signals(d->ninstances);
	}
	look(&o, d, q, p, s);
	s->cycle = add(s, UINT32_MAX, hd__xstrdup("cycle"), 64);
	places = make_index(d->ninstances, d->nplaces, d->nplaces ? &d->places->instance : NULL,
	                    sizeof *d->places);
	counters = make_index(d->ninstances, d->ncounters,
	                      d->ncounters ? &d->counters->instance : NULL, sizeof *d->counters);
	add_instance(s, d, &o, &places, &counters, UINT32_MAX);
	for (uint32_t i = 0; i < d->ninstances; i++)
		add_instance(s, d, &o, &places, &counters, i);
	free_index(&places);
	free_index(&counters);
	for (uint32_t i = 0; i < d->ntables; i++)
		free(o.states[i]);
	free(o.states);
	free(o.places);
	free(o.counters);
	return s;
}

static void signals_free(struct signals *s, const struct dump *d)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].name);
	for (uint32_t i = 0; i < d->ntables; i++)
		free(s->states[i]);
	free(s->v);
	free(s->places);
	free(s->states);
	free(s->counters);
	free(s->reasons);
	free(s);
}

/* ---- the head ---- */

/* Length of the common scopes of two paths. */
static size_t common(const char *a, const char *b)
{
	size_t n = 0, i;

	for (i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '.')
			n = i + 1;
	if ((a[i] == '\0' && (b[i] == '.' || b[i] == '\0')) || (b[i] == '\0' && a[i] == '.'))
		n = i;
	return n;
}

/* Leaves the scopes of `from` and enters those of `to`. */
static void change_scope(struct dump_out *o, const char *from, const char *to)
{
	size_t same = common(from, to);
	const char *c;

	if (from[same])
		dump_put(o, "$upscope $end\n");
	for (c = from + same + (from[same] == '.'); *c; c++)
		if (*c == '.')
			dump_put(o, "$upscope $end\n");
	for (c = to + same + (to[same] == '.'); *c;) {
		size_t n = strcspn(c, ".");

		dump_put(o, "$scope module ");
		dump_put_bytes(o, c, n);
		dump_put(o, " $end\n");
		c += n + (c[n] == '.');
	}
}

static void put_signal(struct dump_out *o, const struct signal *v)
{
	dump_put(o, v->bits ? "$var wire " : "$var string ");
	dump_put_number(o, v->bits ? v->bits : 1);
	dump_put_char(o, ' ');
	dump_put(o, v->id);
	dump_put_char(o, ' ');
	dump_put(o, v->name);
	dump_put(o, " $end\n");
}

/* Writes everything before the values.  unit: of the times. */
static void put_head(struct dump_out *o, const struct dump *d, const struct signals *s,
              const char *unit)
{
	const char *core = json_string_value(json_object_get(d->meta, "core")), *path = "";
	const char *made = json_string_value(json_object_get(d->meta, "heddle"));

	dump_put(o, "$version heddle ");
	dump_put(o, made ? made : "?");
	dump_put(o, " $end\n$timescale ");
	dump_put(o, unit);
	dump_put(o, " $end\n$scope module ");
	dump_put(o, core && *core && !strpbrk(core, " \t\n$") ? core : "core");
	dump_put(o, " $end\n");
	for (size_t i = 0; i < s->n; i++) {
		const struct signal *v = &s->v[i];
		const char *next = v->instance < d->ninstances ? d->instances[v->instance].path : "";

		change_scope(o, path, next);
		path = next;
		put_signal(o, v);
	}
	change_scope(o, path, "");
	dump_put(o, "$upscope $end\n$enddefinitions $end\n");
}

struct wave {
	struct dump_out out;
	struct dump *d;
	struct signals *s;
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

static void put_value(struct dump_out *o, const struct signal *v)
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
		struct signal *v = &w->s->v[i];

		put_value(&w->out, v);
		v->written = v->value;
		v->word_written = v->word;
	}
	dump_put(&w->out, "$end\n");
}

/* Writes what changed in the present cycle. */
static void flush(struct wave *w)
{
	struct signal *cycle = &w->s->v[w->s->cycle];
	bool time_written = false;

	for (size_t i = 0; i < w->nchanged; i++) {
		struct signal *v = &w->s->v[w->changed[i]];

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

static struct signal *touch(struct wave *w, size_t signal)
{
	struct signal *v = &w->s->v[signal];

	if (!v->changed) {
		v->changed = true;
		w->changed = hd__xgrow(w->changed, w->nchanged, &w->capchanged, sizeof *w->changed);
		w->changed[w->nchanged++] = signal;
	}
	return v;
}

/* ---- changes ---- */

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
static void end_state(void *arg, uint64_t number, uint32_t table, int64_t who, uint64_t cycle)
{
	struct wave *w = arg;
	size_t signal = state_of(w, table, who);

	(void)number;
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

static void row(void *arg, const struct dump_item *i, uint64_t number)
{
	(void)number;
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
	struct dump_replay r = { .dump = d, .query = q, .arg = w, .change = change,
		.row = row, .row_end = end_state };
	const struct hd_range_list *cycles = &q->filter.cycles;
	bool ok;

	w->out.f = out;
	w->d = d;
	w->cycle_ps = cycle_in_ps(d);
	w->first = cycles->n ? cycles->v[0].first : 0;
	w->last = cycles->n ? cycles->v[cycles->n - 1].last : UINT64_MAX;
	r.view = dump_stage_view_new(d);
	w->s = signals_new(d, q, r.view);
	w->counted = hd__xcalloc(d->ncounters, sizeof *w->counted);
	w->until = hd__xcalloc(d->ntables, sizeof *w->until);
	for (uint32_t i = 0; i < d->ntables; i++)
		w->until[i] = w->s->states[i] ? hd__xcalloc(d->ninstances, sizeof **w->until) : NULL;
	put_head(&w->out, d, w->s, "1 ps");
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
	signals_free(w->s, d);
	free(w->until);
	free(w->counted);
	free(w->changed);
	free(w);
	return ok;
}
