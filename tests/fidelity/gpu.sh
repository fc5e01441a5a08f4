#!/bin/sh
# gpu.sh - the reference's figures of whole GPUs, and of one SM with the whole memory system
# SPDX-License-Identifier: BSD-2-Clause
#
# The first trace of each family and one that was recorded; HEDDLE_ALL=1: every row.
. "${srcdir:-.}/tests/lib.sh"

oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
if test ! -f "$oracle/figures_gpu.csv"; then
	echo "SKIP: there are no reference figures; set HEDDLE_ORACLE to the folder with figures_gpu.csv"
	exit 77
fi

# The table of the other test: its first column is the folder of the trace.
{
	echo set,case,config,cycles,warp,thread,single,dual,stall,scoreboard,idle,kernel_cycles
	sed 1d "$oracle/figures_gpu.csv" | while IFS=, read -r case rest; do
		case ${HEDDLE_ALL:+all}$case in
		all* | *-100 | bfs-volta) ;;
		*) continue ;;
		esac
		set=made
		test -d "$oracle/made/$case" || set=real
		echo "$set,$case,$rest"
	done
} >figures.csv

cat >one_sm.json <<END
{ "heddle": 1, "extends": "$src/netlists/quadro_gv100.json",
  "set": { "clusters": 1, "dispatcher.kernel_latency": 0 } }
END
cat >gpu.json <<END
{ "heddle": 1, "extends": "$src/netlists/quadro_gv100.json" }
END
for name in rtx_3070 rtx_2060 titan_x_pascal; do
	echo "{ \"heddle\": 1, \"extends\": \"$src/netlists/$name.json\" }" >$name.json
done
"$build/tests/fidelity/fidelity" figures.csv "$oracle" . gpu-volta=gpu.json \
	gpu-volta-one-sm=one_sm.json gpu-ampere=rtx_3070.json gpu-turing=rtx_2060.json gpu-pascal=titan_x_pascal.json || fail "rows differ"

# in any order of evaluation
expect 0 '' "$heddle" run -q --stats a.json one_sm.json "$src/traces/gather/kernelslist.g"
for how in --no-sleep '--shuffle 3' '--shuffle 4'; do
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run -q --stats b.json $how one_sm.json "$src/traces/gather/kernelslist.g"
	grep -v '"seconds"' a.json >a
	grep -v '"seconds"' b.json >b
	cmp a b || fail "$how: other bytes"
done
done_testing
