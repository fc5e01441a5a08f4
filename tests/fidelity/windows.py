#!/usr/bin/env python3
# windows.py - runs windows of instructions that were measured on hardware, and compares their clock reads
# SPDX-License-Identifier: BSD-2-Clause
#
# windows.py HEDDLE WINDOWS.json: WINDOWS is a list of windows, each with its instructions, what was measured,
# and which of it is to be equal.  Prints each difference, and what was compared.
import json
import os
import subprocess
import sys

CLOSED = {1, 2, 3}  # sub-cores of the scheduler windows that are explained


def line(i):
    """One instruction as `heddle trace assemble` reads it."""
    wait = "".join(str(k) if i["wait"] >> k & 1 else "-" for k in range(6))
    counters = ["-" if i[k] is None else i[k] for k in ("rd", "wr")]
    control = "[B%s:R%s:W%s:%s:S%02d]" % (wait, *counters, "Y" if i["yield"] else "-", i["stall"])
    operands = list(i["dst"])
    for s in sorted(i["src"], key=lambda s: s["slot"]):
        operands.append(s["text"] + (".reuse" if s.get("reuse") else ""))
    guard = "@" + i["guard"].lstrip("@") if i.get("guard") else ""
    address = ""
    if i.get("mem"):
        base = 0x7F0000000000 if i["mem"].get("space") == "global" else 0x100
        address = "addr=0x%x+%d*lane" % (base, max(4, i["mem"].get("bits", 32) // 8))
    return " ".join(filter(None, [control, guard, i["op"], ", ".join(operands), address]))


def text(w):
    lines = ["kernel window grid=1,1,1 block=%d,1,1 sm=80 shared=4096 regs=64" % (w["warps"] * 32)]
    lines += [line(i) for i in w["instructions"]]
    if w["instructions"][-1]["op"] != "EXIT":
        lines.append("[B------:R-:W-:-:S05] EXIT")
    return "\n".join(lines) + "\n"


def run(heddle, w):
    """Statistics of the window."""
    with open("window.hasm", "w") as f:
        f.write(text(w))
    subprocess.run([heddle, "trace", "assemble", "window.hasm", "-o", "window"], check=True)
    subprocess.run([heddle, "run", "-q", "a100_sm.json", "window/kernelslist.g", "--stats", "stats.json"],
                   check=True, stderr=subprocess.DEVNULL)
    os.system("rm -rf window")
    with open("stats.json") as f:
        return json.load(f)


def reads(s, w):
    """By warp: the cycles of the two clock reads that are compared."""
    pcs = [16 * i for i in w["clock_reads"]]
    cycles = {}
    for r in s["clock_reads"]:
        assert r["kernel"] == 1 and r["block"] == 0
        if r["pc"] in pcs:
            cycles.setdefault(r["warp"], {})[pcs.index(r["pc"])] = r["cycle"]
    return {warp: (c[0], c[1]) for warp, c in cycles.items()}


def reader(w):
    """pc of the instruction whose data the class is about."""
    last = "LDG" if w["experiment"].startswith(("counter", "depbar")) else "FADD"
    want = "IADD3" if last == "LDG" else "FFMA"
    ops = [i["op"].split(".")[0] for i in w["instructions"]]
    at = max(i for i, op in enumerate(ops) if op == last)
    return 16 * ops.index(want, at)


class Comparison:
    def __init__(self):
        self.done = dict.fromkeys(("delta", "growth", "clock_reads", "class"), 0)
        self.wrong = 0

    def check(self, what, w, got, expected):
        self.done[what] += 1
        if got != expected:
            self.wrong += 1
            print("%s: %s is %s, measured %s" % (w["id"], what, got, expected))


def scheduler(c, w, cycles):
    of = {}
    for m in w["measured"]["warps"]:
        of.setdefault(m["sub_core"], []).append(m)
    for sub in CLOSED & of.keys():
        first = min(m["start"] for m in of[sub])
        here = min(cycles[m["warp"]][0] for m in of[sub])
        for m in of[sub]:
            for k, name in enumerate(("start", "stop")):
                c.check("clock_reads", w, (m["warp"], cycles[m["warp"]][k] - here),
                        (m["warp"], m[name] - first))


def main(heddle, path):
    c = Comparison()
    grown = {}
    with open(path) as f:
        windows = json.load(f)
    for w in windows:
        s = run(heddle, w)
        cycles = reads(s, w)
        least = min(stop - start for start, stop in cycles.values())
        for what in w["compare"]:
            if what == "delta":
                c.check(what, w, least, w["measured"]["median"])
            elif what == "growth":
                grown.setdefault(w["experiment"], []).append((w, least))
            elif what == "clock_reads":
                scheduler(c, w, cycles)
            elif what == "class":
                stale = any(h["pc"] == reader(w) for h in s.get("hazard_list", ()))
                c.check(what, w, "stale" if stale else "correct", w["class"])
    for group in grown.values():
        base, least = next(g for g in group if g[0]["id"].endswith("N00"))
        for w, here in group:
            c.check("growth", w, here - least, w["measured"]["min"] - base["measured"]["min"])
    print("%d deltas, %d growths, %d clock reads, %d classes" % tuple(c.done.values()))
    return c.wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
