/* subcommands.c - a program of several commands: finds the named one and runs it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void list(const struct hd_command *commands, FILE *out)
{
	for (const struct hd_command *c = commands; c->name; c++)
		fprintf(out, "  %-12s %s\n", c->name, c->doc);
}

static void usage(const struct hd_command *commands, FILE *out)
{
	fputs("Usage: heddle COMMAND [ARGUMENT...]\n"
	      "Simulates GPUs, or single streaming multiprocessors, assembled from netlists.\n\n", out);
	list(commands, out);
	fputs("  --version    print the version; 'heddle COMMAND --help' explains a command\n", out);
}

/* ---- help that fits a screen --------------------------------------------------------------- */

enum { SCREEN_LINES = 24, SCREEN_COLUMNS = 79 };

static unsigned lines_of(const char *text)
{
	unsigned n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return n;
}

/* Is the line about an option?  Then `name` is the long one, with its value. */
static bool option_of(const char *line, const char **name, size_t *length)
{
	const char *p = line + strspn(line, " ");

	if (*p != '-' || p == line)
		return false;
	if (p[1] != '-')
		p = strstr(p, "--");
	if (!p)
		return false;
	*name = p;
	*length = strcspn(p, " \n");
	return true;
}

/* What the command does, and the names of its options. */
static void print_short(const char *text, const char *program)
{
	unsigned column = 0;
	const char *name, *p = text;
	size_t length;

	for (; *p != '\0' && *p != '\n' && !option_of(p, &name, &length); p += length) {
		length = strcspn(p, "\n") + 1;
		fwrite(p, 1, length, stdout);
	}
	printf("\nOptions, which '%s --help-all' explains:\n", program);
	for (; *p != '\0'; p += strcspn(p, "\n") + (p[strcspn(p, "\n")] != '\0')) {
		if (!option_of(p, &name, &length))
			continue;
		if (column > 0 && column + 1 + length > SCREEN_COLUMNS) {
			putchar('\n');
			column = 0;
		}
		column += (unsigned)printf("%s%.*s", column == 0 ? "  " : " ", (int)length, name);
	}
	putchar('\n');
}

/* Prints the help if it is asked for; argp prints the whole one. */
static void answer_help(const struct argp *a, int argc, char **argv, void *input)
{
	char *text = NULL;
	size_t size;
	FILE *f;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--help-all") == 0) {
			argv[1] = (char *)"--help";
			argv[2] = NULL;
			argp_parse(a, 2, argv, 0, NULL, input); /* exits */
		}
		if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "-?") != 0)
			continue;
		f = open_memstream(&text, &size);
		if (!f)
			return;
		argp_help(a, f, ARGP_HELP_STD_HELP & ~(unsigned)(ARGP_HELP_EXIT_OK | ARGP_HELP_EXIT_ERR),
		          argv[0]);
		fclose(f);
		if (lines_of(text) > SCREEN_LINES - 3) { /* argp adds its own options */
			print_short(text, argv[0]);
			free(text);
			exit(HD_EXIT_OK);
		}
		free(text);
		return;
	}
}

static void parse_args(const struct argp *a, int argc, char **argv, unsigned flags, void *input)
{
	argp_err_exit_status = HD_EXIT_USAGE;
	answer_help(a, argc, argv, input);
	if (argp_parse(a, argc, argv, flags, NULL, input) != 0)
		exit(HD_EXIT_USAGE);
}

void hd__parse_args(const struct argp *a, int argc, char **argv, void *input)
{
	parse_args(a, argc, argv, 0, input);
}

void hd__parse_args_in_order(const struct argp *a, int argc, char **argv, void *input)
{
	parse_args(a, argc, argv, ARGP_IN_ORDER, input);
}

uint64_t hd__arg_number(struct argp_state *st, const char *what, const char *text, uint64_t least, uint64_t most,
                        char **end)
{
	char *stop;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &stop, 10);
	if (!isdigit((unsigned char)text[0]) || errno || v < least || v > most || (*stop && !end)) {
		if (most == UINT64_MAX)
			argp_error(st, "%s: '%s' is not a number from %" PRIu64, what, text, least);
		argp_error(st, "%s: '%s' is not a number from %" PRIu64 " to %" PRIu64, what, text, least, most);
	}
	if (end)
		*end = stop;
	return v;
}

double hd__arg_percent(struct argp_state *st, const char *what, const char *text)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	end += *end == '%';
	if (!isdigit((unsigned char)text[0]) || errno || *end || !(v <= 100))
		argp_error(st, "%s: '%s' is not a share from 0 to 100 %%", what, text);
	return v / 100;
}

void hd__arg_kernels(struct argp_state *st, const char *text, uint64_t *first, uint64_t *last)
{
	char *end;

	*first = *last = hd__arg_number(st, "--kernel", text, 1, UINT64_MAX, &end);
	if (*end == '-' && end[1] == '\0') {
		*last = UINT64_MAX;
		end++;
	} else if (*end == '-') {
		*last = hd__arg_number(st, "--kernel", end + 1, 1, UINT64_MAX, &end);
	}
	if (*end || *last < *first)
		argp_error(st, "--kernel: '%s' is not a range; expected N, N-M or N-, from 1", text);
}

/* Reports a write error of standard output at exit.  argp exits by itself after --help. */
static void flush_output(void)
{
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "heddle: standard output: could not be written: %s\n", strerror(errno ? errno : EIO));
		_exit(HD_EXIT_FAILED);
	}
}

static bool asks_help(const char *arg)
{
	return strcmp(arg, "--help") == 0 || strcmp(arg, "--help-all") == 0 || strcmp(arg, "-h") == 0
	       || strcmp(arg, "help") == 0;
}

/* The command that argv[1] names, with "PROGRAM NAME" as its argv[0]. */
static int dispatch(const char *program, const struct hd_command *commands, int argc, char **argv)
{
	const char *names[64], *near;
	size_t n = 0;

	for (const struct hd_command *c = commands; c->name; c++) {
		char *name;
		int status;

		if (n < sizeof names / sizeof *names)
			names[n++] = c->name;
		if (strcmp(c->name, argv[1]) != 0)
			continue;
		name = hd__format("%s %s", program, c->name);
		argv[1] = name;
		status = c->run(argc - 1, argv + 1);
		free(name);
		return status;
	}
	near = hd__nearest(argv[1], names, n);
	if (near)
		fprintf(stderr, "%s: unknown command '%s'; did you mean '%s'?\n", program, argv[1], near);
	else
		fprintf(stderr, "%s: unknown command '%s'; '%s --help' lists them\n", program, argv[1],
		        program);
	return HD_EXIT_USAGE;
}

/* For jansson: a value that is not there for lack of memory would be taken for a mistake in a file. */
static void *allocate(size_t n)
{
	return hd__xcheck(malloc(n));
}

int hd__program(const struct hd_command *commands, int argc, char **argv)
{
	signal(SIGXFSZ, SIG_IGN); /* writing fails with "File too large" */
	signal(SIGCHLD, SIG_DFL); /* the status of a child is lost if this is ignored, as it may have been */
	json_set_alloc_funcs(allocate, free);
	hd__outputs_guard();
	atexit(flush_output);
	if (argc < 2) {
		usage(commands, stderr);
		return HD_EXIT_USAGE;
	}
	if (asks_help(argv[1])) {
		usage(commands, stdout);
		return HD_EXIT_OK;
	}
	/* argp would offer it only within a command */
	if (strcmp(argv[1], "--version") == 0 || (argc == 3 && strcmp(argv[2], "--version") == 0)) {
		printf("heddle %s (module ABI %u)\n", PACKAGE_VERSION, HD_ABI);
		return HD_EXIT_OK;
	}
	return dispatch("heddle", commands, argc, argv);
}

int hd__program_part(const char *name, const char *doc, const struct hd_command *commands, int argc,
                     char **argv)
{
	char *program;
	int status = HD_EXIT_OK;

	if (argc < 2 || asks_help(argv[1])) {
		FILE *out = argc < 2 ? stderr : stdout;

		fprintf(out, "Usage: heddle %s COMMAND [ARGUMENT...]\n%s\n\n", name, doc);
		list(commands, out);
		fprintf(out, "\n  --help     print this; 'heddle %s COMMAND --help' explains one\n", name);
		return argc < 2 ? HD_EXIT_USAGE : HD_EXIT_OK;
	}
	program = hd__join("heddle ", name, "");
	status = dispatch(program, commands, argc, argv);
	free(program);
	return status;
}
