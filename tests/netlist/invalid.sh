#!/bin/sh
# invalid.sh - wrong netlists: the exact messages about each, and exit status 2
# SPDX-License-Identifier: BSD-2-Clause
#
# Each is invalid/CASE/netlist.json with invalid/CASE/error; `--write CASE...` writes the latter.
. "${srcdir:-.}/tests/lib.sh"

if test "${1:-}" = --write; then
	shift
	for c in "$@"; do
		(cd "$src/tests/invalid/$c" && "$heddle" check netlist.json 2>error)
		cat "$src/tests/invalid/$c/error"
	done
	exit 0
fi
n=0
for case in "$src"/tests/invalid/*/netlist.json; do
	case=$(dirname "$case")
	n=$((n + 1))
	status=0
	(cd "$case" && exec "$heddle" check netlist.json) >out 2>err || status=$?
	test "$status" -eq 2 || fail "$case: exit status $status, expected 2"
	test ! -s out || fail "$case: prints something on standard output"
	if ! cmp -s err "$case/error"; then
		fail "$case:"
		diff "$case/error" err
	fi
	# run prints the same, before it reads the trace
	status=0
	(cd "$case" && exec "$heddle" run -q netlist.json "$src/traces/samples/tiny/kernelslist.g") \
		>out 2>again || status=$?
	test "$status" -eq 2 && cmp -s err again || fail "$case: 'run' differs from 'check'"
done
# like ones are not left out with --all
try "$heddle" check --all "$src/tests/invalid/many_alike/netlist.json"
test "$(grep -c 'is left open' err)" -eq 32 && ! grep -q ' more of this kind' err || { fail '--all'; cat err; }
test "$n" -ge 60 || fail "only $n cases"
done_testing
