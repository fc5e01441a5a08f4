/* energy.h - energies of what instances do: a table of them, and their sums over a run
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/energy.md.  A table is data: picojoules for each count of a statistic, by component.  At the end of each
 * interval the statistics that it names are read, and what they have grown by is the power of each component.
 */
#ifndef TOOLS_ENERGY_ENERGY_H
#define TOOLS_ENERGY_ENERGY_H

#include "base/json_read.h"
#include "base/json_write.h"
#include "kernel/record/recorder.h"

/* ---- energy_file.c: a table ---- */

struct hd_energy_file {
	char *file, *text;
	json_t *root;
	struct hd_energy_file *base; /* that it extends; or NULL */
	const struct hd_energy_file *up; /* that extends it; or NULL */
};

/* So much of a component. */
struct hd_energy_part {
	uint32_t component;
	double v;
};

struct hd_energy_parts {
	struct hd_energy_part *v;
	size_t n;
};

/* What one count of a statistic needs, in picojoules. */
struct hd_energy_event {
	const char *module, *instances, *statistic; /* instances: a pattern of paths, or NULL */
	struct hd_energy_parts pj;
	const struct hd_energy_file *from;
	char *at;                    /* its place there */
	bool optional, found;
	struct hd_energy_event *like; /* during a run: an earlier one of the statistic, for other instances; or NULL */
	const struct hd_module *of;  /* its module, */
	struct hd_energy_counter {   /* and what it is there */
		const struct hd_stat *stat;
		const struct hd_activity *activity;
		uint32_t class;      /* of an activity by class */
		bool unknown;        /* no opcode has that class */
	} counter;
	size_t sum;                  /* its number, or that of the lanes of the class */
};

/* A row of the static power: of the whole GPU while all its SMs are resident. */
struct hd_energy_static {
	bool none, any;              /* no lane was active; whatever was */
	uint64_t groups;             /* exactly these of .groups were */
	const json_t *absent;        /* and none of these classes */
	double first, further;       /* watts, of the first lane and each other one */
};

struct hd_energy_table {
	const char *name, *doc, *error, *clock; /* error: what is published about measured power */
	double volts;
	uint64_t interval;
	const char **components;
	size_t ncomponents;
	const json_t *groups;        /* people's words -> components */
	struct hd_energy_event *events;
	size_t nevents;
	struct hd_energy_parts constant_w, idle_w, pipeline_pj;
	const char *sm, *resident, *completed; /* the module that is an SM, and statistics of it; or NULL */
	uint64_t delay;              /* cycles after which what has completed counts */
	double lanes_per_cycle, limit;
	struct hd_energy_parts static_w;       /* one component, or none */
	const char *unit, *lanes, *instructions; /* the module whose classes choose a row, and its counters */
	const json_t *classes;       /* group of the rows -> classes */
	struct hd_energy_static *rows;
	size_t nrows;
	const struct hd_energy_file *static_from; /* that has these */
	struct hd_energy_file *file;
};

/* Reads a table of that name, which is searched as netlists are, or from a text, which it takes over.  False after
 * messages. */
bool hd__energy_read(struct hd_energy_table *t, const char *name, char *text, const struct hd_registry *r,
                     struct hd_diags *d);
void hd__energy_free(struct hd_energy_table *t);

/* ---- energy.c: a run ---- */

/* What is known of an interval: watts by component, then how much each event has grown, then these. */
enum { HD_ENERGY_TOTAL, HD_ENERGY_LANES, HD_ENERGY_WARPS, HD_ENERGY_RATIO, HD_ENERGY_ACTIVE, HD_ENERGY_DUTY,
	HD_ENERGY_MORE };

struct hd_energy_mean {
	uint64_t n;                  /* intervals */
	double *sum, *most, *least;  /* of them; that with the largest total, and with the smallest */
};

/* A kernel, or the run. */
struct hd_energy_item {
	double *joules;              /* by component, from its begin to its end */
	uint64_t cycles;
	struct hd_energy_mean mean;  /* of the intervals that end in it */
};

struct hd_energy {
	const struct hd_energy_table *table;
	struct hd_sim *sim;
	double hz;                   /* whole MHz, as in the reference */
	struct hd_energy_rows *of;   /* the events of each module */
	struct hd_energy_reader *readers; /* what is read, and to which sum it adds */
	size_t nreaders;
	struct hd_energy_other *others;
	size_t nothers;
	struct hd_energy_unit *units; /* and by class, */
	size_t nunits;
	bool *read;                  /* by instance: is anything? */
	const struct hd_instance **counting; /* whose `skipped` may change what is read */
	size_t ncounting;
	uint64_t *last;              /* by unit and class: what was read last */
	struct hd_energy_block *blocks; /* of readers and units */
	size_t nblocks;
	const struct hd_module *sm, *unit; /* of the table, and what is read there */
	struct hd_energy_counter resident, done, lanes, instructions;
	uint64_t *groups, *absent;   /* sets of power classes: by group, by row of the static power */
	size_t nsums, nvalues;       /* events, and what is read beside; numbers of an interval */
	uint32_t nclasses, nsms;     /* power classes */
	uint64_t *now, *before, *cut; /* sums: at present, at the end of the last interval, of the last piece of one */
	uint64_t completed, completed_before; /* of the SMs, `delay` cycles before the ends of intervals */
	double *v, *piece;           /* the last interval, the last piece */
	uint64_t next, ended, cut_at; /* cycles: the end of the interval, of the last kernel, of the last piece */
	struct hd_energy_item *kernels, run, present;
	size_t nkernels, most;       /* the first ones are kept, `most` of them */
	size_t of_end;               /* the first kernel that ended when the last one did */
	/* Called at the end of each interval, which belongs to that kernel, from 0; or NULL. */
	void (*interval)(void *arg, const struct hd_energy *e, uint64_t cycle, size_t kernel);
	void *arg;
	struct hd_json_rows rows;    /* without energy */
};

/* Numbers of events begin here in what is known of an interval, and HD_ENERGY_... here. */
static inline size_t hd__energy_counts(const struct hd_energy *e)
{
	return e->table->ncomponents;
}

static inline size_t hd__energy_more(const struct hd_energy *e)
{
	return e->table->ncomponents + e->table->nevents;
}

/* Sets the options of a simulation whose energy is counted in *e. */
void hd__energy_options(struct hd_energy *e, const struct hd_energy_table *t, struct hd_options *o);
/* The simulation is built, perhaps again.  False after messages. */
bool hd__energy_begin(struct hd_energy *e, struct hd_sim *s, struct hd_diags *d);
/* An item of the input is over: to be called by hd_options.item_over. */
void hd__energy_item(struct hd_energy *e);
/* The run is over, and its statistics are settled. */
void hd__energy_end(struct hd_energy *e);
/* What is known of it is forgotten. */
void hd__energy_drop(struct hd_energy *e);
/* Adds what each component of an instance has needed in picojoules: `to` is by instance and component. */
void hd__energy_instances(const struct hd_energy *e, double *to);

/* ---- energy_result.c ---- */

/* Member "energy" of the statistics; those of instances with `each`. */
json_t *hd__energy_json(const struct hd_energy *e, bool each);
/* Rows of kernels with a member "energy"; good until another call. */
struct hd_json_rows hd__energy_rows(struct hd_energy *e, struct hd_json_rows rows);
/* A line below the table of a run. */
void hd__energy_print(const struct hd_energy *e, FILE *out);
/* What a dump of the run has of it: the energy of each interval. */
void hd__energy_dump(struct hd_energy *e, struct hd_observe_options *o);
void hd__energy_dump_interval(const struct hd_energy *e);
/* The first line, and that of an interval, of a table in CSV. */
void hd__energy_head(const struct hd_energy *e, FILE *to);
void hd__energy_row(const struct hd_energy *e, uint64_t cycle, size_t kernel, FILE *to);

#endif
