#!/bin/sh
# wide.sh - SMs of more than 64 warps: modules built a second time
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

cp -R "$src/netlists" cores
# An instance with 128 slots makes the whole netlist wide.
cat >cores/idle.json <<'END'
{"heddle": 1, "extends": "volta_sm.json", "set": {"warps.slots": 64},
 "add": {"instances": {"idle": {"module": "warps", "params": {"slots": 128}}}}}
END

# figures FILE: all but the name of the netlist
figures()
{
	$python - "$1" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
for name in "netlist", "modules":
    d.pop(name)
for part in "instances", "arrays":
    d[part].pop("idle", None)
print(json.dumps(d, indent=1, sort_keys=True))
END
}

for t in reduce gather hist matmul softcopy; do
	trace=$src/traces/samples/$t/kernelslist.g
	"$heddle" run -q --stats narrow cores/volta_sm.json "$trace" || fail "$t"
	"$heddle" run -q --stats wide cores/idle.json "$trace" || fail "$t, wide"
	figures narrow >narrow.out
	figures wide >wide.out
	cmp narrow.out wide.out || fail "$t: wide modules simulate something else"
done

# An SM with room for twice as many warps: more CTAs at a time, the same in any order.
big="--set warps.slots=128 --set dispatcher.registers=262144 --set dispatcher.max_ctas=64"
trace=$src/traces/samples/matmul/kernelslist.g
"$heddle" run -q --stats 64.out --set dispatcher.registers=262144 \
	--set dispatcher.max_ctas=64 cores/volta_sm.json "$trace" || fail '64 slots'
"$heddle" run -q --stats big.out $big cores/volta_sm.json "$trace" || fail '128 slots'
for o in --no-sleep --shuffle=1 --shuffle=2; do
	"$heddle" run -q --stats other.out $big $o cores/volta_sm.json "$trace" || fail "$o"
	cmp big.out other.out || fail "128 slots: $o"
done
figures 64.out >64
figures big.out >128
cmp -s 64 128 && fail '128 slots hold no more than 64'

expect 2 'expected integer 1..128, found 129' "$heddle" check --set warps.slots=129 cores/volta_sm.json
expect 0 'integer 1..128, warps' "$heddle" modules warps
done_testing
