#!/bin/sh
# memory.sh - what few runs show of the reference's memory system: cycles equal to it, by import and heddle-accel-sim
# SPDX-License-Identifier: BSD-2-Clause
#
# Small kernels on one SM, or a GPU with one, of 1132 MHz and 8 or 16 slices of the memory.  Each figure is what
# Accel-Sim with GPGPU-Sim 4 prints for the same options.
. "${srcdir:-.}/tests/lib.sh"

configs=$src/tests/import
cat "$configs/volta.config" "$configs/gpu.config" - >gpu.config <<'END_CONFIG'
-gpgpu_clock_domains 1132:1132:1132:850
-gpgpu_kernel_launch_latency 0
-gpgpu_TB_launch_latency 0
-gpgpu_n_clusters 1
-gpgpu_n_cores_per_cluster 1
-gpgpu_n_cluster_ejection_buffer_size 32
-gpgpu_n_ldst_response_buffer_size 2
-icnt_in_buffer_limit 512
-icnt_out_buffer_limit 512
-icnt_grant_cycles 1
-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32
-gpgpu_l2_rop_latency 160
-gpgpu_n_mem 8
-gpgpu_n_sub_partition_per_mchannel 2
-gpgpu_memory_partition_indexing 0
-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS
-gpgpu_dram_partition_queues 64:64:64:64
-dram_latency 100
-gpgpu_frfcfs_dram_sched_queue_size 64
-gpgpu_dram_return_queue_size 192
-gpgpu_n_mem_per_ctrlr 1
-gpgpu_dram_buswidth 16
-gpgpu_dram_burst_length 2
-dram_data_command_freq_ratio 2
-dram_dual_bus_interface 1
-dram_bnk_indexing_policy 0
-dram_bnkgrp_indexing_policy 1
-dram_seperate_write_queue_enable 0
-gpgpu_dram_timing_opt "nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:
                        CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3"
END_CONFIG

# kernel NAME: a folder with a list of one kernel of one warp, whose instructions are standard input
kernel()
{
	mkdir "$1"
	cat >body
	{
		printf '%s\n' "-kernel name = $1" '-kernel id = 1' '-grid dim = (1,1,1)' '-block dim = (32,1,1)' \
			'-shmem = 0' '-nregs = 16' '-binary version = 70' '-cuda stream id = 0' \
			'-shmem base_addr = 0x00007f0000000000' '-local mem base_addr = 0x00007f2000000000' \
			'-nvbit version = 1.5.5' '-accelsim tracer version = 4' '#traces format = x' '#BEGIN_TB' \
			'thread block = 0,0,0' 'warp = 0' "insts = $(wc -l <body)"
		cat body
		echo '#END_TB'
	} >"$1/kernel-1.traceg"
	echo kernel-1.traceg >"$1/kernelslist.g"
}

# cycles NAME CYCLES CONFIG OPTION VALUE...: what the run takes, in windows and in lock step
cycles()
{
	list=$1/kernelslist.g
	wanted=$2
	shift 2
	expect 0 '' "$build/heddle-accel-sim" -trace "$list" -config "$@"
	grep -x "gpu_tot_sim_cycle = $wanted" out >/dev/null ||
		fail "$list on $*: $(grep '^gpu_tot_sim_cycle' out), expected $wanted"
	cp out printed
	expect 0 '' "$heddle" import -q "$@" -o net.json
	for how in '' --lockstep --check-modules; do
		expect 0 '' "$heddle" run -q $how --stats stats.json net.json "$list"
		test "$(figure stats.json cycles)" -eq "$wanted" ||
			fail "$list on $*, $how: $(figure stats.json cycles) cycles, expected $wanted"
	done
}

kernel load <<'END'
0000 ffffffff 1 R8 LDG.E 1 R2 4 1 0x40000000 4
0010 ffffffff 1 R9 FFMA 1 R8 0
0020 ffffffff 0 EXIT 0 0
END
kernel code <<'END'
0000 ffffffff 1 R1 FFMA 1 R2 0
0010 ffffffff 1 R2 FFMA 1 R3 0
0020 ffffffff 1 R3 FFMA 1 R4 0
0030 ffffffff 1 R4 FFMA 1 R5 0
0040 ffffffff 1 R5 FFMA 1 R6 0
0050 ffffffff 1 R6 FFMA 1 R7 0
0060 ffffffff 1 R7 FFMA 1 R8 0
0070 ffffffff 1 R8 FFMA 1 R9 0
0080 ffffffff 0 EXIT 0 0
END
kernel stores <<'END'
0000 ffffffff 0 STG.E 2 R2 R3 4 1 0x40000000 4
0010 ffffffff 0 STG.E 2 R2 R3 4 1 0x40000200 4
0020 ffffffff 0 STG.E 2 R2 R3 4 1 0x40000400 4
0030 ffffffff 0 STG.E 2 R2 R3 4 1 0x40000600 4
0040 ffffffff 0 STG.E 2 R2 R3 4 1 0x40000800 4
0050 ffffffff 0 STG.E 2 R2 R3 4 1 0x40000a00 4
0060 ffffffff 0 STG.E 2 R2 R3 4 1 0x40000c00 4
0070 ffffffff 0 STG.E 2 R2 R3 4 1 0x40000e00 4
0080 ffffffff 0 EXIT 0 0
END
kernel twice <<'END'
0000 ffffffff 1 R8 LDG.E 1 R2 4 1 0x40000000 4
0010 ffffffff 1 R9 LDG.E 1 R2 4 1 0x40000000 4
0020 ffffffff 1 R10 FFMA 2 R8 R9 0
0030 ffffffff 0 EXIT 0 0
END
kernel atomic <<END
0000 0000ffff 0 RED.E.ADD.STRONG.GPU 2 R2 R3 4 0 0x40000000$(printf ' 0x0%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
0010 ffffffff 1 R9 FFMA 1 R8 0
0020 ffffffff 0 EXIT 0 0
END
kernel local <<'END'
0000 ffffffff 1 R8 LDL.STRONG.GPU 1 R2 4 1 0x7f2000000000 0
0010 ffffffff 1 R9 FFMA 1 R8 0
0020 ffffffff 0 EXIT 0 0
END

# an atomic of lanes at address 0; a local load around the L1D
cycles atomic 31 "$configs/volta.config" -gpgpu_l1_latency 20
cycles local 20 "$configs/volta.config" -gpgpu_l1_latency 20
# a copy behind the last kernel is read while that runs, if kernels run side by side
cycles load 349 gpu.config -gpgpu_adaptive_cache_config 0
cp -R load copied
echo 'MemcpyHtoD,0x0000000040000000,128' >>copied/kernelslist.g
cycles copied 349 gpu.config -gpgpu_adaptive_cache_config 0
cycles copied 206 gpu.config -gpgpu_adaptive_cache_config 0 -gpgpu_concurrent_kernel_sm 1
# the halves of a line of instructions of 64 bytes share its address
cycles code 899 gpu.config -gpgpu_perfect_inst_const_cache 0 -gpgpu_cache:il1 N:64:64:16,L:R:f:N:L,S:2:48,4
# ports of 8 bytes: of the L2, and of the L1D
cycles load 353 gpu.config -gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,8
cycles load 353 gpu.config -gpgpu_adaptive_cache_config 0 -gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,8
# lines that are not written back do not take the data port
cycles stores 339 gpu.config -gpgpu_n_mem 1 -gpgpu_n_sub_partition_per_mchannel 1 -gpgpu_simple_dram_model 1 \
	-gpgpu_cache:dl2 S:4:128:1,L:T:m:L:L,A:192:4,32:0,32
# a streaming L1D allocates on miss while there is no shared memory
cycles twice 350 gpu.config -gpgpu_adaptive_cache_config 1 -gpgpu_unified_l1d_size 128 -gpgpu_shmem_option 0,64,128 \
	-gpgpu_shmem_size 131072 -gpgpu_cache:dl1 S:4:128:64,L:L:s:N:L,A:256:8,16:0,32
for outcome in HIT_RESERVED=4 MISS=1 SECTOR_MISS=3; do
	grep -F "Total_core_cache_stats_breakdown[GLOBAL_ACC_R][${outcome%=*}] = ${outcome#*=}" printed >/dev/null ||
		fail "a streaming L1D: not $outcome"
done

# ---- runs with the reference's own configurations ----
oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
if test ! -d "$oracle/found/fidelity"; then
	echo "SKIP: the reference's figures: there are none; set HEDDLE_ORACLE to the folder with found/fidelity"
	test "$failures" -eq 0 && exit 77
	done_testing
fi
found=$oracle/found/fidelity
while read -r n options wanted; do
	# shellcheck disable=SC2046 # several words
	set -- "$oracle/configs/$(cat "$found/$n/conf")" $(cat "$found/$n/$options")
	expect 0 '' "$build/heddle-accel-sim" -trace "$found/$n/trace/kernelslist.g" -config "$@"
	grep -x "gpu_tot_sim_cycle = $wanted" out >/dev/null ||
		fail "$n, $options: $(grep '^gpu_tot_sim_cycle' out), expected $wanted"
	expect 0 '' "$heddle" import -q "$@" -o net.json
	expect 0 '' "$heddle" run -q --stats stats.json net.json "$found/$n/trace/kernelslist.g"
	test "$(figure stats.json cycles)" -eq "$wanted" ||
		fail "$n, $options: $(figure stats.json cycles) cycles in windows, expected $wanted"
done <<'END'
1 options 206
2 options 899
3 options 353
3 options-l1d 353
4 options 2918
5 options 339
6 options 31
7 options 20
8 options 92
9 options 350
END
done_testing
