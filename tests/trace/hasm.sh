#!/bin/sh
# hasm.sh - texts of kernels become traces that every core runs, or exact messages and nothing
# SPDX-License-Identifier: BSD-2-Clause
#
# hasm_mistakes.txt has a wrong text and its messages for each kind of mistake; `--write` rewrites
# the messages.
. "${srcdir:-.}/tests/lib.sh"

table=$src/tests/trace/hasm_mistakes.txt
cores='volta_sm turing_sm ampere_sm'

# ---- the table of mistakes: "= text", the text, "= messages", the messages ----
awk '/^= text/ { n++; f = sprintf("case%03d.hasm", n); printf "" >f; next }
	/^= messages/ { f = sprintf("case%03d.expected", n); printf "" >f; next }
	f { print >f }' "$table"
sed -n '1,/^= text/p' "$table" | sed '$d' >new
for text in case*.hasm; do
	name=${text%.hasm}
	cp "$text" x.hasm
	printf '= text\n' >>new
	cat "$text" >>new
	try "$heddle" trace assemble x.hasm -o trace
	{ printf '= messages\n'; cat err; } >>new
	test "$status" -eq 2 || fail "$name: exit status $status, expected 2"
	test ! -e trace || { fail "$name: something was written"; rm -r trace; }
	cmp -s err "$name.expected" || { fail "$name:"; cat x.hasm; diff "$name.expected" err; }
done
if test "${1-}" = --write; then
	cp new "$table"
	exit 0
fi
ls case*.hasm | wc -l >n
test "$(cat n)" -ge 40 || fail "only $(cat n) mistakes"

# ---- the examples, on every core ----
for example in "$src"/traces/samples/hasm/*.hasm; do
	name=$(basename "$example" .hasm)
	expect 0 '' "$heddle" trace assemble "$example" -o "$name"
	for core in $cores; do
		expect 0 '' "$heddle" run -q "$src/netlists/$core.json" "$name/kernelslist.g"
	done
	# the groups of lanes are those of a stack
	for policy in as_traced simt_stack; do
		expect 0 '' "$heddle" run -q "$src/netlists/volta_sm.json" --set "divergence.module=$policy" \
			"$name/kernelslist.g" --stats "stats_$policy"
		grep -E '^ "(cycles|warp_instructions)"' "stats_$policy" >"sums_$policy"
	done
	test "$(wc -l <sums_as_traced)" -eq 2 && cmp -s sums_as_traced sums_simt_stack ||
		{ fail "$name with a stack:"; cat sums_as_traced sums_simt_stack; }
	grep -q '^kernel .* sm=' "$example" && continue # it is of a later GPU
	sed 's/^kernel [a-z_]*/& sm=61/' "$example" >pascal.hasm
	expect 0 '' "$heddle" trace assemble pascal.hasm -o "${name}_61"
	expect 0 '' "$heddle" run -q "$src/netlists/pascal_sm.json" "${name}_61/kernelslist.g"
done

# lines TRACE WARP: those of the first block
lines()
{
	awk -v warp="$2" '/^warp =/ { on = $3 == warp } /^#END/ { exit } on && /^[0-9a-f]+ [0-9a-f]+ / { sub(/ $/, ""); print }' \
		"$1/kernel-1.traceg"
}
# same TRACE WARP: its lines are those of stdin
same()
{
	lines "$1" "$2" >got
	diff - got >differs || { fail "$1, warp $2:"; cat differs; }
}

same nested_if 0 <<'END'
0000 ffffffff 0 ISETP.LT.AND 1 R0 0 16
0010 ffff0000 0 BRA 0 0 112
0020 0000ffff 0 ISETP.LT.AND 1 R0 0 8
0030 0000ff00 0 BRA 0 0 96
0040 000000ff 1 R1 FADD 2 R2 R3 0 0
0050 000000ff 0 BRA 0 0 112
0060 0000ff00 1 R1 FMUL 2 R2 R3 0 0
0070 ffffffff 1 R4 FFMA 3 R1 R1 R4 0 0
0080 ffffffff 0 EXIT 0 0 0
END
same barrier 1 <<'END'
0020 ffffffff 0 STS 2 R0 R1 4 1 0x80 4 0
0030 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0
0040 ffffffff 1 R2 LDS 1 R0 4 1 0x0 4 0
0050 ffffffff 0 EXIT 0 0 0
END
same chain_61 0 <<'END'
0008 ffffffff 1 R1 FFMA 3 R1 R2 R3 0 0
0010 ffffffff 1 R1 FFMA 3 R1 R2 R3 0 0
0018 ffffffff 1 R1 FFMA 3 R1 R2 R3 0 0
0028 ffffffff 1 R1 FFMA 3 R1 R2 R3 0 0
0030 ffffffff 0 EXIT 0 0 0
END

# ---- operands as the tracer lists them, addresses, masks ----
cat >all.hasm <<'END'
kernel all grid=2,2 block=40 sm=80 shared=1024 regs=40 stream=3
copy 0x7f0000000000 4096
[B01----:R-:W2:Y:S04] @!P0 LDG.E.64 R2, [R4.64+0x10] mask=000000ff addr=0x7f0000001000+8*lane
  /* a comment */ IADD3 R1, P0, R2, -0x1, RZ ; MOV R7, RZ // two
LOP3.LUT P0, RZ, R8, 0x1f, RZ, 0xc0, !PT
SHFL.IDX PT, R9, R10, RZ, 0x1f
IMAD.WIDE R2, R3, R6, c[0x0][0x160]
FADD R8, |R8|, -R9.reuse
FADD R8, RZ, 2.384185791015625e-07
ULDC.64 UR4, c[0x0][0x118]
IMAD.WIDE.U32 R2, R3, R6, R7, c[0x0][0x160]
IMAD.WIDE R2, R3, R6, RZ
CS2R R2, R3, SR_CLOCKLO
warps 0
ATOMG.E.ADD.STRONG.GPU PT, R0, [R2.64], R5 mask=0x5 addr={0x10,0x40}
STG.E.128 desc[UR4][R2.64], R4 mask=80000001 addr=0x100*lane+0x10*block
LDG.E R300, [R2.64] mask=6 addr=16-lane
warps *
blocks 0,2-3
DEPBAR.LE SB0, 0x2, {3,1}
RET.REL.NODEC R20 0x0 (*"a target"*)
LDGSTS.E.BYPASS.128 [R9], [R10.64] addr=0x1000*warp+16*(lane%4)+lane/4*64
@!PT LDS R1, [R2] addr=0
blocks *
/*0a00*/ BRA `(.L_1) ;
.L_1:
@P0 EXIT mask=0000000f
EXIT
END
expect 0 'beyond R255' "$heddle" trace assemble all.hasm -o all
same all 0 <<'END'
0000 000000ff 1 R2 LDG.E.64 1 R4 8 1 0x7f0000001000 8 0
0010 ffffffff 1 R1 IADD3 2 R2 R255 0 -1
0020 ffffffff 1 R7 MOV 1 R255 0 0
0030 ffffffff 0 LOP3.LUT 3 R255 R8 R255 0 192
0040 ffffffff 0 SHFL.IDX 3 R9 R10 R255 0 31
0050 ffffffff 1 R2 IMAD.WIDE 2 R3 R6 0 0
0060 ffffffff 1 R8 FADD 2 R8 R9 0 0
0070 ffffffff 1 R8 FADD 1 R255 0 0
0080 ffffffff 0 ULDC.64 0 0 0
0090 ffffffff 1 R2 IMAD.WIDE.U32 2 R6 R7 0 0
00a0 ffffffff 1 R2 IMAD.WIDE 3 R3 R6 R255 0 0
00b0 ffffffff 1 R2 CS2R 0 0 0
00c0 00000005 0 ATOMG.E.ADD.STRONG.GPU 3 R0 R2 R5 4 2 0x10 48 0
00d0 80000001 0 STG.E.128 2 R2 R4 16 2 0x0 7936 0
00e0 00000006 0 LDG.E 1 R2 4 1 0xf -1 0
00f0 ffffffff 0 DEPBAR.LE 0 0 2
0100 ffffffff 1 R20 RET.REL.NODEC 0 0 0
0110 ffffffff 0 LDGSTS.E.BYPASS.128 2 R9 R10 16 1 0x0 16 0
0120 00000000 1 R1 LDS 1 R2 4 1 0x0 0 0
0a00 ffffffff 0 BRA 0 0 2576
0a10 0000000f 0 EXIT 0 0 0
0a20 fffffff0 0 EXIT 0 0 0
END
lines all 1 | head -n 1 | grep -q '^0000 000000ff .* 0x7f0000001000 8 0$' || fail "a warp of 8 threads"
awk '/^thread block = 1,0,0/ { on = 1 } /^#END/ { on = 0 } on' all/kernel-1.traceg >block1
grep -q DEPBAR block1 && fail "block 1 has the lines of others"
grep -q '0x10 7936' block1 || fail "block 1 has other addresses"
expect 0 '' cat all/kernelslist.g
printf 'MemcpyHtoD,0x00007f0000000000,4096\nkernel-1.traceg\n' | cmp -s - out || fail "the list of kernels"
expect 0 'beyond' "$heddle" trace assemble all.hasm -o all # again, into the same folder
expect 2 'beyond' "$heddle" trace assemble --strict all.hasm -o strict
test ! -e strict || fail "--strict: a trace with a warning was written"

# ---- control fields, operands and roles in the listing ----
if command -v python3 >/dev/null; then
	cat >roles.py <<'END'
import json, sys
for i in json.load(open(sys.argv[1]))["instructions"]:
    c = i.get("control")
    print("%04x" % i["pc"], i["opcode"], *[c["wait"], c.get("read"), c.get("write"), c["yield"], c["stall"]] if c else "",
          *["%s%s%s%s" % (o["text"], "=" if o.get("access") == "write" else "", ":%s" % o["count"] if "count" in o else "",
                          "!" if o.get("reuse") else "") for o in i["operands"]])
END
	python3 roles.py all/kernel-1.sass.json >roles
	diff - roles <<'END' || fail "roles of operands"
0000 LDG.E.64 [0, 1] None 2 True 4 R2=:2 [R4.64+0x10]:2
0010 IADD3 R1=:1 P0=:1 R2:1 -0x1 RZ
0020 MOV R7=:1 RZ
0030 LOP3.LUT P0=:1 RZ= R8:1 0x1f RZ 0xc0 !PT
0040 SHFL.IDX PT= R9=:1 R10:1 RZ 0x1f
0050 IMAD.WIDE R2=:2 R3:1 R6:1 c[0x0][0x160]
0060 FADD R8=:1 |R8|:1 -R9.reuse:1!
0070 FADD R8=:1 RZ 2.384185791015625e-07
0080 ULDC.64 UR4=:2 c[0x0][0x118]
0090 IMAD.WIDE.U32 R2=:2 R6:1 R7:1 c[0x0][0x160]
00a0 IMAD.WIDE R2=:2 R3:1 R6:1 RZ
00b0 CS2R R2=:2 SR_CLOCKLO
00c0 ATOMG.E.ADD.STRONG.GPU PT= R0=:1 [R2.64]:2 R5:1
00d0 STG.E.128 desc[UR4][R2.64]:2 R4:4
00e0 LDG.E R300=:1 [R2.64]:2
00f0 DEPBAR.LE SB0 0x2 {3,1}
0100 RET.REL.NODEC R20:2 0x0
0110 LDGSTS.E.BYPASS.128 [R9]:1 [R10.64]:2
0120 LDS R1=:1 [R2]:1
0a00 BRA 0xa10
0a10 EXIT
0a20 EXIT
END
	cat >wide.hasm <<'END'
kernel r
I2F.F64 R2, R4
I2F.S64 R2, R4
I2F.F64.U64 R2, R4
F2I.F64.TRUNC R2, R4
F2I.S64.TRUNC R2, R4
F2I.U64.F64 R2, R4
F2F.F64.F32 R2, R4
F2F.F32.F64 R2, R4
FRND.F64 R2, R4
HMMA.16816.F32 R4, R8, R12, R4
HMMA.1688.F32.TF32 R4, R8, R12, R4
IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4
DFMA R2, R4, R6, R8
DSETP.MAX.AND P0, P1, R2, R4, PT
IMAD.WIDE R2, R4, R5, R6
IMAD.HI.U32 R2, R3, R5, R6
VOTE.ANY R4, PT, P0
VOTE.ALL P0, P1
PLOP3.LUT P0, PT, P1, P2, PT, 0x80, 0x0
UIMAD.WIDE UR4, UR5, UR6, UR8
MATCH.ANY.U64 R2, R4
LDSM.16.M88.4 R4, [R8] addr=0
ATOMG.E.CAS.64.STRONG.GPU PT, R2, [R4.64], R6, R8 addr=0
LDC.64 R2, c[0x3][R4]
BSSY B0, `(x)
BSYNC B0
x: MUFU.RCP R2, R3
CALL.REL.NOINC `(x)
R2UR UR4, R5
IADD3 R4, P0, P1, R5, R6, R7
SEL R2, R3, R4, P0
END
	expect 0 '' "$heddle" trace assemble wide.hasm -o wide
	python3 roles.py wide/kernel-1.sass.json >roles
	diff - roles <<'END' || fail "roles and widths of operands"
0000 I2F.F64 R2=:2 R4:1
0010 I2F.S64 R2=:1 R4:2
0020 I2F.F64.U64 R2=:2 R4:2
0030 F2I.F64.TRUNC R2=:1 R4:2
0040 F2I.S64.TRUNC R2=:2 R4:1
0050 F2I.U64.F64 R2=:2 R4:2
0060 F2F.F64.F32 R2=:2 R4:1
0070 F2F.F32.F64 R2=:1 R4:2
0080 FRND.F64 R2=:2 R4:2
0090 HMMA.16816.F32 R4=:4 R8:4 R12:2 R4:4
00a0 HMMA.1688.F32.TF32 R4=:4 R8:4 R12:2 R4:4
00b0 IMMA.16832.S8.S8 R4=:4 R8.ROW:4 R12.COL:2 R4:4
00c0 DFMA R2=:2 R4:2 R6:2 R8:2
00d0 DSETP.MAX.AND P0=:1 P1=:1 R2:2 R4:2 PT
00e0 IMAD.WIDE R2=:2 R4:1 R5:1 R6:2
00f0 IMAD.HI.U32 R2=:1 R3:1 R5:1 R6:2
0100 VOTE.ANY R4=:1 PT= P0:1
0110 VOTE.ALL P0=:1 P1:1
0120 PLOP3.LUT P0=:1 PT= P1:1 P2:1 PT 0x80 0x0
0130 UIMAD.WIDE UR4=:2 UR5:1 UR6:1 UR8:2
0140 MATCH.ANY.U64 R2=:1 R4:2
0150 LDSM.16.M88.4 R4=:4 [R8]:1
0160 ATOMG.E.CAS.64.STRONG.GPU PT= R2=:2 [R4.64]:2 R6:2 R8:2
0170 LDC.64 R2=:2 c[0x3][R4]:1
0180 BSSY B0= 0x1a0
0190 BSYNC B0
01a0 MUFU.RCP R2=:1 R3:1
01b0 CALL.REL.NOINC 0x1a0
01c0 R2UR UR4=:1 R5:1
01d0 IADD3 R4=:1 P0=:1 P1=:1 R5:1 R6:1 R7:1
01e0 SEL R2=:1 R3:1 R4:1 P0:1
01f0 EXIT
END
fi

# ---- loops without a branch; several kernels; a warp without lines; standard input ----
printf 'kernel a block=64\nwarps 1\nrepeat 3 { repeat 2 { NOP; } NOP }\nkernel b\nNOP\n' |
	"$heddle" trace assemble - -o loops || fail "standard input"
test "$(lines loops 1 | cut -c 1-4 | tr '\n' ' ')" = '0000 0000 0010 0000 0000 0010 0000 0000 0010 0020 ' ||
	fail "nested loops"
test -z "$(lines loops 0)" || fail "a warp without lines has some"
test -f loops/kernel-2.traceg || fail "no second kernel"
expect 0 '' "$heddle" run -q "$src/netlists/volta_sm.json" loops/kernelslist.g

# ---- warps in a loop: up to its end, and among those that run it ----
cat >turns.hasm <<'END'
kernel turns block=96
warps 0-1
repeat 2 {
	warps 0
	MOV R1, RZ
	repeat 2 { FADD R2, R2, R2 }
	warps 1-2
	MOV R3, RZ
	warps *
	FMUL R4, R4, R4
}
warps *
NOP
END
expect 0 '' "$heddle" trace assemble turns.hasm -o turns
for warp in 0 1 2; do
	lines turns $warp | cut -c 1-4 | tr '\n' ' '
	echo
done >pcs
cat >want <<'END'
0000 0010 0010 0030 0000 0010 0010 0030 0040 0050 
0020 0030 0020 0030 0040 0050 
0040 0050 
END
cmp want pcs || { fail "warps in a loop"; cat pcs; }

# ---- whole or absent, never an input ----
echo old >file
expect 1 'Not a directory' "$heddle" trace assemble all.hasm -o file
test "$(cat file)" = old || fail "a file was replaced by a folder"
cp all.hasm all/kernelslist.g
expect 1 'is an input' "$heddle" trace assemble all/kernelslist.g -o all
cmp -s all.hasm all/kernelslist.g || fail "the input was replaced"
expect 1 'No such file' "$heddle" trace assemble all.hasm -o none/trace
expect 2 'No such file' "$heddle" trace assemble none.hasm -o trace
expect 2 'expected -o' "$heddle" trace assemble all.hasm
expect 2 'unknown command' "$heddle" trace assembly
printf 'kernel k\nNOP\0\n' >zero.hasm
expect 2 'expected a text' "$heddle" trace assemble zero.hasm -o trace
printf 'kernel k\nrepeat 100 { NOP }\n' >long.hasm
expect 2 'expected at most 100 (--limit)' "$heddle" trace assemble --limit 100 long.hasm -o trace
expect 0 '' "$heddle" trace assemble --limit 101 long.hasm -o trace
rm -r trace
find . -name '*.part*' | grep . && fail "something unfinished is left"

# ---- windows measured on hardware ----
oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
if test -f "$oracle/hardware/to_hasm.py" && command -v python3 >/dev/null; then
	$python -c 'import json, sys; [print(w["id"]) for w in json.load(open(sys.argv[1]))]' \
		"$oracle/hardware/windows-training.json" >ids
	while read -r id; do
		python3 "$oracle/hardware/to_hasm.py" "$oracle/hardware/windows-training.json" "$id" >w.hasm
		expect 0 '' "$heddle" trace assemble w.hasm -o w
	done <ids
	expect 0 '' "$heddle" run -q "$src/netlists/ampere_sm.json" w/kernelslist.g
else
	echo "no $oracle/hardware: its windows are not assembled"
fi
done_testing
