#!/bin/sh
# bad_listing.sh - listings that a core which follows control words refuses, each with the pc
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

cat >one.hasm <<'END'
kernel one
[B------:R-:W-:-:S04] FADD R4, R2, R3
[B0-----:R1:W0:Y:S02] LDG.E R5, [R2.64] addr=0x7f0000000000+4*lane
[B------:R-:W-:-:S05] EXIT
END
expect 0 '' "$heddle" trace assemble one.hasm -o one
listing=one/kernel-1.sass.json
cp $listing good.json

# refused CHANGE MESSAGE: the second instruction changed by sed
refused()
{
	sed "/\"pc\": 16/$1" good.json >$listing
	cmp -s good.json $listing && fail "'$1' changes nothing"
	expect 2 "$2" "$heddle" run -q "$src/netlists/a100_sm.json" one/kernelslist.g
}

refused 's/"stall": 2/"stall": 16/' "instruction 2, pc 0x10: 'stall' is not valid; expected a number from 0 to 15"
refused 's/"stall": 2/"stall": -1/' "pc 0x10: 'stall'"
refused 's/"wait": \[0\]/"wait": [6]/' "pc 0x10: 'wait' is not valid; expected counters from 0 to 5"
refused 's/"write": 0/"write": 6/' "pc 0x10: 'write'"
refused 's/"read": 1/"read": 9/' "pc 0x10: 'read'"
refused 's/"stall"/"stal"/' "pc 0x10: 'stal' is not valid; expected 'wait', 'read', 'write', 'yield' or 'stall'; did you mean 'stall'?"
refused 's/, "stall": 2//' "pc 0x10: 'control' is not valid; expected members 'wait', 'yield' and 'stall'"
refused 's/"yield": true/"yield": 1/' "pc 0x10: 'control'"
refused 's/"pc": 16/"pc": 0/' 'pc 0x0 stands twice'
refused 's/"pc": 16, //' "instruction 2: 'pc' is not valid"
refused 's/"opcode": "LDG.E"/"opcode": "LDS"/' 'pc 0x10'
cp good.json $listing
expect 0 '' "$heddle" run -q "$src/netlists/a100_sm.json" one/kernelslist.g
done_testing
