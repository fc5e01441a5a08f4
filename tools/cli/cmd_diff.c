/* cmd_diff.c - heddle diff: lists how two netlists differ
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "diff.h"
#include "kernel/flatten.h"

#include <stdlib.h>

struct args {
	const char *netlist[2];
	struct hd_plugin_files plugins;
	bool all;
};

enum { KEY_ALL = 256 };

static const struct argp_option options[] = {
	{ "all", KEY_ALL, NULL, 0, "also print lines that differ only in the elements of arrays, and each end of a "
	  "link", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: st->child_inputs[0] = &a->plugins; return 0;
	case KEY_ALL: a->all = true; return 0;
	case ARGP_KEY_ARG:
		if (st->arg_num > 1)
			argp_error(st, "unexpected argument '%s'; expected A and B", arg);
		a->netlist[st->arg_num] = arg;
		return 0;
	case ARGP_KEY_END:
		if (st->arg_num < 2)
			argp_error(st, "expected A and B");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse, "A B",
	"Lists what differs between what the netlists A and B simulate: "
	"clocks, instances, parameters, links.  Names, docs and layout of the text do not count.\v"
	"Exit status: 0 they describe the same simulation, 1 they differ, 2 mistakes in them or "
	"bad usage.",
	hd__plugin_args, NULL, NULL
};

/* The flat form of a netlist, or NULL. */
static json_t *load_flat(const char *netlist, struct hd_registry *r)
{
	struct hd_diags diags = { .n = 0 };
	struct hd_options opt = { .part = true };
	struct hd_sim *s = hd__load(netlist, r, &opt, true, &diags);
	json_t *flat = s != NULL ? hd__flatten(s, NULL) : NULL;

	hd__sim_free(s);
	hd__diags_free(&diags);
	return flat;
}

int hd__cmd_diff(int argc, char **argv)
{
	struct args a = { .netlist = { NULL } };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	json_t *flat[2];
	int status = HD_EXIT_USAGE;

	hd__parse_args(&argp, argc, argv, &a);
	hd__open_registry(&registry, &a.plugins, &diags);
	hd__diags_print(&diags, stderr);
	flat[0] = load_flat(a.netlist[0], &registry);
	flat[1] = load_flat(a.netlist[1], &registry);
	if (flat[0] != NULL && flat[1] != NULL)
		status = hd__diff(flat[0], flat[1], a.all, stdout) ? HD_EXIT_FAILED : HD_EXIT_OK;
	if (status == HD_EXIT_OK)
		printf("%s and %s describe the same simulation\n", a.netlist[0], a.netlist[1]);
	json_decref(flat[0]);
	json_decref(flat[1]);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}
