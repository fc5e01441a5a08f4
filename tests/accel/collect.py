#!/usr/bin/env python3
# collect.py - collects figures from the output of Accel-Sim, or of a program in its place
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: collect.py OUTPUT
#
# Works as scripts around that simulator do: an expression for each figure, whose group is the value;
# a run counts only if its last line is there; figures that add up over kernels are subtracted from
# those of the kernel before, the others are taken as they are.  Prints JSON: "kernels", a list of
# { name, figures } in order, and "final", the last value of each figure in the file.
import json
import re
import sys

END = re.compile(r"GPGPU-Sim: \*\*\* exit detected \*\*\*")
BUILD = re.compile(r"Accel-Sim.*\[build\s+(.*)\]")
KERNEL = re.compile(r"kernel_name\s+=\s+(.*)")

ADD_UP = {
    "instructions": r"gpu_tot_sim_insn\s*=\s*(.*)",
    "cycles": r"gpu_tot_sim_cycle\s*=\s*(.*)",
    "seconds": r"gpgpu_simulation_time\s*=.*\(([0-9]+) sec\)",
    "warp_instructions": r"gpgpu_n_tot_w_icount\s*=\s*(.*)",
    "thread_blocks": r"gpu_tot_issued_cta\s*=\s*(.*)",
    "launch": r"kernel_launch_uid\s*=\s*(.*)",
    "dram_reads": r"total dram reads\s*=\s*(.*)",
    "dram_writes": r"total dram writes\s*=\s*(.*)",
}
TAKE = {
    "kernel_cycles": r"gpu_sim_cycle\s*=\s*(.*)",
    "kernel_instructions": r"gpu_sim_insn\s*=\s*(.*)",
    "ipc": r"gpu_ipc\s*=\s*(.*)",
    "occupancy": r"gpu_occupancy\s*=\s*(.*)%",
    "l2_bandwidth": r"L2_BW\s*=\s*(.*)GB\/Sec",
    "instructions_per_second": r"gpgpu_simulation_rate\s+=\s+(.*)\s+\(inst\/sec\)",
    "cycles_per_second": r"gpgpu_simulation_rate\s+=\s+(.*)\s+\(cycle\/sec\)",
    "slowdown": r"gpgpu_silicon_slowdown\s*=\s*(.*)x",
    "total_ipc": r"gpu_tot_ipc\s*=\s*(.*)",
    "total_occupancy": r"gpu_tot_occupancy\s*=\s*(.*)%",
}
for cache in ("L1D", "L2"):
    for word in ("accesses", "misses", "pending_hits", "reservation_fails"):
        ADD_UP[f"{cache} {word}"] = rf"{cache}_total_cache_{word}\s*=\s*(.*)"
    TAKE[f"{cache} miss rate"] = rf"{cache}_total_cache_miss_rate\s*=\s*(.*)"
for cache, head in (("core", r"\s+Total_core_cache_stats_breakdown"), ("L2", r"\s+L2_cache_stats_breakdown")):
    for kind in ("GLOBAL_ACC_R", "LOCAL_ACC_R", "GLOBAL_ACC_W", "LOCAL_ACC_W", "L1_WRBK_ACC", "INST_ACC_R"):
        for what in ("HIT", "HIT_RESERVED", "MISS", "SECTOR_MISS", "RESERVATION_FAIL", "MSHR_HIT",
                     "TOTAL_ACCESS"):
            ADD_UP[f"{cache} {kind} {what}"] = rf"{head}\[{kind}\]\[{what}\]\s*=\s*(.*)"
FIGURES = [(name, re.compile(text), name in ADD_UP) for name, text in {**ADD_UP, **TAKE}.items()]

with open(sys.argv[1]) as f:
    lines = f.read().splitlines()
if not any(END.match(line) for line in lines):
    sys.exit(f"{sys.argv[1]}: the run has not ended")
build = next((m.group(1) for m in map(BUILD.match, lines[:100]) if m), None)
kernels, before, final = [], {}, {}
for line in lines:
    m = KERNEL.match(line)
    if m:
        kernels.append({"name": m.group(1).strip()})
        continue
    for name, expression, adds in FIGURES:
        m = expression.search(line)
        if m:
            value = final[name] = float(m.group(1).strip())
            kernels[-1][name] = value - before.get(name, 0) if adds else value
            before[name] = value
json.dump({"build": build, "kernels": kernels, "final": final}, sys.stdout, indent=1)
