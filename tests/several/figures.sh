#!/bin/sh
# figures.sh - two SMs with different schedulers in one netlist: each gives its figures as if alone
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

# Compares the statistics of both with those of the SMs alone.
cat >compare.py <<'END'
import json
import sys

both, lrr, gto = [json.load(open(f)) for f in sys.argv[1:]]
alone = {"lrr": lrr, "gto": gto}
of = {"dispatcher[0]": "lrr", "dispatcher[1]": "gto", "trace[0]": "lrr", "trace[1]": "gto",
      "memory[0]": "lrr", "memory[1]": "gto"}
bad = 0


def same(what, a, b):
    global bad
    if a != b:
        print("%s: %s and %s" % (what, a, b))
        bad = 1


same("cycles", both["cycles"], max(lrr["cycles"], gto["cycles"]))
for name in ("warp_instructions", "thread_instructions", "thread_blocks"):
    same(name, both[name], lrr[name] + gto[name])
for name in both["issue"]:
    same(name, both["issue"][name], lrr["issue"][name] + gto["issue"][name])
# rows: those of both SMs, each with its dispatcher, in the order of time
rows = {"lrr": [], "gto": []}
time = {"lrr": 0, "gto": 0}
last = 0
for row in both["kernels"]:
    sm = of[row.pop("instance")]
    rows[sm].append(row)
    time[sm] += row["cycles"]
    if time[sm] < last:
        print("a row that ends in %d stands behind one of %d" % (time[sm], last))
        bad = 1
    last = time[sm]
for sm in alone:
    for row in alone[sm]["kernels"]:  # of two SMs the parts of the run overlap
        for name in ("statistics", "queues", "figures", "rates"):
            row.pop(name)
    same("kernels of " + sm, rows[sm], alone[sm]["kernels"])
# every statistic of every instance
seen = 0
for path, stats in both["instances"].items():
    sm = of.get(path) or path.split(".")[0]
    name = path.split("[")[0] if path in of else path.split(".", 1)[1]
    same(path, stats, alone[sm]["instances"][name])
    seen += 1
same("instances", seen, len(lrr["instances"]) + len(gto["instances"]))
sys.exit(bad)
END

for trace in matmul reduce hist; do
	list=$src/traces/samples/$trace/kernelslist.g
	expect 0 '' "$heddle" run -q "$src/netlists/volta_sm.json" "$list" --stats lrr.json
	expect 0 '' "$heddle" run -q "$src/netlists/volta_sm_gto.json" "$list" --stats gto.json
	for how in '' --no-sleep --shuffle=3; do
		expect 0 '' "$heddle" run -q $how "$src/tests/several/mixed.json" "$list" --stats both.json
		python3 compare.py both.json lrr.json gto.json || fail "$trace $how: see above"
	done
done
# the slower SM decides how long it takes: the two are not of equal length
test "$(stats 's["cycles"]' lrr.json)" -ne "$(stats 's["cycles"]' gto.json)" ||
	fail "this trace does not distinguish the SMs"

# ---- output ----
"$heddle" run "$src/examples/two_sms.json" "$src/traces/samples/matmul/kernelslist.g" >out || fail "two_sms.json"
grep -qE '^cycles +15,357$' out || fail "cycles are not the time: $(grep cycles out)"
grep -qE '^warp_instructions +55,808  IPC 3\.634$' out || fail "IPC: $(grep IPC out)"
grep -qE '^  sm\[\*\]\.sp +x8 +32,768 +26\.7%' out || fail "units: $(grep sp out)"
"$heddle" run -q "$src/examples/two_sms.json" "$src/traces/samples/tiny/kernelslist.g" --events events
grep -q '^[0-9]* sm\[1\]\.issue\[0\]\.issue sched=0 ' events || fail "events do not name their instance"
grep -q '^[0-9]* dispatcher\[1\]\.kernel ' events || fail "events of the top do not name theirs"
"$heddle" run -q "$src/netlists/volta_sm.json" "$src/traces/samples/tiny/kernelslist.g" --events events
grep -q '^[0-9]* issue sched=0 ' events || fail "events of a flat netlist have another form"
done_testing
