/* observe.h - what a run tells a dump: events, lives of records, sampled statistics
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Time in dumps is the period of the first root clock, from 0.
 */
#ifndef KERNEL_OBSERVE_H
#define KERNEL_OBSERVE_H

#include "dump.h"
#include "filter.h"
#include "sim.h"

struct hd_observe_options {
	const char *path;
	uint64_t sample; /* periods between two samples of the statistics; 0: none */
	struct hd_filter filter;
};

/* Opens the file and starts to listen.  false: said why. */
bool hd__observe_open(struct hd_sim *s, struct hd_observe_options *o);
/* Writes what is left.  false: something could not be written, said on stderr. */
bool hd__observe_close(struct hd_sim *s, const char *status);
void hd__observe_free(struct hd_sim *s);
/* Opens or closes the window in which anything is reported, from the next edge on. */
void hd__observe_window(struct hd_sim *s, bool open);
/* Something is due at the end of the present period (hd_sim.observe_at). */
void hd__observe_due(struct hd_sim *s);

/* Takes what was defined since. */
void hd__observe_defs(struct hd_sim *s);
/* hd_define() (ctx.c) */
void hd__define(struct hd_sim *s, const char *names, uint64_t id, const struct hd_cell *cells,
                unsigned n);

void hd__watch_put(struct hd_chan *c, uint32_t place);
void hd__watch_take(struct hd_chan *c, uint32_t place);

/* observe_meta.c: everything that the numbers in the dump mean. */
json_t *hd__observe_meta(struct hd_sim *s, const struct hd_observe_options *o);

/* ---- what observe.c and observe_meta.c share ---- */

struct hd_life {
	uint64_t begin;
	struct hd_step *v;
	uint32_t n, cap;
};

/* A life that goes on without its record. */
struct hd_kept {
	struct hd_life life;
	int64_t *all;          /* its fields, hidden ones as well */
	uint32_t next;         /* free list, number + 1 */
	bool dead;             /* written already */
};

/* Records of one pool. */
struct hd_lives {
	struct hd_observer *observer;
	const struct hd_type *type;
	struct hd_pool *pool;
	struct hd_life *v;     /* by handle */
	uint32_t cap;
	struct hd_kept *kept;
	uint32_t nkept, free_kept;
	struct hd_dump_table *table;
	uint32_t number;
	struct hd_field_set *fields;
};

/* A channel that records pass. */
struct hd_watch {
	struct hd_channel *channel;
	struct hd_lives *lives; /* NULL: its payloads are no records */
	uint32_t place;         /* in the channel */
	uint32_t taken[64];     /* by slot: with whoever takes there */
	uint32_t *to_link;      /* by consumer: index into its array port */
};

/* Fields of an event or a record, and what a filter says of them. */
struct hd_field_set {
	const struct hd_field *v; /* ends with a NULL name, or at the limit of events */
	unsigned n, nstored;
	int span, key;            /* stored numbers, or -1 */
	struct hd_range_list *wanted; /* by field; empty: any */
	bool filtered;
};

struct hd_event_table {
	struct hd_dump_table *table; /* NULL: not wanted */
	uint32_t number;
	struct hd_field_set fields;
};

struct hd_observer {
	struct hd_sim *sim;
	struct hd_dump *dump;
	const struct hd_observe_options *opt; /* outlives it */
	bool open;
	uint32_t *first_place;  /* by instance: at it; its marks follow */
	uint32_t nplaces;
	bool *instance_wanted, *place_wanted; /* place_wanted: NULL: all are */
	uint32_t *first_cause;  /* by instance */
	struct hd_watch *watches;
	struct hd_lives *lives; /* by pool */
	size_t npools;
	const struct hd_module **modules; /* of instances, each once */
	struct hd_event_table **events;   /* by module */
	size_t nmodules;
	uint32_t *module_of;    /* by instance */
	struct hd_dump_table *samples;
	uint32_t samples_number;
	uint64_t *sampled;      /* by counter: what it was */
	size_t ncounters;
	uint64_t next_sample;
	size_t window;          /* next range of the filter's cycles */
	uint32_t ntables;
};

#endif
