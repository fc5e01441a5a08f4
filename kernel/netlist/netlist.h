/* netlist.h - a netlist file as read: names and JSON values, nothing wired yet
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_NETLIST_NETLIST_H
#define KERNEL_NETLIST_NETLIST_H

#include "kernel/base/diag.h"

#include <jansson.h>

/* Every JSON value that a message may point at is named by its JSON pointer (RFC 6901). */

/* A netlist may be put together from several files; names below are those in the whole, such as
 * "sm[1].sched" for the instance 'sched' of the netlist that is element 1 of 'sm'. */

struct hd_clock_decl {
	char *name, *at;       /* at: JSON pointer of the value */
	uint64_t millihertz;   /* root clock, up to 10^15; 0: derived */
	char *of;              /* derived: the parent's name */
	uint32_t times;        /* edges per parent period, at least 1 */
	uint32_t phase_num, phase_den; /* offset of the first edge in parent periods, < 1 */
	bool at_end;           /* "phase": "end": after all other edges of the parent period */
	char *gate;            /* instance that opens and closes it, or NULL */
};

struct hd_instance_decl {
	char *name, *at;
	char *module;          /* NULL: was reported */
	char *clock;           /* or NULL: the only clock, or the module has no turn */
	uint32_t count;        /* elements; 1 without "count" */
	bool array;            /* "count" was given: elements are name[0].. */
	json_t *params;        /* object, "$" resolved; may be NULL.  A null in it was reported */
	const char *first_clock; /* of the netlist it stands in, or NULL */
	uint32_t nclocks;      /* of that netlist */
	size_t copy_of;        /* the same, but for names, as the instance with this index + 1; or 0 */
};

/* One end as written: "sched[*].sp", "collect.in_sp", "sp[2].in", "sp[0..1].in, dp.in".  The
 * instance is named as in its own netlist. */
struct hd_end_decl {
	char *instance, *port;
	int index, last;       /* elements; -1: no index or [*] */
	bool all;              /* [*] */
	struct hd_end_decl *next; /* what stands behind a comma: more of the same side */
};

struct hd_link_decl {
	char *at;              /* of the entry; of the string in its "from" if that is a list */
	char *entry;           /* of the entry: its members are below */
	uint32_t group;        /* links of one entry, and of one turn of its "for", are alike */
	uint32_t frame;        /* whose instances the ends name */
	struct hd_end_decl from, to;
	uint32_t latency;      /* edges, default 1 */
	bool staged;
	bool has_latency;
	uint32_t capacity;     /* FIFO places; 0: not given */
	uint32_t slots;        /* 0: not given */
	bool shared_slots;     /* "index": "any": every end may use every slot; default "own" */
	bool rotate;
	json_t *attrs;         /* object of all other members (port attributes), "$" resolved; may be
	                        * NULL.  A null in it was reported */
};

struct hd_source;
struct hd_doc;
struct hd_part;
struct hd_frame;

struct hd_netlist {
	char *file;
	json_t *root;          /* with all changes applied */
	char *name, *doc;
	json_t *params;        /* name -> value, "$" resolved, overrides applied */
	struct hd_clock_decl *clocks;
	struct hd_instance_decl *instances;
	struct hd_link_decl *links;
	size_t nclocks, ninstances, nlinks;
	uint64_t watchdog;     /* root periods without progress that count as a deadlock */

	/* what it is made of (part.h) */
	struct hd_source **sources;
	struct hd_doc **docs;
	struct hd_part **parts;
	struct hd_frame **frames;
	size_t nsources, ndocs, nparts, nframes;
	size_t cap_sources, cap_docs, cap_parts, cap_frames, cap_clocks, cap_instances, cap_links;
	uint32_t ngroups;      /* of links */
	uint64_t total;        /* instances, elements counted */
	uint64_t nodes;        /* values put in place of "$" strings so far */
	const char *full;      /* why reading stopped before the end, or NULL */
};

/* Reads a netlist.  NULL if not even the outer form could be used; messages are in *d.  Values
 * whose form is wrong are reported and left out, so that later checks still run. */
struct hd_netlist *hd__netlist_read(const char *file, struct hd_diags *d);
/* The same from memory; `file` is only a name for messages and the folder for paths. */
struct hd_netlist *hd__netlist_parse(const char *file, const char *text, size_t length,
                                     struct hd_diags *d);
/* Reads a file and applies changes "path=value", in their order. */
struct hd_netlist *hd__netlist_read_set(const char *file, const char *const *sets, size_t nsets,
                                        struct hd_diags *d);
void hd__netlist_free(struct hd_netlist *n);

/* Line and column, from 1, of the value at a JSON pointer in text that jansson has accepted;
 * of its key if `key`.  False if there is no such place. */
bool hd__locate(const char *text, const char *pointer, bool key, int *line, int *column);

/* Reports at a place in the netlist, or at the nearest place around it that the text has.  A
 * member name is added to the pointer unless NULL.  If the value there came from a parameter, the
 * message says so. */
void hd__netlist_diag(const struct hd_netlist *n, struct hd_diags *d, enum hd_severity s,
                      const char *at, const char *member, const char *fmt, ...) HD_PRINTF(6, 7);
/* The same, pointing at the member's key rather than at its value. */
void hd__netlist_diag_key(const struct hd_netlist *n, struct hd_diags *d, enum hd_severity s,
                          const char *at, const char *member, const char *fmt, ...)
	HD_PRINTF(6, 7);

/* Names that a netlist gives: a letter or '_', then letters, digits and '_', at most HD_NAME_MAX
 * characters. */
#define HD_NAME_MAX 63u
bool hd__is_name(const char *s);
/* Names in the whole: several names with dots, each with an index but for the last. */
bool hd__is_path(const char *s);

/* ---- parameters (param.c) ---- */

/* Resolves names to numbers while parameters are stored; owns the strings, lists and tables. */
struct hd_param_store {
	uint32_t (*symbol)(void *arg, const char *kind, const char *name); /* UINT32_MAX: too many */
	void *arg;
	const struct hd_netlist *netlist;
	struct hd_diags *diags;
	void **owned;          /* freed by hd__params_free */
	size_t nowned, cap;
};

/* Stores the values of object `values` (may be NULL) at their offsets in `base`, defaults where it
 * has none.  Checks names, types and ranges; `at` is the object's JSON pointer, `who` names the
 * owner ("instance 'sp' (module 'fu_pipeline')") in messages.  Returns the number of errors.
 * `skip` (NULL-terminated, may be NULL): member names that belong to somebody else. */
size_t hd__params_store(struct hd_param_store *s, const struct hd_param *params, void *base,
                        const json_t *values, const char *at, const char *who,
                        const char *const *skip);
/* Stores the defaults alone, of the columns of tables too, into rows of scratch memory; for
 * hd__module_check.  Returns the number of errors. */
size_t hd__params_defaults(struct hd_param_store *s, const struct hd_param *params, void *base,
                           const char *who);
void hd__params_free(struct hd_param_store *s);
/* Bytes that a parameter takes at its offset. */
size_t hd__param_size(enum hd_param_type type);
/* "integer 1..64", "one of lrr, gto", for messages and for `heddle modules`.  In buf. */
const char *hd__param_form(const struct hd_param *p, char *buf, size_t size);

/* ---- modules (registry.c) ---- */

struct hd_registry {
	const struct hd_module **v;
	char **origin;         /* "built in" or the file of the plug-in */
	void **handle;         /* dlopen, or NULL */
	size_t n, cap;
};

extern const struct hd_module *const hd__builtin_modules[]; /* NULL-terminated, generated */

/* Fills the registry with the built-in modules, and with those in the folders of the environment
 * variable HEDDLE_MODULE_PATH (colon-separated, each *.so).  Problems go to *d. */
void hd__registry_init(struct hd_registry *r, struct hd_diags *d);
/* Loads one plug-in: file NAME.so exports hd_module_NAME.  Checks ABI and size before any of its
 * code runs in this process (trial.h), and hd__module_check() after.  Returns false if refused. */
bool hd__registry_load(struct hd_registry *r, const char *file, struct hd_diags *d);
const struct hd_module *hd__registry_find(const struct hd_registry *r, const char *name);
/* The file of the plug-in that the module comes from; NULL if it is built in. */
const char *hd__registry_plugin(const struct hd_registry *r, const struct hd_module *m);
void hd__registry_free(struct hd_registry *r);
/* Is the descriptor sane: names, docs, offsets inside the state, defaults inside their ranges. */
bool hd__module_check(const struct hd_module *m, const char *origin, struct hd_diags *d);

#endif
