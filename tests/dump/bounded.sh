#!/bin/sh
# bounded.sh - the memory of a run, its dump, and everything made of a dump does not grow with the run
# SPDX-License-Identifier: BSD-2-Clause
#
# Two traces, one four times as long as the other.  HEDDLE_ALL=1: 8 million instructions, all formats.
. "${srcdir:-.}/tests/lib.sh"
! grep -q enable-sanitizers "$build/config.log" 2>/dev/null ||
	{ echo "SKIP: sanitizers take memory of their own"; exit 77; }

peak=$build/tests/dump/peak
small=50000 formats='kanata perfetto vcd'
test -z "${HEDDLE_ALL:-}" || small=500000 formats="$formats text csv sqlite"
large=$((4 * small))
MOST=65536 # KiB, of anything

for n in $small $large; do
	"$peak" trace $n >$n.traceg || fail "no trace of $n instructions"
done

# bounded NAME COMMAND...: with @ for the number of instructions; its memory for both
bounded()
{
	what=$1
	shift
	peaks "$small" "$large" "$@" || { fail "$what"; cat err; return; }
	printf '%-16s %6d KiB, %6d KiB for four times as much\n' "$what" "$least" "$most"
	# the blocks that are open at a time differ
	test "$most" -le $((least * 11 / 10 + 4096)) || fail "$what: memory grows with the run"
	test "$most" -le $MOST || fail "$what: takes more than $MOST KiB"
}

core=$src/netlists/volta_sm.json
bounded run "$heddle" run -q "$core" @.traceg
bounded 'run --dump' "$heddle" run -q "$core" @.traceg --dump @.hdump
bounded info "$heddle" dump @.hdump
bounded stalls "$heddle" dump @.hdump --stalls
bounded 'stalls by pc' "$heddle" dump @.hdump --stalls --by pc
bounded list "$heddle" dump @.hdump --warp 3 --between 400-450
for format in $formats; do
	bounded $format "$heddle" dump @.hdump --to $format -o out
	rm -rf out
done
bounded 'sqlite --steps' "$heddle" dump @.hdump --to sqlite --steps -o out
bounded report "$heddle" report @.hdump --detail 50000 -o @.html

# ---- a trace that is made while it is replayed: no file of it is as long ----
mkfifo pipe.traceg
for n in $small $large; do
	"$peak" trace $n >pipe.traceg &
	"$peak" run "$heddle" run -q "$core" pipe.traceg --stats pipe.json --dump pipe.hdump >$n.kib || fail "a pipe"
	wait
done
test "$(cat $large.kib)" -le $(($(cat $small.kib) * 11 / 10 + 4096)) || fail "a pipe: memory grows with the run"
"$heddle" run -q "$core" $large.traceg --stats file.json || fail "the same trace as a file"
sed 's/pipe.traceg/'$large.traceg/ pipe.json | cmp - file.json || fail "a pipe gives other figures than a file"
"$heddle" dump pipe.hdump >/dev/null || fail "the dump of a pipe"

# ---- the page ----
# It holds figures of the whole run and the timelines of a window.
"$heddle" report $large.hdump -o page.html || fail "no page"
test "$(wc -c <page.html)" -le 20971520 || fail "a page of more than 20 MiB"
least=$(wc -c <$small.html) most=$(wc -c <$large.html)
test "$most" -le $((least * 3 / 2)) || fail "the page grows with the run: $least, $most bytes"
done_testing
