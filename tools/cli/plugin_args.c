/* plugin_args.c - the option --plugin of every subcommand that loads modules
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

#include <stdlib.h>

enum { KEY_NONE = 0x1000 };

static const struct argp_option options[] = {
	{ "plugin", 'p', "FILE", 0, "load the module of FILE, NAME.so, besides those in the folders of "
	  "HEDDLE_MODULE_PATH; may be given again", 0 },
	{ "no-plugins", KEY_NONE, NULL, 0, "refuse plug-ins, those of HEDDLE_MODULE_PATH, too", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *st)
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

static const struct argp argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

const struct argp_child hd__plugin_args[2] = { { &argp, 0, NULL, 0 }, { NULL, 0, NULL, 0 } };

const struct argp_child hd__netlist_args[3] = { { &argp, 0, NULL, 0 }, { &hd__set_args, 0, NULL, 0 },
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
