/* cmd_lsp.c - heddle lsp: the language server for editors
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "tools/lsp/lsp.h"

#include <unistd.h>

static error_t parse(int key, char *arg, struct argp_state *st)
{
	if (key == ARGP_KEY_INIT)
		st->child_inputs[0] = st->input;
	else if (key == ARGP_KEY_ARG)
		argp_error(st, "unexpected argument '%s'", arg);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static const struct argp argp = {
	NULL, parse, NULL,
	"A language server for netlists: an editor starts it, and the two exchange messages of the Language Server "
	"Protocol on its standard input and output.  It reports mistakes as they are typed, completes and explains "
	"names, and finds where one is defined.\v"
	"Exit status: 0 the editor ended it, 1 its input ended before, 2 bad usage.",
	hd__plugin_args, NULL, NULL
};

/* What plug-ins print must not come between the messages: standard output is standard error for them. */
static FILE *own_output(void)
{
	int fd = dup(STDOUT_FILENO);

	return fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? fdopen(fd, "w") : NULL;
}

int hd__cmd_lsp(int argc, char **argv)
{
	struct hd_plugin_files plugins = { .n = 0 };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	json_t *netlists, *studies;
	int status = HD_EXIT_USAGE;
	FILE *out;

	hd__parse_args(&argp, argc, argv, &plugins);
	hd__open_registry(&registry, &plugins, &diags);
	hd__diags_print(&diags, stderr);
	if (diags.errors == 0 && (out = own_output()) != NULL) {
		netlists = hd__netlist_schema(&registry);
		studies = hd__study_schema();
		status = lsp_serve(stdin, out, &registry, netlists, studies);
		json_decref(netlists);
		json_decref(studies);
		fclose(out);
	}
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}
