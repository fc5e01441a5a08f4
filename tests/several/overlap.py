#!/usr/bin/env python3
# overlap.py - checks the rows of kernels that overlap against the run, and against each kernel alone
# SPDX-License-Identifier: BSD-2-Clause
#
# Usage: overlap.py NAME: NAME.s, NAME.r with reasons; NAME.K.alone of each kernel, NAME.K.slots of a dump.
import json, re, sys

name = sys.argv[1]
bad = 0


def check(what, got, want):
    global bad
    if got != want:
        print(f"{name}: {what}: {got}, expected {want}")
        bad = 1


def sums(rows, path):
    """Group -> statistic -> sum over the rows."""
    all = {}
    for row in rows:
        for part in path:
            row = row.get(part, {})
        for group, stats in row.items():
            for stat, n in stats.items():
                all[group, stat] = all.get((group, stat), 0) + n
    return all


run = json.load(open(name + ".s"))
rows = run["kernels"]
totals = {}
for path, instance in run["instances"].items():
    for stat, n in instance.items():
        if isinstance(n, int) and n:
            key = re.sub(r"\[\d+\]", "[*]", path), stat
            totals[key] = totals.get(key, 0) + n
own, interval = sums(rows, ["statistics"]), sums(rows, ["interval", "statistics"])
check("both of a kernel and of an interval", own.keys() & interval.keys(), set())
both = {**own, **interval}
check("statistics", {k: v for k, v in both.items() if v != totals.get(k)}, {})
check("statistics that rows lack", totals.keys() - both.keys(), set())
for stat in "issued", "single", "stall", "idle", "completed", "ctas_launched", "accesses":
    check(f"{stat} is not counted for kernels", any(s == stat for g, s in own), True)

for figure in "warp_instructions", "thread_instructions", "thread_blocks":
    check(figure, sum(r["figures"][figure] for r in rows), run[figure])
for use in run["issue"]:
    check("issue." + use, sum(r["figures"]["issue"][use] for r in rows), run["issue"][use])

# what a kernel does is the same alone; only when it does is not
for row in rows:
    k = row["id"]
    alone = json.load(open(f"{name}.{k}.alone"))
    for figure in "warp_instructions", "thread_instructions", "thread_blocks":
        check(f"{figure} of kernel {k}", row["figures"][figure], alone[figure])
    check(f"instructions of kernel {k}", row["warp_instructions"], alone["warp_instructions"])
    check(f"cycles of kernel {k}", row["cycles"] >= row["interval_cycles"] or row["first_cycle"] > 0, True)
check("the intervals are the run", sum(r["interval_cycles"] for r in rows), run["cycles"])
check("some overlap", sum(r["cycles"] for r in rows) > run["cycles"], True)

for s in run["streams"]:
    mine = [r for r in rows if r["stream"] == s["stream"]]
    check("kernels of a stream", s["kernels"], len(mine))
    check("instructions of a stream", s["warp_instructions"], sum(r["warp_instructions"] for r in mine))
    check("slots of a stream", s["figures"]["issue"]["single"], sum(r["figures"]["issue"]["single"] for r in mine))

# reasons are of the kernel, too
reasons = json.load(open(name + ".r"))
found = {}
for row in reasons["kernels"]:
    slots = row["figures"]["issue"]
    groups = {}
    for reason, n in row["reasons"].items():
        found[reason] = found.get(reason, 0) + n
        group = reason.split(".")[0]
        groups[group] = groups.get(group, 0) + n
    for group in "single", "dual", "scoreboard", "idle":
        if group in slots and (group != "scoreboard" or "dependence" not in groups):
            check(f"{group} of kernel {row['id']}", groups.get(group, 0), slots[group])
    check(f"slots of kernel {row['id']} in the dump", int(open(f"{name}.{row['id']}.slots").read()), sum(groups.values()))
check("reasons", found, reasons["reasons"])
sys.exit(bad)
