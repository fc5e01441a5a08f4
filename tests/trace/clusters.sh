#!/bin/sh
# clusters.sh - whole GPUs run clusters of thread blocks, as one GPC alone does (docs/hopper.md)
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# Kernel two: what blocks of a cluster do to each other; the last store is acknowledged when its block has ended.
# Kernel four: a chain of loads, and a bulk copy to all four, of lines and of half a sector more.
cat >clusters.hasm <<'END'
kernel two grid=8 block=64 sm=90 shared=4096 cluster=2 shared_base=0x7f0000000000 local_base=0x7f1000000000
[B------:R-:W-:-:S06] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400+0x1000000*(block%2) count=2
[B------:R-:W-:-:S05] UCGABAR_ARV
[B------:R-:W-:-:S05] UCGABAR_WAIT
[B------:R-:W0:-:S02] LD.E R4, [R2.64] addr=0x7f0001000800-0x1000000*(block%2)+4*lane
[B0-----:R-:W0:-:S02] LD.E R4, [R4.64] addr=0x7f0001000800-0x1000000*(block%2)+4*lane
[B0-----:R-:W1:-:S02] ATOM.E.ADD R4, [R2.64], R6 addr=0x7f0001000800-0x1000000*(block%2)+4*lane
[B-1----:R-:W-:-:S06] SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR8], RZ mask=1 addr=0x1000400-0x1000000*(block%2)
[B------:R-:W2:-:S02] SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 addr=0x400+0x1000000*(block%2) parity=0
blocks 0,2,4,6
[B--2---:R0:W-:-:S02] ST.E [R2.64], R4 addr=0x7f0001000800+4*lane
blocks *
[B--2---:R-:W-:-:S05] UCGABAR_ARV
[B------:R-:W-:-:S05] UCGABAR_WAIT
[B------:R-:W-:Y:S05] EXIT
kernel four grid=8 sm=90 shared=8192 cluster=4 shared_base=0x7f0000000000 local_base=0x7f1000000000
[B------:R-:W-:-:S06] SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400+0x1000000*(block%4) count=1
[B------:R-:W-:-:S06] SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400+0x1000000*(block%4) tx=4112
[B------:R-:W-:-:S05] UCGABAR_ARV
[B------:R-:W-:-:S05] UCGABAR_WAIT
blocks 0,4
[B------:R-:W0:-:S02] LD.E R4, [R2.64] addr=0x7f0003000800+4*lane
[B0-----:R-:W0:-:S02] LD.E R4, [R4.64] addr=0x7f0003000800+4*lane
[B0-----:R-:W-:-:S02] UBLKCP.S.G.MULTICAST [UR4], [UR6], UR8 mask=1 addr=0x7f2000000000+0x10000*block desc=4112 bar=0x400 ctas=15
blocks *
[B------:R-:W2:-:S02] SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 addr=0x400+0x1000000*(block%4) parity=0
[B--2---:R-:W-:-:S05] UCGABAR_ARV
[B------:R-:W-:-:S05] UCGABAR_WAIT
[B------:R-:W-:Y:S05] EXIT
END
"$heddle" trace assemble clusters.hasm -o clusters || fail assemble

# figures NAME: cycles of a load of a chain in each cluster, phases of mbarriers, packets that were sent to other SMs
figures()
{
	awk '$4 == "warp=0" && $2 ~ /issue$/ {
		split($2, sm, ".issue")
		if ($5 == "pc=64") at[sm[1]] = $1
		if ($5 == "pc=80") print $1 - at[sm[1]]
	}' "$1.events" | sort -u
	grep -c '[.]mbarrier[.]phase ' "$1.events"
	stats "sum(v.get('packets', 0) for k, v in s['instances'].items() if k.startswith('dsm_requests'))" "$1.stats"
}

# A packet of a bulk copy is a line, 33 to each block, though slices of a second-level cache answer sector by sector.
# 404 packets are of the kernels; blocks tell that they have ended, but for those that are under way when the run is over.
printf '181\n203\n16\n416\n' >want
"$heddle" run -q h100_gpc.json clusters/kernelslist.g --stats gpc.stats --events gpc.events
figures gpc | diff want - || fail "one GPC"
printf '181\n203\n16\n412\n' >want
for gpu in h100_pcie h100_sxm h200 gh200; do
	expect 0 '' "$heddle" run -q $gpu.json clusters/kernelslist.g --stats $gpu.stats --events $gpu.events
	figures $gpu | diff want - || fail "$gpu"
	for option in '--shuffle 5' --no-sleep '--threads 2' --lockstep; do
		# shellcheck disable=SC2086
		expect 0 '' "$heddle" run -q $option $gpu.json clusters/kernelslist.g --stats other.stats
		cmp $gpu.stats other.stats || fail "$gpu $option: statistics"
	done
done
expect 0 '' "$heddle" run -q h200.json clusters/kernelslist.g --dump h200.dump
for option in '--shuffle 5 --no-sleep' '--threads 2'; do
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run -q $option h200.json clusters/kernelslist.g --dump other.dump
	cmp h200.dump other.dump || fail "$option: dump"
done

# Clusters on all SMs keep several threads busy, as those above do not.  The state is of a cycle in which copies are under way.
sed -e 's/grid=8/grid=228/' -e "s/^blocks 0,2,4,6/blocks $(seq -s, 0 2 226)/" -e "s/^blocks 0,4/blocks $(seq -s, 0 4 224)/" clusters.hasm >many.hasm
"$heddle" trace assemble many.hasm -o many || fail 'assemble many'
for gpu in h100_sxm h100_pcie; do
	expect 0 '' "$heddle" run -q $gpu.json many/kernelslist.g --stats one.stats
	expect 0 'in 3 threads' "$heddle" run --explain-partitions --threads 3 --shuffle 1 $gpu.json many/kernelslist.g --stats other.stats
	cmp one.stats other.stats || fail "$gpu: many clusters, in threads: statistics"
done
expect 0 '' "$heddle" run -q --save-at 13800 state h100_pcie.json many/kernelslist.g --stats other.stats
cmp one.stats other.stats || fail 'many clusters, saved: statistics'
expect 0 '' "$heddle" run -q --load state --shuffle 5 h100_pcie.json many/kernelslist.g --stats other.stats
cmp one.stats other.stats || fail 'many clusters, loaded: statistics'

# a barrier of the cluster in a branch, to which lanes of a warp come one part after the other, and some have left
"$heddle" trace record --cubin "$src/tests/exec/cluster.fatbin" --sm 90 --kernel parted --grid 4 --block 64 --args buf:64 -o parted ||
	fail "record parted"
expect 0 '' "$heddle" run -q h100_gpc.json parted --stats parted.stats
test "$(stats "sum(v.get('barriers', 0) for k, v in s['instances'].items() if 'cluster_barrier' in k)" parted.stats)" -eq 12 ||
	fail "barriers of four blocks"
expect 0 '' "$heddle" run -q --shuffle 5 --no-sleep h100_gpc.json parted --stats other.stats
cmp parted.stats other.stats || fail "parted: other order"

# an address beyond the shared memory of the other block
sed 's/0x7f0001000800/0x7f0001f00000/' clusters.hasm >beyond.hasm
"$heddle" trace assemble beyond.hasm -o beyond || fail "assemble beyond"
expect 2 'address 0x7f0001f00000 is not in the shared memory of rank 1; expected an offset of at most 0x1400' \
	"$heddle" run -q h100_gpc.json beyond/kernelslist.g
# an mbarrier that is not there
sed 's/bar=0x400/bar=0x10/' clusters.hasm >unmade.hasm
"$heddle" trace assemble unmade.hasm -o unmade || fail "assemble unmade"
expect 2 'kernel 2, block 0: bytes arrive at mbarrier 0x10, which has not been initialised' \
	"$heddle" run -q h100_gpc.json unmade/kernelslist.g

# with few SMs, as this takes time
few="--set gpc_sms=1 --set last_sms=4 --set channels=2 --set dispatcher.kernel_latency=50"
# shellcheck disable=SC2086
{
	expect 0 '' "$heddle" run -q $few h200.json clusters/kernelslist.g --stats few.stats
	expect 0 '' "$heddle" run -q --check-modules $few h200.json clusters/kernelslist.g --stats other.stats
	cmp few.stats other.stats || fail "--check-modules: statistics"
}

# more than a GPC has room for
printf 'kernel large grid=16 block=1024 sm=90 cluster=16\nEXIT\n' >large.hasm
"$heddle" trace assemble large.hasm -o large || fail "assemble large"
for gpu in h100_pcie h100_sxm h200 gh200; do
	expect 2 "kernel 1 'large' has clusters of 16 thread blocks; expected at most 14, which a GPC of this netlist holds at once" \
		"$heddle" run -q --set gpc_sms=6 --set last_sms=7 $gpu.json large/kernelslist.g
done
done_testing
