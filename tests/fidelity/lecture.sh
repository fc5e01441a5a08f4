#!/bin/sh
# lecture.sh - the cores for teaching run every trace, whatever the order of evaluation
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

cores='lecture_sm southern_islands_cu'

test "$(wc -l <"$src/netlists/lecture_sm.json")" -le 80 || fail "lecture_sm.json has more than 80 lines"

# figure FILE: status, warp instructions of the run
figure()
{
	sed -n 's/^ "\(status\|warp_instructions\)": "*\([a-z0-9 ]*\).*/\2/p' "$1" | xargs
}

# runs LIST: every core executes what the trace has
runs()
{
	try "$heddle" run -q --stats volta.json volta_sm.json "$1"
	test "$status" -eq 0 || fail "volta_sm $1: exit status $status"
	want=$(figure volta.json)
	case $want in 'finished '[1-9]*) ;; *) fail "volta_sm $1: $want" ;; esac
	for core in $cores; do
		try "$heddle" run -q --stats plain.json --set divergence.module=as_traced "$core.json" "$1"
		test "$(figure plain.json)" = "$want" || fail "$core $1: $(figure plain.json), expected $want"
	done
}

for core in $cores; do
	expect 0 'no mistakes' "$heddle" check "$core.json"
	test ! -s err || fail "$core: $(cat err)"
	for trace in tiny vecadd reduce hist softcopy; do
		list=$src/traces/$trace/kernelslist.g
		expect 0 '' "$heddle" run -q --stats plain.json "$core.json" "$list"
		for how in --no-sleep '--shuffle 1' '--shuffle 2 --no-sleep'; do
			# shellcheck disable=SC2086 # several words
			expect 0 '' "$heddle" run -q $how --stats other.json "$core.json" "$list"
			cmp -s plain.json other.json || fail "$core $trace $how: the statistics differ"
		done
	done
done
for list in "$src"/traces/*/kernelslist.g; do
	runs "$list"
done

# all traces that there are reference figures for: an eighth of the made ones unless HEDDLE_ALL is set
oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
n=0
for list in "$oracle"/made/*/kernelslist.g "$oracle"/divergence/*/kernelslist.g "$oracle"/real/*/kernelslist.g; do
	test -f "$list" || continue
	n=$((n + 1))
	case $list in */real/*) ;; *) test -n "${HEDDLE_ALL:-}" || test $((n % 8)) -eq 1 || continue ;; esac
	runs "$list"
done
test "$n" -gt 0 || echo "no other traces: set HEDDLE_ORACLE to the folder with made, divergence, real"
done_testing
