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

# the header of a tracer does not say how large clusters are, its blocks do
mkdir told && sed '/cluster dim/d' cluster/kernel-1.traceg >told/kernel-1.traceg && cp cluster/kernel-1.sass.json cluster/kernelslist.g told
runs told told/kernelslist.g
cmp cluster.text.events told.events || fail "clusters of a trace whose header does not have them"

# the blocks of a cluster in another order
mkdir apart && cp cluster/kernel-1.sass.json cluster/kernelslist.g apart && awk 'BEGIN { n = 0 }
	/^#BEGIN_TB/ { n++ }
	{ part[n] = part[n] $0 "\n" }
	END { printf "%s", part[0] part[2] part[1] }' cluster/kernel-1.traceg >apart/kernel-1.traceg
"$heddle" run -q h100_sm.json apart/kernelslist.g 2>apart.err
test $? -eq 2 || fail "blocks of a cluster in another order"
grep -q "kernel 1 'cluster': block 1 has come in the place of rank 0 of a cluster" apart.err || fail "apart: $(cat apart.err)"

# mistakes of a text, and of a trace
cat >wrong.hasm <<'END'
kernel wrong grid=32 sm=90 shared=2048 cluster=32
UTMALDG.2D [UR8], [UR12] mask=1 addr=0x7f0000000000 desc=128*4:8192
kernel other sm=90 shared=2048
UTMALDG.2D [UR8], [UR12] mask=1 addr=0x7f0000000000 desc=128*4:8192 bar=0x400 ctas=3
END
cat >wrong.want <<'END'
wrong.hasm:1:8: error: cluster=32,1,1 has more than 16 blocks
wrong.hasm:2:1: error: 'UTMALDG.2D' has no bar=; expected the mbarrier to which it reports, as bar=0x400
wrong.hasm:4:1: error: 'UTMALDG.2D' has ctas=, and the kernel has no clusters; expected 'cluster=' in its line
END
"$heddle" trace assemble wrong.hasm -o wrong 2>wrong.err && fail "assembled: wrong.hasm"
diff wrong.want wrong.err || fail "messages about wrong.hasm"

# clusters on a GPU that has none, in a text and in a trace
printf 'kernel old sm=80 cluster=2 grid=2\nNOP\n' >old.hasm
"$heddle" trace assemble old.hasm -o old 2>old.err && fail "assembled: clusters of sm_80"
grep -q 'old.hasm:1:8: error: sm=80 has no clusters of thread blocks; expected sm=90 or later' old.err || fail "old: $(cat old.err)"
mkdir before && cp cluster/kernel-1.sass.json cluster/kernelslist.g before
sed 's/^-binary version = 90/-binary version = 80/' cluster/kernel-1.traceg >before/kernel-1.traceg
"$heddle" run -q h100_sm.json before/kernelslist.g 2>before.err
test $? -eq 2 || fail "a trace with clusters of sm_80"
grep -q 'clusters of (2,1,1) thread blocks, which sm_80 does not have; expected sm_90 or later' before.err || fail "before: $(cat before.err)"

# refused LINE MESSAGE
refused()
{
	printf 'kernel large sm=90 shared=2048
%s
' "$1" >large.hasm
	"$heddle" trace assemble large.hasm -o large 2>large.err && fail "assembled: $1"
	grep -q "$2" large.err || fail "$1: $(cat large.err)"
}
refused 'SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400 tx=1048576' 'large.hasm:2:1: error: tx= is 0x100000; expected at most 0xfffff'
refused 'UTMALDG.2D [UR8], [UR12] mask=1 addr=0x7f0000000000 desc=128*4:8192 bar=0x400 tx=100' \
	'large.hasm:2:1: error: tx= is 100; expected at least the 512 bytes of desc='
refused 'USETMAXREG.DEALLOC.CTAPOOL 0x100000018' "large.hasm:2:28: error: '0x100000018': expected an immediate of 32 bits"
refused 'SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x100000400 count=1' 'an mbarrier is 0x100000400; expected at most 0xffffffff'
refused 'UBLKCP.S.G [UR4], [UR6], UR8 mask=1 addr=0x7f0000000000 desc=16 bar=0x100000400' 'bar= is 0x100000400; expected at most 0xffffffff'
printf 'kernel shape block=128 sm=90 shared=2048
IGMMA.64x40x32.S8.S8 R24, gdesc[UR4], R24, gsb0
' >shape.hasm
"$heddle" trace assemble shape.hasm -o shape || fail "assemble shape"
"$heddle" run -q --set 'trace.control="synthesised"' h100_sm.json shape/kernelslist.g 2>shape.err && fail "a product of 40 columns of integers"
grep -q "'IGMMA.64x40x32.S8.S8' has no shape of a product of a warpgroup" shape.err || fail "shape: $(cat shape.err)"

# lines of traces that no hardware executes, in place of one that is right
printf 'kernel r block=64 regs=64 sm=90 cluster=1 grid=1 shared=2048\nUSETMAXREG.DEALLOC.CTAPOOL 0x18\nBAR.SYNC 0x1, 0x40\n' >right.hasm
cat >>right.hasm <<'END'
warps 0
SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400 count=1
UTMALDG.2D [UR8], [UR12] mask=1 addr=0x7e0000000000 desc=128*4:8192 bar=0x400
UTMASTG.2D [UR8], [UR12] mask=1 addr=0x7e0000000000 desc=128*4:8192
END
"$heddle" trace assemble right.hasm -o right || fail "assemble right"
# wrong SED MESSAGE
wrong()
{
	rm -rf wrong && cp -r right wrong && sed "$1" right/kernel-1.traceg >wrong/kernel-1.traceg
	cmp -s right/kernel-1.traceg wrong/kernel-1.traceg && fail "$1 changes nothing"
	expect 2 "$2" "$heddle" run -q --set 'trace.control="synthesised"' h100_sm.json wrong/kernelslist.g
}
expect 0 '' "$heddle" run -q --set 'trace.control="synthesised"' h100_sm.json right/kernelslist.g
wrong '/USETMAXREG/s/ 24 / 65560 /' "'USETMAXREG.DEALLOC.CTAPOOL' at pc 0x0 has the immediate 65560; expected a number from 0 to 65535"
wrong '/USETMAXREG/s/ 24 / -65512 /' 'has the immediate -65512; expected'
wrong '/BAR.SYNC/s/ 1 64 / 17 64 /' 'expected a barrier from 0 to 15, and no more threads for it than a thread block has'
wrong '/BAR.SYNC/s/ 1 64 / 1 48 /' "'BAR.SYNC' at pc 0x10 is for 48 threads; expected a multiple of 32, at most 64, which its warps have"
wrong '/BAR.SYNC/s/ 1 64 / 1 96 /' 'is for 96 threads; expected a multiple of 32, at most 64'
wrong '/BAR.SYNC/s/ 1 64 / 1 65600 /' 'expected a barrier from 0 to 15'
wrong '/SYNCS/s/0x400/0x5000400/' 'pc 0x20: mbarrier 0x5000400: is that of a rank that the cluster does not have'
for value in 8000000000200000 80000800ffe00002 7ffff80000000000; do
	wrong "/SYNCS/s/7ffff800001ffffe/$value/" 'mbarrier 0x400: is initialised with arrivals of which no phase can have so many'
done
wrong '/UTMALDG/s/128 400 /128 5000400 /' 'pc 0x30: bulk copy with an mbarrier of a rank that its cluster does not have: 0x5000400'
wrong '/UTMALDG/s/ 512 0 4 / 600 88 4 /' 'with those outside of its tensor, that are not a multiple of 16: 0x258'
wrong '/UTMASTG/s/128 0 0 /128 0 1 1 /' 'pc 0x40: bulk copy to several thread blocks, which only a load can go to: 0x1'
wrong 's/cluster rank = 0/cluster rank = 7/' "expected cluster rank 0 of this thread block, found '7'"
wrong 's/cluster id = 0,0,0/cluster id = 9,9,9/' "expected cluster id 0,0,0 of this thread block, found '9'"
wrong 's/cluster cta = 0,0,0/cluster cta = x/' "expected cluster cta 0,0,0 of this thread block, found 'x'"
wrong '/cluster rank/d' "the thread block ends without 'cluster rank'"

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

# what a dump has of the units, from begin to end, is what they have counted
"$heddle" run -q h100_sm.json gemm --dump gemm.hdump --stats gemm.stats || fail "gemm: a dump"
"$heddle" dump gemm.hdump --event warpgroup_mma.operation --event tma.copy --event mbarrier.phase --to text -o lanes || fail "lanes"
for figure in gmma.operations gmma.busy tma.completed tma.lifetime tma.loaded mbarrier.phases; do
	sed -n "/^    \"${figure%.*}\": {/,/}/s/.*\"${figure#*.}\": /$figure /p" gemm.stats | tr -d ,
done >counted
awk '{ for (i = 1; i <= NF; i++) { split($i, of, "="); v[of[1]] = of[2] } }
	/_mma.operation/ { n++; busy += $2 - v["starved"] }
	/tma.copy/ { copies++; lifetime += $2; bytes += v["bytes"] }
	/mbarrier.phase/ { phases++ }
	END { print "gmma.operations", n "\ngmma.busy", busy "\ntma.completed", copies
		print "tma.lifetime", lifetime "\ntma.loaded", bytes "\nmbarrier.phases", phases }' lanes >dumped
diff counted dumped || fail "lanes of the gemm: counted (<) and dumped (>)"
test "$(grep -c . counted)" -eq 6 || fail "figures: $(cat counted)"
awk '/ start / { print $1 }' gemm.packed.events >begun
awk '/_mma.operation/ { print $1 }' lanes | diff begun - || fail "begins of operations"
test "$(awk '/_mma.operation/ { if ($1 < end) print; end = $1 + $2 }' lanes)" = "" || fail "operations overlap"

# without its value an arrival says nothing
sed 's/ Val 1 0 1 400 1 40$/ NoVal/' v.traceg >bare.traceg
"$heddle" run -q --set 'trace.control="synthesised"' h100_sm.json bare.traceg >bare.out 2>&1
test $? -eq 2 || fail "an arrival without its value"
grep -q 'pc 0x10: mbarrier 0x400: the trace has no value' bare.out || fail "bare: $(cat bare.out)"
done_testing
