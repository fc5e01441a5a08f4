#!/bin/sh
# damage.sh - dumps that are cut, changed or left by a killed run are read up to the damage
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

TIMES=${HEDDLE_ALL:+200}
TIMES=${TIMES:-100}
volta=$src/netlists/volta_sm.json
expect 0 '' "$heddle" run -q "$volta" "$src/traces/samples/reduce/kernelslist.g" --dump run.hdump
"$heddle" dump run.hdump --to text >run.txt
sort run.txt >all
cut -d ' ' -f 1-4 run.txt | sort >all.short
size=$(wc -c <run.hdump)
seed=20

# A number below $1, in $random; the same ones each time.
draw()
{
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	random=$((seed / 8 % $1))
}

# read_it NAME: reads it, and checks its messages.
read_it()
{
	try "$heddle" dump "$1" --to text
	case $status in
	0) cmp -s out run.txt || fail "$2: exit status 0, and something is missing" ;;
	1) grep -q "heddle: $1: .*byte [0-9]" err || fail "$2: the message has no place: $(cat err)" ;;
	2)
		test ! -s out || fail "$2: exit status 2, and something was printed"
		grep -q "heddle: $1: " err || fail "$2: no message"
		;;
	*) fail "$2: exit status $status: $(cat err)" ;;
	esac
}

# ---- versions of the format ----
test "$(od -An -tu4 -j 8 -N 4 run.hdump)" -eq 6 || fail "another version than 6 is written"
version()
{
	cp run.hdump version.hdump
	printf "\\$1" | dd of=version.hdump bs=1 seek=8 conv=notrunc 2>/dev/null
}
# before version 5 the cycle of a transaction was that of its first step; this file has that of its end
awk '$3 == "inst" || $3 == "mem" { $1 += $2 } { $1 = $1; print }' run.txt | sort >later.txt
for v in 003 004; do # version 3 has only less than version 4
	version $v
	expect 0 '' "$heddle" dump version.hdump --to text
	awk '{ $1 = $1; print }' out | sort | cmp -s - later.txt || fail "version $v is read otherwise"
done
# as version 4 was written: first cycle and length of each instruction
old=$src/tests/dump/versions/4.hdump
test "$(od -An -tu4 -j 8 -N 4 "$old")" -eq 4 || fail "$old has another version"
expect 0 '' "$heddle" dump "$old" --event inst --to text
test "$(awk '{ print $1 "+" $2 }' out | xargs)" = "1+7 1+9 3+9 3+16 12+38 12+15 20+38 20+15 28+37 28+44 65+11 65+13" || fail "version 4 is read otherwise: $(cat out)"
# and as version 5 was
old=$src/tests/dump/versions/5.hdump
test "$(od -An -tu4 -j 8 -N 4 "$old")" -eq 5 || fail "$old has another version"
expect 0 '' "$heddle" run -q "$src/netlists/tutorial.json" "$src/traces/samples/tiny/kernelslist.g" --dump tutorial.hdump
"$heddle" dump tutorial.hdump --to text >tutorial.txt
expect 0 '' "$heddle" dump "$old" --to text
for f in out tutorial.txt; do # later slots have their kernel themselves
	sed '/ issue.slot /s/ kernel=[0-9]*//' "$f" >"$f.slots"
done
cmp -s out.slots tutorial.txt.slots || fail "version 5 is read otherwise"
# and as the present version is: fuzzing begins with a file of each
new=$src/tests/dump/versions/6.hdump
test "$(od -An -tu4 -j 8 -N 4 "$new")" -eq "$(od -An -tu4 -j 8 -N 4 run.hdump)" || fail "$new has another version than is written"
expect 0 '' "$heddle" run -q --set sub_cores=2 --dump-sample 50 --dump-filter 'event=*' "$src/netlists/volta_sm.json" \
	"$src/traces/samples/tiny/kernelslist.g" --dump two.hdump
"$heddle" dump two.hdump --to text >two.txt
expect 0 '' "$heddle" dump "$new" --to text
cmp -s out two.txt || fail "version 6 is read otherwise"
for v in 002 007; do
	version $v
	expect 2 "format version ${v#00}; expected 3 to 6" "$heddle" dump version.hdump --to text
done

# ---- cut ----
partly=0
i=0
while test $i -lt $TIMES; do
	draw "$size"
	head -c "$random" run.hdump >cut.hdump
	read_it cut.hdump "cut at $random"
	sort out | comm -13 all - | grep -q . && fail "cut at $random: rows that are not there"
	test $status -ne 1 -o ! -s out || partly=$((partly + 1))
	i=$((i + 1))
done
test $partly -gt 0 || fail "no cut left some rows"

# ---- changed ----
partly=0
i=0
while test $i -lt $TIMES; do
	draw "$size"
	at=$random
	draw 255
	byte=$(od -An -tu1 -j "$at" -N 1 run.hdump)
	cp run.hdump bad.hdump
	# shellcheck disable=SC2059 # an octal number
	printf "\\$(printf %o $(((byte + 1 + random) % 256)))" \
		| dd of=bad.hdump bs=1 seek="$at" conv=notrunc 2>/dev/null
	read_it bad.hdump "byte $at changed"
	# names may be lost, but no row may be added
	cut -d ' ' -f 1-4 out | sort | comm -13 all.short - | grep -q . \
		&& fail "byte $at changed: rows that are not there"
	test $status -ne 1 -o ! -s out || partly=$((partly + 1))
	i=$((i + 1))
done
test $partly -gt 0 || fail "no change left some rows"

# ---- formats of the rest ----
head -c $((size - 6000)) run.hdump >cut.hdump # without the block with the end of the run
expect 1 'byte' "$heddle" dump cut.hdump
expect 1 'byte' "$heddle" dump cut.hdump --head
expect 1 'byte' "$heddle" dump cut.hdump --to sqlite -o cut.db
test -s cut.db || fail "no database of the readable part"
expect 1 'byte' "$heddle" dump cut.hdump --to csv -o cut.csv
test -s cut.csv/inst.csv || fail "no csv of the readable part"

# ---- killed ----
cp "$src/traces/samples/matmul/kernel-1.traceg.xz" .
yes kernel-1.traceg.xz | head -n 20000 >kernelslist.g # minutes: more than can end before it is killed
"$heddle" run -q "$volta" kernelslist.g --dump killed.hdump &
pid=$!
until_true sh -c 'test "$(cat killed.hdump.*.part | wc -c)" -ge 400000'
kill -9 $pid 2>/dev/null || fail "the run ended too early"
wait $pid 2>/dev/null
test -e killed.hdump && fail "the dump has its name although it is not complete"
mv killed.hdump.*.part killed.hdump
expect 1 'before its end was written' "$heddle" dump killed.hdump --to text
test "$(grep -c ' inst ' out)" -ge 15000 || fail "hardly anything is left of the killed run"
expect 1 'its end is missing' "$heddle" dump killed.hdump
done_testing
