#!/bin/sh
# gpus.sh - whole GPUs that `heddle import` makes: every option goes where it should, and what cannot
# be simulated is refused with its place
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

here=$src/tests/import
mkdir folder
cat "$here/volta.config" "$here/gpu.config" | grep -vE '^-(trace_|specialized_)' >folder/gpgpusim.config
grep -hE '^-(trace_|specialized_)' "$here/volta.config" >folder/trace.config
cp "$here/router.icnt" folder
cp "$here/gpu.json" by_hand.json

# ---- a folder, its files, one file: the same GPU, and the one that was written by hand ----
expect 0 '' "$heddle" import -q folder -o gpu.json
expect 0 '' "$heddle" import -q folder/gpgpusim.config folder/trace.config -o files.json
cmp gpu.json files.json || fail "a folder is not its two files"
expect 0 '' "$heddle" import -q folder/
cmp out gpu.json || fail "standard output differs"
expect 0 '' "$heddle" import -q "$here/volta.config" "$here/gpu.config" -o files.json
cmp gpu.json files.json || fail "the two files as one differ"
expect 0 'no mistakes' "$heddle" check gpu.json
sed 's|"extends": "|&'"$src"'/netlists/|' by_hand.json >hand.json
expect 0 'the same simulation' "$heddle" diff gpu.json hand.json

# ---- it runs, however it is evaluated ----
for trace in gather reduce; do
	list=$src/traces/samples/$trace/kernelslist.g
	expect 0 '' "$heddle" run -q --stats a.json gpu.json "$list"
	for how in --no-sleep '--shuffle 5'; do
		# shellcheck disable=SC2086
		expect 0 '' "$heddle" run -q --stats b.json $how gpu.json "$list"
		grep -v '"seconds"' a.json >a
		grep -v '"seconds"' b.json >b
		cmp a b || fail "$trace: $how: other bytes"
	done
done

# ---- with instruction caches: their lines are read from the second-level cache ----
expect 0 '' "$heddle" import -q folder -gpgpu_n_cores_per_cluster 1 -gpgpu_perfect_inst_const_cache 0 \
	-gpgpu_cache:il1 N:4:128:2,L:R:f:N:L,S:2:48,4 -o inst.json
expect 0 'no mistakes' "$heddle" check inst.json
for trace in gather reduce; do
	list=$src/traces/samples/$trace/kernelslist.g
	expect 0 '' "$heddle" run -q --stats a.json inst.json "$list"
	for how in --no-sleep '--shuffle 5' '--shuffle 6'; do
		# shellcheck disable=SC2086
		expect 0 '' "$heddle" run -q --stats b.json $how inst.json "$list"
		grep -v '"seconds"' a.json >a
		grep -v '"seconds"' b.json >b
		cmp a b || fail "instruction caches: $trace: $how: other bytes"
	done
	# four sectors of every line that an instruction cache read, all of them answered
	if command -v python3 >/dev/null; then
		stats '[(lambda l1, l2: l1 > 0 and l2 == 4 * l1)(
			sum(i["fills"] for n, i in s["instances"].items() if n.endswith("l1i")),
			sum(i[k] for n, i in s["instances"].items() if n.startswith("l2[")
			    for k in ("inst_hits", "inst_reserved_hits", "inst_misses", "inst_sector_misses")))]' \
			a.json >four
		grep -q true four || fail "$trace: reads of the second-level cache are not four for a line"
	fi
	expect 0 '' "$heddle" run -q --stats b.json gpu.json "$list"
	if grep '"inst_misses": [1-9]' b.json; then fail "$trace: a perfect cache reads lines"; fi
done

# ---- what Accel-Sim 2.0 has for Hopper, and heddle has otherwise: taken as what is modelled, with a word ----
"$heddle" import folder -gpgpu_n_chiplet_partition 2 -gpgpu_memory_partition_indexing 6 \
	-specialized_unit_3 1,4,1,4,4,TENSOR -trace_opcode_latency_initiation_spec_op_3 1,0 -o hopper.json >out 2>err ||
	fail "options of Hopper: $(cat err)"
for text in "_chiplet_partition' is 2 and taken as 1" "is 6 (IPOLY in groups) and taken as" \
	"_spec_op_3' is '1,0' and taken as '1,1'"; do
	grep -q "warning: .*$text" err || fail "options of Hopper: no warning: $text"
done
expect 0 'no mistakes' "$heddle" check hopper.json
expect 2 "_int' is '1,0'; expected a latency from 1 to 511 and an initiation interval" \
	"$heddle" import -q folder -trace_opcode_latency_initiation_int 1,0 -o none.json

# ---- a coalescer in front of each slice ----
"$heddle" import folder -gpgpu_lrc_enabled 1 -gpgpu_lrc_max_entries 96 -gpgpu_lrc_max_merged 6 -o lrc.json >out 2>err ||
	fail "coalescers: $(cat err)"
if grep lrc err; then fail "coalescers: a warning"; fi
cat >lrc_by_hand.json <<'JSON'
{ "heddle": 1, "name": "lrc", "extends": "hand.json",
  "rewire": [
    { "link": { "from": "requests.out" }, "to": "lrc[$m].in", "latency": 0 },
    { "link": { "from": "reply_port[$m].out" }, "to": "lrc[$m].reply" } ],
  "add": {
    "instances": { "lrc": { "module": "request_coalescer", "count": "$channels * $slices", "clock": "network",
                            "params": { "entries": 96, "merges": 6 } } },
    "links": [
      { "from": "lrc[*].out", "to": "intake[*].request", "capacity": "$out_buffer" },
      { "for": { "m": "0..$channels * $slices - 1" },
        "from": "lrc[$m].response", "to": "replies.in", "latency": 0, "capacity": "$in_buffer" },
      { "from": "lrc[*].time", "to": "cycles.time" } ] } }
JSON
expect 0 'the same simulation' "$heddle" diff lrc.json lrc_by_hand.json
expect 0 'no mistakes' "$heddle" check lrc.json
for how in '' --no-sleep '--shuffle 5' '--threads 2'; do
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run -q --stats b.json $how lrc.json "$src/traces/samples/reduce/kernelslist.g"
	grep -v '"seconds"' b.json >b
	test -n "$how" || mv b a
	test -z "$how" || cmp a b || fail "coalescers: $how: other bytes"
done
expect 2 "'-gpgpu_lrc_max_merged' is '0'; expected a number from 1 to 65536" \
	"$heddle" import -q folder -gpgpu_lrc_enabled 1 -gpgpu_lrc_max_merged 0 -o none.json
expect 2 "'-gpgpu_lrc_max_entries' is '0'; expected a number from 1 to 1048576" \
	"$heddle" import -q folder -gpgpu_lrc_enabled 1 -gpgpu_lrc_max_entries 0 -o none.json

# ---- every option ----
grep -v '^#' "$here/gpu_options" >lines
while IFS='|' read -r options sets; do
	# shellcheck disable=SC2086
	"$heddle" import -q folder/gpgpusim.config folder/trace.config $(echo "$options" |
		sed 's|router.icnt|folder/&|') -o one.json || fail "$options"
	case $options in
	*dl1*) # another structure
		expect 0 'no mistakes' "$heddle" check one.json
		expect 0 '' "$heddle" run -q one.json "$src/traces/samples/gather/kernelslist.g" ;;
	*network_mode*)
		expect 0 'no mistakes' "$heddle" check one.json
		expect 0 '"requests": {"module": "fly", "clock": "network", "params": {"route": "slice", "cores": 1, "depth": 12}' \
			"$heddle" flatten one.json
		expect 0 '"replies": {"module": "fly", "clock": "network", "params": {"route": "cluster", "cores": 2, "depth": 12}' \
			"$heddle" flatten one.json
		grep -q '"in_buffer": {"value": 9,' one.json || fail "$options: in_buffer"
		grep -q '"out_buffer": {"value": 13,' one.json || fail "$options: out_buffer"
		expect 0 '' "$heddle" run -q one.json "$src/traces/samples/gather/kernelslist.g" ;;
	*)
		"$heddle" flatten one.json >imported
		# shellcheck disable=SC2086
		"$heddle" flatten $sets gpu.json >set
		cmp -s imported set || { fail "$options is not $sets"; diff imported set | head -5; } ;;
	esac
done <lines

# ---- what is refused ----
grep -v '^#' "$here/gpu_errors" >lines
mkdir bad
cp folder/trace.config bad
while IFS='|' read -r options message; do
	cp folder/gpgpusim.config bad
	# shellcheck disable=SC2001
	echo "$options" | sed 's/ -/\
-/g' >>bad/gpgpusim.config
	expect 2 "$message" "$heddle" import bad -o none.json
	test ! -e none.json || fail "$options: wrote a netlist"
	test "$(wc -l <err)" -eq 1 || { fail "$options: more than one message"; cat err; }
	option=$(echo "$message" | sed -n "s/^'\(-[^']*\)' .*/\1/p")
	line=$(grep -n "^${option:--icnt_in_buffer_limt} " bad/gpgpusim.config | tail -1)
	case $message in
	*"'mesh'"*) line=default ;; # not in the file
	esac
	grep -Fqx "bad/gpgpusim.config:${line%%:*}: $message" err ||
		grep -Fqx "not set, so the default applies: $message" err || { fail "$options: not at line $line"; cat err; }
done <lines

# ---- caches: no number is cut, nothing follows ----
for cache in S:4294967300:128:64,L:T:m:L:L,A:512:8,16:0,32 S:4:128:64,L:T:m:L:L,A:512:8,4294967312:0,32 \
	S:4:128:64,L:T:m:L:L,A:512:8,16:0,32,7 S:4:128:64,L:T:m:L:L,A:512:8,16:x; do
	expect 2 "'-gpgpu_cache:dl1' is '$cache'; expected a cache such as" \
		"$heddle" import "$here/volta.config" -gpgpu_cache:dl1 "$cache" -o none.json
done

# ---- the same in a netlist: refused before the first cycle ----
list=$src/traces/samples/gather/kernelslist.g
expect 2 "instance 'dram[0]': 'banks' is 8, and the address map distinguishes 16 banks; expected at least as many" \
	"$heddle" run -q gpu.json --set dram.banks=8 "$list"
expect 2 "instance 'dram[0]': 'queue' and 'return_queue' are 2 together; expected at least 3, one for each slice but one" \
	"$heddle" run -q gpu.json --set dram.queue=1 --set dram.return_queue=1 \
	--set dram.separate_writes=false "$list"
expect 2 "'queue' is 3; expected at least 4" "$heddle" run -q gpu.json --set slice.queue=3 "$list"
expect 2 "'indexing' \"ipoly\" expects 9 to 64 slices in all" "$heddle" run -q gpu.json \
	--set channels=2 "$list"

# ---- what is missing ----
expect 2 "folder/gpgpusim.config: no option sets latencies of units ('-trace_opcode_latency_initiation_...') or units of the core ('-specialized_unit_...'); expected 'trace.config' as well" \
	"$heddle" import folder/gpgpusim.config
expect 2 "folder/trace.config: no option sets an SM or a GPU ('-gpgpu_...'); expected 'gpgpusim.config' as well" \
	"$heddle" import folder/trace.config
rm bad/trace.config
expect 2 "bad: there is no file 'trace.config'; expected 'gpgpusim.config' and 'trace.config' in a configuration folder" \
	"$heddle" import bad
expect 2 'folder/trace.config' "$heddle" import -q folder -o folder/trace.config
grep -q trace_opcode folder/trace.config || fail "an option file was overwritten"
expect 2 'nowhere: No such file or directory' "$heddle" import nowhere

# ---- the file of a router ----
# router SED-COMMAND MESSAGE
router()
{
	sed "$1" "$here/router.icnt" >bad/router.icnt
	expect 2 "bad/router.icnt:$2" "$heddle" import bad/gpgpusim.config folder/trace.config
}
cp folder/gpgpusim.config bad
echo '-network_mode 1
-inter_config_file router.icnt' >>bad/gpgpusim.config
router s/fly/mesh/ "3: 'topology' is 'mesh'; expected fly"
router 's/k = 19/k = 18/' "5: 'k' is '18'; expected 19"
router 's/num_vcs = 1/num_vcs = 2/' "10: 'num_vcs' is '2'; expected 1"
router 's/flit_size = 64/flit_size = 32/' "8: 'flit_size' is '32'; expected 40 to 65536"
router 's/vc_buf_size = 12/vc_buf_size = 0/' "11: 'vc_buf_size' is '0'; expected 1 to 65536"
router 's/ejection_buffer_size = 14/ejection_buffer_size = 3/' \
	"13: 'ejection_buffer_size' is '3'; expected 12 to 4294967295"
router /alloc_iters/d " 'alloc_iters' is not set; expected 1"
router 's/subnets = 2;/subnets 2/' "6: expected 'name = value;'"

# ---- one SM ----
expect 0 '' "$heddle" import -q --one-sm folder -o one.json
expect 0 '' "$heddle" import -q "$here/volta.config" -gpgpu_clock_domains 1200:1:1:1 \
	-gpgpu_kernel_launch_latency 300 -gpgpu_TB_launch_latency 2 \
	-gpgpu_n_cluster_ejection_buffer_size 9 -gpgpu_n_ldst_response_buffer_size 3 -o sm.json
cmp one.json sm.json || fail "--one-sm is not the SM alone"
expect 0 "'-gpgpu_n_clusters' is 3; with '-gpgpu_perfect_mem 1' one SM is imported" \
	"$heddle" import -q folder -gpgpu_perfect_mem 1 -o one.json
cmp one.json sm.json || fail "-gpgpu_perfect_mem 1 is not the SM alone"

# ---- what became of every option ----
expect 0 '' "$heddle" import --explain folder -gpgpu_l2_rop_latency 71 -o one.json
for line in 'folder/gpgpusim.config:[0-9]*: -gpgpu_perfect_mem 1: replaced by folder/gpgpusim.config:[0-9]*' \
	'folder/gpgpusim.config:[0-9]*: -gpgpu_n_clusters 3 -> clusters' \
	'folder/gpgpusim.config:[0-9]*: -gpgpu_num_reg_banks 16 -> cluster.sm.regfile.banks' \
	'folder/gpgpusim.config:[0-9]*: -icnt_flit_size 40: changes what is printed, not what is simulated' \
	'folder/gpgpusim.config:[0-9]*: -gpgpu_dual_issue_diff_exec_units 1: no effect with the other settings' \
	'folder/gpgpusim.config:[0-9]*: -gpgpu_l2_rop_latency 70: replaced by command line' \
	'folder/trace.config:[0-9]*: -trace_opcode_latency_initiation_sp 2,2 -> cluster.sm.sp.timing (latency 2, initiation 2)' \
	'folder/.*: -gpgpu_shader_core_pipeline 2048:32 -> cluster.sm.warps 64' \
	'folder/.*: -gpgpu_pipeline_widths .* -> links of collector (into it SP 4 SFU 4 MEM 4 DP 4 .*; out of it SP 4 .*), cluster.sm.result_bus.width 8' \
	'folder/.*: -gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32 -> cluster.sm.l1d (sectored true, sets 4, line 128, ways 64, replacement lru, .*miss_queue 16.*)' \
	'folder/.*: -gpgpu_cache:dl2 .* -> l2 (.*sets [0-9]*, .*), slice.port_width [0-9]*' \
	'folder/.*: -gpgpu_shmem_option 0,8,16,32,64,96 -> dispatcher.shared_options (0 8 16 32 64 96)' \
	'folder/.*: -gpgpu_dram_timing_opt .* -> dram.banks [0-9]*, dram.ccd [0-9]*, .* dram.rtpl [0-9]*' \
	'folder/.*: -gpgpu_clock_domains [^ ]* -> clocks.core.mhz [0-9.]*, .*, clocks.dram.mhz [0-9.]*' \
	'folder/.*: -specialized_unit_1 1,4,4,4,4,BRA -> units of class SPECIALIZED_UNIT_1 (branch: count 4, latency 4, initiation 4)' \
	'command line: -gpgpu_l2_rop_latency 71 -> slice.rop_latency' \
	'default: -gpgpu_simple_dram_model 0 -> dram.scheduler'; do
	grep -qx "$line" out || fail "--explain: no line '$line'"
done
settings=$(grep -chE '^-' folder/gpgpusim.config folder/trace.config | awk '{ n += $1 } END { print n }')
test "$(grep -c '^folder/' out)" -eq "$settings" || fail "--explain does not list every setting"
# paths without blanks are what --set takes, if they name a value
sed -n 's/^folder[^>]* -> //p' out | sed 's/ ([^)]*)//g; s/\([a-z]\) [^,]*/\1/g' | tr ',' '\n' | tr -d ' ' | grep '\.' | sort -u >paths
while read -r path; do
	"$heddle" check gpu.json --set "$path=null" 2>err >out || :
	if grep -q 'is not a parameter, instance or clock' err; then
		fail "--explain: there is no '$path'"
	fi
done <paths
expect 0 'there is no unit of class SPECIALIZED_UNIT_4' "$heddle" import folder \
	-specialized_unit_4 0,4,4,4,4,UDP -o one.json
done_testing
