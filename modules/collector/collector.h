/* collector.h - private to the operand collector: its units, and how they are divided
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_MODULES_COLLECTOR_COLLECTOR_H
#define HEDDLE_MODULES_COLLECTOR_COLLECTOR_H

#include <heddle/interface/control.h>
#include <heddle/interface/regfile.h>
#include <heddle/payload/inst.h>

#define MAX_UNITS 64u
#define MAX_ROUTES 32u

/* Of the parameter 'sets'. */
struct set_row {
	uint32_t name, units, dispatch;
};

/* Of the parameter 'ports'. */
struct port_row {
	uint64_t takes, units, first;
	uint32_t count;
};

struct route_attr {
	uint32_t unit;
};

struct unit {
	hd_inst_ref inst;
	uint32_t route;
};

struct dispatch {
	uint64_t units; /* of its set */
	uint64_t ahead; /* of them: after the last one emptied, or those of the next sub-cores */
};

struct port {
	uint32_t count;           /* of this kind */
	uint64_t routes;          /* register sets that it serves, by index into in */
	uint32_t nsets;           /* collector sets that it fills, in order: */
	const uint64_t *share[16]; /* rows of struct collector.share */
};

/* A register set, and the one behind the collector for units of the same kind. */
struct route {
	const struct hd_end *in, *out;
	const uint64_t *front;    /* the slots in front that are filled, */
	uint64_t mine;            /* of these, the slots from which this collector takes */
	uint64_t holds;           /* units that hold an instruction of it */
	uint64_t needs;           /* units that its oldest instruction waits for, 0 */
	const struct port *needs_at; /* if it does not, and the port that it tried */

	/* During an edge. */
	uint64_t slots;           /* full slots in front; if in struct collector.filled */
	uint64_t room;            /* free places behind it; if in struct collector.seen */
};

struct collector {
	struct hd_ctx *ctx;
	struct hd_ends in, out;
	const struct hd_regfile_if *regfile;
	const struct hd_register_cache_if *cache;
	struct hd_pool *pool;
	uint32_t sub_cores, steps;
	struct hd_table sets, ports;

	/* Made once, by layout.c. */
	uint32_t nunits, ndispatch;
	uint64_t slice[64];       /* by sub-core: its units, which share places behind */
	uint64_t set_mask[16];    /* by set: its units */
	uint64_t share[16][64];   /* by set and scheduler: the units that it may use */
	uint64_t ahead[MAX_UNITS]; /* by unit: struct dispatch.ahead once it is emptied */
	uint64_t place_mask[MAX_UNITS]; /* by unit: places that it may fill, */
	uint64_t beside[MAX_UNITS]; /* and the units that may fill them, too */
	bool delays;              /* the inputs may hold payloads that are not visible yet */
	struct dispatch *dispatch; /* the dispatch units of all sets */
	struct port *port;        /* the input ports */

	/* From edge to edge. */
	uint64_t occupied, ready; /* units */
	struct unit unit[MAX_UNITS];
	uint8_t waiting[MAX_UNITS]; /* by unit: operands not yet read */
	struct route route[MAX_ROUTES];
	bool refused;             /* in the last edge an instruction found no free unit */
	uint64_t collected, full;

	/* During an edge. */
	uint64_t filled;          /* register sets that are not empty */
	uint64_t seen;            /* routes whose places behind them were looked at */
	uint64_t movable, stuck;  /* ready units with room behind them, and without */

	/* For dumps. */
	uint64_t marked;          /* units whose instruction has the mark */
};

/* From parameters and links to units, dispatch units and ports.  Returns 0, or -1 after a
 * message. */
int hd__collector_layout(struct collector *c);

#endif
