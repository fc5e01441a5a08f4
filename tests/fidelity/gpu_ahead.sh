#!/bin/sh
# gpu_ahead.sh - partitions of a GPU run many cycles in turn while thread blocks end and others take their places
# SPDX-License-Identifier: BSD-2-Clause
#
# The statistics are those of the lock step; and most cycles of a long kernel are run so, although blocks wait.
. "${srcdir:-.}/tests/lib.sh"
needs python3

# ahead NETLIST TRACE LEAST CLUSTERS CORES CTAS: at least so many % of the cycles are run in windows.  Cores that follow
# control words have one SM in a cluster, and these are in two GPCs.
ahead()
{
	case $1 in
	rtx_3090 | a100) sizes="\"gpcs\": 1, \"gpc_sms\": $4, \"last_sms\": $5" ;;
	*) sizes="\"clusters\": $4, \"cores\": $5" ;;
	esac
	echo "{ \"heddle\": 1, \"extends\": \"$1.json\", \"set\": { $sizes, \"channels\": 4, \"slices\": 4," \
	     "\"dispatcher.kernel_latency\": 50, \"dispatcher.max_ctas\": $6 } }" >gpu.json
	expect 0 '' "$heddle" run -q --lockstep --stats plain gpu.json "$src/traces/samples/$2/kernelslist.g"
	expect 0 '' "$heddle" run -q --stats ahead gpu.json "$src/traces/samples/$2/kernelslist.g"
	stats '{k: v for k, v in s.items() if k != "seconds"}' plain >plain.figures
	stats '{k: v for k, v in s.items() if k != "seconds"}' ahead >ahead.figures
	cmp -s plain.figures ahead.figures || fail "$*: other statistics than with --lockstep"
	expect 0 '' "$heddle" run -q --threads 2 --shuffle 4 --stats ahead gpu.json "$src/traces/samples/$2/kernelslist.g"
	stats '{k: v for k, v in s.items() if k != "seconds"}' ahead >ahead.figures
	cmp -s plain.figures ahead.figures || fail "$*: other statistics with --threads 2 --shuffle 4"
	try "$heddle" run --threads 2 --explain-partitions gpu.json "$src/traces/samples/$2/kernelslist.g"
	cycles=$(sed -n 's/^cycles *\([0-9,]*\).*/\1/p' out | tr -d ,)
	inside=$(sed -n 's/.* windows, \([0-9]*\) cycles in all.*/\1/p' out)
	test -n "$inside" || fail "$*: no windows"
	test $((inside * 100)) -ge $((cycles * $3)) || fail "$*: $inside of $cycles cycles in windows; expected $3 %"
}

ahead quadro_gv100 matmul 80 3 2 2
ahead quadro_gv100 matmul 80 6 1 1
ahead quadro_gv100 matmul 80 20 1 1 # more clusters than shards
ahead quadro_gv100 gather 75 3 2 1
ahead quadro_gv100 reduce 70 2 1 2
ahead quadro_gv100 vecadd 40 2 3 4
ahead rtx_3070 matmul 60 3 2 2
ahead rtx_2060 vecadd 10 2 2 2
ahead rtx_3090 matmul 40 2 2 1
ahead a100 gather 40 1 2 1
done_testing
