#!/bin/sh
# correlate.sh - heddle correlate: figures by hand, every form of a table, programs, points that fail, mistakes
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

samples=$src/traces/samples

# cycles N TRACE: of the Nth launch, by heddle run
cycles()
{
	"$heddle" run -q --stats one.json volta_sm.json "$2" || fail "run $2"
	stats "[k['cycles'] for k in s['kernels']][$1]" one.json
}
first=$(cycles 0 "$samples/reduce/kernelslist.g")
second=$(cycles 1 "$samples/reduce/kernelslist.g")
gather=$(cycles 0 "$samples/gather/kernelslist.g")

# has FILE TEXT...: lines of the file
has()
{
	file=$1
	shift
	for text; do
		grep -F -q -e "$text" "$file" || { fail "expected '$text' in $file:"; cat "$file"; }
	done
}

# held TEXT... -- LIST [OPTION...]: the output has these lines, exit status 0
held()
{
	: >lines
	while test "$1" != --; do
		echo "$1" >>lines
		shift
	done
	shift
	try "$heddle" correlate "$@"
	test "$status" -eq 0 || { fail "correlate $*: exit status $status"; cat err; }
	while read -r line; do
		sed 's/  */ /g; s/ *$//' out | grep -F -q -x -e "$line" || { fail "correlate $*: expected '$line', got:"; cat out err; }
	done <lines
}

# wrong TEXT LIST [OPTION...]: a mistake, and exit status 2
wrong()
{
	text=$1
	shift
	expect 2 "$text" "$heddle" correlate "$@"
}

# ---- figures by hand ----
# simulated / measured: 1/2, 5/4, 1: errors -50 %, +25 %, 0.  MAPE 25 %, median 25 %, mean -8.3 %
cat >hand.json <<END
{ "correlate": 1, "netlist": "volta_sm.json",
  "points": [
    { "trace": "$samples/reduce/kernelslist.g", "launch": 0, "cycles": $(awk "BEGIN { print 2 * $first }"), "class": "DRAM",
      "others": { "other": $(awk "BEGIN { print 3 * $first }") } },
    { "trace": "$samples/reduce/kernelslist.g", "launch": 1, "cycles": $(awk "BEGIN { print $second / 1.25 }"), "class": "dram" },
    { "trace": "$samples/gather/kernelslist.g", "cycles": $gather, "class": "launch", "name": "the last" } ] }
END
# Pearson's coefficient by another formula
r=$(awk "BEGIN { x[1] = 2 * $first; x[2] = $second / 1.25; x[3] = $gather; y[1] = $first; y[2] = $second; y[3] = $gather; n = 3
	for (i = 1; i <= n; i++) { a += x[i]; b += y[i]; ab += x[i] * y[i]; aa += x[i] ^ 2; bb += y[i] ^ 2 }
	printf \"%.4f\", (n * ab - a * b) / sqrt((n * aa - a ^ 2) * (n * bb - b ^ 2)) }")
held "all 3 25.0 % 25.0 % -8.3 % $r" 'DRAM 2 37.5 % 37.5 % -12.5 % -' 'launch 1 0.0 % 0.0 % +0.0 % -' \
	'other 1 50.0 % 50.0 % +50.0 % -' -- hand.json -o page.html --json hand.out --csv hand.csv
has hand.csv "reduce: 0,reduce,,,DRAM,1,$((2 * first)),$first,-0.5,$((3 * first))," "the last,gather,,,launch,1,$gather,$gather,0,,"
stats "'%.4f %.4f %.4f %d' % (s['summary']['all']['mape'], s['summary']['all']['median'], s['summary']['all']['mean'], s['summary']['all']['points'])" hand.out >got
has got '0.2500 0.2500 -0.0833 3'
# nothing runs twice, and the bytes are the same
cp hand.out hand.before
cp page.html page.before
expect 0 'hand: 3 points, 0 run now: 3 finished' "$heddle" correlate hand.json -o page.html --json hand.out
cmp hand.out hand.before && cmp page.html page.before || fail 'the second time differs'
expect 0 '' "$heddle" correlate -q hand.json --json -
cmp out hand.out || fail '--json - differs'
# the page needs no other file
grep -q -e 'src=' -e 'url(' -e 'href="http' page.html && fail 'the page names other files'
browser=$(command -v chromium || command -v chromium-browser)
if test -n "$browser"; then
	for turn in 1 2 3; do # on a busy machine it may print the page before the script has run
		"$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=4000 --dump-dom "file://$tmp/page.html" \
			>dom 2>/dev/null || fail "the browser, turn $turn"
		! grep -q '>25.00 %<' dom || break
	done
	has dom ">$r<" '>25.00 %<' '>the last<' '>DRAM<' '>37.50 %<' '>other<' '>50.00 %<' '>unit utilisation: sp[*]<'
fi
expect 0 '' "$heddle" correlate -q hand.json --reports=1 -o sub.html --json sub.json
test "$(ls hand.results/reports | wc -l)" -eq 1 || fail 'not one report'
page=$(stats "first('page')" sub.json)
grep -q "$page" sub.html && test -f "$page" || fail "the page does not link to '$page'"

# names are relative to the list, whatever the folder of the results is
mkdir here
cp "$src/netlists/"*.json here
cp -R "$src/netlists/opcodes" here
echo "{ \"correlate\": 1, \"netlist\": \"volta_sm.json\", \"points\": [{ \"trace\": \"$samples/gather/kernelslist.g\" }] }" >here/list.json
expect 0 '' env HEDDLE_DATA_PATH= "$heddle" correlate -q here/list.json -f here/results

# ---- which launches count ----
cat >launches.json <<END
{ "correlate": 1, "netlist": "volta_sm.json", "points": [
    { "trace": "$samples/reduce/kernelslist.g", "name": "all", "cycles": $((first + second)) },
    { "trace": "$samples/reduce/kernelslist.g", "name": "mean", "launch": "mean", "cycles": $first },
    { "trace": "$samples/reduce/kernelslist.g", "name": "name", "kernel": "sum_segments", "cycles": $first },
    { "trace": "$samples/reduce/kernelslist.g", "name": "pattern", "kernel": "*sum_seg[a-t]*", "cycles": $first },
    { "trace": "$samples/reduce/kernelslist.g", "name": "declaration", "launch": "0", "kernel": "void x::sum_segments(const int *, float)",
      "cycles": $first },
    { "trace": "$samples/reduce/kernelslist.g", "name": "unmeasured" } ] }
END
expect 0 'launches: 2 points' "$heddle" correlate launches.json --csv launches.csv
has launches.csv "all,reduce,,,L1,2,$((first + second)),$((first + second)),0," \
	"mean,reduce,,,L1,2,$first,$(awk "BEGIN { print ($first + $second) / 2 }")," \
	"name,reduce,,sum_segments,L1,1,$first,$first,0," "pattern,reduce,,*sum_seg[a-t]*,L1,1,$first,$first,0," \
	"float)\",L1,1,$first,$first,0," "unmeasured,reduce,,,L1,2,,$((first + second)),,"
# arguments of templates
mkdir templates
sed 's/_Z4tinyPKfS0_Pf/_ZN2ns4axpyIfLi16E3rowEEviPKT_PS1_/' "$samples/tiny/kernel-1.traceg" >templates/kernel-1.traceg
cp "$samples/tiny/kernelslist.g" templates
for kernel in 'void ns::axpy<float, (int)16, row>(int, const T1 *, T1 *)' 'axpy<float, 16>(int)' 'ns::axpy' 'axp?'; do
	echo "{ \"correlate\": 1, \"netlist\": \"volta_sm.json\", \"points\": [{ \"trace\": \"templates/kernelslist.g\", \"kernel\": \"$kernel\" }] }" >one.list
	expect 0 '' "$heddle" correlate -q one.list
done
for kernel in 'void ns::axpy<double, (int)16, row>(int)' 'axpy<float, 17>(int)' 'axpy<float, 16, column>' 'xpy'; do
	echo "{ \"correlate\": 1, \"netlist\": \"volta_sm.json\", \"points\": [{ \"trace\": \"templates/kernelslist.g\", \"kernel\": \"$kernel\" }] }" >one.list
	expect 1 "no kernel of the program fits '$kernel'; there are _ZN2ns4axpy" "$heddle" correlate one.list
done

# ---- tables ----
# rows of two programs and two GPUs; what is not in the list is left out
cat >table.csv <<END
gpu,clock_mhz,program,arguments,kernel,launch,cycles,ns,simulator,note
A,1000,summing,"1,000",(sum over all launches),all,,$(((first + second) * 2)),100,"a ""note"""
A,1000,summing,"1,000",sum_segments(int),0,"$first",,$((2 * first)),
A,1000,gathering,,gather,mean of 6,$gather,,,
B,1000,gathering,,gather,0,1,,,
A,1000,unknown,,gather,0,1,,,
END
cat >table.json <<END
{ "correlate": 1, "netlist": "volta_sm.json", "measured": { "file": "table.csv", "where": { "gpu": "A" } },
  "others": { "Other": "simulator" },
  "points": [ { "program": "summing", "trace": "$samples/reduce/kernelslist.g" },
              { "program": "gathering", "trace": "$samples/gather/kernelslist.g" } ] }
END
expect 0 '' "$heddle" correlate -q table.json --csv table.out
has table.out "\"summing 1,000\",summing,\"1,000\",,L1,2,$(((first + second) * 2)),$((first + second)),-0.5,100," \
	"\"summing 1,000: sum_segments 0\",summing,\"1,000\",sum_segments(int),L1,1,$first,$first,0,$((2 * first))," \
	"gathering: gather,gathering,,gather,L1,1,$gather,$gather,0,,"
test "$(wc -l <table.out)" -eq 4 || { fail 'other points:'; cat table.out; }
# without a header, with tabs
printf 'summing\tsum_segments\t(16, 1, 1)\t%s\n' "$((first * 4))" >bare.txt
cat >bare.json <<END
{ "correlate": 1, "netlist": "volta_sm.json", "clock_mhz": 500,
  "measured": { "file": "bare.txt", "columns": ["program", "kernel", "grid", "ns"], "values": { "launch": 0 } },
  "points": [ { "program": "summing", "trace": "$samples/reduce/kernelslist.g" } ] }
END
expect 0 '' "$heddle" correlate -q bare.json --csv bare.out
has bare.out "summing: sum_segments 0,summing,,sum_segments,L1,1,$((2 * first)),$first,-0.5,"
# a table alone: traces in its rows, relative to it; settings of the command line
mkdir tables
ln -s "$samples/gather" tables/gather
printf 'trace,cycles,program\ngather/kernelslist.g,%s,G\n' "$gather" >tables/own.csv
expect 0 '' "$heddle" correlate -q tables/own.csv --netlist volta_sm.json --csv own.out
has own.out "G,G,,,L1,1,$gather,$gather,0,"
test -d own.results || fail 'the folder has another name'
expect 0 '' "$heddle" correlate -q tables/own.csv --netlist volta_sm.json -f slow -s warps=8 --csv slow.out
grep -q ",$gather,$gather,0," slow.out && fail '--set has no effect'

# ---- exports of Nsight Compute ----
cat >long.csv <<END
==PROF== Connected to process 4711
A program's own words, "with a quote
and	a tab
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"
"0","1","app","h","sum_segments(const int *, const float *, float *, int *)","1","7","(128, 1, 1)","(16, 1, 1)","0","8.6","Speed","SM Frequency","cycle/second","1500000000.00",
"0","1","app","h","sum_segments(const int *, const float *, float *, int *)","1","7","(128, 1, 1)","(16, 1, 1)","0","8.6","Speed","","","","R","OPT","A rule, and its advice."
"0","1","app","h","sum_segments(const int *, const float *, float *, int *)","1","7","(128, 1, 1)","(16, 1, 1)","0","8.6","Speed","Elapsed Cycles","cycle","$(printf '%d,%03d' $((first * 2 / 1000)) $((first * 2 % 1000)))"
"0","1","app","h","sum_segments(const int *, const float *, float *, int *)","1","7","(128, 1, 1)","(16, 1, 1)","0","8.6","Speed","Duration","usecond","$(awk "BEGIN { printf \"%.6f\", $first / 1500 }")"
END
expect 0 '' "$heddle" correlate -q long.csv --netlist volta_sm.json --trace "$samples/reduce/kernelslist.g" --csv long.out
has long.out ",L1,1,$((2 * first)),$first,-0.5,"
expect 0 '' "$heddle" correlate -q long.csv --netlist volta_sm.json --trace "$samples/reduce/kernelslist.g" --json long.json --metric Duration
test "$(stats "abs(first('hardware') - $first) < 1" long.json)" = True || { fail 'a duration with the clock of the export'; cat long.json; }
cat >wide.csv <<END
"ID","Process ID","Kernel Name","Context","gpc__cycles_elapsed.max","gpu__time_duration.sum","sm__cycles_elapsed.max"
"","","","","cycle","nsecond","cycle"
"0","1","sum_segments(const int *, const float *, float *, int *)","1","$((2 * first))","1","3"
"1","1","$(stats "s['kernels'][1]['name']" one.json 2>/dev/null || echo x)","1","$second","1","3"
END
"$heddle" run -q --stats one.json volta_sm.json "$samples/reduce/kernelslist.g"
sed -i "s/^\"1\",\"1\",\"[^\"]*\"/\"1\",\"1\",\"$(stats "s['kernels'][1]['name']" one.json)\"/" wide.csv
expect 0 '' "$heddle" correlate -q wide.csv --netlist volta_sm.json --trace "$samples/reduce/kernelslist.g" --csv wide.out
has wide.out ",L1,1,$((2 * first)),$first,-0.5," ",1,$second,$second,0,"
expect 0 '' "$heddle" correlate -q wide.csv --netlist volta_sm.json --trace "$samples/reduce/kernelslist.g" --csv wide.out \
	--metric gpu__time_duration.sum --clock 3000
has wide.out ",L1,1,3,$first,"
# instances of one template are launches of one name
mkdir twice
for t in f d; do sed "s/_Z4tinyPKfS0_Pf/_Z4axpyI${t}EvT_/" "$samples/tiny/kernel-1.traceg" >twice/kernel-$t.traceg; done
printf 'kernel-%s.traceg\n' f d f d >twice/kernelslist.g
export_of()
{
	echo 'ID,Kernel Name,Metric Name,Metric Unit,Metric Value'
	for t; do echo "$((n += 1)),void axpy<$t>(T1),Elapsed Cycles,cycle,7"; done
}
export_of float double float double >twice.csv
expect 0 '' "$heddle" correlate -q twice.csv --netlist volta_sm.json --trace twice/kernelslist.g --csv twice.out
has twice.out 'twice: axpy 3,twice,,void axpy<double>(T1),' 'axpy 0,twice,,void axpy<float>(T1),'
export_of double double >twice.csv
expect 1 "launch 0 of 'axpy' is _Z4axpyIfEvT_; the export has void axpy<double>(T1)" \
	"$heddle" correlate twice.csv --netlist volta_sm.json --trace twice/kernelslist.g
# launches of another size, in both forms; an export without the columns is not held against the trace (above)
for size in 'grid (16, 1, 1); (17, 1, 1)' 'grid (16, 1, 1); (16, 2, 1)' 'block (128, 1, 1); (128, 1, 2)'; do
	has=${size%%;*} is=${size#*; }
	sed "s/\"${has#* }\"/\"$is\"/" long.csv >size.csv
	expect 1 "launch 0 of 'sum_segments' has the $has; the export has $is" \
		"$heddle" correlate size.csv --netlist volta_sm.json --trace "$samples/reduce/kernelslist.g"
done
sed '1s/"Process ID"/"Grid Size"/; 3s/"0","1"/"0","(16, 1, 1)"/; $d' wide.csv >size.csv
expect 0 '' "$heddle" correlate -q size.csv --netlist volta_sm.json --trace "$samples/reduce/kernelslist.g" --csv wide.out
has wide.out ",L1,1,$((2 * first)),$first,-0.5,"
sed -i 's/(16, 1, 1)/(15, 1, 1)/' size.csv
expect 1 "has the grid (16, 1, 1); the export has (15, 1, 1)" \
	"$heddle" correlate size.csv --netlist volta_sm.json --trace "$samples/reduce/kernelslist.g"
# an export of one point of a list
cat >own.json <<END
{ "correlate": 1, "netlist": "volta_sm.json", "points": [
    { "trace": "$samples/reduce/kernelslist.g", "kernel": "sum_segments", "measured": "long.csv" } ] }
END
expect 0 '' "$heddle" correlate -q own.json --csv own.out
has own.out ",L1,1,$((2 * first)),$first,-0.5,"

# ---- programs ----
program=$build/tests/runtime/.libs/program
test -x "$program" || program=$build/tests/runtime/program
cp "$src/tests/runtime/kernels.fatbin" .
cat >program.json <<END
{ "correlate": 1, "netlist": "a100_sm.json", "limits": { "seconds": 600 }, "points": [
    { "command": ["$program", "kernels.fatbin", "3"], "kernel": "add", "launch": 2, "cycles": 1000 },
    { "command": ["$program", "kernels.fatbin", "3"], "name": "all", "cycles": 1000 },
    { "command": ["$program", "kernels.fatbin", "3"], "record": "2-3", "name": "two", "cycles": 1000 } ] }
END
expect 0 '' "$heddle" correlate -q program.json --json program.out
test "$(stats "[(p['name'], p['program'], p['launches']) for p in s['points']] == [('program: add 2', 'program', 1),
	('all', 'program', 3), ('two', 'program', 2)]" program.out)" = True || { fail 'other launches:'; cat program.out; }
test "$(ls program.results/traces | wc -l)" -eq 2 || fail 'not two recordings'
expect 0 'program: 3 points, 0 run now' "$heddle" correlate program.json
grep -q 'recording' err && fail 'a program is recorded again'
printf x >>kernels.fatbin
expect 0 'heddle: recording' "$heddle" correlate program.json
printf 'launch,cycles\n0,100\n2,100\n' >program.csv
wrong "no column is named 'program'" program.csv --netlist a100_sm.json -- "$program" kernels.fatbin 3
printf 'kernel,launch,cycles\nadd,0,100\nadd,2,100\n' >program.csv
expect 0 'program: add 2' "$heddle" correlate program.csv --netlist a100_sm.json -- "$program" kernels.fatbin 3

# ---- GPUs as a profiler measures them differ from the others in the values that docs/gpu.md has ----
for netlist in "$src"/netlists/ncu/*.json; do
	try "$heddle" diff "$src/netlists/${netlist##*/}" "$netlist"
	has out 'instance dispatcher: flush_launch was false, is true' 'instance dispatcher: copies was true, is false'
	grep -v -e '^clock \(core\|network\|l2\): mhz was' -e '^instance dispatcher: \(flush_launch\|copies\|kernel_latency\|cta_latency\) was' \
		-e '^clock dram: m\?hz ' out &&
		fail "$netlist has other values"
	expect 0 'no mistakes' "$heddle" check "$netlist"
done
# a second launch finds the caches empty, though not the rows of the memory closed
mkdir again
cp "$samples/gather/kernel-1.traceg.xz" again
printf 'kernel-1.traceg.xz\nkernel-1.traceg.xz\n' >again/kernelslist.g
expect 0 '' "$heddle" run -q --stats again.json ncu/quadro_gv100.json again/kernelslist.g
test "$(stats "abs(s['kernels'][0]['cycles'] - s['kernels'][1]['cycles'])" again.json)" -le 10 || fail 'the second launch finds something'
expect 0 '' "$heddle" run -q --stats again.json -s dispatcher.flush_launch=false ncu/quadro_gv100.json again/kernelslist.g
test "$(stats "s['kernels'][0]['cycles'] - s['kernels'][1]['cycles']" again.json)" -gt 100 || fail 'the second launch finds nothing'

# ---- points that fail do not count ----
cp "$samples/tiny/kernel-1.traceg" broken.traceg
sed -i '$d' broken.traceg
sed -i 's/^insts = .*/insts = 99/' broken.traceg
cat >failing.json <<END
{ "correlate": 1, "netlist": "volta_sm.json", "points": [
    { "trace": "$samples/gather/kernelslist.g", "cycles": $gather },
    { "trace": "none/kernelslist.g", "name": "no trace", "cycles": 1 },
    { "command": ["./none", "1"], "name": "no program", "cycles": 1 },
    { "command": ["$program", "kernels.fatbin", "nonsense"], "name": "fails", "status": 5, "cycles": 1 },
    { "command": ["true"], "name": "no kernels", "cycles": 1 },
    { "trace": "$samples/gather/kernelslist.g", "launch": 7, "name": "no launch", "cycles": 1 },
    { "trace": "$samples/gather/kernelslist.g", "kernel": "other", "name": "no kernel", "cycles": 1 },
    { "trace": "broken.traceg", "name": "broken", "cycles": 1 } ] }
END
expect 1 '7 of 8 points have no cycles, and do not count' "$heddle" correlate failing.json --csv failing.out --json failing.out.json
has out 'no trace: trace none/kernelslist.g: ' 'no program: the program ././none cannot be run: No such file' 'fails: recording: ' \
	'no kernels: recording: nothing is recorded' 'no launch: launch 7 is not there; there are 1, from 0 on' \
	"no kernel: no kernel of the program fits 'other'; there are _Z" 'broken: '
test "$(stats "'%(points)d %(mape)g' % s['summary']['all']" failing.out.json)" = '1 0' || { fail 'points that fail count:'; cat out; }
has failing.out 'no program,none,,,,,1,,,the program ././none'

# ---- mistakes ----
wrong 'expected LIST.json, or a table'
wrong 'cannot read the list: No such file' none.json
wrong "unexpected argument 'b'; expected one list" a b
wrong '--trace and a program: expected one of them' table.csv --trace x -- y
wrong '--reports: expected --output FILE as well' hand.json --reports
wrong "--gpu: there is no GPU 'x'" hand.json --gpu x
wrong "--clock: '0': expected a frequency" hand.json --clock 0
wrong 'there is no netlist; expected --netlist FILE' tables/own.csv
wrong 'expected --trace with a table' hand.json --trace x
wrong "expected one of these columns, or --trace FILE" table.csv --netlist volta_sm.json
wrong "error: 'nothing' is not a parameter, instance or clock" hand.json --set nothing.there=1

# list TEXT MEMBERS: a list that has these besides a netlist
list()
{
	printf '{ "correlate": 1, "netlist": "volta_sm.json",\n  %s }\n' "$2" >wrong.json
	wrong "$1" wrong.json
}
# point TEXT MEMBERS: a point with these
point()
{
	list "$1" "\"points\": [{ $2 }]"
	grep -q '^wrong.json:2:' err || { fail "no place:"; cat err; }
}
t="\"trace\": \"$samples/gather/kernelslist.g\""
list "unknown member 'point' of the list; did you mean 'points'" "\"point\": [{ $t }]"
list 'the list has no points' '"points": []'
list 'the list has no points' '"name": "x"'
list "'limits': expected an object" "\"limits\": 1, \"points\": [{ $t }]"
list "'seconds': expected a number above 0" "\"limits\": { \"seconds\": 0 }, \"points\": [{ $t }]"
list "'clock_mhz': expected a number above 0" "\"clock_mhz\": \"x\", \"points\": [{ $t }]"
list "'a': expected the name of a column" "\"others\": { \"a\": 1 }, \"points\": [{ $t }]"
list "expected the name of a table, or an object" "\"measured\": 1, \"points\": [{ $t }]"
list "unknown member 'fil' of a table; did you mean 'file'" "\"measured\": { \"fil\": \"x\" }, \"points\": [{ $t }]"
list "wrong.json:2:51: error: 'clock_mhz': expected a number above 0" "\"measured\": { \"file\": \"table.csv\", \"clock_mhz\": [1] }, \"points\": [{ $t }]"
list "bad name 'a/b' of a list, whose results are in the folder NAME.results" "\"name\": \"a/b\", \"points\": [{ $t }]"
list "bad name '-a' of a list" "\"name\": \"-a\", \"points\": [{ $t }]"
list "error: no table has the column 'simulater' for the cycles by 'Other'" \
	"\"measured\": \"table.csv\", \"others\": { \"Other\": \"simulater\" }, \"points\": [{ $t }]"
list "table.csv:1:1: error: two columns are named 'program'" '"measured": { "file": "table.csv", "columns": ["program", "a", "program"] }, "points": [{ '"$t"' }]'
list "none.csv: error: cannot read the table: No such file" "\"measured\": \"none.csv\", \"points\": [{ $t }]"
point "error: a point without 'trace' and 'command'; expected one of them" '"name": "x"'
point "unknown member 'tracs' of a point; did you mean 'trace'" "\"tracs\": \"x\""
point "a point with 'trace' and 'command'; expected one of them" "$t, \"command\": [\"x\"]"
point "'command': expected a program and its arguments" "\"command\": []"
point "'command': expected a program and its arguments" "\"command\": [1]"
point "'launch': expected the number of a launch, from 0, or" "$t, \"launch\": -1"
point "'launch': expected the number of a launch, from 0, or" "$t, \"launch\": \"some\""
point "'class': 'l3' is none" "$t, \"class\": \"l3\""
point "'cycles': expected a number above 0" "$t, \"cycles\": 0"
point "a point with 'cycles' and 'measured'" "$t, \"cycles\": 1, \"measured\": \"table.csv\""
point "cycles of 'x': expected a number above 0" "$t, \"others\": { \"x\": 0 }"
point "'record': '0' is not a range of launches" '"command": ["x"], "record": "0"'
point "'record': '3-2' is not a range of launches" '"command": ["x"], "record": "3-2"'
for status in '"0"' 256 -1 1.5 '[0]'; do
	point "'status': expected an exit status, an integer 0..255" "\"command\": [\"x\"], \"status\": $status"
done
point "'inputs': expected a list of names of files" '"command": ["x"], "inputs": [1]'
echo '{ "correlate": 2, "netlist": "volta_sm.json", "points": [] }' >wrong.json
wrong 'expected "correlate": 1, the version of the format' wrong.json
wrong 'this is a netlist; expected a list of programs' "$src/netlists/volta_sm.json"
wrong 'this is a study; expected a list of programs' "$src/examples/latency_study.json"
printf '{ "correlate": 1,\n "points": [ }' >wrong.json
wrong 'wrong.json:2:' wrong.json

# table TEXT LINE...: a wrong table
table()
{
	text=$1
	shift
	printf '%s\n' "$@" >wrong.csv
	wrong "wrong.csv:$text" wrong.csv --netlist volta_sm.json --trace "$samples/gather/kernelslist.g"
}
table ' error: is empty' ''
table ' error: the table has no rows' 'kernel,cycles'
table "1:1: error: two columns are named 'cycles'; expected one" 'kernel,cycles,cycles' 'gather,5,6'
wrong "error: no table has the column 'simulater' for the cycles by 'simulater'" table.csv --netlist volta_sm.json \
	--trace "$samples/gather/kernelslist.g" --other simulater
wrong "--other: 'a' has two columns; expected one" table.csv --netlist volta_sm.json --trace "$samples/gather/kernelslist.g" \
	--other a=simulator --other a=note
table "2:1: error: column 'cycles': 'many' is not a number above 0" 'kernel,cycles' 'gather,many'
table "2:1: error: column 'cycles': '-5' is not a number above 0" 'kernel,cycles' 'gather,-5'
table '3:1: error: 3 values; expected 2, one for each column' 'kernel,cycles' 'gather,5' 'gather,5,6'
table "2:1: error: 'ns' is a time; expected its clock: --clock, 'clock_mhz' of the list, or a column" 'kernel,ns' 'gather,5'
table "2:1: error: a value begins with a quote and has no other" 'kernel,cycles' '"gather,5'
table "2:1: error: 'class': 'l3' is none; did you mean 'L1'?" 'kernel,class' 'gather,l3'
table "1:1: error: an export with 'Metric Name' and without 'Metric Value'" 'ID,Kernel Name,Metric Name' '0,gather,x'
table "1:1: error: none of the metrics is one of cycles or time" 'ID,Kernel Name,Metric Name,Metric Unit,Metric Value' '0,gather,x,cycle,5'
table "1:1: error: an export with a column for each metric has the units in its second row" 'ID,Kernel Name,gpc__cycles_elapsed.max' '0,gather,5'
table "1:1: error: an export without launches" 'ID,Kernel Name,gpc__cycles_elapsed.max' ',,cycle'
table "2:1: error: 'Duration' is a time; expected its clock: --clock, " 'ID,Kernel Name,Metric Name,Metric Unit,Metric Value' \
	'0,gather,Duration,ns,5' '1,gather,Duration,ns,6'
test "$(grep -c 'is a time' err)" -eq 1 || fail 'that there is no clock is printed more than once'
table "2:1: error: metric 'Duration': the unit 'furlong' is neither" 'ID,Kernel Name,Metric Name,Metric Unit,Metric Value' '0,gather,Duration,furlong,5'
table "3:1: error: kernel 'gather' has no metric 'Elapsed Cycles', which others have" 'ID,Kernel Name,Metric Name,Metric Unit,Metric Value' \
	'0,gather,Elapsed Cycles,cycle,5' '1,gather,Duration,ns,5'
table "2:1: error: metric 'Elapsed Cycles': 'n/a' is not a number" 'ID,Kernel Name,Metric Name,Metric Unit,Metric Value' '0,gather,Elapsed Cycles,cycle,n/a'
table "2:1: error: metric 'Elapsed Cycles': '5,91' is not a number" 'ID,Kernel Name,Metric Name,Metric Unit,Metric Value' '0,gather,Elapsed Cycles,cycle,"5,91"'
table "2:1: error: metric 'Elapsed Cycles': '5.911' may be thousands" 'ID,Kernel Name,Metric Name,Metric Unit,Metric Value' '0,gather,Elapsed Cycles,cycle,5.911'
for size in '(5, 1)' '(5, 1, 1' '5 1 1' '(-5, 1, 1)' '(99999999999, 1, 1)' '(5, 1, 1) 2'; do
	table "2:1: error: column 'Grid Size': '$size' is not a size; expected one such as (16, 1, 1)" \
		'ID,Kernel Name,Grid Size,Metric Name,Metric Unit,Metric Value' "0,gather,\"$size\",Elapsed Cycles,cycle,5"
done
printf 'kernel,cycles\ngather,5\000\n' >wrong.csv
wrong 'wrong.csv: error: is not a text' wrong.csv --netlist volta_sm.json --trace "$samples/gather/kernelslist.g"
head -c 3000 /dev/urandom >wrong.csv
try "$heddle" correlate wrong.csv --netlist volta_sm.json
test "$status" -eq 2 || fail "nonsense: exit status $status"
done_testing
