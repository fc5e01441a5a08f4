#!/bin/sh
# tensor.sh - how often tensor units of control-word cores begin a product, by its shape and by what it sums in
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# product TEXT: 64 more instructions of one warp, which do not wait for one another
product()
{
	for n in 32 96; do
		cat >"t$n.hasm" <<END
kernel tensor sm=86
	repeat $n {
		[B------:R-:W-:-:S01] $1
	}
	[B------:R-:W-:-:S05] EXIT
END
		expect 0 '' "$heddle" trace assemble "t$n.hasm" -o "t$n"
		rm -f "$n.json"
		expect 0 '' "$heddle" run -q --stats "$n.json" $options "$core" "t$n/kernelslist.g"
	done
	echo "$(($(figure 96.json cycles) - $(figure 32.json cycles))) $1"
}

# all: cycles of 64 products, so 64 times the interval
all()
{
	while read -r cycles text; do
		test "$(product "$text")" = "$cycles $text" || fail "$core: $(product "$text"), not $cycles"
	done
}

core=$src/netlists/a100_sm.json options=
all <<'END'
512 HMMA.16816.F16 R4, R8, R12, R4
512 HMMA.16816.F32 R4, R8, R12, R4
512 HMMA.16816.F32.BF16 R4, R8, R12, R4
256 HMMA.1688.F32 R4, R8, R12, R4
512 HMMA.1688.F32.TF32 R4, R8, R12, R4
256 HMMA.1684.F32.TF32 R4, R8, R12, R4
512 IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4
256 IMMA.16816.S8.S8 R4, R8.ROW, R12.COL, R4
128 IMMA.8816.S8.S8 R4, R8.ROW, R12.COL, R4
256 IMMA.16832.U4.U4 R4, R8.ROW, R12.COL, R4
512 IMMA.16864.S4.S4 R4, R8.ROW, R12.COL, R4
256 BMMA.168128.XOR.POPC R4, R8.ROW, R12.COL, R4
1024 DMMA.884 R4, R8, R12, R4
END
core=$src/netlists/modern_sm.json
all <<'END'
1024 HMMA.16816.F16 R4, R8, R12, R4
1024 HMMA.16816.F32 R4, R8, R12, R4
512 HMMA.1688.F16 R4, R8, R12, R4
256 IMMA.8816.S8.S8 R4, R8.ROW, R12.COL, R4
END
core=$src/netlists/rtx_3080.json
all <<'END'
1024 HMMA.16816.F16 R4, R8, R12, R4
2048 HMMA.16816.F32 R4, R8, R12, R4
2048 HMMA.1688.F32.TF32 R4, R8, R12, R4
1024 HMMA.1688.F32 R4, R8, R12, R4
1024 IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4
END
done_testing
