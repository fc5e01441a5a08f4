/* main.c - the program `heddle`
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

static const struct hd_command commands[] = {
	{ "run", "replay a trace on the core that a netlist describes", hd__cmd_run },
	{ "check", "report every mistake in a netlist", hd__cmd_check },
	{ "flatten", "write what is simulated: one netlist with every value", hd__cmd_flatten },
	{ "diff", "say how two netlists differ", hd__cmd_diff },
	{ "monitor", "watch a run, or steer it", hd__cmd_monitor },
	{ "modules", "list the modules, or document one", hd__cmd_modules },
	{ "graph", "draw a netlist", hd__cmd_graph },
	{ "schema", "write the JSON Schema of netlists", hd__cmd_schema },
	{ "new-module", "write a module to begin with, and its test", hd__cmd_new_module },
	{ "report", "write a page with figures about runs that were dumped", hd__cmd_other },
	{ "import", "make a netlist of an Accel-Sim configuration", hd__cmd_import },
	{ "dump", "convert what a run has dumped, or say what is in it", hd__cmd_other },
	{ NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	return hd__program(commands, argc, argv);
}
