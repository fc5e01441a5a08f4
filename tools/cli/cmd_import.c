/* cmd_import.c - heddle import: makes a netlist of an Accel-Sim configuration
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "base/json_write.h"
#include "base/output.h"
#include "tools/import/import.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#define COLUMNS 98

struct args {
	const char *output, *name;
	bool quiet, explain, any;
};

static const char help[] =
	"Usage: heddle import [OPTION...] FILE... [-OPTION VALUE]...\n"
	"Makes a netlist of an Accel-Sim configuration: the whole GPU, or one SM if its\n"
	"memory is perfect (-gpgpu_perfect_mem 1).  FILE is an option file,\n"
	"gpgpusim.config or trace.config, or a folder with both.  A later setting\n"
	"replaces an earlier one.\n\n"
	"  -o, --output FILE  write the netlist to FILE; standard output if not given\n"
	"  -n, --name NAME    name of the netlist; else imported_gpu or imported_sm\n"
	"      --one-sm       one SM, with a memory that answers at once\n"
	"  -e, --explain      print what became of every option, and the defaults used\n"
	"  -q, --quiet        no summary of used and ignored options\n"
	"      --options      list every option: used, or why not\n"
	"      --help         print this\n\n"
	"Exit status: 0 success, 1 the netlist could not be written, 2 bad usage or\n"
	"options.\n";

static bool is_setting(const char *arg)
{
	return arg[0] == '-' && isalpha((unsigned char)arg[1]) && arg[2] != '\0';
}

static int usage(const char *fmt, const char *arg)
{
	fputs("heddle import: ", stderr);
	fprintf(stderr, fmt, arg);
	fputs("\nTry 'heddle import --help'.\n", stderr);
	return HD_EXIT_USAGE + 1;
}

/* An option of the command itself without a value. */
static bool own_flag(struct hd_import *im, struct args *a, const char *arg)
{
	bool quiet = strcmp(arg, "-q") == 0 || strcmp(arg, "--quiet") == 0;
	bool explain = strcmp(arg, "-e") == 0 || strcmp(arg, "--explain") == 0;
	bool one_sm = strcmp(arg, "--one-sm") == 0;

	a->quiet |= quiet;
	a->explain |= explain;
	im->one_sm |= one_sm;
	return quiet || explain || one_sm;
}

/* Another one.  Returns 0, or an exit status + 1. */
static int own_option(struct args *a, const char *arg, const char *value, int *used)
{
	bool output = strcmp(arg, "-o") == 0 || strcmp(arg, "--output") == 0;

	if (strcmp(arg, "--help") == 0 || strcmp(arg, "--help-all") == 0 || strcmp(arg, "-?") == 0) {
		fputs(help, stdout);
		return HD_EXIT_OK + 1;
	}
	if (strcmp(arg, "--options") == 0) {
		hd__import_list(stdout);
		return HD_EXIT_OK + 1;
	}
	if (!output && strcmp(arg, "-n") != 0 && strcmp(arg, "--name") != 0)
		return usage("unknown option '%s'", arg);
	if (!value)
		return usage("option '%s' needs a value", arg);
	*(output ? &a->output : &a->name) = value;
	++*used;
	return 0;
}

static int parse(struct hd_import *im, struct args *a, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		int status;

		if (strcmp(argv[i], "-config") == 0 && value) {
			hd__import_file(im, value);
			a->any = true;
			i++;
		} else if (is_setting(argv[i])) {
			if (!value || (value[0] == '-' && isalpha((unsigned char)value[1])))
				return usage("option '%s' needs a value", argv[i]);
			hd__import_set(im, argv[i], value);
			a->any = true;
			i++;
		} else if (own_flag(im, a, argv[i])) {
			;
		} else if (argv[i][0] == '-' && argv[i][1] != '\0') {
			status = own_option(a, argv[i], value, &i);
			if (status)
				return status;
		} else {
			hd__import_file(im, argv[i]);
			a->any = true;
		}
	}
	return a->any ? 0 : usage("expected %s", "FILE");
}

static int write_netlist(const json_t *root, const char *path)
{
	struct hd_output o;
	int status = hd__output_open(&o, path, NULL);

	if (status == HD_EXIT_OK) {
		hd__json_pretty(root, COLUMNS, "instances", o.f); /* if it fails, the stream has an error */
		status = hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
	}
	return status;
}

int hd__cmd_import(int argc, char **argv)
{
	struct args a = { 0 };
	struct hd_import im;
	json_t *root = NULL;
	int status;

	hd__import_init(&im);
	status = parse(&im, &a, argc, argv) - 1;
	if (status < 0) {
		hd__import_complete(&im);
		/* after a read error options would be missing */
		root = im.errors ? NULL : hd__import_netlist(&im, a.name);
		if (im.errors || !root)
			status = HD_EXIT_USAGE;
		else
			status = write_netlist(root, a.output);
		if (status == HD_EXIT_OK && a.explain)
			hd__import_explain(&im, root, a.output ? stdout : stderr);
		else if (status == HD_EXIT_OK && !a.quiet)
			hd__import_summary(&im, a.output ? stdout : stderr);
	}
	json_decref(root);
	hd__import_free(&im);
	return status;
}
