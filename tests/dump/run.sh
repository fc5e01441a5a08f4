#!/bin/sh
# run.sh - a dump does not affect the run, adds up, and does not depend on the order of evaluation
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

sums=$build/tests/dump/sums

# dumped NAME ARGS...: runs it with a dump NAME.hdump
dumped()
{
	name=$1
	shift
	expect 0 '' "$heddle" run -q --dump "$name.hdump" "$@"
}

for core in volta_sm pascal_sm ${HEDDLE_ALL:+volta_sm_oldest turing_sm ampere_sm}; do
	for trace in tiny reduce gather softcopy ${HEDDLE_ALL:+vecadd matmul hist}; do
		list=$src/traces/samples/$trace/kernelslist.g
		try "$heddle" run -q --stats plain.json "$src/netlists/$core.json" "$list"
		test "$status" -eq 0 || continue # a trace for which this core has no units
		cp err messages
		try "$heddle" run -q --stats other.json --dump plain.hdump "$src/netlists/$core.json" "$list"
		test "$status" -eq 0 || fail "$core $trace: exit status $status with a dump"
		cmp -s messages err || fail "$core $trace: other messages with a dump"
		cmp -s plain.json other.json || fail "$core $trace: the dump changes the statistics"
		"$sums" plain.hdump || fail "$core $trace: the reasons do not add up"
		for how in --no-sleep '--shuffle 3' ${HEDDLE_ALL:+--shuffle=4}; do
			"$heddle" run -q $how --dump other.hdump "$src/netlists/$core.json" "$list" 2>err ||
				fail "$core $trace $how"
			cmp -s plain.hdump other.hdump || fail "$core $trace $how: another dump"
		done
	done
done

# ---- cores that wait in other ways ----
# Modules that skip cycles log each of them for a dump.
for setting in 'gpgpu_scheduler two_level_active:2:0:1' 'gpgpu_scheduler warp_limiting:2:2' \
	'gpgpu_scheduler rrr' 'gpgpu_perfect_inst_const_cache 0' 'gpgpu_sub_core_model 0' \
	'gpgpu_max_insn_issue_per_warp 2' 'gpgpu_concurrent_kernel_sm 1'; do
	expect 0 '' "$heddle" import -q "$src/tests/import/volta.config" \
		-gpgpu_cache:il1 N:1:128:1,L:R:f:N:L,A:2:48,4 -gpgpu_adaptive_cache_config 0 \
		-"${setting% *}" "${setting#* }" -o mode.json
	for trace in reduce ${HEDDLE_ALL:+gather softcopy}; do
		list=$src/traces/samples/$trace/kernelslist.g
		dumped plain mode.json "$list"
		"$sums" plain.hdump || fail "$setting, $trace: the reasons do not add up"
		for how in --no-sleep '--shuffle 3'; do
			dumped other $how mode.json "$list"
			cmp -s plain.hdump other.hdump || fail "$setting, $trace, $how: another dump"
		done
	done
done

core=$src/netlists/volta_sm.json
list=$src/traces/samples/matmul/kernelslist.g

# ---- filters ----
# rows TABLE FILE: how many rows the table has
rows()
{
	"$build/tests/dump/sums" --rows "$2" | sed -n "s/^$1 //p"
}
dumped all "$core" "$list"
dumped warps --dump-filter warp=0-3 "$core" "$list"
dumped none --dump-filter event=counters "$core" "$list"
dumped accesses --dump-filter 'event=cache.*' "$core" "$list"
dumped window --dump-filter cycle=100-300,500-600 "$core" "$list"
dumped sfu --dump-filter 'instance=load_store' "$core" "$list"
dumped first --dump-filter 'instance=warps' "$core" "$list" # the first of the netlist
test "$(rows inst all.hdump)" -gt "$(rows inst warps.hdump)" || fail "warp= keeps all transactions"
test "$(rows inst warps.hdump)" -gt 0 || fail "warp= keeps no transaction"
test "$(rows inst none.hdump)" -eq 0 || fail "event=counters keeps transactions"
test "$(rows counters none.hdump)" -gt 0 || fail "event=counters keeps no counters"
test "$(rows cache.access all.hdump)" -eq 0 || fail "frequent events are recorded without a filter"
test "$(rows cache.access accesses.hdump)" -gt 0 || fail "event=cache.* keeps no accesses"
test "$(rows inst window.hdump)" -lt "$(rows inst all.hdump)" || fail "cycle= keeps all transactions"
test "$(rows inst window.hdump)" -gt 0 || fail "cycle= keeps no transaction"
test "$(rows inst sfu.hdump)" -lt "$(rows inst all.hdump)" || fail "instance= keeps all transactions"
test "$(rows inst sfu.hdump)" -gt 0 || fail "instance= keeps no transaction"
test "$(rows counters first.hdump)" -gt 0 || fail "instance= keeps no counters of the first instance"
"$heddle" dump sfu.hdump --event counters --to text | grep -q ' warps' && fail "instance= keeps counters of others"

# ---- a window begins with what each warp waits for, also one that nothing changes for long ----
windows=$(awk 'BEGIN { for (from = 100; from < 16000; from += 40) printf ",%d-%d", from, from + 29 }')
dumped windows --dump-filter "cycle=${windows#,}" "$core" "$list"
for dump in all windows; do # each cycle in which an instruction is at the issue stage
	"$heddle" dump $dump.hdump --event inst --to text | awk '{
		at = $1
		for (i = 5; i <= NF && $i !~ /^mask=/; i++) {
			if ($i ~ /^warp=/) warp = $i
			if ($i ~ /^pc=/) pc = $i
		}
		for (i++; i <= NF; i++) {
			split($i, stay, "=")
			for (end = at + stay[2]; at < end; at++)
				if (stay[1] ~ /^issue/ && at >= 100 && (at - 100) % 40 < 30) print at, warp, pc, stay[1]
		}
	}' | sort >$dump.waits
done
cmp all.waits windows.waits || fail "windows keep other waits than a whole dump"
test "$(grep -c ':barrier' windows.waits)" -ge 10000 || fail "hardly a warp is held at a barrier"

# ---- a slot covers the cycles in which its clock ran, not those after them in which it stood still ----
expect 0 '' "$heddle" run -q --set dispatcher.kernel_latency=1000 "$core" "$src/traces/samples/reduce/kernelslist.g" \
	--dump gap.hdump
expect 0 '' "$heddle" dump gap.hdump --event dispatcher.kernel --to text
end=$(sed -n '1s/ .*//p' out)
expect 0 '' "$heddle" dump gap.hdump --event issue.slot --to text
awk -v from=$((end + 2)) -v to=$((end + 990)) '$1 < to && $1 + $2 > from { bad = 1; print }
	END { exit bad || NR < 1000 }' out || fail "slots between two kernels, where the SM is empty"

# ---- bad ones ----
refused()
{
	text=$1
	shift
	expect 2 "$text" "$heddle" run -q --dump x.hdump "$@" "$core" "$list"
}
refused "'warp' is not a condition" --dump-filter warp
refused "'x' is not a range" --dump-filter warp=x
refused "'9-3' is not a range" --dump-filter warp=9-3
refused "begins before the previous window ends" --dump-filter cycle=10-20,15-30
refused "nothing in this core has a field 'wrap'" --dump-filter wrap=3
refused "'0x' is not a number" --dump-sample 0x
refused "'event=,' has no pattern" --dump-filter event=,
refused "nothing in this core reports 'isue.slot'" --dump-filter event=inst,isue.slot
refused "this core has no instance 'isue[0]'" --dump-filter 'instance=isue[0]'
refused "or 'issue[*]' for all" --dump-filter instance=issue
refused "both would write 'x.hdump'" --stats x.hdump
expect 2 "'-' is not a file" "$heddle" run -q --dump - "$core" "$list"
expect 2 'needs --dump FILE' "$heddle" run --dump-sample 5 "$core" "$list"
expect 2 'needs --dump FILE' "$heddle" run --dump-filter warp=1 "$core" "$list"
expect 2 'No such file or directory' "$heddle" run --dump none/x.hdump "$core" "$list"
if test -w /dev/full; then
	expect 1 'could not be written' "$heddle" run -q --dump /dev/full "$core" "$list"
fi

# Where a window ends does not show in what else is counted.
tiny=$src/traces/samples/tiny/kernelslist.g
expect 0 '' "$heddle" run -q --reasons --stats all.json "$core" "$tiny"
expect 0 '' "$heddle" run -q --reasons --stats cut.json --dump cut.hdump --dump-filter cycle=5-5 "$core" "$tiny"
expect 0 '' "$heddle" run -q --events cut.txt --dump cut.hdump --dump-filter cycle=5-5 "$core" "$tiny"
cmp all.json cut.json || fail "reasons depend on the end of a window"
expect 0 '' "$heddle" run -q --no-sleep --events awake.txt --dump awake.hdump --dump-filter cycle=5-5 "$core" "$tiny"
cmp cut.txt awake.txt || fail "events depend on sleep after the end of a window"

# The reader of a pipe closes it: the run ends as usual, and reports that the dump failed.
mkfifo pipe
head -c 100 pipe >/dev/null &
expect 1 'pipe: could not be written: Broken pipe' \
	"$heddle" run -q --dump pipe --stats piped.json "$core" "$list"
test -s piped.json || fail "a dump into a broken pipe: no statistics"
wait
done_testing
