#!/bin/sh
# print.sh - traces are printed as texts, of which traces are made that give the same simulation
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# again TRACE: there and back; text.hasm, again.hasm, folder `made`
again()
{
	rm -rf made
	"$heddle" trace print "$1" -o text.hasm 2>err || { fail "print $1"; cat err; }
	expect 0 '' "$heddle" trace assemble text.hasm -o made
	expect 0 '' "$heddle" trace print made/kernelslist.g -o again.hasm
	cmp -s text.hasm again.hasm || fail "$1: printed again it is another text"
}

# same CORE TRACE: simulates `made` as the trace; the size of the text differs
same()
{
	for trace in "$2" made/kernelslist.g; do
		"$heddle" run -q "$src/netlists/$1.json" "$trace" --stats stats 2>err ||
			{ fail "$1 $trace"; cat err; }
		# numbers of the text that was read, and commas in front of them
		grep -vE '"(lines|bytes|ignored)": ' stats | sed 's/,$//' >"stats_$(basename "$(dirname "$trace")")"
	done
	cmp -s "stats_$(basename "$(dirname "$2")")" stats_made || {
		fail "$2 and what is printed of it differ on $1:"
		diff "stats_$(basename "$(dirname "$2")")" stats_made | head
	}
}

# ---- bundled traces ----
for trace in "$src"/traces/samples/*/kernelslist.g; do
	again "$trace"
	same ampere_sm "$trace"
done
again "$src/traces/samples/vecadd/kernelslist.g"
test "$(wc -l <text.hasm)" -lt 80 || fail "warps and blocks of vecadd do not share lines"
grep -q 'addr=0x7f6a20000000+4\*lane+128\*warp+512\*block' text.hasm || fail "vecadd: addresses"

# ---- version 1.2: each line begins with block and warp ----
mkdir old
awk '/tracer version/ { print "-accelsim tracer version = 1.2"; next }
	/^thread block/ { split($4, at, ",") }
	/^warp =/ { warp = $3 }
	/^[0-9a-f]+ [0-9a-f]+ / { print at[1], at[2], at[3], warp, $0; next } { print }' \
	"$src/traces/samples/tiny/kernel-1.traceg" >old/kernel-1.traceg
echo kernel-1.traceg >old/kernelslist.g
"$heddle" trace print "$src/traces/samples/tiny/kernelslist.g" | grep -v '^copy' >new.hasm
"$heddle" trace print old/kernelslist.g | diff - new.hasm || fail "version 1.2"

# ---- examples, and what is in listings only: the same bytes ----
cat >all.hasm <<'END'
kernel "a name = \ # with all" grid=2 block=40 shared_base=0x7f0000000000 local_base=0x7e0000000000 id=7
[B01----:R-:W2:Y:S04] @!P0 LDG.E.64 R2, [R4.64+0x10] mask=000000ff addr=0x7f0000001000+8*lane
ISETP.LT.AND P0, PT, R1, c[0x0][0x160], !P2 mask=1
@!PT BRA `(end)
@!PT LDS R7, [R8]
@UP1 MOV R300, UR4
LDS R1, [R0] mask=0000000f addr={0x10,0x12,0x40,0x44}
LD.E R1, [R2.64] addr=0x7f0000000000-4*lane+warp-1000*block
ATOMG.E.ADD PT, R0, [R2.64], R5 mask=3 addr=0
/*0020*/ again: FADD R1, R2, R3
BRA again mask=0
kernel second
end: @P0 EXIT mask=0000ffff
FADD R1, R2, R3 mask=ffff0000
END
sed -i 's/`(end)/0x10/' all.hasm
for text in all.hasm "$src"/traces/samples/hasm/*.hasm; do
	rm -rf first
	"$heddle" trace assemble "$text" -o first 2>/dev/null || fail "$text"
	"$heddle" trace print first/kernelslist.g -o text.hasm || fail "$text: print"
	rm -rf made
	"$heddle" trace assemble text.hasm -o made 2>/dev/null || fail "$text: assemble"
	diff -r first made >differs || { fail "$text: there and back:"; head differs; }
done

# ---- the listing beside a container ----
mkdir box
$python - <<'END2'
from struct import pack
header = ("-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n"
          "-binary version = 80\n-shmem base_addr = 0x1000\n-local mem base_addr = 0x5000\n-accelsim tracer version = 6\n")
text = b"0000 ffffffff 0 EXIT 0 0 0 NoVal"
frame = b"\x28\xb5\x2f\xfd\x20" + bytes([len(text)]) + (len(text) << 3 | 1).to_bytes(3, "little") + text # stored by zstd
box = header.encode() + b"\0" + pack("<II", 0, 1)
index = pack("<I10II", 1, *([0] * 10), 1) + pack("<IIQI", 1, 1, len(box), 1)
box += pack("<III", 1, 1, len(frame)) + frame
open("box/kernel-1.tracez", "wb").write(box + index + pack("<Q", len(box)))
END2
echo '{ "heddle_sass": 1, "kernel": "k", "binary_version": 80, "instructions": [{ "pc": 0, "text": "@P3 EXIT",
	"guard": { "kind": "predicate", "number": 3 }, "opcode": "EXIT", "operands": [] }] }' >box/kernel-1.sass.json
expect 0 '@P3 EXIT' "$heddle" trace print box/kernel-1.tracez

# ---- a listing that does not fit the trace, or is none ----
"$heddle" trace assemble "$src/traces/samples/hasm/chain.hasm" -o chain || fail chain
sed -i 's/FFMA R1, R1, R2, R3/FFMA R1, R1, R2, R4/' chain/kernel-1.sass.json
expect 0 '4 instructions of kernel 1 are not in it' "$heddle" trace print chain/kernelslist.g
grep -q '/\*0000\*/ FFMA R1, R1, R2, R3$' out || fail "an instruction that the listing does not have"
sed -i 's/R2, R4/r2/' chain/kernel-1.sass.json
expect 2 "sass.json: pc 0x0: error: expected an operand, found 'r2'" \
	"$heddle" trace print chain/kernelslist.g -o text
echo '{}' >chain/kernel-1.sass.json
expect 2 'expected a listing, "heddle_sass": 1' "$heddle" trace print chain/kernelslist.g -o text
echo '{' >chain/kernel-1.sass.json
expect 2 'kernel-1.sass.json:2' "$heddle" trace print chain/kernelslist.g -o text

# ---- whole or absent, never an input ----
rm -rf text
expect 2 'cannot open' "$heddle" trace print none -o text
head -n 20 "$src/traces/samples/tiny/kernel-1.traceg" >cut.traceg
expect 2 'cut.traceg' "$heddle" trace print cut.traceg -o text
"$heddle" trace assemble "$src/traces/samples/hasm/chain.hasm" -o chain || fail chain
for input in kernelslist.g kernel-1.traceg kernel-1.sass.json; do
	cp "chain/$input" before
	expect 2 'would replace' "$heddle" trace print chain/kernelslist.g -o "chain/$input"
	cmp -s before "chain/$input" || fail "$input was replaced"
done
test ! -e text || fail "a text of a bad trace was left"
find . -name '*.part*' | grep . && fail "something unfinished is left"

# ---- traces of others ----
oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
if test -d "$oracle/real"; then
	step=$(test -n "${HEDDLE_ALL-}" && echo 1 || echo 16)
	for trace in "$oracle"/real/*/kernelslist.g "$oracle"/contradictory/*/kernelslist.g; do
		again "$trace"
	done
	again "$oracle/real/matmul-shared-pascal/kernelslist.g"
	same pascal_sm "$oracle/real/matmul-shared-pascal/kernelslist.g"
	ls "$oracle"/made/*/kernelslist.g "$oracle"/divergence/*/kernelslist.g | awk "NR % $step == 1 || $step == 1" >some
	while read -r trace; do
		again "$trace"
		same ampere_sm "$trace"
	done <some
else
	echo "no $oracle: its traces are not printed"
fi
done_testing
