/* import.h - private to the importer of Accel-Sim configurations
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An option has a name and a default, and it is used or has a reason why it is not (import_options.c).
 * Settings come from files and from the command line (config.c, files.c); import_core.c, front.c, import_units.c,
 * policy.c and memory.c make an SM of them, import_gpu.c and beyond.c what is around it, and report errors
 * with the place of the setting.
 */
#ifndef TOOLS_IMPORT_IMPORT_H
#define TOOLS_IMPORT_IMPORT_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define HD_IMPORT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define HD_IMPORT_PRINTF(f, a)
#endif

enum hd_import_scope {
	HD_IMPORT_SM,  /* the SM */
	HD_IMPORT_ALL, /* a GPU, and what is around one SM */
	HD_IMPORT_GPU, /* what is around the SMs of a GPU */
	HD_IMPORT_NOT, /* nothing */
};

struct hd_import_option {
	const char *name;   /* without the dash */
	const char *def;    /* default of the reference */
	enum hd_import_scope scope;
	const char *text;   /* the paths of the values that it gives, as for --set: those of an SM
	                     * from there; or why it has no effect */
	const char *one_sm; /* the same if one SM is imported, where it differs */
};

extern const struct hd_import_option hd__import_options[];

struct hd_import_setting {
	const char *text; /* NULL: not set; owned by hd_import.lines */
	const char *file; /* NULL: command line; owned by hd_import.files */
	unsigned line;
	bool read;        /* the netlist depends on it */
	bool bad;         /* an error in it was reported */
};

/* A setting that was read, in effect or replaced by a later one. */
struct hd_import_line {
	size_t option;
	char *text;
	const char *file;
	unsigned line;
};

struct hd_import {
	struct hd_import_setting *setting; /* parallel to hd__import_options */
	char **files;                      /* names of all files read */
	size_t nfiles;
	struct hd_import_line *lines;      /* all settings, as they were read */
	size_t nlines;
	bool one_sm;                       /* else a whole GPU */
	unsigned special;                  /* bit n: there is SPECIALIZED_UNIT_n */
	unsigned errors, warnings;
	json_t *params, *instances, *links; /* under construction */
};

/* ---- config.c: settings ---- */

void hd__import_init(struct hd_import *im);
void hd__import_free(struct hd_import *im);
/* One setting, from the command line; the name has its dash. */
void hd__import_set(struct hd_import *im, const char *name, const char *value);
/* Reads the text of an option file; `file` must outlive im. */
void hd__import_parse(struct hd_import *im, const char *file, const char *text, const char *end);

/* ---- files.c: option files ---- */

/* Reads an option file, or the two files of a configuration folder.  Problems are printed and
 * counted. */
void hd__import_file(struct hd_import *im, const char *path);
/* Reports files that are missing: a configuration has gpgpusim.config and trace.config. */
void hd__import_complete(struct hd_import *im);
/* Text of a file, which is one of im->files then, with its end at *end; NULL after an error was printed and counted.
 * The caller frees it. */
char *hd__import_slurp(struct hd_import *im, const char *path, char **end);

/* ---- import_values.c: settings as values; a bad one is reported and replaced by a valid one ---- */

const struct hd_import_option *hd__import_option(const char *name);
/* The file that sets it; NULL: none, or the command line. */
const char *hd__import_file_of(const struct hd_import *im, const char *name);
bool hd__import_is_set(const struct hd_import *im, const char *name);
const char *hd__import_text(struct hd_import *im, const char *name);
uint32_t hd__import_number(struct hd_import *im, const char *name, uint32_t min, uint32_t max);
bool hd__import_flag(struct hd_import *im, const char *name);
/* Numbers separated by one of `separators`; returns how many, at most max.  Fewer than min is an
 * error; the missing ones become 0. */
unsigned hd__import_numbers(struct hd_import *im, const char *name, const char *separators,
                            uint32_t *out, unsigned min, unsigned max);
/* A clock of -gpgpu_clock_domains: 0 core, 1 network, 2 L2, 3 DRAM. */
json_t *hd__import_mhz(struct hd_import *im, unsigned domain);
/* Reports an error in the setting, or a warning, with its place. */
void hd__import_error(struct hd_import *im, const char *name, const char *fmt, ...)
	HD_IMPORT_PRINTF(3, 4);
void hd__import_warn(struct hd_import *im, const char *name, const char *fmt, ...)
	HD_IMPORT_PRINTF(3, 4);

/* ---- the netlist ---- */

/* A cache: "S:4:128:64,L:T:m:L:L,A:512:8,16:0,32".  cache.c */
struct hd_import_cache {
	bool none; /* "none": there is no such cache */
	bool streams; /* allocation 's' */
	uint32_t sets, line, ways;
	json_t *params; /* of module `cache`, owned by the caller */
};
struct hd_import_cache hd__import_cache(struct hd_import *im, const char *name);
/* Bytes that its ports move in a cycle; 0: the text does not say. */
uint32_t hd__import_port_width(struct hd_import *im, const char *name);

/* Number of schedulers, and whether they divide the SM into sub-cores. */
struct hd_import_shape {
	uint32_t schedulers;
	bool sub_cores;
	const char *count; /* "$sub_cores" or "$schedulers" */
};
struct hd_import_shape hd__import_shape(struct hd_import *im);

/* import_gpu.c: the netlist, of a GPU, unless the configuration is of one SM with perfect memory or im->one_sm is
 * set.  name: NULL for a default one. */
json_t *hd__import_netlist(struct hd_import *im, const char *name);
json_t *hd__import_core(struct hd_import *im);   /* import_core.c: one SM with what is around it */
void hd__import_beyond(struct hd_import *im, json_t *gpu); /* beyond.c: network, caches, channels */
void hd__import_front(struct hd_import *im);   /* front.c: trace to issue */
void hd__import_policy(struct hd_import *im);  /* policy.c: scheduler */
void hd__import_units(struct hd_import *im);   /* import_units.c: collector, register file, units */
void hd__import_memory(struct hd_import *im);  /* memory.c: load/store unit, caches, memory */

/* import_parts.c: adds an instance, takes `entry`; a link, takes `entry`. */
void hd__import_instance(struct hd_import *im, const char *name, json_t *entry);
void hd__import_link(struct hd_import *im, json_t *entry);
/* { "from": from, "to": to } */
void hd__import_wire(struct hd_import *im, json_t *from, const char *to);

/* ---- import_summary.c ---- */

/* Prints which of the options that were set are used. */
void hd__import_summary(struct hd_import *im, FILE *out);
/* Prints of every setting what became of it in the netlist, and the defaults that were used. */
void hd__import_explain(struct hd_import *im, const json_t *netlist, FILE *out);
/* Prints every option: its default, and whether it is used or why not. */
void hd__import_list(FILE *out);

/* ---- import_resolve.c: behind a path or a text, the values that are there ---- */

void hd__import_put_value(const json_t *netlist, const char *path, size_t n, FILE *out);
void hd__import_put_widths(const json_t *sm, FILE *out);
/* The unit of an SM for these instructions. */
void hd__import_put_class(const json_t *sm, const char *name, size_t n, FILE *out);

#endif
