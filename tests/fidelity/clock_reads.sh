#!/bin/sh
# clock_reads.sh - statistics list which warp of which block read the clock where and when
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

core=$src/netlists/a100_sm.json
cat >clocks.hasm <<'END'
kernel first grid=2,3 block=256
[B------:R-:W-:-:S02] MOV R1, 0x1
[B------:R-:W-:-:S01] CS2R.32 R11, SR_CLOCKLO
[B------:R-:W0:-:S02] S2R R12, SR_CLOCKLO
[B------:R-:W-:-:S05] EXIT
kernel second block=40
warps 1
[B------:R-:W-:-:S01] CS2R.32 R11, SR_CLOCKLO
warps *
[B------:R-:W-:-:S05] EXIT
END
expect 0 '' "$heddle" trace assemble clocks.hasm -o clocks
# the blocks of the file in another order: their numbers are those of the grid
awk '/^#BEGIN_TB/ { n++ } { print > ("part" n) }' clocks/kernel-1.traceg
cat part part1 part2 part6 part4 part5 part3 >clocks/kernel-1.traceg

# rows FILE: kernel, block, warp, pc and cycle of each clock read
rows()
{
	awk '/"clock_reads": \[/ { on = 1; next }
		on && /^ \]/ { exit }
		on && /"(kernel|block|warp|pc|cycle)":/ { sub(/,/, ""); row = row == "" ? $2 : row " " $2 }
		on && /"cycle":/ { print row; row = "" }' "$1"
}

expect 0 '' "$heddle" run -q --stats s.json "$core" clocks/kernelslist.g
rows s.json >rows
test "$(wc -l <rows)" -eq 97 || fail "$(wc -l <rows) clock reads, expected 6 * 8 * 2 + 1"
cut -d ' ' -f 1-4 rows | sort | uniq -d >twice
test ! -s twice || fail "twice: $(cat twice)"
cut -d ' ' -f 1-2 rows | sort | uniq -c | awk '{ print $1, $2, $3 }' >blocks
printf '%s\n' '16 1 0' '16 1 1' '16 1 2' '16 1 3' '16 1 4' '16 1 5' '1 2 0' >expected
cmp -s expected blocks || fail "$(cat blocks)"
tail -n 1 rows | grep -q '^2 0 1 0 ' || fail "the last is $(tail -n 1 rows)"
# the difference of two reads of a warp: CS2R, S2R on other units, stall 1
awk '{ at[$1, $2, $3, $4] = $5 } END { print at[1, 0, 7, 32] - at[1, 0, 7, 16] }' rows >least
test "$(cat least)" -ge 1 || fail "S2R is $(cat least) cycles after CS2R"

# in order of time, whatever the order of evaluation
for option in --no-sleep --shuffle=1 --shuffle=2 --shuffle=3; do
	expect 0 '' "$heddle" run -q $option --stats other.json "$core" clocks/kernelslist.g
	cmp -s s.json other.json || fail "$option changes the statistics"
done

# each stage lists the first; all are counted
expect 0 '' "$heddle" run -q --set issue.clock_rows=3 --stats few.json "$core" clocks/kernelslist.g
rows few.json >few
test "$(wc -l <few)" -eq 12 || fail "$(wc -l <few) rows of four stages with 3 each"
grep -Fxv -f rows few && fail "other rows"
sed -n 's/^   "clock_reads": \([0-9]*\),*$/\1/p' few.json | awk '{ n += $1 } END { exit n != 97 }' || fail "not all are counted"
expect 0 '' "$heddle" run -q --set issue.clock_rows=0 --stats none.json "$core" clocks/kernelslist.g
rows none.json >none
test ! -s none || fail "rows although there should be none"

done_testing
