#!/bin/sh
# capacity.sh - links of one place: each either slows the program down, or is refused before it begins, and hangs nothing
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

cat >all.hasm <<'END'
kernel pair grid=4 sm=90 shared=8192 cluster=2 shared_base=0x7f0000000000 local_base=0x7f1000000000
SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=0x400+0x1000000*(block%2) count=2
SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=0x400+0x1000000*(block%2) tx=4116
UCGABAR_ARV
UCGABAR_WAIT
LD.E R4, [R2.64] addr=0x7f0001000800-0x1000000*(block%2)+4*lane
ATOM.E.ADD R4, [R2.64], R6 addr=0x7f0001000800-0x1000000*(block%2)+4*lane
STAS [R2], R4 mask=1 addr=0x1000800-0x1000000*(block%2) values=0x1000400-0x1000000*(block%2)
SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR8], RZ mask=1 addr=0x1000400-0x1000000*(block%2)
blocks 0,2
UBLKCP.S.G.MULTICAST [UR4], [UR6], UR8 mask=1 addr=0x7f2000000000+0x10000*block desc=4112 bar=0x400 ctas=3
blocks *
SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=0x400+0x1000000*(block%2) parity=0
UCGABAR_ARV
UCGABAR_WAIT
kernel products block=256 sm=90 shared=65536 regs=128
HGMMA.64x64x16.F32 R24, gdesc[UR4], R24
HGMMA.64x64x16.F32 R24, R4, gdesc[UR4], R24, gsb0
LDG.E.128 R4, [R2.64] addr=0x7f8000000000+16*lane
STG.E [R2.64], R4 addr=0x7f8000000000+400*lane
LDS R4, [R2] addr=0x800+128*lane
ATOMG.E.ADD R4, [R2.64], R6 addr=0x7f8000000000+400*lane
LDGSTS.E [R2], [R4.64] addr=0x7f8000000000+64*lane
LDGDEPBAR
DEPBAR.LE SB0, 0x0
MUFU.RCP R5, R4
WARPGROUP.DEPBAR.LE gsb0, 0x0
BAR.SYNC 0x0
UTMASTG.2D [UR8], [UR12] mask=1 addr=0x7f8000000000 desc=128*4:8192
UTMACMDFLUSH
END
expect 0 '' "$heddle" trace assemble all.hasm -o all
"$heddle" flatten "$src/netlists/h100_gpc.json" >all.json || fail flatten
expect 0 '' "$heddle" run -q all.json all/kernelslist.g

# ports with a capacity, the same of all SMs and sub-cores together
sed -n 's/^ *{"from": .*"to": "\([^"]*\)".*"capacity": .*/\1/p' all.json | sed 's/\[[0-9]*\]/[]/g' | sort -u >ports
tried=0
while read -r port; do
	to=$(echo "$port" | sed 's/[].*[]/\\&/g; s/\\\[\\\]/[^"]*/g')
	sed "/\"to\": \"$to\"/s/\"capacity\": [0-9]*/\"capacity\": 1/" all.json >one.json
	cmp -s all.json one.json && fail "$port: nothing is changed"
	timeout 100 "$heddle" run -q one.json all/kernelslist.g >out 2>err
	status=$?
	case $status in
	0) ;;
	2) grep -q 'expected a "capacity" of at least' err || fail "$port: $(grep error: err)" ;;
	*) fail "$port: exit status $status: $(head -3 err)" ;;
	esac
	tried=$((tried + 1))
done <ports
test $tried -gt 10 || fail "$tried links"
done_testing
