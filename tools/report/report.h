/* report.h - the data that `heddle report` collects from a dump for a page
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Every part of the page is one member of one JSON object per run; docs/report.md explains
 * each part.  Everything is derived from declarations in the prologue of a dump: new marks, reasons
 * and counters of modules appear without a change here.
 */
#ifndef TOOLS_REPORT_REPORT_H
#define TOOLS_REPORT_REPORT_H

#include "base/bytes.h"
#include "base/int_map.h"
#include "dump/codes.h"
#include "tools/dump/dump_program.h"
#include "tools/dump/launches.h"
#include "tools/dump/producers.h"
#include "tools/dump/dump_warps.h"

/* ---- report_values.c ---- */

/* Names by number, each once. */
struct report_names {
	char **v;
	size_t n, cap;
	json_t *number; /* by name */
};

/* The number of the name; the caller keeps `name`. */
uint32_t report_name(struct report_names *s, const char *name);
/* The number of the path without its indices: that of the array that it is an element of. */
uint32_t report_array_name(struct report_names *s, const char *path);
void report_names_free(struct report_names *s);

/* Numbers over time, in bins of equal width. */
struct report_series {
	uint64_t *v;
	uint64_t total;
};

struct report_bins {
	uint64_t width; /* cycles */
	uint32_t n;
};

/* The smallest round width with which `cycles` need no more than `most` bins. */
uint64_t report_width(uint64_t cycles, uint32_t most);
struct report_bins report_bins(uint64_t cycles, uint64_t width);
/* Adds `each` for every cycle in [from, to). */
void report_spread(struct report_series *s, const struct report_bins *b, uint64_t from, uint64_t to,
                   uint64_t each);
/* Adds `each` for one of `every` cycles in [from, to), the first of them to begin with. */
void report_spread_every(struct report_series *s, const struct report_bins *b, uint64_t from, uint64_t to,
                         uint64_t every, uint64_t each);
json_t *report_array(const uint64_t *v, size_t n);
/* The bytes as text in base 64. */
json_t *report_base64(const unsigned char *v, size_t n);
/* Appends the difference of two numbers, small ones in few bytes. */
void report_put_difference(struct hd_bytes *b, uint32_t from, uint32_t to);
/* Untrusted text as a string of JSON. */
json_t *report_text(const char *s);
/* A member that is a string; "" if there is none. */
const char *report_member(const json_t *o, const char *name);

/* ---- one run ---- */

#define REPORT_NEVER UINT32_MAX /* also the instance of a launch, if it is not known */

struct report_code {
	uint64_t issued, lanes;
	uint64_t ended;    /* of those that were issued: times of which issue and end are in the dump */
	uint64_t waiting;  /* slots lost while the oldest waiting warp was at it */
	uint64_t awaited;  /* slots lost by instructions that waited for its result */
	uint64_t cycles;   /* from issue to end, of those that `ended` */
};

struct report_options {
	uint64_t from, to;  /* cycles of the timeline's details; to 0: as many as `detail` allows */
	uint64_t detail;    /* instructions in the timelines of all runs */
	uint32_t runs;
};

/* A kind of issue slots: a reason with its unit and its cause. */
struct report_kind {
	char *reason, *unit, *cause; /* texts; unit, cause: "" if they do not apply */
	uint32_t array;              /* of the cause, a number of report.arrays; REPORT_NEVER: it has none */
	const char *at_array;        /* the reason that the cause gives there; or NULL */
	const char *doc, *cause_doc;
	bool issue;                  /* an instruction was issued */
	struct report_series s;
};

struct report {
	struct dump *d;
	const struct report_options *opt;
	uint64_t cycles;
	struct report_bins bins;
	struct dump_known known;
	const char *issue_module; /* module of the slots' reasons, or NULL */
	uint64_t empty;           /* instructions issued without active lanes */
	uint64_t nissued;
	struct report_names arrays;     /* paths of instances and places without indices */
	uint32_t *array_of_place;       /* by place: a number of `arrays`, */
	uint32_t narrays;               /* less than this */
	struct report_kind *kinds;      /* of issue slots */
	size_t nkinds, capkinds;
	struct hd_int_map slots;        /* instance << 32 | kind: slots of the scheduler */
	struct report_timeline *timeline; /* NULL, like the next two: the dump has no instructions */
	struct report_paths *paths;
	struct report_stages *stages;
	struct dump_program *program;
	struct report_code *codes; /* by line of the program, as all that follows */
	struct hd_int_map why;     /* line << 32 | kind of slot: slots in which it waited, */
	struct hd_int_map held;    /* in which others waited for it */
	struct hd_int_map awaits;  /* line << 32 | line of the producer: slots in which it waited for it */
	struct hd_int_map next;    /* line << 32 | the line after it: times that a warp went there */
	uint64_t *begin, *end;     /* by kernel, of its instructions; begin UINT64_MAX: none */
	struct dump_launches launches;
	struct report_series ctas; /* thousandths of resident CTAs */
	json_t *netlist, *statistics; /* see dump_part(), dump_statistics(); NULL: not loaded */
	struct report_counted *counted; /* rows of launches in the statistics */
	size_t ncounted, capcounted;
	json_t *out;
};

/* Was the instruction issued? */
static inline bool report_issued(const struct report *r, const struct dump_item *item)
{
	int64_t code = item->rows->field[r->known.code][item->row];

	return item->rows->field[r->known.uid][item->row] > 0 && code >= 0 && code < r->d->ncodes;
}

/* The number that the page has for an instruction: its own, or where it is in the program if there are so many that
 * the page could not list them. */
uint32_t report_page_code(const struct report *r, uint32_t code);

/* The page's data about one dump; report_open() prints errors of the file. */
struct report *report_open(const char *file);
void report_close(struct report *r);
/* r->bins has been set.  Returns r->out. */
json_t *report_run(struct report *r, const struct report_options *o);

/* Launches that the page lists: statistics have as many one by one. */
#define REPORT_LAUNCHES 4096u

/* The row of a launch: its numbers and words. */
struct report_counted {
	uint64_t launch;           /* its number in the trace */
	uint32_t who;              /* REPORT_NEVER: the only one that launches */
	json_t *row;
};

/* ---- its parts, in the order in which they run ---- */

/* report_launches.c: keeps a row of the statistics, if it is that of a launch. */
void report_counted(struct report *r, const char *table, const json_t *row);
/* report_launches.c: times of launches and of CTAs, from events. */
void report_events(struct report *r);
/* report_transactions.c: "places". */
struct report_instructions *report_instructions_open(struct report *r);
void report_instruction(struct report_instructions *in, const struct dump_item *item,
                        struct dump_producers *p);
void report_instructions_close(struct report_instructions *in);
/* report_slots.c: "slots", "schedulers", "warps", "sums". */
struct report_slots *report_slots_open(struct report *r);
void report_slot(struct report_slots *in, const struct dump_item *item, struct dump_producers *p);
void report_slots_close(struct report_slots *in);
void report_kinds_free(struct report *r);
/* report_timeline.c: "timeline", "resident".  Instructions are those that were issued. */
struct report_timeline *report_timeline_open(struct report *r);
void report_timeline_add(struct report_timeline *w, const struct dump_item *item,
                         const struct dump_producers *p);
/* An event of a table with such a field. */
void report_timeline_lane(struct report_timeline *w, const struct dump_item *item, int lane);
void report_timeline_close(struct report_timeline *w);
/* The first cycle that it shows. */
uint64_t report_timeline_from(const struct report_timeline *w);
/* report_paths.c: "ways", of instructions that begin in cycle `from` or later. */
struct report_paths *report_paths_open(struct report *r, uint64_t from);
void report_paths_add(struct report_paths *w, const struct dump_item *item);
void report_paths_close(struct report_paths *w);
/* report_stages.c: "stages", of all instructions that were issued. */
struct report_stages *report_stages_open(struct report *r);
void report_stages_add(struct report_stages *s, const struct dump_item *item);
void report_stages_close(struct report_stages *s);
/* report_launches.c: completes the launches; "launches". */
void report_launches(struct report *r);
/* report_memory.c */
void report_memory(struct report *r);
/* report_limit.c: "busy", "limit". */
void report_limit(struct report *r);
/* report_second.c: a netlist that extends the run's and has the instance `name` twice, with those that serve it
 * alone; NULL: that is not known to work.  Sets `partners`, an array of the instances that are doubled with it. */
json_t *report_second(const struct report *r, const char *name, json_t **partners);
/* report_counters.c: "counters". */
void report_counters(struct report *r);
/* report_pcs.c: "pcs", "kernels". */
void report_pcs(struct report *r);

/* ---- report_page.c ---- */

/* What a page shows. */
struct report_content {
	const char *title;
	void (*data)(void *arg, FILE *out); /* writes it, by report_json(); if that fails, the stream has an error */
	void *arg;
	const json_t *columns; /* an array, each in an element of its own, so that the page reads only what it
	                        * shows; or NULL */
};

/* Writes JSON that may be a part of a page. */
void report_json(FILE *out, const json_t *data);
/* Writes a page.  `frame`: the file with its parts.  Returns false with errno set. */
bool report_page(FILE *out, const char *frame, const struct report_content *c);

#endif
