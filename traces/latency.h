/* latency.h - what instructions read and write, and after how long
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For synthesised control words (docs/modern.md).  All numbers are from a table, opcodes/latencies.json.
 */
#ifndef TRACES_LATENCY_H
#define TRACES_LATENCY_H

#include "code.h"

#define LATENCY_UNSEEN 4u /* most kinds of results that a trace does not show */
#define LATENCY_GROUPS 8u /* most groups of readers of such results; the first is that of guards */
#define LATENCY_WIDTHS 8u
#define LATENCY_TOKENS 8u
#define LATENCY_SRC 4u    /* sources whose width is given */
#define LATENCY_REGS 8u   /* most registers of one operand */
#define LATENCY_BANKS 8u
#define LATENCY_MOST 14u  /* cycles; one more for some readers is still a stall */

/* Results are numbered: registers from 0, then the unseen kinds. */
#define RESULT_UNSEEN 256u
#define RESULTS (RESULT_UNSEEN + LATENCY_UNSEEN)

/* Most of them that an instruction reads, and writes. */
#define EFFECT_READS (HD_MAX_SRC * LATENCY_REGS + LATENCY_UNSEEN)
#define EFFECT_WRITES (LATENCY_REGS + LATENCY_UNSEEN)

enum latency_readers { READERS_LISTED, READERS_GUARDED, READERS_OPEN };

/* Predicates, carries, uniform registers: known by their writers and possible readers only. */
struct latency_unseen {
	const char *name;
	uint8_t cycles[LATENCY_GROUPS];
	uint8_t readers; /* besides those that the table lists: none, what may be guarded, what has
	                  * fewer registers than operands */
};

/* A number of registers that depends on the suffixes of an opcode. */
struct latency_width {
	const char *name;
	const char *token[LATENCY_TOKENS];
	uint8_t count[LATENCY_TOKENS];
	uint32_t n;
};

struct latency_op {
	const char *name;
	uint8_t cycles;   /* 0: variable */
	uint8_t dst, src[LATENCY_SRC], nsrc; /* registers; from LATENCY_NAMED on, widths */
	uint8_t reads, writes; /* sets of unseen kinds */
	uint8_t group;    /* of readers */
	uint8_t after[LATENCY_UNSEEN][LATENCY_GROUPS]; /* cycles until it is read; 0: as the kind says */
	uint8_t stall;    /* at least */
	uint8_t operands;
	bool drains;      /* waits for all that is under way */
	bool based;       /* of the table on which this one is built */
};

#define LATENCY_NAMED 128u

struct trace_latencies {
	const struct trace_host *host;
	const char *file;
	struct json_t *json;  /* names point into it */
	uint8_t visible;      /* cycles from the issue of a producer until its counter is seen */
	uint8_t reader;       /* more cycles until a variable-latency instruction sees a result */
	uint8_t variable;     /* least cycles of a variable latency */
	uint8_t yield;        /* stalls of so many cycles or more need the yield bit */
	uint8_t banks;        /* of registers, for reuse bits */
	struct json_t *base_json; /* of the table on which it is built; NULL: there is none */
	const char *group[LATENCY_GROUPS], *members[LATENCY_GROUPS]; /* of readers, and their opcodes */
	uint32_t ngroups;
	struct latency_unseen unseen[LATENCY_UNSEEN];
	uint32_t nunseen;
	struct latency_width width[LATENCY_WIDTHS];
	uint32_t nwidths;
	struct latency_token { /* kinds that opcodes with this suffix read, too */
		const char *name;
		uint8_t reads;
	} token[LATENCY_TOKENS];
	uint32_t ntokens;
	struct latency_op *op; /* by name */
	size_t ops;
	char *names;
	size_t used;          /* bytes of them */
	struct latency_op fallback;
};

/* What an instruction does, as far as it is known. */
struct trace_effect {
	uint16_t src[HD_MAX_SRC], dst; /* results; RESULTS: none */
	uint8_t width[HD_MAX_SRC], ndst, nsrc;
	uint8_t reads, writes; /* unseen kinds */
	uint8_t guards;        /* those of .reads that are read as a guard may be, */
	uint8_t group;         /* and the group of readers of the others */
	uint8_t after[LATENCY_UNSEEN][LATENCY_GROUPS]; /* cycles until what it writes of a kind is read */
	uint8_t cycles;        /* 0: variable */
	uint8_t stall;
	bool drains;
};

/* ---- latency_table.c ---- */

/* Returns 0, or hd__trace_error()'s -1. */
int hd__trace_latencies_read(struct trace_latencies *l, const struct trace_host *host, const char *file);
void hd__trace_latencies_free(struct trace_latencies *l);

/* ---- synthesis_effect.c ---- */

/* The entry of an opcode: with numbers of registers in place of widths, and all kinds that its suffixes read. */
struct latency_op hd__trace_latency(const struct trace_latencies *l, const char *opcode);
/* op: of the instruction's opcode.  guarded: lanes may be switched off there, or it is a branch that not all lanes
 * take. */
struct trace_effect hd__trace_effect(const struct trace_latencies *l, const struct latency_op *op,
                                     const struct hd_inst *inst, bool guarded);
/* The results that it reads, and writes; return how many. */
unsigned hd__trace_effect_reads(const struct trace_effect *e, uint16_t v[EFFECT_READS]);
unsigned hd__trace_effect_writes(const struct trace_effect *e, uint16_t v[EFFECT_WRITES]);

#endif
