/* cmd_check.c - heddle check: reports every mistake in a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "confine.h"

enum { KEY_SANDBOX = 256, KEY_PARTITIONS, KEY_ALL };

struct args {
	struct hd_one_netlist one;
	struct hd_confine confine;
	bool partitions;
};

static const struct argp_option options[] = {
	{ "all", KEY_ALL, NULL, 0, "also print messages that differ only in the elements of arrays", 0 },
	{ "partitions", KEY_PARTITIONS, NULL, 0, "print which instances have to do with others over "
	  "channels only, and how far these could be simulated apart", 0 },
	{ "sandbox", KEY_SANDBOX, NULL, 0, "for other people's netlists: " HD_CONFINE_DOC, 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	(void)arg;
	if (key == ARGP_KEY_INIT)
		st->child_inputs[0] = &a->one;
	else if (key == KEY_SANDBOX)
		a->confine.wanted = true;
	else if (key == KEY_ALL)
		a->one.each = true;
	else if (key == KEY_PARTITIONS)
		a->partitions = true;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static const struct argp argp = {
	options, parse, "NETLIST",
	"Checks names, types, ranges, links and the order of evaluation of NETLIST, and reports "
	"every mistake with its place.\vExit status: 0 no mistake, 2 mistakes or bad usage.",
	hd__one_netlist_args, NULL, NULL
};

static int print(struct hd_sim *s, void *arg)
{
	const struct args *a = arg;

	printf("%s: %zu instance%s, %zu channel%s, %zu interface link%s, %u clock%s: no mistakes", a->one.netlist,
	       s->ninstances, s->ninstances == 1 ? "" : "s", s->nchannels, s->nchannels == 1 ? "" : "s",
	       s->nuses, s->nuses == 1 ? "" : "s", s->nclocks, s->nclocks == 1 ? "" : "s");
	if (s->nopen > 0)
		printf("; %u exported ports are open, for a netlist that uses this one", s->nopen);
	putchar('\n');
	if (a->partitions)
		hd__print_partitions(s);
	return HD_EXIT_OK;
}

int hd__cmd_check(int argc, char **argv)
{
	struct args a = { .one.opt.part = true };

	hd__parse_args(&argp, argc, argv, &a);
	hd__confine_read(&a.confine, a.one.netlist);
	for (size_t i = 0; i < a.one.plugins.n; i++)
		hd__confine_read(&a.confine, a.one.plugins.v[i]);
	hd__confine(&a.confine);
	hd__short_memory();
	return hd__with_netlist(&a.one, print, &a);
}
