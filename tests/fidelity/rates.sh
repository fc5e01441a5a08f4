#!/bin/sh
# rates.sh - SMs that follow control words: results of each kind of arithmetic in a cycle, as NVIDIA publishes them
# SPDX-License-Identifier: BSD-2-Clause
#
# Published: table "Throughput of Native Arithmetic Instructions" of the CUDA programming guide for compute capabilities 8.0,
# 8.6 and 9.0; for products of matrices what the white papers of GA100, GA102 and GH100 say of a GPU's multiplications.
. "${srcdir:-.}/tests/lib.sh"

# rate SM NETLIST RESULTS INSTRUCTION: of 512 threads, each with 8 instructions that do not wait for one another
rate()
{
	{
		echo "kernel rate block=512 sm=$1"
		echo 'repeat 64 {'
		for register in 8 12 16 20 24 28 32 36; do
			echo "[B------:R-:W-:-:S01] $4" | sed "s/ D,/ R$register,/; s/ C\$/ R$register/"
		done
		echo '[B------:R-:W-:-:S05] @P0 BRA 0x0'
		echo '}'
		echo '[B------:R-:W-:-:S05] EXIT'
	} >rate.hasm
	rm -rf rate
	"$heddle" trace assemble rate.hasm -o rate 2>err || { fail "$4: $(cat err)"; return; }
	"$heddle" run -q "$2" rate/kernelslist.g --stats rate.json 2>err || { fail "$2: $4: $(cat err)"; return; }
	cycles=$(sed -n '/^ "cycles"/{s/.*: //;s/,//p;}' rate.json)
	per_1000=$((262144000 / cycles))
	test $per_1000 -gt $(($3 * 840)) && test $per_1000 -le $(($3 * 1000)) ||
		fail "$2: $4: $per_1000 results in 1,000 cycles, published: $3 in one"
}

# rates A100 GA102 H100 INSTRUCTION: a dash: not compared
rates()
{
	test "$1" = - || rate 80 a100_sm.json "$1" "$4"
	test "$2" = - || rate 86 modern_sm.json "$2" "$4"
	test "$3" = - || rate 90 h100_sm.json "$3" "$4"
}

rates 64 128 128 'FADD D, R2, R3'
rates 64 64 64 'IADD3 D, R2, R3, RZ'
rates 64 64 64 'IMAD D, R2, R3, RZ'
rates 64 64 64 'LOP3.LUT D, R2, R3, RZ, 0xc0, !PT'
rates 64 64 64 'SHF.L.U32 D, R2, R3, RZ'
rates 64 64 64 'IMNMX D, R2, R3, PT'
rates - 64 128 'HADD2 D, R2, R3' # two results each
rates 32 2 64 'DADD D, R2, R4'
rates 16 16 16 'MUFU.EX2 D, R2'
rates 16 16 16 'POPC D, R2'
rates 32 32 32 'SHFL.BFLY PT, D, R2, 0x1, 0x1f'
rates 16 16 16 'REDUX.SUM UR4, R2'
# warp instructions: GA100 multiplies 1,024 halves a cycle and SM, GA102 512 (256 for sums in single precision, as have GeForce cards,
# which this one is not); 64 doubles and 128
rates 16 8 - 'HMMA.16816.F32 D, R4, R2, C'
rates 32 16 - 'HMMA.1688.F32 D, R4, R2, C'
rates 16 8 - 'IMMA.16832.S8.S8 D, R4, R2, C'
rates 8 - 16 'DMMA.884 D, R2, R4, C'
done_testing
