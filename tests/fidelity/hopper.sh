#!/bin/sh
# hopper.sh - an SM of an H100: integer minima and maxima take as long as on hardware
# SPDX-License-Identifier: BSD-2-Clause
#
# Measured: by HPMLL/NVIDIA-Hopper-Benchmark (NewFeatures/DPX) on an H800 PCIe: cycles of 1,024 instructions of a chain,
# and of those of 1,024 threads.  Its loops took no cycles of their own: 1,024 of a chain have 21 more than 4 each, those
# of two instructions 21 more than 8.  So nothing else is in these.
. "${srcdir:-.}/tests/lib.sh"
needs python3

# minima NAME BLOCK MEASURED PERCENT INSTRUCTION...: 1,024 times these; cycles between the clock's reads
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
	expect 0 '' "$heddle" run -q --stats minima.json h100_sm.json minima/kernelslist.g
	$python - "$measured" "$percent" >found <<'PY' || fail "$name: $(cat found)"
import json, sys
reads = [r["cycle"] for r in json.load(open("minima.json"))["clock_reads"]]
found, measured = max(reads) - min(reads), float(sys.argv[1])
print("%d cycles, measured %d" % (found, measured))
sys.exit(abs(found / measured - 1) > float(sys.argv[2]) / 100)
PY
	echo "$name: $(cat found)"
}
chain='[B------:R-:W-:-:S04]' loop='[B------:R-:W-:-:S02]'
minima "a chain of viaddmax_s16x2" 1 4117 1 "$chain VIADDMNMX.S16x2 R2, R2, R3, R4, !PT"
minima "a chain of two, vimax3_s32" 1 8213 1 "$chain VIMNMX R2, R2, R3, !PT" "$chain VIMNMX R2, R2, R4, !PT"
minima "vimax3_s32_relu, 63.6 of 64 lanes" 1024 65901 2 "$loop VIMNMX.RELU R2, R2, R3, !PT" \
	"$loop VIMNMX.RELU R3, R3, R4, !PT" "$loop VIMNMX.RELU R4, R4, R5, !PT" "$loop VIMNMX.RELU R5, R5, R6, !PT"
minima "vibmax_s32, two instructions" 1024 131420 2 \
	"$loop VIMNMX R2, R2, R3, !PT" "$loop ISETP.GE.AND P0, PT, R2, R3, PT" \
	"$loop VIMNMX R3, R3, R4, !PT" "$loop ISETP.GE.AND P1, PT, R3, R4, PT" \
	"$loop VIMNMX R4, R4, R5, !PT" "$loop ISETP.GE.AND P2, PT, R4, R5, PT" \
	"$loop VIMNMX R5, R5, R6, !PT" "$loop ISETP.GE.AND P3, PT, R5, R6, PT"
