#!/usr/bin/env python3
# energy.py - compares power with rows of the reference, in energy/tests_dev.csv and energy/intervals_dev.csv
# SPDX-License-Identifier: BSD-2-Clause
#
# Run by energy.sh.
import csv
import glob
import json
import os
import subprocess
import sys

HEDDLE, ORACLE, SRC = os.environ["heddle"], os.environ["oracle"], os.environ["src"]
TABLE = SRC + "/netlists/energy/accelwattch_volta.json"
GV100 = ["clocks.core.mhz=1447", "clocks.network.mhz=1447", "clocks.l2.mhz=1447"]
# Of a configuration: what is imported, or a netlist and its changes.  Others have no files here.
CONFIGURATIONS = {
    "SM7_QV100": ([], []), "SM7_QV100_l0": ([], ["dispatcher.kernel_latency=0"]), "SM7_GV100": ([], GV100),
    "SM7_QV100_icache": (["gpu-volta", "-gpgpu_perfect_inst_const_cache", "0"], []), "SM6_TITANX": (["gpu-pascal"], []),
    "SM86_RTX3070": (["gpu-ampere"], []),
}
# Inactive lanes need energy there.
INACTIVE = {"SM86_RTX3070"}
# A run of two minutes.
LONG = {"bfs-volta"}


def trace_of(name):
    """The list of kernels of a trace, which is assembled if it is a text."""
    text = "%s/energy/traces/src/%s.hasm" % (ORACLE, name)
    if os.path.exists(text):
        if not os.path.isdir(name):
            subprocess.run([HEDDLE, "trace", "assemble", text, "-o", name], check=True, stderr=subprocess.DEVNULL)
        return name + "/kernelslist.g"
    for folder in (ORACLE + "/made/", ORACLE + "/real/", SRC + "/traces/samples/"):
        found = glob.glob(folder + name + "/kernelslist.g*")
        if found:
            return found[0]
    return None


def netlist_of(configuration):
    imported, changes = CONFIGURATIONS[configuration]
    if not imported:
        return [a for c in changes for a in ("--set", c)] + [SRC + "/netlists/quadro_gv100.json"]
    path = configuration + ".json"
    if not os.path.exists(path):
        subprocess.run([HEDDLE, "import", "-q", "-o", path, ORACLE + "/configs/" + imported[0]] + imported[1:], check=True)
    return [path]


def wrong(row, kernel):
    """What differs of a kernel."""
    found = []
    intervals = kernel["energy"]["intervals"]
    n = intervals["number"]
    if n != int(row["samples"]):
        return ["%d intervals, %s in the reference" % (n, row["samples"])]
    if n == 0:
        return found
    for key in row:
        if not key.startswith("avg_"):
            continue
        want = float(row[key])
        got = intervals["components"].get(key[4:], {"mean_w": 0})["mean_w"]
        if abs(got - want) > max((5e-3 if key == "avg_RFP" else 2e-3) * want, 1e-4):
            found.append("%s %g, %g in the reference" % (key[4:], got, want))
    for key, name in (("avg", "mean_w"), ("max", "largest_w"), ("min", "smallest_w")):
        want = float(row["kernel_%s_power" % key])
        most = 1e-3 if n <= 2 or key != "avg" else 1e-4
        if abs(intervals[name] - want) > most * want:
            found.append("%s %g, %g in the reference" % (name, intervals[name], want))
    return found


def compare_kernels():
    runs, failed, rows = {}, 0, 0
    with open(ORACLE + "/energy/tests_dev.csv", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            runs.setdefault((row["configuration"], row["trace"]), []).append(row)
    for (configuration, trace), of_run in sorted(runs.items()):
        if configuration not in CONFIGURATIONS or (trace in LONG and not os.environ["all"]):
            continue
        list_ = trace_of(trace)
        if not list_:
            print("there is no trace", trace)
            failed += 1
            continue
        subprocess.run([HEDDLE, "run", "-q", "--energy", TABLE, "--stats", "stats.json"] + netlist_of(configuration)
                       + [list_], check=True, stderr=subprocess.DEVNULL)
        with open("stats.json", encoding="utf-8") as f:
            kernels = json.load(f)["kernels"]
        for row in of_run:
            rows += 1
            found = wrong(row, kernels[int(row["kernel"]) - 1])
            if configuration in INACTIVE and trace not in ("async-100", "mix-100", "pw_mufu"):
                found = []
            for text in found:
                print("%s on %s, kernel %s: %s" % (trace, configuration, row["kernel"], text))
            failed += bool(found)
    print("%d kernels, %d differ" % (rows, failed))
    return failed == 0 and rows > 60


def compare_intervals():
    """The table alone: rules from counters of the reference to watts."""
    with open(TABLE, encoding="utf-8") as f:
        table = json.load(f)
    mhz = {"SM7_QV100": (1132, 80), "SM7_QV100_l0": (1132, 80), "SM7_QV100_icache": (1132, 80), "SM7_GV100": (1447, 80),
           "SM6_TITANX": (1417, 28), "SM75_RTX2060_S": (1905, 34), "SM7_TITANV": (1200, 80), "SM86_RTX3070": (1132, 46)}
    events = {(e["module"], s): pj for e in table["events"] for s, pj in e["pj"].items()}
    of = {"decoded": {"IBP": events[("decode", "decoded")]["IBP"]}, "scheduled": {"SCHEDP": events[("decode", "decoded")]["SCHEDP"]},
          "SHRD_ACC": events[("shared_banks", "cycles")], "MEM_RD": events[("dram", "reads")], "MEM_WR": events[("dram", "writes")],
          "MEM_PRE": events[("dram", "precharges")], "NOC_A": events[("cluster", "taken")],
          "CC_H": events[("fu_pipeline", "constant_loads")], "IC_H": events[("icache", "hits")], "IC_M": events[("icache", "misses")],
          "REG_RD": {"RFP": events[("regfile", "reads")]["RFP"] / 32}, "REG_WR": {"RFP": events[("regfile", "writes")]["RFP"] / 32}}
    cache = {e["instances"]: e["pj"] for e in table["events"] if e["module"] == "cache"}
    for name, kind in (("R", "read"), ("W", "write")):
        of["DC_%sH" % name] = cache["*.l1d"]["global_%s_hits" % kind]
        of["DC_%sM" % name] = cache["*.l1d"]["global_%s_misses" % kind]
        of["L2_%sH" % name] = cache["l2[*]"]["global_%s_hits" % kind]
        of["L2_%sM" % name] = cache["l2[*]"]["global_%s_misses" % kind]
    for key in events:
        if key[1].startswith("lanes."):
            of["lane_op." + key[1][6:]] = events[key]
    worst, n = 0, 0
    with open(ORACLE + "/energy/intervals_dev.csv", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            clock, sms = mhz[row["configuration"]]
            watts = dict.fromkeys(table["constant_w"], 0.0)
            for counter, pj in of.items():
                for c, v in pj.items():
                    watts[c] = watts.get(c, 0) + float(row[counter]) * v * 1e-12 / (500 / (clock * 1e6))
            for c, v in table["constant_w"].items():
                watts[c] += v
            for c, v in watts.items():
                want = float(row[c])
                worst = max(worst, abs(v - want) / max(abs(want), 1e-6))
            active = float(row["active_sm_cycles"]) / 500
            idle = (sms - active) * table["sm"]["idle_w"]["IDLE_COREP"]
            assert abs(idle - float(row["IDLE_COREP"])) < 3e-5 * max(idle, 1), row
            n += 1
    print("%d intervals, largest difference of a component %.1e" % (n, worst))
    return worst < 1e-6 and n > 0


ok = compare_intervals()
sys.exit(0 if compare_kernels() and ok else 1)
