/* cmd.h - the subcommands of the program `heddle`
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_CMD_H
#define TOOLS_CLI_CMD_H

#include "base/exit.h"
#include "base/output.h"
#include "kernel/sim.h"

#include <argp.h>

struct hd_command {
	const char *name, *doc;
	int (*run)(int argc, char **argv); /* argv[0] is "heddle NAME"; returns the exit status */
};

int hd__cmd_run(int argc, char **argv);
int hd__cmd_bundle(int argc, char **argv);
int hd__cmd_check(int argc, char **argv);
int hd__cmd_check_module(int argc, char **argv);
int hd__cmd_flatten(int argc, char **argv);
int hd__cmd_diff(int argc, char **argv);
int hd__cmd_modules(int argc, char **argv);
int hd__cmd_graph(int argc, char **argv);
int hd__cmd_schema(int argc, char **argv);
int hd__cmd_lsp(int argc, char **argv);
int hd__cmd_monitor(int argc, char **argv);
int hd__cmd_new_module(int argc, char **argv);
int hd__cmd_dump(int argc, char **argv);   /* only in heddle-dump */
int hd__cmd_import(int argc, char **argv);
int hd__cmd_report(int argc, char **argv); /* only in heddle-dump */
int hd__cmd_trace(int argc, char **argv);
int hd__trace_record(int argc, char **argv); /* heddle trace record */
int hd__cmd_sample(int argc, char **argv);
int hd__cmd_sweep(int argc, char **argv);
int hd__cmd_correlate(int argc, char **argv);
int hd__cmd_compare(int argc, char **argv); /* only in heddle-dump */
int hd__cmd_collect(int argc, char **argv); /* only in heddle-dump */

/* Runs the command that argv names. */
int hd__program(const struct hd_command *commands, int argc, char **argv);
/* Runs the command of a command that argv names: `heddle NAME COMMAND`. */
int hd__program_part(const char *name, const char *doc, const struct hd_command *commands, int argc,
                     char **argv);
/* Runs the command in the program heddle-dump. */
int hd__cmd_exec(int argc, char **argv);
/* Is that other program of heddle there?  Returns false after printing an error as the command `asked`. */
bool hd__exec_can(const char *asked, const char *other);
/* Runs another program of heddle instead of this one; args[0] is its name in messages.  Returns only if it
 * cannot be run. */
int hd__exec(const char *other, char **args);

/* A number on the command line, from `least` to `most`, else the program ends; what: its name in messages,
 * "--jobs".  *end: what is behind it; NULL: nothing may be. */
uint64_t hd__arg_number(struct argp_state *st, const char *what, const char *text, uint64_t least, uint64_t most,
                        char **end);
/* A range of kernels, N, N-M or N-, counted from 1; else the program ends. */
void hd__arg_kernels(struct argp_state *st, const char *text, uint64_t *first, uint64_t *last);
/* A share in per cent, "2.5" or "2.5%", from 0 to 100, as a fraction; else the program ends. */
double hd__arg_percent(struct argp_state *st, const char *what, const char *text);
/* Parses with argp so that usage errors give HD_EXIT_USAGE.  Returns 0 or an exit status + 1. */
void hd__parse_args(const struct argp *a, int argc, char **argv, void *input);
/* Arguments in front of "--" come first, and can be distinguished from those behind it. */
void hd__parse_args_in_order(const struct argp *a, int argc, char **argv, void *input);

/* ---- netlist_args.c: the options --plugin and --set ---- */

struct hd_plugin_files {
	const char **v;
	size_t n;
	bool none; /* --no-plugins: any is an error */
};

/* Children of an argp parser whose ARGP_KEY_INIT sets child_inputs[0] to a struct hd_plugin_files. */
extern const struct argp_child hd__plugin_args[2];
/* Both options: child_inputs[1] is a struct hd_options, whose list of changes the caller frees. */
extern const struct argp_child hd__netlist_args[3];

/* A command whose argument is one netlist. */
struct hd_one_netlist {
	struct hd_sim *sim; /* once it is built */
	const char *netlist;
	struct hd_plugin_files plugins;
	struct hd_options opt;
	bool each; /* print all of like messages */
};

/* The argument NETLIST and both options: child_inputs[0] is a struct hd_one_netlist. */
extern const struct argp_child hd__one_netlist_args[2];
/* Builds it for `use`, and exits with the status that it returns; returns one if the netlist has mistakes. */
int hd__with_netlist(struct hd_one_netlist *o, int (*use)(struct hd_sim *s, void *arg), void *arg);

/* ---- import_study.c ---- */

struct study;
struct study_netlist;
struct study_folder;
/* Makes the netlist of an Accel-Sim configuration, in the folder.  `read` gets the names of the files of which it is
 * made, unless it is NULL.  Returns false after printing errors. */
bool hd__import_of_study(const struct study *s, struct study_netlist *n, const struct study_folder *f, json_t *read);

/* ---- others ---- */

/* cmd_schema.c: the JSON Schemas of netlists and of studies.  The caller owns them. */
json_t *hd__netlist_schema(const struct hd_registry *r);
json_t *hd__study_schema(void);

/* Built-in modules, those of HEDDLE_MODULE_PATH, those of --plugin.  Frees the list. */
void hd__open_registry(struct hd_registry *r, struct hd_plugin_files *p, struct hd_diags *d);

/* Reads and builds a netlist, prints errors on stderr.  NULL: exit with HD_EXIT_USAGE. */
struct hd_sim *hd__load(const char *netlist, struct hd_registry *r, const struct hd_options *o,
                        bool check_only, struct hd_diags *d);

/* The number that a parameter of the instance has; 0: there is no such number. */
uint32_t hd__parameter(const struct hd_instance *in, const char *name);

/* json_arena.c: for a process that ends after one run.  jansson gets memory from an arena that is kept
 * until the end; do not free() the result of json_dumps() then.  What one thread allocates and another
 * frees is not used again by the first. */
void hd__short_memory(void);
/* From now on jansson gets memory by malloc(). */
void hd__lasting_memory(void);

/* partitions.c: prints the partitions of a netlist on stdout. */
void hd__print_partitions(const struct hd_sim *s);
/* kernel_table.c: prints a line for each row of the table "kernels" of these statistics. */
void hd__kernel_table(const json_t *statistics, const struct hd_json_rows *rows, FILE *out);
/* The largest reasons of each, if there are any. */
void hd__reasons_table(const struct hd_json_rows *rows, FILE *out);

#endif
