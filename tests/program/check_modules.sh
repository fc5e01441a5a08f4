#!/bin/sh
# check_modules.sh - run --check-modules: names who breaks which rule and when, and accepts all of heddle's modules
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

${CC:-cc} -std=c11 -O1 -fPIC -shared -I"$src/include" -o rogue.so "$src/tests/program/rogue.c" ||
	fail "rogue.c cannot be built"
trace=$src/traces/tiny/kernelslist.g

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
a|no_wake|a: cycle 21: module 'rogue' has missed a wake-up: it sleeps since cycle 1, and used port 'out' when it was evaluated here
a|no_skipped|a: cycle 2: module 'rogue' has missed a wake-up: it sleeps since cycle 1, and counted statistic 'edges'
a|hidden|a: cycle 96: module 'rogue' has missed a wake-up, or read a record before it wrote it: 1 payloads were put into port 'out', but 0 when it is evaluated only when awake
END
while IFS='|' read -r who rule message; do
	expect 1 "heddle: error: " "$heddle" run -q --plugin rogue.so --check-modules --set "$who.breaks=$rule" \
		pair.json "$trace"
	grep -F -e "$message" err >/dev/null || { fail "$rule: expected '$message', got:"; cat err; }
	test "$(grep -c error err)" -eq 1 || { fail "$rule: more than one error"; cat err; }
done <table
expect 1 "module 'rogue' depends on the order of evaluation: " \
	"$heddle" run -q --plugin rogue.so --check-modules desk.json "$trace"

# Without a mistake it says nothing, whether the instances sleep or not.
expect 0 '' "$heddle" run -q --plugin rogue.so --check-modules --stats checked pair.json "$trace"
expect 0 '' "$heddle" run -q --plugin rogue.so --stats plain pair.json "$trace"
cmp plain checked || fail "--check-modules changes the statistics"

# ---- what is found without it ----
expect 1 "a: cycle 101: module 'rogue' has put payloads into port 'out' without room: 3 in 2 places" \
	"$heddle" run -q --plugin rogue.so --set a.breaks=put_full pair.json "$trace"

# ---- all of heddle's modules keep the contract, and nothing changes ----
small='gather hist reduce saxpy_xz softcopy'
test -z "$HEDDLE_ALL" || small="$small matmul vecadd"
for netlist in tutorial "$src"/netlists/*_sm*.json "$src"/netlists/*_cu.json; do
	netlist=$(basename "$netlist" .json)
	for t in $small; do
		input=$src/traces/$t/kernelslist.g
		try "$heddle" run -q --stats plain "$src/netlists/$netlist.json" "$input"
		test "$status" -eq 0 || continue # a class of instructions that this SM has no unit for
		expect 0 '' "$heddle" run -q --check-modules --stats checked "$src/netlists/$netlist.json" "$input"
		cmp plain checked || fail "$netlist, $t: --check-modules changes the statistics"
	done
done
gpus=titan_x_pascal
test -z "$HEDDLE_ALL" || gpus='titan_x_pascal quadro_gv100 rtx_2060 rtx_3070'
for netlist in $gpus; do
	expect 0 '' "$heddle" run -q --check-modules "$src/netlists/$netlist.json" "$src/traces/gather/kernelslist.g"
done

# ---- with other options ----
expect 2 '--check-modules and --dump: expected one of them' \
	"$heddle" run -q --check-modules --dump d "$src/netlists/volta_sm.json" "$trace"
expect 2 '--check-modules and --no-sleep: expected one of them' \
	"$heddle" run -q --check-modules --no-sleep "$src/netlists/volta_sm.json" "$trace"
expect 0 '' "$heddle" run -q --check-modules --shuffle 7 --max-cycles 300 --events events \
	"$src/netlists/volta_sm.json" "$src/traces/hist/kernelslist.g"
test -s events || fail "no events"
done_testing
