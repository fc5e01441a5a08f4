/* cmd_check.c - heddle check: reports every mistake in a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

static const struct argp argp = {
	NULL, NULL, "NETLIST",
	"Checks names, types, ranges, links and the order of evaluation of NETLIST, and reports "
	"every mistake with its place.\vExit status: 0 no mistake, 2 mistakes or bad usage.",
	hd__one_netlist_args, NULL, NULL
};

static int print(struct hd_sim *s, void *arg)
{
	const struct hd_one_netlist *o = arg;

	printf("%s: %zu instances, %zu channels, %zu interface links, %u clocks: no mistakes",
	       o->netlist, s->ninstances, s->nchannels, s->nuses, s->nclocks);
	if (s->nopen > 0)
		printf("; %u exported ports are open, for a netlist that uses this one", s->nopen);
	putchar('\n');
	return HD_EXIT_OK;
}

int hd__cmd_check(int argc, char **argv)
{
	struct hd_one_netlist o = { .opt = { .part = true } };

	hd__parse_args(&argp, argc, argv, &o);
	return hd__with_netlist(&o, print, &o);
}
