/* cmd.h - the subcommands of the program `heddle`
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_CMD_H
#define KERNEL_CMD_H

#include "sim.h"

#include <argp.h>

#define HD_EXIT_OK 0
#define HD_EXIT_FAILED 1
#define HD_EXIT_USAGE 2

struct hd_command {
	const char *name, *doc;
	int (*run)(int argc, char **argv); /* argv[0] is "heddle NAME"; returns the exit status */
};

int hd__cmd_run(int argc, char **argv);
int hd__cmd_check(int argc, char **argv);
int hd__cmd_flatten(int argc, char **argv);
int hd__cmd_diff(int argc, char **argv);
int hd__cmd_modules(int argc, char **argv);
int hd__cmd_graph(int argc, char **argv);
int hd__cmd_schema(int argc, char **argv);
int hd__cmd_new_module(int argc, char **argv);
int hd__cmd_import(int argc, char **argv); /* import/cmd_import.c */
int hd__cmd_report(int argc, char **argv); /* dump/cmd_report.c */

/* Parses with argp so that usage errors give HD_EXIT_USAGE.  Returns 0 or an exit status + 1. */
void hd__parse_args(const struct argp *a, int argc, char **argv, void *input);

/* ---- plugin_args.c: the option --plugin ---- */

struct hd_plugin_files {
	const char **v;
	size_t n;
};

/* Children of an argp parser whose ARGP_KEY_INIT sets child_inputs[0] to a struct
 * hd_plugin_files. */
extern const struct argp_child hd__plugin_args[2];
/* set_args.c: the option --set; the input of the parser is a struct hd_options, whose list of
 * changes the caller frees. */
extern const struct argp hd__set_args;
/* Both: child_inputs[1] is the struct hd_options. */
extern const struct argp_child hd__netlist_args[3];
/* Built-in modules, those of HEDDLE_MODULE_PATH, those of --plugin.  Frees the list. */
void hd__open_registry(struct hd_registry *r, struct hd_plugin_files *p, struct hd_diags *d);

/* Reads and builds a netlist, prints what is wrong to stderr.  NULL: exit with HD_EXIT_USAGE. */
struct hd_sim *hd__load(const char *netlist, struct hd_registry *r, const struct hd_options *o,
                        bool check_only, struct hd_diags *d);

/* ---- host.c: the loop around the simulation ---- */

struct hd_host {
	struct hd_sim *sim;
	bool quiet;
	/* results */
	enum hd_run_status status;
	bool interrupted;
	double seconds; /* of wall time */
};

/* Runs the simulation in slices between signals and the progress timer. */
void hd__host_run(struct hd_host *h);

#endif
