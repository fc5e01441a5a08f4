#!/bin/sh
# check_modules.sh - run --check-modules: names who breaks which rule and when, and accepts all of heddle's modules
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

plug_in "$src/tests/program/rogue.c" rogue.so
trace=$src/traces/samples/tiny/kernelslist.g

# A netlist in which a.breaks or b.breaks may be set; payloads go from a to b.
cat >pair.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1000 } },
  "instances": {
    "a": { "module": "rogue" }, "b": { "module": "rogue" }, "end": { "module": "rogue" } },
  "links": [
    { "from": "a.out", "to": "b.in", "capacity": 2 },
    { "from": "a.slot_out", "to": "b.slot_in", "slots": 4 } ] }
END
# Several that ask one desk in an order that no link determines.
cat >desk.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1000 } },
  "instances": {
    "desk": { "module": "rogue" },
    "user": { "module": "rogue", "count": 8, "params": { "breaks": "order" } },
    "sink": { "module": "rogue", "count": 8 } },
  "links": [
    { "from": "user[*].desk", "to": "desk.give" },
    { "from": "user[*].out", "to": "sink[*].in", "capacity": 2 } ] }
END

# ---- every rule, broken at edge 20, which is cycle 21: who is to blame, and in which words ----
sed '/^#/d' >table <<'END'
# who|rule|message
a|put_full|a: cycle 21: module 'rogue' put a payload into port 'out' without room: all 2 places of the channel are taken
a|put_many|a: cycle 21: module 'rogue' put more than 1 payloads into port 'out' in one edge; expected the largest number as 'most' of the port, or hd_puts_at_most() in 'init'
a|put_size|a: cycle 21: module 'rogue' put a payload of 8 bytes into port 'out'; expected 4 bytes, the size of type 'token'
b|take_empty|b: cycle 21: module 'rogue' took a payload from port 'in', which has none to take
a|slot_full|a: cycle 21: module 'rogue' put a payload into slot 1 of port 'slot_out', which holds one
a|slot_foreign|a: cycle 21: module 'rogue' put a payload into slot 5 of port 'slot_out', which is not a slot of that end
b|slot_empty|b: cycle 21: module 'rogue' took slot 2 of port 'slot_in', which has no payload to take
b|slot_twice|b: cycle 21: module 'rogue' took slot 0 of port 'slot_in', which has no payload to take
a|release_twice|a: cycle 21: module 'rogue' released record
a|release_twice|of type 'thing' a second time; it was released at cycle 21 by 'a'
a|release_never|a: cycle 21: module 'rogue' released record 77777 of type 'thing', which was never in use
a|use_released|a: cycle 21: module 'rogue' used record
a|use_released|of type 'thing', which was released at cycle 21 by 'a'
a|use_never|a: cycle 21: module 'rogue' used record 70000 of type 'thing', which was never in use
a|read_fresh|a: cycle 21: module 'rogue' has missed a wake-up, or read a record before it wrote it
a|overruns|a: cycle 21: module 'rogue' (rogue.so) has written behind the 
a|overruns_memory|a: cycle 21: module 'rogue' (rogue.so) has written behind the 12 bytes that it got from hd_memory(), at offset 12
a|left_bit|a: cycle 21: module 'rogue' has something left in 'set' for slot 66 of 'a', into which something new comes; expected that it is 0
a|left_element|a: cycle 21: module 'rogue' has something left in 'element' for slot 99 of 'a', into which something new comes
a|no_wake|a: cycle 21: module 'rogue' has missed a wake-up: it sleeps since cycle 1, and used port 'out' when it was evaluated here
a|no_skipped|a: cycle 2: module 'rogue' has missed a wake-up: it sleeps since cycle 1, and counted statistic 'edges'
a|hidden|a: cycle 96: module 'rogue' has missed a wake-up, or read a record before it wrote it: 1 payloads were put into port 'out', but 0 when it is evaluated only when awake
END
while IFS='|' read -r who rule message; do
	expect 1 "heddle: error: " "$heddle" run -q --plugin rogue.so --check-modules --set "$who.breaks=$rule" \
		pair.json "$trace"
	grep -F -e "$message" err >/dev/null || { fail "$rule: expected '$message', got:"; cat err; }
	test "$(grep -c error err)" -eq 1 || { fail "$rule: more than one error"; cat err; }
	cat err >>found
done <table
expect 1 "module 'rogue' depends on the order of evaluation: " \
	"$heddle" run -q --plugin rogue.so --check-modules desk.json "$trace"
grep "; 'user\[[0-7]\]' and 'user\[[0-7]\]' call 'desk', and no link says which of them comes first: expected HD_ORDERED at port 'give' of module 'rogue'" \
	err >/dev/null || { fail "desk.json: who calls whom in any order?"; cat err; }
cat err >>found
# counted asleep in another way than awake
mkdir skips
plug_in "$src/tests/program/rogue.c" skips/rogue.so -DSKIPS
expect 1 "a: cycle 2: module 'rogue' has missed a wake-up: it sleeps since cycle 1, and unlike 'skipped' counted statistic" \
	"$heddle" run -q --plugin skips/rogue.so --check-modules --set a.breaks=no_skipped pair.json "$trace"
cat err >>found
# an interface that changes what its user sleeps on, and does not wake it; data outside of the state
expect 1 "user[3]: cycle 21: module 'rogue' has missed a wake-up: it sleeps since cycle 1, and used port 'out'" \
	"$heddle" run -q --plugin rogue.so --check-modules --set 'user[3].breaks=waits' desk.json "$trace"
expect 1 "user[0]: cycle 21: module 'rogue' has missed a wake-up, or read a record before it wrote it: 1 payloads" \
	"$heddle" run -q --plugin rogue.so --check-modules --set user.breaks=shared desk.json "$trace"

# of several senders into one channel, the one that is to blame
cat >many.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1000 } },
  "instances": { "a": { "module": "rogue" }, "b": { "module": "rogue" }, "c": { "module": "rogue" },
    "end": { "module": "rogue" } },
  "links": [{ "from": ["a.out", "b.out", "c.out"], "to": "end.in", "capacity": 8 }] }
END
for who in a b c; do
	expect 1 "$who: cycle 21: module 'rogue' has missed a wake-up, or read a record before it wrote it: 0 payloads were put into port 'out', but 1 when" \
		"$heddle" run -q --plugin rogue.so --check-modules --set a.breaks=put_once --set b.breaks=put_once \
		--set c.breaks=put_once --set $who.breaks=read_fresh many.json "$trace"
done

# Without a mistake it says nothing, whether the instances sleep or not.
expect 0 '' "$heddle" run -q --plugin rogue.so --check-modules --stats checked pair.json "$trace"
expect 0 '' "$heddle" run -q --plugin rogue.so --stats plain pair.json "$trace"
cmp plain checked || fail "--check-modules changes the statistics"

# ---- what is found without it ----
expect 1 "a: cycle 101: module 'rogue' has put payloads into port 'out' without room: 3 in 2 places" \
	"$heddle" run -q --plugin rogue.so --set a.breaks=put_full pair.json "$trace"

cat err >>found
while IFS='|' read -r rule message; do
	expect 1 "a: cycle 21: $message" "$heddle" run -q --plugin ./rogue.so --stuck-after=1 --set "a.breaks=$rule" \
		pair.json "$trace"
	cat err >>found
done <<'END'
leak|more than 262142 records of type 'thing' are in use
crashes|module 'rogue' (./rogue.so) crashed with signal 11 (Segmentation fault)
exits|module 'rogue' (./rogue.so) ended the program
hangs|module 'rogue' (./rogue.so) did not return for 1 s of processor time
END

# ---- docs/modules.md has these messages: each that stands in its table was seen above ----
sed -n '/^| mistake | what it looks like/,/^$/p' "$src/docs/modules.md" | sed 1,2d | cut -d '|' -f 3 |
	grep -o '`[^`]*`' | grep ' ' | tr -d '`' >shown
test "$(wc -l <shown)" -ge 13 || { fail "docs/modules.md: the table of mistakes was not found"; cat shown; }
cat >pattern.sed <<'END'
s/[].*()[]/\\&/g
s/\\\.\\\.\\\./.*/g
# any number and any name will do
s/[0-9][0-9]*/[0-9]+/g
s/'[^']*'/'[^']*'/g
s:/divider:/rogue:
END
while read -r message; do
	grep -E -e "$(printf '%s\n' "$message" | sed -f pattern.sed || echo bad)" found >/dev/null ||
		fail "docs/modules.md shows '$message', which no mistake above looks like"
done <shown

# ---- all of heddle's modules keep the contract, and nothing changes ----
small='gather hist reduce saxpy_xz softcopy'
test -z "$HEDDLE_ALL" || small="$small matmul vecadd"
for netlist in tutorial "$src"/netlists/*_sm*.json "$src"/netlists/*_cu.json; do
	netlist=$(basename "$netlist" .json)
	for t in $small; do
		input=$src/traces/samples/$t/kernelslist.g
		try "$heddle" run -q --stats plain "$src/netlists/$netlist.json" "$input"
		test "$status" -eq 0 || continue # a class of instructions that this SM has no unit for
		expect 0 '' "$heddle" run -q --check-modules --stats checked "$src/netlists/$netlist.json" "$input"
		cmp plain checked || fail "$netlist, $t: --check-modules changes the statistics"
	done
done
gpus=titan_x_pascal
test -z "$HEDDLE_ALL" || gpus='titan_x_pascal quadro_gv100 rtx_2060 rtx_3070'
for netlist in $gpus; do
	expect 0 '' "$heddle" run -q --check-modules "$src/netlists/$netlist.json" "$src/traces/samples/gather/kernelslist.g"
done

# cores of the modules that no netlist above has
core() # NAME BASE MEMBERS
{
	printf '{ "heddle": 1, "name": "%s", "extends": "%s.json", %s }\n' "$1" "$2" "$3" >"$1.json"
}
core few_lanes volta_sm '"set": { "divergence.module": "lanes_apart" }'
core lowest_pc volta_sm '"set": { "divergence.module": "min_pc" }'
warps='{ "from": "scheduler[*].warps", "to": "warps.state" }'
core rrr volta_sm "\"set\": { \"scheduler.module\": \"scheduler_rrr\" }, \"add\": { \"links\": [$warps] }"
core limited volta_sm "\"set\": { \"scheduler.module\": \"scheduler_limited\", \"scheduler.params\": { \"limit\": 3 } },
	\"add\": { \"links\": [$warps] }"
core two_level volta_sm "\"set\": { \"scheduler.module\": \"scheduler_two_level\" }, \"add\": { \"links\": [$warps,
	{ \"from\": \"scheduler[*].ibuffer\", \"to\": \"ibuffer.issue\" },
	{ \"from\": \"scheduler[*].scoreboard\", \"to\": \"scoreboard.check\" }] }"
core cached volta_sm '"set": { "icache.module": "icache", "icache.clock": "sm" }, "add": {
	"instances": { "l1i": { "module": "cache", "clock": "sm", "params": {
	  "sectored": false, "sets": 2, "line": 64, "ways": 2, "write_policy": "read_only", "allocate": "on_fill",
	  "write_allocate": "none", "mshr_entries": 2, "mshr_merge": 48, "miss_queue": 4 } } },
	"links": [{ "from": "icache.cache", "to": "l1i.cache" },
	  { "from": "icache.request", "to": "memory.request", "capacity": 32 },
	  { "from": "memory.inst_response", "to": "icache.response", "latency": 0, "capacity": 1 }] }'
core shared volta_sm '"rewire": [{ "link": { "from": "load_store.request" }, "to": "share.in" },
	  { "link": { "to": "load_store.response" }, "from": "share.response" }],
	"add": { "instances": { "share": { "module": "request_share", "clock": "core" } },
	  "links": [{ "from": "share.out", "to": "memory.request", "capacity": 32 },
	    { "from": "memory.response", "to": "share.reply", "latency": 0, "capacity": 2 }] }'
core deep volta_sm '"set": { "ibuffer.entries": 64, "ibuffer.refill": "room" }'
core several volta_sm '"set": { "dispatcher.concurrent": true }'
core several_sms gpu '"set": { "clusters": 3, "cores": 2, "channels": 8, "dispatcher.concurrent": true,
	"dispatcher.kernel_latency": 0 }'
core coalesced gpu '"set": { "clusters": 3, "channels": 8 }, "rewire": [
	{ "link": { "from": "requests.out" }, "to": "lrc[$m].in", "latency": 0 },
	{ "link": { "from": "reply_port[$m].out" }, "to": "lrc[$m].reply" } ],
	"add": { "instances": { "lrc": { "module": "request_coalescer", "count": "$channels * $slices", "clock": "network" } },
	  "links": [{ "from": "lrc[*].out", "to": "intake[*].request", "capacity": "$out_buffer" },
	    { "for": { "m": "0..$channels * $slices - 1" },
	      "from": "lrc[$m].response", "to": "replies.in", "latency": 0, "capacity": "$in_buffer" },
	    { "from": "lrc[*].time", "to": "cycles.time" }] }'
cores='few_lanes lowest_pc rrr limited two_level cached shared deep several several_sms coalesced'
for netlist in $cores; do
	input=$src/traces/samples/hist/kernelslist.g
	expect 0 '' "$heddle" run -q --stats plain "$netlist.json" "$input"
	expect 0 '' "$heddle" run -q --check-modules --stats checked "$netlist.json" "$input"
	cmp plain checked || fail "$netlist: --check-modules changes the statistics"
done
# that is all of them
for netlist in tutorial "$src"/netlists/*_sm*.json "$src"/netlists/*_cu.json $gpus $cores; do
	test "${netlist##*/}" != control_sm.json || continue # a part of others
	test -f "$netlist" || netlist=$netlist.json
	test -f "$netlist" || netlist=$src/netlists/$netlist
	"$heddle" flatten "$netlist" | sed -n 's/.*"module": "\([a-z0-9_]*\)".*/\1/p'
done | sort -u >checked_modules
"$heddle" modules | sed 's/ .*//' | sort | comm -23 - checked_modules >never
test ! -s never || { fail "modules that never ran under --check-modules:"; cat never; }

# ---- with other options ----
expect 2 '--check-modules and --dump: expected one of them' \
	"$heddle" run -q --check-modules --dump d "$src/netlists/volta_sm.json" "$trace"
expect 2 '--check-modules and --no-sleep: expected one of them' \
	"$heddle" run -q --check-modules --no-sleep "$src/netlists/volta_sm.json" "$trace"
expect 0 '' "$heddle" run -q --check-modules --shuffle 7 --max-cycles 300 --events events \
	"$src/netlists/volta_sm.json" "$src/traces/samples/hist/kernelslist.g"
test -s events || fail "no events"
# whose load is reported after its request was released
expect 0 '' "$heddle" run -q --check-modules --max-cycles 300 --events events --set policy.module=scheduler_limited \
	--set 'alu.timing[0].latency=1' "$src/netlists/tutorial.json" "$src/traces/samples/tiny/kernelslist.g"

# ---- what decode takes is seen by fetch an edge later ----
for core in a100_sm southern_islands_cu; do
	for channel in '"latency": 8, "capacity": 25, "staged": true' '"capacity": 4, "staged": true' '"latency": 2, "capacity": 4'; do
		echo "{ \"heddle\": 1, \"extends\": \"$src/netlists/$core.json\", \"rewire\": [
			{ \"link\": { \"from\": \"fetch.fetched\" }, $channel }] }" >later.json
		for name in tiny vecadd; do
			expect 0 '' "$heddle" run -q --check-modules --max-cycles 2000 later.json "$src/traces/samples/$name/kernelslist.g"
		done
	done
done
done_testing
