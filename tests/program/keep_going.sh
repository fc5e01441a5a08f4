#!/bin/sh
# keep_going.sh - run --keep-going: kernels that cannot run are left out, and the rest is as if they were not in the list
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3 xz

for t in reduce hist gather; do
	for f in "$src/traces/samples/$t"/kernel-*; do
		case $f in
		*.xz) xz -dc "$f" >"kernel-$t.traceg" ;;
		*) cp "$f" "kernel-$t.traceg" ;;
		esac
	done
done
# What can be wrong with a kernel: its file, its head, its block, an instruction in the middle, a class without
# a unit, and a barrier that never opens.
mkdir kernel-folder.traceg
sed '/^-grid dim/d' kernel-reduce.traceg >kernel-head.traceg
sed 's/^-shmem = .*/-shmem = 9999999/' kernel-reduce.traceg >kernel-block.traceg
awk '{ if (/^insts/ && ++n == 40) print "insts = many"; else print }' kernel-hist.traceg >kernel-text.traceg
sed 's/^-block dim = .*/-block dim = (4096,1,1)/' kernel-reduce.traceg >kernel-large.traceg
good='kernel-reduce.traceg kernel-hist.traceg kernel-gather.traceg'
bad='kernel-none.traceg kernel-folder.traceg kernel-head.traceg kernel-block.traceg kernel-text.traceg kernel-large.traceg'

# list FILE NAME...
list()
{
	to=$1
	shift
	printf '%s\n' "$@" >"$to"
}
list good.g $good
list mixed.g kernel-none.traceg kernel-reduce.traceg kernel-folder.traceg kernel-head.traceg kernel-hist.traceg kernel-block.traceg kernel-text.traceg kernel-large.traceg \
	kernel-gather.traceg
netlist=$src/netlists/volta_sm.json

# Each of them ends the run without the option.
for k in $bad; do
	list one.g kernel-reduce.traceg "$k" kernel-hist.traceg
	try "$heddle" run -q "$netlist" one.g
	test "$status" -ne 0 || fail "$k runs"
	expect 1 "heddle: warning: kernel 2, '$k', is left out: " "$heddle" run -q --keep-going "$netlist" one.g
	test "$(wc -l <err)" -eq 1 || { fail "$k: more than one line"; cat err; }
done

# The rest is that of the list without them: statistics but for the rows that say why, events, dump.
same()
{
	name=$1
	shift
	expect 0 '' "$heddle" run -q "$@" --stats good.json --events good.events --dump good.dump "$name" good.g
	expect 1 'is left out' "$heddle" run -q "$@" --keep-going --stats mixed.json --events mixed.events \
		--dump mixed.dump "$name" mixed.g
	test "$(wc -l <err)" -eq 6 || { fail "$name: not six warnings"; cat err; }
	# a kernel is numbered by its place in the list
	sed -E 's/kernel=2( |$)/kernel=1\1/; s/kernel=5( |$)/kernel=2\1/; s/kernel=9( |$)/kernel=3\1/' mixed.events >mixed.numbered
	cmp good.events mixed.numbered || fail "$name: events differ"
	$python - <<'END' || fail "$name: statistics differ"
import json, sys
good, mixed = (json.load(open(f)) for f in ("good.json", "mixed.json"))
left = [r for r in mixed["kernels"] if "failed" in r]
mixed["kernels"] = [r for r in mixed["kernels"] if "failed" not in r]
assert good == mixed
assert [(r["item"], r["file"]) for r in left] == [(1, "kernel-none.traceg"), (3, "kernel-folder.traceg"), (4, "kernel-head.traceg"),
    (6, "kernel-block.traceg"), (7, "kernel-text.traceg"), (8, "kernel-large.traceg")], left
assert all(r["failed"] for r in left)
END
	"$heddle" dump good.dump --to text -o - | grep -v '"launch"\|kernel' >good.text
	"$heddle" dump mixed.dump --to text -o - | grep -v '"launch"\|kernel' >mixed.text
	test "$(wc -l <good.text)" -eq "$(wc -l <mixed.text)" || fail "$name: dumps differ"
}
same "$netlist"
same "$src/netlists/rtx_2060.json" --max-cycles 40000

# A class without a unit, in the middle of a kernel, and kernels chosen by --kernel.
list two.g kernel-gather.traceg kernel-hist.traceg kernel-gather.traceg
expect 1 "kernel 2, 'kernel-hist.traceg', is left out: issue" "$heddle" run -q --keep-going "$src/netlists/pascal_sm.json" two.g
expect 1 "kernel 2, 'kernel-hist.traceg', is left out: issue" \
	"$heddle" run -q --keep-going --kernel 2- "$src/netlists/pascal_sm.json" two.g
expect 0 '' "$heddle" run -q --keep-going --kernel 3 "$src/netlists/pascal_sm.json" two.g

# All of them, none of them, a list that cannot be read.
list all.g $bad
expect 1 "kernel 6, 'kernel-large.traceg', is left out" "$heddle" run -q --keep-going --stats all.json "$netlist" all.g
test "$($python -c 'import json; print(len(json.load(open("all.json"))["kernels"]))')" -eq 6 || fail "not six rows"
expect 0 '' "$heddle" run -q --keep-going --stats same.json "$netlist" good.g
expect 0 '' "$heddle" run -q --stats good.json "$netlist" good.g
cmp same.json good.json || fail "--keep-going changes a list in which nothing is wrong"
try "$heddle" run -q --keep-going "$netlist" nowhere.g
test "$status" -eq 2 && ! grep -q 'left out' err || fail "a list that is not there"

# The name of a file need not be UTF-8; JSON has to be.
bytes=$(printf 'kernel-\377.traceg')
printf 'nothing\n' >"$bytes"
list bytes.g kernel-reduce.traceg "$bytes" kernel-hist.traceg
expect 1 'kernel 2, ' "$heddle" run -q --keep-going --stats bytes.json --summary bytes.line "$netlist" bytes.g
$python -c '
import json
assert [("failed" in k) for k in json.load(open("bytes.json"))["kernels"]] == [False, False, True]
json.load(open("bytes.line"))' || fail "statistics of a kernel whose file has another encoding"

# Where it cannot be done.
cat >concurrent.json <<END
{ "heddle": 1, "extends": "$src/netlists/tutorial.json", "set": { "dispatcher.concurrent": true } }
END
expect 2 '--keep-going expects kernels that run one after another' "$heddle" run -q --keep-going concurrent.json good.g
expect 2 '--keep-going and --monitor: expected one of them' "$heddle" run -q --keep-going --monitor s "$netlist" good.g
expect 2 "--keep-going --events: '-' is not a file" "$heddle" run -q --keep-going --events - "$netlist" good.g
find . -name '*.part' | grep . && fail "something unfinished is left"
done_testing
