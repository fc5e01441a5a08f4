/* main.c - the program `heddle`
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

static const struct hd_command commands[] = {
	{ "run", "replay a trace on the core that a netlist describes", hd__cmd_run },
	{ "check", "report every mistake in a netlist", hd__cmd_check },
	{ "flatten", "write what is simulated: one netlist with every value", hd__cmd_flatten },
	{ "diff", "list how two netlists differ", hd__cmd_diff },
	{ "sweep", "run the points of a study: netlists x values x traces", hd__cmd_sweep },
	{ "bundle", "pack a study with all that it needs, for others to repeat", hd__cmd_bundle },
	{ "sample", "choose the kernels of a list that stand for all", hd__cmd_sample },
	{ "correlate", "hold programs against cycles that were measured on hardware", hd__cmd_correlate },
	{ "compare", "print how runs differ: designs, kernels, every statistic", hd__cmd_exec },
	{ "monitor", "watch a run, or control it", hd__cmd_monitor },
	{ "modules", "list the modules, or document one", hd__cmd_modules },
	{ "graph", "draw a netlist", hd__cmd_graph },
	{ "schema", "write the JSON Schema of netlists", hd__cmd_schema },
	{ "lsp", "the language server: netlists in an editor", hd__cmd_lsp },
	{ "check-module", "run modules alone: sleep, order, checkpoints", hd__cmd_check_module },
	{ "new-module", "write a template of a module, and its test", hd__cmd_new_module },
	{ "report", "write a page with figures about runs that were dumped", hd__cmd_exec },
	{ "trace", "make, print and pack traces, add machine code", hd__cmd_trace },
	{ "import", "make a netlist of an Accel-Sim configuration", hd__cmd_import },
	{ "dump", "convert a dump, or list what is in it", hd__cmd_exec },
	{ NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	return hd__program(commands, argc, argv);
}
