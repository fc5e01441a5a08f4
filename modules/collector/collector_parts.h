/* collector_parts.h - private to the operand collector: its units, and how they are divided
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_COLLECTOR_COLLECTOR_PARTS_H
#define MODULES_COLLECTOR_COLLECTOR_PARTS_H

#include <heddle/gpu/control.h>
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/inst.h>

#define MAX_UNITS 64u
#define MAX_ROUTES 32u

/* Row of the parameter 'sets'. */
struct set_row {
	uint32_t name, units, dispatch;
};

/* Row of the parameter 'ports'. */
struct port_row {
	uint64_t takes, units, first;
	uint32_t count;
};

struct route_attr {
	uint32_t unit;
};

struct dispatch {
	uint64_t ahead; /* units of its set: after the last one emptied, or those of the next sub-cores */
};

struct set {
	uint64_t units;
	struct dispatch *first, *end; /* its dispatch units */
};

struct port {
	uint32_t count;           /* of this kind */
	uint64_t routes;          /* register sets that it serves, by index into in */
	uint32_t nsets;           /* collector sets that it fills, in order: */
	const uint64_t *share[16]; /* rows of struct collector.share, at least one */
};

/* A register set. */
struct route {
	const uint64_t *full;     /* its slots that are filled, */
	uint64_t mine;            /* those of them from which this collector takes, */
	uint64_t slots;           /* and both, during an edge; if in struct collector.filled */
	uint64_t bit;             /* the route, as a set */
	const struct hd_end *in, *behind; /* behind: the register set for units of its kind */
	uint64_t needs;           /* units that its oldest instruction waits for, 0 */
	const struct port *needs_at; /* if it does not, the port that it tried */
	uint32_t slot;            /* and where it is */
	uint8_t index;
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
	struct set set[16];
	uint64_t share[17][64];   /* by set and scheduler: the units that it may use; the last row is empty */
	uint64_t ahead[MAX_UNITS]; /* by unit: struct dispatch.ahead once it is emptied */
	uint64_t place_mask[MAX_UNITS]; /* by unit: places that it may fill */
	struct route *by_bit[MAX_ROUTES]; /* the routes, by the index of their bit */
	uint64_t nothing;         /* slots that are filled of a route that does not exist */
	bool plain;               /* all input ports are of one kind, and no register set behind is timed */
	bool delays;              /* the inputs may hold payloads that are not visible yet */
	struct dispatch *dispatch; /* the dispatch units of all sets */
	struct port *port;        /* the input ports */

	/* From edge to edge. */
	uint64_t occupied, ready; /* units */
	hd_inst_ref inst[MAX_UNITS]; /* by unit: its instruction, */
	const struct hd_end *behind[MAX_UNITS]; /* and where it goes */
	struct route route[MAX_ROUTES + 2]; /* as if their number were a multiple of 3 */
	uint64_t refused;         /* routes whose oldest instruction found no free unit in the last step */
	uint64_t collected, full;

	/* During an edge. */
	uint64_t filled;          /* register sets that are not empty */

	/* For dumps. */
	uint64_t marked;          /* units whose instruction has the mark */
};

/* From parameters and links to units, dispatch units and ports.  Returns 0, or -1 after a
 * message. */
int hd__collector_layout(struct collector *c);

#endif
