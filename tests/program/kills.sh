#!/bin/sh
# kills.sh - SIGKILL at random moments of runs, conversions, studies and reports: nothing is lost, nothing is half
# SPDX-License-Identifier: BSD-2-Clause
#
# HEDDLE_KILLS is how often each command is killed (make check-kills: 20, so 200 in all), HEDDLE_SEED chooses the moments.
. "${srcdir:-.}/tests/lib.sh"
needs python3

moments=${HEDDLE_KILLS:-${HEDDLE_ALL:+200}}
moments=${moments:-4}
seed=${HEDDLE_SEED:-$$}
cp -R "$src/netlists" inputs
cp "$src/traces/samples/hist/"kernel* inputs
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
	$python "$src/tests/program/kills.py" "$moments" "$seed" "$@" || fail "$*"
	sums | cmp -s - before || fail "$*: an input was changed"
}
killed stats events new.dump -- "$heddle" run -q --stats stats --events events --dump new.dump \
	inputs/volta_sm.json inputs/kernelslist.g
for to in text csv sqlite perfetto vcd kanata; do
	killed "out.$to" -- "$heddle" dump inputs/dump --to $to -o "out.$to"
done
killed page.html -- "$heddle" report inputs/dump -o page.html
# Points that were finished stay; what a killed study has left is gone on with, to the same results.
cat >study.json <<'END'
{ "study": 1, "netlists": ["inputs/volta_sm.json"], "traces": ["inputs/kernelslist.g"],
  "set": { "ibuffer.entries": [2, 3, 4], "load_store.l1d_latency": [20, 28] } }
END
expect 0 '6 finished' "$heddle" sweep study.json -o good --csv good.csv
killed table.csv -- sh -c "exec '$heddle' sweep -q study.json --jobs 2 -o swept.\$\$ --csv table.csv"
for folder in swept.*; do
	test -d "$folder" || continue
	expect 0 '6 finished' "$heddle" sweep study.json -o "$folder"
	cmp good/results.sqlite "$folder/results.sqlite" || fail "$folder: other results after a kill"
	rm -rf "$folder"
done
killed flat.json -- "$heddle" flatten inputs/rtx_2060.json -o flat.json
done_testing
