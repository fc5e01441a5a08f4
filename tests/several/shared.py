#!/usr/bin/env python3
# shared.py - every port that may have several users has some: the results do not depend on who of them calls first
# SPDX-License-Identifier: BSD-2-Clause
#
# shared.py PROGRAM EXAMPLES TRACE [SEED]...
# The ports are those of the descriptors.  Each netlist below has two SMs, or sub-cores of one.  One provider at a time gets
# the users of its twin as well.  Such a netlist is refused with a message, or gives the same in any order; and
# --check-modules, which evaluates the users in another order in each cycle, finds nothing.
import json
import os
import re
import subprocess
import sys

program, examples, trace, *seeds = sys.argv[1:]

L1I = {"module": "cache", "params": {"sectored": False, "sets": 8, "line": 128, "ways": 2, "write_policy": "read_only",
                                     "allocate": "on_fill", "write_allocate": "none", "mshr_entries": 2,
                                     "mshr_merge": 48, "miss_queue": 4}}
WARPS = {"warps": "warps.state"}
POLICIES = {"scheduler_gto": WARPS, "scheduler_rrr": WARPS, "scheduler_limited": WARPS, "scheduler_oldest": WARPS,
            "scheduler_two_level": {**WARPS, "ibuffer": "ibuffer.issue", "scoreboard": "scoreboard.check"}}
DIVERGENCES = ["lanes_apart", "min_pc"]


def link(a, b, **members):
    return {"from": a, "to": b, **members}


def two_sms(core, add, exports, links, trace_source=None):
    """Two SMs, each with work and memory of its own"""
    sm = {"heddle": 1, "name": "sm", "extends": core, **add}
    sm["add"]["exports"] = exports
    return {"heddle": 1, "name": "two", "extends": examples + "/two_sms.json",
            "set": {"sm.netlist": sm, **(trace_source or {})}, "add": {"links": links}}


def classic(calls={}, **members):
    own = {"set": {"icache.module": "icache", "icache.clock": "sm", **members},
           "add": {"instances": {"l1i": {**L1I, "clock": "sm"}},
                   "links": [link("icache.warps", "warps.state"), link("icache.cache", "l1i.cache")]
                   + [link("scheduler[*]." + port, to) for port, to in calls.items()]}}
    return two_sms("sm.json", own, {"inst_request": "icache.request", "inst_response": "icache.response"},
                   [link("sm[*].inst_request", "memory[*].request"),
                    link("memory[*].inst_response", "sm[*].inst_response", latency=0, capacity=1)])


def control():
    hazards = {"module": "hazards", "clock": "sm",
               "params": {"fixed": [{"classes": "$fixed"}], "late": "$memory", "unchecked": ["TENSOR"]}}
    own = {"add": {"instances": {"hazards": hazards},
                   "links": [link(["issue[*].hazards", "counters.hazards"], "hazards.hazards"),
                             link("hazards.warps", "warps.state")]}}
    return two_sms("control_sm.json", own, {"hazard_trace": "hazards.trace"},
                   [link("sm[*].hazard_trace", "trace[*].trace")],
                   {"trace.opcodes": "opcodes/modern", "trace.control": "available",
                    "trace.latencies": "opcodes/latencies.json"})


def units():
    return {"heddle": 1, "name": "units", "clocks": {"core": {"mhz": 925}},
            "instances": {"sm": {"netlist": "southern_islands_cu.json", "count": 2, "clocks": {"core": "core"}}}}


def gpu(indexing):
    return {"heddle": 1, "name": "gpu", "extends": "gpu.json",
            "set": {"clusters": 2, "cores": 2, "channels": 4, "slices": 1, "map.indexing": indexing}}


def hopper():
    """An SM with a second engine for bulk copies"""
    links = [link("tma2." + port, to) for port, to in {
        "warps": "warps.state", "mbarrier": "mbarrier.mbarrier", "port": "smem.port", "counters": "counters.counters",
        "trace": "trace.trace"}.items()]
    links += [link("control[*].out", "tma2.in", slots="$sub_cores", variable=True, classes=["TMA2"]),
              link("tma2.out", "writeback.in", capacity=32), link("tma2.request", "memory2.request", capacity=4),
              link("memory2.response", "tma2.response", latency=0, capacity=4)]
    return {"heddle": 1, "name": "hopper", "extends": "h100_sm.json", "add": {"links": links, "instances": {
        "tma2": {"module": "tma", "clock": "sm"}, "memory2": {"module": "memory_perfect", "clock": "core"}}}}


def bases():
    """Name, netlist, modules that are looked at; none: all"""
    yield "classic", classic(), []
    yield "control", control(), []
    yield "units", units(), []
    for policy, calls in POLICIES.items():
        params = {"limit": 3} if policy == "scheduler_limited" else {}
        yield policy, classic(calls, **{"scheduler.module": policy, "scheduler.params": params}), [policy]
    for policy in DIVERGENCES:
        yield policy, classic(**{"divergence.module": policy}), [policy]
    yield "hopper", hopper(), []
    yield "gpu", gpu("bank"), []
    yield "random", gpu("random"), ["address_map"]


def run(*args):
    p = subprocess.run([program, *args], capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr


def outcome(file, *options):
    """Exit status, messages and statistics of a run"""
    if os.path.exists("shared.stats"):
        os.remove("shared.stats")
    code, _, err = run("run", "-q", "--max-cycles", "1000", "--stats", "shared.stats", *options, file, trace)
    return code, err, open("shared.stats").read() if os.path.exists("shared.stats") else ""


def ports_of_modules():
    """Those that may have several users: (module, port)"""
    ports = set()
    for m in (line.split()[0] for line in run("modules")[1].splitlines()):
        port = None
        for line in run("modules", m)[1].splitlines():
            f = re.match(r"  (\w+) +(provides|uses|in|out)\b", line)
            if f:
                port = (m, f.group(1))
            if f and f.group(2) == "provides":
                ports.add(port)
            elif "for 1 instance only" in line:
                ports.discard(port)
    return ports


def ends(v):
    """[(instance or array, port)] of one member of a flat netlist"""
    return [tuple(e.strip().rsplit(".", 1)) for item in (v if isinstance(v, list) else [v]) for e in item.split(",")]


def array_of(flat, name):
    """The entry of "instances" to which the end belongs"""
    return name if name in flat["instances"] else name[:name.rindex("[")]


def have_several(flat):
    """(module, port) of instances with several users, as the netlist is"""
    users = {}
    for l in flat["links"]:
        for name, port in ends(l["to"]):
            a = array_of(flat, name)
            if flat["instances"][a].get("count", 1) == 1 or not name.endswith("[*]"):
                n = sum(flat["instances"][array_of(flat, f)].get("count", 1) for f, _ in ends(l["from"]))
                users[name, port] = users.get((name, port), 0) + n // len(ends(l["to"]))
    return {(flat["instances"][array_of(flat, name)]["module"], port) for (name, port), n in users.items() if n > 1}


def shared(flat, keep, twins, ports):
    """The netlist in which users of these ports of the twins are those of `keep`, and the ports that are linked so"""
    links, used = [], set()
    for l in flat["links"]:
        to = []
        for name, port in ends(l["to"]):
            if array_of(flat, name) in twins and port in ports:
                used.add(port)
                name = keep
            to.append(name + "." + port)
        links.append({**l, "to": to if isinstance(l["to"], list) else ", ".join(to)})
    return {**flat, "links": links}, used


def variants(flat, only, ports):
    yield flat, "as it is", have_several(flat) & ports
    for name, entry in flat["instances"].items():
        m = entry["module"]
        mine = {p for module, p in ports if module == m}
        second = name.replace("sm[0]", "sm[1]").replace("cluster[0]", "cluster[1]")
        array = entry.get("count", 1) > 1
        if not mine or (only and m not in only) or "sm[1]" in name or "cluster[1]" in name \
                or (second == name and not array):
            continue
        for twins in ([{name}] if array else []) + ([{name, second}] if second != name else []):
            netlist, used = shared(flat, name + "[0]" if array else name, twins, mine)
            if used:
                yield netlist, f"{' and '.join(sorted(twins))}: {', '.join(sorted(used))}", {(m, p) for p in used}


def mistakes(file):
    """What is wrong with how the netlist is refused or runs"""
    code, err, stats = first = outcome(file)
    if code == 2:
        return [] if re.search(r"error: .*expected", err) else ["refused without saying what is expected: " + err]
    found = []
    if code not in (0, 1):
        return [f"exit status {code}"]
    for seed in seeds:
        if outcome(file, "--shuffle", seed) != first:
            found.append(f"--shuffle {seed} gives something else")
    code, err, again = outcome(file, "--check-modules")
    if code != first[0] or "depends on the order" in err or (code == 0 and again != stats):
        found.append("--check-modules: " + err)
    return found


def main():
    ports = ports_of_modules()
    seen, netlists, wrong = set(), 0, 0
    for base, netlist, only in bases():
        json.dump(netlist, open("base.json", "w"))
        code, text, err = run("flatten", "base.json")
        if code != 0:
            print(f"{base}: {err}")
            wrong += 1
            continue
        for variant, what, places in variants(json.loads(text), only, ports):
            json.dump(variant, open("shared.json", "w"), indent=1)
            netlists += 1
            seen |= places
            for mistake in mistakes("shared.json"):
                print(f"{base}, {what}: {mistake}")
                wrong += 1
            sys.stdout.flush()
    for port in sorted(ports - seen):
        print("no netlist has several users of", ".".join(port))
    print(f"{len(seen & ports)} of {len(ports)} ports, {netlists} netlists")
    return wrong > 0 or not ports <= seen


sys.exit(main())
