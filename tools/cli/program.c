/* program.c - a program of several commands: finds the named one and runs it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void usage(const struct hd_command *commands, FILE *out)
{
	fputs("Usage: heddle COMMAND [ARGUMENT...]\n"
	      "Simulates GPUs, or single streaming multiprocessors, that are assembled from netlists.\n\n", out);
	for (const struct hd_command *c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->doc);
	fputs("\n  --version  print the version\n"
	      "  --help     print this; 'heddle COMMAND --help' explains one\n", out);
}

void hd__parse_args(const struct argp *a, int argc, char **argv, void *input)
{
	argp_err_exit_status = HD_EXIT_USAGE;
	if (argp_parse(a, argc, argv, 0, NULL, input) != 0)
		exit(HD_EXIT_USAGE);
}

/* Reports a write error of standard output at exit.  argp exits by itself after --help. */
static void flush_output(void)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "heddle: standard output: %s\n", strerror(errno));
		_exit(HD_EXIT_FAILED);
	}
}

int hd__program(const struct hd_command *commands, int argc, char **argv)
{
	const char *names[64], *near;
	size_t n = 0;
	char *name;
	int status;

	signal(SIGXFSZ, SIG_IGN); /* writing fails with "File too large" */
	hd__outputs_guard();
	atexit(flush_output);
	if (argc < 2) {
		usage(commands, stderr);
		return HD_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0
	    || strcmp(argv[1], "help") == 0) {
		usage(commands, stdout);
		return HD_EXIT_OK;
	}
	/* argp would offer it only within a command */
	if (strcmp(argv[1], "--version") == 0 || (argc == 3 && strcmp(argv[2], "--version") == 0)) {
		printf("heddle %s (module ABI %u)\n", PACKAGE_VERSION, HD_ABI);
		return HD_EXIT_OK;
	}
	for (const struct hd_command *c = commands; c->name; c++) {
		if (n < sizeof names / sizeof *names)
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
