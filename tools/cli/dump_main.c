/* dump_main.c - the program heddle-dump: commands of heddle that read dumps
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

static const struct hd_command commands[] = {
	{ "dump", "convert a dump, or list what is in it", hd__cmd_dump },
	{ "report", "write a page with figures about runs that were dumped", hd__cmd_report },
	{ "compare", "print how runs differ: designs, kernels, every statistic", hd__cmd_compare },
	{ "sweep", "write the results of a study into a database", hd__cmd_collect },
	{ NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	return hd__program(commands, argc, argv);
}
