#!/bin/sh
# golden.sh - the figures of the bundled traces, on each core, which must not change
# SPDX-License-Identifier: BSD-2-Clause
#
# golden.csv is written by `golden.sh --write` from the output of the program: only after
# tests/fidelity/reference.sh has shown that the reference's figures are still met.
. "${srcdir:-.}/tests/lib.sh"

cores='volta-lrr=volta_sm.json volta-gto=volta_sm_gto.json volta-old=volta_sm_oldest.json
lecture=lecture_sm.json cu=southern_islands_cu.json'
if test "${1:-}" = --write; then
	echo 'set,case,config,cycles,warp,thread,single,dual,stall,scoreboard,idle,kernel_cycles'
	for core in $cores; do
		for list in "$src"/traces/samples/*/kernelslist.g; do
			case=$(basename "$(dirname "$list")")
			"$heddle" run -q --stats s.json "$src/netlists/${core#*=}" "$list" || exit 1
			printf '.,%s,%s,' "$case" "${core%%=*}"
			stats '",".join(str(v) for v in [s["cycles"], s["warp_instructions"],
				s["thread_instructions"]] + [s["issue"][k] for k in ("single", "dual",
				"stall", "scoreboard", "idle")] + [" ".join(str(k["cycles"])
				for k in s["kernels"])])' s.json
		done
	done
	exit 0
fi
"$build/tests/fidelity/fidelity" "$src/tests/fidelity/golden.csv" "$src/traces/samples" "$src/netlists" $cores >out ||
	fail "figures have changed"
cat out
# all rows were compared, and not passed over
rows=$(grep -c '^\.,' "$src/tests/fidelity/golden.csv")
compared=$(awk '/rows compared/ { n += $1 } END { print n + 0 }' out)
test "$compared" -eq "$rows" || fail "$compared rows compared, the table has $rows"
done_testing
