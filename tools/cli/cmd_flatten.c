/* cmd_flatten.c - heddle flatten: writes the netlist that is simulated, with every value
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "base/json_write.h"
#include "kernel/flatten.h"

#include <libgen.h>
#include <stdlib.h>

struct args {
	struct hd_one_netlist in;
	const char *output;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "write to FILE", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: st->child_inputs[0] = &a->in; return 0;
	case 'o': a->output = arg; return 0;
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
	hd__one_netlist_args, NULL, NULL
};

static int write_flat(struct hd_sim *s, void *arg)
{
	const char *file = ((const struct args *)arg)->output;
	char *copy = hd__xstrdup(file != NULL ? file : ".");
	json_t *flat = hd__flatten(s, file != NULL ? dirname(copy) : ".");
	struct hd_output o;
	int status = hd__output_open(&o, file, NULL);

	if (status == HD_EXIT_OK) {
		hd__json_pretty(flat, SIZE_MAX, NULL, o.f); /* if it fails, the stream has an error */
		status = hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
	}
	json_decref(flat);
	free(copy);
	return status;
}

int hd__cmd_flatten(int argc, char **argv)
{
	struct args a = { .output = NULL };

	hd__parse_args(&argp, argc, argv, &a);
	return hd__with_netlist(&a.in, write_flat, &a);
}
