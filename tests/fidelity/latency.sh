#!/bin/sh
# latency.sh - netlists of whole GPUs: loads and arithmetic take as long as on hardware, loads for each footprint
# SPDX-License-Identifier: BSD-2-Clause
#
# Measured: cycles for each load of a chain of pointers, by gpu-latency of RRZE-HPC/gpu-benches on an A100 and an A40, whose
# chip is that of the RTX A6000, on a V100, and on an H100 PCIe.  latency.cu walks along such a chain; it was compiled by
# CUDA 13, and for sm_70, which that does not have, by CUDA 11.8.
. "${srcdir:-.}/tests/lib.sh"
needs python3

# Arguments: EXPRESSION of what runs of heddle tell, UNIT, MEASURED, PERCENT
cat >row.py <<'PY'
import json, sys
def stats(name):
    return json.load(open("%s.json" % name))
def cycles(few, many): # that the longer of two runs takes more
    return stats(many)["cycles"] - stats(few)["cycles"]
def kernel(n):
    return stats("stats")["kernels"][n]["cycles"]
def clocked(reads=2): # between the last two of so many times that the program read its clock
    *before, a, b = (r["cycle"] for r in stats("stats")["clock_reads"])
    assert len(before) == reads - 2
    return b - a
def loaded(name): # by bulk copies
    return sum(i["loaded"] for i in stats(name)["instances"].values() if i["module"] == "tma")
found, measured = eval(sys.argv[1]), float(sys.argv[3])
print("%.*f %s, measured %s" % (2 if measured < 20 else 1, found, sys.argv[2], sys.argv[3]))
sys.exit(abs(found / measured - 1) > float(sys.argv[4]) / 100)
PY

# close NAME EXPRESSION UNIT MEASURED PERCENT
close()
{
	name=$1
	shift
	$python row.py "$@" >found || fail "$name: $(cat found)"
	echo "$name: $(cat found)"
}

# walk NAME NETLIST LINES SPACING WARM LOADS MEASURED PERCENT [OPTION]...: without loads to warm up only the walk is
# simulated, with caches that are empty
walk()
{
	name=$1 netlist=$2 lines=$3 spacing=$4 warm=$5 loads=$6 measured=$7 percent=$8
	shift 8
	case $netlist in v100*) cubin=latency_70 ;; *) cubin=latency ;; esac
	cat >launches.json <<JSON
{ "cubin": "$src/tests/fidelity/$cubin.cubin", "buffers": { "a": "$((lines * spacing))", "out": "8" }, "launches": [
  { "kernel": "chain", "grid": 1, "block": 32, "args": "@a,i32:$lines,i32:$spacing,i32:7" },
  { "kernel": "walk", "grid": 1, "block": 1, "args": "@a,i32:$warm,i32:$loads,@out" } ] }
JSON
	"$heddle" trace record --launches launches.json -o walk.hpack || fail "$name: record"
	"$heddle" run -q --kernel 2-2 --stats stats.json "$@" "$netlist" walk.hpack >log 2>&1 || fail "$name: $(cat log)"
	close "$name on $netlist" "clocked() / $loads" cycles "$measured" "$percent"
}

walk L1D a100.json 512 128 512 1024 33.4 3
walk L2 a100.json 2239 128 2240 1024 205.1 3
walk DRAM a100.json 1024 65536 0 1024 550.2 3
a40="--set clocks.core.mhz=1740 --set clocks.network.mhz=1740 --set clocks.l2.mhz=1740 --set clocks.dram.mhz=3625"
# shellcheck disable=SC2086
{
	walk L1D rtx_a6000.json 512 128 512 1024 33.4 3 $a40
	walk L2 rtx_a6000.json 2239 128 2240 1024 250.4 3 $a40
	walk DRAM rtx_a6000.json 1024 65536 0 1024 546.7 3 $a40
}

walk L1D v100.json 512 128 512 1024 28.3 3
walk L2 v100.json 2239 128 2240 1024 212.1 3
walk DRAM v100.json 1024 65536 0 1024 429 3

walk L1D h100_pcie.json 512 128 512 1024 34.2 3
walk L1D h100_pcie.json 1728 128 1728 1024 34.8 5
walk L2 h100_pcie.json 2239 128 2240 1024 265.5 2
walk DRAM h100_pcie.json 1024 65536 0 1024 650 2
walk L2 gh200.json 2239 128 2240 1024 280.4 2

# footprint NETLIST KIB MEASURED PERCENT [OPTION]...: as gpu-latency does, loads of every 64 bytes in an order that looks
# random, 1,000,000 of them from the same begin on after as many, or as many as the footprint has; all of it, and the sets
# of the second-level cache, 16 times smaller, and with an eighth of the banks, so that as many rows share one as do then.
# The kernel in between makes the last one begin in the same partition.
footprint()
{
	netlist=$1 lines=$2 measured=$3 percent=$4
	shift 4
	loads=$((lines < 62500 ? 62496 : lines / 32 * 32))
	walk="\"kernel\": \"walk\", \"grid\": 1, \"block\": 1, \"args\": \"@a,i32:0"
	cat >launches.json <<JSON
{ "cubin": "$src/tests/fidelity/latency.cubin", "buffers": { "a": "$((lines * 64))", "out": "8" }, "launches": [
  { "kernel": "shuffled_chain", "grid": 1, "block": 1024, "args": "@a,i32:$lines,i32:64" },
  { $walk,i32:$loads,@out" }, { $walk,i32:0,@out" }, { $walk,i32:$loads,@out" } ] }
JSON
	"$heddle" trace record --launches launches.json -o walk.hpack || fail "footprint: record"
	"$heddle" run -q --kernel 2-4 --stats stats.json --set l2.sets=16 --set dram.banks=4 --set map.bank_index=linear \
		--set map.layout=00000000.00000000.00000000.00000000.000RRRRR.RRRRRRRR.RRRBCCCB.CCCSSSSS \
		"$@" "$netlist" walk.hpack >log 2>&1 || fail "footprint: $(cat log)"
	close "a footprint of $lines KiB on $netlist" "clocked(6) / $loads" cycles "$measured" "$percent"
}
footprint h100_pcie.json 29207 403.2 5
if test -n "$HEDDLE_ALL"; then
	footprint h100_pcie.json 19946 265.5 5
	footprint h100_pcie.json 24136 275.1 5
	footprint h100_pcie.json 26551 319.6 5
	footprint h100_pcie.json 32129 461.5 5
	footprint h100_pcie.json 42767 475.1 5
	footprint h100_pcie.json 51750 484.3 5
	footprint h100_pcie.json 56926 563.4 5
	footprint h100_pcie.json 62620 626.5 5
fi

# second_level NETLIST RUNS MEASURED PERCENT: blocks of 1,024 threads read so many runs of 512 KiB together, as gpu-l2-cache
# does, by about a third of the SMs with as much of the slices, so what is measured is of more runs; four waves of blocks
# behind the first six; bytes in a cycle of all SMs
second_level()
{
	case $1 in
	h100_pcie.json) sms=34 all=114 few="--set gpcs=1 --set channels=24 --set dispatcher.gpcs=[16,18]" ;;
	*) sms=44 all=132 few="--set gpcs=1 --set gpc_sms=12 --set last_sms=16 --set channels=32 --set dispatcher.gpcs=[12,16,16]" ;;
	esac
	for waves in 6 10; do
		cat >launches.json <<JSON
{ "cubin": "$src/tests/fidelity/stream.cubin", "buffers": { "a": "$(($2 * 524288))", "out": "8192" }, "launches": [
  { "kernel": "sums", "grid": $((2 * sms * waves)), "block": 1024, "args": "@out,@a,i32:$2" } ] }
JSON
		"$heddle" trace record --launches launches.json -o sums.hpack || fail "second level: record"
		# shellcheck disable=SC2086
		"$heddle" run -q --stats "$waves.json" $few "$1" sums.hpack || fail "second level: run"
	done
	close "$2 runs in the second-level cache of $1" "8 * 524288 * $all / cycles(6, 10)" "bytes a cycle" "$3" "$4"
}
if test -n "$HEDDLE_ALL"; then # 8,533, 35,840, 44,373, 102,400 KiB of all: between the two footprints around it
	second_level h100_pcie.json 5 4000 5
	second_level h100_pcie.json 21 3916 5
	second_level h100_pcie.json 26 2386 5
	second_level h100_pcie.json 60 1134 5
	second_level gh200.json 7 5050 5 # 10,752, 38,400 KiB
	second_level gh200.json 25 4827 5
fi

# stream read|write NETLIST SMS THREADS:MEASURED...: blocks of a double for each thread are read, or written, two of them at a
# time on an SM, as gpu-stream of gpu-benches does; bytes in a cycle of the whole GPU, of the blocks of an SM from number
# `from` to number `to`
from=16 to=48
stream()
{
	kernel=$1 netlist=$2 sms=$3
	shift 3
	for row; do
		threads=${row%:*}
		for blocks in "$from" "$to"; do
			n=$((sms * blocks * threads))
			cat >launches.json <<JSON
{ "cubin": "$src/tests/fidelity/stream.cubin", "buffers": { "a": "$((n * 8))" }, "launches": [
  { "kernel": "stream_$kernel", "grid": $((sms * blocks)), "block": $threads, "shared": 94000, "args": "@a,@a,i64:$n,i32:0" } ] }
JSON
			"$heddle" trace record --launches launches.json -o stream.hpack || fail "stream: record"
			"$heddle" run -q --stats "$blocks.json" "$netlist" stream.hpack >log 2>&1 || fail "stream: $(cat log)"
		done
		close "$kernel of $threads threads on $netlist" "$((sms * threads * 8 * (to - from))) / cycles($from, $to)" \
			"bytes a cycle" "${row#*:}" 5
	done
}
stream read h100_pcie.json 114 32:54.7
stream write h100_pcie.json 114 32:129.9
if test -n "$HEDDLE_ALL"; then
	stream read h100_pcie.json 114 128:209.7 256:400.0 512:718.5 1024:1107
	stream write h100_pcie.json 114 128:506.0
	stream read gh200.json 132 32:62.1 128:244.9 256:472.2 512:862.1 1024:1391.9
	stream write gh200.json 132 32:150.0 128:587.4 512:1853.5
	from=60 to=100 # the second-level cache is full of modified lines
	stream write h100_pcie.json 114 1024:1149
	from=80 to=144
	stream write gh200.json 132 1024:1961.6
fi

# copies FORM BLOCKS BYTES DESCRIPTOR ADDRESS MEASURED PERCENT: each block copies BYTES from memory to shared memory, waits
# until they are there, and copies the next ones, as HPMLL/NVIDIA-Hopper-Benchmark does on an H800 PCIe; GiB a second, of the
# copies of a block from number `from` to number `to`, as before the 21st it counts how SMs began
from=20 to=80
copies()
{
	case $1 in
	bulk) form='UBLKCP.S.G [UR4], [UR6], UR8' ;;
	row) form='UTMALDG.1D [UR4], [UR6]' ;;
	*) form='UTMALDG.2D [UR4], [UR6]' ;;
	esac
	for n in "$from" "$to"; do
		cat >copies.hasm <<HASM
kernel copies grid=$2 block=32 sm=90 shared=48000
[B------:R-:W-:-:S06] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400 count=1
[B------:R-:W-:Y:S08] NOP
repeat $n k {
again: [B------:R-:W-:-:S06] SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400 tx=$3
[B------:R1:W-:-:S04] $form mask=1 addr=0x7f0000000000+$5 desc=$4 bar=0x400
[B------:R-:W2:-:S02] SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400 parity=k
[B-12---:R-:W-:Y:S05] @P1 BRA again
 }
[B------:R-:W-:-:S05] EXIT
HASM
		"$heddle" trace assemble copies.hasm -o copies || fail "copies: assemble"
		"$heddle" run -q --stats "$n.json" h100_pcie.json copies/kernelslist.g || fail "copies: run"
	done
	size=$(($2 * $3))
	# nothing if bytes are lost
	close "copies, $1, of $3 bytes by $2 blocks" "(loaded($to) == $to * $size) * $((to - from)) * $size / cycles($from, $to) * 1755e6 / 2 ** 30" \
		"GiB a second" "$6" "$7"
}
# bulk BLOCKS KIB MEASURED PERCENT: of neighbouring bytes
bulk()
{
	copies bulk "$1" $(($2 * 1024)) $(($2 * 1024)) "$(($2 * 1024))*(block+$1*k)" "$3" "$4"
}
# row BLOCKS BYTES MEASURED PERCENT: the same of a tensor of one dimension
row()
{
	copies row "$1" "$2" "$2" "$2*(block+$1*k)" "$3" "$4"
}
# box BLOCKS WIDTH HEIGHT MEASURED PERCENT: of words, in a tensor of 32,768 in a row
box()
{
	across=$((32768 / $2)) tile="(block+$1*k)"
	copies box "$1" $(($2 * $3 * 4)) "$(($2 * 4))*$3:131072" "$(($2 * 4))*($tile%$across)+$((131072 * $3))*($tile/$across)" "$4" "$5"
}

# solid BLOCKS WIDTH HEIGHT DEPTH MEASURED PERCENT: boxes of words, in a tensor of 1,024 x 1,024 x 1,024
solid()
{
	across=$((1024 / $2)) plane=$((1024 / $2 * (1024 / $3))) tile="(block+$1*k)"
	copies box "$1" $(($2 * $3 * $4 * 4)) "$(($2 * 4))*$3:4096*$4:4194304" \
		"$(($2 * 4))*($tile%$across)+$((4096 * $3))*($tile%$plane/$across)+$((4194304 * $4))*($tile/$plane)" "$5" "$6"
}

# bulk_hits MEASURED PERCENT: each SM of an H200 at 1,785 MHz copies pieces of 16 KiB, eight of them in flight, of 19 that
# are its own and together 40 MB in the second-level cache after the first round; bytes in a cycle of the whole GPU
bulk_hits()
{
	barriers="0 1 2 3 4 5 6 7"
	command="mask=1 addr=0x7f0000000000+311296*block+16384"
	for n in 30 68; do
		{
			echo "kernel bulk grid=132 block=32 sm=90 shared=132096"
			for k in $barriers; do
				echo "[B------:R-:W-:-:S06] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400+8*$k count=1"
			done
			cat <<HASM
repeat 8 k {
[B------:R-:W-:-:S06] SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400+8*k tx=16384
[B------:R1:W-:-:S04] UBLKCP.S.G [UR4], [UR6], UR8 $command*k desc=16384 bar=0x400+8*k
}
repeat $n k {
[B------:R-:W2:-:S02] SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400+8*(k%8) parity=k/8
[B--2---:R-:W-:-:S06] SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400+8*(k%8) tx=16384
[B------:R1:W-:-:S04] UBLKCP.S.G [UR4], [UR6], UR8 $command*((k+8)%19) desc=16384 bar=0x400+8*(k%8)
}
repeat 8 k {
[B------:R-:W2:-:S02] SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400+8*((k+$n)%8) parity=(k+$n)/8
[B--2---:R-:W-:-:S06] NOP
}
[B-12---:R-:W-:-:S05] EXIT
HASM
		} >bulk.hasm
		"$heddle" trace assemble bulk.hasm -o bulk || fail "copies that hit: assemble"
		"$heddle" run -q --stats "$n.json" --set clocks.core.mhz=1785 --set clocks.l2.mhz=1785 --set clocks.network.mhz=1907 \
			h200.json bulk/kernelslist.g || fail "copies that hit: run"
	done
	close "copies from the second-level cache of an H200" "132 * 38 * 16384 / cycles(30, 68)" "bytes a cycle" "$1" "$2"
}
bulk 114 1 222.8 5
box 114 16 16 177.6 5
if test -n "$HEDDLE_ALL"; then
	bulk 114 2 422.3 5
	bulk 114 4 759.4 5
	bulk 114 8 1229 5
	bulk 114 12 1510 5
	bulk 114 16 1708 5
	bulk 228 4 1312 5
	bulk 342 4 1618 5
	bulk 456 1 830.3 5
	bulk 456 2 1379.8 5
	bulk 456 4 1748 5
	bulk 456 8 1803 5
	bulk 456 16 1826 5
	row 114 512 108.8 5
	row 114 1024 207.8 5
	row 114 2048 396.0 5
	row 456 512 425.7 5
	row 456 1024 779.6 5
	row 456 2048 1328 5
	box 114 32 16 348.9 5
	box 114 32 32 630.5 5
	box 114 64 32 1133 5
	box 114 96 32 1415 5
	box 114 64 64 1625 5
	box 228 32 16 667.6 5
	box 456 64 32 1813 5
	box 456 96 32 1821 5
	box 456 64 64 1817 5
	solid 114 8 8 4 170.2 5
	solid 114 8 8 8 309.8 5
	solid 114 16 8 8 575.0 5
	solid 456 8 8 8 1010 5
	from=6 to=24 # later copies are 5 to 6 % fast (docs/hopper.md)
	box 456 32 32 1645 5
	solid 456 8 8 4 616.6 5
	solid 456 16 16 8 1777 5
	bulk_hits 4118 5
fi

# gpu-strides: words in the L1D, a number of them apart, or in rows of so many, by a block of 1,024 threads: cycles a load.
# The source reads 32 and 16 different rows of words from some offsets on; how many tags were looked up was counted, too, and
# that fits only these: 128 threads are different, with the offsets below.
cat >strides.py <<'PY'
import sys
netlist, kind, n, times = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
a100 = [0, 3, 5, 10, 12, 15, 17, 20, 22, 24, 26, 30, 32, 35, 38, 40, 43, 45]
gh200 = [0, 4, 8, 12, 20, 16, 24, 32] if kind == "stride" else [4, 8, 12, 16, 20, 24, 28, 32]
offsets, sm = (a100, 80) if netlist.startswith("a100") else (2 * gh200, 90) # two rounds: the loop itself is not measured
print("kernel strides block=1024 sm=%d regs=64\nrepeat %d {" % (sm, times))
for warp in range(32):
    t = range(32 * warp, 32 * warp + 32)
    words = [i % 128 * n for i in t] if kind == "stride" else [i % n % 64 + (i // n % 32 + 1) * 4098 for i in t]
    print("warps %d\nagain%d: [B------:R-:W-:-:S01] NOP" % (warp, warp))
    for i, o in enumerate(offsets):
        lanes = ",".join(hex(0x7f0000000000 + 4 * (w + o)) for w in words)
        print("[B------:R-:W0:-:S02] LDG.E R%d, [R2.64] addr={%s}" % (i + 4, lanes))
    print("[B0-----:R-:W-:-:S05] @P0 BRA again%d" % warp)
print("}\nwarps *\n[B------:R-:W-:-:S05] EXIT")
PY
# strides NETLIST KIND NUMBER MEASURED
strides()
{
	loads=16
	case $1 in a100*) loads=18 ;; esac
	for n in 20 70; do
		$python strides.py "$1" "$2" "$3" $n >strides.hasm
		"$heddle" trace assemble strides.hasm -o strides || fail "strides: assemble"
		"$heddle" run -q --stats "$n.json" "$1" strides/kernelslist.g || fail "strides: run"
	done
	close "$2 $3 on $1" "cycles(20, 70) / $((50 * 32 * loads))" cycles "$4" 5
}
for row in 0:1.01 1:1.01 2:2.01 3:1.63 4:4.01 5:2.00 6:2.32 7:2.41 8:8.0 9:3.00 10:3.16 11:3.41 12:4.01 13:4.10 14:4.25 15:4.60; do
	strides h100_sm.json stride "${row%:*}" "${row#*:}"
done
for row in 1:9.3 2:4.82 4:3.00 8:4.01 16:2.01 32:1.02 64:1.02; do
	strides h100_sm.json block "${row%:*}" "${row#*:}"
done
for row in 1:1.02 3:1.63 5:2.20 7:2.67 14:4.00 15:4.45 33:8.8; do
	strides a100_sm.json stride "${row%:*}" "${row#*:}"
done
strides a100_sm.json block 1 9.2
strides a100_sm.json block 4 3.13

# 32 of an instruction, each of which reads the one before: NMSU-PEARL/GPUs-ISA-Latencies on a TITAN RTX, of whose doubles
# an SM executes two a cycle, too; and 32 that read nothing of each other's, by the lanes that NVIDIA publishes for sm_86
chain()
{
	{
		echo "kernel chain sm=86 shared=1024"
		echo "[B------:R-:W-:-:S05] CS2R R2, SR_CLOCKLO"
		yes "$2" | head -n 32
		echo "$3"
		echo "[B------:R-:W-:-:S05] EXIT"
	} >chain.hasm
	"$heddle" trace assemble chain.hasm -o chain || fail "$1: assemble"
	"$heddle" run -q --stats stats.json --set "cluster.sm.icache[*].warm=true" rtx_a6000.json chain/kernelslist.g || fail "$1: run"
	close "$1" "clocked() / 32" cycles "$4" "$5"
}

chain DADD "[B0-----:R-:W0:-:S02] DADD R4, R4, R6" "[B0-----:R-:W-:-:S05] CS2R R8, SR_CLOCKLO" 45 3
# shared memory: AmpereArchViaMicroBenchMark on an RTX 3060, whose SM is that of an RTX A6000
chain LDS "[B0-----:R-:W0:-:S04] LDS R4, [R4] addr=4*lane" "[B0-----:R-:W-:-:S02] CS2R R8, SR_CLOCKLO" 22.96 3
chain STS "[B0-----:R0:W-:-:S04] STS [R0.X4], R0 addr=4*lane" "[B0-----:R-:W-:-:S02] CS2R R8, SR_CLOCKLO" 11.04 3
chain FADD "[B------:R-:W-:-:S01] FADD R4, R5, 1" "[B------:R-:W-:-:S05] CS2R R8, SR_CLOCKLO" 1 20
chain IMAD "[B------:R-:W-:-:S01] IMAD R4, R5, 0x3, RZ" "[B------:R-:W-:-:S05] CS2R R8, SR_CLOCKLO" 2 10
done_testing
