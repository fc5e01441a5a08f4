#!/bin/sh
# kanata.sh - heddle dump --to kanata: valid files, with the same content as the text
# SPDX-License-Identifier: BSD-2-Clause
#
# Needs python3 for an independent reader of the format; zstd for packed output.
. "${srcdir:-.}/tests/lib.sh"

command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
check="$python $src/tests/dump/kanata_check.py"

# both FROM CONDITION...: the same rows as a diagram and as text
both()
{
	from=$1
	shift
	expect 0 '' "$heddle" dump "$from" --to kanata -o picture "$@"
	expect 0 '' "$heddle" dump "$from" --to text -o text "$@"
	expect 0 ' finished' $check picture text
}

while read -r core trace; do
	"$heddle" run -q --dump a.hdump "$src/netlists/$core.json" \
		"$src/traces/samples/$trace/kernelslist.g" || fail "$core $trace"
	both a.hdump
	cp picture all
done <<-END
	volta_sm tiny
	tutorial tiny
	turing_sm hist
	volta_sm_gto gather
	ampere_sm softcopy
	volta_sm reduce
END
grep -q '^W	' all || fail 'no dependencies'
for word in 'S	[0-9]*	0	BU' 'S	[0-9]*	0	X:INT' 'S	[0-9]*	0	X:MEM' 'S	[0-9]*	1	sbR[0-9]' \
	'S	[0-9]*	1	ready [A-Z]' 'L	[0-9]*	0	w[0-9]* 0x[0-9a-f]*: LDG' \
	'L	[0-9]*	1	kernel 2 '; do
	grep -q "^$word" all || fail "no line '$word'"
done

# ---- work that goes on without an instruction: copies and products have lines of their own ----
expect 0 '' "$heddle" trace assemble "$src/traces/samples/hopper/ring.hasm" -o ring
"$heddle" run -q --dump bulk.hdump "$src/netlists/h100_sm.json" ring/kernelslist.g || fail 'h100_sm'
both bulk.hdump
grep -q '^S	[0-9]*	0	copy$' picture || fail 'no copies'
grep -q '^S	[0-9]*	0	operation$' picture || fail 'no products'
grep -q '^L	[0-9]*	0	tma w' picture || fail 'copies have no place'
both bulk.hdump --between 1000-2000

# ---- a part of it ----
both a.hdump --warp 3,7-9
both a.hdump --between 200-400
both a.hdump --kernel 2
grep -q '^I' picture || fail 'the second kernel has no instructions'
both a.hdump --pc 0x0-0x40
both a.hdump --between 900000-900001
expect 0 '0 instructions' $check picture

# ---- the same again; a run that was stopped; a file that was cut ----
expect 0 '' "$heddle" dump a.hdump --to kanata -o again
cmp again all || fail 'another diagram of the same file'
expect 0 '' "$heddle" dump a.hdump --to kanata -o -
cmp out all || fail 'another diagram on standard output'
"$heddle" run -q --max-cycles 300 --dump short.hdump "$src/netlists/volta_sm.json" \
	"$src/traces/samples/reduce/kernelslist.g" 2>/dev/null
both short.hdump
grep -q '^R	[0-9]*	[0-9]*	1$' picture || fail 'everything has ended'
size=$(wc -c <a.hdump)
for part in 2 3 5 7 9; do
	head -c $((size * part / 10)) a.hdump >cut.hdump
	try "$heddle" dump cut.hdump --to kanata -o cut
	test "$status" -le 2 || fail "cut to $part tenths: exit status $status"
	test ! -s cut || $check cut >/dev/null || fail "cut to $part tenths"
done

# ---- what was fetched in vain is flushed ----
"$heddle" run -q --set fetch.follow=sequential --dump path.hdump "$src/netlists/ampere_sm.json" \
	"$src/traces/samples/reduce/kernelslist.g" || fail 'sequential fetch'
both path.hdump
flushed=$(grep -c 'issue.[0-3].:flushed=' text)
test "$flushed" -gt 500 || fail "only $flushed instructions are flushed"
test "$(grep -c '^R	[0-9]*	[0-9]*	1$' picture)" -eq "$flushed" || fail 'others are drawn as flushed'
grep -q '^L	[0-9]*	0	w[0-9]* 0x[0-9a-f]*: never executed' picture ||
	fail 'nothing was fetched that is never executed'

# ---- packed ----
expect 0 '' "$heddle" dump a.hdump --to kanata -o all.zst
if command -v zstd >/dev/null; then
	zstd -qdc all.zst | cmp - all || fail 'zstd gives another file'
fi
if test -w /dev/full; then
	expect 1 'No space left' "$heddle" dump a.hdump --to kanata -o /dev/full
fi
done_testing
