#!/usr/bin/env python3
# compare.py - compares outputs for a dump of two SMs, "both", with those for each alone
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: compare.py database|kanata|csv|page, in a folder with the files
import csv
import json
import sys
from base64 import b64decode

SMS = ("lrr", "gto")
bad = 0


def same(what, a, b):
    global bad
    if a == b:
        return
    bad = 1
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            print("%s: %d and %d rows" % (what, len(a), len(b)))
        for x, y in zip(a, b):
            if x != y:
                print("%s:\n  %s\n  %s" % (what, x, y))
                return
    else:
        print("%s: %s and %s" % (what, a, b))


# ---- the database ----

WAITS = """SELECT uid, warp, pc, text, mark, cycle, cycles, arg, producer_uid, producer_pc, producer_text
             FROM v_wait %s ORDER BY uid, cycle"""
SLOTS = """SELECT cycle, replace(stage, '%s', ''), n, reason, unit, replace(cause, '%s', ''), reg, warp, pc,
                  producer_uid, producer_pc FROM v_slot %s ORDER BY cycle, 2"""
INSTS = "SELECT uid, warp, pc, mask, begin, issue, collect, dispatch, execute, writeback, end FROM v_inst %s ORDER BY begin, uid, warp"


def database():
    import sqlite3

    both = sqlite3.connect("both.db")
    for sm in SMS:
        alone = sqlite3.connect(sm + ".db")
        number = both.execute("SELECT id FROM core WHERE path = ?", (sm,)).fetchone()[0]
        of = "WHERE core = %d" % number
        for name, mine, its in (("wait", WAITS % of, WAITS % ""), ("inst", INSTS % of, INSTS % ""),
                                ("slot", SLOTS % (sm + ".", sm + ".", of), SLOTS % ("", "", ""))):
            same("%s of %s" % (name, sm), both.execute(mine).fetchall(), alone.execute(its).fetchall())
        waits = alone.execute("SELECT count(*), count(producer_uid) FROM v_wait WHERE mark = 'register'").fetchone()
        same("waits with a producer", waits[0], waits[1])
        same("cores of an SM alone", alone.execute("SELECT * FROM core").fetchall(), [(0, "")])
    same("cores", [p for p, in both.execute("SELECT path FROM core ORDER BY id")][0], "")


# ---- Kanata ----

# "SM, uid of the waiting instruction, uid of the writing one" of all arrows.
def arrows(name):
    uid, sm, out = {}, {}, {"": []}
    with open(name + ".kanata") as f:
        for line in f:
            word = line.rstrip("\n").split("\t")
            if word[0] == "I":
                uid[word[1]] = int(word[2])
            elif word[0] == "L" and word[2] == "0":
                first = word[3].split(" ")[0]
                sm[word[1]] = first if first in SMS else ""
            elif word[0] == "W":
                if sm[word[1]] != sm[word[2]]:
                    same("an arrow from one SM to another", sm[word[1]], sm[word[2]])
                out.setdefault(sm[word[1]], []).append((uid[word[1]], uid[word[2]]))
    return out


def kanata():
    both = arrows("both")
    for sm in SMS:
        alone = arrows(sm)[""]
        same("arrows of " + sm, sorted(both.get(sm, [])), sorted(alone))
        same("there are arrows of " + sm, bool(alone), True)


# ---- comma separated values ----

def table(name):
    with open(name + ".csv/inst.csv", newline="") as f:
        return list(csv.DictReader(f))


def values():
    both = table("both")
    for sm in SMS:
        mine = [dict(row, way=row["way"].replace(sm + ".", "")) for row in both if row["core"] == sm]
        for row in mine:
            del row["core"]
        same("inst.csv of " + sm, mine, table(sm))


# ---- the report ----

def page_of(name):
    with open(name + ".html") as f:
        for line in f:
            if line.startswith('{"heddle"'):
                return json.loads(line)["runs"][0]


def number(data, i):
    v = shift = 0
    while True:
        v |= (data[i] & 127) << shift
        shift += 7
        i += 1
        if data[i - 1] < 128:
            return v, i


# What a warp did, as text, up to the cycle.
def segments(run, row, end):
    data, i, at, out = b64decode(row["bytes"]), 0, run["timeline"]["from"], []
    while i < len(data):
        state = data[i]
        n, i = number(data, i + 1)
        if state <= 1:
            after, i = number(data, i)
            out.append((at, state, n, after))
            at += state == 0
        else:
            name = run["timeline"]["states"][state]
            if name == "absent" and at + n > end:
                n = end - at
            if n:
                out.append((at, name, n))
            at += n
    return out


def plain(name):
    for sm in SMS:
        name = name.replace(sm + ".", "")
    return name


# Sums over both SMs by a name.
def sums(rows, name, value):
    out = {}
    for row in rows:
        key = plain(name(row))
        out[key] = out.get(key, 0) + value(row)
    return {k: v for k, v in out.items() if v}


def page():
    both, alone = page_of("both"), {sm: page_of(sm) for sm in SMS}
    two = list(alone.values())
    same("cycles", both["cycles"], max(r["cycles"] for r in two))
    same("warp slots", both["warp_slots"], sum(r["warp_slots"] for r in two))
    for name in ("warp_instructions", "thread_instructions", "thread_blocks"):
        same(name, both[name], sum(r[name] for r in two))
    for name in ("warp_cycles", "cta_millicycles"):
        same("resident " + name, both["resident"][name], sum(r["resident"][name] for r in two))
    for what, name, value in (
            ("slots", lambda s: s["reason"] + s["unit"] + s["cause"], lambda s: s["total"]),
            ("places", lambda p: p["name"], lambda p: p["total"]),
            ("counters", lambda c: c["of"] + "." + c["name"], lambda c: c["total"]),
            ("pcs", lambda p: "%x issued" % p["pc"], lambda p: p["issued"]),
            ("pcs", lambda p: "%x lanes" % p["pc"], lambda p: p["lanes"]),
            ("pcs", lambda p: "%x waiting" % p["pc"], lambda p: p["waiting"]),
            ("pcs", lambda p: "%x awaited" % p["pc"], lambda p: p["awaited"]),
            ("sums", lambda s: s["group"], lambda s: s["counted"])):
        same(what, sums(both[what], name, value), sums(two[0][what] + two[1][what], name, value))
    same("units", sums(both["counters"], lambda c: c["of"] + c["name"], lambda c: c["instances"]),
         sums(two[0]["counters"] + two[1]["counters"], lambda c: c["of"] + c["name"], lambda c: c["instances"]))
    for sm, run in alone.items():
        rows = [r for r in both["timeline"]["rows"] if r["core"] == sm]
        same("warps of " + sm, [(r["warp"], r["issued"]) for r in rows],
             [(r["warp"], r["issued"]) for r in run["timeline"]["rows"]])
        for a, b in zip(rows, run["timeline"]["rows"]):
            same("%s warp %d" % (sm, a["warp"]), segments(both, a, run["cycles"]), segments(run, b, run["cycles"]))
        by = "dispatcher[%d]" % SMS.index(sm)
        launches = [dict(one, by="") for one in both["launches"] if one["by"] == by]
        for one in launches:
            one["counted"].pop("instance")
        same("launches of " + sm, launches, run["launches"])
        attributed = [(w["warp"], sum(w["sums"])) for w in both["warps"] if w["core"] == sm]
        same("slots attributed to warps of " + sm, attributed, [(w["warp"], sum(w["sums"])) for w in run["warps"]])


{"database": database, "kanata": kanata, "csv": values, "page": page}[sys.argv[1]]()
sys.exit(bad)
