/* one_netlist.c - commands whose argument is one netlist: check, flatten, graph
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

#include <stdlib.h>

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct hd_one_netlist *o = st->input;

	switch (key) {
	case ARGP_KEY_INIT:
		st->child_inputs[0] = &o->plugins;
		st->child_inputs[1] = &o->opt;
		return 0;
	case ARGP_KEY_ARG:
		if (st->arg_num > 0)
			argp_error(st, "unexpected argument '%s'; expected NETLIST", arg);
		o->netlist = arg;
		return 0;
	case ARGP_KEY_END:
		if (st->arg_num < 1)
			argp_error(st, "expected NETLIST");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = { NULL, parse, NULL, NULL, hd__netlist_args, NULL, NULL };

const struct argp_child hd__one_netlist_args[2] = { { &argp, 0, NULL, 0 }, { NULL, 0, NULL, 0 } };

int hd__with_netlist(struct hd_one_netlist *o, int (*use)(struct hd_sim *s, void *arg), void *arg)
{
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .each = o->each };
	struct hd_sim *s;
	int status = HD_EXIT_USAGE;

	hd__open_registry(&registry, &o->plugins, &diags);
	s = hd__load(o->netlist, &registry, &o->opt, true, &diags);
	if (s) {
		o->sim = s; /* memory checkers find it there */
		status = use(s, arg);
		hd__call_fini(s);
		exit(status); /* which frees everything else */
	}
	free((void *)o->opt.sets);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}
