/* opcodes.h - properties of opcodes, from tables for each architecture
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_OPCODES_H
#define TRACES_OPCODES_H

#include "trace_host.h"

/* ---- op_table.c, opcodes.c ---- */

#define TRACE_OP_TOKENS 4

struct trace_archs;

enum trace_space { TRACE_GENERIC = HD_SPACE_TEXTURE + 1 }; /* decided by the first address */

struct trace_op {
	uint16_t flags; /* enum hd_inst_flag */
	uint8_t cls, space, rate;
	uint8_t async; /* enum hd_async_op */
	uint8_t power; /* hd_inst.power, .leads */
	uint8_t remote; /* 1 + class of those that access shared memory in kernels with clusters, 0: .cls */
	bool leads, no_dst;
	uint8_t ntokens;
	const char *token[TRACE_OP_TOKENS]; /* an opcode with all of them bypasses the L1D */
};

struct trace_op_name {
	const char *name;
	struct trace_op op;
};

/* An opcode that no entry names. */
struct trace_unknown {
	char *name;
	const char *unit; /* that executes it and is not simulated; or NULL */
	uint8_t cls;
	uint64_t count;
};

/* power_classes.c */
struct trace_power {
	const struct trace_host *host;
	char *file;            /* NULL: it is not read */
	struct json_t *numbers; /* opcode -> hd_inst.power */
	uint64_t leads[64];    /* by class of units: the set of hd_inst.power that lead */
};

struct trace_opcodes {
	const struct trace_host *host;
	const struct trace_power *power; /* or NULL */
	char *file;
	const char *reading; /* file that is being read */
	struct json_t *json, *prefix_json; /* tokens point into them */
	bool prefixes;       /* .prefix has been read */
	struct trace_opcodes *base;       /* the table that it extends; or NULL */
	struct trace_op_name *v, *prefix; /* v sorted by name, with those of the base; prefixes longest first */
	struct trace_op_name *own;        /* with a base: those of this table, whose names v has */
	size_t n, nprefix;
	struct trace_op fallback;
	struct trace_unknown *unknown;
	size_t nunknown;
};

/* `all`: the tables among which one that it extends is looked for. */
int hd__trace_opcodes_file(struct trace_opcodes *o, const struct trace_host *host, const char *path,
                           const struct trace_archs *all);
int hd__trace_opcodes_memory(struct trace_opcodes *o, const struct trace_host *host, const char *name,
                             const void *json, size_t n);
/* The table that has the prefixes: this one, or the one that it extends. */
struct trace_opcodes *hd__trace_opcodes_with_prefixes(struct trace_opcodes *o);
/* Reads the prefixes from the file that the table names: most traces have no opcode that needs
 * them. */
int hd__trace_opcodes_prefixes(struct trace_opcodes *o);
/* What executes opcodes with this beginning, if the file of the prefixes lists it as not simulated; or NULL. */
const char *hd__trace_opcodes_unit(const struct trace_opcodes *o, const char *base, size_t len);
void hd__trace_opcodes_free(struct trace_opcodes *o);

/* The properties of `text` ("LDG.E.SYS").  *unknown: 0, or 1 + index into o->unknown; the caller
 * counts. */
int hd__trace_opcode(struct trace_opcodes *o, const char *text, size_t len, struct trace_op *op,
                     uint32_t *unknown);
/* Warns about the unknown ones that were met, and counts them from 0 again: kernels that are still open have their
 * numbers. */
void hd__trace_opcodes_warn(struct trace_opcodes *o, const char *where);

/* Reads the table, for a host that has .power_number. */
int hd__trace_power_open(struct trace_power *p, const struct trace_host *host, const char *folder, const char *file);
void hd__trace_power_free(struct trace_power *p);
/* Sets .power and .leads of an opcode; base: characters before its first dot. */
void hd__trace_power(const struct trace_power *p, const char *text, size_t len, size_t base, struct trace_op *op);

/* ---- archs.c ---- */

struct trace_arch {
	char *path;
	uint32_t binary[16], nbinary; /* versions that the table was made for */
	uint32_t from;                /* it is used for unlisted versions from here on */
	bool loaded;
	struct trace_opcodes opcodes;
};

struct trace_archs {
	const struct trace_host *host;
	char *file;
	struct trace_arch *v;
	size_t n;
	struct trace_power power;
	uint32_t warned[16], nwarned; /* unlisted versions with a warning */
};

/* Reads index.json of the folder; the tables themselves are read when first needed. */
int hd__trace_archs_open(struct trace_archs *a, const struct trace_host *host, const char *folder);
/* Appends the index of another folder. */
int hd__trace_archs_add(struct trace_archs *a, const struct trace_host *host, const char *folder);
void hd__trace_archs_free(struct trace_archs *a);
/* The table for a binary version, NULL after an error. */
struct trace_opcodes *hd__trace_archs_get(struct trace_archs *a, uint32_t binary);

/* The value in a JSON file, a table, the caller's; NULL after a message. */
struct json_t *hd__trace_json_file(const struct trace_host *host, const char *path);
/* The value in the text of such a file. */
struct json_t *hd__trace_json(const struct trace_host *host, const char *file, const char *text, size_t n);
/* The nearest of the NULL-terminated names to `word`, or NULL. */
const char *hd__trace_nearest(const char *word, const char *const *names);
#define TRACE_UNKNOWN 160 /* bytes of a message */
/* NULL: the word is one of the names.  Else `what`, the message about it. */
const char *hd__trace_unknown(const char *word, const char *const *names, char what[TRACE_UNKNOWN]);
/* The message about a member of an object that has none of the names; or NULL. */
const char *hd__trace_unknown_member(struct json_t *o, const char *const *names, char what[TRACE_UNKNOWN]);

/* ---- opcodes that are moved ---- */

/* Opcodes with another class than that of their table: "MUFU" or, of those only some, "MUFU.RSQ". */
struct trace_reclass {
	struct trace_moved {
		const char *opcode;
		uint8_t cls;
	} *v;
	size_t n;
};

/* Returns true with *cls set if one of them names the opcode; the longest name counts. */
bool hd__trace_reclass(const struct trace_reclass *r, const char *text, size_t len, uint8_t *cls);

#endif
