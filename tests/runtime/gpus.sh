#!/bin/sh
# gpus.sh - which GPU a program finds: the one that is named, the one that suits the netlist, or one for its code
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

fatbin=$src/tests/runtime/kernels.fatbin # code for sm_80 only
program=$build/tests/runtime/.libs/program
test -x "$program" || program=$build/tests/runtime/program
unset HEDDLE_GPU

# finds GPU ARGUMENT...: that is what the program finds with these arguments of heddle run
finds()
{
	gpu=$1
	shift
	expect 0 '' "$heddle" run -q "$@" -- "$program" "$fatbin" gpu 1
	test "$(cat out)" = "$gpu" || fail "$*: the program finds '$(cat out)', expected '$gpu'"
}
finds 'NVIDIA RTX A6000' rtx_a6000.json
finds 'NVIDIA GeForce RTX 3080 Ti' rtx_3080_ti.json
finds 'NVIDIA GeForce RTX 3090' rtx_3090.json
finds 'NVIDIA RTX A6000' --keep-going rtx_a6000.json
finds 'NVIDIA GeForce RTX 3080' ampere_sm.json # none has a single SM
finds 'NVIDIA A100-SXM4-40GB' --gpu a100 rtx_a6000.json
finds 'NVIDIA A100-SXM4-40GB' turing_sm.json   # that would not execute this code
finds 'NVIDIA A100-SXM4-40GB' volta_sm.json    # there is none of it
finds 'NVIDIA A100-SXM4-40GB' a100_sm.json
# three have as many SMs: the name tells
for pair in 'h200:NVIDIA H200' 'gh200:NVIDIA GH200 480GB' 'h100_sxm:NVIDIA H100 80GB HBM3' 'h100_pcie:NVIDIA H100 PCIe'; do
	gpu=$("$heddle" run -q "${pair%%:*}.json" -- "$program" "$src/tests/exec/hopper.fatbin" gpu 1 2>err)
	test "$gpu" = "${pair#*:}" || fail "${pair%%:*}: the program finds '$gpu', expected '${pair#*:}'"
done
HEDDLE_GPU=a6000
export HEDDLE_GPU
finds 'NVIDIA RTX A6000' ampere_sm.json
unset HEDDLE_GPU

# ---- heddle correlate: another netlist may need another recording ----
printf 'kernel,launch,cycles\nadd,0,100\n' >one.csv
# The third finds the recording of the first, so the program is not executed again.
for pair in ampere_sm:RTX.3080 a100_sm:A100 ampere_sm:A100; do
	# shellcheck disable=SC2016 # expanded there
	expect 0 '' "$heddle" correlate -q one.csv --netlist "${pair%:*}.json" -- \
		sh -c '"$@" >name' sh "$program" "$fatbin" gpu 1
	grep -q "${pair#*:}" name || fail "$pair: the program finds '$(cat name)'"
done
test "$(ls one.results/traces | wc -l)" -eq 2 || fail 'expected a recording for each of two GPUs'
done_testing
