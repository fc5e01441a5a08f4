/* cmd_flatten.c - heddle flatten: writes the netlist that is simulated, with every value
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "flatten.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>

struct args {
	const char *netlist, *output;
	struct hd_plugin_files plugins;
	struct hd_options opt;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "write to FILE", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT:
		st->child_inputs[0] = &a->plugins;
		st->child_inputs[1] = &a->opt;
		return 0;
	case 'o': a->output = arg; return 0;
	case ARGP_KEY_ARG:
		if (st->arg_num > 0)
			argp_error(st, "unexpected argument '%s'; expected NETLIST", arg);
		a->netlist = arg;
		return 0;
	case ARGP_KEY_END:
		if (st->arg_num < 1)
			argp_error(st, "expected NETLIST");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse, "NETLIST",
	"Writes what a run of NETLIST simulates as one netlist: no \"extends\", no inner netlists, "
	"no parameters and expressions, and every value, even defaults.  It runs identically.\v"
	"Files that it names are relative to the folder of FILE (or to the present one) if they are "
	"in it, else from the root.\n\nExit status: 0 success, 1 it could not be written, 2 mistakes "
	"in NETLIST or bad usage.",
	hd__netlist_args, NULL, NULL
};

static int write_flat(struct hd_sim *s, const char *file)
{
	char *copy = hd__xstrdup(file != NULL ? file : ".");
	json_t *flat = hd__flatten(s, file != NULL ? dirname(copy) : ".");
	FILE *out = file != NULL ? fopen(file, "w") : stdout;
	bool ok = out != NULL && hd__flatten_write(flat, out);

	if (out != NULL && file != NULL)
		ok = fclose(out) == 0 && ok;
	if (!ok)
		fprintf(stderr, "heddle: %s: %s\n", file != NULL ? file : "standard output",
		        strerror(errno));
	json_decref(flat);
	free(copy);
	return ok ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd__cmd_flatten(int argc, char **argv)
{
	struct args a = { .netlist = NULL };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	struct hd_sim *s;
	int status = HD_EXIT_USAGE;

	hd__parse_args(&argp, argc, argv, &a);
	hd__open_registry(&registry, &a.plugins, &diags);
	s = hd__load(a.netlist, &registry, &a.opt, true, &diags);
	if (s)
		status = write_flat(s, a.output);
	hd__sim_free(s);
	free((void *)a.opt.sets);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}
