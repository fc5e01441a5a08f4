#!/bin/sh
# sequential.sh - fetch that goes on at the next address: hazards are the jumps of the trace, work stays the same
# SPDX-License-Identifier: BSD-2-Clause
#
# Every place in a warp's trace where the next line is not the next address is one control hazard, on
# every core; what is executed is the same, nothing is left over, and results depend neither on sleep
# nor on the order of evaluation.
. "${srcdir:-.}/tests/lib.sh"

needs python3 xz

# jumps FILE...: places in traces of 16-byte instructions where a warp does not go on at the next address
jumps()
{
	for file; do
		case $file in *.xz) xz -dc "$file" ;; *) cat "$file" ;; esac
	done | awk '
		function hex(s, i, v) {
			for (v = i = 0; i++ < length(s);)
				v = 16 * v + index("0123456789abcdef", substr(s, i, 1)) - 1
			return v
		}
		/^warp =/ { fresh = 1; next }
		/^[0-9a-f]+ [0-9a-f]+ / {
			at = hex($1)
			n += !fresh && at != last + 16
			last = at
			fresh = 0
		}
		END { print n + 0 }'
}

figures='[s["status"], s["warp_instructions"], sum(v["decoded"] for k, v in
	s["instances"].items() if "decoded" in v)]'

# hazards CORE TRACE OPTION...: as many as jumps, and the work that the core has with `follow` `trace`
hazards()
{
	core=$1
	trace=$2
	shift 2
	list=$src/traces/samples/$trace/kernelslist.g
	set -- "$@" --set divergence.module=as_traced # whose jumps are those of the text
	expect 0 '' "$heddle" run -q "$@" --set fetch.follow=trace --stats known.json "$core" "$list"
	expect 0 '' "$heddle" run -q "$@" --set fetch.follow=sequential --stats plain.json "$core" "$list"
	test "$(stats "$figures" known.json)" = "$(stats "$figures" plain.json)" ||
		fail "$core $trace $*: other work"
	got=$(stats 's["instances"]["divergence"]["control_hazards"]' plain.json)
	test "$got" -eq "$(cat "$trace.jumps")" ||
		fail "$core $trace $*: $got control hazards, expected $(cat "$trace.jumps")"
	stats 'all(v["control_hazard"] <= v["idle"] for k, v in s["instances"].items()
		if "control_hazard" in v)' plain.json | grep -q True || fail "$core $trace $*: more than idle"
	expect 0 '' "$heddle" run -q "$@" --no-sleep --shuffle=5 --set fetch.follow=sequential \
		--stats other.json "$core" "$list"
	cmp -s plain.json other.json || fail "$core $trace $*: the statistics differ, shuffled and awake"
}

# a core with an instruction cache, small enough to miss
cat >cached.json <<-END
	{ "heddle": 1, "name": "cached", "extends": "$src/netlists/volta_sm.json",
	  "set": { "icache.module": "icache", "icache.clock": "sm" },
	  "add": {
	    "instances": { "l1i": { "module": "cache", "clock": "sm", "params": {
	      "sectored": false, "sets": 2, "line": 64, "ways": 2, "write_policy": "read_only",
	      "allocate": "on_fill", "write_allocate": "none", "mshr_entries": 2, "mshr_merge": 48,
	      "miss_queue": 4 } } },
	    "links": [
	      { "from": "icache.cache", "to": "l1i.cache" },
	      { "from": "icache.request", "to": "memory.request", "capacity": 32 },
	      { "from": "memory.inst_response", "to": "icache.response", "latency": 0, "capacity": 1 } ] } }
END
all='tiny vecadd saxpy_xz matmul reduce hist gather softcopy'
for trace in $all; do
	# shellcheck disable=SC2046 # names of kernels without blanks
	(cd "$src/traces/samples/$trace" && jumps $(ls kernel-*.traceg kernel-*.traceg.xz 2>/dev/null)) >"$trace.jumps"
done
test "$(cat reduce.jumps)" -ge 800 || fail "there are $(cat reduce.jumps) jumps in reduce"
for trace in tiny reduce gather ${HEDDLE_ALL:+vecadd saxpy_xz hist softcopy}; do
	hazards "$src/netlists/volta_sm.json" "$trace"
	hazards cached.json "$trace" --set ibuffer.entries=4 --set ibuffer.refill=room
done
room='--set ibuffer.refill=room --set ibuffer.entries'
sample 3 <<-END >rows
	ampere_sm softcopy
	turing_sm hist $room=3 --set frontend.times=1
	volta_sm_gto reduce --set frontend.times=8 --set decode.width=1
	volta_sm_oldest saxpy_xz $room=8 --set decode.width=4
	volta_sm reduce --set issue.width=2
	volta_sm hist --set issue.width=2 --set issue.different_units=false $room=8
	volta_sm reduce --set warps=128 $room=2
	volta_sm saxpy_xz --set warps=128
	lecture_sm reduce
	lecture_sm hist $room=4
	southern_islands_cu reduce
	southern_islands_cu softcopy $room=6 --set issue.in_turn=false
END
# shellcheck disable=SC2086 # several words
while read -r core trace options; do
	hazards "$src/netlists/$core.json" "$trace" $options
done <rows
hazards cached.json hist --set memory.module='"memory_fixed"' $room=8
hazards cached.json reduce --set memory.module='"memory_fixed"' --set frontend.times=1

# what the hazards cost: the loop of docs/sm.md, n turns
loop()
{
	printf '%s\n' '-grid dim = (1,1,1)' '-block dim = (32,1,1)' '-binary version = 70' \
		'-accelsim tracer version = 4' '#' '#BEGIN_TB' 'thread block = 0,0,0' 'warp = 0'
	echo "insts = $((4 * $1 + 1))"
	turn=0
	while test $((turn += 1)) -le "$1"; do
		printf '%s 1 R2 0\n' '0000 ffffffff 0 ISETP' '0010 ffffffff 0 FSETP' '0020 ffffffff 0 ISETP'
		echo '0030 ffffffff 0 BRA 0 0'
	done
	printf '%s\n' '0040 ffffffff 0 EXIT 0 0' '#END_TB'
}
for n in 1 2 30; do
	loop "$n" >loop.traceg
	for times in 4 1; do
		for follow in trace sequential; do
			expect 0 '' "$heddle" run -q --set fetch.follow=$follow --set frontend.times=$times \
				--stats s.json "$src/netlists/volta_sm.json" loop.traceg
			case $follow$times in
			trace4) cycles=$((4 * n + 10)) ;;
			sequential4) cycles=$((5 * n + 9)) ;;
			trace1) cycles=$((6 * n + 10)) ;;
			sequential1) cycles=$((8 * n + 8)) ;;
			esac
			test "$(stats 's["cycles"]' s.json)" -eq "$cycles" ||
				fail "loop of $n, $follow, times $times: not $cycles cycles"
		done
	done
done

# every instruction that was decoded in vain is flushed, and in the dump; slots add up
expect 0 '' "$heddle" run -q --set fetch.follow=sequential --dump a.hdump --stats s.json \
	"$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g"
"$heddle" dump a.hdump --to text >text
test "$(grep -c ' inst ended uid=0 .* mask=0x0 decode:buffered=.* issue.[0-3].:flushed=0' text)" -eq \
	"$(stats 's["instances"]["decode"]["wrong_path"]' s.json)" || fail "not all are flushed in the dump"
for reason in control_hazard idle; do
	stats "sum(v[\"$reason\"] for k, v in s[\"instances\"].items() if k.startswith(\"issue\"))" s.json
done >counted
awk '/ issue.slot .* reason=idle/ { idle += $2 } / reason=idle.control_hazard/ { hazard += $2 }
	END { print hazard + 0; print idle + 0 }' text >added
cmp counted added || fail "reasons of slots do not add up to the statistics"

# ---- a netlist without a policy ----
expect 2 "port 'divergence' is open" "$heddle" run -q --set fetch.follow=sequential \
	"$src/netlists/tutorial.json" "$src/traces/samples/tiny/kernelslist.g"
expect 2 'trace, sequential' "$heddle" run -q --set fetch.follow=path "$src/netlists/volta_sm.json" \
	"$src/traces/samples/tiny/kernelslist.g"
done_testing
