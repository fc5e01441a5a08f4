#!/bin/sh
# hopper_bad.sh - programs of asynchronous units that are wrong are named, and those that only look so run (docs/hopper.md)
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# wrong NETLIST MESSAGE: the listing on standard input is assembled, and its run refused
wrong()
{
	cat >wrong.hasm
	rm -rf wrong
	"$heddle" trace assemble wrong.hasm -o wrong 2>err || fail "assemble: $(cat wrong.hasm err)"
	"$heddle" run -q "$1" wrong/kernelslist.g >err 2>&1
	test $? -eq 2 || fail "ran: $(cat wrong.hasm err)"
	grep -q "$2" err || fail "expected '$2': $(cat wrong.hasm err)"
}

# unwritten MESSAGE: the same, refused by the assembler
unwritten()
{
	cat >wrong.hasm
	"$heddle" trace assemble wrong.hasm -o wrong 2>err && fail "assembled: $(cat wrong.hasm)"
	grep -q "$1" err || fail "expected '$1': $(cat wrong.hasm err)"
}

# right NAME NETLIST [OPTION...]: it runs
right()
{
	name=$1 netlist=$2
	shift 2
	cat >"$name.hasm"
	"$heddle" trace assemble "$name.hasm" -o "$name" 2>err || fail "assemble: $(cat "$name.hasm" err)"
	"$heddle" run -q "$@" "$netlist" "$name/kernelslist.g" --events "$name.events" >err 2>&1 || fail "run: $(cat "$name.hasm" err)"
}

head='kernel k sm=90 shared=65536'
pair="$head grid=2 cluster=2 shared_base=0x7f0000000000 local_base=0x7f1000000000"
init='SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400 count=1'
inits='SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400+0x1000000*block count=1
UCGABAR_ARV
UCGABAR_WAIT'
wait='SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400 parity=0'

# ---- what an mbarrier cannot count (MB1, MB2, MB9) ----

for n in 0x80000000 0x100000001; do
	printf '%s\n' "$head" "$init" "SYNCS.ARRIVE.TRANS64.RED.ART0 RZ, [UR4], R2 mask=1 addr=0x400 values=$n" |
		wrong h100_sm.json 'pc 0x10: mbarrier 0x400: gets more than 1048575 arrivals at once'
done
printf '%s\n' "$pair" "$inits" 'blocks 0' 'SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x1000400 values=0x1000000ff' |
	wrong h100_gpc.json 'block 0, warp 0, pc 0x30: mbarrier 0x1000400: gets more than 1048575 bytes at once'
printf '%s\n' "$head" "$init" "UTMALDG.2D [UR8], [UR12] mask=1 addr=0x7f8000000000 desc=128*4:8192 bar=0x400 tx=1048576" |
	wrong h100_sm.json 'block 0: bytes arrive at mbarrier 0x400, which has 1048575 more than it expects'
printf '%s\n' "$head" "SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400 count=31" \
	'SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400 tx=16' 'ARRIVES.LDGSTSBAR.64.ARVCNT [R2] addr=0x400' |
	wrong h100_sm.json 'pc 0x20: mbarrier 0x400: gets more arrivals than its phase has'
printf '%s\n' "$head" "$init" 'NOP' 'SYNCS.CCTL.IV [UR4] mask=1 addr=0x400' \
	'SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR4], R2 mask=1 addr=0x400' |
	wrong h100_sm.json 'pc 0x30: mbarrier 0x400: has not been initialised'
printf '%s\n' "$head" "$init" 'SYNCS.ARRIVE.TRANS64.RED.OPTOUT.A1T0 RZ, [UR4], R2 mask=1 addr=0x400' \
	"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400 parity=1" |
	wrong h100_sm.json 'the wait never ends: its phase expects no arrival any more'

# ---- whose barrier it is, and whose memory ----

copy='UTMALDG.2D [UR8], [UR12] mask=1 addr=0x7f8000000000 desc=128*4:8192'
printf '%s\n' "$head" "$init" "$copy bar=0x404" | wrong h100_sm.json 'pc 0x10: bulk copy with an mbarrier that is not aligned'
{
	printf '%s\n' "$pair" "$inits" 'blocks 0' 'STAS [R2], R4 mask=1 addr=0x1000800 values=0x1000400' 'blocks 1'
	printf '[B------:R-:W-:Y:S15] NOP\n%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
	printf 'blocks *\n[B------:R-:W-:Y:S05] EXIT\n'
} | sed 's/^\([SU].*\)/[B------:R-:W-:-:S15] \1/' >late.hasm
wrong h100_gpc.json 'dsm: cycle [0-9]*: block 0 reaches the shared memory of another one of its cluster, which has ended' <late.hasm
printf '%s\n' "$head" 'STAS [R2], R4 mask=1 addr=0x1000800 values=0x1000400' |
	wrong h100_sm.json "address 0x1000800 is for another thread block of the cluster; expected 'cluster='"
printf '%s\n' "$head" 'STAS [R2], R4 mask=1 addr=0x800 values=0x400' |
	wrong h100_sm.json 'bytes arrive at mbarrier 0x400, which has not been initialised'
echo '{ "heddle": 1, "extends": "h100_sm.json", "rewire": [{ "link": { "to": "mbarrier.mbarrier" }, "from": "dsm.mbarrier" }] }' >open.json
printf '%s\n' "$head" "$init" "$copy bar=0x400" |
	wrong open.json "pc 0x10: bulk copy with an mbarrier, and the netlist links none to port 'mbarrier': 0x400"

# ---- registers that no warp gives back any more (RA4) ----

wrong h100_sm.json 'warp [0-9]*, pc 0x10: 240 registers: the other warps of the block cannot give back as many' <<END
kernel k sm=90 block=384 regs=168 shared=1024
warps 0-3
USETMAXREG.DEALLOC.CTAPOOL 0x28
warps 4-11
USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0
NOP
END

# ---- what says nothing ----

for word in SYNCS.FOO SYNCS.DEPBAR SYNCS.CTAPOOL SYNCS.ARRIVE.TRANS64.RED.A2T3; do
	printf '%s\n' "$head" "$word RZ, [UR4], R2 mask=1 addr=0x400 values=1" |
		wrong h100_sm.json "'$word' does not say what is known of its kind; expected such as SYNCS.ARRIVE.TRANS64"
done
for word in WARPGROUP.FOO WARPGROUP WARPGROUP.TRYWAIT 'USETMAXREG.FOO 0x18' 'USETMAXREG 0x18' 'USETMAXREG.ARRIVE 0x18'; do
	printf '%s\n' "$head" "$word" | wrong h100_sm.json "'${word% *}' does not say what is known"
done
printf '%s\n' "$head block=128" 'HGMMA.64x64x16x16.F32 R24, gdesc[UR4], R24, gsb0' |
	wrong h100_sm.json 'has no shape of a product of a warpgroup'
printf '%s\n' "$pair" "$copy bar=0x400 ctas=0x0" | unwritten '2:1: error: ctas= is 0; expected the set of thread blocks'
printf '%s\n' "$head" "$copy bar=0x400 tx=4294967296" | unwritten '2:1: error: tx= is 0x100000000; expected at most 0xffffffff'
printf '%s\n' "$head" 'WARPGROUP.DEPBAR.LE gsb0' | unwritten "2:1: error: 'WARPGROUP.DEPBAR.LE' has no number of groups"
printf '%s\n' "$head" 'BAR.SYNC 0x10, 0x20' | unwritten "2:1: error: 'BAR.SYNC' is for barrier 16; expected at most 15"
printf '%s\n' "$head" 'BAR.SYNC 0x10' | wrong h100_sm.json 'or a number of a barrier below 16'
printf '%s\n' "$head" 'BAR.ARV 0x1, 0xffffffff' | unwritten "2:1: error: 'BAR.ARV' is for 4294967295 threads; expected at most 1024"
cat >map.json <<END
{ "cubin": "$src/traces/samples/cuda/gemm.cubin", "buffers": { "a": "65536" },
  "maps": { "m": { "buffer": "a", "bytes": 2, "size": [64, 64], "stride": [128], "box": [64, 64], "swizzle": "x" } },
  "launches": [] }
END
expect 2 'map "m": expected ' "$heddle" trace record --launches map.json -o map

# ---- lines of a trace ----

# line MESSAGE LINE: between an initialisation and the end
line()
{
	{
		printf -- '-kernel name = v\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 2048\n-nregs = 32\n'
		printf -- '-binary version = 90\n-accelsim tracer version = 6\n#\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 3\n'
		echo '0000 00000001 1 UR63 SYNCS.EXCH.64 2 UR6 UR4 8 0 0x400 0 0 Val 1 0 1 400 1 7ffff800001ffffe'
		printf '%s\n0040 ffffffff 0 EXIT 0 0 0 0 NoVal\n#END_TB\n' "$2"
	} >line.traceg
	"$heddle" run -q h100_sm.json line.traceg >err 2>&1
	test $? -eq 2 || fail "ran: $2: $(cat err)"
	grep -q "line.traceg:15:[0-9]*: expected $1\|pc 0x10: .*$1" err || fail "expected '$1': $2: $(cat err)"
}
line 'the values of a register: 1 and one for all lanes, or 32 and one for each' \
	'0010 ffffffff 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 UR4 R0 8 1 0x400 0 0 0 Val 1 400 32 0 0 0'
line 'the values of a register' '0010 ffffffff 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 UR4 R0 8 1 0x400 0 0 0 Val 1 400 2 0 0'
line 'has an address of more than 32 bits' \
	'0010 00000001 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 UR4 R0 8 0 0x100000400 0 0 Val 1 400 1 0'
line 'as many bytes as its pieces have of this width' '0010 00000001 0 UTMALDG.2D 2 UR4 UR6 16 400 0 512 0 4 7f0000000000 4 64 64 64 0 0 NoVal'
line 'as many bytes as its pieces have of this width' '0010 00000001 0 UTMALDG.2D 2 UR4 UR6 0 400 0 512 0 4 7f0000000000 4 64 64 64 0 0 NoVal'
line 'the address of an mbarrier of 32 bits, and a set of 1 to 16 thread blocks' \
	'0010 00000001 0 UTMALDG.2D.MULTICAST 2 UR4 UR6 16 400 1 0 64 0 4 7f0000000000 4 64 64 64 0 0 NoVal'

# ---- what runs ----

# two arrivals of a warp behind its copies, and the form that waits for a byte instead
right copies h100_sm.json <<END
$head
SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400 count=32
SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x408 count=1
LDGSTS.E [R4], [R2.64] addr=0x7f8000000000+4*lane
ARRIVES.LDGSTSBAR.64.ARVCNT [R2] addr=0x400
SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [UR4], R2 addr=0x408
ARRIVES.LDGSTSBAR.64.TRANSCNT [R2] addr=0x408
SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR4], R2 mask=1 addr=0x408
SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 addr=0x400 parity=0
SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 addr=0x408 parity=0
END
test "$(grep -c ' phase cta' copies.events)" -eq 2 || fail "copies: $(cat copies.events)"
grep ' phase cta' copies.events | awk '{ exit !($1 > 200) }' || fail "copies: phases before they are done"

# behind a BAR that an instruction passes before it holds the warp
right slip h100_sm.json <<END
$head block=64
warps 0
[B------:R-:W-:Y:S15] NOP
[B------:R-:W-:Y:S15] NOP
[B------:R-:W-:Y:S15] NOP
[B------:R-:W-:Y:S15] NOP
[B------:R-:W-:-:S06] $init
warps *
[B------:R-:W-:-:S06] BAR.SYNC.DEFER_BLOCKING 0x0
warps 1
[B------:R-:W2:-:S02] $wait
[B--2---:R-:W-:-:S02] NOP
warps 0
[B------:R-:W-:-:S06] SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR4], R2 mask=1 addr=0x400
warps *
[B------:R-:W-:Y:S05] EXIT
END

# more instructions in the unit than it has places, with those that wait
right full h100_sm.json --set mbarrier.answer=1024 <<END
$head block=1024 regs=32
warps 0
[B------:R-:W-:-:S06] $init
warps *
[B------:R-:W-:-:S06] BAR.SYNC 0x0
[B------:R-:W-:Y:S15] NOP
warps 4-31
[B------:R-:W2:-:S02] $wait
[B--2---:R-:W-:-:S02] NOP
warps 0-3
repeat 70 {
[B------:R-:W-:-:S06] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x408+8*warp count=1
}
warps 0
[B------:R-:W-:-:S06] SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR4], R2 mask=1 addr=0x400
repeat 20 {
[B------:R-:W-:-:S06] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x408+8*warp count=1
}
warps *
[B------:R-:W-:Y:S05] EXIT
END

# clusters that come and go faster than the news that they have ended
right many h100_gpc.json <<END
kernel k sm=90 grid=16,16,16 cluster=2
NOP
END

# what a program repeats until the test succeeds is done once, and waits
right repeats h100_sm.json <<END
$head block=64
warps 0
$init
warps *
BAR.SYNC 0x0
warps 0
REPLAY_START
SYNCS.PHASECHK.TRANS64 P0, [UR4], R0 mask=1 addr=0x400 parity=0
REPLAY_END
NOP
warps 1
NOP
NOP
NOP
SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR4], R2 mask=1 addr=0x400
END
grep -q ' release warp=0' repeats.events || fail "repeats: $(cat repeats.events)"
"$heddle" trace pack repeats/kernelslist.g -o repeats.hpack || fail "pack repeats"
"$heddle" run -q h100_sm.json repeats.hpack --events packed.events || fail "run repeats.hpack"
cmp repeats.events packed.events || fail "repeats: packed"

# a copy to all of a cluster is late by as much, however many they are: 64 requests (TM14)
for blocks in 2 16; do
	for ctas in $(if test $blocks -eq 2; then echo 0x3; else echo 0xffff; fi) one; do
		test $ctas = one && several='' to='' only='blocks 0' || { several=.MULTICAST to=", UR16" only='blocks *'; }
		right "to$blocks$ctas" h100_gpc.json --set sms=16 <<END
$head grid=$blocks cluster=$blocks
SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400+0x1000000*block count=1
UCGABAR_ARV
UCGABAR_WAIT
$only
SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400+0x1000000*block tx=8192
blocks 0
UTMALDG.2D$several [UR8], [UR12]$to mask=1 addr=0x7f2000000000 desc=128*64:8192 bar=0x400 $(test $ctas = one || echo "ctas=$ctas")
$only
SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400+0x1000000*block parity=0
blocks *
UCGABAR_ARV
UCGABAR_WAIT
END
		awk '/tma.copy/ { n = 0 } /mbarrier.phase/ { print $1; exit }' "to$blocks$ctas.events" >"to$blocks$ctas.at"
	done
done
early=$(($(cat to20x3.at) - $(cat to2one.at))) late=$(($(cat to160xffff.at) - $(cat to16one.at)))
test "$early" -eq 99 && test "$late" -eq 99 || fail "to 2 blocks $early cycles more than to one, to 16 $late; measured 99"

# loads to one register, of which the first is not the last to come
right same h100_gpc.json <<END
$pair
[B------:R-:W-:-:S05] UCGABAR_ARV
[B------:R-:W-:-:S05] UCGABAR_WAIT
blocks 0
repeat 16 {
[B------:R-:W0:-:S02] LD.E.128 R4, [R2.64] addr=0x7f0001000800+16*lane
}
[B0-----:R-:W-:-:S02] NOP
blocks *
[B------:R-:W-:-:S05] UCGABAR_ARV
[B------:R-:W-:-:S05] UCGABAR_WAIT
[B------:R-:W-:Y:S05] EXIT
END
sed 's/repeat 16/repeat 1/' same.hasm | right once h100_gpc.json
passes() { awk '/[.]issue sched/ && /sm\[0\]/ && / pc=48$/ { print $1; exit }' "$1"; }
more=$(($(passes same.events) - $(passes once.events)))
test "$more" -gt 300 || fail "16 loads of 512 bytes take $more cycles more than one; at 19.9 bytes a cycle 386"

# the same from the own shared memory, with conflicts of banks, and from memory in front of it
head="$head shared_base=0x7f0000000000 local_base=0x7f1000000000"
after='[B0-----:R-:W-:-:S02] NOP
[B------:R-:W-:Y:S05] EXIT'
passed() { awk '/issue sched/ { before = last; last = $1 } END { print before + 0 }' "$1.events"; }
for step in 0 4; do
	{
		echo "$head"
		for i in 0 1 2 3 4 5 6 7; do
			echo "[B------:R-:W0:-:S02] LDS.128 R$((4 + step * i)), [R2] addr=0x800+512*lane"
		done
		echo "$after"
	} | right "step$step" h100_sm.json
done
test "$(passed step0)" -eq "$(passed step4)" || fail "8 loads to one register end at $(passed step0), to several at $(passed step4)"
right first h100_sm.json <<END
$head
[B------:R-:W0:-:S02] LDG.E R4, [R2.64] addr=0x7f8000000000+4*lane
[B------:R-:W0:-:S02] LDS R4, [R2] addr=0x800+4*lane
$after
END
grep -v LDS first.hasm | right alone h100_sm.json
test "$(passed first)" -eq "$(passed alone)" || fail "a load from memory ends at $(passed first), alone at $(passed alone)"

# a bulk load whose mbarrier is in another block goes there
right there h100_gpc.json <<END
$pair
$inits
blocks 1
SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x1000400 tx=512
SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x1000400 parity=0
blocks 0
$copy bar=0x1000400
blocks *
UCGABAR_ARV
UCGABAR_WAIT
END
grep ' phase cta' there.events | awk '{ exit !($1 > 600) }' || fail "there: $(grep phase there.events)"

# bytes for a block that has ended, whose place the next one has
gone='[B------:R-:W-:Y:S15] NOP
'
wrong h100_gpc.json 'block 0 reaches the shared memory of another one of its cluster, which has ended' <<END
kernel k sm=90 grid=200 cluster=2 shared=200000 shared_base=0x7f0000000000 local_base=0x7f1000000000
[B------:R-:W-:-:S15] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400+0x1000000*(block%2) count=1
[B------:R-:W-:-:S15] UCGABAR_ARV
[B------:R-:W-:-:S15] UCGABAR_WAIT
blocks 0
[B------:R-:W-:-:S15] STAS [R2], R4 mask=1 addr=0x1000800 values=0x1000400
blocks 1
$gone$gone$gone$gone$gone$gone$gone$gone$gone$gone$gone$gone$gone$gone$gone$gone$gone
blocks 2-199
[B------:R-:W-:-:S15] UCGABAR_ARV
[B------:R-:W-:-:S15] UCGABAR_WAIT
blocks *
[B------:R-:W-:Y:S05] EXIT
END

# a block that is its own cluster, whether the kernel says so or not
for alone in '' cluster=1; do
	right own h100_sm.json <<END
$head $alone
$init
SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400 tx=516
STAS [R2], R4 mask=1 addr=0x800 values=0x400
UBLKCP.S.S [UR8], [UR12], UR16 mask=1 addr=0x1000 desc=512 bar=0x400
SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400 parity=0
END
	mv own.events "own.$alone"
done
cmp own. own.cluster=1 || fail 'cluster=1 is not as no cluster'

# each of two warpgroups waits for a warp that issues late, behind more products of the other than there are places
for late in 1,4 0,7 2,5; do
	{
		printf '%s block=256\nwarps %s\n' "$head" "$late"
		printf '[B------:R-:W-:-:S15] NOP\n%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
		echo 'warps *'
		printf '[B------:R-:W-:-:S04] HGMMA.64x64x16.F32 R24, gdesc[UR4], R24\n%.0s' 1 2 3 4 5 6 7 8 9 10 11 12
		echo '[B------:R-:W-:-:S04] HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0
[B------:R-:W-:-:S02] WARPGROUP.DEPBAR.LE gsb0, 0x0
[B------:R-:W-:Y:S05] EXIT'
	} | right late h100_sm.json --check-modules
	test "$(grep -c ' start warp=' late.events)" -eq 26 || fail "late $late: $(tail -3 late.events)"
done

# copies between the shared memory of blocks that are alone, on all SMs
right moves h100_gpc.json <<END
$head grid=4
$init
SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400 tx=512
UBLKCP.S.S [UR8], [UR12], UR16 mask=1 addr=0x1000 desc=512 bar=0x400
SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400 parity=0
END

# the last copy of a warp that ends, at any distance from what its block waits for
for nops in $(seq 14 26); do
	{
		printf '%s block=64\nwarps 0\n' "$head"
		echo "[B------:R-:W-:-:S15] $init
[B------:R-:W-:-:S15] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x408 count=1
[B------:R-:W-:-:S06] SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x408 tx=96
[B------:R-:W2:-:S02] SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x408 parity=0
[B--2---:R-:W-:-:S02] NOP
warps 1
[B------:R-:W-:-:S15] NOP
[B------:R-:W-:-:S15] NOP
[B------:R-:W-:-:S02] SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR4], RZ mask=1 addr=0x400"
		for n in $(seq "$nops"); do echo '[B------:R-:W-:-:S01] NOP'; done
		echo '[B------:R-:W-:-:S02] UBLKCP.S.G [UR4], [UR6], UR8 mask=1 addr=0x7f8000000000 desc=96 bar=0x408
warps *
[B------:R-:W-:Y:S05] EXIT'
	} | right late h100_sm.json
done

# arrivals at another block come before its barrier of the cluster opens behind a fence
right arrivals h100_gpc.json <<END
$(echo "$pair" | sed 's/shared_base=.*/block=128 &/')
warps 0
[B------:R-:W-:-:S06] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400+0x1000000*block count=512
warps *
[B------:R-:W-:-:S05] UCGABAR_ARV
[B------:R-:W-:-:S05] UCGABAR_WAIT
repeat 4 {
[B------:R-:W-:-:S06] SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR8], RZ addr=0x1000400-0x1000000*block
}
[B------:R-:W0:-:S06] MEMBAR.ALL.GPU
[B0-----:R-:W-:-:S05] UCGABAR_ARV
[B------:R-:W-:-:S05] UCGABAR_WAIT
[B------:R-:W-:Y:S05] EXIT
END
test "$(grep -c 'mbarrier.phase' arrivals.events)" -eq 2 || fail "arrivals: $(tail -3 arrivals.events)"

# registers: what a warp gives that waits itself, and the order of evaluation
right chain h100_sm.json <<END
kernel k sm=90 block=96 regs=40
warps 2
repeat 20 {
[B------:R-:W-:Y:S15] NOP
}
[B------:R-:W-:-:S15] USETMAXREG.DEALLOC.CTAPOOL 0x18
warps 1
[B------:R-:W-:Y:S15] NOP
[B------:R-:W-:-:S15] USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0x30
[B------:R-:W-:-:S15] USETMAXREG.DEALLOC.CTAPOOL 0x18
warps 0
[B------:R-:W-:-:S15] USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0x48
warps *
[B------:R-:W-:Y:S05] EXIT
END
right taken h100_gpc.json --set sms=2 --check-modules <<END
kernel k sm=90 block=256 regs=64
[B------:R-:W-:Y:S02] USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0x40
[B------:R-:W-:Y:S05] EXIT
END

# an arrival behind a barrier that holds its warp later (BL3), at the same one
right behind h100_sm.json <<END
kernel k sm=90 block=64
warps 1
repeat 5 {
[B------:R-:W-:Y:S15] NOP
}
warps *
[B------:R-:W-:-:S06] BAR.SYNC 0x1, 0x40
warps 0
[B------:R-:W-:-:S06] BAR.ARV 0x1, 0x40
warps 1
[B------:R-:W-:-:S06] BAR.SYNC 0x1, 0x40
warps *
[B------:R-:W-:Y:S05] EXIT
END

# bytes as the tracer lists them are one copy; a box outside of its tensor
for desc in 2048 16*128:16; do
	right "bytes$desc" h100_sm.json <<END
$head
$init
SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400 tx=2048
UBLKCP.S.G [UR4], [UR6], UR8 mask=1 addr=0x7f8000000000 desc=$desc bar=0x400
SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400 parity=0
END
done
cmp bytes2048.events 'bytes16*128:16.events' || fail 'bytes in pieces of 16'
right outside h100_sm.json <<END
$head
$init
SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400 tx=512
UTMALDG.2D [UR8], [UR12] mask=1 addr=0x7f8000000000 desc=0 tx=512 bar=0x400
SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400 parity=0
END
"$heddle" trace print outside/kernelslist.g >back.hasm && grep -q 'desc=0 tx=512' back.hasm || fail "outside: $(cat back.hasm)"
printf '%s\n' "$head" "$copy bar=0x400" | sed 's/desc=[^ ]*/desc=0/' | unwritten 'copies nothing; expected bytes in desc=, or tx='
printf '%s\n' "$head block=128" 'HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0 mask=0xffff' |
	wrong h100_sm.json 'a product of some lanes of the warp'

# two blocks that load from each other share their way
right each h100_gpc.json <<END
$(echo "$pair" | sed 's/shared_base=.*/block=1024 &/')
[B------:R-:W-:-:S05] UCGABAR_ARV
[B------:R-:W-:-:S05] UCGABAR_WAIT
repeat 4 {
[B------:R-:W0:-:S02] LD.E.128 R4, [R2.64] addr=0x7f0000000800+0x1000000*((block+1)%2)+16*lane+512*warp
}
[B0-----:R-:W-:-:S02] IADD3 R9, R9, R9, RZ
[B------:R-:W-:-:S05] EXIT
END
awk '/issue sched/ && / pc=64$/ { last[$2] = $1 } END { for (i in last) print i, last[i] }' each.events >each.at
test -s each.at && awk 'NR == 1 { low = high = $2 } { if ($2 < low) low = $2; if ($2 > high) high = $2 } END { exit high - low > 400 }' each.at ||
	fail "each: $(cat each.at)"

# instructions of products without lanes are none
right off h100_sm.json <<END
$head block=128
HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0
@!PT HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0
WARPGROUP.DEPBAR.LE gsb0, 0x0
END
test "$(grep -c ' commit ' off.events)" -eq 1 || fail "off: $(cat off.events)"

# a test behind a BAR, evaluated before and after it
for seed in 5 11 19 24; do
	right order h100_sm.json --shuffle $seed <<END
$head block=128
[B------:R-:W-:-:S15] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400 count=1
[B------:R-:W-:Y:S15] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x408 count=1
warps 0
[B------:R-:W-:-:S13] SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x408 tx=704
warps *
[B------:R-:W-:-:S01] BAR.SYNC.DEFER_BLOCKING 0x0
warps 0
[B------:R-:W2:Y:S02] SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400 parity=1
[B--2---:R-:W-:Y:S09] NOP
warps *
[B------:R-:W-:Y:S05] EXIT
END
	sort order.events >"order$seed"
	cmp order5 "order$seed" || fail "order: --shuffle $seed"
done
done_testing
