#!/bin/sh
# gpu.sh - the reference's figures of whole GPUs, of one SM with the whole memory system, and of
# GPUs whose networks, caches and channels were drawn at random
# SPDX-License-Identifier: BSD-2-Clause
#
# On netlists that `heddle import` makes of the reference's own configuration files, which simulate
# what the shipped ones do.  The first trace of each family and one that was recorded; HEDDLE_ALL=1:
# every row.
. "${srcdir:-.}/tests/lib.sh"

oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
if test ! -f "$oracle/figures_gpu.csv"; then
	echo "SKIP: there are no reference figures; set HEDDLE_ORACLE to the folder with figures_gpu.csv"
	exit 77
fi

# rows FILE PREFIX: those to be compared, with the folder of the trace before each
rows()
{
	sed 1d "$oracle/$1" | while IFS=, read -r case rest; do
		case ${HEDDLE_ALL:+all}$case in
		all* | *-100 | bfs-volta) ;;
		*) continue ;;
		esac
		set=made
		test -d "$oracle/made/$case" || set=real
		echo "$set,$case,$rest"
	done
}
rows figures_gpu.csv >figures.csv
# these count no threads, but the accesses of caches and the commands of channels
rows figures_gpu_random.csv | sed 's/^\([^,]*,[^,]*,[^,]*,[^,]*,[^,]*\),/\1,,/' >>figures.csv

pairs=
for folder in "$oracle"/configs/gpu-*; do
	name=$(basename "$folder")
	set -- "$folder"
	# the traces of newer GPUs among its rows need a unit that the stock file does not have
	case $name in gpu-volta*)
		set -- "$folder" -specialized_unit_4 1,4,4,4,4,UDP \
			-trace_opcode_latency_initiation_spec_op_4 4,1 ;;
	esac
	expect 0 '' "$heddle" import -q "$@" -o "$name.json"
	pairs="$pairs $name=$name.json"
done
# shellcheck disable=SC2086
"$build/tests/fidelity/fidelity" figures.csv "$oracle" . $pairs || fail "rows differ"

# the shipped netlists are what is imported
for pair in gpu-volta:quadro_gv100 gpu-ampere:rtx_3070 gpu-turing:rtx_2060 gpu-pascal:titan_x_pascal; do
	expect 0 'the same simulation' "$heddle" diff "${pair%:*}.json" "$src/netlists/${pair#*:}.json"
done

# in any order of evaluation
for netlist in gpu-volta-one-sm gpu-perturbed-2 gpu-perturbed-5; do
	any_order a.json $netlist.json "$src/traces/samples/gather/kernelslist.g"
done
done_testing
