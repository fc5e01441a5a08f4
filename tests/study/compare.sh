#!/bin/sh
# compare.sh - heddle compare: files, points, folders, designs; --csv, --fail-above
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

run()
{
	out=$1
	shift
	"$heddle" run -q --stats "$out" "$@" || fail "$*"
}
run four.json "$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g"
run two.json --set sub_cores=2 "$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g"
cycles()
{
	sed -n 's/^ "cycles": \([0-9]*\),/\1/p' "$1"
}
# has PATTERN: a line of `out` matches, spaces squeezed
has()
{
	sed 's/  */ /g' out | grep -E -e "$1" >/dev/null || { fail "nothing like '$1' in:"; cat out; }
}

# ---- files ----
expect 0 '' "$heddle" compare four.json two.json
has "^four.json -> two.json\$"
has "^ cycles $(cycles four.json) $(cycles two.json) \+[0-9.]+ %\$"
has '^ branch\[2\].accepted 437 0 -100.00 %$'
has '^ 1 _Z12sum_segments.* [0-9]+ [0-9]+ \+[0-9.]+ %$'
has '^issue slots, as shares of those before: stall -'
expect 0 'no difference (1 compared)' "$heddle" compare four.json four.json
expect 0 '' "$heddle" compare -q --csv differ.csv four.json two.json
grep -q "^\"four.json\",\"two.json\",\"\",0,\"\",run,\"cycles\",\"cycles\",$(cycles four.json),$(cycles two.json),0\.[0-9]*\$" differ.csv ||
	{ fail 'no row of cycles'; head differ.csv; }
grep -q ',1,"_Z12sum_segments.*",run,"cycles","cycles",' differ.csv || fail 'no row of the cycles of a kernel'
grep -q ',1,"_Z12sum_segments.*",instance,"issue\[\*\].stall","cycles",' differ.csv || fail 'no row of a statistic of a kernel'

# ---- regressions ----
expect 1 'cycles changed by' "$heddle" compare -q --fail-above 0.5% four.json two.json
expect 1 'cycles changed by' "$heddle" compare -q --fail-above 0.5 two.json four.json
expect 0 '' "$heddle" compare -q --fail-above 50% four.json two.json
expect 0 '' "$heddle" compare -q --fail-above 0 four.json four.json
expect 1 'issue.stall changed by' "$heddle" compare -q --fail-above 50 --figure issue.stall four.json two.json
expect 2 "no run has a figure 'cycle'" "$heddle" compare -q --figure cycle four.json two.json
run cut.json --max-cycles 100 "$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g"
expect 1 'stopped at the cycle limit' "$heddle" compare -q --fail-above 1000% four.json cut.json

# ---- folders ----
cat >study.json <<END2
{ "study": 1, "netlists": ["$src/netlists/volta_sm.json"], "designs": { "four": {}, "two": { "sub_cores": 2 } },
  "set": { "ibuffer.entries": [2, 4] }, "traces": ["$src/traces/samples/reduce/kernelslist.g", "$src/traces/samples/tiny/kernelslist.g"] }
END2
expect 0 '8 finished' "$heddle" sweep study.json -o a
expect 0 '' "$heddle" compare a
has '^ volta_sm two sub_cores=2 ibuffer.entries=2 2 runs \+[0-9.]+ %  ?stall -'
has '^sub_cores: not set -> 2$'
has '^ibuffer.entries: 2 -> 4$'
has '^ 4 runs, geometric mean of cycles'
# points 1 and 5 are the two files
expect 0 '' "$heddle" compare a:1 a:5
has "^ cycles $(cycles four.json) $(cycles two.json) "
has '^sub_cores: not set -> 2$'
expect 0 '' "$heddle" compare a:1 "$(ls a/points/* | head -1)"
expect 0 '' "$heddle" compare --base 3 --full a
has '^volta_sm two sub_cores=2 ibuffer.entries=2 -> volta_sm four ibuffer.entries=2$'
sed 's/"sub_cores": 2/"sub_cores": 2, "banks": 8/' study.json >other.json
expect 0 '8 finished' "$heddle" sweep other.json -o b
expect 0 '' "$heddle" compare a b
has '^runs in the first only: 4, in the second only: 4$'
expect 1 '8 runs are in one of them only' "$heddle" compare -q --fail-above 5% a b
cp -R a c
expect 0 'no difference (8 compared)' "$heddle" compare --fail-above 0% a c

# ---- a run without results: it has no figures, rather than 0 ----
sed 's/"designs.*,$/"set": { "decode.width": [2, 4] },/; s/^  "set": [^}]*},/ /' study.json >refused.json
expect 0 '2 finished, 2 refused' "$heddle" sweep refused.json -o d
expect 0 '' "$heddle" compare d:1 d:3
has '^volta_sm decode.width=2 reduce: was finished, is refused$'
grep -q '%' out && fail "changes of a run that has no results: $(cat out)"
expect 0 '' "$heddle" compare d
has '^ 0 runs, geometric mean of cycles -; 2 did not finish$'
grep -q '%' out && fail "changes of runs that have no results: $(cat out)"
expect 0 '' "$heddle" compare -q --csv d.csv d
test "$(wc -l <d.csv)" -eq 1 || fail "rows of runs that have no results"

# ---- runs that were cut short: their cycles do not count ----
cat >cut.json <<END2
{ "study": 1, "netlists": ["$src/netlists/volta_sm.json"], "set": { "sub_cores": [4, 2] }, "traces": ["$src/traces/samples/tiny/kernelslist.g",
	{ "files": "$src/traces/samples/reduce/kernelslist.g", "max_cycles": $(($(cycles two.json) - 1)) }] }
END2
expect 0 '4 points, 4 run now: 3 finished, 1 stopped at the cycle limit' "$heddle" sweep cut.json -o e
expect 0 '' "$heddle" compare e
has '^ 1 runs, geometric mean of cycles [^;]*; 1 did not finish$'
has '^volta_sm sub_cores=4 reduce: was finished, is stopped at the cycle limit$'
grep -q "$(cycles four.json)" out && { fail 'the sums have a run that was cut short'; cat out; }
sed -i 's/4, 2\]/4, 2, 1]/' cut.json
expect 0 '4 finished, 2 stopped at the cycle limit' "$heddle" sweep cut.json -o e
expect 0 '' "$heddle" compare e
has '^ volta_sm sub_cores=1 1 runs .*; 1 did not finish$'
expect 0 '2 of 6 points: stopped at the cycle limit' "$heddle" report --text e

# ---- mistakes ----
expect 2 'nothing: No such file' "$heddle" compare nothing four.json
expect 2 'there is only one run' "$heddle" compare four.json
expect 2 'no statistics' "$heddle" compare four.json "$src/netlists/volta_sm.json"
expect 2 'expected statistics' "$heddle" compare four.json "$src/README.md"
expect 2 'there is no point 9; expected a number from 1 to 8' "$heddle" compare a:9 a:1
expect 2 'expected a number from 1 to 2' "$heddle" compare --base 3 four.json two.json
expect 2 'expected a percentage' "$heddle" compare --fail-above much four.json two.json
expect 2 'cannot be read; expected a folder that heddle sweep has written' "$heddle" compare "$src/traces/samples" four.json
expect 2 'expected RUN' "$heddle" compare
done_testing
