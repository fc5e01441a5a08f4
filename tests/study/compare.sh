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
has '^arrays of 4 -> 2 elements, added up: branch\[\*\], dp\[\*\], int\[\*\], '
has '^ issue\[\*\]\.stall 14495 5447 -62.42 %$'
grep -q '\[[0-9]\]' out && fail 'elements of arrays that are not the same size'
has '^ 1 _Z12sum_segments.* [0-9]+ [0-9]+ \+[0-9.]+ %$'
has '^issue slots, as shares of those before: stall -'
expect 0 'no difference (1 compared)' "$heddle" compare four.json four.json
expect 0 '' "$heddle" compare -q --csv differ.csv four.json two.json
grep -q "^\"four.json\",\"two.json\",\"\",0,\"\",run,\"cycles\",\"cycles\",$(cycles four.json),$(cycles two.json),0\.[0-9]*\$" differ.csv ||
	{ fail 'no row of cycles'; head differ.csv; }
grep -q ',1,"_Z12sum_segments.*",run,"cycles","cycles",' differ.csv || fail 'no row of the cycles of a kernel'
grep -q ',1,"_Z12sum_segments.*",instance,"issue\[\*\].stall","cycles",' differ.csv || fail 'no row of a statistic of a kernel'

# ---- why: reasons and causes, in cycles that add up to the difference ----
# tree: lines DEPTH NAME BEFORE AFTER SLOTS CYCLES of the table in `out`
tree()
{
	awk '/^issue slots by reason/ { inside = 1; next } !/^  / { inside = 0 }
		inside && $(NF - 1) ~ /^[-+]|^-$/ && match($0, /^ */) { print RLENGTH / 2, $1, $(NF - 5 + last()), $(NF - 4 + last()), $(NF - 3 + last()), $(NF - 2 + last()) }
		function last() { return $NF == "%" ? 0 : 1 }' out
}
difference=$(($(cycles two.json) - $(cycles four.json)))
run four.why --reasons "$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g"
run two.why --reasons --set sub_cores=2 "$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g"
expect 0 '' "$heddle" compare four.why two.why
has '^ load_store\.accesses 4138 946 -3192 '
has "^ all issue slots [0-9]+ [0-9]+ -[0-9]+ \+$difference\.0 \+100\.0 %\$"
grep -q 'reasons\.' out && fail 'reasons are in two tables'
expect 0 '' "$heddle" compare --stalls four.why two.why
grep -q '^figures of the run' out && fail '--stalls prints other tables'
tree >tree.all
# each row is slots / schedulers: this run has 4 of them, the other 2
awk '$1 == 1 { want = $4 / 2 - $3 / 4; if ($6 - want > 0.06 || want - $6 > 0.06) bad = bad " " $2 } END { if (bad) print bad; exit bad != "" }' tree.all ||
	{ fail 'rows are not slots divided by schedulers'; cat out; }
awk -v want=$difference '$1 == 1 && $2 != "all" { sum += $6 } END { exit !(sum - want < 0.5 && want - sum < 0.5) }' tree.all ||
	{ fail 'the groups are not the difference of the cycles'; cat out; }
# children of one parent: the largest difference first; their slots are those of the parent, if all have a cause
awk 'function abs(x) { return x < 0 ? -x : x }
	$2 == "all" { next }
	{ for (d = $1 + 1; d in last; d++) delete last[d]
	  if ($1 in last && abs($6) > last[$1] + 0.05) bad = bad " " $2
	  last[$1] = abs($6); n[$1] = $3; sum[$1 + 1] = 0; sum[$1] += $3
	  if ($1 > 1 && sum[$1] > n[$1 - 1]) bad = bad " sum:" $2 }
	END { if (bad) print bad; exit bad != "" }' tree.all || { fail 'the tree is not sorted, or does not add up'; cat out; }
cp out stalls.out
expect 0 '' "$heddle" compare --stalls four.why two.why
cmp -s out stalls.out || fail 'another order'
expect 0 '' "$heddle" compare --stalls two.why two.why
tree | awk '$5 != "+0" || $6 != "+0.0" { exit 1 }' || { fail 'a run differs from itself'; cat out; }
# one without reasons: their groups
expect 0 '' "$heddle" compare four.why two.json
has '^ heddle run --reasons, a study with "reasons": true, or a dump divide them further$'
has "^ all issue slots [0-9]+ [0-9]+ -[0-9]+ \+$difference\.0 \+100\.0 %\$"
# dumps
run four.stats --dump four.hdump "$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g"
expect 0 '' "$heddle" compare --stalls four.hdump two.why
sed 1d out >rest
sed 1d stalls.out | cmp -s - rest || { fail 'a dump has other reasons'; cat out; }
expect 0 '' "$heddle" compare four.hdump four.stats
has '^no difference \(1 compared\)$'
head -c 100000 four.hdump >cut.hdump
expect 2 'cut.hdump: the file ends at byte 100000' "$heddle" compare cut.hdump two.why
run none.stats --dump none.hdump --dump-filter event=inst "$src/netlists/volta_sm.json" "$src/traces/samples/tiny/kernelslist.g"
expect 2 'none.hdump: the dump has no issue slots' "$heddle" compare none.hdump two.why
expect 2 "'heddle compare --stalls' compares two" "$heddle" dump --stalls four.hdump four.hdump

# ---- arrays of other names: the only other ones of their module ----
cp -R "$src/netlists" nets && chmod -R u+w nets
renamed='s/\bsp\[/fp32[/g; s/"sp"/"fp32"/; s/"regfile"/"registers"/; s/"regfile\./"registers./g'
sed "$renamed" "$src/netlists/sm.json" >nets/sm.json
run renamed.why --reasons --set sub_cores=2 nets/volta_sm.json "$src/traces/samples/reduce/kernelslist.g"
expect 0 '' "$heddle" compare two.why renamed.why
has '^array sp\[\*\] x2 is fp32\[\*\] x2, by its module fu_pipeline; shown as sp\[\*\]$'
has '^array regfile is registers, by its module regfile; shown as regfile$'
has '^no difference \(1 compared\)$'
expect 0 '' "$heddle" compare --stalls four.why renamed.why
has '^array sp\[\*\] x4 is fp32\[\*\] x2, '
grep -v '^array' stalls.out | sed 1d >want
grep -v '^array' out | sed 1d | cmp -s - want || { fail 'causes in renamed arrays are others'; cat out; }
expect 0 '' "$heddle" compare -q --csv differ.csv four.why renamed.why
grep 'fp32\|"registers\.' differ.csv && fail 'renamed arrays are not matched in kernels'
sed 's/"collector"/"gather"/; s/"collector\./"gather./g; s/"unit": "SP"/"unit": "FP"/' "$src/netlists/sm.json" >nets/sm.json
run renamed.why --reasons nets/volta_sm.json "$src/traces/samples/reduce/kernelslist.g"
expect 0 '' "$heddle" compare --stalls four.why renamed.why
has '^array collector is gather, by its module collector; shown as collector$'
has '^ collector.operands [0-9]* [0-9]* \+0 '
# two of one module and size: nothing says which is which
sed "$renamed; s/\\bdp\\[/fp64[/g; s/\"dp\"/\"fp64\"/" "$src/netlists/sm.json" >nets/sm.json
run renamed.json nets/volta_sm.json "$src/traces/samples/reduce/kernelslist.g"
expect 0 '' "$heddle" compare four.json renamed.json
grep -q '^array [sd]p' out && { fail 'one of two is taken'; cat out; }
run gpu.json "$src/netlists/rtx_2060.json" "$src/traces/samples/tiny/kernelslist.g"
expect 0 '' "$heddle" compare four.json gpu.json
has '^arrays of the netlist itself -> cluster\[\*\].sm\[\*\], added up: barrier, '
has '^ decode.decoded [1-9][0-9]* [1-9][0-9]* '

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
# ---- kernels of one file: of statistics with reasons and of a dump the same ----
expect 0 '' "$heddle" run -q --reasons --stats kernels.json "$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g"
expect 0 '' "$heddle" run -q --dump kernels.hdump "$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g"
expect 0 '' "$heddle" compare kernels.json#1 kernels.json#2
has '^kernels.json#1 -> kernels.json#2$'
has "^ cycles $(python3 -c 'import json; print(*(k["cycles"] for k in json.load(open("kernels.json"))["kernels"]))') "
has '^ barrier.arrivals 256 0 '
expect 0 '' "$heddle" compare --stalls kernels.json#1 kernels.json#2
sed 1,2d out >of_json
expect 0 '' "$heddle" compare --stalls kernels.hdump#1 kernels.hdump#2
sed 1,2d out | cmp - of_json || fail 'kernels of a dump'
expect 0 'no difference' "$heddle" compare kernels.hdump#2 kernels.json#2
# of a GPU: a launch of the same kernel with another latency differs in nothing else
for latency in 2000 5000; do
	run gpu$latency.json --reasons --set dispatcher.kernel_latency=$latency "$src/netlists/rtx_2060.json" "$src/traces/samples/tiny/kernelslist.g"
done
expect 0 '' "$heddle" compare --stalls gpu2000.json#1 gpu5000.json#1
has '^ not running: launch, or no block on the SM [0-9]+ [0-9]+ \+[0-9]+ \+3000\.0 \+100\.0 %$'
has '^ all issue slots [0-9]+ [0-9]+ \+[0-9]+ \+3000\.0 \+100\.0 %$'
tree | awk '$1 == 1 && $2 != "not" && $2 != "all" && ($5 != "+0" || $6 != "+0.0") { exit 1 }' ||
	{ fail 'the time of a launch is in other reasons'; cat out; }
# stages that work in turn have one slot in a cycle
run turns.json --reasons "$src/netlists/southern_islands_cu.json" "$src/traces/samples/tiny/kernelslist.g"
run turns2.json --reasons --max-cycles 50 "$src/netlists/southern_islands_cu.json" "$src/traces/samples/tiny/kernelslist.g"
expect 0 '' "$heddle" compare --stalls turns.json turns2.json
has "^ all issue slots $(cycles turns.json) 50 "
expect 2 'kernels.json: there is no kernel 3; it has 2' "$heddle" compare kernels.json#3 kernels.json#1
expect 2 'nothing#1: expected a file of statistics or a dump' "$heddle" compare nothing#1 kernels.json
expect 2 'kernels.json#0: No such file' "$heddle" compare kernels.json#0 kernels.json

# ---- what is not a number, and how long it takes to add up thousands of reasons ----
for wrong in '"x"' -5 null '[ 1 ]'; do
	sed "s/^ \"cycles\": .*/ \"cycles\": $wrong,/" kernels.json >wrong.json
	expect 2 "wrong.json: cycles is $(echo "$wrong" | tr -d ' '); expected a number from 0 on" "$heddle" compare kernels.json wrong.json
	test ! -s out || fail "a comparison with $wrong cycles"
done
sed 's/"cycles": 156,/"cycles": -1,/' kernels.json >wrong.json
expect 2 'wrong.json: kernel 2: cycles is -1; expected a number' "$heddle" compare wrong.json kernels.json
python3 - <<'END'
import json
s = json.load(open("kernels.json"))
for k in range(2):
    s["reasons"] = {"a%d.b%d" % (i % 7, i): i + k * (i % 5) for i in range(1, 30000)}
    s["causes"] = {}
    json.dump(s, open("many%d.json" % k, "w"), indent=1)
END
expect 0 'a0.b7' timeout 20 "$heddle" compare -q --csv - many0.json many1.json
expect 0 '' timeout 20 "$heddle" compare --stalls many0.json many1.json
test "$(wc -l <out)" -ge 30000 || fail 'thousands of reasons'

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
