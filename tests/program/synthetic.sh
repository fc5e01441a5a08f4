#!/bin/sh
# synthetic.sh - every output tells when control words were made for a run
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

mkdir made traced
cat >k.hasm <<'END'
kernel k
[B------:R-:W-:-:S04] FADD R4, R2, R3
[B------:R-:W-:-:S05] CS2R.32 R5, SR_CLOCKLO
[B------:R-:W-:-:S05] EXIT
END
expect 0 '' "$heddle" trace assemble k.hasm -o k
for run in made traced; do
	control=traced
	test "$run" = traced || control=synthesised
	"$heddle" run --set "trace.control=\"$control\"" --stats $run/s.json --dump $run/d.hdump a100_sm.json \
		k/kernelslist.g >$run/table 2>err || fail "$run: $(cat err)"
	"$heddle" dump --info $run/d.hdump >$run/info || fail "$run: no information about the dump"
	expect 0 '' "$heddle" report $run/d.hdump -o $run/page.html
	# all tables and the names of their columns
	expect 0 '' "$heddle" dump --to=sqlite $run/d.hdump -o $run/d.sqlite
	printf '{"study": 1, "name": "s", "netlists": ["a100_sm.json"], "traces": ["%s/k/kernelslist.g"], "set": {"trace.control": "%s"}}\n' \
		"$tmp" "$control" >study.json
	"$heddle" sweep study.json -o $run/study >out 2>err || fail "$run: $(cat err)"
done
grep -q '^synthetic_control  *3$' made/table || fail "not in the table of a run: $(cat made/table)"
grep -q '^synthetic_control  *0$' traced/table || fail "in the table of a run with a listing"
grep -q '^ "synthetic_control": 3,$' made/s.json || fail "not in the statistics"
grep -q '^ "synthetic_control": 0,$' traced/s.json || fail "in the statistics of a run with a listing"
grep -q '^control    synthetic words of 3 warp instructions$' made/info || fail "not in: $(cat made/info)"
grep -q synthetic traced/info && fail "in: $(cat traced/info)"
grep -q '"synthetic_control":3' made/page.html || fail "not in the page"
grep -q '"synthetic_control":0' traced/page.html || fail "in the page of a run with a listing"
for run in made/s.json made/study; do
	expect 0 'synthetic control words: in 1 of 1 runs before, 0 after' "$heddle" compare "$run" "traced/${run#made/}"
done
expect 0 'synthetic control words: in 1 of 1 runs before, 1 after' "$heddle" compare made/s.json made/s.json
"$heddle" compare traced/s.json traced/s.json >out
grep -q synthetic out && fail "compare: $(cat out)"

# a core that follows no control words has no such figure
"$heddle" run volta_sm.json k/kernelslist.g >out || fail "volta_sm"
grep -q synthetic out && fail "volta_sm: $(cat out)"
done_testing
