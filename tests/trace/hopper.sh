#!/bin/sh
# hopper.sh - what lines of version 6 have for asynchronous units comes through every form of a trace (docs/hopper.md)
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# runs NAME TRACE
runs()
{
	"$heddle" run -q h100_sm.json "$2" --events "$1.events" --stats "$1.json" 2>"$1.err" ||
		fail "$2: $(cat "$1.err")"
}

for sample in "$src"/traces/samples/hopper/*.hasm; do
	name=$(basename "$sample" .hasm)
	"$heddle" trace assemble "$sample" -o "$name" || fail "assemble $name"
	"$heddle" trace pack "$name/kernelslist.g" -o "$name.hpack" || fail "pack $name"
	runs "$name.text" "$name/kernelslist.g"
	runs "$name.packed" "$name.hpack"
	cmp "$name.text.events" "$name.packed.events" || fail "$name: events of the packed trace"
	"$heddle" trace print "$name.hpack" -o "$name.hasm" || fail "print $name"
	"$heddle" trace assemble "$name.hasm" -o "$name.again" || fail "assemble what was printed of $name"
	runs "$name.again" "$name.again/kernelslist.g"
	cmp "$name.text.events" "$name.again.events" || fail "$name: events of what was printed"
done
test "$(grep -c ' start ' ring.text.events)" -eq 512 || fail "ring: $(grep -c ' start ' ring.text.events) products"

# lines as the tracer writes them: values of all sources, pieces of 16 bytes
{
	printf -- '-kernel name = v\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 2048\n-nregs = 32\n'
	printf -- '-binary version = 90\n-accelsim tracer version = 6\n#\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 5\n'
	echo '0000 00000001 1 UR63 SYNCS.EXCH.64 2 UR6 UR4 8 0 0x0000000000000400 0 0 Val 1 0 1 400 1 7ffff800001ffffe'
	echo '0010 00000001 1 R255 SYNCS.ARRIVE.TRANS64 2 UR8 R2 8 0 0x0000000000000400 0 0 Val 1 0 1 400 1 40'
	echo '0020 00000001 0 UBLKCP.S.G 3 UR4 UR6 UR8 16 400 0 64 0 3 4 7f0000000000 7f0000000010 7f0000000020 7f0000000030 0 0 NoVal'
	echo '0030 ffffffff 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 UR4 R0 8 1 0x400 0 0 0 Val 1 400 1 0'
	printf '0040 ffffffff 0 EXIT 0 0 0 0 NoVal\n#END_TB\n'
} >v.traceg
"$heddle" run -q --set 'trace.control="synthesised"' h100_sm.json v.traceg --stats v.json 2>v.err || fail "v: $(cat v.err)"
grep -q '"bytes": 64' v.json || fail "64 bytes arrive: $(grep '"bytes"' v.json)"
grep -q '"requests": [12],\{0,1\}$' v.json || fail "pieces of 16 bytes in one line are one request"

# printed without a listing
"$heddle" trace print v.traceg -o v.hasm && "$heddle" trace assemble v.hasm -o v || fail "print v"
for part in 'Val 1 0 1 400 1 7ffff800001ffffe' 'Val 1 0 1 400 1 40' 'Val 1 400 1 0' '16 400 0 64 0 4 7f0000000000 4 16 16 16'; do
	grep -q "$part" v/kernel-1.traceg || fail "printed and assembled: no $part"
done
grep -q 'desc=16\*4:16 bar=0x400' v.hasm || fail "a box: $(grep UBLKCP v.hasm)"

# a kernel that was executed from its cubin, recorded as one file and as texts: eight products of 128 cycles a stage
for how in "" --text; do
	# shellcheck disable=SC2086
	"$heddle" trace record $how --launches "$src/traces/samples/cuda/gemm.json" -o "gemm$how" || fail "record gemm $how"
done
runs gemm.packed gemm
runs gemm.text gemm--text/kernelslist.g
for how in packed text; do # instructions have numbers in the order in which a reader meets them
	sed 's/ code=[0-9]*//' "gemm.$how.events" >"gemm.$how"
done
cmp gemm.packed gemm.text || fail "gemm: events of the texts"
awk '/ start / && n++ % 8 == 0 { if (n > 9) print $1 - last; last = $1 }' gemm.packed.events >stages
test "$(sort -u stages)" = 1024 || fail "gemm: cycles of a stage: $(sort stages | uniq -c)"

# without its value an arrival says nothing
sed 's/ Val 1 0 1 400 1 40$/ NoVal/' v.traceg >bare.traceg
"$heddle" run -q --set 'trace.control="synthesised"' h100_sm.json bare.traceg >bare.out 2>&1
test $? -eq 2 || fail "an arrival without its value"
grep -q 'pc 0x10: mbarrier 0x400: the trace has no value' bare.out || fail "bare: $(cat bare.out)"
done_testing
