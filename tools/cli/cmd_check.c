/* cmd_check.c - heddle check: reports every mistake in a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

#include <stdlib.h>

struct args {
	const char *netlist;
	struct hd_plugin_files plugins;
	struct hd_options opt;
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: 
		st->child_inputs[0] = &a->plugins;
		st->child_inputs[1] = &a->opt;
		return 0;
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
	NULL, parse, "NETLIST",
	"Checks names, types, ranges, links and the order of evaluation of NETLIST, and reports "
	"every mistake with its place.\vExit status: 0 no mistake, 2 mistakes or bad usage.",
	hd__netlist_args, NULL, NULL
};

int hd__cmd_check(int argc, char **argv)
{
	struct args a = { .netlist = NULL };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	struct hd_sim *s;
	int status = HD_EXIT_USAGE;

	hd__parse_args(&argp, argc, argv, &a);
	hd__open_registry(&registry, &a.plugins, &diags);
	a.opt.part = true;
	s = hd__load(a.netlist, &registry, &a.opt, true, &diags);
	if (s) {
		printf("%s: %zu instances, %zu channels, %zu interface links, %u clocks: no mistakes",
		       a.netlist, s->ninstances, s->nchannels, s->nuses, s->nclocks);
		if (s->nopen > 0)
			printf("; %u exported ports are open, for a netlist that uses this one", s->nopen);
		putchar('\n');
		status = HD_EXIT_OK;
		hd__sim_free(s);
	}
	free((void *)a.opt.sets);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}
