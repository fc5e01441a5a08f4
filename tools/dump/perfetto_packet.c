/* perfetto_packet.c - packets of Perfetto traces: events, tracks, interned texts
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "perfetto.h"

#define FLUSH (1u << 17)

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

/* ---- interned texts ---- */

uint64_t perfetto_text(struct perfetto *p, enum perfetto_texts kind, const char *text)
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

size_t perfetto_event(struct perfetto *p, uint64_t cycle, enum perfetto_type type, uint64_t track)
{
	size_t event;

	proto_number(&p->packet, PACKET_TIMESTAMP, cycle);
	event = proto_begin(&p->packet, PACKET_TRACK_EVENT);
	proto_number(&p->packet, EVENT_TYPE, type);
	proto_number(&p->packet, EVENT_TRACK, track);
	return event;
}

void perfetto_name(struct perfetto *p, const char *text)
{
	proto_number(&p->packet, EVENT_NAME_IID, perfetto_text(p, EVENT_NAMES, text));
}

void perfetto_value(struct perfetto *p, int64_t v)
{
	proto_number(&p->packet, EVENT_COUNTER_VALUE, (uint64_t)v);
}

void perfetto_flow(struct perfetto *p, uint64_t number)
{
	proto_fixed64(&p->packet, EVENT_FLOW, number);
}

static size_t begin_argument(struct perfetto *p, const char *name)
{
	size_t annotation = proto_begin(&p->packet, EVENT_ANNOTATION);

	proto_number(&p->packet, ANNOTATION_NAME_IID, perfetto_text(p, ARGUMENT_NAMES, name));
	return annotation;
}

void perfetto_argument(struct perfetto *p, const char *name, int64_t v)
{
	size_t annotation = begin_argument(p, name);

	proto_number(&p->packet, ANNOTATION_INT, (uint64_t)v);
	proto_end(&p->packet, annotation);
}

void perfetto_hex(struct perfetto *p, const char *name, int64_t v)
{
	size_t annotation = begin_argument(p, name);

	proto_number(&p->packet, ANNOTATION_POINTER, (uint64_t)v);
	proto_end(&p->packet, annotation);
}

void perfetto_word(struct perfetto *p, const char *name, const char *value)
{
	size_t annotation = begin_argument(p, name);

	proto_number(&p->packet, ANNOTATION_STRING_IID, perfetto_text(p, ARGUMENT_VALUES, value));
	proto_end(&p->packet, annotation);
}

void perfetto_done(struct perfetto *p, size_t event)
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

uint64_t perfetto_process(struct perfetto *p, int64_t pid, const char *name)
{
	size_t track = begin_track(p, 0, NULL), process = proto_begin(&p->packet, TRACK_PROCESS);

	proto_number(&p->packet, PROCESS_PID, (uint64_t)pid);
	proto_string(&p->packet, PROCESS_NAME, name);
	proto_end(&p->packet, process);
	return end_track(p, track);
}

uint64_t perfetto_thread(struct perfetto *p, int64_t pid, int64_t tid, const char *name)
{
	size_t track = begin_track(p, 0, NULL), thread = proto_begin(&p->packet, TRACK_THREAD);

	proto_number(&p->packet, THREAD_PID, (uint64_t)pid);
	proto_number(&p->packet, THREAD_TID, (uint64_t)tid);
	proto_string(&p->packet, THREAD_NAME, name);
	proto_end(&p->packet, thread);
	return end_track(p, track);
}

uint64_t perfetto_track(struct perfetto *p, uint64_t parent, const char *name)
{
	return end_track(p, begin_track(p, parent, name));
}

uint64_t perfetto_counter(struct perfetto *p, uint64_t parent, const char *name, const char *unit)
{
	size_t track = begin_track(p, parent, name), counter = proto_begin(&p->packet, TRACK_COUNTER);

	if (*unit)
		proto_string(&p->packet, COUNTER_UNIT_NAME, unit);
	proto_end(&p->packet, counter);
	return end_track(p, track);
}

/* ---- files ---- */

void perfetto_open(struct perfetto *p, FILE *f)
{
	*p = (struct perfetto){ .f = f };
	put_packet(p, STATE_CLEARED);
}

void perfetto_close(struct perfetto *p)
{
	flush(p);
	for (int i = 0; i < PERFETTO_TEXTS; i++)
		hd__int_map_free(&p->texts[i]);
	free(p->packet.v);
	free(p->interned.v);
	free(p->out.v);
}
