#!/bin/sh
# hazards.sh - instructions that come too early for a register are found, and nothing else is
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

core=$src/netlists/a100_sm.json

# found NAME: kind pc register other_pc cycles mend mend_pc count of each place, in one line each
found()
{
	awk '/"hazard_list": \[/ { on = 1; next }
		on && /^ \]/ { exit }
		on && /"(kind|pc|register|other_pc|mend|mend_pc|count)":/ {
			sub(/^[^:]*: /, ""); gsub(/[",]/, ""); gsub(/ /, "_")
			row = row == "" ? $0 : row " " $0
		}
		on && /}/ { print row; row = "" }' "$1"
}

# case_of NAME: lines of the kernel from stdin; expected places are in NAME.expected
case_of()
{
	{ echo "kernel $1 shared=4096"; cat; echo '[B012345:R-:W-:-:S05] EXIT'; } >"$1.hasm"
	try "$heddle" trace assemble "$1.hasm" -o "$1"
	test "$status" -eq 0 || { fail "$1: not assembled"; cat err; }
	try "$heddle" run -q --stats s.json "$core" "$1/kernelslist.g"
	test "$status" -eq 0 || { fail "$1: exit status $status"; cat err; }
	found s.json >"$1.found"
	cmp -s "$1.expected" "$1.found" || { fail "$1:"; diff "$1.expected" "$1.found"; }
	for option in --no-sleep --shuffle=2; do
		expect 0 '' "$heddle" run -q $option --set 'hazards.warnings=0' --stats other.json "$core" \
			"$1/kernelslist.g"
		cmp -s s.json other.json || fail "$1: $option changes the statistics"
	done
}

# HZ1: 4 cycles from a result of fixed latency, 5 to an address
cat >fixed.expected <<'END'
16 raw R4 0 stall 0 1
80 raw R8 64 stall 64 1
END
case_of fixed <<'END'
[B------:R-:W-:-:S03] FADD R4, R2, R3
[B------:R-:W-:-:S04] FADD R5, R4, R3
[B------:R-:W-:-:S04] FADD R6, R5, R3
[B------:R-:W-:-:S04] MOV R8, 0x10
[B------:R-:W-:-:S04] IADD3 R8, R8, 0x4, RZ
[B------:R-:W1:-:S02] LDS R9, [R8] addr=4*lane
[B------:R-:W-:-:S05] MOV R8, 0x10
[B------:R-:W2:-:S02] LDS R10, [R8] addr=4*lane
[B--2---:R-:W-:-:S05] FADD R11, R10, R3
END

# a stall that collapses; registers of results and operands that have several
cat >more.expected <<'END'
16 raw R4 0 yield 0 1
48 raw R2 32 stall 32 1
END
case_of more <<'END'
[B------:R-:W-:-:S13] FADD R4, R2, R3
[B------:R-:W-:-:S05] FADD R5, R4, R3
[B------:R-:W-:-:S03] IMAD.WIDE R2, R8, R9, R10
[B------:R-:W0:-:S02] LDG.E R6, [R2.64] addr=0x7f0000000000+4*lane
END

# HZ3, HZ4, HZ5: no wait, a wait that came before the counter, no counter; a result that is replaced; a source
cat >variable.expected <<'END'
16 raw R4 0 wait_for_SB0 16 1
48 raw R6 32 stall 32 1
80 raw R8 64 write 64 1
112 waw R10 96 wait_for_SB4 112 1
144 war R13 128 read 128 1
END
case_of variable <<'END'
[B------:R-:W0:-:S02] LDS R4, [R2] addr=4*lane
[B------:R-:W-:-:S05] FADD R5, R4, R3
[B------:R-:W1:-:S01] LDS R6, [R2] addr=4*lane
[B-1----:R-:W-:-:S05] FADD R7, R6, R3
[B------:R-:W-:-:S02] LDS R8, [R2] addr=4*lane
[B------:R-:W-:-:S05] FADD R9, R8, R3
[B------:R-:W4:-:S02] LDG.E R10, [R2.64] addr=0x7f0000000000+4*lane
[B------:R-:W-:-:S05] FADD R10, R14, R3
[B------:R-:W-:-:S01] STG.E [R2.64], R13 addr=0x7f0000001000+4*lane
[B------:R-:W-:-:S05] FADD R13, R14, R3
END

# HZ2: a predicate as an operand and as a guard
cat >predicate.expected <<'END'
32 raw P0 16 stall 16 1
END
case_of predicate <<'END'
[B------:R-:W-:-:S04] ISETP.LT.AND P0, PT, R2, R3, PT
[B------:R-:W-:Y:S12] ISETP.LT.AND P0, PT, R2, R3, P0
[B------:R-:W-:-:S01] @P0 FADD R4, R5, R6
[B------:R-:W-:Y:S13] ISETP.LT.AND P1, PT, R2, R3, PT
[B------:R-:W-:-:S01] @P1 FADD R7, R5, R6
END

# HZ6: other lanes, registers without a writer, RZ
: >nothing.expected
case_of nothing <<'END'
[B------:R-:W0:-:S02] @P0 LDS R4, [R2] mask=0000ffff addr=4*lane
[B------:R-:W-:-:S01] @!P0 FADD R4, R5, R6 mask=ffff0000
[B------:R-:W-:-:S01] FADD RZ, R7, R8
[B------:R-:W-:-:S04] FADD R9, RZ, R8
[B0-----:R-:W-:-:S05] FADD R10, R4, R4
END
"$heddle" run -q "$core" nothing/kernelslist.g >out 2>err || fail "nothing: exit status $?"
test ! -s err || { fail "nothing: warns"; cat err; }

# warnings, and their number
expect 0 'pc 0x10: FADD reads R4 1 cycles before pc 0x0 writes it; expected a longer stall at pc 0x0' \
	"$heddle" run -q "$core" fixed/kernelslist.g
expect 0 '1 more place' "$heddle" run -q --set hazards.warnings=1 "$core" fixed/kernelslist.g

# control words that are made for a run are right
for trace in gather hist reduce saxpy_xz softcopy; do
	expect 0 '' "$heddle" run -q --set 'trace.control="synthesised"' --stats s.json "$core" \
		"$src/traces/samples/$trace/kernelslist.g"
	grep -q '^ "hazards": 0,*$' s.json || fail "$trace: $(found s.json | head -n 3)"
done
done_testing
