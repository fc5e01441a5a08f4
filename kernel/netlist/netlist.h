/* netlist.h - a netlist file as read: names and JSON values, nothing wired yet
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_NETLIST_NETLIST_H
#define KERNEL_NETLIST_NETLIST_H

#include "base/diag.h"
#include "base/int_map.h"
#include "base/words.h"
#include "base/xalloc.h"

#include <jansson.h>

/* Every JSON value that a message may point at is named by its JSON pointer (RFC 6901). */

/* Declarations, their strings and ends are in the netlist's store, and some have the same.
 *
 * A netlist may be composed of several files; names below are full names, such as "sm[1].sched" for
 * the instance 'sched' of the netlist that is element 1 of 'sm'. */

struct hd_clock_decl {
	const char *name, *at; /* at: JSON pointer of the value */
	uint64_t millihertz;   /* root clock, up to 10^15; 0: derived */
	double hz;             /* root clock: the same, as for "edges": "accumulated" */
	bool accumulated;      /* root clock: "edges": "accumulated" */
	const char *of;        /* derived: the parent's name */
	uint32_t times;        /* edges per parent period, at least 1 */
	uint32_t phase_num, phase_den; /* offset of the first edge in parent periods, < 1 */
	bool at_end;           /* "phase": "end": after all other edges of the parent period */
	const char *gate;      /* instance that opens and closes it, or NULL */
};

struct hd_instance_decl {
	const char *name, *at;
	const char *module;    /* NULL: an error was reported */
	const char *clock;     /* or NULL: the only clock, or the module has no process */
	uint32_t count;        /* elements; 1 without "count" */
	bool array;            /* "count" was given: elements are name[0].. */
	bool miscounted;       /* it is wrong: which elements there would be is unknown */
	json_t *params;        /* object, "$" resolved; may be NULL.  A null in it was reported */
	json_t **each;         /* those of each element, where they differ; else NULL */
	char **each_at;        /* place of each, as far as it is its own */
	const char *first_clock; /* of the netlist that contains it, or NULL */
	uint32_t nclocks;      /* of that netlist */
	size_t copy_of;        /* index + 1 of an instance that differs only in names, or 0 */
};

/* One end as written: "sched[*].sp", "collect.in_sp", "sp[2].in", "sp[0..1].in, dp.in".  The
 * instance has its name in its own netlist. */
struct hd_end_decl {
	const char *instance, *port;
	int index, last;       /* elements; -1: no index or [*] */
	bool all;              /* [*] */
	struct hd_end_decl *next; /* after a comma: more of the same side */
};

struct hd_link_decl {
	const char *at;        /* of the entry; of the string in its "from" if that is a list */
	const char *entry;     /* of the entry: its members are below */
	uint32_t group;        /* links of one entry and of one iteration of its "for" share it */
	uint32_t frame;        /* that contains the instances of the ends */
	struct hd_end_decl from, to;
	uint32_t latency;      /* edges, default 1 */
	bool staged;
	bool has_latency;
	uint32_t capacity;     /* FIFO places; 0: not given */
	uint32_t slots;        /* 0: not given */
	bool shared_slots;     /* "index": "any": every end may use every slot; default "own" */
	bool rotate;
	json_t *attrs;         /* object of all other members (port attributes), "$" resolved; may be
	                        * NULL.  A null in it is a reported error */
};

/* ---- what a netlist is composed of (composition.h) ---- */

struct hd_source;
struct hd_doc;

struct hd_export {
	const char *name, *at; /* in the store of the netlist */
	struct hd_end_decl end;
};

/* A netlist file in use, with parameters: the whole, or an instance in another. */
struct hd_part {
	uint32_t number;
	char *root;       /* begins its pointers: "", "3:" */
	struct hd_doc *doc;
	const struct hd_part *up;
	char *name, *at;  /* of the instance in `up`; NULL for the whole */
	struct hd_export *exports;
	size_t nexports;
	json_t *export_index; /* name -> position in exports */
};

/* An instance that is a netlist. */
struct hd_sub {
	char *name;
	uint32_t first, count; /* of its frames; none if it could not be read */
	bool array;
};

/* One element of a part: the prefix of its names. */
struct hd_frame {
	const struct hd_part *part;
	uint32_t number;
	char *prefix;          /* "", "top.node[2]." */
	json_t *clocks;        /* its clocks -> their full names */
	const char *first_clock; /* the full name of its first clock, or NULL */
	uint32_t nclocks;
	struct hd_sub *subs;
	size_t nsubs, cap;
	json_t *sub_index;     /* name -> position in subs; NULL: there are few */
};

/* Values of the sources by address: number of the source + 1; the sources that are files. */
struct hd_known_values {
	struct hd_int_map texts; /* of the first `noted` sources */
	struct hd_int_map roots; /* netlists that stand inside of others */
	size_t noted;
	size_t asked;            /* texts whose source was asked for */
	json_t *files;           /* name -> number of the source, from 0 */
};

struct hd_netlist {
	char *file;
	json_t *root;          /* with all changes applied */
	char *name, *doc;
	json_t *params;        /* name -> value, "$" resolved, overrides applied; the same */
	struct hd_clock_decl *clocks;
	struct hd_instance_decl *instances;
	struct hd_link_decl *links;
	size_t nclocks, ninstances, nlinks;
	uint64_t watchdog;     /* root periods without progress that count as a deadlock */

	/* its composition */
	struct hd_source **sources;
	struct hd_doc **docs;
	struct hd_part **parts;
	struct hd_frame **frames;
	size_t nsources, ndocs, nparts, nframes;
	struct hd_known_values *known;
	size_t cap_sources, cap_docs, cap_parts, cap_frames, cap_clocks, cap_instances, cap_links;
	uint32_t ngroups;      /* of links */
	uint64_t total;        /* instances, elements counted */
	uint64_t steps;        /* of reading so far: hd__netlist_takes() */
	struct hd_store store; /* of the declarations */
	const char *full;      /* why reading stopped before the end, or NULL */
	bool full_reported;
};

/* Reads a netlist and applies changes "path=value", in their order.  NULL if not even the outer form is usable;
 * messages are in *d.  Malformed values are reported and left out, so that later checks still run. */
struct hd_netlist *hd__netlist_read_set(const char *file, const char *const *sets, size_t nsets,
                                        struct hd_diags *d);
/* Reads one from memory; `file` is only a name for messages and the folder for paths. */
struct hd_netlist *hd__netlist_parse(const char *file, const char *text, size_t length,
                                     struct hd_diags *d);
struct hd_netlist *hd__netlist_parse_set(const char *file, const char *text, size_t length,
                                         const char *const *sets, size_t nsets, struct hd_diags *d);
void hd__netlist_free(struct hd_netlist *n);
/* Does it extend another one, or have values been set? */
bool hd__netlist_changed(const struct hd_netlist *n);

/* Reports a message at a place in the netlist, or at the nearest enclosing place that the text has.
 * A member name is added to the pointer unless NULL.  The message names the parameter from which
 * the value comes, if any. */
void hd__netlist_diag(const struct hd_netlist *n, struct hd_diags *d, enum hd_severity s,
                      const char *at, const char *member, const char *fmt, ...) HD_PRINTF(6, 7);
/* Reports a message that points at the member's key rather than at its value. */
void hd__netlist_diag_key(const struct hd_netlist *n, struct hd_diags *d, enum hd_severity s,
                          const char *at, const char *member, const char *fmt, ...)
	HD_PRINTF(6, 7);

/* The file that was requested for the part. */
const char *hd__part_file(const struct hd_netlist *n, const struct hd_part *p);
/* The member "instances" of the frame's netlist, as it is with all changes; NULL: it has none. */
json_t *hd__frame_instances(const struct hd_frame *f);
/* The sub-netlist of the frame with that name; NULL: none. */
const struct hd_sub *hd__frame_sub(const struct hd_frame *f, const char *name);
/* What the part exports under that name; NULL: nothing. */
const struct hd_export *hd__part_export(const struct hd_part *p, const char *name);

/* The file that contains a string of the netlist; NULL: the command line. */
const char *hd__netlist_file_of(const struct hd_netlist *n, const json_t *text);
/* Resolves `path` as named in the netlist `file` (NULL: on the command line): beside that file, or
 * among the installed netlists.  The caller frees it.  data_path.c */
char *hd__data_path(const char *file, const char *path);
/* A file of a kind that has a folder of its own among the installed ones is looked for there, too. */
char *hd__data_path_in(const char *folder, const char *file, const char *path);
/* The folder of the installed netlists, or of those of the source tree; NULL if there is none.  The caller frees it. */
char *hd__netlist_folder(void);
/* The folder share/heddle of the prefix in which this program or library is installed.  The caller
 * frees it.  NULL: there is none, as in the folder of a build. */
char *hd__installed_data(void);

#endif
