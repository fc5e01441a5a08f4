#!/usr/bin/env python3
# agree.py - do the figures that were collected agree with the statistics of the same run?
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: agree.py COLLECTED STATS
#
# COLLECTED is what collect.py prints of the output of heddle-accel-sim, STATS what heddle run --stats
# writes for the imported netlist.
import json
import re
import sys

with open(sys.argv[1]) as f:
    collected = json.load(f)
with open(sys.argv[2]) as f:
    stats = json.load(f)
wrong = 0


def same(what, got, want):
    global wrong
    if got != want:
        wrong += 1
        print(f"{what}: {got}, expected {want}")


def near(what, got, want):
    """Quotients are divided in single precision."""
    global wrong
    if got is None or abs(got - want) > 1e-4 + abs(want) * 1e-6:
        wrong += 1
        print(f"{what}: {got}, expected about {want}")


def last(path):
    return re.sub(r"\[\d+\]$", "", path.split(".")[-1])


def total(name, stat):
    return sum(i.get(stat, 0) for path, i in stats["instances"].items() if last(path) == name)


final = collected["final"]
rows = stats["kernels"]
same("kernels", [k["name"] for k in collected["kernels"]], [r["name"] for r in rows])
for i, (k, r) in enumerate(zip(collected["kernels"], rows)):
    cycles = r.get("interval_cycles", r["cycles"])
    same(f"kernel {i}: cycles", k["cycles"], cycles)
    same(f"kernel {i}: gpu_sim_cycle", k["kernel_cycles"], cycles)
    same(f"kernel {i}: thread blocks", k["thread_blocks"], r["thread_blocks"])
    same(f"kernel {i}: launch", k["launch"], 1)
    same(f"kernel {i}: gpu_sim_insn", k["kernel_instructions"], k["instructions"])
    near(f"kernel {i}: gpu_ipc", k["ipc"], k["instructions"] / k["cycles"])
same("instructions", final["instructions"], stats["thread_instructions"])
same("warp instructions", final["warp_instructions"],
     stats["warp_instructions"] + total("load_store", "completed_twice"))
near("total ipc", final["total_ipc"], stats["thread_instructions"] / sum(r.get("interval_cycles", r["cycles"]) for r in rows))
near("occupancy", final["total_occupancy"],
     100 * total("warps", "warp_cycles") / total("warps", "slot_cycles"))

KINDS = {"GLOBAL_ACC_R": "global_read", "LOCAL_ACC_R": "local_read", "GLOBAL_ACC_W": "global_write",
         "LOCAL_ACC_W": "local_write", "L1_WRBK_ACC": "line", "INST_ACC_R": "inst"}
OUTCOMES = {"HIT": "hits", "HIT_RESERVED": "reserved_hits", "MISS": "misses",
            "SECTOR_MISS": "sector_misses", "RESERVATION_FAIL": "refusals", "MSHR_HIT": "merged"}
has_l2 = any(last(path) == "l2" for path in stats["instances"])
for cache, names in (("core", ("l1d", "l1i")), ("L2", ("l2",))):
    if cache == "L2" and not has_l2:
        continue
    for kind, word in KINDS.items():
        counts = {}
        for outcome, end in OUTCOMES.items():
            counts[outcome] = sum(total(n, f"{word}_{end}") for n in names)
            if outcome != "MSHR_HIT" or kind.endswith("_R"):
                same(f"{cache} {kind} {outcome}", final[f"{cache} {kind} {outcome}"], counts[outcome])
        accesses = sum(counts[o] for o in ("HIT", "HIT_RESERVED", "MISS", "SECTOR_MISS"))
        same(f"{cache} {kind} accesses", final.get(f"{cache} {kind} TOTAL_ACCESS", 0), accesses)
for cache, name in (("L1D", "l1d"), ("L2", "l2")):
    if not any(last(path) == name for path in stats["instances"]):
        same(f"{cache}", f"{cache} accesses" in final, False)
        continue
    same(f"{cache} accesses", final[f"{cache} accesses"], total(name, "accesses"))
    same(f"{cache} misses", final[f"{cache} misses"], total(name, "misses") + total(name, "sector_misses"))
    same(f"{cache} pending hits", final[f"{cache} pending_hits"], total(name, "reserved_hits"))
    same(f"{cache} fails", final[f"{cache} reservation_fails"], total(name, "reservation_fails"))
if has_l2:
    same("dram reads", final["dram_reads"], total("dram", "asked_reads"))
    same("dram writes", final["dram_writes"], total("dram", "asked_writes"))
    mhz = next(iter(stats["clocks"].values()))["mhz"] if "core" not in stats["clocks"] \
        else stats["clocks"]["core"]["mhz"]
    end = collected["kernels"][-1]
    seconds = end["cycles"] / (mhz * 1e6)
    of_machine = rows[-1].get("interval", rows[-1]).get("statistics", {})
    replies = of_machine.get("reply_port[*]", {}).get("replies", 0)
    near("L2 bandwidth", end["l2_bandwidth"], replies * 32 / seconds / 1e9)
else:
    same("dram", "dram_reads" in final, False)
for rate in ("instructions_per_second", "cycles_per_second", "seconds"):
    same(rate, final[rate] > 0, True)
same("build", collected["build"], "heddle-" + stats["heddle"])
sys.exit(1 if wrong else 0)
