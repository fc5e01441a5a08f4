/* perfetto.h - shared by the files of the Perfetto format: tracks, interned texts, packets
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of fields are those of perfetto/protos/perfetto/trace.  The file is one sequence of
 * packets; the reader sorts them by time, and keeps the order of those of one time.
 */
#ifndef TOOLS_DUMP_PERFETTO_H
#define TOOLS_DUMP_PERFETTO_H

#include "base/int_map.h"
#include "dump/row_order.h"
#include "proto.h"
#include "stages.h"

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

/* perfetto_packet.c */

/* Numbers of a text, by its address: it must stay where it is. */
uint64_t perfetto_text(struct perfetto *p, enum perfetto_texts kind, const char *text);
/* Begins an event, which perfetto_done() ends; arguments and the like are written to p->packet
 * in between. */
size_t perfetto_event(struct perfetto *p, uint64_t cycle, enum perfetto_type type, uint64_t track);
void perfetto_name(struct perfetto *p, const char *text);
void perfetto_value(struct perfetto *p, int64_t v); /* of a counter */
void perfetto_flow(struct perfetto *p, uint64_t number);
void perfetto_argument(struct perfetto *p, const char *name, int64_t v);
void perfetto_hex(struct perfetto *p, const char *name, int64_t v);
void perfetto_word(struct perfetto *p, const char *name, const char *value);
void perfetto_done(struct perfetto *p, size_t event);

/* Tracks: the number of a new one.  tid: of a thread; 0: a track below `parent`. */
uint64_t perfetto_process(struct perfetto *p, int64_t pid, const char *name);
uint64_t perfetto_thread(struct perfetto *p, int64_t pid, int64_t tid, const char *name);
uint64_t perfetto_track(struct perfetto *p, uint64_t parent, const char *name);
uint64_t perfetto_counter(struct perfetto *p, uint64_t parent, const char *name, const char *unit);

/* The first packet, and what has not been written at the end. */
void perfetto_open(struct perfetto *p, FILE *f);
void perfetto_close(struct perfetto *p);

#endif
