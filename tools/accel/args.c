/* args.c - the command line of heddle-accel-sim: settings in the order of the reference
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * As in the reference an option file counts where its -config stands, and of several settings of one
 * option the last one counts.
 */
#include "accel.h"
#include "base/exit.h"

#include <ctype.h>
#include <stdio.h>

static const char help[] =
	"Usage: heddle-accel-sim -trace LIST -config FILE [-config FILE...] [-OPTION VALUE...]\n"
	"Runs a trace on the GPU of an Accel-Sim configuration, and prints what scripts collect from\n"
	"Accel-Sim's output.  FILE is an option file, gpgpusim.config or trace.config, or a folder with\n"
	"both.  A later setting replaces an earlier one.\n\n"
	"  -trace LIST     kernelslist.g, or a single .traceg file; ./traces/kernelslist.g if not given\n"
	"  -config FILE    read options from FILE\n"
	"  -OPTION VALUE   set one option; 'heddle import --options' lists them\n"
	"      --version   print the version\n"
	"      --help      print this\n\n"
	"Exit status: 0 success, 1 the run failed, 2 bad usage, options or trace.\n";

/* Settings other than 0 that ask for what this program does not do. */
static const struct {
	const char *name, *why;
} refused[] = {
	{ "gpgpu_max_insn", "a run ends with its trace, or after '-gpgpu_max_cycle' cycles" },
	{ "gpgpu_max_cta", "a run ends with its trace, or after '-gpgpu_max_cycle' cycles" },
	{ "gpgpu_max_completed_cta", "a run ends with its trace, or after '-gpgpu_max_cycle' cycles" },
	{ "power_simulation_mode", "counters of a hardware profiler are not read" },
	{ "power_trace_enabled", "no trace of power is written; 'heddle run --energy --power-trace' writes one" },
	{ "steady_power_levels_enabled", "no steady levels are written" },
	{ "visualizer_enabled", "no log for the visualizer is written; 'heddle run --dump' records a run" },
	{ "trace_enabled", "no debugging trace is printed; 'heddle run --dump' records a run" },
	{ "gpgpu_cflog_interval", "no control-flow log is written; 'heddle run --dump' records a run" },
	{ "checkpoint_option", "a trace has no state of memory to save" },
	{ "resume_option", "a trace has no state of memory to load" },
};

static int usage(const char *fmt, const char *arg)
{
	fputs("heddle-accel-sim: ", stderr);
	fprintf(stderr, fmt, arg);
	fputs("\nTry 'heddle-accel-sim --help'.\n", stderr);
	return HD_EXIT_USAGE + 1;
}

static bool is_option(const char *arg)
{
	return arg[0] == '-' && isalpha((unsigned char)arg[1]);
}

int hd__accel_parse(struct hd_import *im, int argc, char **argv)
{
	if (argc < 2)
		return usage("expected %s", "-trace LIST -config FILE");
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-help") == 0) {
			fputs(help, stdout);
			return HD_EXIT_OK + 1;
		}
		if (strcmp(argv[i], "--version") == 0) {
			printf("heddle-accel-sim %s\n", PACKAGE_VERSION);
			return HD_EXIT_OK + 1;
		}
		if (!is_option(argv[i]))
			return usage("unexpected argument '%s'; expected -OPTION VALUE", argv[i]);
		if (!value || is_option(value))
			return usage("option '%s' needs a value", argv[i]);
		if (strcmp(argv[i], "-config") == 0)
			hd__import_file(im, value);
		else
			hd__import_set(im, argv[i], value);
	}
	return 0;
}

void hd__accel_refuse(struct hd_import *im)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		const char *text = hd__import_text(im, refused[i].name);

		if (strtod(text, NULL) != 0)
			hd__import_error(im, refused[i].name, "is '%.40s'; expected 0: %s", text,
			                 refused[i].why);
	}
}
