/* netlist_args.c - options of commands that read netlists, and how they read them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "kernel/check/lint.h"

#include <stdlib.h>

/* ---- --set, --plugin ------------------------------------------------------------------------ */

static const struct argp_option set_options[] = {
	{ "set", 's', "PATH=VALUE", 0, "change the netlist: a parameter (width=2), or a member or "
	  "parameter of an instance (unit.count=2, unit[*].timing[0].latency=4); may be given again, "
	  "a later one wins", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse_set(int key, char *arg, struct argp_state *st)
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

static const struct argp set_argp = { set_options, parse_set, NULL, NULL, NULL, NULL, NULL };

enum { KEY_NONE = 0x1000 };

static const struct argp_option plugin_options[] = {
	{ "plugin", 'p', "FILE", 0, "load the module of FILE, NAME.so, besides those in the folders of "
	  "HEDDLE_MODULE_PATH; may be given again", 0 },
	{ "no-plugins", KEY_NONE, NULL, 0, "refuse plug-ins, those of HEDDLE_MODULE_PATH, too", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse_plugin(int key, char *arg, struct argp_state *st)
{
	struct hd_plugin_files *p = st->input;

	if (key == KEY_NONE) {
		p->none = true;
		return 0;
	}
	if (key != 'p')
		return ARGP_ERR_UNKNOWN;
	p->v = hd__xappend(p->v, p->n, sizeof *p->v);
	p->v[p->n++] = arg;
	return 0;
}

static const struct argp plugin_argp = { plugin_options, parse_plugin, NULL, NULL, NULL, NULL, NULL };

const struct argp_child hd__plugin_args[2] = { { &plugin_argp, 0, NULL, 0 }, { NULL, 0, NULL, 0 } };

const struct argp_child hd__netlist_args[3] = { { &plugin_argp, 0, NULL, 0 }, { &set_argp, 0, NULL, 0 },
	{ NULL, 0, NULL, 0 } };

void hd__open_registry(struct hd_registry *r, struct hd_plugin_files *p, struct hd_diags *d)
{
	const char *folders = getenv("HEDDLE_MODULE_PATH");

	if (p->none && folders && folders[0]) {
		hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "--no-plugins: HEDDLE_MODULE_PATH is '%s'; expected no "
		         "folder of plug-ins there", folders);
		unsetenv("HEDDLE_MODULE_PATH");
	}
	hd__registry_init(r, d);
	for (size_t i = 0; i < p->n; i++)
		if (p->none)
			hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "--no-plugins: plug-in '%s' is refused", p->v[i]);
		else
			hd__registry_load(r, p->v[i], d);
	free(p->v);
	*p = (struct hd_plugin_files){ .n = 0 };
}

/* ---- reading -------------------------------------------------------------------------------- */

struct hd_sim *hd__load(const char *netlist, struct hd_registry *r, const struct hd_options *o,
                        bool check_only, struct hd_diags *d)
{
	struct hd_netlist *n;
	struct hd_sim *s = NULL;

	n = hd__netlist_read_set(netlist, o->sets, o->nsets, d);
	if (n)
		s = hd__sim_new(n, r, o, check_only, d);
	if (s && d->errors) {
		hd__sim_free(s);
		s = NULL;
	}
	if (s && s->nopen == 0)
		hd__lint(s);
	if (!s || (d->warnings && o->nleft_out == 0 && !o->again)) /* not for each repetition */
		hd__diags_print(d, stderr);
	return s;
}

/* ---- commands whose argument is one netlist -------------------------------------------------- */

static error_t parse_netlist(int key, char *arg, struct argp_state *st)
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

static const struct argp netlist_argp = { NULL, parse_netlist, NULL, NULL, hd__netlist_args, NULL, NULL };

const struct argp_child hd__one_netlist_args[2] = { { &netlist_argp, 0, NULL, 0 }, { NULL, 0, NULL, 0 } };

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

uint32_t hd__parameter(const struct hd_instance *in, const char *name)
{
	const struct hd_param *p = in->module->params;

	for (; p && p->name; p++)
		if (strcmp(p->name, name) == 0 && p->type == HD_U32)
			return *(const uint32_t *)((const char *)in->state + p->offset);
	return 0;
}
