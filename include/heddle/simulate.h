/* simulate.h - libheddle: simulates netlists inside of a program
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	struct heddle *h = heddle_new();
 *	struct heddle_value v = { .size = sizeof v };
 *
 *	heddle_set(h, "memory.latency=200");
 *	heddle_input(h, "kernelslist.g");
 *	if (heddle_load(h, "core.json") < 0 || heddle_run(h, HEDDLE_TO_THE_END) < 0)
 *		fputs(heddle_messages(h), stderr);
 *	else if (heddle_value(h, "cycles", &v) == HEDDLE_OK)
 *		printf("%g %s\n", v.number, v.unit);
 *	heddle_free(h);
 *
 *	cc program.c $(pkg-config --cflags --libs heddle)
 *
 * A handle is one simulation.  There may be any number of them, also in several threads, each handle
 * in one thread at a time.  They share nothing.  Nothing is printed, no signal is handled, no process is
 * started; what is wrong is a result below 0 and a text.  docs/library.md has more, docs/python.md the Python package.
 *
 * Text is UTF-8, owned by the handle and valid until the next call with that handle, unless stated
 * otherwise.  Arguments are copied.  A handle of NULL, as of a heddle_new() that failed, is allowed
 * everywhere and gives HEDDLE_NO_MEMORY, 0, or "".
 */
#ifndef HEDDLE_SIMULATE_H
#define HEDDLE_SIMULATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

struct heddle;

/* What functions that return int give.  Others may follow: below 0 is an error. */
enum heddle_result {
	HEDDLE_OK = 0,         /* done; of heddle_run(): the cycle is reached, and there is more to run */
	HEDDLE_FINISHED = 1,   /* heddle_run(): no work is left */
	HEDDLE_BAD_INPUT = -1, /* the netlist, a value, a plug-in or the input is wrong */
	HEDDLE_FAILED = -2,    /* heddle_run(): a module reports that the run has failed */
	HEDDLE_DEADLOCK = -3,  /* heddle_run(): work is pending and nothing will happen any more */
	HEDDLE_BAD_CALL = -4,  /* a call out of order, or an argument that is not possible */
	HEDDLE_NO_MEMORY = -5, /* the handle can only be freed now, and not all of its memory is */
};

/* "finished", "deadlock", ... for messages; never NULL, and static. */
const char *heddle_result_name(int result);
/* "0.1.0", of the library that is loaded; static. */
const char *heddle_version(void);

/* ---- from a netlist to a simulation, in this order ---- */

/* Takes the plug-ins in the folders of HEDDLE_MODULE_PATH, as the program does.  NULL: no memory. */
struct heddle *heddle_new(void);
/* Allowed in every state. */
void heddle_free(struct heddle *h);

/* Loads a module from NAME.so.  It runs in this process unprotected: its crash is the program's. */
int heddle_plugin(struct heddle *h, const char *file);
/* "path=value", as --set of the program: changes the netlist that will be loaded; a later one wins.  A mistake
 * in it is reported by heddle_load(). */
int heddle_set(struct heddle *h, const char *change);
/* The input that modules of the netlist read, such as a trace.  Without it they have none. */
int heddle_input(struct heddle *h, const char *file);
/* Only items first to last of it, from 1, inclusive; UINT64_MAX: to its end. */
int heddle_input_range(struct heddle *h, uint64_t first, uint64_t last);

enum heddle_flag {
	HEDDLE_STRICT = 1 << 0,   /* refuse input that contradicts itself */
	HEDDLE_NO_SLEEP = 1 << 1, /* evaluate every instance at every edge; results are the same */
	HEDDLE_SAVES = 1 << 2,    /* heddle_save() will be called */
	HEDDLE_REASONS = 1 << 3,  /* count why issue slots were lost, for heddle_json(): slower; not with SAVES */
};
/* An OR of these; 0 at first. */
int heddle_flags(struct heddle *h, unsigned flags);

/* Reads and builds the netlist, once for each handle. */
int heddle_load(struct heddle *h, const char *netlist);
/* The same from memory; `name` is for messages, and its folder for the files that the text names. */
int heddle_load_text(struct heddle *h, const char *name, const char *text, size_t length);

/* ---- running ---- */

#define HEDDLE_TO_THE_END UINT64_MAX

/* Runs until that many cycles are over: periods of the first clock of the netlist.  May be called again
 * with a later cycle; the run is the same in one call or in many.  After its end the same result again. */
int heddle_run(struct heddle *h, uint64_t cycle);
/* Cycles so far. */
uint64_t heddle_cycle(const struct heddle *h);

/* ---- the state of a run in a file, as --save-at and --load of the program ---- */

/* Writes the state after the last cycle of a run that has begun and not ended; the file is whole or not there, and
 * the run may go on.  Needs the flag HEDDLE_SAVES.  HEDDLE_FAILED: the file cannot be written, or a module cannot be
 * saved. */
int heddle_save(struct heddle *h, const char *file);
/* Goes on from a saved state: of the same version, netlist, values and input, in a handle that has loaded them and
 * has not run.  The results are those of the run that was saved, byte for byte.  HEDDLE_BAD_INPUT: the file is not
 * that, or damaged; the handle then has no netlist any more.  A file that was made to do harm can do harm. */
int heddle_restore(struct heddle *h, const char *file);

/* ---- results, whenever a netlist is loaded ---- */

/* Later versions may append members: `size` is set by the caller, and no more than that is written. */
struct heddle_value {
	size_t size;      /* sizeof(struct heddle_value) */
	const char *path; /* these three stay valid until heddle_free() */
	const char *unit; /* "cycles", "instructions", ...; "" for a share */
	const char *doc;
	double number;
	uint64_t count;   /* the same exactly, if `whole` */
	int whole;        /* it counts something; else it is a share or a mean */
};

/* One statistic by its path: a figure of the run ("cycles", "issue.stall"), else one of an instance
 * ("sp[0].busy"), or of a queue ("queues.slice[0].rop.mean", ".most").  HEDDLE_BAD_INPUT with a suggestion
 * if there is none. */
int heddle_value(struct heddle *h, const char *path, struct heddle_value *v);
/* All of them: their number, and number i, in an order that is fixed for a netlist. */
size_t heddle_values(struct heddle *h);
int heddle_value_at(struct heddle *h, size_t i, struct heddle_value *v);

/* The statistics as `heddle run --stats` writes them (docs/statistics.md), "" without a netlist.  The
 * member "status" is "running" before the end. */
const char *heddle_json(struct heddle *h);
/* The table that `heddle run` prints. */
const char *heddle_table(struct heddle *h);

/* All errors and warnings since the beginning or heddle_forget_messages(), one a line with "file:line:column: "
 * where they have a place; "" if there are none. */
const char *heddle_messages(struct heddle *h);
void heddle_forget_messages(struct heddle *h);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
