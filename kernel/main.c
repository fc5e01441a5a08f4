/* main.c - the program `heddle`: finds the subcommand and runs it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "lint.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static const struct hd_command commands[] = {
	{ "run", "replay a trace on the core that a netlist describes", hd__cmd_run },
	{ "check", "report every mistake in a netlist", hd__cmd_check },
	{ "flatten", "write what is simulated: one netlist with every value", hd__cmd_flatten },
	{ "diff", "say how two netlists differ", hd__cmd_diff },
	{ "monitor", "watch a run, or steer it", hd__cmd_monitor },
	{ "modules", "list the modules, or document one", hd__cmd_modules },
	{ "graph", "draw a netlist", hd__cmd_graph },
	{ "schema", "write the JSON Schema of netlists", hd__cmd_schema },
	{ "new-module", "write a module to begin with, and its test", hd__cmd_new_module },
	{ "report", "write a page with figures about runs that were dumped", hd__cmd_report },
	{ "import", "make a netlist of an Accel-Sim configuration", hd__cmd_import },
	{ "dump", "convert what a run has dumped, or say what is in it", hd__cmd_dump },
	{ NULL, NULL, NULL },
};

static void usage(FILE *out)
{
	fputs("Usage: heddle COMMAND [ARGUMENT...]\n"
	      "Simulates GPU streaming multiprocessors that are assembled from netlists.\n\n", out);
	for (const struct hd_command *c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->doc);
	fputs("\n  --version  print the version\n"
	      "  --help     print this; 'heddle COMMAND --help' tells more\n", out);
}

void hd__parse_args(const struct argp *a, int argc, char **argv, void *input)
{
	argp_err_exit_status = HD_EXIT_USAGE;
	if (argp_parse(a, argc, argv, 0, NULL, input) != 0)
		exit(HD_EXIT_USAGE);
}

struct hd_sim *hd__load(const char *netlist, struct hd_registry *r, const struct hd_options *o,
                        bool check_only, struct hd_diags *d)
{
	struct hd_netlist *n;
	struct hd_sim *s = NULL;

	n = hd__netlist_read_set(netlist, o->sets, o->nsets, d);
	if (n)
		s = hd__sim_new(n, r, o, check_only, d);
	if (s && d->errors) {
		hd__sim_free(s);
		s = NULL;
	}
	if (s && s->nopen == 0)
		hd__lint(s);
	if (!s || d->warnings)
		hd__diags_print(d, stderr);
	return s;
}

/* Whatever was said on standard output has to have arrived.  argp exits by itself after --help. */
static void flush_output(void)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "heddle: standard output: %s\n", strerror(errno));
		_exit(HD_EXIT_FAILED);
	}
}

int main(int argc, char **argv)
{
	const char *names[sizeof commands / sizeof *commands], *near;
	size_t n = 0;
	char *name;
	int status;

	atexit(flush_output);
	if (argc < 2) {
		usage(stderr);
		return HD_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0
	    || strcmp(argv[1], "help") == 0) {
		usage(stdout);
		return HD_EXIT_OK;
	}
	/* argp would offer it only for its own commands */
	if (strcmp(argv[1], "--version") == 0 || (argc == 3 && strcmp(argv[2], "--version") == 0)) {
		printf("heddle %s (module ABI %u)\n", PACKAGE_VERSION, HD_ABI);
		return HD_EXIT_OK;
	}
	for (const struct hd_command *c = commands; c->name; c++) {
		names[n++] = c->name;
		if (strcmp(c->name, argv[1]) != 0)
			continue;
		name = hd__format("heddle %s", c->name);
		argv[1] = name;
		status = c->run(argc - 1, argv + 1);
		free(name);
		return status;
	}
	near = hd__nearest(argv[1], names, n);
	if (near)
		fprintf(stderr, "heddle: unknown command '%s'; did you mean '%s'?\n", argv[1], near);
	else
		fprintf(stderr, "heddle: unknown command '%s'; 'heddle --help' lists them\n", argv[1]);
	return HD_EXIT_USAGE;
}
