#!/bin/sh
# changes.sh - extends, --set, diff
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
. "$src/tests/netlists.sh"

# ---- extends: the changes, and nothing else ----
cat >base.json <<'END'
{ "heddle": 1, "extends": "cores/volta_sm.json",
  "remove": { "links": [{ "from": "issue.policy" }] },
  "rewire": [{ "link": { "to": "sfu.in" }, "slots": 8 },
             { "link": { "from": "issue.out", "unit": "SFU" }, "slots": 8 }],
  "set": { "scheduler.count": 2, "sfu[*].count": 8 },
  "add": { "instances": { "greedy": { "module": "scheduler_gto", "count": 2 } },
           "links": [{ "from": "issue[0..1].policy", "to": "scheduler[*].policy" },
                     { "from": "issue[2..3].policy", "to": "greedy[*].policy" },
                     { "from": "greedy[*].warps", "to": "warps.state" }] } }
END
differ "$volta" base.json <<'END'
instance scheduler: count was 4, is 2
instance sfu: count was 4, is 8
instance greedy is new, 2 x scheduler_gto
link issue[*].out to collector.in (unit SFU): slots was 4, is 8
link collector.out to sfu[*].in (unit SFU): slots was 4, is 8
link issue[*].policy to scheduler[*].policy is removed
link issue[0..1].policy to scheduler[*].policy is new
link issue[2..3].policy to greedy[*].policy is new
link greedy[*].warps to warps.state is new
END
# a chain of them; the last change counts
cat >third.json <<'END'
{ "heddle": 1, "extends": "base.json",
  "remove": { "instances": ["tensor"], "links": [{ "from": "issue[*].out", "unit": "TENSOR" }] },
  "rewire": [{ "link": { "from": "load_store.request" }, "latency": 3 },
             { "link": { "from": "sfu[*].out" }, "from": "dp" },
             { "link": { "from": "dp[*].out" }, "from": "sfu[*]" }],
  "set": { "sfu.count": 4, "core.mhz": 1000, "sp.timing[0].latency": 4, "watchdog": 9 } }
END
cat >fourth.json <<'END'
{ "heddle": 1, "extends": "third.json",
  "rewire": [{ "link": { "to": "sfu.in" }, "slots": 4 },
             { "link": { "from": "issue.out", "unit": "SFU" }, "slots": 4 },
             { "link": { "from": "load_store.request" }, "latency": 1 }] }
END
expect 2 "third.json:5:57: error: 'sfu.out' and 'writeback.in' are linked twice (extended by fourth.json)" \
	"$heddle" check fourth.json
cat >third.json <<'END'
{ "heddle": 1, "extends": "base.json",
  "remove": { "instances": ["tensor"], "links": [{ "from": "issue[*].out", "unit": "TENSOR" }] },
  "rewire": [{ "link": { "from": "load_store.request" }, "latency": 3 }],
  "set": { "sfu.count": 4, "core.mhz": 1000, "sp.timing[0].latency": 4, "watchdog": 9 } }
END
differ base.json fourth.json <<'END'
the netlist: watchdog was 50000, is 9
clock core: mhz was 1132, is 1000
instance sp: timing[0].latency was 2, is 4
instance sfu: count was 8, is 4
instance tensor is removed; it was 4 x fu_pipeline
link issue[*].out to collector.in (unit SFU): slots was 8, is 4
link issue[*].out to collector.in (unit TENSOR) is removed
link collector.out to sfu[*].in (unit SFU): slots was 8, is 4
link collector.out to tensor[*].in (unit TENSOR) is removed
link tensor[*].out to writeback.in is removed
link tensor[*].bus to result_bus.bus is removed
END
run a.json fourth.json
# an end replaced in its place, and with it the rest of the link
cat >swap.json <<'END'
{ "heddle": 1, "extends": "cores/volta_sm.json",
  "remove": { "instances": ["scheduler"] },
  "rewire": [{ "link": { "from": "fence.l1d" }, "from": "fence.l1d" }],
  "add": { "instances": { "policy": { "module": "scheduler_lrr", "count": 4 } },
           "links": [{ "from": "issue[*].policy", "to": "policy[*].policy" }] } }
END
cycles "$volta" swap.json
cat >swap.json <<'END'
{ "heddle": 1, "extends": "cores/volta_sm.json",
  "rewire": [{ "link": { "to": "scheduler" }, "to": "policy" }],
  "add": { "instances": { "policy": { "module": "scheduler_lrr", "count": 4 } } } }
END
expect 0 "warning: no instance uses 'scheduler[0]'; it has no effect" "$heddle" check swap.json
"$heddle" diff "$volta" swap.json >out 2>err
grep -q '^link issue\[\*\].policy to policy\[\*\].policy is new$' out || fail "rewire to another instance"
# an export follows if the change names its port, or stays at its instance; the others stay where they are
cat >ends.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1 } },
  "instances": { "a": { "module": "memory_perfect", "count": 2 }, "b": { "module": "memory_perfect" } },
  "exports": { "in": "a[0].request", "out": "a[0].response", "b_in": "b.request", "b_out": "b.response" } }
END
# moved CHANGE PORT...: these ports are neither linked nor exported after it
moved()
{
	printf '{ "heddle": 1, "extends": "ends.json", "rewire": [%s] }\n' "$1" >moved.json
	expect 2 'is left open' "$heddle" check moved.json
	shift
	printf '%s\n' "$@" >expected
	sed -n "s/.* error: port '\(.*\)' is left open.*/\1/p" err | cmp -s - expected ||
		{ fail "the exports of $(cat moved.json)"; cat err; }
}
moved '' 'a[1].request' 'a[1].response'
moved '{ "link": { "to": "a[0].request" }, "to": "a[1].request" }' 'a[0].request' 'a[1].response'
moved '{ "link": { "from": "a[0]" }, "from": "a[1]" }' 'a[0].request' 'a[0].response'

# ---- --set ----
cat >other_module.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1 } },
  "instances": { "regfile": { "module": "regfile", "params": { "banks": 16, "sub_cores": 2 } } } }
END
expect 0 '"slots": 16' "$heddle" flatten --set warps=16 "$volta"
# all parameters of an instance, which may be of another module then
expect 0 '"module": "shared_banks", "clock": "core", "params": {"banks": 4, "parts": 1' "$heddle" flatten \
	--set regfile.module=shared_banks --set 'regfile.params={"banks": 4}' other_module.json
expect 2 "--set sp.params=7: error: 'params' of instance 'sp': expected an object" \
	"$heddle" flatten --set sp.params=7 "$volta"
expect 0 '"slots": 48' "$heddle" flatten --set warps=16 --set warps=48 "$volta"
expect 0 '"module": "scheduler_oldest"' "$heddle" flatten --set scheduler.module=scheduler_oldest \
	cores/volta_sm_gto.json
expect 0 '"latency": 7, "initiation": 2' "$heddle" flatten -s 'sp[*].timing[0].latency=7' "$volta"
expect 0 '"latency": 7, "initiation": 2' "$heddle" flatten -s 'sp.params.timing[0].latency=7' "$volta"
expect 0 '"latency": 9, "initiation": 2' "$heddle" flatten -s 'int_timing[0].latency=9' "$volta"
expect 0 '"core": {"mhz": 1500}' "$heddle" flatten --set clocks.core.mhz=1500 "$volta"
expect 0 '"core": {"hz": 1417500000}' "$heddle" flatten --set core.mhz=1417.5 "$volta"
expect 0 '"watchdog": 77' "$heddle" flatten --set watchdog=77 "$volta"
expect 0 '"slots": 32' "$heddle" flatten --set 'warps=$sub_cores * 8' "$volta"
expect 0 '"width": 1' "$heddle" flatten --set 'decode.width=1' "$volta" # given in the netlist
expect 0 '"l1d_banks": 4, "' "$heddle" flatten "$volta"
expect 0 '"sm": 5' "$heddle" flatten --set warps.sm=5 --set warps.sms=8 "$volta" # not given
# inside of a netlist: of all elements, of one, its parameters
"$heddle" flatten --set sm.count=3 --set 'sm.sp.count=8' --set 'sm.collector.sub_cores=4' \
	--set 'sm[1].dp.timing[0].latency=99' --set 'sm[2].warps=16' --set sm.warps=48 two.json >out 2>err
test "$(grep -c '"sm\[[012]\].sp": {"module": "fu_pipeline", "count": 8' out)" -eq 0 ||
	fail "8 units for 4 slots are refused"
"$heddle" flatten --set sm.count=3 --set 'sm.sp.timing[0].latency=5' \
	--set 'sm[1].dp.timing[0].latency=99' --set 'sm[2].warps=16' --set sm.warps=48 two.json >out 2>err
test "$(grep -c '"sm\[[012]\].sp": .*"latency": 5' out)" -eq 3 || fail "--set sm.sp..."
test "$(grep -c '"sm\[[0-9]\].dp": .*"latency": 99' out)" -eq 1 || fail "--set sm[1].dp..."
grep -q '"sm\[2\].warps": .*"slots": 16' out || fail "--set sm[2].warps=16"
test "$(grep -c '"sm\[[01]\].warps": .*"slots": 48' out)" -eq 2 || fail "--set sm.warps=48"
cat err
cat >one.json <<'END'
{ "heddle": 1, "instances": { "sm": { "netlist": "cores/volta_sm.json" } } }
END
run a.json two.json --set sm.count=1
run b.json one.json
test "$(figure a.json cycles)" = "$(figure b.json cycles)" || fail "--set sm.count=1"
for c in check flatten; do
	expect 2 "--set wraps=3: error: 'wraps' is not a parameter, instance or clock of '$volta'; did you mean 'warps'?" \
		"$heddle" $c --set wraps=3 "$volta"
	expect 2 "--set warps: error: expected PATH=VALUE, such as units.count=2" "$heddle" $c --set warps "$volta"
	expect 2 "is not UTF-8; expected PATH=VALUE" "$heddle" $c --set "$(printf 'sp.coun\334t=2')" "$volta"
	expect 2 "--set sp.timing[0].latncy=3: error: unknown parameter 'timing[0].latncy'" \
		"$heddle" $c --set 'sp.timing[0].latncy=3' "$volta"
	expect 2 "--set warps=x: error: parameter 'warps': expected a number as its default is, found string \"x\"" \
		"$heddle" $c --set warps=x "$volta"
	expect 2 "--set sm[5].warps=3: error: 'sm' has no element 5; expected 0..1" \
		"$heddle" $c --set 'sm[5].warps=3' two.json
	expect 2 "--set sm.spp.count=3: error: 'spp' is not a parameter, instance or clock of 'cores/volta_sm.json'; did you mean 'sp'?" \
		"$heddle" $c --set sm.spp.count=3 two.json
done
expect 2 "did you mean 'warps'?" "$heddle" run -q --set wraps=3 "$volta" "$tiny"

# ---- diff ----
same "$volta" "$volta"
expect 2 'expected A and B' "$heddle" diff "$volta"
expect 2 "unexpected argument 'c'" "$heddle" diff a b c
expect 2 'cannot read the netlist' "$heddle" diff "$volta" /nowhere/x.json
cat >four.json <<'END'
{ "heddle": 1, "extends": "two.json", "set": { "sm.sp.timing[0].latency": 3 } }
END
differ two.json four.json <<'END'
instance sm[0].sp: timing[0].latency was 2, is 3 (and so 1 more)
END
differ two.json four.json --all <<'END'
instance sm[0].sp[0]: timing[0].latency was 2, is 3
instance sm[0].sp[1]: timing[0].latency was 2, is 3
instance sm[0].sp[2]: timing[0].latency was 2, is 3
instance sm[0].sp[3]: timing[0].latency was 2, is 3
instance sm[1].sp[0]: timing[0].latency was 2, is 3
instance sm[1].sp[1]: timing[0].latency was 2, is 3
instance sm[1].sp[2]: timing[0].latency was 2, is 3
instance sm[1].sp[3]: timing[0].latency was 2, is 3
END
# ends that are neighbours are a range, and in a value the element of the name is any element
echo '{ "heddle": 1, "extends": "cores/quadro_gv100.json", "set": { "clusters": 2 } }' >few.json
try "$heddle" diff cores/quadro_gv100.json few.json
for line in 'clock cluster[2].work is removed; it was {"of": "core", "times": 1, "phase": 0, "gate": "cluster[2].node"} (and so 77 more)' \
	'link cluster[0..79].sm[0].divergence.trace to trace.trace is removed' \
	'link cluster[0..1].sm[0].divergence.trace to trace.trace is new' \
	'link cluster[2].node.response to cluster[2].sm[0].load_store.response is removed (and so 77 more)'; do
	grep -q -x -F "$line" out || fail "diff of two GPUs: no '$line'"
done
try "$heddle" diff --all cores/quadro_gv100.json few.json
test "$(grep -c '^clock cluster.*work is removed' out)" -eq 78 || fail 'diff --all of two GPUs'
grep -q ', cluster\[79\].sm\[0\].divergence.trace to trace.trace is removed' out || fail 'diff --all: no ends'
# a further link into a channel need not repeat the members of the first one
for more in '' ', "capacity": 2, "latency": 1'; do
	cat >"further${more:+_more}.json" <<END
{ "heddle": 1, "extends": "cores/tutorial.json",
  "add": { "instances": { "mine": { "module": "fu_pipeline",
                                    "params": { "timing": [{ "classes": ["NEW"], "latency": 2, "initiation": 1 }] } } },
           "links": [{ "from": "issue.out", "to": "mine.in", "unit": "NEW", "classes": ["NEW"] },
                     { "from": "mine.out", "to": "writeback.in"$more }] } }
END
done
same further.json further_more.json
cat >order.json <<'END'
{ "heddle": 1, "extends": "cores/volta_sm.json",
  "remove": { "links": [{ "from": "barrier.warps" }] },
  "add": { "links": [{ "from": "barrier.warps", "to": "warps.state" }] } }
END
"$heddle" diff "$volta" order.json | grep -q '^links to warps.state come in another order' ||
	fail "diff: another order"
done_testing
