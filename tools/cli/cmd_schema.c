/* cmd_schema.c - heddle schema: writes the JSON Schema of netlists, for editors and checkers
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "schema.h"

#include <errno.h>
#include <stdlib.h>

struct args {
	const char *output;
	bool study;
	struct hd_plugin_files plugins;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "where to write; default: standard output", 0 },
	{ "study", 's', NULL, 0, "the schema of studies, for heddle sweep, instead", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: st->child_inputs[0] = &a->plugins; return 0;
	case 'o': a->output = arg; return 0;
	case 's': a->study = true; return 0;
	case ARGP_KEY_ARG: argp_error(st, "unexpected argument '%s'", arg); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse, NULL,
	"Writes a JSON Schema of netlists, made from the descriptors of all modules, plug-ins too: "
	"an editor that loads it completes, explains and checks names and values.\v"
	"A netlist names it in its member \"$schema\".",
	hd__plugin_args, NULL, NULL
};

static int write_schema(const json_t *schema, const char *output)
{
	struct hd_output o;
	int status = hd__output_open(&o, output, NULL);

	if (status != HD_EXIT_OK)
		return status;
	if (json_dumpf(schema, o.f, JSON_INDENT(1)) == 0) /* else the stream has an error */
		fputc('\n', o.f);
	return hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd__cmd_schema(int argc, char **argv)
{
	struct args a = { .output = NULL };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	json_t *schema;
	int status;

	hd__parse_args(&argp, argc, argv, &a);
	hd__open_registry(&registry, &a.plugins, &diags);
	hd__diags_print(&diags, stderr);
	status = HD_EXIT_USAGE;
	if (diags.errors == 0) {
		schema = a.study ? hd__schema_study() : hd__schema(&registry);
		status = write_schema(schema, a.output);
		json_decref(schema);
	}
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}
