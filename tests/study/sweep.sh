#!/bin/sh
# sweep.sh - heddle sweep: points, values, results, what runs again, what ends a point
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

cp "$src/netlists/tutorial.json" core.json
chmod u+w core.json
mkdir traces
for t in tiny hist; do cp -R "$src/traces/samples/$t" traces; done
chmod -R u+w traces

# study MEMBERS: study.json, of core.json and traces/
study()
{
	printf '{ "study": 1, "netlists": ["core.json"], "traces": ["traces/*/kernelslist.g"]%s }\n' "${1:+, $1}" >study.json
}

# ---- which points there are ----
# points TEXT: what --dry-run lists but the trace hist and the netlist
points()
{
	rm -rf listed
	expect 0 '' "$heddle" sweep study.json -o listed --dry-run
	sed -n 's/ *[0-9]* core \(.*\)/\1/p' out | grep -v hist | sed 's/tiny//; s/^ *//; s/  */ /g' >lines
	printf '%s' "$1" | cmp -s - lines || { fail "points of $(cat study.json):"; cat lines; }
}
study
points '
'
study '"set": { "issue.width": 1, "load_store.l1d_latency": [1], "ibuffer.entries": { "from": 2, "to": 2, "step": 1 } }'
points 'issue.width=1 load_store.l1d_latency=1 ibuffer.entries=2
'
study '"set": { "load_store.l1d_latency": { "from": 5, "to": 15, "step": 5 }, "ibuffer.entries": [2, 4] }'
points 'load_store.l1d_latency=5 ibuffer.entries=2
load_store.l1d_latency=5 ibuffer.entries=4
load_store.l1d_latency=10 ibuffer.entries=2
load_store.l1d_latency=10 ibuffer.entries=4
load_store.l1d_latency=15 ibuffer.entries=2
load_store.l1d_latency=15 ibuffer.entries=4
'
study '"set": { "ibuffer.entries": { "from": 2, "to": 8, "times": 2 } }'
points 'ibuffer.entries=2
ibuffer.entries=4
ibuffer.entries=8
'
study '"set": { "clocks.core.mhz": { "from": 0.1, "to": 0.3, "step": 0.1 } }'
points 'clocks.core.mhz=0.1
clocks.core.mhz=0.2
clocks.core.mhz=0.3
'
study '"together": [{ "ibuffer.entries": [2, 4], "load_store.l1d_latency": { "from": 9, "to": 8, "step": -1 } }]'
points 'ibuffer.entries=2 load_store.l1d_latency=9
ibuffer.entries=4 load_store.l1d_latency=8
'
# a later value of a path wins
study '"designs": { "base": {}, "deep": { "ibuffer.entries": 8 } }, "set": { "load_store.l1d_latency": 7 }'
points 'base load_store.l1d_latency=7
deep ibuffer.entries=8 load_store.l1d_latency=7
'
study '"designs": { "deep": { "ibuffer.entries": 8 } }, "set": { "ibuffer.entries": 2 }'
points 'deep ibuffer.entries=2
'
cat >study.json <<'END2'
{ "study": 1, "netlists": [{ "file": "core.json", "name": "mine", "set": { "ibuffer.entries": [2, 4] } }, "core.json"],
  "traces": [{ "files": "traces/tiny/kernel-1.traceg", "name": "one", "max_cycles": 20, "kernels": "1" }] }
END2
expect 0 '' "$heddle" sweep study.json -o listed --dry-run
test "$(sed 's/  *$//' out | head -3)" = "     1 mine one ibuffer.entries=2
     2 mine one ibuffer.entries=4
     3 core one" || { fail 'a netlist with values of its own'; cat out; }

# ---- mistakes ----
# mistake MEMBERS MESSAGE
mistake()
{
	study "$1"
	expect 2 "$2" "$heddle" sweep study.json -o none
	test ! -e none || fail "$1: a folder is left"
}
mistake '"sett": 1' "study.json:1:80: error: unknown member 'sett' of the study; did you mean 'set'?"
mistake '"set": { "ibufer.entries": 2 }' "study.json:1:89: error: 'ibufer' is not a parameter, instance or clock"
mistake '"set": { "ibuffer.entries": [] }' "study.json:1:108: error: an empty list; expected values"
mistake '"set": { "ibuffer.entries": { "from": 1, "to": 2 } }' "a range without 'step'"
mistake '"set": { "ibuffer.entries": { "from": 3, "to": 2, "step": 1 } }' 'the range does not lead from 3 to 2'
mistake '"set": { "ibuffer.entries": { "from": 1, "to": 9, "step": 1, "times": 2 } }' 'expected one of them'
mistake '"set": { "ibuffer.entries": { "from": 1, "to": 9999999, "step": 1 } }' 'more than 100000 values'
mistake '"set": { "ibuffer.entries": { "from": 9223372036854775807, "to": 9223372036854775807, "step": 1 } }' 'from -2^53 to 2^53'
mistake '"set": { "ibuffer.entries": null }' 'expected a value, found null'
mistake '"set": { "ibuffer.entries": -1 }' "study.json:1:89: error: parameter 'entries' of instance 'ibuffer'"
mistake '"together": [{ "a": [1, 2], "b": [1] }]' "'b' has a list of 1 and 'a' one of 2"
mistake '"designs": { "x": 1 }' "design 'x': expected an object"
mistake '"name": ""' 'bad name of a study'
mistake '"name": "a\u001b[31m"' 'bad name of a study'
mistake '"set": { "ibuffer.entries": { "from": 1, "to": 2, "step": 0 } }' 'the range does not lead from 1 to 2'
mistake '"set": { "ibuffer.entries": { "from": 1, "to": 2, "step": 1e-300 } }' 'more than 100000 values'
mistake '"set": { "ibuffer.entries": NaN }' 'bad JSON'
mistake '"set": { "ibuffer.entries": 2, "ibuffer.entries": 4 }' 'appears twice in one object'
mistake '"limits": { "seconds": 0 }' 'expected a number above 0'
mistake '"instances": "none"' "expected \"together\" or \"each\", found \"none\""
mistake '"set": { "a": { "from": 1, "to": 50000, "step": 1 }, "b": { "from": 1, "to": 50000, "step": 1 } }' \
	'more than 1000000 points'
# values with which nothing can be built: results, in any order, also with texts and in designs; comparisons have another base
for values in '"ibuffer.entries": [1, 2, 4]' '"ibuffer.entries": [4, 2, 1]'; do
	study "\"set\": { $values }"
	rm -rf refused
	expect 0 'study: 6 points, 6 run now: 4 finished, 2 refused' "$heddle" sweep study.json -o refused --csv refused.csv
	test "$(cat refused/points/*.json | grep -c "'width' is 2 and the instruction buffer has 1 entries")" -eq 2 \
		|| fail "no message of $values"
	expect 0 'compared with core ibuffer.entries=' "$heddle" compare refused
	! grep -q 'compared with core ibuffer.entries=1' out || fail 'the base has no results'
done
study '"designs": { "none": { "ibuffer.entries": 1 }, "some": { "ibuffer.entries": 2 } }'
rm -rf refused
expect 0 '4 run now: 2 finished, 2 refused' "$heddle" sweep study.json -o refused
mistake '"set": { "ibuffer.entries": 1 }' "'width' is 2 and the instruction buffer has 1 entries"
mistake '"set": { "ibuffer.entries": [1, 2], "ibuffer.refill": ["room", "rooom"] }' "did you mean 'room'?"
mistake '"set": { "ibuffer.entris": { "from": 1, "to": 9000, "step": 1 } }' "did you mean 'entries'?"
echo '{ "study": 1, "netlists": ["none.json"], "traces": ["traces/*.g", "traces/tiny"] }' >study.json
expect 2 "study.json:1:28: error: cannot read the netlist 'none.json'" "$heddle" sweep study.json -o none
expect 2 "no file matches 'traces/*.g'" "$heddle" sweep study.json -o none
expect 2 "is a folder; expected a trace, maybe 'traces/tiny/kernelslist.g'" "$heddle" sweep study.json -o none
echo '{ "study": 1, "netlists": ["core.json"], "traces": [{ "files": "traces/tiny/kernelslist.g", "kernels": "5-2" }] }' >study.json
expect 2 "'kernels': '5-2' is not a range; expected N, N-M or N-, from 1" "$heddle" sweep study.json -o none
echo '{ "study": 1, "netlists": ["core.json", "core.json"], "traces": ["traces/tiny/kernelslist.g"] }' >study.json
expect 2 "two netlists have the name 'core'" "$heddle" sweep study.json -o none
echo '{ "study": 1, "netlists": [], }' >study.json
expect 2 'study.json:1:31: error: bad JSON' "$heddle" sweep study.json -o none
expect 2 'this is a netlist; expected a study' "$heddle" sweep core.json -o none
expect 2 'cannot read the study: No such file' "$heddle" sweep nothing.json -o none
study
expect 2 'expected --output FOLDER' "$heddle" sweep study.json
expect 2 'the study has 2 points' "$heddle" sweep study.json -o none --points 2-3
test ! -e none || fail 'points that the study does not have: a folder is left'
mkdir other
touch other/file
expect 2 'is a folder of something else' "$heddle" sweep study.json -o other
# outputs that would replace what was read, or each other
study
cp study.json kept.json
for output in study.json core.json traces/tiny/kernelslist.g results/results.sqlite; do
	expect 2 "'$output'" "$heddle" sweep study.json -o results --csv "$output"
	expect 2 "'$output'" "$heddle" sweep study.json -o results --json "$output"
done
expect 2 "both would write 'same'" "$heddle" sweep study.json -o results --csv same --json same
# nor folders, which are refused before anything runs
for output in --csv=. --json=traces; do
	expect 2 'is a folder; expected the name of a file' "$heddle" sweep study.json -o unborn "$output"
	test ! -e unborn || fail "$output: a folder of results"
done
cmp -s study.json kept.json || fail 'a study was replaced'
test ! -e same || fail 'two outputs have one name'
expect 0 '' "$heddle" sweep study.json -o results --csv results/table.csv --json -
# a folder that is a file, or has what it should not
expect 1 'Not a directory' "$heddle" sweep study.json -o core.json
expect 1 'No such file' "$heddle" sweep study.json -o nowhere/results
mkdir -p odd/results.sqlite
: >odd/lock
expect 1 'odd/results.sqlite' "$heddle" sweep study.json -o odd

expect 0 '' "$heddle" schema --study
for member in study name doc netlists traces set together designs limits instances file import options one_sm files max_cycles \
	kernels strict keep_going from to step times seconds megabytes; do
	grep -q "\"$member\":" out || fail "the schema of studies lacks $member"
done

# ---- the same study, the same bytes ----
study '"set": { "load_store.l1d_latency": { "from": 5, "to": 15, "step": 5 }, "ibuffer.entries": [2, 4] }'
expect 0 'study: 12 points, 12 run now: 12 finished' "$heddle" sweep study.json -o a --jobs 1 --csv a.csv --json a.out
expect 0 'study: 12 points, 12 run now: 12 finished' "$heddle" sweep study.json -o b --jobs 5 --csv b.csv --json b.out
for f in points.json statistics.json results.sqlite; do cmp "a/$f" "b/$f" || fail "$f depends on --jobs"; done
cmp a.csv b.csv || fail 'the table depends on --jobs'
for column in 'cycles \[cycles\]' 'warp_instructions \[warp instructions\]' 'core.mhz \[MHz\]'; do
	head -n 1 a.csv | grep -q ",$column," || { fail "no column '$column'"; head -n 1 a.csv | tr , '\n' | grep "${column%% *}"; }
done
cmp a.out b.out || fail 'the JSON depends on --jobs'
test "$(wc -l <a.csv)" -eq 25 || fail 'not 12 points with one kernel each in the table'
test -z "$(ls a/tmp)" || fail 'something is left in tmp'
grep -q '"cycles": {"unit": "cycles"' a.out || fail 'the JSON has no units'

# ---- a dry run leaves nothing: of a new study, of another one in a folder of results ----
ls -lR --time-style=full-iso a >before
printf '{ "study": 1, "netlists": ["core.json", { "import": "%s/tests/import/volta.config", "name": "made" }],
	"traces": ["traces/tiny/kernelslist.g"] }\n' "$src" >dry.json
mkdir scratch
for folder in a fresh; do
	TMPDIR=$PWD/scratch expect 0 'dry: 2 points, 2 to run' "$heddle" sweep dry.json -o $folder --dry-run
done
ls -lR --time-style=full-iso a | cmp before - || fail 'a dry run changed a folder'
test ! -e fresh || fail 'a dry run made a folder'
test -z "$(ls scratch)" || fail 'a dry run left netlists'
cp traces/tiny/kernel-1.traceg long.traceg
truncate -s 64G long.traceg # whose hash takes its time; it begins as a trace, else none is made
sed 's/traces\/tiny\/kernelslist.g/long.traceg/' dry.json >long.json
TMPDIR=$PWD/scratch "$heddle" sweep long.json -o fresh --dry-run 2>/dev/null &
until_true sh -c 'ls scratch/*/netlists/made.json 2>/dev/null'
kill -TERM $!
wait $!
test -z "$(ls scratch)" || fail 'a dry run that was ended left netlists'
rm long.traceg
# it lists what is done as a run would find it
expect 0 '2 run now' "$heddle" sweep dry.json -o fresh
expect 0 'dry: 2 points, 0 to run' "$heddle" sweep dry.json -o fresh --dry-run
expect 1 'Not a directory' "$heddle" sweep dry.json -o dry.json --dry-run

# ---- what runs again ----
# again N: that many points run now
again()
{
	expect 0 "12 points, $1 run now: 12 finished" "$heddle" sweep study.json -o a
}
again 0
cmp a/results.sqlite b/results.sqlite || fail 'another database without a change'
rm a/lock
again 0 # it is made again
sed 's/"doc": ".*"/"doc": "another"/; s/^  /    /' core.json >new && mv new core.json
again 0 # layout and documentation
sed 's/"mhz": 1000/"mhz": 1001/' core.json >new && mv new core.json
again 12
sed 's/"mhz": 1001/"mhz": 1000/' core.json >new && mv new core.json
again 0
# the same netlist from another file, then with another value in that
mkdir moved
cp core.json moved/base.json
printf '{ "heddle": 1, "name": "tutorial", "extends": "moved/base.json" }\n' >core.json
again 0
sed -i 's/"mhz": 1000/"mhz": 1002/' moved/base.json
again 12
mv moved/base.json core.json
sed -i 's/"mhz": 1002/"mhz": 1000/' core.json
again 0
touch traces/tiny/kernel-1.traceg
again 0
echo '#' >>traces/tiny/kernel-1.traceg
again 6
study '"set": { "load_store.l1d_latency": { "from": 5, "to": 15, "step": 5 }, "ibuffer.entries": [2, 4] }, "instances": "each"'
again 12

# a list of any name, also compressed; the listing beside a kernel; tables that an index names in other folders
sed 's/^kernel/ &/' traces/tiny/kernelslist.g >traces/tiny/some.txt
xz -k traces/tiny/some.txt
mkdir -p own/tables
cp "$src"/netlists/opcodes/*.json own
chmod u+w own/*
mv own/volta.json own/tables
sed -i 's/"volta.json"/"tables\/volta.json"/' own/index.json
sed -i 's/"prefixes.json"/"..\/prefixes.json"/' own/tables/volta.json
echo '{ "study": 1, "netlists": ["core.json"], "set": { "trace.opcodes": "own" }, "traces": [
	"traces/tiny/some.txt", { "files": "traces/tiny/some.txt.xz", "name": "compressed" }] }' >study.json
# changed N: that many points run now
changed()
{
	expect 0 "2 points, $1 run now: 2 finished" "$heddle" sweep study.json -o inputs
}
changed 2
changed 0
sed -i 's/ FADD / FMUL /' traces/tiny/kernel-1.traceg
changed 2
echo '{ "heddle_sass": 1, "kernel": "tiny", "binary_version": 70, "instructions": [] }' >traces/tiny/kernel-1.sass.json
changed 2
echo >>own/tables/volta.json
changed 2
echo >>own/prefixes.json
changed 2
changed 0
# a compressed list is read as it is decoded: it takes no room elsewhere, and one line of 200 MB none either
{ yes '# a comment' | head -n 10000; cat traces/tiny/some.txt; } | xz >long.xz && mv long.xz traces/tiny/some.txt.xz
changed 1
expect 0 '2 points, 0 to run' sh -c "ulimit -f 8; exec '$heddle' sweep study.json -o inputs --dry-run"
head -c 200000000 /dev/zero | xz -0 >traces/tiny/some.txt.xz
expect 0 '2 points, 1 to run' sh -c "ulimit -f 8; exec '$heddle' sweep study.json -o inputs --dry-run"
# a file that names itself again and again is read once
seq 4000 | sed 's/.*/"more.json",/; $s/,//; 1s/^/[/; $s/$/]/' >own/more.json
expect 0 '' timeout 60 "$heddle" sweep study.json -o inputs --dry-run
rm traces/tiny/some.* traces/tiny/kernel-1.sass.json

# what counts is the netlist with the values of each point: some are the same with another expression
# formula TEXT N: how many entries a buffer has; that many points run
formula()
{
	sed 's/"heddle": 1,/& "params": { "depth": 2 },/
		s/{ "module": "ibuffer" }/{ "module": "ibuffer", "params": { "entries": "$'"$1"'" } }/' core.json >formula.json
	echo '{ "study": 1, "netlists": ["formula.json"], "set": { "depth": { "from": 1, "to": 4, "step": 1 } },
		"traces": ["traces/tiny/kernelslist.g"] }' >study.json
	expect 0 "4 points, $2 run now: 4 finished" "$heddle" sweep study.json -o formula
}
formula 'depth + 2' 4
formula '2 * depth' 2 # 2 and 8 entries; 4 and 6 were there
formula 'depth + depth' 0

# ---- chunks, as on a cluster ----
study '"set": { "load_store.l1d_latency": { "from": 5, "to": 15, "step": 5 }, "ibuffer.entries": [2, 4] }'
rm -rf traces/tiny b
cp -R "$src/traces/samples/tiny" traces
rm -rf a
expect 0 '12 points, 12 run now' "$heddle" sweep study.json -o a
expect 0 '7 points, 7 run now: 7 finished' "$heddle" sweep study.json -o b --points 6-12
test ! -e b/results.sqlite || fail '--points wrote a database'
expect 0 '12 points, 0 run now: 7 finished, 5 not run' "$heddle" sweep study.json -o b --collect
"$heddle" sweep study.json -o b --points 1-3 -q & "$heddle" sweep study.json -o b --points 4-5 -q & wait
expect 0 '12 points, 0 run now: 12 finished' "$heddle" sweep study.json -o b --collect
cmp a/results.sqlite b/results.sqlite || fail 'chunks make another database'

# ---- results that are not whole ----
for f in $(ls a/points/* | head -2); do head -c 1000 "$f" >half && cp half "$f"; done
: >"$(ls a/points/* | tail -1)"
expect 0 '12 points, 0 run now: 9 finished, 3 not run' "$heddle" sweep study.json -o a --collect
test "$(grep -c '^heddle: a/points/.*: not a whole result, so point [0-9]* is left out' err)" -eq 3 || { fail 'names'; cat err; }
expect 0 '12 points, 3 run now: 12 finished' "$heddle" sweep study.json -o a
cmp a/results.sqlite b/results.sqlite || fail 'results that were cut'
# a bit that flipped in what is known of traces: their hashes are made again
cp -p a/traces.cache known
grep -n '^ *"[0-9a-f]\{32\}"' a/traces.cache | sed 's/:.*//' >hashes
for line in $(cat hashes); do
	sed "$line"'y/0123456789abcdef/1032547698badcfe/' known >a/traces.cache
	expect 0 '12 points, 0 run now: 12 finished' "$heddle" sweep study.json -o a
done
test "$(wc -l <hashes)" -ge 2 || fail 'no hash in traces.cache'
# that of another point
cp $(ls -d a/points/* | head -2)
expect 0 '12 points, 1 run now: 12 finished' "$heddle" sweep study.json -o a
cmp a/results.sqlite b/results.sqlite || fail 'a result in the place of another'

# ---- energy: columns, the least; what each point would refuse is refused once, before any runs ----
cat >study.json <<END
{ "study": 1, "netlists": ["volta_sm.json"], "set": { "sub_cores": [2, 4] }, "energy": "table.json",
  "traces": ["$src/traces/samples/gather/kernelslist.g"] }
END
echo '{ "heddle_energy": 1, "name": "mine", "extends": "base.json", "evens": [] }' >table.json
echo '{ "heddle_energy": 1, "extends": "accelwattch_volta.json" }' >base.json
expect 2 "table.json:1:63: error: unknown member 'evens'" "$heddle" sweep study.json -o energy
test ! -e energy/points.json || fail 'points of a study that is refused'
sed -i 's/, "evens": \[\]//' table.json
expect 2 "'energy' and --results-cache: expected one of them" "$heddle" sweep study.json -o energy --results-cache cache
expect 0 '2 points, 2 run now: 2 finished' "$heddle" sweep study.json -o energy --csv energy.csv
cp out summary
python3 - <<'END' || fail 'energy in the results'
import csv, re, sqlite3
rows = [r for r in csv.DictReader(open("energy.csv")) if r["kernel"] == "0"]
joules, product = ([float(r[c]) for r in rows] for c in ("energy.joules", "energy.joule_seconds"))
db = sqlite3.connect("energy/results.sqlite")
assert db.execute("SELECT joules, joule_seconds FROM point ORDER BY point").fetchall() == list(zip(joules, product))
assert len(set(joules)) == 2 and min(joules) > 0
for kernel, in db.execute("SELECT sum(joules) FROM kernel GROUP BY point ORDER BY point"):
    assert abs(kernel / joules.pop(0) - 1) < 1e-9
least = [float(r["energy.joules"]) for r in rows].index(min(float(r["energy.joules"]) for r in rows)) + 1
assert "; least energy: point %d, %.4g J; least energy x delay: point %d, %.4g J s\n" % (
    least, float(rows[least - 1]["energy.joules"]), product.index(min(product)) + 1, min(product)) in open("summary").read()
END
echo '{ "heddle_energy": 1, "extends": "accelwattch_volta.json", "volts": 2 }' >base.json
expect 0 '2 points, 2 run now' "$heddle" sweep study.json -o energy # what the table extends has changed
cat >study.json <<END
{ "study": 1, "netlists": ["volta_sm.json"], "split": "kernels",
  "traces": [{ "files": "$src/traces/samples/gather/kernelslist.g", "max_cycles": 100 }] }
END
expect 2 "study.json:2:14: error: 'max_cycles' and 'split': expected one of them" "$heddle" sweep study.json -o none

done_testing
