#!/bin/sh
# convert.sh - heddle dump: formats, selections, refused input; a second reader
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

volta=$src/netlists/volta_sm.json
expect 0 '' "$heddle" run -q "$volta" "$src/traces/samples/reduce/kernelslist.g" --dump run.hdump
expect 0 '' "$heddle" run -q "$volta" "$src/traces/samples/hist/kernelslist.g" --dump all.hdump \
	--dump-filter 'event=*' --dump-sample 50
expect 0 '' "$heddle" dump run.hdump --to text -o run.txt

# rows TABLE FILE: number of rows according to --info
rows()
{
	"$heddle" dump "$2" | awk -v t="$1" '$1 == t { print $2 }'
}

# ---- lists ----
expect 0 'core       volta_sm' "$heddle" dump run.hdump
expect 0 'run        finished after' "$heddle" dump --info run.hdump
expect 0 'cycle +cycles' "$heddle" dump run.hdump --head=5
test "$(grep -c '#' out)" -eq 5 || fail "--head=5 does not give five"
expect 0 'waits for a register, R' "$heddle" dump run.hdump --warp 2
grep '#' out | grep -qv 'warp 2 ' && fail "--warp 2 gives others"
expect 0 '#' "$heddle" dump run.hdump --pc 0x60
grep -q ' mem ' out && fail "a list of instructions has requests"
expect 0 ' mem ' "$heddle" dump run.hdump --event mem --head=5
test "$(grep -c ' mem ' out)" -eq 5 || fail "--event mem --head=5 does not give five"
expect 0 'all issue slots' "$heddle" dump run.hdump --stalls
for by in pc warp unit scheduler reason; do
	expect 0 'all issue slots' "$heddle" dump run.hdump --stalls --by $by --top 3
done

expect 0 '#' "$heddle" dump run.hdump --pc 0x10
expect 0 'issue.slot issue[0]' "$heddle" dump run.hdump --event issue.slot --head=2
test "$(wc -l <out)" -eq 2 || fail "--head=2 does not give two lines"
test "$("$heddle" dump run.hdump --to text --head=3 | wc -l)" -eq 3 || fail "--to text --head=3"

# ---- selections are parts of the whole ----
for s in '--warp 3' '--between 500-600' '--pc 0x100-0x1f0' '--kernel 2' '--event inst' \
	'--instance issue[1]' '--filter reg=4,6' '--event issue.slot,counters --between 100-'; do
	# shellcheck disable=SC2086 # a list of words
	expect 0 '' "$heddle" dump run.hdump --to text $s
	test -s out && cmp -s out run.txt && fail "$s selects nothing or everything"
	sort out >part
	sort run.txt | comm -13 - part | head -1 | grep . && fail "$s gives rows that are not in the dump"
done
awk '$3 == "inst" && $1 <= 600 && $1 + $2 > 500' run.txt >want
"$heddle" dump run.hdump --to text --event inst --between 500-600 | cmp - want || fail "--between"
awk '$3 == "inst" && / warp=3 /' run.txt >want
"$heddle" dump run.hdump --to text --event inst --warp 3 | cmp - want || fail "--warp"

# ---- formats ----
for f in run all; do
	"$heddle" dump $f.hdump --to text -o $f.txt
	"$heddle" dump $f.hdump --to csv -o $f.csv
	for t in $(awk '{ print $3 }' $f.txt | sort -u); do
		n=$(awk -v t="$t" '$3 == t' $f.txt | wc -l)
		test "$n" -eq "$(rows "$t" $f.hdump)" || fail "$f: $t has other rows in text"
		test "$n" -eq "$(($(wc -l <"$f.csv/$t.csv") - 1))" || fail "$f: $t has other rows in csv"
		"$heddle" dump $f.hdump --to csv --table "$t" | cmp - "$f.csv/$t.csv" || fail "--table $t"
	done
	awk '$1 < last { exit 1 } { last = $1 }' $f.txt || fail "$f: text is not in order"
	expect 0 '' "$heddle" dump $f.hdump --to sqlite --steps -o $f.db
	if command -v sqlite3 >/dev/null; then
		test "$(sqlite3 $f.db 'PRAGMA integrity_check; SELECT count(*) FROM inst
			UNION ALL SELECT sum(n) FROM slot
			UNION ALL SELECT sum(cycles) FROM step' | xargs)" = "ok $(awk '
			$3 == "inst" { i++; c += $2 } $3 == "mem" { c += $2 } $3 == "issue.slot" { s += $2 }
			END { print i, s, c }' $f.txt)" || fail "$f: the database has other rows"
	fi
	if command -v python3 >/dev/null; then
		try $python "$src/tests/dump/reader.py" $f.hdump
		test "$status" -eq 77 || cmp out $f.txt || fail "$f: the other reader"
		$python -c 'import csv, sys
for f in sys.argv[1:]:
    assert len(set(map(len, csv.reader(open(f, newline=""))))) == 1, f' $f.csv/*.csv || fail csv
	else
		echo "no python3: not compared with the other reader"
	fi
done

# ---- the same run, the same bytes ----
expect 0 '' "$heddle" run -q "$volta" "$src/traces/samples/reduce/kernelslist.g" --dump again.hdump --shuffle 5
"$heddle" dump again.hdump --to text | cmp - run.txt || fail "--shuffle"

# ---- outputs ----
expect 0 '' "$heddle" dump run.hdump --event counters --to text -o run.txt
test "$(wc -l <run.txt)" -eq "$(rows counters run.hdump)" || fail "the output is not replaced"
echo mine >run.csv/mine
expect 0 '' "$heddle" dump run.hdump --to csv -o run.csv
test -f run.csv/mine || fail "a file of others was removed"
# the folder takes the place of the old one as a whole, where it can; else file by file
chmod 750 run.csv
before=$(ls -di run.csv)
echo old >run.csv/inst.csv
expect 0 '' "$heddle" dump run.hdump --to csv -o run.csv
test "$(ls -di run.csv)" != "$before" || fail "the files of a folder are replaced one by one"
test "$(ls -ld run.csv | cut -c 1-10)" = drwxr-x--- || fail "the folder has other permissions"
test "$(cat run.csv/mine)" = mine || fail "a file of others was not kept"
cp -R run.csv kept.csv
mkdir run.csv/folder
echo old >run.csv/inst.csv
expect 0 '' "$heddle" dump run.hdump --to csv -o run.csv
rmdir run.csv/folder || fail "a folder of others was not kept"
diff -r run.csv kept.csv || fail "another result beside a folder of others"
echo old >run.csv/inst.csv
(cd run.csv && expect 0 '' "$heddle" dump ../run.hdump --to csv -o . && rm -f out err && test -f inst.csv) ||
	fail "the working folder"
diff -r run.csv kept.csv || fail "another result in the working folder"
test -z "$(ls -d ./*.part 2>/dev/null)" || fail "a folder is left over"
mkdir -p closed && chmod 555 closed
if ! touch closed/x 2>/dev/null; then
	expect 1 'Permission denied' "$heddle" dump run.hdump --to text -o closed/out
	expect 1 'closed/out' "$heddle" dump run.hdump --to sqlite -o closed/out
	expect 1 'closed/out' "$heddle" dump run.hdump --to csv -o closed/out
fi
expect 1 'No such file or directory' "$heddle" dump run.hdump --to text -o nowhere/out
test ! -c /dev/full || expect 1 'No space left' "$heddle" dump run.hdump --to text -o /dev/full
# what a dump names does not control the terminal: here the input, in characters of C0 and of C1
odd=$(printf 'k\033[31m\302\2333m.traceg')
cp "$src/traces/samples/tiny/kernel-1.traceg" "$odd"
expect 0 '' "$heddle" run -q "$src/netlists/volta_sm.json" "$odd" --dump odd.hdump
expect 0 'input      k?[31m?3m.traceg' "$heddle" dump odd.hdump --info
mkfifo pipe
for format in sqlite csv; do # a pipe is not replaced by a file
	expect 1 'not a regular file' "$heddle" dump run.hdump --to $format -o pipe
	test -p pipe || fail "--to $format has replaced a pipe"
done
expect 2 'expected a file' "$heddle" dump pipe # and does not wait for a writer
find . -name '*.part' | grep . && fail "an unfinished file is left"

# ---- refused input ----
expect 2 'expected the name of a DUMP' "$heddle" dump
expect 2 "unexpected argument 'y'; expected one DUMP" "$heddle" dump x y
expect 2 "unknown format 'xml'; expected one of" "$heddle" dump run.hdump --to xml
expect 2 'No such file' "$heddle" dump none.hdump
expect 2 'Is a directory' "$heddle" dump .
expect 2 'there is no kernel 0; expected their numbers in the list, from 1' "$heddle" dump run.hdump --kernel=0
expect 2 'no kernel has such a number; the last one is ' "$heddle" dump run.hdump --stalls --kernel=9
expect 2 "not a dump; expected a file that 'heddle run --dump' has written" "$heddle" dump "$volta"
: >empty
expect 2 'not a dump' "$heddle" dump empty
expect 2 "no table has a field 'wrap'" "$heddle" dump run.hdump --filter wrap=1
expect 2 'no table has such a name' "$heddle" dump run.hdump --event nothing
expect 2 'no instance has such a path' "$heddle" dump run.hdump --instance absent
expect 2 "'x' is not a range" "$heddle" dump run.hdump --warp x
expect 2 "--head: '0' is not a number from 1" "$heddle" dump run.hdump --head=0
expect 2 'expected pc, line, warp, unit, scheduler or reason' "$heddle" dump run.hdump --by colour
expect 2 '--table is only valid with --to csv' "$heddle" dump run.hdump --table inst
expect 2 '--steps is only valid with --to sqlite' "$heddle" dump run.hdump --to text --steps
expect 2 '--top is only valid with --stalls' "$heddle" dump run.hdump --to text --top 3
expect 1 "no table 'none'" "$heddle" dump run.hdump --to csv --table none
expect 2 'expected -o with the name of the output' "$heddle" dump run.hdump --to sqlite
expect 2 'expected one of --to, --info, --stalls and --pipeline' "$heddle" dump run.hdump --info --stalls
expect 0 '' "$heddle" run -q "$volta" "$src/traces/samples/tiny/kernelslist.g" --dump few.hdump \
	--dump-filter event=inst
expect 1 'expected rows in the table issue.slot' "$heddle" dump few.hdump --stalls
# ---- outputs that would replace the input ----
cp run.hdump same.hdump
expect 2 'the output would replace' "$heddle" dump same.hdump --to text -o same.hdump
expect 2 'the output would replace' "$heddle" report same.hdump -o same.hdump
cmp -s run.hdump same.hdump || fail "a dump was replaced by its own output"
done_testing
