/* study.h - a study: netlists, values to set in them, traces; every combination is a point
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_H
#define TOOLS_STUDY_STUDY_H

#include "base/diag.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STUDY_MOST_POINTS 1000000u
#define STUDY_KEY 33 /* bytes of a key as text: 128 bits in hexadecimal, and the end */

/* One value of one path, as for --set. */
struct study_value {
	const char *path; /* owned by the study's JSON */
	char *set;        /* "path=value" */
	json_t *value;
	char *at;         /* JSON pointer of the value in the study file */
	size_t refused;   /* study_netlists.c: by that kind of designs, from 1 */
};

/* Values that are set together; label: the name of a design, or NULL. */
struct study_choice {
	const char *label;
	struct study_value *v;
	size_t n;
};

/* Alternatives: each point has one of them. */
struct study_factor {
	struct study_choice *v;
	size_t n;
	bool designs;
};

struct study_factors {
	struct study_factor *v;
	size_t n;
};

struct study_netlist {
	char *name, *file; /* file: NULL after an error, or until it is imported */
	char *at;          /* JSON pointer of what names it */
	json_t *import;    /* list of files, or NULL; owned by the study's JSON */
	json_t *options;   /* with it: object, or NULL */
	bool one_sm;
	struct study_factors factors;
};

struct study_trace {
	char *name, *file;
	char *kernels;     /* for --kernel, or NULL */
	uint64_t max_cycles;
	bool strict, keep_going;
	uint64_t bytes;    /* of its files; inputs.c */
	char hash[STUDY_KEY]; /* of their contents */
};

/* A netlist with the values of one choice of each factor. */
struct study_design {
	size_t netlist;
	const char *label; /* of a named design, "" */
	struct study_value **v; /* each path once */
	size_t n;
};

struct study {
	char *file, *folder; /* folder: with '/' at the end, or "" */
	char *text;
	json_t *root;
	char *name;
	const char *doc;     /* or NULL */
	struct study_netlist *netlists;
	struct study_trace *traces;
	struct study_factors factors; /* for every netlist */
	struct study_design *designs; /* points are designs x traces; expand.c */
	size_t nnetlists, ntraces, ndesigns;
	double seconds;      /* limits of a point, 0: none */
	uint64_t megabytes;
	bool each;           /* statistics of every single instance */
	bool reasons;        /* reasons for lost issue slots are counted */
	bool fresh, once;    /* as heddle run takes them */
	uint64_t pieces;     /* in which each list is simulated; 0: it is one */
	const char *energy;  /* the table by which energy is counted, or NULL; */
	json_t *tables;      /* it and the files that it is made of, and their hash */
	char tables_hash[STUDY_KEY];
};

/* Reads a study; NULL after reporting errors. */
struct study *study_read(const char *file, struct hd_diags *d);
void study_free(struct study *s);
/* A member of it with which lists are not simulated in parts, so that there is nothing for a cache; NULL: none. */
const char *study_needs_whole(const struct study *s);

/* ---- shared by the files that read it; study_place.c ---- */

/* Reports an error at a pointer in the file; at the key if `key`. */
void study_bad(const struct study *s, struct hd_diags *d, const char *at, bool key, const char *fmt, ...)
	HD_PRINTF(5, 6);
/* Reports members of the object at `at` that are not in the NULL-terminated list; `what`: of what. */
void study_members(const struct study *s, struct hd_diags *d, const json_t *o, const char *at,
                   const char *what, const char *const *known);
/* A member of that JSON type; NULL if it is missing, or after reporting another type. */
json_t *study_member(const struct study *s, struct hd_diags *d, const json_t *o, const char *at,
                     const char *name, json_type type, const char *expected);
/* The folder of a file, with '/' at the end, or ""; a name in such a folder.  The caller frees these. */
char *study_folder_of(const char *file);
char *study_below(const char *folder, const char *name);
/* "matmul" of "a/matmul/kernelslist.g", "kernel-1" of "a/kernel-1.traceg.xz".  The caller frees it. */
char *study_short_name(const char *file);
/* Is it "N", "N-M" or "N-", from 1? */
bool study_is_range(const char *text);
/* Is it a list of at least one string, or a string?  Returns false after reporting that it is not. */
bool study_is_texts(const struct study *s, struct hd_diags *d, const json_t *v, const char *at,
                    const char *expected);

/* study_values.c: factors of an object like "set"; of "together"; of "designs". */
void study_read_set(struct study *s, struct study_factors *f, json_t *set, const char *at,
                    struct hd_diags *d);
void study_read_together(struct study *s, struct study_factors *f, json_t *list, struct hd_diags *d);
void study_read_designs(struct study *s, struct study_factors *f, json_t *designs, struct hd_diags *d);
void study_free_factors(struct study_factors *f);

/* study_read.c: can it be the name of a file?  The member "limits". */
bool study_is_file_name(const char *name);
void study_read_limits(struct study *s, struct hd_diags *d);

/* study_traces.c */
void study_read_traces(struct study *s, json_t *list, struct hd_diags *d);

/* expand.c: makes the designs.  Returns false after reporting that there are too many points. */
bool study_expand(struct study *s, struct hd_diags *d);
static inline size_t study_points(const struct study *s)
{
	return s->ndesigns * s->ntraces;
}

#endif
