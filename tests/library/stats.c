/* stats.c - prints the statistics of a run by libheddle
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: stats NETLIST TRACE
 */
#include <heddle/simulate.h>

#include <stdio.h>

int main(int argc, char **argv)
{
	struct heddle *h = heddle_new();
	int result = HEDDLE_BAD_CALL;

	if (argc == 3) {
		heddle_input(h, argv[2]);
		result = heddle_load(h, argv[1]);
	}
	if (result == HEDDLE_OK)
		result = heddle_run(h, HEDDLE_TO_THE_END);
	fputs(heddle_messages(h), stderr);
	fputs(heddle_json(h), stdout);
	heddle_free(h);
	return result < 0;
}
