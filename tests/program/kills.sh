#!/bin/sh
# kills.sh - SIGKILL at random moments of runs, conversions and reports: nothing is lost, nothing is half
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

moments=6
test -z "$HEDDLE_ALL" || moments=200
seed=${HEDDLE_SEED:-$$}
cp -R "$src/netlists" inputs
cp "$src/traces/hist/"kernel* inputs
chmod -R u+w inputs
"$heddle" run -q --dump inputs/dump inputs/volta_sm.json inputs/kernelslist.g || fail "no dump"
sums()
{
	find inputs -type f -exec cksum {} + | sort
}
sums >before

# killed OUTPUT... -- COMMAND...
killed()
{
	python3 "$src/tests/program/kills.py" "$moments" "$seed" "$@" || fail "$*"
	sums | cmp -s - before || fail "$*: an input was changed"
}
killed stats events new.dump -- "$heddle" run -q --stats stats --events events --dump new.dump \
	inputs/volta_sm.json inputs/kernelslist.g
for to in text csv sqlite perfetto vcd kanata; do
	killed "out.$to" -- "$heddle" dump inputs/dump --to $to -o "out.$to"
done
killed page.html -- "$heddle" report inputs/dump -o page.html
killed flat.json -- "$heddle" flatten inputs/rtx_2060.json -o flat.json
done_testing
