# page_data.py - are the numbers in a page of heddle report those of the statistics?
# SPDX-License-Identifier: BSD-2-Clause
import base64
import json
import re

wrong = []


def check(ok, what):
    if not ok:
        print("FAIL:", what)
        wrong.append(what)


def data_of(page):
    with open(page) as f:
        text = f.read()
    m = re.search(r'<script type="application/json" id="data">\n(.*?)\n</script>', text, re.S)
    return json.loads(m.group(1))


def number(data, i):
    v = shift = 0
    while True:
        v |= (data[i] & 127) << shift
        shift += 7
        i += 1
        if data[i - 1] < 128:
            return v, i


# Bytes of a row (docs/report.md): how many instructions it issues by code, where it ends.
def read_row(text, start):
    data, i, at, code, issued = base64.b64decode(text), 0, start, 0, {}
    while i < len(data):
        state = data[i]
        n, i = number(data, i + 1)
        if state > 1:
            at += n
            continue
        code += -(n + 1) // 2 if n & 1 else n // 2
        _, i = number(data, i)
        issued[code] = issued.get(code, 0) + 1
        at += state == 0
    return issued, at


def check_slots(run, stats):
    groups = {}
    for s in run["slots"]:
        check(sum(s["v"]) == s["total"], "bins of " + s["reason"])
        group = s["reason"].split(".")[0]
        group = "scoreboard" if group == "dependence" else group # of cores that follow control words
        groups[group] = groups.get(group, 0) + s["total"]
    for s in run["sums"]:
        check(s["slots"] + s["empty"] == s["counted"], "sum of " + s["group"])
    empty = {s["group"]: s["empty"] for s in run["sums"]}
    for group, n in stats["issue"].items():
        check(groups.get(group, 0) + empty[group] == n, "slots and statistics: " + group)
    total = sum(s["total"] for s in run["slots"])
    check(sum(sum(s["sums"]) for s in run["schedulers"]) == total, "slots by scheduler")
    for k, s in enumerate(run["slots"]):
        check(sum(one["sums"][k] for one in run["schedulers"]) == s["total"], "schedulers: " + s["reason"])
    check(sum(sum(w["sums"]) for w in run["warps"]) <= total, "slots by warp")
    for k in range(len(run["slots"][0]["v"])):
        width = min(run["width"], run["cycles"] - k * run["width"])
        check(sum(s["v"][k] for s in run["slots"]) <= (width + 1) * len(run["schedulers"]), "slots of bin %d" % k)


def check_pcs(run, stats):
    check(sum(p["issued"] for p in run["pcs"]) == stats["warp_instructions"], "instructions by pc")
    if not any(i.get("copies") for i in stats["instances"].values() if i["module"] == "copy"):
        check(sum(p["lanes"] for p in run["pcs"]) == stats["thread_instructions"], "lanes by pc")
    lost = sum(s["total"] for s in run["slots"] if s["reason"] not in ("single", "dual"))
    check(0 <= sum(p["waiting"] for p in run["pcs"]) <= lost, "slots lost by pc")
    results = "scoreboard.", "dependence.sb", "dependence.register"
    results = sum(s["total"] for s in run["slots"] if s["reason"].startswith(results))
    check(sum(p["awaited"] for p in run["pcs"]) == results, "whose result was waited for")
    for p in run["pcs"]:
        check(sum(n for _, n in p["reasons"]) <= p["waiting"], "reasons of pc %x" % p["pc"])
        check(sum(n for _, n in p.get("awaits", [])) <= p["waiting"], "what pc %x waited for" % p["pc"])
        check(sum(n for _, n in p.get("next", [])) <= p["issued"], "what is next to pc %x" % p["pc"])
    # other lanes may go on elsewhere
    if stats["divergence"]["simd_efficiency"] > 0.99:
        came = [0] * len(run["pcs"])
        for p in run["pcs"]:
            for t, n in p.get("next", []):
                came[t] += n
        entry = min(p["pc"] for p in run["pcs"])
        for p, n in zip(run["pcs"], came):
            check(n == p["issued"] or p["pc"] == entry, "warps came to pc %x %d times of %d" % (p["pc"], n, p["issued"]))


# What the tensor units did, by warpgroup.
def check_lanes(t, stats):
    cycles = {}
    for lane in t.get("lanes", []):
        data, i, at = base64.b64decode(lane["bytes"]), 0, t["from"]
        while i < len(data):
            state = t["states"][data[i]]
            n, i = number(data, i + 1)
            cycles[state] = cycles.get(state, 0) + n
            at += n
        check(at == t["to"], "%s ends at %d" % (lane["lane"], at))
    for state, name in ("lane.operation", "busy"), ("lane.starved", "starved"):
        want = sum(i.get(name, 0) for i in stats["instances"].values() if i["module"] == "warpgroup_mma")
        check(cycles.get(state, 0) == want, "cycles of %s: %d, counted %d" % (state, cycles.get(state, 0), want))


def check_timeline(run, stats):
    t = run["timeline"]
    check_lanes(t, stats)
    by_pc = [0] * len(run["pcs"])
    for row in t["rows"]:
        issued, end = read_row(row["bytes"], t["from"])
        check(end == t["to"], "warp %d ends at %d" % (row["warp"], end))
        for code, n in issued.items():
            by_pc[run["pc_of_code"][code]] += n
    if t["from"] == 0 and t["to"] == run["cycles"]:
        check(by_pc == [p["issued"] for p in run["pcs"]], "instructions in the timeline")
    else:
        check(0 < sum(by_pc) < sum(p["issued"] for p in run["pcs"]), "instructions in the window")


# Where instructions of warps were, by bins: every bin once, shares of what there is.
def check_stages_data(run):
    s = run["stages"]
    check((run["cycles"] - 1) // s["width"] + 1 == s["bins"], "number of bins")
    check(len(s["rows"]) == len(run["timeline"]["rows"]), "rows of stages")
    used = {p["name"] for p in run["places"]}
    for row in s["rows"]:
        data, i, bins = base64.b64decode(row["bytes"]), 0, 0
        while i < len(data):
            times, i = number(data, i)
            n, i = number(data, i)
            parts = 0
            for _ in range(n):
                place, i = number(data, i)
                part, i = number(data, i)
                check(s["places"][place]["name"] in used, "a share of a place that was not used")
                parts += part
            check(n == 0 or 0 < parts <= 15, "shares of a bin: %d" % parts)
            bins += times
        check(bins == s["bins"], "bins of warp %d: %d" % (row["warp"], bins))


# Each element over time: together they are their arrays.
def check_units(run):
    sums = {}
    for p in run.get("units", []):
        name = re.sub(r"\[[^]]*\]", "", p["name"])
        check(sum(p["v"]) == p["total"], "bins of " + p["name"])
        old = sums.setdefault(name, [0] * len(p["v"]))
        sums[name] = [a + b for a, b in zip(old, p["v"])]
    if "units" in run:
        check(sums == {p["name"]: p["v"] for p in run["places"]}, "places and their elements")


# The ways of single instructions: together they are where instructions were.
def check_ways(run, stats):
    ways, sums, code, n, at = run["ways"], {}, 0, 0, 0
    data = base64.b64decode(ways["bytes"])

    def number():
        nonlocal at
        v = shift = 0
        while True:
            b = data[at]
            at += 1
            v |= (b & 127) << shift
            shift += 7
            if b < 128:
                return v
    times = [0] * len(run["pcs"])
    begin = ways["from"]
    while at < len(data):
        check(number() < len(ways["warps"]), "a warp of a way")
        z = number()
        code += -(z + 1) // 2 if z % 2 else z // 2
        begin += number()
        times[run["pc_of_code"][code]] += 1
        n += 1
        for p in ways["paths"][number()]:
            place = ways["places"][p]
            name = re.sub(r"\[\d+\]", "", place["name"])
            sums[name] = sums.get(name, 0) + number()
            if "arg" in place:
                number()
    check(n == ways["n"] and begin <= run["cycles"], "number of ways: %d" % n)
    check(all(t <= p["issued"] for t, p in zip(times, run["pcs"])), "ways by instruction")
    if n < stats["warp_instructions"]:
        check(ways["to"] < run["cycles"] or ways["from"] > 0, "ways are missing")
    elif n == stats["warp_instructions"] and ways["from"] == 0:
        for p in run["places"]:
            check(sums.get(p["name"], 0) == p["total"], "ways: cycles in %s: %d" % (p["name"], sums.get(p["name"], 0)))


def check_counters(run, stats):
    for c in run["counters"]:
        paths = [p for p in stats["instances"] if re.sub(r"\[\d+\]", "", p) == c["of"]]
        want = sum(stats["instances"][p][c["name"]] for p in paths)
        check(c["total"] == want == sum(c["v"]), "counter %s %s" % (c["of"], c["name"]))


def check_memory(run, stats):
    """Levels are sums of the statistics; slots lost for a load are those of the places where it was."""
    sums = {}
    for path, figures in stats["instances"].items():
        name = re.sub(r"\[\d+\]", "[*]", path)
        for key, n in figures.items():
            if key != "module":
                sums[name, key] = sums.get((name, key), 0) + n
    modules = [i["module"] for i in stats["instances"].values()]
    memory = run["memory"]
    check(sum(c["count"] for c in memory["caches"]) == modules.count("cache"), "caches")
    check(sum(d["count"] for d in memory["channels"]) == modules.count("dram"), "memory channels")
    check(sum(c["count"] for c in memory["copies"]) == modules.count("tma"), "units of bulk copies")
    check(sum(d["count"] for d in memory["remote"]) == modules.count("dsm"), "units of clusters")
    for level in memory["caches"] + memory["channels"] + memory["copies"] + memory["remote"]:
        for key, n in level.items():
            if key not in ("name", "count"):
                check(n == sums[level["name"], key], "%s of %s" % (key, level["name"]))
    check(sum(q["count"] for q in memory["queues"]) == len(stats.get("queues", {})), "queues")
    for q in memory["queues"]:
        same = [v for k, v in stats["queues"].items() if re.sub(r"\[\d+\]", "[*]", k) == q["name"]]
        check(q["most"] == max(v["most"] for v in same), "most in " + q["name"])
        check(abs(q["mean"] - sum(v["mean"] for v in same)) < 1e-4, "mean of " + q["name"])
    for p in run["pcs"]:
        check(sum(n for _, n in p["held"]) == p["awaited"], "places of pc %x" % p["pc"])
        check(not p["held"] or p["cycles"] > 0, "latency of pc %x" % p["pc"])


def check_data(page, files):
    runs = data_of(page)["runs"]
    check(len(runs) == len(files), "number of runs")
    for run, file in zip(runs, files):
        with open(file) as f:
            stats = json.load(f)
        check(run["cycles"] == stats["cycles"], "cycles")
        check_slots(run, stats)
        check_pcs(run, stats)
        check_timeline(run, stats)
        check_memory(run, stats)
        check_ways(run, stats)
        check_units(run)
        check_stages_data(run)
        if run["sample"]:
            check_counters(run, stats)
        check(run["resident"]["cta_millicycles"] == sum(run["resident"]["ctas"]), "resident CTAs")
        check(len(run["launches"]) == len(stats["kernels"]), "number of launches")
        for one in run["launches"]:
            check(one["end"] - one["begin"] == one["counted"]["cycles"], "cycles of launch %d" % one["launch"])
        check(run["resident"]["warp_cycles"] <= run["cycles"] * run["warp_slots"], "resident warps")
