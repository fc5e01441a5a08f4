#!/bin/sh
# divergence.sh - divergence policies on traces: groups of a stack, groups apart, what lanes execute
# SPDX-License-Identifier: BSD-2-Clause
#
# What each lane executes, on all traces.  Then runs in two groupings: from either, simt_stack gives the
# groups, and on a core the cycles, of the one that a stack formed; lanes_apart gives the instructions of the
# other.
. "${srcdir:-.}/tests/lib.sh"
needs python3 xz

invariant="$build/tests/trace/invariant"

# compare LIST...: compares the lanes in these traces; a line for each policy goes into `lines`
compare()
{
	"$invariant" "$src/netlists/opcodes" "$@" >lines || { fail "lanes"; grep FAIL lines; }
}

compare "$src"/traces/samples/*/kernelslist.g
test "$(grep -c simt_stack: lines)" -ge 8 || fail "not all bundled traces"

# ---- the table of docs/sm.md ----
for trace in hist reduce saxpy_xz; do
	row="| $trace |"
	for policy in as_traced simt_stack min_pc lanes_apart; do
		expect 0 '' "$heddle" run -q --stats s.json --set "divergence.module=$policy" \
			"$src/netlists/volta_sm.json" "$src/traces/samples/$trace/kernelslist.g"
		row="$row $(stats '"%d, %d |" % (s["warp_instructions"], s["cycles"])' s.json)"
	done
	grep -qxF "$row" "$src/docs/sm.md" || fail "docs/sm.md has not the row $row"
done

# ---- order, sleep, several SMs and kernels: no difference ----
core=$src/netlists/volta_sm.json
printf '{ "heddle": 1, "extends": "volta_sm.json", "set": { "dispatcher.concurrent": true } }\n' >several_sm.json
for policy in simt_stack min_pc lanes_apart; do
	list=$src/traces/samples/hist/kernelslist.g
	set="--set divergence.module=$policy"
	# shellcheck disable=SC2086 # several words
	any_order s.json $set "$core" "$list"
	# nor do other SMs or kernels
	count=$(stats 's["instances"]["divergence"]["warp_instructions"]' s.json)
	expect 0 '' "$heddle" run -q --stats gpu.json --set "cluster.sm.divergence.module=$policy" \
		"$src/netlists/rtx_2060.json" "$list"
	got=$(stats 'sum(v["warp_instructions"] for k, v in s["instances"].items()
		if k.endswith("divergence"))' gpu.json)
	test "$got" = "$count" || fail "$policy: $got instructions on a GPU instead of $count"
	# shellcheck disable=SC2086 # several words
	expect 0 '' "$heddle" run -q --stats several.json $set several_sm.json "$list"
	stats 's["instances"]["divergence"]["warp_instructions"]' several.json | grep -qx "$count" ||
		fail "$policy: kernels at the same time"
done

# ---- a stack that is too small is reported once ----
"$heddle" run -q --set divergence.module=simt_stack --set divergence.depth=1 "$core" \
	"$src/traces/samples/hist/kernelslist.g" 2>err && fail "a stack of one entry is enough for hist"
grep -q "needs more than the 1 entries of its stack at pc" err || { fail "a stack of one entry"; cat err; }
test "$(wc -l <err)" -eq 1 || { fail "reported again"; cat err; }

# ---- a deadlock at a barrier shows the top of a deep stack, as far as there is room: 16 of 21 entries ----
{
	echo 'kernel deep'
	for i in $(seq 20); do
		printf 'if @P0 mask=%08x {\n' $((0xffffffff & -1 << i))
	done
	echo 'BAR.SYNC 0x0'
	for i in $(seq 20); do
		printf 'FADD R1, R2, R3\n}\n'
	done
} >deep.hasm
expect 0 '' "$heddle" trace assemble deep.hasm -o deep
"$heddle" run -q --set divergence.module=simt_stack "$src/netlists/ampere_sm.json" deep/kernelslist.g 2>err &&
	fail 'a barrier in divergent code is passed'
grep -q 'warp 0 waits at a barrier at pc 0140 .* top first: fff00000 at 0140 until 0160; .*; ffffffe0 at 0240 until 0250$' err ||
	{ fail 'another stack'; cat err; }
test "$(tr ';' '\n' <err | grep -c ' until ')" -eq 16 || { fail 'not 16 entries'; cat err; }

oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
if test ! -f "$oracle/divergence/divergence.csv"; then
	echo "SKIP: there are no runs in two groupings; set HEDDLE_ORACLE to the folder with divergence/"
	test "$failures" -eq 0 && exit 77
	done_testing
fi

compare "$oracle"/divergence/*/kernelslist.g "$oracle"/made/*/kernelslist.g \
	"$oracle"/real/bfs-volta/kernelslist.g "$oracle"/real/matmul-shared-pascal/kernelslist.g \
	"$oracle"/real/vecadd-fp32-pascal/kernelslist.g "$oracle"/real/backprop-hopper/kernelslist.g
$python - "$oracle/divergence/divergence.csv" lines <<'END' || fail "groups"
import csv, re, sys

got = {}
for line in open(sys.argv[2]):
    m = re.match(r"(?:.*/)?([^/]+)/kernelslist.g: (.*): (\d+) instructions, deepest (\d+), (\w+)$", line)
    if m:
        got[m[1], m[2]] = int(m[3]), int(m[4]), m[5]
bad = 0

def check(what, is_so):
    global bad
    if not is_so:
        print("FAIL:", what)
        bad += 1

for r in csv.DictReader(open(sys.argv[1])):
    stack, apart = r["case"] + "-stack", r["case"] + "-apart"
    traced = got[stack, "as_traced"]
    for t in stack, apart:
        n, deepest, groups = got[t, "simt_stack"]
        check(t + ": groups of the stack", groups == traced[2])
        check(t + ": deepest", deepest == int(r["deepest"]))
        check(t + ": instructions", n == int(r["stack_warp_instructions"]))
        check(t + ": apart", got[t, "lanes_apart"][0] == int(r["apart_warp_instructions"]))
for t in "matmul-shared-pascal", "vecadd-fp32-pascal":
    check(t + ": the groups of the trace", got[t, "simt_stack"][2] == got[t, "as_traced"][2])
bfs = [got["bfs-volta", p][0] for p in ("simt_stack", "min_pc", "lanes_apart")]
check("bfs-volta %s" % bfs, bfs == [153065, 153065, 154856])
sys.exit(bad > 0)
END

# ---- cycles ----
sample='10?'
test -z "${HEDDLE_ALL:-}" || sample='???'
# shellcheck disable=SC2231 # a pattern
for stack in "$oracle"/divergence/div-$sample-stack "$oracle/divergence/div-123-stack"; do
	expect 0 '' "$heddle" run -q --stats traced.json "$core" "$stack/kernelslist.g"
	for trace in "$stack" "${stack%stack}apart"; do
		expect 0 '' "$heddle" run -q --stats s.json --set divergence.module=simt_stack "$core" \
			"$trace/kernelslist.g"
		test "$(stats 's["cycles"] == t["cycles"]' s.json traced.json)" = True ||
			fail "$trace: cycles"
	done
done
done_testing
