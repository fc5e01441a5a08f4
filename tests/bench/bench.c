/* bench.c - make bench: time and memory of the program, compared with targets and peers
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: bench HEDDLE RING RING_SYSTEMC NETLIST TRACE-FOLDER ORACLE-FOLDER "-" stands for a
 * missing one.  Times are medians of 5 runs, taken in turns with the peers.  "x" is the
 * advantage over the peer.  Exit status 1: a program failed or gave a wrong answer; a missed
 * target is only marked.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct bench b = { .failed = false };

	if (argc != 7) {
		fputs("usage: bench HEDDLE RING RING_SYSTEMC NETLIST TRACE-FOLDER ORACLE-FOLDER\n",
		      stderr);
		return 2;
	}
	b.heddle = argv[1];
	b.ring = argv[2];
	b.systemc = strcmp(argv[3], "-") != 0 ? argv[3] : NULL;
	b.netlist = argv[4];
	b.traces = argv[5];
	b.oracle = strcmp(argv[6], "-") != 0 ? argv[6] : NULL;
	setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
	bench_kernel(&b);
	bench_load(&b);
	bench_sm(&b);
	bench_study(&b);
	printf("\n%u targets missed%s\n", b.missed, b.failed ? "; something FAILED" : "");
	return b.failed ? 1 : 0;
}
