#!/bin/sh
# cores.sh - the shipped netlists equal the output of `heddle import` for their configurations
# SPDX-License-Identifier: BSD-2-Clause
#
# On the bundled traces always; if the reference's figures are available (HEDDLE_ORACLE, or
# ../shared/oracle beside the source), every row of them on netlists imported from its own
# configuration files, and every issue log.
. "${srcdir:-.}/tests/lib.sh"
needs python3

# Statistics without the name of the netlist.
figures()
{
	"$heddle" run -q --stats s.json "$1" "$2" 2>err
	echo "status $?"
	test ! -s err || sed 's/^[^:]*: //' err
	grep -v -e '^ "netlist": ' -e '^ "seconds": ' s.json
	rm -f s.json
}

for core in volta turing ampere pascal; do
	expect 0 "" "$heddle" import -q "$src/tests/import/$core.config" -n "${core}_sm" \
		-o "$core.json"
	expect 0 "no mistakes" "$heddle" check "$core.json"
	expect 0 "describe the same simulation" "$heddle" diff "$core.json" "$src/netlists/${core}_sm.json"
	for list in "$src"/traces/samples/*/kernelslist.g; do
		case ${HEDDLE_ALL:+all}$list in all* | */reduce/* | */gather/*) ;; *) continue ;; esac
		figures "$core.json" "$list" >imported
		figures "$src/netlists/${core}_sm.json" "$list" >shipped
		cmp -s imported shipped ||
			{ fail "$core, $list: imported and shipped netlist differ"; diff imported shipped | head; }
	done
done

# another policy by a later option is another shipped netlist
for policy in gto:volta_sm_gto old:volta_sm_oldest; do
	expect 0 "" "$heddle" import -q "$src/tests/import/volta.config" \
		-gpgpu_scheduler "${policy%:*}" -o policy.json
	figures policy.json "$src/traces/samples/matmul/kernelslist.g" >imported
	figures "$src/netlists/${policy#*:}.json" "$src/traces/samples/matmul/kernelslist.g" >shipped
	cmp -s imported shipped || fail "$policy: imported and shipped netlist differ"
done

# policies and modes that no shipped netlist has: the same in any order of evaluation
for setting in 'gpgpu_scheduler rrr' 'gpgpu_scheduler two_level_active:3:0:1' \
	'gpgpu_scheduler warp_limiting:2:2' 'gpgpu_max_insn_issue_per_warp 2' \
	'gpgpu_sub_core_model 0' 'gpgpu_perfect_inst_const_cache 0' 'gpgpu_shmem_warp_parts 4' \
	'gpgpu_local_mem_map 0' 'gpgpu_l1_banks_hashing_function 1' 'gpgpu_mem_unit_ports 2' \
	'gpgpu_concurrent_kernel_sm 1'; do
	expect 0 "" "$heddle" import -q "$src/tests/import/volta.config" \
		-gpgpu_cache:il1 N:4:128:2,L:R:f:N:L,A:2:48,4 -gpgpu_adaptive_cache_config 0 \
		-${setting% *} "${setting#* }" -o mode.json
	for trace in reduce gather ${HEDDLE_ALL:+hist softcopy}; do
		any_order "${setting%% *}.json" mode.json "$src/traces/samples/$trace/kernelslist.g"
	done
done

# kernels of one stream run one after another, with either dispatcher
"$heddle" import -q "$src/tests/import/volta.config" -gpgpu_adaptive_cache_config 0 -o one.json
"$heddle" import -q "$src/tests/import/volta.config" -gpgpu_adaptive_cache_config 0 \
	-gpgpu_concurrent_kernel_sm 1 -o many.json
for core in one many; do
	"$heddle" run -q --stats s.json $core.json "$src/traces/samples/reduce/kernelslist.g" ||
		fail "$core: reduce"
	# what is of the machine is beside what is of the kernel, where kernels may overlap
	stats '[s["cycles"], s["issue"], [
		[k["name"], k["cycles"], k["warp_instructions"], k["thread_blocks"],
		 {p: {**k["statistics"].get(p, {}), **k.get("interval", k)["statistics"].get(p, {})}
		  for p in {**k["statistics"], **k.get("interval", k)["statistics"]} if p != "trace"}]
		for k in s["kernels"]]]' s.json >$core.figures
done
cmp one.figures many.figures || fail "concurrent mode differs on one stream"

# mistakes: each file's first line is the message about it
for case in "$src"/tests/import/bad/*.config; do
	name=$(basename "$case")
	cp "$src/tests/import/volta.config" "$name"
	sed 1d "$case" >>"$name"
	expect 2 "$(sed -n '1s/^# //p' "$case")" "$heddle" import "$name" -o none.json
	test ! -e none.json || fail "$name: wrote a netlist"
done

# a share of shared memory that is too large: only a kernel that needs it cannot run
cp "$src/tests/import/volta.config" shares.config
echo '-gpgpu_shmem_option 0,8,16,32,64,96,200' >>shares.config
expect 0 "shares.config:76: warning: '-gpgpu_shmem_option' has 200 KB and the unified memory 128; it is left out" \
	"$heddle" import -q shares.config -o shares.json
expect 0 '' "$heddle" run -q shares.json "$src/traces/samples/tiny/kernelslist.g"

# names that options had: the suggestion is what they are now
while read -r old new; do
	expect 2 "unknown option '$old'; did you mean '$new'?" "$heddle" import "$src/tests/import/volta.config" "$old" 1
done <<'END2'
-rop_latency -gpgpu_l2_rop_latency
-smem_latency -gpgpu_smem_latency
-l1_latency -gpgpu_l1_latency
-l1_banks -gpgpu_l1_banks
-gpgpu_dram_sched_queue_size -gpgpu_frfcfs_dram_sched_queue_size
-inct_in_buffer_limit -icnt_in_buffer_limit
-Write_Queue_Size -dram_write_queue_size
-gpgpu_n_shader -gpgpu_n_clusters
-gpgpu_smem_latancy -gpgpu_smem_latency
END2

# one SM uses the first clock only, but the others are clocks too
while read -r option value text; do
	expect 2 "'$option' is '$value'; expected $text" "$heddle" import "$src/tests/import/volta.config" $option $value
done <<'END2'
-gpgpu_clock_domains 1:2:x:4 CORE:NETWORK:L2:DRAM
-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4, 11 or more numbers separated by ','
-specialized_unit_1 2,4,4,4,4,BRA ENABLED,UNITS,STAGES,ID_OC,OC_EX,NAME, ENABLED 0 or 1
-specialized_unit_1 4294967296,4,4,4,4,BRA ENABLED
END2
# a comment ends with its line, also between quotes
cp "$src/tests/import/volta.config" quoted.config
printf '%s\n' '-gpgpu_pipeline_widths "4,4,4,4,4,4, # not "these" 9,9' '4,4,4,4,8,4,4"' >>quoted.config
expect 0 "" "$heddle" import -q quoted.config -n volta_sm -o quoted.json
cmp quoted.json volta.json || fail 'a comment between quotes'

oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
if test ! -f "$oracle/figures.csv"; then
	echo "no reference figures: set HEDDLE_ORACLE to the folder with figures.csv"
	done_testing
fi
pairs=
for folder in "$oracle"/configs/*; do
	core=$(basename "$folder")
	grep -q ",$core," "$oracle/figures.csv" || continue
	expect 0 "" "$heddle" import -q "$folder/gpgpusim.config" "$folder/trace.config" \
		-o "oracle-$core.json"
	case $core in # tests/fidelity/reference.sh has the rows of those that are shipped
	volta-lrr) shipped=volta_sm ;;
	volta-gto) shipped=volta_sm_gto ;;
	volta-old) shipped=volta_sm_oldest ;;
	turing-lrr) shipped=turing_sm ;;
	ampere-lrr) shipped=ampere_sm ;;
	pascal-gto) shipped=pascal_sm ;;
	*) shipped= ;;
	esac
	test -n "$shipped" && "$heddle" diff "oracle-$core.json" "$src/netlists/$shipped.json" |
		grep -q 'describe the same simulation' && continue
	pairs="$pairs $core=oracle-$core.json"
done
# every fourth row and log; HEDDLE_ALL=1: all of them
step=${HEDDLE_ALL:+1}
step=${step:-4}
awk -v step="$step" 'NR == 1 || NR % step == 0' "$oracle/figures.csv" >figures.csv
# shellcheck disable=SC2086 # a pair each
"$build/tests/fidelity/fidelity" figures.csv "$oracle" . $pairs || fail "figures differ"
n=0
for log in "$oracle"/issue_logs/*.log.xz; do
	n=$((n + 1))
	test $((n % step)) -eq 0 || continue
	case=$(basename "$log" .log.xz)
	set=made
	test -d "$oracle/made/${case%%.*}" || set=real
	"$heddle" run -q --events events "oracle-${case#*.}.json" \
		"$oracle/$set/${case%%.*}/kernelslist.g" 2>err
	# with two levels the reference's log names the wrong warp, or an impossible one, for a
	# second instruction: its list has rotated by then
	case $case in
	*.perturbed-4)
		xz -dc "$log" | grep -v ' n=2$' >reference
		grep -v ' n=2$' events >filtered
		"$build/tests/fidelity/first_diff" reference filtered >out || { fail "$case"; cat out; } ;;
	*)
		"$build/tests/fidelity/first_diff" "$log" events >out || { fail "$case"; cat out; } ;;
	esac
done
done_testing
