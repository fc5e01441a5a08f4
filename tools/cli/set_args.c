/* set_args.c - the option --set of subcommands that read a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

#include <stdlib.h>

static const struct argp_option options[] = {
	{ "set", 's', "PATH=VALUE", 0, "change the netlist: a parameter (width=2), or a member or "
	  "parameter of an instance (unit.count=2, unit[*].timing[0].latency=4); may be given again, "
	  "a later one wins", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct hd_options *o = st->input;
	const char **v;

	if (key != 's')
		return ARGP_ERR_UNKNOWN;
	v = hd__xappend((void *)o->sets, o->nsets, sizeof *v);
	v[o->nsets++] = arg;
	o->sets = v;
	return 0;
}

const struct argp hd__set_args = { options, parse, NULL, NULL, NULL, NULL, NULL };
