#!/bin/sh
# hopper.sh - SMs of an H100 and an A100: integer minima and maxima take as long as on hardware
# SPDX-License-Identifier: BSD-2-Clause
#
# Measured: by HPMLL/NVIDIA-Hopper-Benchmark (NewFeatures/DPX) on an H800 PCIe and an A100: cycles of 1,024 instructions of
# a chain, and of those of 1,024 threads.  On the H800 the loops took no cycles of their own: CUDA 12.4 and 13 make straight
# code of them.  A chain of __viaddmax_s32() takes 10 cycles a link on both, which are those of IMAD.IADD and a maximum.
. "${srcdir:-.}/tests/lib.sh"
needs python3

# clocked NAME MEASURED PERCENT: cycles between the clock's first read and its last one
clocked()
{
	$python - "$2" "$3" >found <<'PY' || fail "$1: $(cat found)"
import json, sys
reads = [r["cycle"] for r in json.load(open("clock.json"))["clock_reads"]]
found, measured = max(reads) - min(reads), float(sys.argv[1])
print("%d cycles, measured %d" % (found, measured))
sys.exit(abs(found / measured - 1) > float(sys.argv[2]) / 100)
PY
	echo "$1: $(cat found)"
}

# minima NAME BLOCK MEASURED PERCENT INSTRUCTION...: 1,024 times these
minima()
{
	name=$1 block=$2 measured=$3 percent=$4
	shift 4
	{
		echo "kernel minima block=$block sm=90"
		echo '[B------:R-:W-:-:S10] BAR.SYNC 0x0'
		echo '[B------:R-:W-:-:S01] CS2R.32 R11, SR_CLOCKLO'
		echo 'repeat 1024 {'
		printf '%s\n' "$@"
		echo '}'
		echo '[B------:R-:W-:-:S10] BAR.SYNC 0x0'
		echo '[B------:R-:W-:-:S01] CS2R.32 R12, SR_CLOCKLO'
		echo '[B------:R-:W-:-:S05] EXIT'
	} >minima.hasm
	expect 0 '' "$heddle" trace assemble minima.hasm -o minima
	expect 0 '' "$heddle" run -q --stats clock.json h100_sm.json minima/kernelslist.g
	clocked "$name" "$measured" "$percent"
}

# maxima KERNEL BLOCK NETLIST MEASURED PERCENT: of maxima.cu
maxima()
{
	expect 0 '' "$heddle" trace record --cubin "$src/tests/fidelity/maxima.cubin" --kernel "$1" --grid 1 --block "$2" \
		--args buf:4096,buf:4096,buf:4096 -o maxima.hpack
	expect 0 '' "$heddle" run -q --stats clock.json "$3" maxima.hpack
	clocked "$1 on $3" "$4" "$5"
}

chain='[B------:R-:W-:-:S04]' loop='[B------:R-:W-:-:S02]'
minima "a chain of viaddmax_s16x2" 1 4117 1 "$chain VIADDMNMX.S16x2 R2, R2, R3, R4, !PT"
minima "a chain of two, vimax3_s32" 1 8213 1 "$chain VIMNMX R2, R2, R3, !PT" "$chain VIMNMX R2, R2, R4, !PT"
minima "vimax3_s32_relu, 63.6 of 64 lanes" 1024 65901 2 "$loop VIMNMX3.RELU R7, R7, R8, R5, !PT" \
	"$loop VIMNMX3.RELU R8, R8, R5, R3, !PT" "$loop VIMNMX3.RELU R5, R5, R3, R4, !PT" "$loop VIMNMX3.RELU R6, R6, R7, R8, !PT"
minima "vibmax_s32, two instructions" 1024 131420 2 \
	"$loop VIMNMX R2, R2, R3, !PT" "$loop ISETP.GE.AND P0, PT, R2, R3, PT" \
	"$loop VIMNMX R3, R3, R4, !PT" "$loop ISETP.GE.AND P1, PT, R3, R4, PT" \
	"$loop VIMNMX R4, R4, R5, !PT" "$loop ISETP.GE.AND P2, PT, R4, R5, PT" \
	"$loop VIMNMX R5, R5, R6, !PT" "$loop ISETP.GE.AND P3, PT, R5, R6, PT"
# not measured: NVIDIA publishes 64 results a cycle of an SM for products of integers
minima "IMAD" 1024 65536 1 "$loop IMAD R2, R2, R3, R4" "$loop IMAD R3, R3, R4, R5" "$loop IMAD R4, R4, R5, R6" "$loop IMAD R5, R5, R6, R7"
# __viaddmax_s32() of the compiler that HP had is two instructions
maxima maxima 1024 h100_sm.json 71139 2
maxima maxima_chain 32 h100_sm.json 10255 1
# the first launch of straight code finds it in the cache of its GPC
maxima maxima_chain 32 h100_pcie.json 10255 1
maxima maxima 1024 a100.json 71878 2
maxima maxima_chain 32 a100.json 10327 1

# hop NAME NETLIST LINE...: cycles of one pass of a loop
hop()
{
	name=$1 netlist=$2
	shift 2
	for n in 20 40; do
		{
			echo 'kernel hop block=32 sm=90 shared=100000'
			echo '[B------:R-:W-:-:S06] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400 count=1'
			printf '[B------:R-:W-:Y:S15] NOP\n[B------:R-:W-:Y:S15] NOP\n'
			printf '%s\n' "repeat $n k {" "$@" '}' '[B0-----:R-:W-:Y:S05] EXIT'
		} >hop.hasm
		expect 0 '' "$heddle" trace assemble hop.hasm -o hop
		expect 0 '' "$heddle" run -q --stats "$n.json" "$netlist" hop/kernelslist.g
	done
	cycles=$($python -c 'import json; print((json.load(open("40.json"))["cycles"] - json.load(open("20.json"))["cycles"]) // 20)')
	echo "$name on $netlist: $cycles cycles"
}

# a chain of copies of 16 bytes in the second-level cache, with a load of the next address from shared memory: 365 to 369
# cycles on an H800 PCIe (HP), where one of loads takes 264; the way of a load depends on the slice
for netlist in h100_sm.json h100_pcie.json h200.json; do
	hop "a copy" "$netlist" \
		'[B0-----:R1:W-:-:S04] UBLKCP.S.G [UR8], [UR12], UR16 mask=1 addr=0x7f0000000000 desc=16 bar=0x400' \
		'[B------:R-:W-:-:S06] SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400 tx=16' \
		'[B------:R-:W2:-:S02] SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400 parity=k' \
		'[B-12---:R-:W0:-:S02] LDS R2, [R2] mask=1 addr=0x800'
	copy=$cycles
	hop "a load" "$netlist" '[B0-----:R-:W0:-:S04] LDG.E.STRONG.GPU R2, [R2.64] mask=1 addr=0x7f0000000000'
	if test "$netlist" = h100_sm.json; then
		test "$copy" -ge 347 && test "$copy" -le 387 || fail "a copy on $netlist: $copy cycles, measured 365 to 369"
	else
		more=$((copy - cycles))
		test "$more" -ge 98 && test "$more" -le 108 || fail "a copy on $netlist: $more cycles more than a load, measured 101 to 105"
	fi
done

# a kernel that does nothing, on an H200 (FG)
printf 'kernel empty grid=132 block=32 sm=90\nEXIT\n' >empty.hasm
expect 0 '' "$heddle" trace assemble empty.hasm -o empty
expect 0 '' "$heddle" run -q --stats empty.json h200.json empty/kernelslist.g
cycles=$($python -c 'import json; print(json.load(open("empty.json"))["cycles"])')
test "$cycles" -ge 8612 && test "$cycles" -le 8786 || fail "an empty kernel: $cycles cycles, measured 8699"
done_testing
