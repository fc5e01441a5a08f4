/* perfetto.c - timelines for the Perfetto UI
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One nanosecond there is one cycle here.  A process is a core, a thread a warp; as instructions
 * of a warp overlap and slices must nest, each uses the first free track of the warp.  The slice of
 * an instruction contains slices for the places where it was, and these for what it waited for.
 *
 * Names of fields are those of perfetto/protos/perfetto/trace.  The file is one sequence of
 * packets; the reader sorts them by time, and keeps the order of those of one time.
 */
#include "dump_warps.h"
#include "producers.h"
#include "stages.h"
#include "writers.h"
#include "base/bytes.h"
#include "base/int_map.h"

#include <inttypes.h>

#define FLUSH (1u << 17) /* bytes */
#define LANES 64u        /* tracks for overlapping slices */
#define TIDS 1000u       /* threads of a process */

enum perfetto_type { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

/* Texts that are written once and then referred to by a number. */
enum perfetto_texts { EVENT_NAMES, ARGUMENT_NAMES, ARGUMENT_VALUES, PERFETTO_TEXTS };

struct perfetto {
	FILE *f;
	struct hd_bytes packet;     /* fields of the present packet */
	struct hd_bytes interned;   /* new texts, for the next packet */
	struct hd_bytes out;        /* finished packets */
	struct hd_int_map texts[PERFETTO_TEXTS]; /* numbers, by address */
	uint64_t tracks;         /* so far; their numbers are 1 ... */
};

/* Numbers of fields. */
enum { TRACE_PACKET = 1 };
enum { PACKET_TIMESTAMP = 8, PACKET_SEQUENCE_ID = 10, PACKET_TRACK_EVENT = 11, PACKET_INTERNED = 12,
	PACKET_FLAGS = 13, PACKET_TRACK_DESCRIPTOR = 60 };
enum { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_NAME_IID = 10, EVENT_TRACK = 11,
	EVENT_COUNTER_VALUE = 30, EVENT_FLOW = 47 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
	TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT_NAME = 6 };
enum { ANNOTATION_NAME_IID = 1, ANNOTATION_INT = 4, ANNOTATION_POINTER = 7,
	ANNOTATION_STRING_IID = 17 };

#define SEQUENCE 1u
#define STATE_CLEARED 1u /* flags: numbers of texts start over; */
#define NEEDS_STATE 2u   /* it uses some */

static const uint32_t interned_field[] = {
	[EVENT_NAMES] = 2, [ARGUMENT_NAMES] = 3, [ARGUMENT_VALUES] = 29,
};

/* ---- protocol buffers ---- */

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2 };

static void proto_tag(struct hd_bytes *p, uint32_t field, enum proto_wire wire)
{
	hd__bytes_varint(p, (uint64_t)field << 3 | wire);
}

/* uint64, int64, enum, bool. */
static void proto_number(struct hd_bytes *p, uint32_t field, uint64_t v)
{
	proto_tag(p, field, PROTO_VARINT);
	hd__bytes_varint(p, v);
}

static void proto_fixed64(struct hd_bytes *p, uint32_t field, uint64_t v)
{
	unsigned char *to;

	proto_tag(p, field, PROTO_FIXED64);
	to = hd__bytes_room(p, 8);
	for (int i = 0; i < 8; i++)
		to[i] = (unsigned char)(v >> 8 * i);
	p->n += 8;
}

static void proto_string(struct hd_bytes *p, uint32_t field, const char *s)
{
	size_t n = strlen(s);

	proto_tag(p, field, PROTO_BYTES);
	hd__bytes_varint(p, n);
	hd__bytes_append(p, s, n);
}

/* Starts a message as a field; it ends with proto_end() of the result. */
static size_t proto_begin(struct hd_bytes *p, uint32_t field)
{
	proto_tag(p, field, PROTO_BYTES);
	hd__bytes_room(p, 1);
	return ++p->n;
}

/* Short messages get their length in the reserved room, others are moved. */
static void proto_end(struct hd_bytes *p, size_t begin)
{
	size_t n = p->n - begin, more = 0;

	for (size_t k = n >> 7; k; k >>= 7)
		more++;
	if (more) {
		hd__bytes_room(p, more);
		memmove(p->v + begin + more, p->v + begin, n);
	}
	p->n = begin - 1;
	hd__bytes_varint(p, n);
	p->n += n;
}

/* ---- interned texts ---- */

/* Numbers of a text, by its address: it must stay where it is. */
static uint64_t perfetto_text(struct perfetto *p, enum perfetto_texts kind, const char *text)
{
	struct hd_int_map *texts = &p->texts[kind];
	uint64_t *number = hd__int_map_at(texts, (uintptr_t)text);
	size_t entry;

	if (*number)
		return *number;
	*number = texts->n;
	entry = proto_begin(&p->interned, interned_field[kind]);
	proto_number(&p->interned, 1, *number);
	proto_string(&p->interned, 2, text);
	proto_end(&p->interned, entry);
	return *number;
}

/* ---- packets ---- */

static void flush(struct perfetto *p)
{
	fwrite(p->out.v, 1, p->out.n, p->f);
	p->out.n = 0;
}

/* Writes p->packet as a packet of its own, with what it needs. */
static void put_packet(struct perfetto *p, uint64_t flags)
{
	size_t packet = proto_begin(&p->out, TRACE_PACKET);

	proto_number(&p->out, PACKET_SEQUENCE_ID, SEQUENCE);
	proto_number(&p->out, PACKET_FLAGS, flags);
	if (p->interned.n) {
		size_t interned = proto_begin(&p->out, PACKET_INTERNED);

		hd__bytes_append(&p->out, p->interned.v, p->interned.n);
		proto_end(&p->out, interned);
		p->interned.n = 0;
	}
	hd__bytes_append(&p->out, p->packet.v, p->packet.n);
	proto_end(&p->out, packet);
	p->packet.n = 0;
	if (p->out.n >= FLUSH)
		flush(p);
}

/* Begins an event, which perfetto_done() ends; arguments and the like are written to p->packet
 * in between. */
static size_t perfetto_event(struct perfetto *p, uint64_t cycle, enum perfetto_type type, uint64_t track)
{
	size_t event;

	proto_number(&p->packet, PACKET_TIMESTAMP, cycle);
	event = proto_begin(&p->packet, PACKET_TRACK_EVENT);
	proto_number(&p->packet, EVENT_TYPE, type);
	proto_number(&p->packet, EVENT_TRACK, track);
	return event;
}

static void perfetto_name(struct perfetto *p, const char *text)
{
	proto_number(&p->packet, EVENT_NAME_IID, perfetto_text(p, EVENT_NAMES, text));
}

static void perfetto_value(struct perfetto *p, int64_t v)
{
	proto_number(&p->packet, EVENT_COUNTER_VALUE, (uint64_t)v);
}

static void perfetto_flow(struct perfetto *p, uint64_t number)
{
	proto_fixed64(&p->packet, EVENT_FLOW, number);
}

static size_t begin_argument(struct perfetto *p, const char *name)
{
	size_t annotation = proto_begin(&p->packet, EVENT_ANNOTATION);

	proto_number(&p->packet, ANNOTATION_NAME_IID, perfetto_text(p, ARGUMENT_NAMES, name));
	return annotation;
}

static void perfetto_argument(struct perfetto *p, const char *name, int64_t v)
{
	size_t annotation = begin_argument(p, name);

	proto_number(&p->packet, ANNOTATION_INT, (uint64_t)v);
	proto_end(&p->packet, annotation);
}

static void perfetto_hex(struct perfetto *p, const char *name, int64_t v)
{
	size_t annotation = begin_argument(p, name);

	proto_number(&p->packet, ANNOTATION_POINTER, (uint64_t)v);
	proto_end(&p->packet, annotation);
}

static void perfetto_word(struct perfetto *p, const char *name, const char *value)
{
	size_t annotation = begin_argument(p, name);

	proto_number(&p->packet, ANNOTATION_STRING_IID, perfetto_text(p, ARGUMENT_VALUES, value));
	proto_end(&p->packet, annotation);
}

static void perfetto_done(struct perfetto *p, size_t event)
{
	proto_end(&p->packet, event);
	put_packet(p, NEEDS_STATE);
}

/* ---- tracks ---- */

static size_t begin_track(struct perfetto *p, uint64_t parent, const char *name)
{
	size_t track = proto_begin(&p->packet, PACKET_TRACK_DESCRIPTOR);

	proto_number(&p->packet, TRACK_UUID, ++p->tracks);
	if (parent)
		proto_number(&p->packet, TRACK_PARENT, parent);
	if (name)
		proto_string(&p->packet, TRACK_NAME, name);
	return track;
}

static uint64_t end_track(struct perfetto *p, size_t track)
{
	proto_end(&p->packet, track);
	put_packet(p, NEEDS_STATE);
	return p->tracks;
}

/* Tracks: the number of a new one.  tid: of a thread; 0: a track below `parent`. */
static uint64_t perfetto_process(struct perfetto *p, int64_t pid, const char *name)
{
	size_t track = begin_track(p, 0, NULL), process = proto_begin(&p->packet, TRACK_PROCESS);

	proto_number(&p->packet, PROCESS_PID, (uint64_t)pid);
	proto_string(&p->packet, PROCESS_NAME, name);
	proto_end(&p->packet, process);
	return end_track(p, track);
}

static uint64_t perfetto_thread(struct perfetto *p, int64_t pid, int64_t tid, const char *name)
{
	size_t track = begin_track(p, 0, NULL), thread = proto_begin(&p->packet, TRACK_THREAD);

	proto_number(&p->packet, THREAD_PID, (uint64_t)pid);
	proto_number(&p->packet, THREAD_TID, (uint64_t)tid);
	proto_string(&p->packet, THREAD_NAME, name);
	proto_end(&p->packet, thread);
	return end_track(p, track);
}

static uint64_t perfetto_track(struct perfetto *p, uint64_t parent, const char *name)
{
	return end_track(p, begin_track(p, parent, name));
}

static uint64_t perfetto_counter(struct perfetto *p, uint64_t parent, const char *name, const char *unit)
{
	size_t track = begin_track(p, parent, name), counter = proto_begin(&p->packet, TRACK_COUNTER);

	if (*unit)
		proto_string(&p->packet, COUNTER_UNIT_NAME, unit);
	proto_end(&p->packet, counter);
	return end_track(p, track);
}

/* ---- files ---- */

static void perfetto_open(struct perfetto *p, FILE *f)
{
	*p = (struct perfetto){ .f = f };
	put_packet(p, STATE_CLEARED);
}

static void perfetto_close(struct perfetto *p)
{
	flush(p);
	for (int i = 0; i < PERFETTO_TEXTS; i++)
		hd__int_map_free(&p->texts[i]);
	free(p->packet.v);
	free(p->interned.v);
	free(p->out.v);
}

/* ---- the timeline ---- */

/* Tracks for slices that overlap. */
struct lanes {
	uint64_t thread;         /* the first track, and parent of the others */
	uint64_t parent;         /* of the first one, if it is not a thread */
	const char *name;
	uint64_t track[LANES];   /* 0: not yet */
	uint64_t busy[LANES];    /* until this cycle */
};

/* Rows of one table and instance. */
struct state {
	uint64_t track; /* 0: not yet */
	uint64_t end;   /* of the last slice */
	struct hd_int_map lanes; /* of a table with lanes, by value: those at this place of timeline.lanes, + 1 */
};

/* Fields of a table with known names. */
struct fields {
	int warp, code, reason, lane;
};

struct timeline {
	struct perfetto p;
	struct dump *d;
	struct dump_stage_view *view;
	struct dump_changes changes; /* of the present transaction */
	struct dump_known known;
	struct dump_producers *producers;
	uint64_t number;          /* of the present instruction, from 1 */
	struct fields *fields;    /* by table */
	uint64_t *process;        /* by core */
	struct dump_warps warps;  /* of struct lanes */
	struct lanes **others;    /* by core and table of other transactions */
	struct state **states;    /* by table and instance */
	struct lanes **lanes;     /* of events */
	size_t nlanes;
	uint64_t *counters;       /* by counter: its track */
	uint64_t *counted;        /* by counter: when it was last seen growing */
	bool *grown;              /* by counter: it has a value that is not 0 */
	uint64_t sample, sampled; /* end of this sample and of the previous one */
	char **causes;            /* texts by number, created on demand */
};

/* ---- tracks ---- */

static uint64_t process_of(struct timeline *t, uint32_t core)
{
	if (!t->process[core]) {
		const char *name = json_string_value(json_object_get(t->d->meta, "core"));
		const char *path = t->known.cores->paths[core];
		char *text = hd__format("%s%s%s (1 ns is 1 cycle)", name ? name : "core",
		                        *path ? " " : "", path);

		t->process[core] = perfetto_process(&t->p, core + 1, text);
		free(text);
	}
	return t->process[core];
}

static struct lanes *lanes_of_warp(struct timeline *t, uint32_t core, uint32_t warp)
{
	struct lanes *l = dump_warp_make(&t->warps, core, warp);

	if (!l->thread) {
		char *name = hd__format("warp %02" PRIu32, warp);

		process_of(t, core);
		l->track[0] = l->thread = perfetto_thread(&t->p, core + 1,
			(int64_t)(core + 1) * TIDS + warp, name);
		l->name = "more at a time";
		free(name);
	}
	return l;
}

static struct lanes *lanes_of_table(struct timeline *t, uint32_t core, uint32_t table)
{
	struct lanes **l = &t->others[core * t->d->ntables + table];

	if (!*l) {
		*l = hd__xcalloc(1, sizeof **l);
		(*l)->parent = process_of(t, core);
		(*l)->name = t->d->tables[table].name;
	}
	return *l;
}

/* A track that is free from `begin` on; it is taken until `end`. */
static uint64_t take_lane(struct timeline *t, struct lanes *l, uint64_t begin, uint64_t end)
{
	uint32_t i = 0;

	while (i + 1 < LANES && l->busy[i] > begin)
		i++;
	if (!l->track[i])
		l->track[i] = perfetto_track(&t->p, l->thread ? l->thread : l->parent, l->name);
	l->busy[i] = end;
	return l->track[i];
}

/* ---- arguments ---- */

static const char *cause_text(struct timeline *t, int64_t v)
{
	const struct dump_cause *c = &t->d->causes[v];

	if (!t->causes[v])
		t->causes[v] = c->instance < t->d->ninstances
			? hd__format("%s: %s", t->d->instances[c->instance].path, c->reason)
			: hd__xstrdup(c->reason);
	return t->causes[v];
}

static void add_code(struct timeline *t, int64_t v)
{
	struct dump_code c;
	const char *kernel;

	if (v <= 0 || !dump_code(t->d, v, &c))
		return;
	kernel = dump_name(t->d, "kernel", NULL, c.kernel);
	perfetto_hex(&t->p, "pc", c.pc);
	if (kernel)
		perfetto_word(&t->p, "kernel", kernel);
}

/* All fields of a row, except those that the slice shows. */
static void add_fields(struct timeline *t, const struct dump_item *i, int shown)
{
	const struct dump_table *table = i->rows->table;

	for (int k = 0; k < (int)table->n; k++) {
		const struct dump_field *f = &table->fields[k];
		int64_t v = i->rows->field[k][i->row];
		const char *name;

		if (k == shown || f->span || (v == -1 && !f->hex))
			continue;
		if (f->names && strcmp(f->names, "cause") == 0) {
			if (v > 0 && v < t->d->ncauses)
				perfetto_word(&t->p, f->name, cause_text(t, v));
			continue;
		}
		name = dump_name(t->d, f->names, table->module, v);
		if (name)
			perfetto_word(&t->p, f->name, name);
		else if (f->hex)
			perfetto_hex(&t->p, f->name, v);
		else if (!f->names)
			perfetto_argument(&t->p, f->name, v);
		if (f->names && strcmp(f->names, "code") == 0)
			add_code(t, v);
	}
}

/* The name of a slice: its reason, else the first named number, else its table; shown: the field
 * that it is from. */
static const char *row_name(const struct timeline *t, const struct dump_item *i, int *shown)
{
	const struct dump_table *table = i->rows->table;
	int reason = t->fields[i->table].reason;

	for (int k = reason < 0 ? 0 : reason; k < (int)table->n; k++) {
		const char *name = dump_name(t->d, table->fields[k].names, table->module,
		                             i->rows->field[k][i->row]);

		if (name) {
			*shown = k;
			return name;
		}
	}
	return table->name;
}

/* ---- transactions ---- */

static void end_slice(struct timeline *t, uint64_t cycle, uint64_t track)
{
	perfetto_done(&t->p, perfetto_event(&t->p, cycle, SLICE_END, track));
}

/* Arrows go from the slice that computes a register's value to the one that uses it. */
static void add_flows(struct timeline *t, const struct dump_item *i, size_t at)
{
	if (dump_has_result(&t->known, i))
		perfetto_flow(&t->p, t->number);
	for (size_t k = 0; k < at; k++)
		if (t->changes.v[k].other)
			perfetto_flow(&t->p, t->changes.v[k].other);
}

static void add_stays(struct timeline *t, const struct dump_item *i, uint64_t track)
{
	for (size_t k = 0; k < t->changes.n; k++) {
		const struct dump_change *c = &t->changes.v[k];
		size_t event;

		if (!c->opens) {
			end_slice(t, c->cycle, track);
			continue;
		}
		event = perfetto_event(&t->p, c->cycle, SLICE_BEGIN, track);
		perfetto_name(&t->p, c->lane == DUMP_LANE_STAGE ? t->d->places[c->place].name
		                                                : dump_stage_view_text(t->view, c));
		if (c->lane == DUMP_LANE_STAGE && t->view->v[c->place].executes
		    && (int)i->table == t->known.inst)
			add_flows(t, i, k);
		perfetto_done(&t->p, event);
	}
}

static void add_transaction(struct timeline *t, const struct dump_item *i)
{
	const struct fields *f = &t->fields[i->table];
	uint32_t core = dump_core_of_item(&t->known, i);
	int64_t warp = f->warp >= 0 ? i->rows->field[f->warp][i->row] : -1;
	bool thread = (int)i->table == t->known.inst && warp >= 0 && warp < TIDS;
	struct lanes *lanes = thread ? lanes_of_warp(t, core, (uint32_t)warp)
	                             : lanes_of_table(t, core, i->table);
	uint64_t track = take_lane(t, lanes, i->begin, i->transaction->end);
	int shown = -1;
	const char *name = row_name(t, i, &shown);
	size_t event = perfetto_event(&t->p, i->begin, SLICE_BEGIN, track);

	perfetto_name(&t->p, name);
	if (shown >= 0 && shown == f->code)
		add_code(t, i->rows->field[shown][i->row]);
	add_fields(t, i, shown);
	perfetto_done(&t->p, event);
	dump_split(t->view, i->transaction, &t->changes);
	if ((int)i->table == t->known.inst)
		t->number = dump_add_arrows(t->producers, t->view, i, &t->changes);
	add_stays(t, i, track);
	end_slice(t, i->transaction->end, track);
}

/* ---- events ---- */

static char *name_of_events(const struct timeline *t, const struct dump_item *i)
{
	const char *event = strchr(i->rows->table->name, '.');

	return hd__format("%s%s", t->d->instances[i->rows->who[i->row]].path, event ? event : "");
}

static struct state *state_of(struct timeline *t, const struct dump_item *i)
{
	uint32_t who = (uint32_t)i->rows->who[i->row];
	struct state *s;

	if (!t->states[i->table])
		t->states[i->table] = hd__xcalloc(t->d->ninstances, sizeof **t->states);
	s = &t->states[i->table][who];
	if (!s->track && t->fields[i->table].lane < 0) {
		char *name = name_of_events(t, i);

		s->track = perfetto_track(&t->p, process_of(t, t->known.cores->of[who]), name);
		free(name);
	}
	return s;
}

/* The track of an event whose table has lanes. */
static uint64_t lane_of(struct timeline *t, struct state *s, const struct dump_item *i, uint64_t end)
{
	int lane = t->fields[i->table].lane;
	const struct dump_field *f = &i->rows->table->fields[lane];
	int64_t v = i->rows->field[lane][i->row];
	uint64_t *at = hd__int_map_at(&s->lanes, (uint64_t)v & INT64_MAX);
	struct lanes *l;

	if (!*at) {
		char *events = name_of_events(t, i);

		l = hd__xcalloc(1, sizeof *l);
		l->parent = process_of(t, t->known.cores->of[i->rows->who[i->row]]);
		l->name = hd__format(f->hex ? "%s %s 0x%" PRIx64 : "%s %s %" PRId64, events, f->name, v);
		free(events);
		t->lanes = hd__xappend(t->lanes, t->nlanes, sizeof *t->lanes);
		t->lanes[t->nlanes++] = l;
		*at = t->nlanes;
	}
	return take_lane(t, t->lanes[*at - 1], i->begin, end);
}

/* A span is a slice, another event a point in time. */
static void add_event(struct timeline *t, const struct dump_item *i)
{
	struct state *s = state_of(t, i);
	uint64_t end = (uint64_t)i->rows->cycle[i->row];
	bool span = end > i->begin, lane = t->fields[i->table].lane >= 0;
	/* slices of a track must not overlap */
	uint64_t begin = span && !lane && i->begin < s->end ? s->end : i->begin;
	int shown = -1;
	const char *name = row_name(t, i, &shown);
	size_t event;

	if (span && begin >= end)
		return;
	if (lane)
		s->track = lane_of(t, s, i, end);
	event = perfetto_event(&t->p, begin, span ? SLICE_BEGIN : INSTANT, s->track);
	perfetto_name(&t->p, name);
	add_fields(t, i, shown);
	perfetto_done(&t->p, event);
	if (span) {
		end_slice(t, end, s->track);
		s->end = end;
	}
}

/* ---- counters ---- */

static void count(struct timeline *t, uint32_t counter, uint64_t cycle, int64_t v)
{
	const struct dump_counter *c = &t->d->counters[counter];
	size_t event;

	if (!t->counters[counter]) {
		const char *path = c->instance < t->d->ninstances ? t->d->instances[c->instance].path : "";
		uint32_t core = c->instance < t->d->ninstances ? t->known.cores->of[c->instance] : 0;
		char *name = hd__format("%s%s%s", path, *path ? "." : "", c->name);

		t->counters[counter] = perfetto_counter(&t->p, process_of(t, core), name, c->unit);
		free(name);
	}
	event = perfetto_event(&t->p, cycle, COUNTER, t->counters[counter]);
	perfetto_value(&t->p, v);
	perfetto_done(&t->p, event);
}

/* The sample is complete: counters that are not in it have not grown. */
static void end_sample(struct timeline *t)
{
	for (uint32_t i = 0; i < t->d->ncounters; i++)
		if (t->grown[i] && t->counted[i] != t->sample) {
			t->grown[i] = false;
			count(t, i, t->sampled, 0);
		}
}

/* A sample covers the time since the previous one, and is drawn there. */
static void add_sample(struct timeline *t, const struct dump_item *i)
{
	uint32_t counter = (uint32_t)i->rows->who[i->row];
	uint64_t end = (uint64_t)i->rows->cycle[i->row] + 1;

	if (end != t->sample) {
		uint64_t length = (uint64_t)json_integer_value(json_object_get(t->d->meta, "sample"));

		end_sample(t);
		t->sampled = t->sample ? t->sample : length && end > length ? end - length : 0;
		t->sample = end;
	}
	t->counted[counter] = end;
	t->grown[counter] = true;
	count(t, counter, t->sampled, i->rows->field[0][i->row]);
}

/* ---- the whole file ---- */

static bool take(void *arg, const struct dump_item *i)
{
	struct timeline *t = arg;

	if (i->transaction)
		add_transaction(t, i);
	else if (i->rows->table->kind == HD_TABLE_SAMPLES)
		add_sample(t, i);
	else
		add_event(t, i);
	return true;
}

static void find_fields(struct timeline *t)
{
	const struct dump *d = t->d;

	t->fields = hd__xcalloc(d->ntables, sizeof *t->fields);
	for (uint32_t i = 0; i < d->ntables; i++) {
		const struct dump_table *table = &d->tables[i];

		t->fields[i] = (struct fields){ dump_find_field(table, "warp"),
			dump_find_field(table, "code"), -1, dump_find_apart(table) };
		for (unsigned k = 0; k < table->n; k++)
			if (table->fields[k].names && strcmp(table->fields[k].names, "reason") == 0)
				t->fields[i].reason = (int)k;
	}
}

static void free_all(void *v, size_t n)
{
	void **p = v;

	for (size_t i = 0; i < n; i++)
		free(p[i]);
	free(p);
}

bool dump_write_perfetto(struct dump *d, const struct dump_query *q, FILE *out)
{
	struct timeline t = { .d = d };

	t.view = dump_stage_view_new(d);
	dump_know(&t.known, d);
	t.producers = dump_producers_new(&t.known);
	dump_warps_init(&t.warps, t.known.cores->n, sizeof(struct lanes));
	find_fields(&t);
	t.process = hd__xcalloc(t.known.cores->n, sizeof *t.process);
	t.others = hd__xcalloc((size_t)d->ntables * t.known.cores->n, sizeof *t.others);
	t.states = hd__xcalloc(d->ntables, sizeof *t.states);
	t.counters = hd__xcalloc(d->ncounters, sizeof *t.counters);
	t.counted = hd__xcalloc(d->ncounters, sizeof *t.counted);
	t.grown = hd__xcalloc(d->ncounters, sizeof *t.grown);
	t.causes = hd__xcalloc(d->ncauses, sizeof *t.causes);
	perfetto_open(&t.p, out);
	dump_in_order(d, q, take, &t);
	end_sample(&t);
	perfetto_close(&t.p);
	dump_warps_free(&t.warps);
	free_all(t.others, (size_t)d->ntables * t.known.cores->n);
	for (uint32_t i = 0; i < d->ntables; i++)
		for (uint32_t who = 0; t.states[i] && t.fields[i].lane >= 0 && who < d->ninstances; who++)
			hd__int_map_free(&t.states[i][who].lanes);
	free_all(t.states, d->ntables);
	for (size_t i = 0; i < t.nlanes; i++)
		free((char *)t.lanes[i]->name);
	free_all(t.lanes, t.nlanes);
	free_all(t.causes, d->ncauses);
	free(t.fields);
	free(t.process);
	free(t.counters);
	free(t.counted);
	free(t.grown);
	free(t.changes.v);
	dump_producers_free(t.producers);
	dump_known_free(&t.known);
	dump_stage_view_free(t.view);
	return true;
}
