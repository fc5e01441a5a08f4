#!/bin/sh
# figures.sh - what heddle-accel-sim prints, collected as scripts around Accel-Sim do, agrees with
# heddle run --stats, and with the reference's figures
# SPDX-License-Identifier: BSD-2-Clause
#
# On configurations of the tree always; if the reference's figures are available (HEDDLE_ORACLE, or
# ../shared/oracle beside the source), on its own configuration files as well: some rows; HEDDLE_ALL=1: all
# of whole GPUs.
. "${srcdir:-.}/tests/lib.sh"
needs python3

accel=$build/heddle-accel-sim
here=$src/tests/accel

# agree LIST CONFIG [OPTION VALUE...]: figures of one run
agree()
{
	list=$1
	shift
	expect 0 '' "$accel" -trace "$list" -config "$@"
	cp out printed
	python3 "$here/collect.py" printed >collected.json || fail "$list on $*: nothing was collected"
	expect 0 '' "$heddle" import -q "$@" -o net.json
	expect 0 '' "$heddle" run -q --stats net.stats net.json "$list"
	python3 "$here/agree.py" collected.json net.stats || fail "$list on $*: figures differ"
}

# ---- one SM; a GPU; a GPU with instruction caches, one with several streams ----
cat "$src/tests/import/volta.config" "$src/tests/import/gpu.config" >gpu.config
cp "$src/tests/import/router.icnt" .
for trace in matmul reduce gather hist softcopy; do
	agree "$src/traces/samples/$trace/kernelslist.g" "$src/tests/import/volta.config"
	agree "$src/traces/samples/$trace/kernelslist.g" gpu.config
done
agree "$src/traces/samples/reduce/kernelslist.g" gpu.config -gpgpu_n_cores_per_cluster 1 \
	-gpgpu_perfect_inst_const_cache 0 -gpgpu_cache:il1 N:4:128:2,L:R:f:N:L,S:2:48,4
grep -E 'breakdown\[INST_ACC_R\]\[MISS\] = [1-9]' printed >/dev/null || fail "no misses of instruction caches"
agree "$src/traces/samples/reduce/kernelslist.g" gpu.config -gpgpu_concurrent_kernel_sm 1 \
	-gpgpu_adaptive_cache_config 0

# ---- a run that was cut short is not collected ----
"$accel" -trace "$src/traces/samples/reduce/kernelslist.g" -config gpu.config | sed '$d' >cut
python3 "$here/collect.py" cut >collected.json 2>err && fail "a run without its last line was collected"

# ---- the reference's figures ----
oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
if test ! -f "$oracle/figures_gpu.csv"; then
	echo "SKIP: the reference's figures: there are none; set HEDDLE_ORACLE to the folder with figures_gpu.csv"
	test "$failures" -eq 0 && exit 77
	done_testing
fi

# the trace of a case
list_of()
{
	for set in made real; do
		for file in "$oracle/$set/$1/kernelslist.g" "$oracle/$set/$1"/*.traceg*; do
			test -f "$file" && { echo "$file"; return; }
		done
	done
}

# Standard input has rows: case, configuration, cycles, instructions of warps and threads, ..., kernels.
compare()
{
	while IFS=, read -r case config cycles _ thread _ _ _ _ _ kernels; do
		set -- "$oracle/configs/$config"
		case $config in gpu-volta*)
			set -- "$@" -specialized_unit_4 1,4,4,4,4,UDP \
				-trace_opcode_latency_initiation_spec_op_4 4,1 ;;
		esac
		case $case in # this trace has words of its own at the ends of lines
			vecadd-fp32-turing-big) words="lines end with unknown words, first 'STORE_DATA'" ;;
			*) words= ;;
		esac
		expect 0 "$words" "$accel" -trace "$(list_of "$case")" -config "$@"
		got=$(awk '/^gpu_tot_sim_cycle/ { c = $3 } /^gpu_tot_sim_insn/ { i = $3 }
			/^gpu_sim_cycle/ { k = k " " $3 } END { print c " " i k }' out)
		test "$got" = "$cycles $thread $kernels" ||
			fail "$case on $config: $got, expected $cycles $thread $kernels"
		rows=$((rows + 1))
	done
}
rows=0
tr -d '\r' <"$oracle/figures_gpu.csv" | sed 1d | if test -n "$HEDDLE_ALL"; then cat; else
	grep -E '^((all|async|gmem|mix)-100,gpu-(volta|pascal|turing|ampere)|bfs-volta,gpu-volta),'; fi >rows.csv
compare <rows.csv
tr -d '\r' <"$oracle/figures.csv" | sed 1d | grep -E '^[a-z]*,(all|async|div|occ|shm)-101,(volta-lrr|ampere-lrr|perturbed-3),' |
	cut -d, -f2- >rows.csv
compare <rows.csv

# breakdown HEAD: those counts of the last kernel that are not 0, as TYPE:OUTCOME:COUNT
breakdown()
{
	awk -F '[][ =]+' -v head="$1" '/^kernel_name/ { n = 0 }
		index($0, "\t" head "[") == 1 && $3 != "MSHR_HIT" && $3 != "TOTAL_ACCESS" && $4 > 0 {
			count[n++] = $2 ":" $3 ":" $4 }
		END { for (i = 0; i < n; i++) print count[i] }' out | sort
}
tr -d '\r' <"$oracle/figures_gpu_random.csv" | sed 1d | if test -n "$HEDDLE_ALL"; then cat; else
	grep -E '^(gmem|local|atom)-100,gpu-perturbed-[1-5],'; fi >rows.csv
while IFS=, read -r case config cycles _ _ _ _ _ _ _ l1d l2 _; do
	expect 0 '' "$accel" -trace "$(list_of "$case")" -config "$oracle/configs/$config"
	grep -x "gpu_tot_sim_cycle = $cycles" out >/dev/null || fail "$case on $config: not $cycles cycles"
	for pair in "Total_core_cache_stats_breakdown:$l1d" "L2_cache_stats_breakdown:$l2"; do
		echo "${pair#*:}" | tr ' ' '\n' | sed '/^$/d' | sort >expected
		breakdown "${pair%%:*}" >got
		cmp -s expected got || { fail "$case on $config: ${pair%%:*}"; diff expected got; }
	done
	rows=$((rows + 1))
done <rows.csv
test "$rows" -gt 40 || fail "only $rows rows were compared"
done_testing
