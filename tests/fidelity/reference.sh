#!/bin/sh
# reference.sh - the reference's figures, row by row, if its traces are available
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
if test ! -f "$oracle/figures.csv"; then
	echo "SKIP: there are no reference figures; set HEDDLE_ORACLE to the folder with figures.csv"
	exit 77
fi

# ---- lanes that continue after their EXIT: cycles, warp instructions, stall, scoreboard, idle ----
while read -r case figures; do
	list=$oracle/contradictory/$case/kernelslist.g
	if test ! -f "$list"; then
		echo "SKIP: there is no trace contradictory/$case"
		continue
	fi
	expect 0 'a lane goes on after an EXIT that has it' "$heddle" run -q --stats "$case.json" \
		"$src/netlists/volta_sm.json" "$list"
	test "$(grep -c warning err)" -eq 1 || fail "$case: not one warning"
	got=$(stats '"%d %d %d %d %d" % (s["cycles"], s["warp_instructions"], s["issue"]["stall"],
		s["issue"]["scoreboard"], s["issue"]["idle"])' "$case.json")
	test "$got" = "$figures" || fail "$case: expected $figures, got $got"
	expect 2 'an instruction follows although all threads of warp 0 have exited' "$heddle" run -q \
		--strict "$src/netlists/volta_sm.json" "$list"
done <<'END'
reduce-1 330 132 17 167 1013
reduce-2 472 333 41 541 997
reduce-3 371 145 21 194 1136
END

# ---- all others ----
"$build/tests/fidelity/fidelity" "$oracle/figures.csv" "$oracle" "$src/netlists" \
	volta-lrr=volta_sm.json volta-gto=volta_sm_gto.json volta-old=volta_sm_oldest.json \
	turing-lrr=turing_sm.json ampere-lrr=ampere_sm.json pascal-gto=pascal_sm.json ||
	fail "rows differ"
done_testing
